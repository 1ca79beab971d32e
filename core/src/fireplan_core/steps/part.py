"""A part: what a game hands over for one of the five words; its steps, questions and modifiers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from fireplan_core.chance import Chance
from fireplan_core.steps.effects import Effects, Event, Form, Order, Refusal
from fireplan_core.steps.view import View

if TYPE_CHECKING:
    from fireplan_core.play.scenario import Scenario
    from fireplan_core.scenario.staging import Staging

WORDS = ("observers", "requests", "delays", "areas", "resolution")
"""The five words that are the architecture."""


@attrs.frozen(eq=False, repr=False)
class StepDef:
    """A step with its full name (``delays.contact``), the rule it carries out, and its code."""

    name: str
    cite: str
    run: Callable[..., Effects]
    summary: str = ""

    def __call__(self, chance: Chance, view: View, *args: Any) -> Effects:
        """Run it."""
        return self.run(chance, view, *args)


@attrs.frozen(eq=False, repr=False)
class Question:
    """A question to a side: the order forms on offer, the one judge of orders, and the standard answer.

    ``offers(view, *args)`` gives forms with candidate values; ``refuse(view, order, *args)`` gives a
    ``Refusal`` or None (no objection); ``standard(view, *args)`` is the part's own doctrine. Of a ``secret``
    question other sides learn nothing, not even that it is asked; of its answer, what events tell.
    """

    offers: Callable[..., tuple[Form, ...]]
    refuse: Callable[..., Refusal | None]
    standard: Callable[..., Order]
    secret: bool = False


def no_objection(_view: View, _order: Order, *_args: Any) -> None:
    """The judge of a question whose offered orders are all legal."""


@attrs.frozen(eq=False, repr=False)
class Modifier:
    """A modifier registered for a named roll (``delays.contact``), with its rule.

    ``value(view, *args)`` gets the arguments of the step that rolls; 0 means it does not apply.
    """

    roll: str
    cite: str
    summary: str
    value: Callable[..., int]


@attrs.frozen
class Record:
    """What a side wrote down in secret before play: whose it is, what it is about, and what it says, in words."""

    side: str
    what: str
    says: str


class Part:
    """Base of the five parts. A game subclasses ``Observers``, ``Requests`` ... and fills in the methods.

    ``cites`` names the game's rule for each neutral event that the core tells on the part's behalf.
    """

    word: ClassVar[str]
    cites: ClassVar[Mapping[str, str]] = {}

    def __init__(self, game: str, options: Mapping[str, Any], charts: Mapping[str, Any]) -> None:
        self.game = game
        self.options = options
        self.charts = charts

    def number(self, name: str) -> int:
        """A named number of the game (its chart ``numbers``); KeyError if there is none of that name."""
        return int(self.charts["numbers"][name])

    def stage(self, staging: Staging) -> None:
        """Set up this part's side of a neutral engagement (see ``Staging``)."""
        raise NotImplementedError

    def steps(self) -> Mapping[str, StepDef]:
        """All methods marked with ``@step``, by full name."""
        found = {}
        for name in dir(type(self)):
            method = getattr(type(self), name, None)
            cite = getattr(method, "__fireplan_step__", None)
            if cite is not None:
                summary = (getattr(method, "__doc__", "") or "").strip().split("\n")[0]
                full = f"{self.word}.{name}"
                found[full] = StepDef(full, cite, getattr(self, name), summary)
        return found

    def questions(self) -> Mapping[str, Question]:
        """The questions this part asks, by short name (``order`` becomes ``requests.order``)."""
        return {}

    def modifiers(self) -> tuple[Modifier, ...]:
        """The modifiers this part contributes to named rolls."""
        return ()

    # --- who may know what -----------------------------------------------------------------------
    def hides(self, scenario: Scenario, name: str, side: str) -> bool:  # noqa: ARG002
        """Whether an asset or a unit, by its id, is kept from a side that does not own it, until an event shows it."""
        return False

    def shows(self, scenario: Scenario, event: Event, side: str) -> Event | None:
        """What a side learns of an event: all of it, another event in its place, or nothing.

        By default nothing of an event that is about a hidden asset or unit of another side.
        """
        about = (str(value) for name, value in event.fields if name in ("mission", "unit"))
        others = [name for name in about if scenario.owner(name) not in (None, side)]
        return None if any(self.hides(scenario, name, side) for name in others) else event

    def board(self, view: View, side: str) -> tuple[str, ...]:  # noqa: ARG002
        """What else of this part lies on the table, in words, as a side sees it."""
        return ()

    def records(self, scenario: Scenario) -> tuple[Record, ...]:  # noqa: ARG002
        """What the sides wrote down in secret before play; it is sealed when a table is opened."""
        return ()
