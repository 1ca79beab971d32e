"""``fireplan export``: a journal as text or data, or a mission written out for model checkers."""

from __future__ import annotations

from json import dumps
from pathlib import Path

from fireplan import api, table
from fireplan import solver as solving
from fireplan.api import InputError, command, outside, refuse, refusing, reopened
from fireplan.cli import _core as core
from fireplan.cli._app import write
from fireplan.cli._open import refuse_broken, side_named
from fireplan.cli._options import HouseRules
from fireplan.cli._print import say_line, told

REFEREE = "referee"


def export(  # noqa: PLR0913 - of a journal, or of a mission
    name: str | None = None,
    /,
    *,
    into: Path | None = None,
    side: str = REFEREE,
    json: bool = False,
    prism: bool = False,
    game: str | None = None,
    moments: int | None = None,
    rules: HouseRules = None,
) -> None:
    """Write a journal as a text that reads like a report and can be replayed, or as JSON; or a mission for PRISM.

    :param name: The journal's file; it is opened read-only, and never written over. With --prism a scenario or an
        engagement.
    :param into: The file to write; by default it is printed.
    :param side: Only what this side may know (such a text cannot be replayed); by default everything.
    :param json: JSON: opening, situation, log and inputs.
    :param prism: Write the mission of a scenario in the language of the model checkers PRISM and Storm.
    :param game: With --prism: take an engagement with this game.
    :param moments: With --prism: watch so many moments instead of the scenario's own.
    """
    if prism:
        if json or side != REFEREE or rules:
            raise InputError("--prism writes a mission before anybody plays it: leave --json and --side out.")
        text = _prism(name, game, moments)
    elif name is None:
        raise InputError("Name a journal, or a scenario with --prism.")
    elif game is not None or moments is not None:
        raise InputError("--game and --moments go with --prism alone.")
    else:
        path = Path(name)
        session, head = reopened(path, api.house_rules(rules))
        side_named(session, side)
        data = api.exported(session, head, side) if json else None
        text = _text(session, head, side) if data is None else dumps(data, indent=2, ensure_ascii=False)
        refuse_broken(path, session)
    if into is None:
        say_line(text.removesuffix("\n"))
        return
    write(into, text, anew=True)
    if not prism:
        say_line(f"written: {into}")


def _text(session: table.Session, head: table.Head, side: str) -> str:
    """Return the playthrough of a session, sealed records as remarks; of a side only what it may know."""
    from fireplan.cli._keyboard import situation_lines

    viewer = table.Viewer(session, side)
    lines = viewer.known.lines
    remarks = [f"# house rules: {', '.join(head.house_rules)}"] if head.house_rules else []
    if side == REFEREE:
        remarks += [f"# {line.text}" for line in lines if line.kind == "sealed"]
        return table.write_playthrough(session, head) + "".join(f"{line}\n" for line in remarks)
    rows = [f"{head.kind}: {head.name}", f"title: {session.scenario.title}", f"as {side} knows it", *remarks, ""]
    return "\n".join([*rows, *map(told, lines), "", *situation_lines(viewer.situation())]) + "\n"


def _prism(name: str | None, game: str | None, moments: int | None) -> str:
    """Return a scenario's (or an engagement's) mission in the PRISM language."""
    installed = api.catalogue_for(name, game) if game is None else api.catalogue_with(game)
    if game is None and name is None:
        known = ", ".join(core.shipped_scenarios(installed))
        raise InputError(f"Name a scenario ({known}) or a file, or an engagement with --game KEY.")
    refuse(outside("moments", moments, 1, api.LONGEST))
    setting = api.setting_of(installed, name, game, None)
    try:
        with refusing("exported", f"{game} cannot stage this"):
            scenario = setting.lay(core.Variation())
            return solving.prism(solving.Analysis(scenario, moments or setting.moments(scenario)))
    except solving.TooLargeError as error:
        what = (name, *(("--game", game) if game is not None else ()))
        ways = [f"\n  sampled, not exported: {command('odds', *what, '--sample', api.ADVISED)}"]
        if error.moments:
            ways.append(f"\n  fewer moments: {command('export', *what, '--prism', '--moments', error.moments)}")
        raise InputError(f"This is too large to be solved exactly: {error}. Instead{''.join(ways)}") from error
