"""The view through which a step reads the state key by key, so that the solver can record it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Protocol, TypeVar, cast

from fireplan_core.mission import REFEREE, Decks, Mission, Sight, Unit
from fireplan_core.record import ProcedureError, Read, RecordView, is_published
from fireplan_core.setups.setup import Setup
from fireplan_core.space import Frame, Place

R = TypeVar("R")

Footprint = tuple[tuple[Place, ...], float]


class _Observing(Protocol):
    def sees(self, view: View, mission: str, place: Place) -> Sight: ...


class _Covering(Protocol):
    def covers(self, view: View, mission: str, place: Place, extent: Fraction) -> Fraction: ...
    def footprint(self, view: View, mission: str) -> Footprint: ...
    def aim_at(self, place: Place) -> tuple[Place, ...]: ...


class _Answering(Protocol):
    """The attributes of ``five_parts.Parts`` that a view needs."""

    @property
    def observers(self) -> _Observing: ...
    @property
    def areas(self) -> _Covering: ...
    def publisher(self, kind: type) -> str | None: ...


class View:
    """The state as one part may read it.

    The part sees the neutral records, its own slots, the records that other parts publish, and the
    setup. The view reads values of the state through ``read(key, default)``. It reads the setup
    directly, because the setup does not change in play.

    >>> from fireplan_core.play import Catalogue, find_scenario, opening
    >>> scenario, file = find_scenario(Catalogue.installed(only=("asl",)), "asl/village")
    >>> view = View(opening(scenario).values.get, scenario, "delays")
    >>> view.side("a"), view.mission("a").stage
    ('german', <Stage.IDLE: 'idle'>)
    """

    __slots__ = ("_read", "scenario", "word")

    def __init__(self, read: Read, scenario: Setup, word: str) -> None:
        self._read = read
        self.scenario = scenario
        self.word = word

    def seen_by(self, word: str) -> View:
        """Return another part's view of the same state, to call that part's queries."""
        return View(self._read, self.scenario, word)

    @property
    def _parts(self) -> _Answering:
        played: Any = self.scenario
        parts: _Answering = played.parts
        return parts

    # --- missions --------------------------------------------------------------------------------
    @property
    def missions(self) -> tuple[str, ...]:
        """The ids of all missions in order, one for each asset."""
        return self.scenario.mission_ids

    def mission(self, mission: str) -> Mission:
        """Return the neutral fields of a mission."""
        return cast("Mission", RecordView(self._read, f"missions/{mission}", Mission))

    def own(self, mission: str, kind: type[R]) -> R:
        """Return this part's record of a mission; ``kind`` is the class of the record."""
        return cast("R", RecordView(self._read, f"missions/{mission}/{self.word}", kind))

    def own_at(self, mission: str, place: Place, kind: type[R]) -> R:
        """Return this part's record of a mission at one place.

        Fields that are never read add no states to the solver.
        """
        label = self.frame.label(place)
        return cast("R", RecordView(self._read, f"missions/{mission}/{self.word}/{label}", kind))

    def side(self, mission: str) -> str:
        """Return the side that owns the mission's asset."""
        return self.scenario.missions[mission].side

    def owned(self, side: str) -> tuple[str, ...]:
        """Return the ids of a side's missions, or of all missions for the referee."""
        return tuple(m for m in self.missions if side in (REFEREE, self.side(m)))

    def other(self, side: str) -> str:
        """Return the other side with assets or units, or the same side if there is no other."""
        sides = (
            self.scenario.firer,
            *map(self.side, self.missions),
            *map(self.unit_side, self.units),
        )
        return next((other for other in sides if other != side), side)

    def facts(self, mission: str, kind: type[R]) -> R:
        """Return this part's fixed facts about an asset, e.g. calibre and nationality.

        Raises TypeError if the asset has no facts of this class.
        """
        facts = self.scenario.missions[mission].facts.get(self.word)
        if not isinstance(facts, kind):
            raise TypeError(
                f"{self.word} has no {kind.__name__} for mission {mission}: stage it with"
                " staging.mission(..., facts=...), or derive the part from a ready part"
            )
        return facts

    # --- records of other parts ------------------------------------------------------------------
    def peek(self, mission: str, kind: type[R]) -> R:
        """Return a mission's record that another part publishes.

        If that part comes from another game, the record contains the default values.
        """
        return self._peek(f"missions/{mission}/", kind)

    def peek_unit(self, unit: str, kind: type[R]) -> R:
        """Return a unit's record that another part publishes.

        If that part comes from another game, the record contains the default values.
        """
        return self._peek(f"units/{unit}/", kind)

    def peek_shared(self, kind: type[R]) -> R:
        """Return a record of the whole table that another part publishes.

        If that part comes from another game, the record contains the default values.
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
                f"no part publishes {kind.__name__}: name it in the part's ``publishes``"
            )
        return cast("R", RecordView(_default, before, kind, writable=False))

    # --- units -----------------------------------------------------------------------------------
    @property
    def units(self) -> tuple[str, ...]:
        """The ids of all units of all sides, in the scenario's order."""
        return self.scenario.unit_ids

    def unit(self, unit: str, kind: type[R]) -> R:
        """Return this part's record of a unit; ``kind`` is the class of the record."""
        return cast("R", RecordView(self._read, f"units/{unit}/{self.word}", kind))

    def unit_facts(self, unit: str, kind: type[R]) -> R:
        """Return this part's fixed facts about a unit; raises TypeError if there are none."""
        facts = self.scenario.units[unit].facts.get(self.word)
        if not isinstance(facts, kind):
            raise TypeError(
                f"{self.word} has no {kind.__name__} for unit {unit}: stage the unit with these facts"
            )
        return facts

    def unit_side(self, unit: str) -> str:
        """Return the side that owns a unit."""
        return self.scenario.units[unit].side

    def place_of(self, unit: str) -> Place:
        """Return the place of a unit.

        It is read from the state only if units can move in this scenario.
        """
        if self.scenario.mobile:
            return self.unit_neutral(unit).place
        return self.scenario.units[unit].place

    def unit_neutral(self, unit: str) -> Unit:
        """Return the core's record of a unit.

        ``update(view.unit_neutral(unit), place=to)`` moves the unit.
        """
        return cast("Unit", RecordView(self._read, f"units/{unit}", Unit))

    def units_at(self, place: Place) -> tuple[str, ...]:
        """Return the ids of the units at a place, in order."""
        return tuple(unit for unit in self.units if self.place_of(unit) == place)

    def scope(self, place: Place) -> str:
        """Return the name by which ``within`` confines a step to a place, such as "place K5"."""
        return self.scenario.scope(place)

    # --- the table -------------------------------------------------------------------------------
    def shared(self, kind: type[R]) -> R:
        """Return this part's record of the whole table; ``kind`` is the class of the record."""
        return cast("R", RecordView(self._read, f"shared/{self.word}", kind))

    def decks(self) -> Decks:
        """Return the neutral record of all decks; use ``Cards`` to draw from a deck."""
        return cast("Decks", RecordView(self._read, "shared", Decks))

    def ground(self, place: Place, kind: type[R]) -> R:
        """Return this part's record of the ground at a place.

        The record contains the default values until it is updated.
        """
        return cast(
            "R", RecordView(self._read, f"ground/{self.word}/{self.frame.label(place)}", kind)
        )

    def moment(self) -> int:
        """Return the number of the current moment, counted from 0.

        A rule that reads it cannot be solved independently of time.
        """
        return int(self._read("clock/moment", 0))

    @property
    def frame(self) -> Frame:
        """The table's frame, from its areas part, which provides places, labels and distances."""
        return self.scenario.frame

    # --- queries of other parts ------------------------------------------------------------------
    def sees(self, mission: str, place: Place) -> Sight:
        """Return how well the mission's observer sees a place, from ``Observers.sees``."""
        return self._parts.observers.sees(self.seen_by("observers"), mission, place)

    def covers(self, mission: str, place: Place, extent: Fraction = Fraction(0)) -> Fraction:
        """Return how strongly the mission's fire covers a place, from 0 to 1 (``Areas.covers``)."""
        return self._parts.areas.covers(self.seen_by("areas"), mission, place, extent)

    def footprint(self, mission: str) -> Footprint:
        """Return the cells that a mission's fire for effect covers, and their area in hectares.

        See ``Areas.footprint``.
        """
        return self._parts.areas.footprint(self.seen_by("areas"), mission)

    def aim_at(self, place: Place) -> tuple[Place, ...]:
        """Return the aim points for hitting a place, the usual point first (``Areas.aim_at``)."""
        return self._parts.areas.aim_at(place)


def _default(_key: str, default: Any) -> Any:
    return default
