"""Scenarios of Red Poppies written in a few words, played with scripted dice."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import fireplan_red_poppies
from fireplan_core import Ask, Order, View
from fireplan_core.chance import ScriptedFaces
from fireplan_core.play import Answered, Catalogue, Table, Thrown, stage_scenario
from fireplan_red_poppies.scenario import (
    BarrageEntry,
    BoardEntry,
    BombardmentEntry,
    GroupEntry,
    HexEntry,
    RedPoppiesScenario,
    SideEntry,
    SideOfHexEntry,
    UnitEntry,
)

DAY = dt.date(1917, 10, 23)
TROOPS = Order.of("troops")
COMMAND, ACTIVATE, ACT = "delays.command", "resolution.activate", "resolution.act"
REACTION, BACK, RALLY = "resolution.reaction", "resolution.shoot_back", "resolution.rally"


def sides(**french):
    return SideEntry(name="french", **french), SideEntry(
        name="german", central=True, setup=("row 16",)
    )


def form(**rest):
    """Return a scenario form with a French firing side and a German target; ``rest`` sets other
    fields.
    """
    given = {
        "game": "red_poppies",
        "title": "test",
        "moments": 8,
        "date": DAY,
        "side": sides(),
        **rest,
    }
    return RedPoppiesScenario(**given)


def lay(**rest):
    catalogue = Catalogue()
    catalogue.admit(fireplan_red_poppies)
    made = form(**rest)
    assert list(made.check()) == []
    return stage_scenario(catalogue, made, Path())


def board(west="M", east="R", north=10, south=24, **rest):
    return BoardEntry(west=west, east=east, north=north, south=south, **rest)


def unit(name, at, side="german", kind="late_war_infantry", **rest):
    return UnitEntry(name=name, side=side, kind=kind, at=tuple(at.split()), **rest)


def hexes(label):
    """Return the hex of a label on the usual board."""
    return lay(board=board()).frame.parse(label)


def french(name, at, **rest):
    return unit(name, at, side="french", **rest)


def move(unit, to):
    return Order.of("move", unit=unit, to=hexes(to))


def fire(unit, at):
    return Order.of("fire", unit=unit, at=hexes(at))


def shoot(unit):
    return Order.of("shoot", unit=unit)


def units(*names):
    return Order.of("units", units=names)


def group(name="a", target="N18/N19/O19", side="french", mode="telephone", firepower=3, **rest):
    return GroupEntry(name=name, side=side, firepower=firepower, mode=mode, target=target, **rest)


def holds(at, *what, **rest):
    return HexEntry(at=tuple(at.split(",")), holds=what, **rest)


def along(kind, at, *sides):
    return SideOfHexEntry(kind=kind, at=tuple(at.split(",")), sides=sides)


def bombardment(kind="pulverizing", at=("all",), side="french"):
    return BombardmentEntry(side=side, kind=kind, at=at)


def barrage(line="row 19", toward="N", **rest):
    return BarrageEntry(side="french", line=tuple(line.split(",")), toward=toward, **rest)


def run(scenario, faces, orders=None, moments=8):
    """Play while there are dice; return the table.

    ``orders`` has lists of orders by question; after them come the standard ones.
    """
    table, faces = Table(scenario, moments), list(faces)
    waiting = {question: list(given) for question, given in (orders or {}).items()}
    while table.waits_for is not None:
        waits = table.waits_for
        if isinstance(waits, Ask):
            if waiting.get(waits.question):
                order = waiting[waits.question].pop(0)
            elif not faces:
                break
            else:
                order = table.rulebook.answer(waits, {}, table.read)
            answer = table.submit(Answered(waits.question, order))
            assert isinstance(answer, tuple), answer
        else:
            if len(faces) < len(waits.faces):
                break
            given = ScriptedFaces(faces[: len(waits.faces)]).faces(waits)
            del faces[: len(waits.faces)]
            table.submit(Thrown(waits.name, given))
    assert not faces, faces
    return table


def told(table, *kinds):
    """Return (turn, kind, fields) of the events of these kinds; turns count from 1, places are
    labels.
    """
    label = table.scenario.frame.label
    found = []
    for entry in table.log:
        event = entry.event
        if event.kind in kinds:
            fields = {k: label(v) if k in ("impact", "at", "to") else v for k, v in event.fields}
            found.append((entry.moment + 1, event.kind, fields))
    return found


def falls(table, mission="barrage"):
    return [
        (turn, f["impact"][1:]) for turn, _, f in told(table, "fall") if f["mission"] == mission
    ]


def suffered(table):
    return {f["unit"]: f["severity"].name for _, _, f in told(table, "suffered")}


def state(table, unit, field):
    return table.read(f"units/{unit}/resolution/{field}", None)


def view(scenario, word="observers"):
    """Return the opening state as a part sees it."""
    return View(scenario.initial.get, scenario, word)


def acting(acts, faces, *entries, who=("x.1",), reaction=(), back=(), rally=(), **rest):
    """Return a table where the French lead a turn of one couplet and act with these units; the
    Germans answer.
    """
    scenario = lay(**{"board": board(), "moves": True, "unit": entries, **rest})
    given = {
        COMMAND: [TROOPS],
        ACTIVATE: [units(*who)],
        ACT: acts,
        REACTION: reaction,
        BACK: back,
        RALLY: rally,
    }
    return run(scenario, (5, 4, *faces), given)


def cite(table, question, order):
    """Return the rule that refuses an order to the question that is due, or None."""
    assert table.waits_for.question == question
    return getattr(table.submit(Answered(question, order)), "cite", None)
