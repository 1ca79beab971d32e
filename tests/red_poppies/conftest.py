"""Scenarios of Red Poppies from one engagement, and helpers that play them with scripted dice and
orders.
"""

from __future__ import annotations

import datetime as dt
from fractions import Fraction
from types import SimpleNamespace

import attrs
import null_game
import pytest

import fireplan_red_poppies
from fireplan.solver import Analysis
from fireplan_core import (
    Ask,
    Asset,
    Engagement,
    Firer,
    MissionSetup,
    Observer,
    Situation,
    Step,
    Target,
)
from fireplan_core.chance import Chance, ScriptedFaces
from fireplan_core.play import Answered, Catalogue, Table, Thrown, Variation, stage_engagement

ENGAGEMENT = Engagement(
    title="attack",
    date=dt.date(1917, 10, 23),
    firer=Firer(nationality="french"),
    target=Target(nationality="german"),
)


def catalogue():
    found = Catalogue()
    found.admit(fireplan_red_poppies)
    found.admit(null_game)
    return found


def engage(link="telephone", *, kind="forward", sight="clear", distance=300, works="none", **rest):
    """Return the engagement with some fields changed: of observer, asset, target or situation."""

    def pick(cls):
        return {f.name: rest.pop(f.name) for f in attrs.fields(cls) if f.name in rest}

    watch = Observer(kind=kind, link=link, sight=sight, distance_m=distance, works=works)
    situation = Situation(**pick(Situation))
    target = attrs.evolve(ENGAGEMENT.target, **pick(Target))
    asset = Asset(**pick(Asset))
    return attrs.evolve(
        ENGAGEMENT, observer=watch, situation=situation, target=target, asset=asset, **rest
    )


def stage(link="telephone", *, options=None, parts=None, key="red_poppies", groups=("a",), **rest):
    """Return a scenario; if it has several groups, they are identical."""
    variation = Variation(options=options or {}, parts=parts or {})
    scenario = stage_engagement(catalogue(), key, engage(link, **rest), variation)
    (setup,) = scenario.missions.values()
    assert isinstance(setup, MissionSetup)
    return attrs.evolve(scenario, missions=dict.fromkeys(groups, setup))


def play(scenario, faces, orders=(), moments=6, doctrine=None):
    """Return a table played until the dice run out: commands by ``orders``, then the standard ones."""
    table = Table(scenario, moments)
    faces, orders = list(faces), list(orders)
    while table.waits_for is not None:
        waits = table.waits_for
        if isinstance(waits, Ask):
            if not faces:
                break
            own = waits.question == "delays.command" and orders
            order = (
                orders.pop(0) if own else table.rulebook.answer(waits, doctrine or {}, table.read)
            )
            refusal = table.submit(Answered(waits.question, order))
            assert isinstance(refusal, tuple), refusal
        else:
            if len(faces) < len(waits.faces):
                break
            given = ScriptedFaces(faces[: len(waits.faces)]).faces(waits)
            del faces[: len(waits.faces)]
            table.submit(Thrown(waits.name, given))
    assert not faces
    return table


def told(table, kind):
    """Return the events of a kind with their turns, counted from 1."""
    return [(entry.moment + 1, entry.event) for entry in table.log if entry.event.kind == kind]


@attrs.frozen
class First:
    """A measure of one field of the first ``count`` events of a kind."""

    kind: str
    field: str
    count: int = 1
    initial: tuple = ()

    @property
    def kinds(self):
        return frozenset({self.kind})

    def see(self, state, letter, moment):
        return state if len(state) == self.count else (*state, letter[self.field])

    def settled(self, state):
        return len(state) == self.count


def shares(scenario, measure, moments, doctrine=None):
    return dict(Analysis(scenario, moments, doctrine).solve(measure).shares)


def fired(scenario, moments, doctrine=None):
    """Return the exact chance that fire for effect has fallen at least once after this many turns."""
    return shares(scenario, First("fall", "gap"), moments, doctrine)


def check(scenario, faces, power, unit="t1.1", **slot):
    """Return the results of one cohesion check with these two dice: harm, net modifier and updated
    values.
    """
    table = Table(scenario, 1)
    values = {f"units/{unit}/resolution/{name}": value for name, value in slot.items()}

    def read(key, default):
        return values[key] if key in values else table.read(key, default)

    outcome = table.rulebook.run(
        Step("resolution.check", ("a", unit, power)),
        lambda modifiers: Chance(lambda event: event.read(faces), modifiers),
        read,
    )
    suffered = [event["severity"] for event in outcome.events if event.kind == "suffered"]
    net = sum(event["value"] for event in outcome.events if event.kind == "modifier")
    return SimpleNamespace(suffered=suffered, net=net, updates=dict(outcome.updates))


@pytest.fixture
def rp():
    """Return all of the above as one object."""
    return SimpleNamespace(
        catalogue=catalogue,
        check=check,
        engage=engage,
        fired=fired,
        First=First,
        play=play,
        shares=shares,
        stage=stage,
        told=told,
        sixths=lambda n: Fraction(n, 36),
    )
