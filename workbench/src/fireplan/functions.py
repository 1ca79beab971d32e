"""The functions of the questions; the stub beside this file has their signatures."""

from typing import Any

from fireplan.questions.question import front
from fireplan.questions.registry import OWN


def __getattr__(name: str) -> Any:
    if name not in OWN:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return front(name)
