"""Scenarios ready to play, the rulebook that runs their steps, and the states of play."""

from __future__ import annotations

import pickle
from collections.abc import Callable, ItemsView, Iterator, Mapping, Sequence
from contextvars import ContextVar
from functools import cached_property
from typing import Any, Protocol

import attrs

from fireplan_core.chance import Applied, Chance, explore
from fireplan_core.five_parts import Parts
from fireplan_core.mission import MISSION_EVENTS, REFEREE
from fireplan_core.record import ProcedureError, Read, assumed
from fireplan_core.sentences import Sentences
from fireplan_core.setups.setup import Setup
from fireplan_core.steps.effects import Agenda, Ask, Effects, Event, Pending, Step
from fireplan_core.steps.part import Modifier, StepDef
from fireplan_core.steps.questions import Form, Order, OrderQuestion, Refusal, form_of
from fireplan_core.steps.view import View

NO_GAME = frozenset(("", "abc", "builtins", "fireplan", "fireplan_core", "typing", "__main__"))
"""Packages that belong to no game; ``__main__`` is an interactive session."""
USED_PACKAGES: ContextVar[set[str] | None] = ContextVar("USED_PACKAGES", default=None)
"""Collects the packages of all scenarios whose rules are run in this context."""
Doctrine = Mapping[str, Callable[..., Order]]


class StandingOrders(Protocol):
    """Orders given in advance, which take the place of the parts' standard answers."""

    def order(self, ask: Ask, read: Read) -> Order | None:
        """Return the order that answers a question, or None for the part's standard answer."""

    def noted(self, ask: Ask, order: Order, read: Read) -> tuple[tuple[str, Any], ...]:
        """Return (key, value) pairs to set in the state, which record that this order was given."""


@attrs.frozen(cache_hash=True)
class StepOutcome:
    """The outcome of a step: values to update, steps and questions to push, events to emit.

    The first entry of ``pushes`` runs first.
    """

    updates: tuple[tuple[str, Any], ...]
    pushes: Agenda
    events: tuple[Event, ...]


class Rulebook:
    """The rulebook of a scenario, which runs its steps, questions and modifiers."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        if (used := USED_PACKAGES.get()) is not None:
            used.update(scenario.packages)
        self._scopes: dict[str, str] = {}
        self._modifiers: dict[str, list[Any]] = {}
        for modifier in scenario.modifiers:
            self._modifiers.setdefault(modifier.roll, []).append(modifier)

    def __reduce__(self) -> tuple[type[Rulebook], tuple[Scenario]]:
        return Rulebook, (self.scenario,)

    def run(
        self,
        step: Step,
        chance_of: Callable[[Callable[[str], Sequence[Applied]]], Chance],
        read: Read,
    ) -> StepOutcome:
        """Run a step with the ``Chance`` from ``chance_of(modifiers)``, and return its outcome."""
        chance = chance_of(self.modifiers_for(step, read))
        return self.perform(step, chance, read)

    def modifiers_for(self, step: Step, read: Read) -> Callable[[str], Sequence[Applied]]:
        """Return a function from the name of a roll in this step to the modifiers that apply.

        The function is for one state: it computes each modifier once for all branches of the step.
        """
        word, read = step.name.partition(".")[0], self._confined(step, read)
        applied: dict[str, Sequence[Applied]] = {}

        def applying(roll: str) -> Sequence[Applied]:
            name = f"{word}.{roll}"
            if name not in applied:
                applied[name] = [
                    Applied(
                        name,
                        modifier.value(View(read, self.scenario, word), *step.args),
                        modifier.cite,
                        modifier.summary,
                    )
                    for modifier in self._modifiers.get(name, ())
                ]
            return applied[name]

        return applying

    def perform(self, step: Step, chance: Chance, read: Read) -> StepOutcome:
        """Run a step with a given ``Chance``, and return its outcome.

        Raises ``ProcedureError`` for an unknown step, or for a step that does not return
        ``Effects``.
        """
        definition = self.scenario.steps.get(step.name)
        if definition is None:
            raise ProcedureError(f"no part of this table has the step {step.name!r}")
        word = step.name.partition(".")[0]
        try:
            effects = definition(
                chance, View(self._confined(step, read), self.scenario, word), *step.args
            )
        except Exception as error:
            error.add_note(f"in step {step} ({definition.cite or 'core'})")
            raise
        if type(effects) is not Effects:
            raise ProcedureError(f"step {step} returned {effects!r}, not Effects")
        modifiers = tuple(
            Event(
                "modifier",
                entry.cite,
                (("roll", entry.roll), ("value", entry.value), ("summary", entry.summary)),
            )
            for entry in chance.applied
        )
        return StepOutcome(effects.updates, self._scoped(step, effects), modifiers + effects.events)

    # --- steps confined to a place ---------------------------------------------------------------
    def _confined(self, pending: Pending, read: Read) -> Read:
        """Return ``read``, guarded if the step or question is confined to a place.

        The guarded function raises ``ProcedureError`` for a key that belongs to another place.
        """
        if not pending.scope or not self.scenario.places_apart:
            return read

        def inside(key: str, default: Any) -> Any:
            if self._scope_of(key) not in ("", pending.scope):
                raise _outside(pending, f"reads {key}")
            return read(key, default)

        return inside

    def _scope_of(self, key: str) -> str:
        if key not in self._scopes:
            self._scopes[key] = self.scenario.scope_of(key)
        return self._scopes[key]

    def _scoped(self, step: Step, effects: Effects) -> Agenda:
        """Return the entries that a step pushes, with the scope of the step.

        Raises ``ProcedureError`` if a confined step affects anything beyond its place, or if a
        pushed entry is confined to a place that is not its second argument.
        """
        if not step.scope:
            if self.scenario.places_apart:
                for pending in effects.pushes:
                    if pending.scope and pending.scope not in map(self._place, pending.args[1:2]):
                        raise ProcedureError(
                            f"{step} confines {pending} to {pending.scope}: its first arguments must be a mission and that place"
                        )
            return effects.pushes
        if self.scenario.places_apart:
            self._refuse_beyond(step, effects)
        # Steps that a confined step pushes are confined to the same place.
        return tuple(p if p.scope else attrs.evolve(p, scope=step.scope) for p in effects.pushes)

    def _refuse_beyond(self, step: Step, effects: Effects) -> None:
        """Raise ``ProcedureError`` if a confined step affects anything beyond its place."""
        for key, _ in effects.updates:
            if self._scope_of(key) != step.scope:
                raise _outside(step, f"writes {key}")
        for event in effects.events:
            if event.kind in MISSION_EVENTS:
                raise _outside(step, f"emits {event.kind!r}, an event of the mission")
            if (
                event.kind == "suffered"
                and self._scope_of(f"units/{event['unit']}/place") != step.scope
            ):
                raise _outside(step, f"emits 'suffered' for {event['unit']}")
        for pending in effects.pushes:
            if pending.scope not in ("", step.scope):
                raise _outside(step, f"pushes {pending} for {pending.scope}")

    def _place(self, place: Any) -> str:
        try:
            return self.scenario.scope(place)
        except (ValueError, TypeError, KeyError, IndexError):
            return "no place"

    def branches(self, step: Step, read: Read) -> list[tuple[int, int, StepOutcome, Chance]]:
        """Return each branch of a step as weight, total of all weights, outcome and ``Chance``."""
        return explore(
            lambda chance: self.perform(step, chance, read), self.modifiers_for(step, read)
        )

    # --- questions -------------------------------------------------------------------------------
    def question(self, ask: Ask) -> OrderQuestion[Any]:
        """Return the question that is asked; raises ``ProcedureError`` if no part has it."""
        question = self.scenario.questions.get(ask.question)
        if question is None:
            raise ProcedureError(f"no part of this table has the question {ask.question!r}")
        return question

    def view(self, ask: Ask, read: Read) -> View:
        """Return the view through which the part that asks a question reads the state."""
        return View(self._confined(ask, read), self.scenario, ask.question.partition(".")[0])

    def forms(self, ask: Ask, read: Read) -> Sequence[Form]:
        """Return the forms of the orders that may answer a question."""
        question = self.question(ask)
        try:
            return tuple(question.offers(self.view(ask, read), *ask.args))
        except Exception as error:
            args = ", ".join(map(str, ask.args))
            error.add_note(f"in question {ask.question}({args}) ({question.cite})")
            raise

    def refuse(self, ask: Ask, order: Order, read: Read) -> Refusal | None:
        """Return the refusal of an order, or None if the order may be given now.

        An unknown verb or slot is also refused, without raising an error.
        """
        by = ask.question.partition(".")[0]
        forms = self.forms(ask, read)
        form = form_of(order.verb, forms)
        if form is None:
            verbs = ", ".join(form.verb for form in forms)
            cite = forms[0].cite if forms else self.scenario.parts.requests.cites["requested"]
            return Refusal(cite, f"{order.verb!r} is not an order here; possible: {verbs}", by)
        verdict = _incomplete(form, order) or form.judge(order)
        return attrs.evolve(verdict, by=by) if isinstance(verdict, Refusal) else None

    def legal(self, ask: Ask, read: Read, *, each: int = 4) -> tuple[Order, ...]:
        """Return orders that would be accepted now, at most ``each`` for every form.

        The standard order comes first. Within a form, the standard order's values are tried before
        other candidates. Raises ``ProcedureError`` if every order is refused.
        """
        standard = self.answer(ask, {}, read)
        legal_orders = [standard] if self.refuse(ask, standard, read) is None else []
        for form in self.forms(ask, read):
            accepted = sum(order.verb == form.verb for order in legal_orders)
            for order in form.orders(like=standard):
                if accepted >= each:
                    break
                if order not in legal_orders and not isinstance(form.judge(order), Refusal):
                    legal_orders.append(order)
                    accepted += 1
        if not legal_orders:
            raise ProcedureError(f"every order to {ask.question} is refused: a dead end")
        return tuple(legal_orders)

    def answer(self, ask: Ask, doctrine: Doctrine, read: Read) -> Order:
        """Return the answer of the doctrine, or else of the standing orders, or else of the part.

        The doctrine maps the names of questions to functions, which return an order for a view and
        the question's arguments.
        """
        view = self.view(ask, read)
        rule, standing = doctrine.get(ask.question), self.scenario.standing
        if rule is None and standing is not None:
            order = standing.order(ask, self._confined(ask, read))
            if order is not None:
                return order
        return (rule or self.question(ask).standard)(view, *ask.args)

    @staticmethod
    def after(ask: Ask, order: Order) -> Step:
        """Return the step that carries out an order in answer to a question."""
        return Step(ask.question, (order, *ask.args), ask.scope)

    def noted(self, ask: Ask, order: Order, read: Read) -> tuple[tuple[str, Any], ...]:
        """Return (key, value) pairs that record this order for the standing orders, if any."""
        standing = self.scenario.standing
        return () if standing is None else standing.noted(ask, order, read)


def _outside(pending: Pending, what: str) -> ProcedureError:
    return ProcedureError(
        f"{pending} is confined to {pending.scope} but {what}; if strikes affect more than their place, set "
        "places_apart = False in that part, and all places are solved together"
    )


class Values(Mapping[str, Any]):
    """The values of a state by key, as an immutable, hashable mapping."""

    __slots__ = ("_entries", "_hash")

    def __init__(self, entries: Mapping[str, Any]) -> None:
        self._entries = dict(entries)
        self._hash: int | None = None

    def __getitem__(self, key: str) -> Any:
        return self._entries[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Values):
            return self._entries == other._entries
        return super().__eq__(other)

    def get(self, key: str, default: Any = None) -> Any:
        """Return the value of a key, or the default if there is none."""
        return self._entries.get(key, default)

    def items(self) -> ItemsView[str, Any]:
        """Return the (key, value) entries; this is much faster than reading the keys one by one."""
        return self._entries.items()

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(frozenset(self._entries.items()))
        return self._hash

    def put(self, updates: tuple[tuple[str, Any], ...]) -> Values:
        """Return the values with these updates applied."""
        if not updates:
            return self
        after = Values(self._entries)
        after._entries.update(updates)
        return after

    def since(self, before: Values) -> dict[str, Any]:
        """Return the keys that hold another object than in ``before``, with their new values.

        A new value may equal the old one. Keys that exist only in ``before`` are left out.
        """
        old, missing = before._entries, object()
        return {
            key: value for key, value in self._entries.items() if old.get(key, missing) is not value
        }

    def __repr__(self) -> str:
        """Return the entries as text, sorted by key."""
        return (
            "Values(" + ", ".join(f"{k}={self._entries[k]!r}" for k in sorted(self._entries)) + ")"
        )


@attrs.frozen
class State:
    """A state of play: its values, and its agenda with the next entry first."""

    values: Values
    agenda: Agenda

    @property
    def moment(self) -> int:
        """The number of the current moment, counted from 0."""
        return int(self.values["clock/moment"])

    def at(self, moment: int) -> State:
        """Return the state with its clock set to a moment."""
        return State(self.values.put((("clock/moment", moment),)), self.agenda)


OPENING = Step("core.moment")
"""The first step of every moment."""


def opening(scenario: Scenario) -> State:
    """Return the state at the start of play, before the first moment opens.

    >>> scenario, file = find_scenario(Catalogue.installed(only=("asl",)), "asl/village")
    >>> opening(scenario).moment
    0
    """
    return State(Values(scenario.initial), (OPENING,))


@attrs.frozen(eq=False, repr=False, kw_only=True)
class Scenario(Setup):
    """A scenario ready to play: the setup, with its parts, rules and sentences.

    ``standing`` contains orders given in advance, which replace the standard orders, or is None.
    Copying a scenario returns the same object, because rules are code. A pickle contains a function
    and its argument, from which the scenario is staged again (``recipe``). A scenario changed with
    ``attrs.evolve`` has no recipe.
    """

    parts: Parts
    steps: Mapping[str, StepDef]
    questions: Mapping[str, OrderQuestion[Any]]
    modifiers: tuple[Modifier, ...]
    sentences: Sentences
    standing: StandingOrders | None = None
    recipe: tuple[Callable[[bytes], Scenario], object] | None = attrs.field(
        default=None, init=False
    )

    @cached_property
    def places_apart(self) -> bool:
        """True if places can be solved separately.

        That is so if no unit can move and each strike affects only the place that it hits.
        """
        return not self.mobile and all(part.places_apart for part in self.parts)

    def assumed_by(self, side: str) -> dict[str, Any]:
        """Return the values that a side assumes for other sides' secret fields, by their keys.

        Records that parts keep but do not stage are included, because their fields begin with
        defaults. The referee, who knows every field, assumes nothing.
        """
        owners = (
            ("missions", self.missions, self._kept("assets")),
            ("units", self.units, self._kept("units")),
        )
        return {
            f"{kind}/{name}/{word}/{field}": value
            for kind, setups, kept in owners
            for name, setup in setups.items()
            if side not in (REFEREE, setup.side)
            for word, records in (kept | {w: (type(s),) for w, s in setup.slots.items()}).items()
            for record in records
            for field, value in assumed(record).items()
        }

    def _kept(self, where: str) -> dict[str, tuple[type, ...]]:
        """Return the record classes that parts keep for ``where`` (assets or units), by part."""
        return {
            part.word: tuple(
                record
                for entry in getattr(part.keeps, where)
                for record in (entry if isinstance(entry, tuple) else (entry,))
            )
            for part in self.parts
        }

    def __reduce__(self) -> tuple[Callable[[bytes], Scenario], tuple[bytes]]:
        if self.recipe is None:
            raise pickle.PicklingError(
                f"the scenario {self.title!r} was changed after it was staged, so it cannot be pickled"
            )
        stage_again, recipe = self.recipe
        return stage_again, (pickle.dumps(recipe),)

    def made_by(self, function: Callable[[bytes], Scenario], content: object) -> Scenario:
        """Make the scenario pickle as a call of a function with ``content``, and return it.

        The function must make the same scenario again from ``content``.
        """
        object.__setattr__(self, "recipe", (function, content))
        return self

    def __deepcopy__(self, _memo: dict[int, Any]) -> Scenario:
        return self

    __copy__ = __deepcopy__

    @cached_property
    def packages(self) -> frozenset[str]:
        """The names of the packages of the games and house rules in play."""
        writers: list[Any] = [kind for part in self.parts for kind in type(part).__mro__]
        writers += [step.run for step in self.steps.values()]
        writers += [modifier.value for modifier in self.modifiers]
        homes = {str(getattr(writer, "__module__", "")) for writer in writers}
        return frozenset(home.partition(".")[0] for home in homes) - NO_GAME

    @classmethod
    def of(
        cls,
        setup: Setup,
        parts: Parts,
        steps: Mapping[str, StepDef],
        questions: Mapping[str, OrderQuestion[Any]],
        modifiers: tuple[Modifier, ...],
        sentences: Sentences,
        recipe: tuple[Callable[[bytes], Scenario], object],
    ) -> Scenario:
        """Return the scenario with this setup and these parts, rules and sentences.

        ``recipe`` contains the arguments of ``made_by``.
        """
        facts = {field.name: getattr(setup, field.name) for field in attrs.fields(Setup)}
        scenario = cls(
            parts=parts,
            steps=steps,
            questions=questions,
            modifiers=modifiers,
            sentences=sentences,
            **facts,
        )
        return scenario.made_by(*recipe)


def _incomplete(form: Form, order: Order) -> Refusal | None:
    """Return the refusal of an order with an unknown or a missing value, or None.

    If there are no candidates for a missing value, the refusal is that of the slot, if it has one.
    """
    given = {name for name, _ in order.values}
    if unknown := sorted(given - {slot.name for slot in form.slots}):
        takes = ", ".join(slot.name for slot in form.slots) or "nothing"
        return Refusal(form.cite, f"{form.verb!r} takes {takes}, not {', '.join(unknown)}")
    missing = [slot for slot in form.slots if slot.name not in given]
    for slot in missing:
        if not slot.candidates and not slot.free:
            none = Refusal(form.cite, f"{slot.name} is {slot.meaning}: there is none to choose now")
            return (slot.other or none).said(form.words)
    if missing:
        needs = ", ".join(f"{slot.name} ({slot.meaning})" for slot in missing)
        return Refusal(form.cite, f"{form.verb!r} also needs {needs}")
    return None
