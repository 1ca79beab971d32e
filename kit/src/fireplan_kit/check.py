"""Checks and findings; a finding names the game, the rule and a command to reproduce it."""

from __future__ import annotations

import contextlib
import functools
import inspect
import os
import re
import traceback
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import pluggy

import fireplan
import fireplan_core
from fireplan.solver import TooLargeError
from fireplan_core import ProcedureError
from fireplan_core.play import Catalogue

if TYPE_CHECKING:
    from fireplan_kit.bench import Bench

TOO_LARGE, RAISED = "too large: ", "raised "


@attrs.frozen(order=True)
class Flaw:
    """A reason why a check fails, and the rule it concerns ("" if there is none).

    >>> Flaw("the file has 4, but the rules give 5", "2.2").cite
    '2.2'
    """

    text: str
    cite: str = ""

    def __str__(self) -> str:
        """Return the text of the flaw, followed by its rule in brackets if there is one."""
        return f"{self.text} [{self.cite}]" if self.cite else self.text


Flaws = list[Flaw | str]
"""The result of a check: flaws, or plain strings where no rule is concerned."""


def tidy(flaws: Iterable[Flaw | str]) -> Flaws:
    """Return the flaws without duplicates, sorted by their text."""
    return [flaw for _, flaw in sorted({str(flaw): flaw for flaw in flaws}.items())]


@attrs.frozen
class Law:
    """A check: its id, its requirement in words, and the function that runs it.

    A check of a ``whole_game`` cannot run on a table that mixes parts of several games.
    ``subjects`` returns the things that the check examines, and ``examined`` is false if there were
    none. ``notes`` lists the cases that it left out because they were too large.

    >>> from fireplan_core.play import Catalogue
    >>> def many_guns(bench):
    ...     if bench.engagement.asset.guns < 100:
    ...         yield Flaw("too few guns", "1.1")
    >>> law = Law("L99-guns", "There are at least 100 guns", many_guns)
    >>> str(law.flaws(Bench(Catalogue.installed(only=("asl",)), "asl"))[0])
    'too few guns [1.1]'
    """

    id: str
    demand: str
    check: Callable[[Bench], Iterable[Flaw | str]]
    whole_game: bool = False
    subjects: Callable[[Bench], Any] | None = None
    examined: bool = True
    notes: tuple[str, ...] = ()

    def flaws(self, bench: Bench) -> list[Flaw]:
        """Return the flaws that the check finds.

        An exception raised by a rule counts as a flaw, and so does a table that is too large.
        """
        try:
            flaws = list(self.check(bench))
        except TooLargeError as error:
            flaws = [f"{TOO_LARGE}{error}"]
        except Exception as error:  # noqa: BLE001 - report whatever a broken game raises
            flaws = [raised(error)]
        return [flaw if isinstance(flaw, Flaw) else Flaw(flaw) for flaw in flaws]


@attrs.frozen
class Finding:
    """A flaw in a game and the check that found it; ``more`` adds options to its command.

    >>> print(Finding("my_game", "L03-mass", Flaw("the weights of a step sum to 35 of 36", "2.1")))
    my_game: L03-mass: the weights of a step sum to 35 of 36 [2.1]; to reproduce: ...
    """

    game: str
    check: str
    flaw: Flaw
    more: str = ""

    @property
    def command(self) -> str:
        """Return the shell command that reproduces the finding."""
        return f"fireplan check {self.game} --only {self.check}{self.more}"

    def __str__(self) -> str:
        """Return the finding as one line that ends with the command to reproduce it."""
        return f"{self.game}: {self.check}: {self.flaw}; to reproduce: {self.command}"


_RULE = re.compile(r"in (?:step|question) [^ ]*\(.*?\) \(([^()]+)\)")
"""Matches the rule of a step or question in the note that the engine adds to an exception."""
_ENGINE = (
    *(
        f"{Path(inspect.getfile(package)).parent}{os.sep}"
        for package in (fireplan, fireplan_core, pluggy)
    ),
    f"{Path(__file__).parent}{os.sep}",
    contextlib.__file__,
    functools.__file__,
)
"""Path prefixes of source files that belong to no game."""


def raised(error: BaseException) -> Flaw:
    """Return an exception as a flaw: its type, message, notes (step and rule) and source line.

    The line is the game's own if the exception passed through one.

    >>> raised(ValueError("no such hex")).text
    'raised ValueError: no such hex'
    """
    notes = "; ".join(getattr(error, "__notes__", ()))
    passed = traceback.extract_tb(error.__traceback__)
    frames = [frame for frame in passed if not frame.filename.startswith(_ENGINE)] or passed
    where = (
        f", at {frames[-1].filename.rpartition('/')[2]}:{frames[-1].lineno}, {frames[-1].name}"
        if frames
        else ""
    )
    rules = _RULE.findall(notes)
    return Flaw(
        f"{RAISED}{type(error).__name__}: {error}{' ' if notes else ''}{notes}{where}",
        rules[-1] if rules else "",
    )


def admitted(key: str, plugin: object) -> tuple[Catalogue, list[Flaw]]:
    """Return a catalogue with this game only, and the reasons if the game was not admitted."""
    catalogue = Catalogue()
    try:
        catalogue.admit(plugin, expected=key)
    except ProcedureError as error:
        return catalogue, [Flaw(str(error))]
    except Exception as error:  # noqa: BLE001 - report whatever a broken game raises
        return catalogue, [raised(error)]
    return catalogue, []
