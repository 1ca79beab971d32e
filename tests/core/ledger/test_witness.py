"""Worked examples in a ledger: read as data; unknown keys are refused."""

import pytest

from fireplan_core.files import FileError
from fireplan_core.ledger import Witness, read_ledger

RULE = """
[[rule]]
id = "1.1"
summary = "A six hits."
status = "open"
"""


def test_a_witness_belongs_to_the_rule_above_it(tmp_path):
    file = tmp_path / "rules.toml"
    file.write_text(
        RULE
        + "[[rule.witness]]\nsource = 'book'\nposition = 'fp1 x/y'\nplay = '> pass'\n"
        + RULE.replace("1.1", "1.2")
    )
    rules = read_ledger(file).rules
    assert rules["1.1"].witness == (Witness(position="fp1 x/y", play="> pass", source="book"),)
    assert rules["1.2"].witness == ()


def test_a_key_that_no_witness_has_is_refused(tmp_path):
    file = tmp_path / "rules.toml"
    file.write_text(RULE + "[[rule.witness]]\npositon = 'fp1 x/y'\n")
    with pytest.raises(FileError) as refused:
        read_ledger(file)
    (fault,) = refused.value.faults
    assert (fault.line, fault.key) == (7, "rule[0].witness[0].positon")
    assert (fault.message, fault.suggestion[:22]) == ("unknown key", "did you mean position?")


def test_rules_that_change_no_figure_are_not_counted(tmp_path):
    ledger = tmp_path / "rules.toml"
    ledger.write_text(
        'title = "T"\nedition = "E"\n'
        '[[rule]]\nid = "1"\nsummary = "a"\nstatus = "implemented"\n'
        '[[rule]]\nid = "2"\nsummary = "b"\nstatus = "implemented"\nno_figure = "It names what 1 rolls for."\n'
        '[[rule]]\nid = "3"\nsummary = "c"\nstatus = "implemented"\n[[rule.witness]]\nposition = "p"\nplay = "> q"\n'
        '[[rule]]\nid = "4"\nsummary = "d"\nstatus = "open"\n'
    )
    found = read_ledger(ledger)
    assert [rule.id for rule in found.figures] == ["1", "3"]
    assert found.witnessed == "1 of 2 rules have a worked example"
