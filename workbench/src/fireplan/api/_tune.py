"""Tuning through the front door: what is wanted of a game, and the fewest of its numbers to change for that."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import attrs

from fireplan import comparison as comparing
from fireplan.api import _open as opening
from fireplan.api._changes import Changes, Named
from fireplan.api._errors import argument, gathered, outside, refuse, refusing
from fireplan.api._result import Block, Grid, Result, Text
from fireplan.api._sampling import Progress, silent
from fireplan.comparison import Setting, Trial, Tuning, Want
from fireplan.solver import TooLargeError
from fireplan_core import find_numbers
from fireplan_core.play import Catalogue, Variation

MOST = 3
"""Numbers that a proposal changes at most, unless told otherwise."""
SECONDS = 5


@attrs.frozen(eq=False, repr=False)
class TuningResult(Result):
    """The fewest changed numbers found that reach what is wanted of a table, each proposal solved exactly."""

    table: Setting
    found: Tuning
    most: int

    def blocks(self, width: int = 100) -> Iterator[Block]:  # noqa: ARG002
        """Yield the proposals with their figures, or what came nearest."""
        found = self.found
        yield Text(f"{self.table.title}, {self.table.game}", "bold")
        yield Text(found.in_words(self.most))
        heads = ("", "change", *map(str, found.wants))
        rows = [(name, *self._cells(one)) for name, one in self._named()]
        yield Grid(heads, tuple(rows), sections=frozenset({0}), fold=frozenset({1}))
        yield Text("Every line is solved exactly; * does not hold.", "dim")

    def _named(self) -> Iterator[tuple[str, Trial]]:
        yield "as it is", self.found.printed
        if not self.found.proposals:
            yield "nearest", self.found.nearest
        yield from ((f"{number}", one) for number, one in enumerate(self.found.proposals, 1))

    def _cells(self, trial: Trial) -> Iterator[str]:
        yield "\n".join(f"{name}={value}" for name, value in self._plain(trial)["set"].items())
        for want, value in zip(self.found.wants, trial.values, strict=True):
            yield want.shown(value) + ("" if want.holds(value) else " *")

    def to_dict(self) -> dict[str, Any]:
        """Return targets, proposals and what came nearest; figures are exact rationals as text."""
        found = self.found
        return {
            "table": {"name": self.table.name, "game": self.table.game},
            "wants": [str(want) for want in found.wants],
            "as_it_is": self._plain(found.printed),
            "proposals": [self._plain(one) for one in found.proposals],
            "nearest": self._plain(found.nearest),
            "numbers": found.numbers,
            "tried": found.tried,
            "stopped_by_time": found.over,
        }

    def _plain(self, trial: Trial) -> dict[str, Any]:
        changes = {f"{self.table.game}.{shift.number.name}": shift.value for shift in trial.shifts}
        values = {want.figure.name: str(value) for want, value in zip(self.found.wants, trial.values, strict=True)}
        return {"set": changes, "values": values, "holds": trial.holds}

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for the table as it is and for each proposal, or for what came nearest."""
        found = ((name, self._plain(one)) for name, one in self._named())
        return [
            {"what": name, "set": " ".join(f"{n}={v}" for n, v in one["set"].items()), **one["values"]}
            for name, one in found
        ]


def tune(  # noqa: PLR0913 - the table, what is wanted of it, and how it is looked for
    game: str,
    name: str | None = None,
    *,
    want: str | Iterable[str],
    only: str | Iterable[str] = (),
    most: int = MOST,
    seconds: int = SECONDS,
    set: Named = None,  # noqa: A002 - as on the command line
    minutes: int | None = None,
    catalogue: Catalogue | None = None,
    progress: Progress = silent,
    **facts: Any,
) -> TuningResult:
    """Propose the fewest changed numbers of a game that make its figures reach what is wanted.

    ``game`` stages the engagement ``name`` (woods by default), over which ``facts`` are laid; or it is a scenario. A
    target is a figure, a comparison and a value: ``"delivered >= 80 %"``, ``"minutes < 12 min"``. At most ``most``
    numbers are changed together, of those named in ``only``, or any; the search takes ``seconds``. What is ``set``
    already stays. Raises ``InputError`` with everything that is wrong, and for a table too large to be solved.
    """
    installed = catalogue or opening.catalogue()
    faults = outside("most", most, 1, 5) + outside("seconds", seconds, 1, 600)
    given = [want] if isinstance(want, str) else list(want)
    wants = [found for text in given if (found := _told(faults, "want", Want.read, text))]
    if not given:
        faults.append(f"{argument('want')}: say at least one target, such as 'delivered >= 80 %'.")
    is_file = name is None and comparing.is_scenario(installed, game)
    if not is_file:
        gathered(faults, opening.known_games, installed, [game])
        gathered(faults, opening.engagement_named, name, facts)
    changed = gathered(faults, Changes(None, None, set).read, installed) or {}
    refuse(faults)
    named = None if is_file else game
    table = opening.setting_of(
        installed, game if is_file else name, named, minutes, facts=facts, changed=changed.values()
    )
    charts = installed[table.game].game.charts
    texts = [only] if isinstance(only, str) else only
    those = [_told(faults, "only", lambda t: find_numbers(charts, t.removeprefix(f"{table.game}.")), t) for t in texts]
    refuse(faults)
    with refusing("solved", f"{table.game} cannot stage this"):
        try:
            among = {number.name for some in those for number in some}
            base = changed.get(table.game, Variation())
            found = comparing.tune(table, base, wants, comparing.within(seconds), most, among, progress)
        except TooLargeError as error:
            refuse([f"This is too large to be solved exactly: {error}. Ask for fewer {argument('minutes')}."])
    return TuningResult(table, found, most)


def _told(faults: list[str], name: str, read: Any, text: str) -> Any:
    """Return what a text stands for; what is wrong with it is added to ``faults``."""
    try:
        return read(text)
    except ValueError as error:
        faults.append(f"{argument(name)}: {error}.")
        return None
