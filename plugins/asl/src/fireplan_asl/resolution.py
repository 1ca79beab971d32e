"""Resolution: FFE against Personnel on the IFT (C1.5), with TEM (C1.52) and Critical Hits (C1.53).

Each hex gets one DR, and each unit then gets a separate step: of ``checks`` for Personnel, of
``vehicles`` for vehicles and terrain. Bombardment is in ``bombardment``, moves are in ``marches``,
and units are staged by ``setup``. Units do not rout between two attacks, and their moves are fixed
before play.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction

from fireplan_asl import bombardment, checks, marches, vehicles
from fireplan_asl.bombardment import Prelude, Scars
from fireplan_asl.checks import apply_result, morale_of
from fireplan_asl.ift import IFTResult, ShellEffects, parse, shell_for
from fireplan_asl.scenario import AslScenario
from fireplan_asl.scenario_battery import BatteryEntry
from fireplan_asl.setup import Staged, TroopStaging
from fireplan_asl.standing import (
    SEVERITIES,
    alive,
    exists,
    own_fire_drm,
    profile_of,
)
from fireplan_asl.units import (
    STOREYED,
    March,
    ObjectState,
    PersonnelState,
    UnitProfile,
    Units,
)
from fireplan_asl.vehicles import HexAttack, column_against
from fireplan_core import (
    Event,
    FireKind,
    Keeps,
    Modifier,
    Place,
    Resolution,
    Shot,
    Staging,
    View,
)
from fireplan_core.chance import Chance, Roll, d6
from fireplan_core.steps.effects import Effect, Effects, emit, push, step, update


class AslResolution(Staged, Resolution):
    """The resolution part: the IFT, Random Selection and Morale Checks."""

    severities = SEVERITIES
    publishes = (PersonnelState, ObjectState)
    keeps = Keeps(units=((PersonnelState, ObjectState), March), table=(Prelude,), ground=(Scars,))

    def contradictions(self, view: View) -> Iterator[str]:
        """Yield a message for each unit that has gone further than its road (C1.51)."""
        for unit in view.units:
            legs, road = view.unit(unit, March).legs, view.unit_facts(unit, UnitProfile).road
            if legs > len(road):
                yield f"{unit}: its road has {len(road)} legs, and it has gone {legs} (C1.51)"

    def recovers(self, event: Event) -> bool:
        """Return whether the event is an Observer's rally, i.e. return to Good Order (C1.61)."""
        return event.kind == "rallied"

    # --- staging ---------------------------------------------------------------------------------
    def stage(self, staging: Staging) -> None:
        """Stage an engagement: shells, the target's squads and the firer's own troops.

        A Bombardment is staged if the engagement has one.
        """
        super().stage(staging)
        TroopStaging(self, staging).stage_engagement()

    def set_up(self, form: AslScenario, staging: Staging) -> None:
        """Stage shells, units and the hexes that fire may change.

        A Bombardment is staged if the file has one.
        """
        super().set_up(form, staging)
        TroopStaging(self, staging).set_up_scenario(form)

    def set_up_battery(self, form: AslScenario, battery: BatteryEntry, staging: Staging) -> None:
        """Stage a battery's shells; refuse a calibre too small for OBA."""
        shell = shell_for(self.charts, battery.calibre, us_mortar=battery.us_mortar)
        if shell is None:
            staging.cannot(f"C1.5: no firepower for OBA of {battery.calibre} mm")
        staging.mission(battery.id, self.word, facts=shell)

    # --- steps and questions of other modules ----------------------------------------------------
    vehicles_struck = vehicles.vehicles_struck
    vehicle_struck = vehicles.vehicle_struck
    survives = vehicles.survives
    terrain = vehicles.terrain

    killed = checks.killed
    casualties = checks.casualties
    morale = checks.morale
    task = checks.task

    march = marches.march

    spared_near = bombardment.spared_near
    spared_far = bombardment.spared_far
    bombarded = bombardment.bombarded
    softened = bombardment.softened
    scattered = bombardment.scattered
    battered = bombardment.battered
    spoiled = bombardment.spoiled
    shaken = bombardment.shaken
    falling = bombardment.falling
    cratered = bombardment.cratered

    # --- modifiers -------------------------------------------------------------------------------
    def modifiers(self) -> tuple[Modifier, ...]:
        """Return the modifiers: TEM, Air Bursts, heavy shells, friendly fire, FFMO and FFNAM."""

        def friendly(view: View, mission: str, unit: str, *_: int) -> int:
            return own_fire_drm(
                view, mission, unit, others=self.options["own_fire"] == "whoever fires"
            )

        def on_hexes(
            cite: str, summary: str, drm: Callable[[UnitProfile], int]
        ) -> Iterator[Modifier]:
            def drm_of(view: View, units: Units, *, mixed: bool) -> int:
                same = _with_vehicles(view, units) == mixed
                return drm(lead(view, _attacked(view, units))) if same else 0

            for roll in ("effect", "entering"):
                for mixed, named in ((False, summary), (True, f"{summary}, not for vehicles")):
                    yield Modifier(
                        roll,
                        cite,
                        named,
                        lambda view, _m, _i, units, *_, mixed=mixed: drm_of(
                            view, units, mixed=mixed
                        ),
                    )

        return (
            *on_hexes("C1.52", "TEM", lambda profile: profile.tem + profile.above),
            *on_hexes("C1.52", "Air Bursts", lambda profile: profile.air_bursts),
            *(
                Modifier(
                    roll,
                    "C1.5",
                    "heavy shells",
                    lambda view, mission, *_: view.facts(mission, ShellEffects).drm,
                )
                for roll in ("effect", "entering")
            ),
            Modifier(
                "entering", "C1.51", "FFMO and FFNAM", lambda _v, _m, _i, _u, exposed: exposed
            ),
            Modifier("morale", "C1.5", "DRM of the MC", lambda _v, _m, _unit, number: number),
            Modifier("morale", "C1.54", "under friendly fire", friendly),
            Modifier("task", "C1.54", "under friendly fire", friendly),
            *bombardment.modifiers(self),
        )

    # --- counters --------------------------------------------------------------------------------
    def on_counter(self, view: View, unit: str) -> tuple[str, ...]:
        """Return the words on a unit's counter: Morale Level, "entrenched" and damage.

        A concealed unit has only "concealed", because a "?" hides everything else. A unit that does
        not exist has none.
        """
        profile = profile_of(view, unit)
        if not exists(view, unit):
            return ()
        men = view.unit(unit, PersonnelState)
        if profile.concealed and not (men.revealed or men.broken):
            return ("concealed",)
        loss = view.unit(unit, ObjectState).loss
        words = [f"Morale Level {morale_of(view, unit)}"] if profile.kind == "infantry" else []
        if profile.entrenched:
            words.append("entrenched")
        if loss and profile.kind in STOREYED:
            words.append(f"{loss} level{'s' if loss > 1 else ''} turned to rubble")
        if loss and profile.kind == "mines":
            words.append("weakened")
        return tuple(words)

    # --- one hex ---------------------------------------------------------------------------------
    @step(cite="C1.5")
    def strike(
        self, _chance: Chance, view: View, mission: str, place: Place, shot: Shot
    ) -> Effects:
        """Attack each hex of the place with its own DR; WP causes an NMC, smoke has no effect."""
        if shot.kind is FireKind.SMOKE:
            return Effects()
        hexes: dict[int, list[str]] = {}
        for unit in view.units_at(place):
            profile = profile_of(view, unit)
            # C1 does not cover the effect of fire on Dummies, so none is attacked.
            if not profile.dummy:
                hexes.setdefault(profile.hex, []).append(unit)
        if shot.kind is FireKind.WP:
            return Effects(
                *(push(self.phosphorus, mission, tuple(units)) for units in hexes.values())
            )
        targets = tuple(unit for units in hexes.values() for unit in units if alive(view, unit))
        event = Effects()
        if targets:
            column = self._column(view, mission, shot.strength, targets)
            # Fire is not halved against concealed units (C1.56).
            concealed = any(profile_of(view, unit).concealed for unit in targets)
            cite = "C1.5, C1.56" if concealed else "C1.5"
            power = int(column.removeprefix("fp")) if column else 0
            event = Effects(emit("attacks", cite, mission=mission, at=place, fp=power))
        return Effects(
            event,
            *(push(self.attack, mission, shot.strength, tuple(units)) for units in hexes.values()),
        )

    @step(cite="C1.5, C1.56")
    def attack(
        self, chance: Chance, view: View, mission: str, intensity: Fraction, units: Units
    ) -> Effects:
        """Make the IFT DR against the units in a hex; concealment does not halve firepower.

        ``intensity`` is the fire's share of the normal firepower.
        """
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
        """Return the effects of an IFT DR on Personnel with the same TEM."""
        if roll.total == self.number("critical_hit"):
            return Effects(push(self.critical, mission, intensity, units))
        column = self._column(view, mission, intensity, units)
        if column is None:
            return Effects()
        entry = (roll.total + chance.drm(roll)).look_up(self.charts["ift"].column(column))
        return apply_result(self, view, mission, parse(entry), units)

    def _column(self, view: View, mission: str, intensity: Fraction, units: Units) -> str | None:
        """Return the IFT column against units with the same TEM, or None below the first column."""
        return column_against(
            self.charts, lead(view, units), view.facts(mission, ShellEffects).power * intensity
        )

    def _mixed(
        self, chance: Chance, view: View, mission: str, intensity: Fraction, units: Units
    ) -> Effects:
        """Return the effects of one DR on a hex whose units differ in kind or TEM.

        ``intensity`` is the fire's share of the normal firepower.
        """
        shell = view.facts(mission, ShellEffects)
        column = self._column(view, mission, intensity, units)
        roll = chance.dice("effect", coloured=d6, white=d6)
        coloured, white = roll.coloured.exact(), roll.white.exact()
        dr = coloured + white
        original = IFTResult("-") if column is None else parse(self.charts["ift"].cell(dr, column))
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
        others = tuple(unit for unit in targets if unit not in men)
        # A coloured die below the white one hits the turret, otherwise the hull.
        attack = HexAttack(shell.power * intensity, shell.drm, dr, turret=coloured < white)
        groups = _alike(view, men)
        felt = self._column(view, mission, intensity, men) if len(groups) == 1 else None
        if felt is None:
            results = [push(self.result, mission, intensity, group, dr) for group in groups]
        else:
            entry = (roll.total + chance.drm(roll)).look_up(self.charts["ift"].column(felt))
            results = [apply_result(self, view, mission, parse(entry), men)]
        return Effects(*results, vehicles.at_once(self, view, attack, others, men), *scars)

    @step(cite="C1.5, C1.52")
    def result(
        self, chance: Chance, view: View, mission: str, intensity: Fraction, units: Units, dr: int
    ) -> Effects:
        """Apply the DR of a hex to a group of its units with the same TEM."""
        column = self._column(view, mission, intensity, units)
        if column is None:
            return Effects()
        entry = self.charts["ift"].cell(dr + chance.drm("effect"), column)
        return apply_result(self, view, mission, parse(entry), units)

    @step(cite="C1.53")
    def critical(
        self, chance: Chance, view: View, mission: str, intensity: Fraction, units: Units
    ) -> Effects:
        """Choose the target of a Critical Hit by Random Selection (several targets if they tie).

        The other units take the normal attack with an Original DR of 2. ``intensity`` is the fire's
        share of the normal firepower.
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
        """Return the effects of a Critical Hit's DR on ``units``.

        With ``critical`` these are the units hit, otherwise the hex's other units, which take the
        normal attack.
        """
        shell, dr = view.facts(mission, ShellEffects), self.number("critical_hit")
        men = men_of(view, units)
        done: list[Effect] = []
        for group in _alike(view, men):
            profile = profile_of(view, group[0])
            power, drm = self.force(shell, profile, intensity, critical=critical)
            column = column_against(self.charts, profile, power)
            if column is not None:
                # A Critical Hit reverses positive TEM, but not the DRM of Air Bursts.
                entry = self.charts["ift"].cell(dr + drm + profile.cover(critical=critical), column)
                done.append(apply_result(self, view, mission, parse(entry), group))
        # On a double 1 the coloured die is not below the white one, so the hull is hit.
        others = tuple(unit for unit in units if unit not in men)
        if others:
            power, drm = self.force(
                shell, profile_of(view, others[0]), intensity, critical=critical
            )
            attack = HexAttack(power, drm, dr, critical=critical)
            done.append(vehicles.at_once(self, view, attack, others, men))
        return done

    def force(
        self, shell: ShellEffects, profile: UnitProfile, intensity: Fraction, *, critical: bool
    ) -> tuple[Fraction, int]:
        """Return (firepower, DRM) against a Location, for a Critical Hit or the normal attack.

        ``intensity`` is the fire's share of the normal firepower. The halving in Marsh is not
        included.
        """
        if not critical:
            return shell.power * intensity, shell.drm
        if profile.marsh:
            # Double the exact firepower, which the Marsh halves later; the Critical Hit value of
            # the chart is already rounded to a column.
            return Fraction(self.number("critical_factor") * shell.power), shell.drm
        return Fraction(shell.critical_power), shell.critical_drm

    @step(cite="C1.53, C1.71")
    def phosphorus(self, chance: Chance, view: View, mission: str, units: Units) -> Effects:
        """Make all Personnel under WP take an NMC, with TEM and Air Bursts reversed as its DRM.

        On a Critical Hit, a DR of 2, TEM becomes a positive DRM.
        """
        men = tuple(unit for unit in men_of(view, units) if alive(view, unit))
        if not men:
            return Effects()
        hit = chance.dice("phosphorus", coloured=d6, white=d6).total == self.number("critical_hit")
        event = emit("critical_hit", "C1.53", mission=mission, units=men) if hit else Effects()

        def drm(unit: str) -> int:
            profile = profile_of(view, unit)
            return (abs(profile.tem) if hit else -profile.tem) - profile.air_bursts

        return Effects(event, *(push(self.morale, mission, unit, drm(unit)) for unit in men))

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
        """Make a new DR against the moving unit only, not the terrain or other units of its hex.

        ``_exposed`` is the DRM of FFMO and FFNAM.
        """
        if not alive(view, units[0]):
            return Effects()
        if profile_of(view, units[0]).kind != "infantry":
            return Effects(push(self.attack, mission, intensity, units))
        roll = chance.dice("entering", coloured=d6, white=d6)
        return self._on_the_table(chance, roll, view, mission, intensity, units)

    # --- Observers -------------------------------------------------------------------------------
    @step(cite="C1.61")
    def rally(self, _chance: Chance, view: View, unit: str) -> Effects:
        """Return an Observer to Good Order."""
        return Effects(
            update(view.unit(unit, PersonnelState), broken=False),
            emit("rallied", "C1.61", unit=unit),
        )

    # --- before a fire phase ---------------------------------------------------------------------
    @step(cite="C1.8")
    def opening(self, _chance: Chance, view: View) -> Effects:
        """Resolve the Bombardment before the first fire phase; in later phases, move units."""
        prelude = view.shared(Prelude)
        return (
            bombardment.begin(self, view, prelude) if prelude.mission else marches.begin(self, view)
        )

    def opens(self, view: View) -> bool:
        """Return whether a Bombardment or a move is due before this fire phase."""
        return bool(view.shared(Prelude).mission or marches.legs_due(view))


def _alike(view: View, units: Units) -> tuple[Units, ...]:
    """Return the units in groups that share a result.

    The units of a group have the same TEM, building levels above, Air Bursts and Marsh.
    """
    groups: dict[tuple[int, int, int, bool], list[str]] = {}
    for unit in units:
        profile = profile_of(view, unit)
        groups.setdefault(
            (profile.tem, profile.above, profile.air_bursts, profile.marsh), []
        ).append(unit)
    return tuple(tuple(group) for group in groups.values())


def men_of(view: View, units: Units) -> Units:
    """Return the names of the Personnel among the units."""
    return tuple(unit for unit in units if profile_of(view, unit).kind == "infantry")


def _attacked(view: View, units: Units) -> Units:
    """Return the names of the Personnel that can be attacked, or of all units if there are none."""
    return men_of(view, tuple(unit for unit in units if alive(view, unit))) or units


def _with_vehicles(view: View, units: Units) -> bool:
    """Return whether Personnel and vehicles are attacked together."""
    kinds = {
        profile.kind == "infantry"
        for unit in units
        if alive(view, unit) and not (profile := profile_of(view, unit)).ground
    }
    return len(kinds) > 1


def lead(view: View, units: Units) -> UnitProfile:
    """Return the profile whose TEM counts for the hex: that of the first unit that is not terrain.

    If all units are terrain, return the profile of the first.
    """
    return next(
        (profile for unit in units if not (profile := profile_of(view, unit)).ground),
        profile_of(view, units[0]),
    )
