"""The texts used at the table, from an editable file of the game (``sentences.toml``).

A sentence names the fields of an event in braces: ``"Fire for effect lands on {impact}"``. A field
may choose between texts:

* ``{hits:# hit|# hits}`` by number: the first text for 1, or else the second; ``#`` is the number;
* ``{passed:stands|falls back}`` by truth: the first text for a true value, or else the second;
* ``{how:broken=breaks|pinned=is pinned|is {how}}`` by value, with the text for other values last.

A list of sentences serves events whose fields vary: the first sentence whose fields are all present
is used.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from string import Formatter
from typing import Any

import attrs

from fireplan_core import files
from fireplan_core.files.faults import written_key
from fireplan_core.sources import call_argument, calls_in, texts_in

TABLES = (
    "names",
    "events",
    "rolls",
    "questions",
    "orders",
    "refusals",
    "steps",
    "stages",
    "fields",
    "cards",
)
"""The tables in a file of sentences.

They contain names of assets and sides (and of values such as ``air:28th-Division`` under ``air:``,
with ``name`` for the rest), events by kind, rolls by name, questions and steps by full name, orders
by verb or by question and verb, refusals by key, stages of a mission, fields of records, and names
of cards by roll. Among the rolls, ``check.nothing`` is used if the roll ``check`` has no effect,
and ``check.white`` is the name of its die ``white``, which may use ``firer``, the side that calls
for fire, and ``enemy``. ``check.number`` says what the modifiers of the roll add up to, such as
"the number to hit", if they are not added to the dice. A question may use ``mission`` and, by their
places among its arguments, its whole numbers, e.g. ``{0}``. An empty sentence leaves a field out.
The names of a card are a list, from the coarsest to the one that identifies it; ``card`` is for
rolls that list no names.
"""
CARD = ("name", "dice", "sign", "place", "sum", "product")
"""The fields available to the names of cards: printed values, and sum and product of the dice."""
SEVERAL = "several"
"""A field available to every sentence: whether the table has several assets to distinguish."""
BEST = "best_first"
"""The key that lists event kinds after a throw, in order from best to worst for its side.

A step to which a throw leads may be listed by its full name.
"""
_NAMED = re.compile(r"[\w /.-]*=")
_USES = {
    "emit": ("events", 0, "kind"),
    "Refusal.of": ("refusals", 1, "key"),
    "Form": ("orders", 0, "verb"),
    "chance.dice": ("rolls", 0, "name"),
    "chance.draw": ("rolls", 0, "name"),
    "chance.fold": ("rolls", 0, "name"),
    "chance.highest": ("rolls", 0, "name"),
}
"""The calls that use a sentence: its table, and the position and name of the key's argument."""


def capitalized(text: str) -> str:
    """Return a text with a capital first letter; the rest is unchanged."""
    return text[:1].upper() + text[1:]


@cache
def pieces(text: str) -> tuple[tuple[str, str, tuple[str, ...]], ...]:
    """Return a sentence as pieces (text before a field, the field's name, its choices), in order.

    Text after the last field is a piece with an empty name and no choices.
    """
    return tuple(
        (literal, name or "", _choices(spec) if spec else ())
        for literal, name, spec, _ in Formatter().parse(text)
    )


@cache
def _choices(spec: str) -> tuple[str, ...]:
    """Return the choices in a field's specification, split at bars outside any inner braces."""
    parts, depth = [""], 0
    for mark in spec:
        depth += (mark == "{") - (mark == "}")
        if mark == "|" and not depth:
            parts.append("")
        else:
            parts[-1] += mark
    return tuple(parts)


@cache
def _fields(text: str) -> frozenset[str]:
    """Return the names of a sentence's fields; raises ValueError for invalid braces or choices."""
    fields = set()
    for _, name, choices in pieces(text):
        fields |= {name} - {""}
        named = [bool(_NAMED.match(choice)) for choice in choices]
        if choices and (
            named[-1] or (len(choices) > 1 + sum(named) and (len(choices), sum(named)) != (2, 0))
        ):
            raise ValueError(
                f"{{{name}:{'|'.join(choices)}}}: expected two choices, or value=words for all but the last"
            )
        fields.update(*(_fields(choice) for choice in choices))
    return frozenset(fields)


def _verb(key: str) -> str:
    return key.rpartition(".")[2]


def _listed(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple | list) else str(value)


def _counts(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _chosen(value: Any, choices: tuple[str, ...]) -> str:
    key = f"{str(getattr(value, 'name', value)).lower()}="
    for choice in choices[:-1]:
        if choice.startswith(key):
            return choice.removeprefix(key)
        if not _NAMED.match(choice) and (value == 1 if _counts(value) else bool(value)):
            return choice
    return choices[-1]


def _can_fill(text: str, fields: Mapping[str, Any]) -> bool:
    """Return whether all fields of a sentence are given, including those of the choices taken."""
    return all(
        not name
        or (name in fields and (not choices or _can_fill(_chosen(fields[name], choices), fields)))
        for _, name, choices in pieces(text)
    )


def _filled_in(text: str, fields: Mapping[str, Any], say: Callable[[str, Any], str]) -> str:
    sentence = ""
    for literal, name, choices in pieces(text):
        sentence += literal
        if choices:
            words = _filled_in(_chosen(fields[name], choices), fields, say)
            if _counts(fields[name]):
                words = words.replace("#", say(name, fields[name]))
            sentence += words
        elif name:
            sentence += say(name, fields[name])
    return sentence


@attrs.frozen
class Sentences:
    """The sentences of a game as tuples of alternatives, by table and key.

    ``best_first`` lists event kinds from best to worst for the side that throws.

    >>> sentences = Sentences({"events": {"fall": ("Fire for effect lands on {impact}",)}})
    >>> sentences.plain("events", "fall", {"impact": "K5"})
    'Fire for effect lands on K5'
    """

    tables: Mapping[str, Mapping[str, tuple[str, ...]]] = attrs.field(factory=dict)
    best_first: tuple[str, ...] = ()

    def say(
        self, table: str, key: str, fields: Mapping[str, Any], say: Callable[[str, Any], str]
    ) -> str | None:
        """Return the first sentence for a key whose fields are all given, filled in, or None.

        ``say(name, value)`` turns the value of a field into words.
        """
        return next(self.alternatives(table, key, fields, say), None)

    def alternatives(
        self, table: str, key: str, fields: Mapping[str, Any], say: Callable[[str, Any], str]
    ) -> Iterator[str]:
        """Yield each sentence for a key that can be filled in with the given fields, filled in."""
        for text in self.tables.get(table, {}).get(key, ()):
            if _can_fill(text, fields):
                yield _filled_in(text, fields, say)

    def plain(self, table: str, key: str, fields: Mapping[str, Any]) -> str | None:
        """Return the first fitting sentence for a key, or None.

        Commas separate the items of a list.
        """
        return self.say(table, key, fields, lambda _, value: _listed(value))

    def unit(self, name: str) -> str | None:
        """Return a unit's name in the game, e.g. "III/169 infantry 1", or None if it has none."""
        kind, _, number = name.partition(".")
        words = self.plain("names", f"unit.{kind}", {})
        return None if words is None else f"{words} {number}".strip()

    def over(self, other: Sentences) -> Sentences:
        """Return these sentences merged with those of ``other``.

        For a key in both, a sentence of ``other`` is used only if none of these has all its fields
        given.
        """
        tables = {}
        for name in TABLES:
            mine, theirs = self.tables.get(name, {}), other.tables.get(name, {})
            tables[name] = {
                key: (*mine.get(key, ()), *theirs.get(key, ())) for key in (*mine, *theirs)
            }
        return Sentences(tables, tuple(dict.fromkeys((*self.best_first, *other.best_first))))

    def faults(
        self, sources: Iterable[str], questions: Iterable[str], inherited: Iterable[str] = ()
    ) -> Iterator[str]:
        """Yield each fault in a game's sentences, compared with its source files and questions.

        ``inherited`` contains the sources of the ready parts from which the game's parts inherit. A
        fault is a key without a sentence, a sentence with an unknown field, a sentence that no rule
        uses, or a sentence that repeats the one common to all games.
        """
        texts = list(sources)
        tables = self.over(common()).tables
        uses = [use for text in texts for use in _uses_in(text)]
        uses += [_Use("questions", key) for key in questions]
        yield from dict.fromkeys(_missing(tables, uses))
        yield from dict.fromkeys(_unknown_fields(tables, uses))
        if used := [*texts, *inherited]:
            yield from self._unused(used)
        for table, entries in common().tables.items():
            own = self.tables.get(table, {})
            for key in entries.keys() & own.keys():
                if own[key][-len(entries[key]) :] == entries[key]:
                    yield f"{table}.{key} repeats the sentence common to all games: remove it"

    def _unused(self, texts: Iterable[str]) -> Iterator[str]:
        """Yield a fault for each of the game's order or refusal sentences that no source uses."""
        literals = {literal for text in texts for _, literal in texts_in(ast.parse(text))}
        for table in ("orders", "refusals"):
            common_keys = set(map(_verb, common().tables[table]))
            for key in self.tables.get(table, {}):
                verb = _verb(key)
                if verb not in common_keys and verb not in literals:
                    yield f"{table}.{key}: no rule uses it"


@attrs.frozen
class _Use:
    """A rule's use of a sentence: its table, its key, and the fields that the rule fills in.

    ``fields`` is None if the fields are not checked. ``formatted`` is true if the rule computes the
    key with an f-string, which is a fault.
    """

    table: str
    key: str
    fields: tuple[str, ...] | None = None
    formatted: bool = False


def _missing(
    tables: Mapping[str, Mapping[str, tuple[str, ...]]], uses: Iterable[_Use]
) -> Iterator[str]:
    verbs = set(map(_verb, tables["orders"]))
    for use in uses:
        if use.formatted:
            yield f"{use.table}.{use.key}: write the name out, not as an f-string"
        elif use.key not in (verbs if use.table == "orders" else tables[use.table]):
            yield f"{use.table}.{use.key} has no sentence"


def _unknown_fields(
    tables: Mapping[str, Mapping[str, tuple[str, ...]]], uses: Iterable[_Use]
) -> Iterator[str]:
    for use in uses:
        if use.fields is not None:
            unknown = [
                _fields(sentence) - {*use.fields, SEVERAL}
                for sentence in tables[use.table].get(use.key, ())
            ]
            if unknown and all(unknown):
                yield f"{use.table}.{use.key} uses the unknown field {', '.join(sorted(unknown[0]))}"


@cache
def _uses_in(text: str) -> tuple[_Use, ...]:
    """Return each use of a sentence in the text of a source file."""
    return tuple(_each_use(text))


def _each_use(text: str) -> Iterator[_Use]:
    if not any(f"{name}(" in text for name in _USES):
        return  # do not parse the text: that takes longer than everything else here
    for name, call in calls_in(ast.parse(text)):
        if name not in _USES:
            continue
        table, position, keyword = _USES[name]
        fields = tuple(
            sorted(
                {
                    inner.arg
                    for inner in ast.walk(call)
                    if isinstance(inner, ast.keyword) and inner.arg
                }
            )
        )
        if table == "orders" and "summary" in fields:
            continue
        match call_argument(call, position, keyword):
            case ast.Constant(str(key)):
                yield _Use(table, key, fields if table in ("events", "refusals") else None)
            case ast.JoinedStr() as key:
                yield _Use(table, ast.unparse(key), formatted=True)


def read_sentences(file: Path | Traversable) -> Sentences:
    r"""Return the sentences in a TOML file.

    Raises ``FileError`` listing every fault, e.g. an unknown table or invalid braces.

    >>> from pathlib import Path
    >>> file = Path("sentences.toml")
    >>> size = file.write_text('[rolls]\ncontact = "radio contact"\n')
    >>> read_sentences(file).tables["rolls"]
    {'contact': ('radio contact',)}
    """
    document = files.Document.of(str(file), file.read_text(encoding="utf-8"))
    content: Mapping[str, Any] = document.content
    tables = {
        table: {
            key: tuple(text) if isinstance(text, list) else (text,)
            for key, text in content.get(table, {}).items()
        }
        for table in TABLES
    }
    complaints = [
        (written_key(name), f"expected {', '.join((*TABLES, BEST))}", "")
        for name in content
        if name not in (*TABLES, BEST)
    ]
    complaints += [
        (f"{table}.{written_key(key)}", *problem)
        for table, sentences in tables.items()
        for key, texts in sentences.items()
        for text in texts
        for problem in sentence_problems(table, text)
    ]
    if complaints:
        raise document.error(complaints)
    return Sentences(tables, tuple(content.get(BEST, ())))


def sentence_problems(table: str, text: Any) -> Iterator[tuple[str, str]]:
    """Yield (problem, suggestion) for each problem in a sentence of this table.

    The suggestion may be empty.
    """
    try:
        fields = _fields(text)
    except (TypeError, ValueError) as error:
        yield str(error), ""
        return
    if table == "cards":
        for name in sorted(fields - {*CARD}):
            yield f"uses the unknown field {name}", f"a card has {', '.join(CARD)}"
    if table == "questions":
        for name in sorted(fields - {"mission", SEVERAL}):
            if not name.isdecimal():
                yield (
                    f"uses the unknown field {name}",
                    f"a question may use mission, {SEVERAL}, and 0, 1, ... for its whole numbers",
                )


@cache
def common() -> Sentences:
    """Return the sentences common to all games, which are used where a game has no sentence."""
    return read_sentences(resources.files("fireplan_core") / "data" / "sentences.toml")
