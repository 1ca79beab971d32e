"""What stands and lies on the table at a position: as tables, as data, and as a small map."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

from fireplan.positions import Position
from fireplan.questions.result import Block, Grid, Text
from fireplan.table import Eyes, Outlook, Situation
from fireplan_core import REFEREE, Place, View

SIZE = 360
"""Width and height of the small map, in pixels."""
MARGIN = 36
"""Room for labels around the map, in pixels."""
_COLOURS = ("#1f6f8b", "#a4442f", "#5c6b2f", "#6b4a8b")
"""Colours of the sides, in the order of their names."""


def situation_of(at: Position) -> Situation:
    """Return everything on the table at a position, as the referee sees it."""
    outlook = Outlook(Eyes(at.scenario, REFEREE), at.moment + 1, at.state, None, {}, ())
    return outlook.situation()


def as_blocks(at: Position, ground: Mapping[str, Mapping[str, Any]]) -> Iterator[Block]:
    """Yield the assets, the units, what lies on the ground, and the piles; only what there is."""
    situation = situation_of(at)
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
        yield Grid(("asset", "side", "stage", "target", "round", "more"), assets)
    units = tuple(
        (unit.name, unit.side, _label(unit.place) or "gone", "; ".join(unit.details))
        for unit in situation.units
    )
    if units:
        yield Grid(("unit", "side", "place", "more"), units)
    lying = tuple(
        (place, ", ".join(f"{name} {value}" for name, value in effects.items()))
        for place, effects in ground.items()
    )
    if lying:
        yield Grid(("place", "lies there"), lying)
    for name, left in piles_of(at).items():
        yield Text(f"{name}: {left} left")


def as_data(at: Position, ground: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return the same as plain data: assets, units, ground and piles by name."""
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
    }


def piles_of(at: Position) -> dict[str, int]:
    """Return the number of cards left in each deck."""
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
    """Return an SVG map of the places where something stands, is aimed at, or falls."""
    scenario, situation = at.scenario, situation_of(at)
    frame, areas = scenario.frame, scenario.parts.areas
    sides = sorted({unit.side for unit in situation.units})
    colours = dict(zip(sides, _COLOURS * len(sides), strict=False))
    labels: dict[str, Place] = {}
    for spot in _spots(situation):
        labels[spot.label] = frame.parse(spot.label)
    if not labels:
        return ""
    outlines = {label: areas.outline(place) for label, place in labels.items()}
    struck = [outline for asset in situation.assets for outline in asset.outline]
    corners = [corner for outline in (*outlines.values(), *struck) for corner in outline]
    left, right = min(x for x, _ in corners), max(x for x, _ in corners)
    top, bottom = min(y for _, y in corners), max(y for _, y in corners)
    scale = SIZE / max(right - left, bottom - top, 1.0)

    def points(outline: Any) -> str:
        return " ".join(f"{(x - left) * scale:.1f},{(y - top) * scale:.1f}" for x, y in outline)

    parts = [
        f'<polygon points="{points(outline)}" fill="#f4f1e8" stroke="#b9b29c"/>'
        for outline in outlines.values()
    ]
    parts += [
        f'<polygon points="{points(outline)}" fill="#c0392b" fill-opacity=".25" stroke="#c0392b"/>'
        for outline in struck
    ]
    standing: dict[str, list[Any]] = {}
    for unit in situation.units:
        if unit.place is not None:
            standing.setdefault(unit.place.label, []).append(unit)
    aims = {_label(asset.target) for asset in situation.assets} - {""}
    for label, outline in outlines.items():
        x = sum((x - left) * scale for x, _ in outline) / len(outline)
        y = sum((y - top) * scale for _, y in outline) / len(outline)
        mark = f"{label} +" if label in aims else label
        parts.append(f'<text x="{x:.1f}" y="{y - 8:.1f}" fill="#333">{escape(mark)}</text>')
        for number, unit in enumerate(standing.get(label, ())):
            title = f"<title>{escape(f'{unit.name} ({unit.side}), {label}')}</title>"
            parts.append(
                f'<circle cx="{x + number * 9:.1f}" cy="{y + 6:.1f}" r="5"'
                f' fill="{colours[unit.side]}">{title}</circle>'
            )
    wide, high = (right - left) * scale, (bottom - top) * scale
    style = 'font-family="sans-serif" font-size="10" text-anchor="middle"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" {style}'
        f' viewBox="-{MARGIN} -{MARGIN} {wide + 2 * MARGIN:.0f} {high + 2 * MARGIN:.0f}"'
        f' width="{wide + 2 * MARGIN:.0f}">'
        f"<title>{escape(scenario.title)}</title>{''.join(parts)}</svg>"
    )


def _spots(situation: Situation) -> Iterator[Any]:
    for unit in situation.units:
        if unit.place is not None:
            yield unit.place
    for asset in situation.assets:
        yield from (spot for spot in (asset.target, asset.impact, *asset.area) if spot is not None)
