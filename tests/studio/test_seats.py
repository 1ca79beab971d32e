"""Seats of a studio that others are let into: each is taken by its link, and by nothing else."""

import os
import re
import stat

import pytest

from fireplan_studio import Settings, studio
from fireplan_studio.sessions import Seats

from .conftest import HOST, PORT, Visitor, own_page

TOKEN = "sesame-42"  # noqa: S105 - what else would a test use
SIDES = ("german", "american", "referee")


class Player:
    """A browser: it keeps cookies by their path, as browsers do."""

    def __init__(self, visitor):
        self.visitor = visitor
        self.cookies = {("/", "fireplan-token"): TOKEN}

    def ask(self, method, address, body=b""):
        path, _, query = address.partition("?")
        mine = (
            f"{n}={v}"
            for (p, n), v in self.cookies.items()
            if f"{path}/".startswith(p.rstrip("/") + "/")
        )
        headers = [(b"host", HOST.encode()), (b"cookie", "; ".join(mine).encode())]
        headers += own_page(len(body)) if method == "POST" else []
        answer = self.visitor.ask(method, path, headers=headers, query=query.encode(), body=body)
        for cookie in answer.cookies:
            name, value, at = re.match("([^=]+)=([^;]+);.*Path=([^;]+)", cookie).groups()
            self.cookies[at, name] = value
        return answer

    def get(self, address):
        return self.ask("GET", address)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("guarded")


@pytest.fixture(scope="module")
def visitor(folder):
    visitor = Visitor(studio(Settings(port=PORT, tables=folder, token=TOKEN)))
    yield visitor
    visitor.close()


@pytest.fixture(scope="module")
def opened(visitor):
    """Who opened a table, its page, and the links of its seats."""
    owner = Player(visitor)
    table = owner.ask("POST", "/tables", b"scenario=miniatures_1943/hedgerow_farm").headers[
        "location"
    ]
    found = re.findall(r'href="(/tables/[^"]+key=[^"]+)">link for (\w+)<', owner.get(table).text)
    links = {side: link.replace("&amp;", "&") for link, side in found}
    assert set(links) == set(SIDES)
    return owner, table, links


def secrets_of(links):
    return [link.rpartition("key=")[2] for link in links.values()]


def test_whoever_opened_the_table_sees_the_links_and_nobody_else(visitor, opened):
    _, table, links = opened
    text = Player(visitor).get(table).text
    assert "opened by its own link" in text
    assert not any(secret in text for secret in secrets_of(links))


@pytest.mark.parametrize("side", SIDES)
def test_a_link_takes_its_seat_and_leaves_no_secret_in_the_address(visitor, opened, side):
    _, table, links = opened
    player = Player(visitor)
    assert player.get(f"{table}/seat/{side}").status == 403
    taken = player.get(links[side])
    assert (taken.status, taken.headers["location"]) == (303, f"{table}/seat/{side}")
    seat = player.get(f"{table}/seat/{side}")
    assert seat.status == 200
    assert f"Seat: <strong>{side}" in seat.text
    for other in set(SIDES) - {side}:
        assert player.get(f"{table}/seat/{other}").status == 403


def test_a_link_brings_the_token_of_the_studio_too(visitor, opened):
    _, table, links = opened
    player = Player(visitor)
    player.cookies.clear()
    assert player.get(table).status == 403
    assert player.get(links["german"]).status == 303


def test_a_wrong_or_stolen_secret_takes_no_seat_and_is_told_nothing(visitor, opened):
    owner, table, links = opened
    german, american, referee = secrets_of({side: links[side] for side in SIDES})
    again = owner.ask("POST", "/tables", b"scenario=miniatures_1943/hedgerow_farm").headers[
        "location"
    ]
    other = re.findall(r'key=([^"]+)">link for german', owner.get(again).text)[0]
    attempts = [
        "",
        "x",
        TOKEN,
        american,
        referee,
        other,
        german[:-1],
        german + "x",
        "%00",
        "%ff",
        "%ED%A0%80",
    ]
    for secret in attempts:
        thief = Player(visitor)
        asked = [thief.get(f"{table}/seat/german?key={secret}")]
        if "%" not in secret:
            thief.cookies["/", "fireplan-seat"] = thief.cookies["/", "fireplan-host"] = (
                secret or "x"
            )
        asked.append(thief.get(f"{table}/seat/german"))
        asked += [
            thief.get(f"{table}/seat/german/{page}") for page in ("news", "film", "film.html")
        ]
        asked += [
            thief.ask("POST", f"{table}/seat/german/{kind}", b"seen=x")
            for kind in ("order", "dice", "undo")
        ]
        for answer in asked:
            assert answer.status in (400, 403)
            assert answer.cookies == ()
            assert not any(each in answer.text for each in secrets_of(links))
        assert "link of" not in thief.get(table).text


def test_a_taken_seat_gives_orders(visitor, opened):
    _, table, links = opened
    player = Player(visitor)
    player.get(links["american"])
    text = player.get(f"{table}/seat/american").text
    seen = re.search('name="seen" value="([^"]+)"', text)[1]
    kind, body = ("dice", b"&die0=3") if "/dice" in text else ("undo", b"")
    assert player.ask(
        "POST", f"{table}/seat/american/{kind}", f"seen={seen}".encode() + body
    ).status in (303, 422)


def test_secrets_outlive_the_server_and_are_their_owners_alone(folder, opened):
    _, table, links = opened
    name = table.rpartition("/")[2]
    file = folder / f"{name}.seats"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE((folder / f"{name}.journal").stat().st_mode) == 0o600
    assert Seats(folder).of(name, SIDES)["german"] == links["german"].rpartition("key=")[2]


DAMAGED = [b"", b"{", b"[]", b'{"german": ""}', b"\xff", b"[" * 60_000]


@pytest.mark.parametrize("damaged", DAMAGED, ids=[repr(one[:9]) for one in DAMAGED])
def test_a_damaged_file_of_secrets_opens_nothing_and_is_made_anew(tmp_path, damaged):
    (tmp_path / "x.seats").write_bytes(damaged)
    seats = Seats(tmp_path)
    assert not seats.opens("x", SIDES, "german", "")
    assert seats.opens("x", SIDES, "german", Seats(tmp_path).of("x", SIDES)["german"])


def test_a_pipe_in_the_place_of_the_secrets_is_not_read(tmp_path):
    os.mkfifo(tmp_path / "x.seats")
    pipe = os.open(tmp_path / "x.seats", os.O_RDWR)
    try:
        os.write(pipe, b"[]")
        links = Seats(tmp_path).of("x", SIDES)
        assert os.read(pipe, 2) == b"[]"
    finally:
        os.close(pipe)
    assert Seats(tmp_path).of("x", SIDES) == links


def test_a_table_of_an_old_name_has_new_secrets(tmp_path):
    seats = Seats(tmp_path)
    before = seats.of("x", SIDES)["german"]
    seats.clear("x")
    assert not seats.opens("x", SIDES, "german", before)
