"""``fireplan serve``: the studio in a browser."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from fireplan.cli._app import BadInputError

if TYPE_CHECKING:
    from socket import socket

_MOST = 65535
"""The highest port."""


def serve(
    *, port: int = 8043, host: str = "127.0.0.1", tables: Path = Path("tables"), token: str | None = None
) -> None:
    """Open the studio: comparison, what-if, table and rules in a browser, on this machine, without any network.

    Needs the extra 'web' (pip install 'fireplan[web]').

    :param port: The port of this machine; 0 takes a free one.
    :param host: The address to listen at. Any but this machine's own (127.0.0.1, ::1, localhost) needs a token.
    :param tables: The folder of the journals that are played at the table page; it is made when the first is begun.
    :param token: What a visitor must bring; one is made up when the host is not this machine's own.
    """
    import secrets  # noqa: TID251 - a token that must not be guessed; nothing of play hangs on it
    import socket

    try:
        import uvicorn

        from fireplan.studio import Settings, studio
    except ImportError as error:
        raise BadInputError(
            f"The studio needs the extra 'web' ({error.name} is missing): pip install 'fireplan[web]'."
        ) from error
    if not 0 <= port <= _MOST:
        raise BadInputError(f"--port: expected 0 to {_MOST}, got {port}.")
    own = host in {"127.0.0.1", "::1", "localhost"}
    if not own and token is None:
        token = secrets.token_urlsafe(16)
    if token is not None and not (token.isascii() and token.replace("-", "").replace("_", "").isalnum()):
        raise BadInputError("--token: expected letters, digits, - and _ only.")
    if tables.exists() and not tables.is_dir():
        raise BadInputError(f"--tables: {tables} is a file; name a folder.")
    listener = _listener(host, port)
    port = listener.getsockname()[1]
    named = f"[{host}]" if ":" in host else host
    names = ("127.0.0.1", "localhost", "[::1]") if own else (named, socket.gethostname().lower())
    address = f"http://{named}:{port}/" + (f"?token={token}" if token else "")
    sys.stdout.write(f"The studio is open at {address} (Ctrl-C closes it)\n")
    sys.stdout.flush()
    config = uvicorn.Config(
        studio(Settings(port=port, names=names, token=token, tables=tables)),
        log_level="error",
        access_log=False,
        server_header=False,
        proxy_headers=False,  # nobody stands before it, so nobody is believed who says so
        ws="none",
        limit_concurrency=256,  # connections; more are answered 503, however slowly the others are sent
        timeout_graceful_shutdown=3,
    )
    with suppress(KeyboardInterrupt):
        uvicorn.Server(config).run(sockets=[listener])


def _listener(host: str, port: int) -> socket:
    """Return a socket that listens there; raise ``BadInputError`` where that cannot be."""
    import socket

    if host in {"0.0.0.0", "::"}:  # noqa: S104 - refused here
        raise BadInputError(f"--host: {host} is no name to check visitors by; name one address of this machine.")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        socket.getaddrinfo(host, port, family)
    except OSError as error:
        raise BadInputError(f"--host: {host} is no address of this machine ({error.strerror}).") from error
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise BadInputError(
            f"Port {port} of {host} cannot be taken ({error.strerror}); choose another with --port."
        ) from error
