"""An engagement, a neutral vignette that every game may stage or say why it cannot.

And a table that is set up.

The engagement has plain facts in metres, minutes, millimetres and men; no game's unit, phase or
table. Files are read by ``fireplan.analysis``. Of a table set up nothing changes in play: clock,
assets, units, ground, decks.
"""

import datetime as dt
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType
from typing import Any, Literal, Self

import attrs

from fireplan_core.chance import Deck
from fireplan_core.files import entry, flag
from fireplan_core.mission import Mission, Unit
from fireplan_core.record import Place
from fireplan_core.space import Frame

Posture = Literal["standing", "prone", "moving", "dug_in"]
Cover = Literal["open", "woods", "buildings", "trench"]
Quality = Literal["green", "average", "veteran"]
Link = Literal["radio", "telephone", "runner", "flare", "aircraft"]
SightOfTarget = Literal["clear", "burst_only", "none"]
ObserverKind = Literal["forward", "offboard", "aircraft", "drone", "none"]
Footing = Literal["attack", "defence", "other"]
Works = Literal["none", "improved", "entrenched"]
Weapon = Literal["howitzer", "gun", "mortar", "rocket"]
Ammunition = Literal["scarce", "normal", "plentiful"]


@attrs.frozen(kw_only=True)
class Firer:
    """The side that asks for fire."""

    nationality: str = entry(
        "nationality of the firing side, e.g. german, american, british, russian",
        example="american",
        short="firer",
    )


@attrs.frozen(kw_only=True)
class Target:
    """Say what is to be hit: one body of troops, spread evenly over a rectangle."""

    nationality: str = entry("nationality of the target", example="german", short="target")
    men: int = entry("how many men", 120, range=(1, 2000))
    frontage_m: int = entry("metres across, seen by the firer", 150, range=(1, 5000))
    depth_m: int = entry("metres from front to rear", 100, range=(1, 5000))
    posture: Posture = entry("how the men hold themselves", "prone")
    cover: Cover = entry("what they are in", "open")
    quality: Quality = entry("how good the troops are", "average")
    identified: bool = entry("whether the observer knows who is there", default=True)


@attrs.frozen(kw_only=True)
class Observer:
    """Say who sees for the guns."""

    kind: ObserverKind = entry("who observes", "forward", short="observer")
    link: Link = entry("what carries the observer's words to the guns", "radio")
    sight: SightOfTarget = entry(
        "what is seen: the ground at the target (clear), only bursts above it (burst_only) or none",
        "clear",
    )
    distance_m: int = entry(
        "metres from the observer to the target", 500, range=(0, 10_000), short="observer_distance"
    )
    footing: Footing = entry(
        "what the observer's side is about: a prepared attack, a defence or something other",
        "other",
    )
    works: Works = entry("the works the observer sits in", "none")


@attrs.frozen(kw_only=True)
class Asset:
    """Say what can fire: one battalion's worth of guns of one kind, off the map."""

    calibre_mm: int = entry("bore in millimetres", 105, range=(20, 914))
    weapon: Weapon = entry("kind of piece", "howitzer")
    guns: int = entry("how many tubes", 12, range=(1, 500))
    range_m: int = entry("metres from the guns to the target", 6000, range=(0, 100_000))
    ammunition: Ammunition = entry("how much there is to fire", "normal")
    preregistered: bool = flag("whether the guns have registered the target beforehand")


@attrs.frozen(kw_only=True)
class OwnTroops:
    """The firer's own men nearest to the target, on the line to the observer."""

    distance_m: int = entry(
        "metres from the centre of the target", range=(0, 10_000), example=400, short="own_troops"
    )
    men: int = entry("how many men", 40, range=(1, 2000), short="own_men")


@attrs.frozen(kw_only=True)
class Situation:
    """Say what else goes on."""

    bombardment: bool = flag("whether a preliminary bombardment was fired")
    commands: int = entry("other commands the firer's side gives in ten minutes", 2, range=(0, 20))
    night: bool = flag("whether it is night")
    electronic_warfare: bool = flag("whether the sides listen to each other's signals and jam them")


@attrs.frozen(kw_only=True)
class Engagement:
    """The whole vignette. ``minutes`` is how long it is watched."""

    title: str = entry("one line", example="A company in the woods")
    date: dt.date = entry("the day, e.g. 1944-12-18", example=dt.date(1944, 12, 18))
    firer: Firer = entry("the side that asks for fire")
    target: Target = entry("what is to be hit")
    observer: Observer = entry("who sees for the guns", attrs.Factory(Observer))
    asset: Asset = entry("what can fire", attrs.Factory(Asset))
    own_troops: OwnTroops | None = entry("the firer's own men nearby", None)
    situation: Situation = entry("what else goes on", attrs.Factory(Situation))
    summary: str = entry("a sentence or two", "", multiline=True)
    minutes: int = entry("how many minutes are watched", 60, range=(1, 1440))


@attrs.frozen
class Clock:
    """The moments of a game: each lasts ``minutes``; times are true to within ``grain`` minutes.

    ``name(k)`` is what the game calls moment ``k`` (from 0). A moment's events are said to happen at its
    first minute, within the grain.
    """

    minutes: Fraction
    grain: Fraction
    name: Callable[[int], str]
    moment: str
    source: str = ""

    @classmethod
    def even(cls, minutes: Fraction, moment: str, source: str = "", *, called: str = "") -> Self:
        """Return the clock of equal moments, ``called`` by their kind unless otherwise, and numbered from 1."""
        return cls(minutes, minutes, lambda k: f"{called or moment} {k + 1}", moment, source)

    def moments(self, watch: int) -> int:
        """Return how many moments open within a watch of that many minutes; at least one."""
        return max(1, -(-Fraction(watch) // self.minutes))


def _fixed(given: Mapping[Any, Any]) -> Mapping[Any, Any]:
    return MappingProxyType(given)


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
    slots: Mapping[str, Any] = attrs.field(converter=_fixed)
    facts: Mapping[str, Any] = attrs.field(converter=_fixed)


@attrs.frozen(eq=False, repr=False)
class UnitSetup:
    """One unit as it starts: side, place, strength (its weight in the target), slots and facts by word.

    ``extent`` is its half-width in metres when it is wider than one place of the frame, else 0.
    """

    side: str
    place: Place
    strength: int
    extent: Any
    slots: Mapping[str, Any] = attrs.field(converter=_fixed)
    facts: Mapping[str, Any] = attrs.field(converter=_fixed)


@attrs.frozen(eq=False, repr=False, kw_only=True)
class Setup:
    """Everything that a table is played on but its rules.

    ``provenance`` lists what rests on reconstructed charts or on assumptions of the staging. ``hands`` are the piles of
    decks that one side alone looks into: whose each is.
    """

    title: str
    missions: Mapping[str, MissionSetup] = attrs.field(converter=_fixed)
    units: Mapping[str, UnitSetup] = attrs.field(converter=_fixed)
    shared: Mapping[str, Any] = attrs.field(converter=_fixed)
    frame: Frame
    clock: Clock
    firer: str
    centre: Place
    mobile: bool = False
    provenance: tuple[str, ...] = ()
    engagement: Engagement | None = None
    features: tuple[Feature, ...] = ()
    decks: Mapping[str, Deck] = attrs.field(factory=dict, converter=_fixed)
    hands: Mapping[tuple[str, str], str] = attrs.field(factory=dict, converter=_fixed)

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
        """Return the scope of the place that a key belongs to.

        Empty where it belongs to none: a mission, the table.
        """
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
