"""Sessions and tables played on with seeded dice and the standard orders."""

from __future__ import annotations

from fireplan.table import Session
from fireplan.table.playthrough import Playthrough
from fireplan_core import Ask, Order
from fireplan_core.chance import RandomFaces
from fireplan_core.play import Answered, Input, Table, Thrown


def step_on(session: Session, dice: RandomFaces) -> None:
    """Give the standard order, or roll the next die of a throw."""
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


def submit_on(table: Table, dice: RandomFaces, order: Order | None = None) -> None:
    """Give an order, the standard one by default, or make the roll that a table waits for."""
    table.submit(next_input(table, dice, order))


def next_input(table: Table, dice: RandomFaces, order: Order | None = None) -> Input:
    """Return an order, the standard one by default, or the roll that a table waits for."""
    waits = table.waits_for
    if isinstance(waits, Ask):
        return Answered(waits.question, order or table.rulebook.answer(waits, {}, table.read))
    return Thrown(waits.name, dice.faces(waits))


def at_random(table: Table, faces: RandomFaces, each: int = 2) -> Input:
    """Return a legal order drawn at random, of ``each`` per slot, or the roll that is due."""
    if table.question_due is None:
        return next_input(table, faces)
    orders = table.rulebook.legal(table.question_due, table.read, each=each)
    return next_input(table, faces, orders[faces.below(len(orders))])


def options_of(playthrough: Playthrough) -> list[str]:
    """Return the options of a playthrough as the command line takes them."""
    typed = {True: "yes", False: "no"}
    return [
        part
        for name, value in playthrough.options.items()
        for part in ("--option", f"{name}={typed.get(value, value)}")
    ]
