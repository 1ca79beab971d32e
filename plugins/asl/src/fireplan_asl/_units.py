"""Say what stands in a hex and what befalls it: the records of units, and the ways a unit gets worse.

Pure answers to "this unit breaks", "this unit takes Casualty Reduction"; who throws which dice for it is in
``resolution`` and ``_bombardment``. Vehicles, weapons, buildings, obstacles, a phone's line and bare ground are units
as well, so that one hex is one place for the solver; what is ground belongs to no side.
"""

from fractions import Fraction
from typing import Literal

import attrs

from fireplan_asl._ground import Fire
from fireplan_asl._places import FFE
from fireplan_core import COUNT, Effects, FireKind, Place, Severity, View, emit, kept, record, update

SQUAD, HALF_SQUAD, ELIMINATED = 2, 1, 0

Kind = Literal[
    "infantry", "mount", "unarmoured", "afv", "gun", "weapon", "aircraft",
    "building", "bridge", "pillbox", "obstacle", "mines", "sangar", "line", "bare",
]  # fmt: skip
GROUND_KINDS = frozenset({"building", "bridge", "pillbox", "obstacle", "mines", "sangar", "line", "bare"})
"""Say what is ground: it belongs to no side and takes no TEM. ``line`` is a phone's line, ``bare`` a hex as such."""
STOREYED = frozenset[Kind]({"building", "bridge", "pillbox"})
VEHICLES = frozenset({"afv", "unarmoured"})
WEAPONS = frozenset({"gun", "weapon"})
Units = tuple[str, ...]


@record
class Body:
    """Say how Personnel stand."""

    size: int = kept(SQUAD, "2 squad, 1 half-squad or leader, 0 eliminated", "C1.51", between=(ELIMINATED, SQUAD))
    broken: bool = kept(False, "whether the unit is broken", "C1.51")
    revealed: bool = kept(False, "whether a Bombardment has shown it to everybody", "C1.82")


@record
class Works:
    """Say how anything else stands: ``loss`` counts steps to its end, or the levels of a building that are rubble."""

    loss: int = kept(0, "steps to its end, or levels of a building that are rubble", "C1.821, C1.822", between=COUNT)


WHOLE, DAMAGED, DESTROYED, BURNING = range(4)
"""``Works.loss`` of a vehicle or weapon: damaged is immobilised (vehicle) or malfunctioned (weapon)."""


@record
class March:
    """Say how many legs of its road a unit has gone."""

    legs: int = kept(0, "legs of its road that it has gone", "C1.51", between=COUNT)


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
    marsh: bool = False


@attrs.frozen
class UnitProfile:
    """Say what a unit is and where it lies.

    ``tem`` and ``air_bursts`` are those of its Location against Indirect Fire; ``hex`` tells apart the hexes of a
    place that is larger than one. ``possessor`` mans a weapon, ``aboard`` is the vehicle or mount of Personnel,
    ``survival`` the highest DR by which they outlive it; ``level`` is where in a building they are, ``levels`` how
    many it has, ``stone`` or not. ``armour`` says what all AF of an AFV are. ``craters`` and ``burns``: whether a
    Shellhole or a Flame may be placed there. ``above`` is the TEM of the levels over it, which no Critical Hit turns
    round and no Bombardment counts; ``immune`` units are not attacked at all (C1.5). ``road`` is where it moves in
    play. ``observes`` are the batteries that Personnel, or an OP tank, direct; ``shelter`` is the sangar of
    Personnel, ``dummy`` says that they are none. ``owner`` is the side that laid a hidden obstacle, ``battery`` the
    one whose phone line it is. ``broken_morale`` is the Morale Level of its other face, None where that is the same.
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
    observes: tuple[str, ...] = ()
    shelter: str = ""
    dummy: bool = False
    owner: str = ""
    battery: str = ""
    broken_morale: int | None = None

    @property
    def end(self) -> int:
        """Return the ``Works.loss`` at which nothing is left: levels of a building, steps of mines, or destroyed."""
        if self.kind in STOREYED or self.kind == "mines":
            return max(1, self.levels)
        return 1 if self.kind in ("line", "bare") else DESTROYED

    @property
    def ground(self) -> bool:
        """Return whether it is ground: a building, an obstacle, a line."""
        return self.kind in GROUND_KINDS

    def cover(self, *, critical: bool = False) -> int:
        """Return the DRM of its Location: TEM, that of the levels above, Air Bursts; a Critical Hit turns TEM round."""
        return (-abs(self.tem) if critical else self.tem) + self.above + self.air_bursts


SEVERITIES = {
    "pinned": Severity.SUPPRESSED,
    "broken": Severity.SUPPRESSED,
    "reduced to a half-squad": Severity.REDUCED,
    "eliminated": Severity.DESTROYED,
}


# --- reading a unit --------------------------------------------------------------------------------
def profile_of(view: View, unit: str) -> UnitProfile:
    """Return the facts of a unit, with the TEM of where its road has led it."""
    facts = view.unit_facts(unit, UnitProfile)
    legs = view.unit(unit, March).legs if facts.road else 0
    if not legs:
        return facts
    leg = facts.road[legs - 1]
    # Aerial units are never attacked.
    aerial = facts.kind == "aircraft"
    return attrs.evolve(facts, tem=leg.tem, air_bursts=leg.air_bursts, above=0, immune=aerial, marsh=leg.marsh)


def felt(profile: UnitProfile, power: Fraction, marsh_divisor: int) -> Fraction:
    """Return the firepower of HE in a Location: Marsh takes half of it (modifiers of the IFT)."""
    return power / marsh_divisor if profile.marsh else power


def alive(view: View, unit: str) -> bool:
    """Return whether it can be attacked: Personnel still there, a thing not destroyed, and nothing immune (C1.5)."""
    return not profile_of(view, unit).immune and exists(view, unit)


def exists(view: View, unit: str) -> bool:
    """Return whether it is still there."""
    profile = profile_of(view, unit)
    if profile.kind == "infantry":
        return bool(view.unit(unit, Body).size != ELIMINATED)
    return bool(view.unit(unit, Works).loss < profile.end)


def morale_of(view: View, unit: str) -> int:
    """Return the Morale Level on the face of Personnel that is up."""
    profile = view.unit_facts(unit, UnitProfile)
    other = profile.broken_morale
    return profile.morale if other is None or not view.unit(unit, Body).broken else other


def men_of(view: View, units: Units) -> Units:
    """Return those of the units that are Personnel."""
    return tuple(unit for unit in units if profile_of(view, unit).kind == "infantry")


def own(view: View, mission: str, unit: str, *, others: bool = False) -> int:
    """Return 1 for Personnel and vehicles under fire of their own side, whose Morale Level drops by one (C1.54).

    With ``others`` any HE or WP FFE of that side over them is enough, whoever fires. Not for heroic and berserk units,
    nor for an Observer by the FFE that he put over himself Accurately.
    """
    profile, side = profile_of(view, unit), view.unit_side(unit)
    if profile.heroic:
        return 0

    def lowers(name: str) -> bool:
        now = view.mission(name)
        lies = name == mission or (now.stage in FFE and now.kind is not FireKind.SMOKE)
        if not lies or not (name == mission or view.covers(name, view.place_of(unit))):
            return False
        return not (name in profile.observes and view.seen_by("areas").own(name, Fire).drawn_by == unit)

    over = [mission, *(name for name in view.missions if name != mission)] if others else [mission]
    return int(any(view.side(name) == side and lowers(name) for name in over))


def lead(view: View, units: Units) -> UnitProfile:
    """Return the unit whose TEM is that of the hex: the first that is no ground."""
    return next((found for unit in units if not (found := profile_of(view, unit)).ground), profile_of(view, units[0]))


def condition(view: View, unit: str) -> str:
    """Return how a unit stands as other parts read it: ``steady``, ``broken`` or ``eliminated`` (or destroyed)."""
    theirs = view.seen_by("resolution")
    body = theirs.unit(unit, Body)
    if body.size == ELIMINATED or theirs.unit(unit, Works).loss >= DESTROYED:
        return "eliminated"
    return "broken" if body.broken else "steady"


# --- a unit gets worse -----------------------------------------------------------------------------
def _suffers(view: View, unit: str, severity: Severity, how: str, cite: str, lost: str = "") -> Effects:
    """Return what is told of a unit that suffers; ``lost`` is how an Observer is out of Good Order by it (C1.61)."""
    told = emit("suffered", cite, unit=unit, severity=severity, how=how)
    if not lost or not profile_of(view, unit).observes:
        return Effects(told)
    return Effects(told, emit("observer_lost", "C1.61", unit=unit, how=lost))


def pinned(view: View, unit: str, cite: str = "C1.5") -> Effects:
    """Return the effects of being pinned; that is over before the next fire falls."""
    return _suffers(view, unit, SEVERITIES["pinned"], "pinned", cite)


def breaks(view: View, unit: str, cite: str = "C1.5") -> Effects:
    """Return the effects of breaking; a unit that is broken already takes Casualty Reduction."""
    body = view.unit(unit, Body)
    if body.broken:
        return reduced(view, unit, cite=cite)
    return Effects(update(body, broken=True), _suffers(view, unit, SEVERITIES["broken"], "broken", cite, "broken"))


def reduced(view: View, unit: str, *, broken: bool = False, cite: str = "C1.5") -> Effects:
    """Return the effects of Casualty Reduction: a squad becomes a half-squad, which may break; that is eliminated."""
    body = view.unit(unit, Body)
    if body.size == HALF_SQUAD:
        return eliminated(view, unit, cite)
    severity = SEVERITIES["reduced to a half-squad"]
    return Effects(
        update(body, size=HALF_SQUAD),
        update(body, broken=True) if broken else Effects(),
        _suffers(view, unit, severity, "reduced", cite, "broken" if broken else ""),
    )


def eliminated(view: View, unit: str, cite: str = "C1.5") -> Effects:
    """Return the effects of a unit's end, however it came; in a Bombardment his sangar goes with it (C1.822)."""
    ends = Effects(
        update(view.unit(unit, Body), size=ELIMINATED, broken=False),
        _suffers(view, unit, SEVERITIES["eliminated"], "eliminated", cite, "eliminated"),
    )
    shelter = profile_of(view, unit).shelter
    if not shelter or not cite.startswith("C1.82"):
        return ends
    return Effects(ends, update(view.unit(shelter, Works), loss=DESTROYED), emit("sangar_lost", "C1.822", unit=shelter))


def wrecked(view: View, unit: str, loss: int, cite: str) -> Effects:
    """Return the effects on a vehicle or weapon that is immobilised, malfunctions, is destroyed or burns."""
    damaged = update(view.unit(unit, Works), loss=loss)
    if loss == DAMAGED:
        how = "malfunctions" if profile_of(view, unit).kind in WEAPONS else "immobilised"
        return Effects(damaged, _suffers(view, unit, Severity.REDUCED, how, cite))
    how = "burns" if loss == BURNING else "destroyed"
    return Effects(damaged, _suffers(view, unit, Severity.DESTROYED, how, cite, "eliminated"))
