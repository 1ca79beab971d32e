"""Resolution: a HE Concentration against infantry on the IFT (C1.5), with TEM (C1.52) and Critical Hits (C1.53).

One DR a hex, then one step a unit. A squad is ten men; the squads of one hex share its terrain. Vehicles, guns,
leaders and the terrain itself are not attacked, and nobody moves, routs or rallies between two falls.
"""

from __future__ import annotations

import math
from fractions import Fraction

import attrs

from fireplan.chance import Chance, d6, read_csv
from fireplan.mission import (
    Modifier,
    Place,
    Stage,
    Staging,
    Then,
    View,
    push,
    put,
    step,
    tell,
)
from fireplan.space import centre, disc
from fireplan_asl._bombardment import TERRAIN, Bombarding, area_of
from fireplan_asl._ift import Result, column_for, parse
from fireplan_asl._nations import DATA
from fireplan_asl._places import COLUMNS, HEX_M, SMOKE, WP
from fireplan_asl._units import (
    ELIMINATED,
    HALF_SQUAD,
    SEVERITIES,
    SQUAD,
    Body,
    Stand,
    Trek,
    Units,
    alive,
    breaks,
    eliminated,
    own,
    pinned,
    reduced,
    stand_of,
)
from fireplan_asl._vehicles import AgainstThings, Blow

SQUAD_MEN = 10
STACKING = 3
MORALE = {"green": 6, "average": 7, "veteran": 8}
CRITICAL_HIT = 2
US_MORTAR_MM = 60
SMALLEST_MM = 70


@attrs.frozen
class Shell:
    """What a battery fires: HE firepower and DRM, and the firepower and DRM of its Critical Hits."""

    power: int
    drm: int
    critical_power: int
    critical_drm: int
    calibre: int = attrs.field(default=0, eq=False)


class AslResolution(AgainstThings, Bombarding):
    """The IFT, Random Selection, Morale Checks."""

    severities = SEVERITIES

    # --- staging ---------------------------------------------------------------------------------
    def stage(self, staging: Staging) -> None:
        """Lay down shells and squads."""
        engagement = staging.engagement
        asset, target = engagement.asset, engagement.target
        if engagement.situation.bombardment:
            self._stage_bombardment(staging)
        shell = self._shell(staging)
        if shell is None:
            return
        for mission in staging.assets:
            staging.mission(mission, self.word, facts=shell)
        staging.note(f"one battery (OBA module) stands for the {asset.guns} tubes")
        morale = MORALE[target.quality]
        staging.note(f"Morale Level {morale} for {target.quality} troops, broken or not; no leaders")
        staging.note("targets neither move, rout nor rally between two falls")
        if target.posture == "moving":
            staging.note("moving troops: FFMO applies in the MPh alone, and fire falls in fire phases")
        dug_in = "yes" if target.posture == "dug_in" else "no"
        row = next(
            row
            for row in read_csv(DATA / "cover.csv")
            if row["cover"] == target.cover and row["dug_in"] == dug_in
        )
        tem, air_bursts = int(row["tem"]), int(row["air_bursts"])
        if target.cover == "buildings":
            staging.note(f"cover: {row['gist']}")
        spots = self._spots(staging, -(-target.men // SQUAD_MEN))
        men = _squads(target.men)
        terrain: dict[Place, Stand] = {}
        for number, strength in enumerate(men):
            spot = number % len(spots)
            stand = Stand(
                morale,
                tem,
                air_bursts,
                spot,
                craters=row["craters"] == "yes",
                burns=row["burns"] == "yes",
            )
            terrain[spots[spot]] = stand
            body = Body(size=SQUAD if strength > SQUAD_MEN // 2 else HALF_SQUAD)
            staging.unit(
                f"s{number + 1:02}", staging.target_side, spots[spot], strength=strength, slot=body, facts=stand
            )
        self._stage_own(staging, terrain, len(spots))

    @staticmethod
    def _stage_bombardment(staging: Staging) -> None:
        """The whole board of the target, before the first fire phase."""
        prelude = area_of(staging.frame, staging.centre, COLUMNS, staging.assets[0])
        staging.share("resolution", prelude)
        if not prelude.areas:
            staging.note("Bombardment: this ground has no numbered hexes, so none are spared")
        else:
            staging.note("Bombardment: on the whole board of the target, before the first fire phase")

    def _shell(self, staging: Staging) -> Shell | None:
        asset = staging.engagement.asset
        mortar = staging.engagement.firer.nationality == "american" and asset.weapon == "mortar"
        return self.shell(staging, asset.calibre_mm, us_mortar=mortar)

    def shell(self, staging: Staging, calibre: int, *, us_mortar: bool) -> Shell | None:
        """What a battery of a calibre fires; the staging is told when there is no such battery."""
        if calibre < (US_MORTAR_MM if us_mortar else SMALLEST_MM):
            staging.cannot(f"C1.5: no firepower for off-board artillery of {calibre} mm")
            return None
        chart = self.charts["oba_fp"]
        mm = max(row for row in chart.rows if row <= calibre)
        numbers = (int(chart.cells[mm, name]) for name in ("he_fp", "he_drm", "ch_fp", "ch_drm"))
        power, drm, critical_power, critical_drm = numbers
        return Shell(power, drm, critical_power, critical_drm, calibre)

    @staticmethod
    def _spots(staging: Staging, squads: int) -> tuple[Place, ...]:
        """The hexes that the squads stand in: those of the target's rectangle, and more near it if it is crowded."""
        target = staging.engagement.target
        least = -(-squads // STACKING)

        def inside(x: float, y: float) -> bool:
            return abs(x) <= target.frontage_m / 2 and abs(y) <= target.depth_m / 2

        reach = max(target.frontage_m, target.depth_m) / 2
        around = disc((0, 0), 1 + max(math.ceil(reach * 1.2 / HEX_M), math.isqrt(least)))
        points = [centre(cell, HEX_M) for cell in around]
        within = [point for point in points if inside(*point)]
        others = [point for point in points if not inside(*point)]
        chosen = within[:squads] + others[: max(0, least - len(within))]
        return tuple(staging.at(x, y) for x, y in chosen)

    @staticmethod
    def _stage_own(staging: Staging, terrain: dict[Place, Stand], hexes: int) -> None:
        own = staging.engagement.own_troops
        place = staging.own_place
        if own is None or place is None:
            return
        there = terrain.get(place)
        stand = attrs.evolve(there, morale=MORALE["average"]) if there else None
        for number, strength in enumerate(_squads(own.men)):
            body = Body(size=SQUAD if strength > SQUAD_MEN // 2 else HALF_SQUAD)
            facts = stand or Stand(MORALE["average"], hex=hexes + number // STACKING, craters=True)
            staging.unit(f"o{number + 1:02}", staging.firer, place, strength=strength, slot=body, facts=facts)
        if stand is None:
            staging.note("own troops: in open ground, of average quality, in one hex")

    # --- modifiers -------------------------------------------------------------------------------
    def modifiers(self) -> tuple[Modifier, ...]:
        """TEM and Air Bursts, heavy shells, own fire, and the exposure of those who move."""

        def tem(view: View, _m: str, _i: Fraction, units: Units, *_: int) -> int:
            stand = stand_of(view, units[0])
            return stand.tem + stand.above

        def air_bursts(view: View, _m: str, _i: Fraction, units: Units, *_: int) -> int:
            return stand_of(view, units[0]).air_bursts

        def heavy(view: View, mission: str, *_: object) -> int:
            return view.facts(mission, Shell).drm

        def mine(view: View, mission: str, unit: str, *_: int) -> int:
            return own(view, mission, unit)

        rolls = ("resolution.effect", "resolution.entering")
        return (
            *(Modifier(roll, "C1.52", "TEM", tem) for roll in rolls),
            *(Modifier(roll, "C1.52", "Air Bursts", air_bursts) for roll in rolls),
            *(Modifier(roll, "C1.5", "heavy shells", heavy) for roll in rolls),
            Modifier("resolution.entering", "C1.51", "FFMO and FFNAM", lambda _v, _m, _i, _u, exposed: exposed),
            Modifier("resolution.morale", "C1.54", "own fire lowers the Morale Level", mine),
            Modifier("resolution.task", "C1.54", "own fire lowers the Morale Level", mine),
            *self.bombardment_modifiers(),
        )

    # --- one hex ---------------------------------------------------------------------------------
    @step(cite="C1.5")
    def strike(self, chance: Chance, view: View, mission: str, place: Place, intensity: Fraction) -> Then:  # noqa: ARG002 - no dice here
        """Every hex of units at the place takes its own DR; SMOKE does nothing to them, WP calls for a check."""
        if intensity == SMOKE:
            return Then()
        hexes: dict[int, list[str]] = {}
        for unit in view.units_at(place):
            hexes.setdefault(stand_of(view, unit).hex, []).append(unit)
        attack = "phosphorus" if intensity == WP else "attack"
        return Then(*(push(attack, mission, intensity, tuple(units)) for units in hexes.values()))

    @step(cite="C1.5, C1.56")
    def attack(self, chance: Chance, view: View, mission: str, intensity: Fraction, units: Units) -> Then:
        """The IFT DR against a hex; concealment halves nothing."""
        units = tuple(unit for unit in units if alive(view, unit))
        if not units:
            return Then()
        men = tuple(unit for unit in units if stand_of(view, unit).kind == "infantry")
        if len(men) < len(units):
            return self._mixed(chance, view, mission, intensity, units, men)
        roll = chance.dice("effect", coloured=d6, white=d6)
        if roll.total == CRITICAL_HIT:
            return Then(push("critical", mission, intensity, units))
        column = column_for(self.charts["ift"], view.facts(mission, Shell).power * intensity)
        if column is None:
            return Then()
        entry = (roll.total + chance.drm(roll)).look_up(self.charts["ift"].column(column))
        return self._apply(mission, parse(entry), units)

    def _mixed(
        self, chance: Chance, view: View, mission: str, intensity: Fraction, units: Units, men: Units
    ) -> Then:
        """A hex with more than Personnel in it: one DR for all, each kind by its own line."""
        shell = view.facts(mission, Shell)
        chart, power = self.charts["ift"], shell.power * intensity
        column = column_for(chart, power)
        roll = chance.dice("effect", coloured=d6, white=d6)
        drm = chance.drm(roll) if men else 0
        final = roll.total + drm
        coloured, white = roll.coloured.exact(), roll.white.exact()
        dr = coloured + white
        fixed = tuple(u for u in units if stand_of(view, u).kind in TERRAIN)
        original = Result("-") if column is None else parse(chart.cell(dr, column))
        ground: list[Then] = []
        if original.kind == "KIA":
            ground += [Then(push("terrain", unit, original.number, shell.calibre)) for unit in fixed]
        targets = tuple(unit for unit in units if unit not in fixed)
        if not targets or column is None:
            return Then(*ground)
        if dr == CRITICAL_HIT:
            return Then(push("critical", mission, intensity, targets), *ground)
        things = tuple(unit for unit in targets if unit not in men)
        entry = final.look_up(chart.column(column))
        # Turret or hull: the coloured die below the white one.
        struck = (push("things", Blow(power, shell.drm, dr, turret=coloured < white), things),) if things else ()
        return Then(self._apply(mission, parse(entry), men), *struck, *ground)

    @step(cite="C1.53")
    def critical(self, chance: Chance, view: View, mission: str, intensity: Fraction, units: Units) -> Then:
        """A Critical Hit on one target by Random Selection, the normal attack on the others; the DR was 2."""
        chosen = chance.highest("critical", of=units).exact()
        shell = view.facts(mission, Shell)
        chart = self.charts["ift"]
        power, normal = Fraction(shell.critical_power), shell.power * intensity
        told = tell("critical_hit", "C1.53", mission=mission, units=chosen)
        done: list[Then] = []
        for hit, struck, fp, drm in (
            (True, chosen, power, shell.critical_drm),
            (False, tuple(unit for unit in units if unit not in chosen), normal, shell.drm),
        ):
            column = column_for(chart, fp)
            men = tuple(unit for unit in struck if stand_of(view, unit).kind == "infantry")
            if column is not None and men:
                stand = stand_of(view, men[0])
                # Positive TEM turns against the target; Air Bursts hurt as ever.
                tem = (-abs(stand.tem) if hit else stand.tem) + stand.above
                done.append(
                    self._apply(mission, parse(chart.cell(CRITICAL_HIT + drm + tem + stand.air_bursts, column)), men)
                )
            # A double 1: the coloured die is not below the white one, so it is the hull.
            things = tuple(unit for unit in struck if unit not in men)
            blow = Blow(fp, drm, CRITICAL_HIT, critical=hit)
            done += [Then(push("thing", blow, unit)) for unit in things]
        return Then(told, *done)

    @step(cite="C1.53, C1.71")
    def phosphorus(self, chance: Chance, view: View, mission: str, intensity: Fraction, units: Units) -> Then:  # noqa: ARG002 - the arguments of every attack
        """WP: a NMC for all Personnel, TEM turned round; a DR of 2 turns it against them."""
        men = tuple(u for u in units if stand_of(view, u).kind == "infantry" and alive(view, u))
        if not men:
            return Then()
        hit = chance.dice("phosphorus", coloured=d6, white=d6).total == CRITICAL_HIT
        told = tell("critical_hit", "C1.53", mission=mission, units=men) if hit else Then()

        def drm(unit: str) -> int:
            stand = stand_of(view, unit)
            return (abs(stand.tem) if hit else -stand.tem) - stand.air_bursts

        return Then(told, *(push("morale", mission, unit, drm(unit)) for unit in men))

    # --- units that move -------------------------------------------------------------------------
    def _marches(self, view: View) -> Then:
        """Those whose road leads on before this moment."""
        roads = [unit for unit in view.units if view.unit_facts(unit, Stand).road]
        if not roads:
            return Then()
        now = view.moment()
        due = [
            push("march", unit, number)
            for unit in roads
            for number, leg in enumerate(view.unit_facts(unit, Stand).road)
            if leg.moment == now
        ]
        return Then(*due)

    @step(cite="C1.51")
    def march(self, chance: Chance, view: View, unit: str, number: int) -> Then:  # noqa: ARG002 - no dice here
        """A unit goes into a hex, or becomes more exposed in its own; FFE:1, FFE:2 and FFE:C there attack it."""
        if stand_of(view, unit).kind == "infantry" and (not alive(view, unit) or view.unit(unit, Body).broken):
            return Then()
        if not alive(view, unit) or view.unit(unit, Trek).legs != number:
            return Then()
        leg = view.unit_facts(unit, Stand).road[number]
        areas = view.scenario.parts.areas
        gone = (put(view.unit(unit, Trek), legs=number + 1), put(view.unit_neutral(unit), place=leg.to))
        attacks: list[Then] = []
        for mission in view.missions:
            if view.mission(mission).stage in (Stage.FALLING, Stage.LINGERING):
                strength = areas.covers(view.seen_by("areas"), mission, leg.to, Fraction(0))
                if strength and strength != SMOKE:
                    # In the MPh alone, before a DFPh (C1.51).
                    exposed = leg.exposed if view.moment() % 2 else 0
                    attacks.append(Then(push("entering", mission, strength, (unit,), exposed)))
        return Then(*gone, tell("enters", "C1.51", unit=unit, at=leg.to), *attacks)

    @step(cite="C1.51")
    def entering(
        self, chance: Chance, view: View, mission: str, intensity: Fraction, units: Units, exposed: int  # noqa: ARG002
    ) -> Then:
        """A new DR against what has just moved alone; terrain and other units are spared."""
        if not alive(view, units[0]):
            return Then()
        if intensity == WP:
            return Then(push("phosphorus", mission, intensity, units))
        if stand_of(view, units[0]).kind != "infantry":
            return Then(push("attack", mission, intensity, units))
        roll = chance.dice("entering", coloured=d6, white=d6)
        if roll.total == CRITICAL_HIT:
            return Then(push("critical", mission, intensity, units))
        column = column_for(self.charts["ift"], view.facts(mission, Shell).power * intensity)
        if column is None:
            return Then()
        entry = (roll.total + chance.drm(roll)).look_up(self.charts["ift"].column(column))
        return self._apply(mission, parse(entry), units)

    @staticmethod
    def _apply(mission: str, result: Result, units: Units) -> Then:
        """What an entry of the IFT asks for."""
        if not units or result.kind == "-":
            return Then()
        if result.kind == "KIA":
            return Then(push("killed", mission, result.number, units))
        if result.kind == "K":
            return Then(push("casualties", mission, result.number, units))
        if result.kind == "PTC":
            return Then(*(push("task", mission, unit) for unit in units))
        return Then(*(push("morale", mission, unit, result.number) for unit in units))

    # --- units -----------------------------------------------------------------------------------
    @step(cite="C1.5")
    def killed(self, chance: Chance, view: View, mission: str, number: int, units: Units) -> Then:  # noqa: ARG002 - the arguments of every result
        """KIA: so many units by Random Selection are eliminated, the others break."""
        chosen = units if number >= len(units) else chance.highest("killed", of=units, count=number).exact()
        return Then(*(eliminated(view, u) if u in chosen else breaks(view, u) for u in units))

    @step(cite="C1.5")
    def casualties(self, chance: Chance, view: View, mission: str, number: int, units: Units) -> Then:
        """K: one unit by Random Selection takes Casualty Reduction; what is left of all takes the Morale Check."""
        chosen = units if len(units) == 1 else chance.highest("casualties", of=units).exact()
        return Then(
            *(reduced(view, unit) for unit in chosen),
            *(push("morale", mission, unit, number) for unit in units),
        )

    @step(cite="C1.5")
    def morale(self, chance: Chance, view: View, mission: str, unit: str, number: int) -> Then:  # noqa: ARG002 - the modifiers ask for it
        """A Morale Check: a failure breaks, the highest DR that passes pins, an Original 12 costs men as well."""
        body = view.unit(unit, Body)
        if body.size == ELIMINATED:
            return Then()
        broken = body.broken
        roll = chance.dice("morale", coloured=d6, white=d6)
        level = view.unit_facts(unit, Stand).morale
        if roll.total == 12:
            return eliminated(view, unit) if broken else reduced(view, unit, broken=True)
        final = roll.total + (number + chance.drm(roll))
        if final > level:
            return breaks(view, unit)
        if not broken and final == level:
            return pinned(unit)
        return Then()

    @step(cite="C1.5")
    def task(self, chance: Chance, view: View, mission: str, unit: str) -> Then:  # noqa: ARG002 - the modifiers ask for it
        """A Pin Task Check: a failure pins; broken units need none."""
        if view.unit(unit, Body).broken:
            return Then()
        roll = chance.dice("task", coloured=d6, white=d6)
        if roll.total + chance.drm(roll) > view.unit_facts(unit, Stand).morale:
            return pinned(unit)
        return Then()


def _squads(men: int) -> tuple[int, ...]:
    """The men of each squad, and those of a last smaller one."""
    full, rest = divmod(men, SQUAD_MEN)
    return (SQUAD_MEN,) * full + ((rest,) if rest else ())
