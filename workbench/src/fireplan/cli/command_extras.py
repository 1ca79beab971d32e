"""What commands do besides asking the front door.

Every function is a generator of the name of its command.

It takes what is asked and yields the answer, if there is one to be printed, and goes on when that
has been done. Its named arguments are options that the question does not have.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from shutil import get_terminal_size
from typing import Any

import fireplan as fp
from fireplan import analysis, positions, table
from fireplan.cli import core
from fireplan.cli.app import StoppedError, write
from fireplan.cli.printing import say_line, say_wrapped
from fireplan.questions.compare import room_for
from fireplan.questions.conditions import read_condition
from fireplan.questions.errors import InputError, argument, besides, gathered, refuse
from fireplan.questions.opening import catalogue, catalogue_for
from fireplan.questions.result import Result
from fireplan.questions.sweep import read_sweep

Answers = Iterator[Result]


def compare(
    *,
    games: str | Iterable[str] | None = None,
    json: bool,
    csv: bool,
    explain: bool = False,
    **asked: Any,
) -> Answers:
    """Compare all games where the terminal has room for them, and say which others there are where it has not."""
    faults = (
        ["--explain goes with the table alone; leave out --json and --csv."]
        if explain and (json or csv)
        else []
    )
    installed = catalogue()
    others = (
        []
        if games or json or csv
        else [key for key in installed.games if key not in analysis.usual(installed)]
    )
    if others and len(installed.games) <= room_for(get_terminal_size().columns):
        games, others = ["all"], []
    with besides(faults):
        found = fp.compare(games=games, explain=explain, catalogue=installed, **asked)
    yield found
    if others:
        say_wrapped(f"Also installed: {', '.join(others)}. --games all compares them too.")


def odds(
    *,
    floats: bool = False,
    line: str | None = None,
    at: int | None = None,
    by: str | None = None,
    given: str | Iterable[str] | None = None,
    **asked: Any,
) -> Answers:
    """Ask a position where a line, an input, a time or what is known is said."""
    if by is None and not given and not _of_game(line, at, **asked):
        yield fp.odds(exact=not floats, **asked)
        return
    unfit = {
        "--moments": asked.get("moments"),
        "--float": floats,
        "--house-rules": asked.get("house_rules"),
    }
    faults = [
        f"{name} does not go with a position; say --by for the time."
        for name, said in unfit.items()
        if said
    ]
    position = _asked_position(faults, line, at, **asked)
    under: Any = (
        gathered(faults, position.given, **dict(map(read_condition, given or ()))) or position
    )
    drawn = {one: asked[one] for one in ("sample", "seed") if one in asked}
    with besides(faults):  # what is wrong with the time is told as well
        found = under.odds(int(by) if by and by.isdecimal() else by, **drawn)
    yield found


def _of_game(
    line: str | None, at: int | None, scenario: str = "", game: str | None = None, **_: Any
) -> bool:
    """Return whether a line, a journal or a playthrough is named: a file, or a shipped one that is no scenario too."""
    if line is not None or at is not None or scenario.endswith(table.RECORDED):
        return True
    installed = catalogue_for(scenario, game)
    return scenario not in core.shipped_scenarios(
        installed
    ) and scenario in table.shipped_playthroughs(installed)


def _asked_position(faults: list[str], line: str | None, at: int | None, **asked: Any) -> Any:
    """Return the position of a line, a game in play or an opening.

    Refuse with ``faults`` where there is none.
    """
    name, facts = (
        asked.get("scenario"),
        {key: asked[key] for key in positions.facts() if key in asked},
    )
    if line is not None and (at is not None or not {"scenario", "game"}.isdisjoint(asked)):
        faults.append("--from is a whole position: leave scenario, --game and --at out.")
    if line is None and _of_game(line, at, **asked):
        if unfit := [argument(key) for key in ("game", *facts) if key in asked]:
            faults.append(
                f"A journal or playthrough says itself what is played: leave {', '.join(unfit)} out."
            )
        if name is None:
            raise InputError(*faults, "--at says where in a journal or playthrough: name one.")
        position: Any = gathered(faults, lambda: fp.load(name).at(at))
    else:
        said, game = (name or "woods", asked.get("game")) if line is None else (line, None)
        position = gathered(faults, fp.position, said, game=game, **facts)
    if position is None:
        refuse(faults)
    return position


def _asked_of(
    question: str, faults: list[str], line: str | None, at: int | None, asked: dict[str, Any]
) -> Any:
    """Return the question to put, to the position that is said if there is one: what names that is taken away."""
    if not _of_game(line, at, **asked):
        return getattr(fp, question)
    named = {
        key: asked.pop(key) for key in ("scenario", "game", *positions.facts()) if key in asked
    }
    return getattr(_asked_position(faults, line, at, **named), question)


def whatif(
    *,
    game: str | None = None,
    sensitivity: bool = False,
    measure: str = "delivered",
    top: int = 25,
    csv: bool,
    picture: Path | None,
    **asked: Any,
) -> Answers:
    """Ask which numbers move a measure most where that is wanted."""
    installed, name = catalogue(), asked.get("name")
    scenario = name is not None and analysis.is_scenario(installed, name)
    faults = []
    if (csv or picture) and (scenario or sensitivity):
        faults.append(
            "--csv and --picture are for engagements; this is printed as a table or with --json."
        )
    also = asked.pop("games", None)
    with besides(faults):
        if sensitivity:
            found: Result = fp.sensitivity(
                game=game, measure=measure, top=top, catalogue=installed, **asked
            )
        else:
            found = fp.whatif(games=also or (game and [game]), catalogue=installed, **asked)
    yield found


def best(
    *, picture: Path | None, line: str | None = None, at: int | None = None, **asked: Any
) -> Answers:
    """Ask a position where a line or an input is said.

    Refuse a picture where there is none to be drawn.
    """
    lacking = picture is not None and asked.get("frontier") is None
    faults = ["--picture draws a frontier: add --frontier MEASURE."] if lacking else []
    ask = _asked_of("best", faults, line, at, asked)
    with besides(faults):
        found = ask(**asked)
    yield found


def belief(*, line: str | None = None, at: int | None = None, **asked: Any) -> Answers:
    """Ask the position of a line, a journal or a playthrough where one is said."""
    yield _asked_of("belief", [], line, at, asked)(**asked)


def duel(*, efg: Path | None = None, **asked: Any) -> Answers:
    """Write the game tree where that is asked for."""
    found = fp.duel(**asked)
    if efg is not None:
        write(efg, found.efg())
    yield found


def games() -> Answers:
    """End with a fault where a game failed to load."""
    yield (found := fp.games())
    if found.around["problems"]:
        raise InputError("some games failed to load; see above")


def scenarios(*, engagements: bool = False, **asked: Any) -> Answers:
    """List the engagements where these are wanted."""
    yield fp.engagements() if engagements else fp.scenarios(**asked)


def kitbash(
    game: str | None = None,
    *,
    picture: Path | None,
    **asked: Any,
) -> Answers:
    """Refuse what cannot be asked for together."""
    if game is None:
        raise InputError(
            "Name the game that gives the other parts, e.g. kitbash KEY --delays OTHER."
        )
    drawn = "A sample is printed as a table or with --json; leave --picture out."
    with besides([drawn] if asked.get("sample") and picture else []):
        found = fp.kitbash(game, **asked)
    yield found


def sweep(plan: Path, *, results: Path | None = None, check: bool = False, **asked: Any) -> Answers:
    """Check the plan alone where that is wanted.

    Say how far it is, and where it goes on when it is stopped.
    """
    file, bar = results or plan.with_suffix(".sqlite"), asked.pop("progress")
    if check:
        grid = read_sweep(plan, None, **asked)
        say_line(f"{plan}: {len(grid.points):,} points; results would go to {file}")
        return
    plain, done = not sys.stderr.isatty(), 0

    def begun(before: int, total: int) -> None:
        nonlocal done
        done = before
        if before:
            sys.stderr.write(f"{before} of {total} points are solved already\n")

    def progress(total: int, what: str) -> None:
        nonlocal done
        done += 1
        bar(total, what)
        if plain:
            sys.stderr.write(f"{done} of {total}: {what}\n")
            sys.stderr.flush()

    try:
        yield fp.sweep(plan, results=file, progress=progress, begun=begun, **asked)
    except KeyboardInterrupt as error:
        raise StoppedError(
            f"Stopped. What is solved is in {file}; the same command goes on from there."
        ) from error
