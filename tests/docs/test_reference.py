"""The documentation names everything that exists, with its signature, and no page is superfluous."""

import ast
import importlib
import importlib.util
import inspect
import re
import sys
from functools import cache
from pathlib import Path

import attrs
import pytest

import fireplan
import fireplan_core
from fireplan.cli import app
from fireplan_core import (
    Areas,
    Delays,
    Engagement,
    GameSpec,
    Mission,
    Observers,
    Part,
    Requests,
    Resolution,
    RuleSpec,
    Unit,
    View,
    cycle,
)
from fireplan_core import ready_parts as parts
from fireplan_core.mission import Decks
from fireplan_core.play import Catalogue
from fireplan_core.steps.part import Notified
from fireplan_kit import LAWS

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(
    page for page in DOCS.rglob("*.md") if not {"_build", "_generated"} & set(page.parts)
)


def load(file):
    spec = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


sys.path.insert(0, str(DOCS))  # as conf.py does
GENERATE = load(DOCS / "_generate.py")
prose = load(DOCS.parent / "benchmarks/prose.py")
help_of = cache(GENERATE.commands)
COMMANDS = {name: app.app()[name] for name in app.app() if not name.startswith("-")}


def text_of(name):
    return (DOCS / name).read_text(encoding="utf-8")


def sections(text):
    """Return the text below each third-level heading, by heading."""
    found = re.split(r"^### (.+)$", text, flags=re.MULTILINE)[1:]
    return {
        name: re.split(r"^## ", body, flags=re.MULTILINE)[0]
        for name, body in zip(found[::2], found[1::2], strict=True)
    }


# --- the contract -----------------------------------------------------------------------------------------
BASES = {kind.word: kind for kind in (Observers, Requests, Delays, Areas, Resolution)}
CONTRACT = GENERATE.contract()
EXAMPLES = "\n".join(
    re.findall(
        r"^```python\n(.*?)^```", text_of("reference/contract.md"), flags=re.DOTALL | re.MULTILINE
    )
)


def rows(name):
    """Return the cells of each row of a generated table, without its head."""
    return [re.split(r" (?<!\\)\| ", line.strip("| ")) for line in CONTRACT[name].splitlines()[2:]]


def public(kind):
    held = {
        name: one
        for base in (Notified, kind)
        if issubclass(kind, base)
        for name, one in vars(base).items()
    }
    return {
        name: one
        for name, one in held.items()
        if inspect.isfunction(one) and not name.startswith("_")
    }


def marked(method, *marks):
    return any(hasattr(method, f"__fireplan_{mark}__") for mark in marks)


def arguments(method, *left_out):
    """Return the arguments that a caller gives, with their types."""
    return tuple(
        (n, a.annotation)
        for n, a in inspect.signature(method).parameters.items()
        if n not in left_out
    )


def written(cell):
    """Return the name, the arguments with their types, and the answer shown in a cell."""
    name, inside, _, answer = re.fullmatch(r"`(\w+)\((.*?)\)( -> (.*))?`", cell).groups()
    pairs = re.findall(r"(\w+): ((?:[^,\[]|\[[^]]*\])+)", inside)
    return (
        name,
        tuple((one, kind.partition(" = ")[0]) for one, kind in pairs),
        answer and answer.replace("\\", ""),
    )


def as_query(name, method):
    return name, arguments(method, "self"), inspect.signature(method).return_annotation


def test_every_step_of_the_contract_is_in_its_table_and_no_other():
    steps = {
        (word, name, arguments(method, "self", "chance", "view"), None): marked(method, "required")
        for word, kind in BASES.items()
        for name, method in public(kind).items()
        if marked(method, "optional", "required")
    }
    assert {
        (word, *written(cell)): needed == "**required**" for word, cell, needed, _ in rows("steps")
    } == steps
    assert len(rows("steps")) == len(steps)


def test_every_query_of_the_contract_is_in_its_table_and_no_other():
    queries = {
        (word, *as_query(name, method))
        for word, kind in BASES.items()
        for name, method in public(kind).items()
        if not marked(method, "optional", "required")
    }
    assert {(word, *written(cell)) for word, cell, _, _ in rows("queries")} == queries
    assert {written(cell) for cell, _, _ in rows("part")} == {
        as_query(*one) for one in public(Part).items()
    }


def test_every_hook_is_in_its_table_and_no_other():
    assert {(whose, *written(cell)) for whose, cell, _ in rows("hooks")} == {
        (whose, *as_query(name, hook))
        for whose, kind in (("game", GameSpec), ("house rule", RuleSpec))
        for name, hook in public(kind).items()
    }


def test_every_attribute_that_a_part_class_declares_is_in_its_table_and_no_other():
    assert {(word, name.strip("`")) for word, name, _ in rows("declared")} == {
        ("every part" if kind is Part else kind.word, name)
        for kind in (Part, *BASES.values())
        for name in inspect.get_annotations(kind)
        if name != "word"
    }
    assert {name.strip("`") for _, name, _ in rows("declared")} == set(GENERATE.DECLARED)


def test_every_step_of_the_core_is_in_its_table_and_no_other():
    assert {f"core.{written(cell)[0]}" for cell, _ in rows("cycle")} == set(cycle.steps())


def test_every_neutral_field_is_in_its_table_with_what_the_core_does():
    core = {cell.strip("`"): does for cell, _, does, _ in rows("neutral")}
    kinds = (Mission, Unit, Decks)
    assert set(core) == {
        f"{kind.__name__}.{field.name}" for kind in kinds for field in attrs.fields(kind)
    }
    assert "`cease` clears it" in core["Mission.aim"]
    assert "`landed` sets it to `place`" in core["Mission.impact"]
    assert core["Mission.target"] == "reads it only"


def test_everything_of_the_contract_has_a_text_of_its_own():
    assert [
        row
        for name in set(CONTRACT) - {"imports"}
        for row in rows(name)
        if not re.match(r"\w.{15,}", row[-1])
    ] == []


def test_every_step_that_the_core_calls_is_in_the_contract():
    source = Path(cycle.__file__).read_text(encoding="utf-8")
    called = set(
        re.findall(rf"push\((?:parts_of\(view\)\.|parts\.)?({'|'.join(BASES)})\.(\w+)", source)
    )
    assert called
    assert called <= {(word, written(cell)[0]) for word, cell, _, _ in rows("steps")}


def imports():
    """Return the names that the page imports, with their modules."""
    return [
        (module.strip("`"), name)
        for module, names in rows("imports")
        for name in re.findall(r"`(\w+)`", names)
    ]


def test_every_name_can_be_imported_from_the_module_that_the_contract_states():
    for module, name in imports():
        exec(f"from {module} import {name}", {})  # noqa: S102 - a name of our own table


def test_every_type_that_the_contract_shows_is_among_its_imports():
    signatures = " ".join(
        re.sub(r"'[^']*'|Stage\.\w+|Outcome\.\w+", "", cell)
        for table in CONTRACT
        if table != "imports"
        for cell in re.findall(r"`([^`]+)`", CONTRACT[table])
    )
    types = set(re.findall(r"(?<![\w.])[A-Z]\w+", signatures)) - {"None", "True", "False"}
    assert {"Frame", "Fraction", "Chart", "Decks"} <= types <= {name for _, name in imports()}
    assert ("fireplan_core.space", "Frame") in imports()


def test_every_import_in_the_examples_of_the_contract_is_in_its_table():
    used = {
        (line.module, alias.name)
        for line in ast.walk(ast.parse(EXAMPLES))
        if isinstance(line, ast.ImportFrom) and line.module.startswith("fireplan_core")
        for alias in line.names
    }
    assert used
    assert used <= set(imports())


def test_the_page_of_the_contract_shows_every_table():
    included = re.findall(r"<!-- generated: contract/(\w+) -->", text_of("reference/contract.md"))
    assert sorted(included) == sorted(CONTRACT)


def test_every_hook_has_an_example_that_runs():
    hooks = {name for kind in (GameSpec, RuleSpec) for name in public(kind)}
    assert set(re.findall(r"def (fireplan_\w+)\(", EXAMPLES)) == hooks


def test_the_example_implements_every_required_step_and_overrides_only_existing_ones():
    named = {name for kind in (Part, *BASES.values()) for name in public(kind)}
    tables = ("steps", "queries", "part")
    required = {
        written(row[-3])[0] for name in tables for row in rows(name) if row[-2] == "**required**"
    }
    methods = set(re.findall(r"^    def ((?!fireplan_)\w+)\(self", EXAMPLES, flags=re.MULTILINE))
    assert required <= methods
    assert methods - named == {"call", "correct", "move", "watch", "astray", "hit"}


@pytest.mark.parametrize(
    "page", ["reference/contract.md", "tutorials/new_game.md", "architecture.md"]
)
def test_every_name_called_on_a_page_exists(page):
    text = text_of(page)
    assert [name for name in re.findall(r"\bview\.(\w+)\(", text) if not hasattr(View, name)] == []
    assert [
        name
        for name in re.findall(r"\bcycle\.(?!py\b|md\b)([a-z]\w*)", text)
        if not hasattr(cycle, name)
    ] == []
    called = re.findall(r"parts_of\(view\)\.(\w+)\.(\w+)", text)
    assert [f"{word}.{name}" for word, name in called if not hasattr(BASES[word], name)] == []


def test_the_core_only_example_is_the_one_a_test_plays():
    played = re.search(
        r'PLAY = """\\\n(.*?)"""', (ROOT / "tests/core/test_alone.py").read_text("utf-8"), re.DOTALL
    )[1]
    assert f"```python\n{played}```" in text_of("tutorials/new_game.md")


def test_every_ready_part_is_in_the_table_of_ready_parts():
    ready = {
        name
        for name in parts.__all__
        if isinstance(kind := getattr(parts, name), type) and issubclass(kind, Part)
    }
    told = set(
        re.findall(r"`([A-Z]\w+)`", text_of("tutorials/new_game.md").partition("## Ready parts")[2])
    )
    assert ready - {"Ready"} <= told


# --- commands ---------------------------------------------------------------------------------------------
def test_every_command_has_its_place_and_no_other():
    told = sections(text_of("reference/commands.md"))
    assert set(told) == set(COMMANDS)
    for name, section in told.items():
        assert f"<!-- generated: commands/{name} -->\n" in section


@pytest.mark.parametrize("name", COMMANDS)
def test_the_text_of_a_command_holds_every_argument_and_option_as_the_program_has_it(name):
    text = " ".join(help_of()[name].replace("\\", "").split())
    asked = COMMANDS[name].assemble_argument_collection(
        default_parameter=app.app().default_parameter, parse_docstring=True
    )
    for argument in asked.filter_by(show=True):
        assert f"`{argument.names[0]}" in text
        assert " ".join(argument.parameter.help.split()) in text
    assert re.search(
        rf"^```text\nfireplan {name}( \[OPTIONS\])?( [A-Z]+)*( \[ARGS\])?\n```", help_of()[name]
    )
    listed = " ".join(re.findall(r"^\* `(.+?)`", help_of()[name], flags=re.MULTILINE))
    options = {one for argument in asked for one in argument.names if one.startswith("--")}
    assert set(re.findall(r"--[a-z-]+", listed)) == options


def test_facts_omitted_from_help_pages_are_listed_at_compare():
    shortened = GENERATE.facts_once(help_of())
    assert shortened["compare"] == help_of()["compare"]
    left_out = {
        line
        for name, text in help_of().items()
        for line in set(text.splitlines()) - set(shortened[name].splitlines())
    }
    assert "* `--guns N`: Number of tubes." in left_out
    assert left_out <= set(shortened["compare"].splitlines())


# --- games ------------------------------------------------------------------------------------------------
def test_every_game_of_the_workspace_has_a_page_with_all_that_is_generated():
    games = {path.parent.name for path in ROOT.glob("plugins/*/pyproject.toml")}
    assert set(GENERATE.GAMES) == games
    for key in GENERATE.GAMES:
        included = set(
            re.findall(rf"<!-- generated: games/{key}/(\w+) -->", text_of(f"games/{key}.md"))
        )
        assert included == {
            "facts",
            "figures",
            "life",
            "mission",
            "options",
            "charts",
            "numbers",
            "rests_on",
            "rules",
            "keys",
            "surprises",
        }


GAMES = [key for key in GENERATE.GAMES if key in Catalogue.installed().games]


@pytest.mark.parametrize("key", GAMES)
def test_a_games_page_lists_exactly_its_options(key):
    game = Catalogue.installed()[key].game
    options = {option.name for option in game.options}
    for option in game.options:
        assert f"| `{option.name}` |" in GENERATE._options(game)
    named = re.findall(r"options? ((?:`\w+`(?:, )?)+)", text_of(f"games/{key}.md"))
    assert {name for names in named for name in re.findall(r"`(\w+)`", names)} <= options


@pytest.mark.parametrize("key", GAMES)
def test_rules_that_a_page_of_a_game_cites_are_in_its_ledger(key):
    differences = (
        text_of(f"games/{key}.md").partition("## Where the ")[2].partition("## What is not")[0]
    )
    rules = Catalogue.installed()[key].game.ledger.rules
    cited = [
        one
        for row in re.findall(r"^\| ([A-Z]?\d[^|]*) \|", differences, flags=re.MULTILINE)
        for one in row.split(",")
    ]
    assert cited
    assert [one for one in cited if one.strip() not in rules] == []


@pytest.mark.parametrize(
    ("kind", "some"),
    [
        (Engagement, {"target.men", "observer.sight", "situation.night"}),
        (
            Catalogue.installed()["asl"].game.scenarios.kind,
            {"battery[].creeping.lift", "unit[].move[].to"},
        ),
    ],
    ids=["engagement", "asl"],
)
def test_every_key_of_a_file_has_its_meaning(kind, some):
    rows = re.findall(r"^\| `([^`]+)` \| ([^|]*) \|", GENERATE.keys(kind), flags=re.MULTILINE)
    assert some <= {name for name, _ in rows}
    assert [name for name, meaning in rows if not meaning.strip()] == []


# --- pages ------------------------------------------------------------------------------------------------
def test_every_page_is_in_a_table_of_contents_once():
    blocks = re.findall(r"```\{toctree\}\n(.*?)```", text_of("index.md"), flags=re.DOTALL)
    listed = [
        line for block in blocks for line in block.splitlines() if line and not line.startswith(":")
    ]
    assert sorted(listed) == sorted(
        str(page.relative_to(DOCS).with_suffix("")) for page in PAGES if page.name != "index.md"
    )


def tree_of(package):
    """Return the names that the architecture's tree lists below a package, folders without their
    slash.
    """
    text = text_of("architecture.md").partition("## The tree")[2].partition("## ")[0]
    block = re.search(rf"^{package}/ .*\n((?:  .*\n)+)", text, flags=re.MULTILINE)[1]
    # Two or more spaces separate the names from their explanation; a line without such spaces holds
    # only names.
    names = (re.split(r" {2,}", line.strip())[0] for line in block.splitlines())
    return [name.rstrip("/") for line in names for name in line.split()]


@pytest.mark.parametrize(
    ("package", "folder"),
    [(fireplan_core, "core/src/fireplan_core"), (fireplan, "workbench/src/fireplan")],
)
def test_every_module_and_folder_of_core_and_workbench_is_in_the_tree_of_the_architecture(
    package, folder
):
    there = [
        path.stem
        for path in Path(package.__file__).parent.iterdir()
        if path.suffix == ".py" or (path / "__init__.py").is_file()
    ]
    assert sorted(tree_of(folder)) == sorted(name for name in there if not name.startswith("_"))


def test_the_architecture_is_read_in_a_few_minutes():
    assert len(text_of("architecture.md").split()) <= 1200


def test_task_pages_are_short_and_all_pages_keep_to_the_limit():
    counts = {name: prose.words(text) for name, text in prose.pages()}
    assert {
        n: count for n, count in counts.items() if n.startswith("how_to/") and count >= 400
    } == {}
    assert sum(counts.values()) <= 40_000


def test_every_picture_is_small_and_used():
    used = {
        name
        for page in PAGES
        for name in re.findall(
            r"\((?:\.\./)?screenshots/([\w.]+)\)", page.read_text(encoding="utf-8")
        )
    }
    pictures = {file.name: file.stat().st_size for file in (DOCS / "screenshots").iterdir()}
    assert set(pictures) == used
    assert [name for name, size in pictures.items() if size > 250_000] == []


def test_every_check_has_a_section():
    headings = set(
        re.findall(r"^## (L\d\d-\w+)$", text_of("reference/checks.md"), flags=re.MULTILINE)
    )
    assert headings == {law.id for law in LAWS}


# --- the front door ---------------------------------------------------------------------------------------
def stub_names(package):
    """Return the public names of a lazy package, as its stub lists them."""
    house = "kit" if package.startswith("fireplan_kit") else "workbench"
    path = ROOT / house / "src" / Path(*package.split(".")) / "__init__.pyi"
    return set(
        re.findall(r"^from \S+ import (\w+) as \1$", path.read_text(encoding="utf-8"), re.MULTILINE)
    )


@pytest.mark.parametrize("package", ["fireplan", "fireplan.positions", "fireplan_kit.testing"])
def test_the_reference_has_every_public_name(package):
    named = re.findall(
        r"^\.\. auto(?:function|class|exception|data):: ([\w.]+)$",
        text_of("reference/api.md"),
        re.MULTILINE,
    )
    # Complete the names with the current module, as Sphinx does.
    whole = [name if "." in name else f"fireplan.{name}" for name in named]
    shown = [name.rpartition(".")[2] for name in whole if name.rpartition(".")[0] == package]
    assert len(shown) == len(set(shown))
    of_kit = {"check"} if package == "fireplan" else set()  # exists only if the kit is installed
    assert set(shown) == stub_names(package) | of_kit


def test_the_reference_has_every_kind_of_result():
    shown = set(
        re.findall(
            r"^\.\. autoclass:: fireplan\.questions\.(?:\w+\.)?(\w+)$",
            text_of("reference/api.md"),
            re.MULTILINE,
        )
    )
    kinds, waiting = set(), [fireplan.Result]
    for module in (ROOT / "workbench" / "src" / "fireplan" / "questions").glob("[a-z]*.py"):
        importlib.import_module(f"fireplan.questions.{module.stem}")
    while waiting:
        below = waiting.pop().__subclasses__()
        kinds |= {
            kind.__name__ for kind in below if kind.__module__.startswith("fireplan.questions.")
        }
        waiting += below
    assert shown >= kinds


def test_the_tour_shows_every_function_of_the_front_door():
    text = text_of("reference/front_door.md")
    assert {
        name for name in stub_names("fireplan") - {"Result", "Final"} if f"fp.{name}" not in text
    } == set()


def test_each_value_has_its_own_placeholder_in_the_help():
    page = (DOCS / "reference" / "commands.md").read_text(encoding="utf-8")
    words = set(re.findall(r"^\* `--[\w-]+ ([^`]+)`", page, re.MULTILINE))
    assert {"GAME", "SIDE", "NAME=VALUE..."} <= words
    assert {"STR", "STR...", "LIST"}.isdisjoint(words)
