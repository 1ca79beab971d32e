"""Orders in advance: one argument, the same in every question that takes it."""

import json

import pytest
from tiers import one_in

import fireplan as fp
from fireplan.cli import main
from fireplan.questions.luck import luck_of
from fireplan.questions.question import UnderOrders, arguments_of, questions
from fireplan.solver import REACH
from fireplan.strategies import scenario_under

NEVER = "requests.fire=pass"
TAKE_THEM = {"odds", "best", "belief", "compare", "whatif", "sensitivity", "tune", "duel", "luck"}


def test_the_questions_that_rest_on_orders_take_them_by_one_field():
    taking = {kind.key: kind for kind in questions() if "orders" in arguments_of(kind)}
    assert taking.keys() >= TAKE_THEM
    assert all(issubclass(kind, UnderOrders) for kind in taking.values())


@pytest.mark.full
def test_odds_of_a_scenario_of_its_opening_and_of_a_position_agree():
    whole = fp.odds("asl/village", orders=NEVER, moments=4)
    assert whole.answer.measures["delivered"].value == 0
    assert "orders: requests.fire=pass; otherwise the standard ones" in str(whole)
    late = fp.odds("asl/village", orders={"fire": "pass if turn=1"}, moments=4)
    opening = fp.position("asl/village")
    assert late.answer.delivery[-1] == opening.odds(4, orders="fire=pass if turn=1").curve[-1]
    assert (
        late.answer.delivery[-1]
        == fp.odds(line=opening.line, by=4, orders="fire=pass if turn=1").curve[-1]
    )


def test_the_command_line_reads_the_same_line(capsys):
    main(["odds", "asl/village", "--moments", "4", "--orders", "fire=pass if turn=1", "--json"])
    told = json.loads(capsys.readouterr().out)
    asked = fp.odds("asl/village", moments=4, orders="fire=pass if turn=1")
    assert told["measures"]["delivered"] == asked.to_dict()["measures"]["delivered"]


@pytest.mark.full
def test_orders_without_other_changes_are_compared_with_the_standard_ones():
    changed = fp.whatif("asl/village", orders=NEVER)
    assert (
        changed.before.measures["delivered"].value
        == fp.odds("asl/village").answer.measures["delivered"].value
    )
    assert changed.after.measures["delivered"].value == 0
    both = fp.whatif("asl/village", set={"asl.radio_contact[german]": 7}, orders=NEVER)
    assert both.before.measures["delivered"].value == both.after.measures["delivered"].value == 0


@pytest.mark.full
def test_a_comparison_gives_orders_to_the_game_they_name():
    compared = fp.compare(
        "woods", games=["asl", "miniatures_1943"], minutes=20, orders="asl.call=pass"
    )
    plain = fp.compare("woods", games=["asl", "miniatures_1943"], minutes=20)
    assert compared.comparison.games["asl"].measures["delivered"].value == 0
    other = [
        one.comparison.games["miniatures_1943"].measures["delivered"] for one in (compared, plain)
    ]
    assert other[0].value == other[1].value
    with pytest.raises(fp.InputError, match="asl"):
        fp.compare("woods", orders="call=pass")


@pytest.mark.full
def test_before_and_after_of_an_engagement():
    changed = fp.whatif("woods", games=["asl"], minutes=20, orders="asl.call=pass")
    games = changed.comparison.games
    assert games["asl*"].measures["delivered"].value == 0 < games["asl"].measures["delivered"].value


def test_luck_is_measured_by_the_orders_given():
    """The first roll, for Radio Contact, has no value for a side that never fires."""
    game = fp.load("asl/behind_the_ridge")
    scenario, moments, first = game.session.scenario, 4, game.inputs[:3]
    plain = luck_of(scenario, moments, first).sides[0].rolls[0]
    idle = luck_of(scenario_under(scenario, fp.strategy(NEVER)), moments, first).sides[0].rolls[0]
    assert (plain.measure, idle.measure) == (REACH, "")
    assert plain.before > 0


@pytest.mark.full
def test_orders_are_an_axis_of_a_sweep(tmp_path):
    plan = tmp_path / "plan.toml"
    plan.write_text(
        'title = "Whose turn"\nquestion = "odds"\n[ask]\nscenario = "asl/village"\nmoments = 4\n'
        '[[vary]]\nargument = "orders"\nvalues = ["fire=pass if turn=1", "fire=pass"]\n',
        encoding="utf-8",
    )
    rows = [row for row in fp.sweep(plan).rows() if row["measure"] == "delivered"]
    by_orders = {row["orders"]: row["probability"] for row in rows}
    assert by_orders["fire=pass"] == 0
    asked = fp.odds("asl/village", moments=4, orders="fire=pass if turn=1")
    assert by_orders["fire=pass if turn=1"] == asked.answer.measures["delivered"].value


def test_a_plan_of_a_question_refuses_options_that_it_does_not_use(tmp_path):
    """Its answers go into no file and to no other process, so these options would be ignored."""
    plan = tmp_path / "plan.toml"
    plan.write_text(
        'title = "Fewer"\nquestion = "odds"\n[ask]\nscenario = "asl/village"\nmoment = 4\n'
        '[[vary]]\nargument = "moments"\nvalues = [1, 2]\n',
        encoding="utf-8",
    )
    with pytest.raises(fp.InputError) as caught:
        fp.sweep(plan, results=tmp_path / "rows.jsonl", workers=2)
    results, workers, misspelled = caught.value.faults
    assert (results[:8], workers[:8]) == ("results:", "workers:")
    assert "moment" in misspelled
    plan.write_text(plan.read_text(encoding="utf-8").replace("moment = 4\n", ""), encoding="utf-8")
    assert fp.sweep(plan, check=True).to_dict() == {"title": "Fewer", "points": 2}
    assert [*tmp_path.iterdir()] == [plan]


def test_faults_of_orders_come_with_all_others():
    with pytest.raises(fp.InputError) as caught:
        fp.odds("asl/village", orders="fire", moments=-1)
    assert len(caught.value.faults) == 2


@pytest.mark.parametrize(
    "ask",
    one_in(
        4,
        [
            lambda orders: fp.odds("asl/village", orders=orders, moments=4),
            lambda orders: fp.whatif("asl/village", orders=orders, minutes=4),
            lambda orders: fp.sensitivity("asl/village", orders=orders, minutes=3),
            lambda orders: fp.tune(
                "asl/village", want=["delivered >= 80 %"], orders=orders, minutes=3, seconds=1
            ),
            lambda orders: fp.compare("woods", games=["asl"], minutes=5, orders=f"asl.{orders}"),
            lambda orders: fp.best("asl/village", "falls", orders=orders, moments=1),
            lambda orders: fp.position("asl/village").play(until="end of turn", orders=orders),
        ],
    ),
    ids=["odds", "whatif", "sensitivity", "tune", "compare", "best", "play"],
)
def test_no_question_passes_over_an_order_that_is_never_on_offer(ask):
    with pytest.raises(fp.InputError, match="Did you mean 'pass'"):
        ask("requests.fire=pas")
