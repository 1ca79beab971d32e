"""Two tables that differ in a secret of one side: nobody else can tell them apart."""

from __future__ import annotations

import os
import random
from collections import Counter
from pathlib import Path

from oracle import BrokenError
from shown import Kept, Screens
from tables import give

from fireplan.table import Head, JournalRow, Session, sides_of
from fireplan_core import Ask, Order, Refusal
from fireplan_core.play import Catalogue

SECOND_THOUGHTS = 0.5
"""Chance that a side takes back a secret order and then gives it or another one."""


_screens: list[Screens] = []


def screens(installed: Catalogue) -> Screens:
    """Return this process's ``Screens``, made once."""
    if not _screens:
        own = Path(os.environ["RELIABILITY_FOLDER"], str(os.getpid()))  # one for each process
        own.mkdir(exist_ok=True)
        _screens.append(Screens(own, installed))
    return _screens[0]


def secret_pair(session: Session, dice: random.Random) -> tuple[Order, Order] | None:
    """Return two legal orders of a verb whose values are all secret, or None if there are none."""
    waits = session.table.waits_for
    if not isinstance(waits, Ask) or not session.scenario.questions[waits.question].secret:
        return None
    rulebook = session.table.rulebook
    forms = rulebook.question(waits).offers(rulebook.view(waits, session.table.read), *waits.args)
    for form in forms:
        names = [slot.name for slot in form.slots]
        if not names or not all(slot.secret for slot in form.slots):
            continue
        tried = [
            Order.of(
                form.verb, **{slot.name: dice.choice(tuple(slot.candidates)) for slot in form.slots}
            )
            for _ in range(20)
        ]
        legal = [
            order
            for order in dict.fromkeys(tried)
            if rulebook.refuse(waits, order, session.table.read) is None
        ]
        if len(legal) > 1:
            one, other = legal[:2]
            return one, other
    return None


def apart_from(
    installed: Catalogue,
    head: Head,
    rows: list[JournalRow],
    dice: random.Random,
    found: Counter[str],
) -> bool:
    """Play two tables that differ in one secret order; return False if there is no such order."""
    made = [screens(installed).begin(head) for _ in range(2)]
    try:
        for kept in made:
            for row in rows:
                kept.session.journal.append(row)
                kept.session.take(row)
        one, other = (kept.session for kept in made)
        pair = secret_pair(one, dice)
        if pair is None:
            return False
        who = one.table.waits_for.who
        again = [dice.random() < SECOND_THOUGHTS for _ in pair]
        for session, order, twice in zip((one, other), pair, again, strict=True):
            if twice:
                give(session, pair[0])
                session.undo()
            give(session, order)
        # A take-back is announced, but not what was taken back, nor how often.
        if again[0] == again[1]:
            tables, what = (made[0], made[1]), f"{pair[0]} and {pair[1]}"
            agree(tables, who, found, what, everything=True)
            follow(tables, who, dice, found, what)
        return True
    finally:
        closed(made)


def closed(made: list[Kept]) -> None:
    """Close the journals of tables and delete them."""
    for kept in made:
        path = kept.session.journal.path
        kept.session.journal.close()
        for file in path.parent.glob(f"{path.name}*"):
            file.unlink()


def agree(
    tables: tuple[Kept, Kept], who: str, found: Counter[str], what: str, *, everything: bool = False
) -> None:
    """Check that both tables look the same to every other side.

    With ``everything``, pages are compared too, which is slow.
    """
    for side in sides_of(tables[0].session.scenario):
        if side != who:
            show = _screens[0].shown
            first, second = (show(kept, side, pages=everything) for kept in tables)
            for where in first:
                one, other = first[where], second[where]
                if one != other:
                    pairs = enumerate(zip(one, other, strict=False))
                    at = next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))
                    raise BrokenError(
                        f"{side} can tell {what} of {who} apart ({where}): {one[at - 80 : at + 80]!r}"
                    )
            found["pairs of views"] += 1


def asked(session: Session) -> tuple[str, str] | None:
    """Return the side that is asked and the question, or None at a throw and at the end."""
    waits = session.table.waits_for
    return (waits.who, waits.question) if isinstance(waits, Ask) else None


def follow(
    tables: tuple[Kept, Kept], who: str, dice: random.Random, found: Counter[str], what: str
) -> None:
    """Give both tables the same orders until the next throw, or until their questions differ.

    In the moment of the secret order even a different question would reveal it. Later, questions
    may differ: a side whose stack of chits arrives is asked for its markers, and everybody at the
    table sees which side is asked.
    """
    one, other = (kept.session for kept in tables)
    begun = one.table.state.moment
    for _ in range(8):
        waits, also = one.table.waits_for, other.table.waits_for
        if not isinstance(waits, Ask) or not isinstance(also, Ask):
            return
        if asked(one) != asked(other):
            return
        orders = set(one.table.rulebook.legal(waits, one.table.read)) & set(
            other.table.rulebook.legal(also, other.table.read)
        )
        if not orders:
            return
        order = dice.choice(sorted(orders, key=str))
        if isinstance(one.order(order), Refusal) or isinstance(other.order(order), Refusal):
            raise BrokenError(f"{order} is legal at one of two tables")
        later = begun not in (one.table.state.moment, other.table.state.moment)
        if later and asked(one) != asked(other):
            return
        agree(tables, who, found, f"{what}, then {order}")
