"""Sentences: what is said at the table, in a file beside a game's rules (``sentences.toml``) that designers may edit.

A sentence names the fields of what it tells in braces: ``"Fire for effect lands on {impact}"``. A
field may choose words:

* ``{hits:# hit|# hits}`` counts: the first words for 1, else the second; ``#`` is the number;
* ``{passed:stands|falls back}`` asks: the first words for yes (or anything that is there), else the second;
* ``{how:broken=breaks|pinned=is pinned|is {how}}`` names values, and ends with words for all others.

Several sentences in a list serve an event that is told with more or fewer fields: the first whose
fields are all there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from string import Formatter
from typing import Any

import attrs
import tomli

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
)
"""What a file may hold: names of assets and sides, events by kind, rolls by name, questions and steps by full name,
orders by verb or by question and verb, refusals by their keys, stages of a mission, and fields of records as a
situation tells them."""
SEVERAL = "several"
"""The field that every sentence may ask: whether the table has several assets, so that one must be named."""
BEST = "best_first"
"""The key of the kinds of events that a throw may bring, from the best for who throws to the worst."""
_NAMED = re.compile(r"[\w /.-]*=")
_ARGUMENTS = r"((?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*)\)"
_EMITTED = re.compile(r"""\bemit\(\s*"(\w+)",\s*""" + _ARGUMENTS)
_REFUSED = re.compile(r"""\bRefusal\.of\(\s*(?:"[^"]*"|[\w."\[\]]+),\s*"(\w+)\"""" + _ARGUMENTS)
_OFFERED = re.compile(r"""\bForm\(\s*"(\w+)\"""" + _ARGUMENTS)
_ROLLED = re.compile(r"""\bchance\.(?:dice|draw|fold|highest)\(\s*"(\w+)\"""")
_QUOTED = re.compile(r'"(\w+)"')
_KEYWORD = re.compile(r"\b(\w+)=(?!=)")


class SentenceError(ValueError):
    """A file of sentences that cannot be used; the message says why, every fault at once."""


def _pieces(text: str) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield what stands before each field, its name, and the words that its value chooses from."""
    for literal, name, spec, _ in Formatter().parse(text):
        yield literal, name or "", _choices(spec) if spec else ()


@cache
def _choices(spec: str) -> tuple[str, ...]:
    """Return the parts between bars that stand outside braces."""
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
    """Return the fields that a sentence names.

    ValueError for braces or choices that are no such.
    """
    found = set()
    for _, name, choices in _pieces(text):
        found |= {name} - {""}
        named = [bool(_NAMED.match(choice)) for choice in choices]
        if choices and (
            named[-1] or (len(choices) > 1 + sum(named) and (len(choices), sum(named)) != (2, 0))
        ):
            raise ValueError(
                f"{{{name}:{'|'.join(choices)}}}: expected two words, or each with its value but the last"
            )
        found.update(*(_fields(choice) for choice in choices))
    return frozenset(found)


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


def _said(text: str, fields: Mapping[str, Any], say: Callable[[str, Any], str]) -> str:
    words = ""
    for literal, name, choices in _pieces(text):
        words += literal
        if choices:
            said = _said(_chosen(fields[name], choices), fields, say)
            words += said.replace("#", say(name, fields[name])) if _counts(fields[name]) else said
        elif name:
            words += say(name, fields[name])
    return words


@attrs.frozen
class Sentences:
    """The sentences of a game, by table and key; each with its alternatives."""

    tables: Mapping[str, Mapping[str, tuple[str, ...]]] = attrs.field(factory=dict)
    best_first: tuple[str, ...] = ()

    def say(
        self, table: str, key: str, fields: Mapping[str, Any], say: Callable[[str, Any], str]
    ) -> str | None:
        """Return the sentence of a key, its fields put in words by ``say(name, value)``.

        None where none fits.
        """
        fitting = (
            text
            for text in self.tables.get(table, {}).get(key, ())
            if _fields(text) <= fields.keys()
        )
        text = next(fitting, None)
        return None if text is None else _said(text, fields, say)

    def plain(self, table: str, key: str, fields: Mapping[str, Any]) -> str | None:
        """Return the same, each value as it is, of several one after the other."""
        return self.say(table, key, fields, lambda _, value: _listed(value))

    def over(self, other: Sentences) -> Sentences:
        """Return these sentences, and the other's where none of these fits."""
        tables = {}
        for name in TABLES:
            mine, theirs = self.tables.get(name, {}), other.tables.get(name, {})
            tables[name] = {
                key: (*mine.get(key, ()), *theirs.get(key, ())) for key in (*mine, *theirs)
            }
        return Sentences(tables, tuple(dict.fromkeys((*self.best_first, *other.best_first))))

    def faults(self, sources: Iterable[str], questions: Iterable[str]) -> Iterator[str]:
        """Yield what a game says without a sentence, fields that are not told of it, and words for no order or refusal.

        It goes by the game's sources.
        """
        text = "\n".join(sources)
        every, served = self.over(common()).tables, common().tables
        for table, keys in (("rolls", _ROLLED.findall(text)), ("questions", questions)):
            yield from (
                f"{table}.{key} has no sentence"
                for key in dict.fromkeys(keys)
                if key not in every[table]
            )
        worded = set(map(_verb, every["orders"]))
        unsaid = (
            verb
            for verb, given in _OFFERED.findall(text)
            if "summary=" not in given and verb not in worded
        )
        yield from (f"orders.{verb} has no sentence" for verb in dict.fromkeys(unsaid))
        for table, found in (
            ("events", _EMITTED.findall(text)),
            ("refusals", _REFUSED.findall(text)),
        ):
            yield from (
                f"{table}.{key} has no sentence" for key in dict(found) if key not in every[table]
            )
            for key, given in dict.fromkeys(found):
                wanted = [
                    _fields(said) - {*_KEYWORD.findall(given), SEVERAL}
                    for said in every[table].get(key, ())
                ]
                if wanted and all(wanted):
                    yield f"{table}.{key} names {', '.join(sorted(wanted[0]))}, which is not told of it"
        for table in ("orders", "refusals") if text else ():
            known = {*map(_verb, served[table]), *_QUOTED.findall(text)}
            odd = (key for key in self.tables.get(table, {}) if _verb(key) not in known)
            yield from (f"{table}.{key}: no rule says it" for key in odd)


def read_sentences(file: Path | Traversable) -> Sentences:
    """Read a file of sentences.

    Raise ``SentenceError`` with every fault: an unknown table, no text, bad braces.
    """
    try:
        content: dict[str, Any] = tomli.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise SentenceError(f"{file}: {error}") from error
    faults = [
        f"{name}: expected {', '.join((*TABLES, BEST))}"
        for name in content
        if name not in (*TABLES, BEST)
    ]
    tables: dict[str, dict[str, tuple[str, ...]]] = {}
    for table in TABLES:
        given = content.get(table, {}).items()
        found = tables[table] = {
            key: tuple(text) if isinstance(text, list) else (text,) for key, text in given
        }
        for key, text in ((key, text) for key, texts in found.items() for text in texts):
            try:
                odd = sorted(_fields(text) - {"mission", SEVERAL})
                faults += [
                    f"{table}.{key} names {n}, which is not told of it"
                    for n in odd
                    if table == "questions"
                ]
            except (TypeError, ValueError) as error:
                faults.append(f"{table}.{key}: {error}")
    if faults:
        raise SentenceError(f"{file}: {'; '.join(faults)}")
    return Sentences(tables, tuple(content.get(BEST, ())))


@cache
def common() -> Sentences:
    """Return the sentences that serve every game that has none of its own for the same."""
    return read_sentences(files("fireplan_core") / "data" / "sentences.toml")
