"""Recorded games: reopen journals and playthroughs, and list the positions they went through."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import attrs

from fireplan import analysis, table
from fireplan.errors import (
    WARN,
    InputError,
    JournalError,
    argument_name,
    counted,
    refuse,
    unknown,
    unread_file,
)
from fireplan.questions import opening
from fireplan.questions.luck import LuckResult, luck_of
from fireplan.questions.question import UnderOrders, asks
from fireplan.questions.refusing import following, refusing
from fireplan.questions.shared_arguments import asks_house_rules
from fireplan.strategies import scenario_under
from fireplan_core import REFEREE, ProcedureError
from fireplan_core.extras import game_to_install
from fireplan_core.files import near, read_ordinary
from fireplan_core.play import Catalogue, Input, Table, shipped_scenarios

if TYPE_CHECKING:
    from fireplan.questions.position import PositionResult

MOST_HEAD = 2_000
"""Number of bytes of a playthrough in which its game is looked for."""
_GAME = re.compile(r"fireplan playthrough \d+\n(?:[^\n]+\n)*?game: *(\S+)\n")
"""Matches the head of a playthrough up to its game."""
MOST_TEXT = 4_000_000
"""Size limit for reading a playthrough or an export, in bytes."""


@attrs.frozen(eq=False, repr=False, slots=False)
class RecordedGame:
    """A journal or playthrough, with its position after each input (an order or a whole throw)."""

    session: table.Session
    head: table.Head
    named: table.Head
    """The head under the name by which the game was asked for."""

    @cached_property
    def opens(self) -> PositionResult:
        """The position before the first input."""
        from fireplan.questions.position import opening_position

        return opening_position(self.named, self.session.scenario, self.session.moments)

    @property
    def inputs(self) -> tuple[Input, ...]:
        """Return every order and throw in the order played."""
        return self.session.table.journal

    def __str__(self) -> str:
        """Return the title, the number of inputs, the current moment and the pending input."""
        last = self.at()
        inputs = counted(len(self), "input")
        return f"{self.session.scenario.title}: {inputs}; {last.moment}, {last.waits_for}"

    __repr__ = __str__

    def __len__(self) -> int:
        """Return the number of inputs; ``at(len(...))`` is the final position."""
        return len(self.inputs)

    def __iter__(self) -> Iterator[PositionResult]:
        return iter(self.positions)

    @property
    def positions(self) -> Sequence[PositionResult]:
        """Return every position from the opening to the last, one more than there are inputs."""
        played = Table(self.opens.at.scenario, self.opens.usual)
        positions = [self.opens.standing(played.state)]
        for played_input in self.inputs:
            played.submit(played_input)
            past = self.opens.at, played.journal
            positions.append(attrs.evolve(self.opens.standing(played.state), past=past))
        if self.session.faces:
            positions[-1] = attrs.evolve(
                positions[-1], at=attrs.evolve(positions[-1].at, faces=self.session.faces)
            )
        return positions

    def at(self, inputs: int | None = None) -> PositionResult:
        """Return the position after this many inputs, by default the last.

        Raise ``InputError`` if there are fewer.
        """
        inputs = len(self.inputs) if inputs is None else inputs
        if not 0 <= inputs <= len(self.inputs):
            raise InputError(
                f"{argument_name('at')}: expected 0 to {len(self.inputs)} inputs, got {inputs}."
            )
        return self.positions[inputs]

    def luck(self) -> LuckResult:
        """Return the luck of each side, comparing every roll with its exact odds."""
        return luck_of(self.session.scenario, self.session.moments, self.inputs)

    def to_dict(self, side: str = REFEREE) -> dict[str, Any]:
        """Return opening, situation, log and inputs as plain data.

        For a side, the data contain only what that side may know, and no inputs.
        """
        return exported(self.session, self.head, side)


def exported(session: table.Session, head: table.Head, side: str) -> dict[str, Any]:
    """Return a game as plain data: opening, situation, log and inputs.

    For a side, the data contain only what that side may know, and no inputs.
    """
    data: dict[str, Any] = table.as_data(table.Viewer(session, side).all())
    recorded = head.data()
    opening = {name: recorded[name] for name in ("kind", "name", "game", "edition")}
    if side == REFEREE:
        opening |= {name: value for name, value in recorded.items() if name != "seals"}
        data["inputs"] = [{"kind": row.kind, **row.payload} for row in session.rows]
    return {"opening": opening, **data}


def load(path: str | Path, house_rules: Iterable[Any] | None = None) -> RecordedGame:
    """Return a journal (``.fireplan``) or a playthrough, with its positions.

    ``path`` is a file, or the name of a shipped playthrough. A journal that was played under house
    rules needs the same ``house_rules`` again. Raise ``InputError`` if the file cannot be read, or
    does not replay under the current rules.

    >>> fp.load("asl/behind_the_ridge").at(2).waits_for
    'roll contact'
    """
    from fireplan.chained_file import BEGINNINGS

    opening.check_elsewhere("playthrough", str(path))
    installed = _catalogue_of(str(path))
    shipped = table.shipped_playthroughs(installed)
    file: Any = shipped.get(str(path), Path(path))
    try:
        journal = read_ordinary(file, max(map(len, BEGINNINGS))).startswith(BEGINNINGS)
    except OSError as error:
        named = isinstance(error, FileNotFoundError) and not Path(path).suffix
        known = table.shipped_playthroughs(opening.catalogue())
        if named or game_to_install(str(path)):
            raise unknown("playthrough", str(path), known) from error
        meant = near(str(path), known)
        raise InputError(
            f"{path}: {unread_file(error)}.{f' Did you mean {meant}?' if meant else ''}"
        ) from error
    if journal:
        session, head = reopened(file, opening.house_rules(house_rules), installed=installed)
    else:
        with refusing("read"):
            try:
                playthrough, head, session = load_playthrough(installed, file)
                differences = table.replay_playthrough(playthrough, session)
            except InputError as error:
                raise InputError(f"{path}: {error}") from error
            refuse(f"{path}: {difference}" for difference in differences)
    # A line may also name a shipped file that is not listed as a scenario.
    unlisted = shipped.keys() - shipped_scenarios(installed).keys()
    named = str(path) in unlisted and not (
        head.shipped or head.charts or head.kind == table.ENGAGEMENT
    )
    told_as = attrs.evolve(head, name=str(path), shipped=True) if named else head
    return RecordedGame(session, head, told_as)


def reopened(
    path: Path,
    rules: Collection[Any],
    *,
    read_only: bool = True,
    installed: Catalogue | None = None,
) -> tuple[table.Session, table.Head]:
    """Return the session that a journal recorded, and its head; warn of an unfinished last line.

    Raise ``InputError`` if the journal cannot be opened.
    """
    no_folder(path)
    try:
        session, head = table.reopen(
            path, installed or opening.catalogue(), read_only=read_only, rules=rules
        )
    except (InputError, JournalError, ProcedureError) as error:
        message = str(error)
        raise InputError(
            message if message.startswith(str(path)) else f"{path}: {message}"
        ) from error
    if session.journal is not None and session.journal.note:
        WARN.get()(f"{path}: {session.journal.note}.")
    shipped = head.shipped and _is_shipped(head, installed or opening.catalogue())
    return session, attrs.evolve(head, shipped=shipped)


def _is_shipped(head: table.Head, installed: Catalogue) -> bool:
    """Return whether the files of a head are those that are shipped now under its name.

    Another version of fireplan may have shipped others, and a journal may claim anything.
    """
    game = head.game if head.kind == table.ENGAGEMENT else None
    try:
        now = table.make_head(installed, head.name, game, analysis.shipped_engagements())
    except InputError:
        return False
    return now.shipped and (now.game, now.text, now.charts) == (head.game, head.text, head.charts)


def _catalogue_of(path: str) -> Catalogue:
    """Return a catalogue of the only game that a recorded game needs, else of all games.

    ``path`` is a playthrough's file, whose head names the game, or the name of a shipped one.
    """
    try:
        head = read_ordinary(Path(path), MOST_HEAD).decode("utf-8-sig", errors="ignore")
    except (OSError, ValueError):
        return opening.catalogue_for(None, path.partition("/")[0])
    named = _GAME.match(head)
    return opening.catalogue_for(None, named[1]) if named else opening.catalogue()


def no_folder(path: Path) -> None:
    """Raise ``InputError`` if the path of a journal is a folder."""
    if path.is_dir():
        raise InputError(f"{path}: {unread_file(IsADirectoryError())}")


def load_playthrough(
    installed: Catalogue, file: Any
) -> tuple[table.Playthrough, table.Head, table.Session]:
    """Return a playthrough, its head, and the session before its first input.

    Raises ``InputError`` if the file cannot be read.
    """
    try:
        text = read_ordinary(file, MOST_TEXT).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(unread_file(error)) from error
    account = table.read_playthrough(text)
    head = account.head(installed, analysis.shipped_engagements(), Path(str(file)).parent)
    return account, head, table.Session(*table.scenario_of(installed, head))


class Luck(UnderOrders[LuckResult]):
    """Compare every roll of a game with its exact odds, and report how lucky each side was."""

    key = "luck"
    example = """
        >>> print(fp.luck('asl/behind_the_ridge'))
        Behind the ridge
        ...
    """
    estimated = True
    sooner = "weigh a shorter game"

    game: str | Path = asks(
        "A journal, or a playthrough (a file, or the name of a shipped one).",
        attrs.NOTHING,
        placed=True,
        named="playthrough",
    )
    house_rules: tuple[str | ModuleType, ...] = asks_house_rules()

    def answer(self) -> LuckResult:
        """Return the luck of each side.

        Raise ``InputError`` for a game that does not replay under the current rules.
        """
        played = load(self.game, self.house_rules)
        scenario = scenario_under(played.session.scenario, self.orders)
        with following(scenario, lambda: played.opens.at.source):
            found = luck_of(
                scenario, played.session.moments, played.inputs, self.begin, self.progress
            )
        if not self.orders.rules:
            return found
        return attrs.evolve(found, title=f"{found.title} (orders: {self.orders})")
