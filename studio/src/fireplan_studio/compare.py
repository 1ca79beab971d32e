"""The comparison page: an engagement, the games, charts with their tables, and downloads."""

import base64
from collections.abc import Sequence
from typing import Any

import attrs
from starlette.requests import Request
from starlette.responses import Response

from fireplan.analysis import (
    Comparison,
    ReferenceFigure,
    as_csv,
    as_json,
    find_engagement,
    reference_rows,
    svg,
)
from fireplan.analysis.phrasing import joined_words
from fireplan.positions import with_facts
from fireplan.questions.compare import ComparisonResult
from fireplan_core.files import FileError
from fireplan_studio.addresses import Parameters, address
from fireplan_studio.engagements import choose
from fireplan_studio.figures import FigurePage, Idle, Query
from fireplan_studio.jobs import PATIENCE
from fireplan_studio.limits import LIMITS, over
from fireplan_studio.pages import FILES, MODES, download
from fireplan_studio.refusals import Fault
from fireplan_studio.work import Entrant

_TRIED = 2
"""The number of changed facts up to which the page says what each of them changes."""
_NOTED = {"guns": ("guns", "tubes"), "men": (" men ", "company")}
"""The words by which a game's notes speak of a fact."""


@attrs.frozen(kw_only=True)
class ComparisonQuery(Query):
    """A query that compares games side by side, as printed."""

    games: tuple[str, ...]
    usual: bool
    """True if these are the games compared by default."""
    reference: tuple[ReferenceFigure, ...] = ()
    """Figures of the visitor's own, set beside the games."""

    @property
    def parameters(self) -> dict[str, Any]:
        """Return the parameters of this view's canonical address, by name, without defaults."""
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
        """Return the query in an address; raise ``RequestRefusedError`` listing all its faults."""
        parameters = Parameters(text)
        choice = choose(parameters)
        games = parameters.choices("games", list(self._studio.titles)) or list(self._studio.usual)
        if reason := over("games", len(games)):
            parameters.faults.append(Fault("games", reason))
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
        """Return the variables of the page, with the reference figures beside the games."""
        shown = await super().shown(query)
        return {**shown, "reference": reference_rows(query.reference, shown["comparison"].games)}

    def beside(self, query: ComparisonQuery, comparison: Comparison) -> list[list[str]]:
        """Return the reference figures as rows of a copy: name and value, then a cell per game."""
        rows = reference_rows(query.reference, comparison.games)
        return [[f"{name}, reference {value}", *cells] for name, value, cells in rows]

    async def idle(
        self, query: ComparisonQuery, comparison: Comparison, patience: float = PATIENCE
    ) -> dict[str, Idle]:
        """Map each game to the changed facts that have no effect on its figures, if any.

        The games are solved again with each fact as shipped, the others as they are now.
        """
        facts, now = query.choice.facts, query.engagement
        if not 0 < len(facts) <= _TRIED:
            return {}
        shipped = attrs.evolve(
            find_engagement(query.choice.name), title=now.title, date=now.date, minutes=now.minutes
        )
        still: dict[str, list[str]] = {}
        for fact in facts:
            others = {name: value for name, value in facts.items() if name != fact}
            try:
                engagement = with_facts(shipped, others)
            except FileError:  # the shipped value of this fact does not fit the changed ones
                continue
            before = await self.comparison(query, patience, engagement)
            for key, game in comparison.games.items():
                if key in before.games and before.games[key].measures == game.measures:
                    still.setdefault(key, []).append(fact)
        return {
            key: Idle(tuple(names), _nothing(names), _noted(comparison.games[key].notes, names))
            for key, names in still.items()
        }

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
            result = ComparisonResult(comparison, reference=query.reference)
            body = result.json() if query.reference else as_json(comparison)
            if end == "csv":
                idle = await self.idle(query, comparison, LIMITS["job_seconds"].most)
                body = as_csv(
                    [
                        {**row, "no_change_by": " ".join(idle[key].facts) if key in idle else ""}
                        for row in result.rows()
                        if (key := str(row["game"]))
                    ]
                )
        return download(body, FILES[end], f"fireplan-{query.choice.name}.{end}")

    def _offline(self, query: ComparisonQuery, comparison: Comparison) -> str:
        """Return the page as one HTML file that needs no network."""
        return self._studio.pages.text(
            "offline.html.j2",
            **self.answers(query, comparison),
            reference=reference_rows(query.reference, comparison.games),
            sheet=_embedded(svg(comparison, delivery=False)),
            pictures=[
                (chart, _embedded(chart.drawing)) for chart in self.charts(query, comparison)
            ],
            style=self._studio.static["studio.css"][0].decode(),
            exact=as_json(comparison),
            where=address("/compare", query.parameters),
        )


def _reference(parameters: Parameters, text: str) -> ReferenceFigure | None:
    """Return the figure in a line, or None with a fault added if it cannot be read."""
    try:
        return ReferenceFigure.read(text)
    except ValueError as error:
        parameters.faults.append(Fault("reference", str(error)))
        return None


def _nothing(names: Sequence[str]) -> str:
    """Return a phrase saying that these facts change nothing."""
    said = joined_words([name.replace("_", " ") for name in names])
    plural = len(names) > 1 or said.endswith("s")
    return f"{said} {'change' if plural else 'changes'} nothing"


def _noted(notes: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
    """Return a game's notes on these facts."""
    words = {word for name in names for word in _NOTED.get(name, (name.replace("_", " "),))}
    return tuple(note for note in notes if any(word in note for word in words))


def _embedded(picture: str) -> str:
    return "data:image/svg+xml;base64," + base64.b64encode(picture.encode()).decode()
