"""Request chits, the chart on which they move, and their markers on the table.

Nothing here moves a chit or a marker, or rolls for a base; that is in ``delays``, ``areas`` and
``resolution``.
"""

from collections.abc import Mapping
from enum import Enum
from fractions import Fraction
from functools import cache

import attrs

from fireplan_core import COUNT, FINAL, FireKind, Part, Place, Sight, Stage, View, kept, record
from fireplan_core.chance import read_csv
from fireplan_core.space import Heading, Point, Rectangle, Yards, strip_ahead
from fireplan_miniatures_1943.charts import DATA, OTHER, ROW


class Chit(Enum):
    """Say what a request chit stands for (6.1.c)."""

    BARRAGE = "barrage"
    AIR_STRIKE = "air strike"
    DUMMY = "dummy"


SLOTS = {"barrages": Chit.BARRAGE, "air_strikes": Chit.AIR_STRIKE, "dummies": Chit.DUMMY}
"""Say how chits are counted in orders and in scenario files."""


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
    visibility: Yards = 0
    side: str | None = None
    target: Place = None


@record
class ChartPosition:
    """Say how many moves a chit has still to make until the Arrival box, once it has made its first.

    Counted in moves, not minutes: these delays always play on their own clock, a move a game turn.
    """

    to_go: int = kept(
        0, "moves that the chit still makes until the Arrival box", "6.1.f", between=COUNT
    )


def chit_of(asset: str, otherwise: str) -> Chit:
    """Return the chit that an asset is: its id may say so (``air strike 2``), else the option ``chit`` does."""
    return next((chit for chit in Chit if asset.startswith(chit.value)), Chit(otherwise))


def chart_line(part: Part, nationality: str) -> tuple[str, int]:
    """Return the line of a nationality (its own, one it is under, or ``other``) and its progress boxes.

    An option lengthens unattested lines of one box to the attested number.
    """
    name = nationality.strip().lower()
    chart = part.charts["request_chart"]
    line = next(
        (line for line in chart.columns if line.lower() == name), _nationalities().get(name, OTHER)
    )
    line = line if line in chart.columns else OTHER
    boxes = int(chart.cell(ROW, line))
    lengthened = boxes == 1 and part.options["request_lines"] == "attested"
    return line, part.number("attested_boxes") if lengthened else boxes


@cache
def _nationalities() -> Mapping[str, str]:
    rows = read_csv(DATA / "nationalities.csv")
    return {row["called"]: row["line"] for row in rows}


def flies(view: View, mission: str) -> bool:
    """Return whether a chit is an air strike."""
    return view.facts(mission, ChitSetup).kind is Chit.AIR_STRIKE


def unused(view: View, mission: str) -> bool:
    """Return whether a chit is neither in line nor on the table nor used up."""
    now = view.mission(mission)
    return now.stage is Stage.IDLE or (now.stage is Stage.ENDED and now.reason not in FINAL)


def moves_left(view: View, mission: str) -> int:
    """Return how many moves a chit in line has still to make until the Arrival box (the view is the delays').

    One that was placed in this phase lies on the Request box: all progress boxes and the Arrival
    box are before it.
    """
    stage = view.mission(mission).stage
    if stage is Stage.REQUESTED:
        return view.facts(mission, ChitSetup).boxes + 1
    return 0 if stage in (Stage.IDLE, Stage.ENDED) else view.own(mission, ChartPosition).to_go


# --- markers --------------------------------------------------------------------------------------
HEADINGS = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))
STRAIGHT = tuple(way for way in HEADINGS if 0 in way)
"""Headings along which half the depth of a strike is a whole number of yards both ways."""


@record
class Marker:
    """The marker of a chit."""

    placed: bool = kept(False, "whether the marker waits to be resolved", "6.2.d")
    spotted: bool | None = kept(
        None, "whether the barrage is spotted; none until the marker is put", "6.2.b"
    )
    heading: tuple[int, int] = kept(
        HEADINGS[0], "the way that an air strike flies, in yards east and south", "6.2.j"
    )
    left: Fraction = kept(
        Fraction(0), "minutes that a smoke screen still lasts", "6.4.d", word="minutes"
    )


def strip(part: Part, at: Point, heading: Heading) -> Rectangle:
    """Return the ground of an air strike: it begins at the front edge of the marker and lies straight ahead (6.2.j).

    By option ``strike_point`` the point is the middle of that edge, or of the ground itself.
    """
    depth, width = part.number("strike_depth_yards"), part.options["strip_width"]
    if part.options["strike_point"] == "front edge":
        return strip_ahead(at, heading, width, depth)
    return Rectangle(at, heading, length=depth, width=width)


def strike_points(part: Part, target: Point) -> tuple[Point, ...]:
    """Return where to put an air strike so that the middle of its ground is the target, in order of ``STRAIGHT``."""
    if part.options["strike_point"] == "middle":
        return (target,)
    back = part.number("strike_depth_yards") // 2
    return tuple((target[0] - back * east, target[1] - back * south) for east, south in STRAIGHT)


def reach(part: Part, *, spotted: bool) -> int:
    """Return the yards from its centre that a barrage affects (6.2.b, 6.2.c)."""
    return part.number("barrage_yards_spotted" if spotted else "barrage_yards_unspotted")


def barrages(part: Part, view: View, *, smoke: bool) -> list[tuple[str, Place, int]]:
    """Return the barrages (or smoke screens) that lie on the table: mission, centre, yards of reach."""
    found: list[tuple[str, Place, int]] = []
    for mission in view.missions:
        now, marker = view.mission(mission), view.peek(mission, Marker)
        if flies(view, mission) or marker.spotted is None or (now.kind is FireKind.SMOKE) != smoke:
            continue
        if marker.placed or now.stage in (Stage.FALLING, Stage.LINGERING):
            centre = now.aim if marker.placed else now.impact
            found.append((mission, centre, reach(part, spotted=bool(marker.spotted))))
    return found
