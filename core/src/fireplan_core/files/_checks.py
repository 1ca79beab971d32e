"""Say what many files are checked for: names that stand once, that are known, that can be read.

And names that come near.

The functions that yield do so as the method ``check`` of a class does (see ``read_file``): the key, what is wrong, and
what to write instead.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from difflib import get_close_matches
from importlib.resources.abc import Traversable
from typing import Any

import attrs

from fireplan_core.files._faults import SHOWN

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
    """Return the name that a word comes nearest to, if any; capitals, hyphens and blanks do not count."""
    folded = word[:SHOWN].strip().casefold().replace("-", "_").replace(" ", "_")
    return next(iter(get_close_matches(folded, list(names), n=1, cutoff=cutoff)), None)


def repeated(form: object, *tables: str, by: str = "name") -> Iterator[Complaint]:
    """Yield every entry of these tables of a file that has the name of one before it."""
    seen: set[str] = set()
    for table in tables:
        for number, entry in enumerate(getattr(form, table)):
            name = getattr(entry, by)
            if name in seen:
                yield f"{table}[{number}].{by}", f'"{name}" stands twice', "give each a name of its own"
            seen.add(name)


def unknown(form: object, known: Collection[str], what: str, *tables: str, by: str = "") -> Iterator[Complaint]:
    """Yield every entry of these tables whose ``by`` (the word for it, if that is the same) is none of those known."""
    by = by or what
    for table in tables:
        for number, entry in enumerate(getattr(form, table)):
            name = getattr(entry, by)
            if name not in known:
                yield f"{table}[{number}].{by}", f"there is no {what} {name}", f"one of {', '.join(known)}"


def unread(key: str, texts: Iterable[str | None], parse: Callable[[str], object], hint: str) -> Iterator[Complaint]:
    """Yield every text that cannot be read; what is left out is well."""
    for text in texts:
        try:
            if text is not None:
                parse(text)
        except ValueError as error:
            yield key, str(error), hint


def shipped(folder: Traversable) -> dict[str, Traversable]:
    """Return the TOML files of a folder by their names without the ending, in order."""
    found = {file.name.removesuffix(".toml"): file for file in folder.iterdir() if file.name.endswith(".toml")}
    return dict(sorted(found.items()))
