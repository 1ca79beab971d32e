"""The records and facts of all parts, and the staging of a neutral engagement.

Each part stages its own records, so that it also works at another game's table; every assumption is
noted. Scenario files are staged in ``scenarios``.
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
    GroundMap,
    GroundWorks,
    HexTerrain,
    Terrain,
    hexes_between,
)

# --- observers and artillery ---------------------------------------------------------------------
Supply = Literal["full", "low", "out"]


def _hex(text: str) -> Hex:
    """Return the hex with this printed label; raise ``CoordinateError`` naming the nearest hex."""
    return FRAME.layout.parse(text, virtual=False)


def hex_entry(text: str, default: Any = attrs.NOTHING) -> Any:
    """Return a form field for one or more hexes, written as on the map."""
    return entry(text, default, parse=_hex, example="2916")


@attrs.frozen(kw_only=True)
class UnitEntry:
    """``[[unit]]``: a unit; with ``type``, or with ``factors`` and ``range``, it is artillery.

    Firing depletes an artillery unit at once if it is in low supply (12.6.4) or out of supply.
    """

    name: str = entry("its name, which no other unit has", example="I-9")
    side: Side = entry("its side", example="US")
    under: str = entry("its headquarters", example="2nd-Division")
    hex: Hex = hex_entry("its hex")
    steps: int = entry("its steps", 3, range=(1, 9))
    mode: Mode = entry("its mode", "other")
    breakdown: bool = flag("whether it is a breakdown unit (12.1.6e)")
    armour: bool = flag("whether it is armoured")
    unobserved: bool = flag("whether the enemy does not observe it (12.4.0)")
    can_retreat: bool = entry(
        "whether the rules of retreat allow it to retreat (11.7)", default=True
    )
    on_road: bool = flag("whether it uses road movement (12.1.6f)")
    proficiency: int | None = entry("its proficiency rating (4.4.0)", None, range=(0, 10))
    leader: bool = flag("whether a leader is with it")
    sees: tuple[Hex, ...] = hex_entry(
        "hexes it has a line of sight to from its hex, besides the adjacent ones", ()
    )
    type: str | None = entry("artillery: its type on the type chart", None)
    factors: int = entry("artillery: Barrage Factors; 0: those of its type", 0, range=(0, 99))
    range: int = entry("artillery: range in hexes; 0: that of its type", 0, range=(0, 60))
    rocket: bool = flag("artillery: whether it fires rockets")
    supply: Supply = entry("artillery: its supply", "full")
    pocket: int | None = entry(
        "artillery: depletion value of its Pocket Supply Source", None, range=(0, 10)
    )
    depleted: bool = flag("artillery: whether it starts Ammo Depleted")

    @property
    def is_artillery(self) -> bool:
        """Return whether the unit is artillery, i.e. has a type or Barrage Factors."""
        return self.type is not None or bool(self.factors)


@attrs.frozen
class ObservingUnit:
    """A unit that may observe for barrages.

    ``under`` is its formation. ``sees`` contains the hexes to which it has a line of sight (8.4.0);
    if it is None, the observers part decides. ``hex`` is the starting hex, or None if that does not
    matter. On a map, works and vantage points belong to the hex instead.
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
    """The observation aircraft of a US division, and the hexes they can observe (12.1.6f)."""

    formation: str
    places: tuple[Place, ...]


@attrs.frozen
class Artillery:
    """A side's artillery, the units that may observe for it, and its command structure.

    ``depletion`` is the side's value if it differs from the printed one. ``trucks`` is the number
    of truck points allocated to ammunition (None: the Transport Table is not used). On a map,
    ``air`` is true if weather and light allow air observation, and ``on_road`` names the enemy
    units using road movement.
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
    """A side's line of sight: the declared one, or the units on the map that provide it."""

    declared: Sight | None = None
    units: tuple[ObservingUnit, ...] = ()


# --- records -------------------------------------------------------------------------------------
@record
class Sequence:
    """The sides whose Barrage Segments are played in turn, and the index of the next side.

    Without sides every mission may barrage in every segment, and the rest of the turn is not
    played.
    """

    active: tuple[str, ...] = kept(
        (), "the sides whose Barrage Segments are played in turn", "12.0"
    )
    turn: int = kept(0, "the index of the next segment among them, from 0", "12.0", between=COUNT)


@record
class Segment:
    """The current Barrage Segment: the hexes barraged by each side, and the minutes left in it.

    ``asked`` names the missions that have had their opportunity in this moment. When one of them is
    asked again, the next moment has begun.
    """

    hexes: tuple[tuple[str, Place], ...] = kept(
        (), "hexes barraged in this segment, each with the firing side", "12.1.1"
    )
    minutes: Fraction = kept(Fraction(0), "minutes left of the segment", "12.0")
    asked: tuple[str, ...] = kept(
        (), "the missions that have had their opportunity in this moment", "12.1.0"
    )


@record
class ArtilleryState:
    """A mission's artillery in this segment: factors fired, depletion, advances."""

    used: tuple[tuple[str, int, int], ...] = kept(
        (), "for each unit that fired: factors used, barrages", "12.1.4"
    )
    firing: tuple[str, ...] = kept((), "the units taking part in the current barrage", "12.1.2")
    depleted: tuple[str, ...] = kept((), "the units that are Ammo Depleted", "12.6.2")
    formation: str | None = kept(None, "the formation of the barrage's observer", "12.1.5")
    transport: int = kept(0, "the current change to the depletion value", "12.6.1")
    advanced: tuple[str, ...] = kept(
        (), "the units that advanced after a barrage in this segment", "12.5.0"
    )
    dismissed: tuple[str, ...] = kept(
        (), "the units that removed their Prepared Assault marker when they advanced", "12.5.0"
    )


@record
class Sighting:
    """The current barrage on a map: how it is observed, and whether only rocket units fire."""

    observed: bool = kept(False, "whether the current barrage is observed", "12.1.6")
    air: bool = kept(False, "whether the current barrage is Air Observed", "12.1.6f")
    vantage: bool = kept(False, "whether its observer is on a Vantage Point", "12.1.6d")
    rockets: bool = kept(False, "whether only rocket units fire the current barrage", "12.1.2")


# --- targets -------------------------------------------------------------------------------------
@attrs.frozen
class Firing:
    """The facts that modify a side's volleys: rockets, night and the map."""

    rockets: bool = False
    night: bool = False
    ground: GroundMap = BLANK


@record
class UnitState:
    """A unit's steps and markers; ``shift`` counts its Artillery Shift markers."""

    steps: int = kept(1, "steps of the unit", "12.4.1a", between=COUNT)
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
"""Maps an engagement's kind of weapon to the kinds that can represent it, best first."""


def _nation(engagement: Engagement) -> Side | None:
    """Return the firing side, US or GE, or None for another nationality."""
    return NATIONS.get(engagement.firer.nationality.strip().lower())


def _ceil(number: int, divisor: int) -> int:
    """Return ``number`` divided by ``divisor``, rounded up."""
    return -(-number // divisor)


def _nearest_type(
    types: Iterable[ArtilleryType], nation: str, asset: Asset, percent: int
) -> ArtilleryType | None:
    """Return the nation's artillery type that represents an asset best, or None if none does.

    The kind of weapon counts first, in the order of ``WEAPONS``, then the calibre, which may differ
    by at most ``percent`` per cent. If two types are equally near, the first is returned.
    """

    def off(listed: ArtilleryType) -> int:
        return abs(listed.calibre_mm - asset.calibre_mm)

    for kind in WEAPONS.get(asset.weapon, ()):
        own = [listed for listed in types if (listed.nationality, listed.weapon) == (nation, kind)]
        near = [listed for listed in own if 100 * off(listed) <= percent * asset.calibre_mm]
        if near:
            return min(near, key=off)
    return None


# --- places --------------------------------------------------------------------------------------
def _beside(staging: Staging, place: Place) -> Place:
    """Return the place, or the hex north if it is the target hex: enemies never share a hex."""
    if place == staging.centre and staging.frame == FRAME:
        return neighbours(staging.centre)[0]
    return place


def _guns_place(staging: Staging) -> Place:
    return _beside(staging, staging.at(0.0, -float(staging.engagement.asset.range_m)))


def _own_place(staging: Staging) -> Place | None:
    """Return the place of the firer's own troops, or None if there are none."""
    return None if staging.own_place is None else _beside(staging, staging.own_place)


def _observation(staging: Staging, charts: Charts) -> Literal["ground", "air"] | None:
    """Return how the target is observed, or None if it is not observed (12.1.6f, 12.1.6g)."""
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


# --- staging -------------------------------------------------------------------------------------
def stage_sight(staging: Staging, charts: Charts) -> None:
    """Stage the line of sight: the target is observed if a unit or aircraft sees it clearly."""
    seen = _observation(staging, charts) is not None
    burst = seen or staging.engagement.observer.sight == "burst_only"
    declared = Lookouts(Sight(ground=seen, burst=burst, known_enemy=seen))
    for mission in staging.assets:
        staging.mission(mission, "observers", facts=declared)


def stage_artillery(staging: Staging, charts: Charts) -> None:
    """Stage the observer, and battalions of one artillery type in the observer's division.

    A nation without artillery in the game is refused, and so are guns unlike any type or out of
    range.
    """
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
        why = f"none is listed within {percent} % of the calibre"
        return staging.cannot(f"no {nation} artillery unit represents {weapon}: {why}")
    place = _guns_place(staging)
    distance = hexes_between(staging.frame, place, staging.centre)
    number = _ceil(asset.guns, numbers["guns_per_battalion"])
    scarce = asset.ammunition == "scarce"
    worth = f"factor {kind.factors}, range {kind.range_hexes} (reconstructed values)"
    staging.note(
        f"{asset.guns} {weapon} count as {number} x {kind.name}, {worth}, of the observer's own division"
    )
    staging.note(
        "an engagement has no Administrative Phase: a depleted unit stays depleted (12.6.3)"
    )
    if scarce:
        staging.note(
            "scarce ammunition counts as low supply: every unit that fires is depleted (12.6.4)"
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
            mission,
            "requests",
            ArtilleryState(),
            Artillery(nation, units, observers, command, aircraft),
        )
    return None


def _watching(
    staging: Staging, charts: Charts
) -> tuple[tuple[ObservingUnit, ...], tuple[Aircraft, ...]]:
    """Return the units and the aircraft that observe the target.

    If the engagement's observer cannot observe, a note gives the reason.
    """
    observer = staging.engagement.observer
    how = _observation(staging, charts)
    if how == "air":
        return (), (Aircraft("division", staging.target_places()),)
    if how == "ground":
        mode: Mode = "prepared_assault" if observer.footing == "attack" else "other"
        return (ObservingUnit("observer", "division", mode, WORKS[observer.works]),), ()
    if observer.kind != "none":
        names = {
            "clear": f"{observer.kind} observer",
            "burst_only": "burst above the hex",
            "none": "observer",
        }
        staging.note(
            f"{names[observer.sight]} gives no line of sight to the target here: unobserved (12.1.6g)"
        )
    return (), ()


def stage_troops(staging: Staging, charts: Charts) -> None:
    """Stage the target's battalions of up to three steps, and the firer's own troops."""
    engagement, numbers = staging.engagement, charts["numbers"]
    target, a_step = engagement.target, numbers["men_per_step"]
    steps = _ceil(target.men, a_step)
    dug: GroundWorks = "improved_position" if target.posture == "dug_in" else "none"
    works: GroundWorks = "entrenchment" if target.cover == "trench" else dug
    # In the areas of another game, fire may cover only a part of these troops; in hexes a mile
    # wide it covers them all.
    coarse = isinstance(staging.frame, HexFrame) and staging.frame.spacing_m >= FRAME.spacing_m
    extent = Fraction(0) if coarse else Fraction(max(target.frontage_m, target.depth_m), 2)
    places = staging.target_places() if coarse else (staging.centre,)
    number = max(len(places), _ceil(steps, numbers["steps_per_unit"]))
    ground = GroundMap(
        tuple((place, HexTerrain((TERRAIN[target.cover],), works)) for place in places)
    )
    for mission in staging.assets:
        firing = Firing(engagement.asset.weapon == "rocket", engagement.situation.night, ground)
        staging.mission(mission, "resolution", facts=firing)
    for n in range(number):
        men = target.men * (n + 1) // number - target.men * n // number
        body = UnitState(steps=max(1, steps * (n + 1) // number - steps * n // number))
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
        "there is no map behind the target: a retreat is only marked, and later barrages still hit the unit"
    )
    count = "1 step" if steps == 1 else f"{steps} steps"
    staging.note(f"{target.men} men count as {count}: a company for every {a_step} men or fewer")
    own, place = engagement.own_troops, _own_place(staging)
    if own is not None and place is not None:
        if place != staging.own_place:
            staging.note(
                "own troops nearer than a hex are placed in the next hex: enemies never share one"
            )
        body = UnitState(steps=_ceil(own.men, a_step))
        staging.unit("own", staging.firer, place, strength=own.men, slot=body, facts=_men(staging))


def _men(staging: Staging) -> UnitEntry:
    """Return placeholder facts for the units of an engagement, in the target hex."""
    return UnitEntry(name="", side="US", under="", hex=staging.centre)


def note_charts(staging: Staging, charts: Charts) -> None:
    """Note the provenance of the die-roll modifiers, and of a Barrage Results Table not printed."""
    results, drm = charts["barrage_results"], charts["barrage_drm"]
    if results.provenance != "printed":
        staging.note(f"the Barrage Results Table is {results.provenance} ({results.source})")
    staging.note(f"the {drm.title} is {drm.provenance} from the successor edition of 2020")
