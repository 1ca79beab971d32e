"""The chance available to a step, faces for play, and the exact driver ``explore``.

``Chance`` allows one chance event in each step. The driver decides the result: ``explore`` runs the
step once for each branch, and a table in play passes on the faces that were thrown.
"""

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

import attrs

from fireplan_core.chance.events import (
    ChanceError,
    ChanceEvent,
    Die,
    Draw,
    Face,
    Faces,
    Fold,
    FromDeck,
    RollOutcome,
    Selection,
    Throw,
    d6,
)
from fireplan_core.chance.roll import Part, Parting, Reading, Roll, Support, parts


def check_face(die: Faces, face: Face) -> None:
    """Raise ``ChanceError`` for a face that this die or pile cannot show.

    The message lists the possible faces, except for a card, because the list would reveal other
    players' cards. The message about a chit does not call it a chit, because a draw may replace a
    die.

    >>> (die,) = Throw("contact", (("white", d6),)).faces
    >>> check_face(die, 7)
    Traceback (most recent call last):
    fireplan_core.chance.events.ChanceError: white: a die shows 1 to 6, not 7
    """
    if all(type(face) is not type(value) or face != value for value, _ in die.weights):
        if die.label == "card":
            raise ChanceError(f"card: {face!r} cannot be drawn")
        possible = f"possible: {', '.join(str(value) for value, _ in die.weights)}"
        if die.label == "chit":
            raise ChanceError(f"{face!r} cannot be drawn; {possible}")
        numbers = [value for value, _ in die.weights if type(value) is int]
        if numbers and numbers == [*range(numbers[0], numbers[0] + len(die.weights))]:
            shows = f"a die shows {numbers[0]} to {numbers[-1]}"
            raise ChanceError(f"{die.label}: {shows}, not {face}")
        raise ChanceError(f"{die.label}: {face!r} cannot come up; {possible}")


class RandomFaces:
    """Random faces from a seeded generator, which always gives the same faces for the same seed.

    >>> throw = Throw("contact", (("coloured", d6), ("white", d6)))
    >>> RandomFaces(7).faces(throw) == RandomFaces(7).faces(throw)
    True
    """

    def __init__(self, seed: int | str) -> None:
        self._random = random.Random(str(seed))

    def below(self, bound: int) -> int:
        """Return a random integer from 0 to ``bound - 1``, with equal probabilities."""
        return self._random.randrange(bound)

    def face(self, die: Faces) -> Face:
        """Return a random face of a die or pile, with the probabilities given by its weights.

        Raises ``ChanceError`` for a pile that is empty.
        """
        spot = self.below(sum(weight for _, weight in die.weights))
        for face, weight in die.weights:
            spot -= weight
            if spot < 0:
                return face
        raise ChanceError(f"{die.label}: the pile is empty, so nothing can be drawn")

    def faces(self, event: ChanceEvent) -> tuple[Face, ...]:
        """Return a random face for each die of a chance event, in order."""
        return tuple([self.face(die) for die in event.faces])


class ScriptedFaces:
    """Faces given in advance, which are used in order and checked against each die.

    >>> ScriptedFaces((3, 5)).faces(Throw("contact", (("coloured", d6), ("white", d6))))
    (3, 5)
    """

    def __init__(self, faces: Iterable[Face]) -> None:
        self._faces = iter(faces)

    def faces(self, event: ChanceEvent) -> tuple[Face, ...]:
        """Return the next faces in the script, one for each die of a chance event.

        Raises ``ChanceError`` if the script runs out or a face is impossible.
        """
        faces: list[Face] = []
        for die in event.faces:
            face = next(self._faces, None)
            if face is None:
                raise ChanceError(
                    f"the scripted faces ran out: none is left for {die.label} of {event.name!r}"
                )
            check_face(die, face)
            faces.append(face)
        return tuple(faces)


def random_bits(seed: str) -> Callable[[int], int]:
    """Return a source of random bits: calling it with n returns an integer of n random bits.

    >>> random_bits("a seed")(8) == random_bits("a seed")(8)
    True
    """
    return random.Random(seed).getrandbits


T = TypeVar("T")


@attrs.frozen
class Applied:
    """A modifier applied to a roll: the roll's name, the value, the rule cited and a summary."""

    roll: str
    value: int
    cite: str
    summary: str


class Fall(Protocol):
    """The function with which a driver decides a chance event."""

    def __call__(self, _event: ChanceEvent, /) -> RollOutcome | None:
        """Return the outcome that a driver chose for the event, or None to follow every branch."""


Modifiers = Callable[[str], Sequence[Applied]]


def _no_modifiers(_: str) -> Sequence[Applied]:
    return ()


def _fallen(support: Support, key: Callable[[RollOutcome], Any]) -> Part:
    part, *others = parts(support, key)
    if others:
        raise ChanceError("a roll that has already been made cannot branch")
    return part


class Chance:
    """The source of chance for one run of a step, which may have one chance event.

    >>> throws = explore(lambda chance: chance.dice("contact", white=d6).total >= 5)
    >>> [(weight, total, contact) for weight, total, contact, chance in throws]
    [(4, 6, False), (2, 6, True)]
    """

    __slots__ = ("_fall", "_modifiers", "_parting", "applied", "roll")

    def __init__(
        self, fall: Fall, modifiers: Modifiers = _no_modifiers, parting: Parting = _fallen
    ) -> None:
        self._fall = fall
        self._modifiers = modifiers
        self._parting = parting
        self.roll: Roll | None = None
        self.applied: list[Applied] = []

    def dice(self, name: str, **dice: Die) -> Roll:
        """Return a roll of named dice, e.g. ``chance.dice("contact", coloured=d6, white=d6)``.

        Raises ``ChanceError`` if no dice are given, or for a second chance event in the same step.
        """
        if not dice or not all(isinstance(die, Die) for die in dice.values()):
            raise ChanceError(f"the throw {name!r} needs named dice, such as white=d6, not {dice}")
        return self._roll_for(Throw(name, tuple(dice.items())))

    def draw(
        self,
        name: str,
        pile: Mapping[Face, int] | None = None,
        card: FromDeck | None = None,
        /,
        **kinds: int,
    ) -> Reading:
        """Return the reading for a chit drawn from a pile, given the number of chits of each kind.

        The reading is the chit's kind, a word or a number. If the chit is a card, ``card``
        describes its deck. For a draw or a die that only one side sees, ``card`` is
        ``FromDeck(seen_by=side)``. Raises ``ChanceError`` if the pile is empty (rules must check
        this first) or a count is not an integer of at least 0.
        """
        counts: dict[Face, int] = dict(pile or ())
        counts.update(kinds.items())
        for kind, count in counts.items():
            if type(count) is not int or count < 0:
                raise ChanceError(
                    f"the pile of {name!r} holds {count!r} of {kind!r}; counts are whole numbers from 0 up"
                )
        if not any(counts.values()):
            raise ChanceError(f"the pile of {name!r} is empty; at least one count must be above 0")
        return self._roll_for(Draw(name, tuple(counts.items()), card)).chit

    def fold(
        self,
        name: str,
        die: Die,
        groups: Sequence[tuple[int, Mapping[int, tuple[int, bool]]]],
        added: Sequence[int] = (),
    ) -> Roll:
        """Return a roll of groups of identical dice, with each face read as ``(add, any)``.

        The roll has two readings: ``add`` is the sum, and ``any`` is whether any die's flag is
        true. ``added`` are the modifiers that the readings of each group already include; players
        see them with the total. Raises ``ChanceError`` for a negative number of dice, or if a face
        has no reading.
        """
        for count, reading in groups:
            if type(count) is not int or count < 0:
                raise ChanceError(
                    f"{count!r} dice cannot be thrown for {name!r}; expected a whole number from 0 up"
                )
            if unread := [face for face in die.faces if face not in reading]:
                raise ChanceError(f"the reading for {name!r} does not cover the face {unread[0]}")
        return self._roll_for(Fold(name, die, tuple(groups), tuple(added)))

    def highest(self, name: str, of: Sequence[str], count: int = 1, die: Die = d6) -> Reading:
        """Return the reading for at least ``count`` names chosen at random, by the highest dice.

        The reading is the tuple of the names chosen. Raises ``ChanceError`` if there are no names,
        a name appears twice, or ``count`` is below 1.
        """
        if not of or len(set(of)) < len(of) or type(count) is not int or count < 1:
            raise ChanceError(
                f"cannot choose {count!r} of {tuple(of)} for {name!r}: the count must be at least 1,"
                " and the names distinct and not empty"
            )
        return self._roll_for(Selection(name, die, tuple(of), count)).chosen

    def drm(self, roll: Roll | str) -> int:
        """Return the sum of the modifiers registered for a roll, and record each with its rule.

        If the modifiers affect how the dice are read, pass the roll's name before throwing the
        dice. Raises ``ChanceError`` if one of them is not a whole number.
        """
        applied = [
            entry
            for entry in self._modifiers(roll if isinstance(roll, str) else roll.name)
            if entry.value
        ]
        for entry in applied:
            if type(entry.value) is not int:
                modifier = f"{entry.value!r} to {entry.roll!r} ({entry.summary}, {entry.cite})"
                raise ChanceError(f"{modifier} cannot be added; modifiers are whole numbers")
        self.applied.extend(applied)
        return sum(entry.value for entry in applied)

    def _roll_for(self, event: ChanceEvent) -> Roll:
        if self.roll is not None:
            msg = f"a second chance event {event.name!r} in one step (after {self.roll.name!r}); split the step"
            raise ChanceError(msg)
        outcome = self._fall(event)
        support = event.space if outcome is None else ((outcome, 1),)
        self.roll = Roll(event, support, self._parting)
        return self.roll


class _Path:
    """One branch of a step: for each reading, the part of its outcomes that the branch takes.

    The first readings take the parts given in ``start``. Each later reading takes its first part,
    and ``later`` collects the paths to its other parts. A step runs again for every branch, so a
    reading that was already split is not split again.
    """

    def __init__(self, start: tuple[Part, ...]) -> None:
        self._taken = list(start)
        self._position = 0
        self.later: list[tuple[Part, ...]] = []

    def part(self, support: Support, key: Callable[[RollOutcome], Any]) -> Part:
        if self._position == len(self._taken):
            first, *others = parts(support, key)
            self.later.extend([(*self._taken, other) for other in others])
            self._taken.append(first)
        self._position += 1
        return self._taken[self._position - 1]


def explore(
    run: Callable[[Chance], T], modifiers: Modifiers = _no_modifiers
) -> list[tuple[int, int, T, Chance]]:
    """Call ``run`` once for every branch that its comparisons distinguish.

    Return ``(weight, total, answer, chance)`` for each branch, in a fixed order; ``answer`` is the
    result of ``run``. The weights sum to the total, which is 1 for a step without chance.

    >>> throws = explore(lambda chance: chance.dice("contact", white=d6).total >= 5)
    >>> [(weight, total, contact) for weight, total, contact, chance in throws]
    [(4, 6, False), (2, 6, True)]
    """
    branches: list[tuple[int, int, T, Chance]] = []
    stack: list[tuple[Part, ...]] = [()]
    total = 0
    while stack:
        path = _Path(stack.pop())
        chance = Chance(_every_way, modifiers, path.part)
        answer = run(chance)
        roll = chance.roll
        if roll is None:
            branches.append((1, 1, answer, chance))
        else:
            if not total:
                total = sum(weight for _, weight in roll.event.space)
            branches.append((roll.weight(), total, answer, chance))
        stack.extend(reversed(path.later))
    return branches


def _every_way(_event: ChanceEvent) -> RollOutcome | None:
    return None
