"""The comparison as a table for people: one column a game, one row a yardstick, and what it comes to."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from fireplan.compare import YARDSTICKS, Answer, Comparison, GameAnswer, Measured, NotModelled

BLOCKS = " ▏▎▍▌▋▊▉█"
BAR_WIDTH = 6
ROOM_FOR_BARS = 120
"""Columns from which shares are drawn as bars too."""
NARROW = 24
"""Columns a game needs; with less, games are printed one under the other."""
MEDIAN = Fraction(1, 2)
SPREAD = (Fraction(1, 10), Fraction(9, 10))
HARDLY = Fraction(1, 2000)


def percent(share: Fraction) -> str:
    """A probability for reading: never 0 % or 100 % unless it is exactly so."""
    if share in (0, 1):
        return f"{int(share * 100)} %"
    if share < HARDLY:
        return "<0.1 %"
    if share > 1 - HARDLY:
        return ">99.9 %"
    return f"{float(share) * 100:.1f} %"


def bar(share: Fraction, *, bars: bool) -> str:
    """A share in words, with a bar of blocks where there is room."""
    eighths = round(float(share) * BAR_WIDTH * 8)
    drawn = (BLOCKS[8] * (eighths // 8) + BLOCKS[eighths % 8].strip()).ljust(BAR_WIDTH) + " " if bars else ""
    return f"{drawn}{percent(share):>7}"


def number(value: Any) -> str:
    """A figure without needless decimals."""
    value = float(value)
    return f"{value:.0f}" if value == round(value) or value >= 100 else f"{value:.1f}"  # noqa: PLR2004


def rows_of(name: str, title: str, games: list[GameAnswer], *, bars: bool) -> list[tuple[str, ...]]:
    """One yardstick as table rows: its title, then a cell for each game."""
    if name == "target_severity":
        found = [(title, *("" for _ in games))]
        for position in range(4):
            shares = [dict_at(game.measures[name], position) for game in games]
            found.append((f"  {shares[0][0]}", *(bar(share, bars=bars) for _, share in shares)))
        return found
    return [(title, *(cell(name, game, bars=bars) for game in games))]


def dict_at(answer: Answer, position: int) -> tuple[str, Fraction]:
    """The value and share of a distribution at a position."""
    return answer.distribution[position] if isinstance(answer, Measured) and answer.distribution else ("", Fraction(0))


def cell(name: str, game: GameAnswer, *, bars: bool) -> str:
    """One answer, in a few short lines."""
    answer = game.measures[name]
    if isinstance(answer, NotModelled):
        return "not modelled"
    if name == "minutes_to_first_effect":
        return _minutes(answer)
    if name == "miss_metres":
        mean = answer.mean()
        return "nothing falls" if mean is None else f"{number(mean)} m on average"
    if name == "on_target":
        return bar(dict(answer.distribution or ()).get(True, Fraction(0)), bars=bars)
    if answer.unit == "probability" and isinstance(answer.value, Fraction):
        return bar(answer.value, bars=bars)
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


def print_comparison(comparison: Comparison, console: Console, *, explain: bool = False) -> None:
    """Print the table, what the figures rest on, who cannot stage it, and, if asked, the definitions."""
    engagement = comparison.engagement
    console.print(Text(engagement.title, style="bold"))
    if engagement.summary:
        console.print(Text(engagement.summary))
    console.print(Text(f"Watched for {engagement.minutes} minutes; every probability is exact.\n", style="dim"))
    games = list(comparison.games.values())
    fits = console.width >= NARROW + len(games) * (NARROW - 10)
    for group in [games] if fits else [[game] for game in games]:
        if group:
            console.print(_table(group, bars=console.width >= ROOM_FOR_BARS))
    for key, reasons in comparison.cannot.items():
        _listed(console, f"{key} cannot stage this engagement", reasons)
    if len(games) > 1:
        _listed(console, "In short", in_short(comparison))
    unmodelled = [
        f"{yardstick.title}, {game.title}: {answer.reason}"
        for yardstick in YARDSTICKS
        for game in games
        if isinstance(answer := game.measures[yardstick.name], NotModelled)
    ]
    if unmodelled:
        _listed(console, "Not modelled", unmodelled)
    for game in games:
        if game.notes:
            _listed(console, f"{game.title}: what its figures rest on", game.notes)
    if explain:
        _explain(comparison, console)


def print_answer(title: str, game: GameAnswer, console: Console) -> None:
    """Print the yardsticks of one table, and what they rest on."""
    console.print(Text(title, style="bold"))
    console.print(
        Text(f"{game.moments} x 1 {game.moment}; {game.states:,} states; every probability is exact.", style="dim")
    )
    console.print(_table([game], bars=True))
    if game.notes:
        _listed(console, "What the figures rest on", game.notes)


def _listed(console: Console, heading: str, lines: Iterable[str]) -> None:
    console.print(Text(heading, style="bold"))
    for line in lines:
        console.print(Padding(Text(f"- {line}"), (0, 0, 0, 2)))


def _table(games: list[GameAnswer], *, bars: bool) -> Table:
    table = Table(expand=False, pad_edge=False)
    table.add_column("", style="bold", no_wrap=True)
    for game in games:
        table.add_column(Text(f"{game.title}\n1 {game.moment} =\n{number(game.minutes_per_moment)} min"))
    for yardstick in YARDSTICKS:
        for row in rows_of(yardstick.name, yardstick.title, games, bars=bars):
            table.add_row(*(Text(text) for text in row))
        table.add_section()
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
