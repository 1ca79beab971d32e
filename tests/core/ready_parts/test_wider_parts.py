"""Wider ready parts: skill, dice for hits, shapes, ranging and creeping fire, worked out by hand."""

from fractions import Fraction
from math import pi
from typing import ClassVar

import pytest
from tests.core.ready_parts.test_parts import (
    EVERY,
    LAYOUT,
    MIDDLE,
    AtOnce,
    Calls,
    Ends,
    Eyes,
    OnTheSpot,
    analysed,
    covered,
    engaged,
    falls,
    shares,
)

from fireplan_core import Asset, Reason, Severity, Sight
from fireplan_core.chance import d6
from fireplan_core.ready_parts import (
    AsAimed,
    Circle,
    Creeping,
    DelayByRange,
    DicePool,
    Disc,
    FixedDamage,
    NarrowingScatter,
    Oval,
    PlottedFire,
    Rectangle,
    Rings,
    Row,
    ScatterByMargin,
    SkillCheck,
)
from fireplan_core.space import HexFrame, PlaneFrame, step

CITES = EVERY | {"lift": "1"}


def test_a_skill_check_gains_its_bonus_with_each_failure():
    class Radio(SkillCheck):
        cites = EVERY
        minutes = Fraction(5)
        skill, bonus, tries = 2, 1, 3

    # A d6 of 2 or less succeeds (1/3), after a failure one of 3 or less (1/2), and after another
    # one of 4 or less (2/3).
    found = falls(analysed(delays=Radio, moments=4))
    assert found == {
        1: Fraction(1, 3),
        2: Fraction(2, 3) * Fraction(1, 2),
        3: Fraction(1, 3) * Fraction(2, 3),
        None: Fraction(1, 9),
    }
    assert shares(analysed(delays=Radio, moments=6), Ends())[Reason.LOST] == Fraction(1, 9)


def test_a_row_has_the_impact_in_its_middle():
    class Line(AsAimed, Row):
        cites = EVERY
        places = HexFrame(100, LAYOUT)
        length, along = 4, 2

    _, (cells, _) = covered(Line, MIDDLE, [])
    assert cells == tuple(step(MIDDLE, 2, far) for far in (-1, 0, 1, 2))


class Boxed(AsAimed, Rectangle):
    cites = EVERY
    places = PlaneFrame(10.0)
    width, depth = 4, 10


def test_a_rectangle_covers_its_edge_and_everything_that_touches_it():
    strengths, (_, hectares) = covered(Boxed, (0, 0), [(2, 5), (-2, -5), (3, 0), (0, 6)])
    assert strengths == [1, 1, 0, 0]
    assert hectares == pytest.approx(0.4)
    assert covered(Boxed, (0, 0), [(3, 6), (4, 0)], extent=Fraction(10))[0] == [1, 0]


def test_a_circle_reaches_farther_by_half_the_width_of_a_target():
    class Round(AsAimed, Circle):
        cites = EVERY
        places = PlaneFrame(10.0)
        radius = 3

    # Half the target's width is 20 m, or two units of 10 m.
    strengths, _ = covered(Round, (0, 0), [(5, 0), (6, 0)], extent=Fraction(20))
    assert strengths == [1, 0]


def test_an_oval_leaves_the_corners_of_its_rectangle_out():
    class Egg(AsAimed, Oval):
        cites = EVERY
        places = PlaneFrame(10.0)
        width, depth = 10, 20

    # The point (3, 8) is on the edge, because 9/25 + 64/100 is 1; for (4, 8) the sum is more.
    strengths, (_, hectares) = covered(Egg, (0, 0), [(5, 0), (0, 10), (3, 8), (4, 8), (5, 10)])
    assert strengths == [1, 1, 1, 0, 0]
    assert hectares == pytest.approx(2 * pi / 4)


def test_errors_narrow_with_each_round_that_landed():
    class Ranged(NarrowingScatter, Disc):
        cites = EVERY
        places = HexFrame(100, LAYOUT)
        radius = 0
        accurate = 0
        narrows = 2
        extents: ClassVar = {1: 2, 2: 2, 3: 2, 4: 3, 5: 3, 6: 3}

    class Spots(Calls):
        spotting = True
        near_m = 100

    # The first round is 2 or 3 hexes off, which is too far to convert; the next is 0 or 1 hex off.
    found = falls(analysed(areas=Ranged, requests=Spots, moments=4), 3)
    assert found[MIDDLE] == Fraction(1, 2)
    assert {place: found[place] for place in found if place != MIDDLE} == {
        step(MIDDLE, direction, 1): Fraction(1, 12) for direction in range(1, 7)
    }


def test_creeping_fire_moves_on_before_it_falls_again():
    class Curtain(Creeping, OnTheSpot):
        cites = CITES
        duration = 3
        lift, heading = 2, 4

    analysis = analysed(areas=Curtain, moments=3)
    assert shares(analysis, Impacts()) == {step(MIDDLE, 4, 4): 1}


def test_a_pool_of_dice_hits_and_cover_saves():
    class Pool(DicePool):
        cites = CITES
        die = d6
        pool, hit, wounds, men_a_unit = 2, 5, 1, 10
        saves: ClassVar = {"open": 7, "woods": 4}

    assert Pool("parts", {}, {}).pool == 2
    analysis = analysed(resolution=Pool, delays=AtOnce, moments=1)
    # Each of two dice hits with probability 1/3, and in the open no face saves. The unit is
    # destroyed with probability 1 - 4/9.
    unit = analysis.scenario.parts.resolution
    assert unit.saves["woods"] == 4
    assert shares(analysis, Losses()) == {True: Fraction(5, 9), False: Fraction(4, 9)}


class Flight(DelayByRange):
    cites = EVERY
    minutes = Fraction(5)
    step_m = 1000
    delays: ClassVar = {0: 0, 1: 0, 2: 1, 3: 3}


@pytest.mark.parametrize(("range_m", "moments"), [(0, 0), (1000, 0), (1001, 1), (9000, 3)])
def test_the_delay_follows_the_range_in_steps_rounded_up(range_m, moments):
    there = engaged(asset=Asset(range_m=range_m))
    assert falls(analysed(delays=Flight, engagement=there)) == {moments: 1}


class ToHit(ScatterByMargin, Disc):
    cites = EVERY
    places = HexFrame(100, LAYOUT)
    radius = 0
    to_hit = 4


def test_a_miss_strays_by_its_margin():
    # Of 36 rolls of two dice, one is a 2 and two are a 3; they miss by 2 and by 1.
    found = falls(analysed(areas=ToHit), 3)
    assert found.pop(MIDDLE) == Fraction(33, 36)
    assert found == {
        step(MIDDLE, direction, far): Fraction(throws, 36 * 6)
        for direction in range(1, 7)
        for far, throws in ((1, 2), (2, 1))
    }


class Hits:
    """A measure of the first two shots: True for each that lands on the point aimed at."""

    kinds = frozenset({"fall"})
    initial = ()

    def see(self, seen, event, moment):
        return (*seen, event["impact"] == MIDDLE)

    def settled(self, seen):
        return len(seen) == 2


def test_an_observed_miss_eases_the_next_shot_and_a_hit_is_not_rolled_for_again():
    class Ranged(ToHit):
        to_hit = 3
        eases = 1
        holds = True

    # A 2 misses; after that 2 is enough, so the second shot always hits.
    assert shares(analysed(areas=Ranged), Hits()) == {
        (False, True): Fraction(1, 36),
        (True, True): Fraction(35, 36),
    }
    plain = shares(analysed(areas=ToHit), Hits())
    assert plain[True, True] == Fraction(33, 36) ** 2


def test_an_unseen_miss_does_not_help_the_next_shot():
    class Ranged(ToHit):
        to_hit = 3
        eases = 1

    class Blind(Eyes):
        def sees(self, view, mission, place):
            return Sight(ground=False, burst=True)

    found = shares(analysed(areas=Ranged, observers=Blind), Hits())
    assert found[False, False] == Fraction(1, 36) ** 2


class Weaker(AsAimed, Rings):
    cites = EVERY
    places = HexFrame(100, LAYOUT)
    rings: ClassVar = {0: 20, 1: 10, 2: 0}


def test_fire_weakens_from_ring_to_ring():
    places = [step(MIDDLE, 1, far) for far in range(4)]
    strengths, (cells, hectares) = covered(Weaker, MIDDLE, places)
    assert strengths == [1, Fraction(1, 2), 0, 0]
    assert len(cells) == 7
    # A regular hexagon 100 m across has sqrt(3) / 2 hectares.
    assert hectares == pytest.approx(7 * 3**0.5 / 2)


def test_a_wide_target_takes_the_mean_of_the_rings_over_its_hexes():
    # Within 100 m of the impact lie its own hex, at full strength, and six hexes at half.
    strengths, _ = covered(Weaker, MIDDLE, [MIDDLE], extent=Fraction(100))
    assert strengths == [Fraction(4, 7)]


class Toll(FixedDamage):
    cites = EVERY
    men_a_unit = 10
    men_lost: ClassVar = {"open": 5}


class Worst:
    """A measure of the severity each time that harm is suffered, in order."""

    kinds = frozenset({"suffered"})
    initial = ()

    def see(self, seen, event, moment):
        return (*seen, event["severity"])

    def settled(self, seen):
        return False


def test_damage_without_dice_adds_up_until_no_man_is_left():
    found = shares(analysed(resolution=Toll, moments=4), Worst())
    assert found == {(Severity.REDUCED, Severity.DESTROYED): 1}


def test_weaker_fire_kills_a_share_and_unlisted_cover_protects_fully():
    class Off(Weaker):
        def comes_down(self, view, mission, to):
            return super().comes_down(view, mission, step(to, 1, 1))

    # Half of five men, rounded down, is two; all ten men are lost by the fifth fall.
    found = shares(analysed(resolution=Toll, areas=Off, moments=12), Worst())
    assert found == {(Severity.REDUCED, Severity.DESTROYED): 1}
    assert shares(analysed(resolution=Toll, areas=Off, moments=3), Worst()) == {
        (Severity.REDUCED,): 1
    }

    class Safe(Toll):
        men_lost: ClassVar = {"woods": 5}

    assert shares(analysed(resolution=Safe, moments=4), Worst()) == {(): 1}


def test_plotted_fire_lands_where_it_was_plotted_without_another_order():
    class Plots(PlottedFire):
        cites = EVERY

    class Late(AtOnce):
        delay = 2

    analysis = analysed(requests=Plots, delays=Late)
    assert falls(analysis) == {2: 1}
    assert falls(analysis, 3) == {MIDDLE: 1}
    assert list(Plots("parts", {}, {}).questions()) == ["requests.plot"]


@pytest.mark.parametrize(("reach", "lands"), [(4000, None), (7000, 0)])
def test_plotted_fire_out_of_reach_is_refused(reach, lands):
    class Plots(PlottedFire):
        cites = EVERY
        reach_m = reach

    assert falls(analysed(requests=Plots)) == {lands: 1}


class Impacts:
    """A measure of the place where fire last fell."""

    kinds = frozenset({"fall"})
    initial = None

    def see(self, seen, event, moment):
        return event["impact"]

    def settled(self, seen):
        return False


class Losses:
    """A measure: True once a unit has been destroyed."""

    kinds = frozenset({"suffered"})
    initial = False

    def see(self, seen, event, moment):
        return seen or event["severity"].name == "DESTROYED"

    def settled(self, seen):
        return seen


def test_a_direction_that_no_hex_has_is_refused_before_play():
    cites = dict.fromkeys(("land", "spotting", "fall", "lingering"), "4.1")
    places = HexFrame(40.0, LAYOUT)

    def row(along):
        figures = {"cites": cites, "places": places, "length": 3, "along": along}
        return type("Bent", (AsAimed, Row), figures)("my_game", {}, {})

    assert row(6).along == 6
    with pytest.raises(ValueError, match=r"Bent\.along: expected 6 or less, got 7"):
        row(7)
