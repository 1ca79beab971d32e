"""LOS of a scenario file: what it declares, what is computed from its hexes, and which goes before which.

A declaration is the referee's word and stands whatever the levels say; every other hex is computed as soon as one
hex of the file has a level, an obstacle, a Hindrance or Locations upstairs, or an Observer has a level. Where none
has, all that is not declared is seen. The geometry is in ``_sight``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import attrs

from fireplan_asl._scenario_battery import Battery
from fireplan_asl._scenario_units import BareHex, Unit
from fireplan_asl._sight import BURST, PLAIN, TALL_BURST, lines_from
from fireplan_asl.observers import Eyes
from fireplan_core import Staging
from fireplan_core.space import Layout

DECLARED = ("no_ground", "no_burst", "no_tall_burst", "ground_seen", "burst_seen")
"""The fields of a battery that declare its Observer's LOS."""
_SEEN = ("ground_seen", "burst_seen")


def computed(batteries: Sequence[Battery], hexes: Sequence[BareHex]) -> bool:
    """Whether anything is given from which LOS is computed."""
    return any(entry.plot != PLAIN for entry in hexes) or any(b.observer_level is not None for b in batteries)


def eyes_for(
    battery: Battery,
    batteries: Sequence[Battery],
    units: Sequence[Unit],
    hexes: Sequence[BareHex],
    layout: Layout,
    *,
    both: bool,
) -> Eyes:
    """The LOS of a battery's Observer; other facts of his are left at their defaults."""
    place = layout.parse(battery.observer)
    said = {key: frozenset(layout.parse(text) for text in getattr(battery, key)) for key in DECLARED}
    eyes = Eyes(
        dead_ground=said["no_ground"],
        identified=True,
        place=place,
        blind=said["no_burst"],
        blind_above=said["no_tall_burst"],
        hindrances=tuple((layout.parse(text), drm) for text, drm in battery.hindrance.items()),
    )
    if not computed(batteries, hexes):
        return eyes
    plots = {layout.parse(entry.hex): entry.plot for entry in hexes}
    # The drm of these is declared, and added by the Observer himself.
    plots |= {cell: attrs.evolve(plots.get(cell, PLAIN), hindrance=0) for cell, _ in eyes.hindrances}
    height = _height(battery, units, plots.get(place, PLAIN).level)
    lines = lines_from(place, height, layout.hexes(), plots, both=both)
    for cell, line in lines.items():
        lowest = line.lowest
        lowest = max(lowest, 1) if cell in said["no_ground"] else lowest
        lowest = max(lowest, BURST + 1) if cell in said["no_burst"] else lowest
        lowest = max(lowest, TALL_BURST + 1) if cell in said["no_tall_burst"] else lowest
        lowest = min(lowest, BURST) if cell in said["burst_seen"] else lowest
        lowest = 0 if cell in said["ground_seen"] else lowest
        lines[cell] = attrs.evolve(line, lowest=lowest)
    above = {cell: line.lowest for cell, line in lines.items() if line.lowest > 0}
    return attrs.evolve(
        eyes,
        dead_ground=frozenset(above),
        blind=frozenset(cell for cell, lowest in above.items() if lowest > BURST),
        blind_above=frozenset(cell for cell, lowest in above.items() if lowest > TALL_BURST),
        lines=lines,
        upstairs=frozenset(cell for cell, lowest in above.items() if lowest <= plots.get(cell, PLAIN).upstairs),
        heights={unit.id: unit.level for unit in units if unit.level},
    )


def _height(battery: Battery, units: Sequence[Unit], ground: int) -> int:
    """The level that an Observer looks from (C1.63): as given, or his unit's above the ground of his hex."""
    if battery.observer_level is not None:
        return battery.observer_level
    return ground + next((unit.level for unit in units if unit.id == battery.leader), 0)


def note_sight(batteries: Sequence[Battery], hexes: Sequence[BareHex], staging: Staging) -> None:
    """Say where LOS comes from, once any of it is computed."""
    if not computed(batteries, hexes):
        return
    staging.note("LOS: computed by straight lines over levels, obstacles and Hindrances (derived, not chapter A6)")
    for battery in batteries:
        said = dict.fromkeys([*(text for key in DECLARED for text in getattr(battery, key)), *battery.hindrance])
        if said:
            staging.note(f"LOS of {battery.id}: as declared for {', '.join(said)}, computed elsewhere")


def faults_of_sight(
    batteries: Sequence[Battery], units: Sequence[Unit], hexes: Sequence[BareHex]
) -> Iterator[tuple[str, str, str]]:
    """What does not fit in the LOS of a file."""
    labels = [entry.hex.strip().upper() for entry in hexes]
    for n, label in enumerate(labels):
        if label in labels[:n]:
            yield f"hex[{n}].hex", f"{label} stands twice", "say all of a hex in one [[hex]]"
    known = {unit.id: unit for unit in units}
    levels = dict(zip(labels, (entry.level for entry in hexes), strict=True))
    basis = computed(batteries, hexes)
    for n, battery in enumerate(batteries):
        where = f"battery[{n}]"
        unseen = {*battery.no_ground, *battery.no_burst, *battery.no_tall_burst}
        for label in dict.fromkeys((*battery.ground_seen, *battery.burst_seen)):
            if label in (unseen if label in battery.ground_seen else unseen - {*battery.no_ground}):
                yield f"{where}.ground_seen", f"{label} is declared seen and not seen", "take one of the two out"
        for key in _SEEN:
            if getattr(battery, key) and not basis:
                yield f"{where}.{key}", "no LOS is computed, so what is not declared unseen is seen", "take it out"
        ground = levels.get(battery.observer.strip().upper(), 0)
        if battery.observer_level is not None and battery.observer_level < ground:
            yield f"{where}.observer_level", f"the ground of {battery.observer} is at level {ground} [C1.63]", ""
        crew = {known[name].level for name in (battery.leader, *battery.relief) if name in known}
        if basis and len(crew) > 1:
            yield f"{where}.relief", "LOS is computed from one level, and these leaders are on several", ""
