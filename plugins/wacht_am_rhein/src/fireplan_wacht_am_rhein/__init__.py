"""Wacht am Rhein II for fireplan: volley barrages (chapter 12)."""
