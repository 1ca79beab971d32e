"""The tools of the referee: functions of the front door under limits, whose arguments and answers are plain data.

Their signatures say what may be asked: a JSON schema is made of them, and everything that is wrong
with what was said.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from inspect import Signature, signature
from typing import Any

import fireplan as fp
from fireplan import analysis, positions
from fireplan.questions.errors import InputError, outside, refuse, unknown
from fireplan.questions.lists import RuleResult
from fireplan.questions.opening import catalogue, engagement_named
from fireplan.questions.position import PositionResult
from fireplan.questions.result import Result
from fireplan_core.files import FileError
from fireplan_core.play import Catalogue, shipped_scenarios

LONGEST, ENTRIES = 4_000, 40
"""Characters of a text, and entries of a mapping, that are read at most."""
PLAIN = {"type": ["string", "integer", "boolean"]}
KINDS: Mapping[str, tuple[tuple[type, ...], Mapping[str, Any]]] = {
    "str": ((str,), {"type": "string", "maxLength": LONGEST}),
    "int": ((int,), {"type": "integer"}),
    "None": ((), {}),
    "Said": ((dict,), {"type": "object", "additionalProperties": PLAIN, "maxProperties": ENTRIES}),
}
WORDS = {str: "a text", int: "a whole number", dict: "an object of names with plain values"}


def schema(tool: Callable[..., Any]) -> dict[str, Any]:
    """Return the JSON schema of a tool's arguments."""
    parameters = inspect.signature(tool).parameters.values()
    properties = {}
    for one in parameters:
        among = [KINDS[kind][1] for kind in one.annotation.split(" | ") if KINDS[kind][0]]
        properties[one.name] = among[0] if len(among) == 1 else {"anyOf": among}
    needed = [one.name for one in parameters if one.default is one.empty]
    return {
        "type": "object",
        "properties": properties,
        "required": needed,
        "additionalProperties": False,
    }


def check(tool: Callable[..., Any], given: Mapping[str, Any]) -> None:
    """Raise ``InputError`` with everything that is wrong with the arguments of a tool."""
    parameters = inspect.signature(tool).parameters
    faults = [
        str(unknown("argument", name[:LONGEST], parameters))
        for name in given
        if name not in parameters
    ]
    for name, one in parameters.items():
        if given.get(name) is not None:
            kinds = tuple(each for kind in one.annotation.split(" | ") for each in KINDS[kind][0])
            faults += _wrong(name, given[name], kinds)
        elif one.default is one.empty or (name in given and one.default is not None):
            faults.append(f"{name}: is needed.")
    refuse(faults)


def _wrong(name: str, value: Any, kinds: tuple[type, ...]) -> Iterator[str]:
    if not isinstance(value, kinds) or isinstance(value, bool):
        yield f"{name}: expected {' or '.join(WORDS[kind] for kind in kinds)}."
    elif isinstance(value, str):
        yield from _long(name, value)
    elif isinstance(value, dict):
        if len(value) > ENTRIES:
            yield f"{name}: expected at most {ENTRIES} entries, got {len(value):,}."
            return
        for key, entry in value.items():
            yield from _long(f"a name in {name}", key)
            if not isinstance(entry, str | int):
                yield f"{name}, {key[:LONGEST]!r}: expected a text, a whole number, true or false."
            elif isinstance(entry, str):
                yield from _long(f"a value in {name}", entry)


def _long(name: str, text: str) -> Iterator[str]:
    if len(text) > LONGEST:
        yield f"{name}: expected at most {LONGEST:,} characters, got {len(text):,}."
    if any(not one.isprintable() for one in text):
        yield f"{name}: holds control characters; write it as one line of plain text."


MOMENTS, MINUTES = 400, 1440
"""Moments and minutes that are watched at most."""
ORDERS = 2_000
"""Legal orders of one form that are listed at most; the answer says whether there may be more."""
SAMPLE = 20_000
"""Trajectories that are drawn at most."""
FIRST = "fp1 "
"""How a position line begins."""

Data = dict[str, Any]
Said = Mapping[str, Any] | None


@cache
def installed() -> Catalogue:
    """Return the installed games, loaded once."""
    return catalogue()


# --- what there is ---------------------------------------------------------------------------------
def _listing(listed: Callable[..., Result]) -> Callable[..., Data]:
    """Return the tool that gives a list of the front door as data, by the arguments that are plain."""
    taken = signature(listed).parameters
    plain = [one for name, one in taken.items() if name != "catalogue"]

    def tool(**asked: Any) -> Data:
        known = {} if asked.get("game") or "catalogue" not in taken else {"catalogue": installed()}
        return listed(**asked, **known).to_dict()

    tool.__doc__ = listed.__doc__
    tool.__dict__["__signature__"] = Signature(plain)
    return tool


def rules(game: str, rule: str | None = None, status: str | None = None) -> Data:
    """Say in our own words what the rules of a game say, all of them or the one of that number.

    A status keeps those that are 'implemented', 'open', 'not applicable' or 'heading'.
    """
    found = fp.rules(game, rule, status=status)
    if isinstance(found, RuleResult):
        page = found.page
        rests = [{"name": f"{game}.{one.name}", "value": one.cell.value} for one in page.numbers]
        steps = [one.full for one in page.steps]
        told = {"rule": page.rule.id, "summary": page.rule.summary, "status": page.rule.status}
        return {"game": game, **told, "reason": page.rule.reason, "steps": steps, "numbers": rests}
    kept = ("summary", "status", "reason")
    return {
        "game": game,
        "rules": [{"rule": row["id"], **{key: row[key] for key in kept}} for row in found],
    }


# --- positions ---------------------------------------------------------------------------------------
def position(position: str, game: str | None = None, facts: Said = None) -> Data:
    """Return the position line of a scenario or of an engagement (with its game and facts), and what it waits for.

    A position line is returned as it is written.
    """
    return {**_of(position, game, facts).to_dict()}


def legal(position: str, game: str | None = None) -> Data:
    """List the orders that may be given at a position, form by form, each with the rule that allows it.

    Of an order with a place these are all places. Of a form that is not complete there are others
    beside those listed.
    """
    told = _of(position, game).legal().to_dict()
    for form in told["forms"]:
        form |= {
            "complete": form["complete"] and len(form["orders"]) <= ORDERS,
            "orders": form["orders"][:ORDERS],
        }
    return {**told, "rules": sorted({form["cite"] for form in told["forms"]})}


def why_not(position: str, order: str, game: str | None = None) -> Data:
    """Say why an order may not be given at a position, with the rule.

    Of a legal one the position ``after`` it.
    """
    found = _of(position, game)
    if refused := found.why_not(order):
        why, _, cite = refused.removesuffix("]").rpartition(" [")
        return {"position": str(found), "order": order, "legal": False, "why": why, "rules": [cite]}
    cites = {form.verb: form.cite for form in found.legal().forms}
    verb, after = order.split(maxsplit=1)[0], str(found.play(order))
    return {
        "position": str(found),
        "order": order,
        "legal": True,
        "after": after,
        "rules": [cites[verb]],
    }


def outcomes(position: str, order: str | None = None, game: str | None = None) -> Data:
    """List every result of an order and the throw that follows it, or of the throw that a position waits for.

    Each has its chance, its dice and the position that it leads to.
    """
    found = _of(position, game)
    return {**found.outcomes(order).to_dict(), "rules": _cites(found)}


def belief(position: str, side: str, game: str | None = None, facts: Said = None) -> Data:
    """Say what a side may infer of what is kept from it, by all that it sees of a position, in fractions."""
    found = _of(position, game, facts)
    return {**found.belief(side).to_dict(), "rules": _cites(found)}


# --- chances -----------------------------------------------------------------------------------------
def odds(
    position: str,
    game: str | None = None,
    facts: Said = None,
    by: str | int | None = None,
    sample: int = 0,
) -> Data:
    """Return every yardstick from a position on, up to the end of a moment (``turn 4``, or so many moments).

    It is a position line, a scenario, or an engagement with its game and facts. Chances are exact
    fractions; what is too large is refused, and answered with ``sample`` trajectories drawn by the
    rules, with standard errors.
    """
    found = _of(position, game, facts)
    refuse(outside("by", by, 1, found.at.moment + MOMENTS) if isinstance(by, int) else ())
    refuse(outside("sample", sample, 0, SAMPLE))
    return {
        "position": str(found),
        **found.odds(by, sample=sample).to_dict(),
        "rules": _cites(found),
    }


def whatif(
    name: str,
    set: Said = None,  # noqa: A002 - as on the command line
    option: Said = None,
    facts: Said = None,
    minutes: int | None = None,
) -> Data:
    """Return every yardstick before and after numbers (GAME.NAME) or options of games are changed, exactly.

    It is asked of a scenario, or of an engagement with facts. ``numbers`` and ``games`` list the
    names.
    """
    scenario = name in shipped_scenarios(installed())
    _known(name, scenario=scenario or "/" in name)
    _apart(name, facts, scenario=scenario)
    asked = name if scenario else engagement_named(name, _facts(facts), minutes)
    refuse(outside("minutes", minutes, 1, MINUTES))
    found = fp.whatif(asked, set=set, option=option, minutes=minutes, catalogue=installed())
    cites = []
    for one in set or ():
        key, _, number = one.partition(".")
        cites += [row["rule"] for row in fp.numbers(key, number)]
    for one in option or ():
        key, _, chosen = one.partition(".")
        cites += [each.cite for each in installed()[key].game.options if each.name == chosen]
    why = getattr(found, "why", "")
    return {
        **found.to_dict(),
        **({"sampled_because": why} if why else {}),
        "rules": sorted({*cites}),
    }


def _of(line: str, game: str | None = None, facts: Said = None) -> PositionResult:
    """Return the position of a line, or the opening of what is shipped by that name.

    Never of a file.
    """
    if line.startswith(FIRST):
        with suppress(FileError):  # told of when it is read, below
            source = positions.take_apart(line).source
            key = source.game or source.name.partition("/")[0]
            if key not in installed().games:
                raise unknown("game", key, installed().games)
    else:
        _known(line, scenario=game is None)
    _apart("a position line" if line.startswith(FIRST) else line, facts, scenario=game is None)
    if game is not None and game not in installed().games:
        raise unknown("game", game, installed().games)
    return fp.position(line, game=game, **_facts(facts))


def _apart(what: str, facts: Said, *, scenario: bool) -> None:
    if facts and scenario:
        raise InputError(f"facts: do not go with {what}, which says its own; name an engagement.")


def _facts(facts: Said) -> Mapping[str, Any]:
    known = positions.facts()
    refuse(str(unknown("fact", name, known)) for name in facts or {} if name not in known)
    return facts or {}


def _known(name: str, *, scenario: bool) -> None:
    """Refuse a name that is not shipped: what might be a file is not looked for."""
    known: Mapping[str, Any] = (
        shipped_scenarios(installed()) if scenario else analysis.shipped_engagements()
    )
    if name not in known:
        raise unknown("scenario" if scenario else "engagement", name, known)


def _cites(found: PositionResult) -> list[str]:
    """Return the rules that the steps of a table cite."""
    return sorted({one.cite for one in found.at.scenario.steps.values() if one.cite})


LISTS: tuple[Callable[..., Result], ...] = (
    fp.games,
    fp.scenarios,
    fp.engagements,
    fp.fields,
    fp.numbers,
)
TOOLS: Mapping[str, Callable[..., Data]] = {
    **{one.__name__: _listing(one) for one in LISTS},
    **{
        one.__name__: one
        for one in (rules, position, legal, why_not, belief, outcomes, odds, whatif)
    },
}
"""The tools by name; the parameters of each are what may be asked."""
