"""What the resolution keeps of units, groups and the ground: records and constant facts, no steps."""

from __future__ import annotations

import attrs

from fireplan_core import Effects, Severity, View, emit, push, record, update
from fireplan_core.space import Hex, distance
from fireplan_red_poppies._ground import Ground, Plot, Side

GUNS = ("artillery", "machine_gun", "mortar")
VEHICLES = ("armoured_car", "tank")
"""AFV (3.11)."""

FOOT = (*GUNS, "infantry")
"""Who may be IN a trench (8.321)."""

HIGH_EXPLOSIVE, GAS, SMOKE = "high_explosive", "gas", "smoke"


@record
class Troops:
    """A unit's face, state and fate.

    ``inside`` is what it is IN (trench, blockhouse), ``points`` are to be moved; ``strayed`` tells that it has checked
    for getting lost this turn (6.663), ``by_road`` that its move has kept to road sides so far (6.64), ``dug``
    that it has a shovel (6.41).
    """

    formed: bool = False
    moving: bool = False
    spent: bool = False
    inside: str = ""
    points: int = 0
    destroyed: bool = False
    strayed: bool = False
    by_road: bool = True
    dug: bool = False


@attrs.frozen
class Face:
    """The five values of one side of a counter (3.2, 3.11)."""

    firepower: int
    range: int
    melee: int
    cohesion: int
    movement: int


@attrs.frozen
class Company:
    """What of a unit does not change: cohesion, declared cover (engagements), type and both faces (scenarios).

    ``fixed`` is the company with the trench set, which may not move (7.21); ``watches`` marks who may observe.
    """

    cohesion: int
    cover: bool = False
    type: str = "infantry"
    nation: str = ""
    formed: Face | None = None
    dispersed: Face | None = None
    infiltrates: bool = False
    fixed: bool = False
    watches: bool = False
    ground: Ground | None = None

    def face(self, *, formed: bool) -> Face | None:
        """The values of the face that is up; None in engagements."""
        return self.formed if formed else self.dispersed

    def score(self, *, formed: bool) -> int:
        """The cohesion of the face that is up (3.2, 3.72)."""
        face = self.face(formed=formed)
        return self.cohesion if face is None else face.cohesion

    @property
    def armoured(self) -> bool:
        """Whether it is an AFV (3.11)."""
        return self.type in VEHICLES

    def identical(self, other: Company) -> bool:
        """Same nation, type and values (3.11)."""
        ours = (self.nation, self.type, self.formed, self.dispersed)
        return ours == (other.nation, other.type, other.formed, other.dispersed)


@attrs.frozen
class Guns:
    """A group's firepower, whether its guns are howitzers or mortars, and what else it may fire (7.51, 7.52)."""

    firepower: int
    high_angle: bool
    shells: tuple[str, ...] = ()
    ground: Ground | None = None


@record
class Load:
    """What a group's present call is for."""

    shell: str = HIGH_EXPLOSIVE


@record
class Field:
    """What the scenario has changed on the map: gas, wire breached, scrapes, barrage lines whose wire has been cut.

    ``stops`` are the bomb stops as they are now.

    ``met`` tells which units have been attacked on entry by which mission this turn, where that is asked.
    """

    gas: tuple[Hex, ...] = ()
    breached: tuple[Side, ...] = ()
    scrapes: tuple[Hex, ...] = ()
    cut: tuple[tuple[str, Hex], ...] = ()
    met: tuple[tuple[str, str], ...] = ()
    stops: tuple[Side, ...] = ()


@record
class Soil:
    """What the scenario has changed in one hex."""

    scrape: bool = False


def plot_of(view: View, unit: str) -> Plot | None:
    """The ground under a unit; None in engagements, where its cover is declared."""
    ground = view.unit_facts(unit, Company).ground
    return None if ground is None else ground.plot(view.place_of(unit))


def ground_of(facts: Company) -> Ground:
    """The ground that a unit of a scenario is on."""
    if facts.ground is None:
        raise ValueError("units move only over the ground of a scenario")
    return facts.ground


def ready(view: View, unit: str) -> bool:
    """Whether a unit can take commands and react (3.3)."""
    troops = view.unit(unit, Troops)
    return not troops.destroyed and not troops.spent


def hallowed(view: View, unit: str) -> int:
    """-1 for a unit in or next to the hex that its side has hallowed (6.679)."""
    ground = view.unit_facts(unit, Company).ground
    if ground is None or ground.hallowed is None:
        return 0
    side, at = ground.hallowed
    return -int(side == view.unit_side(unit) and distance(at, view.place_of(unit)) <= 1)


def destroy(view: View, unit: str, cite: str) -> Effects:
    """The unit is destroyed; where units can move it also leaves the map, else it is told to those who watch by it."""
    facts, steps = view.unit_facts(unit, Company), view.scenario.steps
    gone = Effects(
        update(view.unit(unit, Troops), destroyed=True, moving=False),
        emit("suffered", cite, unit=unit, severity=Severity.DESTROYED),
    )
    after, at = [], view.place_of(unit)
    if facts.ground is not None and at in facts.ground.heights and "areas.left_to" in steps:
        others = (other for other in view.units_at(at) if other != unit)
        left = {view.unit_side(other) for other in others if not view.unit(other, Troops).destroyed}
        # The enemy it shared the hex with may now be alone there (3.9).
        if len(left) == 1 and view.unit_side(unit) not in left:
            after.append(push("areas.left_to", at, *left))
    if view.scenario.mobile:
        return Effects(gone, update(view.unit_neutral(unit), place=None), *after)
    if facts.watches and "observers.lost" in steps:
        after.append(push("observers.lost", unit))
    return Effects(gone, *after)


def disperse(view: View, unit: str, cite: str, *, spend: bool, always: bool = False, stopped: bool = True) -> Effects:
    """The unit is dispersed, and spent if so said; told only when that makes it worse, unless ``always``.

    ``stopped`` is set where a check has failed, which ends a move (6.65). Otherwise a unit that turns over on its way
    goes on with the movement of its other face, less what it has paid (3.2, 6.61).
    """
    troops = view.unit(unit, Troops)
    worse = always or troops.formed or (spend and not troops.spent)
    changed = update(troops, formed=False)
    if stopped:
        changed += update(troops, moving=False)
    elif troops.moving and troops.formed:
        facts = view.unit_facts(unit, Company)
        gained = sum(sign * face.movement for sign, face in ((1, facts.dispersed), (-1, facts.formed)) if face)
        changed += update(troops, points=troops.points + gained)
    if spend:
        changed += update(troops, spent=True)
    if not worse:
        return Effects(changed)
    return Effects(changed, emit("suffered", cite, unit=unit, severity=Severity.SUPPRESSED))
