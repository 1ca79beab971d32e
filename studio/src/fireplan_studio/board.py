"""The map of a table as one side sees it: ground, units, fire, and places that orders can name.

The map shows only information in the side's view; lines of sight come from the side's own
observers. The template ``board.svg.j2`` draws the map, and ``static/board.js`` makes it
interactive.
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
from fireplan.draw.shapes import Outline, Point, mean_corner, merged, round_length
from fireplan.draw.svg import FONT, coordinate, path_of, points
from fireplan.table import (
    AssetSeen,
    Judging,
    Session,
    SideView,
    Spot,
    UnitSeen,
    Words,
    judged,
)
from fireplan_core import REFEREE, Ask, Place, Scenario
from fireplan_core.files import printable
from fireplan_core.sentences import capitalized
from fireplan_core.space import Frame, HexFrame, PlaneFrame, VertexFrame, hexes_touching, is_place
from fireplan_studio.limits import LIMITS

SMALLEST, LARGEST = 58.0, 92.0
"""Minimum and maximum distance between the centres of adjacent cells, in pixels."""
_ROOM = 880.0
_MARGIN_CELLS = 1.6
_NARROWEST, _WIDEST = 1.2, 1.6
"""Minimum and maximum ratio of a map's width to its height; a narrow map shows more ground."""
_YARDS = 100
_SIGHT_CELLS = 600
_LONGEST = 2000
Offers = dict[str, dict[str, Any]]
_Lying = tuple[Place, int, int, Outline]
_ROW = 19.0
"""Height of a line in a fanned-out stack, in pixels."""
LAYERS = ("fire", "aims", "units", "ways", "fans")
"""Names of the layers drawn above the ground, from the bottom up."""
_SIGNS = {
    "woods": ("wood", "forest", "orchard", "brush"),
    "field": ("grain", "field"),
    "water": ("river", "stream", "water", "canal"),
    "height": ("level", "hill", "height", "ridge"),
    "rough": ("rough", "quarry", "rubble"),
    "town": ("building", "village", "house", "farm", "town"),
    "works": ("trench", "foxhole", "position"),
    "wire": ("wire",),
}
"""Maps each terrain sign to the words in a description that select it."""


@attrs.frozen
class MapCell:
    """A cell of the map: its place in metres and pixels, and its ground.

    ``says`` describes the cell for screen readers; ``hidden`` cells are out of the side's line of
    sight.
    """

    label: str
    column: int
    metres: Point
    centre: Point
    corners: str
    ground: str
    says: str
    hidden: bool


@attrs.frozen
class Stack:
    """The units of one side at one place.

    ``number`` and ``letter`` identify the side. ``endangered`` is true if the side's own fire
    covers the place. ``centre`` and ``fan`` (left, top, width of the fanned-out list) are in
    pixels.
    """

    label: str
    side: str
    number: int
    letter: str
    units: tuple[UnitSeen, ...]
    endangered: bool
    centre: Point
    fan: tuple[float, float, float]


@attrs.frozen
class _Plot:
    """The bounds of the map and the step from cell to cell, in metres."""

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

    def filled(self, cells: float) -> "_Plot":
        """Return the plot with more ground on two sides if its shape is too narrow or too flat.

        The plot grows to at most ``cells`` cells.
        """
        width, height = self.east - self.west, self.south - self.north
        room = cells * self.step * self.step
        broader = max(0.0, min(height * _NARROWEST, room / height) - width) / 2
        taller = max(0.0, min(width / _WIDEST, room / width) - height) / 2
        return _Plot(
            self.west - broader,
            self.north - taller,
            self.east + broader,
            self.south + taller,
            self.step,
        )

    def holds(self, east: float, south: float) -> bool:
        return self.west < east < self.east and self.north < south < self.south

    def border(self, outlines: tuple[Outline, ...]) -> str:
        return path_of([self.at(*corner) for corner in loop] for loop in merged(outlines))


@attrs.frozen
class Board:
    """The map of a side's view.

    ``unit`` names the cells, ``home`` is the place to show first in pixels (None if no asset aims),
    ``rows`` has the cells by row, and ``pieces`` the terrain features that have an outline.
    ``offers`` maps the label of each place that orders can name to its position, whether it is a
    cell, and its orders with their summaries. ``complete`` is False if there may be more orders,
    ``cut`` is True if the map is cut to the limit, and ``sight`` is True if the map shows the lines
    of sight of the side's observers. ``sights`` keeps these lines of sight for the next map.
    """

    plot: _Plot
    unit: str
    home: Point | None
    rows: Mapping[int, list[MapCell]]
    pieces: tuple[tuple[str, str, Point], ...]
    assets: tuple[AssetSeen, ...]
    stacks: tuple[Stack, ...]
    offers: Offers
    complete: bool
    cut: bool
    sight: bool
    sights: Judging = attrs.field(eq=False, repr=False)

    @property
    def above(self) -> float:
        """Return how far the topmost cell reaches above the plot, in pixels; 0 if no cell does."""
        corners = " ".join(cell.corners for row in self.rows.values() for cell in row).split()
        return max(0.0, -min((float(corner.partition(",")[2]) for corner in corners), default=0.0))

    @cached_property
    def svg(self) -> Markup:
        """Return the map as an SVG element."""
        drawing = template_environment().get_template("board.svg.j2")
        unit, unit_m = ("yards", self.plot.step / _YARDS) if self.unit == "yards" else ("m", 1.0)
        drawn = drawing.render(
            board=self,
            plot=self.plot,
            bar=round_length(4 * self.plot.step / unit_m),
            unit=unit,
            unit_m=unit_m,
            layers=LAYERS,
        )
        return Markup(drawn)  # noqa: S704 - the template escapes

    def layers(self, session: Session, view: SideView) -> dict[str, str]:
        """Return the SVG of each layer by name, drawn for another view of the same game."""
        shown = attrs.evolve(
            self, assets=view.situation.assets, stacks=tuple(_stacks(session, view, self.plot))
        )
        drawn: Any = template_environment().get_template("_pieces.svg.j2").module
        return {name: str(getattr(drawn, name)(shown, self.plot)) for name in LAYERS}


_LOADERS = [jinja2.PackageLoader(package) for package in ("fireplan_studio", "fireplan.questions")]


@cache
def _signs(words: str) -> tuple[str, ...]:
    """Return the names of the signs that show a terrain described in these words."""
    lower = words.lower()
    return tuple(sign for sign, known in _SIGNS.items() if any(word in lower for word in known))


@cache
def template_environment() -> jinja2.Environment:
    """Return the Jinja environment of all templates, with their filters.

    Every call returns the same environment, so that each template is compiled only once.
    """
    templates = jinja2.Environment(
        loader=jinja2.ChoiceLoader(_LOADERS),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    templates.filters.update(
        n=coordinate,
        clean=lambda words: printable(str(words), _LONGEST),
        signs=_signs,
        width=width,
        wrap=wrap,
        headed=capitalized,
        percent=lambda share: "" if share is None else percent(share),
    )
    templates.globals.update(font=FONT, line=_ROW)
    return templates


def board_of(
    session: Session, view: SideView, film: Sequence[SideView] = (), last: Board | None = None
) -> Board | None:
    """Return the map of a side's view, or None if nothing in the view has a place.

    The map of a film has room for all its views, and shows neither lines of sight nor orders.
    ``last`` is an earlier map of this side, whose lines of sight are reused where possible.
    """
    frame, views = session.scenario.frame, film or (view,)
    names = asset_names(session.scenario, *views)
    spots = list(dict.fromkeys(spot for each in views for spot in _descriptions(each, names)))
    if not spots:
        return None
    focus = next(
        (a.aim or a.target for each in views for a in each.situation.assets if a.aim or a.target),
        None,
    )
    reach, cut = plot_of(frame, spots, focus)
    plot = reach.filled(_SIGHT_CELLS)
    cells = sorted(_cells(frame, plot), key=lambda cell: cell[1:3])
    places = [place for place, *_ in cells]
    sights = Judging(session.table, "observers", last.sights if last is not None else None)
    drawn = len(cells) <= _SIGHT_CELLS and not film
    unseen = _unseen(session, view, places, sights) if drawn else None
    offers, complete = (
        (Offers(), True) if film else _offers(session, view, plot, reach, places, sights)
    )
    return Board(
        plot=plot,
        unit="yards" if isinstance(frame, PlaneFrame) else "hexes",
        home=plot.spot(focus),
        rows=_rows(
            session,
            plot,
            cells,
            {} if film else _descriptions(view, names),
            unseen or set(),
        ),
        pieces=tuple(_pieces(session, plot)),
        assets=view.situation.assets,
        stacks=tuple(_stacks(session, view, plot)),
        offers=offers,
        complete=complete,
        cut=cut,
        sight=unseen is not None,
        sights=sights,
    )


def _rows(
    session: Session,
    plot: _Plot,
    cells: list[_Lying],
    descriptions: Mapping[Spot, list[str]],
    unseen: set[Place],
) -> Mapping[int, list[MapCell]]:
    """Return the cells of the map by row, each with its ground and description."""
    frame = session.scenario.frame
    words = {spot.label: texts for spot, texts in descriptions.items()}
    ground = {
        feature.place: feature.words
        for feature in session.scenario.features
        if feature.place is not None
    }
    rows = dict[int, list[MapCell]]()
    for place, row, column, outline in cells:
        label, metres = frame.label(place), frame.metres(place)
        terrain, hidden = ground.get(place, ""), place in unseen
        says = ", ".join(
            filter(None, [label, terrain, *words.get(label, ()), "not seen" if hidden else ""])
        )
        corners = points(plot.at(*corner) for corner in outline)
        rows.setdefault(row, []).append(
            MapCell(label, column, metres, plot.at(*metres), corners, terrain, says, hidden)
        )
    return rows


def plot_of(frame: Frame, spots: list[Spot], focus: Spot | None) -> tuple[_Plot, bool]:
    """Return the plot of all spots, and whether it had to be cut to the area around ``focus``."""
    step = frame.spacing_m if isinstance(frame, HexFrame | VertexFrame) else float(_YARDS)
    if isinstance(frame, PlaneFrame):
        step = _YARDS * frame.metres_per_yard
    margin = _MARGIN_CELLS * step
    west, east = min(s.east for s in spots) - margin, max(s.east for s in spots) + margin
    north, south = min(s.south for s in spots) - margin, max(s.south for s in spots) + margin
    most = LIMITS["map_places"].most
    if (east - west) * (south - north) <= most * step * step:
        return _Plot(west, north, east, south, step), False
    centre, half = focus or spots[0], math.sqrt(most) * step / 2
    west, east = max(west, centre.east - half), min(east, centre.east + half)
    north, south = max(north, centre.south - half), min(south, centre.south + half)
    return _Plot(west, north, east, south, step), True


def _cells(frame: Frame, plot: _Plot) -> Iterator[_Lying]:
    """Yield the cells of the plot: place, row, column, and outline in metres."""
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


def _unseen(
    session: Session, view: SideView, places: list[Place], sights: Judging
) -> set[Place] | None:
    """Return the places that none of the side's observers sees, or None if unknown."""
    missions = session.scenario.missions.items()
    own = [m for m, setup in missions if view.side in (REFEREE, setup.side)]
    if not own:
        return None
    try:
        return {place for place in places if not any(sights.sees(m, place).ground for m in own)}
    except Exception:  # noqa: BLE001 - a game may fail for some places; sight is then not drawn
        return None


def _offers(
    session: Session,
    view: SideView,
    plot: _Plot,
    reach: _Plot,
    cells: list[Place],
    sights: Judging,
) -> tuple[Offers, bool]:
    """Return the legal orders by place, and whether these are all the legal orders.

    An order is listed under each place that it names or, if it names none, under the places of the
    units that it names. Places beyond ``reach`` are not tried.
    """
    waits, frame = session.table.waits_for, session.scenario.frame
    if view.form.kind != "order" or not isinstance(waits, Ask):
        return {}, True
    known = frame.places() or cells
    places = [place for place in known if reach.holds(*frame.metres(place))]
    places_of = {unit.name: unit.place for unit in view.situation.units if unit.place is not None}
    typed = tuple(session.table.rulebook.forms(waits, session.table.read))
    judging = Judging(session.table, waits.question.partition(".")[0], sights)
    forms = list(judged(session.table, waits, judging, LIMITS["map_orders"].most, places))
    offers, labels = Offers(), {frame.label(cell) for cell in cells}
    for form in forms:
        for order in form.orders:
            each = next(each for each in typed if each.verb == order.verb)
            summary = form.words.deed(order, each, waits.question)
            described = form.words.typed.order(order, typed), f"{summary} ({form.cite})"
            for label, metres in _named(
                frame, places_of, [value for _, value in order.values]
            ).items():
                fresh = {
                    "label": label,
                    "at": plot.at(*metres),
                    "cell": label in labels,
                    "orders": [],
                }
                offers.setdefault(label, fresh)["orders"].append(described)
    return offers, bool(frame.places()) and all(form.complete for form in forms)


def _named(frame: Frame, places_of: Mapping[str, Spot], values: list[Any]) -> dict[str, Point]:
    """Return the places among an order's values, as positions in metres by label.

    If there are none, return the places of the units among the values.
    """
    spots = {frame.label(value): frame.metres(value) for value in values if is_place(frame, value)}
    units = [places_of[value] for value in values if isinstance(value, str) and value in places_of]
    return spots or {spot.label: (spot.east, spot.south) for spot in units}


def asset_names(scenario: Scenario, *views: SideView) -> dict[str, str]:
    """Return the name of each asset in these views, with its kind, such as "battery a".

    The keys are the assets' names in the views. Other sides' assets have the names by which the
    viewing side knows them, such as "American marker 1".
    """
    words = Words(scenario)
    seen = (asset.name for view in views for asset in view.situation.assets)
    return {name: words.asset(name) for name in seen}


def _descriptions(view: SideView, names: Mapping[str, str]) -> dict[Spot, list[str]]:
    """Return a list of descriptions of the contents of each place in the view, by place."""
    descriptions: dict[Spot, list[str]] = {}

    def describe(spot: Spot | None, *words: str) -> None:
        if spot is not None:
            descriptions.setdefault(spot, []).extend(words)

    for unit in view.situation.units:
        describe(
            unit.place,
            f"{unit.name} of {unit.side}"
            + (f", {unit.severity}" if unit.severity != "none" else ""),
        )
    for asset in view.situation.assets:
        name = names[asset.name]
        describe(asset.target, f"target of {name}")
        describe(asset.aim, f"aimed at by {name}")
        describe(asset.aimed)
        describe(asset.impact, f"{name} landed here")
        for spot in asset.area:
            describe(spot, f"covered by {name}")
    return descriptions


def _pieces(session: Session, plot: _Plot) -> Iterator[tuple[str, str, Point]]:
    """Yield the terrain features with an outline: description, corners, and centre in pixels."""
    for feature in session.scenario.features:
        if feature.outline:
            corners = [plot.at(*corner) for corner in feature.outline]
            yield feature.words, points(corners), mean_corner(corners)


def _stacks(session: Session, view: SideView, plot: _Plot) -> Iterator[Stack]:
    """Yield a stack for each side and place; stacks at one place are drawn one below another."""
    sides = list(dict.fromkeys(setup.side for setup in session.scenario.units.values()))
    stacks: dict[tuple[Spot, str], list[UnitSeen]] = {}
    for unit in view.situation.units:
        if unit.place is not None:
            stacks.setdefault((unit.place, unit.side), []).append(unit)
    covered = {(spot.label, asset.side) for asset in view.situation.assets for spot in asset.area}
    shifts: dict[str, int] = {}
    right, bottom = plot.at(plot.east, plot.south)
    for (spot, side), units in stacks.items():
        x, y = plot.at(spot.east, spot.south)
        shift = shifts[spot.label] = shifts.get(spot.label, -1) + 1
        room = 34 + max(width(f"{unit.title}, {unit.severity}", 11) for unit in units)
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
