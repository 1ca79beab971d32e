"""Resolution: the Area Weapons Chart, rolled once for each base in a barrage or air strike.

The figures of the chart are data, read in ``charts``. Damage to terrain (6.4) is not here.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import ClassVar

import attrs

from fireplan.chance import Chance, d6
from fireplan.mission import (
    Modifier,
    Place,
    Resolution,
    Severity,
    Staging,
    Then,
    View,
    push,
    put,
    record,
    step,
    tell,
)
from fireplan_miniatures_1943.bases import MEN, METRES_PER_YARD, footprint, spread
from fireplan_miniatures_1943.charts import ROW

HARD_COVER = ("buildings", "trench")
"""Cover that is solid or hard; woods never are (6.3.e)."""


@record
class Base:
    """The worst that befell a base: disrupted, removed.

    When a disrupted base recovers belongs to its owner's turn and is not followed.
    """

    state: Severity = Severity.NONE


@attrs.frozen
class BaseFacts:
    """What the chart asks about a base (6.3.c, 6.3.d, 6.3.f)."""

    prone: bool
    hard_cover: bool
    personnel: bool


class M1943Resolution(Resolution):
    """One die a base, with cumulative modifiers."""

    severities: ClassVar[Mapping[str, Severity]] = {"K": Severity.DESTROYED, "D": Severity.SUPPRESSED}

    def stage(self, staging: Staging) -> None:
        """Infantry bases of 20 men spread over the target; the firer's own men in a row at their place."""
        target = staging.engagement.target
        width, depth = (yards * METRES_PER_YARD for yards in footprint(self.options["base"]))
        facts = BaseFacts(
            prone=target.posture in ("prone", "dug_in"),
            hard_cover=target.cover in HARD_COVER,
            personnel=True,
        )
        if self.charts["area_weapons"].provenance == "reconstructed":
            staging.note("the Area Weapons Chart is reconstructed")
        if target.posture == "dug_in":
            staging.note("dug-in bases are taken as hastily dug in, which counts as prone")
        bases = -(-target.men // MEN)
        points, fit = spread(bases, Fraction(target.frontage_m), Fraction(target.depth_m), (width, depth))
        if not fit:
            staging.note("the target's bases overlap: it is denser than bases can stand")
        for number, (east, south) in enumerate(points):
            men = min(MEN, target.men - number * MEN)
            place = staging.at(float(east), float(south))
            staging.unit(f"base {number + 1}", staging.target_side, place, strength=men, slot=Base(), facts=facts)
        own = staging.engagement.own_troops
        if own is not None:
            staging.note("the firer's own men are taken as standing in the open")
            count = -(-own.men // MEN)
            for number in range(count):
                place = staging.at(float(width * (2 * number + 1 - count) / 2), -float(own.distance_m))
                staging.unit(
                    f"own base {number + 1}",
                    staging.firer,
                    place,
                    strength=min(MEN, own.men - number * MEN),
                    slot=Base(),
                    facts=BaseFacts(prone=False, hard_cover=False, personnel=True),
                )

    def modifiers(self) -> tuple[Modifier, ...]:
        """The three of the chart; all that apply are added (6.3.b)."""

        def modifier(cite: str, gist: str, name: str) -> Modifier:
            value = int(self.charts["area_weapons_modifiers"].cell(ROW, name))

            def applies(view: View, _mission: str, unit: str) -> int:
                return value if getattr(view.unit_facts(unit, BaseFacts), name) else 0

            return Modifier("resolution.area_weapons", cite, gist, applies)

        return (
            modifier("6.3.c", "target prone", "prone"),
            modifier("6.3.d, 6.3.e", "target in solid or hard cover", "hard_cover"),
            modifier("6.3.f", "personnel target", "personnel"),
        )

    @step(cite="6.2.e")
    def strike(self, _chance: Chance, view: View, mission: str, place: Place, _intensity: Fraction) -> Then:
        """Every base there rolls once, of either side; the chart knows no density of fire."""
        return Then(*(push("roll", mission, unit) for unit in view.units_at(place)))

    @step(cite="6.3.a, 6.3.b")
    def roll(self, chance: Chance, view: View, _mission: str, unit: str) -> Then:
        """One base rolls on the Area Weapons Chart."""
        base = view.unit(unit, Base)
        before = base.state
        if before is Severity.DESTROYED:
            return Then()
        roll = chance.dice("area_weapons", die=d6)
        result = (roll.total + chance.drm(roll)).look_up(self._severity)
        if result <= before:
            return Then()
        return Then(put(base, state=result), tell("suffered", "6.3.a", unit=unit, severity=result))

    def _severity(self, roll: int) -> Severity:
        """What the chart says of a modified roll."""
        result = self.charts["area_weapons"].cell(roll, "result")
        if result == "D" and not self.options["d_results"]:
            return Severity.NONE
        return self.severities.get(result, Severity.NONE)
