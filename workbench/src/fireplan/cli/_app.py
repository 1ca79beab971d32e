"""The commands by name, and what they share: running one, refusing input.

A command's arguments stand in an ``_app_...`` module, which is loaded when the command is run or its help is wanted.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path

from cyclopts import App, CycloptsError, Parameter

HELP = """Compare the artillery of wargames: the same engagement, exactly, in minutes and metres."""
COMMANDS = {
    "compare": "_app_answers",
    "games": "_app_answers",
    "rules": "_app_answers",
    "graph": "_app_answers",
    "odds": "_app_answers",
    "check": "_app_kit",
    "new": "_app_kit",
    "best": "_app_best",
    "whatif": "_app_change",
    "numbers": "_app_change",
    "kitbash": "_app_change",
    "sweep": "_app_change",
    "serve": "_app_studio",
    "play": "_app_table",
    "resume": "_app_table",
    "replay": "_app_table",
    "export": "_app_table",
    "luck": "_app_table",
    "salvage": "_app_table",
    "verify": "_app_table",
    "account": "_app_table",
}
"""The commands, each a function of its name, and the module that it is in."""
STOPPED = 130
"""The exit status after Ctrl-C, as shells have it."""
YEARS = 9999
"""Numbers up to here are written without commas."""


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
for _name, _module in COMMANDS.items():
    app.command(f"fireplan.cli.{_module}:{_name}", name=_name)


class BadInputError(Exception):
    """Input that cannot be used; the message says everything that is wrong with it."""


class DiffersError(Exception):
    """What was stored is not what the rules give now; the message says where."""


class StoppedError(Exception):
    """Ctrl-C, where there is more to say than that; the message says what is kept."""


def run(arguments: list[str]) -> int:
    """Run one command line; returns the exit status."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # the command was started without one
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - to the end of the process
    if not COMMANDS.keys() & arguments[:1]:
        app.resolved_commands()  # what is answered then lists them, with what each does
    try:
        app(arguments, exit_on_error=False, print_error=True, result_action="return_value")
        sys.stdout.flush()
    except CycloptsError:
        return 2
    except DiffersError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    except BadInputError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    except (KeyboardInterrupt, StoppedError) as error:
        if isinstance(error, StoppedError):
            sys.stderr.write(f"{error}\n")
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


def refuse(faults: Iterable[str]) -> None:
    """Raise ``BadInputError`` with every fault, each once; nothing when there is none."""
    if told := list(dict.fromkeys(faults)):
        raise BadInputError("\n".join(told))


@contextmanager
def gathered(faults: list[str]) -> Iterator[None]:
    """Put a ``BadInputError`` to the faults instead of raising it, so that the rest of the input is looked at too."""
    try:
        yield
    except BadInputError as error:
        faults.append(str(error))


def outside(option: str, value: int | None, least: int, most: int | None = None) -> list[str]:
    """What is wrong with a whole number: nothing where it was not given or lies within its bounds."""
    if value is None or (value >= least and (most is None or value <= most)):
        return []
    bounds = f"{least} or more" if most is None else f"{least} to {most:,}" if most > YEARS else f"{least} to {most}"
    return [f"{option}: expected {bounds}, got {value}."]


def unwritable(path: Path | None) -> list[str]:
    """What stands against a file that is to be written, before anything is worked out for it."""
    if path is not None and path.is_dir():
        return [f"{path}: cannot be written: it is a folder; name a file in it."]
    if path is not None and not path.parent.is_dir():
        return [f"{path}: cannot be written: there is no folder {path.parent}; make it first."]
    return []


def unread(error: OSError | UnicodeDecodeError) -> str:
    """Why a file cannot be used, in words."""
    if isinstance(error, UnicodeDecodeError):
        return "not UTF-8 text - save the file with the encoding UTF-8"
    if isinstance(error, FileNotFoundError):
        return "no such file - check the path"
    if isinstance(error, IsADirectoryError):
        return "is a folder - name a file in it"
    return f"cannot be used ({error.strerror})"


def unknown(what: str, given: str, known: list[str]) -> BadInputError:
    """The answer to a name that there is not, with the nearest one that there is."""
    near = get_close_matches(given, known, n=1, cutoff=0.4)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return BadInputError(f"There is no {what} {given!r}.{hint} There are: {', '.join(known) or 'none'}.")


def write(path: Path, text: str) -> None:
    """Write a file whole; raises ``BadInputError`` when it cannot be written."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadInputError(f"{path}: cannot be written ({error.strerror})") from error
