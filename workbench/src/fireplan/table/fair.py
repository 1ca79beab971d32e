"""Dice that the seats throw together, so that nobody need trust whoever keeps the table.

For each throw every seat first commits to a secret of its own, by its SHA-256, and tells it when
all have committed. The dice are made of the number of the throw and of all secrets: nobody can
choose them, for whoever commits knows no secret but his own, and whoever tells his can tell no
other. For a seat that holds its own back another throws alone.

A throw that one seat alone sees, as of a card for its hand, is shown to that seat alone, and so is
the secret it told: the others see what was committed to, and check the rest when all is revealed.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Self

import attrs

from fireplan.table.database import JournalError
from fireplan_core.chance import Face, Faces

TOGETHER, COMMIT, TELL, ALONE = "together", "commit", "tell", "alone"
_FORMS = {COMMIT: "[0-9a-f]{64}", TELL: "[0-9a-f]{32,64}", ALONE: ""}
_DIGESTS = 1 << 256


@attrs.frozen
class FairThrow:
    """A throw: its number, what each seat committed to and told, and the faces.

    Who alone sees it, if one does.
    """

    number: int
    commitments: Mapping[str, str]
    secrets: Mapping[str, str]
    faces: tuple[Face, ...]
    seen_by: str = ""

    def shown(self, *, seen: bool) -> Self:
        """Return the throw as seats know it: for those that do not see it without faces, and without the secret."""
        told = {seat: text for seat, text in self.secrets.items() if seen or seat != self.seen_by}
        return attrs.evolve(self, secrets=told, faces=self.faces if seen else ())


@attrs.define
class FairDice:
    """The throws of the seats so far, and what they have said for the next."""

    seats: tuple[str, ...]
    number: int = 1
    commitments: dict[str, str] = attrs.field(factory=dict)
    secrets: dict[str, str] = attrs.field(factory=dict)
    alone: dict[str, str] = attrs.field(factory=dict)
    thrown: list[FairThrow] = attrs.field(factory=list)

    @property
    def late(self) -> tuple[str, ...]:
        """Return the seats that hold a secret back, when another has told its own."""
        return (
            tuple(seat for seat in self.seats if seat not in self.secrets) if self.secrets else ()
        )

    def step(self, seat: str) -> str:
        """Return what is wanted of a seat for the next throw: to commit, to tell, or to wait.

        Alone nothing.
        """
        if self.alone:
            return "" if seat in self.alone else "wait"
        if seat in self.seats and seat not in self.commitments:
            return COMMIT
        committed = len(self.commitments) == len(self.seats)
        return TELL if committed and seat in self.seats and seat not in self.secrets else "wait"

    def check(self, kind: str, seat: str, value: object) -> None:
        """Raise ``JournalError`` for what a seat cannot say now."""
        may_be_alone = self.late and not self.alone and seat in self.secrets
        if not (may_be_alone if kind == ALONE else self.step(seat) == kind):
            raise JournalError(
                f"{seat} cannot {kind} to throw {self.number} now: a seat does so once, and tells after all"
            )
        if not isinstance(value, str) or not re.fullmatch(_FORMS[kind], value):
            raise JournalError(
                f"{seat}: expected {'64' if kind == COMMIT else '32 to 64'} digits of 0-9 and a-f"
            )
        if kind == COMMIT and value in self.commitments.values():
            raise JournalError(f"{seat} commits to what another seat has committed to")
        if kind == TELL and _digest(value) != self.commitments[seat]:
            raise JournalError(
                f"throw {self.number}: {seat} tells a secret that is not the one it committed to"
            )

    def take(self, kind: str, seat: str, value: str) -> None:
        """Take what a seat says, when it was checked."""
        {COMMIT: self.commitments, TELL: self.secrets, ALONE: self.alone}[kind][seat] = value

    @property
    def told(self) -> bool:
        """Tell whether all secrets of the next throw are there."""
        return len(self.secrets) == len(self.seats)

    def faces(self, dice: Sequence[Faces]) -> tuple[Face, ...]:
        """Return how the dice fall by the secrets that were told."""
        parts = (f"{seat}={self.secrets[seat]}" for seat in sorted(self.secrets))
        seed = _digest("\n".join([f"throw {self.number}", *parts]))
        return tuple(_face(die, f"{seed} {place}") for place, die in enumerate(dice, start=1))

    def replay(self, dice: Sequence[Faces], fallen: tuple[Face, ...], seen_by: str) -> None:
        """Take the last of the dice that have fallen.

        Raises ``JournalError`` where the secrets say another.
        """
        faces = fallen if self.alone else self.faces(dice) if self.told else ()
        if faces[: len(fallen)] != fallen:
            raise JournalError(
                f"die {len(fallen)} of throw {self.number} is not the one that the seats threw"
            )
        if len(fallen) == len(dice):
            self.fell(fallen, seen_by)

    def fell(self, faces: tuple[Face, ...], seen_by: str) -> None:
        """Keep a throw, and begin the next."""
        self.thrown.append(FairThrow(self.number, self.commitments, self.secrets, faces, seen_by))
        self.void()

    def void(self) -> None:
        """Begin another throw, with nothing of what was said for this one."""
        self.number, self.commitments, self.secrets, self.alone = self.number + 1, {}, {}, {}


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _face(die: Faces, seed: str) -> Face:
    """Return a face, each exactly as likely as its weight: digests beyond the last whole round of weights are left."""
    total = sum(weight for _, weight in die.weights)
    rounds = (int(_digest(f"{seed} {attempt}"), 16) for attempt in count(1))
    spot = next(number for number in rounds if number < _DIGESTS - _DIGESTS % total) % total
    for face, weight in die.weights:
        if spot < weight:
            return face
        spot -= weight
    raise AssertionError("weights do not reach their own sum")
