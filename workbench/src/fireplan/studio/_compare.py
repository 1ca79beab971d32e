"""The page of the comparison: an engagement, the games, the charts with their tables, and everything to take away."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import attrs
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from fireplan.compare import (
    YARDSTICKS,
    Comparison,
    as_csv,
    as_json,
    in_short,
    in_words,
    percent,
    severity_at,
    shipped_engagements,
    svg,
    unmodelled,
)
from fireplan.studio._addresses import Asked, BadAddressError, Fault, address
from fireplan.studio._charts import CHARTS, MODES, Chart
from fireplan.studio._engagements import FIELDS, Chosen, Typed, choose
from fireplan.studio._jobs import PATIENCE
from fireplan.studio._limits import LIMITS, over
from fireplan.studio._pages import download
from fireplan.studio._vega import drawn
from fireplan.studio._work import Entrant

if TYPE_CHECKING:
    from fireplan.studio._app import Studio

MODE_WORDS = {"exactly": "exactly", "atleast": "at least", "atmost": "at most"}


@attrs.frozen
class Query:
    """What the page is asked for."""

    chosen: Chosen
    games: tuple[str, ...]
    minutes: int
    mode: str
    severity: str
    transpose: bool
    all_games: bool

    @property
    def parameters(self) -> dict[str, Any]:
        """The canonical parameters: defaults left out."""
        return {
            **self.chosen.parameters,
            "games": "" if self.all_games else ",".join(self.games),
            "minutes": "" if self.minutes == self.chosen.engagement.minutes else self.minutes,
            "mode": "" if self.mode == "atmost" else self.mode,
            "severity": "" if self.severity == "exactly" else self.severity,
            "transpose": self.transpose,
        }

    def mode_of(self, chart: str) -> str:
        """How a chart tells its shares: exactly, at least or at most."""
        return self.severity if chart == "severity" else self.mode


def read_query(text: bytes | str, games: dict[str, str]) -> Query:
    """The query of an address; ``BadAddressError`` with everything wrong in it."""
    asked = Asked(text)
    chosen = choose(asked)
    keys = asked.choices("games", list(games)) or list(games)
    if reason := over("games", len(keys)):
        asked.faults.append(Fault("games", reason))
    minutes = asked.whole("minutes", "minutes", chosen.engagement.minutes if chosen else 60)
    mode = asked.choice("mode", MODES, "atmost")
    severity = asked.choice("severity", MODES, "exactly")
    transpose = asked.flag("transpose")
    asked.done()
    if chosen is None:
        raise BadAddressError(tuple(asked.faults), asked.given)
    return Query(chosen, tuple(keys), minutes, mode, severity, transpose, len(keys) == len(games))


def summary(comparison: Comparison) -> list[dict[str, Any]]:
    """The yardsticks as a table: a row each (the severities four), a cell for each game."""
    games = list(comparison.games.values())
    rows: list[dict[str, Any]] = []
    for yardstick in YARDSTICKS:
        if yardstick.name == "target_severity":
            for position in range(4):
                shares = [severity_at(game, position) for game in games]
                name = shares[0][0] if shares else ""
                cells = [percent(share) for _, share in shares]
                rows.append({"title": f"{yardstick.title}: {name}", "about": yardstick.definition, "cells": cells})
            continue
        cells = [in_words(yardstick.name, game).strip() for game in games]
        rows.append({"title": yardstick.title, "about": yardstick.definition, "cells": cells})
    return rows


class ComparePage:
    """The routes under ``/compare``."""

    def __init__(self, studio: Studio) -> None:
        self._studio = studio

    async def comparison(self, query: Query, patience: float = PATIENCE) -> Comparison:
        """The comparison that a query asks for."""
        engagement = attrs.evolve(query.chosen.engagement, minutes=query.minutes)
        titles = self._studio.titles
        entrants = tuple(Entrant(key, key, titles[key]) for key in query.games)
        found: Comparison = await self._studio.jobs.answer("compared", engagement, entrants, patience=patience)
        return found

    async def page(self, request: Request) -> Response:
        """The page itself; an address that is not canonical is sent to the one that is."""
        try:
            query = read_query(request.scope["query_string"], self._studio.titles)
        except BadAddressError as error:
            return self._again(request, error)
        here = address("/compare", query.parameters)
        if request.scope["query_string"] and here != f"/compare?{request.url.query}":
            return RedirectResponse(here, status_code=303)
        comparison = await self.comparison(query)
        charts = self._charts(query, comparison)
        return self._studio.pages.page(
            request,
            "compare.html.j2",
            query=query,
            comparison=comparison,
            charts=charts,
            rows=summary(comparison),
            short=in_short(comparison) if len(comparison.games) > 1 else [],
            unmodelled=unmodelled(comparison),
            fields=FIELDS,
            chosen=query,
            form=Typed.of(query.chosen, query.minutes),
            engagements=list(shipped_engagements()),
            games=self._studio.titles,
            modes=MODE_WORDS,
            link=lambda name: address(f"/compare/{name}", query.parameters),
        )

    def _again(self, request: Request, error: BadAddressError) -> Response:
        """The form with all that was typed, and what is wrong with it."""
        titles = self._studio.titles
        games = [game for each in error.given.get("games", ()) for game in each.split(",") if game in titles]
        chosen = {
            "mode": error.kept("mode", "atmost"),
            "severity": error.kept("severity", "exactly"),
            "transpose": error.kept("transpose") == "1",
            "games": games or list(titles),
        }
        return self._studio.pages.faults(
            request,
            error,
            again="_compare_form.html.j2",
            chosen=chosen,
            form=Typed.again(error),
            fields=FIELDS,
            engagements=list(shipped_engagements()),
            games=titles,
            modes=MODE_WORDS,
        )

    @staticmethod
    def _charts(query: Query, comparison: Comparison) -> list[Chart]:
        if not comparison.games:
            return []
        return [make(comparison, query.mode_of(name), transpose=query.transpose) for name, make in CHARTS.items()]

    async def file(self, request: Request) -> Response:
        """A chart, the sheet, or the answers as a file."""
        name: str = request.path_params["name"]
        stem, _, end = name.rpartition(".")
        if (stem, end) not in self._files():
            return self._studio.pages.refusal(request, 404, "there is no such file of a comparison")
        query = read_query(request.scope["query_string"], self._studio.titles)
        comparison = await self.comparison(query, patience=LIMITS["job_seconds"].most)
        if stem == "comparison":
            body, kind = self._whole(end)(query, comparison)
            return download(body, kind, f"fireplan-{query.chosen.name}.{end}")
        if not comparison.games and stem in CHARTS:
            return self._studio.pages.refusal(request, 404, "no game can stage this engagement, so there is no chart")
        drawing = (
            svg(comparison)
            if stem == "sheet"
            else await self._studio.draw(CHARTS[stem](comparison, query.mode_of(stem), transpose=query.transpose).spec)
        )
        if end == "svg":
            return Response(drawing, media_type="image/svg+xml")
        return Response(await self._studio.paint(drawing), media_type="image/png")

    @staticmethod
    def _files() -> set[tuple[str, str]]:
        drawings = {(name, end) for name in ("sheet", *CHARTS) for end in ("svg", "png")}
        return drawings | {("comparison", end) for end in ("csv", "json", "html")}

    def _whole(self, end: str) -> Callable[[Query, Comparison], tuple[str, str]]:
        return {
            "csv": lambda _, comparison: (as_csv(comparison), "text/csv; charset=utf-8"),
            "json": lambda _, comparison: (as_json(comparison), "application/json"),
            "html": self._offline,
        }[end]

    def _offline(self, query: Query, comparison: Comparison) -> tuple[str, str]:
        """One file that needs no server and no network."""
        charts = self._charts(query, comparison)
        pictures = [(chart, _embedded(drawn(chart.spec))) for chart in charts]
        style = self._studio.static["studio.css"][0].decode()
        text = self._studio.pages.text(
            "offline.html.j2",
            query=query,
            comparison=comparison,
            rows=summary(comparison),
            short=in_short(comparison) if len(comparison.games) > 1 else [],
            unmodelled=unmodelled(comparison),
            sheet=_embedded(svg(comparison)),
            pictures=pictures,
            style=style,
            exact=as_json(comparison),
            where=address("/compare", query.parameters),
        )
        return text, "text/html; charset=utf-8"


def _embedded(picture: str) -> str:
    return "data:image/svg+xml;base64," + base64.b64encode(picture.encode()).decode()
