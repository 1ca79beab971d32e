"""Worlds that are supposed: from which positions play may begin, with what chance; and chances as they are said."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import Any

from fireplan.api._errors import argument, gathered
from fireplan.comparison import percent

MOST_CHANCES = 1_000
"""The largest denominator of a chance that is told as so many chances in so many."""


def mixture(chances: dict[str, Fraction]) -> str:
    """Return what may be in words, each with its chance; of what is certain the name alone."""
    many = {c: f"{c.numerator} chance{'s'[: c.numerator > 1]} in {c.denominator}" for c in chances.values()}
    if any(c.denominator > MOST_CHANCES for c in many):
        many = {c: percent(c) for c in many}
    return "; ".join(name if c == 1 else f"{name} with {many[c]}" for name, c in chances.items() if c)


def worlds_of(
    opens: Any, given: Iterable[str], faults: list[str], position: Callable[[str], Any], *, weighed: bool = True
) -> Iterator[tuple[Fraction, str, Any]]:
    """Yield the worlds that are said, as "WEIGHT WHAT IS SO" or (not ``weighed``) without weights.

    Of each its share, its name and its position.
    What is so is said in the words of a line, of the position that ``opens``; of nothing said, that as it is.
    """
    parted = [text.strip().partition(" ") if weighed else ("1", "", text) for text in given] or [("1", "", "")]
    shares = [weight("world", f"{share} {says}", share, faults) for share, _, says in parted]
    for share, (_, _, says) in zip(shares, parted, strict=True):
        at: Any = gathered(faults, position, f"{opens} {says}".strip()) if says.strip() else opens
        if share and at is not None:
            yield share / sum(shares), says.strip() or "as it is", at


def weight(option: str, text: str, number: str, faults: list[str]) -> Fraction:
    """Return a number that was given as a fraction; note a fault where it is none."""
    try:
        return Fraction(number)
    except (ValueError, ZeroDivisionError):
        faults.append(f"{argument(option)} {text.strip()!r}: expected a fraction such as 1/10, got {number!r}.")
        return Fraction(1)
