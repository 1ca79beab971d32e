"""An engagement: a neutral vignette that every game may stage, or say why it cannot.

Plain facts in metres, minutes, millimetres and men; no game's unit, phase or table. Files are read by
``fireplan.comparison``.
"""

from __future__ import annotations

import datetime as dt
from typing import Literal

import attrs

from fireplan_core.files import entry, flag

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

    nationality: str = entry(
        "nationality of the firing side, e.g. german, american, british, russian", example="american", short="firer"
    )


@attrs.frozen(kw_only=True)
class Target:
    """Say what is to be hit: one body of troops, spread evenly over a rectangle."""

    nationality: str = entry("nationality of the target", example="german", short="target")
    men: int = entry("how many men", 120, range=(1, 2000))
    frontage_m: int = entry("metres across, seen by the firer", 150, range=(1, 5000))
    depth_m: int = entry("metres from front to rear", 100, range=(1, 5000))
    posture: Posture = entry("how the men hold themselves", "prone")
    cover: Cover = entry("what they are in", "open")
    quality: Quality = entry("how good the troops are", "average")
    identified: bool = entry("whether the observer knows who is there", default=True)


@attrs.frozen(kw_only=True)
class Observer:
    """Say who sees for the guns."""

    kind: ObserverKind = entry("who observes", "forward", short="observer")
    link: Link = entry("what carries the observer's words to the guns", "radio")
    sight: SightOfTarget = entry(
        "what is seen: the ground at the target (clear), only bursts above it (burst_only) or none", "clear"
    )
    distance_m: int = entry("metres from the observer to the target", 500, range=(0, 10_000), short="observer_distance")
    footing: Footing = entry(
        "what the observer's side is about: a prepared attack, a defence or something other", "other"
    )
    works: Works = entry("the works the observer sits in", "none")


@attrs.frozen(kw_only=True)
class Asset:
    """Say what can fire: one battalion's worth of guns of one kind, off the map."""

    calibre_mm: int = entry("bore in millimetres", 105, range=(20, 914))
    weapon: Weapon = entry("kind of piece", "howitzer")
    guns: int = entry("how many tubes", 12, range=(1, 500))
    range_m: int = entry("metres from the guns to the target", 6000, range=(0, 100_000))
    ammunition: Ammunition = entry("how much there is to fire", "normal")
    preregistered: bool = flag("whether the guns have registered the target beforehand")


@attrs.frozen(kw_only=True)
class OwnTroops:
    """The firer's own men nearest to the target, on the line to the observer."""

    distance_m: int = entry("metres from the centre of the target", range=(0, 10_000), example=400, short="own_troops")
    men: int = entry("how many men", 40, range=(1, 2000), short="own_men")


@attrs.frozen(kw_only=True)
class Situation:
    """Say what else goes on."""

    bombardment: bool = flag("whether a preliminary bombardment was fired")
    commands: int = entry("other commands the firer's side gives in ten minutes", 2, range=(0, 20))
    night: bool = flag("whether it is night")
    electronic_warfare: bool = flag("whether the sides listen to each other's signals and jam them")


@attrs.frozen(kw_only=True)
class Engagement:
    """The whole vignette. ``minutes`` is how long it is watched."""

    title: str = entry("one line", example="A company in the woods")
    date: dt.date = entry("the day, e.g. 1944-12-18", example=dt.date(1944, 12, 18))
    firer: Firer = entry("the side that asks for fire")
    target: Target = entry("what is to be hit")
    observer: Observer = entry("who sees for the guns", attrs.Factory(Observer))
    asset: Asset = entry("what can fire", attrs.Factory(Asset))
    own_troops: OwnTroops | None = entry("the firer's own men nearby", None)
    situation: Situation = entry("what else goes on", attrs.Factory(Situation))
    summary: str = entry("a sentence or two", "", multiline=True)
    minutes: int = entry("how many minutes are watched", 60, range=(1, 1440))
