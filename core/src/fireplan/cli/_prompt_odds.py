"""Exact chances from where a table stands, as one side knows it; hidden assets of others are left out of them."""

from __future__ import annotations

from fractions import Fraction

from fireplan.compare import percent
from fireplan.mission import ProcedureError
from fireplan.odds import Compiler, FallsOf, Measure, SpentOf, TooLargeError, expected
from fireplan.table import Session, Viewer, believed

MOST = 40_000
"""States that are followed while a player waits."""


def odds_lines(session: Session, side: str) -> list[str]:
    """What a side may expect of its own assets, both sides following the standard doctrine, in words."""
    viewer = Viewer(session, side)
    own = frozenset(name for name, setup in session.scenario.missions.items() if setup.side == side)
    if not own:
        return [f"{side} has no asset of its own"]
    scenario, state = believed(session.scenario, session.table.state, viewer.eyes, viewer.known.names)
    left = session.moments - state.moment
    try:
        measures: list[Measure] = [FallsOf(own), SpentOf(own)]
        found = expected(Compiler(scenario), state, session.moments, measures, MOST)
    except TooLargeError as error:
        return [f"too large to solve exactly ({error})"]
    except ProcedureError as error:
        return [f"cannot be solved from here ({error})"]
    falls, spent = (one.shares for one in found.distributions)
    return [
        f"{side}, in the {left} moments left, by the standard doctrine:",
        f"fire for effect falls {percent(1 - falls.get(None, Fraction(0)))},",
        f"the next one on the target {percent(falls.get(True, Fraction(0)))};",
        f"an asset is spent or lost {percent(spent.get(True, Fraction(0)))}",
        *([] if found.whole else ["what strikes do to those who call the fire is left out: too large to solve"]),
        *(["what is hidden from this side is left out"] if viewer.eyes.veiled else []),
        *(["a throw under way is taken as not yet begun"] if session.faces else []),
    ]
