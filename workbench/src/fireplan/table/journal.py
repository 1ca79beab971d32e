"""The journal of a table on disk: a text file with a line for each input, chained by hashes.

After every acknowledged input, the whole game is in this single file, which may be copied, sent or
read in an editor at any time. Its first line is the head of the table. Dice that are entered
together share a line, so that all of them are kept or none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

import attrs

from fireplan.chained_file import (
    ChainedFile,
    ChainedFileError,
    ChangedError,
    Limits,
    NeverBegunError,
)
from fireplan.errors import JournalError, counted
from fireplan.table.seals import Seal
from fireplan_core import Form, Order
from fireplan_core.steps.questions import form_of

FORMAT = 3
LIMITS = Limits()
"""The limits on a journal; a game of 10,000 inputs takes 3 MB."""
_RATIO = re.compile("-?[0-9]{1,18}/[1-9][0-9]{0,17}")


@attrs.frozen
class JournalRow:
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


def order_row(question: str, order: Order, seals: Sequence[Seal]) -> JournalRow:
    """Return the row for an order, with the salts and commitments of its secret values."""
    payload = {
        "question": question,
        "verb": order.verb,
        "values": {n: json_form(v) for n, v in order.values},
    }
    commitments = [{"salt": seal.salt, "commitment": seal.commitment} for seal in seals]
    return JournalRow("order", {**payload, "seals": commitments} if commitments else payload)


def order_in(payload: Mapping[str, Any], forms: Iterable[Form]) -> Order:
    """Return the order in the payload of a row.

    Each value becomes the candidate of the order's form that has the same JSON form, if there is
    one.
    """
    form = form_of(payload["verb"], forms)
    candidates = {slot.name: slot.candidates for slot in form.slots} if form else {}
    values = {}
    for name, value in payload["values"].items():
        match = next((each for each in candidates.get(name, ()) if json_form(each) == value), None)
        values[name] = unplain(value) if match is None else match
    return Order.of(payload["verb"], **values)


def json_form(value: Any) -> Any:
    """Return a small value in its JSON form.

    When an order is read, its values are matched with the candidates of the order's form; only a
    value without a match is decoded.
    """
    if isinstance(value, tuple):
        return [json_form(item) for item in value]
    if value is None or isinstance(value, bool | int | str):
        return value
    return str(value) if isinstance(value, Fraction) else repr(value)


def unplain(value: Any) -> Any:
    """Return the value that ``json_form`` encoded: lists become tuples, ratios become Fractions."""
    if isinstance(value, list):
        return tuple(map(unplain, value))
    return Fraction(value) if isinstance(value, str) and _RATIO.fullmatch(value) else value


@attrs.define(eq=False)
class Journal:
    """An open journal file: ``head`` describes the game, and ``rows`` are the inputs so far.

    ``note`` says that the last line is unfinished, so that it is not counted; else it is empty.
    """

    path: Path
    _file: ChainedFile
    head: Mapping[str, Any]
    rows: list[JournalRow]

    @classmethod
    def create(cls, path: Path, head: Mapping[str, Any]) -> Journal:
        """Create and return a journal; raise ``JournalError`` if the file exists."""
        return cls._create(path, head, [])

    @classmethod
    def _create(cls, path: Path, head: Mapping[str, Any], rows: list[JournalRow]) -> Journal:
        lines = [{"fireplan": "journal", "format": FORMAT, **head}, *map(_line, rows)]
        with _refusing(path):
            try:
                return cls(path, ChainedFile.create(path, lines, LIMITS), head, rows)
            except FileExistsError:
                reason = "already exists; choose another name or resume it"
                raise JournalError(f"{path}: {reason}") from None

    @classmethod
    def open(cls, path: Path, *, read_only: bool = False) -> Journal:
        """Open a journal and check its chain of hashes.

        Raise ``JournalError`` if the file is missing, not a journal, in another format, damaged or
        changed; the message says what can still be read (see ``salvage``).
        """
        journal, wrong = cls._read(path, read_only=read_only)
        if wrong:
            journal.close()
            if journal.rows:
                advice = (
                    f"'fireplan salvage' can save {counted(len(journal.rows), 'earlier input')}"
                )
            else:
                advice = "there are no earlier inputs to save"
            raise JournalError(f"{path}: {wrong}; {advice}")
        return journal

    @classmethod
    def salvage(cls, path: Path, into: Path) -> tuple[Journal, str]:
        """Return a new journal with the intact inputs of a damaged one, and a note of the fault.

        The note is "" if nothing was wrong. Raise ``JournalError`` if not even the head can be
        read, or if the new file cannot be written.
        """
        damaged, wrong = cls._read(path, read_only=True)
        damaged.close()
        return cls._create(into, damaged.head, damaged.rows), wrong or damaged.note

    @classmethod
    def _read(cls, path: Path, *, read_only: bool) -> tuple[Journal, str]:
        """Return a journal with its intact inputs, and the first fault, or "" if there is none."""
        with _refusing(path):
            file = ChainedFile.open(path, LIMITS, read_only=read_only)
        journal, wrong = cls(path, file, {}, []), ""
        try:
            with _refusing(path):
                lines = file.read()
                journal.head = _head(path, lines)
                try:
                    for line in lines:
                        journal.rows += _rows(line)
                except ChainedFileError:
                    raise
                except ValueError as error:
                    wrong = f"input {len(journal.rows) + 1} cannot be read ({error})"
        except BaseException:
            file.close()
            raise
        if not wrong and file.damaged:
            wrong = f"input {len(journal.rows) + 1} was changed or lost"
        return journal, wrong

    def append(self, *rows: JournalRow) -> None:
        """Append inputs, all or none; they are on disk when this returns.

        Raise ``JournalError``, without writing anything, if another process has written since this
        journal was opened, or the file cannot be written.
        """
        line = _line(rows[0]) if len(rows) == 1 else {"together": [*map(_line, rows)]}
        number = len(self.rows) + 1
        try:
            self._file.append(line)
        except ChangedError as error:
            raise JournalError(
                f"{self.path}: somebody else has written input {number} since this journal was opened here, so"
                " nothing was written; to continue from there, resume it"
            ) from error
        except ValueError as error:
            raise JournalError(f"{self.path}: input {number} {error}") from error
        self.rows += rows

    @property
    def digest(self) -> str:
        """The hash of the whole file, which identifies the game and its inputs so far."""
        return self._file.digest

    @property
    def note(self) -> str:
        """The remark on an unfinished last line, or "" if there is none."""
        if not self._file.unread:
            return ""
        return (
            f"its last line is unfinished ({self._file.unread} bytes), as an interrupted write or a cut"
            " copy leaves it; it stays in the file but is not counted as an input"
        )

    @property
    def outrun(self) -> bool:
        """True if another process has written to the file since it was opened, or damaged it."""
        return self._file.changed

    def close(self) -> None:
        """Close the journal's file."""
        self._file.close()


@contextmanager
def _refusing(path: Path) -> Iterator[None]:
    """Raise the errors of a file as ``JournalError`` with its path."""
    try:
        yield
    except FileNotFoundError as error:
        raise JournalError(f"{path}: no such journal") from error
    except NeverBegunError as error:
        raise JournalError(
            f"{path}: {error}; it contains no game. If it is a copy, copy it again; otherwise choose"
            " another file"
        ) from error
    except JournalError:
        raise
    except ValueError as error:
        raise JournalError(f"{path}: {error}") from error
    except OSError as error:
        raise JournalError(f"{path}: cannot be read ({error.strerror})") from error


def _head(path: Path, lines: Iterator[dict[str, Any]]) -> dict[str, Any]:
    """Return the head of a journal, without the keys that identify its type and format.

    Raise ``JournalError`` if the file is not a journal, or if its format is not ``FORMAT``.
    """
    try:
        head = next(lines)
    except ChainedFileError:
        raise
    except ValueError as error:
        raise JournalError(
            f"{path}: the head cannot be read, so neither can the rest ({error})"
        ) from error
    kind, version = head.pop("fireplan", None), head.pop("format", None)
    if kind != "journal":
        raise JournalError(f"{path}: is not a journal")
    if version != FORMAT:
        newer = isinstance(version, int) and version > FORMAT
        advice = "update it" if newer else "open it with the fireplan that wrote it"
        raise JournalError(
            f"{path}: has format {version}, but this fireplan reads format {FORMAT}: {advice}"
        )
    return head


def _line(row: JournalRow) -> dict[str, Any]:
    """Return the JSON object that represents a row."""
    return {"kind": row.kind, **row.payload, "after": row.after}


def _rows(line: dict[str, Any]) -> list[JournalRow]:
    """Return the rows of a line; raise ``ValueError`` if it has none."""
    try:
        return [
            JournalRow(str(each.pop("kind")), each, str(each.pop("after")))
            for each in line.get("together", [line])
        ]
    except (AttributeError, KeyError, TypeError):
        raise ValueError("not written by fireplan") from None
