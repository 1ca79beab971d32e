"""The laws of what is written down of play: playthroughs come out line by line, worked examples as they say."""

import re
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

from fireplan.analysis import shipped_engagements
from fireplan.positions import Position, PositionError, Sources, position_of
from fireplan.table import (
    PlaythroughError,
    PlaythroughPlay,
    Session,
    chance_of,
    outcome_of,
    throws_taken,
    unlisted_scenarios,
)
from fireplan.table.forecasts import ThrowTaken
from fireplan_core import Scenario
from fireplan_core.ledger import Witness
from fireplan_core.play import Input
from fireplan_kit.bench import Bench
from fireplan_kit.check import Flaw, Flaws, admitted, raised
from fireplan_kit.walkers import MOST_FACES, Labels


def playthroughs_come_out(bench: Bench) -> Flaws:
    """Check that at least one playthrough ships with the game.

    Each is replayed from its file alone, every ruling the same.
    """
    if not bench.playthroughs:
        return [
            "no playthrough in data/playthroughs: play a mission and write it down (fireplan playthrough --write)"
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
    """The last rule in round brackets."""
    found: list[str] = re.findall(r"\(([\w.,: -]*\d[\w.,: -]*)\)", text)
    return found[-1] if found else ""


def no_roll_is_unaccounted(bench: Bench) -> Flaws:
    """Check that the branches of every playthrough have together the chance that is told of it, counted face by face.

    Every typed face is used.
    """
    faults: Flaws = []
    for path in bench.playthroughs:
        session, differences = bench.replayed(path)
        if differences:
            continue  # the matter of another law
        if session.faces:
            faults.append(f"{path.name}: {len(session.faces)} faces at the end belong to no throw")
        inputs = session.table.journal
        faults += [
            f"{path.name}: {fault}"
            for fault in unaccounted(session.scenario, session.moments, inputs)
        ]
    return faults


def unaccounted(scenario: Scenario, moments: int, inputs: Iterable[Input]) -> list[str]:
    """Return every throw of a game whose branch has not the chance of its faces, and how the whole differs."""
    faults, whole, inputs = list[str](), Fraction(1), tuple(inputs)
    for number, taken in enumerate(throws_taken(scenario, moments, inputs), start=1):
        by_faces = _by_faces(taken)
        whole *= by_faces
        if by_faces != taken.chance:
            faults.append(
                f"throw {number}, {taken.event.name}: chance {taken.chance} by branches, {by_faces} by faces"
            )
        if len(taken.thrown.faces) != len(taken.event.faces):
            faults.append(f"throw {number}, {taken.event.name}: faces that nothing asks for")
    told = chance_of(scenario, moments, inputs)
    return (
        faults
        if whole == told
        else [*faults, f"its dice are told to have chance {told}, its faces have {whole}"]
    )


def _by_faces(taken: ThrowTaken) -> Fraction:
    """Return the share of all faces of a throw that lead to what it led to."""
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


# --- worked examples in the ledger ------------------------------------------------------------------
def witnesses_are_borne_out(bench: Bench) -> Flaws:
    """Check that every worked example of a rule in the ledger comes out as it says, ruling by ruling."""
    sources = Sources(bench.catalogue, shipped_engagements(), unlisted=unlisted_scenarios)
    return [
        Flaw(f"witness {number}: {how}", rule)
        for rule, number, witness in witnesses(bench)
        for how in _unborne(sources, witness)
    ]


def witnesses(bench: Bench) -> list[tuple[str, int, Witness]]:
    """Return every worked example of a game with its rule and its number there."""
    rules = bench.installed.game.ledger.rules.values()
    return [
        (rule.id, number, witness)
        for rule in rules
        for number, witness in enumerate(rule.witness, start=1)
    ]


def witnessed(key: str, plugin: Any) -> str:
    """Return how many of a game's rules that change a figure have a worked example.

    "" for a game not admitted.
    """
    catalogue, flaws = admitted(key, plugin)
    return "" if flaws else catalogue[key].game.ledger.witnessed


def _unborne(sources: Sources, witness: Witness) -> list[str]:
    if not witness.play.strip():
        return ["its play is empty, so it says nothing"]
    try:
        return list(unborne(sources, witness))
    except Exception as error:  # noqa: BLE001 - whatever a rule raises is told of this one, and others are looked at
        return [raised(error).text]


def unborne(sources: Sources, witness: Witness) -> Iterator[str]:
    """Yield where play differs first from a worked example, in words.

    Nothing where the rules bear it out.
    """
    given, expected, got = "", list[str](), list[str]()
    try:
        position = position_of(witness.position, sources)
        moments = max(position.moment + 1, sources.staged(position.source)[1])
        play = PlaythroughPlay(Session(position.scenario, moments))
        play.session.table = position.table(moments)
        for line in [*filter(None, map(str.strip, witness.play.splitlines())), ">"]:
            if not line.startswith(">"):
                expected.append(line)
                if line.startswith("fp1 "):  # then the position is compared as well
                    got.append(
                        str(
                            Position.of(
                                position.source, position.scenario, play.session.table.state
                            )
                        )
                    )
            elif expected != got:
                yield f"after {given!r} must follow {expected}, the rules say {got}"
                return
            elif given := line.removeprefix(">").strip():
                expected, got = [], said(play, given)
    except (PositionError, PlaythroughError) as error:
        yield f"{given or witness.position!r} cannot be: {error}"


def said(play: PlaythroughPlay, given: str) -> list[str]:
    """Return the events that follow an input, as data.

    Of a question why, the rule that refuses it.
    """
    before = len(play.session.table.log)
    answers = play.give(given)[1]
    if given.startswith("why "):
        return [
            f"refused [{one.rpartition('(')[2][:-1]}]" if one.endswith(")") else "allowed"
            for one in answers
        ]
    labels = Labels(play.session.scenario)
    return [labels.event(entry.event) for entry in play.session.table.log[before:]]
