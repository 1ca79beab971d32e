"""The command ``best`` and its arguments."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter


def best(  # noqa: PLR0913 - what is weighed and how it is told
    scenario: str | None = None,
    /,
    *,
    for_: Annotated[str | None, Parameter(name="--for")] = None,
    game: str | None = None,
    moments: int | None = None,
    side: str | None = None,
    only: Annotated[list[str] | None, Parameter(negative="")] = None,
    also: Annotated[list[str] | None, Parameter(negative="")] = None,
    belief: Annotated[list[str] | None, Parameter(negative="")] = None,
    frontier: str | None = None,
    picture: Path | None = None,
    whole: Annotated[bool, Parameter(negative="")] = False,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> None:
    """Find the best orders for a goal, exactly: the optimum, what the standard doctrine lacks, and rules of thumb.

    Where all questions together are too large, as many are opened as can be weighed together, in the order in which
    the game declares them; the answer says which, and what was left to the standard doctrine. Where even the standard
    doctrine is too large, single changes of it are tried and sampled: an improvement with its standard error, no
    optimum.

    Parameters
    ----------
    scenario
        A shipped scenario (game/name) or a scenario file; with --game an engagement, woods by default.
    for_
        The goal: delivered, on_target, hit, falls, moments_under_fire, strikes, minutes_to_first_effect, suppressed,
        reduced, destroyed, own_troops_under_fire or exhausted. Of minutes and of the last two, less is better.
    game
        Take an engagement with this game.
    moments
        Look so many moments ahead instead of the scenario's own.
    side
        Whose orders are sought; by default the firing side's.
    only
        Weigh only these orders: "QUESTION", or "QUESTION=ORDER, ORDER ..." with an ORDER as VERB or VERB SLOT=VALUE
        (VERB * is any; VALUE target is where fire is wanted). Questions that are not named keep their standard
        answer, which is always weighed too. Without it every question of the side is open. Any number of times.
    also
        Weigh further values of a slot: "QUESTION.SLOT=VALUE"; NAME:NUMBER+NAME:NUMBER is a list of pairs. Any number
        of times.
    belief
        How others answer a question: "QUESTION=WEIGHT ORDER, WEIGHT ORDER ...", anew each time it is asked. Any
        number of times.
    frontier
        A second goal: print every best exchange of the first for the second.
    picture
        With --frontier: also draw it into this SVG file.
    whole
        Weigh every question of the side, or refuse: nothing is narrowed. Nor is it with --only or --also.
    json
        Print JSON with exact rationals and every situation of the policy.
    """
    from fireplan.cli._best import Sought, run_best

    sought = Sought(
        for_, frontier, moments, side, tuple(only or ()), tuple(also or ()), tuple(belief or ()), picture, json, whole
    )
    run_best(scenario, game, sought)
