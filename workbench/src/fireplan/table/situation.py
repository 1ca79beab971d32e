"""The situation as a side sees it: assets, units, and everything else on the table."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import attrs

from fireplan.table.sides import Visibility
from fireplan.table.words import Words
from fireplan_core import (
    REFEREE,
    Ask,
    Display,
    Event,
    Place,
    Reason,
    Severity,
    Stage,
    View,
    defaults,
)
from fireplan_core.chance import ChanceEvent
from fireplan_core.play import State
from fireplan_core.space import HexFrame, Outline, VertexFrame

_LISTED = 8
"""Maximum number of entries of a tuple that a detail lists."""


@attrs.frozen
class Spot:
    """A place: its label, and its distances east and south on the table, in metres."""

    label: str
    east: float
    south: float


@attrs.frozen
class AssetSeen:
    """An asset as a side sees it: its stage, where its rounds are aimed and land, its area.

    ``text`` is its stage in words, ``waits`` the event it waits for, ``target`` its target and
    ``details`` the rest that its own side knows (contact, chits left ...). ``impact`` is where the
    last round landed, ``aimed`` where that round was aimed, ``previous`` where the round before it
    landed, and ``kind`` the kind of fire. ``outline`` is the border of the area it covers, as
    points in metres east and south; ``ahead`` is the border of the area that a moving fire covers
    next. ``target``, ``details``, ``ahead`` and ``deserted``, true if the side sees no enemy at the
    target, are for its own side only.
    """

    name: str
    side: str
    stage: str
    reason: str
    text: str
    target: Spot | None
    aim: Spot | None
    impact: Spot | None
    area: tuple[Spot, ...]
    waits: str
    details: tuple[str, ...]
    outline: tuple[Outline, ...] = ()
    aimed: Spot | None = None
    previous: Spot | None = None
    kind: str = ""
    ahead: tuple[Outline, ...] = ()
    deserted: bool = False


@attrs.frozen
class UnitSeen:
    """A unit as a side sees it, with the information on its counter; ``title`` is its name.

    ``printed`` is the text printed on the counter (its type and values), ``details`` the fields
    that have changed. ``place`` is None if the unit is gone. ``severity`` is the worst result that
    the unit is known to have suffered, in the game's words, or ``none``; ``destroyed`` is true if
    no result is worse.
    """

    name: str
    side: str
    place: Spot | None
    severity: str
    details: tuple[str, ...]
    destroyed: bool = False
    title: str = ""
    printed: tuple[str, ...] = ()


@attrs.frozen
class TableSituation:
    """The situation in one moment, numbered from 1.

    ``board`` describes everything else on the table in words, and ``displays`` has the parts of the
    board that can be drawn.
    """

    title: str
    moment: int
    moments: int
    when: str
    assets: tuple[AssetSeen, ...]
    units: tuple[UnitSeen, ...]
    board: tuple[str, ...]
    displays: tuple[Display, ...] = ()


class Outlook:
    """One side's view of a state of a game.

    ``names`` maps the hidden assets and units that the side now sees to its names for them, and
    ``events`` are the events of the game so far. ``aimed(mission)`` returns the place at which the
    last round of an asset was aimed, or None.
    """

    def __init__(
        self,
        eyes: Visibility,
        moments: int,
        state: State,
        waits_for: Ask | ChanceEvent | None,
        names: Mapping[str, str],
        events: Iterable[Event],
        aimed: Callable[[str], Place] = lambda _mission: None,
    ) -> None:
        self.scenario = eyes.scenario
        self.eyes = eyes
        self.moments = moments
        self.state = state
        self.waits_for = waits_for
        self.names = names
        recovers = self.scenario.parts.resolution.recovers
        self.suffered = [event for event in events if event.kind == "suffered" or recovers(event)]
        self.aimed = aimed
        self.words = Words(self.scenario)
        # Once the game is over, show the situation as it was in the last moment.
        values = state.at(self._last()).values
        self._view = View(values.get, self.scenario, "core")

    def _last(self) -> int:
        return min(self.state.moment, self.moments - 1)

    def situation(self) -> TableSituation:
        """Return the current situation as the side sees it."""
        scenario = self.scenario
        last = self._last()
        board = [
            each
            for p in scenario.parts
            for each in p.board(self._view.seen_by(p.word), self.eyes.side)
        ]
        return TableSituation(
            title=scenario.title,
            moment=last + 1,
            moments=self.moments,
            when=scenario.clock.name(last),
            assets=tuple(
                self._asset(mission) for mission in scenario.missions if self.shows(mission)
            ),
            units=tuple(self._unit(unit) for unit in scenario.units if self.shows(unit)),
            board=tuple(map(str, board)),
            displays=tuple(each for each in board if not isinstance(each, str)),
        )

    def shows(self, name: str) -> bool:
        """Return whether the side sees an asset or a unit."""
        return not self.eyes.hidden(name) or name in self.names

    def _own(self, name: str) -> bool:
        return self.eyes.side in (REFEREE, self.scenario.owner(name))

    def _asset(self, mission: str) -> AssetSeen:
        now, own = self._view.mission(mission), self._own(mission)
        lies = now.stage in (Stage.FALLING, Stage.LINGERING) and now.impact is not None
        areas = self.scenario.parts.areas
        area = areas.footprint(self._view.seen_by("areas"), mission)[0] if lies else ()
        setup = self.scenario.missions[mission]
        lost = now.stage is Stage.ENDED and now.reason is Reason.LOST
        details = [*self._details(f"missions/{mission}", setup.slots)] if own and not lost else []
        if deserted := own and not lost and self._deserted(mission):
            details.append("no enemy is seen at the target")
        return AssetSeen(
            name=self.names.get(mission, mission),
            side=self._view.side(mission),
            stage=now.stage.value,
            reason=now.reason.value if now.reason else "",
            text=self.words.stage(now.stage, now.reason),
            target=self._spot(now.target) if own else None,
            aim=self._spot(now.aim) if own or now.stage not in (Stage.IDLE, Stage.ENDED) else None,
            impact=self._spot(now.impact),
            area=tuple(spot for place in area if (spot := self._spot(place)) is not None),
            waits=self._waits(mission),
            details=tuple(details),
            outline=areas.shape(self._view.seen_by("areas"), mission) if lies else (),
            aimed=self._spot(self.aimed(mission) if now.impact is not None else None),
            previous=self._spot(now.previous),
            kind=now.kind.value if lies else "",
            ahead=areas.ahead(self._view.seen_by("areas"), mission) if own else (),
            deserted=deserted,
        )

    def _deserted(self, mission: str) -> bool:
        """Return whether the side sees no enemy in the hexes of an asset's target.

        False if the asset has no target, or the map has no hexes.
        """
        frame, target = self.scenario.frame, self._view.mission(mission).target
        if not isinstance(frame, HexFrame | VertexFrame) or target is None:
            return False
        cells, side = frame.cells(target, 0.0), self._view.side(mission)
        learnt = (event for event in map(self.eyes.learns, self.suffered) if event is not None)
        lost = {
            event["unit"]
            for event in learnt
            if event.kind == "suffered" and event["severity"] is Severity.DESTROYED
        }
        there = (
            unit
            for unit in self._view.units
            if self.scenario.units[unit].side != side
            and self.shows(unit)
            and unit not in lost
            and self._view.place_of(unit) in cells
        )
        return not any(there)

    def _unit(self, unit: str) -> UnitSeen:
        setup = self.scenario.units[unit]
        events = (event for event in self.suffered if event["unit"] == unit)
        learnt = (event for event in map(self.eyes.learns, events) if event is not None)
        suffered: dict[Severity, str] = {}
        for event in learnt:
            if event.kind == "suffered":
                suffered[event["severity"]] = str(dict(event.fields).get("how", ""))
            else:
                suffered.pop(Severity.SUPPRESSED, None)
        worst = max(suffered, default=Severity.NONE)
        severity = self.words.severity(worst, suffered.get(worst, ""))
        resolution = self.scenario.parts.resolution
        printed = resolution.on_counter(self._view.seen_by(resolution.word), unit)
        details = self._details(f"units/{unit}", setup.slots)
        return UnitSeen(
            name=unit,
            side=setup.side,
            place=self._spot(self._view.place_of(unit)),
            severity=severity,
            details=tuple(detail for detail in details if detail != severity),
            destroyed=worst is Severity.DESTROYED,
            title=self.words.unit(unit),
            printed=tuple(text for text in printed if text != unit),
        )

    def _waits(self, mission: str) -> str:
        waits = self.waits_for
        if isinstance(waits, Ask):
            heard = mission in waits.args and self.eyes.hears(waits.who, waits.question)
            if not heard:
                return ""
            return f"{self.words.said('side', waits.who)} to decide: {self.words.question(waits)}"
        if waits is None or not self.eyes.sees(waits.seen_by):
            return ""
        concerned = mission in self.state.agenda[0].args
        verb, _, what = self.words.action(waits).partition(" ")
        joined = what if what.startswith("for ") else f"of {what}"
        return f"the {verb} {joined}" if concerned else ""

    def _details(self, prefix: str, slots: Mapping[str, Any]) -> Iterable[str]:
        """Yield the values of an asset or a unit that differ from their defaults, in words.

        ``slots`` maps each part to its record, whose keys begin with ``prefix``. A count that was
        set up with another value is included even when it has reached its default. Secret values of
        other sides are left out.
        """
        secret = self.scenario.assumed_by(self.eyes.side)
        for word, slot in slots.items():
            for name, usual in defaults(type(slot)).items():  # type: ignore[arg-type] # a record's class
                if f"{prefix}/{word}/{name}" in secret:
                    continue
                value = self.state.values.get(f"{prefix}/{word}/{name}", getattr(slot, name))
                long = isinstance(value, tuple | frozenset) and len(value) > _LISTED
                values = value if isinstance(value, tuple | frozenset) else (value,)
                composed = any(attrs.has(type(each)) for each in values)
                counted = type(value) is int and getattr(slot, name) != usual
                if (value != usual or counted) and not composed and not long:
                    several = usual == () or isinstance(usual, frozenset)
                    detail = self.words.detail(
                        attrs.fields_dict(type(slot))[name].metadata["word"] or name,
                        self.words.listed(value) if several else value,
                    )
                    if detail:
                        yield detail

    def _spot(self, place: Place) -> Spot | None:
        if place is None:
            return None
        frame = self.scenario.frame
        east, south = frame.metres(place)
        return Spot(frame.label(place), round(east, 2), round(south, 2))
