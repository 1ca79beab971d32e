"""What stands in a hex and what befalls it: the records of units, and the ways a unit gets worse.

Pure answers to "this unit breaks", "this unit takes Casualty Reduction"; who throws which dice for it is in
``resolution`` and ``_bombardment``. Vehicles, weapons, buildings and obstacles are units as well, so that one hex
is one place for the solver; the last two belong to no side.
"""

from __future__ import annotations

from typing import Literal

import attrs

from fireplan.mission import Place, Severity, Then, View, put, record, tell

SQUAD, HALF_SQUAD, ELIMINATED = 2, 1, 0

Kind = Literal["infantry", "mount", "unarmoured", "afv", "gun", "weapon", "building", "bridge", "obstacle"]
Units = tuple[str, ...]


@record
class Body:
    """How Personnel stand: 2 a squad, 1 a half-squad, leader or crew, 0 eliminated; and whether they are broken."""

    size: int = SQUAD
    broken: bool = False


@record
class Works:
    """How anything else stands: ``loss`` counts steps to its end, or the levels of a building that are rubble."""

    loss: int = 0


WHOLE, DAMAGED, DESTROYED, BURNING = range(4)
"""``Works.loss`` of a vehicle or weapon: damaged is immobilised (vehicle) or malfunctioned (weapon)."""


@record
class Trek:
    """How many legs of its road a unit has gone."""

    legs: int = 0


@attrs.frozen
class Leg:
    """A step of a unit's road: before which moment it goes where, into what TEM, and the DRM that it moves with.

    ``exposed`` is FFMO and FFNAM together, counted in the MPh alone.
    """

    moment: int
    to: Place
    tem: int = 0
    air_bursts: int = 0
    exposed: int = 0


@attrs.frozen
class Stand:
    """What a unit is and where it lies.

    ``tem`` and ``air_bursts`` are those of its Location against Indirect Fire; ``hex`` tells apart the hexes of a
    place that is larger than one. ``possessor`` mans a weapon, ``aboard`` is the vehicle or mount of Personnel,
    ``survival`` the highest DR by which they outlive it; ``level`` is where in a building they are, ``levels`` how
    many it has, ``stone`` or not. ``armour`` says what all AF of an AFV are. ``craters`` and ``burns``: whether a
    Shellhole or a Flame may be placed there. ``above`` is the TEM of the
    levels over it, which no Critical Hit turns round and no Bombardment counts; ``immune`` units are not attacked at
    all (C1.5). ``road`` is where it moves in play.
    """

    morale: int
    tem: int = 0
    air_bursts: int = 0
    hex: int = 0
    kind: Kind = "infantry"
    heroic: bool = False
    concealed: bool = False
    marsh: bool = False
    possessor: str = ""
    aboard: str = ""
    survival: int = 0
    level: int = 0
    levels: int = 0
    armour: Literal["thin", "medium", "thick"] = "medium"
    open_topped: bool = False
    craters: bool = False
    burns: bool = False
    stone: bool = False
    above: int = 0
    immune: bool = False
    road: tuple[Leg, ...] = ()


SEVERITIES = {
    "pinned": Severity.SUPPRESSED,
    "broken": Severity.SUPPRESSED,
    "reduced to a half-squad": Severity.REDUCED,
    "eliminated": Severity.DESTROYED,
}


def stand_of(view: View, unit: str) -> Stand:
    """The facts of a unit, with the TEM of where its road has led it."""
    facts = view.unit_facts(unit, Stand)
    if not facts.road:
        return facts
    legs = view.unit(unit, Trek).legs
    if not legs:
        return facts
    leg = facts.road[legs - 1]
    return attrs.evolve(facts, tem=leg.tem, air_bursts=leg.air_bursts)


def alive(view: View, unit: str) -> bool:
    """Whether it can be attacked: Personnel still there, a thing not destroyed, and nothing immune (C1.5)."""
    if stand_of(view, unit).immune:
        return False
    if stand_of(view, unit).kind == "infantry":
        return bool(view.unit(unit, Body).size != ELIMINATED)
    return bool(view.unit(unit, Works).loss < DESTROYED)


def own(view: View, mission: str, unit: str) -> int:
    """1 for Personnel and vehicles under their own side's fire, whose Morale Level drops by one (C1.54)."""
    mine = view.unit_side(unit) == view.side(mission)
    return int(mine and not stand_of(view, unit).heroic)


def pinned(unit: str, cite: str = "C1.5") -> Then:
    """Pinned; that is over before the next fire falls."""
    return Then(tell("suffered", cite, unit=unit, severity=SEVERITIES["pinned"]))


def breaks(view: View, unit: str, cite: str = "C1.5") -> Then:
    """Break; a unit that is broken already takes Casualty Reduction."""
    body = view.unit(unit, Body)
    if body.broken:
        return reduced(view, unit, cite=cite)
    return Then(put(body, broken=True), tell("suffered", cite, unit=unit, severity=SEVERITIES["broken"]))


def reduced(view: View, unit: str, *, broken: bool = False, cite: str = "C1.5") -> Then:
    """Casualty Reduction: a squad becomes a half-squad, which may break as well; a half-squad is eliminated."""
    body = view.unit(unit, Body)
    if body.size == HALF_SQUAD:
        return eliminated(view, unit, cite)
    return Then(
        put(body, size=HALF_SQUAD),
        put(body, broken=True) if broken else Then(),
        tell("suffered", cite, unit=unit, severity=SEVERITIES["reduced to a half-squad"]),
    )


def eliminated(view: View, unit: str, cite: str = "C1.5") -> Then:
    """Gone; one value stands for every way to go."""
    return Then(
        put(view.unit(unit, Body), size=ELIMINATED, broken=False),
        tell("suffered", cite, unit=unit, severity=SEVERITIES["eliminated"]),
    )


def wrecked(view: View, unit: str, loss: int, cite: str) -> Then:
    """A vehicle or weapon is immobilised, malfunctions, is destroyed or burns."""
    severity = Severity.REDUCED if loss == DAMAGED else Severity.DESTROYED
    return Then(put(view.unit(unit, Works), loss=loss), tell("suffered", cite, unit=unit, severity=severity))
