"""The tools of the referee: functions of the front door under limits, whose arguments and answers are plain data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from typing import Any

from fireplan import api
from fireplan import comparison as comparing
from fireplan.api import InputError, PositionResult
from fireplan.positions import take_apart
from fireplan.table import Words, WordsError
from fireplan_core import Ask
from fireplan_core.files import FileError
from fireplan_core.play import Answered, Catalogue, shipped_scenarios

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
    return api.catalogue()


# --- what there is ---------------------------------------------------------------------------------
def games() -> Data:
    """List the installed games: key, title, edition, options."""
    return api.games(installed()).to_dict()


def scenarios(game: str | None = None) -> Data:
    """List the shipped scenarios, of one game or of all."""
    return api.scenarios(game, None if game else installed()).to_dict()


def engagements() -> Data:
    """List the engagements that every game may stage, and the facts of them that may be changed."""
    return api.engagements().to_dict()


def fields(game: str) -> Data:
    """List all that can be said of a position of a game: name, values, rule and meaning."""
    return api.fields(game).to_dict()


def numbers(game: str, name: str | None = None) -> Data:
    """List the numbers of a game's rules, or those under a name: value, provenance, rule, meaning."""
    return api.numbers(game, name).to_dict()


def rules(game: str, rule: str | None = None, status: str | None = None) -> Data:
    """Say in our own words what the rules of a game say, all of them or the one of that number.

    A status keeps those that are 'implemented', 'open', 'not applicable' or 'heading'.
    """
    found = api.rules(game, rule, status=status)
    if isinstance(found, api.RuleResult):
        page = found.page
        rests = [{"name": f"{game}.{one.name}", "value": one.cell.value} for one in page.numbers]
        steps = [one.full for one in page.steps]
        told = {"rule": page.rule.id, "summary": page.rule.summary, "status": page.rule.status}
        return {"game": game, **told, "reason": page.rule.reason, "steps": steps, "numbers": rests}
    kept = ("summary", "status", "reason")
    return {"game": game, "rules": [{"rule": row["id"], **{key: row[key] for key in kept}} for row in found]}


# --- positions ---------------------------------------------------------------------------------------
def position(position: str, game: str | None = None, facts: Said = None) -> Data:
    """Return the position line of a scenario or of an engagement (with its game and facts), and what it waits for.

    A position line is returned as it is written.
    """
    return {**_of(position, game, facts).to_dict()}


def legal(position: str, game: str | None = None) -> Data:
    """List the orders that may be given at a position, form by form, each with the rule that allows it.

    A form that is not complete has legal orders beyond those listed, such as with other places.
    """
    found = _of(position, game)
    ask, read, book = _asked(found)
    words, forms = Words(found.at.scenario), []
    orders = book.legal(ask, read, each=ORDERS)
    for form in book.forms(ask, read):
        listed = [words.order(one, [form]) for one in orders if one.verb == form.verb]
        offered = [one for slot in form.slots for one in slot.candidates]
        whole = len(listed) < ORDERS and not any(isinstance(one, tuple) for one in offered)
        told = {"verb": form.verb, "cite": form.cite, "summary": form.summary}
        forms.append({**told, "complete": whole, "orders": listed})
    cites = sorted({one["cite"] for one in forms})
    return {"position": str(found), "who": ask.who, "question": ask.question, "forms": forms, "rules": cites}


def why_not(position: str, order: str, game: str | None = None) -> Data:
    """Say why an order may not be given at a position, with the rule; of a legal one the position ``after`` it."""
    found = _of(position, game)
    ask, read, book = _asked(found)
    try:
        given = Words(found.at.scenario).read_order(order, book.forms(ask, read))
    except WordsError as error:
        raise InputError(f"order: {error}.") from error
    said = {"position": str(found), "order": Words(found.at.scenario).order(given)}
    if (refusal := book.refuse(ask, given, read)) is not None:
        return {**said, "legal": False, "why": refusal.why, "rules": [refusal.cite]}
    table = found.at.table(found.at.moment + MOMENTS)
    table.submit(Answered(ask.question, given))
    after = type(found.at).of(found.at.source, found.at.scenario, table.state)
    cites = [form.cite for form in book.forms(ask, read) if form.verb == given.verb]
    return {**said, "legal": True, "after": str(after), "rules": cites}


# --- chances -----------------------------------------------------------------------------------------
def odds(
    position: str, game: str | None = None, facts: Said = None, by: str | int | None = None, sample: int = 0
) -> Data:
    """Return every yardstick from a position on, up to the end of a moment (``turn 4``, or so many moments).

    It is a position line, a scenario, or an engagement with its game and facts. Chances are exact fractions; what is
    too large is refused, and answered with ``sample`` trajectories drawn by the rules, with standard errors.
    """
    found = _of(position, game, facts)
    api.refuse(api.outside("by", by, 1, found.at.moment + MOMENTS) if isinstance(by, int) else ())
    api.refuse(api.outside("sample", sample, 0, SAMPLE))
    answer = found.odds(by, sample=sample)
    cites = {one.cite for one in found.at.scenario.steps.values() if one.cite}
    return {"position": str(found), **answer.to_dict(), "rules": sorted(cites)}


def whatif(
    name: str,
    set: Said = None,  # noqa: A002 - as on the command line
    option: Said = None,
    facts: Said = None,
    minutes: int | None = None,
) -> Data:
    """Return every yardstick before and after numbers (GAME.NAME) or options of games are changed, exactly.

    It is asked of a scenario, or of an engagement with facts. ``numbers`` and ``games`` list the names.
    """
    scenario = name in shipped_scenarios(installed())
    _known(name, scenario=scenario or "/" in name)
    _apart(name, facts, scenario=scenario)
    asked = name if scenario else api.engagement_named(name, _facts(facts), minutes)
    api.refuse(api.outside("minutes", minutes, 1, MINUTES))
    found = api.whatif(asked, set=set, option=option, minutes=minutes, catalogue=installed())
    cites = []
    for one in set or ():
        key, _, number = one.partition(".")
        cites += [row["rule"] for row in api.numbers(key, number)]
    for one in option or ():
        key, _, chosen = one.partition(".")
        cites += [each.cite for each in installed()[key].game.options if each.name == chosen]
    why = getattr(found, "why", "")
    return {**found.to_dict(), **({"sampled_because": why} if why else {}), "rules": sorted({*cites})}


def _of(line: str, game: str | None = None, facts: Said = None) -> PositionResult:
    """Return the position of a line, or the opening of what is shipped by that name; never of a file."""
    if line.startswith(FIRST):
        with suppress(FileError):  # told of when it is read, below
            source = take_apart(line).source
            key = source.game or source.name.partition("/")[0]
            if key not in installed().games:
                raise api.unknown("game", key, installed().games)
    else:
        _known(line, scenario=game is None)
    _apart("a position line" if line.startswith(FIRST) else line, facts, scenario=game is None)
    if game is not None and game not in installed().games:
        raise api.unknown("game", game, installed().games)
    return api.position(line, game=game, **_facts(facts))


def _apart(what: str, facts: Said, *, scenario: bool) -> None:
    if facts and scenario:
        raise InputError(f"facts: do not go with {what}, which says its own; name an engagement.")


def _facts(facts: Said) -> Mapping[str, Any]:
    known = comparing.facts()
    api.refuse(str(api.unknown("fact", name, known)) for name in facts or {} if name not in known)
    return facts or {}


def _known(name: str, *, scenario: bool) -> None:
    """Refuse a name that is not shipped: what might be a file is not looked for."""
    known: Mapping[str, Any] = shipped_scenarios(installed()) if scenario else comparing.shipped_engagements()
    if name not in known:
        raise api.unknown("scenario" if scenario else "engagement", name, known)


def _asked(found: PositionResult) -> tuple[Ask, Any, Any]:
    """Return the question that a position waits with, how its state is read, and the rules of its table."""
    table = found.at.table()
    if not isinstance(table.waits_for, Ask):
        raise InputError(f"The position waits for no order but for: {found.waits_for}. Ask for its odds.")
    return table.waits_for, table.read, table.rulebook


TOOLS: Mapping[str, Callable[..., Data]] = {
    one.__name__: one
    for one in (games, scenarios, engagements, fields, numbers, rules, position, legal, why_not, odds, whatif)
}
"""The tools by name; the parameters of each are what may be asked."""
