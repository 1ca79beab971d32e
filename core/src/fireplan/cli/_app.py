"""The commands by name, and what they share: running one, refusing input.

A command's arguments stand in an ``_app_...`` module, which is loaded when the command is run or its help is wanted.
"""

from __future__ import annotations

import os
import sys
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


def _version() -> str:
    from importlib.metadata import version

    return version("fireplan")


app = App(
    name="fireplan", help=HELP, version_flags=["--version"], version=_version, default_parameter=Parameter(negative="")
)
for _name, _module in COMMANDS.items():
    app.command(f"fireplan.cli.{_module}:{_name}", name=_name)


class BadInputError(Exception):
    """Input that cannot be used; the message says everything that is wrong with it."""


class DiffersError(Exception):
    """What was stored is not what the rules give now; the message says where."""


def run(arguments: list[str]) -> int:
    """Run one command line; returns the exit status."""
    if not COMMANDS.keys() & arguments[:1]:
        app.resolved_commands()  # what is answered then lists them, with what each does
    try:
        app(arguments, exit_on_error=False, print_error=True, result_action="return_value")
    except CycloptsError:
        return 2
    except DiffersError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    except BadInputError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    except BrokenPipeError:
        # The reader of a pipe has seen enough; give the interpreter something it can still flush to.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


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
