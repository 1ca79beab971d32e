"""The checks on odds and state: sums of chances, exactness, frozen values, separate parts."""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import suppress
from fractions import Fraction
from itertools import islice
from typing import Any

import attrs

from fireplan import solver
from fireplan_core import (
    WORDS,
    Ask,
    Mission,
    Pending,
    ProcedureError,
    Scenario,
    Step,
    Unit,
    defaults,
)
from fireplan_core.chance import RandomFaces
from fireplan_core.mission import MISSION_EVENTS
from fireplan_core.play import OPENING, StepOutcome, Table, Thrown, Values, play_out
from fireplan_core.record import Read
from fireplan_kit.bench import Bench
from fireplan_kit.check import Flaw, Flaws, tidy
from fireplan_kit.walkers import fixed_outcome

MOST_OUTCOMES = 5_000
MOST_BRANCHES = 200
TRAJECTORIES = 1_500
DIRECT_MOMENTS = 3
MOST_DIRECT = {True: 10_000, False: 25_000}
"""Maximum number of situations to follow directly, with strikes (True) and without (False).

The limits apply to games whose strikes stay at their places; in other games all situations are
followed.
"""
Branches = Callable[[Pending, Read], Iterable[tuple[int, int, StepOutcome]]]
"""Returns the branches of a step or question as (weight, total, outcome); reads values by key."""
COUNTED_MOMENTS, COUNTED, PLAYS, JOINT_STATES, HARDLY_EVER = 2, 400, 3, 4_000, 1e-6


def mass_is_one(bench: Bench) -> Flaws:
    """Check that step weights sum to their totals, and chances sum to 1 after every moment."""
    try:
        after = solver.solve_each(
            bench.analysis.plan, solver.Ever("fall", "on_target", (True,)), bench.moments
        )
        return [
            f"moment {n}: the chances of all states do not sum to 1"
            for n, shares in enumerate(after)
            if sum(shares.shares.values()) != 1
        ]
    except ProcedureError as error:
        return [str(error)]


def exact_agrees_with_sampled(bench: Bench, trajectories: int = TRAJECTORIES) -> Flaws:
    """Check that 1,500 sampled missions agree with the exact odds.

    A difference is a flaw if chance causes it less than once in a million times; a sample must
    never show an outcome that the exact answer excludes.
    """
    measures: list[solver.Measure] = [
        solver.FirstFall(),
        solver.own_troops_under_fire(),
        solver.exhausted(),
    ]
    exact = [bench.analysis.solve(measure).shares for measure in measures]
    for unit in bench.scenario.targets[:1]:
        measures.append(solver.WorstSeverity(unit))
        exact.append(bench.analysis.unit_severities()[unit])
    drawn = solver.sample(bench.compiler, measures, bench.moments, trajectories, seed=1)
    return [
        fault
        for measure, counts, shares in zip(measures, drawn, exact, strict=True)
        for fault in _unlikely(type(measure).__name__, counts, shares)
    ]


def _unlikely(
    name: str, counts: solver.Sampled, shares: Mapping[Hashable, Fraction]
) -> Iterator[str]:
    """Yield a flaw for each value that was sampled more or less often than chance allows."""
    size = counts.trajectories
    for state in {**shares, **counts.counts}:
        times, share = counts.counts.get(state, 0), shares.get(state, Fraction(0))
        if solver.tail(times, size, share) < HARDLY_EVER:
            yield f"{name} {state}: the exact chance is {100 * float(share):.3f} %, but it came up in {times} of {size} samples"


def every_event_is_solved(bench: Bench) -> Flaws:
    """Check that exact odds, the joint chain and samples agree on how often each event happens.

    A sampled count is a flaw if chance causes it less than once in a million times. The joint chain
    is skipped if it is large.
    """
    moments = min(bench.moments, COUNTED_MOMENTS)
    analysis = solver.Analysis(bench.scenario, moments, compiler=bench.compiler)
    kinds = {*analysis.kinds}
    for seed in range(PLAYS):
        kinds |= {
            entry.event.kind
            for entry in play_out(Table(bench.scenario, moments), RandomFaces(seed)).log
        }
    measures = [solver.Count(kind) for kind in sorted(kinds)]
    try:
        whole = solver.build_chain(
            bench.compiler, spliced=True, moments=moments, horizon=moments, max_nodes=JOINT_STATES
        )
        joint = solver.PreparedChain(whole)
    except solver.TooLargeError:
        joint = None
    faults: Flaws = []
    drawn = solver.sample(bench.compiler, measures, moments, COUNTED, seed=1)
    for measure, counts in zip(measures, drawn, strict=True):
        try:
            shares = analysis.solve(measure).shares
        except solver.TooLargeError:
            continue  # too large to solve, which is not a flaw
        if joint is not None and solver.solve(joint, measure, moments).shares != shares:
            faults.append(
                f"{measure.kind}: the odds with each place solved separately differ from the joint odds"
            )
        faults += _unlikely(measure.kind, counts, shares)
    return faults


def everything_is_frozen(bench: Bench) -> Flaws:
    """Check that states, events, orders and inputs are hashable and cannot be changed."""
    faults: Flaws = []
    values: list[object] = []
    for seed in (3, 4, 5):
        table = bench.played(seed)
        values += [table.state, *table.journal, *table.log, *(entry.event for entry in table.log)]
    for asset in bench.scenario.missions.values():
        values.extend((*asset.slots.values(), *asset.facts.values()))
    for unit in bench.scenario.units.values():
        values.extend((*unit.slots.values(), *unit.facts.values()))
    values.extend(bench.scenario.shared.values())
    for value in values:
        try:
            hash(value)
        except TypeError:
            faults.append(f"{type(value).__name__} cannot be hashed: use tuples and frozen records")
        kind: Any = type(value)
        fields = attrs.fields(kind) if attrs.has(kind) else ()
        for field in islice(fields, 1):
            try:
                setattr(value, field.name, getattr(value, field.name))
            except attrs.exceptions.FrozenInstanceError:
                continue
            faults.append(f"{type(value).__name__} can be changed: make it frozen (@record)")
    return tidy(faults)


def parts_keep_to_themselves(bench: Bench) -> Flaws:
    """Check that a part changes only its own fields, and reads only its own and published fields.

    Neutral fields may be changed by the parts that they name. A value that a part reads to answer
    another part (such as which hexes are seen or covered) counts as the answering part's own
    reading. A number that a part keeps stays between the limits of its field.
    """
    published = {
        p.word: {name for kind in p.publishes for name in defaults(kind)}
        for p in bench.scenario.parts
    }
    own = {
        p.word: {name for kind in p.keeps.records for name in defaults(kind)}
        for p in bench.scenario.parts
    }
    faults: Flaws = []
    assert bench.chain.tops  # noqa: S101 - building the chain compiles the steps
    for pending in bench.compiler.compiled:
        word = _part_of(pending)
        for key in bench.compiler.keys(pending):
            owner, field = _owner(key)
            if (
                owner
                and word != "core"
                and owner not in (word, "observers")
                and field not in published[owner]
            ):
                faults.append(
                    Flaw(
                        f"{pending} reads {key}, which the {owner} do not publish",
                        _rule(bench, pending),
                    )
                )
            elif owner == word and field not in own[word]:
                faults.append(
                    Flaw(
                        f"{pending} reads {key}, which the {word} do not keep",
                        _rule(bench, pending),
                    )
                )
    return tidy(
        [*faults, *_writes_elsewhere(bench), *_beyond_limits(bench), *_events_of_the_core(bench)]
    )


def _events_of_the_core(bench: Bench) -> Iterator[Flaw]:
    """Yield a flaw for each event on the progress of a mission that a part emits itself."""
    for top, edges in zip(bench.chain.tops, bench.chain.edges, strict=True):
        for event in (event for edge in edges for event in edge.events):
            if event.kind in MISSION_EVENTS and _part_of(top) != "core":
                yield Flaw(
                    f"{top} emits {event.kind!r}, which the core emits: push a step of the core",
                    event.cite,
                )


def _beyond_limits(bench: Bench) -> Iterator[Flaw]:
    """Yield a flaw for each number reached that is not ``between`` the limits of its field."""
    fields: dict[tuple[str, str], list[Any]] = {}
    for part in bench.scenario.parts:
        for field in (field for kind in part.keeps.records for field in attrs.fields(kind)):
            if field.metadata.get("range"):
                fields.setdefault((part.word, field.name), []).append(field.metadata)
    for index, key in enumerate(bench.chain.keys):
        owner, name = _owner(key)
        if limited := fields.get((owner or "", name)):
            reached = {values[index] for values in bench.chain.values}
            allowed = [about["range"] for about in limited]
            beyond = [
                number
                for number in reached
                if isinstance(number, int) and not any(a <= number <= z for a, z in allowed)
            ]
            if beyond:
                low, high = allowed[0]
                text = f"{key} reaches {max(beyond)}, outside its limits {low} to {high}"
                yield Flaw(text, limited[0]["rule"])


def _writes_elsewhere(bench: Bench) -> Iterator[Flaw]:
    for node, top in bench.situations():
        word = _part_of(top)
        for key in {
            key
            for row in bench.compiler.rows(top, bench.reader(node)).rows
            for key, _ in row.outcome.updates
        }:
            owner, _ = _owner(key)
            if owner not in (None, word):
                yield Flaw(f"{top} writes {key}, which belongs to the {owner}", _rule(bench, top))
            if word not in ("core", *_changed_by(key)):
                yield Flaw(
                    f"{top} changes {key}, which the {word} may not change", _rule(bench, top)
                )


def _part_of(pending: Pending) -> str:
    return pending.name.partition(".")[0]


def _changed_by(key: str) -> tuple[str, ...]:
    """Return the names of the parts that may change a field.

    Any part may change a field that is not neutral.
    """
    head, *inner = key.split("/")
    neutral: Any = {"missions": Mission, "units": Unit}.get(head) if len(inner) == 2 else None  # noqa: PLR2004
    return WORDS if neutral is None else attrs.fields_dict(neutral)[inner[1]].metadata["by"]


def _owner(key: str) -> tuple[str | None, str]:
    """Return (part, field) for a key; the part is None for neutral fields and the clock."""
    head, *inner = key.split("/")
    field = inner[-1]
    if head == "clock":
        return None, field
    if head == "shared" and len(inner) == 1:
        return None, field
    if head in ("missions", "units"):
        return (None, field) if len(inner) == 2 else (inner[1], field)  # noqa: PLR2004 - id, field
    return inner[0], field


def _rule(bench: Bench, pending: Pending) -> str:
    step = bench.scenario.steps.get(pending.name)
    return step.cite if step else ""


def one_cause_strikes_once(bench: Bench) -> Flaws:
    """Check that one fall strikes no place twice, and one cause emits no event twice.

    A cause is a step, or a throw or order with everything that follows from it. Only falls may be
    equal, because two shells may land alike.
    """
    faults: Flaws = []
    for edges in bench.chain.edges:
        for edge in edges:
            scopes = [step.scope for step in edge.apart]
            if len(scopes) != len(set(scopes)):
                faults.append(f"one fall of shot strikes a place twice: {sorted(scopes)}")
    for seed in (11, 12, 13):
        table = Table(bench.scenario, bench.moments)
        for entered in (None, *bench.played(seed).journal):
            before = len(table.log) if entered else 0
            if entered:
                table.submit(entered)
            faults += [
                Flaw(
                    f"one {'throw' if isinstance(entered, Thrown) else 'order'} emits"
                    f" {entry.event.kind} {count} times",
                    entry.event.cite,
                )
                for entry, count in Counter(table.log[before:]).items()
                if count > 1 and entry.event.kind != "fall"
            ]
    for node, top in bench.situations():
        for row in bench.compiler.rows(top, bench.reader(node)).rows:
            faults += [
                Flaw(f"{top} emits {event.kind} {count} times", event.cite)
                for event, count in Counter(row.outcome.events).items()
                if count > 1
            ]
    return tidy(faults)


def steps_are_small(bench: Bench) -> Flaws:
    """Check that no step has more than 200 branches, even if many lead to the same state.

    A step that throws must lead to more than one outcome somewhere.
    """
    sizes = [
        (top, len(edges)) for top, edges in zip(bench.chain.tops, bench.chain.edges, strict=True)
    ]
    sizes += [
        (top, len(bench.compiler.rulebook.branches(top, bench.reader(node))))
        for node, top in bench.situations(most=1)
        if not isinstance(top, Ask)
    ]
    return tidy(
        [
            *(
                Flaw(f"{top} has {size} branches, more than {MOST_BRANCHES}: split the step", rule)
                for top, size in sizes
                if size > MOST_BRANCHES
                for rule in [_rule(bench, top)]
            ),
            *_idle_throws(bench),
        ]
    )


def _idle_throws(bench: Bench) -> Iterator[Flaw]:
    """Yield a flaw for each step that throws dice but has the same outcome for every throw."""
    outcomes: dict[str, int] = {}
    steps: dict[str, tuple[Step, int]] = {}
    for node, top in bench.situations():
        if not isinstance(top, Ask):
            rows = len(bench.compiler.rows(top, bench.reader(node)).rows)
            outcomes[top.name] = max(outcomes.get(top.name, 0), rows)
            steps[top.name] = top, node
    for name, (step, node) in steps.items():
        if outcomes[name] > 1:
            continue
        roll = bench.compiler.rulebook.branches(step, bench.reader(node))[0][3].roll
        if roll is not None:
            yield Flaw(
                f"{name} throws {roll.event.name}, but nothing depends on the result",
                _rule(bench, step),
            )


def three_evaluations_agree(bench: Bench) -> Flaws:
    """Check that compiled rows, direct evaluation and play give each step the same outcomes."""
    return _three_evaluations(
        bench, ((top, bench.reader(node)) for node, top in bench.situations(most=150))
    )


def evaluations_agree_in_play(bench: Bench) -> Flaws:
    """Check that compiled rows, direct evaluation and play agree at throws of played missions."""
    return _three_evaluations(bench, _throws_in_play(bench))


def _throws_in_play(bench: Bench) -> Iterator[tuple[Pending, Read]]:
    for seed in range(PLAYS):
        table = Table(bench.scenario, bench.moments)
        for entered in bench.played(seed).journal:
            yield table.state.agenda[0], table.read
            table.submit(entered)


def _three_evaluations(bench: Bench, situations: Iterable[tuple[Pending, Read]]) -> Flaws:
    faults: Flaws = []
    rulebook = bench.compiler.rulebook
    for top, read in situations:
        if isinstance(top, Ask):
            continue
        compiled = {row.outcome: row.weight for row in bench.compiler.rows(top, read).rows}
        total = bench.compiler.rows(top, read).total
        branches = rulebook.branches(top, read)
        whole, roll = branches[0][1], branches[0][3].roll
        direct, played = Counter[StepOutcome](), Counter[StepOutcome]()
        for weight, _, outcome, _ in branches:
            direct[outcome] += weight
        if {o: w * whole for o, w in compiled.items()} != {o: w * total for o, w in direct.items()}:
            faults.append(
                Flaw(f"{top}: compiled rows and direct evaluation differ", _rule(bench, top))
            )
        if roll is None or len(roll.event.space) > MOST_OUTCOMES:
            continue
        for fell, weight in roll.event.space:
            played[rulebook.run(top, fixed_outcome(fell), read)] += weight
        if played != direct:
            faults.append(
                Flaw(
                    f"{top}: play with every combination of faces and direct evaluation differ",
                    _rule(bench, top),
                )
            )
    return tidy(faults)


def whole_missions_agree_with_direct_solution(bench: Bench) -> Flaws:
    """Check that following every outcome with fractions gives the same odds as the chain.

    Only the first moments are compared.
    """
    moments = min(bench.moments, DIRECT_MOMENTS)
    measures: tuple[solver.Measure, ...] = (
        solver.FirstFall(),
        solver.exhausted(),
        solver.own_troops_under_fire(),
    )
    faults: Flaws = []
    for moment, joint in solved_directly(bench, solver.Jointly(measures), moments):
        for number, measure in enumerate(measures):
            shares = defaultdict[Hashable, Fraction](Fraction)
            for values, share in joint.items():
                shares[values[number]] += share
            if shares != dict(solver.solve(bench.analysis.plan, measure, moment).shares):
                name = type(measure).__name__
                faults.append(
                    f"{name}: the chain and the direct solution differ after {moment} moments"
                )
    return tidy(faults)


def solved_directly(
    bench: Bench, measure: Any, moments: int
) -> Iterator[tuple[int, dict[Any, Fraction]]]:
    """Yield (moment, distribution of a measure), computed without compressing states into a chain.

    Strikes are followed too, unless the core keeps them at their places and a moment with strikes
    is too large.
    """
    rulebook, apart = bench.compiler.rulebook, bench.scenario.places_apart

    def branches(pending: Pending, read: Read) -> Iterator[tuple[int, int, StepOutcome]]:
        if isinstance(pending, Ask):
            order = rulebook.answer(pending, {}, read)
            yield 1, 1, StepOutcome((), (rulebook.after(pending, order),), ())
        else:
            yield from (
                (weight, total, outcome)
                for weight, total, outcome, _ in rulebook.branches(pending, read)
            )

    reached = 0
    for struck in MOST_DIRECT if apart else (True,):
        if reached < moments:
            most = MOST_DIRECT[struck] if apart else None
            feasible = (
                moments
                if most is None
                else _moments_within(bench, measure, moments, most, struck=struck)
            )
            with suppress(solver.TooLargeError):
                for result in followed(
                    bench.scenario, measure, feasible, branches, struck=struck, most=most
                ):
                    reached = result[0]
                    yield result


def compiled_branches(compiler: solver.Compiler) -> Branches:
    """Return the function that reads the branches of a step or question off its compiled rows."""

    def branches(pending: Pending, read: Read) -> Iterator[tuple[int, int, StepOutcome]]:
        rows = compiler.rows(pending, read)
        return ((row.weight, rows.total, row.outcome) for row in rows.rows)

    return branches


def _moments_within(bench: Bench, measure: Any, moments: int, most: int, *, struck: bool) -> int:
    """Return the number of moments that can be followed with at most ``most`` situations.

    Strikes are followed only with ``struck``. The situations are counted by the compiled rows,
    which is quick, so that moments too large to be followed directly are not begun.
    """
    branches, reached = compiled_branches(bench.compiler), 0
    with suppress(solver.TooLargeError):
        for result in followed(
            bench.scenario, measure, moments, branches, struck=struck, most=most
        ):
            reached = result[0]
    return reached


def followed(
    scenario: Scenario,
    measure: Any,
    moments: int,
    branches: Branches,
    *,
    struck: bool = True,
    most: int | None = None,
) -> Iterator[tuple[int, dict[Any, Fraction]]]:
    """Yield (moment, distribution of a measure) by following every branch exactly.

    Strikes are followed only with ``struck``. Raises ``TooLargeError`` after more than ``most``
    situations.
    """
    ended = defaultdict[Any, Fraction](
        Fraction, {(Values(scenario.initial), measure.initial): Fraction(1)}
    )
    count = 0
    for moment in range(moments):
        now: dict[Any, Fraction] = {
            (values.put((("clock/moment", moment),)), (OPENING,), seen): p
            for (values, seen), p in ended.items()
        }
        ended = defaultdict(Fraction)
        while now:
            count += len(now)
            if most is not None and count > most:
                raise solver.TooLargeError(f"more than {most} situations")
            following = defaultdict[Any, Fraction](Fraction)
            for (values, agenda, seen), share in now.items():
                if not agenda:
                    ended[values, seen] += share
                    continue
                for weight, total, outcome in branches(agenda[0], values.get):
                    after = seen
                    for event in outcome.events:
                        if event.kind in measure.kinds:
                            after = measure.see(after, event, moment)
                    pushes = (
                        outcome.pushes
                        if struck
                        else tuple(p for p in outcome.pushes if not p.scope)
                    )
                    state = (values.put(outcome.updates), (*pushes, *agenda[1:]), after)
                    following[state] += share * Fraction(weight, total)
            now = following
        shares = defaultdict[Any, Fraction](Fraction)
        for (_, seen), share in ended.items():
            if share:
                shares[seen] += share
        yield moment + 1, shares
