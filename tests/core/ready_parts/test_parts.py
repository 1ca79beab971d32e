"""Ready parts: each behaves as its figures say, worked out by hand with fractions."""

from __future__ import annotations

import datetime as dt
import inspect
import re
from collections import Counter
from fractions import Fraction
from math import pi
from types import SimpleNamespace
from typing import Annotated, ClassVar

import attrs
import pytest

from fireplan.sheets import kinds_of
from fireplan.solver import Analysis, Ever, FirstFall
from fireplan_core import (
    Engagement,
    Firer,
    Game,
    Intent,
    Modifier,
    Order,
    OwnTroops,
    ProcedureError,
    Reason,
    Refusal,
    Severity,
    Target,
    View,
    hookimpl,
)
from fireplan_core.chance import Chart, ScriptedFaces, d6
from fireplan_core.ledger import Ledger, Rule
from fireplan_core.play import Catalogue, Table, play_out, stage_engagement
from fireplan_core.play.catalogue import CONTRACTS
from fireplan_core.ready_parts import (
    AsAimed,
    AskAndFire,
    Circle,
    Corner,
    DeclaredSight,
    Depletion,
    Deviation,
    Disc,
    DrawPile,
    FixedDelay,
    HexAreas,
    HitsAndWounds,
    LinkState,
    OneForAll,
    Ready,
    Relay,
    RequestChart,
    Scatter,
    ScoreCheck,
    ShiftedByOther,
    SkillCheck,
    Stated,
    TableLookUp,
    Track,
    figure,
    for_troops,
)
from fireplan_core.space import (
    HexFrame,
    Layout,
    PlaneFrame,
    VertexFrame,
    distance,
    hex_grain,
    lettered_columns,
    vertices_of,
)

LAYOUT = Layout(lettered_columns(20), (1, 16), (1, 16))
MIDDLE = LAYOUT.parse("J8")
SEVERITIES = {"-": Severity.NONE, "S": Severity.SUPPRESSED, "D": Severity.DESTROYED}
"""The severities of the cells of a chart in these tests."""
EVERY = dict.fromkeys(
    (
        *("requested", "fire", "cancel", "sight", "moment", "delay", "lost", "denied"),
        *("land", "spotting", "fall", "lingering", "strike", "depletion"),
    ),
    "1",
)


def engaged(men=10, **changes):
    return attrs.evolve(
        Engagement(
            title="parts",
            date=dt.date(1944, 6, 6),
            firer=Firer(nationality="red"),
            target=Target(nationality="blue", men=men, frontage_m=10, depth_m=10),
            minutes=40,
        ),
        **changes,
    )


class Eyes(DeclaredSight):
    pass


class Calls(AskAndFire):
    cites = EVERY


class AtOnce(FixedDelay):
    cites = EVERY
    minutes = Fraction(5)
    delay = 0


class OnTheSpot(AsAimed, Disc):
    cites = EVERY
    places = HexFrame(100, LAYOUT)
    radius = 1


class Check(ScoreCheck):
    cites = EVERY
    score = 7
    men_a_unit = 10


def analysed(*, moments=6, charts=None, engagement=None, **parts):
    """Return the exact analysis of a game of these parts, with the simplest parts for all others."""
    chosen = {
        "observers": Eyes,
        "requests": Calls,
        "delays": AtOnce,
        "areas": OnTheSpot,
        "resolution": Check,
    } | parts
    ledger = Ledger("parts", "ours", {"1": Rule("1", "whatever is tried")})
    game = Game("parts", "Parts", "ours", ledger, charts=charts or {})
    hooks = {"fireplan_game": hookimpl(lambda: game)}
    hooks |= {f"fireplan_{word}": handing_over(kind) for word, kind in chosen.items()}
    catalogue = Catalogue()
    catalogue.admit(SimpleNamespace(**hooks))
    return Analysis(stage_engagement(catalogue, "parts", engagement or engaged()), moments)


def handing_over(kind):
    """Return the hook that provides a part of this kind."""

    @hookimpl
    def answer(options, charts):
        return kind("parts", options, charts)

    return answer


@attrs.frozen
class Ends:
    """A measure of the reason why the first mission ended."""

    kinds = frozenset({"ended"})
    initial = None

    def see(self, seen, event, moment):
        return event["reason"] if seen is None else seen

    def settled(self, seen):
        return seen is not None


def shares(analysis, measure):
    return {state: share for state, share in analysis.solve(measure).shares.items() if share}


def falls(analysis, entry=0):
    """Return the distribution of the first fall: of its moment, or with 3 of its place."""
    found = {}
    for first, share in shares(analysis, FirstFall()).items():
        key = None if first is None else first[entry]
        found[key] = found.get(key, 0) + share
    return found


def test_parts_name_every_rule_that_is_missing():
    class Short(Relay):
        cites: ClassVar = {"delay": "1"}
        minutes = Fraction(5)
        needed = 4

    with pytest.raises(ValueError, match=r"Short\.cites must name a rule for lost, moment"):
        Short("parts", {}, {})


def test_a_misspelt_name_of_a_rule_is_refused_and_one_of_the_games_own_is_not():
    class Short(HitsAndWounds):
        cites: ClassVar = {"strike": "5.1", "onec": "5.2", "men": "1.1", "requested": "1.2"}
        hit, wounds = 4, 1

    with pytest.raises(
        ValueError, match=r"^Short\.cites: no step uses the name onec; did you mean once\?$"
    ):
        Short("parts", {}, {})
    Short.cites = {**Short.cites, "once": "5.2"}
    Short("parts", {}, {})


def test_parts_name_every_figure_that_is_missing_or_too_small():
    class Hole(Circle):
        cites: ClassVar = dict.fromkeys(("land", "spotting", "fall", "lingering"), "1")
        radius = -60
        duration = 0

    class Nowhere(Circle):
        cites: ClassVar = Hole.cites

    with pytest.raises(
        ValueError, match=r"Hole\.duration: expected 1 or more, got 0; Hole\.radius: .* got -60"
    ):
        Hole("parts", {}, {})
    with pytest.raises(ValueError, match=r"^Nowhere\.radius: expected 0 or more, it is missing$"):
        Nowhere("parts", {}, {})


@pytest.mark.parametrize("figure", ["60", 60.0])
def test_a_figure_that_is_no_whole_number_is_named(figure):
    class Wide(Circle):
        cites: ClassVar = dict.fromkeys(("land", "spotting", "fall", "lingering"), "1")
        radius = figure

    expected = f"^Wide\\.radius: expected a whole number, got {figure!r}$"
    with pytest.raises(ValueError, match=expected):
        Wide("parts", {}, {})


def test_a_games_bound_overrides_the_ready_parts_bound():
    class Wide(Circle):
        cites: ClassVar = dict.fromkeys(("land", "spotting", "fall", "lingering"), "1")
        radius: Annotated[int, Stated("fall", least=5)] = 4

    with pytest.raises(ValueError, match=r"^Wide\.radius: expected 5 or more, got 4$"):
        Wide("parts", {}, {})


@pytest.mark.parametrize("delay", [0, 1, 2, 4])
def test_a_fixed_delay_has_the_given_length(delay):
    class Waiting(AtOnce):
        pass

    Waiting.delay = delay
    assert falls(analysed(delays=Waiting)) == {delay: 1}


class Wire(Relay):
    cites = EVERY
    minutes = Fraction(5)
    needed = 5


def test_a_relay_is_tried_each_moment_until_it_gets_through():
    # A d6 shows 5 or 6 with probability 1/3; the first attempt is in the moment after the request.
    found = falls(analysed(delays=Wire, moments=4))
    third = Fraction(1, 3)
    assert found == {
        1: third,
        2: third * Fraction(2, 3),
        3: third * Fraction(4, 9),
        None: Fraction(8, 27),
    }


@pytest.mark.parametrize("link", [Relay, SkillCheck])
def test_a_link_is_lost_after_its_tries_even_if_modifiers_count_fewer_failures(link):
    class Short(link):
        cites = EVERY
        minutes = Fraction(5)
        needed, skill = 5, 2
        tries, counted = 3, 1

    ends = shares(analysed(delays=Short), Ends())
    assert ends[Reason.LOST] == Fraction(2, 3) ** 3


def test_a_relay_with_two_tries_is_lost_at_the_second_failure():
    class Short(Wire):
        tries = 2

    found = shares(analysed(delays=Short, moments=3), Ends())
    # The mission is lost with probability 2/3 x 2/3. Otherwise fire for effect
    # falls, and the mission ends as delivered in the same moment.
    assert found == {Reason.LOST: Fraction(4, 9), Reason.DELIVERED: Fraction(5, 9)}


class Bag(DrawPile):
    cites = EVERY
    minutes = Fraction(5)
    pile: ClassVar = {"green": 1, "white": 1, "red": 2}
    grants = ("green",)
    denies = ("red",)


def test_chits_are_not_returned_and_the_second_red_loses_the_asset():
    found = falls(analysed(delays=Bag, moments=4))
    # Fire falls in moment 1 on a green draw (1/4). It falls in moment 2 on white then green (1/4 x
    # 1/3), or on red, then green of the three left (1/2 x 1/3).
    assert found[1] == Fraction(1, 4)
    assert found[2] == Fraction(1, 12) + Fraction(1, 6)
    # Two reds (1/2 x 1/3) lose the mission within two draws; the first red only denies access.
    assert shares(analysed(delays=Bag, moments=3), Ever("ended", "reason", (Reason.LOST,)))[
        True
    ] == Fraction(1, 6)
    assert shares(analysed(delays=Bag, moments=2), Ends())[Reason.DENIED] == Fraction(1, 2)


class Ladder(Track):
    cites = EVERY
    minutes = Fraction(5)
    boxes = 2
    moves: ClassVar = {1: 0, 2: 0, 3: 1, 4: 1, 5: 1, 6: 2}


def test_a_marker_moves_along_the_track_by_the_table():
    found = falls(analysed(delays=Ladder, moments=3))
    # The marker is home at once with a 6; otherwise it moves one box (1/2) and then needs 3-6
    # (2/3), or stays (1/3) and then needs a 6.
    assert found == {
        1: Fraction(1, 6),
        2: Fraction(1, 2) * Fraction(2, 3) + Fraction(1, 3) * Fraction(1, 6),
        None: 1 - Fraction(1, 6) - Fraction(1, 3) - Fraction(1, 18),
    }


class Strayed(Scatter, Disc):
    cites = EVERY
    places = HexFrame(100, LAYOUT)
    radius = 1
    accurate = 2
    extents: ClassVar = {1: 1, 2: 1, 3: 2, 4: 2, 5: 3, 6: 3}


def test_scatter_by_direction_and_extent():
    found = falls(analysed(areas=Strayed, moments=1), 3)
    # The probability that a round is on target is 2/6; for each of six directions and each error of
    # one to three hexes it is 4/6 x 1/6 x 2/6.
    assert found.pop(MIDDLE) == Fraction(1, 3)
    assert len(found) == 18
    assert set(found.values()) == {Fraction(1, 27)}
    assert sorted(distance(MIDDLE, place) for place in found) == [1] * 6 + [2] * 6 + [3] * 6


class Wandered(Deviation, Circle):
    cites = EVERY
    places = PlaneFrame(1.0)
    radius = 60
    accurate = 3
    extent_dice: ClassVar = {"coloured": d6, "white": d6}


def test_deviation_in_the_plane_by_dice():
    analysis = analysed(areas=Wandered, moments=1)
    found = falls(analysis, 3)
    assert found[0, 0] == Fraction(1, 2)
    # Direction 3 is east, in units of ten metres, so a sum of 7 is seventy metres: 1/2 x 1/8 x
    # 6/36.
    assert found[70, 0] == Fraction(1, 96)
    assert found[-14, -14] == Fraction(1, 2) * Fraction(1, 8) * Fraction(1, 36)
    assert analysis.scenario.parts.areas.error_lines() == 8


def test_deviation_without_dice_is_one_vector():
    class Near(Wandered):
        extent_dice: ClassVar = {}

    found = falls(analysed(areas=Near, moments=1), 3)
    assert found == {(0, 0): Fraction(1, 2)} | dict.fromkeys(Deviation.vectors, Fraction(1, 16))


def covered(areas, impact, places, extent=Fraction(0)):
    scenario = analysed(areas=areas).scenario
    view = View({**scenario.initial, "missions/a/impact": impact}.get, scenario, "areas")
    strengths = [scenario.parts.areas.covers(view, "a", place, extent) for place in places]
    return strengths, scenario.parts.areas.footprint(view, "a")


def test_a_disc_a_line_and_a_corner_cover_their_hexes():
    strengths, (cells, hectares) = covered(OnTheSpot, (0, 0), [(0, 0), (1, 0), (2, 0)])
    assert strengths == [1, 1, 0]
    assert len(cells) == 7
    assert hectares == pytest.approx(7 * 0.8660254)

    class Row(AsAimed, HexAreas):
        cites = EVERY
        places = HexFrame(100, LAYOUT)

        def cells(self, impact):
            return hex_grain(impact, 3, 2)

    _, (cells, _) = covered(Row, (3, 3), [])
    assert len(cells) == 5
    assert max(distance(a, b) for a in cells for b in cells) == 4

    class Meeting(AsAimed, Corner):
        cites = EVERY
        places = VertexFrame(100, LAYOUT)

    corner = vertices_of((0, 0))[0]
    strengths, (cells, _) = covered(Meeting, corner, [*corner, (5, 5)])
    assert strengths == [1, 1, 1, 0]
    assert len(cells) == 3


def test_a_circle_covers_everything_it_touches():
    strengths, (cells, hectares) = covered(Wandered, (0, 0), [(60, 0), (61, 0), (36, 48), (43, 43)])
    assert strengths == [1, 0, 1, 0]
    assert cells == ((0, 0),)
    assert hectares == pytest.approx(pi * 0.36)
    assert covered(Wandered, (0, 0), [(70, 0)], extent=Fraction(10))[0] == [1]


def test_fire_falls_for_its_duration():
    class Long(OnTheSpot):
        duration = 3

    ever = analysed(areas=Long, moments=4)
    assert shares(ever, Ends()) == {Reason.DELIVERED: 1}
    assert shares(analysed(areas=Long, moments=2), Ends()) == {None: 1}


def test_a_check_fails_above_the_score_and_a_failure_is_one_step():
    # Two dice total 8 or more with probability 15/36, and fire falls once in the only moment
    # watched.
    found = analysed(moments=1).severity()
    assert found[Severity.SUPPRESSED] == Fraction(15, 36)
    assert found[Severity.NONE] == Fraction(21, 36)


def test_a_result_is_looked_up_in_the_chart():
    rows = {row: "-" if row < 7 else "S" if row < 12 else "D" for row in range(2, 13)}
    chart = Chart(
        "effects", tuple(rows), ("one",), {(r, "one"): cell for r, cell in rows.items()}, "printed"
    )

    class Looked(TableLookUp):
        cites = EVERY
        severities = SEVERITIES
        chart = "effects"

    found = analysed(moments=1, resolution=Looked, charts={"effects": chart}).severity()
    # Of the 36 rolls, 15 total 2 to 6, 20 total 7 to 11, and one totals 12.
    assert found[Severity.NONE] == Fraction(15, 36)
    assert found[Severity.SUPPRESSED] == Fraction(20, 36)
    assert found[Severity.DESTROYED] == Fraction(1, 36)


@pytest.mark.parametrize("kind", [TableLookUp, OneForAll])
def test_an_entry_of_a_chart_without_a_severity_is_named(kind):
    cells = {(row, "one"): "Z" if row == 12 else "-" for row in range(2, 13)}
    entries = Chart("effects", tuple(range(2, 13)), ("one",), cells, "printed")

    class Looked(kind):
        cites = EVERY
        severities = SEVERITIES
        chart = "effects"

    with pytest.raises(ProcedureError, match="the chart effects has the entry 'Z', but severities"):
        analysed(moments=1, resolution=Looked, charts={"effects": entries}).severity()


def test_an_asset_is_depleted_by_its_die():
    class Dwindling(Depletion, Check):
        depleted = 2

    found = shares(analysed(moments=1, resolution=Dwindling), Ends())
    assert found == {Reason.EXHAUSTED: Fraction(1, 3), Reason.DELIVERED: Fraction(2, 3)}


def test_a_target_is_spread_out_and_own_troops_are_separate():
    engagement = engaged(men=35, own_troops=OwnTroops(distance_m=300, men=7))
    units = analysed(engagement=engagement).scenario.units
    assert sum(unit.strength for name, unit in units.items() if name != "o1") == 35
    assert units["o1"].strength == 7
    assert distance(units["o1"].place, MIDDLE) == 3


def test_fire_at_an_unseen_target_is_refused_and_never_falls():
    blind = engaged(observer=attrs.evolve(engaged().observer, sight="none"))
    analysis = analysed(engagement=blind, moments=2)
    assert falls(analysis) == {None: 1}
    assert shares(analysis, Ends()) == {Reason.CANCELLED: 1}
    assert analysis.scenario.missions["a"].facts["observers"].sight == "none"


def test_a_spotting_round_must_land_near_before_fire_for_effect():
    class Ranging(Calls):
        spotting = True
        near_m = 100

    found = falls(analysed(requests=Ranging, areas=Strayed, moments=2))
    # Moment 0 is for spotting; in moment 1 a round on target (1/3) or one hex off (4/6 x 1/3) is
    # close enough.
    assert found[1] == Fraction(1, 3) + Fraction(2, 9)


@pytest.mark.parametrize(("sight", "falls_at"), [("clear", 0), ("burst_only", 0), ("none", None)])
def test_seeing_only_the_burst_is_enough_to_fire(sight, falls_at):
    seen = engaged(observer=attrs.evolve(engaged().observer, sight=sight))
    assert falls(analysed(engagement=seen, moments=2)) == {falls_at: 1}


def thrown(analysis, *faces):
    """Return the log of a table with these dice and standard orders."""
    return [
        entry.event for entry in play_out(Table(analysis.scenario, 3), ScriptedFaces(faces)).log
    ]


def test_a_marker_that_is_home_moves_no_more():
    class Ranging(Calls):
        spotting = True
        near_m = 0

    # In moment 2 a 6 takes the marker home, and the round lands one hex off in direction 1. In
    # moment 3 the marker is still home, so the next round follows at once.
    log = thrown(analysed(delays=Ladder, requests=Ranging, areas=Strayed), 6, 3, 1, 1, 1)
    assert [event.kind for event in log] == ["requested", "advanced", "spotting", "spotting"]


def test_deviation_follows_its_vectors_in_their_order():
    # Direction 3 of the eight is east, in units of ten metres, so a sum of 2 is twenty metres.
    log = thrown(analysed(areas=Wandered), 6, 3, 1, 1, *[1] * 20)
    assert next(event["impact"] for event in log if event.kind == "fall") == (20, 0)


def test_a_unit_suffers_only_worse_harm():
    chart = Chart("effects", (2,), ("one",), {(2, "one"): "S"}, "printed")

    class Always(TableLookUp):
        cites = EVERY
        severities: ClassVar = {"S": Severity.SUPPRESSED}
        chart = "effects"

    log = thrown(analysed(resolution=Always, charts={"effects": chart}), *[1] * 20)
    assert [event.kind for event in log].count("fall") == 3
    assert [event.kind for event in log].count("suffered") == 1


# --- sight, reach, cards, promises ---------------------------------------------------------------
@pytest.mark.parametrize(
    ("day", "night", "dark", "fires"),
    [
        (500, None, False, True),
        (499, None, False, False),
        (900, 500, True, True),
        (900, 499, True, False),
        (900, 499, False, True),
        (500, None, True, True),
    ],
)
def test_an_observer_sees_as_far_as_he_sees_by_day_and_at_night(day, night, dark, fires):
    """The observer is 500 m from the target; a range of exactly that is enough."""

    class Far(DeclaredSight):
        cites: ClassVar = {"sight": "1"}
        sees_m, sees_m_at_night = day, night

    situation = attrs.evolve(engaged().situation, night=dark)
    found = falls(analysed(observers=Far, engagement=engaged(situation=situation), moments=1))
    assert found == ({0: 1} if fires else {None: 1})


@pytest.mark.parametrize(("reach", "fires"), [(6000, True), (5999, False), (None, True)])
def test_guns_reach_their_range_from_their_position(reach, fires):
    class Short(Calls):
        reach_m = reach

    assert falls(analysed(requests=Short, moments=1)) == ({0: 1} if fires else {None: 1})


def test_an_aim_must_be_near_the_target_if_the_game_requires_it():
    class Near(Calls):
        cites: ClassVar = {**EVERY, "aim": "2"}
        from_target_m = 200

    scenario = analysed(requests=Near).scenario
    view = View(scenario.initial.get, scenario, "requests")
    q, r = MIDDLE
    assert not isinstance(
        scenario.parts.requests.shoot(view, "a", Intent.EFFECT, (q, r + 2)), Refusal
    )
    assert scenario.parts.requests.shoot(view, "a", Intent.EFFECT, (q, r + 3)).cite == "2"


def charted(**columns):
    rows = tuple(range(1, 7))
    cells = {(row, name): texts[row - 1] for name, texts in columns.items() for row in rows}
    return Chart("request", rows, tuple(columns), cells, "printed")


def test_a_request_chart_gives_the_arrival_for_each_roll():
    class Asked(RequestChart):
        cites = EVERY
        minutes = Fraction(5)
        chart = "request"
        at_once = True

    chart = charted(
        outcome=["late"] * 4 + ["good", "very_good"],
        answer=["wait"] * 4 + ["soon", "now"],
        moments=["0"] * 4 + ["1", "0"],
    )
    found = falls(analysed(delays=Asked, charts={"request": chart}, moments=3))
    # With the request and in each later moment, the chart's die lets fire come at once (1/6) or in
    # the next moment (1/6); otherwise (4/6) the firer waits.
    now, soon, wait = Fraction(1, 6), Fraction(1, 6), Fraction(2, 3)
    expected = {0: now, 1: soon + wait * now, 2: wait * soon + wait * wait * now}
    assert found == {**expected, None: 1 - sum(expected.values())}


def test_failures_are_counted_as_far_as_a_modifier_looks_at_them():
    class Insisting(Relay):
        cites = EVERY
        minutes = Fraction(5)
        needed = 6
        counted = 2

        def modifiers(self):
            return (
                Modifier(
                    "relay", "1", "again", lambda view, mission: view.own(mission, LinkState).failed
                ),
            )

    found = falls(analysed(delays=Insisting, moments=5))
    chances = [Fraction(1, 6), Fraction(2, 6), Fraction(3, 6), Fraction(3, 6)]
    expected, left = {}, Fraction(1)
    for moment, chance in enumerate(chances, start=1):
        expected[moment], left = left * chance, left * (1 - chance)
    assert found == {**expected, None: left}


def test_a_roll_can_be_a_card_drawn_without_replacement():
    class Dealt(Relay):
        cites = EVERY
        minutes = Fraction(5)
        needed = 3
        decks: ClassVar = {"three": "deck"}
        draws: ClassVar = {"relay": "three"}

    deck = Chart(
        "deck", (1, 2, 3), ("copies",), {(row, "copies"): "1" for row in (1, 2, 3)}, "printed"
    )
    assert falls(analysed(delays=Dealt, charts={"deck": deck}, moments=4)) == dict.fromkeys(
        (1, 2, 3), Fraction(1, 3)
    )


# --- the other side, hits and wounds, one roll for all -------------------------------------------
def test_the_other_side_moves_the_shot_as_far_from_its_troops_as_the_die_lets_it():
    class Moved(ShiftedByOther, AsAimed, Circle):
        cites: ClassVar = {**EVERY, "shift": "1"}
        places = PlaneFrame(1.0)
        radius = 3
        shifts: ClassVar = {2: 0, 3: 1}

    analysis = analysed(areas=Moved, moments=1)
    # On a 1 or 2 the shot lands as aimed; otherwise one step away along a diagonal, the longest
    # step.
    assert falls(analysis, 3) == {(0, 0): Fraction(1, 3), (1, -1): Fraction(2, 3)}
    areas, scenario = analysis.scenario.parts.areas, analysis.scenario
    view = View(scenario.initial.get, scenario, "areas")
    (form,) = areas.shift(view, "a", (0, 0), 1)
    assert len(form.slots[0].candidates) == 9
    assert isinstance(form.judge(Order.of("shift", to=(2, 0))), Refusal)
    (form,) = areas.shift(view, "a", (0, 0), 2)
    assert len(form.slots[0].candidates) == 17
    Moved.whole_shift = True
    (form,) = areas.shift(view, "a", (0, 0), 2)
    assert {(0, 0), (2, 0)} < {*form.slots[0].candidates}
    assert len(form.slots[0].candidates) == 9


class Hit(HitsAndWounds):
    cites = EVERY
    severities: ClassVar = {
        "pinned": Severity.SUPPRESSED,
        "hurt": Severity.REDUCED,
        "gone": Severity.DESTROYED,
    }
    hit = 4
    wounds = 2

    def dice_of(self, view, mission, unit, strength):
        return 2

    def save_of(self, view, unit):
        return 5


def test_hits_are_saved_or_wound_and_wounds_add_up():
    found = analysed(moments=1, resolution=Hit).severity()
    # Each die misses (1/2), hits but is saved (1/2 x 1/3), or wounds (1/2 x 2/3).
    assert found == {
        Severity.NONE: Fraction(1, 4),
        Severity.SUPPRESSED: Fraction(4, 9) - Fraction(1, 4),
        Severity.REDUCED: 2 * Fraction(1, 3) * Fraction(2, 3),
        Severity.DESTROYED: Fraction(1, 9),
    }


@pytest.mark.parametrize(
    "odd", [{"posture": "movng"}, {"cover": ("woods", "wods")}, {"morale": "good"}]
)
def test_a_modifier_for_troops_that_no_unit_can_be_is_refused(odd):
    name, words = next(iter(odd.items()))
    told = rf"moving \(16\): no unit has {name}={words if isinstance(words, str) else words[-1]}; expected cover=open\|"
    with pytest.raises(ValueError, match=told):
        for_troops("attack", "16", "moving", 1, **odd)


def test_units_without_a_save_do_not_roll_and_modifiers_apply_to_each_die():
    class Bare(Hit):
        wounds = 1

        def save_of(self, view, unit):
            return 7

        def modifiers(self):
            return (for_troops("hits", "1", "prone", -1, posture=("prone", "dug_in")),)

    # A hit needs 4 or more with -1 for being prone, so 5 or more. The probability that neither of
    # two dice hits is 4/9.
    found = analysed(moments=1, resolution=Bare).severity()
    assert {severity: share for severity, share in found.items() if share} == {
        Severity.NONE: Fraction(4, 9),
        Severity.DESTROYED: Fraction(5, 9),
    }


def test_one_throw_serves_all_and_modifiers_make_it_better_or_worse():
    class Same(OneForAll):
        cites = EVERY
        severities = SEVERITIES
        chart = "request"
        dice: ClassVar = {"white": d6}

        def modifiers(self):
            return (for_troops("attack", "1", "green", 1, quality="green"),)

    chart = charted(one=["-", "-", "-", "S", "S", "D"])
    target = attrs.evolve(engaged(men=30).target, quality="green")
    for engagement, worst in (
        (engaged(men=30), "- - - S S D"),
        (engaged(target=target), "S S S D D D"),
    ):
        scenario = analysed(
            resolution=Same, charts={"request": chart}, engagement=engagement
        ).scenario
        seen = Counter()
        for face in d6.faces:
            table = play_out(Table(scenario, 1), ScriptedFaces([face]))
            units = {
                table.read(f"units/{unit}/resolution/worst", Severity.NONE)
                for unit in scenario.unit_ids
            }
            assert len(units) == 1
            seen[units.pop()] += 1
        assert seen == Counter(Same.severities[word] for word in worst.split())


def test_an_asset_has_a_limited_number_of_fires():
    class Long(OnTheSpot):
        duration = 3

    class Two(Depletion, Check):
        fires = 2

    assert shares(analysed(areas=Long, resolution=Two, moments=5), Ends()) == {Reason.EXHAUSTED: 1}


def test_a_figure_is_an_option_of_the_game_or_one_of_its_numbers():
    class Named:
        options: ClassVar = {"turns": 2}
        first, second = figure("turns"), figure("blast", 20)

        def number(self, name):
            return {"blast": 3}[name]

    assert (Named().first, Named().second) == (2, 60)


@pytest.mark.parametrize("kind", [kind for word in CONTRACTS for kind in kinds_of(word).values()])
def test_the_rolls_that_modifiers_apply_to_are_rolls_of_the_class(kind):
    """Each name occurs in a source of the class or a base class, as a roll or as a step that rolls."""
    source = "\n".join(inspect.getsource(base) for base in kind.__mro__ if issubclass(base, Ready))
    source = re.sub("modified: .*", "", source)
    for base in kind.__mro__:
        for roll in vars(base).get("modified", ()):
            assert f'"{roll}"' in source or f"def {roll}(" in source, f"{base.__name__}: {roll}"
