"""Fields: what can be said of a table, by the names that players use.

Found from the records that its parts keep.
"""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, cached_property, lru_cache
from typing import Any, get_type_hints

import attrs

from fireplan_core.mission import Decks, Mission, Unit
from fireplan_core.play.scenario import Scenario
from fireplan_core.record import ByPlace, ProcedureError
from fireplan_core.steps.part import Part
from fireplan_core.steps.questions import Order, Question

TABLE, GROUND = "table", "ground"
"""The groups of fields that belong to no asset and no unit."""

Kinds = tuple[tuple[str, type], ...]
"""Record classes, each with the word of the part that keeps it.

The word of the neutral records is empty.
"""


@attrs.frozen(eq=False)
class StateField:
    """A field of a record that stands in a state: the name that it goes by, the part that keeps it, its type."""

    name: str
    word: str
    kind: type
    field: attrs.Attribute[Any]
    hint: Any
    places: ByPlace | None = None
    """How it is said place by place, where the field is met among those of the ground."""

    @property
    def default(self) -> Any:
        """Return the value where nothing has been kept yet; None where it has no default."""
        return None if self.field.default is attrs.NOTHING else self.field.default

    @property
    def about(self) -> Mapping[str, Any]:
        """Return what the field says of itself (see ``record.told``)."""
        return self.field.metadata

    def key(self, prefix: str, place: str = "") -> str:
        """Return the key of its value: below a prefix (``missions/a``), at the label of a place or at none."""
        return "/".join(part for part in (prefix, self.word, place, self.field.name) if part)


@cache
def hints_of(kind: Any) -> Mapping[str, Any]:
    """Return the types of a record's fields, or of a step's arguments.

    Nothing where they cannot be told.
    """
    try:
        return get_type_hints(getattr(kind, "__func__", kind), include_extras=True)
    except (NameError, TypeError):
        return {}


@cache
def arguments(step: Callable[..., Any]) -> tuple[tuple[str, Any], ...] | None:
    """Return names and types of what a step takes after chance and view.

    None where it takes anything.
    """
    asked = getattr(step, "__self__", None)
    answers = isinstance(asked, Question)
    of = asked.offers if isinstance(asked, Question) else step
    given = list(inspect.signature(of).parameters.values())
    if any(parameter.kind is parameter.VAR_POSITIONAL for parameter in given):
        return None
    hints = hints_of(of)
    taken = tuple(
        (parameter.name, hints.get(parameter.name, Any))
        for parameter in given[1 if answers else 2 :]
    )
    return (("order", Order), *taken) if answers else taken


@lru_cache(maxsize=512)
def layout(kinds: Kinds, spread: Kinds = ()) -> Mapping[str, StateField]:
    """Return the fields of some records by name: short where only one has it, else with its part (``delays.kind``).

    A neutral field is never lengthened. Of ``spread`` only those are taken that are said place by
    place.
    """
    found: list[tuple[str, type, attrs.Attribute[Any], ByPlace | None]] = []
    found += [(word, kind, field, None) for word, kind in kinds for field in attrs.fields(kind)]
    for word, kind in spread:
        found += [
            (word, kind, field, at)
            for field in attrs.fields(kind)
            if (at := field.metadata.get("places"))
        ]
    count = Counter(_word(field) for _, _, field, _ in found)
    named: dict[str, StateField] = {}
    for word, kind, field, places in found:
        short = _word(field)
        name = short if not word or count[short] == 1 else f"{word}.{short}"
        hint = places.item if places else hints_of(kind).get(field.name, Any)
        named.setdefault(name, StateField(name, word, kind, field, hint, places))
    return named


def _word(field: attrs.Attribute[Any]) -> str:
    return str(field.metadata.get("word") or field.name)


def fields_by_group(parts: Iterable[Part]) -> Mapping[str, Mapping[str, StateField]]:
    """Return all that can be said of tables of these parts: of an asset, a unit, the table, a place, both together."""

    def kept(where: str) -> Kinds:
        found = ((part.word, some) for part in parts for some in getattr(part.keeps, where))
        return tuple(
            (word, kind)
            for word, some in found
            for kind in (some if isinstance(some, tuple) else (some,))
        )

    return {
        "asset": layout((("", Mission), *kept("assets"))),
        "unit": layout((("", Unit), *kept("units"))),
        "table": layout(kept("table")),
        "place": layout(kept("ground"), kept("table")),
        "asset at a place": layout(kept("assets_at")),
    }


@attrs.frozen(eq=False)
class Spot:
    """The field behind a key of a state: its group (``table``, ``ground``, an asset, a unit), its place if it has one.

    ``place`` is a label; empty for what is not kept place by place.
    """

    group: str
    place: str
    field: StateField


class Fields:
    """The fields of one scenario."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self._spots: dict[str, Spot] = {}

    # --- by name ---------------------------------------------------------------------------------
    @cached_property
    def table(self) -> Mapping[str, StateField]:
        """Return the fields of the table as a whole."""
        return layout(self._shared)

    @cached_property
    def ground(self) -> Mapping[str, StateField]:
        """Return the fields of a place."""
        return layout(self._kept("ground", {}), self._shared)

    @cached_property
    def at(self) -> Mapping[str, StateField]:
        """Return the fields of an asset at a place."""
        return layout(self._kept("assets_at", {}))

    @cached_property
    def _shared(self) -> Kinds:
        decks: Kinds = (("", Decks),) if self.scenario.decks else ()
        return (*decks, *self._kept("table", self.scenario.shared))

    def of(self, name: str) -> Mapping[str, StateField]:
        """Return the fields of an asset or a unit; KeyError if there is none of that name."""
        if name in self.scenario.missions:
            return layout(
                (("", Mission), *self._kept("assets", self.scenario.missions[name].slots))
            )
        return layout((("", Unit), *self._kept("units", self.scenario.units[name].slots)))

    def prefix(self, name: str) -> str:
        """Return the key below which the values of an asset or a unit stand."""
        return f"{'missions' if name in self.scenario.missions else 'units'}/{name}"

    def _kept(self, where: str, slots: Mapping[str, Any]) -> Kinds:
        """Return the records that are kept somewhere: those staged, and what parts keep beside them."""
        staged = [(word, type(slot)) for word, slot in slots.items() if attrs.has(type(slot))]
        beside = [
            (part.word, kind) for part in self.scenario.parts for kind in getattr(part.keeps, where)
        ]
        return tuple(
            dict.fromkeys((*staged, *(pair for pair in beside if not isinstance(pair[1], tuple))))
        )

    # --- by key ----------------------------------------------------------------------------------
    def spot(self, key: str) -> Spot:
        """Return the field behind a key.

        Raises ``ProcedureError`` for one that no part has declared.
        """
        found = self._spots.get(key)
        if found is None:
            found = next(self._found(key), None)
            if found is None:
                raise ProcedureError(
                    f"{key} belongs to no record that the parts of this table say they keep"
                )
            self._spots[key] = found
        return found

    def _found(self, key: str) -> Iterator[Spot]:
        where, _, rest = key.partition("/")
        if where in ("missions", "units"):
            name, _, rest = rest.partition("/")
            yield from _pick(name, "", self.of(name), rest)
            if where == "missions":
                yield from self._placed(name, self.at, rest)
        elif where == "shared":
            yield from _pick(TABLE, "", self.table, rest)
        elif where == "ground":
            yield from self._placed(GROUND, self.ground, rest)

    @staticmethod
    def _placed(group: str, fields: Mapping[str, StateField], rest: str) -> Iterator[Spot]:
        word, _, rest = rest.partition("/")
        label, _, name = rest.rpartition("/")
        yield from _pick(group, label, fields, f"{word}/{name}")

    def says_nothing(self, key: str, value: Any) -> bool:
        """Return whether a value says nothing: its key is not of the opening, and it is what is read there anyway."""
        return key not in self.scenario.initial and self.spot(key).field.default == value


def _pick(group: str, place: str, fields: Mapping[str, StateField], rest: str) -> Iterator[Spot]:
    yield from (
        Spot(group, place, field)
        for field in fields.values()
        if not field.places and field.key("") == rest
    )


@lru_cache(maxsize=128)
def fields_of(scenario: Scenario) -> Fields:
    """Return the fields of a scenario, kept for as long as it is in use."""
    return Fields(scenario)
