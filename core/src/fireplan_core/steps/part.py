"""A part: what a game hands over for one of the five words; its steps, questions and modifiers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar

import attrs

from fireplan_core.chance import Chance
from fireplan_core.displays import Display
from fireplan_core.mission import Stage
from fireplan_core.record import ProcedureError, publish
from fireplan_core.sentences import Sentences
from fireplan_core.setups.setup import Setup
from fireplan_core.setups.staging import Staging
from fireplan_core.steps.effects import Effects, Event, name_of, optional
from fireplan_core.steps.questions import Question, question_of
from fireplan_core.steps.view import View

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
class Modifier:
    """A modifier registered for a named roll (``delays.contact``), with its rule.

    ``roll`` is the name given to the dice (``maintenance``), of the part's own step unless it names another part
    (``delays.maintenance``). ``value(view, *args)`` gets the arguments of the step that rolls; 0: it does not apply.
    """

    roll: str
    cite: str
    summary: str
    value: Callable[..., int]


Alternatives = type | tuple[type, ...]


@attrs.frozen(kw_only=True)
class Keeps:
    """Say which classes of records a part keeps: of assets, units, the table, a place, and of an asset at a place.

    Several in a tuple are alternatives, of which only the one that is staged is kept.
    """

    assets: tuple[Alternatives, ...] = ()
    units: tuple[Alternatives, ...] = ()
    table: tuple[Alternatives, ...] = ()
    ground: tuple[type, ...] = ()
    assets_at: tuple[type, ...] = ()

    @property
    def records(self) -> tuple[type, ...]:
        """Return all of them."""
        found = (*self.assets, *self.units, *self.table, *self.ground, *self.assets_at)
        return tuple(
            kind for some in found for kind in (some if isinstance(some, tuple) else (some,))
        )


@attrs.frozen
class SecretNote:
    """Say what a side wrote down in secret before play: whose it is, what it is about, and what it says, in words."""

    side: str
    what: str
    says: str


class Part:
    """Base of the five parts.

    A game subclasses ``Observers``, ``Requests`` ... and fills in the methods.

    ``cites`` names the game's rule for each neutral event that the core emits on the part's behalf; ``publishes`` the
    record classes that other parts may read (``view.peek``), ``keeps`` all those that it writes. A part writes its own
    slots and the neutral fields only.
    ``places_apart`` is False where strikes on one place concern more than it (a shared deck, a count, a neighbour):
    then no step is held to its place, and all places are solved together.
    ``decks`` are the decks that it draws from by name, each with the chart that counts its cards by kind; ``words`` are
    the sentences of its game.
    """

    word: ClassVar[str]
    cites: ClassVar[Mapping[str, str]] = {}
    publishes: ClassVar[tuple[type, ...]] = ()
    places_apart: ClassVar[bool] = True
    keeps: ClassVar[Keeps] = Keeps()
    decks: ClassVar[Mapping[str, str]] = {}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        publish(cls.publishes)

    def __init__(self, game: str, options: Mapping[str, Any], charts: Mapping[str, Any]) -> None:
        self.game = game
        self.options = options
        self.charts = charts
        self.words = Sentences()

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse an attribute that is changed in play: whatever rules remember is kept in a record of the state."""
        if self.__dict__.get("in_play"):
            raise ProcedureError(
                f"{type(self).__name__}.{name} cannot be changed in play: keep it in a record"
            )
        super().__setattr__(name, value)

    def number(self, name: str) -> int:
        """Return a named number of the game (its chart ``numbers``).

        KeyError if there is none of that name.
        """
        return int(self.charts["numbers"][name])

    def stage(self, staging: Staging) -> None:
        """Set up this part's side of a neutral engagement (see ``Staging``)."""
        raise NotImplementedError

    def steps(self) -> Mapping[str, StepDef]:
        """Return all methods marked with ``@step``, and what carries out the answer to each question, by full name."""
        found = {}
        for method in self._marked("__fireplan_step__"):
            summary = (method.__doc__ or "").strip().split("\n")[0]
            name = name_of(method)
            found[name] = StepDef(name, method.__fireplan_step__, method, summary)
        for name, asked in self.questions().items():
            summary = (asked.offers.__doc__ or "").split("\n")[0]
            found[name] = StepDef(name, asked.cite, asked.carry_out, summary)
        return found

    def questions(self) -> Mapping[str, Question[Any]]:
        """Return the questions this part asks (methods marked with ``@orders``), by full name."""
        mark = "__fireplan_question__"
        named = {name_of(method, mark): method for method in self._marked(mark)}
        return {name: question_of(method, name, self.words) for name, method in named.items()}

    def _marked(self, mark: str) -> list[Any]:
        names = [
            name
            for name in dir(type(self))
            if getattr(getattr(type(self), name, None), mark, None) is not None
        ]
        return [getattr(self, name) for name in names]

    def modifiers(self) -> tuple[Modifier, ...]:
        """Return the modifiers this part contributes to named rolls."""
        return ()

    # --- positions -------------------------------------------------------------------------------
    def implied(self, view: View, name: str, said: frozenset[str]) -> Effects:
        """Return what follows for neutral and own fields from what a player says of a position, as updates alone.

        ``said`` are the names of the fields that he gave of an asset ``name``; of ``table`` with ``moment`` among them
        where he said what time it is.
        """
        return Effects()

    def contradictions(self, view: View) -> Iterable[str]:
        """Yield what cannot be so at a table, of this part's own fields together and with the neutral ones."""
        return ()

    # --- who may know what -----------------------------------------------------------------------
    def hides(self, scenario: Setup, name: str, side: str) -> bool:
        """Return whether an asset or a unit is kept from a side that does not own it until an event shows it."""
        return False

    def shows(self, scenario: Setup, event: Event, side: str) -> Event | None:
        """Return what a side learns of an event: all of it, another event in its place, or nothing.

        By default nothing of an event that is about a hidden asset or unit of another side.
        """
        about = (str(value) for name, value in event.fields if name in ("mission", "unit"))
        others = [name for name in about if scenario.owner(name) not in (None, side)]
        return None if any(self.hides(scenario, name, side) for name in others) else event

    def board(self, view: View, side: str) -> tuple[str | Display, ...]:
        """Return what else of this part lies on the table as a side sees it: displays, the rest in words."""
        return ()

    def secret_notes(self, scenario: Setup) -> tuple[SecretNote, ...]:
        """Return what the sides wrote down in secret before play.

        It is sealed when a table is opened.
        """
        return ()


class Notified(Part):
    """A part that is told how its missions go on: every one but observers and resolution."""

    @optional
    def ceased(self, chance: Chance, view: View, mission: str, stage: Stage) -> Effects:
        """Note that fire ceased in that stage."""
        return Effects()

    @optional
    def closed(self, chance: Chance, view: View, mission: str) -> Effects:
        """Note that the mission has ended."""
        return Effects()
