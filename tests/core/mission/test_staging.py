"""The entries that a table accepts: names allowed in keys, slots of other parts, distinct faults."""

from __future__ import annotations

import attrs
import null_game
import pytest
from null_setup import null_catalogue, plugin_with

from fireplan_core import CannotStageError, ProcedureError, ScenarioForm, Severity, hookimpl
from fireplan_core.play import load_scenario

HEAD = (
    'game = "null"\ntitle = "t"\nmoments = 4\ntarget = "K9"\n[[unit]]\nid = "man"\nplace = "K9"\n'
)


def staged(tmp_path, stage):
    """Return the null game's scenario with this layout."""

    @hookimpl
    def fireplan_game():
        return attrs.evolve(
            null_game.fireplan_game(), scenarios=ScenarioForm(null_game.NullScenario, stage)
        )

    catalogue = null_catalogue(plugin_with(fireplan_game=fireplan_game))
    file = tmp_path / "my.toml"
    file.write_text(HEAD)
    return load_scenario(catalogue, file)[0]


def man(staging, name, **more):
    cover = null_game.NullCover(open=True)
    staging.unit(name, "target", (0, 0), strength=1, slot=null_game.NullMan(), facts=cover, **more)


def test_a_unit_may_carry_slots_of_other_parts(tmp_path):
    def stage(form, staging, parts):
        null_game.stage(form, staging, parts)
        man(staging, "b", also={"areas": null_game.NullFire(falls=2)})

    initial = staged(tmp_path, stage).initial
    assert initial["units/b/areas/falls"] == 2
    assert initial["units/b/resolution/state"] is Severity.NONE


@pytest.mark.parametrize("name", ["1/2 squad", "/", ""])
def test_a_name_that_cannot_be_part_of_a_url_is_a_fault_of_the_file(tmp_path, name):
    def stage(form, staging, parts):
        null_game.stage(form, staging, parts)
        man(staging, name)
        staging.mission(name, "delays", null_game.NullLink())

    with pytest.raises(ValueError, match="cannot be the name of an asset or a unit") as refused:
        staged(tmp_path, stage)
    assert str(refused.value).count("cannot be the name") == 1
    assert isinstance(refused.value.__cause__, CannotStageError)


def test_a_unit_cannot_have_the_name_of_an_asset(tmp_path):
    def stage(form, staging, parts):
        null_game.stage(form, staging, parts)
        man(staging, "a")

    with pytest.raises(ValueError, match="'a' is the name of an asset: give the unit another"):
        staged(tmp_path, stage)


def test_no_side_can_have_the_referees_name(tmp_path):
    def stage(form, staging, parts):
        null_game.stage(form, staging, parts)
        staging.mission("a", "delays", null_game.NullLink(), side="referee")

    with pytest.raises(ValueError, match="no side can be called 'referee'"):
        staged(tmp_path, stage)


def test_an_error_in_a_game_is_not_reported_as_a_fault_of_the_file(tmp_path):
    def stage(form, staging, parts):
        raise ValueError("'x' is not in list")

    with pytest.raises(ProcedureError, match=r"null failed to stage 't': 'x' is not in list"):
        staged(tmp_path, stage)
