"""Dice that the seats throw together: nobody chooses them, and whoever changes them afterwards is found out."""

import hashlib
import json
import sqlite3
from collections import Counter
from fractions import Fraction

import pytest

from fireplan.errors import JournalError
from fireplan.table import ALONE, COMMIT, TELL, FairDice, begin, make_head, reopen
from fireplan.table.fair import _face
from fireplan_core import Ask
from fireplan_core.chance import ChanceError, Faces
from fireplan_core.play import Catalogue, Thrown

CATALOGUE = Catalogue.installed()
D6 = Faces("die", tuple((face, 1) for face in range(1, 7)))
CHITS = Faces("chit", (("black", 3), ("red", 1)))


def sha(text):
    return hashlib.sha256(text.encode()).hexdigest()


def secret(number):
    return f"{number:032x}"


def said(dice, secrets):
    for seat, text in secrets.items():
        dice = dice.contribute(COMMIT, seat, sha(text))
    for seat, text in secrets.items():
        dice = dice.contribute(TELL, seat, text)
    return dice


def test_the_dice_can_be_worked_out_by_anybody_with_a_sha_256():
    """The recipe of docs/studio.md, followed by hand."""
    dice = FairDice(("us", "german"), number=3)
    dice = said(dice, {"us": secret(1), "german": secret(2)})
    seed = sha(f"throw 3\ngerman={secret(2)}\nus={secret(1)}")
    by_hand = [int(sha(f"{seed} {place} 1"), 16) % 6 + 1 for place in (1, 2)]
    assert list(dice.faces((D6, D6))) == by_hand


@pytest.mark.parametrize("die", [D6, CHITS], ids=["die", "chits"])
def test_each_face_falls_as_often_as_its_weight(die):
    """Chi-squared over 6,000 throws, far within the bound that one in a million good dice would pass."""
    total = sum(weight for _, weight in die.weights)
    fallen = Counter(_face(die, f"{sha('seed')} {n}") for n in range(6000))
    expected = {face: Fraction(6000 * weight, total) for face, weight in die.weights}
    assert sum((fallen[face] - many) ** 2 / many for face, many in expected.items()) < 35


def test_one_honest_secret_is_enough_to_change_the_dice():
    fallen = Counter()
    for number in range(600):
        dice = FairDice(("us", "german"))
        dice = said(dice, {"us": secret(7), "german": secret(1000 + number)})
        fallen[dice.faces((D6,))[0]] += 1
    assert all(60 <= fallen[face] <= 140 for face in range(1, 7))


REFUSED = [
    ("tells before it committed", [], (TELL, "us", secret(1))),
    ("tells before all committed", [(COMMIT, "us", sha(secret(1)))], (TELL, "us", secret(1))),
    ("commits twice", [(COMMIT, "us", sha(secret(1)))], (COMMIT, "us", sha(secret(2)))),
    (
        "commits as another did",
        [(COMMIT, "us", sha(secret(1)))],
        (COMMIT, "german", sha(secret(1))),
    ),
    ("is no seat", [], (COMMIT, "referee", sha(secret(1)))),
    ("commits to no digest", [], (COMMIT, "us", "x" * 64)),
    ("commits to a short digest", [], (COMMIT, "us", "0" * 63)),
    ("commits to no text", [], (COMMIT, "us", 5)),
]
BOTH = [(COMMIT, "us", sha(secret(1))), (COMMIT, "german", sha(secret(2)))]
REFUSED += [
    ("tells another secret", BOTH, (TELL, "us", secret(3))),
    ("tells the other's secret", BOTH, (TELL, "us", secret(2))),
    ("tells a short secret", BOTH, (TELL, "us", "1")),
    ("tells twice", [*BOTH, (TELL, "us", secret(1))], (TELL, "us", secret(1))),
    ("commits after all committed", BOTH, (COMMIT, "german", sha(secret(4)))),
    ("throws alone before anybody told", BOTH, (ALONE, "us", "")),
    (
        "throws alone and holds its secret back",
        [*BOTH, (TELL, "german", secret(2))],
        (ALONE, "us", ""),
    ),
    ("throws alone before all committed", BOTH[:1], (ALONE, "us", "")),
    ("throws alone for a word", [*BOTH, (TELL, "us", secret(1))], (ALONE, "us", "x")),
]
ONE_ALONE = [*BOTH, (TELL, "us", secret(1)), (ALONE, "us", "")]
REFUSED += [
    ("tells when the other throws alone", ONE_ALONE, (TELL, "german", secret(2))),
    ("throws alone twice", ONE_ALONE, (ALONE, "us", "")),
]


@pytest.mark.parametrize(
    ("before", "wrong"), [each[1:] for each in REFUSED], ids=[each[0] for each in REFUSED]
)
def test_what_a_seat_cannot_say_is_refused(before, wrong):
    dice = FairDice(("us", "german"))
    for step in before:
        dice = dice.contribute(*step)
    with pytest.raises(JournalError):
        dice.contribute(*wrong)


@pytest.fixture
def played(tmp_path):
    """A table of two sides at its first throw, which the seats throw together."""
    file = tmp_path / "x.journal"
    session = begin(
        file, CATALOGUE, make_head(CATALOGUE, "miniatures_1943/hedgerow_farm", None, {})
    )
    while isinstance(session.table.waits_for, Ask):
        session.order(
            session.table.rulebook.answer(session.table.waits_for, {}, session.table.read)
        )
    session.throw_together()
    return session, file


def throw(session, first=1):
    """Throw once; returns the rows of it."""
    seats, before = session.fair.seats, len(session.rows)
    for number, seat in enumerate(seats, start=first):
        session.contribute(COMMIT, seat, sha(secret(number)))
    for number, seat in enumerate(seats, start=first):
        session.contribute(TELL, seat, secret(number))
    return session.rows[before:]


def test_dice_are_neither_typed_nor_rolled_any_more(played):
    session, _ = played
    face = session.die.weights[0][0]
    for typed in (True, False):
        with pytest.raises(ChanceError, match="together"):
            session.face(face, typed=typed)


def test_the_last_secret_makes_the_dice_fall_and_the_journal_plays_them_again(played):
    session, file = played
    wanted = len(session.table.waits_for.faces)
    rows = throw(session)
    assert [row.kind for row in rows] == ["commit", "commit", "tell", "tell"] + ["die"] * wanted
    assert session.fair.thrown[0].faces == tuple(row.payload["face"] for row in rows[4:])
    session.journal.close()
    again, _ = reopen(file, CATALOGUE)
    assert again.fair == session.fair
    assert again.differs == ""
    assert again.table.state == session.table.state
    again.journal.close()


def test_no_throw_of_the_seats_is_taken_back_nor_what_led_to_one_once_a_secret_is_told(played):
    session, _ = played
    us, german = session.fair.seats
    throw(session)
    assert isinstance(session.history.standing[-1].move.given, Thrown)
    assert session.last is None
    with pytest.raises(JournalError, match="cannot be taken back"):
        session.undo()
    while isinstance(session.table.waits_for, Ask):
        session.order(
            session.table.rulebook.answer(session.table.waits_for, {}, session.table.read)
        )
    session.contribute(COMMIT, us, sha(secret(1)))
    session.contribute(COMMIT, german, sha(secret(2)))
    session.contribute(TELL, us, secret(1))
    assert session.last is None
    with pytest.raises(JournalError, match="cannot be taken back"):
        session.undo()


def test_a_throw_of_one_seat_alone_is_kept_with_who_held_its_secret_back(played):
    session, file = played
    us, german = session.fair.seats
    for number, seat in enumerate(session.fair.seats, start=1):
        session.contribute(COMMIT, seat, sha(secret(number)))
    session.contribute(TELL, us, secret(1))
    assert session.fair.late == (german,)
    session.contribute(ALONE, us, "")
    first, *rest = [(die.weights[0][0], True) for die in session.table.waits_for.faces]
    session.throw([first])
    session.journal.close()
    session, _ = reopen(file, CATALOGUE)
    assert [session.fair.step(seat) for seat in (us, german)] == (
        ["", "wait"] if rest else ["commit", "commit"]
    )
    if rest:
        session.throw(rest)
    (thrown,) = session.fair.thrown
    assert (set(thrown.commitments) - set(thrown.secrets), thrown.faces) == (
        {german},
        tuple(face for face, _ in [first, *rest]),
    )
    assert session.fair.number == 2
    with pytest.raises(JournalError, match="cannot be taken back"):
        session.undo()
    session.journal.close()
    again, _ = reopen(file, CATALOGUE)
    assert (again.fair, again.differs) == (session.fair, "")
    again.journal.close()


def test_after_a_crash_between_the_last_secret_and_the_dice_the_same_dice_fall(played, monkeypatch):
    session, file = played
    with monkeypatch.context() as patched:
        patched.setattr(session, "settle", lambda: None)
        throw(session)
    session.journal.close()
    again, _ = reopen(file, CATALOGUE)
    assert again.fair.all_revealed
    expected = again.fair.faces(again.table.waits_for.faces)
    again.settle()
    assert again.fair.thrown[0].faces == expected
    again.journal.close()


def test_what_the_last_seat_told_is_taken_though_somebody_else_made_the_dice_fall(
    played, monkeypatch
):
    """Another server opens the table after the secret was written, and before its dice are."""
    session, file = played
    settle = session.settle

    def overtaken():
        other, _ = reopen(file, CATALOGUE)
        other.settle()
        other.journal.close()
        settle()

    with monkeypatch.context() as patched:
        patched.setattr(session, "settle", overtaken)
        throw(session)
    assert session.journal.outrun
    again, _ = reopen(file, CATALOGUE)
    assert [row.kind for row in again.rows].count("tell") == 2
    assert len(again.fair.thrown) == 1
    for each in (session, again):
        each.journal.close()


def test_what_the_last_seat_told_is_taken_though_the_dice_cannot_be_written_and_they_fall_later(
    played, monkeypatch
):
    session, _ = played
    append = session.journal.append

    def full(*rows):
        if rows[0].kind == "die":
            raise JournalError("the disk is full")
        append(*rows)

    with monkeypatch.context() as patched:
        patched.setattr(session.journal, "append", full)
        throw(session)
    assert (session.fair.all_revealed, session.faces, session.fair.thrown) == (True, (), ())
    session.settle()
    assert len(session.fair.thrown) == 1
    session.journal.close()


def chained(file, change):
    """Change the rows of a journal and make its chain of hashes fit again, as whoever keeps the file can."""
    connection = sqlite3.connect(file)
    (last,) = connection.execute("SELECT hash FROM head").fetchone()
    rows = connection.execute(
        "SELECT seq, kind, payload, after FROM inputs ORDER BY seq"
    ).fetchall()
    for seq, kind, text, after in rows:
        payload = change(seq, kind, json.loads(text))
        written = (
            text if payload is None else json.dumps(payload, sort_keys=True, ensure_ascii=False)
        )
        last = hashlib.sha256(f"{last}\n{kind}\n{written}\n{after}".encode()).hexdigest()
        connection.execute(
            "UPDATE inputs SET payload = ?, hash = ? WHERE seq = ?", (written, last, seq)
        )
    connection.execute("UPDATE acknowledged SET hash = ?", (last,))
    connection.commit()
    connection.close()


def forged(wanted, **changed):
    """A change of the first row of a kind."""
    done = []

    def change(_seq, kind, payload):
        if kind == wanted and not done:
            done.append(payload)
            return {**payload, **changed}
        return None

    return change


@pytest.mark.parametrize("kind", ["commit", "tell", "die"])
def test_whoever_keeps_the_journal_cannot_change_a_throw_in_it(played, kind):
    session, file = played
    rows = throw(session)
    session.journal.close()
    chained(file, lambda *_: None)
    reopen(file, CATALOGUE)[0].journal.close()
    die = next(row for row in rows if row.kind == "die").payload["face"]
    other = next(face for face, _ in D6.weights if face != die)
    value = {
        "commit": {"value": sha(secret(9))},
        "tell": {"value": secret(9)},
        "die": {"face": other},
    }[kind]
    chained(file, forged(kind, **value))
    with pytest.raises(JournalError, match="throw 1"):
        reopen(file, CATALOGUE)
