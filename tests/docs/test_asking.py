"""The README on positions: its examples run, and its figures are those of the answers."""

import re
from pathlib import Path

import fireplan as fp
from fireplan.analysis import percent

ROOT = Path(__file__).resolve().parents[2]


def blocks(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def test_the_figures_in_readme_are_those_of_the_answers():
    names = {}
    code = "\n".join(blocks("README.md"))
    exec(code, names)  # noqa: S102 - our own page
    slow, fast = (
        names["pinon"].given(initiative={"couplets": n}, every="turn").chance("fall", by=2).chance
        for n in (1, 3)
    )
    assert f"one couplet in each turn {percent(slow)}; with three {percent(fast)}" in code
    left = names["crossroads"].distribution(lambda end: end["I-77", "steps"])
    assert f"{percent(left[1])} that I-77 loses a step" in code
    village = names["village"]
    delivered = village.chance("fall", by="turn 4").chance
    red = village.given(access="red").chance("fall", by="turn 4")
    assert f"delivered {percent(delivered)}" in code
    assert (
        f"{percent(red.chance)}; the chance of that draw is {percent(red.condition_chance)}" in code
    )
    assert village.odds(by="turn 4").answer.measures["delivered"].value == delivered


def test_each_game_answers_a_player():
    """A player's question for each game, with a law that its answer must obey."""
    pinon = fp.position("red_poppies/battle_for_pinon")
    by_couplets = {n: pinon.given(initiative={"couplets": n}).chance("fall", by=4) for n in (3, 4)}
    assert by_couplets[3].chance <= by_couplets[4].chance
    crossroads = fp.position("wacht_am_rhein/crossroads")
    units = crossroads.at.scenario.targets[:2]
    both = crossroads.distribution(lambda end: tuple(end[unit, "steps"] for unit in units))
    assert sum(both.shares.values()) == 1
    chits = fp.position("miniatures_1943/chits_in_hand")
    assert chits.chance("fall").chance == chits.odds().answer.measures["delivered"].value
