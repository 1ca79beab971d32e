"""The Area Weapons Chart: one die a base, with cumulative modifiers (6.3).

The figures of the chart are data, read in ``charts``.
"""

from collections.abc import Mapping
from typing import ClassVar

from fireplan_core import Effects, Modifier, Resolution, Severity, View, emit, push, step, update
from fireplan_core.chance import Chance, Roll, d6
from fireplan_miniatures_1943.bases import Base, BaseProfile
from fireplan_miniatures_1943.chits import flies
from fireplan_miniatures_1943.terrain import LOSS_RULES, kinds_near, segments_left


class AreaFire(Resolution):
    """Rolls for bases in a barrage or air strike."""

    severities: ClassVar[Mapping[str, Severity]] = {"K": Severity.DESTROYED, "D": Severity.SUPPRESSED}

    def modifiers(self) -> tuple[Modifier, ...]:
        """Return the three of the chart; all that apply are added (6.3.b)."""
        values = self.charts["area_weapons"].modifiers

        def lies(view: View, _mission: str, unit: str) -> int:
            base = view.unit(unit, Base)
            return values["prone"] if base.prone or base.dug_in else 0

        def covered(view: View, _mission: str, unit: str) -> int:
            return values["hard_cover"] if view.unit(unit, Base).hard_cover else 0

        def person(view: View, _mission: str, unit: str) -> int:
            return values["personnel"] if view.unit_facts(unit, BaseProfile).personnel else 0

        return (
            Modifier("area_weapons", "6.3.c", "target prone", lies),
            Modifier("area_weapons", "6.3.d, 6.3.e", "target in solid or hard cover", covered),
            Modifier("area_weapons", "6.3.f", "personnel target", person),
        )

    @step(cite="6.2.f, 6.2.g")
    def caught(self, chance: Chance, view: View, mission: str, unit: str) -> Effects:
        """Let a base in a barrage, or one that moves into it or inside it, roll unless it has rolled for it."""
        if mission in view.unit(unit, Base).rolled or view.place_of(unit) is None:
            return Effects()
        return Effects(push(self.roll, mission, unit))

    @step(cite="6.3.a, 6.3.b")
    def roll(self, chance: Chance, view: View, mission: str, unit: str) -> Effects:
        """Roll for one base on the Area Weapons Chart."""
        base = view.unit(unit, Base)
        before = base.state
        if before is Severity.DESTROYED:
            return Effects()
        roll = chance.dice("area_weapons", die=d6)
        modifier = chance.drm(roll)
        noted = self._noted(view, mission, unit, roll) if view.scenario.mobile else Effects()
        result = (roll.total + modifier).look_up(self._severity)
        if result <= before:
            return noted
        suffered = emit("suffered", "6.3.a", unit=unit, severity=result)
        worse = Effects(noted, update(base, state=result), suffered)
        if result is not Severity.DESTROYED or not view.scenario.mobile:
            return worse
        removed = update(base, removed_at=view.place_of(unit))
        return Effects(worse, removed, update(view.unit_neutral(unit), place=None))

    def _noted(self, view: View, mission: str, unit: str, roll: Roll) -> Effects:
        """Note that for this barrage the base rolls no more, and a natural roll by which terrain may be lost."""
        base, at = view.unit(unit, Base), view.place_of(unit)
        rolled = update(base, rolled=base.rolled | {mission})
        if flies(view, mission) and not self.options["strike_terrain"]:
            return Effects(rolled)
        natural = roll.total.look_up(lambda face: face if self._wrecks(view, unit, face) else None)
        if natural is None:
            return Effects(rolled)
        return Effects(rolled, update(base, wrecks=tuple(sorted((*base.wrecks, (natural, at))))))

    def _wrecks(self, view: View, unit: str, face: int) -> bool:
        """Return whether a roll of a base destroys terrain near it that its earlier ones leave (6.4.f, 6.4.h)."""
        kinds = [kind for rule in LOSS_RULES if self.number(rule.number) == face for kind in rule.kinds]
        if not kinds or not segments_left(view):
            return False
        at = view.place_of(unit)
        ground = view.unit_facts(unit, BaseProfile).at(at)
        near = kinds_near(ground, segments_left(view), within=self.number("terrain_yards"))
        earlier = view.unit(unit, Base).wrecks.count((face, at))
        return any(near.count(kind) > earlier for kind in kinds)

    def _severity(self, roll: int) -> Severity:
        """Return what the chart says of a modified roll."""
        result = self.charts["area_weapons"].result(roll)
        if result == "D" and not self.options["d_results"]:
            return Severity.NONE
        return self.severities.get(result, Severity.NONE)
