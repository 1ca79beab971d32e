"""Tables of the 1943 rules for tests: engagements with one change, several chits in line, other charts."""

from __future__ import annotations

import importlib.util
import sys
from datetime import date
from pathlib import Path

import attrs
import pytest

import fireplan_miniatures_1943 as plugin
from fireplan.chance import ScriptedFaces
from fireplan.mission import (
    WORDS,
    Cycle,
    Engagement,
    Firer,
    Observer,
    OwnTroops,
    Parts,
    Staging,
    Target,
    View,
)
from fireplan.table import Answered, Catalogue, Table, Thrown


def engagement(nationality="german", *, target=None, observer=None, own_m=None):
    """An engagement with the target's and observer's fields changed."""
    return Engagement(
        title="test",
        date=date(1944, 12, 18),
        firer=Firer(nationality=nationality),
        target=Target(nationality="american", **(target or {})),
        observer=Observer(**(observer or {})),
        own_troops=None if own_m is None else OwnTroops(distance_m=own_m),
    )


def staged(what=None, *, assets=("a",), charts=None, **options):
    """A scenario with these assets; an asset's id may say which chit it is."""
    game = plugin.fireplan_game()
    settled = game.settled(options)
    parts = {word: getattr(plugin, f"fireplan_{word}")(settled, {**game.charts, **(charts or {})}) for word in WORDS}
    steps = {name: step for part in parts.values() for name, step in part.steps().items()}
    steps.update(Cycle(frozenset(steps)).steps())
    questions = {
        f"{part.word}.{name}": question for part in parts.values() for name, question in part.questions().items()
    }
    modifiers = tuple(modifier for part in parts.values() for modifier in part.modifiers())
    what = what or engagement()
    staging = Staging(what.title, Parts(**parts), what)
    staging.assets = assets
    staging.stage()
    return staging.scenario(steps, questions, modifiers)


@pytest.fixture
def engage():
    """Make an engagement."""
    return engagement


@pytest.fixture
def stage():
    """Make a scenario."""
    return staged


@pytest.fixture
def play():
    """Play a scenario; orders by name of the question, die always the same; see ``played``."""
    return played


def played(scenario, turns, *, orders=None, face=1):
    """Play all turns.

    ``orders`` maps a question to a function ``(turn, mission) -> Order or None`` (None: the standard).
    Every die shows ``face``, which may be a list of faces in order instead. Returns the table.
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
    """Find events of a kind in a table's log as (turn, fields)."""

    def find(table, kind):
        return [(e.moment, dict(e.event.fields)) for e in table.log if e.event.kind == kind]

    return find


@pytest.fixture
def covered():
    """Whether a marker lying at ``impact`` covers a base whose centre is at ``place``."""

    def covers(scenario, impact, place, extent=0, **marker):
        values = {**scenario.initial, "missions/a/impact": impact}
        values.update({f"missions/a/areas/{name}": value for name, value in marker.items()})
        view = View(values.get, scenario, "areas")
        return bool(scenario.parts.areas.covers(view, "a", place, extent))

    return covers


@pytest.fixture
def with_facts():
    """The scenario with facts of all its target bases changed."""

    def change(scenario, **facts):
        units = {
            name: attrs.evolve(unit, facts={"resolution": attrs.evolve(unit.facts["resolution"], **facts)})
            for name, unit in scenario.units.items()
        }
        return attrs.evolve(scenario, units=units)

    return change


@pytest.fixture(scope="session")
def both():
    """A catalogue of this game and the null game, to mix their parts."""
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
