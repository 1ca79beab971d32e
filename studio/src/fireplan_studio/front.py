"""The front page: a film, and three links into the studio, each with a finished example.

The first game with a file ``data/front.toml`` gives the film and the examples. Their figures are
worked out by ``python -m fireplan_studio.front``, which writes them into that file.
"""

from fractions import Fraction
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import attrs
from starlette.requests import Request
from starlette.responses import Response

import fireplan as fp
from fireplan.analysis import DEFAULT, FIGURES, figures_of, find_engagement, in_short
from fireplan.analysis.phrasing import percent
from fireplan_core import numbers_of
from fireplan_core.files import parse_toml, write_toml
from fireplan_core.play import Catalogue
from fireplan_studio.addresses import Parameters, address
from fireplan_studio.pages import Studio
from fireplan_studio.question_pages import link_to
from fireplan_studio.refusals import RequestRefusedError
from fireplan_studio.work import Entrant

_PATIENCE = 0.3
"""Seconds that the page waits for its film and its example before it is shown without them.

Both are inserted once they are ready: neither a first visit nor a busy machine waits for them.
"""


@attrs.frozen
class GameExample:
    """A game's example on the front page: film, scenario and number, and sentences about them.

    The sentences ``play``, ``compare`` and ``change`` are worked out.
    """

    film: str
    scenario: str
    number: str
    value: int
    play: str = ""
    compare: str = ""
    compared: tuple[str, ...] = ()
    """The games that ``compare`` compares; if others are installed, it is worked out again."""
    change: str = ""
    position: str = ""
    """A position line in the middle of the scenario's mission, the example of the page Ask."""


@attrs.frozen
class Door:
    """A link from the front page into the studio, with a finished example."""

    word: str
    path: str
    about: str
    example: str = ""
    link: str = ""


def shipped_example(catalogue: Catalogue) -> tuple[str, Traversable, GameExample] | None:
    """Return (game, file, example) for the first game that ships an example, or None."""
    for key, installed in catalogue.games.items():
        file = files(getattr(installed.plugin, "__name__", __package__)) / "data" / "front.toml"
        if file.is_file():
            return key, file, parse_toml(file, what="example").read(GameExample)
    return None


def worked_out(key: str, example: GameExample) -> GameExample:
    """Return an example of a game with its three sentences filled in from computed figures."""
    scenario = f"{key}/{example.scenario}"
    odds = fp.odds(scenario).to_dict()["measures"]["on_target"]["value"]
    compared = fp.compare(games=example.compared or (key,)).comparison
    printed = compared.games[key]
    changed = fp.whatif(games=[key], set={f"{key}.{example.number}": example.value})[f"{key}*"]
    cell = numbers_of(Catalogue.installed()[key].game.charts)[example.number].cell
    before, after = (Fraction(figures_of(game)["on_target"] or 0) for game in (printed, changed))
    moved = f"{100 * float(abs(before - after)):.1f} points"
    return attrs.evolve(
        example,
        play=(
            f"{fp.load(scenario).session.scenario.title}: with the standard orders, fire for effect"
            f" lands on the target in {percent(Fraction(odds))} of all games."
        ),
        compare=next(iter(in_short(compared)), ""),
        change=(
            f"{printed.title}: {example.value} instead of {cell.value} {cell.summary}"
            f" ({cell.cite}) {'lowers' if after < before else 'raises'} the chance of fire on"
            f" the target by {moved}: {FIGURES['on_target'].compared(after, before)}."
        ),
    )


def doors(example: tuple[str, Traversable, GameExample] | None, compared: str) -> tuple[Door, ...]:
    """Return the front page's three links; ``compared`` is the sentence on the Compare link."""
    doors = (
        Door(
            "Play a mission",
            "/tables",
            "Give the orders and throw your own dice; the rules are applied for you.",
        ),
        Door(
            "Compare systems",
            "/compare",
            "Compare several games on one engagement, drawn to one scale.",
            compared,
            address("/compare", {}),
        ),
        Door(
            "Change a number",
            "/whatif",
            "Change a number of a game and see what difference it makes.",
        ),
    )
    if example is None:
        return doors
    key, _, shown = example
    odds = link_to("odds", (("scenario", f"{key}/{shown.scenario}"),))
    change = address("/whatif", {"game": key, "set": [f"{shown.number}={shown.value}"]})
    play, compare, number = doors
    return (
        attrs.evolve(play, example=shown.play, link=odds),
        compare,
        attrs.evolve(number, example=shown.change, link=change),
    )


class FrontPage:
    """The route ``/``."""

    def __init__(self, studio: Studio) -> None:
        self._studio = studio
        self._example = shipped_example(studio.catalogue)

    async def page(self, request: Request) -> Response:
        """Return the front page."""
        Parameters(request.scope["query_string"]).done()
        film: Any = ()
        watch = ""
        if self._example is not None:
            key, _, example = self._example
            watch = f"/ask/playthroughs/{key}/{example.film}"
            film = await self._ready("short_film", f"{key}/{example.film}") or ()
        return self._studio.pages.page(
            request,
            "front.html.j2",
            film=film,
            doors=doors(self._example, await self._compared()),
            watch=watch,
        )

    async def _ready(self, name: str, *arguments: Any) -> Any:
        """Return the answer of a ``work`` function, or None if it takes too long."""
        try:
            return await self._studio.jobs.answer(name, *arguments, patience=_PATIENCE)
        except RequestRefusedError as error:
            if error.calculation is None:
                raise
            return None

    async def _compared(self) -> str:
        """Return the first sentence on the comparison of all games, or "" if it takes too long.

        If the installed games are those of the shipped example, its sentence is used; otherwise the
        comparison is computed now.
        """
        if self._example is not None:
            _, _, example = self._example
            if sorted(example.compared) == sorted(self._studio.usual):
                return example.compare
        titles = self._studio.titles
        entrants = tuple(Entrant(key, key, titles[key]) for key in self._studio.usual)
        engagement = find_engagement(DEFAULT)
        comparison = await self._ready("compared", engagement, entrants)
        return next(iter(in_short(comparison)), "") if comparison else ""


if __name__ == "__main__":
    if (shipped := shipped_example(Catalogue.installed())) is not None:
        game, file, example = shipped
        Path(str(file)).write_text(write_toml(worked_out(game, example)), encoding="utf-8")
