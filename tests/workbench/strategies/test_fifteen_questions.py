"""Fifteen questions that need a strategy, as docs/how_to/plans.md answers them, worked by hand.

A walk follows every outcome of every roll, with orders decided here, position by position.
"""

import re
from fractions import Fraction
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[3] / "docs" / "how_to/plans.md"


@pytest.fixture(scope="module")
def answers():
    names = {}
    for code in re.findall(
        r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    ):
        if "import fireplan" in code or "_5 = " in code:
            exec(compile(code, "how_to/plans.md", "exec"), names)  # noqa: S102 - our own page
    return names


def walked(start, decide, wanted, until, least=1):
    """Return the chance of at least this many matching events before the moment numbered ``until``."""
    known = {}

    def chance(at, memory, left):
        if left <= 0:
            return Fraction(1)
        if at.at.moment >= until or at.waits_for == "nothing":
            return Fraction(0)
        key = at.line, memory, left
        if key not in known:
            order, after = None, memory
            if not at.waits_for.startswith("roll "):
                order, after = decide(at, memory)
            known[key] = Fraction(0)
            for row in at.outcomes(order):
                met = sum(wanted(event) and event.number < until for event in row.events)
                known[key] += row.chance * chance(row.position, after, left - met)
        return known[key]

    return chance(start, None, least)


def asked(at, question):
    return at.waits_for.endswith(f".{question}")


def verbs(at):
    return [form.verb for form in at.legal().forms]


# --- Advanced Squad Leader --------------------------------------------------------------------------
def wait_a_turn(at, memory):
    waits = asked(at, "fire") and at.moment.startswith("turn 2") and "pass" in verbs(at)
    return ("pass" if waits else at.standard()), memory


def two_rolls(at, memory):
    if asked(at, "contact"):
        return ("pass" if memory == 2 else "roll"), (memory or 0) + 1 if memory != 2 else 2
    return at.standard(), memory


def convert_or_correct(at, memory):
    """Return an order and the unchanged memory.

    The order is to Convert if fire would cover K5, otherwise to Correct onto K5 if that is allowed,
    otherwise the standard order.
    """
    if asked(at, "fire") and "convert" in verbs(at):
        on_target = str(at["a", "round"]) in at.covers("a", "K5")
        if on_target and at.why_not("convert") is None:
            return "convert", memory
        if at.why_not("correct at=K5") is None:
            return "correct at=K5", memory
    return at.standard(), memory


def give_up_far_rounds(at, memory):
    far = asked(at, "fire") and "cancel" in verbs(at) and "convert" in verbs(at)
    far = far and str(at["a", "round"]) not in (*at.covers("a", "K5"),)
    return ("cancel" if far else at.standard()), memory


def harass(at, memory):
    return ("harassing" if asked(at, "type") else at.standard()), memory


# --- Wacht am Rhein ----------------------------------------------------------------------------------
def second_segment(at, memory):
    waits = asked(at, "declare") and at.moment == "barrage segment 1"
    return ("pass" if waits else at.standard()), memory


def fire_once(at, memory):
    if asked(at, "declare"):
        return ("pass" if memory else "barrage"), True
    return at.standard(), memory


def one_battalion(at, memory):
    if asked(at, "barrage"):
        order = "barrage at=3030 fire=107-FA:4 observer=I-110"
        return (order if at.why_not(order) is None else "hold"), memory
    return at.standard(), memory


def retreat_first(at, memory):
    if asked(at, "satisfy"):
        (form,) = [form for form in at.legal().forms if form.verb == "retreat_first"]
        return form.orders[0], memory
    return at.standard(), memory


def then_the_next_hex(at, memory):
    if asked(at, "barrage") and at["I-77", "steps"] < 2:
        form = next(form for form in at.legal().forms if form.verb == "barrage")
        usual = re.sub(r"at=\d+", "at=3130", at.standard())
        if at.why_not(usual) is None:
            return usual, memory
        there = [order for order in form.orders if "at=3130" in form.words.typed.order(order)]
        return (there[0] if there else at.standard()), memory
    return at.standard(), memory


# --- Red Poppies -------------------------------------------------------------------------------------
def while_three_are_left(at, memory):
    few = asked(at, "command") and at.at.table().waits_for.args[0] < 3
    return ("pass" if few else at.standard()), memory


def cancel_once(at, memory):
    if asked(at, "command") and not memory and at.why_not("cancel group=75s") is None:
        return "cancel group=75s", True
    return at.standard(), memory


def from_turn_2(at, memory):
    return ("pass" if asked(at, "command") and at.moment == "turn 1" else at.standard()), memory


def cancel_in_the_second_couplet(at, memory):
    if not asked(at, "command"):
        return at.standard(), memory
    moment, count = memory or (at.moment, 0)
    count = count + 1 if moment == at.moment else 1
    cancels = count == 2 and at.why_not("cancel group=75s") is None
    return ("cancel group=75s" if cancels else at.standard()), (at.moment, count)


def beside_the_target(at, memory):
    return ("place at=AU06/AV05/AV06" if asked(at, "cross_hair") else at.standard()), memory


def fall(event):
    return event.kind == "fall"


def hit(event):
    return event.kind == "fall" and event["on_target"]


def suffers(unit):
    return lambda event: event.kind == "suffered" and event["unit"] == unit


WALKS = {
    ("asl", 0): ("village", wait_a_turn, fall, 6),
    ("asl", 1): ("street", two_rolls, fall, 4),
    ("asl", 2): ("spotted", convert_or_correct, hit, 4),
    ("asl", 3): ("spotted", give_up_far_rounds, fall, 6),
    ("asl", 4): ("close", harass, suffers("1st squad"), 3),
    ("wacht", 0): ("dividing", second_segment, suffers("I-77"), 2),
    ("wacht", 1): ("dividing", fire_once, suffers("I-77"), 2),
    ("wacht", 2): ("dividing", one_battalion, suffers("I-77"), 2),
    ("wacht", 3): ("dividing", retreat_first, suffers("I-77"), 2, 2),
    ("wacht", 4): ("dividing", then_the_next_hex, suffers("II-77"), 2),
    ("poppies", 0): ("pinon", while_three_are_left, fall, 2),
    ("poppies", 1): ("pinon", cancel_once, fall, 3),
    ("poppies", 2): ("pinon", from_turn_2, hit, 3),
    ("poppies", 3): ("pinon", cancel_in_the_second_couplet, fall, 2),
    ("poppies", 4): ("pinon", beside_the_target, hit, 2),
}


LONG_WALKS = {which for which in WALKS if which[1] not in (0, 2)} | {("asl", 0)}
"""Walks that visit many states, or resemble a quick one."""


@pytest.mark.parametrize(
    "which",
    [
        pytest.param(which, marks=pytest.mark.long) if which in LONG_WALKS else which
        for which in WALKS
    ],
    ids=lambda which: f"{which[0]}-{which[1] + 1}",
)
def test_an_answer_of_the_page_equals_the_walk(answers, which):
    game, number = which
    start, *walk = WALKS[which]
    answer = answers[f"{game}_{number + 1}"].chance
    assert answer == walked(answers[start], *walk)
    assert 0 < answer < 1


def test_each_question_is_answered_in_at_most_two_lines():
    text = PAGE.read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(#.*?_5 = .*?)^```", text, re.MULTILINE | re.DOTALL)
    questions = [part for block in blocks for part in block.strip().split("\n\n")]
    assert len(questions) == len(WALKS)
    for question in questions:
        title, *lines = question.split("\n")
        assert title.endswith("?")
        assert len(lines) <= 2
