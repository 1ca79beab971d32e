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

    # --- the end of a turn -----------------------------------------------------------------------
    @step(cite="5.3")
    def closing(self, chance: Chance, view: View) -> Effects:
        """End a turn: nobody is spent or moving any more, and gas goes too, if the option says so."""
        fresh = (update(view.unit(unit, Troops), spent=False, moving=False, strayed=False) for unit in view.units)
        field = view.shared(Field)
        # Only who is activated can have dug: elsewhere nobody's shovel is looked for.
        dug = tuple(unit for unit in view.units if view.unit(unit, Troops).dug) if view.scenario.mobile else ()
        return Effects(
            *fresh,
            *([update(field, gas=())] if self.options["gas_lasts"] == "turn" else []),
            *([update(field, met=())] if self.options["fire_on_entry"] == "once_per_marker" else []),
            *([push(self.shovels, dug)] if dug else []),
        )
