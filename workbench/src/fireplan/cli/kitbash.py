"""``fireplan kitbash``: parts of different games at one table, beside their parents; which tables can meet at all."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Annotated

from cyclopts import Parameter

from fireplan import comparison as comparing
from fireplan import kit
from fireplan import solver as solving
from fireplan.cli import _core as core
from fireplan.cli._app import BadInputError, gathered, refuse, refusing
from fireplan.cli._open import catalogue, engagement_named, known_games
from fireplan.cli._options import EngagementName, Minutes, Picture, Seed
from fireplan.cli._print import SAMPLE, Bar, say_json, say_table, say_text
from fireplan.cli._sample import Sample, Shares
from fireplan.cli.compare import ComparisonRequest

UNDRAWN = "A sample is printed as a table or with --json; leave --picture out."


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
            raise BadInputError("--table tries every game; name none.")
        if json or picture or sample or minutes is not None:
            raise BadInputError(
                "--table is printed as Markdown, one moment followed exactly; only --engagement goes with it."
            )
        _print_tables(engagement)
    elif game is None:
        raise BadInputError("Name the game that gives the other parts, e.g. kitbash KEY --delays OTHER.")
    else:
        _compare(ComparisonRequest(engagement, minutes, picture, json), game, parts, Sample(sample, seed))


def _compare(request: ComparisonRequest, game: str, parts: dict[str, str], drawn: Sample) -> None:
    """Compare a hybrid with its parents, exactly; sampled where that is asked for or one of them is too large."""
    installed = catalogue()
    faults = drawn.faults()
    gathered(faults, known_games, installed, [game, *parts.values()])
    gathered(faults, request.read)
    if not parts:
        faults.append("Take at least one part from another game, e.g. --delays KEY.")
    if drawn.trajectories and request.picture:
        faults.append(UNDRAWN)
    refuse(faults)
    title = f"{installed[game].game.title} with " + ", ".join(f"{word} of {key}" for word, key in parts.items())
    hybrid = comparing.Contender("hybrid", game, title, core.Variation(parts=parts))
    entrants = [*comparing.contenders(installed, dict.fromkeys((game, *parts.values()))), hybrid]
    if drawn.trajectories:
        _print_sampled(request, installed, entrants, drawn)
        return
    with refusing(staging="These parts cannot stage this engagement together"):
        core.stage_engagement(installed, game, engagement_named(request.engagement), hybrid.variation)
    try:
        found = request.solve(installed, entrants)
    except solving.TooLargeError as error:
        sys.stderr.write(f"{title} is too large to be solved exactly: {error}. All columns are sampled ...\n")
        _print_sampled(request, installed, entrants, Sample(SAMPLE, drawn.seed))
        return
    except BadInputError as error:
        raise BadInputError(f"{title}: {error}") from error
    request.print(found)


def _print_sampled(
    request: ComparisonRequest, installed: core.Catalogue, entrants: list[comparing.Contender], drawn: Sample
) -> None:
    """Print shares with their standard errors, a column for each; never called exact."""
    if request.picture:
        raise BadInputError(UNDRAWN)
    engagement = request.read()
    minutes = engagement.minutes
    walked = Sample(drawn.trajectories, drawn.seed, "rules")  # whether all can be explored is not tried again
    found: dict[str, Shares] = {}
    cannot: dict[str, list[str]] = {}
    for entrant in entrants:
        try:
            scenario = core.stage_engagement(installed, entrant.game, engagement, entrant.variation)
        except core.CannotStageError as error:
            cannot[entrant.name] = list(error.reasons)
        else:
            found[entrant.name] = walked.shares(scenario, scenario.clock.moments(minutes))
    if request.json:
        games = {
            name: {label: {"share": share, "standard_error": error} for label, (share, error) in shares.items()}
            for name, shares in found.items()
        }
        size = {"exact": False, "trajectories": drawn.trajectories, "seed": drawn.seed}
        say_json({**size, "games": games, "cannot_stage": cannot})
        return
    titles = {entrant.name: entrant.title for entrant in entrants}
    size_words = f"SAMPLED, {drawn.trajectories:,} trajectories each, seed {drawn.seed}"
    say_text(entrants[-1].title, "bold")
    say_text(f"{engagement.title}, {minutes} minutes: {size_words}")
    rows = []
    for label in dict.fromkeys(label for shares in found.values() for label in shares):
        cells = [shares.get(label) for shares in found.values()]
        rows.append([label, *("" if cell is None else f"{cell[0]:.1%} ± {cell[1]:.1%}" for cell in cells)])
    say_table(("", *found), rows)
    say_text("± standard errors", "dim")
    for name, reasons in cannot.items():
        say_text(f"{titles[name]} cannot stage this engagement: {'; '.join(reasons)}")


# --- every table ----------------------------------------------------------------------------------
def _print_tables(name: str | None) -> None:
    """Print the table of who can meet, as Markdown."""
    installed = catalogue()
    every = list(kit.tables(tuple(installed.games)))
    engagement = engagement_named(name)
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
