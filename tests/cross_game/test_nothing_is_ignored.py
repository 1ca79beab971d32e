"""Everything that a game accepts has an effect: its numbers, options, fields and the keys of its
files.

``tests/data/without_effect.toml`` lists the exceptions. A rule must read numbers from its own
table; one that reads the printed chart would ignore the user's changes.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, get_args, get_type_hints

import attrs
import pytest
import tomli
from playing_on import at_random

import fireplan
import fireplan_core
from fireplan_core import WORDS
from fireplan_core.chance import ChanceError, Chart, Note, Numbers, RandomFaces, watched
from fireplan_core.play import Catalogue, Table, find_scenario, shipped_scenarios

CATALOGUE = Catalogue.installed()
GAMES = sorted(CATALOGUE.games)
NAMES = tuple(shipped_scenarios(CATALOGUE))
EXCEPTIONS: Mapping[str, Mapping[str, str]] = tomli.loads(
    (Path(__file__).parents[1] / "data/without_effect.toml").read_text("utf-8")
)
COMMON = {"wants"}
"""Keys of a scenario file that only pages and briefings read."""


class Names(ast.NodeVisitor):
    """The names that sources read: attributes, texts, and patterns of texts with values."""

    def __init__(self) -> None:
        self.attributes: set[str] = set()
        self.texts: set[str] = set()
        self.patterns: set[str] = set()

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if isinstance(node.ctx, ast.Load):
            self.attributes.add(node.attr)
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, str):
            self.texts.add(node.value)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        text = "".join(
            re.escape(str(part.value)) if isinstance(part, ast.Constant) else "[a-z0-9_]+"
            for part in node.values
        )
        if re.search("[a-z]{3}", text.replace("[a-z0-9_]+", "")):
            self.patterns.add(text)
        self.generic_visit(node)

    def reads(self, name: str) -> bool:
        """Return whether a name occurs as an attribute or in a text."""
        return name in self.attributes or self.looks_up(name)

    def looks_up(self, name: str) -> bool:
        """Return whether a name occurs as a text or matches the pattern of one."""
        return name in self.texts or any(re.fullmatch(each, name) for each in self.patterns)


@cache
def names_in(folder: Path) -> Names:
    found = Names()
    for file in sorted(folder.rglob("*.py")):
        found.visit(ast.parse(file.read_text("utf-8")))
    return found


def file_keys(kind: type) -> dict[str, str]:
    """Return the keys of a scenario file as ``Class.field``, including those of its tables."""
    keys, kinds = {}, [kind]
    for each in kinds:
        hints = get_type_hints(each)
        for field in attrs.fields(each):
            keys[f"{each.__name__}.{field.name}"] = field.name
            inner = [hints[field.name]]
            for hint in inner:
                inner += get_args(hint)
            kinds += [hint for hint in inner if attrs.has(hint) and hint not in kinds]
    return keys


@pytest.mark.parametrize("key", GAMES)
def test_every_number_option_field_and_key_is_read_by_a_rule(key):
    game, folder = CATALOGUE[key].game, CATALOGUE[key].folder
    own, core = names_in(folder), names_in(Path(fireplan_core.__file__).parent)
    unread = {f"number:{name}" for name in game.charts["numbers"].cells if not own.looks_up(name)}
    unread |= {f"option:{option.name}" for option in game.options if not own.looks_up(option.name)}
    unread |= {f"chart:{name}" for name in {*game.charts} - {"numbers"} if not own.looks_up(name)}
    records = [kind for word in WORDS for kind in game.parts.of(word).keeps.records]
    fields = {
        f"{kind.__name__}.{field.name}": field.name
        for kind in records
        for field in attrs.fields(kind)
    }
    if game.scenarios:
        fields |= file_keys(game.scenarios.kind)
    unread |= {
        full
        for full, name in fields.items()
        if name not in COMMON and not (own.reads(name) or name in core.attributes)
    }
    assert unread == set(EXCEPTIONS.get(key, {}))


def test_pages_read_the_keys_that_rules_do_not():
    assert names_in(Path(fireplan.__file__).parent).attributes >= COMMON


def test_exceptions_have_reasons():
    assert all(reason for reasons in EXCEPTIONS.values() for reason in reasons.values())


# --- numbers are read from the table -------------------------------------------------------------
def test_numbers_that_belong_to_no_table_cannot_be_read():
    printed = Numbers("numbers", {"cap": 3}, {"cap": Note("1.1", "a cap", "printed")})
    with pytest.raises(ChanceError, match="changing it would change nothing"):
        printed["cap"]
    assert attrs.evolve(printed, at_table=True)["cap"] == 3


def test_a_game_that_reads_a_number_when_it_is_imported_is_refused(tmp_path, monkeypatch):
    data = tmp_path / "numbers.csv"
    data.write_text(
        "name,value,least,most,provenance,rule,summary\nrange,4,0,,printed,1.1,how far\n", "utf-8"
    )
    (tmp_path / "early_reader.py").write_text(
        "from pathlib import Path\nfrom fireplan_core.chance import numbers_from_csv\n"
        f"RANGE = numbers_from_csv('numbers', Path({str(data)!r}))['range']\n",
        "utf-8",
    )
    monkeypatch.syspath_prepend(tmp_path)

    class Entry:
        name, dist = "early_reader", None

        @staticmethod
        def load():
            return __import__("early_reader")

    catalogue = Catalogue()
    catalogue.load(Entry())
    (problem,) = catalogue.problems
    assert "the number range is read outside a table" in problem.reason


def test_no_chart_is_looked_up_while_the_games_are_imported():
    program = """
from fireplan_core.chance import Chart
from fireplan_core.play import Catalogue
read = []
for name in ("cell", "column"):
    setattr(Chart, name, lambda self, *more, _name=name: read.append((self.name, *more)))
assert Catalogue.installed().games and not Catalogue.installed().problems
print(read)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout.strip() == "[]"


class Forbidden(dict):
    """The cells of a printed chart, which nothing may look up."""

    def __getitem__(self, key: Any) -> Any:
        raise AssertionError(f"{key} is read from the printed chart")

    get = __getitem__


def as_at_a_table(chart: Any) -> Any:
    """Return a copy of a chart that shares no mapping with it."""
    return watched(chart, lambda _path: None)


def forbid(chart: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make every cell of a printed chart unreadable."""
    if isinstance(chart, Chart | Numbers):
        restore(chart, "cells", Forbidden(chart.cells), monkeypatch)
    elif attrs.has(type(chart)):
        for field in attrs.fields(type(chart)):
            value = getattr(chart, field.name)
            if isinstance(value, Mapping):
                restore(chart, field.name, Forbidden(value), monkeypatch)
            else:
                forbid(value, monkeypatch)


def restore(chart: Any, name: str, value: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Set a field of a frozen chart until the test ends."""
    before = getattr(chart, name)
    object.__setattr__(chart, name, value)
    monkeypatch.callbacks.append(lambda: object.__setattr__(chart, name, before))


@pytest.fixture
def printed_charts(name, monkeypatch):
    """Make the printed charts of all games unreadable; tables get copies.

    The scenario is opened once before, so that its game is recorded as it is, not with these copies
    (``changed_values`` compares each answer with the record).
    """
    Table(find_scenario(CATALOGUE, name)[0], 3)
    monkeypatch.callbacks = []
    for installed in CATALOGUE.games.values():
        copies = {name: as_at_a_table(chart) for name, chart in installed.game.charts.items()}
        for chart in installed.game.charts.values():
            forbid(chart, monkeypatch)
        before = installed.game.charts
        object.__setattr__(installed.game, "charts", copies)
        monkeypatch.callbacks.append(
            lambda game=installed.game, before=before: object.__setattr__(game, "charts", before)
        )
    yield
    for callback in reversed(monkeypatch.callbacks):
        callback()


@pytest.mark.parametrize("name", NAMES)
def test_a_table_reads_its_own_charts_and_never_the_printed_ones(name, printed_charts):
    scenario, faces = find_scenario(CATALOGUE, name)[0], RandomFaces(4)
    table = Table(scenario, 3)
    for _ in range(40):
        if table.waits_for is None:
            return
        table.submit(at_random(table, faces))
