"""Scripted plays reach and cite every rule that the ledger calls implemented.

The plays are those of the other modules, played again with a recorder in the table. It collects the
citations of every event (and so of every modifier), refusal, step and order on offer.
"""

from __future__ import annotations

import inspect
import itertools
from importlib import util
from importlib.resources import files
from pathlib import Path

import pytest

from fireplan_core import Refusal
from fireplan_core.ledger import read_ledger
from fireplan_core.play import Rulebook, Table

PLAYS = (
    "test_barrage_playthrough", "test_combat", "test_digging", "test_entries", "test_example_of_play", "test_massed",
    "test_melee", "test_moving_under_fire", "test_open_decisions", "test_scenarios", "test_shipped_plays", "test_sight",
)  # fmt: skip
SOLVED = ("exact", "solved", "sixth")
"""Words in the names of tests that only solve odds, and so play nothing."""
LEDGER = read_ledger(files("fireplan_red_poppies") / "data" / "rules.toml")
IMPLEMENTED = [rule.id for rule in LEDGER.rules.values() if rule.status == "implemented"]


def module(name):
    """Return a test module of this folder, whatever modules of the same name other folders have."""
    spec = util.spec_from_file_location(
        f"red_poppies_{name}", Path(__file__).with_name(f"{name}.py")
    )
    found = util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def plays():
    """Yield every play in the modules that needs no fixture, with its arguments."""
    for name in PLAYS:
        for test in vars(module(name)).values():
            title = getattr(test, "__name__", "")
            if not title.startswith("test_") or any(word in title for word in SOLVED):
                continue
            marks = [mark for mark in getattr(test, "pytestmark", ()) if mark.name == "parametrize"]
            names = [
                m.args[0].split(",") if isinstance(m.args[0], str) else m.args[0] for m in marks
            ]
            given = {n for group in names for n in group}
            if set(inspect.signature(test).parameters) - given:
                continue
            for values in itertools.product(*(mark.args[1] for mark in marks)):
                pairs = zip(names, values, strict=True)
                rows = ((group, value if len(group) > 1 else (value,)) for group, value in pairs)
                yield test, {n: v for group, row in rows for n, v in zip(group, row, strict=True)}


@pytest.fixture(scope="module")
def reached():
    """Return all ids cited while the plays run."""
    cites = set()
    submit, perform, refuse = Table.submit, Rulebook.perform, Rulebook.refuse

    def note(cite):
        cites.update(part.strip() for part in cite.split(","))

    def submitting(self, given):
        answer = submit(self, given)
        for entry in answer if isinstance(answer, tuple) else ():
            note(entry.event.cite)
        return answer

    def performing(self, step, chance, read):
        note(self.scenario.steps[step.name].cite)
        return perform(self, step, chance, read)

    def refusing(self, ask, order, read):
        for form in self.question(ask).offers(self.view(ask, read), *ask.args):
            note(form.cite)
        answer = refuse(self, ask, order, read)
        if isinstance(answer, Refusal):
            note(answer.cite)
        return answer

    patch = pytest.MonkeyPatch()
    patch.setattr(Table, "submit", submitting)
    patch.setattr(Rulebook, "perform", performing)
    patch.setattr(Rulebook, "refuse", refusing)
    try:
        for test, arguments in plays():
            test(**arguments)
    finally:
        patch.undo()
    return cites


@pytest.mark.full
@pytest.mark.parametrize("rule", IMPLEMENTED)
def test_an_implemented_rule_is_reached(reached, rule):
    assert rule in reached
