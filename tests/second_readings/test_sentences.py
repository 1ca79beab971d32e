"""The rules texts read again, sentence by sentence, against the program: ``docs/sentences``, one
file per text.

Each sentence names its row of the ledger, its requirement, the tests that make the program do it,
and the decision taken. The tests here check that all of this is present, every row of the ledger is
covered, and every test exists.
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest
import tomli

from fireplan_core.play import Catalogue

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / "docs" / "sentences").glob("*.toml"))
TEXTS = {path.stem: tomli.loads(path.read_text(encoding="utf-8")) for path in FILES}
CATALOGUE = Catalogue.installed()


@cache
def named_in(path):
    """Return the names of a module's tests."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return {
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }


def rows_of(text):
    """Return the rows of the ledger that a text covers: those whose number begins with its prefix."""
    rules = CATALOGUE[text["game"]].game.ledger.rules
    return {number: rule for number, rule in rules.items() if number.startswith(text["numbers"])}


@pytest.mark.parametrize("name", TEXTS)
def test_every_row_of_the_ledger_is_read_and_no_other(name):
    text = TEXTS[name]
    assert set(text) == {"title", "game", "numbers", "tests", "sentence"}
    assert {one["clause"] for one in text["sentence"]} == set(rows_of(text))


@pytest.mark.parametrize("name", TEXTS)
def test_every_sentence_has_tests_or_a_reason(name):
    text = TEXTS[name]
    missing = []
    for one in text["sentence"]:
        assert set(one) <= {"clause", "asks", "test", "ruled"}, one
        assert one["asks"].endswith(".")
        if not one["test"] and not one.get("ruled"):
            missing.append(f"{one['clause']}: neither a test nor a ruling")
        for test in one["test"]:
            module, _, function = test.partition("::")
            path = module if "/" in module else f"{text['tests']}/{module}"
            if not (ROOT / path).is_file() or function not in named_in(path):
                missing.append(f"{one['clause']}: {test}")
    assert not missing


@pytest.mark.parametrize("name", TEXTS)
def test_every_requirement_of_an_implemented_rule_is_tested(name):
    text = TEXTS[name]
    tested = {one["clause"] for one in text["sentence"] if one["test"]}
    assert {
        number for number, rule in rows_of(text).items() if rule.status == "implemented"
    } <= tested


@pytest.mark.parametrize("name", TEXTS)
def test_an_option_that_a_ruling_names_is_one_of_the_game(name):
    text = TEXTS[name]
    known = {option.name for option in CATALOGUE[text["game"]].game.options}
    named = [
        one["ruled"].split()[1].rstrip(":;,")
        for one in text["sentence"]
        if one.get("ruled", "").startswith("option ")
    ]
    assert set(named) <= known


def test_every_text_is_on_the_page():
    page = (ROOT / "docs" / "reference/sentences.md").read_text(encoding="utf-8")
    assert [name for name in TEXTS if f"_generated/sentences/{name}.md" not in page] == []
