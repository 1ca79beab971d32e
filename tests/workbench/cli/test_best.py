"""``fireplan best`` at the command line: studies, JSON, the frontier, and every fault at once with
status 2.
"""

from __future__ import annotations

import json
import re
from fractions import Fraction
from xml.etree import ElementTree as ET

import attrs
import pytest

import fireplan as fp
from fireplan.questions import best_answer as answers
from fireplan.questions.best_answer import _share, distance_from_best, figure_text
from fireplan.solver import Estimate, TooLargeError
from fireplan.solver import best as solving
from fireplan.solver.best import MEASURES, bounds, trials

CHITS = (
    "best",
    "miniatures_1943/chits_in_hand",
    "--for",
    "moments_under_fire",
    "--only",
    "request",
)


@pytest.mark.full
def test_the_study_of_chits_gives_value_regret_and_a_rule(run):
    status, out, err = run(*CHITS, "--why")
    assert (status, err) == (0, "")  # the answer is exact, so no note about sampling is printed
    figures = {
        line.split("  ")[1].strip(): line for line in out.splitlines() if line.startswith("  ")
    }
    assert figures["optimum"].split()[-1] == "3"
    assert figures["standard doctrine"].split()[-1] == "1"
    assert "Always: place chits in the Request box (barrages 1)" in out
    assert "narrowed by --only" in out


def test_no_figure_is_in_scientific_notation():
    assert [figure_text(Fraction(1, n)) for n in (3, 1_200_000, -1_200_000)] == [
        "0.3333",
        "<0.0001",
        "<0.0001",
    ]
    assert [figure_text(n) for n in (Fraction(0), 1.5, 123_456.75)] == ["0", "1.5", "123456.75"]
    assert [_share(Fraction(part), Fraction(3)) for part in (1, 0, 7)] == [
        " (33.3 %)",
        "",
        " (233.3 %)",
    ]
    assert _share(Fraction(1, 10_000_000), Fraction(3)) == " (<0.1 %)"


def test_json_is_exact_and_holds_the_whole_policy(run):
    status, out, _ = run("best", "red_poppies/cut_wires", "--for", "hit", "--only", "command",
                         "--moments", "3", "--json")  # fmt: skip
    assert status == 0
    found = json.loads(out)
    assert Fraction(found["value"]) > Fraction(found["standard"]) == 0
    assert Fraction(found["regret"]) == Fraction(found["value"]) - Fraction(found["standard"])
    assert found["optimal"] is True
    assert found["weighed"] == {"delays.command": []}
    assert all(entry["best"] for entry in found["policy"])
    (thumb,) = found["rules"]
    assert [rule["order"] for rule in thumb["rules"]] == ["cancel", "call by telephone"]


@pytest.mark.full
def test_the_asl_study_corrects_and_uses_only_weighed_orders(run):
    orders = "fire=leave, correct_convert at=target, correct at=target, convert, cancel"
    status, out, _ = run(
        "best",
        "--game",
        "asl",
        "--for",
        "falls",
        "--moments",
        "4",
        "--only",
        orders,
        "--why",
    )
    assert status == 0
    assert "What shall the battery do?" in out
    assert "correct_convert at=target" in out


@pytest.mark.full
def test_wacht_am_rhein_study_divides_its_factors(run):
    status, out, _ = run("best", "wacht_am_rhein/dividing_fire", "--for", "reduced", "--moments", "1",
                         "--only", "declare", "--only", "barrage", "--also", "barrage.fire=107-FA:2", "--why")  # fmt: skip
    assert status == 0
    assert "in all" in out
    assert "1 further value of fire" in out


def test_a_frontier_is_printed_and_drawn(run, tmp_path):
    picture = tmp_path / "frontier.svg"
    status, out, _ = run(*CHITS, "--frontier", "exhausted", "--picture", str(picture))
    assert status == 0
    assert "frontier: moments under fire against asset spent" in out
    root = ET.fromstring(picture.read_text(encoding="utf-8"))
    corners = root.findall(".//{http://www.w3.org/2000/svg}path[@transform]")
    assert len(corners) > 1
    assert f"Picture: {picture}" in out


def test_every_fault_is_reported_at_once_with_a_suggestion(run):
    status, out, err = run(
        "best", "miniatures_1943/chits_in_hand", "--for", "fals", "--moments", "0", "--side", "americans",
        "--only", "requests.reqest=place x", "--also", "at=3", "--belief", "marker=often mark", "--picture", "x.svg",
    )  # fmt: skip
    assert status == 2
    assert not out
    assert len(err.splitlines()) == 8
    for hint in ("'falls'", "1 to 1000", "'american'", "'requests.request'", "QUESTION.SLOT=VALUE", "WEIGHT ORDER",
                 "SLOT=VALUE", "--frontier"):  # fmt: skip
        assert hint in err


def test_an_unknown_scenario_goal_or_order_is_status_2(run):
    status, _, err = run("best", "miniatures_1943/chits_in_hnd", "--for", "hit")
    assert status == 2
    assert "Did you mean 'miniatures_1943/chits_in_hand'" in err
    status, _, err = run(*CHITS[:-1], "request=plac")
    assert status == 2
    assert "Did you mean 'place'" in err


def test_without_a_goal_the_usual_one_is_taken_and_all_are_named(run):
    status, out, _ = run(
        "best", "wacht_am_rhein/dividing_fire", "--moments", "1", "--only", "declare"
    )
    assert status == 0
    told = " ".join(out.split())
    assert (
        "No goal was named: reduced is the usual one here. Available: delivered, on_target, hit"
        in told
    )
    assert "goal: reduced or worse (Mean share of the target" in told


def test_the_result_comes_first_even_without_a_goal(run):
    asked = ("best", "wacht_am_rhein/dividing_fire", "--moments", "1", "--only", "declare")
    status, out, _ = run(*asked)
    assert status == 0
    assert out.startswith("Give the standard orders: nothing is better.\n\nThe best there is: ")
    assert " ".join(out.split()).endswith("own_troops_under_fire, exhausted.")


@pytest.mark.full
def test_advice_names_the_usual_order_that_another_verb_is_better_than(wires):
    process = wires.process
    change = trials.DoctrineChange((("delays.command", "cancel"),))
    found = attrs.evolve(wires, found=attrs.evolve(wires.found, change=change))
    assert {("delays.command", "other"), ("delays.command", "pass")} == process.compiler.usual
    (advice,) = answers._advice(found)
    assert advice.endswith(
        " Always cancel instead of other or pass: 46.4 % instead of 0 % by the standard orders (delivered)."
    )


def test_advice_from_samples_comes_first_and_says_so(wires):
    usual, better = Estimate(0.2, 0.03), Estimate(0.3, 0.03)
    change = trials.DoctrineChange((("delays.command", "cancel"),))
    for best, plays, said in (
        (None, 60, "Give the standard orders: nothing better was found (sampled)."),
        (
            None,
            5,
            "only 5 plays could be sampled, too few to compare orders. Allow more seconds.",
        ),
        (
            change,
            60,
            "30.0 % instead of 20.0 % by the standard orders (delivered), give or take 2 (sampled).",
        ),
    ):
        trial = trials.PolicyTrial(usual, best, better, Estimate(0.1, 0.02), plays)
        sampled = bounds.Bounded(wires.found.goal, None, None, Fraction(1, 2), trial=trial)
        first = answers.lines(attrs.evolve(wires, found=sampled, thumbs=()))[0]
        assert first.endswith(said)


def test_an_order_that_never_comes_up_is_reported(run):
    status, out, _ = run(*CHITS[:-1], "request=place, plac", "--why")
    assert status == 0
    assert "plac (never possible)" in out


def test_help_lists_the_goals(run):
    status, out, _ = run("best", "--help")
    assert status == 0
    for word in (
        "--for",
        "--only",
        "--also",
        "--belief",
        "--frontier",
        "--moments",
        "--side",
        "--json",
        "--seconds",
        "--card",
    ):
        assert word in out


WIRES = ("best", "red_poppies/cut_wires", "--for", "delivered")
CALL = "call a group by telephone and place its cross hair"


@pytest.mark.full
def test_a_player_reads_the_advice_then_at_most_five_rules_then_the_gap(run):
    """Each rule's value is what leaving it out costs; together the rules fall short of the full
    answer.
    """
    status, out, err = run(*WIRES)
    assert status == 0, err
    advice, *others = out.splitlines()
    assert advice == (
        "Above all call a group by telephone and place its cross hair:"
        " 46.4 % instead of 0 % by the standard orders (delivered)."
    )
    near = next(number for number, line in enumerate(others) if line.startswith("The best"))
    rules = [line for line in others[:near] if line.startswith("    ")]
    assert 0 < len(rules) <= 5
    assert f"    4 turns to go: {CALL}  (worth 46.4 points)" in rules
    assert "lose nothing" in others[near - 2]
    assert "weighed:" not in out
    assert "weighed (" not in out
    _, out, _ = run(*WIRES, "--json")
    told = json.loads(out)
    assert told["rules_of_thumb_loss"] == "0"
    worth = [Fraction(rule["worth"]) for each in told["rules_of_thumb"] for rule in each["rules"]]
    assert max(worth) == Fraction(told["value"])  # without the call fire is never delivered
    assert all(0 < each <= Fraction(told["value"]) for each in worth)


def test_where_nothing_is_better_the_standard_orders_are_the_advice(run):
    status, out, _ = run("best", "red_poppies/bloody_repulse", "--for", "hit")
    assert status == 0
    advice = "Give the standard orders: they are certain of this. Ask for more: --for falls or --for destroyed."
    assert out.startswith(f"{advice}\n\nThe best there is: a chance of 100 %")
    pytest.importorskip("fireplan_battletech")
    _, out, _ = run("best", "battletech/ranging_in", "--for", "falls")
    assert out.startswith("Give the standard orders: nothing is better.\n\nThe best there is: ")


def test_an_answer_names_the_options_of_its_command(run):
    """The goal is ``--for`` at the command line, and ``goal`` in Python."""
    _, out, _ = run("best", "wacht_am_rhein/crossroads", "--for", "destroyed")
    assert out.startswith("No orders can achieve this here: ask for something else with --for.")


def test_rules_of_thumb_are_in_the_words_of_the_game(run):
    """Orders and conditions read as at the table: 12.1 for the barrage, 12.6 for depletion."""
    _, out, _ = run("best", "wacht_am_rhein/dividing_fire", "--why")
    assert out.startswith("Above all barrage 3130 with 12 in all: 85.7 % instead of 73.3 %")
    assert "687-FA Ammo Depleted and I-77 with 1 step: barrage 3130 with 8 in all" in out
    assert "Not observed: barrage the target with 8 in all" in out
    assert "None Ammo Depleted and none fired in this segment and II-77 in 3130: barrage" in out


def test_the_coordinates_of_a_vertex_are_never_added_up(run):
    """Only a list of units, each with its factors, has a total (``12 in all``)."""
    wires = ("best", "red_poppies/cut_wires", "--for", "destroyed", "--moments", "2", "--why")
    _, out, _ = run(*wires)
    assert "place the group's cross hair at the target" in out
    assert re.search(r"place the group's cross hair at \w{4}/\w{4}/\w{4};", out)
    assert "in all" not in out


@pytest.mark.full
def test_the_answer_states_its_gap_to_the_best(run, monkeypatch):
    status, out, err = run(*WIRES)
    assert status == 0, err
    exact = re.search(
        r"The best there is: a chance of ([\d.]+) %; no orders give more \(exact\)\.\n", out
    )
    _, told, _ = run(*WIRES, "--json")
    assert out.startswith(f"Above all {CALL}: 46.4 % instead of 0 %")
    assert float(exact[1]) == round(float(Fraction(json.loads(told)["value"])) * 100, 1)
    monkeypatch.setattr(bounds, "TRIED_STATES", 40)
    status, out, err = run(*WIRES, "--why")
    assert status == 0, err
    figures = re.search(
        r"No orders can give a chance of more than ([\d.]+) % here; these orders give ([\d.]+) %: "
        r"at most ([\d.]+) percentage points short of the best\.\n",
        out,
    )
    assert "no policy betters" in out
    assert "too large" in out
    status, out, err = run(*WIRES, "--json")
    found = json.loads(out)
    assert found["optimal"] is False
    assert Fraction(found["bound"]) - Fraction(found["value"]) == Fraction(found["gap"]) > 0
    exact = [Fraction(found[name]) for name in ("bound", "value", "gap")]
    assert list(map(float, figures.groups())) == [round(float(share) * 100, 1) for share in exact]


@pytest.fixture(scope="module")
def wires():
    return fp.best("red_poppies/cut_wires", "delivered").found


def nobody(most, these, near):
    return f"No orders can give {most} here; these orders give {these}: {near} the best."


@pytest.mark.parametrize(
    ("goal", "earned", "bound", "told"),
    [
        ("falls", "3.9907", "12", nobody("more than 12 falls on target", "4.0 on average", "at most 8.0 short of")),
        ("falls", "0.97", "1", nobody("more than 1 fall on target", "1.0 on average", "less than 0.1 short of")),
        (
            "moments_under_fire", "3", "3",
            "The best there is: 3 turns under fire on average; no orders give more (exact).",
        ),
        ("strikes", "0.5", "7.4", nobody("more than 7.4 strikes", "0.5 on average", "at most 6.9 short of")),
        (  # four turns of ten minutes: the turns saved count as gain
            "minutes_to_first_effect", "10.5", "20",
            nobody("less than 20 min to the first effect", "29.5 on average", "at most 9.5 above"),
        ),
        (
            "reduced", "0.25", "0.503",
            nobody("more than 50.3 % of the target reduced or worse", "25.0 % on average",
                   "at most 25.3 percentage points short of"),
        ),
        (  # a loss counts as a negative gain
            "exhausted", "-0.9999", "-0.5",
            nobody("a chance of less than 50.0 %", ">99.9 %", "at most 50.0 percentage points above"),
        ),
        ("own_troops_under_fire", "0", "0", "The best there is: a chance of 0 %; no orders give less (exact)."),
        ("delivered", "0.5", None, "No bound was found: how far this is from the best is not known."),
    ],
)  # fmt: skip
def test_the_gap_is_stated_in_the_unit_of_the_goal(wires, goal, earned, bound, told):
    reached, most = (text and Fraction(text) for text in (earned, bound))
    made = MEASURES[goal].make(wires.process.scenario, "french")
    found = attrs.evolve(
        wires, goal=MEASURES[goal], found=bounds.Bounded(made, None, reached, most)
    )
    assert distance_from_best(found) == told


def test_the_gap_of_a_sample_is_stated_with_its_error(wires):
    usual = Estimate(0.2, 0.031)
    sampled = trials.PolicyTrial(usual, None, usual, Estimate(0.0, 0.0), 60)
    found = attrs.evolve(
        wires, found=bounds.Bounded(wires.found.goal, None, None, Fraction(1, 2), trial=sampled)
    )
    assert distance_from_best(found) == (
        "No orders can give a chance of more than 50.0 % here; these orders give 20.0 %: "
        "at most 30 percentage points short of the best, give or take 3.1 (sampled)."
    )


@pytest.mark.full
def test_command_line_json_and_python_give_the_same_answer(run):
    _, out, _ = run(*WIRES, "--json")
    told, asked = json.loads(out), fp.best("red_poppies/cut_wires", "delivered")
    assert told == json.loads(json.dumps(asked.to_dict()))
    found = asked.found
    assert (found.value, found.bound, found.gap) == (
        Fraction(told["value"]),
        Fraction(told["bound"]),
        0,
    )


def test_if_standard_orders_are_best_the_card_says_only_that(run):
    status, out, err = run("best", "red_poppies/bloody_repulse", "--for", "hit", "--card")
    assert (status, err) == (0, "")
    assert "give the standard orders throughout" in out
    assert "loses 0" in out.splitlines()[-2]
    assert len(out.splitlines()) <= 8


def test_a_card_has_at_most_eight_lines_and_states_its_loss(run):
    status, out, err = run(*WIRES[:-1], "hit", "--card")
    assert status == 0, err
    advice, title, *lines, loss, head = out.splitlines()
    assert "instead of 0 % by the standard orders" in advice
    assert head.startswith("The best")
    assert "Target hit" in title
    assert 0 < len(lines) <= 8
    assert "loses 0" in loss


@pytest.mark.full
def test_a_time_limit_can_be_given(run):
    status, out, err = run(*WIRES, "--seconds", "86400")
    assert status == 0, err
    assert "The best" in out
    status, _, err = run(*WIRES, "--seconds", "0")
    assert status == 2
    assert "1 to 86,400" in err


@pytest.mark.full
def test_orders_too_large_to_follow_are_sampled_with_a_note(run, monkeypatch):
    def too_large(*_args, **_named):
        raise TooLargeError("more than 1 states", 2)

    monkeypatch.setattr(bounds, "values_of", too_large)
    monkeypatch.setattr(bounds, "policy_values", too_large)
    monkeypatch.setattr(trials, "SCREENED", 20)
    monkeypatch.setattr(trials, "CONFIRMED", 60)
    study = (*WIRES[:-1], "hit")
    status, out, err = run(*study)
    assert status == 0, err
    assert "(sampled)" in out
    assert "±" not in out
    _, out, _ = run(*study, "--why")
    assert "±" in out
    status, out, _ = run(*study, "--json")
    found = json.loads(out)
    assert found["exact"] is False
    assert set(found["value"]) == {"mean", "error"}
    assert Fraction(found["bound"]) <= 1


def test_an_unreachable_goal_is_reported_as_such(wires):
    nothing = bounds.Bounded(wires.found.goal, Fraction(0), Fraction(0), Fraction(0))
    first = answers.lines(attrs.evolve(wires, found=nothing, thumbs=()))[0]
    assert first == "No orders can achieve this here: ask for something else with goal."


def test_rules_whose_value_is_unknown_are_marked(wires):
    """The value of each rule is left out, and none is called the most important, if time ran out."""
    rules = [solving.DecisionRule((), order, (), 3) for order in ("hold", "call by telephone")]
    decision = solving.DecisionRules("requests.cross_hair", tuple(rules), 6, 0, 0, standard=False)
    found = attrs.evolve(wires.found, change=None)
    told = answers.lines(attrs.evolve(wires, found=found, thumbs=(decision,), thumbs_loss=None))
    assert told[0].startswith("Follow these rules: 46.4 % instead of 0 %")
    assert "  There was no time to weigh these. All rules: why." in told


def test_a_gain_too_small_to_show_is_not_advised(wires):
    """A change from 77.8 % to 77.8 % is not worth advising."""
    usual, better = Fraction(7, 9), Fraction(7, 9) + Fraction(1, 10**6)
    found = bounds.Bounded(wires.found.goal, usual, better, Fraction(1))
    first = answers.lines(attrs.evolve(wires, found=found))[0]
    assert first == (
        "Give the standard orders: better ones were found, but they gain next to nothing."
    )


def test_a_figure_from_few_plays_gives_their_number_instead_of_an_error(wires):
    chance = Estimate(1.0, 0.0)
    trial = trials.PolicyTrial(chance, None, chance, Estimate(0.0, 0.0), 2)
    found = bounds.Bounded(wires.found.goal, None, None, Fraction(1), trial=trial)
    assert distance_from_best(attrs.evolve(wires, found=found)).endswith(
        "(sampled in only 2 plays)."
    )
