"""The command structure: which unit is subordinate to which, and affiliation."""

import pytest

from fireplan_core import CannotStageError
from fireplan_core.play import find_scenario
from fireplan_wacht_am_rhein.command import Command, Headquarters

COMMAND = Command(
    (
        Headquarters("2nd", "division", "V"),
        Headquarters("99th", "division", "V", ("VII",)),
        Headquarters("14th", "brigade"),
        Headquarters("V", "corps", "First"),
        Headquarters("VII", "corps", "Ninth"),
        Headquarters("First", "army"),
        Headquarters("Ninth", "army"),
    )
)


@pytest.mark.parametrize(
    ("observer", "artillery", "tie"),
    [
        ("99th", "99th", "same"),
        ("99th", "2nd", "other"),
        ("99th", "14th", "other"),
        ("99th", "V", "command"),
        ("99th", "First", "command"),
        ("99th", "VII", "command"),
        ("99th", "Ninth", "command"),
        ("2nd", "VII", "none"),
        ("14th", "V", "none"),
    ],
)
def test_12_1_5_divisions_brigades_and_the_commands_they_are_under_or_affiliated_with(
    observer, artillery, tie
):
    assert COMMAND.tie(observer, artillery) == tie


def test_12_1_5_affiliation_with_a_division_or_an_absent_unit_is_refused():
    with pytest.raises(CannotStageError) as refused:
        Command(
            (Headquarters("2nd", "division", None, ("99th", "X")), Headquarters("99th", "division"))
        )
    assert refused.value.reasons == [
        "2nd is affiliated with 99th, but no corps or army has that name",
        "2nd is affiliated with X, but no corps or army has that name",
    ]


def test_12_1_5_a_command_is_any_superior_of_a_formation_or_its_affiliation():
    assert COMMAND.superiors("2nd") == ("V", "First")
    assert COMMAND.commands("2nd") == {"V", "First"}
    assert COMMAND.commands("99th") == {"V", "First", "VII", "Ninth"}
    assert COMMAND.commands("14th") == set()
    for formation in ("2nd", "99th", "14th"):
        for corps in ("V", "VII", "First", "Ninth"):
            assert (COMMAND.tie(formation, corps) == "command") is (
                corps in COMMAND.commands(formation)
            )


def test_12_1_5_a_scenario_gives_the_command_structure_of_each_side(war):
    _, form = find_scenario(war.catalogue(), "wacht_am_rhein/two_divisions")
    ours, theirs = form.command("US"), form.command("GE")
    under = {one.name: one.under for one in form.unit}
    assert (under["142-FG"], ours.superiors("VII-Corps")) == ("VII-Corps", ("First-Army",))
    assert "VII-Corps" in ours.commands("99th-Division")
    assert "VII-Corps" not in ours.commands("2nd-Division")
    assert (under["I-751"], theirs.superiors("326th-VGD")) == (
        "326th-VGD",
        ("LXVII-Korps", "Sixth-Army"),
    )
    assert not {one.name for one in ours.headquarters} & {one.name for one in theirs.headquarters}
