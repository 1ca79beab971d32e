"""The pages on the rules, which show each game's life cycle, options, charts and ledger."""

from functools import cache
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from fireplan.analysis.rule_pages import coverage
from fireplan.errors import unknown
from fireplan_core import numbers_of
from fireplan_studio.addresses import Parameters, address
from fireplan_studio.engagements import choose
from fireplan_studio.limits import LIMITS
from fireplan_studio.pages import Studio
from fireplan_studio.refusals import RequestRefusedError
from fireplan_studio.work import catalogue

STANDINGS = ("implemented", "open", "not applicable", "heading")


@cache
def covered(game: str) -> tuple[dict[str, Any], ...]:
    """Return each rule in a game's ledger with the code that cites it and the tests that cover it.

    The sources are read only once.
    """
    return tuple(coverage(catalogue(), game))


class RulesPage:
    """The routes under ``/rules``."""

    def __init__(self, studio: Studio) -> None:
        self._studio = studio

    async def index(self, request: Request) -> Response:
        """Return the page of all games, with the number of their rules by status."""
        Parameters(request.scope["query_string"]).done()
        installed = self._studio.catalogue
        shown: dict[str, Any] = {
            "games": installed.games,
            "standings": STANDINGS,
            "problems": installed.problems,
        }
        return self._studio.pages.page(request, "rules.html.j2", **shown)

    def _game(self, request: Request) -> str:
        key: str = request.path_params["game"]
        if key not in self._studio.titles:
            raise RequestRefusedError(400, str(unknown("game", key[:40], self._studio.titles)))
        return key

    async def page(self, request: Request) -> Response:
        """Return the page of one game, with its rules filtered by status and a search text."""
        key = self._game(request)
        parameters = Parameters(request.scope["query_string"])
        standing = parameters.choice("standing", ("all", *STANDINGS), "all")
        word = parameters.text("find", "")
        parameters.done()
        rows = [
            row
            for row in covered(key)
            if standing in ("all", row["status"])
            and word.lower() in f"{row['id']} {row['summary']}".lower()
        ]
        game = self._studio.catalogue[key].game
        numbers = list(numbers_of(game.charts).values())
        shown: dict[str, Any] = {
            "key": key,
            "game": game,
            "rows": rows,
            "standing": standing,
            "word": word,
        }
        charts = [(name, [each for each in numbers if each.chart == name]) for name in game.charts]
        shown |= {
            "standings": ("all", *STANDINGS),
            "charts": charts,
            "life": address(f"/rules/{key}/life.svg", {}),
        }
        return self._studio.pages.page(request, "game.html.j2", **shown)

    async def life(self, request: Request) -> Response:
        """Return a diagram of the life cycle of missions, found by following the game's rules."""
        key = self._game(request)
        parameters = Parameters(request.scope["query_string"])
        engagement = choose(parameters).engagement
        parameters.done()
        drawing = await self._studio.jobs.answer(
            "life_cycle", key, engagement, patience=LIMITS["job_seconds"].most
        )
        return Response(drawing, media_type="image/svg+xml")
