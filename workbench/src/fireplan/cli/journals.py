"""Commands for journals: play, resume, replay, export, salvage, follow and verify."""

from __future__ import annotations

import sys
from json import dumps
from pathlib import Path
from typing import Any

from fireplan import table
from fireplan.cli import core
from fireplan.cli.app import DIFFERS, end
from fireplan.cli.games import first_difference
from fireplan.cli.options import (
    Changes,
    DiceSeed,
    HouseRules,
    ScenarioName,
    Seat,
    SomeGame,
    SomeSide,
)
from fireplan.cli.printing import (
    attended,
    hear_line,
    say_line,
    say_wrapped,
    terminal_width,
    timed_line,
)
from fireplan.errors import (
    InputError,
    gathered,
    outside,
    refuse,
    unknown,
    unread_file,
)
from fireplan.questions.opening import (
    catalogue,
    catalogue_for,
    house_rules,
    opened,
)
from fireplan.questions.recorded import MOST_TEXT, exported, no_folder, reopened
from fireplan.questions.refusing import refusing
from fireplan.questions.result import write
from fireplan.questions.review import reached, withheld
from fireplan.questions.sheet_names import with_sheets

JOURNALS = ("*.fireplan", "*.journal")
"""File patterns of journals: names that players choose, and names that the studio gives."""


REFEREE = "referee"


def play(
    scenario: ScenarioName = None,
    /,
    *,
    game: SomeGame = None,
    option: Changes = None,
    journal: Path | None = None,
    seed: DiceSeed = None,
    rules: HouseRules = None,
) -> None:
    """Play a game: numbered legal orders, your own dice typed in, and every ruling with its rule.

    :param game: Play an engagement with this game.
    :param option: A game option as NAME=VALUE, replacing the scenario's; may be repeated.
    :param journal: The file for every input; by default, its name is made from the title. 'fireplan
        resume' continues it.
    """
    scenario, game = with_sheets(scenario, "position"), with_sheets(game)
    installed = catalogue_for(scenario, game)
    faults = outside("seed", seed, 0)
    wrong = [text for text in option or () if "=" not in text]
    if wrong:
        faults.append(f"--option: expected NAME=VALUE, got {', '.join(wrong)}.")
    pairs = (text.partition("=") for text in option or () if text not in wrong)
    options = {name: table.option_value(value) for name, _, value in pairs}
    rules_loaded = gathered(faults, house_rules, rules) or ()
    opening = gathered(faults, opened, installed, scenario, game, rules_loaded, options)
    refuse(faults)
    head, staged, _ = opening
    path = journal or _free_path(staged.title)
    with refusing():
        session = table.begin(path, installed, head, rules_loaded)
    say_line(f"journal: {path}")
    if rules_loaded:
        say_line(f"house rules: {', '.join(head.house_rules)}")
    sit(session, seed, table.briefing_of(session.scenario, session.moments, head))


def _free_path(title: str) -> Path:
    """Return an unused file name derived from the title."""
    stem = "".join(c if c.isalnum() else "_" for c in title.lower()).strip("_")[:40] or "table"
    number = 1
    while (path := Path(f"{stem}_{number}.fireplan")).exists():
        number += 1
    return path


def resume(journal: Path, /, *, seed: DiceSeed = None, rules: HouseRules = None) -> None:
    """Continue a journal where play stopped, even between two dice of a throw.

    :param journal: The journal's file.
    """
    refuse(outside("seed", seed, 0))
    installed = catalogue()
    session, head = reopened(journal, house_rules(rules), read_only=False, installed=installed)
    if differs := table.differences(session, head, installed):
        say_line(f"This game was begun under different rules: {differs}.")
    sit(session, seed)


def replay(
    journal: Path | None = None,
    /,
    *,
    all: Path | None = None,  # noqa: A002 - the name of the option
    step: bool = False,
    to: int | None = None,
    side: Seat = "referee",
    rules: HouseRules = None,
) -> None:
    """Replay a journal under the current rules, and print its log.

    With --all, check every stored game in a folder instead.

    :param journal: The journal's file; it is opened read-only.
    :param all: A folder; check every journal and playthrough in it. The exit status is 1 if any
        differs.
    :param step: Wait for Enter after each line.
    :param to: Stop after this many lines of the log.
    :param side: Show only what this side may know; by default, everything.
    """
    if journal is None and all is None:
        raise InputError("Name a journal, or a folder with --all.")
    if all is not None and (journal is not None or step or to is not None or side != "referee"):
        raise InputError(
            "--all checks every game of a folder: name no journal, and leave out --step, --to and --side."
        )
    rules_loaded = house_rules(rules)
    if all is not None:
        _replay_all(all, rules_loaded)
    elif journal is not None:
        _replay(journal, side, to, rules_loaded, step=step)


def _replay(path: Path, side: str, to: int | None, rules: tuple[Any, ...], *, step: bool) -> None:
    """Print the log of a journal up to line ``to`` (None: all of it), as ``side`` may know it.

    With ``step``, wait for Enter after each line. After the whole log, print the situation. End the
    command with status 1 if a record does not match its seal, or if the rules have changed.
    """
    from fireplan.cli.prompt.shared_keyboard import situation_lines

    refuse(outside("to", to, 0))
    installed = catalogue()
    session, head = reopened(path, rules, installed=installed)
    side = side_named(session, side)
    viewer = table.Viewer(session, side)
    lines = viewer.known.lines
    say_line(session.scenario.title)
    if head.house_rules:
        say_line(f"house rules: {', '.join(head.house_rules)}")
    for number, line in enumerate(lines[:to], start=1):
        say_line(f"{number:4d}  {timed_line(line)}")
        if step:
            try:
                if hear_line("Enter goes on, q leaves: ").strip() == "q":
                    return
            except EOFError:
                return
    if to is None or to >= len(lines):
        for text in situation_lines(viewer.situation(), viewer.words):
            say_line(text)
        if not withheld(session, side):
            for text in reached(session):
                say_line(f"  {text}")
    refuse_broken(path, session)
    if differs := table.differences(session, head, installed):
        end(DIFFERS, f"{path}: {differs}")


def _replay_all(folder: Path, rules: tuple[Any, ...]) -> None:
    """Check every journal and playthrough in a folder against the current rules.

    Print a line for each, and end the command with status 1 if any differs. Raise ``InputError`` if
    the folder does not exist or contains none.
    """
    if not folder.is_dir():
        raise InputError(f"{folder}: is not a folder")
    files = sorted(
        {file for kind in (*JOURNALS, f"*{table.SUFFIX}") for file in folder.rglob(kind)}
    )
    if not files:
        raise InputError(
            f"{folder}: contains no journal or playthrough ({', '.join(JOURNALS)}, *{table.SUFFIX})"
        )
    installed = catalogue()
    differ = 0
    for file in files:
        difference = _difference(file, installed, rules)
        name = str(file).replace("\n", "\\n")  # keep to one line per file
        say_line(f"{name}: {difference or 'same'}")
        differ += bool(difference)
    if differ:
        end(DIFFERS, f"{differ} of {len(files)} differ from the current rules")


def _difference(file: Path, installed: core.Catalogue, rules: tuple[Any, ...]) -> str:
    """Return the differences of a stored game from the current rules and its seals, as text.

    Return "" if there are none. A game that cannot be replayed gives the reason.
    """
    try:
        if file.name.endswith(table.SUFFIX):
            return first_difference(installed, file)[0]
        session, head = reopened(file, rules, installed=installed)
        broken = (
            f"{seal.record.what} differs from what was sealed"
            for seal in table.broken_seals(session)
        )
        return "; ".join(filter(None, (table.differences(session, head, installed), *broken)))
    except (InputError, core.ProcedureError) as error:
        return str(error).removeprefix(f"{file}: ")


def salvage(journal: Path, into: Path, /) -> None:
    """Copy the intact inputs of a damaged journal into a new one.

    :param journal: The damaged journal; it is not changed.
    :param into: The new journal.
    """
    no_folder(journal)
    with refusing():
        saved, wrong = table.Journal.salvage(journal, into)
    kept = len(saved.rows)
    saved.close()
    say_line(f"{into}: {kept} inputs saved{f' ({wrong})' if wrong else '; nothing was wrong'}")


def follow(journal: Path, /, *, keeps: SomeSide = None, moments: int | None = None) -> None:
    """Print the sequel to a scenario that was played to its end, as a scenario file.

    :param journal: The journal of the previous scenario; it is not changed.
    :param keeps: The side whose calls for fire carry over; by default, no calls do.
    :param moments: Length of the new scenario in moments; by default, the game's own.
    """
    try:
        form = table.sequel_of_journal(journal, catalogue(), keeps=keeps, moments=moments)
    except ValueError as error:
        raise InputError(str(error)) from error
    sys.stdout.write(core.write_toml(form))


def verify(before: Path, after: Path, /) -> None:
    """Check the sealed records of an earlier export against a later one.

    :param before: An export of any side, made before the records were opened.
    :param after: An export made afterwards.
    """
    faults: list[str] = []
    earlier, later = (gathered(faults, _lines, path) for path in (before, after))
    refuse(faults)
    sealed = table.commitments(earlier)
    if not sealed:
        raise InputError(f"{before}: contains no sealed records")
    found = table.verify(earlier, later)
    for record in found.matched:
        say_line(f"as sealed: {record}")
    if found.faults:
        end(DIFFERS, "\n".join(found.faults))
    say_line(f"{sealed} sealed records match their seals")


def _lines(path: Path) -> list[str]:
    try:
        data = core.read_ordinary(path, MOST_TEXT)
        if len(data) > MOST_TEXT:
            raise InputError(
                f"{path}: larger than {MOST_TEXT // 1_000_000} MB, so it is not an export"
            )
        return data.decode("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: {unread_file(error)}") from error


def export(
    name: str | None = None,
    /,
    *,
    into: Path | None = None,
    side: Seat = REFEREE,
    json: bool = False,
    rules: HouseRules = None,
) -> None:
    """Export a journal as a readable text that can be replayed, or as JSON.

    :param name: The journal's file; it is opened read-only and never overwritten.
    :param into: The file to write; by default, the text is printed.
    :param side: Export only what this side may know (such a text cannot be replayed); by default,
        everything.
    :param json: Export JSON: opening, situation, log and inputs.
    """
    if name is None:
        raise InputError("Name the journal to export.")
    path = Path(name)
    session, head = reopened(path, house_rules(rules))
    side = side_named(session, side)
    data = exported(session, head, side) if json else None
    text = _text(session, head, side) if data is None else dumps(data, indent=2, ensure_ascii=False)
    if into is None:
        say_line(text.removesuffix("\n"))
        return
    write(into, text, anew=True)
    say_line(f"written: {into}")


def _text(session: table.Session, head: table.Head, side: str) -> str:
    """Return the playthrough of a session, with sealed records as comments.

    For a side, return its log and its view of the situation instead.
    """
    from fireplan.cli.prompt.shared_keyboard import situation_lines

    viewer = table.Viewer(session, side)
    lines = viewer.known.lines
    remarks = [f"# house rules: {', '.join(head.house_rules)}"] if head.house_rules else []
    if side == REFEREE:
        remarks += [f"# {line.text}" for line in lines if line.kind == "sealed"]
        return table.write_playthrough(session, head) + "".join(f"{line}\n" for line in remarks)
    rows = [
        f"{head.kind}: {head.name}",
        f"title: {session.scenario.title}",
        f"as {side} knows it",
        *remarks,
        "",
    ]
    return (
        "\n".join(
            [*rows, *map(timed_line, lines), "", *situation_lines(viewer.situation(), viewer.words)]
        )
        + "\n"
    )


# --- tables that commands open --------------------------------------------------------
def sit(session: table.Session, seed: int | None, briefing: table.Briefing | None = None) -> None:
    """Play a table at the keyboard, and close its journal afterwards.

    ``seed`` is the seed of the dice that the program rolls; None means random dice.
    """
    from fireplan.cli.keyboard import Play
    from fireplan.cli.map import WIDTH

    def hear(prompt: str) -> str:
        return hear_line(prompt, game.commands.possible)

    try:
        with refusing():  # e.g. the disk is full, or another process writes to the journal
            screen = attended(sys.stdin) and attended(sys.stdout)
            game = Play(
                session,
                say_wrapped,
                hear,
                seed,
                screen=screen,
                width=terminal_width if screen else lambda: WIDTH,
                briefing=briefing,
            )
            game.run()
    finally:
        if session.journal is not None:
            session.journal.close()


def side_named(session: table.Session, side: str) -> str:
    """Return the name of a side of a table, or of its referee, as files write it.

    ``side`` may also be the name that the game uses. Raise ``InputError`` for an unknown name.
    """
    words, sides = table.Words(session.scenario), [*table.sides_of(session.scenario), core.REFEREE]
    called = {words.said("side", each).removeprefix("the ").casefold(): each for each in sides}
    called |= {table.side_name(each).casefold(): each for each in sides}
    if side not in sides and side.casefold() not in called:
        raise unknown("side", side, sides)
    return side if side in sides else called[side.casefold()]


def refuse_broken(path: Path, session: table.Session) -> None:
    """End the command with status 1 if any record does not match its seal."""
    if broken := table.broken_seals(session):
        records = "; ".join(f"{seal.record.what} of {seal.record.side}" for seal in broken)
        end(DIFFERS, f"{path}: differs from what was sealed: {records}")
