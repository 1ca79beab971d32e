"""``fireplan kitbash``: parts of different games at one table, beside their parents; which tables can meet at all."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from fireplan import api, kit
from fireplan import comparison as comparing
from fireplan.api import InputError, Result, besides, catalogue
from fireplan.cli import _core as core
from fireplan.cli._asked import asks
from fireplan.cli._print import Bar


@asks(api.kitbash)
def kitbash(
    game: str | None = None, *, every: bool = False, json: bool, picture: Path | None, **asked: Any
) -> Iterator[Result]:
    """Try every table where that is wanted."""
    if every:
        if game is not None or json or picture or asked.keys() - {"engagement", "progress"}:
            raise InputError(
                "--table tries every game, one moment followed exactly, and prints Markdown: name none, and leave all"
                " options but --engagement out."
            )
        _print_tables(asked.get("engagement"))
        return
    if game is None:
        raise InputError("Name the game that gives the other parts, e.g. kitbash KEY --delays OTHER.")
    drawn = "A sample is printed as a table or with --json; leave --picture out."
    with besides([drawn] if asked.get("sample") and picture else []):
        found = api.kitbash(game, **asked)
    yield found


# --- every table ----------------------------------------------------------------------------------
def _print_tables(name: str | None) -> None:
    """Print the table of who can meet, as Markdown."""
    installed = catalogue()
    every = list(kit.tables(tuple(installed.games)))
    engagement = api.engagement_named(name)
    meetings: list[kit.Meeting] = []
    with Bar(len(every)) as bar:
        for parts in every:
            meetings.append(kit.meet(installed, engagement, parts, 1))
            bar.step("trying")
    sys.stdout.write(markdown(installed, meetings))


def markdown(installed: core.Catalogue, meetings: Sequence[kit.Meeting]) -> str:
    """Return some meetings as Markdown: how many play, every single swap, who refuses which shipped engagement."""
    refused = sum(bool(meeting.refusal) for meeting in meetings)
    play = len(meetings) - refused
    lines = [
        f"{len(meetings):,} tables of {len(installed.games)} games tried: {play:,} play, {refused:,} are refused.",
        "",
        "| game | with | fire has fallen within the first moment |",
        "|---|---|---|",
    ]
    known = {tuple(meeting.parts.values()): meeting for meeting in meetings}
    for game, what, parts in _swaps(tuple(installed.games)):
        meeting = known[tuple(parts.values())]
        lines.append(f"| {game} | {what} | {meeting.refusal or meeting.delivered} |")
    lines += ["", "| engagement | game | with | refused because |", "|---|---|---|---|"]
    for name in comparing.shipped_engagements():
        for game, what, parts in _swaps(tuple(installed.games)):
            try:
                engagement = comparing.find_engagement(name)
                core.stage_engagement(installed, game, engagement, core.Variation(parts=parts))
            except core.CannotStageError as error:
                lines.append(f"| {name} | {game} | {what} | {'; '.join(error.reasons)} |")
    return "\n".join(lines) + "\n"


def _swaps(games: tuple[str, ...]) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Yield each game with its own parts, then with one part of each of the others."""
    for game in games:
        own = dict.fromkeys(core.WORDS, game)
        yield game, "its own parts", own
        for word in core.WORDS:
            for other in games:
                if other != game:
                    yield game, f"{word} of {other}", own | {word: other}
