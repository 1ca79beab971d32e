"""The terminal's prompt in the simulator's world."""

from __future__ import annotations

from typing import Any

from oracle import OK, REFUSED, Request
from tables import typed

from fireplan.cli.keyboard import Play
from fireplan.errors import JournalError
from fireplan_core import Ask


class Prompt:
    """A game at the terminal, which records each line typed as a request, acknowledged or not."""

    def __init__(self, world: Any, known: Any, session: Any, lines: int) -> None:
        self.world, self.known, self.session, self.lines = world, known, session, lines
        self.request: Request | None = None
        self.rows = len(session.rows)
        self.game = Play(session, self._say, self._hear, world.dice.randrange(1000))
        if not world.odds:
            self.game.goal = ""

    def play(self) -> None:
        try:
            self.game.run()
        except JournalError:
            if self.request is not None:
                # The input may be stored already, and another process may have written after it.
                stored = len(self.session.rows) > self.rows
                self.request.answer, self.request.ended = (
                    OK if stored else REFUSED,
                    self.world.tick(),
                )
            raise

    def _say(self, text: str) -> None:
        self.world.hears(
            self.known, self.game.keyboard.side if hasattr(self, "game") else "", text, self.session
        )

    def _hear(self, prompt: str) -> str:
        world = self.world
        self._say(prompt)
        if "agree (yes or no)" in prompt:
            if self.request is not None:
                self.request.side = ""
            return world.dice.choice(("yes", "no"))
        self._acknowledge()
        for _ in range(world.dice.choice((0, 0, 0, 1))):
            if world.depth < world.deepest:
                world.act()
        self.lines -= 1
        if self.lines < 0 or not world.power:
            raise EOFError
        line, kind = self._line()
        if kind:
            says = [line] if kind == "dice" else line
            self.request = Request(
                kind, self.game.keyboard.side, world.tick(), says, None, len(self.session.rows)
            )
            self.known.requests.append(self.request)
            self.known.typed.append(self.request)
        return line

    def _acknowledge(self) -> None:
        request, self.request = self.request, None
        if request is not None:
            request.ended = self.world.tick()
            request.answer = OK if len(self.session.rows) > self.rows else REFUSED
        self.rows = len(self.session.rows)

    def _line(self) -> tuple[str, str]:
        dice, session = self.world.dice, self.session
        if dice.random() < 0.15:
            idle = (
                "log",
                "map",
                "save",
                "help",
                "why",
                "why pass",
                "nonsense",
                "-1",
                "reveal nothing",
            )
            return dice.choice(idle), ""
        if dice.random() < (0.6 if session.faces else 0.2):
            return "undo", "undo"
        waits = session.table.waits_for
        if isinstance(waits, Ask):
            return typed(
                session, dice.choice(session.table.rulebook.legal(waits, session.table.read))
            ), "order"
        face = dice.choice(("", *(str(face) for face, _ in session.die.weights)))
        return face, "dice"
