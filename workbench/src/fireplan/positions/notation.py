"""The notation of positions: parsing a line, and writing its parts.

``docs/reference/positions.md`` defines the grammar. This module knows only the grammar;
``position`` gives meaning to the names and values of a line.
"""

import re
from collections.abc import Iterable
from typing import Literal

import attrs

from fireplan.positions.atoms import (
    INTEGER,
    RESERVED,
    Node,
    Plain,
    at,
    atom_text,
    in_double_quotes,
    unquoted,
)
from fireplan.positions.sources import Source, UnitPairs, position_error
from fireplan_core.files import FileError, printable

VERSION = "fp1"
LONGEST, DEEPEST = 64_000, 12
"""Maximum length of a line in characters, and maximum nesting depth of values."""

_TOKEN = re.compile(r'\s*(?:("(?:[^"\\]|\\.)*")|([{}\[\]()=@>?:|])|([^\s{}\[\]()="@>?:|]+)|$)')
_SHOWN = 20


@attrs.frozen
class Assignment:
    """A field set in a line.

    ``group`` is the id of an asset or unit, ``table`` or ``ground``; ``place`` may be empty.
    """

    group: str
    place: str
    name: str
    value: Node


@attrs.frozen
class Waiting:
    """A pending step of the agenda, or a pending question to the side ``who``."""

    name: str
    args: tuple[Node, ...]
    place: str | None = None
    who: str = ""


@attrs.frozen
class Line:
    """A parsed line: the source of the table, time, assignments, agenda, and dice thrown so far."""

    source: Source
    time: str | int | None = None
    assignments: tuple[Assignment, ...] = ()
    agenda: tuple[Waiting, ...] | None = None
    ends: bool = False
    """True if the agenda continues with the step that ends the moment for each asset."""
    faces: tuple[Node, ...] = ()
    side: str = ""
    """The side whose knowledge the line describes, empty for the whole state."""


@attrs.frozen
class _Token:
    kind: Literal["text", "mark", "word", "end"]
    text: str
    start: int
    glued: bool


def take_apart(line: str) -> Line:
    """Return a line as parsed fields; raise ``FileError`` if it violates the grammar.

    >>> take_apart('fp1 asl/village "turn 3 PFPh" a{red=2}').time
    'turn 3 PFPh'
    """
    if len(line) > LONGEST:
        raise position_error(
            [("", f"the line is longer than {LONGEST:,} characters", "give a single position")]
        )
    return _Reader(line).line()


class _Reader:
    def __init__(self, line: str) -> None:
        self._line = line
        self._tokens: list[_Token] = []
        self._next = 0
        end = 0
        while end < len(line):
            match = _TOKEN.match(line, end)
            if match is None:
                raise self._wrong("the closing quotation mark is missing", end)
            kind = {1: "text", 2: "mark", 3: "word"}.get(match.lastindex or 0, "end")
            start = match.start(match.lastindex or 0)
            self._tokens.append(_Token(kind, match[match.lastindex or 0], start, start == end))  # type: ignore[arg-type]
            end = match.end()
        self._tokens.append(_Token("end", "", len(line), glued=False))

    # --- tokens ----------------------------------------------------------------------------------
    @property
    def _here(self) -> _Token:
        return self._tokens[self._next]

    def _take(self) -> _Token:
        token = self._here
        self._next += token.kind != "end"
        return token

    def _mark(self, mark: str) -> bool:
        """Consume a mark if it comes next, and return whether it did."""
        is_next = self._here.kind == "mark" and self._here.text == mark
        self._next += is_next
        return is_next

    def _need(self, mark: str) -> None:
        if not self._mark(mark):
            raise self._wrong(f"expected {mark!r}")

    def _name(self, expected: str) -> str:
        """Consume and return the next word or quoted text."""
        if self._here.kind not in ("word", "text"):
            raise self._wrong(f"expected {expected}")
        token = self._take()
        return self._text(token) if token.kind == "text" else token.text

    def _text(self, token: _Token) -> str:
        try:
            return unquoted(token.text)
        except ValueError:
            raise self._wrong(
                "this text contains an invalid escape sequence", token.start
            ) from None

    def _wrong(self, problem: str, start: int | None = None) -> FileError:
        begin = self._here.start if start is None else start
        before = printable(self._line[max(0, begin - _SHOWN) : begin])
        printed = "\n" in self._line[:begin].strip()
        hint = (
            "only the first line of a printed position can be read back: position.line"
            if printed
            else "see docs/reference/positions.md"
        )
        after = f", after {before!r}" if before else ""
        return position_error([("", f"{problem} at character {begin + 1}{after}", hint)])

    # --- the grammar -----------------------------------------------------------------------------
    def line(self) -> Line:
        if self._here.text != VERSION:
            raise self._wrong(f"expected {VERSION}, the only version of the notation that is read,")
        self._take()
        source = self._source()
        side = self._name("the name of a side") if self._mark("?") else ""
        time: str | int | None = None
        entries: list[Assignment] = []
        while self._here.kind in ("word", "text") or self._here.text == "@":
            following = self._tokens[self._next + 1]
            if following.text != "{" and self._here.text != "@" and time is None:
                token = self._take()
                if token.kind == "word" and not INTEGER.fullmatch(token.text):
                    raise self._wrong(f"expected '{{' after {printable(token.text)}")
                time = self._text(token) if token.kind == "text" else int(token.text)
            else:
                entries += self._group()
        agenda, ends = None, False
        if self._mark(">"):
            ends = not self._mark(">")
            steps = []
            while self._here.kind in ("word", "text"):
                steps.append(self._waiting())
            agenda = tuple(steps)
            ends = ends and not (side and self._mark("?"))
        faces: list[Node] = []
        if self._mark("|"):
            while self._here.kind in ("word", "text"):
                faces.append(self._value())
        if self._here.kind != "end":
            raise self._wrong("expected the end of the line")
        return Line(source, time, tuple(entries), agenda, ends, tuple(faces), side)

    def _source(self) -> Source:
        expected, begin = "the name of a scenario or an engagement", self._here.start
        name, game = self._name(expected), ""
        if self._here.text == "{":
            raise self._wrong(f"expected {expected}", begin)
        if self._here.text == "@" and self._here.glued:
            self._take()
            game = self._name("the key of a game")
        changes: dict[str, list[tuple[str, Plain]]] = {
            "fact": [],
            "option": [],
            "number": [],
            "part": [],
            "rule": [],
            "file": [],
        }
        units: list[tuple[str, UnitPairs | None]] = []
        if self._here.glued and self._mark("("):
            while not self._mark(")"):
                kind, item = "fact", self._name("a fact or ')'")
                if self._mark(":"):
                    kind, item = item, self._name("a name")
                if kind == "unit":
                    units.append((item, self._unit(item)))
                elif kind in changes:
                    changes[kind].append((item, self._changed(kind)))
                else:
                    raise self._wrong(f"expected one of {', '.join(changes)}, unit before ':'")
        return Source(
            name=name,
            game=game,
            facts=tuple(changes["fact"]),
            options=tuple(changes["option"]),
            numbers=tuple((name, str(value)) for name, value in changes["number"]),
            parts=tuple((name, str(value)) for name, value in changes["part"]),
            rules=tuple(name for name, _ in changes["rule"]),
            files=tuple((name, str(value)) for name, value in changes["file"]),
            units=tuple(units),
        )

    def _changed(self, kind: str) -> Plain:
        """Consume and return the new value of a fact, an option ..., or "" for a house rule."""
        if kind == "rule":
            return ""
        self._need("=")
        token, text = self._here, self._name("a value")
        if token.kind != "word" or kind not in ("fact", "option"):
            return text
        value = int(text) if INTEGER.fullmatch(text) else RESERVED.get(text, text)
        return text if value is None and kind == "option" else value  # every option has a value

    def _unit(self, name: str) -> UnitPairs | None:
        """Consume the changes to a unit's setup; return None if the unit is taken away."""
        if self._mark("="):
            if self._name("none") != "none":
                raise self._wrong("expected 'none', or '{' and the changes to the unit")
            return None
        entries = self._entries(name, "")
        if any(each.place for each in entries):
            raise self._wrong("the set-up of a unit cannot contain fields of places")
        return tuple((each.name, self._unit_value(each.value)) for each in entries)

    def _unit_value(self, node: Node) -> Plain | tuple[Plain, ...]:
        """Return the value of a key in a scenario file, or a tuple of such values for a list."""
        if node.kind == "list":
            return tuple(map(self._unit_item, node.items))
        return self._unit_item(node)

    def _unit_item(self, node: Node) -> Plain:
        if node.kind not in ("word", "text", "place"):
            raise self._wrong("expected text, a whole number, yes, no or a list of these")
        if node.kind == "word":
            return (
                int(node.text)
                if INTEGER.fullmatch(node.text)
                else RESERVED.get(node.text, node.text)
            )
        return node.text

    def _group(self) -> list[Assignment]:
        if self._mark("@"):
            return self._entries("ground", self._name("the label of a place"))
        return self._entries(self._name("the name of an asset or a unit"), "")

    def _entries(self, group: str, place: str) -> list[Assignment]:
        self._need("{")
        entries: list[Assignment] = []
        while not self._mark("}"):
            if self._mark("@"):
                if place:
                    raise self._wrong("a place cannot contain another place")
                entries += self._entries(group, self._name("the label of a place"))
                continue
            token = self._here
            name = self._name("a field or '}'")
            if self._mark("="):
                entries.append(Assignment(group, place, name, self._value()))
            elif name.startswith("-") and token.kind == "word":
                entries.append(Assignment(group, place, name[1:], NO))
            else:
                entries.append(Assignment(group, place, name, YES))
        return entries

    def _value(self, depth: int = 0) -> Node:
        if depth > DEEPEST:
            raise self._wrong(f"values are nested deeper than {DEEPEST}")
        if self._mark("@"):
            return Node("place", self._name("the label of a place"))
        for kind, opens, closes in (("list", "[", "]"), ("set", "{", "}")):
            if self._mark(opens):
                items = []
                while not self._mark(closes):
                    items.append(self._value(depth + 1))
                return Node(kind, items=tuple(items))  # type: ignore[arg-type]
        token = self._here
        if token.kind not in ("word", "text"):
            raise self._wrong("expected a value")
        self._take()
        if token.kind == "text":
            return Node("text", self._text(token))
        if self._here.glued and self._mark("("):
            return self._object(token.text, depth)
        return Node("word", token.text)

    def _object(self, name: str, depth: int) -> Node:
        items: list[Node] = []
        named: list[tuple[str, Node]] = []
        while not self._mark(")"):
            if self._here.kind == "word" and self._tokens[self._next + 1].text == "=":
                key = self._take().text
                self._need("=")
                named.append((key, self._value(depth + 1)))
            else:
                items.append(self._value(depth + 1))
        return Node("class", name, tuple(items), tuple(named))

    def _waiting(self) -> Waiting:
        who, name = "", self._name("a step")
        if self._mark("?"):
            who, name = name, self._name("a question")
        self._need("(")
        args = []
        while not self._mark(")"):
            args.append(self._value())
        place = self._name("the label of a place") if self._here.glued and self._mark("@") else None
        return Waiting(name, tuple(args), place, who)


YES, NO = Node("word", "yes"), Node("word", "no")


# --- writing --------------------------------------------------------------------------------------
def field_text(name: str, value: object, text: str) -> str:
    """Return a field in notation: ``name`` for yes, ``-name`` for no, otherwise ``name=text``."""
    if value is True:
        return name
    return f"-{name}" if value is False else f"{name}={text}"


def group(name: str, entries: Iterable[str]) -> str:
    """Return the notation of a group and its entries, e.g. ``a{contact round=@K5}``."""
    return f"{name}{{{' '.join(entries)}}}"


def head(source: Source) -> str:
    """Return the beginning of a line: the version and the source of the table."""
    changes = [f"{name}={atom_text(value)}" for name, value in source.facts]
    changes += [f"option:{atom_text(name)}={atom_text(value)}" for name, value in source.options]
    changes += [
        f"number:{in_double_quotes(name)}={in_double_quotes(value)}"
        for name, value in source.numbers
    ]
    changes += [f"part:{atom_text(word)}={atom_text(game)}" for word, game in source.parts]
    changes += [f"rule:{atom_text(name)}" for name in source.rules]
    changes += [f"unit:{_unit_text(name, pairs)}" for name, pairs in source.units]
    changes += [
        f"file:{in_double_quotes(name)}={in_double_quotes(text)}" for name, text in source.files
    ]
    plain_name = re.fullmatch(r"[A-Za-z0-9_./#-]+", source.name) is not None
    name = source.name if plain_name else in_double_quotes(source.name)
    game = f"@{atom_text(source.game)}" if source.game else ""
    return f"{VERSION} {name}{game}{'(' + ' '.join(changes) + ')' if changes else ''}"


def _unit_text(name: str, pairs: UnitPairs | None) -> str:
    if pairs is None:
        return f"{atom_text(name)}=none"
    entries = (
        field_text(atom_text(key), value, f"[{' '.join(map(atom_text, value))}]")
        if isinstance(value, tuple)
        else field_text(atom_text(key), value, atom_text(value))
        for key, value in pairs
    )
    return group(atom_text(name), entries)


def waiting(name: str, args: Iterable[str], place: str | None, who: str = "") -> str:
    """Return the notation of a pending step, e.g. ``release(a)``, or of a question to ``who``."""
    side = f"{atom_text(who)}?" if who else ""
    return f"{side}{name}({' '.join(args)}){'' if place is None else at(place)}"
