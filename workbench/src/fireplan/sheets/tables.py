"""The tables of a sheet for the five parts, derived from the classes of the ready parts.

The classes are the whole grammar: the keys of a table are the annotated figures of the part, and
their types determine how a file writes them. ``meanings.csv`` describes them.
"""

import inspect
import re
from collections.abc import Iterator, Mapping
from enum import Enum
from fractions import Fraction
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any, ClassVar, get_args, get_origin, get_type_hints

import attrs

from fireplan_core import Severity, ready_parts
from fireplan_core.chance import Die, read_csv
from fireplan_core.play.catalogue import CONTRACTS
from fireplan_core.ready_parts import Hand, HitsAndWounds, Ready, Stated
from fireplan_core.setups.setup import Cover

ReadyClasses = tuple[type[Ready], ...]
"""The ready classes that a part is made of."""
_FROM_ELSEWHERE = {
    "keeps",
    "needs",
    "may",
    "stated",
    "modified",
    "places",
    "frames",
    "miss_not_modelled",
}
"""Annotated attributes of ready parts that are not figures, or that the map provides."""
_NEEDS_CODE = (HitsAndWounds, Hand)
"""Ready parts that a game must complete with a method, so no sheet can use them yet."""
BY_COVER = ("saves", "men_lost")
"""Figures with an entry for each cover."""
COVERS = get_args(Cover)
_MOST = 1_000_000
MODULES = "fireplan_sheet_module_"
"""Prefix of the names under which the Python modules beside sheets are imported."""
_DICE = re.compile(r"([1-9]?)d([1-9][0-9]{0,2})")


@cache
def kinds_of(word: str) -> dict[str, type[Ready]]:
    """Return the ready classes that a sheet may choose for a part (``"delays"``), by name."""
    named = {name: getattr(ready_parts, name) for name in dir(ready_parts) if name[0] != "_"}
    return {
        name: kind
        for name, kind in sorted(named.items())
        if inspect.isclass(kind)
        and issubclass(kind, Ready)
        and issubclass(kind, CONTRACTS[word])
        and kind not in _NEEDS_CODE
    }


def in_module(kinds: ReadyClasses) -> bool:
    """Return whether a part's class is in a Python module beside the sheet."""
    return any(kind.__module__.startswith(MODULES) for kind in kinds)


def chooses(kinds: ReadyClasses) -> str:
    """Return the key of a part's table that chooses its classes: ``kind`` or ``module``."""
    return "module" if in_module(kinds) else "kind"


def dice(text: str) -> dict[str, Die]:
    """Return the dice that a text such as ``2d6`` or ``d12`` describes, by colour.

    An empty text gives no dice. Raises ValueError for any other text.
    """
    if not text.strip():
        return {}
    match = _DICE.fullmatch(text.strip())
    if match is None or int(match[2]) < 2:  # noqa: PLR2004 - a die has two faces at least
        raise ValueError(f'expected dice such as "d6", "2d6" or "d12", got "{text}"')
    colours = ("white", "coloured", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "n9")
    return dict.fromkeys(colours[: int(match[1] or 1)], Die(int(match[2])))


def _die(text: str) -> Die:
    """Return the die that a text such as ``d6`` describes; raises ValueError for several dice."""
    thrown = [*dice(text).values()]
    if len(thrown) != 1:
        raise ValueError(f'expected one die such as "d6", got "{text}"')
    return thrown[0]


def vector(text: str) -> tuple[int, int]:
    """Return the two whole numbers in a text such as ``0,-2``; raises ValueError for other text."""
    try:
        east, south = map(int, text.split(","))
    except ValueError:
        raise ValueError(f'expected units east and south such as "0,-2", got "{text}"') from None
    return east, south


def _severity(text: str) -> Severity:
    names = {severity.name.lower(): severity for severity in Severity}
    if text not in names:
        raise ValueError(f'expected one of {", ".join(names)}, got "{text}"')
    return names[text]


_IN_A_FILE: Mapping[Any, tuple[Any, Mapping[str, Any]]] = {
    int: (int, {}),
    bool: (bool, {}),
    str: (str, {}),
    Fraction: (int | Fraction, {"example": 5}),
    Die: (str, {"parse": _die, "example": "d6"}),
    Mapping[str, Die]: (str, {"parse": dice, "example": "2d6"}),
    Mapping[int, int]: (Mapping[str, int], {"example": {"1": 0, "2": 1}}),
    Mapping[int, str]: (Mapping[str, str], {"example": {"1-4": "low", "5-8": "high"}}),
    Mapping[str, str]: (Mapping[str, str], {"example": {"accuracy": "fate"}}),
    Mapping[str, int]: (Mapping[str, int], {"example": {"black": 6}}),
    Mapping[str, Severity]: (
        Mapping[str, str],
        {"parse": _severity, "example": {"pinned": "suppressed"}},
    ),
    tuple[str, ...]: (tuple[str, ...], {"example": ("black",)}),
    tuple[int, int]: (str, {"parse": vector, "example": "1,0"}),
    tuple[tuple[int, int], ...]: (tuple[str, ...], {"parse": vector, "example": ("0,-2", "2,0")}),
}
"""Maps the type of a figure to the type that a file holds, and how it is read."""


@cache
def figure_types(kinds: ReadyClasses) -> Mapping[str, Any]:
    """Map the figures of these ready classes to their types.

    A figure for which a subclass sets the value is left out.
    """
    figures: dict[str, Any] = {}
    for kind in kinds:
        hints = get_type_hints(kind)
        own: dict[str, None] = {}
        for cls in reversed(kind.__mro__):
            annotated = dict.fromkeys(_annotated(cls))
            own = {name: None for name in own if name not in vars(cls)} | annotated
        figures |= {name: _plain(hints[name]) for name in own}
    return MappingProxyType(figures)


def _annotated(cls: type) -> Iterator[str]:
    if cls is Ready:
        yield "draws"
    elif issubclass(cls, Ready):
        yield from (name for name in inspect.get_annotations(cls) if name not in _FROM_ELSEWHERE)


def _plain(hint: Any) -> Any:
    inner = get_args(hint)[0] if get_origin(hint) is ClassVar else hint
    without_none = [kind for kind in get_args(inner) if kind is not type(None)]
    return without_none[0] if type(None) in get_args(inner) else inner


def bounds_of(kinds: ReadyClasses, figure: str) -> tuple[int, int]:
    """Return the least and the greatest value of a figure: 0 and a million if none are stated."""
    stated = _stated(kinds, figure)
    least, most = (stated.least, stated.most) if stated else (None, None)
    return least or 0, _MOST if most is None else most


def rule_of(kinds: ReadyClasses, figure: str, rules: Mapping[str, str]) -> str | None:
    """Return the rule number of a figure from ``rules``, or None if it has none.

    ``rules`` is searched for the figure's name, then for the rule names stated for the figure.
    """
    stated = _stated(kinds, figure)
    names = stated.rule.split("/") if stated else ()
    return next((rules[name] for name in (figure, *names) if name in rules), None)


def _stated(kinds: ReadyClasses, figure: str) -> Stated | None:
    return next((kind.stated[figure] for kind in kinds if figure in kind.stated), None)


def cited_names(kinds: ReadyClasses) -> tuple[list[str], list[str]]:
    """Return the names of the rules that these classes must cite, and of those they may cite."""
    classes = {cls: None for kind in kinds for cls in kind.__mro__}
    needs, may = (
        list(dict.fromkeys(name for cls in classes for name in vars(cls).get(attribute, ())))
        for attribute in ("needs", "may")
    )
    return needs, may


def rolls_of(kinds: ReadyClasses) -> list[str]:
    """Return the full names of the rolls of these classes to which modifiers apply."""
    classes = (cls for kind in kinds for cls in kind.__mro__)
    names = (name for cls in classes for name in vars(cls).get("modified", ()))
    return [f"{kinds[0].word}.{name}" for name in dict.fromkeys(names)]


def unheld(kinds: ReadyClasses) -> list[str]:
    """Return the figures of these classes whose type a sheet cannot hold."""
    return [name for name, kind in figure_types(kinds).items() if kind not in _IN_A_FILE]


MODULE_MEANING = "a Python file beside the sheet with the class of this part, in place of kind"


@cache
def part_table(kinds: ReadyClasses) -> type:
    """Return the attrs class of a part's table in a sheet: ``kind``, ``rules`` and the figures.

    A part whose class is in a module has ``module`` instead of ``kind``. All figures must have
    types that a sheet can hold: see ``unheld``.
    """
    needs, may = cited_names(kinds)
    example = dict.fromkeys((needs or may)[:1], "1.1")
    kind = _typed(str, "the ready parts, separated by commas", example=kinds[0].__name__)
    module = _typed(str, MODULE_MEANING, example=f"my_{kinds[0].word}.py")
    fields: dict[str, Any] = {
        chooses(kinds): module if in_module(kinds) else kind,
        "rules": _typed(
            Mapping[str, str],
            f"rule numbers for {', '.join(needs or may)}",
            attrs.Factory(dict),
            example=example,
        ),
    }
    for name, hint in figure_types(kinds).items():
        held, more = _IN_A_FILE[hint]
        if name in BY_COVER:
            more = {"example": {"open": 6, "trench": 4}}
        default = None if any(hasattr(ready, name) for ready in kinds) else attrs.NOTHING
        between = {"range": bounds_of(kinds, name)} if hint is int else {}
        optional = held | None if default is None else held
        fields[name] = _typed(optional, meaning(kinds, name), default, **more, **between)
    return attrs.make_class("PartTable", fields, frozen=True, kw_only=True)


def _typed(kind: Any, meaning: str, default: Any = attrs.NOTHING, **more: Any) -> Any:
    """Return a field for a table class built from annotations; ``more`` is as for ``entry``."""
    return attrs.field(default=default, type=kind, metadata={"help": meaning, **more})


@cache
def _meanings() -> dict[tuple[str, str], str]:
    """Map the word of a part and the name of a figure to its meaning; "" means any part."""
    rows = read_csv(files("fireplan.sheets") / "meanings.csv")
    return {(row["part"], row["figure"]): row["meaning"] for row in rows}


def meaning(kinds: ReadyClasses, name: str) -> str:
    """Return the meaning of a figure in a designer's words, from ``meanings.csv``.

    If the file does not list the figure, the meaning is the sentence about it in its class's
    docstring, or else its name.
    """
    if listed := next(
        (
            _meanings()[key]
            for kind in kinds
            for key in ((kind.word, name), ("", name))
            if key in _meanings()
        ),
        "",
    ):
        return listed
    for cls in (cls for kind in kinds for cls in kind.__mro__):
        text = " ".join((cls.__doc__ or "").split())
        for sentence in re.split(r"(?<=[.:;]) ", text):
            if f"``{name}``" in sentence:
                return sentence.replace("``", "").rstrip(".:;")
    return name.replace("_", " ")


def in_sheet(value: Any) -> str:
    """Return a value of a class as a sheet writes it, such as ``2d6`` for two dice.

    Dice with different numbers of faces give an empty text.
    """
    if isinstance(value, Mapping) and all(isinstance(each, Die) for each in value.values()):
        faces = {len(die.faces) for die in value.values()}
        return f"{len(value)}d{faces.pop()}" if len(faces) == 1 else ""
    if isinstance(value, Mapping):
        return ", ".join(f"{key} = {in_sheet(each)}" for key, each in value.items())
    if isinstance(value, Enum):
        return value.name.lower()
    if isinstance(value, Die):
        return f"d{len(value.faces)}"
    return str(value).lower() if isinstance(value, bool) else str(value)


def figure_value(kind: Any, value: Any) -> Any:
    """Return a figure's value as its class holds it; raises ValueError for a wrong key."""
    if kind in (Mapping[int, int], Mapping[int, str]):
        return _by_number(value)
    return Fraction(value) if kind is Fraction else value


def by_row(table: Mapping[str, Any]) -> dict[str, range]:
    """Map each key of a table, such as ``7`` or ``2-6``, to the numbers that it covers."""
    return {key: whole_numbers_in(key) for key in table}


def _by_number(table: Mapping[str, Any]) -> dict[int, Any]:
    values: dict[int, Any] = {}
    for key, numbers in by_row(table).items():
        for number in numbers:
            if number in values:
                raise ValueError(f"{number} appears twice")
            values[number] = table[key]
    missing = set(range(min(values, default=0), max(values, default=-1) + 1)) - set(values)
    if missing or not values:
        raise ValueError(
            f"there is no entry for {', '.join(map(str, sorted(missing))) or 'any sum'}"
        )
    return values


_SPAN = re.compile(r"(-?[0-9]+)(?:(?:-| to )(-?[0-9]+))?")
_DIGITS = 3
"""The most digits of a sum in a table."""


def whole_numbers_in(text: str, digits: int = _DIGITS) -> range:
    """Return the whole numbers in a text such as ``7`` or ``2-6``.

    Raises ValueError for other texts, and for numbers of more than this many digits.
    """
    match = _SPAN.fullmatch(text.strip())
    numbers = [number for number in match.groups() if number] if match else []
    if not numbers or any(len(number.lstrip("-")) > digits for number in numbers):
        raise ValueError(f'expected a sum such as "7" or a span such as "2-6", got "{text}"')
    first, last = int(numbers[0]), int(numbers[-1])
    if last < first:
        raise ValueError(f'the span "{text}" runs backwards: write the lower number first')
    return range(first, last + 1)
