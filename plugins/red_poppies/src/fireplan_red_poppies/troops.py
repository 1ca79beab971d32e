"""Records and constant facts of units and the ground, and the effects of failed checks on units."""

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
from fireplan_red_poppies.ground import HexTerrain, ScenarioMap, Side

GUNS = ("artillery", "machine_gun", "mortar")
VEHICLES = ("armoured_car", "tank")
"""The types of unit that are AFVs (3.11)."""

FOOT = (*GUNS, "infantry")
"""The types of unit that can be IN a trench (8.321)."""

Units = tuple[str, ...]
TRANSPORT = ("mules", "wagons", "trucks")

Shell = Literal["high_explosive", "gas", "smoke"]
SHELLS: Mapping[Shell, FireKind] = {
    "high_explosive": FireKind.HE,
    "gas": FireKind.GAS,
    "smoke": FireKind.SMOKE,
}
"""Maps shells, as named in orders and scenario files, to kinds of fire (7.51, 7.52)."""


@record
class TroopState:
    """The state of a unit on the map: formed or dispersed, spent, moving, destroyed and so on."""

    formed: bool = kept(False, "whether the unit is formed, not dispersed", "3.2")
    moving: bool = kept(False, "whether the unit counts as moving", "6.65")
    spent: bool = kept(False, "whether the unit is spent", "3.3")
    inside: str = kept(
        "",
        "the works that the unit is IN: trench or blockhouse",
        "8.321, 8.31",
        word="in_works",
        among=("", "trench", "blockhouse"),
    )
    points: int = kept(0, "movement points left", "6.61", between=COUNT)
    destroyed: bool = kept(False, "whether the unit is destroyed", "3.73")
    strayed: bool = kept(False, "whether the unit has made its lost check this turn", "6.663")
    by_road: bool = kept(True, "whether its move has crossed only road hex sides so far", "6.64")
    dug: bool = kept(False, "whether the unit has a shovel on it", "6.41")
    carried: str = kept("", "the transport that the unit uses this turn", "6.82")


@attrs.frozen
class Face:
    """The values on one face of a counter (3.2, 3.11).

    ``anti_tank`` is None if none is printed. ``against_afv`` is added to melee against AFVs: 1 if
    the melee value is boxed, -1 if it is underlined (6.677).
    """

    firepower: int
    range: int
    melee: int
    cohesion: int
    movement: int
    anti_tank: int | None = None
    against_afv: int = 0


def read_face(text: str) -> Face:
    """Return the face written as firepower/range/melee/cohesion/movement(/anti-tank).

    A boxed melee value is written [3], and an underlined one _3. Raises ``ValueError`` for other
    text.
    """
    number = "([0-9]{1,2})"
    match = re.fullmatch(
        rf"{number}/{number}/(\[?)_?{number}\]?/{number}/{number}(?:/{number})?", text.strip()
    )
    if match is None:
        raise ValueError(
            f"expected firepower/range/melee/cohesion/movement, such as 1/1/3/8/3, got {text!r}"
        )
    fire, reach, box, melee, cohesion, movement, anti_tank = match.groups()
    marked = 1 if box else -int("_" in text)
    against_tanks = None if anti_tank is None else int(anti_tank)
    return Face(
        int(fire), int(reach), int(melee), int(cohesion), int(movement), against_tanks, marked
    )


@attrs.frozen
class UnitKind:
    """A row of units.csv: a kind of unit with its type, both faces and the source of its values."""

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
"""Maps the names that a scenario file can use to kinds of units."""


@attrs.frozen
class Company:
    """The constant facts of a unit.

    Engagements declare its ``cover`` and have no faces and no ``ground``; scenarios have both.
    ``fixed`` marks the company with the trench set, which may not move (7.21). ``infiltrates``
    marks a unit that may join a blob (3.6), and ``storms`` a unit of a side that uses infiltration
    tactics (6.675). ``clumsy`` marks a unit that checks for bogging in craters (14.0).
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
    ground: ScenarioMap | None = None

    def face(self, *, formed: bool) -> Face | None:
        """Return the values of the formed or dispersed face; None in engagements."""
        return self.formed if formed else self.dispersed

    def score(self, *, formed: bool) -> int:
        """Return the cohesion of the formed or dispersed face (3.2, 3.72)."""
        face = self.face(formed=formed)
        return self.cohesion if face is None else face.cohesion

    @property
    def armoured(self) -> bool:
        """Return whether the unit is an AFV (3.11)."""
        return self.type in VEHICLES

    @property
    def on_foot(self) -> bool:
        """Return whether the unit can dig and be IN a trench (6.41, 8.321)."""
        return self.type in FOOT

    def identical(self, other: Self) -> bool:
        """Return whether both units have the same nation, type and values (3.11)."""
        ours = (self.nation, self.type, self.formed, self.dispersed)
        return ours == (other.nation, other.type, other.formed, other.dispersed)


@record
class MapChanges:
    """The changes to the map during play.

    A hex of the top level belongs to the side that set up in it, then to the last side alone in it
    (3.9).
    """

    gas: tuple[Hex, ...] = kept((), "whether there is gas here", "7.512", places=AT_PLACES)
    breached: tuple[Side, ...] = kept(
        (), "hex sides with breached wire, each by its two hexes", "8.342"
    )
    cut: tuple[tuple[str, Hex], ...] = kept(
        (), "massed fires and the lines where they have cut the wire", "7.43"
    )
    met: tuple[tuple[str, str], ...] = kept(
        (), "missions and the units they have attacked on entry this turn", "7.247"
    )
    stops: tuple[Side, ...] = kept((), "hex sides with a bomb stop, each by its two hexes", "8.33")
    heights: tuple[tuple[Place, str], ...] = kept(
        (), "the side that controls each hex of the map's top level", "3.9"
    )
    hallowed: tuple[str, Hex] | None = kept(
        None, "the side for which a melee has hallowed a hex, and the hex", "6.679"
    )
    transport: tuple[tuple[str, str], ...] = kept((), "the transport groups of each side", "6.81")


@record
class Soil:
    """The changes to one hex during play: scrapes."""

    scrape: bool = kept(False, "whether a scrape was dug here", "6.41")


def plot_of(view: View, unit: str) -> HexTerrain | None:
    """Return the terrain of a unit's hex; None in engagements, which declare cover."""
    ground = view.unit_facts(unit, Company).ground
    return None if ground is None else ground.plot(view.place_of(unit))


def ground_of(view: View, unit: str) -> ScenarioMap:
    """Return a unit's ground; raise ``ValueError`` in engagements, which have none."""
    ground = view.unit_facts(unit, Company).ground
    if ground is None:
        raise ValueError("units cannot move in an engagement: only a scenario has a map")
    return ground


def cratered(view: View, ground: ScenarioMap, hex_: Hex) -> bool:
    """Return whether a hex has craters, printed or from scrapes (7.13, 8.2)."""
    return ground.plot(hex_).craters or view.ground(hex_, Soil).scrape


def ready(view: View, unit: str) -> bool:
    """Return whether a unit is neither spent nor destroyed, so that it can act and react (3.3)."""
    troops = view.unit(unit, TroopState)
    return not troops.destroyed and not troops.spent


def armoured(view: View, unit: str) -> bool:
    """Return whether a unit is an AFV (3.11)."""
    return view.unit_facts(unit, Company).armoured


def face_of(view: View, unit: str) -> Face | None:
    """Return the values of a unit's visible face; None in engagements."""
    return view.unit_facts(unit, Company).face(formed=view.unit(unit, TroopState).formed)


def cohesion_of(view: View, unit: str) -> int:
    """Return the cohesion of a unit's visible face (3.2, 3.72)."""
    return view.unit_facts(unit, Company).score(formed=view.unit(unit, TroopState).formed)


def enemies_in(view: View, unit: str, hex_: Hex) -> list[str]:
    """Return the names of the units in a hex that are enemies of a unit."""
    return [u for u in view.units_at(hex_) if view.unit_side(u) != view.unit_side(unit)]


def destroy(view: View, unit: str, cite: str) -> Effects:
    """Return the effects of destroying a unit; if units can move, it also leaves the map."""
    ground, at = view.unit_facts(unit, Company).ground, view.place_of(unit)
    sides = {
        view.unit_side(u)
        for u in view.units_at(at)
        if u != unit and not view.unit(u, TroopState).destroyed
    }
    # In a top-level hex the enemy may now be alone, which gives him control (3.9).
    freed = ground is not None and at in ground.heights and view.unit_side(unit) not in sides
    return Effects(
        update(view.unit(unit, TroopState), destroyed=True, moving=False),
        *([update(view.unit_neutral(unit), place=None)] if view.scenario.mobile else []),
        emit("suffered", cite, unit=unit, severity=Severity.DESTROYED),
        take_height(view, at, sides) if freed else Effects(),
    )


def take_height(view: View, at: Hex, sides: set[str]) -> Effects:
    """Return the effects of giving a top-level hex to the side that is alone in it.

    With both sides or neither in the hex, control does not change (3.9).
    """
    if len(sides) != 1:
        return Effects()
    (side,), field = sides, view.shared(MapChanges)
    heights = tuple((place, side if place == at else before) for place, before in field.heights)
    return Effects(update(field, heights=heights), emit("control", "3.9", at=at, by=side))


def disperse(
    view: View, unit: str, cite: str, *, spend: bool, always: bool = False, stopped: bool = True
) -> Effects:
    """Return the effects of dispersing a unit, and of spending it with ``spend``.

    An event is emitted only if the unit is worse off, or with ``always``. With ``stopped`` the
    unit's move ends, as after a failed check (6.65). Otherwise a moving unit continues with the
    movement of its dispersed face, less the points already spent (3.2, 6.61).
    """
    troops, facts = view.unit(unit, TroopState), view.unit_facts(unit, Company)
    scattered = always or troops.formed
    changed = Effects(update(troops, formed=False))
    if stopped:
        changed = Effects(changed, update(troops, moving=False))
    elif troops.moving and troops.formed and facts.formed and facts.dispersed:
        gained = facts.dispersed.movement - facts.formed.movement
        changed = Effects(changed, update(troops, points=troops.points + gained))
    if spend:
        changed = Effects(changed, update(troops, spent=True))
    suffered = {"dispersed": scattered, "spent": spend and not troops.spent}
    how = "_and_".join(word for word, holds in suffered.items() if holds)
    if not how:
        return changed
    harm = emit("suffered", cite, unit=unit, severity=Severity.SUPPRESSED, how=how)
    return Effects(changed, harm)
