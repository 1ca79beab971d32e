"""Positions: where a fire mission stands, as a value.

Built in the game's words, written as one line and read back.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any

import attrs

from fireplan.positions import notation
from fireplan.positions.atoms import Node, WrongAtomError, atoms_of, enum_of
from fireplan.positions.fields import GROUND, TABLE, Fields, StateField, arguments, fields_of
from fireplan.positions.sources import PositionError, Source, Sources, unknown
from fireplan.positions.writing import SCOPE, called, ends_of, line_of
from fireplan_core.chance import ChanceError, Face, check_face
from fireplan_core.files import plain
from fireplan_core.mission import Stage
from fireplan_core.play.scenario import OPENING, Scenario, State, Values, opening
from fireplan_core.play.table import Table
from fireplan_core.record import ProcedureError
from fireplan_core.steps.effects import Ask, Pending, Step
from fireplan_core.steps.view import View

UNFIT = (
    ArithmeticError,
    AttributeError,
    LookupError,
    TypeError,
    ValueError,
    ChanceError,
    ProcedureError,
)
"""Say what rules raise when they are to go on from where they would never have come."""
LAST = 9_999
"""The last moment that a position may name."""

Values_ = Mapping[str, Any] | str
Fault = tuple[str, str, str]


@attrs.frozen
class Position:
    """Say where a game stands: what it was staged from, its state, and the dice given so far of a throw under way.

    Two positions are equal when these are. ``str`` writes a position as one line, ``position_of``
    reads it.
    """

    source: Source
    scenario: Scenario = attrs.field(eq=False, repr=False)
    state: State = attrs.field(repr=False)
    faces: tuple[Face, ...] = ()

    @classmethod
    def of(
        cls,
        source: Source,
        scenario: Scenario,
        state: State | None = None,
        faces: Iterable[Face] = (),
    ) -> Position:
        """Return the position of a state, or the opening.

        What says nothing is left out: equal positions are equal.
        """
        now = state or opening(scenario)
        idle = {
            key for key, value in now.values.items() if fields_of(scenario).says_nothing(key, value)
        }
        kept = (
            Values({key: value for key, value in now.values.items() if key not in idle})
            if idle
            else now.values
        )
        return cls(source, scenario, State(kept, now.agenda or (OPENING,)), tuple(faces))

    @property
    def moment(self) -> int:
        """Return the number of the present moment, from 0."""
        return self.state.moment

    def read(self, key: str, default: Any) -> Any:
        """Return the value at a key."""
        return self.state.values.get(key, default)

    def table(self, moments: int | None = None) -> Table:
        """Return a table that goes on from here, to the end of so many moments since the opening (None: of this one).

        Raises ``PositionError`` where the rules cannot go on: a position that play would never have
        come to.
        """
        try:
            table = Table(self.scenario, max(moments or 0, self.moment + 1), self.state)
            waits = table.waits_for
            wanted = () if waits is None or isinstance(waits, Ask) else waits.faces
            if len(self.faces) > max(len(wanted) - 1, 0):
                raise ChanceError(f"{len(self.faces)} dice are given of a throw of {len(wanted)}")
            for die, face in zip(wanted, self.faces, strict=False):
                check_face(die, face)
        except UNFIT as error:
            raise PositionError.of(
                [("", f"the rules cannot go on from here: {error}", "")]
            ) from error
        return table

    def having(
        self,
        *,
        moment: int | str | None = None,
        assets: Mapping[str, Values_] | None = None,
        units: Mapping[str, Values_] | None = None,
        ground: Mapping[str, Values_] | None = None,
        table: Values_ | None = None,
    ) -> Position:
        """Return the position with what is said changed, in the words that ``fireplan fields`` lists.

        With ``moment`` (its number from 0, or its name) that moment is about to open. A word alone
        sets what can be yes or no, or be one of some words: ``units={"1st squad": "broken"}``.
        Raises ``PositionError`` with every fault.
        """
        change = _Change(self.scenario, self.state.values)
        for what, known, said in (
            ("asset", self.scenario.missions, assets),
            ("unit", self.scenario.units, units),
        ):
            for name, entries in change.pairs(f"{what}s", said):
                if name in known:
                    change.say_all(name, "", entries)
                else:
                    change.unknown(name, what, name, known)
        for label, entries in change.pairs("ground", ground):
            change.say_all(GROUND, label, entries)
        change.say_all(TABLE, "", table)
        if moment is not None:
            change.time(moment)
        agenda = self.state.agenda if moment is None else (OPENING,)
        values = change.closed(merge=self.state.values, still=agenda == (OPENING,), player=True)
        return Position.of(
            self.source, self.scenario, State(values, agenda), self.faces if moment is None else ()
        )

    def __str__(self) -> str:
        """Return the line of the position (``docs/positions.md``)."""
        return line_of(self.source, self.scenario, self.state, self.faces)


def position_of(line: str, sources: Sources) -> Position:
    """Return the position that a line writes.

    Raises ``PositionError`` with all its faults, and for the line of a side, which does not say
    all.
    """
    side, position = read_line(line, sources)
    if side:
        raise PositionError.of(
            [("", f"this line says what {side} knows, not how things stand", "read it as a side's")]
        )
    return position


def read_line(line: str, sources: Sources) -> tuple[str, Position]:
    """Return whose knowledge a line is (empty: all that is so), and its position, as at the opening where it is silent.

    Raises ``PositionError`` with all its faults.
    """
    said = notation.take_apart(line)
    scenario = sources.scenario(said.source)
    change = _Change(scenario, Values(scenario.initial))
    if said.time is not None:
        change.time(said.time)
    for one in said.said:
        if one.group in (TABLE, GROUND) or scenario.owner(one.group):
            change.say(one.group, one.place, one.name, one.value)
        else:
            change.unknown(
                one.group, "asset or unit", one.group, (*scenario.missions, *scenario.units)
            )
    agenda = (OPENING,) if said.agenda is None else tuple(change.pending(said.agenda))
    agenda += ends_of(scenario) if said.ends else ()
    faces = tuple(change.faces(said.faces))
    still = said.agenda is None and not said.side
    values = change.closed(merge=None, still=still, player=False)
    if said.side:
        return said.side, Position(said.source, scenario, State(values, agenda), faces)
    return "", Position.of(said.source, scenario, State(values, agenda), faces)


class _Change:
    """What is said of a position, gathered with all that is wrong with it."""

    def __init__(self, scenario: Scenario, values: Values) -> None:
        self.scenario, self._start = scenario, values
        self._fields: Fields = fields_of(scenario)
        self._atoms = atoms_of(scenario)
        self._updates: dict[str, Any] = {}
        self._placed: dict[str, tuple[StateField, dict[Any, Any]]] = {}
        self._names: defaultdict[str, set[str]] = defaultdict(set)
        self.faults: list[Fault] = []

    def unknown(self, key: str, what: str, name: str, known: Iterable[str]) -> None:
        """Note a name that there is not, once."""
        fault = unknown(key, what, name, known)
        self.faults += [] if fault in self.faults else [fault]

    def time(self, said: str | int) -> None:
        """Take the moment that is said: its number from 0, or its name, the first that begins with it."""
        self._names[TABLE].add("moment")
        name = self.scenario.clock.name
        found = said if isinstance(said, int) else next(called(name, str(said)), None)
        if found is None:
            self.faults.append(
                ("moment", f"there is no moment {said!r}", f"the first are {name(0)}, {name(1)}")
            )
        elif not 0 <= found <= LAST:
            self.faults.append(
                ("moment", f"{found} is no number of a moment", f"0 to {LAST}; 0 is {name(0)}")
            )
        else:
            self._updates["clock/moment"] = found

    def pairs(self, key: str, said: Any) -> Iterable[tuple[str, Any]]:
        """Return names with what is said of each; note a fault where there are none."""
        if said is None or isinstance(said, Mapping):
            return (said or {}).items()
        self.faults.append(
            (key, f"expected names with values, got {plain(str(said))!r}", "such as {'smoke': 3}")
        )
        return ()

    def say_all(self, group: str, place: str, entries: Values_ | None) -> None:
        """Take what a program says of a group: names with values, or one word."""
        if isinstance(entries, str):
            fields = self._group(group, place)
            word = next((n for n, f in fields.items() if entries in _choices(f)), None)
            entries = {entries: True} if entries in fields or word is None else {word: entries}
        for name, value in self.pairs(group, entries):
            inner = value.items() if isinstance(value, Mapping) else ((name, value),)
            for key, one in inner:
                self.say(group, place, key, Node.of(one))

    def _group(self, group: str, place: str) -> Mapping[str, StateField]:
        if group == GROUND:
            return self._fields.ground
        return (
            self._fields.table
            if group == TABLE
            else self._fields.at
            if place
            else self._fields.of(group)
        )

    def say(self, group: str, place: str, name: str, node: Node) -> None:
        """Take one thing that is said of the table, an asset, a unit or the ground, at a place or at none."""
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
            value = self._atoms.read(node, field.hint, self._among(field))
        except WrongAtomError as error:
            self.faults.append(
                (where, str(error), error.suggestion or str(field.about.get("help", "")))
            )
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
            prefix = {TABLE: "shared", GROUND: "ground"}.get(group) or self._fields.prefix(group)
            label = self.scenario.frame.label(spot) if place else ""
            self._updates[field.key(prefix, label)] = value

    def _among(self, field: StateField) -> tuple[str, ...]:
        """Return the texts that a field may be; none where it may be any."""
        among = field.about.get("among") or ()
        if isinstance(among, tuple):
            return among
        sides = {mission.side for mission in self.scenario.missions.values()} | {
            self.scenario.firer
        }
        sides |= {unit.side for unit in self.scenario.units.values()}
        known: Mapping[str, Iterable[str]] = {
            "asset": self.scenario.missions,
            "unit": self.scenario.units,
            "side": sorted(sides),
        }
        return ("", *known[among])

    def pending(self, agenda: Iterable[notation.Waiting]) -> Iterator[Pending]:
        """Yield what is still to be done."""
        for one in agenda:
            known: Mapping[str, Any] = self.scenario.questions if one.who else self.scenario.steps
            if one.name not in known:
                self.unknown(">", "question" if one.who else "step", one.name, known)
                continue
            wanted = arguments(self.scenario.steps[one.name].run)
            wanted = wanted[1:] if wanted and one.who else wanted
            if wanted is not None and len(wanted) != len(one.args):
                expected = ", ".join(name for name, _ in wanted) or "nothing"
                self.faults.append(
                    (f"> {one.name}", f"expected {expected}, got {len(one.args)} values", "")
                )
                continue
            pairs = zip(one.args, wanted or (("", Any),) * len(one.args), strict=True)
            args = tuple(self._argument(one, *pair) for pair in pairs)
            scope = "" if one.place is None else SCOPE + one.place
            yield Ask(one.who, one.name, args, scope) if one.who else Step(one.name, args, scope)

    def _argument(self, one: notation.Waiting, node: Node, wanted: tuple[str, Any]) -> Any:
        name, hint = wanted
        try:
            value = self._atoms.read(node, hint)
        except WrongAtomError as error:
            self.faults.append((f"> {one.name}.{name}", str(error), error.suggestion))
            return None
        known = {"mission": self.scenario.missions, "unit": self.scenario.units}.get(name)
        if known is not None and isinstance(value, str) and value not in known:
            self.unknown(f"> {one.name}", name, value, known)
        return value

    def faces(self, nodes: Iterable[Node]) -> Iterator[Face]:
        """Yield the dice given so far."""
        for node in nodes:
            try:
                yield self._atoms.read(node, int | str)
            except WrongAtomError as error:
                self.faults.append(
                    ("|", str(error), "a face of a die or the name of a chit, such as | 4 2")
                )

    def closed(self, *, merge: Values | None, still: bool, player: bool) -> Values:
        """Return the values with all that was said, laid over ``merge`` place by place.

        What follows from what a player says is added; what cannot be together is looked for where a
        moment is about to open. Raises ``PositionError`` with all faults.
        """
        for key, (field, said) in self._placed.items():
            before = (
                dict(field.places.spread(merge.get(key, field.default)))
                if field.places and merge is not None
                else {}
            )
            pairs = tuple((place, value) for place, value in {**before, **said}.items() if value)
            if field.places:
                self._updates[key] = field.places.gather(pairs)
        if self.faults:
            raise PositionError.of(self.faults)
        values = self._start.put(tuple(self._updates.items()))
        try:
            if player:
                values = self._implied(values)
            self.faults += (
                [("", text, "") for text in self._contradictions(values)] if still else []
            )
        except UNFIT as error:
            self.faults.append(("", f"the rules cannot make sense of this: {error}", ""))
        if self.faults:
            raise PositionError.of(self.faults)
        return values

    def _implied(self, values: Values) -> Values:
        for name, said in self._names.items():
            for part in self.scenario.parts:
                view = View(values.get, self.scenario, part.word)
                follows = part.implied(view, name, frozenset(said)).updates
                values = values.put(
                    tuple((key, value) for key, value in follows if key not in self._updates)
                )
        return values

    def _contradictions(self, values: Values) -> Iterator[str]:
        for mission in self.scenario.missions:
            now = View(values.get, self.scenario, "").mission(mission)
            if now.stage in (Stage.SPOTTING, Stage.FALLING, Stage.LINGERING):
                if now.impact is None:
                    yield f"{mission}: {now.stage.value}, but no round lies on the ground: say where (round)"
            elif now.impact is not None:
                yield f"{mission}: a round lies on the ground, but the mission is {now.stage.value}: say stage=spotting"
            if now.intent is not None:
                yield f"{mission}: a shot is under way (intent) where a moment has not yet begun"
            limit = self.scenario.parts.fire_limit(self.scenario, mission, 1)
            # An opening has a strength of 1, before its game says how much is fired.
            if limit is not None and now.strength > max(limit.strength, Fraction(1)):
                yield f"{mission}: strength {now.strength}, but its fire is never stronger than {limit.strength}"
        fixed = (
            {}
            if self.scenario.mobile
            else {unit: setup.place for unit, setup in self.scenario.units.items()}
        )
        for unit, place in fixed.items():
            if View(values.get, self.scenario, "").unit_neutral(unit).place != place:
                yield f"{unit}: nobody moves in this scenario, and it stands at {self.scenario.frame.label(place)}"
        for part in self.scenario.parts:
            yield from part.contradictions(View(values.get, self.scenario, part.word))


def _choices(field: StateField) -> tuple[str, ...]:
    enum = enum_of(field.hint)
    among = field.about.get("among") or ()
    return (
        tuple(one.name.lower() for one in enum)
        if enum
        else among
        if isinstance(among, tuple)
        else ()
    )
