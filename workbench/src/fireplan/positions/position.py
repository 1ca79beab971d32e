"""Positions: the state of a fire mission as a value, written as one line and read back."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from fractions import Fraction
from itertools import chain
from typing import Any

import attrs

from fireplan.positions import notation
from fireplan.positions.atoms import Node, atoms_of
from fireplan.positions.contradictions import contradictions, unfinished
from fireplan.positions.fields import GROUND, TABLE, Fields, StateField, fields_of, step_arguments
from fireplan.positions.hints import enum_of, enum_words
from fireplan.positions.sources import Source, Sources, position_error, unknown_fault
from fireplan.positions.writing import SCOPE, called, ends_of, line_of
from fireplan_core.chance import ChanceError, ChanceEvent, Face, check_face
from fireplan_core.files import Complaint, FileError, printable
from fireplan_core.play.scenario import OPENING, Scenario, State, Values, opening
from fireplan_core.play.table import Answered, Table, Thrown
from fireplan_core.record import ProcedureError
from fireplan_core.steps.effects import Ask, Pending, Step
from fireplan_core.steps.questions import Order
from fireplan_core.steps.view import View

UNFIT = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RuntimeError,
    StopIteration,
    TypeError,
    ValueError,
    ChanceError,
    ProcedureError,
)
"""Exceptions that rules may raise if they run from a state that play could never reach."""
DESCRIBED = "here"
"""Replaces the source in a line whose fields describe changes to an existing position."""
AIMED = ("core.release", "core.shot", "areas.land")
"""The steps that fire a mission's shot at its aim; without an aim they fail."""
LAST = 9_999
"""Highest moment that a position may name."""

DRAWN = "drawn"
"""The name of the field for the draws from an asset's piles since the opening."""

FieldValues = Mapping[str, Any] | str


@attrs.frozen(repr=False)
class Position:
    """A point in a game: the source of its table, the state, and dice already thrown for a roll.

    Positions are equal if these three are equal. ``str`` writes a position as one line, which
    ``position_of`` reads back.

    >>> from fireplan_core.play import Catalogue
    >>> sources = Sources(Catalogue.installed(only=("asl",)))
    >>> village = Source(name="asl/village")
    >>> str(Position.of(village, sources.scenario(village)))
    'fp1 asl/village'
    """

    source: Source
    scenario: Scenario = attrs.field(eq=False)
    state: State
    faces: tuple[Face, ...] = ()

    @classmethod
    def of(
        cls,
        source: Source,
        scenario: Scenario,
        state: State | None = None,
        faces: Iterable[Face] = (),
    ) -> Position:
        """Return the position of a state, by default the opening.

        Redundant values are left out, so that positions with the same meaning compare equal.
        """
        current = state or opening(scenario)
        redundant = {
            key
            for key, value in current.values.items()
            if fields_of(scenario).is_redundant(key, value)
        }
        values = (
            Values({key: value for key, value in current.values.items() if key not in redundant})
            if redundant
            else current.values
        )
        return cls(source, scenario, State(values, current.agenda or (OPENING,)), tuple(faces))

    @property
    def moment(self) -> int:
        """Return the index of the current moment, from 0."""
        return self.state.moment

    def read(self, key: str, default: Any) -> Any:
        """Return the value stored under a key of the state, or ``default`` if it is not set."""
        return self.state.values.get(key, default)

    def table(self, moments: int | None = None) -> Table:
        """Return a table that continues play from this position.

        It plays until ``moments`` have passed since the opening, or to the end of the present
        moment if that is later. Raises ``FileError`` if the rules cannot continue, e.g. from a
        position that play could never reach, or if the dice entered do not fit the pending throw.
        """
        try:
            table = Table(self.scenario, max(moments or 0, self.moment + 1), self.state)
            dice = table.throw_due.faces if table.throw_due else ()
            if len(self.faces) > max(len(dice) - 1, 0):
                raise ChanceError(
                    f"{len(self.faces)} dice are given, but the pending throw has {len(dice)}, "
                    "and at least one must still be to come"
                )
            for die, face in zip(dice, self.faces, strict=False):
                check_face(die, face)
        except UNFIT as error:
            raise _unplayable(error) from error
        return table

    def checked(self) -> Position:
        """Return the position itself if the rules can continue from it.

        Raises ``FileError`` if they cannot: the pending steps are performed up to the next throw or
        question, the first order of each form is judged, and play goes on with the standard order,
        or with the first and the last outcome of the throw.
        """
        self._check_aims()
        table = self.table(self.moment + 2)
        try:
            if isinstance(pending := table.waits_for, Ask):
                for form in table.rulebook.forms(pending, table.read):
                    first = {
                        slot.name: slot.candidates[0] for slot in form.slots if slot.candidates
                    }
                    table.rulebook.refuse(pending, Order.of(form.verb, **first), table.read)
                standard = table.rulebook.answer(pending, {}, table.read)
                copy(table).submit(Answered(pending.question, standard))
            elif pending is not None:
                for faces in _first_and_last(pending, self.faces):
                    copy(table).submit(Thrown(pending.name, faces))
        except UNFIT as error:
            raise _unplayable(error) from error
        return self

    def _check_aims(self) -> None:
        """Raise ``FileError`` if a shot without an aim is under way."""
        view = View(self.read, self.scenario, "")
        released = (
            step for step in self.state.agenda if isinstance(step, Step) and step.name in AIMED
        )
        faults = [
            (f"{mission}.aim", "a shot of it is under way, so aim cannot be none", "give a place")
            for mission in dict.fromkeys(str(step.args[0]) for step in released)
            if view.mission(mission).aim is None
        ]
        if faults:
            raise position_error(faults)

    def having(
        self,
        *,
        moment: int | str | None = None,
        assets: Mapping[str, FieldValues] | None = None,
        units: Mapping[str, FieldValues] | None = None,
        ground: Mapping[str, FieldValues] | None = None,
        table: FieldValues | None = None,
    ) -> Position:
        """Return the position with changes, under the names that ``fireplan fields`` lists.

        ``moment`` (an index from 0, or a name) makes that moment the next to open. A word sets a
        yes/no field, or the field that has the word as a value: ``units={"1st squad": "broken"}``.
        ``drawn`` contains the draws from an asset's piles since the opening: ``{"drawn": {"red":
        1}}``. Raises ``FileError`` listing every fault, or if the rules cannot continue from the
        result.
        """
        change = _Change(self.scenario, self.state.values)
        for kind, names, values_by_name in (
            ("asset", self.scenario.missions, assets),
            ("unit", self.scenario.units, units),
        ):
            for name, entries in change.pairs(f"{kind}s", values_by_name):
                if name in names:
                    change.assign_all(name, "", entries)
                else:
                    change.unknown(name, kind, name, names)
        for label, entries in change.pairs("ground", ground):
            change.assign_all(GROUND, label, entries)
        change.assign_all(TABLE, "", table)
        if moment is not None:
            change.time(moment)
        agenda = self.state.agenda if moment is None else (OPENING,)
        values = change.closed(merge=self.state.values, still=agenda == (OPENING,), player=True)
        return Position.of(
            self.source, self.scenario, State(values, agenda), self.faces if moment is None else ()
        ).checked()

    def described(self, text: str) -> Position:
        """Return this position with the time and the field values given in a text of notation.

        Pending steps are kept unless the text gives others, or gives a time: then that moment is
        about to open. The dice are kept unless the text gives others. Raises ``FileError`` listing
        every fault, or if the rules cannot continue from the result.
        """
        parsed = notation.take_apart(f"{notation.VERSION} {DESCRIBED} {text}")
        change = _Change(self.scenario, self.state.values)
        change.describe(parsed)
        agenda = (OPENING,) if parsed.time is not None else self.state.agenda
        if parsed.agenda is not None:
            agenda = (*change.pending(parsed.agenda), *(ends_of(self.scenario) * parsed.ends))
        faces = tuple(change.faces(parsed.faces)) if parsed.faces else self.faces
        still = agenda == (OPENING,)
        values = change.closed(merge=self.state.values, still=still, player=False)
        return Position.of(self.source, self.scenario, State(values, agenda), faces).checked()

    def __str__(self) -> str:
        """Return the position as one line of notation (``docs/reference/positions.md``)."""
        return line_of(self.source, self.scenario, self.state, self.faces)

    __repr__ = __str__


def position_of(line: str, sources: Sources) -> Position:
    """Return the position that a line describes.

    Raises ``FileError`` listing every fault, or if the line describes only one side's knowledge,
    or if the rules cannot continue from the position.

    >>> from fireplan.analysis import shipped_engagements
    >>> from fireplan_core.play import Catalogue
    >>> sources = Sources(Catalogue.installed(), shipped_engagements())
    >>> str(position_of("fp1 asl/village a{red=2}", sources))
    'fp1 asl/village a{red=2}'
    """
    side, position = read_line(line, sources)
    if side:
        raise position_error(
            [
                (
                    "",
                    f"this line holds only what {side} knows, not the whole position",
                    "give the line of the whole position",
                )
            ]
        )
    return position.checked()


def read_line(line: str, sources: Sources) -> tuple[str, Position]:
    """Return the side whose knowledge a line describes (empty: the whole state), and the position.

    Fields that the line does not name have their values at the opening. Raises ``FileError``
    listing every fault.

    >>> from fireplan.analysis import shipped_engagements
    >>> from fireplan_core.play import Catalogue
    >>> sources = Sources(Catalogue.installed(), shipped_engagements())
    >>> side, position = read_line("fp1 asl/village a{red=2}", sources)
    >>> side
    ''
    """
    parsed = notation.take_apart(line)
    scenario = sources.scenario(parsed.source)
    change = _Change(scenario, Values(scenario.initial))
    change.describe(parsed)
    agenda = (OPENING,) if parsed.agenda is None else tuple(change.pending(parsed.agenda))
    agenda += ends_of(scenario) if parsed.ends else ()
    faces = tuple(change.faces(parsed.faces))
    still = parsed.agenda is None and not parsed.side
    values = change.closed(merge=None, still=still, player=False, partial=bool(parsed.side))
    if parsed.side:
        return parsed.side, Position(parsed.source, scenario, State(values, agenda), faces)
    return "", Position.of(parsed.source, scenario, State(values, agenda), faces)


def _first_and_last(event: ChanceEvent, faces: tuple[Face, ...]) -> Iterable[tuple[Face, ...]]:
    """Return two throws that begin with ``faces``: the other dice show their first or last face."""
    dice = event.faces[len(faces) :]
    ends = zip(*((die.weights[0][0], die.weights[-1][0]) for die in dice), strict=True)
    return dict.fromkeys((*faces, *rest) for rest in ends)


def _unplayable(error: Exception) -> FileError:
    """Return the refusal of a position from which the rules cannot continue.

    Python's own messages are not quoted, because they do not mention the position; a missing key is
    quoted.
    """
    problem = "the position lacks something that they need"
    if isinstance(error, KeyError):
        problem = f"there is no {error}"
    elif isinstance(error, ProcedureError | ChanceError | FileError):
        problem = str(error)
    reason = "; ".join([problem, *getattr(error, "__notes__", ())])
    return position_error([("", f"the rules cannot go on from here: {reason}", "")])


class _Change:
    """The changes to a position, collected together with all their faults."""

    def __init__(self, scenario: Scenario, values: Values) -> None:
        self.scenario, self._start = scenario, values
        self._fields: Fields = fields_of(scenario)
        self._atoms = atoms_of(scenario)
        self._updates: dict[str, Any] = {}
        self._placed: dict[str, tuple[StateField, dict[Any, Any]]] = {}
        self._names: defaultdict[str, set[str]] = defaultdict(set)
        self.faults: list[Complaint] = []

    def unknown(self, key: str, kind: str, name: str, names: Iterable[str]) -> None:
        """Record an unknown name as a fault, unless it is already recorded."""
        fault = unknown_fault(key, kind, name, names)
        if fault not in self.faults:
            self.faults.append(fault)

    def describe(self, parsed: notation.Line) -> None:
        """Set the time and the fields that a line gives."""
        if parsed.time is not None:
            self.time(parsed.time)
        owners = (*self.scenario.missions, *self.scenario.units)
        for entry in parsed.assignments:
            if entry.group in (TABLE, GROUND) or self.scenario.owner(entry.group):
                self.assign(entry.group, entry.place, entry.name, entry.value)
            else:
                self.unknown(entry.group, "asset or unit", entry.group, owners)

    def time(self, moment: str | int) -> None:
        """Set the moment by its index from 0, its name, or the beginning of its name."""
        self._names[TABLE].add("moment")
        name = self.scenario.clock.name
        number = moment if isinstance(moment, int) else next(called(name, str(moment)), None)
        if number is None:
            self.faults.append(
                (
                    "moment",
                    f"there is no moment {moment!r}",
                    f"the first moments are {name(0)} and {name(1)}",
                )
            )
        elif not 0 <= number <= LAST:
            self.faults.append(
                ("moment", f"there is no moment {number}", f"use 0 to {LAST}; 0 is {name(0)}")
            )
        else:
            self._updates["clock/moment"] = number

    def pairs(self, key: str, mapping: Any) -> Iterable[tuple[str, Any]]:
        """Return the items of a mapping; record a fault and return none if it is not a mapping."""
        if mapping is None or isinstance(mapping, Mapping):
            return (mapping or {}).items()
        self.faults.append(
            (
                key,
                f"expected names with values, got {printable(str(mapping))!r}",
                "for example {'smoke': 3}",
            )
        )
        return ()

    def assign_all(self, group: str, place: str, entries: FieldValues | None) -> None:
        """Set a group's fields from a mapping, or from the one word that fits a field."""
        if isinstance(entries, str):
            fields = self._group(group, place)
            name = next((n for n, f in fields.items() if entries in choices_of(f)), None)
            entries = {entries: True} if entries in fields or name is None else {name: entries}
        for name, value in self.pairs(group, entries):
            inner = value.items() if isinstance(value, Mapping) else ((name, value),)
            for key, item in inner:
                left = self._left(group, key, item) if name == DRAWN and key != DRAWN else item
                if left is not None or name != DRAWN:
                    self.assign(group, place, key, Node.of(left))

    def _left(self, group: str, key: str, drawn: Any) -> int | None:
        """Return the number left in a pile after ``drawn``, or record a fault and return None.

        It is a fault if there is no such pile, or if the pile held fewer at the opening.
        """
        field = self._group(group, "").get(key)
        if field is None:
            self.unknown(f"{group}.{DRAWN}.{key}", "field", key, self._group(group, ""))
            return None
        pile = self.scenario.initial.get(field.key(self._fields.prefix(group)))
        if isinstance(pile, bool) or not isinstance(pile, int):
            problem, hint = f"{key} is no pile", "such as drawn={'red': 1}"
        elif isinstance(drawn, bool) or not isinstance(drawn, int) or not 0 <= drawn <= pile:
            problem, hint = f"expected 0 to {pile}, got {printable(str(drawn))}", ""
        else:
            return pile - drawn
        self.faults.append((f"{group}.{DRAWN}.{key}", problem, hint))
        return None

    def _group(self, group: str, place: str) -> Mapping[str, StateField]:
        if group == GROUND:
            return self._fields.ground
        if group == TABLE:
            return self._fields.table
        return self._fields.at if place else self._fields.of(group)

    def assign(self, group: str, place: str, name: str, node: Node) -> None:
        """Set the field ``name`` of a group: the table, an asset, a unit or the ground.

        ``place`` is the label of the place to which the value belongs, or "" if it belongs to none.
        An unknown field or an invalid value is recorded in ``faults``.
        """
        name = str(name)
        where = ".".join(part for part in (group, place, name) if part)
        fields = self._group(group, place)
        field = fields.get(name) or next(
            (f for f in fields.values() if f"{f.word}.{f.name}" == name), None
        )
        if field is None:
            self.unknown(where, "field", name, fields)
            return
        try:
            spot: Any = self._atoms.place(place) if place else None
            value = self._atoms.read(node, field.hint, self._fields.among(field))
        except FileError as error:
            (wrong,) = error.faults
            hint = wrong.suggestion or str(field.about.get("help", ""))
            self.faults.append((where, wrong.message, hint))
            return
        number = value[0] if field.places and isinstance(value, tuple) and value else value
        low, high = field.about.get("range") or (number, number)
        if isinstance(number, int | Fraction) and not low <= number <= high:
            self.faults.append(
                (where, f"expected {low} to {high}, got {number}", field.about["help"])
            )
            return
        self._names[group].add(field.name)
        if field.places:
            self._placed.setdefault(field.key("shared"), (field, {}))[1][spot] = value
        else:
            label = self.scenario.frame.label(spot) if place else ""
            self._updates[field.key(self._fields.prefix(group), label)] = value

    def pending(self, agenda: Iterable[notation.Waiting]) -> Iterator[Pending]:
        """Yield the steps and questions of a parsed agenda, recording faults."""
        for entry in agenda:
            names: Mapping[str, Any] = self.scenario.questions if entry.who else self.scenario.steps
            if entry.name not in names:
                self.unknown(">", "question" if entry.who else "step", entry.name, names)
                continue
            parameters = step_arguments(self.scenario.steps[entry.name].run)
            parameters = parameters[1:] if parameters and entry.who else parameters
            if parameters is not None and len(parameters) != len(entry.args):
                expected = ", ".join(name for name, _ in parameters) or "nothing"
                self.faults.append(
                    (f"> {entry.name}", f"expected {expected}; got {len(entry.args)} values", "")
                )
                continue
            pairs = zip(entry.args, parameters or (("", Any),) * len(entry.args), strict=True)
            args = tuple(self._argument(entry, *pair) for pair in pairs)
            scope = "" if entry.place is None else SCOPE + entry.place
            yield (
                Ask(entry.who, entry.name, args, scope)
                if entry.who
                else Step(entry.name, args, scope)
            )

    def _argument(self, entry: notation.Waiting, node: Node, parameter: tuple[str, Any]) -> Any:
        name, hint = parameter
        try:
            value = self._atoms.read(node, hint)
        except FileError as error:
            (wrong,) = error.faults
            self.faults.append((f"> {entry.name}.{name}", wrong.message, wrong.suggestion))
            return None
        names = {"mission": self.scenario.missions, "unit": self.scenario.units}.get(name)
        if names is not None and isinstance(value, str) and value not in names:
            self.unknown(f"> {entry.name}", name, value, names)
        return value

    def faces(self, nodes: Iterable[Node]) -> Iterator[Face]:
        """Yield the dice thrown so far, recording faults."""
        for node in nodes:
            try:
                yield self._atoms.read(node, int | str)
            except FileError as error:
                hint = "give a face of a die or the name of a chit, as in | 4 2"
                self.faults.append(("|", error.faults[0].message, hint))

    def closed(
        self, *, merge: Values | None, still: bool, player: bool, partial: bool = False
    ) -> Values:
        """Return the values with all changes applied, merging fields by place into ``merge``.

        ``still`` means that a moment is about to open. With ``still`` and ``player``, the games add
        the consequences of the changes; otherwise nothing but the given fields changes. ``still``
        also forbids values that are possible only while a moment is played. Contradictions are
        refused, except in one side's knowledge (``partial``). Raises ``FileError`` listing every
        fault.
        """
        for key, (field, assigned) in self._placed.items():
            before = (
                dict(field.places.spread(merge.get(key, field.default)))
                if field.places and merge is not None
                else {}
            )
            pairs = tuple(
                (place, value) for place, value in {**before, **assigned}.items() if value
            )
            if field.places:
                self._updates[key] = field.places.gather(pairs)
        if self.faults:
            raise position_error(self.faults)
        values = self._start.put(tuple(self._updates.items()))
        try:
            if player and still:
                values = self._implied(values)
            sentences = chain(
                () if partial else contradictions(self.scenario, values),
                unfinished(self.scenario, values) if still else (),
            )
            self.faults += [("", text, "") for text in sentences]
        except UNFIT as error:
            self.faults.append(("", f"the rules cannot handle this position: {error}", ""))
        if self.faults:
            raise position_error(self.faults)
        return values

    def _implied(self, values: Values) -> Values:
        for name, assigned in self._names.items():
            for part in self.scenario.parts:
                view = View(values.get, self.scenario, part.word)
                updates = part.implied(view, name, frozenset(assigned)).updates
                values = values.put(
                    tuple((key, value) for key, value in updates if key not in self._updates)
                )
        return values


def choices_of(field: StateField) -> tuple[str, ...]:
    """Return the words that a field may hold; empty if other values are possible."""
    enum = enum_of(field.hint)
    among = field.about.get("among") or ()
    if enum:
        return enum_words(enum)
    return among if isinstance(among, tuple) else ()
