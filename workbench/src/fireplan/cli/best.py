"""``fireplan best``: the best orders for a goal."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from fireplan.cli._app import gathered, outside, refuse, unknown, unwritable, write
from fireplan.cli._open import LONGEST, catalogue_for, opened
from fireplan.cli._options import ScenarioName
from fireplan.cli._print import say_json, say_line

if TYPE_CHECKING:
    from fireplan.cli._best_search import SearchRequest
    from fireplan.solver.best import Measured


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
) -> None:
    """Find the best orders for a goal, exactly: the optimum, what the standard doctrine lacks, and rules of thumb.

    Where all questions together are too large, as many are opened as can be weighed together, in the order in which
    the game declares them; the answer says which, and what was left to the standard doctrine. Where even the standard
    doctrine is too large, single changes of it are tried and sampled: an improvement with its standard error, no
    optimum.

    :param goal: The goal: delivered, on_target, hit, falls, moments_under_fire, strikes, minutes_to_first_effect,
        suppressed, reduced, destroyed, own_troops_under_fire or exhausted. Of minutes and of the last two, less is
        better.
    :param game: Take an engagement with this game.
    :param moments: Look so many moments ahead instead of the scenario's own.
    :param side: Whose orders are sought; by default the firing side's.
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
    from fireplan.cli._best_search import SearchRequest

    weighed, more, believed = (tuple(texts or ()) for texts in (only, also, belief))
    request = SearchRequest(scenario, game, goal, frontier, moments, side, weighed, more, believed, whole)
    _answer(request, picture, as_json=json)


def _answer(request: SearchRequest, picture: Path | None, *, as_json: bool) -> None:
    """Find the optimum and print it; raise ``BadInputError`` with every fault of what is asked."""
    from fireplan.cli import _best_answer as answers
    from fireplan.cli._best_search import open_decisions_of, search
    from fireplan.solver.best import Process

    installed = catalogue_for(request.name, request.game)
    wanted, faults = _goals(request)
    if picture is not None and request.second is None:
        faults.append("--picture draws a frontier: add --frontier MEASURE.")
    if request.second is not None and request.second == request.goal:
        faults.append("--frontier: name another measure than --for.")
    faults += outside("--moments", request.moments, 1, LONGEST) + unwritable(picture)
    table = gathered(faults, opened, installed, request.name, request.game)
    if table is not None:
        _, scenario, own = table
        open_decisions = open_decisions_of(scenario, request, faults)
    refuse(faults)
    found = search(Process(scenario, request.moments or own, open_decisions), wanted, request)
    if isinstance(found, answers.TrialResult):
        told = answers.trial_data(found) if as_json else answers.trial_lines(found)
    else:
        if picture is not None:
            across, up = wanted
            write(picture, answers.frontier_svg(answers.corners(found), across.title, up.title))
        told = answers.as_data(found) if as_json else answers.lines(found)
    if isinstance(told, dict):
        say_json(told)
        return
    say_line("\n".join(told))
    if picture is not None and isinstance(found, answers.SearchResult):
        say_line(f"Picture: {picture}")


def _goals(request: SearchRequest) -> tuple[list[Measured], list[str]]:
    """Return the measures that are asked for, and what is wrong with their names."""
    from fireplan.solver.best import MEASURES

    named = [name for name in (request.goal, request.second) if name is not None]
    faults = [str(unknown("measure", name, list(MEASURES))) for name in named if name not in MEASURES]
    if request.goal is None:
        faults.append(f"Say what for: --for MEASURE. There are: {', '.join(MEASURES)}.")
    return [MEASURES[name] for name in named if name in MEASURES], faults
