"""The base class of pages that show figures: their form, answers and pictures."""

import asyncio
from collections.abc import Mapping
from typing import Any, Generic, TypeVar

import attrs
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from fireplan.analysis import (
    Comparison,
    IdleFacts,
    Measured,
    NotModelled,
    as_json,
    in_short,
    shipped_engagements,
    svg,
    table_rows,
    unmodelled,
)
from fireplan.draw.svg import png
from fireplan.positions import Source
from fireplan.positions.notation import head
from fireplan.questions.compare import ComparisonResult
from fireplan.questions.result import Result
from fireplan_core import Engagement
from fireplan_studio.addresses import address, differs, remembered
from fireplan_studio.answers import PATIENCE
from fireplan_studio.charts import CHARTS, PageChart
from fireplan_studio.copies import short, without_figures
from fireplan_studio.engagements import (
    FIELDS,
    EngagementChoice,
    EngagementForm,
    changes_in_words,
)
from fireplan_studio.limits import LIMITS
from fireplan_studio.pages import Studio
from fireplan_studio.refusals import RequestRefusedError
from fireplan_studio.work import Entrant


@attrs.frozen(kw_only=True)
class FiguresQuery:
    """The parameters of a page of charts: an engagement, the minutes watched, and how to draw."""

    choice: EngagementChoice
    minutes: int
    mode: str = "atmost"
    severity: str = "exactly"
    transpose: bool = False
    made: tuple[str, ...] = ()
    """The versions and the hash of figures in the link; empty if the URL is not a link."""

    @property
    def engagement(self) -> Engagement:
        """Return the engagement with the minutes watched."""
        return attrs.evolve(self.choice.engagement, minutes=self.minutes)

    @property
    def heading(self) -> str:
        """Return the engagement's title with the changed facts, for headings and copies."""
        title, changes = self.choice.engagement.title, self.changes
        minutes = self.minutes != self.choice.engagement.minutes
        return (
            title
            + (f", with {', '.join(changes)}" if changes else "")
            + (f", over {self.minutes} minutes" if minutes else "")
        )

    @property
    def changes(self) -> list[str]:
        """Return a phrase for everything that is changed, such as "24 guns"."""
        return changes_in_words(self.choice)

    @property
    def parameters(self) -> dict[str, Any]:
        """Return the parameters of this view's canonical URL, by name, without defaults."""
        default = self.minutes == self.choice.engagement.minutes
        return {
            **self.choice.parameters,
            "minutes": "" if default else self.minutes,
            "made": self.made,
        }


Q = TypeVar("Q", bound=FiguresQuery)


class FigurePage(Generic[Q]):
    """A page whose URL describes a comparison, with its form, answers and pictures."""

    path: str

    def __init__(self, studio: Studio) -> None:
        self._studio = studio

    def read(self, text: str) -> Q:
        """Return the query in a URL; raise ``RequestRefusedError`` listing all its faults."""
        raise NotImplementedError

    def entrants(self, query: Q) -> tuple[Entrant, ...]:
        """Return the columns of the comparison."""
        raise NotImplementedError

    def form(self, query: Q, error: RequestRefusedError) -> dict[str, Any]:  # noqa: ARG002 - subclasses use it
        """Return the form's template variables for a faulty URL, except those of the engagement.

        ``query`` is built from the valid parameters.
        """
        return {"chosen": query}

    def remembered(self, query: Q, figures: str, path: str = "") -> dict[str, Any]:
        """Return template variables: an answer's link, and a comparison with the original answer.

        ``figures`` contains every figure of the answer as text.
        """
        games = [
            game
            for entrant in self.entrants(query)
            for game in (entrant.game, *dict(entrant.parts).values())
        ]
        versions = remembered(self._studio.catalogue, games, figures)
        link = address(path or self.path, {**query.parameters, "made": versions})
        return {"link_to": link, "stands": differs(query.made, versions), "versions": versions}

    def opened(self, text: str) -> tuple[Result, str]:
        """Return the answer to a link, and a sentence that compares it with the original answer."""
        query = self.read(text)
        comparison = asyncio.run(self.comparison(query))
        return ComparisonResult(comparison), self.remembered(query, as_json(comparison))["stands"]

    def taken(
        self, query: Q, comparison: Comparison, idle: Mapping[str, IdleFacts]
    ) -> dict[str, Any]:
        """Return template variables: the answer's link and copies, and its position lines."""
        choice = query.choice
        source = Source(name=choice.name, facts=tuple(choice.facts.items()))
        lines = [
            head(
                attrs.evolve(
                    source,
                    game=entrant.game,
                    options=entrant.options,
                    numbers=entrant.numbers,
                    parts=entrant.parts,
                )
            )
            for entrant in self.entrants(query)
            if choice.changes.keys() == choice.facts.keys()
        ]
        remembered = self.remembered(query, as_json(comparison))
        rows = self.answers(query, comparison)["rows"]
        answer = short(
            query.heading,
            [
                "Figure",
                *(
                    game.title + (f" ({idle[key].words})" if key in idle else "")
                    for key, game in comparison.games.items()
                ),
            ],
            [[row["title"], *row["cells"]] for row in rows] + self.further_rows(query, comparison),
            remembered["versions"],
            [row["exact"] for row in rows],
            [f"{comparison.games[key].title}: {each}" for key, each in idle.items()],
        )
        return {**remembered, "answer": answer, "lines": "\n".join(lines)}

    def further_rows(
        self,
        query: Q,  # noqa: ARG002 - subclasses use it
        comparison: Comparison,  # noqa: ARG002 - subclasses use it
    ) -> list[list[str]]:
        """Return the rows that follow the yardsticks in a copied answer; none by default."""
        return []

    async def page(self, request: Request) -> Response:
        """Return the page, a redirect to its canonical URL, or the form with its faults."""
        text = request.scope["query_string"].decode("latin-1")
        try:
            query = self.read(text)
        except RequestRefusedError as error:
            return self.again(request, error)
        here = address(self.path, query.parameters)
        if text and here != f"{self.path}?{without_figures(text)}":
            return RedirectResponse(here, status_code=303)
        form = {**self._form(EngagementForm.of(query.choice, query.minutes)), "chosen": query}
        return self._studio.pages.page(
            request, f"{self.path[1:]}.html.j2", **form | await self.shown(query)
        )

    async def shown(self, query: Q) -> dict[str, Any]:
        """Return the template variables of the page except the variables of its form."""
        comparison = await self.comparison(query)
        idle = await self.idle(query, comparison)
        return {
            **self.answers(query, comparison),
            "charts": self.charts(query, comparison),
            "idle": idle,
            **self.taken(query, comparison, idle),
            "link": lambda name: address(f"{self.path}/{name}", query.parameters),
        }

    async def idle(
        self,
        query: Q,  # noqa: ARG002 - subclasses use it
        comparison: Comparison,  # noqa: ARG002 - subclasses use it
        patience: float = PATIENCE,  # noqa: ARG002 - subclasses use it
    ) -> dict[str, IdleFacts]:
        """Return the changed facts that have no effect on a game's figures, by game.

        By default there are none.
        """
        return {}

    def again(self, request: Request, error: RequestRefusedError) -> Response:
        """Return the form as it was typed, with its faults."""
        form = self._form(EngagementForm.again(error)) | self.form(
            error.query or self.read(""), error
        )
        return self._studio.pages.refused(
            request, error, again=f"_{self.path[1:]}_form.html.j2", **form
        )

    def _form(self, form: EngagementForm) -> dict[str, Any]:
        engagements = list(shipped_engagements())
        return {
            "form": form,
            "fields": FIELDS,
            "engagements": engagements,
            "games": self._studio.titles,
        }

    async def comparison(
        self, query: Q, patience: float = PATIENCE, engagement: Engagement | None = None
    ) -> Comparison:
        """Return the comparison of a query's games.

        If given, ``engagement`` replaces the engagement of the query. Raises
        ``RequestRefusedError`` if the comparison is not finished within ``patience`` seconds.
        """
        entrants = self.entrants(query)
        comparison: Comparison = await self._studio.jobs.answer(
            "compared", engagement or query.engagement, entrants, patience=patience
        )
        return comparison

    @staticmethod
    def answers(query: Q, comparison: Comparison) -> dict[str, Any]:
        """Return the answers as template variables, with a row for each yardstick and severity."""
        return {
            "query": query,
            "comparison": comparison,
            "rows": comparison_rows(comparison),
            "short": in_short(comparison) if len(comparison.games) > 1 else [],
            "unmodelled": unmodelled(comparison),
        }

    @staticmethod
    def charts(query: Q, comparison: Comparison) -> list[PageChart]:
        """Return all charts of a comparison; none if no game can stage the engagement."""
        return [chart_of(name, query, comparison) for name in CHARTS] if comparison.games else []

    async def file(self, request: Request) -> Response:
        """Return the sheet or a chart as an SVG or PNG file.

        Raises ``RequestRefusedError`` for any other file, for a chart if no game can stage the
        engagement, and for a PNG in a browser without a server.
        """
        stem, _, end = request.path_params["name"].rpartition(".")
        if stem not in ("sheet", "maps", *CHARTS) or end not in ("svg", "png"):
            raise RequestRefusedError(
                404,
                "There is no such picture: expected sheet, maps or a chart's name, ending in .svg or .png.",
            )
        query = self.read(request.scope["query_string"].decode("latin-1"))
        comparison = await self.comparison(query, patience=LIMITS["job_seconds"].most)
        if stem in ("sheet", "maps"):
            drawing = svg(comparison, delivery=stem == "sheet")
        elif comparison.games:
            drawing = chart_of(stem, query, comparison).drawing
        else:
            raise RequestRefusedError(
                404, "No game can stage this engagement, so there is no chart."
            )
        if end == "svg":
            return Response(drawing, media_type="image/svg+xml")
        # In a browser without a server, the page itself draws the PNG from the SVG.
        if self._studio.settings.in_one_thread:
            raise RequestRefusedError(
                404, "No PNG is available here, but the picture is available as SVG."
            )
        return Response(await asyncio.to_thread(png, drawing), media_type="image/png")


def comparison_rows(comparison: Comparison) -> list[dict[str, Any]]:
    """Return the rows of the comparison's table, one for each yardstick and severity.

    Each row has ``name``, ``title``, the definition (``about``), and two lists in the order of the
    games: the texts of the cells (``cells``), and their exact values as text (``exact``), "" for a
    cell without one.
    """
    games = list(comparison.games.values())
    return [
        {
            "name": yardstick.name,
            "title": f"{yardstick.title}: {severity}" if severity else yardstick.title,
            "about": yardstick.definition,
            "cells": [cell.strip() for cell in cells],
            "exact": [_exact(game.measures[yardstick.name], severity) for game in games],
        }
        for yardstick, severity, cells in table_rows(games)
    ]


def _exact(answer: Measured | NotModelled, severity: str) -> str:
    """Return the exact value that a cell prints, or "" if it prints none, as for minutes."""
    if isinstance(answer, NotModelled) or not answer.exact:
        return ""
    if severity:
        return str(dict(answer.distribution or ()).get(severity, 0))
    # Minutes are printed as a range, not as their mean.
    return "" if answer.number is None or answer.unit == "min" else str(answer.number)


def chart_of(name: str, query: FiguresQuery, comparison: Comparison) -> PageChart:
    """Return the chart of this name for a comparison, drawn with the query's display options."""
    mode = query.severity if name == "severity" else query.mode
    return CHARTS[name](comparison, mode, transpose=query.transpose)
