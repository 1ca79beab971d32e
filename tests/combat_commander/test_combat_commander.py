"""Every clause of the sheet of Combat Commander: Europe, and its worked examples; a test's name has
its clause.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from pathlib import Path

import attrs
import pytest

from fireplan.analysis import find_engagement
from fireplan_combat_commander.areas import MapState
from fireplan_combat_commander.scenario import CCGround, CCScenario, CCUnit
from fireplan_core import CannotStageError, FireKind, Intent, Refusal, Severity, Stage
from fireplan_core.chance import RandomFaces
from fireplan_core.play import (
    Catalogue,
    Rulebook,
    Table,
    Variation,
    find_scenario,
    play_out,
    stage_engagement,
    stage_scenario,
)
from fireplan_core.space import disc, distance
from fireplan_core.steps.effects import Ask, Step
from fireplan_kit import LAWS, GameSuite

KEY = "combat_commander"
PAIRS = [(white, coloured) for white in range(1, 7) for coloured in range(1, 7)]


class TestKit(GameSuite):
    """The checks of the kit, each under its id; the one that draws whole hands runs before a
    release.
    """

    game = KEY

    @classmethod
    def pytest_generate_tests(cls, metafunc):
        if "check" in metafunc.fixturenames:
            dear = {"L28-drawn": pytest.mark.long}
            checks = [pytest.param(law, id=law.id, marks=dear.get(law.id, ())) for law in LAWS]
            metafunc.parametrize("check", checks)


@pytest.fixture(scope="module")
def catalogue():
    return Catalogue.installed(only=(KEY,))


@pytest.fixture(scope="module")
def plain():
    """Return the game with cards that have no triggers, as the sheet's worked examples assume."""
    found = Catalogue.installed(only=(KEY,))
    game = found.games[KEY].game
    decks = {
        nation: {number: attrs.evolve(card, trigger="") for number, card in deck.items()}
        for nation, deck in game.charts["decks"].items()
    }
    found.games[KEY] = attrs.evolve(
        found.games[KEY], game=attrs.evolve(game, charts={**game.charts, "decks": decks})
    )
    return found


def staged(catalogue, *units, ground=(), options=None, **more):
    """Return a scenario where a German leader in H1 calls 81 mm mortars on Russians in H6, five
    hexes away.
    """
    leader = CCUnit(
        id="Lt", kind="Lieutenant X", type="leader", side="firer", place=more.pop("stands", "H1")
    )
    facts = {
        "firer": "german",
        "enemy": "russian",
        "task": "attack",
        "radio_mm": 81,
        "smoke": True,
        "target": "H6",
    }
    form = CCScenario(
        game=KEY, title="a test", moments=3, spotter="Lt", unit=(leader, *units), ground=ground,
        options={"cards": "all", **(options or {})}, **{**facts, **more},
    )  # fmt: skip
    return stage_scenario(catalogue, form, Path(), Variation())


def ways(scenario, *steps, until=(), values=()):
    """Return the chance of each list of events and the values reached, following some steps to
    their end.
    """
    rulebook = Rulebook(scenario)
    found = Counter()
    todo = {
        (
            tuple(steps),
            tuple(sorted({**scenario.initial, **dict(values)}.items(), key=str)),
            (),
        ): Fraction(1)
    }
    while todo:
        (agenda, state, told), share = todo.popitem()
        if not agenda or any(event.kind in until for event in told):
            found[told, state] += share
            continue
        known = dict(state)
        top = agenda[0]
        if isinstance(top, Ask):
            top = rulebook.after(top, rulebook.answer(top, {}, known.get))
        for weight, total, outcome, _ in rulebook.branches(top, known.get):
            after = tuple(sorted({**known, **dict(outcome.updates)}.items(), key=str))
            key = (*outcome.pushes, *agenda[1:]), after, (*told, *outcome.events)
            todo[key] = todo.get(key, 0) + share * Fraction(weight, total)
    assert sum(found.values()) == 1
    return found


def chance_of(found, judge):
    return sum(share for (told, state), share in found.items() if judge(told, dict(state)))


def kinds(told):
    return [event.kind for event in told]


LOOK = Step("delays.look", ("radio", "german", "artillery_request"))
LAND = Step("areas.land", ("radio",))
AIM = {"missions/radio/aim": (7, 3), "missions/radio/intent": Intent.EFFECT}  # (7, 3) is H6


def hit(told):
    return next(event["hit"] for event in told if event.kind == "targeting")


def requested(scenario):
    """Return the values after fire has been requested."""
    return {**scenario.initial, "missions/radio/stage": Stage.REQUESTED}


# --- decks and hands ---------------------------------------------------------------------------------


def test_1_every_deck_has_72_cards_and_each_pair_of_dice_just_twice(catalogue):
    for deck in catalogue.games[KEY].game.charts["decks"].values():
        assert len(deck) == 72
        assert Counter((card.white, card.coloured) for card in deck.values()) == dict.fromkeys(
            PAIRS, 2
        )
        assert len({card.random_hex for card in deck.values()}) == 72


@pytest.mark.parametrize(
    ("nation", "counts"),
    [
        ("american", (9, 3, 12, 2, 6, 2)), ("british", (8, 3, 6, 2, 6, 2)), ("french", (7, 3, 4, 4, 4, 2)),
        ("german", (8, 2, 10, 2, 7, 2)), ("italian", (7, 2, 8, 6, 5, 2)), ("russian", (6, 3, 8, 4, 8, 2)),
    ],
)  # fmt: skip
def test_2_cards_and_triggers_are_as_many_as_the_sheet_counts(catalogue, nation, counts):
    deck = catalogue.games[KEY].game.charts["decks"][nation].values()
    orders = Counter(card.order for card in deck)
    triggers = Counter(card.trigger for card in deck)
    found = [orders["artillery_request"], orders["artillery_denied"]]
    assert (*found, *(triggers[kind] for kind in ("event", "jammed", "sniper", "time"))) == counts


@pytest.mark.parametrize(
    ("nation", "share"),
    [
        ("german", Fraction(967435, 1859987)),
        ("russian", Fraction(778335, 1859987)),
        ("american", Fraction(4204447, 7439948)),
    ],
)
def test_4_s5_a_hand_of_six_holds_a_request_as_often_as_counted(catalogue, nation, share):
    scenario = staged(catalogue, firer=nation, enemy="british")
    look = Step("delays.look", ("radio", nation, "artillery_request"))
    assert chance_of(ways(scenario, look), lambda told, _: "no_card" not in kinds(told)) == share


def test_10_a_hand_known_to_hold_a_request_changes_the_targeting_roll_as_dice_would_not(catalogue):
    """At distance 5, with at least one request in a hand of six, the chance of a hit is
    13778536/19155213, not 13/18.
    """
    scenario = staged(catalogue)
    found = ways(scenario, LOOK, until=("targeting",), values=requested(scenario))
    called = chance_of(found, lambda told, _: "targeting" in kinds(told))
    assert called == Fraction(967435, 1859987)
    both = chance_of(found, lambda told, _: "targeting" in kinds(told) and hit(told))
    assert both / called == Fraction(13778536, 19155213) != Fraction(13, 18)
    dice = staged(catalogue, options={"cards": "requests"})
    found = ways(dice, LOOK, until=("targeting",), values=requested(dice))
    assert chance_of(
        found, lambda told, _: "targeting" in kinds(told) and hit(told)
    ) / called == Fraction(13, 18)


def test_d11_an_unseen_hand_changes_nothing(catalogue):
    scenario = staged(catalogue)
    found = ways(scenario, LAND, until=("targeting",), values=AIM)
    assert chance_of(found, lambda told, _: hit(told)) == Fraction(13, 18)


def test_1_two_targeting_rolls_of_one_deck_both_hit(plain):
    """The chance is 221/426; with dice it would be 169/324."""
    scenario = staged(plain)
    once = ways(scenario, LAND, until=("targeting",), values=AIM)
    twice = sum(
        share
        * chance_of(
            ways(scenario, LAND, until=("targeting",), values=state), lambda told, _: hit(told)
        )
        for (told, state), share in once.items()
        if hit(told)
    )
    assert twice == Fraction(221, 426)


# --- requests and denials ----------------------------------------------------------------------------


def test_4_a_played_request_leaves_the_hand_and_a_broken_leader_cannot_spot(catalogue):
    scenario = staged(catalogue)
    for told, state in ways(scenario, LOOK):
        piles = Counter()
        for _, pile, kinds_of, count in dict(state)["shared/out"]:
            piles[pile, 111 in kinds_of] += count
        assert ("no_card" in kinds(told)) == (piles["german", True] + piles["german", False] == 6)
    activate = Step("delays.activate", ("radio",))
    broken = {**requested(scenario), "units/Lt/resolution/broken": True}
    assert [kinds(told) for told, _ in ways(scenario, activate, values=broken)] == [["no_leader"]]
    any_may = staged(catalogue, options={"spotter": "any"})
    fired = ways(any_may, activate, until=("targeting",), values=broken)
    assert all(kinds(told) != ["no_leader"] for told, _ in fired)


def test_5_7_denied_breaks_an_intact_radio_eliminates_a_broken_one_and_a_card_repairs_it(catalogue):
    scenario = staged(catalogue)
    deny, use = Step("delays.deny", ("radio", "russian")), Step("delays.use", ("radio",))
    broken = {"missions/radio/delays/broken": True}
    once = ways(scenario, deny, until=("radio_broken",))
    assert [kinds(told) for told, _ in once] == [["radio_broken"]]
    assert [kinds(told) for told, _ in ways(scenario, deny, values=broken)] == [["ended"]]
    ((told, state),) = ways(scenario, use, values=broken)
    assert kinds(told) == ["repaired"]
    assert dict(state)["missions/radio/delays/broken"] is False


def test_7_a_hand_of_four_denies_with_the_counted_chance(catalogue):
    """3 of 72 cards deny, so the chance is 1 minus the chance that none of the four is one of them."""
    scenario = staged(catalogue)
    look = Step("delays.look", ("radio", "russian", "artillery_denied"))
    none = Fraction(69 * 68 * 67 * 66, 72 * 71 * 70 * 69)
    assert (
        chance_of(ways(scenario, look), lambda told, _: "radio_broken" in kinds(told)) == 1 - none
    )


@pytest.mark.parametrize("cards", ["a round", "all"])
def test_7_a_second_denied_of_the_hand_eliminates_the_radio_that_the_first_broke(catalogue, cards):
    """The chance that two or three of the three denials are among four of 72 cards is 103/14910."""
    scenario = staged(catalogue, options={"cards": cards})
    turn = Step("delays.player_turn", ("russian",))
    lost = chance_of(ways(scenario, turn), lambda told, _: "ended" in kinds(told))
    assert lost == Fraction(103, 14910)


def test_6_radios_are_those_of_the_counters(catalogue):
    with pytest.raises(CannotStageError, match=r"no russian radio of 105 mm"):
        staged(catalogue, firer="russian", enemy="german", radio_mm=105)
    assert staged(catalogue).missions["radio"].facts["areas"].smoke


@pytest.mark.parametrize(("use", "calls"), [("turn", 1), ("card", 2)])
def test_8_d3_a_radio_is_used_once_a_turn_unless_the_option_says_once_a_card(catalogue, use, calls):
    scenario = staged(catalogue, options={"radio_use": use})
    most = 0
    for seed in range(12):
        table = play_out(Table(scenario, 1), RandomFaces(seed))
        most = max(most, sum(entry.event.kind == "targeting" for entry in table.log))
    assert most >= calls if use == "card" else most == 1


# --- spotting and targeting --------------------------------------------------------------------------


def fire(scenario, verb, at):
    rulebook = Rulebook(scenario)
    question = Ask("german", "requests.fire", ("radio",))
    forms = {form.verb: form for form in rulebook.forms(question, dict(scenario.initial).get)}
    return forms[verb].does(at=scenario.frame.parse(at))


def test_9_the_round_goes_on_any_hex_in_sight_and_woods_block(catalogue):
    scenario = staged(catalogue, ground=(CCGround(kind="woods", hexes=("H3",)),))
    assert isinstance(fire(scenario, "fire", "H6"), Refusal)
    assert not isinstance(fire(scenario, "fire", "H3"), Refusal)
    assert not isinstance(fire(scenario, "smoke", "G2"), Refusal)
    assert isinstance(fire(scenario, "fire", "-A5"), Refusal)


@pytest.mark.parametrize(
    ("stands", "target", "hits"),
    [("H6", "H6", 36), ("H5", "H6", 35), ("H4", "H6", 33), ("H3", "H6", 31), ("H2", "H6", 28), ("H1", "H6", 26),
     ("H1", "H7", 22), ("H1", "H8", 22), ("H1", "H9", 20), ("H1", "H10", 19), ("A1", "K5", 17), ("A1", "M7", 13)],
)  # fmt: skip
def test_10_the_product_must_be_more_than_the_distance(catalogue, stands, target, hits):
    scenario = staged(catalogue, stands=stands, target=target)
    aim = scenario.frame.parse(target)
    found = ways(scenario, LAND, until=("targeting",), values={"missions/radio/aim": aim})
    assert chance_of(found, lambda told, _: hit(told)) == Fraction(hits, 36)


def test_10_11_d1_the_largest_hindrance_is_added_not_their_sum(catalogue):
    ground = (CCGround(kind="orchard", hexes=("H3",)), CCGround(kind="brush", hexes=("H4",)))
    for option, hits in (("added", 20), ("ignored", 26)):  # the distance is 5, and the brush adds 3
        scenario = staged(catalogue, ground=ground, options={"hindrance": option})
        found = ways(scenario, LAND, until=("targeting",), values=AIM)
        assert chance_of(found, lambda told, _: hit(told)) == Fraction(hits, 36)


def test_11_d16_end_hexes_do_not_hinder_and_smoke_in_between_does(catalogue):
    scenario = staged(catalogue, ground=(CCGround(kind="brush", hexes=("H1", "H6")),))
    for smoke, hindrance in (((), 0), (((7, 0),), 3)):  # (7, 0) is H3
        values = {**scenario.initial, "shared/areas/smoke": smoke}
        view = Rulebook(scenario).view(Ask("german", "requests.fire", ("radio",)), values.get)
        assert view.sees("radio", (7, 3)).hindrance == hindrance


# --- drift -------------------------------------------------------------------------------------------


def drifts(scenario, *, hit):
    found = ways(
        scenario, Step("areas.drift", ("radio", hit)), until=("fall", "off_map"), values=AIM
    )
    ends = Counter()
    for (told, _), share in found.items():
        ends[next((event["impact"] for event in told if event.kind == "fall"), None)] += share
    return ends


def test_12_a_hit_drifts_one_hex_along_each_die(plain):
    ends = drifts(staged(plain), hit=True)
    off = Counter()
    for end, share in ends.items():
        off[distance((7, 3), end)] += share
    assert off == {0: Fraction(1, 6), 1: Fraction(1, 3), 2: Fraction(1, 2)}


def test_13_14_a_miss_drifts_along_the_white_die_as_far_as_the_coloured_one_says(plain):
    """From H6, four hexes in one direction along the column are on the map, and five in the other."""
    ends = drifts(staged(plain), hit=False)
    assert all(share in (Fraction(1, 36), ends[None]) for share in ends.values())
    column = [end for end in ends if end is not None and end[0] == 7]
    assert sorted(end[1] - 3 for end in column) == [-5, -4, -3, -2, -1, 1, 2, 3, 4]


@pytest.mark.parametrize(("stands", "inside"), [("H3", (1157, 2556)), ("H1", (1039, 2556))])
def test_12_13_the_aimed_hex_is_under_fire_with_the_counted_chance(plain, stands, inside):
    """The chances are counted for two successive cards of one deck, at distances 3 and 5."""
    scenario = staged(plain, stands=stands)
    found = ways(scenario, LAND, until=("fall", "off_map"), values=AIM)
    under = chance_of(
        found,
        lambda told, _: kinds(told)[-1] == "fall" and distance(told[-1]["impact"], (7, 3)) <= 1,
    )
    assert under == Fraction(*inside)


def test_14_d8_directions_run_from_the_top_hexside(catalogue):
    card = catalogue.games[KEY].game.charts["decks"]["german"]
    for option, ends in (
        ("clockwise", {14: (7, 3), 11: (7, 1), 12: (8, 1)}),
        ("anticlockwise", {12: (6, 2)}),
    ):
        scenario = staged(catalogue, options={"directions": option})
        areas = scenario.parts.areas
        view = Rulebook(scenario).view(
            Ask("german", "requests.fire", ("radio",)), dict(scenario.initial).get
        )
        assert {number: areas.path(view, (7, 3), card[number], hit=True) for number in ends} == ends
        assert areas.path(view, (7, 3), card[16], hit=False) is None
        assert areas.path(view, (7, 3), card[15], hit=False) == (7, -2)


# --- impact ------------------------------------------------------------------------------------------


def suffered(found):
    worst = Counter()
    for (told, _), share in found.items():
        worst[
            max(
                (event["severity"] for event in told if event.kind == "suffered"),
                default=Severity.NONE,
            )
        ] += share
    return worst


def struck(catalogue, unit, *, ground=(), options=None, values=(), **more):
    scenario = staged(catalogue, unit, ground=ground, options=options, **more)
    attack = Step("resolution.attack", ("radio", scenario.units[unit.id].place))
    return suffered(ways(scenario, attack, values=values))


AMERICAN = {"firer": "american", "enemy": "german"}
NONE, SUPPRESSED, BROKEN, GONE = Severity


def test_16_17_firepower_10_at_morale_7_in_woods_and_in_the_open(plain):
    unit = CCUnit(id="u", kind="Rifle", place="H6")
    woods = struck(
        plain, unit, ground=(CCGround(kind="woods", hexes=("H6",)),), radio_mm=105, **AMERICAN
    )
    assert woods == {
        BROKEN: Fraction(721, 1296),
        SUPPRESSED: Fraction(35, 324),
        NONE: Fraction(145, 432),
    }
    clear = struck(plain, unit, radio_mm=105, **AMERICAN)
    assert clear == {
        BROKEN: Fraction(493, 648),
        SUPPRESSED: Fraction(13, 162),
        NONE: Fraction(103, 648),
    }


def test_18_d15_a_fortification_is_destroyed_by_just_that_roll(plain):
    unit = CCUnit(id="u", kind="Elite Rifle", place="H6", works="foxhole")
    lost = struck(plain, unit, radio_mm=75, **AMERICAN)
    assert lost == {BROKEN: Fraction(35, 324), SUPPRESSED: Fraction(19, 324), NONE: Fraction(5, 6)}
    kept = struck(plain, unit, radio_mm=75, options={"destroyed_cover": "kept"}, **AMERICAN)
    assert kept == {BROKEN: Fraction(7, 72), SUPPRESSED: Fraction(5, 81), NONE: Fraction(545, 648)}


def result(catalogue, *, beaten, options=None, moving=False, **nerve):
    scenario = staged(
        catalogue, CCUnit(id="u", kind="Rifle", place="H6", moving=moving), options=options
    )
    values = {f"units/u/resolution/{name}": value for name, value in nerve.items()}
    ((told, _),) = ways(scenario, Step("resolution.result", ("u", beaten)), values=values)
    return told[-1]["severity"] if told else NONE


def test_17_d4_d21_the_effects_of_a_tie_and_a_lost_defence(catalogue):
    assert result(catalogue, beaten=1) is BROKEN
    assert result(catalogue, beaten=1, broken=True) is GONE
    assert result(catalogue, beaten=0) is SUPPRESSED
    assert result(catalogue, beaten=0, moving=True) is BROKEN
    assert result(catalogue, beaten=0, suppressed=True) is BROKEN
    assert result(catalogue, beaten=0, suppressed=True, options={"tie_suppressed": "stays"}) is NONE
    assert result(catalogue, beaten=0, broken=True) is NONE
    assert result(catalogue, beaten=0, broken=True, options={"tie_broken": "eliminates"}) is GONE


def test_17_d5_d18_morale_cover_command_and_wire_add_up(catalogue):
    units = [
        CCUnit(id="u", kind="Rifle", place="H6", works="foxhole", wire=True),
        CCUnit(id="one", kind="Captain", type="leader", place="H6"),
        CCUnit(id="two", kind="Corporal X", type="leader", place="H6"),
    ]
    ground = (CCGround(kind="building", hexes=("H6",)),)
    scenario = staged(catalogue, *units, ground=ground, options={"suppressed_morale": -1})

    def strength(unit, *, standing=True, **nerve):
        values = {
            **scenario.initial,
            **{f"units/{key.replace('_', '/resolution/')}": on for key, on in nerve.items()},
        }
        view = Rulebook(scenario).view(Ask("german", "resolution.snipe", ((),)), values.get)
        return scenario.parts.resolution.strength(view, unit, standing=standing)

    # Russian rifles have morale 8; the foxhole adds 4, command 2 and 1, and wire takes 1 off.
    assert strength("u") == 8 + 4 - 1 + 3
    assert strength("u", standing=False) == 8 + 3 - 1 + 3  # the building gives cover
    assert strength("u", u_broken=True) == 6 + 4 - 1 + 3
    assert strength("u", u_suppressed=True) == 7 + 4 - 1 + 3
    assert strength("u", one_broken=True) == 8 + 4 - 1 + 1
    assert strength("one") == 10 + 3


def test_3_d6_the_owner_s_deck_defends_unless_the_option_says_the_opponent_s(plain):
    """If own troops are under fire, both cards come from one deck or, by the option, one from each."""
    unit = CCUnit(id="u", kind="Rifle", side="firer", place="H6")
    own, other = (
        struck(plain, unit, options={"defence_deck": option}) for option in ("owner", "opponent")
    )
    # FP 9, morale 7: the defence loses unless its dice total at least two more than the attack's.
    sums = [white + coloured for white, coloured in PAIRS]
    apart = Fraction(sum(9 + a > 7 + d for a in sums for d in sums), 36**2)
    cards = sums * 2
    one_deck = Fraction(
        sum(9 + a > 7 + d for i, a in enumerate(cards) for j, d in enumerate(cards) if i != j),
        72 * 71,
    )
    assert (own[BROKEN], other[BROKEN]) == (one_deck, apart)


def test_15_fire_covers_seven_hexes_of_the_map_and_smoke_is_all_that_smoke_does(catalogue):
    scenario = staged(catalogue, CCUnit(id="u", kind="Rifle", place="A1"), target="A1")
    values = {**scenario.initial, "missions/radio/impact": scenario.frame.parse("A1")}
    rulebook = Rulebook(scenario)
    cells, _ = rulebook.view(Ask("german", "requests.fire", ("radio",)), values.get).footprint(
        "radio"
    )
    assert {scenario.frame.label(cell) for cell in cells} == {"A1", "A2", "B1"}
    smoke = {**values, "missions/radio/kind": FireKind.SMOKE}
    ((told, state),) = ways(scenario, Step("core.fall", ("radio",)), values=smoke)
    assert kinds(told) == ["fall"]
    assert set(dict(state)["shared/areas/smoke"]) == set(cells)


def test_16_d7_d14_hexes_are_attacked_clockwise_and_empty_ones_only_by_the_option(catalogue):
    units = [CCUnit(id=name, kind="Rifle", place=name) for name in ("I6", "H7", "H6", "H5")]
    for option, cards in (("no card", 4), ("card", 7)):
        scenario = staged(catalogue, *units, options={"empty_hexes": option})
        values = {**scenario.initial, "missions/radio/impact": (7, 3)}
        branch = values, (Step("core.fall", ("radio",)),)
        rulebook, drawn, places = Rulebook(scenario), 0, []
        while branch[1]:
            known, (top, *rest) = branch
            outcome = rulebook.branches(top, known.get)[0][2]
            if top.name == "resolution.attack":
                drawn += 1
                places.append(top.args[1])
            follows = [
                step
                for step in outcome.pushes
                if step.name not in ("resolution.defend", "resolution.sniper")
            ]
            branch = {**known, **dict(outcome.updates)}, (*follows, *rest)
        assert drawn == cards
        assert [scenario.frame.label(place) for place in places[:4]] == ["H6", "H5", "I6", "H7"]
        assert set(places) <= {*disc((7, 3), 1)}


# --- triggers ----------------------------------------------------------------------------------------


def out_of(state, deck):
    return [entry for entry in state["shared/out"] if entry[0] == deck]


def test_19_time_shuffles_both_decks_scores_for_the_defender_and_takes_one_smoke(catalogue):
    scenario = staged(catalogue)
    known = (
        ("german", "discards", (11,), 1),
        ("german", "german", (12,), 1),
        ("russian", "discards", (13,), 1),
    )
    values = {"shared/out": known, "shared/areas/smoke": ((7, 0), (7, 1))}
    ((told, state),) = ways(scenario, Step("areas.time"), values=values)
    assert [(event.kind, event["side"]) for event in told] == [("time", "russian")]
    assert dict(state)["shared/out"] == (("german", "german", (12,), 1),)
    assert dict(state)["shared/areas/smoke"] == ((7, 1),)


def test_2_d12_triggers_of_cards_may_be_ignored(catalogue, plain):
    """By option a deck plays as if no card had a trigger; by default triggers come first."""
    ignored, blank = (
        ways(staged(games, options=options), LAND, until=("fall", "off_map"), values=AIM)
        for games, options in ((catalogue, {"triggers": "ignored"}), (plain, None))
    )
    assert ignored == blank
    taken = ways(staged(catalogue), LAND, until=("time", "fall", "off_map"), values=AIM)
    assert chance_of(taken, lambda told, _: "time" in kinds(told)) > Fraction(2, 72)
    assert not chance_of(ignored, lambda told, _: "time" in kinds(told))


@pytest.mark.parametrize(("option", "left"), [("shuffled", 0), ("stays out", 1)])
def test_19_d20_a_time_card_turned_is_shuffled_in_or_stays_out(catalogue, option, left):
    scenario = staged(catalogue, options={"time_card": option})
    rulebook = Rulebook(scenario)
    values = {**scenario.initial, **AIM}
    for _, _, outcome, _ in rulebook.branches(LAND, values.get):
        if any(step.name == "areas.time" for step in outcome.pushes):
            before_drift = [step for step in outcome.pushes if step.name != "areas.drift"]
            state = {**values, **dict(outcome.updates)}
            ((_, after),) = ways(scenario, *before_drift, values=state)
            assert len(out_of(dict(after), "german")) == left
            break
    else:
        pytest.fail("no card of the targeting roll has a time trigger")


def test_19_a_deck_that_runs_out_does_the_same(catalogue):
    scenario = staged(catalogue)
    every = tuple(sorted(catalogue.games[KEY].game.charts["decks"]["german"]))
    assert len(every) == 72
    # With six more cards in hand, the targeting card is the last of the deck, or the last but one.
    for out, is_last in ((65, True), (64, False)):
        values = {**AIM, "shared/out": (("german", "discards", (), out),)}
        found = ways(scenario, LAND, until=("time", "fall", "off_map"), values=values)
        assert (chance_of(found, lambda told, _: "time" in kinds(told)) == 1) is is_last


def test_20_d10_a_sniper_breaks_an_enemy_in_or_beside_the_random_hex(catalogue):
    units = [CCUnit(id="far", kind="Rifle", place="A10"), CCUnit(id="u", kind="Rifle", place="H6")]
    scenario = staged(catalogue, *units)
    found = ways(scenario, Step("resolution.sniper", ("german",)))
    deck = catalogue.games[KEY].game.charts["decks"]["german"].values()
    for unit in ("far", "u"):
        place = scenario.units[unit].place
        near = sum(distance(scenario.frame.parse(card.random_hex), place) <= 1 for card in deck)
        share = chance_of(
            found,
            lambda told, _, unit=unit: unit in [e["unit"] for e in told if e.kind == "suffered"],
        )
        assert share == Fraction(near, 72)
    # The leader is in H1.
    assert suffered(ways(scenario, Step("resolution.sniper", ("russian",))))[BROKEN] > 0


def test_20_a_sniper_of_the_drift_is_settled_before_the_impact_and_once(catalogue):
    scenario = staged(catalogue, CCUnit(id="u", kind="Rifle", place="H6"))
    values = {"shared/areas/sniped": "u"}
    ((told, state),) = ways(scenario, *(Step("resolution.settle"),) * 2, values=values)
    assert kinds(told) == ["suffered"]
    assert dict(state)["units/u/resolution/broken"] is True
    assert MapState().sniped == ""


def test_21_d9_an_event_turns_one_more_card(catalogue):
    scenario = staged(catalogue)
    ((told, state),) = ways(scenario, Step("areas.event", ("german",)))
    assert kinds(told) == ["event"]
    assert out_of(dict(state), "german") == [("german", "discards", (), 1)]


# --- turns, engagements -------------------------------------------------------------------------------


def test_s4_s5_a_side_that_played_no_card_may_discard_and_then_draws(catalogue):
    scenario = staged(catalogue)
    useless = tuple(number for number, order in scenario.parts.delays.useful(
        Rulebook(scenario).view(Ask("german", "delays.discards", ("german",)), dict(scenario.initial).get), "german"
    ).items() if not order)  # fmt: skip
    values = {"shared/out": (("german", "german", useless, 3),)}
    ((_, state),) = ways(scenario, Step("delays.end_turn", ("german",)), values=values)
    assert dict(state)["shared/out"] == (("german", "discards", useless, 3),)
    played = {**values, "shared/delays/played": 1}
    ((_, state),) = ways(scenario, Step("delays.end_turn", ("german",)), values=played)
    assert dict(state)["shared/out"] == values["shared/out"]


@pytest.mark.parametrize("name", ["woods", "open_attack", "dug_in"])
def test_s3_d13_engagements_are_staged_and_say_where_they_come_from(catalogue, name):
    scenario = stage_engagement(catalogue, KEY, find_engagement(name))
    notes = " ".join(scenario.provenance)
    assert "from second-hand sources" in notes
    assert "5 minutes" in notes
    assert "reconstructed" in notes


def test_1_6_9_engagements_that_cannot_be_staged_are_refused_with_every_reason(catalogue):
    woods = find_engagement("woods")
    odd = attrs.evolve(
        woods, date=woods.date.replace(year=2020), asset=attrs.evolve(woods.asset, calibre_mm=240),
        observer=attrs.evolve(woods.observer, sight="burst_only", kind="offboard", link="runner"),
        situation=attrs.evolve(woods.situation, night=True),
    )  # fmt: skip
    with pytest.raises(CannotStageError) as refused:
        stage_engagement(catalogue, KEY, odd)
    assert len(refused.value.reasons) == 6
    with pytest.raises(CannotStageError, match="not for martian and german"):
        stage_engagement(
            catalogue,
            KEY,
            attrs.evolve(woods, firer=attrs.evolve(woods.firer, nationality="martian")),
        )


@pytest.mark.parametrize("name", ["orchard", "lone_radio"])
def test_d12_the_scenarios_play_with_all_cards_from_the_decks(catalogue, name):
    scenario, form = find_scenario(catalogue, f"{KEY}/{name}")
    assert form.options == {"cards": "all"}
    for seed in range(6):
        table = play_out(Table(scenario, form.moments), RandomFaces(seed))
        assert table.over
        assert {entry.event.kind for entry in table.log} & {"no_card", "targeting", "radio_broken"}


def test_s1_the_map_has_columns_a_to_o_with_rows_1_to_10_of_hexes_of_30_m(catalogue):
    cells = staged(catalogue, CCUnit(id="u", kind="Rifle", place="O10"), target="A1").frame
    labels = [f"{column}{row}" for column in "ABCDEFGHIJKLMNO" for row in range(1, 11)]
    assert [cells.label(cells.parse(label)) for label in labels] == labels
    assert round(cells.gap_metres(cells.gap(cells.parse("A1"), cells.parse("A4")))) == 90
    for beyond in ("A11", "P1", "A0"):
        with pytest.raises(ValueError, match=beyond):
            cells.layout.parse(beyond, virtual=False)
