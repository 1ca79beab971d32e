"""``fireplan duel``: both sides choose, and what one hides the other must guess."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from fireplan import api
from fireplan.cli import _options
from fireplan.cli._app import write
from fireplan.cli._options import ScenarioName, given_facts
from fireplan.cli.compare import tell


def duel(  # noqa: PLR0913 - what is weighed and how it is told
    scenario: ScenarioName = None,
    /,
    *,
    goal: Annotated[str | None, Parameter(name="--for")] = None,
    game: str | None = None,
    moments: int | None = None,
    side: str | None = None,
    only: list[str] | None = None,
    also: list[str] | None = None,
    world: list[str] | None = None,
    chosen_by: str | None = None,
    toll: list[str] | None = None,
    efg: Path | None = None,
    json: bool = False,
    facts: _options.Facts = None,
) -> None:
    """Solve a duel: bluffs and mixed orders of both sides, each knowing what it may see, with exact guarantees.

    One side wants the goal, the other that it comes to the worst. The answer is what each side should do, as a
    mixture in words, and how much anybody could gain by leaving it, as a fraction.

    :param goal: The goal, as of 'fireplan best'; where none is named, the game's usual one.
    :param game: Take an engagement with this game.
    :param moments: Look so many moments ahead instead of the scenario's own.
    :param side: The side that wants the goal; by default the firing side.
    :param only: Let only these orders be chosen: "QUESTION", or "QUESTION=ORDER, ORDER ...", of both sides, as of
        'fireplan best'. Without it every question of both sides is open. Any number of times.
    :param also: Weigh further values of a slot: "QUESTION.SLOT=VALUE". Any number of times.
    :param world: Play may begin like this: "WEIGHT WHAT IS SO", as a position line says it, such as
        '1/4 "barrage 1"{stage=ended reason=lost}'; a weight alone is the scenario as it is. Any number of times.
    :param chosen_by: This side chooses between the worlds in secret; they are then given without weights.
    :param toll: Let each event of a kind cost the side whose it is: "EVENT=FRACTION". Any number of times.
    :param efg: Also write the game tree into this file, for OpenSpiel and Gambit.
    :param json: Print JSON with exact rationals and every situation of both plans.
    """
    how: dict[str, Any] = {"game": game, "moments": moments, "side": side, "chosen_by": chosen_by, **given_facts(facts)}
    how |= {"only": only or (), "also": also or (), "world": world or (), "toll": toll or ()}
    found = api.duel(scenario, goal, **how)
    if efg is not None:
        write(efg, found.efg())
    tell(found, json=json)
