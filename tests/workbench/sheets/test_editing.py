"""A form changes one entry of a sheet: the text has exactly that change, and no other line moves."""

import pytest
import tomli

from fireplan.errors import InputError
from fireplan.sheets import (
    BLANK,
    edited,
    kinds_of,
    part_schema,
    sheet_game,
    sheet_templates,
    with_parts,
    without,
)
from fireplan_core.files import Document, FileError, keys_of

RADIO = sheet_templates()["radio_and_scatter"].read_text(encoding="utf-8")
CHANGES = {
    "delays.skill": 8,
    "delays.rules.delay": "9.9",
    "areas.extents": {"1-3": 1, "4-6": 2},
    "modifier[0].posture": ["prone", "dug_in"],
    "rule[3].summary": 'Say "six" # or less\nand more',
    "table.fire.rows": {"2-12": "-"},
    "edition": "second",
    "option[0].name": "short",
    "deck.fate.cards": {"1-8": 5},
    "title": None,
    "requests.near_m": None,
}


def at(content, keys):
    for key in keys:
        content = content[key]
    return content


@pytest.mark.parametrize("key", CHANGES)
def test_one_entry_changes_and_every_other_stays(key):
    value, keys, before = CHANGES[key], keys_of(key), tomli.loads(RADIO)
    text = edited(RADIO, keys, value)
    after = tomli.loads(text)
    if value is None:
        assert keys[-1] not in at(after, keys[:-1])
        at(after, keys[:-1])[keys[-1]] = at(before, keys)
    else:
        assert at(after, keys) == value
        holder = at(after, keys[:-1])
        try:
            holder[keys[-1]] = at(before, keys)
        except LookupError:  # the entry is new, and so is its table
            del after[keys[0]]
    assert after == before


def test_lines_and_comments_around_a_change_stay():
    commented = RADIO.replace("skill = 6", 'skill = 6   # was 5, "a # b"')
    text = edited(commented, ("delays", "skill"), 7)
    expected = commented.replace('skill = 6   # was 5, "a # b"', 'skill = 7   # was 5, "a # b"')
    assert text == expected


def test_a_statement_of_several_lines_is_replaced_as_a_whole():
    long = RADIO.replace(
        'extents = { "1-2" = 1, "3-4" = 2, "5-6" = 3 }', "accurate = 2\nduration = 2"
    ).replace('capabilities = ["spotting rounds", ', 'capabilities = [\n  "spotting rounds",\n  ')
    text = edited(long.replace("accurate = 2\nduration = 2", ""), ("capabilities",), ["depletion"])
    assert tomli.loads(text)["capabilities"] == ["depletion"]
    assert "correction" not in text


def test_a_part_on_one_line_is_changed_in_its_line():
    inline = BLANK.replace(
        "[map]\nkind", "delays = { kind = 'FixedDelay', delay = 2 }\n[map]\nkind"
    )
    text = edited(inline, ("delays", "delay"), 3)
    assert tomli.loads(text)["delays"] == {"kind": "FixedDelay", "delay": 3}


def test_an_entry_that_cannot_be_set_is_refused_with_its_key():
    with pytest.raises(InputError, match=r"title\.x"):
        edited(RADIO, ("title", "x"), 1)
    with pytest.raises(InputError, match=r"rule\[50\]"):
        edited(RADIO, ("rule", 50, "id"), "1")
    with pytest.raises(FileError):
        edited("a = [", ("a",), 1)


def test_removing_a_list_entry_removes_its_subtables():
    before = tomli.loads(RADIO)
    after = tomli.loads(without(RADIO, ("scenario", 0)))
    assert "scenario" not in after
    assert {**after, "scenario": before["scenario"]} == before
    assert [rule["id"] for rule in tomli.loads(without(RADIO, ("rule", 2)))["rule"]] == [
        rule["id"] for number, rule in enumerate(before["rule"]) if number != 2
    ]


def test_changing_a_ready_part_keeps_shared_keys_and_invents_none():
    after = tomli.loads(with_parts(RADIO, "delays", ["FixedDelay"]))["delays"]
    assert after == {
        "kind": "FixedDelay",
        "minutes": 2,
        "rules": {"moment": "1.1", "delay": "2.2"},
    }
    with pytest.raises(FileError) as refused:
        sheet_game(Document.of("sheet", with_parts(RADIO, "delays", ["FixedDelay"])))
    assert [fault.key for fault in refused.value.faults] == ["delays.delay"]
    with pytest.raises(InputError, match="SkillCheck"):
        with_parts(RADIO, "delays", ["SkilCheck"])


@pytest.mark.parametrize("word", ["observers", "requests", "delays", "areas", "resolution"])
def test_every_ready_part_can_be_chosen_and_each_of_its_keys_set(word):
    for name, kind in kinds_of(word).items():
        text = with_parts(RADIO, word, [name])
        table = tomli.loads(text)[word]
        declared = part_schema((kind,))
        assert set(table) <= set(declared["properties"])
        assert set(table.get("rules", {})) <= set(declared["properties"]["rules"]["properties"])
        assert not [
            fault
            for fault in faults_of(text)
            if fault.message.startswith(("unknown key", "no rule"))
        ]


def faults_of(text):
    try:
        sheet_game(Document.of("sheet", text))
    except FileError as error:
        return error.faults
    return ()


def test_a_blank_sheet_lacks_the_five_parts_and_nothing_else():
    assert {fault.key for fault in faults_of(BLANK)} == {
        "observers",
        "requests",
        "delays",
        "areas",
        "resolution",
    }
