"""``fireplan best``: what is asked, read with every fault at once; and the answer, in words or as JSON.

Finding the optimum is the matter of ``fireplan.odds.best``.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from itertools import product
from pathlib import Path
from threading import Timer
from typing import Any

import attrs

from fireplan.cli._app import BadInputError, unknown, write
from fireplan.cli._best_answer import Found, as_data, corners, lines
from fireplan.cli._compare import catalogue
from fireplan.cli._large import SAMPLE, ahead, command, named, refusal
from fireplan.cli._progress import PATIENCE, Bar
from fireplan.cli._sitting import LONGEST, open_scenario
from fireplan.mission import ProcedureError, Scenario
from fireplan.odds import TooLargeError
from fireplan.odds.best import (
    MEASURES,
    Latitude,
    Measured,
    Pattern,
    Policy,
    Process,
    best,
    frontier,
    join,
    standard,
    thumbs,
)

TRIED_STATES, TRIED_RUNS = 10_000, 1_000
"""How large a question alone may be that is tried, after all together were too large."""
STAGES = 4
"""Steps of the progress bar: the states, the optimum, the policy, its rules."""
MOST_WEIGHT = 1_000_000


@attrs.frozen
class Sought:
    """What is to be found: goals, how far ahead, whose orders, which of them, and how it is printed."""

    goal: str | None
    second: str | None = None
    moments: int | None = None
    side: str | None = None
    only: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    belief: tuple[str, ...] = ()
    picture: Path | None = None
    as_json: bool = False


def run_best(name: str | None, game: str | None, sought: Sought) -> None:
    """Find the optimum and print it."""
    installed = catalogue()
    goals = [_goal(text) for text in (sought.goal, sought.second) if text is not None]
    faults = [str(goal) for goal in goals if isinstance(goal, BadInputError)]
    if sought.goal is None:
        faults.append(f"Say what for: --for MEASURE. There are: {', '.join(MEASURES)}.")
    if sought.picture is not None and sought.second is None:
        faults.append("--picture draws a frontier: add --frontier MEASURE.")
    if sought.second is not None and sought.second == sought.goal:
        faults.append("--frontier: name another measure than --for.")
    scenario, own = open_scenario(installed, name, game)
    moments = sought.moments if sought.moments is not None else own
    if not 1 <= moments <= LONGEST:
        faults.append(f"--moments: expected 1 to {LONGEST}, got {moments}.")
    latitude = _latitude(scenario, sought, faults)
    if faults:
        raise BadInputError("\n".join(faults))
    wanted = [goal for goal in goals if isinstance(goal, Measured)]
    process = Process(scenario, moments, latitude)
    try:
        with _Patience():
            found = find(process, wanted)
    except TooLargeError as error:
        raise _too_large(error, name, game, sought, _alone(process, wanted, error.moments)) from error
    except ProcedureError as error:
        raise BadInputError(f"This cannot be answered: {error}.") from error
    if strange := list(_strange(found)):
        raise BadInputError("\n".join(strange))
    if sought.picture is not None:
        from fireplan.cli._best_picture import frontier_svg

        write(sought.picture, frontier_svg(corners(found), *(goal.title for goal in wanted)))
    if sought.as_json:
        sys.stdout.write(json.dumps(as_data(found), indent=2, ensure_ascii=False) + "\n")
        return
    sys.stdout.write("\n".join(lines(found)) + "\n")
    if sought.picture is not None:
        sys.stdout.write(f"Picture: {sought.picture}\n")


def _too_large(
    error: TooLargeError, name: str | None, game: str | None, sought: Sought, alone: tuple[str, int] | None
) -> BadInputError:
    """The refusal: weigh one question alone, or look as far ahead as can be followed."""
    goals = ("--for", sought.goal, *(("--frontier", sought.second) if sought.second else ()))
    side = ("--side", sought.side) if sought.side else ()
    given = [word for text in sought.only for word in ("--only", text)]
    given += [word for text in sought.also for word in ("--also", text)]
    given += [word for text in sought.belief for word in ("--belief", text)]
    typed = ("best", *named(name, game), *goals, *side, *given)
    instead = []
    if alone is not None:
        question, moments = alone
        instead.append(("one question alone", command(*typed, "--only", question, *ahead(moments))))
    if error.moments:
        instead.append(("fewer moments", command(*typed, *ahead(error.moments))))
    if not instead:
        watched = () if sought.moments is None else ahead(sought.moments)
        usual = command("odds", *named(name, game), *watched, "--sample", SAMPLE)
        instead.append(("what the standard orders are worth, sampled", usual))
    return refusal(error, instead)


def _alone(process: Process, wanted: Sequence[Measured], followed: int) -> tuple[str, int] | None:
    """A question that can be weighed alone, and how far ahead; None if there is none.

    One moment ahead is tried too, unless all questions together can be ``followed`` for one.
    """
    scenario, latitude = process.scenario, process.latitude
    if latitude.only:
        return None
    # Those that were asked before it grew too large come last: one of them may be why it did.
    asked = process.compiler.offered
    questions = sorted(scenario.questions, key=lambda question: question in asked)
    far = [process.moments] if followed or process.moments == 1 else [process.moments, 1]
    for moments, question in product(far, questions):
        single = attrs.evolve(latitude, only={question: ()})
        smaller = Process(scenario, moments, single, max_nodes=TRIED_STATES, max_runs=TRIED_RUNS)
        try:
            if smaller.explored([goal.make(scenario, latitude.side) for goal in wanted]).decides:
                return question, moments
        except (TooLargeError, ProcedureError):
            continue
    return None


class _Patience:
    """After a second, says on a terminal what takes so long; how many states there will be nobody can tell."""

    def __enter__(self) -> None:
        self._timer = Timer(PATIENCE, self._say)
        if sys.stderr.isatty():
            self._timer.start()

    @staticmethod
    def _say() -> None:
        sys.stderr.write("following every order that may be given ...\n")

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()


def _strange(found: Found) -> Iterator[str]:
    """Questions that were asked and none of whose orders to be weighed was ever possible."""
    compiler = found.policy.process.compiler
    for question, patterns in found.latitude.only.items():
        verbs = list(compiler.offered.get(question, ()))
        if verbs and patterns and not any((question, pattern) in compiler.fitted for pattern in patterns):
            for pattern in patterns:
                if pattern.verb in ("*", *verbs):
                    yield f"--only: {str(pattern)!r} fits no order to {question} that is ever possible here."
                else:
                    yield f"--only: {unknown(f'order to {question}', pattern.verb, verbs)}"


def find(process: Process, wanted: Sequence[Measured]) -> Found:
    """The optimum of the first goal, its policy, and the frontier with the second, if there is one."""
    scenario, moments, latitude = process.scenario, process.moments, process.latitude
    with Bar(STAGES) as bar:
        goals = [goal.make(scenario, latitude.side) for goal in wanted]
        joined = join(process.explored(goals), goals, moments)
        bar.step("states explored")
        exchange = frontier(joined) if len(goals) > 1 else None
        optimum = best(joined) if exchange is None else exchange.corners[0]
        usual = standard(joined)
        bar.step("optimum found")
        policy = Policy(optimum)
        bound = policy.is_bound
        bar.step("policy followed")
        rules = () if bound else thumbs(policy)
        bar.step("rules condensed")
    second = wanted[1] if len(wanted) > 1 else None
    return Found(scenario, moments, latitude, wanted[0], optimum, usual, policy, rules, second, exchange)


# --- what is asked -------------------------------------------------------------------------------
def _goal(text: str) -> Measured | BadInputError:
    return MEASURES.get(text) or unknown("measure", text, list(MEASURES))


def _latitude(scenario: Scenario, sought: Sought, faults: list[str]) -> Latitude:
    """What may be chosen between; adds every fault to ``faults``."""
    sides = list(dict.fromkeys(setup.side for setup in scenario.missions.values()))
    side = sought.side or scenario.firer
    if side not in sides:
        faults.append(str(unknown("side with artillery", side, sides)))
    only: dict[str, tuple[Pattern, ...]] = {}
    for text in sought.only:
        name, _, orders = text.partition("=")
        question = _question(scenario, name, "--only", faults)
        patterns = [_pattern(order, "--only", faults) for order in orders.split(",") if order.strip()]
        known = tuple(pattern for pattern in patterns if pattern is not None)
        only[question] = (*only.get(question, ()), *known)
    also: dict[tuple[str, str], tuple[Any, ...]] = {}
    for text in sought.also:
        where, equals, value = text.partition("=")
        name, dot, slot = where.rpartition(".")
        if not equals or not dot or not value:
            faults.append(f"--also {text!r}: write QUESTION.SLOT=VALUE.")
            continue
        key = (_question(scenario, name, "--also", faults), slot)
        also[key] = (*also.get(key, ()), _value(scenario, value))
    belief: dict[str, tuple[tuple[Pattern, int], ...]] = {}
    for text in sought.belief:
        name, _, answers = text.partition("=")
        question = _question(scenario, name, "--belief", faults)
        weights = [_weight(answer, faults) for answer in answers.split(",")]
        belief[question] = tuple(weight for weight in weights if weight is not None)
        if belief[question] and not any(weight for _, weight in belief[question]):
            faults.append(f"--belief {text!r}: at least one weight must be more than 0.")
    return Latitude(side, only, also, belief)


def _question(scenario: Scenario, name: str, option: str, faults: list[str]) -> str:
    name = name.strip()
    if name not in scenario.questions:
        short = [full for full in scenario.questions if full.partition(".")[2] == name]
        if len(short) == 1:
            return short[0]
        near = get_close_matches(name, scenario.questions, n=1, cutoff=0.4)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        faults.append(f"{option}: there is no question {name!r}.{hint} There are: {', '.join(scenario.questions)}.")
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
    """A value of a slot: a number, pairs ``name:number+name:number``, a place, or else the text itself."""
    if text.isdecimal():
        return int(text)
    pairs = [part.rpartition(":") for part in text.split("+")]
    if all(colon and name and number.isdecimal() for name, colon, number in pairs):
        return tuple((name, int(number)) for name, _, number in pairs)
    try:
        return scenario.frame.parse(text)
    except (ValueError, TypeError):
        return text
