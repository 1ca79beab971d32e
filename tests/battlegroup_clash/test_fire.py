"""Fire: the odds under every modifier, the sheet's worked examples, hits, morale, suppression."""

import csv
from collections import Counter
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest
from support_battlegroup_clash import CALL, EYES, FLY, FOOT, FPV, GUNS, MORTAR, TUBES

import fireplan as fp
from fireplan.table import Session, Viewer
from fireplan.table.forecasts import forecast
from fireplan.table.words import Words
from fireplan_battlegroup_clash.rallying import held
from fireplan_core.play import Thrown

ODDS = list(
    csv.DictReader((Path(__file__).parent / "odds.csv").read_text(encoding="utf-8").splitlines())
)
COLUMNS = ("no_hit_36", "one_hit_36", "two_hits_36", "three_hits_36")
RECCE = {**EYES, "role": "recce"}
FST = {**EYES, "role": "fst"}
ASSETS = {"artillery": GUNS, "mortar": MORTAR, "fpv": FPV}
FIRE = ("requests.fire", "fire", {"target": "target", "marker": 0, "chit": 0})
PAIRS = tuple(product(range(1, 7), repeat=2))


@pytest.fixture
def hits(lay, drive):
    """Return a function that counts, of the 36 pairs of dice, those with 0, 1, 2 and 3 hits."""

    def of(kind, units, *script, ground=(), numbers=None, **options):
        scenario = lay([*units, TUBES], [ASSETS[kind]], ground, numbers=numbers, **options)
        found = Counter()
        for faces in PAIRS:
            run = drive(scenario, [*script, CALL, FIRE], attack=faces)
            found[run.events("hits")[0]["hits"]] += 1
        return [found[n] for n in range(4)]

    return of


@pytest.mark.parametrize("row", ODDS, ids=lambda row: f"{row['asset']} {row['drm']}")
def test_clause_13_every_row_of_the_odds_comes_out_of_the_game(hits, row):
    drm, kind = int(row["drm"]), row["asset"]
    # The modifier is the sum of cover (down to -6), the drone (up to +6), and digging or recce for
    # the rest.
    low, high = max(-6, min(drm, 0)), min(6, max(drm, 0))
    target = {**FOOT, "cover": "urban", "dug": "digging" if drm < low else ""}
    numbers = {
        "urban": str(low),
        "uas": str(high),
        "digging": str(min(0, drm - low)),
        "recce": str(max(0, drm - high)),
    }
    found = hits(kind, [target, RECCE], FLY, numbers=numbers)
    assert found == [int(row[name]) for name in COLUMNS]


def test_the_odds_file_has_every_modifier_from_minus_8_to_7_for_the_three_assets():
    assert len(ODDS) == 48
    assert all(sum(int(row[name]) for name in COLUMNS) == 36 for row in ODDS)


WOOD = {**FOOT, "cover": "dense_wood"}
SCRAPE = {**WOOD, "dug": "scrape"}
MOVED = {**FOOT, "kind": "tracked", "moved": True}


@pytest.mark.parametrize(
    ("kind", "target", "eyes", "drone", "wanted"),
    [
        ("fpv", SCRAPE, RECCE, False, [33, 3, 0, 0]),  # example 1: one hit on 11+, never two
        ("artillery", MOVED, EYES, True, [15, 18, 3, 0]),  # example 3
        ("artillery", WOOD, FST, False, [0, 6, 15, 15]),  # example 4: cover does not count
        ("artillery", SCRAPE, FST, False, [6, 20, 9, 1]),  # example 4: with a shell scrape
        ("fpv", FOOT, EYES, True, [10, 16, 10, 0]),  # example 5
        ("mortar", FOOT, EYES, True, [3, 18, 15, 0]),  # example 6
        ("mortar", FOOT, EYES, False, [10, 20, 6, 0]),  # example 6, without a spotter
    ],
)
def test_clause_12_the_worked_examples(hits, kind, target, eyes, drone, wanted):
    assert hits(kind, [target, eyes], *([FLY] if drone else [])) == wanted


def modifiers(run):
    """Return the modifiers of the attack by name."""
    return {
        event["summary"]: event["value"]
        for event in run.events("modifier")
        if "attack" in event["roll"]
    }


@pytest.mark.parametrize(
    ("cover", "value", "by_wood"),
    [
        ("light_wood", -1, True),
        ("dense_wood", -2, True),
        ("light_urban", -1, False),
        ("urban", -2, False),
    ],
)
def test_clause_12_cover_of_foot_and_wood_against_artillery_in_a_shell_scrape_alone(
    lay, drive, cover, value, by_wood
):
    def total(asset, **target):
        run = drive(
            lay([{**FOOT, "cover": cover, **target}, EYES, TUBES], [ASSETS[asset]]), [CALL, FIRE]
        )
        return sum(modifiers(run).values())

    assert (total("mortar"), total("fpv")) == (value, value)
    assert total("artillery") == (0 if by_wood else value)
    assert total("artillery", dug="scrape") == value - 2
    assert total("mortar", kind="wheeled") == 0


@pytest.mark.parametrize(("kind", "total"), [("artillery", -5), ("mortar", -5), ("fpv", -3)])
def test_clause_12_a_moved_tracked_target(lay, drive, kind, total):  # example 2
    run = drive(lay([MOVED, EYES, TUBES], [ASSETS[kind]]), [CALL, FIRE])
    assert sum(modifiers(run).values()) == total


def test_clause_12_recce_and_fire_support_team_exclude_each_other_and_the_drone_adds(lay, drive):
    both = [FOOT, RECCE, {**FST, "id": "team", "east": 24_400}]
    run = drive(lay(both, [ASSETS["artillery"]]), [FLY, CALL, FIRE])
    assert modifiers(run) == {"the drone sees it": 2, "a fire support team sees it": 3}
    other = drive(lay(both, [ASSETS["artillery"]], spotters="sum"), [FLY, CALL, FIRE])
    assert sum(modifiers(other).values()) == 6  # decision 8, the other reading


@pytest.mark.parametrize(("option", "value"), [(0, 0), (1, 1)])
def test_clause_8_a_headquarters_observes_without_a_modifier_by_decision_7(
    lay, drive, option, value
):
    run = drive(lay([FOOT, EYES], [ASSETS["artillery"]], hq_drm=option), [CALL, FIRE])
    assert sum(modifiers(run).values()) == value


@pytest.mark.parametrize(("option", "value"), [(False, -1), (True, -3)])
def test_clause_12_digging_is_not_a_shell_scrape_for_the_wood_rule_by_decision_5(
    lay, drive, option, value
):
    scenario = lay(
        [{**WOOD, "dug": "digging"}, EYES], [ASSETS["artillery"]], digging_is_scrape=option
    )
    assert sum(modifiers(drive(scenario, [CALL, FIRE])).values()) == value


def test_clause_13_totals_below_the_table_hit_nobody_by_decision_3_read_otherwise(hits):
    # At -3 the artillery hits once on 4 and 5; the row for 2 and below has no hit, so both readings
    # agree there.
    assert hits("artillery", [MOVED, EYES], FLY, outside_rows="nothing") == [15, 18, 3, 0]


# --- hits and morale --------------------------------------------------------------------------------
def test_clause_14_each_hit_takes_one_resilience_and_one_fire_one_level_of_morale(lay, drive):
    run = drive(
        lay([{**FOOT, "side": "red"}, EYES], [ASSETS["artillery"]]), [CALL, FIRE], attack=(4, 4)
    )
    assert (run.of("target", "losses"), run.of("target", "morale")) == (2, "suppressed")


def test_clause_14_at_0_the_unit_is_eliminated(lay, drive):
    run = drive(lay([FOOT, EYES], [ASSETS["artillery"]]), [CALL, FIRE], attack=(6, 6))
    assert [event["severity"].name for event in run.events("suffered")] == ["DESTROYED"]


@pytest.mark.parametrize(("kind", "unit", "morale"), [
    ("artillery", {}, "suppressed"),
    ("artillery", {"kind": "tracked"}, "suppressed"),
    ("mortar", {}, "suppressed"),
    ("mortar", {"kind": "tracked"}, "good"),
    ("fpv", {}, "suppressed"),
    ("fpv", {"kind": "wheeled"}, "good"),
])  # fmt: skip
def test_clause_15_a_miss_suppresses_artillery_every_type_mortar_and_fpv_foot_alone(
    lay, drive, kind, unit, morale
):
    target = {**FOOT, "cover": "urban", **unit}
    run = drive(lay([target, EYES, TUBES], [ASSETS[kind]]), [CALL, FIRE], attack=(1, 1))
    assert run.events("hits")[0]["hits"] == 0
    assert run.of("target", "morale") == morale


@pytest.mark.parametrize(("far", "morale"), [(250, "suppressed"), (251, "good")])
def test_clause_15_it_reaches_250_m_and_changes_units_in_good_morale_alone(lay, drive, far, morale):
    near = {**FOOT, "id": "near", "east": 24_500 + far}
    run = drive(lay([FOOT, near, EYES], [ASSETS["artillery"]]), [CALL, FIRE])
    assert run.of("near", "morale") == morale


@pytest.mark.parametrize(("option", "morale"), [("both", "suppressed"), ("enemies", "good")])
def test_clause_15_friends_within_250_m_are_suppressed_too_by_decision_2(
    lay, drive, option, morale
):
    friend = {"id": "friend", "side": "blue", "east": 24_600, "north": 21_500}
    run = drive(lay([FOOT, EYES, friend], [ASSETS["fpv"]], friends=option), [CALL, FIRE])
    assert run.of("friend", "morale") == morale


@pytest.mark.parametrize(
    ("option", "morale"), [("hits", "suppressed"), ("suppression", "disrupted")]
)
def test_clause_15_hits_come_first_by_decision_1(lay, drive, option, morale):
    run = drive(lay([FOOT, EYES], [ASSETS["artillery"]], order=option), [CALL, FIRE], attack=(1, 3))
    assert (run.of("target", "losses"), run.of("target", "morale")) == (1, morale)


def test_clause_18_a_third_hit_breaks_a_disrupted_platoon_that_fails(lay, drive):
    blue = [{**FOOT, "side": "blue"}, {**EYES, "side": "red"}]
    asset = {**ASSETS["artillery"], "side": "red"}
    script = [("requests.activate", "fire", {"by": "red", "asset": "one"}), FIRE] * 3
    dice = {"attack": (1, 3) * 3, "rally": (6, 6)}
    broken = drive(lay(blue, [asset]), script, turns=3, **dice, morale=(4,))
    assert (broken.of("target", "losses"), broken.of("target", "morale")) == (3, "broken")
    # The target holds on 3 or less: its quality is 5 because half of it is lost, less 2.
    holds = drive(lay(blue, [asset]), script, turns=3, **dice, morale=(3,))
    assert holds.of("target", "morale") == "disrupted"
    before = drive(lay(blue, [asset], quality_read="before"), script, turns=3, **dice, morale=(3,))
    # By decision 18 quality is read before the hit, so the target holds here too.
    assert before.events("holds") == [{"unit": "target"}]


def test_clause_18_1_always_passes_and_6_never():
    assert (held(-3), held(9)) == (1, 5)


def test_clause_19_rally_improves_one_level_on_the_quality_or_less(lay, drive):
    script = [CALL, FIRE]
    for die, morale in (
        (3, "good"),
        (4, "suppressed"),
    ):  # Russian quality is 4, less 1 while suppressed
        run = drive(
            lay([{**FOOT, "cover": "urban"}, EYES], [ASSETS["artillery"]]),
            script,
            turns=2,
            rally=(die,),
        )
        assert run.of("target", "morale") == morale


def test_clause_19_a_headquarters_near_adds_its_rating_and_no_enemy_in_sight_one(lay, drive):
    chief = {
        "id": "chief",
        "side": "red",
        "role": "hq",
        "east": 24_700,
        "north": 21_500,
        "rating": 1,
    }
    units = [{**FOOT, "cover": "urban"}, EYES, chief]
    run = drive(lay(units, [ASSETS["artillery"]]), [CALL, FIRE], turns=2, rally=(4, 1))
    assert run.of("target", "morale") == "good"
    hidden = [{**FOOT, "cover": "urban"}]
    ground = [{"kind": "crest", "east": 24_500, "north": 21_900, "radius": 250}]
    unseen = drive(
        lay([*hidden], [ASSETS["artillery"]], ground), [FLY, CALL, FIRE], turns=2, rally=(4,)
    )
    assert unseen.of("target", "morale") == "good"
    fails = drive(
        lay([*hidden], [ASSETS["artillery"]], ground), [FLY, CALL, FIRE], turns=2, rally=(5,)
    )
    assert fails.of("target", "morale") == "suppressed"
    far = [*units[:2], {**chief, "east": 24_751}]
    alone = drive(lay(far, [ASSETS["artillery"]]), [CALL, FIRE], turns=2, rally=(4,))
    assert alone.of("target", "morale") == "suppressed"


TRACKED = {**FOOT, "kind": "tracked"}
STACK = [TRACKED, {**FOOT, "id": "section", "role": "section", "carrier": "target"}]


@pytest.mark.parametrize(
    ("dice", "carrier", "section"), [((1, 2), 1, 1), ((2, 2), 2, 0), ((1, 1), 0, 2)]
)
def test_clause_20_for_each_hit_a_1_strikes_the_embedded_section(
    lay, drive, dice, carrier, section
):
    scenario = lay([*STACK, EYES], [ASSETS["artillery"]], numbers={"tracked": "0"})
    run = drive(scenario, [CALL, FIRE], attack=(4, 4), stack=dice)
    assert (run.of("target", "losses"), run.of("section", "losses")) == (carrier, section)


@pytest.mark.parametrize(("dice", "riders"), [((3, 3), 0), ((4, 3), 1), ((4, 6), 2)])
def test_clause_20_mounted_infantry_takes_a_hit_more_on_4_and_more(lay, drive, dice, riders):
    units = [TRACKED, {**FOOT, "id": "riders", "carrier": "target", "mounted": True}, EYES]
    run = drive(
        lay(units, [ASSETS["artillery"]], numbers={"tracked": "0"}),
        [CALL, FIRE],
        attack=(4, 4),
        stack=dice,
    )
    assert (run.of("target", "losses"), run.of("riders", "losses")) == (2, riders)


def test_clause_20_one_die_a_fire_by_decision_19_read_otherwise(lay, drive):
    scenario = lay(
        [*STACK, EYES], [ASSETS["artillery"]], numbers={"tracked": "0"}, stack_dice="once"
    )
    run = drive(scenario, [CALL, FIRE], attack=(4, 4), stack=(1,))
    assert (run.of("target", "losses"), run.of("section", "losses")) == (0, 2)


def test_m1_basic_mode_has_neither_morale_nor_plans(lay, drive):
    run = drive(lay([FOOT, EYES], [ASSETS["artillery"]], mode="basic"), [CALL, FIRE], attack=(2, 2))
    assert (run.of("target", "losses"), run.of("target", "morale")) == (1, "good")
    assert run.events("signature")[0]["tokens"] == 3
    seen = drive(lay([FOOT], [ASSETS["artillery"]], mode="basic"), [FLY, CALL, FIRE])
    assert seen.events("signature")[0]["tokens"] == 1


def test_the_sums_of_the_sheet(hits):
    """In example 5, a double tap at infantry in the open that the drone sees hits with probability
    299/324, and scores two hits on average.
    """
    none, one, two, _ = hits("fpv", [FOOT, EYES], FLY)
    assert 1 - Fraction(none, 36) ** 2 == Fraction(299, 324)
    assert 2 * Fraction(one + 2 * two, 36) == 2


def harms_of(run):
    """Return the log's sentences about harm to units, in order."""
    words, kinds = Words(run.scenario), ("suffered", "weakened")
    return [words.event(entry.event) for entry in run.table.log if entry.event.kind in kinds]


def test_clauses_14_and_18_every_hit_has_a_line_with_resilience_and_morale(lay, drive):
    """The log has a sentence for every hit: the second one also changes resilience and morale."""
    target = [{**FOOT, "resilience": 9}, EYES]
    script, dice = [CALL, FIRE] * 3, {"attack": (1, 3, 1, 3, 4, 4), "rally": (6, 6), "morale": (1,)}
    run = drive(lay(target, [ASSETS["artillery"]]), script, turns=3, **dice)
    assert harms_of(run) == [
        "The target takes a hit (8 left) and is suppressed",
        "The target takes its 2nd hit (7 left) and is disrupted",
        "The target takes 2 more hits (5 left)",
    ]
    breaks = drive(lay(target, [ASSETS["artillery"]]), script, turns=3, **{**dice, "morale": (6,)})
    assert harms_of(breaks)[-1] == "The target breaks and is eliminated"


def test_clauses_14_and_20_units_that_ride_or_are_embedded_have_a_line_for_every_hit(lay, drive):
    squad = {**FOOT, "id": "squad", "carrier": "target", "mounted": True}
    scenario = lay([*STACK, squad, EYES], [ASSETS["artillery"]], numbers={"tracked": "0"})
    dice = {"attack": (1, 3, 1, 3, 1, 3), "stack": (4, 4, 1), "rally": (6,) * 6}
    run = drive(scenario, [CALL, FIRE] * 3, turns=3, **dice)
    assert harms_of(run) == [
        "The target takes a hit (2 left) and is suppressed",
        "The squad takes a hit (2 left) and is suppressed",
        "The section is suppressed",
        "The target takes its 2nd hit (1 left) and is disrupted",
        "The squad takes its 2nd hit (1 left) and is disrupted",
        "The section takes a hit (1 left) and is disrupted",
    ]


def test_clause_15_a_unit_with_a_hit_that_has_rallied_is_suppressed_again_with_a_line(lay, drive):
    scenario = lay([{**FOOT, "cover": "urban"}, EYES], [ASSETS["artillery"]])
    run = drive(scenario, [CALL, FIRE] * 2, turns=2, attack=(3, 4, 1, 1), rally=(1,))
    assert harms_of(run)[1:] == ["The target is suppressed"]


@pytest.mark.parametrize(
    ("stack", "hit"),
    [
        ('"1st tracked platoon" 1 0 0 0', "The hit falls on"),
        ('"1st tracked platoon" 2 0 0 0', "The 1st hit falls on"),
        ('"1st tracked platoon" 1 1 0 1', "The 2nd hit falls on"),
    ],
)
def test_clause_20_each_die_names_the_units_that_take_its_hit_and_no_earlier_hits(stack, hit):
    """Each die's table starts with its own hit, and names units that have no counter of their own."""
    position = fp.position(f"fp1 battlegroup_clash/causeway > resolution.stack({stack})")
    table = position.at.table()
    assert [(each.when, each.what) for each in forecast(table)] == [
        ("1", f"{hit} the recce patrol"),
        ("2 to 3", f"{hit} the 1st tracked platoon"),
        (
            "4 or more",
            f"{hit} the 1st tracked platoon, and one on the 1st infantry platoon, mounted on it",
        ),
    ]
    table.submit(Thrown("stack", (5,)))
    words = Words(table.scenario)
    said = [words.event(entry.event) for entry in table.log if entry.event.kind == "struck"]
    assert said == [
        f"{hit} the 1st tracked platoon, and one on the 1st infantry platoon, mounted on it"
    ]


def test_clause_20_one_die_for_all_hits_of_a_fire_says_so(lay, drive):
    scenario = lay(
        [*STACK, EYES], [ASSETS["artillery"]], numbers={"tracked": "0"}, stack_dice="once"
    )
    run = drive(scenario, [CALL, FIRE], attack=(4, 4), stack=(1,))
    words = Words(scenario)
    said = [words.event(entry.event) for entry in run.table.log if entry.event.kind == "struck"]
    assert said == ["All 2 hits fall on the section"]


@pytest.mark.parametrize(
    ("unit", "state", "made_of", "highest"),
    [
        # The unit is within 250 m of the headquarters and in sight of the enemy.
        ("2nd tracked platoon", "morale=suppressed", [6, -1, 1, -1], 5),
        ("2nd tracked platoon", "losses=2 morale=disrupted", [6, -1, -2, 1], 4),
        ("1st tracked platoon", "morale=suppressed", [6, -1], 5),  # 283 m from the headquarters
        # The only headquarters is not near to itself; the column hides the enemy from it.
        ("battle group staff", "morale=suppressed", [6, -1, 1, -1], 5),
        # The mortars are 3.5 km from the headquarters and out of the enemy's sight.
        ("mortar platoon", "morale=disrupted", [6, -2, 1], 5),
    ],
)
def test_clauses_18_and_19_the_roll_to_rally_lists_the_parts_of_its_number(
    unit, state, made_of, highest
):
    """The prompt names the headquarters, and says that a 6 never passes."""
    position = fp.position(
        f'fp1 battlegroup_clash/causeway "turn 2" "{unit}"{{{state}}} > resolution.rally("{unit}")'
    )
    table = position.at.table()
    prompt = Viewer(Session(table.scenario, 3, table=table), "NATO").form()
    assert [int(each.partition(" ")[0]) for each in prompt.modifiers] == made_of
    assert prompt.number == f"the highest roll that rallies is {highest}"
    assert prompt.prospects[0].when == f"{highest} or less"
    assert sum(made_of) == highest
    said = " ".join(prompt.modifiers)
    assert ("a headquarters near (19)" in said) == (unit == "2nd tracked platoon")
    assert ("no enemy in sight (19)" in said) == (unit in ("mortar platoon", "battle group staff"))
    assert ("-1 because a 6 never passes (18)" in said) == (made_of == [6, -1, 1, -1])


def test_clause_18_the_roll_to_hold_shows_the_highest_success():
    position = fp.position(
        'fp1 battlegroup_clash/causeway "1st tracked platoon"{losses=2 morale=disrupted}'
        ' > resolution.hold("1st tracked platoon" 0)'
    )
    table = position.at.table()
    session = Session(table.scenario, 3, table=table)
    prompt = Viewer(session, "NATO").form()
    assert prompt.number == "the highest roll that holds is 1"
    assert prompt.modifiers == ("+1 because a 1 always passes (18)",)
    session.face(4, typed=True)
    lines = [line.text for line in Viewer(session, "NATO").known.lines]
    assert (
        "roll for morale (the 1st tracked platoon): die 4, against 1 "
        "(+1 because a 1 always passes (18))" in lines
    )
