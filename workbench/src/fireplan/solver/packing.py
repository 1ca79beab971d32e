"""States packed into integers.

The lowest bits of a state are a cell of the agenda (the steps still to run). The higher bits are a
code for the value of each key that some step has read; 0 is the value at the opening.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fireplan.solver.guesses import Groups
from fireplan.solver.states import CELL_BITS, CELLS, CLOCK, CODE_BITS, CODES, PackedField, with_type
from fireplan_core import Agenda, Pending
from fireplan_core.play import OPENING, State, Values
from fireplan_core.record import Read


class Restart(BaseException):
    """A signal to explore again, with one more key in the states or with other groups of values.

    If ``key`` is set, that key is added to the states, with this ``default``. Otherwise the values
    that share a code are grouped anew.

    It is a ``BaseException``, so that a rule reading a state does not catch it as an ``Exception``.
    """

    def __init__(self, key: str = "", default: Any = None) -> None:
        self.key = key
        self.default = default


class Packing:
    """States packed into integers: fields and cells of the agenda are numbered as they are met.

    Cells form a linked list, so the cost of a push does not depend on the length of the agenda:
    each has its step, the cell below, and the read trie of the step. Cell 0 is the empty agenda.
    """

    def __init__(
        self, initial: Mapping[str, Any], defaults: Mapping[str, Any], groups: Groups
    ) -> None:
        self.groups = groups
        self.fields: dict[str, PackedField] = {}
        self.unread_keys: set[str] = set()
        """The keys that are written, but that no step was known to read."""
        self.cells: list[tuple[Pending, int, list[Any]]] = [(OPENING, 0, [None])]
        self._initial = initial
        self._cell_ids: dict[tuple[Pending, int], int] = {}
        self._tries: dict[Pending, list[Any]] = {}
        for key, default in defaults.items():
            self.add_field(key, default)

    def add_field(self, key: str, default: Any) -> PackedField:
        """Add a key to the states, and return its field."""
        shift = CELL_BITS + CODE_BITS * len(self.fields)
        value = self._initial.get(key, default)
        field = self.fields[key] = PackedField(shift, value, self.groups.get(key, ()))
        return field

    def push(self, pushes: Agenda, cell: int) -> int:
        """Return the cell of an agenda with these steps on top of the agenda in ``cell``."""
        for pending in reversed(pushes):
            link = (pending, cell)
            pushed = self._cell_ids.get(link)
            if pushed is None:
                pushed = self._cell_ids[link] = len(self.cells)
                self.cells.append((pending, cell, self._tries.setdefault(pending, [None])))
            cell = pushed
        return cell

    def packed(self, state: State) -> int:
        """Return a state of play as an integer.

        Keys that no step is known to read are left out, and noted if their values differ from those
        at the opening.
        """
        packed = self.push(state.agenda, 0)
        for key, value in state.values.items():
            field = self.fields.get(key)
            if field is not None:
                packed |= field.code(value) << field.shift
            elif key not in self._initial or with_type(self._initial[key]) != with_type(value):
                self.unread_keys.add(key)
        return packed

    def agenda(self, state: int) -> list[Pending]:
        """Return the steps that a state has still to run, next step first."""
        agenda, cell = [], state & CELLS
        while cell:
            pending, cell, _ = self.cells[cell]
            agenda.append(pending)
        return agenda

    def unpacked(self, state: int) -> State:
        """Return a state that no step can distinguish from this one.

        Keys that are never read have their values at the opening.
        """
        (values,) = self.values([state])
        changed = {
            key: value
            for (key, field), value in zip(self.fields.items(), values, strict=True)
            if with_type(value) != with_type(field.opening)
        }
        return State(Values({**self._initial, **changed}), tuple(self.agenda(state)))

    def reader(self, state: int) -> Read:
        """Return the function ``read(key, default)`` for a state.

        It raises ``Restart`` for a key whose value in this state is not known.
        """

        def get(key: str, default: Any) -> Any:
            field = self.fields.get(key)
            if field is None:
                if key in self.unread_keys:
                    raise Restart(key, default)
                return self.add_field(key, default).opening
            code = state >> field.shift & CODES
            if code == CODES:
                raise Restart(key, default)
            return field.members[code][0] if code else field.opening

        return get

    def meanings(self, key: str, state: int) -> tuple[Any, ...]:
        """Return the values that a state's code for a key represents."""
        field = self.fields[key]
        return field.members[state >> field.shift & CODES]

    def masks(self, updates: Iterable[tuple[str, Any]]) -> tuple[int, int]:
        """Return two masks for a packed state: the bits that updates keep, and the bits they set.

        The lowest bits are cleared for a new cell.
        """
        cleared, bits = CELLS, 0
        for key, value in dict(updates).items():
            field = self.fields.get(key)
            if field is None:
                self.unread_keys.add(key)
                continue
            cleared |= CODES << field.shift
            bits |= field.code(value) << field.shift
        return ~cleared, bits

    def ticked(self, state: int) -> int:
        """Return a state with the clock advanced by one moment.

        A state is returned unchanged if no step is known to read the clock.
        """
        field = self.fields.get(CLOCK)
        if field is None:
            # The clock changes every moment, so exploration must restart if a later step reads it.
            self.unread_keys.add(CLOCK)
            return state
        after = field.code(self.meanings(CLOCK, state)[0] + 1)
        return state & ~(CODES << field.shift) | after << field.shift

    def values(
        self, states: Sequence[int], keys: Iterable[str] | None = None
    ) -> tuple[tuple[Any, ...], ...]:
        """Return the values of each of these states, by default in the order of the fields.

        With ``keys``, only the values of these keys are returned, in this order. Where values share
        a code, the first is given; a dropped value is None.
        """
        fields = [
            (
                field.shift,
                dict(enumerate([field.opening, *(alike[0] for alike in field.members[1:])])),
            )
            for field in (self.fields[key] for key in keys or self.fields)
        ]
        return tuple(
            tuple([of_code.get(state >> shift & CODES) for shift, of_code in fields])
            for state in states
        )

    def merged_count(self, states: Sequence[int], groups: Groups) -> int:
        """Return the number of distinct states among these if the values of a group were equal."""
        merges: list[tuple[int, dict[int, int]]] = []
        for key, value_groups in groups.items():
            field = self.fields[key]
            first_of: dict[int, int] = {}
            for group in value_groups:
                codes = sorted({field.codes[v] for v in map(with_type, group) if v in field.codes})
                if codes:
                    first_of |= dict.fromkeys(codes[1:], codes[0])
            merges.append((field.shift, first_of))
        merged: set[int] = set()
        for state in states:
            packed = state
            for shift, first_of in merges:
                code = state >> shift & CODES
                packed += first_of.get(code, code) - code << shift
            merged.add(packed)
        return len(merged)
