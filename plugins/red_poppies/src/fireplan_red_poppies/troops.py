"""Say what the resolution keeps of units, groups and the ground: records, constant facts, and a unit's losses."""

import re
from collections.abc import Mapping
from importlib.resources import files
from typing import Literal, Self

import attrs

from fireplan_core import (
    AT_PLACES,
    COUNT,
    Effects,
    FireKind,
    Place,
    Severity,
    View,
    emit,
    kept,
    record,
    update,
)
from fireplan_core.chance import read_csv
from fireplan_core.space import Hex
from fireplan_red_poppies.ground import Ground, Plot, Side

GUNS = ("artillery", "machine_gun", "mortar")
VEHICLES = ("armoured_car", "tank")
"""AFV (3.11)."""

FOOT = (*GUNS, "infantry")
"""Say who may be IN a trench (8.321)."""

Shell = Literal["high_explosive", "gas", "smoke"]
SHELLS: Mapping[Shell, FireKind] = {
    "high_explosive": FireKind.HE,
    "gas": FireKind.GAS,
    "smoke": FireKind.SMOKE,
}
"""Say what a group may be called to fire, as orders and scenario files name it (7.51, 7.52)."""


@record
class Troops:
    """A unit's face, state and fate."""

    formed: bool = kept(False, "whether the unit is formed, not dispersed", "3.2")
    moving: bool = kept(False, "whether the unit counts as moving", "6.65")
    spent: bool = kept(False, "whether the unit is spent", "3.3")
    inside: str = kept(
        "",
        "the works that it is IN: trench or blockhouse",
        "8.321, 8.31",
        word="in_works",
        among=("", "trench", "blockhouse"),
    )
    points: int = kept(0, "points that it has left in its move", "6.61", between=COUNT)
    destroyed: bool = kept(False, "whether the unit is destroyed", "3.73")
    strayed: bool = kept(False, "whether it has checked for getting lost this turn", "6.663")
    by_road: bool = kept(True, "whether its move has kept to road sides so far", "6.64")
    dug: bool = kept(False, "whether it has a shovel", "6.41")
    carried: str = kept("", "the transport that it uses this turn", "6.82")


@attrs.frozen
class Face:
    """The values of one side of a counter (3.2, 3.11).

    ``anti_tank`` is None where none is printed. ``against_afv`` changes melee with AFV: 1 boxed, -1 underlined (6.677).
    """

    firepower: int
    range: int
    melee: int
    cohesion: int
    movement: int
    anti_tank: int | None = None
    against_afv: int = 0


def read_face(text: str) -> Face:
    """Return the face that a text gives: firepower/range/melee/cohesion/movement, and an anti-tank value if it has one.

    A boxed melee value is written [3], an underlined one _3. Raises ValueError for anything else.
    """
    number = "([0-9]{1,2})"
    found = re.fullmatch(
        rf"{number}/{number}/(\[?)_?{number}\]?/{number}/{number}(?:/{number})?", text.strip()
    )
    if found is None:
        raise ValueError(
            f"expected firepower/range/melee/cohesion/movement, such as 1/1/3/8/3, got {text!r}"
        )
    fire, reach, box, melee, cohesion, movement, anti_tank = found.groups()
    marked = 1 if box else -int("_" in text)
    own = None if anti_tank is None else int(anti_tank)
    return Face(int(fire), int(reach), int(melee), int(cohesion), int(movement), own, marked)


@attrs.frozen
class UnitKind:
    """A row of the chart of kinds of units: type, both faces, and where the values come from."""

    name: str
    type: str
    formed: Face
    dispersed: Face
    provenance: str


def _read() -> Mapping[str, UnitKind]:
    rows = read_csv(files("fireplan_red_poppies") / "data" / "units.csv")
    kinds = (
        UnitKind(
            row["kind"],
            row["type"],
            read_face(row["formed"]),
            read_face(row["dispersed"]),
            row["provenance"],
        )
        for row in rows
    )
    return {kind.name: kind for kind in kinds}


UNIT_KINDS = _read()


@attrs.frozen
class Company:
    """Say what of a unit does not change: cohesion, declared cover (engagements), type and both faces (scenarios).

    ``fixed`` is the company with the trench set, which may not move (7.21). ``storms`` tells that its side uses
    infiltration tactics by its notes (6.675), ``clumsy`` that it checks on entering craters (14.0).
    """

    cohesion: int
    cover: bool = False
    type: str = "infantry"
    nation: str = ""
    formed: Face | None = None
    dispersed: Face | None = None
    infiltrates: bool = False
    storms: bool = False
    clumsy: bool = False
    fixed: bool = False
    ground: Ground | None = None

    def face(self, *, formed: bool) -> Face | None:
        """Return the values of the face that is up; None in engagements."""
        return self.formed if formed else self.dispersed

    def score(self, *, formed: bool) -> int:
        """Return the cohesion of the face that is up (3.2, 3.72)."""
        face = self.face(formed=formed)
        return self.cohesion if face is None else face.cohesion

    @property
    def armoured(self) -> bool:
        """Return whether it is an AFV (3.11)."""
        return self.type in VEHICLES

    @property
    def on_foot(self) -> bool:
        """Return whether it may dig, and be IN a trench (6.41, 8.321)."""
        return self.type in FOOT

    def identical(self, other: Self) -> bool:
        """Return whether another unit has the same nation, type and values (3.11)."""
        ours = (self.nation, self.type, self.formed, self.dispersed)
        return ours == (other.nation, other.type, other.formed, other.dispersed)


@record
class Field:
    """Say what the scenario has changed on the map.

    A hex of the top level is controlled by set-up, then by whoever was last there alone (3.9).
    """

    gas: tuple[Hex, ...] = kept((), "whether gas lies here", "7.512", places=AT_PLACES)
    breached: tuple[Side, ...] = kept(
        (), "hex sides whose wire is breached, each by its two hexes", "8.342"
    )
    cut: tuple[tuple[str, Hex], ...] = kept(
        (), "barrage lines whose wire has been cut, and where", "7.43"
    )
    met: tuple[tuple[str, str], ...] = kept(
        (), "units attacked on entry this turn, and by which asset", "7.247"
    )
    stops: tuple[Side, ...] = kept((), "hex sides with a bomb stop, each by its two hexes", "8.33")
    heights: tuple[tuple[Place, str], ...] = kept(
        (), "the side that controls each hex of the map's top level", "3.9"
    )
    hallowed: tuple[str, Hex] | None = kept(
        None, "the side whose ground a melee has hallowed, and where", "6.679"
    )
    transport: tuple[tuple[str, str], ...] = kept(
        (), "the groups of transport that each side has", "6.81"
    )


@record
class Soil:
    """Say what the scenario has changed in one hex."""

    scrape: bool = kept(False, "whether a scrape was dug here", "6.41")


def plot_of(view: View, unit: str) -> Plot | None:
    """Return the ground under a unit; None in engagements, where its cover is declared."""
    ground = view.unit_facts(unit, Company).ground
    return None if ground is None else ground.plot(view.place_of(unit))


def ground_of(view: View, unit: str) -> Ground:
    """Return the ground of the scenario that a unit is on. ValueError in engagements."""
    ground = view.unit_facts(unit, Company).ground
    if ground is None:
        raise ValueError("units move only over the ground of a scenario")
    return ground


def cratered(view: View, ground: Ground, hex_: Hex) -> bool:
    """Return whether a hex has craters: printed ones, or the scrapes that stand for them (7.13, 8.2)."""
    return ground.plot(hex_).craters or view.ground(hex_, Soil).scrape


def ready(view: View, unit: str) -> bool:
    """Return whether a unit can take commands and react (3.3)."""
    troops = view.unit(unit, Troops)
    return not troops.destroyed and not troops.spent


def destroy(view: View, unit: str, cite: str) -> Effects:
    """Destroy the unit; where units can move it also leaves the map."""
    ground, at = view.unit_facts(unit, Company).ground, view.place_of(unit)
    left = {
        view.unit_side(u)
        for u in view.units_at(at)
        if u != unit and not view.unit(u, Troops).destroyed
    }
    # The enemy it shared a hex of the top level with may now be alone there (3.9).
    freed = ground is not None and at in ground.heights and view.unit_side(unit) not in left
    return Effects(
        update(view.unit(unit, Troops), destroyed=True, moving=False),
        *([update(view.unit_neutral(unit), place=None)] if view.scenario.mobile else []),
        emit("suffered", cite, unit=unit, severity=Severity.DESTROYED),
        take_height(view, at, left) if freed else Effects(),
    )


def take_height(view: View, at: Hex, sides: set[str]) -> Effects:
    """Give a hex of the top level to the side that is alone there.

    It stays as it was where both are, or none (3.9).
    """
    if len(sides) != 1:
        return Effects()
    (side,), field = sides, view.shared(Field)
    heights = tuple((place, side if place == at else before) for place, before in field.heights)
    return Effects(update(field, heights=heights), emit("control", "3.9", at=at, by=side))


def disperse(
    view: View, unit: str, cite: str, *, spend: bool, always: bool = False, stopped: bool = True
) -> Effects:
    """Disperse the unit, and spend it if so said.

    Told only when that makes it worse, unless ``always``.

    ``stopped`` is set where a check has failed, which ends a move (6.65). Otherwise a unit that turns over on its way
    goes on with the movement of its other face, less what it has paid (3.2, 6.61).
    """
    troops, facts = view.unit(unit, Troops), view.unit_facts(unit, Company)
    worse = always or troops.formed or (spend and not troops.spent)
    changed = Effects(update(troops, formed=False))
    if stopped:
        changed = Effects(changed, update(troops, moving=False))
    elif troops.moving and troops.formed and facts.formed and facts.dispersed:
        gained = facts.dispersed.movement - facts.formed.movement
        changed = Effects(changed, update(troops, points=troops.points + gained))
    if spend:
        changed = Effects(changed, update(troops, spent=True))
    return (
        Effects(changed, emit("suffered", cite, unit=unit, severity=Severity.SUPPRESSED))
        if worse
        else changed
    )
