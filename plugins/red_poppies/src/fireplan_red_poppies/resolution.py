"""Resolution of Red Poppies: cohesion checks under fire for effect (3.72, 3.73, 7.241, 7.245).

Each unit checks by itself: 2d6 plus firepower and circumstances against its cohesion. Values of units are
reconstructed test values: the counters are not in the rules. Massed fire, gas and moves are in modules of their
own (``_bombardment``, ``_gas``, ``_march``) and join here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from math import ceil
from typing import ClassVar

from fireplan_core import Effects, Modifier, Place, Question, Severity, Staging, View, emit, push, step, update
from fireplan_core.chance import Chance, d6
from fireplan_red_poppies._bombardment import Bombarding, massed_fire
from fireplan_red_poppies._combat import friendly_vehicle
from fireplan_red_poppies._gas import Drifts, Gassing
from fireplan_red_poppies._march import Marching
from fireplan_red_poppies._setup import Forces, Staged
from fireplan_red_poppies._troops import (
    FOOT,
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


class RedPoppiesResolution(Staged, Marching, Bombarding, Gassing):
    """A check for each unit in the hex."""

    severities: ClassVar[Mapping[str, Severity]] = {
        "no effect": Severity.NONE,
        "dispersed and spent": Severity.SUPPRESSED,
        "destroyed": Severity.DESTROYED,
    }

    # --- setting up ------------------------------------------------------------------------------
    def set_up(self, staging: Staging, forces: Forces) -> None:
        """Set up the units, no more in a hex than may be (3.4), and the guns of groups."""
        ground = forces.ground
        staging.share(self.word, Field(stops=() if ground is None else tuple(sorted(ground.stops))))
        for name, one in forces.units.items():
            slot, facts = one.slots[self.word], one.facts[self.word]
            for reason in self._misplaced(one.place, slot.inside, facts):
                staging.cannot(f"{name}: {reason}")
            staging.unit(
                name, one.side, one.place, strength=one.strength, slot=slot, facts=facts, extent=one.extent
            )  # fmt: skip
        stacks = Counter((one.place, one.side, one.facts[self.word].armoured) for one in forces.units.values())
        for (place, side, armoured), count in stacks.items():
            if count > self.number("companies_in_a_hex"):
                what = "AFV" if armoured else "units other than AFV"
                staging.cannot(f"{staging.frame.label(place)}: {count} {what} of {side}, two at most (3.4)")
        for massed in forces.massed:
            staging.mission(massed.name, self.word, facts=massed)
        for group in forces.groups:
            guns = Guns(group.firepower, group.howitzers, group.choices, ground)
            staging.mission(group.name, self.word, Load(shell=group.loaded), guns)

    @staticmethod
    def _misplaced(place: Place, inside: str, company: Company) -> Iterator[str]:
        """Yield why a unit cannot be where it is put (2.2, 8.31, 8.321); ground that is declared has room for all."""
        ground, kind = company.ground, company.type
        if ground is None:
            return
        label = ground.layout.label(place)
        if not ground.in_play(place):
            yield f"{label} is not in play (2.2)"
        if inside and not getattr(ground.plot(place), inside):
            yield f"there is no {inside} in {label} (8.3)"
        if inside == "blockhouse" and kind != "machine_gun":
            yield "only machine guns can be IN a blockhouse (8.31)"
        if inside == "trench" and kind not in FOOT:
            yield "only guns and infantry can be IN a trench (8.321)"

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
