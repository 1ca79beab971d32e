"""Reading a sheet: one TOML file that becomes a game in memory, equal to a plugin's."""

import io
import zipfile
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

import attrs

from fireplan.sheets.tables import (
    figure_value,
    figures_of,
    kinds_of,
    least_of,
    part_table,
    rolls_of,
    rule_names,
    span,
)
from fireplan_core import Game, Modifier, PartTypes, ScenarioForm, hookimpl
from fireplan_core.chance import Chart, Note, Numbers
from fireplan_core.files import (
    Complaint,
    Document,
    FileError,
    entry,
    near,
    nearest,
    parse_toml,
    repeated,
    write_toml,
)
from fireplan_core.ledger import Ledger, Rule
from fireplan_core.play.catalogue import CONTRACTS, faults_of
from fireplan_core.ready_parts import PlainScenario, Ready, figure, for_troops, stage_plain
from fireplan_core.setups.setup import Cover, Posture, Quality
from fireplan_core.space import HexFrame, Layout, PlaneFrame, VertexFrame, lettered_columns

VERSION = 1
"""The version of sheets, which the key ``sheet`` states."""
_MOST_TABLES = 50  # a game has a few tables; the limit stops hostile sheets


@attrs.frozen(kw_only=True)
class Ground:
    """The map of a sheet: hexes, corners of hexes, or a table without a grid."""

    kind: Literal["hexes", "corners", "table"] = entry("hexes, corners of hexes, or a table")
    metres: int | Fraction = entry("metres across a hex, or in a unit of the table", example=100)
    columns: int = entry("number of columns of hexes, lettered from A", 20, range=(1, 100))
    rows: int = entry("number of rows of hexes", 16, range=(1, 100))

    def frame(self) -> HexFrame | VertexFrame | PlaneFrame:
        """Return the frame of the map, which provides places, labels and distances."""
        if self.kind == "table":
            return PlaneFrame(float(self.metres))
        layout = Layout(lettered_columns(self.columns), (1, self.rows), (1, self.rows))
        kind = HexFrame if self.kind == "hexes" else VertexFrame
        return kind(float(self.metres), layout)


@attrs.frozen(kw_only=True)
class SheetTable:
    """A table of results: rows by the sum of a roll, entries separated by commas."""

    columns: tuple[str, ...] = entry("the headings of the entries", ("result",))
    rows: Mapping[str, str] = entry(
        "entries by sum or span of sums", example={"2-6": "-", "7-12": "pinned"}
    )
    provenance: Literal["printed", "derived", "reconstructed"] = entry(
        "where the figures come from", "printed"
    )
    rule: str = entry("the rule that states the table", "")

    def chart(self, name: str) -> Chart:
        """Return the table as a chart; raises ValueError for a gap, an overlap or a wrong row."""
        cells: dict[tuple[int, str], str] = {}
        rows: list[int] = []
        for label, text in self.rows.items():
            entries = [part.strip() for part in text.split(",")]
            if len(entries) != len(self.columns) or not all(entries):
                raise ValueError(
                    f'row "{label}": expected {len(self.columns)} entries'
                    f' ({", ".join(self.columns)}) separated by commas, got "{text}"'
                )
            for row in span(label):
                if row in rows:
                    raise ValueError(f'row "{label}" overlaps another: {row} appears twice')
                rows.append(row)
                cells |= {(row, column): e for column, e in zip(self.columns, entries, strict=True)}
        missing = sorted(set(range(min(rows, default=0), max(rows, default=0))) - set(rows))
        if missing or not rows:
            raise ValueError(f"no row for {', '.join(map(str, missing)) or 'any sum'}")
        columns = self.columns
        return Chart(name, tuple(sorted(rows)), columns, cells, self.provenance, self.rule)


@attrs.frozen(kw_only=True)
class SheetModifier:
    """A modifier of a roll, for units in some cover, posture or quality if any is named."""

    roll: str = entry("the roll, with its part", example="resolution.attack")
    rule: str = entry("rule number", example="5.2")
    summary: str = entry("the reason, as said at the table", example="dug in")
    value: int = entry("the value added", range=(-100, 100), example=-2)
    cover: tuple[Cover, ...] = entry("covers to which it applies", ())
    posture: tuple[Posture, ...] = entry("postures to which it applies", ())
    quality: tuple[Quality, ...] = entry("qualities to which it applies", ())

    def modifier(self) -> Modifier:
        """Return the modifier as its part declares it."""
        facts = {
            name: words
            for name in ("cover", "posture", "quality")
            if (words := getattr(self, name))
        }
        name = self.roll.partition(".")[2]
        if facts:
            return for_troops(name, self.rule, self.summary, self.value, **facts)
        return Modifier(name, self.rule, self.summary, lambda *_: self.value)


SheetScenario: Any = attrs.make_class(
    "SheetScenario",
    {
        "name": attrs.field(
            type=str, metadata={"help": "its name, in small letters", "example": "first"}
        ),
        **{
            field.name: attrs.field(default=field.default, type=field.type, metadata=field.metadata)
            for field in attrs.fields(PlainScenario)
            if field.name not in {"game", "charts", "options"}
        },
    },
    frozen=True,
    kw_only=True,
)
"""A plain scenario inside a sheet, which also has a name."""


@attrs.frozen(kw_only=True)
class _Head:
    """What every sheet has, whichever parts it chooses."""

    sheet: int = entry("the version of sheets", range=(VERSION, VERSION))
    key: str = entry("the game's key: small letters, digits and _", example="my_game")
    title: str = entry("the game's title", example="My game")
    edition: str = entry("the edition of its rules", "")
    capabilities: tuple[str, ...] = entry("what else the game does", (), example=("friendly fire",))
    map: Ground = entry("the map")
    rule: tuple[Rule, ...] = entry("the rules")
    table: Mapping[str, SheetTable] = entry("tables of results", attrs.Factory(dict))
    modifier: tuple[SheetModifier, ...] = entry("modifiers of rolls", ())
    scenario: tuple[SheetScenario, ...] = entry("the scenarios")


@attrs.frozen(eq=False, repr=False)
class SheetGame:
    """A game read from a sheet, as a plugin that a catalogue admits."""

    game: Game

    @hookimpl
    def fireplan_game(self) -> Game:
        """Return the description of the game."""
        return self.game


def is_sheet(name: str) -> bool:
    """Return whether a name is that of an existing TOML file that states a version of sheets."""
    path = Path(name)
    try:
        return (
            path.suffix == ".toml"
            and path.is_file()
            and "sheet" in parse_toml(path, what="sheet").content
        )
    except (FileError, OSError, ValueError):
        return False


def read_sheet(path: Path) -> SheetGame:
    """Return the game that a sheet describes; raises ``FileError`` listing every fault."""
    return sheet_game(parse_toml(path, what="sheet"))


def sheet_game(document: Document) -> SheetGame:
    """Return the game in a document; raises ``FileError`` listing every fault."""
    complaints: list[Complaint] = []
    content = dict(document.content)
    chosen = {}
    for word in CONTRACTS:
        kinds = tuple(_chosen(word, content.get(word), complaints))
        if kinds:
            chosen[word] = kinds
        else:
            content.pop(word, None)
    tables = {word: part_table(kinds) for word, kinds in chosen.items()}
    faults = list(document.error(complaints).faults)
    form: Any = None
    try:
        form = attrs.evolve(document, content=content).read(_form(tables))
        if not faults:
            faults += document.error(_wrong(form, chosen)).faults
    except FileError as error:
        faults += error.faults
    if faults:
        raise FileError(tuple(sorted(faults, key=lambda fault: (fault.line or 0, fault.key))))
    recipe = sheet_again, (document.name, document.text)
    return SheetGame(attrs.evolve(_game(form, chosen), recipe=recipe))


def sheet_again(name: str, text: str) -> Game:
    """Return the game of a sheet, given the name and the text of its file."""
    return sheet_game(Document.of(name, text)).game


def _form(tables: Mapping[str, type]) -> type:
    fields = {
        word: attrs.field(type=table, metadata={"help": f"the {word} part"})
        for word, table in tables.items()
    }
    return attrs.make_class("Sheet", fields, bases=(_Head,), frozen=True, kw_only=True)


def _chosen(word: str, table: Any, complaints: list[Complaint]) -> Iterator[type[Ready]]:
    """Yield the ready classes that a part's table names, or complain."""
    known = kinds_of(word)
    kind = table.get("kind") if isinstance(table, Mapping) else None
    if not isinstance(kind, str):
        example = f'write [{word}] with kind = "{next(iter(known))}"; there are {", ".join(known)}'
        key = f"{word}.kind" if isinstance(table, Mapping) else word
        complaints.append((key, "this part is missing", example))
        return
    names = [name.strip() for name in kind.split(",")]
    for name in dict.fromkeys(names):
        if name not in known:
            meant = near(name, known)
            hint = f"did you mean {meant}?" if meant else f"one of {', '.join(known)}"
            complaints.append((f"{word}.kind", f'there is no ready part "{name}"', hint))
    if all(name in known for name in names):
        yield from (known[name] for name in dict.fromkeys(names))


def _wrong(form: Any, chosen: Mapping[str, tuple[type[Ready], ...]]) -> Iterator[Complaint]:
    """Yield what is wrong between the tables of a sheet."""
    rules = {rule.id for rule in form.rule}
    yield from repeated(form, "rule", by="id")
    yield from repeated(form, "scenario", by="name")
    if not form.key.isidentifier() or form.key != form.key.lower():
        yield "key", f'"{form.key}" is not a key', 'small letters, digits and _, e.g. "my_game"'
    if len(form.table) > _MOST_TABLES:
        yield "table", f"more than {_MOST_TABLES} tables", "is it the right file?"
    yield from _wrong_tables(form)
    for word, kinds in chosen.items():
        yield from _wrong_part(form, word, kinds, rules)
    yield from _wrong_modifiers(form, chosen, rules)
    yield from _wrong_places(form)


def _wrong_tables(form: Any) -> Iterator[Complaint]:
    for name, table in form.table.items():
        try:
            table.chart(name)
        except ValueError as error:
            yield (
                f"table.{name}.rows",
                str(error),
                'such as rows = { "2-6" = "-", "7-12" = "pinned" }',
            )


def _wrong_modifiers(
    form: Any, chosen: Mapping[str, tuple[type[Ready], ...]], rules: set[str]
) -> Iterator[Complaint]:
    rolls = [roll for kinds in chosen.values() for roll in rolls_of(kinds)]
    for number, modifier in enumerate(form.modifier):
        yield from _uncited(f"modifier[{number}].rule", modifier.rule, rules)
        if modifier.roll not in rolls:
            hint = f"rolls here: {', '.join(nearest(modifier.roll, rolls)) or 'none'}"
            yield f"modifier[{number}].roll", f'no part rolls "{modifier.roll}"', hint
        elif not modifier.roll.startswith("resolution.") and (
            modifier.cover or modifier.posture or modifier.quality
        ):
            problem = "only rolls of the resolution part know a unit's cover, posture and quality"
            yield f"modifier[{number}]", problem, "leave these out"


def _wrong_places(form: Any) -> Iterator[Complaint]:
    frame = form.map.frame()
    for number, scenario in enumerate(form.scenario):
        places = [(f"scenario[{number}].target", scenario.target)]
        places += [
            (f"scenario[{number}].unit[{n}].place", unit.place)
            for n, unit in enumerate(scenario.unit)
        ]
        for key, text in places:
            try:
                frame.parse(text)
            except ValueError as error:
                yield key, str(error), "a place of the map"


def _wrong_part(
    form: Any, word: str, kinds: tuple[type[Ready], ...], rules: set[str]
) -> Iterator[Complaint]:
    table = getattr(form, word)
    needs, may = rule_names(kinds)
    for name, rule in table.rules.items():
        if name not in {*needs, *may}:
            hint = f"names here: {', '.join(nearest(name, (*needs, *may)))}"
            yield f"{word}.rules.{name}", f"nothing here has a rule called {name}", hint
        yield from _uncited(f"{word}.rules.{name}", rule, rules)
    if missing := [name for name in needs if name not in table.rules]:
        names = ", ".join(f'{name} = "1.1"' for name in missing)
        yield f"{word}.rules", f"no rule for {', '.join(missing)}", f"add {names}"
    for name, kind in figures_of(kinds).items():
        value = getattr(table, name)
        try:
            if value is not None:
                figure_value(kind, value)
        except ValueError as error:
            yield f"{word}.{name}", str(error), 'such as { "1-2" = 0, "3-6" = 1 }'
    chart = getattr(table, "chart", None)
    if chart is not None and chart not in form.table:
        yield f"{word}.chart", f'there is no table "{chart}"', f"write [table.{chart}]"
    elif chart is not None and getattr(table, "severities", None):
        unknown = sorted({*form.table[chart].rows.values()} - set(table.severities))
        if unknown:
            problem = f"no severity for {', '.join(unknown)}, which the table {chart} has"
            yield f"{word}.severities", problem, f'add {unknown[0]} = "suppressed"'
    try:
        made = type("Part", kinds, {})
    except TypeError:
        yield f"{word}.kind", "these parts do not go together", "list the special one first"
        return
    yield from (
        (f"{word}.kind", fault.removeprefix("Part: "), f"add one of {', '.join(kinds_of(word))}")
        for fault in faults_of(made, word)
    )


def _uncited(key: str, text: str, rules: set[str]) -> Iterator[Complaint]:
    for rule in (part.strip() for part in text.split(",")):
        if rule not in rules:
            similar = ", ".join(nearest(rule, sorted(rules)))
            yield key, f"there is no rule {rule}", f"add a [[rule]] for it, or one of {similar}"


def _game(form: Any, chosen: Mapping[str, tuple[type[Ready], ...]]) -> Game:
    cells: dict[str, int] = {}
    notes: dict[str, Note] = {}
    classes = []
    for word, kinds in chosen.items():
        table = getattr(form, word)
        cite = next(iter(table.rules.values()), form.rule[0].id)
        namespace: dict[str, Any] = {
            "__doc__": f"The {word} part of {form.title}.",
            "__module__": __name__,
            "cites": dict(table.rules),
        }
        for name, kind in figures_of(kinds).items():
            value = getattr(table, name)
            if value is None:
                continue
            if kind is int:
                number = name if name not in cells else f"{word}_{name}"
                cells[number] = value
                notes[number] = Note(
                    cite,
                    f"{name.replace('_', ' ')} of the {word}",
                    "printed",
                    least_of(kinds, name),
                )
                namespace[name] = figure(number)
            else:
                namespace[name] = figure_value(kind, value)
        if word == "areas":
            namespace["places"] = form.map.frame()
        modifiers = tuple(
            modifier.modifier()
            for modifier in form.modifier
            if modifier.roll.partition(".")[0] == word
        )
        namespace["modifiers"] = lambda _self, own=modifiers: own
        classes.append(type(f"Sheet{word.title()}", kinds, namespace))
    charts: dict[str, Any] = {name: table.chart(name) for name, table in form.table.items()}
    return Game(
        form.key,
        form.title,
        form.edition,
        Ledger(form.title, form.edition, {rule.id: rule for rule in form.rule}),
        PartTypes(*classes),
        charts={"numbers": Numbers("numbers", cells, notes), **charts},
        capabilities=form.capabilities,
        scenarios=ScenarioForm(PlainScenario, stage_plain, _scenarios(form)),
    )


def _scenarios(form: Any) -> dict[str, Any]:
    """Return the scenarios of a sheet as files in memory, by name."""
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w") as archive:
        for scenario in form.scenario:
            fields = attrs.asdict(scenario, recurse=False)
            name = fields.pop("name")
            text = write_toml(PlainScenario(game=form.key, **fields))
            archive.writestr(f"{name}.toml", text)
    files = zipfile.ZipFile(memory)
    files.filename = "sheet"
    return {
        scenario.name: zipfile.Path(files, f"{scenario.name}.toml") for scenario in form.scenario
    }
