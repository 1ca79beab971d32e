"""The checks on recorded play: playthroughs and worked examples replay exactly as written."""

import re
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

from fireplan.analysis import shipped_engagements
from fireplan.errors import InputError
from fireplan.positions import Position, Sources, position_of
from fireplan.table import (
    PlaythroughPlay,
    Session,
    chance_of,
    outcome_of,
    throws_taken,
    unlisted_scenarios,
)
from fireplan.table.past_throws import ThrowTaken
from fireplan_core import Scenario
from fireplan_core.files import FileError
from fireplan_core.ledger import Witness
from fireplan_core.play import Input
from fireplan_kit.bench import Bench
from fireplan_kit.check import Flaw, Flaws, admitted, raised
from fireplan_kit.walkers import MOST_FACES, Labels


def playthroughs_come_out(bench: Bench) -> Flaws:
    """Check that the game ships at least one playthrough, and each replays as written.

    Nothing but its file is used to replay a playthrough.
    """
    if not bench.playthroughs and bench.installed.folder is not None:
        return [
            "no playthrough in data/playthroughs: play a mission and save it with fireplan playthrough --write"
        ]
    faults: Flaws = []
    for path in bench.playthroughs:
        try:
            _, differences = bench.replayed(path)
        except ValueError as error:
            faults.append(f"{path.name}: {error}")
            continue
        faults += [
            Flaw(f"{path.name}: {difference}", _cite(str(difference))) for difference in differences
        ]
    return faults


def _cite(text: str) -> str:
    """Return the last rule number in round brackets, or "" if there is none."""
    rules: list[str] = re.findall(r"\(([\w.,: -]*\d[\w.,: -]*)\)", text)
    return rules[-1] if rules else ""


def no_roll_is_unaccounted(bench: Bench) -> Flaws:
    """Check that the chance of each throw in a playthrough equals a count of its faces.

    The product must be the chance of the whole playthrough, and every face typed must belong to a
    throw.
    """
    faults: Flaws = []
    for path in bench.playthroughs:
        session, differences = bench.replayed(path)
        if differences:
            continue  # L22-playthroughs reports these differences
        if session.faces:
            faults.append(f"{path.name}: the last {len(session.faces)} faces belong to no throw")
        inputs = session.table.journal
        faults += [
            f"{path.name}: {fault}"
            for fault in unaccounted(session.scenario, session.moments, inputs)
        ]
    return faults


def unaccounted(scenario: Scenario, moments: int, inputs: Iterable[Input]) -> list[str]:
    """Return a line for each throw whose chance or number of faces is wrong.

    The chance is counted by faces. A last line reports a wrong chance for all throws together.

    >>> from fireplan_core.chance import RandomFaces
    >>> from fireplan_core.play import Catalogue, Table, play_out
    >>> bench = Bench(Catalogue.installed(only=("red_poppies",)), "red_poppies")
    >>> table = play_out(Table(bench.scenario, 3), RandomFaces(1))
    >>> unaccounted(bench.scenario, 3, table.journal)
    []
    """
    faults, whole, inputs = list[str](), Fraction(1), tuple(inputs)
    for number, taken in enumerate(throws_taken(scenario, moments, inputs), start=1):
        by_faces = _by_faces(taken)
        whole *= by_faces
        if by_faces != taken.chance:
            faults.append(
                f"throw {number}, {taken.event.name}: the chance is {taken.chance} by branches, but {by_faces} by faces"
            )
        if len(taken.thrown.faces) != len(taken.event.faces):
            faults.append(f"throw {number}, {taken.event.name}: the number of faces is wrong")
    reported = chance_of(scenario, moments, inputs)
    if whole != reported:
        faults.append(
            f"the chance of all its dice is given as {reported}, but by faces it is {whole}"
        )
    return faults


def _by_faces(taken: ThrowTaken) -> Fraction:
    """Return the share of face combinations that lead to the outcome of this throw.

    With more than ``MOST_FACES`` combinations, return the chance that the rules gave instead.
    """
    dice = [die.weights for die in taken.event.faces]
    if prod(map(len, dice)) > MOST_FACES:
        return taken.chance
    alike = total = 0
    for combination in product(*dice):
        weight = prod(weight for _, weight in combination)
        total += weight
        alike += weight * (
            outcome_of(taken.table, tuple(face for face, _ in combination)) == taken.outcome
        )
    return Fraction(alike, total)


# --- worked examples in the ledger ----------------------------------------------------------------
def witnesses_are_borne_out(bench: Bench) -> Flaws:
    """Check that every worked example in the ledger plays as written, event by event."""
    sources = Sources(bench.catalogue, shipped_engagements(), unlisted=unlisted_scenarios)
    return [
        Flaw(f"witness {number}: {difference}", rule)
        for rule, number, witness in witnesses(bench)
        for difference in _difference_in_play(sources, witness)
    ]


def witnesses(bench: Bench) -> list[tuple[str, int, Witness]]:
    """Return a game's worked examples as (rule id, number within the rule, witness)."""
    rules = bench.installed.game.ledger.rules.values()
    return [
        (rule.id, number, witness)
        for rule in rules
        for number, witness in enumerate(rule.witness, start=1)
    ]


def witnessed(key: str, plugin: Any) -> str:
    """Return a line that says how many rules have a worked example.

    Only rules that change a figure count. The line is empty if the game is not admitted.

    >>> import fireplan_red_poppies
    >>> witnessed("red_poppies", fireplan_red_poppies)
    '... rules have a worked example'
    """
    catalogue, flaws = admitted(key, plugin)
    return "" if flaws else catalogue[key].game.ledger.witnessed


def _difference_in_play(sources: Sources, witness: Witness) -> list[str]:
    if not witness.play.strip():
        return ["its play is empty, so it shows nothing"]
    try:
        return list(unborne(sources, witness))
    except Exception as error:  # noqa: BLE001 - report whatever a rule raises, and go on
        return [raised(error).text]


def unborne(sources: Sources, witness: Witness) -> Iterator[str]:
    """Yield the first difference between a worked example and play, if there is one.

    The example may omit events before the first input.
    """
    entered, expected, got = "", list[str](), list[str]()
    try:
        position = position_of(witness.position, sources)
        moments = max(position.moment + 1, sources.staged(position.source)[1])
        table = position.table(moments)
        play = PlaythroughPlay(Session(position.scenario, moments, table=table))
        got = [Labels(position.scenario).event(entry.event) for entry in table.log]
        for line in [*filter(None, map(str.strip, witness.play.splitlines())), ">"]:
            if not line.startswith(">"):
                expected.append(line)
                if line == "allowed":  # the expected line need not name the rule
                    got = ["allowed" if text.startswith("allowed [") else text for text in got]
                if line.startswith("fp1 "):  # a position line: compare the position too
                    here = str(
                        Position.of(position.source, position.scenario, play.session.table.state)
                    )
                    got.append(line if str(position_of(line, sources)) == here else here)
            elif expected != got and (entered or expected):
                yield _unlike(entered, expected, got)
                return
            elif entered := line.removeprefix(">").strip():
                expected, got = [], events_after(play, entered)
    except (FileError, InputError) as error:
        yield f"{entered or witness.position!r} cannot be played: {error}"


def _unlike(entered: str, expected: list[str], got: list[str]) -> str:
    """Return a sentence that compares the expected lines after an input with the actual ones."""
    if not entered:
        return f"before the first input it expects {expected}, but the rules give {got}"
    return f"after {entered!r} it expects {expected}, but the rules give {got}"


def events_after(play: PlaythroughPlay, entered: str) -> list[str]:
    """Return the events after an input, one line each.

    For ``why ORDER``, return ``refused [RULE]``, or ``allowed [RULE]`` with the order's own rule.
    """
    before = len(play.session.table.log)
    answers = play.give(entered)[1]
    if entered.startswith("why "):
        return [
            f"refused [{answer.rpartition('(')[2][:-1]}]"
            if answer.endswith(")")
            else f"allowed [{play.rule_of(entered)}]"
            for answer in answers
        ]
    labels = Labels(play.session.scenario)
    return [labels.event(entry.event) for entry in play.session.table.log[before:]]
