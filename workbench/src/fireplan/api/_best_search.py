"""The search for the best orders: what is asked, the whole question, as much of it as can be weighed, or a trial."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import attrs

from fireplan.api._best_answer import NarrowedSearch, SearchResult, TrialResult
from fireplan.api._errors import InputError, refusing, unknown
from fireplan.api._sampling import ADVISED, Progress
from fireplan.api._typed import ahead, command, named, refusal
from fireplan.solver import TooLargeError
from fireplan.solver import best as solving
from fireplan.solver.best import Measured, OpenDecisions, Pattern, Process
from fireplan.table import sides_of
from fireplan_core import Scenario

STAGES = 4
"""Steps of the progress bar: the states, the optimum, the policy, its rules."""
SEED = 1
"""Of trials."""
MOST_WEIGHT = 1_000_000


@attrs.frozen
class SearchRequest:
    """Say what is to be found: goals, of which scenario, how far ahead, whose orders and which of them."""

    name: str | None
    game: str | None
    goal: str | None
    second: str | None = None
    moments: int | None = None
    side: str | None = None
    only: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    belief: tuple[str, ...] = ()
    whole: bool = False

    @property
    def fixed(self) -> bool:
        """Return whether what is to be weighed was said, so that nothing else is weighed instead."""
        return self.whole or bool(self.only or self.also)

    @property
    def typed(self) -> tuple[str | None, ...]:
        """Return the command as it is typed, but for how far ahead it looks."""
        goals = ("--for", self.goal, *(("--frontier", self.second) if self.second else ()))
        side = ("--side", self.side) if self.side else ()
        texts = (("--only", self.only), ("--also", self.also), ("--belief", self.belief))
        given = (word for option, values in texts for text in values for word in (option, text))
        return ("best", *named(self.name, self.game), *goals, *side, *given)


def open_decisions_of(scenario: Scenario, request: SearchRequest, faults: list[str]) -> OpenDecisions:
    """Return what may be chosen between; add every fault to ``faults``."""
    sides = sides_of(scenario)
    side = request.side or scenario.firer
    if side not in sides:
        faults.append(str(unknown("side", side, list(sides))))
    return OpenDecisions(
        side, _only(scenario, request, faults), _also(scenario, request, faults), _belief(scenario, request, faults)
    )


def _only(scenario: Scenario, request: SearchRequest, faults: list[str]) -> dict[str, tuple[Pattern, ...]]:
    only: dict[str, tuple[Pattern, ...]] = {}
    for text in request.only:
        name, _, orders = text.partition("=")
        question = _question(scenario, name, "--only", faults)
        patterns = [_pattern(order, "--only", faults) for order in orders.split(",") if order.strip()]
        known = tuple(pattern for pattern in patterns if pattern is not None)
        only[question] = (*only.get(question, ()), *known)
    return only


def _also(scenario: Scenario, request: SearchRequest, faults: list[str]) -> dict[tuple[str, str], tuple[Any, ...]]:
    also: dict[tuple[str, str], tuple[Any, ...]] = {}
    for text in request.also:
        where, equals, value = text.partition("=")
        name, dot, slot = where.rpartition(".")
        if not equals or not dot or not value:
            faults.append(f"--also {text!r}: write QUESTION.SLOT=VALUE.")
            continue
        key = (_question(scenario, name, "--also", faults), slot)
        also[key] = (*also.get(key, ()), _value(scenario, value))
    return also


def _belief(
    scenario: Scenario, request: SearchRequest, faults: list[str]
) -> dict[str, tuple[tuple[Pattern, int], ...]]:
    belief: dict[str, tuple[tuple[Pattern, int], ...]] = {}
    for text in request.belief:
        name, _, answers = text.partition("=")
        question = _question(scenario, name, "--belief", faults)
        weights = [_weight(answer, faults) for answer in answers.split(",")]
        belief[question] = tuple(weight for weight in weights if weight is not None)
        if belief[question] and not any(weight for _, weight in belief[question]):
            faults.append(f"--belief {text!r}: at least one weight must be more than 0.")
    return belief


def _question(scenario: Scenario, name: str, option: str, faults: list[str]) -> str:
    name = name.strip()
    if name not in scenario.questions:
        short = [full for full in scenario.questions if full.partition(".")[2] == name]
        if len(short) == 1:
            return short[0]
        wrong = str(unknown("question", name, list(scenario.questions)))
        faults.append(f"{option}: t{wrong.removeprefix('T')}")
    return name


def _pattern(text: str, option: str, faults: list[str]) -> Pattern | None:
    try:
        return Pattern.parse(text)
    except ValueError as error:
        faults.append(f"{option}: {error}.")
        return None


def _weight(text: str, faults: list[str]) -> tuple[Pattern, int] | None:
    weight, _, order = text.strip().partition(" ")
    if not weight.isdecimal() or int(weight) > MOST_WEIGHT or not order.strip():
        faults.append(f"--belief {text.strip()!r}: write WEIGHT ORDER, a whole number and an order.")
        return None
    pattern = _pattern(order, "--belief", faults)
    return None if pattern is None else (pattern, int(weight))


def _value(scenario: Scenario, text: str) -> Any:
    """Return a value of a slot: a number, pairs ``name:number+name:number``, a place, or else the text itself."""
    if text.isdecimal():
        return int(text)
    pairs = [part.rpartition(":") for part in text.split("+")]
    if all(colon and name and number.isdecimal() for name, colon, number in pairs):
        return tuple((name, int(number)) for name, _, number in pairs)
    try:
        return scenario.frame.parse(text)
    except (ValueError, TypeError):
        return text


# --- the search --------------------------------------------------------------------------------------
def search(
    process: Process, wanted: Sequence[Measured], request: SearchRequest, progress: Progress
) -> SearchResult | TrialResult:
    """Answer the whole question; or, unless it was said what is to be weighed, as much of it as can be."""
    with refusing():
        try:
            found = find(process, wanted, progress)
        except TooLargeError as error:
            if request.fixed:
                raise _too_large(error, request) from error
            return _narrower(process, wanted, request.typed, str(error), progress)
    if strange := list(_strange(found)):
        raise InputError(*strange)
    return found


def find(
    process: Process, wanted: Sequence[Measured], progress: Progress, narrowing: NarrowedSearch | None = None
) -> SearchResult:
    """Return the optimum of the first goal, its policy, and the frontier with the second, if there is one."""
    scenario, moments, open_decisions = process.scenario, process.moments, process.open_decisions
    goals = [goal.goal_of(scenario, open_decisions.side) for goal in wanted]
    joined = solving.join(process.explored(goals), goals, moments)
    progress(STAGES, "states explored")
    exchange = solving.frontier(joined) if len(goals) > 1 else None
    optimum = solving.best(joined) if exchange is None else exchange.corners[0]
    usual = solving.standard(joined)
    progress(STAGES, "optimum found")
    policy = solving.Policy(optimum)
    bound = policy.is_bound
    progress(STAGES, "policy followed")
    rules = () if bound else solving.decision_rules(policy)
    progress(STAGES, "rules condensed")
    second = wanted[1] if len(wanted) > 1 else None
    found = (optimum, usual, policy, rules)
    return SearchResult(scenario, moments, open_decisions, wanted[0], *found, second, exchange, narrowing)


def _narrower(
    whole: Process, wanted: Sequence[Measured], typed: tuple[str | None, ...], why: str, progress: Progress
) -> SearchResult | TrialResult:
    """Answer instead of the whole as many questions as go together, or else try single changes."""
    scenario, open_decisions, moments = whole.scenario, whole.open_decisions, whole.moments
    goals = [goal.goal_of(scenario, open_decisions.side) for goal in wanted]
    progress(STAGES, f"too large to be weighed whole ({why}); a smaller question is sought")
    try:
        smaller = solving.narrowed(whole, goals, lambda what: progress(len(scenario.questions), what))
        found = find(smaller.process, wanted, progress, NarrowedSearch(smaller, why, typed))
    except TooLargeError as error:
        if len(wanted) > 1:
            instead = [("one goal alone, sampled", command(*typed[: typed.index("--frontier")]))]
            raise refusal(error, instead) from error
        followed, why = error.moments, str(error)
    else:
        return found
    # Not even the standard doctrine can be followed: single changes of it are sampled.
    tried = solving.trial(scenario, moments, open_decisions, goals[0], SEED, before=whole.compiler, progress=progress)
    shorter = command(*typed, *ahead(followed)) if 0 < followed < moments else None
    return TrialResult(scenario, moments, open_decisions, wanted[0], tried, SEED, why, shorter)


def _too_large(error: TooLargeError, request: SearchRequest) -> InputError:
    """Return the refusal: let it be narrowed, look as far ahead as can be followed, or sample the standard doctrine."""
    watched = () if request.moments is None else ahead(request.moments)
    instead = []
    if not request.only and not request.also:
        instead.append(("as many questions as can be weighed together", command(*request.typed, *watched)))
    if error.moments:
        whole = ("--whole",) if request.whole else ()
        instead.append(("fewer moments", command(*request.typed, *whole, *ahead(error.moments))))
    usual = command("odds", *named(request.name, request.game), *watched, "--sample", ADVISED)
    instead.append(("what the standard orders are worth, sampled", usual))
    return refusal(error, instead)


def _strange(found: SearchResult) -> Iterator[str]:
    """Yield what was asked of questions none of whose orders to be weighed was ever possible."""
    compiler = found.policy.process.compiler
    for question, patterns in found.open_decisions.only.items():
        verbs = list(compiler.offered.get(question, ()))
        if verbs and patterns and not any((question, pattern) in compiler.fitted for pattern in patterns):
            for pattern in patterns:
                if pattern.verb in ("*", *verbs):
                    yield f"--only: {str(pattern)!r} fits no order to {question} that is ever possible here."
                else:
                    yield f"--only: {unknown(f'order to {question}', pattern.verb, verbs)}"
