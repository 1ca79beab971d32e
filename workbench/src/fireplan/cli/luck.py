"""``fireplan luck``: how lucky each side was, roll by roll, against the exact odds of each roll."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fireplan import api, table
from fireplan import comparison as comparing
from fireplan import solver as solving
from fireplan.api import InputError
from fireplan.cli import _core as core
from fireplan.cli._app import DiffersError
from fireplan.cli._open import catalogue, read_playthrough, reopened
from fireplan.cli._options import HouseRules, Yes
from fireplan.cli._print import asking, say_json, say_line

LITTLE, MUCH, VERY = 0.5, 1.0, 2.0
"""Standard deviations from which luck is called a little, plain and great."""
MEANINGS = {
    "harm": "harm: severity done to others less that suffered; 1 destroys a unit",
    "reach": "reach: the chance that own fire for effect falls on the target from there on",
}


EACH = 1.5
"""Seconds that the odds of a roll take at most on a slow machine."""


def luck(game: Path, /, *, json: bool = False, yes: Yes = False, rules: HouseRules = None) -> None:
    """Weigh every roll of a game against its exact odds, and say how lucky each side was.

    :param game: A journal, or a playthrough (a .txt file).
    :param json: Print JSON with exact rationals.
    """
    session = _read_back(game) if game.name.endswith(".txt") else reopened(game, api.house_rules(rules))[0]
    scenario = session.scenario
    sides = dict.fromkeys(setup.side for setup in scenario.missions.values()) or table.sides_of(scenario)
    rolls = sum(isinstance(given, core.Thrown) for given in session.table.journal)
    asking("weigh a shorter game", yes=yes)(EACH * rolls * len(sides))
    found = [solving.luck(scenario, session.moments, session.table.journal, side) for side in dict.fromkeys(sides)]
    if json:
        say_json([_data(one) for one in found])
        return
    say_line(scenario.title)
    for one in found:
        say_line(f"\n{one.side}:")
        for roll in one.rolls:
            say_line(f"  {scenario.clock.name(roll.moment)}: {_roll_words(roll)}")
        for line in _summed(one):
            say_line(f"  {line}")


def _read_back(path: Path) -> table.Session:
    """Return the game that a playthrough tells, by the rules as they are now."""
    try:
        account, _, session = read_playthrough(catalogue(), path)
        differences = table.replay_playthrough(account, session)
    except (table.PlaythroughError, table.HeadError, core.ProcedureError) as error:
        raise InputError(f"{path}: {error}") from error
    if differences:
        raise DiffersError(f"{path}: {differences[0]}")
    return session


def _roll_words(roll: solving.RollLuck) -> str:
    """Return a roll, how likely something at least as good was, and what it moved."""
    rolled = f"{roll.name} {' '.join(roll.faces)}"
    if not roll.measure:
        return f"{rolled}: not weighed"
    if roll.measure == solving.REACH:
        moved = f"reach {comparing.percent(roll.before)} -> {comparing.percent(roll.after)}"
    else:
        moved = f"harm {float(roll.before):+.2f} -> {float(roll.after):+.2f}"
    return f"{rolled}: at least as good {comparing.percent(roll.at_least)}; {moved}"


def _summed(one: solving.Luck) -> list[str]:
    """Return the luck of a side in words and in standard deviations."""
    lines = []
    for measure, meaning in MEANINGS.items():
        rolls = [roll for roll in one.rolls if roll.measure == measure]
        if rolls:
            deviations = one.deviations(measure)
            lines.append(
                f"{_in_words(deviations)} in {len(rolls)} rolls: {deviations:+.2f} standard deviations"
                f" ({float(one.gained(measure)):+.2f}; {meaning})"
            )
    if lines and not one.whole:
        lines.append("reach leaves out what strikes do to those who call the fire: the whole is too large to solve")
    return lines or ["no roll could be weighed"]


def _in_words(deviations: float) -> str:
    """Return luck in words."""
    kind = "lucky" if deviations > 0 else "unlucky"
    size = abs(deviations)
    if size < LITTLE:
        return "about as expected"
    return f"a little {kind}" if size < MUCH else kind if size < VERY else f"very {kind}"


def _data(one: solving.Luck) -> dict[str, Any]:
    rolls = [
        {
            "moment": roll.moment + 1,
            "roll": roll.name,
            "faces": list(roll.faces),
            "measure": roll.measure,
            **{name: str(getattr(roll, name)) for name in ("before", "after", "at_least", "variance")},
        }
        for roll in one.rolls
    ]
    totals = {m: {"gained": str(one.gained(m)), "standard_deviations": one.deviations(m)} for m in MEANINGS}
    return {"side": one.side, "whole": one.whole, **totals, "rolls": rolls}
