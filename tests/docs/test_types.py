"""The Python examples of the documentation pass mypy --strict, which reports a misspelt argument
before any question is asked.
"""

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

for tool in ("mypy", "ruff"):
    pytest.importorskip(tool, reason=f"{tool} is in requirements-dev.txt; .ci/run has it")

DOCS = Path(__file__).parents[2] / "docs"
PAGES = ("how_to/asking", "how_to/best", "reference/front_door", "reference/yardsticks")
EXPECTED = {
    # The kit, a separate distribution, adds this function.
    ("front_door", 'Module has no attribute "check"'),
    ("front_door", 'Unexpected keyword argument "gums" for "compare"'),  # an example of wrong input
}


def test_the_signatures_are_those_of_the_questions(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS))
    signatures = importlib.import_module("_signatures")
    assert signatures.stub() == signatures.STUB.read_text(encoding="utf-8")


@pytest.mark.full
def test_the_pages_pass_mypy_strict_and_a_misspelt_argument_does_not(tmp_path):
    for page in PAGES:
        text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
        blocks = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
        (tmp_path / f"{Path(page).name}.py").write_text("\n".join(blocks), encoding="utf-8")
    (tmp_path / "misspelt.py").write_text(
        "import fireplan as fp\n\nfp.compare(minuts=3)\nfp.odds(moments='two')\nfp.nosuch\n",
        encoding="utf-8",
    )
    files = [str(file) for file in sorted(tmp_path.glob("*.py"))]
    mypy = [sys.executable, "-m", "mypy", "--strict", "--config-file", "pyproject.toml"]
    done = subprocess.run(
        [*mypy, *files], capture_output=True, text=True, check=False, cwd=DOCS.parent
    )
    errors = re.findall(r"(\w+)\.py:\d+: error: (.*?)  \[", done.stdout)
    said = {(page, message) for page, message in errors if page != "misspelt"}
    assert said == EXPECTED
    misspelt = " ".join(message for page, message in errors if page == "misspelt")
    for hint in ('argument "minuts" for "compare"', 'matches argument type "str"', '"nosuch"'):
        assert hint in misspelt
