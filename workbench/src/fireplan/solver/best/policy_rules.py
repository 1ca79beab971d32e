"""A policy as orders of a strategy: as a function, and as rules, a list for each question.

A list is exact: in every situation that can come up under the policy, its first rule that fits
gives a best order. Each rule begins with everything that is known of a situation; conditions are
then left out while the rule gives a best order wherever it fits.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from fractions import Fraction
from itertools import product
from typing import Any

import attrs

from fireplan.errors import InputError
from fireplan.positions import GROUND, fields_of, step_arguments
from fireplan.positions.fields import MEMORY
from fireplan.positions.final import Final
from fireplan.solver.best.policy import Decision, Policy
from fireplan.solver.states import CLOCK
from fireplan.strategies import OrderRule, PendingQuestion
from fireplan.strategies.facts import PendingDecision, fact_of
from fireplan.strategies.rules import RuleCondition
from fireplan.table import Words
from fireplan_core import Order, Scenario, View
from fireplan_core.record import ProcedureError
from fireplan_core.space import label_of

MOST_RULES = 400
"""Maximum number of rules of one question."""


@attrs.frozen(eq=False)
class _Case:
    """A situation in words: for each fact its possible conditions, and the orders that are best.

    A fact whose value cannot be written has no conditions.
    """

    facts: Mapping[str, frozenset[RuleCondition]]
    orders: frozenset[str]

    def may_fit(self, conditions: Mapping[str, frozenset[RuleCondition]]) -> bool:
        """Return whether a rule with one of these conditions for each fact may fit this case."""
        return all(conditions[fact] & self.facts.get(fact, frozenset()) for fact in conditions)


def policy_rules(policy: Policy, side: str) -> tuple[OrderRule, ...]:
    """Return the rules that give the policy's orders to a side.

    Raises ``InputError`` if rules cannot express them: if the orders depend on something that no
    condition names, or need too many rules.
    """
    cases: dict[str, list[_Case]] = {}
    for decision in policy.situations:
        if decision.seen is not None:
            raise _unsaid("they depend on the harm done so far")
        cases.setdefault(decision.ask.question, []).append(_case(policy, decision))
    return tuple(rule for question in cases for rule in _rules(question, cases[question], side))


def _unsaid(why: str) -> InputError:
    return InputError(
        f"The best orders cannot be written as rules, because {why}: pass the answer of best itself as"
        " orders, or use its rules of thumb."
    )


@attrs.frozen
class PolicyAdvice:
    """A strategy function that gives the orders of a policy."""

    policy: Policy = attrs.field(eq=lambda policy: policy.situations, hash=False)

    @property
    def __name__(self) -> str:
        """The policy in words, for the text of a strategy."""
        return f"best orders in {len(self.policy.situations):,} situations"

    def rules(self, side: str) -> tuple[OrderRule, ...]:
        """Return the policy as rules for a side; raise ``InputError`` if no rules express it."""
        return policy_rules(self.policy, side)

    def __call__(self, position: Final, question: PendingQuestion) -> Order | None:
        """Return the first of the policy's orders that is legal, or None if there is none."""
        orders = self.policy(question.ask, position.read, lambda: iter(()))
        return next((order for order in orders if question.refuses(order) is None), None)


# --- the list of one question --------------------------------------------------------------------
def _rules(question: str, cases: Sequence[_Case], side: str) -> Iterator[OrderRule]:
    """Yield the rules of a question: the exceptions, then the order that is best most often.

    Raises ``InputError`` if conditions cannot express the exceptions, or if there are too many.
    """
    usual = Counter(order for case in cases for order in sorted(case.orders)).most_common(1)[0][0]
    legal = RuleCondition("legal")
    left, count = list(cases), 0
    while exceptions := [case for case in left if usual not in case.orders]:
        often = Counter(order for case in exceptions for order in sorted(case.orders))
        order = often.most_common(1)[0][0]
        case = next(case for case in exceptions if order in case.orders)
        conditions = _shortened(order, case, left)
        for combination in product(*(sorted(either, key=str) for either in conditions.values())):
            count += 1
            if count > MOST_RULES:
                raise _unsaid(f"{question} would need more than {MOST_RULES} rules")
            yield OrderRule(question, order, side, None, (*combination, legal))
        left = [other for other in left if other is not case and not _within(other, conditions)]
    yield OrderRule(question, usual, side, None, (legal,))


def _shortened(
    order: str, case: _Case, others: Sequence[_Case]
) -> Mapping[str, frozenset[RuleCondition]]:
    """Return conditions of a case that, with this order, are right in every other case they fit.

    Conditions that are not needed for this are left out. Raises ``InputError`` if even all
    conditions also fit a case in which the order is not best.
    """
    rivals = [other for other in others if order not in other.orders]
    conditions = {fact: either for fact, either in case.facts.items() if either}
    if any(rival.may_fit(conditions) for rival in rivals):
        raise _unsaid("they depend on facts that no condition can name")
    for fact in sorted(conditions, key=lambda fact: -len(conditions[fact])):
        fewer = {other: either for other, either in conditions.items() if other != fact}
        if not any(rival.may_fit(fewer) for rival in rivals):
            conditions = fewer
    return conditions


def _within(case: _Case, conditions: Mapping[str, frozenset[RuleCondition]]) -> bool:
    """Return whether these conditions hold in a case, whichever of its possible values it has."""
    return all(
        case.facts.get(fact) and case.facts[fact] <= either for fact, either in conditions.items()
    )


# --- situations in words -------------------------------------------------------------------------
def _case(policy: Policy, decision: Decision) -> _Case:
    scenario, words = policy.process.scenario, Words(policy.process.scenario)
    facts = dict(_arguments(scenario, decision))
    facts |= _time(scenario, decision.moment)
    for key, alike in zip(policy.keys, decision.values, strict=True):
        if key != CLOCK:
            either = [_condition(scenario, decision, key, value) for value in alike]
            known = frozenset(condition for condition in either if condition is not None)
            facts[key] = known if len(known) == len(either) else frozenset()
    best = (words.typed.order(decision.orders[number]) for number in decision.best)
    return _Case(facts, frozenset(best))


def _time(scenario: Scenario, moment: int) -> Mapping[str, frozenset[RuleCondition]]:
    name = scenario.clock.name(moment)
    word = re.split(r"\W*\d", name.casefold())[0]
    return {CLOCK: frozenset({RuleCondition(word, "=", name[len(word) :].strip())})}


def _arguments(
    scenario: Scenario, decision: Decision
) -> Iterator[tuple[str, frozenset[RuleCondition]]]:
    names = (step_arguments(scenario.steps[decision.ask.question].run) or ())[1:]
    for (name, _), value in zip(names, decision.ask.args, strict=False):
        text = _text(scenario, value)
        condition = None if text is None else RuleCondition(name, "=", text)
        if condition is not None and _holds(scenario, decision, condition, {}):
            yield f"argument {name}", frozenset({condition})
        else:
            yield f"argument {name}", frozenset()


def _condition(
    scenario: Scenario, decision: Decision, key: str, value: Any
) -> RuleCondition | None:
    """Return the condition that a key of the state has a value, or None if none can express it."""
    text = _text(scenario, value)
    if text is None or key.startswith(MEMORY):
        return None
    try:
        spot = fields_of(scenario).spot(key)
    except ProcedureError:
        return None
    group = spot.place if spot.group == GROUND else spot.group
    condition = RuleCondition(f"{group}.{spot.field.name}", "=", text)
    return condition if _holds(scenario, decision, condition, {key: value}) else None


def _holds(
    scenario: Scenario, decision: Decision, condition: RuleCondition, values: Mapping[str, Any]
) -> bool:
    """Return whether a condition can be written as text and holds with these values."""
    ask, read = decision.ask, values.get
    view = View(read, scenario, ask.question.partition(".")[0])
    try:
        if RuleCondition.parse(str(condition)) != condition:
            return False
        fact = fact_of(scenario, (ask.question,), condition)
        return fact(PendingDecision(scenario, ask, read, view, ()))
    except InputError:
        return False


def _text(scenario: Scenario, value: Any) -> str | None:
    """Return a value as conditions write it, or None if it is not a single word or number."""
    if value is None or isinstance(value, bool):
        return {None: "none", True: "yes", False: "no"}[value]
    if isinstance(value, Enum):
        return str(value.name).lower()
    if isinstance(value, tuple):
        return label_of(scenario.frame, value)
    return str(value) if isinstance(value, str | int | Fraction) and value != "" else None
