"""Say what a check is, what it finds, and how a finding is told: game, rule, and the command that shows it again."""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import attrs

from fireplan.solver import TooLargeError
from fireplan_core.play import AdmissionError, Catalogue

if TYPE_CHECKING:
    from fireplan_kit.bench import Bench

TOO_LARGE, RAISED = "too large: ", "raised "


@attrs.frozen(order=True)
class Flaw:
    """Something that breaks a check, in words, and the rule it concerns ("" where none can be told)."""

    text: str
    cite: str = ""

    def __str__(self) -> str:
        """The words, with the rule."""
        return f"{self.text} [{self.cite}]" if self.cite else self.text


Flaws = list[Flaw | str]
"""Say what a check finds: flaws, or their words where the check's own rule is meant."""


def tidy(found: Iterable[Flaw | str]) -> Flaws:
    """Return each flaw once, in the order of their words."""
    return [flaw for _, flaw in sorted({str(flaw): flaw for flaw in found}.items())]


@attrs.frozen
class Law:
    """A check: its id, what it demands, and how it is made.

    A check of the whole game (``of_game``) cannot be made on a table put together from several.
    ``of`` says what of a game it looks at, where a game may have nothing of the kind (``idle``).
    """

    id: str
    demand: str
    check: Callable[[Bench], Iterable[Flaw | str]]
    of_game: bool = False
    of: Callable[[Bench], Any] | None = None
    idle: bool = False

    def flaws(self, bench: Bench) -> list[Flaw]:
        """Return what breaks it, with the rule where one is known.

        An exception that a rule raises is a flaw too.
        """
        try:
            found = list(self.check(bench))
        except TooLargeError as error:
            found = [f"{TOO_LARGE}{error}"]
        except Exception as error:  # noqa: BLE001 - whatever a broken game raises must be told, not thrown
            found = [raised(error)]
        return [flaw if isinstance(flaw, Flaw) else Flaw(flaw) for flaw in found]


@attrs.frozen
class Finding:
    """A flaw of a game: the check it breaks, and the command that shows it again (with ``more`` options if need be)."""

    game: str
    check: str
    flaw: Flaw
    more: str = ""

    @property
    def command(self) -> str:
        """Return what to type to see it again."""
        return f"fireplan check {self.game} --only {self.check}{self.more}"

    def __str__(self) -> str:
        """One line."""
        return f"{self.game}: {self.check}: {self.flaw}; see it again: {self.command}"


_RULE = re.compile(r"in step [^ ]*\(.*?\) \(([^()]+)\)")
"""The rule of a step, as the note to an exception names it."""


def raised(error: BaseException) -> Flaw:
    """Return an exception as a flaw: its type, words and notes (which name step and rule), and its origin."""
    notes = "; ".join(getattr(error, "__notes__", ()))
    frames = traceback.extract_tb(error.__traceback__)
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
    """Return a catalogue that holds this game alone, and why it was not admitted."""
    catalogue = Catalogue()
    try:
        catalogue.admit(plugin, expected=key)
    except AdmissionError as error:
        return catalogue, [Flaw(str(error))]
    except Exception as error:  # noqa: BLE001 - as above
        return catalogue, [raised(error)]
    return catalogue, []
