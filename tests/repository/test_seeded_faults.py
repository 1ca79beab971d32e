"""The catalogue of seeded faults fits the sources, so that it can be measured at any time."""

from collections import Counter
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

FILE = Path(__file__).parents[2] / "benchmarks" / "faults" / "measure.py"


def harness():
    """Return the module ``benchmarks/faults/measure.py``."""
    spec = spec_from_file_location("measure", FILE)
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
