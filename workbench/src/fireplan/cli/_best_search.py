"""The search of ``fireplan best``: the whole question, as much of it as can be weighed, or else a trial of changes."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

from fireplan.cli._app import BadInputError, refusing, unknown
from fireplan.cli._best_answer import NarrowedSearch, SearchResult
from fireplan.cli._best_request import SearchRequest
from fireplan.cli._best_trial import TrialResult
from fireplan.cli._large import SAMPLE, ahead, command, named, refusal
from fireplan.cli._progress import Bar, explained
from fireplan.odds import TooLargeError
from fireplan.odds.best import (
    Measured,
    Policy,
    Process,
    best,
    decision_rules,
    frontier,
    join,
    narrowed,
    standard,
    trial,
)

STAGES = 4
"""Steps of the progress bar: the states, the optimum, the policy, its rules."""
SEED = 1
"""Of trials."""


def search(process: Process, wanted: Sequence[Measured], request: SearchRequest) -> SearchResult | TrialResult:
    """Answer the whole question; or, unless it was said what is to be weighed, as much of it as can be."""
    with refusing():
        try:
            with explained("following every order that may be given"):
                found = find(process, wanted)
        except TooLargeError as error:
            if request.fixed:
                raise _too_large(error, request) from error
            return _narrower(process, wanted, request.typed, str(error))
    if strange := list(_strange(found)):
        raise BadInputError("\n".join(strange))
    return found


def find(process: Process, wanted: Sequence[Measured], narrowing: NarrowedSearch | None = None) -> SearchResult:
    """Return the optimum of the first goal, its policy, and the frontier with the second, if there is one."""
    scenario, moments, open_decisions = process.scenario, process.moments, process.open_decisions
    with Bar(STAGES) as bar:
        goals = [goal.make(scenario, open_decisions.side) for goal in wanted]
        joined = join(process.explored(goals), goals, moments)
        bar.step("states explored")
        exchange = frontier(joined) if len(goals) > 1 else None
        optimum = best(joined) if exchange is None else exchange.corners[0]
        usual = standard(joined)
        bar.step("optimum found")
        policy = Policy(optimum)
        bound = policy.is_bound
        bar.step("policy followed")
        rules = () if bound else decision_rules(policy)
        bar.step("rules condensed")
    second = wanted[1] if len(wanted) > 1 else None
    found = (optimum, usual, policy, rules)
    return SearchResult(scenario, moments, open_decisions, wanted[0], *found, second, exchange, narrowing)


def _narrower(
    whole: Process, wanted: Sequence[Measured], typed: tuple[str | None, ...], why: str
) -> SearchResult | TrialResult:
    """Answer instead of the whole as many questions as go together, or else try single changes."""
    scenario, open_decisions, moments = whole.scenario, whole.open_decisions, whole.moments
    goals = [goal.make(scenario, open_decisions.side) for goal in wanted]
    sys.stderr.write(f"This is too large to be weighed whole ({why}). A smaller question is sought ...\n")
    try:
        with Bar(len(scenario.questions)) as bar:
            smaller = narrowed(whole, goals, bar.step)
        found = find(smaller.process, wanted, NarrowedSearch(smaller, why, typed))
    except TooLargeError as error:
        if len(wanted) > 1:
            instead = [("one goal alone, sampled", command(*typed[: typed.index("--frontier")]))]
            raise refusal(error, instead) from error
        followed, why = error.moments, str(error)
    else:
        return found
    # Not even the standard doctrine can be followed: single changes of it are sampled.
    with Bar() as bar:
        tried = trial(scenario, moments, open_decisions, goals[0], SEED, before=whole.compiler, progress=bar.step_of)
    shorter = command(*typed, *ahead(followed)) if 0 < followed < moments else None
    return TrialResult(scenario, moments, open_decisions, wanted[0], tried, SEED, why, shorter)


def _too_large(error: TooLargeError, request: SearchRequest) -> BadInputError:
    """Return the refusal: let it be narrowed, look as far ahead as can be followed, or sample the standard doctrine."""
    watched = () if request.moments is None else ahead(request.moments)
    instead = []
    if not request.only and not request.also:
        instead.append(("as many questions as can be weighed together", command(*request.typed, *watched)))
    if error.moments:
        whole = ("--whole",) if request.whole else ()
        instead.append(("fewer moments", command(*request.typed, *whole, *ahead(error.moments))))
    usual = command("odds", *named(request.name, request.game), *watched, "--sample", SAMPLE)
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
