"""Scenario files of Red Poppies: what may stand in one. How it is laid on a table is ``_laying``'s matter."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, Literal

import attrs

from fireplan_core import ScenarioFile
from fireplan_red_poppies._ground import LAYOUTS, Ground, block
from fireplan_red_poppies._unit_kinds import UNIT_KINDS

ModeName = Literal["aircraft", "flare", "runner", "telephone", "trench_set"]
Toward = Literal["N", "NE", "E", "SE", "S", "SW", "W", "NW"]
HexSide = Literal["N", "NE", "SE", "S", "SW", "NW"]
Feature = Literal["village", "trench", "blockhouse", "craters", "woods", "light_woods", "wheat"]
ONE_HEX = "a hex, such as N18"
AREA = "hexes: N18, 'row 19', 'rows 1-19', 'column P', 'row 19 from O to X', 'all'"


def _about(text: str, **more: Any) -> dict[str, Any]:
    return {"help": text, **more}


@attrs.frozen(kw_only=True)
class BoardEntry:
    """What of the map is in play (2.2)."""

    map: Literal["one", "two"] = attrs.field(
        default="one", metadata=_about("one: columns A to AZ; two: volume 3, where AK to AZ lie west of A")
    )
    west: str = attrs.field(default="A", metadata=_about("the westernmost column in play"))
    east: str = attrs.field(default="AD", metadata=_about("the easternmost column in play"))
    north: int = attrs.field(default=1, metadata=_about("the northernmost row in play", range=(1, 34)))
    south: int = attrs.field(default=34, metadata=_about("the southernmost row in play", range=(1, 34)))
    no_mans_land: tuple[str, ...] = attrs.field(default=(), metadata=_about(AREA + " between the trench lines (8.5)"))


@attrs.frozen(kw_only=True)
class SideEntry:
    """One of the two sides. The first in the file is the one whose fire is asked about."""

    name: str = attrs.field(metadata=_about("what the side is called", example="french"))
    central: bool = attrs.field(default=False, metadata=_about("whether it is one of the Central Powers (5.11)"))
    commands: int = attrs.field(default=0, metadata=_about("commands to troops not followed, in a turn", range=(0, 20)))
    infiltrates: bool = attrs.field(default=False, metadata=_about("whether all its troops infiltrate (3.6, 5.12)"))
    high_ground: bool = attrs.field(default=False, metadata=_about("whether it controls the map's top level (7.242)"))
    setup: tuple[str, ...] = attrs.field(default=(), metadata=_about(AREA + " where it sets up (7.11, 7.13)"))


@attrs.frozen(kw_only=True)
class HexEntry:
    """Some hexes alike: what is in them, their levels, or a feature as it is drawn there."""

    at: tuple[str, ...] = attrs.field(metadata=_about(AREA, example='["N18"]'))
    holds: tuple[Feature, ...] = attrs.field(default=(), metadata=_about("what is in them"))
    level: int = attrs.field(default=0, metadata=_about("their highest level", range=(0, 9)))
    base: int | None = attrs.field(default=None, metadata=_about("their lowest level, if not the same", range=(0, 9)))


def _corner(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"\s*(-?[0-9]{1,4})\s+(-?[0-9]{1,4})\s*", text)
    if found is None:
        raise ValueError(f"expected two whole numbers of hundredths, got {text!r}")
    return int(found[1]), int(found[2])


@attrs.frozen(kw_only=True)
class DrawingEntry:
    """A feature as it is drawn in one hex, where that decides lines of sight (4.42)."""

    at: str = attrs.field(metadata=_about("the hex", example="P22"))
    kind: Literal["woods", "light_woods", "wheat", "contour"] = attrs.field(
        metadata=_about("what is drawn", example="woods")
    )
    level: int = attrs.field(default=0, metadata=_about("of a contour: the level that it marks", range=(0, 9)))
    points: tuple[tuple[int, int], ...] = attrs.field(
        metadata=_about(
            "corners as 'east south' in hundredths: 100 0 is the hex's east corner, 50 100 its south-eastern one",
            example='["0 0", "50 100"]',
            parse=_corner,
        )
    )


@attrs.frozen(kw_only=True)
class SideOfHexEntry:
    """A feature along hex sides (8.04)."""

    kind: Literal["wire", "stream", "bridge", "shore", "bomb_stop", "road", "green"] = attrs.field(
        metadata=_about("what runs there; a shore cannot be crossed, green is interior woods (8.9)", example="wire")
    )
    at: tuple[str, ...] = attrs.field(metadata=_about(AREA, example='["row 18"]'))
    sides: tuple[HexSide, ...] = attrs.field(metadata=_about("which sides of them", example='["N"]'))


@attrs.frozen(kw_only=True)
class ControlEntry:
    """Hexes that a side controls though it has left them (3.9), as another scenario ended."""

    side: str = attrs.field(metadata=_about("whose", example="french"))
    at: tuple[str, ...] = attrs.field(metadata=_about(AREA, example='["N18"]'))


@attrs.frozen(kw_only=True)
class HallowedEntry:
    """Ground hallowed by a melee before (6.679); melee itself is not played."""

    side: str = attrs.field(metadata=_about("whose", example="french"))
    at: str = attrs.field(metadata=_about("the hex", example="N18"))


@attrs.frozen(kw_only=True)
class UnitEntry:
    """Units of one kind; one at each of the hexes (write a hex twice for two)."""

    name: str = attrs.field(metadata=_about("its units are called name.1, name.2 ..", example="guard"))
    side: str = attrs.field(metadata=_about("which side", example="german"))
    kind: str = attrs.field(metadata=_about("a row of units.csv: " + ", ".join(UNIT_KINDS), example="machine_guns"))
    at: tuple[str, ...] = attrs.field(metadata=_about("a hex for each unit", example='["P12"]'))
    formed: bool = attrs.field(default=False, metadata=_about("formed, else dispersed (3.2, 6.3)"))
    inside: Literal["", "trench", "blockhouse"] = attrs.field(default="", metadata=_about("what they are IN (8.02)"))
    cohesion: int | None = attrs.field(default=None, metadata=_about("in place of the kind's own", range=(2, 12)))
    strength: int = attrs.field(default=100, metadata=_about("men, as the weight in the odds", range=(1, 2000)))


@attrs.frozen(kw_only=True)
class GroupEntry:
    """A group of artillery off the map (2.4, 7.0)."""

    name: str = attrs.field(metadata=_about("what the group is called", example="75s"))
    side: str = attrs.field(metadata=_about("which side", example="french"))
    firepower: int = attrs.field(metadata=_about("firepower (7.0)", range=(1, 12), example=3))
    mode: ModeName = attrs.field(metadata=_about("its mode of transmission (7.21)", example="telephone"))
    howitzers: bool = attrs.field(default=False, metadata=_about("whether trenches help less (8.321)"))
    target: str = attrs.field(metadata=_about("the vertex where its fire is wanted", example="N18/N19/O19"))
    preregistered: str | None = attrs.field(default=None, metadata=_about("its preregistered vertex (7.3)"))
    observer: str | None = attrs.field(default=None, metadata=_about("the company with the trench set (7.21)"))
    shells: tuple[Literal["gas", "smoke"], ...] = attrs.field(
        default=(), metadata=_about("what it may fire besides high explosive (7.51, 7.52)")
    )
    cross_hair: str | None = attrs.field(default=None, metadata=_about("a vertex carried over (11.32)"))
    hour_glass: int = attrs.field(
        default=0, metadata=_about("of a carried cross hair: the turn that primes it, 0 if primed", range=(0, 12))
    )
    by_runner: bool = attrs.field(default=False, metadata=_about("whether the carried call went by runner (7.21)"))
    loaded: Literal["high_explosive", "gas", "smoke"] = attrs.field(
        default="high_explosive", metadata=_about("what the carried call is for; one of shells (7.51, 7.52)")
    )


@attrs.frozen(kw_only=True)
class BombardmentEntry:
    """A preliminary bombardment before turn 1 (7.11)."""

    name: str = attrs.field(default="bombardment", metadata=_about("what it is called"))
    side: str = attrs.field(metadata=_about("who fires it", example="french"))
    kind: Literal["pulverizing", "paralyzing"] = attrs.field(metadata=_about("its kind", example="pulverizing"))
    at: tuple[str, ...] = attrs.field(default=(), metadata=_about(AREA + "; without it the enemy's set-up area (7.11)"))


@attrs.frozen(kw_only=True)
class BarrageEntry:
    """A creeping barrage (7.4)."""

    name: str = attrs.field(default="barrage", metadata=_about("what it is called"))
    side: str = attrs.field(metadata=_about("who fires it", example="french"))
    line: tuple[str, ...] = attrs.field(metadata=_about(AREA + ": its first row, column or area", example='["row 19"]'))
    toward: Toward = attrs.field(metadata=_about("rows go N or S, columns E or W", example="N"))
    advances: int | None = attrs.field(default=None, metadata=_about("lines it goes forward in all", range=(1, 60)))
    first_turn: int = attrs.field(default=1, metadata=_about("the turn it begins in", range=(1, 60)))


@attrs.frozen(kw_only=True)
class RedPoppiesScenario(ScenarioFile):
    """A scenario: two sides, the ground, troops, groups and massed fire."""

    date: dt.date = attrs.field(metadata=_about("the day", example="1917-10-23"))
    board: BoardEntry = attrs.field(factory=BoardEntry, metadata=_about("what of the map is in play"))
    side: tuple[SideEntry, ...] = attrs.field(metadata=_about("the two sides"))
    unit: tuple[UnitEntry, ...] = attrs.field(default=(), metadata=_about("the troops"))
    group: tuple[GroupEntry, ...] = attrs.field(default=(), metadata=_about("artillery off the map"))
    bombardment: tuple[BombardmentEntry, ...] = attrs.field(default=(), metadata=_about("bombardments before turn 1"))
    barrage: tuple[BarrageEntry, ...] = attrs.field(default=(), metadata=_about("creeping barrages"))
    hex: tuple[HexEntry, ...] = attrs.field(default=(), metadata=_about("what is in the hexes"))
    drawing: tuple[DrawingEntry, ...] = attrs.field(default=(), metadata=_about("features as they are drawn"))
    hexside: tuple[SideOfHexEntry, ...] = attrs.field(default=(), metadata=_about("features along hex sides"))
    control: tuple[ControlEntry, ...] = attrs.field(default=(), metadata=_about("hexes held besides the set-up (3.9)"))
    hallowed: HallowedEntry | None = attrs.field(default=None, metadata=_about("hallowed ground, if any (6.679)"))
    moves: bool = attrs.field(default=False, metadata=_about("whether units are moved in play (odds then grow fast)"))
    night: bool = attrs.field(default=False, metadata=_about("whether it is night (5.12, 4.8)"))
    precipitation: bool = attrs.field(default=False, metadata=_about("whether it rains or snows (4.8)"))
    bombarded: bool = attrs.field(default=False, metadata=_about("whether signals suffer from an earlier bombardment"))
    notes: tuple[str, ...] = attrs.field(default=(), metadata=_about("what the figures rest on"))

    @property
    def ground(self) -> Ground:
        """The map in play, without what is on it."""
        layout = LAYOUTS[self.board.map]
        first = layout.first_q
        west, east = (layout.columns.index(name) + first for name in (self.board.west, self.board.east))
        return Ground(layout, (west, east), (self.board.north, self.board.south))

    def check(self) -> Iterator[tuple[str, str, str]]:
        """What does not fit together: keys, what is wrong, what to write instead."""
        columns = LAYOUTS[self.board.map].columns
        lost = [key for key in ("west", "east") if getattr(self.board, key) not in columns]
        yield from ((f"board.{key}", "there is no such column", f"{columns[0]} to {columns[-1]}") for key in lost)
        if len(self.side) != 2:
            yield "side", f"{len(self.side)} sides; there are two", "write [[side]] twice"
        names = [side.name for side in self.side]
        for key in ("unit", "group", "bombardment", "barrage", "control"):
            for number, entry in enumerate(getattr(self, key)):
                if entry.side not in names:
                    yield f"{key}[{number}].side", f"there is no side {entry.side}", f"one of {', '.join(names)}"
        for number, entry in enumerate(self.unit):
            if entry.kind not in UNIT_KINDS:
                yield f"unit[{number}].kind", f"there is no kind {entry.kind}", f"one of {', '.join(UNIT_KINDS)}"
        if self.hallowed is not None and self.hallowed.side not in names:
            yield "hallowed.side", f"there is no side {self.hallowed.side}", f"one of {', '.join(names)}"
        yield from self._twice()
        yield from self._places()
        yield from self._groups()

    def _twice(self) -> Iterator[tuple[str, str, str]]:
        seen: set[str] = set()
        for key in ("unit", "group", "bombardment", "barrage"):
            for number, entry in enumerate(getattr(self, key)):
                if entry.name in seen:
                    yield f"{key}[{number}].name", f"{entry.name} stands twice", "give each a name of its own"
                seen.add(entry.name)

    def _places(self) -> Iterator[tuple[str, str, str]]:
        layout = LAYOUTS[self.board.map]
        areas = {"side": "setup", "bombardment": "at", "barrage": "line", "hex": "at", "hexside": "at", "control": "at"}
        yield from _unread("board.no_mans_land", self.board.no_mans_land, partial(block, layout), AREA)
        for key, field in areas.items():
            for number, entry in enumerate(getattr(self, key)):
                yield from _unread(f"{key}[{number}].{field}", getattr(entry, field), partial(block, layout), AREA)
        for number, unit in enumerate(self.unit):
            yield from _unread(f"unit[{number}].at", unit.at, layout.parse, ONE_HEX)
        for number, drawing in enumerate(self.drawing):
            yield from _unread(f"drawing[{number}].at", (drawing.at,), layout.parse, ONE_HEX)
        if self.hallowed is not None:
            yield from _unread("hallowed.at", (self.hallowed.at,), layout.parse, ONE_HEX)

    def _groups(self) -> Iterator[tuple[str, str, str]]:
        sets: dict[str, str] = {}
        for number, group in enumerate(self.group):
            if group.mode == "trench_set" and group.observer is not None:
                one = sets.setdefault(group.side, group.observer)
                if one != group.observer:
                    yield f"group[{number}].observer", "one company observes for all trench sets (7.21)", f"write {one}"
            if group.mode == "flare" and group.preregistered is None:
                yield f"group[{number}]", "a flare group has a preregistered vertex (7.3)", "add preregistered"
            if group.mode == "trench_set" and group.observer is None:
                yield f"group[{number}]", "a trench set has a designated company (7.21)", "add observer"
            if group.loaded not in ("high_explosive", *group.shells):
                yield f"group[{number}].loaded", f"the group does not fire {group.loaded} (7.51)", "add it to shells"
            if "gas" in group.shells and self.date < dt.date(1915, 9, 1):
                yield f"group[{number}].shells", "gas came in September 1915 (7.51)", "leave gas out"


def _unread(
    key: str, texts: Iterable[str], parse: Callable[[str], object], hint: str
) -> Iterator[tuple[str, str, str]]:
    """Each of some texts that cannot be read."""
    for text in texts:
        try:
            parse(text)
        except ValueError as error:
            yield key, str(error), hint
