"""The drawing room: colours for light and dark, SVG, lettering, shapes and charts, shared by every picture of fireplan.

It knows no game and no comparison; the sheet, the board, the charts and the diagrams are laid out
where they belong.
"""
