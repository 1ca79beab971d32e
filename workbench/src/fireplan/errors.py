"""The exception for wrong input, how its faults are gathered, and their wording."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

from fireplan.extras import SHIPPED
from fireplan_core.extras import game_to_install
from fireplan_core.files import MOST_NAMES, FileError, near, nearest, printable

P = ParamSpec("P")
T = TypeVar("T")

_LONGEST = 400
"""Maximum length of a quotation in a fault.

A word, or the text before the first colon, may be twice as long.
"""
_LONG = re.compile(
    rf"""
    (?<![^\s(]) (?: '(?:[^'\\\n]|\\.){{{_LONGEST},}}' | "(?:[^"\\\n]|\\.){{{_LONGEST},}}" )
    | \S{{{2 * _LONGEST},}}
    | \A[^:\n]{{{2 * _LONGEST},}}(?=:\ )
    """,
    re.VERBOSE,
)


class InputError(ValueError):
    """Input that cannot be used.

    ``faults`` lists everything wrong with it, each with the expected value. Long quotations in
    faults are truncated.

    >>> fp.odds("asl/vilage")
    Traceback (most recent call last):
    fireplan.errors.InputError: There is no scenario 'asl/vilage'. Did you mean 'asl/village'? ...
    """

    def __init__(self, *faults: str) -> None:
        self.faults = tuple(dict.fromkeys(_LONG.sub(_cut, fault) for fault in faults))
        super().__init__("\n".join(self.faults))


def _cut(quoted: re.Match[str]) -> str:
    """Return the beginning and the end of a quotation; the end of a path names the file."""
    text = quoted[0]
    return f"{text[: _LONGEST // 4]}...{text[-_LONGEST // 4 :]}"


FLAGS: ContextVar[bool] = ContextVar("FLAGS", default=False)
"""True if messages name arguments as command-line options."""
OPTIONS: ContextVar[Mapping[str, str]] = ContextVar("OPTIONS", default={})  # noqa: B039 - read only
"""Maps argument names to options, where the two differ, for the question being asked."""


def argument_name(name: str) -> str:
    """Return the name of an argument as the user knows it.

    This is ``own_troops`` in Python and ``--own-troops`` on the command line.
    """
    return OPTIONS.get().get(name, f"--{name.replace('_', '-')}") if FLAGS.get() else name


def all_data() -> str:
    """Return the user's name for the complete data of an answer: ``--json`` or "the JSON"."""
    return argument_name("json") if FLAGS.get() else "the JSON"


def quoted(text: str) -> str:
    """Return typed text in quotation marks, cut if it is long."""
    return repr(printable(text))


class JournalError(ValueError):
    """A journal that cannot be used; the message gives the reason and what can still be read."""


KNOWN: ContextVar[tuple[str, ...]] = ContextVar("KNOWN", default=())
"""Faults found earlier, such as those of the output options; every refusal lists them too."""


@contextmanager
def besides(faults: Iterable[str]) -> Iterator[None]:
    """Raise these faults after the block, together with the faults of any ``InputError`` in it."""
    known = tuple(faults)
    token = KNOWN.set((*KNOWN.get(), *known))
    try:
        yield
    except InputError as error:
        raise InputError(*error.faults, *known) from error
    finally:
        KNOWN.reset(token)
    if known:
        raise InputError(*known)


def refuse(faults: Iterable[str]) -> None:
    """Raise ``InputError`` with these faults and those in ``KNOWN``, if there are any."""
    if every := [*faults, *KNOWN.get()]:
        raise InputError(*every)


def gathered(faults: list[str], ask: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Return the result of calling ``ask``; on ``InputError``, add its faults to the list.

    The result is then None. The caller continues to look for faults, and calls ``refuse(faults)``
    before using the result.
    """
    token = KNOWN.set(())
    try:
        return ask(*args, **kwargs)
    except InputError as error:
        faults += error.faults
        return cast("T", None)
    finally:
        KNOWN.reset(token)


REMOTE: ContextVar[bool] = ContextVar("REMOTE", default=False)
"""True if a question came from another machine, which may not read files of this one."""
WARN: ContextVar[Callable[[str], object]] = ContextVar("WARN", default=lambda _text: None)
"""Callback that receives remarks that accompany an answer, e.g. on a game that failed to load."""


def outside(name: str, value: Any, least: int, most: int | None = None) -> list[str]:
    """Return a list with the fault of a value that is not a whole number within its bounds.

    The list is empty if there is no fault, and for None.
    """
    if value is not None and not isinstance(value, int):
        return [f"{argument_name(name)}: expected a whole number, got {value!r}."]
    if value is None or (value >= least and (most is None or value <= most)):
        return []
    years = 9999  # numbers up to this one, such as years, are written without commas
    bounds = (
        f"{least} or more"
        if most is None
        else f"{least} to {most:,}"
        if most > years
        else f"{least} to {most}"
    )
    return [f"{argument_name(name)}: expected {bounds}, got {value}."]


def given_twice(name: str) -> str:
    """Return the fault of an argument or option that takes one value and was given several."""
    return f"{name} was given more than once."


def unknown(what: str, given: str, known: Iterable[str], *, files: bool = False) -> InputError:
    """Return the error for an unknown name of some kind of thing, e.g. of a "scenario".

    ``what`` is this kind, and ``known`` are its names. The error suggests the closest name and
    lists up to twelve. With ``files``, which must not be set for names from an untrusted source,
    the name of a TOML file is reported as a missing file. For a game that is not installed, and for
    anything that such a game ships, the error names the distribution to install instead. For a game
    in place of a scenario, it lists the game's scenarios.
    """
    names, given = list(known), str(given)
    if files and (missing := missing_file(given)):
        return missing
    if what in SHIPPED and (distribution := game_to_install(given)):
        game = given.partition("/")[0]
        return InputError(f"The game {game!r} is not installed: pip install {distribution}.")
    if own := [name for name in names if name.partition("/")[0] == given]:
        some = ", ".join(own[:MOST_NAMES])
        return InputError(f"{quoted(given)} is a game: name one of its scenarios, {some}.")
    head = given.partition("/")[0]  # suggest the game if a scenario of it was given instead
    # Numbers, such as those of rules, must be more alike than words to be suggested.
    alike = 0.5 if any(map(str.isalpha, given)) else 0.75
    bare = {name.lstrip("-"): name for name in names}  # the dashes of options are all alike
    similar = head if head in names else bare.get(near(given.lstrip("-"), bare, alike) or "")
    hint = f" Did you mean {similar!r}?" if similar else ""
    refused = f"There is no {what} {quoted(given)}.{hint}"
    if len(names) <= MOST_NAMES:
        return InputError(f"{refused} Available: {', '.join(names) or 'none'}.")
    return InputError(
        f"{refused} There are {len(names)}, such as {', '.join(nearest(given, names))}."
    )


def missing_file(name: str) -> InputError | None:
    """Return the error for the name of a TOML file that does not exist, or None for other names.

    The error suggests a similar name in the same folder. Names from another machine are never
    looked for.
    """
    path = Path(name)
    if REMOTE.get() or path.suffix != ".toml" or path.exists():
        return None
    try:
        present = sorted(file.name for file in path.parent.glob("*.toml"))
    except OSError:
        present = []
    similar = near(path.name, present, 0.5)
    hint = f" Did you mean {quoted(str(path.with_name(similar)))}?" if similar else ""
    return InputError(f"The file {quoted(name)} does not exist.{hint}")


def sentences_of(error: FileError, name: Callable[[str], str] = str) -> Iterator[str]:
    """Yield each fault of a file as a sentence, preceded by its place.

    ``name`` returns the user's name for the place, which is the key of an entry in the file.
    """
    for fault in error.faults:
        where = f"{name(fault.key)}: " if fault.key else ""
        yield f"{where}{fault.problem}"


def unread_file(error: OSError | UnicodeDecodeError) -> str:
    """Return the reason why a file cannot be used."""
    if isinstance(error, UnicodeDecodeError):
        return "not UTF-8 text - save the file with the encoding UTF-8"
    if isinstance(error, FileNotFoundError):
        return "no such file - check the path"
    if isinstance(error, IsADirectoryError):
        return "is a folder - name a file in it"
    return f"cannot be used ({error.strerror})"


def command(*words: str | int | None) -> str:
    """Return a fireplan command as the user would type it; words that are None are left out."""
    return shlex.join(["fireplan", *(str(word) for word in words if word is not None)])


def counted(count: int, noun: str) -> str:
    """Return a count with its noun, such as "3 moments" or "1 moment"."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


_UNSHOWN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


def shown(text: str) -> str:
    """Return text with its control characters escaped as in JSON, except line breaks and tabs."""
    return _UNSHOWN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
