"""The rules of a game in force: each with the places in the code that cite it and the tests that cover it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from fireplan_core.ledger import citations_in, tests_in
from fireplan_core.play import Catalogue, Installed


def _tests_folder(package: Path) -> Path | None:
    """Return the tests beside the sources, when the game runs from a checkout."""
    for folder in package.parents:
        if (folder / "tests").is_dir() and (folder / "pyproject.toml").is_file():
            return folder / "tests"
    return None


def coverage(catalogue: Catalogue, key: str) -> list[dict[str, Any]]:
    """Return every rule of a game with its status, the places that cite it and the tests that cover it."""
    installed = catalogue[key]
    ledger = installed.game.ledger
    cited, tests = _found(installed, ledger.rules)
    return [
        {
            "id": rule.id,
            "summary": rule.summary,
            "status": rule.status,
            "reason": rule.reason,
            "cited": list(cited.get(rule.id, ())),
            "tests": list(tests.get(rule.id, ())),
        }
        for rule in ledger.rules.values()
    ]


def cover(installed: Installed, rule: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the places that cite a rule of a game and the tests that cover it; raise KeyError for an unknown rule."""
    cited, tests = _found(installed, (installed.game.ledger[rule].id,))
    return cited.get(rule, ()), tests.get(rule, ())


def _found(installed: Installed, rules: Iterable[str]) -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    """Return for each rule the places that cite it, and the tests that carry its number."""
    package = Path(str(installed.plugin.__file__)).parent
    folder = _tests_folder(package)
    own = folder / installed.game.key if folder is not None and (folder / installed.game.key).is_dir() else folder
    return citations_in(package, installed.game.ledger.rules.keys()), {} if own is None else tests_in(own, rules)
