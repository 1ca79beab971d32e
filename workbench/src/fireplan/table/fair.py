"""Dice thrown jointly by the seats, so that nobody needs to trust the host of the table.

For each throw, every seat first commits to a secret by its SHA-256, and reveals it once all have
committed. The dice are computed from the index of the throw and all secrets. Nobody can choose
them: a seat that commits knows no other secret, and later it can reveal only the secret it
committed to. If a seat withholds its secret, another seat throws alone.

A throw that only one seat sees, such as a card drawn to its hand, is shown to that seat only, with
the secret that it reveals. The others see its commitment, and check the rest when everything is
revealed.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Self

import attrs

from fireplan.errors import JournalError
from fireplan_core.chance import Face, Faces

TOGETHER, COMMIT, TELL, ALONE = "together", "commit", "tell", "alone"
_FORMS = {COMMIT: "[0-9a-f]{64}", TELL: "[0-9a-f]{32,64}", ALONE: ""}
_ACTS = {COMMIT: "commit to", TELL: "reveal a secret for", ALONE: "take over"}
_DIGESTS = 1 << 256


@attrs.frozen
class FairThrow:
    """A throw: its index, each seat's commitment and secret, and the faces.

    ``seen_by`` is the only seat that sees it, or empty.
    """

    number: int
    commitments: Mapping[str, str]
    secrets: Mapping[str, str]
    faces: tuple[Face, ...]
    seen_by: str = ""

    def shown(self, *, seen: bool) -> Self:
        """Return the throw as a seat sees it: faces and private secret only if ``seen``."""
        secrets = {
            seat: text for seat, text in self.secrets.items() if seen or seat != self.seen_by
        }
        return attrs.evolve(self, secrets=secrets, faces=self.faces if seen else ())


@attrs.frozen
class FairDice:
    """The joint throws so far, and the contributions to the next."""

    seats: tuple[str, ...]
    number: int = 1
    commitments: Mapping[str, str] = attrs.field(factory=dict)
    secrets: Mapping[str, str] = attrs.field(factory=dict)
    alone: str = ""
    """The seat that throws alone, or empty."""
    thrown: tuple[FairThrow, ...] = ()

    @property
    def late(self) -> tuple[str, ...]:
        """The seats that withhold their secret after another has revealed its own."""
        return (
            tuple(seat for seat in self.seats if seat not in self.secrets) if self.secrets else ()
        )

    def step(self, seat: str) -> str:
        """Return a seat's next step for the throw: ``COMMIT``, ``TELL`` or ``"wait"``.

        The result is empty for a seat that throws alone.
        """
        if self.alone:
            return "" if seat == self.alone else "wait"
        if seat in self.seats and seat not in self.commitments:
            return COMMIT
        committed = len(self.commitments) == len(self.seats)
        return TELL if committed and seat in self.seats and seat not in self.secrets else "wait"

    def contribute(self, kind: str, seat: str, value: object) -> Self:
        """Return the dice with a contribution to the next throw.

        Raise ``JournalError`` if the seat cannot make it now.
        """
        may_be_alone = self.late and not self.alone and seat in self.secrets
        if not (may_be_alone if kind == ALONE else self.step(seat) == kind):
            raise JournalError(
                f"{seat} cannot {_ACTS[kind]} throw {self.number} now: all seats commit once, then all reveal"
            )
        if not isinstance(value, str) or not re.fullmatch(_FORMS[kind], value):
            raise JournalError(
                f"{seat}: expected {'64' if kind == COMMIT else '32 to 64'} hexadecimal digits (0-9, a-f)"
            )
        if kind == COMMIT and value in self.commitments.values():
            raise JournalError(f"{seat} has the same commitment as another seat")
        if kind == TELL and _digest(value) != self.commitments[seat]:
            raise JournalError(
                f"throw {self.number}: {seat} reveals a secret that does not match its commitment"
            )
        if kind == COMMIT:
            return attrs.evolve(self, commitments={**self.commitments, seat: value})
        if kind == TELL:
            return attrs.evolve(self, secrets={**self.secrets, seat: value})
        return attrs.evolve(self, alone=seat)

    @property
    def all_revealed(self) -> bool:
        """Whether all secrets for the next throw are revealed."""
        return len(self.secrets) == len(self.seats)

    def faces(self, dice: Sequence[Faces]) -> tuple[Face, ...]:
        """Return the faces computed from the revealed secrets."""
        parts = (f"{seat}={self.secrets[seat]}" for seat in sorted(self.secrets))
        seed = _digest("\n".join([f"throw {self.number}", *parts]))
        return tuple(_face(die, f"{seed} {place}") for place, die in enumerate(dice, start=1))

    def after_die(self, dice: Sequence[Faces], fallen: tuple[Face, ...], seen_by: str) -> Self:
        """Return the dice after the newest face in ``fallen``, which may complete the throw.

        Raise ``JournalError`` if the secrets give another face.
        """
        faces = fallen if self.alone else self.faces(dice) if self.all_revealed else ()
        if faces[: len(fallen)] != fallen:
            raise JournalError(
                f"die {len(fallen)} of throw {self.number} is not the face that the secrets give"
            )
        if len(fallen) < len(dice):
            return self
        throw = FairThrow(self.number, self.commitments, self.secrets, fallen, seen_by)
        return attrs.evolve(self.next_throw(), thrown=(*self.thrown, throw))

    def next_throw(self) -> Self:
        """Return the dice for the next throw, without the contributions to this one."""
        return attrs.evolve(self, number=self.number + 1, commitments={}, secrets={}, alone="")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _face(die: Faces, seed: str) -> Face:
    """Return a face of a die, drawn by its weights from digests of the seed.

    Digests beyond the last whole multiple of the total weight are skipped, so the chances are
    exact.
    """
    total = sum(weight for _, weight in die.weights)
    rounds = (int(_digest(f"{seed} {attempt}"), 16) for attempt in count(1))
    spot = next(number for number in rounds if number < _DIGESTS - _DIGESTS % total) % total
    for face, weight in die.weights:
        if spot < weight:
            return face
        spot -= weight
    raise AssertionError("the weights do not add up to their sum")
