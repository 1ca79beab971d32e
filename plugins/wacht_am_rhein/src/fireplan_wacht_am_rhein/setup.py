"""The records and facts of all parts: what ``engagement`` and ``scenarios`` stage of an engagement and a file."""

from fractions import Fraction

import attrs

from fireplan_core import COUNT, Place, Sight, kept, record
from fireplan_wacht_am_rhein.command import Command
from fireplan_wacht_am_rhein.ground import BLANK, GroundMap
from fireplan_wacht_am_rhein.limits import Mode, Works


# --- who may observe and fire --------------------------------------------------------------------
@attrs.frozen
class ArtilleryUnit:
    """An artillery unit: its printed factors and range in hexes, and the headquarters it belongs to.

    ``place`` is where it starts. ``pocket`` is the depletion value of the Pocket Supply Source it draws on, None for
    its side's own value (12.6.1). ``defence``, ``at`` (anti-tank value) and ``red_hexagon`` are what it is worth
    beside its barrages, None where that is not known (12.6.2).
    """

    name: str
    factors: int
    range_hexes: int
    place: Place
    under: str
    low_supply: bool = False
    out_of_supply: bool = False
    pocket: int | None = None
    defence: int | None = None
    at: int | None = None
    red_hexagon: bool = False
    rocket: bool = False


@attrs.frozen
class ObservingUnit:
    """A unit that may observe: its formation, mode and works, and whether it stands on a vantage point.

    ``sees`` are the hexes to which it has a line of sight (8.4.0); None leaves that to the table's observers.
    ``place`` is where it starts, None where that does not matter. On a map works and vantage are those of the hex.
    """

    name: str
    formation: str
    mode: Mode = "other"
    works: Works = "none"
    vantage: bool = False
    breakdown: bool = False
    sees: tuple[Place, ...] | None = None
    place: Place | None = None


@attrs.frozen
class Aircraft:
    """The observation aircraft of a US division (12.1.6f): the hexes in which it can spot an enemy."""

    formation: str
    places: tuple[Place, ...]


@attrs.frozen
class Artillery:
    """Say what a side brings to its barrages: artillery, who may observe, and the command structure between them.

    ``depletion`` is the side's value where it is not the printed one, ``trucks`` its truck points on ammunition
    (None: the Transport Table is not used). On a map ``air`` tells whether weather and light let aircraft observe,
    and ``on_road`` which enemy units started on road movement.
    """

    nation: str
    artillery: tuple[ArtilleryUnit, ...]
    observers: tuple[ObservingUnit, ...]
    command: Command
    aircraft: tuple[Aircraft, ...] = ()
    depletion: int | None = None
    trucks: int | None = None
    ground: GroundMap = BLANK
    air: bool = False
    on_road: tuple[str, ...] = ()


@attrs.frozen
class Lookouts:
    """Say who sees for a side: as declared, or units on the map."""

    declared: Sight | None = None
    units: tuple[ObservingUnit, ...] = ()


# --- what is kept of a barrage -------------------------------------------------------------------
@record
class Sequence:
    """Whose Barrage Segments follow one another, again and again, and the number of the present one among them.

    Without sides every asset may barrage in every segment, and nothing else of a turn is played.
    """

    active: tuple[str, ...] = kept((), "whose Barrage Segments follow one another", "12.0")
    turn: int = kept(0, "the number of the present segment among them, from 0", "12.0", between=COUNT)


@record
class Segment:
    """The barrage segment that is being played: its target hexes by side, and how many minutes of it are left.

    ``asked`` are the assets that had their opportunity in this moment, so that the first to come again opens the
    next one whatever the clock of the table is.
    """

    hexes: tuple[tuple[str, Place], ...] = kept((), "hexes barraged in this segment, each with its firer", "12.1.1")
    minutes: Fraction = kept(Fraction(0), "minutes that are left of the segment", "12.0")
    asked: tuple[str, ...] = kept((), "the assets that had their opportunity in this moment", "12.1.0")


@record
class Fired:
    """Say what an asset has done in this segment, and which of its units are depleted."""

    used: tuple[tuple[str, int, int], ...] = kept((), "units that fired: factors used, barrages", "12.1.4")
    firing: tuple[str, ...] = kept((), "the units that take part in the barrage under way", "12.1.2")
    depleted: tuple[str, ...] = kept((), "the units that are Ammo Depleted", "12.6.2")
    formation: str | None = kept(None, "the formation of the barrage's observer", "12.1.5")
    transport: int = kept(0, "the change of the depletion value that is in force", "12.6.1")
    advanced: tuple[str, ...] = kept((), "the units that advanced after a barrage in this segment", "12.5.0")
    dismissed: tuple[str, ...] = kept((), "the units that took off their Prepared Assault marker to advance", "12.5.0")


@record
class Sighting:
    """The barrage under way, on a map: observed, from the air, from a vantage point, by rocket units alone."""

    observed: bool = kept(False, "whether the barrage under way is observed", "12.1.6")
    air: bool = kept(False, "whether the barrage under way is Air Observed", "12.1.6f")
    vantage: bool = kept(False, "whether its observer is on a Vantage Point", "12.1.6d")
    rockets: bool = kept(False, "whether rocket units alone fire the barrage under way", "12.1.2")


# --- who is hit ----------------------------------------------------------------------------------
@attrs.frozen
class Firing:
    """Say what bears on the dice of a side: rockets, night, and what lies on the ground."""

    rockets: bool = False
    night: bool = False
    ground: GroundMap = BLANK


@attrs.frozen
class Troops:
    """A unit: its armour and mode, whether it can be seen or retreat; its proficiency rating and leader (4.4.0).

    Aircraft see a unit that uses road movement (``on_road``) whatever its cover.
    """

    armour: bool = False
    strategic: bool = False
    observed: bool = True
    on_road: bool = False
    can_retreat: bool = True
    proficiency: int | None = None
    leader: bool = False


@record
class Body:
    """A unit's steps and markers; ``shift`` counts its Artillery Shift markers."""

    steps: int = kept(1, "steps that the unit has", "12.4.1a", between=COUNT)
    shift: int = kept(0, "Artillery Shift markers on the unit", "12.4.3", between=COUNT)
    fatigue: bool = kept(False, "whether the unit has a Fatigue marker", "12.4.2a")
    retreated: bool = kept(False, "whether the unit has retreated in this barrage", "12.4.1b")
