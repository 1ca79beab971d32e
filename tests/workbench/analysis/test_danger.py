"""The chance of being under fire at a distance, against areas drawn by hand."""

from fractions import Fraction

from fireplan.analysis.yardsticks import danger, reach


def square(north, south, west=-10, east=10):
    return ((west, -north), (east, -north), (east, -south), (west, -south))


def test_reach_counts_only_cells_towards_the_firer():
    assert reach([square(100, 40)]) == [(40, 100)]
    assert reach([square(30, -50)]) == [(0, 30)]
    assert reach([square(-20, -50)]) == []
    assert reach([square(100, 40, west=5, east=10)]) == []


def test_reach_joins_cells_that_touch_and_keeps_others_apart():
    assert reach([square(60, 20), square(20, 0), square(200, 150)]) == [(0, 60), (150, 200)]


def test_danger_adds_the_chances_of_the_places_where_fire_may_land():
    near, far = Fraction(1, 3), Fraction(1, 6)
    assert danger([([square(100, 0)], near), ([square(150, 50)], far)]) == (
        (0.0, near),
        (50.0, near + far),
        (100.0, far),
        (150.0, Fraction(0)),
    )


def test_danger_of_nothing_is_nothing():
    assert danger([]) == ((0.0, 0),)


def test_a_hex_with_corners_on_the_line_is_crossed_twice():
    hexagon = ((0, -40), (35, -20), (35, 20), (0, 40), (-35, 20), (-35, -20))
    assert reach([hexagon]) == [(0, 40)]
