"""The starting point of an exploration, and the fields of its states.

A field stores one key of the state as a small code for each value met.
"""

import gc
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Self, TypeGuard

import attrs

from fireplan.solver.compile import Compiler
from fireplan.strategies import StrategyError
from fireplan_core import Agenda, Ask, Pending, Step
from fireplan_core.chance import RandomFaces
from fireplan_core.play import OPENING, State

Late = Callable[[], bool]
"""Returns whether the time for a computation is up."""
CLOCK = "clock/moment"
MAX_NODES = 400_000
MAX_RUNS = 10_000
"""Maximum number of rule runs (distinct situations of a step) in the exact solver."""
READS_PER_RUN = 250
"""Reads allowed for each rule run allowed; some rules scan a whole map."""
MAX_WALKED = 16_000_000
"""Maximum number of steps walked between kept states.

Walking takes most of the time where states have many successors.
"""
WALKED_PER_NODE = 60
MAX_STEPS = 10_000
CELL_BITS, CODE_BITS = 24, 16
CELLS, CODES = (1 << CELL_BITS) - 1, (1 << CODE_BITS) - 1
SCOUTS, SCOUTED = 24, 8
"""Number of random missions that look for the keys that are read, and moments of each."""
SHOWN = 4
"""Maximum number of keys that an error message lists."""


class TooLargeError(Exception):
    """An error raised if a scenario has too many states for the exact solver; sample it instead.

    ``moments`` is the number of moments that were explored in full before the limit was reached.
    """

    def __init__(self, message: str, moments: int = 0) -> None:
        super().__init__(message, moments)
        self.message = message
        self.moments = moments

    def __str__(self) -> str:
        return self.message

    def afresh(self) -> Self:
        """Return the same error without a traceback, which would keep all that was explored."""
        return type(self)(self.message, self.moments)


@attrs.frozen(eq=False, repr=False)
class Exploration:
    """A request for an exploration from the agenda ``start``, or from ``state`` and its agenda.

    With ``apart``, steps that carry a scope (strikes) are not run but set apart: they are recorded
    on the transition and solved separately, except those whose scope is in ``carried``. Updates of
    the ``watched`` keys are recorded as well. With ``counts``, strikes that are run are recorded on
    the transition too. With ``spliced``, states with a single successor are skipped, and their
    emissions move to the transition that passes through them.

    With ``horizon``, exploration stops after that many moments, and the nodes reached then loop to
    themselves. Where a rule reads the clock, time is part of the state, and exploration stops at
    moment ``moments``. With ``whole``, states keep all their keys. ``late`` returns true when time
    is up.
    """

    compiler: Compiler
    start: Agenda = (OPENING,)
    state: State | None = None
    apart: bool = False
    watched: frozenset[str] = frozenset()
    counts: bool = False
    spliced: bool = False
    horizon: int | None = None
    moments: int | None = None
    max_nodes: int = MAX_NODES
    max_runs: int = MAX_RUNS
    carried: frozenset[str] = frozenset()
    late: Late = bool
    whole: bool = False
    max_walked: int = attrs.Factory(
        lambda self: min(MAX_WALKED, self.max_nodes * WALKED_PER_NODE), takes_self=True
    )
    max_reads: int = attrs.Factory(lambda self: self.max_runs * READS_PER_RUN, takes_self=True)

    @property
    def initial(self) -> Mapping[str, Any]:
        """Return the values of the first state, by key."""
        return self.compiler.scenario.initial if self.state is None else self.state.values

    @property
    def opening(self) -> Agenda:
        """Return the agenda of the first state."""
        return self.start if self.state is None else self.state.agenda

    @property
    def spent(self) -> bool:
        """Return whether the limit of rule runs or of reads is exceeded."""
        return self.compiler.runs > self.max_runs or self.compiler.reads > self.max_reads

    def sets_apart(self, pending: Pending) -> TypeGuard[Step]:
        """Return whether a step is recorded on the transition instead of run."""
        return (
            self.apart
            and bool(pending.scope)
            and isinstance(pending, Step)
            and pending.scope not in self.carried
        )


def scout(exploration: Exploration) -> dict[str, Any]:
    """Map each key that random missions write and later read to the default of the last reading."""
    faces = RandomFaces("scouts")
    written: set[str] = set()
    defaults: dict[str, Any] = {}
    moments = SCOUTED if exploration.moments is None else min(SCOUTED, exploration.moments)
    for _ in range(SCOUTS):
        values = dict(exploration.initial)

        def get(key: str, default: Any, values: dict[str, Any] = values) -> Any:
            if key in written:
                defaults[key] = default
            return values.get(key, default)

        agenda = list(reversed(exploration.opening))
        for _ in range(moments):
            steps = 0
            while agenda and steps < MAX_STEPS and not (exploration.spent or exploration.late()):
                steps += 1
                pending = agenda.pop()
                if exploration.sets_apart(pending):
                    continue
                try:
                    rows = exploration.compiler.rows(pending, get).rows
                except StrategyError as error:
                    raise error.at(values, pending, agenda) from None
                outcome = rows[faces.below(len(rows)) if len(rows) > 1 else 0].outcome
                values.update(outcome.updates)
                written.update(key for key, _ in outcome.updates)
                agenda.extend(reversed(outcome.pushes))
            agenda = list(reversed(exploration.start))
            written.add(CLOCK)
            values[CLOCK] = values.get(CLOCK, 0) + 1
    return defaults


class PackedField:
    """A key of the states: the position of its code, and the values that each code represents."""

    __slots__ = ("codes", "groups", "members", "opening", "shift")

    def __init__(self, shift: int, opening: Any, groups: Sequence[tuple[Any, ...]]) -> None:
        self.shift = shift
        self.opening = opening
        self.groups = {with_type(value): group for group in groups for value in group}
        self.codes: dict[tuple[type, Any], int] = {}
        self.members: list[tuple[Any, ...]] = []
        self.code(opening)

    def code(self, value: Any) -> int:
        """Return the code of a value; a new value gets the next free code.

        Raises ``TooLargeError`` if no code is free.
        """
        key = with_type(value)
        code = self.codes.get(key)
        if code is None:
            code = len(self.members)
            if code >= CODES:  # the last code represents a dropped value
                raise TooLargeError(f"more than {CODES:,} values for one key")
            group = self.groups.get(key, (value,))
            self.members.append(group)
            self.codes.update((with_type(member), code) for member in group)
        return code


def with_type(value: Any) -> tuple[type, Any]:
    """Return a value with its type, because ``True`` is not 1 to a rule."""
    return type(value), value


@contextmanager
def uncollected() -> Iterator[None]:
    """Turn the garbage collector off inside the block; also works as a decorator.

    An exploration keeps all its states, so searching them for garbage is wasted. Unreferenced
    objects are still freed; only cycles remain, and they take less memory than the states.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


# --- explaining why an exploration is too large ---------------------------------------------------
def busiest(compiler: Compiler) -> list[tuple[str, int, int]]:
    """Return (name, situations, most keys read) for each step and question, the busiest first."""
    runs: dict[str, tuple[int, int]] = {}
    for pending in compiler.compiled:
        name = f"the question {pending.question}" if isinstance(pending, Ask) else pending.name
        count, reads = runs.get(name, (0, 0))
        runs[name] = count + compiler.situations(pending), max(reads, len(compiler.keys(pending)))
    return sorted(((name, *counts) for name, counts in runs.items()), key=lambda row: -row[1])


def situations(compiler: Compiler) -> str:
    """Return the busiest step or question as text, e.g. ``9,318 situations in delays.draw``."""
    name, count, reads = busiest(compiler)[0]
    return f"{count:,} situations in {name}, which depends on up to {reads} values"


def growing(fields: Mapping[str, PackedField], before: Mapping[str, int]) -> list[str]:
    """Return the keys with several values, by the number of values gained since ``before``.

    The key that gained the most comes first.
    """

    def growth(key: str) -> tuple[int, int]:
        size = len(fields[key].members)
        return size - before.get(key, 0), size

    return sorted(
        (key for key, field in fields.items() if len(field.members) > 1), key=growth, reverse=True
    )


def multiplied(fields: Mapping[str, PackedField], before: Mapping[str, int]) -> str:
    """Return a phrase: the fastest-growing key, the keys that multiply it, and the usual cure."""
    keys = growing(fields, before)[:SHOWN]
    if not keys:
        return "only the orders and dice differ"
    (key, field), *others = [(key, fields[key]) for key in keys]
    also = ", ".join(f"{name} {len(other.members):,}" for name, other in others)
    times = f", multiplied by other keys ({also})" if also else ""
    advice = cure(key, [value for value, *_ in field.members])
    return f"{key} takes {len(field.members):,} values{times}: {advice}"


def cure(key: str, values: Sequence[Any]) -> str:
    """Return the usual advice for a key with too many values, by the kinds of key and value."""
    kinds = {type(value) for value in values if value is not None}
    counts = kinds == {int}
    if key == "shared/out":
        return (
            "cards are told apart too finely; read the same few properties of every card, "
            "and put cards back or shuffle when a rule does"
        )
    if key.startswith("units/"):
        return (
            "every unit multiplies the states; keep only the worst result it suffered, "
            "put a limit on it, clear it each turn, or stage fewer units"
        )
    if counts:
        return "an unbounded count; stop it at the highest value that a rule reads"
    if kinds == {tuple} and all(len(value) == len(values[-1]) for value in values if value):
        return (
            "an unbounded place; limit how far it moves, or clear it when no rule reads it any more"
        )
    if kinds & {tuple, frozenset}:
        return "an ordered list; keep counts by kind, and draw only what is looked at"
    return "keep only as much of it as a rule still reads"
