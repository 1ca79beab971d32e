"""Resolution of Red Poppies: cohesion checks under fire for effect (3.72, 3.73, 7.241, 7.245).

Each unit checks by itself: 2d6 plus firepower and circumstances against its cohesion. Values of units are
reconstructed test values: the counters are not in the rules. Massed fire, gas and moves are in modules of their
own (``_bombardment``, ``_gas``, ``_march``) and join here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from math import ceil
from typing import ClassVar

from fireplan_core import (
    Asset,
    Effects,
    Modifier,
    Place,
    Question,
    Severity,
    Staging,
    Target,
    View,
    emit,
    push,
    step,
    update,
)
from fireplan_core.chance import Chance, d6
from fireplan_red_poppies._bombardment import Bombarding, massed_fire
from fireplan_red_poppies._combat import friendly_vehicle
from fireplan_red_poppies._gas import Drifts, Gassing
from fireplan_red_poppies._march import Marching
from fireplan_red_poppies._troops import (
    GAS,
    HIGH_EXPLOSIVE,
    SMOKE,
    Company,
    Field,
    Guns,
    Load,
    Soil,
    Troops,
    destroy,
    disperse,
    hallowed,
    plot_of,
)

HALF_HEX_M = 91
"""A company on ground without hexes is no wider than a hex (staging)."""

HIGH_ANGLE = ("howitzer", "mortar")
"""Weapons against which a trench helps less (8.321)."""

QUALITIES = ("green", "average", "veteran")


def firepower(calibre_mm: int, *, rounding: str = "up", before_1897: bool = False) -> int:
    """The firepower of guns by calibre (note to 7.0): a point for 25 mm up to 100 mm, then one for 50 mm.

    ``rounding`` is ``up`` or ``nearest`` (a half goes up). Guns made before 1897 have one less.
    """
    points = Fraction(min(calibre_mm, 100), 25) + Fraction(max(calibre_mm - 100, 0), 50)
    whole = ceil(points) if rounding == "up" else int(points + Fraction(1, 2))
    return whole - int(before_1897)


class RedPoppiesResolution(Marching, Bombarding, Gassing):
    """A check for each unit in the hex."""

    severities: ClassVar[Mapping[str, Severity]] = {
        "no effect": Severity.NONE,
        "dispersed and spent": Severity.SUPPRESSED,
        "destroyed": Severity.DESTROYED,
    }

    # --- staging ---------------------------------------------------------------------------------
    def stage(self, staging: Staging) -> None:
        """Companies for the target's men and the firer's own; firepower by calibre."""
        engagement = staging.engagement
        self._guns(staging, engagement.asset)
        target = engagement.target
        places = staging.target_places()
        men = [target.men // len(places) + (i < target.men % len(places)) for i in range(len(places))]
        extent = Fraction(0)
        if len(places) == 1:
            extent = min(Fraction(min(target.frontage_m, target.depth_m), 2), Fraction(HALF_HEX_M))
        for number, (place, there) in enumerate(zip(places, men, strict=True), start=1):
            self._companies(staging, f"t{number}", staging.target_side, place, there, target, extent)
        if staging.own_place is not None and engagement.own_troops is not None:
            own = Target(nationality=engagement.firer.nationality)
            self._companies(staging, "o", staging.firer, staging.own_place, engagement.own_troops.men, own, Fraction())
        staging.note(
            "infantry companies of up to 150 men with reconstructed cohesion (7 green, 8 average, 9 veteran), "
            "staged as troops of 1914-18 by posture and cover: standing or moving formed, else dispersed"
        )

    def _guns(self, staging: Staging, asset: Asset) -> None:
        if asset.weapon == "rocket":
            staging.cannot("there are no rockets among the off-map artillery of 1914-18 (7.0)")
        strength = firepower(asset.calibre_mm, rounding=self.options["rounding"], before_1897=self.options["old_guns"])
        for mission in staging.assets:
            staging.mission(mission, self.word, facts=Guns(strength, asset.weapon in HIGH_ANGLE))
        staging.note("one group, whatever the number of guns, its firepower by the calibre note of 7.0")

    def _companies(
        self, staging: Staging, name: str, side: str, place: Place, men: int, body: Target, extent: Fraction
    ) -> None:
        count = -(-men // self.number("company_men"))
        if count > self.number("companies_in_a_hex"):
            staging.cannot(f"{men} men in one hex: at most two companies of 150 stand there (3.4)")
            return
        facts = Company(
            int(self.charts["companies"].cell(QUALITIES.index(body.quality), "cohesion")),
            cover=body.cover in ("woods", "buildings") or (body.cover == "open" and body.posture == "dug_in"),
        )
        slot = Troops(
            formed=body.posture in ("standing", "moving"),
            moving=body.posture == "moving",
            inside="trench" if body.cover == "trench" else "",
        )
        for number in range(count):
            strength = men // count + (number < men % count)
            unit = f"{name}.{number + 1}"
            staging.unit(unit, side, place, strength=strength, slot=slot, facts=facts, extent=extent)

    # --- the check -------------------------------------------------------------------------------
    def modifiers(self) -> tuple[Modifier, ...]:
        """Firepower, and one circumstance each of deployment, movement and terrain (6.53, 7.241); gas has fewer."""
        found = [Modifier("resolution.cohesion", "6.53, 7.0, 7.241", "firepower of the group", self._power)]
        for roll, cite in (("resolution.cohesion", "7.241"), ("resolution.gas", "7.511")):
            gas = roll == "resolution.gas"
            found.append(Modifier(roll, cite, "target formed", self._gas_formed if gas else self._formed))
            found.append(Modifier(roll, cite, "target moving", self._gas_moving if gas else self._moving))
            found.append(Modifier(roll, "6.679", "hallowed ground", self._gas_hallowed if gas else self._hallowed))
        terrain = {"blockhouse": "8.31", "trench": "8.32, 8.321", "cover": "8.02, 8.1, 8.2, 8.9", "hill": "8.43"}
        for name, cite in terrain.items():
            found.append(Modifier("resolution.cohesion", cite, f"terrain: {name}", self._terrain(name)))
        found.append(Modifier("resolution.cohesion", "6.53, 7.241", "terrain: afv", self._terrain("afv")))
        return (*found, *self.shot_modifiers(), *self.passage_modifiers())

    @staticmethod
    def _hallowed(view: View, _mission: str, unit: str, _power: int) -> int:
        return hallowed(view, unit)

    @staticmethod
    def _gas_hallowed(view: View, units: tuple[str, ...], _drifts: Drifts) -> int:
        return hallowed(view, units[0])

    def _chart(self, view: View, mission: str, column: str) -> int:
        return int(self.charts["modifiers"].cell(int(view.facts(mission, Guns).high_angle), column))

    @staticmethod
    def _power(_view: View, _mission: str, _unit: str, power: int) -> int:
        return power

    def _formed(self, view: View, mission: str, unit: str, _power: int) -> int:
        return self._chart(view, mission, "formed") if view.unit(unit, Troops).formed else 0

    def _moving(self, view: View, mission: str, unit: str, _power: int) -> int:
        return self._chart(view, mission, "moving") if view.unit(unit, Troops).moving else 0

    def _gas_formed(self, view: View, units: tuple[str, ...], _drifts: Drifts) -> int:
        return int(self.charts["modifiers"].cell(0, "formed")) if view.unit(units[0], Troops).formed else 0

    def _gas_moving(self, view: View, units: tuple[str, ...], _drifts: Drifts) -> int:
        return int(self.charts["modifiers"].cell(0, "moving")) if view.unit(units[0], Troops).moving else 0

    def _terrain(self, name: str) -> Callable[[View, str, str, int], int]:
        """The value of one terrain if the target claims it: of several it takes the best (6.53)."""

        def value(view: View, mission: str, unit: str, _power: int) -> int:
            claims = [(self._chart(view, mission, kind), kind) for kind in self._grounds(view, unit)]
            return min(claims)[0] if claims and min(claims)[1] == name else 0

        return value

    def _grounds(self, view: View, unit: str) -> list[str]:
        """What terrain a unit may claim: works it is IN, cover that is there, a hill if the option says so."""
        inside = view.unit(unit, Troops).inside
        found = [inside] if inside else []
        plot = plot_of(view, unit)
        if plot is None:
            return [*found, "cover"] if view.unit_facts(unit, Company).cover else found
        if plot.covers or view.ground(view.place_of(unit), Soil).scrape:
            found.append("cover")
        if plot.level and self.options["hill_cover"]:
            found.append("hill")
        if self.options["vehicle_cover"] and friendly_vehicle(view, unit):
            found.append("afv")
        return found

    def shelter(self, view: View, unit: str, high_angle: int) -> list[tuple[int, str]]:
        """Works and cover of the hex alone, for fire on the map (6.53)."""
        kinds = (kind for kind in self._grounds(view, unit) if kind not in ("hill", "afv"))
        return [(self.circumstance(kind, high_angle), kind) for kind in kinds]

    # --- fire ------------------------------------------------------------------------------------
    @step(cite="7.51, 7.52")
    def load(self, _chance: Chance, view: View, mission: str, shell: str) -> Effects:
        """What the group has been called to fire; it cannot be changed later."""
        return Effects(update(view.own(mission, Load), shell=shell))

    @step(cite="7.245, 7.246")
    def strike(self, _chance: Chance, view: View, mission: str, place: Place, intensity: Fraction) -> Effects:
        """Every unit in the hex checks, friend or foe; firepower goes with the intensity, fractions up."""
        return Effects(*(self.under_fire(view, mission, unit, intensity) for unit in view.units_at(place)))

    def under_fire(self, view: View, mission: str, unit: str, intensity: Fraction) -> Effects:
        """What a mission's fire does to one unit that it finds, or that enters it; gas and smoke are laid later."""
        if massed_fire(view, mission) is not None:
            return Effects(push("bombard", mission, unit))
        guns = view.facts(mission, Guns)
        if guns.shells and view.own(mission, Load).shell != HIGH_EXPLOSIVE:
            return Effects()
        return Effects(push("check", mission, unit, ceil(guns.firepower * intensity)))

    @step(cite="7.12, 7.51, 7.52")
    def spent(self, _chance: Chance, view: View, mission: str) -> Effects:
        """After all strikes of one fall: wire and scrapes of massed fire, the cloud of gas, the smoke."""
        massed = massed_fire(view, mission)
        if massed is not None:
            return self.after_massed(view, mission, massed)
        shell = view.own(mission, Load).shell if view.facts(mission, Guns).shells else HIGH_EXPLOSIVE
        if shell == GAS:
            return self.release_gas(view, mission)
        if shell == SMOKE:
            return Effects(emit("smoke", "7.52", mission=mission, hexes=self.struck_hexes(view, mission)))
        return Effects()

    @step(cite="3.72, 3.73")
    def check(self, chance: Chance, view: View, mission: str, unit: str, power: int) -> Effects:  # noqa: ARG002
        """The cohesion check of one unit under fire."""
        troops = view.unit(unit, Troops)
        if troops.destroyed:
            return Effects()
        facts = view.unit_facts(unit, Company)
        roll = chance.dice("cohesion", first=d6, second=d6)
        final = roll.total + chance.drm(roll)
        if final >= self.number("deadly"):
            return destroy(view, unit, "3.73")
        if facts.ground is None:
            # Spent passes with the turn and bears on no check, so engagements do not follow it.
            if final > facts.cohesion:
                return disperse(view, unit, "3.72", spend=False, always=True)
            return Effects()
        if final > facts.score(formed=troops.formed):
            return disperse(view, unit, "3.72", spend=True)
        return Effects()

    @step(cite="5.3")
    def administration(self, _chance: Chance, view: View) -> Effects:
        """At the end of a turn nobody is spent or moving any more; gas goes too, if the option says so."""
        fresh = (update(view.unit(unit, Troops), spent=False, moving=False, strayed=False) for unit in view.units)
        field = []
        if self.options["gas_lasts"] == "turn":
            field.append(update(view.shared(Field), gas=()))
        if self.options["fire_on_entry"] == "once_per_marker":
            field.append(update(view.shared(Field), met=()))
        # Only who is activated can have dug: elsewhere nobody's shovel is looked for.
        dug = tuple(unit for unit in view.units if view.unit(unit, Troops).dug) if view.scenario.mobile else ()
        return Effects(*fresh, *field, *((push("shovels", dug),) if dug else ()))

    def questions(self) -> Mapping[str, Question]:
        """Activations, breaches, scrapes, drift."""
        return {
            **self.march_questions(),
            **self.passage_questions(),
            **self.combat_questions(),
            **self.digging_questions(),
            **self.bombardment_questions(),
            **self.gas_questions(),
        }
