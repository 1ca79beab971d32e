"""The law of the rolls: the branches that a game took have the chance of the faces that lead to them."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import product
from math import prod

from fireplan.comparison import shipped_engagements
from fireplan.kit._bench import Bench
from fireplan.kit._check import Flaws
from fireplan.kit._walkers import MOST_FACES
from fireplan.table import Session, chance_of, opened, outcome_of, read_playthrough, replay_playthrough, throws_taken
from fireplan.table._chances import ThrowTaken
from fireplan_core import Scenario
from fireplan_core.play import Input


def no_roll_is_unaccounted(bench: Bench) -> Flaws:
    """Check that the branches of every playthrough have together the chance that is told of it, counted face by face.

    Every typed face is used.
    """
    faults: Flaws = []
    for path in bench.playthroughs:
        playthrough = read_playthrough(path.read_text(encoding="utf-8"))
        session = Session(*opened(bench.catalogue, playthrough.head(bench.catalogue, shipped_engagements())))
        if replay_playthrough(playthrough, session):
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
