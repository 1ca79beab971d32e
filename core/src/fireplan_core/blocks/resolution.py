"""Ready resolution: troops staged from an engagement; a result looked up in a chart, or a check against a score."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import ClassVar

import attrs

from fireplan_core import cycle
from fireplan_core.blocks._ready import Ready
from fireplan_core.chance import Chance, Die, d6
from fireplan_core.mission import Reason, Severity, Shot
from fireplan_core.record import Place, kept, record
from fireplan_core.resolution import Resolution
from fireplan_core.scenario.staging import Staging
from fireplan_core.steps.effects import Effects, emit, push, step, update
from fireplan_core.steps.part import Keeps
from fireplan_core.steps.view import View


@record
class Losses:
    """The worst that has befallen a unit."""

    worst: Severity = kept(Severity.NONE, "the worst that has befallen the unit", "strike")


@attrs.frozen
class Troops:
    """Say what does not change about a unit, in the words of an engagement."""

    cover: str = "open"
    posture: str = "prone"
    quality: str = "average"


class _Units(Ready, Resolution):
    """The target is spread as units of ``men_a_unit`` men over its rectangle, each attacked by itself."""

    needs: ClassVar[tuple[str, ...]] = ("strike",)
    least: ClassVar[Mapping[str, int]] = {"men_a_unit": 1}
    men_a_unit: int = 10
    keeps = Keeps(units=(Losses,))

    def stage(self, staging: Staging) -> None:
        """Spread the target over its rectangle; the firer's own troops stand at one place."""
        target = staging.engagement.target
        troops = Troops(target.cover, target.posture, target.quality)
        for number, (place, men) in enumerate(staging.bodies(max(1, round(target.men / self.men_a_unit))), start=1):
            self.stage_unit(staging, f"t{number}", staging.target_side, place, men, troops)
        own = staging.engagement.own_troops
        if own is not None and staging.own_place is not None:
            self.stage_unit(staging, "o1", staging.firer, staging.own_place, own.men, Troops())

    def stage_unit(self, staging: Staging, unit: str, side: str, place: Place, men: int, troops: Troops) -> None:
        """Stage one unit, unharmed."""
        staging.unit(unit, side, place, strength=men, slot=Losses(), facts=troops)

    @step(cite="strike")
    def strike(self, chance: Chance, view: View, mission: str, place: Place, shot: Shot) -> Effects:
        """Attack every unit at the place."""
        return Effects(*(push(self.attack, mission, unit, shot.strength) for unit in view.units_at(place)))

    def attack(self, chance: Chance, view: View, mission: str, unit: str, strength: Fraction) -> Effects:
        """Attack one unit with fire of that strength."""
        raise NotImplementedError

    def suffer(self, view: View, unit: str, severity: Severity) -> Effects:
        """The unit is worse off, unless it was already."""
        own = view.unit(unit, Losses)
        if severity <= own.worst:
            return Effects()
        return Effects(
            update(own, worst=severity), emit("suffered", self.cites["strike"], unit=unit, severity=severity)
        )


class TableLookUp(_Units):
    """Dice are thrown for each unit and their sum looked up in the chart named ``chart``.

    Entries are the keys of ``severities``. Modifiers are registered for ``resolution.attack``.
    """

    chart: str
    dice: ClassVar[Mapping[str, Die]] = {"coloured": d6, "white": d6}

    def column(self, view: View, mission: str, unit: str, strength: Fraction) -> str:
        """Return the column for this attack: by default the first one for normal, the last for weaker fire."""
        columns = self.charts[self.chart].columns
        return str(columns[0] if strength >= 1 else columns[-1])

    @step(cite="strike")
    def attack(self, chance: Chance, view: View, mission: str, unit: str, strength: Fraction) -> Effects:
        """Throw and look up."""
        column = self.charts[self.chart].column(self.column(view, mission, unit, strength))
        roll = chance.dice("attack", **self.dice)
        severities = self.severities
        severity = (roll.total + chance.drm(roll)).look_up(lambda total: severities[column(total)])
        return self.suffer(view, unit, severity)


class ScoreCheck(_Units):
    """Each unit throws dice against its score; every check failed makes it worse by one step.

    A check fails above the score. Modifiers are registered for ``resolution.check``.
    """

    dice: ClassVar[Mapping[str, Die]] = {"coloured": d6, "white": d6}
    score: int

    def score_of(self, view: View, unit: str) -> int:
        """Return the score of a unit; override to look it up."""
        return self.score

    @step(cite="strike")
    def attack(self, chance: Chance, view: View, mission: str, unit: str, strength: Fraction) -> Effects:
        """Have the unit check."""
        return Effects(push(self.check, unit))

    @step(cite="strike")
    def check(self, chance: Chance, view: View, unit: str) -> Effects:
        """Pass, or be worse off."""
        worst = view.unit(unit, Losses).worst
        if worst is Severity.DESTROYED:
            return Effects()
        score = self.score_of(view, unit)
        roll = chance.dice("check", **self.dice)
        if roll.total + chance.drm(roll) <= score:
            return Effects()
        return self.suffer(view, unit, Severity(worst + 1))


class Depletion(_Units):
    """After each fall dice are thrown; ``depleted`` or less and the asset has fired its last.

    Put it before the other resolution: ``class MyResolution(Depletion, TableLookUp)``. Modifiers are registered for
    ``resolution.depletion``.
    """

    needs: ClassVar[tuple[str, ...]] = ("depletion",)
    depletion_dice: ClassVar[Mapping[str, Die]] = {"white": d6}
    depleted: int

    @step(cite="depletion")
    def spent(self, chance: Chance, view: View, mission: str) -> Effects:
        """Throw whether there is more to fire."""
        roll = chance.dice("depletion", **self.depletion_dice)
        if roll.total + chance.drm(roll) > self.depleted:
            return Effects()
        return Effects(push(cycle.close, mission, Reason.EXHAUSTED, self.cites["depletion"]))
