"""``fireplan kitbash``: parts of different games at one table, beside their parents; which tables can meet at all."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from fireplan import api, kit
from fireplan import comparison as comparing
from fireplan.api import InputError, besides
from fireplan.cli import _core as core
from fireplan.cli import _options
from fireplan.cli._open import catalogue
from fireplan.cli._options import EngagementName, Minutes, Picture, Seed, given_facts
from fireplan.cli._print import Bar
from fireplan.cli.compare import how_faults, tell


def kitbash(  # noqa: PLR0913 - one option for each of the five parts
    game: str | None = None,
    /,
    *,
    engagement: EngagementName = None,
    observers: str | None = None,
    requests: str | None = None,
    delays: str | None = None,
    areas: str | None = None,
    resolution: str | None = None,
    minutes: Minutes = None,
    sample: int = 0,
    seed: Seed = 1,
    every: Annotated[bool, Parameter(name="--table")] = False,
    json: bool = False,
    picture: Picture = None,
    facts: _options.Facts = None,
) -> None:
    """Take parts of one game from another ("what if it had their delays?") and compare the hybrid with its parents.

    :param game: The game that gives all other parts.
    :param observers: The game whose observers are taken.
    :param requests: The game whose requests are taken.
    :param delays: The game whose clock and delays are taken.
    :param areas: The game whose map, accuracy and footprint are taken.
    :param resolution: The game whose units and results are taken.
    :param sample: Sample so many trajectories of each. Without it, a hybrid that is too large to be solved exactly is
        sampled beside its parents all the same, and the answer says so.
    :param every: Try every table of parts of the installed games and print as Markdown which can meet, and why others
        cannot.
    :param json: Print JSON with exact rationals instead of the table; the hybrid's key is hybrid.
    """
    taken = zip(core.WORDS, (observers, requests, delays, areas, resolution), strict=True)
    parts = {word: key for word, key in taken if key is not None and key != game}
    if every:
        if game is not None or parts:
            raise InputError("--table tries every game; name none.")
        if json or picture or sample or minutes is not None:
            raise InputError(
                "--table is printed as Markdown, one moment followed exactly; only --engagement goes with it."
            )
        _print_tables(engagement)
    elif game is None:
        raise InputError("Name the game that gives the other parts, e.g. kitbash KEY --delays OTHER.")
    else:
        given = {"engagement": engagement, "minutes": minutes, "sample": sample, "seed": seed}
        _tell(game, picture, as_json=json, **given, **parts, **given_facts(facts))


def _tell(game: str, picture: Path | None, *, as_json: bool, **given: Any) -> None:
    """Answer a hybrid beside its parents and print that."""
    faults = how_faults(json=as_json, csv=False, picture=picture)
    if given["sample"] and picture:
        faults.append("A sample is printed as a table or with --json; leave --picture out.")
    with Bar() as bar, besides(faults):
        found = api.kitbash(game, catalogue=catalogue(), progress=bar.step_of, **given)
    tell(found, json=as_json, picture=picture)


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
