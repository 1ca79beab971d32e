"""Checks of units: circumstances on the reference card, terrain that they claim, and what becomes of who fails."""

from collections.abc import Iterable

from fireplan_core import Effects, Place, Resolution, View
from fireplan_core.chance import Reading
from fireplan_core.space import Hex, distance
from fireplan_red_poppies._ground import Ground
from fireplan_red_poppies._troops import Company, Field, Soil, Troops, destroy, disperse, plot_of


def hallowed_by(view: View, unit: str) -> tuple[str, Hex] | None:
    """Return whose ground is hallowed on the unit's map, and where: from before, or by a melee in play (6.679)."""
    ground = view.unit_facts(unit, Company).ground
    if ground is None or ground.hallowed is not None:
        return None if ground is None else ground.hallowed
    return view.shared(Field).hallowed if view.scenario.mobile else None


class Checking(Resolution):
    """Say what all checks of units have in common."""

    def circumstance(self, name: str, high_angle: int = 0) -> int:
        """Return the value of a circumstance on the reference card."""
        return int(self.charts["modifiers"].cell(high_angle, name))

    def hallowed(self, view: View, unit: str) -> int:
        """Return the modifier of a unit in or next to the hex that its side has hallowed (6.679)."""
        found = hallowed_by(view, unit)
        if found is None:
            return 0
        side, at = found
        near = side == view.unit_side(unit) and distance(at, view.place_of(unit)) <= 1
        return self.number("hallowed_drm") if near else 0

    def room(self, ground: Ground | None, place: Place) -> int:
        """Return how many units of a side a hex holds, AFV counted apart: twice as many in a quarry (3.4, 14.0)."""
        quarry = ground is not None and ground.plot(place).quarry
        return int(self.number("quarry_units" if quarry else "companies_in_a_hex"))

    def formed(self, view: View, unit: str, high_angle: int = 0) -> int:
        """Return the modifier of a target that is formed."""
        return self.circumstance("formed", high_angle) if view.unit(unit, Troops).formed else 0

    def moving(self, view: View, unit: str, high_angle: int = 0) -> int:
        """Return the modifier of a target that is moving."""
        return self.circumstance("moving", high_angle) if view.unit(unit, Troops).moving else 0

    def claimed(self, name: str, claims: Iterable[str], high_angle: int = 0) -> int:
        """Return the value of one terrain if it is the best of those that a target may claim (6.53)."""
        value, best = min(((self.circumstance(claim, high_angle), claim) for claim in claims), default=(0, ""))
        return value if best == name else 0

    @staticmethod
    def shelter(view: View, unit: str) -> list[str]:
        """Return the terrain that a unit may claim against any fire: works it is IN, and cover that is there."""
        inside, plot = view.unit(unit, Troops).inside, plot_of(view, unit)
        if plot is None:
            covered = view.unit_facts(unit, Company).cover
        else:
            covered = plot.covers or view.ground(view.place_of(unit), Soil).scrape
        return [*([inside] if inside else []), *(["cover"] if covered else [])]

    @staticmethod
    def beside_vehicle(view: View, unit: str) -> bool:
        """Return whether an AFV of its own side shares the unit's hex; AFV do not shelter behind each other."""
        if view.unit_facts(unit, Company).armoured:
            return False
        return any(
            view.unit_facts(other, Company).armoured
            and view.unit_side(other) == view.unit_side(unit)
            and not view.unit(other, Troops).destroyed
            for other in view.units_at(view.place_of(unit))
        )

    def suffer(self, view: View, unit: str, final: Reading, score: int, *, kills: bool = True) -> Effects:
        """Destroy the unit on the highest totals of a check, disperse and spend it above its cohesion (3.72, 3.73)."""
        if kills and final >= self.number("deadly"):
            return destroy(view, unit, "3.73")
        if final > score:
            return disperse(view, unit, "3.72", spend=True)
        return Effects()
