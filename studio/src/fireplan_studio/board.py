"""The map of a table as one side sees it: its ground, what stands and falls there, and where an order may point.

Only what a side's view holds is shown; sight is asked for that side's own observers alone, orders
of the side that is asked. ``templates/board.svg.j2`` draws it, ``static/board.js`` lets it be
pointed at.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property
from typing import Any

import attrs
import jinja2
from markupsafe import Markup

from fireplan.analysis import percent
from fireplan.draw.lettering import width, wrap
from fireplan.draw.shapes import Outline, Point, merged, round_length
from fireplan.draw.svg import FONT, number, path_of, points
from fireplan.table import (
    AssetSeen,
    Judging,
    Session,
    SideView,
    Spot,
    UnitSeen,
    judged,
    kind_of_place,
)
from fireplan_core import REFEREE, Ask, Place, View
from fireplan_core.files import plain
from fireplan_core.space import Frame, HexFrame, PlaneFrame, VertexFrame, hexes_touching
from fireplan_studio.limits import LIMITS

SMALLEST, LARGEST = 58.0, 92.0
"""Pixels from the centre of a cell to that of the next, at least and at most."""
_ROOM = 880.0
_MARGIN_CELLS = 1.6
_YARDS = 100
_SIGHT_CELLS = 600
_LONGEST = 2000
Offers = dict[str, dict[str, Any]]
_Lying = tuple[Place, int, int, Outline]
_ROW = 19.0
"""Pixels of a line of a stack that is fanned out."""
LAYERS = ("fire", "aims", "units", "ways", "fans")
"""Say what lies and stands on a map, from the ground up."""


@attrs.frozen
class Cell:
    """A cell of the map: where it lies, its ground, what is said of it, and whether the side sees it."""

    label: str
    column: int
    metres: Point
    at: Point
    corners: str
    ground: str
    says: str
    hidden: bool


@attrs.frozen
class Stack:
    """The units of one side at a place: its number among the sides and letter, and the room that their names need."""

    label: str
    side: str
    number: int
    letter: str
    units: tuple[UnitSeen, ...]
    endangered: bool
    at: Point
    fan: tuple[float, float, float]


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

    def spot(self, spot: Spot | None) -> Point | None:
        return None if spot is None else self.at(spot.east, spot.south)

    def holds(self, east: float, south: float) -> bool:
        return self.west < east < self.east and self.north < south < self.south

    def border(self, outlines: tuple[Outline, ...]) -> str:
        return path_of([self.at(*corner) for corner in loop] for loop in merged(outlines))


@attrs.frozen
class Board:
    """The map; whether it is cut to the limit, and whether it shows what the side sees.

    ``offers`` are the places that orders can name, by label: where each lies, whether it is a cell, and its orders with
    what they do. ``complete`` tells whether these are all.
    """

    plot: _Plot
    unit: str
    home: Point | None
    rows: Mapping[int, list[Cell]]
    pieces: tuple[tuple[str, str, Point], ...]
    assets: tuple[AssetSeen, ...]
    stacks: tuple[Stack, ...]
    offers: Offers
    complete: bool
    cut: bool
    sight: bool

    @cached_property
    def svg(self) -> Markup:
        """Return the map, drawn."""
        drawing = environment().get_template("board.svg.j2")
        drawn = drawing.render(
            board=self, plot=self.plot, bar=round_length(4 * self.plot.step), layers=LAYERS
        )
        return Markup(drawn)  # noqa: S704 - escaped there

    def at(self, session: Session, view: SideView) -> dict[str, str]:
        """Return what lies and stands on this map in another view, layer by layer, drawn."""
        shown = attrs.evolve(
            self, assets=view.situation.assets, stacks=tuple(_stacks(session, view, self.plot))
        )
        drawn: Any = environment().get_template("_pieces.svg.j2").module
        return {name: str(getattr(drawn, name)(shown, self.plot)) for name in LAYERS}


_LOADERS = [jinja2.PackageLoader(package) for package in ("fireplan_studio", "fireplan.questions")]


@cache
def environment() -> jinja2.Environment:
    """Return the templates of what is drawn, which need no server."""
    found = jinja2.Environment(
        loader=jinja2.ChoiceLoader(_LOADERS),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    found.filters.update(
        n=number,
        clean=lambda words: plain(str(words), _LONGEST),
        width=width,
        wrap=wrap,
        percent=lambda share: "" if share is None else percent(share),
    )
    found.globals.update(font=FONT, line=_ROW)
    return found


def board_of(session: Session, view: SideView, film: Sequence[SideView] = ()) -> Board | None:
    """Return the map of a side's view; None when nothing of it has a place.

    For a film it has room for all its views, and neither sight nor orders.
    """
    frame, views = session.scenario.frame, film or (view,)
    spots = list(dict.fromkeys(spot for each in views for spot in _said(each)))
    if not spots:
        return None
    wanted = next(
        (a.aim or a.target for each in views for a in each.situation.assets if a.aim or a.target),
        None,
    )
    plot, cut = _plot(frame, spots, wanted)
    cells = sorted(_cells(frame, plot), key=lambda cell: cell[1:3])
    places = [place for place, *_ in cells]
    unseen = _unseen(session, view, places) if len(cells) <= _SIGHT_CELLS and not film else None
    offers, complete = (Offers(), True) if film else _offers(session, view, plot, places)
    return Board(
        plot=plot,
        unit="yards" if isinstance(frame, PlaneFrame) else "hexes",
        home=plot.spot(wanted),
        rows=_rows(session, plot, cells, {} if film else _said(view), unseen or set()),
        pieces=tuple(_pieces(session, plot)),
        assets=view.situation.assets,
        stacks=tuple(_stacks(session, view, plot)),
        offers=offers,
        complete=complete,
        cut=cut,
        sight=unseen is not None,
    )


def _rows(
    session: Session,
    plot: _Plot,
    cells: list[_Lying],
    said: Mapping[Spot, list[str]],
    unseen: set[Place],
) -> Mapping[int, list[Cell]]:
    """Return the cells of the map row by row, each with its ground and what is said of it."""
    frame, words = session.scenario.frame, {spot.label: each for spot, each in said.items()}
    ground = {
        feature.place: feature.words
        for feature in session.scenario.features
        if feature.place is not None
    }
    rows = dict[int, list[Cell]]()
    for place, row, column, outline in cells:
        label, metres, terrain, hidden = (
            frame.label(place),
            frame.metres(place),
            ground.get(place, ""),
            place in unseen,
        )
        says = ", ".join(filter(None, [label, terrain, *words.get(label, ()), "not seen" * hidden]))
        corners = points(plot.at(*corner) for corner in outline)
        rows.setdefault(row, []).append(
            Cell(label, column, metres, plot.at(*metres), corners, terrain, says, hidden)
        )
    return rows


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


def _cells(frame: Frame, plot: _Plot) -> Iterator[_Lying]:
    """Yield the cells of the plot: place, row, column and border in metres."""
    step = plot.step
    if isinstance(frame, HexFrame | VertexFrame):
        reach = math.hypot(plot.east - plot.west, plot.south - plot.north) / 2
        for q, r in hexes_touching(
            (plot.west + plot.east) / 2, (plot.north + plot.south) / 2, reach, step
        ):
            if plot.holds(*frame.metres((q, r))):
                yield (q, r), r + q // 2, q, frame.outline((q, r))
        return
    for row in range(math.floor(plot.north / step), math.ceil(plot.south / step)):
        for column in range(math.floor(plot.west / step), math.ceil(plot.east / step)):
            x, y = column * step, row * step
            middle = (column * _YARDS + _YARDS // 2, row * _YARDS + _YARDS // 2)
            yield middle, row, column, ((x, y), (x + step, y), (x + step, y + step), (x, y + step))


def _unseen(session: Session, view: SideView, places: list[Place]) -> set[Place] | None:
    """Return the places whose ground none of the side's own observers sees.

    None when nobody can say.
    """
    scenario = session.scenario
    own = [m for m, setup in scenario.missions.items() if view.side in (REFEREE, setup.side)]
    if not own:
        return None
    reading = View(session.table.read, scenario, "observers")
    sees = scenario.parts.observers.sees
    try:
        return {place for place in places if not any(sees(reading, m, place).ground for m in own)}
    except Exception:  # noqa: BLE001 - a game that cannot tell about any place has no sight drawn
        return None


def _offers(
    session: Session, view: SideView, plot: _Plot, cells: list[Place]
) -> tuple[Offers, bool]:
    """Return the legal orders that name a place of the map or a unit there, by place.

    And whether these are all.
    """
    waits, frame = session.table.waits_for, session.scenario.frame
    if view.form.kind != "order" or not isinstance(waits, Ask):
        return {}, True
    places = [place for place in frame.places() if plot.holds(*frame.metres(place))] or cells
    stands = {unit.name: unit.place for unit in view.situation.units if unit.place is not None}
    typed = session.table.rulebook.forms(waits, session.table.read)
    judging = Judging(session.table, waits.question.partition(".")[0])
    forms = list(judged(session.table, waits, judging, LIMITS["map_orders"].most, places))
    found, whole = Offers(), {frame.label(cell) for cell in cells}
    for form in forms:
        for order in form.orders:
            said = form.words.order(order, typed), f"{form.summary} ({form.cite})"
            for label, metres in _named(
                frame, stands, [value for _, value in order.values]
            ).items():
                fresh = {
                    "label": label,
                    "at": plot.at(*metres),
                    "cell": label in whole,
                    "orders": [],
                }
                found.setdefault(label, fresh)["orders"].append(said)
    return found, bool(frame.places()) and all(form.complete for form in forms)


def _named(frame: Frame, stands: Mapping[str, Spot], values: list[Any]) -> dict[str, Point]:
    """Return the places among the values of an order, else those of its units: label and metres."""
    spots = {
        frame.label(value): frame.metres(value) for value in values if kind_of_place(frame, value)
    }
    units = [stands[value] for value in values if isinstance(value, str) and value in stands]
    return spots or {spot.label: (spot.east, spot.south) for spot in units}


def _said(view: SideView) -> dict[Spot, list[str]]:
    """Return every place of the view with what is to be said of it."""
    said: dict[Spot, list[str]] = {}

    def say(spot: Spot | None, *words: str) -> None:
        if spot is not None:
            said.setdefault(spot, []).extend(words)

    for unit in view.situation.units:
        say(
            unit.place,
            f"{unit.name} of {unit.side}"
            + (f", {unit.severity}" if unit.severity != "none" else ""),
        )
    for asset in view.situation.assets:
        say(asset.target, f"wanted by {asset.name}")
        say(asset.aim, f"aimed at by {asset.name}")
        say(asset.aimed)
        say(asset.impact, f"{asset.name} landed here")
        for spot in asset.area:
            say(spot, f"in the area of {asset.name}")
    return said


def _pieces(session: Session, plot: _Plot) -> Iterator[tuple[str, str, Point]]:
    """Yield the pieces of terrain that are no cell: words, border, and the middle for the words."""
    for feature in session.scenario.features:
        if feature.outline:
            corners = [plot.at(*corner) for corner in feature.outline]
            middle = (
                sum(x for x, _ in corners) / len(corners),
                sum(y for _, y in corners) / len(corners),
            )
            yield feature.words, points(corners), middle


def _stacks(session: Session, view: SideView, plot: _Plot) -> Iterator[Stack]:
    """Yield the units of a side at one place as one stack, each side's below the other's."""
    sides = list(dict.fromkeys(setup.side for setup in session.scenario.units.values()))
    stacks: dict[tuple[Spot, str], list[UnitSeen]] = {}
    for unit in view.situation.units:
        if unit.place is not None:
            stacks.setdefault((unit.place, unit.side), []).append(unit)
    covered = {(spot.label, asset.side) for asset in view.situation.assets for spot in asset.area}
    there: dict[str, int] = {}
    right, bottom = plot.at(plot.east, plot.south)
    for (spot, side), units in stacks.items():
        x, y = plot.at(spot.east, spot.south)
        shift = there[spot.label] = there.get(spot.label, -1) + 1
        room = 34 + max(width(f"{unit.name}, {unit.severity}", 11) for unit in units)
        fan = (
            max(2, min(x - room / 2, right - room - 2)),
            max(2, min(y + 16, bottom - _ROW * len(units) - 2)),
            room,
        )
        letter = next(
            side[:n] for n in range(1, len(side) + 1) if sum(s[:n] == side[:n] for s in sides) == 1
        ).upper()
        yield Stack(
            spot.label,
            side,
            sides.index(side) % 2,
            letter,
            tuple(units),
            (spot.label, side) in covered,
            (x, y + 25 * shift),
            fan,
        )
