"""The facts that conditions of a strategy refer to, read for one scenario."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import cached_property
from typing import Any

import attrs

from fireplan.errors import InputError, unknown
from fireplan.positions import GROUND, TABLE, StateField, atoms_of, fields_of, step_arguments
from fireplan.positions.atoms import Node
from fireplan.positions.fields import MEMORY
from fireplan.positions.hints import enum_of, members
from fireplan.positions.position import choices_of
from fireplan.positions.writing import called
from fireplan.strategies.rules import RuleCondition
from fireplan_core import Ask, Form, Scenario, View
from fireplan_core.files import FileError
from fireplan_core.record import ProcedureError, Read

HOW: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
LEGAL, ON_TARGET, OFF, ASKED = "legal", "on target", "off", "asked"
"""The facts that every scenario has."""
MISSION = "mission"
"""The argument of a question that names the asset it is about."""


@attrs.frozen(eq=False)
class PendingDecision:
    """A question in a state, with the forms of its orders."""

    scenario: Scenario
    ask: Ask
    read: Read
    view: View
    forms: tuple[Form, ...]

    @cached_property
    def asset(self) -> str | None:
        """The asset that the question is about, the first that its arguments name, or None."""
        names = (arg for arg in self.ask.args if isinstance(arg, str))
        return next((name for name in names if name in self.scenario.missions), None)


Fact = Callable[[PendingDecision], bool]
"""Returns whether a condition holds at a pending decision."""
Value = Callable[[PendingDecision], Any]


def asked_key(ask: Ask) -> str:
    """Return the key of the state under which questions to a side are counted.

    The value is a pair: the last moment in which the question came up, and the count in it.
    """
    return f"{MEMORY}asked/{ask.question}/{ask.who}"


def asked_now(ask: Ask, read: Read) -> tuple[int, int]:
    """Return the current moment, and how often the question has come up in it, including now."""
    now = int(read("clock/moment", 0))
    moment, count = read(asked_key(ask), (-1, 0))
    return now, count + 1 if moment == now else 1


def fact_of(scenario: Scenario, questions: Iterable[str], condition: RuleCondition) -> Fact:
    """Return the test of a condition in a rule for these questions.

    Raises ``InputError`` if the scenario has no such fact, or if the fact cannot have the value.
    """
    test = _test(scenario, tuple(questions), condition)
    return (lambda situation: not test(situation)) if condition.negated else test


def _test(scenario: Scenario, questions: tuple[str, ...], condition: RuleCondition) -> Fact:
    fact, how, text = condition.fact, condition.how, condition.value
    if fact == LEGAL:
        if condition.negated or how:
            raise InputError(
                "write 'if legal' alone: where the order is illegal, the rule is skipped."
            )
        return lambda _: True  # the order is judged when it is known
    if fact == ON_TARGET:
        expected = _read(scenario, condition, bool) if how else True
        return _compared(condition, _on_target, expected)
    if fact == OFF:
        return _compared(condition, _metres, Fraction(_number(text, fact)))
    if fact == ASKED:
        number = _number(text, fact)
        _refuse_never(condition, number, 1, None)
        return _compared(condition, lambda now: asked_now(now.ask, now.read)[1], number)
    if time := _time(scenario, condition):
        return time
    for question in questions if len(questions) == 1 else ():
        if value := _argument(scenario, question, condition):
            return value
    return _field(scenario, condition)


def _compared(condition: RuleCondition, value: Value, expected: Any) -> Fact:
    """Return the test that compares a value with ``expected``.

    If ``how`` is empty, the test is whether the value is true. None is neither less nor greater
    than any number. Raises ``InputError`` for an inequality with anything but a number.
    """
    if not condition.how:
        return lambda situation: bool(value(situation))
    compare = HOW[condition.how]
    if condition.how in ("=", "!="):
        return lambda situation: compare(value(situation), expected)
    if isinstance(expected, bool) or not isinstance(expected, int | Fraction):
        raise InputError(f"{condition}: only numbers can be compared with {condition.how}.")

    def test(situation: PendingDecision) -> bool:
        found = value(situation)
        return found is not None and compare(found, expected)

    return test


def _refuse_never(condition: RuleCondition, number: Any, low: Any, high: Any) -> None:
    """Raise ``InputError`` if a condition on a number can never hold.

    The condition compares with ``number``; the values are ``low`` to ``high`` (None: no limit).
    """
    under, over = number < low, high is not None and number > high
    never = {
        "<": under or number == low,
        "<=": under,
        ">": over or number == high,
        ">=": over,
    }
    if never.get(condition.how, under or over):
        bounds = f"{low} or more" if high is None else f"{low} to {high}"
        raise InputError(f"{condition.fact} is {bounds}, never {condition.how}{number}.")


def _number(text: str, fact: str) -> int:
    if not re.fullmatch("[0-9]{1,9}", text):
        raise InputError(f"{fact}: expected a comparison with a whole number, such as {fact}<=2.")
    return int(text)


# --- the last round ------------------------------------------------------------------------------
def _on_target(now: PendingDecision) -> bool:
    """Return whether fire at the place of the last round would be on target.

    Return False if no round has fallen, or if the question is about no asset.
    """
    if now.asset is None or now.view.mission(now.asset).impact is None:
        return False
    areas = now.scenario.parts.areas
    view = now.view.seen_by(areas.word)
    return bool(areas.covers(view, now.asset, now.scenario.centre, Fraction(0)))


def _metres(now: PendingDecision) -> Fraction | None:
    """Return the distance of the last round from the target in whole metres.

    Return None if no round has fallen, or if the question is about no asset.
    """
    if now.asset is None or (impact := now.view.mission(now.asset).impact) is None:
        return None
    frame = now.view.frame
    gap = frame.gap(now.scenario.missions[now.asset].target, impact)
    return Fraction(round(frame.gap_metres(gap)))


# --- the time ------------------------------------------------------------------------------------
def _time_word(scenario: Scenario) -> str:
    """Return the word before the number in the name of a moment, such as ``turn``."""
    return re.split(r"\W*\d", scenario.clock.name(0).casefold())[0]


def _time(scenario: Scenario, condition: RuleCondition) -> Fact | None:
    """Return the test of the time, such as ``turn>=3``, or None for any other fact.

    Raises ``InputError`` if the scenario has no such time.
    """
    name, word = scenario.clock.name, _time_word(scenario)
    if condition.fact.casefold() != word:
        return None
    moments = list(called(name, f"{name(0)[: len(word)]} {condition.value}"))
    if not condition.how or not moments:
        raise InputError(f"there is no {condition}: the first moments are {name(0)} and {name(1)}.")
    first, last = min(moments), max(moments)
    bounds = {
        "=": (first, last),
        "!=": (first, last),
        "<": (0, first - 1),
        "<=": (0, last),
        ">": (last + 1, None),
        ">=": (first, None),
    }
    low, high = bounds[condition.how]

    def test(now: PendingDecision) -> bool:
        moment = int(now.read("clock/moment", 0))
        inside = low <= moment and (high is None or moment <= high)
        return inside is not (condition.how == "!=")

    return test


# --- arguments of the question -------------------------------------------------------------------
def _argument(scenario: Scenario, question: str, condition: RuleCondition) -> Fact | None:
    """Return the test of a question's argument, or of a field of the argument.

    Return None if the question has no argument of this name. Raises ``InputError`` for an unknown
    field, or a value that the argument cannot have.
    """
    name, _, field = condition.fact.partition(".")
    taken = [*(step_arguments(scenario.steps[question].run) or ())[1:]]
    names = [argument for argument, _ in taken]
    if name not in names:
        return None
    number = names.index(name)
    hint: Any = taken[number][1]
    if field:
        kinds = {each.name: each.type for each in attrs.fields(hint)} if attrs.has(hint) else {}
        if field not in kinds:
            raise unknown(f"field of {name}", field, kinds)
        hint = Any
    expected = _read(scenario, condition, hint) if condition.how else None
    if name == MISSION and not field and condition.how and expected not in scenario.missions:
        raise unknown("asset", condition.value, scenario.missions)

    def value(now: PendingDecision) -> Any:
        found = now.ask.args[number]
        return getattr(found, field) if field else found

    return _compared(condition, value, expected)


# --- fields of the position ----------------------------------------------------------------------
def _field(scenario: Scenario, condition: RuleCondition) -> Fact:
    """Return the test of a field.

    Raises ``InputError`` if the scenario has no such field, or if the condition always or never
    holds.
    """
    fields = fields_of(scenario)
    group, field, prefix, label = _place_of(scenario, condition.fact)
    if field is None:
        word = condition.fact.rpartition(".")[2]
        names = (
            fields.of(group) if scenario.owner(group) else fields.ground if label else fields.table
        )
        holders = [each for each in names.values() if word in choices_of(each)]
        if condition.how or len(holders) != 1:
            raise unknown(f"field of {group}", word, names)
        field, condition = holders[0], RuleCondition(condition.fact, "=", word)
    default = field.default
    key = field.key(prefix, label) if field.places is None else field.key("shared")
    default = scenario.initial.get(key, default)

    def value(now: PendingDecision) -> Any:
        stored = now.read(key, default)
        if field.places is None:
            return stored
        return dict(field.places.spread(stored)).get(scenario.frame.parse(label), 0)

    if not condition.how:
        if _always_true(field):
            words = choices_of(field)
            raise InputError(
                f"{condition.fact} always holds: name a value, such as {condition.fact}={words[0]}."
            )
        return _compared(condition, value, None)
    expected = _read(scenario, condition, field.hint, fields.among(field))
    bounds = field.about.get("range")
    if bounds and isinstance(expected, int | Fraction):
        _refuse_never(condition, expected, *bounds)
    return _compared(condition, value, expected)


def _always_true(field: StateField) -> bool:
    """Return whether a field always holds one of a few non-empty words, never None."""
    enum = enum_of(field.hint)
    words = [*enum] if enum else choices_of(field)
    return bool(words) and all(words) and type(None) not in members(field.hint)


def _place_of(scenario: Scenario, fact: str) -> tuple[str, StateField | None, str, str]:
    """Return group, field (or None), key prefix and place label of a fact ``GROUP.FIELD``.

    Raises ``InputError`` if the group is neither an asset, a unit or a place nor the table.
    """
    fields = fields_of(scenario)
    splits = [index for index, letter in enumerate(fact) if letter == "."]
    for index in splits:
        group, name = fact[:index], fact[index + 1 :]
        if scenario.owner(group):
            return group, fields.of(group).get(name), fields.prefix(group), ""
        if group == TABLE:
            return group, fields.table.get(name), "shared", ""
    for index in splits:
        group, name = fact[:index].removeprefix("@"), fact[index + 1 :]
        try:
            label = scenario.frame.label(scenario.frame.parse(group))
        except (ValueError, TypeError):
            continue
        return group, fields.ground.get(name), GROUND, label
    names = (*scenario.missions, *scenario.units, TABLE)
    if not splits:
        assets = (f"{name}.FIELD" for name in scenario.missions)
        facts = (ON_TARGET, OFF, ASKED, LEGAL, _time_word(scenario), *assets)
        raise unknown("fact", fact, facts)
    raise unknown("asset, unit or place", fact.partition(".")[0], names)


def _read(
    scenario: Scenario, condition: RuleCondition, hint: Any, among: tuple[str, ...] = ()
) -> Any:
    """Return the value that a condition names; raise ``InputError`` if the fact cannot have it."""
    try:
        return atoms_of(scenario).read(Node.typed(condition.value, hint), hint, among)
    except FileError as error:
        (fault,) = error.faults
        raise InputError(f"{condition}: {fault.problem}") from error
    except ProcedureError as error:
        raise InputError(f"{condition}: {error}") from error
