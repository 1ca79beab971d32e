"""The commands ``serve``, ``site``, ``open`` and ``film``."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

import fireplan as fp
from fireplan import sheets
from fireplan.cli.journals import REFEREE, refuse_broken, side_named
from fireplan.cli.options import Json, Seat, Yes, option
from fireplan.cli.printing import Bar, asking, say_line, say_wrapped
from fireplan.cli.question_commands import tell
from fireplan.errors import InputError, gathered, refuse
from fireplan.questions.opening import catalogue
from fireplan.questions.refusing import refusing
from fireplan.questions.result import write

if TYPE_CHECKING:
    from socket import socket

import ipaddress
import re
import ssl
from urllib.parse import urlsplit

import attrs

_PORTS = {"http": 80, "https": 443}


@attrs.frozen(kw_only=True)
class Remote:
    """The options for serving other machines: token, public address, certificate and proxy."""

    token: Annotated[str | None, option("serve", "token", stands_for="TOKEN")] = None
    public_url: Annotated[str | None, option("serve", "public_url", stands_for="URL")] = None
    tls_cert: Annotated[Path | None, option("serve", "tls_cert")] = None
    tls_key: Annotated[Path | None, option("serve", "tls_key")] = None
    trust_proxy: Annotated[str | None, option("serve", "trust_proxy", stands_for="ADDRESS")] = None

    def proof(self, *, needed: bool) -> str | None:
        """Return the token for visitors: the given token, a new one if needed, or else None."""
        import secrets  # noqa: TID251 - a token that must not be guessed; not part of play

        return secrets.token_urlsafe(16) if needed and self.token is None else self.token

    def origin(self, faults: list[str]) -> str | None:
        """Return the origin of the public address as browsers write it, or None if it is invalid.

        Without a public address the result is None, too. Faults in the token, the proxy and the
        address are added to ``faults``.
        """
        if self.token is not None and not re.fullmatch("[A-Za-z0-9_-]+", self.token):
            faults.append("--token: expected letters, digits, - and _ only.")
        if self.trust_proxy is not None:
            try:
                ipaddress.ip_address(self.trust_proxy)
            except ValueError:
                faults.append(
                    f"--trust-proxy: expected the IP address of a proxy, e.g. 127.0.0.1, got {self.trust_proxy!r}."
                )
        if self.public_url is None:
            return None
        try:
            parts = urlsplit(self.public_url)
            port, name = parts.port, (parts.hostname or "").encode("idna").decode()
        except ValueError:
            parts, port, name = urlsplit(""), None, ""
        if (
            not name
            or parts.scheme not in _PORTS
            or parts[2:] not in {("", "", ""), ("/", "", "")}
            or parts.username
        ):
            faults.append(
                f"--public-url: expected an address like https://play.example.org, got {self.public_url!r}."
            )
            return None
        shown = f"[{name}]" if ":" in name else name
        return f"{parts.scheme}://{shown}" + (
            f":{port}" if port not in (None, _PORTS[parts.scheme]) else ""
        )

    def encryption(self, faults: list[str]) -> ssl.SSLContext | None:
        """Return the TLS context of the certificate and its key, or None if a file is missing.

        Faults are added to ``faults``.
        """
        if self.tls_cert is None and self.tls_key is None:
            return None
        if self.tls_cert is None or self.tls_key is None:
            faults.append("--tls-cert and --tls-key: give both or neither.")
            return None
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        files = (("--tls-cert", self.tls_cert), ("--tls-key", self.tls_key))
        if missing := [
            f"{option}: no such file: {file}" for option, file in files if not file.is_file()
        ]:
            faults += missing
            return None
        try:
            # An empty password keeps OpenSSL from asking for one.
            context.load_cert_chain(self.tls_cert, self.tls_key, password=lambda: "")
        except (OSError, ValueError):
            faults.append(
                f"--tls-cert {self.tls_cert}, --tls-key {self.tls_key}: expected a certificate and its key as"
                " readable PEM files without a password."
            )
        return context


_MOST = 65535
"""The highest port number."""


def serve(
    *,
    port: int = 8043,
    host: Annotated[str, Parameter(metavar="ADDRESS")] = "127.0.0.1",
    tables: Path = Path("tables"),
    sheet: Annotated[list[Path] | None, Parameter(consume_multiple=True)] = None,
    remote: Annotated[Remote, Parameter(name="*")] = Remote(),
) -> None:
    """Open the studio in a browser: compare, what if, tables and rules. No network is needed.

    :param port: The port to listen on; 0 takes a free one.
    :param host: The address to listen on. Any but 127.0.0.1, ::1 and localhost needs a token.
    :param tables: The folder for the studio's journals; created with the first journal.
    :param sheet: Sheets whose games the studio offers in addition to the installed ones.
    """
    import socket

    from fireplan_studio import LOOPBACK, Server, Settings, studio

    faults = [] if 0 <= port <= _MOST else [f"--port: expected 0 to {_MOST}, got {port}."]
    if tables.exists() and not tables.is_dir():
        faults.append(f"--tables: {tables} is a file; name a folder.")
    public, tls = remote.origin(faults), remote.encryption(faults)
    for path in sheet or ():
        gathered(faults, _use, path)
    refuse(faults)
    local = host in {"127.0.0.1", "::1", "localhost"}
    listener = _listener(host, port, named=public is not None)
    port = listener.getsockname()[1]
    host = f"[{host}]" if ":" in host else host
    names = LOOPBACK if local else (host, socket.gethostname().lower())
    token = remote.proof(needed=not local or public is not None)
    address = public or f"{'https' if tls else 'http'}://{host}:{port}"
    sys.stdout.write(
        f"The studio is open at {address}/{f'?token={token}' if token else ''} (Ctrl-C closes it)\n"
    )
    sys.stdout.flush()
    settings = Settings(
        port=port, names=names, token=token, tables=tables, tls=tls is not None, public=public
    )
    Server(studio(settings), listener, tls=tls, proxy=remote.trust_proxy).open()


def _use(path: Path) -> None:
    with refusing():
        sheets.use(path)


def _listener(host: str, port: int, *, named: bool) -> socket:
    """Return a socket that listens at an address, or raise ``InputError``.

    ``named`` is true if visitors use another, public address.
    """
    import socket

    if host in {"0.0.0.0", "::"} and not named:  # noqa: S104 - refused here
        raise InputError(
            f"--host: {host} cannot be used here: name one address of this machine, or give the address"
            " that visitors type with --public-url."
        )
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        socket.getaddrinfo(host, port, family)
    except OSError as error:
        raise InputError(
            f"--host: {host} is not an address of this machine ({error.strerror})."
        ) from error
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise InputError(
            f"Port {port} of {host} cannot be used ({error.strerror}); choose another with --port."
        ) from error


def site(
    action: Literal["build"],  # noqa: ARG001 - there is only one action
    folder: Path,
    /,
    *,
    runtime: Path | None = None,
    public_url: Annotated[str, option("site", "public_url", stands_for="URL")] = "",
) -> None:
    """Build the studio as a static site for any file server; Python runs in the browser.

    It holds the installed games. Building needs npm, which downloads Python for browsers.

    :param action: build.
    :param folder: The folder to write: a new or empty one, or an earlier site.
    :param runtime: A tarball of Python for browsers, downloaded beforehand (with npm pack).
    """
    from fireplan_studio.static_site import build

    sizes = build(folder, catalogue(), runtime=runtime, public_url=public_url)
    say_line(
        f"{folder}: {len(sizes)} files, {sum(sizes.values()) / 1e6:.1f} MB; serve them with any file server"
    )


def open(link: str, /, *, json: Json = False, yes: Yes = False) -> None:  # noqa: A001 - the name of the command
    """Print the answer to a link from the studio or a static site.

    It also reports whether the figures still match those of the link and, if not, which version
    differs.

    :param link: The address as the browser shows it, or only its path and parameters.
    """
    from fireplan_studio import RequestRefusedError, opened_link

    begin = asking("watch fewer minutes", yes=yes)
    try:
        with Bar() as bar:
            answer, stands = opened_link(link, begin, bar.step)
    except RequestRefusedError as error:
        raise fp.InputError(*map(str, error.faults)) from error
    tell(answer, json=json)
    if stands and not json:
        say_wrapped(stands)


def film(
    game: Path,
    /,
    *,
    into: Annotated[Path | None, Parameter(name=["--into", "-o"])] = None,
    side: Seat = REFEREE,
) -> None:
    """Write a game as a film: one HTML file that replays it on its map in any browser, offline.

    Beside the map it shows the odds at the time, the standard and the best order, and how lucky
    each roll was. The odds of at most 64 inputs, spread evenly over the game, are worked out. A
    game of two sides can be filmed as a whole only when it is over.

    :param game: A journal, or a playthrough (a file, or the name of a shipped one).
    :param into: The HTML file to write, which must not exist yet; by default the game's name
        with .html.
    :param side: Show only what this side may know; by default everything.
    """
    from fireplan_studio import film_of, kept_back, one_file

    session, into = fp.load(game).session, into or Path(f"{game.stem}.html")
    side_named(session, side)
    refuse_broken(game, session)
    if os.path.lexists(into):
        raise InputError(f"{into}: already exists; choose another name with --into.")
    if reason := kept_back(session, side):
        raise InputError(f"{game}: {reason}; choose it with --side.")
    write(into, one_file(session.scenario.title, side, film_of(session, side)), anew=True)
    say_line(f"written: {into}")
