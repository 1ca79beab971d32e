"""Answers in words: percentages, rounded figures, summaries of a comparison, changes."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import attrs

from fireplan.analysis.answers import Answer, Comparison, GameAnswer, Measured, NotModelled
from fireplan.analysis.yardsticks import YARDSTICKS, Yardstick
from fireplan_core import Severity

MEDIAN = Fraction(1, 2)
SPREAD = (Fraction(1, 10), Fraction(9, 10))


def percent(share: Fraction | float, decimals: int = 1) -> str:
    """Return a probability as text, e.g. ``27.8 %``; 0 % and 100 % only if they are exact."""
    if share in (0, 1):
        return f"{int(share * 100)} %"
    unit = Fraction(1, 10**decimals)
    hardly = unit / 200
    if share < hardly:
        return f"<{float(unit):.{decimals}f} %"
    if share >= 1 - hardly:
        return f">{float(100 - unit):.{decimals}f} %"
    return f"{float(share) * 100:.{decimals}f} %"


def number(value: Any, decimals: int = 1) -> str:
    """Return a figure as text; a tiny positive value becomes ``<0.1``, never 0.

    Whole numbers have no decimals. With one decimal, neither have numbers from 100 upwards.
    """
    unit = 10**-decimals
    value = float(value)
    if 0 < value < unit / 2:
        return f"<{unit:.{decimals}f}"
    whole = value == round(value) or (decimals == 1 and value >= 100)  # noqa: PLR2004
    return f"{value:.0f}" if whole else f"{value:.{decimals}f}"


def table_rows(
    games: Sequence[GameAnswer], show: Callable[[Fraction], str] = percent
) -> Iterator[tuple[Yardstick, str, list[str]]]:
    """Yield the rows of an answer table: yardstick, severity ("" if none), one cell per game.

    ``show`` formats probabilities.
    """
    for yardstick in YARDSTICKS:
        answers = [game.measures[yardstick.name] for game in games]
        if yardstick.name == "target_severity":
            distributions = [
                dict(answer.distribution or ()) if isinstance(answer, Measured) else None
                for answer in answers
            ]
            for severity in (each.name.lower() for each in Severity):
                shares = (
                    "not modelled" if shares is None else show(shares.get(severity, Fraction(0)))
                    for shares in distributions
                )
                yield yardstick, severity, list(shares)
        else:
            yield yardstick, "", [in_words(yardstick.name, game, show) for game in games]


def in_words(name: str, game: GameAnswer, show: Callable[[Fraction], str] = percent) -> str:
    """Return a game's result on the yardstick ``name`` in words, e.g. "35 m on average".

    ``show`` formats probabilities.
    """
    answer = game.measures[name]
    if isinstance(answer, NotModelled):
        return "not modelled"
    if name == "minutes_to_first_effect":
        return _minutes(answer)
    if name == "miss_metres":
        mean = answer.mean()
        return "no fire falls" if mean is None else f"{number(mean)} m on average"
    if name == "on_target":
        return show(dict(answer.distribution or ()).get(True, Fraction(0)))
    if answer.unit == "probability":
        return show(answer.value)
    return f"{number(answer.value)} {answer.unit}"


def _minutes(answer: Measured) -> str:
    if not answer.distribution:
        return "never"
    median = answer.quantile(MEDIAN)
    low, high = (answer.quantile(share) for share in SPREAD)
    if median is None:
        lines = ["fewer than half fire"]
    else:
        lines = [f"within {number(median)}" if low == high else f"half within {number(median)}"]
    if low is not None and high is not None and low != high:
        lines.append(f"most {number(low)} to {number(high)}")
    if answer.unresolved:
        lines.append(f"never {percent(answer.unresolved)}")
    return "\n".join(lines)


@attrs.frozen
class _Ranking:
    """A sentence that names the games at the two ends of a yardstick.

    ``first`` describes the games with the best figure, ``last`` those with the worst.
    ``figure(answer)`` returns the figure of an answer, and ``shown(figure)`` puts it into words.
    The best figure is the largest, or the smallest unless ``largest`` is set. There is no sentence
    if the games have fewer than ``fewest`` different figures.
    """

    yardstick: str
    first: str
    last: str = ""
    shown: Callable[[Any], str] = percent
    figure: Callable[[Measured], Any] = lambda answer: answer.value
    largest: bool = True
    fewest: int = 1

    def sentence(self, games: Iterable[GameAnswer]) -> str:
        """Return the sentence about these games, or "" if they have too few different figures."""
        titles: dict[Any, list[str]] = {}
        for game in games:
            answer = game.measures[self.yardstick]
            if isinstance(answer, Measured) and (value := self.figure(answer)) is not None:
                titles.setdefault(value, []).append(game.title)
        if len(titles) < self.fewest:
            return ""
        ranked = sorted(titles, reverse=self.largest)
        best, worst = ranked[0], ranked[-1]
        verb = "destroys" if len(titles[best]) == 1 else "destroy"
        said = self.first.format(joined_words(titles[best]), self.shown(best), verb=verb)
        if self.last and best != worst:
            said += f"; {self.last} {joined_words(titles[worst])}, {self.shown(worst)}"
        return f"{said}."


_RANKINGS = (
    _Ranking(
        "minutes_to_first_effect",
        "Fastest to fire half the time: {}, within {}",
        "slowest",
        lambda minutes: f"{number(minutes)} min",
        lambda answer: answer.quantile(MEDIAN),
        largest=False,
    ),
    _Ranking("delivered", "Surest to fire at all: {}, {}", "least sure"),
    _Ranking(
        "footprint_hectares",
        "Widest footprint: {}, {}",
        "narrowest",
        lambda hectares: f"{number(hectares)} ha",
        fewest=2,
    ),
    _Ranking(
        "target_severity",
        "Hardest on the target: {} {verb} {} of it",
        "mildest",
        figure=lambda answer: dict(answer.distribution or ())["destroyed"],
    ),
    _Ranking(
        "own_troops_under_fire",
        "Most dangerous to own troops: {} ({})",
        figure=lambda answer: answer.value or None,
    ),
)


def in_short(comparison: Comparison) -> list[str]:
    """Return sentences that name the games whose fire is fastest, surest, widest or most harmful.

    A tie names all of its games.
    """
    games = comparison.games.values()
    return [said for ranking in _RANKINGS if (said := ranking.sentence(games))]


def joined_words(titles: list[str]) -> str:
    """Return titles joined for a sentence: ``A, B and C``."""
    *others, last = titles
    return f"{', '.join(others)} and {last}" if others else last


def unmodelled(comparison: Comparison) -> list[str]:
    """Return a line for each yardstick that a game does not model, with the reason."""
    return [
        f"{yardstick.title}, {game.title}: {answer.reason}"
        for yardstick in YARDSTICKS
        for game in comparison.games.values()
        if isinstance(answer := game.measures[yardstick.name], NotModelled)
    ]


@attrs.frozen
class YardstickChange:
    """A yardstick before and after a change, and the difference, all in words."""

    what: str
    before: str
    after: str
    difference: str
    changed: bool


def changes(before: GameAnswer, after: GameAnswer) -> Iterator[YardstickChange]:
    """Yield the change of every yardstick.

    For the severity, yield the change in the share of each severity, if both games model it.
    """
    for yardstick in YARDSTICKS:
        old, new = before.measures[yardstick.name], after.measures[yardstick.name]
        if yardstick.name != "target_severity":
            yield _change(yardstick.title, old, new)
        elif isinstance(old, Measured) and isinstance(new, Measured):
            shares = dict(new.distribution or ())
            for name, share in old.distribution or ():
                yield _share_change(
                    f"target {name}", share, shares[name], changed=share != shares[name]
                )


def _change(title: str, old: Answer, new: Answer) -> YardstickChange:
    if not isinstance(old, Measured) or not isinstance(new, Measured):
        words = ["modelled" if isinstance(a, Measured) else "not modelled" for a in (old, new)]
        return YardstickChange(title, words[0], words[1], "", changed=words[0] != words[1])
    changed = (old.distribution, old.unresolved, old.number) != (
        new.distribution,
        new.unresolved,
        new.number,
    )
    if old.unit == "probability":
        return _share_change(title, _share(old), _share(new), changed=changed)
    means = [answer.mean() for answer in (old, new)]
    texts = ["no fire falls" if mean is None else f"{number(mean)} {old.unit}" for mean in means]
    difference = (
        "" if None in means or not changed else signed((means[1] or 0) - (means[0] or 0), old.unit)
    )
    return YardstickChange(title, texts[0], texts[1], difference, changed)


def signed(amount: float, unit: str) -> str:
    """Return a difference with its sign; one too small to show becomes ``+<0.01 points``."""
    text = f"{amount:+.2f} {unit}"
    return f"{text[0]}<0.01 {unit}" if amount and text[1:5] == "0.00" else text


def _share_change(
    title: str, before: Fraction, after: Fraction, *, changed: bool
) -> YardstickChange:
    points = "" if before == after else signed(float(after - before) * 100, "points")
    return YardstickChange(title, percent(before), percent(after), points, changed)


def _share(answer: Measured) -> Fraction:
    return answer.number or Fraction(0)
