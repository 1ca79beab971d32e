"""The command structure: affiliation, and the structure as a graph."""

import subprocess
import sys

import pytest

from fireplan_core.play import find_scenario
from fireplan_wacht_am_rhein.command import Command, CommandError, Headquarters, graph

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
def test_12_1_5_divisions_brigades_and_the_commands_they_are_under_or_affiliated_with(observer, artillery, tie):
    assert COMMAND.tie(observer, artillery) == tie


def test_12_1_5_nobody_is_affiliated_with_a_division_or_with_what_is_not_there():
    with pytest.raises(CommandError) as refused:
        Command((Headquarters("2nd", "division", None, ("99th", "X")), Headquarters("99th", "division")))
    assert refused.value.faults == [
        "2nd is affiliated with 99th, which is no corps or army that is there",
        "2nd is affiliated with X, which is no corps or army that is there",
    ]


def test_12_1_5_the_structure_is_a_graph_from_units_up_to_armies():
    import networkx as nx

    found = graph(COMMAND, [("37-FA", "2nd"), ("187-FG", "V")])
    assert nx.is_directed_acyclic_graph(found)
    assert nx.descendants(found, "37-FA") == {"2nd", "V", "First"}
    assert nx.ancestors(found, "V") == {"2nd", "99th", "37-FA", "187-FG"}
    assert found.nodes["14th"]["level"] == "brigade"
    assert found.nodes["37-FA"]["level"] == "unit"
    assert {(a, b) for a, b, kind in found.edges(data="kind") if kind == "affiliated"} == {("99th", "VII")}
    # What the rule says is what the graph says: a command is whatever lies above a formation.
    for formation in ("2nd", "99th", "14th"):
        for corps in ("V", "VII", "First", "Ninth"):
            assert (COMMAND.tie(formation, corps) == "command") is nx.has_path(found, formation, corps)


def test_12_1_5_a_scenario_gives_the_graph_of_each_side(war):
    import networkx as nx

    _, form = find_scenario(war.catalogue(), "wacht_am_rhein/two_divisions")
    ours, theirs = form.structure("US"), form.structure("GE")
    assert nx.descendants(ours, "142-FG") == {"VII-Corps", "First-Army"}
    assert nx.has_path(ours, "99th-Division", "VII-Corps")
    assert not nx.has_path(ours, "2nd-Division", "VII-Corps")
    assert nx.descendants(theirs, "I-751") == {"326th-VGD", "LXVII-Korps", "Sixth-Army"}
    assert not set(ours) & set(theirs)


def test_importing_the_game_does_not_load_networkx():
    code = "import sys, fireplan_wacht_am_rhein, fireplan_wacht_am_rhein.plan; sys.exit('networkx' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
