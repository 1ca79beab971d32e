"""Ledgers: every fault of a file at once, citations of several rules, and rules found in sources
and tests.
"""

import pytest

from fireplan_core import ledger as ledgers
from fireplan_core.files import FileError
from fireplan_core.ledger import citations_in, read_ledger

SOUND = """
title = "A game"
edition = "second"
[[rule]]
id = "1.1"
summary = "Fire is asked for."
status = "implemented"
[[rule]]
id = "C1.21"
summary = "The second red chit ends it."
[[rule]]
id = "9"
summary = "Ships."
status = "not applicable"
reason = "no ships here"
"""


@pytest.fixture
def ledger(tmp_path):
    def read(text):
        file = tmp_path / "rules.toml"
        file.write_text(text, encoding="utf-8")
        return read_ledger(file)

    return read


def test_a_citation_is_known_when_every_rule_in_it_is(ledger):
    found = ledger(SOUND)
    assert (found.title, found.edition) == ("A game", "second")
    assert [(rule.id, rule.status) for rule in found.rules.values()] == [
        ("1.1", "implemented"), ("C1.21", "open"), ("9", "not applicable"),
    ]  # fmt: skip
    for cite, known in {
        "1.1": True,
        "1.1, C1.21": True,
        "1.1, 1.2": False,
        "": False,
        "1.1,": False,
    }.items():
        assert (cite in found) is known, cite
    assert found["9"].reason == "no ships here"


def faults(refused):
    return [(fault.line, fault.key, fault.message) for fault in refused.value.faults]


def test_every_key_that_is_wrong_is_listed_with_its_line(ledger):
    with pytest.raises(FileError) as refused:
        ledger(
            '[[rule]]\nid = "1"\n[[rule]]\nsummary = "a"\n'
            '[[rule]]\nid = "2"\nsummary = "a"\nstatus = "done"\n'
            '[[rule]]\nid = "2"\nsummary = "b"\nsttaus = "open"\n[[rule]]\nid = "5"\nsummary = " "\n'
        )
    assert faults(refused) == [
        (1, "rule[0].summary", "this key is missing"),
        (3, "rule[1].id", "this key is missing"),
        (
            8,
            "rule[2].status",
            'expected one of "implemented", "not applicable", "open", "heading", got "done"',
        ),
        (12, "rule[3].sttaus", "unknown key"),
        (15, "rule[4].summary", 'expected one line of text, got " "'),
    ]
    assert "did you mean status?" in str(refused.value)


def test_every_rule_that_contradicts_itself_or_another_is_listed_with_its_line(ledger):
    with pytest.raises(FileError) as refused:
        ledger(
            '[[rule]]\nid = "2"\nsummary = "a"\n[[rule]]\nid = "2"\nsummary = "b"\n'
            '[[rule]]\nid = "3"\nsummary = "c"\nstatus = "not applicable"\n'
            '[[rule]]\nid = "4.0"\nsummary = "d"\nstatus = "heading"\n'
            '[[rule]]\nid = "5.0"\nsummary = "e"\nstatus = "heading"\nreason = "why"\n'
            '[[rule]]\nid = "5.1"\nsummary = "f"\nstatus = "heading"\n[[rule]]\nid = "5.11"\nsummary = "g"\n'
        )
    heading = "a heading must have rules beneath it and no reason"
    assert faults(refused) == [
        (5, "rule[1].id", '"2" appears twice'),
        (7, "rule[2]", "rule 3: not applicable needs a reason"),
        (11, "rule[3]", f"rule 4.0: {heading}"),
        (15, "rule[4]", f"rule 5.0: {heading}"),
    ]


def test_a_ledger_that_is_not_toml_names_the_line(ledger):
    with pytest.raises(FileError, match=r"rules.toml: line 1"):
        ledger("[[rule]\n")


def test_a_citation_contains_only_rule_numbers(tmp_path):
    (tmp_path / "code.py").write_text('A = "1.1"\nB = "1.1, C1.21"\nC = "see 1.1"\nD = "1.1, 7"\n')
    (tmp_path / "more.py").write_text("E = '1.1'\n")
    (tmp_path / "chart.toml").write_text('title = "1.1"\ncite = "C1.21"\n')
    (tmp_path / "rules.toml").write_text('cite = "1.1"\n')
    assert citations_in(tmp_path, {"1.1", "C1.21"}) == {
        "1.1": ("code.py:1", "code.py:2", "more.py:1"),
        "C1.21": ("code.py:2", "chart.toml:2"),
    }


def test_a_citation_in_single_quotes_counts_and_a_part_of_an_f_string_does_not(tmp_path):
    (tmp_path / "code.py").write_text("A = step(\n    cite='1.1'\n)\nB = f\"1.1{A}\"\n# '1.1'\n")
    assert citations_in(tmp_path, {"1.1"}) == {"1.1": ("code.py:2",)}


def test_a_test_covers_the_rule_numbered_in_its_name(tmp_path):
    names = ("test_c1_21_second_red", "test_c1_2_contact", "test_rp_c1_21", "test_c1_211_other")
    (tmp_path / "test_a.py").write_text("".join(f"def {name}(): ...\n" for name in names))
    assert ledgers.tests_in(tmp_path, ["C1.21", "C1.2", "C1.3"]) == {
        "C1.21": ("test_a.py::test_c1_21_second_red", "test_a.py::test_rp_c1_21"),
        "C1.2": ("test_a.py::test_c1_2_contact",),
    }
