"""Answers as people read them: shares in percent, figures without needless decimals, what it comes to, what changed."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import attrs

from fireplan.analysis.answers import Answer, Comparison, GameAnswer, Measured, NotModelled
from fireplan.analysis.yardsticks import YARDSTICKS, Yardstick
from fireplan_core import Severity

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
    """Return a figure without needless decimals; what is hardly anything is not called 0."""
    value = float(value)
    if 0 < value < 0.05:  # noqa: PLR2004 - half of what is shown
        return "<0.1"
    return f"{value:.0f}" if value == round(value) or value >= 100 else f"{value:.1f}"  # noqa: PLR2004


def table_rows(
    games: Sequence[GameAnswer], show: Callable[[Fraction], str] = percent
) -> Iterator[tuple[Yardstick, str, list[str]]]:
    """Yield the rows of a table of answers: the yardstick, the severity if it has four, and a cell for each game."""
    for yardstick in YARDSTICKS:
        answers = [game.measures[yardstick.name] for game in games]
        if yardstick.name == "target_severity":
            found = [
                dict(one.distribution or ()) if isinstance(one, Measured) else None
                for one in answers
            ]
            for severity in (each.name.lower() for each in Severity):
                shares = (
                    "not modelled" if one is None else show(one.get(severity, Fraction(0)))
                    for one in found
                )
                yield yardstick, severity, list(shares)
        else:
            yield yardstick, "", [in_words(yardstick.name, game, show) for game in games]


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
        lines.append(
            f"{'never' if low is None else number(low)} to {'never' if high is None else number(high)}"
        )
    if answer.unresolved:
        lines.append(f"never {percent(answer.unresolved)}")
    return "\n".join(lines)


def in_short(comparison: Comparison) -> list[str]:
    """Return who is first, surest, widest and most dangerous to his own, in sentences.

    Ties name all.
    """
    games = list(comparison.games.values())

    def ranked(name: str, figure: Any, *, largest: bool) -> list[tuple[Any, list[str]]]:
        found: dict[Any, list[str]] = {}
        for game in games:
            if (
                isinstance(answer := game.measures[name], Measured)
                and (value := figure(answer)) is not None
            ):
                found.setdefault(value, []).append(game.title)
        return sorted(found.items(), reverse=largest)

    lines = []
    if fast := ranked("minutes_to_first_effect", lambda a: a.quantile(MEDIAN), largest=False):
        slow = f"; slowest {_all(fast[-1][1])}, {number(fast[-1][0])} min" if fast[1:] else ""
        lines.append(
            f"Fastest to fire half the time: {_all(fast[0][1])}, within {number(fast[0][0])} min{slow}."
        )
    if sure := ranked("delivered", lambda a: a.value, largest=True):
        least = f"; least sure {_all(sure[-1][1])}, {percent(sure[-1][0])}" if sure[1:] else ""
        lines.append(f"Surest to fire at all: {_all(sure[0][1])}, {percent(sure[0][0])}{least}.")
    wide = ranked("footprint_hectares", lambda a: a.value, largest=True)
    if wide[1:]:
        lines.append(
            f"Widest footprint: {_all(wide[0][1])}, {number(wide[0][0])} ha;"
            f" narrowest {_all(wide[-1][1])}, {number(wide[-1][0])} ha."
        )
    if hard := ranked("target_severity", lambda a: dict(a.distribution)["destroyed"], largest=True):
        mild = f"; mildest {_all(hard[-1][1])}, {percent(hard[-1][0])}" if hard[1:] else ""
        destroy = "destroys" if len(hard[0][1]) == 1 else "destroy"
        lines.append(
            f"Hardest on the target: {_all(hard[0][1])} {destroy} {percent(hard[0][0])} of it{mild}."
        )
    risk = ranked("own_troops_under_fire", lambda a: a.value, largest=True)
    if risk and risk[0][0] > 0:
        lines.append(
            f"Most dangerous to the firer's own: {_all(risk[0][1])} ({percent(risk[0][0])})."
        )
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


@attrs.frozen
class Change:
    """One line: what is measured, before and after in words, the difference in words, whether there is any."""

    what: str
    before: str
    after: str
    difference: str
    changed: bool


def changes(before: GameAnswer, after: GameAnswer) -> Iterator[Change]:
    """Yield every yardstick with its difference; severities one by one."""
    for yardstick in YARDSTICKS:
        one, other = before.measures[yardstick.name], after.measures[yardstick.name]
        if yardstick.name != "target_severity":
            yield _change(yardstick.title, one, other)
        elif isinstance(one, Measured) and isinstance(other, Measured):
            shares = dict(other.distribution or ())
            for name, share in one.distribution or ():
                yield _share_change(
                    f"target {name}", share, shares[name], changed=share != shares[name]
                )


def _change(title: str, one: Answer, other: Answer) -> Change:
    if not isinstance(one, Measured) or not isinstance(other, Measured):
        words = ["modelled" if isinstance(a, Measured) else "not modelled" for a in (one, other)]
        return Change(title, words[0], words[1], "", changed=words[0] != words[1])
    changed = (one.distribution, one.unresolved, one.value) != (
        other.distribution,
        other.unresolved,
        other.value,
    )
    if one.unit == "probability":
        return _share_change(title, _share(one), _share(other), changed=changed)
    means = [answer.mean() for answer in (one, other)]
    texts = ["nothing falls" if mean is None else f"{number(mean)} {one.unit}" for mean in means]
    apart = (
        ""
        if None in means or not changed
        else f"{(means[1] or 0) - (means[0] or 0):+.2f} {one.unit}"
    )
    return Change(title, texts[0], texts[1], apart, changed)


def _share_change(title: str, before: Fraction, after: Fraction, *, changed: bool) -> Change:
    points = "" if before == after else f"{float(after - before) * 100:+.2f} points"
    return Change(title, percent(before), percent(after), points, changed)


def _share(answer: Measured) -> Fraction:
    return (
        Fraction(answer.value or 0)
        if answer.distribution is None
        else dict(answer.distribution).get(True, Fraction(0))
    )
