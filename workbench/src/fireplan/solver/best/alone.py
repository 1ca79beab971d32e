"""Upper bounds for several missions together: the sum of what each can achieve alone.

A game may supply, for each mission, a scenario with that mission only, in which it can achieve at
least as much as it can with the others (``Delays.alone``). Falls, moments with a fall and strikes
of all missions are then at most the sum of the maxima for each mission alone.

Strikes of several missions hit the same units, so their harm does not simply add up. Instead, each
strike has a price. A place yields at most the harm that strikes on it can do in any order, less
their prices, and each mission earns at most what it can earn in prices alone. For every choice of
prices, the sum of both is a bound.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from fractions import Fraction

from fireplan.solver.best.coarse.harm import HarmedUnits
from fireplan.solver.best.goals import Each, Expected, Goal, Harm, Struck
from fireplan.solver.best.induction import best
from fireplan.solver.best.joining import join
from fireplan.solver.best.process import Explored, Process, most_strikes
from fireplan.solver.best.strike_bounds import PlaceYields
from fireplan.solver.chain import strikes_by_scope
from fireplan.solver.places import StruckPlace, place_plan, updates_of, within_reach
from fireplan.solver.states import CLOCK, TooLargeError
from fireplan_core import Step
from fireplan_core.play import Scenario

PRICES = Fraction(0), *(Fraction(1, 2**n) for n in range(8, 0, -1)), Fraction(3, 4), Fraction(1)
"""The prices tried, each as a share of the most that a strike can do at once."""


def bound_alone(
    process: Process, goal: Goal, limited: Callable[[Process], Process]
) -> Fraction | None:
    """Return a value of the goal that no policy exceeds, or None if no such bound applies.

    ``limited`` returns a copy of a process with limits on its exploration. Raises ``TooLargeError``
    if a mission alone is too large, if it reads what strikes or only other missions write, or if
    nothing limits its harm.
    """
    if not isinstance(goal, Each | Struck | Harm) or goal.least:
        return None
    alone = missions_alone(process)
    if alone is None:
        return None
    chains = [limited(mission).mission_apart() for mission in alone]
    scopes = {scope for chain in chains for scope in strikes_by_scope(chain.emissions)}
    if any(within_reach(process.scenario, scopes, chain.chain.keys) for chain in chains):
        raise TooLargeError(
            "a mission reads the effects of strikes, so it cannot be solved without its targets"
        )
    _refuse_shared(chains)
    if isinstance(goal, Harm):
        return _harm(process, goal, chains)
    return _total(chains, goal)


def missions_alone(process: Process) -> list[Process] | None:
    """Return a process for each mission by itself, or None if the bound does not apply.

    It applies from the opening, with every order allowed, if there are several missions, all of the
    side that decides, and the game supplies a scenario for each mission alone (``Delays.alone``).
    """
    scenario = process.scenario
    if (
        len(scenario.missions) < 2  # noqa: PLR2004 - a single mission is always alone
        or not process.is_unrestricted
        or any(setup.side != process.open_decisions.side for setup in scenario.missions.values())
    ):
        return None
    setups = [scenario.parts.alone(scenario, mission) for mission in scenario.missions]
    alone = [setup for setup in setups if isinstance(setup, Scenario)]
    if len(alone) < len(setups):
        return None
    return [Process(setup, process.moments, process.open_decisions) for setup in alone]


def _refuse_shared(chains: Sequence[Explored]) -> None:
    """Raise ``TooLargeError`` if a mission reads a key that only other missions write."""
    written = [updates_of(chain.chain).keys() for chain in chains]
    everything = frozenset().union(*written)
    for chain, own in zip(chains, written, strict=True):
        if shared := sorted(everything.intersection(chain.chain.keys) - own):
            keys = ", ".join(shared)
            raise TooLargeError(f"a mission reads state that only other missions write: {keys}")


def _total(chains: Iterable[Explored], goal: Goal) -> Fraction:
    """Return the sum, over the chains, of the best value of the goal."""
    return sum(
        (best(join(chain, [goal], chain.process.moments)).values[0] for chain in chains),
        Fraction(0),
    )


def _harm(process: Process, goal: Harm, chains: Sequence[Explored]) -> Fraction:
    """Return the lowest bound on harm among those for each price in ``PRICES``.

    Raises ``TooLargeError`` if nothing limits how often fire falls, or if strikes affect other
    places.
    """
    most = most_strikes(process.scenario, process.moments)
    if most is None or not process.scenario.places_apart:
        raise TooLargeError(
            "harm has no bound, because nothing limits how often fire falls, or strikes affect other places"
        )
    strikes: dict[str, set[Step]] = {}
    for chain in chains:
        for scope, letters in strikes_by_scope(chain.emissions).items():
            strikes.setdefault(scope, set()).update(letters)
    updates: dict[str, set[Step]] = {}
    for chain in chains:
        for key, puts in updates_of(chain.chain).items():
            updates.setdefault(key, set()).update(puts)
    places = [_yields(process, goal, scope, strikes[scope], updates) for scope in sorted(strikes)]
    at_once = {letter: harm for place in places for letter, harm in place.at_once.items()}
    paid = _total(chains, Expected(goal.shares, goal.severity, at_once))
    return min(
        price * paid + sum((place.most(price, most) for place in places), Fraction(0))
        for price in PRICES
    )


def _yields(
    process: Process,
    goal: Harm,
    scope: str,
    strikes: Collection[Step],
    updates: Mapping[str, Collection[Step]],
) -> PlaceYields:
    """Return the most harm that strikes of all missions can do at a place, from each of its states.

    Missions may change what the strikes read, at any time, by any of their ``updates``, which are
    given by key. Raises ``TooLargeError`` if the strikes read the clock.
    """
    letters = {*strikes}
    while True:
        ordered = tuple(sorted(letters, key=repr))
        plan = place_plan(process.compiler, ordered, scope, None, None)
        leaves = plan.chain.explorer.steps.leaves if plan.chain.explorer else ()
        read = {key for leaf in leaves for key in process.compiler.keys(leaf.pending)}
        puts = {put for key in read for put in updates.get(key, ())}
        if puts <= letters:
            break
        letters |= puts
    if CLOCK in read:
        raise TooLargeError("strikes read the clock, so their effect depends on the moment")
    (automaton,) = StruckPlace(scope, ordered, plan).automata([HarmedUnits(goal.kind, goal)])
    return PlaceYields(goal, automaton)
