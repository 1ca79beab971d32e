"""The list of things that the checks leave out: no file in fact reads or runs any of them."""

from __future__ import annotations

from contextlib import nullcontext
from importlib import import_module

import attrs
import pytest
from tiers import full_then_long, one_in

from fireplan.analysis import shipped_engagements
from fireplan.table import Session, read_playthrough, replay_playthrough, scenario_of
from fireplan_core import numbers_of, with_numbers
from fireplan_kit import STANDARD, Bench, uncovered
from fireplan_kit.check import admitted
from fireplan_kit.check_question import CheckResult
from fireplan_kit.kitbash import imported
from fireplan_kit.scaffolding import SPACES, rendered

SHIPPED = ("asl", "miniatures_1943", "red_poppies", "wacht_am_rhein")


@pytest.mark.parametrize("game", full_then_long(SHIPPED[1:] + SHIPPED[:1]))
def test_numbers_that_nothing_reads_may_be_any_others(game, monkeypatch):
    # Lines are not recorded, because noting each line that is run takes four times as long as
    # everything else.
    monkeypatch.setattr("fireplan_kit.coverage._traced", lambda _package, _lines: nullcontext())
    plugin = import_module(f"fireplan_{game}")
    unread = uncovered(game, plugin)["numbers"]
    catalogue, _ = admitted(game, plugin)
    installed = catalogue[game]
    numbers = numbers_of(installed.game.charts)
    changed = {
        name: str(numbers[name].cell.steps[0]) for name in unread if numbers[name].cell.steps
    }
    assert changed
    charts = with_numbers(installed.game.charts, changed)
    catalogue.games[game] = attrs.evolve(
        installed, game=attrs.evolve(installed.game, charts=charts)
    )
    for path in Bench(catalogue, game, STANDARD).playthroughs:
        playthrough = read_playthrough(path.read_text(encoding="utf-8"))
        session = Session(
            *scenario_of(catalogue, playthrough.head(catalogue, shipped_engagements()))
        )
        assert replay_playthrough(playthrough, session) == ()


@pytest.mark.parametrize("space", one_in(len(SPACES), SPACES))
@pytest.mark.full
def test_functions_that_nothing_runs_may_do_anything(space):
    """A function that no check runs may raise without being noticed; it is listed."""
    key = f"cornered_{space}"
    files = rendered(key, space)
    name = f"src/fireplan_{key}/resolution.py"
    files[name] = files[name].replace(
        "class Shelling", "def corner() -> int:\n    return 1 // 0\n\n\nclass Shelling", 1
    )
    with imported(key, files) as plugin:
        left = uncovered(key, plugin)
    assert [
        place
        for place in left["lines"]
        if place.startswith("resolution.py") and place.endswith("corner")
    ]


@pytest.mark.full
def test_a_line_that_only_frozen_files_run_is_without_a_witness():
    """The witnesses play the game's own scenario of three units; the perft tables have other
    scenarios.
    """
    key = "unproven"
    files = rendered(key, "hex")
    name = f"src/fireplan_{key}/resolution.py"
    files[name] = files[name].replace(
        "    return -2 if", "    if len(view.units) > 3:\n        return -3\n    return -2 if"
    )
    with imported(key, files) as plugin:
        left = uncovered(key, plugin)
    number = files[name].splitlines().index("        return -3") + 1
    assert left["lines without a witness"] == [f"resolution.py:{number}"]
    with imported(key, rendered(key, "hex")) as plugin:
        assert "lines without a witness" not in uncovered(key, plugin)


def test_a_game_that_is_not_admitted_has_no_coverage_list():
    with imported("odd", rendered("odd", "hex")) as plugin:
        assert uncovered("even", plugin) == {}


@pytest.mark.parametrize(
    ("unseen", "said"),
    [
        ({"lines": ["Fire.error_lines"]}, "not covered: 1 line: Fire.error_lines"),
        ({"rules without a witness": ["C1.2"]}, "not covered: 1 rule without a witness: C1.2"),
        ({"rules": ["C1.2", "C1.3"]}, "not covered: 2 rules: C1.2, C1.3"),
    ],
)
def test_one_that_was_not_looked_at_is_one(unseen, said):
    assert [block.text for block in CheckResult("g", {}, frozenset(), unseen).blocks()] == [said]
