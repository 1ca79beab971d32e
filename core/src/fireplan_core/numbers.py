"""The numbers of a game by the names that people write: ``breakdown``, ``chart[fp12][7]``, ``signal[runner][0]``.

A name without brackets is one of the game's ``numbers`` or a whole chart; brackets hold the keys of
a chart's cell, column first. What the cells of a chart are is the matter of
``fireplan_core.chance``.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any

import attrs

from fireplan_core.chance import Cell, CellError, Numbers, cells_of, watched, with_cell

NUMBERS = "numbers"
"""The chart whose numbers are called by their name alone."""

_NAME = re.compile(r"\s*([\w.-]+)\s*((?:\[[^\[\]]*\]\s*)*)")
_KEY = re.compile(r"\[([^\[\]]*)\]")


@attrs.frozen
class Named:
    """A number with its name and the chart that it stands in."""

    name: str
    chart: str
    cell: Cell


def name_of(chart: str, path: tuple[str, ...]) -> str:
    """Return how the cell of a chart is called."""
    if chart == NUMBERS:
        chart, *path_left = path
        path = tuple(path_left)
    return chart + "".join(f"[{_plain(key)}]" for key in path)


def _plain(key: str) -> str:
    return key.strip().casefold().replace(" ", "_")


def numbers_of(charts: Mapping[str, Any]) -> dict[str, Named]:
    """Return every number of some charts by its name, the game's ``numbers`` first."""
    order = sorted(charts, key=lambda name: name != NUMBERS)
    found = (
        Named(name_of(name, cell.path), name, cell)
        for name in order
        for cell in cells_of(charts[name])
    )
    return {named.name: named for named in found}


def reconstructed(charts: Mapping[str, Any], told: Iterable[str] = ()) -> Iterator[str]:
    """Yield what of some charts is reconstructed, in words: each such number with its rule, or a chart not yet told."""
    said = " ".join(told).lower()
    for name, chart in charts.items():
        if isinstance(chart, Numbers):
            weak = (
                (key, note)
                for key, note in chart.notes.items()
                if note.provenance == "reconstructed"
            )
            yield from (
                f"{key.replace('_', ' ')} is reconstructed ({note.cite}): {note.summary}"
                for key, note in weak
            )
        elif (
            getattr(chart, "provenance", "") == "reconstructed"
            and name.replace("_", " ") not in said
        ):
            source = getattr(chart, "source", "")
            yield f"the chart {name.replace('_', ' ')} is reconstructed{f' ({source})' if source else ''}"


def find_numbers(charts: Mapping[str, Any], text: str) -> list[Named]:
    """Return the numbers that are meant: one, or all that stand under a shorter name (``signal[runner]``, ``signal``).

    A key may be written without the letters before its digits (``[12]`` for ``[fp12]``). Raises
    ``CellError`` with near names when there is none.
    """
    match = _NAME.fullmatch(text)
    if match is not None:
        wanted = (match[1].casefold(), *(_plain(key) for key in _KEY.findall(match[2])))
        meant = {
            name: chart
            for name, chart in charts.items()
            if name == NUMBERS or name.casefold() == wanted[0]
        }
        found = [named for name, named in numbers_of(meant).items() if _begins(name, wanted)]
        if found:
            return found
    raise CellError(f"there is no number {text!r}{_near(text, numbers_of(charts))}")


def _begins(name: str, wanted: tuple[str, ...]) -> bool:
    head, *keys = name.replace("]", "").split("[")
    if head.casefold() != wanted[0] or len(wanted) - 1 > len(keys):
        return False
    bare = [key.lstrip("abcdefghijklmnopqrstuvwxyz_") for key in keys]
    return all(want in pair for want, *pair in zip(wanted[1:], keys, bare, strict=False))


def _near(text: str, known: Mapping[str, Named]) -> str:
    plain = _plain(text)
    heads = {name.partition("[")[0] for name in known}
    head = plain.partition("[")[0]
    if head in heads:
        under = [name for name in known if name.partition("[")[0] == head]
        close = get_close_matches(plain, under, n=3, cutoff=0.3) or under[:3]
    else:
        close = (
            get_close_matches(head, heads, n=3, cutoff=0.5)
            or [name for name in heads if head in name][:3]
        )
    return (
        f"; did you mean {' or '.join(close)}?"
        if close
        else f"; there are {', '.join(sorted(heads))}"
    )


def with_numbers(charts: Mapping[str, Any], changes: Mapping[str, str]) -> dict[str, Any]:
    """Return the charts with numbers changed, each given by its name and what shall stand there.

    Raises ``CellError`` naming every unknown number and every value that cannot stand there.
    """
    changed = dict(charts)
    faults: list[str] = []
    for name, text in changes.items():
        try:
            for named in find_numbers(charts, name):
                changed[named.chart] = with_cell(changed[named.chart], named.cell.path, text)
        except CellError as error:
            faults.append(str(error) if name in str(error) else f"{name}: {error}")
    if faults:
        raise CellError("; ".join(faults))
    return changed


def watched_charts(charts: Mapping[str, Any], note: Callable[[str], None]) -> dict[str, Any]:
    """Return the charts, telling the name of every number that is read (or a shorter one for all under it)."""

    def noting(chart: str) -> Callable[[tuple[str, ...]], None]:
        return lambda path: note(name_of(chart, path))

    return {name: watched(chart, noting(name)) for name, chart in charts.items()}


def under(names: Collection[str], read: str) -> Iterator[str]:
    """Yield the full names that a name told by a watched chart stands for."""
    if read in names:
        yield read
    else:
        yield from (name for name in names if name.startswith(f"{read}["))
