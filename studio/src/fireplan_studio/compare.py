"""The comparison page: an engagement, the games, charts with their tables, and downloads."""

import base64
from collections.abc import Mapping
from typing import Any

import attrs
from starlette.requests import Request
from starlette.responses import Response

from fireplan.analysis import (
    MOST_TRIED,
    Comparison,
    IdleFacts,
    ReferenceFigure,
    as_json,
    find_engagement,
    idle_facts,
    reference_rows,
    svg,
    with_idle_facts,
)
from fireplan.positions import with_facts
from fireplan.questions.compare import ComparisonResult
from fireplan_core.files import Fault, FileError
from fireplan_studio.addresses import Parameters, address
from fireplan_studio.answers import PATIENCE
from fireplan_studio.engagements import choose
from fireplan_studio.figures import FigurePage, FiguresQuery
from fireplan_studio.limits import LIMITS, over
from fireplan_studio.pages import FILES, MODES, download
from fireplan_studio.work import Entrant


@attrs.frozen(kw_only=True)
class ComparisonQuery(FiguresQuery):
    """A query that compares games as printed, side by side."""

    games: tuple[str, ...]
    usual: bool
    """True if these are the games compared by default."""
    reference: tuple[ReferenceFigure, ...] = ()
    """The visitor's own figures, shown beside those of the games."""

    @property
    def parameters(self) -> dict[str, Any]:
        """Return the parameters of this view's canonical URL, by name, without defaults."""
        return {
            **super().parameters,
            "games": "" if self.usual else ",".join(self.games),
            "mode": "" if self.mode == "atmost" else self.mode,
            "severity": "" if self.severity == "exactly" else self.severity,
            "transpose": self.transpose,
            "reference": [*map(str, self.reference)],
        }


class ComparePage(FigurePage[ComparisonQuery]):
    """The routes under ``/compare``."""

    path = "/compare"

    def read(self, text: str) -> ComparisonQuery:
        """Return the query in a URL; raise ``RequestRefusedError`` listing all its faults."""
        parameters = Parameters(text)
        choice = choose(parameters)
        games = parameters.choices("games", list(self._studio.titles)) or list(self._studio.usual)
        if reason := over("games", len(games)):
            parameters.faults.append(Fault(reason, key="games"))
        reference = [
            figure
            for text in parameters.lines("reference")
            if (figure := _reference(parameters, text))
        ]
        query = ComparisonQuery(
            reference=tuple(reference),
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

    async def shown(self, query: ComparisonQuery) -> dict[str, Any]:
        """Return the page's template variables, with the reference figures beside the games."""
        shown = await super().shown(query)
        return {**shown, "reference": reference_rows(query.reference, shown["comparison"].games)}

    def further_rows(self, query: ComparisonQuery, comparison: Comparison) -> list[list[str]]:
        """Return a row for each reference figure: its name, its value, then one cell per game."""
        rows = reference_rows(query.reference, comparison.games)
        return [[f"{name}, reference {value}", *cells] for name, value, cells in rows]

    async def idle(
        self, query: ComparisonQuery, comparison: Comparison, patience: float = PATIENCE
    ) -> dict[str, IdleFacts]:
        """Return the changed facts that have no effect on a game's figures, by game.

        For each changed fact the games are solved again, with that fact as shipped and the other
        facts as they are now. Games that every fact affects are left out; with too many facts, the
        result is empty.
        """
        facts, now = query.choice.facts, query.engagement
        if not 0 < len(facts) <= MOST_TRIED:
            return {}
        shipped = attrs.evolve(
            find_engagement(query.choice.name), title=now.title, date=now.date, minutes=now.minutes
        )
        without: dict[str, Comparison] = {}
        for fact in facts:
            others = {name: value for name, value in facts.items() if name != fact}
            try:
                engagement = with_facts(shipped, others)
            except FileError:  # the fact's original value does not fit the other changed facts
                continue
            without[fact] = await self.comparison(query, patience, engagement)
        return idle_facts(comparison, without)

    async def file(self, request: Request) -> Response:
        """Return a chart, the sheet, the answers or the whole page as a file to download."""
        stem, _, end = request.path_params["name"].rpartition(".")
        if stem != "comparison" or end not in FILES:
            return await super().file(request)
        query = self.read(request.scope["query_string"].decode("latin-1"))
        comparison = await self.comparison(query, patience=LIMITS["job_seconds"].most)
        idle = await self.idle(query, comparison, LIMITS["job_seconds"].most)
        if end == "html":
            body = self._offline(query, comparison, idle)
        else:
            result = ComparisonResult(
                comparison, reference=query.reference, facts=query.choice.facts, idle=idle
            )
            body = result.json() if query.reference else as_json(comparison)
            if end == "csv":
                body = result.csv()
        return download(body, FILES[end], f"fireplan-{query.choice.name}.{end}")

    def _offline(
        self, query: ComparisonQuery, comparison: Comparison, idle: Mapping[str, IdleFacts]
    ) -> str:
        """Return the page as one HTML file that needs no network."""
        return self._studio.pages.text(
            "offline.html.j2",
            **self.answers(query, comparison),
            reference=reference_rows(query.reference, comparison.games),
            idle=idle,
            sheet=_embedded(svg(with_idle_facts(comparison, idle), delivery=False)),
            pictures=[
                (chart, _embedded(chart.drawing)) for chart in self.charts(query, comparison)
            ],
            style=self._studio.static["studio.css"][0].decode(),
            exact=as_json(comparison),
            where=address("/compare", query.parameters),
        )


def _reference(parameters: Parameters, text: str) -> ReferenceFigure | None:
    """Return the reference figure that a line of the form gives.

    If it cannot be read, add a fault to the parameters and return None.
    """
    try:
        return ReferenceFigure.read(text)
    except ValueError as error:
        parameters.faults.append(Fault(str(error), key="reference"))
        return None


def _embedded(picture: str) -> str:
    return "data:image/svg+xml;base64," + base64.b64encode(picture.encode()).decode()
