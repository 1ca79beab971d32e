"""Say what an exploration starts from, and the keys that its states keep with a code for each value."""

import gc
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeGuard

import attrs

from fireplan.solver.compile import Compiler
from fireplan_core import Ask, Pending, Step
from fireplan_core.chance import RandomFaces
from fireplan_core.play import OPENING, State

CLOCK = "clock/moment"
MAX_NODES = 400_000
MAX_RUNS = 10_000
"""Rule runs (distinct situations of a step) that the exact solver takes on."""
READS_PER_RUN = 250
"""Say how often rules may read a value, for each rule run that is taken on: some look through a whole map each time."""
MAX_WALKED = 16_000_000
"""Steps walked between the states that it keeps: what takes the time where states have very many ways on."""
WALKED_PER_NODE = 60
MAX_STEPS = 10_000
CELL_BITS, CODE_BITS = 24, 16
CELLS, CODES = (1 << CELL_BITS) - 1, (1 << CODE_BITS) - 1
SCOUTS, SCOUTED = 24, 8
"""Random missions followed to find the keys that are read, and for how many moments each."""
SHOWN = 4
"""Keys whose values multiply that are told of."""


class TooLargeError(Exception):
    """A scenario with more states than the exact solver takes on; sample it instead.

    ``moments`` is for how many moments everything had been followed: so many are not too large.
    """

    def __init__(self, what: str, moments: int = 0) -> None:
        super().__init__(what, moments)
        self.what = what
        self.moments = moments

    def __str__(self) -> str:
        return self.what


@attrs.frozen(eq=False, repr=False)
class Journey:
    """Say what is to be explored, from ``start`` or from what is left of a ``state``'s moment.

    With ``apart``, steps that carry a scope are not carried out but set apart on their way, so that
    what they do can be solved on its own (but for those of the scopes ``carried``); what is put to
    the keys ``watched`` is told on its way too. With ``spliced``, a state from which there is one
    way on is not kept: the way leads through it and bears what is told. With ``horizon`` nothing is
    explored beyond so many moments; nodes reached at its end have a way to themselves. Where a rule
    reads the clock, time is part of the state; then nothing is explored beyond moment ``moments``.
    With ``whole``, states forget nothing.
    """

    compiler: Compiler
    start: tuple[Pending, ...] = (OPENING,)
    state: State | None = None
    apart: bool = False
    watched: frozenset[str] = frozenset()
    spliced: bool = False
    horizon: int | None = None
    moments: int | None = None
    max_nodes: int = MAX_NODES
    max_runs: int = MAX_RUNS
    carried: frozenset[str] = frozenset()
    late: Callable[[], bool] = bool
    whole: bool = False
    max_walked: int = attrs.Factory(
        lambda self: min(MAX_WALKED, self.max_nodes * WALKED_PER_NODE), takes_self=True
    )
    max_reads: int = attrs.Factory(lambda self: self.max_runs * READS_PER_RUN, takes_self=True)

    @property
    def initial(self) -> Mapping[str, Any]:
        """Return the values that everything starts with."""
        return self.compiler.scenario.initial if self.state is None else self.state.values

    @property
    def opening(self) -> tuple[Pending, ...]:
        """Return what is to be done first."""
        return self.start if self.state is None else self.state.agenda

    @property
    def spent(self) -> bool:
        """Return whether rules have been run as often, or have read as much, as is taken on."""
        return self.compiler.runs > self.max_runs or self.compiler.reads > self.max_reads

    def sets_apart(self, pending: Pending) -> TypeGuard[Step]:
        """Return whether something is told where it would be carried out."""
        return (
            self.apart
            and bool(pending.scope)
            and isinstance(pending, Step)
            and pending.scope not in self.carried
        )


def scouted(journey: Journey) -> dict[str, Any]:
    """Return most of what states must keep: what random missions read after it had been updated, with defaults."""
    faces = RandomFaces("scouts")
    update: set[str] = set()
    found: dict[str, Any] = {}
    moments = SCOUTED if journey.moments is None else min(SCOUTED, journey.moments)
    for _ in range(SCOUTS):
        values = dict(journey.initial)

        def get(key: str, default: Any, values: dict[str, Any] = values) -> Any:
            if key in update:
                found[key] = default
            return values.get(key, default)

        agenda = list(reversed(journey.opening))
        for _ in range(moments):
            steps = 0
            while agenda and steps < MAX_STEPS and not (journey.spent or journey.late()):
                steps += 1
                pending = agenda.pop()
                if journey.sets_apart(pending):
                    continue
                rows = journey.compiler.rows(pending, get).rows
                outcome = rows[faces.below(len(rows)) if len(rows) > 1 else 0].outcome
                values.update(outcome.updates)
                update.update(key for key, _ in outcome.updates)
                agenda.extend(reversed(outcome.pushes))
            agenda = list(reversed(journey.start))
            update.add(CLOCK)
            values[CLOCK] = values.get(CLOCK, 0) + 1
    return found


class Field:
    """A key of the states: where its code stands, and which values each code means."""

    __slots__ = ("codes", "groups", "members", "opening", "shift")

    def __init__(self, shift: int, opening: Any, groups: Sequence[tuple[Any, ...]]) -> None:
        self.shift = shift
        self.opening = opening
        self.groups = {typed(value): group for group in groups for value in group}
        self.codes: dict[tuple[type, Any], int] = {}
        self.members: list[tuple[Any, ...]] = []
        self.code(opening)

    def code(self, value: Any) -> int:
        """Return the code of a value; new ones are given out as they are met."""
        key = typed(value)
        found = self.codes.get(key)
        if found is None:
            found = len(self.members)
            if found >= CODES:  # the last one stands for a value that is forgotten
                raise TooLargeError(f"more than {CODES:,} values of one key")
            group = self.groups.get(key, (value,))
            self.members.append(group)
            self.codes.update((typed(member), found) for member in group)
        return found


def typed(value: Any) -> tuple[type, Any]:
    """Return a value with its type: ``True`` is not 1 to a rule."""
    return type(value), value


@contextmanager
def uncollected() -> Iterator[None]:
    """Keep the garbage collector off meanwhile, also as a decorator: it would walk states that all stay.

    What nobody refers to any more is freed as ever; only cycles wait, and they are bounded as the
    states are.
    """
    searching = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if searching:
            gc.enable()


# --- what makes an exploration too large, in words --------------------------------------------------
def busiest(compiler: Compiler) -> list[tuple[str, int, int]]:
    """Return steps and questions by how many situations they were met in: name, situations, most keys that are read."""
    runs: dict[str, tuple[int, int]] = {}
    for pending in compiler.compiled:
        name = f"the question {pending.question}" if isinstance(pending, Ask) else pending.name
        met, reads = runs.get(name, (0, 0))
        runs[name] = met + compiler.situations(pending), max(reads, len(compiler.keys(pending)))
    return sorted(((name, *found) for name, found in runs.items()), key=lambda row: -row[1])


def situations(compiler: Compiler) -> str:
    """Return the step or question that was run most often, e.g. ``9,318 situations in delays.draw``."""
    name, met, reads = busiest(compiler)[0]
    return f"{met:,} situations in {name}, which depends on up to {reads} values"


def growing(fields: Mapping[str, Field], before: Mapping[str, int]) -> list[str]:
    """Return the keys with more than one value, the one whose values have grown most since before first."""

    def growth(key: str) -> tuple[int, int]:
        size = len(fields[key].members)
        return size - before.get(key, 0), size

    return sorted(
        (key for key, field in fields.items() if len(field.members) > 1), key=growth, reverse=True
    )


def multiplied(fields: Mapping[str, Field], before: Mapping[str, int]) -> str:
    """Return the key whose values have grown most since before, which others multiply, and the usual cure for it."""
    keys = growing(fields, before)[:SHOWN]
    if not keys:
        return "orders and dice alone"
    (key, field), *others = [(key, fields[key]) for key in keys]
    also = ", ".join(f"{name} {len(more.members):,}" for name, more in others)
    times = f", times what else changes ({also})" if also else ""
    return f"{key} takes {len(field.members):,} values{times}: {cure(key, [one for one, *_ in field.members])}"


def cure(key: str, values: Sequence[Any]) -> str:
    """Return what usually helps where a key takes too many values: by what they are, and whose."""
    kinds = {type(value) for value in values if value is not None}
    counts = kinds == {int}
    if key == "shared/out":
        return "cards are told too finely; ask the same few things of all, put back or shuffle where a rule does"
    if key.startswith("units/"):
        return "each unit multiplies; keep the worst that befell it, bound it, clear it with the turn, stage fewer"
    if counts:
        return "a count without an end; stop it at the highest that a rule still asks for"
    if kinds == {tuple} and all(len(value) == len(values[-1]) for value in values if value):
        return "a place without bounds; limit how far it moves, or clear it when no rule asks for it any more"
    if kinds & {tuple, frozenset}:
        return "a list in order; keep counts by kind, and draw only what is looked at"
    return "keep no more of it than a rule still asks for"
