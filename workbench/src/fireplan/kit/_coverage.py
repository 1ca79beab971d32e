"""How far a game's rules are in force: each with the places in the code that cite it and the tests that bear it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fireplan_core.ledger import citations_in, tests_in
from fireplan_core.play import Catalogue


def _tests_folder(package: Path) -> Path | None:
    """The tests beside the sources, when the game runs from a checkout."""
    for folder in package.parents:
        if (folder / "tests").is_dir() and (folder / "pyproject.toml").is_file():
            return folder / "tests"
    return None


def coverage(catalogue: Catalogue, key: str) -> list[dict[str, Any]]:
    """Return every rule of a game with its status, the places that cite it and the tests that bear its number."""
    installed = catalogue[key]
    ledger = installed.game.ledger
    package = Path(str(installed.plugin.__file__)).parent
    cited = citations_in(package, ledger.rules.keys())
    folder = _tests_folder(package)
    own = folder / key if folder is not None and (folder / key).is_dir() else folder
    borne = {} if own is None else tests_in(own, ledger.rules)
    return [
        {
            "id": rule.id,
            "summary": rule.summary,
            "status": rule.status,
            "reason": rule.reason,
            "cited": list(cited.get(rule.id, ())),
            "tests": list(borne.get(rule.id, ())),
        }
        for rule in ledger.rules.values()
    ]
