"""Compile modules beforehand: run by the browser's own Python, in node, when a site is built (``compile.mjs``)."""

import marshal
import re
from collections.abc import Collection
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from zipfile import ZipFile, ZipInfo

AS_SOURCE = frozenset({"anyio/__init__.py"})
"""Modules that read their own source."""
NEVER_ASKED_FOR = re.compile(
    r"(_pyrepl|xmlrpc|wsgiref|(pdb|pydoc|doctest|turtle|pickletools)\.py"
    r"|encodings/(cp(?!437|1252)|mac_|iso8859_(?!1\.)|iso2022|big5|gb|euc|shift_|johab|hz|koi8|ptcp|hp_|kz|palmos|tis))"
)
"""Of Python's own library: consoles, debuggers, servers, and the character sets of other machines."""
_UNCHECKED = (1).to_bytes(4, "little") + bytes(8)


def compiled(archive: Path, folder: str, used: Collection[str]) -> None:
    """Put bytecode in the place of those modules of a zip that are used by their paths below ``folder``.

    What is ``NEVER_ASKED_FOR`` is left out, unless it is used.
    """
    with ZipFile(archive) as given:
        contents = {name: given.read(name) for name in given.namelist()}
    with ZipFile(archive, "w") as made:
        for name, content in contents.items():
            path = f"{folder}/{name}"
            if path in used and name not in AS_SOURCE:
                code = marshal.dumps(compile(content, path, "exec", dont_inherit=True))
                made.writestr(ZipInfo(f"{name}c"), MAGIC_NUMBER + _UNCHECKED + code)
            elif not NEVER_ASKED_FOR.match(name):
                made.writestr(ZipInfo(name), content)
