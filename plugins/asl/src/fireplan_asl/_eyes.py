"""Say what an Observer sees of the map when play starts: what a file declares, what is computed from its hexes.

A declaration is the referee's word and stands whatever the levels say; every other hex is computed as soon as one
hex of the file has a level, an obstacle, a Hindrance or Locations upstairs, or an Observer has a level. Where none
has, all that is not declared is seen. The geometry is in ``_sight``.
"""

from collections.abc import Callable, Collection, Mapping

import attrs

from fireplan_asl._scenario import AslScenario
from fireplan_asl._scenario_battery import DECLARED, Battery
from fireplan_asl._scenario_units import LABELS
from fireplan_asl._sight import PLAIN, LineOfSight, lines_from
from fireplan_core import Place, Staging


@attrs.frozen
class Eyes:
    """Say what decides the LOS of one Observer: hexes whose ground he cannot see, and whether he knows the enemy.

    A scenario may say more: the ``place`` he looks from, hexes of which he does not even see the Blast Height
    (``blind``), Hindrances by hex, units that are not Known to him, and the Hindrance of each battery's FFE. Not even
    the four levels of WP are seen in ``blind_above``; ``hidden`` are the units that nobody knows of, and those that are
    ``apart``, in the air or (where an option says so) weapons alone, are no ground units (C1.21, C1.333).

    Where LOS is computed, the hexes above are those that it makes, ``lines`` is the LOS to every hex of the map,
    ``upstairs`` are hexes of which a Location above the ground is seen though the ground is not, and ``heights`` are
    the levels of units above theirs.
    """

    dead_ground: frozenset[Place]
    identified: bool
    place: Place = None
    blind: frozenset[Place] = frozenset()
    hindrances: tuple[tuple[Place, int], ...] = ()
    unknown: frozenset[str] = frozenset()
    hidden: frozenset[str] = frozenset()
    apart: frozenset[str] = frozenset()
    bursts: tuple[tuple[str, int], ...] = ()
    blind_above: frozenset[Place] = frozenset()
    lines: Mapping[Place, LineOfSight] = attrs.field(factory=dict, hash=False)
    upstairs: frozenset[Place] = frozenset()
    heights: Mapping[str, int] = attrs.field(factory=dict, hash=False)

    def blocked(self, place: Place) -> bool:
        """Return whether the ground of a hex is out of sight."""
        return place in self.dead_ground or place in self.blind


def observer_sight(
    form: AslScenario, battery: Battery, number: Callable[[str], int], *, both: bool, apart: Collection[str]
) -> Eyes:
    """Return the sight of a battery's Observer; ``both`` as for ``lines_from``, kinds ``apart`` are no ground units."""
    # Concealment that lasts though he sees the hex: all of it at night.
    lasting = (
        unit.id
        for unit in form.unit
        if unit.concealed and (form.night or unit.concealment_terrain or unit.winter_camouflage)
    )
    declared = Eyes(
        dead_ground=frozenset(battery.no_ground),
        identified=True,
        place=battery.observer,
        blind=frozenset(battery.no_burst),
        hindrances=battery.hindrances,
        unknown=form.hidden | frozenset(lasting),
        hidden=form.hidden,
        apart=frozenset(unit.id for unit in form.unit if unit.kind in apart),
        bursts=() if battery.overlooks else _bursts(form, number),
        blind_above=frozenset(battery.no_tall_burst),
    )
    return _computed(form, battery, declared, number, both=both) if form.computes_sight else declared


def _bursts(form: AslScenario, number: Callable[[str], int]) -> tuple[tuple[str, int], ...]:
    """Return the Hindrance of each battery's FFE; of a Creeping Barrage as in dry weather, unless that cannot come."""
    wet = form.weather == "deep_snow" or (form.weather == "rain" and not form.weather_change)
    usual, creeping = number("ffe_hindrance"), number("creeping_hindrance")
    return tuple(
        (battery.id, creeping if battery.creeping and not wet else usual)
        for battery in form.battery
        if battery.calibre >= number("hindering_mm")
    )


def _computed(form: AslScenario, battery: Battery, eyes: Eyes, number: Callable[[str], int], *, both: bool) -> Eyes:
    """Return the sight computed by straight lines, where nothing is declared."""
    plots = {hex_.hex: hex_.plot for hex_ in form.hex}
    # The drm of these is declared, and added by the Observer himself.
    plots |= {cell: attrs.evolve(plots.get(cell, PLAIN), hindrance=0) for cell, _ in eyes.hindrances}
    height = battery.observer_level
    if height is None:
        # His unit's level above the ground of his hex (C1.63).
        above = (unit.level for unit in form.unit if unit.id == battery.leader)
        height = plots.get(eyes.place, PLAIN).level + next(above, 0)
    burst, tall = number("burst_levels"), number("wp_burst_levels")
    levels = number("ffe_hindrance_levels"), number("wp_hindrance_levels")
    seen = lines_from(eyes.place, height, form.layout.hexes(), plots, levels=levels, both=both, bursts=(burst, tall))
    lines = {
        cell: attrs.evolve(line, lowest=_lowest(battery, cell, line.lowest, burst, tall)) for cell, line in seen.items()
    }
    unseen = {cell: line.lowest for cell, line in lines.items() if line.lowest > 0}
    return attrs.evolve(
        eyes,
        dead_ground=frozenset(unseen),
        blind=frozenset(cell for cell, lowest in unseen.items() if lowest > burst),
        blind_above=frozenset(cell for cell, lowest in unseen.items() if lowest > tall),
        lines=lines,
        upstairs=frozenset(cell for cell, lowest in unseen.items() if lowest <= plots.get(cell, PLAIN).upstairs),
        heights={unit.id: unit.level for unit in form.unit if unit.level},
    )


def _lowest(battery: Battery, cell: Place, computed: int, burst: int, tall: int) -> int:
    """Return the lowest level of a hex that is seen, after what is declared of it; the rest are Blast Heights."""
    unseen = ((1, battery.no_ground), (burst + 1, battery.no_burst), (tall + 1, battery.no_tall_burst))
    least = max(computed, *(level for level, cells in unseen if cell in cells), 0)
    if cell in battery.ground_seen:
        return 0
    return min(least, burst) if cell in battery.burst_seen else least


def note_sight(form: AslScenario, battery: Battery, staging: Staging) -> None:
    """Say where LOS comes from, once any of it is computed, and that night is in what is declared."""
    if form.night:
        staging.note("night: concealed units are Known to nobody (C1.6); how far is seen (E1) is as declared")
    if not form.computes_sight:
        return
    staging.note("LOS: computed by straight lines over levels, obstacles and Hindrances (derived, not chapter A6)")
    declared = [*(place for key in DECLARED for place in getattr(battery, key)), *dict(battery.hindrances)]
    if declared:
        labels = dict.fromkeys(map(LABELS.label, declared))
        staging.note(f"LOS of {battery.id}: as declared for {', '.join(labels)}, computed elsewhere")
