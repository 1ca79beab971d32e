"""Scenario files: both sides, their units, the terrain, and the radio."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Literal

import attrs

from fireplan_combat_commander.call import MAP, CallPart, Kind, RadioFacts, UnitState, sides_of
from fireplan_combat_commander.resolution import UnitFacts
from fireplan_core import Parts, ScenarioFile, Staging
from fireplan_core.files import Complaint, entry, flag, repeated, unparsed_texts
from fireplan_core.space import Hex

Nation = Literal["american", "british", "french", "german", "italian", "russian"]
Task = Literal["attack", "recon", "defence"]
Ground = Literal[
    "road",
    "brush",
    "woods",
    "building",
    "stream",
    "hill_1",
    "hill_2",
    "rubble",
    "field",
    "orchard",
    "marsh",
    "gully",
    "bridge",
]
MEN = {"leader": 1, "team": 5, "squad": 10}
"""Maps each type of unit to its number of men (S2)."""


@attrs.frozen(kw_only=True)
class CCUnit:
    """A unit on the map: its counter, hex, side, type and fortification."""

    id: str = entry("the name of the unit", example="1st squad")
    kind: str = entry("the name on its counter", example="Rifle")
    place: str = entry("its hex", example="H5")
    side: Literal["firer", "target"] = entry("its side", "target")
    type: Literal["squad", "team", "leader"] = entry("its type", "squad")
    works: Literal["", "foxhole", "trench", "pillbox", "bunker"] = entry(
        "the fortification it is in", ""
    )
    moving: bool = flag("whether it is moving when the fire lands")
    wire: bool = flag("whether it is in wire")


@attrs.frozen(kw_only=True)
class CCGround:
    """Hexes with the same terrain; hexes not listed are open."""

    kind: Ground = entry("the terrain", example="woods")
    hexes: tuple[str, ...] = entry("its hexes", example=("H5",))


@attrs.frozen(kw_only=True)
class CCScenario(ScenarioFile):
    """A scenario: a radio, its spotting leader, and the units."""

    firer: Nation = entry("the nation that has the radio")
    enemy: Nation = entry("the other nation")
    task: Task = entry("the posture of the firing side; it decides the hand sizes", "recon")
    radio_mm: int = entry("the smallest calibre of the radio, in mm", range=(75, 203), example=81)
    smoke: bool = flag("whether the radio can fire smoke")
    spotter: str = entry("the leader who spots", example="Lt")
    target: str = entry("the target hex", example="H5")
    unit: tuple[CCUnit, ...] = entry("the units")
    ground: tuple[CCGround, ...] = entry("the terrain of hexes that are not open", ())

    def check(self) -> Iterator[Complaint]:
        """Yield the file's faults: repeated names, unknown hexes, the same nation on both sides."""
        yield from repeated(self, "unit", by="id")
        ground = (hex_ for area in self.ground for hex_ in area.hexes)
        places = [self.target, *(unit.place for unit in self.unit), *ground]
        on_map = partial(MAP.layout.parse, virtual=False)
        yield from unparsed_texts("target, unit or ground", places, on_map, "A1 to O10")
        if self.firer == self.enemy:
            yield "enemy", "both sides have the same nation", "name another nation"


def stage_file(form: CCScenario, staging: Staging, parts: Parts) -> None:
    """Stage a scenario file: its terrain, units and radio."""
    chart = parts.areas.charts["radios"]
    staging.firer, staging.target_side = form.firer, form.enemy
    staging.place = MAP.parse(form.target)
    staging.assets = ("radio",)
    terrain = {MAP.parse(hex_): area.kind for area in form.ground for hex_ in area.hexes}
    for place, words in terrain.items():
        staging.feature(words, place)
    spotter = next(
        (u for u in form.unit if (u.id, u.side, u.type) == (form.spotter, "firer", "leader")), None
    )
    row = next(
        (row for row in chart.rows if int(chart.cell(row, "least_mm")) == form.radio_mm), None
    )
    _stage_units(form, staging, terrain, parts.areas.charts["kinds"])
    if spotter is None:
        staging.cannot(f"spotter: the firing side has no leader {form.spotter} (4)")
    elif (
        row is None or chart.cell(row, f"{form.firer}_{'smoke' if form.smoke else 'plain'}") == "0"
    ):
        staging.cannot(
            f"radio_mm: there is no {form.firer} radio of {form.radio_mm} mm "
            f"{'with' if form.smoke else 'without'} smoke (6)"
        )
    else:
        sides = sides_of(staging, parts.areas, (form.firer, form.enemy), form.task)
        call = RadioFacts(
            sides,
            row,
            form.smoke,
            MAP.parse(spotter.place),
            form.spotter,
            (*terrain.items(),),
            edge=True,
        )
        for part in parts:
            if isinstance(part, CallPart):
                CallPart.stage_call(part, staging, call)
                for note in _triggers(part):
                    staging.note(note)


def _triggers(part: CallPart) -> Iterator[str]:
    """Yield one note on the triggers of cards that take effect, or nothing if none do."""
    acts = {
        "time": "the time marker advances, and both decks are shuffled (19)",
        "sniper": "an enemy unit near the hex on a further card breaks (20)",
        "event": "one more card is drawn, without effect here (21)",
    }
    signs = [f"{sign}: {acts[sign]}" for sign in part.triggers]
    if signs:
        yield f"a card turned for its dice may bear a trigger, which acts before the dice count - {'; '.join(signs)}"


def _stage_units(
    form: CCScenario, staging: Staging, terrain: Mapping[Hex, str], kinds: Mapping[Any, Kind]
) -> None:
    for unit in form.unit:
        side = form.firer if unit.side == "firer" else form.enemy
        kind = kinds.get(("" if unit.type == "leader" else side, unit.type, unit.kind))
        if kind is None:
            names = ", ".join(
                name for nation, type_, name in kinds if nation in ("", side) and type_ == unit.type
            )
            staging.cannot(
                f"unit {unit.id}: there is no {unit.type} {unit.kind}; choose from {names}"
            )
            continue
        place = MAP.parse(unit.place)
        troop = UnitFacts(kind, terrain.get(place, "open"), unit.works, unit.moving, unit.wire)
        staging.unit(unit.id, side, place, strength=MEN[unit.type], slot=UnitState(), facts=troop)
