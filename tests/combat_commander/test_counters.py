"""Printed values on the counters of Combat Commander: morale on both sides, and a leader's command."""

import pytest

import fireplan as fp
from fireplan.questions.situations import situation_of


@pytest.mark.parametrize(
    ("line", "printed"),
    [
        ("fp1 combat_commander/lone_radio", ("morale 6",)),
        ('fp1 combat_commander/lone_radio "runner squad"{broken}', ("morale 8",)),
    ],
)
def test_17_a_counter_shows_the_morale_of_the_side_that_is_up(line, printed):
    """By the chart of units, an American Line squad has morale 6, or 8 when broken."""
    units = {unit.name: unit for unit in situation_of(fp.position(line).at).units}
    assert units["runner squad"].printed == printed
    assert units["Capitano"].printed[1:] == ("command 2",)
