"""Transport: mules, wagons and trucks that carry a formed unit for one move (6.8).

What it costs to be caught on the way is ``_combat``'s (6.85).
"""

from fireplan_core import Refusal, Resolution, View
from fireplan_core.space import Hex, neighbours
from fireplan_red_poppies._ground import side_of
from fireplan_red_poppies._troops import Company, Field, Troops, cratered, ground_of

TRANSPORT = ("mules", "wagons", "trucks")


class Carrying(Resolution):
    """Say who can be carried where."""

    def allowance(self, view: View, unit: str) -> int:
        """Return a unit's movement: of the face that is up, or of the transport that it uses (6.84)."""
        troops = view.unit(unit, Troops)
        if troops.carried:
            return int(self.number(f"{troops.carried}_movement"))
        face = view.unit_facts(unit, Company).face(formed=troops.formed)
        return 0 if face is None else face.movement

    def refuse_transport(self, view: View, unit: str, kind: str) -> Refusal | None:
        """Return why a unit cannot use such transport for its move (6.82, 6.83)."""
        troops, side, here = view.unit(unit, Troops), view.unit_side(unit), view.place_of(unit)
        ground = ground_of(view, unit)
        groups = sum(group == (side, kind) for group in view.shared(Field).transport)
        used = sum(view.unit_side(u) == side and view.unit(u, Troops).carried == kind for u in view.units)
        if used >= groups:
            return Refusal.of("6.81, 6.83", "transport_used", kind=kind)
        if troops.moving or troops.carried:
            return Refusal.of("6.83", "one_transport")
        if not troops.formed:
            return Refusal.of("6.82", "formed_alone")
        if kind == "wagons" and cratered(view, ground, here):
            return Refusal.of("6.82, 6.84", "wagons_in_craters")
        if kind == "trucks" and not any(side_of(here, to) in ground.roads for to in neighbours(here)):
            return Refusal.of("6.82, 6.84", "trucks_without_road")
        return None

    @staticmethod
    def refuse_carriage(view: View, unit: str, to: Hex) -> Refusal | None:
        """Return why a unit that uses transport cannot enter a hex (6.82, 6.84)."""
        carried, ground = view.unit(unit, Troops).carried, ground_of(view, unit)
        if not carried:
            return None
        if to in view.shared(Field).gas or any(view.unit_side(u) != view.unit_side(unit) for u in view.units_at(to)):
            return Refusal.of("6.82", "transport_kept_out")
        if carried == "wagons" and cratered(view, ground, to):
            return Refusal.of("6.84", "wagons_in_craters")
        if carried == "trucks" and side_of(view.place_of(unit), to) not in ground.roads:
            return Refusal.of("6.84", "trucks_off_road")
        return None
