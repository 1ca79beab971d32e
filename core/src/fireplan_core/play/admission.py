"""Admission: whether a part keeps its contract, known from its class before anything is played."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import attrs

from fireplan_core.areas import Areas
from fireplan_core.delays import Delays
from fireplan_core.observers import Observers
from fireplan_core.parts import PartTypes
from fireplan_core.requests import Requests
from fireplan_core.resolution import Resolution
from fireplan_core.steps.part import Part

CONTRACTS: Mapping[str, type[Part]] = {kind.word: kind for kind in (Observers, Requests, Delays, Areas, Resolution)}
"""The base class of each of the five words."""


class AdmissionError(Exception):
    """A plugin that cannot be used as a game; the message says why."""


class HouseRuleError(AdmissionError):
    """House rules that cannot be laid over a game; the message says why."""


def contract_of(word: str) -> dict[str, Callable[..., Any]]:
    """Return the steps of a part's contract by name: those that the core or another part may push."""
    kind = CONTRACTS[word]
    named = {name: getattr(kind, name) for name in dir(kind)}
    return {name: found for name, found in named.items() if _marked(found, "optional") or _marked(found, "required")}


def faults_of(kind: Any, word: str) -> tuple[str, ...]:
    """Return every fault of a part's class against the contract of its word, with file and line."""
    if (kind, word) not in _KNOWN:
        _KNOWN[kind, word] = tuple(_faults(kind, word))
    return _KNOWN[kind, word]


_KNOWN: dict[tuple[Any, str], tuple[str, ...]] = {}


def _faults(kind: Any, word: str) -> Iterator[str]:
    base = CONTRACTS[word]
    if base not in getattr(kind, "__mro__", ()):
        yield f"{word}: {kind!r} is no subclass of {base.__name__}"
        return
    for name, agreed in contract_of(word).items():
        own = getattr(kind, name)
        if own is agreed:
            if _marked(agreed, "required"):
                yield f"{kind.__name__}: the step {word}.{name} is missing"
        elif not hasattr(own, "__fireplan_step__"):
            yield f"{_place(own)}: {kind.__name__}.{name} carries out a step of the contract: mark it @step(cite=...)"
        elif _arity(own) != _arity(agreed):
            given, wanted = inspect.signature(own), inspect.signature(agreed)
            yield f"{_place(own)}: {kind.__name__}.{name} takes {given}, not {wanted}"
    for name in dir(kind):
        own = getattr(kind, name)
        for what, mark in (("step", "step"), ("question", "orders")):
            marked = [parent for parent in kind.__mro__ if hasattr(vars(parent).get(name), f"__fireplan_{what}__")]
            if marked and not hasattr(own, f"__fireplan_{what}__"):
                yield f"{_place(own)}: {kind.__name__}.{name} takes the place of a {what}: mark it @{mark}(cite=...)"
    yield from _of_records(kind)


def _of_records(kind: Any) -> Iterator[str]:
    """Yield every fault of the records that a part publishes and keeps."""
    for record in kind.publishes:
        if not (isinstance(record, type) and attrs.has(record)):
            yield f"{kind.__name__}.publishes names {record!r}, which is no record"
    for record in kind.keeps.records:
        if not (isinstance(record, type) and attrs.has(record)):
            yield f"{kind.__name__}.keeps names {record!r}, which is no record"
            continue
        mute = [one.name for one in attrs.fields(record) if not (one.metadata.get("help") and one.metadata.get("rule"))]
        if mute:
            lacks = "say what each means, with its rule: kept(default, meaning, rule)"
            yield f"{kind.__name__} keeps {record.__name__} with {', '.join(mute)}: {lacks}"


def questions_of(parts: PartTypes | None) -> list[str]:
    """Return the full names of the questions that the parts of a game ask."""
    kinds = [] if parts is None else [parts.of(word) for word in CONTRACTS]
    return [f"{kind.word}.{name}" for kind in kinds for name in dir(kind) if _marked(getattr(kind, name), "question")]


def undeclared(part: Part, slots: Iterable[Any]) -> Iterator[str]:
    """Yield the records that a part stages and does not say that it keeps."""
    known = part.keeps.records
    odd = dict.fromkeys(type(slot).__name__ for slot in slots if slot is not None and not isinstance(slot, known))
    yield from (f"{type(part).__name__} stages {name}, which it does not say that it keeps (keeps)" for name in odd)


def _marked(function: Any, mark: str) -> bool:
    return getattr(function, f"__fireplan_{mark}__", False) is True


def _arity(function: Callable[..., Any]) -> int:
    return function.__code__.co_argcount


def _place(function: Callable[..., Any]) -> str:
    return f"{function.__code__.co_filename}:{function.__code__.co_firstlineno}"
