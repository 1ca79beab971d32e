"""Say what is wrong with a file: faults, the error that carries them, keys as written, and checks that many share."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from difflib import get_close_matches
from importlib.resources.abc import Traversable
from typing import Any

import attrs

Complaint = tuple[str, str, str]


def entry(meaning: str, default: Any = attrs.NOTHING, **more: Any) -> Any:
    """Return a field of a class that a file is read into: its meaning, its default, and what else is known of it.

    That is whatever ``read_file`` looks for: ``range``, ``example``, ``parse`` ...
    """
    return attrs.field(default=default, metadata={"help": meaning, **more})


def flag(meaning: str) -> Any:
    """Return such a field that is false unless a file says otherwise."""
    return entry(meaning, default=False)


def near(word: str, names: Iterable[str], cutoff: float = 0.6) -> str | None:
    """Return the name that a word comes nearest to, if any.

    Capitals, hyphens and blanks do not count.
    """
    folded = {_folded(name): name for name in names}
    return next(
        (
            folded[name]
            for name in get_close_matches(_folded(word[:SHOWN]), folded, n=1, cutoff=cutoff)
        ),
        None,
    )


def _folded(word: str) -> str:
    return word.strip().casefold().replace("-", "_").replace(" ", "_")


def repeated(form: object, *tables: str, by: str = "name") -> Iterator[Complaint]:
    """Yield every entry of these tables of a file that has the name of one before it."""
    seen: set[str] = set()
    for table in tables:
        for number, entry in enumerate(getattr(form, table)):
            name = getattr(entry, by)
            if name in seen:
                yield (
                    f"{table}[{number}].{by}",
                    f'"{name}" stands twice',
                    "give each a name of its own",
                )
            seen.add(name)


def unknown(
    form: object, known: Collection[str], what: str, *tables: str, by: str = ""
) -> Iterator[Complaint]:
    """Yield every entry of these tables whose ``by`` (the word for it, if that is the same) is none of those known."""
    by = by or what
    for table in tables:
        for number, entry in enumerate(getattr(form, table)):
            name = getattr(entry, by)
            if name not in known:
                yield (
                    f"{table}[{number}].{by}",
                    f"there is no {what} {name}",
                    f"one of {', '.join(known)}",
                )


def unread(
    key: str, texts: Iterable[str | None], parse: Callable[[str], object], hint: str
) -> Iterator[Complaint]:
    """Yield every text that cannot be read; what is left out is well."""
    for text in texts:
        try:
            if text is not None:
                parse(text)
        except ValueError as error:
            yield key, str(error), hint


def shipped(folder: Traversable) -> dict[str, Traversable]:
    """Return the TOML files of a folder by their names without the ending, in order."""
    found = {
        file.name.removesuffix(".toml"): file
        for file in folder.iterdir()
        if file.name.endswith(".toml")
    }
    return dict(sorted(found.items()))


MOST = 100  # faults that are named one by one
SHOWN = 40  # characters of a wrong value that are quoted back
_KEY = re.compile(r'\[(\d+)\]|"([^"]*)"|([^.\[\]"]+)')

Keys = tuple[str | int, ...]
"""The way to a value: keys of tables, and the places of list entries, counted from 0."""


@attrs.frozen
class Fault:
    """One thing wrong with a file.

    ``file`` is its name and ``key`` the keys at fault (``target.men``, ``unit[2].place`` with entries counted from
    0), empty for the file as a whole. ``line`` counts from 1 and is None where no line can be told: a missing key
    has at best that of its table.
    """

    file: str
    key: str
    line: int | None
    message: str
    suggestion: str

    @property
    def path(self) -> str:
        """Return file name and keys, such as ``woods.toml: target.men``."""
        return f"{self.file}: {self.key}" if self.key else self.file


class FileError(ValueError):
    """A file that cannot be used; ``faults`` holds all that is wrong, in the order of the file."""

    def __init__(self, faults: tuple[Fault, ...]) -> None:
        super().__init__(faults)
        self.faults = faults

    def __str__(self) -> str:
        return describe(self.faults)


class WrongValueError(ValueError):
    """One wrong value or key: what is wrong with it and what to write instead."""

    def __init__(self, message: str, suggestion: str) -> None:
        super().__init__(message, suggestion)
        self.message = message
        self.suggestion = suggestion

    def __str__(self) -> str:
        return self.message


def describe(faults: Iterable[Fault]) -> str:
    """Return the faults as text, one line each: file, line, keys, what is wrong and what to write instead."""
    return "\n".join(
        ": ".join(
            part
            for part in (fault.file, fault.line and f"line {fault.line}", fault.key, fault.message)
            if part
        )
        + (f" - {fault.suggestion}" if fault.suggestion else "")
        for fault in faults
    )


def plain(text: str, most: int = SHOWN) -> str:
    """Return text that is safe to print: at most so many characters, on one line, no control characters."""
    short = text if len(text) <= most else text[:most] + "..."
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in short
    )


def written(keys: Keys) -> str:
    """Return keys as they are written in a file and in faults: ``unit[2].place``, odd keys in quotes."""
    text = ""
    for key in keys:
        if isinstance(key, int):
            text += f"[{key}]"
        else:
            text += f".{written_key(key)}" if text else written_key(key)
    return text


def keys_of(text: str) -> Keys:
    """Return keys from their written form."""
    return tuple(
        int(found[1]) if found[1] else found[3] or found[2] or "" for found in _KEY.finditer(text)
    )


def written_key(key: str) -> str:
    """Return a key as it is written in a file: in quotes unless it is plain letters, digits, - and _."""
    return key if key.isascii() and key.replace("-", "_").isidentifier() else f'"{plain(key)}"'
