"""Wider ready parts: skill, dice for hits, shapes, ranging and creeping fire, worked out by hand."""

from fractions import Fraction
from math import pi
from typing import ClassVar

import pytest
from tests.core.blocks.test_parts import (
    EVERY,
    LAYOUT,
    MIDDLE,
    AtOnce,
    Calls,
    Ends,
    OnTheSpot,
    analysed,
    covered,
    falls,
    shares,
)

from fireplan_core import Reason
from fireplan_core.chance import d6
from fireplan_core.ready_parts import (
    AsAimed,
    Creeping,
    DicePool,
    Disc,
    NarrowingScatter,
    Oval,
    Rectangle,
    Row,
    SkillCheck,
)
from fireplan_core.space import HexFrame, PlaneFrame, step

CITES = EVERY | {"lift": "1"}


def test_a_skill_check_gains_its_bonus_with_each_failure():
    class Radio(SkillCheck):
        cites = EVERY
        minutes = Fraction(5)
        skill, bonus, tries = 2, 1, 3

    # A d6 of 2 or less is 1/3; after a failure 3 or less, 1/2; after another 4 or less, 2/3.
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


def test_a_rectangle_covers_its_edge_and_what_touches_it():
    strengths, (_, hectares) = covered(Boxed, (0, 0), [(2, 5), (-2, -5), (3, 0), (0, 6)])
    assert strengths == [1, 1, 0, 0]
    assert hectares == pytest.approx(0.4)
    assert covered(Boxed, (0, 0), [(3, 6), (4, 0)], extent=Fraction(10))[0] == [1, 0]


def test_an_oval_leaves_the_corners_of_its_rectangle_out():
    class Egg(AsAimed, Oval):
        cites = EVERY
        places = PlaneFrame(10.0)
        width, depth = 10, 20

    # (3, 8): 9/25 + 64/100 is 1; (4, 8): 16/25 + 64/100 is more.
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

    # The first round lies 2 or 3 hexes off, too far to convert; the next 0 or 1.
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
    # Two dice, each a hit with 1/3; nothing saves in the open: 1 - 4/9 are destroyed.
    unit = analysis.scenario.parts.resolution
    assert unit.saves["woods"] == 4
    assert shares(analysis, Losses()) == {True: Fraction(5, 9), False: Fraction(4, 9)}


class Impacts:
    """The place where fire fell last."""

    kinds = frozenset({"fall"})
    initial = None

    def see(self, seen, event, moment):
        return event["impact"]

    def settled(self, seen):
        return False


class Losses:
    """Whether a unit was destroyed."""

    kinds = frozenset({"suffered"})
    initial = False

    def see(self, seen, event, moment):
        return seen or event["severity"].name == "DESTROYED"

    def settled(self, seen):
        return seen
