"""A map for the terminal: hexes with their labels, or a sketch of the plane.

Marks: T target, + aim, * impact, # covered, ? a place that may be chosen, and a letter or figure
for each unit; a legend explains them.
"""

import string
from collections.abc import Iterable, Sequence

from fireplan.draw.shapes import mean_corner
from fireplan.table import Spot, TableSituation
from fireplan.table.plain_words import measured, side_name
from fireplan_core import Feature
from fireplan_core.space import Frame, PlaneFrame

_CELL = 6
"""Width of a hex, in columns."""
_MOST = 24
"""Maximum width and height of a map, in hexes; more distant marks are in the legend only."""
_BORDER = 4
"""Columns around a sketch of the plane: a border and a margin on both sides."""
_EMPTY = 2
"""Maximum number of empty lines drawn between marks on a sketch of the plane."""
WIDTH = 64
"""Default width of a map, in columns."""
SIGNS = {
    "T": "target",
    "+": "aimed at",
    "*": "impact",
    "#": "under fire",
    "?": "a place that the next order may name",
}
"""The marks that are not units, with their meanings."""
_LETTERS = "".join(each for each in string.ascii_letters + string.digits if each not in SIGNS)
"""The marks of units, in this order."""
_OTHER = "@"
"""The mark of every further unit."""


def text_map(
    situation: TableSituation,
    frame: Frame,
    features: Iterable[Feature] = (),
    width: int = WIDTH,
    choices: Iterable[Spot] = (),
) -> list[str]:
    """Return the lines of the map and its legend, for a width in columns.

    The legend lists the terrain ``features``. ``choices`` are the places that the pending order may
    name, marked ``?``. If nothing can be marked, only the legend is returned.
    """
    marks, legend = _marks(situation)
    marks = [*((spot, "?") for spot in choices), *marks]
    legend += _ground(features, frame)
    if not marks:
        return legend
    if isinstance(frame, PlaneFrame):
        drawn = _plane(marks, frame, width)
    else:
        drawn = _hexes([*marks, *_lost(situation)], frame, width // _CELL)
    shown = "".join(line for line in drawn if not line.startswith("+-"))
    used = {sign for _, sign in marks}
    meanings = [f"{sign} {SIGNS[sign]}" for sign in SIGNS if sign in used and sign in shown]
    return [*drawn, *legend, *([f"  {', '.join(meanings)}"] if meanings else [])]


def unit_lines(situation: TableSituation) -> list[str]:
    """Return the lines of the legend that describe the units."""
    return _marks(situation)[1]


def _marks(situation: TableSituation) -> tuple[list[tuple[Spot, str]], list[str]]:
    """Return every mark with its spot, most important last, and the lines of the legend."""
    marks: list[tuple[Spot, str]] = []
    legend: list[str] = []
    for asset in situation.assets:
        marks += [(spot, "#") for spot in asset.area]
        marks += [
            (spot, sign)
            for spot, sign in ((asset.target, "T"), (asset.aim, "+"))
            if spot is not None
        ]
        marks += [(asset.impact, "*")] if asset.impact is not None else []
    letters = iter(_LETTERS)
    places: dict[str, list[str]] = {}
    for unit in situation.units:
        # A removed unit keeps its letter, so that those of other units do not change.
        letter = next(letters, _OTHER)
        if unit.place is None or unit.destroyed:
            fate = "off the map" if unit.severity == "none" else unit.severity
            where = "" if unit.place is None else f"{unit.place.label}: "
            legend.append(f"  {where}{unit.title} ({side_name(unit.side)}): {fate}")
            continue
        marks.append((unit.place, letter))
        # A detail may say more than the severity alone, such as "hit 3 times".
        counted = any(detail.startswith(f"{unit.severity} ") for detail in unit.details)
        suffered = () if counted or unit.severity == "none" else (unit.severity,)
        state = ", ".join((side_name(unit.side), *unit.printed, *suffered, *unit.details))
        places.setdefault(f"{unit.place.label}", []).append(f"{letter} = {unit.title} ({state})")
    legend += [f"  {label}: {', '.join(units)}" for label, units in places.items()]
    return marks, legend


def _lost(situation: TableSituation) -> list[tuple[Spot, str]]:
    """Return the places of destroyed units, with an empty mark: the map shows them all the same."""
    lost = (unit.place for unit in situation.units if unit.destroyed)
    return [(place, "") for place in lost if place is not None]


def _ground(features: Iterable[Feature], frame: Frame) -> list[str]:
    """Return a line for each kind of effect on the ground."""
    places: dict[str, list[str]] = {}
    for feature in features:
        if feature.words:
            places.setdefault(feature.words, []).append(_whereabouts(feature, frame))
    return [f"  {words}: {', '.join(there)}" for words, there in places.items()]


def _whereabouts(feature: Feature, frame: Frame) -> str:
    if feature.place is not None:
        return frame.label(feature.place)
    return f"about {frame.label(frame.nearest(*mean_corner(feature.outline)))}"


def _hexes(marks: list[tuple[Spot, str]], frame: Frame, most: int) -> list[str]:
    """Return a map of hexes, each two lines high, with every second column half a hex lower.

    The map is at most ``most`` hexes wide.
    """
    cells: dict[tuple[int, int], str] = {}
    for spot, sign in marks:
        place = frame.parse(spot.label)
        for cell in (place,) if isinstance(place[0], int) else place:
            q, r = cell
            if sign not in cells.setdefault((q, r), ""):
                cells[q, r] += sign
    near = sorted(cells, key=lambda cell: not set("T+*") & set(cells[cell]))
    left, right = _window([q for q, _ in near], min(_MOST + 1, most), 1)
    top, bottom = _window([2 * r + q for q, r in near], 2 * _MOST + 1, 2)
    whole = all(left <= q <= right and top <= 2 * r + q <= bottom for q, r in cells)
    lines = [[" "] * ((right - left + 1) * _CELL) for _ in range(bottom - top + 2)]
    for q in range(left, right + 1):
        for height in range(top, bottom + 1):
            if (height - q) % 2:
                continue
            cell = (q, (height - q) // 2)
            for row, text in ((0, frame.label(cell)), (1, cells.get(cell) or ".")):
                at = (q - left) * _CELL
                lines[height - top + row][at : at + _CELL] = f"{text[: _CELL - 1]:<{_CELL}}"
    notes = ["  below each number: what is in the hex"]
    notes += [] if whole else ["  part of the map; every unit is below:"]
    return ["".join(line).rstrip() for line in lines] + notes


def _window(wanted: Sequence[int], most: int, margin: int) -> tuple[int, int]:
    """Return the first and last of at most ``most`` numbers around the first number wanted.

    The window includes each further wanted number that still fits, and up to ``margin`` numbers
    beyond the extremes.
    """
    first, last = wanted[0], wanted[0]
    for each in wanted:
        if max(last, each) - min(first, each) < most:
            first, last = min(first, each), max(last, each)
    least, greatest = min(wanted) - margin, max(wanted) + margin
    end = min(max(first - (most - (last - first)) // 2, least) + most - 1, greatest)
    return max(end - most + 1, least), end


def _plane(marks: list[tuple[Spot, str]], frame: PlaneFrame, width: int) -> list[str]:
    """Return a sketch of the part of the table that holds marks, to scale, with north at the top.

    A mark shows the centre of what it stands for. An empty strip of many lines is drawn as one
    line, with the distance between the marks above and below it.
    """
    east, south = [spot.east for spot, _ in marks], [spot.south for spot, _ in marks]
    span = max(max(east) - min(east), 2 * (max(south) - min(south)), 1.0)
    step = span / (width - _BORDER - 1)
    columns = round((max(east) - min(east)) / step) + 1
    cells: dict[int, dict[int, list[tuple[Spot, str]]]] = {}
    for spot, sign in marks:
        row = cells.setdefault(round((spot.south - min(south)) / (2 * step)), {})
        row.setdefault(round((spot.east - min(east)) / step), []).append((spot, sign))
    lines, strips = _rows(cells, columns, frame)
    border = f"+{'-' * (columns + 2)}+"
    northwest, southeast = (
        frame.label(frame.nearest(extreme(east), extreme(south))) for extreme in (min, max)
    )
    words = [
        f"  a column is {measured(frame, step)}, a line {measured(frame, 2 * step)}",
        f"  northwest corner {northwest}",
        f"  southeast corner {southeast}",
    ]
    stacks = (
        [sign for _, sign in cells[number][column] if sign not in SIGNS]
        for number in sorted(cells)
        for column in sorted(cells[number])
    )
    if covered := [stack for stack in stacks if len(stack) > 1]:
        words.append("  too close together to draw apart:")
        words += (f"  {', '.join(under)} and {top}, drawn as {top}" for *under, top in covered)
    if strips:
        words.append(f"  ~ empty for {', then '.join(strips)}")
    return [border, *lines, border, *words]


def _rows(
    cells: dict[int, dict[int, list[tuple[Spot, str]]]], columns: int, frame: PlaneFrame
) -> tuple[list[str], list[str]]:
    """Return the lines of a sketch, and the height of each strip of many empty lines left out.

    ``cells`` has the marks by row and column; the last mark of a cell is drawn.
    """
    lines, strips, above = list[str](), list[str](), 0
    for number in sorted(cells):
        empty = number - above - 1
        if empty > _EMPTY:
            lines.append(f"| {'~' * columns} |")
            gap = min(_south(cells[number])) - max(_south(cells[above]))
            strips.append(measured(frame, gap))
        else:
            lines += [f"| {' ' * columns} |"] * empty
        signs = {column: marks[-1][1] for column, marks in cells[number].items()}
        lines.append(f"| {''.join(signs.get(column, ' ') for column in range(columns))} |")
        above = number
    return lines, strips


def _south(row: dict[int, list[tuple[Spot, str]]]) -> list[float]:
    return [spot.south for marks in row.values() for spot, _ in marks]
