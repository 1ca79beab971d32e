"""The seats of tables: their invitations, and the secrets of the seats taken.

Both are kept in files next to the journals; only the owner of these files can read them.
"""

import hmac
import json
import os
import secrets  # noqa: TID251 - random names that nobody can guess; no dice
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

from fireplan_core.files import MAX_BYTES, read_ordinary
from fireplan_studio.refusals import REFUSED, TAKEN, RequestRefusedError

HOST = "host of the table"
"""The holder of the secret that shows the invitations; no side can have this name."""
SEAT_COOKIE, HOST_COOKIE = "fireplan-seat", "fireplan-host"


def _same(secret: str, typed: str) -> bool:
    return hmac.compare_digest(secret.encode(), typed.encode("utf-8", "replace"))


class SeatFiles:
    """The files with the invitations and secrets of a folder's tables; they outlive the server.

    ``NAME.seats`` holds the invitations to a table. A seat is taken by creating a file for it. This
    fails if the file exists, so several servers cannot give the same seat away twice.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def clear(self, table: str) -> None:
        """Delete the invitations and secrets of an earlier table of that name."""
        for file in (self._file(table), *self._folder.glob(f"{table}.seat-*")):
            file.unlink(missing_ok=True)

    def of(self, table: str, sides: Iterable[str]) -> dict[str, str]:
        """Return the invitations to a table by seat, with the secret of its host under ``HOST``.

        The invitations are created when they are first needed.
        """
        with suppress(OSError, ValueError, RecursionError, AttributeError):
            stored = json.loads(read_ordinary(self._file(table), MAX_BYTES))
            if {HOST, *sides} <= stored.keys() and all(
                isinstance(key, str) and key for key in stored.values()
            ):
                return dict(stored)
        made = {seat: secrets.token_urlsafe(16) for seat in (HOST, *sides)}
        draft = self._file(f"{table}.{secrets.token_hex(4)}")
        _write_new(draft, json.dumps(made))
        draft.replace(self._file(table))
        return made

    def claim(self, table: str, seat: str, secret: str) -> bool:
        """Take a seat by storing its secret; return False if it was taken before.

        With ``seat=HOST``, ``secret`` is the name of the seat that the host takes.
        """
        try:
            _write_new(self._taken(table, seat), secret)
        except FileExistsError:
            return False
        return True

    def leave(self, table: str, seat: str) -> None:
        """Give a seat back."""
        self._taken(table, seat).unlink(missing_ok=True)

    def key(self, table: str, seat: str) -> str | None:
        """Return the secret stored for a seat ("" if it cannot be read), or None if it is free."""
        file = self._taken(table, seat)
        if not os.path.lexists(file):
            return None
        with suppress(OSError, ValueError):
            return read_ordinary(file, MAX_BYTES).decode("utf-8")
        return ""

    def _file(self, table: str) -> Path:
        return self._folder / f"{table}.seats"

    def _taken(self, table: str, seat: str) -> Path:
        return self._folder / f"{table}.seat-{quote(seat, safe='')}"


class Seats:
    """The seats of all tables: each is taken once, by its invitation or by the host of the table.

    After that, a seat is opened only by the secret that ``take`` returned. ``sides_of(table)``
    returns the seats of a table, or raises ``RequestRefusedError`` if there is no such table.
    """

    def __init__(self, folder: Path, sides_of: Callable[[str], tuple[str, ...]]) -> None:
        self._files = SeatFiles(folder)
        self._sides_of = sides_of

    def clear(self, name: str) -> None:
        """Delete the invitations and secrets of an earlier table of that name."""
        self._files.clear(name)

    def _check(self, name: str, side: str) -> None:
        check_seat(side, self._sides_of(name))

    def invitations(self, name: str) -> dict[str, str]:
        """Return the invitations to a table by seat, with the secret of its host under ``HOST``."""
        return self._files.of(name, self._sides_of(name))

    def hosts(self, name: str, secret: str) -> bool:
        """Return whether this is the secret of the visitor who opened the table."""
        return _same(self.invitations(name)[HOST], secret)

    def opens(self, name: str, side: str, secret: str) -> bool:
        """Return whether a seat is taken and this is its secret.

        Raises ``RequestRefusedError`` if there is no such table or seat.
        """
        self._check(name, side)
        key = self._files.key(name, side)
        return bool(key) and _same(key or "", secret)

    def invites(self, name: str, side: str, invitation: str) -> bool:
        """Return whether this is the invitation to a seat, used or not.

        Raises ``RequestRefusedError`` if there is no such table or seat.
        """
        self._check(name, side)
        return _same(self.invitations(name)[side], invitation)

    def taken(self, name: str) -> tuple[tuple[str, ...], str]:
        """Return the taken seats of a table, and the seat of its host ("" if the host has none)."""
        names = self._sides_of(name)
        seats = (side for side in names if self._files.key(name, side) is not None)
        return tuple(seats), self._files.key(name, HOST) or ""

    def take(self, name: str, side: str, *, host: bool) -> str:
        """Take a seat, for the host of the table or for an invited visitor; return its secret.

        Raises ``RequestRefusedError`` if there is no such seat, if it is taken, if the host has
        another seat, or if the folder cannot be written to.
        """
        self._check(name, side)
        try:
            if host and not self._files.claim(name, HOST, side):
                raise RequestRefusedError(
                    403, f"You already have the seat {self.taken(name)[1]!r} at this table."
                )
            secret = secrets.token_urlsafe(16)
            if not self._files.claim(name, side, secret):
                if host:
                    self._files.leave(name, HOST)
                raise RequestRefusedError(TAKEN, f"The seat {side!r} is taken.")
        except OSError as error:
            raise RequestRefusedError(
                REFUSED, f"Cannot write to the journal folder ({error.strerror})."
            ) from error
        return secret


def check_seat(side: str, sides: Iterable[str]) -> None:
    """Raise ``RequestRefusedError`` if a table has no such seat."""
    seats = tuple(sides)
    if side not in seats:
        raise RequestRefusedError(
            404, f"There is no seat {side[:40]!r} at this table; its seats are {', '.join(seats)}."
        )


def _write_new(path: Path, text: str) -> None:
    """Write a file that only its owner may read; raise ``FileExistsError`` if it exists."""
    with os.fdopen(
        os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w", encoding="utf-8"
    ) as file:
        file.write(text)
