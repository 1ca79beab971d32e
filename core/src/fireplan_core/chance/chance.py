"""The chance that a step is handed, what faces fall in play, and the exact driver that runs a step along every branch.

``Chance`` allows one chance event a step. Where it comes from is the driver's business: ``explore`` runs the
step once for each branch; a table in play hands over the faces that fell.
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
    Outcome,
    Selection,
    Throw,
    d6,
)
from fireplan_core.chance.roll import Part, Parting, Reading, Roll, Support, parts


def check_face(wanted: Faces, face: Face) -> None:
    """Refuse a face that this die or pile cannot show.

    Raises ``ChanceError`` naming the die, what was given and what is possible; not so of a card:
    which cards are left tells what others hold.
    """
    if all(type(face) is not type(known) or face != known for known, _ in wanted.weights):
        known = f"; possible are {', '.join(str(value) for value, _ in wanted.weights)}" * (
            wanted.label != "card"
        )
        raise ChanceError(f"{wanted.label}: {face!r} cannot fall{known}")


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
        """Return the next faces of the script.

        ``ChanceError`` when it ran out or a face cannot fall.
        """
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


T = TypeVar("T")


@attrs.frozen
class Applied:
    """A modifier that was added to a roll: which roll, how much, by which rule, in words."""

    roll: str
    value: int
    cite: str
    summary: str


class Fall(Protocol):
    """Say how an event falls: its outcome, or None for "every way it can"."""

    def __call__(self, _event: ChanceEvent, /) -> Outcome | None:
        """The outcome of the event, or None when every branch is wanted."""


Modifiers = Callable[[str], Sequence[Applied]]


def _no_modifiers(_: str) -> Sequence[Applied]:
    return ()


def _fallen(support: Support, key: Callable[[Outcome], Any]) -> Part:
    part, *others = parts(support, key)
    if others:
        raise ChanceError("a roll that has fallen cannot branch")
    return part


class Chance:
    """All the chance of one run of one step: at most one event."""

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
        """Throw named dice together, e.g. ``chance.dice("contact", coloured=d6, white=d6)``.

        Refuse a throw of none.
        """
        if not dice or not all(isinstance(die, Die) for die in dice.values()):
            raise ChanceError(f"the throw {name!r} needs dice, each with its name, not {dice}")
        return self._happen(Throw(name, tuple(dice.items())))

    def draw(
        self,
        name: str,
        pile: Mapping[Face, int] | None = None,
        card: FromDeck | None = None,
        /,
        **kinds: int,
    ) -> Reading:
        """Draw one chit from a pile given by its counts.

        The reading is the chit's kind (a word, or a number).

        ``card`` says of which deck, where it is a card.

        Raises ``ChanceError`` when the pile is empty (the rule must ask first) or a count is no
        whole number from 0 on.
        """
        counts: dict[Face, int] = dict(pile or ())
        counts.update(kinds.items())
        for kind, count in counts.items():
            if type(count) is not int or count < 0:
                raise ChanceError(
                    f"the pile of {name!r} holds {count!r} of {kind!r}; no count is below 0"
                )
        if not any(counts.values()):
            raise ChanceError(f"the pile of {name!r} is empty")
        return self._happen(Draw(name, tuple(counts.items()), card)).chit

    def fold(
        self, name: str, die: Die, groups: Sequence[tuple[int, Mapping[int, tuple[int, bool]]]]
    ) -> Roll:
        """Throw many like dice, each read to ``(add, any)``.

        Readings ``add`` (the sum) and ``any``.

        Raises ``ChanceError`` for a number of dice below 0, and for a face that nothing is said of.
        """
        for count, reading in groups:
            if type(count) is not int or count < 0:
                raise ChanceError(f"{count!r} dice cannot be thrown for {name!r}")
            if unread := [face for face in die.faces if face not in reading]:
                raise ChanceError(f"nothing says what {unread[0]} means for {name!r}")
        return self._happen(Fold(name, die, tuple(groups)))

    def highest(self, name: str, of: Sequence[str], count: int = 1, die: Die = d6) -> Reading:
        """Return random selection of at least ``count`` of the names.

        The reading is the tuple of those chosen.

        Raises ``ChanceError`` where there is nobody to choose from, somebody stands twice, or
        ``count`` is below 1.
        """
        if not of or len(set(of)) < len(of) or type(count) is not int or count < 1:
            raise ChanceError(
                f"{count!r} of {tuple(of)} cannot be chosen for {name!r}; each once, at least 1 of them"
            )
        return self._happen(Selection(name, die, tuple(of), count)).chosen

    def drm(self, roll: Roll | str) -> int:
        """Return the sum of the modifiers registered for this roll, each noted with its rule.

        Named by its name alone before the dice fall, where the modifier decides how they are read
        (volleys).
        """
        applied = [
            entry
            for entry in self._modifiers(roll if isinstance(roll, str) else roll.name)
            if entry.value
        ]
        for entry in applied:
            if type(entry.value) is not int:
                what = f"{entry.value!r} to {entry.roll!r} ({entry.summary}, {entry.cite})"
                raise ChanceError(f"{what} cannot be added; modifiers are whole numbers")
        self.applied.extend(applied)
        return sum(entry.value for entry in applied)

    def _happen(self, event: ChanceEvent) -> Roll:
        if self.roll is not None:
            msg = f"a second chance event {event.name!r} in one step (after {self.roll.name!r}); split the step"
            raise ChanceError(msg)
        outcome = self._fall(event)
        support = event.space if outcome is None else ((outcome, 1),)
        self.roll = Roll(event, support, self._parting)
        return self.roll


class _Path:
    """One branch: what its first readings came to, as found before.

    Then the first part of each, others for later.

    A step is run anew for every branch and asks the same again up to where the branches part, so
    that no reading is looked at twice.
    """

    def __init__(self, known: tuple[Part, ...]) -> None:
        self._taken = list(known)
        self._position = 0
        self.later: list[tuple[Part, ...]] = []

    def part(self, support: Support, key: Callable[[Outcome], Any]) -> Part:
        if self._position == len(self._taken):
            first, *others = parts(support, key)
            self.later.extend([(*self._taken, other) for other in others])
            self._taken.append(first)
        self._position += 1
        return self._taken[self._position - 1]


def explore(
    run: Callable[[Chance], T], modifiers: Modifiers = _no_modifiers
) -> list[tuple[int, int, T, Chance]]:
    """Run ``run`` once along every branch its comparisons distinguish.

    Returns ``(weight, total, answer, chance)`` for each branch, in a fixed order; the weights sum
    to the total, which is 1 for a step without chance.
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


def _every_way(_event: ChanceEvent) -> Outcome | None:
    return None
