"""The commands at the command line: answers, and every fault at once with status 2 and no
traceback.
"""

from __future__ import annotations

import csv
import io
import json
import re
from fractions import Fraction
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from tiers import one_in

from fireplan_core.play import Catalogue

GAMES = ("asl", "miniatures_1943", "red_poppies", "wacht_am_rhein")
MEASURES = (
    "minutes_to_first_effect",
    "delivered",
    "on_target",
    "miss_metres",
    "footprint_hectares",
    "target_severity",
    "own_troops_under_fire",
    "exhausted",
    "suppressed",
    "reduced",
    "destroyed",
)


@pytest.mark.full
def test_compare_json_is_exact_in_every_game(run):
    status, out, _ = run("compare", "--json")
    assert status == 0
    answer = json.loads(out)
    assert sorted(answer["games"]) == sorted(GAMES)
    for game in answer["games"].values():
        assert tuple(game["measures"]) == MEASURES
        for measure in game["measures"].values():
            if "not_modelled" in measure:
                assert len(measure["not_modelled"]) > 10
            elif "distribution" in measure:
                shares = [Fraction(entry["probability"]) for entry in measure["distribution"]]
                assert all(0 <= share <= 1 for share in shares)
                assert sum(shares) + Fraction(measure["unresolved"]) == 1
                assert measure["exact"] is True
            elif measure["unit"] == "probability":
                assert 0 <= Fraction(measure["value"]) <= 1
                assert measure["exact"] is True


def test_compare_prints_a_table_and_draws(run, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "150")
    picture = tmp_path / "fall.svg"
    status, out, _ = run(
        "compare", "woods", "--minutes", "30", "--picture", str(picture), "--explain"
    )
    assert status == 0
    assert "First effect" in out
    assert "In short" in out
    assert "What the figures mean" in out
    ET.fromstring(picture.read_text(encoding="utf-8"))


@pytest.mark.full
def test_lists_below_a_comparison_wrap_with_a_hanging_indent(run):
    lines = run("compare", "woods")[1].splitlines()
    listed = lines[lines.index("In short") + 1 : lines.index("Not modelled")]
    assert len(listed) > 3
    for line in listed:
        assert len(line) <= 80
        assert line == line.rstrip()
        assert line.startswith(("  - ", "    "))


@pytest.mark.full
def test_compare_csv_has_a_line_for_every_value(run):
    status, out, _ = run("compare", "--csv", "--games", "asl,red_poppies")
    assert status == 0
    rows = list(csv.DictReader(io.StringIO(out)))
    assert {row["game"] for row in rows} == {"asl", "red_poppies"}
    for game in ("asl", "red_poppies"):
        shares = [
            Fraction(row["probability"])
            for row in rows
            if (row["game"], row["measure"]) == (game, "target_severity")
        ]
        assert sum(shares) == 1


@pytest.mark.parametrize("name", one_in(4, ["dug_in", "woods", "open_attack", "strongpoint"]))
def test_every_shipped_engagement_is_answered_or_refused_in_words(run, name):
    status, out, _ = run("compare", name, "--json")
    assert status == 0
    for game in json.loads(out)["games"].values():
        assert game.get("measures") or all(len(reason) > 10 for reason in game["cannot_stage"])


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("compare", "wods"), "woods"),
        (("compare", "--games", "als"), "'asl'"),
        (("compare", "--minutes", "0"), "1 to 1440"),
        (("compare", "--json", "--csv"), "choose one"),
        (
            ("compare", "--picture", "/no/such/folder/x.svg", "--games", "miniatures_1943"),
            "cannot be written",
        ),
        (("rules", "aslx"), "'asl'"),
        (("rules", "asl", "--status", "done"), "implemented"),
        (("graph", "red_popies"), "'red_poppies'"),
        (("compare", "--minutes", "soon"), "minutes"),
        (("compere",), "compare"),
        (("whatif",), "Change something"),
        (("whatif", "--option", "asl"), "GAME.NAME=VALUE"),
        (("whatif", "--option", "als.x=1", "red_poppies.infiltraton=1"), "'infiltration'"),
        (("whatif", "--option", "als.x=1", "red_poppies.infiltraton=1"), "'asl'"),
        (("kitbash", "asl"), "--delays"),
        (("kitbash", "asl", "--delays", "nobody"), "'nobody'"),
    ],
)
def test_wrong_input_ends_with_2_and_a_suggestion(run, arguments, expected):
    status, out, err = run(*arguments)
    assert status == 2
    assert expected in out + err
    assert "Traceback" not in out + err


def test_every_fault_of_an_engagement_at_once(run, tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(
        'title = "t"\ndate = 1944-12-18\nminuts = 5\n[firer]\nnationality = "american"\n'
        '[target]\nnationality = "german"\nmen = "many"\nposture = "lying"\n'
    )
    status, out, err = run("compare", str(file))
    assert status == 2
    for part in ("minuts", "minutes", "target.men", "target.posture", "prone"):
        assert part in err
    assert "Traceback" not in out + err


def test_games_lists_all_four(run):
    status, out, _ = run("games", "--json")
    assert status == 0
    answer = json.loads(out)
    assert [game["key"] for game in answer["games"] if game["key"] in GAMES] == list(GAMES)
    assert answer["problems"] == []
    for game in answer["games"]:
        assert {"title", "edition", "distribution", "version", "capabilities"} <= set(game)
        assert game["capabilities"]


@pytest.mark.parametrize(
    ("game", "count"),
    [("asl", 72), ("wacht_am_rhein", 33), ("red_poppies", 198), ("miniatures_1943", 40)],
)
def test_rules_lists_every_numbered_rule(run, game, count):
    status, out, _ = run("rules", game, "--json")
    assert status == 0
    rows = json.loads(out)["rules"]
    assert len(rows) >= count
    for row in rows:
        assert row["summary"]
        assert row["status"] in ("implemented", "open", "not applicable", "heading")
        if row["status"] == "implemented":
            assert row["tests"], (
                f"{row['id']} is called implemented but no test has its number in its name"
            )
            assert row["cited"], f"{row['id']} is called implemented but nothing cites it"


@pytest.mark.parametrize(
    ("game", "rule", "step", "number"),
    one_in(
        3,
        [
            ("miniatures_1943", "6.4.d", "areas.land", "smoke_turns"),
            ("asl", "C1.21", "delays.access", "red_chits_to_lose_access"),
            ("wacht_am_rhein", "12.2.0", "resolution.strike", "full_volley"),
            ("red_poppies", "5.11", "delays.initiative", "tie_couplets"),
        ],
    ),
)
def test_one_rule_is_shown_with_its_steps_numbers_and_tests(run, game, rule, step, number):
    status, out, err = run("rules", game, rule)
    assert status == 0, err
    told = re.search(rf"^  {step}  (\w+\.py):(\d+)$", out, flags=re.MULTILINE)
    assert told, out
    file = Path(Catalogue.installed(only=(game,))[game].plugin.__file__).parent / told[1]
    marked = file.read_text(encoding="utf-8").splitlines()[int(told[2]) - 1]
    assert "@step(" in marked
    assert rule in marked
    assert f"  {number} = " in out
    found = json.loads(run("rules", game, rule, "--json")[1])
    listed = next(
        row for row in json.loads(run("rules", game, "--json")[1])["rules"] if row["id"] == rule
    )
    assert found["rule"]["summary"] == listed["summary"]
    assert found["tests"] == listed["tests"]
    assert len(found["functions"]) + len(found["elsewhere"]) <= len(listed["cited"])


def test_a_step_in_another_module_has_the_name_of_its_part(run):
    status, out, err = run("rules", "asl", "C1.22")
    assert status == 0, err
    steps = re.findall(r"^  (delays\.\w+|\w+)  radio_contact\.py:\d+$", out, flags=re.MULTILINE)
    assert steps == ["delays.repair", "delays.radio", "delays.contact", "_skip_roll"]


def test_an_unknown_rule_is_reported(run):
    status, _, err = run("rules", "red_poppies", "5.111")
    assert status == 2
    assert "Did you mean '5.11'" in err
    assert run("rules", "red_poppies", "5.11", "--status", "open")[0] == 2


@pytest.mark.parametrize("game", one_in(2, sorted(GAMES, reverse=True)))
def test_graph_follows_the_real_rules(run, tmp_path, game):
    picture = tmp_path / "life.svg"
    status, out, _ = run("graph", game, "--svg", str(picture))
    assert status == 0
    assert out.startswith("stateDiagram-v2")
    assert "idle --> requested" in out
    assert "falling" in out
    ET.fromstring(picture.read_text(encoding="utf-8"))


@pytest.mark.full
def test_times_are_rounded_to_the_grain_and_never_zero(run):
    status, out, _ = run("compare", "--json", "--minutes", "10")
    assert status == 0
    games = json.loads(out)["games"]
    for game in games.values():
        for entry in game["measures"]["minutes_to_first_effect"]["distribution"]:
            assert entry["value"] >= game["grain_minutes"] > 0
    # A segment lasts half a day: fire falls within 270 minutes, though only ten were requested.
    assert [
        e["value"]
        for e in games["wacht_am_rhein"]["measures"]["minutes_to_first_effect"]["distribution"]
    ] == [270]


@pytest.mark.full
def test_kitbash_answers_for_hybrid_and_parents(run):
    status, out, _ = run("kitbash", "asl", "--delays", "red_poppies", "--minutes", "30", "--json")
    assert status == 0
    games = json.loads(out)["games"]
    assert list(games) == ["asl", "red_poppies", "hybrid"]
    # The hybrid's clock comes from its delays, its footprint from its areas.
    assert games["hybrid"]["minutes_per_moment"] == games["red_poppies"]["minutes_per_moment"]
    assert (
        games["hybrid"]["measures"]["footprint_hectares"]["value"]
        == games["asl"]["measures"]["footprint_hectares"]["value"]
    )


def test_whatif_shows_before_and_after(run):
    # Without infiltration the number of command couplets is the difference of two dice. With it
    # there is one more, so signals are more frequent and fire comes sooner.
    arguments = (
        "whatif",
        "woods",
        "--option",
        "red_poppies.infiltration=True",
        "--minutes",
        "20",
        "--json",
    )
    listed = json.loads(run("games", "--json")[1])["games"]
    options = next(game["options"] for game in listed if game["key"] == "red_poppies")
    value = str(options["infiltration"]["values"][1])
    status, out, err = run(*(a.replace("True", value) for a in arguments))
    assert status == 0, err
    games = json.loads(out)["games"]
    assert list(games) == ["red_poppies", "red_poppies*"]
    before, after = (Fraction(games[key]["measures"]["delivered"]["value"]) for key in games)
    assert after > before


def test_odds_of_one_table_are_those_of_the_comparison(run):
    status, out, _ = run("odds", "--game", "red_poppies", "--json")
    assert status == 0
    alone = json.loads(out)
    compared = json.loads(run("compare", "--games", "red_poppies", "--json")[1])["games"][
        "red_poppies"
    ]
    assert alone["measures"] == compared["measures"]
    status, out, _ = run("odds", "--game", "red_poppies")
    assert status == 0
    assert "every probability is exact" in out


def test_check_holds_a_game_to_the_laws(run):
    # test_laws runs every check of every game; test_new runs the whole command on new games.
    status, out, _ = run("check", "miniatures_1943", "--only", "L03-mass", "L16-footprint")
    assert status == 0
    assert "passed L03-mass" in out
    assert "passed L16-footprint" in out
    assert "failed" not in out
    status, out, _ = run("check", "miniatures_1943", "--only", "L16-footprint", "--json")
    report = json.loads(out)
    assert report["passed"]
    assert [check["id"] for check in report["checks"] if check["made"]] == ["L16-footprint"]
    status, _, err = run("check", "miniatures_1943", "--only", "L16-foot")
    assert status == 2
    assert "'L16-footprint'" in err
    status, _, err = run("check", "miniatures_1944")
    assert status == 2
    assert "'miniatures_1943'" in err


def test_sampled_answers_use_the_names_of_exact_ones(run):
    table = ("kitbash", "miniatures_1943", "--delays", "red_poppies", "--minutes", "10", "--json")
    solved, drawn = (
        json.loads(run(*table, *how)[1])["games"]["hybrid"] for how in ((), ("--sample", "200"))
    )
    assert (solved["exact"], drawn["exact"]) == (True, False)
    assert {"title", "exact", "measures", "rests_on"} <= set(solved) & set(drawn)
    assert solved["rests_on"] == drawn["rests_on"]
    both = set(solved["measures"]) & set(drawn["measures"])
    assert both == {"delivered", "own_troops_under_fire", "exhausted"}
    for name in both:
        exact, sampled = solved["measures"][name], drawn["measures"][name]
        assert exact["unit"] == sampled["unit"]
        p = float(Fraction(exact["value"]))
        assert abs(sampled["value"] - p) <= 6 * (p * (1 - p) / 200) ** 0.5 + 1e-9


def test_odds_sampled_are_never_called_exact(run):
    arguments = ("odds", "--game", "red_poppies", "--sample", "400", "--json", "--moments", "3")
    first, again = run(*arguments)[1], run(*arguments)[1]
    assert first == again
    found = json.loads(first)
    assert found["exact"] is False
    share = found["measures"]["delivered"]
    exact = json.loads(run("odds", "--game", "red_poppies", "--json", "--moments", "3")[1])
    p = float(Fraction(exact["measures"]["delivered"]["value"]))
    assert abs(share["value"] - p) < 4 * (p * (1 - p) / 400) ** 0.5
    status, out, err = run("odds", "--game", "red_poppies", "--sample", "-4")
    assert status == 2
    assert "--sample" in out + err


@pytest.mark.full
def test_odds_in_floats_say_so_and_are_close(run):
    arguments = ("odds", "asl/village", "--moments", "4")
    rounded, exact = (json.loads(run(*arguments, "--json", *more)[1]) for more in (["--float"], []))
    assert (rounded["exact"], exact["exact"]) == (False, True)
    for name in ("minutes_to_first_effect", "on_target", "target_severity"):
        one, other = rounded["measures"][name], exact["measures"][name]
        assert (one["exact"], other["exact"]) == (False, True)
        for near, share in zip(one["distribution"], other["distribution"], strict=True):
            p = Fraction(share["probability"])
            assert isinstance(near["probability"], float)
            assert abs(Fraction(near["probability"]) - p) <= p / 10**12
    out = run(*arguments, "--float")[1]
    assert "floats, not exact" in out
    assert "is exact" not in out
    status, _, err = run(*arguments, "--float", "--sample", "10")
    assert status == 2
    assert "choose one" in err


def test_a_named_scenario_loads_its_own_game_alone(run, monkeypatch):
    loaded = []
    load = Catalogue.load
    monkeypatch.setattr(
        Catalogue, "load", lambda self, entry: (loaded.append(entry.name), load(self, entry))
    )
    assert run("odds", "asl/village", "--moments", "1")[0] == 0
    assert run("odds", "--game", "asl", "--moments", "1")[0] == 0
    assert set(loaded) == {"asl"}
    status, out, err = run("odds", "asl/vilage", "--moments", "1")
    assert status == 2
    assert "asl/village" in out + err
    assert set(loaded) > {"asl"}  # another game may have the scenario


@pytest.mark.parametrize(
    "arguments",
    [
        ("odds", "asl/village", "--moments", "0"),
        ("whatif", "asl/village", "--set", "asl.set_breaks=11", "--minutes", "0"),
        ("sensitivity", "asl/village", "--minutes", "0"),
    ],
)
def test_a_watch_of_nothing_is_refused_not_taken_for_the_usual_one(run, arguments):
    status, out, err = run(*arguments)
    assert status == 2
    assert out == ""
    assert "expected 1" in err
    assert "got 0" in err
