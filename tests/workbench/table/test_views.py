"""Views, secrets and sealed records, in the null game with its battery hidden from the other side until fire falls."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import attrs
import pytest
from chained import chained, objects
from null_setup import staged

from fireplan.errors import InputError, JournalError
from fireplan.solver import Compiler, StateGoal, StateValues, falls_of
from fireplan.table import (
    Head,
    Journal,
    Session,
    Viewer,
    Visibility,
    as_data,
    begin,
    believed,
    commitments,
    make_head,
    sealed,
    seals,
    side_name,
    verify,
    view_of,
)
from fireplan_core import REFEREE, Form, Order, Refusal, SecretNote, Severity, Slot, Stage
from fireplan_core.play import Catalogue

sys.path.insert(0, str(Path(__file__).parent))
from test_journal import MOMENTS, play_some


@pytest.fixture
def path(tmp_path):
    return tmp_path / "table.fireplan"


@pytest.fixture
def secretive():
    """Return the null game with its battery hidden, its questions secret and an aim sealed."""
    found = staged()
    delays = vars(found.parts.delays)
    delays["hides"] = lambda _scenario, name, _side: name == "a"
    shown = ("fall", "lingering", "ended")
    delays["shows"] = lambda _scenario, event, _side: (
        event if event.kind in (*shown, "suffered") else None
    )
    aim = found.questions["requests.aim"]

    def offers(view, m):
        forms = aim.offers(view, m)
        return tuple(
            attrs.evolve(f, slots=tuple(attrs.evolve(s, secret=True) for s in f.slots))
            for f in forms
        )

    questions = {
        "requests.ask": attrs.evolve(found.questions["requests.ask"], secret=True),
        "requests.aim": attrs.evolve(aim, secret=True, offers=offers),
    }
    return attrs.evolve(found, questions=questions)


def give(session, *inputs):
    for given in inputs:
        if isinstance(given, int):
            session.face(given, typed=True)
        else:
            assert isinstance(session.order(given), tuple)


ASK, CONVERT = Order.of("ask"), Order.of("convert")


def aimed(session, at=None):
    return Order.of("aim", at=session.scenario.centre if at is None else at)


def test_the_owner_sees_his_battery_and_the_other_side_nothing_of_it(secretive):
    session = Session(secretive, MOMENTS)
    give(session, ASK, 5, aimed(session), 1)
    own, other = view_of(session, "firer"), view_of(session, "target")
    assert [asset.stage for asset in own.situation.assets] == ["spotting"]
    assert own.situation.assets[0].target.label == own.situation.assets[0].aim.label
    assert other.situation.assets == ()
    assert [line.kind for line in other.log] == ["roll", "roll"]
    assert other.form.kind == "dice"
    seen = json.dumps(as_data(other))
    # The log shows neither the battery, nor its target, nor the order.
    assert not any(word in seen for word in ("spotting", "requested", '"aim at', "ask"))
    assert {unit.name for unit in other.situation.units} == {
        unit.name for unit in own.situation.units
    }


def test_a_hidden_asset_appears_under_a_neutral_name_and_disappears(secretive):
    session = Session(secretive, MOMENTS)
    give(session, ASK, 5, aimed(session), 1, 5, CONVERT, 1, 1)
    view = view_of(session, "target")
    (asset,) = view.situation.assets
    assert (asset.name, asset.stage, asset.target) == ("Firer #1", "falling", None)
    assert asset.impact is not None
    assert len(asset.area) == 7
    assert any(
        line.text.startswith("Fire for effect lands on") and line.cite == "N4" for line in view.log
    )
    while "a" in Viewer(session, "target").known.names:
        play_some(session, 1)
    assert Viewer(session, "target").situation().assets == ()


def test_only_the_own_side_learns_how_far_a_round_missed():
    # Nothing is hidden except where each side wants its fire (AssetSeen).
    session = Session(staged(), MOMENTS)
    give(session, ASK, 5, aimed(session), 1, 5, CONVERT, 1, 1)
    told = {}
    for side in ("firer", "target", REFEREE):
        texts = [line.text for line in view_of(session, side).log]
        kinds = ("A spotting round lands on", "Fire for effect lands on")
        told[side] = [next(text for text in texts if text.startswith(kind)) for kind in kinds]
    for side in ("firer", REFEREE):
        assert "on the target" in told[side][0]
        assert ": on target, no friendly troops under it" in told[side][1]
    for text in told["target"]:
        assert text.partition(" lands on ")[2] == "A0"


def test_a_side_that_is_not_asked_may_give_nothing_and_learns_nothing(secretive):
    session = Session(secretive, MOMENTS)
    viewer = Viewer(session, "target")
    assert viewer.form() == Viewer(session, "nobody").form()
    assert (viewer.form().kind, viewer.form().who) == ("wait", "")
    assert viewer.give(ASK) == Refusal("", "this side has no order to give now")
    with pytest.raises(InputError):
        viewer.read_order("ask")
    assert session.rows == []
    assert Viewer(session, "firer").give(ASK) is None


def test_states_with_different_secrets_look_the_same_and_have_the_same_odds(secretive):
    views, odds = set(), set()
    for inputs in ((ASK, 5, "aim", 1), (ASK, 5, "cancel", None)):
        session = Session(secretive, MOMENTS)
        for given in inputs:
            if given == "aim":
                give(session, aimed(session))
            elif given == "cancel":
                give(session, Order.of("cancel"))
            elif given is not None:
                give(session, given)
        viewer = Viewer(session, "target")
        views.add(json.dumps(as_data(viewer.situation())))
        known, state = believed(secretive, session.table.state, viewer.eyes, viewer.known.names)
        assert state.values["missions/a/stage"] is Stage.ENDED
        falls = StateGoal(falls_of(frozenset({"a"})), frozenset({True, False}))
        values = StateValues(Compiler(known), [falls], MOMENTS, 1000)
        odds.add((values(state), values.whole))
    assert len(views) == 1
    assert odds == {((0,), True)}


def test_the_referee_sees_all_and_so_does_everybody_after_the_reveal(secretive):
    session = Session(secretive, MOMENTS)
    give(session, ASK, 5, aimed(session), 1)
    assert view_of(session, REFEREE).situation == view_of(session, "firer").situation
    session.reveal()
    assert view_of(session, "target").situation == view_of(session, REFEREE).situation
    assert view_of(session, "target").log == view_of(session, REFEREE).log


def test_no_view_holds_the_hash_chain(secretive, path):
    session = Session(secretive, MOMENTS, Journal.create(path, {}))
    give(session, ASK, 5)
    session.journal.close()
    hashes = [json.loads(line)["hash"] for line in path.read_text().splitlines()]
    assert len(hashes) == 3
    for side in ("firer", "target", REFEREE):
        text = json.dumps(as_data(view_of(session, side)))
        assert not any(hash_ in text for hash_ in hashes)


# --- undo after a secret was shown ------------------------------------------------------------------
def test_an_order_that_showed_a_secret_is_taken_back_visibly(secretive):
    session = Session(secretive, MOMENTS)
    give(session, ASK, 5, aimed(session), 1, 5)
    assert session.undo().startswith("taken back")
    give(session, 5, CONVERT)
    # After the conversion fire falls, which shows the battery to the other side; no die was rolled.
    assert session.undo().startswith("taken back")
    assert session.history.story[-1].taken_back
    assert session.history.story[-1].given.order == CONVERT
    # In the open game nobody learns anything new from the order.
    plain = Session(staged(), MOMENTS)
    give(plain, ASK, 5, aimed(plain), 1, 5, CONVERT)
    assert plain.undo().startswith("undone")


def test_after_everything_was_revealed_every_undo_is_logged(secretive):
    session = Session(secretive, MOMENTS)
    give(session, ASK)
    session.reveal()
    assert session.undo().startswith("taken back")


# --- sealed records -----------------------------------------------------------------------------------
def test_a_secret_value_is_sealed_and_verified_by_its_commitment(secretive, path):
    session = Session(secretive, MOMENTS, Journal.create(path, {}))
    give(session, ASK, 5, aimed(session))
    before = [str(line) for line in view_of(session, "target").log]
    label = secretive.frame.label(secretive.centre)
    assert commitments(before) == 1
    assert not any(f"at={label}" in line for line in before)
    assert verify(before, before).faults
    again = Session(secretive, MOMENTS, Journal.open(path))
    assert [told.seals for told in again.history.story] == [
        told.seals for told in session.history.story
    ]
    session.reveal()
    after = [str(line) for line in view_of(session, "target").log]
    assert any(f"at={label} [salt " in line for line in after)
    assert not verify(before, after).faults
    assert verify(before, after).matched == (f"the Firer player, aim in moment 1: at={label}",)
    # A different hex in place of the sealed one is noticed, with the same salt or a new one.
    forged = [line.replace(f"at={label}", "at=A1") for line in after]
    assert "differs from what was sealed" in verify(before, forged).faults[0]
    other = [str(sealed(SecretNote("firer", "aim in moment 1", "at=A1"), "00" * 16))]
    assert "has another seal in its place" in verify(before, other).faults[-1]


def test_an_open_order_with_a_secret_value_hides_only_the_value(secretive):
    aim = attrs.evolve(secretive.questions["requests.aim"], secret=False)
    session = Session(
        attrs.evolve(secretive, questions={**secretive.questions, "requests.aim": aim}), MOMENTS
    )
    give(session, ASK, 5, aimed(session))
    label = secretive.frame.label(secretive.centre)
    assert [line.text for line in view_of(session, "target").log if line.kind == "order"] == [
        "Firer: aim at=sealed"
    ]
    assert f"Firer: Fire a round there at {label}" in [
        line.text for line in view_of(session, "firer").log
    ]


@pytest.mark.parametrize("side", ["german", "US, 1st Army", "x: y", "a, b: c"])
@pytest.mark.parametrize("what", ["hexes of a", "aim: first, turn 1", "chits, 3: all"])
def test_names_may_hold_the_marks_that_part_a_sealed_line(side, what):
    laid = sealed(SecretNote(side, what, "K5: north, then K6"), "00ff")
    assert not verify([laid.closed], [str(laid)]).faults
    forged = str(laid).replace("K6", "K7")
    assert "differs from what was sealed" in verify([laid.closed], [forged]).faults[0]
    renamed = laid.closed.replace(side_name(side), "British")
    assert (
        f"it was opened as the {side_name(side)} player, {what}"
        in verify([renamed], [str(laid)]).faults[0]
    )


LAID = sealed(SecretNote("german", "hexes of a", "K5"), "00ff")
FORGED = sealed(SecretNote("german", "hexes of a", "K9"), "00aa")
CLOSED = ["turn 1  " + LAID.closed, "other line"]


@pytest.mark.parametrize(
    ("before", "after", "fault"),
    [
        (CLOSED, [str(LAID).replace("K5", "K9"), *["-"] * 200, str(LAID)], "opens it 2 times"),
        (CLOSED, [str(LAID), str(FORGED)], "opened, but the earlier text does not seal it"),
        (CLOSED, [str(LAID), str(LAID)], "opens it 2 times"),
        ([*CLOSED, LAID.closed], [str(LAID)], "seals it 2 times"),
        ([LAID.closed[:-1]], [str(LAID)], "line 1 of the earlier text: a seal that cannot be read"),
        (CLOSED, [str(LAID), str(FORGED)[:-1]], "line 2 of the later text: a seal that cannot be"),
        (CLOSED, [LAID.closed], "does not open it"),
    ],
    ids=["forged above", "added", "twice", "sealed twice", "cut before", "cut after", "closed"],
)
def test_doctored_texts_do_not_pass(before, after, fault):
    assert not verify(CLOSED, [str(LAID)]).faults
    assert any(fault in line for line in verify(before, after).faults)


def test_a_seal_names_the_player_and_seals_of_older_exports_can_still_be_verified():
    assert LAID.closed.startswith("sealed by the German player, hexes of a: commitment ")
    older = [
        (
            str(LAID).replace("the German player", side),
            LAID.closed.replace("the German player", side),
        )
        for side in ("German", "german")
    ]
    for opened, closed in older:
        assert verify([closed], [opened]) == verify(CLOSED, [str(LAID)])
        assert verify(CLOSED, [opened]).matched == ("the German player, hexes of a: K5",)


def test_a_salt_hides_which_of_few_values_was_sealed():
    record = SecretNote("x", "hexes", "K5")
    assert sealed(record, "aa").commitment != sealed(record, "bb").commitment
    assert sealed(record, "aa").commitment == sealed(record, "aa").commitment
    assert sealed(record, "aa").sound
    assert not attrs.evolve(sealed(record, "aa"), record=SecretNote("x", "hexes", "K6")).sound


def test_a_side_reads_only_what_it_has_learnt_about_a_unit(secretive):
    delays = secretive.parts.delays
    session = Session(secretive, MOMENTS)
    play_some(session, 40)
    worst = {unit.name: unit.severity for unit in view_of(session, "referee").situation.units}
    assert {
        unit.name: unit.severity for unit in view_of(session, "target").situation.units
    } == worst
    assert set(worst.values()) != {"none"}

    def milder(_scenario, event, _side):
        fields = tuple(
            (name, Severity.SUPPRESSED if name == "severity" else value)
            for name, value in event.fields
        )
        return attrs.evolve(event, fields=fields)

    vars(delays)["shows"] = milder
    assert {unit.severity for unit in view_of(session, "target").situation.units} <= {
        "none",
        "suppressed",
    }


def test_facts_shown_by_dice_that_were_taken_back_are_unknown_again(secretive):
    session = Session(secretive, MOMENTS)
    give(session, ASK, 5, aimed(session), 1, 5)
    asked = session.table.waits_for
    give(session, CONVERT, 1, 1)
    assert Viewer(session, "target").known.names == {"a": "Firer #1"}
    while session.table.waits_for != asked:
        session.undo()
    assert Viewer(session, "target").known.names == {}


def test_after_a_take_back_new_orders_are_free_again():
    session = Session(staged(), MOMENTS)
    give(session, ASK, 5)
    assert [session.undo().split(":")[0] for _ in range(2)] == [
        "taken back, which the log notes"
    ] * 2
    give(session, ASK)
    assert session.undo().startswith("undone")


def test_no_side_hears_questions_to_the_referee():
    heard = {
        side: Visibility(staged(), side).hears(REFEREE, "requests.ask")
        for side in ("firer", "target", REFEREE)
    }
    assert heard == {"firer": False, "target": False, REFEREE: True}


def test_pending_steps_of_a_hidden_asset_are_not_in_a_sides_belief(secretive):
    session = Session(secretive, MOMENTS)
    give(session, ASK)
    state = session.table.state
    assert any("a" in pending.args for pending in state.agenda)
    _, thought = believed(secretive, state, Visibility(secretive, "target"), ())
    assert not any("a" in pending.args for pending in thought.agenda)
    assert believed(secretive, state, Visibility(secretive, "target"), ("a",))[1] is state


# --- journals of others -------------------------------------------------------------------------------
def rehashed(path, change):
    """Change a journal's rows and recompute its hashes."""
    head, *rows = objects(path.read_bytes())
    path.write_bytes(chained([head, *change(rows)]))


@pytest.mark.parametrize(
    "row",
    [
        {"kind": "order"},
        {"kind": "order", "question": "requests.ask", "verb": "shoot", "values": {}},
        {"kind": "order", "question": [], "verb": {}, "values": 1},
        {"kind": "die", "throw": "reach", "face": 3, "typed": True},
        {"kind": "undo", "inputs": "x"},
        {"kind": "undo", "inputs": 3},
        {"kind": "song"},
        {"kind": None},
    ],
)
def test_rows_that_no_table_wrote_are_refused(path, row):
    session = Session(staged(), MOMENTS, Journal.create(path, {}))
    give(session, ASK)
    session.journal.close()
    rehashed(path, lambda rows: [{**row, "after": ""}])
    with pytest.raises(JournalError, match="input 1"):
        Session(staged(), MOMENTS, Journal.open(path))


def test_a_die_that_cannot_fall_is_refused(path):
    session = Session(staged(), MOMENTS, Journal.create(path, {}))
    give(session, ASK, 5)
    session.journal.close()
    rehashed(path, lambda rows: [rows[0], {**rows[1], "face": 9}])
    with pytest.raises(JournalError, match=r"input 2 .*a die shows"):
        Session(staged(), MOMENTS, Journal.open(path))


def test_the_sound_part_before_a_broken_input_can_be_salvaged(path, tmp_path):
    session = Session(staged(), MOMENTS, Journal.create(path, {"title": "x"}))
    play_some(session, 8)
    session.journal.close()
    lines = path.read_bytes().splitlines(keepends=True)
    lines[6] = lines[6].replace(b"{", b"", 1)
    path.write_bytes(b"".join(lines))
    with pytest.raises(
        JournalError, match=r"input 6 .*'fireplan salvage' can save 5 earlier inputs"
    ):
        Journal.open(path)
    saved, wrong = Journal.salvage(path, tmp_path / "new.fireplan")
    assert (len(saved.rows), saved.head) == (5, {"title": "x"})
    assert "input 6" in wrong
    assert Session(staged(), MOMENTS, saved).table.log


def test_slots_and_questions_are_open_by_default():
    assert not Slot("at", "where", ()).secret
    assert Form("x", "N1", summary="y").slots == ()
    assert not any(Visibility(staged(), side).veiled for side in ("firer", "target"))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("options", [1]),
        ("options", {"a": [1]}),
        ("charts", "x"),
        ("charts", {"a": 1}),
        ("seals", "ab"),
        ("seals", [["only a salt"]]),
        ("seals", [[1, 2]]),
        ("moments", "6"),
        ("moments", True),
        ("moments", -1),
        ("edition", 3),
        ("shipped", "yes"),
        ("kind", ["scenario"]),
        ("text", None),
        ("song", ""),
    ],
)
def test_a_head_that_no_table_wrote_is_refused(field, value):
    head = Head(
        kind="scenario",
        name="first",
        text='game = "null"',
        game="null",
        moments=6,
        seals=(("00", "ff"),),
    )
    assert Head.of_data(json.loads(json.dumps(head.data()))) == head
    with pytest.raises(InputError, match="does not describe a game"):
        Head.of_data({**head.data(), field: value})


@pytest.mark.parametrize(
    "error", [IndexError("no such place"), ZeroDivisionError("by nothing"), KeyError("gone")]
)
def test_a_journal_that_makes_other_rules_fail_does_not_fit_them(path, error):
    session = Session(staged(), MOMENTS, Journal.create(path, {}))
    give(session, ASK)
    session.journal.close()

    def stumbles(*_):
        raise error

    other = staged()
    asked = attrs.evolve(other.questions["requests.ask"], offers=stumbles)
    with pytest.raises(JournalError, match="input 1 does not fit the present rules"):
        Session(
            attrs.evolve(other, questions={**other.questions, "requests.ask": asked}),
            MOMENTS,
            Journal.open(path),
        )


DISGUISES = [
    ("sealed by", "sealed  by"),
    ("sealed by", "Sealed by"),
    ("sealed by", "sealed\u00a0by"),
    ("sealed by", "sea\u200bled by"),
    ("sealed by", "s\u0435aled by"),
    ("commitment ", "commitment  "),
    (LAID.commitment, LAID.commitment[:9] + "\u200b" + LAID.commitment[9:]),
    (LAID.commitment, LAID.commitment.translate({ord("a"): "\u0430", ord("e"): "\u0435"})),
]


@pytest.mark.parametrize(("letters", "disguise"), DISGUISES)
def test_a_forged_seal_that_readers_take_for_a_seal_is_a_fault(letters, disguise):
    """The forged seal is near the top, where people read; the genuine one is 200 lines lower."""
    forged = str(LAID).replace("K5", "K9").replace(letters, disguise)
    found = verify(CLOSED, [forged, *["other line"] * 200, str(LAID)])
    assert len(found.faults) == 1
    assert "line 1 of the later text: a seal that cannot be read" in found.faults[0]
    assert commitments([forged, "other line"]) == 1


def test_a_line_made_to_cost_time_is_refused_in_bounded_work(monkeypatch):
    tried = []
    made = seals.commitment
    monkeypatch.setattr(seals, "commitment", lambda *given: tried.append(1) or made(*given))
    end = f" [salt 00] commitment {LAID.commitment}"
    splits = "sealed by " + ", : " * 2000 + end
    assert "differs from what was sealed" in verify(CLOSED, [splits]).faults[0]
    assert len(tried) <= seals.TRIES
    for part in ("sealed by ", " [salt 00] ", ": commitment "):
        assert "cannot be read" in verify(CLOSED, ["sealed by " + part * 100_000 + end]).faults[0]


@pytest.mark.parametrize(
    ("side", "known"), [("red", ["hand", "pile"]), ("blue", ["pile"]), (REFEREE, ["hand", "pile"])]
)
def test_a_side_knows_only_its_own_hand_and_open_piles(side, known):
    scenario = SimpleNamespace(hands={("deck", "hand"): "red"})
    out = [("deck", "hand", "ace", 1), ("deck", "pile", "ace", 1)]
    assert [place for _, place, *_ in Visibility(scenario, side).cards(out)] == known


def test_both_sides_see_a_counter_except_its_secret_fields(tmp_path, monkeypatch):
    """A counter shows its steps to both sides; if they were secret, only its own side would see
    them.
    """
    catalogue = Catalogue.installed()
    session = begin(
        tmp_path / "a.journal",
        catalogue,
        make_head(catalogue, "wacht_am_rhein/crossroads", None, {}),
    )

    def told(side):
        return {unit.name: unit.details for unit in view_of(session, side).situation.units}

    assert told("US") == told("GE")
    assert told("US")["I-77"] == ("2 steps",)
    kept = {"units/I-77/resolution/steps": 0}
    monkeypatch.setattr(
        type(session.scenario), "assumed_by", lambda _self, side: kept if side == "US" else {}
    )
    assert told("US")["I-77"] == ()
    assert told("US")["I-110"] == told("GE")["I-110"]
    assert told("GE")["I-77"] == ("2 steps",)
    session.journal.close()


def test_a_heading_counts_the_moments_until_nothing_is_pending(tmp_path):
    """Play of this mission can end before its last fire phase."""
    catalogue = Catalogue.installed()
    head = make_head(catalogue, "asl/village", None, {})
    session = begin(tmp_path / "a.journal", catalogue, head)
    assert view_of(session, REFEREE).heading == "fire phase 1 of 12: turn 1 PFPh"
    play_some(session, 1000)
    assert view_of(session, "german").heading == "at the end"
