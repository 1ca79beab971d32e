"""Orders given in advance, compared by the chance of an event."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from fireplan import analysis
from fireplan.errors import InputError, gathered, refuse
from fireplan.questions.asked_position import AskedPosition
from fireplan.questions.conditions import Happens
from fireplan.questions.inquiry import chance
from fireplan.questions.lists import ListResult
from fireplan.strategies import strategy

STANDARD = "standard"
"""The name of the standard orders among those compared."""


def compare_orders(
    asked: AskedPosition,
    orders: Iterable[Any] | Mapping[str, Any],
    event: Happens | str,
    by: str | int | None = None,
    *,
    sample: int = 0,
    seed: int = 1,
) -> ListResult:
    """Return the chance of an event under each of several orders, the likeliest first.

    ``orders`` are given in advance as to ``fireplan.strategy``, in a list or by name; the standard
    orders are always compared too. The other arguments are those of ``chance``. Raise
    ``InputError`` listing every fault in them.
    """
    if isinstance(orders, str):
        raise InputError("orders: expected several, in a list or by name; chance() takes one.")
    named = orders if isinstance(orders, Mapping) else {str(strategy(one)): one for one in orders}
    faults: list[str] = []
    results = {
        name: gathered(faults, chance, asked, event, by, orders=one, sample=sample, seed=seed)
        for name, one in {STANDARD: None, **named}.items()
    }
    refuse(faults)
    rows = [
        {"orders": name, "chance": str(result.chance), "percent": analysis.percent(result.chance)}
        for name, result in sorted(results.items(), key=lambda pair: -pair[1].chance)
    ]
    first = results[STANDARD]
    heads = {"orders": "orders", "percent": "chance", "chance": "exactly"}
    around = {"asked": first.asked, "position": first.line, "until": first.until}
    last = f"{first.asked}, from {first.line} to the end of {first.until}"
    return ListResult(heads, rows, "compared", around, last)
