"""The front page: a film that plays, and three doors with an example each.

The figures of the examples are worked out by ``python -m fireplan_studio.front``, which writes them
to ``front.json``.
"""

import json
from fractions import Fraction
from importlib.resources import files
from pathlib import Path
from typing import Any

import attrs
from starlette.requests import Request
from starlette.responses import Response

import fireplan as fp
from fireplan.analysis import figures_of, in_short
from fireplan.analysis.phrasing import percent
from fireplan_core import numbers_of
from fireplan_core.play import Catalogue
from fireplan_studio.addresses import Parameters, address
from fireplan_studio.pages import Studio
from fireplan_studio.question_pages import link_to

FILM = "asl/first_mission"
"""The playthrough whose film plays."""
SCENARIO, GAME, NUMBER, STEP = "asl/village", "asl", "red_chits_to_lose_access", "1"
"""The scenario of the first example; the game, number and value of the third."""
_FILE = "front.json"


@attrs.frozen
class Door:
    """A way into the studio, and a finished example behind it."""

    word: str
    path: str
    about: str
    example: str
    link: str


def worked_out() -> dict[str, str]:
    """Return the sentence of each example, by the name of its door."""
    odds = fp.odds(SCENARIO).to_dict()["measures"]["on_target"]["value"]
    printed = fp.compare(games=[GAME])
    changed = fp.whatif(games=[GAME], set={f"{GAME}.{NUMBER}": int(STEP)})
    cell = numbers_of(Catalogue.installed()[GAME].game.charts)[NUMBER].cell
    before, after = (
        Fraction(figures_of(game)["on_target"] or 0)
        for game in (printed.comparison.games[GAME], changed[f"{GAME}*"])
    )
    title = printed.comparison.games[GAME].title
    points = f"{100 * float(before - after):.1f} points"
    return {
        "play": (
            f"{fp.load(SCENARIO).session.scenario.title}: with the standard orders, fire for"
            f" effect lands on the target in {percent(Fraction(odds))} of all games."
        ),
        "compare": in_short(fp.compare().comparison)[0],
        "change": (
            f"{title}: {STEP} instead of {cell.value} {cell.summary} ({cell.cite}) costs"
            f" {points} of fire on the target: {percent(after)} instead of {percent(before)}."
        ),
    }


def doors() -> tuple[Door, ...]:
    """Return the three doors with their stored examples."""
    text = files("fireplan_studio").joinpath(_FILE).read_text(encoding="utf-8")
    examples: dict[str, str] = json.loads(text)
    changed = address("/whatif", {"game": GAME, "set": [f"{NUMBER}={STEP}"]})
    return (
        Door(
            "Play a mission",
            "/tables",
            "Give the orders, throw your own dice, and have every rule kept.",
            examples["play"],
            link_to("odds", (("scenario", SCENARIO),)),
        ),
        Door(
            "Compare systems",
            "/compare",
            "Put one engagement to several games, on one scale.",
            examples["compare"],
            address("/compare", {}),
        ),
        Door(
            "Change a number",
            "/whatif",
            "Move a number of a game and see what it is worth.",
            examples["change"],
            changed,
        ),
    )


class FrontPage:
    """The route ``/``."""

    def __init__(self, studio: Studio) -> None:
        self._studio = studio

    async def page(self, request: Request) -> Response:
        """Return the front page."""
        Parameters(request.scope["query_string"]).done()
        film: Any = await self._studio.jobs.answer("short_film", FILM)
        game, name = FILM.split("/")
        watch = f"/ask/playthroughs/{game}/{name}"
        return self._studio.pages.page(
            request, "front.html.j2", film=film, doors=doors(), watch=watch
        )


if __name__ == "__main__":
    Path(str(files("fireplan_studio").joinpath(_FILE))).write_text(
        json.dumps(worked_out(), indent=2, ensure_ascii=False) + "\n", encoding="utf-8"
    )
