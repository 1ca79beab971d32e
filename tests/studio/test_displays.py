"""The displays beside the map: each game provides them as data, and a side sees only its own."""

from __future__ import annotations

import re

import pytest
from playing_on import step_on

from fireplan.table import Session, Viewer, make_head, scenario_of, view_of
from fireplan_core import REFEREE, Ask, Counter, Display, Order
from fireplan_core.chance import RandomFaces, ScriptedFaces
from fireplan_core.play import Catalogue
from fireplan_studio import film_of
from fireplan_studio.board import asset_names, template_environment
from fireplan_wacht_am_rhein.charts import read_result


def table(name, faces=(), orders=()):
    """Return a shipped scenario played with these dice and orders, then standard orders, until the
    dice run out.
    """
    installed, faces, orders = Catalogue.installed(), list(faces), list(orders)
    session = Session(*scenario_of(installed, make_head(installed, name, None, {})))
    while faces or orders:
        waits = session.table.waits_for
        if isinstance(waits, Ask):
            mine = orders and waits.question == "delays.command"
            session.order(
                orders.pop(0)
                if mine
                else session.table.rulebook.answer(waits, {}, session.table.read)
            )
        else:
            given = ScriptedFaces(faces[: len(waits.faces)]).faces(waits)
            del faces[: len(waits.faces)]
            session.throw([(face, True) for face in given])
    return session


def beside(session, side):
    return {each.name: each for each in Viewer(session, side).situation().displays}


def drawn(display):
    return str(template_environment().get_template("_displays.svg.j2").module.display(display))


def test_c1_211_the_draw_pile_holds_the_chits_that_are_left_and_its_owner_alone_sees_it():
    session = table("asl/village")
    owner = session.scenario.missions["a"].side
    ((_, chits),) = beside(session, owner)["Draw Pile"].fields
    read = session.table.read
    assert [chit.count for chit in chits] == [
        read(f"missions/a/delays/{c}", None) for c in ("black", "red")
    ]
    assert beside(session, REFEREE) == beside(session, owner)
    others = {setup.side for setup in session.scenario.units.values()} - {owner}
    assert others
    assert all(beside(session, other) == {} for other in others)


def test_an_asset_is_shown_with_its_kind_where_the_game_names_one():
    names = {"asl/village": {"a": "the battery"}, "red_poppies/cut_wires": {"75s": "75s"}}
    for scenario, expected in names.items():
        session = table(scenario)
        view = view_of(session, REFEREE)
        assert asset_names(session.scenario, view) == expected


def test_7_21_7_222_the_hour_glass_is_on_the_turn_of_arrival_and_a_cut_line_is_shown():
    # After a bombardment, a call by runner is six turns ahead; no command is left to give, and turn
    # 2 opens.
    session = table("red_poppies/cut_wires", (5, 3), [Order.of("call", group="75s", by="runner")])
    session.order(session.table.rulebook.answer(session.table.waits_for, {}, session.table.read))
    assert "hour glass of 75s" in film_of(session, "french", odds=False)
    seen = beside(session, "french")
    track = [
        (name, [counter.name for counter in counters])
        for name, counters in seen["turn track"].fields
    ]
    assert track[0] == ("turn 2", ["turn marker"])
    assert track[5] == ("turn 7", ["hour glass of 75s (primed then)"])
    net = dict(seen["signals of the French"].fields)
    assert [(mode.name, mode.cut) for mode in net[""]] == [("runner", False)]
    assert [group.name for group in net["groups by runner"]] == ["75s"]
    assert beside(session, "german") == {}


def test_7_21_before_a_call_a_group_uses_its_own_line_even_if_cut():
    session = table("red_poppies/cut_wires", (5, 3))
    net = dict(beside(session, "french")["signals of the French"].fields)
    assert [(mode.name, mode.cut) for mode in net[""]] == [("telephone", True), ("runner", False)]
    assert [(group.name, group.cut) for group in net["groups by telephone"]] == [("75s", True)]
    assert "7.21" in net[""][0].words


def test_12_6_2_a_depleted_unit_is_struck_from_the_command_structure():
    session, dice = table("wacht_am_rhein/crossroads"), RandomFaces("wacht_am_rhein/crossroads")

    def depleted():
        return session.table.read("missions/us/requests/depleted", ())

    net = dict(beside(session, "US")["command of the artillery (US)"].fields)
    units = {counter.name: counter for counters in net.values() for counter in counters}
    assert {above for above in net if above} <= units.keys()
    assert not any(unit.cut for unit in units.values())
    assert units["687-FA"].words == "4 of 4 factors left"
    german = dict(beside(session, "GE")["command of the artillery (GE)"].fields)
    assert not units.keys() & {unit.name for below in german.values() for unit in below}
    while not depleted():
        step_on(session, dice)
    after = dict(beside(session, "US")["command of the artillery (US)"].fields)
    assert {unit.name for units in after.values() for unit in units if unit.cut} == set(depleted())


def test_12_3_2_during_a_barrage_the_results_table_highlights_its_column():
    # The depletion roll of 9 has been made; the volleys come next.
    session = table("wacht_am_rhein/crossroads", (9,))
    assert session.table.waits_for.name == "volleys"
    (shown,) = (
        each
        for name, each in beside(session, "US").items()
        if name.startswith("Barrage Results Table")
    )
    (faces, *columns) = shown.fields
    die = [face for face, _ in session.die.weights]
    assert [counter.name for counter in faces[1]] == list(map(str, die))
    assert [name for name, cells in columns if not cells[0].cut] == ["BV 8"], (
        "two units of four factors are not shown as one volley"
    )
    brought = [session.table.waits_for.read((face,)) for face in die]
    assert brought == [read_result(cell.name) for cell in columns[-1][1]]
    forecast = [prospect.what for prospect in Viewer(session, "US").form().prospects]
    assert [re.sub(r"^.* scores (.*?)( \(.*)?$", r"\1", said) for said in forecast] == [
        *(
            "2 hits",
            "1 hit and an Artillery Shift",
            "1 hit",
            "no hits and an Artillery Shift",
            "no hits",
        )
    ], "the best result does not come first"
    assert drawn(shown).count('class="column lit"') == 1
    assert "BV 8" in str(shown)
    assert "BV 7" not in str(shown)
    assert not any(name.startswith("Barrage") for name in beside(session, "GE"))
    session.throw([(5, True)])
    for _ in range(9):
        if (
            session.table.waits_for is None
            or getattr(session.table.waits_for, "name", "") == "replenish"
        ):
            break
        session.order(
            session.table.rulebook.answer(session.table.waits_for, {}, session.table.read)
        )
    assert not any(name.startswith("Barrage") for name in beside(session, "US"))


PILE = Display("pile", "hand", (("", (Counter("barrage", 2), Counter("dummy", 0))),))
TRACK = Display("track", "chart", (("box 1", (Counter("stack"),)), ("box 2", ())))
NET = Display(
    "net",
    "net",
    (("", (Counter("corps"),)), ("corps", (Counter("guns_1", None, "depleted", cut=True),))),
)


@pytest.mark.parametrize(
    ("display", "said"),
    [
        (PILE, "hand: barrage 2, dummy 0"),
        (TRACK, "chart: box 1: stack"),
        (NET, "net: guns_1 (under corps; depleted)"),
        (Display("track", "chart", (("box 1", ()),)), "chart: empty"),
    ],
)
def test_a_display_is_drawn_and_described_in_words(display, said):
    assert str(display) == said
    assert f'aria-label="{said}"' in drawn(display)


def test_a_column_used_by_several_volleys_gives_their_number():
    heads, read = ("die", (Counter("0"),)), ("BV 8 x 2", (Counter("AS+1"),))
    found = drawn(
        Display("table", "results", (heads, read, ("BV 3", (Counter("none", cut=True),))))
    )
    assert re.findall(r'<g class="([^"]*)"><text[^>]*>([^<]*)<', found) == [
        ("column heads", "die"), ("column lit", "BV 8"), ("column", "BV 3"),
    ]  # fmt: skip
    assert re.search(">. 2<", found)
    assert ">none<" not in found


def test_each_display_is_drawn_in_its_own_form():
    assert drawn(PILE).count('class="piece') == 2
    assert drawn(PILE).count('class="gone"') == 1
    assert re.findall(r'class="box( used)?"', drawn(TRACK)) == [" used", ""]
    assert 'class="link cut"' in drawn(NET)
    assert ">guns 1<" in drawn(NET)


def test_names_are_escaped():
    assert "<b>" not in drawn(Display("net", "<b>", (("", (Counter("<b>", None, "<b>"),)),)))


def test_c1_53_a_stack_with_a_burnt_tank_is_crossed_and_the_game_calls_it_a_burning_wreck():
    """A Critical Hit in K4 strikes the tank, whose die is the higher one, a 5; it burns (C1.55)."""
    session = table("asl/village")
    given = (
        "call",
        "roll",
        (2, 1),
        ("black",),
        Order.of("place", at=session.scenario.centre),
        (2,),
    )
    fire = ("roll", (4, 5), "convert", "concentration", (6, 5), (1, 1), (3, 5))
    for each in (*given, *fire):
        if isinstance(each, tuple):
            session.throw([(face, True) for face in each])
        else:
            session.order(each if isinstance(each, Order) else Order.of(each))
    units = {unit.name: unit for unit in view_of(session, "german").situation.units}
    assert (units["tank"].severity, units["tank"].destroyed) == ("burning wreck", True)
    assert re.search(r'class="hurt">.*?>x</text>', film_of(session, "german", odds=False))
