"""Tuning through the front door: what is wanted of a game, and the fewest of its numbers to change for that."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import partial
from typing import Any

import attrs

from fireplan import comparison as comparing
from fireplan.api import _open as opening
from fireplan.api._changes import Changes, Named
from fireplan.api._errors import InputError, argument, gathered, outside, refuse, refusing
from fireplan.api._lists import Table
from fireplan.api._sampling import Progress, silent
from fireplan.comparison import Setting, Tuner, Want, within
from fireplan.solver import TooLargeError
from fireplan_core import find_numbers
from fireplan_core.play import Catalogue, Variation


@attrs.frozen(eq=False, repr=False, kw_only=True)
class TuningResult(Table):
    """What reaches the targets, or came nearest, each solved exactly: as a table, and as it was ``found``."""

    found: Tuner

    @classmethod
    def of(cls, table: Setting, found: Tuner, most: int) -> TuningResult:
        """Return what was found for a table, where at most so many numbers were to be changed."""
        trials = {"as it is": found.printed, **{f"{n}": one for n, one in enumerate(found.proposals, 1)}}
        rows = [
            {
                "what": name,
                "set": {f"{table.game}.{shift.number.name}": shift.value for shift in one.shifts},
                "holds": not one.lacks,
                **{str(want): str(value) for want, value in zip(found.wants, one.values, strict=True)},
            }
            for name, one in (trials if found.proposals else {**trials, "nearest": found.nearest}).items()
        ]
        shown: dict[str, Any] = {str(want): partial(_shown, want) for want in found.wants}
        heads = {"what": "", "name": "change", **{name: name for name in shown}}
        shown["name"] = lambda row: "\n".join(f"{number}={value}" for number, value in row["set"].items())
        around = {"game": table.game, "name": table.name, "numbers": len(found.numbers), "tried": len(found.tried)}
        last = f"{found.in_words(most)}\nEvery line is solved exactly; * does not hold."
        return cls(heads, rows, "trials", {**around, "stopped_by_time": found.over}, last, shown, found=found)


def _shown(want: Want, row: Mapping[str, Any]) -> str:
    value = Fraction(row[str(want)])
    return want.shown(value) + " *" * (not want.holds(value))


def tune(  # noqa: PLR0913 - the table, what is wanted of it, and how it is looked for
    game: str,
    name: str | None = None,
    *,
    want: str | Iterable[str] = (),
    only: str | Iterable[str] = (),
    most: int = 3,
    seconds: int = 5,
    set: Named = None,  # noqa: A002 - as on the command line
    minutes: int | None = None,
    catalogue: Catalogue | None = None,
    progress: Progress = silent,
    **facts: Any,
) -> TuningResult:
    """Propose the fewest changed numbers with which a game reaches what you want; each proposal is solved exactly.

    :param game: A game's key, as 'fireplan games' lists them; or a shipped scenario (game/name) or a scenario file.
    :param name: A shipped engagement or the path of your own file; woods by default.
    :param want: A target, any number of times: 'delivered >= 80 %', 'own_troops_under_fire < 2 %', 'minutes <= 10 min'.
        Figures: delivered, on_target, minutes, suppressed, reduced, destroyed, own_troops_under_fire, exhausted.
    :param only: Change only these numbers, as 'fireplan numbers GAME' lists them; a name without its keys means all
        under it.
    :param most: How many numbers to change together at most, 1 to 5.
    :param seconds: How long to look.
    :param set: GAME.NUMBER=VALUE, any number of them: changed to begin with, and left so.
    :raises InputError: With everything that is wrong, and for a table too large to be solved.
    """
    installed = catalogue or opening.catalogue()
    faults = outside("most", most, 1, 5) + outside("seconds", seconds, 1, 600)
    given = [want] if isinstance(want, str) else list(want)
    wants = [found for text in given if (found := _told(faults, "want", Want.read, text))]
    if not given:
        faults.append(f"{argument('want')}: say at least one target, such as 'delivered >= 80 %'.")
    changed = gathered(faults, Changes(None, None, set).read, installed) or {}
    scenario = game if name is None and comparing.is_scenario(installed, game) else None
    key = None if scenario else game
    table = opening.one_table(installed, scenario or name, key, minutes, facts, changed.values(), faults)
    charts, base = installed[table.game].game.charts, changed.get(table.game, Variation())
    texts = (text.removeprefix(f"{table.game}.") for text in ([only] if isinstance(only, str) else only))
    those = [_told(faults, "only", partial(find_numbers, charts), text) or () for text in texts]
    refuse(faults)
    among = {number.name for some in those for number in some}
    try:
        with refusing("solved exactly", f"{table.game} cannot stage this"):
            found = Tuner(table, base, wants, within(seconds), among).search(most, progress)
    except TooLargeError as error:
        raise InputError(f"This is too large to be solved exactly: {error}. Watch fewer minutes.") from error
    return TuningResult.of(table, found, most)


def _told(faults: list[str], name: str, read: Any, text: str) -> Any:
    """Return what a text stands for; what is wrong with it is added to ``faults``."""
    try:
        return read(text)
    except ValueError as error:
        faults.append(f"{argument(name)}: {error}.")
        return None
