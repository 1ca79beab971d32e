"""Answers as people read them: shares in percent, figures without needless decimals, and what it comes to."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from fireplan.compare._answers import Comparison, GameAnswer, Measured, NotModelled
from fireplan.compare._yardsticks import YARDSTICKS

MEDIAN = Fraction(1, 2)
SPREAD = (Fraction(1, 10), Fraction(9, 10))
HARDLY = Fraction(1, 2000)


def percent(share: Fraction) -> str:
    """Return a probability for reading: never 0 % or 100 % unless it is exactly so."""
    if share in (0, 1):
        return f"{int(share * 100)} %"
    if share < HARDLY:
        return "<0.1 %"
    if share >= 1 - HARDLY:
        return ">99.9 %"
    return f"{float(share) * 100:.1f} %"


def number(value: Any) -> str:
    """Return a figure without needless decimals."""
    value = float(value)
    return f"{value:.0f}" if value == round(value) or value >= 100 else f"{value:.1f}"  # noqa: PLR2004


def severity_at(game: GameAnswer, position: int) -> tuple[str, Fraction]:
    """Return the name and share of a severity, from 0 (none) to 3 (destroyed)."""
    answer = game.measures["target_severity"]
    return answer.distribution[position] if isinstance(answer, Measured) and answer.distribution else ("", Fraction(0))


def in_words(name: str, game: GameAnswer, show: Callable[[Fraction], str] = percent) -> str:
    """Return one answer, in a few short lines; ``show`` writes a probability."""
    answer = game.measures[name]
    if isinstance(answer, NotModelled):
        return "not modelled"
    if name == "minutes_to_first_effect":
        return _minutes(answer)
    if name == "miss_metres":
        mean = answer.mean()
        return "nothing falls" if mean is None else f"{number(mean)} m on average"
    if name == "on_target":
        return show(dict(answer.distribution or ()).get(True, Fraction(0)))
    if answer.unit == "probability" and isinstance(answer.value, Fraction):
        return show(answer.value)
    return f"{number(answer.value)} {answer.unit}"


def _minutes(answer: Measured) -> str:
    if not answer.distribution:
        return "never"
    median = answer.quantile(MEDIAN)
    low, high = (answer.quantile(share) for share in SPREAD)
    lines = ["rarely at all" if median is None else f"within {number(median)}"]
    if low != high:
        lines.append(f"{'never' if low is None else number(low)} to {'never' if high is None else number(high)}")
    if answer.unresolved:
        lines.append(f"never {percent(answer.unresolved)}")
    return "\n".join(lines)


def in_short(comparison: Comparison) -> list[str]:
    """Return what a reader should take away: who is first, surest, widest and most dangerous to his own; ties name all."""
    games = list(comparison.games.values())

    def ranked(name: str, figure: Any, *, largest: bool) -> list[tuple[Any, list[str]]]:
        found: dict[Any, list[str]] = {}
        for game in games:
            if isinstance(answer := game.measures[name], Measured) and (value := figure(answer)) is not None:
                found.setdefault(value, []).append(game.title)
        return sorted(found.items(), reverse=largest)

    lines = []
    fast = ranked("minutes_to_first_effect", lambda a: a.quantile(MEDIAN), largest=False)
    if fast:
        slow = f"; slowest {_all(fast[-1][1])}, {number(fast[-1][0])} min" if fast[1:] else ""
        lines.append(f"Fastest to fire half the time: {_all(fast[0][1])}, within {number(fast[0][0])} min{slow}.")
    sure = ranked("delivered", lambda a: a.value, largest=True)
    if sure:
        least = f"; least sure {_all(sure[-1][1])}, {percent(sure[-1][0])}" if sure[1:] else ""
        lines.append(f"Surest to fire at all: {_all(sure[0][1])}, {percent(sure[0][0])}{least}.")
    wide = ranked("footprint_hectares", lambda a: a.value, largest=True)
    if wide[1:]:
        lines.append(
            f"Widest footprint: {_all(wide[0][1])}, {number(wide[0][0])} ha;"
            f" narrowest {_all(wide[-1][1])}, {number(wide[-1][0])} ha."
        )
    hard = ranked("target_severity", lambda a: dict(a.distribution)["destroyed"], largest=True)
    if hard:
        mild = f"; mildest {_all(hard[-1][1])}, {percent(hard[-1][0])}" if hard[1:] else ""
        destroy = "destroys" if len(hard[0][1]) == 1 else "destroy"
        lines.append(f"Hardest on the target: {_all(hard[0][1])} {destroy} {percent(hard[0][0])} of it{mild}.")
    risk = ranked("own_troops_under_fire", lambda a: a.value, largest=True)
    if risk and risk[0][0] > 0:
        lines.append(f"Most dangerous to the firer's own: {_all(risk[0][1])} ({percent(risk[0][0])}).")
    return lines


def _all(titles: list[str]) -> str:
    """Names in a sentence."""
    *others, last = titles
    return f"{', '.join(others)} and {last}" if others else last


def unmodelled(comparison: Comparison) -> list[str]:
    """Return what games have no figure for, and why."""
    return [
        f"{yardstick.title}, {game.title}: {answer.reason}"
        for yardstick in YARDSTICKS
        for game in comparison.games.values()
        if isinstance(answer := game.measures[yardstick.name], NotModelled)
    ]
