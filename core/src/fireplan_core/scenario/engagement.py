"""An engagement: a neutral vignette that every game may stage, or say why it cannot.

Plain facts in metres, minutes, millimetres and men; no game's unit, phase or table. Files are read by
``fireplan.comparison``.
"""

from __future__ import annotations

import datetime as dt
from typing import Literal

import attrs

from fireplan_core.files import about

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


@attrs.frozen(kw_only=True)
class Firer:
    """The side that asks for fire."""

    nationality: str = attrs.field(
        metadata=about(
            "nationality of the firing side, e.g. german, american, british, russian", example="american", short="firer"
        )
    )


@attrs.frozen(kw_only=True)
class Target:
    """Say what is to be hit: one body of troops, spread evenly over a rectangle."""

    nationality: str = attrs.field(metadata=about("nationality of the target", example="german", short="target"))
    men: int = attrs.field(default=120, metadata=about("how many men", range=(1, 2000)))
    frontage_m: int = attrs.field(default=150, metadata=about("metres across, seen by the firer", range=(1, 5000)))
    depth_m: int = attrs.field(default=100, metadata=about("metres from front to rear", range=(1, 5000)))
    posture: Posture = attrs.field(default="prone", metadata=about("how the men hold themselves"))
    cover: Cover = attrs.field(default="open", metadata=about("what they are in"))
    quality: Quality = attrs.field(default="average", metadata=about("how good the troops are"))
    identified: bool = attrs.field(default=True, metadata=about("whether the observer knows who is there"))


@attrs.frozen(kw_only=True)
class Observer:
    """Say who sees for the guns."""

    kind: ObserverKind = attrs.field(default="forward", metadata=about("who observes", short="observer"))
    link: Link = attrs.field(default="radio", metadata=about("what carries the observer's words to the guns"))
    sight: SightOfTarget = attrs.field(
        default="clear",
        metadata=about("what is seen: the ground at the target (clear), only bursts above it (burst_only) or none"),
    )
    distance_m: int = attrs.field(
        default=500,
        metadata=about("metres from the observer to the target", range=(0, 10_000), short="observer_distance"),
    )
    footing: Footing = attrs.field(
        default="other",
        metadata=about("what the observer's side is about: a prepared attack, a defence or something other"),
    )
    works: Works = attrs.field(default="none", metadata=about("the works the observer sits in"))


@attrs.frozen(kw_only=True)
class Asset:
    """Say what can fire: one battalion's worth of guns of one kind, off the map."""

    calibre_mm: int = attrs.field(default=105, metadata=about("bore in millimetres", range=(20, 914)))
    weapon: Weapon = attrs.field(default="howitzer", metadata=about("kind of piece"))
    guns: int = attrs.field(default=12, metadata=about("how many tubes", range=(1, 500)))
    range_m: int = attrs.field(default=6000, metadata=about("metres from the guns to the target", range=(0, 100_000)))
    ammunition: Ammunition = attrs.field(default="normal", metadata=about("how much there is to fire"))
    preregistered: bool = attrs.field(
        default=False, metadata=about("whether the guns have registered the target beforehand")
    )


@attrs.frozen(kw_only=True)
class OwnTroops:
    """The firer's own men nearest to the target, on the line to the observer."""

    distance_m: int = attrs.field(
        metadata=about("metres from the centre of the target", range=(0, 10_000), example=400, short="own_troops")
    )
    men: int = attrs.field(default=40, metadata=about("how many men", range=(1, 2000), short="own_men"))


@attrs.frozen(kw_only=True)
class Situation:
    """Say what else goes on."""

    bombardment: bool = attrs.field(default=False, metadata=about("whether a preliminary bombardment was fired"))
    commands: int = attrs.field(
        default=2, metadata=about("other commands the firer's side gives in ten minutes", range=(0, 20))
    )
    night: bool = attrs.field(default=False, metadata=about("whether it is night"))
    electronic_warfare: bool = attrs.field(
        default=False, metadata=about("whether the sides listen to each other's signals and jam them")
    )


@attrs.frozen(kw_only=True)
class Engagement:
    """The whole vignette. ``minutes`` is how long it is watched."""

    title: str = attrs.field(metadata=about("one line", example="A company in the woods"))
    date: dt.date = attrs.field(metadata=about("the day, e.g. 1944-12-18", example=dt.date(1944, 12, 18)))
    firer: Firer = attrs.field(metadata=about("the side that asks for fire"))
    target: Target = attrs.field(metadata=about("what is to be hit"))
    observer: Observer = attrs.field(factory=Observer, metadata=about("who sees for the guns"))
    asset: Asset = attrs.field(factory=Asset, metadata=about("what can fire"))
    own_troops: OwnTroops | None = attrs.field(default=None, metadata=about("the firer's own men nearby"))
    situation: Situation = attrs.field(factory=Situation, metadata=about("what else goes on"))
    summary: str = attrs.field(default="", metadata={**about("a sentence or two"), "multiline": True})
    minutes: int = attrs.field(default=60, metadata=about("how many minutes are watched", range=(1, 1440)))
