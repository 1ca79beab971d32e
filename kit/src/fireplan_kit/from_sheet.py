"""Conversion of a sheet to a plugin in Python that has exactly the same odds."""

import csv
import io
import json
from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any

import attrs

from fireplan.sheets import SheetGame
from fireplan.sheets.forms import SheetModifier
from fireplan.sheets.games import PartOfSheet
from fireplan.sheets.tables import in_module
from fireplan_core import CardFace
from fireplan_core.chance import Die
from fireplan_core.ready_parts import ModifierConditions
from fireplan_core.space import HexFrame, PlaneFrame, VertexFrame

_CLASS = {
    "observers": "Observing",
    "requests": "Calling",
    "delays": "Waiting",
    "areas": "Falling",
    "resolution": "Harming",
}


def files_of(sheet: SheetGame, key: str) -> dict[str, str]:
    """Return the files of a Python package that plays the same game as a sheet.

    The result maps paths below the package to texts; ``key`` is the key of the new game.
    """
    form = sheet.form
    files = {
        "__init__.py": _init(sheet, key),
        "parts.py": _parts(sheet, key),
        **{
            f"{part.word}.py": sheet.modules[getattr(form, part.word).module].text
            for part in sheet.parts
            if in_module(part.kinds)
        },
        "data/game.toml": _game(form),
        "data/numbers.csv": _numbers(sheet),
        "data/rules.toml": _rules(form, sheet.game.key, key),
    }
    if form.option:
        rows = [
            (option.name, " | ".join(option.values), option.rule, option.summary)
            for option in form.option
        ]
        files["data/options.csv"] = _csv(("name", "values", "rule", "summary"), rows)
    if sheet.game.sentences.tables:
        files["data/sentences.toml"] = _sentences(form.sentences)
    for name, table in form.table.items():
        chart = table.chart(name)
        rows = [(row, *(chart.cells[row, c] for c in chart.columns)) for row in chart.rows]
        files[f"data/{name}.csv"] = _csv(("total", *chart.columns), rows)
    for name, deck in form.deck.items():
        files[f"data/{name}.csv"] = _csv(("number", "copies"), deck.counts().items())
    scenarios = sheet.game.scenarios
    for name, file in scenarios.shipped.items() if scenarios else ():
        text = file.read_text(encoding="utf-8")
        changed = text.replace(f'game = "{sheet.game.key}"', f'game = "{key}"', 1)
        files[f"data/scenarios/{name}.toml"] = changed
    return files


def _init(sheet: SheetGame, key: str) -> str:
    names = ", ".join(_CLASS[part.word] for part in sheet.parts)
    return f'''"""{sheet.game.title}: made of its five parts in ``parts`` and the files in ``data``."""

from fireplan_core import hookimpl
from fireplan_core.ready_parts import plain_game

from fireplan_{key}.parts import {names}

GAME = plain_game(__package__, {names})
fireplan_game = hookimpl(lambda: GAME)
"""The hook: returns the description of the game."""
'''


def _parts(sheet: SheetGame, key: str) -> str:
    ready = {
        kind.__name__ for part in sheet.parts if not in_module(part.kinds) for kind in part.kinds
    }
    text = "\n\n".join(_part(part) for part in sheet.parts)
    ready |= {
        name
        for name in ("ModifierConditions", "decided", "figure", "figures", "modifier_when")
        if f"{name}(" in text
    }
    imports = [f"from fireplan_core.ready_parts import {', '.join(sorted(ready))}"]
    imports += [
        f"from fireplan_{key}.{part.word} import {part.kinds[0].__name__}"
        for part in sheet.parts
        if in_module(part.kinds)
    ]
    for module, names in (
        ("fractions", ("Fraction",)),
        ("fireplan_core", ("CardFace", "Outcome", "Severity")),
        ("fireplan_core.chance", ("Die",)),
        (
            "fireplan_core.space",
            ("HexFrame", "Layout", "PlaneFrame", "VertexFrame", "lettered_columns"),
        ),
    ):
        used = [name for name in names if f"{name}(" in text or f"{name}." in text]
        if used:
            imports.append(f"from {module} import {', '.join(used)}")
    imports.sort(key=lambda line: ("fireplan" in line, line))
    title = sheet.game.title
    return (
        f'"""The five parts of {title}; their figures are in ``data/numbers.csv``."""\n\n'
        + "\n".join(imports)
        + f"\n\n\n{text}\n"
    )


def _part(part: PartOfSheet) -> str:
    kinds = ", ".join(kind.__name__ for kind in part.kinds)
    lines = [
        f"class {_CLASS[part.word]}({kinds}):",
        f'    """The {part.word} part."""',
        "",
        *(f"    {name} = {literal(value)}" for name, value in part.attributes.items()),
    ]
    if part.modifiers:
        lines += [
            "",
            "    def modifiers(self):",
            '        """Return the modifiers of the rolls of this part."""',
            "        return (",
            *(f"            {_modifier(modifier)}," for modifier in part.modifiers),
            "        )",
        ]
    return "\n".join(lines) + "\n"


def _modifier(modifier: SheetModifier) -> str:
    stated = attrs.asdict(
        modifier.conditions(),
        recurse=False,
        filter=lambda field, value: value != field.default,
    )
    conditions = ", ".join(f"{name}={literal(value)}" for name, value in stated.items())
    roll = modifier.roll.partition(".")[2]
    given = ", ".join(map(repr, (roll, modifier.rule, modifier.summary, modifier.value)))
    return f"modifier_when({given}, {ModifierConditions.__name__}({conditions}))"


def literal(value: Any) -> str:
    """Return the Python expression for a figure of a sheet."""
    if isinstance(value, Mapping):
        text = "{" + ", ".join(f"{key!r}: {literal(item)}" for key, item in value.items()) + "}"
    elif isinstance(value, Enum):
        text = f"{type(value).__name__}.{value.name}"
    elif isinstance(value, Die):
        text = f"Die({value.faces[-1]})"
    elif isinstance(value, CardFace):
        text = f"CardFace({value.name!r}, {value.dice!r}, {value.sign!r}, {value.place!r})"
    elif isinstance(value, PlaneFrame):
        text = f"PlaneFrame({value.metres_per_yard!r})"
    elif isinstance(value, HexFrame | VertexFrame):
        layout = value.layout
        columns = f"lettered_columns({len(layout.columns)})"
        rows = f"{layout.even_rows!r}, {layout.odd_rows!r}"
        text = f"{type(value).__name__}({value.spacing_m!r}, Layout({columns}, {rows}))"
    else:
        text = repr(value)
    return text


def _game(form: Any) -> str:
    capabilities = ", ".join(map(json.dumps, form.capabilities))
    lines = [f"capabilities = [{capabilities}]", "", "[charts]"]
    lines += [
        f"{name} = {{ provenance = {json.dumps(entry.provenance)}, source = {json.dumps(entry.rule)} }}"
        for name, entry in {**form.table, **form.deck}.items()
    ]
    return "\n".join(lines) + "\n"


def _numbers(sheet: SheetGame) -> str:
    numbers = sheet.game.charts["numbers"]
    rows = [
        (name, value, note.least, note.most, note.provenance, note.cite, note.summary)
        for name, value in numbers.cells.items()
        for note in (numbers.notes[name],)
    ]
    return _csv(("name", "value", "least", "most", "provenance", "rule", "summary"), rows)


def _rules(form: Any, before: str, key: str) -> str:
    lines = [f"title = {_text(form.title)}", f"edition = {_text(form.edition)}"]
    for rule in form.rule:
        lines += ["", "[[rule]]", *_entries(rule)]
        for witness in rule.witness:
            moved = attrs.evolve(
                witness,
                position=witness.position.replace(before, key),
                play=witness.play.replace(before, key),
            )
            lines += ["", "[[rule.witness]]", *_entries(moved)]
    return "\n".join(lines) + "\n"


def _entries(table: Any) -> list[str]:
    return [
        f"{field.name} = {_text(value)}"
        for field in attrs.fields(type(table))
        if isinstance(value := getattr(table, field.name), str) and value
    ]


def _sentences(sentences: Any) -> str:
    best = ", ".join(map(_text, sentences.best_first))
    lines = [f"best_first = [{best}]"] if best else []
    for field in attrs.fields(type(sentences)):
        table = getattr(sentences, field.name)
        if isinstance(table, Mapping) and table:
            lines += ["", f"[{field.name}]"]
            lines += [f"{_text(name)} = {_text(text)}" for name, text in table.items()]
    return "\n".join(lines) + "\n"


def _text(text: str) -> str:
    """Return a text as a basic string of TOML, which is written as in JSON."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _csv(heads: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    memory = io.StringIO()
    writer = csv.writer(memory, lineterminator="\n")
    writer.writerow(heads)
    writer.writerows(rows)
    return memory.getvalue()
