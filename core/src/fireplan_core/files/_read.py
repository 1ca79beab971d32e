"""Opening a file, and the two ways to read one: at once into a class, or first the content and then the class.

TOML and lines are the matter of ``_toml``, classes and values that of ``_values``.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from importlib.resources.abc import Traversable
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

import attrs

from fireplan_core._ordinary import read_ordinary
from fireplan_core.files._faults import MOST, Fault, FileError, Keys, WrongValueError, keys_of, plain, written
from fireplan_core.files._toml import lines_of, parse
from fireplan_core.files._values import read_values

T = TypeVar("T")

MAX_BYTES = 64_000  # a file of ours has 1 to 6 kB; the cap keeps hostile ones cheap
_MESSAGE = 1000  # characters of what is said of one fault; a class may quote the file
_NAME = 255  # characters of a file name that are printed


@attrs.frozen(eq=False, repr=False)
class Document:
    """The content of a TOML file that is not yet read into a class: ``name`` of the file, its text, its tables."""

    name: str
    text: str
    content: Mapping[str, Any]

    @classmethod
    def of(cls, name: str, text: str) -> Document:
        """Return the document of a text; raises ``FileError`` when it is no TOML."""
        return cls(name, text, parse(name, text))

    def over(self, table: str, entries: Mapping[str, Any]) -> Document:
        """Return the same with entries laid over those of one of its tables."""
        held = self.content.get(table, {})
        # What is no table is left to be refused.
        if not entries or not isinstance(held, dict):
            return self
        return attrs.evolve(self, content={**self.content, table: {**held, **entries}})

    def read(self, kind: type[T]) -> T:
        """Return the content as an object of an attrs class, in which a file may hold whatever ``read_file`` says.

        Raises ``FileError`` with all faults at once.
        """
        value = read_values(self.content, kind)
        if isinstance(value, list):
            raise self._error(value)
        check = getattr(value, "check", None)
        complaints = list(islice(check(), MOST + 1)) if check else []
        if complaints:
            raise self.error(complaints)
        return value

    def error(self, complaints: Iterable[tuple[str, str, str]]) -> FileError:
        """Return what ``check`` says is wrong with the content (see ``read_file``), in the order of the file."""
        return self._error((keys_of(key), WrongValueError(message, hint)) for key, message, hint in complaints)

    def _error(self, wrong: Iterable[tuple[Keys, WrongValueError]]) -> FileError:
        named = list(islice(wrong, MOST + 1))
        more = len(named) > MOST
        del named[MOST:]
        lines = lines_of(self.text, {keys[:n] for keys, _ in named for n in range(1, len(keys) + 1)})
        faults = [
            Fault(
                self.name,
                written(keys),
                # A key that is not there has the line of its table.
                next((lines[keys[:n]] for n in range(len(keys), 0, -1) if keys[:n] in lines), None),
                plain(fault.message, _MESSAGE),
                plain(fault.suggestion, _MESSAGE),
            )
            for keys, fault in named
        ]
        faults.sort(key=lambda fault: (fault.line or 0, fault.key))
        if more:
            faults.append(Fault(self.name, "", None, "more faults than are named here", "mend these and try again"))
        return FileError(tuple(faults))


def read_file(
    path: Path | Traversable, kind: type[T], *, what: str = "file", shipped: Mapping[str, object] | None = None
) -> T:
    """Read a TOML file into an object of an attrs class.

    Fields may be text, whole numbers, truth values, dates, ``Literal`` choices, other attrs classes (a table), a
    mapping of text to plain values (a table with free keys), ``X | None`` (left out for None), and tuples of any
    of these (``tuple[Unit, ...]`` is written as ``[[unit]]``, by the name of the field). Fields that a class
    inherits count as its own. Nothing is bent into shape: 2.5 is not 2, true is not 1 and "120" is not 120.
    A list, or a table with free keys, has 1000 entries at most.

    The metadata of a field may hold ``help`` (its meaning, printed with faults), ``example`` (for fields without
    a default), ``range`` (least and greatest number, both allowed), ``multiline`` (text may run over several lines)
    and ``parse``: a function from one text to a value, whose ValueError is printed as the fault; in lists and free
    tables it is called for each text.

    A method ``check(self) -> Iterable[tuple[str, str, str]]`` of the class yields what only shows when every value
    is good by itself: the keys at fault (``unit[2].place``, entries counted from 0; empty for the file as a whole),
    what is wrong, and what to write instead (or empty).

    ``what`` is the word for such a file and ``shipped`` the names that can be given instead of a path; both are
    used in faults alone. Raises ``FileError`` with all faults at once (of hundreds, the first); only a file that is
    no TOML stops at its first.
    """
    return parse_toml(path, what=what, shipped=shipped).read(kind)


def parse_toml(
    path: Path | Traversable, *, what: str = "file", shipped: Mapping[str, object] | None = None
) -> Document:
    """Return the content of a TOML file, for those who must look into it before they know the class it is read into.

    Raises ``FileError`` for a file that cannot be opened, is too large, or is no TOML in UTF-8.
    """
    name = plain(path.name or str(path), _NAME)
    text = _text_of(path, name, what, shipped or {})
    return Document.of(name, text)


def _text_of(path: Path | Traversable, name: str, what: str, shipped: Mapping[str, object]) -> str:
    def refusal(message: str, suggestion: str, line: int | None = None) -> FileError:
        return FileError((Fault(name, "", line, message, suggestion),))

    try:
        data = read_ordinary(path, MAX_BYTES)
    except FileNotFoundError:
        known = f" or shipped {what}" if shipped else ""
        raise refusal(f"no such file{known}", _near_files(path, what, shipped)) from None
    except IsADirectoryError:
        raise refusal("is a folder", "name a file in it") from None
    except (OSError, ValueError) as error:  # ValueError: a path with a null character
        reason = error.strerror if isinstance(error, OSError) else None
        raise refusal(f"cannot be opened: {reason or error}", "check the path") from None
    if len(data) > MAX_BYTES:
        raise refusal(f"larger than {MAX_BYTES // 1000} kB", "such a file is a few pages of text: is it the right one?")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise refusal("not UTF-8 text", "save the file with the encoding UTF-8", line) from None


def _near_files(path: Path | Traversable, what: str, shipped: Mapping[str, object]) -> str:
    """Return what may have been meant by a name: shipped files and the TOML files of its folder."""
    names = {PurePosixPath(name).name: name for name in shipped}
    with suppress(OSError, ValueError):  # a folder that cannot be looked into has nothing to propose
        names |= {file.stem: plain(file.name) for file in sorted(Path(str(path)).parent.glob("*.toml"))}
    # A shipped name may have several parts; it is compared whole first, then by its last part.
    near = difflib.get_close_matches(str(path), shipped, n=1)
    near += [names[stem] for stem in difflib.get_close_matches(Path(path.name).stem, names)]
    hints = [f"did you mean {' or '.join(dict.fromkeys(near))}?"] if near else []
    if shipped:
        hints.append(f"shipped {what}s: {', '.join(shipped)}")
    return " ".join(hints) or "check the path"
