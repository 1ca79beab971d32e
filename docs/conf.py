"""Settings of the documentation: ``python -m sphinx -W -b html docs docs/_build`` builds it, without any network.

What can be read off the code is not typed: ``_generate.py`` writes it into ``_generated`` before pages are read.
"""

import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

project = "fireplan"
copyright = "the fireplan authors"  # noqa: A001 - the name that Sphinx wants
extensions = ["myst_parser"]
exclude_patterns = ["_build", "_generated"]
html_theme = "furo"
html_title = "fireplan"
html_copy_source = False
html_show_sphinx = False
myst_heading_anchors = 3
smartquotes = False
# Nothing is looked up elsewhere: fonts are the reader's own, scripts come with the theme.
html_theme_options = {"footer_icons": []}


def setup(app: Any) -> None:
    """Have everything generated before Sphinx looks for pages."""
    from _generate import write_all

    app.connect("builder-inited", lambda _app: write_all(HERE / "_generated"))
