"""Everything on the table at a position: as tables, as data, and as a small map."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import chain
from typing import Any

from fireplan.draw.shapes import Outline, Point, box, mean_corner
from fireplan.positions import Position
from fireplan.questions.asked_position import AskedPosition
from fireplan.questions.result import Block, Grid, Text
from fireplan.table import Outlook, TableSituation, Visibility, Words, sides_of
from fireplan_core import REFEREE, Ask, View
from fireplan_core.files import FileError
from fireplan_core.play import OPENING, State

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
    state, moments = _opened(at), at.moment + 1
    return Outlook(Visibility(at.scenario, REFEREE), moments, state, None, {}, ()).situation()


def _opened(at: Position) -> State:
    """Return the state of a position; if its moment is about to open, that at its first input.

    So an hour glass or a SMOKE counter that changes as the moment opens is shown as it will be.
    """
    if at.state.agenda in ((), (OPENING,)):
        with suppress(FileError):
            table = at.table()
            if table.waits_for is not None and table.state.moment == at.moment:
                return table.state
    return at.state


def as_blocks(asked: AskedPosition, ground: Mapping[str, Mapping[str, Any]]) -> Iterator[Block]:
    """Yield the pending input, the assets, the places with units, the displays and the piles."""
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
    """Return an SVG map of the places of units, aim points and impacts, "" if there are none."""
    from fireplan.draw.svg import filled_template, points

    scenario, situation = at.scenario, situation_of(at)
    frame, labels = scenario.frame, dict.fromkeys(spot.label for spot in _spots(situation))
    outlines = {label: frame.outline(frame.parse(label)) for label in labels}
    if not outlines:
        return ""
    struck = [outline for asset in situation.assets for outline in asset.outline]
    west, north, east, south = box([*chain(*outlines.values(), *struck)])
    scale = SIZE / max(east - west, south - north, 1.0)

    def drawn(outline: Outline) -> list[Point]:
        return [((x - west) * scale, (y - north) * scale) for x, y in outline]

    aims = {_label(asset.target) for asset in situation.assets}
    sides = sorted({unit.side for unit in situation.units})
    here = defaultdict[str, list[Any]](list)
    for unit in situation.units:
        here[_label(unit.place)].append(unit)
    return filled_template(
        "fireplan.questions",
        "small_map.svg.j2",
        title=scenario.title,
        left=-MARGIN,
        width=(east - west) * scale + 2 * MARGIN,
        height=(south - north) * scale + 2 * MARGIN,
        cells={label: points(drawn(outline)) for label, outline in outlines.items()},
        middles={label: mean_corner(drawn(outline)) for label, outline in outlines.items()},
        struck=[points(drawn(outline)) for outline in struck],
        aims=aims,
        units=here,
        colours=dict(zip(sides, _COLOURS * len(sides), strict=False)),
    )


def _spots(situation: TableSituation) -> Iterator[Any]:
    for unit in situation.units:
        if unit.place is not None:
            yield unit.place
    for asset in situation.assets:
        yield from (spot for spot in (asset.target, asset.impact, *asset.area) if spot is not None)
