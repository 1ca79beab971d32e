"""The units in a hex: their state and their fixed facts.

Vehicles, weapons, buildings, obstacles, phone lines and bare ground are units as well, so that the
solver treats one hex as one place. Terrain belongs to no side. The effects of losses are in
``standing``.
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
"""The kinds of terrain, which belong to no side.

``line`` is the line of a field phone, and ``bare`` is the ground of a hex.
"""
STOREYED = frozenset[Kind]({"building", "bridge", "pillbox"})
VEHICLES = frozenset({"afv", "unarmoured"})
Units = tuple[str, ...]


@record
class PersonnelState:
    """The state of Personnel: size, broken, and revealed by a Bombardment."""

    size: int = kept(
        SQUAD, "2 squad, 1 half-squad or leader, 0 eliminated", "C1.51", between=(ELIMINATED, SQUAD)
    )
    broken: bool = kept(False, "whether the unit is broken", "C1.51")
    revealed: bool = kept(False, "whether a Bombardment has shown it to everybody", "C1.82")


@record
class ObjectState:
    """The state of a vehicle, weapon or terrain.

    ``loss`` counts the steps towards its destruction, or the levels of a building that are rubble.
    """

    loss: int = kept(
        0,
        "steps towards its end, or levels of a building that are rubble",
        "C1.821, C1.822",
        between=COUNT,
    )


WHOLE, DAMAGED, DESTROYED, BURNING = range(4)
"""Values of ``ObjectState.loss`` for vehicles and weapons.

``DAMAGED`` means immobilised or malfunctioning.
"""


@record
class March:
    """A unit's progress along its road."""

    legs: int = kept(0, "legs of its route that the unit has covered", "C1.51", between=COUNT)


@attrs.frozen
class Leg:
    """One leg of a unit's road: a move to a hex before fire phase ``moment``.

    ``exposed`` is the total DRM of FFMO and FFNAM, which applies only in the MPh.
    """

    moment: int
    to: Place
    tem: int = 0
    air_bursts: int = 0
    exposed: int = 0
    marsh: bool = False


@attrs.frozen
class UnitProfile:
    """The fixed facts of a unit and of its Location.

    ``tem`` and ``air_bursts`` are the DRM of its Location against Indirect Fire. ``above`` is the
    TEM of the building levels above it, which a Critical Hit does not reverse and a Bombardment
    does not count. ``immune`` units are not attacked at all (C1.5). ``hex`` is the index of its hex
    in a place that is wider than one hex; ``road`` is its movement during play.

    Personnel may be ``aboard`` a vehicle or mount, with ``survival`` as the highest DR that saves
    them. Personnel may also be on a ``level`` of a building, or in a sangar (``shelter``).
    ``observes`` lists the batteries that Personnel, or an OP tank, may direct. ``broken_morale`` is
    the Morale Level of their broken side, or None if it is the same. Berserk units count as
    ``heroic``.

    ``possessor`` is the unit that mans a weapon. ``armour`` is thin if all AF of an AFV are 4 or
    less, and thick if they are 8 or more. ``levels`` is the number of levels of a building, or of
    steps of a minefield. Shellholes may be placed in the hex if it ``craters``, and Flames if it
    ``burns``. ``owner`` is the side of a hidden obstacle, and ``battery`` is the battery to which a
    phone line belongs. Units in a foxhole or trench are ``entrenched``.
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
    entrenched: bool = False

    @property
    def end(self) -> int:
        """Return the ``ObjectState.loss`` at which the unit is removed."""
        if self.kind in STOREYED or self.kind == "mines":
            return max(1, self.levels)
        return 1 if self.kind in ("line", "bare") else DESTROYED

    @property
    def ground(self) -> bool:
        """Return whether the unit is terrain, such as a building, an obstacle or a phone line."""
        return self.kind in GROUND_KINDS

    def cover(self, *, critical: bool = False) -> int:
        """Return the total DRM of the Location: TEM, building levels above, and Air Bursts.

        With ``critical``, positive TEM is reversed.
        """
        return (-abs(self.tem) if critical else self.tem) + self.above + self.air_bursts
