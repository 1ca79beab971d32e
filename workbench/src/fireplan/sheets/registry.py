"""The sheets in use: games given to this process as files, in addition to the installed ones.

The code that reads sheets is imported only when a sheet is named.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fireplan.errors import InputError
from fireplan_core import ProcedureError
from fireplan_core.files import MAX_BYTES, Document, FileError, below, parse_toml, read_ordinary
from fireplan_core.play import CONTRACTS, Catalogue

if TYPE_CHECKING:
    from fireplan.sheets.games import SheetGame

SHEET = "sheet"
"""The distribution of a game that is read from a sheet."""
Texts = Sequence[tuple[str, Mapping[str, Any]]]
"""The text of each sheet, with the ``PartModule`` of each module that it names."""
VARIABLE = "FIREPLAN_SHEETS"
"""The environment variable that lists sheets for every command to use."""
_IN_USE: dict[str, SheetGame] = {}
_NAME = re.compile(r"(?<![^\s,=@(])[^\s,=@()]+?\.toml(?![^\s,/.@)(])")
"""Matches a possible name of a sheet in a text, such as in ``woods@mine.toml(guns=4)``."""


_SHEET = re.compile(r"^\s*sheet\s*=", re.MULTILINE)


def is_sheet(name: str) -> bool:
    """Return whether a name denotes an existing TOML file that looks like a sheet.

    A sheet states its version of the format, or has a table for one of the five parts.
    """
    path = Path(name)
    try:
        if path.suffix != ".toml" or not path.is_file():
            return False
        text = read_ordinary(path, MAX_BYTES).decode("utf-8", "replace")
        content = parse_toml(path, what="sheet").content
    except FileError:
        return _SHEET.search(text) is not None
    except (OSError, ValueError):
        return False
    return "sheet" in content or ("game" not in content and any(map(content.get, CONTRACTS)))


def use(path: Path) -> SheetGame:
    """Return the game of a sheet, which ``installed`` lists from now on.

    Raises ``FileError`` listing every fault of the sheet.
    """
    from fireplan.sheets.games import read_sheet

    return keep(read_sheet(path))


def keep(sheet: SheetGame) -> SheetGame:
    """Add a sheet's game to those in use, and return the sheet that is then in use under its key.

    A game from another sheet with this key is replaced; a game from the same texts is kept. Raises
    ``FileError`` if the key is that of an installed game.
    """
    key = sheet.game.key
    if key in Catalogue.installed(only=(key,)).games:
        taken = f"{key} is the key of an installed game", 'choose another, such as "my_game"'
        raise sheet.document.error([("key", *taken)])
    same = key in _IN_USE and _IN_USE[key].texts == sheet.texts
    if not same:
        _IN_USE[key] = sheet
    return _IN_USE[key]


def texts() -> Texts:
    """Return the texts of the sheets in use and their modules, to use them in another process."""
    return tuple((sheet.document.text, sheet.modules) for sheet in in_use().values())


def keep_texts(sheets: Texts) -> None:
    """Use the sheets with these texts; raises ``FileError`` as ``use`` does.

    The texts come from another process on this machine, which was allowed to run their modules.
    """
    from fireplan.sheets.games import sheet_game
    from fireplan.sheets.modules import SheetModules

    for text, modules in sheets:
        keep(sheet_game(Document.of(SHEET, text), SheetModules(read=modules)))


def in_use() -> Mapping[str, SheetGame]:
    """Return the sheets in use, by the keys of their games.

    The sheets that the environment variable ``VARIABLE`` lists are read first, if they are not in
    use yet. Raises ``InputError`` listing every fault of a sheet that cannot be read.
    """
    for name in filter(None, os.environ.get(VARIABLE, "").split(os.pathsep)):
        if not any(sheet.path == Path(name) for sheet in _IN_USE.values()):
            try:
                use(Path(name))
            except FileError as error:
                raise InputError(*map(str, error.faults)) from error
    return dict(_IN_USE)


def installed(only: Collection[str] | None = None) -> Catalogue:
    """Return a catalogue of installed games and sheets in use, limited to the keys in ``only``."""
    catalogue = Catalogue.installed(only)
    for key, sheet in in_use().items():
        if only is None or key in only:
            admit(catalogue, sheet)
    return catalogue


def admit(catalogue: Catalogue, sheet: SheetGame) -> None:
    """Add a sheet's game to a catalogue, replacing another sheet with the same key.

    The game's version is a digest of the sheet and its modules, so that stored results never mix
    two forms of the sheet. Raises ``ProcedureError`` if the game is refused; the catalogue is then
    unchanged.
    """
    key = sheet.game.key
    entry = catalogue.games.get(key)
    if entry is not None and isinstance(entry.plugin, type(sheet)):
        del catalogue.games[key]
    from hashlib import sha256

    digest = sha256("\0".join(sheet.texts).encode()).hexdigest()[:12]
    try:
        catalogue.admit(sheet, distribution=SHEET, version=digest)
    except ProcedureError:
        if entry is not None:
            catalogue.games[key] = entry
        raise


def named(text: str, met: dict[str, SheetGame], folder: Path | None = None) -> str:
    """Return a text with the name of each sheet replaced by the key of its game.

    For example, ``woods@mine.toml`` becomes ``woods@my_game``. The sheets are in use from now on,
    and are added to ``met`` by key. With ``folder``, only sheets in that folder and its subfolders
    are replaced. Raises ``FileError`` as ``use`` does.
    """
    if ".toml" not in text:
        return text

    def key(name: str) -> str:
        try:
            path = Path(name) if folder is None else below(folder, name)
        except ValueError:
            return name
        if not is_sheet(str(path)):
            return name
        sheet = use(path)
        met[sheet.game.key] = sheet
        return sheet.game.key

    whole = key(text)
    return whole if whole != text else _NAME.sub(lambda name: key(name[0]), text)
