"""``fireplan site``: the studio as a folder of static files."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from fireplan.api import catalogue
from fireplan.cli._open import needing
from fireplan.cli._print import say_line


def site(action: Literal["build"], folder: Path, /, *, runtime: Path | None = None) -> None:  # noqa: ARG001 - the one
    """Build the studio as static files with the installed games: any file server will do, Python runs in the browser.

    Needs the extra 'web' (pip install 'fireplan[web]'), and npm to bring Python for browsers.

    :param action: build.
    :param folder: The folder to write; an empty one, or a site built before.
    :param runtime: The tarball of Python for browsers, where it was brought before (npm pack writes it).
    """
    with needing("web", "The site"):
        from fireplan.site import build
    sizes = build(folder, catalogue(), runtime=runtime)
    say_line(f"{folder}: {len(sizes)} files, {sum(sizes.values()) / 1e6:.1f} MB; hand them out with any file server")
