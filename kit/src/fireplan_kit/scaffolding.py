"""New games from the templates in ``scaffold``: complete distributions that pass the checks."""

import keyword
import re
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path
from shutil import rmtree
from typing import Literal, get_args

from jinja2 import Environment, StrictUndefined, Template

from fireplan.errors import InputError
from fireplan.sheets import SheetGame
from fireplan_kit.from_sheet import files_of

Space = Literal["hex", "plane"]
SPACES: tuple[Space, ...] = get_args(Space)
KEY = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
LONGEST = 40
OWN = frozenset({"core", "studio", "kit"})
"""Keys whose distributions, ``fireplan-KEY``, would have the names of the framework's own."""
DEVICES = frozenset(
    {
        "con",
        "prn",
        "aux",
        "nul",
        *(f"{port}{number}" for port in ("com", "lpt") for number in range(10)),
    }
)
"""Names that no file can have on Windows."""
CAPABILITIES = {
    "hex": '"spotting rounds", "correction", "friendly fire", "depletion"',
    "plane": '"denial", "friendly fire"',
}
TEMPLATE = ".j2"


def new_game(
    key: str,
    space: Space = "hex",
    into: Path = Path(),
    *,
    taken: Collection[str] = (),
    sheet: SheetGame | None = None,
) -> Path:
    """Write the distribution of a new game into ``into/key`` and return that folder.

    With a sheet, the game plays as the sheet does. ``taken`` contains the keys already in use.
    Raises ``InputError`` listing every fault, and ``OSError`` if the folder cannot be written, in
    which case nothing is left behind; never overwrites a file.

    >>> new_game("my_game").name
    'my_game'
    """
    folder = into / key
    faults = [*_faults_of_name(key, taken), *_faults_of_place(folder, into, key)]
    if space not in SPACES:
        faults.append(f"there is no space {space!r}; choose one of: {', '.join(SPACES)}")
    if faults:
        raise InputError(*faults)
    texts = rendered(key, space) if sheet is None else of_sheet(key, sheet)
    folder.mkdir()
    try:
        for name, text in sorted(texts.items()):
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    except BaseException:
        rmtree(folder, ignore_errors=True)  # leave no incomplete game behind
        raise
    return folder


def _faults_of_name(key: str, taken: Collection[str]) -> Iterator[str]:
    plain = re.sub(r"[^a-z0-9]+", "_", key.lower()).strip("_") or "my_game"
    if not KEY.fullmatch(key) or keyword.iskeyword(key) or len(key) > LONGEST:
        better = plain if KEY.fullmatch(plain) and not keyword.iskeyword(plain) else f"game_{plain}"
        yield (
            f"{key!r} cannot be a game's key: use lowercase letters, digits and single underscores, starting with a letter, at most"
            f" {LONGEST} characters, and no keyword of Python. {better[:LONGEST]!r} would do."
        )
    elif key in OWN:
        yield f"fireplan-{key} is a distribution of fireplan's own; choose another key, e.g. {plain + '_game'!r}"
    elif key in DEVICES:
        yield f"no file can be named {key!r} on Windows; choose another key, e.g. {plain + '_game'!r}"
    if key in taken:
        yield f"a game {key!r} is installed already; choose another key, e.g. {plain + '_two'!r}"


def _faults_of_place(folder: Path, into: Path, key: str) -> Iterator[str]:
    if not into.is_dir():
        yield f"{into}: no such folder; create it first"
    elif not [*_faults_of_name(key, ())] and (folder.exists() or folder.is_symlink()):
        yield f"{folder} already exists and nothing is overwritten; choose another key, or another folder with --into"


def of_sheet(key: str, sheet: SheetGame) -> dict[str, str]:
    """Return the files of a new game that plays as a sheet does: texts by relative path."""
    package = f"src/fireplan_{key}"
    common = ("pyproject.toml", f"{package}/py.typed", f"tests/test_{key}.py")
    texts = {name: text for name, text in rendered(key, "hex").items() if name in common}
    texts["README.md"] = (
        f"# {sheet.game.title}\n\nWritten by `fireplan new {key} --from` a sheet, which it plays"
        " like. `parts.py` has the five parts, `data` their figures, tables, rules and sentences.\n"
    )
    return texts | {f"{package}/{name}": text for name, text in files_of(sheet, key).items()}


def rendered(key: str, space: Space) -> dict[str, str]:
    """Return the files of a new game on hexes or in the plane: texts by relative path."""
    words = {
        "key": key,
        "package": f"fireplan_{key}",
        "distribution": f"fireplan-{key.replace('_', '-')}",
        "title": key.replace("_", " ").capitalize(),
        "camel": "".join(word.capitalize() for word in key.split("_")),
        "capabilities": CAPABILITIES[space],
    }
    package, test = f"src/{words['package']}", f"test_{key}"
    return {
        path.replace("src/package", package).replace("test_game", test): template.render(words)
        for path, template in _templates(space).items()
    }


@cache
def _templates(space: Space) -> dict[str, Template]:
    """Return the templates of a new game by relative path.

    ``package`` in a path stands for the name of the game's package.
    """
    environment = Environment(
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701
    )
    return {
        file.relative_to(folder).as_posix().removesuffix(TEMPLATE): environment.from_string(
            file.read_text(encoding="utf-8")
        )
        for folder in (Path(__file__).parent / "scaffold" / part for part in ("common", space))
        for file in folder.rglob(f"*{TEMPLATE}")
    }
