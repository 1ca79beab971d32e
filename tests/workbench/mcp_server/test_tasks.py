"""100 tasks in plain words, each with its answer and the one call that solves it, found from the
descriptions alone.
"""

from collections.abc import Callable
from fractions import Fraction
from importlib.resources import files
from itertools import product
from random import Random
from typing import Any

import pytest
import tomli

from fireplan.mcp_server.tools import tools

VILLAGE = "asl/village"


def share(answer: dict[str, Any], value: str = "yes") -> Fraction:
    return next(
        (Fraction(row["share"]) for row in answer["shares"] if row["value"] == value), Fraction(0)
    )


def percent(number: Any) -> float:
    return round(float(Fraction(number)) * 100, 1)


def numbered(answer: dict[str, Any]) -> tuple[Any, str]:
    """Return the value and rule of the requested number."""
    (row,) = answer["numbers"]
    return row["value"], row["rule"]


def events_with(words: str) -> Callable[[dict[str, Any]], Fraction]:
    """Return a function that sums the chances of the results whose events contain these words."""
    return lambda answer: sum(
        (Fraction(row["chance"]) for row in answer["results"] if words in row["events"]),
        Fraction(0),
    )


def value_of(measure: str) -> Callable[[dict[str, Any]], Fraction]:
    """Return a function that reads the value of a measure from an answer with one table."""
    return lambda answer: Fraction(answer["measures"][measure]["value"])


def status(answer: dict[str, Any]) -> tuple[bool, list[str]]:
    """Return whether an order is legal, and the rules that decide it."""
    return answer["legal"], answer["rules"]


TASKS: dict[str, tuple[str, dict[str, Any], Any, Any]] = {
    "How many red chits end my Battery Access in ASL?": (
        "numbers",
        {"game": "asl", "within": "red_chits_to_lose_access"},
        lambda a: (a["numbers"][0]["value"], a["numbers"][0]["rule"]),
        (2, "C1.21"),
    ),
    "My radio has contact on 8 or less with two dice: how likely is contact at once?": (
        "outcomes",
        {"position": 'fp1 asl/village "turn 2 PFPh" a{stage=requested red=1}', "order": "roll"},
        lambda a: percent(
            sum(Fraction(row["chance"]) for row in a["results"] if " contact" in row["position"])
        ),
        72.2,  # 26 of 36 rolls
    ),
    "Has fire fallen on the village by the end of turn 2?": (
        "chance",
        {"scenario": VILLAGE, "event": "fall", "by": "turn 2"},
        lambda a: percent(share(a)),
        83.8,
    ),
    "And the chance that none falls by then?": (
        "chance",
        {"scenario": VILLAGE, "event": "fall: least=0, most=0", "by": "turn 2"},
        lambda a: percent(share(a)),
        16.2,
    ),
    "If my first contact roll is 4 and 2, does that help?": (
        "chance",
        {"scenario": VILLAGE, "event": "fall", "by": "turn 2", "given": ["contact=4,2"]},
        lambda a: share(a) > Fraction(838, 1000),
        True,
    ),
    "What am I given when I say so: how likely is a 4 and a 2?": (
        "chance",
        {"scenario": VILLAGE, "event": "fall", "by": "turn 2", "given": ["contact=4,2"]},
        lambda a: a["chance_of_that"],
        "1/36",
    ),
    "Which rule speaks of where the shells land?": (
        "chance",
        {"scenario": VILLAGE, "event": "fall", "by": "turn 2"},
        lambda a: "C1.33" in a["rules"],
        True,
    ),
    "What may happen in ASL when fire for effect falls: can I ask whether it was on target?": (
        "events",
        {"name": "asl/village", "page": 1},
        lambda a: [
            row["values"]
            for row in a["events"]
            if (row["event"], row["field"]) == ("fall", "on_target")
        ],
        ["yes, no"],
    ),
    "Which measures can I tune for?": (
        "measures",
        {},
        lambda a: (
            {row["name"] for row in a["measures"] if "tune" in row["in"]}
            >= {"delivered", "destroyed"}
        ),
        True,
    ),
    "Which of the games gets fire down surest against a company in the woods within 12 minutes?": (
        "compare",
        {"engagement": "woods", "minutes": 12, "games": ["miniatures_1943", "wacht_am_rhein"]},
        lambda a: max(
            a["games"],
            key=lambda game: Fraction(a["games"][game]["measures"]["delivered"]["value"]),
        ),
        "miniatures_1943",
    ),
    "How much of the target does Wacht am Rhein destroy in one barrage at best?": (
        "best",
        {"game": "wacht_am_rhein", "goal": "destroyed", "moments": 1},
        lambda a: a["value"],
        "1/5",
    ),
    "May I call for fire at the opening of the village?": (
        "why_not",
        {"position": VILLAGE, "order": "call"},
        lambda a: a["legal"],
        True,
    ),
    "What may I order at the opening of the village?": (
        "legal",
        {"position": VILLAGE},
        lambda a: "call" in {form["verb"] for form in a["forms"]},
        True,
    ),
    "Where does the 1st squad stand in the village?": (
        "position",
        {"position": VILLAGE},
        lambda a: a["units"]["1st squad"]["place"],
        "K5",
    ),
    "What is left in the draw pile of the village's battery?": (
        "position",
        {"position": VILLAGE},
        lambda a: a["displays"],
        ["Draw Pile: black 8, red 3"],
    ),
    "What if the German radio made contact on 7 only?": (
        "whatif",
        {"scenario": VILLAGE, "set": ["asl.radio_contact[german]=7"], "minutes": 4},
        lambda a: (
            Fraction(a["games"]["asl*"]["measures"]["delivered"]["value"])
            < Fraction(a["games"]["asl"]["measures"]["delivered"]["value"])
        ),
        True,
    ),
    "After two inputs of Only dummies, how sure can the Germans be that it is a dummy?": (
        "belief",
        {"scenario": "miniatures_1943/only_dummies", "at": 2, "side": "german"},
        lambda a: "5/9" in str(a),
        True,
    ),
    "Was the play of Two on one lucky?": (
        "luck",
        {"game": "miniatures_1943/two_on_one"},
        lambda a: bool(a["sides"][0]["rolls"]),
        True,
    ),
    "What rule is C1.21 of ASL?": (
        "rules",
        {"game": "asl", "rule": "C1.21"},
        lambda a: "Access" in a["rule"]["summary"],
        True,
    ),
    "After two inputs of the playthrough Only dummies, is it certain that something falls?": (
        "chance",
        {"scenario": "miniatures_1943/only_dummies", "at": 2, "event": "fall"},
        share,
        Fraction(1),
    ),
}


NUMBERS: dict[str, tuple[str, str, Any, str]] = {
    "At what radio contact number does a Russian observer of 1941 call in ASL?": (
        "asl",
        "radio_contact[russian]",
        6,
        "C1.2",
    ),
    "How many black chits has an American battery in ASL?": (
        "asl",
        "black_chits[american]",
        10,
        "C1.211",
    ),
    "How far may a Spotting Round be corrected in ASL, in hexes?": (
        "asl",
        "sr_correction",
        18,
        "C1.4",
    ),
    "What TEM has a stone building against artillery in ASL?": (
        "asl",
        "terrain_tem[stone_building]",
        3,
        "C1.52",
    ),
    "What do woods add to an attack by air bursts in ASL?": (
        "asl",
        "terrain_air_bursts[woods]",
        -1,
        "C1.52",
    ),
    "On what die roll is a field phone in contact in ASL?": (
        "asl",
        "field_phone_contact",
        11,
        "C1.23",
    ),
    "How much Barrage Value fires a full volley in Wacht am Rhein?": (
        "wacht_am_rhein",
        "full_volley",
        8,
        "12.2.0",
    ),
    "How often may a unit be barraged in one segment of Wacht am Rhein?": (
        "wacht_am_rhein",
        "barrages_per_unit",
        2,
        "12.1.4",
    ),
    "How many couplets does a tie for initiative give in Red Poppies?": (
        "red_poppies",
        "tie_couplets",
        3,
        "5.11",
    ),
    "On which roll does a battery fire by accident in Red Poppies?": (
        "red_poppies",
        "accident",
        11,
        "7.23",
    ),
    "How many barrages may a side place in a turn of 1943?": (
        "miniatures_1943",
        "barrages_per_turn",
        8,
        "6.1.e",
    ),
    "How many yards across is a spotted barrage in 1943?": (
        "miniatures_1943",
        "barrage_yards_spotted",
        140,
        "6.2.b",
    ),
}

SECOND_HAND: dict[str, tuple[str, str, Any, str]] = {
    "How many metres is a hex of BattleTech?": ("battletech", "hex_metres", 30, "5"),
    "How many cards does an attacker hold in Combat Commander?": (
        "combat_commander",
        "hand_attack",
        6,
        "S5",
    ),
    "How much cover has a building in Combat Commander?": (
        "combat_commander",
        "cover_building",
        3,
        "17",
    ),
    "How much does smoke hinder in Combat Commander?": (
        "combat_commander",
        "hindrance_smoke",
        3,
        "16",
    ),
    "How far can a mortar of Battlegroup Clash fire, in metres?": (
        "battlegroup_clash",
        "mortar_range",
        8000,
        "6",
    ),
    "How far do recce troops see in Battlegroup Clash?": (
        "battlegroup_clash",
        "sight_recce",
        4000,
        "9",
    ),
    "How many fire missions has a battery in Battlegroup Clash?": (
        "battlegroup_clash",
        "missions",
        5,
        "7",
    ),
}

MORE: dict[str, tuple[str, dict[str, Any], Any, Any]] = {
    # --- legal orders, and reasons why not -------------------------------------------------------
    "May the Americans call in a strike they do not have, in Chits in hand?": (
        "why_not",
        {
            "position": "miniatures_1943/chits_in_hand",
            "order": "place air_strikes=1 barrages=0 dummies=0",
        },
        status,
        (False, ["S.c"]),
    ),
    "Then may they place three barrages?": (
        "why_not",
        {
            "position": "miniatures_1943/chits_in_hand",
            "order": "place air_strikes=0 barrages=3 dummies=0",
        },
        status,
        (True, ["6.1.c"]),
    ),
    "May I place the AR in a hex that is not on the map, in the village?": (
        "why_not",
        {
            "position": 'fp1 asl/village "turn 2 PFPh" a{stage=spotting round=@H6 black=7 contact access} > german?requests.fire(a)',
            "order": "correct at=H6",
        },
        status,
        (False, ["C1.4"]),
    ),
    "To how many hexes could I correct from there?": (
        "legal",
        {
            "position": 'fp1 asl/village "turn 2 PFPh" a{stage=spotting round=@H6 black=7 contact access} > german?requests.fire(a)'
        },
        lambda a: next(form["number"] for form in a["forms"] if form["verb"] == "correct"),
        272,
    ),
    "Which rule lets the Americans barrage at the crossroads?": (
        "legal",
        {"position": "wacht_am_rhein/crossroads"},
        lambda a: {form["cite"] for form in a["forms"] if form["verb"] == "barrage"},
        {"12.1.0"},
    ),
    "Whose turn is it to decide at the crossroads?": (
        "legal",
        {"position": "wacht_am_rhein/crossroads"},
        lambda a: a["who"],
        "US",
    ),
    "What would the standard doctrine do at the opening of the village?": (
        "standard",
        {"position": VILLAGE},
        lambda a: a["order"],
        "call",
    ),
    "And if I tell it to wait in turn 1?": (
        "standard",
        {"position": VILLAGE, "orders": "requests.call=pass if turn=1"},
        lambda a: a["order"],
        "pass",
    ),
    "What decision is due in Chits in hand?": (
        "standard",
        {"position": "miniatures_1943/chits_in_hand"},
        lambda a: a["decision"],
        "requests.request",
    ),
    "Under which rule is a barrage called in Wacht am Rhein?": (
        "decisions",
        {"name": "wacht_am_rhein"},
        lambda a: next(
            row["rule"] for row in a["decisions"] if row["decision"] == "requests.declare"
        ),
        "12.1.0",
    ),
    "What does the game ask before an observer rolls for contact?": (
        "decisions",
        {"name": "asl"},
        lambda a: next(
            row["says"] for row in a["decisions"] if row["decision"] == "delays.contact"
        ),
        "Roll for Radio Contact?",
    ),
    "Is it better to call at once or to wait a turn in the village, for fire by the end of turn 2?": (
        "compare_orders",
        {
            "position": VILLAGE,
            "orders": ["requests.call=pass if turn=1"],
            "event": "fall",
            "by": "turn 2",
        },
        lambda a: [row["percent"] for row in a["compared"]],
        ["83.8 %", "45.1 %"],
    ),
    "Does holding fire for the second segment help against I-77?": (
        "compare_orders",
        {
            "position": "wacht_am_rhein/dividing_fire",
            "orders": ["declare=pass if barrage segment=1"],
            "event": "suffered: unit=I-77",
            "by": "2",
        },
        lambda a: a["compared"][0]["orders"],
        "standard",
    ),
    # --- rolls and strikes ------------------------------------------------------------------------
    "How often is it a Critical Hit?": (  # an Original 2 on two dice
        "attack",
        {"position": VILLAGE, "asset": "a", "place": "K5"},
        events_with("Critical Hit"),
        Fraction(1, 36),
    ),
    "Which rules decide such an attack?": (
        "attack",
        {"position": VILLAGE, "asset": "a", "place": "K5"},
        lambda a: a["rules"],
        ["C1.5", "C1.52", "C1.53"],
    ),
    "How often does one barrage destroy the section that lies prone, in Chits in hand?": (
        "attack",
        {
            "position": "miniatures_1943/chits_in_hand",
            "asset": "american barrage 1",
            "place": "0,0",
        },
        events_with("The section is destroyed"),
        Fraction(1, 6),  # a six on one die
    ),
    "How often does it do nothing?": (
        "attack",
        {
            "position": "miniatures_1943/chits_in_hand",
            "asset": "american barrage 1",
            "place": "0,0",
        },
        lambda a: max(Fraction(row["chance"]) for row in a["results"]),
        Fraction(2, 3),
    ),
    "How likely are five couplets for the Germans at Pinon?": (  # a six and a one
        "outcomes",
        {"position": "red_poppies/battle_for_pinon"},
        events_with("The Germans win the initiative: 5 command couplets"),
        Fraction(1, 36),
    ),
    "How often do the French win the initiative there?": (
        "outcomes",
        {"position": "red_poppies/battle_for_pinon"},
        events_with("The French win the initiative"),
        Fraction(5, 12),
    ),
    # The die of 0 to 9 plus 1 must not exceed 4.
    "How often is I-26-Art replenished if the Americans pass?": (
        "outcomes",
        {"position": "wacht_am_rhein/crossroads", "order": "pass"},
        events_with("is replenished"),
        Fraction(2, 5),
    ),
    "How often do the Americans win the air at the hedgerow farm?": (  # the German die has a modifier of -5
        "outcomes",
        {"position": "miniatures_1943/hedgerow_farm"},
        events_with("The Americans have air superiority"),
        Fraction(35, 36),
    ),
    "What is thrown first at Pinon?": (
        "position",
        {"position": "red_poppies/battle_for_pinon"},
        lambda a: a["waits_for"],
        "roll initiative",
    ),
    "Which throws does a game of 1943 make?": (
        "rolls",
        {"name": "miniatures_1943"},
        lambda a: {"air_superiority", "area_weapons"} <= {row["roll"] for row in a["rolls"]},
        True,
    ),
    # --- chances ----------------------------------------------------------------------------------
    "How likely is it that I-77 is hurt at the crossroads?": (
        "chance",
        {"scenario": "wacht_am_rhein/crossroads", "event": "suffered: unit=I-77"},
        share,
        Fraction(9, 10),
    ),
    "And twice, where three batteries divide their fire?": (
        "chance",
        {"scenario": "wacht_am_rhein/dividing_fire", "event": "suffered: unit=I-77, least=2"},
        share,
        Fraction(43923, 62500),
    ),
    "Has fire fallen at Pinon by the end of turn 2?": (
        "chance",
        {"scenario": "red_poppies/battle_for_pinon", "event": "fall", "by": "turn 2"},
        share,
        Fraction(1967, 2592),
    ),
    "Does Chits in hand always see a barrage fall?": (
        "chance",
        {"scenario": "miniatures_1943/chits_in_hand", "event": "fall"},
        share,
        Fraction(1),
    ),
    "If the first chit is red, how likely is fire by the end of turn 2?": (
        "chance",
        {"scenario": VILLAGE, "event": "fall", "by": "turn 2", "given": ["access=red"]},
        lambda a: share(a) < Fraction(838, 1000),
        True,
    ),
    "Sampled rather than solved, is it about the same?": (
        "chance",
        {"scenario": VILLAGE, "event": "fall", "by": "turn 2", "sample": 500, "seed": 3},
        lambda a: (
            abs(next(row["share"] for row in a["shares"] if row["value"] == "yes") - 0.838) < 0.06
        ),
        True,
    ),
    # --- odds, comparisons, changes ---------------------------------------------------------------
    "What are all the figures of the crossroads: how often is fire delivered?": (
        "odds",
        {"scenario": "wacht_am_rhein/crossroads"},
        value_of("delivered"),
        Fraction(1),
    ),
    # One segment lasts 4 1/2 hours.
    "After how many minutes does it fall there?": (
        "odds",
        {"scenario": "wacht_am_rhein/crossroads"},
        value_of("minutes_to_first_effect"),
        Fraction(270),
    ),
    "How long would twenty minutes of ASL take to work out?": (
        "odds",
        {"scenario": VILLAGE, "moments": 20, "estimate": True},
        lambda a: a["answered"],
        True,
    ),
    "Which games can stage the strongpoint, of ASL and Wacht am Rhein?": (
        "compare",
        {"engagement": "strongpoint", "games": ["asl", "wacht_am_rhein"], "minutes": 6},
        lambda a: sorted(a["games"]),
        ["asl", "wacht_am_rhein"],
    ),
    "How many hectares does a barrage of Wacht am Rhein cover?": (
        "compare",
        {"games": ["wacht_am_rhein"], "minutes": 6},
        lambda a: (
            round(a["games"]["wacht_am_rhein"]["measures"]["footprint_hectares"]["value"])
            if isinstance(
                a["games"]["wacht_am_rhein"]["measures"]["footprint_hectares"]["value"], float
            )
            else round(
                float(
                    Fraction(
                        a["games"]["wacht_am_rhein"]["measures"]["footprint_hectares"]["value"]
                    )
                )
            )
        ),
        224,
    ),
    "Which rule states the number that I change for contact?": (
        "whatif",
        {"scenario": VILLAGE, "set": ["asl.radio_contact[german]=7"], "minutes": 4},
        lambda a: a["rules"],
        ["C1.2"],
    ),
    "How would ASL play with the delays of Wacht am Rhein?": (
        "kitbash",
        {"game": "asl", "delays": "wacht_am_rhein", "minutes": 6},
        lambda a: "hybrid" in a["games"],
        True,
    ),
    # At least one of three dice shows a 6 with probability 1 - (5/6)^3.
    "What are the best chits to place in Chits in hand?": (
        "best",
        {
            "scenario": "miniatures_1943/chits_in_hand",
            "goal": "destroyed",
            "moments": 2,
            "only": ["request"],
        },
        lambda a: (a["optimal"], a["value"]),
        (True, "91/216"),
    ),
    "Which rules do these best orders rest on?": (
        "best",
        {
            "scenario": "miniatures_1943/chits_in_hand",
            "goal": "destroyed",
            "moments": 2,
            "only": ["request"],
        },
        lambda a: "6.3.a" in a["cites"],
        True,
    ),
    "What is the least change by which Wacht am Rhein destroys 30 % of the target?": (
        "tune",
        {"game": "wacht_am_rhein", "want": ["destroyed >= 30 %"]},
        lambda a: [trial["holds"] for trial in a["trials"]][:2],
        [False, True],
    ),
    # --- lists ------------------------------------------------------------------------------------
    "Which distribution do I install for Advanced Squad Leader?": (
        "games",
        {},
        lambda a: next(row["distribution"] for row in a["games"] if row["key"] == "asl"),
        "fireplan-asl",
    ),
    "Which scenarios of Wacht am Rhein can I play?": (
        "scenarios",
        {"game": "wacht_am_rhein"},
        lambda a: {row["name"] for row in a["scenarios"]},
        {
            "wacht_am_rhein/crossroads",
            "wacht_am_rhein/dividing_fire",
            "wacht_am_rhein/two_divisions",
        },
    ),
    "Which recorded games of Wacht am Rhein show fire by night?": (
        "scenarios",
        {"game": "wacht_am_rhein", "playthroughs": True},
        lambda a: [row["name"] for row in a["playthroughs"] if "night" in row["name"]],
        ["wacht_am_rhein/village_by_night"],
    ),
    "Which facts of an engagement can I change?": (
        "engagements",
        {},
        lambda a: {"guns", "range", "cover"} <= a["facts"].keys(),
        True,
    ),
    "Which field of a unit says that it is broken in ASL, and by which rule?": (
        "fields",
        {"game": "asl"},
        lambda a: next(
            row["rule"] for row in a["fields"] if (row["of"], row["name"]) == ("unit", "broken")
        ),
        "C1.51",
    ),
    "Which number matters most for fire within two minutes in the village?": (
        "sensitivity",
        {"scenario": VILLAGE, "measure": "delivered", "minutes": 2},
        lambda a: a["numbers"][0]["name"],
        "asl.radio_contact[german]",
    ),
    "Why do some rules of 1943 not apply?": (
        "rules",
        {"game": "miniatures_1943", "status": "not applicable"},
        lambda a: all(row["reason"] for row in a["rules"]),
        True,
    ),
    "What does 12.4.3 of Wacht am Rhein say?": (
        "rules",
        {"game": "wacht_am_rhein", "rule": "12.4.3"},
        lambda a: a["rule"]["id"],
        "12.4.3",
    ),
    # --- recorded games ---------------------------------------------------------------------------
    "After three inputs of Behind the ridge, what is waited for?": (
        "position",
        {"position": "asl/behind_the_ridge", "at": 3},
        lambda a: a["waits_for"],
        "roll access",
    ),
    "And how likely is a black chit then?": (  # 8 of 11 chits are black
        "outcomes",
        {"position": "asl/behind_the_ridge", "at": 3},
        events_with("The Observer has Battery Access"),
        Fraction(8, 11),
    ),
    "Can the defenders of Chits in hand do anything against these three barrages?": (
        "duel",
        {
            "scenario": "miniatures_1943/chits_in_hand",
            "goal": "destroyed",
            "moments": 2,
            "only": ["request"],
        },
        lambda a: (a["low"], a["high"], a["exploitability"]),
        ("91/216", "91/216", "0"),
    ),
    "Does it matter in a 1943 scenario whether a chit is read as a dummy?": (
        "diff",
        {"game": "miniatures_1943", "option": "chit", "value": "dummy", "moments": 1, "walks": 1},
        lambda a: [table["table"] for table in a["readings"][0]["tables"] if table["read"]],
        ["woods (engagement)"],
    ),
}

OF_SECOND_HAND: dict[str, tuple[str, dict[str, Any], Any, Any]] = {
    "What does a direct hit do to the platoon, in Ranging in?": (
        "attack",
        {"position": "battletech/ranging_in", "asset": "thumper", "place": "1617"},
        events_with("The platoon is destroyed"),
        Fraction(1),
    ),
    "When does the Thumper's shell arrive in BattleTech?": (
        "odds",
        {"game": "battletech", "scenario": "woods"},
        value_of("minutes_to_first_effect"),
        Fraction(1, 2),
    ),
    "How often does it hit the first hex it is fired at?": (  # 10 or more on two dice
        "odds",
        {"game": "battletech", "scenario": "woods"},
        value_of("on_target"),
        Fraction(1, 6),
    ),
    "Where may the Thumper fire?": (
        "legal",
        {"position": "battletech/ranging_in"},
        lambda a: next(form["number"] for form in a["forms"] if form["verb"] == "fire"),
        32 * 34,
    ),
    # 7 of the 72 cards are requests.
    "How likely is an Artillery Request in the first card I look at?": (
        "outcomes",
        {"position": "combat_commander/lone_radio", "order": "ask"},
        lambda a: sum(
            Fraction(row["chance"]) for row in a["results"] if "played=1" in row["position"]
        ),
        Fraction(7, 72),
    ),
    "How many cards has a deck of Combat Commander?": (
        "position",
        {"position": "combat_commander/lone_radio"},
        lambda a: a["piles"]["italian"],
        72,
    ),
    "How many tokens lie in the pile of Battlegroup Clash?": (
        "piles",
        {"name": "battlegroup_clash/causeway"},
        lambda a: sum(row["number"] for row in a["piles"] if row["pile"] == "etx"),
        16,
    ),
    "How many of them are blank?": (
        "piles",
        {"name": "battlegroup_clash/causeway"},
        lambda a: next(
            row["number"] for row in a["piles"] if (row["pile"], row["card"]) == ("etx", "0")
        ),
        4,
    ),
    "What may NATO decide first at the causeway?": (
        "standard",
        {"position": "battlegroup_clash/causeway"},
        lambda a: a["decision"],
        "requests.plan",
    ),
    "After how many minutes does fire fall in Battlegroup Clash?": (
        "odds",
        {"game": "battlegroup_clash", "scenario": "woods"},
        value_of("minutes_to_first_effect"),
        Fraction(45, 2),
    ),
}


def number_task(
    game: str, name: str, value: Any, rule: str
) -> tuple[str, dict[str, Any], Any, Any]:
    """Return the task of finding a number and its rule."""
    return "numbers", {"game": game, "within": name}, numbered, (value, rule)


EVERY = TASKS | MORE | {text: number_task(*number) for text, number in NUMBERS.items()}
FURTHER = OF_SECOND_HAND | {text: number_task(*number) for text, number in SECOND_HAND.items()}
SLOW = "Which rules do these best orders rest on?"
DRAWN = frozenset(Random(41).sample(sorted(EVERY), len(EVERY) // 5)) - {SLOW}
"""A fifth of the tasks, tried in every run; the others with the full tests."""


def solved(task: tuple[str, dict[str, Any], Any, Any]) -> None:
    """Check that the tool accepts the call and that its answer contains the expected value."""
    name, arguments, found, expected = task
    if name == "duel":
        pytest.importorskip("highspy", reason="it is in the extra duel")
    assert found(tools()[name].answer(arguments, 30)) == expected


def test_there_are_100_tasks_over_all_games_and_tools() -> None:
    tasks = EVERY | FURTHER
    assert len(tasks) == 100
    said = " ".join(str(arguments) for _, arguments, _, _ in tasks.values())
    games = "asl wacht_am_rhein red_poppies miniatures_1943 battletech combat_commander battlegroup_clash"
    assert [game for game in games.split() if game not in said] == []
    assert tools().keys() - {name for name, *_ in tasks.values()} == set()


@pytest.mark.parametrize(
    "task",
    [text if text in DRAWN else pytest.param(text, marks=pytest.mark.full) for text in EVERY],
)
def test_a_task_is_solved_by_its_call(task: str) -> None:
    solved(EVERY[task])


@pytest.mark.full
@pytest.mark.parametrize("task", FURTHER)
def test_a_task_about_a_further_game_is_solved_by_its_call(task: str) -> None:
    for game in ("battletech", "combat_commander", "battlegroup_clash"):
        pytest.importorskip(f"fireplan_{game}", reason="it is in requirements-games.txt")
    solved(FURTHER[task])


# --- ten tasks from the four main games, counted without the program -----------------------------
DICE = [*product(range(1, 7), range(1, 7))]
MILE = 1609.344
"""Metres in a mile, the width of a hex of Wacht am Rhein."""


def contact_kept(number: int, drm: int = 0) -> Fraction:
    """Return the chance of contact and of maintaining it with a DRM; a 12 breaks the radio (C1.22)."""
    at_once = sum(a + b <= number and a + b < 12 for a, b in DICE)
    kept = sum(a + b + drm <= number and a + b < 12 for a, b in DICE)
    return Fraction(at_once, 36) * Fraction(kept, 36)


@pytest.mark.full
def test_radio_numbers_change_fire_by_the_chance_of_contact_now_and_in_the_next_phase():
    """The first fire needs contact in one fire phase and again in the next; no other rule reads the
    number.
    """
    name, arguments, _, expected = EVERY[
        "Which number matters most for fire within two minutes in the village?"
    ]
    numbers = {row["name"]: row for row in tools()[name].answer(arguments, 60)["numbers"]}
    changes = {
        (row["name"], step["to"]): Fraction(step["value"])
        for row in numbers.values()
        for step in row["steps"]
        if step["value"] is not None
    }
    contact, maintenance = "asl.radio_contact[german]", "asl.mortar_maintenance_drm"
    base = changes[contact, 7] * contact_kept(8, -2) / contact_kept(7, -2)
    assert changes[contact, 9] == base * contact_kept(9, -2) / contact_kept(8, -2)
    for drm in (-3, -1):
        assert changes[maintenance, drm] == base * contact_kept(8, drm) / contact_kept(8, -2)
    moved = {key: abs(value - base) for key, value in changes.items()}
    assert max(moved, key=moved.__getitem__) == (expected, 7)
    # If Contact needed 7 or less, there would be less fire, by the same ratio within two minutes.
    assert changes[contact, 7] < base


def test_expected_answers_are_counted_without_the_program():
    """Air: one die each, with 5 off the Axis die in France in 1944 (S.2); barrage: one hex of a
    mile.
    """
    air = [american > german - 5 for american, german in DICE]
    assert EVERY["How often do the Americans win the air at the hedgerow farm?"][3] == Fraction(
        sum(air), 36
    )
    hectares = round(3**0.5 / 2 * MILE**2 / 10_000)
    assert EVERY["How many hectares does a barrage of Wacht am Rhein cover?"][3] == hectares


def test_expected_answers_are_in_the_games_files():
    village = tomli.loads(file_of("fireplan_asl", "scenarios", "village.toml"))
    (squad,) = (unit for unit in village["unit"] if unit["id"] == "1st squad")
    assert EVERY["Where does the 1st squad stand in the village?"][3] == squad["hex"]
    ledger = tomli.loads(file_of("fireplan_miniatures_1943", "rules.toml"))["rule"]
    idle = [rule for rule in ledger if rule["status"] == "not applicable"]
    assert idle
    assert EVERY["Why do some rules of 1943 not apply?"][3] is all(rule["reason"] for rule in idle)


def file_of(package: str, *names: str) -> str:
    return files(package).joinpath("data", *names).read_text(encoding="utf-8")
