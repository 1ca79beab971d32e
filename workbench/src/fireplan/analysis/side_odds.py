"""Say what a side may expect as things stand, and what each order makes of it.

Never by what it cannot know.
"""

import time  # noqa: TID251 - how long a person has waited; no rule depends on it
from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import isqrt
from typing import Any

from fireplan import solver, table
from fireplan.analysis.phrasing import percent
from fireplan_core import Ask, Order, ProcedureError, Scenario, Severity
from fireplan_core.play import State

MOST = 40_000
"""States that are followed while a player waits."""
AT_ONCE, PATIENCE = 4_000, 8.0
"""States that are followed for an order with every prompt, and seconds after which no further order is weighed."""
TOO_LARGE = "too large to be weighed while you wait; `fireplan best` with this journal looks for the best for longer"
WALKS = 100
"""Plays to the end that a table is sampled by which is too large."""
_ERROR = Fraction(1, 2 * isqrt(WALKS))
"""The standard error of a share at its largest."""


def odds_lines(session: table.Session, side: str, last: int | None = None) -> list[str]:
    """Return in words what a side may expect of its own assets, both sides following the standard doctrine.

    Hidden assets of others are left out. Chances are exact, up to the end of the game or to
    ``last`` moments; a table that is too large for that is played to its end a number of times
    instead, and the lines say so.
    """
    viewer, own = table.Viewer(session, side), own_assets(session, side)
    if not own:
        return [f"{side} has no asset of its own"]
    scenario, state = believed_after(viewer)
    last = session.moments if last is None else last
    measures: list[solver.Measure] = [solver.falls_of(own), solver.exhausted(own)]
    compiler, how, whole = solver.Compiler(scenario), "by the standard doctrine", True
    falls: Mapping[Any, Fraction]
    try:
        try:
            found, whole = solver.expected(compiler, state, last, measures, MOST)
            falls, spent = (one.shares for one in found)
        except solver.TooLargeError:
            drawn = solver.sample(
                compiler, measures, last, WALKS, len(viewer.known.lines), state=state
            )
            falls, spent = (
                {end: Fraction(n, WALKS) for end, n in one.counts.items()} for one in drawn
            )
            how += (
                f"; sampled over {WALKS} plays, not exact (standard error up to {percent(_ERROR)})"
            )
    except ProcedureError as error:
        return [f"cannot be solved from here ({error})"]
    left, moment = last - state.moment, scenario.clock.moment
    return [
        f"{side}, in the {left} {moment}{'s' if left != 1 else ''} left, {how}:",
        f"fire for effect falls {percent(1 - falls.get(None, Fraction(0)))},",
        f"the next one on the target {percent(falls.get(True, Fraction(0)))};",
        f"an asset is spent or lost {percent(spent.get(True, Fraction(0)))}",
        *(
            []
            if whole
            else ["Not included: the risk to your own observer (the joint problem is too large)"]
        ),
        *(["what is hidden from this side is left out"] if viewer.eyes.veiled else []),
        *(["a throw under way is taken as not yet begun"] if session.faces else []),
    ]


def own_assets(session: table.Session, side: str) -> frozenset[str]:
    """Return the names of the assets of a side."""
    return frozenset(
        name for name, setup in session.scenario.missions.items() if setup.side == side
    )


def believed_after(viewer: table.Viewer, order: Order | None = None) -> tuple[Scenario, State]:
    """Return a game as a viewer's side knows it, after an order where one is named.

    Raises ``ProcedureError`` where the question that it answers is not known to the side.
    """
    session, waits = viewer.session, viewer.session.table.waits_for
    scenario, state = table.believed(
        session.scenario, session.table.state, viewer.eyes, viewer.known.names
    )
    if order is None:
        return scenario, state
    if not isinstance(waits, Ask) or state.agenda[:1] != (waits,):
        raise ProcedureError("the question is not known here")
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
    """Return in words what each order makes of the chances of a side's goals, as it knows the game.

    The best first.

    The goals are fire for effect, fire on the target, the target destroyed (for the side that fires
    at it) and no fire on own troops; all else follows the standard doctrine. ``at_once`` follows
    fewer states, about what a second allows, and leaves the target's harm out. Empty where no order
    is asked of the side, where it has no asset, or where all orders come to the same; what is too
    large is said to be, but for ``at_once``.
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
    found = dict[str, dict[str, Fraction]]()
    try:
        for text in orders:
            _, state = believed_after(viewer, viewer.read_order(text))
            falls, struck = (
                one.shares for one in solver.expected(compiler, state, until, measures, most)[0]
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
            found[text] = chances | {"own troops hit": struck.get(True, Fraction(0))}
            if time.monotonic() - begun > PATIENCE:
                break
    except solver.TooLargeError:
        found = {}
    except ProcedureError:
        return {}
    if len(found) < min(2, len(orders)) and not at_once:
        return {"all orders": TOO_LARGE}
    if len({tuple(chances.values()) for chances in found.values()}) < 2:  # noqa: PLR2004 - nothing to choose between
        return {}
    ranked = sorted(
        found.items(), key=lambda each: (*[*each[1].values()][:-1], -each[1]["own troops hit"])
    )[::-1]
    told = {text: _words(chances, ranked[0][1]["on the target"]) for text, chances in ranked}
    left = len(orders) - len(found)
    return told | ({f"{left} more orders": "not weighed, which would take longer"} if left else {})


def _words(chances: Mapping[str, Fraction], best: Fraction) -> str:
    told = [f"{goal} {percent(chance)}" for goal, chance in chances.items()]
    if less := best - chances["on the target"]:
        told[0] += f", {percent(less).removesuffix(' %')} points less than the best"
    return "; ".join(told)
