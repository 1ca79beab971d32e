"""Opening a table from the command line: a new one with its journal, or one from a journal."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

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
from fireplan.mission import CannotStageError, ProcedureError, Scenario
from fireplan.odds import TooLargeError
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


def run_odds(name: str | None, game: str | None, moments: int | None, *, as_json: bool) -> None:
    """Solve a scenario exactly and print every yardstick."""
    installed = catalogue()
    head = _head(installed, name, game)
    scenario, own = _opened(installed, head)
    if moments is not None and not 1 <= moments <= LONGEST:
        raise BadInputError(f"--moments: expected 1 to {LONGEST}, got {moments}.")
    key = game or str(tomli.loads(head["text"])["game"])
    entry = installed[key].game
    with Bar(4) as bar:
        try:
            found = answer(key, entry.title, entry.edition, scenario, moments or own, bar.step)
        except (TooLargeError, ProcedureError) as error:
            raise BadInputError(f"This cannot be solved exactly: {error}") from error
    if as_json:
        sys.stdout.write(answer_json(found))
        return
    from fireplan.cli._table import print_answer

    print_answer(scenario.title, found, Console())


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
