"""The view: how a step reads a state, one key at a time, so that a driver can record what it read."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, Protocol, TypeVar, cast

from fireplan_core.mission import REFEREE, Decks, Mission, Sight, Unit
from fireplan_core.record import Place, ProcedureError, RecordView, is_published
from fireplan_core.setups.setup import Setup
from fireplan_core.space import Frame

R = TypeVar("R")

Read = Callable[[str, Any], Any]
Footprint = tuple[tuple[Place, ...], float]


class _Observing(Protocol):
    def sees(self, view: View, mission: str, place: Place) -> Sight: ...


class _Covering(Protocol):
    def covers(self, view: View, mission: str, place: Place, extent: Fraction) -> Fraction: ...
    def footprint(self, view: View, mission: str) -> Footprint: ...
    def aim_at(self, place: Place) -> tuple[Place, ...]: ...


class _Answering(Protocol):
    """Say what a view asks the parts of its table; ``fireplan_core.five_parts`` has them all."""

    @property
    def observers(self) -> _Observing: ...
    @property
    def areas(self) -> _Covering: ...
    def publisher(self, kind: type) -> str | None: ...


class View:
    """Say what one part sees: the neutral records, its own slots, what others publish, and the setup.

    Values are read through ``read(key, default)``; the setup does not change during play and is
    read directly.
    """

    __slots__ = ("_read", "scenario", "word")

    def __init__(self, read: Read, scenario: Setup, word: str) -> None:
        self._read = read
        self.scenario = scenario
        self.word = word

    def seen_by(self, word: str) -> View:
        """Return the same state as another part sees it, to put a question to that part."""
        return View(self._read, self.scenario, word)

    @property
    def _parts(self) -> _Answering:
        played: Any = self.scenario
        parts: _Answering = played.parts
        return parts

    # --- missions --------------------------------------------------------------------------------
    @property
    def missions(self) -> tuple[str, ...]:
        """Return the ids of all missions (one an asset), in order."""
        return self.scenario.mission_ids

    def mission(self, mission: str) -> Mission:
        """Return the neutral fields of a mission."""
        return cast("Mission", RecordView(self._read, f"missions/{mission}", Mission))

    def own(self, mission: str, kind: type[R]) -> R:
        """Return this part's slot of a mission."""
        return cast("R", RecordView(self._read, f"missions/{mission}/{self.word}", kind))

    def own_at(self, mission: str, place: Place, kind: type[R]) -> R:
        """Return this part's slot of a mission at one place.

        What nobody reads there costs no states.
        """
        label = self.frame.label(place)
        return cast("R", RecordView(self._read, f"missions/{mission}/{self.word}/{label}", kind))

    def side(self, mission: str) -> str:
        """Return the side whose asset it is."""
        return self.scenario.missions[mission].side

    def owned(self, side: str) -> tuple[str, ...]:
        """Return the missions of a side; all for the referee."""
        return tuple(m for m in self.missions if side in (REFEREE, self.side(m)))

    def other(self, side: str) -> str:
        """Return the other side, by whose assets and units there are.

        The side itself where nobody else is there.
        """
        sides = (
            self.scenario.firer,
            *map(self.side, self.missions),
            *map(self.unit_side, self.units),
        )
        return next((one for one in sides if one != side), side)

    def facts(self, mission: str, kind: type[R]) -> R:
        """Return what this part knows of the asset beforehand (calibre, nationality ...).

        Never changes.
        """
        found = self.scenario.missions[mission].facts.get(self.word)
        if not isinstance(found, kind):
            raise TypeError(f"{self.word} has no {kind.__name__} for mission {mission}")
        return found

    # --- what other parts publish ----------------------------------------------------------------
    def peek(self, mission: str, kind: type[R]) -> R:
        """Return what another part publishes of a mission.

        The record's defaults where it comes from another game.
        """
        return self._peek(f"missions/{mission}/", kind)

    def peek_unit(self, unit: str, kind: type[R]) -> R:
        """Return what another part publishes of a unit.

        The record's defaults where it comes from another game.
        """
        return self._peek(f"units/{unit}/", kind)

    def peek_shared(self, kind: type[R]) -> R:
        """Return what another part publishes of the table as a whole.

        Defaults where it comes from another game.
        """
        return self._peek("shared/", kind)

    def _peek(self, before: str, kind: type[R]) -> R:
        word = self._parts.publisher(kind)
        if word is not None:
            return cast(
                "R", RecordView(self._read, f"{before}{word}", kind, writable=word == self.word)
            )
        if not is_published(kind):
            raise ProcedureError(
                f"{kind.__name__} is published by no part: name it in the part's ``publishes``"
            )
        return cast("R", RecordView(_default, before, kind, writable=False))

    # --- units -----------------------------------------------------------------------------------
    @property
    def units(self) -> tuple[str, ...]:
        """Return the ids of all units of all sides, in order."""
        return self.scenario.unit_ids

    def unit(self, unit: str, kind: type[R]) -> R:
        """Return this part's slot of a unit."""
        return cast("R", RecordView(self._read, f"units/{unit}/{self.word}", kind))

    def unit_facts(self, unit: str, kind: type[R]) -> R:
        """Return what this part knows of a unit beforehand; never changes."""
        found = self.scenario.units[unit].facts.get(self.word)
        if not isinstance(found, kind):
            raise TypeError(f"{self.word} has no {kind.__name__} for unit {unit}")
        return found

    def unit_side(self, unit: str) -> str:
        """Return the side of a unit."""
        return self.scenario.units[unit].side

    def place_of(self, unit: str) -> Place:
        """Return where a unit is.

        Read from the state only in games whose units can be moved by fire.
        """
        if self.scenario.mobile:
            neutral = cast("Unit", RecordView(self._read, f"units/{unit}", Unit))
            return neutral.place
        return self.scenario.units[unit].place

    def unit_neutral(self, unit: str) -> Unit:
        """Return the neutral fields of a unit, to be put."""
        return cast("Unit", RecordView(self._read, f"units/{unit}", Unit))

    def units_at(self, place: Place) -> tuple[str, ...]:
        """Return the ids of the units at a place, in order."""
        return tuple(unit for unit in self.units if self.place_of(unit) == place)

    def scope(self, place: Place) -> str:
        """Return the scope of a place: what a step confined to it may read and write."""
        return self.scenario.scope(place)

    # --- the table -------------------------------------------------------------------------------
    def shared(self, kind: type[R]) -> R:
        """Return this part's slot of the table as a whole."""
        return cast("R", RecordView(self._read, f"shared/{self.word}", kind))

    def decks(self) -> Decks:
        """Return the neutral field of all decks; ``Cards`` draws from one."""
        return cast("Decks", RecordView(self._read, "shared", Decks))

    def ground(self, place: Place, kind: type[R]) -> R:
        """Return this part's slot of a place on the ground (defaults where nothing was put yet)."""
        return cast(
            "R", RecordView(self._read, f"ground/{self.word}/{self.frame.label(place)}", kind)
        )

    def moment(self) -> int:
        """Return the number of the present moment, from 0.

        A rule that reads it cannot be solved timelessly.
        """
        return int(self._read("clock/moment", 0))

    @property
    def frame(self) -> Frame:
        """Return the places and distances of this table, brought by its areas."""
        return self.scenario.frame

    # --- what other parts answer -----------------------------------------------------------------
    def sees(self, mission: str, place: Place) -> Sight:
        """Return what the mission's observer sees of a place, as the observers part answers."""
        return self._parts.observers.sees(self.seen_by("observers"), mission, place)

    def covers(self, mission: str, place: Place, extent: Fraction = Fraction(0)) -> Fraction:
        """Return how strongly the mission's fire covers a place, as the areas part answers (0 to 1)."""
        return self._parts.areas.covers(self.seen_by("areas"), mission, place, extent)

    def footprint(self, mission: str) -> Footprint:
        """Return the cells that the mission's fire covers and their hectares, as the areas part answers."""
        return self._parts.areas.footprint(self.seen_by("areas"), mission)

    def aim_at(self, place: Place) -> tuple[Place, ...]:
        """Return the points to aim at to hit a place, the most natural first, as the areas part answers."""
        return self._parts.areas.aim_at(place)


def _default(_key: str, default: Any) -> Any:
    return default
