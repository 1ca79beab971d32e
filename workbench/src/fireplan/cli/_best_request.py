"""A question of ``fireplan best``: whose orders are sought, among which, and what others are believed to do."""

from __future__ import annotations

from typing import Any

import attrs

from fireplan.cli._app import unknown
from fireplan.cli._large import named
from fireplan.odds.best import OpenDecisions, Pattern
from fireplan_core import Scenario

MOST_WEIGHT = 1_000_000


@attrs.frozen
class SearchRequest:
    """What is to be found: goals, of which scenario, how far ahead, whose orders and which of them."""

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
        given = [word for text in self.only for word in ("--only", text)]
        given += [word for text in self.also for word in ("--also", text)]
        given += [word for text in self.belief for word in ("--belief", text)]
        return ("best", *named(self.name, self.game), *goals, *side, *given)


def open_decisions_of(scenario: Scenario, request: SearchRequest, faults: list[str]) -> OpenDecisions:
    """Return what may be chosen between; add every fault to ``faults``."""
    sides = list(dict.fromkeys(setup.side for setup in scenario.missions.values()))
    side = request.side or scenario.firer
    if side not in sides:
        faults.append(str(unknown("side with artillery", side, sides)))
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
