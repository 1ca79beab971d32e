"""Harm bounded by the worst of each strike: never below the truth, even if orders depend on earlier
strikes.
"""

from __future__ import annotations

import random
from contextlib import suppress
from fractions import Fraction
from functools import cache
from statistics import mean

import attrs
import pytest
from tiers import one_in

from fireplan.solver import TooLargeError
from fireplan.solver.best import (
    MEASURES,
    OpenDecisions,
    Process,
    best,
    bounded,
    join,
    strike_bounds,
    values_of,
)
from fireplan.solver.best import bounds as search_module
from fireplan.solver.best.goals import Harm, at_any_place
from fireplan.solver.best.strike_bounds import counted, priced, strike_goals
from fireplan.solver.places import Automaton
from fireplan_core import Event, Order, Scenario, Severity, Step
from fireplan_core.play import Catalogue, Variation, find_scenario

CASES = [
    ("asl/ridge", 3, "suppressed"),
    ("asl/ridge", 3, "destroyed"),
    ("red_poppies/fourteenth_corps", 3, "suppressed"),
    ("asl/ridge", 4, "reduced"),
    ("red_poppies/battle_for_pinon", 2, "suppressed"),
]


def process(name: str, moments: int) -> Process:
    if name.partition("/")[0] not in Catalogue.installed().games:
        pytest.skip("the game is not installed")
    scenario, _ = find_scenario(Catalogue.installed(), name)
    return Process(
        scenario, moments, OpenDecisions(scenario.firer, aimed=frozenset(scenario.questions))
    )


def goal_of(whole: Process, name: str) -> Harm:
    return MEASURES[name].goal_of(whole.scenario, whole.open_decisions.side)


def solved(explored, goal, moments: int) -> Fraction:
    return best(join(explored, [goal], moments)).values[0]


def bounds_of(whole: Process, goal: Harm) -> list[Fraction]:
    mission, _ = whole.struck(goal)
    return [
        sum((solved(mission, each, whole.moments) for each in goals), Fraction(0))
        for goals in strike_goals(whole, goal)
    ]


@pytest.mark.parametrize(("name", "moments", "goal"), one_in(5, CASES))
def test_no_bound_by_strikes_is_below_the_true_optimum(name, moments, goal):
    whole = process(name, moments)
    harm = goal_of(whole, goal)
    optimum = solved(whole.explored([harm]), harm, moments)
    assert optimum > 0
    assert min(bounds_of(whole, harm)) >= optimum


@pytest.mark.full
def test_a_bound_that_forgets_later_strikes_is_noticed(monkeypatch):
    whole = process("asl/ridge", 3)
    harm = goal_of(whole, "suppressed")
    optimum = solved(whole.explored([harm]), harm, 3)
    monkeypatch.setattr(strike_bounds, "most_strikes", lambda *_: 1)
    assert min(bounds_of(whole, harm)) < optimum


# --- random missions, with every way to order them -----------------------------------------------
UNITS = {"a": ("a1", "a2"), "b": ("b1",)}
GOAL = Harm({"a1": Fraction(1, 2), "a2": Fraction(1, 3), "b1": Fraction(1, 6)}, Severity.SUPPRESSED)


def suffered(unit: str) -> Event:
    return Event("suffered", "", (("unit", unit), ("severity", Severity.SUPPRESSED)))


def random_place(rng: random.Random, scope: str) -> Automaton:
    """Return a place whose units are harmed with chances that depend on what has happened there."""
    letters = tuple(Step("resolution.strike", (scope, number), scope) for number in range(2))
    moves = []
    for _ in range(3):
        by_letter = {}
        for number in range(2):
            weights = [rng.randint(0, 3) + (way == 0) for way in range(3)]
            ends = []
            for weight in filter(None, weights):
                units = [unit for unit in UNITS[scope] if rng.random() < 0.3]
                share = Fraction(weight, sum(weights))
                ends.append((rng.randrange(3), tuple(map(suffered, units)), share))
            by_letter[number] = tuple(ends)
        moves.append(by_letter)
    return Automaton(letters, tuple(moves))


def random_mission(rng: random.Random, places, most: int):
    """Return layers of nodes; an order leads at random to a node of the next layer, perhaps with a
    strike.
    """
    letters = [None, *(letter for place in places for letter in place.letters)]
    return [
        [
            [
                [(rng.randint(1, 3), rng.randrange(3), rng.choice(letters)) for _ in range(2)]
                for _ in range(2)
            ]
            for _ in range(3)
        ]
        for _ in range(most)
    ]


def most_harm(mission, places) -> Fraction:
    """Return the harm of the best orders of a side that sees the result of each strike."""

    @cache
    def value(layer: int, node: int, states: tuple[int, ...], harmed: frozenset[str]) -> Fraction:
        if layer == len(mission):
            return Fraction(0)
        return max(
            sum(
                weight * after(layer, target, letter, states, harmed)
                for weight, target, letter in order
            )
            / sum(weight for weight, _, _ in order)
            for order in mission[layer][node]
        )

    def after(layer, target, letter, states, harmed) -> Fraction:
        if letter is None:
            return value(layer + 1, target, states, harmed)
        position = next(n for n, place in enumerate(places) if letter in place.letters)
        total = Fraction(0)
        moves = places[position].moves[states[position]][places[position].letters.index(letter)]
        for state, events, share in moves:
            now = harmed | {event["unit"] for event in events}
            done = sum(GOAL.shares[unit] for unit in now - harmed)
            following = (*states[:position], state, *states[position + 1 :])
            total += share * (done + value(layer + 1, target, following, now))
        return total

    return value(0, 0, (0,) * len(places), frozenset())


def most_earned(mission, goal) -> Fraction:
    @cache
    def value(layer: int, node: int, state) -> Fraction:
        if layer == len(mission):
            return Fraction(0)
        return max(
            sum(weight * after(layer, target, letter, state) for weight, target, letter in order)
            / sum(weight for weight, _, _ in order)
            for order in mission[layer][node]
        )

    def after(layer, target, letter, state) -> Fraction:
        if letter is None:
            return value(layer + 1, target, state)
        state, (earned, _) = goal.see(state, letter)
        return earned + value(layer + 1, target, state)

    return value(0, 0, goal.initial)


def test_no_orders_in_missions_made_at_random_do_more_harm_than_strikes_earn():
    rng = random.Random(39)
    ratios = []
    for _ in range(60):
        places = [random_place(rng, "a"), random_place(rng, "b")]
        mission = random_mission(rng, places, 4)
        harm = most_harm(mission, places)
        bounds = [most_earned(mission, goal) for goal in priced(GOAL, places, 4)]
        assert min(bounds) >= harm
        ratios.append(min(bounds) / harm if harm else 1)
    assert mean(ratios) < 1.5


def test_prices_without_the_harm_that_a_place_yields_are_noticed(monkeypatch):
    rng = random.Random(39)
    monkeypatch.setattr(
        strike_bounds.PlaceYields, "_written", lambda _self, yields: dict.fromkeys(yields, 0)
    )
    below = 0
    for _ in range(20):
        places = [random_place(rng, "a"), random_place(rng, "b")]
        mission = random_mission(rng, places, 4)
        bounds = [most_earned(mission, goal) for goal in priced(GOAL, places, 4)]
        below += min(bounds) < most_harm(mission, places)
    assert below


def test_a_unit_is_harmed_in_n_strikes_with_the_chance_that_not_all_of_them_fail():
    strike = Step("resolution.strike", ("a", 0), "a")
    goal = counted(GOAL, "a1", {strike: Fraction(1, 4)}, 3)
    state, total = goal.initial, Fraction(0)
    for _ in range(5):  # strikes beyond the most that can fall add nothing
        state, (earned, _) = goal.see(state, strike)
        total += earned
    assert 0 <= total - Fraction(1, 2) * (1 - Fraction(3, 4) ** 3) < Fraction(1, 10**8)


def test_harm_by_anything_but_strikes_has_no_such_bound():
    with pytest.raises(TooLargeError):
        counted(GOAL, "a1", {Step("resolution.gas", ("a",), "a"): Fraction(1, 4)}, 3)


# --- limits of 1943's chits and bases ------------------------------------------------------------
def chits(**numbers: str):
    if "miniatures_1943" not in Catalogue.installed().games:
        pytest.skip("the game is not installed")
    name = "miniatures_1943/chits_in_hand"
    return find_scenario(Catalogue.installed(), name, Variation(numbers=numbers))


def test_6_1_f_a_chit_in_hand_arrives_no_sooner_than_its_line_is_long():
    """The standard orders call for fire at once; it has fallen when its turn of 3 minutes ends."""
    scenario, form = chits()
    whole = Process(scenario, form.moments, OpenDecisions(scenario.firer))
    goal = MEASURES["minutes_to_first_effect"].goal_of(scenario, scenario.firer)
    (standard,) = values_of(whole, [goal])
    assert standard == whole.most_of(goal)
    limit = scenario.parts.fire_limit(scenario, "american barrage 1", 1)
    assert standard == 3 * (form.moments - limit.earliest - 1)


@pytest.mark.parametrize(("goal", "faces"), [("suppressed", 2), ("destroyed", 1)])
def test_6_3_three_barrages_have_the_effect_of_three_rolls(goal, faces):
    """A prone base of personnel is disrupted on 5 and removed on 6, with one roll per barrage
    (6.2.g).
    """
    scenario, form = chits()
    whole = Process(scenario, form.moments, OpenDecisions(scenario.firer))
    harm = goal_of(whole, goal)
    (standard,) = values_of(whole, [harm])
    assert standard == whole.most_of(harm) == 1 - Fraction(6 - faces, 6) ** 3


def test_a_base_that_may_stand_up_has_a_higher_bound():
    scenario, _ = chits()
    chances = [
        scenario.parts.harm_chance(
            scenario, "gun", Severity.SUPPRESSED, "american barrage 1", usual=usual
        )
        for usual in (True, False)
    ]
    assert chances == [Fraction(2, 6), Fraction(3, 6)]


def test_6_2_b_own_barrages_on_their_targets_harm_only_bases_within_reach():
    """By the standard orders no base moves, and every marker lies on its target."""

    def own_fire(name: str, unit: str, mission: str, *, usual: bool = True, **numbers: str):
        numbers_changed = Variation(numbers=numbers)
        scenario, _ = find_scenario(
            Catalogue.installed(), f"miniatures_1943/{name}", numbers_changed
        )
        return scenario.parts.harm_chance(scenario, unit, Severity.DESTROYED, mission, usual=usual)

    chits()  # skips if the game is not installed
    farm = "hedgerow_farm", "machine gun"
    assert own_fire(*farm, "german barrage 1") == 0
    assert own_fire(*farm, "german barrage 1", usual=False) == Fraction(2, 6)
    assert own_fire(*farm, "american barrage 1") == Fraction(1, 6)
    reached = {
        yards: own_fire(
            "river_crossing", "bank post", "soviet barrage 1", barrage_yards_spotted=yards
        )
        for yards in ("129", "130")
    }
    assert reached == {"129": 0, "130": Fraction(1, 6)}


def test_6_2_a_a_barrage_on_its_own_target_reaches_no_base_beyond_its_radius():
    """A base at an angle in place of the bank post is 147.3 yards from the German target."""
    chits()  # skips if the game is not installed
    name, bank, trench = "miniatures_1943/river_crossing", (0, 40), (-80, 180)

    def crossing(**numbers: str) -> Scenario:
        return find_scenario(Catalogue.installed(), name, Variation(numbers=numbers))[0]

    limits = {
        (yards, mission, place): scenario.parts.cover_limit(scenario, mission, place)
        for yards in ("140", "147", "148")
        for scenario in [crossing(barrage_yards_spotted=yards)]
        for mission in ("german barrage 1", "italian barrage 1")
        for place in (bank, trench)
    }
    assert {key for key, limit in limits.items() if limit is not None} == {
        ("140", "german barrage 1", bank),
        ("147", "german barrage 1", bank),
        *((yards, "italian barrage 1", bank) for yards in ("140", "147", "148")),
    }
    assert set(limits.values()) == {0, None}
    farm, _ = find_scenario(Catalogue.installed(), "miniatures_1943/hedgerow_farm")
    assert farm.parts.cover_limit(farm, "american air strike 1", (0, 9000)) is None


def test_orders_at_places_that_no_question_offers_have_a_higher_bound():
    """A marker may be typed at any point, from where a barrage reaches the bank post as well."""
    chits()  # skips if the game is not installed
    scenario, form = find_scenario(Catalogue.installed(), "miniatures_1943/river_crossing")
    anywhere = {("requests.marker", "at"): ((0, 100),)}
    usual, free = (
        Process(scenario, form.moments, OpenDecisions(scenario.firer, also=also))
        for also in ({}, anywhere)
    )
    assert usual.most_of(goal_of(usual, "destroyed")) < free.most_of(goal_of(free, "destroyed"))
    strikes = MEASURES["strikes"].goal_of(scenario, scenario.firer)
    in_trench, in_woods = 4, 1 + Fraction(5, 6) + Fraction(25, 36)
    assert usual.most_of(strikes) == Fraction(in_trench + in_woods) / 3
    assert free.most_of(at_any_place(strikes)) == 4

    def stop(_result: object) -> None:
        raise KeyboardInterrupt

    assert bounded(free, strikes, lambda: 0, stop).bound == 4


THREE_ROLLS = 1 + Fraction(5, 6) + Fraction(25, 36)
"""The mean number of strikes on a base that each of three removes with a chance of 1 in 6."""


def test_strikes_are_counted_if_the_mission_reads_their_effects():
    """Bases that the first or second barrage removes are not struck again (6.3.a)."""
    scenario, form = chits()
    whole = Process(scenario, form.moments, OpenDecisions(scenario.firer))
    goal = MEASURES["strikes"].goal_of(scenario, scenario.firer)
    (standard,) = values_of(whole, [goal])
    assert standard == THREE_ROLLS == whole.most_of(goal)


class StepsIntoTheGap:
    """Orders that place one chit a turn, and move the spotter where the section was removed."""

    def __call__(self, ask, read, legal):
        if ask.question == "requests.request":
            yield Order.of("place", barrages=1, air_strikes=0, dummies=0)
        if ask.question == "resolution.movement":
            here = read("units/spotter team/place", None)
            to = {(0, -320): (0, 60), (0, 60): (0, 0)}.get(here)
            if to is not None and (to == (0, 60) or read("units/section/place", None) is None):
                yield Order.of("move", base="spotter team", to=to)


def test_own_troops_in_the_place_of_a_removed_enemy_do_not_count_as_struck():
    """Otherwise the spotter, where the section stood, would earn more than the bound allows."""
    scenario, form = chits()
    whole = Process(scenario, form.moments, OpenDecisions(scenario.firer))
    goal = MEASURES["strikes"].goal_of(scenario, scenario.firer)
    anywhere = attrs.evolve(goal, removable=frozenset())
    value, with_own = values_of(whole, [goal, anywhere], StepsIntoTheGap())
    assert value == THREE_ROLLS == whole.most_of(goal) < with_own


def test_no_movement_order_or_request_beats_the_bound_of_strikes():
    scenario, form = chits()
    whole = Process(scenario, form.moments, OpenDecisions(scenario.firer))
    goal = MEASURES["strikes"].goal_of(scenario, scenario.firer)
    values = []
    for seed in random.Random(39).sample(range(10_000), 40):
        with suppress(TooLargeError):
            values.append(values_of(whole, [goal], drawn(seed))[0])
    assert len(values) > 20
    assert max(values) <= whole.most_of(goal)


STEPS = [(east, south) for east in (0, 60) for south in (-60, 0, 60)]
"""Points in and beside the places of the two German bases."""


def drawn(seed: int):
    """Return a policy that draws an order for each question and moment, and a point to move to."""

    def choose(ask, read, legal):
        generator = random.Random(f"{seed} {ask.question} {read('clock/moment', 0)}")
        orders = sorted(legal(), key=repr)
        if ask.question == "resolution.movement":
            to = generator.choice(STEPS)
            yield from (order for order in orders if ("to", to) in order.values)
        elif ask.question != "resolution.firing":  # a base may fire without end
            verb = generator.choice(sorted({order.verb for order in orders}))
            yield generator.choice([order for order in orders if order.verb == verb])

    return choose


@pytest.mark.full
@pytest.mark.parametrize(("modifier", "wins"), [("0", 15), ("-5", 35)])
def test_s_a_an_air_strike_is_struck_with_the_chance_of_air_superiority(modifier, wins):
    """The roll comes before play, so the last of five strikes counts with its chance."""
    chits()  # skips if the game is not installed
    scenario, form = find_scenario(Catalogue.installed(), "miniatures_1943/hedgerow_farm")
    phases = attrs.evolve(scenario.shared["delays"], modifier=int(modifier))
    scenario = attrs.evolve(scenario, shared={**scenario.shared, "delays": phases})
    chance = Fraction(wins, 36)
    assert scenario.parts.fire_chance(scenario, "american air strike 1") == chance
    assert scenario.parts.fire_chance(scenario, "american barrage 1") == 1
    whole = Process(scenario, form.moments, OpenDecisions(scenario.firer))
    goal = MEASURES["strikes"].goal_of(scenario, scenario.firer)
    gun = [Fraction(5, 6) ** strike for strike in range(5)]
    struck = 2 * (4 + chance) + sum(gun[:4]) + chance * gun[4]
    assert whole.most_of(goal) == struck / 3
    falls = MEASURES["falls"].goal_of(scenario, scenario.firer)
    assert values_of(whole, [goal, falls]) == (struck / 3, 4 + chance)
    assert whole.most_of(falls) == 4 + chance


def test_6_3_d_a_base_in_hard_cover_is_not_removed_by_a_roll_that_cover_turns_away():
    """In hard cover only the modified roll counts; ground that touches a trench may give cover."""
    chits()  # skips if the game is not installed
    scenario, _ = find_scenario(Catalogue.installed(), "miniatures_1943/hedgerow_farm")
    bases = ("farm guard", "trench guard", "machine gun", "tank")
    chances = {
        base: scenario.parts.removal_chance(scenario, base, "german barrage 1") for base in bases
    }
    assert chances == dict(zip(bases, (0, 0, Fraction(1, 6), 0), strict=True))
    open_ground = attrs.evolve(scenario.units["farm guard"].slots["resolution"], hard_cover=False)
    guard = scenario.units["farm guard"]
    guard = attrs.evolve(guard, slots={**guard.slots, "resolution": open_ground})
    bare = attrs.evolve(scenario, units={**scenario.units, "farm guard": guard})
    assert bare.parts.removal_chance(bare, "farm guard", "german barrage 1") == 0


def test_when_to_place_chits_is_solved_without_units_and_followed_with_them(monkeypatch):
    """One chit a turn is best; what it is worth without units is not taken for its value here."""
    scenario, form = chits()
    whole = Process(scenario, form.moments, OpenDecisions(scenario.firer))
    goal = MEASURES["moments_under_fire"].goal_of(scenario, scenario.firer)
    (standard,) = values_of(whole, [goal])
    alone = whole.without_units(["requests.request"])
    assert (len(alone.scenario.units), set(alone.scenario.missions)) == (0, set(scenario.missions))
    monkeypatch.setattr(search_module, "policy_values", None)
    before = search_module.Bounded(goal, standard, standard, whole.most_of(goal))
    found = search_module._solve_without_units(search_module.Search(whole), before)
    assert (standard, found.value) == (1, 3)
    assert not any(key.startswith("units/") for key in found.policy.keys)
    orders = [str(decision.orders[decision.best[0]]) for decision in found.policy.situations]
    assert max(orders.count(order) for order in orders if "barrages=1" in order) == 3
    monkeypatch.setattr(search_module, "values_of", lambda *_: (Fraction(2),))
    assert search_module._solve_without_units(search_module.Search(whole), before).value == 2


def test_a_mission_known_to_read_its_targets_is_not_explored_without_them(monkeypatch):
    """Orders to move name the places of bases, which barrages remove."""
    scenario, _ = chits()
    whole = Process(scenario, 2, OpenDecisions(scenario.firer, {"requests.request": ()}))
    falls = MEASURES["falls"].goal_of(scenario, scenario.firer)
    assert whole.explored([falls]).decides
    monkeypatch.delattr(Process, "mission_apart")
    assert whole.struck(goal_of(whole, "destroyed")) is None


# --- limits of massed fire in Red Poppies --------------------------------------------------------
def massed(name: str, moments: int, **numbers: str) -> Process:
    if "red_poppies" not in Catalogue.installed().games:
        pytest.skip("the game is not installed")
    scenario, _ = find_scenario(
        Catalogue.installed(), f"red_poppies/{name}", Variation(numbers=numbers)
    )
    return Process(scenario, moments, OpenDecisions(scenario.firer))


@pytest.mark.parametrize("lowest", [6, 5])
def test_7_12_a_bombardment_strikes_once_and_eliminates_by_its_die(lowest):
    """Units in trenches or a village roll once; the paralyzing barrage eliminates nobody (7.43)."""
    whole = massed("combined_arms_assault", 3, pulverized_eliminated=str(lowest))
    harm = goal_of(whole, "destroyed")
    (standard,) = values_of(whole, [harm])
    assert standard == whole.most_of(harm) == Fraction(7 - lowest, 6)


@pytest.mark.parametrize("lowest", [2, 4])
def test_7_43_a_dispersed_unit_is_harmed_by_massed_fire_no_more_than_it_rolls(lowest):
    """The unit rolls once for elimination by the bombardment, and twice for being spent by a
    barrage that strikes its line twice.
    """
    whole = massed("combined_arms_assault", 7, paralyzed_spent=str(lowest))
    harm = goal_of(whole, "suppressed")
    (standard,) = values_of(whole, [harm])
    spared = Fraction(5, 6) * Fraction(lowest - 1, 6) ** 2
    assert standard <= whole.most_of(harm) == 1 - spared


def test_7_12_massed_fire_eliminates_a_unit_in_the_open_without_a_roll():
    """No bound is given for units that may leave their trench."""
    scenario = massed("combined_arms_assault", 1).scenario

    def chance(unit: str, *, usual: bool = True) -> Fraction | None:
        parts = scenario.parts
        return parts.harm_chance(scenario, unit, Severity.DESTROYED, "bombardment", usual=usual)

    assert chance("reserve.1") == Fraction(1, 6)
    assert chance("flamethrowers.1") == 1
    assert chance("reserve.1", usual=False) is None
