"""The rule ledger: every numbered rule of a game's texts, in our own words, with its standing.

A ledger is data of the game (``rules.toml``); whether a rule is cited in code or borne by a test is
found in the sources, not written down twice.
"""

import csv
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import attrs
import tomli

_LITERAL = re.compile(r'"([^"\\]*)"')


def citations_in(folder: Path, known: Collection[str]) -> dict[str, tuple[str, ...]]:
    """Return for each known rule, the places (``module:line``) of a package's sources and charts that cite it.

    A citation is a string literal on one line that consists of rule ids alone, several parted by
    commas; in data files (``.toml``, the ledger itself left out) a ``cite`` key with such a value,
    in ``options.csv`` and ``orders.csv`` the rule of a row.
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
    for path in sorted(
        path for name in ("numbers", "options", "orders") for path in folder.rglob(f"{name}.csv")
    ):
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


STATUSES = ("implemented", "not applicable", "open", "heading")
"""Say where a rule stands: a heading has nothing to play, only rules beneath it that are entered one by one."""


class LedgerError(ValueError):
    """A ledger file that cannot be used; the message names every fault."""


@attrs.frozen(kw_only=True)
class Witness:
    """A worked example of a rule: a position's line, what is given, what follows.

    The ``book``'s or the ``author``'s.

    ``play`` has a line for each input, after ``>`` and as a playthrough has it, and beneath it all events that
    follow, and after them, if wanted, the line of the position that is reached.
    ``why`` says how that follows from the rule, where it is not plain.
    """

    position: str = ""
    play: str = ""
    source: str = "author"
    why: str = ""


@attrs.frozen
class Rule:
    """One numbered rule: its id as printed, its summary in our own words, where it stands, its worked examples.

    ``told`` is, where no rulebook was at hand, how sure the rule is, or by whom it is told. ``no_figure`` says why a
    rule changes nothing that a worked example could show: it names, or frames what the rules beneath it do.
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
    """All rules of one game, by id."""

    title: str
    edition: str
    rules: Mapping[str, Rule]

    def __contains__(self, cite: object) -> bool:
        """Return whether every rule named in a citation (``C1.22`` or ``C1.22, C1.61``) is in this ledger."""
        return (
            isinstance(cite, str)
            and bool(cite)
            and all(c.strip() in self.rules for c in cite.split(","))
        )

    def __getitem__(self, rule: str) -> Rule:
        """The rule of that id; KeyError if there is none."""
        return self.rules[rule]

    @property
    def figures(self) -> tuple[Rule, ...]:
        """Return the rules in force that change a figure: each wants a worked example."""
        return tuple(
            rule
            for rule in self.rules.values()
            if rule.status == "implemented" and not rule.no_figure
        )

    @property
    def witnessed(self) -> str:
        """Return how many rules that change a figure have a worked example, in words."""
        return f"{sum(bool(rule.witness) for rule in self.figures)} of {len(self.figures)} rules witnessed"


def read_ledger(file: Path | Traversable) -> Ledger:
    """Read a ledger file.

    Raises ``LedgerError`` with every fault: a rule without id or summary, twice there, of unknown
    status, with a key that no rule has, declared not applicable without a reason, or a heading that
    has one or has no rule beneath it; and for a file that is no TOML.
    """
    try:
        content: dict[str, Any] = tomli.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise LedgerError(f"{file}: {error}") from error
    rules: dict[str, Rule] = {}
    faults: list[str] = []
    for number, entry in enumerate(content.get("rule", ()), start=1):
        examples = entry.get("witness", ())
        odd = [*_odd(entry, Rule), *(key for given in examples for key in _odd(given, Witness))]
        if odd:
            faults.append(
                f"rule {number} ({entry.get('id', 'no id')}): unknown keys {', '.join(odd)}"
            )
        rule = Rule(
            id=str(entry.get("id", "")),
            summary=str(entry.get("summary", "")).strip(),
            status=str(entry.get("status", "open")),
            reason=str(entry.get("reason", "")),
            told=str(entry.get("told", "")),
            no_figure=str(entry.get("no_figure", "")),
            witness=tuple(Witness(**given) for given in examples if not _odd(given, Witness)),
        )
        if not rule.id or not rule.summary:
            faults.append(f"rule {number} ({rule.id or 'no id'}): id and summary are needed")
        if rule.id in rules:
            faults.append(f"rule {rule.id} stands twice")
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
    """Yield what is called a heading and is none: 3.71 is numbered beneath 3.7, and 3.7 beneath 3.0."""
    for name, rule in rules.items():
        beneath = any(other != name and other.startswith(name.removesuffix("0")) for other in rules)
        if rule.status == "heading" and (rule.reason or not beneath):
            yield f"rule {name}: a heading has rules beneath it, and needs no reason"
