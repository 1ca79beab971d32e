"""A side's chances at a table, and how each order changes them, from what the side knows."""

import time  # noqa: TID251 - limits how long a player waits; no rule depends on it
from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import isqrt
from typing import Any

from fireplan import solver, table
from fireplan.analysis.phrasing import percent
from fireplan.errors import counted
from fireplan_core import Ask, Order, ProcedureError, Scenario, Severity
from fireplan_core.play import State

MOST = 40_000
"""Maximum number of states to follow while a player waits."""
AT_ONCE, PATIENCE = 4_000, 8.0
"""Maximum number of states for one order at a prompt, and the time limit in seconds."""
TOO_LARGE = (
    "too large to be weighed while you wait; `fireplan best` with this journal can search longer"
)
WALKS = 100
"""Number of trajectories sampled if a table is too large to solve."""
_ERROR = Fraction(1, 2 * isqrt(WALKS))
"""Maximum standard error of a share in that sample."""


def odds_lines(session: table.Session, side: str, last: int | None = None) -> list[str]:
    """Return lines with the chances of a side's own assets under the standard doctrine.

    Hidden assets of others are left out. Chances are exact, up to the end of the game or to moment
    ``last``; a table that is too large is sampled, and the lines say so.
    """
    viewer, own = table.Viewer(session, side), own_assets(session, side)
    if not own:
        return [f"{side} has no asset of its own"]
    scenario, state = believed_after(viewer)
    last = session.moments if last is None else last
    measures: list[solver.Measure] = [solver.falls_of(own), solver.exhausted(own)]
    compiler, method, whole = solver.Compiler(scenario), "by the standard doctrine", True
    falls: Mapping[Any, Fraction]
    try:
        try:
            expected, whole = solver.expected(compiler, state, last, measures, MOST)
            falls, spent = (distribution.shares for distribution in expected)
        except solver.TooLargeError:
            drawn = solver.sample(
                compiler, measures, last, WALKS, len(viewer.known.lines), state=state
            )
            falls, spent = (
                {end: Fraction(n, WALKS) for end, n in sampled.counts.items()} for sampled in drawn
            )
            method += (
                f"; sampled over {WALKS} plays, not exact (standard error up to {percent(_ERROR)})"
            )
    except ProcedureError as error:
        return [f"cannot be solved from here ({error})"]
    moments_left, moment = last - state.moment, scenario.clock.moment
    return [
        f"chances of {side} in the {counted(moments_left, moment)} left, {method}:",
        f"fire for effect falls: {percent(1 - falls.get(None, Fraction(0)))}",
        f"the next fire for effect is on target: {percent(falls.get(True, Fraction(0)))}",
        f"an asset is spent or lost: {percent(spent.get(True, Fraction(0)))}",
        *(
            []
            if whole
            else ["Not included: the risk to your own observer (the joint problem is too large)"]
        ),
        *(["Not included: what is hidden from this side"] if viewer.eyes.veiled else []),
        *(["Not included: the dice already rolled in this throw"] if session.faces else []),
    ]


def own_assets(session: table.Session, side: str) -> frozenset[str]:
    """Return the names of a side's assets."""
    return frozenset(
        name for name, setup in session.scenario.missions.items() if setup.side == side
    )


def believed_after(viewer: table.Viewer, order: Order | None = None) -> tuple[Scenario, State]:
    """Return the scenario and state as a viewer's side knows them, after ``order`` if given.

    Raises ``ProcedureError`` if the side does not know the question that the order answers.
    """
    session, waits = viewer.session, viewer.session.table.waits_for
    scenario, state = table.believed(
        session.scenario, session.table.state, viewer.eyes, viewer.known.names
    )
    if order is None:
        return scenario, state
    if not isinstance(waits, Ask) or state.agenda[:1] != (waits,):
        raise ProcedureError("this side does not know the question that the order answers")
    return scenario, State(
        state.values, (session.table.rulebook.after(waits, order), *state.agenda[1:])
    )


def weighed(
    session: table.Session,
    side: str,
    orders: Sequence[str],
    last: int | None = None,
    *,
    at_once: bool = False,
) -> dict[str, str]:
    """Return the chances of a side's goals after each order, in words, with the best order first.

    The goals are fire on the target, fire anywhere, the target destroyed (for the side that fires
    at it) and no fire on own troops. All later orders follow the standard doctrine. ``at_once``
    follows fewer states, about a second's worth, and leaves out the harm to the target.

    The result is empty if no order is due from the side, if it has no assets, or if all orders have
    the same chances. For a table that is too large it has one line that says so, or none with
    ``at_once``.
    """
    viewer, own, waits = (
        table.Viewer(session, side),
        own_assets(session, side),
        session.table.waits_for,
    )
    if not own or not isinstance(waits, Ask) or waits.who != side:
        return {}
    (scenario, _), begun, until = believed_after(viewer), time.monotonic(), last or session.moments
    compiler, most = solver.Compiler(scenario), AT_ONCE if at_once else MOST
    measures: list[solver.Measure] = [
        solver.falls_of(own),
        solver.Ever("fall", "own_under_fire", (True,), own),
    ]
    harmed = bool(scenario.target_strength) and side == scenario.firer and not at_once
    by_order = dict[str, dict[str, Fraction]]()
    try:
        for text in orders:
            _, state = believed_after(viewer, viewer.read_order(text))
            falls, struck = (
                distribution.shares
                for distribution in solver.expected(compiler, state, until, measures, most)[0]
            )
            chances = {
                "on the target": falls.get(True, Fraction(0)),
                "anywhere": 1 - falls.get(None, Fraction(0)),
            }
            if harmed:
                analysis = solver.Analysis(
                    scenario, until - state.moment, state=state, compiler=compiler
                )
                chances["target destroyed"] = analysis.severity()[Severity.DESTROYED]
            by_order[text] = chances | {"own troops hit": struck.get(True, Fraction(0))}
            if time.monotonic() - begun > PATIENCE:
                break
    except solver.TooLargeError:
        by_order = {}
    except ProcedureError:
        return {}
    if len(by_order) < min(2, len(orders)) and not at_once:
        return {"all orders": TOO_LARGE}
    if len({tuple(chances.values()) for chances in by_order.values()}) < 2:  # noqa: PLR2004 - nothing to choose between
        return {}
    ranked = sorted(
        by_order.items(), key=lambda row: (*[*row[1].values()][:-1], -row[1]["own troops hit"])
    )[::-1]
    lines = {text: _words(chances, ranked[0][1]["on the target"]) for text, chances in ranked}
    unweighed = len(orders) - len(by_order)
    if unweighed:
        lines[counted(unweighed, "more order")] = "not computed: it would take too long"
    return lines


def _words(chances: Mapping[str, Fraction], best: Fraction) -> str:
    goals = [f"{goal} {percent(chance)}" for goal, chance in chances.items()]
    if less := best - chances["on the target"]:
        goals[0] += f", {percent(less).removesuffix(' %')} percentage points less than the best"
    return "; ".join(goals)
