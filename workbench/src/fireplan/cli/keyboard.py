"""A game at one keyboard, from its first prompt to its end."""

import re
from collections.abc import Callable

from fireplan import table
from fireplan.cli.map import WIDTH
from fireplan.cli.prompt.commands import Commands, PlayOnError
from fireplan.cli.prompt.dice import DicePrompt
from fireplan.cli.prompt.order_figures import OrderFigures
from fireplan.cli.prompt.orders import OrderPrompt, settled
from fireplan.cli.prompt.shared_keyboard import SharedKeyboard
from fireplan.cli.prompt.terminal import Terminal
from fireplan.errors import command, counted
from fireplan.questions.review import reached, withheld
from fireplan_core import REFEREE, Ask

IN_SHORT = (
    "Type the number of an order, or the dice as they fell; Enter alone gives the standard order,"
    " marked *, or has the next die rolled. 'odds' gives the chances from here, 'why' the rule that"
    " forbids an order, 'help' all commands. Figures in brackets are rules; after a semicolon comes"
    " the order as you can type it. Only the artillery is played here, with what its rules need"
    " of the units: play everything else on your own table."
)
"""The instructions that a player needs to begin."""
_NUMBER = re.compile(r".* is reconstructed \([^()]*\): ")
"""Matches the note on a single number of the rules."""


class Play:
    """A game at one keyboard.

    ``say`` prints a line, and ``hear`` prints a prompt and returns a line. With ``screen``, the
    terminal is cleared when the keyboard changes hands; otherwise a dividing line is printed.
    ``width()`` returns the width of maps in columns. ``seed`` is the seed of the dice that the
    program rolls (random if None). With a ``briefing``, each side sees its goals when it first
    takes its seat.
    """

    def __init__(
        self,
        session: table.Session,
        say: Callable[[str], None],
        hear: Callable[[str], str],
        seed: int | None = None,
        *,
        screen: bool = False,
        width: Callable[[], int] = lambda: WIDTH,
        briefing: table.Briefing | None = None,
    ) -> None:
        self.session = session
        self._terminal = Terminal(say, hear, screen=screen, width=width)
        self._summary = briefing.summary if briefing else ""
        self._terms = briefing.terms if briefing else ""
        self.keyboard = SharedKeyboard(session, self._terminal, briefing)
        self.figures = OrderFigures(self.keyboard)
        self.commands = Commands(self.keyboard, self.figures)
        self.orders = OrderPrompt(self.keyboard, self.figures, self.commands)
        self.dice = DicePrompt(self.keyboard, self.commands, seed)

    def run(self) -> None:
        """Play until the end of the game, or until the players leave."""
        try:
            self._open()
            try:
                self._prompts()
            except PlayOnError:
                self._play_on()
            self._end()
        except EOFError:
            journal = self.session.journal
            self._terminal.say(
                f"The game is saved; {command('resume', str(journal.path))!r} continues it."
                if journal
                else "Left."
            )

    def _prompts(self) -> None:
        """Ask for orders and dice until the end of the game."""
        while (waits := self.session.table.waits_for) is not None:
            if isinstance(waits, Ask):
                if waits.who != self.keyboard.side:
                    self.keyboard.hand_over(waits.who)
                self.keyboard.say_when()
                self.orders.ask()
            else:
                if waits.seen_by not in ("", self.keyboard.side):
                    self.keyboard.hand_over(waits.seen_by)
                self.keyboard.say_when()
                self.dice.throw()

    def _play_on(self) -> None:
        """Give standard orders and roll the dice to the end, and print what happens.

        If nothing was left for fire to do, only harm is printed.
        """
        played = self.session.table
        idle = bool(settled(self.keyboard.viewer, self.keyboard.viewer.situation()))
        first = played.state.moment
        while (waits := self.session.table.waits_for) is not None:
            if isinstance(waits, Ask):
                self.session.order(played.rulebook.answer(waits, {}, self.session.table.read))
            else:
                self.dice.roll()
        if self.keyboard.apart and not self.session.revealed:
            self.keyboard.pass_to(self.keyboard.side)
        if idle:
            clock, last = self.session.scenario.clock, self.session.moments - 1
            rest = (
                clock.name(first) if first >= last else f"{clock.name(first)} to {clock.name(last)}"
            )
            self._terminal.say(f"  the rest, {rest}, is played with standard orders:")
        told = self.keyboard.news(harm=idle)
        if idle and not told:
            self._terminal.say("  nobody suffers any further harm")

    def _open(self) -> None:
        """Print the title, how to play, terms, notes, and the situation of the first side."""
        self._terminal.say(f"{self.session.scenario.title}")
        if self._summary:
            self._terminal.say(self._summary)
        self._terminal.paragraph("", IN_SHORT, "")
        if self._terms:
            self._terminal.paragraph("", self._terms, "")
        self._note()
        waits = self.session.table.waits_for
        self.keyboard.side = waits.who if isinstance(waits, Ask) else self.keyboard.side
        if self.keyboard.apart:
            self.keyboard.pass_to(self.keyboard.side)
        self.keyboard.brief()
        self.keyboard.news()
        if waits is not None:
            self.keyboard.show()

    def _note(self) -> None:
        """Print the differences from the printed rules and set-up.

        Reconstructed numbers are only counted; ``more`` lists them.
        """
        notes = [f"  {note}" for note in self.session.scenario.provenance]
        numbers = [note for note in notes if _NUMBER.match(note)]
        shown = [note for note in notes if note not in numbers]
        if numbers:
            them = (
                "is reconstructed ('more' shows it)"
                if len(numbers) == 1
                else "are reconstructed ('more' lists them)"
            )
            noun = "more number" if any("reconstructed" in note for note in shown) else "number"
            shown.append(f"  {counted(len(numbers), noun)} of the rules {them}")
        if shown:
            self._terminal.say("Notes on the rules and the set-up of this table:")
            self._terminal.some(shown, numbers)

    def _end(self) -> None:
        """Print the result, after revealing the secrets."""
        self._terminal.say(f"{self.keyboard.viewer.form().question}.")
        sealed = self.session.seals or any(one.seals for one in self.session.history.story)
        if sealed:
            self.commands.reveal()
        elif withheld(self.session, self.keyboard.side):
            self.session.reveal()
        self._terminal.say("\n".join(f"  {line}" for line in reached(self.session)))
        self.keyboard.side = REFEREE
        self.keyboard.show()
