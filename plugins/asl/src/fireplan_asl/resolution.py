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
    Resolution,
    Severity,
    Staging,
    Then,
    View,
    push,
    put,
    record,
    step,
    tell,
)
from fireplan.space import centre, disc
from fireplan_asl._ift import Result, column_for, parse
from fireplan_asl._nations import DATA
from fireplan_asl._places import HEX_M

SQUAD_MEN = 10
STACKING = 3
MORALE = {"green": 6, "average": 7, "veteran": 8}
SQUAD, HALF_SQUAD, ELIMINATED = 2, 1, 0
CRITICAL_HIT = 2
US_MORTAR_MM = 60
SMALLEST_MM = 70

Units = tuple[str, ...]


@record
class Body:
    """How a unit stands: 2 a squad, 1 a half-squad, 0 eliminated; and whether it is broken."""

    size: int = SQUAD
    broken: bool = False


@attrs.frozen
class Stand:
    """What a unit is and where it lies: Morale Level, terrain, and which hex of its side it shares."""

    morale: int
    tem: int
    air_bursts: int
    hex: int


@attrs.frozen
class Shell:
    """What a battery fires: HE firepower and DRM, and the firepower and DRM of its Critical Hits."""

    power: int
    drm: int
    critical_power: int
    critical_drm: int


class AslResolution(Resolution):
    """The IFT, Random Selection, Morale Checks."""

    severities = {  # noqa: RUF012 - declared by the base
        "pinned": Severity.SUPPRESSED,
        "broken": Severity.SUPPRESSED,
        "reduced to a half-squad": Severity.REDUCED,
        "eliminated": Severity.DESTROYED,
    }

    # --- staging ---------------------------------------------------------------------------------
    def stage(self, staging: Staging) -> None:
        """Lay down shells and squads."""
        engagement = staging.engagement
        asset, target = engagement.asset, engagement.target
        if engagement.situation.bombardment:
            staging.cannot("C1.8: a Bombardment before play is not staged")
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
            stand = Stand(morale, tem, air_bursts, spot)
            terrain[spots[spot]] = stand
            body = Body(size=SQUAD if strength > SQUAD_MEN // 2 else HALF_SQUAD)
            staging.unit(
                f"s{number + 1:02}", staging.target_side, spots[spot], strength=strength, slot=body, facts=stand
            )
        self._stage_own(staging, terrain, len(spots))

    def _shell(self, staging: Staging) -> Shell | None:
        asset = staging.engagement.asset
        mortar = staging.engagement.firer.nationality == "american" and asset.weapon == "mortar"
        if asset.calibre_mm < (US_MORTAR_MM if mortar else SMALLEST_MM):
            staging.cannot(f"C1.5: no firepower for off-board artillery of {asset.calibre_mm} mm")
            return None
        chart = self.charts["oba_fp"]
        mm = max(row for row in chart.rows if row <= asset.calibre_mm)
        return Shell(*(int(chart.cells[mm, name]) for name in ("he_fp", "he_drm", "ch_fp", "ch_drm")))

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
        stand = Stand(MORALE["average"], there.tem, there.air_bursts, there.hex) if there else None
        for number, strength in enumerate(_squads(own.men)):
            body = Body(size=SQUAD if strength > SQUAD_MEN // 2 else HALF_SQUAD)
            facts = stand or Stand(MORALE["average"], 0, 0, hexes + number // STACKING)
            staging.unit(f"o{number + 1:02}", staging.firer, place, strength=strength, slot=body, facts=facts)
        if stand is None:
            staging.note("own troops: in open ground, of average quality, in one hex")

    # --- modifiers -------------------------------------------------------------------------------
    def modifiers(self) -> tuple[Modifier, ...]:
        """TEM and Air Bursts, heavy shells, and own fire."""

        def stand(view: View, units: Units) -> Stand:
            return view.unit_facts(units[0], Stand)

        def own(view: View, mission: str, unit: str, *_: int) -> int:
            return int(view.unit_side(unit) == view.side(mission))

        return (
            Modifier("resolution.effect", "C1.52", "TEM", lambda view, _m, _i, units: stand(view, units).tem),
            Modifier(
                "resolution.effect", "C1.52", "Air Bursts", lambda view, _m, _i, units: stand(view, units).air_bursts
            ),
            Modifier("resolution.effect", "C1.5", "heavy shells", lambda view, m, _i, _u: view.facts(m, Shell).drm),
            Modifier("resolution.morale", "C1.54", "own fire lowers the Morale Level", own),
            Modifier("resolution.task", "C1.54", "own fire lowers the Morale Level", own),
        )

    # --- one hex ---------------------------------------------------------------------------------
    @step(cite="C1.5")
    def strike(self, chance: Chance, view: View, mission: str, place: Place, intensity: Fraction) -> Then:  # noqa: ARG002 - no dice here
        """Every hex of units at the place takes its own DR."""
        hexes: dict[int, list[str]] = {}
        for unit in view.units_at(place):
            hexes.setdefault(view.unit_facts(unit, Stand).hex, []).append(unit)
        return Then(*(push("attack", mission, intensity, tuple(units)) for units in hexes.values()))

    @step(cite="C1.5")
    def attack(self, chance: Chance, view: View, mission: str, intensity: Fraction, units: Units) -> Then:
        """The IFT DR against a hex."""
        units = self._standing(view, units)
        if not units:
            return Then()
        shell = view.facts(mission, Shell)
        roll = chance.dice("effect", coloured=d6, white=d6)
        if roll.total == CRITICAL_HIT:
            return Then(push("critical", mission, intensity, units))
        column = column_for(self.charts["ift"], shell.power * intensity)
        if column is None:
            return Then()
        entry = (roll.total + chance.drm(roll)).look_up(self.charts["ift"].column(column))
        return self._apply(mission, parse(entry), units)

    @step(cite="C1.53")
    def critical(self, chance: Chance, view: View, mission: str, intensity: Fraction, units: Units) -> Then:
        """A Critical Hit on one target by Random Selection, the normal attack on the others; the DR was 2."""
        chosen = chance.highest("critical", of=units).exact()
        shell = view.facts(mission, Shell)
        stand = view.unit_facts(units[0], Stand)
        chart = self.charts["ift"]
        column = column_for(chart, Fraction(shell.critical_power))
        # Positive TEM turns against the target; Air Bursts hurt as ever.
        hit = chart.cell(CRITICAL_HIT + shell.critical_drm - abs(stand.tem) + stand.air_bursts, column or "")
        normal = column_for(chart, shell.power * intensity)
        others = tuple(unit for unit in units if unit not in chosen)
        rest = "-" if normal is None else chart.cell(CRITICAL_HIT + shell.drm + stand.tem + stand.air_bursts, normal)
        return Then(
            tell("critical_hit", "C1.53", mission=mission, units=chosen),
            self._apply(mission, parse(hit), chosen),
            self._apply(mission, parse(rest), others),
        )

    @staticmethod
    def _standing(view: View, units: Units) -> Units:
        return tuple(unit for unit in units if view.unit(unit, Body).size != ELIMINATED)

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
        return Then(*(_eliminated(view, u) if u in chosen else _breaks(view, u) for u in units))

    @step(cite="C1.5")
    def casualties(self, chance: Chance, view: View, mission: str, number: int, units: Units) -> Then:
        """K: one unit by Random Selection takes Casualty Reduction; what is left of all takes the Morale Check."""
        chosen = units if len(units) == 1 else chance.highest("casualties", of=units).exact()
        return Then(
            *(_reduced(view, unit) for unit in chosen),
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
            return _eliminated(view, unit) if broken else _reduced(view, unit, broken=True)
        final = roll.total + (number + chance.drm(roll))
        if final > level:
            return _breaks(view, unit)
        if not broken and final == level:
            return _pinned(unit)
        return Then()

    @step(cite="C1.5")
    def task(self, chance: Chance, view: View, mission: str, unit: str) -> Then:  # noqa: ARG002 - the modifiers ask for it
        """A Pin Task Check: a failure pins; broken units need none."""
        if view.unit(unit, Body).broken:
            return Then()
        roll = chance.dice("task", coloured=d6, white=d6)
        if roll.total + chance.drm(roll) > view.unit_facts(unit, Stand).morale:
            return _pinned(unit)
        return Then()


def _pinned(unit: str) -> Then:
    return Then(tell("suffered", "C1.5", unit=unit, severity=AslResolution.severities["pinned"]))


def _breaks(view: View, unit: str) -> Then:
    """Break; a unit that is broken already takes Casualty Reduction."""
    body = view.unit(unit, Body)
    if body.broken:
        return _reduced(view, unit)
    return Then(
        put(body, broken=True), tell("suffered", "C1.5", unit=unit, severity=AslResolution.severities["broken"])
    )


def _reduced(view: View, unit: str, *, broken: bool = False) -> Then:
    """Casualty Reduction: a squad becomes a half-squad, which may break as well; a half-squad is eliminated."""
    body = view.unit(unit, Body)
    if body.size == HALF_SQUAD:
        return _eliminated(view, unit)
    severity = AslResolution.severities["reduced to a half-squad"]
    return Then(
        put(body, size=HALF_SQUAD),
        put(body, broken=True) if broken else Then(),
        tell("suffered", "C1.5", unit=unit, severity=severity),
    )


def _eliminated(view: View, unit: str) -> Then:
    """Gone; one value stands for every way to go."""
    return Then(
        put(view.unit(unit, Body), size=ELIMINATED, broken=False),
        tell("suffered", "C1.5", unit=unit, severity=AslResolution.severities["eliminated"]),
    )


def _squads(men: int) -> tuple[int, ...]:
    """The men of each squad, and those of a last smaller one."""
    full, rest = divmod(men, SQUAD_MEN)
    return (SQUAD_MEN,) * full + ((rest,) if rest else ())
