"""Alternative readings of a game: the effects of every other value of an option."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from fractions import Fraction
from functools import partial
from operator import itemgetter
from typing import Any

import attrs

from fireplan import analysis
from fireplan import solver as solving
from fireplan import table as playing
from fireplan.analysis import FIGURES, GameAnswer, YardstickChange
from fireplan.errors import argument_name, counted, refuse, unknown
from fireplan.positions import Source, Sources
from fireplan.questions import opening
from fireplan.questions.divergence import INPUTS, WALKS, Parting, Reached, Walked
from fireplan.questions.of_game import OfGame
from fireplan.questions.question import asks
from fireplan.questions.recorded import load_playthrough
from fireplan.questions.result import Block, Grid, Listing, Result, Rows, Text
from fireplan_core import Game, Option, ProcedureError
from fireplan_core.files import FileError
from fireplan_core.play import Catalogue, shipped_scenarios

MOMENTS = 2
"""Default number of moments for which each table is solved."""
STILL = "no figure changes in any shipped scenario"


@attrs.frozen
class TableMoved:
    """The effects of one option value on one table: changed yardsticks and exact figures.

    ``read`` is true if the standard doctrine reads the option at this table. ``figures`` maps each
    changed figure to its values before and after. ``left_out`` is the reason if there are no
    figures.
    """

    table: str
    read: bool = True
    changes: tuple[YardstickChange, ...] = ()
    figures: Mapping[str, tuple[Fraction, Fraction]] = attrs.field(factory=dict)
    left_out: str = ""


@attrs.frozen
class OptionValue:
    """One value of an option, compared with the default.

    ``tables`` contains its effects on each table. ``parting`` is the smallest position found at
    which the two readings differ, or None.
    """

    option: Option
    value: Any
    tables: tuple[TableMoved, ...]
    parting: Parting | None

    @property
    def moved(self) -> tuple[TableMoved, ...]:
        """Return the tables at which a yardstick changes."""
        return tuple(table for table in self.tables if table.changes)


@attrs.frozen(eq=False, repr=False)
class DiffResult(Result):
    """All readings of a game, compared with the default.

    ``looked_at`` is the number of states that the search visited.
    """

    game: Game
    moments: int
    readings: tuple[OptionValue, ...]
    looked_at: int
    walks: int = WALKS

    def blocks(self) -> Iterator[Block]:
        """Yield the greatest change, the changes of each option, and the extent of the search."""
        yield Text(self.in_short, "bold")
        yield Text(": ".join(filter(None, (self.game.title, self.game.edition))))
        option = None
        for reading in self.readings:
            if reading.option != option:
                option = reading.option
                yield Text(f"\n{option.cite}  {option.name}: {option.summary}", "bold")
            yield from _reading(reading, searched=self.walks > 0)
        walked = f"{self.looked_at:,} states of the playthroughs and of {counted(self.walks, 'random game')}, up to {INPUTS} inputs long"
        yield Text(
            f"Each other reading is compared exactly with the default over the first {counted(self.moments, 'moment')} of every"
            f" shipped scenario and of the engagement {analysis.DEFAULT}. "
            + (f"Positions: {walked}." if self.walks else "No positions were searched (0 walks)."),
            "dim",
        )

    @property
    def in_short(self) -> str:
        """Return a sentence that names the reading with the greatest change of a figure.

        If no reading changes a figure, the sentence says so. If only times change, it says how many
        readings change the odds.
        """
        if not self.readings:
            return "This game has no options, so it has no other reading."
        moved = [reading for reading in self.readings if reading.moved]
        apart = [reading for reading in self.readings if reading.parting]
        if not moved:
            which = (
                _which(self.readings[0]) if len(self.readings) == 1 else "With any other reading"
            )
            differ = "; orders or throws do differ" if apart else ""
            return f"{which} {STILL}{differ}."
        sizes = [
            (abs(after - before), reading, table, figure, before, after)
            for reading in moved
            for table in reading.tables
            for figure, (before, after) in table.figures.items()
            if FIGURES[figure].unit != "min"
        ]
        many = f"{len(moved)} of {counted(len(self.readings), 'other reading')}"
        changed = f"{many} {'changes' if len(moved) == 1 else 'change'} the odds"
        if not sizes:
            return f"{changed}."
        _, reading, table, figure, before, after = max(sizes, key=itemgetter(0))
        return (
            f"{_which(reading)} the {FIGURES[figure].summary} is"
            f" {FIGURES[figure].compared(after, before)} in {table.table}"
            + (f", the greatest change: {changed}." if len(self.readings) > 1 else ".")
        )

    def to_dict(self) -> dict[str, Any]:
        """Return every reading with its tables; figures are exact rationals as strings."""
        return {
            "game": self.game.key,
            "title": self.game.title,
            "edition": self.game.edition,
            "moments": self.moments,
            "walks": self.walks,
            "states": self.looked_at,
            "readings": [playing.as_data(reading) | _named(reading) for reading in self.readings],
        }

    def rows(self) -> Rows:
        """Return one row for each yardstick that changes."""
        return [
            {**_named(reading), "table": table.table, **attrs.asdict(change)}
            for reading in self.readings
            for table in reading.moved
            for change in table.changes
        ]


def _named(reading: OptionValue) -> dict[str, Any]:
    option = reading.option
    return {
        "rule": option.cite,
        "option": option.name,
        "default": option.default,
        "value": reading.value,
    }


def _which(reading: OptionValue) -> str:
    """Return the words that name a reading, to begin a sentence: "With d10_zero ten, not zero,"."""
    option = reading.option
    return f"With {option.name} {reading.value}, not {option.default},"


def _reading(reading: OptionValue, *, searched: bool) -> Iterator[Block]:
    pair = f"{reading.option.default} | {reading.value}"
    rows = [
        (table.table, change.what, change.before, change.after, change.difference)
        for table in reading.moved
        for change in table.changes
    ]
    if rows:
        yield Grid(
            ("table", "", str(reading.option.default), str(reading.value), "difference"),
            tuple(rows),
            title=pair,
        )
    else:
        solved = all(not table.left_out for table in reading.tables)
        unread = (
            "; the standard doctrine does not use it there"
            if not any(table.read for table in reading.tables)
            else ""
        )
        yield Text(f"{pair}: {STILL}{'' if solved else ' that was solved'}{unread}")
    if left_out := [
        f"{table.table}: {table.left_out}" for table in reading.tables if table.left_out
    ]:
        yield Listing("Left out", tuple(left_out))
    if reading.parting is None:
        if searched:
            yield Text(
                "No position was found at which one order or throw differs between them.", "dim"
            )
        return
    parting = reading.parting
    yield Text(
        f"Shortest way to a difference, after {counted(parting.inputs, 'input')}: {parting.by} of the next orders or throws differ"
    )
    yield Text(f"  such as {parting.what}")
    yield from (Text(f"  {line}", wrap=False) for line in parting.lines)


class Diff(OfGame[DiffResult]):
    """Compare every other reading of a game's options with the default: what changes, and where.

    Every shipped scenario and the usual engagement are solved exactly if they read the option;
    scenarios that are too large are left out and listed.

    A whole game takes minutes. With one option and no walks, the first answer takes seconds.
    """

    key = "diff"
    example = """
        >>> readings = fp.diff('miniatures_1943', option='chit', value='dummy', moments=1, walks=1)
        >>> readings.readings[0].parting.inputs  # the first input after which they differ
        0
    """

    option: tuple[str, ...] | None = asks(
        "Only these options, by name; 'fireplan games --json' lists them. By default all, which takes"
        " a long time.",
    )
    value: str | int | bool | None = asks("Only this value; name exactly one option.")
    moments: int = asks(
        "Solve this many moments of each scenario.",
        MOMENTS,
        range=(1, opening.LONGEST),
        unit="moments",
    )
    walks: int = asks(
        "Search the positions reached in this many random games from each scenario; 0 searches none.",
        WALKS,
        range=(0, 1000),
    )

    def answer(self) -> DiffResult:
        """Return the effects of each reading.

        Raise ``InputError`` for an unknown game, option or value.
        """
        game, moments, walks = self.game, self.moments, self.walks
        installed = self.installed()
        played = installed[game].game
        names = None if self.option is None else [*self.option]
        pairs = _pairs(played, names, self.value)
        noted = solving.NumberLog()
        sources = Sources(
            installed,
            analysis.shipped_engagements(),
            note=noted,
            unlisted=playing.unlisted_scenarios,
        )
        tables = list(_tables(Sources(installed, analysis.shipped_engagements()), game))
        walked = _walked(installed, game, tables, walks)
        total = len(pairs) * (len(tables) + 1)
        total += sum(random + len(played) for random, played in walked.values())
        reached = Reached.of(sources, walked, noted, partial(self.progress, total))
        solved = _Solved(sources, played, moments, noted, reached.staged)
        readings = []
        for option, value in pairs:
            moved = []
            for table in tables:
                moved.append(solved.moved(table, option, value))
                self.progress(total, f"{option.name}={value}: {moved[-1].table}")
            readings.append(
                OptionValue(
                    option,
                    value,
                    tuple(moved),
                    reached.smallest(game, option.name, (option.default, value)),
                )
            )
            self.progress(total, f"{option.name}={value}: positions")
        return DiffResult(
            played, moments, tuple(readings), sum(map(len, reached.states.values())), walks
        )


def _pairs(game: Game, names: list[str] | None, value: Any) -> list[tuple[Option, Any]]:
    """Return each requested option paired with each of its other values.

    If ``value`` is given, only the pair with this value is returned. Raise ``InputError`` listing
    every fault.
    """
    options = {option.name: option for option in game.options}
    faults: list[str] = []
    faults += [str(unknown("option", name, options)) for name in names or () if name not in options]
    if value is not None and len(names or ()) != 1:
        faults.append(f"{argument_name('value')} goes with one {argument_name('option')}.")
    refuse(faults)
    pairs = [
        (options[name], other) for name in names or options for other in options[name].values[1:]
    ]
    if value is None:
        return pairs
    spoken = {str(other).lower(): (option, other) for option, other in pairs}
    if str(value).lower() not in spoken:
        raise unknown("other value", str(value), [str(other) for _, other in pairs])
    return [spoken[str(value).lower()]]


def _tables(sources: Sources, game: str) -> Iterator[Source]:
    yield from (
        Source(name=name)
        for name in shipped_scenarios(sources.catalogue)
        if name.startswith(f"{game}/")
    )
    usual = Source(name=analysis.DEFAULT, game=game)
    with suppress(FileError):
        sources.scenario(usual)
        yield usual


def _walked(installed: Catalogue, game: str, tables: Iterable[Source], walks: int) -> Walked:
    """Return the walks to make from each table, and the inputs of its playthroughs.

    An unlisted scenario with a playthrough gets one walk, the other tables get ``walks``.
    """
    walks_by_table: Walked = {table: (walks, []) for table in tables}
    accounts = playing.shipped_playthroughs(installed) if walks else {}
    for name in playing.unlisted_scenarios(installed) if walks else ():
        if name.startswith(f"{game}/"):
            walks_by_table[Source(name=name)] = 1 if name in accounts else walks, []
    for name, file in accounts.items():
        playthrough, head, session = load_playthrough(installed, file)
        source = (
            playing.source_of(attrs.evolve(head, options={}))
            if playthrough.text is None
            else Source(name=name)
        )
        if source in walks_by_table and (playthrough.text is not None or not playthrough.options):
            playing.replay_playthrough(playthrough, session)
            walks_by_table[source][1].append(session.table.journal)
    return walks_by_table


@attrs.frozen(eq=False)
class _Solved:
    """A cache of solved tables; only tables that read the option are solved again for a value."""

    sources: Sources
    game: Game
    moments: int
    noted: solving.NumberLog
    staged: Mapping[Source, frozenset[str]]
    plain: dict[Source, tuple[GameAnswer | str, frozenset[str]]] = attrs.field(factory=dict)

    def moved(self, table: Source, option: Option, value: Any) -> TableMoved:
        """Return the effects of an option value on a table."""
        name = f"{table.name} (engagement)" if table.game else table.name
        usual = self.sources.scenario(table).parts.requests.options[option.name] == option.default
        before, read = self._answer(
            table if usual else attrs.evolve(table, options=((option.name, option.default),))
        )
        if isinstance(before, str):
            return TableMoved(name, left_out=before)
        if f"{self.game.key}:{option.name}" not in read | self.staged[table]:
            return TableMoved(name, read=False)
        after, _ = self._answer(attrs.evolve(table, options=((option.name, value),)))
        if isinstance(after, str):
            return TableMoved(name, left_out=after)
        changes = tuple(change for change in analysis.changes(before, after) if change.changed)
        then = analysis.figures_of(after)
        figures = {
            figure: (value_before, other)
            for figure, value_before in analysis.figures_of(before).items()
            if value_before is not None
            and (other := then[figure]) is not None
            and value_before != other
        }
        return TableMoved(name, changes=changes, figures=figures)

    def _answer(self, source: Source) -> tuple[GameAnswer | str, frozenset[str]]:
        """Return a table's answers, or why it has none, and the options that the rules read."""
        if source not in self.plain:
            try:
                scenario = self.sources.scenario(source)
                self.noted.take()
                outcome: GameAnswer | str = analysis.answer(
                    self.game, solving.Analysis(scenario, self.moments)
                )
            except (FileError, ProcedureError, solving.TooLargeError) as error:
                outcome = str(error)
            self.plain[source] = outcome, self.noted.take()
        return self.plain[source]
