"""Scenario files: what a file of this game holds, and how it is laid out on a table.

Two sides with their bases in yards (x east, y south), terrain, lines of the request chart with their chits.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Literal

import attrs

from fireplan_core import ScenarioFile, Staging
from fireplan_core.space import Point, Rectangle
from fireplan_miniatures_1943.bases import PERSONNEL, BaseFacts, Class, Posture, Stand
from fireplan_miniatures_1943.charts import NO_ROW
from fireplan_miniatures_1943.chits import Chit, Stock
from fireplan_miniatures_1943.damage import Terrain
from fireplan_miniatures_1943.delays import M1943Delays, Phases
from fireplan_miniatures_1943.lines import Line, LineFacts
from fireplan_miniatures_1943.markers import Marker
from fireplan_miniatures_1943.observers import Watchers
from fireplan_miniatures_1943.requests import AirWar
from fireplan_miniatures_1943.resolution import M1943Resolution, stance_of
from fireplan_miniatures_1943.terrain import Kind, Segment

LIMIT = 8
"""Real barrages that may lie in one box: as many as may be placed in a turn (6.1.e)."""
YARDS = (-20_000, 20_000)
NUMBER = {"barrages": Chit.BARRAGE, "air_strikes": Chit.AIR_STRIKE, "dummies": Chit.DUMMY}


def _about(text: str, span: tuple[int, int] | None = None, example: object = None) -> dict[str, Any]:
    known = {"help": text, "range": span, "example": example}
    return {word: fact for word, fact in known.items() if fact is not None}


@attrs.frozen(kw_only=True)
class BaseForm:
    """A base on the table."""

    id: str = attrs.field(metadata=_about("its name, e.g. rifle 1", example="rifle 1"))
    side: str = attrs.field(metadata=_about("one of the two sides", example="german"))
    x: int = attrs.field(metadata=_about("yards east of the table's origin, of its centre", YARDS, 0))
    y: int = attrs.field(metadata=_about("yards south", YARDS, 0))
    kind: Class = attrs.field(default="infantry", metadata=_about("its class"))
    heading: tuple[int, ...] = attrs.field(
        default=(0, -1), metadata=_about("the way it faces, as whole numbers east and south", (-1000, 1000))
    )
    length: int = attrs.field(default=20, metadata=_about("its depth along the heading, in yards", (1, 100)))
    width: int = attrs.field(default=40, metadata=_about("its frontage across the heading, in yards", (1, 100)))
    posture: Posture = attrs.field(default="standing", metadata=_about("how it starts; dug_in is a hasty position"))
    cover: Literal["open", "woods", "buildings", "trench"] = attrs.field(
        default="open", metadata=_about("what it is in at the start; terrain decides once it has moved")
    )
    men: int = attrs.field(default=20, metadata=_about("how many men it stands for", (1, 1000)))
    level: int = attrs.field(default=0, metadata=_about("levels above the ground of the table", (0, 20)))
    observes: bool = attrs.field(default=True, metadata=_about("whether it sees for the guns"))


@attrs.frozen(kw_only=True)
class TerrainForm:
    """A segment of terrain: a line from x, y to to_x, to_y, or a rectangle with its centre there."""

    id: str = attrs.field(metadata=_about("its name", example="farm"))
    kind: Kind = attrs.field(metadata=_about("what it is", example="building"))
    x: int = attrs.field(metadata=_about("yards east, of one end or of the centre", YARDS, 0))
    y: int = attrs.field(metadata=_about("yards south", YARDS, 0))
    to_x: int | None = attrs.field(default=None, metadata=_about("yards east of the other end", YARDS))
    to_y: int | None = attrs.field(default=None, metadata=_about("yards south of the other end", YARDS))
    heading: tuple[int, ...] = attrs.field(
        default=(0, -1), metadata=_about("the way a rectangle points, east and south", (-1000, 1000))
    )
    length: int | None = attrs.field(default=None, metadata=_about("yards along the heading", (0, 1000)))
    width: int | None = attrs.field(default=None, metadata=_about("yards across the heading", (0, 1000)))


@attrs.frozen(kw_only=True)
class FilledForm:
    """A stack that lies in a line before play."""

    box: int = attrs.field(metadata=_about("0 for the Request box, 1 for the first progress box ...", (0, 50), 0))
    barrages: int = attrs.field(default=0, metadata=_about("real barrage chits in it", (0, 100)))
    air_strikes: int = attrs.field(default=0, metadata=_about("air strike chits in it", (0, 100)))
    dummies: int = attrs.field(default=0, metadata=_about("dummy chits in it", (0, 100)))


@attrs.frozen(kw_only=True)
class LineForm:
    """A line of the request chart with the chits that may be placed on it."""

    side: str = attrs.field(metadata=_about("whose line", example="german"))
    nationality: str = attrs.field(metadata=_about("of the troops", example="german"))
    boxes: int | None = attrs.field(default=None, metadata=_about("progress boxes; left out: as the chart", (0, 50)))
    barrages: int = attrs.field(default=0, metadata=_about("real barrage chits in all", (0, 100)))
    air_strikes: int = attrs.field(default=0, metadata=_about("air strike chits in all", (0, 100)))
    dummies: int = attrs.field(default=0, metadata=_about("dummy chits in all", (0, 100)))
    target_x: int = attrs.field(default=0, metadata=_about("yards east of where fire is wanted", YARDS))
    target_y: int = attrs.field(default=0, metadata=_about("yards south", YARDS))
    filled: tuple[FilledForm, ...] = attrs.field(default=(), metadata=_about("stacks in the line before play"))


@attrs.frozen(kw_only=True)
class AirForm:
    """The roll for air superiority before play."""

    axis: str = attrs.field(metadata=_about("the Axis side", example="german"))
    theatre: str = attrs.field(
        metadata=_about("power and theatre, a column of the chart", example="Germany: France/Belgium")
    )
    year: int = attrs.field(metadata=_about("the year", (1939, 1945), 1944))


@attrs.frozen(kw_only=True)
class M1943Scenario(ScenarioFile):
    """A scenario of this game."""

    sides: tuple[str, ...] = attrs.field(
        metadata=_about("the two sides in the order in which they move and fire", example=["german", "american"])
    )
    visibility: int = attrs.field(default=1000, metadata=_about("yards that bases see", (0, 20_000)))
    base: tuple[BaseForm, ...] = attrs.field(default=(), metadata=_about("the bases on the table"))
    terrain: tuple[TerrainForm, ...] = attrs.field(default=(), metadata=_about("what barrages can wreck"))
    line: tuple[LineForm, ...] = attrs.field(default=(), metadata=_about("lines of the request chart"))
    air: AirForm | None = attrs.field(default=None, metadata=_about("air superiority, if it is rolled for"))

    def check(self) -> Iterable[tuple[str, str, str]]:
        """What is wrong between fields."""
        if len(self.sides) != 2 or len(set(self.sides)) != 2:
            yield "sides", "two different sides are wanted", 'such as sides = ["german", "american"]'
        owned = [(f"base[{k}].side", base.side) for k, base in enumerate(self.base)]
        owned += [(f"line[{k}].side", line.side) for k, line in enumerate(self.line)]
        for key, side in owned:
            if side not in self.sides:
                yield key, f"{side!r} is no side", f"one of {', '.join(self.sides)}"
        yield from self._check_ids()
        for k, base in enumerate(self.base):
            yield from _check_heading(f"base[{k}]", base.heading)
        for k, segment in enumerate(self.terrain):
            yield from _check_segment(f"terrain[{k}]", segment)
        yield from self._check_lines()
        if self.air is not None and self.air.axis not in self.sides:
            yield "air.axis", f"{self.air.axis!r} is no side", f"one of {', '.join(self.sides)}"

    def _check_ids(self) -> Iterable[tuple[str, str, str]]:
        tables: tuple[tuple[str, tuple[Any, ...]], ...] = (("base", self.base), ("terrain", self.terrain))
        for table, entries in tables:
            ids = [entry.id for entry in entries]
            for k, name in enumerate(ids):
                if not name or "/" in name:
                    yield f"{table}[{k}].id", f"{name!r} is no name", "letters and numbers without a slash"
                if name in ids[:k]:
                    yield f"{table}[{k}].id", f"{name!r} stands twice", "give each its own name"
        places = [(base.x, base.y) for base in self.base]
        for k, place in enumerate(places):
            if place in places[:k]:
                yield f"base[{k}]", "two bases have the same centre", "move one of them"

    def _check_lines(self) -> Iterable[tuple[str, str, str]]:
        names = [(line.side, line.nationality) for line in self.line]
        for k, line in enumerate(self.line):
            if names[k] in names[:k]:
                yield f"line[{k}]", "this side has a line of that nationality already", "put its chits together"
            for name in NUMBER:
                laid, held = sum(getattr(stack, name) for stack in line.filled), getattr(line, name)
                if laid > held:
                    yield f"line[{k}].{name}", f"{laid} lie in the line, there are {held}", "raise the number"
            for n, stack in enumerate(line.filled):
                if line.boxes is not None and stack.box > line.boxes:
                    hint = f"0 to {line.boxes}"
                    yield f"line[{k}].filled[{n}].box", f"the line has {line.boxes} progress boxes", hint
            for box in sorted({stack.box for stack in line.filled}):
                if sum(stack.barrages for stack in line.filled if stack.box == box) > LIMIT:
                    yield f"line[{k}].filled", f"more than {LIMIT} real barrages lie in box {box}", "spread them"


def _check_heading(key: str, heading: tuple[int, ...]) -> Iterable[tuple[str, str, str]]:
    if len(heading) != 2 or not any(heading):
        yield f"{key}.heading", "a heading is two whole numbers, not both 0", "such as heading = [3, -4]"


def _check_segment(key: str, segment: TerrainForm) -> Iterable[tuple[str, str, str]]:
    ends, sides = (segment.to_x, segment.to_y), (segment.length, segment.width)
    if (None in ends) == (None in sides) or (set(ends) != {None} and set(sides) != {None}):
        yield key, "neither a line nor a rectangle", "give to_x and to_y, or length and width"
    yield from _check_heading(key, segment.heading)


def shipped_scenarios() -> Mapping[str, Traversable]:
    """The scenario files that come with the game, by name."""
    folder = files("fireplan_miniatures_1943") / "data" / "scenarios"
    found = {Path(file.name).stem: file for file in folder.iterdir() if file.name.endswith(".toml")}
    return dict(sorted(found.items()))


# --- laying out -----------------------------------------------------------------------------------
def lay(form: M1943Scenario, staging: Staging) -> None:
    """Put a scenario on the table.

    A base's own size and heading are facts of the areas part (``Stand``), by which ``covers`` measures; bases
    can move, so they are looked up by where they stand. ``Staging.unit`` knows facts of the resolution part
    only, so the others are laid beside them here.
    """
    first, second = form.sides
    staging.mobile = True
    staging.firer, staging.target_side = first, second
    aims = [(line.target_x, line.target_y) for line in form.line if line.side == first]
    staging.place = aims[0] if aims else (0, 0)
    for base in form.base:
        _lay_base(base, staging)
    observers = {side: tuple(b.id for b in form.base if b.side == side and b.observes) for side in form.sides}
    for line in form.line:
        _lay_line(line, staging, Watchers(observers[line.side], form.visibility))
    staging.share("delays", Phases(order=form.sides, filled=False))
    staging.share("resolution", Terrain(segments=tuple(map(_segment, form.terrain))))
    for piece in map(_segment, form.terrain):
        staging.feature(piece.kind, outline=piece.drawn)
    staging.share("requests", _air_war(form, staging))
    assert isinstance(staging.parts.resolution, M1943Resolution)  # noqa: S101 - a scenario file has one game
    staging.parts.resolution.note_chart(staging)
    minutes = staging.parts.delays.options["turn_minutes"]
    staging.note(f"a game turn is taken as {minutes} minutes (the rules say a few)")
    staging.note("each side moves, then fires, in its own part of the turn; how far bases move is not judged")
    staging.note(f"bases see {form.visibility} yards; lines of sight are not traced")


def _lay_base(base: BaseForm, staging: Staging) -> None:
    east, south = base.heading
    stand = Stand((east, south), base.length, base.width, base.level)
    slot = stance_of(base.posture, base.cover)
    facts = BaseFacts(personnel=base.kind in PERSONNEL, stand=stand)
    staging.unit(base.id, base.side, (base.x, base.y), strength=base.men, slot=slot, facts=facts)
    setup = staging.units[base.id]
    staging.units[base.id] = attrs.evolve(setup, facts={**setup.facts, "areas": stand})


def _lay_line(line: LineForm, staging: Staging, watchers: Watchers) -> None:
    delays = staging.parts.delays
    assert isinstance(delays, M1943Delays)  # noqa: S101 - a scenario file has one game
    name = delays.line_of(line.nationality)
    boxes = line.boxes
    if boxes is None:
        boxes = delays.boxes(name)
        delays.note_chart(staging, name, boxes)
    label = line.side if line.side == line.nationality else f"{line.side} {line.nationality}"
    for stack in line.filled:
        if stack.box > boxes:
            staging.cannot(f"the line of {label} has {boxes} progress boxes: no stack can lie in box {stack.box}")
    for field, chit in NUMBER.items():
        starts = [boxes + 1 - stack.box for stack in line.filled for _ in range(getattr(stack, field))]
        for n in range(getattr(line, field)):
            mission = f"{label} {chit.value} {n + 1}"
            start = starts[n] if n < len(starts) else None
            target: Point = (line.target_x, line.target_y)
            staging.mission(mission, "delays", Line(), LineFacts(chit, boxes, label, start), side=line.side)
            staging.mission(mission, "requests", facts=Stock(chit, label), target=target)
            staging.mission(mission, "areas", Marker(), chit)
            staging.mission(mission, "observers", facts=watchers)
            staging.mission(mission, "resolution", facts=chit)


def _segment(form: TerrainForm) -> Segment:
    at = (form.x, form.y)
    if form.to_x is not None and form.to_y is not None:
        return Segment(form.id, form.kind, ends=(at, (form.to_x, form.to_y)))
    east, south = form.heading
    return Segment(form.id, form.kind, Rectangle(at, (east, south), form.length or 0, form.width or 0))


def _air_war(form: M1943Scenario, staging: Staging) -> AirWar:
    air = form.air
    if air is None:
        return AirWar()
    chart = staging.parts.requests.charts["air_superiority"]
    if air.theatre not in chart.columns:
        staging.cannot(f"air superiority: no theatre {air.theatre!r}; there are {', '.join(chart.columns)}")
        return AirWar()
    value = chart.cells.get((air.year, air.theatre), NO_ROW)
    if value == NO_ROW:
        staging.cannot(f"air superiority: {air.theatre} has no modifier for {air.year}")
        return AirWar()
    other = next(side for side in form.sides if side != air.axis)
    return AirWar(axis=air.axis, allies=other, modifier=int(value), done=False)
