"""Merging, dropping and counting states leaves every chance of any small chain unchanged.

Checked in fractions, path by path.
"""

from __future__ import annotations

from fractions import Fraction

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiers import one_in

from fireplan.solver import (
    Analysis,
    Ever,
    FirstFall,
    PreparedChain,
    WorstSeverity,
    factors,
    solve,
)
from fireplan.solver.chain import NOTHING, Chain
from fireplan.solver.explore import Explorer
from fireplan.solver.lump import layers_of, lumped
from fireplan.solver.passes import Reader, passes
from fireplan.solver.solving import focus, solve_each
from fireplan_core import Event, Step
from fireplan_core.play import Catalogue, load_scenario, shipped_scenarios

TOP = Step("core.moment")
WORDS = tuple(
    tuple(Event(kind, "", (("n", n),)) for kind, n in word)
    for word in (
        (),
        (("seen", 1),),
        (("seen", 2),),
        (("lost", 1),),
        (("other", 1),),
        (("seen", 1), ("seen", 2)),
        (("lost", 1), ("other", 1), ("seen", 2), ("seen", 1)),
    )
)
"""Events that may be recorded along a path."""


@attrs.frozen
class Counted:
    """A measure of how often an event was seen, up to three; it waits for no particular event."""

    field: int = 1
    kinds: frozenset[str] = frozenset({"seen"})
    initial: int = 0

    def see(self, state, letter, moment):
        """Return the count after an event; from moment 3 on each event counts twice."""
        return min(3, state + (letter["n"] == self.field) * (1 + (moment > 2)))

    def settled(self, state):
        """Return whether the count is three."""
        return state == 3


@attrs.frozen
class EverAtAll:
    """``Ever`` of kind seen, value 2, without telling the solver which event it waits for."""

    kinds: frozenset[str] = frozenset({"seen", "lost"})
    initial: bool = False

    def see(self, state, letter, moment):
        """Return True from the first event on."""
        return state or (letter.kind == "seen" and letter["n"] == 2)

    def settled(self, state):
        """Return whether the event has been seen."""
        return state


@attrs.frozen
class First:
    """A measure of the first event and its moment; it waits for any event."""

    kinds: frozenset[str] = frozenset({"seen"})
    initial: None = None

    def see(self, state, letter, moment):
        """Return the first event and its moment."""
        return state or (letter["n"], moment)

    def settled(self, state):
        """Return whether an event was seen."""
        return state is not None

    def awaits(self, letter):
        """Return True: any event settles it."""
        return True


SEEN_TWO = Ever("seen", "n", (2,))
MEASURES = (
    First(),
    Counted(),
    Counted(2),
    SEEN_TWO,
    EverAtAll(),
    Ever("lost", "n", (1,)),
    Ever("seen", "n", (7,)),
)


@st.composite
def links_of(draw):
    """Return the transitions of a small chain; within a moment they lead only to nodes with higher
    numbers.
    """
    size = draw(st.integers(2, 7))
    links = []
    for node in range(size):
        ways = []
        for _ in range(draw(st.integers(1, 3))):
            ends = node == size - 1 or draw(st.booleans())
            target = (
                draw(st.integers(0, size - 1)) if ends else draw(st.integers(node + 1, size - 1))
            )
            ways.append(
                (target, draw(st.integers(1, 3)), draw(st.integers(0, len(WORDS) - 1)), ends)
            )
        links.append(ways)
    return links


def chain_of(links, **bounds):
    """Return a chain with these transitions."""
    emissions = [word or NOTHING for word in WORDS]
    totals = [sum(weight for _, weight, _, _ in ways) for ways in links]
    return Chain((), [TOP] * len(links), totals, links, emissions, **bounds)


def bounded(links, moments):
    """Return the chain explored for this many moments; nodes first reached later get one
    transition, to themselves.
    """
    depths = [moments] * len(links)
    now = {0}
    for moment in range(moments):
        todo, now = [node for node in now if depths[node] == moments], set()
        while todo:
            node = todo.pop()
            depths[node] = moment
            todo += [
                target
                for target, _, _, ends in links[node]
                if not ends and depths[target] == moments
            ]
            now |= {target for target, _, _, ends in links[node] if ends}
    kept = [
        links[node] if depth < moments else [(node, 1, 0, True)]
        for node, depth in enumerate(depths)
    ]
    return chain_of(kept, horizon=moments, depths=depths)


def timed(links, moments):
    """Return the same chain with a node for every node and moment."""
    size = len(links)
    depths = [moment for moment in range(moments + 1) for _ in range(size)]
    whole = []
    for moment in range(moments + 1):
        for node, ways in enumerate(links):
            here = [
                (target + size * (moment + ends), weight, told, ends)
                for target, weight, told, ends in ways
            ]
            whole.append(here if moment < moments else [(node + size * moment, 1, 0, True)])
    return chain_of(whole, horizon=moments, depths=depths, timed=True)


def by_hand(links, measure, moments):
    """Return the shares of a measure's states, following every path in fractions."""
    mass = {(0, measure.initial): Fraction(1)}
    for moment in range(moments):
        following = {}
        for node in range(len(links)):
            for state in [s for n, s in mass if n == node]:
                share = mass.pop((node, state))
                total = sum(weight for _, weight, _, _ in links[node])
                for target, weight, told, ends in links[node]:
                    after = state
                    for letter in WORDS[told]:
                        if letter.kind in measure.kinds and not measure.settled(after):
                            after = measure.see(after, letter, moment)
                    into = following if ends else mass
                    into[target, after] = into.get((target, after), 0) + share * Fraction(
                        weight, total
                    )
        mass = following
    shares = {}
    for (_, state), share in mass.items():
        shares[state] = shares.get(state, 0) + share
    return shares


@given(links_of(), st.integers(1, 6))
def test_every_measure_has_the_shares_of_the_chain_itself(links, moments):
    for chain in (chain_of(links), bounded(links, moments), timed(links, moments)):
        ready = PreparedChain(chain)
        for measure in MEASURES:
            assert dict(solve(ready, measure, moments).shares) == by_hand(
                links, measure, moments
            ), measure
        assert solve(ready, SEEN_TWO, moments) == solve(ready, EverAtAll(), moments)


@settings(max_examples=20)
@given(links_of(), st.integers(factors.LONG, factors.LONG + 20))
@pytest.mark.full
def test_a_long_run_of_reduced_moments_has_the_chains_own_shares(links, moments):
    for chain in (chain_of(links), bounded(links, moments), timed(links, moments)):
        ready = PreparedChain(chain)
        for measure in MEASURES:
            assert dict(solve(ready, measure, moments).shares) == by_hand(
                links, measure, moments
            ), measure
        *_, last = solve_each(ready, MEASURES[0], moments)
        assert last == solve(ready, MEASURES[0], moments)


def test_the_denominator_grows_only_with_dice_that_do_not_cancel():
    """In each moment there are 36 outcomes.

    One roll has 10 ** 6 faces, and both its results lead to the same node.
    """
    links = [
        [(1, 1, 0, True), (0, 35, 1, True)],
        [(2, 10**6 - 7, 0, False), (2, 7, 0, False)],
        [(2, 1, 0, True)],
    ]
    moments = 100
    (seen,) = focus(PreparedChain(chain_of(links)), [Counted()], moments)
    *_, after = passes(seen, Reader(Counted()))
    assert after.denominator <= 36**moments
    catalogue = Catalogue.installed(only=("asl",))
    scenario = load_scenario(catalogue, shipped_scenarios(catalogue)["asl/village"])[0]
    seen, reader = Analysis(scenario, 120).focused(FirstFall())
    *_, after = passes(seen, reader)
    # Taking all paths through a moment at once would need 29 bits a moment.
    assert after.denominator.bit_length() < 15 * 120


@pytest.mark.full
@given(links_of(), st.integers(1, 6))
def test_measures_solved_together_equal_those_solved_alone(links, moments):
    for chain in (bounded(links, moments), timed(links, moments)):
        for measure, seen in zip(
            MEASURES, focus(PreparedChain(chain), MEASURES, moments), strict=True
        ):
            *_, after = passes(seen, Reader(measure))
            assert dict(after().shares) == by_hand(links, measure, moments)


def test_an_event_that_cannot_happen_leaves_one_state():
    links = [[(1, 1, 0, False), (0, 1, 1, True)], [(0, 2, 2, True), (1, 1, 0, True)]]
    (seen,) = focus(PreparedChain(chain_of(links)), [Ever("seen", "n", (7,))], 4)
    assert [len(layer.order) for layer in seen.layers] == [1] * 4


def test_states_after_the_awaited_event_are_dropped():
    # The first event is followed by a long tail of states, which one more state would split.
    tail = [[(node + 1, 1, 3, True), (node + 2, 2, 1, True)] for node in range(1, 9)] + [
        [(9, 1, 0, True)]
    ] * 2
    (seen,) = focus(
        PreparedChain(chain_of([[(1, 1, 2, True), (0, 1, 0, True)], *tail])), [SEEN_TWO], 8
    )
    assert len(seen.layers[0].order) == 1


def test_states_with_proportional_weights_are_merged():
    # Weights 1 and 1, or 1, 1 and 2, give the same shares.
    links = [[(1, 1, 0, True), (2, 1, 1, True)], [(0, 1, 1, True), (3, 1, 2, True)]]
    links += [[(0, 2, 1, True), (3, 1, 2, True), (3, 1, 2, True)], [(3, 1, 0, True)]]
    (seen,) = focus(PreparedChain(chain_of(links)), [Counted()], 5)
    assert len(seen.layers[0].order) == 3


def test_merged_open_weights_stay_sets():
    links = [[(1, 1, 0, True), (2, 2, 0, True), (3, 4, 0, True), (4, 8, 0, True)]]
    links += [[(node, 1, 1 + node // 3, True)] for node in (1, 2, 3, 4)]
    order = range(4, -1, -1)
    layers = layers_of(chain_of(links), links, order, 3, {0: 1})
    (seen,) = lumped(layers, [lambda told: told or None])
    assert list(seen.open) == [seen.start]
    assert sorted(weight for _, weight, _, _ in seen.layers[0].links[seen.start]) == [
        0b0011,
        0b1100,
    ]


def test_values_merged_too_early_are_separated_again(monkeypatch):
    catalogue = Catalogue.installed()
    scenario = load_scenario(catalogue, shipped_scenarios(catalogue)["asl/village"])[0]
    plain = Analysis(scenario, 5)
    expected = plain.solve(FirstFall()), plain.severity()
    tried = []
    explore = Explorer.explore
    monkeypatch.setattr(
        Explorer, "explore", lambda self: tried.append(self.packing.groups) or explore(self)
    )
    monkeypatch.setattr("fireplan.solver.explore.FIRST_LOOK", 20)
    monkeypatch.setattr("fireplan.solver.explore.WORTH_IT", 1.1)
    early = Analysis(scenario, 5)
    assert (early.solve(FirstFall()), early.severity()) == expected
    guesses = [groups["missions/a/impact"] for groups in tried if "missions/a/impact" in groups]
    assert guesses[0] != guesses[-1]
    assert early.states < plain.states


@pytest.mark.parametrize(
    "name", one_in(3, ["asl/village", "asl/set_piece", "wacht_am_rhein/crossroads"])
)
def test_counted_strikes_have_the_effect_of_successive_ones(name):
    catalogue = Catalogue.installed()
    analysis = Analysis(load_scenario(catalogue, shipped_scenarios(catalogue)[name])[0], 6)
    close = Analysis(analysis.scenario, 6, exact=False)
    for measure in map(WorstSeverity, analysis.scenario.targets):
        *_, after = passes(*analysis.focused(measure))
        assert analysis.solve(measure).shares == after().shares
        rounded = close.solve(measure).shares
        assert all(
            abs(rounded[s] - share) < Fraction(1, 10**9) for s, share in after().shares.items()
        )


def test_only_the_first_fall_decides_the_time_of_first_fire():
    catalogue = Catalogue.installed()
    scenario = load_scenario(catalogue, shipped_scenarios(catalogue)["asl/village"])[0]
    first = Analysis(scenario, 6).solve(FirstFall())
    ever = Analysis(scenario, 6).solve(Ever("fall", "on_target", (True, False)))
    assert first.shares[None] == ever.shares[False]
