"""The view: how a step reads a state, one address at a time, so that a driver can record what it read."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, cast

from fireplan_core.mission import Mission, Sight, Unit
from fireplan_core.record import Place, RecordView

if TYPE_CHECKING:
    from fireplan_core.play.scenario import Scenario
    from fireplan_core.space import Frame

R = TypeVar("R")

Read = Callable[[str, Any], Any]


class View:
    """What one part sees: the neutral records, its own slots, and what is played on (the scenario).

    Values are read through ``read(address, default)``; the scenario does not change during play and is
    read directly.
    """

    __slots__ = ("_read", "scenario", "word")

    def __init__(self, read: Read, scenario: Scenario, word: str) -> None:
        self._read = read
        self.scenario = scenario
        self.word = word

    def seen_by(self, word: str) -> View:
        """The same state as another part sees it."""
        return View(self._read, self.scenario, word)

    # --- missions --------------------------------------------------------------------------------
    @property
    def missions(self) -> tuple[str, ...]:
        """The ids of all missions (one an asset), in order."""
        return self.scenario.mission_ids

    def mission(self, mission: str) -> Mission:
        """The neutral fields of a mission."""
        return cast("Mission", RecordView(self._read, f"missions/{mission}", Mission))

    def own(self, mission: str, kind: type[R]) -> R:
        """This part's slot of a mission."""
        return cast("R", RecordView(self._read, f"missions/{mission}/{self.word}", kind))

    def own_at(self, mission: str, place: Place, kind: type[R]) -> R:
        """This part's slot of a mission at one place: what is kept of a place that is never read costs no states."""
        label = self.frame.label(place)
        return cast("R", RecordView(self._read, f"missions/{mission}/{self.word}/{label}", kind))

    def side(self, mission: str) -> str:
        """The side whose asset it is."""
        return self.scenario.missions[mission].side

    def facts(self, mission: str, kind: type[R]) -> R:
        """What this part knows of the asset beforehand (calibre, nationality ...); never changes."""
        found = self.scenario.missions[mission].facts.get(self.word)
        if not isinstance(found, kind):
            msg = f"{self.word} has no {kind.__name__} for mission {mission}"
            raise TypeError(msg)
        return found

    # --- units -----------------------------------------------------------------------------------
    @property
    def units(self) -> tuple[str, ...]:
        """The ids of all units of all sides, in order."""
        return self.scenario.unit_ids

    def unit(self, unit: str, kind: type[R]) -> R:
        """This part's slot of a unit."""
        return cast("R", RecordView(self._read, f"units/{unit}/{self.word}", kind))

    def unit_facts(self, unit: str, kind: type[R]) -> R:
        """What this part knows of a unit beforehand; never changes."""
        found = self.scenario.units[unit].facts.get(self.word)
        if not isinstance(found, kind):
            msg = f"{self.word} has no {kind.__name__} for unit {unit}"
            raise TypeError(msg)
        return found

    def unit_side(self, unit: str) -> str:
        """The side of a unit."""
        return self.scenario.units[unit].side

    def place_of(self, unit: str) -> Place:
        """Where a unit is; read from the state only in games whose units can be moved by fire."""
        if self.scenario.mobile:
            neutral = cast("Unit", RecordView(self._read, f"units/{unit}", Unit))
            return neutral.place
        return self.scenario.units[unit].place

    def unit_neutral(self, unit: str) -> Unit:
        """The neutral fields of a unit, to be put."""
        return cast("Unit", RecordView(self._read, f"units/{unit}", Unit))

    def units_at(self, place: Place) -> tuple[str, ...]:
        """The ids of the units at a place, in order."""
        return tuple(unit for unit in self.units if self.place_of(unit) == place)

    # --- the table -------------------------------------------------------------------------------
    def shared(self, kind: type[R]) -> R:
        """This part's slot of the table as a whole."""
        return cast("R", RecordView(self._read, f"shared/{self.word}", kind))

    def ground(self, place: Place, kind: type[R]) -> R:
        """This part's slot of a place on the ground (defaults where nothing was put yet)."""
        return cast("R", RecordView(self._read, f"ground/{self.word}/{self.frame.label(place)}", kind))

    def moment(self) -> int:
        """The number of the present moment, from 0; a rule that reads it cannot be solved timelessly."""
        return int(self._read("clock/moment", 0))

    @property
    def frame(self) -> Frame:
        """The places and distances of this table, brought by its areas."""
        return self.scenario.frame

    def sees(self, mission: str, place: Place) -> Sight:
        """What the mission's observer sees of a place, answered by the observers part."""
        return self.scenario.parts.observers.sees(self.seen_by("observers"), mission, place)
