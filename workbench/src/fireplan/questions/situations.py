"""Everything on the table at a position: as tables, as data, and as a small map."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

import attrs

from fireplan.draw.shapes import mean_corner
from fireplan.positions import Position
from fireplan.questions.asked_position import AskedPosition
from fireplan.questions.result import Block, Grid, Text
from fireplan.table import Outlook, TableSituation, Visibility, Words, sides_of
from fireplan_core import REFEREE, Ask, View

SIZE = 360
"""Width and height of the small map, in pixels."""
GONE = "gone"
"""Stands for the place of units that have left the map."""
MARGIN = 36
"""Room for labels around the map, in pixels."""
_COLOURS = ("#1f6f8b", "#a4442f", "#5c6b2f", "#6b4a8b")
"""Colours of the sides, in the order of their names."""


def situation_of(at: Position) -> TableSituation:
    """Return everything on the table at a position, as the referee sees it."""
    outlook = Outlook(Visibility(at.scenario, REFEREE), at.moment + 1, at.state, None, {}, ())
    return outlook.situation()


def as_blocks(asked: AskedPosition, ground: Mapping[str, Mapping[str, Any]]) -> Iterator[Block]:
    """Yield the pending input, the assets, the units and markers at each place, and the piles."""
    at, words = asked.at, Words(asked.at.scenario)
    situation, waits = situation_of(at), asked.pending
    due = (
        "nothing more happens"
        if waits is None
        else f"{waits.who}: {words.question(waits)}"
        if isinstance(waits, Ask)
        else words.action(waits)
    )
    yield Text(f"{asked.moment}; {due}", "dim")
    if any(Visibility(at.scenario, side).veiled for side in sides_of(at.scenario)):
        yield Text("This is the referee's view, with what the sides hide from each other.", "dim")
    assets = tuple(
        (
            asset.name,
            asset.side,
            asset.text,
            _label(asset.target),
            _label(asset.impact),
            "; ".join(asset.details),
        )
        for asset in situation.assets
    )
    if assets:
        yield _filled(("asset", "side", "stage", "target", "round", "more"), assets)
    if places := tuple(_places(at, situation, ground)):
        yield _filled(("place", "ground", *sides_of(at.scenario)), places)
    for line in situation.board:
        yield Text(line)
    for name, left in piles_of(at).items():
        size = sum(number for _, number in at.scenario.decks[name])
        yield Text(f"pile {name}: {left} of {size} left")


def _places(
    at: Position, situation: TableSituation, ground: Mapping[str, Mapping[str, Any]]
) -> Iterator[tuple[str, ...]]:
    """Yield a row for each place: its label, the ground, and the units of each side there."""
    terrain = defaultdict[str, list[str]](list)
    for feature in at.scenario.features:
        if feature.place is not None and feature.words:
            terrain[at.scenario.frame.label(feature.place)].append(feature.words)
    here = defaultdict[tuple[str, str], list[str]](list)
    for unit in situation.units:
        details = f" ({', '.join(unit.details)})" if unit.details else ""
        here[_label(unit.place) or GONE, unit.side].append(f"{unit.name}{details}")
    words = Words(at.scenario)
    for place in dict.fromkeys((*sorted((place for place, _ in here), key=GONE.__eq__), *ground)):
        lies = (words.detail(name, value) for name, value in ground.get(place, {}).items())
        units = (", ".join(here[place, side]) for side in sides_of(at.scenario))
        yield place, ", ".join((*terrain[place], *lies)), *units


def _filled(columns: tuple[str, ...], rows: tuple[tuple[str, ...], ...]) -> Grid:
    """Return a table without the columns that are empty in every row."""
    kept = [number for number, cells in enumerate(zip(*rows, strict=True)) if any(cells)]
    return Grid(
        tuple(columns[number] for number in kept),
        tuple(tuple(row[number] for number in kept) for row in rows),
    )


def as_data(at: Position, ground: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return everything on the table as plain data: assets, units, ground and piles by name.

    The displays beside the map are lines of text.
    """
    situation = situation_of(at)
    return {
        "assets": {
            asset.name: {
                "side": asset.side,
                "stage": asset.stage,
                "target": _label(asset.target),
                "round": _label(asset.impact),
                "more": list(asset.details),
            }
            for asset in situation.assets
        },
        "units": {
            unit.name: {"side": unit.side, "place": _label(unit.place), "more": list(unit.details)}
            for unit in situation.units
        },
        "ground": {place: dict(effects) for place, effects in ground.items()},
        "piles": piles_of(at),
        "displays": list(situation.board),
    }


def piles_of(at: Position) -> dict[str, int]:
    """Map each deck to the number of cards left in it."""
    if not at.scenario.decks:
        return {}
    out = View(at.read, at.scenario, "").decks().out
    sizes = {name: sum(number for _, number in deck) for name, deck in at.scenario.decks.items()}
    for deck, _, _, count in out:
        sizes[deck] -= count
    return sizes


def _label(spot: Any) -> str:
    return "" if spot is None else str(spot.label)


# --- the small map --------------------------------------------------------------------
def small_map(at: Position) -> str:
    """Return an SVG map of the places of units, aim points and impacts."""
    scenario, situation = at.scenario, situation_of(at)
    places = {spot.label: scenario.frame.parse(spot.label) for spot in _spots(situation)}
    if not places:
        return ""
    outlines = {label: scenario.frame.outline(place) for label, place in places.items()}
    struck = [outline for asset in situation.assets for outline in asset.outline]
    canvas = _Canvas.around([corner for one in (*outlines.values(), *struck) for corner in one])
    parts = [canvas.polygon(one, 'fill="#f4f1e8" stroke="#b9b29c"') for one in outlines.values()]
    burst = 'fill="#c0392b" fill-opacity=".25" stroke="#c0392b"'
    parts += [canvas.polygon(outline, burst) for outline in struck]
    aims = {_label(asset.target) for asset in situation.assets} - {""}
    sides = sorted({unit.side for unit in situation.units})
    colours = dict(zip(sides, _COLOURS * len(sides), strict=False))
    for label, outline in outlines.items():
        x, y = canvas.middle(outline)
        mark = f"{label} +" if label in aims else label
        parts.append(f'<text x="{x:.1f}" y="{y - 8:.1f}" fill="#333">{escape(mark)}</text>')
        here = (unit for unit in situation.units if _label(unit.place) == label)
        for number, unit in enumerate(here):
            title = f"<title>{escape(f'{unit.name} ({unit.side}), {label}')}</title>"
            parts.append(
                f'<circle cx="{x + number * 9:.1f}" cy="{y + 6:.1f}" r="5"'
                f' fill="{colours[unit.side]}">{title}</circle>'
            )
    return canvas.svg(scenario.title, parts)


@attrs.frozen
class _Canvas:
    """The part of the ground that a small map shows: its corner, its size, and its scale."""

    left: float
    top: float
    wide: float
    high: float
    scale: float

    @classmethod
    def around(cls, corners: Sequence[Any]) -> _Canvas:
        """Return the canvas that holds all these corners, in the units of the frame."""
        left, right = min(x for x, _ in corners), max(x for x, _ in corners)
        top, bottom = min(y for _, y in corners), max(y for _, y in corners)
        scale = SIZE / max(right - left, bottom - top, 1.0)
        return cls(left, top, (right - left) * scale, (bottom - top) * scale, scale)

    def point(self, corner: Any) -> tuple[float, float]:
        """Return a corner in pixels."""
        x, y = corner
        return (x - self.left) * self.scale, (y - self.top) * self.scale

    def middle(self, outline: Any) -> tuple[float, float]:
        """Return the mean of the corners of an outline, in pixels."""
        return self.point(mean_corner(outline))

    def polygon(self, outline: Any, style: str) -> str:
        """Return a polygon with these corners."""
        points = " ".join("{:.1f},{:.1f}".format(*self.point(corner)) for corner in outline)
        return f'<polygon points="{points}" {style}/>'

    def svg(self, title: str, parts: Sequence[str]) -> str:
        """Return the whole picture."""
        style = 'font-family="sans-serif" font-size="10" text-anchor="middle"'
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" {style}'
            f' viewBox="-{MARGIN} -{MARGIN} {self.wide + 2 * MARGIN:.0f} {self.high + 2 * MARGIN:.0f}"'
            f' width="{self.wide + 2 * MARGIN:.0f}">'
            f"<title>{escape(title)}</title>{''.join(parts)}</svg>"
        )


def _spots(situation: TableSituation) -> Iterator[Any]:
    for unit in situation.units:
        if unit.place is not None:
            yield unit.place
    for asset in situation.assets:
        yield from (spot for spot in (asset.target, asset.impact, *asset.area) if spot is not None)
