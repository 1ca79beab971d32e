"""Tables with a journal from the command line: playing, continuing, replaying, exporting and saving what is sound."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path

import attrs

from fireplan.cli._accounts import checked
from fireplan.cli._app import BadInputError, DiffersError, gathered, outside, refuse, unknown, unread, write
from fireplan.cli._compare import catalogue, catalogue_for
from fireplan.cli._play import Play, situation_lines
from fireplan.cli._sitting import head_of, scenario_of
from fireplan.cli._terminal import LeaveError, hear_line, say_line
from fireplan.compare import shipped_engagements
from fireplan.table import (
    SUFFIX,
    AccountError,
    Head,
    HeadError,
    Journal,
    JournalError,
    LogLine,
    Session,
    Viewer,
    as_data,
    begin,
    broken_seals,
    commitments,
    opened,
    option_value,
    read_account,
    reopen,
    replay_account,
    sides_of,
    verify,
    write_account,
)
from fireplan_core import REFEREE, ProcedureError
from fireplan_core.play import Catalogue

JOURNALS = "*.fireplan"


def run_play(
    name: str | None, game: str | None, options: Iterable[str], journal: Path | None, seed: int | None
) -> None:
    """Open a new table and play it."""
    installed = catalogue_for(name, game)
    faults = outside("--seed", seed, 0)
    wrong = [option for option in options if "=" not in option]
    if wrong:
        faults.append(f"--option: expected NAME=VALUE, got {', '.join(wrong)}.")
    pairs = (option.partition("=") for option in options if option not in wrong)
    given = {one: option_value(text) for one, _, text in pairs}
    laid: list[tuple[Head, str]] = []
    with gathered(faults):
        head = attrs.evolve(head_of(installed, name, game), options=given)
        laid.append((head, scenario_of(installed, head)[0].title))
    refuse(faults)
    ((head, title),) = laid
    path = _path(journal, title)
    try:
        session = begin(path, installed, head)
    except (JournalError, HeadError) as error:
        raise BadInputError(str(error)) from error
    say_line(f"journal: {path}")
    _sit(session, seed)


def run_resume(path: Path, seed: int | None) -> None:
    """Continue a journal."""
    refuse(outside("--seed", seed, 0))
    session, _ = _reopened(path, read_only=False)
    _sit(session, seed)


def _sit(session: Session, seed: int | None) -> None:
    try:
        Play(session, say_line, hear_line, seed, screen=sys.stdin.isatty() and sys.stdout.isatty()).run()
    except JournalError as error:  # the disk is full, or somebody else writes to it
        raise BadInputError(str(error)) from error
    finally:
        if session.journal is not None:
            session.journal.close()


def _path(given: Path | None, title: str) -> Path:
    """Where the journal goes: as asked, else a name made of the title that is not taken yet."""
    if given is not None:
        return given
    stem = "".join(c if c.isalnum() else "_" for c in title.lower()).strip("_")[:40] or "table"
    number = 1
    while (path := Path(f"{stem}_{number}.fireplan")).exists():
        number += 1
    return path


def _reopened(path: Path, *, read_only: bool = True, installed: Catalogue | None = None) -> tuple[Session, Head]:
    _no_folder(path)
    try:
        return reopen(path, installed or catalogue(), read_only=read_only)
    except (JournalError, HeadError, ProcedureError) as error:
        message = str(error)
        raise BadInputError(message if message.startswith(str(path)) else f"{path}: {message}") from error


def _no_folder(path: Path) -> None:
    if path.is_dir():
        raise BadInputError(f"{path}: {unread(IsADirectoryError())}")


def read_back(path: Path) -> Session:
    """A game from a journal or from an account, by the rules as they are now."""
    if not path.name.endswith(".txt"):
        return _reopened(path)[0]
    installed = catalogue()
    try:
        account = read_account(path.read_text(encoding="utf-8"))
        scenario, moments = opened(installed, account.head(installed, shipped_engagements()))
        session = Session(scenario, moments)
        differences = replay_account(account, session)
    except (OSError, UnicodeDecodeError) as error:
        raise BadInputError(f"{path}: {unread(error)}") from error
    except (AccountError, HeadError, ProcedureError) as error:
        raise BadInputError(f"{path}: {error}") from error
    if differences:
        raise DiffersError(f"{path}: {differences[0]}")
    return session


# --- replay ------------------------------------------------------------------------------------------
def run_replay(path: Path, side: str, to: int | None, *, step: bool) -> None:
    """Replay a journal, all at once, line by line or up to a line of its log; the file is not touched."""
    refuse(outside("--to", to, 0))
    session, _ = _reopened(path)
    viewer = Viewer(session, _side(session, side))
    lines = viewer.known.lines
    say_line(session.scenario.title)
    for number, line in enumerate(lines[:to], start=1):
        say_line(f"{number:4d}  {_told(line)}")
        if step and not _goes_on():
            return
    if to is None or to >= len(lines):
        for line_ in situation_lines(viewer.situation()):
            say_line(line_)
    _refuse_broken(path, session)


def _told(line: LogLine) -> str:
    return f"{line.when}: {'taken back: ' if line.kind == 'taken back' else ''}{line}"


def _goes_on() -> bool:
    try:
        return hear_line("Enter goes on, q leaves: ").strip() != "q"
    except LeaveError:
        return False


def run_replay_all(folder: Path) -> None:
    """Check every journal and account of a folder against the rules as they are now."""
    if not folder.is_dir():
        raise BadInputError(f"{folder}: is no folder")
    files = sorted({*folder.rglob(JOURNALS), *folder.rglob(f"*{SUFFIX}")})
    if not files:
        raise BadInputError(f"{folder}: holds no {JOURNALS} and no *{SUFFIX}")
    installed = catalogue()
    differ = []
    for file in files:
        found = _same(file, installed)
        say_line(f"{file}: {found or 'same'}")
        if found:
            differ.append(file)
    if differ:
        raise DiffersError(f"{len(differ)} of {len(files)} differ from the rules as they are now")


def _same(file: Path, installed: Catalogue) -> str:
    try:
        if file.name.endswith(SUFFIX):
            return checked(installed, file)
        session, _ = _reopened(file, installed=installed)
    except BadInputError as error:
        return str(error).removeprefix(f"{file}: ")
    except (AccountError, HeadError, ProcedureError) as error:
        return str(error)
    return "; ".join(f"{seal.record.what} is not what was sealed" for seal in broken_seals(session))


def _refuse_broken(path: Path, session: Session) -> None:
    broken = broken_seals(session)
    if broken:
        told = "; ".join(f"{seal.record.what} of {seal.record.side}" for seal in broken)
        raise DiffersError(f"{path}: not what was sealed: {told}")


def _side(session: Session, side: str) -> str:
    known = [*sides_of(session.scenario), REFEREE]
    if side not in known:
        raise unknown("side", side, known)
    return side


# --- export ------------------------------------------------------------------------------------------
def run_export(path: Path, into: Path | None, side: str, *, as_json: bool) -> None:
    """Write a journal as text or JSON: everything for the referee, else what a side may know."""
    session, head = _reopened(path)
    side = _side(session, side)
    text = _json(session, head, side) if as_json else exported(session, head, side)
    _refuse_broken(path, session)
    if into is None:
        sys.stdout.write(text)
        return
    if into.exists():
        raise BadInputError(f"{into}: is already there; an export never writes over a file")
    write(into, text)
    say_line(f"written: {into}")


def exported(session: Session, head: Head, side: str) -> str:
    """The account of a session, sealed records as comments; of a side only what it may know (not to be replayed)."""
    viewer = Viewer(session, side)
    lines = viewer.known.lines
    if side == REFEREE:
        sealed = [f"# {line.text}" for line in lines if line.kind == "sealed"]
        return write_account(session, head) + "".join(f"{line}\n" for line in sealed)
    rows = [f"{head.kind}: {head.name}", f"title: {session.scenario.title}", f"as {side} knows it", ""]
    return "\n".join([*rows, *map(_told, lines), "", *situation_lines(viewer.situation())]) + "\n"


def _json(session: Session, head: Head, side: str) -> str:
    data = as_data(Viewer(session, side).all())
    opening = {name: value for name, value in head.data().items() if name in ("kind", "name", "game", "edition")}
    if side == REFEREE:
        opening |= {name: value for name, value in head.data().items() if name != "seals"}
        data["inputs"] = [{"kind": row.kind, **row.payload} for row in session.rows]
    return json.dumps({"opening": opening, **data}, indent=2, ensure_ascii=False) + "\n"


# --- what is sound, and what was sealed --------------------------------------------------------------
def run_salvage(path: Path, into: Path) -> None:
    """Save the sound inputs of a broken journal into a new one."""
    _no_folder(path)
    try:
        journal, wrong = Journal.salvage(path, into)
    except JournalError as error:
        raise BadInputError(str(error)) from error
    kept = len(journal.rows)
    journal.close()
    say_line(f"{into}: {kept} inputs saved{f' ({wrong})' if wrong else '; nothing was wrong'}")


def run_verify(before: Path, after: Path) -> None:
    """Check that every record sealed in an earlier export is laid open, unchanged, in a later one."""
    faults: list[str] = []
    texts: list[list[str]] = []
    for path in (before, after):
        with gathered(faults):
            texts.append(_lines(path))
    refuse(faults)
    earlier, later = texts
    if not commitments(earlier):
        raise BadInputError(f"{before}: tells of no sealed record")
    wrong = verify(earlier, later)
    if wrong:
        raise DiffersError("\n".join(wrong))
    say_line(f"{commitments(earlier)} sealed records are laid open unchanged")


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadInputError(f"{path}: {unread(error)}") from error
