"""Everything that a side is shown of a table: views, prompt, map, exports, pages and refusals.

Two tables that differ in a secret of the other side must agree in all of it, byte for byte, so that
counts and lengths reveal nothing either. Commitments (salted at random) and the names of the tables
always differ, so they are replaced before the comparison.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import attrs
from starlette.requests import Request

from fireplan.cli.journals import _text
from fireplan.cli.keyboard import Play
from fireplan.questions.recorded import exported
from fireplan.table import Head, Session, Viewer, as_data, begin, sides_of, view_of
from fireplan_core.play import Catalogue
from fireplan_studio.board import board_of
from fireplan_studio.pages import Settings, Studio
from fireplan_studio.refusals import RequestRefusedError
from fireplan_studio.sessions import ENDING
from fireplan_studio.tables import TablePages

_HASH = re.compile(r"\b[0-9a-f]{64}\b")


@attrs.frozen
class Kept:
    """A table and its journal in a studio's folder, by its name there."""

    session: Session
    head: Head
    name: str


class Screens:
    """A studio's folder in which tables are made, to compare what each side is shown of them."""

    def __init__(self, folder: Path, installed: Catalogue) -> None:
        self._folder = folder
        self._installed = installed
        self._studio = Studio(Settings(tables=folder, in_one_thread=True))
        self._pages = TablePages(self._studio)
        self._numbers = count(1)

    def begin(self, head: Head) -> Kept:
        """Open a table; all names have the same length."""
        name = f"t-{next(self._numbers):08d}"
        return Kept(begin(self._folder / f"{name}{ENDING}", self._installed, head), head, name)

    def close(self) -> None:
        """Close every journal."""
        self._studio.sessions.close()
        self._studio.jobs.close()

    def shown(
        self, kept: Kept, side: str, *, odds: bool = False, pages: bool = True
    ) -> dict[str, str]:
        """Return everything that a side is shown now, by the place where it appears.

        With ``odds``, which are slow, the odds are included.
        """
        session, view = kept.session, view_of(kept.session, side)
        board = board_of(session, view)
        found = {
            "view": json.dumps(as_data(view), ensure_ascii=False),
            "board": board.svg if board is not None else "",
            "prompt": "\n".join(prompted(session, side, odds=odds)),
            "export": _text(session, kept.head, side),
            "export --json": json.dumps(exported(session, kept.head, side), ensure_ascii=False),
        }
        if pages:
            found |= {"refused": "\n".join(self._refused(kept, side)), **self._seat(kept, side)}
        return {
            where: _HASH.sub("commitment", text).replace(kept.name, "table")
            for where, text in found.items()
        }

    def _seat(self, kept: Kept, side: str) -> dict[str, str]:
        """Return the seat's page and the screen between the seats, with their headers."""
        pages = {}
        for where, page in (("page", self._pages.seat), ("screen", self._pages.screen)):
            scope = {
                "type": "http",
                "method": "GET",
                "path": "/",
                "query_string": b"",
                "headers": [],
            }
            request = Request({**scope, "path_params": {"table": kept.name, "side": side}})
            answer = asyncio.run(page(request))
            pages[where] = (
                f"{answer.status_code} {answer.raw_headers}\n{bytes(answer.body).decode()}"
            )
        return pages

    def _refused(self, kept: Kept, side: str) -> Iterator[str]:
        """Yield the studio's replies to changes that this side may not make now."""
        sessions = self._studio.sessions
        tried = [("order", {"order": "nonsense"}), ("dice", {"die0": "x"}), ("song", {})]
        if not Viewer(kept.session, side).takes_back():
            tried.append(("undo", {}))
        for kind, form in tried:
            try:
                sessions.change(kept.name, side, sessions.get(kept.name).seen(side), kind, form)
            except RequestRefusedError as error:
                yield f"{kind}: {error}"
            else:
                raise AssertionError(f"the studio took {kind} {form} of {side}")


def prompted(session: Session, side: str, *, odds: bool = False) -> list[str]:
    """Return everything that the terminal can show a side at its keyboard.

    The table does not change.
    """
    said: list[str] = []
    answers: list[str] = []

    def hear(prompt: str) -> str:
        said.append(prompt)
        if not answers:
            raise EOFError
        return answers.pop(0)

    play = Play(session, said.append, hear, 1)
    play.keyboard.side = side
    rows = len(session.rows)
    play.keyboard.news()  # as at the beginning of a turn
    commands = ["help", "map", "log", "save", "why", "why pass", "why place", "reveal nothing"]
    commands += ["odds"] if odds else []
    last = session.last
    if last is None or not play.keyboard.viewer.takes_back():
        commands.append("undo")
    secret = play.keyboard.apart and not session.revealed and session.table.waits_for is not None
    if secret and len(sides_of(session.scenario)) > 1:
        commands.append("reveal all")
    for command in commands:
        answers[:] = [command, *["no"] * (command in {"undo", "reveal all"})]
        play.commands.line("> ")
    answers.clear()
    waits = session.table.waits_for
    try:
        if waits is not None and view_of(session, side).form.kind == "order":
            answers[:] = ["0", "nonsense", "x="]
            play.orders.ask()
        elif session.die is not None:
            play.dice.throw()
    except EOFError:
        pass
    if len(session.rows) != rows:
        raise AssertionError(f"{side} changed the table by asking")
    return said
