"""Estimates of the time that an analysis takes, announced before it is solved."""

from collections.abc import Callable
from contextlib import suppress

from fireplan.errors import InputError
from fireplan.solver.analysis import Analysis

EACH, LONGER = 1.5e-6, 3e-9
"""Time per state and moment in seconds, and its increase per moment as integers lengthen."""


def expected_seconds(analysis: Analysis, moments: int | None = None) -> float:
    """Return the estimated time to answer all yardsticks on a slow machine, in seconds.

    The estimate is for this number of moments, by default all of them. It is 0 if probabilities are
    floats.
    """
    moments = analysis.moments if moments is None else moments
    return analysis.states * moments * (EACH + LONGER * moments) if analysis.exact else 0.0


def announce(
    analysis: Analysis, begin: Callable[[float], None], sooner: Callable[[int], str]
) -> None:
    """Call ``begin`` with the expected time in seconds, before the yardsticks are solved.

    If ``begin`` raises ``InputError``, the largest number of moments that it accepts is added to
    the error; ``sooner`` writes that number as an argument of the question.
    """
    try:
        begin(expected_seconds(analysis))
    except InputError as error:
        if not (fewer := _allowed(analysis, begin)):
            raise
        raise InputError(*error.faults, f"{sooner(fewer)} is within the limit.") from error


def _allowed(analysis: Analysis, begin: Callable[[float], None]) -> int:
    """Return the largest smaller number of moments that ``begin`` accepts, or 0."""
    for moments in range(analysis.moments - 1, 0, -1):
        with suppress(InputError):
            begin(expected_seconds(analysis, moments))
            return moments
    return 0
