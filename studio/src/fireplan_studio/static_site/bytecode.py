"""Compile modules when a site is built: ``compile.mjs`` runs this in the browser's own Python."""

import marshal
import re
from collections.abc import Collection
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from zipfile import ZipFile, ZipInfo

AS_SOURCE = frozenset({"anyio/__init__.py"})
"""Modules that need their source at run time."""
NEVER_NEEDED = re.compile(
    r"(_pyrepl|xmlrpc|wsgiref|unittest|(pdb|bdb|pydoc|doctest|turtle|pickletools)\.py"
    r"|(trace|timeit|profile|cProfile|pstats|tabnanny|pyclbr|modulefinder|optparse)\.py"
    r"|(_pyio|_pydatetime|wave|plistlib|socketserver|http/server)\.py"
    r"|(imaplib|poplib|smtplib|ftplib|mailbox)\.py|asyncio/(windows|proactor)_"
    r"|portalocker/(redis|__main__)\.py|anyio/(_backends/_trio|pytest_plugin)\.py"
    r"|starlette/testclient\.py"
    r"|encodings/(cp(?!437|1252)|mac_|iso8859_(?!1\.)|iso2022|big5|gb|euc|shift_|johab|hz|koi8|ptcp|hp_|kz|palmos|tis))"
)
"""Modules that are left out: consoles, debuggers, profilers, tests, servers, mail, codecs.

Some stand in for modules that the browser's Python has in C.
"""
_UNCHECKED = (1).to_bytes(4, "little") + bytes(8)


def compiled(archive: Path, folder: str, used: Collection[str]) -> None:
    """Replace the used modules in a zip with bytecode; ``used`` lists paths below ``folder``.

    Modules in ``AS_SOURCE`` stay as they are. Modules that match ``NEVER_NEEDED`` are left out,
    unless they are used.
    """
    with ZipFile(archive) as source:
        contents = {name: source.read(name) for name in source.namelist()}
    with ZipFile(archive, "w") as target:
        for name, content in contents.items():
            path = f"{folder}/{name}"
            if path in used and name not in AS_SOURCE:
                code = marshal.dumps(compile(content, path, "exec", dont_inherit=True))
                target.writestr(ZipInfo(f"{name}c"), MAGIC_NUMBER + _UNCHECKED + code)
            elif not NEVER_NEEDED.match(name):
                target.writestr(ZipInfo(name), content)
