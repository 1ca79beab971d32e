"""What a seat is shown of a unit that has rallied."""

from playing_on import step_on

from fireplan.table import Session, Viewer
from fireplan_core.chance import RandomFaces
from fireplan_core.play import Catalogue, find_scenario


def test_clause_19_a_unit_in_good_morale_again_is_not_shown_as_suppressed():
    scenario, form = find_scenario(Catalogue.installed(), "battlegroup_clash/causeway")
    session, dice, told = Session(scenario, form.moments), RandomFaces("rally"), 0
    shown = {}
    while session.table.waits_for is not None:
        events = len(session.table.log)
        step_on(session, dice)
        for entry in session.table.log[events:]:
            if entry.event.kind == "suffered":
                shown[entry.event["unit"]] = None
            elif entry.event.kind == "rallied" and entry.event["morale"] == "good":
                shown[entry.event["unit"]] = "none"
        for unit in Viewer(session, "Russia").situation().units:
            if shown.get(unit.name):
                assert unit.severity in ("none", "hit"), unit.name
                told += unit.severity == "none"
    assert told
