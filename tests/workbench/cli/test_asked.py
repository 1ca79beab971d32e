"""A question of the front door is declared once: its command takes its arguments, its words and its answer."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from inspect import signature
from itertools import product
from typing import Any

import pytest
from cyclopts import App, Parameter

import fireplan as fp
from fireplan.cli import main, question_commands
from fireplan.cli.app import ASKED
from fireplan.questions.errors import InputError
from fireplan.questions.lists import Table
from fireplan.questions.sampling import Progress
from fireplan_core.play import Catalogue

NOT_TYPED = {"catalogue", "progress", "begin", "begun", "facts", "exact"}
"""Arguments that a program gives; ``exact`` is typed as ``--float``."""


def tally(
    game: str,
    *,
    only: Iterable[str] = (),
    most: int = 3,
    catalogue: Catalogue | None = None,
    progress: Progress | None = None,
    **facts: Any,
) -> Table:
    """Count the guns.

    :param only: Count these alone.
    :param most: Count so many at most.
    :raises InputError: For none.
    """
    assert catalogue is None
    assert progress is not None
    if not most:
        raise InputError("most: expected 1 or more, got 0.")
    return Table(
        {"name": "gun"}, [{"name": f"{game} {one} {facts}"} for one in only][:most], "guns"
    )


@pytest.fixture
def run():
    app = App(default_parameter=Parameter(negative=""))
    app.command(question_commands._command(tally, None), name="tally")

    def ask(*typed):
        return app(["tally", *typed], exit_on_error=False, result_action="return_value")

    return ask


@pytest.mark.parametrize("name", ASKED)
def test_whatever_python_may_ask_may_be_typed(name):
    typed = set(signature(getattr(question_commands, name)).parameters)
    assert set(signature(getattr(fp, name)).parameters) - NOT_TYPED <= typed
    assert {"json", "csv"} <= typed


def test_a_function_is_a_command_as_it_stands(run, capsys):
    run("asl", "--only", "a", "--only", "b", "--most", "1", "--guns", "24", "--json")
    assert json.loads(capsys.readouterr().out) == {"guns": [{"name": "asl a {'guns': 24}"}]}
    run("asl", "--only", "a", "--csv")
    assert capsys.readouterr().out.splitlines() == ["name", "asl a {}"]


def test_the_help_of_a_command_is_what_its_function_says(run, capsys):
    run("--help")
    words = " ".join(capsys.readouterr().out.replace("│", "").split())
    for told in (
        "Count the guns.",
        "Count these alone.",
        "[default: 3]",
        "--guns",
        "Print JSON",
        "'fireplan games'",
    ):
        assert told in words
    for hidden in ("catalogue", "progress", "raises", "--picture"):
        assert hidden not in words


def test_what_is_wrong_with_how_it_is_told_is_told_with_the_rest(capsys):
    assert main(["numbers", "als", "--json", "--csv"]) == 2
    assert main(["diff", "asl", "--option", "nothing", "--json", "--csv"]) == 2
    faults = capsys.readouterr().err.splitlines()
    assert [fault for fault in faults if "'als'" in fault]
    assert [fault for fault in faults if "'nothing'" in fault]
    assert [fault for fault in faults if "--json and --csv" in fault]


LISTS = ("fields", "numbers", "rules", "scenarios")


@pytest.mark.parametrize(
    "words",
    [("games",), *product(LISTS, ["asl", "miniatures_1943", "red_poppies", "wacht_am_rhein"])],
)
def test_lines_of_commas_say_what_json_says(capsys, words):
    assert main([*words, "--json"]) == 0
    told = max(
        (rows for rows in json.loads(capsys.readouterr().out).values() if isinstance(rows, list)),
        key=len,
    )
    assert main([*words, "--csv"]) == 0
    lines = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert len(lines) == len(told) > 0
    for line, row in zip(lines, told, strict=True):
        assert row.keys() <= line.keys()
        for name, cell in line.items():
            value = row.get(name)
            if isinstance(value, list | dict):
                assert json.loads(cell) == value
            else:
                assert cell == ("" if value is None else str(value))


def test_every_answer_is_printed_as_lines_of_commas(capsys):
    assert main(["numbers", "asl", "radio_contact", "--csv"]) == 0
    assert capsys.readouterr().out == fp.numbers("asl", "radio_contact").csv()


@pytest.mark.parametrize(
    "asked",
    [("belief", "--side", "german"), ("odds",), ("best", "--for", "hit")],
    ids=lambda asked: asked[0],
)
def test_a_shipped_playthrough_is_asked_where_it_ends(capsys, asked):
    question, *how = asked
    name = "miniatures_1943/only_dummies" if question == "belief" else "asl/contact_lost"
    for where in ((), ("--at", str(len(fp.load(name).inputs)))):
        assert main([question, name, *how, *where, "--json"]) == 0
    at_its_end, after_all = capsys.readouterr().out.split("\n}\n")[:2]
    assert at_its_end == after_all
    assert json.loads(at_its_end + "}") != {}


def test_of_a_playthrough_and_a_scenario_of_one_name_the_scenario_is_asked(capsys):
    assert fp.load("asl/creeping").inputs
    for asked in (("asl/creeping", "--moments", "1"), ("--from", "fp1 asl/creeping", "--by", "1")):
        assert main(["odds", *asked, "--json"]) == 0
    opening, position = (
        json.loads(part + "}") for part in capsys.readouterr().out.split("\n}\n")[:2]
    )
    assert opening["measures"]["delivered"]["value"] == position["measures"]["delivered"]["value"]
