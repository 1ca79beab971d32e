"""Faults in files, the error that carries them, the notation for keys, and common checks."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from difflib import get_close_matches
from importlib.resources.abc import Traversable
from typing import Any

import attrs

Complaint = tuple[str, str, str]
"""A fault yielded by a class's ``check``: the keys at fault, the problem, and a suggestion."""


def entry(meaning: str, default: Any = attrs.NOTHING, **more: Any) -> Any:
    """Return an attrs field for a class of files, with its meaning and default.

    ``more`` is further metadata for ``read_file``: ``range``, ``example``, ``parse`` and so on.

    >>> entry("number of tubes", 12, range=(1, 500)).metadata["range"]
    (1, 500)
    """
    return attrs.field(default=default, metadata={"help": meaning, **more})


def flag(meaning: str) -> Any:
    """Return a boolean attrs field for a class of files, with the default False.

    >>> flag("whether it is night").metadata["help"]
    'whether it is night'
    """
    return entry(meaning, default=False)


def near(word: str, names: Iterable[str], cutoff: float = 0.6) -> str | None:
    """Return the first name that begins with a word, or else the most similar name.

    Return None if no name is similar. Case, hyphens and spaces do not matter. ``cutoff`` is the
    least similarity that counts, from 0 to 1.

    >>> near("villag", ["village", "ridge"])
    'village'
    """
    folded, meant = {_folded(name): name for name in names}, _folded(word[:SHOWN])
    begun = [name for name in folded if name.startswith(meant)] if len(meant) >= _LEAST else []
    similar = begun or get_close_matches(meant, folded, n=1, cutoff=cutoff)
    return folded[similar[0]] if similar else None


def did_you_mean(word: str, names: Iterable[str], otherwise: str = "") -> str:
    """Return a suggestion for an unknown word: the name that it is near to, or ``otherwise``.

    >>> did_you_mean("vilage", ["village", "ridge"])
    'did you mean village?'
    """
    name = near(word, names)
    return f"did you mean {name}?" if name else otherwise


_LEAST = 4  # shorter prefixes match too many names
MOST_NAMES = 12
"""Maximum number of names listed in the message for an unknown one."""
_FEW = 3  # if at least this many names are similar, no others are listed


def nearest(word: str, names: Iterable[str]) -> list[str]:
    """Return at most twelve of these names, those most similar to a word first.

    If fewer than three names are similar, other names follow them.

    >>> nearest("rigde", ["village", "ridge"])
    ['ridge', 'village']
    """
    names = list(dict.fromkeys(names))
    similar = get_close_matches(word[:SHOWN], names, n=MOST_NAMES, cutoff=0.4)
    return similar if len(similar) >= _FEW else list(dict.fromkeys((*similar, *names)))[:MOST_NAMES]


def _folded(word: str) -> str:
    return word.strip().casefold().replace("-", "_").replace(" ", "_")


def repeated(form: object, *tables: str, by: str = "name") -> Iterator[Complaint]:
    """Yield a complaint for each entry in these tables that repeats an earlier entry's name.

    >>> from fireplan_core.ready_parts import PlainScenario, PlainUnit
    >>> units = (PlainUnit(id="t1", place="F8"), PlainUnit(id="t1", place="F9"))
    >>> raid = PlainScenario(game="my_game", title="A raid", moments=6, target="F8", unit=units)
    >>> list(repeated(raid, "unit", by="id"))
    [('unit[1].id', '"t1" appears twice', 'give each its own name')]
    """
    seen: set[str] = set()
    for table in tables:
        for number, entry in enumerate(getattr(form, table)):
            name = getattr(entry, by)
            if name in seen:
                yield (
                    f"{table}[{number}].{by}",
                    f'"{name}" appears twice',
                    "give each its own name",
                )
            seen.add(name)


def unknown_values(
    form: object, known: Collection[str], field: str, *tables: str
) -> Iterator[Complaint]:
    """Yield a complaint for each entry in these tables whose field has an unknown value.

    ``known`` contains the valid values.

    >>> from fireplan_core.ready_parts import PlainScenario, PlainUnit
    >>> unit = PlainUnit(id="t1", place="F8", cover="hedge")
    >>> raid = PlainScenario(game="my_game", title="A raid", moments=6, target="F8", unit=(unit,))
    >>> list(unknown_values(raid, ("open", "woods"), "cover", "unit"))
    [('unit[0].cover', 'there is no cover hedge', 'one of open, woods')]
    """
    for table in tables:
        for number, entry in enumerate(getattr(form, table)):
            name = getattr(entry, field)
            if name not in known:
                yield (
                    f"{table}[{number}].{field}",
                    f"there is no {field} {name}",
                    f"one of {', '.join(nearest(name, known))}",
                )


def unparsed_texts(
    key: str, texts: Iterable[str | None], parse: Callable[[str], object], hint: str
) -> Iterator[Complaint]:
    """Yield a complaint for each text that ``parse`` rejects with a ValueError; None is allowed.

    >>> list(unparsed_texts("minutes", ["40", "soon"], int, "write a number"))
    [('minutes', "invalid literal for int() with base 10: 'soon'", 'write a number')]
    """
    for text in texts:
        try:
            if text is not None:
                parse(text)
        except ValueError as error:
            yield key, str(error), hint


def shipped(folder: Traversable) -> dict[str, Traversable]:
    """Return the TOML files in a folder by name without the extension, in sorted order.

    >>> from pathlib import Path
    >>> size = Path("raid.toml").write_text("")
    >>> list(shipped(Path()))
    ['raid']
    """
    toml_files = {
        file.name.removesuffix(".toml"): file
        for file in folder.iterdir()
        if file.name.endswith(".toml")
    }
    return dict(sorted(toml_files.items()))


MOST = 100  # maximum number of faults listed
SHOWN = 40  # maximum number of characters quoted from a wrong value
_KEY = re.compile(r'\[(\d{1,9})\]|"([^"]*)"|([^.\[\]"]+)')

Keys = tuple[str | int, ...]
"""The path to a value: the keys of tables and the indices of list entries."""


@attrs.frozen
class Fault:
    """A fault in a file, a form or a URL.

    ``suggestion`` says what to write instead. ``key`` gives the keys at fault (``target.men``,
    ``unit[2].place``) or the parameter; it is empty if the fault concerns the whole file, form or
    URL. ``line`` counts from 1, or is None if no line applies. A missing key has the line of its
    table. ``file`` is the name of the file, or empty if the fault is not in a file.

    >>> fault = Fault("expected at least 1, got 0", key="target.men", line=12, file="woods.toml")
    >>> print(fault)
    woods.toml: line 12: target.men: expected at least 1, got 0
    """

    message: str
    suggestion: str = ""
    key: str = ""
    line: int | None = None
    file: str = ""

    def __str__(self) -> str:
        """Return the fault as text: file, line number, keys, problem and suggestion."""
        line = f"line {self.line}" if self.line else ""
        return ": ".join(filter(None, (self.file, line, self.key, self.problem)))

    @property
    def problem(self) -> str:
        """The message, followed by the suggestion if there is one."""
        return f"{self.message} - {self.suggestion}" if self.suggestion else self.message

    @property
    def path(self) -> str:
        """The file name and the keys at fault, e.g. ``woods.toml: target.men``."""
        return f"{self.file}: {self.key}" if self.key else self.file


class FileError(ValueError):
    """An error in a file; ``faults`` lists every fault in the order of the file.

    >>> print(FileError.listing(["range.csv line 3: the range is missing"]))
    range.csv line 3: the range is missing
    """

    def __init__(self, faults: tuple[Fault, ...]) -> None:
        super().__init__(faults)
        self.faults = faults

    @classmethod
    def of(cls, message: str, suggestion: str = "") -> "FileError":
        """Return an error with one fault; the caller adds the file and the line."""
        return cls((Fault(message, suggestion),))

    @classmethod
    def listing(cls, messages: Iterable[str]) -> "FileError":
        """Return an error with one fault for each message; each message itself names the place."""
        return cls(tuple(Fault(message) for message in messages))

    def __str__(self) -> str:
        return describe(self.faults)


def describe(faults: Iterable[Fault]) -> str:
    """Return the faults as text, one line for each.

    >>> print(describe([Fault("a broken link", key="target"), Fault("no title", "add one")]))
    target: a broken link
    no title - add one
    """
    return "\n".join(map(str, faults))


def printable(text: str, most: int = SHOWN) -> str:
    r"""Return text that is safe to print on one line, with unprintable characters escaped.

    Text longer than ``most`` characters is cut there, and "..." is added.

    >>> printable("two\nlines")
    'two\\nlines'
    """
    short = text if len(text) <= most else text[:most] + "..."
    if short.isprintable():
        return short
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in short
    )


def dotted_keys(keys: Keys) -> str:
    """Return keys as a file writes them, quoted where necessary, e.g. ``unit[2].place``.

    >>> dotted_keys(("unit", 2, "place"))
    'unit[2].place'
    """
    text = ""
    for key in keys:
        if isinstance(key, int):
            text += f"[{key}]"
        else:
            text += f".{written_key(key)}" if text else written_key(key)
    return text


def keys_of(text: str) -> Keys:
    """Return the keys in a text such as ``unit[2].place``; the inverse of ``dotted_keys``.

    >>> keys_of("unit[2].place")
    ('unit', 2, 'place')
    """
    return tuple(
        int(match[1]) if match[1] else match[3] or match[2] or "" for match in _KEY.finditer(text)
    )


def written_key(key: str) -> str:
    """Return a key as a file writes it: quoted unless it has only letters, digits, - and _."""
    return key if key.isascii() and key.replace("-", "_").isidentifier() else f'"{printable(key)}"'
