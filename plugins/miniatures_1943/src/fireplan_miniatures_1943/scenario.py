"""Scenario files of this game and their staging.

A file has two sides with their bases (in yards, x east, y south), terrain, and lines of the request
chart with their chits.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any, Literal

import attrs

from fireplan_core import Part, Parts, ScenarioFile, Staging
from fireplan_core.files import Complaint, entry, repeated, unknown_values
from fireplan_core.space import PlaneRectangle, Yards
from fireplan_miniatures_1943.bases import PERSONNEL, BaseClass, BasePosture, BaseProfile, stance_of
from fireplan_miniatures_1943.charts import NO_ROW
from fireplan_miniatures_1943.chits import SLOTS, ChartPosition, ChitSetup, chart_line
from fireplan_miniatures_1943.requests import M1943Requests
from fireplan_miniatures_1943.setup import BaseSetup, Phases, TableSetup, chart_notes, stage_part
from fireplan_miniatures_1943.terrain import TerrainKind, TerrainPiece

YARDS = (-20_000, 20_000)
"""Range of coordinates in scenario files, in yards."""


@attrs.frozen(kw_only=True)
class BaseForm:
    """A base on the table, as a scenario file describes it."""

    id: str = entry("its name", example="rifle 1")
    side: str = entry("one of the two sides", example="german")
    x: Yards = entry("its centre, in yards east of the table's origin", range=YARDS, example=0)
    y: Yards = entry("its centre, in yards south of the origin", range=YARDS, example=0)
    kind: BaseClass = entry("its class", "infantry")
    heading: tuple[int, ...] = entry(
        "the direction it faces, as whole numbers east and south", (0, -1), range=(-1000, 1000)
    )
    length: Yards = entry("its depth along the heading, in yards", 20, range=(1, 100))
    width: Yards = entry("its frontage across the heading, in yards", 40, range=(1, 100))
    posture: BasePosture = entry(
        "its posture at the start; dug_in is hastily dug in, prone_dug_in both", "standing"
    )
    cover: Literal["open", "woods", "buildings", "trench"] = entry(
        "its cover at the start; once it has moved, the terrain decides", "open"
    )
    men: int = entry("number of men it represents", 20, range=(1, 1000))
    level: int = entry("levels above the ground of the table", 0, range=(0, 20))
    observes: bool = entry("whether it observes for the artillery", default=True)


@attrs.frozen(kw_only=True)
class TerrainForm:
    """A segment of terrain: a line from x, y to to_x, to_y, or a rectangle centred on x, y."""

    id: str = entry("its name", example="farm")
    kind: TerrainKind = entry("its kind", example="building")
    x: Yards = entry("one end or the centre, in yards east", range=YARDS, example=0)
    y: Yards = entry("one end or the centre, in yards south", range=YARDS, example=0)
    to_x: Yards | None = entry("the other end, in yards east", None, range=YARDS)
    to_y: Yards | None = entry("the other end, in yards south", None, range=YARDS)
    heading: tuple[int, ...] = entry(
        "the direction of a rectangle, east and south", (0, -1), range=(-1000, 1000)
    )
    length: Yards | None = entry("yards along the heading", None, range=(0, 1000))
    width: Yards | None = entry("yards across the heading", None, range=(0, 1000))


@attrs.frozen(kw_only=True)
class FilledForm:
    """A stack that is already on a line of the request chart when play begins."""

    box: int = entry("0 the Request box, 1 the first progress box ...", range=(0, 50), example=0)
    barrages: int = entry("real barrage chits in it", 0, range=(0, 100))
    air_strikes: int = entry("air strike chits in it", 0, range=(0, 100))
    dummies: int = entry("dummy chits in it", 0, range=(0, 100))


@attrs.frozen(kw_only=True)
class LineForm:
    """A line of the request chart, with the chits that may be placed on it."""

    side: str = entry("its side", example="german")
    nationality: str = entry("the nationality of the troops", example="german")
    boxes: int | None = entry(
        "its progress boxes; by default those of the chart", None, range=(0, 50)
    )
    barrages: int = entry("real barrage chits in all", 0, range=(0, 100))
    air_strikes: int = entry("air strike chits in all", 0, range=(0, 100))
    dummies: int = entry("dummy chits in all", 0, range=(0, 100))
    target_x: Yards = entry("the point to shell, in yards east", 0, range=YARDS)
    target_y: Yards = entry("the point to shell, in yards south", 0, range=YARDS)
    filled: tuple[FilledForm, ...] = entry("stacks in the line at the start of play", ())


@attrs.frozen(kw_only=True)
class AirForm:
    """The air superiority roll before play: the Axis side, the theatre and the year."""

    axis: str = entry("the Axis side", example="german")
    theatre: str = entry(
        "the power and theatre: a column of the chart", example="Germany: France/Belgium"
    )
    year: int = entry("the year", range=(1939, 1945), example=1944)


@attrs.frozen(kw_only=True)
class M1943Scenario(ScenarioFile):
    """A scenario file: two sides with their bases, terrain, and lines of the request chart."""

    sides: tuple[str, ...] = entry(
        "the two sides in the order in which they move and fire", example=["german", "american"]
    )
    visibility: Yards = entry("how far bases see, in yards", 1000, range=(0, 20_000))
    base: tuple[BaseForm, ...] = entry("the bases on the table", ())
    terrain: tuple[TerrainForm, ...] = entry("terrain that barrages can wreck", ())
    line: tuple[LineForm, ...] = entry("lines of the request chart", ())
    air: AirForm | None = entry("air superiority, if it is rolled for", None)

    def check(self) -> Iterator[Complaint]:
        """Yield the faults that checks on single fields cannot find."""
        match self.sides:
            case (first, second) if first != second:
                pass
            case _:
                yield (
                    "sides",
                    "there must be two different sides",
                    'such as sides = ["german", "american"]',
                )
        yield from unknown_values(self, self.sides, "side", "base", "line")
        if self.air is not None and self.air.axis not in self.sides:
            yield "air.axis", f"there is no side {self.air.axis}", f"one of {', '.join(self.sides)}"
        yield from repeated(self, "base", by="id")
        yield from repeated(self, "terrain", by="id")
        for k in _repeats([(base.x, base.y) for base in self.base]):
            yield f"base[{k}]", "two bases have the same centre", "move one of them"
        for k in _repeats([(line.side, line.nationality) for line in self.line]):
            yield (
                f"line[{k}]",
                "this side already has a line of this nationality",
                "list all its chits there",
            )
        for k, base in enumerate(self.base):
            yield from _check_named(f"base[{k}]", base)
        for k, segment in enumerate(self.terrain):
            yield from _check_named(f"terrain[{k}]", segment)
            ends, sides = (segment.to_x, segment.to_y), (segment.length, segment.width)
            if (None in ends) == (None in sides) or (set(ends) != {None} and set(sides) != {None}):
                yield (
                    f"terrain[{k}]",
                    "neither a line nor a rectangle",
                    "give to_x and to_y, or length and width",
                )
        for k, line in enumerate(self.line):
            yield from _check_line(f"line[{k}]", line)


def _repeats(values: list[Any]) -> list[int]:
    """Return the indices of values that occur earlier in the list."""
    return [k for k, value in enumerate(values) if value in values[:k]]


def _check_line(key: str, line: LineForm) -> Iterator[Complaint]:
    for name in SLOTS:
        placed, held = sum(getattr(stack, name) for stack in line.filled), getattr(line, name)
        if placed > held:
            yield (
                f"{key}.{name}",
                f"{placed} are placed in the line, but it has only {held}",
                "raise the number",
            )
    for n, stack in enumerate(line.filled):
        if line.boxes is not None and stack.box > line.boxes:
            yield (
                f"{key}.filled[{n}].box",
                f"the line has {line.boxes} progress boxes",
                f"0 to {line.boxes}",
            )


def _check_named(key: str, entry: BaseForm | TerrainForm) -> Iterator[Complaint]:
    if not entry.id or "/" in entry.id:
        yield f"{key}.id", f"{entry.id!r} is not a name", "use letters and numbers without a slash"
    match entry.heading:
        case (east, south) if east or south:
            pass
        case _:
            yield (
                f"{key}.heading",
                "a heading is two whole numbers, not both 0",
                "such as heading = [3, -4]",
            )


def faults_of_boxes(form: M1943Scenario, parts: Parts) -> Iterator[Complaint]:
    """Yield a fault for each box with more real barrages than may be placed in a turn (6.1.e)."""
    if (requests := parts.find(M1943Requests)) is None:
        return
    most = requests.number("barrages_per_turn")
    for k, line in enumerate(form.line):
        in_box: Counter[int] = Counter()
        for stack in line.filled:
            in_box[stack.box] += stack.barrages
        for box, barrages in sorted(in_box.items()):
            if barrages > most:
                problem = f"box {box} has more than {most} real barrages"
                yield f"line[{k}].filled", problem, "spread them"


# --- setting up -----------------------------------------------------------------------------------
def stage_file(form: M1943Scenario, staging: Staging, parts: Parts) -> None:
    """Stage a scenario file: its chits, bases and terrain, for each part of the game in turn."""
    staging.mobile = True
    staging.firer, staging.target_side = form.sides
    aims = [(line.target_x, line.target_y) for line in form.line if line.side == staging.firer]
    staging.place = aims[0] if aims else (0, 0)
    setup = from_file(form, staging, parts.delays)
    for part in parts:
        stage_part(part, staging, setup)


def from_file(form: M1943Scenario, staging: Staging, delays: Part) -> TableSetup:
    """Return the table setup that a scenario file describes."""
    from_chart = (line.nationality for line in form.line if line.boxes is None)
    return TableSetup(
        chits=tuple(chit for line in form.line for chit in _chits(line, form, staging, delays)),
        bases=tuple(map(_base, form.base)),
        terrain=tuple(map(_segment, form.terrain)),
        phases=_phases(form, staging, delays),
        notes={
            "observers": (f"bases see {form.visibility} yards; lines of sight are not traced",),
            "delays": (
                *(note for nationality in from_chart for note in chart_notes(delays, nationality)),
                "each side moves, then fires, in its own part of the turn; moves have no limit",
            ),
        },
    )


def _base(form: BaseForm) -> BaseSetup:
    east, south = form.heading
    personnel = form.kind in PERSONNEL
    profile = BaseProfile(personnel, form.length, form.width, (east, south), form.level)
    return BaseSetup(
        form.id, form.side, (form.x, form.y), form.men, profile, stance_of(form.posture, form.cover)
    )


def _chits(
    line: LineForm, form: M1943Scenario, staging: Staging, delays: Part
) -> Iterator[tuple[ChitSetup, ChartPosition]]:
    """Yield each chit of a line with its starting position, kind by kind.

    Within a kind, the chits placed on the line before play come first.
    """
    boxes = chart_line(delays, line.nationality)[1] if line.boxes is None else line.boxes
    label = line.nationality
    # Chits of different sides must have different names.
    if any(each.nationality == label and each.side != line.side for each in form.line):
        label = f"{line.side} {label}"
    for stack in line.filled:
        if stack.box > boxes:
            staging.cannot(
                f"the line of {label} has {boxes} progress boxes, so there is no box {stack.box}"
            )
    for field, chit in SLOTS.items():
        starts = [
            boxes + 1 - stack.box for stack in line.filled for _ in range(getattr(stack, field))
        ]
        for n in range(getattr(line, field)):
            chit_setup = ChitSetup(
                id=f"{label} {chit.value} {n + 1}",
                kind=chit,
                line=label,
                boxes=boxes,
                observers=tuple(
                    base.id for base in form.base if base.side == line.side and base.observes
                ),
                visibility=form.visibility,
                side=line.side,
                target=(line.target_x, line.target_y),
            )
            yield chit_setup, ChartPosition(start=starts[n] if n < len(starts) else None)


def _segment(form: TerrainForm) -> TerrainPiece:
    at = (form.x, form.y)
    if form.to_x is not None and form.to_y is not None:
        return TerrainPiece(form.id, form.kind, ends=(at, (form.to_x, form.to_y)))
    east, south = form.heading
    return TerrainPiece(
        form.id, form.kind, PlaneRectangle(at, (east, south), form.length or 0, form.width or 0)
    )


def _phases(form: M1943Scenario, staging: Staging, delays: Part) -> Phases:
    """Return the order of the sides, with the Axis modifier if there is an air superiority roll."""
    air = form.air
    if air is None:
        return Phases(order=form.sides, filled=False)
    chart = delays.charts["air_superiority"]
    if air.theatre not in chart.columns:
        staging.cannot(
            f"air superiority: no theatre {air.theatre!r}; there are {', '.join(chart.columns)}"
        )
    value = chart.cells.get((air.year, air.theatre), NO_ROW)
    if air.theatre in chart.columns and value == NO_ROW:
        staging.cannot(f"air superiority: {air.theatre} has no modifier for {air.year}")
    return Phases(order=form.sides, filled=False, axis=air.axis, modifier=int(value or 0))
