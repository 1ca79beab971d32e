"""Conditions on the future: an event, a number of events, or the result of a roll."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import reduce
from typing import Any

import attrs

from fireplan import solver as solving
from fireplan.errors import InputError, argument_name, gathered, quoted, refuse, unknown
from fireplan.positions.atoms import COUNT
from fireplan.questions.expected import (
    ExpectedAnywhere,
    ExpectedField,
    ExpectedRoll,
    expected_in_words,
)
from fireplan.questions.sampling import Known
from fireplan_core import Event, Scenario
from fireplan_core.play import LogEntry


@attrs.frozen(init=False)
class Dice:
    """The faces of a throw, in the order of its dice.

    >>> lucky = fp.position("asl/ridge").given(contact=fp.dice(4, 2))
    >>> lucky.chance("fall", by="turn 1").condition_chance
    Fraction(1, 36)
    """

    faces: tuple[int | str, ...]

    def __init__(self, *faces: int | str) -> None:
        self.__attrs_init__(faces)

    def __str__(self) -> str:
        """Return the faces as a question prints them, such as ``4 2``."""
        return " ".join(map(str, self.faces))


dice = Dice


@attrs.frozen
class Happens:
    """Events of a kind with these fields, from ``least`` to ``most`` of them (None: no limit)."""

    kind: str
    fields: tuple[tuple[str, Any], ...] = ()
    least: int = 1
    most: int | None = None


@attrs.frozen
class NamedCondition:
    """A condition on the next roll or event called ``name``, or on all of them if ``every``."""

    name: str
    value: Any
    every: bool = False


def happens(kind: str, /, *, least: int = 1, most: int | None = None, **fields: Any) -> Happens:
    """Return the condition that an event happens, such as ``happens("fall", on_target=True)``.

    ``happens("suffered", least=2)`` asks for at least two events, and ``least=0, most=0`` for none.
    Values may be those of the event or their printed form: ``impact="K5"``,
    ``severity="destroyed"``. A list matches any of its values: ``unit=["1st squad", "2nd squad"]``.

    >>> hit = fp.happens("fall", on_target=True)
    >>> fp.position("asl/village").chance(hit, by="turn 1").chance
    Fraction(832, 2187)
    """
    return Happens(kind, tuple(fields.items()), least, most)


def event_of(value: Any) -> Happens:
    """Return the event that a kind or ``happens(...)`` names.

    Raise ``InputError`` for any other value.
    """
    if isinstance(value, str):
        return Happens(value)
    if isinstance(value, Happens):
        return value
    raise InputError(f"expected one event, such as 'fall' or happens('fall'), got {value!r}.")


def read_condition(text: str) -> tuple[str, Any]:
    """Split a typed condition, ``contact=4,2`` or ``access=red``, into its name and value.

    Several values separated by commas are ``Dice``. The value is True if only a name is given, and
    a mapping for fields of an event, as in ``initiative: couplets=3``. Raise ``InputError`` for
    fields without values.
    """
    kind, colon, fields = text.partition(":")
    if colon and "=" not in kind:
        return kind.strip(), read_fields(fields)
    name, equals, value = text.partition("=")
    parts = map(str.strip, value.split(","))
    faces = [int(part) if COUNT.fullmatch(part) else part for part in parts]
    words: dict[str, Any] = {"yes": True, "no": False} if equals else {"": True}
    return name.strip(), Dice(*faces) if len(faces) > 1 else words.get(value, faces[0])


def read_fields(text: str) -> dict[str, Any]:
    """Map the fields of an event to the values in a text such as ``on_target=yes, impact=K5``.

    Raise ``InputError`` for a part that is not FIELD=VALUE.
    """
    pairs = [entry.partition("=") for entry in text.split(",")]
    if any(
        not name.strip() or not value.strip() for name, _, value in pairs if name.strip() or value
    ):
        raise InputError(
            f"{quoted(text.strip())} are not fields of an event: write FIELD=VALUE, FIELD=VALUE."
        )
    words: dict[str, Any] = {"yes": True, "no": False}
    values = {name.strip(): value.strip() for name, _, value in pairs if name.strip()}
    return {
        name: words.get(value, int(value) if COUNT.fullmatch(value) else value)
        for name, value in values.items()
    }


def read_conditions(given: Iterable[str] | Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Return conditions, typed or in a mapping, as pairs of name and value.

    Raise ``InputError`` listing every name that is given twice.
    """
    if isinstance(given, Mapping):
        return [*given.items()]
    typed = [*map(read_condition, given)]
    names = [name for name, _ in typed]
    refuse(
        f"{argument_name('given')}: {name} is given twice; choose one."
        for name in dict.fromkeys(names)
        if names.count(name) > 1
    )
    return typed


RollTests = dict[str, list[solving.Fits]]
"""The tests of rolls, by the names of the rolls."""


@attrs.frozen(eq=False)
class Condition:
    """A condition: its text, the measure that tracks it, and a test of the measure's final state.

    Call ``check`` and ``never`` only after the exploration, when all possible results are known.
    ``check`` raises ``InputError`` if the condition requires a result that no roll can have;
    ``never`` returns the reason why no event had the expected values, or "".
    """

    text: str
    measure: solving.Measure
    holds: Callable[[Any], bool]
    check: Callable[[], None] = lambda: None
    never: Callable[[], str] = lambda: ""

    def holds_after(self, log: Iterable[LogEntry]) -> bool:
        """Return whether the condition holds for a complete log of events."""
        state = self.measure.initial
        for entry in log:
            if entry.event.kind in self.measure.kinds:
                state = self.measure.see(state, entry.event, entry.moment)
        return self.holds(state)


@attrs.frozen(eq=False)
class Vocabulary:
    """The kinds of events and the rolls that the rules of a scenario name."""

    scenario: Scenario
    rolls: frozenset[str]
    events: frozenset[str]

    @classmethod
    def of(cls, scenario: Scenario) -> Vocabulary:
        """Return the vocabulary of a scenario: the rolls and events that have a sentence."""
        tables = scenario.sentences.tables
        return cls(scenario, frozenset(tables["rolls"]), frozenset(tables["events"]))

    def event(self, event: Happens) -> Condition:
        """Return the condition that ``event`` happens.

        Raise ``InputError`` for an unknown kind or field, an impossible value, or wrong bounds.
        """
        if event.kind not in self.events:
            raise self._unknown("event", event.kind, self.events)
        for bound in (event.least, event.most):
            if bound is not None and type(bound) is not int:
                raise InputError(f"{event.kind}: expected a whole number of events, got {bound!r}.")
        if not 0 <= event.least <= (event.least if event.most is None else event.most):
            raise InputError(
                f"{event.kind}: expected bounds from 0 up, got {event.least} to {event.most}; "
                "an event that never happens has least=0, most=0."
            )
        expected = self._expected(event.kind, event.fields)
        cap = event.least if event.most is None else event.most + 1

        def holds(count: Any) -> bool:
            return bool(count >= event.least and (event.most is None or count <= event.most))

        fields = (f"{name}={expected_in_words(value)}" for name, value in event.fields)
        text = " ".join([event.kind, *fields, *_number(event.least, event.most)])

        def never() -> str:
            fields = "; ".join(filter(None, (field.never() for field in expected.values())))
            return fields and f"Where {event.kind} happens, {fields}."

        measure = solving.Count(event.kind, cap, _fitting(expected))
        return Condition(text, measure, holds, never=never)

    def given(self, named: NamedCondition, rolls: RollTests) -> Condition:
        """Return the condition on the next roll or event with a name, or on every one.

        The tests of rolls are added to ``rolls``. Raise ``InputError`` for an unknown name, or a
        value that the roll or event can never have.
        """
        name, value = named.name, named.value
        said = expected_in_words(value)
        text = f"{name}: {said}" if isinstance(value, Mapping) else f"{name}={said}"
        text = f"every {text}" if named.every else text
        if name in self.rolls and not isinstance(value, bool | Mapping):
            roll = ExpectedRoll(name, value, Dice)
            rolled = _rolled(text, name, roll, rolls, every=named.every)
            return attrs.evolve(rolled, check=roll.check)
        if name not in self.events:
            raise self._unknown("roll or event", name, self.rolls | self.events)
        if isinstance(value, Dice):
            raise InputError(
                f"{name} is an event, not a roll: expected one value, got {len(value.faces)}."
            )
        if value is True or value is False:
            happens_or_not = Happens(name) if value else Happens(name, (), 0, 0)
            return attrs.evolve(self.event(happens_or_not), text=name if value else f"{name}=no")
        fits: Callable[[Event], bool]
        if isinstance(value, Mapping):
            fits = _fitting(self._expected(name, tuple(value.items())))
        else:
            fits = ExpectedAnywhere(self.scenario, name, value).matches
        if named.every:
            return Condition(text, solving.Count(name, 1, lambda event: not fits(event)), _never)
        return Condition(text, solving.First(name, fits), bool)

    def _unknown(self, kind: str, name: str, names: frozenset[str]) -> InputError:
        """Return the error for an unknown name; the message says if it is the name of a measure."""
        from fireplan.solver.best import MEASURES

        measure = MEASURES.get(name)
        if measure is None:
            return unknown(kind, name, sorted(names))
        return InputError(
            f"{name} is a measure, which odds and compare answer: name a{'n' * (kind == 'event')} {kind} here, such as"
            " fall (fire for effect lands)."
        )

    def fallen(self, name: str, faces: Dice, rolls: RollTests) -> Condition:
        """Return the condition that the next throw called ``name`` begins with these faces."""
        return _rolled(
            "", name, lambda _event, outcome: outcome[: len(faces.faces)] == faces.faces, rolls
        )

    def _expected(
        self, kind: str, fields: tuple[tuple[str, Any], ...]
    ) -> Mapping[str, ExpectedField]:
        return {name: ExpectedField(self.scenario, kind, name, value) for name, value in fields}


@attrs.frozen(eq=False)
class Conditions:
    """Conditions on the future of a scenario, and the tests for the rolls that they watch."""

    scenario: Scenario
    each: tuple[Condition, ...]
    rolls: Mapping[str, tuple[solving.Fits, ...]]

    @classmethod
    def of(
        cls,
        scenario: Scenario,
        named: Iterable[NamedCondition | Happens],
        thrown: tuple[str, Dice] | None = None,
    ) -> Conditions:
        """Return the conditions; ``thrown`` is the throw under way and its dice, which come first.

        Raise ``InputError`` listing every unknown name and value.
        """
        rolls: RollTests = {}
        faults: list[str] = []
        vocabulary = Vocabulary.of(scenario)
        each = [vocabulary.fallen(*thrown, rolls)] if thrown else []
        for condition in named:
            if isinstance(condition, NamedCondition):
                each.append(gathered(faults, vocabulary.given, condition, rolls))
            else:
                each.append(gathered(faults, vocabulary.event, condition))
        refuse(faults)
        return cls(scenario, tuple(each), {name: tuple(tests) for name, tests in rolls.items()})

    def __iter__(self) -> Iterator[Condition]:
        return iter(self.each)

    @property
    def text(self) -> str:
        """The conditions in words."""
        return ", ".join(condition.text for condition in self.each if condition.text)

    @property
    def known(self) -> Known | None:
        """All conditions combined into one measure and its test, or None without conditions."""

        def both(one: Known, other: Known) -> Known:
            return solving.Jointly(
                (one[0], other[0])
            ), lambda state: one[1](state[0]) and other[1](state[1])

        known = ((condition.measure, condition.holds) for condition in self.each)
        return reduce(both, known) if self.each else None

    def compiler(self, left_out: Collection[str] = ()) -> solving.RollCompiler:
        """Return a compiler that emits an event for each watched roll.

        ``left_out`` contains the places where the effects of strikes are not included.
        """
        return solving.RollCompiler(self.scenario, dict(self.rolls), left_out)

    def check(self) -> None:
        """Raise ``InputError`` if a condition requires a result that none of the rolls could have.

        Call this method after the exploration: only then are the possible results known.
        """
        for condition in self.each:
            condition.check()

    def imposed(
        self, analysis: solving.Analysis
    ) -> tuple[solving.ConditionedAnalysis | None, Fraction]:
        """Return the analysis under the conditions, and their chance; None and 1 without any.

        Raise ``InputError`` if the conditions cannot all be met.
        """
        condition = self.known
        if condition is None:
            return None, Fraction(1)
        conditioned = analysis.given(*condition)
        share = conditioned.chance
        self.check()
        if not share:
            raise InputError(
                "The condition cannot be met in the time considered, so the question has no answer."
            )
        return conditioned, share


def _number(least: int, most: int | None) -> tuple[str, ...]:
    if (least, most) == (1, None):
        return ()
    if most == 0:
        return ("never",)
    if most is None:
        return (f"at least {least} times",)
    return (f"{least} times" if least == most else f"{least} to {most} times",)


def _fitting(expected: Mapping[str, ExpectedField]) -> Callable[[Event], bool]:
    def fits(event: Event) -> bool:
        values = dict(event.fields)
        for name in expected:
            if name not in values:
                raise unknown(f"field of the event {event.kind}", name, values)
        matches = [field.matches(values[name]) for name, field in expected.items()]
        return all(matches)

    return fits


def _never(count: Any) -> bool:
    return bool(count == 0)


def _rolled(
    text: str,
    name: str,
    test: solving.Fits,
    rolls: RollTests,
    *,
    every: bool = False,
) -> Condition:
    """Return the condition that the next roll called ``name`` passes a test, or that all do.

    The test is added to ``rolls``.
    """
    number = len(tests := rolls.setdefault(name, []))
    tests.append(test)
    if every:
        fails = lambda event: event["roll"] == name and not event["fits"][number]  # noqa: E731
        return Condition(text, solving.Count(solving.ROLLED, 1, fails), _never)
    fits = lambda event: bool(event["fits"][number]) if event["roll"] == name else None  # noqa: E731
    return Condition(text, solving.First(solving.ROLLED, fits), bool)
