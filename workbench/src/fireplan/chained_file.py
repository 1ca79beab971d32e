"""Text files that only grow: one JSON object per line, chained by hashes.

The last value of a line, ``hash``, is the SHA-256 of all bytes of the file before that value. A
line is written in two steps, each synced to the disk: its text, then its end (``"}`` and the line
break). So an interrupted write leaves a last line without that end. Such a line does not count, but
it stays in the file, and the hash of the next line covers it. A line with its end but a wrong hash
was changed after it was written.

A file may come from an untrusted source. Only an ordinary file is opened, no other file is touched,
and reading stops at fixed limits.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import time  # noqa: TID251 - waits for the lock of another program; no result depends on it
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any

import attrs
import portalocker

_HASH, _END = b', "hash": "', b'"}\n'
BEGINNINGS = (b'{"fireplan": "', b"SQLite format 3\0")
"""The first bytes of these files, and of the databases that an older fireplan wrote."""
_INTERRUPTED = b" (interrupted)\n"
"""Ends the remains of an interrupted write, so that the next entry starts a new line."""
_DIGITS = 64
_TRIES, _PAUSE = 500, 0.01
"""The number of attempts to lock a file, and the seconds between two attempts."""
_DEEPEST, _GREATEST = 10, 2**63


@attrs.frozen
class Limits:
    """The limits on a file: bytes, lines, bytes of a line, and values of all lines."""

    size: int = 32_000_000
    lines: int = 200_000
    line: int = 4_000_000
    values: int = 2_000_000


class ChainedFileError(ValueError):
    """A file that cannot be used; the message gives the reason, without the path."""


class NeverBegunError(ChainedFileError):
    """A file whose first line was never written to its end."""


class ChainedFile:
    """An open file of chained lines.

    ``lines`` counts its lines, and ``unread`` the bytes after the last valid line: the remains of
    an interrupted write, or changed lines if they are ``damaged``. All are known once ``read`` has
    reached the end.
    """

    def __init__(self, path: Path, descriptor: int, limits: Limits, *, read_only: bool) -> None:
        self._path = Path(os.path.abspath(path))  # noqa: PTH100 - links are not resolved
        self._stream = os.fdopen(descriptor, "rb" if read_only else "r+b", buffering=0)
        self._limits, self._read_only, self._held = limits, read_only, False
        self._digest = hashlib.sha256()
        self._size = self.lines = self.unread = 0
        self._last = b""

    @classmethod
    def create(
        cls, path: Path, objects: Sequence[Mapping[str, Any]], limits: Limits, *, mode: int = 0o600
    ) -> ChainedFile:
        """Create a file with a line for each object, the head first.

        ``mode`` has the permissions of the file, which is on disk when this returns. Raise
        ``FileExistsError`` if the path exists, or any error of ``append``, in which case no file is
        left behind.
        """
        flags = os.O_CREAT | os.O_EXCL | os.O_RDWR | getattr(os, "O_BINARY", 0)
        try:
            file = cls(path, os.open(path, flags, mode), limits, read_only=False)
        except FileExistsError:
            raise
        except OSError as error:
            reason = f"no file can be created in {path.parent} ({error.strerror})"
            raise ChainedFileError(f"cannot be written: {reason}") from error
        try:
            file.begin(*objects)
        except BaseException:
            file.close()
            os.unlink(path)  # noqa: PTH108 - this module reaches the disk through os alone
            raise
        return file

    @classmethod
    def open(
        cls, path: Path, limits: Limits, *, read_only: bool = False, create: bool = False
    ) -> ChainedFile:
        """Open a file without reading it; with ``create``, a missing one is created, empty.

        Raise ``FileNotFoundError`` if it is missing, or ``ChainedFileError`` if it is not an
        ordinary file of an allowed size, or cannot be opened. A link is followed only with
        ``read_only``.
        """
        if not read_only and path.is_symlink():
            target = os.path.realpath(path)
            raise ChainedFileError(f"is a link; to write to its target, name {target} instead")
        flags = os.O_RDONLY if read_only else os.O_RDWR | getattr(os, "O_NOFOLLOW", 0)
        # Non-blocking, because opening a pipe without a writer would wait forever.
        for name in ("O_BINARY", "O_NONBLOCK", "O_NOCTTY"):
            flags |= getattr(os, name, 0)
        try:
            if create and not os.path.lexists(path):
                flags |= os.O_CREAT
            else:
                # Check before opening, because opening a device may have effects.
                _check_ordinary(path.stat(), limits)
            descriptor = os.open(path, flags, 0o666)
        except (FileNotFoundError, ChainedFileError):
            raise
        except (OSError, ValueError) as error:  # ValueError: a null character in the path
            reason = getattr(error, "strerror", None) or error
            how = "read" if read_only else "opened for writing"
            raise ChainedFileError(f"cannot be {how} ({reason})") from error
        try:
            _check_ordinary(os.fstat(descriptor), limits)
        except BaseException:
            os.close(descriptor)
            raise
        return cls(path, descriptor, limits, read_only=read_only)

    def begin(self, *objects: Mapping[str, Any]) -> None:
        """Write the first lines of a file that was never begun; the head comes first.

        They are on the disk when this returns. Raise the errors of ``append``.
        """
        try:
            os.ftruncate(self._stream.fileno(), 0)
            self._digest, self._size, self.lines, self.unread = hashlib.sha256(), 0, 0, 0
            self._last = b""
            self.append(*objects)
            _sync_folder(self._path.parent)
        except OSError as error:
            raise ChainedFileError(f"cannot be written ({error.strerror})") from error

    def read(self) -> Iterator[dict[str, Any]]:
        """Yield the object of every valid line, without its hash; the head comes first.

        Raise ``NeverBegunError`` or ``ChainedFileError`` if there is no head, and ``ValueError``
        for a line that ``append`` never writes, or beyond the limits.
        """
        limits, digest = self._limits, hashlib.sha256()
        self._size = self.lines = self.unread = values = 0
        with (
            self._locked(),
            os.fdopen(self._stream.fileno(), "rb", closefd=False) as stream,
        ):
            stream.seek(0)
            for number in count(1):
                line = stream.readline(limits.line + 1)
                self._size += len(line)
                if not line:
                    if number == 1:
                        raise NeverBegunError("is empty")
                    break
                if number > limits.lines or self._size > limits.size or len(line) > limits.line:
                    raise ValueError("larger than allowed")
                self.lines, self._last = number, line[-_DIGITS - len(_END) :]
                whole = _is_whole(line, digest)
                if number == 1 and not whole:
                    raise _no_head(line)
                self.unread = 0 if whole else self.unread + len(line)
                if whole:
                    text = line[: -len(_HASH) - _DIGITS - len(_END)] + b"}"
                    values += sum(text.count(sign) for sign in (b",", b"[", b"{"))
                    if values > limits.values:
                        raise ValueError("more values than allowed")
                    yield _parsed(text)
            if not self._read_only:  # sync lines whose writer was killed before it did
                os.fsync(self._stream.fileno())
        self._digest = digest

    @property
    def digest(self) -> str:
        """The hash of all bytes that were read or written."""
        return self._digest.hexdigest()

    @property
    def damaged(self) -> bool:
        """True if the last lines were changed after they were written."""
        return self.unread > 0 and self._last.endswith(_END)

    def append(self, *objects: Mapping[str, Any]) -> None:
        """Append a line for each object; they are on the disk when this returns.

        Of several lines only the last is written in two steps. Raise ``ValueError`` for an object
        that cannot be written, or ``ChainedFileError`` if another process has written or the
        disk is full; the file is then unchanged.
        """
        if not objects:
            return
        digest = self._digest.copy()
        lines = [_INTERRUPTED] if self.unread else []
        digest.update(b"".join(lines))
        lines += [_line(line_text(each), digest) for each in objects]
        text = b"".join(lines)
        if self._read_only:
            raise ChainedFileError("cannot be written: it was opened read-only")
        limits, size = self._limits, self._size
        if size + len(text) > limits.size or self.lines + len(lines) > limits.lines:
            raise ChainedFileError(f"cannot be written: it is full ({size:,} bytes)")
        with self._locked():
            if self.changed:
                raise ChangedError
            try:
                self._write(size, text[: -len(_END)])
                self._write(size + len(text) - len(_END), _END)
            except BaseException as error:
                with suppress(OSError):
                    os.ftruncate(self._stream.fileno(), size)
                    os.fsync(self._stream.fileno())
                if isinstance(error, OSError):
                    raise ChainedFileError(f"cannot be written ({error.strerror})") from error
                raise
        self._digest, self.unread = digest, 0
        self._size, self.lines = size + len(text), self.lines + len(lines)
        self._last = text[-_DIGITS - len(_END) :]

    @property
    def changed(self) -> bool:
        """True if the file has changed since it was last read or written here."""
        try:
            descriptor = self._stream.fileno()
            here, there = os.fstat(descriptor), self._path.stat()
            same = (here.st_dev, here.st_ino) == (there.st_dev, there.st_ino)
            if not same or here.st_size != self._size:
                return True
            os.lseek(descriptor, self._size - len(self._last), os.SEEK_SET)
            return os.read(descriptor, len(self._last)) != self._last
        except (OSError, ValueError):  # e.g. the file was closed
            return True

    def hold(self) -> None:
        """Keep other processes from writing until this file is closed.

        Raise ``ChainedFileError`` if another process holds it.
        """
        self._lock(tries=1)
        self._held = True

    def close(self) -> None:
        """Close the file; every line has been synced already, so nothing is lost."""
        with suppress(OSError):  # e.g. in a browser, the file may be closed already
            self._stream.close()

    __del__ = close

    def _write(self, place: int, text: bytes) -> None:
        """Write bytes at a place and sync them to the disk."""
        descriptor = self._stream.fileno()
        os.lseek(descriptor, place, os.SEEK_SET)
        while text:
            text = text[os.write(descriptor, text) :]
        os.fsync(descriptor)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        if self._held:
            yield
            return
        self._lock(tries=_TRIES)
        try:
            yield
        finally:
            # Unlocking fails if the file was closed in the meantime.
            with suppress(portalocker.LockException, ValueError):
                portalocker.unlock(self._stream.fileno())

    def _lock(self, *, tries: int) -> None:
        """Lock the open file itself: a shared lock to read, an exclusive lock to write.

        Raise ``ChainedFileError`` if another program still holds it after ``tries`` attempts, or if
        it cannot be locked for writing.
        """
        flags = portalocker.LOCK_SH if self._read_only else portalocker.LOCK_EX
        for attempt in range(tries):
            try:
                portalocker.lock(self._stream.fileno(), flags | portalocker.LOCK_NB)
            except portalocker.AlreadyLocked:
                if attempt < tries - 1:
                    time.sleep(_PAUSE)
                continue
            except (portalocker.LockException, ImportError) as error:
                if not self._read_only:
                    raise ChainedFileError(f"cannot be locked for writing ({error})") from error
            return
        raise ChainedFileError("is in use by another program; try again")


class ChangedError(ChainedFileError):
    """A file to which another process has written since it was last read or written here."""


def line_text(content: Mapping[str, Any]) -> bytes:
    """Return an object as the text of its line.

    Raise ``ValueError`` if it cannot be encoded.
    """
    text = json.dumps(content, ensure_ascii=False, allow_nan=False)
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(
            f"cannot be written: {text[error.start]!a} is not a complete character"
        ) from error


def _line(text: bytes, digest: Any) -> bytes:
    """Return the line for a JSON object: its text with the running hash as the last member.

    ``digest`` has hashed every byte before this line, and is updated with the line.
    """
    body = text[:-1] + _HASH
    digest.update(body)
    end: bytes = digest.hexdigest().encode() + _END
    digest.update(end)
    return body + end


def _is_whole(line: bytes, digest: Any) -> bool:
    """Return whether a line ends in the hash of all bytes before it; update ``digest`` with it."""
    at = max(0, len(line) - _DIGITS - len(_END))
    digest.update(line[:at])
    computed = digest.hexdigest().encode() + _END
    digest.update(line[at:])
    return line[:at].endswith(_HASH) and line[at:] == computed


def _parsed(text: bytes) -> dict[str, Any]:
    """Return the object of a line.

    Raise ``ValueError`` for a text that ``line_text`` never produces, such as one with unusual
    numbers, deep nesting or lone surrogates.
    """
    with suppress(ValueError, RecursionError):
        content = json.loads(text.decode())
        if (
            isinstance(content, dict)
            and _is_plain(content, _DEEPEST)
            and line_text(content) == text
        ):
            return content
    raise ValueError("not written by fireplan")


def _is_plain(value: Any, depth: int) -> bool:
    if isinstance(value, dict | list):
        inner = value.values() if isinstance(value, dict) else value
        return depth > 0 and all(_is_plain(item, depth - 1) for item in inner)
    return (
        value is None
        or isinstance(value, str | bool)
        or (isinstance(value, int) and abs(value) < _GREATEST)
    )


def _no_head(line: bytes) -> ChainedFileError:
    """Return the error for a file with this first line."""
    start, database = BEGINNINGS
    if line.startswith(database):
        return ChainedFileError(
            "is a database written by an older fireplan: open it with that version"
        )
    if line[: len(start)] != start[: len(line)]:
        return ChainedFileError("was not written by fireplan")
    if line.endswith(b"\n"):
        return ChainedFileError(
            "its first line was changed after it was written, so none of it can be trusted"
        )
    return NeverBegunError("its first line was never written to its end")


def _check_ordinary(status: os.stat_result, limits: Limits) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise ChainedFileError("is not an ordinary file")
    if status.st_size > limits.size:
        raise ChainedFileError(
            f"larger than {limits.size // 1_000_000} MB, the limit for such a file"
        )


def _sync_folder(folder: Path) -> None:
    """Sync a folder to the disk, so that a new file's name is stored; Windows cannot do so."""
    if hasattr(os, "O_DIRECTORY"):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
