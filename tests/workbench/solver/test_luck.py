"""Luck of single rolls against chances worked out by hand, in the null game."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from pathlib import Path

import attrs
import null_game
import pytest
from null_setup import against, plugin_with, staged

import fireplan as fp
from fireplan.solver import HARM, REACH, luck
from fireplan_core import (
    Effects,
    Order,
    Severity,
    emit,
    push,
    step,
    update,
)
from fireplan_core.play import Answered, Rulebook, Thrown

VILLAGE = (
    Path(__file__).parents[3]
    / "plugins/asl/src/fireplan_asl/data/playthroughs/village.playthrough.txt"
)


IN_WOODS = against(cover="woods")


@pytest.fixture(scope="module")
def scenario():
    return staged(IN_WOODS)


ASKED = Answered("requests.ask", Order.of("ask"))
CONVERT = Answered("requests.aim", Order.of("convert"))


def aim(scenario):
    return Answered("requests.aim", Order.of("aim", at=scenario.centre))


def test_reach_is_the_later_chance_of_fire_on_the_target(scenario):
    # Two moments. In the first the round must land within a hex: accurate (1/3), or one hex off
    # (2/3 * 1/3), 5/9 in all. In the second the battery must be reached again (2/3): 1 loses it,
    # and 2 comes a moment too late.
    near, again = Fraction(5, 9), Fraction(2, 3)
    rolls = luck(
        scenario,
        2,
        (ASKED, Thrown("reach", (5,)), aim(scenario), Thrown("accuracy", (2,))),
        "firer",
    ).rolls
    reached, accurate = rolls
    assert (reached.measure, reached.before, reached.after) == (
        REACH,
        Fraction(2, 3) * near * again,
        near * again,
    )
    assert reached.at_least == Fraction(4, 6)
    assert (accurate.before, accurate.after, accurate.at_least) == (
        near * again,
        again,
        Fraction(1, 3),
    )
    # After an inaccurate round the chance would be a third of that.
    assert (
        accurate.variance
        == Fraction(1, 3) * (again - near * again) ** 2
        + Fraction(2, 3) * (again / 3 - near * again) ** 2
    )


def test_harm_is_severity_by_thirds_and_has_another_sign_for_the_other_side(scenario):
    inputs = (
        ASKED, Thrown("reach", (5,)), aim(scenario), Thrown("accuracy", (1,)),
        Thrown("reach", (3,)), CONVERT, Thrown("hit", (4,)), Thrown("hit", (3,)),
    )  # fmt: skip
    # Each of two men rolls one die: 4 and 5 suppress (1/3), 6 destroys (1), so a man's expected
    # harm is (1/3 + 1/3 + 1) / 6 = 5/18.
    man = Fraction(5, 18)
    firer = luck(scenario, 2, inputs, "firer").rolls
    ready, first, second = firer[2:]
    assert (ready.measure, ready.before, ready.after) == (HARM, Fraction(2, 3) * 2 * man, 2 * man)
    assert (first.measure, first.before, first.after) == (HARM, man, Fraction(1, 3))
    assert (first.at_least, second.at_least) == (Fraction(3, 6), 1)
    target = luck(scenario, 2, inputs, "target").rolls
    assert [-roll.after for roll in target[2:]] == [roll.after for roll in firer[2:]]
    assert target[3].at_least == Fraction(5, 6)
    assert target[4].at_least == Fraction(3, 6)


def test_deviations_are_the_gain_over_the_root_of_all_variances(scenario):
    found = luck(
        scenario,
        2,
        (ASKED, Thrown("reach", (5,)), aim(scenario), Thrown("accuracy", (2,))),
        "firer",
    )
    one, two = found.rolls
    assert found.gained(REACH) == (one.after - one.before) + (two.after - two.before)
    root = float(one.variance + two.variance) ** 0.5
    assert found.deviations(REACH) == pytest.approx(float(found.gained(REACH)) / root)
    assert found.deviations(HARM) == 0


class RolledAgain(null_game.NullResolution):
    """A d6 per man, rolled again on a 1, or always if the rule has no end."""

    no_end = False

    @step(cite="N5")
    def hit(self, chance, view, m, unit):
        roll = chance.dice("hit", white=null_game.d6)
        if roll.total == 1 or (self.no_end and roll.total >= 1):
            return Effects(push(self.hit, m, unit))
        if roll.total < 4:
            return Effects()
        severity = Severity.DESTROYED if roll.total == 6 else Severity.SUPPRESSED
        man = view.unit(unit, null_game.NullMan)
        return Effects(
            update(man, state=severity), emit("suffered", "N5", unit=unit, severity=severity)
        )


class RolledForEver(RolledAgain):
    """A die that is always rolled again."""

    no_end = True


def staged_with(resolution):
    """Return the scenario of the null game with another resolution."""
    game = null_game.fireplan_game()
    game = attrs.evolve(game, parts=attrs.evolve(game.parts, resolution=resolution))
    return staged(IN_WOODS, plugin_with(fireplan_game=null_game.hookimpl(lambda: game)))


def test_a_rerolled_die_counts_until_it_is_final():
    scenario = staged_with(RolledAgain)
    called = (ASKED, Thrown("reach", (5,)), aim(scenario), Thrown("accuracy", (1,)))
    inputs = (*called, Thrown("reach", (3,)), CONVERT, Thrown("hit", (1,)), Thrown("hit", (6,)))
    # On 2 to 6, which are not rolled again: 4 and 5 suppress (1/3), 6 destroys (1).
    man = Fraction(5, 3) / 5
    ready, again, stands = luck(scenario, 2, inputs, "firer").rolls[2:]
    assert (ready.measure, ready.before, ready.after) == (HARM, Fraction(2, 3) * 2 * man, 2 * man)
    assert (again.before, again.after) == (man, man)
    assert (stands.before, stands.after) == (man, 1)


def test_a_roll_that_is_never_final_has_no_luck():
    scenario = staged_with(RolledForEver)
    called = (ASKED, Thrown("reach", (5,)), aim(scenario), Thrown("accuracy", (1,)))
    rolls = luck(scenario, 2, (*called, Thrown("reach", (3,)), CONVERT), "firer").rolls
    assert HARM not in [roll.measure for roll in rolls]


@pytest.mark.full
def test_a_rule_is_run_once_for_each_situation_that_rolls_of_a_game_may_lead_to(monkeypatch):
    """The 43 rolls of a village share their rule runs, which would number 37,000 separately."""
    pytest.importorskip("fireplan_asl", reason="the game is in requirements-games.txt")
    session = fp.load(VILLAGE).session
    inputs = [row.given for _, row in session.again() if row is not None]
    runs = []
    perform = Rulebook.perform

    def counting(self, *args, **options):
        runs.append(args)
        return perform(self, *args, **options)

    monkeypatch.setattr(Rulebook, "perform", counting)
    of_side = luck(session.scenario, session.moments, inputs, "german")
    assert Counter(roll.measure for roll in of_side.rolls)[HARM] > 15
    assert len(runs) < 5_000
