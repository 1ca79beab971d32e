"""Reading a TOML file into an object, either directly or through a ``Document``.

The module ``toml`` parses TOML and finds line numbers; ``plain_values`` reads single values.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from importlib.resources.abc import Traversable
from itertools import chain, islice
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

import attrs
from cattrs import (
    AttributeValidationNote,
    BaseValidationError,
    ClassValidationError,
    Converter,
    ForbiddenExtraKeysError,
    IterableValidationError,
    IterableValidationNote,
)
from cattrs.gen import make_dict_structure_fn, override

from fireplan_core._ordinary import read_ordinary
from fireplan_core.files.faults import (
    MOST,
    MOST_NAMES,
    Complaint,
    Fault,
    FileError,
    Keys,
    dotted_keys,
    keys_of,
    near,
    nearest,
    printable,
)
from fireplan_core.files.plain_values import FileEntry, all_entries, file_entries, reader_of, show
from fireplan_core.files.toml import lines_of, parse

T = TypeVar("T")
_Wrong = tuple[Keys, str, str]
"""The keys at fault, the problem, and a suggestion."""

_NAMED = 20  # maximum number of unknown keys listed for a table
_ENTRIES = 1000  # maximum length of a list or free table; the longest shipped has a few dozen
_CONVERTER = Converter(forbid_extra_keys=True)
_Read = Callable[[Any], Any]


# -- one reading function for each entry


@cache
def _table_reader(cls: type, header: tuple[str, ...] = ()) -> _Read:
    """Return a function that reads the table under the keys ``header`` into an object of ``cls``.

    Each entry has its own strict hook, so that all faults are collected.
    """
    hooks: dict[str, Any] = {
        name: override(struct_hook=_hook(_entry_reader(entry)))
        for name, entry in file_entries(cls, header).items()
    }
    build: Callable[[Any, type], Any] = make_dict_structure_fn(cls, _CONVERTER, **hooks)
    return lambda value: build(value, cls)


def _hook(read: _Read) -> Callable[[Any, Any], Any]:
    return lambda value, _: read(value)


def _entry_reader(entry: FileEntry) -> _Read:
    read = _inner_table_reader(entry) if entry.of_tables else reader_of(entry)
    if entry.listed:
        return lambda value: tuple(_each(dict(enumerate(_list(entry, value))), read).values())
    if entry.keyed:
        return lambda value: _each(_table(entry, value), read)
    return read


def _inner_table_reader(entry: FileEntry) -> _Read:
    # Building is postponed until a file has such a table, because most files have only a few.
    return lambda value: _table_reader(entry.item, (*entry.header, entry.name))(
        _table(entry, value)
    )


def _table(entry: FileEntry, value: object) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    hint = (
        entry.hint("write " if entry.of_tables else "such as ")
        if entry.of_tables or "example" in entry.field.metadata
        else entry.helped(f"write {entry.heading} with key = value below it")
    )
    raise FileError.of(f"expected a table, got {show(value)}", hint)


def _list(entry: FileEntry, value: object) -> list[Any]:
    if isinstance(value, list):
        return value
    expected = "tables in double brackets" if entry.of_tables else "a list"
    raise FileError.of(f"expected {expected}, got {show(value)}", entry.hint("write "))


def _each(items: Mapping[Any, object], read: _Read) -> dict[Any, Any]:
    """Return all items as read, by their indices or keys.

    Raises the errors of invalid items together, at most one more than will be listed, and
    ``FileError`` if there are too many items.
    """
    if len(items) > _ENTRIES:
        raise FileError.of(
            f"expected at most {_ENTRIES} entries, got {len(items)}", "is it the right file?"
        )
    values: dict[Any, Any] = {}
    errors: list[Exception] = []
    for index, item in items.items():
        try:
            values[index] = read(item)
        except (FileError, BaseValidationError) as error:
            error.add_note(IterableValidationNote("", index, Any))
            errors.append(error)
            if len(errors) > MOST:
                break
    if errors:
        raise IterableValidationError("", errors, dict)
    return values


# -- turning the converter's report into faults


def _collect(error: BaseValidationError, above: Keys, top: type) -> Iterator[_Wrong]:
    """Yield (keys, message, suggestion) for each error in a converter's report.

    ``above`` are the keys of the tables around the errors, ``top`` is the class of the file.
    """
    for fault in error.exceptions:
        keys = (*above, *_key_of(fault))
        if isinstance(fault, BaseValidationError):
            yield from _collect(fault, keys, top)
        elif isinstance(fault, ForbiddenExtraKeysError):
            yield from _unknown(fault.cl, sorted(fault.extra_fields), above, top)
        elif isinstance(fault, FileError):
            yield from ((keys, wrong.message, wrong.suggestion) for wrong in fault.faults)
        elif isinstance(fault, KeyError) and fault.args == keys[-1:]:
            yield keys, *_missing(error.cl, keys)
        else:  # a bug in the code, not a fault in the file
            raise fault


def _key_of(fault: Exception) -> Keys:
    for note in getattr(fault, "__notes__", ()):
        if isinstance(note, AttributeValidationNote):
            return (note.name,)
        if isinstance(note, IterableValidationNote):
            return (note.index,)
    return ()


def _missing(cls: type, keys: Keys) -> tuple[str, str]:
    *above, name = (key for key in keys if isinstance(key, str))
    entry = file_entries(cls, tuple(above))[name]
    what = "table" if entry.of_tables else "key"
    return f"this {what} is missing", entry.hint("add ")


def _unknown(cls: type, names: list[str], above: Keys, top: type) -> Iterator[_Wrong]:
    expected = file_entries(cls)
    homes = _tables_by_key(top)
    for name in names[:_NAMED]:
        meant = near(name, tuple(expected))
        if name in homes:
            hint = f"it belongs {' or '.join(homes[name])}"
        elif meant:
            hint = expected[meant].helped(f"did you mean {meant}?")
        else:
            hint = _possible(name, expected)
        yield (*above, name), "unknown key", hint
    if len(names) > _NAMED:
        problem = f"{len(names) - _NAMED} more unknown keys"
        yield above, problem, _possible(names[_NAMED], expected)


def _possible(name: str, expected: Collection[str]) -> str:
    """Return a hint that lists the possible keys, or the nearest ones if there are too many."""
    if len(expected) <= MOST_NAMES:
        return f"possible here: {', '.join(expected)}"
    return f"{len(expected)} are possible here, such as {', '.join(nearest(name, expected))}"


@cache
def _tables_by_key(top: type) -> dict[str, list[str]]:
    """Return, for each key, phrases such as ``under [target]`` for the tables in which it is valid.

    The phrases are used in hints about keys in the wrong table. ``top`` is the class of the file.
    """
    headings = {(*entry.header, entry.name): entry.heading for entry in all_entries(top)}
    homes: dict[str, list[str]] = {}
    for entry in all_entries(top):
        place = (
            f"under {headings[entry.header]}"
            if entry.header
            else "at the top of the file, above the first [table]"
        )
        homes.setdefault(entry.name, []).append(place)
    return homes


MAX_BYTES = 64_000  # shipped files are 1 to 6 kB long; the limit stops hostile files
_MESSAGE = 1000  # maximum length of a fault's message, which may quote the file
_NAME = 255  # maximum number of characters printed from a file name


@attrs.frozen(eq=False, repr=False)
class Document:
    """A TOML file before it is read into an object: its name, its text, and its tables.

    >>> import attrs
    >>> @attrs.frozen(kw_only=True)
    ... class Raid:
    ...     guns: int = entry("number of tubes", range=(1, 12))
    >>> Document.of("raid.toml", "guns = 4").read(Raid)
    Raid(guns=4)
    """

    name: str
    text: str
    content: Mapping[str, Any]

    @classmethod
    def of(cls, name: str, text: str) -> Document:
        """Return a document with this text; raises ``FileError`` if it is not TOML."""
        return cls(name, text, parse(name, text))

    def over(self, table: str, entries: Mapping[str, Any]) -> Document:
        """Return the document with entries added to one table or replaced in it.

        The document is returned unchanged if the name stands for a value that is not a table.
        """
        old = self.content.get(table, {})
        # ``read`` reports a value that is not a table.
        if not entries or not isinstance(old, dict):
            return self
        return attrs.evolve(self, content={**self.content, table: {**old, **entries}})

    def read(self, kind: type[T], faults: Callable[[T], Iterable[Complaint]] | None = None) -> T:
        """Return the content as an object of an attrs class (see ``read_file``).

        ``faults`` yields the faults of the object that its class cannot find by itself. Raises
        ``FileError`` listing all faults.
        """
        top: type = kind
        try:
            value: T = _table_reader(top)(self.content)
        except ClassValidationError as error:
            raise self._error(_collect(error, (), top)) from None
        check = getattr(value, "check", None)
        own = check() if check else ()
        complaints = list(islice(chain(own, faults(value) if faults else ()), MOST + 1))
        if complaints:
            raise self.error(complaints)
        return value

    def error(self, complaints: Iterable[tuple[str, str, str]]) -> FileError:
        """Return the error for these complaints (see ``read_file``), in the order of the file."""
        return self._error((keys_of(key), message, hint) for key, message, hint in complaints)

    def _error(self, errors: Iterable[_Wrong]) -> FileError:
        named = list(islice(errors, MOST + 1))
        cut_off = len(named) > MOST
        del named[MOST:]
        lines = lines_of(
            self.text, {keys[:n] for keys, *_ in named for n in range(1, len(keys) + 1)}
        )
        faults = [
            Fault(
                printable(message, _MESSAGE),
                printable(hint, _MESSAGE),
                key=dotted_keys(keys),
                line=next(
                    (lines[keys[:n]] for n in range(len(keys), 0, -1) if keys[:n] in lines), None
                ),
                file=self.name,
            )
            for keys, message, hint in named
        ]
        faults.sort(key=lambda fault: (fault.line or 0, fault.key))
        if cut_off:
            faults.append(
                Fault(
                    "more faults than are listed here",
                    "correct these and try again",
                    file=self.name,
                )
            )
        return FileError(tuple(faults))


def read_file(
    path: Path | Traversable,
    kind: type[T],
    *,
    what: str = "file",
    shipped: Mapping[str, object] | None = None,
) -> T:
    r"""Return the object of an attrs class that a TOML file describes.

    A field may be text, an integer, a boolean, a date, a ``Literal`` choice, another attrs class (a
    table), or a mapping from text to plain values (a table with free keys). It may also be ``X |
    None`` (omitted for None) or a tuple of any of these; ``tuple[Unit, ...]`` is written as
    ``[[unit]]``, with the name of the field. Nothing is converted: 2.5 is not 2, true is not 1 and
    "120" is not 120. A list or a table with free keys has at most 1000 entries.

    A field's metadata may contain ``help`` (its meaning, printed with faults), ``example`` (for
    fields without a default), ``range`` (smallest and greatest number, inclusive) and ``multiline``
    (the text may have several lines). It may also contain ``parse``, a function from text to a
    value, whose ValueError is reported as the fault; in lists and tables with free keys, it is
    called for each text.

    If the class has a method ``check(self) -> Iterable[tuple[str, str, str]]``, it is called once
    all values are valid, and yields further faults. A fault consists of the keys
    (``unit[2].place``, counted from 0; empty for the file as a whole), the problem, and a
    suggestion, which may be empty.

    ``what`` is the term for this kind of file, and ``shipped`` lists the names that can be given
    instead of a path; both are used only in faults. Raises ``FileError`` listing all faults (at
    most the first hundred), or the first syntax error in a file that is not TOML.

    >>> from pathlib import Path
    >>> from fireplan_core import OwnTroops
    >>> file = Path("own.toml")
    >>> size = file.write_text("distance_m = 200\n")
    >>> read_file(file, OwnTroops)
    OwnTroops(distance_m=200, men=40)
    """
    return parse_toml(path, what=what, shipped=shipped).read(kind)


def parse_toml(
    path: Path | Traversable, *, what: str = "file", shipped: Mapping[str, object] | None = None
) -> Document:
    r"""Return a TOML file as a document, which can be inspected before it is read into a class.

    Raises ``FileError`` for a file that cannot be opened, is too large, or is not TOML in UTF-8. If
    the file is missing, the hint suggests names from ``shipped``; ``what`` is the term for this
    kind of file.

    >>> from pathlib import Path
    >>> file = Path("raid.toml")
    >>> size = file.write_text("[target]\nmen = 40\n")
    >>> parse_toml(file).content
    {'target': {'men': 40}}
    """
    name = printable(path.name or str(path), _NAME)
    text = _text_of(path, name, what, shipped or {})
    return Document.of(name, text)


def _text_of(path: Path | Traversable, name: str, what: str, shipped: Mapping[str, object]) -> str:
    def refusal(message: str, suggestion: str, line: int | None = None) -> FileError:
        return FileError((Fault(message, suggestion, line=line, file=name),))

    try:
        data = read_ordinary(path, MAX_BYTES)
    except FileNotFoundError:
        or_shipped = f" or shipped {what}" if shipped else ""
        raise refusal(f"no such file{or_shipped}", _near_files(path, what, shipped)) from None
    except IsADirectoryError:
        raise refusal("this is a folder", "name a file in it") from None
    except (OSError, ValueError) as error:  # ValueError: a path with a null character
        reason = error.strerror if isinstance(error, OSError) else None
        raise refusal(f"cannot be opened: {reason or error}", "check the path") from None
    if len(data) > MAX_BYTES:
        raise refusal(
            f"larger than {MAX_BYTES // 1000} kB",
            "expected a few pages of text: is it the right file?",
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise refusal("not UTF-8 text", "save the file in the encoding UTF-8", line) from None


def _near_files(path: Path | Traversable, what: str, shipped: Mapping[str, object]) -> str:
    """Return a hint for a missing file: similar names, and the names of all shipped files.

    The similar names are those of shipped files and of TOML files in the folder.
    """
    names = {PurePosixPath(name).name: name for name in shipped}
    with suppress(OSError, ValueError):  # an unreadable folder offers no suggestions
        names |= {
            file.stem: printable(file.name)
            for file in sorted(Path(str(path)).parent.glob("*.toml"))
        }
    # A shipped name may have several parts, so compare the whole name, then the last part.
    near = difflib.get_close_matches(str(path), shipped, n=1)
    near += [names[stem] for stem in difflib.get_close_matches(Path(path.name).stem, names)]
    hints = [f"did you mean {' or '.join(dict.fromkeys(near))}?"] if near else []
    if shipped:
        hints.append(f"shipped {what}s: {', '.join(shipped)}")
    return " ".join(hints) or "check the path"
