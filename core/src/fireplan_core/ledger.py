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
from typing import Literal, get_args

import attrs

from fireplan_core import files
from fireplan_core.files import Complaint, entry, repeated
from fireplan_core.sources import parsed, texts_in


def citations_in(folder: Path, known: Collection[str]) -> dict[str, tuple[str, ...]]:
    r"""Return, for each known rule that a package cites, the places as ``module:line``.

    In a Python module, a citation is a text in quotes that contains only rule ids, separated by
    commas. In a ``.toml`` file other than the ledger, it is the value of a ``cite`` key. In
    ``numbers.csv``, ``options.csv`` and ``orders.csv`` it is the rule column.

    >>> from pathlib import Path
    >>> size = Path("delays.py").write_text('rule = "2.1"\n')
    >>> citations_in(Path(), {"2.1", "2.2"})
    {'2.1': ('delays.py:1',)}
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
    r"""Return, for each rule, the tests in a folder whose names contain its number.

    For example, ``test_c1_21_...`` is a test of C1.21. Rules without tests are left out.

    >>> from pathlib import Path
    >>> size = Path("test_calls.py").write_text("def test_2_1_a_call_takes_a_turn(): ...\n")
    >>> tests_in(Path(), ["2.1", "2.2"])
    {'2.1': ('test_calls.py::test_2_1_a_call_takes_a_turn',)}
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


Status = Literal["implemented", "not applicable", "open", "heading"]
STATUSES: tuple[Status, ...] = get_args(Status)
"""The possible statuses of a rule; a heading only groups the rules numbered beneath it."""


@attrs.frozen(kw_only=True)
class Witness:
    r"""A worked example of a rule: a position, the inputs, and the resulting events.

    >>> play = "> roll repair: white 6\n  ended mission=a reason=lost [2.1]"
    >>> repair = Witness(position="fp1 my_game/raid a{broken} > delays.repair(a)", play=play)
    >>> rule = Rule("2.1", "A 6 loses the radio.", "implemented", witness=(repair,))
    >>> Ledger("My game", "first edition", {"2.1": rule}).witnessed
    '1 of 1 rules have a worked example'
    """

    position: str = entry("line of the position", "")
    play: str = entry(
        "a line for each input, marked > as in a playthrough, then the events and the new position",
        "",
        multiline=True,
    )
    source: Literal["book", "author"] = entry(
        "where the example comes from: the rulebook or the author", "author"
    )
    why: str = entry("explanation, if the rule does not make the result obvious", "")


@attrs.frozen
class Rule:
    """A numbered rule: its id as printed, a summary in our own words, its status and its examples.

    If no rulebook was available, ``attested`` gives the source of the rule or how certain it is.
    ``no_figure`` explains why no worked example could show an effect of the rule, e.g. because it
    only defines a term.

    >>> Rule("2.1", "A call for fire takes a turn.").status
    'open'
    """

    id: str = entry("number as printed", example="1.1")
    summary: str = entry("the rule in your own words", example="...", multiline=True)
    status: Status = entry("whether the game carries out the rule", "open")
    reason: str = entry("why the rule is not applicable", "", multiline=True)
    witness: tuple[Witness, ...] = entry("worked examples", ())
    attested: str = entry("source of the rule, or its certainty", "", multiline=True)
    no_figure: str = entry("why no worked example could show an effect", "", multiline=True)


@attrs.frozen(eq=False, repr=False)
class Ledger:
    """The rules of one game by id, with the game's title and edition.

    >>> rule = Rule("2.1", "A call for fire takes a turn.", "implemented")
    >>> ledger = Ledger("My game", "first edition", {"2.1": rule})
    >>> "2.1" in ledger, "2.1, 2.2" in ledger
    (True, False)
    """

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
        """A sentence for reports that says how many of the ``figures`` have a worked example."""
        return f"{sum(bool(rule.witness) for rule in self.figures)} of {len(self.figures)} rules have a worked example"


@attrs.frozen
class _LedgerFile:
    """The content of ``rules.toml``."""

    title: str = entry("name of the game", "")
    edition: str = entry("edition of its rules", "")
    rule: tuple[Rule, ...] = entry("the rules", ())

    def check(self) -> Iterator[Complaint]:
        """Yield a complaint for each rule that repeats an id or has a status that does not fit.

        A rule that is not applicable needs a reason; a heading has rules beneath it, and no reason.
        """
        yield from repeated(self, "rule", by="id")
        for number, rule in enumerate(self.rule):
            if rule.status == "not applicable" and not rule.reason:
                yield f"rule[{number}]", f"rule {rule.id}: not applicable needs a reason", ""
            stem = rule.id.removesuffix("0")
            beneath = any(r.id != rule.id and r.id.startswith(stem) for r in self.rule)
            if rule.status == "heading" and (rule.reason or not beneath):
                problem = f"rule {rule.id}: a heading must have rules beneath it and no reason"
                yield f"rule[{number}]", problem, ""


def read_ledger(file: Path | Traversable) -> Ledger:
    r"""Return the ledger in a TOML file.

    Raises ``FileError`` listing every fault: a rule that lacks an id or a summary, appears twice,
    has an unknown status or key, or is not applicable without a reason; a heading with a reason or
    without rules beneath it; or a file that is not TOML.

    >>> from pathlib import Path
    >>> file = Path("rules.toml")
    >>> size = file.write_text('[[rule]]\nid = "2.1"\nsummary = "A call takes a turn."\n')
    >>> read_ledger(file)["2.1"].status
    'open'
    """
    document = files.Document.of(str(file), file.read_text(encoding="utf-8"))
    content = document.read(_LedgerFile)
    rules = (attrs.evolve(rule, summary=rule.summary.strip()) for rule in content.rule)
    return Ledger(content.title, content.edition, {rule.id: rule for rule in rules})
