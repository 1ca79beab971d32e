"""Say how commands open what they are given by name: games, engagements, scenarios, journals, house rules."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Mapping
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import attrs

from fireplan import comparison as comparing
from fireplan import table
from fireplan.cli import _core as core
from fireplan.cli._app import BadInputError, DiffersError, outside, refuse, refusing, unknown, unread
from fireplan.cli._print import hear_line, say_line

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

LONGEST = 1000
"""Moments that are watched at most."""


def catalogue() -> core.Catalogue:
    """Return the installed games; those that failed are named on standard error."""
    installed = core.Catalogue.installed()
    for problem in installed.problems:
        sys.stderr.write(f"{problem.entry_point} ({problem.distribution}) failed to load: {problem.reason}\n")
    return installed


def catalogue_for(name: str | None, game: str | None) -> core.Catalogue:
    """Return the game that a shipped scenario (``game/name``) or ``--game`` names, alone; else all that are installed.

    One game is loaded in a quarter of the time; what is not found in it is looked for, and told of, among all.
    """
    key = game or (name or "").partition("/")[0]
    one = core.Catalogue.installed(only=(key,))
    if key in one.games and (game or name in core.shipped_scenarios(one)):
        return one
    return catalogue()


def catalogue_with(key: str) -> core.Catalogue:
    """Return a catalogue that has the game of that key; raise ``BadInputError`` where none is installed."""
    installed = catalogue_for(None, key)
    if key not in installed.games:
        raise unknown("game", key, list(installed.games))
    return installed


def known_games(installed: core.Catalogue, games: list[str] | None) -> list[str]:
    """Return the keys asked for, separated by commas or spaces; all installed ones when that was left open."""
    known = list(installed.games)
    keys = known if games is None else [key for entry in games for key in entry.split(",") if key]
    refuse(str(unknown("game", key, known)) for key in keys if key not in known)
    if not known:
        raise BadInputError("No game is installed.")
    if not keys:
        raise BadInputError(f"--games: name at least one game. There are: {', '.join(known)}.")
    return keys


def engagement_named(name: str | None) -> core.Engagement:
    """Return a shipped engagement or the user's own; raise ``BadInputError`` with every fault of the file."""
    with refusing():
        return comparing.find_engagement(name or comparing.DEFAULT)


def setting_of(
    installed: core.Catalogue,
    name: str | None,
    game: str | None,
    minutes: int | None,
    changed: Collection[core.Variation] = (),
) -> comparing.Setting:
    """Return a scenario, or with a game an engagement, that can be staged with changes; one may make a file legal."""
    refuse(outside("--minutes", minutes, 1))
    with refusing():
        return comparing.setting(installed, name, game, minutes, changed)


def head_of(installed: core.Catalogue, name: str | None, game: str | None) -> table.Head:
    """Return what a table is opened with, by a name: a scenario, or with a game an engagement."""
    if name is None and game is None:
        known = ", ".join(core.shipped_scenarios(installed)) or "none"
        raise BadInputError(f"Name a scenario ({known}) or a file, or an engagement with --game KEY.")
    try:
        return table.make_head(installed, name or comparing.DEFAULT, game, comparing.shipped_engagements())
    except table.HeadError as error:
        raise BadInputError(_mistaken(name, game) or str(error)) from error


def _mistaken(name: str | None, game: str | None) -> str:
    """Say what a name is that was taken for something else: an engagement, a scenario, a folder, a file of no text."""
    if name is None:
        return ""
    if game is None and name in comparing.shipped_engagements():
        return f"{name!r} is an engagement: say which game stages it with --game KEY, as 'fireplan games' lists them."
    if game is not None and name in core.shipped_scenarios(catalogue()):
        return f"{name!r} is a scenario, which brings its own game: leave --game out."
    if Path(name).exists():
        try:
            Path(name).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            return f"{name}: {unread(error)}"
    return ""


def opened(
    installed: core.Catalogue,
    name: str | None,
    game: str | None,
    rules: tuple[Any, ...] = (),
    options: Mapping[str, str | int | bool] | None = None,
) -> tuple[table.Head, core.Scenario, int]:
    """Return the head of a table by a name, its scenario under house rules, and for how many moments it is played."""
    head = head_of(installed, name, game)
    head = attrs.evolve(head, options=options or {}, house_rules=core.rule_names(rules))
    with refusing():
        return head, *table.opened(installed, head, rules)


# --- journals: tables that commands open, play and print ----------------------------------------------
def reopened(
    path: Path, rules: Collection[Any] = (), *, read_only: bool = True, installed: core.Catalogue | None = None
) -> tuple[table.Session, table.Head]:
    """Return a table as its journal left it, and what it was opened with."""
    no_folder(path)
    try:
        return table.reopen(path, installed or catalogue(), read_only=read_only, rules=rules)
    except (table.JournalError, table.HeadError, core.ProcedureError) as error:
        message = str(error)
        raise BadInputError(message if message.startswith(str(path)) else f"{path}: {message}") from error


def no_folder(path: Path) -> None:
    """Raise ``BadInputError`` for a folder where a journal is wanted."""
    if path.is_dir():
        raise BadInputError(f"{path}: {unread(IsADirectoryError())}")


def sit(session: table.Session, seed: int | None) -> None:
    """Play a table at the keyboard, and close its journal."""
    from fireplan.cli._keyboard import Play

    try:
        with refusing():  # such as a journal whose disk is full, or that somebody else writes to
            Play(session, say_line, hear_line, seed, screen=sys.stdin.isatty() and sys.stdout.isatty()).run()
    finally:
        if session.journal is not None:
            session.journal.close()


def side_named(session: table.Session, side: str) -> str:
    """Return a side of a table or its referee; raise ``BadInputError`` where there is none of that name."""
    known = [*table.sides_of(session.scenario), core.REFEREE]
    if side not in known:
        raise unknown("side", side, known)
    return side


def refuse_broken(path: Path, session: table.Session) -> None:
    """Raise ``DiffersError`` for sealed records that are not what was sealed."""
    if broken := table.broken_seals(session):
        records = "; ".join(f"{seal.record.what} of {seal.record.side}" for seal in broken)
        raise DiffersError(f"{path}: not what was sealed: {records}")


# --- playthroughs: games that are told in a text ---------------------------------------------------
def read_playthrough(
    installed: core.Catalogue, file: Path | Traversable
) -> tuple[table.Playthrough, table.Head, table.Session]:
    """Return a playthrough, what it is opened with, and the table before its first input."""
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise table.PlaythroughError(0, unread(error)) from error
    account = table.read_playthrough(text)
    head = account.head(installed, comparing.shipped_engagements())
    return account, head, table.Session(*table.opened(installed, head))


def differences_in(installed: core.Catalogue, file: Path | Traversable) -> str:
    """Return in words where a playthrough differs from the rules as they are now; nothing where it is the same."""
    account, _, session = read_playthrough(installed, file)
    return "; ".join(map(str, table.replay_playthrough(account, session)))


# --- house rules: a Python file or a module that implements the hooks of ``RuleSpec`` ----------------
def house_rules(given: Iterable[str] | None) -> tuple[ModuleType, ...]:
    """Return the modules of these names or files; raise ``BadInputError`` for each that holds no house rules."""
    found: list[ModuleType] = []
    faults: list[str] = []
    for name in given or ():
        try:
            module = _loaded(name)
        except (FileNotFoundError, ModuleNotFoundError) as error:
            # A file that is there may ask for a module that is not.
            absent = name if isinstance(error, FileNotFoundError) else error.name
            faults.append(f"--house-rules {name}: there is no file or module {absent!r}; give a Python file")
            continue
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a file does when it is read
            faults.append(f"--house-rules {name}: cannot be loaded: {type(error).__name__}: {error}")
            continue
        faults += [f"--house-rules {name}: {fault}" for fault in _faults(module)]
        found.append(module)
    refuse(faults)
    return tuple(found)


def _loaded(name: str) -> ModuleType:
    """Return the module in a file, or the importable one of that name."""
    path = Path(name)
    if path.suffix != ".py":
        return import_module(name)
    spec = spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise BadInputError("is no Python file")
    module = module_from_spec(spec)
    sys.modules.setdefault(path.stem, module)  # attrs and dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def _faults(module: ModuleType) -> list[str]:
    """Return what is wrong with house rules: a hook that there is not, or none at all."""
    import pluggy

    manager = pluggy.PluginManager("fireplan")
    manager.add_hookspecs(core.RuleSpec)
    try:
        manager.register(module)
        manager.check_pending()
    except pluggy.PluginValidationError as error:
        return [str(error)]
    if manager.get_hookcallers(module):
        return []
    hooks = " or ".join(name for name in vars(core.RuleSpec) if name.startswith("fireplan_"))
    return [f"no house rules: it has no function {hooks} marked with @hookimpl (from fireplan_core)"]


def titled(title: str, rules: tuple[Any, ...]) -> str:
    """Return a title with the house rules that are played."""
    return f"{title}, house rules: {', '.join(core.rule_names(rules))}" if rules else title
