"""Best orders through the front door: a goal, and the orders that serve it best, exactly."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from fireplan.api._best_search import BestResult, SearchRequest
from fireplan.api._errors import gathered, refuse
from fireplan.api._position import opens
from fireplan.api._sampling import Progress, silent
from fireplan_core.play import Catalogue


def best(  # noqa: PLR0913 - what is weighed
    scenario: str | None = None,
    goal: str | None = None,
    *,
    game: str | None = None,
    moments: int | None = None,
    side: str | None = None,
    only: Iterable[str] = (),
    also: Iterable[str] = (),
    belief: Iterable[str] = (),
    frontier: str | None = None,
    seconds: int | None = None,
    card: bool = False,
    catalogue: Catalogue | None = None,
    progress: Progress = silent,
    **facts: Any,
) -> BestResult:
    """Find the best orders for a goal: a policy, how far it is from the best at most, and rules of thumb.

    The answer says first how near the best it is. Where the whole question can be solved, it is the best. Else keys of
    the state are released one after another, so that the side finds there what suits it, until what is left can be
    solved: no policy is better than that, and its orders followed by the real rules are the policy. Where even the
    standard doctrine is too large, single changes of it are sampled, and say so; the bound holds all the same. Ctrl-C
    ends the search with the best so far.

    :param goal: The goal; where none is named, the game's usual one. There are: delivered, on_target, hit, falls,
        moments_under_fire, strikes, minutes_to_first_effect, suppressed, reduced, destroyed, own_troops_under_fire,
        exhausted. Of minutes and of the last two, less is better.
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
    :param seconds: Search for about so long, instead of as far as the limits of states and rule runs allow.
    :param card: Print a card of at most eight lines to be followed at the table, and what following it loses.
    :raises InputError: With everything that is wrong.
    """
    asked: dict[str, Any] = {"frontier": frontier, "moments": moments, "side": side, "seconds": seconds, "card": card}
    asked |= {"only": only, "also": also, "belief": belief}
    faults = SearchRequest(goal, **asked).faults()
    at: Any = gathered(faults, opens, scenario, game, facts, catalogue)
    if at is None:  # what may be chosen between is known of a table alone
        refuse(faults)
    return at.best(goal, progress=progress, **asked)  # type: ignore[no-any-return]
