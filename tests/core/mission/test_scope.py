"""Every driver confines a step that runs for one place to that place.

Where a game declares otherwise, everything is solved together.
"""

from __future__ import annotations

from fractions import Fraction

import attrs
import null_game
import pytest
from null_setup import against, staged

from fireplan.solver import Analysis, Compiler, FirstFall, WorstSeverity, sample
from fireplan_core import (
    Ask,
    Effects,
    Modifier,
    Order,
    ProcedureError,
    Severity,
    Shot,
    Step,
    cycle,
    emit,
    push,
    record,
    step,
    update,
    within,
)
from fireplan_core.chance import Chance, RandomFaces
from fireplan_core.play import Rulebook, Table, play_out
from fireplan_kit.laws import solved_directly


@record
class Deck:
    """Cards that all places share."""

    cards: int = 1


@pytest.fixture
def plain():
    wide = staged(against(frontage_m=60, depth_m=250))
    found = attrs.evolve(wide, shared={"resolution": Deck()})
    assert len({setup.place for setup in found.units.values()}) >= 2
    return found


def bent(scenario, **methods):
    """Return the scenario with another resolution; methods that are not steps are its attributes."""
    marked = dict(methods)
    for name, method in methods.items():
        if callable(method) and name != "modifiers":
            method.__name__ = name
            marked[name] = step(cite="N5")(method)
    part = type("Bent", (null_game.NullResolution,), marked)("null", {}, {})
    modifiers = [attrs.evolve(m, roll=f"resolution.{m.roll}") for m in part.modifiers()]
    return attrs.evolve(
        scenario,
        parts=attrs.evolve(scenario.parts, resolution=part),
        steps={**scenario.steps, **part.steps()},
        modifiers=tuple(modifiers),
    )


def first_and_last(view):
    return view.units[0], view.units[-1]


def reads(view, m, unit):
    for other in first_and_last(view):
        if view.unit(other, null_game.NullMan).state is Severity.DESTROYED:
            return Effects()
    return Effects()


def peeks(view, m, unit):
    return reads(view.seen_by("resolution"), m, unit)


def reads_ground(view, m, unit):
    left = sum(view.ground(view.place_of(u), Deck).cards for u in first_and_last(view))
    return Effects(emit("cards", "N5", left=left))


def writes_units(view, m, unit):
    return Effects(
        *(
            update(view.unit(u, null_game.NullMan), state=Severity.NONE)
            for u in first_and_last(view)
        )
    )


def writes_ground(view, m, unit):
    return Effects(
        *(update(view.ground(view.place_of(u), Deck), cards=0) for u in first_and_last(view))
    )


def writes_shared(view, m, unit):
    return Effects(update(view.shared(Deck), cards=0))


def writes_mission(view, m, unit):
    return Effects(update(view.own(m, Deck), cards=0))


def ends_the_mission(view, m, unit):
    return Effects(push(cycle.linger, m))


def harms_elsewhere(view, m, unit):
    return Effects(
        *(emit("suffered", "N5", unit=u, severity=Severity.DESTROYED) for u in first_and_last(view))
    )


def tells_a_fall(view, m, unit):
    where = view.place_of(unit)
    return Effects(
        emit("fall", "N5", mission=m, impact=where, gap=0, on_target=True, own_under_fire=True)
    )


def strikes_elsewhere(view, m, unit):
    steps = view.scenario.parts.resolution
    places = [view.place_of(u) for u in first_and_last(view)]
    return Effects(
        *(within(view.scope(place), push(steps.strike, m, place, Shot())) for place in places)
    )


FAULTS = {
    reads: "reads units/",
    peeks: "reads units/",
    reads_ground: "reads ground/resolution/",
    writes_units: "writes units/",
    writes_ground: "writes ground/resolution/",
    writes_shared: "writes shared/resolution/cards",
    writes_mission: "writes missions/a/resolution/cards",
    ends_the_mission: "writes missions/a/stage",
    harms_elsewhere: "emits 'suffered' for t",
    tells_a_fall: "emits 'fall'",
    strikes_elsewhere: "pushes resolution.strike",
}


def played(scenario):
    for seed in range(40):
        play_out(Table(scenario, 8), RandomFaces(seed))


def solved(scenario):
    Analysis(scenario, 8).severity()


def sampled(scenario):
    sample(Compiler(scenario), [WorstSeverity("t00")], 8, 200, seed=1)


@pytest.mark.parametrize("driver", [played, solved, sampled])
@pytest.mark.parametrize("fault", FAULTS)
def test_a_step_confined_to_a_place_cannot_reach_elsewhere(plain, fault, driver):
    scenario = bent(plain, hit=lambda self, chance, view, m, unit: fault(view, m, unit))
    with pytest.raises(
        ProcedureError, match=f"is confined to place .*{FAULTS[fault]}.*places_apart = False"
    ) as told:
        driver(scenario)
    assert ("core.linger" if fault is ends_the_mission else "resolution.hit") in str(told.value)


@pytest.mark.parametrize("driver", [played, solved, sampled])
def test_a_modifier_of_a_confined_step_cannot_read_elsewhere(plain, driver):
    def nosy(view, m, unit):
        return sum(
            view.unit(u, null_game.NullMan).state is Severity.DESTROYED
            for u in first_and_last(view)
        )

    scenario = bent(
        plain, modifiers=lambda self: (Modifier("hit", "N5", "a neighbour fell", nosy),)
    )
    with pytest.raises(ProcedureError, match=r"resolution\.hit.* reads units/"):
        driver(scenario)


def test_a_question_of_a_confined_step_cannot_read_elsewhere(plain):
    here, there = plain.unit_ids[0], plain.unit_ids[-1]
    scope = plain.scope(plain.units[here].place)
    asked = Ask("x", "requests.aim", ("a",), scope)
    view = Rulebook(plain).view(asked, plain.initial.get)
    assert view.unit(here, null_game.NullMan).state is Severity.NONE
    with pytest.raises(
        ProcedureError, match=f"is confined to {scope} but reads units/{there}/requests/state"
    ):
        assert view.unit(there, null_game.NullMan).state
    assert Order.of("cancel") in Rulebook(plain).legal(asked, plain.initial.get)


@pytest.mark.parametrize("scope", ["somewhere", "place A1", ""])
def test_a_scope_is_that_of_the_place_in_the_arguments(plain, scope):
    place = plain.units["t00"].place

    def spent(self, chance, view, m):
        return Effects(within(scope, push(self.strike, m, place, Shot())))

    rulebook = Rulebook(bent(plain, spent=spent))
    run = Step("resolution.spent", ("a",))
    if not scope:
        assert rulebook.perform(run, Chance(None), plain.initial.get).pushes
        return
    said = rf"resolution.spent\(a\) confines resolution.strike.* to {scope}: its first arguments must be a mission"
    with pytest.raises(ProcedureError, match=said):
        rulebook.perform(run, Chance(None), plain.initial.get)


@pytest.mark.full
def test_declared_sharing_is_solved_together(plain):
    # One card is drawn for all places: it destroys the first unit struck, and no later one.
    def strike(self, chance, view, m, place, shot):
        deck, (unit, *_) = view.shared(Deck), view.units_at(place)
        if not deck.cards:
            return Effects()
        man = view.unit(unit, null_game.NullMan)
        worst = Severity.DESTROYED
        return Effects(
            update(deck, cards=0),
            update(man, state=worst),
            emit("suffered", "N5", unit=unit, severity=worst),
        )

    with pytest.raises(
        ProcedureError, match=r"resolution\.strike.* writes shared/resolution/cards"
    ):
        solved(bent(plain, strike=strike))
    shared = bent(plain, strike=strike, places_apart=False)
    analysis = Analysis(shared, 3)
    assert not analysis.separable
    found = analysis.unit_severities()
    for unit in shared.targets:
        alone = _directly(shared, WorstSeverity(unit), 3)
        assert found[unit].get(Severity.DESTROYED, 0) == alone.get(Severity.DESTROYED, 0)
    fell = 1 - analysis.solve(FirstFall()).shares[None]
    assert 0 < sum(shares.get(Severity.DESTROYED, 0) for shares in found.values()) <= fell


class _Plainly:
    """The attributes that ``solved_directly`` reads."""

    def __init__(self, scenario):
        self.scenario = scenario
        self.compiler = Compiler(scenario)


def _directly(scenario, measure, moments):
    *_, (reached, shares) = solved_directly(_Plainly(scenario), measure, moments)
    assert reached == moments
    return shares


def test_harm_outside_a_strike_counts_too(plain):
    # A step that belongs to no place reports losses: in half of all moments the first unit is lost.
    def opening(self, chance, view):
        if chance.dice("sniper", white=null_game.d6).total > 3:
            return Effects()
        return Effects(emit("suffered", "N5", unit="t00", severity=Severity.DESTROYED))

    found = Analysis(bent(plain, opening=opening), 2).unit_severities()
    assert found["t00"][Severity.DESTROYED] >= Fraction(3, 4)


def test_a_mission_that_sets_a_unit_back_is_solved_with_it(plain):
    # Every unit is restored when a moment opens, so two falls do no more than the worse of the two.
    def opening(self, chance, view):
        return Effects(
            *(update(view.unit(u, null_game.NullMan), state=Severity.NONE) for u in view.units)
        )

    def hit(self, chance, view, m, unit):
        man = view.unit(unit, null_game.NullMan)
        if man.state is Severity.NONE:
            return Effects(update(man, state=Severity.REDUCED))
        return Effects(emit("suffered", "N5", unit=unit, severity=Severity.DESTROYED))

    found = Analysis(bent(plain, opening=opening, hit=hit), 10).unit_severities()
    assert {shares.get(Severity.DESTROYED, 0) for shares in found.values()} == {0}
