"""An engagement: a neutral vignette that every game may stage, or say why it cannot.

Plain facts in metres, minutes, millimetres and men; no game's unit, phase or table. Files are read by
``fireplan.compare``.
"""

from __future__ import annotations

import datetime
from typing import Literal

import attrs

Posture = Literal["standing", "prone", "moving", "dug_in"]
Cover = Literal["open", "woods", "buildings", "trench"]
Quality = Literal["green", "average", "veteran"]
Link = Literal["radio", "telephone", "runner", "flare", "aircraft"]
SightOfTarget = Literal["clear", "burst_only", "none"]
ObserverKind = Literal["forward", "offboard", "aircraft", "none"]
Footing = Literal["attack", "defence", "other"]
Works = Literal["none", "improved", "entrenched"]
Weapon = Literal["howitzer", "gun", "mortar", "rocket"]
Ammunition = Literal["scarce", "normal", "plentiful"]


def help_text(text: str, default: object = attrs.NOTHING) -> object:
    """A field with its meaning kept beside it; the meaning is printed with faults."""
    return attrs.field(default=default, metadata={"help": text})


@attrs.frozen(kw_only=True)
class Firer:
    """The side that asks for fire."""

    nationality: str = help_text("nationality of the firing side, e.g. german, american, british, russian")  # type: ignore[assignment]


@attrs.frozen(kw_only=True)
class Target:
    """What is to be hit: one body of troops, spread evenly over a rectangle."""

    nationality: str = help_text("nationality of the target")  # type: ignore[assignment]
    men: int = help_text("how many men", 120)  # type: ignore[assignment]
    frontage_m: int = help_text("metres across, seen by the firer", 150)  # type: ignore[assignment]
    depth_m: int = help_text("metres from front to rear", 100)  # type: ignore[assignment]
    posture: Posture = help_text("standing, prone, moving or dug_in", "prone")  # type: ignore[assignment]
    cover: Cover = help_text("open, woods, buildings or trench", "open")  # type: ignore[assignment]
    quality: Quality = help_text("green, average or veteran", "average")  # type: ignore[assignment]
    identified: bool = help_text("whether the observer knows who is there", True)  # type: ignore[assignment]  # noqa: FBT003


@attrs.frozen(kw_only=True)
class Observer:
    """Who sees for the guns."""

    kind: ObserverKind = help_text("forward, offboard, aircraft or none", "forward")  # type: ignore[assignment]
    link: Link = help_text("radio, telephone, runner, flare or aircraft", "radio")  # type: ignore[assignment]
    sight: SightOfTarget = help_text("clear: the ground at the target; burst_only: bursts above it; none", "clear")  # type: ignore[assignment]
    distance_m: int = help_text("metres from the observer to the target", 500)  # type: ignore[assignment]
    footing: Footing = help_text("attack (a prepared one), defence or other", "other")  # type: ignore[assignment]
    works: Works = help_text("none, improved or entrenched", "none")  # type: ignore[assignment]


@attrs.frozen(kw_only=True)
class Asset:
    """What can fire: one battalion's worth of guns of one kind, off the map."""

    calibre_mm: int = help_text("bore in millimetres", 105)  # type: ignore[assignment]
    weapon: Weapon = help_text("howitzer, gun, mortar or rocket", "howitzer")  # type: ignore[assignment]
    guns: int = help_text("how many tubes", 12)  # type: ignore[assignment]
    range_m: int = help_text("metres from the guns to the target", 6000)  # type: ignore[assignment]
    ammunition: Ammunition = help_text("scarce, normal or plentiful", "normal")  # type: ignore[assignment]
    preregistered: bool = help_text("whether the guns have registered the target beforehand", False)  # type: ignore[assignment]  # noqa: FBT003


@attrs.frozen(kw_only=True)
class OwnTroops:
    """The firer's own men nearest to the target, on the line to the observer."""

    distance_m: int = help_text("metres from the centre of the target")  # type: ignore[assignment]
    men: int = help_text("how many men", 40)  # type: ignore[assignment]


@attrs.frozen(kw_only=True)
class Situation:
    """What else goes on."""

    bombardment: bool = help_text("whether a preliminary bombardment was fired", False)  # type: ignore[assignment]  # noqa: FBT003
    commands: int = help_text("other commands the firer's side gives in ten minutes", 2)  # type: ignore[assignment]
    night: bool = help_text("whether it is night", False)  # type: ignore[assignment]  # noqa: FBT003


@attrs.frozen(kw_only=True)
class Engagement:
    """The whole vignette. ``minutes`` is how long it is watched."""

    title: str = help_text("one line")  # type: ignore[assignment]
    date: datetime.date = help_text("the day, e.g. 1944-12-18")  # type: ignore[assignment]
    firer: Firer = help_text("the side that asks for fire")  # type: ignore[assignment]
    target: Target = help_text("what is to be hit")  # type: ignore[assignment]
    observer: Observer = help_text("who sees for the guns", attrs.Factory(Observer))  # type: ignore[assignment]
    asset: Asset = help_text("what can fire", attrs.Factory(Asset))  # type: ignore[assignment]
    own_troops: OwnTroops | None = help_text("the firer's own men nearby", None)  # type: ignore[assignment]
    situation: Situation = help_text("what else goes on", attrs.Factory(Situation))  # type: ignore[assignment]
    summary: str = help_text("a sentence or two", "")  # type: ignore[assignment]
    minutes: int = help_text("how many minutes are watched", 60)  # type: ignore[assignment]
