"""Each side's view of the other: a hidden unit is seen only by its owner."""

from importlib.resources import files

import pytest

from fireplan.table import Session, as_data, view_of
from fireplan_core import Order
from fireplan_core.play import Catalogue, load_scenario

VILLAGE = files("fireplan_asl").joinpath("data/scenarios/village.toml").read_text()


@pytest.mark.parametrize(
    ("hidden", "side", "seen"),
    [(True, "german", False), (True, "russian", True), (False, "german", True)],
)
def test_c1_21_a_hidden_unit_is_in_its_owners_view_alone(tmp_path, hidden, side, seen):
    file = tmp_path / "village.toml"
    file.write_text(
        VILLAGE.replace('id = "3rd squad"', 'id = "3rd squad"\nhidden = true')
        if hidden
        else VILLAGE
    )
    scenario, form = load_scenario(Catalogue.installed(), file)
    assert ("3rd squad" in str(as_data(view_of(Session(scenario, form.moments), side)))) is seen


def test_a_squads_woods_are_on_the_map_even_if_a_vehicle_in_its_hex_has_none(tmp_path):
    file = tmp_path / "village.toml"
    file.write_text(VILLAGE)
    scenario, _ = load_scenario(Catalogue.installed(), file)
    terrain = {scenario.frame.label(feature.place): feature.words for feature in scenario.features}
    assert terrain["K4"] == "woods"


def test_counters_show_morale_and_entrenchments_but_only_a_question_mark_if_concealed(tmp_path):
    file = tmp_path / "village.toml"
    file.write_text(VILLAGE)
    scenario, form = load_scenario(Catalogue.installed(), file)
    units = view_of(Session(scenario, form.moments), "german").situation.units
    printed = {unit.name: unit.printed for unit in units if unit.printed}
    assert printed == {
        "lieutenant": ("Morale Level 9",),
        "sergeant": ("Morale Level 8",),
        "1st squad": ("Morale Level 7",),
        "2nd squad": ("Morale Level 7", "entrenched"),
        "3rd squad": ("concealed",),
    }


def test_c1_22_a_lost_radio_is_not_called_broken_as_well():
    """A 12 breaks the radio, and a 6 in a later RPh removes it."""
    scenario, form = load_scenario(
        Catalogue.installed(), files("fireplan_asl") / "data/scenarios/village.toml"
    )
    session = Session(scenario, form.moments)
    session.order(Order.of("call"))
    session.order(Order.of("roll"))
    session.throw([(6, True), (6, True)])
    (battery,) = view_of(session, "german").situation.assets
    assert "the radio is broken" in battery.details
    session.throw([(6, True)])
    (battery,) = view_of(session, "german").situation.assets
    assert (battery.text, battery.details) == ("Fire Mission over, the radio is lost", ())
