"""Fields: the parts of a state that a position can set, under the names that players use.

They are derived from the records that a table's parts keep.
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
from fireplan_core.steps.questions import Order, OrderQuestion

TABLE, GROUND = "table", "ground"
"""Names of the groups of fields that belong to no asset or unit."""
MEMORY = "orders/"
"""Prefix of the keys that hold the memory of standing orders; position lines leave them out."""

Kinds = tuple[tuple[str, type], ...]
"""Record classes, each with the name of the part that keeps it (empty for neutral records)."""


@attrs.frozen(eq=False)
class StateField:
    """A field of a record in a state: its name, the part that keeps it and its type."""

    name: str
    word: str
    kind: type
    field: attrs.Attribute[Any]
    hint: Any
    places: ByPlace | None = None
    """The storage of a value for each place, or None if the field has a single value."""

    @property
    def default(self) -> Any:
        """Return the default value of the field, or None if it has none."""
        return None if self.field.default is attrs.NOTHING else self.field.default

    @property
    def about(self) -> Mapping[str, Any]:
        """Return the metadata with which the field was declared."""
        return self.field.metadata

    def key(self, prefix: str, place: str = "") -> str:
        """Return the field's key in a state, e.g. ``missions/a/delays/kind``.

        With ``place``, the label of the place comes before the name of the field.
        """
        return "/".join(part for part in (prefix, self.word, place, self.field.name) if part)


@cache
def hints_of(kind: Any) -> Mapping[str, Any]:
    """Return the types of a record's fields or a step's arguments, by name.

    Return an empty mapping if a type cannot be resolved. The class of the part that owns a step is
    known even where the step's module imports it only for type checkers.
    """
    owners = type(getattr(kind, "__self__", None)).__mro__
    names = {owner.__name__: owner for owner in owners}
    try:
        return get_type_hints(getattr(kind, "__func__", kind), localns=names, include_extras=True)
    except (NameError, TypeError):
        return {}


@cache
def step_arguments(step: Callable[..., Any]) -> tuple[tuple[str, Any], ...] | None:
    """Return the names and types of a step's arguments, leaving out chance and view.

    A step that carries out the answer to a question takes the order first. Returns None if the step
    takes any number of arguments.

    >>> from fireplan_core import cycle
    >>> [name for name, kind in step_arguments(cycle.close)]
    ['mission', 'reason', 'cite']
    """
    question = getattr(step, "__self__", None)
    is_answer = isinstance(question, OrderQuestion)
    function = question.offers if isinstance(question, OrderQuestion) else step
    parameters = list(inspect.signature(function).parameters.values())
    if any(parameter.kind is parameter.VAR_POSITIONAL for parameter in parameters):
        return None
    hints = hints_of(function)
    taken = tuple(
        (parameter.name, hints.get(parameter.name, Any))
        for parameter in parameters[1 if is_answer else 2 :]
    )
    return (("order", Order), *taken) if is_answer else taken


@lru_cache(maxsize=512)
def layout(kinds: Kinds, spread: Kinds = ()) -> Mapping[str, StateField]:
    """Return the fields of these records by name.

    An ambiguous name is prefixed with the name of its part (``delays.kind``), unless the field is
    neutral. Of the records in ``spread``, only fields with a value for each place are included.
    """
    declared: list[tuple[str, type, attrs.Attribute[Any], ByPlace | None]] = []
    declared += [(word, kind, field, None) for word, kind in kinds for field in attrs.fields(kind)]
    for word, kind in spread:
        declared += [
            (word, kind, field, by_place)
            for field in attrs.fields(kind)
            if (by_place := field.metadata.get("places"))
        ]
    count = Counter(_word(field) for _, _, field, _ in declared)
    named: dict[str, StateField] = {}
    for word, kind, field, places in declared:
        short = _word(field)
        name = short if not word or count[short] == 1 else f"{word}.{short}"
        hint = places.item if places else hints_of(kind).get(field.name, Any)
        named.setdefault(name, StateField(name, word, kind, field, hint, places))
    return named


def _word(field: attrs.Attribute[Any]) -> str:
    return str(field.metadata.get("word") or field.name)


def fields_by_group(
    parts: Iterable[Part], *, decks: bool = False
) -> Mapping[str, Mapping[str, StateField]]:
    """Return the fields of tables built from these parts, by group and name.

    The groups are ``asset``, ``unit``, ``table``, ``place`` and ``asset at a place``. With
    ``decks``, the table's fields include the cards drawn from them.

    >>> from fireplan_core.play import Catalogue, find_scenario
    >>> scenario, file = find_scenario(Catalogue.installed(only=("asl",)), "asl/village")
    >>> [name for name in fields_by_group(scenario.parts)["asset"] if "contact" in name]
    ['contact']
    """

    def kept(where: str) -> Kinds:
        entries = ((part.word, kinds) for part in parts for kinds in getattr(part.keeps, where))
        return tuple(
            (word, kind)
            for word, kinds in entries
            for kind in (kinds if isinstance(kinds, tuple) else (kinds,))
        )

    return {
        "asset": layout((("", Mission), *kept("assets"))),
        "unit": layout((("", Unit), *kept("units"))),
        "table": layout((*((("", Decks),) if decks else ()), *kept("table"))),
        "place": layout(kept("ground"), kept("table")),
        "asset at a place": layout(kept("assets_at")),
    }


@attrs.frozen(eq=False)
class LocatedField:
    """The field behind a key, with its group (``table``, ``ground``, an asset, a unit) and place.

    ``place`` is a label, empty if the field does not belong to a place.
    """

    group: str
    place: str
    field: StateField


class Fields:
    """The fields of one scenario, found by name or by key."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self._spots: dict[str, LocatedField] = {}

    # --- by name ---------------------------------------------------------------------------------
    @cached_property
    def table(self) -> Mapping[str, StateField]:
        """Return the fields of the table as a whole, by name."""
        return layout(self._shared)

    @cached_property
    def ground(self) -> Mapping[str, StateField]:
        """Return the fields of a place, by name."""
        return layout(self._kept("ground", {}), self._shared)

    @cached_property
    def at(self) -> Mapping[str, StateField]:
        """Return the fields of an asset at a place, by name."""
        return layout(self._kept("assets_at", {}))

    @cached_property
    def _shared(self) -> Kinds:
        decks: Kinds = (("", Decks),) if self.scenario.decks else ()
        return (*decks, *self._kept("table", self.scenario.shared))

    def of(self, name: str) -> Mapping[str, StateField]:
        """Return the fields of an asset or unit by name; raise ``KeyError`` for an unknown one."""
        if name in self.scenario.missions:
            return layout(
                (("", Mission), *self._kept("assets", self.scenario.missions[name].slots))
            )
        return layout((("", Unit), *self._kept("units", self.scenario.units[name].slots)))

    def prefix(self, name: str) -> str:
        """Return the prefix of the keys of an asset, a unit, the table or the ground.

        For an asset it is, for example, ``missions/a``.
        """
        if name in (TABLE, GROUND):
            return {TABLE: "shared", GROUND: "ground"}[name]
        return f"{'missions' if name in self.scenario.missions else 'units'}/{name}"

    def _kept(self, where: str, slots: Mapping[str, Any]) -> Kinds:
        """Return the record classes of a group, each with the word of its part.

        Classes of the records staged in ``slots`` come first, then those that the parts declare.
        """
        staged = [(word, type(slot)) for word, slot in slots.items() if attrs.has(type(slot))]
        declared = [
            (part.word, kind) for part in self.scenario.parts for kind in getattr(part.keeps, where)
        ]
        return tuple(
            dict.fromkeys((*staged, *(pair for pair in declared if not isinstance(pair[1], tuple))))
        )

    def among(self, field: StateField) -> tuple[str, ...]:
        """Return the texts that a field may contain, empty if it may contain any."""
        among = field.about.get("among") or ()
        if isinstance(among, tuple):
            return among
        sides = {mission.side for mission in self.scenario.missions.values()} | {
            self.scenario.firer
        }
        sides |= {unit.side for unit in self.scenario.units.values()}
        names: Mapping[str, Iterable[str]] = {
            "asset": self.scenario.missions,
            "unit": self.scenario.units,
            "side": sorted(sides),
        }
        return ("", *names[among])

    # --- by key ----------------------------------------------------------------------------------
    def spot(self, key: str) -> LocatedField:
        """Return the field behind a key; raise ``ProcedureError`` if no part declares it."""
        spot = self._spots.get(key)
        if spot is None:
            spot = next(self._found(key), None)
            if spot is None:
                raise ProcedureError(f"{key} belongs to no record that a part of this table keeps")
            self._spots[key] = spot
        return spot

    def _found(self, key: str) -> Iterator[LocatedField]:
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
    def _placed(group: str, fields: Mapping[str, StateField], rest: str) -> Iterator[LocatedField]:
        word, _, rest = rest.partition("/")
        label, _, name = rest.rpartition("/")
        yield from _pick(group, label, fields, f"{word}/{name}")

    def is_redundant(self, key: str, value: Any) -> bool:
        """Return whether a value can be left out: a default that the opening does not override."""
        if key.startswith(MEMORY):
            return False
        return key not in self.scenario.initial and self.spot(key).field.default == value


def _pick(
    group: str, place: str, fields: Mapping[str, StateField], rest: str
) -> Iterator[LocatedField]:
    yield from (
        LocatedField(group, place, field)
        for field in fields.values()
        if not field.places and field.key("") == rest
    )


@lru_cache(maxsize=128)
def fields_of(scenario: Scenario) -> Fields:
    """Return the cached fields of a scenario.

    >>> from fireplan.analysis import shipped_engagements
    >>> from fireplan_core.play import Catalogue
    >>> sources = Sources(Catalogue.installed(), shipped_engagements())
    >>> village = position_of("fp1 asl/village", sources)
    >>> "contact" in fields_of(village.scenario).of("a")
    True
    """
    return Fields(scenario)
