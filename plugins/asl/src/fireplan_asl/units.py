"""Say what stands in a hex: the records of units, and what each of them is.

Vehicles, weapons, buildings, obstacles, a phone's line and bare ground are units as well, so that
one hex is one place for the solver; what is ground belongs to no side. How they are read and what
befalls them is in ``_standing``.
"""

from typing import Literal

import attrs

from fireplan_core import COUNT, Place, kept, record

SQUAD, HALF_SQUAD, ELIMINATED = 2, 1, 0

Kind = Literal[
    "infantry",
    "mount",
    "unarmoured",
    "afv",
    "gun",
    "weapon",
    "aircraft",
    "building",
    "bridge",
    "pillbox",
    "obstacle",
    "mines",
    "sangar",
    "line",
    "bare",
]
GROUND_KINDS = frozenset(
    {"building", "bridge", "pillbox", "obstacle", "mines", "sangar", "line", "bare"}
)
"""Say what is ground: it belongs to no side and takes no TEM.

``line`` is a phone's line, ``bare`` a hex as such.
"""
STOREYED = frozenset[Kind]({"building", "bridge", "pillbox"})
VEHICLES = frozenset({"afv", "unarmoured"})
Units = tuple[str, ...]


@record
class Body:
    """Say how Personnel stand."""

    size: int = kept(
        SQUAD, "2 squad, 1 half-squad or leader, 0 eliminated", "C1.51", between=(ELIMINATED, SQUAD)
    )
    broken: bool = kept(False, "whether the unit is broken", "C1.51")
    revealed: bool = kept(False, "whether a Bombardment has shown it to everybody", "C1.82")


@record
class Works:
    """Say how anything else stands: ``loss`` counts steps to its end, or the levels of a building that are rubble."""

    loss: int = kept(
        0,
        "steps to its end, or levels of a building that are rubble",
        "C1.821, C1.822",
        between=COUNT,
    )


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
        """Return the DRM of its Location: TEM, that of the levels above, Air Bursts.

        A Critical Hit turns TEM round.
        """
        return (-abs(self.tem) if critical else self.tem) + self.above + self.air_bursts
