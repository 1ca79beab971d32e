"""The tables being played: journals of one folder, opened by id, each change written before it is shown.

They are the same files that the terminal plays. All work on them is done in one thread, one change
after the other; a journal that somebody else has written to meanwhile is read again. A seat is
taken by its link, which whoever opened the table hands out.
"""

import asyncio
import hashlib
import hmac
import json
import os
import re
import secrets  # noqa: TID251 - the seed of dice that nobody types; each face that falls is journalled
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from time import monotonic  # noqa: TID251 - how long a seat has been waited for; nothing of play hangs on it
from typing import Any, TypeVar

import attrs

from fireplan import table
from fireplan.analysis import shipped_engagements
from fireplan_core import REFEREE, Ask
from fireplan_core.chance import Face, Faces, RandomFaces
from fireplan_core.files import MAX_BYTES, read_ordinary
from fireplan_core.play import Answered, Catalogue, shipped_scenarios
from fireplan_studio.board import Board
from fireplan_studio.jobs import NoAnswerError
from fireplan_studio.limits import over

T = TypeVar("T")
_ID = re.compile(r"[a-z0-9][a-z0-9_-]{0,60}")
ENDING = ".journal"
_PARTS = (table.COMMIT, table.TELL, table.ALONE)


class TableError(Exception):
    """Something that a table does not take; it is said on the page, and nothing was changed."""


class StaleError(Exception):
    """A form of a page that is older than the table."""


@attrs.define
class OpenSession:
    """An open table."""

    session: table.Session
    head: table.Head
    dice: RandomFaces = attrs.field(factory=lambda: RandomFaces(secrets.token_hex(8)))
    asked: dict[int, str] = attrs.field(factory=dict)
    """Which side has asked that an input be taken back, by how many there were then."""
    drawn: dict[str, tuple[table.SideView, Board | None]] = attrs.field(factory=dict, init=False)
    """The last view of each side that its map was made for, and that."""
    _views: dict[str, tuple[int, table.SideView]] = attrs.field(factory=dict, init=False)
    _since: tuple[int, float] = (-1, 0.0)

    def view(self, side: str) -> table.SideView:
        """Return what a side sees now."""
        inputs = len(self.session.rows)
        if side not in self._views or self._views[side][0] != inputs:
            self._views[side] = (inputs, table.view_of(self.session, side))
        return self._views[side][1]

    def seen(self, side: str) -> str:
        """Return a mark of all that a side sees: a form brings that of its page, so one that is older is known.

        It is made of the side's own view (without the sealed records, which are salted at random,
        and without the marks of what was taken back, which change nothing), so it tells nothing of
        what others did in secret.
        """
        view = self.view(side)
        view = attrs.evolve(
            view, log=tuple(line for line in view.log if line.kind not in ("sealed", "taken back"))
        )
        return hashlib.sha256(json.dumps(table.as_data(view)).encode()).hexdigest()[:16]

    def takes_back(self, side: str) -> str:
        """Return what this side would take back with an undo: its own last order, or a throw.

        Empty for nothing.
        """
        return table.Viewer(self.session, side).takes_back()

    def may_ask(self, side: str) -> str:
        """Return which side this one may ask to take its last order back, if it knows of that order; or nothing."""
        last, eyes = self.session.last, table.Eyes(self.session.scenario, side)
        given = last.given if last is not None and not self.takes_back(side) else None
        return (
            last.who
            if last and isinstance(given, Answered) and eyes.hears(last.who, given.question)
            else ""
        )

    def fair_step(self, side: str) -> str:
        """Return what dice between the seats want of a side: ``offer``, ``wait``, one of ``_PARTS``, or nothing."""
        sides, session, fair = (
            table.sides_of(self.session.scenario),
            self.session,
            self.session.fair,
        )
        if fair is None:
            return "offer" if side in sides and len(sides) > 1 and not session.faces else ""
        if session.die is None:
            return ""
        if self._since[0] != len(session.rows):
            self._since = (len(session.rows), monotonic())
        late = fair.late and not fair.alone and side in fair.secrets and session.sees_throw(side)
        return (
            table.ALONE
            if late and over("tell_seconds", monotonic() - self._since[1])
            else fair.step(side)
        )

    def may_reveal(self, side: str) -> bool:
        """Tell whether this side may reveal what is hidden: the referee, and everybody once the game is over."""
        return not self.session.revealed and (
            side == REFEREE or self.session.table.waits_for is None
        )


@attrs.frozen
class TableEntry:
    """A journal of the folder, as it is listed: the game and the scenario, or what is wrong with it."""

    id: str
    game: str
    scenario: str
    wrong: str = ""


class Sessions:
    """All tables of a folder; with ``alone`` the work on them is done by whoever asks for it."""

    def __init__(self, folder: Path, catalogue: Catalogue, *, alone: bool = False) -> None:
        self._folder = folder
        self._catalogue = catalogue
        self._open: dict[str, OpenSession] = {}
        self._seats = Seats(folder)
        self._thread = None if alone else ThreadPoolExecutor(1, "tables")

    async def do(self, work: Callable[..., T], *arguments: Any) -> T:
        """Run work on tables, one after the other."""
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

    # --- in the thread of the tables -------------------------------------------------------------
    def ids(self) -> list[str]:
        """Return the journals of the folder."""
        if not self._folder.is_dir():
            return []
        found = (
            file.name.removesuffix(ENDING)
            for file in self._folder.glob(f"*{ENDING}")
            if not file.is_symlink()
        )
        return sorted(name for name in found if _ID.fullmatch(name))

    def listed(self) -> list[TableEntry]:
        """Return the journals with what is played in each: their heads are read, nothing is played again."""
        return [self._listed(name) for name in self.ids()]

    def _listed(self, name: str) -> TableEntry:
        try:
            if (known := self._open.get(name)) is not None:
                head = known.head
            else:
                journal = table.Journal.open(self._path(name), read_only=True)
                journal.close()
                head = table.Head.of_data(journal.head)
        except (table.JournalError, table.HeadError) as error:
            return TableEntry(name, "", "", self._said(error))
        if head.game not in self._catalogue.games:
            return TableEntry(name, "", head.name, f"the game {head.game!r} is not installed")
        return TableEntry(name, self._catalogue[head.game].game.title, head.name)

    def _said(self, error: Exception) -> str:
        """Return an error without the folder that the journals lie in."""
        return str(error).replace(f"{self._folder}/", "")

    def scenarios(self) -> dict[str, str]:
        """Return what a table can be opened with: id and words."""
        found = ((name, *name.split("/", 1)) for name in shipped_scenarios(self._catalogue))
        return {
            name: f"{self._catalogue[key].game.title}: {title.replace('_', ' ')}"
            for name, key, title in found
        }

    def begin(self, scenario: str) -> str:
        """Open a new table with a shipped scenario and return its id."""
        if scenario not in shipped_scenarios(self._catalogue):
            raise TableError(f"there is no scenario {scenario[:60]!r}")
        taken = self.ids()
        if reason := over("tables", len(taken) + 1):
            raise TableError(reason)
        stem = re.sub(r"[^a-z0-9]+", "-", scenario.lower())[:40]
        name = next(f"{stem}-{n}" for n in range(1, len(taken) + 2) if f"{stem}-{n}" not in taken)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._seats.clear(name)
            head = table.make_head(self._catalogue, scenario, None, shipped_engagements())
            self._open[name] = OpenSession(
                table.begin(self._path(name), self._catalogue, head), head
            )
        except (table.HeadError, table.JournalError) as error:
            raise TableError(self._said(error)) from error
        except OSError as error:
            raise TableError(
                f"the folder of the tables cannot be written to ({error.strerror})"
            ) from error
        return name

    def get(self, name: str) -> OpenSession:
        """Return the table of an id, as it is on the disk now.

        Raises ``NoAnswerError`` if there is none.
        """
        known = self._open.get(name)
        if known is not None and known.session.journal is not None:
            if self._path(name).is_file() and not known.session.journal.outrun:
                known.session.settle()
                return known
            known.session.journal.close()
            del self._open[name]
        if not _ID.fullmatch(name) or name not in self.ids():
            raise NoAnswerError("there is no such table", 404)
        try:
            session, head = table.reopen(self._path(name), self._catalogue)
            session.settle()
        except (table.JournalError, table.HeadError) as error:
            raise NoAnswerError(self._said(error), 422) from error
        self._open[name] = OpenSession(session, head)
        return self._open[name]

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}{ENDING}"

    def at(self, name: str, side: str) -> OpenSession:
        """Return the table of an id. Raises ``NoAnswerError`` if it has no such seat."""
        opened = self.get(name)
        if side not in self._chairs(opened):
            raise NoAnswerError("there is no such seat at this table", 404)
        return opened

    def links(self, name: str) -> dict[str, str]:
        """Return the secret of each seat of a table, and that of its host."""
        return self._seats.of(name, self._chairs(self.get(name)))

    def opens(self, name: str, seat: str, given: str) -> bool:
        """Tell whether what a visitor has is the secret of a seat, or of the host.

        Raises ``NoAnswerError``.
        """
        opened = self.get(name) if seat == HOST else self.at(name, seat)
        return self._seats.opens(name, self._chairs(opened), seat, given)

    @staticmethod
    def _chairs(opened: OpenSession) -> tuple[str, ...]:
        return (*table.sides_of(opened.session.scenario), REFEREE)

    def change(
        self, name: str, side: str, seen: str, kind: str, form: Mapping[str, str]
    ) -> OpenSession:
        """Take a change from a seat whose page has seen all that the seat shows now.

        Raises ``StaleError`` for a page that is older, ``TableError`` for a change that cannot be
        taken; then nothing is changed.
        """
        opened = self.at(name, side)
        if seen != opened.seen(side):
            raise StaleError
        if reason := over("inputs", len(opened.session.rows) + 1):
            raise TableError(reason)
        try:
            self._give(opened, side, kind, form)
        except table.JournalError as error:
            if opened.session.journal is not None and opened.session.journal.outrun:
                raise StaleError from error
            raise TableError(self._said(error)) from error
        return opened

    def _give(self, opened: OpenSession, side: str, kind: str, form: Mapping[str, str]) -> None:
        session, step = opened.session, opened.fair_step(side)
        allowed: dict[str, tuple[object, str]] = {
            "undo": (opened.takes_back(side), "nothing of this seat can be taken back now"),
            "ask": (opened.may_ask(side), "no order of another side can be taken back now"),
            "together": (step == "offer", "dice between the seats cannot be begun here now"),
            table.ALONE: (
                step == table.ALONE,
                "a seat throws alone when another has long held its secret back",
            ),
            "reveal": (
                opened.may_reveal(side),
                "the referee reveals what is hidden, or anybody when the game is over",
            ),
        }
        if kind in allowed and not allowed[kind][0]:
            raise TableError(allowed[kind][1])
        dice = [form.get(f"die{n}", "") for n in range(sum(key.startswith("die") for key in form))]
        changes: dict[str, Callable[[], object]] = {
            "order": lambda: self._order(opened, side, form.get("order", "")),
            "dice": lambda: self._dice(opened, side, dice),
            "undo": session.undo,
            "ask": lambda: opened.asked.update({len(session.rows): side}),
            "together": session.throw_together,
            **dict.fromkeys(
                _PARTS,
                lambda: session.contribute(kind, side, form.get("value", "").strip().lower()),
            ),
            "reveal": session.reveal,
        }
        if kind not in changes:
            raise NoAnswerError("a table takes orders, dice, an undo, or a reveal", 404)
        changes[kind]()

    @staticmethod
    def _order(opened: OpenSession, side: str, text: str) -> None:
        viewer = table.Viewer(opened.session, side)
        try:
            refusal = viewer.give(viewer.read_order(text))
        except table.WordsError as error:
            raise TableError(str(error)) from error
        if refusal is not None:
            raise TableError(f"refused: {refusal}")

    @staticmethod
    def _dice(opened: OpenSession, side: str, faces: list[str]) -> None:
        """Give the dice of a throw that are still wanted; an empty one is rolled."""
        session, waits = opened.session, opened.session.table.waits_for
        closed = session.fair and side not in session.fair.alone
        if (
            waits is None
            or isinstance(waits, Ask)
            or closed
            or side not in (waits.seen_by or side, REFEREE)
        ):
            raise TableError("no dice are asked for now")
        wanted = waits.faces[len(session.faces) :]
        if len(faces) != len(wanted):
            raise TableError(f"{len(wanted)} dice are asked for, {len(faces)} were given")
        session.throw(
            [_face(die, text, opened.dice) for die, text in zip(wanted, faces, strict=True)]
        )


def _face(die: Faces, text: str, rolled: RandomFaces) -> tuple[Face, bool]:
    """Return a face and whether it was typed, else it is rolled.

    ``TableError`` for one that the die does not have.
    """
    if not text:
        return rolled.face(die), False
    for face, _ in die.weights:
        if str(face) == text.strip():
            return face, True
    raise TableError(
        f"{die.label} has no {text[:20]!r}; it has {', '.join(str(face) for face, _ in die.weights)}"
    )


# --- the secrets of the seats: beside the journal in a file that only its owner may read; they outlive the server
HOST = "host of the table"
"""Whose secret shows all links; no side is called so."""
SEAT_COOKIE, HOST_COOKIE = "fireplan-seat", "fireplan-host"


class Seats:
    """The secrets of the seats of all tables of a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def clear(self, table: str) -> None:
        """Forget the secrets of a table of that name that is there no more."""
        self._file(table).unlink(missing_ok=True)

    def of(self, table: str, sides: Iterable[str]) -> dict[str, str]:
        """Return the secret of each seat of a table, and that of its host.

        They are made when first asked for.
        """
        with suppress(OSError, ValueError, RecursionError, AttributeError):
            found = json.loads(read_ordinary(self._file(table), MAX_BYTES))
            if {HOST, *sides} <= found.keys() and all(
                isinstance(key, str) and key for key in found.values()
            ):
                return dict(found)
        made = {seat: secrets.token_urlsafe(16) for seat in (HOST, *sides)}
        draft = self._file(f"{table}.{secrets.token_hex(4)}")
        with os.fdopen(
            os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w", encoding="utf-8"
        ) as file:
            json.dump(made, file)
        draft.replace(self._file(table))
        return made

    def opens(self, table: str, sides: Iterable[str], seat: str, given: str) -> bool:
        """Tell whether what a visitor has is the secret of a seat."""
        return hmac.compare_digest(
            self.of(table, sides)[seat].encode(), given.encode("utf-8", "replace")
        )

    def _file(self, table: str) -> Path:
        return self._folder / f"{table}.seats"
