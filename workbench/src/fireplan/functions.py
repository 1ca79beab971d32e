"""The functions of the questions; the stub beside this file has their signatures."""

from importlib import import_module
from typing import Any

from fireplan.questions.registry import OWN


def __getattr__(name: str) -> Any:
    if name not in OWN:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(OWN[name].partition(":")[0]), name)
