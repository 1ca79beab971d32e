"""The comparison as a table for people: one column a game, one row a yardstick, and what it comes to."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from fireplan.compare import YARDSTICKS, Comparison, GameAnswer, Measured, NotModelled

BLOCKS = " ▏▎▍▌▋▊▉█"
BAR_WIDTH = 8
NARROW = 100
"""Columns below which games are printed one under the other."""
MEDIAN = Fraction(1, 2)
SPREAD = (Fraction(1, 10), Fraction(9, 10))
HALF_PER_CENT = Fraction(1, 2000)


def percent(share: Fraction) -> str:
    """A probability for reading: never 0 % or 100 % unless it is exactly so."""
    if share in (0, 1):
        return f"{int(share * 100)} %"
    if share < HALF_PER_CENT:
        return "<0.1 %"
    if share > 1 - HALF_PER_CENT:
        return ">99.9 %"
    return f"{float(share) * 100:.1f} %"


def bar(share: Fraction) -> str:
    """A share as a bar of blocks."""
    eighths = round(float(share) * BAR_WIDTH * 8)
    return (BLOCKS[8] * (eighths // 8) + BLOCKS[eighths % 8].strip()).ljust(BAR_WIDTH)


def number(value: Any) -> str:
    """A figure without needless decimals."""
    value = float(value)
    return f"{value:.0f}" if value == round(value) or value >= 100 else f"{value:.1f}"  # noqa: PLR2004


def cell(name: str, game: GameAnswer) -> str:
    """One answer, in a few short lines."""
    answer = game.measures[name]
    if isinstance(answer, NotModelled):
        return f"not modelled\n({answer.reason})"
    if name == "minutes_to_first_effect":
        return _minutes(answer, game)
    if name == "miss_metres":
        return _miss(answer)
    if name == "target_severity":
        return "\n".join(f"{bar(share)} {value} {percent(share)}" for value, share in answer.distribution or ())
    if name == "on_target":
        return _on_target(answer)
    if answer.unit == "probability" and isinstance(answer.value, Fraction):
        return f"{bar(answer.value)} {percent(answer.value)}"
    return f"{number(answer.value)} {answer.unit}"


def _minutes(answer: Measured, game: GameAnswer) -> str:
    distribution = answer.distribution or ()
    if not distribution:
        return "never within the watch"
    median = answer.quantile(MEDIAN)
    lines = [f"within {number(median)} min, half the time" if median is not None else "less than half the time at all"]
    low, high = (answer.quantile(share) for share in SPREAD)
    if low is not None and low != median:
        lines.append(f"one in ten within {number(low)}")
    if high is not None and high != median:
        lines.append(f"nine in ten within {number(high)}")
    if answer.unresolved:
        lines.append(f"never {percent(answer.unresolved)}")
    lines.append(f"(to {number(game.grain)} min)")
    return "\n".join(lines)


def _miss(answer: Measured) -> str:
    mean = answer.mean()
    if mean is None:
        return "nothing falls"
    return f"{number(mean)} m on average\nhalf within {number(_conditional(answer, MEDIAN))} m"


def _conditional(answer: Measured, share: Fraction) -> Any:
    """The quantile among what has happened at all."""
    return answer.quantile(share * (1 - answer.unresolved))


def _on_target(answer: Measured) -> str:
    shares = dict(answer.distribution or ())
    hit = shares.get(True, Fraction(0))
    fell = 1 - answer.unresolved
    lines = [f"{bar(hit)} {percent(hit)}"]
    if 0 < fell < 1:
        lines.append(f"({percent(hit / fell)} of what falls)")
    return "\n".join(lines)


def print_comparison(comparison: Comparison, console: Console, *, explain: bool = False) -> None:
    """Print the table, what the figures rest on, who cannot stage it, and, if asked, the definitions."""
    engagement = comparison.engagement
    console.print(Text(engagement.title, style="bold"))
    if engagement.summary:
        console.print(Text(engagement.summary))
    console.print(Text(f"Watched for {engagement.minutes} minutes; every figure exact.\n", style="dim"))
    games = list(comparison.games.values())
    groups = [games] if console.width >= NARROW else [[game] for game in games]
    for group in groups:
        if group:
            console.print(_table(group))
    for key, reasons in comparison.cannot.items():
        console.print(Text(f"{key} cannot stage this engagement:", style="bold"))
        for reason in reasons:
            console.print(Text(f"  - {reason}"))
    if len(games) > 1:
        console.print(Text("In short", style="bold"))
        for line in in_short(comparison):
            console.print(Text(f"  {line}"))
    notes = [(game.title, game.notes) for game in games if game.notes]
    if notes:
        console.print(Text("\nWhat the figures rest on", style="bold"))
        for title, lines in notes:
            console.print(Text(f"  {title}: " + "; ".join(lines), style="dim"))
    if explain:
        _explain(comparison, console)


def _table(games: list[GameAnswer]) -> Table:
    table = Table(show_lines=True, expand=False)
    table.add_column("", style="bold")
    for game in games:
        table.add_column(Text(f"{game.title}\na moment = 1 {game.moment}, {number(game.minutes_per_moment)} min"))
    for yardstick in YARDSTICKS:
        table.add_row(yardstick.title, *(Text(cell(yardstick.name, game)) for game in games))
    return table


def in_short(comparison: Comparison) -> list[str]:
    """What a reader should take away: who is first, surest, widest and most dangerous to his own."""
    games = list(comparison.games.values())

    def ranked(name: str, figure: Any, *, largest: bool) -> list[tuple[Any, str]]:
        found = [
            (value, game.title)
            for game in games
            if isinstance(answer := game.measures[name], Measured) and (value := figure(answer)) is not None
        ]
        return sorted(found, reverse=largest)

    lines = []
    fast = ranked("minutes_to_first_effect", lambda a: a.quantile(MEDIAN), largest=False)
    if fast:
        slow = f"; slowest {fast[-1][1]}, {number(fast[-1][0])} min" if len(fast) > 1 else ""
        lines.append(f"Fastest to fire half the time: {fast[0][1]}, within {number(fast[0][0])} min{slow}.")
    sure = ranked("delivered", lambda a: a.value, largest=True)
    if sure:
        lines.append(
            f"Surest to fire at all: {sure[0][1]}, {percent(sure[0][0])};"
            f" least sure {sure[-1][1]}, {percent(sure[-1][0])}."
        )
    wide = ranked("footprint_hectares", lambda a: a.value, largest=True)
    if len(wide) > 1:
        lines.append(
            f"Widest footprint: {wide[0][1]}, {number(wide[0][0])} ha;"
            f" narrowest {wide[-1][1]}, {number(wide[-1][0])} ha."
        )
    hard = ranked("target_severity", lambda a: dict(a.distribution)["destroyed"], largest=True)
    if hard:
        lines.append(
            f"Hardest on the target: {hard[0][1]} destroys {percent(hard[0][0])} of it;"
            f" mildest {hard[-1][1]}, {percent(hard[-1][0])}."
        )
    risk = ranked("own_troops_under_fire", lambda a: a.value, largest=True)
    if risk and risk[0][0] > 0:
        lines.append(f"Most dangerous to the firer's own: {risk[0][1]} ({percent(risk[0][0])}).")
    return lines


def _explain(comparison: Comparison, console: Console) -> None:
    console.print(Text("\nYardsticks", style="bold"))
    for yardstick in YARDSTICKS:
        console.print(Text(f"  {yardstick.title}: {yardstick.definition}"))
        for game in comparison.games.values():
            answer = game.measures[yardstick.name]
            if isinstance(answer, Measured):
                console.print(Text(f"    e.g. {game.title}: {_read_aloud(answer)}", style="dim"))
                break


def _read_aloud(answer: Measured) -> str:
    """One figure with its exact value."""
    if answer.distribution:
        value, share = max(answer.distribution, key=lambda pair: pair[1])
        exact = f" (exactly {share})" if len(str(share)) < 40 else ""  # noqa: PLR2004
        return (
            f"the likeliest is {value if isinstance(value, str | bool) else number(value)} with {percent(share)}{exact}"
        )
    if isinstance(answer.value, Fraction):
        exact = f" (exactly {answer.value})" if len(str(answer.value)) < 40 else ""  # noqa: PLR2004
        return f"{percent(answer.value)}{exact}"
    return f"{number(answer.value)} {answer.unit}"
