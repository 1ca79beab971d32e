"""Say what an opponent may believe of a stack: how likely it is to bring a barrage (6.1.h). Exact; no table is needed.

The prior is stated: with which chances an owner may be putting real barrages into his stacks. Stacks are alike
but for that, and each is real or not by itself; only the number of chits the owner has may bind them together.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import comb

import attrs


@attrs.frozen
class Habits:
    """A prior on how the owner mixes: each chance that a stack of his holds a barrage, with its probability.

    ``stacks`` is the most stacks that can bring one (the owner's real chits, where they are known), or None.
    Raises ``ValueError`` for chances or probabilities out of 0 to 1, or probabilities whose sum is not 1.
    """

    prior: Mapping[Fraction, Fraction] = attrs.field(converter=dict)
    stacks: int | None = None

    def __attrs_post_init__(self) -> None:
        if any(not 0 <= number <= 1 for pair in self.prior.items() for number in pair):
            raise ValueError("chances and their probabilities lie between 0 and 1")
        if sum(self.prior.values()) != 1:
            raise ValueError("the probabilities of the prior do not add up to 1")


def chance_of_barrage(habits: Habits, *, real: int, empty: int, waiting: int = 1) -> Fraction:
    """Return how likely a stack in line is to bring a barrage, after ``real`` stacks brought one and ``empty`` did not.

    ``waiting`` stacks are in line, that one among them; it tells only where the owner's chits may run short.
    Raises ``ValueError`` when what was seen cannot happen under the prior, or no stack is in line.
    """
    if waiting < 1 or real < 0 or empty < 0:
        raise ValueError("at least one stack must be in line, and counts are not negative")
    most = habits.stacks
    if most is not None and real > most:
        raise ValueError(f"{real} stacks brought barrages, the owner has {most}")
    left = None if most is None else most - real
    seen = wanted = Fraction(0)
    for q, weight in habits.prior.items():
        # What the owner's habit gives, among mixes that his chits allow.
        possible = _at_most(q, real + empty + waiting, most)
        if not possible:
            continue
        evidence = weight * q**real * (1 - q) ** empty / possible
        seen += evidence * _at_most(q, waiting, left)
        if left is None or left > 0:
            wanted += evidence * q * _at_most(q, waiting - 1, None if left is None else left - 1)
    if not seen:
        raise ValueError("what was seen cannot happen under this prior")
    return wanted / seen


def _at_most(q: Fraction, stacks: int, most: int | None) -> Fraction:
    """Return the probability that no more than ``most`` of so many stacks are real, each with chance q."""
    if most is None:
        return Fraction(1)
    return sum((comb(stacks, k) * q**k * (1 - q) ** (stacks - k) for k in range(min(most, stacks) + 1)), Fraction(0))
