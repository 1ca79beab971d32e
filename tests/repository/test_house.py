"""What holds the house together: small modules and functions, docstrings, figures with names, few changes of room."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
import tomli

ROOT = Path(__file__).resolve().parents[2]
MEMBERS = tomli.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["uv"][
    "workspace"
]["members"]
SOURCES = sorted(path for member in MEMBERS for path in (ROOT / member / "src").rglob("*.py"))
PLUGINS = [path for path in SOURCES if path.is_relative_to(ROOT / "plugins")]

CORE_LINES = 9_500
LONGEST_MODULE_OF_THE_CORE, LONGEST_FUNCTION, MOST_PATHS = 400, 60, 20
NOT_VERBS = frozenset(
    {
        "what",
        "where",
        "whether",
        "who",
        "whoever",
        "why",
        "how",
        "when",
        "which",
        "a",
        "an",
        "the",
        "this",
        "these",
        "that",
        "all",
        "each",
        "every",
        "no",
        "nothing",
        "only",
        "it",
        "if",
        "of",
    }
)
"""Words with which no docstring of a public function begins."""


@cache
def trees():
    """Every source parsed, once a test wants it: who only collects the tests does without."""
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in SOURCES}


def name_of(path):
    return str(path.relative_to(ROOT))


def lines_below(folder):
    return sum(
        len(path.read_text(encoding="utf-8").splitlines()) for path in (ROOT / folder).rglob("*.py")
    )


def functions(tree):
    return [
        node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def test_the_core_can_be_read_in_an_evening():
    assert lines_below("core/src") <= CORE_LINES


def test_the_five_words_are_modules_at_the_top_of_the_core():
    top = {path.stem for path in (ROOT / "core/src/fireplan_core").glob("*.py")}
    assert top >= {
        "observers",
        "requests",
        "delays",
        "areas",
        "resolution",
        "mission",
        "cycle",
        "game",
    }


def test_no_module_of_the_core_is_long():
    core = {
        name_of(path): len(path.read_text(encoding="utf-8").splitlines())
        for path in SOURCES
        if "core" in path.parts
    }
    assert core
    assert {
        name: lines for name, lines in core.items() if lines >= LONGEST_MODULE_OF_THE_CORE
    } == {}


def test_no_function_is_long():
    long = {
        f"{name_of(path)}:{node.lineno} {node.name}": node.end_lineno - node.lineno + 1
        for path, tree in trees().items()
        for node in functions(tree)
        if node.end_lineno - node.lineno + 1 > LONGEST_FUNCTION
    }
    assert long == {}


def test_no_function_ranks_d_or_worse():
    radon = pytest.importorskip(
        "radon.complexity", reason="radon is in requirements-dev.txt; .ci/run has it"
    )
    tangled = {
        f"{name_of(path)}:{block.lineno} {block.name}": block.complexity
        for path in SOURCES
        for block in radon.cc_visit(path.read_text(encoding="utf-8"))
        if block.complexity > MOST_PATHS and block.letter != "C"
    }
    assert tangled == {}


def public(tree):
    """The public functions and methods of a module: no name on the way to them is private, nothing is nested."""

    def below(body):
        for node in body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                yield from below(node.body)
            elif isinstance(
                node, ast.FunctionDef | ast.AsyncFunctionDef
            ) and not node.name.startswith("_"):
                yield node

    return below(tree.body)


def is_property(node):
    return any(
        (isinstance(d, ast.Name) and d.id in ("property", "cached_property"))
        or (isinstance(d, ast.Attribute) and d.attr in ("cached_property", "setter"))
        for d in node.decorator_list
    )


def test_docstrings_of_public_functions_begin_with_a_verb():
    houses = [
        path
        for path in SOURCES
        if "plugins" not in path.parts and not re.match(r"_(?!_)", path.stem)
    ]
    wrong = []
    for path in SOURCES:
        if "plugins" in path.parts:
            continue
        for node in public(trees()[path]):
            if is_property(node):
                continue
            text = ast.get_docstring(node) or ""
            first = re.match(r"[\w'-]+", text)
            noun = first is not None and first[0].endswith("ing") and first[0] != "Bring"
            if first is None or noun or first[0].lower() in NOT_VERBS:
                wrong.append(f"{name_of(path)}:{node.lineno} {node.name}: {text[:40]!r}")
    assert houses
    assert wrong == []


# --- steps are named by reference ---------------------------------------------------------------------
STEP_BY_STRING = re.compile(
    r"""push\(\s*["']|\bin\b[^#\n]*\b(?:scenario|setup)\.steps\b|["'](?:core|observers|requests|delays|areas|resolution)\.[a-z_]+["']"""
)


@pytest.mark.parametrize("folder", ["plugins", "examples"])
def test_no_game_names_a_step_by_a_string_or_probes_for_one(folder):
    found = [
        f"{name_of(path)}:{number}: {line.strip()}"
        for path in sorted((ROOT / folder).rglob("src/**/*.py"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if STEP_BY_STRING.search(line)
    ]
    assert found == []


def test_no_game_probes_a_part():
    found = [
        f"{name_of(path)}:{node.lineno}"
        for path in PLUGINS
        for node in ast.walk(trees()[path])
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("getattr", "hasattr")
        and re.search(
            r"parts|observers|requests|delays|areas|resolution", ast.unparse(node.args[0])
        )
    ]
    assert found == []


# --- every figure of a rule has its name --------------------------------------------------------------
# What a file of scenarios may hold (ranges, examples) is no rule.
ALLOWED = {0, 1, -1}
LISTED = ROOT / "tests" / "repository" / "figures_in_code.toml"


def figures(path):
    """Numbers written in the code of a module but 0, 1, -1 and indexes, with their line."""
    todo = [trees()[path]]
    while todo:
        node = todo.pop()
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, int | float)
            and not isinstance(node.value, bool)
        ):
            if node.value not in ALLOWED:
                yield node.lineno, node.value
            continue
        for name, value in ast.iter_fields(node):
            below = value if isinstance(value, list) else [value]
            index = isinstance(node, ast.Subscript) and name == "slice"
            schema = isinstance(node, ast.keyword) and node.arg in ("metadata", "range", "example")
            todo += (
                [one for one in below if isinstance(one, ast.AST)] if not (index or schema) else []
            )


def test_every_figure_of_a_rule_has_its_name():
    """Rule code holds no number but 0, 1 and those listed with a reason, by module and value."""
    listed = tomli.loads(LISTED.read_text(encoding="utf-8"))
    found = {
        f"{name_of(path)}:{line}: {value}"
        for path in PLUGINS
        for line, value in figures(path)
        if str(value) not in listed.get(name_of(path).partition("/src/")[2], {})
        and str(value) not in listed["everywhere"]
    }
    assert found == set()
    stale = {
        f"{module}: {value}"
        for module, values in listed.items()
        if module != "everywhere"
        for value in values
        if value
        not in {
            str(v) for path in PLUGINS if name_of(path).endswith(module) for _, v in figures(path)
        }
    }
    assert stale == set()


# --- from the opening to the first fire for effect -----------------------------------------------------
MOST_CHANGES = {"asl": 8, "wacht_am_rhein": 6, "red_poppies": 6, "miniatures_1943": 6}


@pytest.mark.parametrize("game", MOST_CHANGES)
def test_a_mission_changes_room_seldom(game):
    code = f"import rooms, sys; sys.stdout.write(str(rooms.changes({game!r}, 60)))"
    run = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT / "benchmarks",
        capture_output=True,
        text=True,
        check=True,
    )
    assert float(run.stdout) <= MOST_CHANGES[game]
