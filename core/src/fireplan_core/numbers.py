"""The numbers of a game by name, e.g. ``breakdown``, ``chart[fp12][7]``, ``signal[runner][0]``.

A name without brackets refers to one of the game's ``numbers`` or to a whole chart. Brackets
contain the keys of a cell, column first. ``fireplan_core.chance`` defines the cells of a chart.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any

import attrs

from fireplan_core.chance import Cell, Numbers, cells_of, watched, with_cell
from fireplan_core.files import nearest, printable

NUMBERS = "numbers"
"""The chart whose numbers need no brackets, because each has its own name."""

_NAME = re.compile(r"\s*([\w.-]+)\s*((?:\[[^\[\]]*\]\s*)*)")
_KEY = re.compile(r"\[([^\[\]]*)\]")


@attrs.frozen
class Named:
    """A number of a game: its full name, the name of its chart, and its cell."""

    name: str
    chart: str
    cell: Cell


def cell_name(chart: str, path: tuple[str, ...]) -> str:
    """Return the name of a cell in a chart, e.g. ``chart[fp12][7]``."""
    if chart == NUMBERS:
        chart, *keys = path
        path = tuple(keys)
    return chart + "".join(f"[{_plain(key)}]" for key in path)


def _plain(key: str) -> str:
    return key.strip().casefold().replace(" ", "_")


def numbers_of(charts: Mapping[str, Any]) -> dict[str, Named]:
    """Return every number in some charts by full name, with the game's ``numbers`` first.

    >>> from fireplan_core.chance import Chart
    >>> cells = {(1, "runner"): "7", (2, "runner"): "8"}
    >>> signal = Chart("signal", (1, 2), ("runner",), cells, "printed")
    >>> list(numbers_of({"signal": signal}))
    ['signal[1]', 'signal[2]']
    """
    order = sorted(charts, key=lambda name: name != NUMBERS)
    numbers = (
        Named(cell_name(name, cell.path), name, cell)
        for name in order
        for cell in cells_of(charts[name])
    )
    return {named.name: named for named in numbers}


def reconstructed(charts: Mapping[str, Any], notes: Iterable[str]) -> Iterator[str]:
    """Yield a sentence for each reconstructed number or chart.

    Charts mentioned in ``notes`` are skipped.
    """
    mentioned = " ".join(notes).lower()
    for name, chart in charts.items():
        if isinstance(chart, Numbers):
            uncertain = (
                (key, note)
                for key, note in chart.notes.items()
                if note.provenance == "reconstructed"
            )
            yield from (
                f"{key.replace('_', ' ')} is reconstructed ({note.cite}): {note.summary}"
                for key, note in uncertain
            )
        elif getattr(chart, "provenance", "") == "reconstructed":
            plain = name.replace("_", " ")
            title = getattr(chart, "title", "") or f"{plain.removesuffix(' chart')} chart"
            source = getattr(chart, "source", "")
            if plain not in mentioned and title.lower() not in mentioned:
                yield f"the {title} is reconstructed{f' ({source})' if source else ''}"


def find_numbers(charts: Mapping[str, Any], text: str) -> list[Named]:
    """Return the number with this name, or all numbers under a shorter name such as ``signal``.

    A key may omit the letters before its digits (``[12]`` for ``[fp12]``). Raises ``ValueError``
    suggesting similar names if nothing matches.

    >>> from fireplan_core.chance import Chart
    >>> cells = {(1, "runner"): "7", (2, "runner"): "8"}
    >>> signal = Chart("signal", (1, 2), ("runner",), cells, "printed")
    >>> [named.name for named in find_numbers({"signal": signal}, "signal")]
    ['signal[1]', 'signal[2]']
    """
    match = _NAME.fullmatch(text)
    if match is not None:
        parts = (match[1].casefold(), *(_plain(key) for key in _KEY.findall(match[2])))
        candidates = {
            name: chart
            for name, chart in charts.items()
            if name == NUMBERS or name.casefold() == parts[0]
        }
        numbers = [named for name, named in numbers_of(candidates).items() if _begins(name, parts)]
        if numbers:
            return numbers
    raise ValueError(f"there is no number {printable(text)!r}{_near(text, numbers_of(charts))}")


def _begins(name: str, parts: tuple[str, ...]) -> bool:
    head, *keys = name.replace("]", "").split("[")
    if head.casefold() != parts[0] or len(parts) - 1 > len(keys):
        return False
    bare = [key.lstrip("abcdefghijklmnopqrstuvwxyz_") for key in keys]
    return all(part in pair for part, *pair in zip(parts[1:], keys, bare, strict=False))


def _near(text: str, numbers: Mapping[str, Named]) -> str:
    lookup = _plain(text)
    heads = {name.partition("[")[0] for name in numbers}
    head = lookup.partition("[")[0]
    if head in heads:
        under = [name for name in numbers if name.partition("[")[0] == head]
        similar = get_close_matches(lookup, under, n=3, cutoff=0.3) or under[:3]
    else:
        similar = (
            get_close_matches(head, heads, n=3, cutoff=0.5)
            or [name for name in heads if head in name][:3]
        )
    return (
        f"; did you mean {' or '.join(similar)}?"
        if similar
        else f"; there are {len(heads)}, such as {', '.join(nearest(head, sorted(heads)))}"
    )


def with_numbers(charts: Mapping[str, Any], changes: Mapping[str, str]) -> dict[str, Any]:
    """Return the charts with some numbers changed; ``changes`` maps names to new values.

    Raises ``ValueError`` naming every unknown number and every invalid value.

    >>> from fireplan_core.chance import Chart
    >>> cells = {(1, "runner"): "7", (2, "runner"): "8"}
    >>> signal = Chart("signal", (1, 2), ("runner",), cells, "printed")
    >>> with_numbers({"signal": signal}, {"signal[2]": "9"})["signal"].cell(2, "runner")
    '9'
    """
    changed = dict(charts)
    faults: list[str] = []
    for name, text in changes.items():
        try:
            for named in find_numbers(charts, name):
                changed[named.chart] = with_cell(changed[named.chart], named.cell.path, text)
        except ValueError as error:
            faults.append(str(error) if name in str(error) else f"{name}: {error}")
    if faults:
        raise ValueError("; ".join(faults))
    return changed


def watched_charts(charts: Mapping[str, Any], note: Callable[[str], None]) -> dict[str, Any]:
    """Return copies of the charts that call ``note`` with the name of each number that is read.

    If a whole column or chart is read, ``note`` receives the name of the column or chart instead.

    >>> from fireplan_core.chance import Chart
    >>> cells = {(1, "runner"): "7", (2, "runner"): "8"}
    >>> signal = Chart("signal", (1, 2), ("runner",), cells, "printed")
    >>> watched_charts({"signal": signal}, print)["signal"].cell(2, "runner")
    signal[2]
    '8'
    """

    def noting(chart: str) -> Callable[[tuple[str, ...]], None]:
        return lambda path: note(cell_name(chart, path))

    return {name: watched(chart, noting(name)) for name, chart in charts.items()}


def names_under(names: Collection[str], read: str) -> Iterator[str]:
    """Yield the full names that a name from ``watched_charts`` covers: itself, or all under it.

    >>> list(names_under(["signal[1]", "signal[2]", "breakdown"], "signal"))
    ['signal[1]', 'signal[2]']
    """
    if read in names:
        yield read
    else:
        yield from (name for name in names if name.startswith(f"{read}["))
