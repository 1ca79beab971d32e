"""The comparison as a table for people: one column a game, one row a yardstick, and what it comes to."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from textwrap import fill

from rich.console import Console
from rich.table import Table
from rich.text import Text

from fireplan import comparison as comparing
from fireplan.comparison import YARDSTICKS, Comparison, GameAnswer, Measured, number, percent

BLOCKS = " ▏▎▍▌▋▊▉█"
BAR_WIDTH = 6
ROOM_FOR_BARS = 120
"""Columns from which shares are drawn as bars too."""
LONGEST_FRACTION = 40
"""Characters from which an exact fraction is left to --json."""
NARROW = 24
"""Columns a game needs; with less, games are printed one under the other."""


def bar(share: Fraction, *, bars: bool) -> str:
    """Return a share in words, with a bar of blocks where there is room."""
    eighths = round(float(share) * BAR_WIDTH * 8)
    drawn = (BLOCKS[8] * (eighths // 8) + BLOCKS[eighths % 8].strip()).ljust(BAR_WIDTH) + " " if bars else ""
    return f"{drawn}{percent(share):>7}"


def print_comparison(comparison: Comparison, *, explain: bool = False) -> None:
    """Print the table, what the figures rest on, who cannot stage it, and, if asked, the definitions."""
    console = Console()
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
        _listed(console, "In short", comparing.in_short(comparison))
    if missing := comparing.unmodelled(comparison):
        _listed(console, "Not modelled", missing)
    for game in games:
        if game.notes:
            _listed(console, f"{game.title}: what its figures rest on", game.notes)
    if explain:
        _explain(comparison, console)


def print_answer(title: str, game: GameAnswer) -> None:
    """Print the yardsticks of one table, and what they rest on."""
    console = Console()
    console.print(Text(title, style="bold"))
    kind = "every probability is exact" if game.exact else "floats, not exact"
    console.print(Text(f"{game.moments} x 1 {game.moment}; {game.states:,} states; {kind}.", style="dim"))
    console.print(_table([game], bars=True))
    if game.notes:
        _listed(console, "What the figures rest on", game.notes)


def _listed(console: Console, heading: str, lines: Iterable[str]) -> None:
    console.print(Text(heading, style="bold"))
    for line in lines:
        wrapped = fill(line, console.width, initial_indent="  - ", subsequent_indent="    ", break_on_hyphens=False)
        console.print(Text(wrapped), soft_wrap=True)


def _table(games: list[GameAnswer], *, bars: bool) -> Table:
    table = Table(expand=False, pad_edge=False)
    table.add_column(Text(), style="bold", no_wrap=True)
    for game in games:
        table.add_column(Text(f"{game.title}\n1 {game.moment} =\n{number(game.minutes_per_moment)} min"))
    for yardstick, severity, cells in comparing.table_rows(games, lambda share: bar(share, bars=bars)):
        if severity == "none":  # the first of four rows under one title
            table.add_row(Text(yardstick.title))
        table.add_row(*map(Text, (f"  {severity}" if severity else yardstick.title, *cells)))
        if severity in ("", "destroyed"):
            table.add_section()
    return table


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
    """Return one figure with its exact value."""
    if answer.distribution:
        value, share = max(answer.distribution, key=lambda pair: pair[1])
        return f"the likeliest is {value if isinstance(value, str | bool) else number(value)} with {_exactly(share)}"
    if isinstance(answer.value, Fraction):
        return _exactly(answer.value)
    return f"{number(answer.value)} {answer.unit}"


def _exactly(share: Fraction) -> str:
    """Return a share as a percentage, and as a fraction where that is short enough to be read."""
    return percent(share) + (f" (exactly {share})" if len(str(share)) < LONGEST_FRACTION else "")
