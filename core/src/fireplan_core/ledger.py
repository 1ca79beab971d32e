"""The rule ledger, which lists every numbered rule of a game in our own words, with its status.

A ledger is a data file of the game (``rules.toml``). Citations are not recorded in the ledger but
found in the sources and tests.
"""

import ast
import csv
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import attrs
import tomli

from fireplan_core._sources import parsed, texts_in


def citations_in(folder: Path, known: Collection[str]) -> dict[str, tuple[str, ...]]:
    """Return, for each known rule that a package cites, the places as ``module:line``.

    In a Python module, a citation is a text in quotes that contains only rule ids, separated by
    commas. In a ``.toml`` file other than the ledger, it is the value of a ``cite``
    key. In ``numbers.csv``, ``options.csv`` and ``orders.csv`` it is the rule column.
    """
    citations: dict[str, list[str]] = {}

    def note(text: str, place: str) -> None:
        rules = [part.strip() for part in text.split(",")]
        if all(rule in known for rule in rules):
            for rule in rules:
                citations.setdefault(rule, []).append(place)

    for path in sorted(folder.rglob("*.py")):
        for number, text in texts_in(parsed(path)):
            note(text, f"{path.relative_to(folder)}:{number}")
    for path, number, cite in _cites_in_data(folder):
        note(cite, f"{path.relative_to(folder)}:{number}")
    return {rule: tuple(places) for rule, places in citations.items()}


def _cites_in_data(folder: Path) -> Iterator[tuple[Path, int, str]]:
    for path in sorted(folder.rglob("*.toml")):
        if path.name != "rules.toml":
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
                if cite := re.match(r"\s*cite\s*=\s*\"([^\"]+)\"", line):
                    yield path, number, cite.group(1)
    for path in sorted(
        path for name in ("numbers", "options", "orders") for path in folder.rglob(f"{name}.csv")
    ):
        with path.open(encoding="utf-8", newline="") as file:
            for number, row in enumerate(csv.DictReader(file), start=2):
                yield path, number, row["rule"]


def tests_in(folder: Path, rules: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return, for each rule, the tests in a folder whose names contain its number.

    For example, ``test_c1_21_...`` is a test of C1.21.
    """
    names = [
        (node.name, str(path.relative_to(folder)))
        for path in sorted(folder.rglob("test_*.py"))
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    ]
    tests: dict[str, tuple[str, ...]] = {}
    for rule in rules:
        token = "_" + re.sub(r"[^a-z0-9]+", "_", rule.lower()) + "_"
        matching = tuple(f"{path}::{name}" for name, path in names if token in f"_{name}_")
        if matching:
            tests[rule] = matching
    return tests


STATUSES = ("implemented", "not applicable", "open", "heading")
"""The possible statuses of a rule; a heading only groups the rules numbered beneath it."""


class LedgerError(ValueError):
    """An error in a ledger file; the message lists every fault."""


@attrs.frozen(kw_only=True)
class Witness:
    """A worked example of a rule: a position, the inputs, and the resulting events.

    ``play`` has a line for each input, marked ``>`` as in a playthrough, followed by the resulting
    events and optionally by the new position. ``source`` is ``book`` or ``author``. ``why``
    explains the result if the rule does not make it obvious.
    """

    position: str = ""
    play: str = ""
    source: str = "author"
    why: str = ""


@attrs.frozen
class Rule:
    """A numbered rule: its id as printed, a summary in our own words, its status and its examples.

    If no rulebook was available, ``told`` gives the source of the rule or how certain it is.
    ``no_figure`` explains why no worked example could show an effect of the rule, e.g. because it
    only defines a term.
    """

    id: str
    summary: str
    status: str = "open"
    reason: str = ""
    witness: tuple[Witness, ...] = ()
    told: str = ""
    no_figure: str = ""


@attrs.frozen(eq=False, repr=False)
class Ledger:
    """The rules of one game by id, with the game's title and edition."""

    title: str
    edition: str
    rules: Mapping[str, Rule]

    def __contains__(self, cite: object) -> bool:
        """Return whether this ledger has every rule in a citation such as ``C1.22, C1.61``."""
        return (
            isinstance(cite, str)
            and bool(cite)
            and all(c.strip() in self.rules for c in cite.split(","))
        )

    def __getitem__(self, rule: str) -> Rule:
        """Return the rule with this id; raises KeyError if there is none."""
        return self.rules[rule]

    @property
    def figures(self) -> tuple[Rule, ...]:
        """The implemented rules that affect a figure; each needs a worked example."""
        return tuple(
            rule
            for rule in self.rules.values()
            if rule.status == "implemented" and not rule.no_figure
        )

    @property
    def witnessed(self) -> str:
        """A sentence for reports that counts the ``figures`` with a worked example."""
        return f"{sum(bool(rule.witness) for rule in self.figures)} of {len(self.figures)} rules have a worked example"


def read_ledger(file: Path | Traversable) -> Ledger:
    """Return the ledger in a TOML file.

    Raises ``LedgerError`` listing every fault: a rule that lacks an id or a summary, appears twice,
    has an unknown status or key, or is not applicable without a reason; a heading with a reason or
    without rules beneath it; or a file that is not TOML.
    """
    try:
        content: dict[str, Any] = tomli.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise LedgerError(f"{file}: {error}") from error
    rules: dict[str, Rule] = {}
    faults: list[str] = []
    for number, entry in enumerate(content.get("rule", ()), start=1):
        witnesses = entry.get("witness", ())
        unknown_keys = [
            *_odd(entry, Rule),
            *(key for fields in witnesses for key in _odd(fields, Witness)),
        ]
        if unknown_keys:
            faults.append(
                f"rule {number} ({entry.get('id', 'no id')}): unknown keys {', '.join(unknown_keys)}"
            )
        rule = Rule(
            id=str(entry.get("id", "")),
            summary=str(entry.get("summary", "")).strip(),
            status=str(entry.get("status", "open")),
            reason=str(entry.get("reason", "")),
            told=str(entry.get("told", "")),
            no_figure=str(entry.get("no_figure", "")),
            witness=tuple(Witness(**fields) for fields in witnesses if not _odd(fields, Witness)),
        )
        if not rule.id or not rule.summary:
            faults.append(f"rule {number} ({rule.id or 'no id'}): id and summary are needed")
        if rule.id in rules:
            faults.append(f"rule {rule.id} appears twice")
        if rule.status not in STATUSES:
            faults.append(
                f"rule {rule.id}: status {rule.status!r} is not one of {', '.join(STATUSES)}"
            )
        if rule.status == "not applicable" and not rule.reason:
            faults.append(f"rule {rule.id}: not applicable needs a reason")
        rules[rule.id] = rule
    faults.extend(_no_headings(rules))
    if faults:
        raise LedgerError(f"{file}: " + "; ".join(faults))
    return Ledger(str(content.get("title", "")), str(content.get("edition", "")), rules)


def _odd(entry: Mapping[str, Any], kind: type) -> list[str]:
    return sorted(entry.keys() - {field.name for field in attrs.fields(kind)})


def _no_headings(rules: Mapping[str, Rule]) -> Iterator[str]:
    """Yield a fault for each heading with a reason or without rules beneath it (3.71 under 3.7)."""
    for name, rule in rules.items():
        beneath = any(other != name and other.startswith(name.removesuffix("0")) for other in rules)
        if rule.status == "heading" and (rule.reason or not beneath):
            yield f"rule {name}: a heading must have rules beneath it and no reason"
