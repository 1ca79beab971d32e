"""L12: sides named in sources, and sets whose values are used in order."""

import ast

import pytest

from fireplan_kit.names_in_sources import BY_NAME, NO_ORDER, named_or_unordered

SIDES = {
    "in a variable": "def f(view, m):\n side = view.side(m)\n return side == 'target'",
    "among several": "def f(view, m): return view.side(m) not in ('firer', 'german')",
    "as a case": "def f(view, m):\n match view.side(m):\n  case 'target': return 1",
    "as a parameter of a hook": "def board(self, view, side): return side != 'german'",
    "as a key": "def f(view, m): return {'firer': 1, 'target': 2}[view.other(m)]",
    "as a key that is got": "def f(view, m): return {'firer': 1}.get(view.side(m))",
    "by its first letters": "def f(view, unit): return view.unit_side(unit).startswith('g')",
    "in either order": "def f(view, m): return 'firer' == view.side(m)",
    "in a constant": "OURS = ('firer', 'german')\ndef f(view, m): return view.side(m) in OURS",
}
SETS = {
    "a variable that is joined": "W = {'a', 'b'}\ndef f(): return ', '.join(W)",
    "the result of a method": "def ways(self): return {'a'}\ndef f(self): return [*self.ways()]",
    "a loop": "def f(m):\n found = set()\n for each in found: m(each)",
    "a text with a set in it": "W = frozenset('ab')\ndef f(): return f'{W}'",
    "a generator over a set": "W = {'a', 'b'}\ndef f(): return tuple(w for w in W)",
    "a set of a class": "class P:\n ways = {'a'}\n def f(self): return list(self.ways)",
    "the longest of a set": "W = {'a', 'b'}\ndef f(): return max(W, key=len)",
    "a set sorted by length": "W = {'a', 'b'}\ndef f(): return sorted(W, key=len)",
    "two sets together": "W = {'a', 'b'}\ndef f(other): return list(W | other)",
}
ALLOWED = {
    "two sides": "def f(view, a, b): return view.side(a) == view.side(b)",
    "no side at all": "def f(view, m, kind): return kind == 'german'",
    "an empty text": "def f(view, m): return view.side(m) == ''",
    "a side of a scenario file": "def f(form, side): return side == 'GE'",
    "membership": "W = {'a', 'b'}\ndef f(word): return word in W",
    "sorted values": "W = {'a', 'b'}\ndef f(): return [w for w in sorted(W)]",
    "a name with a list as well": "def f():\n w = {'a'}\n w = ['a']\n return list(w)",
    "the greatest of a set": "W = {'a', 'b'}\ndef f(): return max(W)",
    "a constant that is no text": "OURS = (1, 2)\ndef f(view, m): return view.side(m) in OURS",
    "a constant compared with no side": "KINDS = ('smoke',)\ndef f(kind): return kind in KINDS",
    "the title of a game": "def f(game): return game.title",
    "another set of a set": "W = {'a', 'b'}\ndef f(): return {w.upper() for w in W}",
}


def found(source):
    """Return the faults in a source, without their lines."""
    return [text for _, text in named_or_unordered(ast.parse(source))]


@pytest.mark.parametrize("source", SIDES.values(), ids=[*SIDES])
def test_a_side_called_by_name_is_found(source):
    assert [BY_NAME in text for text in found(source)] == [True]


def test_a_side_asked_by_name_is_found_under_another_name_of_ask():
    source = "from fireplan_core import ask as put\ndef f(self, m): return put('firer', m)"
    assert found(source) == ['asks "firer" by name: use view.side or view.other']


def test_units_sorted_by_their_identity_are_found():
    source = "def f(view, place): return sorted(view.units_at(place), key=id)"
    assert found(source) == ["uses id, which differs from process to process"]


def test_a_rule_that_reads_the_title_of_the_scenario_is_found():
    source = "def f(self, chance, view): return 'wood' in view.scenario.title"
    assert found(source) == ["reads the title of the scenario, which only players should read"]


@pytest.mark.parametrize("source", SETS.values(), ids=[*SETS])
def test_a_set_taken_in_order_is_found(source):
    assert found(source) == [NO_ORDER]


@pytest.mark.parametrize("source", ALLOWED.values(), ids=[*ALLOWED])
def test_code_that_depends_on_neither_is_allowed(source):
    assert found(source) == []
