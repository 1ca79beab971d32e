"""What a neutral engagement is in this game: sides, artillery types, observation, hexes.

Readings shared by the parts when they stage; every reading that is an assumption is noted there. No play here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from fireplan.mission import Asset, Engagement, Staging
from fireplan_wacht_am_rhein.charts import ArtilleryType
from fireplan_wacht_am_rhein.ground import hexes_between

NATIONS: Final = {"american": "US", "us": "US", "german": "GE"}
GUNS_A_BATTALION: Final = 12
MEN_A_STEP: Final = 150
"""A step is a company of 120 to 150 men; fractions round up as everywhere in this game."""
STEPS_A_UNIT: Final = 3
"""Battalions have two or three steps, companies on their own one."""
NEAR: Final = 10
"""Per cent by which a calibre may differ from a listed one and still stand for it."""
AIR_RADIUS: Final = 5

TERRAIN: Final = {"open": "clear", "woods": "woods", "buildings": "village", "trench": "clear"}


def side(engagement: Engagement) -> str | None:
    """The firing side, US or GE; None for any other nationality."""
    return NATIONS.get(engagement.firer.nationality.strip().lower())


def battalions(asset: Asset) -> int:
    """Artillery units: one for every started twelve guns."""
    return -(-asset.guns // GUNS_A_BATTALION)


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


def observation(staging: Staging) -> Literal["ground", "air"] | None:
    """How the target is observed: by a unit, from the air (12.1.6f), or not at all (12.1.6g)."""
    engagement = staging.engagement
    observer = engagement.observer
    if observer.kind == "none" or observer.sight != "clear":
        return None
    if observer.kind != "aircraft":
        return "ground"
    own = staging.own_place
    reach = min(
        round(engagement.asset.range_m / 1609),
        AIR_RADIUS + 1 if own is None else hexes_between(staging.frame, own, staging.centre),
    )
    possible = (
        side(engagement) == "US"
        and engagement.target.cover == "open"
        and not engagement.situation.night
        and reach <= AIR_RADIUS
    )
    return "air" if possible else None


def steps(men: int) -> int:
    """The steps of so many men."""
    return max(1, -(-men // MEN_A_STEP))
