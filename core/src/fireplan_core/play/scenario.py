"""A scenario: what is played on. Parts, missions, units, frame and clock; nothing here changes during play."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

import attrs

from fireplan_core.areas import Areas
from fireplan_core.delays import Clock, Delays
from fireplan_core.mission import Mission, Unit
from fireplan_core.observers import Observers
from fireplan_core.record import Place
from fireplan_core.requests import Requests
from fireplan_core.resolution import Resolution
from fireplan_core.scenario.engagement import Engagement
from fireplan_core.space import Frame
from fireplan_core.steps.part import WORDS, Modifier, Part, Question, StepDef


@attrs.frozen
class Feature:
    """What lies on the ground, for maps: in a word or two, and where: a place, or an outline in metres.

    No rule reads it; what terrain does to fire is in the games' own facts.
    """

    words: str
    place: Place | None = None
    outline: tuple[tuple[float, float], ...] = ()


@attrs.frozen(eq=False, repr=False)
class Parts:
    """The five parts of one table."""

    observers: Observers
    requests: Requests
    delays: Delays
    areas: Areas
    resolution: Resolution

    def __iter__(self) -> Iterator[Part]:
        """In the order of the five words."""
        return iter(getattr(self, word) for word in WORDS)


@attrs.frozen(eq=False, repr=False)
class MissionSetup:
    """One asset as it starts: its side, where its fire is wanted, its slots and fixed facts by word."""

    side: str
    target: Place
    slots: Mapping[str, Any]
    facts: Mapping[str, Any]


@attrs.frozen(eq=False, repr=False)
class UnitSetup:
    """One unit as it starts: side, place, strength (its weight in the target), slots and facts by word.

    ``extent`` is its half-width in metres when it is wider than one place of the frame, else 0.
    """

    side: str
    place: Place
    strength: int
    extent: Any
    slots: Mapping[str, Any]
    facts: Mapping[str, Any]


@attrs.frozen(eq=False, repr=False)
class Scenario:
    """Everything that a table is played on.

    ``provenance`` lists what rests on reconstructed charts or on assumptions of the staging.
    """

    title: str
    parts: Parts
    steps: Mapping[str, StepDef]
    questions: Mapping[str, Question]
    modifiers: tuple[Modifier, ...]
    missions: Mapping[str, MissionSetup]
    units: Mapping[str, UnitSetup]
    shared: Mapping[str, Any]
    frame: Frame
    clock: Clock
    firer: str
    centre: Place
    mobile: bool = False
    provenance: tuple[str, ...] = ()
    engagement: Engagement | None = None
    features: tuple[Feature, ...] = ()

    @cached_property
    def mission_ids(self) -> tuple[str, ...]:
        """All mission ids, in order."""
        return tuple(self.missions)

    @cached_property
    def unit_ids(self) -> tuple[str, ...]:
        """All unit ids, in order."""
        return tuple(self.units)

    def owner(self, name: str) -> str | None:
        """The side of the asset or unit of that id; None when there is none."""
        setup = self.missions.get(name) or self.units.get(name)
        return None if setup is None else setup.side

    @cached_property
    def initial(self) -> Mapping[str, Any]:
        """The opening state: every address with its value."""
        values: dict[str, Any] = {}

        def lay(prefix: str, instance: Any) -> None:
            for field in attrs.fields(type(instance)):
                values[f"{prefix}/{field.name}"] = getattr(instance, field.name)

        for mission, setup in self.missions.items():
            lay(f"missions/{mission}", Mission(target=setup.target))
            for word, slot in setup.slots.items():
                lay(f"missions/{mission}/{word}", slot)
        for unit, unit_setup in self.units.items():
            lay(f"units/{unit}", Unit(place=unit_setup.place))
            for word, slot in unit_setup.slots.items():
                lay(f"units/{unit}/{word}", slot)
        for word, slot in self.shared.items():
            lay(f"shared/{word}", slot)
        values["clock/moment"] = 0
        return values

    @cached_property
    def targets(self) -> tuple[str, ...]:
        """The units that are not the firing side's."""
        return tuple(unit for unit, setup in self.units.items() if setup.side != self.firer)
