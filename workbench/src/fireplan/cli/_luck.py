"""``fireplan luck``: how lucky each side was, roll by roll, against the exact odds of each roll."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from fireplan.cli._journals import read_back
from fireplan.cli._terminal import say_line
from fireplan.compare import percent
from fireplan.odds import HARM, REACH, Luck, RollLuck, luck
from fireplan.table import sides_of

LITTLE, MUCH, VERY = 0.5, 1.0, 2.0
"""Standard deviations from which luck is called a little, plain and great."""
GISTS = {
    HARM: "harm: severity done to others less that suffered; 1 destroys a unit",
    REACH: "reach: the chance that own fire for effect falls on the target from there on",
}


def run_luck(path: Path, *, as_json: bool) -> None:
    """Weigh every roll of a journal or an account for each side that has assets."""
    session = read_back(path)
    scenario = session.scenario
    sides = dict.fromkeys(setup.side for setup in scenario.missions.values()) or dict.fromkeys(sides_of(scenario))
    found = [luck(scenario, session.moments, session.table.journal, side) for side in sides]
    if as_json:
        sys.stdout.write(json.dumps([_data(one) for one in found], indent=2) + "\n")
        return
    say_line(scenario.title)
    for one in found:
        say_line(f"\n{one.side}:")
        for roll in one.rolls:
            say_line(f"  {scenario.clock.name(roll.moment)}: {roll_words(roll)}")
        for line in summed(one):
            say_line(f"  {line}")


def roll_words(roll: RollLuck) -> str:
    """A roll, how likely something at least as good was, and what it moved."""
    rolled = f"{roll.name} {' '.join(roll.faces)}"
    if not roll.measure:
        return f"{rolled}: not weighed"
    if roll.measure == REACH:
        moved = f"reach {percent(roll.before)} -> {percent(roll.after)}"
    else:
        moved = f"harm {float(roll.before):+.2f} -> {float(roll.after):+.2f}"
    return f"{rolled}: at least as good {percent(roll.at_least)}; {moved}"


def summed(one: Luck) -> list[str]:
    """The luck of a side in words and in standard deviations."""
    lines = []
    for measure, summary in GISTS.items():
        rolls = [roll for roll in one.rolls if roll.measure == measure]
        if rolls:
            deviations = one.deviations(measure)
            lines.append(
                f"{in_words(deviations)} in {len(rolls)} rolls: {deviations:+.2f} standard deviations"
                f" ({float(one.gained(measure)):+.2f}; {summary})"
            )
    if lines and not one.whole:
        lines.append("reach leaves out what strikes do to those who call the fire: the whole is too large to solve")
    return lines or ["no roll could be weighed"]


def in_words(deviations: float) -> str:
    """Luck in words."""
    kind = "lucky" if deviations > 0 else "unlucky"
    size = abs(deviations)
    if size < LITTLE:
        return "about as expected"
    return f"a little {kind}" if size < MUCH else kind if size < VERY else f"very {kind}"


def _data(one: Luck) -> dict[str, Any]:
    rolls = [
        {
            "moment": roll.moment + 1,
            "roll": roll.name,
            "faces": list(roll.faces),
            "measure": roll.measure,
            "before": str(roll.before),
            "after": str(roll.after),
            "at_least": str(roll.at_least),
            "variance": str(roll.variance),
        }
        for roll in one.rolls
    ]
    totals = {m: {"gained": str(one.gained(m)), "standard_deviations": one.deviations(m)} for m in GISTS}
    return {"side": one.side, "whole": one.whole, **totals, "rolls": rolls}
