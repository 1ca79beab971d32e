"""Questions that name one thing of several, a unit, a hex, a hex side or a direction, or let it be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVarTuple

import attrs

from fireplan_core import Form, Order, Question, Refusal, Slot, View

Args = TypeVarTuple("Args")


def choice(  # noqa: PLR0913 - a question is what it says
    form: Form,
    name: str,
    meaning: str,
    candidates: Callable[[View, *Args], Sequence[Any]],
    why: str,
    *,
    cite: str = "",
    decline: Form | None = None,
    standard: Order | None = None,
) -> Question[*Args]:
    """Return the question which of some candidates the form's slot ``name`` holds; others are refused.

    ``why`` tells a refusal, ``{}`` in it standing for the candidates, and ``cite`` its rule (the form's by default).
    With ``decline`` nothing may be named instead. Without ``standard`` the standard answer is the first candidate.
    """

    def offers(view: View, *args: *Args) -> tuple[Form, ...]:
        slot = Slot(name, meaning, tuple(candidates(view, *args)))
        asked = attrs.evolve(form, slots=(slot,))
        return (asked,) if decline is None else (asked, decline)

    def refuse(view: View, order: Order, *args: *Args) -> Refusal | None:
        found = candidates(view, *args)
        if order.verb != form.verb or order[name] in found:
            return None
        return Refusal(cite or form.cite, why.format(", ".join(map(str, found))))

    def first(view: View, *args: *Args) -> Order:
        return standard or Order.of(form.verb, **{name: candidates(view, *args)[0]})

    return Question(offers, refuse, first)
