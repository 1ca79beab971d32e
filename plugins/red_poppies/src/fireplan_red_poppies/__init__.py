"""Red Poppies Campaigns for fireplan: off-map artillery, bombardments and creeping barrages."""
