"""Write the public functions' signatures for type checkers, from the classes of the questions.

``python docs/_generate.py`` writes ``functions.pyi``, so that type checkers report
``compare(minuts=3)``.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args, get_type_hints

import attrs

from fireplan.questions.question import Argument, arguments_of, question_named
from fireplan.questions.registry import OWN

STUB = Path(__file__).parents[1] / "workbench/src/fireplan/functions.pyi"
OVERLOADS: dict[str, tuple[tuple[dict[str, str], str, str], ...]] = {
    "odds": (({}, "sample", "OddsResult"), ({"sample": "int"}, "", "SampledOdds")),
    "rules": (({}, "rule", "ListResult"), ({"rule": "str"}, "", "RuleResult")),
    "sweep": (({}, "check", "SweepResult"), ({"check": "Literal[True]"}, "", "SweepPlan")),
    "whatif": (
        ({}, "scenario", "ComparisonResult"),
        ({"sample": "int"}, "", "SampledWhatIf"),
        ({"scenario": "str | Path | Engagement"}, "sample", "Any"),  # a scenario or an engagement
    ),
}
"""Maps questions with several kinds of results to (arguments required, argument excluded, result)."""


def stub() -> str:
    """Return the formatted text of the stub."""
    functions = [line for name in sorted(OWN) for line in _function(name)]
    modules: dict[str, set[str]] = {
        "collections.abc": {"Callable", "Iterable", "Mapping"},
        "pathlib": {"Path"},
        "types": {"ModuleType"},
        "typing": {"Any", "Literal", "overload"},
        "fireplan.strategies": {"Strategy"},
        "fireplan_core": {"Engagement"},
        "fireplan_core.play": {"Catalogue"},
    }
    for name in OWN:
        question = question_named(name)
        for kind in _results(question):
            modules.setdefault(kind.__module__, set()).add(kind.__name__)
    imports = [
        f"from {module} import {', '.join(sorted(names))}" for module, names in modules.items()
    ]
    head = "# Made by docs/_signatures.py from the classes of the questions.\n# ruff: noqa: A002"
    text = "\n".join([head, *imports, *functions]) + "\n"
    for command in (["check", "--select", "I,F401", "--fix", "--quiet"], ["format"]):
        ruff = [sys.executable, "-m", "ruff", *command, "--stdin-filename", str(STUB), "-"]
        done = subprocess.run(ruff, input=text, capture_output=True, text=True, check=True)  # noqa: S603
        text = done.stdout
    return text


def _results(question: Any) -> list[type]:
    returned = get_type_hints(question.answer)["return"]
    return [*(get_args(returned) or (returned,))]


def _function(name: str) -> Iterator[str]:
    question = question_named(name)
    plain = " | ".join(kind.__name__ for kind in _results(question))
    for given, absent, result in OVERLOADS.get(name, (({}, "", plain),)):
        if name in OVERLOADS:
            yield "@overload"
        positional, named, optional = list[str](), list[str](), False
        for entry in arguments_of(question).values():
            if entry.name == absent:
                continue
            needed = entry.needed or entry.name in given
            described = f"{entry.name}: {given.get(entry.name) or _kind(question, entry)}"
            described += "" if needed else " = ..."
            # After an optional argument, a required one can only be named.
            placed = entry.placed and not (needed and optional)
            (positional if placed else named).append(described)
            optional |= placed and not needed
        named += ["catalogue: Catalogue | None = ..."]
        named += [
            "progress: Callable[[int, str], None] = ...",
            "begin: Callable[[float], None] = ...",
        ]
        yield f"def {name}({', '.join([*positional, '*', *named])}) -> {result}: ..."


def _kind(question: Any, entry: Argument) -> str:
    if entry.fact is not None:
        return {int: "int | None", bool: "bool | None"}.get(entry.fact.kind, "str | None")
    if entry.name == "orders":
        return "str | Strategy | Mapping[str, Any] | Callable[[Any, Any], Any]"
    extra = "".join(f" | {kind.__name__}" for kind in entry.objects if kind is not entry.kind)
    hint = str(attrs.fields_dict(question)[entry.name].type)
    extra += " | ModuleType" * ("ModuleType" in hint)
    if entry.kind is bool:
        return "bool"
    if entry.kind is tuple:
        kind = f"str | Iterable[str{extra}]" + (" | Mapping[str, Any]" if entry.mapping else "")
        return f"{kind} | None"
    kind = {int: "int"}.get(entry.kind, "str | Path" if "Path" in hint else "str")
    return kind + extra + ("" if entry.needed else " | None")
