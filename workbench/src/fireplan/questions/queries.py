"""Queries: facts that the rules derive from a position, requested by name."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from typing import Any

from fireplan.errors import InputError, gathered, refuse, unknown
from fireplan.positions import UNFIT, atoms_of
from fireplan.positions.atoms import Node
from fireplan.positions.fields import hints_of
from fireplan.positions.hints import members
from fireplan.positions.read_values import read_back
from fireplan.questions.asked_position import AskedPosition
from fireplan.questions.lists import ListResult
from fireplan_core import Query, Scenario, View
from fireplan_core.chance import ChanceError
from fireplan_core.files import FileError
from fireplan_core.record import ProcedureError
from fireplan_core.space import PLACE

HEADS = {"name": "query", "takes": "takes", "part": "part", "rule": "rule", "meaning": "meaning"}
BEFORE = 2
"""Number of parameters before the arguments of a query: the part and the view."""


def queries(position: AskedPosition) -> ListResult:
    """Return the queries that a position answers, each with its arguments, rule and meaning."""
    listed = [
        {
            "name": query.name,
            "takes": ", ".join(_parameters(query)),
            "part": part,
            "rule": query.cite,
            "meaning": query.summary.removeprefix("Return ").removesuffix("."),
        }
        for part, query in _queries(position.at.scenario)
    ]
    return ListResult(HEADS, listed, "queries", {"position": position.line})


def query(position: AskedPosition, name: str, *args: Any, **named: Any) -> Any:
    """Return a fact that the rules derive from the position: ``query("covers", "a", "K5")``.

    ``queries()`` lists the names and their arguments: assets and units by name, places by label.
    Places in the answer are labels. Raise ``InputError`` listing every fault, or if the rules give
    no answer here.
    """
    scenario = position.at.scenario
    known = {query.name: (part, query) for part, query in _queries(scenario)}
    if name not in known:
        raise unknown("query", name, known)
    part, found = known[name]
    values = _bound(scenario, found, args, named)
    try:
        answer = found.run(View(position.at.read, scenario, part), *values)
    except UNFIT as error:
        why = f": {error}" if isinstance(error, ProcedureError | ChanceError | TypeError) else ""
        raise InputError(f"{name}: the rules cannot answer this query here{why}.") from error
    returns = hints_of(found.declared).get("return", Any)
    return read_back(scenario.frame, answer, name, returns)


def _queries(scenario: Scenario) -> Iterator[tuple[str, Query]]:
    """Yield the queries of a scenario, each with the word of its part."""
    for part in scenario.parts:
        for found in part.queries().values():
            yield part.word, found


def _parameters(found: Query) -> Mapping[str, Any]:
    """Map the arguments that a query takes to their types."""
    hints = hints_of(found.declared)
    names = [*inspect.signature(found.declared).parameters][BEFORE:]
    return {name: hints.get(name, Any) for name in names}


def _bound(
    scenario: Scenario, found: Query, args: tuple[Any, ...], named: Mapping[str, Any]
) -> list[Any]:
    """Return the values of a query's arguments; raise ``InputError`` listing every fault."""
    parameters, faults = _parameters(found), list[str]()
    given = dict(zip(parameters, args, strict=False))
    faults += [str(unknown("argument", name, parameters)) for name in named.keys() - parameters]
    given |= {name: value for name, value in named.items() if name in parameters}
    missing = [name for name in parameters if name not in given and name not in found.defaults]
    if missing or len(args) > len(parameters):
        faults.append(f"{found.name} takes {', '.join(parameters) or 'nothing'}.")
    values = [
        gathered(faults, _read, scenario, name, given[name], hint)
        if name in given
        else found.defaults.get(name)
        for name, hint in parameters.items()
    ]
    refuse(faults)
    return values


def _read(scenario: Scenario, name: str, value: Any, hint: Any) -> Any:
    """Return the value of an argument: the name of an asset or unit, a place, or a number."""
    names = {"mission": scenario.missions, "unit": scenario.units}.get(name)
    if names is not None and value not in names:
        raise unknown("asset" if name == "mission" else name, str(value), names)
    if names is not None:
        return value
    atoms = atoms_of(scenario)
    try:
        if PLACE in members(hint):
            return atoms.place(str(value).removeprefix("@"))
        return atoms.read(Node.of(value), hint)
    except FileError as error:
        raise InputError(f"{name}: {error.faults[0].message}.") from error
