"""Records and facts of the delays: modes of transmission, record track, calls and couplets."""

import attrs

from fireplan_core import COUNT, Charts, kept, record

AIRCRAFT = "aircraft"
FLARE = "flare"
RUNNER = "runner"
TELEPHONE = "telephone"
TRENCH_SET = "trench_set"


@attrs.frozen
class Mode:
    """A mode of transmission: its signal number (2d6 or less) and relay delay in turns (7.21).

    If ``number`` is 0, the mode is cut off.
    """

    name: str
    number: int
    delay: int


def mode(name: str, charts: Charts, *, bombarded: bool, trench: bool) -> Mode:
    """Return a mode of transmission with its values in this scenario (7.21).

    The values depend on any earlier bombardment (7.14); a telephone's also depend on a trench on
    the map.
    """
    row = int(bombarded)
    column = "telephone_no_trench" if name == TELEPHONE and not trench else name
    return Mode(
        name, int(charts["signal"].cell(row, column)), int(charts["relay"].cell(row, column))
    )


@record
class RecordTrack:
    """The record track: the scenario's conditions, and whether night spares a couplet (5.12)."""

    night: bool = kept(False, "whether it is night, which takes a couplet from a turn", "5.12")
    commands: tuple[int, ...] = kept(
        (), "the commands that each side gives in a turn to troops off the map", "5.21"
    )
    sides: tuple[str, ...] = kept((), "the sides that give commands", "5.21", among="side")
    central: str = kept("", "the side of the Central Powers", "5.11", among="side")
    other: str = kept("", "the side against the Central Powers", "5.11", among="side")
    exempt: bool = kept(
        False,
        "whether night takes no couplet this turn, because it left none in the last",
        "5.12",
    )
    bombarded: bool = kept(False, "whether a bombardment has made the signal numbers worse", "7.14")
    infiltration: bool = kept(False, "whether a side uses infiltration tactics", "3.6")
    troops: bool = kept(False, "whether units on the map can act", "6.61")
    followed: bool = kept(False, "whether units keep their state from turn to turn", "3.3")


@record
class GroupCall:
    """A group's call: its hour glass, its mode, and whether the group is spent."""

    hourglass: int | None = kept(
        None, "turns until the group is primed; none if not called", "7.222", between=COUNT
    )
    spent: bool = kept(False, "whether the group is spent", "3.3")
    runner: bool = kept(False, "whether the group was called by runner", "7.21")
    carried: bool = kept(
        False, "whether a carried cross hair has still to be placed on the map", "11.32"
    )


@record
class BarrageDelay:
    """The time until a massed fire begins, in turns."""

    turns: int = kept(0, "turns until the massed fire begins", "7.11", between=COUNT)


@attrs.frozen
class Couplet:
    """A couplet in progress: the sides in the order of their commands, and the current half.

    The side with the initiative comes first in every couplet (5.21). ``strikes`` is the number of
    couplets this turn that barrages have yet to open; ``struck`` is true once they have opened this
    couplet.
    """

    order: tuple[str, ...]
    half: int = 0
    strikes: int = 0
    struck: bool = False

    @property
    def side(self) -> str:
        """Return the side whose command is next in this couplet (5.22)."""
        return self.order[self.half]
