"""L30: ``fireplan check`` reports what the type checker finds in a game."""

import pytest

from fireplan_kit import examine, type_laws
from fireplan_kit.kitbash import imported
from fireplan_kit.scaffolding import rendered

pytest.importorskip("mypy", reason="mypy is in requirements-dev.txt; .ci/run has it")

PART = "src/fireplan_typed/requests.py"
STEPS = {
    "too few arguments for a step": ("push(cycle.request)", "Missing positional argument"),
    "a misspelt step": ("push(cycle.reqest, mission)", 'has no attribute "reqest"'),
    "an argument of the wrong type": ("push(cycle.convert, 3)", "incompatible type"),
}


def findings(pushed):
    """Return the findings for a new game with an unannotated function that pushes this."""
    files = rendered("typed", "hex")
    files[PART] = (
        files[PART]
        .replace(
            "\n\nclass Calls",
            f"\n\ndef calls(view, mission):\n    return Effects({pushed})\n\n\nclass Calls",
        )
        .replace(
            "from fireplan_core.ready",
            "from fireplan_core import Effects, cycle, push\nfrom fireplan_core.ready",
        )
    )
    with imported("typed", files) as plugin:
        ((law, found),) = examine("typed", plugin, only=("L30-types",))
    return law, [str(finding) for finding in found]


@pytest.mark.parametrize(("pushed", "message"), STEPS.values(), ids=STEPS)
def test_a_wrong_call_in_a_function_without_annotations_is_found_with_its_line(pushed, message):
    _, (found,) = findings(pushed)
    assert "L30-types: requests.py:" in found
    assert message in found


def test_without_the_type_checker_there_is_nothing_to_check(monkeypatch):
    monkeypatch.setattr(type_laws, "find_spec", lambda _name: None)
    law, found = findings("push(cycle.request)")
    assert not law.examined
    assert found == []
