"""The neutral mission, common to every game: its stages, results and records."""

from collections.abc import Mapping
from enum import Enum, IntEnum
from fractions import Fraction

import attrs

from fireplan_core.record import kept, record
from fireplan_core.space import Place

REFEREE = "referee"
"""The name of the referee, who answers questions of fact that neither side may know."""


class Stage(Enum):
    """The stage of a fire mission, in terms common to every game."""

    IDLE = "idle"
    REQUESTED = "requested"
    DELAYED = "delayed"
    SPOTTING = "spotting"
    FALLING = "falling"
    LINGERING = "lingering"
    ENDED = "ended"


class Intent(Enum):
    """The purpose of a shot: a spotting round or fire for effect."""

    SPOTTING = "spotting"
    EFFECT = "effect"


class Reason(Enum):
    """The reason why fire ceased or the mission ended."""

    DELIVERED = "delivered"
    CANCELLED = "cancelled"
    DENIED = "denied"
    EXHAUSTED = "exhausted"
    LOST = "lost"


FINAL = (Reason.EXHAUSTED, Reason.LOST)
"""The reasons after which the asset cannot be called for again."""


MISSION_EVENTS = frozenset({"requested", "spotting", "fall", "lingering", "ceased", "ended"})
"""The kinds of events that report the progress of a mission.

A step confined to a place must not emit any of them.
"""


class Outcome(IntEnum):
    """The result of a request, on a scale common to every game.

    The delays part sets it, together with the game's own term, and the requests part reads it.

    >>> Outcome.LATE < Outcome.GOOD
    True
    """

    REFUSED = 0
    LATE = 1
    GOOD = 2
    VERY_GOOD = 3


class Severity(IntEnum):
    """The harm done to a unit, on a scale common to every game.

    Each game documents, in a table, how its own results map to this scale.

    >>> max(Severity.SUPPRESSED, Severity.DESTROYED).name
    'DESTROYED'
    """

    NONE = 0
    SUPPRESSED = 1
    REDUCED = 2
    DESTROYED = 3


EVENT_FIELDS: Mapping[str, tuple[type, ...]] = {
    "mission": (str,),
    "unit": (str,),
    "impact": (tuple,),
    "gap": (int, Fraction),
    "on_target": (bool,),
    "own_under_fire": (bool,),
    "reason": (Reason,),
    "severity": (Severity,),
}
"""The types of the fields that mean the same in the events of every game; ``emit`` checks them.

``mission`` and ``unit`` are names, ``impact`` is a place, and ``gap`` is the square of its distance
from the target, which ``Frame.gap_metres`` converts to metres.
"""


class FireKind(Enum):
    """The kind of ammunition, in terms common to every game.

    >>> FireKind.HE.value
    'HE'
    """

    HE = "HE"
    SMOKE = "smoke"
    WP = "white phosphorus"
    GAS = "gas"


_NUMBER = attrs.validators.instance_of(Fraction | int)
_COUNT = attrs.validators.and_(attrs.validators.instance_of(int), attrs.validators.ge(0))


@attrs.frozen
class Shot:
    """Fire that strikes a place: the kind of ammunition and the strength of the fire.

    ``strength`` is the share of the place that is covered (0 to 1, from ``Areas.covers``) times the
    strength of the mission.

    >>> from fractions import Fraction
    >>> Shot(strength=Fraction(1, 2))
    Shot(kind=<FireKind.HE: 'HE'>, strength=Fraction(1, 2))
    """

    kind: FireKind = FireKind.HE
    strength: Fraction = attrs.field(default=Fraction(1), validator=_NUMBER)


@attrs.frozen
class FireLimit:
    """A limit on a mission's fire for effect: the maximum number of falls and maximum strength.

    ``on_one_place`` is the maximum number of falls that cover the same place, or None if all may.
    ``earliest`` is the first moment in which fire can fall, if play opens as the scenario is set up
    (0 is the first moment of play). ``in_opening`` of the falls are possible only in the first
    moment played, so a later span of moments allows that many fewer.

    >>> FireLimit(falls=2).strength
    Fraction(1, 1)
    >>> FireLimit(falls=7, in_opening=6).afterwards
    1
    """

    falls: int = attrs.field(validator=_COUNT)
    strength: Fraction = attrs.field(default=Fraction(1), validator=_NUMBER)
    on_one_place: int | None = attrs.field(
        default=None, validator=attrs.validators.optional(attrs.validators.instance_of(int))
    )
    earliest: int = attrs.field(default=0, validator=_COUNT)
    in_opening: int = attrs.field(default=0, validator=_COUNT)

    @property
    def afterwards(self) -> int:
        """The maximum number of falls in a span that excludes the first moment of play."""
        return max(0, self.falls - self.in_opening)


@attrs.frozen
class Sight:
    """An observer's view of a place: the ground, a burst above it, and the hindrance.

    ``hindrance`` is in the units of the observer's game. ``known_enemy`` is true if an enemy in the
    place or next to it is seen and identified; ``upper`` is true if a higher part of the place (an
    upper floor) is seen. ``rule`` (rule ids of the observer's game) and ``why`` (a sentence)
    explain the result; both may be empty.

    >>> Sight(ground=False, burst=True, why="a crest hides the ground").partly
    False
    """

    ground: bool
    burst: bool
    hindrance: int = 0
    known_enemy: bool = False
    upper: bool = False
    rule: str = ""
    why: str = ""

    @property
    def partly(self) -> bool:
        """True if any part of the place can be seen: the ground or a higher part."""
        return self.ground or self.upper


@record
class Mission:
    """The neutral fields of a mission.

    Each asset has one mission; the parts keep further fields in their own slots. ``strength`` is
    the amount of fire requested, in normal concentrations of the game, and ``kind`` is the
    ammunition. Every part may read all fields; ``by`` names the parts that may change a field.

    >>> Mission().stage
    <Stage.IDLE: 'idle'>
    """

    stage: Stage = kept(
        Stage.IDLE, "the stage of the fire mission", "core", by=("requests", "delays", "areas")
    )
    reason: Reason | None = kept(None, "the reason why it ended", "core", by=("delays",))
    intent: Intent | None = kept(
        None, "the purpose of the shot under way", "core", by=("requests", "delays", "areas")
    )
    target: Place = kept(None, "the target of the mission", "core")
    aim: Place = kept(None, "the aim point of the guns", "core", by=("requests", "delays", "areas"))
    previous: Place = kept(None, "the impact of the round before the last", "core", by=("areas",))
    impact: Place = kept(
        None, "the impact of the last round or fire for effect", "core", word="round", by=("areas",)
    )
    forced: bool = kept(
        False, "whether the fire continues without an order", "core", by=("requests", "areas")
    )
    strength: Fraction = kept(
        Fraction(1),
        "the amount of fire, in the game's normal concentrations",
        "core",
        by=("requests",),
    )
    kind: FireKind = kept(FireKind.HE, "the kind of ammunition", "core", by=("requests", "delays"))
    fell: bool = kept(False, "whether fire for effect has fallen", "core")
    outcome: Outcome | None = kept(None, "the result of the request so far", "core", by=("delays",))
    answer: str = kept("", "the game's own term for that result", "core", by=("delays",))


@record
class Unit:
    """The neutral field of a unit: its place."""

    place: Place = kept(None, "the place of the unit", "core", by=("requests", "resolution"))


@record
class Decks:
    """The cards that have left their decks: drawn, discarded or held in a hand.

    For each card, the state records only the facts that rules have asked about.
    """

    out: tuple[tuple[str, str, tuple[int, ...], int], ...] = kept(
        (),
        "cards out of decks: the deck, the pile, the possible kinds, and a count",
        "core",
        by=("observers", "requests", "delays", "areas", "resolution"),
    )
