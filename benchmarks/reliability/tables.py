"""The shipped scenarios of every installed game, and random players, for the checks in this folder."""

from __future__ import annotations

import random
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fireplan.analysis import shipped_engagements
from fireplan.errors import JournalError
from fireplan.table import Head, Journal, JournalRow, Session, Words, make_head, scenario_of
from fireplan_core import Ask, Order, Refusal, Scenario
from fireplan_core.chance import Face
from fireplan_core.play import Catalogue, shipped_scenarios

TAKE_BACK = 0.04
"""Chance that a random player takes back the last input."""


def catalogue() -> Catalogue:
    """Return the installed games; exit if one of them does not load."""
    installed = Catalogue.installed()
    if installed.problems:
        raise SystemExit(str(installed.problems))
    return installed


def heads(installed: Catalogue) -> dict[str, Head]:
    """Return a head for every shipped scenario, by name: the first of each game, then the second, and so on."""
    names = sorted(shipped_scenarios(installed))
    nth = {
        name: sum(other < name and other.split("/")[0] == name.split("/")[0] for other in names)
        for name in names
    }
    ordered = sorted(names, key=lambda name: (nth[name], name))
    return {name: make_head(installed, name, None, shipped_engagements()) for name in ordered}


_staged: dict[tuple[str, str], tuple[Scenario, int]] = {}


def table(installed: Catalogue, head: Head) -> tuple[Scenario, int]:
    """Return a head's scenario, staged only once, and its number of moments."""
    key = (head.name, head.text)
    if key not in _staged:
        _staged[key] = scenario_of(installed, head)
    return _staged[key]


Move = Order | Face | None
"""An order, the face of a die, or a take-back (None)."""


def random_move(session: Session, dice: random.Random) -> Move:
    """Return a random player's next move: a legal order, a face, or now and then a take-back.

    Raises ``ProcedureError`` at a dead end, where no order is legal.
    """
    waits = session.table.waits_for
    if (
        not session.faces
        and session.rows
        and dice.random() < TAKE_BACK
        and session.rows[-1].kind != "undo"
    ):
        return None
    if isinstance(waits, Ask):
        return dice.choice(session.table.rulebook.legal(waits, session.table.read))
    return dice.choice([face for face, _ in session.die.weights])


def give(session: Session, move: Move) -> None:
    """Make a move; raises ``AssertionError`` if it is refused although it was legal."""
    if isinstance(move, Order):
        answer = session.order(move)
        if isinstance(answer, Refusal):
            raise AssertionError(f"a legal order was refused: {move}: {answer}")  # noqa: TRY004 - not a type error
    elif move is None:
        try:
            session.undo()
        except JournalError as error:
            if "nothing to take back" not in str(error):
                raise
    else:
        session.face(move, typed=True)


def typed(session: Session, move: Move) -> str:
    """Return a move as it is typed at the prompt."""
    if isinstance(move, Order):
        waits = session.table.waits_for
        rulebook = session.table.rulebook
        forms = rulebook.question(waits).offers(
            rulebook.view(waits, session.table.read), *waits.args
        )
        return Words(session.scenario).typed.order(move, forms)
    return "undo" if move is None else str(move)


def without_salts(row: JournalRow) -> tuple[str, dict[str, Any]]:
    """Return a row without the salts of its seals, which differ from table to table."""
    return row.kind, {name: value for name, value in row.payload.items() if name != "seals"}


def last_hash(journal: Journal) -> str:
    """Return the last hash of a journal's chain, which nobody may be shown."""
    return journal._file._last.decode("latin-1")[:64]  # noqa: SLF001 - private to the journal


@contextmanager
def folder() -> Iterator[Path]:
    """Yield a temporary folder, in memory if possible."""
    memory = Path("/dev/shm")  # noqa: S108 - only a faster place for a folder of a random name
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as name:
        yield Path(name)


def wanted(usual: int) -> int:
    """Return the number given on the command line, or ``usual``."""
    return int(sys.argv[1]) if len(sys.argv) > 1 else usual
