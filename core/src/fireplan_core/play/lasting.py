"""Values that outlive a step, in a game's modules and parts, and whether a rule changed them.

Exact answers require that rules keep everything that changes in the state. The values in the
modules and parts of a scenario are recorded when it is staged; ``changed_values`` names every value
that has changed since.
"""

import sys
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from enum import Enum
from fractions import Fraction
from functools import cached_property, partial, singledispatch
from itertools import chain, count
from pathlib import PurePath
from re import Pattern
from types import (
    BuiltinFunctionType,
    CellType,
    ClassMethodDescriptorType,
    CodeType,
    FunctionType,
    GenericAlias,
    GetSetDescriptorType,
    MappingProxyType,
    MemberDescriptorType,
    MethodDescriptorType,
    MethodType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any
from weakref import WeakKeyDictionary

import attrs

from fireplan_core.play.scenario import Scenario
from fireplan_core.steps.part import Part

_GIVEN = frozenset(("game", "options", "charts", "words", "in_play"))
"""Attributes that every part has, and that are never changed."""
_PLAIN = (str, bytes, int, float, complex, Fraction, type(None), range, Pattern, PurePath)
_EMPTY = frozenset(
    (
        BuiltinFunctionType,
        ClassMethodDescriptorType,
        GenericAlias,
        GetSetDescriptorType,
        MemberDescriptorType,
        MethodDescriptorType,
        CodeType,
        ModuleType,
        WrapperDescriptorType,
        cached_property,
        property,
    )
)
"""Types of values that contain nothing a rule could change."""
_RECORDED: WeakKeyDictionary[Any, Mapping[str, int]] = WeakKeyDictionary()
"""Maps each module and part to the fingerprints of its values, by name."""


def record_values(scenario: Scenario) -> None:
    """Record the values in a scenario's parts and in the modules of its games and house rules.

    A module that has already been recorded is not recorded again.
    """
    for module in _modules(scenario.packages):
        if module not in _RECORDED:
            _RECORDED[module] = _of_module(module)
    for part in scenario.parts:
        _RECORDED[part] = _of_part(part)


def changed_values(packages: Collection[str]) -> list[str]:
    """Return the names of the values in these packages that have changed since they were recorded.

    A name is ``package.module.NAME``, or ``Class.attribute`` for an attribute of a part.
    """
    changed: list[str] = []
    for owner, before in [*_RECORDED.items()]:
        module = isinstance(owner, ModuleType)
        home = owner.__name__ if module else type(owner).__module__
        if home.partition(".")[0] in packages and _loaded(owner, home):
            now = _of_module(owner) if module else _of_part(owner)
            names = {name for name in (*before, *now) if before.get(name) != now.get(name)}
            changed += [f"{home if module else type(owner).__name__}.{name}" for name in names]
    return sorted({*changed})


def _loaded(owner: Any, home: str) -> bool:
    """Return whether a module, or the class of a part, is still the imported one.

    ``home`` is the name of that module, or of the module that defines the class.
    """
    module = sys.modules.get(home)
    if isinstance(owner, ModuleType):
        return module is owner
    kind = type(owner)
    return getattr(module, kind.__name__, kind) is kind


def _modules(packages: Collection[str]) -> list[ModuleType]:
    prefixes = tuple(packages)
    names = [name for name in [*sys.modules] if name.startswith(prefixes)]
    return [sys.modules[name] for name in names if name.partition(".")[0] in packages]


def _of_module(module: ModuleType) -> dict[str, int]:
    reader = _Fingerprinter(module.__name__.partition(".")[0])
    return {
        name: reader.fingerprint(value)
        for name, value in [*vars(module).items()]
        if not (name.startswith("__") or isinstance(value, ModuleType))
    }


def _of_part(part: Part) -> dict[str, int]:
    reader = _Fingerprinter(type(part).__module__.partition(".")[0])
    return {
        name: reader.fingerprint(value) for name, value in _attributes(part) if name not in _GIVEN
    }


class _Fingerprinter:
    """Fingerprints of values; a value that has not changed keeps its fingerprint.

    Classes and functions of other packages are ignored, and so are the cached results of functions
    and properties, which the law L12-pure covers.
    """

    def __init__(self, package: str) -> None:
        self._package = package
        self._known: dict[int, int] = {}

    def fingerprint(self, value: Any) -> int:
        """Return a number that changes if anything in a value does; valid in this process only."""
        kind = type(value)
        if kind in _EMPTY:
            return id(value)
        if isinstance(value, _PLAIN):
            return hash((kind, value))
        key = id(value)
        if key not in self._known:
            self._known[key] = key  # stops the recursion if the value contains itself
            prints = map(self.fingerprint, _held(value, self._package))
            order = frozenset if isinstance(value, set | frozenset) else tuple
            self._known[key] = hash((kind, order(prints)))
        return self._known[key]


@singledispatch
def _held(value: Any, package: str) -> Iterable[Any]:
    """Return the values inside a value, which are checked in turn.

    These are an object's attributes, or the fields if its class is an attrs class of another
    package.
    """
    kind: Any = type(value)
    if _home(kind) == package:
        return (id(value), *chain.from_iterable(_attributes(value)))
    names = [field.name for field in attrs.fields(kind)] if attrs.has(kind) else []
    return (id(value), *(getattr(value, name, None) for name in names))


@_held.register(dict)
@_held.register(MappingProxyType)
def _of_mapping(value: Any, _package: str) -> Iterable[Any]:
    return chain.from_iterable([*value.items()])


@_held.register(list)
@_held.register(tuple)
@_held.register(deque)
@_held.register(set)
@_held.register(frozenset)
def _of_items(value: Any, _package: str) -> Iterable[Any]:
    return [*value]


@_held.register(Enum)
def _of_member(value: Enum, _package: str) -> Iterable[Any]:
    return (id(value),)


@_held.register(count)
def _of_count(value: Any, _package: str) -> Iterable[Any]:
    return (repr(value),)


@_held.register(partial)
def _of_partial(value: Any, _package: str) -> Iterable[Any]:
    return value.func, value.args, value.keywords


@_held.register(MethodType)
@_held.register(staticmethod)
@_held.register(classmethod)
def _of_method(value: Any, _package: str) -> Iterable[Any]:
    return value.__func__, getattr(value, "__self__", None)


@_held.register(CellType)
def _of_cell(value: CellType, _package: str) -> Iterable[Any]:
    try:
        return (value.cell_contents,)
    except ValueError:  # the closure cell is empty
        return ()


@_held.register(FunctionType)
def _of_function(value: FunctionType, package: str) -> Iterable[Any]:
    held = (value.__defaults__, value.__kwdefaults__, value.__closure__, value.__dict__)
    return (value.__code__, *held) if any(held) and _home(value) == package else (value.__code__,)


@_held.register(type)
def _of_class(value: type, package: str) -> Iterable[Any]:
    own = [*vars(value).items()] if _home(value) == package else []
    named = (pair for pair in own if not pair[0].startswith(("__", "_abc")))
    return (id(value), *chain.from_iterable(named))


def _home(value: Any) -> str:
    return str(value.__module__).partition(".")[0]


def _attributes(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the names and values of an object's attributes, without cached properties."""
    kind = type(value)
    slots = [name for base in kind.__mro__ for name in _slots(base)]
    held = {name: getattr(value, name) for name in slots if hasattr(value, name)}
    for name, item in [*held.items(), *getattr(value, "__dict__", {}).items()]:
        cached = isinstance(getattr(kind, name, None), cached_property)
        if not (cached or name.startswith("_attrs_cached")):
            yield name, item


def _slots(kind: type) -> tuple[str, ...]:
    slots = vars(kind).get("__slots__", ())
    named = (slots,) if isinstance(slots, str) else tuple(slots)
    return tuple(name for name in named if name not in ("__weakref__", "__dict__"))
