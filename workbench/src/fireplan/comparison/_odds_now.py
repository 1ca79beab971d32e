"""Say what a side may expect as things stand, and what each order makes of it; never by what it cannot know."""

from __future__ import annotations

import time  # noqa: TID251 - how long a person has waited; no rule depends on it
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import isqrt
from typing import Any

from fireplan import table
from fireplan.comparison._reading import percent
from fireplan.solver import Compiler, Measure, TooLargeError, exhausted, expected, falls_of, sample
from fireplan_core import Ask, Order, ProcedureError, Scenario
from fireplan_core.play import State

MOST = 40_000
"""States that are followed while a player waits."""
AT_ONCE, PATIENCE = 4_000, 8.0
"""States that are followed for an order with every prompt, and seconds after which no further order is weighed."""
WALKS = 100
"""Plays to the end that a table is sampled by which is too large."""
_ERROR = Fraction(1, 2 * isqrt(WALKS))
"""The standard error of a share at its largest."""


def odds_lines(session: table.Session, side: str, last: int | None = None) -> list[str]:
    """Return in words what a side may expect of its own assets, both sides following the standard doctrine.

    Hidden assets of others are left out. Chances are exact, up to the end of the game or to ``last`` moments; a table
    that is too large for that is played to its end a number of times instead, and the lines say so.
    """
    viewer, own = table.Viewer(session, side), own_assets(session, side)
    if not own:
        return [f"{side} has no asset of its own"]
    scenario, state = believed_after(viewer)
    last = session.moments if last is None else last
    measures: list[Measure] = [falls_of(own), exhausted(own)]
    compiler, how, whole = Compiler(scenario), "by the standard doctrine", True
    falls: Mapping[Any, Fraction]
    try:
        try:
            found, whole = expected(compiler, state, last, measures, MOST)
            falls, spent = (one.shares for one in found)
        except TooLargeError:
            drawn = sample(compiler, measures, last, WALKS, len(viewer.known.lines), state=state)
            falls, spent = ({end: Fraction(n, WALKS) for end, n in one.counts.items()} for one in drawn)
            how += f"; sampled over {WALKS} plays, not exact (standard error up to {percent(_ERROR)})"
    except ProcedureError as error:
        return [f"cannot be solved from here ({error})"]
    left, moment = last - state.moment, scenario.clock.moment
    return [
        f"{side}, in the {left} {moment}{'s' if left != 1 else ''} left, {how}:",
        f"fire for effect falls {percent(1 - falls.get(None, Fraction(0)))},",
        f"the next one on the target {percent(falls.get(True, Fraction(0)))};",
        f"an asset is spent or lost {percent(spent.get(True, Fraction(0)))}",
        *([] if whole else ["Not included: the risk to your own observer (the joint problem is too large)"]),
        *(["what is hidden from this side is left out"] if viewer.eyes.veiled else []),
        *(["a throw under way is taken as not yet begun"] if session.faces else []),
    ]


def own_assets(session: table.Session, side: str) -> frozenset[str]:
    """Return the names of the assets of a side."""
    return frozenset(name for name, setup in session.scenario.missions.items() if setup.side == side)


def believed_after(viewer: table.Viewer, order: Order | None = None) -> tuple[Scenario, State]:
    """Return a game as a viewer's side knows it, after an order where one is named.

    Raises ``ProcedureError`` where the question that it answers is not known to the side.
    """
    session, waits = viewer.session, viewer.session.table.waits_for
    scenario, state = table.believed(session.scenario, session.table.state, viewer.eyes, viewer.known.names)
    if order is None:
        return scenario, state
    if not isinstance(waits, Ask) or state.agenda[:1] != (waits,):
        raise ProcedureError("the question is not known here")
    return scenario, State(state.values, (session.table.rulebook.after(waits, order), *state.agenda[1:]))


def weighed(
    session: table.Session, side: str, orders: Sequence[str], last: int | None = None, *, at_once: bool = False
) -> Iterator[str]:
    """Yield what each order makes of the chance that fire for effect falls, and on the target; the best first.

    All else follows the standard doctrine. ``at_once`` follows fewer states, about what a second allows. Nothing is
    yielded where no order is asked of the side, where it has no asset, or where all orders come to the same.
    """
    viewer, own, waits = table.Viewer(session, side), own_assets(session, side), session.table.waits_for
    if not own or not isinstance(waits, Ask) or waits.who != side:
        return
    compiler, begun = Compiler(believed_after(viewer)[0]), time.monotonic()
    found, most = list[tuple[tuple[Fraction, Fraction], str]](), AT_ONCE if at_once else MOST
    try:
        for text in orders:
            _, state = believed_after(viewer, viewer.read_order(text))
            ((ends,), _) = expected(compiler, state, last or session.moments, [falls_of(own)], most)
            falls = ends.shares
            found.append(((falls.get(True, Fraction(0)), 1 - falls.get(None, Fraction(0))), text))
            if time.monotonic() - begun > PATIENCE:
                break
    except (TooLargeError, ProcedureError):
        return
    found.sort(key=lambda each: each[0], reverse=True)
    if len({each[0] for each in found}) < 2:  # noqa: PLR2004 - nothing to choose between
        return
    rest = "" if len(found) == len(orders) else f" (the first {len(found)} of {len(orders)}: the others take longer)"
    yield f"each order, by where fire for effect falls next{rest}:"
    for (on_target, anywhere), text in found:
        less = found[0][0][0] - on_target
        behind = f", {percent(less).removesuffix(' %')} points less than the best" if less else ""
        yield f"  {text}: on the target {percent(on_target)}{behind}; anywhere {percent(anywhere)}"
