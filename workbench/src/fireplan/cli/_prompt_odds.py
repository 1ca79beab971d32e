"""Chances from where a table stands, as one side knows it; hidden assets of others are left out of them.

They are exact; a table that is too large for that is played on a number of times instead, and the lines say so.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import isqrt
from typing import Any

from fireplan.cli._print import in_moments
from fireplan.compare import percent
from fireplan.odds import Compiler, FallsOf, Measure, TooLargeError, exhausted, expected, sample
from fireplan.table import Session, Viewer, believed
from fireplan_core import ProcedureError

MOST = 40_000
"""States that are followed while a player waits."""
WALKS = 100
"""Plays to the end that a table is sampled by which is too large."""
_ERROR = Fraction(1, 2 * isqrt(WALKS))
"""The standard error of a share at its largest."""


def odds_lines(session: Session, side: str) -> list[str]:
    """Return what a side may expect of its own assets, both sides following the standard doctrine, in words."""
    viewer = Viewer(session, side)
    own = frozenset(name for name, setup in session.scenario.missions.items() if setup.side == side)
    if not own:
        return [f"{side} has no asset of its own"]
    scenario, state = believed(session.scenario, session.table.state, viewer.eyes, viewer.known.names)
    left = session.moments - state.moment
    measures: list[Measure] = [FallsOf(own), exhausted(own)]
    compiler, how, whole = Compiler(scenario), "by the standard doctrine", True
    falls: Mapping[Any, Fraction]
    try:
        try:
            found = expected(compiler, state, session.moments, measures, MOST)
            falls, spent = (one.shares for one in found.distributions)
            whole = found.whole
        except TooLargeError:
            drawn = sample(compiler, measures, session.moments, WALKS, len(session.rows), state=state)
            falls, spent = ({end: Fraction(n, WALKS) for end, n in one.counts.items()} for one in drawn)
            how += f"; sampled over {WALKS} plays, not exact (standard error up to {percent(_ERROR)})"
    except ProcedureError as error:
        return [f"cannot be solved from here ({error})"]
    return [
        f"{side}, in the {in_moments(left)} left, {how}:",
        f"fire for effect falls {percent(1 - falls.get(None, Fraction(0)))},",
        f"the next one on the target {percent(falls.get(True, Fraction(0)))};",
        f"an asset is spent or lost {percent(spent.get(True, Fraction(0)))}",
        *([] if whole else ["what strikes do to those who call the fire is left out: too large to solve"]),
        *(["what is hidden from this side is left out"] if viewer.eyes.veiled else []),
        *(["a throw under way is taken as not yet begun"] if session.faces else []),
    ]
