"""Faults that a program can find without the rulebook, each planted in a new game."""

from types import SimpleNamespace

import attrs
import pytest

from fireplan import solver
from fireplan.table import Session
from fireplan_core.chance import RandomFaces
from fireplan_core.play import Catalogue, play_out
from fireplan_kit import Bench, examine, laws, secrecy_laws
from fireplan_kit.kitbash import imported
from fireplan_kit.scaffolding import rendered

IMPORTS = """from functools import partial
from fractions import Fraction

from fireplan_core import Effects, Form, Reason, Refusal, Slot, cycle, emit, orders, push, step, update
from fireplan_core.chance import d6
from fireplan_core.space import HexFrame, Layout, lettered_columns


"""
FALLEN = """
    @step(cite="4.2")
    def fallen(self, chance, view, mission):
        return Effects(super().fallen(chance, view, mission), {})

    @step(cite="4.2")
    def boom(self, chance, view, mission):
        return Effects(emit("echo", "4.2", mission=mission))
"""
WAIT = """
    @step(cite="2.2")
    def wait(self, chance, view, mission):
        return Effects(super().wait(chance, view, mission), push(self.idle, mission))

    @step(cite="2.2")
    def idle(self, chance, view, mission):
        chance.dice("echo", white=d6)
        return Effects()
"""
FIRE = """
    @orders(cite="1.3")
    def fire(self, view, mission):
        yield from super().fire(view, mission)
        {}

    def salvo(self, view, mission, rounds):
        strength = update(view.mission(mission), strength=Fraction(rounds))
        return Effects(strength, push(cycle.close, mission, Reason.CANCELLED, "1.3"))
"""
STAGE = """
    def stage(self, staging):
        super().stage(staging)
        self.near = staging.own_place[0]
"""
SHOOT = """
    def shoot(self, view, mission, intent, at):
        mine = HexFrame(100, Layout(lettered_columns(20), (1, 16), (1, 16)))
        if mine.gap_metres(mine.gap(view.mission(mission).target, at)) > 2_000:
            return Refusal("1.3", "too far")
        return super().shoot(view, mission, intent, at)
"""
COVERS = """
    def covers(self, view, mission, place, extent):
        covered = super().covers(view, mission, place, extent)
        return covered if place == view.mission(mission).impact else Fraction(0)
"""
LINES = """
    def error_lines(self):
        return super().error_lines() - 1
"""
PLANTED = {
    "a place of the footprint that is not covered": (
        "areas",
        COVERS,
        "L16-footprint",
        "covers and footprint disagree about",
    ),
    "one line of error more than declared": (
        "areas",
        LINES,
        "L17-lines",
        "shots land along 6 lines, but error_lines says 5",
    ),
    "a distance in its own frame, too long to matter on its own map": (
        "requests",
        SHOOT,
        "L26-hybrids",
        "measures in its own frame: at a table with another game's map use view.frame",
    ),
    "an event of no mission": (
        "areas",
        FALLEN.format('emit("echo", "4.2", mission="b")'),
        "L07-cited",
        "the event echo is about 'b', which is not a mission",
    ),
    "a step pushed twice": (
        "areas",
        FALLEN.format("push(self.boom, mission), push(self.boom, mission)"),
        "L10-once",
        "one throw emits echo 2 times",
    ),
    "an event of the core": (
        "areas",
        FALLEN.format('emit("ended", "4.2", mission=mission, reason=Reason.DELIVERED)'),
        "L09-apart",
        "areas.fallen(a) emits 'ended', which the core emits: push a step of the core",
    ),
    "a change of what is another part's": (
        "areas",
        FALLEN.format("update(view.mission(mission), strength=Fraction(1))"),
        "L09-apart",
        "areas.fallen(a) changes missions/a/strength, which the areas may not change",
    ),
    "a throw without an effect": (
        "delays",
        WAIT,
        "L11-branches",
        "delays.idle throws echo, but nothing depends on the result",
    ),
    "an order that differs in its rule alone": (
        "requests",
        FIRE.format(
            'yield Form("halt", "1.3", does=push(cycle.close, mission, Reason.CANCELLED, "1.3"), summary="halt")'
        ),
        "L08-refusals",
        "requests.fire: cancel and halt do the same wherever both are legal",
    ),
    "a number below nothing": (
        "requests",
        FIRE.format(
            'yield Form("salvo", "1.3", (Slot("rounds", "the rounds", (1, 2), free=True),), partial(self.salvo, view, mission), summary="a salvo")'
        ),
        "L08-refusals",
        "requests.fire accepts salvo rounds=-1, which it does not offer",
    ),
    "an engagement without own troops": (
        "resolution",
        STAGE,
        "L28-drawn",
        "raised TypeError: 'NoneType' object is not subscriptable",
    ),
}


@pytest.mark.parametrize(("part", "method", "check", "says"), PLANTED.values(), ids=[*PLANTED])
def test_a_planted_fault_is_found_by_the_check_meant_for_it(part, method, check, says):
    key = "planted"
    files = rendered(key, "hex")
    path = f"src/fireplan_{key}/{part}.py"
    text = files[path].replace('"""\n\nfrom', f'"""\n\n{IMPORTS}from', 1)
    files[path] = text.replace("    cites: ClassVar = {", f"{method}\n    cites: ClassVar = {{", 1)
    sentences = f"src/fireplan_{key}/data/sentences.toml"
    files[sentences] = files[sentences].replace(
        "[events]", '[rolls]\necho = "the echo"\n\n[events]\necho = "an echo"', 1
    )
    for sound in (False, True):
        with imported(key, rendered(key, "hex") if sound else files) as plugin:
            ((_, findings),) = examine(key, plugin, only=(check,))
        texts = [finding.flaw.text for finding in findings]
        assert any(says in text for text in texts) is not sound, texts


def texts_of(check):
    """Return the messages of a check on a new game."""
    with imported("sound", rendered("sound", "hex")) as plugin:
        ((_, findings),) = examine("sound", plugin, only=(check,))
    return [finding.flaw.text for finding in findings]


def test_samples_that_all_show_one_result_are_not_those_of_the_exact_odds(monkeypatch):
    drawn = solver.sample

    def one_result(*args, **more):
        return [
            attrs.evolve(one, counts={min(one.counts, key=one.counts.get): one.trajectories})
            for one in drawn(*args, **more)
        ]

    assert texts_of("L04-sampled") == []
    monkeypatch.setattr(laws.solver, "sample", one_result)
    assert any("came up in 1500 of 1500 samples" in text for text in texts_of("L04-sampled"))


@pytest.mark.parametrize(("places", "told"), [(["K5", "K5"], True), (["K5", "K6"], False)])
def test_a_fall_that_strikes_one_place_twice_is_reported(places, told, monkeypatch):
    struck = SimpleNamespace(apart=[SimpleNamespace(scope=place) for place in places])
    monkeypatch.setattr(Bench, "chain", SimpleNamespace(tops=[], edges=[[struck]]))
    bench = Bench(Catalogue.installed(only=("wacht_am_rhein",)), "wacht_am_rhein")
    found = map(str, laws.one_cause_strikes_once(bench))
    assert ("one fall of shot strikes a place twice: ['K5', 'K5']" in found) == told


def test_looking_at_a_table_may_not_play_on(monkeypatch):
    monkeypatch.setattr(secrecy_laws, "_leaks", lambda *_: ())
    assert texts_of("L21-views") == []
    monkeypatch.setattr(
        secrecy_laws, "_shown", lambda _, table: play_out(table, RandomFaces(1)).state
    )
    assert "looking at a table changes it" in texts_of("L21-views")


def test_an_undo_that_does_not_restore_the_table_is_reported(monkeypatch):
    assert texts_of("L05-journal") == []
    monkeypatch.setattr(Session, "undo", lambda _: "undone")
    told = "undoing input 1 does not restore the state before it: "
    assert any(text.startswith(told) for text in texts_of("L05-journal"))
