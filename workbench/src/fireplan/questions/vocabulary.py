"""Lists of the events, rolls, piles and measures that questions may name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import attrs

from fireplan import analysis
from fireplan.questions import opening
from fireplan.questions.event_fields import EventFields
from fireplan.questions.lists import ListResult
from fireplan.questions.question import Question, asks
from fireplan.questions.result import Rows
from fireplan.questions.sheet_names import with_sheets
from fireplan.solver.best import MEASURES
from fireplan_core import Scenario
from fireplan_core.play import shipped_scenarios
from fireplan_core.sentences import SEVERAL, pieces

NAMED = "A game's key or a shipped scenario (game/name), whose assets and units are then listed."


class _OfTable(Question[ListResult]):
    """A question that lists names from the rules of one table."""

    name: str = asks(NAMED, attrs.NOTHING, placed=True)

    def scenario(self) -> Scenario:
        """Return the scenario called ``name``, or the first scenario of the game with this key."""
        name = str(with_sheets(str(self.name)))
        if "/" not in name:
            shipped = shipped_scenarios(self.catalogue or opening.catalogue_with(name))
            name = next(each for each in shipped if each.startswith(f"{name}/"))
        installed = self.catalogue or opening.catalogue_for(name, None)
        return opening.opened(installed, name, None)[1]


class Events(_OfTable):
    """List the events of a game with their fields, by the names used in conditions and chances.

    Each field is listed with the values that it may have.
    """

    key = "events"
    example = """
        >>> fp.events('asl').rows()[0]['says']
        'The Observer has Battery Access'
    """

    def answer(self) -> ListResult:
        """Return the list of events, with a row for each field."""
        scenario, rows = self.scenario(), Rows()
        fields = EventFields(scenario)
        for kind, sentences in sorted(scenario.sentences.tables["events"].items()):
            says = _plain(sentences[0])
            names = sorted(fields.stated(kind)) or [""]
            rows += [
                {"event": kind, "field": name, "values": _values(fields, kind, name), "says": says}
                for name in names
            ]
        heads = {"event": "event", "field": "field", "values": "values", "says": "says"}
        return ListResult(heads, rows, "events", {"scenario": scenario.title})


def _plain(sentence: str) -> str:
    """Return a sentence with the names of its fields in brackets, as used for one asset."""
    text = ""
    for literal, field, choices in pieces(sentence):
        text += literal
        if field == SEVERAL:
            text += _plain(choices[-1])
        elif field:
            text += (
                f" ({field})" if text and (text[-1].isalnum() or text[-1] == ")") else f"({field})"
            )
    return text.strip()


def _values(fields: EventFields, kind: str, name: str) -> str:
    """Return the values of an event's field in words, empty if they are not declared."""
    domain = fields.domain(kind, name) if name else None
    if domain is None:
        return ""
    if name == "gap":
        one, four = (f"{fields.scenario.frame.gap_metres(key):.4g} m" for key in (1, 4))
        return f"a number: the square of the distance from the target (1 is {one}, 4 is {four})"
    if domain.kind:
        return f"a {domain.kind}"
    return ", ".join(map(fields.words.typed.value, domain.values))


class Rolls(_OfTable):
    """List the rolls of a game, by the names used in conditions, throws and luck reports.

    A roll is given by its dice (``contact=4,2``), their total (``contact=6``) or its result
    (``access=red``).
    """

    key = "rolls"
    example = """
        >>> fp.rolls('asl').rows()[0]['says']
        'Battery Access'
    """

    def answer(self) -> ListResult:
        """Return the list of rolls with their names in words."""
        scenario = self.scenario()
        rows = [
            {"roll": name, "says": _plain(sentences[0])}
            for name, sentences in sorted(scenario.sentences.tables["rolls"].items())
        ]
        return ListResult(
            {"roll": "roll", "says": "says"}, rows, "rolls", {"scenario": scenario.title}
        )


class Decisions(_OfTable):
    """List the decisions of a game's sides, by the names used in orders given in advance.

    An order given in advance is ``DECISION=ORDER``, such as ``requests.call=pass if turn=1``. The
    orders that a decision takes are those that are legal when it is due.
    """

    key = "decisions"
    example = """
        >>> fp.decisions('asl').rows()[6]['says']
        'Which Fire Mission?'
    """

    def answer(self) -> ListResult:
        """Return the list of decisions, with their rules and their sentences."""
        scenario = self.scenario()
        sentences = scenario.sentences.tables["questions"]
        rows = [
            {
                "decision": name,
                # The step has the game's rule; a ready part's question has only a name for it.
                "rule": scenario.steps[name].cite,
                "says": "".join(map(_plain, sentences.get(name, ())[:1])),
            }
            for name, question in sorted(scenario.questions.items())
            if not question.solver_only
        ]
        heads = {"decision": "decision", "rule": "rule", "says": "says"}
        return ListResult(heads, rows, "decisions", {"scenario": scenario.title})


class Piles(_OfTable):
    """List the decks and draw piles of a scenario, with the number of each card or chit.

    If an asset keeps a pile as fields, ``position["asset", "black"]`` reads the number of black
    chits left in it; ``fireplan fields`` lists these fields.
    """

    key = "piles"
    example = """
        >>> print(fp.piles('asl'))
        Behind the curtain of fire has no decks; its piles are fields of its assets.
    """

    def answer(self) -> ListResult:
        """Return the list of decks, with a row for each kind of card."""
        scenario = self.scenario()
        rows = [
            {"pile": name, "card": str(card), "number": number}
            for name, deck in scenario.decks.items()
            for card, number in deck
        ]
        heads = {"pile": "pile", "card": "card", "number": "number"}
        last = "" if rows else f"{scenario.title} has no decks; its piles are fields of its assets."
        return ListResult(heads, rows, "piles", {"scenario": scenario.title}, last)


class MeasureList(Question[ListResult]):
    """List the measures: their names, units and definitions, and the questions that take them."""

    key = "measures"
    example = """
        >>> fp.measures().rows()[0]['name']
        'minutes_to_first_effect'
    """

    def answer(self) -> ListResult:
        """Return the list of measures."""
        rows = list(_measures())
        heads = {"name": "measure", "unit": "unit", "definition": "meaning", "in": "in"}
        return ListResult(heads, rows, "measures")


def _measures() -> Iterator[dict[str, str]]:
    yardsticks = {each.name: each for each in analysis.YARDSTICKS}
    for name in dict.fromkeys((*yardsticks, *analysis.FIGURES, *MEASURES)):
        described: Any = MEASURES.get(name) or yardsticks[name]
        where = ["answers"] * (name in yardsticks or name in analysis.FIGURES)
        where += ["tune", "sensitivity", "sweep"] * (name in analysis.FIGURES)
        where += ["best", "duel"] * (name in MEASURES)
        yield {
            "name": name,
            "unit": described.unit,
            "definition": described.definition,
            "in": ", ".join(where),
        }
