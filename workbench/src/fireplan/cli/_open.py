"""Say how commands open what they are given by name: games, journals, playthroughs."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fireplan import table
from fireplan.api import InputError, refusing, unknown
from fireplan.cli import _core as core
from fireplan.cli._app import DiffersError
from fireplan.cli._print import attended, columns, hear_line, say_wrapped


@contextmanager
def needing(extra: str, what: str) -> Iterator[None]:
    """Raise ``InputError`` that names the extra to install, where what is imported within needs it."""
    try:
        yield
    except ImportError as error:
        said = f"{what} needs the extra {extra!r} ({error.name} is missing): pip install 'fireplan[{extra}]'."
        raise InputError(said) from error


# --- journals: tables that commands open, play and print ----------------------------------------------
def sit(session: table.Session, seed: int | None) -> None:
    """Play a table at the keyboard, and close its journal."""
    from fireplan.cli._keyboard import Play
    from fireplan.cli._map import WIDTH

    def hear(prompt: str) -> str:
        return hear_line(prompt, play.possible)

    try:
        with refusing():  # such as a journal whose disk is full, or that somebody else writes to
            screen = attended(sys.stdin) and attended(sys.stdout)
            play = Play(session, say_wrapped, hear, seed, screen=screen, width=columns if screen else lambda: WIDTH)
            play.run()
    finally:
        if session.journal is not None:
            session.journal.close()


def side_named(session: table.Session, side: str) -> str:
    """Return a side of a table or its referee; raise ``InputError`` where there is none of that name."""
    known = [*table.sides_of(session.scenario), core.REFEREE]
    if side not in known:
        raise unknown("side", side, known)
    return side


def refuse_broken(path: Path, session: table.Session) -> None:
    """Raise ``DiffersError`` for sealed records that are not what was sealed."""
    if broken := table.broken_seals(session):
        records = "; ".join(f"{seal.record.what} of {seal.record.side}" for seal in broken)
        raise DiffersError(f"{path}: not what was sealed: {records}")
