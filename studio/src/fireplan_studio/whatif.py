"""The page of the changes: a number moved, an option chosen, a part taken from another game.

Before and after.
"""

import asyncio
import json
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any
from urllib.parse import parse_qsl, urlencode

import attrs
from starlette.requests import Request
from starlette.responses import Response

from fireplan.analysis import FIGURES, Effect, Sensitivity, Setting
from fireplan.questions.result import Result
from fireplan.questions.sensitivity import SensitivityResult
from fireplan_core import WORDS, Game, find_numbers, numbers_of
from fireplan_core.chance import Cell, CellError
from fireplan_studio.addresses import BadAddressError, Fault, Parameters, address, near
from fireplan_studio.engagements import choose
from fireplan_studio.figures import FigurePage, Query
from fireplan_studio.jobs import UnanswerableError
from fireplan_studio.limits import LIMITS, over
from fireplan_studio.work import Entrant

RANKING = "/whatif/ranking"
_REACH = 6
"""Say how many steps a slider goes to each side of a number that has no bounds of its own."""


@attrs.frozen(kw_only=True)
class ChangeQuery(Query):
    """The changes: the game, its numbers and options, and from which games it takes its parts."""

    game: str
    numbers: Mapping[str, str] = attrs.field(factory=dict)
    options: Mapping[str, Any] = attrs.field(factory=dict)
    parts: Mapping[str, str] = attrs.field(factory=dict)
    figure: str = ""
    along: str = ""
    """Of the dial: the figure that is drawn, and the fact or number along which it is."""
    wants: tuple[str, ...] = ()
    """Of the dial: the targets that are locked."""

    @property
    def parameters(self) -> dict[str, Any]:
        """Return the canonical parameters."""
        return {
            **super().parameters,
            "game": self.game,
            "set": [f"{name}={value}" for name, value in self.numbers.items()],
            "option": [f"{name}={value}" for name, value in self.options.items()],
            **{word: self.parts.get(word, "") for word in WORDS},
            "for": self.figure,
            "along": self.along,
            "want": self.wants,
        }

    @property
    def changed(self) -> bool:
        """Tell whether anything is changed."""
        return bool(self.numbers or self.options or self.parts)

    def entrant(self, name: str, title: str) -> Entrant:
        """Return the game with its changes as a column."""
        numbers, options, parts = (
            tuple(each.items()) for each in (self.numbers, self.options, self.parts)
        )
        return Entrant(name, self.game, title, options, parts, numbers)


@attrs.frozen
class Slider:
    """A number on the page: its name, the cell as printed, its value now, and how far it may be moved."""

    name: str
    cell: Cell
    value: str
    least: int | None
    most: int | None


class WhatIfPage(FigurePage[ChangeQuery]):
    """The routes under ``/whatif``."""

    path = "/whatif"

    def read(self, text: str) -> ChangeQuery:
        """Return the query of an address.

        Raises ``BadAddressError`` with everything wrong in it.
        """
        return self._read(Parameters(joined(text)))

    def _read(self, parameters: Parameters) -> ChangeQuery:
        choice = choose(parameters)
        games = list(self._studio.catalogue.games)
        key = parameters.choice("game", games, games[0] if games else "")
        minutes = parameters.whole("minutes", "minutes", choice.engagement.minutes)
        game = self._studio.catalogue[key].game
        numbers, options = _numbers(parameters, game), _options(parameters, key, game)
        others = {word: parameters.choice(word, ("", *games), "") for word in WORDS}
        parts = {word: other for word, other in others.items() if other not in ("", key)}
        if reason := over("changes", len(numbers) + len(options) + len(parts)):
            parameters.faults.append(Fault("set", reason))
        made, plain = (
            tuple(parameters.lines("made")),
            ChangeQuery(choice=choice, minutes=minutes, game=key),
        )
        asked = attrs.evolve(plain, numbers=numbers, options=options, parts=parts, made=made)
        parameters.done(asked)
        return asked

    def entrants(self, query: ChangeQuery) -> tuple[Entrant, ...]:
        """Return the game as printed, the parents of a hybrid, and the game changed."""
        titles = self._studio.titles
        printed = [
            Entrant(key, key, titles[key])
            for key in dict.fromkeys((query.game, *query.parts.values()))
        ]
        return (
            *printed,
            *(
                [query.entrant("changed", f"{titles[query.game]}, changed")]
                if query.changed
                else []
            ),
        )

    async def page(self, request: Request) -> Response:
        """Return the page; a change that cannot be worked out is shown in its form again."""
        try:
            return await super().page(request)
        except UnanswerableError as error:
            text = request.scope["query_string"].decode("latin-1")
            faults, given = (Fault("set", error.reason),), Parameters(joined(text)).given
            return self.again(request, BadAddressError(faults, given, self.read(text)))

    async def shown(self, query: ChangeQuery) -> dict[str, Any]:
        """Return what may be changed, and the table with what differs."""
        found = await super().shown(query)
        rows = [
            {**row, "differs": len({*row["cells"][:1], *row["cells"][-1:]}) > 1}
            for row in found["rows"]
        ]
        ranking = address(RANKING, attrs.evolve(query, made=()).parameters)
        return found | {
            "rows": rows,
            "ranking": ranking,
            **self._changeable(query.game, query.numbers),
        }

    def form(self, query: ChangeQuery, error: BadAddressError) -> dict[str, Any]:
        """Return what the form shows; numbers that there are not stay words."""
        offered = self._changeable(query.game, query.numbers)
        typed = (
            text
            for text in error.given.get("set", ())
            if text.rpartition("=")[0] not in offered["names"]
        )
        return {
            **super().form(query, error),
            **offered,
            "ranking": "",
            "typed_set": next(typed, ""),
        }

    def _changeable(self, key: str, numbers: Mapping[str, str]) -> dict[str, Any]:
        """Return what the form offers: the options and parts, and a slider for each number that has a name.

        Cells of a chart are many: those alone that are changed have a slider.
        """
        game = self._studio.catalogue[key].game
        known = numbers_of(game.charts)
        sliders: list[Slider] = []
        for name, cell in (
            (name, named.cell)
            for name, named in known.items()
            if "[" not in name or name in numbers
        ):
            least = most = None
            if isinstance(cell.value, int):
                least, most = cell.value - _REACH, cell.value + _REACH
                if cell.value >= 0 and all(
                    not isinstance(step, int) or step >= 0 for step in cell.steps
                ):
                    least = max(0, least)
            now = numbers.get(name, str(cell.value))
            sliders.append(Slider(name, cell, now, least, most))
        return {
            "game": game,
            "sliders": sliders,
            "names": list(known),
            "words": WORDS,
            "typed_set": "",
        }

    async def ranking(self, request: Request) -> Response:
        """Return which numbers matter: one step of each, and how far it moves a figure."""
        query, value, rows, link = await self._ranked(
            request.scope["query_string"].decode("latin-1")
        )
        plain, figure = attrs.evolve(query, made=(), figure=""), FIGURES[query.figure]

        def change(name: str, to: int | str) -> str:
            return address(
                "/whatif", attrs.evolve(plain, numbers={**query.numbers, name: str(to)}).parameters
            )

        shown = {
            "query": query,
            "title": self._studio.titles[query.game],
            "value": value,
            "rows": rows,
            **link,
        }
        shown |= {
            "figure": figure,
            "figures": FIGURES,
            "parameters": plain.parameters,
            "change": change,
        }
        back = address("/whatif", plain.parameters)
        return self._studio.pages.page(request, "ranking.html.j2", back=back, **shown)

    async def _ranked(
        self, text: str
    ) -> tuple[ChangeQuery, Fraction, tuple[Effect[Fraction], ...], dict[str, Any]]:
        """Return what an address asks to be ranked, its figure and the numbers, and the link to it."""
        parameters = Parameters(joined(text))
        figure = parameters.choice("for", list(FIGURES), "delivered")
        query = attrs.evolve(self._read(parameters), figure=figure)
        entrant = query.entrant(query.game, self._studio.titles[query.game])
        value, effects = await self._studio.jobs.answer(
            "ranked", query.engagement, entrant, figure, patience=0.2
        )
        told = json.dumps([str(value), *([one.name, str(one.by)] for one in effects)])
        return query, value, effects, self.remembered(query, told, RANKING)

    def opened_ranking(self, text: str) -> tuple[Result, str]:
        """Return the ranking of a link's parameters, and how it stands to the one that the link was made with."""
        query, value, effects, link = asyncio.run(self._ranked(text))
        found = Sensitivity(FIGURES[query.figure], value, effects)
        return SensitivityResult(self.table(query), found), link["stands"]

    def table(self, query: ChangeQuery) -> Setting:
        """Return the table that a query asks of."""
        game, engagement = query.game, query.engagement
        return Setting(
            self._studio.catalogue, game, query.choice.name, self._studio.titles[game], engagement
        )


def _numbers(parameters: Parameters, game: Game) -> dict[str, str]:
    numbers: dict[str, str] = {}
    for name, value in _pairs(parameters, "set"):
        try:
            found = find_numbers(game.charts, name)
        except CellError as error:
            parameters.faults.append(Fault("set", str(error)))
            continue
        if len(found) > 1:
            one = f"one of them, e.g. {found[0].name}"
            parameters.faults.append(Fault("set", f"{name} stands for {len(found)} numbers", one))
        elif str(found[0].cell.value) != value:
            numbers[found[0].name] = value
    return dict(sorted(numbers.items()))


def _options(parameters: Parameters, key: str, game: Game) -> dict[str, Any]:
    options: dict[str, Any] = {}
    known = {option.name: option for option in game.options}
    for name, value in _pairs(parameters, "option"):
        values = {str(each): each for each in known[name].values} if name in known else {}
        if name not in known:
            parameters.faults.append(
                Fault("option", f"{key} has no option {name!r}", near(name, known))
            )
        elif value not in values:
            wrong = f"{name}: {value!r} is not one of its values"
            parameters.faults.append(Fault("option", wrong, near(value, values)))
        elif values[value] != known[name].default:
            options[name] = values[value]
    return dict(sorted(options.items()))


def _pairs(parameters: Parameters, name: str) -> Iterator[tuple[str, str]]:
    """Yield the entries ``NAME=VALUE`` of a parameter; empty values stand for nothing changed."""
    for text in parameters.lines(name):
        changed, equals, value = text.rpartition("=")
        if not equals or not changed:
            parameters.faults.append(Fault(name, f"{text!r} changes nothing", "write NAME=VALUE"))
        elif value:
            yield changed, value


def joined(text: str) -> str:
    """Return an address with the form's fields ``n.NAME`` and ``o.NAME`` as the parameters ``set`` and ``option``."""
    try:
        pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=LIMITS["parameters"].most)
    except ValueError:
        return text
    heads = {"n.": "set", "o.": "option"}
    joined = (
        (heads[n[:2]], f"{n[2:]}={value}") if n[:2] in heads else (n, value)
        for n, value in pairs
        if value
    )
    return urlencode(list(joined))
