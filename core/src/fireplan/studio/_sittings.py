"""The tables being played: journals of one folder, opened by id, each change written before it is shown.

They are the same files that the terminal plays. All work on them is done in one thread, one change after the other;
a journal that somebody else has written to meanwhile is read again.
"""

from __future__ import annotations

import asyncio
import re
import secrets  # noqa: TID251 - the seed of dice that nobody types; each face that falls is journalled
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import attrs

from fireplan.chance import ChanceError, Face, Faces, RandomFaces
from fireplan.compare import shipped_engagements
from fireplan.mission import Ask, Refusal
from fireplan.studio._jobs import NoAnswerError
from fireplan.studio._limits import over
from fireplan.table import (
    Head,
    HeadError,
    JournalError,
    Session,
    Words,
    WordsError,
    begin,
    make_head,
    reopen,
    shipped_scenarios,
    sides_of,
)

if TYPE_CHECKING:
    from fireplan.table import Catalogue

T = TypeVar("T")
_ID = re.compile(r"[a-z0-9][a-z0-9_-]{0,60}")
ENDING = ".journal"


class TableError(Exception):
    """Something that a table does not take; it is said on the page, and nothing was changed."""


class StaleError(Exception):
    """A form of a page that is older than the table."""


@attrs.define
class Sitting:
    """An open table."""

    session: Session
    head: Head
    dice: RandomFaces = attrs.field(factory=lambda: RandomFaces(secrets.token_hex(8)))

    @property
    def seen(self) -> int:
        """How many inputs the table has: a form tells how many its page had seen."""
        return len(self.session.rows)


@attrs.frozen
class Listed:
    """A journal of the folder, as it is listed: what is played, or what is wrong with it."""

    id: str
    title: str
    what: str
    wrong: str = ""


class Sittings:
    """All tables of a folder."""

    def __init__(self, folder: Path, catalogue: Catalogue) -> None:
        self._folder = folder
        self._catalogue = catalogue
        self._open: dict[str, Sitting] = {}
        self._thread = ThreadPoolExecutor(1, "tables")

    async def do(self, work: Callable[..., T], *arguments: Any) -> T:
        """Run work on tables, one after the other."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, work, *arguments)

    def close(self) -> None:
        """Close all journals."""

        def shut() -> None:
            for sitting in self._open.values():
                if sitting.session.journal is not None:
                    sitting.session.journal.close()
            self._open.clear()

        self._thread.submit(shut).result()
        self._thread.shutdown()

    # --- in the thread of the tables -------------------------------------------------------------
    def ids(self) -> list[str]:
        """The journals of the folder."""
        if not self._folder.is_dir():
            return []
        found = (file.name.removesuffix(ENDING) for file in self._folder.glob(f"*{ENDING}") if not file.is_symlink())
        return sorted(name for name in found if _ID.fullmatch(name))

    def listed(self) -> list[Listed]:
        """The journals with what is played in each."""
        entries: list[Listed] = []
        for name in self.ids():
            try:
                sitting = self.sitting(name)
            except NoAnswerError as error:
                entries.append(Listed(name, name, "", error.reason))
                continue
            scenario = sitting.session.scenario
            what = f"{self._catalogue[sitting.head.game].game.title}, {sitting.seen} inputs"
            entries.append(Listed(name, scenario.title, what))
        return entries

    def scenarios(self) -> dict[str, str]:
        """What a table can be opened with: id and words."""
        found = {name: name.partition("/")[2].replace("_", " ") for name in shipped_scenarios(self._catalogue)}
        return {name: f"{self._catalogue[name.partition('/')[0]].game.title}: {title}" for name, title in found.items()}

    def begin(self, scenario: str) -> str:
        """Open a new table with a shipped scenario; returns its id."""
        if scenario not in shipped_scenarios(self._catalogue):
            raise TableError(f"there is no scenario {scenario[:60]!r}")
        taken = self.ids()
        if reason := over("tables", len(taken) + 1):
            raise TableError(reason)
        stem = re.sub(r"[^a-z0-9]+", "-", scenario.lower())[:40]
        name = next(f"{stem}-{n}" for n in range(1, len(taken) + 2) if f"{stem}-{n}" not in taken)
        self._folder.mkdir(parents=True, exist_ok=True)
        try:
            head = make_head(self._catalogue, scenario, None, shipped_engagements())
            self._open[name] = Sitting(begin(self._path(name), self._catalogue, head), head)
        except (HeadError, JournalError) as error:
            raise TableError(str(error)) from error
        return name

    def sitting(self, name: str) -> Sitting:
        """The table of an id, read again if it was written to elsewhere; ``NoAnswerError`` when there is none."""
        known = self._open.get(name)
        if known is not None and known.session.journal is not None:
            try:
                if self._path(name).is_file() and not known.session.journal.outrun:
                    return known
                known.session.journal.close()
            except sqlite3.Error:
                pass
            del self._open[name]
        if not _ID.fullmatch(name) or name not in self.ids():
            raise NoAnswerError("there is no such table", 404)
        try:
            session, head = reopen(self._path(name), self._catalogue)
        except (JournalError, HeadError) as error:
            raise NoAnswerError(str(error).replace(f"{self._folder}/", ""), 422) from error
        self._open[name] = Sitting(session, head)
        return self._open[name]

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}{ENDING}"

    def _at(self, name: str, seen: int) -> Sitting:
        """The table, if the page that asks has seen all its inputs."""
        sitting = self.sitting(name)
        if sitting.seen != seen:
            raise StaleError
        if reason := over("inputs", seen + 1):
            raise TableError(reason)
        return sitting

    def order(self, name: str, seen: int, side: str, text: str) -> None:
        """Give an order as it is typed."""
        session = self._at(name, seen).session
        waits = session.table.waits_for
        if not isinstance(waits, Ask):
            raise TableError("no order is asked for now")
        if side not in (waits.who, "referee"):
            raise TableError(f"{waits.who} must answer, not {side}")
        rulebook = session.table.rulebook
        forms = rulebook.question(waits).offers(rulebook.view(waits, session.table.read), *waits.args)
        try:
            answer = session.order(Words(session.scenario).read_order(text, forms))
        except WordsError as error:
            raise TableError(str(error)) from error
        if isinstance(answer, Refusal):
            raise TableError(f"refused: {answer}")

    def dice(self, name: str, seen: int, faces: list[str]) -> None:
        """Give the dice of a throw that are still wanted; an empty one is rolled."""
        sitting = self._at(name, seen)
        session = sitting.session
        waits = session.table.waits_for
        if waits is None or isinstance(waits, Ask):
            raise TableError("no dice are asked for now")
        wanted = waits.faces[len(session.faces) :]
        if len(faces) != len(wanted):
            raise TableError(f"{len(wanted)} dice are asked for, {len(faces)} were given")
        read = [_face(die, text) for die, text in zip(wanted, faces, strict=True)]
        for die, face in zip(wanted, read, strict=True):
            session.face(sitting.dice.face(die) if face is None else face, typed=face is not None)

    def undo(self, name: str, seen: int) -> None:
        """Take the last input back."""
        try:
            self._at(name, seen).session.undo()
        except JournalError as error:
            raise TableError(str(error)) from error

    def reveal(self, name: str, seen: int) -> None:
        """Lay open everything that is hidden."""
        self._at(name, seen).session.reveal()

    @staticmethod
    def sides(sitting: Sitting) -> tuple[str, ...]:
        """The seats of a table."""
        return sides_of(sitting.session.scenario)


def _face(die: Faces, text: str) -> Face | None:
    """A face as it was typed, None for one to be rolled; ``TableError`` for one that the die does not have."""
    if not text:
        return None
    for face, _ in die.weights:
        if str(face) == text.strip():
            return face
    raise TableError(f"{die.label} has no {text[:20]!r}; it has {', '.join(str(face) for face, _ in die.weights)}")


__all__ = ["ChanceError", "Listed", "Sitting", "Sittings", "StaleError", "TableError"]
