"""Say what a neutral engagement is in this game: sides, artillery types, observation, steps.

Each part stages what it brings, be it alone on another game's table; every reading that is an assumption is noted.
"""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, Final, Literal

from fireplan_core import Asset, Engagement, Place, Sight, Staging
from fireplan_core.space import HexFrame, neighbours
from fireplan_wacht_am_rhein.charts import ArtilleryType
from fireplan_wacht_am_rhein.command import Command, Headquarters
from fireplan_wacht_am_rhein.ground import FRAME, HEX_METRES, Cell, GroundMap, hexes_between
from fireplan_wacht_am_rhein.limits import Mode, Works
from fireplan_wacht_am_rhein.setup import (
    Aircraft,
    Artillery,
    ArtilleryUnit,
    Body,
    Fired,
    Firing,
    Lookouts,
    ObservingUnit,
    Segment,
    Troops,
)

Charts = Mapping[str, Any]

NATIONS: Final = {"american": "US", "us": "US", "german": "GE"}
TERRAIN: Final = {"open": "clear", "woods": "woods", "buildings": "village", "trench": "clear"}
WORKS: Final[Mapping[str, Works]] = {
    "none": "none",
    "improved": "improved_position",
    "entrenched": "entrenchment_or_fortification",
}
WEAPONS: Final = {"howitzer": ("howitzer", "gun"), "gun": ("gun", "howitzer"), "rocket": ("rocket",)}
"""Say what may stand for a weapon, its own kind first; a rocket stands only for a rocket."""


def _nation(engagement: Engagement) -> str | None:
    """Return the firing side, US or GE; None for any other nationality."""
    return NATIONS.get(engagement.firer.nationality.strip().lower())


def _started(number: int, each: int) -> int:
    """Return how many lots of ``each`` are begun by a number."""
    return -(-number // each)


def _nearest_type(types: Iterable[ArtilleryType], nation: str, asset: Asset, percent: int) -> ArtilleryType | None:
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
def sight(staging: Staging, charts: Charts) -> None:
    """Stage the sight: a target that is seen clearly, by somebody who may observe, is observed."""
    seen = _observation(staging, charts) is not None
    burst = seen or staging.engagement.observer.sight == "burst_only"
    declared = Lookouts(Sight(ground=seen, burst=burst, known_enemy=seen))
    for mission in staging.assets:
        staging.mission(mission, "observers", facts=declared)


def artillery(staging: Staging, charts: Charts) -> None:
    """Stage the artillery: battalions of one type in the observer's division, and the observer in mode and works."""
    engagement, numbers = staging.engagement, charts["numbers"]
    asset, nation = engagement.asset, _nation(engagement)
    if nation is None:
        nationality = engagement.firer.nationality
        return staging.cannot(f"only US and German artillery is in the game, not {nationality} (12.6.1)")
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
    staging.note(f"{asset.guns} {weapon} stand as {number} x {kind.name}, {worth}, of the observer's own division")
    staging.note("no administrative phase falls into an engagement: a depleted unit stays depleted (12.6.3)")
    if scarce:
        staging.note("scarce ammunition is taken as low supply: every unit that fires is depleted (12.6.4)")
    observers, aircraft = _watching(staging, charts)
    if distance > kind.range_hexes:
        staging.cannot(f"out of range: {distance} hexes of {kind.range_hexes} for {kind.name} (12.1.3)")
    command = Command((Headquarters("division", "formation"),))
    staging.share("requests", Segment())
    for mission in staging.assets:
        units = tuple(
            ArtilleryUnit(f"{mission}{n + 1}", kind.factors, kind.range_hexes, place, "division", low_supply=scarce)
            for n in range(number)
        )
        staging.mission(mission, "requests", Fired(), Artillery(nation, units, observers, command, aircraft))
    return None


def _watching(staging: Staging, charts: Charts) -> tuple[tuple[ObservingUnit, ...], tuple[Aircraft, ...]]:
    """Return the units and the aircraft that observe; where nobody does though somebody is there, note why."""
    observer = staging.engagement.observer
    how = _observation(staging, charts)
    if how == "air":
        return (), (Aircraft("division", staging.target_places()),)
    if how == "ground":
        mode: Mode = "prepared_assault" if observer.footing == "attack" else "other"
        return (ObservingUnit("observer", "division", mode, WORKS[observer.works]),), ()
    if observer.kind != "none":
        what = {"clear": f"{observer.kind} observer", "burst_only": "burst above the hex", "none": "observer"}
        staging.note(f"{what[observer.sight]} gives no line of sight to the target here: unobserved (12.1.6g)")
    return (), ()


def troops(staging: Staging, charts: Charts) -> None:
    """Stage the troops: battalions of up to three steps in the target's hex, and own troops in theirs."""
    engagement, numbers = staging.engagement, charts["numbers"]
    target, a_step = engagement.target, numbers["men_per_step"]
    steps = _started(target.men, a_step)
    works = {"trench": "entrenchment"}.get(target.cover, "improved_position" if target.posture == "dug_in" else "none")
    # Fire of another game may cover less than this body of troops; in a mile hex it never does.
    coarse = isinstance(staging.frame, HexFrame) and staging.frame.spacing_m >= HEX_METRES
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
            f"t{n + 1}", staging.target_side, places[n % len(places)], strength=men, slot=body, facts=Troops(),
            extent=extent,
        )  # fmt: skip
    note_charts(staging, charts)
    staging.note("a retreat is marked on its unit, which later barrages follow: no map lies behind the target")
    staging.note(f"{target.men} men count {steps} steps: a company for every {a_step} men or fewer")
    own, place = engagement.own_troops, _own_place(staging)
    if own is not None and place is not None:
        if place != staging.own_place:
            staging.note("own troops nearer than a hex stand in the next hex: friend and foe never share one")
        body = Body(steps=_started(own.men, a_step))
        staging.unit("own", staging.firer, place, strength=own.men, slot=body, facts=Troops())


def note_charts(staging: Staging, charts: Charts) -> None:
    """Note what the charts in use rest on."""
    results, drm = charts["barrage_results"], charts["barrage_drm"]
    if results.provenance != "printed":
        staging.note(f"the Barrage Results Table is {results.provenance} ({results.source})")
    staging.note(f"the barrage die-roll modifiers are {drm.provenance} from the successor edition of 2020")
