"""``fireplan kitbash``: parts of different games at one table, beside their parents; which tables can meet at all."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from fireplan import compare as comparing
from fireplan.cli._app import BadInputError, gathered, refuse
from fireplan.cli._compare import Wanted, asked_of, catalogue, engagement_named, known_games, printed, solved
from fireplan.cli._large import SAMPLE
from fireplan.cli._progress import Bar
from fireplan.cli._sitting import faults_of_sample, sampled_shares
from fireplan.compare import Contender, find_engagement, shipped_engagements
from fireplan.kit import Meeting, meet, tables
from fireplan.odds import TooLargeError
from fireplan_core import WORDS, CannotStageError, Engagement
from fireplan_core.play import Catalogue, Variation, stage_engagement

UNDRAWN = "A sample is printed as a table or with --json; leave --picture out."


def run_kitbash(wanted: Wanted, game: str, parts: dict[str, str], sample: int, seed: int) -> None:
    """Compare a hybrid with its parents, exactly; sampled where that is asked for or one of them is too large."""
    installed = catalogue()
    faults = faults_of_sample(sample, seed)
    with gathered(faults):
        known_games(installed, [game, *parts.values()])
    with gathered(faults):
        asked_of(wanted)
    if not parts:
        faults.append("Take at least one part from another game, e.g. --delays KEY.")
    if sample and wanted.picture:
        faults.append(UNDRAWN)
    refuse(faults)
    title = f"{installed[game].game.title} with " + ", ".join(f"{word} of {key}" for word, key in parts.items())
    parents = comparing.contenders(installed, dict.fromkeys((game, *parts.values())))
    entrants = [*parents, Contender("hybrid", game, title, Variation(parts=parts))]
    if sample:
        _sampled(wanted, installed, entrants, sample, seed)
        return
    _stage(installed, engagement_named(wanted.engagement), game, parts)
    try:
        found = solved(wanted, installed, entrants)
    except TooLargeError as error:
        sys.stderr.write(f"{title} is too large to be solved exactly: {error}. All columns are sampled ...\n")
        _sampled(wanted, installed, entrants, SAMPLE, seed)
        return
    except BadInputError as error:
        raise BadInputError(f"{title}: {error}") from error
    printed(wanted, found)


def _stage(installed: Catalogue, engagement: Engagement, game: str, parts: Mapping[str, str]) -> None:
    """Refuse a hybrid that cannot be staged before anything is solved."""
    try:
        stage_engagement(installed, game, engagement, Variation(parts=parts))
    except CannotStageError as error:
        raise BadInputError("These parts cannot stage this engagement together: " + "; ".join(error.reasons)) from error


def _sampled(wanted: Wanted, installed: Catalogue, entrants: list[Contender], sample: int, seed: int) -> None:
    """Shares with their standard errors, a column for each; never called exact."""
    if wanted.picture:
        raise BadInputError(UNDRAWN)
    engagement = asked_of(wanted)
    minutes = engagement.minutes
    found: dict[str, dict[str, tuple[float, float]]] = {}
    cannot: dict[str, list[str]] = {}
    for entrant in entrants:
        try:
            scenario = stage_engagement(installed, entrant.game, engagement, entrant.variation)
        except CannotStageError as error:
            cannot[entrant.name] = list(error.reasons)
            continue
        # Walked by the rules: whether everything can be explored is not tried again.
        shares = sampled_shares(scenario, scenario.clock.moments(minutes), sample, seed, "rules")
        found[entrant.name] = {label: (share, error) for label, share, error in shares}
    if wanted.as_json:
        games = {
            name: {label: {"share": share, "standard_error": error} for label, (share, error) in shares.items()}
            for name, shares in found.items()
        }
        data = {"exact": False, "trajectories": sample, "seed": seed, "games": games, "cannot_stage": cannot}
        sys.stdout.write(json.dumps(data, indent=2, ensure_ascii=False) + "\n")
        return
    console = Console()
    console.print(Text(entrants[-1].title, style="bold"))
    console.print(Text(f"{engagement.title}, {minutes} minutes: SAMPLED, {sample:,} trajectories each, seed {seed}"))
    table = Table("", *found, pad_edge=False)
    for label in dict.fromkeys(label for shares in found.values() for label in shares):
        cells = [shares.get(label) for shares in found.values()]
        table.add_row(label, *("" if cell is None else f"{cell[0]:.1%} ± {cell[1]:.1%}" for cell in cells))
    console.print(table)
    console.print(Text("± standard errors", style="dim"))
    titles = {entrant.name: entrant.title for entrant in entrants}
    for name, reasons in cannot.items():
        console.print(Text(f"{titles[name]} cannot stage this engagement: {'; '.join(reasons)}"))


def run_table(name: str | None) -> None:
    """Print the table of who can meet, as Markdown."""
    installed = catalogue()
    games = tuple(installed.games)
    every = list(tables(games))
    meetings: list[Meeting] = []
    engagement = engagement_named(name)
    with Bar(len(every)) as bar:
        for parts in every:
            meetings.append(meet(installed, engagement, parts, 1))
            bar.step("trying")
    sys.stdout.write(markdown(installed, meetings))


def markdown(installed: Catalogue, meetings: Sequence[Meeting]) -> str:
    """Some meetings as Markdown: how many play, every single swap, and who refuses which shipped engagement."""
    refused = [meeting for meeting in meetings if meeting.refusal]
    play = len(meetings) - len(refused)
    lines = [
        f"{len(meetings):,} tables of {len(installed.games)} games tried: {play:,} play, {len(refused):,} are refused.",
        "",
        "| game | with | fire has fallen within the first moment |",
        "|---|---|---|",
    ]
    known = {tuple(meeting.parts.values()): meeting for meeting in meetings}
    for game, what, parts in swaps(tuple(installed.games)):
        meeting = known[tuple(parts.values())]
        lines.append(f"| {game} | {what} | {meeting.refusal or meeting.delivered} |")
    lines += ["", "| engagement | game | with | refused because |", "|---|---|---|---|"]
    for name in shipped_engagements():
        for game, what, parts in swaps(tuple(installed.games)):
            try:
                stage_engagement(installed, game, find_engagement(name), Variation(parts=parts))
            except CannotStageError as error:
                lines.append(f"| {name} | {game} | {what} | {'; '.join(error.reasons)} |")
    return "\n".join(lines) + "\n"


def swaps(games: tuple[str, ...]) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Each game with its own parts, then with one part of each of the others."""
    for game in games:
        own = dict.fromkeys(WORDS, game)
        yield game, "its own parts", own
        for word in WORDS:
            for other in games:
                if other != game:
                    yield game, f"{word} of {other}", own | {word: other}
