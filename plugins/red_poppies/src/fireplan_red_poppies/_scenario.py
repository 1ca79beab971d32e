"""Scenario files of Red Poppies: what may stand in one. How it gets on a table is ``_build``'s matter."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from functools import partial
from typing import Any, Literal

import attrs

from fireplan_core import ScenarioFile
from fireplan_core.files import Complaint, about, repeated, unknown, unread
from fireplan_core.space import parse_vertex
from fireplan_red_poppies._ground import LAYOUTS, Ground, block
from fireplan_red_poppies._troops import read_face
from fireplan_red_poppies._unit_kinds import UNIT_KINDS

ModeName = Literal["aircraft", "flare", "runner", "telephone", "trench_set"]
Toward = Literal["N", "NE", "E", "SE", "S", "SW", "W", "NW"]
HexSide = Literal["N", "NE", "SE", "S", "SW", "NW"]
Feature = Literal["village", "trench", "blockhouse", "craters", "woods", "light_woods", "wheat", "quarry"]
Transport = Literal["mules", "wagons", "trucks"]
ONE_HEX = "a hex, such as N18"
AREA = "hexes: N18, 'row 19', 'rows 1-19', 'column P', 'row 19 from O to X', 'all'"
GAS_SINCE = dt.date(1915, 9, 1)
"""The month in which gas came (7.51)."""


@attrs.frozen(kw_only=True)
class BoardEntry:
    """Say what of the map is in play (2.2)."""

    map: Literal["one", "two"] = attrs.field(
        default="one", metadata=about("one: columns A to AZ; two: volume 3, where AK to AZ lie west of A")
    )
    west: str = attrs.field(default="A", metadata=about("the westernmost column in play"))
    east: str = attrs.field(default="AD", metadata=about("the easternmost column in play"))
    north: int = attrs.field(default=1, metadata=about("the northernmost row in play", range=(1, 34)))
    south: int = attrs.field(default=34, metadata=about("the southernmost row in play", range=(1, 34)))
    no_mans_land: tuple[str, ...] = attrs.field(default=(), metadata=about(AREA + " between the trench lines (8.5)"))


@attrs.frozen(kw_only=True)
class SideEntry:
    """One of the two sides. The first in the file is the one whose fire is asked about."""

    name: str = attrs.field(metadata=about("what the side is called", example="french"))
    central: bool = attrs.field(default=False, metadata=about("whether it is one of the Central Powers (5.11)"))
    commands: int = attrs.field(default=0, metadata=about("commands to troops not followed, in a turn", range=(0, 20)))
    infiltrates: bool = attrs.field(default=False, metadata=about("whether all its troops infiltrate (3.6, 5.12)"))
    high_ground: bool = attrs.field(default=False, metadata=about("whether it controls the map's top level (7.242)"))
    setup: tuple[str, ...] = attrs.field(default=(), metadata=about(AREA + " where it sets up (7.11, 7.13)"))


@attrs.frozen(kw_only=True)
class HexEntry:
    """Some hexes alike: what is in them, their levels, or a feature as it is drawn there."""

    at: tuple[str, ...] = attrs.field(metadata=about(AREA, example='["N18"]'))
    holds: tuple[Feature, ...] = attrs.field(default=(), metadata=about("what is in them"))
    level: int = attrs.field(default=0, metadata=about("their highest level", range=(0, 9)))
    base: int | None = attrs.field(
        default=None, metadata=about("their lowest level, where a contour runs through them (4.52)", range=(0, 9))
    )


def _corner(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"\s*(-?[0-9]{1,4})\s+(-?[0-9]{1,4})\s*", text)
    if found is None:
        raise ValueError(f"expected two whole numbers of hundredths, got {text!r}")
    return int(found[1]), int(found[2])


@attrs.frozen(kw_only=True)
class DrawingEntry:
    """A feature as it is drawn in one hex, where that decides lines of sight (4.42)."""

    at: str = attrs.field(metadata=about("the hex", example="P22"))
    kind: Literal["woods", "light_woods", "wheat", "contour"] = attrs.field(
        metadata=about("what is drawn", example="woods")
    )
    level: int = attrs.field(default=0, metadata=about("of a contour: the level that it marks", range=(0, 9)))
    points: tuple[tuple[int, int], ...] = attrs.field(
        metadata=about(
            "corners as 'east south' in hundredths: 100 0 is the hex's east corner, 50 100 its south-eastern one",
            example='["0 0", "50 100"]',
            parse=_corner,
        )
    )


@attrs.frozen(kw_only=True)
class SideOfHexEntry:
    """A feature along hex sides (8.04)."""

    kind: Literal["wire", "stream", "bridge", "shore", "bomb_stop", "road", "green"] = attrs.field(
        metadata=about("what runs there; a shore cannot be crossed, green is interior woods (8.9)", example="wire")
    )
    at: tuple[str, ...] = attrs.field(metadata=about(AREA, example='["row 18"]'))
    sides: tuple[HexSide, ...] = attrs.field(metadata=about("which sides of them", example='["N"]'))


@attrs.frozen(kw_only=True)
class ControlEntry:
    """Hexes that a side controls though it has left them (3.9), as another scenario ended."""

    side: str = attrs.field(metadata=about("whose", example="french"))
    at: tuple[str, ...] = attrs.field(metadata=about(AREA, example='["N18"]'))


@attrs.frozen(kw_only=True)
class TransportEntry:
    """Groups of transport of a side (6.81)."""

    side: str = attrs.field(metadata=about("whose", example="french"))
    kind: Transport = attrs.field(
        metadata=about("mules go anywhere, wagons not into craters, trucks by road (6.84)", example="trucks")
    )
    groups: int = attrs.field(default=1, metadata=about("how many groups", range=(1, 20)))


@attrs.frozen(kw_only=True)
class HallowedEntry:
    """Ground hallowed by a melee before this scenario (6.679); no other is hallowed then."""

    side: str = attrs.field(metadata=about("whose", example="french"))
    at: str = attrs.field(metadata=about("the hex", example="N18"))


def _values(face: str) -> dict[str, Any]:
    order = "firepower/range/melee/cohesion/movement, then /anti-tank if printed; melee [3] boxed, _3 underlined"
    return about(f"your counter's {face} side: {order} (3.11)", example="1/1/3/8/3")


@attrs.frozen(kw_only=True)
class UnitEntry:
    """Units of one kind; one at each of the hexes (write a hex twice for two)."""

    name: str = attrs.field(metadata=about("its units are called name.1, name.2 ..", example="guard"))
    side: str = attrs.field(metadata=about("which side", example="german"))
    kind: str = attrs.field(metadata=about("a row of units.csv: " + ", ".join(UNIT_KINDS), example="machine_guns"))
    at: tuple[str, ...] = attrs.field(metadata=about("a hex for each unit", example='["P12"]'))
    formed: bool = attrs.field(default=False, metadata=about("formed, else dispersed (3.2, 6.3)"))
    inside: Literal["", "trench", "blockhouse", "outside"] = attrs.field(
        default="",
        metadata=about("what they are IN (8.02); by itself guns and infantry are IN the trench of their hex (8.322)"),
    )
    cohesion: int | None = attrs.field(default=None, metadata=about("of both faces, if not as printed", range=(2, 12)))
    formed_values: str | None = attrs.field(default=None, metadata=_values("formed"))
    dispersed_values: str | None = attrs.field(default=None, metadata=_values("dispersed"))
    strength: int = attrs.field(default=100, metadata=about("men, as the weight in the odds", range=(1, 2000)))


@attrs.frozen(kw_only=True)
class GroupEntry:
    """A group of artillery off the map (2.4, 7.0)."""

    name: str = attrs.field(metadata=about("what the group is called", example="75s"))
    side: str = attrs.field(metadata=about("which side", example="french"))
    firepower: int = attrs.field(metadata=about("firepower (7.0)", range=(1, 12), example=3))
    mode: ModeName = attrs.field(metadata=about("its mode of transmission (7.21)", example="telephone"))
    howitzers: bool = attrs.field(default=False, metadata=about("whether trenches help less (8.321)"))
    target: str = attrs.field(metadata=about("the vertex where its fire is wanted", example="N18/N19/O19"))
    preregistered: str | None = attrs.field(default=None, metadata=about("its preregistered vertex (7.3)"))
    observer: str | None = attrs.field(default=None, metadata=about("the company with the trench set (7.21)"))
    shells: tuple[Literal["gas", "smoke"], ...] = attrs.field(
        default=(), metadata=about("what it may fire besides high explosive (7.51, 7.52)")
    )
    cross_hair: str | None = attrs.field(default=None, metadata=about("a vertex carried over (11.32)"))
    hour_glass: int = attrs.field(
        default=0, metadata=about("of a carried cross hair: the turn that primes it, 0 if primed", range=(0, 12))
    )
    by_runner: bool = attrs.field(default=False, metadata=about("whether the carried call went by runner (7.21)"))
    loaded: Literal["high_explosive", "gas", "smoke"] = attrs.field(
        default="high_explosive", metadata=about("what the carried call is for; one of shells (7.51, 7.52)")
    )

    @property
    def choices(self) -> tuple[str, ...]:
        """Return what it may be called to fire, where that is more than high explosive (7.51, 7.52)."""
        return ("high_explosive", *self.shells) if self.shells else ()


@attrs.frozen(kw_only=True)
class BombardmentEntry:
    """A preliminary bombardment before turn 1 (7.11)."""

    name: str = attrs.field(default="bombardment", metadata=about("what it is called"))
    side: str = attrs.field(metadata=about("who fires it", example="french"))
    kind: Literal["pulverizing", "paralyzing"] = attrs.field(metadata=about("its kind", example="pulverizing"))
    at: tuple[str, ...] = attrs.field(default=(), metadata=about(AREA + "; without it the enemy's set-up area (7.11)"))


@attrs.frozen(kw_only=True)
class BarrageEntry:
    """A creeping barrage (7.4)."""

    name: str = attrs.field(default="barrage", metadata=about("what it is called"))
    side: str = attrs.field(metadata=about("who fires it", example="french"))
    line: tuple[str, ...] = attrs.field(metadata=about(AREA + ": its first row, column or area", example='["row 19"]'))
    toward: Toward = attrs.field(metadata=about("rows go N or S, columns E or W", example="N"))
    advances: int | None = attrs.field(default=None, metadata=about("lines it goes forward in all", range=(1, 60)))
    first_turn: int = attrs.field(default=1, metadata=about("the turn it begins in", range=(1, 60)))


@attrs.frozen(kw_only=True)
class RedPoppiesScenario(ScenarioFile):
    """A scenario: two sides, the ground, troops, groups and massed fire."""

    date: dt.date = attrs.field(metadata=about("the day", example="1917-10-23"))
    board: BoardEntry = attrs.field(factory=BoardEntry, metadata=about("what of the map is in play"))
    side: tuple[SideEntry, ...] = attrs.field(metadata=about("the two sides"))
    unit: tuple[UnitEntry, ...] = attrs.field(default=(), metadata=about("the troops"))
    group: tuple[GroupEntry, ...] = attrs.field(default=(), metadata=about("artillery off the map"))
    bombardment: tuple[BombardmentEntry, ...] = attrs.field(default=(), metadata=about("bombardments before turn 1"))
    barrage: tuple[BarrageEntry, ...] = attrs.field(default=(), metadata=about("creeping barrages"))
    hex: tuple[HexEntry, ...] = attrs.field(default=(), metadata=about("what is in the hexes"))
    drawing: tuple[DrawingEntry, ...] = attrs.field(default=(), metadata=about("features as they are drawn"))
    hexside: tuple[SideOfHexEntry, ...] = attrs.field(default=(), metadata=about("features along hex sides"))
    control: tuple[ControlEntry, ...] = attrs.field(default=(), metadata=about("hexes held besides the set-up (3.9)"))
    transport: tuple[TransportEntry, ...] = attrs.field(default=(), metadata=about("transport, where units are moved"))
    hallowed: HallowedEntry | None = attrs.field(default=None, metadata=about("hallowed ground, if any (6.679)"))
    moves: bool = attrs.field(default=False, metadata=about("whether units are moved in play (odds then grow fast)"))
    night: bool = attrs.field(default=False, metadata=about("whether it is night (5.12, 4.8)"))
    precipitation: bool = attrs.field(default=False, metadata=about("whether it rains or snows (4.8)"))
    bombarded: bool = attrs.field(default=False, metadata=about("whether signals suffer from an earlier bombardment"))
    notes: tuple[str, ...] = attrs.field(default=(), metadata=about("what the figures rest on"))

    @property
    def ground(self) -> Ground:
        """Return the map in play, without what is on it."""
        layout = LAYOUTS[self.board.map]
        first = layout.first_q
        west, east = (layout.columns.index(name) + first for name in (self.board.west, self.board.east))
        return Ground(layout, (west, east), (self.board.north, self.board.south))

    def check(self) -> Iterator[Complaint]:
        """Yield what does not fit together."""
        columns = LAYOUTS[self.board.map].columns
        lost = [key for key in ("west", "east") if getattr(self.board, key) not in columns]
        yield from ((f"board.{key}", "there is no such column", f"{columns[0]} to {columns[-1]}") for key in lost)
        if len(self.side) != len("ab"):
            yield "side", f"{len(self.side)} sides; there are two", "write [[side]] twice"
        names = [side.name for side in self.side]
        yield from unknown(self, names, "side", "unit", "group", "bombardment", "barrage", "control", "transport")
        yield from unknown(self, tuple(UNIT_KINDS), "kind", "unit")
        if self.hallowed is not None and self.hallowed.side not in names:
            yield "hallowed.side", f"there is no side {self.hallowed.side}", f"one of {', '.join(names)}"
        yield from repeated(self, "unit", "group", "bombardment", "barrage")
        yield from self._places()
        yield from self._groups()

    def _places(self) -> Iterator[Complaint]:
        layout = LAYOUTS[self.board.map]
        areas, one = partial(block, layout), (layout.parse, ONE_HEX)
        vertex = (partial(parse_vertex, layout=layout), "a vertex, such as N18/N19/O19")
        yield from unread("board.no_mans_land", self.board.no_mans_land, areas, AREA)
        for table, key, parse, hint in (
            ("side", "setup", areas, AREA), ("bombardment", "at", areas, AREA), ("barrage", "line", areas, AREA),
            ("hex", "at", areas, AREA), ("hexside", "at", areas, AREA), ("control", "at", areas, AREA),
            ("unit", "at", *one), ("drawing", "at", *one),
            ("group", "target", *vertex), ("group", "preregistered", *vertex), ("group", "cross_hair", *vertex),
        ):  # fmt: skip
            for number, entry in enumerate(getattr(self, table)):
                texts = getattr(entry, key)
                several = texts if isinstance(texts, tuple) else (texts,)
                yield from unread(f"{table}[{number}].{key}", several, parse, hint)
        for number, unit in enumerate(self.unit):
            for key in ("formed_values", "dispersed_values"):
                texts = [text for text in (getattr(unit, key),) if text is not None]
                yield from unread(f"unit[{number}].{key}", texts, read_face, "such as 1/1/3/8/3")
        if self.hallowed is not None:
            yield from unread("hallowed.at", (self.hallowed.at,), *one)

    def _groups(self) -> Iterator[Complaint]:
        sets: dict[str, str] = {}
        for number, group in enumerate(self.group):
            key = f"group[{number}]"
            if group.mode == "trench_set" and group.observer is None:
                yield key, "a trench set has a designated company (7.21)", "add observer"
            elif group.mode == "trench_set":
                one = sets.setdefault(group.side, group.observer or "")
                if one != group.observer:
                    yield f"{key}.observer", "one company observes for all trench sets (7.21)", f"write {one}"
            if group.cross_hair is None and (group.by_runner or group.hour_glass or group.loaded != "high_explosive"):
                yield key, "only a carried call has by_runner, hour_glass and loaded (11.32)", "add cross_hair"
            if group.loaded not in ("high_explosive", *group.shells):
                yield f"{key}.loaded", f"the group does not fire {group.loaded} (7.51)", "add it to shells"
            if "gas" in group.shells and self.date < GAS_SINCE:
                yield f"{key}.shells", "gas came in September 1915 (7.51)", "leave gas out"
