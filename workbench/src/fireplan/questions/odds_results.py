"""The odds of one table, before and after changes: solved or sampled."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import attrs

from fireplan import analysis
from fireplan.analysis import GameAnswer
from fireplan.errors import counted
from fireplan.questions.answers import given
from fireplan.questions.changes import overlays
from fireplan.questions.compare import (
    changed_rows,
    yardsticks,
)
from fireplan.questions.opening import titled
from fireplan.questions.result import Block, Grid, Listing, Result, Rows, Text
from fireplan.questions.sampling import Sample, Shares
from fireplan_core.play import Variation


@attrs.frozen(eq=False, repr=False)
class OddsResult(Result):
    """The solution of one table: every yardstick, exact unless floats were requested.

    For a position, ``line`` is its notation, ``until`` the time to which play is followed, and
    minutes count from the position. Under a condition, the condition and its chance are included.
    """

    title: str
    answer: GameAnswer
    line: str = ""
    until: str = ""
    condition: str = ""
    condition_chance: Fraction = Fraction(1)

    @property
    def curve(self) -> list[tuple[Fraction, Fraction]]:
        """Return pairs of a time in minutes and the chance that fire has been delivered by then.

        For a position, minutes count from the position.
        """
        return self.answer.delivery

    @property
    def cites(self) -> tuple[str, ...]:
        """The rule numbers cited by the steps that were followed."""
        return self.answer.cites

    def blocks(self) -> Iterator[Block]:
        """Yield the answer as text: where it starts, what is given, and the table of yardsticks.

        The assumptions that the figures rest on follow.
        """
        if self.line:
            yield Text(self.line, wrap=False)
            yield Text(f"To the end of {self.until}; minutes are counted from the position.", "dim")
        if self.condition:
            yield given(self.condition, self.condition_chance)
        kind = "every probability is exact" if self.answer.exact else "floats, not exact"
        answer = self.answer
        yield Text(self.title, "bold")
        yield Text(f"{answer.watched}; {answer.states:,} states; {kind}.", "dim")
        yield yardsticks([answer], bars=True)
        if answer.notes:
            yield Listing("What the figures rest on", tuple(answer.notes))

    def to_dict(self) -> dict[str, Any]:
        """Return the answer to every yardstick as a dictionary, with the position and condition.

        Probabilities are exact rationals as strings.
        """
        at = {"position": self.line, "until": self.until} if self.line else {}
        condition = (
            {"given": self.condition, "chance_of_that": str(self.condition_chance)}
            if self.condition
            else {}
        )
        return {**at, **condition, **analysis.answer_data(self.answer)}

    def rows(self) -> Rows:
        """Return one row for each measure and value."""
        return analysis.answer_rows(self.answer)

    def svg(self) -> str:
        """Return the delivery over time as an SVG chart."""
        from fireplan.draw import plot

        lines = {self.answer.title: self.answer.delivery}
        return plot.delivery(self.title, lines, [self.answer.key])


@attrs.frozen(eq=False, repr=False)
class SampledOdds(Result):
    """The sampled odds of one table: shares with their standard errors.

    ``walked`` says how the trajectories were followed, and ``kept`` is the number that met the
    condition. If the table was too large to solve, ``why`` is the reason, and ``solvable`` is the
    number of moments that could be solved exactly. For a position, ``line`` is its notation.
    """

    title: str
    moments: int
    sample: Sample
    walked: str
    shares: Shares
    kept: int
    rests_on: tuple[str, ...] = ()
    line: str = ""
    condition: str = ""
    why: str = ""
    solvable: int = 0

    def blocks(self) -> Iterator[Block]:
        """Yield the size of the sample, each share with its standard error, and the notes.

        The position and the condition are included if there are any.
        """
        drawn = f"{self.sample.trajectories:,} trajectories of {counted(self.moments, 'moment')}, seed {self.sample.seed}"
        yield Text(f"{self.title}: sampled, {drawn}", wrap=False)
        if self.line:
            yield Text(f"  from: {self.line}", wrap=False)
        yield Text(f"  walked: {self.walked}", wrap=False)
        if self.condition:
            yield Text(f"  given {self.condition}: {self.kept:,} trajectories meet it", wrap=False)
        for label, (share, error) in self.shares.items():
            yield Text(f"  {label}: {share:.1%} (standard error {error:.1%})", wrap=False)
        for note in self.rests_on:
            yield Text(f"  rests on: {note}", wrap=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the question, the sample, and each share with its error, as plain data."""
        drawn = {"trajectories": self.sample.trajectories, "kept": self.kept, "walked": self.walked}
        question = {
            name: text
            for name, text in (("position", self.line), ("given", self.condition))
            if text
        }
        measures = analysis.sampled_measures(self.shares)
        return {
            "exact": False,
            **question,
            **drawn,
            "measures": measures,
            "rests_on": list(self.rests_on),
        }

    def rows(self) -> Rows:
        """Return one row for each measure."""
        return [
            {"measure": name, **measure}
            for name, measure in analysis.sampled_measures(self.shares).items()
        ]


@attrs.frozen(eq=False, repr=False)
class WhatIfResult(Result):
    """A scenario before and after a change, both solved.

    If the unchanged file is ``refused``, both answers include the change.
    """

    name: str
    title: str
    game: str
    variation: Variation
    before: GameAnswer
    after: GameAnswer
    refused: str = ""

    def blocks(self) -> Iterator[Block]:
        """Yield the yardsticks before and after, with differences highlighted."""
        if self.refused:
            yield Text(
                f"The unchanged file is refused, so both columns include the change: {self.refused}"
            )
        yield Text(titled(self.title, self.variation.rules), "bold")
        yield Text(f"{self.before.watched}; every probability is exact.", "dim")
        yield from changed_rows(self.before, self.after)

    def to_dict(self) -> dict[str, Any]:
        """Return the changes, and the answers before and after them.

        The answer before is left out if the unchanged file is refused. The key of the changed
        game ends with ``*``.
        """
        printed = {} if self.refused else {self.game: analysis.answer_data(self.before)}
        return {
            "scenario": {"name": self.name, "title": self.title},
            "changed": overlays(self.variation),
            "games": {**printed, f"{self.game}*": analysis.answer_data(self.after)},
        }

    def rows(self) -> Rows:
        """Return one row for each measure and value, before and after, as in a comparison.

        If the unchanged file is refused, only the rows after the change are returned.
        """
        columns = [(self.game, self.before)] * (not self.refused)
        columns.append((f"{self.game}*", self.after))
        return [
            {"game": key, **row} for key, answer in columns for row in analysis.answer_rows(answer)
        ]

    def svg(self) -> str:
        """Return the delivery over time, before and after, as an SVG chart."""
        from fireplan.draw import plot

        lines = {"before": self.before.delivery, "after": self.after.delivery}
        return plot.delivery(self.title, lines, [self.game, f"{self.game}*"])


@attrs.frozen(eq=False, repr=False)
class SampledWhatIf(Result):
    """A scenario before and after a change, both sampled with the same seed.

    If the scenario was too large to solve, ``why`` is the reason, and ``solvable`` is the number of
    moments that could be solved exactly. If the unchanged file is ``refused``, the change applies
    to both samples.
    """

    title: str
    sample: Sample
    variation: Variation
    before: Shares
    after: Shares
    why: str = ""
    solvable: int = 0
    refused: str = ""

    def blocks(self) -> Iterator[Block]:
        """Yield the shares before and after, with their standard errors."""
        if self.refused:
            yield Text(
                f"The unchanged file is refused, so both columns include the change: {self.refused}"
            )
        title = titled(self.title, self.variation.rules)
        yield Text(
            f"{title}: sampled, {self.sample.trajectories:,} trajectories each, seed {self.sample.seed}",
            "bold",
        )
        shown = []
        for row in self.rows():
            apart = (row["before_error"] ** 2 + row["after_error"] ** 2) ** 0.5
            difference = f"{(row['after'] - row['before']) * 100:+.1f} ± {apart * 100:.1f} points"
            before, after = (
                f"{row[name]:.1%} ± {row[f'{name}_error']:.1%}" for name in ("before", "after")
            )
            shown.append((row["what"], before, after, difference))
        yield Grid(("", "before", "after", "difference"), tuple(shown))
        yield Text("± standard errors", "dim")

    def to_dict(self) -> dict[str, Any]:
        """Return the changes, and every share before and after."""
        data = {
            "exact": False,
            "trajectories": self.sample.trajectories,
            "changed": overlays(self.variation),
        }
        return data | {"sampled": {row.pop("what"): row for row in self.rows()}}

    def rows(self) -> Rows:
        """Return one row for each measure that is sampled."""
        names = ("what", "before", "before_error", "after", "after_error")
        pairs = zip(self.before.items(), self.after.values(), strict=True)
        return [
            dict(zip(names, (what, *pair, *after), strict=True)) for (what, pair), after in pairs
        ]
