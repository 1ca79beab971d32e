"""The application: its commands by name, how faults are printed, and what every command does with bad input.

A command is a function in the module of its name, loaded when it is run or its help is wanted.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import ParamSpec, TypeVar, cast

from cyclopts import App, CycloptsError, Parameter

from fireplan import table
from fireplan.cli import _core as core

HELP = """Compare the artillery of wargames: the same engagement, exactly, in minutes and metres."""
COMMANDS = (
    *("compare", "odds", "best", "graph"),
    *("numbers", "whatif", "sweep", "kitbash"),
    *("play", "resume", "replay", "export", "luck", "salvage", "verify", "playthrough", "follow"),
    *("serve", "games", "rules", "new", "check"),
)
STOPPED = 130
"""The exit status after Ctrl-C, as shells have it."""
YEARS = 9999
"""Numbers up to here are written without commas."""

_UNSHOWN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")

P = ParamSpec("P")
T = TypeVar("T")


def _version() -> str:
    from importlib.metadata import version

    return version("fireplan")


app = App(
    name="fireplan",
    help=HELP,
    version_flags=["--version"],
    version=_version,
    default_parameter=Parameter(negative=""),
    suppress_keyboard_interrupt=False,  # told of in one place, below
)
for _name in COMMANDS:
    app.command(f"fireplan.cli.{_name}:{_name}", name=_name)


class BadInputError(Exception):
    """Input that cannot be used; the message says everything that is wrong with it."""

    status = 2


class DiffersError(Exception):
    """Say what was stored is not what the rules give now; the message says where."""

    status = 1


class StoppedError(Exception):
    """Ctrl-C, where there is more to say than that; the message says what is kept."""

    status = STOPPED


def run(arguments: list[str]) -> int:
    """Run one command line and return the exit status."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # the command was started without one
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - to the end of the process
    if not {*COMMANDS} & {*arguments[:1]}:
        app.resolved_commands()  # what is answered then lists them, with what each does
    try:
        app(arguments, exit_on_error=False, print_error=True, result_action="return_value")
        sys.stdout.flush()
    except CycloptsError:
        return BadInputError.status
    except (BadInputError, DiffersError, StoppedError) as error:
        sys.stderr.write(f"{shown(str(error))}\n")
        return error.status
    except KeyboardInterrupt:
        return STOPPED
    except (BrokenPipeError, SystemExit) as error:
        # The reader of a pipe has seen enough, which nobody did wrong; rich says so by leaving with status 1.
        if isinstance(error, SystemExit) and not isinstance(error.__context__, BrokenPipeError):
            raise  # such as a game whose module leaves: that is no success
        _to_nobody()
    except OSError as error:  # such as a full disk
        _to_nobody()
        sys.stderr.write(f"{error.filename or 'standard output'}: {unread(error)}\n")
        return 2
    return 0


def _to_nobody() -> None:
    """Give the interpreter something it can still flush to when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def shown(text: str) -> str:
    """Return text whose control characters cannot steer a terminal: each as JSON would write it, but lines and tabs."""
    return _UNSHOWN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def refuse(faults: Iterable[str]) -> None:
    """Raise ``BadInputError`` with every fault, each once; nothing when there is none."""
    if told := list(dict.fromkeys(faults)):
        raise BadInputError("\n".join(told))


def gathered(faults: list[str], ask: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Return what was asked for; of a ``BadInputError`` put the message to the faults, so that more is looked at.

    Nothing is returned then: whoever uses the answer calls ``refuse(faults)`` first.
    """
    try:
        return ask(*args, **kwargs)
    except BadInputError as error:
        faults.append(str(error))
        return cast("T", None)


@contextmanager
def refusing(doing: str = "answered", staging: str = "This cannot be staged") -> Iterator[None]:
    """Make a ``BadInputError`` of what files, games and journals refuse; ``staging`` begins why it cannot be staged."""
    try:
        yield
    except core.FileError as error:
        raise BadInputError(core.describe(error.faults)) from error
    except core.ChartError as error:
        raise BadInputError("\n".join(error.faults)) from error
    except core.CannotStageError as error:
        raise BadInputError(f"{staging}: " + "; ".join(error.reasons)) from error
    except (core.HouseRuleError, table.JournalError, table.HeadError) as error:
        raise BadInputError(str(error)) from error
    except (core.ProcedureError, core.ChanceError) as error:
        raise BadInputError(f"This cannot be {doing}: {error}.") from error


def outside(option: str, value: int | None, least: int, most: int | None = None) -> list[str]:
    """Return what is wrong with a whole number: nothing where it was not given or lies within its bounds."""
    if value is None or (value >= least and (most is None or value <= most)):
        return []
    bounds = f"{least} or more" if most is None else f"{least} to {most:,}" if most > YEARS else f"{least} to {most}"
    return [f"{option}: expected {bounds}, got {value}."]


def unwritable(path: Path | None) -> list[str]:
    """Return what stands against a file that is to be written, before anything is worked out for it."""
    if path is not None and path.is_dir():
        return [f"{path}: cannot be written: it is a folder; name a file in it."]
    if path is not None and not path.parent.is_dir():
        return [f"{path}: cannot be written: there is no folder {path.parent}; make it first."]
    return []


def unread(error: OSError | UnicodeDecodeError) -> str:
    """Say why a file cannot be used."""
    if isinstance(error, UnicodeDecodeError):
        return "not UTF-8 text - save the file with the encoding UTF-8"
    if isinstance(error, FileNotFoundError):
        return "no such file - check the path"
    if isinstance(error, IsADirectoryError):
        return "is a folder - name a file in it"
    return f"cannot be used ({error.strerror})"


def unknown(what: str, given: str, known: list[str]) -> BadInputError:
    """Return the answer to a name that there is not, with the nearest one that there is."""
    near = get_close_matches(given, known, n=1, cutoff=0.4)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return BadInputError(f"There is no {what} {given!r}.{hint} There are: {', '.join(known) or 'none'}.")


def write(path: Path, text: str, *, anew: bool = False) -> None:
    """Write a file whole, with ``anew`` only where there is none; raise ``BadInputError`` when it cannot be written."""
    if anew and path.exists():
        raise BadInputError(f"{path}: is already there; an export never writes over a file")
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadInputError(f"{path}: cannot be written ({error.strerror})") from error
