"""The exception that every question raises, and the wording of faults."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, ParamSpec, TypeVar, cast

if TYPE_CHECKING:
    from fireplan_core.files import FileError

P = ParamSpec("P")
T = TypeVar("T")


class InputError(ValueError):
    """Input that cannot be used.

    ``faults`` lists everything wrong with it, each with the expected value.
    """

    def __init__(self, *faults: str) -> None:
        self.faults = tuple(dict.fromkeys(faults))
        super().__init__("\n".join(self.faults))


KNOWN: ContextVar[tuple[str, ...]] = ContextVar("KNOWN", default=())
"""Faults found earlier, such as those of the output options; every refusal lists them too."""


@contextmanager
def besides(faults: Iterable[str]) -> Iterator[None]:
    """Add these faults to any refusal inside the block, and refuse at its end if there are any."""
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
    if told := [*faults, *KNOWN.get()]:
        raise InputError(*told)


def gathered(faults: list[str], ask: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Return the result of a call; on ``InputError``, add its faults to the list and return None.

    The caller continues to look for faults, and calls ``refuse(faults)`` before using the result.
    """
    token = KNOWN.set(())
    try:
        return ask(*args, **kwargs)
    except InputError as error:
        faults += error.faults
        return cast("T", None)
    finally:
        KNOWN.reset(token)


@contextmanager
def refusing(doing: str = "answered", staging: str = "This cannot be staged") -> Iterator[None]:
    """Turn errors from files, games and journals into ``InputError``.

    ``doing`` completes the sentence "This cannot be ..."; ``staging`` begins the sentence about a
    table that cannot be staged.
    """
    try:
        yield
    except Exception as error:
        if told := _told(error, doing, staging):
            raise InputError(*told) from error
        raise


def _told(error: Exception, doing: str, staging: str) -> tuple[str, ...]:
    """Return the faults listed by a refusal, or an empty tuple for any other error."""
    from fireplan import table
    from fireplan_core import CannotStageError, ProcedureError
    from fireplan_core.chance import ChanceError, ChartError
    from fireplan_core.files import FileError, describe
    from fireplan_core.play import AdmissionError

    if isinstance(error, FileError):
        return (describe(error.faults),)
    if isinstance(error, ChartError):
        return tuple(error.faults)
    if isinstance(error, CannotStageError):
        return (f"{staging}: " + "; ".join(error.reasons),)
    if isinstance(error, AdmissionError | table.JournalError | table.HeadError):
        return (str(error),)
    why = "; ".join([str(error), *getattr(error, "__notes__", ())])
    return (
        (f"This cannot be {doing}: {why}.",)
        if isinstance(error, ProcedureError | ChanceError)
        else ()
    )


FLAGS: ContextVar[bool] = ContextVar("FLAGS", default=False)
"""Whether messages name arguments as command-line options."""
REMOTE: ContextVar[bool] = ContextVar("REMOTE", default=False)
"""Whether a question came from another machine, so that no file of this one may be read."""
WARN: ContextVar[Callable[[str], object]] = ContextVar("WARN", default=lambda _text: None)
"""Callback that receives a sentence for each game that failed to load."""


def argument(name: str) -> str:
    """Return the name of an argument as the user knows it.

    This is ``own_troops`` in Python and ``--own-troops`` on the command line.
    """
    return f"--{name.replace('_', '-')}" if FLAGS.get() else name


def outside(name: str, value: int | None, least: int, most: int | None = None) -> list[str]:
    """Return the fault of a number outside its bounds, as a list; otherwise empty."""
    if value is None or (value >= least and (most is None or value <= most)):
        return []
    years = 9999  # numbers up to here are written without commas
    bounds = (
        f"{least} or more"
        if most is None
        else f"{least} to {most:,}"
        if most > years
        else f"{least} to {most}"
    )
    return [f"{argument(name)}: expected {bounds}, got {value}."]


def unknown(what: str, given: str, known: Iterable[str]) -> InputError:
    """Return the error for an unknown name, suggesting the nearest known name."""
    from fireplan.table import no_such

    return InputError(no_such(what, given, known))


def told_of(error: FileError, name: Callable[[str], str] = str) -> Iterator[str]:
    """Yield each fault of a file as a sentence, with its place and a suggestion."""
    for fault in error.faults:
        where = f"{name(fault.key)}: " if fault.key else ""
        yield f"{where}{fault.message}{f' - {fault.suggestion}' if fault.suggestion else ''}"


def unread(error: OSError | UnicodeDecodeError) -> str:
    """Return a sentence that says why a file cannot be used."""
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


def in_moments(count: int) -> str:
    """Return a number of moments in words, such as "3 moments"."""
    return f"{count:,} {'moment' if count == 1 else 'moments'}"


_UNSHOWN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


def shown(text: str) -> str:
    """Return text with its control characters escaped as in JSON, except line breaks and tabs."""
    return _UNSHOWN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
