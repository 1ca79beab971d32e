"""Queries: facts that the rules derive from a position, which may be asked for by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import attrs

F = TypeVar("F", bound=Callable[..., Any])

MARK = "__fireplan_query__"


@attrs.frozen(eq=False, repr=False)
class Query:
    """A query of a part: its name, the rule cited, and a summary.

    ``declared`` is the marked method, which defines the arguments and their types; arguments in
    ``defaults`` may be left out. ``run`` is the part's own method, ``(view, *args) -> value``.
    """

    name: str
    cite: str
    declared: Callable[..., Any]
    defaults: Mapping[str, Any]
    run: Callable[..., Any]
    summary: str


def query(*, cite: str, **defaults: Any) -> Callable[[F], F]:
    """Mark a method ``(self, view, *args) -> value`` of a part as a query.

    ``cite`` names the rule from which the fact follows, and ``defaults`` gives the values of
    arguments that are left out. A method that overrides the marked method belongs to the same
    query.

    >>> class Signals(Delays):
    ...     @query(cite="2.1")
    ...     def tries_left(self, view, mission):
    ...         return 3
    >>> Signals("my_game", {}, {}).queries()["tries_left"].cite
    '2.1'
    """

    def mark(method: F) -> F:
        setattr(method, MARK, (cite, defaults))
        return method

    return mark


def queries_of(part: Any, cites: Mapping[str, str]) -> dict[str, Query]:
    """Return the queries of a part by name.

    ``cites`` maps the topics that the core's queries cite to the game's rules.
    """
    marked: dict[str, Any] = {
        name: method
        for base in reversed(type(part).__mro__)
        for name, method in vars(base).items()
        if getattr(method, MARK, None) is not None
    }
    queries: dict[str, Query] = {}
    for name, declared in sorted(marked.items()):
        cite, defaults = getattr(declared, MARK)
        run = getattr(part, name)
        summary = (run.__doc__ or declared.__doc__ or "").strip().split("\n")[0]
        queries[name] = Query(name, cites.get(cite, cite), declared, defaults, run, summary)
    return queries
