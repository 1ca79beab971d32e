"""The laws of playthroughs: they come out line by line, and their branches have the chance of the faces thrown."""

import re
from collections.abc import Iterable
from fractions import Fraction
from itertools import product
from math import prod

from fireplan.kit._bench import Bench
from fireplan.kit._check import Flaw, Flaws
from fireplan.kit._walkers import MOST_FACES
from fireplan.table import chance_of, outcome_of, throws_taken
from fireplan.table._forecast import ThrowTaken
from fireplan_core import Scenario
from fireplan_core.play import Input


def playthroughs_come_out(bench: Bench) -> Flaws:
    """Check that at least one playthrough ships with the game.

    Each is replayed from its file alone, every ruling the same.
    """
    if not bench.playthroughs:
        return ["no playthrough in data/playthroughs: play a mission and write it down (fireplan playthrough --write)"]
    faults: Flaws = []
    for path in bench.playthroughs:
        try:
            _, differences = bench.replayed(path)
        except ValueError as error:
            faults.append(f"{path.name}: {error}")
            continue
        faults += [Flaw(f"{path.name}: {difference}", _cite(str(difference))) for difference in differences]
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
        faults += [f"{path.name}: {fault}" for fault in unaccounted(session.scenario, session.moments, inputs)]
    return faults


def unaccounted(scenario: Scenario, moments: int, inputs: Iterable[Input]) -> list[str]:
    """Return every throw of a game whose branch has not the chance of its faces, and how the whole differs."""
    faults, whole, inputs = list[str](), Fraction(1), tuple(inputs)
    for number, taken in enumerate(throws_taken(scenario, moments, inputs), start=1):
        by_faces = _by_faces(taken)
        whole *= by_faces
        if by_faces != taken.chance:
            faults.append(f"throw {number}, {taken.event.name}: chance {taken.chance} by branches, {by_faces} by faces")
        if len(taken.thrown.faces) != len(taken.event.faces):
            faults.append(f"throw {number}, {taken.event.name}: faces that nothing asks for")
    told = chance_of(scenario, moments, inputs)
    return faults if whole == told else [*faults, f"its dice are told to have chance {told}, its faces have {whole}"]


def _by_faces(taken: ThrowTaken) -> Fraction:
    """Return the share of all faces of a throw that lead to what it led to."""
    dice = [die.weights for die in taken.event.faces]
    if prod(map(len, dice)) > MOST_FACES:
        return taken.chance
    alike = total = 0
    for combination in product(*dice):
        weight = prod(weight for _, weight in combination)
        total += weight
        alike += weight * (outcome_of(taken.table, tuple(face for face, _ in combination)) == taken.outcome)
    return Fraction(alike, total)
