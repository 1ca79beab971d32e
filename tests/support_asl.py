"""Helpers for the tests of Advanced Squad Leader: scenarios from text, hexes, a battery with Access."""

from __future__ import annotations

import attrs

from fireplan_asl import fireplan_game as asl
from fireplan_asl.places import pieces_between
from fireplan_asl.units import ObjectState, PersonnelState, UnitProfile
from fireplan_core import Asset, FireKind, Shot, Stage, Staging, Step, Target
from fireplan_core.play import Table, Variation, load_scenario

ON_HAND = {"delays__contact": True, "delays__access": True, "delays__black": 7}
"""A mission whose Observer has Radio Contact and Battery Access, for ``Referee.stand``."""


MOMENT = (Step("core.moment"),)
"""The agenda on which the next phase opens."""


def read(catalogue, tmp_path, text, **numbers):
    """Return the scenario that a text describes, with these numbers of the game changed."""
    path = tmp_path / "example.toml"
    path.write_text(text, encoding="utf-8")
    return load_scenario(catalogue, path, variation=Variation(numbers=numbers))[0]


def at(game, label):
    """Return the hex with a label on a referee's table."""
    return game.scenario.frame.parse(label)


def passed(frame, a, b):
    """Return the hexes between two centres that a line passes; along a hexside, those on both
    sides.
    """
    return tuple(cell for piece in pieces_between(frame, a, b) for cell in piece)


def shipped(catalogue, tmp_path, name, *swaps):
    """Return a shipped scenario with texts replaced, each of which must occur."""
    text = asl().scenarios.shipped[name].read_text(encoding="utf-8")
    for old, new in swaps:
        assert old in text
        text = text.replace(old, new)
    return read(catalogue, tmp_path, text)


def with_facts(scenario, word, **changes):
    """Return the same scenario with other facts for a part of its battery."""
    setup = scenario.missions["a"]
    facts = {**setup.facts, word: attrs.evolve(setup.facts[word], **changes)}
    return attrs.evolve(scenario, missions={"a": attrs.evolve(setup, facts=facts)})


def hexful(referee, faces, kind=FireKind.HE, step="strike", mm=105, **units):
    """Return a table with the named units in one hex, under fire."""
    start = referee(
        target=Target(nationality="russian", men=10, frontage_m=10, depth_m=10),
        asset=Asset(calibre_mm=mm),
    )
    scenario, place = start.scenario, start.scenario.centre
    setups = {}
    for name, stand in units.items():
        staging = Staging("test", scenario.parts.areas)
        side = "ground" if stand.kind in ("building", "bridge", "obstacle") else "target"
        slot = PersonnelState() if stand.kind == "infantry" else ObjectState()
        staging.unit(name, side, place, strength=0, slot=slot, facts=stand)
        setups.update(staging.units)
    start.scenario = attrs.evolve(scenario, units=setups)
    start.table = Table(start.scenario, 2)
    start.put({}, (Step(f"resolution.{step}", ("a", place, Shot(kind))),)).table._advance()
    return start.go(faces)


def on_the_march(
    referee,
    faces,
    *legs,
    stage=Stage.FALLING,
    moment=1,
    start=(20, 10),
    values=None,
    agenda=MOMENT,
    **stand,
):
    """Return a table played with these dice, on which a man moves where fire may fall.

    ``values`` are set in the state, and ``stand`` are facts about the man.
    """
    game = referee(
        target=Target(nationality="russian", men=10, frontage_m=10, depth_m=10),
        asset=Asset(calibre_mm=75),
    )
    scenario, man = game.scenario, UnitProfile(7, road=legs, **stand)
    staging = Staging("test", scenario.parts.areas)
    staging.unit("man", "target", start, strength=10, slot=PersonnelState(), facts=man)
    game.scenario = attrs.evolve(scenario, units=dict(staging.units), mobile=True)
    game.table = Table(game.scenario, 6)
    updates = {
        "clock/moment": moment,
        "missions/a/stage": stage,
        "missions/a/impact": scenario.centre,
        **(values or {}),
    }
    game.put(updates, agenda).table._advance()
    return game.go(faces)
