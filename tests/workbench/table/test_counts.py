"""The arithmetic of a roll: the number needed, the modifiers and the total are each shown once."""

from fractions import Fraction

import pytest

from fireplan.table import Session, Viewer, forecast
from fireplan.table.forecasts import modifiers_of
from fireplan.table.throw_counts import ThrowCount, count_of
from fireplan_core import Ask, Order
from fireplan_core.play import Catalogue, load_scenario, shipped_scenarios


def opened(name):
    catalogue = Catalogue.installed()
    scenario, form = load_scenario(catalogue, shipped_scenarios(catalogue)[name])
    return Session(scenario, form.moments)


def given(session, *inputs):
    """Give orders as text, and dice as tuples."""
    for each in inputs:
        if isinstance(each, tuple):
            session.throw([(face, True) for face in each])
        else:
            viewer = Viewer(session, session.table.waits_for.who)
            assert viewer.give(viewer.read_order(each)) is None
    return session


@pytest.fixture
def maintenance():
    """Return a table with Radio Contact and a Spotting Round, where the Maintenance roll is due."""
    return given(
        opened("asl/village"), "call", "roll", (2, 1), ("black",), "place K5", (2,), "roll"
    )


def test_c1_22_maintenance_shows_its_modifier_once(maintenance):
    """Contact needs 8 or less after -2 (C1.22), so 10 or less on the dice; 12 breaks the radio."""
    form = Viewer(maintenance, "german").form()
    assert form.modifiers == ("-2 Contact already established (C1.22)",)
    assert [each.reached for each in form.prospects] == [
        "10 or less (total 8 or less)",
        "11 (total 9)",
        "12",
    ]
    given(maintenance, (4, 5))
    viewer = Viewer(maintenance, "german")
    assert viewer.fell() == (
        "roll for Maintenance, 4 + 5 - 2 (Contact already established) = 7: The Observer has Radio Contact"
    )
    assert (
        viewer.fell(whole=False)
        == "roll for Maintenance, 4 + 5 - 2 (Contact already established) = 7"
    )
    lines = [line for line in viewer.known.lines if line.kind in ("roll", "modifier")]
    assert lines[-1].text == (
        "roll for Maintenance: coloured 4, white 5, -2 Contact already established (C1.22); 7 in all"
    )


def test_a_roll_without_effect_says_so_in_the_log():
    """An 11 plus 3 for the building is 14, which the IFT leaves blank; a single die is its own
    total.
    """
    session = given(opened("asl/village"), "call", "roll", (2, 1), ("black",), "place K5", (2,))
    given(session, "roll", (4, 5), "convert", "concentration", (6, 5))
    lines = [line.text for line in Viewer(session, "russian").known.lines if line.kind == "roll"]
    assert (
        lines[-1] == "roll for the IFT: coloured 6, white 5, +3 TEM (C1.52); 14 in all: no effect"
    )
    assert lines[1] == "draw for Battery Access: black"
    assert lines[2] == "roll for Accuracy: white 2"


def test_every_throw_counts_as_the_rules_compare_it():
    """Over a whole mission, each roll's total is the one that its result requires."""
    session = opened("red_poppies/cut_wires")
    differences = {}
    while (waits := session.table.waits_for) is not None:
        if isinstance(waits, Ask):
            session.order(session.table.rulebook.answer(waits, {}, session.table.read))
            continue
        if waits.name == "initiative":
            differences = {each.what: each.reached for each in forecast(session.table)}
        assert not modifiers_of(forecast(session.table))
        faces = tuple(die.weights[-1][0] for die in waits.faces)
        assert count_of(session.table, faces).modifiers == ()
        session.throw([(face, True) for face in faces])
    assert differences["The French win the initiative: 1 command couplet"] == (
        "die of the French higher by 1"
    )
    tie = "die of the Germans higher by 3 or both the same"
    assert differences["The Germans win the initiative: 3 command couplets"] == tie
    assert differences["The French win the initiative: 5 command couplets"] == (
        "die of the French 6, die of the Germans 1"
    )


def test_c1_55_a_roll_against_a_squad_and_a_tank_shows_the_effect_on_both():
    """In K4 the foxhole adds 4 to an 8 and Air Bursts take 1 off: an 11 on 16 FP is a PTC.

    A coloured die below the white one hits the turret, and Shocks instead of immobilising.
    """
    session = given(opened("asl/village"), "call", "roll", (2, 1), ("black",), "place K5", (2,))
    given(session, "roll", (4, 5), "convert", "concentration", (6, 5))
    told = {each.reached: each.what for each in Viewer(session, "german").form().prospects}
    assert told == {
        "2": "a Critical Hit",
        "3 (total 6, not for vehicles)": "The tank is destroyed; the 2nd squad takes a 2MC",
        "coloured 1, white 3": "The tank is Shocked; the 2nd squad takes a 2MC",
        "coloured 2, white 2 or coloured 3, white 1": (
            "The tank is immobilised; the 2nd squad takes a 2MC"
        ),
        "coloured 2, white 3 or coloured 1, white 4": (
            "The tank is Shocked; the 2nd squad takes a 1MC"
        ),
        "coloured 3, white 2 or coloured 4, white 1": (
            "The tank is immobilised; the 2nd squad takes a 1MC"
        ),
        "6 (total 9, not for vehicles)": "No effect on the tank; the 2nd squad takes a 1MC",
        "7 (total 10, not for vehicles)": "No effect on the tank; the 2nd squad takes an NMC",
        "8 (total 11, not for vehicles)": "No effect on the tank; the 2nd squad takes a PTC",
        "9 or more (total 12 or more, not for vehicles)": "No effect on the tank",
    }
    # The squad breaks; the next FFE cannot pin it, so an 8 has no effect.
    given(session, (1, 1), (3, 5), (3, 3), (5, 1), (3, 1), "roll", (3, 1), "leave", (6, 5))
    told = {each.reached: each.what for each in Viewer(session, "german").form().prospects}
    assert told["7 (total 10)"] == "the 2nd squad takes an NMC"
    assert told["8 or more (total 11 or more)"] == "no effect"


@pytest.mark.parametrize(("check", "state"), [((5, 6), "broken"), ((3, 2), "pinned")])
def test_c1_5_a_squad_is_shown_as_pinned_or_as_broken(check, state):
    """In a 2MC a morale of 7 fails with 11 and is just met with 5, so the results are broken and
    pinned.
    """
    session = given(opened("asl/village"), "call", "roll", (2, 1), ("black",), "place K5", (2,))
    given(session, "roll", (4, 5), "convert", "concentration", (6, 5), (1, 2), check)
    units = {unit.name: unit for unit in Viewer(session, "german").situation().units}
    assert units["2nd squad"].severity == state


def test_a_draw_for_a_side_names_it():
    """Each side draws chits from its own cup, so the prompt names the side."""
    pytest.importorskip("fireplan_battlegroup_clash", reason="it is in requirements-games.txt")
    session = given(opened("battlegroup_clash/causeway"), "keep")
    assert Viewer(session, "NATO").form().question == "Russia"


def test_orders_have_no_count():
    session = opened("asl/village")
    session.order(Order.of("call"))
    assert Viewer(session, "german").fell() == ""


def test_a_draw_is_called_a_draw_and_chits_have_names():
    """A black chit gives Battery Access, a red one does not (C1.21); the pile has 8 black and 3 red."""
    session = given(opened("asl/village"), "call", "roll", (2, 1))
    viewer = Viewer(session, "german")
    assert [str(each.reached) for each in viewer.form().prospects] == ["black", "red"]
    assert [each.chance for each in viewer.form().prospects] == [Fraction(8, 11), Fraction(3, 11)]
    assert viewer.words.action(session.throw_due) == "draw for Battery Access"
    given(session, ("black",))
    assert Viewer(session, "german").fell() == "drew black: The Observer has Battery Access"


def test_numbers_of_chits_are_not_sums():
    """Of seven chits, four (1, 2, 4 and 7) are of no use to artillery: 4/7 (23, 25)."""
    pytest.importorskip("fireplan_battlegroup_clash", reason="it is in requirements-games.txt")
    session = given(opened("battlegroup_clash/causeway"), "keep")
    viewer = Viewer(session, "NATO")
    assert viewer.words.action(session.throw_due) == "draw a chit"
    useless, *_ = forecast(session.table)
    assert (useless.reached, useless.chance) == ("1, 2, 4 or 7", Fraction(4, 7))


def test_dice_that_are_not_added_are_shown_separately():
    """A Critical Hit is an Original 2 (C1.53), not a total that the terrain makes 2."""
    session = given(opened("asl/village"), "call", "roll", (2, 1), ("black",), "place K5", (2,))
    given(session, "roll", (4, 5), "convert", "concentration", (6, 5), (1, 1))
    assert Viewer(session, "german").fell() == "roll for the IFT, 1 and 1: a Critical Hit"


def test_a_sum_is_shown_though_modifiers_change_the_number_to_reach():
    """An observed miss lowers the number to reach to 10 (rule 10), but the dice are 6 + 2 = 8."""
    pytest.importorskip("fireplan_battletech", reason="it is in requirements-games.txt")
    session = opened("battletech/ranging_in")
    for _ in range(4):
        given(session, "fire 1617")
    given(session, (4, 5), (3,), "fire 1617", (6, 2))
    viewer = Viewer(session, "firer")
    assert viewer.fell().startswith("roll for the shell due this turn, 6 + 2 = 8 against 10: ")
    assert not any(
        "Known(" in text for asset in viewer.situation().assets for text in asset.details
    )


def test_c1_5_the_number_of_a_morale_check_is_among_its_modifiers():
    """A 2MC of Morale 7 breaks the squad on 6 or more: 6 + 2 is 8 (C1.5)."""
    session = given(opened("asl/village"), "call", "roll", (2, 1), ("black",), "place K5", (2,))
    given(session, "roll", (4, 5), "convert", "concentration", (1, 3))
    form = Viewer(session, "german").form()
    assert form.roll == "the Morale Check"
    assert form.modifiers[0] == "+2 DRM of the MC (C1.5)"
    given(session, (3, 1))
    assert Viewer(session, "german").fell() == (
        "roll for the Morale Check (the 1st squad), 3 + 1 + 2 (DRM of the MC) = 6: the check is passed"
    )


def shelled(*dice):
    """Return the village after the Fire Mission's attacks with these dice."""
    session = given(opened("asl/village"), "call", "roll", (2, 1), ("black",), "place K5", (2,))
    return given(session, "roll", (4, 5), "convert", "concentration", (6, 5), *dice)


def test_c1_5_a_dr_on_squad_and_tank_shows_the_squads_total_and_both_results():
    """5 + 2 + 4 (TEM) - 1 (Air Bursts) is 10: an NMC on 16 FP; the Original 7 does not hurt the tank (C1.55)."""
    table = shelled()
    prospects = {each.what: each.reached for each in Viewer(table, "german").form().prospects}
    assert prospects["No effect on the tank; the 2nd squad takes an NMC"] == (
        "7 (total 10, not for vehicles)"
    )
    given(table, (5, 2))
    viewer = Viewer(table, "german")
    assert viewer.fell(whole=False) == (
        "roll for the IFT, 5 + 2 + 4 (TEM, not for vehicles) - 1 (Air Bursts, not for vehicles) = 10: "
        "No effect on the tank; "
        "the 2nd squad takes an NMC"
    )
    assert viewer.known.lines[-1].text == "No effect on the tank"


def test_c1_55_the_drs_effect_on_the_tank_precedes_the_squads_check():
    """On a hull hit (coloured 3, white 1) a DR of 4 equals the K/# of 16 FP and immobilises
    (C1.55).
    """
    viewer = Viewer(shelled((3, 1)), "german")
    assert viewer.known.lines[-1].text == "The tank is immobilised"
    assert viewer.form().roll == "the Morale Check"
    (tank,) = (unit for unit in viewer.situation().units if unit.name == "tank")
    assert (tank.severity, tank.details) == ("immobilised", ())


def test_c1_53_a_critical_hit_on_one_unit_shows_the_normal_attack_on_the_other():
    """The squad takes the normal attack with an Original DR of 2: 5 on 16 FP, a 3MC (C1.53)."""
    viewer = Viewer(shelled((1, 1), (3, 5)), "german")
    assert viewer.fell(whole=False).endswith(
        ": Critical Hit on the tank; the 2nd squad takes a 3MC"
    )
    assert [line.text for line in viewer.known.lines[-2:]] == [
        "Critical Hit on the tank",
        "The tank becomes a burning wreck",
    ]


def test_c1_53_effects_of_a_critical_hit_are_listed_once_with_the_hit_first():
    """The normal attack (Final 2) burns the tank too (C1.55), and a 6KIA leaves nobody of the one
    squad.
    """
    form = Viewer(shelled(), "german").form()
    assert [each.what for each in form.prospects][:2] == [
        "a Critical Hit",
        "The tank is destroyed; the 2nd squad takes a 2MC",
    ]
    form = Viewer(shelled((1, 1)), "german").form()
    assert form.certain == "The tank becomes a burning wreck"
    assert form.prospects[0].what == "Critical Hit on the 2nd squad; the 2nd squad is eliminated"


def barraged():
    """Return the crossroads where the volley of an 8-factor barrage is due."""
    pytest.importorskip("fireplan_wacht_am_rhein")
    fire = 'barrage at=3030 observer=I-110 fire="109-FA":4+"687-FA":4'
    return given(opened("wacht_am_rhein/crossroads"), "barrage", fire, (7,))


def test_12_3_1_a_volley_is_counted_with_its_modifier():
    """Two steps in the hex take 1 off the die (12.3.1): a 9 counts as 8."""
    session = barraged()
    best, *_ = Viewer(session, "US").form().prospects
    assert best.reached == "7 or more (total 6 or more)"
    given(session, (9,))
    assert Viewer(session, "US").fell(whole=False) == (
        "roll for the volleys (US), 9 - 1 (number of steps in the target hex) = 8"
    )


def test_12_4_1_a_loss_a_retreat_and_a_marker_are_one_line_and_equal_orders_say_so():
    session = given(barraged(), (9,))
    orders = [order.words for order in Viewer(session, "GE").form().choices]
    assert "Lose 1 step (I-77) and retreat to 2931" in orders
    assert "Retreat to 2931 and lose 1 step (I-77): here the same result" in orders
    given(session, "losses_then_retreat units=I-77 to=2931")
    told = [line.text for line in Viewer(session, "GE").known.lines if "I-77" in line.text][-1:]
    assert told == [
        (
            "I-77 loses a step, retreats to 2931 and takes 1 Artillery Shift marker for the retreat"
            " (one column in favour of whoever assaults it next)"
        )
    ]


def test_a_die_that_subtracts_is_written_with_a_minus():
    assert str(ThrowCount((2, 1, -4), (), -1)) == "2 + 1 - 4 = -1"
