"""Orders given in advance, compared by the chance of an event."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from fireplan import analysis
from fireplan.errors import InputError, gathered, refuse, unknown
from fireplan.questions.answers import ChanceResult
from fireplan.questions.asked_position import AskedPosition
from fireplan.questions.conditions import Happens
from fireplan.questions.inquiry import chance
from fireplan.questions.lists import ListResult
from fireplan.questions.playing import run_on
from fireplan.questions.refusing import refusing
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
    """Return the chance of an event under each of several orders, the greatest chance first.

    ``orders`` is a list, or a mapping by name. Each entry is anything that ``fireplan.strategy``
    accepts, or an order for the pending decision, such as ``"call"`` or ``"correct at=K5"``, which
    is given for that decision only. The standard orders are always compared too. The other
    arguments are those of ``chance``. Raise ``InputError`` listing every fault in the arguments.
    """
    if isinstance(orders, str):
        raise InputError(
            "orders: expected several orders, in a list or by name; chance() takes one."
        )
    faults: list[str] = []
    if isinstance(orders, Mapping):
        rules = {name: gathered(faults, _rule, asked, one) for name, one in orders.items()}
    else:
        listed = [(one, gathered(faults, _rule, asked, one)) for one in orders]
        rules = {
            one if rule is not one else str(strategy(one)): rule
            for one, rule in listed
            if rule is not None
        }
    results = {
        name: gathered(faults, chance, asked, event, by, orders=rule, sample=sample, seed=seed)
        for name, rule in {STANDARD: None, **rules}.items()
    }
    refuse(faults)
    rows = [
        {"orders": name, **_chance(result), "percent": analysis.percent(result.chance)}
        for name, result in sorted(results.items(), key=lambda pair: -pair[1].chance)
    ]
    first = results[STANDARD]
    more = {"chance": "exactly"} if first.exact else {"standard_error": "standard error"}
    heads = {"orders": "orders", "percent": "chance", **more}
    around: dict[str, Any] = {"asked": first.asked, "position": first.line, "until": first.until}
    around |= {} if first.exact else {"exact": False, "trajectories": sample}
    last = f"{first.asked}, from {first.line} to the end of {first.until}"
    return ListResult(heads, rows, "compared", around, last)


def _chance(result: ChanceResult) -> dict[str, Any]:
    """Return a chance as data: an exact rational as text, or an estimate with its error."""
    if result.exact:
        return {"chance": str(result.chance)}
    return {"chance": float(result.chance), "standard_error": round(result.error(value=True), 6)}


def _rule(asked: AskedPosition, orders: Any) -> Any:
    """Return an order for the pending decision as a rule that gives it once; else ``orders``.

    Raise ``InputError`` for text that is neither an order on offer nor a rule.
    """
    with refusing():
        table = run_on(asked.at.table())[0]
    if not isinstance(orders, str) or (due := table.question_due) is None:
        return orders
    verb, _, values = orders.strip().partition(" ")
    verbs = {form.verb for form in table.rulebook.forms(due, table.read)}
    if verb and "=" not in verb and ":" not in orders and verb not in verbs:
        raise unknown(f"order of {due.question}", verb, sorted(verbs))
    is_order = verb in verbs and not values.lstrip().startswith("=")
    return f"{due.question}={orders} once" if is_order else orders
