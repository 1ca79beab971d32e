"""A setup with few hexes, in which a battery can do at least as much, bounds what it can do."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from importlib.resources import files
from pathlib import Path
from random import Random
from tempfile import mkdtemp

import attrs
import pytest
from support_solver import goal_of, process_of

from fireplan.solver import Estimate, TooLargeError
from fireplan.solver.best import values_of
from fireplan.solver.best.bounds import Bounded, relaxed_bound
from fireplan.solver.best.induction import best
from fireplan.solver.best.joining import join
from fireplan.solver.best.trials import PolicyTrial
from fireplan_core import ProcedureError
from fireplan_core.mission import Stage
from fireplan_core.play import Catalogue
from fireplan_kit import Bench
from fireplan_kit.relaxed_setups import exceeding_orders

relaxed = pytest.importorskip("fireplan_asl.relaxed")

GOALS = (
    "on_target", "hit", "falls", "moments_under_fire", "strikes", "suppressed", "destroyed",
)  # fmt: skip
EDGE_GOALS = "hit", "falls", "strikes", "suppressed"
MOMENTS = 3
TRIALS = 12
IMPACT, SMOKE = "missions/a/impact", "shared/areas/cells"


def text_of(name, old="", new=""):
    """Return the text of a scenario with one passage replaced."""
    text = (files("fireplan_asl") / f"data/scenarios/{name}.toml").read_text()
    assert old in text
    return text.replace(old, new, 1)


def process_with(tmp_path, old="", new="", moments=MOMENTS, name="village"):
    path = tmp_path / f"{name}.toml"
    path.write_text(text_of(name, old, new))
    return process_of(str(path), moments)


def process_of_shipped(name, moments):
    return process_of(f"asl/{name}", moments)


shipped = cache(process_of_shipped)


@cache
def bound_of(process, name):
    """Return the bound of a goal in the relaxed process."""
    return relaxed_bound(process, goal_of(process, name))


def orders_drawn(seed, bent):
    """Return a policy that draws each order by seed, question and moment, for ``bent`` only."""

    def choose(ask, read, legal):
        if bent is not None and ask.question != bent:
            return ()
        random = Random(f"{seed} {ask.question} {read('clock/moment', 0)}")
        orders = sorted(legal(), key=repr)
        verb = random.choice(sorted({order.verb for order in orders}))
        return (random.choice([order for order in orders if order.verb == verb]),)

    return choose


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(
            '3rd squad"\nside = "russian"', '3rd squad"\nside = "german"', id="own troops near"
        ),
        pytest.param(
            'calibre = 81\nweapon = "mortar"', 'calibre = 150\nweapon = "rocket"', id="rockets"
        ),
        pytest.param("no_ground", 'preregistered = ["K5"]\nno_ground', id="two Observers"),
    ],
)
def test_it_is_refused_where_it_might_be_worse(tmp_path, old, new):
    process = process_with(tmp_path, old, new)
    assert process.relaxed(goal_of(process, "suppressed")) is None


SCATTERED = """
game = "asl"
title = "Scattered squads"
summary = "Squads that no single fire covers."
moments = 2
date = 1943-08-12
{lines}

[[battery]]
id = "a"
side = "german"
nationality = "german"
calibre = 81
weapon = "mortar"
link = "offboard"
target = "K5"
observer = "K1"
missions = {missions}

[[unit]]
id = "1st squad"
side = "russian"
hex = "K5"
morale = 7

[[unit]]
id = "2nd squad"
side = "russian"
hex = "{other}"
morale = 7
"""


def relaxed_scattered(tmp_path, lines, missions, other):
    path = tmp_path / "scattered.toml"
    path.write_text(SCATTERED.format(lines=lines, missions=missions, other=other))
    process = process_of(str(path), 2)
    return process.relaxed(goal_of(process, "strikes"))


def test_it_is_refused_on_a_map_with_too_few_hexes_to_name_its_shots(tmp_path):
    shots = "", '["concentration"]', "K8"
    assert relaxed_scattered(tmp_path, *shots) is not None
    area = 'play_area = ["K1", "K5", "K6", "K7", "K8"]'
    assert relaxed_scattered(tmp_path, area, *shots[1:]) is None


def test_harassing_fire_may_reach_farther_than_a_barrage(tmp_path):
    """Harassing Fire at K7 covers both squads, two hexes away; the Barrage arm is one hex."""
    lines, missions = "numbers.barrage_arm = 1", '["harassing"]'
    scenario = relaxed_scattered(tmp_path, lines, missions, "K9").scenario
    places, frame = scenario.missions["a"].facts["areas"].settling.places, scenario.frame
    assert places[frame.parse("K7")] == frame.parse("K7")


def test_a_forced_correction_of_an_ffe_errs_without_limit():
    """In the set piece, no shot that errs by one hex does as well as some of these."""
    process = shipped("set_piece", MOMENTS)
    shots = settling_of(process, "suppressed").shots[-relaxed.NEAREST].values()
    assert {1, relaxed.CAPS[-1]} == {shot.cap for shot in shots}


@pytest.mark.parametrize("off", range(relaxed.NEAREST, relaxed.FARTHEST + 1))
def test_an_ffe_is_corrected_by_a_few_hexes_only(off):
    process = shipped("set_piece", MOMENTS)
    setup, number = process.scenario.missions["a"], process.scenario.parts.areas.number
    goal = goal_of(process, "falls")
    spreads = relaxed._Spreads(
        setup, process.scenario.frame, frozenset({setup.target}), number, halves_first=True
    )
    shots = process.relaxed(goal).scenario.missions["a"].facts["areas"].settling.shots[-off]
    nearest = min(spreads.off(shot.aim) for shot in shots.values())
    assert nearest == (0 if off == relaxed.NEAREST else off - number("ffe_correction"))


# --- targets near the edge of the map -------------------------------------------------------------
@cache
def at_the_edge(moments=2):
    """Return a process in which many SRs land off the map, where nobody sees them."""
    text, _, _ = text_of("creeping").partition("barrage =")
    _, _, units = text_of("creeping").partition("radio = true")
    path = Path(mkdtemp()) / "edge.toml"
    path.write_text(text + units)
    return process_of(str(path), moments)


def settling_of(process, goal):
    return process.relaxed(goal_of(process, goal)).scenario.missions["a"].facts["areas"].settling


@pytest.mark.full
@pytest.mark.parametrize("moments", [2, pytest.param(3, marks=pytest.mark.long)])
def test_no_orders_are_better_than_the_bound_at_the_edge(moments):
    process = at_the_edge(moments)
    goal = goal_of(process, "falls")
    explored = process.varied(max_nodes=10**5, max_runs=10**6).explored([goal])
    (optimum,) = best(join(explored, [goal], process.moments)).values
    assert optimum <= bound_of(process, "falls") < optimum * Fraction(21, 20)


@pytest.mark.full
@pytest.mark.parametrize("seed", range(1, TRIALS))
def test_no_policy_is_better_than_the_bound_at_the_edge(seed):
    process = at_the_edge(4)
    bent = Random(seed).choice(["requests.fire", "requests.type", "delays.contact"])
    goals = [goal_of(process, goal) for goal in EDGE_GOALS]
    try:
        values = values_of(process, goals, orders_drawn(seed, bent), max_runs=100_000)
    except (TooLargeError, ProcedureError):
        pytest.skip("the orders are too large to follow")
    for goal, value in zip(EDGE_GOALS, values, strict=True):
        assert value <= bound_of(process, goal), goal


def test_spotting_rounds_off_the_map_settle_off_the_map():
    process = at_the_edge()
    settling, on_map = settling_of(process, "falls"), process.scenario.frame.on_map
    assert not all(map(on_map, settling.places))
    for at in settling.places:
        assert on_map(settling.places[at])
        assert on_map(settling.spots[at]) == on_map(at)


def test_spotting_rounds_off_the_map_may_be_corrected_with_any_error():
    process = at_the_edge()
    shots = settling_of(process, "falls").shots[relaxed.UNSEEN].values()
    registered = process.scenario.missions["a"].facts["areas"].registered
    assert {shot.cap for shot in shots} == {relaxed.CAPS[-1]}
    assert {shot.accurate for shot in shots if shot.aim not in registered} == {0}


def test_spotting_rounds_off_the_map_are_removed_or_corrected():
    process = at_the_edge()
    relaxed_process = process.relaxed(goal_of(process, "falls"))
    explored = relaxed_process.explored([goal_of(relaxed_process, "falls")])
    values = explored.chain.states(("missions/a/impact", "missions/a/stage"))
    on_map, verbs = process.scenario.frame.on_map, set()
    for node in explored.decides:
        impact, stage = values[node]
        asked = explored.chain.tops[node].question == "requests.fire"
        if asked and stage is Stage.SPOTTING and not on_map(impact):
            verbs |= {order.verb for order in explored.orders(node)}
    assert {"correct", "cancel", "replace"} <= verbs
    assert verbs.isdisjoint({"leave", "convert", "correct_convert"})


def test_orders_against_fire_are_not_bounded():
    process = shipped("village", MOMENTS)
    assert process.relaxed(goal_of(process, "own_troops_under_fire")) is None


@pytest.mark.parametrize("name", ["village", "set_piece"])
def test_rounds_settle_in_few_hexes_and_smoke_hides_nothing(name):
    process = shipped(name, MOMENTS).relaxed(goal_of(shipped(name, MOMENTS), "falls"))
    explored = process.explored([goal_of(process, "falls")])
    assert explored.decides
    written = {key: set() for key in (IMPACT, SMOKE)}
    for pending in process.compiler.compiled:
        for row in rows_below(process, pending):
            for key, value in row.outcome.updates:
                written.setdefault(key, set()).add(value)
    settling = process.scenario.missions["a"].facts["areas"].settling
    settled = {*settling.places.values(), *settling.spots.values()}
    assert written[IMPACT] - {None} <= settled
    assert len(settled) <= 9
    assert written[SMOKE] <= {()}


def rows_below(process, pending):
    for node in process.compiler._below(pending):
        yield from getattr(node, "rows", ())


@pytest.mark.parametrize("name", ["village", "set_piece"])
def test_each_hex_covers_what_its_rounds_would_cover(name):
    process = shipped(name, MOMENTS)
    setup = process.relaxed(goal_of(process, "suppressed")).scenario.missions["a"]
    gunnery, number = setup.facts["areas"], process.scenario.parts.areas.number
    units = process.scenario.units.values()
    targets = {unit.place for unit in units if unit.side != process.scenario.firer}
    for place, settles in gunnery.settling.places.items():
        covered = [relaxed.targets_covered(gunnery, at, targets, number) for at in (place, settles)]
        assert covered[0] <= covered[1]


@pytest.mark.parametrize("name", ["village", "set_piece"])
@pytest.mark.parametrize("seed", range(TRIALS))
def test_no_policy_is_better_than_the_bound(name, seed):
    process = shipped(name, MOMENTS)
    bent = Random(seed).choice([None, "requests.fire", "requests.type", "delays.contact"])
    goals = [goal_of(process, goal) for goal in GOALS]
    try:
        values = values_of(process, goals, orders_drawn(seed, bent) if seed else None)
    except (TooLargeError, ProcedureError):
        pytest.skip("the orders are too large to follow")
    for goal, value in zip(GOALS, values, strict=True):
        bound = bound_of(process, goal)
        assert bound is not None
        assert value <= bound, goal


@pytest.mark.full
def test_the_fire_of_a_creeping_barrage_counts_too():
    process = shipped("creeping", 2)
    for goal in ("falls", "strikes"):
        (value,) = values_of(process, [goal_of(process, goal)])
        assert 0 < value <= bound_of(process, goal)


def test_shots_that_are_left_out_are_noticed(monkeypatch):
    """If only the worst shot can be fired, the bound is below what the standard orders reach."""
    process = process_of_shipped("village", 4)
    goal = goal_of(process, "falls")
    (value,) = values_of(process, [goal])
    assert value <= relaxed_bound(process, goal)
    monkeypatch.setattr(relaxed, "_undominated", lambda _, shots: [*shots][-1:])
    assert relaxed_bound(process_of_shipped("village", 4), goal) < value


def test_shots_that_err_less_are_noticed(monkeypatch):
    """If errors of shots are left out, the bound is higher."""
    process = process_of_shipped("set_piece", 3)
    goal = goal_of(process, "falls")
    bound = relaxed_bound(process, goal)
    monkeypatch.setattr(relaxed._Spreads, "accuracy", lambda *_: 6)
    assert relaxed_bound(process_of_shipped("set_piece", 3), goal) > bound


@pytest.mark.full
def test_the_kit_notices_a_setup_in_which_less_can_be_done(monkeypatch):
    bench = Bench(Catalogue.installed(only=("asl",)), "asl")
    monkeypatch.setattr(relaxed, "_undominated", lambda _, shots: [*shots][-1:])
    (flaw,) = exceeding_orders(bench)
    assert "is the most in the setup that relaxed of the areas returns" in flaw


def test_a_sample_above_a_bound_that_is_reached_is_left_out():
    estimate = Estimate(1.5, 0.1)
    trial = PolicyTrial(estimate, None, estimate, estimate, 100)
    goal = goal_of(shipped("village", MOMENTS), "falls")
    sampled = Bounded(goal, Fraction(1), Fraction(1), Fraction(2), trial=trial)
    assert sampled.without_beaten_trial() is sampled
    assert attrs.evolve(sampled, value=Fraction(2)).without_beaten_trial().trial is None
    reached = attrs.evolve(sampled, bound=Fraction(1))
    assert reached.without_beaten_trial().trial is None
