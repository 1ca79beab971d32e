"""The checks on play: journals replay, undo takes back one input, position lines read back."""

import tempfile
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

from fireplan.analysis import shipped_engagements
from fireplan.positions import Position, Source, Sources, position_of
from fireplan.table import Journal, Session, Words
from fireplan_core import Ask, ProcedureError, Refusal, Scenario
from fireplan_core.chance import RandomFaces
from fireplan_core.files import FileError
from fireplan_core.play import (
    Answered,
    Input,
    LogEntry,
    State,
    Table,
    Thrown,
    play_out,
    replay,
    shipped_scenarios,
)
from fireplan_kit.bench import Bench
from fireplan_kit.check import Flaws, tidy

SAVED = 24
"""Number of inputs of a session that is saved, loaded and undone."""


def state_is_its_journal(bench: Bench) -> Flaws:
    """Check that after every input the state equals a replay of the journal so far.

    The same must be true after saving, loading and undoing.
    """
    faults: Flaws = []
    moments = min(bench.moments, 6)
    for seed in (1, 2):
        table = play_out(Table(bench.scenario, moments), RandomFaces(seed))
        again = Table(bench.scenario, moments)
        for number, entered in enumerate(table.journal):
            again.submit(entered)
            fresh = replay(bench.scenario, moments, table.journal[: number + 1])
            if difference := _different(again, fresh):
                faults.append(
                    f"seed {seed}: after input {number + 1} ({_in_words(bench.scenario, entered)})"
                    f" {difference}"
                )
                break
        else:
            if difference := _different(table, again):
                faults.append(
                    f"seed {seed}: when all {len(table.journal)} inputs are given again, {difference}"
                )
    return [*faults, *_saved_loaded_undone(bench)]


def _different(table: Table, other: Table) -> str:
    """Return the first field, event or pending step in which two tables differ, or "" if none."""
    values, others = dict(table.state.values), dict(other.state.values)
    for key in sorted({*values, *others}):
        if values.get(key) != others.get(key):
            return f"{key} is {values.get(key)!r} in play and {others.get(key)!r} in the replay"
    for entry, replayed in zip_longest(table.log, other.log):
        if entry != replayed:
            return f"{_event(entry)} in play and {_event(replayed)} in the replay"
    if table.state != other.state:
        steps = [", ".join(map(str, each.state.agenda)) or "nothing" for each in (table, other)]
        return f"{steps[0]} is pending in play and {steps[1]} in the replay"
    return ""


def _in_words(scenario: Scenario, entered: Input) -> str:
    if isinstance(entered, Answered):
        return f"{entered.question}: {Words(scenario).typed.order(entered.order)}"
    return f"roll {entered.name}: {', '.join(map(str, entered.faces))}"


def _event(entry: LogEntry | None) -> str:
    return (
        f"the event {entry.event.kind} {dict(entry.event.fields)} comes"
        if entry
        else "no further event comes"
    )


def _saved_loaded_undone(bench: Bench) -> Flaws:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "session.fireplan"
        journal = Journal.create(path, {"game": bench.key})
        session = Session(bench.scenario, bench.moments, journal)
        faces = RandomFaces(6)
        faults: Flaws = []
        for number in range(SAVED):
            before = session.table.state
            if not give(session, faces):
                break
            if number % 5 == 0 and not session.faces:
                session.undo()
                if session.table.state != before:
                    keys = _changed_keys(before, session.table.state)
                    faults.append(
                        f"undoing input {number + 1} does not restore the state before it: {keys}"
                    )
        journal.close()
        loaded_journal = Journal.open(path)
        loaded = Session(bench.scenario, bench.moments, loaded_journal)
        if (loaded.table.state, loaded.table.log) != (session.table.state, session.table.log):
            difference = _different(session.table, loaded.table)
            faults.append(f"a session differs after saving and loading: {difference}")
        loaded_journal.close()
    return faults


def _changed_keys(before: State, after: State) -> str:
    """Return the names of the fields in which two states differ.

    Return "the pending steps" if they differ only in their agendas.
    """
    values, others = dict(before.values), dict(after.values)
    changed = [key for key in {*values, *others} if values.get(key) != others.get(key)]
    return ", ".join(sorted(changed)) or "the pending steps"


def give(session: Session, faces: RandomFaces) -> bool:
    """Give a session the standard order or a whole throw; return False if play is over.

    Raises ``ProcedureError`` if the rules refuse the standard order.
    """
    waits = session.table.waits_for
    if waits is None:
        return False
    if isinstance(waits, Ask):
        order = session.table.rulebook.answer(waits, {}, session.table.read)
        answer = session.order(order)
        if isinstance(answer, Refusal):
            raise ProcedureError(
                f"{waits.question} refuses its own standard order {order}: {answer}"
            )
        return True
    for face in faces.faces(waits):
        session.face(face, typed=True)
    return True


def wander(scenario: Scenario, moments: int, seed: int, most: int) -> Iterator[Table]:
    """Yield a table at its opening and after each of up to ``most`` random legal inputs.

    Raises ``ProcedureError`` if the rules refuse an order that they offer.
    """
    table, faces = Table(scenario, moments), RandomFaces(seed)
    for _ in range(most):
        yield table
        waits = table.waits_for
        if waits is None:
            return
        if isinstance(waits, Ask):
            orders = table.rulebook.legal(waits, table.read, each=2)
            order = orders[faces.below(len(orders))]
            if isinstance(refusal := table.submit(Answered(waits.question, order)), Refusal):
                raise ProcedureError(
                    f"{waits.question} offers {order}, but then refuses it: {refusal}"
                )
        else:
            table.submit(Thrown(waits.name, faces.faces(waits)))
    yield table


# --- the notation ---------------------------------------------------------------------------------
INPUTS, MOMENTS, STAGED = 60, 6, 2
"""Limits on the inputs and the moments of random play, and on the shipped engagements used."""


def positions_read_back(bench: Bench) -> Flaws:
    """Check that the line of every position in random play reads back as the same position.

    The position must also be written as the same line again. The check uses the game's own
    scenarios, and the first shipped engagements that the game can stage.
    """
    sources = Sources(bench.catalogue, shipped_engagements())
    return tidy(
        fault for source in staged(sources, bench.key) for fault in _unlike(source, sources)
    )


def staged(sources: Sources, key: str) -> Iterator[Source]:
    """Yield the sources of the game's own scenarios, then of two engagements that it can stage."""
    yield from (
        Source(name=name)
        for name in shipped_scenarios(sources.catalogue)
        if name.startswith(f"{key}/")
    )
    tried = 0
    for name in shipped_engagements():
        source = Source(name=name, game=key)
        try:
            sources.scenario(source)
        except FileError:
            continue
        yield source
        tried += 1
        if tried == STAGED:
            return


def _unlike(source: Source, sources: Sources) -> Iterator[str]:
    """Yield a flaw for the first position in random play that does not read back."""
    scenario = sources.scenario(source)
    for table in wander(scenario, MOMENTS, seed=1, most=INPUTS):
        position = Position.of(source, scenario, table.state)
        line = str(position)
        try:
            read = position_of(line, sources)
        except FileError as error:
            yield f"a position line is refused: {error}: {line}"
            return
        if read != position or str(read) != line:
            after, before = read.state.values, position.state.values
            keys = sorted({key for key in (*after, *before) if after.get(key) != before.get(key)})
            yield f"a position line reads back differently ({', '.join(keys) or 'its line or agenda'}): {line}"
            return
