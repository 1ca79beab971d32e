"""The lines printed to the players and typed by them."""

from collections.abc import Callable, Sequence
from textwrap import wrap

from fireplan.cli.map import WIDTH
from fireplan.cli.printing import CLEAR

SHOWN = 8
"""Number of lines of a list shown at once; ``more`` shows the rest."""
RESULTS = 20
"""Number of results of a roll shown at once: enough for every result read off a chart."""
NARROWEST, WIDEST = 80, 110
"""Least and greatest width of a paragraph, in columns."""
LONGEST_REPLY = 600
"""Maximum length of a reply to typed input, in characters."""


class Terminal:
    """A terminal or a pipe: ``say`` prints a line, and ``hear`` prints a prompt and returns a line.

    ``width()`` returns the width of maps in columns. With ``screen``, the terminal is cleared when
    the keyboard passes to another side.
    """

    def __init__(
        self,
        say: Callable[[str], None],
        hear: Callable[[str], str],
        *,
        screen: bool = False,
        width: Callable[[], int] = lambda: WIDTH,
    ) -> None:
        self.say, self.hear, self.width = say, hear, width
        self.clears = screen
        """True if the terminal is cleared when the keyboard changes hands."""
        self._rest: list[str] = []
        """The lines that ``more`` will print."""

    def paragraph(self, begins: str, text: str, indent: str) -> None:
        """Print a text after ``begins``, wrapped to the width of the terminal.

        The width is limited to between 80 and 110 columns. Further lines begin with ``indent``.
        """
        width = min(max(self.width(), NARROWEST), WIDEST)
        for line in wrap(text, width, initial_indent=begins, subsequent_indent=indent):
            self.say(line)

    def some(self, lines: Sequence[str], details: Sequence[str] = (), shown: int = SHOWN) -> None:
        """Print the first ``shown`` of these lines; ``more`` prints the others and the ``details``.

        A single further line is printed at once.
        """
        many = shown if len(lines) > shown + 1 else len(lines)
        rest = lines[many:]
        self._rest = [*rest, *details]
        for line in lines[:many]:
            self.say(line)
        if rest:
            self.say(f"      ({len(rest)} more: 'more')")

    def more(self) -> None:
        """Print the rest of the last list, or a remark that nothing is left."""
        for line in self._rest or ["  that was all"]:
            self.say(line)
        self._rest = []

    def reply(self, words: object) -> None:
        """Print a reply to typed input, cut if it is longer than ``LONGEST_REPLY``."""
        text = str(words)
        self.say(f"  {text if len(text) <= LONGEST_REPLY else f'{text[:LONGEST_REPLY]} ...'}")

    def pass_to(self, name: str) -> None:
        """Ask for the keyboard to be passed to the side ``name``.

        With ``screen``, clear the terminal before and after; otherwise print a dividing line.
        """
        if self.clears:
            self.say(CLEAR)
            self.hear(f"Pass the keyboard to {name}, then press Enter: ")
            self.say(CLEAR)
        else:
            self.say(f"\n{'-' * 20} pass the keyboard to {name} {'-' * 20}")
