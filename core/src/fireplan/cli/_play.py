"""``fireplan play`` and ``resume``: a prompted game in the terminal, with the players' own dice; works over a pipe."""

from __future__ import annotations

import secrets  # noqa: TID251 - a seed for dice the program rolls; each face is journalled as it fell
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

from fireplan.chance import ChanceError, ChanceEvent, RandomFaces
from fireplan.cli._table import percent
from fireplan.mission import Ask, Order, Refusal
from fireplan.odds import Analysis, FirstFall, TooLargeError, exhausted
from fireplan.table import Entry, JournalError, Session, forecast, offered

HELP = """At any prompt:
  a number or the order itself   give that order; nothing gives the standard one, marked *
  a face, or nothing             the die as it fell, or let it be rolled
  why ORDER   which rule forbids it
  odds   exact chances from here     undo   take the last input back     log   what has happened
  map    how things stand            help   this                         quit  leave (the journal is kept)"""


SHOWN = 8
"""Other values of an order that are listed."""


class LeaveError(Exception):
    """The players have left."""


class Play:
    """One sitting. ``say`` prints a line, ``hear`` asks for one."""

    def __init__(
        self, session: Session, say: Callable[[str], None], hear: Callable[[str], str], seed: int | None = None
    ) -> None:
        self.session = session
        self.say = say
        self.hear = hear
        self.rolled = RandomFaces(secrets.randbits(64) if seed is None else seed)

    def run(self) -> None:
        """Play until the end, or until the players leave."""
        self.say(f"{self.session.scenario.title}")
        self.say(HELP)
        self.show()
        try:
            while (waits := self.session.table.waits_for) is not None:
                if isinstance(waits, Ask):
                    self.ask(waits)
                else:
                    self.throw(waits)
            self.say("All moments are played.")
            self.show()
        except LeaveError:
            self.say("Left.")

    # --- prompts ---------------------------------------------------------------------------------
    def ask(self, waits: Ask) -> None:
        """Put a question to its side until an order is taken."""
        table = self.session.table
        standard = table.rulebook.answer(waits, {}, table.read)
        legal: list[Order] = []
        others: dict[str, list[Order]] = {}
        for order in sorted(
            (o for o, refusal in offered(self.session) if refusal is None), key=lambda o: o != standard
        ):
            (others.setdefault(order.verb, []) if order.verb in {o.verb for o in legal} else legal).append(order)
        offers = table.rulebook.question(waits).offers(table.rulebook.view(waits, table.read), *waits.args)
        forms = {form.verb: form for form in offers}
        self.say(f"\n{waits.who}: {waits.question.partition('.')[2].replace('_', ' ')}")
        for number, order in enumerate(legal, start=1):
            form = forms[order.verb]
            mark = "*" if order == standard else " "
            self.say(f" {mark}{number:2d}. {self.spoken(order)}  ({form.gist}) [{form.cite}]")
            if order.verb in others:
                some = ", ".join(self.spoken(o).partition(" ")[2] for o in others[order.verb][:SHOWN])
                self.say(f"      or with {some}{' ...' if len(others[order.verb]) > SHOWN else ''}")
        while self.session.table.waits_for is waits:
            line = self.line("order: ")
            if line is None:
                continue
            understood = self.understood(line, legal) if line else standard
            if understood is None:
                self.say("  give a number of the list, or a verb with slot=value; 'help' says more")
                continue
            answer = self.session.order(understood)
            if isinstance(answer, Refusal):
                self.say(f"  refused: {answer}")
            else:
                self.tell(answer)

    def throw(self, waits: ChanceEvent) -> None:
        """Ask for the dice of a throw, one by one, each named by its meaning."""
        if not self.session.faces:
            self.say(f"\nroll {waits.name}: {', '.join(self.die_named(faces.label) for faces in waits.faces)}")
            for prospect in forecast(self.session.table):
                self.say(f"  {prospect.when}: {prospect.what} ({percent(prospect.chance)})")
        die = waits.faces[len(self.session.faces)]
        line = self.line(f"{self.die_named(die.label)}: ")
        while line is None and self.session.table.waits_for is waits:
            line = self.line(f"{self.die_named(die.label)}: ")
        if line is None:
            return
        try:
            if line == "":
                face = self.rolled.face(die)
                self.say(f"  rolled {face}")
                self.tell(self.session.face(face, typed=False))
            else:
                self.tell(self.session.face(int(line) if line.lstrip("-").isdigit() else line, typed=True))
        except ChanceError as error:
            self.say(f"  {error}")

    def line(self, prompt: str) -> str | None:
        """A line of input; commands that serve at every prompt are carried out and answered with None."""
        text = self.hear(prompt).strip()
        command, _, rest = text.partition(" ")
        commands: dict[str, Callable[[], None]] = {
            "help": lambda: self.say(HELP),
            "map": self.show,
            "log": self.log,
            "odds": self.odds,
            "undo": self.undo,
            "why": lambda: self.why(rest),
            "save": lambda: self.say("  every input is on the disk already"),
        }
        if command == "quit":
            raise LeaveError
        if command not in commands:
            return text
        commands[command]()
        return None

    # --- commands --------------------------------------------------------------------------------
    def why(self, text: str) -> None:
        """Say which rule forbids an order."""
        waits = self.session.table.waits_for
        if not isinstance(waits, Ask):
            self.say("  no order is asked for now: the dice are")
            return
        order = self.understood(text, [])
        if order is None:
            self.say("  why what? give the order: a verb with slot=value")
            return
        refusal = self.session.table.rulebook.refuse(waits, order, self.session.table.read)
        self.say("  it may be given" if refusal is None else f"  {refusal}")

    def odds(self) -> None:
        """Print exact chances from the present state, both sides following the standard doctrine."""
        table = self.session.table
        left = self.session.moments - table.state.moment
        try:
            analysis = Analysis(self.session.scenario, left, state=table.state)
            first = analysis.solve(FirstFall()).shares
            fall = 1 - first.get(None, Fraction(0))
            target = sum((share for state, share in first.items() if state is not None and state[2]), Fraction(0))
            lost = analysis.solve(exhausted()).shares.get(True, Fraction(0))
        except TooLargeError as error:
            self.say(f"  too large to solve exactly ({error})")
            return
        self.say(f"  in the {left} moments left, by the standard doctrine: fire for effect falls {percent(fall)},")
        self.say(f"  the next one on the target {percent(target)}; the asset is spent or lost {percent(lost)}")

    def undo(self) -> None:
        """Take the last input back."""
        try:
            self.say(f"  {self.session.undo()}")
        except JournalError as error:
            self.say(f"  {error}")

    def log(self) -> None:
        """Print everything that has happened."""
        for entry in self.session.table.log:
            self.say(f"  {self.entry(entry)}")
        for back in self.session.take_backs:
            self.say(f"  taken back: {back}")

    def show(self) -> None:
        """Print how things stand."""
        table, scenario = self.session.table, self.session.scenario
        now = min(table.state.moment + 1, self.session.moments)
        self.say(f"\n{scenario.clock.moment} {now} of {self.session.moments}")
        for mission in scenario.mission_ids:
            read = {
                name: table.read(f"missions/{mission}/{name}", None) for name in ("stage", "aim", "impact", "target")
            }
            places = [
                f"{name} {scenario.frame.label(read[name])}"
                for name in ("target", "aim", "impact")
                if read[name] is not None
            ]
            self.say(
                f"  mission {mission} ({scenario.missions[mission].side}): {read['stage'].value}; {', '.join(places)}"
            )

    # --- words -----------------------------------------------------------------------------------
    def tell(self, entries: tuple[Entry, ...] | Refusal) -> None:
        """Print what followed from an input."""
        for entry in entries if isinstance(entries, tuple) else ():
            self.say(f"  > {self.entry(entry)}")

    def entry(self, entry: Entry) -> str:
        """A line of the log: moment, what, with which values, by which rule."""
        event = entry.event
        if event.kind == "modifier":
            roll = event["roll"].partition(".")[2]
            return f"{entry.moment + 1}: {event['value']:+d} to the {roll} roll, {event['gist']} [{event.cite}]"
        values = ", ".join(f"{name} {self.value(value)}" for name, value in event.fields)
        return f"{entry.moment + 1}: {event.kind.replace('_', ' ')}{': ' + values if values else ''} [{event.cite}]"

    def value(self, value: object) -> str:
        """A small value as a player says it; places by their labels."""
        if isinstance(value, tuple):
            try:
                return self.session.scenario.frame.label(value)
            except (ValueError, TypeError):
                return str(value)
        name = getattr(value, "value", None)
        return name if isinstance(name, str) else str(getattr(value, "name", value)).lower()

    def spoken(self, order: Order) -> str:
        """An order as a player would type it."""
        return " ".join([order.verb, *(f"{name}={self.value(value)}" for name, value in order.values)])

    def understood(self, text: str, legal: list[Order]) -> Order | None:
        """The order meant by a number of the list or by its words; None when it is neither."""
        if text.isdigit():
            return legal[int(text) - 1] if 0 < int(text) <= len(legal) else None
        verb, *slots = text.split()[:1] + text.split()[1:] if text.split() else [""]
        if not verb or any("=" not in slot for slot in slots):
            return None
        for order, _ in offered(self.session):
            if self.spoken(order) == text:
                return order
        values: dict[str, object] = {}
        for slot in slots:
            name, _, value = slot.partition("=")
            values[name] = self.read_value(value)
        return Order.of(verb, **values)

    def read_value(self, text: str) -> object:
        """A typed value: a whole number, a place of the map, or a word."""
        if text.lstrip("-").isdigit():
            return int(text)
        try:
            return self.session.scenario.frame.parse(text)
        except ValueError:
            return text

    @staticmethod
    def die_named(label: str) -> str:
        """A die by its meaning."""
        return label.replace("_", " ")


def hear_line(prompt: str) -> str:
    """A line from standard input, echoed when it comes over a pipe; leaving at its end."""
    sys.stdout.write(prompt)
    sys.stdout.flush()
    line = sys.stdin.readline()
    if not line:
        raise LeaveError
    if not sys.stdin.isatty():
        sys.stdout.write(line if line.endswith("\n") else line + "\n")
    return line


def say_line(text: str) -> None:
    """A line to standard output."""
    sys.stdout.write(text + "\n")


def journal_path(given: Path | None, title: str) -> Path:
    """Where the journal goes: as asked, else a name made of the title that is not taken yet."""
    if given is not None:
        return given
    stem = "".join(c if c.isalnum() else "_" for c in title.lower()).strip("_")[:40] or "table"
    number = 1
    while (path := Path(f"{stem}_{number}.fireplan")).exists():
        number += 1
    return path
