"""Request chits, the request chart on which they move, and their markers on the table.

This module defines records and measurements; ``delays`` moves chits, ``areas`` places markers and
``resolution`` rolls for bases.
"""

from collections.abc import Iterable, Mapping
from enum import Enum
from fractions import Fraction
from functools import cache

import attrs

from fireplan_core import COUNT, FINAL, FireKind, Part, Place, Sight, Stage, View, kept, record
from fireplan_core.chance import read_csv
from fireplan_core.setups.setup import Setup
from fireplan_core.space import (
    Heading,
    PlaneRectangle,
    Point,
    Yards,
    squared_distance,
    strip_ahead,
)
from fireplan_miniatures_1943.bases import METRES_PER_YARD, BaseProfile
from fireplan_miniatures_1943.charts import DATA, OTHER, ROW
from fireplan_miniatures_1943.geometry import within_circle


class Chit(Enum):
    """The kinds of request chits (6.1.c)."""

    BARRAGE = "barrage"
    AIR_STRIKE = "air strike"
    DUMMY = "dummy"


SLOTS = {"barrages": Chit.BARRAGE, "air_strikes": Chit.AIR_STRIKE, "dummies": Chit.DUMMY}
"""Maps the name of each count in orders and scenario files to its kind of chit."""


@attrs.frozen(kw_only=True)
class ChitSetup:
    """The facts about a chit, the same for every part.

    ``line`` names its line of the request chart, and ``boxes`` is the number of progress boxes
    there. ``sight`` is the declared line of sight; without it, the bases in ``observers`` see as
    far as ``visibility`` yards. ``side`` and ``target`` are None in an engagement.
    """

    id: str
    kind: Chit
    line: str
    boxes: int
    sight: Sight | None = None
    observers: tuple[str, ...] = ()
    visibility: Yards = 0
    side: str | None = None
    target: Place = None


@record
class ChartPosition:
    """The number of moves that a chit needs to reach the Arrival box.

    The count is in moves, not minutes, because this part always plays on its own clock, with one
    move each game turn.
    """

    to_go: int = kept(0, "moves that the chit has left to the Arrival box", "6.1.f", between=COUNT)
    start: int | None = kept(
        None, "moves left for a chit placed before play; none for a chit in hand", "S.e"
    )


def chit_of(asset: str, otherwise: str) -> Chit:
    """Return an asset's kind of chit: from its id (``air strike 2``), or else ``otherwise``."""
    return next((chit for chit in Chit if asset.startswith(chit.value)), Chit(otherwise))


def chart_line(part: Part, nationality: str) -> tuple[str, int]:
    """Return the chart line of a nationality (or ``other``), and its number of progress boxes.

    By option, a line of one box gets ``attested_boxes`` boxes instead.
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
    """Return whether a chit is in hand, i.e. not in a line, on the table or used up."""
    now = view.mission(mission)
    return now.stage is Stage.IDLE or (now.stage is Stage.ENDED and now.reason not in FINAL)


def moves_left(view: View, mission: str) -> int:
    """Return the number of moves before a chit reaches the Arrival box.

    ``view`` is the delays part's view. A chit placed in this phase is in the Request box, with all
    progress boxes and the Arrival box ahead of it.
    """
    stage = view.mission(mission).stage
    if stage is Stage.REQUESTED:
        return view.facts(mission, ChitSetup).boxes + 1
    return 0 if stage in (Stage.IDLE, Stage.ENDED) else view.own(mission, ChartPosition).to_go


# --- markers --------------------------------------------------------------------------------------
HEADINGS = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))
"""The headings offered for an air strike, as vectors east and south."""
STRAIGHT = tuple(heading for heading in HEADINGS if 0 in heading)
"""The headings along an axis, for which half the depth of a strike is a whole number of yards."""


@record
class ChitMarker:
    """The state of a chit's marker."""

    placed: bool = kept(False, "whether the marker is still to be resolved", "6.2.d")
    spotted: bool | None = kept(
        None, "whether the barrage is spotted; none until the marker is placed", "6.2.b"
    )
    heading: tuple[int, int] = kept(
        HEADINGS[0], "the heading of an air strike, in yards east and south", "6.2.j"
    )
    left: Fraction = kept(Fraction(0), "minutes left of a smoke screen", "6.4.d", word="minutes")


def strip(part: Part, at: Point, heading: Heading) -> PlaneRectangle:
    """Return the ground of an air strike, straight ahead of the marker's front edge (6.2.j).

    By the option ``strike_point``, ``at`` is the middle of that edge or of the ground itself.
    """
    depth, width = part.number("strike_depth_yards"), part.options["strip_width"]
    if part.options["strike_point"] == "front edge":
        return strip_ahead(at, heading, width, depth)
    return PlaneRectangle(at, heading, length=depth, width=width)


def strike_points(part: Part, target: Point) -> tuple[Point, ...]:
    """Return the points at which a player may place an air strike to centre it on the target.

    There is one for each heading in ``STRAIGHT``, unless a strike is placed by its middle.
    """
    if part.options["strike_point"] == "middle":
        return (target,)
    back = part.number("strike_depth_yards") // 2
    return tuple((target[0] - back * east, target[1] - back * south) for east, south in STRAIGHT)


def reach(part: Part, *, spotted: bool) -> int:
    """Return the radius in yards of a barrage, spotted or not (6.2.b, 6.2.c)."""
    return part.number("barrage_yards_spotted" if spotted else "barrage_yards_unspotted")


def beyond(part: Part, scenario: Setup, mission: str, place: Place, units: Iterable[str]) -> bool:
    """Return whether a barrage on the mission's own target covers none of the units at a place.

    Each unit is measured as if it stood at the place. Return False for an air strike, and if the
    target or the place is unknown.
    """
    own = scenario.missions[mission]
    if own.facts["delays"].kind is not Chit.BARRAGE or None in (place, own.target):
        return False
    yards = max(reach(part, spotted=spotted) for spotted in (True, False))
    setups = [scenario.units[unit] for unit in units]
    profiles = [profile for setup in setups for profile in setup.facts.values()]
    bases = [profile.at(place) for profile in profiles if isinstance(profile, BaseProfile)]
    widest = max((round(setup.extent / METRES_PER_YARD) for setup in setups), default=0)
    near = squared_distance(own.target, place) <= (yards + widest) ** 2
    return not near and not any(within_circle(base, own.target, yards) for base in bases)


def barrages(part: Part, view: View, *, smoke: bool) -> list[tuple[str, Place, int]]:
    """Return the barrages (or smoke screens) on the table as (mission, centre, radius in yards)."""
    circles: list[tuple[str, Place, int]] = []
    for mission in view.missions:
        now, marker = view.mission(mission), view.peek(mission, ChitMarker)
        if flies(view, mission) or marker.spotted is None or (now.kind is FireKind.SMOKE) != smoke:
            continue
        if marker.placed or now.stage in (Stage.FALLING, Stage.LINGERING):
            centre = now.aim if marker.placed else now.impact
            circles.append((mission, centre, reach(part, spotted=bool(marker.spotted))))
    return circles
