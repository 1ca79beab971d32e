"""The map of a table as one side sees it: cells with the game's labels, and above them what stands and falls there.

Only what a side's view holds is drawn; sight is asked for that side's own observers alone. Pixels are worked out
here, the template ``_board.svg.j2`` writes them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import attrs

from fireplan.compare._drawing import merged, points
from fireplan.studio._limits import LIMITS
from fireplan.table import AssetSeen, Session, SideView, Spot
from fireplan_core import REFEREE, Place, View
from fireplan_core.space import HexFrame, PlaneFrame, VertexFrame, hexes_touching

SMALLEST, LARGEST = 46.0, 84.0
"""Pixels from the centre of a cell to that of the next, at least and at most."""
_ROOM = 880.0
_MARGIN_CELLS = 1.6
_YARDS = 100
_SIGHT_CELLS = 600

Outline = list[tuple[float, float]]


@attrs.frozen
class Cell:
    """A place of the map: its label, where it is drawn, what is to be said of it, and its marks."""

    label: str
    row: int
    column: int
    points: str
    x: float
    y: float
    east: float
    south: float
    says: str
    terrain: str
    unseen: bool


@attrs.frozen
class Piece:
    """A piece of terrain that is no cell: its outline or line, its words, and where these stand."""

    points: str
    words: str
    x: float
    y: float


@attrs.frozen
class Counter:
    """Units at one place, drawn as one stack: their names, whose they are, how they fare."""

    x: float
    y: float
    side: int
    text: str
    names: str
    endangered: bool


@attrs.frozen
class Fire:
    """An asset's fire: what it covers, where it was wanted and aimed, where it landed; pixels, None for nothing."""

    name: str
    stage: str
    area: str
    target: tuple[float, float] | None
    aim: tuple[float, float] | None
    impact: tuple[float, float] | None
    drifted: bool


@attrs.frozen
class Board:
    """The whole map, in pixels."""

    width: float
    height: float
    rows: tuple[tuple[Cell, ...], ...]
    pieces: tuple[Piece, ...]
    counters: tuple[Counter, ...]
    fires: tuple[Fire, ...]
    step_m: float
    unit: str
    bar: float
    bar_m: int
    sight: bool
    cut: bool
    home: str


class _Scale:
    def __init__(self, west: float, north: float, pixels: float) -> None:
        self.west, self.north, self.pixels = west, north, pixels

    def at(self, east: float, south: float) -> tuple[float, float]:
        return (east - self.west) * self.pixels, (south - self.north) * self.pixels

    def of(self, spot: Spot | None) -> tuple[float, float] | None:
        return None if spot is None else self.at(spot.east, spot.south)


def board_of(session: Session, view: SideView) -> Board | None:
    """The map of a side's view; None when nothing of it has a place."""
    frame = session.scenario.frame
    step = frame.spacing_m if isinstance(frame, HexFrame | VertexFrame) else _YARDS * _metres_per_yard(frame)
    spots = list(_spots(view))
    if not spots:
        return None
    margin = _MARGIN_CELLS * step
    west, east = min(s.east for s in spots) - margin, max(s.east for s in spots) + margin
    north, south = min(s.south for s in spots) - margin, max(s.south for s in spots) + margin
    cut = False
    most = LIMITS["map_places"].most
    if (east - west) * (south - north) > most * step * step:
        cut = True
        middle = next((a.aim or a.target or a.impact for a in view.situation.assets if a.aim or a.target), spots[0])
        half = math.sqrt(most) * step / 2
        centre = middle or spots[0]
        west, east, north, south = (
            max(west, centre.east - half),
            min(east, centre.east + half),
            max(north, centre.south - half),
            min(south, centre.south + half),
        )
    scale = _Scale(west, north, min(LARGEST, max(SMALLEST, _ROOM * step / (east - west))) / step)
    cells = list(_cells(frame, (west, north, east, south), step))
    unseen = _unseen(session, view, cells) if len(cells) <= _SIGHT_CELLS else None
    said = _said(view)
    ground = {feature.place: feature.words for feature in session.scenario.features if feature.place is not None}
    rows: dict[int, list[Cell]] = {}
    for place, row, column, outline in cells:
        metres = frame.metres(place)
        label = frame.label(place)
        x, y = scale.at(*metres)
        terrain = ground.get(place, "")
        hidden = unseen is not None and place in unseen
        words = ", ".join(
            [label, *([terrain] if terrain else []), *said.get(label, ()), *(["not seen"] if hidden else [])]
        )
        corners = points([scale.at(*corner) for corner in outline])
        cell = Cell(label, row, column, corners, x, y, *metres, words, terrain, hidden)
        rows.setdefault(row, []).append(cell)
    power = 10 ** math.floor(math.log10(4 * step))
    bar_m = max(power * n for n in (1, 2, 5) if power * n <= 4 * step)
    return Board(
        width=(east - west) * scale.pixels,
        height=(south - north) * scale.pixels,
        rows=tuple(tuple(sorted(cells, key=lambda cell: cell.column)) for _, cells in sorted(rows.items())),
        pieces=tuple(_pieces(session, scale)),
        counters=tuple(_counters(session, view, scale)),
        fires=tuple(_fire(asset, scale) for asset in view.situation.assets),
        step_m=step,
        unit="hexes" if isinstance(frame, HexFrame | VertexFrame) else "yards",
        bar=bar_m * scale.pixels,
        bar_m=bar_m,
        sight=unseen is not None,
        cut=cut,
        home=next((spot.label for asset in view.situation.assets if (spot := asset.target or asset.aim)), ""),
    )


def _metres_per_yard(frame: Any) -> float:
    return frame.metres_per_yard if isinstance(frame, PlaneFrame) else 1.0


def _spots(view: SideView) -> Iterator[Spot]:
    for asset in view.situation.assets:
        yield from (spot for spot in (asset.target, asset.aim, asset.impact, *asset.area) if spot is not None)
    yield from (unit.place for unit in view.situation.units if unit.place is not None)


def _cells(
    frame: Any, bounds: tuple[float, float, float, float], step: float
) -> Iterator[tuple[Place, int, int, Outline]]:
    """The cells within bounds: the place, its row and column for walking, its corners in metres."""
    west, north, east, south = bounds
    if isinstance(frame, HexFrame | VertexFrame):
        radius = step / math.sqrt(3)
        corners = [(radius * math.cos(math.radians(a)), radius * math.sin(math.radians(a))) for a in range(0, 360, 60)]
        reach = math.hypot(east - west, south - north) / 2
        for q, r in hexes_touching((west + east) / 2, (north + south) / 2, reach, step):
            x, y = frame.metres((q, r))
            if west < x < east and north < y < south:
                yield (q, r), r + q // 2, q, [(x + dx, y + dy) for dx, dy in corners]
        return
    yards = _YARDS
    first_column, last_column = math.floor(west / step), math.ceil(east / step)
    first_row, last_row = math.floor(north / step), math.ceil(south / step)
    for row in range(first_row, last_row):
        for column in range(first_column, last_column):
            x, y = column * step, row * step
            outline = [(x, y), (x + step, y), (x + step, y + step), (x, y + step)]
            yield (column * yards + yards // 2, row * yards + yards // 2), row, column, outline


def _unseen(session: Session, view: SideView, cells: list[tuple[Place, int, int, Outline]]) -> set[Place] | None:
    """The cells whose ground none of the side's own observers sees; None when nobody can say."""
    scenario = session.scenario
    own = [m for m, setup in scenario.missions.items() if view.side in (REFEREE, setup.side)]
    if not own:
        return None
    reading = View(session.table.read, scenario, "observers")
    try:
        return {
            place
            for place, *_ in cells
            if not any(scenario.parts.observers.sees(reading, m, place).ground for m in own)
        }
    except Exception:  # noqa: BLE001 - a game that cannot tell about any place has no sight drawn
        return None


def _pieces(session: Session, scale: _Scale) -> Iterator[Piece]:
    for feature in session.scenario.features:
        if feature.outline:
            corners = [scale.at(*corner) for corner in feature.outline]
            x = sum(corner[0] for corner in corners) / len(corners)
            y = sum(corner[1] for corner in corners) / len(corners)
            yield Piece(points(corners), feature.words, x, y)


def _said(view: SideView) -> dict[str, list[str]]:
    """What is to be said of a place, by its label."""
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


def _counters(session: Session, view: SideView, scale: _Scale) -> Iterator[Counter]:
    sides = list(dict.fromkeys(setup.side for setup in session.scenario.units.values()))
    stacks: dict[tuple[str, str], list[Any]] = {}
    for unit in view.situation.units:
        if unit.place is not None:
            stacks.setdefault((unit.place.label, unit.side), []).append(unit)
    covered = {(spot.label, asset.side) for asset in view.situation.assets for spot in asset.area}
    there: dict[str, int] = {}
    for (label, side), units in stacks.items():
        x, y = scale.at(units[0].place.east, units[0].place.south)
        shift = there.get(label, 0)
        there[label] = shift + 1
        text = units[0].name[:9] if len(units) == 1 else f"{len(units)} units"
        names = "; ".join(f"{u.name}" + (f" ({u.severity})" if u.severity != "none" else "") for u in units)
        yield Counter(x, y - 4 + 17 * shift, sides.index(side) % 2, text, f"{side}: {names}", (label, side) in covered)


def _fire(asset: AssetSeen, scale: _Scale) -> Fire:
    area = ""
    if asset.outline:
        loops = merged(asset.outline)
        area = "".join("M" + "L".join(points([scale.at(*corner)]) for corner in loop) + "Z" for loop in loops)
    drifted = asset.aim is not None and asset.impact is not None and asset.aim.label != asset.impact.label
    return Fire(
        asset.name, asset.stage, area, scale.of(asset.target), scale.of(asset.aim), scale.of(asset.impact), drifted
    )
