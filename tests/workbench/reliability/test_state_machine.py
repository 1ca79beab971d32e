"""Any game, driven by hypothesis: at every step the views, undo, replay and loading agree."""

import json
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from fireplan.analysis import shipped_engagements
from fireplan.errors import JournalError
from fireplan.table import Viewer, as_data, begin, make_head, reopen, sides_of
from fireplan_core import Ask, Refusal
from fireplan_core.play import Catalogue, replay, shipped_scenarios

CATALOGUE = Catalogue.installed()
SCENARIOS = {
    name.split("/")[0]: name for name in sorted(shipped_scenarios(CATALOGUE), reverse=True)
}
HEADS = {
    game: make_head(CATALOGUE, name, None, shipped_engagements())
    for game, name in SCENARIOS.items()
}


def seen(session, side):
    return json.dumps(as_data(Viewer(session, side).all()))


class Play(RuleBasedStateMachine):
    game: str

    def __init__(self):
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.path = self.folder / "table.fireplan"
        self.session = begin(self.path, CATALOGUE, HEADS[self.game])
        self.states = [self.session.table.state]

    def teardown(self):
        self.session.journal.close()
        shutil.rmtree(self.folder)

    @property
    def waits(self):
        return self.session.table.waits_for

    @precondition(lambda self: isinstance(self.waits, Ask))
    @rule(data=st.data())
    def order(self, data):
        # At a dead end no order is legal, and ``sampled_from`` raises.
        legal = self.session.table.rulebook.legal(self.waits, self.session.table.read, each=3)
        assert not isinstance(self.session.order(data.draw(st.sampled_from(legal))), Refusal)
        self.states.append(self.session.table.state)

    @precondition(lambda self: self.session.die is not None)
    @rule(data=st.data())
    def die(self, data):
        self.session.face(
            data.draw(st.sampled_from([face for face, _ in self.session.die.weights])), typed=True
        )
        if not self.session.faces:
            self.states.append(self.session.table.state)

    @rule()
    def undo(self):
        if self.session.faces or len(self.states) == 1:
            rows = len(self.session.rows)
            with pytest.raises(JournalError):
                self.session.undo()
            assert len(self.session.rows) == rows
        else:
            self.session.undo()
            self.states.pop()

    @rule()
    def close_and_resume(self):
        before = self.session
        before.journal.close()
        self.session, _ = reopen(self.path, CATALOGUE)
        assert self.session.faces == before.faces
        assert self.session.history.story == before.history.story
        assert self.session.table.log == before.table.log
        for side in sides_of(before.scenario):
            assert seen(self.session, side) == seen(before, side)

    @rule()
    def replayed(self):
        table = replay(self.session.scenario, self.session.moments, self.session.table.journal)
        assert (table.state, table.log) == (self.session.table.state, self.session.table.log)

    @invariant()
    def the_state_is_that_of_the_inputs_that_stand(self):
        assert self.session.table.state == self.states[-1]


@pytest.mark.full
@pytest.mark.parametrize("game", sorted(HEADS))
def test_a_table_keeps_its_history(game):
    machine = type("PlayOf" + game, (Play,), {"game": game})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=6, stateful_step_count=25, suppress_health_check=list(HealthCheck)
        ),
    )
