"""The workspace keeps its promises: members, pins, contracts, a core that names no game."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import tomli

from fireplan_core.extras import GAMES as GAMES_EXTRAS

ROOT = Path(__file__).resolve().parents[2]

# Words that identify a game. At least one of them must match every plugin's key.
GAME_WORDS = frozenset(
    {"asl", "wacht", "rhein", "poppies", "1943", "battlegroup", "battletech", "commander"}
)
GAME_TITLES = ("squad leader",)
# Units, pieces and phases of the games; the core has no use for any of these words.
GAME_TERMS = re.compile(
    r"""\b(?: battlemech | comm\simplant | oblique\sartilleryman | thumper | long[_ ]tom | arrow[_ ]iv | couplets? | oma
    | cohesion\scheck | [pda]fph | rally\sphase | prep\sfire | ffe | ift | morale\scheck | progress\sbox(?:es)?
    | air[_ ]strike | squads? | platoons?
    | artillery[_ ](?:request|denied) | fpv | etx | double\stap | sudden\sdeath )\b""",
    re.IGNORECASE | re.VERBOSE,
)

# A pattern for the address of a package index: an index or link option with a value, the usual host
# names, a "simple" listing, a lock file's source. One-letter classes keep this file from matching
# itself.
INDEX_ADDRESS = re.compile(
    r"""
      [i]ndex[-_]url["']?\s*[=\s]\s*["']?\w+:
    | [f]ind-links["']?\s*[=\s]\s*["']?[\w/.]
    | [t]rusted-host["']?\s*[=\s]\s*\S
    | \b(?:test\.)?[p]ypi\.[a-z]{2,}
    | [p]ythonhosted
    | \w+://[^\s"'<>)]*/[s]imple(?:/|\b)
    | \w+://[^\s"'<>)]*\.(?:[w]hl|[t]ar\.gz)\b
    | \b[r]egistry\s*=\s*["']\w+:
    """,
    re.IGNORECASE | re.VERBOSE,
)

WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def read_toml(path):
    return tomli.loads((ROOT / path).read_text(encoding="utf-8"))


def normalised(requirement):
    """Return the name of a requirement's distribution in normalised form."""
    return re.sub(r"[-_.]+", "-", re.match(r"[\w.-]+", requirement)[0]).lower()


def repository_files():
    """Return the files that git tracks or would track; without git, all except .venv and caches."""
    if (ROOT / ".git").exists():
        listing = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT,
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        paths = [ROOT / name for name in listing.split("\0") if name]
    else:
        paths = [p for p in ROOT.rglob("*") if not {".venv", "__pycache__"} & set(p.parts)]
    return sorted(path for path in paths if path.is_file())


def text_of(path):
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:  # a picture is not text
        return ""


def words_of(text):
    """Return the words that make up identifiers: MyName, my_name and my-name each have two."""
    return {word.lower() for word in WORD.findall(text)}


WORKSPACE = read_toml("pyproject.toml")
MEMBERS = WORKSPACE["tool"]["uv"]["workspace"]["members"]
PROJECTS = {member: read_toml(f"{member}/pyproject.toml")["project"] for member in MEMBERS}
HOUSES = ["core", "workbench", "studio", "kit"]
GAMES = [member for member in MEMBERS if member not in HOUSES]
DISTRIBUTIONS = [project["name"] for project in PROJECTS.values()]
FILES = repository_files()


def test_the_repository_contains_no_played_games():
    """Play writes its journal into the current folder; the tests' journals are stored as text."""
    journals = [path for path in FILES if path.suffix == ".fireplan"]
    assert journals == []


def test_members_are_the_four_houses_and_the_plugin_folders():
    folders = [p.name for p in (ROOT / "plugins").iterdir() if p.is_dir() and p.name[0] not in "._"]
    assert sorted(MEMBERS) == sorted([*HOUSES, *(f"plugins/{name}" for name in folders)])


def test_root_depends_on_every_member():
    usual = WORKSPACE["project"]["dependencies"]
    more = PROJECTS["workbench"]["optional-dependencies"]["more_games"]
    assert sorted([*usual, *map(normalised, more)]) == sorted(DISTRIBUTIONS)
    assert WORKSPACE["project"]["optional-dependencies"] == {"more_games": ["fireplan[more_games]"]}
    assert WORKSPACE["tool"]["uv"]["sources"] == {
        name: {"workspace": True} for name in DISTRIBUTIONS
    }


@pytest.mark.parametrize(
    ("extra", "file"), [("games", "requirements"), ("more_games", "requirements-games")]
)
def test_an_extra_brings_the_games_that_a_file_of_requirements_installs(extra, file):
    brought = {normalised(one) for one in PROJECTS["workbench"]["optional-dependencies"][extra]}
    assert brought == {
        PROJECTS[member]["name"] for member in editable(file) if member not in HOUSES
    }


def editable(name):
    """Return the members that a requirements file installs."""
    lines = (ROOT / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return [
        line.removeprefix("-e ./").partition("[")[0] for line in lines if line.startswith("-e ")
    ]


def test_requirements_install_every_member_once():
    assert sorted([*editable("requirements"), *editable("requirements-games")]) == sorted(MEMBERS)


@pytest.mark.parametrize("member", GAMES)
def test_plugin_is_named_after_its_folder(member):
    key = member.removeprefix("plugins/")
    assert PROJECTS[member]["name"] == "fireplan-" + key.replace("_", "-")
    assert PROJECTS[member]["entry-points"] == {"fireplan.games": {key: f"fireplan_{key}"}}
    assert (ROOT / member / "src" / f"fireplan_{key}" / "py.typed").is_file()


@pytest.mark.parametrize("member", GAMES)
def test_plugin_depends_on_the_core_and_no_other_game(member):
    needed = {normalised(requirement) for requirement in PROJECTS[member]["dependencies"]}
    assert needed & set(DISTRIBUTIONS) == {"fireplan-core"}


@pytest.mark.parametrize(
    ("house", "stands_on"),
    [
        ("core", set()),
        ("workbench", {"fireplan-core", "fireplan-studio", "fireplan-kit"}),
        ("studio", {"fireplan-core", "fireplan"}),
        ("kit", {"fireplan-core", "fireplan"}),
    ],
)
def test_a_house_depends_on_no_game(house, stands_on):
    extras = PROJECTS[house].get("optional-dependencies", {})
    asked = [one for name, extra in extras.items() if name not in GAMES_EXTRAS for one in extra]
    requirements = [*PROJECTS[house]["dependencies"], *asked]
    assert {normalised(requirement) for requirement in requirements} & set(
        DISTRIBUTIONS
    ) == stands_on


def test_constraints_pin_only_by_version():
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    assert lines
    assert [line for line in lines if "://" in line or "@ " in line or "==" not in line] == []


def test_constraints_pin_every_requirement():
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = {normalised(line) for line in lines}
    asked = [one for project in PROJECTS.values() for one in project["dependencies"]]
    asked += [
        one for extra in PROJECTS["workbench"]["optional-dependencies"].values() for one in extra
    ]
    for name in ("requirements.txt", "requirements-dev.txt", "requirements-docs.txt"):
        lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
        asked += [line for line in lines if line and line[0] not in "-#"]
    groups = WORKSPACE["dependency-groups"].values()
    asked += [one for group in groups for one in group]
    assert {normalised(one) for one in asked} - set(DISTRIBUTIONS) - pinned == set()


LOCKS = {
    name: ROOT / f"{name}.lock"
    for name in ("requirements", "requirements-dev", "requirements-docs")
}


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_file_holds_every_file_by_its_hash_at_the_version_that_is_pinned(name):
    pins = dict(
        line.split("==") for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").split()
    )
    pins = {normalised(distribution): version for distribution, version in pins.items()}
    text = LOCKS[name].read_text(encoding="utf-8")
    asked_for = (ROOT / f"{name}.txt").read_text(encoding="utf-8")
    hashes = r"((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)"
    blocks = re.findall(r"^(?!    )(.+?)==(\S+)(.*)\n" + hashes, text, re.MULTILINE)
    assert (
        "".join(f"{one}=={version}{more}\n{hashes}" for one, version, more, hashes in blocks)
        == text
    )
    assert {normalised(one): version for one, version, _, _ in blocks}.items() <= pins.items()
    asked = [line for line in asked_for.splitlines() if line[:1] not in "-#"]
    if name == "requirements":
        asked += [one for project in PROJECTS.values() for one in project["dependencies"]]
        extras = re.search(r"^-e \./workbench\[(.*)\]$", asked_for, re.MULTILINE)[1].split(",")
        asked += [
            one for extra in extras for one in PROJECTS["workbench"]["optional-dependencies"][extra]
        ]
    locked = {normalised(one) for one, _, _, _ in blocks}
    assert {normalised(one) for one in asked} - set(DISTRIBUTIONS) <= locked


def test_requirements_of_extras_are_in_a_lock_file():
    texts = [lock.read_text(encoding="utf-8") for lock in LOCKS.values()]
    locked = {
        normalised(one)
        for text in texts
        for one in re.findall(r"^[\w.-]+(?===)", text, re.MULTILINE)
    }
    asked = [
        one for extra in PROJECTS["workbench"]["optional-dependencies"].values() for one in extra
    ]
    assert {normalised(one) for one in asked} - set(DISTRIBUTIONS) - locked == set()


def test_every_project_is_built_by_the_pinned_backend():
    pins = (ROOT / "constraints.txt").read_text(encoding="utf-8").split()
    projects = [path for path in FILES if path.name == "pyproject.toml"]
    backends = [one for project in projects for one in build_requirements(project)]
    assert set(backends) <= set(pins)
    assert len(backends) == len(MEMBERS) + 3  # the other three are the examples


def build_requirements(project):
    return (
        tomli.loads(project.read_text(encoding="utf-8")).get("build-system", {}).get("requires", [])
    )


def test_the_bill_of_materials_and_the_licences_are_those_of_the_lock_files():
    command = [sys.executable, str(ROOT / "benchmarks" / "bill.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("as the lock files say\n", 0)


@pytest.mark.full
def test_no_file_holds_the_address_of_a_package_index():
    found = {
        str(path.relative_to(ROOT)): match[0]
        for path in FILES
        if (match := INDEX_ADDRESS.search(text_of(path)))
    }
    assert found == {}


def test_index_addresses_are_recognised():
    site = "https:" + "//example.net"
    lines = (
        f"--index-url {site}/x",
        f'index-url = "{site}"',
        f"--extra-index-url={site}",
        "--find-links" + " /wheels",
        "see py" + "pi.example",
        f"{site}/root/simple/attrs",
        f"attrs @ {site}/attrs-1.0-py3-none-any.whl",
        f'source = {{ registry = "{site}" }}',
    )
    assert [line for line in lines if not INDEX_ADDRESS.search(line)] == []
    assert not INDEX_ADDRESS.search(f"[uv]({site}/uv/) and a simple link")


def test_import_linter_watches_the_whole_workspace():
    linter = WORKSPACE["tool"]["importlinter"]
    packages = {name.replace("-", "_") for name in DISTRIBUTIONS}
    games = {PROJECTS[member]["name"].replace("-", "_") for member in GAMES}
    houses = packages - games - {"fireplan_core"}
    contracts = {contract["id"]: contract for contract in linter["contracts"]}
    assert set(linter["root_packages"]) == packages == set(contracts["no-circles"]["ancestors"])
    assert set(contracts["core-knows-nobody"]["forbidden_modules"]) == packages - {"fireplan_core"}
    assert set(contracts["workbench-knows-no-game"]["forbidden_modules"]) == games
    assert set(contracts["games-know-the-core-alone"]["source_modules"]) == games
    assert set(contracts["games-know-the-core-alone"]["forbidden_modules"]) == houses
    assert set(contracts["workbench-knows-no-game"]["source_modules"]) == houses
    assert set(contracts["games-apart"]["modules"]) == games


def test_mypy_watches_the_whole_workspace():
    expected = sorted(f"{member}/src" for member in MEMBERS)
    assert sorted(WORKSPACE["tool"]["mypy"]["files"]) == expected
    assert sorted(WORKSPACE["tool"]["mypy"]["mypy_path"]) == expected


def test_every_game_key_is_a_word_the_core_may_not_use():
    for member in GAMES:
        assert words_of(member.removeprefix("plugins/")) & GAME_WORDS, member


EXAMPLE = re.compile(r"^ *>>> .*\n(?:(?! *\"\"\"| *>>>| *$).*\n)*", re.MULTILINE)
"""Match an example in a docstring with its output; the examples may ask about an installed game."""


@pytest.mark.parametrize("house", HOUSES)
def test_a_house_names_no_game(house):
    core = ROOT / house / "src"
    named = {}
    for path in FILES:
        if path.is_relative_to(core):
            text = f"{path.relative_to(core)}\n{EXAMPLE.sub('', text_of(path))}"
            found = words_of(text) & GAME_WORDS
            found |= {title for title in GAME_TITLES if title in text.lower()}
            if found:
                named[str(path.relative_to(ROOT))] = sorted(found)
    assert named == {}


def test_the_core_names_no_unit_and_no_phase_of_a_game():
    core = ROOT / "core" / "src"
    found = {
        f"{path.relative_to(ROOT)}:{number}": match[0]
        for path in FILES
        if path.is_relative_to(core)
        for number, line in enumerate(text_of(path).splitlines(), start=1)
        if (match := GAME_TERMS.search(line))
    }
    assert found == {}
    assert GAME_TERMS.search("each platoon in its phase")
    assert GAME_TERMS.search("a long_tom")


def test_importing_the_core_does_not_load_networkx():
    # Loading networkx takes 0.4 s, which every command would pay.
    code = "import sys, fireplan, fireplan_core; sys.exit('networkx' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_every_test_named_in_ci_exists():
    """A missing path in `.ci/run` would stop the run before the later steps, and a browser test
    that is not named there would never run.
    """
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    listed = subprocess.run(
        ["bash", "-c", "printf '%s\\n' " + " ".join(re.findall(r"\btests/[\w/.{},]+", script))],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split()
    assert len(listed) >= 10
    assert [path for path in listed if not (ROOT / path).exists()] == []
    # pytest leaves this folder out unless its files are named.
    browser = {f"tests/browser/{file.name}" for file in (ROOT / "tests/browser").glob("test_*.py")}
    assert browser <= {*listed}


def test_every_marker_that_the_checks_select_is_declared():
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    settings = tomli.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    declared = {line.split(":")[0] for line in settings["tool"]["pytest"]["markers"]}
    selected = {
        word
        for expression in re.findall(r"pytest .*?-m ['\"]([^'\"]+)", script)
        for word in re.findall(r"\w+", expression)
    }
    assert selected - {"and", "not", "or"} <= declared
    assert selected
