"""A setup: all that a table is played on before rules come to it.

Missions, units, frame and clock; it never changes.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Any

import attrs

from fireplan_core.chance import Deck
from fireplan_core.mission import Mission, Unit
from fireplan_core.record import Place
from fireplan_core.scenario.clock import Clock
from fireplan_core.scenario.engagement import Engagement
from fireplan_core.space import Frame


def _fix(instance: object, *names: str) -> None:
    """Make mappings of a frozen instance such as cannot be changed either."""
    for name in names:
        object.__setattr__(instance, name, MappingProxyType(getattr(instance, name)))


@attrs.frozen
class Feature:
    """Say what lies on the ground, for maps: in a word or two, and where: a place, or an outline in metres.

    No rule reads it; what terrain does to fire is in the games' own facts.
    """

    words: str
    place: Place | None = None
    outline: tuple[tuple[float, float], ...] = ()


@attrs.frozen(eq=False, repr=False)
class MissionSetup:
    """One asset as it starts: its side, where its fire is wanted, its slots and fixed facts by word."""

    side: str
    target: Place
    slots: Mapping[str, Any]
    facts: Mapping[str, Any]

    def __attrs_post_init__(self) -> None:
        _fix(self, "slots", "facts")


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

    def __attrs_post_init__(self) -> None:
        _fix(self, "slots", "facts")


@attrs.frozen(eq=False, repr=False, kw_only=True)
class Setup:
    """Everything that a table is played on but its rules.

    ``provenance`` lists what rests on reconstructed charts or on assumptions of the staging. ``hands`` are the piles of
    decks that one side alone looks into: whose each is.
    """

    title: str
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
    decks: Mapping[str, Deck] = attrs.field(factory=dict)
    hands: Mapping[tuple[str, str], str] = attrs.field(factory=dict)

    def __attrs_post_init__(self) -> None:
        _fix(self, "missions", "units", "shared", "decks", "hands")

    @cached_property
    def mission_ids(self) -> tuple[str, ...]:
        """Return all mission ids, in order."""
        return tuple(self.missions)

    @cached_property
    def unit_ids(self) -> tuple[str, ...]:
        """Return all unit ids, in order."""
        return tuple(self.units)

    def owner(self, name: str) -> str | None:
        """Return the side of the asset or unit of that id; None when there is none."""
        setup = self.missions.get(name) or self.units.get(name)
        return None if setup is None else setup.side

    def scope(self, place: Place) -> str:
        """Return the scope of a place: the name that a step confined to it carries."""
        return f"place {self.frame.label(place)}"

    def scope_of(self, key: str) -> str:
        """Return the scope of the place that a key belongs to; empty where it belongs to none: a mission, the table."""
        kind, name, *inner = key.split("/")
        if kind == "units":
            return self.scope(self.units[name].place) if name in self.units else "no place"
        return f"place {'/'.join(inner[:-1])}" if kind == "ground" else ""

    @cached_property
    def initial(self) -> Mapping[str, Any]:
        """Return the opening state: every key with its value."""
        values: dict[str, Any] = {}

        def put(prefix: str, instance: Any) -> None:
            for field in attrs.fields(type(instance)):
                values[f"{prefix}/{field.name}"] = getattr(instance, field.name)

        for mission, setup in self.missions.items():
            put(f"missions/{mission}", Mission(target=setup.target))
            for word, slot in setup.slots.items():
                put(f"missions/{mission}/{word}", slot)
        for unit, unit_setup in self.units.items():
            put(f"units/{unit}", Unit(place=unit_setup.place))
            for word, slot in unit_setup.slots.items():
                put(f"units/{unit}/{word}", slot)
        for word, slot in self.shared.items():
            put(f"shared/{word}", slot)
        values["clock/moment"] = 0
        return MappingProxyType(values)

    @cached_property
    def targets(self) -> tuple[str, ...]:
        """Return the units that are not the firing side's."""
        return tuple(unit for unit, setup in self.units.items() if setup.side != self.firer)

    @property
    def target_strength(self) -> int:
        """Return the sum of the strengths of these units: 0 where none of them can be harmed."""
        return sum(self.units[unit].strength for unit in self.targets)
