"""``fireplan best``: the best orders for a goal."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from fireplan import api
from fireplan.api import besides, unwritable
from fireplan.cli import _options
from fireplan.cli._open import catalogue_for
from fireplan.cli._options import ScenarioName, given_facts
from fireplan.cli._print import Bar
from fireplan.cli.compare import tell


def best(  # noqa: PLR0913 - what is weighed and how it is told
    scenario: ScenarioName = None,
    /,
    *,
    goal: Annotated[str | None, Parameter(name="--for")] = None,
    game: str | None = None,
    moments: int | None = None,
    side: str | None = None,
    only: list[str] | None = None,
    also: list[str] | None = None,
    belief: list[str] | None = None,
    frontier: str | None = None,
    picture: Path | None = None,
    whole: bool = False,
    json: bool = False,
    facts: _options.Facts = None,
) -> None:
    """Find the best orders for a goal, exactly: the optimum, what the standard doctrine lacks, and rules of thumb.

    Where all questions together are too large, as many are opened as can be weighed together, in the order in which
    the game declares them; the answer says which, and what was left to the standard doctrine. Where even the standard
    doctrine is too large, single changes of it are tried and sampled: an improvement with its standard error, no
    optimum.

    :param goal: The goal; where none is named, the game's usual one. There are: delivered, on_target, hit, falls,
        moments_under_fire, strikes, minutes_to_first_effect, suppressed, reduced, destroyed, own_troops_under_fire,
        exhausted. Of minutes and of the last two, less is better.
    :param game: Take an engagement with this game.
    :param moments: Look so many moments ahead instead of the scenario's own.
    :param side: Whose orders are sought; by default the firing side's. A side without artillery wants the other one's
        fire to come to as little as it can.
    :param only: Weigh only these orders: "QUESTION", or "QUESTION=ORDER, ORDER ..." with an ORDER as VERB or VERB
        SLOT=VALUE (VERB * is any; VALUE target is where fire is wanted). Questions that are not named keep their
        standard answer, which is always weighed too. Without it every question of the side is open. Any number of
        times.
    :param also: Weigh further values of a slot: "QUESTION.SLOT=VALUE"; NAME:NUMBER+NAME:NUMBER is a list of pairs. Any
        number of times.
    :param belief: How others answer a question: "QUESTION=WEIGHT ORDER, WEIGHT ORDER ...", anew each time it is asked.
        Any number of times.
    :param frontier: A second goal: print every best exchange of the first for the second.
    :param picture: With --frontier: also draw it into this SVG file.
    :param whole: Weigh every question of the side, or refuse: nothing is narrowed. Nor is it with --only or --also.
    :param json: Print JSON with exact rationals and every situation of the policy.
    """
    faults = [fault] if (fault := unwritable(picture)) else []
    if picture is not None and frontier is None:
        faults.append("--picture draws a frontier: add --frontier MEASURE.")
    how: dict[str, Any] = {"game": game, "moments": moments, "side": side, "frontier": frontier, "whole": whole}
    how |= {"only": only or (), "also": also or (), "belief": belief or (), **given_facts(facts)}
    with Bar() as bar, besides(faults):
        installed = catalogue_for(scenario, game)
        found = api.best(scenario, goal, catalogue=installed, progress=bar.step_of, **how)
    exact = not isinstance(found.found, api.TrialResult)
    if found.too_large:
        sys.stderr.write(f"This is too large to be weighed whole ({found.too_large}).\n")
    tell(found, json=json, picture=picture if exact else None)
