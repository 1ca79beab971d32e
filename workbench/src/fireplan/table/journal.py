"""The journal of a table on disk: an SQLite file with a row for each input, chained by hashes.

The file uses SQLite's rollback mode with the strictest syncs. After every acknowledged input, the
whole game is in this single file, which may be copied or sent at any time. A separate table
contains the number of acknowledged inputs and the hash of the last; a copy made during a write is
detected by comparing them.
"""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import Any

import attrs

from fireplan.companions import resolved
from fireplan.errors import JournalError
from fireplan.table.database import (
    FORMAT,
    check_beside,
    create_file,
    limit_time,
    open_file,
    other_format,
)
from fireplan.table.seals import Seal
from fireplan_core import Form, Order

_RATIO = re.compile("-?[0-9]{1,18}/[1-9][0-9]{0,17}")


@attrs.frozen
class Row:
    """One input: an ``order``, a ``die`` (throw, face, typed or rolled), ``undo`` or ``reveal``.

    An ``undo`` contains the number of inputs taken back. ``after`` contains the digests of the
    resulting rulings and state.
    """

    kind: str
    payload: Mapping[str, Any]
    after: str = ""

    @property
    def label(self) -> str:
        """The kind, with the verb of an order or the name of a throw."""
        name = {"order": "verb", "die": "throw"}.get(self.kind)
        return f"{self.kind} {self.payload[name]}" if name else self.kind


def order_row(question: str, order: Order, seals: Sequence[Seal] = ()) -> Row:
    """Return the row for an order, with the salts and commitments of its secret values."""
    payload = {
        "question": question,
        "verb": order.verb,
        "values": {n: plain(v) for n, v in order.values},
    }
    commitments = [{"salt": seal.salt, "commitment": seal.commitment} for seal in seals]
    return Row("order", {**payload, "seals": commitments} if commitments else payload)


def order_of(payload: Mapping[str, Any], forms: Iterable[Form]) -> Order:
    """Return the order in the payload of a row; its values become candidates of its form."""
    form = next((form for form in forms if form.verb == payload["verb"]), None)
    candidates = {slot.name: slot.candidates for slot in form.slots} if form else {}
    values = {}
    for name, value in payload["values"].items():
        match = next((each for each in candidates.get(name, ()) if plain(each) == value), None)
        values[name] = unplain(value) if match is None else match
    return Order.of(payload["verb"], **values)


def plain(value: Any) -> Any:
    """Return a small value in its JSON form.

    Reading an order back matches its values with the candidates of its form.
    """
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    if value is None or isinstance(value, bool | int | str):
        return value
    return str(value) if isinstance(value, Fraction) else repr(value)


def unplain(value: Any) -> Any:
    """Return the value that ``plain`` encoded: lists become tuples, ratios become Fractions."""
    if isinstance(value, list):
        return tuple(map(unplain, value))
    return Fraction(value) if isinstance(value, str) and _RATIO.fullmatch(value) else value


def _digest(before: str, kind: str, payload: str, after: str = "") -> str:
    return hashlib.sha256(f"{before}\n{kind}\n{payload}\n{after}".encode()).hexdigest()


class Journal:
    """An open journal file: ``head`` describes the game, and ``rows`` are the inputs so far."""

    def __init__(
        self,
        path: Path,
        connection: sqlite3.Connection,
        head: Mapping[str, Any],
        rows: list[Row],
        last: str,
    ) -> None:
        self.path = path
        self._file = resolved(path)
        self._connection = connection
        self.head = head
        self.rows = rows
        self._last = last

    @classmethod
    def create(cls, path: Path, head: Mapping[str, Any]) -> Journal:
        """Create and return a journal; raise ``JournalError`` if the file exists."""
        try:
            content = _written({**head, "format": FORMAT})
        except ValueError as error:
            raise JournalError(f"{path}: cannot be written: {error}") from error
        last = _digest("", "head", content)
        connection = create_file(path, content, last)
        return cls(path, connection, head, [], last)

    @classmethod
    def open(cls, path: Path, *, read_only: bool = False) -> Journal:
        """Open a journal and check its chain of hashes.

        Raise ``JournalError`` if the file is missing, not a journal, in another format, damaged or
        changed; the message says what can still be read (see ``salvage``).
        """
        connection = open_file(path, read_only=read_only)
        try:
            head, rows, last, wrong = _read(path, connection)
        except BaseException:
            connection.close()
            raise
        if wrong:
            connection.close()
            if rows:
                advice = f"'fireplan salvage' can save the inputs before it ({len(rows)})"
            else:
                advice = "no input before it can be saved"
            raise JournalError(f"{path}: {wrong}; {advice}")
        return cls(path, connection, head, rows, last)

    @classmethod
    def salvage(cls, path: Path, into: Path) -> tuple[Journal, str]:
        """Return a new journal with the intact inputs of a damaged one, and any fault found.

        Raise ``JournalError`` if not even the head can be read, or if the new file cannot be
        written.
        """
        connection = open_file(path, read_only=True)
        try:
            head, rows, _, wrong = _read(path, connection)
        finally:
            connection.close()
        journal = cls.create(into, head)
        for row in rows:
            journal.append(row)
        return journal, wrong

    def append(self, *rows: Row) -> None:
        """Append inputs, all or none; they are on disk when this returns.

        Raise ``JournalError``, without writing anything, if another process has written since this
        journal was opened, the file cannot be written, or a companion file could now lead SQLite to
        another file.
        """
        written: list[tuple[int, str, str, str, str]] = []
        last, number = self._last, len(self.rows) + 1
        try:
            for place, row in enumerate(rows, start=number):
                payload = _written(row.payload)
                last = _digest(last, row.kind, payload, row.after)
                written.append((place, row.kind, payload, row.after, last))
        except ValueError as error:
            raise JournalError(f"{self.path}: the input cannot be written: {error}") from error
        after = (number - 1 + len(rows), last)
        check_beside(self.path, self._file)
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            if self._acknowledged() != [(number - 1, self._last)]:
                raise JournalError(
                    f"{self.path}: somebody else has written input {number} since it was opened here, so nothing"
                    " was written: resume it to go on from there"
                )
            for values in written:
                self._connection.execute("INSERT INTO inputs VALUES (?, ?, ?, ?, ?)", values)
            self._connection.execute("UPDATE acknowledged SET inputs = ?, hash = ?", after)
            if self._rows_from(number) != written or self._acknowledged() != [after]:
                raise JournalError(
                    f"{self.path}: input {number} was not stored as given, so it was not written"
                )
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            raise JournalError(
                f"{self.path}: input {number} cannot be written ({error})"
            ) from error
        finally:
            with suppress(sqlite3.Error):  # after the commit there is no transaction
                self._connection.execute("ROLLBACK")
        self.rows += rows
        self._last = last

    def _acknowledged(self) -> list[tuple[int, str]]:
        """Return the rows that contain the number of acknowledged inputs and the last hash."""
        return list(self._connection.execute("SELECT inputs, hash FROM acknowledged LIMIT 2"))

    def _rows_from(self, first: int) -> list[Any]:
        query = "SELECT seq, kind, payload, after, hash FROM inputs WHERE seq >= ? ORDER BY seq"
        return list(self._connection.execute(query, (first,)))

    @property
    def outrun(self) -> bool:
        """Whether another process has written since this was opened, or reading is unsafe."""
        with suppress(sqlite3.Error, JournalError):
            check_beside(self.path, self._file)
            return self._acknowledged() != [(len(self.rows), self._last)]
        return True

    def close(self) -> None:
        """Close the journal's file."""
        self._connection.close()


# --- inputs as text -----------------------------------------------------------------------------
_DEEPEST = 8
_GREATEST = 2**63


def _written(content: Mapping[str, Any]) -> str:
    """Return a head or an input as text for the file.

    Raise ``ValueError`` if it cannot be encoded.
    """
    text = json.dumps(content, sort_keys=True, ensure_ascii=False)
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise ValueError(
                f"{text[error.start]!a} is half a character and cannot be written"
            ) from error
    return text


def _parsed(text: Any) -> dict[str, Any]:
    """Return the head or input encoded in a text.

    Raise ``ValueError`` for a text that ``_written`` never produces, such as one with unusual
    numbers, deep nesting or lone surrogates.
    """
    content = json.loads(text)
    if (
        not isinstance(content, dict)
        or not _is_plain(content, _DEEPEST)
        or _written(content) != text
    ):
        raise ValueError("not written by fireplan")
    return content


def _is_plain(value: Any, depth: int) -> bool:
    if isinstance(value, dict | list):
        inner = value.values() if isinstance(value, dict) else value
        return depth > 0 and all(_is_plain(item, depth - 1) for item in inner)
    return (
        value is None
        or isinstance(value, str | bool)
        or (isinstance(value, int) and abs(value) < _GREATEST)
    )


def _read(
    path: Path, connection: sqlite3.Connection
) -> tuple[Mapping[str, Any], list[Row], str, str]:
    """Return the head, the intact inputs, the last hash of their chain, and the first fault."""
    written: list[tuple[Any, ...]] = []
    wrong = ""
    limit_time(connection)
    try:
        connection.execute("BEGIN")  # a snapshot: somebody else may be writing
        (content, last) = connection.execute("SELECT content, hash FROM head LIMIT 1").fetchone()
        head = _parsed(content)
    except (sqlite3.Error, TypeError, ValueError, RecursionError) as error:
        raise JournalError(
            f"{path}: its head cannot be read, so the rest cannot either ({error})"
        ) from error
    try:
        acknowledged = connection.execute(
            "SELECT inputs, hash FROM acknowledged LIMIT 1"
        ).fetchone()
        for row in connection.execute(
            "SELECT seq, kind, payload, after, hash FROM inputs ORDER BY seq"
        ):
            if row[0] != len(written) + 1:
                wrong = f"input {len(written) + 1} was changed or lost"
                break
            written.append(row)
        connection.execute("COMMIT")
    except sqlite3.Error as error:
        acknowledged, wrong = None, f"input {len(written) + 1} cannot be read ({error})"
    if _digest("", "head", content) != last:
        raise JournalError(
            f"{path}: its head was changed after it was written, so none of it can be trusted"
        )
    limit_time(connection, for_ever=True)
    version = head.pop("format", None)
    if version != FORMAT:
        raise other_format(path, version)
    rows: list[Row] = []
    for number, kind, payload, after, chained in written:
        if _digest(last, kind, payload, after) != chained:
            return head, rows, last, f"input {number} was changed or lost"
        try:
            rows.append(Row(str(kind), _parsed(payload), str(after)))
        except (TypeError, ValueError, RecursionError) as error:
            return head, rows, last, f"input {number} cannot be read ({error})"
        last = chained
    if not wrong and acknowledged != (len(rows), last):
        count = acknowledged[0] if acknowledged and type(acknowledged[0]) is int else len(rows)
        if 0 <= count < len(rows):
            return (
                head,
                rows[:count],
                "",
                f"input {count + 1} was being written when this copy was made: copy it again",
            )
        wrong = f"input {len(rows) + 1} and what came after it were cut off"
    return head, rows, last, wrong
