"""Limits on how often fire can fall: games keep to the limits of their areas, and bounds on best
orders respect them.
"""

from __future__ import annotations

import random
from fractions import Fraction

import attrs
import null_game
import pytest
from null_setup import outpost
from playing_on import submit_on
from tiers import first_of_each_game, one_in

from fireplan.positions import Sources, position_of
from fireplan.solver.best import (
    MEASURES,
    OpenDecisions,
    Pattern,
    Process,
    best,
    bounded,
    join,
    trial,
    values_of,
)
from fireplan.solver.best.coarse.model import CoarseModel
from fireplan.solver.best.policy import Follower
from fireplan.solver.sampling import walk
from fireplan_core import Ask, Effects, FireLimit, ProcedureError, Stage, cycle, hookimpl, push
from fireplan_core.chance import RandomFaces
from fireplan_core.files import FileError
from fireplan_core.play import (
    Catalogue,
    Table,
    Variation,
    find_scenario,
    opening,
    play_out,
    shipped_scenarios,
)

HELD = ("asl", "miniatures_1943", "red_poppies", "wacht_am_rhein")
SHIPPED = [
    name for name in shipped_scenarios(Catalogue.installed()) if name.partition("/")[0] in HELD
]
AIMS = tuple(map(Pattern.parse, ("aim at=target", "convert", "cancel")))
HALF = 0.5
LIMITED = ("falls", "moments_under_fire", "strikes")


class Seldom(null_game.NullAreas):
    """Areas with a limit of one fall in all."""

    def fire_limit(self, scenario, mission, moments):
        return FireLimit(1)


class Weak(null_game.NullAreas):
    """Areas with a limit of half the actual strength."""

    def fire_limit(self, scenario, mission, moments):
        return FireLimit(moments, Fraction(1, 2))


class Shrinking(null_game.NullAreas):
    """Areas whose limit shrinks: two falls in one moment, one in more."""

    def fire_limit(self, scenario, mission, moments):
        return FireLimit(max(1, 3 - moments), Fraction(1, moments))


class Twice:
    """House rules under which fire on the map falls once more at the end of a moment."""

    @hookimpl
    def fireplan_variants(self):
        return {"areas.moment": self.twice}

    @staticmethod
    def twice(step):
        def run(chance, view, mission):
            falls = view.mission(mission).stage is Stage.FALLING
            return Effects(
                *([push(cycle.fall, mission)] if falls else []), step.run(chance, view, mission)
            )

        return attrs.evolve(step, run=run)


class Wet:
    """House rules that replace a step with one that does nothing."""

    @hookimpl
    def fireplan_modifiers(self):
        return ()


def saying(areas, game="null"):
    """Return the outpost with these areas."""
    scenario = outpost()
    made = areas(game, scenario.parts.areas.options, scenario.parts.areas.charts)
    return attrs.evolve(scenario, parts=attrs.evolve(scenario.parts, areas=made))


def shipped(name):
    """Return a shipped scenario and its number of moments."""
    scenario, form = find_scenario(Catalogue.installed(), name)
    return scenario, form.moments


def played(scenario, moments, seed):
    """Play random legal orders; return the moments of each mission's falls."""
    chosen, faces, table = random.Random(seed), RandomFaces(str(seed)), Table(scenario, moments)
    while table.waits_for is not None:
        waits = table.waits_for
        asked = isinstance(waits, Ask)
        order = chosen.choice(table.rulebook.legal(waits, table.read, each=3)) if asked else None
        submit_on(table, faces, order)
    falls: dict[str, list[int]] = {}
    for entry in table.log:
        if entry.event.kind == "fall":
            falls.setdefault(entry.event["mission"], []).append(entry.moment)
    return falls


def play_often(scenario):
    for seed in range(20):
        play_out(Table(scenario, 12), RandomFaces(str(seed)))


def test_a_game_that_exceeds_its_fire_limit_is_refused_in_words():
    with pytest.raises(
        ProcedureError, match=r"a has fallen 2 times in \d+ moments?, but fire_limit of the areas"
    ):
        play_often(saying(Seldom))


def test_a_game_that_exceeds_its_stated_strength_is_refused_in_words():
    with pytest.raises(
        ProcedureError, match="fire of a has the strength 1, but fire_limit of the areas allows 1/2"
    ):
        play_often(saying(Weak))


def test_a_policy_worth_more_than_the_limit_is_refused():
    scenario = saying(Seldom)
    whole = Process(scenario, 8, OpenDecisions(scenario.firer, keep=frozenset(scenario.questions)))
    with pytest.raises(ProcedureError, match="fire_limit of the areas"):
        bounded(whole, MEASURES["falls"].goal_of(scenario, scenario.firer))


def test_a_sample_is_held_to_the_limit_too():
    scenario = saying(Seldom)
    whole = Process(scenario, 12, OpenDecisions(scenario.firer))
    with pytest.raises(ProcedureError, match="fire_limit of the areas"):
        trial(whole, MEASURES["falls"].goal_of(scenario, scenario.firer), [])


class Often(null_game.NullAreas):
    """Areas with a limit of one fall a moment, which is as often as fire can fall."""

    def fire_limit(self, scenario, mission, moments):
        return FireLimit(moments)


@pytest.mark.parametrize("name", one_in(5, [name for name in MEASURES if name != "strikes"]))
def test_following_fewer_moments_keeps_the_bound_above_the_optimum(name):
    scenario = saying(Often)
    goal = MEASURES[name].goal_of(scenario, scenario.firer)
    whole = Process(
        scenario, 4, OpenDecisions(scenario.firer, {"requests.ask": (), "requests.aim": AIMS})
    )
    bounds = [goal.most(4)]
    for after in (3, 2, 1, 0):
        process = whole.varied(after=after) if after else whole
        assert process.moments + process.after == process.closing == 4
        parts = process.parts(goal)
        bounds.append(
            sum(best(join(explored, [part], process.moments)).values[0] for part, explored in parts)
        )
    assert bounds == sorted(bounds, reverse=True)
    assert bounds[-1] >= values_of(whole, [goal])[0]
    # The moments not followed are bounded by the limit, so following more moments lowers the bound.
    assert bounds[-1] < bounds[0] or goal.least


class EarlyToo(null_game.NullAreas):
    """Areas with a limit of one fall a moment, and two more in the first moment played."""

    def fire_limit(self, scenario, mission, moments):
        return FireLimit(moments + 2, in_opening=2)


def test_falls_of_the_opening_moment_are_refused_afterwards_and_count_in_no_later_bound():
    scenario = saying(EarlyToo)
    scenario.parts.hold_to_limit(scenario, "a", [0, 0, 0, 1])
    scenario.parts.hold_to_limit(scenario, "a", [5, 5, 5], 5)
    for late in ([1, 1], [0, 2, 2], [5, 5, 5]):
        with pytest.raises(ProcedureError, match="allows 1"):
            scenario.parts.hold_to_limit(scenario, "a", late)
    goal = MEASURES["falls"].goal_of(scenario, scenario.firer)
    assert [goal.most(4), goal.rest(goal.initial, 4), goal.rest(goal.initial, 3, opened=True)] == [
        6,
        6,
        3,
    ]


@pytest.fixture(scope="module")
def creeping():
    """Return the process of the creeping barrage, whose rules run once for all goals."""
    scenario, form = find_scenario(Catalogue.installed(), "asl/creeping")
    return Process(scenario, form.moments, OpenDecisions(scenario.firer))


@pytest.mark.parametrize("goal", LIMITED)
def test_e12_72_a_bound_credits_no_early_falls_to_moments_given_up(creeping, goal):
    counted = MEASURES[goal].goal_of(creeping.scenario, creeping.scenario.firer)
    (standard,) = values_of(creeping, [counted])
    model = CoarseModel(creeping, counted, None, most_orders=12)
    assert standard < model.bound() < Fraction(13, 2)
    assert model.gives_up


@pytest.mark.full
def test_a_goal_without_a_limit_has_no_bound_of_fewer_moments():
    scenario = saying(null_game.NullAreas)
    goal = MEASURES["falls"].goal_of(scenario, scenario.firer)
    process = Process(scenario, 4, OpenDecisions(scenario.firer)).varied(after=2)
    with pytest.raises(ProcedureError, match="the reward of a goal has no limit"):
        join(process.explored([goal]), [goal], process.moments)


def test_parts_of_several_games_at_one_table_have_no_limit():
    scenario = saying(Seldom)
    assert scenario.parts.fire_limit(scenario, "a", 3) == FireLimit(1)
    scenario = saying(Seldom, "another")
    assert scenario.parts.fire_limit(scenario, "a", 3) is None
    assert MEASURES["falls"].goal_of(scenario, scenario.firer).most(3) is None


@pytest.mark.parametrize("name", first_of_each_game(SHIPPED))
def test_no_play_of_a_shipped_scenario_exceeds_the_limit_and_every_bound_is_finite(name):
    scenario, moments = shipped(name)
    goals = [MEASURES[goal].goal_of(scenario, scenario.firer) for goal in LIMITED]
    assert None not in [goal.most(moments) for goal in goals]
    for seed in range(4):
        for mission, falls in played(scenario, moments, seed).items():
            for number, first in enumerate(falls):
                for last in range(number, len(falls)):
                    limit = scenario.parts.fire_limit(scenario, mission, falls[last] - first + 1)
                    assert last - number + 1 <= limit.falls


def test_a_creeping_barrage_makes_up_its_early_turns_in_the_first_moment():
    # E12.72: a red chit and a Timing die of 5 or 6 put three Game Turns before play, each with two
    # fire phases.
    scenario, moments = shipped("asl/creeping")
    first = [played(scenario, 1, seed).get("a", []).count(0) for seed in range(60)]
    assert max(first) == 6 <= scenario.parts.fire_limit(scenario, "a", 1).falls
    assert scenario.parts.fire_limit(scenario, "a", moments).falls == moments + 6


@pytest.mark.parametrize(("name", "mission", "falls"), [
    ("miniatures_1943/hedgerow_farm", "american barrage 1", 1),
    ("miniatures_1943/hedgerow_farm", "american dummy 1", 0),
    ("red_poppies/combined_arms_assault", "bombardment", 1),
])  # fmt: skip
def test_a_consumable_asset_falls_only_once(name, mission, falls):
    if name.partition("/")[0] not in Catalogue.installed().games:
        pytest.skip("the game is not installed")
    scenario, moments = shipped(name)
    assert scenario.parts.fire_limit(scenario, mission, moments).falls == falls


@pytest.mark.parametrize(
    ("name", "missions"),
    [
        ("combined_arms_assault", ("bombardment", "barrage")),
        ("perfect_battle_day_1", ("bombardment", "west", "east")),
    ],
)
def test_7_42_massed_fire_covers_a_hex_only_in_the_turns_of_its_line(name, missions):
    """Random plays: each line is struck in one turn or the next, never later."""
    if "red_poppies" not in Catalogue.installed().games:
        pytest.skip("the game is not installed")
    scenario, _ = find_scenario(Catalogue.installed(), f"red_poppies/{name}")
    seen: dict[str, set[int]] = {mission: set() for mission in missions}
    for seed in range(4):
        for entry in play_out(Table(scenario, 6), RandomFaces(str(seed))).log:
            if entry.event.kind != "fall" or entry.event["mission"] not in missions:
                continue
            mission = entry.event["mission"]
            line = scenario.missions[mission].facts["areas"].line_at(entry.event["impact"])
            seen[mission].add(entry.moment)
            for cell in line.hexes:
                assert entry.moment in scenario.parts.cover_moments(scenario, mission, cell)
    assert seen["bombardment"] == {0}
    assert all(len(seen[mission]) > 2 for mission in missions[1:])


def test_fire_in_one_turn_does_not_count_in_a_second():
    """The bombardment and the barrage's first line both strike in turn 1 (7.11, 7.42)."""
    if "red_poppies" not in Catalogue.installed().games:
        pytest.skip("the game is not installed")
    scenario, form = find_scenario(Catalogue.installed(), "red_poppies/combined_arms_assault")
    whole = Process(scenario, form.moments, OpenDecisions(scenario.firer))
    falls, turns = (
        MEASURES[name].goal_of(scenario, scenario.firer) for name in ("falls", "moments_under_fire")
    )
    assert (whole.most_of(falls), whole.most_of(turns)) == (2, 1)


def strikes_of_falls(name: str, plays: int) -> tuple[list[Fraction], Fraction]:
    """Return the value of the strikes of each fall in plays with some random orders, and the most
    that one fall can strike.
    """
    scenario, moments = shipped(name)
    whole = Process(scenario, moments, OpenDecisions(scenario.firer))
    goal = MEASURES["strikes"].goal_of(scenario, scenario.firer)
    struck = []
    for number in range(plays):

        def choose(ask, _read, legal, number=number):
            rng = random.Random(f"{number} {ask}")
            yield rng.choice(list(legal()) if rng.random() < HALF else [next(legal())])

        rows = Follower(whole, choose).rows
        for _, _, outcome in walk(rows, opening(scenario), moments, RandomFaces(str(number))):
            if any(event.kind == "fall" for event in outcome.events):
                strikes = [step for step in outcome.pushes if getattr(step, "scope", "")]
                struck.append(sum(map(goal.value, strikes), Fraction(0)))
    (mission,) = scenario.missions
    shares = goal.limit.share_at
    return struck, scenario.parts.cover_together(scenario, mission, shares)


@pytest.mark.parametrize(
    ("name", "together"),
    [("set_piece", Fraction(4, 5)), ("creeping", Fraction(1, 2)), ("village", Fraction(1))],
)
def test_c1_32_no_ffe_strikes_more_than_one_blast_area_can_cover(name, together):
    """Three hexes in a row lie under one Barrage, two far apart under no Blast Area."""
    if "asl" not in Catalogue.installed().games:
        pytest.skip("the game is not installed")
    struck, most = strikes_of_falls(f"asl/{name}", 12)
    assert most == together
    assert 0 < max(struck) <= most


def test_a_blast_area_stated_too_small_is_noticed(monkeypatch):
    blast = pytest.importorskip("fireplan_asl.blast")
    shapes = blast._shapes
    monkeypatch.setattr(
        blast,
        "_shapes",
        lambda *args: (lambda centre, shape=shape: shape(centre)[:1] for shape in shapes(*args)),
    )
    struck, most = strikes_of_falls("asl/village", 12)
    assert max(struck) > most


def test_far_places_are_not_all_struck_by_every_fall():
    """The target's two halves lie 6 hexes apart, so that 18 falls strike it 9 times over at most."""
    if "asl" not in Catalogue.installed().games:
        pytest.skip("the game is not installed")
    scenario, moments = shipped("asl/creeping")
    goal = MEASURES["strikes"].goal_of(scenario, scenario.firer)
    assert scenario.parts.fire_limit(scenario, "a", moments).falls == 18
    assert goal.most(moments) == 9


@pytest.mark.parametrize(
    ("name", "moments", "segments"),
    [("two_divisions", 2, 1), ("two_divisions", 5, 3), ("crossroads", 3, 3)],
)
def test_12_1_1_no_hex_is_barraged_twice_in_a_segment_of_its_side(name, moments, segments):
    """Each moment is a Barrage Segment of one side (12.0); random plays barrage many hexes."""
    if "wacht_am_rhein" not in Catalogue.installed().games:
        pytest.skip("the game is not installed")
    scenario, _ = find_scenario(Catalogue.installed(), f"wacht_am_rhein/{name}")
    limit = scenario.parts.fire_limit(scenario, "us", moments)
    assert limit.on_one_place == segments
    whole = Process(scenario, moments, OpenDecisions("US"))
    falls = MEASURES["falls"].goal_of(scenario, "US")
    assert whole.most_of(falls) == segments
    times: dict[tuple[int, object], int] = {}
    for seed in range(3):
        table = play_out(Table(scenario, moments), RandomFaces(str(seed)))
        times.clear()
        for entry in table.log:
            if entry.event.kind == "fall" and entry.event["mission"] == "us":
                where = entry.moment, entry.event["impact"]
                times[where] = times.get(where, 0) + 1
        assert max(times.values()) == 1
        assert 0 < len({moment for moment, _ in times}) <= segments


def test_c1_5_every_moment_may_be_under_fire():
    installed = Catalogue.installed()
    scenario, _ = find_scenario(installed, "asl/ridge")
    goals = [
        MEASURES[name].goal_of(scenario, scenario.firer) for name in ("falls", "moments_under_fire")
    ]
    assert [[goal.most(moments) for moments in (1, 4)] for goal in goals] == [[1, 4], [1, 4]]


def test_a_limit_that_shrinks_with_the_moments_bounds_no_less_than_plays_are_held_to():
    # Two falls in one moment are never refused, whatever the limit for eight moments.
    scenario = saying(Shrinking)
    scenario.parts.hold_to_limit(scenario, "a", [0, 0])
    falls, strikes = (
        MEASURES[goal].goal_of(scenario, scenario.firer) for goal in ("falls", "strikes")
    )
    assert falls.most(8) == strikes.most(8) == 2


def test_the_last_fall_counts_towards_the_limit():
    scenario = saying(Seldom)
    scenario.parts.hold_to_limit(scenario, "a", [3])
    with pytest.raises(ProcedureError, match="a has fallen 2 times in 5 moments"):
        scenario.parts.hold_to_limit(scenario, "a", [3, 7])


@pytest.mark.parametrize("wrong", [(-1,), (1.5,), ("1",), (1, 0.5)])
def test_a_limit_is_a_whole_number_of_falls_and_an_exact_strength(wrong):
    with pytest.raises((TypeError, ValueError)):
        FireLimit(*wrong)


@pytest.mark.parametrize("name", [name for name in SHIPPED if name.startswith("asl/")])
def test_house_rules_may_let_fire_fall_more_often_and_leave_no_limit(name):
    scenario, form = find_scenario(Catalogue.installed(), name, Variation(rules=(Twice(),)))
    assert scenario.parts.fire_limit(scenario, "a", 1) is None
    assert MEASURES["falls"].goal_of(scenario, scenario.firer).most(form.moments) is None
    for seed in range(4):
        play_out(Table(scenario, form.moments), RandomFaces(str(seed)))


def test_house_rules_that_replace_no_step_leave_the_limit():
    printed, _ = find_scenario(Catalogue.installed(), SHIPPED[0])
    scenario, _ = find_scenario(Catalogue.installed(), SHIPPED[0], Variation(rules=(Wet(),)))
    for mission in scenario.missions:
        limit = scenario.parts.fire_limit(scenario, mission, 3)
        assert limit == printed.parts.fire_limit(printed, mission, 3) is not None


@pytest.mark.parametrize("couplets", [0, 1, 2, 3])
def test_a_barrage_is_held_to_its_limit_with_any_number_of_couplets(couplets):
    # With one couplet a turn the barrage never leaves its line (7.42), so its lines set no limit.
    if "red_poppies" not in Catalogue.installed().games:
        pytest.skip("the game is not installed")
    changed = Variation(numbers={"barrage_couplets": str(couplets)})
    scenario, _ = find_scenario(Catalogue.installed(), "red_poppies/perfect_battle_day_1", changed)
    lines = len(scenario.missions["west"].facts["areas"].lines)
    table = play_out(Table(scenario, lines + 2), RandomFaces("1"))
    assert any(
        entry.event.kind == "fall" and entry.event["mission"] == "west" for entry in table.log
    ) == (couplets > 0)


@pytest.mark.parametrize("couplets", [1, 2, 3])
def test_a_barrage_strikes_its_first_line_once_and_any_other_at_most_twice(couplets):
    """It advances with every couplet after the first of a turn, and at its end (7.42, 7.44)."""
    if "red_poppies" not in Catalogue.installed().games:
        pytest.skip("the game is not installed")
    changed = Variation(numbers={"barrage_couplets": str(couplets)})
    scenario, _ = find_scenario(Catalogue.installed(), "red_poppies/combined_arms_assault", changed)
    facts = scenario.missions["barrage"].facts["areas"]
    table = play_out(Table(scenario, 6), RandomFaces("1"))
    struck = [
        facts.line_at(entry.event["impact"])
        for entry in table.log
        if entry.event.kind == "fall" and entry.event["mission"] == "barrage"
    ]
    times = [struck.count(line) for line in dict.fromkeys(struck)]
    limit = scenario.parts.fire_limit(scenario, "barrage", 6).on_one_place
    assert struck
    if couplets == 1:  # the barrage never leaves its line
        assert (times, limit) == ([6], None)
    else:
        assert times[0] == 1
        assert max(times) == limit == 2


def test_7_42_massed_fire_covers_a_hex_as_often_as_its_lines_allow():
    """Its target is in the first line, which is struck once; each of the enemy's hexes counts on
    its own.
    """
    if "red_poppies" not in Catalogue.installed().games:
        pytest.skip("the game is not installed")
    scenario, moments = shipped("red_poppies/combined_arms_assault")
    barrage = scenario.missions["barrage"]
    assert scenario.parts.cover_limit(scenario, "barrage", barrage.target) == 1
    assert scenario.parts.cover_limit(scenario, "bombardment", (0, 0)) == 0
    whole = Process(scenario, moments, OpenDecisions(scenario.firer))
    goals = [MEASURES[name].goal_of(scenario, scenario.firer) for name in ("falls", "strikes")]
    falls, strikes = values_of(whole, goals)
    assert falls == whole.most_of(goals[0]) == 2
    assert strikes <= whole.most_of(goals[1]) <= 3 < goals[0].most(moments) * 15
    covered = {}
    table = play_out(Table(scenario, moments), RandomFaces("1"))
    for entry in table.log:
        if entry.event.kind == "fall" and entry.event["mission"] == "barrage":
            for cell in barrage.facts["areas"].line_at(entry.event["impact"]).hexes:
                covered[cell] = covered.get(cell, 0) + 1
    assert covered
    for cell, times in covered.items():
        assert times <= scenario.parts.cover_limit(scenario, "barrage", cell)


@pytest.mark.parametrize(
    ("changes", "second"), [({}, 26), ({"tie_couplets": "1"}, 20), ({"infiltration": True}, 36)]
)
def test_7_42_a_line_is_struck_again_only_if_the_turn_before_had_two_couplets(changes, second):
    """Of 36 pairs of initiative dice 10 differ by one; a tie gives three couplets (5.11 to 5.13)."""
    if "red_poppies" not in Catalogue.installed().games:
        pytest.skip("the game is not installed")
    name = "red_poppies/combined_arms_assault"
    options = {key: value for key, value in changes.items() if key == "infiltration"}
    numbers = {key: value for key, value in changes.items() if key not in options}
    variation = Variation(numbers=numbers, options=options)
    scenario, form = find_scenario(Catalogue.installed(), name, variation)
    whole = Process(scenario, form.moments, OpenDecisions(scenario.firer))
    mean = 1 + Fraction(second, 36)
    first, *others = scenario.missions["barrage"].facts["areas"].lines
    covered = {
        scenario.parts.cover_mean(scenario, "barrage", cell)
        for line in others
        for cell in set(line.hexes) - set(first.hexes)
    }
    assert covered == {mean}
    assert scenario.parts.cover_mean(scenario, "bombardment", first.hexes[0]) is None
    strikes = MEASURES["strikes"].goal_of(scenario, scenario.firer)
    (standard,) = values_of(whole, [strikes])
    assert standard == whole.most_of(strikes) == 1 + mean <= strikes.most(form.moments) == 3


def test_7_242_a_first_fall_is_on_target_no_more_often_than_the_best_aim_allows():
    """A die of 1 or 2 is accurate, and two of three strays still cover the hex aimed at (7.244)."""
    if "red_poppies" not in Catalogue.installed().games:
        pytest.skip("the game is not installed")
    scenario, _ = shipped("red_poppies/battle_for_pinon")
    whole = Process(scenario, 4, OpenDecisions(scenario.firer))
    delivered, on_target = (
        MEASURES[name].goal_of(scenario, scenario.firer) for name in ("delivered", "on_target")
    )
    (group,) = scenario.missions.values()
    areas = scenario.parts.areas
    aims = {*areas.aim_at(group.target), *areas.aim_at(scenario.centre)}
    shares = set()
    for aim in aims:

        def at_aim(_ask, _read, legal, aim=aim):
            return (order for order in legal() if dict(order.values).get("at") == aim)

        falls, hits = values_of(whole, [delivered, on_target], at_aim)
        shares.add(hits / falls)
    assert max(shares) == whole.most_of(on_target) == Fraction(1, 3) + Fraction(2, 3) ** 2
    anywhere = attrs.evolve(whole.open_decisions, also={("requests.cross_hair", "at"): ((0, 0),)})
    assert whole.varied(open_decisions=anywhere).most_of(on_target) == 1


@pytest.mark.parametrize(
    ("registered", "height", "accurate"), [(0, 0, 2), (1, 0, 3), (0, 1, 3), (1, 1, 4)]
)
def test_7_242_a_known_vertex_and_high_ground_each_make_a_first_fall_more_accurate(
    registered, height, accurate
):
    if "red_poppies" not in Catalogue.installed().games:
        pytest.skip("the game is not installed")
    scenario, _ = shipped("red_poppies/cut_wires")
    ((name, mission),) = scenario.missions.items()
    vertex = scenario.parts.areas.aim_at(scenario.centre)[0]
    words = [key for key, fact in mission.facts.items() if hasattr(fact, "preregistered")]
    group = mission.facts[words[0]]
    if registered:
        group = attrs.evolve(group, preregistered=vertex)
    if height:
        forces = attrs.evolve(group.forces, heights=((scenario.centre, "nobody"),))
        group = attrs.evolve(group, forces=forces)
    mission = attrs.evolve(mission, facts={**mission.facts, **dict.fromkeys(words, group)})
    changed = attrs.evolve(scenario, missions={name: mission})
    exactly = Fraction(accurate, 6)
    expected = exactly + (1 - exactly) * Fraction(2, 3)
    assert changed.parts.hit_chance(changed, name) == expected


def test_a_position_whose_fire_is_stronger_than_its_game_allows_is_refused_in_words():
    sources = Sources(Catalogue.installed(), {})
    assert position_of("fp1 asl/ridge a{strength=1/2}", sources)
    with pytest.raises(FileError, match="a: strength 2, but its fire is never stronger than 1"):
        position_of("fp1 asl/ridge a{strength=2}", sources)


def test_a_position_that_moves_an_immobile_unit_is_refused_in_words():
    # The rules would read the staged place, and so answer another question.
    sources = Sources(Catalogue.installed(), {})
    assert position_of('fp1 asl/ridge "2nd squad"{place=@K7}', sources)
    with pytest.raises(
        FileError, match="2nd squad: units do not move in this scenario, and it starts at K7"
    ):
        position_of('fp1 asl/ridge "2nd squad"{place=@K9}', sources)
