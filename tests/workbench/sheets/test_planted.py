"""Typical faults of designers, planted in the templates, are reported (a sample; the benchmark
tries all).
"""

import sys
from importlib import import_module
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks/sheets"))
try:
    PLANTED = [*import_module("planted").planted()]
finally:
    sys.path.pop(0)

SAMPLE = {fault.kind: fault for fault in PLANTED}


def test_there_are_enough_faults_of_enough_kinds():
    assert len(PLANTED) >= 200
    assert len(SAMPLE) >= 30


@pytest.mark.parametrize("kind", SAMPLE)
def test_a_planted_fault_is_answered_with_its_line_and_a_suggestion(kind):
    fault = SAMPLE[kind]
    assert fault.is_answered(), [str(one) for one in fault.answer()]


@pytest.mark.long
def test_nearly_all_planted_faults_are_answered():
    missed = [fault for fault in PLANTED if not fault.is_answered()]
    assert len(missed) * 20 <= len(PLANTED), [(fault.kind, fault.sheet) for fault in missed]


def test_a_hostile_sheet_is_refused_with_its_faults(tmp_path):
    from fireplan.sheets import read_sheet
    from fireplan_core.files import FileError

    text = SAMPLE["a key misspelt"].text
    tables = "".join(f'[table.t{n}]\nrows = {{ "1" = "x" }}\n' for n in range(1000))
    for hostile in (text + tables, text + "\nx = " + "[" * 5000, "a" * 10_000_000):
        path = tmp_path / "hostile.toml"
        path.write_text(hostile, encoding="utf-8")
        with pytest.raises(FileError) as refused:
            read_sheet(path)
        assert all(fault.message for fault in refused.value.faults)
