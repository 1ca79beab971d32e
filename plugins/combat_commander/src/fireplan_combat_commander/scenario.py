"""Scenario files: both sides, their units, the ground, and the radio that calls."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Literal

import attrs

from fireplan_combat_commander.call import MAP, Call, Knowing, Nerve, sides_of
from fireplan_combat_commander.resolution import Troop
from fireplan_core import Parts, ScenarioFile, Staging
from fireplan_core.files import Complaint, about, repeated, unread

Nation = Literal["american", "british", "french", "german", "italian", "russian"]
Task = Literal["attack", "recon", "defence"]
Ground = Literal[
    "road", "brush", "woods", "building", "stream", "hill_1", "hill_2", "rubble", "field", "orchard", "marsh",
    "gully", "bridge",
]  # fmt: skip


@attrs.frozen(kw_only=True)
class CCUnit:
    """A unit on the map."""

    id: str = attrs.field(metadata=about("a name of its own", example="1st squad"))
    kind: str = attrs.field(metadata=about("its name on the counter", example="Rifle"))
    place: str = attrs.field(metadata=about("its hex", example="H5"))
    side: Literal["firer", "target"] = attrs.field(default="target", metadata=about("whose it is"))
    type: Literal["squad", "team", "leader"] = attrs.field(default="squad", metadata=about("its type"))
    works: Literal["", "foxhole", "trench", "pillbox", "bunker"] = attrs.field(
        default="", metadata=about("the fortification that it is in")
    )
    moving: bool = attrs.field(default=False, metadata=about("whether it moves when the fire falls"))
    wire: bool = attrs.field(default=False, metadata=about("whether it is in wire"))


@attrs.frozen(kw_only=True)
class CCGround:
    """Hexes of one terrain; all others are open."""

    kind: Ground = attrs.field(metadata=about("the terrain", example="woods"))
    hexes: tuple[str, ...] = attrs.field(metadata=about("its hexes", example=("H5",)))


@attrs.frozen(kw_only=True)
class CCScenario(ScenarioFile):
    """A radio, the leader who spots for it, and who stands where."""

    firer: Nation = attrs.field(metadata=about("the nation that has the radio"))
    enemy: Nation = attrs.field(metadata=about("the other nation"))
    task: Task = attrs.field(default="recon", metadata=about("what the firing side is about; it gives the hands"))
    radio_mm: int = attrs.field(metadata=about("the least calibre of the radio, in mm", range=(75, 203), example=81))
    smoke: bool = attrs.field(default=False, metadata=about("whether the radio has smoke"))
    spotter: str = attrs.field(metadata=about("the leader who spots", example="Lt"))
    target: str = attrs.field(metadata=about("the hex where fire is wanted", example="H5"))
    unit: tuple[CCUnit, ...] = attrs.field(metadata=about("who is about"))
    ground: tuple[CCGround, ...] = attrs.field(default=(), metadata=about("what the ground is"))

    def check(self) -> Iterator[Complaint]:
        """Yield a fault for a name that stands twice, a hex that is none, and a side against itself."""
        yield from repeated(self, "unit", by="id")
        ground = (hex_ for one in self.ground for hex_ in one.hexes)
        places = [self.target, *(unit.place for unit in self.unit), *ground]
        on_map = partial(MAP.layout.parse, virtual=False)
        yield from unread("target, unit or ground", places, on_map, "A1 to O10")
        if self.firer == self.enemy:
            yield "enemy", "both sides are of one nation", "another nation"


def stage_file(form: CCScenario, staging: Staging, parts: Parts) -> None:
    """Stage a scenario file."""
    charts = parts.areas.charts
    staging.firer, staging.target_side = form.firer, form.enemy
    staging.place = MAP.parse(form.target)
    staging.assets = ("radio",)
    spotter = next((unit for unit in form.unit if unit.id == form.spotter and unit.side == "firer"), None)
    if spotter is None or spotter.type != "leader":
        staging.cannot(f"spotter: there is no leader {form.spotter} of the firing side (4)")
    chart = charts["radios"]
    row = next((row for row in chart.rows if int(chart.cell(row, "least_mm")) == form.radio_mm), None)
    if row is None or chart.cell(row, f"{form.firer}_{'smoke' if form.smoke else 'plain'}") == "0":
        staging.cannot(f"radio_mm: there is no {form.firer} radio of {form.radio_mm} mm of that kind (6)")
    terrain = {MAP.parse(hex_): one.kind for one in form.ground for hex_ in one.hexes}
    found = {}
    for unit in form.unit:
        nation = form.firer if unit.side == "firer" else form.enemy
        kind = charts["kinds"].get(("" if unit.type == "leader" else nation, unit.type, unit.kind))
        if kind is None:
            names = ", ".join(name for of, sort, name in charts["kinds"] if of in ("", nation) and sort == unit.type)
            staging.cannot(f"unit {unit.id}: there is no {unit.type} {unit.kind}; there are {names}")
        else:
            place = MAP.parse(unit.place)
            troop = Troop(kind, terrain.get(place, "open"), unit.works, unit.moving, unit.wire)
            found[unit.id] = (nation, place, 1 if unit.type == "leader" else 5 if unit.type == "team" else 10, troop)
    if staging.reasons or spotter is None or row is None:
        return
    for place, words in terrain.items():
        staging.feature(words, place)
    sides = sides_of(staging, parts.areas, (form.firer, form.enemy), form.task)
    call = Call(sides, row, form.smoke, MAP.parse(spotter.place), form.spotter, terrain, edge=True)
    for part in parts:
        if isinstance(part, Knowing):
            Knowing.stage_call(part, staging, call)
    for name, (nation, place, men, troop) in found.items():
        staging.unit(name, nation, place, strength=men, slot=Nerve(), facts=troop)
