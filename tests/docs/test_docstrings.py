"""The examples in the docstrings of public names are true, and every public function has one or is used on a page."""

import doctest
import importlib
import inspect
import re
from pathlib import Path

import pytest

import fireplan as fp

PUBLIC = sorted(fp.__all__)
WITHOUT = {
    "Question": "examples are those of its kinds",
    "asks": "see docs/reference/front_door.md",
}
LIKE_SHOWN = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE

SLOW = {"diff"}
EXAMPLES = [
    pytest.param(name, marks=[pytest.mark.full] * (name in SLOW))
    for name in PUBLIC
    if name not in WITHOUT
]
BELOW = ("fireplan_core", "fireplan.positions", "fireplan_kit", "fireplan_kit.testing")
"""The packages for authors of games and of tests."""
NOT_CALLED_ALONE = {
    "optional": "marks steps of the core's contract",
    "required": "marks steps of the core's contract",
    "parts_of": "needs a view of a table in play; see docs/reference/contract.md",
    "examine": "runs every check on a game; fp.check has the example",
    "uncovered": "runs every check on a game",
    "witnessed": "plays every worked example of a game",
    "profile": "follows a whole game; see docs/reference/checks.md",
    "freeze": "writes into the package of a game; see docs/reference/checks.md",
    "follow": "follows a whole table; see docs/reference/kitbash.md",
    "unaccounted": "replays a whole playthrough",
    "fields_by_group": "takes the parts of a table; fields_of has the example",
}
"""Public functions without an example, each with the reason."""


def has_example(thing):
    return ">>>" in (inspect.getdoc(thing) or "")


def documented(package):
    """The public names of a package whose docstrings have examples."""
    module = importlib.import_module(package)
    return [name for name in sorted(module.__all__) if has_example(getattr(module, name))]


def faults_of(thing, name, known):
    """What an example prints other than it says."""
    example = doctest.DocTestParser().get_doctest(inspect.getdoc(thing), known, name, None, 0)
    assert example.examples, "the docstring has no example"
    said = []
    doctest.DocTestRunner(optionflags=LIKE_SHOWN).run(example, out=said.append)
    return "".join(said)


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_example_in_the_docstring_of_a_public_name_is_true(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert faults_of(getattr(fp, name), name, {"fp": fp}) == ""


@pytest.mark.parametrize(
    ("package", "name"), [(package, name) for package in BELOW for name in documented(package)]
)
def test_the_example_of_a_name_for_authors_is_true(package, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    module = importlib.import_module(package)
    known = {each: getattr(module, each) for each in module.__all__}
    assert faults_of(known[name], name, known) == ""


def test_every_public_function_has_an_example_or_is_used_on_a_page():
    pages = Path(__file__).parents[2].joinpath("docs").rglob("*.md")
    code = "\n".join(
        block
        for page in pages
        for block in re.findall(
            r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
        )
    )
    functions = {
        name: thing
        for package in BELOW
        for name, thing in vars(importlib.import_module(package)).items()
        if name in importlib.import_module(package).__all__
        and inspect.isfunction(inspect.unwrap(thing))
    }
    without = {
        name
        for name, thing in functions.items()
        if not has_example(thing) and not re.search(rf"\b{name}\b", code)
    }
    assert without == set(NOT_CALLED_ALONE)
