"""The cells of charts: listing and changing cells, and recording which are read.

A chart is a ``Chart``, ``Numbers``, or an attrs class whose fields are integers, mappings, charts
or other such classes. This structure determines a chart's cells, so games need not list them. A
number's rule is the ``cite`` in its field's metadata, or else the ``cite`` or ``source`` of its
class. ``fireplan_core.numbers`` defines the names that people use for cells (``chart[fp12][7]``).
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

import attrs

from fireplan_core.chance.charts import Chart, Numbers, out_of_bounds

T = TypeVar("T")
Path = tuple[str, ...]
"""The keys that lead from a chart to one of its cells."""

Noting = Callable[[Path], None]
"""A function that receives the path of each cell that is read."""


@attrs.frozen
class Cell:
    """A cell of a chart: a number, or an entry in words.

    ``steps`` contains the values one step away: one less and one more for a number, or the nearest
    other entries in the column for words. ``watched`` is true if a watched chart records reads of
    this cell.
    """

    path: Path
    value: int | str
    provenance: str
    cite: str
    summary: str
    steps: tuple[int | str, ...]
    watched: bool = True


def cells_of(chart: Any) -> Iterator[Cell]:
    """Yield every cell of a chart, in the order of the chart.

    >>> cells = {(1, "runner"): "7", (2, "runner"): "8"}
    >>> [cell.value for cell in cells_of(Chart("signal", (1, 2), ("runner",), cells, "printed"))]
    [7, 8]
    """
    if isinstance(chart, Numbers):
        for name, value in chart.cells.items():
            note = chart.notes[name]
            steps = tuple(
                near
                for near in (value - 1, value + 1)
                if not out_of_bounds(near, note.least, note.most)
            )
            yield Cell((name,), value, note.provenance, note.cite, note.summary, steps)
    elif isinstance(chart, Chart):
        yield from _chart_cells(chart)
    elif attrs.has(type(chart)):
        provenance = str(getattr(chart, "provenance", "printed"))
        cells = list(
            _cells_in(chart, (), provenance, str(getattr(chart, "source", "")), watched=False)
        )
        if all(not isinstance(cell.value, int) or cell.value >= 0 for cell in cells):
            cells = [
                attrs.evolve(c, steps=tuple(s for s in c.steps if not isinstance(s, int) or s >= 0))
                for c in cells
            ]
        yield from cells


def _chart_cells(chart: Chart) -> Iterator[Cell]:
    whole, least = _whole_numbers(chart)
    for (row, column), text in chart.cells.items():
        if text == "":
            continue
        value = _number(text) if whole else text
        steps = (
            _one_step_away(value, least)
            if isinstance(value, int)
            else _neighbours(chart, row, column)
        )
        path = _chart_path(chart, row, column)
        yield Cell(path, value, chart.provenance, chart.source, "", steps)


def _whole_numbers(chart: Chart) -> tuple[bool, int | None]:
    """Return whether all entries are integers, and a lower bound for them.

    The bound is 0 if no entry is negative, otherwise None.
    """
    entries = [_number(text) for text in chart.cells.values() if text]
    numbers = [number for number in entries if isinstance(number, int)]
    return len(numbers) == len(entries), None if any(number < 0 for number in numbers) else 0


def _one_step_away(value: int, least: int | None) -> tuple[int, ...]:
    return tuple(near for near in (value - 1, value + 1) if least is None or near >= least)


def _chart_path(chart: Chart, row: int, column: str) -> Path:
    """Return the column and row of a cell as a path.

    The column is omitted if there is only one column; otherwise the row is omitted if there is only
    one row.
    """
    if len(chart.columns) == 1:
        return (str(row),)
    return (column,) if len(chart.rows) == 1 else (column, str(row))


def _neighbours(chart: Chart, row: int, column: str) -> tuple[str, ...]:
    """Return the nearest different entries above and below a cell in its column.

    There are fewer than two if one of them does not exist or both are equal.
    """
    own = chart.cells[row, column]
    above = [chart.cells[r, column] for r in reversed(chart.rows) if r < row]
    below = [chart.cells[r, column] for r in chart.rows if r > row]
    nearest = (
        next((entry for entry in side if entry not in ("", own)), "") for side in (above, below)
    )
    return tuple(dict.fromkeys(entry for entry in nearest if entry))


def _number(text: str) -> int | str:
    try:
        return int(text)
    except ValueError:
        return text


def _cells_in(
    chart: Any, path: Path, provenance: str, cite: str, *, watched: bool
) -> Iterator[Cell]:
    if isinstance(chart, bool):
        return
    if isinstance(chart, int):
        yield Cell(path, chart, provenance, cite, "", (chart - 1, chart + 1), watched)
    elif isinstance(chart, Mapping):
        for key, value in chart.items():
            yield from _cells_in(value, (*path, *_keys(key)), provenance, cite, watched=True)
    elif isinstance(chart, Chart | Numbers):
        for cell in cells_of(chart):
            yield attrs.evolve(cell, path=(*path, *cell.path))
    elif attrs.has(type(chart)):
        cite = str(getattr(chart, "cite", cite))
        for field in attrs.fields(type(chart)):
            yield from _cells_in(
                getattr(chart, field.name),
                (*path, field.name),
                provenance,
                field.metadata.get("cite", cite),
                watched=watched,
            )


def _keys(key: Any) -> Path:
    return tuple(str(part) for part in key) if isinstance(key, tuple) else (str(key),)


# -- charts with a changed cell


def with_cell(chart: T, path: Path, text: str) -> T:
    """Return the chart with a new value in the cell at a path.

    Raises ``ValueError`` for a value that the cell cannot take (not an integer, out of bounds, or a
    word that the chart does not have), and KeyError if there is no cell at the path.

    >>> with_cell({"runner": 7, "flare": 8}, ("flare",), "9")
    {'runner': 7, 'flare': 9}
    """
    changed: Any
    if isinstance(chart, Numbers):
        note = chart.notes[path[0]]
        changed = attrs.evolve(
            chart, cells={**chart.cells, path[0]: _whole(text, note.least, note.most)}
        )
    elif isinstance(chart, Chart):
        changed = _with_chart_cell(chart, path, text)
    else:
        changed = _with_inner(chart, path, text)
        numbers = [cell.value for cell in cells_of(chart) if isinstance(cell.value, int)]
        value = _number(text)
        if isinstance(value, int) and value < 0 and all(number >= 0 for number in numbers):
            raise ValueError(f"{text} is below 0")
    return changed  # type: ignore[no-any-return]


def _whole(text: str, least: int | None = None, most: int | None = None) -> int:
    try:
        value = int(text)
    except ValueError:
        raise ValueError(f"expected a whole number, got {text!r}") from None
    if reason := out_of_bounds(value, least, most):
        raise ValueError(reason)
    return value


def _with_chart_cell(chart: Chart, path: Path, text: str) -> Chart:
    key = next((key for key in chart.cells if _chart_path(chart, *key) == path), None)
    if key is None:
        raise KeyError(path)
    text = text.strip()
    entries = dict.fromkeys(entry for entry in chart.cells.values() if entry)
    whole, least = _whole_numbers(chart)
    if whole:
        _whole(text, least)
    elif text not in entries:
        raise ValueError(
            f"{text!r} is not an entry of this chart; its entries are {', '.join(entries)}"
        )
    return attrs.evolve(chart, cells={**chart.cells, key: text})


def _with_inner(chart: Any, path: Path, text: str) -> Any:
    if isinstance(chart, Chart | Numbers):
        return with_cell(chart, path, text)
    if not path:
        return _whole(text)
    if isinstance(chart, Mapping):
        for key, value in chart.items():
            keys = _keys(key)
            if path[: len(keys)] == keys:
                return {**chart, key: _with_inner(value, path[len(keys) :], text)}
        raise KeyError(path)
    name, *rest = path
    if not hasattr(chart, name):
        raise KeyError(path)
    return attrs.evolve(chart, **{name: _with_inner(getattr(chart, name), tuple(rest), text)})


# -- charts that note what is read


class _NotingMapping(Mapping[Any, Any]):
    """A mapping that calls ``note`` with every key that is read."""

    __slots__ = ("_cells", "_note")

    def __init__(self, cells: Mapping[Any, Any], note: Callable[[Any], None]) -> None:
        self._cells = cells
        self._note = note

    def __getitem__(self, key: Any) -> Any:
        value = self._cells[key]
        self._note(key)
        return value

    def __iter__(self) -> Iterator[Any]:
        return iter(self._cells)

    def __len__(self) -> int:
        return len(self._cells)

    def __contains__(self, key: object) -> bool:
        return key in self._cells


def watched(chart: T, note: Noting) -> T:
    """Return a chart with the same cells that calls ``note`` with the path of each cell read.

    If a whole mapping inside the chart is read, ``note`` receives the path to the mapping.

    >>> read = []
    >>> signal = watched({"runner": 7, "flare": 8}, read.append)
    >>> signal["flare"], read
    (8, [('flare',)])
    """
    return _watching(chart, (), note)  # type: ignore[no-any-return]


def _watching(chart: Any, path: Path, note: Noting) -> Any:
    if isinstance(chart, Chart):
        return attrs.evolve(
            chart,
            cells=_NotingMapping(
                chart.cells, lambda key: note((*path, *_chart_path(chart, key[0], key[1])))
            ),
        )
    if isinstance(chart, Numbers):
        return attrs.evolve(
            chart, cells=_NotingMapping(chart.cells, lambda key: note((*path, key)))
        )
    if isinstance(chart, Mapping):
        return _NotingMapping(chart, lambda key: note((*path, *_keys(key))))
    if attrs.has(type(chart)):
        fields = {field.name: getattr(chart, field.name) for field in attrs.fields(type(chart))}
        return attrs.evolve(
            chart, **{name: _watching(value, (*path, name), note) for name, value in fields.items()}
        )
    return chart
