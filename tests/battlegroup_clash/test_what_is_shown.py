"""The view of a seat: rallied units, assets, chits, plans, hits, and the odds."""

import re
from fractions import Fraction

import pytest
from playing_on import step_on

import fireplan as fp
from fireplan.cli.keyboard import Play
from fireplan.cli.map import text_map
from fireplan.errors import InputError
from fireplan.questions.situations import situation_of
from fireplan.table import OrderReader, Session, Viewer
from fireplan_core.chance import RandomFaces
from fireplan_core.play import Catalogue, find_scenario
from fireplan_core.space import CoordinateError, label_of


def test_clause_19_a_unit_in_good_morale_again_is_not_shown_as_suppressed():
    scenario, form = find_scenario(Catalogue.installed(), "battlegroup_clash/causeway")
    session, dice, told = Session(scenario, form.moments), RandomFaces("rally"), 0
    shown = {}
    while session.table.waits_for is not None:
        events = len(session.table.log)
        step_on(session, dice)
        for entry in session.table.log[events:]:
            if entry.event.kind == "suffered":
                shown[entry.event["unit"]] = None
            elif entry.event.kind == "rallied" and entry.event["morale"] == "good":
                shown[entry.event["unit"]] = "none"
        for unit in Viewer(session, "Russia").situation().units:
            if shown.get(unit.name):
                assert unit.severity in ("none", "hit"), unit.name
                told += unit.severity == "none"
    assert told


def test_clause_7_the_last_fire_mission_is_counted_like_the_others():
    scenario, form = find_scenario(Catalogue.installed(), "battlegroup_clash/causeway")
    session, dice, told = Session(scenario, form.moments), RandomFaces("rally"), set()
    while session.table.waits_for is not None:
        step_on(session, dice)
        left = session.table.read("missions/mortar/requests/left", 0)
        (mortar,) = (a for a in Viewer(session, "NATO").situation().assets if a.name == "mortar")
        if left:
            words = "1 fire mission left" if left == 1 else f"{left} fire missions left"
            assert words in mortar.details
            told.add(left)
    assert {1, 2} <= told


def test_clause_14_a_unit_that_is_hit_is_shown_with_the_morale_that_it_lost():
    """The unit shows its morale beside its hits, because fire lowers both."""
    scenario, form = find_scenario(Catalogue.installed(), "battlegroup_clash/causeway")
    session, dice, shown = Session(scenario, form.moments), RandomFaces("rally"), set()
    while session.table.waits_for is not None:
        step_on(session, dice)
        for unit in Viewer(session, "NATO").situation().units:
            if unit.side == "NATO" and not unit.destroyed:
                morale = session.table.read(f"units/{unit.name}/resolution/morale", "good")
                texts = [unit.severity, *unit.details]
                assert texts.count(morale) == (morale != "good"), (unit.name, texts)
                shown.add((unit.severity, morale))
    assert {("suppressed", "suppressed"), ("hit", "suppressed")} <= shown


def test_clause_25_a_chit_that_has_been_drawn_is_not_named_among_those_that_may_come():
    """After chit 7 the prompt lists only the chits still in the pile."""
    scenario, form = find_scenario(Catalogue.installed(), "battlegroup_clash/causeway")
    session, dice, fewer = Session(scenario, form.moments), RandomFaces("chits"), 0
    while session.table.waits_for is not None:
        due = session.throw_due
        if due is not None and due.name == "chit":
            prompt = Viewer(session, "Russia").form()
            named = {number for each in prompt.prospects for number in re.findall(r"\d", each.when)}
            assert named == {*prompt.dice[0].faces}
            fewer += len(named) < 7
        step_on(session, dice)
    assert fewer


def test_clause_23_both_sides_holdings_are_open_but_fire_plans_are_private():
    scenario, form = find_scenario(Catalogue.installed(), "battlegroup_clash/causeway")
    session, dice, drawn = Session(scenario, form.moments), RandomFaces("chits"), 0
    plans = {"Russia": "fire plan of battery", "NATO": "fire plan of mortar"}
    while drawn < 2:
        step_on(session, dice)
        drawn = sum(entry.event.kind == "drew" for entry in session.table.log)
    for side, plan in plans.items():
        board = Viewer(session, side).situation().board
        assert [line for line in board if line.startswith("Russia holds: ")], board
        assert [line.partition(":")[0] for line in board if "fire plan" in line] == [plan]
        assert {
            "1st infantry platoon: mounted on 1st tracked platoon",
            "recce patrol: stacked with 1st tracked platoon",
        } < {*board}


def typed_in_causeway(*typed):
    """Return the output of the causeway at a prompt that is given these lines."""
    lines, left = [], iter(typed)

    def hear(prompt):
        lines.append(prompt)
        try:
            return next(left)
        except StopIteration:
            raise EOFError from None

    scenario, form = find_scenario(Catalogue.installed(), "battlegroup_clash/causeway")
    play = Play(Session(scenario, form.moments), lines.append, hear)
    play.figures.shown = False
    play.run()
    return "\n".join(lines)


def test_d24_chits_lie_open_so_each_side_learns_which_goes_back_and_sees_all_that_are_held():
    """Russia draws 3 and 6 and returns the 6; NATO draws the 5."""
    out = typed_in_causeway("keep", "3", "6", "return chit=6", "5", "")
    russia, _, nato = out.rpartition("pass the keyboard to NATO")
    assert "  Russia holds: chits: 3, 6\n" in russia
    assert "  turn 1: Russia: Put chit 6 back\n" in nato
    assert "  Russia holds: chits: 3\n" in nato
    assert "  NATO holds: chits: 5\n" in nato


def test_clause_22_tokens_face_down_are_counted_and_target_markers_named():
    position = fp.position(
        'fp1 battlegroup_clash/causeway table{out=[[etx "NATO drawn" [] 2] [etx NATO [1] 1]]} '
        "> Russia?requests.activate(Russia [])"
    )
    board = situation_of(position.at).board
    assert "NATO holds: Target markers: 1; ETX face down: 2" in board


def mortar_target_table():
    """Return the table where the mortar's target is asked for; NATO holds a Target marker and chit
    6.
    """
    position = fp.position(
        "fp1 battlegroup_clash/causeway mortar{stage=requested} "
        "table{out=[[etx NATO [1] 1] [chits NATO [6] 1]]} > NATO?requests.fire(mortar)"
    )
    return position.at.table()


@pytest.mark.parametrize(("place", "seen"), [("E12.15/N8.05", False), (None, True)])
def test_clause_9_the_move_that_the_briefing_names_clears_the_staffs_view(place, seen):
    """Without the recce patrol and the team, only the 2nd tracked platoon stands in the line of
    sight.
    """
    _, form = find_scenario(Catalogue.installed(), "battlegroup_clash/causeway")
    named = re.search(r'move unit="2nd tracked platoon" to=([EN0-9./]+),', form.wants["NATO"])[1]
    position = fp.position(
        f'fp1 battlegroup_clash/causeway "2nd tracked platoon"{{place=@{place or named}}} '
        '"recce patrol"{losses=2} "fire support team"{losses=1} mortar{stage=requested} '
        "> NATO?requests.fire(mortar)"
    )
    table = position.at.table()
    viewer = Viewer(Session(table.scenario, 3, table=table), "NATO")
    refused = viewer.give(viewer.read_order('fire target="rifle platoon" marker=0 chit=0'))
    assert (refused is None) is seen


def test_clause_7_an_order_without_a_value_says_which_is_missing_and_how_to_type_it():
    table = mortar_target_table()
    forms = table.rulebook.forms(table.waits_for, table.read)
    reader = OrderReader(table.scenario)
    with pytest.raises(
        InputError, match=r'marker .* missing: type fire target="fire support team" marker=1'
    ):
        reader.read('fire target="fire support team"', forms)
    filled = reader.read('fire target="fire support team"', forms, fill=True)
    assert filled["target"] == "fire support team"
    assert filled["marker"] == 1


def test_clauses_8_and_9_why_gives_the_reason_though_values_are_left_out():
    table = mortar_target_table()
    asked = table.waits_for
    order = OrderReader(table.scenario).read(
        'fire target="rifle platoon"', table.rulebook.forms(asked, table.read), fill=True
    )
    assert table.rulebook.refuse(asked, order, table.read).cite == "8, 9"


def test_clause_5_an_order_without_a_remaining_asset_is_refused_by_its_rule():
    """Both assets have fired, so no asset may be named in a fire order."""
    position = fp.position(
        "fp1 battlegroup_clash/causeway table{acted={mortar}} > NATO?requests.activate(NATO [])"
    )
    refusal = position.why_not("fire")
    assert "has acted this turn" in str(refusal)
    assert "[5]" in str(refusal)


def test_clause_18_a_counter_shows_its_role_and_values():
    board = situation_of(fp.position("battlegroup_clash/causeway").at)
    (team,) = (unit for unit in board.units if unit.name == "fire support team")
    assert team.printed == ("tracked", "resilience 1", "quality 4")


def test_clause_10_every_drone_on_the_map_is_shown_with_what_it_sees():
    position = fp.position(
        "fp1 battlegroup_clash/causeway table{drones=[[Russia @E12/N8]]} "
        "> NATO?requests.activate(NATO [])"
    )
    seen = "the drone of Russia sees: the four squares round E12/N8"
    assert seen in situation_of(position.at).board


def test_each_side_at_one_keyboard_chooses_the_goal_beside_its_own_orders():
    """NATO chooses the odds that any fire falls; Russia, who is asked next, still sees the odds
    of hits.
    """
    scenario, form = find_scenario(Catalogue.installed(), "battlegroup_clash/causeway")
    typed, said = iter(["odds falls", "", "", "", "quit"]), []
    Play(Session(scenario, form.moments), said.append, lambda _prompt: next(typed), 3).run()
    lines = "\n".join(said).splitlines()
    asked = [line for line in lines if line.startswith("chance that ")]
    assert "takes a hit" in asked[0], "NATO had not chosen yet"
    assert "takes a hit" in asked[-1], "Russia"
    assert any("a fire mission falls" in line for line in lines)


def test_odds_off_hides_the_odds_of_every_side_at_the_keyboard():
    """NATO turns the odds off; Russia, who is asked next, sees none either."""
    scenario, form = find_scenario(Catalogue.installed(), "battlegroup_clash/causeway")
    typed, said = iter(["odds off", *[""] * 7, "quit"]), []
    Play(Session(scenario, form.moments), said.append, lambda _prompt: next(typed), 3).run()
    lines = "\n".join(said).splitlines()
    assert [line for line in lines if "pass the keyboard to Russia" in line]
    assert len([line for line in lines if line.startswith("chance that ")]) == 1


def logs_of(session):
    """Return the log of each side as lines of text."""
    return {
        side: [line.text for line in Viewer(session, side).known.lines]
        for side in ("NATO", "Russia")
    }


def test_clauses_2_and_3_a_rewritten_plan_is_confirmed_to_its_own_side_alone():
    scenario, form = find_scenario(Catalogue.installed(), "battlegroup_clash/causeway")
    session = Session(scenario, form.moments)
    reader = Viewer(session, "NATO")
    for at in ("E12/N8", "E13/N9"):
        assert reader.give(reader.read_order(f"rewrite {at}")) is None
    logs = logs_of(session)
    confirmed = "The mortar's fire plan is now the four squares round "
    assert [line.removeprefix(confirmed) for line in logs["NATO"] if confirmed in line] == [
        "E12/N8: the one new order a turn that costs nothing",
        "E13/N9; it may do nothing else this turn",
    ]
    public = "NATO gives new orders: Russia draws an ETX token for it"
    assert public in logs["NATO"]
    assert [line for line in logs["Russia"] if "orders" in line or "squares" in line] == [public]


def test_clauses_5_and_24_chits_returned_at_the_end_of_a_turn_are_reported():
    scenario, form = find_scenario(Catalogue.installed(), "battlegroup_clash/causeway")
    session, dice = Session(scenario, form.moments), RandomFaces("rally")
    held = 0
    while session.table.state.moment == 0:
        pile = session.table.read("shared/out", ())
        held = sum(entry[-1] for entry in pile if entry[0] == "chits")
        step_on(session, dice)
    assert held
    gone = f"The turn ends, and chits and markers go back to the pools, played or not: {held} chit{'s' * (held > 1)}"
    assert all(gone in lines for lines in logs_of(session).values())


def test_clause_22_the_side_that_draws_tokens_for_a_fire_is_named():
    table = mortar_target_table()
    session = Session(table.scenario, 3, table=table)
    viewer = Viewer(session, "NATO")
    assert viewer.give(viewer.read_order('fire target="fire support team" marker=0 chit=0')) is None
    signature = "The mortar's fire is detected: Russia draws 1 ETX token for it"
    assert signature in logs_of(session)["Russia"]


def test_clause_1_plans_are_revealed_in_the_notation_of_the_map():
    scenario, _ = find_scenario(Catalogue.installed(), "battlegroup_clash/causeway")
    notes = {note.side: note.says for note in scenario.parts.requests.secret_notes(scenario)}
    assert notes == {"Russia": "E12/N8; E12/N8; E12/N9", "NATO": "E13/N11"}


def test_clause_14_the_map_counts_the_hits_of_a_unit_once():
    """The legend gives the number of hits only, not the word "hit" as well."""
    scenario, form = find_scenario(Catalogue.installed(), "battlegroup_clash/causeway")
    session, dice, told = Session(scenario, form.moments), RandomFaces("rally"), set()
    while session.table.waits_for is not None:
        step_on(session, dice)
        told.update(re.findall(r"\bhit\b[^,)]*", "\n".join(drawn(session))))
    assert "hit once" in told
    assert told <= {"hit once", "hit 2 times", "hit 3 times"}


def drawn(session):
    """Return the lines of the map that NATO sees."""
    situation = Viewer(session, "NATO").situation()
    return text_map(situation, session.scenario.frame, width=100)


@pytest.mark.parametrize(
    ("label", "place"),
    [
        ("E12.3/N8.2", (12_300, -8_200)),
        ("e12/n8", (12_000, -8_000)),
        ("W0.038/S0.025", (-38, 25)),
        ("E0/N0", (0, 0)),
        ("7/2,0", (Fraction(7, 2), 0)),
    ],
)
def test_places_are_written_in_the_kilometres_of_the_grid(label, place):
    """No place of the grid has a minus sign; metres are a thousandth of the label's number."""
    frame = find_scenario(Catalogue.installed(), "battlegroup_clash/causeway")[0].frame
    assert frame.parse(label) == place
    assert label_of(frame, frame.parse(label)) == label.upper()


def test_an_unreadable_place_is_answered_with_an_example():
    frame = find_scenario(Catalogue.installed(), "battlegroup_clash/causeway")[0].frame
    with pytest.raises(CoordinateError, match=r"kilometres east and north, e\.g\. E12\.3/N8"):
        frame.parse("K5")


def test_clause_4_the_roll_for_initiative_names_what_is_added_and_who_wins_ties():
    position = fp.position(
        'fp1 battlegroup_clash/causeway "turn 2" table{first=""} > delays.initiative()'
    )
    table = position.at.table()
    prompt = Viewer(Session(table.scenario, 3, table=table), "NATO").form()
    meanings = {prospect.reached: prospect.what for prospect in prompt.prospects}
    edge = "NATO adds 1 to its die, and NATO wins ties"
    assert meanings == {
        "Russia's die at most 1 higher": f"NATO has the initiative ({edge})",
        "Russia's die higher by 2 or more": f"Russia has the initiative ({edge})",
    }


def test_clause_23_a_list_of_chits_says_how_many_of_them_are_left():
    """Russia keeps one of four chits of no use, so NATO may draw three of the six that are left."""
    shown = typed_in_causeway("keep", "7", "4", "return")
    drawn = shown.rpartition("Draw a chit (NATO)\n")[2]
    assert drawn.startswith("  1, 2, 4 or 7 (3 of them left): NATO draws a chit of no use")
    assert "(50.0 %)" in drawn.partition("\n")[0]
