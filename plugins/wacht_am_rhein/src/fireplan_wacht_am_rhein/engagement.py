"""What a neutral engagement is in this game: sides, artillery types, observation, hexes.

Readings shared by the parts when they stage; every reading that is an assumption is noted there. No play here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from fireplan_core import Asset, Engagement, Place, Staging
from fireplan_core.space import neighbours
from fireplan_wacht_am_rhein.charts import ArtilleryType
from fireplan_wacht_am_rhein.ground import FRAME, hexes_between

NATIONS: Final = {"american": "US", "us": "US", "german": "GE"}
NEAR: Final = 10
"""Per cent by which a calibre may differ from a listed one and still stand for it."""

TERRAIN: Final = {"open": "clear", "woods": "woods", "buildings": "village", "trench": "clear"}


def side(engagement: Engagement) -> str | None:
    """The firing side, US or GE; None for any other nationality."""
    return NATIONS.get(engagement.firer.nationality.strip().lower())


def battalions(asset: Asset, guns: int) -> int:
    """Artillery units: one for every started so many guns."""
    return -(-asset.guns // guns)


def nearest_type(types: Sequence[ArtilleryType], nation: str, asset: Asset) -> ArtilleryType | None:
    """The listed type nearest in calibre, None when none is within a tenth.

    A howitzer may stand for a gun and the reverse, if there is none of its own kind; a rocket only for a rocket.
    """
    kinds = {"howitzer": ("howitzer", "gun"), "gun": ("gun", "howitzer"), "rocket": ("rocket",)}

    def off(one: ArtilleryType) -> int:
        return abs(one.calibre_mm - asset.calibre_mm)

    for kind in kinds.get(asset.weapon, ()):
        near = [
            one
            for one in types
            if (one.nationality, one.weapon) == (nation, kind) and 100 * off(one) <= NEAR * asset.calibre_mm
        ]
        if near:
            return min(near, key=off)
    return None


def _beside(staging: Staging, place: Place) -> Place:
    """The place itself, or the hex north of the target: friend and foe never share a hex."""
    if place == staging.centre and staging.frame == FRAME:
        return neighbours(staging.centre)[0]
    return place


def guns_place(staging: Staging) -> Place:
    """Where the artillery stands."""
    return _beside(staging, staging.at(0.0, -float(staging.engagement.asset.range_m)))


def own_place(staging: Staging) -> Place | None:
    """Where the firer's own troops stand, if there are any."""
    return None if staging.own_place is None else _beside(staging, staging.own_place)


def observation(staging: Staging, air_radius: int) -> Literal["ground", "air"] | None:
    """How the target is observed: by a unit, from the air (12.1.6f), or not at all (12.1.6g).

    ``air_radius`` is how many hexes off the nearest unit may be for its aircraft to observe.
    """
    engagement = staging.engagement
    observer = engagement.observer
    if observer.kind == "none" or observer.sight != "clear":
        return None
    if observer.kind != "aircraft":
        return "ground"
    own = [place for place in (guns_place(staging), own_place(staging)) if place is not None]
    possible = (
        side(engagement) == "US"
        and engagement.target.cover == "open"
        and not engagement.situation.night
        and min(hexes_between(staging.frame, place, staging.centre) for place in own) <= air_radius
    )
    return "air" if possible else None


def steps(men: int, a_step: int) -> int:
    """The steps of so many men, with so many of them in a step (a company); fractions round up."""
    return max(1, -(-men // a_step))
