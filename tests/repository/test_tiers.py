"""The tests that run by default are the quick ones, unless the command line selects others."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

CONFTEST = Path(__file__).resolve().parents[1] / "conftest.py"
SETTINGS = '[pytest]\nmarkers =\n    full: ""\n    long: ""\n'
TESTS = """
import pytest

def test_quick(): pass

@pytest.mark.full
def test_full(): pass

@pytest.mark.long
def test_long(): pass
"""


def test_only_quick_tests_run_by_default_and_a_note_says_so(tmp_path):
    (tmp_path / "plugins").mkdir()
    (tmp_path / "tests").mkdir()
    (tmp_path / "pytest.ini").write_text(SETTINGS, encoding="utf-8")
    (tmp_path / "tests" / "conftest.py").symlink_to(CONFTEST)
    (tmp_path / "tests" / "test_tiers.py").write_text(TESTS, encoding="utf-8")
    report = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-v", "tests"],
        cwd=tmp_path, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    assert "::test_quick PASSED" in report
    assert "1 passed, 2 deselected" in report
    assert "Only the quick tests ran" in report


@pytest.mark.parametrize(
    ("markexpr", "argument"),
    [("long", "tests"), ("not long", "tests/test_x.py"), ("", "tests/test_x.py::test_long")],
)
def test_a_marker_or_the_name_of_a_test_selects_any_tier(pytestconfig, markexpr, argument):
    conftest = pytestconfig.pluginmanager.get_plugin(str(CONFTEST))
    config = SimpleNamespace(option=SimpleNamespace(markexpr=markexpr), args=[argument])
    conftest.pytest_configure(config)
    assert config.option.markexpr == markexpr
