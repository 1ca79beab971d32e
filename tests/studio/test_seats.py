"""Seats that others are invited to: each is taken once, by its invitation or by the host."""

import os
import re
import stat

import pytest

from fireplan_core.chance import Draw, FromDeck, RandomFaces
from fireplan_studio import Settings, studio
from fireplan_studio.changes import _face
from fireplan_studio.refusals import RequestRefusedError
from fireplan_studio.seats import SeatFiles

from .conftest import HOST, PORT, Visitor, own_page

TOKEN = "sesame-42"  # noqa: S105 - what else would a test use
SIDES = ("german", "american", "referee")


class Player:
    """A browser, which stores cookies by path as browsers do."""

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

    def take(self, link):
        """Press the button on an invitation's page; return the next page, or the button's answer."""
        page = self.get(link)
        found = re.search(
            'action="([^"]+/take)"><input type="hidden" name="invitation" value="([^"]+)"',
            page.text,
        )
        return self.ask("POST", found[1], f"invitation={found[2]}".encode()) if found else page


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("guarded")


@pytest.fixture(scope="module")
def visitor(folder):
    visitor = Visitor(studio(Settings(port=PORT, tables=folder, token=TOKEN)))
    yield visitor
    visitor.close()


class Table:
    """A table just opened: its host, its address, and the links of its invitations."""

    def __init__(self, visitor):
        self.host = Player(visitor)
        begun = self.host.ask("POST", "/tables", b"scenario=miniatures_1943/hedgerow_farm")
        self.address = begun.headers["location"]
        self.links = self.invitations()
        assert set(self.links) == set(SIDES)

    def invitations(self):
        page = self.host.get(self.address).text
        found = re.findall(r'href="(/tables/[^"]+invitation=[^"]+)">invitation for (\w+)<', page)
        return {side.lower(): link.replace("&amp;", "&") for link, side in found}

    def seat(self, side):
        return f"{self.address}/seat/{side}"

    @property
    def codes(self):
        return [link.rpartition("=")[2] for link in self.links.values()]


@pytest.fixture
def table(visitor):
    return Table(visitor)


def test_only_the_host_sees_the_invitations(visitor, table):
    text = Player(visitor).get(table.address).text
    assert "taken by its own invitation" in text
    assert not any(code in text for code in table.codes)


@pytest.mark.parametrize("side", SIDES)
def test_an_invitation_takes_its_seat_and_leaves_no_secret_in_the_address(visitor, table, side):
    player = Player(visitor)
    assert player.get(table.seat(side)).status == 403
    taken = player.take(table.links[side])
    assert (taken.status, taken.headers["location"]) == (303, table.seat(side))
    page = player.get(table.seat(side))
    assert page.status == 200
    who = (
        "You are the <strong>referee"
        if side == "referee"
        else f"You play <strong>the {side.capitalize()}s"
    )
    assert who in page.text
    for other in set(SIDES) - {side}:
        assert player.get(table.seat(other)).status == 403
    again = player.get(table.links[side])
    assert (again.status, again.headers["location"]) == (303, table.seat(side))


def test_the_preview_of_a_link_does_not_use_its_invitation(visitor, table):
    for _ in range(2):
        assert Player(visitor).get(table.links["german"]).status == 200
    assert Player(visitor).take(table.links["german"]).status == 303


def test_an_invitation_works_once_and_the_seat_is_shown_as_taken(visitor, table):
    first, second = Player(visitor), Player(visitor)
    page = second.get(table.links["german"])
    assert first.take(table.links["german"]).status == 303
    late = second.take(table.links["german"])
    assert (late.status, "This invitation has been used" in late.text) == (410, True)
    code = table.links["german"].rpartition("=")[2].encode()
    pressed = second.ask("POST", f"{table.seat('german')}/take", b"invitation=" + code)
    assert (page.status, pressed.status) == (200, 410)
    assert second.get(table.seat("german")).status == 403
    assert first.get(table.seat("german")).status == 200
    assert set(table.invitations()) == {"american", "referee"}
    for each in (table.host, second):
        assert re.search(r">German</a>[^\n]*>taken<", each.get(table.address).text)


def test_the_host_takes_one_seat_and_no_other(visitor, table):
    assert table.host.ask("POST", f"{table.seat('german')}/take").status == 303
    assert table.host.get(table.seat("german")).status == 200
    assert "Sit here" not in table.host.get(table.address).text
    for other in ("american", "referee"):
        assert table.host.ask("POST", f"{table.seat(other)}/take").status == 403
        invited = table.host.take(table.links[other])
        assert (invited.status, "You opened this table" in invited.text) == (403, True)
        code = table.links[other].rpartition("=")[2].encode()
        pressed = table.host.ask("POST", f"{table.seat(other)}/take", b"invitation=" + code)
        assert pressed.status == 403
        assert table.host.get(table.seat(other)).status == 403
        assert Player(visitor).take(table.links[other]).status == 303


def test_a_seat_that_is_taken_is_not_the_hosts_and_leaves_him_another(visitor, table):
    assert Player(visitor).take(table.links["german"]).status == 303
    assert table.host.ask("POST", f"{table.seat('german')}/take").status == 410
    assert table.host.get(table.seat("german")).status == 403
    assert table.host.ask("POST", f"{table.seat('american')}/take").status == 303


def test_only_the_host_sits_down_without_an_invitation(visitor, table):
    stranger = Player(visitor)
    assert stranger.ask("POST", f"{table.seat('german')}/take").status == 403
    other = Table(visitor)
    assert other.host.ask("POST", f"{table.seat('german')}/take").status == 403
    assert "german" in table.invitations()


def test_an_invitation_brings_the_token_of_the_studio_too(visitor, table):
    player = Player(visitor)
    player.cookies.clear()
    assert player.get(table.address).status == 403
    assert player.take(table.links["german"]).status == 303


def test_a_wrong_or_stolen_secret_gets_neither_seat_nor_information(visitor, table):
    german, american, referee = (table.links[side].rpartition("=")[2] for side in SIDES)
    other = Table(visitor).links["german"].rpartition("=")[2]
    player = Player(visitor)
    player.take(table.links["american"])
    key = player.cookies[table.seat("american"), "fireplan-seat"]
    attempts = [
        "",
        "x",
        TOKEN,
        american,
        referee,
        other,
        german[:-1],
        german + "x",
        key,
        key[:-1],
        "%00",
        "%ff",
        "%ED%A0%80",
    ]
    for secret in attempts:
        thief = Player(visitor)
        asked = [thief.get(f"{table.seat('german')}?invitation={secret}")]
        asked.append(
            thief.ask("POST", f"{table.seat('german')}/take", f"invitation={secret}".encode())
        )
        if "%" not in secret:
            thief.cookies["/", "fireplan-seat"] = thief.cookies["/", "fireplan-host"] = (
                secret or "x"
            )
        asked.append(thief.get(table.seat("german")))
        asked += [
            thief.get(f"{table.seat('german')}/{page}") for page in ("news", "film", "film.html")
        ]
        asked += [
            thief.ask("POST", f"{table.seat('german')}/{kind}", b"seen=x")
            for kind in ("order", "dice", "undo")
        ]
        for answer in asked:
            assert answer.status in (400, 403)
            assert not any("fireplan-seat" in cookie for cookie in answer.cookies)
            assert not any(each in answer.text for each in (*table.codes, key))
        assert "invitation for" not in thief.get(table.address).text


def test_a_taken_seat_gives_orders(visitor, table):
    player = Player(visitor)
    player.take(table.links["american"])
    text = player.get(table.seat("american")).text
    seen = re.search('name="seen" value="([^"]+)"', text)[1]
    kind, body = ("dice", b"&die0=3") if "/dice" in text else ("undo", b"")
    assert player.ask(
        "POST", f"{table.seat('american')}/{kind}", f"seen={seen}".encode() + body
    ).status in (303, 422)


def test_secrets_survive_a_restart_and_stay_private(visitor, folder, table):
    player = Player(visitor)
    player.take(table.links["german"])
    name = table.address.rpartition("/")[2]
    for ending in ("seats", "seat-german", "journal"):
        assert stat.S_IMODE((folder / f"{name}.{ending}").stat().st_mode) == 0o600
    assert SeatFiles(folder).of(name, SIDES)["german"] == table.links["german"].rpartition("=")[2]
    assert (
        SeatFiles(folder).key(name, "german")
        == player.cookies[table.seat("german"), "fireplan-seat"]
    )
    later = Visitor(studio(Settings(port=PORT, tables=folder, token=TOKEN)))
    try:
        player.visitor = later
        assert player.get(table.seat("german")).status == 200
        assert Player(later).take(table.links["german"]).status == 410
    finally:
        later.close()


DAMAGED = [b"", b"{", b"[]", b'{"german": ""}', b"\xff", b"[" * 60_000]


@pytest.mark.parametrize("damaged", DAMAGED, ids=[repr(one[:9]) for one in DAMAGED])
def test_a_damaged_file_of_secrets_opens_nothing_and_is_replaced(tmp_path, damaged):
    (tmp_path / "x.seats").write_bytes(damaged)
    seats = SeatFiles(tmp_path)
    assert all(seats.of("x", SIDES).values())
    assert seats.of("x", SIDES) == SeatFiles(tmp_path).of("x", SIDES)


@pytest.mark.parametrize("damaged", [b"", b"\xff"], ids=repr)
def test_a_damaged_seat_file_admits_nobody(visitor, folder, table, damaged):
    name = table.address.rpartition("/")[2]
    (folder / f"{name}.seat-german").write_bytes(damaged)
    thief = Player(visitor)
    for secret in ("", "x"):
        thief.cookies["/", "fireplan-seat"] = secret
        assert thief.get(table.seat("german")).status == 403
    assert Player(visitor).take(table.links["german"]).status == 410


def test_a_pipe_in_the_place_of_the_secrets_is_not_read(tmp_path):
    os.mkfifo(tmp_path / "x.seats")
    pipe = os.open(tmp_path / "x.seats", os.O_RDWR)
    try:
        os.write(pipe, b"[]")
        links = SeatFiles(tmp_path).of("x", SIDES)
        assert os.read(pipe, 2) == b"[]"
    finally:
        os.close(pipe)
    assert SeatFiles(tmp_path).of("x", SIDES) == links


def test_a_table_of_an_old_name_has_new_secrets_and_free_seats(tmp_path):
    seats = SeatFiles(tmp_path)
    before = seats.of("x", SIDES)["german"]
    assert seats.claim("x", "german", "secret")
    assert not seats.claim("x", "german", "another")
    seats.clear("x")
    assert seats.key("x", "german") is None
    assert seats.of("x", SIDES)["german"] != before


def test_the_studio_does_not_call_a_drawn_die_a_card_or_chit():
    (weather,) = Draw("weather", ((1, 1), (2, 1)), FromDeck(seen_by="firer")).faces
    with pytest.raises(RequestRefusedError, match=r"^'signal' cannot be drawn; possible: 1, 2\.$"):
        _face(weather, "signal", RandomFaces(1), ("1", "2"))
    assert _face(weather, "2", RandomFaces(1), ("1", "2")) == (2, True)
