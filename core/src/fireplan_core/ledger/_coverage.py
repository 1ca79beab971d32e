"""Coverage: which rules a game's sources cite, and which tests carry a rule's number in their name."""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

_LITERAL = re.compile(r'"([^"\\]*)"')


def citations_in(folder: Path, known: Collection[str]) -> dict[str, tuple[str, ...]]:
    """Return for each known rule, the places (``module:line``) of a package's sources and charts that cite it.

    A citation is a string literal on one line that consists of rule ids alone, several parted by commas; in data files
    (``.toml``, the ledger itself left out) a ``cite`` key with such a value, in ``options.csv`` and ``orders.csv`` the
    rule of a row.
    """
    found: dict[str, list[str]] = {}

    def note(text: str, place: str) -> None:
        cited = [part.strip() for part in text.split(",")]
        if all(rule in known for rule in cited):
            for rule in cited:
                found.setdefault(rule, []).append(place)

    for path in sorted(folder.rglob("*.py")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            for text in _LITERAL.findall(line):
                note(text, f"{path.relative_to(folder)}:{number}")
    for path, number, cite in _cites_in_data(folder):
        note(cite, f"{path.relative_to(folder)}:{number}")
    return {rule: tuple(places) for rule, places in found.items()}


def _cites_in_data(folder: Path) -> Iterator[tuple[Path, int, str]]:
    for path in sorted(folder.rglob("*.toml")):
        if path.name != "rules.toml":
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
                if cite := re.match(r"\s*cite\s*=\s*\"([^\"]+)\"", line):
                    yield path, number, cite.group(1)
    for path in sorted((*folder.rglob("options.csv"), *folder.rglob("orders.csv"))):
        with path.open(encoding="utf-8", newline="") as file:
            for number, row in enumerate(csv.DictReader(file), start=2):
                yield path, number, row["rule"]


def tests_in(folder: Path, rules: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return for each rule, the tests below a folder whose name carries its number (``test_c1_21_...``)."""
    names = [
        (name, str(path.relative_to(folder)))
        for path in sorted(folder.rglob("test_*.py"))
        for name in re.findall(r"def (test_\w+)", path.read_text(encoding="utf-8"))
    ]
    found: dict[str, tuple[str, ...]] = {}
    for rule in rules:
        token = "_" + re.sub(r"[^a-z0-9]+", "_", rule.lower()) + "_"
        bearing = tuple(f"{path}::{name}" for name, path in names if token in f"_{name}_")
        if bearing:
            found[rule] = bearing
    return found
