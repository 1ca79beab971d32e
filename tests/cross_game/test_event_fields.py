"""Laws of every game's events: they have the fields and values that the rules declare."""

import pytest
from shipped import FEW, NAMES

import fireplan as fp
from fireplan.questions.event_fields import EventFields
from fireplan_core.mission import EVENT_FIELDS
from fireplan_core.record import ProcedureError
from fireplan_core.steps.effects import emit

CALLS = {"red_poppies/cut_wires": "command=call group=75s by=runner if turn=1"}


def check(name, size):
    """Check every event of random plays: asking for its own values is never refused."""
    position = fp.position(name)
    events = EventFields(position.at.scenario)
    calls = CALLS.get(name)  # the standard orders never call for fire in some scenarios
    stories = position.stories(size, orders=calls)
    seen = {entry.event for story in stories for entry in story.log}
    closed = 0
    for event in seen:
        declared = events.names(event.kind)
        for field, value in event.fields:
            assert not declared or field in declared, event
            if domain := events.domain(event.kind, field):
                events.refuse(field, value, domain)
                closed += 1
                with pytest.raises(fp.InputError):
                    events.refuse(field, "no such word", domain)
            assert isinstance(value, EVENT_FIELDS.get(field, object))
    assert closed


@pytest.mark.parametrize("name", FEW)
def test_every_event_has_the_declared_fields_and_values(name):
    check(name, 20)


@pytest.mark.full
@pytest.mark.parametrize("name", [name for name in NAMES if name not in FEW])
def test_every_event_of_any_scenario_has_the_declared_fields_and_values(name):
    check(name, 40)


@pytest.mark.parametrize(("field", "value"), [("severity", 2), ("unit", 3), ("on_target", 1)])
def test_a_rule_cannot_emit_another_kind_of_value(field, value):
    with pytest.raises(ProcedureError, match=f"event suffered, field {field}: expected "):
        emit("suffered", "C1.5", **{field: value})
