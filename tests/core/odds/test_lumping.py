"""Any small chain: what is made one, left out or counted changes no chance. Checked by fractions, way by way."""

from __future__ import annotations

import sys
from fractions import Fraction
from pathlib import Path

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fireplan.mission import Event, Step
from fireplan.odds import Analysis, Ever, FirstFall, plan, solve
from fireplan.odds._chain import NOTHING, Chain
from fireplan.odds._passes import Reader, passes
from fireplan.odds._solve import focus
from fireplan.table import Catalogue, load_scenario, shipped_scenarios

sys.path.insert(0, str(Path(__file__).parents[2] / "games"))

TOP = Step("core.moment")
LETTERS = (None, ("seen", 1), ("seen", 2), ("lost", 1), ("other", 1))


@attrs.frozen
class Counted:
    """How often an event was seen, up to three; never waits for one letter."""

    field: int = 1
    kinds: frozenset[str] = frozenset({"seen"})
    scope: str = ""
    initial: int = 0

    def see(self, state, letter, moment):
        """One more; the second event of a late moment counts twice."""
        return min(3, state + (letter["n"] == self.field) * (1 + (moment > 2)))

    def settled(self, state):
        """Three is enough."""
        return state == 3


@attrs.frozen
class EverAtAll:
    """The same as ``Ever`` of kind seen, value 2, for a solver that does not know what it waits for."""

    kinds: frozenset[str] = frozenset({"seen", "lost"})
    scope: str = ""
    initial: bool = False

    def see(self, state, letter, moment):
        """True from the first one on."""
        return state or (letter.kind == "seen" and letter["n"] == 2)

    def settled(self, state):
        """Once it has happened."""
        return state


SEEN_TWO = Ever("seen", "n", (2,))
MEASURES = (Counted(), Counted(2), SEEN_TWO, EverAtAll(), Ever("lost", "n", (1,)), Ever("seen", "n", (7,)))


@st.composite
def links_of(draw):
    """The ways of a small chain: within a moment to nodes of higher number alone."""
    size = draw(st.integers(2, 7))
    links = []
    for node in range(size):
        ways = []
        for _ in range(draw(st.integers(1, 3))):
            ends = node == size - 1 or draw(st.booleans())
            target = draw(st.integers(0, size - 1)) if ends else draw(st.integers(node + 1, size - 1))
            ways.append((target, draw(st.integers(1, 3)), draw(st.integers(0, len(LETTERS) - 1)), ends))
        links.append(ways)
    return links


def chain_of(links, **bounds):
    """A chain of these ways."""
    tolds = [NOTHING if letter is None else ((Event(letter[0], "", (("n", letter[1]),)),), ()) for letter in LETTERS]
    totals = [sum(weight for _, weight, _, _ in ways) for ways in links]
    return Chain((), [TOP] * len(links), totals, links, tolds, **bounds)


def bounded(links, moments):
    """The same explored for so many moments: what is first reached afterwards has a way to itself."""
    depths = [moments] * len(links)
    now = {0}
    for moment in range(moments):
        todo, now = [node for node in now if depths[node] == moments], set()
        while todo:
            node = todo.pop()
            depths[node] = moment
            todo += [target for target, _, _, ends in links[node] if not ends and depths[target] == moments]
            now |= {target for target, _, _, ends in links[node] if ends}
    kept = [links[node] if depth < moments else [(node, 1, 0, True)] for node, depth in enumerate(depths)]
    return chain_of(kept, horizon=moments, depths=depths)


def timed(links, moments):
    """The same with a node for every node and moment."""
    size = len(links)
    depths = [moment for moment in range(moments + 1) for _ in range(size)]
    whole = []
    for moment in range(moments + 1):
        for node, ways in enumerate(links):
            here = [(target + size * (moment + ends), weight, told, ends) for target, weight, told, ends in ways]
            whole.append(here if moment < moments else [(node + size * moment, 1, 0, True)])
    return chain_of(whole, horizon=moments, depths=depths, timed=True)


def by_hand(links, measure, moments):
    """The shares of a measure's states, every way followed in fractions."""
    mass = {(0, measure.initial): Fraction(1)}
    for moment in range(moments):
        following = {}
        for node in range(len(links)):
            for state in [s for n, s in mass if n == node]:
                share = mass.pop((node, state))
                total = sum(weight for _, weight, _, _ in links[node])
                for target, weight, told, ends in links[node]:
                    after = state
                    letter = LETTERS[told]
                    if letter is not None and letter[0] in measure.kinds and not measure.settled(state):
                        after = measure.see(state, Event(letter[0], "", (("n", letter[1]),)), moment)
                    into = following if ends else mass
                    into[target, after] = into.get((target, after), 0) + share * Fraction(weight, total)
        mass = following
    shares = {}
    for (_, state), share in mass.items():
        shares[state] = shares.get(state, 0) + share
    return shares


@given(links_of(), st.integers(1, 6))
def test_every_measure_has_the_shares_of_the_chain_itself(links, moments):
    for chain in (chain_of(links), bounded(links, moments), timed(links, moments)):
        ready = plan(chain)
        for measure in MEASURES:
            assert dict(solve(ready, measure, moments).shares) == by_hand(links, measure, moments), measure
        assert solve(ready, SEEN_TWO, moments) == solve(ready, EverAtAll(), moments)


@given(links_of(), st.integers(1, 6))
def test_measures_seen_together_are_what_they_are_alone(links, moments):
    for chain in (bounded(links, moments), timed(links, moments)):
        for seen in focus(plan(chain, often=True), MEASURES, moments):
            *_, after = passes(seen.layers, Reader(seen.measure))
            assert dict(after().shares) == by_hand(links, seen.measure, moments)


def test_what_a_measure_waits_for_in_vain_leaves_one_state():
    links = [[(1, 1, 0, False), (0, 1, 1, True)], [(0, 2, 2, True), (1, 1, 0, True)]]
    (seen,) = focus(plan(chain_of(links)), [Ever("seen", "n", (7,))], 4)
    assert [len(layer.order) for layer in seen.layers.layers] == [1] * 4


def test_nothing_is_kept_of_what_follows_the_event_that_was_waited_for():
    # After the first event a long tail of other states, which one state more would have to be told apart from.
    tail = [[(node + 1, 1, 3, True), (node + 2, 2, 1, True)] for node in range(1, 9)] + [[(9, 1, 0, True)]] * 2
    (seen,) = focus(plan(chain_of([[(1, 1, 2, True), (0, 1, 0, True)], *tail])), [SEEN_TWO], 8)
    assert len(seen.layers.layers[0].order) == 1


@pytest.mark.parametrize("name", ["asl/village", "asl/set_piece", "wacht_am_rhein/crossroads"])
def test_strikes_counted_do_what_strikes_one_after_the_other_do(name):
    catalogue = Catalogue.installed()
    analysis = Analysis(load_scenario(catalogue, shipped_scenarios(catalogue)[name])[0], 6)
    for struck in (analysis._struck or {}).values():
        *_, after = passes(struck.layers, struck.reader())
        assert {s: p for s, p in struck.severities().items() if p} == dict(after().shares)
        rounded = struck.severities(exact=False)
        assert all(abs(rounded[s] - share) < Fraction(1, 10**9) for s, share in after().shares.items())


def test_the_first_fall_alone_decides_when_fire_falls_first():
    catalogue = Catalogue.installed()
    scenario = load_scenario(catalogue, shipped_scenarios(catalogue)["asl/village"])[0]
    first = Analysis(scenario, 6).solve(FirstFall())
    ever = Analysis(scenario, 6).solve(Ever("fall", "on_target", (True, False)))
    assert first.shares[None] == ever.shares[False]
