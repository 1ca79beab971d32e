"""The small map of a scenario at its opening, for lists of scenarios and the choice of a seat."""

import attrs

from fireplan.draw.shapes import Point
from fireplan.draw.svg import points
from fireplan.table import Outlook, Spot, Visibility, Words, sides_of
from fireplan_core import Scenario
from fireplan_core.play import opening
from fireplan_studio.board import plot_of

_LEAST = 0.04
"""Least radius of a mark, as a share of the longer edge of the map."""
_SPOKEN = 6
"""Largest number of places of a side that the description names."""


@attrs.frozen
class Sketch:
    """A small map, in pixels: terrain, and one mark for each side at a place.

    ``terrain`` holds the description and the corners of each piece, ``units`` the number of a side
    (0 or 1) and a position. ``radius`` is the radius of a mark. ``says`` describes the map for
    screen readers.
    """

    width: float
    height: float
    radius: float
    terrain: tuple[tuple[str, str], ...]
    units: tuple[tuple[int, Point], ...]
    says: str


def sketch_of(scenario: Scenario) -> Sketch | None:
    """Return the small map of a scenario at its opening.

    The map shows only units that every side sees; it is None if no such unit has a place.
    """
    units = _seen_by_all(scenario)
    if not units:
        return None
    frame = scenario.frame
    plot, _ = plot_of(frame, [spot for _, spot in units], None)
    outlines = [
        (feature.words, feature.outline or frame.outline(feature.place))
        for feature in scenario.features
        if feature.outline or feature.place is not None
    ]
    sides = list(dict.fromkeys(setup.side for setup in scenario.units.values()))
    width, height = plot.at(plot.east, plot.south)
    return Sketch(
        width,
        height,
        max(plot.step * plot.pixels * 0.4, max(width, height) * _LEAST),
        tuple(
            (words, points(plot.at(*corner) for corner in outline)) for words, outline in outlines
        ),
        tuple((sides.index(side) % 2, plot.at(spot.east, spot.south)) for side, spot in units),
        _description(scenario, units),
    )


def _seen_by_all(scenario: Scenario) -> list[tuple[str, Spot]]:
    """Return (side, place) for each place where all sides see units of that side at the opening."""
    state = opening(scenario)
    first, *others = (
        [
            (unit.side, unit.place)
            for unit in Outlook(Visibility(scenario, side), 1, state, None, {}, ())
            .situation()
            .units
            if unit.place is not None
        ]
        for side in sides_of(scenario)
    )
    return [unit for unit in dict.fromkeys(first) if all(unit in seen for seen in others)]


def _description(scenario: Scenario, units: list[tuple[str, Spot]]) -> str:
    """Return the places of each side in words."""
    words = Words(scenario)
    places: dict[str, list[str]] = {}
    for side, spot in units:
        places.setdefault(words.said("", side), []).append(spot.label)
    return "; ".join(
        f"{side} at {', '.join(labels[:_SPOKEN])}"
        + (f" and {len(labels) - _SPOKEN} more" if len(labels) > _SPOKEN else "")
        for side, labels in places.items()
    )
