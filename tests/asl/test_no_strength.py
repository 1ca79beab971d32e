"""Scenarios in which nobody can be harmed: the target is bare ground, Dummies, or nothing at all
(C1.5, C1.82).
"""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
from tiers import one_in

from fireplan.solver import Analysis
from fireplan_core import Severity
from fireplan_core.play import load_scenario

TEXT = """
game = "asl"
title = "Nobody there"
moments = 3
date = 1943-08-12

[[battery]]
id = "a"
side = "german"
nationality = "german"
calibre = 81
target = "K5"
observer = "E6"

[[unit]]
id = "it"
hex = "K5"
"""
NOBODY = {
    "a building": 'side = "russian"\nkind = "building"\nterrain = "stone_building"\nlevels = 2',
    "a Dummy": 'side = "russian"\ndummy = true\nconcealed = true',
    "a weapon that nobody mans": 'side = "russian"\nkind = "weapon"\nmen = 0',
    "own troops alone": 'side = "german"',
}

COMMANDS = (
    ["odds"],
    ["odds", "--sample", "50"],
    ["whatif", "--set", "asl.blast_radius=2"],
    ["sensitivity", "--for", "destroyed"],
    ["best", "--for", "destroyed", "--only", "delays.contact"],
)


@pytest.mark.parametrize("unit", one_in(4, NOBODY.values()), ids=[*NOBODY])
def test_c1_5_where_nothing_has_men_nobody_suffers(catalogue, run, tmp_path, unit):
    path = tmp_path / "nobody.toml"
    path.write_text(TEXT + unit, encoding="utf-8")
    assert Analysis(load_scenario(catalogue, path)[0], 3).severity() == {
        severity: Fraction(severity is Severity.NONE) for severity in Severity
    }
    status, out, _ = run("odds", path, "--json")
    assert status == 0
    assert "strength" in json.loads(out)["measures"]["target_severity"]["not_modelled"]
    for arguments in COMMANDS:
        command, *more = arguments
        status, out, err = run(command, path, *more)
        assert status == 0, err
        if arguments == ["odds"]:
            assert out.count("not modelled") >= 4
