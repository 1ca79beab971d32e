"""Records and facts of the delays: modes of transmission (7.21), the record track, groups, hour glasses, couplets.

No steps here: the delays throw against the numbers of the modes, observers and requests ask who
must see.
"""

import attrs

from fireplan_core import COUNT, Charts, kept, record

AIRCRAFT = "aircraft"
FLARE = "flare"
RUNNER = "runner"
TELEPHONE = "telephone"
TRENCH_SET = "trench_set"


@attrs.frozen
class Mode:
    """A mode as this scenario has it: 2d6 at or below ``number`` succeeds, after ``delay`` turns (7.21)."""

    name: str
    number: int
    delay: int


def mode(name: str, charts: Charts, *, bombarded: bool, trench: bool) -> Mode:
    """Return a mode's numbers: bombarded column or not, telephone with or without a trench on the map (7.14, 7.21)."""
    row = int(bombarded)
    column = "telephone_no_trench" if name == TELEPHONE and not trench else name
    return Mode(
        name, int(charts["signal"].cell(row, column)), int(charts["relay"].cell(row, column))
    )


@record
class Track:
    """The record track: what holds for the scenario, and whether night takes no couplet this turn (5.12)."""

    night: bool = kept(False, "whether night takes a couplet from this turn", "5.12")
    commands: tuple[int, ...] = kept(
        (), "commands of each side for troops that are not followed, in a turn", "5.21"
    )
    sides: tuple[str, ...] = kept((), "the sides that are asked for commands", "5.21")
    central: str = kept("", "the side of the Central Powers", "5.11", among="side")
    other: str = kept("", "the side against the Central Powers", "5.11", among="side")
    exempt: bool = kept(
        False,
        "whether night takes no couplet from this turn, since it left the last one none",
        "5.12",
    )
    bombarded: bool = kept(False, "whether a bombardment has moved the signal numbers", "7.14")
    infiltration: bool = kept(False, "whether units use infiltration tactics", "3.6")
    troops: bool = kept(False, "whether units on the map are moved too", "6.61")
    followed: bool = kept(False, "whether the state of units is followed from turn to turn", "3.3")


@record
class GroupCall:
    """A group's call and its hour glass."""

    hourglass: int | None = kept(
        None, "turns until the group is primed (0); none: not called", "7.222", between=COUNT
    )
    spent: bool = kept(False, "whether the group is spent", "3.3")
    runner: bool = kept(False, "whether it was called by runner", "7.21")
    carried: bool = kept(
        False, "whether a cross hair carried over has still to be put on the map", "11.32"
    )


@record
class BarrageDelay:
    """Massed fire: turns that are still to open before it begins."""

    turns: int = kept(0, "turns still to open before the massed fire begins", "7.11", between=COUNT)


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
