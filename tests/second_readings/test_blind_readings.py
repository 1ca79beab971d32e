"""Rules read a second time without seeing the code: situations, each with the ruling that the text
alone gives.

They cover Red Poppies 4.52, 4.8, 4.92 and 8.322, and Wacht am Rhein 12.6.1;
``docs/reference/readings.md`` compares the results. Levels are written ``highest-lowest`` where a
contour runs through a hex (4.51).
"""

from __future__ import annotations

from fractions import Fraction

import pytest
import support_red_poppies as rp
from wacht_am_rhein.conftest import Count, engagement, scenario

from fireplan.solver import Analysis
from fireplan_core import Asset, Observer, Severity
from fireplan_red_poppies.sight import SightRules, blocked, hidden

SEEN, STOPPED = True, False


def land(column):
    """Return rows from 18 southward, with their contents and levels.

    Beyond both ends the level continues.
    """
    rows = {}
    for row, text in enumerate(column, start=18):
        levels, *what = text.split()
        high, _, low = levels.partition("-")
        rows[row] = rp.holds(f"row {row}", *what, level=int(high), base=int(low or high))
    ends = ((range(10, 18), rows[18]), (range(row + 1, 25), rows[row]))
    beyond = (
        rp.holds(f"row {one}", level=end.level, base=end.level)
        for span, end in ends
        for one in span
    )
    return (*rows.values(), *beyond)


def sight(column, *, to=None, more=(), filled=(), dark=False, wheat=True):
    """Return whether the first row of a column sees the last, and through how many concealing
    hexes.

    With a vertex ``to``, return only whether the observer sees it.
    """
    laid = rp.lay(
        board=rp.board(), hex=(*land(column), *more), night=dark, date=rp.DAY if wheat else rp.DAY.replace(month=11),
        unit=(rp.unit("eyes", "N18", side="french"),), group=(rp.group(),),
    )  # fmt: skip
    parse, part = laid.frame.parse, laid.parts.observers
    if to is not None:
        return part.sees(rp.view(laid), "a", parse(to)).ground
    given = (laid.missions["a"].facts["observers"].forces.ground, parse("N18"), parse(f"N{17 + len(column)}"),
             frozenset(map(parse, filled)), SightRules.of(part))  # fmt: skip
    return blocked(*given) is None, hidden(*given)


@pytest.mark.parametrize(
    ("column", "seen"),
    [
        # The crest is in front of the unit: its contour equals the higher level.
        (("2", "2-1", "1", "1-0", "0"), STOPPED),
        # The unit is on the crest: only the lower contour is in between.
        (("2-1", "1", "1-0", "0"), SEEN),
        (("0", "1-0", "1", "2-1"), SEEN),  # the same line from below
        # The line goes up to a unit that is back from the edge.
        (("0", "1-0", "1", "2-1", "2"), STOPPED),
        (("0", "2-0", "2", "2-1", "1"), STOPPED),  # a contour above both ends
        # Across, and up to a higher crest: contour 2 is below level 3.
        (("1", "2-1", "2", "3-2"), SEEN),
        (("3-0", "0", "2-0", "0", "0"), SEEN),  # over a hill lower than the higher end
        # Between equal levels a contour of that level blocks nothing (4.43).
        (("1", "1-0", "0", "1-0", "1"), SEEN),
        (("1", "2-1", "2-1", "1"), STOPPED),  # equal levels: a higher contour blocks (4.43)
        (("0", "2-0"), SEEN),  # adjacent hexes: nothing in between
        (("2-0", "0"), SEEN),
        (("2", "2-0", "0"), STOPPED),  # two contours in one hex
        (("2", "2-1", "1"), STOPPED),
        (("2-1", "1", "1"), SEEN),
    ],
    ids=str,
)
def test_rp_4_52_read_twice_the_plateau(column, seen):
    assert sight(column)[0] is seen
    assert sight(column[::-1])[0] is seen  # 4.1: sight is mutual


OPEN = ("0",) * 5


@pytest.mark.parametrize(
    ("column", "rest", "seen", "through"),
    [
        (("0", "0", "0 light_woods", "0", "0"), {}, SEEN, 1),
        (("0", "0", "0 light_woods", "0 light_woods", "0"), {}, STOPPED, 2),
        # The line ends in the second wood.
        (("0", "0", "0 light_woods", "0 light_woods"), {}, SEEN, 1),
        # Woods in the end hexes do not count.
        (
            ("0 light_woods", "0", "0", "0 light_woods"),
            {},
            SEEN,
            0,
        ),
        # Smoke reaches every level.
        (("2", "2-0", "0", "2-0", "2"), {"filled": ("N20",)}, SEEN, 1),
        (("2-0", "0", "0", "0", "2-0"), {"filled": ("N20", "N21")}, STOPPED, 2),
        (OPEN, {"filled": ("N20", "N21")}, STOPPED, 2),
        (OPEN, {"filled": ("N18", "N22")}, SEEN, 0),
        # A hex counts only once.
        (
            ("0", "0", "0 light_woods", "0", "0"),
            {"filled": ("N20",)},
            SEEN,
            1,
        ),
        (("0", "0", "0 light_woods", "0", "0"), {"filled": ("N21",)}, STOPPED, 2),
        # Woods are seen over from hill to hill.
        (
            ("2-0", "0 light_woods", "0 light_woods", "2-0"),
            {},
            SEEN,
            0,
        ),
        # Wheat never counts between different levels (8.8).
        (("1-0", "0 wheat", "0 wheat", "0"), {}, SEEN, 0),
        (("0", "0 wheat", "0 wheat", "0"), {}, STOPPED, 2),
        # Nor does wheat count in November.
        (("0", "0 wheat", "0 wheat", "0"), {"wheat": False}, SEEN, 0),
        (("0", "0 woods", "0"), {}, STOPPED, 0),  # with a green dot: an obstacle, not concealment
        (("0",) * 2, {"dark": True}, SEEN, 0),
        (("0",) * 3, {"dark": True}, SEEN, 1),
        (("0",) * 4, {"dark": True}, STOPPED, 2),
        (("2-0", "0", "0", "0"), {"dark": True}, STOPPED, 2),
    ],
)
def test_rp_4_8_read_twice_concealment_and_obstacles_of_every_level(column, rest, seen, through):
    assert sight(column, **rest) == (seen, through)


@pytest.mark.parametrize(
    ("column", "vertex", "seen"),
    [
        # There are woods in the nearest of the three hexes, on the line.
        (("0", "0", "0 woods"), "N20/N21/O21", STOPPED),
        (("0", "0", "0", "0 woods"), "N20/N21/O21", SEEN),  # woods only in the farthest hex
        (("0", "0", "0 village"), "N20/N21/O21", STOPPED),
        (("0 village", "0 village"), "N18/N19/O19", SEEN),  # the line never leaves the observer's own hex
        (("0", "0", "2-0", "2"), "N20/N21/O21", STOPPED),  # the vertex is back from the edge of a hill
        (("0", "0", "0", "2-0"), "N20/N21/O21", SEEN),  # the vertex is on the edge of the hill
        # The line goes down over a crest in between.
        (("1", "1", "1-0", "0"), "N20/N21/O21", STOPPED),
        (("1", "1", "1", "1-0"), "N20/N21/O21", SEEN),
        (("0", "0 light_woods", "0 light_woods", "0"), "N20/N21/O21", STOPPED),
        (("0", "0", "0 light_woods", "0"), "N20/N21/O21", SEEN),
        (("0",) * 4, "N20/N21/O21", SEEN),
    ],
)  # fmt: skip
def test_rp_4_92_read_twice_the_vertex_is_in_the_farthest_hex(column, vertex, seen):
    assert sight(column, to=vertex) is seen


@pytest.mark.parametrize(
    ("villages", "seen"), [("O18", SEEN), ("O19", SEEN), ("P18", SEEN), ("O18,O19", STOPPED)]
)
def test_rp_4_92_read_twice_between_two_near_hexes_it_takes_both(villages, seen):
    # Two of the three are near, and the line runs along their common side (4.41).
    assert sight(OPEN, to="O18/O19/P18", more=(rp.holds(villages, "village"),)) is seen


def bombarded(kind="pulverizing", *, unit="late_war_infantry", holds=(), inside="", many=1):
    """Return the chance that each of some units in one hex is destroyed by a preliminary
    bombardment.
    """
    laid = rp.lay(
        board=rp.board(), hex=(rp.holds("N16", *holds),), bombardment=(rp.bombardment(kind, ("N16",)),),
        unit=(rp.unit("foe", " ".join(["N16"] * many), kind=unit, inside=inside),),
    )  # fmt: skip
    severities = Analysis(laid, 1).unit_severities()
    return [severities[name].get(Severity.DESTROYED, Fraction(0)) for name in sorted(severities)]


SHELTERED, LOST = Fraction(1, 6), Fraction(1)


@pytest.mark.parametrize(
    ("how", "dies"),
    [
        ({"holds": ("trench",)}, SHELTERED),
        # The unit is outside the trench: it lies on top of the counter.
        ({"holds": ("trench",), "inside": "outside"}, LOST),
        ({"holds": ("trench",), "unit": "machine_guns"}, SHELTERED),
        ({"holds": ("trench",), "unit": "field_guns"}, SHELTERED),
        ({"holds": ("trench",), "unit": "mortars"}, SHELTERED),
        ({"holds": ("trench",), "unit": "cavalry"}, LOST),
        ({"holds": ("trench",), "unit": "schneider"}, LOST),
        ({"holds": ("village",), "unit": "schneider"}, SHELTERED),
        ({"holds": ("village",), "unit": "cavalry"}, SHELTERED),
        ({"holds": ("trench",), "unit": "flamethrowers"}, LOST),
        ({}, LOST),
        ({"holds": ("craters",)}, LOST),
        ({"holds": ("woods",)}, LOST),
        ({"holds": ("blockhouse",), "unit": "machine_guns", "inside": "blockhouse"}, SHELTERED),
        ({"holds": ("blockhouse",), "unit": "machine_guns"}, LOST),
        ({"holds": ("blockhouse",)}, LOST),
        ({"holds": ("quarry",)}, SHELTERED),
        ({"holds": ("trench",), "kind": "paralyzing"}, Fraction(0)),
        ({"kind": "paralyzing"}, LOST),
    ],
    ids=str,
)
def test_rp_8_322_read_twice_units_in_the_trench(how, dies):
    assert bombarded(**how) == [dies]


def test_rp_8_322_read_twice_each_unit_has_a_die_of_its_own():
    assert bombarded(holds=("quarry",), many=4) == [SHELTERED] * 4


def depleted(nation, units=1, moments=1, **rest):
    """Return the chances, in tenths, of the number of firing units that are depleted."""
    low = {"ammunition": "scarce"} if rest.pop("low_supply", False) else {}
    given = engagement(
        nation, asset=Asset(guns=12 * units, **low), observer=Observer(footing="attack")
    )
    shares = Analysis(scenario(given, **rest), moments).solve(Count("depleted")).shares
    return {number: 10 * share for number, share in shares.items()}


TEN = {"d10_zero": "ten"}


@pytest.mark.parametrize(
    ("given", "tenths"),
    [
        # The die runs from 1 to 10.
        (("american", 1, TEN), {0: 7, 1: 3}),
        (("american", 2, TEN), {0: 7, 1: 1, 2: 2}),
        (("american", 3, TEN), {0: 7, 1: 1, 2: 1, 3: 1}),
        (("german", 1, TEN), {0: 3, 1: 7}),
        (("german", 2, TEN), {0: 3, 1: 1, 2: 6}),
        (("american", 1, {**TEN, "thaw": True}), {0: 6, 1: 4}),
        (("german", 1, {**TEN, "thaw": True}), {0: 2, 1: 8}),
        # The die runs from 0 to 9.
        (("american", 1, {}), {0: 8, 1: 2}),
        (("german", 1, {}), {0: 4, 1: 6}),
        (("german", 1, {"low_supply": True}), {1: 10}),
        (("american", 1, {"low_supply": True}), {1: 10}),
    ],
    ids=str,
)
def test_12_6_1_read_twice_how_many_run_out(given, tenths):
    nation, units, rest = given
    supply = rest.get("low_supply", False)
    options = {name: value for name, value in rest.items() if name != "low_supply"}
    assert depleted(nation, units, low_supply=supply, **options) == tenths


@pytest.mark.parametrize(
    ("nation", "options", "lasting"), [("american", {}, 8), ("german", {}, 4), ("german", TEN, 3)]
)
def test_12_6_1_read_twice_each_barrage_has_one_die_however_many_volleys(nation, options, lasting):
    # Six units fire more than one volley but roll only one die; a second barrage has its own.
    assert depleted(nation, 6, **options)[0] == lasting
    assert depleted(nation, 1, 2, **options)[0] == Fraction(lasting**2, 10)
