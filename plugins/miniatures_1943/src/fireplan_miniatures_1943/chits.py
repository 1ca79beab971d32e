"""Request chits and the chart on which they move: their kinds, what never changes of one, how far it has come."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from functools import cache

import attrs

from fireplan_core import Part, Place, Sight, Stage, View, record
from fireplan_core.chance import read_csv
from fireplan_miniatures_1943.charts import DATA, OTHER, ROW


class Chit(Enum):
    """What a request chit stands for (6.1.c)."""

    BARRAGE = "barrage"
    AIR_STRIKE = "air strike"
    DUMMY = "dummy"


SLOTS = {"barrages": Chit.BARRAGE, "air_strikes": Chit.AIR_STRIKE, "dummies": Chit.DUMMY}
"""How chits are counted in orders and in scenario files."""


@attrs.frozen(kw_only=True)
class ChitSetup:
    """A chit as it comes on the table; every part keeps it as what it knows of the asset.

    ``boxes`` are the progress boxes of its line; ``start`` counts the moves still to make before play, as
    ``ChartPosition`` does, and is None for a chit in hand. Its markers are spotted as ``sight`` declares, else by
    the bases ``observers`` as far as ``visibility`` yards.
    """

    id: str
    kind: Chit
    line: str
    boxes: int
    start: int | None = None
    sight: Sight | None = None
    observers: tuple[str, ...] = ()
    visibility: int = 0
    side: str | None = None
    target: Place = None


@record
class ChartPosition:
    """How many moves a chit has still to make until the Arrival box, once it has made its first.

    Counted in moves, not minutes: these delays always play on their own clock, a move a game turn.
    """

    to_go: int = 0


@attrs.frozen
class ChartLine:
    """A line of the request chart: its name and its progress boxes."""

    name: str
    boxes: int


def chit_of(asset: str, otherwise: str) -> Chit:
    """Return the chit that an asset is: its id may say so (``air strike 2``), else the option ``chit`` does."""
    return next((chit for chit in Chit if asset.startswith(chit.value)), Chit(otherwise))


def chart_line(part: Part, nationality: str) -> ChartLine:
    """Return the line of a nationality: its own, one it is under, or ``other``.

    An option lengthens unattested lines of one box to the attested number.
    """
    name = nationality.strip().lower()
    chart = part.charts["request_chart"]
    line = next((line for line in chart.columns if line.lower() == name), _nationalities().get(name, OTHER))
    line = line if line in chart.columns else OTHER
    boxes = int(chart.cell(ROW, line))
    lengthened = boxes == 1 and part.options["request_lines"] == "attested"
    return ChartLine(line, part.number("attested_boxes") if lengthened else boxes)


@cache
def _nationalities() -> Mapping[str, str]:
    rows = read_csv(DATA / "nationalities.csv")
    return {row["called"]: row["line"] for row in rows}


def flies(view: View, mission: str) -> bool:
    """Return whether a chit is an air strike."""
    return view.facts(mission, ChitSetup).kind is Chit.AIR_STRIKE


def moves_left(view: View, mission: str) -> int:
    """Return how many moves a chit in line has still to make until the Arrival box (the view is the delays').

    One that was placed in this phase lies on the Request box: all progress boxes and the Arrival box are before it.
    """
    stage = view.mission(mission).stage
    if stage is Stage.REQUESTED:
        return view.facts(mission, ChitSetup).boxes + 1
    return 0 if stage in (Stage.IDLE, Stage.ENDED) else view.own(mission, ChartPosition).to_go
