"""Requests that must be refused, one per line, and the headers that every answer carries."""

import asyncio
import re
import signal
import socket
import subprocess
import sys

import pytest
import unhurried

from fireplan_studio import Settings, studio
from fireplan_studio.jobs import Jobs
from fireplan_studio.limits import LIMITS

from .conftest import HOST, PORT, Visitor, own_page

GOOD = [(b"host", HOST.encode())]
SECRET = "sesame-42"  # noqa: S105 - what else would a test use
HOSTS = [
    [],
    [b""],
    [b"evil.example"],
    [b"evil.example:8043"],
    [b"127.0.0.1"],
    [b"127.0.0.1:80"],
    [b"127.0.0.1:80430"],
    [b"127.0.0.1.evil.example:8043"],
    [b"localhost.evil.example:8043"],
    [b"0.0.0.0:8043"],
    [b"[::]:8043"],
    [b"[::1]"],
    [b"127.1:8043"],
    [b"2130706433:8043"],
    [b"user@127.0.0.1:8043"],
    [b"127.0.0.1:8043/"],
    [b" 127.0.0.1:8043"],
    [b"127.0.0.1:8043", b"evil.example"],
    [b"127.0.0.1:8043", b"127.0.0.1:8043"],
    [b"\xff\xfe"],
]


@pytest.mark.parametrize("hosts", HOSTS, ids=repr)
def test_a_host_that_is_not_ours_is_refused_before_anything_else(visitor, hosts):
    answer = visitor.ask("GET", "/rules", headers=[(b"host", host) for host in hosts])
    assert answer.status == 400
    assert b"Installed games" not in answer.body


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8043", "localhost:8043", "LOCALHOST:8043", "[::1]:8043"]
)
def test_our_own_names_are_let_in(visitor, host):
    assert visitor.ask("GET", "/rules", headers=[(b"host", host.encode())]).status == 200


PATHS = [
    "/static/../_app.py",
    "/static/..%2f_app.py",
    "/static/%2e%2e/_app.py",
    "/static/%2e%2e%2f_app.py",
    "/static/..%5c_app.py",
    "/static/....//_app.py",
    "/static//etc/passwd",
    "/static/%00studio.css",
    "/static/studio.css%00",
    "/static/C:/Windows/win.ini",
    "/static/con",
    "/static/~/secret",
    "/static/.",
    "/static/_app.py",
    "/static/%c0%ae%c0%ae/",
    "/compare/../rules",
    "/compare/sheet.svg/..",
    "/compare/sheet.exe",
    "/compare/%3Cscript%3E",
    "/compare/comparison",
    "/etc/passwd",
    "//evil.example/",
    "/rules/asl/life.svg.exe",
    "/jobs/1/cancel/2",
    "/.git/config",
    "/rules/asl/../../compare",
]


@pytest.mark.parametrize("path", PATHS)
def test_an_unknown_path_is_not_found(visitor, path):
    assert visitor.ask("GET", path).status == 404


METHODS = ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "PROPFIND", "get", "BREW"]


@pytest.mark.parametrize("method", METHODS)
def test_other_methods_are_not_understood(visitor, method):
    assert visitor.ask(method, "/compare").status == 405


def without(*names, **replaced):
    kept = [
        (k, v)
        for k, v in own_page(0)
        if k.decode() not in (*names, *(n.replace("_", "-") for n in replaced))
    ]
    return [
        *GOOD,
        *kept,
        *((n.replace("_", "-").encode(), v.encode()) for n, v in replaced.items()),
    ]


ORIGINS = [
    (without("origin"), 403),
    (without(origin="null"), 403),
    (without(origin="http://evil.example"), 403),
    (without(origin="http://127.0.0.1:9999"), 403),
    (without(origin="http://127.0.0.1"), 403),
    (without(origin="http://127.0.0.1:8043.evil.example"), 403),
    (without(origin="file://"), 403),
    (without(origin="http://localhost:8043"), 403),
    ([*without(), (b"origin", b"http://evil.example")], 403),
    (without(origin="https://127.0.0.1:8043"), 403),
    (without("sec-fetch-site", origin="http://evil.example"), 403),
    ([*without(), (b"sec-fetch-site", b"cross-site")], 403),
    (without(sec_fetch_site="cross-site"), 403),
    (without(sec_fetch_site="same-site"), 403),
    (without(sec_fetch_site="none"), 403),
    (without("content-type"), 415),
    (without(content_type="text/plain"), 415),
    (without(content_type="application/json"), 415),
    (without(content_type="multipart/form-data; boundary=x"), 415),
    (without("content-length"), 411),
    (without(content_length="-1"), 411),
    (without(content_length="1e9"), 411),
    (without(content_length="64001"), 413),
    (without(content_length="9" * 300), 413),
    ([*without(), (b"content-length", b"5")], 411),
    ([*without(), (b"transfer-encoding", b"chunked")], 411),
]


@pytest.mark.parametrize(("headers", "status"), ORIGINS, ids=[str(i) for i in range(len(ORIGINS))])
def test_a_change_from_anywhere_but_our_own_pages_is_refused(visitor, headers, status):
    assert visitor.ask("POST", "/jobs/1/cancel", headers=headers).status == status


def test_a_change_from_our_own_page_is_taken(visitor):
    assert visitor.post("/jobs/1/cancel").status == 409


def test_a_form_with_only_an_origin_header_is_accepted(visitor):
    """Over plain HTTP to another machine browsers send no Sec-Fetch-Site."""
    assert visitor.ask("POST", "/jobs/1/cancel", headers=without("sec-fetch-site")).status == 409


def changed(app, host, origin):
    """Return the status of a form sent with the right token, by this host and from a page of this
    origin.
    """
    sent = [(b"host", host.encode()), *own_page(0)[2:], (b"origin", origin.encode())]
    return app.ask("POST", "/jobs/1/cancel", headers=sent, query=f"token={SECRET}".encode()).status


PUBLIC = [
    ("play.example.org", "https://play.example.org", 409),
    ("PLAY.example.org", "https://play.example.org", 409),
    ("127.0.0.1:8043", "https://play.example.org", 409),  # a proxy that names its upstream
    ("127.0.0.1:8043", "http://127.0.0.1:8043", 409),
    ("play.example.org", "http://play.example.org", 403),
    ("play.example.org", "https://play.example.org:8043", 403),
    ("play.example.org", "https://play.example.org.evil.example", 403),
    ("play.example.org", "http://127.0.0.1:8043", 403),
    ("play.example.org:8043", "https://play.example.org", 400),
    ("evil.example", "https://play.example.org", 400),
    ("evil.example", "http://evil.example", 400),
]


@pytest.mark.parametrize(
    ("host", "origin", "status"), PUBLIC, ids=[f"{h} {o}" for h, o, _ in PUBLIC]
)
def test_behind_a_proxy_the_public_address_is_the_origin_of_our_pages(tables, host, origin, status):
    public = "https://play.example.org"
    proxied = Visitor(studio(Settings(port=PORT, tables=tables, token=SECRET, public=public)))
    try:
        assert changed(proxied, host, origin) == status
    finally:
        proxied.close()


@pytest.mark.parametrize(
    ("settings", "secure"),
    [({}, False), ({"tls": True}, True), ({"public": "https://a.example"}, True)],
    ids=str,
)
def test_a_cookie_of_an_encrypted_page_is_sent_over_no_other(tables, settings, secure):
    app = Visitor(studio(Settings(port=PORT, tables=tables, token=SECRET, **settings)))
    try:
        cookies = app.get(f"/rules?token={SECRET}").cookies
        assert [cookie.partition("=")[0] for cookie in cookies] == [
            "fireplan-token",
            "fireplan-visitor",
        ]
        assert {"; Secure" in cookie for cookie in cookies} == {secure}
    finally:
        app.close()


def test_a_body_longer_than_declared_is_cut_off(visitor):
    lying = [b"x" * 60_000, b"y" * 60_000]
    answer = visitor.ask("POST", "/jobs/1/cancel", headers=[*GOOD, *own_page(10)], fragments=lying)
    assert answer.status in (400, 409)


ADDRESSES = [
    ("/compare?minutes=1000000000", "limit minutes"),
    ("/compare?minutes=" + "9" * 190, "whole number"),
    ("/compare?minutes=-1", "whole number"),
    ("/compare?minutes=1e3", "whole number"),
    ("/compare?minutes=%D9%A3", "whole number"),
    ("/compare?minutes=0", "at least 1"),
    ("/compare?games=nothing", "There is no"),
    ("/compare?engagement=../../etc/passwd", "There is no"),
    ("/compare?engagement=/etc/passwd", "There is no"),
    ("/compare?engagement=woods&engagement=dug_in", "engagement was given more than once."),
    ("/compare?mode=sideways", "There is no"),
    ("/compare?unknown=1", "There is no parameter of this page"),
    ("/compare?v=99", "version"),
    ("/compare?e.men=" + "9" * 150, "whole number"),
    ("/compare?e.men=2.5", "whole number"),
    ("/compare?e.men=1000000", "2000"),
    ("/compare?e.__class__=x", "There is no fact of an engagement"),
    ("/compare?e.__init__.x=1", "There is no fact of an engagement"),
    ("/compare?e.date=yesterday", "date"),
    ("/compare?e.cover=wods", "woods"),
    ("/compare?minutes=%ff", "cannot be read"),
    ("/compare?" + "&".join(f"a{n}=1" for n in range(260)), "limit"),
    ("/compare?e.title=" + "x" * 201, "limit value_characters"),
    ("/rules/nothing", "There is no game"),
    ("/rules/asl?standing=x", "There is no"),
]


@pytest.mark.parametrize(("address", "said"), ADDRESSES, ids=[a[:40] for a, _ in ADDRESSES])
def test_an_address_beyond_the_limits_explains_the_fault(visitor, address, said):
    answer = visitor.get(address)
    assert answer.status == 400
    assert said in answer.text


def test_an_address_that_is_too_long_is_refused_unread(visitor):
    answer = visitor.get("/compare?e.title=" + "x" * LIMITS["address_characters"].most)
    assert answer.status == 414
    assert b"limit address_characters" in answer.body


def test_every_fault_of_an_address_is_reported_at_once(visitor):
    text = visitor.get("/compare?minutes=0&games=acl&mode=x&e.men=q&zzz=1").text
    assert text.count("<li>") - text.count('<li><a href="/') == 5
    assert "There is no game" in text


@pytest.mark.parametrize(
    "path", ["/rules", "/compare?minutes=0", "/nowhere", "/static/studio.css", "/"]
)
def test_every_answer_forbids_foreign_content(visitor, path):
    headers = visitor.get(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"


def test_a_refused_request_carries_the_same_headers(visitor):
    assert (
        "default-src 'none'"
        in visitor.ask("GET", "/", headers=[]).headers["content-security-policy"]
    )


@pytest.mark.parametrize("path", ["/rules", "/rules/asl", "/compare?minutes=0"])
def test_pages_hold_nothing_inline_and_nothing_from_outside(visitor, path):
    text = visitor.get(path).text
    assert not re.search(r"<script(?![^>]*\bsrc=)", text)
    assert not re.search(r"\son\w+=|\sstyle=|<style|javascript:", text)
    assert not re.search(r"""(?:src|href|action)=["'](?:https?:)?//""", text)


def test_beyond_the_loopback_a_token_is_required(tables):
    guarded = Visitor(studio(Settings(port=PORT, tables=tables, token=SECRET)))
    try:
        assert guarded.get("/rules").status == 403
        assert guarded.get("/rules?token=wrong").status == 403
        welcome = guarded.get("/rules?token=sesame-42")
        assert welcome.status == 200
        (cookie,) = (each for each in welcome.cookies if each.startswith("fireplan-token="))
        assert "HttpOnly" in cookie
        assert "SameSite=Strict" in cookie
        again = guarded.ask(
            "GET", "/rules", headers=[*GOOD, (b"cookie", b"fireplan-token=sesame-42")]
        )
        assert again.status == 200
        assert (
            guarded.ask("GET", "/rules", headers=[*GOOD, (b"cookie", b"fireplan-token=x")]).status
            == 403
        )
    finally:
        guarded.close()


@pytest.fixture(scope="module")
def guarded(tables):
    visitor = Visitor(studio(Settings(port=PORT, tables=tables, token=SECRET)))
    yield visitor
    visitor.close()


UNPROVED = [
    ("GET", "/", GOOD),
    ("GET", "/rules", []),
    ("GET", "/rules", [(b"host", b"evil.example")]),
    ("GET", "/rules", [*GOOD, (b"cookie", b"fireplan-token=x; fireplan-token=")]),
    ("GET", "/rules", [*GOOD, (b"cookie", b"\xff\xfe=\xfd")]),
    ("GET", "/rules", [*GOOD, (b"cookie", b"a" * 16_000)]),
    ("GET", "/rules", [*GOOD, (b"sec-fetch-site", b"cross-site")]),
    ("GET", "/nowhere", GOOD),
    ("GET", "/static/../_app.py", GOOD),
    ("GET", "/static/studio.css", GOOD),
    ("GET", "/compare/" + "x" * 2000, GOOD),
    ("HEAD", "/rules", GOOD),
    *((method, "/rules", GOOD) for method in METHODS),
    *(("POST", "/tables", headers) for headers, _ in ORIGINS),
    ("POST", "/tables", [*GOOD, *own_page(0)]),
    ("POST", "/nowhere", [*GOOD, *own_page(0)]),
]
ATTEMPTS = [
    b"",
    b"token=",
    b"token=x",
    b"token=x&token=",
    b"token=%ff",
    b"token=%00",
    b"atoken=1",
    b"token=sesame-4",
]


@pytest.mark.parametrize(
    ("method", "path", "headers"),
    UNPROVED,
    ids=[f"{n} {each[0]} {each[1][:20]}" for n, each in enumerate(UNPROVED)],
)
def test_an_answer_to_a_request_without_the_token_never_holds_it(guarded, method, path, headers):
    for query in ATTEMPTS:
        answer = guarded.ask(method, path, headers=headers, query=query)
        assert 400 <= answer.status < 500
        assert "set-cookie" not in answer.headers
        assert SECRET not in f"{answer.headers}{answer.text}"


def test_a_request_with_a_proven_token_still_needs_the_right_host(guarded):
    """The token alone does not suffice: a page under another host name could read the answer."""
    for headers in (
        [(b"host", b"evil.example")],
        [*GOOD, *own_page(0)[:1], (b"origin", b"http://evil.example")],
    ):
        answer = guarded.ask("POST", "/tables", headers=headers, query=f"token={SECRET}".encode())
        assert answer.status in (400, 403)
        assert SECRET not in f"{answer.headers}{answer.text}"


def test_the_cookie_is_not_sent_twice(guarded):
    mine = [*GOOD, (b"cookie", f"fireplan-token={SECRET}".encode())]
    answer = guarded.ask("GET", "/rules", headers=mine, query=b"token=x")
    assert answer.status == 200
    assert not any(cookie.startswith("fireplan-token=") for cookie in answer.cookies)


def test_a_visitor_is_a_session_and_not_an_address(visitor):
    """Two browsers behind one router have the same address but different sessions."""
    sessions = [
        re.match("fireplan-visitor=([^;]+)", visitor.get("/rules").cookies[0])[1] for _ in "ab"
    ]
    assert sessions[0] != sessions[1]
    for session in sessions:
        mine = [*GOOD, (b"cookie", f"fireplan-visitor={session}".encode())]
        assert visitor.ask("GET", "/rules", headers=mine).cookies == ()
    forged = [*GOOD, (b"cookie", b"fireplan-visitor=me")]
    assert len(visitor.ask("GET", "/rules", headers=forged).cookies) == 1


@pytest.mark.full
def test_every_visible_cancel_button_works(visitor, monkeypatch):
    """The first page of a browser without a session has no such button; pressing it twice is not a
    fault.
    """
    monkeypatch.setitem(Jobs.answer.__kwdefaults__, "patience", 0)
    led = visitor.get("/compare?games=asl,red_poppies&minutes=1440&e.men=77").headers["location"]
    path, _, query = led.partition("?")
    first = visitor.get(led)
    assert (first.status, "Cancel</button>" in first.text) == (202, False)
    cookie = (b"cookie", first.cookies[0].partition(";")[0].encode())
    page = visitor.ask("GET", path, query=query.encode(), headers=[*GOOD, cookie])
    (button,) = re.findall('action="(/jobs/[0-9]+/cancel)"', page.text)
    for _ in range(2):
        pressed = visitor.post(button, headers=[*GOOD, *own_page(0), cookie])
        assert (pressed.status, "You have cancelled this calculation" in pressed.text) == (
            409,
            True,
        )


CHANGES = [
    ("/tables", b"scenario=../../etc/passwd", 422),
    ("/tables", b"scenario=", 422),
    ("/tables", b"scenario=asl%2Fvillage%00", 422),
    ("/tables", b"scenario=asl/village&scenario=asl/village", 400),
    ("/tables", b"scenario=%ff", 400),
    ("/tables", b"\xff=\xfe", 400),
    ("/tables", b"&".join(b"a%d=1" % n for n in range(101)), 400),
    ("/tables", b"scenario=" + b"x" * 4001, 400),
    ("/tables/nothing/seat/german/order", b"order=call", 404),
    ("/tables/..%2f..%2fx/seat/german/order", b"order=call", 404),
    ("/tables/x/seat/german/delete", b"", 404),
    ("/jobs/-1/cancel", b"", 404),
    ("/jobs/1e9/cancel", b"", 404),
    ("/rules", b"", 405),
    ("/compare", b"minutes=5", 405),
]


@pytest.mark.parametrize(
    ("path", "body", "status"), CHANGES, ids=[f"{p} {b[:24]!r}" for p, b, _ in CHANGES]
)
def test_an_unknown_change_is_refused(visitor, path, body, status):
    assert visitor.post(path, body).status == status


def test_headers_beyond_all_measure_are_refused_unread(visitor):
    for name in (b"cookie", b"x-anything"):
        assert visitor.ask("GET", "/rules", headers=[*GOOD, (name, b"a" * 16_000)]).status == 431


@pytest.mark.parametrize(
    "name", [b"x-forwarded-host", b"x-forwarded-for", b"forwarded", b"x-original-url", b"x-host"]
)
def test_a_header_of_a_proxy_opens_no_door(visitor, name):
    evil = [(b"host", b"evil.example"), (name, HOST.encode())]
    assert visitor.ask("GET", "/rules", headers=evil).status == 400
    assert visitor.ask("GET", "/rules", headers=[*GOOD, (name, b"/static/../x")]).status == 200


def test_a_websocket_is_closed_before_it_is_open():
    sent = []

    async def send(message):
        sent.append(message)

    async def receive():
        return {"type": "websocket.connect"}

    app = studio(Settings(port=PORT))
    scope = {"type": "websocket", "path": "/", "headers": GOOD, "query_string": b""}
    asyncio.run(app(scope, receive, send))
    assert [message["type"] for message in sent] == ["websocket.close"]


# --- the server itself, byte by byte -------------------------------------------------------------
@pytest.fixture(scope="module")
def port(tmp_path_factory):
    folder = tmp_path_factory.mktemp("served")
    command = [sys.executable, unhurried.__file__, "serve", "--port", "0", "--tables", str(folder)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as server:
        yield int(re.search(r":(\d+)/", server.stdout.readline())[1])
        server.send_signal(signal.SIGINT)
        out, err = server.communicate()
        assert (server.returncode, out, err) == (0, "", ""), "Ctrl-C did not end it quietly"


def heard(port, text):
    """Return everything that the server answers to raw bytes; PORT in them is replaced by its port."""
    with socket.create_connection(("127.0.0.1", port)) as line:
        line.sendall(text.replace(b"PORT", str(port).encode()))
        line.shutdown(socket.SHUT_WR)
        return line.makefile("rb").read().decode("latin-1")


def spoken(port, text):
    """Return the first line of the server's answer to raw bytes; PORT in them is replaced by its
    port.
    """
    with socket.create_connection(("127.0.0.1", port)) as line:
        line.sendall(text.replace(b"PORT", str(port).encode()))
        return line.makefile("rb").readline().decode("latin-1")


ROUGH = [
    b"GET http://evil.example/rules HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n",
    b"GET http://127.0.0.1:PORT/rules HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n",
    b"GET /rules HTTP/1.0\r\n\r\n",
    b"GET /rules HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nHost: evil.example\r\n\r\n",
    b"GET /rules HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n folded: x\r\n\r\n",
    b"GET /ru\x00les HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n",
    b"GET /rules HTTP/9.9\r\nHost: evil.example\r\n\r\n",
    b"GET /rules HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nCookie: " + b"a" * 70_000 + b"\r\n\r\n",
    b"POST /tables HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcde",
    b"POST /tables HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    b"OPTIONS * HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
]


@pytest.mark.parametrize("text", ROUGH, ids=[f"{n} {text[:24]!r}" for n, text in enumerate(ROUGH)])
def test_the_server_refuses_malformed_requests(port, text):
    assert re.match(r"HTTP/1.1 4\d\d ", spoken(port, text))


WEBSOCKET = (
    b"GET /?token=x HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)


def test_the_server_with_a_token_keeps_it_from_raw_bytes_and_from_its_log(tmp_path):
    command = [
        sys.executable,
        unhurried.__file__,
        "serve",
        "--port=0",
        f"--tables={tmp_path}",
        f"--token={SECRET}",
    ]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as server:
        greeting = server.stdout.readline()
        assert SECRET in greeting, "the greeting does not report it"
        port = int(re.search(r":(\d+)/", greeting)[1])
        answers = [heard(port, text) for text in (*ROUGH, WEBSOCKET)]
        server.send_signal(signal.SIGINT)
        out, err = server.communicate()
    assert all(re.match(r"HTTP/1.1 4\d\d ", answer) for answer in answers)
    assert SECRET not in "".join(answers) + out + err


def test_three_hundred_unfinished_requests_delay_nobody_else(port):
    slow = []
    try:
        # Some requests send nothing, some a part of their headers, some a part of their form.
        for n in range(300):
            slow.append(socket.create_connection(("127.0.0.1", port)))
            form = f"Origin: http://127.0.0.1:{port}\r\nContent-Type: application/x-www-form-urlencoded\r\n"
            rest = f":{port}\r\n{form}Content-Length: 50\r\n\r\nscen"
            slow[-1].sendall(
                b"POST /tables HTTP/1.1\r\nHost: 127.0.0.1"[: 99 * (n % 3)]
                + rest.encode() * (n % 3 == 1)
            )
        plain = b"GET /rules HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nConnection: close\r\n\r\n"
        assert spoken(port, plain).startswith("HTTP/1.1 200")
    finally:
        for line in slow:
            line.close()


def test_the_server_does_not_name_its_software(port):
    with socket.create_connection(("127.0.0.1", port)) as line:
        line.sendall(
            f"HEAD /rules HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n".encode()
        )
        head, _, body = line.makefile("rb").read().partition(b"\r\n\r\n")
    assert b"server:" not in head.lower()
    assert b"default-src 'none'" in head
    assert body == b""


def test_at_least_sixty_requests_are_refused():
    assert (
        len(HOSTS)
        + len(PATHS)
        + len(METHODS)
        + len(ORIGINS)
        + len(ADDRESSES)
        + len(CHANGES)
        + len(ROUGH)
        >= 60
    )
