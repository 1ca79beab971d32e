"""What a neutral engagement is in this game: sides, artillery types, observation, steps.

Each part reads what it brings to the table; every reading that is an assumption is noted. No play here.
"""

from __future__ import annotations

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
    AssetSetup,
    Firing,
    Lookouts,
    ObservingUnit,
    TroopsSetup,
    WarSetup,
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
"""What may stand for a weapon, its own kind first; a rocket stands only for a rocket."""


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
    """Return where the artillery stands."""
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
def sight(staging: Staging, charts: Charts) -> WarSetup:
    """Read the sight: a target that is seen clearly, by somebody who may observe, is observed."""
    seen = _observation(staging, charts) is not None
    burst = seen or staging.engagement.observer.sight == "burst_only"
    declared = Lookouts(Sight(ground=seen, burst=burst, known_enemy=seen))
    return WarSetup(assets=tuple(AssetSetup(name=mission, lookouts=declared) for mission in staging.assets))


def artillery(staging: Staging, charts: Charts) -> WarSetup:
    """Read the artillery: battalions of one type in the observer's division, and the observer in his mode and works."""
    engagement, numbers = staging.engagement, charts["numbers"]
    asset, nation = engagement.asset, _nation(engagement)
    if nation is None:
        nationality = engagement.firer.nationality
        return WarSetup(reasons=(f"only US and German artillery is in the game, not {nationality} (12.6.1)",))
    percent = numbers["calibre_percent"]
    kind = _nearest_type(charts["artillery_types"].types.values(), nation, asset, percent)
    weapon = f"{asset.calibre_mm} mm {asset.weapon}s"
    if kind is None:
        why = f"none is listed within {percent} per cent of the calibre"
        return WarSetup(reasons=(f"no {nation} artillery unit stands for {weapon}: {why}",))
    place = _guns_place(staging)
    distance = hexes_between(staging.frame, place, staging.centre)
    number = _started(asset.guns, numbers["guns_per_battalion"])
    scarce = asset.ammunition == "scarce"
    worth = f"factor {kind.factors}, range {kind.range_hexes} (reconstructed values)"
    notes = [
        f"{asset.guns} {weapon} stand as {number} x {kind.name}, {worth}, of the observer's own division",
        "no administrative phase falls into an engagement: a depleted unit stays depleted (12.6.3)",
    ]
    if scarce:
        notes.append("scarce ammunition is taken as low supply: every unit that fires is depleted (12.6.4)")
    observers, aircraft, unseen = _watching(staging, charts)
    out_of_range = f"out of range: {distance} hexes of {kind.range_hexes} for {kind.name} (12.1.3)"

    def brought(mission: str) -> Artillery:
        units = tuple(
            ArtilleryUnit(f"{mission}{n + 1}", kind.factors, kind.range_hexes, place, "division", low_supply=scarce)
            for n in range(number)
        )
        return Artillery(nation, units, observers, Command((Headquarters("division", "formation"),)), aircraft)

    return WarSetup(
        assets=tuple(AssetSetup(name=mission, artillery=brought(mission)) for mission in staging.assets),
        notes=(*notes, *unseen),
        reasons=(out_of_range,) if distance > kind.range_hexes else (),
    )


def _watching(
    staging: Staging, charts: Charts
) -> tuple[tuple[ObservingUnit, ...], tuple[Aircraft, ...], tuple[str, ...]]:
    """Return the units and the aircraft that observe, and what must be noted where nobody does."""
    observer = staging.engagement.observer
    how = _observation(staging, charts)
    if how == "air":
        return (), (Aircraft("division", staging.target_places()),), ()
    if how == "ground":
        mode: Mode = "prepared_assault" if observer.footing == "attack" else "other"
        return (ObservingUnit("observer", "division", mode, WORKS[observer.works]),), (), ()
    if observer.kind == "none":
        return (), (), ()
    what = {"clear": f"{observer.kind} observer", "burst_only": "burst above the hex", "none": "observer"}
    note = f"{what[observer.sight]} gives no line of sight to the target here: unobserved (12.1.6g)"
    return (), (), (note,)


def troops(staging: Staging, charts: Charts) -> WarSetup:
    """Read the troops: battalions of up to three steps in the target's hex, and own troops in theirs."""
    engagement, numbers = staging.engagement, charts["numbers"]
    target, a_step = engagement.target, numbers["men_per_step"]
    steps = _started(target.men, a_step)
    works = {"trench": "entrenchment"}.get(
        target.cover, "improved_position" if target.posture == "dug_in" else "none"
    )
    # Fire of another game may cover less than this body of troops; in a mile hex it never does.
    coarse = isinstance(staging.frame, HexFrame) and staging.frame.spacing_m >= HEX_METRES
    extent = Fraction(0) if coarse else Fraction(max(target.frontage_m, target.depth_m), 2)
    places = staging.target_places() if coarse else (staging.centre,)
    number = max(len(places), _started(steps, numbers["steps_per_unit"]))
    units = [
        TroopsSetup(
            name=f"t{n + 1}",
            side=staging.target_side,
            place=places[n % len(places)],
            men=target.men * (n + 1) // number - target.men * n // number,
            steps=max(1, steps * (n + 1) // number - steps * n // number),
            extent=extent,
        )
        for n in range(number)
    ]
    notes = [
        *sources(charts),
        "a retreat is marked on its unit, which later barrages follow: no map lies behind the target",
        f"{target.men} men count {steps} steps: a company for every {a_step} men or fewer",
    ]
    own, place = engagement.own_troops, _own_place(staging)
    if own is not None and place is not None:
        if place != staging.own_place:
            notes.append("own troops nearer than a hex stand in the next hex: friend and foe never share one")
        own_steps = _started(own.men, a_step)
        units.append(TroopsSetup(name="own", side=staging.firer, place=place, men=own.men, steps=own_steps))
    ground = GroundMap(tuple((one, Cell((TERRAIN[target.cover],), works)) for one in places))
    firing = Firing(engagement.asset.weapon == "rocket", engagement.situation.night, ground)
    assets = tuple(AssetSetup(name=mission, firing=firing) for mission in staging.assets)
    return WarSetup(assets=assets, units=tuple(units), notes=tuple(notes))


def sources(charts: Charts) -> tuple[str, ...]:
    """Return what must be noted of the charts in use: what they rest on."""
    results, drm = charts["barrage_results"], charts["barrage_drm"]
    table = f"the Barrage Results Table is {results.provenance} ({results.source})"
    modifiers = f"the barrage die-roll modifiers are {drm.provenance} from the successor edition of 2020"
    return (modifiers,) if results.provenance == "printed" else (table, modifiers)
