"""The condition of units, and the effects of their losses.

Functions such as ``breaks`` and ``reduced`` only build the effects; the dice are rolled in
``resolution``, ``vehicles`` and ``bombardment``.
"""

import attrs

from fireplan_asl.ground import FFEState
from fireplan_asl.missions import FFE
from fireplan_asl.units import (
    BURNING,
    DAMAGED,
    DESTROYED,
    ELIMINATED,
    HALF_SQUAD,
    March,
    ObjectState,
    PersonnelState,
    UnitProfile,
)
from fireplan_core import Effects, FireKind, Severity, View, emit, update

WEAPONS = frozenset({"gun", "weapon"})
SEVERITIES = {
    "pinned": Severity.SUPPRESSED,
    "broken": Severity.SUPPRESSED,
    "reduced to a half-squad": Severity.REDUCED,
    "eliminated": Severity.DESTROYED,
}


# --- the condition of a unit ----------------------------------------------------------------------
def profile_of(view: View, unit: str) -> UnitProfile:
    """Return a unit's facts, with the TEM of the Location that it has reached on its road."""
    facts = view.unit_facts(unit, UnitProfile)
    legs = view.unit(unit, March).legs if facts.road else 0
    if not legs:
        return facts
    leg = facts.road[legs - 1]
    # Aerial units are never attacked, whatever hex they enter.
    aerial = facts.kind == "aircraft"
    return attrs.evolve(
        facts,
        tem=leg.tem,
        air_bursts=leg.air_bursts,
        above=0,
        immune=aerial,
        marsh=leg.marsh,
        entrenched=False,
    )


def alive(view: View, unit: str) -> bool:
    """Return whether a unit can be attacked: it exists and is not immune (C1.5)."""
    return not profile_of(view, unit).immune and exists(view, unit)


def exists(view: View, unit: str) -> bool:
    """Return whether a unit is neither eliminated nor destroyed."""
    profile = profile_of(view, unit)
    if profile.kind == "infantry":
        return bool(view.unit(unit, PersonnelState).size != ELIMINATED)
    return bool(view.unit(unit, ObjectState).loss < profile.end)


def own_fire_drm(view: View, mission: str, unit: str, *, others: bool = False) -> int:
    """Return 1 if fire by a unit's own side lowers its Morale Level (C1.54), otherwise 0.

    With ``others``, any HE or WP FFE by that side counts if it covers the unit, whichever battery
    attacks. Heroic and berserk units are exempt, and so is an Observer under an FFE that he
    Accurately placed over himself.
    """
    profile, side = profile_of(view, unit), view.unit_side(unit)
    if profile.heroic:
        return 0

    def lowers(name: str) -> bool:
        now = view.mission(name)
        active = name == mission or (now.stage in FFE and now.kind is not FireKind.SMOKE)
        if not active or not (name == mission or view.covers(name, view.place_of(unit))):
            return False
        return not (
            name in profile.observes and view.seen_by("areas").own(name, FFEState).drawn_by == unit
        )

    over = [mission, *(name for name in view.missions if name != mission)] if others else [mission]
    return int(any(view.side(name) == side and lowers(name) for name in over))


def condition(view: View, unit: str) -> str:
    """Return a unit's condition: ``steady``, ``broken`` or ``eliminated``.

    Destroyed vehicles and weapons count as ``eliminated``.
    """
    if is_gone(view, unit):
        return "eliminated"
    return "broken" if view.seen_by("resolution").unit(unit, PersonnelState).broken else "steady"


def is_gone(view: View, unit: str) -> bool:
    """Return whether a unit has been eliminated or destroyed, from any part's view."""
    resolution = view.seen_by("resolution")
    return bool(
        resolution.unit(unit, PersonnelState).size == ELIMINATED
        or resolution.unit(unit, ObjectState).loss >= DESTROYED
    )


# --- losses ---------------------------------------------------------------------------------------
def _loss_events(
    view: View, unit: str, severity: Severity, how: str, cite: str, lost: str = ""
) -> Effects:
    """Return the events of a loss; ``lost`` says how an Observer lost Good Order (C1.61)."""
    event = emit("suffered", cite, unit=unit, severity=severity, how=how)
    if not lost or not profile_of(view, unit).observes:
        return Effects(event)
    return Effects(event, emit("observer_lost", "C1.61", unit=unit, how=lost))


def pinned(view: View, unit: str, cite: str = "C1.5") -> Effects:
    """Return the effects of being pinned, which wears off before the next attack."""
    return _loss_events(view, unit, SEVERITIES["pinned"], "pinned", cite)


def breaks(view: View, unit: str, cite: str = "C1.5") -> Effects:
    """Return the effects of breaking; an already broken unit takes Casualty Reduction."""
    body = view.unit(unit, PersonnelState)
    if body.broken:
        return reduced(view, unit, cite=cite)
    return Effects(
        update(body, broken=True),
        _loss_events(view, unit, SEVERITIES["broken"], "broken", cite, "broken"),
    )


def reduced(view: View, unit: str, *, broken: bool = False, cite: str = "C1.5") -> Effects:
    """Return the effects of Casualty Reduction.

    A squad becomes a half-squad, which is broken if ``broken`` is set; a half-squad is eliminated.
    """
    body = view.unit(unit, PersonnelState)
    if body.size == HALF_SQUAD:
        return eliminated(view, unit, cite)
    severity = SEVERITIES["reduced to a half-squad"]
    return Effects(
        update(body, size=HALF_SQUAD),
        update(body, broken=True) if broken else Effects(),
        _loss_events(view, unit, severity, "reduced", cite, "broken" if broken else ""),
    )


def eliminated(view: View, unit: str, cite: str = "C1.5") -> Effects:
    """Return the effects of elimination; in a Bombardment, it also removes the sangar (C1.822)."""
    ends = Effects(
        update(view.unit(unit, PersonnelState), size=ELIMINATED, broken=False),
        _loss_events(view, unit, SEVERITIES["eliminated"], "eliminated", cite, "eliminated"),
    )
    shelter = profile_of(view, unit).shelter
    if not shelter or not cite.startswith("C1.82"):
        return ends
    return Effects(
        ends,
        update(view.unit(shelter, ObjectState), loss=DESTROYED),
        emit("sangar_lost", "C1.822", unit=shelter),
    )


def wrecked(view: View, unit: str, loss: int, cite: str) -> Effects:
    """Return the effects of a loss on a vehicle or weapon.

    ``loss`` is ``DAMAGED``, ``DESTROYED`` or ``BURNING``.
    """
    damaged = update(view.unit(unit, ObjectState), loss=loss)
    if loss == DAMAGED:
        how = "malfunctions" if profile_of(view, unit).kind in WEAPONS else "immobilised"
        return Effects(damaged, _loss_events(view, unit, Severity.REDUCED, how, cite))
    how = "burns" if loss == BURNING else "destroyed"
    return Effects(damaged, _loss_events(view, unit, Severity.DESTROYED, how, cite, "eliminated"))
