"""Tasks in plain words, each with its answer and the one call that solves it, from the descriptions alone."""

from fractions import Fraction
from typing import Any

import pytest

from fireplan.mcp_server.tools import tools

VILLAGE = "asl/village"


def share(answer: dict[str, Any], value: str = "yes") -> Fraction:
    return next(
        (Fraction(row["share"]) for row in answer["shares"] if row["value"] == value), Fraction(0)
    )


def percent(number: Any) -> float:
    return round(float(Fraction(number)) * 100, 1)


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
        72.2,  # 26 of 36
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
        lambda a: [
            entry for entry in a["assets"]["a"]["more"] if entry.startswith(("black", "red"))
        ],
        ["black 8", "red 3"],
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


@pytest.mark.parametrize("task", TASKS)
def test_a_task_is_solved_by_its_call(task: str) -> None:
    name, arguments, found, expected = TASKS[task]
    tool = tools()[name]
    tool.check(arguments)
    assert found(tool.answer(arguments, 30)) == expected
