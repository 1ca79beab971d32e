"""The records and facts of all parts, and what a neutral engagement is in this game.

Each part stages what it brings, be it alone on another game's table; every reading that is an
assumption is noted. What a scenario file stages is in ``scenarios``.
"""

# ruff: noqa: RUF009 - the fields of a form are made by functions
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, Final, Literal

import attrs

from fireplan_core import COUNT, Asset, Engagement, Place, Sight, Staging, kept, record
from fireplan_core.files import entry, flag
from fireplan_core.space import Hex, HexFrame, neighbours
from fireplan_wacht_am_rhein.charts import ArtilleryType
from fireplan_wacht_am_rhein.command import Command, Headquarters, Mode, Side, Works
from fireplan_wacht_am_rhein.ground import (
    BLANK,
    FRAME,
    Cell,
    GroundMap,
    GroundWorks,
    Terrain,
    hexes_between,
)

# --- who may observe and fire --------------------------------------------------------------------
Supply = Literal["full", "low", "out"]


def _hex(text: str) -> Hex:
    """Return a hex on the map by its printed label.

    ``CoordinateError`` with the nearest one for any other text.
    """
    return FRAME.layout.parse(text, virtual=False)


def hex_entry(text: str, default: Any = attrs.NOTHING) -> Any:
    """Return a field of a form that holds a hex or several, written as on the map."""
    return entry(text, default, parse=_hex, example="2916")


@attrs.frozen(kw_only=True)
class UnitEntry:
    """``[[unit]]``: a unit; one with ``type`` or with ``factors`` and ``range`` is artillery.

    Firing depletes a unit short of supply at once: in low supply, and out of supply, which is no
    better (12.6.4).
    """

    name: str = entry("the unit, a name of its own", example="I-9")
    side: Side = entry("whose it is", example="US")
    under: str = entry("its headquarters", example="2nd-Division")
    hex: Hex = hex_entry("where it stands")
    steps: int = entry("its steps", 3, range=(1, 9))
    mode: Mode = entry("its mode", "other")
    breakdown: bool = flag("whether it is a breakdown unit (12.1.6e)")
    armour: bool = flag("whether it is armoured")
    unobserved: bool = flag("whether the enemy does not observe it (12.4.0)")
    can_retreat: bool = entry("whether the rules of retreat let it go (11.7)", default=True)
    on_road: bool = flag("whether it uses road movement (12.1.6f)")
    proficiency: int | None = entry("its proficiency rating (4.4.0)", None, range=(0, 10))
    leader: bool = flag("whether a leader is with it")
    sees: tuple[Hex, ...] = hex_entry(
        "hexes it has a line of sight to from there, besides its neighbours", ()
    )
    type: str | None = entry("artillery: its type, as the type chart has it", None)
    factors: int = entry("artillery: Barrage Factors; 0: as its type has", 0, range=(0, 99))
    range: int = entry("artillery: range in hexes; 0: as its type has", 0, range=(0, 60))
    rocket: bool = flag("artillery: whether it fires rockets")
    supply: Supply = entry("artillery: its supply", "full")
    pocket: int | None = entry(
        "artillery: depletion value of the Pocket Supply Source it draws on", None, range=(0, 10)
    )
    depleted: bool = flag("artillery: whether it starts Ammo Depleted")
    defence: int | None = entry("artillery: defence strength", None, range=(0, 99))
    at: int | None = entry("artillery: anti-tank value", None, range=(0, 99))
    red_hexagon: bool = flag("artillery: whether it has the red hexagon")

    @property
    def is_artillery(self) -> bool:
        """Tell whether it has Barrage Factors."""
        return self.type is not None or bool(self.factors)


@attrs.frozen
class ObservingUnit:
    """A unit that may observe: its formation, its mode and works, and whether it stands on a vantage point.

    ``under`` is its formation, ``sees`` are the hexes to which it has a line of sight (8.4.0); None leaves that to the
    table's observers. ``hex`` is where it starts, None where that does not matter. On a map works and vantage are those
    of the hex.
    """

    name: str
    under: str
    mode: Mode = "other"
    works: Works = "none"
    vantage: bool = False
    breakdown: bool = False
    sees: tuple[Place, ...] | None = None
    hex: Place | None = None


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

    nation: Side
    artillery: tuple[UnitEntry, ...]
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
    turn: int = kept(
        0, "the number of the present segment among them, from 0", "12.0", between=COUNT
    )


@record
class Segment:
    """The barrage segment that is being played: its target hexes by side, and how many minutes of it are left.

    ``asked`` are the assets that had their opportunity in this moment, so that the first to come again opens the
    next one whatever the clock of the table is.
    """

    hexes: tuple[tuple[str, Place], ...] = kept(
        (), "hexes barraged in this segment, each with its firer", "12.1.1"
    )
    minutes: Fraction = kept(Fraction(0), "minutes that are left of the segment", "12.0")
    asked: tuple[str, ...] = kept(
        (), "the assets that had their opportunity in this moment", "12.1.0"
    )


@record
class Fired:
    """Say what an asset has done in this segment, and which of its units are depleted."""

    used: tuple[tuple[str, int, int], ...] = kept(
        (), "units that fired: factors used, barrages", "12.1.4"
    )
    firing: tuple[str, ...] = kept(
        (), "the units that take part in the barrage under way", "12.1.2"
    )
    depleted: tuple[str, ...] = kept((), "the units that are Ammo Depleted", "12.6.2")
    formation: str | None = kept(None, "the formation of the barrage's observer", "12.1.5")
    transport: int = kept(0, "the change of the depletion value that is in force", "12.6.1")
    advanced: tuple[str, ...] = kept(
        (), "the units that advanced after a barrage in this segment", "12.5.0"
    )
    dismissed: tuple[str, ...] = kept(
        (), "the units that took off their Prepared Assault marker to advance", "12.5.0"
    )


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


@record
class Body:
    """A unit's steps and markers; ``shift`` counts its Artillery Shift markers."""

    steps: int = kept(1, "steps that the unit has", "12.4.1a", between=COUNT)
    shift: int = kept(0, "Artillery Shift markers on the unit", "12.4.3", between=COUNT)
    fatigue: bool = kept(False, "whether the unit has a Fatigue marker", "12.4.2a")
    retreated: bool = kept(False, "whether the unit has retreated in this barrage", "12.4.1b")


Charts = Mapping[str, Any]

NATIONS: Final[Mapping[str, Side]] = {"american": "US", "us": "US", "german": "GE"}
TERRAIN: Final[Mapping[str, Terrain]] = {
    "open": "clear",
    "woods": "woods",
    "buildings": "village",
    "trench": "clear",
}
WORKS: Final[Mapping[str, Works]] = {
    "none": "none",
    "improved": "improved_position",
    "entrenched": "entrenchment_or_fortification",
}
WEAPONS: Final = {
    "howitzer": ("howitzer", "gun"),
    "gun": ("gun", "howitzer"),
    "rocket": ("rocket",),
}
"""Say what may stand for a weapon, its own kind first; a rocket stands only for a rocket."""


def _nation(engagement: Engagement) -> Side | None:
    """Return the firing side, US or GE; None for any other nationality."""
    return NATIONS.get(engagement.firer.nationality.strip().lower())


def _started(number: int, each: int) -> int:
    """Return how many lots of ``each`` are begun by a number."""
    return -(-number // each)


def _nearest_type(
    types: Iterable[ArtilleryType], nation: str, asset: Asset, percent: int
) -> ArtilleryType | None:
    """Return the listed type nearest in calibre, None when none is within so many per cent."""

    def off(one: ArtilleryType) -> int:
        return abs(one.calibre_mm - asset.calibre_mm)

    for kind in WEAPONS.get(asset.weapon, ()):
        own = [one for one in types if (one.nationality, one.weapon) == (nation, kind)]
        near = [one for one in own if 100 * off(one) <= percent * asset.calibre_mm]
        if near:
            return min(near, key=off)
    return None


# --- places --------------------------------------------------------------------------------------
def _beside(staging: Staging, place: Place) -> Place:
    """Return the place itself, or the hex north of the target: friend and foe never share a hex."""
    if place == staging.centre and staging.frame == FRAME:
        return neighbours(staging.centre)[0]
    return place


def _guns_place(staging: Staging) -> Place:
    return _beside(staging, staging.at(0.0, -float(staging.engagement.asset.range_m)))


def _own_place(staging: Staging) -> Place | None:
    """Return where the firer's own troops stand, if there are any."""
    return None if staging.own_place is None else _beside(staging, staging.own_place)


def _observation(staging: Staging, charts: Charts) -> Literal["ground", "air"] | None:
    """Return how the target is observed: by a unit, from the air (12.1.6f), or not at all (12.1.6g)."""
    engagement = staging.engagement
    observer = engagement.observer
    if observer.kind == "none" or observer.sight != "clear":
        return None
    if observer.kind != "aircraft":
        return "ground"
    own = [place for place in (_guns_place(staging), _own_place(staging)) if place is not None]
    nearest = min(hexes_between(staging.frame, place, staging.centre) for place in own)
    possible = (
        _nation(engagement) == "US"
        and engagement.target.cover == "open"
        and not engagement.situation.night
        and nearest <= charts["barrage_limits"].air_radius_hexes
    )
    return "air" if possible else None


# --- what each part brings -----------------------------------------------------------------------
def stage_sight(staging: Staging, charts: Charts) -> None:
    """Stage the sight: a target that is seen clearly, by somebody who may observe, is observed."""
    seen = _observation(staging, charts) is not None
    burst = seen or staging.engagement.observer.sight == "burst_only"
    declared = Lookouts(Sight(ground=seen, burst=burst, known_enemy=seen))
    for mission in staging.assets:
        staging.mission(mission, "observers", facts=declared)


def stage_artillery(staging: Staging, charts: Charts) -> None:
    """Stage the artillery: battalions of one type in the observer's division, and the observer in mode and works."""
    engagement, numbers = staging.engagement, charts["numbers"]
    asset, nation = engagement.asset, _nation(engagement)
    if nation is None:
        nationality = engagement.firer.nationality
        return staging.cannot(
            f"only US and German artillery is in the game, not {nationality} (12.6.1)"
        )
    percent = numbers["calibre_percent"]
    kind = _nearest_type(charts["artillery_types"].types.values(), nation, asset, percent)
    weapon = f"{asset.calibre_mm} mm {asset.weapon}s"
    if kind is None:
        why = f"none is listed within {percent} per cent of the calibre"
        return staging.cannot(f"no {nation} artillery unit stands for {weapon}: {why}")
    place = _guns_place(staging)
    distance = hexes_between(staging.frame, place, staging.centre)
    number = _started(asset.guns, numbers["guns_per_battalion"])
    scarce = asset.ammunition == "scarce"
    worth = f"factor {kind.factors}, range {kind.range_hexes} (reconstructed values)"
    staging.note(
        f"{asset.guns} {weapon} stand as {number} x {kind.name}, {worth}, of the observer's own division"
    )
    staging.note(
        "no administrative phase falls into an engagement: a depleted unit stays depleted (12.6.3)"
    )
    if scarce:
        staging.note(
            "scarce ammunition is taken as low supply: every unit that fires is depleted (12.6.4)"
        )
    observers, aircraft = _watching(staging, charts)
    if distance > kind.range_hexes:
        staging.cannot(
            f"out of range: {distance} hexes of {kind.range_hexes} for {kind.name} (12.1.3)"
        )
    command = Command((Headquarters("division", "division"),))
    staging.share("requests", Segment())
    for mission in staging.assets:
        units = tuple(
            UnitEntry(
                name=f"{mission}{n + 1}",
                side=nation,
                under="division",
                hex=place,
                factors=kind.factors,
                range=kind.range_hexes,
                supply="low" if scarce else "full",
            )
            for n in range(number)
        )
        staging.mission(
            mission, "requests", Fired(), Artillery(nation, units, observers, command, aircraft)
        )
    return None


def _watching(
    staging: Staging, charts: Charts
) -> tuple[tuple[ObservingUnit, ...], tuple[Aircraft, ...]]:
    """Return the units and the aircraft that observe.

    Where nobody does though somebody is there, note why.
    """
    observer = staging.engagement.observer
    how = _observation(staging, charts)
    if how == "air":
        return (), (Aircraft("division", staging.target_places()),)
    if how == "ground":
        mode: Mode = "prepared_assault" if observer.footing == "attack" else "other"
        return (ObservingUnit("observer", "division", mode, WORKS[observer.works]),), ()
    if observer.kind != "none":
        what = {
            "clear": f"{observer.kind} observer",
            "burst_only": "burst above the hex",
            "none": "observer",
        }
        staging.note(
            f"{what[observer.sight]} gives no line of sight to the target here: unobserved (12.1.6g)"
        )
    return (), ()


def stage_troops(staging: Staging, charts: Charts) -> None:
    """Stage the troops: battalions of up to three steps in the target's hex, and own troops in theirs."""
    engagement, numbers = staging.engagement, charts["numbers"]
    target, a_step = engagement.target, numbers["men_per_step"]
    steps = _started(target.men, a_step)
    dug: GroundWorks = "improved_position" if target.posture == "dug_in" else "none"
    works: GroundWorks = "entrenchment" if target.cover == "trench" else dug
    # Fire of another game may cover less than this body of troops; in a mile hex it never does.
    coarse = isinstance(staging.frame, HexFrame) and staging.frame.spacing_m >= FRAME.spacing_m
    extent = Fraction(0) if coarse else Fraction(max(target.frontage_m, target.depth_m), 2)
    places = staging.target_places() if coarse else (staging.centre,)
    number = max(len(places), _started(steps, numbers["steps_per_unit"]))
    ground = GroundMap(tuple((one, Cell((TERRAIN[target.cover],), works)) for one in places))
    for mission in staging.assets:
        firing = Firing(engagement.asset.weapon == "rocket", engagement.situation.night, ground)
        staging.mission(mission, "resolution", facts=firing)
    for n in range(number):
        men = target.men * (n + 1) // number - target.men * n // number
        body = Body(steps=max(1, steps * (n + 1) // number - steps * n // number))
        staging.unit(
            f"t{n + 1}",
            staging.target_side,
            places[n % len(places)],
            strength=men,
            slot=body,
            facts=_men(staging),
            extent=extent,
        )
    note_charts(staging, charts)
    staging.note(
        "a retreat is marked on its unit, which later barrages follow: no map lies behind the target"
    )
    staging.note(f"{target.men} men count {steps} steps: a company for every {a_step} men or fewer")
    own, place = engagement.own_troops, _own_place(staging)
    if own is not None and place is not None:
        if place != staging.own_place:
            staging.note(
                "own troops nearer than a hex stand in the next hex: friend and foe never share one"
            )
        body = Body(steps=_started(own.men, a_step))
        staging.unit("own", staging.firer, place, strength=own.men, slot=body, facts=_men(staging))


def _men(staging: Staging) -> UnitEntry:
    """Return a unit of which an engagement says nothing but where it stands."""
    return UnitEntry(name="", side="US", under="", hex=staging.centre)


def note_charts(staging: Staging, charts: Charts) -> None:
    """Note what the charts in use rest on."""
    results, drm = charts["barrage_results"], charts["barrage_drm"]
    if results.provenance != "printed":
        staging.note(f"the Barrage Results Table is {results.provenance} ({results.source})")
    staging.note(
        f"the barrage die-roll modifiers are {drm.provenance} from the successor edition of 2020"
    )
