"""Best orders through the front door: a goal, and the orders that serve it best, exactly."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import attrs

from fireplan.api import _best_answer as answers
from fireplan.api import _open as opening
from fireplan.api._best_search import SearchRequest, open_decisions_of, search
from fireplan.api._errors import argument, gathered, outside, refuse, unknown
from fireplan.api._open import LONGEST
from fireplan.api._result import Block, Result, Text
from fireplan.api._sampling import Progress, silent
from fireplan.solver.best import MEASURES, Process
from fireplan_core.play import Catalogue

LONGEST_SEARCH = 86_400
"""Seconds that are spent at most."""


@attrs.frozen(eq=False, repr=False)
class BestResult(Result):
    """The best orders for a goal: a policy and a bound, what the standard doctrine lacks, and rules of thumb.

    ``found`` has the policy with its exact value, or a sampled one, and the bound. ``chosen`` says that the goal was
    left open, so that all goals are named too.
    """

    found: answers.SearchResult
    chosen: bool = False

    def blocks(self, width: int = 100) -> Iterator[Block]:  # noqa: ARG002
        """Yield the answer line by line."""
        found = self.found
        if self.chosen:
            goals = ", ".join(MEASURES)
            yield Text(f"No goal was named: {found.goal.name} is the usual one here. There are: {goals}.\n")
        said = answers.card_lines(found) if found.card is not None else answers.lines(found)
        yield from (Text(line, wrap=False) for line in said)

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as plain data; rationals are text, and every situation of the policy is there."""
        return answers.as_data(self.found)

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each situation of the policy."""
        rows: list[dict[str, Any]] = self.to_dict()["policy"]
        return rows

    def svg(self) -> str:
        """Return the frontier of two goals; raises ``InputError`` where only one was named."""
        found = self.found
        if found.second is None:
            return super().svg()
        return answers.frontier_svg([reached for reached, _ in found.points], found.goal.title, found.second.title)


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
    installed = catalogue or opening.catalogue_for(scenario, game)
    faults = [fault for name in (goal, frontier) if name and name not in MEASURES
              for fault in unknown("measure", name, MEASURES).faults]  # fmt: skip
    if frontier is not None and frontier == goal:
        faults.append(f"{argument('frontier')}: name another measure than the goal.")
    faults += outside("moments", moments, 1, LONGEST) + outside("seconds", seconds, 1, LONGEST_SEARCH)
    table: Any = gathered(faults, opening.opened, installed, scenario, game, (), None, facts)
    if table is None:  # what may be chosen between is known of a table alone
        refuse(faults)
    head, staged, own = table
    wanted = goal or installed[head.game].game.goal
    request = SearchRequest(side, tuple(only), tuple(also), tuple(belief), seconds, card)
    open_decisions = open_decisions_of(staged, request, faults)
    refuse(faults)
    goals = [MEASURES[name] for name in (wanted, frontier) if name]
    found = search(Process(staged, moments or own, open_decisions), goals, request, progress)
    return BestResult(found, goal is None)
