"""Engagement files: reading one, everything wrong with it and where, and the engagements shipped here.

What the keys of a file mean and may hold is the matter of ``_values``.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from contextlib import suppress
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import attrs
import tomli

from fireplan.compare._values import Keys, plain, read_values, written_key
from fireplan.mission import Engagement

DEFAULT = "woods"
"""The shipped engagement that is taken when none is named."""

MAX_BYTES = 256_000  # a file of ours has 2 kB; the cap keeps hostile ones cheap
_NAME = 255  # characters of a file name or a parser's message that are printed
_SEARCHED = 2000  # lines looked through for the place of a fault
_LONGEST = 40  # lines that one statement may run over in that search


@attrs.frozen
class Fault:
    """One thing wrong with a file.

    ``file`` is its name and ``key`` the dotted keys at fault (``target.men``), empty for the file as a whole.
    ``line`` counts from 1 and is None where no line can be told: a missing key has at best that of its table.
    """

    file: str
    key: str
    line: int | None
    message: str
    suggestion: str

    @property
    def path(self) -> str:
        """File name and keys, such as ``woods.toml: target.men``."""
        return f"{self.file}: {self.key}" if self.key else self.file


class EngagementError(ValueError):
    """An engagement that cannot be read; ``faults`` holds all that is wrong, in the order of the file."""

    def __init__(self, faults: tuple[Fault, ...]) -> None:
        super().__init__(faults)
        self.faults = faults

    def __str__(self) -> str:
        return describe(self.faults)


def describe(faults: Iterable[Fault]) -> str:
    """The faults as text, one line each: file, line, keys, what is wrong and what to write instead."""
    return "\n".join(
        ": ".join(part for part in (fault.file, fault.line and f"line {fault.line}", fault.key, fault.message) if part)
        + (f" - {fault.suggestion}" if fault.suggestion else "")
        for fault in faults
    )


def shipped_engagements() -> dict[str, Traversable]:
    """The files of the engagements that come with the package, by name, in the order of the names."""
    folder = files(__package__) / "engagements"
    found = {Path(file.name).stem: file for file in folder.iterdir() if file.name.endswith(".toml")}
    return dict(sorted(found.items()))


def find_engagement(name_or_path: str) -> Engagement:
    """The shipped engagement of that name, else the one in the file at that path.

    Raises ``EngagementError``, with near names if there is neither.
    """
    return load_engagement(shipped_engagements().get(name_or_path, Path(name_or_path)))


def load_engagement(path: Path | Traversable) -> Engagement:
    """Read an engagement file.

    Raises ``EngagementError`` with all faults at once; only a file that is no TOML stops at its first.
    """
    name = plain(path.name or str(path), _NAME)
    content = _parse(name, text := _text_of(path, name))
    result = read_values(content)
    if isinstance(result, Engagement):
        return result
    lines = _lines(text, {keys[:n] for keys, _ in result for n in range(1, len(keys) + 1)})
    faults = [
        Fault(
            name,
            ".".join(map(written_key, keys)),
            # A key that is not there has the line of its table.
            next((lines[keys[:n]] for n in range(len(keys), 0, -1) if keys[:n] in lines), None),
            wrong.message,
            wrong.suggestion,
        )
        for keys, wrong in result
    ]
    raise EngagementError(tuple(sorted(faults, key=lambda fault: (fault.line or 0, fault.key))))


def _text_of(path: Path | Traversable, name: str) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise _refusal(name, "no such file or shipped engagement", _near_files(path)) from None
    except IsADirectoryError:
        raise _refusal(name, "is a folder", "name a file in it") from None
    except (OSError, ValueError) as error:  # ValueError: a path with a null character
        reason = error.strerror if isinstance(error, OSError) else None
        raise _refusal(name, f"cannot be opened: {reason or error}", "check the path") from None
    if len(data) > MAX_BYTES:
        raise _refusal(
            name,
            f"larger than {MAX_BYTES // 1000} kB",
            "an engagement is a page of text: is it the right file?",
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise _refusal(name, "not UTF-8 text", "save the file with the encoding UTF-8", line) from None


def _near_files(path: Path | Traversable) -> str:
    """What may have been meant by a name: the shipped engagements and the TOML files of its folder."""
    shipped = list(shipped_engagements())
    names = {name: name for name in shipped}
    with suppress(OSError, ValueError):  # a folder that cannot be looked into has nothing to propose
        names |= {file.stem: plain(file.name) for file in sorted(Path(str(path)).parent.glob("*.toml"))}
    near = difflib.get_close_matches(Path(path.name).stem, names)
    hint = f"did you mean {' or '.join(names[name] for name in near)}? " if near else ""
    return f"{hint}shipped engagements: {', '.join(shipped)}"


# The starts of the parser's messages, and what to do about them.
_SYNTAX = {
    "Invalid value": 'put text in quotes ("prone"), true and false small, numbers and dates bare',
    "Cannot ": "a key or [table] stands twice: keep one",
    "Duplicate ": "a key stands twice: keep one",
    "Expected '=": 'write key = value, such as posture = "prone"',
    "Unterminated ": "close the quotes",
    "Illegal character": "close the quotes on the same line",
    "Unclosed ": "close the bracket",
    "Expected newline": "write one key = value a line, text in quotes, dates as 1944-12-18",
}


def _parse(name: str, text: str) -> dict[str, Any]:
    try:
        return tomli.loads(text)
    except tomli.TOMLDecodeError as error:
        hint = next(
            (hint for start, hint in _SYNTAX.items() if error.msg.startswith(start)),
            "a line is a [table], a key = value or a # comment",
        )
        message = f"not TOML: {plain(error.msg, _NAME)} (column {error.colno})"
        raise _refusal(name, message, hint, error.lineno) from None
    except RecursionError:
        raise _refusal(name, "nested too deeply", "tables of an engagement hold no further tables") from None
    except ValueError:  # Python reads no whole number of more than 4300 digits
        raise _refusal(name, "a number with thousands of digits", "shorten it") from None


def _refusal(name: str, message: str, suggestion: str, line: int | None = None) -> EngagementError:
    return EngagementError((Fault(name, "", line, message, suggestion),))


def _lines(text: str, wanted: set[Keys]) -> dict[Keys, int]:
    """The line on which each of these keys is first written; keys that are not found are left out.

    Each statement of TOML is TOML by itself, so lines are gathered until they parse; that finds dotted keys,
    inline tables and long strings without a second grammar.
    """
    found: dict[Keys, int] = {}
    table: Keys = ()
    statement, first = "", 1
    for number, line in enumerate(text.split("\n")[:_SEARCHED], start=1):
        if not statement:
            first = number
        statement += line + "\n"
        try:
            content = tomli.loads(statement)
        except (ValueError, RecursionError):
            if number - first >= _LONGEST:
                break
            continue
        if statement.lstrip().startswith("["):
            table = _spine(content)
            found.update({table[:n]: first for n in range(1, len(table) + 1) if table[:n] not in found})
        else:
            for keys in wanted - found.keys():
                if keys[: len(table)] == table and _holds(content, keys[len(table) :]):
                    found[keys] = first
        statement = ""
    return found


def _spine(content: Any) -> Keys:
    """The keys of a [header], which holds nothing yet; those of a [[header]] lie in a list of one."""
    keys: Keys = ()
    while content:
        if isinstance(content, list):
            content = content[0]
        else:
            ((key, content),) = content.items()
            keys += (key,)
    return keys


def _holds(content: Any, keys: Keys) -> bool:
    for key in keys:
        if not isinstance(content, dict) or key not in content:
            return False
        content = content[key]
    return True
