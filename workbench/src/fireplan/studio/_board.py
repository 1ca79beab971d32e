"""The map of a table as one side sees it: cells with the game's labels, and above them what stands and falls there.

Only what a side's view holds is drawn; sight is asked for that side's own observers alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import attrs

from fireplan.draw.marks import centred, haloed, hatches
from fireplan.draw.palette import BLACK, BLANK, INK, LINE, PAPER, SIDES, TERRAIN, UNSEEN
from fireplan.draw.shapes import Outline, Point, merged, round_length
from fireplan.draw.svg import Svg, document, element, group, number, path_of, points, text
from fireplan.studio._limits import LIMITS
from fireplan.table import AssetSeen, Session, SideView, Spot, UnitSeen
from fireplan_core import REFEREE, Place, View
from fireplan_core.files import plain
from fireplan_core.space import Frame, HexFrame, PlaneFrame, VertexFrame, hexes_touching

SMALLEST, LARGEST = 46.0, 84.0
"""Pixels from the centre of a cell to that of the next, at least and at most."""
_ROOM = 880.0
_BELOW = 34.0
_MARGIN_CELLS = 1.6
_YARDS = 100
_SIGHT_CELLS = 600
_LONGEST = 2000

_CORNERS = "M-31,-24H-21M-31,-24V-14M31,-24H21M31,-24V-14M-31,24H-21M-31,24V14M31,24H21M31,24V14"
_RING = "M-11,0A11,11 0 1 0 11,0A11,11 0 1 0 -11,0M-15,0H-6M6,0H15M0,-15V-6M0,6V15"
_DRIFTED, _ON_THE_SPOT = "M0,-9L9,0L0,9L-9,0Z", "M-6,-6H6V6H-6Z"


@attrs.frozen
class Board:
    """The map, drawn; whether it is cut to the limit, and whether it shows what the side sees."""

    svg: Svg
    cut: bool
    sight: bool


@attrs.frozen
class _Cell:
    place: Place
    row: int
    column: int
    outline: Outline


@attrs.frozen
class _Plot:
    """The bounds of the map in metres, the step from cell to cell, and the pixels in a metre."""

    west: float
    north: float
    east: float
    south: float
    step: float

    @property
    def pixels(self) -> float:
        return min(LARGEST, max(SMALLEST, _ROOM * self.step / (self.east - self.west))) / self.step

    def at(self, east: float, south: float) -> Point:
        return (east - self.west) * self.pixels, (south - self.north) * self.pixels

    def outline(self, corners: Outline) -> list[Point]:
        return [self.at(*corner) for corner in corners]


def board_of(session: Session, view: SideView) -> Board | None:
    """Return the map of a side's view; None when nothing of it has a place."""
    frame = session.scenario.frame
    assets = view.situation.assets
    spots = list(_spots(view))
    if not spots:
        return None
    plot, cut = _plot(frame, spots, next((a.aim or a.target for a in assets if a.aim or a.target), None))
    cells = list(_cells(frame, plot))
    unseen = _unseen(session, view, cells) if len(cells) <= _SIGHT_CELLS else None
    width, height = plot.at(plot.east, plot.south)
    overlay: dict[str, Any] = {"aria_hidden": "true", "pointer_events": "none"}
    bar = round_length(4 * plot.step)
    drawing = document(
        width,
        height + _BELOW,
        element("defs", hatches()),
        _grid(session, view, plot, cells, unseen or set()),
        group(None, *_terrain(session, plot), id="pieces", **overlay),
        group(None, *(_under_fire(asset, plot) for asset in assets if asset.outline), id="fire", **overlay),
        group(None, *_counters(session, view, plot), id="units", **overlay),
        group(None, *(_aim(asset, plot) for asset in assets), id="aims", **overlay),
        element("path", id="measure", pointer_events="none", fill="none", stroke=BLACK, stroke_width=3,
                stroke_dasharray="7 4"),
        group(
            None,
            element("rect", width=bar * plot.pixels, height=6, fill=BLACK),
            text((bar * plot.pixels + 6, 8), f"{bar} m"),
            at=(6, height + 10),
        ),
        scheme=None,
        id="board",
        class_="board-map",
        data_step=plot.step,
        data_unit="yards" if isinstance(frame, PlaneFrame) else "hexes",
    )  # fmt: skip
    return Board(drawing, cut, unseen is not None)


def _spots(view: SideView) -> Iterator[Spot]:
    for asset in view.situation.assets:
        yield from (spot for spot in (asset.target, asset.aim, asset.impact, *asset.area) if spot is not None)
    yield from (unit.place for unit in view.situation.units if unit.place is not None)


def _plot(frame: Frame, spots: list[Spot], wanted: Spot | None) -> tuple[_Plot, bool]:
    """Return the plot around all spots, and whether it had to be cut to what lies around the spot that is wanted."""
    step = frame.spacing_m if isinstance(frame, HexFrame | VertexFrame) else float(_YARDS)
    if isinstance(frame, PlaneFrame):
        step = _YARDS * frame.metres_per_yard
    margin = _MARGIN_CELLS * step
    west, east = min(s.east for s in spots) - margin, max(s.east for s in spots) + margin
    north, south = min(s.south for s in spots) - margin, max(s.south for s in spots) + margin
    most = LIMITS["map_places"].most
    if (east - west) * (south - north) <= most * step * step:
        return _Plot(west, north, east, south, step), False
    centre, half = wanted or spots[0], math.sqrt(most) * step / 2
    west, east = max(west, centre.east - half), min(east, centre.east + half)
    north, south = max(north, centre.south - half), min(south, centre.south + half)
    return _Plot(west, north, east, south, step), True


def _cells(frame: Frame, plot: _Plot) -> Iterator[_Cell]:
    """Yield the cells of the plot."""
    step = plot.step
    if isinstance(frame, HexFrame | VertexFrame):
        reach = math.hypot(plot.east - plot.west, plot.south - plot.north) / 2
        for q, r in hexes_touching((plot.west + plot.east) / 2, (plot.north + plot.south) / 2, reach, step):
            x, y = frame.metres((q, r))
            if plot.west < x < plot.east and plot.north < y < plot.south:
                yield _Cell((q, r), r + q // 2, q, frame.outline((q, r)))
        return
    for row in range(math.floor(plot.north / step), math.ceil(plot.south / step)):
        for column in range(math.floor(plot.west / step), math.ceil(plot.east / step)):
            place = (column * _YARDS + _YARDS // 2, row * _YARDS + _YARDS // 2)
            x, y = column * step, row * step
            outline = ((x, y), (x + step, y), (x + step, y + step), (x, y + step))
            yield _Cell(place, row, column, outline)


def _unseen(session: Session, view: SideView, cells: list[_Cell]) -> set[Place] | None:
    """Return the cells whose ground none of the side's own observers sees; None when nobody can say."""
    scenario = session.scenario
    own = [m for m, setup in scenario.missions.items() if view.side in (REFEREE, setup.side)]
    if not own:
        return None
    reading = View(session.table.read, scenario, "observers")
    sees = scenario.parts.observers.sees
    try:
        return {cell.place for cell in cells if not any(sees(reading, m, cell.place).ground for m in own)}
    except Exception:  # noqa: BLE001 - a game that cannot tell about any place has no sight drawn
        return None


def _grid(session: Session, view: SideView, plot: _Plot, cells: list[_Cell], unseen: set[Place]) -> Svg:
    """Return the cells in rows, each with all that is to be said of it; the first can be reached with the keyboard."""
    frame = session.scenario.frame
    ground = {feature.place: feature.words for feature in session.scenario.features if feature.place is not None}
    said = _said(view)
    home = next((spot.label for asset in view.situation.assets if (spot := asset.target or asset.aim)), "")
    rows: dict[int, list[Svg]] = {}
    for cell in sorted(cells, key=lambda cell: (cell.row, cell.column)):
        label, terrain, hidden = frame.label(cell.place), ground.get(cell.place, ""), cell.place in unseen
        east, south = frame.metres(cell.place)
        x, y = plot.at(east, south)
        says = [label, *([terrain] if terrain else []), *said.get(label, ()), *(["not seen"] if hidden else [])]
        polygon = element(
            "polygon",
            class_="cell unseen" if hidden else "cell",
            points=points(plot.outline(cell.outline)),
            fill=UNSEEN if hidden else TERRAIN if terrain else BLANK,
            stroke=LINE,
            stroke_dasharray="3 3" if hidden else None,
        )
        drawn = group(
            None,
            polygon,
            _words((x, y - 15), label, 10),
            _words((x, y + 22), terrain, 9) if terrain else Svg(),
            role="gridcell",
            tabindex=-1 if rows else 0,
            data_home="" if label == home else None,
            aria_label=plain(", ".join(says), _LONGEST),
            data_row=cell.row,
            data_column=cell.column,
            data_label=plain(label, _LONGEST),
            data_east=east,
            data_south=south,
        )
        rows.setdefault(cell.row, []).append(drawn)
    lines = (group(None, *row, role="row") for row in rows.values())
    return group(None, *lines, id="cells", role="grid", aria_label="Map")


def _words(at: Point, words: str, size: float, fill: str = INK) -> Svg:
    return text(at, plain(words, _LONGEST), size=size, fill=fill, anchor="middle")


def _said(view: SideView) -> dict[str, list[str]]:
    """Return what is to be said of a place, by its label."""
    said: dict[str, list[str]] = {}

    def say(spot: Spot | None, words: str) -> None:
        if spot is not None:
            said.setdefault(spot.label, []).append(words)

    for unit in view.situation.units:
        say(unit.place, f"{unit.name} of {unit.side}" + (f", {unit.severity}" if unit.severity != "none" else ""))
    for asset in view.situation.assets:
        say(asset.target, f"wanted by {asset.name}")
        say(asset.aim, f"aimed at by {asset.name}")
        say(asset.impact, f"{asset.name} landed here")
        for spot in asset.area:
            say(spot, f"in the area of {asset.name}")
    return said


def _terrain(session: Session, plot: _Plot) -> Iterator[Svg]:
    """Yield the pieces of terrain that are no cell, each with its words in its middle."""
    for feature in session.scenario.features:
        if feature.outline:
            corners = plot.outline(feature.outline)
            middle = (sum(x for x, _ in corners) / len(corners), sum(y for _, y in corners) / len(corners))
            yield element(
                "polygon", points=points(corners), fill=TERRAIN, fill_opacity=0.8, stroke=INK, stroke_width=1.2
            )
            yield _words(middle, feature.words, 9)


def _under_fire(asset: AssetSeen, plot: _Plot) -> Svg:
    d = path_of(plot.outline(loop) for loop in merged(asset.outline))
    hatch = "url(#hatch-lingers)" if asset.stage == "lingering" else "url(#hatch-fire)"
    return Svg(element("path", d=d, fill=hatch, fill_rule="evenodd") + haloed(d, 2, 5.5))


def _counters(session: Session, view: SideView, plot: _Plot) -> Iterator[Svg]:
    """Yield the units of a side at one place as one counter, each side's below the other's."""
    sides = list(dict.fromkeys(setup.side for setup in session.scenario.units.values()))
    stacks: dict[tuple[Spot, str], list[UnitSeen]] = {}
    for unit in view.situation.units:
        if unit.place is not None:
            stacks.setdefault((unit.place, unit.side), []).append(unit)
    covered = {(spot.label, asset.side) for asset in view.situation.assets for spot in asset.area}
    there: dict[str, int] = {}
    for (spot, side), units in stacks.items():
        x, y = plot.at(spot.east, spot.south)
        shift = there.get(spot.label, 0)
        there[spot.label] = shift + 1
        endangered = (spot.label, side) in covered
        names = "; ".join(u.name + (f" ({u.severity})" if u.severity != "none" else "") for u in units)
        yield group(
            None,
            centred(27, 8, rx=2, fill=SIDES[sides.index(side) % 2], stroke=BLACK, stroke_width=1 + 1.5 * endangered),
            _words((0, 4), units[0].name[:9] if len(units) == 1 else f"{len(units)} units", 10, BLACK),
            element("rect", x=19, y=-8, width=8, height=16, fill="url(#hatch-own)") if endangered else Svg(),
            element("title", plain(f"{side}: {names}", _LONGEST)),
            at=(x, y - 4 + 17 * shift),
        )


def _aim(asset: AssetSeen, plot: _Plot) -> Svg:
    """Return where an asset's fire was wanted and aimed, and where it landed, with a line if it drifted."""
    target, aim, impact = (
        None if spot is None else plot.at(spot.east, spot.south) for spot in (asset.target, asset.aim, asset.impact)
    )
    drifted = asset.aim is not None and asset.impact is not None and asset.aim.label != asset.impact.label
    parts = []
    if target:
        parts.append(group("wanted", haloed(_CORNERS, 1.8, 5.3), at=target))
    if drifted and aim and impact:
        ends = (f"{number(x)},{number(y)}" for x, y in (aim, impact))
        parts.append(haloed(f"M{'L'.join(ends)}", 1.6, 5.1))
    if aim:
        parts.append(group("aimed", haloed(_RING, 1.6, 5.1), at=aim))
    if impact:
        mark = element("path", d=_DRIFTED if drifted else _ON_THE_SPOT, fill=BLACK, stroke=PAPER, stroke_width=2)
        parts.append(group("landed", mark, at=impact))
    return Svg("".join(parts))
