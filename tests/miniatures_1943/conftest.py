"""Tables of the 1943 rules for tests: engagements with one change, several chits in line, other
charts.
"""

from __future__ import annotations

import importlib.util
import sys
from datetime import date
from pathlib import Path

import attrs
import pytest

import fireplan_miniatures_1943 as plugin
from fireplan_core import (
    Engagement,
    Firer,
    Observer,
    Order,
    OwnTroops,
    Refusal,
    Target,
    View,
    hookimpl,
)
from fireplan_core.chance import ScriptedFaces
from fireplan_core.play import Answered, Catalogue, Table, Thrown, Variation, stage_scenario
from fireplan_core.play.table_setup import _Table
from fireplan_miniatures_1943.scenario import BaseForm, LineForm, M1943Scenario


def engagement(nationality="german", *, target=None, observer=None, own_m=None):
    """Return an engagement with some fields of its target and observer changed."""
    return Engagement(
        title="test",
        date=date(1944, 12, 18),
        firer=Firer(nationality=nationality),
        target=Target(nationality="american", **(target or {})),
        observer=Observer(**(observer or {})),
        own_troops=None if own_m is None else OwnTroops(distance_m=own_m),
    )


def staged(what=None, *, assets=("a",), charts=None, **options):
    """Return a scenario with these assets; an asset's id may give its kind of chit."""
    game = plugin.fireplan_game()

    class Changed:
        @hookimpl
        def fireplan_game(self):
            return attrs.evolve(game, charts={**game.charts, **(charts or {})})

    catalogue = Catalogue()
    catalogue.admit(Changed())
    what = what or engagement()
    table = _Table(catalogue, game.key, what, Variation(options=options))
    table.staging.assets = assets
    for word in ("areas", "delays", "observers", "resolution", "requests"):
        getattr(table.parts, word).stage(table.staging)
    return table.close()


@pytest.fixture
def engage():
    """Return the function that makes an engagement."""
    return engagement


@pytest.fixture
def stage():
    """Return the function that makes a scenario."""
    return staged


@pytest.fixture
def play():
    """Return the function that plays a scenario with orders by question and constant dice:
    ``played``.
    """
    return played


def played(scenario, turns, *, orders=None, face=1):
    """Play all turns and return the table.

    ``orders`` maps a question to a function ``(turn, mission) -> Order or None`` (None: the
    standard order). Every die shows ``face``, or the faces of a list in order.
    """
    faces = ScriptedFaces(face) if isinstance(face, list) else None
    table = Table(scenario, turns)
    while (waits := table.waits_for) is not None:
        if hasattr(waits, "question"):
            wish = (orders or {}).get(waits.question)
            order = wish(table.state.moment, waits.args[0]) if wish else None
            given = Answered(waits.question, order or table.rulebook.answer(waits, {}, table.read))
            answer = table.submit(given)
            assert isinstance(answer, tuple), answer
        else:
            thrown = faces.faces(waits) if faces else tuple(face for _ in waits.faces)
            table.submit(Thrown(waits.name, thrown))
    return table


@pytest.fixture
def seen():
    """Return a function that finds a table's events of a kind as (turn, fields)."""

    def find(table, kind):
        return [(e.moment, dict(e.event.fields)) for e in table.log if e.event.kind == kind]

    return find


@pytest.fixture
def covered():
    """Return a function that decides whether a marker at ``impact`` covers a base centred at
    ``place``.
    """

    def covers(scenario, impact, place, extent=0, **marker):
        values = {**scenario.initial, "missions/a/impact": impact}
        values.update({f"missions/a/areas/{name}": value for name, value in marker.items()})
        view = View(values.get, scenario, "areas")
        return bool(scenario.parts.areas.covers(view, "a", place, extent))

    return covers


@pytest.fixture
def with_facts():
    """Return a function that changes facts of all of a scenario's target bases."""

    def change(scenario, **facts):
        units = {
            name: attrs.evolve(
                unit, facts={"resolution": attrs.evolve(unit.facts["resolution"], **facts)}
            )
            for name, unit in scenario.units.items()
        }
        return attrs.evolve(scenario, units=units)

    return change


@pytest.fixture(scope="session")
def both():
    """Return a catalogue of this game and the null game, whose parts can be mixed."""
    path = Path(__file__).parent.parent / "games" / "null_game.py"
    if "null_game" not in sys.modules:
        spec = importlib.util.spec_from_file_location("null_game", path)
        module = importlib.util.module_from_spec(spec)
        sys.modules["null_game"] = module
        spec.loader.exec_module(module)
    catalogue = Catalogue()
    catalogue.admit(plugin)
    catalogue.admit(sys.modules["null_game"])
    return catalogue


# --- scenario files -----------------------------------------------------------------------------
def base(name, side, x, y, **other):
    """Return a base of a scenario."""
    return BaseForm(id=name, side=side, x=x, y=y, **other)


def laid(*, bases=(), terrain=(), lines=(), options=None, numbers=None, **other):
    """Return a scenario with the sides red and blue, staged without a file.

    ``numbers`` are changed numbers by name.
    """
    form = M1943Scenario(
        game="miniatures_1943",
        title="test",
        moments=10,
        sides=("red", "blue"),
        options={"supply": "used up", **(options or {})},
        base=tuple(bases),
        terrain=tuple(terrain),
        line=tuple(
            LineForm(**{"side": "red", "nationality": "american", **line}) for line in lines
        ),
        **other,
    )
    assert list(form.check()) == []
    catalogue = Catalogue()
    catalogue.admit(plugin)
    return stage_scenario(catalogue, form, Path(), Variation(numbers=numbers or {}))


@pytest.fixture
def lay():
    """Return the function that stages a scenario without a file: ``laid``."""
    return laid


@pytest.fixture
def a_base():
    """Return the function that makes a base of a scenario."""
    return base


@pytest.fixture
def drive_to():
    """Return the function that plays a scenario up to a question: ``driven_to``."""
    return driven_to


@pytest.fixture
def drive():
    """Return the function that plays a scenario by orders for each question and mission or side:
    ``driven``.
    """
    return driven


def driven_to(scenario, question, orders, moment=1, faces=1):
    """Play by these orders, or the standard ones, until a question is asked in a moment; return the
    table.
    """
    table = Table(scenario, moment + 1)
    while not (
        table.state.moment == moment and getattr(table.waits_for, "question", "") == question
    ):
        waits = table.waits_for
        if not hasattr(waits, "question"):
            table.submit(Thrown(waits.name, (faces,) * len(waits.faces)))
            continue
        key = (table.state.moment, waits.question)
        order = orders.get((*key, waits.who)) or orders.get((*key, waits.args[0]))
        order = order or table.rulebook.answer(waits, {}, table.read)
        table.submit(Answered(waits.question, order))
    return table


def driven(scenario, turns, orders, faces=1):
    """Play all turns and return the table.

    ``orders`` maps (turn, question, who or mission) to an order or a list of orders, given one
    after the other; a pair of an order and a rule is an order that this rule must refuse. Otherwise
    the standard order is given, or no chit is placed. ``faces`` is one face for all dice or a list
    of them. Every order and every listed face must be used.
    """
    table = Table(scenario, turns)
    left = {
        key: list(given) if isinstance(given, list) else [given] for key, given in orders.items()
    }
    dice = list(faces) if isinstance(faces, list) else None
    while (waits := table.waits_for) is not None:
        if hasattr(waits, "question"):
            wishes = left.get((table.state.moment, waits.question, waits.args[0])) or left.get(
                (table.state.moment, waits.question, waits.who)
            )
            quiet = Order.of("pass") if waits.question == "requests.request" else None
            order = (
                wishes.pop(0) if wishes else quiet or table.rulebook.answer(waits, {}, table.read)
            )
            if isinstance(order, tuple):
                order, cite = order
                refusal = table.submit(Answered(waits.question, order))
                assert isinstance(refusal, Refusal), refusal
                assert refusal.cite == cite
                continue
            answer = table.submit(Answered(waits.question, order))
            assert isinstance(answer, tuple), answer
        else:
            thrown = tuple(dice.pop(0) if dice is not None else faces for _ in waits.faces)
            table.submit(Thrown(waits.name, thrown))
    assert not any(left.values()), left
    assert not dice, dice
    return table
