"""Witnesses: worked examples of a new game's rules are confirmed, or the difference is reported."""

from __future__ import annotations

import re

import pytest

from fireplan.analysis.rule_pages import rule_page
from fireplan_core.ledger import read_ledger
from fireplan_kit import examine, uncovered
from fireplan_kit.check import admitted
from fireplan_kit.kitbash import imported
from fireplan_kit.scaffolding import SPACES, rendered

RULES = "src/fireplan_witnessed/data/rules.toml"


@pytest.mark.parametrize("space", SPACES)
def test_every_rule_of_a_new_game_has_a_witness(space, tmp_path):
    (tmp_path / "rules.toml").write_text(rendered("witnessed", space)[RULES], encoding="utf-8")
    assert [
        rule.id for rule in read_ledger(tmp_path / "rules.toml").rules.values() if not rule.witness
    ] == []


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("value=-2", "value=-1", "after 'roll attack: coloured 4, white 4' it expects"),
        ("\n  suffered unit=picket severity=suppressed [5.1]", "", "the rules give"),
        (
            "> roll depletion: white 1",
            "> roll depletion: white 7",
            "'roll depletion: white 7' cannot be",
        ),
        ('first "turn 5" a{stage=falling', 'frist "turn 5" a{stage=falling', "cannot be"),
        (
            "> why firer: convert\n  allowed",
            "> why firer: convert\n  refused [1.3]",
            "but the rules give ['allowed [1.3]']",
        ),
        (
            "> why firer: convert\n  allowed",
            "> why firer: convert\n  allowed [1.1]",
            "but the rules give ['allowed [1.3]']",
        ),
        ("left=[4 3 2]", "left=[4 4 2]", "it expects"),
        (
            "> roll attack: coloured 4, white 4\n",
            "modifier roll=resolution.attack value=-2 summary=dug in [5.2]\n> roll attack: coloured 4, white 4\n",
            "before the first input it expects",
        ),
    ],
)
def test_a_failing_witness_names_the_line(old, new, told):
    space = "plane" if "left" in old else "hex"
    files = rendered("witnessed", space)
    assert old in files[RULES]
    files[RULES] = files[RULES].replace(old, new)
    with imported("witnessed", files) as plugin:
        found = [
            str(one)
            for _, findings in examine("witnessed", plugin, only=("L29-witnesses",))
            for one in findings
        ]
    assert any(told in text for text in found), found


@pytest.mark.full
def test_a_raising_witness_is_named_and_the_others_are_checked():
    files = rendered("witnessed", "hex")
    files[RULES] = files[RULES].replace("value=-2", "value=-1")
    part = "src/fireplan_witnessed/resolution.py"
    files[part] = files[part].replace("return 1 if", "return 1 // 0 if")
    with imported("witnessed", files) as plugin:
        found = [
            str(one)
            for _, findings in examine("witnessed", plugin, only=("L29-witnesses",))
            for one in findings
        ]
        uncovered("witnessed", plugin)
    assert any(
        "raised ZeroDivisionError" in text and "in step resolution.attack" in text for text in found
    ), found
    assert any("value=-1" in text for text in found), found


def test_empty_witnesses_and_games_without_witnesses_are_reported():
    files = rendered("witnessed", "hex")
    head, _, rest = files[RULES].partition("play = '''")
    files[RULES] = head + "play = '''\n'''" + rest.partition("'''")[2]
    with imported("witnessed", files) as plugin:
        ((_, (finding,)),) = examine("witnessed", plugin, only=("L29-witnesses",))
    assert "its play is empty" in str(finding)
    files[RULES] = re.sub(
        r"\[\[rule.witness\]\].*?play = '''.*?'''", "", files[RULES], flags=re.DOTALL
    )
    files = {name: text for name, text in files.items() if "playthrough" not in name}
    with imported("witnessed", files) as plugin:
        laws = [
            law
            for law, _ in examine(
                "witnessed", plugin, only=("L24-rolls", "L29-witnesses", "L01-admission")
            )
        ]
    assert [law.examined for law in laws] == [True, False, False]


def test_the_page_of_a_rule_shows_its_witnesses():
    with imported("witnessed", rendered("witnessed", "hex")) as plugin:
        lines = rule_page(admitted("witnessed", plugin)[0], "witnessed", "5.2").lines()
    assert "worked example (author)" in lines
    assert "  8 less 2 is 6: S. 7 less 2 is 5: nothing." in lines


def played(position, play):
    """Return the findings for a new game whose rule 5.2 has this worked example."""
    files = rendered("witnessed", "hex")
    files[RULES] += (
        f'\n[[rule]]\nid = "9"\nsummary = "Example."\nstatus = "open"\n[[rule.witness]]\nwhy = "As the rule says."\n'
        f"source = \"author\"\nposition = '{position}'\nplay = '''\n{play}\n'''\n"
    )
    with imported("witnessed", files) as plugin:
        ((_, found),) = examine("witnessed", plugin, only=("L29-witnesses",))
    return [str(finding) for finding in found]


def test_a_witness_may_begin_with_automatic_events():
    position = 'fp1 witnessed/first "turn 4" a{stage=spotting aim=@H8 round=@H8} > core.convert(a)'
    (wrong,) = played(position, "  nothing [1.3]\n> roll attack: coloured 4, white 4")
    says = wrong.partition("the rules give [")[2].partition("]']")[0].replace("'", "") + "]"
    lines = says.split("], ")
    play = "\n".join(f"  {line.rstrip(']')}]" for line in lines)
    assert "before the first input" in wrong
    assert played(position, play) == []


def test_the_position_in_a_witness_may_list_its_fields_in_any_order():
    position = 'fp1 witnessed/first "turn 4" a{stage=spotting aim=@H8 round=@J7} > firer?requests.fire(a) core.opportunity(a)'
    (wrong,) = played(position, "> why firer: cancel\n  fp1 witnessed/first")
    line = re.search('fp1 witnessed/first "turn 4" .*?(?=\')', wrong).group()
    fields = re.search(r"a\{(.*?)\}", line).group(1)
    backwards = line.replace(fields, " ".join(reversed(fields.split())))
    assert backwards != line
    right = played(position, f"> why firer: cancel\n  allowed\n  {line}")
    assert played(position, f"> why firer: cancel\n  allowed\n  {backwards}") == right == []
