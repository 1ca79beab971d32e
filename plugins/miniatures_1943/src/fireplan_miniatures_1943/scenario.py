"""Scenario files: what a file of this game holds, and how it is laid out on a table.

Two sides with their bases in yards (x east, y south), terrain, lines of the request chart with their chits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, Literal

import attrs

from fireplan_core import Part, Parts, ScenarioFile, Staging
from fireplan_core.files import Complaint, about, repeated, unknown
from fireplan_core.space import Rectangle, Yards
from fireplan_miniatures_1943.bases import PERSONNEL, BaseClass, BasePosture, BaseProfile, stance_of
from fireplan_miniatures_1943.charts import NO_ROW, NUMBERS
from fireplan_miniatures_1943.chits import SLOTS, ChitSetup, chart_line
from fireplan_miniatures_1943.setup import BaseSetup, Phases, TableSetup, chart_notes, stage_part
from fireplan_miniatures_1943.terrain import Segment, TerrainKind

YARDS = (-20_000, 20_000)


@attrs.frozen(kw_only=True)
class BaseForm:
    """A base on the table."""

    id: str = attrs.field(metadata=about("its name, e.g. rifle 1", example="rifle 1"))
    side: str = attrs.field(metadata=about("one of the two sides", example="german"))
    x: Yards = attrs.field(metadata=about("yards east of the table's origin, of its centre", range=YARDS, example=0))
    y: Yards = attrs.field(metadata=about("yards south", range=YARDS, example=0))
    kind: BaseClass = attrs.field(default="infantry", metadata=about("its class"))
    heading: tuple[int, ...] = attrs.field(
        default=(0, -1), metadata=about("the way it faces, as whole numbers east and south", range=(-1000, 1000))
    )
    length: Yards = attrs.field(default=20, metadata=about("its depth along the heading, in yards", range=(1, 100)))
    width: Yards = attrs.field(default=40, metadata=about("its frontage across the heading, in yards", range=(1, 100)))
    posture: BasePosture = attrs.field(
        default="standing", metadata=about("how it starts; dug_in is a hasty position, prone_dug_in both")
    )
    cover: Literal["open", "woods", "buildings", "trench"] = attrs.field(
        default="open", metadata=about("what it is in at the start; terrain decides once it has moved")
    )
    men: int = attrs.field(default=20, metadata=about("how many men it stands for", range=(1, 1000)))
    level: int = attrs.field(default=0, metadata=about("levels above the ground of the table", range=(0, 20)))
    observes: bool = attrs.field(default=True, metadata=about("whether it sees for the guns"))


@attrs.frozen(kw_only=True)
class TerrainForm:
    """A segment of terrain: a line from x, y to to_x, to_y, or a rectangle with its centre there."""

    id: str = attrs.field(metadata=about("its name", example="farm"))
    kind: TerrainKind = attrs.field(metadata=about("what it is", example="building"))
    x: Yards = attrs.field(metadata=about("yards east, of one end or of the centre", range=YARDS, example=0))
    y: Yards = attrs.field(metadata=about("yards south", range=YARDS, example=0))
    to_x: Yards | None = attrs.field(default=None, metadata=about("yards east of the other end", range=YARDS))
    to_y: Yards | None = attrs.field(default=None, metadata=about("yards south of the other end", range=YARDS))
    heading: tuple[int, ...] = attrs.field(
        default=(0, -1), metadata=about("the way a rectangle points, east and south", range=(-1000, 1000))
    )
    length: Yards | None = attrs.field(default=None, metadata=about("yards along the heading", range=(0, 1000)))
    width: Yards | None = attrs.field(default=None, metadata=about("yards across the heading", range=(0, 1000)))


@attrs.frozen(kw_only=True)
class FilledForm:
    """A stack that lies in a line before play."""

    box: int = attrs.field(metadata=about("0 the Request box, 1 the first progress box ...", range=(0, 50), example=0))
    barrages: int = attrs.field(default=0, metadata=about("real barrage chits in it", range=(0, 100)))
    air_strikes: int = attrs.field(default=0, metadata=about("air strike chits in it", range=(0, 100)))
    dummies: int = attrs.field(default=0, metadata=about("dummy chits in it", range=(0, 100)))


@attrs.frozen(kw_only=True)
class LineForm:
    """A line of the request chart with the chits that may be placed on it."""

    side: str = attrs.field(metadata=about("whose line", example="german"))
    nationality: str = attrs.field(metadata=about("of the troops", example="german"))
    boxes: int | None = attrs.field(default=None, metadata=about("progress boxes; else as the chart", range=(0, 50)))
    barrages: int = attrs.field(default=0, metadata=about("real barrage chits in all", range=(0, 100)))
    air_strikes: int = attrs.field(default=0, metadata=about("air strike chits in all", range=(0, 100)))
    dummies: int = attrs.field(default=0, metadata=about("dummy chits in all", range=(0, 100)))
    target_x: Yards = attrs.field(default=0, metadata=about("yards east of where fire is wanted", range=YARDS))
    target_y: Yards = attrs.field(default=0, metadata=about("yards south", range=YARDS))
    filled: tuple[FilledForm, ...] = attrs.field(default=(), metadata=about("stacks in the line before play"))


@attrs.frozen(kw_only=True)
class AirForm:
    """The roll for air superiority before play."""

    axis: str = attrs.field(metadata=about("the Axis side", example="german"))
    theatre: str = attrs.field(
        metadata=about("power and theatre, a column of the chart", example="Germany: France/Belgium")
    )
    year: int = attrs.field(metadata=about("the year", range=(1939, 1945), example=1944))


@attrs.frozen(kw_only=True)
class M1943Scenario(ScenarioFile):
    """A scenario of this game."""

    sides: tuple[str, ...] = attrs.field(
        metadata=about("the two sides in the order in which they move and fire", example=["german", "american"])
    )
    visibility: Yards = attrs.field(default=1000, metadata=about("yards that bases see", range=(0, 20_000)))
    base: tuple[BaseForm, ...] = attrs.field(default=(), metadata=about("the bases on the table"))
    terrain: tuple[TerrainForm, ...] = attrs.field(default=(), metadata=about("what barrages can wreck"))
    line: tuple[LineForm, ...] = attrs.field(default=(), metadata=about("lines of the request chart"))
    air: AirForm | None = attrs.field(default=None, metadata=about("air superiority, if it is rolled for"))

    def check(self) -> Iterator[Complaint]:
        """Yield what is wrong between fields."""
        match self.sides:
            case (one, other) if one != other:
                pass
            case _:
                yield "sides", "two different sides are wanted", 'such as sides = ["german", "american"]'
        yield from unknown(self, self.sides, "side", "base", "line")
        if self.air is not None and self.air.axis not in self.sides:
            yield "air.axis", f"there is no side {self.air.axis}", f"one of {', '.join(self.sides)}"
        yield from repeated(self, "base", by="id")
        yield from repeated(self, "terrain", by="id")
        for k in _again([(base.x, base.y) for base in self.base]):
            yield f"base[{k}]", "two bases have the same centre", "move one of them"
        for k in _again([(line.side, line.nationality) for line in self.line]):
            yield f"line[{k}]", "this side has a line of that nationality already", "put its chits together"
        for k, base in enumerate(self.base):
            yield from _check_named(f"base[{k}]", base)
        for k, segment in enumerate(self.terrain):
            yield from _check_named(f"terrain[{k}]", segment)
            ends, sides = (segment.to_x, segment.to_y), (segment.length, segment.width)
            if (None in ends) == (None in sides) or (set(ends) != {None} and set(sides) != {None}):
                yield f"terrain[{k}]", "neither a line nor a rectangle", "give to_x and to_y, or length and width"
        for k, line in enumerate(self.line):
            yield from _check_line(f"line[{k}]", line)


def _again(values: list[Any]) -> list[int]:
    """Return where something stands that stood before."""
    return [k for k, value in enumerate(values) if value in values[:k]]


def _check_line(key: str, line: LineForm) -> Iterator[Complaint]:
    for name in SLOTS:
        laid, held = sum(getattr(stack, name) for stack in line.filled), getattr(line, name)
        if laid > held:
            yield f"{key}.{name}", f"{laid} lie in the line, there are {held}", "raise the number"
    in_box: Counter[int] = Counter()
    for n, stack in enumerate(line.filled):
        in_box[stack.box] += stack.barrages
        if line.boxes is not None and stack.box > line.boxes:
            yield f"{key}.filled[{n}].box", f"the line has {line.boxes} progress boxes", f"0 to {line.boxes}"
    # As many as may be placed in a turn (6.1.e).
    most = NUMBERS["barrages_per_turn"]
    for box, barrages in sorted(in_box.items()):
        if barrages > most:
            yield f"{key}.filled", f"more than {most} real barrages lie in box {box}", "spread them"


def _check_named(key: str, entry: BaseForm | TerrainForm) -> Iterator[Complaint]:
    if not entry.id or "/" in entry.id:
        yield f"{key}.id", f"{entry.id!r} is no name", "letters and numbers without a slash"
    match entry.heading:
        case (east, south) if east or south:
            pass
        case _:
            yield f"{key}.heading", "a heading is two whole numbers, not both 0", "such as heading = [3, -4]"


# --- setting up -----------------------------------------------------------------------------------
def stage_file(form: M1943Scenario, staging: Staging, parts: Parts) -> None:
    """Stage a scenario file: what it holds, part by part."""
    staging.mobile = True
    staging.firer, staging.target_side = form.sides
    aims = [(line.target_x, line.target_y) for line in form.line if line.side == staging.firer]
    staging.place = aims[0] if aims else (0, 0)
    setup = from_file(form, staging, parts.delays)
    for part in parts:
        stage_part(part, staging, setup)


def from_file(form: M1943Scenario, staging: Staging, delays: Part) -> TableSetup:
    """Return what a scenario file puts on the table."""
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
                "each side moves, then fires, in its own part of the turn; how far bases move is not judged",
            ),
        },
    )


def _base(form: BaseForm) -> BaseSetup:
    east, south = form.heading
    personnel = form.kind in PERSONNEL
    profile = BaseProfile(personnel, form.length, form.width, (east, south), form.level)
    return BaseSetup(form.id, form.side, (form.x, form.y), form.men, profile, stance_of(form.posture, form.cover))


def _chits(line: LineForm, form: M1943Scenario, staging: Staging, delays: Part) -> Iterator[ChitSetup]:
    """Yield the chits of a line, those that lie in it before play first."""
    boxes = chart_line(delays, line.nationality)[1] if line.boxes is None else line.boxes
    label = line.side if line.side == line.nationality else f"{line.side} {line.nationality}"
    for stack in line.filled:
        if stack.box > boxes:
            staging.cannot(f"the line of {label} has {boxes} progress boxes: no stack can lie in box {stack.box}")
    for field, chit in SLOTS.items():
        starts = [boxes + 1 - stack.box for stack in line.filled for _ in range(getattr(stack, field))]
        for n in range(getattr(line, field)):
            yield ChitSetup(
                id=f"{label} {chit.value} {n + 1}",
                kind=chit,
                line=label,
                boxes=boxes,
                start=starts[n] if n < len(starts) else None,
                observers=tuple(base.id for base in form.base if base.side == line.side and base.observes),
                visibility=form.visibility,
                side=line.side,
                target=(line.target_x, line.target_y),
            )


def _segment(form: TerrainForm) -> Segment:
    at = (form.x, form.y)
    if form.to_x is not None and form.to_y is not None:
        return Segment(form.id, form.kind, ends=(at, (form.to_x, form.to_y)))
    east, south = form.heading
    return Segment(form.id, form.kind, Rectangle(at, (east, south), form.length or 0, form.width or 0))


def _phases(form: M1943Scenario, staging: Staging, delays: Part) -> Phases:
    """Return the turn of the sides, with the Axis modifier of the theatre and year where the air is rolled for."""
    air = form.air
    if air is None:
        return Phases(order=form.sides, filled=False)
    chart = delays.charts["air_superiority"]
    if air.theatre not in chart.columns:
        staging.cannot(f"air superiority: no theatre {air.theatre!r}; there are {', '.join(chart.columns)}")
    value = chart.cells.get((air.year, air.theatre), NO_ROW)
    if air.theatre in chart.columns and value == NO_ROW:
        staging.cannot(f"air superiority: {air.theatre} has no modifier for {air.year}")
    return Phases(order=form.sides, filled=False, axis=air.axis, modifier=int(value or 0))
