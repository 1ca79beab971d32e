"""Engagements and tables of Wacht am Rhein II for its tests."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import attrs
import pytest

import fireplan_wacht_am_rhein
from fireplan.solver import Analysis
from fireplan_core import Ask, Asset, Engagement, Firer, Observer, Order, Refusal, Target, UnitSetup
from fireplan_core.chance import RandomFaces, ScriptedFaces
from fireplan_core.play import (
    Answered,
    Catalogue,
    Table,
    Thrown,
    Variation,
    stage_engagement,
    stage_scenario,
)
from fireplan_wacht_am_rhein.command import Command, Headquarters
from fireplan_wacht_am_rhein.ground import FRAME
from fireplan_wacht_am_rhein.scenarios import HeadquartersEntry, HexEntry, WarScenario
from fireplan_wacht_am_rhein.setup import Artillery, ObservingUnit, UnitEntry, UnitState

TARGET = (29, 16)
"""The target hex of every engagement; r grows southward, so (29, 16 - n) is n hexes to the north.
"""

COMMAND = Command(
    (
        Headquarters("28th", "division", "VIII"),
        Headquarters("106th", "division", "VIII"),
        Headquarters("2nd", "division", "V"),
        Headquarters("VIII", "corps", "First"),
        Headquarters("V", "corps", "First"),
        Headquarters("First", "army"),
        Headquarters("Third", "army"),
    )
)


def engagement(nation="american", *, men=450, observer=None, asset=None, target=None, **more):
    enemy = "german" if nation == "american" else "american"
    return Engagement(
        title="test",
        date=dt.date(1944, 12, 18),
        firer=Firer(nationality=nation),
        target=target or Target(nationality=enemy, men=men),
        observer=observer or Observer(),
        asset=asset or Asset(),
        **more,
    )


def scenario(given=None, /, **options):
    catalogue = Catalogue()
    catalogue.admit(fireplan_wacht_am_rhein)
    return stage_engagement(
        catalogue, "wacht_am_rhein", given or engagement(), Variation(options=options)
    )


def gun(name, factors, reach, under, at=(0, 0), **more):
    """Return an artillery unit with these factors and this range."""
    return UnitEntry(
        name=name, side="US", under=under, hex=at, factors=factors, range=reach, **more
    )


def troops(**more):
    """Return a unit with only these fields."""
    return UnitEntry(name="", side="GE", under="", hex=TARGET, **more)


def guns(*units):
    """Return artillery units given as (name, factors, range, hexes north of the target,
    headquarters).
    """
    return tuple(gun(name, f, r, hq, (TARGET[0], TARGET[1] - far)) for name, f, r, far, hq in units)


def fielded(artillery, observers=(), *, nation="US", enemy=(), aircraft=(), **options):
    """Return a scenario without a map with this artillery, these observers, and enemy units at
    these hexes.
    """
    base = scenario(engagement("american" if nation == "US" else "german"), **options)
    brought = Artillery(nation, tuple(artillery), tuple(observers), COMMAND, tuple(aircraft))
    setup = base.missions["a"]
    missions = {"a": attrs.evolve(setup, facts={**setup.facts, "requests": brought})}
    units = dict(base.units)
    for n, place in enumerate(enemy):
        units[f"e{n}"] = UnitSetup(
            "target",
            place,
            100,
            Fraction(0),
            {"resolution": UnitState(steps=3)},
            {"resolution": troops()},
        )
    return attrs.evolve(base, missions=missions, units=units)


def us(name, hex_, under="28th", **more):
    """Return a US unit for a scenario with a map."""
    return UnitEntry(name=name, side="US", under=under, hex=FRAME.parse(hex_), **more)


def ge(name, hex_, under="26th", **more):
    """Return a German unit for a scenario with a map."""
    return UnitEntry(name=name, side="GE", under=under, hex=FRAME.parse(hex_), **more)


def hexed(hex_, *terrain, **more):
    """Return the entry that describes a hex of a map."""
    return HexEntry(hex=FRAME.parse(hex_), terrain=terrain or ("clear",), **more)


def catalogue():
    """Return a catalogue with only this game."""
    found = Catalogue()
    found.admit(fireplan_wacht_am_rhein)
    return found


def on_map(*units, hexes=(), target="3030", active=("US",), moments=1, **more):
    """Return a scenario with a map: the US observer I-110 north of the target hex 3030, and these
    units and hexes.
    """
    headquarters = tuple(
        HeadquartersEntry(name=name, side=side, level=level, under=under)
        for name, side, level, under in (
            ("28th", "US", "division", "VIII"),
            ("106th", "US", "division", "VIII"),
            ("9th-Armored", "US", "division", "VIII"),
            ("VIII", "US", "corps", None),
            ("26th", "GE", "division", "XLVII"),
            ("XLVII", "GE", "corps", None),
        )
    )
    form = WarScenario(
        game="wacht_am_rhein",
        title="test",
        moments=moments,
        active=active,
        target=FRAME.parse(target),
        headquarters=headquarters,
        unit=units,
        hex=tuple(hexes),
        **more,
    )
    assert list(form.check()) == []
    return stage_scenario(catalogue(), form, Path())


class Play:
    """A table that a test drives: it declares barrages, and dice are scripted or random."""

    def __init__(self, on, moments=1, faces=None):
        self.table = Table(on, moments)
        self.faces = RandomFaces(1) if faces is None else ScriptedFaces(faces)

    def until(self, question):
        """Roll dice and give standard answers up to a question.

        Return False if play ends first.
        """
        while (waits := self.table.waits_for) is not None:
            if isinstance(waits, Ask):
                if waits.question == question:
                    return True
                self.table.submit(
                    Answered(waits.question, self.table.rulebook.answer(waits, {}, self.table.read))
                )
            else:
                self.table.submit(Thrown(waits.name, self.faces.faces(waits)))
        return False

    def barrage(self, fire: Mapping[str, int], at=TARGET, observer="observer"):
        """Declare a barrage; return the refusal, or None if it was accepted."""
        while self.table.waits_for.question == "requests.declare":
            self.table.submit(Answered("requests.declare", Order.of("barrage")))
        order = Order.of("barrage", at=at, observer=observer, fire=tuple(fire.items()))
        answer = self.table.submit(Answered("requests.barrage", order))
        return answer if isinstance(answer, Refusal) else None

    def answer(self, question, verb, **values):
        """Answer the pending question; return the refusal, or None if the order was accepted."""
        answer = self.table.submit(Answered(question, Order.of(verb, **values)))
        return answer if isinstance(answer, Refusal) else None

    def where(self, unit):
        """Return the label of a unit's hex, or None if it is off the map."""
        place = self.table.state.values[f"units/{unit}/place"]
        return None if place is None else FRAME.label(place)

    def body(self, unit):
        """Return a unit's steps, shift markers and fatigue."""
        values = self.table.state.values
        return tuple(
            values[f"units/{unit}/resolution/{name}"] for name in ("steps", "shift", "fatigue")
        )

    def events(self, kind):
        return [entry.event for entry in self.table.log if entry.event.kind == kind]


@attrs.frozen
class Count:
    """A measure of the number of events of a kind."""

    kind: str
    initial: int = 0

    @property
    def kinds(self):
        return frozenset({self.kind})

    def see(self, state, event, moment):
        return state + 1

    def see_apart(self, state, step, moment):
        return state

    def settled(self, state):
        return False


@pytest.fixture
def war():
    """Return everything above as attributes of one object."""
    return SimpleNamespace(
        TARGET=TARGET,
        TENTH=Fraction(1, 10),
        COMMAND=COMMAND,
        engagement=engagement,
        scenario=scenario,
        guns=guns,
        fielded=fielded,
        Play=Play,
        us=us,
        ge=ge,
        hexed=hexed,
        on_map=on_map,
        catalogue=catalogue,
        hex=FRAME.parse,
        Count=Count,
        Analysis=Analysis,
        gun=gun,
        troops=troops,
        observer=ObservingUnit,
    )
