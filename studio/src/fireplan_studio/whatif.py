"""The what-if page: a game before and after changes to its numbers, options and parts."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any
from urllib.parse import parse_qsl, urlencode

import attrs
from starlette.requests import Request
from starlette.responses import Response

from fireplan.analysis import (
    FIGURES,
    Effect,
    Figure,
    GameAnswer,
    Sensitivity,
    Setting,
    figures_of,
)
from fireplan.analysis.phrasing import joined_words
from fireplan.questions.result import Result
from fireplan.questions.sensitivity import SensitivityResult
from fireplan_core import WORDS, Engagement, Game, find_numbers, numbers_of
from fireplan_core.chance import Cell
from fireplan_core.files import Fault
from fireplan_core.sentences import capitalized
from fireplan_studio.addresses import Parameters, address, unknown_name
from fireplan_studio.answers import UNANSWERABLE
from fireplan_studio.engagements import choose
from fireplan_studio.figures import FigurePage, FiguresQuery
from fireplan_studio.limits import LIMITS, over
from fireplan_studio.refusals import RequestRefusedError
from fireplan_studio.work import Entrant

RANKING = "/whatif/ranking"
RANKED_BY = ("on_target", "reduced", "minutes_to_first_effect")
"""The default figures to rank by: the first whose value in the game is neither 0 nor 1 is used."""
SET_UP = "set-up"
"""The group of the numbers that are read only while the engagement is set up, not in play."""
_REACH = 6
"""Number of slider steps on each side of the printed number."""


@attrs.frozen(kw_only=True)
class ChangeQuery(FiguresQuery):
    """A game with changes: to its numbers, its options, and parts taken from other games."""

    game: str
    numbers: Mapping[str, str] = attrs.field(factory=dict)
    options: Mapping[str, Any] = attrs.field(factory=dict)
    parts: Mapping[str, str] = attrs.field(factory=dict)
    figure: str = ""
    """The figure that is ranked, or drawn by the dial."""
    along: str = ""
    """The fact or number along which the dial draws its curve."""
    wants: tuple[str, ...] = ()
    """The targets of the dial, e.g. ``delivered >= 80 %``."""

    @property
    def parameters(self) -> dict[str, Any]:
        """Return the parameters of this view's canonical URL, by name."""
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
    def changes(self) -> list[str]:
        """Return a phrase for each change to the engagement or the game, such as "24 guns"."""
        return [*super().changes, *self.own_changes]

    @property
    def own_changes(self) -> list[str]:
        """Return a phrase for each change to the game, such as "set_breaks 7"."""
        named = [f"{name} {value}" for name, value in {**self.numbers, **self.options}.items()]
        return [*named, *(f"the {word} of {other}" for word, other in self.parts.items())]

    @property
    def changed(self) -> bool:
        """Return whether anything is changed."""
        return bool(self.numbers or self.options or self.parts)

    def entrant(self, name: str, title: str) -> Entrant:
        """Return the changed game as a column of the comparison."""
        numbers, options, parts = (
            tuple(each.items()) for each in (self.numbers, self.options, self.parts)
        )
        return Entrant(name, self.game, title, options, parts, numbers)


@attrs.frozen
class Slider:
    """A number on the page: its name, printed cell, current value, and range (None: no slider)."""

    name: str
    cell: Cell
    value: str
    least: int | None
    most: int | None

    @classmethod
    def of(cls, name: str, cell: Cell, numbers: Mapping[str, str]) -> Slider:
        """Return the slider of a number; ``numbers`` contains the changed numbers."""
        least = most = None
        if isinstance(cell.value, int):
            least, most = cell.value - _REACH, cell.value + _REACH
            if cell.value >= 0 and all(
                not isinstance(step, int) or step >= 0 for step in cell.steps
            ):
                least = max(0, least)
        return cls(name, cell, numbers.get(name, str(cell.value)), least, most)


class WhatIfPage(FigurePage[ChangeQuery]):
    """The routes under ``/whatif``."""

    path = "/whatif"

    def read(self, text: str) -> ChangeQuery:
        """Return the query in a URL; raise ``RequestRefusedError`` listing all its faults."""
        parameters = Parameters(joined(text))
        figure = parameters.choice("for", ["", *FIGURES], "")
        return attrs.evolve(self._read(parameters), figure=figure)

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
            parameters.faults.append(Fault(reason, key="set"))
        query = ChangeQuery(
            choice=choice,
            minutes=minutes,
            game=key,
            numbers=numbers,
            options=options,
            parts=parts,
            made=tuple(parameters.lines("made")),
        )
        parameters.done(query)
        return query

    def entrants(self, query: ChangeQuery) -> tuple[Entrant, ...]:
        """Return the game as printed, the games that it takes parts from, and the changed game."""
        titles = self._studio.titles
        columns = [
            Entrant(key, key, titles[key])
            for key in dict.fromkeys((query.game, *query.parts.values()))
        ]
        if query.changed:
            columns.append(query.entrant("changed", f"{titles[query.game]}, changed"))
        return tuple(columns)

    async def page(self, request: Request) -> Response:
        """Return the page, or the form with a fault if the changed game cannot be solved."""
        try:
            return await super().page(request)
        except RequestRefusedError as error:
            if error.status != UNANSWERABLE:
                raise
            text = request.scope["query_string"].decode("latin-1")
            faults, values = [Fault(str(error), key="set")], Parameters(joined(text)).values
            return self.again(request, RequestRefusedError(400, faults, values, self.read(text)))

    async def shown(self, query: ChangeQuery) -> dict[str, Any]:
        """Return the template variables, with the table rows that differ marked."""
        shown = await super().shown(query)
        rows = [
            {**row, "differs": len({*row["cells"][:1], *row["cells"][-1:]}) > 1}
            for row in shown["rows"]
        ]
        games = shown["comparison"].games
        figure = FIGURES[query.figure or _uncertain(games.get(query.game))]
        return {
            **shown,
            "rows": rows,
            "figure": figure,
            "verdict": _verdict(
                query, figure, *(games.get(key) for key in (query.game, "changed"))
            ),
            **self._ranking(query, figure),
        }

    def _ranking(self, query: ChangeQuery, figure: Figure) -> dict[str, Any]:
        """Return template variables: the numbers by part, those that matter most first.

        Without a ranking, which takes long, all numbers are among the ``sliders``.
        """
        printed = attrs.evolve(query, numbers={}, made=(), figure=figure.name)
        changeable = self._changeable(query.game, query.numbers)
        ranked = self._studio.jobs.known("ranked", *self._ranked_by(printed))
        groups = dict[str, list[tuple[Slider, Effect[Fraction]]]]()
        for effect in ranked[1] if ranked else ():
            number = effect.number
            if effect.by:
                slider = Slider.of(number.name, number.cell, query.numbers)
                groups.setdefault(effect.part or SET_UP, []).append((slider, effect))
        names = {slider.name for rows in groups.values() for slider, _ in rows}
        others = [each for each in changeable["sliders"] if each.name not in names]
        return {
            **changeable,
            "sliders": others,
            "groups": groups,
            "printed_value": ranked and ranked[0],
            "ranking": address(RANKING, printed.parameters),
            "ranks_itself": not self._studio.settings.in_one_thread,
        }

    def _ranked_by(self, query: ChangeQuery) -> tuple[Engagement, Entrant, str]:
        """Return the arguments of ``work.ranked`` for a query."""
        entrant = query.entrant(query.game, self._studio.titles[query.game])
        return query.engagement, entrant, query.figure

    def form(self, query: ChangeQuery, error: RequestRefusedError) -> dict[str, Any]:
        """Return the form's template variables for a faulty URL.

        The first change to a number that the game does not have is offered again as it was typed.
        """
        offered = self._changeable(query.game, query.numbers)
        typed = (
            text
            for text in error.values.get("set", ())
            if text.rpartition("=")[0] not in offered["names"]
        )
        return {
            **super().form(query, error),
            **offered,
            "figure": None,
            "groups": {},
            "ranking": "",
            "typed_set": next(typed, ""),
        }

    def _changeable(self, key: str, numbers: Mapping[str, str]) -> dict[str, Any]:
        """Return template variables: the game, the names of its numbers, and their sliders.

        The cells of charts are too numerous to have sliders, except for changed cells.
        """
        game = self._studio.catalogue[key].game
        available = numbers_of(game.charts)
        sliders = [
            Slider.of(name, named.cell, numbers)
            for name, named in available.items()
            if "[" not in name or name in numbers
        ]
        return {
            "game": game,
            "sliders": sliders,
            "names": list(available),
            "words": WORDS,
            "figures_by_name": FIGURES,
            "typed_set": "",
        }

    async def ranking(self, request: Request) -> Response:
        """Return the page that ranks a game's numbers by their effect on a figure.

        The effect is the change in the figure when the number moves by one step.
        """
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
        """Return a URL's query, the figure's value, the effects of numbers, and link variables."""
        parameters = Parameters(joined(text))
        figure = parameters.choice("for", list(FIGURES), "delivered")
        query = attrs.evolve(self._read(parameters), figure=figure)
        value, effects = await self._studio.jobs.answer(
            "ranked", *self._ranked_by(query), patience=0.2
        )
        figures = json.dumps([str(value), *([effect.name, str(effect.by)] for effect in effects)])
        return query, value, effects, self.remembered(query, figures, RANKING)

    def opened_ranking(self, text: str) -> tuple[Result, str]:
        """Return the ranking in a link, and a comparison with the original ranking."""
        query, value, effects, link = asyncio.run(self._ranked(text))
        ranking = Sensitivity(FIGURES[query.figure], value, effects)
        return SensitivityResult(self.table(query), ranking), link["stands"]

    def table(self, query: ChangeQuery) -> Setting:
        """Return the game and engagement of a query."""
        game, engagement = query.game, query.engagement
        return Setting(
            self._studio.catalogue, game, query.choice.name, self._studio.titles[game], engagement
        )


def _uncertain(game: GameAnswer | None) -> str:
    """Return the name of the first of ``RANKED_BY`` that is neither 0 nor 1 in a game.

    If there is none, return the first.
    """
    values = figures_of(game) if game else {}
    return next((name for name in RANKED_BY if values.get(name) not in (None, 0, 1)), RANKED_BY[0])


def _verdict(
    query: ChangeQuery, figure: Figure, before: GameAnswer | None, after: GameAnswer | None
) -> str:
    """Return a sentence on a figure of the game as printed, and after the changes."""
    said = f"{capitalized(figure.summary)}: "
    old, new = (figures_of(game)[figure.name] if game else None for game in (before, after))
    if new is None:
        return "" if old is None else f"{said}{figure.shown(old)}, as printed."
    with_changes = f"With {joined_words(query.own_changes)}. {said}"
    if old is None:
        return f"{with_changes}{figure.shown(new)}."
    moved = f", {figure.moved(new - old)}" if new != old else ""
    return f"{with_changes}{figure.compared(new, old)}{moved}."


def _numbers(parameters: Parameters, game: Game) -> dict[str, str]:
    numbers: dict[str, str] = {}
    for name, value in _pairs(parameters, "set"):
        try:
            matches = find_numbers(game.charts, name)
        except ValueError as error:
            parameters.faults.append(Fault(str(error), key="set"))
            continue
        if len(matches) > 1:
            suggestion = f"name one of them, e.g. {matches[0].name}"
            parameters.faults.append(
                Fault(f"{name} matches {len(matches)} numbers", suggestion, key="set")
            )
        elif str(matches[0].cell.value) != value:
            numbers[matches[0].name] = value
    return dict(sorted(numbers.items()))


def _options(parameters: Parameters, key: str, game: Game) -> dict[str, Any]:
    options: dict[str, Any] = {}
    by_name = {option.name: option for option in game.options}
    for name, value in _pairs(parameters, "option"):
        values = {str(each): each for each in by_name[name].values} if name in by_name else {}
        if name not in by_name:
            parameters.faults.append(unknown_name(f"option of {key}", name, by_name, "option"))
        elif value not in values:
            parameters.faults.append(unknown_name(f"value of {name}", value, values, "option"))
        elif values[value] != by_name[name].default:
            options[name] = values[value]
    return dict(sorted(options.items()))


def _pairs(parameters: Parameters, name: str) -> Iterator[tuple[str, str]]:
    """Yield (name, value) for each ``NAME=VALUE`` entry of a parameter; skip empty values.

    Adds a fault to the parameters for any other text.
    """
    for text in parameters.lines(name):
        changed, equals, value = text.rpartition("=")
        if not equals or not changed:
            parameters.faults.append(
                Fault(f"{text!r} changes nothing", "write NAME=VALUE", key=name)
            )
        elif value:
            yield changed, value


def joined(text: str) -> str:
    """Return a query string with ``n.NAME`` and ``o.NAME`` rewritten as ``set`` and ``option``.

    Empty values are left out. A query string that cannot be read is returned unchanged.
    """
    try:
        pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=LIMITS["parameters"].most)
    except ValueError:
        return text
    parameters = {"n.": "set", "o.": "option"}
    fields = (
        (parameters[name[:2]], f"{name[2:]}={value}") if name[:2] in parameters else (name, value)
        for name, value in pairs
        if value
    )
    return urlencode(list(fields))
