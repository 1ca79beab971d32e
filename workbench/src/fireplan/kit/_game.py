"""The laws of a game as a whole: admission, the ledger, sources without chance or clocks of their own."""

import ast
import inspect
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from fireplan.kit._bench import Bench
from fireplan.kit._check import Flaw, Flaws, admitted
from fireplan_core import numbers_of
from fireplan_core.ledger import citations_in

FOREIGN = {
    **dict.fromkeys(("random", "secrets", "urandom"), "chance comes only through the chance a step is handed"),
    **dict.fromkeys(("time", "datetime.now", "datetime.today", "date.today"), "time is a moment of the state"),
}
"""Modules and calls that no rule may use, and why."""


def game_is_admitted(bench: Bench) -> Flaws:
    """Check that every hook is answered as it is asked, without defaults; parts, steps and the core interface fit."""
    return [*admitted(bench.key, bench.installed.plugin)[1], *_unheard(bench)]


def _unheard(bench: Bench) -> Iterator[Flaw]:
    """Modifiers to a roll that neither the game nor its ready parts ever name: they would never be asked for."""
    own = {word for path in bench.package.rglob("*.py") for word in _words(path)}
    for modifier in bench.scenario.modifiers:
        part, _, roll = modifier.roll.partition(".")
        answers = getattr(bench.scenario.parts, part, None)
        sources = {inspect.getsourcefile(kind) for kind in type(answers).__mro__[:-1]} if answers else set()
        if answers is None or roll not in own.union(*(_words(Path(source)) for source in sources if source)):
            yield Flaw(f"modifier to {modifier.roll}: there is no such roll", modifier.cite)


@cache
def _words(path: Path) -> frozenset[str]:
    """Return the names of the rolls that a module throws: texts that ``chance`` is called with, and named constants."""
    texts: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Assign(value=value):
                texts |= _texts(value)
            case ast.Call(ast.Attribute(ast.Name(name)), arguments) if name.strip("_") == "chance":
                texts.update(*map(_texts, arguments))
    return frozenset(texts)


def _texts(node: ast.expr) -> set[str]:
    return {n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str)}


def ledger_is_cited(bench: Bench) -> Flaws:
    """Check that what the ledger calls implemented is cited, what is not applicable says why, no heading is cited."""
    ledger = bench.installed.game.ledger
    cited = citations_in(bench.package, ledger.rules.keys())
    faults: Flaws = [] if ledger.rules else ["the ledger has no rules"]
    for rule in ledger.rules.values():
        if rule.status == "implemented" and rule.id not in cited:
            faults.append(Flaw(f"rule {rule.id} is called implemented, but nothing cites it", rule.id))
        if rule.status == "not applicable" and rule.id in cited and not rule.reason:
            faults.append(Flaw(f"rule {rule.id} is not applicable without a reason", rule.id))
        if rule.status == "heading" and rule.id in cited:
            faults.append(Flaw(f"rule {rule.id} is called a heading, but {cited[rule.id][0]} cites it", rule.id))
    for number in (one for one in numbers_of(bench.installed.game.charts).values() if one.chart == "numbers"):
        cell = number.cell
        if cell.provenance == "printed" and any(map(str.isdigit, cell.cite)) and cell.cite not in ledger:
            faults.append(f"number {number.name} cites {cell.cite!r}, which is not in the ledger")
    for option in bench.installed.game.options:
        if option.cite not in ledger:
            faults.append(f"option {option.name} cites {option.cite!r}")
        if len(set(option.values)) != len(option.values) or not option.values:
            faults.append(Flaw(f"option {option.name} has no values, or one twice", option.cite))
    return faults


def sources_are_pure(bench: Bench) -> Flaws:
    """Check that no module of the game makes chance of its own, reads a clock, or changes a module's variables."""
    faults: Flaws = []
    for path in sorted(bench.package.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            line = getattr(node, "lineno", 0)
            faults += [f"{path.name}:{line} uses {name}: {FOREIGN[name]}" for name in _foreign(node)]
            if isinstance(node, ast.Global):
                faults.append(f"{path.name}:{line} changes {', '.join(node.names)} of its module")
            match node:
                case ast.Call(ast.Name("ask"), [ast.Constant(str(side)), *_]):
                    faults.append(f'{path.name}:{line} asks "{side}" by name: view.side and view.other say it')
    return faults


def _foreign(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names if alias.name in FOREIGN]
    if isinstance(node, ast.ImportFrom):
        return [node.module] if node.module in FOREIGN else [a.name for a in node.names if a.name == "urandom"]
    if isinstance(node, ast.Attribute):
        owner = node.value.id if isinstance(node.value, ast.Name) else getattr(node.value, "attr", "")
        return [name for name in (f"{owner}.{node.attr}", node.attr) if name in FOREIGN and name != "time"]
    return []
