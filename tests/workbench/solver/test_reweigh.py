"""A changed number: the earlier solution, reweighted or explored again, against the game solved
from scratch.
"""

from __future__ import annotations

from types import SimpleNamespace

import attrs
import j2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fireplan.solver import Analysis, Compiler, Ever, NumberLog, PreparedChain, build_chain, solve
from fireplan.solver.solving import reweighed
from fireplan_core import Delays, Effects, MissionSetup, emit, push, record, step, update
from fireplan_core.chance import d6
from fireplan_core.space import distance

PRINTED = {"contact_on": 8, "kept_on": 9, "accurate_on": 2, "near": 1}


def number(name):
    """Return a number of the game that records when it is read."""

    def read(self):
        self.note(name)
        return self.numbers.get(name, PRINTED[name])

    return property(read)


class Telling(j2.J2):
    """J2 with named numbers, and one more: how near is near enough."""

    contact_on, kept_on, accurate_on, near = map(number, PRINTED)

    @step(cite="J2")
    def act(self, chance, view):
        """Branch by the distance of the last round."""
        off = distance(view.own("a", j2.Battery).at, j2.TARGET)
        return Effects(push(self.order, off <= self.near, -(-off // 3)))

    @step(cite="J2")
    def attack(self, chance, view, counter):
        """Fire for effect."""
        battery = view.own("a", j2.Battery)
        return Effects(
            update(battery, counter=counter),
            emit("attack", "J2", hit=distance(battery.at, j2.TARGET) <= self.near),
        )


NOTED = NumberLog()
PHASES = 5


def told(**numbers):
    return j2.scenario(Telling, note=NOTED, numbers=numbers)


def analysis(**numbers):
    """Return an analysis solved from scratch."""
    return Analysis(told(**numbers), PHASES, compiler=Compiler(told(**numbers), noted=NOTED))


def both(found):
    return found.solve(j2.Hits()).shares, found.solve(Ever("attack", "hit", (True,))).shares


@pytest.fixture(scope="module")
def before():
    found = analysis()
    both(found)
    return found


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("contact_on", value) for value in range(1, 13)),
        *(("kept_on", value) for value in range(1, 13)),
        *(("accurate_on", value) for value in range(7)),
        *(("near", value) for value in range(5)),
    ],
)
def test_a_changed_number_agrees_with_the_changed_game(before, name, value):
    after = before.varied(told(**{name: value}), {name}, NOTED)
    assert both(after) == both(analysis(**{name: value}))


def test_two_measures_of_the_same_events_agree(before):
    hits, ever = both(before.varied(told(contact_on=7), {"contact_on"}, NOTED))
    assert ever[True] == 1 - hits[0] == 1 - j2.by_hand(PHASES, contact_on=7)[0]


def test_weights_of_unrecorded_steps_are_included():
    ready = PreparedChain(build_chain(Compiler(told()), spliced=True, alike=True, horizon=PHASES))
    chain = reweighed(ready.chain, Compiler(told(contact_on=7)))
    assert solve(ready.varied(chain), j2.Hits(), PHASES).shares == j2.by_hand(PHASES, contact_on=7)


def test_only_weights_change_if_outcomes_stay(before):
    after = before.varied(told(contact_on=7), {"contact_on"}, NOTED)
    assert after.plan.chain.reweighed
    assert after.compiler.runs == 1
    assert after.plan.chain.tops is before.plan.chain.tops


def test_an_outcome_that_cannot_be_any_more_has_weight_0(before):
    # Contact is kept on 12 or less, so it is never lost.
    after = before.varied(told(kept_on=12), {"kept_on"}, NOTED)
    assert any(0 in weights for weights in after.plan.chain.reweighed.values())
    assert both(after) == both(analysis(kept_on=12))


def test_an_outcome_that_is_new_is_explored():
    always = analysis(accurate_on=6)
    both(always)
    after = always.varied(told(accurate_on=5), {"accurate_on"}, NOTED)
    assert not after.plan.chain.reweighed
    assert len(after.plan.chain.links) > len(always.plan.chain.links)
    assert both(after) == both(analysis(accurate_on=5))


def test_values_merged_before_are_separated_again(before):
    # Places two hexes off are merged with those farther off until two hexes is near enough.
    after = before.varied(told(near=2), {"near"}, NOTED)
    assert not after.plan.chain.reweighed
    assert both(after) == both(analysis(near=2))


def test_values_equal_by_coincidence_are_separated_when_a_number_changes():
    # While both numbers are equal, holding contact makes no difference; once one changes, it does.
    same = analysis(contact_on=8, kept_on=8)
    both(same)
    for value in (7, 9):
        after = same.varied(told(contact_on=8, kept_on=value), {"kept_on"}, NOTED)
        assert both(after) == both(analysis(contact_on=8, kept_on=value))


def test_changes_follow_on_each_other_and_back(before):
    one = before.varied(told(contact_on=6), {"contact_on"}, NOTED)
    two = one.varied(told(contact_on=6, accurate_on=4), {"accurate_on"}, NOTED)
    back = two.varied(told(accurate_on=4), {"contact_on"}, NOTED)
    home = back.varied(told(), {"accurate_on"}, NOTED)
    assert both(one) == both(analysis(contact_on=6))
    assert both(two) == both(analysis(contact_on=6, accurate_on=4))
    assert both(back) == both(analysis(accurate_on=4))
    assert both(home) == both(before)


def test_a_number_without_effect_changes_nothing(before):
    after = before.varied(told(contact_on=8), {"contact_on"}, NOTED)
    assert after.plan.chain is before.plan.chain


def test_another_opening_is_explored(before):
    game = j2.scenario(Telling, note=NOTED, numbers={"contact_on": 7}, black=4)
    fresh = Analysis(game, PHASES)
    after = before.varied(game, {"contact_on"}, NOTED)
    assert (
        both(after) == both(fresh) != both(before.varied(told(contact_on=7), {"contact_on"}, NOTED))
    )


# --- tables drawn at random ----------------------------------------------------------------------
PLACES = 6


@record
class Token:
    """A token's place and mark."""

    at: int = 0
    mark: int = 0


class Board(Delays):
    """A token on a board: in each of a moment's few steps a d6 chooses one of three moves, some of
    which emit an event.
    """

    black = red = 0

    @step(cite="B")
    def moment(self, chance, view):
        """Begin the moment's steps."""
        return Effects(push(self.go, 0))

    @step(cite="B")
    def go(self, chance, view, steps):
        """Move the token and push the next step."""
        token = view.own("a", Token)
        self.note(f"p{token.at}")
        first, second, third = self.board[token.at]
        total = chance.dice("way", a=d6).total
        few = self.numbers[token.at]
        (to, seen) = first if total <= few else second if total <= few + 2 else third
        after = (push(self.go, steps + 1),) if steps < 2 else ()
        return Effects(
            update(token, at=to), *((emit("seen", "B", what=seen),) if seen else ()), *after
        )


class Odd(Board):
    """A board whose place 0 acts by its number: 4 marks the token, 5 looks at the mark; 0 is a
    trap.
    """

    board = (((3, 1), (0, 0), (1, 1)), *(((0, 0), (1, 1), (2, 0)),) * 5)

    @step(cite="B")
    def go(self, chance, view, steps):
        """Move the token; place 0 depends on its number."""
        token, few = view.own("a", Token), self.numbers[0]
        self.note("p0")
        if token.at == 3 and few == 0:
            raise AssertionError("nobody comes here")
        if token.at == 0 and few == 5 and token.mark:
            return Effects()
        then = super().go(chance, view, steps)
        return Effects(update(token, mark=1), then) if token.at == 0 and few == 4 else then


way = st.tuples(st.integers(0, PLACES - 1), st.integers(0, 1))
boards = st.lists(st.tuples(way, way, way), min_size=PLACES, max_size=PLACES)
thresholds = st.lists(st.integers(0, 6), min_size=PLACES, max_size=PLACES)


@attrs.frozen
class Seen:
    """A measure of the number of events seen."""

    kinds: frozenset[str] = frozenset({"seen"})
    initial: int = 0

    def see(self, state, letter, moment):
        """Return the count after the event."""
        return state + 1

    def settled(self, state):
        """Return False: it is never settled."""
        return False


@pytest.mark.parametrize("few", range(7))
def test_a_step_may_read_skip_or_refuse_with_another_number(few):
    noted = NumberLog()

    def laid(few):
        game = j2.scenario(Odd, numbers=[few, *range(1, 6)], note=noted)
        return attrs.evolve(
            game, missions={"a": MissionSetup("firer", j2.TARGET, {"delays": Token()}, {})}
        )

    found = Analysis(laid(2), 3, compiler=Compiler(laid(2), noted=noted))
    found.solve(Seen())
    after = found.varied(laid(few), {"p0"}, noted)
    fresh = Analysis(laid(few), 3)
    assert after.solve(Seen()).shares == fresh.solve(Seen()).shares
    assert after.plan.chain.keys == fresh.plan.chain.keys


@settings(max_examples=60)
@given(
    board=boards,
    numbers=thresholds,
    places=st.sets(st.integers(0, PLACES - 1), min_size=1),
    to=st.integers(0, 6),
)
def test_changed_numbers_agree_with_the_changed_board(board, numbers, places, to):
    noted = NumberLog()

    def laid(numbers):
        game = j2.scenario(Board, board=board, numbers=numbers, note=noted)
        return attrs.evolve(
            game, missions={"a": MissionSetup("firer", j2.TARGET, {"delays": Token()}, {})}
        )

    found = Analysis(laid(numbers), 3, compiler=Compiler(laid(numbers), noted=noted))
    found.solve(Seen())
    changed = [to if at in places else number for at, number in enumerate(numbers)]
    after = found.varied(laid(changed), {f"p{place}" for place in places}, noted)
    fresh = Analysis(laid(changed), 3)
    for measure in (Seen(), Ever("seen", "what", (1,))):
        assert after.solve(measure).shares == fresh.solve(measure).shares


def test_weights_of_a_pile_with_more_chits_have_a_new_total():
    """One red and one black chit, then three black: weights out of four chits, not two."""

    @attrs.frozen
    class Pile:
        explorer: SimpleNamespace
        links: list
        totals: list
        leaves: tuple = ("pile",)
        basis: None = None
        reweighed: dict = attrs.Factory(dict)

    steps = SimpleNamespace(changed_weights=lambda _: {"pile": [1, 3]})
    drawn = [("red", 1, None, ()), ("black", 1, None, ())]
    after = reweighed(Pile(SimpleNamespace(steps=steps), [drawn], [2]), None)
    assert after.totals == [4]
    assert [weight for _, weight, *_ in after.links[0]] == [1, 3]
