"""The laws of what is told: a side's view keeps what is hidden, and playthroughs come out line by line."""

from __future__ import annotations

import json
import re

from fireplan.comparison import shipped_engagements
from fireplan.kit._bench import Bench
from fireplan.kit._check import Flaw, Flaws
from fireplan.kit._play import give
from fireplan.table import (
    Eyes,
    HeadError,
    PlaythroughError,
    Session,
    as_data,
    opened,
    read_playthrough,
    replay_playthrough,
    sides_of,
    view_of,
)
from fireplan_core import Scenario
from fireplan_core.chance import RandomFaces
from fireplan_core.play import find_scenario

INPUTS = 10
"""Inputs after each of which every side's view is looked at."""


def views_keep_secrets(bench: Bench) -> Flaws:
    """Check that a side's view never names what is hidden from it and no event has shown it.

    Looking changes nothing.
    """
    faults: dict[str, None] = {}
    for scenario, moments in _played(bench):
        if not any(_hidden(scenario, side) for side in sides_of(scenario)):
            continue
        session, faces = Session(scenario, moments), RandomFaces(8)
        for _ in range(INPUTS):
            before = session.table.state
            for side in sides_of(scenario):
                faults.update(dict.fromkeys(_leaks(session, side)))
            if session.table.state != before:
                faults["looking at a table changes it"] = None
            if not give(session, faces):
                break
    return list(faults)


def _played(bench: Bench) -> list[tuple[Scenario, int]]:
    """The engagement, and the game's own scenarios."""
    laid = [find_scenario(bench.catalogue, name) for name in bench.own_scenarios]
    return [(bench.scenario, bench.moments), *((scenario, form.moments) for scenario, form in laid)]


def _hidden(scenario: Scenario, side: str) -> set[str]:
    eyes = Eyes(scenario, side)
    return {name for name in (*scenario.missions, *scenario.units) if eyes.hidden(name)}


def _leaks(session: Session, side: str) -> list[str]:
    scenario = session.scenario
    eyes = Eyes(scenario, side)
    shown = {
        str(value)
        for entry in session.table.log
        if (learnt := eyes.learns(entry.event)) is not None
        for _, value in learnt.fields
    }
    seen = json.dumps(as_data(view_of(session, side)), default=str)
    return [
        f"the view of {side} names {name}, which is hidden from it"
        for name in sorted(_hidden(scenario, side) - shown)
        if len(name) > 1 and re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", seen)
    ]


def playthroughs_come_out(bench: Bench) -> Flaws:
    """Check that at least one playthrough ships with the game.

    Each is replayed from its file alone, every ruling the same.
    """
    if not bench.playthroughs:
        return ["no playthrough in data/playthroughs: play a mission and write it down (fireplan playthrough --write)"]
    faults: Flaws = []
    for path in bench.playthroughs:
        try:
            playthrough = read_playthrough(path.read_text(encoding="utf-8"))
            scenario, moments = opened(bench.catalogue, playthrough.head(bench.catalogue, shipped_engagements()))
            differences = replay_playthrough(playthrough, Session(scenario, moments))
        except (PlaythroughError, HeadError, ValueError) as error:
            faults.append(f"{path.name}: {error}")
            continue
        faults += [Flaw(f"{path.name}: {difference}", _cite(str(difference))) for difference in differences]
    return faults


def _cite(text: str) -> str:
    """The last rule in round brackets."""
    found: list[str] = re.findall(r"\(([\w.,: -]*\d[\w.,: -]*)\)", text)
    return found[-1] if found else ""
