"""The neutral mission: stages, intents, reasons, severities, shots, sight, and the records every game shares."""

from enum import Enum, IntEnum
from fractions import Fraction

import attrs

from fireplan_core.record import Place, kept, record

REFEREE = "referee"
"""Say who answers questions of fact that no side may know."""


class Stage(Enum):
    """Say where a mission stands, in the words of every game."""

    IDLE = "idle"
    REQUESTED = "requested"
    DELAYED = "delayed"
    SPOTTING = "spotting"
    FALLING = "falling"
    LINGERING = "lingering"
    ENDED = "ended"


class Intent(Enum):
    """Say what a shot is for."""

    SPOTTING = "spotting"
    EFFECT = "effect"


class Reason(Enum):
    """Say why fire ceased or a mission ended."""

    DELIVERED = "delivered"
    CANCELLED = "cancelled"
    DENIED = "denied"
    EXHAUSTED = "exhausted"
    LOST = "lost"


FINAL = (Reason.EXHAUSTED, Reason.LOST)
"""Reasons after which the asset cannot be asked again."""


MISSION_EVENTS = frozenset({"requested", "spotting", "fall", "lingering", "ceased", "ended"})
"""Kinds of events by which the core tells how a mission goes: nothing that is confined to a place emits them."""


class Outcome(IntEnum):
    """Say how a request was answered, on one scale.

    Delays tell it, with the game's own word, and requests read it.
    """

    REFUSED = 0
    LATE = 1
    GOOD = 2
    VERY_GOOD = 3


class Severity(IntEnum):
    """Say what befell a unit, on one scale.

    Every game maps its own results in a documented table.
    """

    NONE = 0
    SUPPRESSED = 1
    REDUCED = 2
    DESTROYED = 3


class FireKind(Enum):
    """Say what is fired, in the words of every game."""

    HE = "HE"
    SMOKE = "smoke"
    WP = "white phosphorus"
    GAS = "gas"


@attrs.frozen
class Shot:
    """Say what strikes a place: the kind of fire, and how strong it is there.

    ``strength`` is how far the fire covers the place (0 to 1, as the areas part says) times that of the mission.
    """

    kind: FireKind = FireKind.HE
    strength: Fraction = attrs.field(
        default=Fraction(1), validator=attrs.validators.instance_of(Fraction | int)
    )


@attrs.frozen
class FireLimit:
    """Say how often fire for effect of a mission can fall at most, and with what strength each time (1 is normal)."""

    falls: int = attrs.field(
        validator=attrs.validators.and_(attrs.validators.instance_of(int), attrs.validators.ge(0))
    )
    strength: Fraction = attrs.field(
        default=Fraction(1), validator=attrs.validators.instance_of(Fraction | int)
    )


@attrs.frozen
class Sight:
    """Say what an observer sees of a place: the ground itself, the burst above it, and what hinders.

    ``hindrance`` is in the observing game's own count; ``known_enemy`` says whether an enemy there or next
    to it is seen and identified, ``upper`` whether a higher part of the place is seen (an upper floor). ``rule`` and
    ``why`` tell what allows or stops the sight, where the game says so: ids of the observing game's rules, and words.
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
        """Return whether any of the place is seen: the ground, or a higher part."""
        return self.ground or self.upper


@record
class Mission:
    """The neutral fields of a mission, one for each asset.

    Parts keep everything else in their own slot.

    ``strength`` is how much fire was asked for, in the game's own normal concentrations, ``kind`` what is fired. Every
    part may read them all; ``by`` are those that may change one.
    """

    stage: Stage = kept(
        Stage.IDLE, "how far the fire mission has come", "core", by=("requests", "delays", "areas")
    )
    reason: Reason | None = kept(None, "why it ended", "core", by=("delays",))
    intent: Intent | None = kept(
        None, "what a shot under way is for", "core", by=("requests", "delays", "areas")
    )
    target: Place = kept(None, "where the side wants the fire", "core")
    aim: Place = kept(None, "where the guns aim", "core", by=("requests", "delays", "areas"))
    previous: Place = kept(None, "where the round before the last landed", "core", by=("areas",))
    impact: Place = kept(
        None, "where the last round or fire for effect landed", "core", word="round", by=("areas",)
    )
    forced: bool = kept(
        False, "whether the fire goes on without being asked for", "core", by=("requests", "areas")
    )
    strength: Fraction = kept(
        Fraction(1), "how much, in the game's normal concentrations", "core", by=("requests",)
    )
    kind: FireKind = kept(FireKind.HE, "what is fired", "core", by=("requests", "delays"))
    fell: bool = kept(False, "whether fire for effect has fallen", "core")
    outcome: Outcome | None = kept(
        None, "how the request was answered, as far as it has been", "core", by=("delays",)
    )
    answer: str = kept("", "the game's own word for that outcome", "core", by=("delays",))


@record
class Unit:
    """The neutral fields of a unit that a step may change."""

    place: Place = kept(None, "where it stands", "core", by=("requests", "resolution"))


@record
class Decks:
    """The neutral field of all decks: of each card that is out, no more than rules have asked of it."""

    out: tuple[tuple[str, str, tuple[int, ...], int], ...] = kept(
        (),
        "cards out of decks: of which deck, in which pile, of which kinds, and how many",
        "core",
        by=("observers", "requests", "delays", "areas", "resolution"),
    )
