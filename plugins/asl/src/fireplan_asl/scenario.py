"""The scenario files of ASL, as a player writes them; ``setup`` stages them.

Hexes are written as on the map. With several boards laid north to south the numbers continue (row 5
of the second board is 15). LOS and Hindrances are declared, or computed if hexes have levels,
obstacles and Hindrances (``observers``); terrain on its own does not affect LOS.
"""

import datetime as dt
from collections.abc import Iterator
from functools import partial
from typing import Literal

import attrs

from fireplan_asl.bombardment import Prelude
from fireplan_asl.nations import allows
from fireplan_asl.places import COLUMNS, Block, block_of, board_layout
from fireplan_asl.scenario_battery import (
    DECLARED,
    BatteryEntry,
    faults_of,
    faults_of_observer,
    security_area,
)
from fireplan_asl.scenario_units import (
    LABELS,
    MOST_BOARDS,
    HexEntry,
    UnitEntry,
    faults_of_units,
    hex_entry,
)
from fireplan_asl.sight import PLAIN
from fireplan_core import Place, ScenarioFile
from fireplan_core.files import Complaint, entry, flag, repeated, unparsed_texts
from fireplan_core.space import Layout

HALVES = {"both": (0, COLUMNS - 1), "A-Q": (0, COLUMNS // 2), "Q-GG": (COLUMNS // 2, COLUMNS - 1)}
"""Maps a whole board and each of its halves to its first and last hexrow."""


@attrs.frozen(kw_only=True, eq=False, repr=False)
class WeatherChange:
    """A change of weather during play (C1.71)."""

    moment: int = entry("fire phase in which it comes; 1 is the first DFPh", range=(0, 999))
    to: Literal["clear", "rain", "gusts", "heavy_wind"] = entry("new weather", example="gusts")


@attrs.frozen(kw_only=True, eq=False, repr=False)
class BombardmentOrder:
    """A Bombardment before play (C1.8)."""

    battery: str = entry("battery of the side that fires it", example="a")
    board: int = entry("board, counted from the north", 1, range=(1, 9))
    half: Literal["both", "A-Q", "Q-GG"] = entry("the whole board or half of it", "both")
    other_board: int = entry("board of a second, adjacent half", 0, range=(0, 9))

    @property
    def prelude(self) -> Prelude:
        """Return the record of the Bombardment before it is resolved."""
        boards = [board - 1 for board in (self.board, self.other_board) if board]
        return Prelude(
            mission=self.battery, areas=tuple((board, *HALVES[self.half]) for board in boards)
        )


@attrs.frozen(kw_only=True, eq=False, repr=False)
class AslScenario(ScenarioFile):
    """A scenario file of ASL: boards, weather, units, hexes and batteries."""

    date: dt.date = entry("the day, e.g. 1944-06-06", example=dt.date(1944, 6, 6))
    boards: int = entry("boards laid north to south", 1, range=(1, MOST_BOARDS))
    columns: int = entry("playable hexrows from A on", COLUMNS, range=(2, COLUMNS))
    play_area: tuple[Block, ...] = entry(
        "blocks of hexes in play, if not all: A-P, A1-P5 or one hex",
        (),
        example="A1-P5",
        parse=block_of,
    )
    weather: Literal["clear", "rain", "heavy_wind", "mud", "deep_snow"] = entry(
        "weather and ground", "clear"
    )
    no_smoke: tuple[Place, ...] = hex_entry(
        "marsh and water hexes, where SMOKE may not be placed", (), ("K5",)
    )
    weather_change: tuple[WeatherChange, ...] = entry("changes of weather during play", ())
    drift: bool = flag("whether a breeze makes SMOKE Drift")
    night: bool = flag("whether it is night; hexes that are not seen then must be declared")
    battery: tuple[BatteryEntry, ...] = entry("batteries")
    unit: tuple[UnitEntry, ...] = entry("units")
    hex: tuple[HexEntry, ...] = entry(
        "hexes that affect LOS, or empty hexes that fire may change", ()
    )
    bombardment: BombardmentOrder | None = entry("a Bombardment before play", None)

    # --- values that several parts stage ---------------------------------------------------------
    @property
    def layout(self) -> Layout:
        """Return the layout of the hexes in play."""
        return board_layout(self.boards, self.columns, self.play_area)

    @property
    def hidden(self) -> frozenset[str]:
        """Return the ids of the units set up hidden."""
        return frozenset(unit.id for unit in self.unit if unit.hidden)

    @property
    def weather_changes(self) -> tuple[tuple[int, str], ...]:
        """Return the changes as (moment, weather); initial rain that may end starts at -1."""
        changes = tuple((change.moment, change.to) for change in self.weather_change)
        return ((-1, "rain"), *changes) if changes and self.weather == "rain" else changes

    @property
    def smokeless(self) -> frozenset[Place]:
        """Return the hexes where SMOKE may not be placed."""
        wet = (hex_.hex for hex_ in self.hex if not allows(hex_.terrain or "open", "smoke"))
        return frozenset((*self.no_smoke, *wet))

    @property
    def grounds(self) -> tuple[tuple[Place, str], ...]:
        """Return (hex, terrain name) pairs, first for the units and then for the hexes."""
        bare = ((hex_.hex, hex_.terrain) for hex_ in self.hex if hex_.terrain)
        return (*((unit.hex, unit.terrain) for unit in self.unit), *bare)

    @property
    def computes_sight(self) -> bool:
        """Return whether LOS is computed: a hex has LOS values, or an Observer has a level."""
        return any(hex_.plot != PLAIN for hex_ in self.hex) or any(
            battery.observer_level is not None for battery in self.battery
        )

    def line(self, battery: BatteryEntry) -> dict[str, Place]:
        """Map the names of the units that represent a phone's Security Area to their hexes.

        The result is empty if the battery has no Friendly Board Edge.
        """
        edge = battery.friendly_edge
        area = security_area(self.layout, battery.observer, edge) if edge else ()
        return {f"line {battery.id} {number}": place for number, place in enumerate(area, start=1)}

    # --- faults ----------------------------------------------------------------------------------
    def check(self) -> Iterator[Complaint]:
        """Yield a complaint for each fault that checks on single fields cannot find."""
        if not self.layout.hexes():
            yield "play_area", "no hex of the boards is in play", "such as A1-P5"
            return
        yield from self._faults_of_hexes()
        yield from repeated(self, "battery", by="id")
        yield from repeated(self, "unit", by="id")
        hexes = [hex_.hex for hex_ in self.hex]
        for n, label in (
            (n, LABELS.label(place)) for n, place in enumerate(hexes) if place in hexes[:n]
        ):
            yield f"hex[{n}].hex", f"{label} is listed twice", "write one [[hex]] for each hex"
        yield from self._faults_of_batteries()
        yield from faults_of_units(self.unit)
        yield from self._faults_of_sight()
        if self.drift:
            yield (
                "drift",
                "not supported: Drift needs the SMOKE rules of chapter A24 [C1.71]",
                "",
            )

    def _faults_of_batteries(self) -> Iterator[Complaint]:
        if not self.battery:
            yield "battery", "no battery", "a scenario needs at least one [[battery]]"
        if len({battery.side for battery in self.battery if battery.creeping}) > 1:
            yield (
                "battery",
                "only one side, the Scenario Attacker, may have Creeping Barrages [E12.7]",
                "",
            )
        names = [battery.id for battery in self.battery]
        if self.bombardment and self.bombardment.battery not in names:
            problem = f"there is no battery {self.bombardment.battery!r}"
            yield "bombardment.battery", problem, f"one of {', '.join(names)}"
        same_side = self.options.get("parallel_barrages", "same side") == "same side"
        units = {unit.id: unit for unit in self.unit}
        for n, battery in enumerate(self.battery):
            yield from faults_of(battery, f"battery[{n}]", self.layout, same_side=same_side)
            yield from faults_of_observer(battery, f"battery[{n}]", units)

    def _faults_of_hexes(self) -> Iterator[Complaint]:
        named: list[tuple[str, Place]] = [("no_smoke", place) for place in self.no_smoke]
        keyed: list[tuple[str, str]] = []
        for n, battery in enumerate(self.battery):
            where = f"battery[{n}]"
            named += [(f"{where}.target", battery.target), (f"{where}.observer", battery.observer)]
            for key in ("preregistered", *DECLARED):
                named += [(f"{where}.{key}", place) for place in getattr(battery, key)]
            if battery.creeping:
                named.append((f"{where}.creeping.aim", battery.creeping.aim))
            keyed += [(f"{where}.hindrance", text) for text in battery.hindrance]
        for n, unit in enumerate(self.unit):
            named.append((f"unit[{n}].hex", unit.hex))
            named += [(f"unit[{n}].move[{m}].to", move.to) for m, move in enumerate(unit.move)]
        named += [(f"hex[{n}].hex", hex_.hex) for n, hex_ in enumerate(self.hex)]
        for key, text in (*((key, LABELS.label(place)) for key, place in named), *keyed):
            yield from unparsed_texts(
                key, (text,), partial(self.layout.parse, virtual=False), "a hex of the map"
            )

    def _faults_of_sight(self) -> Iterator[Complaint]:
        """Yield faults in the declared LOS and in Observers' levels."""
        ground_levels = {hex_.hex: hex_.level for hex_ in self.hex}
        unit_levels = {unit.id: unit.level for unit in self.unit}
        for n, battery in enumerate(self.battery):
            where = f"battery[{n}]"
            unseen = {*battery.no_burst, *battery.no_tall_burst}
            for seen in dict.fromkeys((*battery.ground_seen, *battery.burst_seen)):
                if seen in unseen or (seen in battery.ground_seen and seen in battery.no_ground):
                    label = LABELS.label(seen)
                    yield (
                        f"{where}.ground_seen",
                        f"{label} is declared both seen and unseen",
                        "remove one of the two",
                    )
            for key in ("ground_seen", "burst_seen"):
                if getattr(battery, key) and not self.computes_sight:
                    yield (
                        f"{where}.{key}",
                        "LOS is not computed here, so all hexes not declared unseen are seen",
                        "remove it",
                    )
            ground = ground_levels.get(battery.observer, 0)
            if battery.observer_level is not None and battery.observer_level < ground:
                label = LABELS.label(battery.observer)
                yield (
                    f"{where}.observer_level",
                    f"he is below the ground of {label}, which is at level {ground} [C1.63]",
                    "",
                )
            if (
                self.computes_sight
                and len({unit_levels[name] for name in battery.crew if name in unit_levels}) > 1
            ):
                yield (
                    f"{where}.relief",
                    "the leaders must all be on one level, from which LOS is computed",
                    "",
                )
