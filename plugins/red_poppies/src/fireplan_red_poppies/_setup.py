"""What stands on a table of this game before play: its groups, massed fire and troops, and what holds for all.

An engagement (``_engagement``) and a scenario file (``_build``) both become a ``Setup``, of which every part of the
game sets up its own share.
"""

from __future__ import annotations

from fractions import Fraction

import attrs

from fireplan.mission import Place
from fireplan.space import Hex
from fireplan_red_poppies._ground import Ground
from fireplan_red_poppies._massed import Massed
from fireplan_red_poppies._modes import AIRCRAFT, TELEPHONE
from fireplan_red_poppies._track import Track
from fireplan_red_poppies._troops import HIGH_EXPLOSIVE, Company, Troops


@attrs.frozen
class Watch:
    """What an engagement declares of the observer's sight of the target and the ground about it.

    ``on_foot`` is whether infantry sees it too, where the word goes by runner instead of the group's own mode (7.21).
    """

    ground: bool
    burst: bool
    known_enemy: bool
    on_foot: bool = False


@attrs.frozen(kw_only=True)
class GroupSetup:
    """A group off the map (2.4, 7.0). Without a ``target`` its fire is wanted in the middle of the target area.

    ``cross_hair``, ``hour_glass``, ``by_runner`` and ``loaded`` are those of a call carried over (11.32); ``shells``
    is given where a group may fire more than high explosive, ``observer`` where one company has the trench set.
    """

    name: str
    side: str
    mode: str
    firepower: int
    howitzers: bool
    target: Place = None
    preregistered: Place = None
    high_ground: bool = False
    observer: str | None = None
    shells: tuple[str, ...] = ()
    cross_hair: Place = None
    hour_glass: int | None = None
    by_runner: bool = False
    loaded: str = HIGH_EXPLOSIVE


@attrs.frozen(kw_only=True)
class MassedSetup:
    """A bombardment or barrage, and the turn that a barrage begins in."""

    name: str
    side: str
    fire: Massed
    turn: int = 0


@attrs.frozen(kw_only=True)
class TroopsSetup:
    """A unit; ``extent`` is its half-width in metres where it stands on more than one place."""

    name: str
    side: str
    place: Place
    strength: int
    troops: Troops
    company: Company
    extent: Fraction = Fraction(0)


@attrs.frozen(kw_only=True)
class Setup:
    """All of it. ``trench`` is whether one is on the map (7.21), ``heights`` who holds its top level (3.9).

    An engagement has a ``watch`` and no ``ground``, a scenario the reverse. ``unfit`` and ``assumed`` are, each with
    the part that it concerns, why an engagement cannot be represented and what its figures rest on.
    """

    track: Track
    groups: tuple[GroupSetup, ...]
    troops: tuple[TroopsSetup, ...]
    massed: tuple[MassedSetup, ...] = ()
    trench: bool = False
    heights: tuple[tuple[Hex, str], ...] = ()
    ground: Ground | None = None
    watch: Watch | None = None
    unfit: tuple[tuple[str, str], ...] = ()
    assumed: tuple[tuple[str, str], ...] = ()

    def mode_of(self, group: GroupSetup) -> str:
        """Return the group's own mode of transmission: at night an aircraft's counts as telephone (11.522)."""
        return TELEPHONE if group.mode == AIRCRAFT and self.track.night else group.mode
