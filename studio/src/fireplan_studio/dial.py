"""The designer's dial: facts and numbers as sliders, every game solved again, and where one overtakes another."""

import asyncio
import json
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import attrs
from starlette.requests import Request
from starlette.responses import Response

from fireplan.analysis import FIGURES, Shift, Trial, Want, overtakings
from fireplan.draw.palette import look, looks_of
from fireplan.positions import with_facts
from fireplan.questions.compare import ComparisonResult
from fireplan.questions.result import Result
from fireplan.questions.sensitivity import TuningResult
from fireplan_studio.addresses import BadAddressError, Fault, Parameters, address
from fireplan_studio.engagements import ABSENT, EngagementForm, flat
from fireplan_studio.whatif import ChangeQuery, WhatIfPage, joined
from fireplan_studio.work import MOST_TUNED, Entrant, tuner

SHOWN = ("delivered", "on_target", "minutes", "own_troops_under_fire")
"""Figures that are always shown: they are of the mission alone, and soon found."""
DIALS = {"guns": (1, 49), "range": (0, 18_000), "own_troops": (0, 420), "men": (5, 485)}
"""How far each fact may be dragged."""
TUNE = "/dial/tune"
STEPS = 6  # between the values of a dial through which its curve is drawn


class DialPage(WhatIfPage):
    """The route ``/dial``: every game, one of them with its numbers changed."""

    path = "/dial"

    def read(self, text: str) -> ChangeQuery:
        """Return the query of an address.

        Raises ``BadAddressError`` with everything wrong in it.
        """
        parameters = Parameters(joined(text))
        figure, along = parameters.choice("for", ["", *FIGURES], ""), parameters.one("along", "")
        wants = [self._want(parameters, text) for text in parameters.lines("want")]
        query = attrs.evolve(
            self._read(parameters), figure=figure, wants=tuple(dict.fromkeys(wants))
        )
        return attrs.evolve(query, along=along if along in self._bounds(query) else "")

    @staticmethod
    def _want(parameters: Parameters, text: str) -> str:
        """Return a target as it is written; what is wrong with it is a fault of the address."""
        try:
            return str(Want.read(text))
        except ValueError as error:
            parameters.faults.append(Fault("want", str(error)))
            return text

    async def tuned(self, request: Request) -> Response:
        """Return the fewest numbers to change for the targets that are locked."""
        query, asked = self._tune(request.scope["query_string"].decode("latin-1"))
        words, trials = await self._studio.jobs.answer("tuned", *asked, patience=0.2)

        def change(shifts: Iterable[Shift]) -> str:
            numbers = {**query.numbers, **{shift.number.name: shift.value for shift in shifts}}
            return address(self.path, attrs.evolve(query, numbers=numbers, made=()).parameters)

        wants = [Want.read(text) for text in query.wants]
        shown = {
            "title": self._studio.titles[query.game],
            "words": words,
            "wants": wants,
            "trials": trials,
        }
        link = self._tuning(query, trials[0])
        return self._studio.pages.page(
            request, "tuned.html.j2", query=query, change=change, **shown, **link
        )

    def _tune(self, text: str) -> tuple[ChangeQuery, tuple[Any, ...]]:
        """Return what an address wants of a game, and the same as the arguments of ``tuned``."""
        query = self.read(text)
        if not query.wants:
            raise BadAddressError(
                (Fault("want", "no target is named", "such as delivered >= 80 %"),)
            )
        entrant = query.entrant(query.game, self._studio.titles[query.game])
        return query, (query.engagement, entrant, query.wants)

    def _tuning(self, query: ChangeQuery, printed: Trial) -> dict[str, Any]:
        """Return the link to proposals: it remembers the figures of the game as it is, which all of them start from."""
        return self.remembered(query, json.dumps([str(value) for value in printed.values]), TUNE)

    def opened_tuning(self, text: str) -> tuple[Result, str]:
        """Return the proposals for a link's targets, and how they stand to those that the link was made with."""
        query, asked = self._tune(text)
        found = tuner(*asked)
        result = TuningResult.of(self.table(query), found, MOST_TUNED)
        return result, self._tuning(query, found.printed)["stands"]

    def opened(self, text: str) -> tuple[Result, str]:
        """Return the comparison of every game as a link sets the dial, and how it stands to what the link showed."""
        query = self.read(text)
        result = ComparisonResult(asyncio.run(self.comparison(query)))
        (now,) = zip(*asyncio.run(self._dialled([query], SHOWN)).values(), strict=True)
        return result, self._told(query, now)["stands"]

    def _told(
        self, query: ChangeQuery, now: Iterable[tuple[Fraction, ...] | str]
    ) -> dict[str, Any]:
        """Return the link to what the dial shows of every game, and how that stands to what the query's link showed."""
        some = ([*map(str, one[: len(SHOWN)])] if not isinstance(one, str) else [] for one in now)
        return self.remembered(query, json.dumps([*some]))

    async def _dialled(
        self, points: list[ChangeQuery], names: tuple[str, ...]
    ) -> dict[str, list[Any]]:
        """Return these figures of every game, at each of these points, or why it has none there."""

        async def line(*entrants: Entrant) -> list[Any]:
            asked = zip(points, entrants, strict=True)
            return [
                await self._studio.jobs.answer("dialled", each.engagement, one, names)
                for each, one in asked
            ]

        lines = await asyncio.gather(*map(line, *map(self.entrants, points)))
        return dict(zip(self._studio.titles, lines, strict=True))

    def entrants(self, query: ChangeQuery) -> tuple[Entrant, ...]:
        """Return every game, one of them with its changes."""
        games = self._studio.titles.items()
        return tuple(
            query.entrant(key, name) if key == query.game else Entrant(key, key, name)
            for key, name in games
        )

    def _bounds(self, query: ChangeQuery) -> dict[str, tuple[int, int]]:
        """Return how far each dial may be dragged: the facts that there are, and the numbers of the game."""
        there, sliders = (
            flat(query.choice.engagement),
            self._changeable(query.game, query.numbers)["sliders"],
        )
        found = {one.name: (one.least, one.most) for one in sliders if one.most is not None}
        return {
            name: bounds for name, bounds in DIALS.items() if there.get(name, ABSENT) != ABSENT
        } | found

    def _form(self, form: EngagementForm) -> dict[str, Any]:
        return {**super()._form(form), "every": FIGURES, "facts": DIALS}

    async def shown(self, query: ChangeQuery) -> dict[str, Any]:
        """Return the figures of every game as they are now, and along the dial that is drawn."""
        drawn, titles, bounds = (
            FIGURES[query.figure or SHOWN[0]],
            self._studio.titles,
            self._bounds(query),
        )
        names = tuple(dict.fromkeys((*SHOWN, drawn.name)))
        least, most = bounds.get(query.along, (0, 0))
        values = (
            sorted({least + (most - least) * step // STEPS for step in range(STEPS + 1)})
            if query.along
            else []
        )
        found = await self._dialled([query, *(_at(query, value) for value in values)], names)
        at, lines = names.index(drawn.name), dict[str, dict[int, Any]]()
        for key, (_, *some) in found.items():
            lines[key] = {
                value: one[at]
                for value, one in zip(values, some, strict=True)
                if not isinstance(one, str)
            }
        return {
            "now": {key: some[0] for key, some in found.items()},
            "figures": [FIGURES[name] for name in names],
            "drawn": drawn,
            "values": values,
            "lines": lines,
            "looks": {key: look(number) for key, number in looks_of(titles).items()},
            "crossings": list(overtakings(lines)),
            **self._told(query, (some[0] for some in found.values())),
            **self._changeable(query.game, query.numbers),
        }


def _at(query: ChangeQuery, value: int) -> ChangeQuery:
    """Return the query with the dial that is drawn along at a value."""
    if query.along not in DIALS:
        return attrs.evolve(query, numbers={**query.numbers, query.along: str(value)})
    there = with_facts(query.choice.engagement, {query.along: value})
    return attrs.evolve(query, choice=attrs.evolve(query.choice, engagement=there))
