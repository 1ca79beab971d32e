"""Nothing depends on labels: on a rotated, mirrored and shifted map every line of sight and every
area is the same.

Hex labels, and their order, are the printer's choice; rules refer to the positions of hexes. Each
game with a board is set up at random, as it is and moved, and both are asked everything. The kit
checks that footprints obey this law in every game (L16-footprint).
"""

from __future__ import annotations

import random
from itertools import product

import attrs
import pytest
from tiers import one_in

from fireplan_asl.sight import HexTerrain as AslTerrain
from fireplan_asl.sight import lines_from
from fireplan_core.space import Hex, HexFrame, PlaneRectangle, disc, strip_ahead, vertex
from fireplan_core.space import vertices_of as corners
from fireplan_miniatures_1943.geometry import corners as edges_of
from fireplan_miniatures_1943.geometry import (
    rectangles_touch,
    squared_gap,
    swept_within_circle,
    touch,
    within_circle,
)
from fireplan_red_poppies.ground import ONE_MAP, Drawing, HexTerrain, ScenarioMap
from fireplan_red_poppies.sight import SightRules, blocked, farthest, hidden
from fireplan_wacht_am_rhein.ground import FRAME, GroundMap, retreat_hexes
from fireplan_wacht_am_rhein.ground import HexTerrain as WarTerrain

MIDDLE = (26, 4)


@attrs.frozen
class Move:
    """A rotation by sixths about the middle, after an optional mirroring north to south, and before
    a shift.
    """

    sixths: int
    mirrored: bool
    shift: Hex = (0, 0)

    def __call__(self, hex_: Hex) -> Hex:
        q, r = hex_[0] - MIDDLE[0], hex_[1] - MIDDLE[1]
        if self.mirrored:
            r = -q - r
        for _ in range(self.sixths):
            q, r = -r, q + r
        return q + MIDDLE[0] + self.shift[0], r + MIDDLE[1] + self.shift[1]

    def of(self, place):
        """Return the image of a hex or vertex."""
        return self(place) if isinstance(place[0], int) else vertex(*(self(h) for h in place))

    def drawn(self, point: tuple[int, int]) -> tuple[int, int]:
        """Return the image of a point of a drawing, in hundredths of the way to its hex's corners.

        The coordinates must be multiples of 64, so that every division is exact.
        """
        x, y = point
        if self.mirrored:
            y = -y
        for _ in range(self.sixths):
            x, y = x // 2 - 3 * y // 4, x + y // 2
        return x, y


MOVES = [Move(n, mirrored, (n, -2)) for n, mirrored in product(range(6), (False, True))]


def sixty_fourths(dice: random.Random) -> tuple[int, int]:
    return 64 * dice.randrange(-1, 2), 64 * dice.randrange(-1, 2)


def a_plot(dice: random.Random) -> HexTerrain:
    level = dice.choice((0, 0, 0, 1, 1, 2))
    kinds = dice.sample(("village", "woods", "light_woods", "wheat"), dice.choice((0, 0, 1, 1, 2)))
    drawn = ()
    if dice.random() < 1 / 3:
        kind = dice.choice(("woods", "light_woods", "wheat", "contour"))
        drawn = (Drawing(kind, tuple(sixty_fourths(dice) for _ in range(3)), level),)
    return HexTerrain(
        level=level, base=dice.randint(0, level), drawn=drawn, **dict.fromkeys(kinds, True)
    )


def moved_ground(ground: ScenarioMap, move: Move) -> ScenarioMap:
    def turned(plot: HexTerrain) -> HexTerrain:
        return attrs.evolve(
            plot,
            drawn=tuple(
                attrs.evolve(d, points=tuple(map(move.drawn, d.points))) for d in plot.drawn
            ),
        )

    return attrs.evolve(ground, plots={move(h): turned(plot) for h, plot in ground.plots.items()})


@pytest.mark.parametrize("seed", range(3))
def test_rp_4_92_sight_is_the_same_on_a_moved_map(seed):
    dice = random.Random(seed)
    near = disc(MIDDLE, 3)
    ground = ScenarioMap(
        ONE_MAP, (0, 51), (1, 34), plots={h: a_plot(dice) for h in near}, wheat=True
    )
    smoke = frozenset(dice.sample(near, 6))
    places = [*near, *{corner for h in disc(MIDDLE, 2) for corner in corners(h)}]
    readings = [
        SightRules(2, strict=other, open_below=other, touching=other) for other in (False, True)
    ]
    looks = [
        (eye, place)
        for eye in dice.sample(near, 2)
        for place in dice.sample(places, 8)
        if place != eye
    ]
    # A tie is broken without using the order of the hexes.
    ties = [(h, v) for h in near for v in places[len(near) :] if len(farthest(h, v)) > 1]
    looks += dice.sample(ties, 12)
    for move in MOVES:
        there, clouds = moved_ground(ground, move), frozenset(map(move, smoke))
        for rules, (eye, place) in product(readings, looks):
            a = blocked(ground, eye, place, smoke, rules)
            b = blocked(there, move(eye), move.of(place), clouds, rules)
            assert (a and a.cite) == (b and b.cite), (move, rules, eye, place)
            if len(place) == len(eye):
                counts = [
                    hidden(ground, eye, place, smoke, rules),
                    hidden(there, move(eye), move(place), clouds, rules),
                ]
                assert counts[0] == counts[1], (move, eye, place)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("both", [False, True])
def test_c1_32_lines_of_sight_are_the_same_on_a_moved_map(seed, both):
    dice = random.Random(seed)
    near = disc(MIDDLE, 3)
    plots = {
        h: AslTerrain(
            *(dice.choice(of) for of in ((0, 0, 1, 2), (0, 0, 0, 1, 2), (0, 0, 1, 3), (1, 2)))
        )
        for h in near
    }
    eye = dice.choice(near)
    seen = lines_from(eye, 2, near, plots, levels=(1, 2), both=both)
    for move in MOVES:
        there = {move(h): plot for h, plot in plots.items()}
        again = lines_from(move(eye), 2, map(move, near), there, levels=(1, 2), both=both)
        for h, line in seen.items():
            low, middling = (frozenset(map(move, hexes)) for hexes in (line.low, line.middling))
            assert again[move(h)] == attrs.evolve(line, low=low, middling=middling), (move, h)


@pytest.mark.parametrize("seed", range(4))
def test_12_4_1b_hexes_of_retreat_are_the_same_on_a_moved_map(seed):
    dice = random.Random(seed)
    near = disc(MIDDLE, 2)
    terrains = (("clear",), ("woods",), ("rough",), ("village",))
    cells = {
        h: WarTerrain(terrain=dice.choice(terrains), impassable=dice.random() < 1 / 6) for h in near
    }
    enemies, friends = (
        dice.sample(near[1:], 3),
        [(h, dice.randint(1, 6)) for h in dice.sample(near[1:], 3)],
    )
    assert isinstance(FRAME, HexFrame)
    found = retreat_hexes(
        FRAME, GroundMap(tuple(cells.items()), stacking=6), MIDDLE, 3, friends, enemies
    )
    for move in MOVES:
        there = GroundMap(tuple((move(h), cell) for h, cell in cells.items()), stacking=6)
        moved_friends = [(move(h), steps) for h, steps in friends]
        again = retreat_hexes(
            FRAME, there, move(MIDDLE), 3, moved_friends, list(map(move, enemies))
        )
        assert set(again) == set(map(move, found))


@pytest.mark.parametrize("seed", one_in(4, range(40)))
def test_6_2_circles_and_strips_are_the_same_on_a_moved_table(seed):
    dice = random.Random(seed)

    def point(most: int = 30) -> tuple[int, int]:
        return dice.randint(-most, most), dice.randint(-most, most)

    headings = [h for h in product(range(-3, 4), repeat=2) if h != (0, 0)]
    bases = [
        PlaneRectangle(point(), dice.choice(headings), dice.randint(1, 20), dice.randint(1, 20))
        for _ in range(2)
    ]
    centre, radius, front, way, to = (
        point(),
        dice.randint(1, 30),
        point(),
        dice.choice(headings),
        point(),
    )

    def answers(at, turn):
        first, second = (
            attrs.evolve(b, centre=at(b.centre), heading=turn(b.heading)) for b in bases
        )
        strip = strip_ahead(at(front), turn(way), 12, 40)
        shapes = [edges_of(one) for one in (first, second, strip)]
        return (
            within_circle(first, at(centre), radius),
            swept_within_circle(first, at(to), at(centre), radius),
            *(
                rectangles_touch(one, two)
                for one, two in ((first, second), (first, strip), (second, strip))
            ),
            touch(shapes[0], shapes[1]),
            float(squared_gap(shapes[0], shapes[1])),
            float(squared_gap(shapes[1], shapes[2])),
        )

    here = answers(lambda p: p, lambda p: p)
    for x, y, swapped in product((1, -1), (1, -1), (False, True)):

        def turn(p, x=x, y=y, swapped=swapped):
            return (x * p[swapped], y * p[not swapped])

        there = answers(lambda p, turn=turn: (turn(p)[0] + 7, turn(p)[1] - 40), turn)
        assert there == here
