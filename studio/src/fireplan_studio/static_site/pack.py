"""The archives for the browser's Python: the framework, the installed games, and their libraries.

Files and metadata come from this environment, pure Python only. The same files always give the same
bytes.
"""

import io
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.metadata import (
    Distribution,
    PackageNotFoundError,
    distribution,
    packages_distributions,
)
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from types import MappingProxyType

from fireplan.errors import InputError
from fireplan_core.play import Catalogue

LATER = frozenset({"networkx"})
"""Libraries that few questions need; they are downloaded when they are first imported."""
NOT_NEEDED = frozenset({"cyclopts", "rich", "prompt-toolkit", "uvicorn", "vl-convert-python"})
"""Libraries of the terminal and the server, which the site does not have."""
_LEFT_OUT = (
    "fireplan/cli/",
    "fireplan/mcp_server/",
    "fireplan_studio/commands.py",
    "fireplan_studio/static_site/",
)
"""Modules and files that no page of the studio needs."""
_OWNERS = cache(packages_distributions)
_FIRST_TIME = (1980, 1, 1, 0, 0, 0)
_NATIVE = (".so", ".pyd", ".dylib")
_DISPENSABLE = frozenset({"markupsafe", "tomli"})
"""Libraries that work without their native modules."""


def packed(
    catalogue: Catalogue, more: Mapping[str, bytes] = MappingProxyType({})
) -> dict[str, bytes]:
    """Return the archives of the site by name: one to start with, and one for later.

    ``more`` maps paths to further files for the first archive. Raises ``InputError`` if a library
    needs native code.
    """
    ours = {_normalized(entry.distribution) for entry in catalogue.games.values()}
    needed = _closure({"fireplan", "fireplan-core", *ours})
    # The archive is stored here and compressed as a whole by the builder, which makes it smaller
    # and quicker to unpack.
    first = _archive(
        (library for library in needed if _normalized(library.name) not in LATER),
        zipfile.ZIP_STORED,
        more,
    )
    later = _archive(
        (library for library in needed if _normalized(library.name) in LATER), zipfile.ZIP_DEFLATED
    )
    return {"packages.zip": first, "later.zip": later}


def _normalized(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _closure(names: Iterable[str]) -> list[Distribution]:
    """Return these distributions and all their installed requirements, sorted by name.

    Extras and the libraries in ``NOT_NEEDED`` are left out.
    """
    closure: dict[str, Distribution] = {}
    open_names = sorted(names)
    while open_names:
        name = open_names.pop()
        if name in closure or name in NOT_NEEDED:
            continue
        try:
            closure[name] = distribution(name)
        except PackageNotFoundError:
            continue
        lines = (line for line in closure[name].requires or () if "extra ==" not in line)
        open_names += [
            _normalized(match[0]) for line in lines if (match := re.match(r"[\w.-]+", line))
        ]
    return [closure[name] for name in sorted(closure)]


def _archive(
    needed: Iterable[Distribution], kind: int, more: Mapping[str, bytes] = MappingProxyType({})
) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", kind, compresslevel=9) as archive:
        contents = (each for library in needed for each in sorted(_files_of(library)))
        for name, content in chain(contents, sorted(more.items())):
            archive.writestr(zipfile.ZipInfo(name, _FIRST_TIME), content, kind)
    return buffer.getvalue()


def _files_of(needed: Distribution) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a distribution: its modules, its metadata and its licences."""
    about = f"{_normalized(needed.name).replace('-', '_')}-{needed.version}.dist-info"
    for name in ("METADATA", "entry_points.txt"):
        if (text := needed.read_text(name)) is not None:
            yield f"{about}/{name}", text.encode()
    for file in needed.files or ():
        if ".dist-info/licenses/" in str(file):
            yield f"{about}/licenses/{file.name}", file.read_binary()
    tops = [
        top for top, owners in _OWNERS().items() if needed.name in owners and top.isidentifier()
    ]
    for top in tops or [_normalized(needed.name).replace("-", "_")]:
        spec = find_spec(top)
        if spec is not None and spec.origin is not None:
            yield from _modules(needed.name, Path(spec.origin))


def _modules(name: str, origin: Path) -> Iterator[tuple[str, bytes]]:
    if not origin.name.startswith("__init__."):
        if origin.suffix == ".py":
            yield origin.name, origin.read_bytes()
        return
    for file in origin.parent.rglob("*"):
        inside = file.relative_to(origin.parent.parent).as_posix()
        if (
            not file.is_file()
            or "__pycache__" in file.parts
            or "tests" in file.parts
            or inside.startswith(_LEFT_OUT)
        ):
            continue
        if file.suffix not in _NATIVE:
            yield inside, file.read_bytes()
        elif _normalized(name) not in _DISPENSABLE:
            raise InputError(
                f"{name} has native code ({file.name}), which does not run in a browser: uninstall {name} and the packages that need it."
            )
