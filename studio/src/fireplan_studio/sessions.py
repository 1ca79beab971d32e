"""The tables being played: the journals in one folder, each change written before it is shown.

The terminal plays the same files. All work on them is done in one thread, one change after another;
a journal that another program has written to in the meantime is read again. The person who opened
a table takes one seat of it and hands out invitations to the others, each of which takes its seat
once.
"""

import asyncio
import hashlib
import hmac
import itertools
import json
import os
import re
import secrets  # noqa: TID251 - seeds dice that nobody types; the journal holds each face
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

import attrs

from fireplan import table
from fireplan.analysis import shipped_engagements
from fireplan.errors import InputError, JournalError
from fireplan.questions.review import withheld
from fireplan_core import REFEREE, Ask
from fireplan_core.chance import Face, Faces, RandomFaces
from fireplan_core.files import MAX_BYTES, read_ordinary
from fireplan_core.play import Answered, Catalogue, shipped_scenarios
from fireplan_studio.board import Board, board_of
from fireplan_studio.film import kept_back
from fireplan_studio.limits import over
from fireplan_studio.refusals import RequestRefusedError

T = TypeVar("T")
_ID = re.compile(r"[a-z0-9][a-z0-9_-]{0,60}")
ENDING = ".journal"


_FALLEN = (
    "Dice have fallen since the last order, so it stands. Only the referee can correct a throw."
)

REFUSED, STALE, TAKEN = 422, 409, 410
"""The HTTP status of a change that a table refuses, and of one from an outdated page.

The third is that of an invitation to a seat that is taken."""


@attrs.frozen(eq=False)
class SeatShown:
    """The content of a seat's page, all of it from one state of the table.

    ``inputs`` is the number of inputs so far, and ``seen`` is the hash of the view. ``takes_back``
    describes what an undo would take back, ``no_undo`` is the reason if nothing can be, ``may_ask``
    is the side that can be asked to take its order back, and ``wish`` the side that has asked.
    ``withheld`` is the reason why the result is not shown, or "". ``note`` warns of an unfinished
    last line of the journal.
    ``solo`` is the side that one person plays alone, or "".
    """

    inputs: int
    view: table.SideView
    board: Board | None
    seen: str
    takes_back: str
    no_undo: str
    may_ask: str
    wish: str
    may_reveal: bool
    filmed: bool
    withheld: str
    briefing: table.Briefing
    note: str
    solo: str


@attrs.define(slots=False)
class OpenSession:
    """An open table: its session, the head of its journal, and its dice."""

    session: table.Session
    head: table.Head
    dice: RandomFaces = attrs.field(factory=lambda: RandomFaces(secrets.token_hex(8)))
    solo: str = ""
    """The side that one person plays alone, or "" if every side has its player."""
    undo_requests: dict[int, str] = attrs.field(factory=dict)
    """Maps the number of inputs at the time to the side that asked for a take-back."""
    pages: dict[str, tuple[SeatShown, str]] = attrs.field(factory=dict, init=False)
    """Maps each side to what its last page showed, and the text of that page."""
    _shown: dict[str, SeatShown] = attrs.field(factory=dict, init=False)
    _views: dict[str, tuple[int, table.SideView]] = attrs.field(factory=dict, init=False)
    _hashes: dict[str, tuple[table.SideView, str]] = attrs.field(factory=dict, init=False)
    """Maps each side to its last view whose hash was taken, and that hash."""

    @cached_property
    def briefing(self) -> table.Briefing:
        """Return who plays, what they want, what they have and how it ends."""
        return table.briefing_of(self.session.scenario, self.session.moments, self.head)

    @property
    def note(self) -> str:
        """Return a warning if the last line of the journal is unfinished, else ""."""
        return "" if self.session.journal is None else self.session.journal.note

    def view(self, side: str) -> table.SideView:
        """Return the current view of a side."""
        inputs = len(self.session.rows)
        if side not in self._views or self._views[side][0] != inputs:
            self._views[side] = (inputs, table.view_of(self.session, side))
        return self._views[side][1]

    def seen(self, side: str) -> str:
        """Return a hash of all that a side sees; forms return it, so outdated pages are noticed.

        It is made from the side's own view only, so it reveals nothing that others did in secret.
        Sealed records (salted at random) and the records of take-backs are left out.
        """
        view = self.view(side)
        if side not in self._hashes or self._hashes[side][0] is not view:
            log = tuple(line for line in view.log if line.kind not in ("sealed", "taken back"))
            data = json.dumps(table.as_data(attrs.evolve(view, log=log)))
            self._hashes[side] = view, hashlib.sha256(data.encode()).hexdigest()[:16]
        return self._hashes[side][1]

    def takes_back(self, side: str) -> str:
        """Return the order or roll that an undo by this side would take back, or ""."""
        return "" if self.no_undo(side) else table.Viewer(self.session, side).takes_back()

    def no_undo(self, side: str) -> str:
        """Return the reason why this side may not undo the last throw, or "" if an order came last.

        Thrown dice cannot be taken back by a side; the referee may correct them.
        """
        last = self.session.last
        if last is None or side == REFEREE or not table.Viewer(self.session, side).takes_back():
            return ""
        return "" if isinstance(last.given, Answered) else _FALLEN

    def may_ask(self, side: str) -> str:
        """Return the side that this one may ask to take back its last order; empty if none.

        It is the side whose order is the last input, if this side knows of that order.
        """
        last, eyes = self.session.last, table.Visibility(self.session.scenario, side)
        own = table.Viewer(self.session, side).takes_back()
        answer = last.given if last is not None and not own else None
        return (
            last.who
            if last and isinstance(answer, Answered) and eyes.hears(last.who, answer.question)
            else ""
        )

    def shown(self, side: str) -> SeatShown:
        """Return what the page of a seat shows now; it is the same object until that changes."""
        view, last = self.view(side), self._shown.get(side)
        wish = self.undo_requests.get(len(self.session.rows), "")
        now = wish, self.solo
        if last is None or last.view is not view or (last.wish, last.solo) != now:
            board = last.board if last is not None else None
            if last is None or last.view is not view:
                board = board_of(self.session, view, last=board)
            self._shown[side] = SeatShown(
                inputs=len(self.session.rows),
                view=view,
                board=board,
                seen=self.seen(side),
                takes_back=self.takes_back(side),
                no_undo=self.no_undo(side),
                may_ask=self.may_ask(side),
                wish=wish,
                may_reveal=self.may_reveal(side),
                filmed=not kept_back(self.session, side),
                withheld=withheld(self.session, side),
                briefing=self.briefing,
                note=self.note,
                solo=self.solo,
            )
        return self._shown[side]

    def may_reveal(self, side: str) -> bool:
        """Return whether this side may reveal what is hidden: the referee, or anyone at the end."""
        return not self.session.revealed and (
            side == REFEREE or self.session.table.waits_for is None
        )


@attrs.frozen
class TableEntry:
    """A journal in the list of tables: its game and scenario, or why it cannot be read.

    ``note`` says that its last line is unfinished; else it is empty.
    """

    id: str
    game: str
    scenario: str
    wrong: str = ""
    note: str = ""


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
        self._briefings: dict[str, tuple[str, table.Briefing]] = {}
        self._seats = Seats(folder)
        self._thread = None if in_one_thread else ThreadPoolExecutor(1, "tables")

    async def do(self, work: Callable[..., T], *arguments: Any) -> T:
        """Run a function in the thread of the tables and return its result."""
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

    def briefings(self) -> dict[str, tuple[str, table.Briefing]]:
        """Return the title of the game and the briefing of each shipped scenario, by its id."""
        if not self._briefings:
            self._briefings = table.shipped_briefings(self._catalogue)
        return self._briefings

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
        """Open a new table and return its id, made from a name."""
        taken = self.ids()
        if reason := over("tables", len(taken) + 1):
            raise RequestRefusedError(REFUSED, reason)
        numbered = (f"{_stem(called)}-{number}" for number in itertools.count(1))
        name = next(name for name in numbered if name not in taken)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._seats.clear(name)
            self._solo_file(name).unlink(missing_ok=True)
            self._open[name] = OpenSession(
                table.begin(self._path(name), self._catalogue, head), head
            )
        except (InputError, JournalError) as error:
            raise RequestRefusedError(REFUSED, self._message(error)) from error
        except OSError as error:
            raise RequestRefusedError(
                REFUSED, f"The folder of the journals cannot be written to ({error.strerror})."
            ) from error
        return name

    def adopt(self, title: str, journal: bytes) -> str:
        """Store a journal from elsewhere as a new table and return its id.

        ``title`` is the name that the file had. Raises ``RequestRefusedError`` if this is no
        journal that can be played on; no other journal is replaced.
        """
        taken = self.ids()
        if reason := over("tables", len(taken) + 1):
            raise RequestRefusedError(REFUSED, reason)
        stem = _stem(Path(title).stem)
        numbered = (f"{stem}-{number}" for number in itertools.count(2))
        name = next(name for name in itertools.chain([stem], numbered) if name not in taken)
        with self._path(name).open("xb") as file:
            file.write(journal)
        if wrong := self._listed(name).wrong:
            self._path(name).unlink()
            raise RequestRefusedError(REFUSED, f"{title} cannot be opened: {wrong}")
        return name

    def get(self, name: str) -> OpenSession:
        """Return the table with this id, as it is on disk now.

        Raises ``RequestRefusedError`` if there is none or its journal cannot be read.
        """
        opened = self._open.get(name)
        if opened is not None and opened.session.journal is not None:
            if self._path(name).is_file() and not opened.session.journal.outrun:
                return opened
            opened.session.journal.close()
            del self._open[name]
        if not _ID.fullmatch(name) or name not in self.ids():
            where = "in this browser: a table stays in the browser in which it was begun"
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
        if side not in self._seat_names(opened):
            raise RequestRefusedError(404, "There is no such seat at this table.")
        return opened

    def invitations(self, name: str) -> dict[str, str]:
        """Map each seat of a table to its invitation, and ``HOST`` to the secret of its host."""
        return self._seats.of(name, self._seat_names(self.get(name)))

    def hosts(self, name: str, secret: str) -> bool:
        """Return whether a visitor's secret is that of the person who opened a table."""
        return _same(self.invitations(name)[HOST], secret)

    def opens(self, name: str, side: str, secret: str) -> bool:
        """Return whether a visitor's secret is that of a seat that is taken.

        Raises ``RequestRefusedError`` if there is no such table or seat.
        """
        self.seat(name, side)
        key = self._seats.key(name, side)
        return bool(key) and _same(key or "", secret)

    def invites(self, name: str, side: str, invitation: str) -> bool:
        """Return whether an invitation belongs to a seat, used or not."""
        self.seat(name, side)
        return _same(self.invitations(name)[side], invitation)

    def taken(self, name: str) -> tuple[tuple[str, ...], str]:
        """Return the seats of a table that are taken, and the one of its host or ""."""
        names = self._seat_names(self.get(name))
        seats = (side for side in names if self._seats.key(name, side) is not None)
        return tuple(seats), self._seats.key(name, HOST) or ""

    def take(self, name: str, side: str, *, host: bool) -> str:
        """Take a seat, for the host of the table or for somebody invited; return its secret.

        Raises ``RequestRefusedError`` if the seat is taken or the host has another one.
        """
        self.seat(name, side)
        try:
            if host and not self._seats.claim(name, HOST, side):
                raise RequestRefusedError(
                    403, f"You have the seat {self.taken(name)[1]!r} at this table."
                )
            secret = secrets.token_urlsafe(16)
            if not self._seats.claim(name, side, secret):
                if host:
                    self._seats.leave(name, HOST)
                raise RequestRefusedError(TAKEN, f"The seat {side!r} is taken.")
        except OSError as error:
            raise RequestRefusedError(
                REFUSED, f"The folder of the journals cannot be written to ({error.strerror})."
            ) from error
        return secret

    @staticmethod
    def _seat_names(opened: OpenSession) -> tuple[str, ...]:
        return (*table.sides_of(opened.session.scenario), REFEREE)

    def change(
        self, name: str, side: str, seen: str, kind: str, form: Mapping[str, str]
    ) -> OpenSession:
        """Make a change sent by a seat and return the table; ``seen`` is the hash on its page.

        Raises ``RequestRefusedError`` with the status ``STALE`` if that page is out of date, and
        with ``REFUSED`` if the change is refused; the table is then unchanged.
        """
        opened = self.seat(name, side)
        if seen != opened.seen(side):
            raise _stale()
        if reason := over("inputs", len(opened.session.rows) + 1):
            raise RequestRefusedError(REFUSED, reason)
        try:
            self._apply(opened, side, kind, form)
        except JournalError as error:
            if opened.session.journal is not None and opened.session.journal.outrun:
                raise _stale() from error
            raise RequestRefusedError(REFUSED, self._message(error)) from error
        if kind in ("order", "dice"):
            self._give_standard_orders(opened)
        return opened

    # --- one player alone -------------------------------------------------------------------------
    def play_solo(self, name: str, side: str) -> None:
        """Let every other side of a table give its standard orders from now on."""
        opened = self.seat(name, side)
        self._solo_file(name).write_text(side, encoding="utf-8")
        opened.solo = side
        self._give_standard_orders(opened)

    def _solo(self, name: str) -> str:
        with suppress(OSError, ValueError):
            return read_ordinary(self._solo_file(name), MAX_BYTES).decode("utf-8")
        return ""

    def _solo_file(self, name: str) -> Path:
        return self._folder / f"{name}.alone"

    @staticmethod
    def _give_standard_orders(opened: OpenSession) -> None:
        """Answer for the sides that nobody plays, and roll the dice that only they see."""
        side, session = opened.solo, opened.session
        while side and (waits := session.table.waits_for) is not None:
            if over("inputs", len(session.rows) + 1):
                return
            if isinstance(waits, Ask) and waits.who != side:
                session.order(session.table.rulebook.answer(waits, {}, session.table.read))
            elif not isinstance(waits, Ask) and waits.seen_by not in ("", side):
                dice = waits.faces[len(session.faces) :]
                session.throw([(opened.dice.face(die), False) for die in dice])
            else:
                return

    def _apply(self, opened: OpenSession, side: str, kind: str, form: Mapping[str, str]) -> None:
        session = opened.session
        allowed: dict[str, tuple[object, str]] = {
            "undo": (
                opened.takes_back(side),
                opened.no_undo(side) or "This seat has nothing to take back now.",
            ),
            "ask": (opened.may_ask(side), "No other side has an order to take back now."),
            "reveal": (
                opened.may_reveal(side),
                "Until the game is over, only the referee may reveal what is hidden.",
            ),
        }
        if kind in allowed and not allowed[kind][0]:
            raise RequestRefusedError(REFUSED, allowed[kind][1])
        dice = [form.get(f"die{n}", "") for n in range(sum(key.startswith("die") for key in form))]
        changes: dict[str, Callable[[], object]] = {
            "order": lambda: self._order(opened, side, form.get("order", "")),
            "dice": lambda: self._dice(opened, side, dice),
            "undo": session.undo,
            "ask": lambda: opened.undo_requests.update({len(session.rows): side}),
            "reveal": session.reveal,
        }
        if kind not in changes:
            raise RequestRefusedError(404, "A table takes only orders, dice, an undo or a reveal.")
        changes[kind]()

    @staticmethod
    def _order(opened: OpenSession, side: str, text: str) -> None:
        viewer = table.Viewer(opened.session, side)
        try:
            refusal = viewer.give(viewer.read_order(text))
        except InputError as error:
            raise RequestRefusedError(REFUSED, str(error)) from error
        if refusal is not None:
            raise RequestRefusedError(REFUSED, f"Refused: {refusal}")

    @staticmethod
    def _dice(opened: OpenSession, side: str, faces: list[str]) -> None:
        """Enter the remaining dice of a roll; an empty one is rolled here."""
        session, waits = opened.session, opened.session.table.waits_for
        if waits is None or isinstance(waits, Ask) or opened.view(side).form.kind != "dice":
            raise RequestRefusedError(REFUSED, "No roll is waiting for dice from this seat.")
        dice = waits.faces[len(session.faces) :]
        if len(faces) != len(dice):
            raise RequestRefusedError(
                REFUSED, f"Dice needed: {len(dice)}; dice entered: {len(faces)}."
            )
        viewer = table.Viewer(session, side)
        shown = opened.view(side).form.dice[len(session.faces) :]
        faces = [_card(viewer, text) for text in faces]
        session.throw(
            [
                _face(die, text, opened.dice, seen.faces)
                for die, text, seen in zip(dice, faces, shown, strict=True)
            ]
        )


def _stale() -> RequestRefusedError:
    return RequestRefusedError(
        STALE,
        "The table has moved on since this page was loaded, so nothing was changed. "
        "Look at the table, then try again.",
    )


def _card(viewer: table.Viewer, text: str) -> str:
    """Return the number of the card that a text names; any other text as it is.

    Raises ``RequestRefusedError`` if no card fits, or if several different ones do.
    """
    try:
        card = viewer.read_card(text) if text.strip() else None
    except InputError as error:
        words = f"{str(error)[:1].upper()}{str(error)[1:]}"
        raise RequestRefusedError(REFUSED, words if words.endswith("?") else f"{words}.") from error
    return text if card is None else str(card)


def _face(die: Faces, text: str, rolled: RandomFaces, shown: Sequence[str]) -> tuple[Face, bool]:
    """Return the face typed, or one rolled if nothing was typed, and whether it was typed.

    ``shown`` are the faces that may fall as far as the seat knows: a card may be in another hand.
    Raises ``RequestRefusedError`` for a face that the die does not have.
    """
    if not text:
        return rolled.face(die), False
    for face, _ in die.weights:
        if str(face) == text.strip():
            return face, True
    if text.strip() in shown:
        raise RequestRefusedError(REFUSED, f"{die.label} {text.strip()} is not in the deck now.")
    if die.label in ("card", "chit"):  # a draw may stand for a die
        raise RequestRefusedError(
            REFUSED, f"{text[:20]!r} cannot be drawn; possible are {', '.join(shown)}."
        )
    raise RequestRefusedError(
        REFUSED, f"{die.label} has no face {text[:20]!r}; its faces are {', '.join(shown)}."
    )


# --- the secrets of the seats, kept in files beside the journal that only their owner may read
HOST = "host of the table"
"""The holder of the secret that shows the invitations; no side can have this name."""
SEAT_COOKIE, HOST_COOKIE = "fireplan-seat", "fireplan-host"


def _same(secret: str, typed: str) -> bool:
    return hmac.compare_digest(secret.encode(), typed.encode("utf-8", "replace"))


class Seats:
    """The seats of all tables in a folder: their invitations, and the secrets of those taken.

    They outlive the server. ``NAME.seats`` holds the invitations; a seat is taken by making a file
    of its own, which fails if the file exists, so that several servers never give a seat away
    twice.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def clear(self, table: str) -> None:
        """Delete the secrets of an earlier table of that name."""
        for file in (self._file(table), *self._folder.glob(f"{table}.seat-*")):
            file.unlink(missing_ok=True)

    def of(self, table: str, sides: Iterable[str]) -> dict[str, str]:
        """Return the invitation to each seat of a table and the secret of its host.

        They are made if needed.
        """
        with suppress(OSError, ValueError, RecursionError, AttributeError):
            stored = json.loads(read_ordinary(self._file(table), MAX_BYTES))
            if {HOST, *sides} <= stored.keys() and all(
                isinstance(key, str) and key for key in stored.values()
            ):
                return dict(stored)
        made = {seat: secrets.token_urlsafe(16) for seat in (HOST, *sides)}
        draft = self._file(f"{table}.{secrets.token_hex(4)}")
        _write_new(draft, json.dumps(made))
        draft.replace(self._file(table))
        return made

    def claim(self, table: str, seat: str, secret: str) -> bool:
        """Take a seat with its secret, or the host's one seat.

        Return False if it was taken before.
        """
        try:
            _write_new(self._taken(table, seat), secret)
        except FileExistsError:
            return False
        return True

    def leave(self, table: str, seat: str) -> None:
        """Give a seat back."""
        self._taken(table, seat).unlink(missing_ok=True)

    def key(self, table: str, seat: str) -> str | None:
        """Return the secret of a taken seat ("" if it cannot be read), or None if it is free."""
        file = self._taken(table, seat)
        if not os.path.lexists(file):
            return None
        with suppress(OSError, ValueError):
            return read_ordinary(file, MAX_BYTES).decode("utf-8")
        return ""

    def _file(self, table: str) -> Path:
        return self._folder / f"{table}.seats"

    def _taken(self, table: str, seat: str) -> Path:
        return self._folder / f"{table}.seat-{quote(seat, safe='')}"


def _write_new(path: Path, text: str) -> None:
    """Write a file that only its owner may read; raise ``FileExistsError`` if it is there."""
    with os.fdopen(
        os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w", encoding="utf-8"
    ) as file:
        file.write(text)
