"""Build the site: the page, the worker, Python, the packed games, and the first figures worked out beforehand."""

import asyncio
import gzip
import hashlib
import json
import re
import shutil
import tempfile
from collections.abc import Iterator
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

from fireplan.analysis import shipped_engagements
from fireplan.questions.errors import InputError
from fireplan_core.play import Catalogue
from fireplan_studio import alone
from fireplan_studio.addresses import address
from fireplan_studio.pages import static_files
from fireplan_studio.safety import DARK_STYLE
from fireplan_studio.static_site.pack import packed
from fireplan_studio.static_site.runtime import runtime_files, with_bytecode

MARK = "fireplan-site.json"
"""The file by which a folder is known as a site that may be built anew."""
_OPENED = {"/dial": address("/dial", {"along": "own_troops", "for": "own_troops_under_fire"})}
"""What a page shows when it is opened without a question."""
_PICTURE = re.compile(r' src="(/[a-z]+/[^"]+\.svg[^"]*)"')
_PACKED = (".wasm", ".asm.mjs", "python_stdlib.zip", "packages.zip")
"""Files that are served packed: no server needs to be told to, and none unpacks them on the way."""


def build(folder: Path, catalogue: Catalogue, *, runtime: Path | None = None) -> dict[str, int]:
    """Write the site into a folder and return the bytes of its files by name.

    ``runtime`` is the tarball of Python for browsers, which npm brings where none is given. Raises ``InputError`` for a
    folder that holds anything but a site, and where the runtime cannot be had.
    """
    if folder.exists() and (
        not folder.is_dir() or (any(folder.iterdir()) and not (folder / MARK).is_file())
    ):
        raise InputError(
            f"{folder}: is there already and is no site of fireplan; name an empty folder"
        )
    contents = dict(_python(catalogue, runtime)) | dict(_first(catalogue))
    contents |= {f"static/{name}": content for name, (content, _) in static_files().items()}
    assets = {
        file.name: file.read_bytes()
        for file in (files("fireplan_studio.static_site") / "static").iterdir()
        if file.is_file()
    }
    every = contents | assets
    number = hashlib.sha256(
        b"".join(name.encode() + every[name] for name in sorted(every))
    ).hexdigest()[:12]
    words = {"BUILD": number, "FILES": json.dumps(sorted(every)), "DARK": DARK_STYLE}
    for name, content in assets.items():
        filled = re.sub(
            rb"\{\{([A-Z]+)\}\}", lambda word: words[word[1].decode()].encode(), content
        )
        contents[name] = filled
    contents[MARK] = json.dumps({"build": number, "fireplan": version("fireplan")}).encode()
    _write(folder, contents)
    return {name: len(content) for name, content in contents.items()}


def _python(catalogue: Catalogue, tarball: Path | None) -> Iterator[tuple[str, bytes]]:
    """Yield Python and the packages: the large files packed, and of the list of its own packages the head alone."""
    archives = packed(catalogue)
    yield "later.zip", archives.pop("later.zip")
    for name, content in with_bytecode(runtime_files(tarball) | archives).items():
        where = name if name in archives else f"runtime/{name}"
        if name.endswith(_PACKED):
            yield f"{where}.packed", gzip.compress(content, 9, mtime=0)
        elif name == "pyodide-lock.json":
            yield where, json.dumps({"info": json.loads(content)["info"], "packages": {}}).encode()
        else:
            yield where, content


def _write(folder: Path, contents: dict[str, bytes]) -> None:
    """Replace a folder by files; what was in it before is gone."""
    if folder.exists():
        shutil.rmtree(folder)
    for name, content in contents.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def _first(catalogue: Catalogue) -> Iterator[tuple[str, bytes]]:
    """Yield the pages that are shown before Python is there: the shipped engagements, and the rules of each game."""
    wanted = ["/compare", "/dial", "/rules", *(f"/rules/{key}" for key in catalogue.games)]
    wanted += [address("/compare", {"engagement": name}) for name in ("", *shipped_engagements())]
    with tempfile.TemporaryDirectory() as tables:
        ask, index = alone(Path(tables)), dict[str, str]()

        def page(where: str, ending: str) -> Iterator[tuple[str, bytes]]:
            status, headers, body = asyncio.run(ask("GET", _OPENED.get(where, where)))
            if status == 303:  # noqa: PLR2004 - to its one address
                status, _, body = asyncio.run(ask("GET", headers["location"]))
            if status == 200:  # noqa: PLR2004
                name = f"first/{hashlib.sha256(body).hexdigest()[:16]}.{ending}"
                index[where] = name
                yield name, body

        for each in wanted:
            for name, body in page(each, "html"):
                yield name, body
                for picture in _PICTURE.findall(body.decode()):
                    yield from page(picture.replace("&amp;", "&"), "svg")
        yield "first/index.json", json.dumps(index).encode()
