"""The base class of a game's five parts, with their steps, questions and modifiers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar

import attrs

from fireplan_core.chance import Chance, Face
from fireplan_core.displays import Display
from fireplan_core.mission import Stage
from fireplan_core.record import ProcedureError, publish
from fireplan_core.sentences import Sentences
from fireplan_core.setups.setup import CardFace, Setup
from fireplan_core.setups.staging import Staging
from fireplan_core.steps.effects import Effects, Event, optional, step_name
from fireplan_core.steps.queries import Query, queries_of
from fireplan_core.steps.questions import OrderQuestion, question_of
from fireplan_core.steps.view import View

WORDS = ("observers", "requests", "delays", "areas", "resolution")
"""The words for the five parts of every game, in order."""


@attrs.frozen(eq=False, repr=False)
class StepDef:
    """A step's definition: full name (``delays.contact``), rule cited, function and summary.

    >>> import attrs
    >>> radio = StepDef("delays.radio", "2.1", lambda chance, view, mission: Effects())
    >>> attrs.evolve(radio, cite="house rule").name
    'delays.radio'
    """

    name: str
    cite: str
    run: Callable[..., Effects]
    summary: str = ""

    def __call__(self, chance: Chance, view: View, *args: Any) -> Effects:
        """Run the step's function and return its effects."""
        return self.run(chance, view, *args)


@attrs.frozen(eq=False, repr=False)
class Modifier:
    """A modifier to a named roll, with the rule cited and a summary.

    ``roll`` is the name of the roll (``maintenance``), preceded by the part if the roll belongs to
    another part (``delays.maintenance``). ``value(view, *args)`` receives the arguments of the step
    that rolls, and returns 0 if the modifier does not apply.

    >>> night = Modifier("delays.relay", "2.3", "at night", lambda view, mission: -1)
    >>> night.roll
    'delays.relay'
    """

    roll: str
    cite: str
    summary: str
    value: Callable[..., int]


Alternatives = type | tuple[type, ...]


@attrs.frozen(kw_only=True)
class Keeps:
    """The record classes that a part keeps, grouped by the objects that they describe.

    ``assets_at`` contains records for an asset at a place, ``ground`` records for a place. Classes
    in a tuple are alternatives: the part keeps whichever class was staged.

    >>> @record
    ... class Radio:
    ...     contact: bool = kept(False, "whether there is radio contact", "2.1")
    >>> [kind.__name__ for kind in Keeps(assets=(Radio,)).records]
    ['Radio']
    """

    assets: tuple[Alternatives, ...] = ()
    units: tuple[Alternatives, ...] = ()
    table: tuple[Alternatives, ...] = ()
    ground: tuple[type, ...] = ()
    assets_at: tuple[type, ...] = ()

    @property
    def records(self) -> tuple[type, ...]:
        """All record classes that the part keeps, including all alternatives."""
        entries = (*self.assets, *self.units, *self.table, *self.ground, *self.assets_at)
        return tuple(
            kind for entry in entries for kind in (entry if isinstance(entry, tuple) else (entry,))
        )


@attrs.frozen
class SecretNote:
    """A secret note from before play: the side, the subject (``what``) and the text (``says``).

    >>> SecretNote("german", "target hex", says="K5")
    SecretNote(side='german', what='target hex', says='K5')
    """

    side: str
    what: str
    says: str


class Part:
    """The base class of the five parts; a game subclasses ``Observers``, ``Requests`` and so on.

    ``cites`` maps each neutral event that the core emits for the part to the game's rule.
    ``publishes`` lists the record classes that other parts may read (``view.peek``). ``keeps``
    lists the record classes that the part writes; it writes only these and the neutral fields.
    ``places_apart`` is False if a strike on one place affects other places (by a shared deck, a
    count, a neighbour). Steps are then not confined to places, and all places are solved together.
    ``decks`` maps each deck to the chart that counts its cards, and ``printed`` maps decks to the
    printed faces of their cards. ``reveals`` lists the kinds of events that reveal a secret by
    rule. ``words`` contains the game's sentences.
    """

    word: ClassVar[str]
    cites: ClassVar[Mapping[str, str]] = {}
    publishes: ClassVar[tuple[type, ...]] = ()
    places_apart: ClassVar[bool] = True
    keeps: ClassVar[Keeps] = Keeps()
    decks: ClassVar[Mapping[str, str]] = {}
    printed: ClassVar[Mapping[str, Mapping[Face, CardFace]]] = {}
    reveals: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        publish(cls.publishes)

    def __init__(self, game: str, options: Mapping[str, Any], charts: Mapping[str, Any]) -> None:
        self.game = game
        self.options = options
        self.charts = charts
        self.words = Sentences()

    def __setattr__(self, name: str, value: object) -> None:
        """Set an attribute while the table is being set up.

        Raises ``ProcedureError`` in play, when rules must use records instead.
        """
        if self.__dict__.get("in_play"):
            raise ProcedureError(
                f"{type(self).__name__}.{name} cannot be changed in play: keep it in a record"
            )
        super().__setattr__(name, value)

    def number(self, name: str) -> int:
        """Return a named number of the game, from its chart ``numbers``.

        Raises KeyError for an unknown name.
        """
        return int(self.charts["numbers"][name])

    def stage(self, staging: Staging) -> None:
        """Set up the part's share of a neutral engagement (see ``Staging``).

        A scenario file is staged by its form instead. For a plain file, the form calls
        ``stage_mission`` of ready parts, and a battery's facts, such as ``night``, are those of
        the file.
        """
        raise NotImplementedError

    def steps(self) -> Mapping[str, StepDef]:
        """Return the part's steps by full name, including the steps that carry out answers."""
        steps = {}
        for method in self._marked("__fireplan_step__"):
            summary = (method.__doc__ or "").strip().split("\n")[0]
            name = step_name(method)
            steps[name] = StepDef(name, method.__fireplan_step__, method, summary)
        for name, question in self.questions().items():
            summary = (question.offers.__doc__ or "").split("\n")[0]
            steps[name] = StepDef(name, question.cite, question.carry_out, summary)
        return steps

    def questions(self) -> Mapping[str, OrderQuestion[Any]]:
        """Return the part's questions by full name, from the methods marked with ``@orders``."""
        mark = "__fireplan_question__"
        named = {step_name(method, mark): method for method in self._marked(mark)}
        return {name: question_of(method, name, self.words) for name, method in named.items()}

    def queries(self) -> Mapping[str, Query]:
        """Return the part's queries by name, from the methods marked with ``@query``."""
        return queries_of(self, self.cites)

    def _marked(self, mark: str) -> list[Any]:
        kind = type(self)
        names = {
            name
            for base in kind.__mro__
            for name, method in vars(base).items()
            if hasattr(method, mark)
        }
        inherited = (name for name in sorted(names) if hasattr(getattr(kind, name), mark))
        return [getattr(self, name) for name in inherited]

    def modifiers(self) -> tuple[Modifier, ...]:
        """Return the modifiers to named rolls that the part provides; none by default."""
        return ()

    # --- positions -------------------------------------------------------------------------------
    def implied(self, view: View, name: str, fields: frozenset[str]) -> Effects:
        """Return the updates implied by the fields that a position gives.

        ``fields`` contains the names of the fields given for the asset ``name``, or for the
        ``table`` (including ``moment`` if the position gives the time).
        """
        return Effects()

    def contradictions(self, view: View) -> Iterable[str]:
        """Yield a sentence for each contradiction among the part's own and the neutral fields.

        A position with a contradiction is refused, and play must never reach one.
        """
        return ()

    def unfinished(self, view: View) -> Iterable[str]:
        """Yield a sentence for each contradiction between fields at the end of a moment.

        While a moment is being played, these fields may contradict each other.
        """
        return ()

    # --- secrets ---------------------------------------------------------------------------------
    def hides(self, scenario: Setup, name: str, side: str) -> bool:
        """Return whether an asset or unit is hidden from another side until an event reveals it.

        ``scenario.owner(name)`` is the side that owns it.
        """
        return False

    def shows(self, scenario: Setup, event: Event, side: str) -> Event | None:
        """Return the event as a side sees it: unchanged, replaced with another event, or None.

        By default it is None for an event about a hidden asset or unit of another side. For an
        event of a mission, ``scenario.owner(event["mission"])`` is the side that owns its asset.
        """
        about = (str(value) for name, value in event.fields if name in ("mission", "unit"))
        others = [name for name in about if scenario.owner(name) not in (None, side)]
        return None if any(self.hides(scenario, name, side) for name in others) else event

    def board(self, view: View, side: str) -> tuple[str | Display, ...]:
        """Return this part's displays and other facts on the table that a side can see."""
        return ()

    def secret_notes(self, scenario: Setup) -> tuple[SecretNote, ...]:
        """Return the secret notes that the sides wrote before play.

        Opening a table seals them.
        """
        return ()


class Notified(Part):
    """A part that the core notifies when fire ceases and when a mission ends."""

    @optional
    def ceased(self, chance: Chance, view: View, mission: str, stage: Stage) -> Effects:
        """Change the part's state when fire ceases; by default nothing changes.

        ``stage`` is the mission's stage before its fire ceased.
        """
        return Effects()

    @optional
    def closed(self, chance: Chance, view: View, mission: str) -> Effects:
        """Change the part's state when a mission ends; by default nothing changes."""
        return Effects()
