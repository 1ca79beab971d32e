"""The kit catches each seeded fault with the check meant for it; the misses are documented.

``test_new`` (both scaffolds), ``test_laws`` and the examples test that the games are sound without
a fault.
"""

from __future__ import annotations

import re
from importlib.metadata import entry_points
from pathlib import Path

import attrs
import pytest
import shelf

from fireplan_core import WORDS, Effects, Refusal, hookimpl
from fireplan_kit import LAWS, examine

DOCS = Path(__file__).resolve().parents[3] / "docs" / "reference/checks.md"
GAMES = sorted(entry.name for entry in entry_points(group="fireplan.games"))


def test_there_are_many_faults_each_with_a_kind_and_a_check():
    assert len({fault.id for fault in shelf.FAULTS}) == len(shelf.FAULTS) >= 120
    assert len({fault.kind for fault in shelf.FAULTS}) >= 20
    assert {fault.check for fault in shelf.FAULTS} <= {law.id for law in LAWS} | {shelf.UNSEEN}


def documented():
    """Return the faults that the documentation lists as missed."""
    told = DOCS.read_text(encoding="utf-8").partition("## What the kit misses")[2]
    return set(re.findall(r"^\* `([a-z-]+)`", told, re.MULTILINE))


def test_at_most_five_of_a_hundred_faults_are_documented_as_missed():
    tried = {fault.id for fault in shelf.FAULTS if fault.game in shelf.installed()}
    assert documented() <= tried
    assert 100 * len(documented()) <= 5 * len(tried)


PARTS = 16
"""One fault in this many is tried by .ci/run, the others before a release."""


@pytest.mark.parametrize(
    "part",
    [
        pytest.param(part, marks=pytest.mark.full if part < 1 else pytest.mark.long)
        for part in range(PARTS)
    ],
)
def test_every_fault_is_caught_or_documented_as_missed(part):
    faults = [fault for fault in shelf.FAULTS if fault.game in shelf.installed()][part::PARTS]
    missed = {fault.id for fault in faults if not shelf.try_fault(fault).caught}
    assert missed == documented() & {fault.id for fault in faults}


# --- faults in installed games, by wrapping their parts ------------------------------------------
class Wrapped:
    """A game's plugin that changes each part before it provides it."""

    def __init__(self, plugin, change):
        self.__file__ = plugin.__file__
        self._plugin = plugin
        self._change = change

    @hookimpl
    def fireplan_game(self):
        return self._plugin.fireplan_game()

    def _part(self, word, options, charts):
        game = self._plugin.fireplan_game()
        part = game.parts.of(word)(game.key, options, charts)
        self._change(word, part)
        return part


def _hook(word):
    @hookimpl
    def answer(self, options, charts):
        return self._part(word, options, charts)

    answer.__name__ = f"fireplan_{word}"
    return answer


for _word in WORDS:
    setattr(Wrapped, f"fireplan_{_word}", _hook(_word))


def rule_unsaid(word, part):
    steps = {name: attrs.evolve(step, cite="") for name, step in part.steps().items()}
    part.steps = lambda: steps


def share_by_float(word, part):
    if word == "areas":
        covers = part.covers
        part.covers = lambda *given: float(covers(*given))


def judge_without_a_rule(word, part):
    questions = {
        name: attrs.evolve(asked, offers=_grudging(asked))
        for name, asked in part.questions().items()
    }
    part.questions = lambda: questions


def _grudging(asked):
    return lambda *args: [
        attrs.evolve(form, does=Refusal("", "no")) for form in asked.offers(*args)
    ]


def lands_nowhere(word, part):
    if word == "areas":
        steps = dict(part.steps())
        steps["areas.land"] = attrs.evolve(steps["areas.land"], run=lambda *given: Effects())
        part.steps = lambda: steps


def footprint_twice(word, part):
    if word == "areas":
        footprint = part.footprint
        part.footprint = lambda *given: (footprint(*given)[0] * 2, footprint(*given)[1])


WRAPS = {
    rule_unsaid: "L07-cited",
    share_by_float: "L06-frozen",
    judge_without_a_rule: "L08-refusals",
    lands_nowhere: "L14-ends",
    footprint_twice: "L16-footprint",
}


@pytest.mark.parametrize("change", WRAPS, ids=lambda change: change.__name__)
@pytest.mark.parametrize("game", GAMES)
def test_a_fault_in_an_installed_game_is_caught(game, change):
    (entry,) = entry_points(group="fireplan.games", name=game)
    wrapped = Wrapped(entry.load(), change)
    found = {law.id: findings for law, findings in examine(game, wrapped, only=(WRAPS[change],))}
    assert found[WRAPS[change]]
