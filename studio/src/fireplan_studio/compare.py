"""The comparison page: an engagement, the games, charts with their tables, and downloads."""

import base64
from typing import Any

import attrs
from starlette.requests import Request
from starlette.responses import Response

from fireplan.analysis import Comparison, as_csv, as_json, as_rows, svg
from fireplan_studio.addresses import Parameters, address
from fireplan_studio.engagements import choose
from fireplan_studio.figures import FigurePage, Query
from fireplan_studio.limits import LIMITS, over
from fireplan_studio.pages import FILES, MODES, download
from fireplan_studio.refusals import Fault
from fireplan_studio.work import Entrant


@attrs.frozen(kw_only=True)
class ComparisonQuery(Query):
    """A query that compares games side by side, as printed."""

    games: tuple[str, ...]
    usual: bool
    """True if these are the games compared by default."""

    @property
    def parameters(self) -> dict[str, Any]:
        """Return the parameters of this view's canonical address, by name, without defaults."""
        return {
            **super().parameters,
            "games": "" if self.usual else ",".join(self.games),
            "mode": "" if self.mode == "atmost" else self.mode,
            "severity": "" if self.severity == "exactly" else self.severity,
            "transpose": self.transpose,
        }


class ComparePage(FigurePage[ComparisonQuery]):
    """The routes under ``/compare``."""

    path = "/compare"

    def read(self, text: str) -> ComparisonQuery:
        """Return the query in an address; raise ``RequestRefusedError`` listing all its faults."""
        parameters = Parameters(text)
        choice = choose(parameters)
        games = parameters.choices("games", list(self._studio.titles)) or list(self._studio.usual)
        if reason := over("games", len(games)):
            parameters.faults.append(Fault("games", reason))
        query = ComparisonQuery(
            choice=choice,
            games=tuple(games),
            usual=set(games) == set(self._studio.usual),
            minutes=parameters.whole("minutes", "minutes", choice.engagement.minutes),
            mode=parameters.choice("mode", MODES, "atmost"),
            severity=parameters.choice("severity", MODES, "exactly"),
            transpose=parameters.flag("transpose"),
            made=tuple(parameters.lines("made")),
        )
        parameters.done(query)
        return query

    def entrants(self, query: ComparisonQuery) -> tuple[Entrant, ...]:
        """Return a column for each game, as printed."""
        return tuple(Entrant(key, key, self._studio.titles[key]) for key in query.games)

    async def file(self, request: Request) -> Response:
        """Return a chart, the sheet or the answers as a file to download."""
        stem, _, end = request.path_params["name"].rpartition(".")
        if stem != "comparison" or end not in FILES:
            return await super().file(request)
        query = self.read(request.scope["query_string"].decode("latin-1"))
        comparison = await self.comparison(query, patience=LIMITS["job_seconds"].most)
        if end == "html":
            body = self._offline(query, comparison)
        else:
            body = as_csv(as_rows(comparison)) if end == "csv" else as_json(comparison)
        return download(body, FILES[end], f"fireplan-{query.choice.name}.{end}")

    def _offline(self, query: ComparisonQuery, comparison: Comparison) -> str:
        """Return the page as one HTML file that needs no network."""
        return self._studio.pages.text(
            "offline.html.j2",
            **self.answers(query, comparison),
            sheet=_embedded(svg(comparison)),
            pictures=[
                (chart, _embedded(chart.drawing)) for chart in self.charts(query, comparison)
            ],
            style=self._studio.static["studio.css"][0].decode(),
            exact=as_json(comparison),
            where=address("/compare", query.parameters),
        )


def _embedded(picture: str) -> str:
    return "data:image/svg+xml;base64," + base64.b64encode(picture.encode()).decode()
