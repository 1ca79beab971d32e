"""The page of the changes: a number moved, an option chosen, a part taken from another game; before and after."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlencode

import attrs
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from fireplan.compare import FIGURES, Comparison, in_short, shipped_engagements, svg, unmodelled
from fireplan.studio._addresses import Asked, BadAddressError, Fault, address, near
from fireplan.studio._charts import CHARTS
from fireplan.studio._compare import summary
from fireplan.studio._engagements import FIELDS, Chosen, Typed, choose
from fireplan.studio._jobs import PATIENCE, UNANSWERABLE, NoAnswerError
from fireplan.studio._limits import LIMITS, over
from fireplan.studio._work import Entrant
from fireplan_core import WORDS, find_numbers, numbers_of
from fireplan_core.chance import CellError

if TYPE_CHECKING:
    from fireplan.studio._app import Studio
    from fireplan_core.play import Catalogue

_REACH = 6
"""How many steps a slider goes to each side of a number that has no bounds of its own."""


@attrs.frozen
class Query:
    """What is changed: the game, its numbers and options, and from which games it takes its parts."""

    chosen: Chosen
    game: str
    minutes: int
    numbers: Mapping[str, str]
    options: Mapping[str, Any]
    parts: Mapping[str, str]

    @property
    def parameters(self) -> dict[str, Any]:
        """The canonical parameters."""
        return {
            **self.chosen.parameters,
            "game": self.game,
            "minutes": "" if self.minutes == self.chosen.engagement.minutes else self.minutes,
            "set": [f"{name}={value}" for name, value in self.numbers.items()],
            "option": [f"{name}={value}" for name, value in self.options.items()],
            **{word: self.parts.get(word, "") for word in WORDS},
        }

    @property
    def changed(self) -> bool:
        """Whether anything is."""
        return bool(self.numbers or self.options or self.parts)


@attrs.frozen
class Slider:
    """A number on the page: its name, what it is, as printed and now, and how far it may be moved."""

    name: str
    summary: str
    cite: str
    provenance: str
    printed: Any
    value: str
    least: int | None
    most: int | None


def read_query(text: bytes | str, installed: Catalogue) -> Query:
    """The query of an address; ``BadAddressError`` with everything wrong in it."""
    asked = Asked(text)
    chosen = choose(asked)
    games = list(installed.games)
    key = asked.choice("game", games, games[0] if games else "")
    minutes = asked.whole("minutes", "minutes", chosen.engagement.minutes if chosen else 60)
    game = installed[key].game
    numbers: dict[str, str] = {}
    for name, value in _pairs(asked, "set"):
        try:
            found = find_numbers(game.charts, name)
        except CellError as error:
            asked.faults.append(Fault("set", str(error)))
            continue
        if len(found) > 1:
            asked.faults.append(
                Fault("set", f"{name} stands for {len(found)} numbers", f"one of them, e.g. {found[0].name}")
            )
        elif str(found[0].cell.value) != value:
            numbers[found[0].name] = value
    options: dict[str, Any] = {}
    known = {option.name: option for option in game.options}
    for name, value in _pairs(asked, "option"):
        if name not in known:
            asked.faults.append(Fault("option", f"{key} has no option {name!r}", near(name, known)))
            continue
        values = {str(each): each for each in known[name].values}
        if value not in values:
            asked.faults.append(Fault("option", f"{name}: {value!r} is not one of its values", near(value, values)))
        elif values[value] != known[name].default:
            options[name] = values[value]
    parts = {word: other for word in WORDS if (other := asked.choice(word, ("", *games), "")) and other != key}
    if reason := over("changes", len(numbers) + len(options) + len(parts)):
        asked.faults.append(Fault("set", reason))
    asked.done()
    if chosen is None:
        raise BadAddressError(tuple(asked.faults), asked.given)
    return Query(chosen, key, minutes, dict(sorted(numbers.items())), dict(sorted(options.items())), parts)


def _pairs(asked: Asked, parameter: str) -> list[tuple[str, str]]:
    """The entries ``NAME=VALUE`` of a parameter; empty values stand for nothing changed."""
    found: list[tuple[str, str]] = []
    for text in asked.lines(parameter):
        name, equals, value = text.rpartition("=")
        if not equals or not name:
            asked.faults.append(Fault(parameter, f"{text!r} changes nothing", "write NAME=VALUE"))
        elif value:
            found.append((name, value))
    return found


class WhatIfPage:
    """The routes under ``/whatif``."""

    def __init__(self, studio: Studio) -> None:
        self._studio = studio

    async def comparison(self, query: Query, patience: float = PATIENCE) -> Comparison:
        """The game as printed, the parents of a hybrid, and the game changed."""
        titles = self._studio.titles
        keys = list(dict.fromkeys((query.game, *query.parts.values())))
        entrants = [Entrant(key, key, titles[key]) for key in keys]
        if query.changed:
            entrants.append(
                Entrant(
                    "changed",
                    query.game,
                    f"{titles[query.game]}, changed",
                    tuple(query.options.items()),
                    tuple(query.parts.items()),
                    tuple(query.numbers.items()),
                )
            )
        engagement = attrs.evolve(query.chosen.engagement, minutes=query.minutes)
        found: Comparison = await self._studio.jobs.answer("compared", engagement, tuple(entrants), patience=patience)
        return found

    async def page(self, request: Request) -> Response:
        """The page itself."""
        text = request.scope["query_string"].decode("latin-1")
        try:
            query = read_query(_joined(text), self._studio.catalogue)
        except BadAddressError as error:
            return self._again(request, error)
        here = address("/whatif", query.parameters)
        if text and here != f"/whatif?{text}":
            return RedirectResponse(here, status_code=303)
        try:
            comparison = await self.comparison(query)
        except NoAnswerError as error:
            if error.status != UNANSWERABLE:
                raise
            asked = Asked(_joined(text))
            return self._again(request, BadAddressError((Fault("set", error.reason),), asked.given))
        game = self._studio.catalogue[query.game].game
        charts = [
            make(comparison, "atmost" if name == "delivery" else "exactly", transpose=False)
            for name, make in CHARTS.items()
        ]
        return self._studio.pages.page(
            request,
            "whatif.html.j2",
            query=query,
            game=game,
            games=self._studio.titles,
            engagements=list(shipped_engagements()),
            fields=FIELDS,
            chosen=query,
            form=Typed.of(query.chosen, query.minutes),
            typed_set="",
            comparison=comparison,
            rows=differing(summary(comparison)),
            charts=charts if comparison.games else [],
            short=in_short(comparison) if len(comparison.games) > 1 else [],
            unmodelled=unmodelled(comparison),
            sliders=self._sliders(query.game, query.numbers),
            names=list(numbers_of(game.charts)),
            words=WORDS,
            ranking=address("/whatif/ranking", query.parameters),
            link=lambda name: address(f"/whatif/{name}", query.parameters),
        )

    async def ranking(self, request: Request) -> Response:
        """Which numbers matter: one step of each, and how far it moves a figure."""
        text = _joined(request.scope["query_string"].decode("latin-1"))
        figures = list(FIGURES)
        kept = [pair for pair in parse_qsl(text) if pair[0] != "for"]
        asked = Asked(urlencode([pair for pair in parse_qsl(text) if pair[0] == "for"]))
        figure = asked.choice("for", figures, "delivered")
        asked.done()
        query = read_query(urlencode(kept), self._studio.catalogue)
        engagement = attrs.evolve(query.chosen.engagement, minutes=query.minutes)
        entrant = Entrant(
            query.game,
            query.game,
            self._studio.titles[query.game],
            tuple(query.options.items()),
            tuple(query.parts.items()),
            tuple(query.numbers.items()),
        )
        value, rows = await self._studio.jobs.answer("ranked", engagement, entrant, figure)
        return self._studio.pages.page(
            request,
            "ranking.html.j2",
            query=query,
            title=self._studio.titles[query.game],
            figure=FIGURES[figure],
            figures=FIGURES,
            value=value,
            rows=[row for row in rows if row.by],
            still=[row.name for row in rows if not row.by],
            parameters={**query.parameters, "for": figure},
            change=lambda name, to: address(
                "/whatif", attrs.evolve(query, numbers={**query.numbers, name: to}).parameters
            ),
            back=address("/whatif", query.parameters),
        )

    def _again(self, request: Request, error: BadAddressError) -> Response:
        """The form with all that was typed, and what is wrong with it; numbers that there are not stay words."""
        titles = self._studio.titles
        key = error.kept("game")
        key = key if key in titles else next(iter(titles))
        game = self._studio.catalogue[key].game
        pairs = [text.rpartition("=") for text in error.given.get("set", ())]
        numbers = {name: value for name, _, value in pairs if name in numbers_of(game.charts)}
        unknown = next((text for text in error.given.get("set", ()) if text.rpartition("=")[0] not in numbers), "")
        options = dict(text.split("=", 1) for text in error.given.get("option", ()) if "=" in text)
        chosen = {
            "game": key,
            "parts": {word: error.kept(word) for word in WORDS},
            "options": {
                option.name: v for option in game.options for v in option.values if str(v) == options.get(option.name)
            },
            "numbers": numbers,
        }
        return self._studio.pages.faults(
            request,
            error,
            again="_whatif_form.html.j2",
            chosen=chosen,
            form=Typed.again(error),
            typed_set=unknown,
            game=game,
            games=titles,
            engagements=list(shipped_engagements()),
            fields=FIELDS,
            sliders=self._sliders(key, numbers),
            names=list(numbers_of(game.charts)),
            words=WORDS,
            ranking="",
        )

    def _sliders(self, key: str, numbers: Mapping[str, str]) -> list[Slider]:
        """The named numbers of the game, and every cell of a chart that is changed."""
        game = self._studio.catalogue[key].game
        found: list[Slider] = []
        for name, named in numbers_of(game.charts).items():
            if "[" in name and name not in numbers:
                continue
            cell = named.cell
            least = most = None
            if isinstance(cell.value, int):
                least, most = cell.value - _REACH, cell.value + _REACH
                if all(not isinstance(step, int) or step >= 0 for step in cell.steps):
                    least = max(0, least) if cell.value >= 0 else least
            now = numbers.get(name, str(cell.value))
            found.append(Slider(name, cell.summary, cell.cite, cell.provenance, cell.value, now, least, most))
        return found

    async def file(self, request: Request) -> Response:
        """A chart or the sheet as SVG."""
        stem, _, end = request.path_params["name"].rpartition(".")
        if end != "svg" or stem not in ("sheet", *CHARTS):
            return self._studio.pages.refusal(request, 404, "there is no such file of a change")
        query = read_query(request.scope["query_string"], self._studio.catalogue)
        comparison = await self.comparison(query, patience=LIMITS["job_seconds"].most)
        if stem == "sheet":
            return Response(svg(comparison), media_type="image/svg+xml")
        if not comparison.games:
            return self._studio.pages.refusal(request, 404, "nothing can be staged, so there is no chart")
        spec = CHARTS[stem](comparison, "atmost" if stem == "delivery" else "exactly", transpose=False).spec
        return Response(await self._studio.draw(spec), media_type="image/svg+xml")


def _joined(text: str) -> str:
    """The fields ``n.NAME=VALUE`` and ``o.NAME=VALUE`` of the form as the parameters ``set`` and ``option``."""
    try:
        pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=LIMITS["parameters"].most)
    except ValueError:
        return text
    heads = {"n.": "set", "o.": "option"}
    joined = [
        (heads[name[:2]], f"{name[2:]}={value}") if name[:2] in heads else (name, value)
        for name, value in pairs
        if value
    ]
    return urlencode(joined)


def differing(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows of a table, each told whether its first and last cell differ."""
    return [{**row, "differs": bool(row["cells"]) and row["cells"][0] != row["cells"][-1]} for row in rows]
