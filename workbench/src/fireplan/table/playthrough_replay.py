"""Replay of playthroughs: written from a game, completed, and checked against the rules."""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest

import attrs

from fireplan.errors import InputError, JournalError
from fireplan.table.head import Head
from fireplan.table.history import GivenInput
from fireplan.table.order_reader import OrderReader
from fireplan.table.playthrough import FIRST_LINE, Playthrough, PlaythroughLine
from fireplan.table.session import Session
from fireplan.table.words import Words, throw_words
from fireplan_core import Ask, Form, Order, Refusal
from fireplan_core.chance import ChanceError, Face
from fireplan_core.play.table import Answered, LogEntry

_INDENT = "  "
_RULE = re.compile(r"\(([^()]*)\)$")


@attrs.frozen
class Difference:
    """The first line of a playthrough that contradicts the current rules, and the rule it cites."""

    line: int
    expected: str
    got: str
    rule: str

    def __str__(self) -> str:
        cited = f" ({self.rule})" if self.rule else ""
        return f"line {self.line}{cited}: the playthrough says {self.expected!r}, the rules say {self.got!r}"


class PlaythroughPlay:
    """A playthrough being replayed: each input goes to a session, which returns its rulings."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.words = Words(session.scenario)
        self._last_heading = -1  # the last moment whose heading has been written

    def opening(self) -> list[str]:
        """Return the lines before the first input."""
        return [*self._rulings(self.session.history.prologue), *self._heading()]

    def give(self, text: str) -> tuple[str, list[str]]:
        """Submit an input; return its line in playthrough form, and its rulings.

        Raise ``InputError`` if the input does not fit.
        """
        try:
            if text == "take back":
                self.session.undo()
                moment = self.session.table.state.moment
                self._last_heading = self._last_heading if self._last_heading <= moment else -1
                return text, self._heading(moment)
            if text.startswith("roll "):
                return self._roll(text)
            return self._order(text)
        except (JournalError, ChanceError) as error:
            raise InputError(str(error)) from error

    def rule_of(self, text: str) -> str:
        """Return the rule that allows the order in an input, which may begin with ``why``.

        Raise ``InputError`` if the input does not fit.
        """
        _, order, forms = self._read(text.removeprefix("why "))
        return next(form.cite for form in forms if form.verb == order.verb)

    def _read(self, text: str) -> tuple[Ask, Order, Sequence[Form]]:
        """Return the pending question, the order in a text, and the forms of the question's orders.

        Raise ``InputError`` if no question is pending, or if the order cannot be read.
        """
        session = self.session
        waits = session.table.waits_for
        if waits is None:
            raise InputError("the game is over: no more input is accepted")
        if not isinstance(waits, Ask):
            raise InputError(f"expected the roll {waits.name!r}, not an order")
        who, colon, order_text = text.partition(": ")
        if colon and who != waits.who:
            raise InputError(f"{waits.who} must answer here ({waits.question}), not {who}")
        rulebook, read = session.table.rulebook, session.table.read
        forms = rulebook.forms(waits, read)
        order_text = order_text if colon else text
        if order_text == "standard":
            order = rulebook.answer(waits, {}, read)
        else:
            order = OrderReader(session.scenario).read(order_text, forms)
        return waits, order, forms

    def _order(self, text: str) -> tuple[str, list[str]]:
        session = self.session
        rulebook, read = session.table.rulebook, session.table.read
        asking, text = text.startswith("why "), text.removeprefix("why ")
        waits, order, forms = self._read(text)
        line = f"{waits.who}: {self.words.typed.order(order, forms)}"
        if asking:
            refusal = rulebook.refuse(waits, order, read)
            answer = (
                "that order is legal"
                if refusal is None
                else f"refused: {refusal.why} ({refusal.cite})"
            )
            return f"why {line}", [answer]
        entries = session.order(order)
        if isinstance(entries, Refusal):
            order_text = text.partition(": ")[2] or text
            raise InputError(f"{order_text!r} is refused: {entries.why} ({entries.cite})")
        return line, [*self._rulings(entries), *self._heading()]

    def _roll(self, text: str) -> tuple[str, list[str]]:
        session = self.session
        waits = session.table.waits_for
        name, colon, rest = text.removeprefix("roll ").partition(":")
        due = session.throw_due
        if due is None or due.name != name.strip() or not colon:
            if waits is None:
                expected = "nothing more, the game is over"
            elif isinstance(waits, Ask):
                expected = f"an answer to {waits.question}"
            else:
                expected = f"roll {waits.name}"
            raise InputError(f"{text!r} does not fit here: expected {expected}")
        parts = [part.strip() for part in rest.split(",")]
        dice = [
            (part.removesuffix("(rolled)").strip(), not part.endswith("(rolled)")) for part in parts
        ]
        faces_left = due.faces[len(session.faces) :]
        if len(dice) > len(faces_left):
            raise InputError(f"too many dice: {len(dice)} given, {len(faces_left)} left to throw")
        before = len(session.faces)
        pairs = zip(dice, faces_left, strict=False)
        entries = session.throw(
            [(_face(face, die.label, dict(die.weights)), typed) for (face, typed), die in pairs]
        )
        faces = due.faces[before : before + len(dice)]
        fallen = session.faces or session.history.story[-1].given.faces  # type: ignore[union-attr]
        flags = session.typed or session.history.story[-1].typed
        line = throw_words(
            due.name,
            [(f.label, fallen[before + n], flags[before + n]) for n, f in enumerate(faces)],
        )
        return line, [*self._rulings(entries), *self._heading()]

    def _rulings(self, entries: Iterable[LogEntry]) -> list[str]:
        lines: list[str] = []
        for entry in entries:
            lines += self._heading(entry.moment)
            lines.append(self.words.ruling(entry.event))
        return lines

    def _heading(self, moment: int | None = None) -> list[str]:
        """Return the heading of a moment, by default the current one, as a list of one line.

        The list is empty if the heading was already written. Once the game is over, the current
        heading is "== end ==".
        """
        if moment is None and self.session.table.over:
            return ["== end =="]
        number = self.session.table.state.moment if moment is None else moment
        if number <= self._last_heading:
            return []
        self._last_heading = number
        return [f"== {self.session.scenario.clock.name(number)} =="]


def _face(text: str, label: str, known: Mapping[Face, int]) -> Face:
    """Return the face named in a text, with or without the name of its die.

    A text that names none of the ``known`` faces is returned without the name of the die.
    """
    text = text.removeprefix(label).strip() if text.startswith(f"{label} ") else text
    return next((face for face in known if str(face) == text), text)


# --- checking and writing -----------------------------------------------------------------------
def replay_playthrough(playthrough: Playthrough, session: Session) -> tuple[Difference, ...]:
    """Replay a playthrough in a fresh session and return its first difference.

    The result is empty if the rules confirm every line.
    """
    play = PlaythroughPlay(session)
    number = playthrough.lines[0].number if playthrough.lines else 1
    expected, rulings = list[PlaythroughLine](), play.opening()
    for line in playthrough.lines:
        if line.kind == "ruling":
            expected.append(line)
        elif line.kind == "input":
            if difference := _first_difference(number, expected, rulings):
                return (difference,)
            number, expected = line.number, []
            try:
                _, rulings = play.give(line.text)
            except InputError as error:
                return (Difference(number, line.text, str(error), _rule(str(error))),)
    difference = _first_difference(number, expected, rulings)
    return (difference,) if difference else ()


def _first_difference(
    number: int, expected: Iterable[PlaythroughLine], rulings: Iterable[str]
) -> Difference | None:
    """Return the first difference between the written rulings of an input and the actual ones.

    ``number`` is the line of the input.
    """
    for line, ruling in zip_longest(expected, rulings):
        text = line.text if line else None
        number = line.number if line else number
        if text != ruling:
            more = "nothing more"
            return Difference(
                number, text or more, ruling or more, _rule(ruling or "") or _rule(text or "")
            )
    return None


def complete_playthrough(playthrough: Playthrough, session: Session, head: Head) -> str:
    """Return the playthrough with its head and rulings rewritten under the current rules.

    Comments stay in place. Raise ``InputError`` at the first input that does not fit.
    """
    play = PlaythroughPlay(session)
    rows = [*_head_rows(head, session)]
    rows += _indented(play.opening())
    following = [*playthrough.lines[1:], None]
    # Not strict, because a playthrough without lines still has the final None.
    for line, following_line in zip(playthrough.lines, following, strict=False):
        if line.kind == "input":
            try:
                text, rulings = play.give(line.text)
            except InputError as error:
                raise InputError(f"line {line.number}: {error}") from error
            rows += [f"> {text}", *_indented(rulings)]
        elif line.kind == "comment" and (
            line.text or (following_line is not None and following_line.kind != "ruling")
        ):
            # An empty line before a heading is written with the heading.
            rows.append(line.text)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(rows).rstrip() + "\n")


def write_playthrough(session: Session, head: Head) -> str:
    """Return the text of a playthrough of a session: every input and every ruling."""
    replay = Session(session.scenario, session.moments)
    play = PlaythroughPlay(replay)
    rows = [*_head_rows(head, session), *_indented(play.opening())]
    for move in session.history.story:
        text, rulings = play.give(input_line(session, move))
        rows += [f"> {text}", *_indented(rulings)]
    if session.faces and (due := session.throw_due) is not None:
        labels = (die.label for die in due.faces)
        dice = zip(labels, session.faces, session.typed, strict=False)
        rows.append(f"> {throw_words(due.name, dice)}")
    return "\n".join(rows) + "\n"


def input_line(session: Session, move: GivenInput) -> str:
    """Return an input of a session as a line of a playthrough."""
    if move.taken_back:
        return "take back"
    answer = move.given
    if isinstance(answer, Answered):
        return f"{move.who}: {Words(session.scenario).typed.order(answer.order)}"
    dice = zip(move.labels, answer.faces, move.typed, strict=True)
    return throw_words(answer.name, dice)


def _head_rows(head: Head, session: Session) -> list[str]:
    rows = [
        FIRST_LINE,
        f"title: {session.scenario.title}",
        f"game: {head.game}",
        f"{head.kind}: {head.name}",
    ]
    words = Words(session.scenario)
    rows += [f"option {name}: {words.typed.value(value)}" for name, value in head.options.items()]
    if head.moments is not None:
        rows.append(f"moments: {head.moments}")
    if head.edition:
        rows.append(f"edition: {head.edition}")
    if not head.shipped:
        for name, text in (
            ("text", head.text),
            *((f"chart {name}", text) for name, text in head.charts.items()),
        ):
            rows += [f"{name}:", *(f"| {row}".rstrip() for row in text.splitlines())]
    return rows


def _indented(lines: Iterable[str]) -> list[str]:
    """Return the lines indented; a heading is not indented and follows an empty line."""
    rows: list[str] = []
    for line in lines:
        rows += ["", line] if line.startswith("== ") else [f"{_INDENT}{line}"]
    return rows


def _rule(text: str) -> str:
    match = _RULE.search(text)
    return match[1] if match else ""
