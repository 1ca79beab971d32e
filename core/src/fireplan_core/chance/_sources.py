"""Say where faces come from in play: a seeded generator, or a list typed in by the players.

The only place of the project that touches a random number generator.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from typing import Any

from fireplan_core.chance._events import ChanceError, ChanceEvent, Face, Faces


def check_face(wanted: Faces, face: Face) -> None:
    """Refuse a face that this die or pile cannot show.

    Raises ``ChanceError`` naming the die, what was given and what is possible.
    """
    if all(type(face) is not type(known) or face != known for known, _ in wanted.weights):
        known = ", ".join(str(value) for value, _ in wanted.weights)
        raise ChanceError(f"{wanted.label}: {face!r} cannot fall; possible are {known}")


class RandomFaces:
    """Faces from a seeded generator: the same seed gives the same faces, whatever the hash seed."""

    def __init__(self, seed: int | str) -> None:
        self._random = random.Random(str(seed))

    def below(self, bound: int) -> int:
        """Return a whole number from 0 to ``bound - 1``, each equally likely."""
        return self._random.randrange(bound)

    def face(self, wanted: Faces) -> Face:
        """Return one face, by its weight."""
        spot = self.below(sum(weight for _, weight in wanted.weights))
        for face, weight in wanted.weights:
            spot -= weight
            if spot < 0:
                return face
        raise ChanceError(f"{wanted.label} has no faces")

    def faces(self, event: ChanceEvent) -> tuple[Face, ...]:
        """Return all faces of one chance event."""
        return tuple([self.face(wanted) for wanted in event.faces])


class ScriptedFaces:
    """Faces typed in beforehand, handed out in order and checked against each die."""

    def __init__(self, faces: Iterable[Face]) -> None:
        self._faces = iter(faces)

    def faces(self, event: ChanceEvent) -> tuple[Face, ...]:
        """Return the next faces of the script; ``ChanceError`` when it ran out or a face cannot fall."""
        taken: list[Face] = []
        for wanted in event.faces:
            face = next(self._faces, None)
            if face is None:
                raise ChanceError(f"the script of dice ran out at {event.name!r} ({wanted.label})")
            check_face(wanted, face)
            taken.append(face)
        return tuple(taken)


def random_words(*key: int) -> Callable[[int], Any]:
    """Return a source of random words seeded by whole numbers: ``words(n)`` is a numpy array of 64-bit words.

    Raises ``ImportError`` without numpy.
    """
    from numpy.random import SFC64, SeedSequence

    words: Callable[[int], Any] = SFC64(SeedSequence(key)).random_raw
    return words
