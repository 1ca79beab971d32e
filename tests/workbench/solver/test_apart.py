"""Places solved separately give the same answers as mission and places solved together, whatever
the mission writes between strikes.

The same holds when the solver forgets values that it expects nobody to read again, even if it
guesses wrong.

The games are random: a strike's effect is a table over everything it reads, and what the mission
does between strikes is random too: it may undo some of the effect, in any order with the strikes.
"""

from __future__ import annotations

from random import Random
from typing import ClassVar

import attrs
import null_game
import pytest
from null_setup import against, staged
from tests.core.ready_parts.test_parts import EVERY, analysed
from tiers import one_in

from fireplan.solver import (
    Analysis,
    Count,
    Ever,
    FirstFall,
    Jointly,
    PreparedChain,
    WorstSeverity,
    build,
    build_chain,
    explore,
    solve,
)
from fireplan.solver.compile import Compiler
from fireplan.solver.guesses import Ahead
from fireplan.solver.states import CODES
from fireplan_core import (
    Effects,
    Severity,
    Shot,
    emit,
    push,
    record,
    step,
    update,
    within,
)
from fireplan_core.chance import d6
from fireplan_core.play import (
    OPENING,
    Catalogue,
    load_scenario,
    shipped_scenarios,
)
from fireplan_core.ready_parts import DicePool

MOMENTS = 3
GAMES = range(24)


@record
class Man:
    """The state of a unit, which the mission resets."""

    spent: int = 0


@record
class Ground:
    """Craters of a place, which the mission fills again."""

    craters: int = 0


@record
class Weather:
    """Fog over all places, which only the mission changes and strikes read."""

    fog: int = 0


def drawn(seed):
    """Return the scenario of a random game."""
    at_random = Random(seed)
    plain = staged(against(frontage_m=60, depth_m=250))
    first, *_, last = sorted({setup.place for setup in plain.units.values()})
    places = (first, last)
    foggy, cratered = at_random.random() < 0.5, at_random.random() < 0.6
    does = {}

    def outcome(*read):
        """Return the least roll with an effect, and the effect, chosen once for each situation."""
        if read not in does:
            severity = at_random.choice(list(Severity))
            does[read] = (
                at_random.randint(2, 6),
                severity,
                at_random.randint(0, 2),
                at_random.randint(0, 1),
            )
        return does[read]

    class Drawn(null_game.NullResolution):
        """Strikes by the table, and the mission's steps between them."""

        @step(cite="N5")
        def strike(self, chance, view, m, place, shot):
            return Effects(*(push(self.hit, m, unit) for unit in view.units_at(place)))

        @step(cite="N5")
        def hit(self, chance, view, m, unit):
            man, ground = view.unit(unit, Man), view.ground(view.place_of(unit), Ground)
            fog = view.shared(Weather).fog if foggy else 0
            least, severity, spent, craters = outcome(
                unit, man.spent, fog, ground.craters if cratered else 0
            )
            if not (chance.dice("hit", white=d6).total >= least):
                return Effects()
            return Effects(
                update(man, spent=spent),
                update(ground, craters=craters) if cratered else Effects(),
                emit("suffered", "N5", unit=unit, severity=severity),
            )

        @step(cite="N5")
        def between(self, chance, view, which):
            """Undo some effect by a roll, emit an event, and push the step chosen for it."""
            chosen = Random(f"{seed} {which}")
            roll = chance.dice("between", white=d6)
            if not (roll.total >= chosen.randint(2, 5)):
                return Effects(_fall(places[0], which))
            place = chosen.choice(places)
            units = chosen.sample(view.units, 2)
            puts = [
                *(update(view.unit(unit, Man), spent=chosen.randint(0, 1)) for unit in units),
                update(view.ground(place, Ground), craters=chosen.randint(0, 1)),
                update(view.shared(Weather), fog=chosen.randint(0, 1)),
            ]
            strikes = [
                within(view.scope(at), push(self.strike, "a", at, Shot()))
                for at in chosen.sample(places, 2)
            ]
            then = [*strikes, push(self.between, which + 10) if which < 10 else Effects()]
            chosen.shuffle(then)
            return Effects(*chosen.sample(puts, 2), _fall(places[1], which), *then)

    part = Drawn("null", {}, {})

    def opens(chance, view):
        timed = view.moment() % 2 if seed % 5 == 0 else 0
        return Effects(push(part.between, timed), push(part.between, 2))

    steps = {**plain.steps, **part.steps()}
    steps[OPENING.name] = attrs.evolve(steps[OPENING.name], run=opens)
    units = {
        unit: attrs.evolve(setup, slots={"resolution": Man()})
        for unit, setup in plain.units.items()
        if setup.place in places
    }
    return attrs.evolve(
        plain,
        parts=attrs.evolve(plain.parts, resolution=part),
        steps=steps,
        units=units,
        shared={"resolution": Weather()},
        modifiers=(),
    )


def _fall(at, which):
    return emit(
        "fall", "N5", mission="a", impact=at, gap=which, on_target=which > 1, own_under_fire=False
    )


@attrs.frozen
class InTurn:
    """A measure of the first three falls and harms, in order, each with its moment."""

    kinds: frozenset[str] = frozenset({"fall", "suffered"})
    initial: tuple[tuple[str, int], ...] = ()

    def see(self, state, letter, moment):
        return (*state, (letter.kind, moment))[:3]

    def settled(self, state):
        return len(state) == 3


@pytest.mark.parametrize("seed", one_in(4, GAMES))
def test_separate_places_give_the_joint_answer(seed):
    scenario = drawn(seed)
    analysis = Analysis(scenario, MOMENTS)
    assert analysis.separable
    joint = PreparedChain(build_chain(Compiler(scenario), moments=MOMENTS))
    one, other, *_ = scenario.unit_ids
    measures = [
        *(WorstSeverity(unit) for unit in scenario.targets),
        FirstFall(),
        Count("suffered"),
        Ever("suffered", "unit", (one, other)),
        Jointly((FirstFall(), WorstSeverity(one))),
        Jointly((Count("fall", 2), Ever("suffered", "severity", (Severity.DESTROYED,)))),
        InTurn(),
    ]
    for measure in measures:
        assert analysis.solve(measure).shares == solve(joint, measure, MOMENTS).shares, measure


@pytest.mark.full
def test_the_random_games_have_the_intended_variety():
    told = [Analysis(drawn(seed), MOMENTS) for seed in GAMES]
    apart = [analysis._places for analysis in told]
    assert sum(places is not None and len(places) > 1 for places in apart) > len(GAMES) // 2
    assert sum(bool(analysis._watched) for analysis in told) > len(GAMES) // 2
    shares = [
        analysis.solve(WorstSeverity(analysis.scenario.targets[0])).shares for analysis in told
    ]
    assert sum(len(found) > 1 for found in shares) > len(GAMES) // 2


def everything(ahead, _agenda, fields):
    """Return the state bits of all keys except those kept: guess that no other key is read any
    more.
    """
    return sum(CODES << field.shift for key, field in fields.items() if key not in ahead.kept)


@pytest.fixture(
    params=[pytest.param("guessed from the rows", marks=pytest.mark.full), "guessed wrong"]
)
def at_once(monkeypatch, request):
    """Make the solver forget from the first state of the last moment on."""
    for module in (build, explore):
        monkeypatch.setattr(module, "FORGET", 0)
    if request.param == "guessed wrong":
        monkeypatch.setattr(Ahead, "forgotten", everything)


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("seed", one_in(9, GAMES))
def test_forgetting_changes_no_answer(seed):
    scenario = drawn(seed)
    analysis = Analysis(scenario, MOMENTS)
    whole = PreparedChain(build_chain(Compiler(scenario), moments=MOMENTS))
    together = PreparedChain(
        build_chain(Compiler(scenario), alike=True, spliced=True, horizon=MOMENTS, moments=MOMENTS)
    )
    for measure in (
        *map(WorstSeverity, scenario.targets),
        FirstFall(),
        Count("suffered"),
        InTurn(),
    ):
        known = solve(whole, measure, MOMENTS).shares
        assert analysis.solve(measure).shares == known
        assert solve(together, measure, MOMENTS).shares == known


@pytest.mark.parametrize(
    "name",
    one_in(3, ["wacht_am_rhein/crossroads", "red_poppies/battle_for_pinon", "asl/set_piece"]),
)
def test_forgetting_changes_no_answer_of_a_shipped_scenario(name, monkeypatch):
    catalogue = Catalogue.installed()
    scenario, _ = load_scenario(catalogue, shipped_scenarios(catalogue)[name])
    told = []
    for forget in (10**9, 0):
        for module in (build, explore):
            monkeypatch.setattr(module, "FORGET", forget)
        analysis = Analysis(scenario, MOMENTS)
        told.append((analysis.solve(FirstFall()).shares, analysis.severity(), analysis.states))
    assert told[0][:2] == told[1][:2]
    assert told[0] != told[1]


class OneWoundEach(DicePool):
    """Every fall wounds a unit once; five wounds destroy it, and then nothing more can happen to
    it.
    """

    cites = EVERY
    men_a_unit = 10
    pool, hit, wounds = 1, 1, 5
    saves: ClassVar = {}


@pytest.mark.parametrize("moments", [4, 5, 9, 20])
def test_an_ended_measure_at_a_place_does_not_restart(moments):
    destroyed = Count("suffered", 9, lambda event: event["severity"] is Severity.DESTROYED)
    found = analysed(resolution=OneWoundEach, moments=moments).solve(destroyed).shares
    assert {count: share for count, share in found.items() if share} == {int(moments > 4): 1}
