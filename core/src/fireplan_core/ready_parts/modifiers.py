"""Modifiers of rolls with declared conditions: facts about the battery, the mission or a unit."""

from typing import Any

import attrs

from fireplan_core.mission import Outcome
from fireplan_core.ready_parts.base import Battery
from fireplan_core.ready_parts.delays import LinkState
from fireplan_core.ready_parts.resolution import Troops
from fireplan_core.setups.setup import Cover, Posture, Quality
from fireplan_core.steps.part import Modifier
from fireplan_core.steps.view import View


@attrs.frozen(kw_only=True)
class ModifierConditions:
    """The conditions of a modifier, all of which must hold; a condition left empty always holds.

    ``guns``, ``calibre_mm`` and ``range_m`` are ranges of the battery's figures, and ``outcome`` is
    the result of the request. ``failures`` multiplies the modifier by the number of times that the
    link has failed, up to this limit.

    >>> dark = ModifierConditions(night=True, guns=range(1, 7))
    >>> modifier_when("relay", "2.3", "few guns at night", -1, dark).summary
    'few guns at night'
    """

    cover: tuple[Cover, ...] = ()
    posture: tuple[Posture, ...] = ()
    quality: tuple[Quality, ...] = ()
    guns: range | None = None
    calibre_mm: range | None = None
    range_m: range | None = None
    night: bool | None = None
    outcome: Outcome | None = None
    failures: int = 0

    def times(self, view: View, *args: Any) -> int:
        """Return how many times the modifier applies to a roll of a step with these arguments.

        The arguments must include the unit for conditions of a unit, and the mission for any other
        condition.
        """
        if not self._of_unit(view, *args) or not self._of_battery(view, *args):
            return 0
        if not self.failures:
            return 1
        return min(view.own(_mission(view, *args), LinkState).failed, self.failures)

    def _of_unit(self, view: View, *args: Any) -> bool:
        if not (self.cover or self.posture or self.quality):
            return True
        troops = view.unit_facts(next(arg for arg in args if arg in view.scenario.units), Troops)
        return all(
            not words or getattr(troops, name) in words
            for name, words in (
                ("cover", self.cover),
                ("posture", self.posture),
                ("quality", self.quality),
            )
        )

    def _of_battery(self, view: View, *args: Any) -> bool:
        battery = (self.guns, self.calibre_mm, self.range_m)
        if (*battery, self.night, self.outcome) == (None,) * 5:
            return True
        mission = _mission(view, *args)
        facts = view.facts(mission, Battery)
        return (
            (self.guns is None or facts.guns in self.guns)
            and (self.calibre_mm is None or facts.calibre_mm in self.calibre_mm)
            and (self.range_m is None or facts.range_m in self.range_m)
            and (self.night is None or facts.night is self.night)
            and (self.outcome is None or view.mission(mission).outcome is self.outcome)
        )


def _mission(view: View, *args: Any) -> str:
    mission: str = next(arg for arg in args if arg in view.scenario.missions)
    return mission


def modifier_when(
    roll: str, cite: str, summary: str, value: int, conditions: ModifierConditions
) -> Modifier:
    """Return a modifier that applies under these conditions.

    >>> modifier_when("relay", "2.3", "at night", -1, ModifierConditions(night=True)).roll
    'relay'
    """
    return Modifier(roll, cite, summary, lambda view, *args: value * conditions.times(view, *args))
