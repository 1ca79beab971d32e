"""Three sheets written from the documentation alone, and faults that their designers may make."""

from pathlib import Path

import pytest
import tomli

import fireplan as fp
from fireplan.sheets import sheet_game, sheet_templates
from fireplan_core.files import Document, FileError

TRIALS = Path(__file__).parent / "trials"
SHEETS = {
    name: (TRIALS / f"{name}.toml").read_text("utf-8") for name in ("exchange", "orders", "smoke")
}
TEXTS = SHEETS | {name: file.read_text("utf-8") for name, file in sheet_templates().items()}
FAULTS = tomli.loads((TRIALS / "faults.toml").read_text("utf-8"))["fault"]
NEAR = 2
"""Maximum number of lines between a fault and the line reported."""


@pytest.mark.parametrize("name", SHEETS)
def test_a_sheet_written_from_the_documentation_plays(name):
    answer = fp.odds(str(TRIALS / f"{name}.toml"), moments=3).answer
    assert 0 < answer.measures["delivered"].number <= 1


def answer_to(text):
    try:
        sheet_game(Document.of("trial.toml", text))
    except FileError as error:
        return error.faults
    return ()


def test_there_are_faults_of_many_kinds():
    assert len({fault["what"] for fault in FAULTS}) >= 200


@pytest.mark.parametrize("fault", FAULTS, ids=[fault["what"] for fault in FAULTS])
def test_a_fault_is_answered_with_its_line_and_a_suggestion(fault):
    text, old, new = TEXTS[fault["sheet"]], fault["old"], fault["new"]
    assert old in text
    before = text[: text.index(old)]
    first = before.count("\n") + 1
    last = first + max(old.count("\n"), new.count("\n"))
    table = before[: before.rfind("\n[") + NEAR].count("\n") + 1
    found = answer_to(text.replace(old, new, 1))
    placed = [
        one
        for one in found
        if one.line == table
        or (one.line is not None and first - NEAR <= one.line <= last + NEAR)
        or (one.line is None and "missing" in one.message)
    ]
    assert any(one.message and one.suggestion for one in placed), [str(one) for one in found]
