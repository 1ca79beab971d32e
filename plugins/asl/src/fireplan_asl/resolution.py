"""Resolution: a HE Concentration against infantry on the IFT (C1.5), with TEM (C1.52) and Critical Hits (C1.53).

One DR a hex, then one step a unit. Vehicles and ground are in ``_vehicles``, Bombardment in ``_bombardment``, how a
neutral engagement is staged in ``_engagement``. Nobody routs between two falls; who moves is laid down beforehand.
"""

from __future__ import annotations

from fractions import Fraction

from fireplan_asl._bombardment import Bombarding
from fireplan_asl._engagement import Shell, Staged
from fireplan_asl._ift import Result, column_for, parse
from fireplan_asl._places import SMOKE, WP
from fireplan_asl._units import (
    ELIMINATED,
    SEVERITIES,
    Body,
    Drawn,
    Stand,
    Trek,
    Units,
    alive,
    breaks,
    eliminated,
    exists,
    felt,
    ground,
    lead,
    own,
    pinned,
    reduced,
    stand_of,
)
from fireplan_asl._vehicles import AgainstThings, Blow
from fireplan_core import Effects, Modifier, Place, Question, Stage, View, emit, push, step, update
from fireplan_core.chance import Chance, d6


class AslResolution(Staged, AgainstThings, Bombarding):
    """The IFT, Random Selection, Morale Checks."""

    severities = SEVERITIES

    def questions(self) -> dict[str, Question]:
        """What a Bombardment asks of the referee."""
        return self.bombardment_questions()

    # --- modifiers -------------------------------------------------------------------------------
    def modifiers(self) -> tuple[Modifier, ...]:
        """TEM and Air Bursts, heavy shells, own fire, and the exposure of those who move."""

        def tem(view: View, _m: str, _i: Fraction, units: Units, *_: int) -> int:
            stand = lead(view, units)
            return stand.tem + stand.above

        def air_bursts(view: View, _m: str, _i: Fraction, units: Units, *_: int) -> int:
            return lead(view, units).air_bursts

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
    def strike(self, chance: Chance, view: View, mission: str, place: Place, intensity: Fraction) -> Effects:  # noqa: ARG002 - no dice here
        """Every hex of units at the place takes its own DR; SMOKE does nothing to them, WP calls for a check."""
        if intensity == SMOKE:
            return Effects()
        hexes: dict[int, list[str]] = {}
        for unit in view.units_at(place):
            # What fire does to Dummies is no rule of these texts.
            if stand_of(view, unit).dummy:
                continue
            hexes.setdefault(stand_of(view, unit).hex, []).append(unit)
        if intensity == WP:
            return Effects(*(push("phosphorus", mission, intensity, tuple(units)) for units in hexes.values()))
        there = [unit for units in hexes.values() for unit in units if alive(view, unit)]
        column = self._column(view, mission, intensity, tuple(there))
        # Concealment halves nothing (C1.56).
        cite = "C1.5, C1.56" if any(stand_of(view, unit).concealed for unit in there) else "C1.5"
        power = int(column.removeprefix("fp")) if column else 0
        told = emit("attacks", cite, mission=mission, at=place, fp=power) if there else Effects()
        return Effects(told, *(push("attack", mission, intensity, tuple(units)) for units in hexes.values()))

    @step(cite="C1.5, C1.56")
    def attack(self, chance: Chance, view: View, mission: str, intensity: Fraction, units: Units) -> Effects:
        """The IFT DR against a hex; concealment halves nothing."""
        units = tuple(unit for unit in units if alive(view, unit))
        if not units:
            return Effects()
        men = tuple(unit for unit in units if stand_of(view, unit).kind == "infantry")
        if len(men) < len(units) or len(_alike(view, men)) > 1:
            return self._mixed(chance, view, mission, intensity, units, men)
        roll = chance.dice("effect", coloured=d6, white=d6)
        if roll.total == self.number("critical_hit"):
            return Effects(push("critical", mission, intensity, units))
        column = self._column(view, mission, intensity, units)
        if column is None:
            return Effects()
        entry = (roll.total + chance.drm(roll)).look_up(self.charts["ift"].column(column))
        return self._apply(mission, parse(entry), units)

    def _column(self, view: View, mission: str, intensity: Fraction, units: Units) -> str | None:
        """The column of the IFT for units that lie alike."""
        power = view.facts(mission, Shell).power * intensity
        return column_for(self.charts["ift"], felt(lead(view, units), power) if units else power)

    def _mixed(
        self, chance: Chance, view: View, mission: str, intensity: Fraction, units: Units, men: Units
    ) -> Effects:
        """A hex with more than Personnel alike in it: one DR for all, each kind by its own line and its own TEM."""
        shell = view.facts(mission, Shell)
        chart, power = self.charts["ift"], shell.power * intensity
        column = self._column(view, mission, intensity, units)
        roll = chance.dice("effect", coloured=d6, white=d6)
        coloured, white = roll.coloured.exact(), roll.white.exact()
        dr = coloured + white
        fixed = tuple(u for u in units if ground(view, u))
        original = Result("-") if column is None else parse(chart.cell(dr, column))
        scars: list[Effects] = []
        if original.kind in ("KIA", "K"):
            killed = original.number if original.kind == "KIA" else 0
            scars += [Effects(push("terrain", unit, killed, shell.calibre)) for unit in fixed]
        targets = tuple(unit for unit in units if unit not in fixed)
        if not targets or column is None:
            return Effects(*scars)
        if dr == self.number("critical_hit"):
            return Effects(push("critical", mission, intensity, targets), *scars)
        things = tuple(unit for unit in targets if unit not in men)
        # Turret or hull: the coloured die below the white one.
        struck = (push("things", Blow(power, shell.drm, dr, turret=coloured < white), things),) if things else ()
        results = (push("result", mission, intensity, group, dr) for group in _alike(view, men))
        return Effects(*results, *struck, *scars)

    @step(cite="C1.5, C1.52")
    def result(self, chance: Chance, view: View, mission: str, intensity: Fraction, units: Units, dr: int) -> Effects:
        """The DR of a hex against those in it that share their TEM."""
        column = self._column(view, mission, intensity, units)
        if column is None:
            return Effects()
        entry = self.charts["ift"].cell(dr + chance.drm("effect"), column)
        return self._apply(mission, parse(entry), units)

    @step(cite="C1.53")
    def critical(self, chance: Chance, view: View, mission: str, intensity: Fraction, units: Units) -> Effects:
        """A Critical Hit on one target by Random Selection, the normal attack on the others; the DR was 2."""
        chosen = units if len(units) == 1 else chance.highest("critical", of=units).exact()
        shell = view.facts(mission, Shell)
        chart = self.charts["ift"]
        told = emit("critical_hit", "C1.53", mission=mission, units=chosen)
        done: list[Effects] = []
        for hit, struck in ((True, chosen), (False, tuple(unit for unit in units if unit not in chosen))):
            men = tuple(unit for unit in struck if stand_of(view, unit).kind == "infantry")
            for group in _alike(view, men):
                stand = stand_of(view, group[0])
                power, drm = _force(shell, stand, intensity, hit=hit)
                column = column_for(chart, felt(stand, power))
                if column is None:
                    continue
                # Positive TEM turns against the target; Air Bursts hurt as ever.
                tem = (-abs(stand.tem) if hit else stand.tem) + stand.above
                entry = chart.cell(self.number("critical_hit") + drm + tem + stand.air_bursts, column)
                done.append(self._apply(mission, parse(entry), group))
            # A double 1: the coloured die is not below the white one, so it is the hull.
            things = tuple(unit for unit in struck if unit not in men)
            if things:
                force = _force(shell, stand_of(view, things[0]), intensity, hit=hit)
                blow = Blow(*force, self.number("critical_hit"), critical=hit)
                done.append(Effects(push("things", blow, things)))
        return Effects(told, *done)

    @step(cite="C1.53, C1.71")
    def phosphorus(self, chance: Chance, view: View, mission: str, intensity: Fraction, units: Units) -> Effects:  # noqa: ARG002 - the arguments of every attack
        """WP: a NMC for all Personnel, TEM turned round; a DR of 2 turns it against them."""
        men = tuple(u for u in units if stand_of(view, u).kind == "infantry" and alive(view, u))
        if not men:
            return Effects()
        hit = chance.dice("phosphorus", coloured=d6, white=d6).total == self.number("critical_hit")
        told = emit("critical_hit", "C1.53", mission=mission, units=men) if hit else Effects()

        def drm(unit: str) -> int:
            stand = stand_of(view, unit)
            return (abs(stand.tem) if hit else -stand.tem) - stand.air_bursts

        return Effects(told, *(push("morale", mission, unit, drm(unit)) for unit in men))

    # --- Observers -------------------------------------------------------------------------------
    @step(cite="C1.54")
    def drawn(self, chance: Chance, view: View, unit: str, accurate: bool) -> Effects:  # noqa: ARG002, FBT001
        """An Observer has put a round over himself Accurately, or not."""
        return Effects(update(view.unit(unit, Drawn), accurate=accurate))

    @step(cite="C1.61")
    def rallies(self, chance: Chance, view: View, unit: str) -> Effects:  # noqa: ARG002 - no dice here
        """An Observer is in Good Order again."""
        return Effects(update(view.unit(unit, Body), broken=False)) if stand_of(view, unit).kind == "infantry" else Effects()

    # --- units that move -------------------------------------------------------------------------
    def _marches(self, view: View) -> Effects:
        """Those whose road leads on before this moment."""
        roads = [unit for unit in view.units if view.unit_facts(unit, Stand).road]
        if not roads:
            return Effects()
        now = view.moment()

        def due(units: list[str]) -> list[Effects]:
            return [
                Effects(push("march", unit, number))
                for unit in units
                for number, leg in enumerate(view.unit_facts(unit, Stand).road)
                if leg.moment == now
            ]

        mine = [unit for unit in roads if view.unit_side(unit) == view.scenario.firer]
        theirs = due([unit for unit in roads if unit not in mine])
        if theirs and now % 2 and "delays.rallied" in view.scenario.steps:
            # Their MPh before a DFPh comes after their RPh, at the end of which a FFE:C may be gone (C1.22).
            theirs = [*(Effects(push("delays.rallied", mission)) for mission in view.missions), *theirs]
        return Effects(*due(mine), *theirs)

    @step(cite="C1.51")
    def march(self, chance: Chance, view: View, unit: str, number: int) -> Effects:  # noqa: ARG002 - no dice here
        """A unit goes into a hex, or becomes more exposed in its own; FFE:1, FFE:2 and FFE:C there attack it."""
        before = stand_of(view, unit)
        if before.kind == "infantry" and view.unit(unit, Body).broken:
            return Effects()
        if not exists(view, unit) or view.unit(unit, Trek).legs != number:
            return Effects()
        leg = view.unit_facts(unit, Stand).road[number]
        # Within its hex only what makes it more vulnerable counts: less TEM, or no longer immune.
        safer = leg.tem + leg.air_bursts >= before.tem + before.above + before.air_bursts
        stays = leg.to == view.place_of(unit) and safer and not before.immune
        areas = view.scenario.parts.areas
        gone = (update(view.unit(unit, Trek), legs=number + 1), update(view.unit_neutral(unit), place=leg.to))
        attacks: list[Effects] = []
        for mission in view.missions:
            if not stays and view.mission(mission).stage in (Stage.FALLING, Stage.LINGERING):
                strength = areas.covers(view.seen_by("areas"), mission, leg.to, Fraction(0))
                if strength and strength != SMOKE:
                    # In the MPh alone, before a DFPh (C1.51).
                    exposed = leg.exposed if view.moment() % 2 else 0
                    attacks.append(Effects(push("entering", mission, strength, (unit,), exposed)))
        return Effects(*gone, emit("enters", "C1.51", unit=unit, at=leg.to), *attacks)

    @step(cite="C1.51")
    def entering(
        self, chance: Chance, view: View, mission: str, intensity: Fraction, units: Units, exposed: int  # noqa: ARG002
    ) -> Effects:
        """A new DR against what has just moved alone; terrain and other units are spared."""
        if not alive(view, units[0]):
            return Effects()
        if intensity == WP:
            return Effects(push("phosphorus", mission, intensity, units))
        if stand_of(view, units[0]).kind != "infantry":
            return Effects(push("attack", mission, intensity, units))
        roll = chance.dice("entering", coloured=d6, white=d6)
        if roll.total == self.number("critical_hit"):
            return Effects(push("critical", mission, intensity, units))
        column = self._column(view, mission, intensity, units)
        if column is None:
            return Effects()
        entry = (roll.total + chance.drm(roll)).look_up(self.charts["ift"].column(column))
        return self._apply(mission, parse(entry), units)

    @staticmethod
    def _apply(mission: str, result: Result, units: Units) -> Effects:
        """What an entry of the IFT asks for."""
        if not units or result.kind == "-":
            return Effects()
        if result.kind == "KIA":
            return Effects(push("killed", mission, result.number, units))
        if result.kind == "K":
            return Effects(push("casualties", mission, result.number, units))
        if result.kind == "PTC":
            return Effects(*(push("task", mission, unit) for unit in units))
        return Effects(*(push("morale", mission, unit, result.number) for unit in units))

    # --- units -----------------------------------------------------------------------------------
    @step(cite="C1.5")
    def killed(self, chance: Chance, view: View, mission: str, number: int, units: Units) -> Effects:  # noqa: ARG002 - the arguments of every result
        """KIA: so many units by Random Selection are eliminated, the others break."""
        chosen = units if number >= len(units) else chance.highest("killed", of=units, count=number).exact()
        return Effects(*(eliminated(view, u) if u in chosen else breaks(view, u) for u in units))

    @step(cite="C1.5")
    def casualties(self, chance: Chance, view: View, mission: str, number: int, units: Units) -> Effects:
        """K: one unit by Random Selection takes Casualty Reduction; what is left of all takes the Morale Check."""
        chosen = units if len(units) == 1 else chance.highest("casualties", of=units).exact()
        return Effects(
            *(reduced(view, unit) for unit in chosen),
            *(push("morale", mission, unit, number) for unit in units),
        )

    @step(cite="C1.5")
    def morale(self, chance: Chance, view: View, mission: str, unit: str, number: int) -> Effects:  # noqa: ARG002 - the modifiers ask for it
        """A Morale Check: a failure breaks, the highest DR that passes pins, an Original 12 costs men as well."""
        body = view.unit(unit, Body)
        if body.size == ELIMINATED:
            return Effects()
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
        return Effects()

    @step(cite="C1.5")
    def task(self, chance: Chance, view: View, mission: str, unit: str) -> Effects:  # noqa: ARG002 - the modifiers ask for it
        """A Pin Task Check: a failure pins; broken units need none."""
        if view.unit(unit, Body).broken:
            return Effects()
        roll = chance.dice("task", coloured=d6, white=d6)
        if roll.total + chance.drm(roll) > view.unit_facts(unit, Stand).morale:
            return pinned(unit)
        return Effects()


def _force(shell: Shell, stand: Stand, intensity: Fraction, *, hit: bool) -> tuple[Fraction, int]:
    """The firepower and DRM of a Critical Hit on a Location, or of the normal attack; Marsh not counted yet."""
    if not hit:
        return shell.power * intensity, shell.drm
    if stand.marsh:
        # Doubled for the hit and halved by the Marsh: what is above the last column is not lost in between.
        return Fraction(2 * shell.power), shell.drm
    return Fraction(shell.critical_power), shell.critical_drm


def _alike(view: View, units: Units) -> tuple[Units, ...]:
    """Units by what protects them: each group has a result of its own."""
    groups: dict[tuple[int, int, int, bool], list[str]] = {}
    for unit in units:
        stand = stand_of(view, unit)
        groups.setdefault((stand.tem, stand.above, stand.air_bursts, stand.marsh), []).append(unit)
    return tuple(tuple(group) for group in groups.values())
