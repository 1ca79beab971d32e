"""Records and facts of the delays: the record track, groups and their hour glasses, barrages to come, the couplet."""

from __future__ import annotations

import attrs

from fireplan_core import FireKind, Place, record
from fireplan_red_poppies._modes import Mode


@record
class Track:
    """The record track: what holds for the scenario, and whether night takes no couplet this turn (5.12).

    ``sides`` are those that may be asked for commands, ``commands`` how many each has for other troops in a turn;
    ``troops`` is set where units on the map are moved too, ``kept`` where their state is followed from turn to turn.
    """

    night: bool = False
    commands: tuple[int, ...] = ()
    sides: tuple[str, ...] = ()
    central: str = ""
    other: str = ""
    exempt: bool = False
    bombarded: bool = False
    infiltration: bool = False
    troops: bool = False
    kept: bool = False


@record
class GroupCall:
    """A group's call: turns left on its hour glass (0 primed, None not called), whether spent, whether by runner.

    ``carried`` is set until a cross hair carried over from the scenario before is on the map (11.32).
    """

    hourglass: int | None = None
    spent: bool = False
    runner: bool = False
    carried: bool = False


@record
class BarrageDelay:
    """Massed fire: turns that are still to open before it begins."""

    turns: int = 0


@attrs.frozen
class Transmission:
    """The mode a group has in this scenario, and the runner that any group may use instead (7.21).

    ``own_after`` and ``runner_after`` are the same once massed fire has fallen (7.14), where that may still come.
    ``cross_hair`` and ``loaded`` are those of a call carried over (11.32).
    """

    own: Mode
    runner: Mode
    own_after: Mode | None = None
    runner_after: Mode | None = None
    cross_hair: Place = None
    loaded: FireKind = FireKind.HE


@attrs.frozen
class Couplet:
    """A couplet in progress: the sides in the order of their halves, and whose half it is.

    ``strikes`` is how many more couplets barrages open this turn, ``struck`` tells whether they have opened this one.
    The leader keeps his place in every couplet (5.21).
    """

    order: tuple[str, ...]
    half: int = 0
    strikes: int = 0
    struck: bool = False

    @property
    def side(self) -> str:
        """Return the acting side (5.22)."""
        return self.order[self.half]
