"""The tables being played: the journals in one folder, each change written before it is shown.

The terminal plays the same files. All work on them is done in one thread, one change after another;
a journal that another program has written to in the meantime is read again. The person who opened a
table takes one of its seats and hands out an invitation to each other seat; an invitation can be
used once.
"""

import asyncio
import itertools
import re
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import attrs

from fireplan import table
from fireplan.analysis import shipped_engagements
from fireplan.errors import InputError, JournalError
from fireplan.questions.review import withheld
from fireplan_core import REFEREE
from fireplan_core.files import MAX_BYTES, read_ordinary
from fireplan_core.play import Answered, Catalogue, shipped_scenarios
from fireplan_studio.changes import give_standard_orders, make_change
from fireplan_studio.limits import over
from fireplan_studio.open_session import OpenSession
from fireplan_studio.refusals import REFUSED, STALE, RequestRefusedError
from fireplan_studio.seats import Seats, check_seat
from fireplan_studio.sketch import Sketch, sketch_of

T = TypeVar("T")
_ID = re.compile(r"[a-z0-9][a-z0-9_-]{0,60}")
ENDING = ".journal"


@attrs.frozen
class TableEntry:
    """A journal in the list of tables: its game and scenario, or the reason why it is unreadable.

    ``note`` is a warning if its last line is unfinished, else empty.
    """

    id: str
    game: str
    scenario: str
    wrong: str = ""
    note: str = ""


@attrs.frozen
class Listing:
    """An entry in the list of scenarios: the title of the game, the briefing, a small map.

    The map is None if nothing in the scenario has a place that every side sees.
    """

    game: str
    briefing: table.Briefing
    map: Sketch | None


def _stem(title: str) -> str:
    """Return the beginning of a table's name, made from a title."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:40] or "journal"


class Sessions:
    """All tables in a folder.

    With ``in_one_thread``, work on them is done in the caller's thread.
    """

    def __init__(self, folder: Path, catalogue: Catalogue, *, in_one_thread: bool = False) -> None:
        self._folder = folder
        self._catalogue = catalogue
        self._open: dict[str, OpenSession] = {}
        self._listings: dict[str, Listing] = {}
        self.seats = Seats(folder, lambda name: _sides_of(self.get(name)))
        self._thread = None if in_one_thread else ThreadPoolExecutor(1, "tables")

    async def do(self, work: Callable[..., T], *arguments: Any) -> T:
        """Run ``work(*arguments)`` in the thread of the tables and return its result."""
        if self._thread is None:
            return work(*arguments)
        return await asyncio.get_running_loop().run_in_executor(self._thread, work, *arguments)

    def close(self) -> None:
        """Close all journals."""
        asyncio.run(self.do(self._shut))
        if self._thread is not None:
            self._thread.shutdown()

    def _shut(self) -> None:
        for opened in self._open.values():
            if opened.session.journal is not None:
                opened.session.journal.close()
        self._open.clear()

    # --- called in the thread of the tables -------------------------------------------------------
    def ids(self) -> list[str]:
        """Return the ids of the journals in the folder, sorted."""
        if not self._folder.is_dir():
            return []
        names = (
            file.name.removesuffix(ENDING)
            for file in self._folder.glob(f"*{ENDING}")
            if not file.is_symlink()
        )
        return sorted(name for name in names if _ID.fullmatch(name))

    def listed(self) -> list[TableEntry]:
        """Return the entries of all journals. Only their heads are read; nothing is replayed."""
        return [self._listed(name) for name in self.ids()]

    def _listed(self, name: str) -> TableEntry:
        try:
            if (opened := self._open.get(name)) is not None:
                head, note = opened.head, opened.note
            else:
                journal = table.Journal.open(self._path(name), read_only=True)
                journal.close()
                head, note = table.Head.of_data(journal.head), journal.note
        except (JournalError, InputError) as error:
            return TableEntry(name, "", "", self._message(error))
        if head.game not in self._catalogue.games:
            return TableEntry(name, "", head.name, f"The game {head.game!r} is not installed.")
        return TableEntry(name, self._catalogue[head.game].game.title, head.name, note=note)

    def _message(self, error: Exception) -> str:
        """Return an error's message, which names files without the folder of tables."""
        return str(error).replace(f"{self._folder}/", "")

    def scenarios(self) -> dict[str, str]:
        """Return the titles of the scenarios that a table can be opened with, by id."""
        parts = ((name, *name.split("/", 1)) for name in shipped_scenarios(self._catalogue))
        return {
            name: f"{self._catalogue[key].game.title}: {title.replace('_', ' ')}"
            for name, key, title in parts
        }

    def listings(self) -> dict[str, Listing]:
        """Return the entry of each shipped scenario in the list of scenarios, by its id."""
        if not self._listings:
            self._listings = {
                name: Listing(each.game, each.briefing, sketch_of(each.scenario))
                for name, each in table.shipped_briefings(self._catalogue).items()
            }
        return self._listings

    def begin(self, scenario: str) -> str:
        """Open a new table with a shipped scenario and return its id.

        Raises ``RequestRefusedError`` if it cannot be opened.
        """
        if scenario not in shipped_scenarios(self._catalogue):
            raise RequestRefusedError(REFUSED, f"There is no scenario {scenario[:60]!r}.")
        try:
            head = table.make_head(self._catalogue, scenario, None, shipped_engagements())
        except InputError as error:
            raise RequestRefusedError(REFUSED, self._message(error)) from error
        return self._begin(scenario, head)

    def again(self, name: str, side: str, inputs: str) -> str:
        """Open a new table at an earlier point of a game that is over, and return its id.

        Raises ``RequestRefusedError`` if the side may not see the whole game, or if the game has
        fewer inputs.
        """
        opened = self.seat(name, side)
        if reason := withheld(opened.session, side):
            raise RequestRefusedError(403, reason)
        standing = opened.session.history.standing
        if not inputs.isdecimal() or int(inputs) > len(standing):
            raise RequestRefusedError(REFUSED, f"There is no input {inputs[:20]!r} to go back to.")
        new = self._begin(name, opened.head)
        fresh = self._open[new].session
        for move in (each.move for each in standing[: int(inputs)]):
            if isinstance(move.given, Answered):
                fresh.order(move.given.order)
            else:
                fresh.throw([*zip(move.given.faces, move.typed, strict=True)])
        return new

    def _begin(self, called: str, head: table.Head) -> str:
        """Open a new table and return its id, which is made from ``called``.

        Raises ``RequestRefusedError`` if there are too many tables or the folder cannot be written
        to.
        """
        name = self._unused(f"{_stem(called)}-{number}" for number in itertools.count(1))
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            self.seats.clear(name)
            self._solo_file(name).unlink(missing_ok=True)
            self._open[name] = OpenSession(
                table.begin(self._path(name), self._catalogue, head), head
            )
        except (InputError, JournalError) as error:
            raise RequestRefusedError(REFUSED, self._message(error)) from error
        except OSError as error:
            raise RequestRefusedError(
                REFUSED, f"Cannot write to the journal folder ({error.strerror})."
            ) from error
        return name

    def adopt(self, title: str, journal: bytes) -> str:
        """Store a journal from elsewhere as a new table and return its id.

        ``title`` is the name that the file had; if it is taken, a number is added, so that no other
        journal is replaced. Raises ``RequestRefusedError`` if the file is not a journal that can be
        continued.
        """
        stem = _stem(Path(title).stem)
        numbered = (f"{stem}-{number}" for number in itertools.count(2))
        name = self._unused(itertools.chain([stem], numbered))
        with self._path(name).open("xb") as file:
            file.write(journal)
        if wrong := self._listed(name).wrong:
            self._path(name).unlink()
            raise RequestRefusedError(REFUSED, f"{title} cannot be opened: {wrong}")
        return name

    def _unused(self, names: Iterable[str]) -> str:
        """Return the first name that no table has.

        Raises ``RequestRefusedError`` if there are too many tables.
        """
        taken = self.ids()
        if reason := over("tables", len(taken) + 1):
            raise RequestRefusedError(REFUSED, reason)
        return next(name for name in names if name not in taken)

    def get(self, name: str) -> OpenSession:
        """Return the table with this id, as it is on disk now.

        Raises ``RequestRefusedError`` for an unknown id, or if the journal cannot be read.
        """
        opened = self._open.get(name)
        if opened is not None and opened.session.journal is not None:
            if self._path(name).is_file() and not opened.session.journal.outrun:
                return opened
            opened.session.journal.close()
            del self._open[name]
        if not _ID.fullmatch(name) or name not in self.ids():
            where = "in this browser: a table is kept only in the browser that started it"
            raise RequestRefusedError(
                404,
                f"There is no such table{f' {where}' if self._thread is None else ''}.",
                nearest="/tables",
            )
        try:
            session, head = table.reopen(self._path(name), self._catalogue)
        except (JournalError, InputError) as error:
            raise RequestRefusedError(REFUSED, self._message(error)) from error
        self._open[name] = OpenSession(session, head, solo=self._solo(name))
        return self._open[name]

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}{ENDING}"

    def seat(self, name: str, side: str) -> OpenSession:
        """Return the table with this id.

        Raises ``RequestRefusedError`` if it has no such seat.
        """
        opened = self.get(name)
        check_seat(side, _sides_of(opened))
        return opened

    def change(
        self, name: str, side: str, seen: str, kind: str, form: Mapping[str, str]
    ) -> OpenSession:
        """Make a change sent by a seat and return the table; ``seen`` is the hash on its page.

        ``kind`` is the kind of change, and ``form`` has the fields sent. Raises
        ``RequestRefusedError`` with the status ``STALE`` if that page is out of date, and with
        ``REFUSED`` if the change is refused; the table is then unchanged.
        """
        opened = self.seat(name, side)
        if seen != opened.seen(side):
            raise _stale()
        if reason := over("inputs", len(opened.session.rows) + 1):
            raise RequestRefusedError(REFUSED, reason)
        try:
            make_change(opened, side, kind, form)
        except JournalError as error:
            if opened.session.journal is not None and opened.session.journal.outrun:
                raise _stale() from error
            raise RequestRefusedError(REFUSED, self._message(error)) from error
        if kind in ("order", "dice"):
            give_standard_orders(opened)
        return opened

    # --- one player alone -------------------------------------------------------------------------
    def play_solo(self, name: str, side: str) -> None:
        """Let every other side of a table give its standard orders from now on."""
        opened = self.seat(name, side)
        self._solo_file(name).write_text(side, encoding="utf-8")
        opened.solo = side
        give_standard_orders(opened)

    def _solo(self, name: str) -> str:
        with suppress(OSError, ValueError):
            return read_ordinary(self._solo_file(name), MAX_BYTES).decode("utf-8")
        return ""

    def _solo_file(self, name: str) -> Path:
        return self._folder / f"{name}.alone"


def _sides_of(opened: OpenSession) -> tuple[str, ...]:
    return (*table.sides_of(opened.session.scenario), REFEREE)


def _stale() -> RequestRefusedError:
    return RequestRefusedError(
        STALE,
        "The table has moved on since this page was loaded, so nothing was changed. "
        "Look at the table, then try again.",
    )
