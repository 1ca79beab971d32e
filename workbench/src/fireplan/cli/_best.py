"""``fireplan best``: what is asked, read with every fault at once; and the answer, in words or as JSON.

Finding the optimum is the matter of ``fireplan.odds.best``.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path
from threading import Timer
from typing import Any, NoReturn

import attrs

from fireplan.cli._app import BadInputError, gathered, outside, refuse, unknown, unwritable, write
from fireplan.cli._best_answer import Found, Narrowing, as_data, corners, lines
from fireplan.cli._best_trial import Tried, trial_data, trial_lines
from fireplan.cli._compare import catalogue_for
from fireplan.cli._large import SAMPLE, ahead, command, named, refusal
from fireplan.cli._progress import PATIENCE, Bar
from fireplan.cli._sitting import LONGEST, open_scenario
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
    narrowed,
    standard,
    thumbs,
    trial,
)
from fireplan_core import ProcedureError, Scenario

STAGES = 4
"""Steps of the progress bar: the states, the optimum, the policy, its rules."""
SEED = 1
"""Of trials."""
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
    whole: bool = False

    @property
    def fixed(self) -> bool:
        """Whether what is to be weighed was said, so that nothing else is weighed instead."""
        return self.whole or bool(self.only or self.also)

    def typed(self, name: str | None, game: str | None) -> tuple[str | None, ...]:
        """The command as it is typed, but for how far ahead it looks."""
        goals = ("--for", self.goal, *(("--frontier", self.second) if self.second else ()))
        side = ("--side", self.side) if self.side else ()
        given = [word for text in self.only for word in ("--only", text)]
        given += [word for text in self.also for word in ("--also", text)]
        given += [word for text in self.belief for word in ("--belief", text)]
        return ("best", *named(name, game), *goals, *side, *given)


def run_best(name: str | None, game: str | None, sought: Sought) -> None:
    """Find the optimum and print it."""
    installed = catalogue_for(name, game)
    goals = [_goal(text) for text in (sought.goal, sought.second) if text is not None]
    faults = [str(goal) for goal in goals if isinstance(goal, BadInputError)]
    if sought.goal is None:
        faults.append(f"Say what for: --for MEASURE. There are: {', '.join(MEASURES)}.")
    if sought.picture is not None and sought.second is None:
        faults.append("--picture draws a frontier: add --frontier MEASURE.")
    if sought.second is not None and sought.second == sought.goal:
        faults.append("--frontier: name another measure than --for.")
    faults += outside("--moments", sought.moments, 1, LONGEST) + unwritable(sought.picture)
    opened: list[tuple[Scenario, int, Latitude]] = []
    with gathered(faults):
        scenario, own = open_scenario(installed, name, game)
        opened.append((scenario, sought.moments or own, _latitude(scenario, sought, faults)))
    refuse(faults)
    ((scenario, moments, latitude),) = opened
    wanted = [goal for goal in goals if isinstance(goal, Measured)]
    found = _answered(Process(scenario, moments, latitude), wanted, sought, name, game)
    if isinstance(found, Tried):
        _told(trial_data(found) if sought.as_json else trial_lines(found))
        return
    if strange := list(_strange(found)):
        raise BadInputError("\n".join(strange))
    if sought.picture is not None:
        from fireplan.cli._best_picture import frontier_svg

        write(sought.picture, frontier_svg(corners(found), *(goal.title for goal in wanted)))
    _told(as_data(found) if sought.as_json else lines(found))
    if sought.picture is not None and not sought.as_json:
        sys.stdout.write(f"Picture: {sought.picture}\n")


def _answered(
    process: Process, wanted: Sequence[Measured], sought: Sought, name: str | None, game: str | None
) -> Found | Tried:
    """The whole question answered; or, unless it was said what is to be weighed, as much of it as can be."""
    try:
        with _Patience():
            return find(process, wanted)
    except TooLargeError as error:
        if sought.fixed:
            raise _too_large(error, name, game, sought) from error
        why = str(error)
    except ProcedureError as error:
        _cannot(error)
    return _narrower(process, wanted, sought.typed(name, game), why)


def _told(answer: dict[str, Any] | list[str]) -> None:
    """Print JSON data or lines."""
    text = "\n".join(answer) if isinstance(answer, list) else json.dumps(answer, indent=2, ensure_ascii=False)
    sys.stdout.write(text + "\n")


def _cannot(error: ProcedureError) -> NoReturn:
    raise BadInputError(f"This cannot be answered: {error}.") from error


def _narrower(whole: Process, wanted: Sequence[Measured], typed: tuple[str | None, ...], why: str) -> Found | Tried:
    """What can be answered instead of the whole: as many questions as go together, or else a trial of changes."""
    scenario, latitude, moments = whole.scenario, whole.latitude, whole.moments
    goals = [goal.make(scenario, latitude.side) for goal in wanted]
    sys.stderr.write(f"This is too large to be weighed whole ({why}). A smaller question is sought ...\n")
    try:
        with Bar(len(scenario.questions)) as bar:
            smaller = narrowed(whole, goals, bar.step)
        return find(smaller.process, wanted, Narrowing(smaller, why, typed))
    except ProcedureError as error:
        _cannot(error)
    except TooLargeError as error:
        if len(wanted) > 1:
            instead = [("one goal alone, sampled", command(*typed[: typed.index("--frontier")]))]
            raise refusal(error, instead) from error
        followed, why = error.moments, str(error)
    # Not even the standard doctrine can be followed: single changes of it are sampled.
    steps: list[Bar] = []

    def progress(total: int, what: str) -> None:
        if not steps:
            steps.append(Bar(total).__enter__())
        steps[0].step(what)

    try:
        found = trial(scenario, moments, latitude, goals[0], SEED, before=whole.compiler, progress=progress)
    except ProcedureError as error:
        _cannot(error)
    finally:
        for bar in steps:
            bar.__exit__(None, None, None)
    shorter = command(*typed, *ahead(followed)) if 0 < followed < moments else None
    return Tried(scenario, moments, latitude, wanted[0], found, SEED, why, shorter)


def _too_large(error: TooLargeError, name: str | None, game: str | None, sought: Sought) -> BadInputError:
    """The refusal: let it be narrowed, look as far ahead as can be followed, or sample the standard doctrine."""
    typed = sought.typed(name, game)
    watched = () if sought.moments is None else ahead(sought.moments)
    instead = []
    if not sought.only and not sought.also:
        instead.append(("as many questions as can be weighed together", command(*typed, *watched)))
    if error.moments:
        whole = ("--whole",) if sought.whole else ()
        instead.append(("fewer moments", command(*typed, *whole, *ahead(error.moments))))
    usual = command("odds", *named(name, game), *watched, "--sample", SAMPLE)
    instead.append(("what the standard orders are worth, sampled", usual))
    return refusal(error, instead)


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


def find(process: Process, wanted: Sequence[Measured], narrowing: Narrowing | None = None) -> Found:
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
    return Found(scenario, moments, latitude, wanted[0], optimum, usual, policy, rules, second, exchange, narrowing)


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
