"""The commands of the studio: served in a browser, built as a static site, asked by a link.

And the referee.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

import fireplan as fp
from fireplan.cli.journals import REFEREE, refuse_broken, side_named
from fireplan.cli.options import Json, said
from fireplan.cli.printing import say_line, say_wrapped
from fireplan.cli.question_commands import tell
from fireplan.questions.errors import InputError
from fireplan.questions.opening import catalogue
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
    """The token, the address that visitors type, the certificate, and the proxy that is believed."""

    token: Annotated[str | None, said("serve", "token")] = None
    public_url: Annotated[str | None, said("serve", "public_url")] = None
    tls_cert: Annotated[Path | None, said("serve", "tls_cert")] = None
    tls_key: Annotated[Path | None, said("serve", "tls_key")] = None
    trust_proxy: Annotated[str | None, said("serve", "trust_proxy")] = None

    def proof(self, *, needed: bool) -> str | None:
        """Return the token that visitors bring, one made up if it is needed; None for none."""
        import secrets  # noqa: TID251 - a token that must not be guessed; nothing of play hangs on it

        return secrets.token_urlsafe(16) if needed and self.token is None else self.token

    def origin(self, faults: list[str]) -> str | None:
        """Return the origin of the public address as browsers write it.

        What is wrong is added to the faults.
        """
        if self.token is not None and not re.fullmatch("[A-Za-z0-9_-]+", self.token):
            faults.append("--token: expected letters, digits, - and _ only.")
        if self.trust_proxy is not None:
            try:
                ipaddress.ip_address(self.trust_proxy)
            except ValueError:
                faults.append(
                    f"--trust-proxy: expected the address of a proxy, such as 127.0.0.1: {self.trust_proxy}"
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
        """Return what the studio encrypts with, None where it does not.

        What is wrong is added to the faults.
        """
        if self.tls_cert is None and self.tls_key is None:
            return None
        if self.tls_cert is None or self.tls_key is None:
            faults.append("--tls-cert and --tls-key: expected both or neither.")
            return None
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        named = (("--tls-cert", self.tls_cert), ("--tls-key", self.tls_key))
        if missing := [
            f"{option}: no such file: {file}" for option, file in named if not file.is_file()
        ]:
            faults += missing
            return None
        try:
            context.load_cert_chain(
                self.tls_cert, self.tls_key, password=lambda: ""
            )  # so that none is asked for
        except (OSError, ValueError):
            faults.append(
                f"--tls-cert {self.tls_cert}, --tls-key {self.tls_key}: expected a certificate and its own key, in PEM,"
                " readable and without a password."
            )
        return context


_MOST = 65535
"""The highest port."""


def serve(
    *,
    port: int = 8043,
    host: str = "127.0.0.1",
    tables: Path = Path("tables"),
    remote: Annotated[Remote, Parameter(name="*")] = Remote(),
) -> None:
    """Open the studio: comparison, what-if, table and rules in a browser, on this machine, without any network.

    :param port: The port of this machine; 0 takes a free one.
    :param host: The address to listen at. Any but this machine's own (127.0.0.1, ::1, localhost)
        needs a token.
    :param tables: The folder of the journals that are played at the table page; it is made when the
        first is begun.
    """
    import socket

    from fireplan_studio import LOOPBACK, Server, Settings, studio

    faults = [] if 0 <= port <= _MOST else [f"--port: expected 0 to {_MOST}, got {port}."]
    if tables.exists() and not tables.is_dir():
        faults.append(f"--tables: {tables} is a file; name a folder.")
    public, tls = remote.origin(faults), remote.encryption(faults)
    if faults:
        raise InputError(*faults)
    own = host in {"127.0.0.1", "::1", "localhost"}
    listener = _listener(host, port, named=public is not None)
    port = listener.getsockname()[1]
    host = f"[{host}]" if ":" in host else host
    names = LOOPBACK if own else (host, socket.gethostname().lower())
    token = remote.proof(needed=not own or public is not None)
    address = public or f"{'https' if tls else 'http'}://{host}:{port}"
    sys.stdout.write(
        f"The studio is open at {address}/{f'?token={token}' if token else ''} (Ctrl-C closes it)\n"
    )
    sys.stdout.flush()
    settings = Settings(
        port=port, names=names, token=token, tables=tables, tls=tls is not None, public=public
    )
    Server(studio(settings), listener, tls=tls, proxy=remote.trust_proxy).open()


def _listener(host: str, port: int, *, named: bool) -> socket:
    """Return a socket that listens there; raise ``InputError`` where that cannot be."""
    import socket

    if host in {"0.0.0.0", "::"} and not named:  # noqa: S104 - refused here
        raise InputError(
            f"--host: {host} is no name to check visitors by; name one address of this machine, or the address that"
            " visitors type with --public-url."
        )
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        socket.getaddrinfo(host, port, family)
    except OSError as error:
        raise InputError(
            f"--host: {host} is no address of this machine ({error.strerror})."
        ) from error
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise InputError(
            f"Port {port} of {host} cannot be taken ({error.strerror}); choose another with --port."
        ) from error


def site(action: Literal["build"], folder: Path, /, *, runtime: Path | None = None) -> None:  # noqa: ARG001 - the one
    """Build the studio as static files with the installed games: any file server will do, Python runs in the browser.

    It needs npm, to bring Python for browsers.

    :param action: build.
    :param folder: The folder to write; an empty one, or a site built before.
    :param runtime: The tarball of Python for browsers, where it was brought before (npm pack writes
        it).
    """
    from fireplan_studio.static_site import build

    sizes = build(folder, catalogue(), runtime=runtime)
    say_line(
        f"{folder}: {len(sizes)} files, {sum(sizes.values()) / 1e6:.1f} MB; hand them out with any file server"
    )


def open(link: str, /, *, json: Json = False) -> None:  # noqa: A001 - what one does with a link
    """Answer a link of the studio, or of a static site, in this terminal: figures, a ranking, a proposal.

    Says whether the fractions are those that the link was made with, or which version differs.

    :param link: The address as the browser shows it, or what stands behind its host and its '#'.
    """
    from fireplan_studio import BadAddressError, opened

    try:
        answer, stands = opened(link)
    except BadAddressError as error:
        faults = (
            ": ".join(
                filter(
                    None, (fault.key, "; ".join(filter(None, (fault.message, fault.suggestion))))
                )
            )
            for fault in error.faults
        )
        raise fp.InputError(*faults) from error
    tell(answer, json=json)
    if stands and not json:
        say_wrapped(stands)


def film(
    game: Path,
    /,
    *,
    into: Annotated[Path | None, Parameter(name=["--into", "-o"])] = None,
    side: str = REFEREE,
) -> None:
    """Write a game as a film: one HTML file that plays it back on its map, in any browser and without a network.

    Beside the map stand the odds as they stood, what the standard and the best order would have
    been, and how lucky each roll was; they are worked out for about half a minute, evenly over the
    game. The whole is filmed once two sides have played their game to its end.

    :param game: A journal, or a playthrough (a file, or the name of a shipped one).
    :param into: The HTML file to write, which must not be there yet; by default the game's name
        with .html.
    :param side: Only what this side may know; by default everything.
    """
    from fireplan_studio import film_of, kept_back, one_file

    session, into = fp.load(game).session, into or Path(f"{game.stem}.html")
    side_named(session, side)
    refuse_broken(game, session)
    if os.path.lexists(into):
        raise InputError(f"{into}: is already there; a film never writes over a file")
    if reason := kept_back(session, side):
        raise InputError(f"{game}: {reason} (--side).")
    write(into, one_file(session.scenario.title, side, film_of(session, side)), anew=True)
    say_line(f"written: {into}")
