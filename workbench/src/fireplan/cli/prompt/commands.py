"""The commands that work at every prompt."""

import re
from collections.abc import Callable
from importlib.resources import files

from fireplan import table
from fireplan.analysis import GOALS
from fireplan.cli.prompt.order_figures import OrderFigures
from fireplan.cli.prompt.shared_keyboard import SharedKeyboard
from fireplan.cli.prompt.terminal import SHOWN
from fireplan.errors import InputError, JournalError
from fireplan.questions.belief import belief_at
from fireplan.questions.inquiry import played_by
from fireplan_core import Ask

COMMANDS = (
    "help",
    "map",
    "log",
    "odds",
    "belief",
    "undo",
    "why",
    "more",
    "save",
    "reveal",
    "end",
    "quit",
)
ARGUMENTS = {
    "odds": f"on|off|by .+|{'|'.join(GOALS)}",
    "undo": "[1-9][0-9]{0,3}",
    "why": ".*",
    "reveal": "all",
}
"""Maps each command that takes an argument to the pattern of that argument."""
EXPECTED = {
    "odds": f"on, off, a goal ({', '.join(GOALS)}), or by and a time, such as 'odds by turn 4'",
    "undo": "a number of inputs, such as 'undo 3'",
    "reveal": "all",
}
"""Maps each command that takes an argument to a description of the argument."""
HELP_INDENT = 21
"""Column at which the meaning of each command begins in the help."""


class PlayOnError(Exception):
    """Raised to leave the prompts and play on to the end with standard orders."""


class Commands:
    """A reader of lines at a prompt, which carries out the lines that are commands."""

    def __init__(self, keyboard: SharedKeyboard, figures: OrderFigures) -> None:
        self._session, self._terminal = keyboard.session, keyboard.terminal
        self._keyboard, self._figures = keyboard, figures
        self.possible: tuple[str, ...] = ()
        """Complete inputs that can be typed now, for Tab completion."""

    def line(self, prompt: str, possible: tuple[str, ...] = ()) -> str | None:
        """Return a line of input, or None if it was a command; ``quit`` raises ``EOFError``.

        ``possible`` lists inputs that the prompt expects. A word that may begin one of them is not
        taken as the abbreviation of a command.
        """
        self.possible = (*possible, *COMMANDS)
        text = self._terminal.hear(prompt).strip()
        word, _, rest = text.partition(" ")
        rest = rest.strip()
        begun = [known for known in COMMANDS if known.startswith(word.casefold())]
        verbs = {known.partition(" ")[0].casefold() for known in possible}
        command = (
            next((known for known in begun if known == word.casefold() or len(begun) == 1), "")
            if word
            else ""
        )
        others = (
            any(verb.startswith(word.casefold()) for verb in verbs) and command != word.casefold()
        )
        if command == "reveal" and not others and rest != "all":
            self._terminal.say(
                "  this reveals the secrets of all sides for good: confirm with 'reveal all'"
            )
            return None
        if not command or others:
            return text
        if rest and not re.fullmatch(ARGUMENTS.get(command, "-"), rest):
            expected = EXPECTED.get(command, "nothing after it")
            self._terminal.reply(f"{command} {rest}: expected {expected}")
            return None
        if command == "quit":
            raise EOFError
        commands: dict[str, Callable[[], None]] = {
            "help": self.help,
            "map": self._keyboard.show,
            "log": lambda: self._keyboard.print_log(self._keyboard.viewer.known.lines),
            "odds": lambda: self.odds(rest),
            "belief": self.belief,
            "undo": lambda: self.undo(int(rest or 1)),
            "why": lambda: self.why(rest),
            "more": self._terminal.more,
            "save": self.save,
            "reveal": self.reveal,
            "end": self.end,
        }
        commands[command]()
        return None

    def help(self) -> None:
        """Print the inputs that can be typed."""
        text = (files("fireplan.cli.prompt") / "help.txt").read_text(encoding="utf-8")
        for line in text.splitlines():
            command, tab, meaning = line.partition("\t")
            begins = f"  {command:{HELP_INDENT - 3}} " if tab else ""
            indent = " " * HELP_INDENT * bool(tab)
            self._terminal.paragraph(begins, meaning if tab else line, indent)

    def why(self, text: str) -> None:
        """Print the rule that forbids an order, or a remark that the order is legal.

        Without an order, print every order forbidden now, with its rule.
        """
        played, viewer = self._session.table, self._keyboard.viewer
        waits = played.waits_for
        if not isinstance(waits, Ask):
            due = self._session.throw_due
            what = "roll the dice" if due is None else viewer.words.action(due)
            self._terminal.say(f"  no order is needed now: {what}")
            return
        if not text:
            alike: dict[tuple[str, str], list[str]] = {}
            for order in viewer.form().orders:
                if order.refusal:
                    line = f"  {order.words} ({order.text}): {order.refusal}"
                    alike.setdefault((order.verb, order.refusal), [line]).append(order.text)
            refused = [f"{line}{_for_others(others)}" for line, _, *others in alike.values()]
            self._terminal.some(refused or ["  every order on offer is legal"])
            return
        if re.fullmatch("[0-9]{1,9}", text):
            self._terminal.reply("only legal orders have numbers: type the order in full")
            return
        try:
            asked = viewer.read_order(text, fill=True)
            refusal = played.rulebook.refuse(waits, asked, played.read)
        except InputError as error:
            self._terminal.reply(error)
            return
        self._terminal.reply("that order is legal" if refusal is None else refusal)

    def odds(self, text: str) -> None:
        """Print chances from here for the side at the keyboard, and the chances after each order.

        ``by TIME`` gives the chances up to that time. A goal, or ``on``, shows chances next to the
        orders from now on; ``off`` hides them, for every side at the keyboard.
        """
        if text in ("on", "off", *GOALS):
            self._figures.shown = text != "off"
        if text in GOALS:
            self._figures.goal = text
        if text == "off":
            self._terminal.say(
                "  no odds are shown next to the orders from now on; 'odds on' shows them again"
            )
            return
        if text in ("on", *GOALS):
            goal = self._keyboard.viewer.words.of_fire(GOALS[self._figures.goal])
            self._terminal.say(f"  shown next to the orders from now on: the chance that {goal}")
        last = None
        if text.startswith("by "):
            try:
                clock, now = self._session.scenario.clock, self._session.table.state.moment
                last = min(
                    played_by(clock, now, text.removeprefix("by ").strip()), self._session.moments
                )
            except InputError as error:
                self._terminal.reply(error)
                return
        self._figures.print_all(self._terminal, last)

    def belief(self) -> None:
        """Print what the side at the keyboard can infer about hidden facts, with chances.

        If they cannot be inferred, print the reason.
        """
        try:
            belief = belief_at(self._session, self._keyboard.side)
            self._terminal.some([f"  {line}" for line in str(belief).splitlines()])
        except InputError as error:
            self._terminal.reply(error)

    def undo(self, number: int) -> None:
        """Take back the last ``number`` inputs; another side's order only if that side agrees."""
        for _ in range(number):
            if not self._undone():
                return

    def _undone(self) -> bool:
        last = self._session.last
        foreign = last is not None and not self._keyboard.viewer.takes_back()
        request = "take your last order back"
        if last is not None and foreign and not self._keyboard.agreed(last.who, request):
            return False
        try:
            done = self._session.undo()
        except JournalError as error:
            self._terminal.say(f"  {error}")
            return False
        if last is not None and foreign:
            self._keyboard.side = last.who
        self._terminal.say("  taken back: both sides agreed" if foreign else f"  {done}")
        self._keyboard.mark_read()
        return True

    def end(self) -> None:
        """Leave the prompts, so that the rest is played with standard orders.

        If views differ, every other side must agree.
        """
        if self._all_agree("play on to the end with standard orders"):
            raise PlayOnError

    def _all_agree(self, what: str) -> bool:
        """Ask every other side to agree to ``what``, and return whether all do.

        If all sides see the same, return True without asking.
        """
        if not self._keyboard.apart:
            return True
        here = self._keyboard.side
        others = (side for side in table.sides_of(self._session.scenario) if side != here)
        return all(self._keyboard.agreed(other, what) for other in others)

    def save(self) -> None:
        """Print where the game is saved."""
        journal = self._session.journal
        where = (
            "no input is kept: this table has no journal"
            if journal is None
            else f"every input is in {journal.path} already"
        )
        self._terminal.say(f"  {where}")

    def reveal(self) -> None:
        """Reveal the sealed records, and print whether each matches its seal.

        Before the end of the game, every other side must agree.
        """
        session = self._session
        asked = not session.revealed and session.table.waits_for is not None
        if asked and not self._all_agree("reveal all secrets for good"):
            return
        session.reveal()
        earlier = (seal for one in session.history.story for seal in one.seals)
        sealed = (*session.seals, *earlier)
        self._terminal.say("  everything is revealed" if sealed else "  nothing was sealed")
        for seal in sealed:
            sound = "as it was sealed" if seal.sound else "DOES NOT MATCH ITS SEAL"
            self._terminal.say(f"  {table.without_commitment(str(seal))}: {sound}")


def _for_others(orders: list[str]) -> str:
    """Return a line with the values of other orders refused for the same reason.

    Return "" if there are no other orders.
    """
    if not orders:
        return ""
    values = "; ".join(order.partition(" ")[2] for order in orders[:SHOWN])
    more = f"; {len(orders) - SHOWN} more" if len(orders) > SHOWN else ""
    return f"\n      the same: {values}{more}"
