"""An open table, and the page of each seat."""

import hashlib
import json
import secrets  # noqa: TID251 - seeds dice that nobody types; the journal holds each face
from functools import cached_property

import attrs

from fireplan import table
from fireplan.questions.review import withheld
from fireplan_core import REFEREE
from fireplan_core.chance import RandomFaces
from fireplan_core.play import Answered
from fireplan_studio.board import Board, board_of
from fireplan_studio.film import kept_back
from fireplan_studio.sketch import Sketch, sketch_of

_FALLEN = (
    "Dice have fallen since the last order, so it stands. Only the referee can correct a throw."
)


@attrs.frozen(eq=False)
class SeatShown:
    """The content of a seat's page, all of it from one state of the table.

    ``inputs`` is the number of inputs so far, ``seen`` the hash of the view, and ``mark`` that of
    the page. ``takes_back`` is the order or roll that an undo would take back, in words,
    ``no_undo`` the reason why the last roll cannot be undone, ``may_ask`` the side that can be
    asked to take its order back, and ``wish`` the side that has asked. ``warns`` is true if the
    side's last order may still endanger its own troops. ``withheld`` is the reason why the result
    is not shown. ``note`` warns of an unfinished last line of the journal. ``solo`` is the side
    that one person plays alone. All texts are "" if they do not apply.
    """

    inputs: int
    view: table.SideView
    board: Board | None
    seen: str
    mark: str
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
    warns: bool


def last_order(session: table.Session, side: str) -> table.GivenInput | None:
    """Return the last order of a side, or None if it has given none or dice have fallen since."""
    for each in reversed(session.history.standing):
        if not isinstance(each.move.given, Answered):
            return None
        if each.move.who == side:
            return each.move
    return None


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
    """Maps each side to the contents of its last page, and the text of that page."""
    _shown: dict[str, SeatShown] = attrs.field(factory=dict, init=False)
    _views: dict[str, tuple[int, table.SideView]] = attrs.field(factory=dict, init=False)
    _hashes: dict[str, tuple[table.SideView, str]] = attrs.field(factory=dict, init=False)
    """Maps each side to the last view that was hashed, and its hash."""

    @cached_property
    def briefing(self) -> table.Briefing:
        """Return the sides, their aims and means, and how the game ends."""
        return table.briefing_of(self.session.scenario, self.session.moments, self.head)

    @cached_property
    def sketch(self) -> Sketch | None:
        """Return the small map of the opening, or None if no unit seen by all sides has a place."""
        return sketch_of(self.session.scenario)

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

        The hash is computed from the side's own view only, so it reveals nothing that other sides
        did in secret. Sealed records (salted at random) and the records of take-backs are left out.
        """
        view = self.view(side)
        if side not in self._hashes or self._hashes[side][0] is not view:
            log = tuple(line for line in view.log if line.kind not in ("sealed", "taken back"))
            data = json.dumps(table.as_data(attrs.evolve(view, log=log)))
            self._hashes[side] = view, hashlib.sha256(data.encode()).hexdigest()[:16]
        return self._hashes[side][1]

    @property
    def wish(self) -> str:
        """Return the side that asks for the last order to be taken back, or ""."""
        return self.undo_requests.get(len(self.session.rows), "")

    def mark(self, side: str) -> str:
        """Return the mark by which an open page of a seat notices that it must be loaded again.

        It is the hash of what the side sees. It also changes when the page begins to say that a
        side asks to take back an order.
        """
        asked = self.wish and (self.wish == side or self.takes_back(side))
        return f"{self.seen(side)}_asked" if asked else self.seen(side)

    def takes_back(self, side: str) -> str:
        """Return the order or roll that an undo would take back, in words; "" if there is none."""
        return "" if self.no_undo(side) else table.Viewer(self.session, side).takes_back()

    def no_undo(self, side: str) -> str:
        """Return the reason why this side may not undo its last roll, or "".

        Thrown dice cannot be taken back by a side; the referee may correct them. The result is also
        "" if the last input is an order, or if the side has nothing to undo.
        """
        last = self.session.last
        if last is None or side == REFEREE or not table.Viewer(self.session, side).takes_back():
            return ""
        return "" if isinstance(last.given, Answered) else _FALLEN

    def may_ask(self, side: str) -> str:
        """Return the side that ``side`` may ask to take back an order, or "" if there is none.

        It is the side whose order is the last input, if ``side`` knows of that order and has
        nothing to take back itself.
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
        """Return the current contents of a seat's page; the same object until they change."""
        view, last = self.view(side), self._shown.get(side)
        now = self.wish, self.solo
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
                mark=self.mark(side),
                wish=self.wish,
                may_reveal=self.may_reveal(side),
                filmed=not kept_back(self.session, side),
                withheld=withheld(self.session, side),
                briefing=self.briefing,
                note=self.note,
                solo=self.solo,
                warns=last_order(self.session, side) is not None,
            )
        return self._shown[side]

    def may_reveal(self, side: str) -> bool:
        """Return whether this side may reveal the hidden information.

        The referee may reveal it at any time, other seats only when the game is over. False if it
        is already revealed.
        """
        return not self.session.revealed and (
            side == REFEREE or self.session.table.waits_for is None
        )
