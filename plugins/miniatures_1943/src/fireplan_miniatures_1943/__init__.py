"""The "1943" miniatures rules for fireplan: requests, barrages and air strikes (chapter 6)."""
