"""Signal, accuracy, stray, cancellation: the chances on the facts sheet as exact rationals, with
their arithmetic.
"""

from __future__ import annotations

from fractions import Fraction

import attrs
import pytest
import support_red_poppies as rp

from fireplan.solver import Analysis
from fireplan_core import Order


@attrs.frozen
class Fires:
    """A measure: True once the group has fired for effect; the bombardment does not count."""

    initial: bool = False
    kinds: frozenset[str] = frozenset({"fall"})

    def see(self, state, letter, moment):
        return state or letter["mission"] == "a"

    def settled(self, state):
        return state


SHOTS = Fires()


@attrs.frozen
class Throws:
    """A measure of the first signal or cancellation roll: its result."""

    kind: str
    field: str
    initial: tuple = ()

    @property
    def kinds(self):
        return frozenset({self.kind})

    def see(self, state, letter, moment):
        return state or (letter[self.field],)

    def settled(self, state):
        return bool(state)


# Maps a total to the number of the 36 rolls of two dice that do not exceed it.
AT_MOST = {0: 0, 4: 6, 5: 10, 6: 15, 7: 21, 8: 26, 9: 30}


def fielded(mode, *, trench=True, bombarded=False, commands=1, **rest):
    """Return a scenario in which a French group has its cross hair on the map and is primed, with
    one other command a turn.
    """
    extra = {"preregistered": "N18/N19/O19"} if mode == "flare" else {}
    extra |= {"observer": "eyes.1"} if mode == "trench_set" else {}
    return rp.lay(
        board=rp.board(), side=rp.sides(commands=commands), hex=(rp.holds("M16", "trench"),) if trench else (),
        unit=(rp.unit("eyes", "N22", side="french"),),
        group=(rp.group(mode=mode, cross_hair="N18/N19/O19", **extra, **rest),),
        bombardment=(rp.bombardment(at=("M10",), side="german"),) if bombarded else (),
    )  # fmt: skip


def within(scenario, commands, doctrine=None):
    """Return the chance that fire for effect has fallen after this many turns of one command each."""
    return Analysis(scenario, commands, doctrine).solve(SHOTS).shares.get(True, Fraction(0))


@pytest.mark.parametrize(
    ("mode", "trench", "before", "after"),
    [
        ("aircraft", True, 7, 6), ("flare", True, 7, 5), ("runner", True, 6, 4), ("trench_set", True, 8, 8),
        ("telephone", True, 9, 0), ("telephone", False, 7, 0),
    ],
)  # fmt: skip
def test_rp_7_21_7_23_7_14_the_signal_of_every_mode_before_and_after_a_bombardment(
    mode, trench, before, after
):
    assert within(fielded(mode, trench=trench), 1) == Fraction(AT_MOST[before], 36)
    assert within(fielded(mode, trench=trench, bombarded=True), 1) == Fraction(AT_MOST[after], 36)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 6])
def test_rp_7_23_6_02_a_telephone_group_fires_within_n_commands_before_and_after_a_bombardment(n):
    # With a trench on the map a signal gets through on 9 or less: 30/36 = 5/6 per command, so 1 -
    # (1/6)^n.
    assert within(fielded("telephone"), n) == 1 - Fraction(1, 6) ** n
    # Without a trench a signal gets through on 7 or less: 21/36 = 7/12 per command, so 1 -
    # (5/12)^n.
    assert within(fielded("telephone", trench=False), n) == 1 - Fraction(5, 12) ** n
    # After a bombardment a signal needs 0 or less, so it never gets through.
    assert within(fielded("telephone", bombarded=True), n) == 0


def test_rp_7_21_within_three_commands_in_figures():
    # With a trench the chance is 1 - (1/6)^3 = 215/216, without one 1 - (5/12)^3 = 1603/1728.
    assert within(fielded("telephone"), 3) == Fraction(215, 216)
    assert within(fielded("telephone", trench=False), 3) == Fraction(1603, 1728)


def cancelling(view, couplets, others, now):
    """Return the order to cancel a primed call whose group is not spent, otherwise to pass."""
    primed = view.own("a", _group()).hourglass == 0
    return (
        Order.of("cancel", group="a")
        if primed and not view.own("a", _group()).spent
        else Order.of("pass")
    )


def _group():
    from fireplan_red_poppies.track import GroupCall

    return GroupCall


def test_rp_6_2_7_23_a_cancel_fires_by_accident():
    # The number of attempts varies with the couplets of the turn, so consider one attempt. Before a
    # bombardment, of 36 rolls, 30 remove the call, 3 leave it (a 10), and 3 fire (11 or 12); in the
    # end the call fires with probability 3/33 = 1/11. After a bombardment nothing removes the call;
    # 33 rolls leave it and 3 fire, so in the end the call fires for certain.
    before = (
        Analysis(fielded("telephone"), 60, {"delays.command": cancelling}).solve(SHOTS).shares[True]
    )
    assert Fraction(1, 11) - before < Fraction(1, 10**50)
    assert before < Fraction(1, 11)
    after = (
        Analysis(fielded("telephone", bombarded=True), 1, {"delays.command": cancelling})
        .solve(SHOTS)
        .shares[True]
    )
    # A turn has 1 to 5 couplets on 10, 8, 6 + 6 (ties give 3), 4 and 2 of 36 rolls, and one attempt
    # in each couplet: 1 - E[(11/12)^couplets].
    ways = {1: 10, 2: 8, 3: 12, 4: 4, 5: 2}
    assert after == 1 - sum(Fraction(w, 36) * Fraction(11, 12) ** n for n, w in ways.items())


# --- accuracy and stray --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("high", "registered", "options", "on_target"),
    [
        (False, False, {}, Fraction(1, 3)),  # the fire is accurate on 1 and 2
        (True, False, {}, Fraction(1, 2)),  # with -1, it is accurate on a 3 as well
        (False, True, {}, Fraction(1, 2)),
        (True, True, {}, Fraction(2, 3)),  # with -2, it is accurate on a 4 as well
        (True, True, {"accuracy_modifiers": "max_one"}, Fraction(1, 2)),
    ],
)
def test_rp_7_242_7_243_where_fire_for_effect_falls(high, registered, options, on_target):
    scenario = rp.lay(
        board=rp.board(), side=rp.sides(commands=1, high_ground=high), options=options,
        group=(
            rp.group(
                mode="aircraft", cross_hair="N18/N19/O19", preregistered="N18/N19/O19" if registered else None
            ),
        ),
    )  # fmt: skip
    found = Analysis(scenario, 1).solve(Throws("fall", "impact")).shares
    # The signal gets through with one command on 21 of 36 rolls; a stray follows each spine on two
    # of six faces.
    fired = Fraction(21, 36)
    label = scenario.frame.label
    assert {label(at[0]): share / fired for at, share in found.items() if at} == {
        "N18/N19/O19": on_target,
        "M19/N18/N19": (1 - on_target) / 3,
        "N18/O18/O19": (1 - on_target) / 3,
        "N19/O19/O20": (1 - on_target) / 3,
    }
