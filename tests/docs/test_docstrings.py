"""The examples in the docstrings of public names are correct, and a name without one has a reason."""

import doctest
import importlib
import inspect
from functools import cache

import pytest

import fireplan as fp

LIKE_SHOWN = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
SLOW = {
    "fireplan.diff",
    "fireplan.luck",
    "fireplan.sweep",
    "fireplan.whatif",
    "fireplan_kit.examine",
}
PACKAGES = (
    "fireplan",
    "fireplan_core",
    "fireplan_core.chance",
    "fireplan_core.files",
    "fireplan_core.ledger",
    "fireplan_core.play",
    "fireplan_core.ready_parts",
    "fireplan_core.space",
    "fireplan.positions",
    "fireplan_kit",
    "fireplan_kit.testing",
)
"""The package ``fireplan``, then the packages for authors of games and of tests."""
WITHOUT = {
    "its members say all there is to say": """
        fireplan_core.Intent fireplan_core.Reason fireplan_core.Stage""",
    "its message says what is wrong": """
        fireplan_core.CannotStageError fireplan_core.ProcedureError
        fireplan_core.chance.ChanceError fireplan_core.space.CoordinateError""",
    "a protocol or base class; the classes that fulfil it have examples": """
        fireplan_core.Part fireplan_core.chance.ChanceEvent fireplan_core.play.StandingOrders
        fireplan_core.space.Frame""",
    "docs/reference/contract.md has an example of each of its hooks": """
        fireplan_core.GameSpec fireplan_core.RuleSpec""",
    "marks a step in the contract of the core itself": """
        fireplan_core.optional fireplan_core.required""",
    "is made by a function or mark that has an example, and is only read": """
        fireplan_core.Ask fireplan_core.Named fireplan_core.OrderQuestion fireplan_core.Query
        fireplan_core.Update fireplan_core.chance.Applied fireplan_core.chance.Cell
        fireplan_core.chance.Faces fireplan_core.chance.FromDeck fireplan_core.chance.LookUp
        fireplan_core.files.Statement fireplan.positions.StateField""",
    "is made by Staging, and is only read": """
        fireplan_core.Feature fireplan_core.MissionSetup fireplan_core.Setup fireplan_core.Unit
        fireplan_core.UnitSetup""",
    "is made by a table or a catalogue, and is only read": """
        fireplan_core.Parts fireplan_core.Scenario fireplan_core.play.LogEntry
        fireplan_core.play.Installed fireplan_core.play.StepOutcome fireplan_core.play.Problem
        fireplan_core.play.Rulebook fireplan_core.play.State fireplan_core.play.Values""",
    "is the state of a ready part, which rules only read": """
        fireplan_core.ready_parts.LinkState fireplan_core.ready_parts.Losses
        fireplan_core.ready_parts.Wounds""",
    "takes the package of a whole game": "fireplan_core.ready_parts.plain_game",
    "compares what the rules of a process have changed": "fireplan_core.play.changed_values",
    "comes from meet, whose example makes one, and is only read": "fireplan_kit.Meeting",
    "plays or stages all that a game has, which takes seconds": """
        fireplan_kit.markdown fireplan_kit.uncovered""",
    "writes into the package of a game": "fireplan_kit.freeze",
    "draws for a test; docs/how_to/testing.md shows it in tests": """
        fireplan_kit.testing.PlayedMission fireplan_kit.testing.for_every_game
        fireplan_kit.testing.orders fireplan_kit.testing.positions fireplan_kit.testing.played_missions""",
}
"""Public classes and functions without an example, by the reason."""


@cache
def names_of(package):
    """Return the public names of a package or module, with their objects."""
    module = importlib.import_module(package)
    own = [name for name, thing in vars(module).items() if home_of(thing) == package]
    public = getattr(module, "__all__", [name for name in own if not name.startswith("_")])
    return {name: getattr(module, name) for name in public}


def home_of(thing):
    return getattr(thing, "__module__", None) or ""


def is_documented(thing):
    """Return whether an object is a class or function of the project, so that its docstring
    explains it.
    """
    kind = inspect.isclass(thing) or inspect.isfunction(inspect.unwrap(thing))
    return kind and home_of(thing).startswith("fireplan")


def has_example(thing):
    return ">>>" in (inspect.getdoc(thing) or "")


PUBLIC = {
    f"{package}.{name}": thing
    for package in PACKAGES
    for name, thing in names_of(package).items()
    if package == "fireplan" or is_documented(thing)
}
EXAMPLES = [
    pytest.param(name, marks=[pytest.mark.full] * (name in SLOW))
    for name, thing in PUBLIC.items()
    if has_example(thing)
]


def faults_of(thing, name, known):
    """Return doctest's report of an example that fails, or an empty string."""
    example = doctest.DocTestParser().get_doctest(inspect.getdoc(thing), known, name, None, 0)
    said = []
    doctest.DocTestRunner(optionflags=LIKE_SHOWN).run(example, out=said.append)
    return "".join(said)


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_example_in_the_docstring_of_a_public_name_is_true(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    package = name.rpartition(".")[0]
    known = {"fp": fp} if package == "fireplan" else names_of(package)
    assert faults_of(PUBLIC[name], name, dict(known)) == ""


def test_every_public_class_and_function_has_an_example_or_a_reason():
    seen = {}
    for name, thing in PUBLIC.items():
        seen.setdefault(id(thing), name)
    without = {name for name in seen.values() if not has_example(PUBLIC[name])}
    assert without == {name for names in WITHOUT.values() for name in names.split()}
