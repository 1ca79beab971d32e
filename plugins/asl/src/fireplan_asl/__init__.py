"""Advanced Squad Leader for fireplan: off-board artillery (C1) and barrages (E12)."""
