"""Packages whose public names load the module behind them when they are first asked for (PEP 562).

A command loads what it uses and no more: ``fireplan odds`` neither draws nor opens a journal. The names stand once, in
the stub ``__init__.pyi`` of the package, which type checkers and editors read as it is.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

_NAME = re.compile(r"^from (\S+) import (\w+) as \2$", re.MULTILINE)


def lazily(package: str) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__all__``, ``__getattr__`` and ``__dir__`` of a package, from the names in its stub."""
    module = sys.modules[package]
    stub = Path(str(module.__file__)).with_suffix(".pyi").read_text(encoding="utf-8")
    homes = {name: home for home, name in _NAME.findall(stub)}

    def load(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(homes[name]), name)
        setattr(module, name, value)
        return value

    public = sorted(homes)
    return public, load, lambda: sorted({*vars(module), *public})
