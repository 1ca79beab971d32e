"""Numbers as data, for every installed game: named, of known origin, changeable one by one; and
which numbers move a figure.
"""

from __future__ import annotations

from fractions import Fraction

import attrs
import pytest
from tiers import one_in

import fireplan as fp
from fireplan.analysis import FIGURES, MovableNumbers, Setting, answer, figures_of, sensitivity
from fireplan.solver import Analysis, Compiler, FirstFall, NumberLog
from fireplan_core import Step, find_numbers, numbers_of
from fireplan_core.chance import PROVENANCES
from fireplan_core.play import Catalogue, Variation, find_scenario, stage_engagement

GAMES = sorted(Catalogue.installed().games)
MOMENTS = 3


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return Catalogue.installed()


@pytest.mark.parametrize("key", GAMES)
def test_every_number_has_a_name_an_origin_and_a_rule(catalogue, key):
    numbers = numbers_of(catalogue[key].game.charts)
    assert len(numbers) > 10
    for name in list(numbers)[:: max(1, len(numbers) // 30)]:
        assert [one.name for one in find_numbers(catalogue[key].game.charts, name)] == [name]
    for name, named in numbers.items():
        assert named.cell.provenance in PROVENANCES
        assert named.cell.cite or named.cell.provenance != "printed", name
        assert named.cell.value not in named.cell.steps


@pytest.mark.parametrize("key", GAMES)
def test_one_number_is_changed_and_all_others_stay(catalogue, key):
    game = catalogue[key].game
    before = {name: named.cell.value for name, named in numbers_of(game.charts).items()}
    names = [name for name, named in numbers_of(game.charts).items() if named.cell.steps]
    for name in names[:: max(1, len(names) // 20)]:
        step = numbers_of(game.charts)[name].cell.steps[-1]
        after = {
            n: named.cell.value
            for n, named in numbers_of(game.charts_with({}, {name: str(step)})).items()
        }
        assert after == {**before, name: step}


@pytest.mark.parametrize("key", GAMES)
def test_an_unknown_number_is_refused_with_near_names(catalogue, key):
    charts = catalogue[key].game.charts
    name = next(iter(numbers_of(charts)))
    with pytest.raises(ValueError, match=rf"did you mean.*{name}"):
        find_numbers(charts, name[:-1] + "_" + name[-1])


# Battlegroup Clash forbids fire within 250 m of own troops (11), which is where this engagement has
# them.
@pytest.mark.parametrize("key", sorted({*GAMES} - {"asl", "battlegroup_clash"}))
def test_figures_are_those_of_the_yardsticks(catalogue, engagement, key):
    scenario = stage_engagement(catalogue, key, engagement)
    analysis = Analysis(scenario, 2)
    found = answer(catalogue[key].game, analysis)
    for name, value in figures_of(found).items():
        assert value is not None
        assert FIGURES[name].of(analysis) == value, name


@pytest.mark.parametrize(
    "key", ["miniatures_1943", pytest.param("red_poppies", marks=pytest.mark.full)]
)
def test_changing_solved_rows_is_solving_the_changed_game(catalogue, engagement, key):
    def lay(variation):
        return stage_engagement(catalogue, key, engagement, variation)

    def fresh(numbers):
        scenario = lay(Variation(numbers=numbers))
        return FIGURES["destroyed"].of(Analysis(scenario, table.moments(scenario)))

    minutes = int(MOMENTS * lay(Variation()).clock.minutes)
    table = Setting(catalogue, key, "woods", "", engagement, minutes)
    found = sensitivity(table, Variation(), FIGURES["destroyed"])
    assert found.value == fresh({})
    moving = [effect for effect in found.effects if effect.by]
    assert moving
    for effect in [*moving[:12], *found.effects[-3:]]:
        for one in effect.moved:
            if one.by is not None:
                assert fresh({effect.number.name: str(one.to)}) == found.value + one.by, effect.name
    # A number that is not listed was not read, so it moves nothing.
    listed = {effect.number.name for effect in found.effects}
    others = [
        name
        for name, n in numbers_of(catalogue[key].game.charts).items()
        if name not in listed and n.cell.steps
    ]
    for name in others[:: max(1, len(others) // 5)]:
        step = numbers_of(catalogue[key].game.charts)[name].cell.steps[0]
        assert fresh({name: str(step)}) == found.value, name


@pytest.mark.parametrize(
    ("name", "every"), one_in(2, [("wacht_am_rhein/crossroads", 4), ("asl/village", 12)])
)
def test_a_scenario_varied_is_the_changed_scenario_solved(catalogue, name, every):
    def lay(variation):
        return find_scenario(catalogue, name, variation)[0]

    def figures(analysis):
        return analysis.solve(FirstFall()).shares, analysis.severity()

    noted = NumberLog()
    scenario = lay(Variation(note=noted))
    laid = noted.take()
    before = Analysis(scenario, MOMENTS, compiler=Compiler(scenario, noted=noted))
    known = figures(before)
    key = name.split("/")[0]
    numbers = numbers_of(catalogue[key].game.charts)
    moved = kept = 0
    for full in sorted(before.compiler.numbers - laid)[::every]:
        number = full.removeprefix(f"{key}.")
        for to in numbers[number].cell.steps if number in numbers else ():
            changed = lay(Variation(numbers={number: str(to)}))
            after = before.varied(changed, {full})
            assert figures(after) == figures(Analysis(changed, MOMENTS)), (number, to)
            moved += figures(after) != known
            kept += before.plan.chain in (after.plan.chain, after.plan.chain.basis)
    assert moved
    assert kept


@pytest.mark.parametrize(
    ("name", "every"), one_in(2, [("wacht_am_rhein/crossroads", 2), ("asl/village", 5)])
)
@pytest.mark.full
def test_a_number_read_while_the_table_is_staged_is_the_changed_table_solved(
    catalogue, name, every
):
    table = Setting(catalogue, name.split("/")[0], name, "", own_moments=MOMENTS)
    moves = MovableNumbers.of(table, Variation())
    known = figures_known(moves.analysis)
    chosen = sorted(moves.staged)[::every]

    def moved(name, changed):
        if name not in chosen:
            return 0
        after = figures_known(moves.changed(changed, [name]))
        assert after == figures_known(Analysis(changed, MOMENTS)), name
        return int(after != known)

    effects = moves.effects(moved, abs, lambda *_: None)
    assert any(effect.by for effect in effects)


def figures_known(analysis):
    return analysis.solve(FirstFall()).shares, analysis.severity()


def test_facts_are_compared_by_all_that_they_hold(catalogue):
    # Shells are compared without their calibre, but rules do read it.
    moves = MovableNumbers.of(
        Setting(catalogue, "asl", "asl/village", "", own_moments=MOMENTS), Variation()
    )
    figures_known(moves.analysis)
    (mission, setup), *_ = moves.analysis.scenario.missions.items()
    facts = {**setup.facts, "resolution": attrs.evolve(setup.facts["resolution"], calibre=3)}
    assert facts["resolution"] == setup.facts["resolution"]
    other = attrs.evolve(
        moves.analysis.scenario, missions={mission: attrs.evolve(setup, facts=facts)}
    )
    assert f"{mission}: resolution" in moves.read_of(other, sorted(moves.staged)[:1])
    elsewhere = attrs.evolve(moves.analysis.scenario, firer="nobody")
    assert moves.read_of(elsewhere, sorted(moves.staged)[:1]) is None
    assert moves.read_of(moves.analysis.scenario, ["asl.no_number"]) is None


def test_c1_2_a_contact_number_moves_contact_by_the_dice_of_its_total(catalogue, engagement):
    # Two dice total at most 8 in 26 of 36 rolls, at most 7 in 21.
    def ways(value):
        changed = Variation(numbers={"radio_contact": value})
        scenario = stage_engagement(catalogue, "asl", engagement, changed)
        roll = Step("delays.radio", (scenario.mission_ids[0],))
        rows = Compiler(scenario).rows(roll, scenario.initial.get)
        got = (
            row.weight
            for row in rows.rows
            if any(event.kind == "contact" for event in row.outcome.events)
        )
        return Fraction(sum(got), rows.total) * 36

    assert ways("8") == 26
    assert ways("7") == 21


def test_the_name_that_a_list_prints_is_read_everywhere():
    name = "wacht_am_rhein.barrage_drm[density][1]"
    (row,) = fp.numbers("wacht_am_rhein", name)
    assert row["name"] == name
    with_key = fp.position("wacht_am_rhein/crossroads", set={name: 2})
    typed = with_key.line.replace("barrage_drm", "wacht_am_rhein.barrage_drm")
    assert fp.position(typed).at.state == with_key.at.state
    assert fp.position(typed).chance("suffered") == with_key.chance("suffered")
    assert with_key.chance("suffered") != fp.position("wacht_am_rhein/crossroads").chance(
        "suffered"
    )
    with pytest.raises(ValueError, match="changed twice"):
        Catalogue.installed()["asl"].game.charts_with(
            {}, {"set_breaks": "9", "asl.set_breaks": "8"}
        )
