"""Resolution: the Area Weapons Chart, rolled once for each base in a barrage or air strike.

The figures of the chart are data, read in ``charts``. Damage to terrain (6.4) is in ``damage``, what bases do in
their side's turn in ``manoeuvre``.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import ClassVar

from fireplan_core import Effects, Modifier, Place, Severity, Staging, View, emit, push, step, update
from fireplan_core.chance import Chance, d6
from fireplan_miniatures_1943.bases import Base, BaseProfile
from fireplan_miniatures_1943.chits import flies
from fireplan_miniatures_1943.damage import Damage
from fireplan_miniatures_1943.manoeuvre import Manoeuvre
from fireplan_miniatures_1943.setup import from_engagement, stage
from fireplan_miniatures_1943.terrain import LOSS_RULES, Terrain


class M1943Resolution(Damage, Manoeuvre):
    """One die a base, with cumulative modifiers."""

    severities: ClassVar[Mapping[str, Severity]] = {"K": Severity.DESTROYED, "D": Severity.SUPPRESSED}

    def stage(self, staging: Staging) -> None:
        """Stage an engagement: infantry bases over the target, the firer's own men in a row at their place."""
        stage(self, staging, from_engagement(self, staging))

    def modifiers(self) -> tuple[Modifier, ...]:
        """Return the three of the chart; all that apply are added (6.3.b)."""
        values = self.charts["area_weapons"].modifiers

        def prone(view: View, _mission: str, unit: str) -> int:
            base = view.unit(unit, Base)
            return values["prone"] if base.prone or base.dug_in else 0

        def hard_cover(view: View, _mission: str, unit: str) -> int:
            return values["hard_cover"] if view.unit(unit, Base).hard_cover else 0

        def personnel(view: View, _mission: str, unit: str) -> int:
            return values["personnel"] if view.unit_facts(unit, BaseProfile).personnel else 0

        roll = "resolution.area_weapons"
        return (
            Modifier(roll, "6.3.c", "target prone", prone),
            Modifier(roll, "6.3.d, 6.3.e", "target in solid or hard cover", hard_cover),
            Modifier(roll, "6.3.f", "personnel target", personnel),
            *super().modifiers(),
        )

    @step(cite="6.2.e, 6.2.g")
    def strike(self, _chance: Chance, view: View, mission: str, place: Place, _intensity: Fraction) -> Effects:
        """Let every base there roll once, of either side; the chart knows no density of fire."""
        follows = "caught" if view.scenario.mobile else "roll"
        return Effects(*(push(follows, mission, unit) for unit in view.units_at(place)))

    @step(cite="6.2.f, 6.2.g")
    def caught(self, _chance: Chance, view: View, mission: str, unit: str) -> Effects:
        """Let a base in a barrage, or one that moves into it or inside it, roll unless it has rolled for it."""
        if mission in view.unit(unit, Base).rolled or view.place_of(unit) is None:
            return Effects()
        return Effects(push("roll", mission, unit))

    @step(cite="6.3.a, 6.3.b")
    def roll(self, chance: Chance, view: View, mission: str, unit: str) -> Effects:
        """Roll for one base on the Area Weapons Chart."""
        base = view.unit(unit, Base)
        before = base.state
        if before is Severity.DESTROYED:
            return Effects()
        mobile = view.scenario.mobile
        roll = chance.dice("area_weapons", die=d6)
        modifier = chance.drm(roll)
        natural = roll.total.look_up(self._wrecking) if mobile and self._wrecks(view, mission) else None
        result = (roll.total + modifier).look_up(self._severity)
        # For this barrage the base rolls no more, and terrain may be lost.
        noted = update(base, rolled=base.rolled | {mission}) if mobile else []
        if natural is not None:
            noted += update(base, wrecks=(*base.wrecks, (natural, view.place_of(unit))))
        if result <= before:
            return Effects(noted)
        suffered = Effects(noted, update(base, state=result), emit("suffered", "6.3.a", unit=unit, severity=result))
        if result is not Severity.DESTROYED or not mobile:
            return suffered
        return Effects(suffered, update(base, removed_at=view.place_of(unit)), update(view.unit_neutral(unit), place=None))

    def _wrecks(self, view: View, mission: str) -> bool:
        """Return whether natural rolls of this fire destroy terrain (6.4.f, 6.4.h): a barrage's, where there is any."""
        if not view.shared(Terrain).segments:
            return False
        return not flies(view, mission) or bool(self.options["strike_terrain"])

    def _wrecking(self, face: int) -> int | None:
        """Return a natural roll that destroys terrain, None for others."""
        return face if any(self.number(rule.number) == face for rule in LOSS_RULES) else None

    def _severity(self, roll: int) -> Severity:
        """Return what the chart says of a modified roll."""
        result = self.charts["area_weapons"].result(roll)
        if result == "D" and not self.options["d_results"]:
            return Severity.NONE
        return self.severities.get(result, Severity.NONE)

    @step(cite="6.2.d, 6.4.j")
    def fire_phase(self, _chance: Chance, _view: View, side: str) -> Effects:
        """Change the terrain once a side's barrage rolls are done; then the side fires directly."""
        return Effects(push("damage"), push("firing", side))

    @step(cite="6.2.g")
    def forget(self, _chance: Chance, view: View, mission: str) -> Effects:
        """Forget a marker that is off the table: its chit may come again as another barrage."""
        bases = [view.unit(unit, Base) for unit in view.units]
        return Effects(*(update(base, rolled=base.rolled - {mission}) for base in bases if mission in base.rolled))
