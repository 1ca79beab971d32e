"""Dice between the seats by forms alone: a secret made elsewhere is typed in, and nothing else makes dice fall."""

import hashlib
import re

import pytest

from fireplan.table import Session, begin, make_head
from fireplan_core import Ask
from fireplan_core.play import Catalogue
from fireplan_studio import Settings, studio

from .conftest import PORT, Visitor

SECRETS = {"american": "a" * 32, "german": "b" * 32}


@pytest.fixture
def seats(tmp_path):
    """Says something for a seat of a table that is at a throw: returns the answer and the page of the seat."""
    installed = Catalogue.installed()
    session = begin(
        tmp_path / "x.journal",
        installed,
        make_head(installed, "miniatures_1943/hedgerow_farm", None, {}),
    )
    while isinstance(session.table.waits_for, Ask):
        session.order(
            session.table.rulebook.answer(session.table.waits_for, {}, session.table.read)
        )
    session.journal.close()
    visitor = Visitor(studio(Settings(port=PORT, tables=tmp_path)))

    def say(side, kind, value="", key="value"):
        seat = f"/tables/x/seat/{side}"
        seen = re.search('name="seen" value="([^"]+)"', visitor.get(seat).text)
        form = f"seen={seen[1] if seen else ''}&{key}={value}".encode()
        return visitor.post(f"{seat}/{kind}", form).status, visitor.get(seat)

    yield say
    visitor.close()


def sha(text):
    return hashlib.sha256(text.encode()).hexdigest()


def test_two_seats_throw_by_forms_alone(seats):
    status, page = seats("german", "together")
    assert status == 303
    assert "If left empty, this browser makes a secret" in page.text
    for side, secret in SECRETS.items():
        status, page = seats(side, "commit", sha(secret))
        assert status == 303
    assert sha(SECRETS["american"]) in page.text, (
        "what the other committed to is seen before anything is told"
    )
    status, page = seats("american", "tell", SECRETS["american"])
    assert status == 303
    assert page.headers["refresh"].endswith("url=/tables/x/seat/american")
    status, page = seats("german", "tell", SECRETS["german"])
    assert status == 303
    assert "Shared dice (1 thrown)" in page.text
    assert all(secret in page.text for secret in SECRETS.values())


def test_dice_that_could_not_be_written_fall_when_the_table_is_looked_at_again(seats, monkeypatch):
    seats("german", "together")
    for side, secret in SECRETS.items():
        seats(side, "commit", sha(secret))
    seats("american", "tell", SECRETS["american"])
    with monkeypatch.context() as patched:
        patched.setattr(Session, "settle", lambda _session: None)
        status, page = seats("german", "tell", SECRETS["german"])
    assert (status, "1 thrown" in page.text) == (303, False)
    assert "Shared dice (1 thrown)" in seats("german", "song")[1].text


def test_a_secret_is_shown_to_nobody_before_all_have_committed(seats):
    seats("german", "together")
    seats("german", "commit", sha(SECRETS["german"]))
    assert seats("german", "tell", SECRETS["german"])[0] == 409, "its page has no such form"
    assert seats("american", "tell", SECRETS["german"])[0] == 422
    assert SECRETS["german"] not in seats("american", "commit", "x")[1].text


@pytest.mark.parametrize(
    ("side", "kind", "value"),
    [
        ("german", "dice", ""),
        ("german", "commit", ""),
        ("german", "commit", "z" * 64),
        ("referee", "commit", "0" * 64),
        ("referee", "together", ""),
        ("german", "together", ""),
    ],
)
def test_what_is_no_part_of_such_a_throw_is_refused(seats, side, kind, value):
    seats("german", "together")
    assert seats(side, kind, value, key="die0" if kind == "dice" else "value")[0] in (409, 422)


def test_a_seat_that_holds_its_secret_back_is_named_and_after_ten_minutes_the_other_throws_alone(
    seats, monkeypatch
):
    clock = [5000.0]
    monkeypatch.setattr("fireplan_studio.sessions.monotonic", lambda: clock[0])
    seats("german", "together")
    for side, secret in SECRETS.items():
        seats(side, "commit", sha(secret))
    status, page = seats("american", "tell", SECRETS["american"])
    assert "Not disclosed: the secret of german." in page.text
    for later in (0, 599, -4000, 600):
        clock[0] = 5000.0 + later
        status, page = seats("american", "alone")
        assert status in (409, 422)
        assert 'american/alone"' not in page.text
    clock[0] = 5000.0 + 601
    assert seats("german", "alone")[0] == 422, "it is told that it has no such right"
    status, page = seats("american", "alone")
    assert status == 303
    assert 'american/dice"' in page.text
    status, page = seats("german", "tell", SECRETS["german"])
    assert status in (409, 422), "it is too late"
    assert "american throws these dice alone" in page.text
    assert seats("german", "dice", "", key="die0")[0] in (409, 422)
    dice = len(re.findall('<select name="die', seats("american", "song")[1].text))
    status, page = seats(
        "american", "dice", "&".join(["", *(f"die{n}=" for n in range(1, dice))]), key="die0"
    )
    assert status == 303
    assert "without the secret of german, who withheld it" in page.text


def test_a_secret_that_comes_late_is_as_good_as_any_until_the_other_throws_alone(
    seats, monkeypatch
):
    clock = [0.0]
    monkeypatch.setattr("fireplan_studio.sessions.monotonic", lambda: clock[0])
    seats("german", "together")
    for side, secret in SECRETS.items():
        seats(side, "commit", sha(secret))
    seats("american", "tell", SECRETS["american"])
    clock[0] = 100_000.0
    assert 'american/alone"' in seats("american", "song")[1].text
    status, page = seats("german", "tell", SECRETS["german"])
    assert status == 303
    assert "Shared dice (1 thrown)" in page.text
    assert "withheld it" not in page.text


def test_the_referee_begins_no_dice_between_the_seats(seats):
    assert seats("referee", "together")[0] == 422
