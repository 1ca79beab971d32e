"""The search for the best orders: the request, and the policy found with its bound."""

from __future__ import annotations

import time  # noqa: TID251 - limits how long the user waits; no rule depends on it
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import partial
from math import inf
from typing import Any

import attrs

from fireplan.errors import (
    InputError,
    argument_name,
    gathered,
    outside,
    quoted,
    refuse,
    unknown,
)
from fireplan.positions.atoms import COUNT
from fireplan.questions import best_answer as answers
from fireplan.questions.asked_position import AskedPosition, given
from fireplan.questions.best_answer import SearchResult
from fireplan.questions.inquiry import begun_at, moments_until
from fireplan.questions.opening import LONGEST
from fireplan.questions.question import Progress, silent
from fireplan.questions.refusing import refusing
from fireplan.questions.result import Block, Result, Rows, Text
from fireplan.solver import TooLargeError
from fireplan.solver import best as solving
from fireplan.solver.best import MEASURES, NamedGoal, OpenDecisions, Pattern, Process
from fireplan.strategies import EVERY, OrderRule, Strategy, strategy_of
from fireplan.table import sides_of
from fireplan_core import Scenario

STAGES = 12
"""Maximum number of progress steps: one for each result, the frontier and the rules."""
CARD = 8
"""Maximum number of lines on a card."""
THUMBS = 5
"""Maximum number of rules of thumb in an answer."""
RULES = 0.15
"""Share of the time reserved for the rules of thumb."""
MOST_WEIGHED = 3_000
"""Maximum number of situations in a policy for which the worth of each rule is computed."""
MOST_WEIGHT = 1_000_000
LONGEST_WAIT = 86_400
"""Longest time limit for a search, in seconds."""

_spent = getattr(time, "thread_time", time.process_time)
"""Processor time of this thread in seconds; in a browser, of the whole process."""


@attrs.frozen
class SearchRequest:
    """A request for the best orders: goals, side, questions, time limit and card."""

    goal: str | None = None
    frontier: str | None = None
    moments: int | None = None
    side: str | None = None
    only: Iterable[str] = ()
    also: Iterable[str] = ()
    belief: Iterable[str] = ()
    seconds: int | None = None
    card: bool = False

    def faults(self) -> list[str]:
        """Return the faults of the request that do not depend on the table."""
        names = [
            name for name in (self.goal, self.frontier) if name is not None and name not in MEASURES
        ]
        faults = [str(unknown("measure", name, MEASURES)) for name in names]
        if self.frontier is not None and self.frontier == self.goal:
            faults.append(f"{argument_name('frontier')}: name a measure other than the goal.")
        return (
            faults
            + outside("moments", self.moments, 1, LONGEST)
            + outside("seconds", self.seconds, 1, LONGEST_WAIT)
        )


@attrs.frozen(eq=False, repr=False)
class BestResult(Result):
    """The best orders found for a goal: policy, bound, standard doctrine, and rules of thumb.

    ``found`` contains the policy with its exact or sampled value, and the bound. ``chosen`` is true
    if the user named no goal, in which case all goals are listed at the end. With ``in_full``, the
    answer also says how it was found.
    """

    found: SearchResult
    chosen: bool = False
    in_full: bool = False

    @property
    def value(self) -> Fraction:
        """The exact value of the orders found, or its estimate if it was sampled."""
        return self.found.value

    @property
    def strategy(self) -> Strategy:
        """The orders found, as orders to give in advance: ``odds(orders=answer)``.

        They are rules if the search found verbs to give always. Otherwise they are a function,
        which ``Strategy.in_rules`` converts to rules if it can.
        """
        process, bounded = self.found.process, self.found.found
        trial = bounded.trial
        chooser = trial.best if trial is not None else bounded.change or bounded.policy
        rules: tuple[OrderRule, ...] = ()
        side = process.open_decisions.side
        if isinstance(chooser, solving.DoctrineChange):
            rules = tuple(
                OrderRule.of(name, f"{verb} if legal", side) for name, verb in chooser.verbs
            )
        elif isinstance(chooser, solving.Policy):
            rules = (OrderRule(EVERY, solving.PolicyAdvice(chooser), side),)
        return Strategy(rules).then(strategy_of(process.scenario))

    @property
    def cites(self) -> tuple[str, ...]:
        """The rule numbers cited in the search, and by the orders compared."""
        return self.found.searched.cites

    def blocks(self) -> Iterator[Block]:
        """Yield the answer line by line, the advice in bold."""
        found = self.found
        lines = answers.card_lines(found) if found.card is not None else answers.lines(found)
        if self.in_full:
            lines = [*lines[:-1], "", *answers.why_lines(found)]
        yield Text(lines[0], "bold", wrap=False)
        yield from (Text(line, wrap=False) for line in lines[1:])
        if self.chosen:
            goals = ", ".join(MEASURES)
            yield Text(
                f"No goal was named: {found.goal.name} is the usual one here. Available: {goals}."
            )

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as plain data, with every situation of the policy.

        Rationals are strings.
        """
        return answers.as_data(self.found)

    def rows(self) -> Rows:
        """Return one row for each situation of the policy."""
        return list(self.to_dict()["policy"])

    def svg(self) -> str:
        """Return the frontier of two goals as an SVG chart.

        Raise ``InputError`` if there was only one goal.
        """
        from fireplan.draw import plot

        if (second := self.found.second) is None:
            return super().svg()
        points = [(float(one), float(other)) for (one, other), _ in self.found.points]
        return plot.trade_off(points, self.found.goal.title, second.title)


def best_orders(
    position: AskedPosition,
    goal: str | None = None,
    *,
    by: str | int | None = None,
    orders: Any = None,
    why: bool = False,
    progress: Progress = silent,
    **arguments: Any,
) -> BestResult:
    """Return the best orders from a position on; the arguments are those of ``fireplan.best``.

    Only what happens from here on counts: for ``moments`` moments or up to ``by``, as in ``odds``.
    The search looks for better orders than ``orders``, which are given in advance as to
    ``fireplan.strategy``. Raise ``InputError`` listing every fault, or if a throw is only partly
    entered.
    """
    position = given(position, orders)
    at = position.at
    if at.faces:
        raise InputError("Finish the throw first: orders are compared before a throw or after it.")
    request = SearchRequest(goal, **arguments)
    faults = request.faults()
    open_decisions = open_decisions_of(at.scenario, request, faults)
    if by is not None and request.moments is not None:
        faults.append(
            f"{argument_name('moments')} and {argument_name('by')} cannot be combined; choose one."
        )
    until = gathered(faults, moments_until, position, by)
    refuse(faults)
    moments = request.moments or until - at.moment
    process = Process(at.scenario, moments, open_decisions, state=begun_at(at))
    measures = [MEASURES[name] for name in (goal or position.game.goal, request.frontier) if name]
    with position.followed():
        found = search(process, measures, request, progress)
    return BestResult(found, goal is None, why)


def open_decisions_of(
    scenario: Scenario, request: SearchRequest, faults: list[str]
) -> OpenDecisions:
    """Return the decisions left open to the search; add every fault to ``faults``."""
    sides = sides_of(scenario)
    side = request.side or scenario.firer
    if side not in sides:
        faults.append(str(unknown("side", side, list(sides))))
    return OpenDecisions(
        side,
        read_patterns(scenario, request.only, "only", faults),
        _also(scenario, request, faults),
        read_beliefs(scenario, request.belief, "belief", faults),
    )


def read_patterns(
    scenario: Scenario, texts: Iterable[str], name: str, faults: list[str]
) -> dict[str, tuple[Pattern, ...]]:
    """Parse texts such as "QUESTION=ORDER, ORDER"; return the order patterns by question.

    ``name`` is the argument that holds the texts; faults name it and are added to ``faults``.
    """
    only: dict[str, tuple[Pattern, ...]] = {}
    for text in texts:
        key, _, orders = text.partition("=")
        question = _question(scenario, key, name, faults)
        patterns = [_pattern(order, name, faults) for order in orders.split(",") if order.strip()]
        valid = tuple(pattern for pattern in patterns if pattern is not None)
        only[question] = (*only.get(question, ()), *valid)
    return only


def _also(
    scenario: Scenario, request: SearchRequest, faults: list[str]
) -> dict[tuple[str, str], tuple[Any, ...]]:
    also: dict[tuple[str, str], tuple[Any, ...]] = {}
    for text in request.also:
        where, equals, value = text.partition("=")
        name, dot, slot = where.rpartition(".")
        if not equals or not dot or not value:
            faults.append(f"{argument_name('also')} {quoted(text)}: write QUESTION.SLOT=VALUE.")
            continue
        key = (_question(scenario, name, "also", faults), slot)
        also[key] = (*also.get(key, ()), _value(scenario, value))
    return also


def read_beliefs(
    scenario: Scenario, texts: Iterable[str], name: str, faults: list[str]
) -> dict[str, tuple[tuple[Pattern, int], ...]]:
    """Parse texts such as "QUESTION=WEIGHT ORDER"; return (pattern, weight) pairs by question.

    ``name`` is the argument that holds the texts; faults name it and are added to ``faults``.
    """
    beliefs: dict[str, tuple[tuple[Pattern, int], ...]] = {}
    for text in texts:
        key, _, answers = text.partition("=")
        question = _question(scenario, key, name, faults)
        weights = [_weight(answer, name, faults) for answer in answers.split(",")]
        beliefs[question] = tuple(weight for weight in weights if weight is not None)
        if beliefs[question] and not any(weight for _, weight in beliefs[question]):
            faults.append(
                f"{argument_name(name)} {quoted(text)}: at least one weight must be above 0."
            )
    return beliefs


def _question(scenario: Scenario, key: str, name: str, faults: list[str]) -> str:
    key = key.strip()
    names = [name for name, asked in scenario.questions.items() if not asked.solver_only]
    if key not in names:
        short = [full for full in names if full.partition(".")[2] == key]
        if len(short) == 1:
            return short[0]
        wrong = str(unknown("question", key, names))
        faults.append(f"{argument_name(name)}: t{wrong.removeprefix('T')}")
    return key


def _pattern(text: str, name: str, faults: list[str]) -> Pattern | None:
    try:
        return Pattern.parse(text)
    except ValueError as error:
        faults.append(f"{argument_name(name)}: {error}.")
        return None


def _weight(text: str, name: str, faults: list[str]) -> tuple[Pattern, int] | None:
    weight, _, order = text.strip().partition(" ")
    if not COUNT.fullmatch(weight) or int(weight) > MOST_WEIGHT or not order.strip():
        faults.append(
            f"{argument_name(name)} {quoted(text.strip())}: write WEIGHT ORDER, a whole number and an"
            " order."
        )
        return None
    pattern = _pattern(order, name, faults)
    return None if pattern is None else (pattern, int(weight))


def _value(scenario: Scenario, text: str) -> Any:
    """Parse the value of a slot: a number, pairs ``name:number+name:number``, a place, or text."""
    if COUNT.fullmatch(text):
        return int(text)
    pairs = [part.rpartition(":") for part in text.split("+")]
    if all(colon and name and COUNT.fullmatch(number) for name, colon, number in pairs):
        return tuple((name, int(number)) for name, _, number in pairs)
    try:
        return scenario.frame.parse(text)
    except (ValueError, TypeError):
        return text


# --- the search -----------------------------------------------------------------------
def search(
    process: Process, measures: Sequence[NamedGoal], request: SearchRequest, progress: Progress
) -> SearchResult:
    """Return the best policy and bound found, with rules of thumb.

    ``measures`` contains the goal and, to find a frontier, a second goal. Raises ``InputError`` if
    none of the orders that ``only`` lists for a question can ever be given.
    """
    # Measure processor time, so that a search finds as much on a busy machine as on an idle one.
    end = inf if request.seconds is None else _spent() + request.seconds
    reserve = 0 if request.seconds is None else request.seconds * RULES

    def left() -> float:
        return end - _spent()

    def left_to_search() -> float:
        return left() - reserve

    def step(bounded: solving.Bounded) -> None:
        progress(STAGES, answers.so_far(SearchResult(measures[0], process, bounded)))

    with refusing():
        goal = measures[0].goal_of(process.scenario, process.open_decisions.side)
        bounded = solving.bounded(process, goal, left_to_search, step)
        result = SearchResult(measures[0], process, bounded)
        if len(measures) > 1:
            result = _exchanged(result, measures)
            progress(STAGES, "frontier found")
        result = _with_rules(result, left, card=request.card)
        progress(STAGES, "rules condensed")
    if strange := list(_unfitting(result)):
        raise InputError(*strange)
    return result


def _with_rules(
    result: SearchResult, time_left: Callable[[], float], *, card: bool
) -> SearchResult:
    """Return the result with its rules of thumb, the cost of following them, and the card."""
    policy, process, bounded = result.found.policy, result.process, result.found
    if bounded.trial is not None and isinstance(bounded.trial.best, solving.Policy) and not card:
        sampled = _useful(solving.decision_rules(bounded.trial.best))
        return attrs.evolve(result, thumbs=_shortest(sampled, THUMBS))
    if policy is None or bounded.value is None:
        return attrs.evolve(result, card=() if card and bounded.trial is None else None)
    decisions = solving.decision_rules(policy)

    def late() -> bool:
        return not card and time_left() <= 0

    def loss(thumb: solving.RuleFollower) -> Fraction:
        (value,) = solving.values_of(process, [bounded.goal], thumb, late)
        return Fraction(bounded.value or 0) - value

    useful = _useful(decisions)
    lists = _shortest(useful, CARD)
    if card:
        thumb = solving.RuleFollower(policy, lists)
        result = attrs.evolve(result, card=lists, loss=loss(thumb))
    else:
        result = attrs.evolve(result, thumbs=_shortest(useful, THUMBS))
        if lists and time_left() > 0:
            with suppress(TooLargeError):
                result = _with_thumbs(result, policy, lists, loss, time_left)
    return attrs.evolve(result, rules=tuple(_with_costs(decisions, policy, loss, time_left)))


def _useful(decisions: Iterable[solving.DecisionRules]) -> list[solving.DecisionRules]:
    """Return the rules of questions whose standard order is not always best."""
    return [decision for decision in decisions if decision.rules and not decision.standard]


def _with_costs(
    decisions: Iterable[solving.DecisionRules],
    policy: solving.Policy,
    loss: Callable[[solving.RuleFollower], Fraction],
    time_left: Callable[[], float],
) -> Iterator[solving.DecisionRules]:
    """Yield the rules of each question with the cost of following them.

    The cost is None if it cannot be computed in time or is not needed. ``loss`` returns the cost of
    following some rules.
    """
    for decision in decisions:
        cost = None
        if decision.rules and not decision.standard and time_left() > 0:
            with suppress(TooLargeError):
                cost = loss(solving.RuleFollower(policy, (decision,), otherwise=True))
        yield attrs.evolve(decision, cost=cost)


def _with_thumbs(
    result: SearchResult,
    policy: solving.Policy,
    lists: tuple[solving.DecisionRules, ...],
    loss: Callable[[solving.RuleFollower], Fraction],
    time_left: Callable[[], float],
) -> SearchResult:
    """Return the result with its most valuable rules of thumb, and the loss from following them."""
    follow = partial(solving.RuleFollower, policy)
    began = time_left()
    least = loss(follow(lists))
    seconds = 0 if began == inf else began - time_left()
    worth: dict[int, Fraction] = {}
    for rule in (rule for decision in lists for rule in decision.rules):
        # Two more lists are followed at the end, and each takes about as long as the first.
        if time_left() > 3 * seconds and len(policy.situations) <= MOST_WEIGHED:
            standard = attrs.evolve(rule, order=solving.STANDARD)
            worth[id(rule)] = loss(follow(_replaced(lists, {id(rule): standard}))) - least
    rules = sorted(
        (rule for decision in lists for rule in decision.rules),
        key=lambda rule: (-worth.get(id(rule), 0), -rule.situations),
    )
    weighed = {id(rule): attrs.evolve(rule, worth=worth.get(id(rule))) for rule in rules[:THUMBS]}
    useful = {key: rule for key, rule in weighed.items() if rule.worth}
    choices = []
    for kept in [useful, weighed] if useful else [weighed]:
        thumbs = _replaced(lists, dict.fromkeys(map(id, rules)) | kept)
        choices.append((loss(follow(thumbs)), thumbs))
    lost, thumbs = min(choices, key=lambda choice: choice[0])  # on a tie, the shorter list
    return attrs.evolve(result, thumbs=thumbs, thumbs_loss=lost)


def _replaced(
    lists: tuple[solving.DecisionRules, ...], rules: Mapping[int, solving.DecisionRule | None]
) -> tuple[solving.DecisionRules, ...]:
    """Return the lists with some rules replaced, or left out (None); keys are their ``id()``."""
    replaced = []
    for decision in lists:
        others = [rules.get(id(rule), rule) for rule in decision.rules]
        kept = [rule for rule in others if rule is not None]
        if kept:
            kept[0] = attrs.evolve(kept[0], rest=False)  # the first rule no longer follows another
            replaced.append(attrs.evolve(decision, rules=tuple(kept)))
    return tuple(replaced)


def _shortest(
    lists: Iterable[solving.DecisionRules], most: int
) -> tuple[solving.DecisionRules, ...]:
    """Return the rules that decide the most situations, at most ``most`` of them, by question."""
    lists = tuple(lists)
    rules = sorted(
        (rule for decision in lists for rule in decision.rules), key=lambda rule: -rule.situations
    )
    return _replaced(lists, {id(rule): None for rule in rules[most:]})


def _exchanged(result: SearchResult, measures: Sequence[NamedGoal]) -> SearchResult:
    """Return the result with the frontier: the values of a policy and of the bound at each corner.

    Raise ``InputError`` if the problem with both goals is too large.
    """
    process = result.searched
    goals = [goal.goal_of(process.scenario, process.open_decisions.side) for goal in measures]
    try:
        exchange = solving.frontier(solving.join(process.explored(goals), goals, process.moments))
    except TooLargeError as error:
        raise InputError(
            f"The problem with both goals is too large ({error}): ask for one, or for fewer moments."
        ) from error
    result = attrs.evolve(result, second=measures[1], whole=exchange.whole)
    points = []
    for corner in exchange.corners:
        reached = solving.policy_values(result.process, goals, corner, solving.Policy(corner))
        pairs = [
            (result.figure(each[0]), result.figure(each[1], 1)) for each in (reached, corner.values)
        ]
        points.append((pairs[0], pairs[1]))
    return attrs.evolve(result, points=tuple(points))


def _unfitting(result: SearchResult) -> Iterator[str]:
    """Yield faults for the orders that ``only`` lists for a question, if all are impossible."""
    compiler = result.searched.compiler
    for question, patterns in result.process.open_decisions.only.items():
        verbs = list(compiler.offered.get(question, ()))
        if (
            verbs
            and patterns
            and not any((question, pattern) in compiler.fitted for pattern in patterns)
        ):
            for pattern in patterns:
                if pattern.verb in ("*", *verbs):
                    yield f"{argument_name('only')}: {str(pattern)!r} matches no order that can ever answer {question} here."
                else:
                    yield f"{argument_name('only')} {question}: {unknown('order', pattern.verb, verbs)}"
