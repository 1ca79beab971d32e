"""The application: its commands, and the printing of faults.

A command's module is loaded only when the command runs or its help is requested.
"""

from __future__ import annotations

import ast
import codecs
import os
import sys
from collections.abc import Iterator
from contextvars import copy_context
from functools import cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from io import TextIOWrapper
from itertools import pairwise
from pathlib import Path
from typing import NoReturn

from cyclopts import App, CycloptsError, Group, Parameter
from cyclopts.exceptions import (
    CoercionError,
    MissingArgumentError,
    RepeatArgumentError,
    UnknownOptionError,
    UnusedCliTokensError,
)

from fireplan import sheets
from fireplan.cli import core
from fireplan.errors import (
    FLAGS,
    WARN,
    InputError,
    given_twice,
    refuse,
    shown,
    unknown,
    unread_file,
)
from fireplan.extras import ELSEWHERE
from fireplan.questions.registry import OWN, places
from fireplan_core.files import MOST_NAMES

HELP = """Compare the artillery of wargames: the same engagement, exactly, in minutes and metres.

A file may name other files only in its own folder or below; --allow-outside, with any command, lifts this.

A sheet may name a Python module beside it, which runs only with --allow-code, with any command."""
HOMES = {
    "question_commands": tuple(OWN),
    "journals": ("play", "resume", "replay", "export", "salvage", "verify", "follow"),
    "games": ("graph", "playthrough"),
    "programs": ("mcp",),
    "sheet_files": ("sheet",),
}
"""Maps each module of this package to the commands that it defines."""
COMMAND_GROUP = "fireplan.commands"
"""Entry-point group that adds commands; every question is a command already."""
OTHERS = "More"
"""Heading for commands that are not listed in ``GROUPS``."""
GROUPS = {
    "Compare": ("compare", "odds", "chance", "best", "duel", "belief", "graph"),
    "Change": (
        "numbers",
        "fields",
        "whatif",
        "sensitivity",
        "tune",
        "diff",
        "sweep",
        "kitbash",
    ),
    "Play": (
        "play",
        "resume",
        "replay",
        "export",
        "film",
        "luck",
        "salvage",
        "verify",
        "playthrough",
        "follow",
    ),
    "In the browser, and for programs": ("serve", "site", "open", "mcp"),
    "Games": ("games", "scenarios", "engagements", "rules", "sheet", "new", "check", "tables"),
    "Names used in questions": ("events", "rolls", "decisions", "piles", "measures"),
}
"""Maps each heading of ``--help`` to its commands, in order."""
PICTURE = "--picture"
"""Option that names the file of an answer's picture; it is not an argument of the question."""
OUTSIDE = "--allow-outside"
"""Option that lets files refer to files outside their own folder; any command accepts it."""
CODE = "--allow-code"
"""Option that lets a sheet run a Python module beside it; any command accepts it."""
MEANT = dict.fromkeys(("studio", "web", "gui", "browser"), "serve") | {"help": "--help"}
"""Maps words that users may try to the commands that they mean."""
_WITHOUT_COMMAND = frozenset({"--help", "-h", "--version"})
"""Options that can be used without a command."""
DIFFERS = 1
"""Exit status if stored results differ from the current rules."""
BAD_INPUT = 2
"""Exit status for input that cannot be used."""
STOPPED = 130
"""Exit status after Ctrl-C, as in shells."""


def _version() -> str:
    from importlib.metadata import version

    return version("fireplan")


def module_of(command: str) -> str:
    """Return the module of this package that defines a command.

    Raise ``StopIteration`` if no module does.
    """
    return f"fireplan.cli.{next(home for home, names in HOMES.items() if command in names)}"


@cache
def commands() -> dict[str, str]:
    """Map each installed command to its definition, ``module:function``."""
    own = {name: f"{module_of(name)}:{name}" for names in HOMES.values() for name in names}
    questions = {name: f"fireplan.cli.question_commands:{name}" for name in places()}
    more = {entry.name: entry.value for entry in entry_points(group=COMMAND_GROUP)}
    return own | questions | more


def _headings() -> dict[str, list[str]]:
    """Map each heading of ``--help`` to its installed commands."""
    headings = {
        title: [name for name in names if name in commands()] for title, names in GROUPS.items()
    }
    listed = {name for names in headings.values() for name in names}
    others = sorted(commands().keys() - listed)
    return headings | ({OTHERS: others} if others else {})


def _application() -> App:
    """Return the application without its commands."""
    return App(
        name="fireplan",
        help=HELP,
        version_flags=["--version"],
        version=_version,
        default_parameter=Parameter(negative=""),
        suppress_keyboard_interrupt=False,  # ``_run`` handles Ctrl-C for every command
    )


@cache
def app() -> App:
    """Return the application with its commands; a command's module is loaded when it is run."""
    application = _application()
    for name, place in commands().items():
        application.command(place, name=name)
    return application


def _titles() -> Iterator[tuple[str, str]]:
    """Yield each command and its first paragraph of help, read from source without loading it."""
    by_module: dict[str, dict[str, str]] = {}
    for name, place in {**commands(), **places()}.items():
        module, _, attribute = place.partition(":")
        by_module.setdefault(module, {})[attribute] = name
    for module, names in by_module.items():
        spec = find_spec(module)
        if spec is None or spec.origin is None:
            continue
        for node in ast.parse(Path(spec.origin).read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name in names:
                words = (ast.get_docstring(node) or "").partition("\n\n")[0]
                yield names[node.name], " ".join(words.split())


def _listed() -> App:
    """Return an application that can list the commands without loading any."""
    made = _application()
    titles = dict(_titles())
    for title, names in _headings().items():
        group = Group.create_ordered(title)
        for name in names:
            made.command(
                App(name, help=titles.get(name, ""), group=group, sort_key=names.index(name))
            )
    made.help_format = "plaintext"  # loading a Markdown parser would take a quarter of the time
    made.group_commands = Group.create_ordered("Anywhere")  # --help and --version
    return made


class _EndError(Exception):
    """The end of a command with an exit status other than 0, and a message."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def end(status: int, message: str) -> NoReturn:
    """End the command with this exit status, after printing the message to standard error."""
    raise _EndError(status, message)


def run(arguments: list[str]) -> int:
    """Run one command line and return the exit status.

    The options ``OUTSIDE`` and ``CODE`` may appear anywhere in it; each sets an environment
    variable while the command runs.
    """
    left = [argument for argument in arguments if argument not in (OUTSIDE, CODE)]
    # Settings of a run, such as how messages name arguments, end with the run.
    alone = copy_context()
    if left == arguments:
        return alone.run(_run, arguments)
    before = dict(os.environ)
    # Set environment variables, so that worker processes inherit the permissions.
    if OUTSIDE in arguments:
        os.environ[core.ALLOW_OUTSIDE] = "1"
    if CODE in arguments:
        os.environ[sheets.ALLOW_CODE] = "1"
    try:
        return alone.run(_run, left)
    finally:
        os.environ.clear()
        os.environ.update(before)


def _run(arguments: list[str]) -> int:
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # fireplan was started without this stream
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - stays open until the process ends
    if isinstance(sys.stdin, TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")  # typed input need not be valid text
    if isinstance(sys.stdout, TextIOWrapper) and sys.stdout.errors == "strict":
        codecs.register_error("fireplan", _encodable)
        sys.stdout.reconfigure(errors="fireplan")  # e.g. a file on Windows is not in UTF-8
    FLAGS.set(True)  # messages name arguments as they are typed
    WARN.set(cache(lambda text: sys.stderr.write(f"{shown(text)}\n")))
    application = app() if commands().keys() & {*arguments} else _listed()
    try:
        refuse(_unfit(arguments))
        application(arguments, exit_on_error=False, print_error=False, result_action="return_value")
        sys.stdout.flush()
    except (CycloptsError, InputError) as error:
        fault = InputError(mistyped(error)) if isinstance(error, CycloptsError) else error
        sys.stderr.write(f"{shown(str(fault))}\n")
        return BAD_INPUT
    except _EndError as error:
        sys.stderr.write(f"{shown(str(error))}\n")
        return error.status
    except KeyboardInterrupt:
        return STOPPED
    except (BrokenPipeError, SystemExit) as error:
        # It is no error if the reader closes the pipe, although rich then exits with status 1.
        if isinstance(error, SystemExit) and not isinstance(error.__context__, BrokenPipeError):
            raise  # e.g. a game module that calls sys.exit(): must not exit 0
        _discard_output()
    except OSError as error:  # e.g. a full disk
        _discard_output()
        fault = InputError(f"{error.filename or 'standard output'}: {unread_file(error)}")
        sys.stderr.write(f"{shown(str(fault))}\n")
        return BAD_INPUT
    return 0


def _encodable(error: UnicodeError) -> tuple[str, int]:
    """Return ASCII for characters that the encoding of standard output lacks, and their end.

    A bar is drawn with ``#``; any other character is escaped as Python and JSON write it.
    """
    from fireplan.questions.compare import BLOCKS

    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    escaped = (
        "#" if char in BLOCKS else char.encode("ascii", "backslashreplace").decode()
        for char in lacking
    )
    return "".join(escaped), error.end


def _unfit(arguments: list[str]) -> Iterator[str]:
    """Yield the faults that can be seen without parsing.

    These are a misnamed command, one that is not installed, and empty values.
    """
    for word in arguments[:1]:
        if word in ELSEWHERE and word not in commands():
            home = ELSEWHERE[word]
            yield f"The command {word} comes with {home}, which is not installed: pip install {home}."
        if word in MEANT and word not in commands():
            yield f'Unknown command "{word}". Did you mean "{MEANT[word]}"?'
        if word.startswith("-") and word not in _WITHOUT_COMMAND:
            yield f"{word} is an option: write it after the command."
    asks = arguments[0] in places() if arguments else False
    for option, word in pairwise(["fireplan", *arguments]):
        # A question lists the empty values of its own arguments with its other faults.
        if not word.strip() and (option == PICTURE or not asks):
            yield f"{option} needs a value, not empty text."


def mistyped(error: CycloptsError) -> str:
    """Return the fault in a command line that cannot be parsed."""
    option = error.argument.name if error.argument is not None else ""
    token = getattr(error, "token", None)
    if token is not None:
        option = token.keyword or option or token.value
    match error:
        case UnknownOptionError(argument_collection=known) if known:
            names = {name for argument in known for name in argument.names}
            return _unknown_option(" ".join(error.command_chain or ()), option, names)
        case UnusedCliTokensError():
            words = ", ".join(map(repr, error.unused_tokens or ()))
            return f"This command takes no more arguments: {words}."
        case CoercionError(target_type=kind) if kind is bool and token is not None:
            return f"{option} takes no value, got {token.value!r}."
        case CoercionError(target_type=kind) if kind is int and token is not None:
            return f"{option}: expected a whole number, got {token.value!r}."
        case MissingArgumentError():
            command = " ".join(error.command_chain or ())
            return f"{option} needs a value; see fireplan {command} --help."
        case RepeatArgumentError():
            return given_twice(option)
        case _:
            return str(error)


def _unknown_option(command: str, option: str, known: set[str]) -> str:
    """Return the fault of an option that a command does not take.

    The fault names the commands that take it. If there are none, or too many to list, it names the
    nearest of the ``known`` options. This loads every command's module.
    """
    from fireplan.analysis.phrasing import joined_words

    takers = [
        name
        for name in commands()
        if any(option in argument.names for argument in app()[name].assemble_argument_collection())
    ]
    if 0 < len(takers) <= MOST_NAMES:
        verb = "does" if len(takers) == 1 else "do"
        return f"{command} takes no {option}; {joined_words(takers)} {verb}."
    return str(unknown("option", option, sorted(n for n in known if n.startswith("--"))))


def _discard_output() -> None:
    """Redirect standard output to the null device, so that flushing it at exit cannot fail."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
