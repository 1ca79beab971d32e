"""Lazy packages, where a public name imports its module when it is first used (PEP 562).

A command therefore loads only the modules that it uses: ``fireplan odds`` loads no code for drawing
or for journals. A package lists its public names once, in its stub ``__init__.pyi``, which type
checkers and editors also read.
"""

import re
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

_NAME = re.compile(r"^from (\S+) import (\w+) as \2$", re.MULTILINE)


def lazily(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return the functions ``__getattr__`` and ``__dir__`` for a package, based on its stub.

    They also provide ``__all__``.
    """
    module = sys.modules[package]

    @cache
    def homes() -> dict[str, str]:
        stub = Path(str(module.__file__)).with_suffix(".pyi").read_text(encoding="utf-8")
        return {name: home for home, name in _NAME.findall(stub)}

    def load(name: str) -> Any:
        if name == "__all__":
            return sorted(homes())
        if name.startswith("__") or name not in homes():
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(homes()[name]), name)
        setattr(module, name, value)
        return value

    return load, lambda: sorted({*vars(module), *homes()})
