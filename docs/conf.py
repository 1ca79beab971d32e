"""Settings for ``python -m sphinx -W -b html docs docs/_build``, which needs no network.

What can be read from the code is not written by hand: ``_generate.py`` writes it into the pages, or
beside them before a build.
"""

import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

project = "fireplan"
copyright = "the fireplan authors"  # noqa: A001 - Sphinx prescribes the name
extensions = ["myst_parser", "sphinx.ext.autodoc"]
# The API reference (api.md) lists members in the order of the source.
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
python_maximum_signature_line_length = 100
add_module_names = False
toc_object_entries_show_parents = "hide"
exclude_patterns = ["_build", "_generated"]
templates_path = ["_templates"]
html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["pictures.css"]
html_title = "fireplan"
html_copy_source = False
html_show_sphinx = False
myst_heading_anchors = 3
smartquotes = False
# Pages load nothing from other servers: fonts are the reader's, scripts come with the theme.
html_theme_options = {"footer_icons": []}


CALLED = ("Source", "Sources")
"""The classes that callers construct; objects of other classes are returned or raised."""


def shown_signature(
    _app: Any,
    what: str,
    name: str,
    _obj: Any,
    _options: Any,
    written: str | None,
    answer: str | None,
) -> tuple[str | None, str | None]:
    """Return the signature that the reference shows, or none for a class that callers never construct."""
    called = what not in ("class", "exception") or name.rpartition(".")[2] in CALLED
    return (written, answer) if called else ("", None)


def setup(app: Any) -> None:
    """Generate everything before Sphinx looks for pages."""
    from _accessible import mend_all
    from _generate import write_all
    from _live import add_links

    app.add_config_value("live_studio", "", "html")
    app.connect("doctree-resolved", add_links)
    app.connect("autodoc-process-signature", shown_signature)
    app.connect("builder-inited", lambda _app: write_all(HERE / "_generated"))
    app.connect("build-finished", lambda app, error: error is None and mend_all(Path(app.outdir)))
