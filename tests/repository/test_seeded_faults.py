"""The catalogue of seeded faults fits the sources, so it can be measured at any time."""

from collections import Counter
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def harness(name="measure"):
    """Return a module of ``benchmarks/faults``."""
    spec = spec_from_file_location(name, ROOT / "benchmarks" / "faults" / f"{name}.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_seeded_fault_occurs_once_in_its_file_and_still_compiles():
    catalogue = harness().faults()
    assert len(catalogue) >= 120
    kinds = Counter(fault.kind for fault in catalogue)
    assert len(kinds) >= 12
    assert max(kinds.values()) < len(catalogue) / 4


def test_the_nearest_tests_of_a_fault_are_those_of_its_game_and_module():
    measure = harness()
    (fault,) = (fault for fault in measure.faults() if fault.name == "asl-red-chits")
    first, *others = measure.near(fault)
    assert first == "tests/asl/test_delays.py"
    at_home = [file.startswith("tests/asl/") for file in others]
    assert at_home == sorted(at_home, reverse=True)
    assert sum(at_home) > len(at_home) / 2


def test_every_stranger_fault_was_tried_and_the_table_has_the_results():
    strangers = harness("strangers")
    rows = strangers.results()
    assert list(rows) == [fault.id for fault in strangers.faults()]
    planted = [row for row in rows.values() if row["kind"] != "sound"]
    missed = [row["id"] for row in planted if row["met_by"] == strangers.MISSED]
    assert len(planted) >= 150
    assert 20 * len(missed) <= len(planted)
    assert {row["met_by"] for row in rows.values() if row["kind"] == "sound"} == {strangers.MISSED}
    page = (ROOT / "docs" / "reference" / "seeded_faults.md").read_text(encoding="utf-8")
    assert f"\n{strangers.table(rows)}\n" in page


def test_a_result_of_a_strangers_fault_is_kept_at_once_and_in_the_order_of_the_faults(
    tmp_path, monkeypatch
):
    strangers = harness("strangers")
    monkeypatch.setattr(strangers, "RESULTS", tmp_path / "strangers.csv")
    first, *_, last = strangers.faults()
    strangers.keep(last, "L07-cited: no rule 9.9: see [1]", 1.25)
    strangers.keep(first, "", 0.5)
    kept = strangers.results()
    assert list(kept) == [first.id, last.id]
    assert kept[last.id]["met_by"] == "L07-cited"
    assert kept[last.id]["finding"] == "no rule 9.9: see [1]"
    assert kept[first.id]["met_by"] == strangers.MISSED


@pytest.mark.long
def test_a_fault_in_a_copy_is_found_and_the_copy_is_whole_again_afterwards(tmp_path):
    measure = harness()
    (fault,) = (fault for fault in measure.faults() if fault.name == "core-rotate-left")
    copy = measure.Copy(tmp_path)
    before = (tmp_path / fault.file).read_text(encoding="utf-8")
    with copy.seeded([fault]):
        assert (tmp_path / fault.file).read_text(encoding="utf-8") == before.replace(
            fault.old, fault.new
        )
        test = "tests/core/space/test_hexes.py"
        run = copy.run([test], "quick", 120, stop=True)
    assert run.failed[0].startswith(f"{test}::test_rotation")
    assert (tmp_path / fault.file).read_text(encoding="utf-8") == before
