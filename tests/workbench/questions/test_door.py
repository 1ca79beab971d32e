"""Python gives the same answers as the commands, as results that can be saved, printed and passed
to other questions.
"""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from fractions import Fraction
from importlib import import_module
from importlib.machinery import ModuleSpec
from inspect import signature
from types import ModuleType

import pytest
from tiers import one_in

import fireplan as fp
from fireplan.cli import app, main
from fireplan.draw.plot import HEIGHT
from fireplan.questions.answers import DistributionResult
from fireplan.sweeps import Crossover, narrowed


def printed(capsys, *arguments):
    assert main(list(arguments)) == 0
    return json.loads(capsys.readouterr().out)


LINE = 'fp1 asl/village "turn 2 PFPh" a{stage=requested red=1 contact}'
ASKED = [
    (("compare", "--games", "red_poppies,wacht_am_rhein", "--minutes", "2", "--guns", "24", "--own-troops", "100"),
     lambda: fp.compare(games=["red_poppies", "wacht_am_rhein"], minutes=2, guns=24, own_troops=100)),
    (("odds", "asl/village", "--moments", "4"), lambda: fp.odds("asl/village", moments=4)),
    (("odds", "--game", "wacht_am_rhein", "--men", "60"), lambda: fp.odds(game="wacht_am_rhein", men=60)),
    (("odds", "asl/village", "--moments", "3", "--sample", "50"),
     lambda: fp.odds("asl/village", moments=3, sample=50)),
    (("whatif", "asl/village", "--set", "asl.radio_contact=7", "--minutes", "2"),
     lambda: fp.whatif("asl/village", set={"asl.radio_contact": 7}, minutes=2)),
    (("whatif", "--set", "asl.radio_contact=7", "--minutes", "4", "--guns", "6"),
     lambda: fp.whatif(set=["asl.radio_contact=7"], minutes=4, guns=6)),
    (("sensitivity", "miniatures_1943/chits_in_hand", "--minutes", "6"),
     lambda: fp.sensitivity("miniatures_1943/chits_in_hand", minutes=6)),
    (("tune", "miniatures_1943", "--want", "destroyed >= 30 %", "--seconds", "600"),
     lambda: fp.tune("miniatures_1943", want="destroyed >= 30 %", seconds=600)),
    (("kitbash", "wacht_am_rhein", "--delays", "miniatures_1943", "--minutes", "30"),
     lambda: fp.kitbash("wacht_am_rhein", delays="miniatures_1943", minutes=30)),
    (("open", "https://example.org/guns/#/compare?engagement=strongpoint&e.guns=6&games=asl,wacht_am_rhein&minutes=4"),
     lambda: fp.compare("strongpoint", games="asl wacht_am_rhein", minutes=4, guns=6)),
    (("duel", "examples/duels/empty_stack.toml", "--for", "destroyed", "--only", "request",
      "--only", "movement=done, prone base=section", "--toll", "posture=1/10"),
     lambda: fp.duel("examples/duels/empty_stack.toml", "destroyed",
                     only=["request", "movement=done, prone base=section"], toll=["posture=1/10"])),
    (("best", "wacht_am_rhein/dividing_fire", "--for", "reduced", "--moments", "1", "--only", "declare"),
     lambda: fp.best("wacht_am_rhein/dividing_fire", "reduced", moments=1, only=["declare"])),
    (("odds", "--from", LINE, "--by", "turn 4"), lambda: fp.position(LINE).odds(by="turn 4")),
    (("odds", "asl/village", "--by", "2", "--given", "contact=4,2", "access=red"),
     lambda: fp.position("asl/village").given(contact=fp.dice(4, 2), access="red").odds(by=2)),
    (("odds", "asl/behind_the_ridge", "--at", "10", "--by", "turn 3"),
     lambda: fp.load("asl/behind_the_ridge").at(10).odds(by="turn 3")),
    (("odds", "--game", "asl", "--guns", "24", "--by", "3", "--sample", "50"),
     lambda: fp.position("woods", game="asl", guns=24).odds(by=3, sample=50)),
    (("luck", "wacht_am_rhein/dividing_fire", "--yes"), lambda: fp.load("wacht_am_rhein/dividing_fire").luck()),
    (("games",), fp.games),
    (
        ("chance", "asl/village", "--of", "fall: on_target=yes", "--by", "turn 2"),
        lambda: fp.chance("asl/village", event="fall: on_target=yes", by="turn 2"),
    ),
    (("events", "asl"), lambda: fp.events("asl")),
    (("rolls", "asl"), lambda: fp.rolls("asl")),
    (("decisions", "asl"), lambda: fp.decisions("asl")),
    (("piles", "asl"), lambda: fp.piles("asl")),
    (("measures",), fp.measures),
    (("scenarios", "asl"), lambda: fp.scenarios("asl")),
    (("scenarios", "--engagements"), fp.engagements),
    (("scenarios", "asl", "--playthroughs"), lambda: fp.scenarios("asl", playthroughs=True)),
    (("rules", "miniatures_1943"), lambda: fp.rules("miniatures_1943")),
    (("rules", "asl", "C1.21"), lambda: fp.rules("asl", "C1.21")),
    (("numbers", "asl", "radio_contact"), lambda: fp.numbers("asl", "radio_contact")),
    (("fields", "asl"), lambda: fp.fields("asl")),
    (("diff", "miniatures_1943", "--option", "chit", "--value", "dummy", "--moments", "1", "--walks", "1"),
     lambda: fp.diff("miniatures_1943", option="chit", value="dummy", moments=1, walks=1)),
    (("belief", "miniatures_1943/only_dummies", "--at", "2", "--side", "german"),
     lambda: fp.load("miniatures_1943/only_dummies").at(2).belief("german")),
    (("check", "miniatures_1943", "--only", "L16-footprint"),
     lambda: fp.check("miniatures_1943", ["L16-footprint"])),
]  # fmt: skip
AGAIN = [
    typed
    for n, (typed, _) in enumerate(ASKED)
    if typed[0] != "odds" and typed[0] in {earlier[0] for earlier, _ in ASKED[:n]}
]
"""Commands already tested in another form; each form of ``odds`` is quick."""


@pytest.mark.parametrize(
    ("typed", "ask"),
    [
        pytest.param(
            typed,
            ask,
            id=" ".join(typed),
            marks=[pytest.mark.full] if typed[0] == "diff" or typed in AGAIN else [],
        )
        for typed, ask in ASKED
    ],
)
def test_every_command_prints_what_python_answers(capsys, typed, ask):
    assert printed(capsys, *typed, "--json") == json.loads(ask().json())


def test_a_journal_gives_the_same_story_and_luck_in_python(capsys, tmp_path, monkeypatch):
    file = str(tmp_path / "t.fireplan")
    monkeypatch.setattr("sys.stdin", io.StringIO("\n" * 20))
    main(["play", "miniatures_1943/chits_in_hand", "--journal", file, "--seed", "1"])
    capsys.readouterr()
    told = fp.load(file)
    assert len(told) > 3
    assert printed(capsys, "export", file, "--json") == json.loads(json.dumps(told.to_dict()))
    side = told.opens.at.scenario.firer
    assert printed(capsys, "export", file, "--json", "--side", side) == json.loads(
        json.dumps(told.to_dict(side))
    )
    assert printed(capsys, "luck", file, "--json", "--yes") == json.loads(told.luck().json())


def test_no_command_prints_json_that_python_is_not_asked_for():
    commands = {}
    for name, place in app.commands().items():
        module, _, attribute = place.partition(":")
        commands[name] = getattr(import_module(module), attribute)
    with_json = {
        name for name, command in commands.items() if "json" in signature(command).parameters
    }
    assert with_json == {typed[0] for typed, _ in ASKED} | {
        "sweep",
        "export",
        "luck",
        "engagements",
        "check",
    }


def test_text_has_no_colours_of_a_terminal_or_notebook(monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b" not in str(fp.games())


@pytest.mark.full
def test_a_sweep_is_run_from_a_program_on_standard_input(tmp_path):
    (tmp_path / "plan.toml").write_text(
        'title = "t"\nscenarios = ["miniatures_1943/chits_in_hand"]\n'
    )
    program = 'import fireplan as fp; print(len(fp.sweep("plan.toml", workers=2).rows()))'
    command = [sys.executable, "-"]
    done = subprocess.run(
        command, input=program, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout == "1\n"


@pytest.mark.long
def test_a_sweep_over_a_fact_finds_where_one_game_overtakes_another(capsys, tmp_path):
    plan = tmp_path / "guns.toml"
    plan.write_text(
        'title = "Guns"\nengagements = ["woods"]\ngames = ["asl", "wacht_am_rhein"]\nminutes = 20\n'
        '[[vary]]\nfact = "guns"\nvalues = [4, 8, 12, 16, 24]\n'
    )
    found = fp.sweep(plan, workers=1)
    assert printed(capsys, "sweep", str(plan), "--workers", "1", "--json") == json.loads(
        found.json()
    )
    by_hand = {
        guns: {
            game: one.measures["delivered"].value
            for game, one in fp.compare(
                games="asl wacht_am_rhein", minutes=20, guns=guns
            ).comparison.games.items()
        }
        for guns in (4, 8, 12, 16, 24)
    }
    solved = {
        (json.loads(row["facts"])["guns"], row["game"]): row["delivered"] for row in found.rows()
    }
    for guns, shares in by_hand.items():
        for game, share in shares.items():
            assert Fraction(solved[guns, game]) == share
    assert found.crossovers()
    for crossover in found.crossovers():
        assert crossover.at == crossover.before + 1  # no gap remains between whole numbers
        ahead, behind = crossover.overtakes, crossover.other
        for guns, overtaken in ((crossover.at, True), (crossover.before, False)):
            games = fp.compare(games="asl wacht_am_rhein", minutes=20, guns=guns).comparison.games
            figures = {game: one.measures[crossover.figure].value for game, one in games.items()}
            assert (figures[ahead] > figures[behind]) is overtaken
        assert f"{ahead} overtakes {behind} at {crossover.at} guns" in str(found)


@pytest.mark.full
def test_a_png_of_a_comparison_of_all_games_has_less_than_300_kilobytes(tmp_path):
    pytest.importorskip("vl_convert", reason="it comes with the studio")
    file = fp.compare(games="all", minutes=12).save(tmp_path / "compared.png")
    assert file.stat().st_size < 300_000


@pytest.mark.full
def test_crossovers_of_three_far_values_are_narrowed_to_whole_numbers(tmp_path):
    plan = tmp_path / "guns.toml"
    plan.write_text(
        'title = "Guns"\nengagements = ["open_attack"]\nminutes = 10\n'
        'games = ["miniatures_1943", "wacht_am_rhein"]\n[[vary]]\nfact = "guns"\nvalues = [2, 14, 30]\n'
    )
    (crossover,) = fp.sweep(plan, workers=1).crossovers()
    games = {
        guns: fp.compare(
            "open_attack", games="miniatures_1943 wacht_am_rhein", minutes=10, guns=guns
        ).comparison.games
        for guns in (crossover.at - 1, crossover.at)
    }
    ahead, behind = crossover.overtakes, crossover.other
    overtaken = [
        by_game[ahead].measures["destroyed"].value > by_game[behind].measures["destroyed"].value
        for by_game in games.values()
    ]
    assert overtaken == [False, True]
    assert crossover.before == crossover.at - 1


def test_a_crossover_stays_open_where_a_point_in_between_cannot_be_solved():
    crossing = Crossover("delivered", "guns", "asl", "red_poppies", 12, 24, "woods", ())
    line = {"asl": lambda guns: guns, "red_poppies": lambda guns: 16}
    found = narrowed(crossing, lambda game, guns: Fraction(line[game](guns)))
    assert (found.before, found.at) == (16, 17)
    gaps = narrowed(
        crossing, lambda game, guns: Fraction(guns) if guns > 17 and game == "asl" else None
    )
    assert str(gaps).startswith("asl overtakes red_poppies between 12 and 24 guns (")


@pytest.mark.parametrize(
    ("before", "at", "said"), [(12, 13, "at 13 guns"), (12, 24, "between 12 and 24 guns")]
)
def test_a_crossover_is_as_precise_as_the_grid(before, at, said):
    crossing = Crossover("delivered", "guns", "asl", "red_poppies", before, at, "woods", ())
    assert str(crossing).startswith(f"asl overtakes red_poppies {said} (")


def test_every_fault_is_in_one_exception():
    with pytest.raises(fp.InputError) as error:
        fp.compare("wods", games="als", minutes=0, guns=0, cuver="woods")
    assert len(error.value.faults) == 5
    for hint in (
        "minutes: expected 1 to 1440",
        "Did you mean 'woods'",
        "'asl'",
        "guns: ",
        "Did you mean 'cover'",
    ):
        assert hint in str(error.value)


def test_facts_are_those_of_a_file_with_the_same_numbers(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(
        'title = "t"\ndate = 1944-12-18\nminutes = 10\n[firer]\nnationality = "german"\n'
        '[target]\nnationality = "american"\nmen = 40\n[asset]\nguns = 6\ncalibre_mm = 150\n'
        "[own_troops]\ndistance_m = 200\n"
    )
    changed = fp.compare(
        "woods", games="asl", minutes=10, firer="german", target="american", men=40, guns=6, calibre=150,
        own_troops=200, frontage=150, depth=100, posture="prone", cover="open", quality="average", own_men=40,
        range=6000, observer_distance=500,
    )  # fmt: skip
    there = fp.compare(file, games="asl")
    assert changed["asl"].measures == there["asl"].measures


def test_a_comparison_names_facts_that_differ_from_its_summary():
    def shown(**facts):
        return str(fp.compare("dug_in", games="red_poppies", minutes=10, **facts))

    assert "calls by telephone" in " ".join(shown(link="runner").split())
    assert "Changed: link runner, bombardment no.\n" in shown(link="runner", bombardment=False)
    assert "Changed:" not in shown()


@pytest.mark.parametrize("ending", ["svg", "png", "csv", "json", "md", "html"])
def test_a_result_is_saved_by_the_ending_of_its_name(tmp_path, ending):
    found = fp.compare(games="miniatures_1943", minutes=10)
    file = found.save(tmp_path / f"a.{ending}")
    content = file.read_bytes()
    starts = {
        "svg": b"<svg",
        "png": b"\x89PNG",
        "csv": b"game,measure",
        "json": b"{",
        "md": b"**",
        "html": b"<!do",
    }
    assert content.startswith(starts[ending])
    if ending == "md":
        assert b"| Delivered |" in content


def test_an_ending_that_is_not_known_is_refused(tmp_path, capsys):
    found = fp.numbers("asl", "radio_contact")
    with pytest.raises(
        fp.InputError, match=r"unknown file extension \.xls; use \.svg, \.png, \.csv"
    ):
        found.save(tmp_path / "a.xls")
    with pytest.raises(fp.InputError, match="has no picture"):
        found.save(tmp_path / "a.svg")
    assert main(["compare", "--picture", str(tmp_path / "a.gif")]) == 2
    assert "unknown file extension .gif; use .svg, .png" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.full
def test_results_print_as_the_command_does_and_show_in_a_notebook(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    found = fp.odds("asl/village", moments=3)
    assert main(["odds", "asl/village", "--moments", "3"]) == 0
    assert capsys.readouterr().out.strip() == str(found).strip()
    shown = fp.compare(games="asl", minutes=5)._repr_html_()
    assert shown.count("<table>") == 1
    assert "<svg" in shown


def test_rows_are_a_frame_of_pandas_if_that_is_installed(monkeypatch):
    class DataFrame(dict):
        """Columns by name, all of one length, as pandas requires."""

    pandas = ModuleType("pandas")
    pandas.__spec__, pandas.DataFrame = ModuleSpec("pandas", None), DataFrame
    monkeypatch.setitem(sys.modules, "pandas", pandas)
    answer = fp.compare(games="asl", minutes=5)
    for frame in (answer.to_frame(), answer.to_frame("pandas")):
        assert type(frame) is DataFrame
        assert {len(column) for column in frame.values()} == {len(answer.rows())}
        assert set(frame["measure"]) >= {"delivered", "on_target"}


def test_a_chart_is_the_delivery_over_time():
    found = fp.odds("asl/village", moments=3)
    (line,) = re.findall('<polyline points="([^"]*)"', found.svg())
    corners = [tuple(map(float, corner.split(","))) for corner in line.split()]
    answer = found.answer.measures["minutes_to_first_effect"]
    assert corners[0] == (0, HEIGHT)
    assert corners[-1][1] == pytest.approx(HEIGHT * float(answer.unresolved), abs=0.01)


@pytest.mark.parametrize(
    "ask",
    one_in(
        3,
        [
            lambda: fp.odds("asl/village", moments=3),
            lambda: fp.whatif("asl/village", set={"asl.radio_contact": 7}, minutes=3),
            lambda: fp.position("asl/village").odds(by=2),
            lambda: fp.position("asl/village").chance("fall", by=2),
            lambda: fp.position("asl/village").distribution(lambda end: end["a", "red"], by=1),
        ],
    ),
    ids=["odds", "whatif", "position", "chance", "distribution"],
)
def test_answers_with_a_chart_are_drawn(tmp_path, ask):
    found = ask()
    assert found.save(tmp_path / "a.svg").read_bytes().startswith(b"<svg")
    assert found.save(tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in found._repr_html_()
    if isinstance(found, DistributionResult):
        bars = re.findall(r'<rect x="[^"]*" y="[^"]*" width="([^"]*)"', found.svg())
        assert sum(map(float, bars)) == pytest.approx(300, abs=0.1), "the bars do not add up to 1"


def test_importing_loads_nothing_and_lists_everything():
    code = "import sys, fireplan as fp; print('fireplan_core.play' in sys.modules, *dir(fp))"
    told = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert told[0] == "False"
    wanted = {
        "games",
        "scenarios",
        "compare",
        "odds",
        "best",
        "whatif",
        "kitbash",
        "sweep",
        "rules",
        "numbers",
    }
    assert wanted <= set(told)


def test_a_name_that_no_file_can_have_is_refused():
    with pytest.raises(fp.InputError, match="a file name cannot contain a null character"):
        fp.numbers("asl", "radio_contact").save("a\0b.csv")
