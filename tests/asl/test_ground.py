"""Fire on hexes, SMOKE and the weather, Bombardment of terrain: C1.5, C1.71, C1.822, C1.82, C1.55."""

from __future__ import annotations

import pytest
from support_asl import ON_HAND, at, read

from fireplan_core import FireKind, Order, Shot, Stage, Step, View
from fireplan_core.files import FileError
from fireplan_core.play import Answered, Thrown

TEXT = """
game = "asl"
title = "Ground"
moments = 12
date = 1944-07-10
#table

[[battery]]
id = "a"
side = "german"
nationality = "german"
calibre = 150
target = "K5"
observer = "E5"
missions = ["concentration", "smoke", "wp", "harassing"]

[[unit]]
id = "far"
side = "russian"
hex = "Z5"
#more
"""


def thing(name, kind, **more):
    lines = [
        f"{key} = {str(value).lower() if isinstance(value, bool) else repr(value)}"
        for key, value in more.items()
    ]
    return (
        f'\n[[unit]]\nid = "{name}"\nside = "russian"\nkind = "{kind}"\nhex = "K5"\n'
        + "\n".join(lines)
    )


def written(table="", more=""):
    return TEXT.replace("#table", table).replace("#more", more)


@pytest.fixture
def play(catalogue, referee, tmp_path):
    return lambda *parts, **named: referee(read(catalogue, tmp_path, written(*parts, **named)))


def strike(game, faces, label="K5", kind=FireKind.HE):
    return game.stand(Step("resolution.strike", ("a", at(game, label), Shot(kind)))).go(faces)


def bombard(game, faces, label="K5"):
    return game.stand(Step("resolution.bombarded", ("a", at(game, label)))).go(faces)


def loss(game, unit):
    return game.table.read(f"units/{unit}/resolution/loss", 0)


def told(game, kind):
    return [event.cite for event in game.emitted(kind)]


# --- C1.5: hexes without units ---------------------------------------------------------------------------
def test_c1_5_a_hex_without_units_is_attacked_where_a_shellhole_may_come(play):
    bare = '\n[[hex]]\nhex = "K5"\n'
    game = strike(play(more=bare), [2, 3])  # an Original 5 on 30 FP is a 1KIA
    assert told(game, "shellhole") == ["C1.5"]
    assert game.emitted("shellhole")[0]["at"] == at(game, "K5")
    assert not told(strike(play(more=bare), [3, 3]), "shellhole")  # a 6 is a K/4, not a KIA
    # A second KIA makes no second Shellhole: the hex is not attacked again.
    game.stand(Step("resolution.strike", ("a", at(game, "K5"), Shot())))
    assert game.waits != "effect"


@pytest.mark.parametrize(
    ("calibre", "terrain", "attacked"),
    [(150, "brush", True), (149, "open", False), (150, "woods", False)],
)
def test_c1_5_shellholes_come_of_heavy_shells_in_soft_ground(
    catalogue, referee, tmp_path, calibre, terrain, attacked
):
    content = written(more=f'\n[[hex]]\nhex = "K5"\nterrain = "{terrain}"\n')
    content = content.replace("calibre = 150", f"calibre = {calibre}")
    game = referee(read(catalogue, tmp_path, content))
    assert ("hex K5" in game.scenario.units) is attacked
    game.stand(Step("resolution.strike", ("a", at(game, "K5"), Shot())))
    assert (game.waits == "effect") is attacked


def test_c1_5_a_hex_with_units_may_become_a_shellhole_too_by_the_same_dr(play):
    game = strike(play(more=thing("squad", "infantry", terrain="open")), [2, 3])
    assert told(game, "shellhole") == ["C1.5"]
    assert [event["severity"].name for event in game.emitted("suffered")] == ["DESTROYED"]


@pytest.mark.parametrize(
    ("dice", "lost", "kind"), [([2, 3], 3, "cleared"), ([3, 3], 1, "weakened"), ([3, 4], 0, "")]
)
def test_c1_5_mines_go_with_an_original_kia_and_are_weakened_by_a_k(play, dice, lost, kind):
    # On 30 FP a 5 is a 1KIA, a 6 a K/4 and a 7 a 4MC; the minefield has three steps.
    game = strike(play(more=thing("mines", "mines", levels=3)), dice)
    assert loss(game, "mines") == lost
    assert told(game, "cleared") + told(game, "weakened") == (["C1.5"] if kind else [])
    assert not kind or game.emitted(kind)


def test_c1_5_mines_that_are_weakened_to_nothing_are_cleared(play):
    game = play(more=thing("mines", "mines", levels=3))
    for _ in range(3):
        game = strike(game, [3, 3])
    assert (loss(game, "mines"), told(game, "weakened"), told(game, "cleared")) == (
        3,
        ["C1.5"] * 2,
        ["C1.5"],
    )


def test_c1_5_a_building_falls_a_level_at_a_time_to_its_last(play):
    game = play(more=thing("house", "building", terrain="stone_building", levels=3))
    for level in (1, 2, 3):
        # An Original 2 on 30 FP is a 4KIA; the dr of 1 has +1 for stone.
        game = strike(game, [1, 1, 1])
        assert loss(game, "house") == level
    game.stand(Step("resolution.strike", ("a", at(game, "K5"), Shot())))
    assert game.waits != "effect"  # nothing remains to be attacked


def test_c1_5_hidden_units_and_unmanned_weapons_are_attacked(play):
    assert strike(play(more=thing("hip", "infantry", hidden=True)), []).waits == "effect"
    assert loss(strike(play(more=thing("mmg", "weapon")), [2, 3]), "mmg") == 2


def test_c1_5_smoke_and_wp_do_nothing_to_the_ground(play):
    for kind in (FireKind.SMOKE, FireKind.WP):
        game = strike(play(more='\n[[hex]]\nhex = "K5"\n'), [], kind=kind)
        assert game.waits not in ("effect", "phosphorus")


# --- C1.71: SMOKE and the weather ------------------------------------------------------------------------
def clouded(game, moment, **cells):
    """Return the table at a moment with SMOKE on the map; ``cells`` has (Hindrance, Dispersed) by
    hex.
    """
    laid = tuple((at(game, label), *value, FireKind.SMOKE) for label, value in cells.items())
    clears = (Step("areas.clears", ("a",)),)
    game.put({"shared/areas/cells": laid, "clock/moment": moment}, clears).table._advance()
    return game


def clouds(game):
    cells = game.table.read("shared/areas/cells", ())
    return {game.scenario.frame.label(cell): tuple(rest) for cell, *rest, _ in cells}


def change(moment, to):
    return f'\n[[weather_change]]\nmoment = {moment}\nto = "{to}"\n'


@pytest.mark.parametrize(
    ("moment", "to", "left"),
    [
        # Before a DFPh gusts flip full counters and remove Dispersed ones.
        (2, "gusts", {"K5": (2, True)}),
        (2, "rain", {}),
        (2, "heavy_wind", {}),
        (2, "clear", {"K5": (3, False), "K6": (2, True)}),
        # Before a PFPh the counters flip once for the phase and once for the gusts.
        (1, "gusts", {}),
        (1, "clear", {"K5": (2, True)}),
    ],
)
def test_c1_71_gusts_flip_and_rain_and_wind_clear_smoke(play, moment, to, left):
    game = clouded(play(change(moment + 1, to)), moment, K5=(3, False), K6=(2, True))
    assert clouds(game) == left
    assert told(game, "smoke_clears") == ([] if to == "clear" else ["C1.71"])


def spotting_at(game, moment):
    """Return the table with an SR on the map in a later phase."""
    table = game.table
    updates = {
        "clock/moment": moment,
        "missions/a/stage": Stage.SPOTTING,
        "missions/a/impact": at(game, "K5"),
    }
    updates |= {f"missions/a/{name.replace('__', '/')}": value for name, value in ON_HAND.items()}
    table.state = table.state.__class__(
        table.state.values.put(tuple(updates.items())), (Step("core.ready", ("a",)),)
    )
    table._advance()
    return game


@pytest.mark.parametrize(
    ("to", "rule"), [("rain", "C1.71"), ("heavy_wind", "C1.71"), ("gusts", None), ("clear", None)]
)
def test_c1_71_no_smoke_is_fired_in_weather_that_has_come_up(play, to, rule):
    game = spotting_at(play(change(2, to)), 2)
    # The order to Convert asks for the type of the Fire Mission.
    game.table.submit(Answered("requests.fire", Order.of("convert")))
    assert game.refused(Order.of("smoke")) == rule
    assert game.refused(Order.of("concentration")) is None


def test_c1_71_smoke_of_a_ffe_is_not_placed_once_it_rains(play):
    game = play(change(1, "rain"))
    table = game.table
    table.state = table.state.__class__(
        table.state.values.put((("clock/moment", 1),)),
        (Step("areas.smoke", ("a", (at(game, "K5"),), FireKind.SMOKE)),),
    )
    table._advance()
    assert (game.emitted("smoke")[0]["at"], clouds(game)) == ((), {})


@pytest.mark.parametrize(
    ("terrain", "placed"), [("marsh", False), ("water", False), ("bridge", True), ("woods", True)]
)
def test_c1_71_smoke_does_not_form_in_marsh_or_water_but_does_on_a_bridge(play, terrain, placed):
    game = play(more=f'\n[[hex]]\nhex = "K5"\nterrain = "{terrain}"\n')
    game.stand(Step("areas.smoke", ("a", (at(game, "K5"), at(game, "K6")), FireKind.SMOKE)))
    assert ("K5" in clouds(game)) is placed
    assert "K6" in clouds(game)


def test_c1_71_smoke_that_falls_off_the_map_is_not_placed(play):
    game = play()
    edge = at(game, "K1")
    table = game.table
    updates = (
        ("missions/a/stage", Stage.FALLING),
        ("missions/a/impact", edge),
        ("missions/a/kind", FireKind.SMOKE),
    )
    table.state = table.state.__class__(
        table.state.values.put(updates), (Step("core.fall", ("a",)),)
    )
    table._advance()
    assert sorted(clouds(game)) == ["J0", "J1", "K1", "K2", "L0", "L1"]  # K0 would be off the map


def test_c1_71_drift_is_refused_with_its_rule(catalogue, tmp_path):
    with pytest.raises(FileError, match=r"\[C1\.71\]"):
        read(catalogue, tmp_path, written("drift = true"))


def test_c1_71_two_batteries_do_not_flip_smoke_twice(catalogue, referee, tmp_path):
    block = written().split("[[battery]]")[1].split("[[unit]]")[0]
    content = written(more="\n[[battery]]" + block.replace('id = "a"', 'id = "b"'))
    game = referee(read(catalogue, tmp_path, content))
    steps = []
    for mission in ("a", "b"):
        view = View(game.table.read, game.scenario, "areas")
        steps += game.scenario.steps["areas.moment"](None, view, mission).pushes
    assert [step.name for step in steps].count("areas.clears") == 1


def test_c1_71_wp_checks_all_in_every_hex_of_its_blast_area(play):
    game = play(more=thing("squad", "infantry") + thing("crew", "infantry", half=True))
    game = strike(game, [3, 4], kind=FireKind.WP)
    assert game.waits == "morale"
    game.go([4, 4])
    assert game.waits == "morale"  # one check for each unit


# --- C1.822: terrain under Bombardment -------------------------------------------------------------------
@pytest.mark.parametrize(
    ("unit", "morale"),
    [
        ({"kind": "building", "terrain": "wooden_building"}, 8),
        ({"kind": "building", "terrain": "stone_building"}, 9),
        ({"kind": "building", "terrain": "stone_building", "fortified": True}, 10),
        ({"kind": "bridge", "terrain": "bridge"}, 8),
        ({"kind": "pillbox"}, 10),
        ({"kind": "pillbox", "pillbox": "grey"}, 11),
        ({"kind": "obstacle"}, 9),
        ({"kind": "mines"}, 9),
    ],
)
def test_c1_822_morale_levels_of_terrain(play, unit, morale):
    game = play(more=thing("it", **unit))
    assert game.scenario.units["it"].facts["resolution"].morale == morale
    for over in (0, 1):
        total = morale + over
        faces = [total // 2, total - total // 2]
        fresh = play(more=thing("it", **unit))
        bombard(fresh, [*faces, *([1] if total == 12 else [])])
        assert bool(loss(fresh, "it")) is bool(over)


@pytest.mark.parametrize(
    ("number", "unit", "fact"),
    [
        ("wooden_morale", {"kind": "building", "terrain": "wooden_building"}, "morale"),
        ("stone_morale", {"kind": "building", "terrain": "stone_building"}, "morale"),
        ("brown_pillbox_morale", {"kind": "pillbox"}, "morale"),
        ("grey_pillbox_morale", {"kind": "pillbox", "pillbox": "grey"}, "morale"),
        ("obstacle_morale", {"kind": "mines"}, "morale"),
        ("entrenched_tem", {"kind": "infantry", "entrenched": True}, "tem"),
    ],
)
def test_c1_822_c1_52_a_changed_number_of_terrain_is_played(
    catalogue, tmp_path, number, unit, fact
):
    changed = read(catalogue, tmp_path, written(more=thing("it", **unit)), **{number: "5"})
    assert getattr(changed.units["it"].facts["resolution"], fact) == 5


def test_c1_822_only_those_in_a_pillbox_go_with_it(play):
    more = (
        thing("box", "pillbox")
        + thing("inside", "infantry", aboard="box")
        + thing("outside", "infantry")
    )
    game = bombard(play(more=more), [5, 6])
    sizes = [
        game.table.read(f"units/{name}/resolution/size", None) for name in ("inside", "outside")
    ]
    assert sizes == [0, 2]


def test_c1_822_falling_rubble_is_the_referees_word(play):
    house = thing("house", "building", terrain="wooden_building", levels=2)
    game = bombard(play(more=house), [])
    game.table.submit(Thrown("terrain_check", (4, 5)))
    assert (game.waits, game.table.waits_for.who) == ("resolution.falling", "referee")
    assert game.refused(Order.of("falls", at=at(game, "Z5"))) == "C1.822"
    game.go([], [Order.of("falls", at=at(game, "K6"))])
    assert told(game, "falling_rubble") == ["C1.822"]
    # The standard answer is that no rubble falls.
    assert not told(bombard(play(more=house), [4, 5]), "falling_rubble")


@pytest.mark.parametrize(("hidden", "kinds"), [(True, ["noted"]), (False, ["cleared"])])
def test_c1_822_a_hidden_obstacle_is_noted_without_saying_what_or_where(play, hidden, kinds):
    game = bombard(play(more=thing("wire", "obstacle", hidden=hidden)), [5, 5])
    assert loss(game, "wire") == 2
    events = [
        entry.event
        for entry in game.table.log
        if entry.event.kind in ("noted", "cleared", "suffered")
    ]
    assert [event.kind for event in events] == kinds
    if hidden:
        assert dict(events[0].fields) == {"side": "russian"}


def test_c1_822_a_sangar_goes_with_its_unit(play):
    more = thing("stones", "sangar") + thing("man", "infantry", half=True, shelter="stones")
    game = bombard(play(more=more), [6, 6, 1])  # an Original 12 eliminates a half-squad
    assert (loss(game, "stones"), told(game, "sangar_lost")) == (2, ["C1.822"])
    spared = bombard(play(more=more), [1, 2])
    assert loss(spared, "stones") == 0


def test_c1_822_a_shelter_is_a_sangar(catalogue, tmp_path):
    with pytest.raises(FileError, match=r"\[C1\.822\]"):
        read(catalogue, tmp_path, written(more=thing("man", "infantry", shelter="hole")))


# --- C1.82: Dummies --------------------------------------------------------------------------------------
@pytest.mark.parametrize(("dice", "gone"), [([1, 3], False), ([2, 3], True), ([4, 5], True)])
def test_c1_82_a_dummy_stack_that_pins_or_breaks_is_gone(play, dice, gone):
    # The stack takes a 2MC at Morale 7.
    game = bombard(play(more=thing("dummy", "infantry", dummy=True)), dice)
    assert told(game, "dummy_gone") == (["C1.82"] if gone else [])
    assert not game.emitted("suffered")


def test_c1_82_only_personnel_can_be_dummies(catalogue, tmp_path):
    with pytest.raises(FileError, match=r"\[C1\.82\]"):
        read(catalogue, tmp_path, written(more=thing("tank", "afv", dummy=True)))


# --- C1.55 with D5.311 -----------------------------------------------------------------------------------
def test_c1_55_air_bursts_over_an_open_top_use_the_vehicle_line(play):
    # On 30 FP the kill number is 12, and Air Bursts do not modify the DR: a 9 eliminates the
    # vehicle, and a 12 only immobilises it.
    open_top = thing("spg", "afv", terrain="woods", open_topped=True)
    assert loss(strike(play(more=open_top), [4, 5]), "spg") == 2
    assert loss(strike(play(more=open_top), [6, 6]), "spg") == 1
    # A closed-topped vehicle uses the AFV line: 9 - 1 is two above K.
    assert loss(strike(play(more=thing("tank", "afv", terrain="woods")), [4, 5]), "tank") == 0
