"""Commands derived from questions: their options, help and output."""

import csv
import io
import json
from itertools import product

import pytest
from tiers import one_in

import fireplan as fp
from fireplan.cli import main
from fireplan.cli.question_commands import command_of
from fireplan.questions.question import arguments_of, questions


@pytest.mark.parametrize("kind", [*questions()], ids=lambda kind: kind.key)
def test_every_argument_is_an_option_with_its_meaning(kind, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "300")
    assert main([kind.key, "--help"]) == 0
    words = " ".join(capsys.readouterr().out.replace("│", "").split())
    for name, entry in arguments_of(kind).items():
        placed = entry.placed and entry.option is None and entry.kind is not tuple
        assert (name.upper() if placed else entry.flag) in words
        assert entry.meaning[1:].rstrip(".") in words
    for hidden in ("catalogue", "progress", "raises"):
        assert f"--{hidden}" not in words
    assert callable(command_of(kind))


def test_faults_of_output_options_are_reported_with_the_others(capsys):
    assert main(["numbers", "als", "--json", "--csv"]) == 2
    assert main(["diff", "asl", "--option", "nothing", "--json", "--csv"]) == 2
    faults = capsys.readouterr().err.splitlines()
    assert [fault for fault in faults if "'als'" in fault]
    assert [fault for fault in faults if "'nothing'" in fault]
    assert [fault for fault in faults if "--json and --csv" in fault]


LISTS = ("fields", "numbers", "rules", "scenarios")


@pytest.mark.parametrize(
    "words",
    one_in(
        5,
        [
            " ".join(words)
            for words in (
                ("games",),
                *product(LISTS, ["asl", "miniatures_1943", "red_poppies", "wacht_am_rhein"]),
            )
        ],
    ),
)
def test_csv_and_json_agree(capsys, words):
    words = words.split()
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
    [
        pytest.param(("belief", "--side", "german"), id="belief"),
        pytest.param(("odds",), id="odds"),
        pytest.param(("best", "--for", "hit"), id="best", marks=pytest.mark.long),
    ],
)
def test_a_shipped_playthrough_is_asked_where_it_ends(capsys, asked):
    question, *how = asked
    name = "miniatures_1943/only_dummies" if question == "belief" else "asl/contact_lost"
    for where in ((), ("--at", str(len(fp.load(name).inputs)))):
        assert main([question, name, *how, *where, "--json"]) == 0
    at_its_end, after_all = capsys.readouterr().out.split("\n}\n")[:2]
    assert at_its_end == after_all
    assert json.loads(at_its_end + "}") != {}


@pytest.mark.full
def test_a_scenario_takes_precedence_over_a_playthrough_of_the_same_name(capsys):
    assert fp.load("asl/creeping").inputs
    for asked in (("asl/creeping", "--moments", "1"), ("--from", "fp1 asl/creeping", "--by", "1")):
        assert main(["odds", *asked, "--json"]) == 0
    opening, position = (
        json.loads(part + "}") for part in capsys.readouterr().out.split("\n}\n")[:2]
    )
    assert opening["measures"]["delivered"]["value"] == position["measures"]["delivered"]["value"]
