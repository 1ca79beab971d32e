"""Packages whose public names load the module behind them when they are first asked for (PEP 562).

A command loads what it uses and no more: ``fireplan odds`` neither draws nor opens a journal. Type checkers read the
imports under ``TYPE_CHECKING`` in the same ``__init__``; a test holds the two lists together.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazily(
    package: str, modules: Mapping[str, tuple[str, ...]]
) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """``__all__``, ``__getattr__`` and ``__dir__`` of a package, from the public names of each module in it."""
    homes = {name: module for module, names in modules.items() for name in names}

    def load(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(homes[name], package), name)
        setattr(sys.modules[package], name, value)
        return value

    public = sorted(homes)
    return public, load, lambda: sorted({*vars(sys.modules[package]), *public})
