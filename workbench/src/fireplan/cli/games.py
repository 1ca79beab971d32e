"""Commands for game authors: print a game's life cycle, and check its playthroughs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from fireplan import solver as solving
from fireplan import table
from fireplan.cli import core
from fireplan.cli.app import DIFFERS, end
from fireplan.cli.options import GameKey, SomeEngagement
from fireplan.cli.printing import say_line
from fireplan.errors import InputError, refuse
from fireplan.questions.opening import catalogue, catalogue_with, engagement_named
from fireplan.questions.recorded import load_playthrough
from fireplan.questions.refusing import refusing
from fireplan.questions.result import unwritable
from fireplan.questions.result import write as write_file
from fireplan.questions.sheet_names import with_sheets


def graph(game: GameKey, /, *, engagement: SomeEngagement = None, svg: Path | None = None) -> None:
    """Print the life cycle of a game's missions as a Mermaid diagram.

    The diagram is computed by following the actual rules.

    :param engagement: The engagement to follow; woods by default.
    :param svg: Also draw the diagram into this SVG file.
    """
    game = with_sheets(game)
    installed = catalogue_with(game)
    refuse([fault] if (fault := unwritable(svg, (".svg",))) else [])
    with refusing(staging=f"{game} cannot stage this engagement"):
        scenario = core.stage_engagement(installed, game, engagement_named(engagement))
    passages = solving.passages(solving.explore_orders(scenario), scenario, scenario.mission_ids[0])
    if svg is not None:
        write_file(svg, solving.lifecycle_svg(passages, installed[game].game.title))
    sys.stdout.write(solving.mermaid(passages))


# --- playthroughs: files that record a game, checked against the rules or completed by them
if TYPE_CHECKING:
    from collections.abc import Mapping
    from importlib.resources.abc import Traversable


def playthrough(files: list[Path] | None = None, /, *, write: bool = False) -> None:
    """Check playthroughs against the current rules, line by line.

    The exit status is 1 if any of them differs.

    :param files: Playthrough files, folders with *.playthrough.txt files, or names of shipped ones;
        by default, all shipped ones.
    :param write: Write the head and every ruling into the files instead of checking them.
    """
    installed = catalogue()
    differ: list[str] = []
    broken: list[str] = []
    shipped = table.shipped_playthroughs(installed)
    playthroughs = {
        name: file
        for path in files or ()
        for name, file in _files(path, {} if write else shipped).items()
    }
    if write and not files:
        raise InputError("Name the playthroughs to write.")
    for name, file in (playthroughs or shipped).items():
        try:
            outcome, dice = (
                (_completed(installed, file), "") if write else first_difference(installed, file)
            )
        except (InputError, core.ProcedureError) as error:
            broken.append("; ".join([f"{name}: {error}", *getattr(error, "__notes__", ())]))
            continue
        if outcome and not write:
            differ.append(f"{name}: {outcome}")
        else:
            say_line(f"{name}: {f'written; {outcome}' if write else f'same; {dice}'}")
    if broken:
        raise InputError("\n".join([*broken, *differ]))
    if differ:
        end(DIFFERS, "\n".join(differ))


def first_difference(installed: core.Catalogue, file: Path | Traversable) -> tuple[str, str]:
    """Return the first difference and "", or "" and the chance of the dice if nothing differs."""
    account, _, session = load_playthrough(installed, file)
    if differs := "; ".join(map(str, table.replay_playthrough(account, session))):
        return differs, ""
    chance = table.chance_of(session.scenario, session.moments, session.table.journal)
    return "", f"chance of these dice: 1 in {round(1 / chance):,}"


def _files(path: Path, shipped: Mapping[str, Traversable]) -> Mapping[str, Path | Traversable]:
    """Return the playthroughs at ``path``, by path.

    A file (or the shipped playthrough of that name) gives itself; a folder gives every playthrough
    in it and its subfolders. Raise ``InputError`` if the folder has none.
    """
    paths = sorted(path.rglob(f"*{table.SUFFIX}")) if path.is_dir() else [path]
    if not paths:
        raise InputError(f"{path}: there is no *{table.SUFFIX} in this folder")
    return {
        name: shipped.get(name, file) for name, file in zip(map(str, paths), paths, strict=True)
    }


def _completed(installed: core.Catalogue, file: Path | Traversable) -> str:
    """Write the whole playthrough to its file, and return its pending question or throw.

    Raise ``InputError`` at the first input that does not fit, with a note of what is pending there.
    """
    account, head, session = load_playthrough(installed, file)
    try:
        text = table.complete_playthrough(account, session, head)
    except InputError as error:
        error.add_note(_next(session))
        raise
    write_file(Path(str(file)), text)
    return _next(session)


def _next(session: table.Session) -> str:
    """Return the pending question or throw of a table as the next line of a playthrough."""
    waits = session.table.waits_for
    if waits is None:
        return "all moments are played"
    if not isinstance(waits, core.Ask):
        return f"next: > roll {waits.name}: {', '.join(die.label for die in waits.faces[len(session.faces) :])}"
    words = table.Words(session.scenario)
    legal = session.table.rulebook.legal(waits, session.table.read, each=1)
    return f"next: > {waits.who}: {' | '.join(map(words.typed.order, legal))}"
