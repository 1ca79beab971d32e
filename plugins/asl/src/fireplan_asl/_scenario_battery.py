"""Batteries of a scenario file: what a player writes, and what the rules forbid when one is set up.

Who may be an Observer (C1.2, C1.6), Barrage records (E12.2, E12.71), the Security Area of a phone (C1.23). How
all that is laid on the table is in ``_scenario``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

import attrs

from fireplan_asl._creeping import Edge, path_steps, path_ways
from fireplan_asl._grains import Grain, canonical, grain_of, parallel
from fireplan_asl._scenario_units import Unit, about
from fireplan_asl.areas import ROWS
from fireplan_core import Place
from fireplan_core.space import CoordinateError, Layout
from fireplan_core.space import step as hex_step

Type = Literal["concentration", "harassing", "smoke", "wp", "barrage", "barrage_smoke", "barrage_wp", "rocket"]
LARGEST_SPREAD_MM, SMALLEST_MM = 249, 70
"""Calibres that fire Harassing Fire and Barrages."""


@attrs.frozen(kw_only=True, eq=False, repr=False)
class CreepingBarrage:
    """The record of a Creeping Barrage (E12.71)."""

    aim: str = attrs.field(metadata=about("Aiming Hex", example="P5"))
    by: str = attrs.field(
        default="", metadata=about("second hex of its grain, where an Alternate Hex Grain on either side leads to aim")
    )
    edge: Edge = attrs.field(
        default="first hexrow", metadata=about("Friendly Board Edge of most units that enter on Turn 1")
    )
    correct: Literal["FFE:1", "FFE:1-2"] = attrs.field(default="FFE:1-2", metadata=about("PFPh alone, or DFPh too"))
    lift: int = attrs.field(metadata=about("Game Turn in which it Lifts", range=(2, 99)))
    radio: bool = attrs.field(default=False, metadata=about("whether a radio may use the battery afterwards"))


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Battery:
    """An OBA module and its Observer."""

    id: str = attrs.field(metadata=about("its name", example="a"))
    side: str = attrs.field(default="attacker", metadata=about("side"))
    nationality: str = attrs.field(metadata=about("nationality", example="german"))
    calibre: int = attrs.field(metadata=about("calibre in mm", range=(60, 450)))
    weapon: Literal["howitzer", "mortar", "rocket"] = attrs.field(default="howitzer", metadata=about("kind of piece"))
    link: Literal["radio", "field_phone", "offboard"] = attrs.field(default="radio", metadata=about("its link"))
    ammunition: Literal["scarce", "normal", "plentiful"] = attrs.field(default="normal", metadata=about("ammunition"))
    target: str = attrs.field(metadata=about("hex where its fire is wanted", example="K5"))
    observer: str = attrs.field(metadata=about("hex of the Observer", example="E5"))
    ar_points_to: int = attrs.field(
        default=1, metadata=about("hexside to which the 1 of its AR counter points; 1: lower numbers", range=(1, 6))
    )
    leader: str = attrs.field(
        default="", metadata=about("unit that is its Observer: a leader or an OP tank; none: nothing befalls him")
    )
    relief: tuple[str, ...] = attrs.field(
        default=(), metadata=about("leaders in the same hex who may take the radio after him")
    )
    friendly_edge: Edge | None = attrs.field(
        default=None, metadata=about("Friendly Board Edge, to which the Security Area of a field phone runs")
    )
    missions: tuple[Type, ...] = attrs.field(
        default=("concentration", "harassing"), metadata=about("types of Fire Mission, the preferred one first")
    )
    preregistered: tuple[str, ...] = attrs.field(default=(), metadata=about("Pre-Registered hexes"))
    barrage: Mapping[str, str] = attrs.field(
        factory=dict, metadata=about("Barrage record by Pre-Registered hex, e.g. H6 = 'H5-H7'")
    )
    creeping: CreepingBarrage | None = attrs.field(default=None, metadata=about("record of a Creeping Barrage"))
    no_ground: tuple[str, ...] = attrs.field(default=(), metadata=about("hexes whose Base Level is not seen"))
    no_burst: tuple[str, ...] = attrs.field(default=(), metadata=about("hexes whose Blast Height is not seen"))
    no_tall_burst: tuple[str, ...] = attrs.field(
        default=(), metadata=about("hexes of which not even four levels up are seen (WP)")
    )
    ground_seen: tuple[str, ...] = attrs.field(
        default=(), metadata=about("hexes whose Base Level is seen, whatever their levels make of it")
    )
    burst_seen: tuple[str, ...] = attrs.field(
        default=(), metadata=about("hexes whose Blast Height is seen, whatever their levels make of it")
    )
    observer_level: int | None = attrs.field(
        default=None,
        metadata=about("level he looks from, as of a hill; by default his leader's in that hex", range=(-9, 18)),
    )
    overlooks: bool = attrs.field(
        default=False, metadata=about("whether the Observer looks down on FFE from above their two levels")
    )
    hindrance: Mapping[str, int] = attrs.field(factory=dict, metadata=about("Hindrance by hex, before that of the hex"))


def security_area(layout: Layout, phone: Place, edge: Edge) -> tuple[Place, ...]:
    """The hexes from a phone to its Friendly Board Edge, its own included: one hexrow, or one number (C1.23)."""
    q, number = phone[0], phone[1] + phone[0] // 2
    found = []
    for _ in range(200):
        place = (q, number - q // 2)
        if not layout.on_map(place):
            break
        found.append(place)
        q += {"first hexrow": -1, "last hexrow": 1}.get(edge, 0)
        number += {"low numbers": -1, "high numbers": 1}.get(edge, 0)
    return tuple(found)


# --- who may be an Observer ----------------------------------------------------------------------
def faults_of_observer(battery: Battery, where: str, units: Mapping[str, Unit]) -> Iterator[tuple[str, str, str]]:
    """Why units may not direct a battery (C1.2, C1.22, C1.6)."""
    if battery.link == "offboard" and (battery.leader or battery.relief):
        yield f"{where}.leader", "an Offboard Observer is no unit on the map [C1.63]", "take the leader out"
        return
    if battery.relief and not battery.leader:
        yield f"{where}.relief", "there is no leader to be relieved [C1.61]", "name the Observer as leader"
    for key, name in (("leader", battery.leader), *(("relief", name) for name in battery.relief)):
        if not name:
            continue
        unit = units.get(name)
        if unit is None:
            yield f"{where}.{key}", f"there is no unit {name!r}", "name a unit of the scenario"
            continue
        for why in _unfit(battery, unit, units):
            yield f"{where}.{key}", f"{name}: {why}", ""


def _unfit(battery: Battery, unit: Unit, units: Mapping[str, Unit]) -> Iterator[str]:
    if unit.side != battery.side:
        yield "an Observer is of the battery's side [C1.2]"
    if unit.op_tank:
        if unit.kind != "afv":
            yield "an OP tank is an AFV [C1.2]"
    elif not unit.leader or unit.kind != "infantry":
        yield "an Observer is a leader, an OP tank or Offboard [C1.2]"
    if unit.hex != battery.observer:
        yield f"he does not have the radio, which is in {battery.observer} [C1.22]"
    mount = units.get(unit.aboard)
    if unit.rider or (mount is not None and mount.kind == "mount"):
        yield "a Rider makes no Radio Contact [C1.2]"
    if unit.prisoners > unit.us_number:
        yield "a Guard of more prisoners than his own US# makes no Radio Contact [C1.2]"
    if unit.berserk:
        yield "a berserk unit is not in Good Order [C1.61]"
    if unit.dummy:
        yield "a Dummy is no leader [C1.2]"
    if mount is not None and mount.kind == "afv" and unit.immune:
        yield "in an AFV that is no OP tank an Observer must be CE to spot [C1.6]"
    if unit.move:
        yield "who has used a radio does not move in the MPh after it, and LOS is declared from one hex [C1.6]"


# --- Security Area and Barrages ------------------------------------------------------------------
def faults_of(
    battery: Battery, where: str, layout: Layout, boards: int, columns: int, *, same_side: bool
) -> Iterator[tuple[str, str, str]]:
    """What rules forbid when a battery is set up."""
    if battery.friendly_edge and battery.link != "field_phone":
        yield f"{where}.friendly_edge", "only a field phone has a Security Area [C1.23]", "take it out"
    rocket = battery.weapon == "rocket"
    if rocket and (battery.barrage or battery.creeping):
        yield f"{where}.barrage", "a rocket battery fires no Barrage [E12.1, C1.9]", "take the record out"
    grains: list[Grain] = []
    registered = {_plain(text) for text in battery.preregistered}
    recorded = [_plain(text) for text in battery.barrage]
    if len(set(recorded)) < len(recorded):
        yield f"{where}.barrage", "a Pre-Registered hex has one Barrage record [E12.2]", "take the other one out"
    for place, pair in battery.barrage.items():
        if _plain(place) not in registered:
            yield f"{where}.barrage", f"{place} is not Pre-Registered [E12.2]", "add it to preregistered"
        try:
            grain = record_of(layout, place, pair)
        except ValueError as error:
            yield f"{where}.barrage", f"{place} = {pair!r}: {error} [E12.2]", "such as H6 = 'H5-H7'"
            continue
        if grains and not parallel(grains[0], grain, same_side=same_side):
            yield f"{where}.barrage", "the Barrages of a battery are parallel [E12.2]", ""
        grains.append(grain)
    if any(kind.startswith("barrage") for kind in battery.missions) and not battery.barrage:
        yield f"{where}.missions", "a Barrage needs a Barrage-capable hex [E12.1]", "write barrage = { H6 = 'H5-H7' }"
    yield from _faults_of_creeping(battery, where, layout, boards, columns)


def _faults_of_creeping(
    battery: Battery, where: str, layout: Layout, boards: int, columns: int
) -> Iterator[tuple[str, str, str]]:
    """What is wrong with the record of a Creeping Barrage (E12.71)."""
    if battery.creeping:
        if len(battery.preregistered) != 1 or len(battery.barrage) != 1:
            yield f"{where}.creeping", "it needs one Pre-Registered hex with a Barrage record [E12.71]", ""
            return
        if not SMALLEST_MM <= battery.calibre <= LARGEST_SPREAD_MM:
            yield f"{where}.creeping", "this calibre fires no Barrage [E12.5, E12.7]", ""
        aim = _wrong_edge(layout, boards, columns, battery)
        if aim:
            yield f"{where}.creeping.edge", f"{aim} [E12.71]", ""
        try:
            start, goal = layout.parse(battery.preregistered[0]), layout.parse(battery.creeping.aim)
            path_steps(start, goal)
        except CoordinateError:
            return
        except ValueError as error:
            yield f"{where}.creeping.aim", f"{error} [E12.71]", ""
            return
        try:
            path_steps(start, goal, layout.parse(battery.creeping.by) if battery.creeping.by else None)
        except ValueError as error:
            ways = " or ".join(layout.label(hex_step(start, way[0])) for way in path_ways(start, goal))
            yield f"{where}.creeping.by", f"{error} [E12.71]", f"here: {ways}"


def _wrong_edge(layout: Layout, boards: int, columns: int, battery: Battery) -> str:
    """What is wrong between a Creeping Barrage and the board edges; empty when nothing is."""
    creep = battery.creeping
    ((place, pair),) = battery.barrage.items()
    try:
        grain = record_of(layout, place, pair)
        q, r = layout.parse(creep.aim) if creep else (0, 0)
    except ValueError:
        return ""  # said already
    number = r + q // 2
    edge = creep.edge if creep else ""
    along_rows = grain == canonical(1, 1)
    sideways = set(grain) == {2, 3}
    if (edge.endswith("hexrow") and not along_rows) or (edge.endswith("numbers") and not sideways):
        return "the Barrage is not parallel to the Friendly Board Edge"
    opposite = {
        "first hexrow": q == columns - 1,
        "last hexrow": q == 0,
        "low numbers": number == ROWS * boards,
        "high numbers": number == (0 if q % 2 else 1),
    }
    return "" if opposite.get(edge, True) else "the Aiming Hex does not lie along the opposite board edge"


def record_of(layout: Layout, place: str, pair: str) -> Grain:
    """The grain of a record such as ``H5-H7`` beside a hex.

    Raises ValueError when it is none (E12.2).
    """
    first, _, second = pair.partition("-")
    # Hexes beyond the map may have a dash of their own: -A3 west of A3, B-1 north of B0.
    for i in (i for i, sign in enumerate(pair) if sign == "-"):
        if _is_hex(layout, pair[:i]) and _is_hex(layout, pair[i + 1 :]):
            first, second = pair[:i], pair[i + 1 :]
    return grain_of(layout.parse(place), layout.parse(first), layout.parse(second))


def _is_hex(layout: Layout, text: str) -> bool:
    try:
        layout.parse(text)
    except CoordinateError:
        return False
    return True


def _plain(label: str) -> str:
    """A label as the layout reads it."""
    return label.strip().upper()
