"""The documentation names everything that there is, with the signatures that it has; no page is written for nothing."""

import importlib.util
import inspect
import re
from pathlib import Path

import pytest

import fireplan_core
from fireplan.cli import _app
from fireplan.kit import LAWS
from fireplan_core import Areas, Delays, Engagement, GameSpec, Observers, Part, Requests, Resolution, RuleSpec
from fireplan_core import blocks as parts
from fireplan_core.play import Catalogue
from fireplan_core.play.catalogue import NEEDED_STEPS

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(page for page in DOCS.rglob("*.md") if not {"_build", "_generated"} & set(page.parts))


def load(file):
    spec = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


GENERATE = load(DOCS / "_generate.py")
HELP = GENERATE.commands()
COMMANDS = {name: _app.app[name] for name in _app.app if not name.startswith("-")}


def text_of(name):
    return (DOCS / name).read_text(encoding="utf-8")


def sections(text):
    """The text below each third heading, by its name."""
    found = re.split(r"^### (.+)$", text, flags=re.MULTILINE)[1:]
    return {
        name: re.split(r"^## ", body, flags=re.MULTILINE)[0] for name, body in zip(found[::2], found[1::2], strict=True)
    }


def signature(function):
    """As a caller writes it: the name, the arguments with their types, the answer."""
    written = inspect.signature(function)
    arguments = [one for one in written.parameters.values() if one.name != "self"]
    return f"{function.__name__}{written.replace(parameters=arguments)}".replace("'", "")


def methods(kind):
    return [one for name, one in vars(kind).items() if inspect.isfunction(one) and not name.startswith("_")]


HOOKS = {
    one.__name__: one
    for kind in (GameSpec, RuleSpec, Part, Observers, Requests, Delays, Areas, Resolution)
    for one in methods(kind)
}
DOCUMENTED = sections(text_of("hooks.md"))


# --- hooks ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", HOOKS)
def test_a_hook_is_documented_with_its_signature_question_caller_none_and_example(name):
    section = DOCUMENTED[name]
    assert f"```text\n{signature(HOOKS[name])}\n```" in section
    for word in ("Question", "Asked by", "None"):
        assert re.search(rf"^\* \*\*{word}:\*\* \S", section, flags=re.MULTILINE), f"{name}: {word} is missing"
    assert "```python\n" in section


def test_no_hook_is_documented_that_there_is_not():
    assert set(DOCUMENTED) == {*HOOKS, "All six together"}


def test_every_step_that_the_core_calls_is_documented_and_no_other():
    package = Path(fireplan_core.__file__).parent
    source = (package / "_cycle.py").read_text(encoding="utf-8")
    called = set(re.findall(r'_if_known\("(\w+)", "(\w+)"', source))
    called |= {tuple(name.split(".")) for name in re.findall(r'push\("((?!core)\w+\.\w+)"', source)}
    called |= {tuple(name.split(".")) for name in NEEDED_STEPS}
    for several, name in re.findall(r'_if_known\(word, "(?P<name>\w+)".*?for word in \((?P<words>[^)]*)\)', source):
        called |= {(word.strip('" '), several) for word in name.split(",")}
    rows = re.findall(r"^\| ([a-z, ]+) \| (\**)`(\w+)\(", text_of("hooks.md"), flags=re.MULTILINE)
    told = {(word.strip(), name): bool(bold) for words, bold, name in rows for word in words.split(",")}
    assert set(told) == called
    assert {f"{word}.{name}" for (word, name), bold in told.items() if bold} == set(NEEDED_STEPS)


def test_every_ready_part_is_in_the_table_of_ready_parts():
    ready = {
        name for name in parts.__all__ if isinstance(kind := getattr(parts, name), type) and issubclass(kind, Part)
    }
    told = set(re.findall(r"`([A-Z]\w+)`", text_of("new_game.md").partition("## Ready parts")[2]))
    assert ready - {"Ready"} <= told


# --- commands ---------------------------------------------------------------------------------------------
def test_every_command_has_its_place_and_no_other():
    told = sections(text_of("commands.md"))
    assert set(told) == set(COMMANDS)
    for name, section in told.items():
        assert f"```{{include}} _generated/commands/{name}.md\n```" in section


@pytest.mark.parametrize("name", COMMANDS)
def test_the_text_of_a_command_holds_every_argument_and_option_as_the_program_has_it(name):
    text = " ".join(HELP[name].replace("\\", "").split())
    asked = COMMANDS[name].assemble_argument_collection(
        default_parameter=_app.app.default_parameter, parse_docstring=True
    )
    for argument in asked:
        assert f"`{argument.names[0]}" in text
        assert " ".join(argument.parameter.help.split()) in text
    assert re.search(rf"^```text\nfireplan {name}( \[OPTIONS\])?( [A-Z]+)*( \[ARGS\])?\n```", HELP[name])
    listed = " ".join(re.findall(r"^\* `(.+?)`", HELP[name], flags=re.MULTILINE))
    options = {one for argument in asked for one in argument.names if one.startswith("--")}
    assert set(re.findall(r"--[a-z-]+", listed)) == options


# --- games ------------------------------------------------------------------------------------------------
def test_every_game_of_the_workspace_has_a_page_with_all_that_is_generated():
    games = {folder.name for folder in (ROOT / "plugins").iterdir() if (folder / "pyproject.toml").is_file()}
    assert set(GENERATE.GAMES) == games == {page.stem for page in (DOCS / "games").glob("*.md")}
    for key in GENERATE.GAMES:
        included = set(re.findall(rf"_generated/games/{key}/([\w.]+)", text_of(f"games/{key}.md")))
        assert included == {
            "facts.md",
            "life.md",
            "options.md",
            "charts.md",
            "numbers.md",
            "rests_on.md",
            "rules.md",
            "keys.md",
        }


@pytest.mark.parametrize("key", GENERATE.GAMES)
def test_a_page_of_a_game_tells_its_options_and_names_only_those(key):
    game = Catalogue.installed()[key].game
    options = {option.name for option in game.options}
    for option in game.options:
        assert f"| `{option.name}` |" in GENERATE._options(game)
    named = re.findall(r"options? ((?:`\w+`(?:, )?)+)", text_of(f"games/{key}.md"))
    assert {name for names in named for name in re.findall(r"`(\w+)`", names)} <= options


@pytest.mark.parametrize("key", GENERATE.GAMES)
def test_rules_that_a_page_of_a_game_cites_are_in_its_ledger(key):
    differences = text_of(f"games/{key}.md").partition("disagrees with itself")[2].partition("## What is not")[0]
    rules = Catalogue.installed()[key].game.ledger.rules
    cited = [
        one for row in re.findall(r"^\| ([A-Z]?\d[^|]*) \|", differences, flags=re.MULTILINE) for one in row.split(",")
    ]
    assert cited
    assert [one for one in cited if one.strip() not in rules] == []


@pytest.mark.parametrize(
    ("kind", "some"),
    [
        (Engagement, {"target.men", "observer.sight", "situation.night"}),
        (Catalogue.installed()["asl"].game.scenarios.kind, {"battery[].creeping.lift", "unit[].move[].to"}),
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
    listed = [line for block in blocks for line in block.splitlines() if line and not line.startswith(":")]
    assert sorted(listed) == sorted(
        str(page.relative_to(DOCS).with_suffix("")) for page in PAGES if page.name != "index.md"
    )


def test_every_folder_of_the_core_is_in_the_tree_of_the_architecture():
    core = ROOT / "core" / "src" / "fireplan"
    folders = {folder.name for folder in core.iterdir() if (folder / "__init__.py").is_file()}
    assert (
        set(re.findall(r"^\| `core/src/fireplan/(\w+)` \|", text_of("architecture.md"), flags=re.MULTILINE)) == folders
    )


def test_every_picture_is_small_and_used():
    used = {
        name for page in PAGES for name in re.findall(r"\(screenshots/([\w.]+)\)", page.read_text(encoding="utf-8"))
    }
    pictures = {file.name: file.stat().st_size for file in (DOCS / "screenshots").iterdir()}
    assert set(pictures) == used
    assert [name for name, size in pictures.items() if size > 250_000] == []


def test_a_page_of_each_check_is_there():
    headings = set(re.findall(r"^## (L\d\d-\w+)$", text_of("checks.md"), flags=re.MULTILINE))
    assert headings == {law.id for law in LAWS}
