"""Accounts: a game in play as a text that reads like a report and can be replayed from the file alone.

A head, then a line for each input (``> german: call``, ``> roll contact: coloured 4, white 3``), and beneath it,
indented, each ruling that followed, with its rule. Lines that begin with ``#`` are comments. Checking an account
plays its inputs by the rules as they are now and compares every ruling.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

import attrs

from fireplan.chance import ChanceError, Face
from fireplan.mission import Ask, Refusal
from fireplan.table._catalogue import Catalogue
from fireplan.table._head import ENGAGEMENT, SCENARIO, Head, HeadError, make_head, signed
from fireplan.table._journal import JournalError
from fireplan.table._session import Session, Told
from fireplan.table._table import Answered, Entry
from fireplan.table._words import Words, WordsError, throw_words

FIRST_LINE = "fireplan account 1"
SUFFIX = ".playthrough.txt"
_INDENT = "  "
_RULE = re.compile(r"\(([^()]*)\)$")
_HEAD_KEYS = ("title", "game", SCENARIO, ENGAGEMENT, "moments", "edition", "plugin")
_PLAIN = {"yes": True, "no": False}


def shipped_accounts(catalogue: Catalogue) -> dict[str, Traversable]:
    """The accounts that come with the games (``data/playthroughs`` of their packages), by ``game/name``."""
    found: dict[str, Traversable] = {}
    for key, installed in sorted(catalogue.games.items()):
        folder = files(getattr(installed.plugin, "__name__", __package__)) / "data" / "playthroughs"
        for file in sorted(folder.iterdir(), key=lambda file: file.name) if folder.is_dir() else ():
            if file.name.endswith(SUFFIX):
                found[f"{key}/{file.name.removesuffix(SUFFIX)}"] = file
    return found


class AccountError(ValueError):
    """A text that is no account, or whose inputs cannot be played; ``line`` is where (0: the file as a whole)."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(f"line {line}: {message}" if line else message)
        self.line = line


@attrs.frozen
class Line:
    """A line of an account's body: its number in the file, ``input``, ``ruling`` or ``comment``, and its words."""

    number: int
    kind: str
    text: str


@attrs.frozen
class Account:
    """An account as it was read: what was played, and the lines of its body.

    ``reference`` is the shipped scenario or engagement it names; ``text`` stands in place of one that is not shipped.
    """

    kind: str
    reference: str
    game: str
    options: Mapping[str, Any]
    moments: int | None
    text: str | None
    charts: Mapping[str, str]
    lines: tuple[Line, ...]

    @property
    def inputs(self) -> tuple[Line, ...]:
        """The inputs alone."""
        return tuple(line for line in self.lines if line.kind == "input")

    def head(self, catalogue: Catalogue, engagements: Mapping[str, Traversable]) -> Head:
        """What a table is opened with; raises ``HeadError``."""
        if self.text is None:
            game = self.game if self.kind == ENGAGEMENT else None
            head = make_head(catalogue, self.reference, game, engagements, self.options)
        else:
            head = signed(
                catalogue,
                Head(
                    kind=self.kind,
                    name=self.reference,
                    text=self.text,
                    game=self.game,
                    options=self.options,
                    charts=self.charts,
                ),
            )
        if self.game and head.game != self.game:
            raise HeadError(f"{self.reference} is a scenario of {head.game}, not of {self.game}")
        return attrs.evolve(head, moments=self.moments)


@attrs.frozen
class Difference:
    """The first line of an account that the rules as they are now do not bear out, and the rule it cites."""

    line: int
    expected: str
    got: str
    rule: str

    def __str__(self) -> str:
        """In words."""
        cited = f" ({self.rule})" if self.rule else ""
        return f"line {self.line}{cited}: the account says {self.expected!r}, the rules say {self.got!r}"


# --- reading -----------------------------------------------------------------------------------------
def read_account(text: str) -> Account:
    """The account in a text.

    Raises ``AccountError`` at the first line that cannot stand in one.
    """
    rows = text.splitlines()
    if not rows or rows[0].strip() != FIRST_LINE:
        raise AccountError(1, f"expected {FIRST_LINE!r}: this is no account, or one of another version")
    head: dict[str, str] = {}
    options: dict[str, Any] = {}
    blocks: dict[str, list[str]] = {}
    block: list[str] | None = None
    start = len(rows)
    for number, row in enumerate(rows[1:], start=2):
        if row.startswith("|"):
            if block is None:
                raise AccountError(number, "text of a file must follow 'text:' or 'chart NAME:'")
            block.append(row[2:] if row.startswith("| ") else row[1:])
            continue
        block = None
        if row.startswith("#"):
            continue
        if not row.strip():
            start = number
            break
        key, colon, value = row.partition(":")
        key, value = key.strip(), value.strip()
        kind, _, name = key.partition(" ")
        if not colon:
            raise AccountError(number, f"expected 'key: value' in the head, got {row.strip()!r}")
        if key == "text" or (kind == "chart" and name):
            block = blocks.setdefault("" if key == "text" else name.strip(), [])
        elif kind == "option" and name:
            options[name.strip()] = option_value(value)
        elif key in _HEAD_KEYS:
            head[key] = value
        else:
            raise AccountError(number, f"{key!r} is no key of the head; there are {', '.join(_HEAD_KEYS)}, option NAME")
    return _made(head, options, blocks, tuple(_body(rows, start)))


def _made(
    head: Mapping[str, str], options: Mapping[str, Any], blocks: Mapping[str, list[str]], lines: tuple[Line, ...]
) -> Account:
    kinds = [kind for kind in (SCENARIO, ENGAGEMENT) if kind in head]
    if len(kinds) != 1:
        raise AccountError(0, "the head must name one of scenario and engagement")
    if kinds == [ENGAGEMENT] and not head.get("game"):
        raise AccountError(0, "an engagement needs 'game: KEY' in the head")
    moments = head.get("moments", "")
    if moments and (not moments.isdigit() or int(moments) < 1):
        raise AccountError(0, f"moments: expected a whole number from 1, got {moments!r}")
    texts = {name: "\n".join(rows) + "\n" for name, rows in blocks.items()}
    return Account(
        kind=kinds[0],
        reference=head[kinds[0]],
        game=head.get("game", ""),
        options=options,
        moments=int(moments) if moments else None,
        text=texts.pop("", None),
        charts=texts,
        lines=lines,
    )


def _body(rows: list[str], start: int) -> Iterator[Line]:
    for number, row in enumerate(rows[start:], start=start + 1):
        text = row.strip()
        if text.startswith(">"):
            yield Line(number, "input", text[1:].strip())
        elif not text or text.startswith("#"):
            yield Line(number, "comment", row.rstrip())
        else:
            yield Line(number, "ruling", text)


def option_value(text: str) -> Any:
    """The value of an option that is written so: a whole number, yes or no, or a word."""
    return int(text) if re.fullmatch(r"-?\d+", text) else _PLAIN.get(text, text)


# --- playing -----------------------------------------------------------------------------------------
class _Performance:
    """An account being played: each input given to a session, answered with its own line and its rulings."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.words = Words(session.scenario)
        self._said = -1  # the moment whose heading has been written

    def opening(self) -> list[str]:
        """What happens before the first input."""
        return [*self._rulings(self.session.prologue), *self._heading()]

    def give(self, text: str) -> tuple[str, list[str]]:
        """Give an input; returns it as it is written, and its rulings. Raises ``AccountError`` (with line 0)."""
        try:
            if text == "take back":
                self.session.undo()
                moment = self.session.table.state.moment
                self._said = self._said if self._said <= moment else -1
                return text, self._heading(moment)
            if text.startswith("roll "):
                return self._roll(text)
            return self._order(text)
        except (WordsError, JournalError, ChanceError) as error:
            raise AccountError(0, str(error)) from error

    def _order(self, text: str) -> tuple[str, list[str]]:
        session = self.session
        waits = session.table.waits_for
        if waits is None:
            raise AccountError(0, "all moments are played: nothing more can be given")
        if not isinstance(waits, Ask):
            raise AccountError(0, f"no order is asked for here but the roll of {waits.name!r}")
        asking, text = text.startswith("why "), text.removeprefix("why ")
        who, colon, order_text = text.partition(": ")
        if colon and who != waits.who:
            raise AccountError(0, f"{waits.who} is asked here ({waits.question}), not {who}")
        rulebook, read = session.table.rulebook, session.table.read
        forms = rulebook.question(waits).offers(rulebook.view(waits, read), *waits.args)
        order_text = order_text if colon else text
        if order_text == "standard":
            order = rulebook.answer(waits, {}, read)
        else:
            order = self.words.read_order(order_text, forms)
        line = f"{waits.who}: {self.words.order(order, forms)}"
        if asking:
            refusal = rulebook.refuse(waits, order, read)
            answer = "it may be given" if refusal is None else f"refused: {refusal.why} ({refusal.cite})"
            return f"why {line}", [answer]
        entries = session.order(order)
        if isinstance(entries, Refusal):
            raise AccountError(0, f"{order_text!r} is refused: {entries.why} ({entries.cite})")
        return line, [*self._rulings(entries), *self._heading()]

    def _roll(self, text: str) -> tuple[str, list[str]]:
        session = self.session
        waits = session.table.waits_for
        name, colon, rest = text.removeprefix("roll ").partition(":")
        if waits is None or isinstance(waits, Ask) or waits.name != name.strip() or not colon:
            what = "nothing" if waits is None else waits.question if isinstance(waits, Ask) else f"roll {waits.name}"
            raise AccountError(0, f"{text!r} does not fit: {what} is asked for here")
        dice = [_die(part) for part in rest.split(",")]
        left = waits.faces[len(session.faces) :]
        if len(dice) > len(left):
            raise AccountError(0, f"{len(left)} dice are asked for, {len(dice)} were given")
        before = len(session.faces)
        entries: tuple[Entry, ...] = ()
        for (face, typed), die in zip(dice, left, strict=False):
            entries = session.face(_face(face, die.label, dict(die.weights)), typed=typed)
        faces = waits.faces[before : before + len(dice)]
        fallen = session.faces or session.story[-1].given.faces  # type: ignore[union-attr]
        flags = session.typed or session.story[-1].typed
        line = throw_words(
            waits.name,
            [(f.label, fallen[before + n], flags[before + n]) for n, f in enumerate(faces)],
        )
        return line, [*self._rulings(entries), *self._heading()]

    def _rulings(self, entries: Iterable[Entry]) -> list[str]:
        lines: list[str] = []
        for entry in entries:
            lines += self._heading(entry.moment)
            lines.append(self.words.ruling(entry.event))
        return lines

    def _heading(self, moment: int | None = None) -> list[str]:
        """The heading of a moment that has none yet; that of the end when play is over."""
        if moment is None and self.session.table.over:
            return ["== end =="]
        number = self.session.table.state.moment if moment is None else moment
        if number <= self._said:
            return []
        self._said = number
        return [f"== {self.session.scenario.clock.name(number)} =="]


def _die(text: str) -> tuple[str, bool]:
    text = text.strip()
    return (text.removesuffix("(rolled)").strip(), False) if text.endswith("(rolled)") else (text, True)


def _face(text: str, label: str, known: Mapping[Face, int]) -> Face:
    """The face that was written, with or without the name of its die."""
    text = text.removeprefix(label).strip() if text.startswith(f"{label} ") else text
    return next((face for face in known if str(face) == text), text)


# --- checking and writing ----------------------------------------------------------------------------
def replay_account(account: Account, session: Session) -> tuple[Difference, ...]:
    """Play an account at a fresh session; returns the first difference, or nothing when every line is borne out."""
    try:
        for where, expected, got in _pairs(account, _Performance(session)):
            for number, line in enumerate(expected):
                if number >= len(got):
                    return (Difference(line.number, line.text, "nothing more", _rule(line.text)),)
                if line.text != got[number]:
                    return (Difference(line.number, line.text, got[number], _rule(got[number]) or _rule(line.text)),)
            if len(got) > len(expected):
                extra = got[len(expected)]
                last = expected[-1].number if expected else where
                return (Difference(last, "nothing more", extra, _rule(extra)),)
    except AccountError as error:
        text = next((line.text for line in account.lines if line.number == error.line), "")
        reason = str(error).removeprefix(f"line {error.line}: ")
        return (Difference(error.line, text, reason, _rule(reason)),)
    return ()


def _pairs(account: Account, play: _Performance) -> Iterator[tuple[int, list[Line], list[str]]]:
    """For the opening and each input: its line, the rulings the account gives, and those of the rules."""
    where, expected, got = (account.lines[0].number if account.lines else 1), list[Line](), play.opening()
    for line in account.lines:
        if line.kind == "ruling":
            expected.append(line)
        elif line.kind == "input":
            yield where, expected, got
            where, expected = line.number, []
            got = _given(play, line)[1]
    yield where, expected, got


def _given(play: _Performance, line: Line) -> tuple[str, list[str]]:
    try:
        return play.give(line.text)
    except AccountError as error:
        raise AccountError(line.number, str(error)) from error


def complete_account(account: Account, session: Session, head: Head) -> str:
    """The same account with its head and rulings as the rules give them now; comments stay where they are.

    Raises ``AccountError`` at the first input that does not fit.
    """
    play = _Performance(session)
    rows = [*_head_rows(head, session)]
    rows += _indented(play.opening())
    following = [*account.lines[1:], None]
    for line, then in zip(account.lines, following, strict=True):
        if line.kind == "input":
            text, rulings = _given(play, line)
            rows += [f"> {text}", *_indented(rulings)]
        elif line.kind == "comment" and (line.text or (then is not None and then.kind != "ruling")):
            # An empty line before a heading comes with the heading.
            rows.append(line.text)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(rows).rstrip() + "\n")


def write_account(session: Session, head: Head) -> str:
    """The account of a session: everything that was given, and every ruling."""
    twin = Session(session.scenario, session.moments)
    play = _Performance(twin)
    rows = [*_head_rows(head, session), *_indented(play.opening())]
    for told in session.story:
        text, rulings = play.give(input_line(session, told))
        rows += [f"> {text}", *_indented(rulings)]
    if session.faces:
        waits = session.table.waits_for
        labels = [die.label for die in waits.faces] if waits is not None and not isinstance(waits, Ask) else []
        dice = list(zip(labels, session.faces, session.typed, strict=False))
        rows.append(f"> {throw_words(getattr(waits, 'name', ''), dice)}")
    return "\n".join(rows) + "\n"


def input_line(session: Session, told: Told) -> str:
    """An input of a session as an account writes it."""
    if told.taken_back:
        return "take back"
    given = told.given
    if isinstance(given, Answered):
        return f"{told.who}: {Words(session.scenario).order(given.order)}"
    dice = zip(told.labels, given.faces, told.typed, strict=True)
    return throw_words(given.name, dice)


def _head_rows(head: Head, session: Session) -> list[str]:
    rows = [FIRST_LINE, f"title: {session.scenario.title}", f"game: {head.game}", f"{head.kind}: {head.name}"]
    rows += [f"option {name}: {_option(value)}" for name, value in head.options.items()]
    if head.moments is not None:
        rows.append(f"moments: {head.moments}")
    if head.edition:
        rows.append(f"edition: {head.edition}")
    if not head.shipped:
        for name, text in (("text", head.text), *((f"chart {name}", text) for name, text in head.charts.items())):
            rows += [f"{name}:", *(f"| {row}".rstrip() for row in text.splitlines())]
    return rows


def _option(value: Any) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def _indented(lines: Iterable[str]) -> list[str]:
    """Rulings indented; the heading of a moment stands at the margin, after an empty line."""
    rows: list[str] = []
    for line in lines:
        rows += ["", line] if line.startswith("== ") else [f"{_INDENT}{line}"]
    return rows


def _rule(text: str) -> str:
    found = _RULE.search(text)
    return found[1] if found else ""
