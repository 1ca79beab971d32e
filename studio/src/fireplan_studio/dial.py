"""The designer's dial: facts and numbers as sliders; every game is solved again at each move.

A curve shows where one game overtakes another.
"""

import asyncio
import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from fractions import Fraction
from typing import Any

import attrs
from starlette.requests import Request
from starlette.responses import Response

from fireplan.analysis import FIGURES, FigureTarget, Shift, TriedChanges, notes_on, overtakings
from fireplan.analysis.phrasing import joined_words
from fireplan.draw.palette import look, looks_of
from fireplan.positions import with_facts
from fireplan.questions.compare import ComparisonResult
from fireplan.questions.result import Result
from fireplan.questions.sensitivity import TuningResult
from fireplan_core import CannotStageError
from fireplan_core.files import Fault
from fireplan_core.play import stage_engagement
from fireplan_core.sentences import capitalized
from fireplan_studio.addresses import Parameters, address
from fireplan_studio.charts import dial_chart
from fireplan_studio.engagements import ABSENT, EngagementForm, flat
from fireplan_studio.refusals import RequestRefusedError
from fireplan_studio.whatif import ChangeQuery, WhatIfPage, joined
from fireplan_studio.work import MOST_TUNED, Entrant, tuner

SHOWN = ("delivered", "on_target", "minutes_to_first_effect", "own_troops_under_fire")
"""Figures that are always shown, because they concern only the mission and take little time."""
DIALS = {"guns": (1, 49), "range": (0, 18_000), "own_troops": (0, 420), "men": (5, 485)}
"""Maps each fact to the lowest and highest value of its slider."""
TUNE = "/dial/tune"
STEPS = 6  # intervals between the points of a curve


class DialPage(WhatIfPage):
    """The routes under ``/dial``, which compare every game, one of them with changed numbers."""

    path = "/dial"

    def read(self, text: str) -> ChangeQuery:
        """Return the query in a URL; raise ``RequestRefusedError`` listing all its faults."""
        parameters = Parameters(joined(text))
        figure, along = parameters.choice("for", ["", *FIGURES], ""), parameters.text("along", "")
        wants = [self._want(parameters, text) for text in parameters.lines("want")]
        query = attrs.evolve(
            self._read(parameters), figure=figure, wants=tuple(dict.fromkeys(wants))
        )
        return attrs.evolve(query, along=along if along in self._bounds(query) else "")

    @staticmethod
    def _want(parameters: Parameters, text: str) -> str:
        """Return a target in its canonical form, or unchanged if it cannot be read.

        In that case, add a fault to the parameters.
        """
        try:
            return str(FigureTarget.read(text))
        except ValueError as error:
            parameters.faults.append(Fault(str(error), key="want"))
            return text

    async def tuned(self, request: Request) -> Response:
        """Return the page that proposes how to reach the targets with the fewest changes."""
        query, question = self._tune(request.scope["query_string"].decode("latin-1"))
        words, trials = await self._studio.jobs.answer("tuned", *question, patience=0.2)

        def change(shifts: Iterable[Shift]) -> str:
            numbers = {**query.numbers, **{shift.number.name: shift.value for shift in shifts}}
            return address(self.path, attrs.evolve(query, numbers=numbers, made=()).parameters)

        wants = [FigureTarget.read(text) for text in query.wants]
        shown = {
            "title": self._studio.titles[query.game],
            "words": words,
            "wants": wants,
            "trials": trials,
        }
        link = self._tuning_link(query, trials[0])
        return self._studio.pages.page(
            request, "tuned.html.j2", query=query, change=change, **shown, **link
        )

    def _tune(self, text: str) -> tuple[ChangeQuery, tuple[Any, ...]]:
        """Return the query in a URL, and its arguments for ``work.tuned``.

        Raises ``RequestRefusedError`` if the URL names no target.
        """
        query = self.read(text)
        if not query.wants:
            raise RequestRefusedError(
                400, [Fault("name at least one target", "e.g. delivered >= 80 %", key="want")]
            )
        entrant = query.entrant(query.game, self._studio.titles[query.game])
        return query, (query.engagement, entrant, query.wants)

    def _tuning_link(self, query: ChangeQuery, printed: TriedChanges) -> dict[str, Any]:
        """Return template variables: a link to the proposals, and how they have changed."""
        return self.remembered(query, json.dumps([str(value) for value in printed.values]), TUNE)

    def opened_tuning(self, text: str) -> tuple[Result, str]:
        """Return the proposals in a link, and a comparison with the original proposals."""
        query, question = self._tune(text)
        search = tuner(*question)
        result = TuningResult.of(self.table(query), search, MOST_TUNED)
        return result, self._tuning_link(query, search.printed)["stands"]

    def opened(self, text: str) -> tuple[Result, str]:
        """Return the comparison in a link, and a sentence on how its figures have changed."""
        query = self.read(text)
        result = ComparisonResult(asyncio.run(self.comparison(query)))
        (figures,) = zip(*asyncio.run(self._dialled([query], SHOWN)).values(), strict=True)
        return result, self._dial_link(query, figures)["stands"]

    def _dial_link(
        self, query: ChangeQuery, columns: Iterable[tuple[Fraction, ...] | str]
    ) -> dict[str, Any]:
        """Return template variables: a link to every game's figures, and how they have changed."""
        shown = (
            [] if isinstance(figures, str) else [*map(str, figures[: len(SHOWN)])]
            for figures in columns
        )
        return self.remembered(query, json.dumps([*shown]))

    async def _dialled(
        self, points: list[ChangeQuery], names: tuple[str, ...]
    ) -> dict[str, list[Any]]:
        """Return, for each game, a list of these figures at each point.

        Where a game has no figures, the list has the reason as text.
        """
        columns = [self.entrants(point) for point in points]
        asked = [
            (point.engagement, entrant, names)
            for point, entrants in zip(points, columns, strict=True)
            for entrant in entrants
        ]
        self._studio.jobs.leave("dialled", {("dialled", arguments) for arguments in asked})
        answers = await self._studio.jobs.answers("dialled", asked)
        games = [entrant.name for entrant in columns[0]]
        return {name: answers[place :: len(games)] for place, name in enumerate(games)}

    async def _narrowed(
        self, query: ChangeQuery, figure: str, crossings: Iterable[tuple[str, str, int, int]]
    ) -> list[tuple[str, str, int, int]]:
        """Return the crossings (ahead, behind, before, at), each narrowed to adjacent values.

        The values are further apart if values in between cannot be solved.
        """
        columns = {entrant.name: entrant for entrant in self.entrants(query)}
        listed = list(crossings)
        asked = [
            (
                query.engagement,
                query.along,
                query.game,
                (columns[ahead], columns[behind]),
                figure,
                (before, at),
            )
            for ahead, behind, before, at in listed
        ]
        self._studio.jobs.leave("narrowed", {("narrowed", arguments) for arguments in asked})
        ends = await self._studio.jobs.answers("narrowed", asked)
        pairs = zip(listed, ends, strict=True)
        return [(ahead, behind, *between) for (ahead, behind, _, _), between in pairs]

    def entrants(self, query: ChangeQuery) -> tuple[Entrant, ...]:
        """Return a column for each game compared by default, and for the game with changes."""
        return tuple(
            query.entrant(key, title) if key == query.game else Entrant(key, key, title)
            for key, title in self._titles(query).items()
        )

    def _titles(self, query: ChangeQuery) -> dict[str, str]:
        """Return the titles of the games that are shown, by key."""
        shown = {*self._studio.usual, *([query.game] if query.changed else [])}
        return {key: title for key, title in self._studio.titles.items() if key in shown}

    def _bounds(self, query: ChangeQuery) -> dict[str, tuple[int, int]]:
        """Return the least and greatest value of each slider, by the name of the fact or number."""
        fields = flat(query.choice.engagement)
        sliders = self._changeable(query.game, query.numbers)["sliders"]
        facts = {
            name: bounds for name, bounds in DIALS.items() if fields.get(name, ABSENT) != ABSENT
        }
        return facts | {
            slider.name: (slider.least, slider.most)
            for slider in sliders
            if slider.most is not None
        }

    def _form(self, form: EngagementForm) -> dict[str, Any]:
        return {**super()._form(form), "every": FIGURES, "facts": DIALS}

    def _notes(self, query: ChangeQuery) -> dict[str, tuple[str, ...]]:
        """Return the notes of each game on the fact along the curve, by game.

        A game that cannot stage the engagement is left out. If the curve is along a number, there
        are none.
        """
        notes = {}
        for key in self._titles(query) if query.along in DIALS else ():
            with suppress(CannotStageError):
                scenario = stage_engagement(self._studio.catalogue, key, query.engagement)
                notes[key] = notes_on(scenario.provenance, [query.along])
        return notes

    def _value(self, query: ChangeQuery) -> int | None:
        """Return the value of the dial, or None without a dial or if the value is not a number."""
        if query.along in DIALS:
            value = flat(query.choice.engagement).get(query.along)
        else:
            sliders = self._changeable(query.game, query.numbers)["sliders"]
            value = next((each.value for each in sliders if each.name == query.along), None)
        return int(value) if value is not None and str(value).lstrip("-").isdigit() else None

    async def shown(self, query: ChangeQuery) -> dict[str, Any]:
        """Return the template variables of the page.

        They contain every game's figures now and along the dial of the curve, the points where one
        game overtakes another, the chart and its words.
        """
        drawn, titles, bounds = (
            FIGURES[query.figure or SHOWN[0]],
            self._titles(query),
            self._bounds(query),
        )
        names = tuple(dict.fromkeys((*SHOWN, drawn.name)))
        least, most = bounds.get(query.along, (0, 0))
        values = (
            sorted({least + (most - least) * step // STEPS for step in range(STEPS + 1)})
            if query.along
            else []
        )
        solved = await self._dialled([query, *(_at(query, value) for value in values)], names)
        column, lines = names.index(drawn.name), dict[str, dict[int, Any]]()
        for key, (_, *points) in solved.items():
            lines[key] = {
                value: figures[column]
                for value, figures in zip(values, points, strict=True)
                if not isinstance(figures, str)
            }
        crossings = list(overtakings(lines))
        now = self._value(query)
        exact = await self._narrowed(query, drawn.name, crossings)
        return {
            "now": {key: points[0] for key, points in solved.items()},
            "titles": titles,
            "figures": [FIGURES[name] for name in names],
            "drawn": drawn,
            "values": values,
            "lines": lines,
            "crossings": crossings,
            "sentence": _sentence(query.along, titles, lines, exact, self._notes(query)),
            "looks": {key: look(number) for key, number in looks_of(titles).items()},
            "now_along": now,
            "bounds_along": (least, most),
            "plot": dial_chart(drawn, query.along, titles, lines, crossings, now)
            if any(lines.values())
            else "",
            **self._dial_link(query, (points[0] for points in solved.values())),
            **self._changeable(query.game, query.numbers),
        }


def _sentence(
    along: str,
    titles: Mapping[str, str],
    lines: Mapping[str, Mapping[int, Fraction]],
    crossings: Iterable[tuple[str, str, int, int]],
    notes: Mapping[str, tuple[str, ...]],
) -> str:
    """Return a sentence on the curve: which game overtakes which, where, and where it is flat.

    ``lines`` maps each game to its figure at each value of the dial ``along``, and ``crossings``
    are (leader, game overtaken, value before, value). ``notes`` has, for each game, its notes on
    the fact along the curve: why the fact changes nothing.
    """
    counted = along in ("guns", "men")
    named = along if counted else f"({along})"
    moves = f"the number of {along}" if counted else along
    said = [
        f"{titles[one]} overtakes {titles[other]} {_place(before, at)} {named}."
        for one, other, before, at in crossings
    ]
    flat = [titles[key] for key, line in lines.items() if line and len({*line.values()}) == 1]
    moved = [titles[key] for key, line in lines.items() if len({*line.values()}) > 1]
    if not said and moved:
        said.append(f"No game overtakes another; {moves} moves {joined_words(moved)}.")
    if flat:
        said.append(
            f"{capitalized(moves) if counted else moves} changes nothing in {joined_words(flat)}."
        )
    said += [
        f"{titles[key]}: {'; '.join(notes[key])}."
        for key, line in lines.items()
        if notes.get(key) and titles[key] in flat
    ]
    return " ".join(said)


def _place(before: int, at: int) -> str:
    """Return the value at which one game overtakes another: "at 5", or "between 3 and 5"."""
    return f"at {at}" if at == before + 1 else f"between {before} and {at}"


def _at(query: ChangeQuery, value: int) -> ChangeQuery:
    """Return the query with the dial of its curve set to a value."""
    if query.along not in DIALS:
        return attrs.evolve(query, numbers={**query.numbers, query.along: str(value)})
    engagement = with_facts(query.choice.engagement, {query.along: value})
    return attrs.evolve(query, choice=attrs.evolve(query.choice, engagement=engagement))
