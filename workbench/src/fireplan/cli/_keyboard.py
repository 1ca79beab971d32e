"""A game at the keyboard: orders and dice prompted for in the terminal, or read from a pipe.

Everything that is shown is the view of the side at the keyboard; where views differ a screen stands between them.
"""

from __future__ import annotations

import re
import secrets  # noqa: TID251 - a seed for dice the program rolls; each face is journalled as it fell
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from math import isqrt
from typing import Any

from fireplan import table
from fireplan.api import command, in_moments
from fireplan.cli._map import text_map
from fireplan.cli._print import CLEAR, LeaveError, told
from fireplan.comparison import percent
from fireplan.solver import Compiler, FallsOf, Measure, TooLargeError, exhausted, expected, sample
from fireplan_core import Ask, ProcedureError
from fireplan_core.chance import ChanceError, RandomFaces

HELP = """At any prompt:
  a number or the order itself   give that order; nothing gives the standard one, marked *
  a face, or nothing             the die as it fell, or let it be rolled
  why ORDER   which rule forbids it
  odds   exact chances from here     undo   take the last input back     log   what has happened
  map    how things stand            save   where the game is kept       reveal all   lay all secrets open, for good
  help   this                        quit   leave (the journal is kept)
An order in full is a verb and its values: place at=K5; names with spaces stand in double quotes, base="rifle 1";
several values are joined by +, the parts of one by :, as in fire=109-FA:4+687-FA:4."""


SHOWN = 8
"""Other values of an order that are listed."""
MOST = 40_000
"""States that are followed while a player waits."""
WALKS = 100
"""Plays to the end that a table is sampled by which is too large."""
_ERROR = Fraction(1, 2 * isqrt(WALKS))
"""The standard error of a share at its largest."""

_COUNT, _FACE = re.compile("[0-9]{1,9}"), re.compile("-?[0-9]{1,9}")
_REPLY = 600
"""Characters of an answer to what was typed."""


class Play:
    """A game at one keyboard. ``say`` prints a line, ``hear`` asks for one; ``screen`` clears it between sides."""

    def __init__(
        self,
        session: table.Session,
        say: Callable[[str], None],
        hear: Callable[[str], str],
        seed: int | None = None,
        *,
        screen: bool = False,
    ) -> None:
        self.session = session
        self.say = say
        self.hear = hear
        self.screen = screen
        self.rolled = RandomFaces(secrets.randbits(64) if seed is None else seed)
        self.words = table.Words(session.scenario)
        sides = table.sides_of(session.scenario)
        self.apart = any(table.Eyes(session.scenario, side).veiled for side in sides)
        self.side = sides[0] if sides else ""
        self._read: dict[str, Counter[table.LogLine]] = {}

    @property
    def viewer(self) -> table.Viewer:
        """Return the table as the side at the keyboard sees it."""
        return table.Viewer(self.session, self.side)

    def run(self) -> None:
        """Play until the end, or until the players leave."""
        self.say(f"{self.session.scenario.title}")
        self.say(HELP)
        waits = self.session.table.waits_for
        self.side = waits.who if isinstance(waits, Ask) else self.side
        if self.apart:
            self.pass_to(self.side)
        self._news()
        self.show()
        try:
            while (waits := self.session.table.waits_for) is not None:
                if isinstance(waits, Ask):
                    if waits.who != self.side:
                        self.hand_over(waits.who)
                    self.ask()
                else:
                    self.throw()
            self.say("All moments are played.")
            if self.session.seals or any(one.seals for one in self.session.story):
                self.reveal()
            self.show()
        except LeaveError:
            journal = self.session.journal
            self.say(f"Left; {command('resume', str(journal.path))!r} goes on." if journal else "Left.")

    # --- two sides at one keyboard ----------------------------------------------------------------
    def hand_over(self, side: str) -> None:
        """Ask another side; where it sees another table, a screen stands between them."""
        self.side = side
        if self.apart and not self.session.revealed:
            self.pass_to(side)
            self._news()
            self.show()

    def pass_to(self, side: str) -> None:
        """Put a screen between two sides: clear a terminal, print a line over a pipe."""
        if self.screen:
            self.say(CLEAR)
            self.hear(f"Pass the keyboard to {side}, who presses Enter: ")
            self.say(CLEAR)
        else:
            self.say(f"\n{'-' * 20} pass the keyboard to {side} {'-' * 20}")

    # --- prompts ---------------------------------------------------------------------------------
    def ask(self) -> None:
        """Put a question to its side until an order is taken."""
        waits = self.session.table.waits_for
        form = self.viewer.form()
        legal = self._listed(form)
        while self.session.table.waits_for is waits:
            line = self.line("order: ")
            if line is not None:
                self._answer(line, form, legal)

    def _listed(self, form: table.Prompt) -> list[table.OrderSeen]:
        """Print the orders that may be given, one of each verb with its number; returns these."""
        legal: list[table.OrderSeen] = []
        others: dict[str, list[str]] = {}
        for order in form.orders:
            if order.refusal:
                continue
            if order.verb in {known.verb for known in legal}:
                others.setdefault(order.verb, []).append(order.text.partition(" ")[2])
            else:
                legal.append(order)
        self.say(f"\n{form.who}: {form.question}")
        for number, order in enumerate(legal, start=1):
            self.say(f" {'*' if order.standard else ' '}{number:2d}. {order.text}  ({order.summary}) [{order.cite}]")
            if order.prospects:
                self.say(f"      needs roll {order.roll}: {'; '.join(map(_prospect, order.prospects))}")
            if found := others.get(order.verb):
                self.say(f"      or with {', '.join(found[:SHOWN])}{' ...' if len(found) > SHOWN else ''}")
        refused = sorted({order.verb for order in form.orders} - {order.verb for order in legal})
        if refused:
            self.say(f"      not now: {', '.join(refused)} ('why' and the order tells the rule)")
        return legal

    def _answer(self, line: str, form: table.Prompt, legal: list[table.OrderSeen]) -> None:
        text = line or next((order.text for order in form.orders if order.standard), "")
        if _COUNT.fullmatch(text):
            if not 0 < int(text) <= len(legal):
                self.reply(f"there is no order {text}: give 1 to {len(legal)}, or an order in full")
                return
            text = legal[int(text) - 1].text
        try:
            refusal = self.viewer.give(self.viewer.read_order(text))
        except table.WordsError as error:
            self.reply(error)
            return
        if refusal is None:
            self._news(spare=True)
        else:
            self.reply(f"refused: {refusal}")

    def throw(self) -> None:
        """Ask for the dice of a throw, one by one, each named by its meaning."""
        waits = self.session.table.waits_for
        form = self.viewer.form()
        if not self.session.faces:
            subject = f" for {form.question}" if form.question else ""
            self.say(f"\nroll {form.roll}{subject}: {', '.join(_named(die.label) for die in form.dice)}")
            for prospect in form.prospects:
                self.say(f"  {_prospect(prospect)}")
        die = form.dice[len(self.session.faces)]
        line = self.line(f"{_named(die.label)} ({_faces(die.faces)}): ")
        while line is None and self.session.table.waits_for is waits:
            line = self.line(f"{_named(die.label)} ({_faces(die.faces)}): ")
        wanted = self.session.die
        if line is None or wanted is None:
            return
        try:
            if line == "":
                face = self.rolled.face(wanted)
                self.say(f"  rolled {face}")
                self.session.face(face, typed=False)
            else:
                self.session.face(int(line) if _FACE.fullmatch(line) else line, typed=True)
        except ChanceError as error:
            self.reply(error)
        else:
            self._news(spare=True)

    def line(self, prompt: str) -> str | None:
        """Return a line of input; commands that serve at every prompt are carried out and answered with None."""
        text = self.hear(prompt).strip()
        command, _, rest = text.partition(" ")
        commands: dict[str, Callable[[], None]] = {
            "help": lambda: self.say(HELP),
            "map": self.show,
            "log": self.log,
            "odds": self.odds,
            "undo": self.undo,
            "why": lambda: self.why(rest),
            "save": self.save,
            "reveal": self.reveal,
        }
        if command == "quit":
            raise LeaveError
        if command == "reveal" and rest != "all":
            self.say("  this lays the secrets of all sides open, for good: 'reveal all' does it")
            return None
        if command not in commands or (rest and command not in ("why", "reveal")):
            return text
        commands[command]()
        return None

    # --- commands --------------------------------------------------------------------------------
    def why(self, text: str) -> None:
        """Say which rule forbids an order."""
        played = self.session.table
        waits = played.waits_for
        if not isinstance(waits, Ask):
            self.say("  no order is asked for now: the dice are")
            return
        try:
            refusal = played.rulebook.refuse(waits, self.viewer.read_order(text), played.read)
        except table.WordsError as error:
            self.reply(error)
            return
        self.reply("it may be given" if refusal is None else refusal)

    def odds(self) -> None:
        """Print exact chances from the present state, as the side at the keyboard knows it."""
        for line in odds_lines(self.session, self.side):
            self.say(f"  {line}")

    def undo(self) -> None:
        """Take the last input back: a throw or an own order; another side's order where that side agrees."""
        last = self.session.last
        foreign = last is not None and not self.viewer.takes_back()
        if last is not None and foreign and not self.agreed(last.who, "take its last order back"):
            return
        try:
            done = self.session.undo()
        except table.JournalError as error:
            self.say(f"  {error}")
            return
        self.side = last.who if last is not None and foreign else self.side
        self.say("  taken back: both sides agreed" if foreign else f"  {done}")
        self._read = {}
        self._news(silent=True)

    def agreed(self, other: str, what: str) -> bool:
        """Ask another side whether it agrees; where it does not, the keyboard goes back."""
        here, apart = self.side, self.apart and not self.session.revealed
        self.say(f"  that needs {other} to agree")
        if apart:
            self.pass_to(other)
        if self.hear(f"{other}: {here} asks {other} to {what}; agree (yes or no): ").strip().lower() == "yes":
            return True
        if apart:
            self.pass_to(here)
        self.say(f"  {other} does not agree; nothing was changed")
        return False

    def log(self) -> None:
        """Print everything that this side has learnt."""
        self._lines(self.viewer.known.lines)

    def save(self) -> None:
        """Say where the game is kept."""
        kept = "nowhere: this table has no journal" if self.session.journal is None else "on the disk already"
        self.say(f"  every input is {kept}")

    def reveal(self) -> None:
        """Reveal the sealed records; before the end only where every side with secrets agrees."""
        here = self.side
        if self.apart and not self.session.revealed and self.session.table.waits_for is not None:
            for other in table.sides_of(self.session.scenario):
                if other != here and not self.agreed(other, "lay all secrets open, for good"):
                    return
        self.session.reveal()
        sealed = (*self.session.seals, *(seal for one in self.session.story for seal in one.seals))
        self.say("  all is laid open" if sealed else "  nothing was sealed; all is laid open")
        for seal in sealed:
            self.say(f"  {seal}{'' if seal.sound else ' THIS IS NOT WHAT WAS SEALED'}")

    def show(self) -> None:
        """Print how things stand."""
        situation = self.viewer.situation()
        moment = self.session.scenario.clock.moment
        self.say(f"\n{moment} {situation.moment} of {situation.moments}: {situation.when}")
        for line in situation_lines(situation):
            self.say(line)
        scenario = self.session.scenario
        for line in text_map(situation, scenario.frame, scenario.features):
            self.say(line)

    def reply(self, words: object) -> None:
        """Answer what was typed; what it repeats of that is cut where it grows long."""
        text = str(words)
        self.say(f"  {text if len(text) <= _REPLY else f'{text[:_REPLY]} ...'}")

    # --- words -----------------------------------------------------------------------------------
    def _news(self, *, spare: bool = False, silent: bool = False) -> None:
        """Print what this side has learnt since it last looked; ``spare`` what it has just typed itself."""
        read = self._read.setdefault(self.side, Counter())
        lines = self.viewer.known.lines
        left, fresh = Counter(read), list[table.LogLine]()
        for line in lines:
            if left[line]:
                left[line] -= 1
            else:
                fresh.append(line)
        self._read[self.side] = Counter(lines)
        if not silent:
            self._lines(line for line in fresh if not (spare and line.kind in ("order", "roll")))

    def _lines(self, lines: Iterable[table.LogLine]) -> None:
        for line in lines:
            self.say(f"  {told(line)}")


def odds_lines(session: table.Session, side: str) -> list[str]:
    """Return in words what a side may expect of its own assets, both sides following the standard doctrine.

    Hidden assets of others are left out. Chances are exact; a table that is too large for that is played to its end a
    number of times instead, and the lines say so.
    """
    viewer = table.Viewer(session, side)
    own = frozenset(name for name, setup in session.scenario.missions.items() if setup.side == side)
    if not own:
        return [f"{side} has no asset of its own"]
    scenario, state = table.believed(session.scenario, session.table.state, viewer.eyes, viewer.known.names)
    left = session.moments - state.moment
    measures: list[Measure] = [FallsOf(own), exhausted(own)]
    compiler, how, whole = Compiler(scenario), "by the standard doctrine", True
    falls: Mapping[Any, Fraction]
    try:
        try:
            found = expected(compiler, state, session.moments, measures, MOST)
            falls, spent = (one.shares for one in found.distributions)
            whole = found.whole
        except TooLargeError:
            drawn = sample(compiler, measures, session.moments, WALKS, len(viewer.known.lines), state=state)
            falls, spent = ({end: Fraction(n, WALKS) for end, n in one.counts.items()} for one in drawn)
            how += f"; sampled over {WALKS} plays, not exact (standard error up to {percent(_ERROR)})"
    except ProcedureError as error:
        return [f"cannot be solved from here ({error})"]
    return [
        f"{side}, in the {in_moments(left)} left, {how}:",
        f"fire for effect falls {percent(1 - falls.get(None, Fraction(0)))},",
        f"the next one on the target {percent(falls.get(True, Fraction(0)))};",
        f"an asset is spent or lost {percent(spent.get(True, Fraction(0)))}",
        *([] if whole else ["what strikes do to those who call the fire is left out: too large to solve"]),
        *(["what is hidden from this side is left out"] if viewer.eyes.veiled else []),
        *(["a throw under way is taken as not yet begun"] if session.faces else []),
    ]


def situation_lines(situation: table.Situation) -> list[str]:
    """Return the assets one by one and what else lies on the table, in words."""
    lines = []
    for asset in situation.assets:
        places = [(name, getattr(asset, name)) for name in ("target", "aim", "impact")]
        spots = [f"{name} {spot.label}" for name, spot in places if spot is not None]
        area = f"covers {' '.join(spot.label for spot in asset.area)}" if asset.area else ""
        stage = f"{asset.stage} ({asset.reason})" if asset.reason else asset.stage
        waits = f"waits for {asset.waits}" if asset.waits else ""
        parts = [stage, waits, *spots, area, *asset.details]
        lines.append(f"  mission {asset.name} ({asset.side}): {'; '.join(part for part in parts if part)}")
    return [*lines, *(f"  {line}" for line in situation.board)]


def _prospect(prospect: table.Prospect) -> str:
    return f"{prospect.when}: {prospect.what} ({percent(prospect.chance)})"


def _named(label: str) -> str:
    return label.replace("_", " ")


def _faces(faces: tuple[str, ...]) -> str:
    return f"{faces[0]}-{faces[-1]}" if all(face.lstrip("-").isdigit() for face in faces) else ", ".join(faces)
