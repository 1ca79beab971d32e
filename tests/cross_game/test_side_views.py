"""Random play of every game: no view holds what is hidden from its side, undo replays a prefix,
replay agrees.
"""

from __future__ import annotations

import json
import random

import pytest

from fireplan.table import Session, Viewer, as_data, sides_of
from fireplan_core import REFEREE, Ask
from fireplan_core.chance import RandomFaces
from fireplan_core.play import Catalogue, find_scenario, replay, shipped_scenarios

CATALOGUE = Catalogue.installed()
STEPS = 30


@pytest.mark.parametrize("name", shipped_scenarios(CATALOGUE))
def test_no_view_names_what_is_hidden_from_its_side(name):
    scenario, form = find_scenario(CATALOGUE, name)
    session, faces, choose = Session(scenario, form.moments), RandomFaces(name), random.Random(name)
    states = [session.table.state]
    for step in range(STEPS):
        waits = session.table.waits_for
        if waits is None:
            break
        if isinstance(waits, Ask):
            session.order(
                choose.choice(session.table.rulebook.legal(waits, session.table.read, each=2))
            )
        else:
            while session.table.waits_for is waits:
                session.face(faces.face(session.die), typed=True)
        states.append(session.table.state)
        if step % 5:
            continue
        for side in sides_of(scenario):
            viewer = Viewer(session, side)
            seen = json.dumps(as_data(viewer.all()))
            hidden = [
                name for name in (*scenario.missions, *scenario.units) if viewer.eyes.hidden(name)
            ]
            assert not [
                name
                for name in hidden
                if name not in viewer.known.names and json.dumps(name) in seen
            ]
            assert not [name for name in hidden if name in scenario.missions and f" {name}" in seen]
        json.dumps(as_data(Viewer(session, REFEREE).all()))
    assert replay(scenario, form.moments, session.table.journal).state == session.table.state
    for expected in reversed(states[:-1]):
        session.undo()
        assert session.table.state == expected
