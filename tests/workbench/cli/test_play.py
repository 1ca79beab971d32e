"""Whole games at the prompt, over a pipe: typed and rolled dice, why, odds, undo, log, leaving and
resuming.
"""

from __future__ import annotations

import re
import subprocess
import sys
from fractions import Fraction
from types import MappingProxyType

import pytest
from playing_on import options_of
from tiers import one_in

from fireplan.analysis import GoalChance, OrderOdds
from fireplan.cli import printing
from fireplan.cli.keyboard import Play
from fireplan.cli.prompt.orders import other_forms
from fireplan.table import (
    Session,
    read_playthrough,
    shipped_briefings,
    shipped_playthroughs,
    side_name,
)
from fireplan_core.play import Catalogue, find_scenario

GAMES = ("asl", "miniatures_1943", "red_poppies", "wacht_am_rhein")


@pytest.mark.parametrize("game", [pytest.param("asl", marks=pytest.mark.full), *GAMES[1:]])
def test_a_whole_watch_is_played_to_its_end(sit, game):
    status, out = sit(
        "play",
        "open_attack",
        "--game",
        game,
        "--journal",
        "t",
        "--seed",
        3,
        typed=["odds off", *[""] * 4000],
    )
    assert status == 0
    assert re.search(
        r"\nThe game is over.*\n(  .*\n)*?  .*( first landed( on target)? in .*|landed, but never on target|no .* landed)\n",
        out,
    )
    status, playthrough = sit("replay", "t")
    assert status == 0
    events = [line for line in playthrough.splitlines() if re.match(r" +\d+  ", line)]
    inputs = r"^ +\d+  [^:]+: (Firer: |Target: |roll |sealed by )"
    # Every line of the log that is not an input ends with its rule.
    assert events
    assert all(line.endswith(")") for line in events if not re.match(inputs, line))


def typed_lines(playthrough):
    """Yield the lines that a player types to play a playthrough: full orders, each die on its own."""
    for line in playthrough.inputs:
        text = line.text
        if text.startswith("roll "):
            for die in text.partition(":")[2].split(","):
                yield die.split()[-1]
        elif text == "take back":
            yield "undo"
        else:
            asking, text = text.startswith("why "), text.removeprefix("why ")
            yield ("why " if asking else "") + (text.partition(": ")[2] or text)


SCRIPTS = (
    "miniatures_1943/one_request",
    "asl/village",  # a full mission, from the call to the end, and the next missions
    "red_poppies/two_groups",  # a turn with two groups
    "wacht_am_rhein/one_segment",
)


@pytest.mark.parametrize("name", one_in(3, SCRIPTS))
def test_a_script_of_orders_and_dice_plays_a_game_from_start_to_end(sit, name):
    source = shipped_playthroughs(Catalogue.installed())[name].read_text(encoding="utf-8")
    playthrough = read_playthrough(source)
    lines = list(typed_lines(playthrough))
    played = [
        line
        for line in source.splitlines()
        if line and not line.startswith(("#", "> why", "  refused"))
    ]
    played = [line for line in played if line != "  that order is legal"]
    status, out = sit(
        "play",
        playthrough.reference,
        *options_of(playthrough),
        "--journal",
        "t.fireplan",
        typed=["odds off", *lines],
    )
    assert status == 0
    assert out.count("refused:") == 0
    ended = "The game is over" in out
    assert ended or playthrough.moments is not None
    status, text = sit("export", "t.fireplan")
    assert status == 0
    exported = [line for line in text.splitlines() if line and not line.startswith("#")]
    # Exporting the game gives back the playthrough that was typed in.
    body = [line for line in played[1:] if not line.startswith(("moments:", "title:", "== end"))]
    kept = [line for line in exported[1:] if not line.startswith(("title:", "== end"))]
    assert kept[: len(body)] == body


def test_a_c1_mission_with_typed_dice(sit):
    typed = [
        "odds off", "1", "1", "4", "4", "black",  # call; roll; contact on 8; a black chit
        "place at=K15", "2",  # AR on the target, accurate
        "1", "3", "3",  # maintain contact with an Original 6
        "why correct at=Z99", "convert", "concentration",  # the SR is on the target
        "quit",
    ]  # fmt: skip
    status, out = sit("play", "--game", "asl", "--journal", "t", typed=typed)
    assert status == 0
    # 26 of 36 rolls are 8 or less; one is 12.
    assert re.search(r"8 or less: The Observer has Radio Contact \(72\.2 %\)", out)
    assert re.search(r"12: The radio breaks down \(2\.8 %\)", out)
    # The prompt announces the roll beside the order that leads to it.
    told = r"      roll for Radio Contact: .*\n(.*\n)*order: 1\n\nRoll for Radio Contact: coloured, white"
    assert re.search(told, out)
    assert "Fire for effect lands on K15: on target" in out
    status, out = sit("resume", "t", typed=["log", "quit"])
    assert status == 0
    assert "Fire for effect lands on K15: on target" in out


@pytest.mark.full
def test_over_a_real_pipe_a_transcript_comes_out(tmp_path):
    command = [
        sys.executable,
        "-m",
        "fireplan.cli",
        "play",
        "wacht_am_rhein/crossroads",
        "--journal",
        "t",
    ]
    typed = "map\nbarrage\nbarrage at=3030 observer=I-110 fire=109-FA:4+687-FA:4\n0\n7\n"
    done = subprocess.run(
        command, input=typed, capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "order: barrage at=3030 observer=I-110 fire=109-FA:4+687-FA:4\n" in done.stdout
    assert "The barrage on 3030 scores 2 hits (12.3.2, 12.3.3)" in done.stdout
    assert "\033" not in done.stdout
    assert done.stdout.endswith("\nThe game is saved; 'fireplan resume t' continues it.\n")


def test_orders_typed_in_full_keep_their_case_quotes_and_tuples(sit):
    typed = [
        "odds off",
        "2",
        "6",
        "pass",
        "pass",
        'why prone base="rifle 1"',
        "prone base=rifle 1",
        'prone base="rifle 1"',
        "log",
    ]
    status, out = sit("play", "miniatures_1943/hedgerow_farm", "--journal", "t", typed=typed)
    assert status == 0
    assert "that order is legal" in out
    assert "names with spaces in double quotes" in out
    assert "Rifle 1 goes prone" in out
    where = "barrage at=3030 observer="
    typed = ["barrage", f"{where}i-110 fire=109-FA:4:2", f"{where}I-110 fire=109-fa:4"]
    status, out = sit("play", "wacht_am_rhein/crossroads", "--journal", "w", typed=typed)
    assert "fire=109-FA:4:2: expected" in out
    assert "Barrage on 3030 with 4 factors of 109-FA (4), observed by I-110" in out


def test_a_game_that_is_over_shows_the_table_once_when_it_is_resumed(sit):
    typed = ["odds off", *[""] * 400]
    assert sit("play", "asl/village", "--seed", "5", "--journal", "t", typed=typed)[0] == 0
    status, out = sit("resume", "t", typed=[])
    assert status == 0
    assert out.count("below each number: what is in the hex") == 1
    assert "brought down no fire for effect\n" in out
    assert "The Germans: no unit lost or harmed" in out


def test_an_incomplete_order_is_shown_in_full_beside_the_typed_text(sit):
    _, out = sit("play", "wacht_am_rhein/crossroads", typed=["odds off", "barrage", "barrage 3031"])
    assert "type barrage at=3031 observer=I-110 fire=109-FA:4+687-FA:4" in out


def test_the_prompt_prints_neither_salts_nor_commitments(sit):
    """Secret orders are sealed (6.1.h); the salts and commitments are only in the journal."""
    typed = ["odds off", "", "log", "reveal all", "yes", "log", "quit"]
    status, out = sit("play", "miniatures_1943/chits_in_hand", "--seed", "5", typed=typed)
    assert status == 0
    assert out.count("sealed by the American player, place in turn 1") >= 3
    assert "as it was sealed" in out
    assert "commitment" not in out
    assert "[salt" not in out


def test_dice_or_excess_text_at_an_order_prompt_repeat_the_question(sit):
    status, out = sit("play", "asl/village", "--journal", "t", typed=["3 4", "call 3", "zz 3"])
    assert status == 0
    assert "expected an order, not dice: call, pass" in out
    assert "'3': call takes no values" in out
    assert "refused: 'zz' is not an order here; possible: call, pass" in out


def test_6_1_h_a_screen_separates_two_seats_and_neither_sees_the_others_chits(sit):
    typed = [
        "odds off",
        "2",
        "6",
        "place barrages=1 air_strikes=0 dummies=1",
        "log",
        "place barrages=1 air_strikes=0 dummies=0",
    ]
    status, out = sit("play", "miniatures_1943/hedgerow_farm", "--journal", "t", typed=typed)
    assert status == 0
    american, german, *_ = out.split(" pass the keyboard to ")[1:]
    assert "American dummy 1 is placed in the Request box" in american
    assert "A stack starts on the request chart of the Germans, in the Request box" in american
    assert "german barrage" not in american.casefold()
    assert "american barrage" not in german.casefold()
    assert "american dummy" not in german.casefold()
    assert "A stack is placed on the request chart of the Americans, in the Request box" in german


def test_each_seat_reads_its_own_sides_goal_once(sit):
    _, form = find_scenario(Catalogue.installed(), "miniatures_1943/hedgerow_farm")
    typed = ["odds off", "2", "6", *["pass"] * 6]
    status, out = sit("play", "miniatures_1943/hedgerow_farm", "--journal", "t", typed=typed)
    assert status == 0
    before, *seats = out.split(" pass the keyboard to ")
    assert form.summary in before
    assert len(seats) > 2  # a second player joins
    for side, wants in form.wants.items():
        assert out.count(wants) == 1
        assert not any(
            wants in seat for seat in seats if not seat.startswith(f"the {side_name(side)}s ")
        )
        assert wants not in before


def test_a_screen_on_a_terminal_is_cleared_before_and_after_the_seat_is_taken():
    from fireplan.cli.keyboard import Play
    from fireplan.cli.printing import CLEAR
    from fireplan.table import Session

    scenario, form = find_scenario(Catalogue.installed(), "miniatures_1943/hedgerow_farm")
    said, answers = [], iter(["", "odds off", "2", "6", "pass", ""])

    def hear(prompt):
        said.append(prompt)
        answer = next(answers, None)
        if answer is None:
            raise EOFError
        return answer

    Play(Session(scenario, form.moments), said.append, hear, 1, screen=True).run()
    seats = [i for i, line in enumerate(said) if line.startswith("Pass the keyboard to ")]
    assert [said[i].split()[5] for i in seats] == ["Americans,", "Germans,"]
    assert all(said[i - 1] == said[i + 1] == CLEAR for i in seats)


def test_a_throw_half_typed_goes_on_after_leaving(sit):
    sit("play", "--game", "asl", "--journal", "t", typed=["1", "1", "4", "quit"])
    status, out = sit("resume", "t", typed=["4", "quit"])
    assert status == 0
    assert "coloured (1-6): " not in out
    assert "Radio Contact (C1.2)" in out.partition("white (1-6): 4")[2]


def test_wrong_lines_are_answered_and_change_nothing(sit):
    typed = ["9", "shoot", "pass now=1", "why shoot", "why", "odds", "map", "help", "undo", "save"]
    dice = ["call", "1", "7", "seven", "undo", "quit"]
    status, out = sit("play", "--game", "asl", "--journal", "t", typed=[*typed, *dice])
    assert status == 0
    for part in (
        "there is no order 9",
        "refused",
        "not an order here",
        "nothing to take back",
        "every input is in t already",
        "a die shows 1 to 6, not 7",
        "a die shows 1 to 6, not seven",
        "in the 60 fire phases left",
        "undone: Roll for Radio Contact",
    ):
        assert part in out


def test_odds_agree_with_the_solver(sit):
    from fractions import Fraction

    from fireplan.analysis import percent, shipped_engagements
    from fireplan.solver import Analysis, FirstFall
    from fireplan.table import make_head, scenario_of

    _, out = sit("play", "--game", "red_poppies", "--journal", "t", typed=["odds", "quit"])
    head = make_head(Catalogue.installed(), "woods", "red_poppies", shipped_engagements())
    falls = 1 - Analysis(*scenario_of(Catalogue.installed(), head)).solve(FirstFall()).shares.get(
        None, Fraction(0)
    )
    assert f"fire for effect falls: {percent(falls)}" in out


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("play",), "Name a scenario"),
        (("play", "nowhere/nothing"), "There is no scenario"),
        (("play", "wods", "--game", "asl"), "'woods'"),
        (("play", "--game", "als"), "'asl'"),
        (("resume", "nothing.fireplan"), "no such journal"),
        (("replay", "nothing.fireplan"), "no such journal"),
        (("replay",), "Name a journal, or a folder"),
        (("replay", "--all", "nowhere"), "is not a folder"),
        (("export", "nothing.fireplan"), "no such journal"),
        (("export",), "Name the journal"),
        (("luck", "nothing.fireplan"), "no such file"),
        (("luck", "nothing.txt"), "nothing.txt"),
        (("salvage", "nothing.fireplan", "new"), "no such journal"),
        (("verify", "a", "b"), "b: no such file"),
        (("playthrough", "nothing.txt"), "no such file"),
        (("playthrough", "--write"), "Name the playthroughs"),
    ],
)
def test_wrong_openings_end_with_2(sit, arguments, expected):
    status, out = sit(*arguments)
    assert status == 2
    assert expected in out


def test_a_journal_is_never_written_over(sit):
    assert sit("play", "--game", "asl", "--journal", "t", typed=["quit"])[0] == 0
    status, out = sit("play", "--game", "asl", "--journal", "t", typed=["quit"])
    assert status == 2
    assert "already exists" in out


@pytest.mark.full
def test_odds_of_a_table_too_large_to_solve_are_sampled_and_say_so(sit, tmp_path, monkeypatch):
    def third_line(typed):
        _, out = sit("play", "asl/village", "--journal", "t", typed=[*typed, "odds", "quit"])
        (tmp_path / "t").unlink()
        head, falls = re.search(
            r"(chances of the Germans in the .*):\n +fire for effect falls: ([\d.]+) %", out
        ).groups()
        return head, float(falls)

    exact_head, exact = third_line(["call"])
    assert "sampled" not in exact_head
    monkeypatch.setattr("fireplan.analysis.side_odds.MOST", 10)
    head, falls = third_line(["call"])
    assert "sampled over 100 plays, not exact (standard error up to 5.0 %)" in head
    assert abs(falls - exact) <= 4 * 5
    assert third_line(["call"]) == (head, falls)


SEATED = (
    "asl/village",
    "battlegroup_clash/causeway",
    "battletech/ranging_in",
    "combat_commander/lone_radio",
    "miniatures_1943/chits_in_hand",
    "red_poppies/battle_for_pinon",
    "wacht_am_rhein/crossroads",
)
"""A mission of each game."""
WIDE = ("miniatures_1943/chits_in_hand", "red_poppies/battle_for_pinon")
"""Missions on a map in inches and on hexes, which are told on a wide terminal too; the others
before a release.
"""


@pytest.mark.parametrize(
    ("name", "columns"),
    [
        *((name, 80) for name in SEATED),
        *(
            pytest.param(name, 120, marks=pytest.mark.full if name in WIDE else pytest.mark.long)
            for name in SEATED
        ),
    ],
)
def test_no_line_of_a_seat_is_wider_than_the_terminal(monkeypatch, capsys, name, columns):
    pytest.importorskip(
        f"fireplan_{name.partition('/')[0]}", reason="the game is in requirements-games.txt"
    )
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setattr(printing, "attended", lambda _stream: True)
    scenario, form = find_scenario(Catalogue.installed(), name)
    typed = iter(["", "odds", "help", "", "log", "odds off", *[""] * 12])

    def hear(prompt, _possible=()):
        printing.say_wrapped(prompt)
        try:
            return next(typed)
        except StopIteration:
            raise EOFError from None

    session = Session(scenario, form.moments)
    briefing = shipped_briefings(Catalogue.installed())[name].briefing
    Play(
        session, printing.say_wrapped, hear, 3, width=printing.terminal_width, briefing=briefing
    ).run()
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) > 60
    assert [line for line in lines if len(line) > columns] == []


def test_other_orders_of_a_verb_are_listed_by_their_differences():
    fire = "fire target={} marker={} chit=0".format
    others = [fire("patrol", 0), fire('"battle group staff"', 0)]
    assert other_forms(fire("lead", 0), others) == 'with target patrol or "battle group staff"'
    assert other_forms(fire("lead", 0), [fire("lead", 1), fire("patrol", 0)]) == (
        "with target=lead marker=1; target=patrol marker=0"
    )
    many = [f"place at=A{n}" for n in range(2, 18)]
    assert other_forms("fire at=A1 by=x", ["fire at=A2 by=y"]) == "with at=A2 by=y"
    assert other_forms("place at=A1", many).endswith(
        "at A2, A3, A4, A5, A6, A7, A8, A9 or 8 more ('more' lists all)"
    )


def test_values_that_can_be_nothing_else_are_neither_listed_nor_needed_and_more_lists_all_places():
    from fireplan.cli.prompt.orders import shortest
    from fireplan.table import Session, Viewer

    pytest.importorskip("fireplan_combat_commander", reason="the game is in requirements-games.txt")
    scenario, form = find_scenario(Catalogue.installed(), "combat_commander/lone_radio")
    said, session = [], Session(scenario, form.moments)
    typed = iter(["ask", "3-4", "more", "quit"])
    Play(session, said.append, lambda prompt: said.append(prompt) or next(typed, "quit"), 1).run()
    places = next(slot for slot in Viewer(session, "italian").form().slots if slot.verb == "fire")
    assert len(places.candidates) > 0
    listed = "\n".join(said)
    assert all(label in listed for label in places.candidates)
    scenario, form = find_scenario(Catalogue.installed(), "wacht_am_rhein/crossroads")
    session = Session(scenario, form.moments)
    prompt = Viewer(session, "US").form()
    assert [shortest(order, prompt.slots) for order in prompt.orders] == ["barrage", "pass"]


def test_a_modifier_is_shown_beside_the_order_that_leads_to_its_roll(sit):
    """C1.22: maintaining Contact takes 2 off the roll, and the totals include it."""
    typed = ["odds off", "call", "roll", "2 1", "black", "place K5", "2", "map"]
    _, out = sit("play", "asl/village", "--seed", 1, typed=typed)
    assert (
        "roll for Maintenance, with -2 Contact already established: 10 or less (total 8 or less"
        in out
    )
    assert "Roll for Maintenance, to keep Radio Contact [" in out
    assert "in any case: The lieutenant is marked as having fired" in out
    assert "a cut Field Phone line" not in out  # a radio has no Field Phone line


def test_each_new_phase_is_named_before_its_first_question_or_roll(sit):
    """C1.22: a 9 loses Contact, and the next roll is due in the DFPh."""
    _, out = sit("play", "asl/village", "--seed", 1, typed=["odds off", "call", "roll", "4 5"])
    assert (
        out.count(
            "\nfire phase 2 of 12: turn 1 DFPh\n"
            "  battery (German): called for; target K5\n\nGerman: Roll"
        )
        == 1
    )
    assert out.count("turn 1 PFPh\n") == 1  # the opening situation has already named the turn


def test_numbered_orders_with_equal_odds_share_one_line(sit):
    """7.22: with five turns left, a call in turn 1 is as likely to hit as one in a later couplet.

    In turn 8 the telephone's delay of one turn (7.21) outlasts the game.
    """
    _, out = sit("play", "red_poppies/battle_for_pinon", "--seed", 4, typed=[""] * 60)
    opening, _, rest = out.partition("order: ")
    assert (
        "follow: 77.8 % after each numbered order; 'odds harmed' compares them by harm to the enemy\n"
        in opening
    )
    assert "\n      or by runner (76.9 %)\n" in opening
    assert opening.count("%") == opening.rpartition("follow: ")[0].count("%") + 2
    assert (
        "Command other troops (2 commands left); no group is primed to roll for its signal"
        in opening
    )
    assert (
        "Command other troops (2 commands left), so that primed groups roll for their signal"
        in rest
    )
    last = rest.rpartition("\nturn 8 of 8\n")[2]
    assert "on target: 0 until the end, if the standard orders follow" in last


def test_6_2_h_an_order_for_a_posture_that_is_taken_already_is_not_offered(sit):
    """At the start the spotter team is standing, and both German bases are prone."""
    typed = ["odds off", "", "", "", "", "quit"]
    _, out = sit("play", "miniatures_1943/chits_in_hand", "--seed", 3, typed=typed)
    assert "Have the spotter team stand up" not in out
    assert "Have the spotter team go prone [" in out
    assert "Have the section go prone" not in out
    assert "Have the section stand up [" in out


def test_8_the_flight_of_each_shell_is_shown_at_the_beginning_of_a_turn(sit):
    """8: at 284 hexes a shell takes three turns, so with one shot a turn three are in the air."""
    pytest.importorskip("fireplan_battletech", reason="the game is in requirements-games.txt")
    _, out = sit("play", "battletech/ranging_in", "--seed", 3, typed=["odds off", *[""] * 3])
    for turn, landing in ((2, "turn 4"), (3, "turns 4 and 5")):
        said = (
            rf"\nturn {turn} of 12\n.*\n  shells of the thumper in the air are due in {landing}\n"
        )
        assert re.search(said, out)


def test_c1_52_modifiers_of_a_hex_shared_with_a_tank_are_shown_with_its_roll(sit):
    """The 2nd squad is entrenched in woods, +4 TEM and -1 for Air Bursts; a tank shares its hex.

    On 16 FP a total of 6 or 7, rolled as 3 or 4 with +3, gives a 2MC.
    """
    typed = ["odds off", "call", "roll", "2 1", "black", "place K5", "2", "roll", "4 4"]
    typed += ["convert", "concentration", "6 5"]
    _, out = sit("play", "asl/village", "--seed", 1, typed=typed)
    roll = out.partition("K4 is attacked with 16 FP")[2]
    assert (
        "below: +4 TEM, not for vehicles (C1.52); -1 Air Bursts, not for vehicles (C1.52)\n" in roll
    )
    assert (
        "  3 (total 6, not for vehicles): The tank is destroyed; the 2nd squad takes a 2MC (5.6 %)\n"
        in roll
    )


@pytest.mark.parametrize(
    ("name", "fire", "landed"),
    [
        ("wacht_am_rhein/crossroads", "barrage", "landed"),
        ("battletech/ranging_in", "shell", "landed on target"),
    ],
)
def test_the_figures_use_the_games_term_for_fire(sit, name, fire, landed):
    pytest.importorskip(
        f"fireplan_{name.partition('/')[0]}", reason="the game is in requirements-games.txt"
    )
    _, out = sit("play", name, "--seed", 3, typed=["odds", "end"])
    assert f"\n  a {fire} falls: " in out
    aims = name.startswith("battletech")  # in the other game fire lands where it is aimed
    assert (f"\n  the next {fire} is on target: " in out) is aims
    assert f": a {fire} first {landed} in " in out
    assert "fire for effect" not in out.partition("order: ")[2]


def test_end_plays_on_with_standard_orders(sit):
    status, out = sit("play", "asl/village", "--seed", 3, typed=["odds off", "end"])
    assert status == 0
    rest = out.partition("order: ")[2]
    assert "turn 1 PFPh: The Observer calls for fire (C1.2)" in rest
    assert rest.count("order:") == 1
    over = rest.partition("The game is over")[2]
    assert "at the end" in over
    assert "of 12" not in over


@pytest.mark.parametrize(("answer", "ends"), [("no", False), ("yes", True)])
def test_6_1_h_a_side_with_secrets_must_agree_to_the_end(sit, answer, ends):
    typed = ["odds off", "end", answer]
    _, out = sit("play", "miniatures_1943/chits_in_hand", "--seed", 3, typed=typed)
    assert "German: agree to play on to the end with standard orders (yes or no): " in out
    assert ("The game is over" in out) is ends


def test_the_end_is_offered_once_nothing_can_fire_any_more(sit):
    """The three barrages placed together are used up after the second turn (6.2.d), so the prompt
    offers to end the game.
    """
    _, out = sit(
        "play", "miniatures_1943/chits_in_hand", "--seed", 3, typed=["odds off", *[""] * 99]
    )
    before, offer, after = out.partition("No asset can fire any more: 'end' plays on")
    assert offer
    assert before.count("pass the keyboard to the Americans") == 3
    assert "No asset" not in after


def test_the_question_of_direct_fire_says_that_no_harm_is_left(sit):
    """6.4: direct fire is only noted, so the chance is 0 once the three barrages have landed."""
    typed = [*[""] * 99, "quit"]
    _, out = sit("play", "miniatures_1943/chits_in_hand", "--seed", 3, typed=typed)
    landed = out.partition("turn 2: American barrage 3 takes effect")[2]
    asked = landed.partition("American: Which base fires?\n")[2]
    assert asked.startswith(
        "chance that a unit of the other side is harmed: 0 until the end, if the standard orders follow\n"
    )


def test_the_side_that_is_hit_sees_no_chance_beside_the_question_of_its_losses(sit):
    """12.4: the Germans of the crossroads have guns, which cannot fire."""
    _, out = sit("play", "wacht_am_rhein/crossroads", "--seed", 3, typed=[""] * 6)
    question = out.partition("GE: How do your units in the hex satisfy the hits?\n")[2]
    assert question.startswith(" * 1. Lose 1 step (I-77) and retreat to 2931")


def test_the_prompt_marks_rules_and_units_that_are_not_printed(sit):
    """The Barrage Results Table of Wacht am Rhein is reconstructed, and the prompt names it."""
    _, out = sit("play", "wacht_am_rhein/crossroads", "--seed", 1, typed=["odds off"])
    head = out.partition("barrage segment 1 of 1")[0]
    assert "the Barrage Results Table is reconstructed" in head
    assert "3 more numbers of the rules are reconstructed ('more' lists them)" in head
    assert "lowest depletion value" not in head


def test_10_cards_in_hand_are_not_counted_as_still_in_the_deck(sit):
    """10: B4 is 5 hexes away, and the product must exceed that; 20 of the 72 cards do not.

    The four cards turned up (5-2, 5-3, 1-6 and 3-4) all exceed it, so 20 of the other 68 miss.
    """
    pytest.importorskip("fireplan_combat_commander", reason="the game is in requirements-games.txt")
    typed = [
        "odds off",
        "ask",
        "a card of no use here (5-2, event)",
        "5-3",
        "Artillery Denied (1-6)",
        "3-4",
    ]
    _, out = sit("play", "combat_commander/lone_radio", "--seed", 1, typed=[*typed, "fire B4"])
    before, _, at_the_draw = out.partition("\norder: ")[2].partition("\nDraw for targeting")
    misses = "the product of the dice is 5 or less: The targeting roll misses (29.4 %)"
    assert misses in before
    assert misses in at_the_draw


def test_a_roll_without_visible_effect_says_so(sit):
    """C1.8: the spared rows come from two rolls of three dice each, so the first roll alone decides
    nothing.
    """
    _, out = sit("play", "asl/set_piece", "--seed", 1, typed=[])
    assert (
        "\nRoll for the spared hexes: first, second, third\n  any roll: the effect shows later"
        in out
    )


def test_c1_731_why_gives_a_reason_once_for_all_orders_that_it_refuses(sit):
    typed = ["odds off", "call", "roll", "2 1", "black", "why", "call 7"]
    _, out = sit("play", "asl/village", "--seed", 1, typed=typed)
    answer = out.rpartition("order: why\n")[2].partition("\norder:")[0]
    assert answer.count("may only be placed in a Pre-Registered hex [C1.731]") == 1
    assert "(fire at=K5): an FFE:1 without an SR may only be placed" in answer
    assert "\n      the same: at=K4; at=L4; " in answer


def test_a_die_that_cannot_fall_is_named_as_at_the_prompt(sit):
    _, out = sit("play", "red_poppies/battle_for_pinon", "--seed", 1, typed=["7"])
    assert "die of the French: a die shows 1 to 6, not 7" in out


def test_what_is_played_to_the_end_without_enemies_is_told_in_one_line(sit):
    """With seed 3 both platoons are destroyed in turn 7, so the shells of the last five turns hit
    nobody.
    """
    pytest.importorskip("fireplan_battletech", reason="the game is in requirements-games.txt")
    typed = ["odds off", *[""] * 15, "end"]
    _, out = sit("play", "battletech/ranging_in", "--seed", 3, typed=typed)
    before, asked, after = out.partition("order: end\n")
    assert asked
    assert before.rpartition("\nturn ")[2].startswith("8 of 12\n")
    assert after.startswith(
        "  the rest, turn 8 to turn 12, is played with standard orders:\n"
        "  nobody suffers any further harm\nThe game is over.\n"
    )
    assert "  The target side: 2 of 2 units lost (platoon, reserve)\n" in after


def test_the_last_turn_may_be_left_out_once_no_fire_can_fall(sit):
    """7.21: a call by telephone in the last turn outlasts the game."""
    typed = ["odds off", *[""] * 60]
    _, silent = sit("play", "red_poppies/battle_for_pinon", "--seed", 4, typed=typed)
    assert "'end' plays on" not in silent, "chances that are off are not looked at"
    _, out = sit("play", "red_poppies/battle_for_pinon", "--seed", 4, typed=[""] * 60)
    *_, last = out.split("\nturn 8 of 8\n")
    assert "\nNo fire of yours can fall any more: 'end' plays on to the end" in last


def test_harm_to_own_troops_is_told_when_the_rest_is_played(sit):
    """13: both targets are destroyed in turn 5, but shells fired at 1620 are still in the air."""
    pytest.importorskip("fireplan_battletech", reason="the game is in requirements-games.txt")
    orders = ["fire at=1617", "fire at=1617", "fire at=1620", "fire at=1620", "6 6", "fire at=1620"]
    _, out = sit("play", "battletech/ranging_in", "--seed", 2, typed=["odds off", *orders, "end"])
    after = out.partition("order: end\n")[2]
    assert "  turn 6: The infantry is destroyed (19)\nThe game is over.\n" in after


def test_no_more_units_run_short_than_fire(sit):
    """12.6.1: a 9 exceeds the depletion value by two, but one unit fires."""
    typed = ["odds off", "barrage", "barrage at=3030 observer=I-110 fire=109-FA:4"]
    _, out = sit("play", "wacht_am_rhein/crossroads", typed=typed)
    assert "\n  8 or more: 1 unit suffers Ammo Depletion (20.0 %)\n" in out


def test_the_card_that_is_looked_for_is_listed_first(sit):
    pytest.importorskip("fireplan_combat_commander", reason="the game is in requirements-games.txt")
    _, out = sit("play", "combat_commander/lone_radio", typed=["odds off", "ask"])
    listed = out.partition("\nDraw the next card in hand (Italian)\n")[2]
    assert listed.startswith("  Artillery Request: the request can be played (9.7 %)\n")


def test_a_retreat_that_eliminates_the_unit_is_marked_in_the_list(sit):
    """12.4.2: in the open beside an enemy the retreat itself costs the last step."""
    pytest.importorskip("fireplan_wacht_am_rhein", reason="the game is in requirements-games.txt")
    typed = ["odds off", "", "", "7", "9"]
    _, out = sit("play", "wacht_am_rhein/crossroads", typed=typed)
    marked = "or to 3031, 3131, 2930 (eliminates I-77) or 3130 (eliminates I-77)\n"
    assert out.count(marked) == len(("losses_then_retreat", "retreat_first"))


def test_a_card_is_typed_by_its_dice_with_its_trigger(sit):
    """Both cards with the dice 5-2 bear the trigger of an event (21), and one is of use."""
    pytest.importorskip("fireplan_combat_commander", reason="the game is in requirements-games.txt")
    _, out = sit(
        "play", "combat_commander/lone_radio", typed=["odds off", "ask", "5-2 denied event"]
    )
    asked = (
        "card (its dice, such as 4-1, its name, or both; "
        "add event, sniper or time if it is marked so): "
    )
    assert asked in out
    assert "  drew Artillery Denied (5-2, event)\n" in out


def test_a_place_begun_is_not_taken_for_the_one_offered(sit):
    pytest.importorskip("fireplan_battletech", reason="the game is in requirements-games.txt")
    _, out = sit("play", "battletech/ranging_in", typed=["odds off", "fire at=16", "fire at=1617"])
    assert "order: fire at=16\n  at=16: expected a hex of the map, such as 1617" in out
    assert out.count("The thumper fires at 1617") == 1


def test_few_other_forms_of_an_order_have_their_own_chances(sit):
    """12.3.2: four factors take effect in half of the cases, eight in nine of ten."""
    _, out = sit("play", "wacht_am_rhein/crossroads", typed=["barrage"])
    for unit in ("109-FA", "687-FA"):
        words = f"Barrage 3030 with {unit} (4) observed by I-110 (50.0 %)"
        assert f"\n      or {words} [barrage at=3030 observer=I-110 fire={unit}:4]\n" in out


def figures_of(shares, errors=MappingProxyType({})):
    """Return the figures beside orders, and their odds, from shares and errors in per cent."""
    scenario, form = find_scenario(Catalogue.installed(), "asl/village")
    figures = Play(Session(scenario, form.moments), print, input).figures
    figures._shown_goal = figures.goal
    chances = {
        order: {"target": GoalChance(Fraction(share, 100), Fraction(errors.get(order, 0), 100))}
        for order, share in shares.items()
    }
    return figures, OrderOdds(chances)


def test_a_form_worth_as_much_as_another_order_is_not_called_the_best():
    """C1.3: an AR that the enemy will Cancel is worth as much as Cancelling."""
    shares = {"correct at=K4": 60, "correct at=L4": 65, "correct at=L5": 75, "cancel": 75}
    figures, odds = figures_of(shares)
    forms = ["correct at=L4", "correct at=L5"]
    assert figures.best_of(odds, "correct at=K4", forms) == "correct at=L4"
    figures, odds = figures_of({**shares, "cancel": 70})
    assert figures.best_of(odds, "correct at=K4", forms) == "correct at=L5"


def test_sampled_chances_that_cannot_be_told_apart_share_one_range():
    figures, odds = figures_of({"fire": 95, "smoke": 90}, {"fire": 5, "smoke": 5})
    heading = figures.heading(odds, ["fire", "smoke"])
    assert heading.endswith(
        "follow: over 80 % after each of these; too few plays to tell them apart"
    )
    assert not figures.figure(odds, "fire")
    figures, odds = figures_of({"fire": 95, "smoke": 20}, {"smoke": 5})
    assert ", sampled where ± stands, if orders" in figures.heading(odds, ["fire", "smoke"])
    assert figures.figure(odds, "smoke") == "20 % ± 10 (-75) "


def with_near(figures, odds, shares):
    """Return odds with exact chances by the end of the first moment, in per cent, for the prompt."""
    near = {order: {"target": GoalChance(Fraction(share, 100))} for order, share in shares.items()}
    both = OrderOdds(odds.after, until=None, near=OrderOdds(near, until=0))
    figures._weighed = lambda *_, **__: both
    return figures.odds_of(None)


def test_the_near_future_decides_where_no_sample_tells_the_best_orders_apart():
    figures, odds = figures_of({"fire": 95, "smoke": 90}, {"fire": 5, "smoke": 5})
    odds = with_near(figures, odds, {"fire": 60, "smoke": 40})
    heading = figures.heading(odds, ["fire", "smoke"])
    when = figures._clock.name(0)
    assert heading.startswith(
        f"chance that the next fire for effect is on target by the end of {when}, if orders "
        "marked * follow, and in brackets by the end of the game, sampled:"
    )
    assert figures.figure(odds, "fire") == "60.0 % (best; 95 % ± 10 by the end of the game) "
    assert figures.figure(odds, "smoke") == "40.0 % (-20.0; 90 % ± 10 by the end of the game) "


def test_the_near_future_stands_beside_a_sample_that_decides():
    figures, odds = figures_of({"fire": 70, "smoke": 20}, {"fire": 5, "smoke": 5})
    odds = with_near(figures, odds, {"fire": 60, "smoke": 0})
    when = figures._clock.name(0)
    assert ", sampled, if orders marked * follow:" in figures.heading(odds, ["fire", "smoke"])
    assert figures.figure(odds, "fire") == f"70 % ± 10 (best; 60.0 % by the end of {when}) "
    assert figures.figure(odds, "smoke") == f"20 % ± 10 (-50; 0 % by the end of {when}) "


def test_where_all_forms_are_on_target_orders_are_compared_by_harm(sit):
    """C1.71: SMOKE attacks nobody, though it is on target as the HE is."""
    typed = [
        "odds off",
        "call",
        "roll",
        "1 2",
        "black",
        "place at=K5",
        "1",
        "roll",
        "1 2",
        "odds on",
    ]
    _, out = sit("play", "asl/village", "--seed", 1, typed=[*typed, "convert"])
    asked = out.rpartition("German: Which Fire Mission?\n")[2]
    assert asked.startswith(
        "as it is equally likely after each order that the next fire for effect is on target, "
        "these are compared by harm:\n"
        "chance that a unit of the other side is harmed from now on, "
    )
    assert re.search(r"\n \* 1\. \S+ % \(best\) HE Concentration", asked)


def test_a_chance_that_no_sampled_play_reaches_says_so():
    figures, odds = figures_of({"fire": 0, "pass": 0}, {"fire": 1, "pass": 1})
    heading = figures.heading(odds, ["fire", "pass"])
    assert "follow: under 2 % after each of these; it happens in no play sampled" in heading


def test_c1_22_an_original_12_is_said_to_count_without_the_modifiers_of_other_rolls(sit):
    typed = ["odds off", "call", "roll", "1 2", "black", "place at=K5", "2", "roll", "6 6"]
    _, out = sit("play", "asl/village", "--seed", 1, typed=typed)
    assert "  roll for Maintenance, 6 + 6 = 12, without modifiers\n" in out


def test_sampled_chances_that_happen_to_be_the_same_are_not_called_equally_likely(monkeypatch):
    """Of sampled plays nothing follows for the orders, and an order without a figure is left out."""
    by_goal = {"fire": 40, "cancel": 40}
    for error, orders, why in (
        (5, [*by_goal], "too few plays to tell these apart by the chance that "),
        (0, [*by_goal], "as it is equally likely after each order that "),
        (0, [*by_goal, "rout"], "as it is equally likely after each order with a figure that "),
    ):
        figures, odds = figures_of(by_goal, dict.fromkeys(by_goal, error))
        harm = {"fire": GoalChance(Fraction(1, 2)), "cancel": GoalChance(Fraction(1, 5))}
        both = OrderOdds({order: {**odds.after[order], "harmed": harm[order]} for order in harm})
        monkeypatch.setattr(figures, "_weighed", lambda *_, seen=both, **__: seen)
        assert figures.odds_of(None) is both
        assert figures.heading(both, orders).startswith(f"{why}the next fire for effect is on ")


def test_an_asset_that_has_fired_is_shown_with_its_impact_alone(sit):
    """The mortar fires at the fire support team, not at the rifle platoon that is its target (7)."""
    pytest.importorskip(
        "fireplan_battlegroup_clash", reason="the game is in requirements-games.txt"
    )
    typed = ["odds off", *[""] * 11]
    _, out = sit("play", "battlegroup_clash/causeway", "--seed", 3, typed=typed)
    mortars = [line for line in out.splitlines() if line.startswith("  mortar (NATO): ")]
    ready, fired = ([line for line in mortars if word in line] for word in ("ready", "has fired"))
    assert all("aimed at" not in line and "target" not in line for line in fired)
    assert any("; landed on E12.9/N10.2" in line for line in fired)
    assert any("; target E13/N10.5" in line for line in ready)


@pytest.mark.parametrize(
    ("name", "goal"),
    [
        ("battlegroup_clash/causeway", "a unit of the other side takes a hit from now on"),
        (
            "wacht_am_rhein/crossroads",
            "a unit of the other side takes a hit or an Artillery Shift from now on",
        ),
        ("asl/village", "the next fire for effect is on target"),
    ],
)
def test_orders_are_weighed_for_harm_where_fire_lands_where_it_is_aimed(sit, name, goal):
    """In two games fire is certain to land on target, so the chance of that does not tell orders
    apart.
    """
    pytest.importorskip(
        f"fireplan_{name.partition('/')[0]}", reason="it is in requirements-games.txt"
    )
    _, out = sit("play", name, "--seed", 3)
    assert f"\nchance that {goal}, " in out


def test_7_a_second_denial_is_said_to_eliminate_the_radio_that_the_first_broke(sit):
    pytest.importorskip("fireplan_combat_commander", reason="the game is in requirements-games.txt")
    typed = ["odds off", *[""] * 13]
    _, out = sit("play", "combat_commander/lone_radio", "--seed", 1, typed=typed)
    first, broken, second = out.partition("The radio is broken by Artillery Denied (7)\n")
    assert broken
    assert first.count("Play an Artillery Denied, if one is in hand, to break the radio") == 1
    assert "Play another Artillery Denied, if one is in hand, to eliminate the broken" in second
    assert "to break the radio" not in second


def test_the_result_tells_when_fire_landed_where_fire_never_misses(sit):
    """NATO's first fire mission hits the fire support team, which is not the mortar's target."""
    pytest.importorskip(
        "fireplan_battlegroup_clash", reason="the game is in requirements-games.txt"
    )
    typed = ["odds off", *[""] * 200]
    _, out = sit("play", "battlegroup_clash/causeway", "--seed", 3, typed=typed)
    over = out.partition("The game is over")[2]
    assert "  NATO: a fire mission first landed in turn 1\n" in over
    assert "on target" not in over
