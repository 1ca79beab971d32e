"""Luck: every roll of a game compared with its exact odds."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import attrs

from fireplan import analysis, table
from fireplan import solver as solving
from fireplan.errors import counted
from fireplan.questions.question import Begin, Progress, at_once, silent
from fireplan.questions.result import Block, Result, Rows, Text
from fireplan_core import Pending, Scenario
from fireplan_core.play import Input, Table, Thrown

LITTLE, MUCH, VERY = 0.5, 1.0, 2.0
"""Thresholds, in standard deviations, for slight, plain and great luck."""
ONCE, EACH = 1.0, 0.2
"""Estimated seconds on a slow machine: to solve a scenario once, and to weigh each roll."""
DEEDS = {"harm": "doing and avoiding harm", "reach": "bringing fire onto the target"}
"""For each measure of rolls, the activity that luck helped or hindered, in words."""


@attrs.frozen(eq=False, repr=False)
class LuckResult(Result):
    """The luck of each side, roll by roll.

    ``moment`` returns the name of a moment, given its index. ``words`` has the game's names for its
    rolls (None: the rolls' own names).
    """

    title: str
    sides: tuple[solving.GameLuck, ...]
    moment: Callable[[int], str]
    cites: tuple[str, ...] = ()
    """The rule numbers of these rolls."""
    words: table.Words | None = None

    def blocks(self) -> Iterator[Block]:
        """Yield the rolls of each side, then their total."""
        yield Text(self.title)
        for luck in self.sides:
            yield Text(f"\n{table.side_name(luck.side)}:", wrap=False)
            for roll in luck.rolls:
                rolled = self._said(roll)
                yield Text(f"  {self.moment(roll.moment)}: {_roll_words(rolled, roll)}", wrap=False)
            yield from (Text(f"  {line}", wrap=False) for line in _summed(luck))

    def _said(self, roll: solving.RollLuck) -> str:
        """Return a roll with its faces, in the game's words if it has any."""
        if self.words is None:
            return f"{roll.name} ({' '.join(roll.faces)})"
        faces = self.words.cards.rolled(roll.name, roll.deck, roll.faces)
        return f"{self.words.roll(roll.name)} ({faces})"

    def to_dict(self) -> dict[str, Any]:
        """Return every roll of each side; chances are rationals as strings."""
        return {"title": self.title, "sides": [_data(luck) for luck in self.sides]}

    def rows(self) -> Rows:
        """Return one row for each roll of each side."""
        return [{"side": luck.side, **roll} for luck in self.sides for roll in _data(luck)["rolls"]]


def luck_of(
    scenario: Scenario,
    moments: int,
    inputs: Sequence[Input],
    begin: Begin = at_once,
    progress: Progress = silent,
) -> LuckResult:
    """Return the luck of each side, comparing every roll with its exact odds.

    ``begin`` is called with the expected time in seconds, ``progress`` after each roll.
    """
    sides = dict.fromkeys(setup.side for setup in scenario.missions.values()) or table.sides_of(
        scenario
    )
    rolls = sum(isinstance(played, Thrown) for played in inputs) * len(sides)
    begin(ONCE + EACH * rolls)

    def valued() -> None:
        progress(rolls, "roll")

    lucks = tuple(solving.luck(scenario, moments, tuple(inputs), side, valued) for side in sides)
    return LuckResult(
        scenario.title,
        lucks,
        scenario.clock.name,
        _rolled(scenario, moments, inputs),
        table.Words(scenario),
    )


def _rolled(scenario: Scenario, moments: int, inputs: Sequence[Input]) -> tuple[str, ...]:
    """Return the rule numbers of the steps that threw dice or drew cards."""
    played, threw = Table(scenario, moments), set[Pending]()
    for entry in inputs:
        if isinstance(entry, Thrown):
            threw.add(played.state.agenda[0])
        played.submit(entry)
    return solving.cited(scenario, threw)


def _roll_words(rolled: str, roll: solving.RollLuck) -> str:
    """Return the words ``rolled`` for a roll with the roll's effect and luck.

    The luck is the chance of a roll that is at least as good; a roll without a measure is "not
    compared".
    """
    if not roll.measure:
        return f"{rolled}: not compared"
    if roll.measure == solving.REACH:
        what = "chance on target"
        before, after = analysis.percent(roll.before), analysis.percent(roll.after)
    else:
        what, before, after = (
            "expected harm",
            f"{float(roll.before):+.2f}",
            f"{float(roll.after):+.2f}",
        )
    chance = analysis.percent(roll.at_least)
    return f"{rolled}: {what} {before} -> {after}; {chance} of rolls are at least as good"


def luck_in_words(luck: solving.GameLuck) -> str:
    """Return a sentence on a side's luck over a game, without figures if none can be compared."""
    words = [
        f"{_in_words(luck.deviations(measure))} in {deed} over {counted(len(rolls), 'roll')}"
        for measure, deed in DEEDS.items()
        if (rolls := [roll for roll in luck.rolls if roll.measure == measure])
    ]
    return "; ".join(words) or "no roll could be compared with its odds"


def _summed(luck: solving.GameLuck) -> list[str]:
    """Return lines with the total luck of a side, in words and in standard deviations."""
    lines = []
    for measure, deed in DEEDS.items():
        rolls = [roll for roll in luck.rolls if roll.measure == measure]
        if rolls:
            deviations, gained = luck.deviations(measure), float(luck.gained(measure))
            gain = (
                f"{100 * gained:+.1f} points of that chance"
                if measure == solving.REACH
                else f"{gained:+.2f} harm done minus suffered, where 1 is a unit destroyed"
            )
            lines.append(
                f"{_in_words(deviations)} in {deed} over {counted(len(rolls), 'roll')}:"
                f" {gain} ({deviations:+.2f} standard deviations)"
            )
    if lines and not luck.whole:
        lines.append(
            "the chance on target leaves out strikes on observers, because the whole is too large to solve"
        )
    return lines or ["no roll could be compared with its odds"]


def _in_words(deviations: float) -> str:
    kind, size = "lucky" if deviations > 0 else "unlucky", abs(deviations)
    words = ((LITTLE, "about as expected"), (MUCH, f"a little {kind}"), (VERY, kind))
    return next((phrase for limit, phrase in words if size < limit), f"very {kind}")


def _data(luck: solving.GameLuck) -> dict[str, Any]:
    rolls = [table.as_data(roll) | {"moment": roll.moment + 1} for roll in luck.rolls]
    totals = {
        m: {"gained": str(luck.gained(m)), "standard_deviations": luck.deviations(m)} for m in DEEDS
    }
    return {"side": luck.side, "whole": luck.whole, **totals, "rolls": rolls}
