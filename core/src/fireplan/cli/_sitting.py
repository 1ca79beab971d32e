"""Opening a table from the command line: a new one with its journal, or one from a journal."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs
import tomli
from rich.console import Console

from fireplan.cli._app import BadInputError, unknown
from fireplan.cli._compare import catalogue
from fireplan.cli._play import Play, hear_line, journal_path, say_line
from fireplan.cli._progress import Bar
from fireplan.compare import (
    DEFAULT,
    EngagementError,
    answer,
    answer_json,
    describe,
    load_engagement,
    shipped_engagements,
)
from fireplan.files import FileError
from fireplan.mission import CannotStageError, ProcedureError, Scenario, Severity
from fireplan.odds import (
    Compiler,
    Ever,
    Measure,
    Sampled,
    TooLargeError,
    WorstSeverity,
    exhausted,
    own_troops_under_fire,
    sample,
)
from fireplan.table import (
    Catalogue,
    Journal,
    JournalError,
    Session,
    load_scenario,
    make_scenario,
    shipped_scenarios,
)

LONGEST = 1000
"""Moments that are watched at most."""
MOST_TRAJECTORIES = 1_000_000
SHOWN_UNITS = 12

ENGAGEMENT, SCENARIO = "engagement", "scenario"


def run_play(name: str | None, game: str | None, journal: Path | None, seed: int | None) -> None:
    """Open a new table and play it."""
    installed = catalogue()
    head = _head(installed, name, game)
    scenario, moments = _opened(installed, head)
    try:
        path = journal_path(journal, scenario.title)
        book = Journal.create(path, head)
    except JournalError as error:
        raise BadInputError(str(error)) from error
    say_line(f"journal: {path}")
    _sit(scenario, moments, book, seed)


@attrs.frozen
class Asked:
    """How a scenario is to be solved: watched how long, sampled how often (0 is exactly), printed how."""

    moments: int | None = None
    sample: int = 0
    seed: int = 1
    as_json: bool = False


def run_odds(name: str | None, game: str | None, asked: Asked) -> None:
    """Solve a scenario exactly, or sample it, and print what was found."""
    installed = catalogue()
    head = _head(installed, name, game)
    scenario, own = _opened(installed, head)
    moments = asked.moments or own
    if not 1 <= moments <= LONGEST:
        raise BadInputError(f"--moments: expected 1 to {LONGEST}, got {moments}.")
    if asked.sample:
        _sampled(scenario, moments, asked)
        return
    key = game or str(tomli.loads(head["text"])["game"])
    entry = installed[key].game
    with Bar(4) as bar:
        try:
            found = answer(key, entry.title, entry.edition, scenario, moments, bar.step)
        except (TooLargeError, ProcedureError) as error:
            raise BadInputError(f"This cannot be solved exactly: {error}. Try --sample 1000.") from error
    if asked.as_json:
        sys.stdout.write(answer_json(found))
        return
    from fireplan.cli._table import print_answer

    print_answer(scenario.title, found, Console())


def _sampled(scenario: Scenario, moments: int, asked: Asked) -> None:
    """Walk trajectories and print shares with their standard errors; never called exact."""
    if not 1 <= asked.sample <= MOST_TRAJECTORIES:
        raise BadInputError(f"--sample: expected 1 to {MOST_TRAJECTORIES:,}, got {asked.sample:,}.")
    measures: dict[str, tuple[Measure, Any]] = {
        "fire for effect falls": (Ever("fall", "on_target", (True, False)), True),
        "on target at least once": (Ever("fall", "on_target", (True,)), True),
        "own troops under fire": (own_troops_under_fire(), True),
        "asset exhausted or lost": (exhausted(), True),
        **{f"{unit} destroyed": (WorstSeverity(unit), Severity.DESTROYED) for unit in scenario.targets[:SHOWN_UNITS]},
    }
    compiler = Compiler(scenario)
    batch = max(1, asked.sample // 20)
    counts = dict.fromkeys(measures, 0)
    with Bar(-(-asked.sample // batch)) as bar:
        for first in range(0, asked.sample, batch):
            size = min(batch, asked.sample - first)
            drawn = sample(compiler, [m for m, _ in measures.values()], moments, size, asked.seed, first=first)
            for (label, (_, state)), counted in zip(measures.items(), drawn, strict=True):
                counts[label] += counted.counts.get(state, 0)
            bar.step("sampling")
    found = {label: Sampled({label: count}, asked.sample) for label, count in counts.items()}
    if asked.as_json:
        data = {label: {"share": s.share(label), "standard_error": s.error(label)} for label, s in found.items()}
        sys.stdout.write(json.dumps({"exact": False, "trajectories": asked.sample, "sampled": data}, indent=2) + "\n")
        return
    say_line(f"{scenario.title}: sampled, {asked.sample:,} trajectories of {moments} moments, seed {asked.seed}")
    for label, shares in found.items():
        say_line(f"  {label}: {shares.share(label):.1%} (standard error {shares.error(label):.1%})")


def run_resume(path: Path, seed: int | None) -> None:
    """Continue a journal."""
    try:
        book = Journal.open(path)
    except JournalError as error:
        raise BadInputError(str(error)) from error
    scenario, moments = _opened(catalogue(), book.head)
    _sit(scenario, moments, book, seed)


def run_replay(path: Path) -> None:
    """Replay a journal and print what happened; the file is not touched."""
    try:
        book = Journal.open(path, read_only=True)
        scenario, moments = _opened(catalogue(), book.head)
        session = Session(scenario, moments, book)
    except (JournalError, ProcedureError) as error:
        raise BadInputError(str(error)) from error
    play = Play(session, say_line, hear_line)
    say_line(scenario.title)
    play.log()
    play.show()


def _sit(scenario: Scenario, moments: int, book: Journal, seed: int | None) -> None:
    try:
        session = Session(scenario, moments, book)
    except (JournalError, ProcedureError) as error:
        raise BadInputError(str(error)) from error
    try:
        Play(session, say_line, hear_line, seed).run()
    finally:
        book.close()


def _head(installed: Catalogue, name: str | None, game: str | None) -> dict[str, Any]:
    """What a journal's head says: what is played, with the text of its file and the versions of game and rules."""
    if game is not None and game not in installed.games:
        raise unknown("game", game, list(installed.games))
    shipped = shipped_scenarios(installed)
    if game is not None:
        kind, file = ENGAGEMENT, shipped_engagements().get(name or DEFAULT, Path(name or DEFAULT))
    elif name is None:
        known = ", ".join(shipped) or "none"
        raise BadInputError(f"Name a scenario ({known}) or a file, or an engagement with --game KEY.")
    else:
        kind, file = SCENARIO, shipped.get(name, Path(name))
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        if kind == SCENARIO:
            raise unknown("scenario", name or "", list(shipped)) from None
        raise unknown("engagement", name or "", list(shipped_engagements())) from None
    head: dict[str, Any] = {"kind": kind, "name": name or DEFAULT, "text": text}
    if kind == SCENARIO:
        head["charts"] = _chart_texts(text, Path(str(file)).parent)
    if game is not None:
        entry = installed[game]
        head |= {"game": game, "edition": entry.game.edition, "version": entry.version}
    return head


def _chart_texts(text: str, folder: Path) -> dict[str, str]:
    """The chart files that a scenario names, by file name: a journal holds all that it is played with."""
    try:
        charts = tomli.loads(text).get("charts", {})
        return {str(file): (folder / str(file)).read_text(encoding="utf-8") for file in dict(charts).values()}
    except (ValueError, TypeError, OSError, RecursionError):
        return {}  # what is wrong with the file is said when it is opened


def _opened(installed: Catalogue, head: Mapping[str, Any]) -> tuple[Scenario, int]:
    """The scenario that a head tells, and for how many moments it is played."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{Path(str(head['name'])).stem}.toml"
        file.write_text(head["text"], encoding="utf-8")
        for name, text in head.get("charts", {}).items():
            (Path(folder) / Path(name).name).write_text(text, encoding="utf-8")
        try:
            if head["kind"] == ENGAGEMENT:
                engagement = load_engagement(file)
                scenario = make_scenario(installed, head["game"], engagement)
                return scenario, scenario.clock.moments(engagement.minutes)
            scenario, form = load_scenario(installed, file)
        except (EngagementError, FileError) as error:
            raise BadInputError(describe(error.faults)) from error
        except CannotStageError as error:
            raise BadInputError(f"{head['game']} cannot stage this: " + "; ".join(error.reasons)) from error
        return scenario, form.moments
