"""One question, one definition: each class appears on every surface, and the same mistake gets the
same message.
"""

import asyncio
import html
import json
import re
import subprocess
import sys
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import get_args
from urllib.parse import urlencode

import attrs
import pytest
from tiers import one_in

import fireplan as fp
from fireplan.analysis import find_engagement
from fireplan.cli import main
from fireplan.mcp_server.tools import tools
from fireplan.questions.grid import read_grid, swept
from fireplan.questions.question import arguments_of, asks, questions, read
from fireplan_core.files import write_toml
from fireplan_studio import RequestRefusedError, opened_link, without_server, work

SURFACES = {"page", "tool", "sweep"}
"""Surfaces that may leave a question out; the command line and Python offer every one."""
CALLING = {
    "belief": {"scenario": "miniatures_1943/chits_in_hand"},
    "check": {"game": "asl"},
    "diff": {"game": "miniatures_1943"},
    "fields": {"game": "asl"},
    "kitbash": {"game": "asl", "delays": "miniatures_1943"},
    "luck": {"game": "asl/denied"},
    "numbers": {"game": "asl"},
    "rules": {"game": "asl"},
    "tune": {"game": "asl/village", "want": "delivered >= 80 %"},
}
"""The fewest arguments with which each question can be asked."""


def wrong_values():
    """Yield a question, its arguments and the wrong argument, for each argument that a text can get
    wrong.
    """
    for kind in questions():
        if {"page", "tool"} & kind.absent.keys():
            continue
        for name, entry in arguments_of(kind).items():
            if entry.local:
                continue
            wrong = []
            if entry.kind is int:
                least, most = entry.range or (None, None)
                wrong += ["some", "1.5", "1e3", "0x10"]
                wrong += [str(least - 1)] if least is not None else []
                wrong += [str(most + 1)] if most is not None else []
            elif entry.fact is not None:
                whole = int in (entry.fact.kind, *get_args(entry.fact.kind))
                wrong += ["many"] if whole or entry.choices else []
            elif entry.named in ("game", "engagement", "scenario"):
                wrong += ["no_such_thing"]
            elif entry.choices:
                wrong += ["nothing of the kind", "DELIVERED!"]
            for value in wrong:
                yield kind.key, {**CALLING.get(kind.key, {}), name: value}, name


CASES = list(wrong_values())
PARTS = 48
"""Of this many equal shares of the cases, the first is quick."""


def one_by_one(faults):
    """Return the faults with every argument named as in Python."""
    return sorted(re.sub(r"--([a-z][a-z-]*)", lambda m: m[1].replace("-", "_"), f) for f in faults)


def of_python(name, said):
    with pytest.raises(fp.InputError) as told:
        getattr(fp, name)(**said)
    return one_by_one(told.value.faults)


def of_command(name, said, capsys):
    known = arguments_of(next(kind for kind in questions() if kind.key == name))
    words = [name]
    for field, entry in known.items():
        if field in said:
            place = entry.placed and entry.option is None and entry.kind is not tuple
            words += [said[field]] if place else [entry.flag, said[field]]
    assert main(words) == 2
    faults = capsys.readouterr().err.strip().split("\n")
    options = {entry.flag: field for field, entry in known.items() if entry.option}
    for option, field in options.items():
        faults = [fault.replace(f"{option}:", f"{field}:") for fault in faults]
    return one_by_one(faults)


def of_tool(name, said):
    with pytest.raises(fp.InputError) as told:
        tools()[name].answer(said)
    return one_by_one(told.value.faults)


def of_page(ask, name, said):
    status, _, body = asyncio.run(ask("GET", f"/questions/{name}?{urlencode(said)}"))
    assert status == 400
    listed = re.search(r'<ul class="faults"[^>]*>(.*?)</ul>', body.decode(), re.DOTALL)[1]
    return one_by_one(html.unescape(one) for one in re.findall(r"<li>(.*?)</li>", listed))


def of_link(name, said):
    with pytest.raises(RequestRefusedError) as told:
        opened_link(f"/questions/{name}?{urlencode(said)}")
    return one_by_one(fault.message for fault in told.value.faults)


def of_sweep(name, said, wrong, folder):
    plan = folder / "plan.toml"
    same = {field: value for field, value in said.items() if field != wrong}
    lines = [f'title = "t"\nquestion = "{name}"\n[ask]']
    lines += [f"{field} = {json.dumps(value)}" for field, value in same.items()]
    lines += [f'[[vary]]\nargument = "{wrong}"\nvalues = [{json.dumps(said[wrong])}]']
    plan.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(fp.InputError) as told:
        swept(read_grid(plan), None, lambda *_: None)
    return one_by_one(told.value.faults)


@pytest.fixture(scope="module")
def ask(tmp_path_factory):
    return without_server(tmp_path_factory.mktemp("tables"))


def test_there_are_two_hundred_wrong_values():
    assert len(CASES) >= 200


@pytest.mark.parametrize(
    "part",
    [
        0,
        *(
            pytest.param(part, marks=pytest.mark.full if part == 1 else pytest.mark.long)
            for part in range(1, PARTS)
        ),
    ],
)
def test_a_wrong_value_has_the_same_faults_on_every_surface(part, ask, capsys, tmp_path):
    for name, said, wrong in CASES[part::PARTS]:
        expected = of_python(name, said)
        assert expected
        assert of_command(name, said, capsys) == expected, (name, said)
        assert of_tool(name, said) == expected, (name, said)
        assert of_page(ask, name, said) == expected, (name, said)
        assert of_link(name, said) == expected, (name, said)
        assert of_sweep(name, said, wrong, tmp_path) == expected, (name, said)


@pytest.mark.parametrize(
    ("name", "said", "wrong"),
    [
        ("odds", {"scenario": "wods", "game": "asl"}, "scenario"),
        ("luck", {"game": "asl/denid"}, "game"),
    ],
)
def test_a_mistyped_name_has_one_fault_in_the_same_words_on_every_surface(
    name, said, wrong, ask, capsys, tmp_path
):
    (expected,) = of_python(name, said)
    assert expected.startswith("There is no ")
    assert of_command(name, said, capsys) == [expected]
    assert of_tool(name, said) == [expected]
    assert of_page(ask, name, said) == [expected]
    assert of_sweep(name, said, wrong, tmp_path) == [expected]


def test_every_surface_suggests_the_nearest_argument(ask, capsys, tmp_path):
    said = {"scenario": "asl/village", "momants": "3"}
    for faults in (
        of_tool("odds", said),
        of_page(ask, "odds", said),
        of_link("odds", said),
        of_sweep("odds", said, "momants", tmp_path),
    ):
        assert any("'momants'" in fault and "'moments'" in fault for fault in faults)
    assert main(["odds", "asl/village", "--momants", "3"]) == 2
    assert "Did you mean '--moments'?" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["odds", "rules", "games"])
def test_python_reports_an_unknown_argument_like_a_tool(name):
    said = {**CALLING.get(name, {}), "sttus": "open"}
    first = {
        fault.partition(" There are")[0]
        for asked in (of_tool, of_python)
        for fault in asked(name, said)
        if fault.startswith("There is no argument 'sttus'.")
    }
    assert len(first) == 1


def test_python_reports_missing_arguments_like_a_tool():
    (expected,) = of_tool("rules", {})
    assert expected.startswith("game is missing: A game's key")
    assert of_python("rules", {}) == [expected]


@pytest.mark.parametrize(
    ("name", "said", "wrong"),
    [
        ("odds", {"scenario": "asl/village", "game": " ", "seed": "x"}, "game"),
        ("numbers", {"game": "", "within": "no_such_number"}, "game"),
        ("compare", {"games": "", "minutes": "0"}, "games"),
        ("best", {"scenario": "asl/village", "cover": ""}, "cover"),
    ],
)
def test_an_empty_text_is_reported_with_the_other_faults(name, said, wrong, capsys):
    expected = of_python(name, said)
    assert f"{wrong} needs a value, not empty text." in expected
    assert of_tool(name, said) == expected
    typed = [fault.replace(wrong.upper(), wrong) for fault in of_command(name, said, capsys)]
    assert typed == expected


@pytest.mark.parametrize(
    ("name", "said", "twice"),
    [
        ("compare", {"minutes": ["2", "3"], "games": "asl"}, "minutes"),
        ("odds", {"scenario": "asl/village", "cover": ["open", "woods"]}, "cover"),
        ("best", {"scenario": "asl/village", "frontier": ["hit", "hit"]}, "frontier"),
    ],
)
def test_a_repeated_value_is_reported_on_pages_and_links_as_on_the_command_line(
    name, said, twice, ask, capsys
):
    words = [name, *(word for word in said.values() if isinstance(word, str) and "/" in word)]
    assert main([*words, *(f"--{twice}={value}" for value in said[twice])]) == 2
    fault = capsys.readouterr().err.strip().removeprefix("--")
    assert fault == f"{twice} was given more than once."
    address = f"/questions/{name}?{urlencode(said, doseq=True)}"
    status, _, body = asyncio.run(ask("GET", address))
    assert status == 400
    assert fault in body.decode()
    with pytest.raises(RequestRefusedError) as told:
        opened_link(address)
    assert fault in [each.message for each in told.value.faults]


@pytest.mark.parametrize("name", ["whatif", "sensitivity"])
def test_a_mistyped_engagement_is_reported_once_on_every_surface(name, ask, capsys, tmp_path):
    said = {"scenario": "wods"}
    expected = of_python(name, said)
    assert sum("'wods'" in fault for fault in expected) == 1
    assert of_command(name, said, capsys) == expected
    assert of_tool(name, said) == expected
    assert of_page(ask, name, said) == expected
    assert of_link(name, said) == expected
    assert of_sweep(name, said, "scenario", tmp_path) == expected


@pytest.mark.parametrize("value", [["a"], {"a": 1}, [["a"]]])
@pytest.mark.parametrize(
    "said", [{"scenario": "asl/village"}, {"scenario": "woods", "game": "asl"}]
)
def test_a_compound_fact_is_a_fault_and_not_a_crash(said, value):
    expected = f"cover: expected text, got {value!r}."
    assert expected in of_python("best", {**said, "cover": value})
    assert expected in of_tool("best", {**said, "cover": value})
    with pytest.raises(fp.InputError, match="cover"):
        fp.position(said["scenario"], game=said.get("game"), cover=value)


@pytest.mark.parametrize("name", ["odds", "best", "chance", "sensitivity"])
def test_facts_of_an_engagement_are_refused_with_a_scenario_in_one_sentence(name):
    said = {"scenario": "asl/village", "target": "woods", "guns": "3"}
    said |= {"event": "fall", "by": "1"} if name == "chance" else {}
    assert of_python(name, said) == [
        "Facts of an engagement (target, guns) cannot be combined with a scenario."
    ]


@pytest.mark.parametrize("name", ["odds", "sensitivity", "best", "duel"])
@pytest.mark.parametrize("game", ["nope", "red_poppies"])
def test_a_game_beside_a_scenario_is_refused_in_one_sentence(name, game):
    said = {"scenario": "asl/village", "game": game}
    assert of_python(name, said) == of_tool(name, said)
    assert of_python(name, said) == [
        "'asl/village' is a scenario, which has its own game: leave game out."
    ]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("odds", {"scenario": "woods "}),
        ("numbers", {"game": " asll "}),
        ("chance", {"scenario": "asl/village", "event": "fal ", "by": "1"}),
        ("compare", {"games": "asl", "cover": " wods"}),
        ("whatif", {"scenario": "asl/village", "set": " asl.radio_contct=7"}),
    ],
)
def test_spaces_around_a_text_do_not_count_on_any_surface(name, said, ask, capsys):
    expected = of_python(name, said)
    assert expected == of_python(name, {field: text.strip() for field, text in said.items()})
    assert of_tool(name, said) == expected
    assert of_command(name, said, capsys) == expected
    assert of_page(ask, name, said) == expected
    assert of_link(name, said) == expected


def test_an_unknown_engagement_and_an_unknown_game_are_both_reported(ask, capsys):
    said = {"scenario": "wods", "game": "asll"}
    expected = of_python("odds", said)
    assert [fault.partition(". ")[0] for fault in expected] == [
        "There is no engagement 'wods'",
        "There is no game 'asll'",
    ]
    assert of_command("odds", said, capsys) == expected
    assert of_tool("odds", said) == expected
    assert of_page(ask, "odds", said) == expected


def test_facts_have_the_same_order_on_every_surface(ask, capsys):
    said = {"scenario": "asl/village", "calibre": "75", "men": "3", "cover": "woods"}
    expected = ["Facts of an engagement (men, cover, calibre) cannot be combined with a scenario."]
    assert of_python("odds", said) == expected
    assert of_command("odds", said, capsys) == expected
    assert of_page(ask, "odds", said) == expected


def test_a_sweep_reports_every_wrong_value_and_name_of_its_axes(tmp_path):
    plan = tmp_path / "plan.toml"
    plan.write_text(
        'title = "t"\nquestion = "whatif"\nask = { scenario = "asl/village" }\n'
        '[[vary]]\nargument = "seed"\nvalues = [-7, -8]\n'
        '[[vary]]\nargument = "momants"\nvalues = [1]\n',
        encoding="utf-8",
    )
    with pytest.raises(fp.InputError) as told:
        swept(read_grid(plan), None, lambda *_: None)
    begins = [
        "Change something:",
        "There is no argument 'momants'.",
        "seed: expected 0 or more, got -7.",
        "seed: expected 0 or more, got -8.",
    ]
    assert len(told.value.faults) == len(begins)
    for fault, begin in zip(sorted(told.value.faults), begins, strict=True):
        assert fault.startswith(begin)


def test_each_fault_of_a_scenario_file_is_a_fault_of_its_own(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text('game = "asl"\ntitle = "x"\n', encoding="utf-8")
    for name in ("odds", "duel", "best"):
        faults = of_python(name, {"scenario": str(file)})
        assert len(faults) > 2
        assert not any("\n" in fault for fault in faults)


def test_no_question_is_absent_from_a_surface_without_a_reason(ask):
    for kind in questions():
        assert kind.absent.keys() <= SURFACES
        assert all(len(reason) > 10 for reason in kind.absent.values()), kind.key
        assert callable(getattr(fp, kind.key))
        assert ("tool" in kind.absent) != (kind.key in tools())
        status, _, _ = asyncio.run(ask("GET", f"/questions/{kind.key}"))
        assert status == (404 if "page" in kind.absent else 200), kind.key


def test_nothing_of_this_machine_is_read_by_a_name_from_elsewhere(ask, tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(write_toml(fp_engagement()), encoding="utf-8")
    for name, field in (("compare", "engagement"), ("odds", "scenario"), ("luck", "game")):
        said = {field: str(file)}
        with pytest.raises(fp.InputError, match="There is no"):
            tools()[name].answer(said)
        assert any("There is no" in fault for fault in of_page(ask, name, said))
    for local in ("house_rules", "chart", "efg"):
        kinds = [
            kind for kind in questions() if local in arguments_of(kind) and kind.key in tools()
        ]
        assert kinds
        for kind in kinds:
            assert local not in tools()[kind.key].schema["properties"]


def fp_engagement():
    from fireplan.analysis import find_engagement

    return find_engagement("woods")


# --- a question of another package ---------------------------------------------------------------------
QUESTION = '''
from collections.abc import Iterator
from typing import Any

import attrs

from fireplan.questions.question import Question, asks
from fireplan.questions.result import Block, Result, Text


@attrs.frozen(eq=False, repr=False)
class Count(Result):
    """So many rounds."""

    rounds: int

    def blocks(self) -> Iterator[Block]:
        yield Text(f"{self.rounds} rounds")

    def to_dict(self) -> dict[str, Any]:
        return {"rounds": self.rounds}


class Rounds(Question[Count]):
    """Count the rounds that some guns fire."""

    key = "rounds"

    guns: int = asks("How many guns fire.", attrs.NOTHING, placed=True, range=(1, 100))
    minutes: int = asks("How long they fire.", 2, range=(1, 60), unit="min")

    def answer(self) -> Count:
        """Return the count at three rounds a minute."""
        return Count(self.guns * self.minutes * 3)
'''
ASKING = """
import asyncio, json, sys
from pathlib import Path
import fireplan as fp
from fireplan.cli import main
from fireplan.mcp_server.tools import tools
from fireplan_studio import without_server, opened_link

folder = Path(sys.argv[1])
ask = without_server(folder)
page = lambda address: asyncio.run(ask("GET", address))[2].decode()
plan = folder / "plan.toml"
plan.write_text('title = "t"\\nquestion = "rounds"\\n[ask]\\nguns = 4\\n[[vary]]\\nargument = "minutes"\\nvalues = [1, 2]')
print(json.dumps({
    "python": fp.rounds(4, minutes=5).rounds,
    "help": fp.rounds.__doc__,
    "form": page("/questions/rounds"),
    "page": page("/questions/rounds?guns=4&minutes=5"),
    "link": str(opened_link("/questions/rounds?guns=4&minutes=5")[0]),
    "tool": tools()["rounds"].answer({"guns": 4, "minutes": 5}),
    "schema": dict(tools()["rounds"].schema),
    "sweep": fp.sweep(plan).rows(),
}))
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Return a folder with one installed distribution that has one question."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "rounds_question.py").write_text(QUESTION, encoding="utf-8")
    about = folder / "rounds_question-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: rounds-question\nVersion: 1\n")
    (about / "entry_points.txt").write_text(
        "[fireplan.questions]\nrounds = rounds_question:Rounds\n"
    )
    return folder


def run(installed, *words):
    done = subprocess.run(
        [sys.executable, *words],
        capture_output=True,
        text=True,
        check=False,
        cwd=installed,
        env={**__import__("os").environ, "PYTHONPATH": str(installed), "COLUMNS": "100"},
    )
    return done.returncode, done.stdout, done.stderr


def test_a_new_question_is_one_class_of_under_forty_lines():
    lines = QUESTION[QUESTION.index("class Rounds") :].strip().split("\n")
    assert len(lines) < 40


@pytest.mark.full
def test_a_new_question_shows_on_every_surface_with_no_other_file_touched(installed):
    status, out, err = run(installed, "-c", ASKING, str(installed))
    assert status == 0, err
    shown = json.loads(out)
    assert shown["python"] == 60
    assert "How many guns fire." in shown["help"]
    assert 'name="minutes"' in shown["form"]
    assert "60 rounds" in shown["page"]
    assert shown["link"] == "60 rounds"
    assert shown["tool"] == {"rounds": 60}
    assert shown["schema"]["properties"]["guns"]["maximum"] == 100
    assert shown["sweep"] == [{"minutes": 1, "rounds": 12}, {"minutes": 2, "rounds": 24}]


def test_a_new_question_is_a_command_that_help_lists(installed):
    status, out, _ = run(installed, "-m", "fireplan", "--help")
    assert status == 0
    assert "Count the rounds that some guns fire." in out
    status, out, _ = run(installed, "-m", "fireplan", "rounds", "4", "--minutes", "5")
    assert (status, out.strip()) == (0, "60 rounds")
    status, _, err = run(installed, "-m", "fireplan", "rounds", "0", "--minutes", "x")
    assert status == 2
    assert err.splitlines() == [
        "GUNS: expected 1 to 100, got 0.",
        "--minutes: expected a whole number, got 'x'.",
    ]


@pytest.mark.full
def test_an_argument_that_is_added_shows_on_five_surfaces(installed):
    added = QUESTION.replace(
        "    def answer(self) -> Count:",
        '    rate: int = asks("Rounds a minute.", 3, range=(1, 12))\n\n    def answer(self) -> Count:',
    )
    module = installed / "rounds_question.py"
    try:
        module.write_text(added, encoding="utf-8")
        status, out, err = run(installed, "-c", ASKING, str(installed))
        assert status == 0, err
        shown = json.loads(out)
        assert "Rounds a minute." in shown["help"]
        assert 'name="rate"' in shown["form"]
        assert "rate" in shown["schema"]["properties"]
        assert run(installed, "-m", "fireplan", "rounds", "4", "--rate", "2")[0] == 0
        plan = Path(installed) / "rates.toml"
        plan.write_text(
            'title = "t"\nquestion = "rounds"\n[ask]\nguns = 4\n[[vary]]\nargument = "rate"\nvalues = [2, 3]'
        )
        assert run(installed, "-m", "fireplan", "sweep", str(plan))[0] == 0
    finally:
        module.write_text(QUESTION, encoding="utf-8")


@pytest.mark.parametrize("share", ["x", "1/0", "nan", ["1/2"]])
def test_a_value_that_the_function_of_a_field_refuses_is_a_fault(share):
    class Share(fp.Question[str]):
        share: Fraction = asks("A share.", Fraction(1, 2), reads=Fraction)

    (fault,) = read(Share, {"share": share})[1]
    assert fault.startswith("share: ")
    assert read(Share, {"share": "1/3"}) == ({"share": Fraction(1, 3)}, [])


def test_a_field_of_a_type_that_is_not_read_from_text_needs_a_function():
    class Weight(fp.Question[str]):
        weight: float | None = asks("A weight.")

    with pytest.raises(TypeError, match="The field weight is a float"):
        arguments_of(Weight)


def test_cases_are_of_many_questions():
    assert len({name for name, _, _ in islice(CASES, len(CASES))}) >= 10


LONG = {
    "compare": (
        {"engagement": "strongpoint", "minutes": "1440", "games": "asl"},
        ("/compare?v=1&minutes=1440&engagement=strongpoint&games=asl", "/questions/compare"),
    ),
    "whatif": (
        {"scenario": "strongpoint", "minutes": "1440", "set": "asl.set_breaks=7"},
        (
            "/whatif?v=1&minutes=1440&engagement=strongpoint&game=asl&set=set_breaks=7",
            "/questions/whatif",
        ),
    ),
    "sensitivity": (
        {"scenario": "woods", "game": "asl", "minutes": "240"},
        ("/whatif/ranking?v=1&game=asl&minutes=240", "/questions/sensitivity"),
    ),
    "tune": (
        {"game": "asl", "engagement": "strongpoint", "minutes": "1440", "want": "delivered > 80 %"},
        (
            "/dial/tune?v=1&game=asl&minutes=1440&engagement=strongpoint&want=delivered+%3E+80+%25",
            "/questions/tune",
        ),
    ),
}
"""Questions that take minutes to answer, and the links that ask them."""


@pytest.mark.parametrize("name", one_in(len(LONG), reversed(LONG)))
def test_no_surface_begins_a_job_of_minutes_without_consent(name, capsys):
    said, links = LONG[name]
    typed = [f"--{key}={value}" for key, value in said.items() if key not in PLACED[name]]
    command = [name, *(said[key] for key in PLACED[name]), *typed]
    about = re.compile(r"This will take about [\w ]+ on a slow machine")
    sentences = set()
    for line in (command, *(["open", _asking(link, said)] for link in links)):
        main(line)
        out, err = capsys.readouterr()
        told = " ".join(f"{out}{err}".split())
        assert "add --yes to start anyway" in told, line
        sentences.add(about.search(told)[0])
    assert len(sentences) == 1
    with pytest.raises(fp.InputError, match="over the limit of 30 seconds"):
        tools()[name].answer({**said, "minutes": int(said["minutes"]), **LISTS[name]}, 30)


PLACED = {
    "compare": ["engagement"],
    "whatif": ["scenario"],
    "sensitivity": ["scenario"],
    "tune": ["game", "engagement"],
}
LISTS = {
    "compare": {"games": ["asl"]},
    "whatif": {"set": ["asl.set_breaks=7"]},
    "sensitivity": {},
    "tune": {"want": ["delivered > 80 %"]},
}


def _asking(link, said):
    return link if "?" in link else f"{link}?{urlencode({**said, 'v': 1})}"


def test_an_answer_of_the_studio_that_would_pass_its_limit_is_not_begun():
    woods = attrs.evolve(find_engagement("woods"), minutes=1440)
    with pytest.raises(fp.InputError, match="over the limit of 60 seconds: watch fewer minutes"):
        work.ranked(woods, work.Entrant("asl", "asl", "ASL"), "delivered")


def test_a_link_that_takes_long_shows_how_far_it_is():
    steps = []
    opened_link(
        "/whatif/ranking?v=1&game=miniatures_1943&minutes=6&for=delivered",
        progress=lambda total, what: steps.append((total, what)),
    )
    assert len(steps) == steps[0][0] > 1
