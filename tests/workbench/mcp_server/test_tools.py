"""Every tool's description, estimate and cited rules, and recorded games as positions."""

import json
import multiprocessing
import re
from fractions import Fraction

import pytest
from tiers import one_in

import fireplan as fp
from fireplan.mcp_server.tools import tools
from fireplan.mcp_server.worker import Worker

VILLAGE = "asl/village"
MADE = 'fp1 asl/village "turn 2 PFPh" a{stage=requested red=1}'


def told(name, limit=30, /, **arguments):
    return tools()[name].answer(arguments, limit)


def test_every_argument_and_tool_is_described_in_plain_words():
    for name, tool in tools().items():
        assert tool.description
        assert ":param" not in tool.description
        for argument, schema in tool.schema["properties"].items():
            assert schema.get("description"), (name, argument)
            assert ":param" not in schema["description"]


def test_numbers_have_their_bounds_and_there_are_no_other_arguments():
    assert tools()["odds"].schema["properties"]["moments"]["minimum"] == 1
    for name, tool in tools().items():
        assert tool.schema["additionalProperties"] is False
        for argument, schema in tool.schema["properties"].items():
            if {"minimum", "maximum"} <= schema.keys():
                assert schema["minimum"] < schema["maximum"], (name, argument)


def test_no_description_speaks_of_commands_or_files():
    words = re.compile(r"fireplan [a-z]|docs/|\bfiles?\b|journal|terminal|Ctrl|--[a-z]|`")
    for name, tool in tools().items():
        described = [schema["description"] for schema in tool.schema["properties"].values()]
        for text in (tool.description, *described):
            assert not words.search(text), (name, text)


# --- long answers ------------------------------------------------------------------------------------
def every_page(name, key, **arguments):
    """Return all pages of an answer, each short enough to read, and the rows of all of them."""
    answers = [first := told(name, **arguments)]
    answers += [told(name, page=page, **arguments) for page in range(2, first.get("pages", 1) + 1)]
    assert all(len(json.dumps(answer[key], default=str)) < 14_000 for answer in answers)
    return answers, [row for answer in answers for row in answer[key]]


def test_every_legal_order_is_on_one_of_the_pages():
    pytest.importorskip("fireplan_battletech", reason="it is in requirements-games.txt")
    position = "battletech/two_pieces"
    answers, forms = every_page("legal", "forms", position=position)
    assert len(answers) > 1
    assert all(form["number"] >= len(form["orders"]) for form in forms)
    assert [form["verb"] for form in answers[0]["forms"]].count("fire") == 1
    listed = [order for form in forms for order in form["orders"]]
    assert listed == [row["order"] for row in fp.position(position).legal().rows()]
    with pytest.raises(fp.InputError, match="page: expected 1 to 2, got 3"):
        told("legal", position=position, page=3)


@pytest.mark.long
def test_the_orders_of_a_policy_come_in_pages():
    asked = {"scenario": "red_poppies/cut_wires", "goal": "delivered", "moments": 2}
    answers, policy = every_page("best", "policy", **asked)
    assert len(answers) > 1
    assert policy == fp.best(**asked).to_dict()["policy"]


# --- the rules of an answer --------------------------------------------------------------------------
def test_rules_are_those_that_the_answer_rests_on():
    contact = told("outcomes", position=MADE, order="roll")
    # Radio Contact, a radio that breaks, and the action of the leader who calls.
    assert contact["rules"] == ["C1.2", "C1.22", "C1.6"]
    strike = told("attack", position=VILLAGE, asset="a", place="K5")
    assert strike["rules"] == ["C1.5", "C1.52", "C1.53"]  # the IFT, TEM, a Critical Hit
    short = told("odds", scenario=VILLAGE, by="turn 1 PFPh")["rules"]
    long = told("odds", scenario=VILLAGE, by="turn 3")["rules"]
    every = {step.cite for step in fp.position(VILLAGE).at.scenario.steps.values()}
    assert {*short} < {*long}
    assert "C1.5" in long
    assert "C1.5" not in short  # nothing is struck in the first phase
    assert len(long) < len(every - {""})


def test_each_game_of_a_comparison_has_its_own_rules():
    rules = told("compare", games=["asl", "wacht_am_rhein"], minutes=4)["rules"]
    assert rules.keys() == {"asl", "wacht_am_rhein"}
    assert all(rule.startswith(("C1", "E12")) for rule in rules["asl"])
    assert all(rule.startswith("12.") for rule in rules["wacht_am_rhein"])


@pytest.mark.full
def test_best_orders_beliefs_and_luck_name_their_rules():
    best = told("best", game="wacht_am_rhein", goal="destroyed", moments=1)
    assert {"12.3.0", "12.4.1"} <= {*best["cites"]}
    belief = told("belief", scenario="miniatures_1943/only_dummies", at=2, side="german")
    assert belief["rules"] == ["6.1.c"]
    assert told("luck", game="miniatures_1943/two_on_one")["rules"] == ["6.3.a", "6.3.b"]


def test_a_legal_order_leads_to_a_position_line():
    after = told("why_not", position=VILLAGE, order="call")["after"]
    assert after == fp.position(VILLAGE).play("call").line
    assert fp.position(after).waits_for == "german: delays.contact"


def test_a_condition_may_name_the_fields_of_an_event():
    asked = {"scenario": "red_poppies/cut_wires", "event": "fall", "by": "turn 3"}
    answer = told("chance", given=["initiative: couplets=3"], **asked)
    position = fp.position("red_poppies/cut_wires").given(initiative={"couplets": 3})
    assert answer["given"] == "initiative: couplets=3"
    assert answer["chance_of_that"] == str(position.chance("fall", "turn 3").condition_chance)
    with pytest.raises(fp.InputError, match="'couplets' are not fields of an event"):
        told("chance", given=["initiative: couplets"], **asked)


def test_a_measure_is_not_an_event():
    with pytest.raises(fp.InputError, match="delivered is a measure, which odds and compare"):
        told("chance", scenario=VILLAGE, event="delivered")


# --- estimates before the work -------------------------------------------------------------------
@pytest.mark.full
def test_an_estimate_comes_before_the_work():
    short = told("odds", scenario=VILLAGE, moments=6, estimate=True)
    long = told("odds", scenario=VILLAGE, moments=60, estimate=True)
    assert short["answered"]
    assert 0 <= short["seconds"] < long["seconds"]
    assert long["estimate"].startswith("This will take")
    refused = told("odds", 0.01, scenario=VILLAGE, moments=60, estimate=True)
    assert not refused["answered"]
    assert "measures" not in long


def test_the_time_of_a_comparison_is_that_of_all_its_games():
    games = ("asl", "red_poppies")
    one, other = (
        told("compare", games=[game], minutes=60, estimate=True)["seconds"] for game in games
    )
    both = told("compare", games=[*games], minutes=60, estimate=True)["seconds"]
    assert both == pytest.approx(one + other, abs=0.11)  # each figure is rounded to a tenth


def test_the_time_of_a_sample_is_estimated_too(monkeypatch):
    monkeypatch.setattr("fireplan.solver.states.MAX_WALKED", 500)
    estimate = told("odds", scenario=VILLAGE, moments=40, estimate=True)
    assert "too large to be solved exactly, and is sampled" in estimate["estimate"]
    assert estimate["seconds"] > 0


def test_an_estimate_reports_faults_of_the_question():
    with pytest.raises(fp.InputError, match="Did you mean 'asl/village'"):
        told("odds", scenario="asl/vilage", estimate=True)
    with pytest.raises(fp.InputError, match="estimate: expected yes or no, got 'perhaps'"):
        told("odds", scenario=VILLAGE, estimate="perhaps")
    with pytest.raises(fp.InputError, match="no argument 'estimate'"):
        told("games", estimate=True)


@pytest.mark.parametrize(
    ("name", "arguments", "argument"),
    one_in(
        4,
        [
            ("odds", {"scenario": VILLAGE, "moments": 40}, "moments"),
            ("chance", {"scenario": VILLAGE, "event": "fall", "by": "30"}, "by"),
            ("compare", {"games": ["asl"], "minutes": 40}, "minutes"),
            (
                "whatif",
                {"scenario": VILLAGE, "set": ["asl.radio_contact=7"], "minutes": 40},
                "minutes",
            ),
        ],
    ),
)
def test_a_refusal_names_an_earlier_moment_that_is_answered(name, arguments, argument):
    limit = told(name, **arguments, estimate=True)["seconds"] / 10
    with pytest.raises(fp.InputError) as refused:
        told(name, limit, **arguments)
    words = str(refused.value)
    assert "over the limit" in words
    value = words.partition(f"{argument}=")[2].partition(" is within the limit")[0].strip("'")
    sooner = {**arguments, argument: int(value) if value.isdecimal() else value}
    assert told(name, limit, **sooner)


# --- recorded games ----------------------------------------------------------------------------------
def test_recorded_games_are_listed_and_taken_as_positions():
    names = [
        row["name"] for row in told("scenarios", game="asl", playthroughs=True)["playthroughs"]
    ]
    assert "asl/behind_the_ridge" in names
    assert all(fp.load(name) for name in names[:2])
    at = told("position", position="asl/behind_the_ridge", at=3)
    assert at["position"] == fp.load("asl/behind_the_ridge").at(3).line
    rolled = told("outcomes", position="asl/behind_the_ridge", at=3)
    assert sum(Fraction(row["chance"]) for row in rolled["results"]) == 1
    with pytest.raises(fp.InputError, match="at: expected 0 to"):
        told("position", position="asl/behind_the_ridge", at=999)
    with pytest.raises(fp.InputError, match="There is no scenario"):
        told("position", position="/etc/passwd", at=1)


# --- orders given in advance -------------------------------------------------------------------------
def test_orders_given_in_advance_are_named_given_and_compared():
    decisions = [row["decision"] for row in told("decisions", name="asl")["decisions"]]
    assert "requests.call" in decisions
    due = told("standard", position=VILLAGE)
    assert (due["decision"], due["order"], due["orders"]) == (
        "requests.call",
        "call",
        ["call", "pass"],
    )
    waiting = "requests.call=pass if turn=1"
    assert told("standard", position=VILLAGE, orders=waiting)["order"] == "pass"
    compared = told("compare_orders", position=VILLAGE, orders=[waiting], event="fall", by="turn 2")
    shares = {row["orders"]: Fraction(row["chance"]) for row in compared["compared"]}
    village = fp.position(VILLAGE)
    assert shares == {
        "standard": village.chance("fall", by="turn 2").chance,
        waiting: village.chance("fall", by="turn 2", orders=waiting).chance,
    }
    with pytest.raises(fp.InputError, match=r"Did you mean 'requests\.call'"):
        told("standard", position=VILLAGE, orders="requests.cal=pass")


def test_a_worker_that_could_not_start_can_be_closed(monkeypatch):
    def refuse(_process):
        raise RuntimeError("no process can be started here")

    monkeypatch.setattr(multiprocessing.get_context("spawn").Process, "start", refuse)
    worker = Worker(1)
    with pytest.raises(RuntimeError, match="no process"):
        worker.ask("legal", {})
    worker.close()
