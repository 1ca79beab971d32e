"""Setup: the parts stage a scenario file, or an engagement converted to one.

Each part is ``Staged``: its ``set_up_battery`` stages its own record and facts for each battery. In
a mixed game, a part of ASL stages only itself, from the same form. An engagement's squads are units
like those of a scenario file: ten men each, all in one hex in the same terrain.
"""

import math
from collections.abc import Iterator, Mapping
from typing import Literal

import attrs

from fireplan_asl.bombardment import area_of
from fireplan_asl.nations import Nation, allows, nation_for
from fireplan_asl.places import COLUMNS, GROUND, HEX_M
from fireplan_asl.scenario import AslScenario
from fireplan_asl.scenario_battery import BatteryEntry
from fireplan_asl.scenario_units import LABELS, Move, TerrainName, UnitEntry
from fireplan_asl.units import (
    GROUND_KINDS,
    HALF_SQUAD,
    SQUAD,
    STOREYED,
    Leg,
    ObjectState,
    PersonnelState,
    UnitProfile,
)
from fireplan_core import CannotStageError, Cover, Part, Parts, Place, Resolution, Staging
from fireplan_core.space import HexFrame, centre, disc


class Staged(Part):
    """A part that stages its share of a scenario form."""

    def stage(self, staging: Staging) -> None:
        """Convert an engagement to a scenario form and stage it."""
        self.set_up(engagement_form(staging), staging)

    def set_up(self, form: AslScenario, staging: Staging) -> None:
        """Stage this part of every battery; refuse a nation without figures."""
        for battery in form.battery:
            try:
                self.set_up_battery(form, battery, staging)
            except CannotStageError as error:
                reason = f"C1.211: {error}"
                if reason not in staging.reasons:
                    staging.cannot(reason)

    def set_up_battery(self, form: AslScenario, battery: BatteryEntry, staging: Staging) -> None:
        """Stage this part's opening record and its constant facts for a battery.

        Raises ``CannotStageError`` for a nation without figures.
        """
        raise NotImplementedError

    def nation(self, form: AslScenario, battery: BatteryEntry) -> Nation:
        """Return the figures of a battery's nation on the date of the scenario.

        Raises ``CannotStageError`` if there are none.
        """
        return nation_for(
            battery.nationality, form.date, self.charts, self.options["chinese_squads"]
        )


def engagement_form(staging: Staging) -> AslScenario:
    """Return an engagement as a scenario form, with one battery per asset and no units."""
    engagement, asset, observer = (
        staging.engagement,
        staging.engagement.asset,
        staging.engagement.observer,
    )
    rocket: Literal["rocket", "concentration"] = (
        "rocket" if asset.weapon == "rocket" else "concentration"
    )
    phone: Literal["field_phone", "radio"] = (
        "field_phone" if observer.link == "telephone" else "radio"
    )
    batteries = (
        BatteryEntry(
            id=mission,
            side=staging.firer,
            nationality=engagement.firer.nationality,
            calibre=asset.calibre_mm,
            weapon="howitzer" if asset.weapon == "gun" else asset.weapon,
            link="offboard" if observer.kind == "offboard" else phone,
            ammunition=asset.ammunition,
            target=staging.centre,
            observer=None,
            missions=(rocket,),
            preregistered=(staging.centre,) if asset.preregistered else (),
        )
        for mission in staging.assets
    )
    return AslScenario(
        game="asl",
        title=engagement.title,
        moments=1,
        date=engagement.date,
        battery=tuple(batteries),
        unit=(),
    )


def build(form: AslScenario, staging: Staging, parts: Parts) -> None:
    """Stage a scenario file: its map, batteries and all parts."""
    staging.frame = HexFrame(HEX_M, form.layout)
    staging.firer = form.battery[0].side
    staging.place = form.battery[0].target
    staging.mobile = any(unit.move for unit in form.unit)
    staging.assets = tuple(battery.id for battery in form.battery)
    for battery in form.battery:
        staging.mission(battery.id, "areas", side=battery.side, target=battery.target)
    for part in (parts.areas, parts.delays, parts.observers, parts.resolution, parts.requests):
        if isinstance(part, Staged):
            part.set_up(form, staging)
    if len({battery.side for battery in form.battery}) > 1:
        staging.note(
            f"fire phases are those of {staging.firer}; the other side's DFPh follows its PFPh"
        )


@attrs.frozen
class TroopStaging:
    """The staging of units, terrain and a Bombardment for the resolution part."""

    part: Resolution
    staging: Staging

    # --- a scenario file -------------------------------------------------------------------------
    def set_up_scenario(self, form: AslScenario) -> None:
        """Stage the units, the features of the hexes, the phone lines and any Bombardment."""
        staging = self.staging
        for unit in form.unit:
            directs = tuple(battery.id for battery in form.battery if unit.id in battery.crew)
            self._set_up_unit(unit, directs)
        for place, words in _features(form).items():
            staging.feature(", ".join(words), place)
        self._set_up_shellholes(form)
        for battery in form.battery:
            for name, place in form.line(battery).items():
                marsh = any(
                    allows(terrain, "marsh") for hex_, terrain in form.grounds if hex_ == place
                )
                _set_up_ground(
                    staging,
                    name,
                    place,
                    UnitProfile(0, kind="line", battery=battery.id, marsh=marsh),
                )
        if form.bombardment:
            staging.share(self.part.word, form.bombardment.prelude)

    def _set_up_unit(self, unit: UnitEntry, directs: tuple[str, ...] = (), spot: int = 0) -> None:
        """Stage a unit.

        ``directs`` are the batteries that the unit may direct as Observer. ``spot`` is the index of
        its hex in a place that is wider than one hex.
        """
        profile = self._profile(unit, directs, spot)
        if unit.kind in GROUND_KINDS:
            _set_up_ground(self.staging, unit.id, unit.hex, profile)
            return
        slot = (
            PersonnelState(size=HALF_SQUAD if unit.half else SQUAD)
            if unit.kind == "infantry"
            else ObjectState()
        )
        strength = 0 if unit.dummy or unit.kind == "aircraft" else unit.men
        self.staging.unit(unit.id, unit.side, unit.hex, strength=strength, slot=slot, facts=profile)

    def _profile(self, unit: UnitEntry, directs: tuple[str, ...], spot: int) -> UnitProfile:
        tem, air_bursts = self._cover(unit.terrain)
        if unit.entrenched:  # entrenched TEM is not cumulative with other positive TEM
            tem = max(self.part.number("entrenched_tem"), tem)
        return UnitProfile(
            morale=self._terrain_morale(unit) if unit.kind in GROUND_KINDS else unit.morale,
            tem=tem + unit.cover_bonus,
            air_bursts=air_bursts,
            hex=spot,
            heroic=unit.heroic or unit.berserk,
            concealed=unit.concealed or unit.hidden or unit.dummy,
            stone=unit.terrain in ("stone_building", "stone_rubble"),
            above=unit.levels_above,
            road=tuple(self._leg(move) for move in unit.move),
            observes=directs,
            owner=unit.side if unit.hidden and unit.kind in GROUND_KINDS else "",
            marsh=allows(unit.terrain, "marsh"),
            craters=allows(unit.terrain, "craters"),
            burns=allows(unit.terrain, "burns"),
            immune=unit.immune or unit.kind == "aircraft",
            **{name: getattr(unit, name) for name in _SAME},
        )

    def _leg(self, move: Move) -> Leg:
        return Leg(
            move.moment,
            move.to,
            *self._cover(move.terrain),
            move.exposed,
            marsh=allows(move.terrain, "marsh"),
        )

    def _cover(self, terrain: TerrainName) -> tuple[int, int]:
        """Return a terrain's TEM and its Air Bursts DRM."""
        return self.part.charts["terrain_tem"][terrain], self.part.charts["terrain_air_bursts"][
            terrain
        ]

    def _terrain_morale(self, unit: UnitEntry) -> int:
        """Return the Morale Level of a building, pillbox or obstacle (C1.822)."""
        if unit.kind == "pillbox":
            return self.part.number(f"{unit.pillbox}_pillbox_morale")
        if unit.kind in STOREYED:
            stone = unit.terrain.startswith("stone")
            return self.part.number("stone_morale" if stone else "wooden_morale") + unit.fortified
        return self.part.number("obstacle_morale")

    def _set_up_shellholes(self, form: AslScenario) -> None:
        """Stage the hexes that heavy shells may turn into Shellholes (C1.5)."""
        soft = {unit.hex: unit.terrain for unit in form.unit if unit.kind not in GROUND_KINDS}
        soft |= {hex_.hex: hex_.terrain or "open" for hex_ in form.hex if hex_.followed}
        if not soft or max(battery.calibre for battery in form.battery) < self.part.number(
            "shellhole_mm"
        ):
            return
        for place, terrain in soft.items():
            if allows(terrain, "craters"):
                _set_up_ground(
                    self.staging, f"hex {LABELS.label(place)}", place, UnitProfile(0, kind="bare")
                )

    # --- an engagement ---------------------------------------------------------------------------
    def stage_engagement(self) -> None:
        """Stage the target's squads and the firer's own troops.

        A Bombardment is staged if the engagement has one.
        """
        staging, engagement = self.staging, self.staging.engagement
        target = engagement.target
        if engagement.situation.bombardment:
            prelude = area_of(staging.frame, staging.centre, COLUMNS, staging.assets[0])
            staging.share(self.part.word, prelude)
            board = "of the whole board of the target, before the first fire phase"
            nowhere = "no hexes are spared, as this ground has no numbered hexes"
            staging.note(f"Bombardment: {board if prelude.areas else nowhere}")
        morale = self.part.number(f"morale_{target.quality}")
        staging.note(f"one battery (OBA module) represents the {engagement.asset.guns} tubes")
        staging.note(
            f"Morale Level {morale} for {target.quality} troops, broken or not; no leaders"
        )
        staging.note("targets do not move, rout or rally between two attacks")
        if target.posture == "moving":
            staging.note(
                "moving troops: no FFMO, which applies only in the MPh, not in the fire phases"
            )
        if target.cover == "buildings":
            staging.note("cover: a stone building of one level")
        squad = UnitEntry(
            id="s",
            side=staging.target_side,
            hex=staging.centre,
            morale=morale,
            terrain=_TERRAIN[target.cover],
            entrenched=target.cover == "trench"
            or (target.posture == "dug_in" and target.cover != "buildings"),
        )
        self._stage_squads(squad)

    def _stage_squads(self, squad: UnitEntry) -> None:
        """Stage the target as copies of a squad, and the firer's own troops.

        Own troops share the target's terrain if they are in one of its hexes; elsewhere they are in
        the open.
        """
        staging = self.staging
        target, own = staging.engagement.target, staging.engagement.own_troops
        size, stacking = self.part.number("squad_men"), self.part.number("stacking")
        spots = _spots(staging, -(-target.men // size), stacking)
        occupied: dict[Place, int] = {}
        for number, unit in enumerate(_squads_of(squad, target.men, size)):
            spot = number % len(spots)
            occupied[spots[spot]] = spot
            self._set_up_unit(attrs.evolve(unit, hex=spots[spot]), spot=spot)
        place = staging.own_place
        if own is None or place is None:
            return
        ours = attrs.evolve(
            squad, id="o", side=staging.firer, hex=place, morale=self.part.number("morale_average")
        )
        if place not in occupied:
            ours = attrs.evolve(ours, terrain="open", entrenched=False)
            staging.note("own troops: average quality, in open ground, all in one hex")
        for number, unit in enumerate(_squads_of(ours, own.men, size)):
            spot = occupied.get(place, len(spots) + number // stacking)
            self._set_up_unit(unit, spot=spot)


_SAME = (
    "kind",
    "broken_morale",
    "possessor",
    "aboard",
    "survival",
    "level",
    "levels",
    "armour",
    "open_topped",
    "shelter",
    "dummy",
    "entrenched",
)
"""The fields that a scenario file's unit and its profile have in common."""
_TERRAIN: Mapping[Cover, TerrainName] = {
    "open": "open",
    "woods": "woods",
    "buildings": "stone_building",
    "trench": "open",
}


def _set_up_ground(staging: Staging, name: str, place: Place, profile: UnitProfile) -> None:
    """Stage terrain, which belongs to no side, in a hex."""
    staging.unit(name, GROUND, place, strength=0, slot=ObjectState(), facts=profile)


def _features(form: AslScenario) -> dict[Place, list[str]]:
    """Map each hex to descriptions of its terrain, level, obstacle and Hindrance."""
    # A vehicle in the open may share its hex with a squad in cover.
    terrain = {place: name.replace("_", " ") for place, name in form.grounds if name != "open"}
    relief = {hex_.hex: hex_ for hex_ in form.hex}
    features: dict[Place, list[str]] = {}
    for place in dict.fromkeys((*terrain, *relief)):
        words = [terrain[place]] if place in terrain else []
        heights = {
            word: getattr(relief.get(place), word, 0) for word in ("level", "obstacle", "hindrance")
        }
        words += [f"{word} {value}" for word, value in heights.items() if value]
        if words:
            features[place] = words
    return features


def _squads_of(squad: UnitEntry, men: int, size: int) -> Iterator[UnitEntry]:
    """Yield numbered copies of a squad for a number of men, ``size`` men in each.

    The last copy may be smaller, or a half-squad.
    """
    for number, before in enumerate(range(0, men, size), start=1):
        strength = min(size, men - before)
        half = strength <= size // 2
        yield attrs.evolve(squad, id=f"{squad.id}{number:02}", men=strength, half=half)


def _spots(staging: Staging, squads: int, stacking: int) -> tuple[Place, ...]:
    """Return the hexes for the squads: the target's area first, then nearby hexes if crowded.

    A hex holds ``stacking`` squads.
    """
    target = staging.engagement.target
    least = -(-squads // stacking)
    reach = max(target.frontage_m, target.depth_m) / 2
    around = disc((0, 0), 1 + max(math.ceil(reach * 1.2 / HEX_M), math.isqrt(least)))
    points = [centre(cell, HEX_M) for cell in around]
    within = [
        (x, y)
        for x, y in points
        if abs(x) <= target.frontage_m / 2 and abs(y) <= target.depth_m / 2
    ]
    others = [point for point in points if point not in within]
    chosen = within[:squads] + others[: max(0, least - len(within))]
    return tuple(staging.at(x, y) for x, y in chosen)
