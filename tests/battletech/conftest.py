"""BattleTech scenarios written in a few lines, and tables that play them with scripted orders and
dice.
"""

from __future__ import annotations

from fractions import Fraction

import pytest

import fireplan as fp
import fireplan_battletech
from fireplan_core import Ask, Order
from fireplan_core.chance import ScriptedFaces
from fireplan_core.play import Answered, Catalogue, Table, Thrown, load_scenario
from fireplan_core.steps.questions import Refusal

HEAD = 'game = "battletech"\ntitle = "t"\nmoments = 30\n'


def catalogue():
    found = Catalogue()
    found.admit(fireplan_battletech)
    return found


def toml(**values):
    """Return keys and values as TOML."""

    def text(value):
        if isinstance(value, bool):
            return str(value).lower()
        return (
            f"[{', '.join(map(text, value))}]"
            if isinstance(value, tuple)
            else repr(value).replace("'", '"')
        )

    return "".join(f"{key} = {text(value)}\n" for key, value in values.items())


class Field:
    """A table that takes scripted orders and typed dice; without a script the standard order is
    given.
    """

    def __init__(self, scenario, moments=30):
        self.scenario, self.table = scenario, Table(scenario, moments)

    def give(self, verb, **values):
        order = Order.of(verb, **{k: self.scenario.frame.parse(v) for k, v in values.items()})
        return self.table.submit(Answered(self.table.waits_for.question, order))

    def why_not(self, verb, **values):
        refused = self.give(verb, **values)
        assert isinstance(refused, Refusal), refused
        return refused.cite

    def roll(self, *faces):
        assert not isinstance(self.table.waits_for, Ask), self.table.waits_for
        wanted = self.table.waits_for
        self.table.submit(Thrown(wanted.name, ScriptedFaces(faces).faces(wanted)))
        return self

    def fire(self, *, turns=1, at="1617"):
        """Fire in the given number of turns, one after the other, until the table asks for dice."""
        for _ in range(turns):
            assert isinstance(self.table.waits_for, Ask), self.table.waits_for
            self.give("fire", at=at)
        return self

    @property
    def events(self):
        return [entry.event for entry in self.table.log]

    def emitted(self, kind):
        return [dict(event.fields) for event in self.events if event.kind == kind]

    @property
    def added(self):
        """Return the modifiers of every roll to hit, other than gunnery and range."""
        base = ("gunnery", "for the range")
        emitted = [(one["summary"], one["value"]) for one in self.emitted("modifier")]
        return [each for each in emitted if each[0] not in base]

    def label(self, place):
        return self.scenario.frame.label(place)


@pytest.fixture
def field(tmp_path):
    """Return a function that sets up a table with pieces, spotters and units; each dictionary names
    only the fields that differ from the default.
    """

    def stage(
        piece=None,
        spotters=({},),
        units=(),
        *,
        pieces=(),
        options=None,
        moments=30,
        target="1617",
        **more,
    ):
        piece = {"weapon": "thumper", "off_board": 83, **(piece or {})}
        text = HEAD + toml(target=target, **more)
        for number, one in enumerate(pieces or (piece,)):
            text += "[[piece]]\n" + toml(**{"id": f"gun {number + 1}" if pieces else "gun", **one})
        for number, one in enumerate(spotters):
            text += "[[spotter]]\n" + toml(**{"id": f"eye {number + 1}", **one})
        for number, one in enumerate(units or ({},)):
            text += "[[unit]]\n" + toml(**{"id": f"unit {number + 1}", "place": "1617", **one})
        text += "[options]\n" + toml(**(options or {}))
        file = tmp_path / "field.toml"
        file.write_text(text, encoding="utf-8")
        scenario, _ = load_scenario(catalogue(), file)
        found = Field(scenario, moments)
        found.file = file
        return found

    return stage


@pytest.fixture
def chance(field):
    """Return a function that gives the exact chance that an event has happened by a turn."""

    def of(kind, turn, **values):
        answer = fp.position(str(field(**values).file)).chance(kind, by=f"turn {turn}")
        return dict(answer.shares).get(True, Fraction(0))

    return of
