"""A table in play: inputs, refusals that change nothing, replay, and the catalogue's admission
checks.
"""

from __future__ import annotations

import attrs
import null_game
import pluggy
import pytest
from null_setup import ENGAGEMENT, null_catalogue, plugin_with

from fireplan.table import OrderReader
from fireplan_core import (
    Ask,
    Effects,
    Modifier,
    Order,
    ProcedureError,
    Refusal,
    StepDef,
    emit,
    hookimpl,
)
from fireplan_core.chance import ChanceError, RandomFaces, ScriptedFaces
from fireplan_core.play import (
    Answered,
    Catalogue,
    Table,
    Thrown,
    Variation,
    play_out,
    replay,
    stage_engagement,
)


@pytest.fixture
def catalogue():
    return null_catalogue()


@pytest.fixture
def table(catalogue):
    return Table(stage_engagement(catalogue, "null", ENGAGEMENT), 4)


def test_a_scripted_mission_from_request_to_effect(table):
    # In the first moment the side asks, reaches the battery on a 3, and is accurate on a 1. In the
    # second it reaches the battery on a 4 and converts; two units roll 1 and 6.
    play_out(table, ScriptedFaces([3, 1, 4, 1, 6, 1, 1]))
    kinds = [entry.event.kind for entry in table.log if entry.event.kind != "modifier"]
    assert kinds == [
        "requested",
        "reached",
        "spotting",
        "reached",
        "fall",
        "suffered",
        "fall",
        "ended",
    ]
    assert table.over


def test_a_refused_order_changes_nothing(table):
    before, journal = table.state, table.journal
    for order in (Order.of("launch"), Order.of("ask", at=1)):
        answer = table.submit(Answered("requests.ask", order))
        assert isinstance(answer, Refusal)
        assert answer.cite == "N1"
    assert (table.state, table.journal) == (before, journal)


def test_wrong_dice_change_nothing(table):
    table.submit(Answered("requests.ask", Order.of("ask")))
    before = table.state
    for faces in ((7,), (1, 2), (), ("x",), (2.0,), (True,), ("2",)):
        with pytest.raises(ChanceError):
            table.submit(Thrown("reach", faces))
    with pytest.raises(ProcedureError, match="is not waiting"):
        table.submit(Thrown("accuracy", (1,)))
    with pytest.raises(ProcedureError, match="is not waiting"):
        table.submit(Answered("requests.ask", Order.of("ask")))
    assert table.state == before


def test_replay_under_changed_rules_names_what_no_longer_fits(table):
    play_out(table, RandomFaces(2))
    assert replay(table.scenario, 4, table.journal).state == table.state
    with pytest.raises((ProcedureError, ChanceError)):
        replay(table.scenario, 4, table.journal[1:])


def test_the_side_is_asked_the_question(table):
    assert isinstance(table.waits_for, Ask)
    assert (table.waits_for.who, table.waits_for.question) == ("firer", "requests.ask")


# --- house rules ---------------------------------------------------------------------------------


class NightFire:
    """A house rule for any game: no fire is released, and the battery is reached with a modifier."""

    @hookimpl
    def fireplan_variants(self):
        def wrap(step):
            def run(chance, view, *args):
                return Effects(emit("too_dark", "N1"))

            return StepDef(step.name, "N1", run, "night")

        return {"requests.aim": wrap}

    @hookimpl
    def fireplan_modifiers(self):
        return (Modifier("delays.reach", "N2", "night", lambda view, m: -1),)


def test_a_house_rule_wraps_a_step_and_adds_a_modifier(catalogue):
    scenario = stage_engagement(catalogue, "null", ENGAGEMENT, Variation(rules=(NightFire(),)))
    log = play_out(Table(scenario, 4), RandomFaces(1)).log
    kinds = {entry.event.kind for entry in log}
    assert "spotting" not in kinds
    assert {"too_dark", "modifier"} <= kinds


def test_a_house_rule_for_a_step_nobody_has_is_an_error(catalogue):
    class Lost:
        @hookimpl
        def fireplan_variants(self):
            return {"requests.fly": lambda step: step}

    with pytest.raises(ProcedureError, match=r"requests\.fly"):
        stage_engagement(catalogue, "null", ENGAGEMENT, Variation(rules=(Lost(),)))


def test_a_house_rule_must_make_a_step_of_a_step(catalogue):
    class Gone:
        @hookimpl
        def fireplan_variants(self):
            return {"requests.aim": lambda step: None}

    with pytest.raises(ProcedureError, match=r"replaces 'requests.aim' by None, not a StepDef"):
        stage_engagement(catalogue, "null", ENGAGEMENT, Variation(rules=(Gone(),)))


# --- admission -----------------------------------------------------------------------------------


def test_a_misspelt_hook_is_refused():
    @hookimpl
    def fireplan_obsevers(options, charts):
        return None

    with pytest.raises(pluggy.PluginValidationError, match="fireplan_obsevers"):
        Catalogue().admit(plugin_with(fireplan_obsevers=fireplan_obsevers))


def test_a_hook_argument_with_a_default_is_refused():
    @hookimpl
    def fireplan_areas(options, charts={}):  # noqa: B006 - the fault under test
        return null_game.NullAreas("null", options, charts)

    with pytest.raises(Exception, match="default"):
        Catalogue().admit(plugin_with(fireplan_areas=fireplan_areas))


def test_missing_hooks_are_named():
    bare = attrs.evolve(null_game.fireplan_game(), parts=None)
    hooks = "fireplan_areas, fireplan_delays, fireplan_observers, fireplan_requests"
    with pytest.raises(ProcedureError, match=f"neither Game.parts nor the hooks {hooks}"):
        Catalogue().admit(plugin_with(fireplan_game=hookimpl(lambda: bare)))


def test_a_key_that_is_taken_is_refused(catalogue):
    with pytest.raises(Exception, match="already"):
        catalogue.admit(plugin_with())


def test_a_part_of_the_wrong_kind_is_named():
    @hookimpl
    def fireplan_areas(options, charts):
        return 42

    bent = Catalogue()
    bent.admit(plugin_with(fireplan_areas=fireplan_areas))
    with pytest.raises(Exception, match="null: areas: <class 'int'> is not a subclass of Areas"):
        stage_engagement(bent, "null", ENGAGEMENT)


def test_a_plugin_that_raises_on_import_leaves_the_others_working(catalogue):
    class Broken:
        name = "broken"
        dist = None

        def load(self):
            raise ImportError("no such thing")

    catalogue.load(Broken())
    (problem,) = catalogue.problems
    assert "no such thing" in problem.reason
    assert stage_engagement(catalogue, "null", ENGAGEMENT)


def test_a_plugin_that_leaves_on_import_is_a_problem_too(catalogue):
    class Leaving:
        name = "leaving"
        dist = None

        def load(self):
            raise SystemExit("needs a newer Python")

    catalogue.load(Leaving())
    (problem,) = catalogue.problems
    assert problem.reason == "SystemExit: needs a newer Python"


@pytest.mark.parametrize("slot", ["verb", "cls", "self"])
def test_a_slot_may_be_called_anything(slot):
    assert Order.of("call", **{slot: 3})[slot] == 3


@pytest.mark.parametrize("slot", ["verb", "cls", "self"])
def test_an_unknown_slot_is_refused_whatever_its_name(table, slot):
    table.submit(Answered("requests.ask", Order.of("ask")))
    table.submit(Thrown("reach", (5,)))
    ask = table.waits_for
    forms = table.rulebook.question(ask).offers(table.rulebook.view(ask, table.read), *ask.args)
    order = OrderReader(table.scenario).read(f"convert {slot}=3", forms)
    refusal = table.submit(Answered(ask.question, order))
    assert isinstance(refusal, Refusal)
    assert f"'convert' takes nothing, not {slot}" in refusal.why
