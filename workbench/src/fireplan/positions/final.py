"""A position that Python code reads by asset, unit or place, and field: ``end["K5", "smoke"]``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs

from fireplan.errors import InputError, unknown
from fireplan.positions.field_words import ImpossibleComparisonError
from fireplan.positions.fields import GROUND, TABLE, StateField, fields_of
from fireplan.positions.read_values import checked_back, read_back
from fireplan_core.play.scenario import Scenario
from fireplan_core.record import Read
from fireplan_core.space import CoordinateError

SIZES = {2, 3}
"""Allowed numbers of indices for a field: owner and name, and a place for some."""


@attrs.frozen(eq=False, repr=False)
class Final:
    """A position indexed by field: ``end["1st squad", "broken"]``, ``end["K5", "smoke"]``.

    The first index is an asset, a unit or a place on the ground; ``end["filled"]`` reads a field of
    the table. A third index names the place if an asset has a value for each place. Places are read
    as labels ("K5"), stages, reasons and the like as the words that set them ("spotting"), and
    yes/no fields as True and False. ``fireplan fields`` lists the fields. Raise ``InputError`` for
    unknown names and, in a question, for a comparison with a value that the field can never hold.

    >>> village = fp.position("asl/village", a={"stage": "requested"})
    >>> village.distribution(lambda end: end["a", "contact"], by="turn 1").shares
    {False: Fraction(599, 3888), True: Fraction(3289, 3888)}
    """

    scenario: Scenario
    read: Read
    checked: bool = attrs.field(default=False, kw_only=True)

    def __getitem__(self, key: tuple[str, ...] | str) -> Any:
        whole: Any = (TABLE, key) if isinstance(key, str) else key
        if (
            not isinstance(whole, tuple)
            or len(whole) not in SIZES
            or not all(isinstance(part, str) for part in whole)
        ):
            raise InputError(
                f"A position is indexed by an owner and a field, such as ['a', 'contact'], not by {key!r}."
            )
        group, name, *places = whole
        fields, scenario = fields_of(self.scenario), self.scenario
        label, fields_here, prefix = "", fields.table, "shared"
        if scenario.owner(group):
            fields_here, prefix = fields.at if places else fields.of(group), fields.prefix(group)
            label = self._label(places[0]) if places else ""
        elif group != TABLE:
            label, fields_here, prefix = self._label(group), fields.ground, GROUND
        field = fields_here.get(name)
        if field is None:
            raise unknown(f"field of {group}", name, fields_here)
        return self._value(field, prefix, label)

    def _value(self, field: StateField, prefix: str, label: str) -> Any:
        if field.places is None:
            key = field.key(prefix, label)
            value = self.read(key, self.scenario.initial.get(key, field.default))
        else:
            by_place = dict(field.places.spread(self.read(field.key("shared"), field.default)))
            value = by_place.get(self.scenario.frame.parse(label), 0)
        frame, among = self.scenario.frame, fields_of(self.scenario).among(field)
        answer = read_back(frame, value, field.name, field.hint, among)
        if not self.checked:
            return answer
        limits = field.about.get("range")
        return checked_back(frame, answer, field.name, field.hint, among, limits)

    def _label(self, text: str) -> str:
        try:
            return self.scenario.frame.label(self.scenario.frame.parse(text.removeprefix("@")))
        except (CoordinateError, ValueError) as error:
            names = (TABLE, *self.scenario.missions, *self.scenario.units)
            raise unknown("asset, unit or place", text, names) from error

    def _ipython_key_completions_(self) -> list[str | tuple[str, str]]:
        fields, scenario = fields_of(self.scenario), self.scenario
        owners = (*scenario.missions, *scenario.units)
        return [*fields.table, *((owner, name) for owner in owners for name in fields.of(owner))]

    def __contains__(self, group: str) -> bool:
        return bool(self.scenario.owner(group))


def value_of(function: Callable[..., Any], scenario: Scenario, read: Read, *args: Any) -> Any:
    """Return the value of a function for a position (``Final``) and further arguments.

    Raise ``InputError`` if the function compares a field with a value that the field can never
    hold.
    """
    values: dict[str, Any] = {}

    def noted(key: str, default: Any) -> Any:
        values[key] = read(key, default)
        return values[key]

    value = function(Final(scenario, noted), *args)
    check_comparisons(function, scenario, values.get, *args)
    return value


def check_comparisons(
    function: Callable[..., Any], scenario: Scenario, read: Read, *args: Any
) -> None:
    """Raise ``InputError`` if a function compares a field with a value that it can never hold.

    The function is called once more, with values that refuse such comparisons; ordinary numbers,
    True and None cannot refuse them. Its result and its other errors are ignored.
    """
    try:
        function(Final(scenario, read, checked=True), *args)
    except ImpossibleComparisonError:
        raise
    except Exception:  # noqa: BLE001, S110 - checked values may break a function that works otherwise
        pass
