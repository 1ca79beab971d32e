"""How others than this machine reach the studio: the options of ``fireplan serve`` for it, and what they come to."""

from __future__ import annotations

import ipaddress
import re
import ssl
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import attrs
from cyclopts import Parameter

_PORTS = {"http": 80, "https": 443}


@attrs.frozen(kw_only=True)
class Remote:
    """The token, the address that visitors type, the certificate, and the proxy that is believed."""

    token: Annotated[
        str | None,
        Parameter(help="What a visitor must bring; one is made up when others than this machine can reach the studio."),
    ] = None
    public_url: Annotated[
        str | None,
        Parameter(
            help="The address that visitors type (https://play.example.org), where it is not that of --host: a proxy's,"
            " or another name of this machine. It needs a token, too."
        ),
    ] = None
    tls_cert: Annotated[
        Path | None, Parameter(help="A certificate, so that the studio encrypts by itself; with --tls-key.")
    ] = None
    tls_key: Annotated[Path | None, Parameter(help="The key of the certificate.")] = None
    trust_proxy: Annotated[
        str | None,
        Parameter(help="The address of a proxy that is believed when it says who a visitor is (X-Forwarded-For)."),
    ] = None

    def proof(self, *, needed: bool) -> str | None:
        """Return the token that visitors bring, one made up if it is needed; None for none."""
        import secrets  # noqa: TID251 - a token that must not be guessed; nothing of play hangs on it

        return secrets.token_urlsafe(16) if needed and self.token is None else self.token

    def origin(self, faults: list[str]) -> str | None:
        """Return the origin of the public address as browsers write it; what is wrong is added to the faults."""
        if self.token is not None and not re.fullmatch("[A-Za-z0-9_-]+", self.token):
            faults.append("--token: expected letters, digits, - and _ only.")
        if self.trust_proxy is not None:
            try:
                ipaddress.ip_address(self.trust_proxy)
            except ValueError:
                faults.append(f"--trust-proxy: expected the address of a proxy, such as 127.0.0.1: {self.trust_proxy}")
        if self.public_url is None:
            return None
        try:
            parts = urlsplit(self.public_url)
            port, name = parts.port, (parts.hostname or "").encode("idna").decode()
        except ValueError:
            parts, port, name = urlsplit(""), None, ""
        if not name or parts.scheme not in _PORTS or parts[2:] not in {("", "", ""), ("/", "", "")} or parts.username:
            faults.append(f"--public-url: expected an address like https://play.example.org, got {self.public_url!r}.")
            return None
        shown = f"[{name}]" if ":" in name else name
        return f"{parts.scheme}://{shown}" + (f":{port}" if port not in (None, _PORTS[parts.scheme]) else "")

    def encryption(self, faults: list[str]) -> ssl.SSLContext | None:
        """Return what the studio encrypts with, None where it does not; what is wrong is added to the faults."""
        if self.tls_cert is None and self.tls_key is None:
            return None
        if self.tls_cert is None or self.tls_key is None:
            faults.append("--tls-cert and --tls-key: expected both or neither.")
            return None
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        named = (("--tls-cert", self.tls_cert), ("--tls-key", self.tls_key))
        if missing := [f"{option}: no such file: {file}" for option, file in named if not file.is_file()]:
            faults += missing
            return None
        try:
            context.load_cert_chain(self.tls_cert, self.tls_key, password=lambda: "")  # so that none is asked for
        except (OSError, ValueError):
            faults.append(
                f"--tls-cert {self.tls_cert}, --tls-key {self.tls_key}: expected a certificate and its own key, in PEM,"
                " readable and without a password."
            )
        return context
