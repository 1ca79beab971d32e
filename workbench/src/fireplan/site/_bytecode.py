"""Compile modules beforehand: run by the browser's own Python, in node, when a site is built (``compile.mjs``)."""

from __future__ import annotations

import marshal
from collections.abc import Collection
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from zipfile import ZipFile, ZipInfo

AS_SOURCE = frozenset({"anyio/__init__.py"})
"""Modules that read their own source."""
_UNCHECKED = (1).to_bytes(4, "little") + bytes(8)


def compiled(archive: Path, folder: str, used: Collection[str]) -> None:
    """Put bytecode in the place of those modules of a zip that are used by their paths below ``folder``."""
    with ZipFile(archive) as given:
        contents = {name: given.read(name) for name in given.namelist()}
    with ZipFile(archive, "w") as made:
        for name, content in contents.items():
            path = f"{folder}/{name}"
            if path in used and name not in AS_SOURCE:
                code = marshal.dumps(compile(content, path, "exec", dont_inherit=True))
                made.writestr(ZipInfo(f"{name}c"), MAGIC_NUMBER + _UNCHECKED + code)
            else:
                made.writestr(ZipInfo(name), content)
