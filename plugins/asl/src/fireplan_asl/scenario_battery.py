"""The batteries of a scenario file, as a player writes them, and the checks on them.

The checks cover Observers (C1.2, C1.6), Barrage records (E12.2, E12.71) and the Security Area of a
field phone (C1.23). Each part stages a battery in its ``set_up_battery``.
"""

# ruff: noqa: RUF009 - the fields of a form are made by functions
from collections.abc import Callable, Iterator, Mapping
from typing import Literal, get_args

import attrs

from fireplan_asl.missions import BARRAGES, HARASSING, ROCKET, SMOKES
from fireplan_asl.nations import is_american
from fireplan_asl.path import (
    AWAY,
    Edge,
    Grain,
    Path,
    canonical,
    grain_of,
    past_far_edge,
    path_steps,
    path_ways,
)
from fireplan_asl.scenario_units import LABELS, UnitEntry, hex_entry
from fireplan_core import Place
from fireplan_core.files import Complaint, entry, flag
from fireplan_core.space import CoordinateError, Layout
from fireplan_core.space import step as hex_step

Type = Literal[
    "concentration", "harassing", "smoke", "wp", "barrage", "barrage_smoke", "barrage_wp", "rocket"
]
DECLARED = ("no_ground", "no_burst", "no_tall_burst", "ground_seen", "burst_seen")
"""The fields of a battery that declare its Observer's LOS."""


@attrs.frozen(kw_only=True, eq=False, repr=False)
class CreepingBarrage:
    """The record of a Creeping Barrage (E12.71)."""

    aim: Place = hex_entry("Aiming Hex", example="P5")
    by: Place = hex_entry(
        "second hex of its grain, if there are Alternate Hex Grains to aim on both sides", None
    )
    edge: Edge = entry("Friendly Board Edge where most units enter on Turn 1", "first hexrow")
    correct: Literal["FFE:1", "FFE:1-2"] = entry(
        "Corrected in the PFPh only (FFE:1), or in the DFPh too", "FFE:1-2"
    )
    lift: int = entry("Game Turn in which it Lifts", range=(2, 99))
    radio: bool = flag("whether a radio may use the battery afterwards")


@attrs.frozen(kw_only=True, eq=False, repr=False)
class BatteryEntry:
    """An OBA module and its Observer; in an engagement, the Observer has no hex."""

    id: str = entry("its name", example="a")
    side: str = entry("side", "attacker")
    nationality: str = entry("nationality", example="german")
    calibre: int = entry("calibre in mm", range=(60, 450))
    weapon: Literal["howitzer", "mortar", "rocket"] = entry("type of weapon", "howitzer")
    link: Literal["radio", "field_phone", "offboard"] = entry("the Observer's link", "radio")
    contact: int | None = entry(
        "Contact value of its radio counter, if not the nation's", None, range=(2, 12)
    )
    breaks_on: int | None = entry(
        "lowest Original DR that breaks its radio, if not 12", None, range=(2, 12)
    )
    repaired_on: int | None = entry(
        "highest dr that repairs its radio, if not 1", None, range=(0, 6)
    )
    removed_on: int | None = entry(
        "lowest dr that removes its broken radio, if not 6", None, range=(1, 7)
    )
    ammunition: Literal["scarce", "normal", "plentiful"] = entry("ammunition", "normal")
    target: Place = hex_entry("target hex")
    observer: Place = hex_entry("hex of the Observer", example="E5")
    ar_points_to: int = entry(
        "hexside to which the 1 of its AR counter points; hexside 1 faces the lower numbers",
        1,
        range=(1, 6),
    )
    leader: str = entry(
        "unit that is its Observer, a leader or an OP tank; if empty, he cannot be hit", ""
    )
    relief: tuple[str, ...] = entry("leaders in the same hex who may take over the radio", ())
    friendly_edge: Edge | None = entry(
        "Friendly Board Edge at which the Security Area of a field phone ends", None
    )
    missions: tuple[Type, ...] = entry(
        "types of Fire Mission, the preferred one first", ("concentration", "harassing")
    )
    preregistered: tuple[Place, ...] = hex_entry("Pre-Registered hexes", (), ("K5",))
    barrage: Mapping[str, str] = entry(
        "Barrage record by Pre-Registered hex, e.g. H6 = 'H5-H7'", attrs.Factory(dict)
    )
    creeping: CreepingBarrage | None = entry("record of a Creeping Barrage", None)
    no_ground: tuple[Place, ...] = hex_entry("hexes whose Base Level is not seen", (), ("K5",))
    no_burst: tuple[Place, ...] = hex_entry("hexes whose Blast Height is not seen", (), ("K5",))
    no_tall_burst: tuple[Place, ...] = hex_entry(
        "hexes whose WP Blast Height (four levels) is not seen", (), ("K5",)
    )
    ground_seen: tuple[Place, ...] = hex_entry(
        "hexes whose Base Level is seen, regardless of levels", ()
    )
    burst_seen: tuple[Place, ...] = hex_entry(
        "hexes whose Blast Height is seen, regardless of levels", ()
    )
    observer_level: int | None = entry(
        "level of the Observer, e.g. on a hill, if not that of his unit",
        None,
        range=(-9, 18),
    )
    overlooks: bool = flag("whether the Observer looks down on FFE from above their two levels")
    hindrance: Mapping[str, int] = entry(
        "Hindrance by hex, replacing that of the hex itself", attrs.Factory(dict)
    )

    @property
    def crew(self) -> tuple[str, ...]:
        """Return the names of the units that may direct the battery, the Observer first."""
        return ((self.leader,) if self.leader else ()) + self.relief

    @property
    def radio_counter(self) -> dict[str, int | None]:
        """Return the radio counter's values by field, None where not given (C1.2, C1.22)."""
        return {
            name: getattr(self, name)
            for name in ("contact", "breaks_on", "repaired_on", "removed_on")
        }

    @property
    def us_mortar(self) -> bool:
        """Return whether this is a battery of American mortars."""
        return self.weapon == "mortar" and is_american(self.nationality)

    @property
    def registered(self) -> frozenset[Place]:
        """Return the Observer's Pre-Registered hexes; empty with a Creeping Barrage."""
        return frozenset() if self.creeping else frozenset(self.preregistered)

    @property
    def hindrances(self) -> tuple[tuple[Place, int], ...]:
        """Return the declared Hindrances as pairs of a hex and a drm."""
        return tuple((LABELS.parse(text), drm) for text, drm in self.hindrance.items())

    def grains(self, layout: Layout) -> tuple[tuple[Place, Grain], ...]:
        """Return (hex, grain) for each Barrage-capable hex.

        Raises ``ValueError`` for an invalid record (E12.2).
        """
        return tuple(
            (LABELS.parse(text), record_of(layout, text, pair))
            for text, pair in self.barrage.items()
        )

    def creeping_path(self, layout: Layout, accurate: int, *, follow: bool) -> Path | None:
        """Return the battery's recorded Creeping Barrage (E12.71), or None if it has none.

        ``accurate`` is the highest accurate dr; ``follow`` becomes ``Path.follow_shift``.
        """
        creep = self.creeping
        if creep is None:
            return None
        start = self.preregistered[0]
        steps = path_steps(start, creep.aim, creep.by)
        both_phases = creep.correct == "FFE:1-2"
        return Path(
            start,
            creep.aim,
            steps,
            both_phases,
            creep.lift - 1,
            accurate,
            creep.edge,
            layout,
            creep.radio,
            follow,
        )

    def fire_missions(
        self, weather: str, number: Callable[[str], int]
    ) -> tuple[tuple[str, ...], tuple[tuple[str, str, str], ...]]:
        """Return the types of Fire Mission that the battery may fire, and those that it may not.

        A type that it may not fire is given as (type, rule, key of the refusal). Either result may
        be empty. ``number`` looks up the game's numbers.
        """
        if self.weapon == "rocket":
            return (ROCKET,), tuple(
                (kind, "C1.9", "rockets_alone") for kind in get_args(Type) if kind != ROCKET
            )
        spread = spreads(self.calibre, number)
        unfit = {
            kind: why
            for kind in self.missions
            if (why := self._unfit_for(kind, weather, spread=spread))
        }
        kinds = tuple(kind for kind in self.missions if kind not in unfit)
        return kinds, tuple((kind, *why) for kind, why in unfit.items())

    def _unfit_for(self, kind: str, weather: str, *, spread: bool) -> tuple[str, str] | None:
        if kind == ROCKET:
            return "C1.9", "no_rocket_battery"
        if kind in SMOKES and weather != "clear":
            return "C1.71", "no_smoke_weather"
        if kind == HARASSING and not spread:
            return "C1.72", "no_harassing"
        if kind in BARRAGES and (not spread or self.creeping):
            return "E12.6" if self.creeping else "E12.5", "no_barrage"
        return None


def spreads(calibre: int, number: Callable[[str], int]) -> bool:
    """Return whether batteries of a calibre, in mm, fire Harassing Fire and Barrages.

    ``number`` looks up the game's numbers.
    """
    return number("spread_least_mm") <= calibre <= number("spread_most_mm")


def security_area(layout: Layout, phone: Place, edge: Edge) -> tuple[Place, ...]:
    """Return the hexes from a field phone's own hex to its Friendly Board Edge (C1.23).

    All of them are in the phone's hexrow or have its hex number.
    """
    column, row = AWAY[edge]
    q, number = phone[0], phone[1] + phone[0] // 2
    area = []
    while layout.on_map(place := (q, number - q // 2)):
        area.append(place)
        q, number = q - column, number - row
    return tuple(area)


# --- possible Observers ----------------------------------------------------------------------
def faults_of_observer(
    battery: BatteryEntry, where: str, units: Mapping[str, UnitEntry]
) -> Iterator[Complaint]:
    """Yield faults in a battery's leader and relief as Observers (C1.2, C1.22, C1.6)."""
    if battery.link == "offboard" and (battery.leader or battery.relief):
        yield (
            f"{where}.leader",
            "an Offboard Observer is not a unit on the map [C1.63]",
            "remove the leader",
        )
        return
    if battery.relief and not battery.leader:
        yield (
            f"{where}.relief",
            "there is no leader to take over from [C1.61]",
            "name the Observer as leader",
        )
    for name in battery.crew:
        key = f"{where}.leader" if name == battery.leader else f"{where}.relief"
        if unit := units.get(name):
            yield from ((key, f"{name}: {why}", "") for why in _unfit(battery, unit, units))
        else:
            yield key, f"there is no unit {name!r}", "name a unit of the scenario"


def _unfit(battery: BatteryEntry, unit: UnitEntry, units: Mapping[str, UnitEntry]) -> Iterator[str]:
    mount = units.get(unit.aboard)
    in_afv = mount is not None and mount.kind == "afv"
    label = LABELS.label(battery.observer)
    is_leader = unit.leader and unit.kind == "infantry"
    faults = (
        (unit.side != battery.side, "an Observer must be of the battery's side [C1.2]"),
        (unit.op_tank and unit.kind != "afv", "an OP tank must be an AFV [C1.2]"),
        (
            not unit.op_tank and not is_leader,
            "an Observer must be a leader, an OP tank or Offboard [C1.2]",
        ),
        (unit.hex != battery.observer, f"he does not have the radio, which is in {label} [C1.22]"),
        (
            unit.rider or (mount and mount.kind == "mount"),
            "a Rider may not attempt Radio Contact [C1.2]",
        ),
        (
            unit.prisoners > unit.us_number,
            "a Guard with a US# below his prisoners' may not attempt Radio Contact [C1.2]",
        ),
        (unit.berserk, "a berserk unit is not in Good Order [C1.61]"),
        (unit.dummy, "a Dummy is not a leader [C1.2]"),
        (
            in_afv and unit.immune,
            "an Observer in an AFV other than an OP tank must be CE to spot [C1.6]",
        ),
        (
            unit.move,
            "an Observer may not move: after using a radio he skips the MPh, and his LOS is from one hex [C1.6]",
        ),
    )
    yield from (why for wrong, why in faults if wrong)


# --- Security Area and Barrages ------------------------------------------------------------------
def faults_of(
    battery: BatteryEntry, where: str, layout: Layout, *, same_side: bool
) -> Iterator[Complaint]:
    """Yield faults in a battery: its phone, radio counter, Barrages and Fire Missions.

    ``where`` is the battery's entry in the file. With ``same_side``, the Alternate Hex Grains of
    its Barrages must lie on the same side of their line.
    """
    if battery.friendly_edge and battery.link != "field_phone":
        yield (
            f"{where}.friendly_edge",
            "only a field phone has a Security Area [C1.23]",
            "remove it",
        )
    if battery.weapon == "rocket" and (battery.barrage or battery.creeping):
        yield (
            f"{where}.barrage",
            "a rocket battery fires no Barrage [E12.1, C1.9]",
            "remove the record",
        )
    yield from _faults_of_radio(battery, where)
    grains: list[Grain] = []
    recorded: set[Place] = set()
    for text, pair in battery.barrage.items():
        place = hex_of(LABELS, text)
        if place in recorded:
            yield (
                f"{where}.barrage",
                "a Pre-Registered hex has only one Barrage record [E12.2]",
                "remove the other one",
            )
        recorded.add(place)
        if place not in battery.preregistered:
            yield (
                f"{where}.barrage",
                f"{text} is not Pre-Registered [E12.2]",
                "add it to preregistered",
            )
        try:
            grain = record_of(layout, text, pair)
        except ValueError as error:
            yield f"{where}.barrage", f"{text} = {pair!r}: {error} [E12.2]", "such as H6 = 'H5-H7'"
            continue
        if grains and not parallel(grains[0], grain, same_side=same_side):
            yield f"{where}.barrage", "the Barrages of a battery must be parallel [E12.2]", ""
        grains.append(grain)
    if not BARRAGES.isdisjoint(battery.missions) and not battery.barrage:
        yield (
            f"{where}.missions",
            "a Barrage needs a Barrage-capable hex [E12.1]",
            "write barrage = { H6 = 'H5-H7' }",
        )
    if battery.creeping:
        yield from _faults_of_creeping(
            battery, battery.creeping, f"{where}.creeping", layout, grains
        )


def parallel(a: Grain, b: Grain, *, same_side: bool = True) -> bool:
    """Return whether two grains are parallel.

    With ``same_side``, Alternate Hex Grains must also lie on the same side of their line.
    """
    return a == b if same_side else a == b or canonical(*reversed(a)) == b


def _faults_of_radio(battery: BatteryEntry, where: str) -> Iterator[Complaint]:
    """Yield faults in a radio counter, which a phone or an Offboard Observer must not have."""
    for name, value in battery.radio_counter.items():
        if battery.link != "radio" and value is not None:
            yield (
                f"{where}.{name}",
                "only a radio has it [C1.2, C1.22, C1.23, C1.63]",
                "remove it",
            )
    if battery.repaired_on and battery.removed_on and battery.repaired_on >= battery.removed_on:
        yield f"{where}.removed_on", "must be higher than repaired_on [C1.22]", ""


def _faults_of_creeping(
    battery: BatteryEntry, creep: CreepingBarrage, where: str, layout: Layout, grains: list[Grain]
) -> Iterator[Complaint]:
    """Yield faults in the record of a Creeping Barrage (E12.71)."""
    if len(battery.preregistered) != 1 or len(battery.barrage) != 1:
        yield where, "needs exactly one Pre-Registered hex, with a Barrage record [E12.71]", ""
        return
    if grains and (fault := _fault_of_edge(layout, creep, grains[0])):
        yield f"{where}.edge", f"{fault} [E12.71]", ""
    start = battery.preregistered[0]
    ways = [LABELS.label(hex_step(start, way[0])) for way in path_ways(start, creep.aim)]
    try:
        path_steps(start, creep.aim, creep.by)
    except ValueError as error:
        by = ".by" if ways else ".aim"
        yield f"{where}{by}", f"{error} [E12.71]", f"use {' or '.join(ways)}" if ways else ""


def _fault_of_edge(layout: Layout, creep: CreepingBarrage, grain: Grain) -> str:
    """Return how a Creeping Barrage conflicts with the board edges, or '' if it does not."""
    along_rows = grain == canonical(1, 1)
    sideways = set(grain) == {2, 3}
    if (creep.edge.endswith("hexrow") and not along_rows) or (
        creep.edge.endswith("numbers") and not sideways
    ):
        return "the Barrage must be parallel to the Friendly Board Edge"
    (column, row), q = AWAY[creep.edge], creep.aim[0]
    beyond = (q + column, creep.aim[1] + q // 2 + row - (q + column) // 2)
    far = past_far_edge(layout, creep.edge, beyond)
    return "" if far else "the Aiming Hex must be on the board edge opposite"


def record_of(layout: Layout, place: str, pair: str) -> Grain:
    """Return the grain of the Barrage record of the hex ``place``.

    ``pair`` names the two recorded hexes, such as ``H5-H7``. Raises ``ValueError`` for an invalid
    record (E12.2).
    """
    first, _, second = pair.partition("-")
    # Labels of hexes off the map may contain a dash: -A3 west of A3, B-1 north of B0.
    for i in (i for i, sign in enumerate(pair) if sign == "-"):
        if hex_of(layout, pair[:i]) and hex_of(layout, pair[i + 1 :]):
            first, second = pair[:i], pair[i + 1 :]
    return grain_of(layout.parse(place), layout.parse(first), layout.parse(second))


def hex_of(layout: Layout, text: str) -> Place:
    """Return the hex that a label names, or None for any other text."""
    try:
        return layout.parse(text)
    except CoordinateError:
        return None
