"""Neutral engagements, which every game can stage, and the setup of a table.

An engagement gives plain facts in metres, minutes, millimetres and men, without any game's units,
phases or tables. ``fireplan.analysis`` reads files of engagements. A setup contains everything that
does not change in play: the clock, and the initial assets, units, ground and decks.
"""

import datetime as dt
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cached_property
from math import prod
from types import MappingProxyType
from typing import Any, Literal, Self

import attrs

from fireplan_core.chance import Deck, Face
from fireplan_core.files import entry, flag
from fireplan_core.mission import Mission, Unit
from fireplan_core.space import Frame, Outline, Place

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
LONGEST_WATCH = 24 * 60
"""Maximum time for which an engagement can be watched, in minutes."""


@attrs.frozen(kw_only=True)
class Firer:
    """The side that calls for fire in an engagement.

    >>> Firer(nationality="british")
    Firer(nationality='british')
    """

    nationality: str = entry(
        "nationality of the firing side, e.g. german, american, british, russian",
        example="american",
        short="firer",
    )


@attrs.frozen(kw_only=True)
class Target:
    """The target: one body of troops, spread evenly over a rectangle.

    >>> Target(nationality="german").frontage_m
    150
    """

    nationality: str = entry("nationality of the target", example="german", short="target")
    men: int = entry("number of men in the target", 120, range=(1, 2000))
    frontage_m: int = entry(
        "width of the target in metres, seen from the firer", 150, range=(1, 5000)
    )
    depth_m: int = entry("depth of the target in metres, front to rear", 100, range=(1, 5000))
    posture: Posture = entry("posture of the target", "prone")
    cover: Cover = entry("cover of the target", "open")
    quality: Quality = entry("quality of the target's troops", "average")
    identified: bool = entry("whether the observer has identified the target", default=True)


@attrs.frozen(kw_only=True)
class Observer:
    """The observer who directs the fire in an engagement.

    >>> observer = Observer(kind="aircraft", sight="burst_only")
    >>> observer.link, observer.distance_m
    ('radio', 500)
    """

    kind: ObserverKind = entry("kind of observer", "forward", short="observer")
    link: Link = entry("means of communication from the observer to the guns", "radio")
    sight: SightOfTarget = entry(
        "what the observer sees: the ground at the target (clear), only bursts above it (burst_only) or none",
        "clear",
    )
    distance_m: int = entry(
        "metres from the observer to the target", 500, range=(0, 10_000), short="observer_distance"
    )
    footing: Footing = entry(
        "task of the observer's side: a prepared attack, a defence or something else",
        "other",
    )
    works: Works = entry("fieldworks of the observer's position", "none")


@attrs.frozen(kw_only=True)
class Asset:
    """The artillery of an engagement: about a battalion of guns of one kind, off the map.

    >>> Asset(guns=24).calibre_mm
    105
    """

    calibre_mm: int = entry("calibre of the guns in millimetres", 105, range=(20, 914))
    weapon: Weapon = entry("kind of weapon", "howitzer")
    guns: int = entry("number of tubes", 12, range=(1, 500))
    range_m: int = entry("metres from the guns to the target", 6000, range=(0, 100_000))
    ammunition: Ammunition = entry("ammunition supply", "normal")
    preregistered: bool = flag("whether the guns have registered the target beforehand")


@attrs.frozen(kw_only=True)
class OwnTroops:
    """The firer's own troops nearest to the target, on the line to the observer.

    >>> OwnTroops(distance_m=100).men
    40
    """

    distance_m: int = entry(
        "metres from the firer's own troops to the centre of the target",
        range=(0, 10_000),
        example=400,
        short="own_troops",
    )
    men: int = entry("number of the firer's own men", 40, range=(1, 2000), short="own_men")


@attrs.frozen(kw_only=True)
class Situation:
    """The circumstances of an engagement, such as night or a preliminary bombardment.

    >>> Situation(night=True).commands
    2
    """

    bombardment: bool = flag("whether a preliminary bombardment was fired")
    commands: int = entry("other commands the firer's side gives in ten minutes", 2, range=(0, 20))
    night: bool = flag("whether it is night")
    electronic_warfare: bool = flag("whether the sides intercept and jam each other's signals")


@attrs.frozen(kw_only=True)
class Engagement:
    """A neutral engagement: a target, an observer, artillery, and a duration in minutes.

    >>> from datetime import date
    >>> firer, target = Firer(nationality="american"), Target(nationality="german")
    >>> woods = Engagement(title="The woods", date=date(1944, 12, 18), firer=firer, target=target)
    >>> woods.asset.guns, woods.minutes
    (12, 60)
    """

    title: str = entry("title, in one line", example="A company in the woods")
    date: dt.date = entry("the day, e.g. 1944-12-18", example=dt.date(1944, 12, 18))
    firer: Firer = entry("the side that calls for fire")
    target: Target = entry("the target of the fire")
    observer: Observer = entry("the observer who directs the fire", attrs.Factory(Observer))
    asset: Asset = entry("the artillery", attrs.Factory(Asset))
    own_troops: OwnTroops | None = entry("the firer's own troops nearby", None)
    situation: Situation = entry("the circumstances", attrs.Factory(Situation))
    summary: str = entry("a sentence or two", "", multiline=True)
    minutes: int = entry("duration in minutes", 60, range=(1, LONGEST_WATCH))


@attrs.frozen
class _Numbered:
    """The names of moments: a word and a number, counted from 1."""

    word: str

    def __call__(self, moment: int) -> str:
        return f"{self.word} {moment + 1}"


@attrs.frozen
class Clock:
    """The clock of a game: a moment lasts ``minutes``, and times are exact to ``grain`` minutes.

    ``name(k)`` returns the game's name for moment ``k``, counted from 0. ``moment`` is the game's
    term for a moment, and ``source`` is the rule or note that sets its length. Events are timed at
    the first minute of their moment.

    >>> from fractions import Fraction
    >>> clock = Clock.even(Fraction(5, 2), "turn", "2.1")
    >>> clock.name(0), clock.moments(60)
    ('turn 1', 24)
    """

    minutes: Fraction
    grain: Fraction
    name: Callable[[int], str]
    moment: str
    source: str = ""

    @classmethod
    def even(cls, minutes: Fraction, moment: str, source: str = "", *, called: str = "") -> Self:
        """Return a clock of equal moments, numbered from 1.

        A moment's name is ``called`` and its number; if ``called`` is empty, ``moment`` is used
        instead. ``source`` is the rule or note that sets the length of a moment.
        """
        return cls(minutes, minutes, _Numbered(called or moment), moment, source)

    def moments(self, watch: int) -> int:
        """Return the number of moments that begin within ``watch`` minutes, which is at least 1."""
        return max(1, -(-Fraction(watch) // self.minutes))


def _read_only(mapping: Mapping[Any, Any]) -> Mapping[Any, Any]:
    return MappingProxyType(mapping)


@attrs.frozen
class Feature:
    """A feature of the ground, for maps: a short text, and a place or an outline.

    The outline is in metres. No rule reads a feature; each game keeps the effect of terrain on fire
    in its own facts.
    """

    words: str
    place: Place | None = None
    outline: Outline = ()


@attrs.frozen(eq=False, repr=False)
class MissionSetup:
    """The initial setup of an asset: its side and target, and its slots and facts by part."""

    side: str
    target: Place
    slots: Mapping[str, Any] = attrs.field(converter=_read_only)
    facts: Mapping[str, Any] = attrs.field(converter=_read_only)


@attrs.frozen(eq=False, repr=False)
class UnitSetup:
    """The initial setup of a unit: side, place and strength, and its slots and facts by part.

    ``strength`` is the unit's weight in the target. ``extent`` is half the unit's width in metres
    if it is wider than one place of the frame; otherwise it is 0.
    """

    side: str
    place: Place
    strength: int
    extent: Any
    slots: Mapping[str, Any] = attrs.field(converter=_read_only)
    facts: Mapping[str, Any] = attrs.field(converter=_read_only)


@attrs.frozen
class CardFace:
    """The printed face of a card: name, dice, a sign that acts when the card is drawn, and a place.

    The sentences of the game (``[cards]``) choose which of these values name a card in a roll.

    >>> CardFace("request", (3, 6)).product
    18
    """

    name: str = ""
    dice: tuple[int, ...] = ()
    sign: str = ""
    place: str = ""

    @property
    def product(self) -> int:
        """The product of the dice, 1 without dice."""
        return prod(self.dice)

    @property
    def fields(self) -> Mapping[str, Any]:
        """The values that a sentence about the card may use."""
        dice = "-".join(map(str, self.dice))
        return {
            "name": self.name,
            "dice": dice,
            "sign": self.sign,
            "place": self.place,
            "sum": sum(self.dice),
            "product": self.product,
        }


@attrs.frozen(eq=False, repr=False, kw_only=True)
class Setup:
    """Everything on a table at the start of play, except its rules.

    ``provenance`` lists the figures that depend on reconstructed charts or on assumptions made in
    staging. ``hands`` maps a deck and a pile to the only side that may look into that pile.
    ``printed`` maps a deck to the printed faces of its cards.
    """

    title: str
    missions: Mapping[str, MissionSetup] = attrs.field(converter=_read_only)
    units: Mapping[str, UnitSetup] = attrs.field(converter=_read_only)
    shared: Mapping[str, Any] = attrs.field(converter=_read_only)
    frame: Frame
    clock: Clock
    firer: str
    centre: Place
    mobile: bool = False
    provenance: tuple[str, ...] = ()
    engagement: Engagement | None = None
    features: tuple[Feature, ...] = ()
    decks: Mapping[str, Deck] = attrs.field(factory=dict, converter=_read_only)
    hands: Mapping[tuple[str, str], str] = attrs.field(factory=dict, converter=_read_only)
    printed: Mapping[str, Mapping[Face, CardFace]] = attrs.field(factory=dict, converter=_read_only)

    @cached_property
    def mission_ids(self) -> tuple[str, ...]:
        """The ids of all missions, in order."""
        return tuple(self.missions)

    @cached_property
    def unit_ids(self) -> tuple[str, ...]:
        """The ids of all units, in order."""
        return tuple(self.units)

    def owner(self, name: str) -> str | None:
        """Return the side that owns the asset or unit with this id, or None for an unknown id."""
        setup = self.missions.get(name) or self.units.get(name)
        return None if setup is None else setup.side

    def target_cell(self, target: Place, side: str) -> Place:
        """Return the cell that a side's fire must cover to be on a target.

        If the target is a vertex, the cell is one of its three hexes: the centre of the engagement
        if that is one of them, otherwise the hex with the most enemy units at the start.
        """
        cells = self.frame.cells(target, 0.0)
        if self.centre in cells:
            return self.centre
        enemies = [unit.place for unit in self.units.values() if unit.side != side]
        return max(cells, key=enemies.count)

    def scope(self, place: Place) -> str:
        """Return the name by which ``within`` confines a step to a place, such as "place K5"."""
        return f"place {self.frame.label(place)}"

    def scope_of(self, key: str) -> str:
        """Return the scope of the place to which a key belongs.

        It is empty for keys of missions and of the table, and ``no place`` for an unknown unit.
        """
        kind, name, *inner = key.split("/")
        if kind == "units":
            return self.scope(self.units[name].place) if name in self.units else "no place"
        return f"place {'/'.join(inner[:-1])}" if kind == "ground" else ""

    @cached_property
    def initial(self) -> Mapping[str, Any]:
        """The opening state: every key with its initial value."""
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
        """The ids of the units that do not belong to the firing side."""
        return tuple(unit for unit, setup in self.units.items() if setup.side != self.firer)

    @property
    def target_strength(self) -> int:
        """The total strength of the ``targets``; 0 if none of them can be harmed."""
        return sum(self.units[unit].strength for unit in self.targets)
