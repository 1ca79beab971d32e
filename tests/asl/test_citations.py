"""Every implemented rule of the ledger is cited by an event, refusal or fault of some short
scripted play.

Each play returns the rules that it cited: those of its events and modifiers, and of the refusals
and file faults that it provoked. The other modules test that each rule is applied correctly.
"""

from __future__ import annotations

import re

import pytest
from support_asl import at

from fireplan_asl import fireplan_game as asl
from fireplan_core import Order, Shot, Stage, Step
from fireplan_core.chance import RandomFaces
from fireplan_core.files import FileError
from fireplan_core.play import Answered, load_scenario, play_out

LEDGER = asl().ledger
SHIPPED = asl().scenarios.shipped
HAND = {"delays__contact": True, "delays__access": True, "delays__black": 7}
ORDINARY = """
game = "asl"
title = "Everything that may be cited"
moments = 30
date = 1944-07-10
#table

[[battery]]
id = "a"
side = "german"
nationality = "german"
calibre = 105
target = "K5"
observer = "E5"
missions = ["concentration", "harassing", "smoke"]
preregistered = ["K5"]
no_ground = ["L5", "T5"]
no_burst = ["T5"]
hindrance = { H5 = 1 }
#battery

[[unit]]
id = "squad"
side = "russian"
hex = "K5"
terrain = "woods"

[[unit]]
id = "own"
side = "german"
hex = "C5"

[[unit]]
id = "unknown"
side = "russian"
hex = "P5"
concealed = true
concealment_terrain = true
#more
"""
BARRAGE = 'barrage = { K5 = "K4-K6" }'
LEADER = (
    '\n[[unit]]\nid = "Lt"\nside = "german"\nhex = "E5"\nhalf = true\nleader = true\nmorale = 8\n'
)
ROCKETS = ORDINARY.replace("calibre = 105", 'calibre = 150\nweapon = "rocket"').replace(
    'missions = ["concentration", "harassing", "smoke"]\n', ""
)


def ordinary(table="", battery="", more="", text=ORDINARY):
    return text.replace("#table", table).replace("#battery", battery).replace("#more", more)


class Desk:
    """A desk at which scenarios are staged and played, and the rules that they cite collected."""

    def __init__(self, catalogue, referee, folder):
        self.catalogue, self.referee, self.folder = catalogue, referee, folder
        self.cited: set[str] = set()
        self.games = []

    def read(self, text):
        path = self.folder / "play.toml"
        path.write_text(text, encoding="utf-8")
        return load_scenario(self.catalogue, path)[0]

    def play(self, text):
        self.games.append(self.referee(self.read(text)))
        return self.games[-1]

    def shipped(self, name):
        self.games.append(self.referee(load_scenario(self.catalogue, SHIPPED[name])[0]))
        return self.games[-1]

    def refused(self, game, order):
        self.cited.update((game.refused(order) or "").split(", "))

    def faulty(self, text):
        with pytest.raises(FileError) as fault:
            self.read(text)
        for rules in re.findall(r"\[([CE]\d[^\]]*)\]", str(fault.value)):
            self.cited.update(rules.split(", "))

    def rules(self):
        """Return every rule of the ledger cited so far."""
        for game in self.games:
            for entry in game.table.log:
                self.cited.update(entry.event.cite.split(", "))
        return {cite for cite in self.cited if cite in LEDGER.rules}


def on_map(game, stage, label, **more):
    """Return a table with an SR or FFE on the map, where an order is to be given."""
    return game.stand(stage=stage, impact=at(game, label), **{**HAND, **more})


def strike(game, label, faces):
    return game.stand(Step("resolution.strike", ("a", at(game, label), Shot()))).go(faces)


# --- contact, access, AR ---------------------------------------------------------------------------------
def calling(desk):
    game = desk.play(ordinary())
    game.go([6, 5])  # the roll makes no contact
    # The SR falls in error.
    game.go([3, 4, "black", 5, 3, 2], [Order.of("place", at=at(game, "J6"))])
    game.go([4, 4], [Order.of("leave")])
    lost = desk.play(ordinary()).go([6, 6, 6])  # the radio is removed
    assert lost.waits == ""
    desk.play(ordinary()).go([3, 4, "red", 3, 4, "red"])
    desk.play(ordinary()).go([3, 4, "black", "red"], [Order.of("place", at=at(game, "P4"))])


def off_the_map(desk):
    game = desk.play(ordinary())
    game.go([3, 4, "black", 5, 1, 6], [Order.of("place", at=at(game, "J2"))])
    game.go([4, 4])
    desk.refused(game, Order.of("leave"))


def unseen_target(desk):
    game = on_map(desk.play(ordinary()), Stage.FALLING, "S5")
    game.go([], [Order.of("correct", at=at(game, "T5"))])


def registered(desk):
    game = desk.play(ordinary())
    game.go([3, 4, "black", 5, 4, 6], [Order.of("fire", at=at(game, "K5")), Order.of("harassing")])
    other = desk.play(ordinary())
    other.go([3, 4, "black"])
    desk.refused(other, Order.of("fire", at=at(other, "J6")))


# --- the options -----------------------------------------------------------------------------------------
def options_of_a_sr(desk):
    desk.refused(on_map(desk.play(ordinary()), Stage.SPOTTING, "T5"), Order.of("leave"))
    unseen = on_map(desk.play(ordinary()), Stage.SPOTTING, "T5")
    desk.refused(unseen, Order.of("correct_convert", at=at(unseen, "K5")))
    desk.refused(unseen, Order.of("convert"))
    far = on_map(desk.play(ordinary()), Stage.SPOTTING, "K5")
    desk.refused(far, Order.of("correct", at=at(far, "EE5")))
    far.go([], [Order.of("cancel")])


def long_correction(desk):
    game = on_map(desk.play(ordinary()), Stage.SPOTTING, "R5")
    game.go([5, 4, 1], [Order.of("correct_convert", at=at(game, "J6")), Order.of("concentration")])


def options_of_a_ffe(desk):
    game = on_map(desk.play(ordinary()), Stage.FALLING, "T5")
    desk.refused(game, Order.of("leave"))
    game.go([], [Order.of("cancel")])


def options_of_a_ffe_c(desk):
    game = on_map(desk.play(ordinary()), Stage.LINGERING, "T5")
    desk.refused(game, Order.of("convert"))
    desk.refused(game, Order.of("spot"))
    game.go([], [Order.of("remove")])
    on_map(desk.play(ordinary()), Stage.LINGERING, "K5").go([], [Order.of("spot")])
    blind = on_map(desk.play(ordinary()), Stage.LINGERING, "L5")
    desk.refused(blind, Order.of("convert"))
    unknown = ordinary().replace('hex = "K5"\nterrain', 'hex = "Z9"\nterrain')
    desk.refused(on_map(desk.play(unknown), Stage.LINGERING, "L5"), Order.of("convert"))


def types(desk):
    game = on_map(desk.play(ordinary()), Stage.SPOTTING, "J6")
    game.table.submit(Answered("requests.fire", Order.of("convert")))
    desk.refused(game, Order.of("ir"))
    game.go([], [Order.of("smoke")])
    desk.play(ordinary(text=ROCKETS)).go([3, 4, "black", 4, 6])
    rocket = desk.play(ordinary(text=ROCKETS)).go([3, 4, "black"])
    desk.refused(rocket, Order.of("place", at=at(rocket, "K5")))


# --- Observers and links ---------------------------------------------------------------------------------
def observers(desk):
    text = ordinary(battery='leader = "Lt"', more=LEADER)
    game = desk.play(text).go([6, 5])
    strike(game, "E5", [3, 4, 5, 5])
    desk.faulty(text.replace("leader = true", "leader = false"))
    phone = desk.play(ordinary(battery='link = "field_phone"')).go([], [Order.of("cut")])
    assert phone.emitted("line_cut")
    offboard = desk.play(ordinary(battery='link = "offboard"')).go(["black"])
    offboard.stand(Step("delays.attempt", ("a",)), stage=Stage.SPOTTING, impact=at(offboard, "K5"))
    desk.refused(offboard, Order.of("pass"))


def own_fire(desk):
    strike(desk.play(ordinary()), "C5", [3, 4, 2, 2])


# --- resolution ------------------------------------------------------------------------------------------
def resolving(desk):
    strike(desk.play(ordinary()), "K5", [1, 1])
    strike(desk.play(ordinary()), "P5", [6, 6])
    strike(desk.play(ordinary()), "K5", [4, 4])
    tank = '\n[[unit]]\nid = "tank"\nside = "russian"\nhex = "M5"\nkind = "afv"\n'
    strike(desk.play(ordinary(more=tank)), "M5", [2, 2])
    moves = (
        '\n[[unit]]\nid = "m"\nside = "russian"\nhex = "Z5"\nmove = [{ moment = 1, to = "K6" }]\n'
    )
    game = desk.play(ordinary(more=moves))
    game.stand(stage=Stage.FALLING, impact=at(game, "K5"), **HAND)
    table = game.table
    table.state = table.state.__class__(
        table.state.values.put((("clock/moment", 1),)), (Step("resolution.opening"),)
    )
    table._advance()
    game.go([6, 6])


def bombarded(desk):
    table = '\n[bombardment]\nbattery = "a"\n'
    things = '\n[[unit]]\nid = "house"\nside = "russian"\nhex = "M5"\nkind = "building"\nterrain = "wooden_building"\n'
    truck = '\n[[unit]]\nid = "truck"\nside = "russian"\nhex = "N6"\nkind = "unarmoured"\n'
    game = desk.play(ordinary(more=things + truck + table))
    game.go([1, 2, 3, 6, 6, 6])
    for unit, step, faces in (
        ("house", "shaken", [4, 5]),
        ("truck", "battered", [3, 4]),
        ("squad", "softened", [6, 6, 4]),
    ):
        place = game.scenario.units[unit].place
        fresh = desk.play(ordinary(more=things + truck))
        fresh.stand(Step(f"resolution.{step}", ("a", place, unit))).go(faces)


# --- Barrages --------------------------------------------------------------------------------------------
def barrages(desk):
    named = ordinary(battery=BARRAGE).replace('"smoke"', '"barrage", "barrage_smoke"')
    game = desk.play(named)
    game.go(
        [3, 4, "black", 2, 6, 6], [Order.of("fire", at=at(game, "K5")), Order.of("barrage_smoke")]
    )
    held = on_map(desk.play(named), Stage.FALLING, "K5", requests__kind="barrage")
    desk.refused(held, Order.of("correct", at=at(held, "M7")))
    placed = on_map(desk.play(named), Stage.SPOTTING, "J6")
    placed.table.submit(Answered("requests.fire", Order.of("convert")))
    desk.refused(placed, Order.of("barrage"))
    desk.faulty(named.replace("K4-K6", "K4-Z9"))
    desk.faulty(ordinary().replace('"smoke"', '"barrage"'))
    small = desk.play(named.replace("calibre = 105", "calibre = 300"))
    small.go([3, 4, "black"])
    unfit = small.scenario.missions["a"].facts["requests"].unfit
    assert "barrage" in [kind for kind, *_ in unfit]


def of_types(desk):
    """Order two Barrages that the battery may not announce."""
    heavy = (
        ordinary(battery=BARRAGE)
        .replace('"smoke"', '"barrage", "smoke"')
        .replace("calibre = 105", "calibre = 300")
    )
    game = on_map(desk.play(heavy), Stage.SPOTTING, "J6")
    game.table.submit(Answered("requests.fire", Order.of("convert")))
    desk.refused(game, Order.of("barrage"))
    creeping = SHIPPED["creeping"].read_text(encoding="utf-8")
    after = desk.play(creeping.replace('"harassing"]', '"harassing", "barrage"]'))
    after.stand(stage=Stage.SPOTTING, impact=at(after, "K5"), **HAND)
    after.table.submit(Answered("requests.fire", Order.of("convert")))
    desk.refused(after, Order.of("barrage"))


def creeping(desk):
    game = desk.shipped("creeping").go(["red", 3, 5, 4, 2, 3, 5])
    game.go([6, 2])
    desk.faulty(SHIPPED["creeping"].read_text(encoding="utf-8").replace('aim = "P5"', 'aim = "C3"'))
    lifted = desk.shipped("creeping")
    play_out(lifted.table, RandomFaces(1))
    assert lifted.emitted("lifts")


PLAYS = (
    calling, off_the_map, unseen_target, registered, options_of_a_sr, long_correction, options_of_a_ffe,
    options_of_a_ffe_c, types, observers, own_fire, resolving, bombarded, barrages, of_types, creeping,
)  # fmt: skip


def test_every_implemented_rule_is_cited_by_something_that_happens(catalogue, referee, tmp_path):
    reached: set[str] = set()
    for play in PLAYS:
        desk = Desk(catalogue, referee, tmp_path)
        play(desk)
        reached |= desk.rules()
    implemented = {rule.id for rule in LEDGER.rules.values() if rule.status == "implemented"}
    assert sorted(implemented - reached) == []


def test_no_rule_of_c1_and_e12_is_open():
    assert len(LEDGER.rules) == 72
    assert [rule.id for rule in LEDGER.rules.values() if rule.status == "open"] == []


def test_the_edition_names_every_chapter_of_the_ledger():
    chapters = {rule.partition(".")[0] for rule in asl().ledger.rules}
    assert chapters == {"C1", "E12"}
    assert "chapter C section 1" in asl().edition
    assert "chapter E section 12" in asl().edition
