"""``fireplan best``: the best orders for a goal."""

from __future__ import annotations

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
    seconds: int | None = None,
    card: bool = False,
    json: bool = False,
    facts: _options.Facts = None,
) -> None:
    """Find the best orders for a goal: a policy, how far it is from the best at most, and rules of thumb.

    The answer says first how near the best it is. Where the whole question can be solved, it is the best. Else keys of
    the state are released one after another, so that the side finds there what suits it, until what is left can be
    solved: no policy is better than that, and its orders followed by the real rules are the policy. Where even the
    standard doctrine is too large, single changes of it are sampled, and say so; the bound holds all the same. Ctrl-C
    ends the search with the best so far.

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
    :param seconds: Search for about so long, instead of as far as the limits of states and rule runs allow.
    :param card: Print a card of at most eight lines to be followed at the table, and what following it loses.
    :param json: Print JSON with exact rationals and every situation of the policy.
    """
    faults = [fault] if (fault := unwritable(picture)) else []
    if picture is not None and frontier is None:
        faults.append("--picture draws a frontier: add --frontier MEASURE.")
    how: dict[str, Any] = {"game": game, "moments": moments, "side": side, "frontier": frontier}
    how |= {"seconds": seconds, "card": card}
    how |= {"only": only or (), "also": also or (), "belief": belief or (), **given_facts(facts)}
    with Bar() as bar, besides(faults):
        installed = catalogue_for(scenario, game)
        found = api.best(scenario, goal, catalogue=installed, progress=bar.step_of, **how)
    tell(found, json=json, picture=picture)
