"""The pages in the root are correct, and every page is in plain English."""

import re
from pathlib import Path

import pytest
import tomli

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
ROOT_PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
PAGES = [
    *ROOT_PAGES,
    *sorted(page for page in DOCS.rglob("*.md") if not {"_build", "_generated"} & set(page.parts)),
]
CI = re.sub(
    r'"\$locked/([\w-]+)"', r".venv/bin/\1", (ROOT / ".ci" / "run").read_text(encoding="utf-8")
)
"""The commands of CI, as a contributor with a single environment would run them."""
OLD_WORDS = re.compile(
    r"""
      \bIt\ stands\ in\b | \breadable\ as\ it\ is\b | \bparted\ by\ commas\b | \blaid\ open\b | \btells\ the\ rest\b
    | \bbear(?:s)?\ it\b | \bgists?\b | \bThen\( | \bput\( | \btell\( | \bpush\(["'] | \bfireplan\.mission\b
    | \bfireplan\.parts\b | \bcore/src/fireplan/ | _if_known | \bLatitude\b
    """,
    re.VERBOSE,
)
HISTORY = {"CHANGELOG.md"}
"""Pages that mention former names."""


def text_of(name):
    return (ROOT / name).read_text(encoding="utf-8")


def checkers_of(text):
    """Return the environment's commands, sorted, without Python, the program and those that set it
    up.

    Redirections, and the ampersand of a background command, are left out.
    """
    return sorted(
        f".venv/bin/{command}"
        for command in re.findall(
            r"\.venv/bin/((?!python\b|pre-commit\b|fireplan\b)[^<>&\n]*[^<>&\s])(?: *>.*)?$",
            text,
            re.MULTILINE,
        )
    )


def test_pre_commit_runs_the_checkers_of_ci_and_no_others():
    before_a_commit = checkers_of(
        re.sub(r"^#.*$", "", text_of(".pre-commit-config.yaml"), flags=re.MULTILINE)
    )
    assert before_a_commit == checkers_of(CI)
    assert {command.split()[0].rpartition("/")[2] for command in before_a_commit} == {
        "ruff",
        "mypy",
        "lint-imports",
    }


def test_contributing_names_the_checkers_of_ci():
    for command in checkers_of(CI):
        assert f"`{command.removeprefix('.venv/bin/')}`" in text_of("CONTRIBUTING.md")


def test_the_changelog_begins_with_the_version_that_all_distributions_have():
    versions = {
        tomli.loads(path.read_text(encoding="utf-8"))["project"]["version"]
        for path in (
            ROOT / "core/pyproject.toml",
            ROOT / "workbench/pyproject.toml",
            *ROOT.glob("plugins/*/pyproject.toml"),
        )
    }
    newest = re.search(r"^## (\S+)", text_of("CHANGELOG.md"), flags=re.MULTILINE)[1]
    assert versions == {newest}


@pytest.mark.parametrize("page", ROOT_PAGES, ids=lambda page: page.name)
def test_every_file_named_on_a_root_page_exists(page):
    named = re.findall(
        r"`((?:docs|tests|core|workbench|plugins|examples|benchmarks|\.ci)/[\w./-]+)`",
        page.read_text("utf-8"),
    )
    assert [name for name in named if not (ROOT / name).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_uses_none_of_the_old_words(page):
    if page.name not in HISTORY:
        assert OLD_WORDS.findall(page.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("name", ["docs/how_to/odds.md", "docs/explanation/performance.md"])
def test_prose_is_not_wider_than_code(name):
    prose = re.sub(r"^```.*?^```$", "", text_of(name), flags=re.MULTILINE | re.DOTALL).splitlines()
    assert [line for line in prose if len(line) > 120 and not line.startswith("|")] == []
