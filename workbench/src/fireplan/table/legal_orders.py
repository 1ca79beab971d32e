"""The orders on offer for a question, and the legal ones, trying every place on the map."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, product
from math import prod
from typing import Any

import attrs

from fireplan.table.words import Words
from fireplan_core import Ask, Order, Refusal, Slot, View
from fireplan_core.mission import Sight
from fireplan_core.play import Table
from fireplan_core.space import Frame, Place, is_place

MOST_CANDIDATES = 12
"""Maximum number of candidates of each form that are checked to list legal orders."""


class Judging(View):
    """A view of a state for many judgements: it caches lines of sight and records values read.

    ``word`` names the part whose view it is. The lines of sight of ``last``, an earlier view, are
    reused if every value that it read is the same in this state.
    """

    __slots__ = ("reads", "sights")
    reads: dict[tuple[str, Any], Any]
    sights: dict[tuple[str, Place], Sight]

    def __init__(self, table: Table, word: str, last: Judging | None = None) -> None:
        values, reads = table.state.values, dict[tuple[str, Any], Any]()
        sights = dict[tuple[str, Place], Sight]()
        if last is not None and all(values.get(*key) == seen for key, seen in last.reads.items()):
            reads |= last.reads
            sights |= last.sights

        def read(key: str, default: Any) -> Any:
            if (key, default) not in reads:
                reads[key, default] = values.get(key, default)
            return reads[key, default]

        super().__init__(read, table.scenario, word)
        self.reads = reads
        self.sights = sights

    def sees(self, mission: str, place: Place) -> Sight:
        """Return the line of sight from the mission's observer to a place."""
        key = mission, place
        if key not in self.sights:
            self.sights[key] = super().sees(mission, place)
        return self.sights[key]


def offered(table: Table, most: int = MOST_CANDIDATES) -> list[tuple[Order, Refusal | None]]:
    """Return the orders on offer as (order, refusal), with the refusal None for a legal order.

    At most ``most`` orders of each form are returned, and none if no question is pending.
    """
    waits = table.question_due
    if waits is None:
        return []
    return [
        (order, table.rulebook.refuse(waits, order, table.read))
        for form in table.rulebook.forms(waits, table.read)
        for order in islice(form.orders(), most)
    ]


@attrs.frozen(eq=False, repr=False)
class LegalForm:
    """A form of order with its legal orders.

    If not ``complete``, only the values offered were judged.
    """

    verb: str
    cite: str
    summary: str
    orders: tuple[Order, ...]
    complete: bool
    words: Words

    def __str__(self) -> str:
        """Return the verb, the number of its legal orders, and the rule."""
        more = "" if self.complete else " or more"
        return f"{self.verb}: {len(self.orders):,}{more} legal ({self.cite})"

    __repr__ = __str__

    def values(self, slot: str) -> frozenset[Any]:
        """Return every value of a slot among the legal orders, in words; places are labels."""
        return frozenset(self.words.typed.value(order[slot], slot) for order in self.orders)


def judged(
    table: Table, ask: Ask, view: View, most: int, places: Sequence[Place] | None = None
) -> Iterator[LegalForm]:
    """Yield each form of a question with its legal orders.

    Every place on the map is tried, or only those in ``places``. For a form with more than ``most``
    combinations, only the values offered are judged.
    """
    places = table.scenario.frame.places() if places is None else places
    question, words = table.rulebook.question(ask), Words(table.scenario)
    for form in question.offers(view, *ask.args):
        domains = [_domain(table.scenario.frame, places, slot) for slot in form.slots]
        complete = (
            all(whole for _, whole in domains)
            and prod(len(values) for values, _ in domains) <= most
        )
        orders = (
            map(form.order, product(*(values for values, _ in domains)))
            if complete
            else form.orders()
        )
        legal = tuple(order for order in orders if not isinstance(form.judge(order), Refusal))
        yield LegalForm(form.verb, form.cite, form.summary, legal, complete, words)


def _domain(frame: Frame, places: Sequence[Place], slot: Slot) -> tuple[tuple[Any, ...], bool]:
    """Return the values of a slot that may be legal, and whether the list is complete.

    For a slot that takes a place, the list has all ``places`` of the same shape as its candidates.
    It is incomplete if the slot is free and its values have several parts, such as units that fire
    together.
    """
    samples = {len(value): value for value in slot.candidates if isinstance(value, tuple)}.values()
    kinds = {len(value) for value in samples if is_place(frame, value)}
    if not kinds:
        return slot.candidates, not (slot.free and samples)
    candidates = [place for place in places if len(place) in kinds]
    return tuple(dict.fromkeys((*candidates, *slot.candidates))), bool(candidates)
