"""The best orders: what was found, in lines for people, as JSON data, or as a picture (SVG)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import attrs

from fireplan.api._typed import ahead, command, in_moments
from fireplan.draw.palette import LINE, SERIES
from fireplan.draw.schemes import Scheme
from fireplan.draw.svg import document, element, group, points, text
from fireplan.solver import best as solving
from fireplan.solver.best import Measured, OpenDecisions
from fireplan_core import Ask, Scenario

WIDTH, HEIGHT, EDGE = 640, 420, 70
"""Of a picture, in pixels."""


@attrs.frozen(eq=False)
class NarrowedSearch:
    """The smaller question that is answered instead of the whole, why the whole is not, and the command as typed."""

    narrowed: solving.NarrowedProcess
    why: str
    typed: tuple[str | None, ...]


@attrs.frozen(eq=False)
class SearchResult:
    """The answer, ready to be told."""

    scenario: Scenario
    moments: int
    open_decisions: OpenDecisions
    goal: Measured
    optimum: solving.Solution
    usual: solving.Solution
    policy: solving.Policy
    rules: tuple[solving.DecisionRules, ...]
    second: Measured | None = None
    exchange: solving.Frontier | None = None
    narrowing: NarrowedSearch | None = None

    @property
    def value(self) -> Fraction:
        """Return the figure of the optimum."""
        return shown(self.optimum, 0, self.goal, self)

    @property
    def standard(self) -> Fraction:
        """Return the figure of the standard doctrine."""
        return shown(self.usual, 0, self.goal, self)


def shown(solution: solving.Solution, number: int, goal: Measured, found: SearchResult) -> Fraction:
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
    one, other = found.goal, found.second
    return tuple((shown(each, 0, one, found), shown(each, 1, other, found)) for each in found.exchange.corners)


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
            told = (f"{p}" if (question, p) in fitted else f"{p} (never possible)" for p in patterns)
            orders = "; ".join(told) or "every order"
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


def _rules(decision: solving.DecisionRules) -> list[str]:
    head = f"{decision.question} ({decision.situations:,} situation{'s' if decision.situations > 1 else ''}"
    head += f", {decision.indifferent:,} of them indifferent)" if decision.indifferent else ")"
    said = [head]
    if not decision.rules and not decision.uncovered:
        said.append("  any order is as good")
    said += [f"  {number}. {rule}  [{rule.situations:,}]" for number, rule in enumerate(decision.rules, start=1)]
    if decision.uncovered:
        said.append(f"  {decision.uncovered:,} situations follow no short rule; they are in --json")
    if decision.standard and decision.rules:
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
    only, fitted = found.open_decisions.only, found.policy.process.compiler.fitted
    asked = [(question, pattern) for question, patterns in only.items() for pattern in patterns]
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
        "weighed": {question: list(map(str, patterns)) for question, patterns in only.items()},
        "never_possible": [f"{question}={pattern}" for question, pattern in asked if (question, pattern) not in fitted],
        "rules": [
            {
                "question": decision.question,
                "situations": decision.situations,
                "indifferent": decision.indifferent,
                "uncovered": decision.uncovered,
                "rules": [
                    {
                        "when": [str(condition) for condition in rule.when],
                        "order": rule.order,
                        "ties": list(rule.ties),
                        "situations": rule.situations,
                    }
                    for rule in decision.rules
                ],
            }
            for decision in found.rules
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


def _situation(policy: solving.Policy, situation: solving.Situation) -> dict[str, Any]:
    return {
        "question": situation.ask.question,
        "moment": situation.moment,
        "arguments": [str(arg) for arg in situation.ask.args],
        "state": {address: str(value) for address, value in zip(policy.keys, situation.values, strict=True)},
        "best": [str(situation.orders[order]) for order in situation.best],
    }


# --- where nothing can be weighed exactly: sampled changes -------------------------------------------
@attrs.frozen(eq=False)
class TrialResult:
    """Say what was tried, why nothing could be weighed exactly, and a command that looks as far ahead as can be."""

    scenario: Scenario
    moments: int
    open_decisions: OpenDecisions
    goal: Measured
    trial: solving.Trial
    seed: int
    why: str
    shorter: str | None

    @property
    def standard(self) -> float:
        """Return the figure of the standard doctrine."""
        sign = -1 if self.least else 1
        return float(self.goal.shown(Fraction(sign * self.trial.standard.mean), self.scenario, self.moments))

    @property
    def least(self) -> bool:
        """Return whether what is earned is a loss."""
        return self.goal.goal_of(self.scenario, self.open_decisions.side).least


def trial_lines(tried: TrialResult) -> list[str]:
    """Return the answer line by line."""
    trial, clock = tried.trial, tried.scenario.clock
    head = f"{tried.scenario.title}: {tried.open_decisions.side}, {in_moments(tried.moments)} ({clock.moment})"
    drawn = f"({solving.CONFIRMED:,} trajectories, seed {tried.seed})"
    said = [
        f"{head}, SAMPLED: single changes of the standard doctrine, no optimum",
        f"goal: {tried.goal.name} ({tried.goal.definition})",
        f"Nothing can be weighed exactly, the standard doctrine alone is too large: {tried.why}.",
        "",
        f"  {'standard doctrine':<42}{tried.standard:>10.4g} ± {trial.standard.error:.2g}  {drawn}",
    ]
    if trial.best is None:
        said.append(f"  {'best change':<42}{'none':>10}  (no change did better in {solving.SCREENED:,} trajectories)")
    else:
        said.append(f"  {_named(trial.best):<42}{_gain(trial.best.gain)}  (gain on the same trajectories)")
        if trial.best.gain.mean <= 2 * trial.best.gain.error:
            said.append("  The gain is within two standard errors: it may be none.")
    others = f"{solving.SCREENED:,} other trajectories each; everything else stays standard"
    said += ["", f"gain of single changes ({others}):"]
    said += [f"  {_named(change):<42}{_gain(change.gain)}" for change in trial.changes]
    if not trial.changes:
        said.append("  no change changes anything")
    if trial.failed:
        said += ["", "cannot be played throughout:"]
        said += [f"  {question}: always {verb} ({why})" for question, verb, why in trial.failed]
    said += ["", "± standard errors. A change is an order's verb, given whenever it may be, at the target where it"]
    said.append("names a place. The best of several samples flatters itself, so it is played again on other dice.")
    if tried.shorter is not None:
        said.append(f"exactly, as far ahead as can be followed: {tried.shorter}")
    if tried.scenario.provenance:
        said += ["", *(f"note: {note}" for note in tried.scenario.provenance)]
    return said


def _named(change: solving.Change) -> str:
    return f"{change.question}: always {change.verb.replace('_', ' ')}"


def _gain(gain: solving.Estimate) -> str:
    return f"{gain.mean:>+10.4g} ± {gain.error:.2g}"


def trial_data(tried: TrialResult) -> dict[str, Any]:
    """Return the answer as JSON data."""
    trial = tried.trial
    return {
        "scenario": tried.scenario.title,
        "side": tried.open_decisions.side,
        "moments": tried.moments,
        "goal": tried.goal.name,
        "unit": tried.goal.unit,
        "exact": False,
        "why": tried.why,
        "seed": tried.seed,
        "standard": {"mean": tried.standard, "standard_error": trial.standard.error, "trajectories": solving.CONFIRMED},
        "best": None if trial.best is None else _change_data(trial.best, solving.CONFIRMED),
        "changes": [_change_data(change, solving.SCREENED) for change in trial.changes],
        "failed": [{"question": question, "verb": verb, "why": why} for question, verb, why in trial.failed],
        "notes": list(tried.scenario.provenance),
    }


def _change_data(change: solving.Change, trajectories: int) -> dict[str, Any]:
    return {
        "question": change.question,
        "verb": change.verb,
        "gain": change.gain.mean,
        "standard_error": change.gain.error,
        "trajectories": trajectories,
    }


# --- the frontier of two goals as a picture ----------------------------------------------------------
def frontier_svg(corners: Sequence[tuple[Fraction, Fraction]], across: str, up: str, scheme: Scheme = "auto") -> str:
    """Return one dot a corner, the first goal across and the second upward, the scales from least to most."""
    values = [(float(one), float(other)) for one, other in corners]
    (left, right), (low, high) = (_range([value[axis] for value in values]) for axis in (0, 1))
    base = HEIGHT - EDGE
    line = [
        (EDGE + (one - left) / (right - left) * (WIDTH - 2 * EDGE), base - (other - low) / (high - low) * (base - EDGE))
        for one, other in values
    ]
    dots = [
        element("circle", element("title", f"{one:.6g}, {other:.6g}"), cx=x, cy=y, r=4)
        for (x, y), (one, other) in zip(line, values, strict=True)
    ]
    return document(
        WIDTH,
        HEIGHT,
        element("path", d=f"M{EDGE},{EDGE // 2}V{base}H{WIDTH - EDGE // 2}", fill="none", stroke=LINE),
        element("polyline", points=points(line), fill="none", stroke=SERIES[0], stroke_width=1.5),
        group(None, *dots, fill=SERIES[0]),
        text((EDGE, base + 20), f"{left:.4g}", size=13),
        text((WIDTH - EDGE, base + 20), f"{right:.4g}", size=13, anchor="end"),
        text((EDGE - 6, base), f"{low:.4g}", size=13, anchor="end"),
        text((EDGE - 6, EDGE), f"{high:.4g}", size=13, anchor="end"),
        text((WIDTH / 2, base + 44), across, size=13, anchor="middle"),
        text((EDGE, EDGE // 2 - 10), up, size=13),
        scheme=scheme,
    )


def _range(values: Sequence[float]) -> tuple[float, float]:
    """Return least and most; widened where all are alike."""
    least, most = min(values), max(values)
    return (least, most) if most > least else (least - 0.5, most + 0.5)
