"""Players on other machines: through an encrypting proxy, with the studio's own certificate, over
plain HTTP.
"""

import contextlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from .conftest import PATIENCE, PROGRAM, UNHURRIED

NAME = "play.fireplan.test"
"""A name that these tests' browsers resolve to this machine and trust no more than any other."""
ADDRESS = "192.0.2.7"
"""An address reserved for documentation, given to the loopback of a network that these tests make.
"""

NGINX = """
daemon off; pid {folder}/pid; error_log {folder}/error.log; worker_processes 1;
events {{ worker_connections 64; }}
http {{
  access_log {folder}/access.log;
  client_body_temp_path {folder}/a; proxy_temp_path {folder}/b; fastcgi_temp_path {folder}/c;
  uwsgi_temp_path {folder}/d; scgi_temp_path {folder}/e;
  server {{
    listen 127.0.0.1:{port} ssl; server_name {name};
    ssl_certificate {certificate}; ssl_certificate_key {key};
    location / {{
      proxy_pass http://127.0.0.1:{behind};
      {host}
      proxy_set_header X-Forwarded-For $remote_addr;
    }}
  }}
}}
"""


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


@contextlib.contextmanager
def serving(*options, within=()):
    """Start a server with these options; yield the address that it prints."""
    command = [*within, sys.executable, UNHURRIED, "serve", *map(str, options)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield re.search(r"https?://\S+", process.stdout.readline())[0]
        finally:
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=120)
    assert (out, err) == ("", ""), "it printed more than its address"


def play(browser, address):
    """Let two players open the page with the token, take seats at a table and give an order each,
    which must be accepted.
    """
    origin = address.partition("/?")[0]
    links = {}
    for side in ("french", "german"):
        context = browser.new_context(ignore_https_errors=True)
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        assert page.goto(f"{origin}/tables").status == 403, "a visitor without the token got in"
        assert page.context.cookies() == []
        if not links:
            page.goto(address)
            page.get_by_role("link", name="Table", exact=True).first.click()
            page.wait_for_selector("select[name=scenario]")
            page.select_option("select[name=scenario]", "red_poppies/bloody_repulse")
            page.get_by_role("button", name="Open a new table").click()
            page.wait_for_selector("a[href*='invitation=']")
            links = {
                each.inner_text(): each.get_attribute("href")
                for each in page.locator("a[href*='invitation=']").all()
            }
            page.get_by_role("button", name=f"Sit here: {side}").click()
        seat = links[f"invitation for {side.capitalize()}"]
        if side == "german":
            page.goto(f"{origin}{seat}")
            page.get_by_role("button", name="Take the seat").click()
        page.wait_for_url(f"{origin}{seat.partition('?')[0]}")
        assert page.url == origin + seat.partition("?")[0], "the address still holds the secret"
        with page.expect_navigation() as sent:
            page.locator("section.now form button").first.click()
        assert sent.value.status == 200
        context.close()


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """Return a certificate for the name, and its key."""
    folder = tmp_path_factory.mktemp("certificate")
    files = folder / "certificate.pem", folder / "key.pem"
    new = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
    named = ("-subj", f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME}")
    written = ("-out", str(files[0]), "-keyout", str(files[1]))
    subprocess.run([*new.split(), *named, *written], check=True, capture_output=True)
    return files


@pytest.fixture(scope="module")
def stranger(chromium):
    """Return a browser that resolves the name to this machine."""
    return chromium(f"--host-resolver-rules=MAP {NAME} 127.0.0.1")


@contextlib.contextmanager
def proxy(folder, behind, port, certificate, host):
    file = folder / "nginx.conf"
    text = NGINX.format(
        folder=folder,
        port=port,
        name=NAME,
        certificate=certificate[0],
        key=certificate[1],
        behind=behind,
        host=host,
    )
    file.write_text(text)
    with subprocess.Popen(
        [shutil.which("nginx", path="/usr/sbin:/usr/bin"), "-p", folder, "-c", file]
    ) as process:
        try:
            while process.poll() is None:
                with (
                    contextlib.suppress(ConnectionRefusedError),
                    socket.create_connection(("127.0.0.1", port)),
                ):
                    break
                time.sleep(0.05)
            yield
        finally:
            process.terminate()


@pytest.mark.parametrize(
    "host",
    ["proxy_set_header Host $http_host;", pytest.param("", marks=pytest.mark.long)],
    ids=["host kept", "host of upstream"],
)
def test_two_players_play_through_a_proxy_that_encrypts(stranger, certificate, tmp_path, host):
    behind, port = free_port(), free_port()
    public = f"https://{NAME}:{port}"
    options = (
        "--port",
        behind,
        "--tables",
        tmp_path / "tables",
        "--public-url",
        public,
        "--trust-proxy",
        "127.0.0.1",
    )
    with serving(*options) as address, proxy(tmp_path, behind, port, certificate, host):
        assert address.startswith(f"{public}/?token=")
        play(stranger, address)
    assert 'POST /tables HTTP/1.1" 303' in (tmp_path / "access.log").read_text()


def test_two_players_play_with_the_certificate_of_the_studio_itself(
    stranger, certificate, tmp_path
):
    port = free_port()
    files = ("--tls-cert", certificate[0], "--tls-key", certificate[1])
    public = f"https://{NAME}:{port}"
    with serving("--port", port, "--tables", tmp_path, "--public-url", public, *files) as address:
        play(stranger, address)


def test_two_players_play_over_plain_http_by_another_name(stranger, tmp_path):
    """Chromium does not trust such a page, so only the origin shows where its forms come from."""
    port = free_port()
    with serving(
        "--port", port, "--tables", tmp_path, "--public-url", f"http://{NAME}:{port}"
    ) as address:
        play(stranger, address)


@pytest.fixture(scope="module")
def elsewhere():
    """Yield the command that runs others in a network where the machine has an address outside the
    loopback.
    """
    if subprocess.run(["unshare", "-rn", "true"], capture_output=True, check=False).returncode:
        pytest.skip("networks of one's own are not allowed here")
    script = f"ip link set lo up && ip addr add {ADDRESS}/32 dev lo && echo up && exec cat"
    with subprocess.Popen(
        ["unshare", "-rn", "sh", "-c", script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as holder:
        assert holder.stdout.readline() == "up\n"
        yield ["nsenter", "--preserve-credentials", "-U", "-n", "-t", str(holder.pid)]
        holder.stdin.close()


@pytest.mark.long
def test_two_players_play_over_plain_http_at_an_address_of_the_network(
    chromium, elsewhere, tmp_path
):
    program = Path(tmp_path / "chromium-elsewhere")
    program.write_text(f'#!/bin/sh\nexec {" ".join(elsewhere)} {PROGRAM} "$@"\n')
    program.chmod(0o755)
    with serving(
        "--host", ADDRESS, "--port", 0, "--tables", tmp_path / "tables", within=elsewhere
    ) as address:
        assert address.startswith(f"http://{ADDRESS}:")
        play(chromium(program=program), address)


def test_a_wrong_certificate_is_reported_before_anything_is_opened(certificate, tmp_path):
    locked = tmp_path / "locked.pem"
    subprocess.run(
        [
            "openssl",
            "ec",
            "-in",
            str(certificate[1]),
            "-aes128",
            "-passout",
            "pass:secret",
            "-out",
            str(locked),
        ],
        check=True,
        capture_output=True,
    )
    for cert, key in (
        (certificate[1], certificate[0]),
        (certificate[0], certificate[0]),
        (certificate[0], locked),
    ):
        command = [
            sys.executable,
            "-m",
            "fireplan.cli",
            "serve",
            "--tls-cert",
            str(cert),
            "--tls-key",
            str(key),
        ]
        done = subprocess.run(command, input="", capture_output=True, text=True, check=False)
        assert done.returncode == 2
        assert "expected a certificate and its key" in done.stderr
        assert "Traceback" not in done.stderr
