"""Fire for effect on the units under it: cohesion checks, gas, smoke and massed fire (3.72, 3.73, 7.241, 7.245).

Each unit checks by itself: 2d6 plus firepower and circumstances against its cohesion.
"""

from collections.abc import Callable
from math import ceil

from fireplan_core import Effects, FireKind, Modifier, Place, Shot, View, emit, push, step
from fireplan_core.chance import Chance, d6
from fireplan_red_poppies._bombardment import Bombarding
from fireplan_red_poppies._gas import Gassing, struck_hexes
from fireplan_red_poppies._massed import massed_fire
from fireplan_red_poppies._troops import Company, Guns, Troops, disperse, plot_of

TERRAIN = {
    "blockhouse": "8.31", "trench": "8.321", "cover": "8.02, 8.1, 8.2, 8.9", "hill": "8.43", "afv": "6.53, 7.241",
}  # fmt: skip


class FireForEffect(Gassing, Bombarding):
    """Steps of fire for effect."""

    def modifiers(self) -> tuple[Modifier, ...]:
        """Return firepower, and one circumstance each of deployment, movement and terrain (6.53, 7.241)."""
        named: tuple[tuple[str, str, Callable[[View, str, str, int], int]], ...] = (
            ("6.53, 7.0, 7.241", "firepower of the group", lambda _view, _mission, _unit, power: power),
            ("7.241", "target formed", lambda view, mission, unit, _: self.formed(view, unit, _high(view, mission))),
            ("7.241", "target moving", lambda view, mission, unit, _: self.moving(view, unit, _high(view, mission))),
            ("6.679", "hallowed ground", lambda view, _mission, unit, _: self.hallowed(view, unit)),
            *((cite, f"terrain: {name}", self._terrain(name)) for name, cite in TERRAIN.items()),
        )
        return (*super().modifiers(), *(Modifier("cohesion", *entry) for entry in named))

    def _terrain(self, name: str) -> Callable[[View, str, str, int], int]:
        return lambda view, mission, unit, _: self.claimed(name, self._claims(view, unit), _high(view, mission))

    def _claims(self, view: View, unit: str) -> list[str]:
        """Return the terrain that a unit may claim: shelter, an AFV beside it, a hill if the option says so."""
        found, plot = self.shelter(view, unit), plot_of(view, unit)
        if plot is not None and plot.level and self.options["hill_cover"]:
            found.append("hill")
        if plot is not None and self.options["vehicle_cover"] and self.beside_vehicle(view, unit):
            found.append("afv")
        return found

    @step(cite="7.245, 7.246")
    def strike(self, chance: Chance, view: View, mission: str, place: Place, shot: Shot) -> Effects:
        """Attack every unit in the hex, friend or foe; firepower goes with the strength, fractions up."""
        return Effects(*(self.under_fire(view, mission, unit, shot) for unit in view.units_at(place)))

    def under_fire(self, view: View, mission: str, unit: str, shot: Shot) -> Effects:
        """Attack one unit that a mission's fire finds, or that enters it; gas and smoke are laid later."""
        if massed_fire(view, mission) is not None:
            return Effects(push(self.bombard, mission, unit))
        if shot.kind is not FireKind.HE:
            return Effects()
        return Effects(push(self.check, mission, unit, ceil(view.facts(mission, Guns).firepower * shot.strength)))

    @step(cite="7.12, 7.51, 7.52")
    def spent(self, chance: Chance, view: View, mission: str) -> Effects:
        """Lay what comes after all strikes of one fall: breaches and scrapes of massed fire, gas, smoke."""
        massed, kind = massed_fire(view, mission), view.mission(mission).kind
        if massed is not None:
            return self.after_massed(view, mission, massed)
        if kind is FireKind.GAS:
            return self.release_gas(view, mission)
        if kind is FireKind.SMOKE:
            return Effects(emit("smoke", "7.52", mission=mission, hexes=struck_hexes(view, mission)))
        return Effects()

    @step(cite="3.72, 3.73")
    def check(self, chance: Chance, view: View, mission: str, unit: str, power: int) -> Effects:
        """Check the cohesion of one unit under fire."""
        troops, facts = view.unit(unit, Troops), view.unit_facts(unit, Company)
        if troops.destroyed:
            return Effects()
        roll = chance.dice("cohesion", first=d6, second=d6)
        final = roll.total + chance.drm(roll)
        if facts.ground is None and final < self.number("deadly"):
            # Spent passes with the turn and bears on no check, so engagements do not follow it.
            failed = final > facts.cohesion
            return disperse(view, unit, "3.72", spend=False, always=True) if failed else Effects()
        return self.suffer(view, unit, final, facts.score(formed=troops.formed))


def _high(view: View, mission: str) -> int:
    return int(view.facts(mission, Guns).high_angle)
