"""The commands at the table and their arguments: playing, journals, accounts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from fireplan.cli._app import BadInputError


def play(
    scenario: str | None = None,
    /,
    *,
    game: str | None = None,
    option: Annotated[list[str] | None, Parameter(consume_multiple=True)] = None,
    journal: Path | None = None,
    seed: int | None = None,
) -> None:
    """Play at the table: legal orders numbered, your own dice typed in, every ruling with its rule.

    Parameters
    ----------
    scenario
        A shipped scenario (game/name) or a scenario file; with --game an engagement, woods by default.
    game
        Play an engagement with this game.
    option
        NAME=VALUE of the game, any number of them, laid over those of the scenario.
    journal
        The file every input is written to; by default one made of the title. 'fireplan resume' continues it.
    seed
        Seed of the dice that the program rolls for you.
    """
    from fireplan.cli._journals import run_play

    run_play(scenario, game, option or [], journal, seed)


def resume(journal: Path, /, *, seed: int | None = None) -> None:
    """Continue a journal where it was left, even between two dice of a throw.

    Parameters
    ----------
    journal
        The journal's file.
    seed
        Seed of the dice that the program rolls for you.
    """
    from fireplan.cli._journals import run_resume

    run_resume(journal, seed)


def replay(
    journal: Path | None = None,
    /,
    *,
    all: Path | None = None,  # noqa: A002 - the name of the option
    step: Annotated[bool, Parameter(negative="")] = False,
    to: int | None = None,
    side: str = "referee",
) -> None:
    """Replay a journal against the rules as they are now, and print its log; or check every stored game of a folder.

    Parameters
    ----------
    journal
        The journal's file; it is opened read-only.
    all
        A folder: every journal and account in it must come out the same; status 1 when one differs.
    step
        Wait for Enter after each line.
    to
        Stop after so many lines of the log.
    side
        Show what this side may know; by default everything.
    """
    from fireplan.cli._journals import run_replay, run_replay_all

    if journal is None and all is None:
        raise BadInputError("Name a journal, or a folder with --all.")
    if all is not None and (journal is not None or step or to is not None or side != "referee"):
        raise BadInputError(
            "--all checks every game of a folder: name no journal, and leave --step, --to and --side out."
        )
    if all is not None:
        run_replay_all(all)
    elif journal is not None:
        run_replay(journal, side, to, step=step)


def export(
    name: str | None = None,
    /,
    *,
    into: Path | None = None,
    side: str = "referee",
    json: Annotated[bool, Parameter(negative="")] = False,
    prism: Annotated[bool, Parameter(negative="")] = False,
    game: str | None = None,
    moments: int | None = None,
) -> None:
    """Write a journal as a text that reads like a report and can be replayed, or as JSON; or a mission for PRISM.

    Parameters
    ----------
    name
        The journal's file; it is opened read-only, and never written over. With --prism a scenario or an engagement.
    into
        The file to write; by default it is printed.
    side
        Only what this side may know (such a text cannot be replayed); by default everything.
    json
        JSON: opening, situation, log and inputs.
    prism
        Write the mission of a scenario in the language of the model checkers PRISM and Storm.
    game
        With --prism: take an engagement with this game.
    moments
        With --prism: watch so many moments instead of the scenario's own.
    """
    if prism:
        if json or side != "referee":
            raise BadInputError("--prism writes a mission before anybody plays it: leave --json and --side out.")
        from fireplan.cli._export import run_prism

        run_prism(name, game, moments, into)
        return
    from fireplan.cli._journals import run_export

    if name is None:
        raise BadInputError("Name a journal, or a scenario with --prism.")
    if game is not None or moments is not None:
        raise BadInputError("--game and --moments go with --prism alone.")
    run_export(Path(name), into, side, as_json=json)


def luck(game: Path, /, *, json: Annotated[bool, Parameter(negative="")] = False) -> None:
    """Weigh every roll of a game against its exact odds, and say how lucky each side was.

    Parameters
    ----------
    game
        A journal, or an account (a .txt file).
    json
        Print JSON with exact rationals.
    """
    from fireplan.cli._luck import run_luck

    run_luck(game, as_json=json)


def salvage(journal: Path, into: Path, /) -> None:
    """Save the sound inputs of a broken journal into a new one.

    Parameters
    ----------
    journal
        The broken journal; it is not touched.
    into
        The new journal.
    """
    from fireplan.cli._journals import run_salvage

    run_salvage(journal, into)


def verify(before: Path, after: Path, /) -> None:
    """Check that what was sealed in an earlier export is laid open, unchanged, in a later one.

    Parameters
    ----------
    before
        An export made before the records were laid open, of any side.
    after
        An export made afterwards.
    """
    from fireplan.cli._journals import run_verify

    run_verify(before, after)


def account(files: list[Path] | None = None, /, *, write: Annotated[bool, Parameter(negative="")] = False) -> None:
    """Check accounts of play against the rules as they are now, line by line; status 1 when one differs.

    Parameters
    ----------
    files
        Account files, or folders whose *.playthrough.txt files are meant; without any, all that come with the games.
    write
        Write the head and every ruling into the files, as the rules give them, instead of checking them.
    """
    from fireplan.cli._accounts import run_accounts

    run_accounts(files or [], write=write)
