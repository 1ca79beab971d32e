"""The answer of ``fireplan best`` where nothing can be weighed exactly: sampled changes, in lines or as JSON data."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import attrs

from fireplan.cli._print import in_moments
from fireplan.odds.best import CONFIRMED, SCREENED, Change, Estimate, Measured, OpenDecisions, Trial
from fireplan_core import Scenario


@attrs.frozen(eq=False)
class TrialResult:
    """What was tried, why nothing could be weighed exactly, and a command that looks as far ahead as can be."""

    scenario: Scenario
    moments: int
    open_decisions: OpenDecisions
    goal: Measured
    trial: Trial
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
        return self.goal.make(self.scenario, self.open_decisions.side).least


def trial_lines(tried: TrialResult) -> list[str]:
    """Return the answer line by line."""
    trial, clock = tried.trial, tried.scenario.clock
    head = f"{tried.scenario.title}: {tried.open_decisions.side}, {in_moments(tried.moments)} ({clock.moment})"
    drawn = f"({CONFIRMED:,} trajectories, seed {tried.seed})"
    said = [
        f"{head}, SAMPLED: single changes of the standard doctrine, no optimum",
        f"goal: {tried.goal.name} ({tried.goal.definition})",
        f"Nothing can be weighed exactly, the standard doctrine alone is too large: {tried.why}.",
        "",
        f"  {'standard doctrine':<42}{tried.standard:>10.4g} ± {trial.standard.error:.2g}  {drawn}",
    ]
    if trial.best is None:
        said.append(f"  {'best change':<42}{'none':>10}  (no change did better in {SCREENED:,} trajectories)")
    else:
        said.append(f"  {_named(trial.best):<42}{_gain(trial.best.gain)}  (gain on the same trajectories)")
        sure = trial.best.gain.mean > 2 * trial.best.gain.error
        if not sure:
            said.append("  The gain is within two standard errors: it may be none.")
    said += ["", f"gain of single changes ({SCREENED:,} other trajectories each; everything else stays standard):"]
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


def _named(change: Change) -> str:
    return f"{change.question}: always {change.verb.replace('_', ' ')}"


def _gain(gain: Estimate) -> str:
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
        "standard": {"mean": tried.standard, "standard_error": trial.standard.error, "trajectories": CONFIRMED},
        "best": None if trial.best is None else _change_data(trial.best, CONFIRMED),
        "changes": [_change_data(change, SCREENED) for change in trial.changes],
        "failed": [{"question": question, "verb": verb, "why": why} for question, verb, why in trial.failed],
        "notes": list(tried.scenario.provenance),
    }


def _change_data(change: Change, trajectories: int) -> dict[str, Any]:
    return {
        "question": change.question,
        "verb": change.verb,
        "gain": change.gain.mean,
        "standard_error": change.gain.error,
        "trajectories": trajectories,
    }
