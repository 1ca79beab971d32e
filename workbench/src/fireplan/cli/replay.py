"""``fireplan replay``: a journal read with the rules as they are now, or every stored game of a folder checked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fireplan import api, table
from fireplan.api import InputError, catalogue, outside, refuse
from fireplan.cli import _core as core
from fireplan.cli._app import DiffersError
from fireplan.cli._open import refuse_broken, reopened, side_named
from fireplan.cli._options import HouseRules
from fireplan.cli._print import LeaveError, hear_line, say_line, told
from fireplan.cli.playthrough import compared

JOURNALS = ("*.fireplan", "*.journal")
"""Files that players name, and those of the studio."""


def replay(
    journal: Path | None = None,
    /,
    *,
    all: Path | None = None,  # noqa: A002 - the name of the option
    step: bool = False,
    to: int | None = None,
    side: str = "referee",
    rules: HouseRules = None,
) -> None:
    """Replay a journal against the rules as they are now, and print its log; or check every stored game of a folder.

    :param journal: The journal's file; it is opened read-only.
    :param all: A folder: every journal and playthrough in it must come out the same; status 1 when one differs.
    :param step: Wait for Enter after each line.
    :param to: Stop after so many lines of the log.
    :param side: Show what this side may know; by default everything.
    """
    if journal is None and all is None:
        raise InputError("Name a journal, or a folder with --all.")
    if all is not None and (journal is not None or step or to is not None or side != "referee"):
        raise InputError("--all checks every game of a folder: name no journal, and leave --step, --to and --side out.")
    laid = api.house_rules(rules)
    if all is not None:
        _replay_all(all, laid)
    elif journal is not None:
        _replay(journal, side, to, laid, step=step)


def _replay(path: Path, side: str, to: int | None, rules: tuple[Any, ...], *, step: bool) -> None:
    """Replay a journal, all at once, line by line or up to a line of its log; the file is not touched."""
    from fireplan.cli._keyboard import situation_lines

    refuse(outside("to", to, 0))
    installed = catalogue()
    session, head = reopened(path, rules, installed=installed)
    viewer = table.Viewer(session, side_named(session, side))
    lines = viewer.known.lines
    say_line(session.scenario.title)
    if head.house_rules:
        say_line(f"house rules: {', '.join(head.house_rules)}")
    for number, line in enumerate(lines[:to], start=1):
        say_line(f"{number:4d}  {told(line)}")
        if step:
            try:
                if hear_line("Enter goes on, q leaves: ").strip() == "q":
                    return
            except LeaveError:
                return
    if to is None or to >= len(lines):
        for text in situation_lines(viewer.situation()):
            say_line(text)
    if session.fair is not None:
        say_line(f"dice between the seats: {len(session.fair.thrown)} thrown, each of the secrets that were told")
    refuse_broken(path, session)
    if differs := table.differences(session, head, installed):
        raise DiffersError(f"{path}: {differs}")


def _replay_all(folder: Path, rules: tuple[Any, ...]) -> None:
    """Check every journal and playthrough of a folder against the rules as they are now."""
    if not folder.is_dir():
        raise InputError(f"{folder}: is no folder")
    files = sorted({file for kind in (*JOURNALS, f"*{table.SUFFIX}") for file in folder.rglob(kind)})
    if not files:
        raise InputError(f"{folder}: holds no {', no '.join(JOURNALS)} and no *{table.SUFFIX}")
    installed = catalogue()
    differ = 0
    for file in files:
        found = _difference(file, installed, rules)
        say_line(f"{file}: {found or 'same'}")
        differ += bool(found)
    if differ:
        raise DiffersError(f"{differ} of {len(files)} differ from the rules as they are now")


def _difference(file: Path, installed: core.Catalogue, rules: tuple[Any, ...]) -> str:
    """Return in words how a stored game differs from the rules as they are now; nothing where it is the same."""
    try:
        if file.name.endswith(table.SUFFIX):
            return compared(installed, file)[0]
        session, head = reopened(file, rules, installed=installed)
        broken = (f"{seal.record.what} is not what was sealed" for seal in table.broken_seals(session))
        return "; ".join(filter(None, (table.differences(session, head, installed), *broken)))
    except InputError as error:
        return str(error).removeprefix(f"{file}: ")
    except (table.PlaythroughError, table.HeadError, core.ProcedureError) as error:
        return str(error)
