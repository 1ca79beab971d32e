"""Morale: the highest roll that holds or rallies a unit, and its components (18, 19)."""

from collections.abc import Callable
from functools import partial

from fireplan_battlegroup_clash import facts
from fireplan_battlegroup_clash.facts import MORALE, Signals, UnitEntry, UnitState, metres
from fireplan_battlegroup_clash.ground import BGCObservers
from fireplan_core import View
from fireplan_core.chance import d6
from fireplan_core.five_parts import parts_of
from fireplan_core.steps.part import Modifier, Part

Value = Callable[[View, str], int]
NEVER, ALWAYS = "because a 6 never passes", "because a 1 always passes"


def quality(body: UnitEntry, losses: int, level: int) -> int:
    """Return a unit's quality, reduced at half its resilience and by its morale (18).

    ``level`` is the index of the unit's morale in ``MORALE``.
    """
    return body.quality + _halved(body, losses) - level


def held(needed: int) -> int:
    """Return the highest roll with which a unit that needs ``needed`` or less passes (18).

    A 1 always passes, a 6 never.
    """
    return max(1, min(needed, max(d6.faces) - 1))


def modifiers(part: Part) -> tuple[Modifier, ...]:
    """Return the modifiers that make up the highest roll that rallies or holds a unit (18, 19)."""
    rally: list[tuple[str, str, Value]] = [
        ("18", "its quality", lambda view, unit: view.unit_facts(unit, UnitEntry).quality),
        ("18", "at half its resilience or less", _worn),
        *(("18", each, partial(_lowered, each)) for each in ("suppressed", "disrupted")),
        ("19", "a headquarters near", partial(_rating, part)),
        ("19", "no enemy in sight", partial(_unseen, part)),
    ]

    def rallies(view: View, unit: str) -> int:
        return sum(value(view, unit) for _, _, value in rally)

    return (
        *(Modifier("rally", *entry) for entry in rally),
        Modifier("rally", "18", NEVER, lambda view, unit: _less(rallies(view, unit))),
        Modifier("rally", "18", ALWAYS, lambda view, unit: _more(rallies(view, unit))),
        Modifier("morale", "18", "its quality as it is now", lambda _view, _unit, needed: needed),
        Modifier("morale", "18", NEVER, lambda _view, _unit, needed: _less(needed)),
        Modifier("morale", "18", ALWAYS, lambda _view, _unit, needed: _more(needed)),
    )


def _less(needed: int) -> int:
    return min(0, held(needed) - needed)


def _more(needed: int) -> int:
    return max(0, held(needed) - needed)


def _halved(body: UnitEntry, losses: int) -> int:
    """Return the change in a unit's quality at half its resilience or less; 0 above half."""
    upper = 2 * (body.resilience - losses) > body.resilience
    return 0 if upper else body.lower - body.quality


def _worn(view: View, unit: str) -> int:
    return _halved(view.unit_facts(unit, UnitEntry), view.unit(unit, UnitState).losses)


def _lowered(name: str, view: View, unit: str) -> int:
    return -MORALE.index(name) if view.unit(unit, UnitState).morale == name else 0


def _rating(part: Part, view: View, unit: str) -> int:
    """Return the best rating of a headquarters near a unit, 0 without one."""
    at = view.place_of(unit)
    near = (
        friend
        for friend in facts.own(view, view.unit_side(unit))
        if friend != unit and metres(view, view.place_of(friend), at) <= part.number("rally_near")
    )
    return max((view.unit_facts(friend, UnitEntry).rating for friend in near), default=0)


def _unseen(part: Part, view: View, unit: str) -> int:
    """Return the modifier for a unit with no enemy in sight, 0 for any other unit.

    It is also 0 in an engagement, and for a side without assets.
    """
    side, observers = view.unit_side(unit), parts_of(view).observers
    mission = next((m for m in view.missions if view.side(m) == side), "")
    if (
        not mission
        or not isinstance(observers, BGCObservers)
        or not view.peek_shared(Signals).sides
    ):
        return 0
    enemies = facts.own(view, view.other(side))
    seen = any(observers.line(view, mission, unit, view.place_of(enemy)) for enemy in enemies)
    return 0 if seen else part.number("rally_unseen")
