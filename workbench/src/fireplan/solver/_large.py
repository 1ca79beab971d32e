"""Say what makes an exploration too large, in words: the step that meets most situations, the values that multiply."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fireplan.solver._compile import Compiler
from fireplan.solver._states import Field
from fireplan_core import Ask

SHOWN = 4


def busiest(compiler: Compiler) -> list[tuple[str, int, int]]:
    """Return steps and questions by how many situations they were met in: name, situations, most keys that are read."""
    runs: dict[str, tuple[int, int]] = {}
    for pending in compiler.compiled:
        name = f"the question {pending.question}" if isinstance(pending, Ask) else pending.name
        met, reads = runs.get(name, (0, 0))
        runs[name] = met + compiler.situations(pending), max(reads, len(compiler.keys(pending)))
    return sorted(((name, *found) for name, found in runs.items()), key=lambda row: -row[1])


def situations(compiler: Compiler) -> str:
    """Return the step or question that was run most often, e.g. ``9,318 situations in delays.draw``."""
    name, met, reads = busiest(compiler)[0]
    return f"{met:,} situations in {name}, which depends on up to {reads} values"


def growing(fields: Mapping[str, Field], before: Mapping[str, int]) -> list[str]:
    """Return the keys with more than one value, the one whose values have grown most since before first."""

    def growth(key: str) -> tuple[int, int]:
        size = len(fields[key].members)
        return size - before.get(key, 0), size

    return sorted((key for key, field in fields.items() if len(field.members) > 1), key=growth, reverse=True)


def multiplied(fields: Mapping[str, Field], before: Mapping[str, int]) -> str:
    """Return the key whose values have grown most since before, which others multiply, and the usual cure for it."""
    keys = growing(fields, before)[:SHOWN]
    if not keys:
        return "orders and dice alone"
    (key, field), *others = [(key, fields[key]) for key in keys]
    also = ", ".join(f"{name} {len(more.members):,}" for name, more in others)
    times = f", times what else changes ({also})" if also else ""
    return f"{key} takes {len(field.members):,} values{times}: {cure(key, [one for one, *_ in field.members])}"


def cure(key: str, values: Sequence[Any]) -> str:
    """Return what usually helps where a key takes too many values: by what they are, and whose."""
    kinds = {type(value) for value in values if value is not None}
    counts = kinds == {int}
    if key == "shared/out":
        return "cards are told too finely; ask the same few things of all, put back or shuffle where a rule does"
    if key.startswith("units/"):
        return "each unit multiplies; keep the worst that befell it, bound it, clear it with the turn, stage fewer"
    if counts:
        return "a count without an end; stop it at the highest that a rule still asks for"
    if kinds == {tuple} and all(len(value) == len(values[-1]) for value in values if value):
        return "a place without bounds; limit how far it moves, or clear it when no rule asks for it any more"
    if kinds & {tuple, frozenset}:
        return "a list in order; keep counts by kind, and draw only what is looked at"
    return "keep no more of it than a rule still asks for"
