"""SMOKE: counters that shells place on the map, and how they disperse (C1.71).

The steps of this module are steps of the areas part.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fireplan_asl.blast import Gunnery
from fireplan_asl.ground import NO_SMOKE, Counter, MapState, placed, thinned, weather_now
from fireplan_asl.missions import SMOKES, in_prep_fire, two_sided
from fireplan_asl.places import even
from fireplan_core import FireKind, Place, View
from fireplan_core.chance import Chance
from fireplan_core.steps.effects import Effects, emit, step, update

if TYPE_CHECKING:
    from fireplan_asl.areas import AslAreas


@step(cite="C1.71, C1.32")
def smoke(
    areas: AslAreas,
    _chance: Chance,
    view: View,
    mission: str,
    cells: tuple[Place, ...],
    shell: FireKind,
) -> Effects:
    """Place SMOKE in each hex that allows it: full in the PFPh, Dispersed in the DFPh.

    Rain or a heavy wind allows none.
    """
    ground = view.shared(MapState)
    if weather_now(view, ground) in NO_SMOKE:
        return Effects(emit("smoke", "C1.71", mission=mission, at=(), strength=0))
    late = not in_prep_fire(view, mission)
    strength = areas.number("wp_hindrance" if shell is FireKind.WP else "smoke_hindrance") - late
    barred = ground.no_smoke
    fresh: list[Counter] = [(cell, strength, late, shell) for cell in cells if cell not in barred]
    event = emit(
        "smoke",
        "C1.71",
        mission=mission,
        at=tuple(cell for cell, *_ in fresh),
        strength=strength,
    )
    if view.side(mission) == view.scenario.firer:
        return Effects(update(ground, cells=placed(ground.cells, fresh)), event)
    return Effects(update(ground, theirs=placed(ground.theirs, fresh)), event)


def disperses_smoke(view: View, mission: str) -> bool:
    """Return whether this is the last SMOKE-capable battery, which disperses all SMOKE."""
    smoking = [m for m in view.missions if not SMOKES.isdisjoint(view.facts(m, Gunnery).kinds)]
    return smoking[-1:] == [mission]


@step(cite="C1.71")
def clears(_areas: AslAreas, _chance: Chance, view: View, mission: str) -> Effects:
    """Disperse full counters before their owner's next PFPh and remove Dispersed ones.

    If the weather changes, rain or a heavy wind removes all SMOKE, and gusts disperse it once more.
    """
    ground = view.shared(MapState)
    if not (ground.cells or ground.theirs):
        return Effects()
    now = view.moment()
    coming = dict(ground.weather).get(now + 1, "")
    cells, theirs = ground.cells, ground.theirs
    if coming in NO_SMOKE:
        cells = theirs = ()
    # Gusts disperse SMOKE one more time (C1.71).
    gusts = int(coming == "gusts")
    cells, theirs = thinned(cells, gusts + (not even(now))), thinned(theirs, gusts + even(now))
    event = emit("smoke_clears", "C1.71", mission=mission, by=coming)
    return Effects(
        update(ground, cells=cells),
        update(ground, theirs=theirs) if two_sided(view) else Effects(),
        Effects() if coming in ("", "clear") else event,
    )
