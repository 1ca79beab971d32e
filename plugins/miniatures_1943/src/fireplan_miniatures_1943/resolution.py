"""Resolution: the Area Weapons Chart, rolled once for each base in a barrage or air strike.

The figures of the chart are data, read in ``charts``. Damage to terrain (6.4) is in ``damage``.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import ClassVar

from fireplan_core import Effects, Modifier, Place, Question, Severity, Staging, Update, View, emit, push, step, update
from fireplan_core.chance import Chance, d6
from fireplan_miniatures_1943.bases import METRES_PER_YARD, BaseFacts, footprint, spread
from fireplan_miniatures_1943.chits import Chit
from fireplan_miniatures_1943.damage import Base, Damage, Terrain
from fireplan_miniatures_1943.terrain import WRECKED

HARD_COVER = ("buildings", "trench")
"""Cover that is solid or hard; woods never are (6.3.e)."""


class M1943Resolution(Damage):
    """One die a base, with cumulative modifiers."""

    severities: ClassVar[Mapping[str, Severity]] = {"K": Severity.DESTROYED, "D": Severity.SUPPRESSED}

    def stage(self, staging: Staging) -> None:
        """Infantry bases of 20 men spread over the target; the firer's own men in a row at their place."""
        target = staging.engagement.target
        width, depth = (yards * METRES_PER_YARD for yards in footprint(self.options["base"]))
        facts = BaseFacts(personnel=True)
        stance = stance_of(target.posture, target.cover)
        self.note_chart(staging)
        if target.posture == "dug_in":
            staging.note("dug-in bases are taken as hastily dug in, which counts as prone")
        a_base = self.number("men_per_base")
        bases = -(-target.men // a_base)
        points, fit = spread(bases, Fraction(target.frontage_m), Fraction(target.depth_m), (width, depth))
        if not fit:
            staging.note("the target's bases overlap: it is denser than bases can stand")
        for number, (east, south) in enumerate(points):
            men = min(a_base, target.men - number * a_base)
            place = staging.at(float(east), float(south))
            staging.unit(f"base {number + 1}", staging.target_side, place, strength=men, slot=stance, facts=facts)
        own = staging.engagement.own_troops
        if own is not None:
            staging.note("the firer's own men are taken as standing in the open")
            count = -(-own.men // a_base)
            for number in range(count):
                place = staging.at(float(width * (2 * number + 1 - count) / 2), -float(own.distance_m))
                staging.unit(
                    f"own base {number + 1}",
                    staging.firer,
                    place,
                    strength=min(a_base, own.men - number * a_base),
                    slot=Base(),
                    facts=facts,
                )

    def note_chart(self, staging: Staging) -> None:
        """Say so when the Area Weapons Chart is not the printed one."""
        words = {"reconstructed": "reconstructed", "user": "the user's"}
        if kind := words.get(self.charts["area_weapons"].provenance):
            staging.note(f"the Area Weapons Chart is {kind}")

    def questions(self) -> dict[str, Question]:
        """``displace``: whether a base leaves ground that was just wrecked."""
        return self.displacing()

    def modifiers(self) -> tuple[Modifier, ...]:
        """The three of the chart; all that apply are added (6.3.b)."""
        values = self.charts["area_weapons"].modifiers

        def prone(view: View, _mission: str, unit: str) -> int:
            base = view.unit(unit, Base)
            return values["prone"] if base.prone or base.dug_in else 0

        def hard_cover(view: View, _mission: str, unit: str) -> int:
            return values["hard_cover"] if view.unit(unit, Base).hard_cover else 0

        def personnel(view: View, _mission: str, unit: str) -> int:
            return values["personnel"] if view.unit_facts(unit, BaseFacts).personnel else 0

        roll = "resolution.area_weapons"
        return (
            Modifier(roll, "6.3.c", "target prone", prone),
            Modifier(roll, "6.3.d, 6.3.e", "target in solid or hard cover", hard_cover),
            Modifier(roll, "6.3.f", "personnel target", personnel),
        )

    @step(cite="6.2.f, 6.2.g")
    def caught(self, _chance: Chance, view: View, mission: str, unit: str) -> Effects:
        """A base moves into a barrage or inside one: it rolls at once, unless it has rolled for that barrage."""
        if mission in view.unit(unit, Base).rolled or view.place_of(unit) is None:
            return Effects()
        return Effects(push("roll", mission, unit))

    @step(cite="6.2.h")
    def posture(self, _chance: Chance, view: View, unit: str, prone: bool) -> Effects:  # noqa: FBT001 - an argument of a step
        """A base goes prone or stands up: no move, no roll."""
        return Effects(update(view.unit(unit, Base), prone=prone), emit("posture", "6.2.h", unit=unit, prone=prone))

    @step(cite="6.2.e, 6.2.g")
    def strike(self, _chance: Chance, view: View, mission: str, place: Place, _intensity: Fraction) -> Effects:
        """Every base there rolls once, of either side; the chart knows no density of fire."""
        units = view.units_at(place)
        if view.scenario.mobile:
            return Effects(*(push("caught", mission, unit) for unit in units))
        return Effects(*(push("roll", mission, unit) for unit in units))

    @step(cite="6.3.a, 6.3.b")
    def roll(self, chance: Chance, view: View, mission: str, unit: str) -> Effects:
        """One base rolls on the Area Weapons Chart."""
        base = view.unit(unit, Base)
        before = base.state
        if before is Severity.DESTROYED:
            return Effects()
        roll = chance.dice("area_weapons", die=d6)
        modifier = chance.drm(roll)
        natural = roll.total.look_up(_natural) if self._wrecks(view, mission) else None
        result = (roll.total + modifier).look_up(self._severity)
        noted = self._noted(view, mission, unit, natural) if view.scenario.mobile else []
        if result <= before:
            return Effects(*noted)
        suffered = emit("suffered", "6.3.a", unit=unit, severity=result)
        gone = result is Severity.DESTROYED and view.scenario.mobile
        removed = [update(base, removed_at=view.place_of(unit)), update(view.unit_neutral(unit), place=None)] if gone else []
        return Effects(*noted, update(base, state=result), suffered, *removed)

    def _wrecks(self, view: View, mission: str) -> bool:
        """Whether natural rolls of this fire destroy terrain (6.4.f, 6.4.h): a barrage's, where there is any."""
        if not view.scenario.mobile or not view.shared(Terrain).segments:
            return False
        strike = view.scenario.missions[mission].facts.get(self.word) is Chit.AIR_STRIKE
        return not strike or bool(self.options["strike_terrain"])

    def _noted(self, view: View, mission: str, unit: str, natural: int | None) -> list[list[Update]]:
        """The roll is remembered: for this barrage the base rolls no more, and terrain may be lost."""
        base = view.unit(unit, Base)
        noted = [update(base, rolled=base.rolled | {mission})]
        if natural is not None:
            noted.append(update(base, wrecks=(*base.wrecks, (natural, view.place_of(unit)))))
        return noted

    @step(cite="6.2.g")
    def forget(self, _chance: Chance, view: View, mission: str) -> Effects:
        """A marker is off the table: its chit may come again as another barrage."""
        bases = [view.unit(unit, Base) for unit in view.units]
        return Effects(*(update(base, rolled=base.rolled - {mission}) for base in bases if mission in base.rolled))

    def _severity(self, roll: int) -> Severity:
        """What the chart says of a modified roll."""
        result = self.charts["area_weapons"].result(roll)
        if result == "D" and not self.options["d_results"]:
            return Severity.NONE
        return self.severities.get(result, Severity.NONE)


def stance_of(posture: str, cover: str) -> Base:
    """How a base of this posture in this cover starts."""
    return Base(prone=posture == "prone", dug_in=posture == "dug_in", hard_cover=cover in HARD_COVER)


def _natural(face: int) -> int | None:
    """A face that destroys terrain, else None."""
    return face if face in WRECKED else None
