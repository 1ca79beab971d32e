"""Scenario files of Red Poppies: what may stand in one.

How it gets on a table is ``_build``'s matter.
"""

import datetime as dt
import re
from collections.abc import Iterator
from functools import partial
from typing import Any, Literal

import attrs

from fireplan_core import ScenarioFile
from fireplan_core.files import Complaint, entry, flag, repeated, unknown, unread
from fireplan_core.space import parse_vertex
from fireplan_red_poppies.ground import LAYOUTS, Ground, block
from fireplan_red_poppies.troops import UNIT_KINDS, read_face

ModeName = Literal["aircraft", "flare", "runner", "telephone", "trench_set"]
Toward = Literal["N", "NE", "E", "SE", "S", "SW", "W", "NW"]
HexSide = Literal["N", "NE", "SE", "S", "SW", "NW"]
Feature = Literal[
    "village", "trench", "blockhouse", "craters", "woods", "light_woods", "wheat", "quarry"
]
Transport = Literal["mules", "wagons", "trucks"]
ONE_HEX = "a hex, such as N18"
AREA = "hexes: N18, 'row 19', 'rows 1-19', 'column P', 'row 19 from O to X', 'all'"
GAS_SINCE = dt.date(1915, 9, 1)
"""The month in which gas came (7.51)."""


@attrs.frozen(kw_only=True)
class BoardEntry:
    """Say what of the map is in play (2.2)."""

    map: Literal["one", "two"] = entry(
        "one: columns A to AZ; two: volume 3, where AK to AZ lie west of A", "one"
    )
    west: str = entry("the westernmost column in play", "A")
    east: str = entry("the easternmost column in play", "AD")
    north: int = entry("the northernmost row in play", 1, range=(1, 34))
    south: int = entry("the southernmost row in play", 34, range=(1, 34))
    no_mans_land: tuple[str, ...] = entry(AREA + " between the trench lines (8.5)", ())


@attrs.frozen(kw_only=True)
class SideEntry:
    """One of the two sides. The first in the file is the one whose fire is asked about."""

    name: str = entry("what the side is called", example="french")
    central: bool = flag("whether it is one of the Central Powers (5.11)")
    commands: int = entry("commands to troops not followed, in a turn", 0, range=(0, 20))
    infiltrates: bool = flag("whether all its troops infiltrate (3.6, 5.12)")
    high_ground: bool = flag("whether it controls the map's top level (7.242)")
    setup: tuple[str, ...] = entry(AREA + " where it sets up (7.11, 7.13)", ())


@attrs.frozen(kw_only=True)
class HexEntry:
    """Some hexes alike: what is in them, their levels, or a feature as it is drawn there."""

    at: tuple[str, ...] = entry(AREA, example='["N18"]')
    holds: tuple[Feature, ...] = entry("what is in them", ())
    level: int = entry("their highest level", 0, range=(0, 9))
    base: int | None = entry(
        "their lowest level, where a contour runs through them (4.52)", None, range=(0, 9)
    )


def _corner(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"\s*(-?[0-9]{1,4})\s+(-?[0-9]{1,4})\s*", text)
    if found is None:
        raise ValueError(f"expected two whole numbers of hundredths, got {text!r}")
    return int(found[1]), int(found[2])


@attrs.frozen(kw_only=True)
class DrawingEntry:
    """A feature as it is drawn in one hex, where that decides lines of sight (4.42)."""

    at: str = entry("the hex", example="P22")
    kind: Literal["woods", "light_woods", "wheat", "contour"] = entry(
        "what is drawn", example="woods"
    )
    level: int = entry("of a contour: the level that it marks", 0, range=(0, 9))
    points: tuple[tuple[int, int], ...] = entry(
        "corners as 'east south' in hundredths: 100 0 is the hex's east corner, 50 100 its south-eastern one",
        example='["0 0", "50 100"]',
        parse=_corner,
    )


@attrs.frozen(kw_only=True)
class SideOfHexEntry:
    """A feature along hex sides (8.04)."""

    kind: Literal["wire", "stream", "bridge", "shore", "bomb_stop", "road", "green"] = entry(
        "what runs there; a shore cannot be crossed, green is interior woods (8.9)", example="wire"
    )
    at: tuple[str, ...] = entry(AREA, example='["row 18"]')
    sides: tuple[HexSide, ...] = entry("which sides of them", example='["N"]')


@attrs.frozen(kw_only=True)
class ControlEntry:
    """Hexes that a side controls though it has left them (3.9), as another scenario ended."""

    side: str = entry("whose", example="french")
    at: tuple[str, ...] = entry(AREA, example='["N18"]')


@attrs.frozen(kw_only=True)
class TransportEntry:
    """Groups of transport of a side (6.81)."""

    side: str = entry("whose", example="french")
    kind: Transport = entry(
        "mules go anywhere, wagons not into craters, trucks by road (6.84)", example="trucks"
    )
    groups: int = entry("how many groups", 1, range=(1, 20))


@attrs.frozen(kw_only=True)
class HallowedEntry:
    """Ground hallowed by a melee before this scenario (6.679); no other is hallowed then."""

    side: str = entry("whose", example="french")
    at: str = entry("the hex", example="N18")


def _values(face: str) -> Any:
    order = "firepower/range/melee/cohesion/movement, then /anti-tank if printed; melee [3] boxed, _3 underlined"
    return entry(f"your counter's {face} side: {order} (3.11)", None, example="1/1/3/8/3")


@attrs.frozen(kw_only=True)
class UnitEntry:
    """Units of one kind; one at each of the hexes (write a hex twice for two)."""

    name: str = entry("its units are called name.1, name.2 ..", example="guard")
    side: str = entry("which side", example="german")
    kind: str = entry("a row of units.csv: " + ", ".join(UNIT_KINDS), example="machine_guns")
    at: tuple[str, ...] = entry("a hex for each unit", example='["P12"]')
    formed: bool = flag("formed, else dispersed (3.2, 6.3)")
    inside: Literal["", "trench", "blockhouse", "outside"] = entry(
        "what they are IN (8.02); by itself guns and infantry are IN the trench of their hex (8.322)",
        "",
    )
    cohesion: int | None = entry("of both faces, if not as printed", None, range=(2, 12))
    formed_values: str | None = _values("formed")
    dispersed_values: str | None = _values("dispersed")
    strength: int = entry("men, as the weight in the odds", 100, range=(1, 2000))


@attrs.frozen(kw_only=True)
class GroupEntry:
    """A group of artillery off the map (2.4, 7.0)."""

    name: str = entry("what the group is called", example="75s")
    side: str = entry("which side", example="french")
    firepower: int = entry("firepower (7.0)", range=(1, 12), example=3)
    mode: ModeName = entry("its mode of transmission (7.21)", example="telephone")
    howitzers: bool = flag("whether trenches help less (8.321)")
    target: str = entry("the vertex where its fire is wanted", example="N18/N19/O19")
    preregistered: str | None = entry("its preregistered vertex (7.3)", None)
    observer: str | None = entry("the company with the trench set (7.21)", None)
    shells: tuple[Literal["gas", "smoke"], ...] = entry(
        "what it may fire besides high explosive (7.51, 7.52)", ()
    )
    cross_hair: str | None = entry("a vertex carried over (11.32)", None)
    hour_glass: int = entry(
        "of a carried cross hair: the turn that primes it, 0 if primed", 0, range=(0, 12)
    )
    by_runner: bool = flag("whether the carried call went by runner (7.21)")
    loaded: Literal["high_explosive", "gas", "smoke"] = entry(
        "what the carried call is for; one of shells (7.51, 7.52)", "high_explosive"
    )

    @property
    def choices(self) -> tuple[str, ...]:
        """Return what it may be called to fire, where that is more than high explosive (7.51, 7.52)."""
        return ("high_explosive", *self.shells) if self.shells else ()


@attrs.frozen(kw_only=True)
class BombardmentEntry:
    """A preliminary bombardment before turn 1 (7.11)."""

    name: str = entry("what it is called", "bombardment")
    side: str = entry("who fires it", example="french")
    kind: Literal["pulverizing", "paralyzing"] = entry("its kind", example="pulverizing")
    at: tuple[str, ...] = entry(AREA + "; without it the enemy's set-up area (7.11)", ())


@attrs.frozen(kw_only=True)
class BarrageEntry:
    """A creeping barrage (7.4)."""

    name: str = entry("what it is called", "barrage")
    side: str = entry("who fires it", example="french")
    line: tuple[str, ...] = entry(AREA + ": its first row, column or area", example='["row 19"]')
    toward: Toward = entry("rows go N or S, columns E or W", example="N")
    advances: int | None = entry("lines it goes forward in all", None, range=(1, 60))
    first_turn: int = entry("the turn it begins in", 1, range=(1, 60))


@attrs.frozen(kw_only=True)
class RedPoppiesScenario(ScenarioFile):
    """A scenario: two sides, the ground, troops, groups and massed fire."""

    date: dt.date = entry("the day", example="1917-10-23")
    board: BoardEntry = entry("what of the map is in play", attrs.Factory(BoardEntry))
    side: tuple[SideEntry, ...] = entry("the two sides")
    unit: tuple[UnitEntry, ...] = entry("the troops", ())
    group: tuple[GroupEntry, ...] = entry("artillery off the map", ())
    bombardment: tuple[BombardmentEntry, ...] = entry("bombardments before turn 1", ())
    barrage: tuple[BarrageEntry, ...] = entry("creeping barrages", ())
    hex: tuple[HexEntry, ...] = entry("what is in the hexes", ())
    drawing: tuple[DrawingEntry, ...] = entry("features as they are drawn", ())
    hexside: tuple[SideOfHexEntry, ...] = entry("features along hex sides", ())
    control: tuple[ControlEntry, ...] = entry("hexes held besides the set-up (3.9)", ())
    transport: tuple[TransportEntry, ...] = entry("transport, where units are moved", ())
    hallowed: HallowedEntry | None = entry("hallowed ground, if any (6.679)", None)
    moves: bool = flag("whether units are moved in play (odds then grow fast)")
    night: bool = flag("whether it is night (5.12, 4.8)")
    precipitation: bool = flag("whether it rains or snows (4.8)")
    bombarded: bool = flag("whether signals suffer from an earlier bombardment")
    notes: tuple[str, ...] = entry("what the figures rest on", ())

    @property
    def ground(self) -> Ground:
        """Return the map in play, without what is on it."""
        layout = LAYOUTS[self.board.map]
        first = layout.first_q
        west, east = (
            layout.columns.index(name) + first for name in (self.board.west, self.board.east)
        )
        return Ground(layout, (west, east), (self.board.north, self.board.south))

    def check(self) -> Iterator[Complaint]:
        """Yield what does not fit together."""
        columns = LAYOUTS[self.board.map].columns
        lost = [key for key in ("west", "east") if getattr(self.board, key) not in columns]
        yield from (
            (f"board.{key}", "there is no such column", f"{columns[0]} to {columns[-1]}")
            for key in lost
        )
        if len(self.side) != len("ab"):
            yield "side", f"{len(self.side)} sides; there are two", "write [[side]] twice"
        names = [side.name for side in self.side]
        yield from unknown(
            self, names, "side", "unit", "group", "bombardment", "barrage", "control", "transport"
        )
        yield from unknown(self, tuple(UNIT_KINDS), "kind", "unit")
        if self.hallowed is not None and self.hallowed.side not in names:
            yield (
                "hallowed.side",
                f"there is no side {self.hallowed.side}",
                f"one of {', '.join(names)}",
            )
        yield from repeated(self, "unit", "group", "bombardment", "barrage")
        yield from self._places()
        yield from self._groups()

    def _places(self) -> Iterator[Complaint]:
        layout = LAYOUTS[self.board.map]
        areas, one = partial(block, layout), (layout.parse, ONE_HEX)
        vertex = (partial(parse_vertex, layout=layout), "a vertex, such as N18/N19/O19")
        yield from unread("board.no_mans_land", self.board.no_mans_land, areas, AREA)
        for table, key, parse, hint in (
            ("side", "setup", areas, AREA),
            ("bombardment", "at", areas, AREA),
            ("barrage", "line", areas, AREA),
            ("hex", "at", areas, AREA),
            ("hexside", "at", areas, AREA),
            ("control", "at", areas, AREA),
            ("unit", "at", *one),
            ("drawing", "at", *one),
            ("group", "target", *vertex),
            ("group", "preregistered", *vertex),
            ("group", "cross_hair", *vertex),
        ):
            for number, one_of in enumerate(getattr(self, table)):
                texts = getattr(one_of, key)
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
                    yield (
                        f"{key}.observer",
                        "one company observes for all trench sets (7.21)",
                        f"write {one}",
                    )
            if group.cross_hair is None and (
                group.by_runner or group.hour_glass or group.loaded != "high_explosive"
            ):
                yield (
                    key,
                    "only a carried call has by_runner, hour_glass and loaded (11.32)",
                    "add cross_hair",
                )
            if group.loaded not in ("high_explosive", *group.shells):
                yield (
                    f"{key}.loaded",
                    f"the group does not fire {group.loaded} (7.51)",
                    "add it to shells",
                )
            if "gas" in group.shells and self.date < GAS_SINCE:
                yield f"{key}.shells", "gas came in September 1915 (7.51)", "leave gas out"
