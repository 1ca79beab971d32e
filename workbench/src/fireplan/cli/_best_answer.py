"""The answer of ``fireplan best``: what was found, told in lines for people or as JSON data."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import attrs

from fireplan.cli._large import ahead, command
from fireplan.cli._print import in_moments
from fireplan.odds.best import DecisionRules, Frontier, Measured, NarrowedProcess, OpenDecisions, Policy, Situation, Solution
from fireplan_core import Ask, Scenario


@attrs.frozen(eq=False)
class NarrowedSearch:
    """The smaller question that is answered instead of the whole, why the whole is not, and the command as typed."""

    narrowed: NarrowedProcess
    why: str
    typed: tuple[str | None, ...]


@attrs.frozen(eq=False)
class SearchResult:
    """The answer, ready to be told."""

    scenario: Scenario
    moments: int
    open_decisions: OpenDecisions
    goal: Measured
    optimum: Solution
    usual: Solution
    policy: Policy
    rules: tuple[DecisionRules, ...]
    second: Measured | None = None
    exchange: Frontier | None = None
    narrowing: NarrowedSearch | None = None

    @property
    def value(self) -> Fraction:
        """Return the figure of the optimum."""
        return shown(self.optimum, 0, self.goal, self)

    @property
    def standard(self) -> Fraction:
        """Return the figure of the standard doctrine."""
        return shown(self.usual, 0, self.goal, self)


def shown(solution: Solution, number: int, goal: Measured, found: SearchResult) -> Fraction:
    """Return a goal's figure of a solution."""
    value = solution.values[number]
    if solution.joined.goals[number].least:
        value = -value
    return goal.shown(value, found.scenario, found.moments)


def figure(value: Fraction) -> str:
    """Return a figure for reading."""
    return f"{float(value):.4g}" if value else "0"


def corners(found: SearchResult) -> tuple[tuple[Fraction, Fraction], ...]:
    """Return the corners of the frontier as figures of both goals."""
    if found.exchange is None or found.second is None:
        return ()
    return tuple(
        (shown(corner, 0, found.goal, found), shown(corner, 1, found.second, found))
        for corner in found.exchange.corners
    )


def lines(found: SearchResult) -> list[str]:
    """Return the answer line by line."""
    goal, states = found.goal, len(found.optimum.joined.explored.chain.links)
    clock = found.scenario.clock
    regret = abs(found.value - found.standard)
    share = f"{float(regret / found.standard):.2g} of the standard" if found.standard and regret else ""
    bound = found.policy.is_bound
    name = "bound" if bound else "optimum"
    exact = "exact" if found.narrowing is None else "NARROWED: not every order is weighed; exact for those that are"
    said = [
        f"{found.scenario.title}: {found.open_decisions.side}, {in_moments(found.moments)} ({clock.moment}), {exact}",
        f"goal: {goal.name} ({goal.definition})",
        "",
        f"  {name:<18}{figure(found.value):>10}  {_exact(found.value)}",
        f"  {'standard doctrine':<18}{figure(found.standard):>10}  {_exact(found.standard)}",
        f"  {'regret':<18}{figure(regret):>10}  {share}",
        "",
        *_weighed(found),
        f"{states:,} states" + ("" if bound else f"; {len(found.policy.situations):,} situations to decide in"),
    ]
    if found.policy.untold is not None:
        said.append(
            f"This is a bound: the best order to {found.policy.untold.question} hangs on what still waits in the"
            " moment, which the state does not tell. No policy is better; none is printed."
        )
    elif bound:
        hidden = ", ".join(found.policy.hidden[:6]) + (" ..." if len(found.policy.hidden) > 6 else "")  # noqa: PLR2004
        said.append(
            f"This is a bound: the best orders hang on what {found.open_decisions.side} cannot see ({hidden}). No"
            " policy on what it sees is better; whether one is as good is not said."
        )
    elif found.policy.hidden:
        said.append("What the side cannot see changes none of its best orders: the optimum is its own.")
    for rule in found.rules:
        said += ["", *_rules(rule)]
    said += _frontier_lines(found)
    notes = found.scenario.provenance
    if notes:
        said += ["", *(f"note: {note}" for note in notes)]
    return said


def _exact(value: Fraction) -> str:
    text = str(value)
    return text if len(text) <= 40 else ""  # noqa: PLR2004 - longer fractions are for --json


def _weighed(found: SearchResult) -> list[str]:
    """Return which orders were weighed; a narrowing is said."""
    if found.narrowing is not None:
        return _narrowed(found.narrowing)
    open_decisions = found.open_decisions
    asked = (pending for pending in found.policy.process.compiler.compiled if isinstance(pending, Ask))
    openly = sorted({pending.question for pending in asked if open_decisions.opens(pending)})
    if not open_decisions.only:
        said = [f"weighed: every order that the forms offer and the judge takes, to {', '.join(openly) or 'nothing'}"]
    else:
        said = ["weighed (narrowed by --only; all other questions keep their standard answer):"]
        for question, patterns in open_decisions.only.items():
            fitted = found.policy.process.compiler.fitted
            orders = "; ".join(
                f"{pattern}" if (question, pattern) in fitted else f"{pattern} (never possible)" for pattern in patterns
            )
            orders = orders or "every order"
            came = "" if question in openly else " (never asked here)"
            said.append(f"  {question}: {orders}; and the standard one{came}")
    for (question, slot), values in open_decisions.also.items():
        said.append(f"  with {len(values)} further values of {slot} to {question}")
    for question, weights in open_decisions.belief.items():
        parts = ", ".join(f"{weight} {pattern}" for pattern, weight in weights)
        said.append(f"believed of {question}, anew each time: {parts}")
    return said


def _narrowed(narrowing: NarrowedSearch) -> list[str]:
    """Return which questions were opened, which were not, and how these are weighed instead."""
    smaller = narrowing.narrowed
    aimed = smaller.process.open_decisions.aimed
    said = [f"The whole question is too large: {narrowing.why}.", "weighed:"]
    for question in smaller.opened:
        part = "orders at the target and at the standard order's places" if question in aimed else "every order"
        said.append(f"  {question}: {part}")
    if not smaller.opened:
        said.append("  nothing")
    if smaller.left:
        said.append("left to the standard doctrine, because beside the others it is too large:")
    for question, left in smaller.left.items():
        said.append(f"  {question}: {left.why}")
        if left.moments:
            alone = command(*narrowing.typed, "--only", question, *ahead(left.moments))
            said.append(f"    alone, {left.moments} of the moments: {alone}")
    said.append("--only QUESTION weighs other questions (any number of times), --whole all of them or none.")
    return said


def _rules(thumb: DecisionRules) -> list[str]:
    head = f"{thumb.question} ({thumb.situations:,} situation{'s' if thumb.situations > 1 else ''}"
    head += f", {thumb.indifferent:,} of them indifferent)" if thumb.indifferent else ")"
    said = [head]
    if not thumb.rules and not thumb.uncovered:
        said.append("  any order is as good")
    said += [f"  {number}. {rule}  [{rule.situations:,}]" for number, rule in enumerate(thumb.rules, start=1)]
    if thumb.uncovered:
        said.append(f"  {thumb.uncovered:,} situations follow no short rule; they are in --json")
    if thumb.standard and thumb.rules:
        said.append("  the standard order is among the best throughout")
    return said


def _frontier_lines(found: SearchResult) -> list[str]:
    if found.exchange is None or found.second is None:
        return []
    said = ["", f"frontier: {found.goal.name} against {found.second.name} (corners; tossing for two neighbours gives"]
    said.append("every point of the line between them, and nothing lies beyond)")
    said.append(f"  {found.goal.name:>24}  {found.second.name:>24}")
    said += [f"  {figure(one):>24}  {figure(other):>24}" for one, other in corners(found)]
    usual = (figure(shown(found.usual, n, g, found)) for n, g in enumerate((found.goal, found.second)))
    said.append("  standard doctrine: {}, {}".format(*usual))
    if not found.exchange.whole:
        said.append("  there are more corners between these; every one printed is exact")
    return said


def as_data(found: SearchResult) -> dict[str, Any]:
    """Return the answer as JSON data; rationals are text."""
    data: dict[str, Any] = {
        "scenario": found.scenario.title,
        "side": found.open_decisions.side,
        "moments": found.moments,
        "goal": found.goal.name,
        "unit": found.goal.unit,
        "exact": True,
        "narrowed": None if found.narrowing is None else _narrowed_data(found.narrowing),
        "is_bound": found.policy.is_bound,
        "value": str(found.value),
        "standard": str(found.standard),
        "regret": str(abs(found.value - found.standard)),
        "states": len(found.optimum.joined.explored.chain.links),
        "weighed": {question: list(map(str, patterns)) for question, patterns in found.open_decisions.only.items()},
        "never_possible": [
            f"{question}={pattern}"
            for question, patterns in found.open_decisions.only.items()
            for pattern in patterns
            if (question, pattern) not in found.policy.process.compiler.fitted
        ],
        "rules": [
            {
                "question": thumb.question,
                "situations": thumb.situations,
                "indifferent": thumb.indifferent,
                "uncovered": thumb.uncovered,
                "rules": [
                    {
                        "when": [str(condition) for condition in rule.when],
                        "order": rule.order,
                        "ties": list(rule.ties),
                        "situations": rule.situations,
                    }
                    for rule in thumb.rules
                ],
            }
            for thumb in found.rules
        ],
        "notes": list(found.scenario.provenance),
    }
    if not found.policy.is_bound:
        data["policy"] = [_situation(found.policy, situation) for situation in found.policy.situations]
    if found.second is not None:
        data["frontier"] = {
            "goals": [found.goal.name, found.second.name],
            "corners": [[str(one), str(other)] for one, other in corners(found)],
            "whole": found.exchange is None or found.exchange.whole,
        }
    return data


def _narrowed_data(narrowing: NarrowedSearch) -> dict[str, Any]:
    smaller = narrowing.narrowed
    return {
        "why": narrowing.why,
        "weighed": list(smaller.opened),
        "at_the_target_only": sorted(smaller.process.open_decisions.aimed),
        "standard": {question: left.why for question, left in smaller.left.items()},
    }


def _situation(policy: Policy, situation: Situation) -> dict[str, Any]:
    return {
        "question": situation.ask.question,
        "moment": situation.moment,
        "arguments": [str(arg) for arg in situation.ask.args],
        "state": {address: str(value) for address, value in zip(policy.keys, situation.values, strict=True)},
        "best": [str(situation.orders[order]) for order in situation.best],
    }
