"""Sessions played on with seeded dice and the standard orders."""

from __future__ import annotations

from fireplan.table import Session
from fireplan_core import Ask
from fireplan_core.chance import RandomFaces


def step_on(session: Session, dice: RandomFaces) -> None:
    """Give the standard order, or throw the next die of a throw."""
    waits = session.table.waits_for
    if isinstance(waits, Ask):
        session.order(session.table.rulebook.answer(waits, {}, session.table.read))
    else:
        session.face(dice.face(session.die), typed=False)


def play_over(session: Session, seed: str = "over") -> None:
    """Play a session to its end and close its journal."""
    dice = RandomFaces(seed)
    while session.table.waits_for is not None:
        step_on(session, dice)
    session.journal.close()
