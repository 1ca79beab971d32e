"""Colours for light and dark, SVG, lettering, shapes and charts for every picture of fireplan.

Nothing here depends on a game or a comparison: sheets, boards, charts and diagrams are laid out in
their own packages.
"""
