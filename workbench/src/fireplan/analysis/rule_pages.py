"""The rules of a game, with their tests and the functions and numbers that cite them."""

import ast
import inspect
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from textwrap import wrap
from typing import Any

import attrs

from fireplan.draw.svg import filled_template
from fireplan_core import WORDS, numbers_of
from fireplan_core.ledger import Ledger, Rule, tests_in
from fireplan_core.numbers import Named
from fireplan_core.play import Catalogue, Installed


@attrs.frozen
class CitingFunction:
    """A function of a game that cites a rule.

    ``part`` is empty outside the parts, ``step`` says whether the function is a step, ``line`` is
    its first line in ``file``, and ``source`` its text.
    """

    part: str
    name: str
    step: bool
    file: str
    line: int
    source: str

    @property
    def full(self) -> str:
        """Return the name with its part, as in journals and diagrams: ``delays.wait``."""
        return f"{self.part}.{self.name}" if self.part else self.name


@attrs.frozen
class RulePage:
    """A rule of a game with everything that cites it.

    ``elsewhere`` has the citations outside functions, as ``FILE:LINE``.
    """

    title: str
    rule: Rule
    functions: tuple[CitingFunction, ...]
    elsewhere: tuple[str, ...]
    numbers: tuple[Named, ...]
    tests: tuple[str, ...]

    @property
    def steps(self) -> tuple[CitingFunction, ...]:
        """Return the steps that cite the rule."""
        return tuple(function for function in self.functions if function.step)

    def lines(self) -> list[str]:
        """Return the page as lines of text, without source code."""
        wrapped = partial(
            wrap, width=80, break_on_hyphens=False, initial_indent="  ", subsequent_indent="  "
        )
        return filled_template(__package__, "rule.txt.j2", page=self, wrapped=wrapped).splitlines()

    def data(self) -> dict[str, Any]:
        """Return the page as a dictionary fit for JSON, without source code."""
        page = attrs.asdict(self, filter=lambda field, _: field.name not in ("numbers", "source"))
        numbers = [
            {"name": n.name, "value": n.cell.value, "provenance": n.cell.provenance}
            for n in self.numbers
        ]
        return {**page, "numbers": numbers}


def _tests_folder(package: Path) -> Path | None:
    """Return the folder of tests next to the sources, or None outside a checkout."""
    for folder in package.parents:
        if (folder / "tests").is_dir() and (folder / "pyproject.toml").is_file():
            return folder / "tests"
    return None


def coverage(catalogue: Catalogue, key: str) -> list[dict[str, Any]]:
    """Return a dictionary for each rule of a game: its fields, and lists of citations and tests."""
    installed = catalogue[key]
    ledger, package = installed.game.ledger, installed.folder
    folder = None if package is None else _tests_folder(package)
    own = folder / key if folder is not None and (folder / key).is_dir() else folder
    cited, tests = installed.citations(), {} if own is None else tests_in(own, ledger.rules)
    return [
        {
            **attrs.asdict(rule),
            "cited": list(cited.get(rule.id, ())),
            "tests": list(tests.get(rule.id, ())),
        }
        for rule in ledger.rules.values()
    ]


def rule_page(catalogue: Catalogue, key: str, rule: str) -> RulePage:
    """Return a rule's page by its number; raise ``KeyError`` for an unknown number."""
    installed = catalogue[key]
    game = installed.game
    row = next(row for row in coverage(catalogue, key) if row["id"] == game.ledger[rule].id)
    functions = tuple(_functions(installed, rule))
    inside = {
        f"{function.file}:{function.line + offset}"
        for function in functions
        for offset in range(function.source.count("\n") + 1)
    }
    numbers = tuple(
        named
        for named in numbers_of(game.charts).values()
        if _cites(named.cell.cite, rule, game.ledger)
    )
    elsewhere = tuple(dict.fromkeys(place for place in row["cited"] if place not in inside))
    title = f"{game.title}, {game.sources}" if game.sources else game.title
    return RulePage(title, game.ledger[rule], functions, elsewhere, numbers, tuple(row["tests"]))


def _cites(text: str, rule: str, ledger: Ledger) -> bool:
    """Return whether a text is a list of rule numbers that includes this rule."""
    return text in ledger and rule in [part.strip() for part in text.split(",")]


def _functions(installed: Installed, rule: str) -> Iterator[CitingFunction]:
    """Yield every function and method of a game's package that cites a rule, file by file."""
    words, listed, package = _words(installed), _listed(installed), installed.folder
    for path in installed.files("*.py"):
        text = path.read_text(encoding="utf-8")
        lines = text.splitlines()
        for owner, node in _defined(ast.parse(text)):
            constants = (leaf.value for leaf in ast.walk(node) if isinstance(leaf, ast.Constant))
            if any(
                isinstance(value, str) and _cites(value, rule, installed.game.ledger)
                for value in constants
            ):
                first = min((mark.lineno for mark in node.decorator_list), default=node.lineno)
                source = "\n".join(lines[first - 1 : node.end_lineno])
                is_step = any(
                    getattr(getattr(mark, "func", mark), "id", "") == "step"
                    for mark in node.decorator_list
                )
                file = str(path.relative_to(package or path.parent))
                part = words[owner] if owner in words else listed.get((str(path), node.name), "")
                yield CitingFunction(part, node.name, is_step, file, first, source)


def _classes(installed: Installed) -> Iterator[tuple[str, type]]:
    """Yield (part name, class) for each part of the game and every class that it inherits from."""
    if (parts := installed.game.parts) is not None:
        yield from ((word, kind) for word in WORDS for kind in parts.of(word).__mro__)


def _words(installed: Installed) -> Mapping[str, str]:
    """Map the name of each class that a part of the game inherits from to the name of that part."""
    return {kind.__name__: word for word, kind in _classes(installed)}


def _listed(installed: Installed) -> Mapping[tuple[str, str], str]:
    """Map (file, name) of each module-level function that a part lists to the name of that part."""
    functions = (
        (word, inspect.unwrap(value))
        for word, kind in _classes(installed)
        for value in vars(kind).values()
        if inspect.isfunction(value)
    )
    return {
        (function.__code__.co_filename, function.__name__): word
        for word, function in functions
        if function.__qualname__ == function.__name__
    }


def _defined(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Yield (class name or "", function) for each function and method of a module."""
    for node in tree.body:
        inner = node.body if isinstance(node, ast.ClassDef) else [node]
        owner = node.name if isinstance(node, ast.ClassDef) else ""
        yield from ((owner, item) for item in inner if isinstance(item, ast.FunctionDef))
