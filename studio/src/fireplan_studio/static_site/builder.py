"""Building the static site: its page and worker, Python, the packed games, and the first pages."""

import asyncio
import gzip
import hashlib
import json
import re
import shutil
import struct
import tempfile
from collections.abc import Iterator
from html import escape, unescape
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from urllib.parse import urlsplit

from fireplan.analysis import shipped_engagements
from fireplan.draw.svg import png
from fireplan.errors import InputError, quoted
from fireplan_core.play import Catalogue
from fireplan_studio import without_server
from fireplan_studio.addresses import address, own_versions
from fireplan_studio.answers import shipped_answers
from fireplan_studio.app import StudioWithoutServer
from fireplan_studio.pages import static_files
from fireplan_studio.safety import DARK_STYLE
from fireplan_studio.static_site.pack import packed
from fireplan_studio.static_site.runtime import runtime_files, with_bytecode

MARK = "fireplan-site.json"
"""Name of the file that marks a folder as a site, which a new build may replace."""
_OPENED = {"/dial": address("/dial", {"along": "guns", "for": "reduced"})}
"""The URLs whose answers the pages show when they are opened without parameters."""
_PREVIEW, _PREVIEWED = "preview.png", "/compare/delivery.svg"
"""The file of the picture shown beside a link to the site, and the URL that draws it."""
_PICTURE = re.compile(r' src="(/[a-z]+/[^"]+\.svg[^"]*)"')
_RANKING = re.compile(r' data-rank="([^"]+)"')
_PACKED = (".wasm", ".asm.mjs", "python_stdlib.zip", "packages.zip")
"""The endings of files that are stored compressed, so that the server needs no settings."""


def build(
    folder: Path, catalogue: Catalogue, *, runtime: Path | None = None, public_url: str = ""
) -> dict[str, int]:
    """Write the site into a folder and return the bytes of its files by name.

    ``runtime`` is the tarball of Python for browsers; npm downloads it by default. ``public_url``
    is the URL at which the site will be published; links to it then come with a picture. Raises
    ``InputError`` if the folder holds anything but a site, ``public_url`` is no web address, or the
    runtime cannot be obtained.
    """
    if folder.exists() and (
        not folder.is_dir() or (any(folder.iterdir()) and not (folder / MARK).is_file())
    ):
        raise InputError(
            f"{folder} already exists and is not a fireplan site; name an empty folder."
        )
    preview, picture = _preview(public_url) if public_url else ("", {})
    with tempfile.TemporaryDirectory() as tables:
        ask = without_server(Path(tables))
        contents = dict(_first(catalogue, ask)) | dict(_python(catalogue, runtime, ask))
    contents |= {f"static/{name}": content for name, (content, _) in static_files().items()}
    assets = {
        file.name: file.read_bytes()
        for file in (files("fireplan_studio.static_site") / "static").iterdir()
        if file.is_file()
    }
    parts = contents | assets
    build_id = hashlib.sha256(
        b"".join(name.encode() + parts[name] for name in sorted(parts))
    ).hexdigest()[:12]
    values = {
        "BUILD": build_id,
        "VERSIONS": " ".join(f"{name}-{each}" for name, each in own_versions(catalogue).items()),
        "FILES": json.dumps(sorted(parts)),
        "DARK": DARK_STYLE,
        "PREVIEW": preview,
    }
    for name, content in assets.items():
        contents[name] = re.sub(
            rb"\{\{([A-Z]+)\}\}", lambda match: values[match[1].decode()].encode(), content
        )
    contents |= picture
    contents[MARK] = json.dumps({"build": build_id, "fireplan": version("fireplan")}).encode()
    _write(folder, contents)
    return {name: len(content) for name, content in contents.items()}


def _preview(public_url: str) -> tuple[str, dict[str, bytes]]:
    """Return the tags that name the picture shown beside a link to the site, and its file.

    The picture is the delivery chart of the default engagement in all installed games. Raises
    ``InputError`` if ``public_url`` is not a web address.
    """
    parts = urlsplit(public_url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise InputError(
            f"--public-url: {quoted(public_url)} is not the address of a site: write one such as"
            " https://example.org/fireplan/"
        )
    with tempfile.TemporaryDirectory() as tables:
        _, _, drawn = asyncio.run(without_server(Path(tables))("GET", address(_PREVIEWED, {})))
    image = png(drawn.decode())
    width, height = struct.unpack(">II", image[16:24])
    root = escape(public_url.rstrip("/") + "/")
    tags = {
        "og:url": root,
        "og:image": f"{root}{_PREVIEW}",
        "og:image:alt": "Chance that fire falls by the minute, in each game",
        "og:image:width": width,
        "og:image:height": height,
    }
    lines = [f'<meta property="{name}" content="{value}">' for name, value in tags.items()]
    lines.append('<meta name="twitter:card" content="summary_large_image">')
    return "\n".join(lines), {_PREVIEW: image}


def _python(
    catalogue: Catalogue, tarball: Path | None, ask: StudioWithoutServer
) -> Iterator[tuple[str, bytes]]:
    """Yield the path and content of each file of Python and of the packages; compress large ones.

    The packages include the rankings of numbers that the first pages show. The lock file lists
    none of Pyodide's own packages: the site needs none.
    """
    ranked = "ranked"
    archives = packed(
        catalogue, {f"fireplan_studio/{shipped_answers(ranked)}": ask.computed(ranked)}
    )
    yield "later.zip", archives.pop("later.zip")
    for name, content in with_bytecode(runtime_files(tarball) | archives).items():
        path = name if name in archives else f"runtime/{name}"
        if name.endswith(_PACKED):
            yield f"{path}.packed", gzip.compress(content, 9, mtime=0)
        elif name == "pyodide-lock.json":
            yield path, json.dumps({"info": json.loads(content)["info"], "packages": {}}).encode()
        else:
            yield path, content


def _write(folder: Path, contents: dict[str, bytes]) -> None:
    """Replace the contents of a folder with these files."""
    if folder.exists():
        shutil.rmtree(folder)
    for name, content in contents.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def _first(catalogue: Catalogue, ask: StudioWithoutServer) -> Iterator[tuple[str, bytes]]:
    """Yield the pages that are shown until Python has started, with an index by URL.

    These are the front page, the shipped engagements, the dial, the ranking of numbers, a sheet,
    and the rules of each game.
    """
    addresses = [
        "/",
        "/compare",
        "/dial",
        "/design",
        "/rules",
        *(f"/rules/{key}" for key in catalogue.games),
    ]
    addresses += [
        address("/compare", {"engagement": name}) for name in ("", *shipped_engagements())
    ]
    index = dict[str, str]()

    def asked(path: str) -> tuple[int, bytes]:
        status, headers, body = asyncio.run(ask("GET", path))
        if status == 303:  # noqa: PLR2004 - the redirect to its canonical URL
            status, _, body = asyncio.run(ask("GET", headers["location"]))
        return status, body

    def page(path: str, ending: str) -> Iterator[tuple[str, bytes]]:
        status, body = asked(_OPENED.get(path, path))
        if status == 200:  # noqa: PLR2004
            name = f"first/{hashlib.sha256(body).hexdigest()[:16]}.{ending}"
            index[path] = name
            yield name, body

    def rank(path: str) -> None:
        """Solve each ranking that a page waits for."""
        for ranking in _RANKING.findall(asked(path)[1].decode()):
            asked(unescape(ranking))

    def with_pictures(path: str) -> Iterator[tuple[str, bytes]]:
        for name, body in page(path, "html"):
            yield name, body
            for picture in _PICTURE.findall(body.decode()):
                yield from page(unescape(picture), "svg")

    for page_address in addresses:
        yield from with_pictures(page_address)
    # Rank all games last, so that their answers are still in memory when they are packed.
    for key in catalogue.games:
        rank(f"/whatif?game={key}")
    yield from with_pictures("/whatif")
    yield "first/index.json", json.dumps(index).encode()
