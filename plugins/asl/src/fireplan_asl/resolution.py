"""Resolution: a HE Concentration against infantry on the IFT (C1.5), with TEM (C1.52) and Critical Hits (C1.53).

One DR a hex, then one step a unit. Vehicles and ground are in ``_vehicles``, Bombardment in
``_bombardment``, how units are staged in ``setup``. Nobody routs between two falls; who moves is
laid down beforehand.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction

from fireplan_asl.bombardment import Bombarding, Prelude, Scars
from fireplan_asl.ift import Result, Shell, parse
from fireplan_asl.missions import FFE
from fireplan_asl.places import even
from fireplan_asl.setup import UnitsStaged
from fireplan_asl.standing import (
    SEVERITIES,
    alive,
    breaks,
    eliminated,
    exists,
    own,
    pinned,
    profile_of,
    reduced,
)
from fireplan_asl.units import ELIMINATED, Body, March, UnitProfile, Units, Works
from fireplan_asl.vehicles import HexAttack
from fireplan_core import FireKind, Keeps, Modifier, Place, Shot, View, parts_of
from fireplan_core.chance import Chance, Roll, d6
from fireplan_core.steps.effects import Effect, Effects, emit, push, step, update


class AslResolution(UnitsStaged, Bombarding):
    """The IFT, Random Selection, Morale Checks."""

    severities = SEVERITIES
    publishes = (Body, Works)
    keeps = Keeps(units=((Body, Works), March), table=(Prelude,), ground=(Scars,))

    # --- modifiers -------------------------------------------------------------------------------
    def modifiers(self) -> tuple[Modifier, ...]:
        """Return TEM and Air Bursts, heavy shells, own fire, and the exposure of those who move."""

        def mine(view: View, mission: str, unit: str, *_: int) -> int:
            return own(view, mission, unit, others=self.options["own_fire"] == "whoever fires")

        def on_hexes(
            cite: str, summary: str, drm: Callable[[UnitProfile], int]
        ) -> Iterator[Modifier]:
            for roll in ("effect", "entering"):
                yield Modifier(
                    roll, cite, summary, lambda view, _m, _i, units, *_: drm(lead(view, units))
                )

        return (
            *on_hexes("C1.52", "TEM", lambda profile: profile.tem + profile.above),
            *on_hexes("C1.52", "Air Bursts", lambda profile: profile.air_bursts),
            *(
                Modifier(
                    roll,
                    "C1.5",
                    "heavy shells",
                    lambda view, mission, *_: view.facts(mission, Shell).drm,
                )
                for roll in ("effect", "entering")
            ),
            Modifier(
                "entering", "C1.51", "FFMO and FFNAM", lambda _v, _m, _i, _u, exposed: exposed
            ),
            Modifier("morale", "C1.54", "own fire lowers the Morale Level", mine),
            Modifier("task", "C1.54", "own fire lowers the Morale Level", mine),
            *super().modifiers(),
        )

    # --- one hex ---------------------------------------------------------------------------------
    @step(cite="C1.5")
    def strike(
        self, _chance: Chance, view: View, mission: str, place: Place, shot: Shot
    ) -> Effects:
        """Attack every hex of units at the place by its own DR.

        SMOKE does nothing to them, WP calls for a check.
        """
        if shot.kind is FireKind.SMOKE:
            return Effects()
        hexes: dict[int, list[str]] = {}
        for unit in view.units_at(place):
            profile = profile_of(view, unit)
            # What fire does to Dummies is no rule of these texts.
            if not profile.dummy:
                hexes.setdefault(profile.hex, []).append(unit)
        if shot.kind is FireKind.WP:
            return Effects(
                *(push(self.phosphorus, mission, tuple(units)) for units in hexes.values())
            )
        there = tuple(unit for units in hexes.values() for unit in units if alive(view, unit))
        told = Effects()
        if there:
            column = self._column(view, mission, shot.strength, there)
            # Concealment halves nothing (C1.56).
            cite = (
                "C1.5, C1.56" if any(profile_of(view, unit).concealed for unit in there) else "C1.5"
            )
            power = int(column.removeprefix("fp")) if column else 0
            told = Effects(emit("attacks", cite, mission=mission, at=place, fp=power))
        return Effects(
            told,
            *(push(self.attack, mission, shot.strength, tuple(units)) for units in hexes.values()),
        )

    @step(cite="C1.5, C1.56")
    def attack(
        self, chance: Chance, view: View, mission: str, intensity: Fraction, units: Units
    ) -> Effects:
        """Throw the IFT DR against a hex; concealment halves nothing."""
        units = tuple(unit for unit in units if alive(view, unit))
        if not units:
            return Effects()
        men = men_of(view, units)
        if len(men) < len(units) or len(_alike(view, men)) > 1:
            return self._mixed(chance, view, mission, intensity, units)
        return self._on_the_table(
            chance, chance.dice("effect", coloured=d6, white=d6), view, mission, intensity, units
        )

    def _on_the_table(
        self,
        chance: Chance,
        roll: Roll,
        view: View,
        mission: str,
        intensity: Fraction,
        units: Units,
    ) -> Effects:
        """Return what a DR against Personnel who lie alike asks for."""
        if roll.total == self.number("critical_hit"):
            return Effects(push(self.critical, mission, intensity, units))
        column = self._column(view, mission, intensity, units)
        if column is None:
            return Effects()
        entry = (roll.total + chance.drm(roll)).look_up(self.charts["ift"].column(column))
        return self._apply(mission, parse(entry), units)

    def _column(self, view: View, mission: str, intensity: Fraction, units: Units) -> str | None:
        """Return the column of the IFT for units that lie alike."""
        return self.column(lead(view, units), view.facts(mission, Shell).power * intensity)

    def _mixed(
        self, chance: Chance, view: View, mission: str, intensity: Fraction, units: Units
    ) -> Effects:
        """Return what a hex with more than Personnel alike takes: one DR, each kind by its own line and its own TEM."""
        shell = view.facts(mission, Shell)
        column = self._column(view, mission, intensity, units)
        roll = chance.dice("effect", coloured=d6, white=d6)
        coloured, white = roll.coloured.exact(), roll.white.exact()
        dr = coloured + white
        original = Result("-") if column is None else parse(self.charts["ift"].cell(dr, column))
        targets = tuple(unit for unit in units if not profile_of(view, unit).ground)
        scars: list[Effect] = []
        if original.kind in ("KIA", "K"):
            killed = original.number if original.kind == "KIA" else 0
            scars = [
                push(self.terrain, unit, killed, shell.calibre)
                for unit in units
                if unit not in targets
            ]
        if not targets or column is None:
            return Effects(*scars)
        if dr == self.number("critical_hit"):
            return Effects(push(self.critical, mission, intensity, targets), *scars)
        men = men_of(view, targets)
        things = tuple(unit for unit in targets if unit not in men)
        # Turret or hull: the coloured die below the white one.
        attack = HexAttack(shell.power * intensity, shell.drm, dr, turret=coloured < white)
        results = (push(self.result, mission, intensity, group, dr) for group in _alike(view, men))
        return Effects(*results, push(self.things, attack, things) if things else Effects(), *scars)

    @step(cite="C1.5, C1.52")
    def result(
        self, chance: Chance, view: View, mission: str, intensity: Fraction, units: Units, dr: int
    ) -> Effects:
        """Apply the DR of a hex to those in it that share their TEM."""
        column = self._column(view, mission, intensity, units)
        if column is None:
            return Effects()
        entry = self.charts["ift"].cell(dr + chance.drm("effect"), column)
        return self._apply(mission, parse(entry), units)

    @step(cite="C1.53")
    def critical(
        self, chance: Chance, view: View, mission: str, intensity: Fraction, units: Units
    ) -> Effects:
        """Choose the target of a Critical Hit by Random Selection.

        The others take the normal attack. The DR was 2.
        """
        chosen = units if len(units) == 1 else chance.highest("critical", of=units).exact()
        others = tuple(unit for unit in units if unit not in chosen)
        return Effects(
            emit("critical_hit", "C1.53", mission=mission, units=chosen),
            *self._hits(view, mission, intensity, chosen, critical=True),
            *self._hits(view, mission, intensity, others, critical=False),
        )

    def _hits(
        self, view: View, mission: str, intensity: Fraction, units: Units, *, critical: bool
    ) -> list[Effect]:
        """Return what each of the units takes from the DR of a Critical Hit, hit or not."""
        shell, dr = view.facts(mission, Shell), self.number("critical_hit")
        men = men_of(view, units)
        done: list[Effect] = []
        for group in _alike(view, men):
            profile = profile_of(view, group[0])
            power, drm = self.force(shell, profile, intensity, critical=critical)
            column = self.column(profile, power)
            if column is not None:
                # Positive TEM turns against the target; Air Bursts hurt as ever.
                entry = self.charts["ift"].cell(dr + drm + profile.cover(critical=critical), column)
                done.append(self._apply(mission, parse(entry), group))
        # A double 1: the coloured die is not below the white one, so it is the hull.
        things = tuple(unit for unit in units if unit not in men)
        if things:
            power, drm = self.force(
                shell, profile_of(view, things[0]), intensity, critical=critical
            )
            done.append(push(self.things, HexAttack(power, drm, dr, critical=critical), things))
        return done

    def force(
        self, shell: Shell, profile: UnitProfile, intensity: Fraction, *, critical: bool
    ) -> tuple[Fraction, int]:
        """Return firepower and DRM of a Critical Hit on a Location, or of the normal attack.

        Marsh not counted yet.
        """
        if not critical:
            return shell.power * intensity, shell.drm
        if profile.marsh:
            # Doubled for the hit and halved by the Marsh: what is above the last column is not lost
            # in between.
            return Fraction(self.number("critical_factor") * shell.power), shell.drm
        return Fraction(shell.critical_power), shell.critical_drm

    @step(cite="C1.53, C1.71")
    def phosphorus(self, chance: Chance, view: View, mission: str, units: Units) -> Effects:
        """Check all Personnel under WP by a NMC, TEM turned round.

        A DR of 2 turns it against them.
        """
        men = tuple(unit for unit in men_of(view, units) if alive(view, unit))
        if not men:
            return Effects()
        hit = chance.dice("phosphorus", coloured=d6, white=d6).total == self.number("critical_hit")
        told = emit("critical_hit", "C1.53", mission=mission, units=men) if hit else Effects()

        def drm(unit: str) -> int:
            profile = profile_of(view, unit)
            return (abs(profile.tem) if hit else -profile.tem) - profile.air_bursts

        return Effects(told, *(push(self.morale, mission, unit, drm(unit)) for unit in men))

    # --- Observers -------------------------------------------------------------------------------
    @step(cite="C1.61")
    def restore_order(self, _chance: Chance, view: View, unit: str) -> Effects:
        """Bring an Observer back into Good Order."""
        return Effects(
            update(view.unit(unit, Body), broken=False), emit("rallied", "C1.61", unit=unit)
        )

    # --- units that move -------------------------------------------------------------------------
    def marches(self, view: View) -> Effects:
        """Return those whose road leads on before this moment."""
        due = self._due(view)
        mine = [
            push(self.march, unit, leg)
            for unit, leg in due
            if view.unit_side(unit) == view.scenario.firer
        ]
        theirs = [
            push(self.march, unit, leg)
            for unit, leg in due
            if view.unit_side(unit) != view.scenario.firer
        ]
        if theirs and not even(view.moment()):
            # Their MPh before a DFPh comes after their RPh, at the end of which a FFE:C may be gone
            # (C1.22).
            delays = parts_of(view).delays
            theirs = [*(push(delays.expire, mission) for mission in view.missions), *theirs]
        return Effects(*mine, *theirs)

    @staticmethod
    def _due(view: View) -> list[tuple[str, int]]:
        """Return the legs of roads that are gone before this moment: each by its unit and number."""
        roads = {
            unit: road for unit in view.units if (road := view.unit_facts(unit, UnitProfile).road)
        }
        now = view.moment() if roads else 0
        return [
            (unit, number)
            for unit, road in roads.items()
            for number, leg in enumerate(road)
            if leg.moment == now
        ]

    def opens(self, view: View) -> bool:
        """Return whether a Bombardment is still to come, or a unit moves before this moment."""
        return bool(view.shared(Prelude).mission or self._due(view))

    @step(cite="C1.51")
    def march(self, _chance: Chance, view: View, unit: str, number: int) -> Effects:
        """Move a unit into a hex, or expose it more in its own.

        FFE:1, FFE:2 and FFE:C there attack it.
        """
        before = profile_of(view, unit)
        if before.kind == "infantry" and view.unit(unit, Body).broken:
            return Effects()
        marched = view.unit(unit, March)
        if not exists(view, unit) or marched.legs != number:
            return Effects()
        leg = before.road[number]
        # Within its hex only what makes it more vulnerable counts: less TEM, or no longer immune.
        safer = leg.tem + leg.air_bursts >= before.cover() and not before.immune
        stays = leg.to == view.place_of(unit) and safer
        # Exposed in the MPh alone, before a DFPh (C1.51).
        exposed = 0 if even(view.moment()) else leg.exposed
        return Effects(
            update(marched, legs=number + 1),
            update(view.unit_neutral(unit), place=leg.to),
            emit("enters", "C1.51", unit=unit, at=leg.to),
            *(() if stays else self._entered(view, unit, leg.to, exposed)),
        )

    def _entered(self, view: View, unit: str, place: Place, exposed: int) -> list[Effect]:
        """Return the attacks of every FFE that lies over a place on a unit that comes there."""
        attacks: list[Effect] = []
        for mission in view.missions:
            now = view.mission(mission)
            if now.stage not in FFE or now.kind is FireKind.SMOKE:
                continue
            if strength := view.covers(mission, place):
                wp = now.kind is FireKind.WP
                entering = push(self.entering, mission, strength, (unit,), exposed)
                attacks.append(push(self.phosphorus, mission, (unit,)) if wp else entering)
        return attacks

    @step(cite="C1.51")
    def entering(
        self,
        chance: Chance,
        view: View,
        mission: str,
        intensity: Fraction,
        units: Units,
        _exposed: int,
    ) -> Effects:
        """Throw a new DR against what has just moved alone; terrain and other units are spared."""
        if not alive(view, units[0]):
            return Effects()
        if profile_of(view, units[0]).kind != "infantry":
            return Effects(push(self.attack, mission, intensity, units))
        roll = chance.dice("entering", coloured=d6, white=d6)
        return self._on_the_table(chance, roll, view, mission, intensity, units)

    def _apply(self, mission: str, result: Result, units: Units) -> Effects:
        """Return what an entry of the IFT asks for."""
        match result.kind:
            case "KIA":
                return Effects(push(self.killed, mission, result.number, units))
            case "K":
                return Effects(push(self.casualties, mission, result.number, units))
            case "PTC":
                return Effects(*(push(self.task, mission, unit) for unit in units))
            case "MC":
                return Effects(*(push(self.morale, mission, unit, result.number) for unit in units))
            case _:
                return Effects()

    # --- units -----------------------------------------------------------------------------------
    @step(cite="C1.5")
    def killed(
        self, chance: Chance, view: View, _mission: str, number: int, units: Units
    ) -> Effects:
        """Eliminate so many units by Random Selection (KIA); the others break."""
        chosen = (
            units
            if number >= len(units)
            else chance.highest("killed", of=units, count=number).exact()
        )
        return Effects(*(eliminated(view, u) if u in chosen else breaks(view, u) for u in units))

    @step(cite="C1.5")
    def casualties(
        self, chance: Chance, view: View, mission: str, number: int, units: Units
    ) -> Effects:
        """Reduce one unit by Random Selection (K); what is left of all takes the Morale Check."""
        chosen = units if len(units) == 1 else chance.highest("casualties", of=units).exact()
        return Effects(
            *(reduced(view, unit) for unit in chosen),
            *(push(self.morale, mission, unit, number) for unit in units),
        )

    @step(cite="C1.5")
    def morale(self, chance: Chance, view: View, _mission: str, unit: str, number: int) -> Effects:
        """Throw a Morale Check: failed it breaks, the highest DR that passes pins, an Original 12 costs men as well."""
        body = view.unit(unit, Body)
        if body.size == ELIMINATED:
            return Effects()
        broken = body.broken
        roll = chance.dice("morale", coloured=d6, white=d6)
        level = morale_of(view, unit)
        if roll.total == self.number("casualty_dr"):
            return eliminated(view, unit) if broken else reduced(view, unit, broken=True)
        final = roll.total + (number + chance.drm(roll))
        if final > level:
            return breaks(view, unit)
        if not broken and final == level:
            return pinned(view, unit)
        return Effects()

    @step(cite="C1.5")
    def task(self, chance: Chance, view: View, _mission: str, unit: str) -> Effects:
        """Throw a Pin Task Check: failed it pins; broken units need none."""
        if view.unit(unit, Body).broken:
            return Effects()
        roll = chance.dice("task", coloured=d6, white=d6)
        if roll.total + chance.drm(roll) > view.unit_facts(unit, UnitProfile).morale:
            return pinned(view, unit)
        return Effects()


def _alike(view: View, units: Units) -> tuple[Units, ...]:
    """Return units by what protects them: each group has a result of its own."""
    groups: dict[tuple[int, int, int, bool], list[str]] = {}
    for unit in units:
        profile = profile_of(view, unit)
        groups.setdefault(
            (profile.tem, profile.above, profile.air_bursts, profile.marsh), []
        ).append(unit)
    return tuple(tuple(group) for group in groups.values())


def morale_of(view: View, unit: str) -> int:
    """Return the Morale Level on the face of Personnel that is up."""
    profile = view.unit_facts(unit, UnitProfile)
    other = profile.broken_morale
    return profile.morale if other is None or not view.unit(unit, Body).broken else other


def men_of(view: View, units: Units) -> Units:
    """Return those of the units that are Personnel."""
    return tuple(unit for unit in units if profile_of(view, unit).kind == "infantry")


def lead(view: View, units: Units) -> UnitProfile:
    """Return the unit whose TEM is that of the hex: the first that is no ground."""
    return next(
        (found for unit in units if not (found := profile_of(view, unit)).ground),
        profile_of(view, units[0]),
    )
