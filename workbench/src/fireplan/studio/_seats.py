"""The secrets of the seats: a seat is taken by its link, which whoever opened the table hands out.

They lie beside the journal in a file of their own, which only its owner may read, and outlive the server.
"""

import hmac
import json
import os
import secrets  # noqa: TID251 - links that must not be guessed; nothing of play hangs on them
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from fireplan_core.files import MAX_BYTES, read_ordinary

HOST = "host of the table"
"""Whose secret shows all links; no side is called so."""
SEAT_COOKIE, HOST_COOKIE = "fireplan-seat", "fireplan-host"


class Seats:
    """The secrets of the seats of all tables of a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def clear(self, table: str) -> None:
        """Forget the secrets of a table of that name that is there no more."""
        self._file(table).unlink(missing_ok=True)

    def of(self, table: str, sides: Iterable[str]) -> dict[str, str]:
        """Return the secret of each seat of a table, and that of its host; they are made when first asked for."""
        with suppress(OSError, ValueError, RecursionError, AttributeError):
            found = json.loads(read_ordinary(self._file(table), MAX_BYTES))
            if {HOST, *sides} <= found.keys() and all(isinstance(key, str) and key for key in found.values()):
                return dict(found)
        made = {seat: secrets.token_urlsafe(16) for seat in (HOST, *sides)}
        draft = self._file(f"{table}.{secrets.token_hex(4)}")
        with os.fdopen(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w", encoding="utf-8") as file:
            json.dump(made, file)
        draft.replace(self._file(table))
        return made

    def opens(self, table: str, sides: Iterable[str], seat: str, given: str) -> bool:
        """Tell whether what a visitor has is the secret of a seat."""
        return hmac.compare_digest(self.of(table, sides)[seat].encode(), given.encode("utf-8", "replace"))

    def _file(self, table: str) -> Path:
        return self._folder / f"{table}.seats"
