"""Changes to the units of a scenario file before it is staged: added, moved or removed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from fireplan_core.files import Complaint, Document, did_you_mean, nearest
from fireplan_core.files.plain_values import file_entries
from fireplan_core.game import ScenarioForm
from fireplan_core.space import CoordinateError

LIKE, AT = "like", "at"
"""The keys that name a unit of the file to copy, and the place of a unit."""

UnitChanges = Mapping[str, Mapping[str, Any] | None]
"""Maps a unit's name to new values by key of its entry in the file; None removes the unit."""


def with_units(document: Document, form: ScenarioForm, changes: UnitChanges) -> Document:
    """Return a scenario file with units added, changed or removed.

    ``at`` gives a unit's place, whatever the file's keys for it, and ``like`` copies all keys of
    another unit of the file. A new unit has ``like`` or a ``side``. Raises ``FileError`` listing
    every unknown unit and unreadable place; other faults are found as the file is read.
    """
    listed = document.content.get(form.units, [])
    if not changes or not isinstance(listed, list):
        return document
    editor = _UnitEntries(form, listed)
    complaints = [
        complaint for name, change in changes.items() for complaint in editor.change(name, change)
    ]
    if complaints:
        raise attrs.evolve(document, text="").error(complaints)
    # Drop the text, because its line numbers would no longer belong to these units.
    units = [*editor.units.values()]
    return attrs.evolve(document, text="", content={**document.content, form.units: units})


class _UnitEntries:
    """The entries of a file's units by name, as they are changed one by one."""

    def __init__(self, form: ScenarioForm, listed: list[Mapping[str, Any]]) -> None:
        self._form = form
        kind: type = form.kind
        self._keys = file_entries(file_entries(kind)[form.units].item)
        self._name = "id" if "id" in self._keys else "name"
        self._before = {str(unit.get(self._name)): unit for unit in listed}
        self.units = dict(self._before)

    def change(self, name: str, change: Mapping[str, Any] | None) -> Iterator[Complaint]:
        """Change one unit, and yield a complaint for each fault in the change."""
        if change is None:
            if self.units.pop(name, None) is None:
                yield self._unknown(name, name)
            return
        given = dict(change)
        like, spot = given.pop(LIKE, None), given.pop(AT, None)
        if like is not None and like not in self._before:
            yield self._unknown(f"{name}.{LIKE}", like)
        elif like is None and name not in self._before and "side" not in given:
            key, problem, hint = self._unknown(name, name)
            yield key, problem, f"{hint}; a new unit needs its side, or like=UNIT"
        placed: Mapping[str, Any] = {}
        if spot is not None:
            try:
                placed = self._placed(spot)
            except CoordinateError as error:
                yield f"{name}.{AT}", f"{spot!r}: {error.problem}", ""
            except ValueError:
                expected = "a place as two whole numbers, such as 120,-40 (east and south)"
                yield f"{name}.{AT}", f"expected {expected}, got {spot!r}", ""
        old = self._before.get(name if like is None else like, {})
        self.units[name] = {**old, **given, **placed, self._name: name}

    def _unknown(self, key: str, name: str) -> Complaint:
        """Return the complaint that the file has no unit of this name."""
        shown = nearest(name, self._before)
        count = f"{len(self._before)}, such as " if len(shown) < len(self._before) else ""
        listed = f"{count}{', '.join(shown) or 'none'}"
        hint = did_you_mean(name, self._before, f"there are {listed}")
        return key, f"there is no unit {name!r}", hint

    def _placed(self, spot: Any) -> Mapping[str, Any]:
        """Return the entries of the file that state a place, by key.

        ``spot`` is the label of the place as positions print it. If a place has several coordinates
        in the file, raises ValueError for a label that does not give exactly these.
        """
        keys = self._form.place
        if len(keys) > 1:
            return dict(zip(keys, self._form.coordinates(str(spot)), strict=True))
        listed = self._keys[keys[0]].listed
        spots = spot if isinstance(spot, list | tuple) else [spot]
        return {keys[0]: [*map(str, spots)] if listed else str(spot)}
