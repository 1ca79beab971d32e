"""A position read by its fields: what functions are given that say what is wanted of an ending."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs

from fireplan.api._errors import unknown
from fireplan.positions import GROUND, TABLE, StateField, atoms_of, fields_of
from fireplan_core import Scenario
from fireplan_core.space import CoordinateError


@attrs.frozen(eq=False, repr=False)
class Final:
    """A position as it is read: ``end["1st squad", "broken"]``, ``end["K5", "smoke"]``, ``end["filled"]``.

    The first is an asset, a unit or a place on the ground, the table where it is left out; the field is as ``fireplan
    fields`` lists it. A third value is the place of what an asset keeps place by place. Places are read as labels
    ("K5"). Raises ``InputError`` for what there is not.
    """

    scenario: Scenario
    read: Callable[[str, Any], Any]

    def __getitem__(self, key: tuple[str, ...] | str) -> Any:
        """The value of a field."""
        group, name, *places = (TABLE, key) if isinstance(key, str) else key
        fields, scenario = fields_of(self.scenario), self.scenario
        label, known, prefix = "", fields.table, "shared"
        if scenario.owner(group):
            known, prefix = fields.at if places else fields.of(group), fields.prefix(group)
            label = self._label(places[0]) if places else ""
        elif group != TABLE:
            label, known, prefix = self._label(group), fields.ground, GROUND
        field = known.get(name)
        if field is None:
            raise unknown(f"field of {group}", name, known)
        return self._value(field, prefix, label)

    def _value(self, field: StateField, prefix: str, label: str) -> Any:
        if field.places is None:
            key = field.key(prefix, label)
            value = self.read(key, self.scenario.initial.get(key, field.default))
            return atoms_of(self.scenario).labelled(value, field.hint)
        there = dict(field.places.spread(self.read(field.key("shared"), field.default)))
        return there.get(self.scenario.frame.parse(label), 0)

    def _label(self, text: str) -> str:
        try:
            return self.scenario.frame.label(self.scenario.frame.parse(text.removeprefix("@")))
        except (CoordinateError, ValueError) as error:
            known = (TABLE, *self.scenario.missions, *self.scenario.units)
            raise unknown("asset, unit or place", text, known) from error

    def __contains__(self, group: str) -> bool:
        """Return whether there is an asset or a unit of that name."""
        return bool(self.scenario.owner(group))
