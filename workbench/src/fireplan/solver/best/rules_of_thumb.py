"""Rules of thumb: the table of a best policy condensed into short lists of conditions that a player can keep in mind.

A list is exact: each situation that can come up under a best policy gets an order that is best
there, from the first rule whose conditions hold. What no short list covers is counted, never
glossed over.
"""

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from fractions import Fraction
from inspect import signature
from itertools import count
from typing import Any

import attrs

from fireplan.solver.best.open_decisions import label_of, mission_of, target_aims
from fireplan.solver.best.policy import Legal, Policy, Situation
from fireplan.solver.best.rule_search import STANDARD, Row, Rule, condensed, said
from fireplan.solver.states import CLOCK
from fireplan_core import Ask, Order, Question, View
from fireplan_core.play.scenario import Read

OMITTED, TOTAL = "omitted", "total"
TO_GO = "moments to go"
OFF = "metres off the target"
COVERED = "fire there covers the target"
PAIR = 2


@attrs.frozen
class DecisionRules:
    """The rules of one question, in the order in which they are tried.

    ``indifferent`` situations are those in which every order is as good; ``uncovered`` those that no rule decides.
    """

    question: str
    rules: tuple[Rule, ...]
    situations: int
    indifferent: int
    uncovered: int
    standard: bool
    """Say whether the standard order is best throughout."""
    emission: Mapping[str, str] = attrs.field(factory=dict)
    """Slots that orders tell only in part."""
    cost: Fraction | None = None
    """Say how much less is earned where they are followed instead of the whole policy, where that is known."""


def decision_rules(policy: Policy) -> tuple[DecisionRules, ...]:
    """Return the rules of thumb of every question that comes up."""
    by_question: dict[str, list[Situation]] = {}
    for situation in policy.situations:
        by_question.setdefault(situation.ask.question, []).append(situation)
    return tuple(
        _decision_rules(policy, question, found) for question, found in by_question.items()
    )


def _decision_rules(policy: Policy, question: str, situations: list[Situation]) -> DecisionRules:
    deciding = [
        situation for situation in situations if len(situation.best) < len(situation.orders)
    ]
    emission = _told(policy, deciding)
    rows = [row for situation in deciding for row in rows_of(policy, situation, emission)]
    standard = all(0 in situation.best for situation in deciding)
    rules, uncovered = condensed(rows)
    return DecisionRules(
        question,
        rules,
        len(situations),
        len(situations) - len(deciding),
        uncovered,
        standard,
        emission,
    )


def _told(policy: Policy, situations: Sequence[Situation]) -> Mapping[str, str]:
    """Return which slots are told only in part: left out, or of a list of pairs the total, where that is enough.

    It is enough when every order that is told alike is as good: whoever follows the rule may take
    any of them.
    """
    emission: dict[str, str] = {}
    slots = dict.fromkeys(
        name for found in situations for order in found.orders for name, _ in order.values
    )
    for slot in slots:
        for how in (OMITTED, TOTAL):
            attempt = {**emission, slot: how}
            if all(_tells(policy, situation, attempt) for situation in situations):
                emission = attempt
                break
    return emission


def _tells(policy: Policy, situation: Situation, emission: Mapping[str, str]) -> bool:
    view = _view(policy, situation)
    good = {
        order_label(view, situation.ask, situation.orders[order], emission)
        for order in situation.best
    }
    return not any(
        order_label(view, situation.ask, order, emission) in good
        for number, order in enumerate(situation.orders)
        if number not in situation.best
    )


# --- features ------------------------------------------------------------------------------------
def rows_of(policy: Policy, situation: Situation, emission: Mapping[str, str]) -> Iterator[Row]:
    """Yield a situation in words: for each value that no rule tells from others there, told apart."""
    first = tuple(alike[0] for alike in situation.values)
    several = [
        (*first[:position], other, *first[position + 1 :])
        for position, alike in enumerate(situation.values)
        for other in alike[1:]
    ]
    to_go = policy.process.closing - situation.moment
    for values in (first, *several):
        view = _view(policy, situation, values)
        labels = [order_label(view, situation.ask, order, emission) for order in situation.orders]
        yield Row(
            {TO_GO: to_go, **dict(features(policy, situation.ask, values, view))},
            frozenset(labels[order] for order in situation.best),
            labels[0],
        )


def _view(policy: Policy, situation: Situation, values: tuple[Any, ...] = ()) -> View:
    found = dict(zip(policy.keys, values or (alike[0] for alike in situation.values), strict=True))

    def read(key: str, default: Any) -> Any:  # noqa: ARG001 - a key that is not kept tells nothing
        return found[key]

    return View(read, policy.process.scenario, situation.ask.question.partition(".")[0])


def features(
    policy: Policy, ask: Ask, values: tuple[Any, ...], view: View
) -> Iterator[tuple[str, Any]]:
    """Yield what a player sees of a situation but for the time: names and values."""
    scenario = policy.process.scenario
    mission = mission_of(view, ask)
    if mission is not None:
        yield from _where(view, mission)
    for name, arg in zip(_arguments(scenario.questions[ask.question]), ask.args, strict=False):
        if arg != mission:
            yield from _flat(name, arg, view)
    many = len(scenario.missions) > 1
    for key, value in zip(policy.keys, values, strict=True):
        if key != CLOCK:
            yield from _flat(key_in_words(key, many=many), value, view)


def _arguments(question: Question[Any]) -> Iterator[str]:
    """Yield what a question's arguments are called where its forms are made, then by number."""
    names = list(signature(question.offers).parameters.values())[1:]
    yield from (
        name.name.strip("_").replace("_", " ")
        for name in names
        if name.kind is not name.VAR_POSITIONAL
    )
    yield from (f"argument {number}" for number in count(1))


def _where(view: View, mission: str) -> Iterator[tuple[str, Any]]:
    """Yield where the last round lies, and whether fire there covers the centre of the target.

    If the state tells.
    """
    impact = _impact(view, mission)
    if impact is None:
        return
    try:
        gap = view.frame.gap(view.scenario.missions[mission].target, impact)
        yield OFF, round(view.frame.gap_metres(gap))
        covers = view.covers(mission, view.scenario.centre)
        yield COVERED, bool(covers)
    except KeyError:
        return


def _impact(view: View, mission: str) -> Any:
    """Return where the last round lies; None if there is none, or the state does not tell."""
    try:
        return view.mission(mission).impact
    except KeyError:
        return None


def key_in_words(key: str, *, many: bool) -> str:
    """Return a key as a player would say it: without the mission where there is but one, without the part."""
    kind, *rest = key.split("/")
    name = rest[-1].replace("_", " ")
    if kind == "missions":
        return f"{name} of {rest[0]}" if many else name
    if kind in ("units", "ground"):
        return f"{name} of {rest[0] if kind == 'units' else rest[1]}"
    return name


def _flat(name: str, value: Any, view: View) -> Iterator[tuple[str, Any]]:
    """A value as features: numbers and names as they are, records and short tuples field by field."""
    label = label_of(view, value)
    if label is not None:
        yield name, label
    elif attrs.has(type(value)):
        for field in attrs.fields(type(value)):
            yield from _flat(field.name.replace("_", " "), getattr(value, field.name), view)
    elif isinstance(value, tuple) and len(value) == 1:
        yield from _flat(name, value[0], view)
    elif isinstance(value, tuple | frozenset):
        yield f"number of {name}", len(value)
        yield name, said(value if isinstance(value, tuple) else tuple(sorted(value, key=str)))
    elif isinstance(value, Enum):
        yield name, value.name.lower()
    else:
        yield name, value


def order_label(view: View, ask: Ask, order: Order, emission: Mapping[str, str]) -> str:
    """Return an order in words: places by what they are (target, where the round lies), else by their label."""
    aims = target_aims(view, ask)
    mission = mission_of(view, ask)
    impact = None if mission is None else _impact(view, mission)
    words = [order.verb.replace("_", " ")]
    for name, value in order.values:
        how = emission.get(name)
        total = _total(value) if how == TOTAL else None
        if how == OMITTED:
            continue
        if total is not None:
            words.append(f"{name.replace('_', ' ')} {total} in all")
        elif value in aims:
            words.append("on the target")
        elif impact is not None and value == impact:
            words.append("where the round lies")
        else:
            words.append(f"{name.replace('_', ' ')} {said(value, label_of(view, value))}")
    return " ".join(words)


def _total(value: Any) -> int | None:
    """The sum of a list of pairs of a name and a number."""
    if (
        isinstance(value, tuple)
        and value
        and all(isinstance(part, tuple) and len(part) == PAIR for part in value)
    ):
        numbers = [
            part[1]
            for part in value
            if isinstance(part[1], int) and not isinstance(part[1], bool | Enum)
        ]
        return sum(numbers) if len(numbers) == len(value) else None
    return None


# --- following them ------------------------------------------------------------------------------
@attrs.frozen(eq=False)
class Thumb:
    """A player who follows some lists of rules.

    ``otherwise`` the policy that they come from, else the standard.
    """

    policy: Policy
    lists: Sequence[DecisionRules]
    otherwise: bool = False

    def __call__(self, ask: Ask, read: Read, legal: Legal) -> Iterator[Order]:
        """Yield the orders that the first rule means which holds."""
        found = next((each for each in self.lists if each.question == ask.question), None)
        if found is None or not found.rules:
            yield from self.policy(ask, read, legal) if self.otherwise else ()
            return
        process = self.policy.process
        values = self.policy.values(read)
        known = dict(zip(self.policy.keys, values, strict=True))
        view = View(
            lambda key, _default: known[key], process.scenario, ask.question.partition(".")[0]
        )
        told = dict(features(self.policy, ask, values, view))
        if any(condition.feature == TO_GO for rule in found.rules for condition in rule.when):
            told[TO_GO] = process.closing - read(CLOCK, 0)
        rule = next(
            (rule for rule in found.rules if all(condition.holds(told) for condition in rule.when)),
            None,
        )
        if rule is not None and rule.order != STANDARD:
            yield from (
                order
                for order in legal()
                if order_label(view, ask, order, found.emission) == rule.order
            )
