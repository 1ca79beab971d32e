"""Parts: the base class of a game's five parts, with their steps, questions and modifiers."""

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
"""The five words that name the parts of every game, in order."""


@attrs.frozen(eq=False, repr=False)
class StepDef:
    """A step: its full name (``delays.contact``), the rule cited, its function and a summary."""

    name: str
    cite: str
    run: Callable[..., Effects]
    summary: str = ""

    def __call__(self, chance: Chance, view: View, *args: Any) -> Effects:
        """Run the step and return its effects."""
        return self.run(chance, view, *args)


@attrs.frozen(eq=False, repr=False)
class Modifier:
    """A modifier to a named roll, with the rule cited and a summary.

    ``roll`` is the name of the roll (``maintenance``), with its part if that is another one
    (``delays.maintenance``). ``value(view, *args)`` is called with the arguments of the step that
    rolls and returns 0 if the modifier does not apply.
    """

    roll: str
    cite: str
    summary: str
    value: Callable[..., int]


Alternatives = type | tuple[type, ...]


@attrs.frozen(kw_only=True)
class Keeps:
    """The record classes that a part keeps, by what they belong to.

    ``assets_at`` holds those of an asset at a place, ``ground`` those of a place. Classes in a
    tuple are alternatives: the part keeps the one that is staged.
    """

    assets: tuple[Alternatives, ...] = ()
    units: tuple[Alternatives, ...] = ()
    table: tuple[Alternatives, ...] = ()
    ground: tuple[type, ...] = ()
    assets_at: tuple[type, ...] = ()

    @property
    def records(self) -> tuple[type, ...]:
        """All record classes that the part keeps."""
        entries = (*self.assets, *self.units, *self.table, *self.ground, *self.assets_at)
        return tuple(
            kind for entry in entries for kind in (entry if isinstance(entry, tuple) else (entry,))
        )


@attrs.frozen
class SecretNote:
    """A secret note from before play: the side, the subject (``what``) and the text (``says``)."""

    side: str
    what: str
    says: str


class Part:
    """The base class of the five parts; a game subclasses ``Observers``, ``Requests`` and so on.

    ``cites`` gives the game's rule for each neutral event that the core emits for the part.
    ``publishes`` lists the record classes that other parts may read (``view.peek``), ``keeps``
    those that the part writes; it writes only these and the neutral fields. ``places_apart`` is
    False if a strike on one place affects others (a shared deck, a count, a neighbour): steps are
    then not confined to places, and all places are solved together. ``decks`` gives the chart that
    counts the cards of each deck, ``words`` the sentences of the game.
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
        """Set an attribute.

        Raises ``ProcedureError`` in play, when rules must use records instead.
        """
        if self.__dict__.get("in_play"):
            raise ProcedureError(
                f"{type(self).__name__}.{name} cannot be changed in play: keep it in a record"
            )
        super().__setattr__(name, value)

    def number(self, name: str) -> int:
        """Return a named number of the game (its chart ``numbers``).

        Raises KeyError for an unknown name.
        """
        return int(self.charts["numbers"][name])

    def stage(self, staging: Staging) -> None:
        """Set up the part's share of a neutral engagement (see ``Staging``)."""
        raise NotImplementedError

    def steps(self) -> Mapping[str, StepDef]:
        """Return the part's steps by full name, including those that carry out answers."""
        steps = {}
        for method in self._marked("__fireplan_step__"):
            summary = (method.__doc__ or "").strip().split("\n")[0]
            name = name_of(method)
            steps[name] = StepDef(name, method.__fireplan_step__, method, summary)
        for name, question in self.questions().items():
            summary = (question.offers.__doc__ or "").split("\n")[0]
            steps[name] = StepDef(name, question.cite, question.carry_out, summary)
        return steps

    def questions(self) -> Mapping[str, Question[Any]]:
        """Return the part's questions by full name: the methods marked with ``@orders``."""
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
        """Return the modifiers that the part adds to named rolls."""
        return ()

    # --- positions -------------------------------------------------------------------------------
    def implied(self, view: View, name: str, said: frozenset[str]) -> Effects:
        """Return the updates that follow from the fields a position gives.

        ``said`` holds the names of the fields given for the asset ``name``, or for the ``table``
        (with ``moment`` among them if the position gives the time).
        """
        return Effects()

    def contradictions(self, view: View) -> Iterable[str]:
        """Yield a sentence for each contradiction among the part's own and neutral fields."""
        return ()

    # --- who may know what -----------------------------------------------------------------------
    def hides(self, scenario: Setup, name: str, side: str) -> bool:
        """Return whether an asset or unit is hidden from another side until an event reveals it."""
        return False

    def shows(self, scenario: Setup, event: Event, side: str) -> Event | None:
        """Return the event as a side sees it: the same, another event in its place, or None.

        By default it is None for an event about a hidden asset or unit of another side.
        """
        about = (str(value) for name, value in event.fields if name in ("mission", "unit"))
        others = [name for name in about if scenario.owner(name) not in (None, side)]
        return None if any(self.hides(scenario, name, side) for name in others) else event

    def board(self, view: View, side: str) -> tuple[str | Display, ...]:
        """Return the displays and other facts of this part that a side sees on the table."""
        return ()

    def secret_notes(self, scenario: Setup) -> tuple[SecretNote, ...]:
        """Return the secret notes that the sides wrote before play.

        They are sealed when a table is opened.
        """
        return ()


class Notified(Part):
    """A part that the core notifies when fire ceases or a mission ends."""

    @optional
    def ceased(self, chance: Chance, view: View, mission: str, stage: Stage) -> Effects:
        """Note that fire ceased; ``stage`` is the mission's stage before."""
        return Effects()

    @optional
    def closed(self, chance: Chance, view: View, mission: str) -> Effects:
        """Note that the mission has ended."""
        return Effects()
