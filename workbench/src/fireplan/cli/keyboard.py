"""A game at the keyboard: orders and dice typed in the terminal or read from a pipe.

Everything shown is the view of the side at the keyboard. If views differ, a screen separates the
sides.
"""

import re
import secrets  # noqa: TID251 - a seed for dice the program rolls; each face is journalled as it fell
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from importlib.resources import files

from fireplan import table
from fireplan.analysis import GOALS, OrderOdds, SideOdds, percent
from fireplan.cli.map import WIDTH, text_map
from fireplan.cli.printing import CLEAR, timed
from fireplan.errors import InputError, JournalError, command
from fireplan.questions.belief import belief_at
from fireplan.questions.inquiry import played_by
from fireplan.questions.review import reached, withheld
from fireplan_core import REFEREE, Ask
from fireplan_core.chance import ChanceError, Face, RandomFaces

COMMANDS = ("help", "map", "log", "odds", "belief", "undo", "why", "more", "save", "reveal", "quit")
ANSWERED = {
    "odds": f"on|off|by .+|{'|'.join(GOALS)}",
    "undo": "[1-9][0-9]{0,3}",
    "why": ".*",
    "reveal": "all",
}
"""Maps each command that takes an argument to the pattern of that argument."""

SHOWN = 8
"""Number of lines of a list shown at once; ``more`` shows the rest."""
_COUNT, _FACE = re.compile("[0-9]{1,9}"), re.compile("-?[0-9]{1,9}")
_REPLY = 600
"""Maximum length of a reply to typed input, in characters."""


class Play:
    """A game at one keyboard.

    ``say`` prints a line, ``hear`` asks for one, and ``screen`` separates the sides; maps are
    ``width`` columns wide. With a ``briefing``, each side reads its goals when it first takes its
    seat.
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
        self.say = say
        self.hear = hear
        self.screen = screen
        self.width = width
        self.rolled = RandomFaces(secrets.randbits(64) if seed is None else seed)
        self.words = table.Words(session.scenario)
        sides = table.sides_of(session.scenario)
        self.summary = briefing.summary if briefing else ""
        self._wants = dict(briefing.wants) if briefing else {}
        """The goals of each side, until its player has read them."""
        self.apart = any(table.Visibility(session.scenario, side).veiled for side in sides)
        self.side = sides[0] if sides else ""
        self._read: dict[str, Counter[table.LogLine]] = {}
        self.possible: tuple[str, ...] = ()
        """Complete inputs that can be typed now, for Tab completion."""
        self.goal = next(iter(GOALS))
        """The goal whose odds are shown beside the orders, or "" for none."""
        self._odds: dict[str, SideOdds] = {}
        self._rest: list[str] = []
        """The lines that ``more`` will show."""
        self._mistaken = False
        """True after a face that cannot fall: the throw has been announced already."""

    @property
    def viewer(self) -> table.Viewer:
        """Return the table as the side at the keyboard sees it."""
        return table.Viewer(self.session, self.side)

    def run(self) -> None:
        """Play until the end of the game, or until the players leave."""
        self.say(f"{self.session.scenario.title}")
        if self.summary:
            self.say(self.summary)
        self.help()
        waits = self.session.table.waits_for
        self.side = waits.who if isinstance(waits, Ask) else self.side
        if self.apart:
            self.pass_to(self.side)
        self._brief()
        self._news()
        self.show()
        try:
            while (waits := self.session.table.waits_for) is not None:
                if isinstance(waits, Ask):
                    if waits.who != self.side:
                        self.hand_over(waits.who)
                    self.ask()
                else:
                    if waits.seen_by not in ("", self.side):
                        self.hand_over(waits.seen_by)
                    self.throw()
            self.say(f"{self.viewer.form().question}.")
            sealed = self.session.seals or any(one.seals for one in self.session.history.story)
            if sealed or withheld(self.session, self.side):
                self.reveal()
            self.say("\n".join(f"  {line}" for line in reached(self.session)))
            self.show()
        except EOFError:
            journal = self.session.journal
            self.say(
                f"The game is saved; {command('resume', str(journal.path))!r} continues it."
                if journal
                else "Left."
            )

    # --- two sides at one keyboard ----------------------------------------------------------------
    def hand_over(self, side: str) -> None:
        """Pass the keyboard to another side, with a screen if its view differs."""
        self.side = side
        if self.apart and not self.session.revealed:
            self.pass_to(side)
            self._brief()
            self._news()
            self.show()
        else:
            self._brief()

    def _brief(self) -> None:
        """Print what the side at the keyboard wants, unless it has read that already."""
        if wants := self._wants.pop(self.side, ""):
            self.say(f"\n{table.side_name(self.side)}: {wants}")

    def pass_to(self, side: str) -> None:
        """Put a screen between two sides: clear the terminal, or print a line to a pipe."""
        name = table.side_name(side)
        if self.screen:
            self.say(CLEAR)
            self.hear(f"Pass the keyboard to {name}, who presses Enter: ")
            self.say(CLEAR)
        else:
            self.say(f"\n{'-' * 20} pass the keyboard to {name} {'-' * 20}")

    # --- prompts ---------------------------------------------------------------------------------
    def ask(self) -> None:
        """Ask the side for an order until one is accepted."""
        waits = self.session.table.waits_for
        form = self.viewer.form()
        legal = self._listed(form)
        while self.session.table.waits_for is waits:
            line = self.line(
                "order: ", tuple(order.text for order in form.orders if not order.refusal)
            )
            if line is not None:
                self._answer(line, form, legal)

    def _listed(self, form: table.Prompt) -> list[table.OrderSeen]:
        """Print the legal orders, numbering one for each verb; return the numbered orders."""
        first: dict[str, table.OrderSeen] = {}
        others: dict[str, list[str]] = {}
        for order in form.orders:
            if not order.refusal and first.setdefault(order.verb, order) is not order:
                others.setdefault(order.verb, []).append(order.text.partition(" ")[2])
        self.say(f"\n{table.side_name(form.who)}: {form.question}")
        odds = self._weighed(form, sample=False) if self.goal else OrderOdds({})
        if self.goal in odds.goals:
            self.say(self._about(odds))
        lines = []
        for number, order in enumerate(first.values(), start=1):
            star = "*" if order.standard else " "
            figure = self._figure(odds, order.text)
            typed = "" if order.text.casefold() == order.words.casefold() else f"; {order.text}"
            text = [f" {star}{number:2d}. {figure}{order.words} [{order.cite}{typed}]"]
            if order.prospects:
                more = f"; {len(order.prospects) - SHOWN} more" * (len(order.prospects) > SHOWN)
                timed = "; ".join(map(_prospect, order.prospects[:SHOWN]))
                text.append(f"      {order.roll}: {timed}{more}")
            if found := others.get(order.verb):
                text.append(
                    f"      or with {', '.join(found[:SHOWN])}{' ...' if len(found) > SHOWN else ''}"
                )
                text += self._best_of(odds, order, found)
            lines.append("\n".join(text))
        refused = sorted({order.verb for order in form.orders if order.refusal} - first.keys())
        if refused:
            lines.append(
                f"      not now: {', '.join(map(_named, refused))} ('why' shows the rules)"
            )
        self._some(lines)
        return list(first.values())

    def _weighed(self, form: table.Prompt, last: int | None = None, *, sample: bool) -> OrderOdds:
        """Return the odds of the side at the keyboard after each order that it may give."""
        orders = [order.text for order in form.orders if not order.refusal]
        return self._odds_of(self.side).orders(self.session, orders, last, sample=sample)

    def _odds_of(self, side: str) -> SideOdds:
        return self._odds.setdefault(side, SideOdds(side))

    def _about(self, odds: OrderOdds) -> str:
        """Return a line on what the figures beside the orders mean; one figure if all are alike."""
        chance = f"chance that {GOALS[self.goal]}"
        if self.goal in odds.open:
            return f"{chance} if standard orders follow:"
        alike = next(iter(odds.after.values()))[self.goal]
        return f"{chance} if standard orders follow: {alike} whichever you give"

    def _figure(self, odds: OrderOdds, order: str) -> str:
        """Return an order's chance of the goal, and how far it is behind the best order."""
        if order not in odds.after or self.goal not in odds.open:
            return ""
        behind = odds.behind(order, self.goal)
        apart = percent(behind).removesuffix(" %")
        points = "best" if not behind else f"-{apart}" if apart[0] != "<" else f"{apart} less"
        return f"{odds.after[order][self.goal]} ({points}) "

    def _best_of(self, odds: OrderOdds, order: table.OrderSeen, others: list[str]) -> list[str]:
        """Return a line with the best of an order's other forms, if it is better."""
        if self.goal not in odds.goals:
            return []
        forms = [f"{order.verb} {other}" for other in others]
        weighed = [text for text in (order.text, *forms) if text in odds.after]
        best = min(weighed, key=lambda text: odds.behind(text, self.goal), default=order.text)
        if best == order.text or not odds.behind(order.text, self.goal) > odds.behind(
            best, self.goal
        ):
            return []
        return [f"      best of these: {self._figure(odds, best)}{best}"]

    def _some(self, lines: Sequence[str]) -> None:
        """Print the first ``SHOWN`` of these lines; ``more`` prints the rest, if it is several."""
        many = SHOWN if len(lines) > SHOWN + 1 else len(lines)
        shown, self._rest = lines[:many], list(lines[many:])
        for line in shown:
            self.say(line)
        if self._rest:
            self.say(f"      ({len(self._rest)} more: 'more')")

    def _answer(self, line: str, form: table.Prompt, legal: list[table.OrderSeen]) -> None:
        text = line or next((order.text for order in form.orders if order.standard), "")
        if _COUNT.fullmatch(text):
            if not 0 < int(text) <= len(legal):
                self.reply(f"there is no order {text}: give 1 to {len(legal)}, or an order in full")
                return
            text = legal[int(text) - 1].text
        try:
            refusal = self.viewer.give(self.viewer.read_order(text))
        except InputError as error:
            self.reply(error)
            return
        if refusal is None:
            self._news(spare=True)
        else:
            self.reply(f"refused: {refusal}")

    def throw(self) -> None:
        """Ask for the dice of a throw, each named by its meaning.

        A die with only one possible face is skipped.
        """
        waits = self.session.table.waits_for
        form = self.viewer.form()
        if not self.session.faces and not self._mistaken:
            self._announce(form)
        self._mistaken = False
        die = form.dice[len(self.session.faces)]
        if len(set(die.faces)) == 1 and self.session.die is not None:
            self.say(f"  {self._die(die.label)}: {die.faces[0]}, its only face")
            self._fall(self.rolled.face(self.session.die), typed=False)
            return
        possible = die.faces
        named = self._die(die.label)
        label = "drawn" if form.verb == "Draw" and not die.cards else named
        prompt, line = f"{label} ({_faces(die.faces)}): ", None
        if die.cards:
            possible = tuple(card.text for card in die.cards)
            card = die.cards[len(die.cards) // 2]
            example = "-".join(map(str, card.dice)) or card.text
            what = f"{named} (its dice, " if card.name else "dice ("
            prompt = f"{what}such as {example}): "
        while line is None and self.session.table.waits_for is waits:
            line = self.line(prompt, possible)
        wanted = self.session.die
        if line is None or wanted is None:
            return
        if line == "":
            rolled = self.rolled.face(wanted)
            if die.cards:
                self._drew(rolled)
            else:
                self.say(f"  {'drew' if form.verb == 'Draw' else 'rolled'} {rolled}")
            self._fall(rolled, typed=False)
            return
        if die.cards:
            self._enter_card(line)
            return
        self._enter(line, die.faces)

    def _announce(self, form: table.Prompt) -> None:
        """Print what the dice are for, their modifiers, and the results that they can have."""
        subject = f" ({form.question})" if form.question else ""
        drawn = form.verb == "Draw" or any(die.cards for die in form.dice)  # needs no label
        labels = "" if drawn else ", ".join(self._die(die.label) for die in form.dice)
        waits = self.session.throw_due
        action = form.roll if waits is None else self.words.action(waits)
        what = f"{action[:1].upper()}{action[1:]}{subject}"
        self.say(f"\n{what}: {labels}" if labels else f"\n{what}")
        if form.modifiers:
            self.say(f"  modifiers included below: {'; '.join(form.modifiers)}")
        self._some([f"  {_prospect(prospect)}" for prospect in form.prospects])

    def _die(self, label: str) -> str:
        """Return what the game calls a die of the throw that is due."""
        waits = self.session.throw_due
        return _named(label) if waits is None else self.words.die(waits.name, label)

    def _drew(self, face: Face) -> None:
        """Print which card was drawn."""
        waits = self.session.throw_due
        if waits is not None:
            verb = "drew" if self.words.verb(waits) == "draw" else "rolled"
            self.say(f"  {verb} {self.words.face(waits, face)}")

    def _enter_card(self, line: str) -> None:
        """Enter the card that a line names."""
        try:
            card = self.viewer.read_card(line)
        except InputError as error:
            self.reply(error)
            self._mistaken = True
            return
        if card is not None:
            self._drew(card)
            self._fall(card, typed=True)

    def _enter(self, line: str, faces: Sequence[str]) -> None:
        """Enter the faces of a line, up to an impossible one; the first die has these faces."""
        waits = self.session.table.waits_for
        given = [line] if line.casefold() in map(str.casefold, faces) else re.split(r"[\s,]+", line)
        for text in given:
            if self.session.table.waits_for is not waits:
                self.reply(f"the throw is complete without {text}")
                return
            face = next((face for face in faces if face.casefold() == text.casefold()), text)
            if not self._fall(int(face) if _FACE.fullmatch(face) else face, typed=True):
                return

    def _fall(self, face: int | str, *, typed: bool) -> bool:
        """Enter a die of the throw; return whether the face was possible."""
        try:
            self.session.face(face, typed=typed)
        except ChanceError as error:
            self.reply(error)
            self._mistaken = True
            return False
        if fell := "" if self.session.faces else self.viewer.fell(whole=False):
            self.say(f"  {fell}")
        self._news(spare=True)
        return True

    def line(self, prompt: str, possible: tuple[str, ...] = ()) -> str | None:
        """Return a line of input, or None after a command that works at every prompt."""
        self.possible = (*possible, *COMMANDS)
        text = self.hear(prompt).strip()
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
            self.say("  this reveals the secrets of all sides for good: confirm with 'reveal all'")
            return None
        if not command or others or (rest and not re.fullmatch(ANSWERED.get(command, "-"), rest)):
            return text
        if command == "quit":
            raise EOFError
        commands: dict[str, Callable[[], None]] = {
            "help": self.help,
            "map": self.show,
            "log": lambda: self._lines(self.viewer.known.lines, whole=True),
            "odds": lambda: self.odds(rest),
            "belief": self.belief,
            "undo": lambda: self.undo(int(rest or 1)),
            "why": lambda: self.why(rest),
            "more": self.more,
            "save": self.save,
            "reveal": self.reveal,
        }
        commands[command]()
        return None

    # --- commands --------------------------------------------------------------------------------
    def help(self) -> None:
        """Print the inputs that can be typed."""
        self.say((files("fireplan.cli") / "prompt_help.txt").read_text(encoding="utf-8").rstrip())

    def more(self) -> None:
        """Print the rest of the last list."""
        for line in self._rest or ["  that was all"]:
            self.say(line)
        self._rest = []

    def why(self, text: str) -> None:
        """Print the rule that forbids an order or, if none is named, all orders forbidden now."""
        played = self.session.table
        waits = played.waits_for
        if not isinstance(waits, Ask):
            what = "draw" if self.viewer.form().verb == "Draw" else "roll the dice"
            self.say(f"  no order is needed now: {what}")
            return
        if not text:
            refused = [
                f"  {order.words} ({order.text}): {order.refusal}"
                for order in self.viewer.form().orders
                if order.refusal
            ]
            self._some(refused or ["  every order on offer is legal"])
            return
        if _COUNT.fullmatch(text):
            self.reply("only legal orders have numbers: type the order in full")
            return
        try:
            refusal = played.rulebook.refuse(waits, self.viewer.read_order(text), played.read)
        except InputError as error:
            self.reply(error)
            return
        self.reply("that order is legal" if refusal is None else refusal)

    def odds(self, text: str) -> None:
        """Print chances from here for the side at the keyboard, and those of each order.

        ``on`` or a goal puts them beside the orders from now on, ``off`` leaves them out.
        """
        if text in ("on", "off", *GOALS):
            self.goal = "" if text == "off" else next(iter(GOALS)) if text == "on" else text
        last = None
        if text.startswith("by "):
            try:
                clock, now = self.session.scenario.clock, self.session.table.state.moment
                last = min(
                    played_by(clock, now, text.removeprefix("by ").strip()), self.session.moments
                )
            except InputError as error:
                self.reply(error)
                return
        for line in self._odds_of(self.side).now(self.session, last):
            self.say(f"  {line}")
        odds = self._weighed(self.viewer.form(), last, sample=True)
        if self.goal and odds.after and self.goal not in odds.goals:
            self.say(f"  too large to be weighed here: the chance that {GOALS[self.goal]}")
        self._some([f"  {order}: {words}" for order, words in odds.lines()])

    def belief(self) -> None:
        """Print what the side at the keyboard may infer about what is hidden from it."""
        try:
            self._some(
                [f"  {line}" for line in str(belief_at(self.session, self.side)).splitlines()]
            )
        except InputError as error:
            self.reply(error)

    def undo(self, number: int) -> None:
        """Take back the last ``number`` inputs; another side's order only if that side agrees."""
        for _ in range(number):
            if not self._undone():
                return

    def _undone(self) -> bool:
        last = self.session.last
        foreign = last is not None and not self.viewer.takes_back()
        if last is not None and foreign and not self.agreed(last.who, "take its last order back"):
            return False
        try:
            done = self.session.undo()
        except JournalError as error:
            self.say(f"  {error}")
            return False
        self.side = last.who if last is not None and foreign else self.side
        self.say("  taken back: both sides agreed" if foreign else f"  {done}")
        self._read = {}
        self._news(silent=True)
        return True

    def agreed(self, other: str, what: str) -> bool:
        """Return whether another side agrees; if not, pass the keyboard back."""
        here, apart = self.side, self.apart and not self.session.revealed
        name, asks = table.side_name(other), table.side_name(here)
        self.say(f"  that needs {name} to agree")
        if apart:
            self.pass_to(other)
        if (
            self.hear(f"{name}: {asks} asks {name} to {what}; agree (yes or no): ").strip().lower()
            == "yes"
        ):
            return True
        if apart:
            self.pass_to(here)
        self.say(f"  {name} does not agree; nothing was changed")
        return False

    def save(self) -> None:
        """Print the path of the journal."""
        kept = (
            "nowhere: this table has no journal"
            if self.session.journal is None
            else "on the disk already"
        )
        self.say(f"  every input is {kept}")

    def reveal(self) -> None:
        """Reveal the sealed records; before the end only if every side with secrets agrees."""
        here = self.side
        if self.apart and not self.session.revealed and self.session.table.waits_for is not None:
            for other in table.sides_of(self.session.scenario):
                if other != here and not self.agreed(other, "reveal all secrets for good"):
                    return
        self.session.reveal()
        sealed = (
            *self.session.seals,
            *(seal for one in self.session.history.story for seal in one.seals),
        )
        self.say(
            "  everything is revealed" if sealed else "  nothing was sealed; everything is revealed"
        )
        for seal in sealed:
            self.say(f"  {seal}{'' if seal.sound else ' DOES NOT MATCH ITS SEAL'}")

    def show(self) -> None:
        """Print the current situation."""
        situation = self.viewer.situation()
        number, many, when = situation.moment, situation.moments, situation.when
        counted = f"{when} of {many}" if when.endswith(f" {number}") else None
        self.say(
            f"\n{counted or f'{self.session.scenario.clock.moment} {number} of {many}: {when}'}"
        )
        for line in situation_lines(situation):
            self.say(line)
        if hand := self.viewer.hand():
            self.say(f"  hand: {', '.join(card.text for card in hand)}")
        scenario = self.session.scenario
        for line in text_map(situation, scenario.frame, scenario.features, self.width()):
            self.say(line)

    def reply(self, words: object) -> None:
        """Print a reply to typed input, shortening any quotation of a long input."""
        text = str(words)
        self.say(f"  {text if len(text) <= _REPLY else f'{text[:_REPLY]} ...'}")

    # --- words -----------------------------------------------------------------------------------
    def _news(self, *, spare: bool = False, silent: bool = False) -> None:
        """Print what this side has learnt since it last looked, or nothing if ``silent``.

        ``spare`` leaves out orders and rolls, which the side has just typed, and modifiers.
        """
        reader = self.side if self.apart else REFEREE
        read = self._read.setdefault(reader, Counter())
        lines = table.Viewer(self.session, reader).known.lines
        left, fresh = Counter(read), list[table.LogLine]()
        for line in lines:
            if left[line]:
                left[line] -= 1
            else:
                fresh.append(line)
        self._read[reader] = Counter(lines)
        if not silent:
            self._lines(
                line for line in fresh if not (spare and line.kind in ("order", "roll", "modifier"))
            )

    def _lines(self, lines: Iterable[table.LogLine], *, whole: bool = False) -> None:
        for line in lines:
            text = timed(line)
            self.say(f"  {text if whole else text.partition(': commitment ')[0]}")


def situation_lines(situation: table.TableSituation) -> list[str]:
    """Return a line of text for each asset, and for everything else on the table."""
    lines = []
    for asset in situation.assets:
        places = (("target", asset.target), ("aimed at", asset.aim), ("landed on", asset.impact))
        spots = [f"{where} {spot.label}" for where, spot in places if spot is not None]
        area = ""
        if any(spot != asset.impact for spot in asset.area):
            area = f"covers {' '.join(spot.label for spot in asset.area)}"
        waits = f"waits for {asset.waits}" if asset.waits else ""
        parts = [asset.text, waits, *spots, area, *asset.details]
        lines.append(
            f"  mission {_named(asset.name)} ({table.side_name(asset.side)}): {'; '.join(part for part in parts if part)}"
        )
    return [*lines, *(f"  {line}" for line in situation.board)]


def _prospect(prospect: table.Prospect) -> str:
    return f"{prospect.reached}: {prospect.what} ({percent(prospect.chance)})"


def _named(label: str) -> str:
    return label.replace("_", " ")


def _faces(faces: tuple[str, ...]) -> str:
    return (
        f"{faces[0]}-{faces[-1]}"
        if all(face.lstrip("-").isdigit() for face in faces)
        else ", ".join(faces)
    )
