"""Stories: possible courses of play from a position, by seeded dice and the standard orders."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import groupby
from operator import itemgetter
from typing import Any

import attrs

from fireplan import analysis
from fireplan.errors import InputError, counted, outside, refuse
from fireplan.positions.final import check_comparisons
from fireplan.questions.asked_position import AskedPosition, given
from fireplan.questions.conditions import Happens, Vocabulary, event_of
from fireplan.questions.inquiry import moments_until
from fireplan.questions.playing import TimedEvent, timed_events
from fireplan.questions.result import Block, Listing, Result, Rows, Text
from fireplan.questions.sampling import MOST_TRAJECTORIES
from fireplan.solver import Compiler, playout
from fireplan.table import Words
from fireplan_core import Scenario
from fireplan_core.chance import RandomFaces
from fireplan_core.play import Log


@attrs.frozen(eq=False, repr=False)
class Story(Result):
    """One possible course of play under the standard doctrine: its events, chance and end."""

    line: str
    chance: Fraction
    log: Log
    end: Any
    lines: tuple[str, ...]

    @property
    def events(self) -> tuple[TimedEvent, ...]:
        """The events in order, each with its time."""
        return timed_events(self.end.at.scenario, self.log)

    def blocks(self) -> Iterator[Block]:
        """Yield the events, moment by moment."""
        yield Text(
            f"From {self.line}; its dice have the chance {analysis.percent(self.chance)}", "bold"
        )
        for moment, rows in groupby(self.rows(), itemgetter("moment")):
            yield Listing(moment, tuple(row["happens"] for row in rows))

    def to_dict(self) -> dict[str, Any]:
        """Return the starting position, the chance, the events and the end."""
        return {
            "position": self.line,
            "chance": str(self.chance),
            "happens": self.rows(),
            "end": self.end.line,
        }

    def rows(self) -> Rows:
        """Return one row for each event."""
        name = self.end.at.scenario.clock.name
        pairs = zip(self.log, self.lines, strict=True)
        return [{"moment": name(entry.moment), "happens": text} for entry, text in pairs]


@attrs.frozen(eq=False, repr=False)
class Stories(Result, Sequence[Story]):
    """Possible courses of play, likeliest first, each listed once."""

    listed: tuple[Story, ...]
    drawn: int
    scenario: Scenario

    def __getitem__(self, number: Any) -> Any:
        return self.listed[number]

    def __len__(self) -> int:
        return len(self.listed)

    def blocks(self) -> Iterator[Block]:
        """Yield each story as its chance and its last event."""
        ends = tuple(
            f"{analysis.percent(story.chance)}: {story.lines[-1]}"
            for story in self.listed
            if story.lines
        )
        yield Listing(
            f"{counted(len(self), 'course')} of play among {self.drawn:,} drawn: chance and last event",
            ends,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return every story, and the number drawn."""
        return {"drawn": self.drawn, "stories": [story.to_dict() for story in self.listed]}

    def rows(self) -> Rows:
        """Return one row for each event of each story, with the number and chance of the story."""
        return [
            {"story": number, "chance": str(story.chance), **row}
            for number, story in enumerate(self.listed, 1)
            for row in story.rows()
        ]

    def where(self, condition: Happens | str | Callable[[Any], bool]) -> Stories:
        """Return the stories in which an event happens, or whose end satisfies a function."""
        if callable(condition):
            matching = tuple(story for story in self.listed if _satisfies(story.end, condition))
        else:
            event = Vocabulary.of(self.scenario).event(event_of(condition))
            matching = tuple(story for story in self.listed if event.holds_after(story.log))
        return attrs.evolve(self, listed=matching)


def _satisfies(end: Any, condition: Callable[[Any], bool]) -> bool:
    satisfied = condition(end)
    check_comparisons(condition, end.at.scenario, end.at.read)
    return satisfied


# --- methods of a position ------------------------------------------------------------
def story(
    position: AskedPosition,
    seed: int | str = 1,
    by: str | int | None = None,
    *,
    orders: Any = None,
) -> Story:
    """Return one course of play up to ``by``, with seeded dice and the standard orders.

    ``by`` is as in ``odds``. ``orders`` are given in advance, as to ``fireplan.strategy``, instead
    of the standard ones.
    """
    position = given(position, orders)
    return _story(position, Compiler(position.at.scenario), seed, moments_until(position, by))


def stories(
    position: AskedPosition,
    number: int = 100,
    by: str | int | None = None,
    *,
    seed: int = 1,
    orders: Any = None,
) -> Stories:
    """Draw this many courses of play; return the distinct ones, likeliest first.

    ``where`` of the result selects stories by an event or by their end. The chance of a story is
    the chance of all its throws. Raises ``InputError`` unless ``number`` is a whole number from 1
    to ``MOST_TRAJECTORIES``.
    """
    position = given(position, orders)
    if type(number) is not int:
        raise InputError(f"number: expected a whole number of courses of play, got {number!r}.")
    refuse(outside("number", number, 1, MOST_TRAJECTORIES))
    scenario = position.at.scenario
    until, compiler = moments_until(position, by), Compiler(scenario)
    distinct: dict[Any, Story] = {}
    for trial in range(number):
        story = _story(position, compiler, f"{seed}/{trial}", until)
        distinct.setdefault(tuple((entry.moment, entry.event) for entry in story.log), story)
    likeliest = sorted(distinct.values(), key=lambda story: -story.chance)
    return Stories(tuple(likeliest), number, scenario)


def _story(position: AskedPosition, compiler: Compiler, seed: int | str, until: int) -> Story:
    at = position.at
    if at.faces:
        raise InputError("Finish the throw first: a story begins before a throw or after it.")
    with position.followed():
        played = playout(compiler, until, RandomFaces(seed), at.state)
    words = Words(at.scenario)
    lines = tuple(words.ruling(entry.event) for entry in played.log)
    return Story(position.line, played.chance, played.log, position.standing(played.end), lines)
