"""Resolution: every base in a barrage or air strike rolls once; then terrain is lost, and bases fire directly.

The roll is in ``weapons``, damage to terrain (6.4) in ``damage``, what bases do in their side's turn in ``manoeuvre``.
"""

from __future__ import annotations

from fireplan_core import Effects, FireKind, Place, Shot, Staging, View, push, step, update
from fireplan_core.chance import Chance
from fireplan_miniatures_1943.bases import Base
from fireplan_miniatures_1943.damage import Damage
from fireplan_miniatures_1943.setup import from_engagement, stage_part


class M1943Resolution(Damage):
    """What barrages and air strikes do to bases and to the ground."""

    def stage(self, staging: Staging) -> None:
        """Stage an engagement: infantry bases over the target, the firer's own men in a row at their place."""
        stage_part(self, staging, from_engagement(self, staging))

    @step(cite="6.2.e, 6.2.g")
    def strike(self, chance: Chance, view: View, mission: str, place: Place, shot: Shot) -> Effects:
        """Let every base there roll once, of either side; the chart knows no density of fire, smoke hurts nobody."""
        if shot.kind is FireKind.SMOKE:
            return Effects()
        follows = self.caught if view.scenario.mobile else self.roll
        return Effects(*(push(follows, mission, unit) for unit in view.units_at(place)))

    @step(cite="6.2.d, 6.4.j")
    def fire_phase(self, chance: Chance, view: View, side: str) -> Effects:
        """Change the terrain once a side's barrage rolls are done; then the side fires directly."""
        return Effects(push(self.damage), push(self.shoot, side))

    @step(cite="6.2.g")
    def closed(self, chance: Chance, view: View, mission: str) -> Effects:
        """Forget a marker that is off the table: its chit may come again as another barrage."""
        bases = [view.unit(unit, Base) for unit in view.units] if view.scenario.mobile else []
        return Effects(*(update(base, rolled=base.rolled - {mission}) for base in bases if mission in base.rolled))
