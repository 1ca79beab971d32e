"""Rules of thumb: a best policy condensed into short lists of conditions to keep in mind.

A list is exact: in every situation that can come up under a best policy, the first rule whose
conditions hold gives a best order. Situations that no short list covers are counted.
"""

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from fractions import Fraction
from inspect import signature
from itertools import count
from typing import Any

import attrs

from fireplan.solver.best.open_decisions import Legal, mission_of, target_aims
from fireplan.solver.best.policy import Decision, Policy
from fireplan.solver.best.rule_search import (
    STANDARD,
    DecisionRule,
    Example,
    condensed,
    value_in_words,
)
from fireplan.solver.states import CLOCK
from fireplan_core import Ask, Order, OrderQuestion, View
from fireplan_core.record import Read
from fireplan_core.space import label_of

OMITTED, TOTAL = "omitted", "total"
TO_GO = "moments to go"
OFF = "metres off the target"
COVERED = "fire there covers the target"


@attrs.frozen
class ShownOrder:
    """An order with the values that its label shows, some of them replaced with words.

    For example, the target is "the target" and a list of pairs may be "12 in all".
    """

    verb: str
    values: tuple[tuple[str, Any], ...]


@attrs.frozen
class DecisionRules:
    """The rules of one question, in the order in which they are tried.

    ``indifferent`` counts the situations in which all orders are equally good, ``uncovered`` those
    that no rule decides.
    """

    question: str
    rules: tuple[DecisionRule, ...]
    situations: int
    indifferent: int
    uncovered: int
    standard: bool
    """True if the standard order is always best."""
    partial_slots: Mapping[str, str] = attrs.field(factory=dict)
    """Slots that the orders give only in part: ``omitted`` or as a ``total``."""
    cost: Fraction | None = None
    """The loss from following the rules instead of the whole policy, or None if unknown."""
    orders: Mapping[str, ShownOrder] = attrs.field(factory=dict)
    """For each label of an order in the rules, one such order with the values that are shown."""


def decision_rules(policy: Policy) -> tuple[DecisionRules, ...]:
    """Return the rules of thumb for every question that comes up under the policy."""
    by_question: dict[str, list[Decision]] = {}
    for situation in policy.situations:
        by_question.setdefault(situation.ask.question, []).append(situation)
    return tuple(
        _decision_rules(policy, question, situations)
        for question, situations in by_question.items()
    )


def _decision_rules(policy: Policy, question: str, situations: list[Decision]) -> DecisionRules:
    deciding = [
        situation for situation in situations if len(situation.best) < len(situation.orders)
    ]
    partial_slots = _partial_slots(policy, deciding)
    rows = [row for situation in deciding for row in rows_of(policy, situation, partial_slots)]
    standard = all(0 in situation.best for situation in deciding)
    rules, uncovered = condensed(rows)
    named = {label for rule in rules for label in (rule.order, *rule.ties)}
    return DecisionRules(
        question,
        rules,
        len(situations),
        len(situations) - len(deciding),
        uncovered,
        standard,
        partial_slots,
        orders=_shown_orders(policy, deciding, partial_slots, named),
    )


def _shown_orders(
    policy: Policy,
    situations: Sequence[Decision],
    partial_slots: Mapping[str, str],
    labels: set[str],
) -> Mapping[str, ShownOrder]:
    """Map each of the labels to one order of these situations that the label describes."""
    found: dict[str, ShownOrder] = {}
    for situation in situations:
        view = _view(policy, situation)
        for order in situation.orders:
            shown = {
                slot: value
                for slot, value, _ in _shown_values(view, situation.ask, order, partial_slots)
            }
            label = order_label(view, situation.ask, order, partial_slots)
            if label in labels:
                found.setdefault(label, ShownOrder(order.verb, tuple(shown.items())))
    return found


def _partial_slots(policy: Policy, situations: Sequence[Decision]) -> Mapping[str, str]:
    """Map each slot that labels need not show in full to ``OMITTED``, or to ``TOTAL`` (its sum).

    A slot qualifies if all orders with the same label are equally good, so the player may take any
    of them.
    """
    partial_slots: dict[str, str] = {}
    slots = dict.fromkeys(
        name for situation in situations for order in situation.orders for name, _ in order.values
    )
    for slot in slots:
        for form in (OMITTED, TOTAL):
            attempt = {**partial_slots, slot: form}
            if all(_is_unambiguous(policy, situation, attempt) for situation in situations):
                partial_slots = attempt
                break
    return partial_slots


def _is_unambiguous(policy: Policy, situation: Decision, partial_slots: Mapping[str, str]) -> bool:
    view = _view(policy, situation)
    good = {
        order_label(view, situation.ask, situation.orders[order], partial_slots)
        for order in situation.best
    }
    return not any(
        order_label(view, situation.ask, order, partial_slots) in good
        for number, order in enumerate(situation.orders)
        if number not in situation.best
    )


# --- features ------------------------------------------------------------------------------------
def rows_of(
    policy: Policy, situation: Decision, partial_slots: Mapping[str, str]
) -> Iterator[Example]:
    """Yield a situation in words, and again for each equivalent value of each key."""
    first = tuple(alike[0] for alike in situation.values)
    variants = [
        (*first[:position], other, *first[position + 1 :])
        for position, alike in enumerate(situation.values)
        for other in alike[1:]
    ]
    to_go = policy.process.closing - situation.moment
    for values in (first, *variants):
        view = _view(policy, situation, values)
        labels = [
            order_label(view, situation.ask, order, partial_slots) for order in situation.orders
        ]
        yield Example(
            {TO_GO: to_go, **dict(features(policy, situation.ask, values, view))},
            frozenset(labels[order] for order in situation.best),
            labels[0],
        )


def _view(policy: Policy, situation: Decision, values: tuple[Any, ...] = ()) -> View:
    state = dict(zip(policy.keys, values or (alike[0] for alike in situation.values), strict=True))

    def read(key: str, default: Any) -> Any:  # noqa: ARG001 - an unknown key raises
        return state[key]

    return View(read, policy.process.scenario, situation.ask.question.partition(".")[0])


def features(
    policy: Policy, ask: Ask, values: tuple[Any, ...], view: View
) -> Iterator[tuple[str, Any]]:
    """Yield the name and value of each feature that a player sees, except the time."""
    scenario = policy.process.scenario
    mission = mission_of(view, ask)
    if mission is not None:
        yield from _round_features(view, mission)
    for name, arg in zip(_argument_names(scenario.questions[ask.question]), ask.args, strict=False):
        if arg != mission:
            yield from _flattened(name, arg, view)
    many = len(scenario.missions) > 1
    for key, value in zip(policy.keys, values, strict=True):
        if key != CLOCK:
            yield from _flattened(key_in_words(key, many=many), value, view)


def _argument_names(question: OrderQuestion[Any]) -> Iterator[str]:
    """Yield the names of a question's arguments in order, then "argument 1" and so on for ever."""
    names = list(signature(question.offers).parameters.values())[1:]
    yield from (
        name.name.strip("_").replace("_", " ")
        for name in names
        if name.kind is not name.VAR_POSITIONAL
    )
    yield from (f"argument {number}" for number in count(1))


def _round_features(view: View, mission: str) -> Iterator[tuple[str, Any]]:
    """Yield the last round's distance from the target and whether its fire covers the centre.

    Yields nothing if there is no last round, or if the state lacks the values that this needs.
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
    """Return the place of the last round, or None if there is no round or its place is unknown."""
    try:
        return view.mission(mission).impact
    except KeyError:
        return None


def key_in_words(key: str, *, many: bool) -> str:
    """Return a key in a player's words, without the part; ``many`` adds the mission."""
    kind, *rest = key.split("/")
    name = rest[-1].replace("_", " ")
    if kind == "missions":
        return f"{name} of {rest[0]}" if many else name
    if kind in ("units", "ground"):
        return f"{name} of {rest[0] if kind == 'units' else rest[1]}"
    return name


def _flattened(name: str, value: Any, view: View) -> Iterator[tuple[str, Any]]:
    """Yield a value as (name, value) features that a player can read.

    A place becomes its label, an enum member its name, a record its fields, and a tuple of one item
    the item. Other collections give their size and their items in words; any other value is
    unchanged.
    """
    label = label_of(view.frame, value)
    if label is not None:
        yield name, label
    elif attrs.has(type(value)):
        for field in attrs.fields(type(value)):
            yield from _flattened(field.name.replace("_", " "), getattr(value, field.name), view)
    elif isinstance(value, tuple) and len(value) == 1:
        [item] = value
        if isinstance(item, tuple) and label_of(view.frame, item) is None:
            yield name, value_in_words(_labelled(item, view))
        else:
            yield from _flattened(name, item, view)
    elif isinstance(value, tuple | frozenset):
        yield f"number of {name}", len(value)
        ordered = value if isinstance(value, tuple) else sorted(value, key=str)
        items = (value_in_words(_labelled(item, view)) for item in ordered)
        yield name, " and ".join(items) or "none"
    elif isinstance(value, Enum):
        yield name, value.name.lower()
    else:
        yield name, value


def _labelled(value: Any, view: View) -> Any:
    """Return a value with each place in it replaced by its label."""
    label = label_of(view.frame, value)
    if label is None and isinstance(value, tuple):
        return tuple(_labelled(item, view) for item in value)
    return value if label is None else label


def order_label(view: View, ask: Ask, order: Order, partial_slots: Mapping[str, str]) -> str:
    """Return an order as a label; the target and the last round's place are named as such."""
    shown = (text for _, _, text in _shown_values(view, ask, order, partial_slots))
    return " ".join([order.verb.replace("_", " "), *shown])


def _shown_values(
    view: View, ask: Ask, order: Order, partial_slots: Mapping[str, str]
) -> Iterator[tuple[str, Any, str]]:
    """Yield the name of each slot that a label shows, its value (or words), and its text."""
    aims = target_aims(view, ask)
    mission = mission_of(view, ask)
    impact = None if mission is None else _impact(view, mission)
    for name, value in order.values:
        slot = name.replace("_", " ")
        form = partial_slots.get(name)
        total = _total(value) if form == TOTAL else None
        if form == OMITTED:
            continue
        if total is not None:
            yield name, f"{total} in all", f"{slot} {total} in all"
        elif value in aims:
            yield name, "the target", "on the target"
        elif impact is not None and value == impact:
            yield name, "the place of the round", "where the round landed"
        else:
            yield name, value, f"{slot} {value_in_words(value, label_of(view.frame, value))}"


def _total(value: Any) -> int | None:
    """Return the sum of a list of (name, number) pairs, or None for any other value."""
    if not isinstance(value, tuple) or not value:
        return None
    numbers = [
        part[1]
        for part in value
        if isinstance(part, tuple) and tuple(map(type, part)) == (str, int)
    ]
    return sum(numbers) if len(numbers) == len(value) else None


# --- following the rules -------------------------------------------------------------------------
@attrs.frozen(eq=False)
class RuleFollower:
    """A chooser of orders that follows lists of rules.

    For questions without rules, it follows the policy from which the lists come if ``otherwise`` is
    set, else the standard doctrine.
    """

    policy: Policy
    lists: Sequence[DecisionRules]
    otherwise: bool = False

    def __call__(self, ask: Ask, read: Read, legal: Legal) -> Iterator[Order]:
        """Yield the legal orders that match the first rule whose conditions hold.

        For a question without rules, yield the policy's orders if ``otherwise`` is set.
        """
        decision = next((rules for rules in self.lists if rules.question == ask.question), None)
        if decision is None or not decision.rules:
            yield from self.policy(ask, read, legal) if self.otherwise else ()
            return
        process = self.policy.process
        values = self.policy.values(read)
        state = dict(zip(self.policy.keys, values, strict=True))
        view = View(
            lambda key, _default: state[key], process.scenario, ask.question.partition(".")[0]
        )
        situation = dict(features(self.policy, ask, values, view))
        if any(condition.feature == TO_GO for rule in decision.rules for condition in rule.when):
            situation[TO_GO] = process.closing - read(CLOCK, 0)
        rule = next(
            (
                rule
                for rule in decision.rules
                if all(condition.holds(situation) for condition in rule.when)
            ),
            None,
        )
        if rule is not None and rule.order != STANDARD:
            yield from (
                order
                for order in legal()
                if order_label(view, ask, order, decision.partial_slots) == rule.order
            )
