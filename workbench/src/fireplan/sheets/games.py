"""Reading a sheet: one TOML file becomes a game in memory, which works like an installed one."""

import ast
import io
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cache
from importlib.resources.abc import Traversable
from inspect import get_annotations
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import attrs

from fireplan.sheets.faults import wrong_between
from fireplan.sheets.forms import SheetHead, SheetModifier
from fireplan.sheets.modules import ModuleRefusedError, PartModule, SheetModules
from fireplan.sheets.tables import (
    ReadyClasses,
    bounds_of,
    by_row,
    cited_names,
    figure_types,
    figure_value,
    kinds_of,
    meaning,
    part_table,
    rule_of,
)
from fireplan_core import Game, PartTypes, ScenarioForm, cycle, hookimpl
from fireplan_core.chance import Note, Numbers
from fireplan_core.files import (
    Complaint,
    Document,
    Fault,
    FileError,
    did_you_mean,
    nearest,
    parse_toml,
    toml_key,
    write_toml,
)
from fireplan_core.ledger import Ledger
from fireplan_core.play.catalogue import CONTRACTS, module_source, questions_of, ready_sources
from fireplan_core.ready_parts import (
    Hand,
    PlainScenario,
    Ready,
    decided,
    figure,
    figures,
    stage_plain,
)
from fireplan_core.sentences import BEST, TABLES, Sentences, common, sentence_problems
from fireplan_core.sources import texts_in


@attrs.frozen(kw_only=True)
class PartOfSheet:
    """A part of a sheet: its ready classes, and the attributes of a class made of them.

    ``attributes`` maps the names of class attributes to values, including those that the game's
    numbers and options set.
    """

    word: str
    kinds: ReadyClasses
    attributes: Mapping[str, Any]
    modifiers: tuple[SheetModifier, ...] = ()

    def made(self, title: str) -> type:
        """Return a class for the part, derived from its ready classes."""
        modifiers = tuple(modifier.modifier() for modifier in self.modifiers)
        return type(
            f"Sheet{self.word.title()}",
            self.kinds,
            {
                "__doc__": f"The {self.word} part of {title}.",
                "__module__": __name__,
                "modifiers": lambda _self: modifiers,
                **self.attributes,
            },
        )


@attrs.frozen(eq=False, repr=False)
class SheetGame:
    """A game read from a sheet, as a plugin that a catalogue admits.

    ``form`` holds the tables of the sheet, and ``citations`` maps each rule to the keys of the
    sheet that cite it. ``modules`` maps file names to the Python modules that the sheet names.
    """

    game: Game
    document: Document
    form: Any
    parts: tuple[PartOfSheet, ...]
    citations: Mapping[str, tuple[str, ...]]
    path: Path | None = None
    modules: Mapping[str, PartModule] = attrs.field(factory=dict)

    def __reduce__(self) -> tuple[Callable[..., "SheetGame"], tuple[Any, ...]]:
        """Return the function and the arguments with which a pickle reads the sheet again.

        The classes of its tables are created at run time and cannot be pickled.
        """
        return _plugin_again, (self.document.name, self.document.text, self.path, self.modules)

    @property
    def files(self) -> tuple[Path, ...]:
        """The paths from which the sheet's modules were read."""
        return tuple(Path(self.modules[name].path) for name in sorted(self.modules))

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts on which the game depends: the sheet's, then its modules' by file name."""
        return self.document.text, *(self.modules[name].text for name in sorted(self.modules))

    @property
    def first_scenario(self) -> str:
        """The name of the sheet's first scenario, such as ``my_game/first``."""
        form = self.game.scenarios
        return f"{self.game.key}/{next(iter(form.shipped))}" if form else self.game.key

    @hookimpl
    def fireplan_game(self) -> Game:
        """Return the description of the game."""
        return self.game


def read_sheet(path: Path) -> SheetGame:
    """Return the game that a sheet describes; raises ``FileError`` listing every fault.

    The modules that the sheet names, in its folder, are run if the environment variable
    FIREPLAN_ALLOW_CODE is 1.
    """
    document = parse_toml(path, what="sheet")
    return attrs.evolve(sheet_game(document, SheetModules(path.parent)), path=path)


def sheet_game(document: Document, folder_modules: SheetModules | None = None) -> SheetGame:
    """Return the game in a document; raises ``FileError`` listing every fault.

    ``folder_modules`` finds the modules that the document names; by default no module is found.
    """
    folder_modules = folder_modules or SheetModules()
    complaints: list[Complaint] = []
    content = dict(document.content)
    chosen = {}
    for word in CONTRACTS:
        kinds = tuple(_chosen(word, content.get(word), folder_modules, complaints))
        if kinds:
            chosen[word] = kinds
        else:
            content.pop(word, None)
    faults = list(document.error(complaints).faults)
    kind = _form(tuple(chosen.items()))
    form: Any = None
    try:
        form = attrs.evolve(document, content=content).read(kind)
    except FileError as error:
        faults += (_with_readers(fault, chosen) for fault in error.faults)
        form = _readable(document, content, kind)
    faults += document.error(wrong_between(form, chosen)).faults
    if faults:
        by_place = {(fault.key, fault.message): fault for fault in reversed(faults)}
        raise FileError(
            tuple(sorted(by_place.values(), key=lambda fault: (fault.line or 0, fault.key)))
        )
    read = _Figures(form)
    parts = tuple(_part(form, word, kinds, read) for word, kinds in chosen.items())
    game = _game(form, parts, Numbers("numbers", read.cells, read.notes))
    modules = folder_modules.read
    sources = [module.text for module in modules.values()]
    if wrong := (*_wrong_sentences(document, game, sources), *_wrong_numbers(document, game, form)):
        raise FileError(wrong)
    recipe = sheet_again, (document.name, document.text, modules)
    cited = _citations(form, tuple(chosen), modules)
    return SheetGame(
        attrs.evolve(game, recipe=recipe), document, form, parts, cited, modules=modules
    )


def sheet_again(name: str, text: str, modules: Mapping[str, PartModule]) -> Game:
    """Return the game of a sheet, given the name and the text of its file, and its modules."""
    return sheet_game(Document.of(name, text), SheetModules(read=modules)).game


def _plugin_again(
    name: str, text: str, path: Path | None, modules: Mapping[str, PartModule]
) -> SheetGame:
    return attrs.evolve(sheet_game(Document.of(name, text), SheetModules(read=modules)), path=path)


@cache
def _form(chosen: tuple[tuple[str, ReadyClasses], ...]) -> type:
    """Return the class of a sheet that chooses these ready parts."""
    fields = {
        word: attrs.field(type=part_table(kinds), metadata={"help": f"the {word} part"})
        for word, kinds in chosen
    }
    return attrs.make_class("Sheet", fields, bases=(SheetHead,), frozen=True, kw_only=True)


def _with_readers(fault: Fault, chosen: Mapping[str, ReadyClasses]) -> Fault:
    """Return a fault; for an unknown key of a part, it suggests the ready parts that read it."""
    word, _, name = fault.key.partition(".")
    if fault.message != "unknown key" or word not in chosen:
        return fault
    readers = [kind for kind, cls in kinds_of(word).items() if name in figure_types((cls,))]
    hint = f"remove it: here it is read only by {', '.join(readers)}"
    return attrs.evolve(fault, suggestion=hint) if readers else fault


def _readable(document: Document, content: Mapping[str, Any], kind: type) -> Any:
    """Return the tables of a faulty sheet, each read by itself.

    A missing table has its default value. A table that cannot be read, or is missing without a
    default, is None.
    """
    read: dict[str, Any] = {}
    for field in attrs.fields(kind):
        alone = attrs.make_class(
            "Table", {field.name: attrs.field(type=field.type, metadata=field.metadata)}
        )
        has_default = field.default is not attrs.NOTHING
        if field.name not in content:
            default = field.default
            made = default.factory() if isinstance(default, attrs.Factory) else default  # type: ignore[arg-type]
            read[field.name] = made if has_default else None
            continue
        try:
            one = attrs.evolve(document, content={field.name: content[field.name]})
            read[field.name] = getattr(one.read(alone), field.name)
        except FileError:
            read[field.name] = None
    return SimpleNamespace(**read)


def _chosen(
    word: str, table: Any, folder_modules: SheetModules, complaints: list[Complaint]
) -> Iterator[type[Ready]]:
    """Yield the ready classes that a part's table names, or the class in its module.

    Each fault is added to ``complaints``.
    """
    if not isinstance(table, Mapping) or "module" not in table:
        yield from _named(word, table, complaints)
    elif "kind" in table:
        problem = "the module says what this part is made of"
        complaints.append((f"{word}.kind", problem, "remove kind, or module"))
    else:
        try:
            yield folder_modules.kind(word, table["module"])
        except ModuleRefusedError as refused:
            complaints.append((f"{word}.module", refused.problem, refused.hint))


def _named(word: str, table: Any, complaints: list[Complaint]) -> Iterator[type[Ready]]:
    """Yield the ready classes that a part's table names; add each fault to ``complaints``."""
    known = kinds_of(word)
    kind = table.get("kind") if isinstance(table, Mapping) else None
    if isinstance(kind, list) and all(isinstance(name, str) for name in kind):
        hint = f'write kind = "{", ".join(kind)}"'
        complaints.append((f"{word}.kind", "expected text in quotes, got a list", hint))
        return
    if not isinstance(kind, str):
        example = f'write [{word}] with kind = "{next(iter(known))}"; there are {", ".join(known)}'
        key = f"{word}.kind" if isinstance(table, Mapping) else word
        complaints.append((key, "this part is missing", example))
        return
    names = [name.strip() for name in kind.split(",")]
    separate = re.findall(r"\w+", kind.replace(" and ", ", "))
    if set(names) != set(separate) and all(name in known for name in separate):
        hint = f'write kind = "{", ".join(separate)}"'
        complaints.append((f"{word}.kind", "expected commas between ready parts", hint))
        return
    for name in dict.fromkeys(names):
        if name not in known:
            home = next((other for other in CONTRACTS if name in kinds_of(other)), None)
            here = f"one of {', '.join(known)}"
            hint = (
                f"it belongs under [{home}]; here {here}"
                if home
                else did_you_mean(name, known, here)
            )
            complaints.append((f"{word}.kind", f'there is no ready part "{name}" here', hint))
    if all(name in known for name in names):
        yield from (known[name] for name in dict.fromkeys(names))


def _wrong_sentences(document: Document, game: Game, sources: Collection[str]) -> tuple[Fault, ...]:
    """Return the faults of a game's sentences, which can be checked once its parts are known.

    ``sources`` are the texts of its modules.
    """
    if not (game.sentences.tables or sources) or game.parts is None:
        return ()
    questions, inherited = questions_of(game.parts), ready_sources(game.parts)
    hint = "remove it, or write the name of an order, event, roll or question of the parts"
    complaints = [
        (f"sentences.{table}.{toml_key(name)}", problem, advice or "such as {mission}")
        for table, sentences in game.sentences.tables.items()
        for name, texts in sentences.items()
        for text in texts
        for problem, advice in sentence_problems(table, text)
    ]
    if complaints:
        return document.error(complaints).faults
    for fault in game.sentences.faults(sources, questions, inherited):
        table, _, name = fault.partition(" ")[0].rstrip(":").partition(".")
        if fault.endswith("has no sentence"):
            hint = f'add {toml_key(name)} = "..." under [sentences.{table}]'
        complaints.append((f"sentences.{table}.{toml_key(name)}", fault, hint))
    quoted = _names_in((*inherited, *sources, module_source(cycle)))
    charts = (chart.cells.values() for name, chart in game.charts.items() if name != "numbers")
    said = quoted.union(*(map(str, cells) for cells in charts))
    steps = {f"{word}.{name}" for word in CONTRACTS for name in dir(game.parts.of(word))}
    for table, own in (
        ("questions", set(questions)),
        ("events", said),
        ("rolls", said),
        ("stages", set()),
        ("cards", said | {"card"}),
        ("steps", steps),
    ):
        names = own | common().tables[table].keys()
        for name in game.sentences.tables.get(table, {}):
            if name not in names:
                problem = f"nothing here is called {name}"
                complaints.append((f'sentences.{table}."{name}"', problem, _perhaps(name, names)))
    return document.error(complaints).faults


def _perhaps(name: str, names: set[str]) -> str:
    """Return a suggestion of similar names, without names of classes and their attributes."""
    classes = (
        cls for word in CONTRACTS for kind in kinds_of(word).values() for cls in kind.__mro__
    )
    attributes = {name for cls in classes for name in get_annotations(cls)}
    similar = nearest(name, sorted(filter(str.islower, names - attributes)))
    return f"perhaps {' or '.join(similar[:3])}"


def _names_in(modules: Iterable[str]) -> set[str]:
    """Return the string literals in the texts of modules that are identifiers."""
    literals = (text for module in modules for _, text in texts_in(ast.parse(module)))
    return {text for text in literals if text.isidentifier()}


def _wrong_numbers(document: Document, game: Game, form: Any) -> tuple[Fault, ...]:
    """Return a fault for each number that a scenario changes but the game does not accept."""
    complaints = []
    for number, scenario in enumerate(form.scenario):
        for name, value in scenario.numbers.items():
            try:
                game.charts_with({}, {name: str(value)})
            except ValueError as error:
                known = ", ".join(nearest(name, game.charts["numbers"].cells))
                hint = f"numbers here: {known or 'none'}"
                complaints.append((f'scenario[{number}].numbers."{name}"', str(error), hint))
    return document.error(complaints).faults


def _sentences(form: Any) -> Sentences:
    tables = {
        table: {key: (text,) for key, text in getattr(form.sentences, table).items()}
        for table in TABLES
    }
    best = getattr(form.sentences, BEST)
    said = any(tables.values()) or best
    return Sentences(tables, tuple(best)) if said else Sentences()


class _Figures:
    """The figures of a sheet's parts: each is a number of the game, or is decided by an option.

    ``cells`` and ``notes`` collect the numbers and their descriptions, by name.
    """

    def __init__(self, form: Any) -> None:
        self.form = form
        self.cells: dict[str, int] = {}
        self.notes: dict[str, Note] = {}

    def of(self, word: str, kinds: ReadyClasses, name: str, kind: Any) -> Any:
        """Return the class attribute for the figure ``name``, whose type is ``kind``.

        Its numbers, if any, are added to the numbers of the game.
        """
        table = getattr(self.form, word)
        value = getattr(table, name)
        options = [one for one in self.form.option if one.sets == f"{word}.{name}"]
        if options:
            return decided(options[0].name, dict(options[0].values))
        if kind is int:
            return figure(self._number(word, kinds, name, name, value))
        if kind == Mapping[int, int] or (kind == Mapping[str, int] and name != "pile"):
            rows = by_row(value) if kind == Mapping[int, int] else {key: (key,) for key in value}
            cells = {
                label: self._number(
                    word, kinds, name, f"{name}_{label.replace('-', '_to_')}", value[label]
                )
                for label in rows
            }
            return figures({cells[label]: tuple(keys) for label, keys in rows.items()})
        return figure_value(kind, value)

    def _number(self, word: str, kinds: ReadyClasses, name: str, cell: str, value: int) -> str:
        """Add a number of the game, and return its name."""
        cell = cell if cell not in self.cells else f"{word}_{cell}"
        self.cells[cell] = value
        rules = getattr(self.form, word).rules
        rule = rule_of(kinds, name, rules) or next(iter(rules.values()), self.form.rule[0].id)
        least = bounds_of(kinds, name)[0] if cell.endswith(name) else None
        self.notes[cell] = Note(rule, meaning(kinds, name), "printed", least)
        return cell


def _game(form: Any, parts: Iterable[PartOfSheet], numbers: Numbers) -> Game:
    charts: dict[str, Any] = {
        name: table.chart(name) for name, table in {**form.table, **form.deck}.items()
    }
    return Game(
        form.key,
        form.title,
        form.edition,
        Ledger(form.title, form.edition, {rule.id: rule for rule in form.rule}),
        PartTypes(*(part.made(form.title) for part in parts)),
        options=tuple(option.option() for option in form.option),
        charts={"numbers": numbers, **charts},
        capabilities=form.capabilities,
        scenarios=ScenarioForm(PlainScenario, stage_plain, _scenarios(form)),
        sentences=_sentences(form),
    )


def _part(form: Any, word: str, kinds: ReadyClasses, read: _Figures) -> PartOfSheet:
    table = getattr(form, word)
    names = {name for one in cited_names(kinds) for name in one}
    attributes: dict[str, Any] = {
        "cites": {name: rule for name, rule in table.rules.items() if name in names}
    }
    for name, kind in figure_types(kinds).items():
        decided_by = any(option.sets == f"{word}.{name}" for option in form.option)
        if getattr(table, name) is not None or decided_by:
            attributes[name] = read.of(word, kinds, name, kind)
    if word == "areas":
        attributes["places"] = form.map.frame()
    attributes |= _decks(form, table, kinds)
    if table.draws and word == "resolution":
        attributes["places_apart"] = False
    modifiers = tuple(one for one in form.modifier if one.roll.partition(".")[0] == word)
    return PartOfSheet(word=word, kinds=kinds, attributes=attributes, modifiers=modifiers)


def _decks(form: Any, table: Any, kinds: ReadyClasses) -> dict[str, Any]:
    """Return the attributes of a part for the decks it draws from and the faces of their cards."""
    decks = {*(table.draws or {}).values()}
    if any(issubclass(kind, Hand) for kind in kinds):
        decks.add(table.deck)
    faces = {deck: form.deck[deck].printed() for deck in sorted(decks) if form.deck[deck].faces}
    attributes: dict[str, Any] = {"decks": {deck: deck for deck in sorted(decks)}} if decks else {}
    return attributes | ({"printed": faces} if faces else {})


def _citations(
    form: Any, parts: Iterable[str], modules: Mapping[str, PartModule]
) -> dict[str, tuple[str, ...]]:
    cites = [
        (f"{word}.rules.{name}", rule)
        for word in parts
        for name, rule in getattr(form, word).rules.items()
    ]
    cites += [(f"modifier {number}", one.rule) for number, one in enumerate(form.modifier, start=1)]
    cites += [(f"option {number}", one.rule) for number, one in enumerate(form.option, start=1)]
    cites += [(f"table.{name}", table.rule) for name, table in form.table.items()]
    cites += [(f"deck.{name}", deck.rule) for name, deck in form.deck.items()]
    rules = {rule.id for rule in form.rule}
    cites += [
        (f"{name}:{line}", text)
        for name, module in modules.items()
        for line, text in texts_in(ast.parse(module.text))
        if rules.issuperset(part.strip() for part in text.split(","))
    ]
    places: dict[str, list[str]] = {}
    for key, text in cites:
        for rule in filter(None, (part.strip() for part in text.split(","))):
            places.setdefault(rule, []).append(key)
    return {rule: tuple(keys) for rule, keys in places.items()}


@attrs.frozen
class FileInMemory(Traversable):
    """A text that is read like a file shipped with a game."""

    name: str
    text: str

    def open(self, mode: str = "r", *_args: Any, **_more: Any) -> Any:
        """Return the text, or its bytes in UTF-8, as an open file."""
        return io.BytesIO(self.read_bytes()) if "b" in mode else io.StringIO(self.text)

    def read_bytes(self) -> bytes:
        """Return the bytes of the text in UTF-8."""
        return self.text.encode()

    def read_text(self, encoding: str | None = None) -> str:  # noqa: ARG002 - as the base class
        """Return the text."""
        return self.text

    def is_file(self) -> bool:
        """Return True: the text is read as a file."""
        return True

    def is_dir(self) -> bool:
        """Return False: the text is not a folder."""
        return False

    def iterdir(self) -> Iterator[Traversable]:
        """Return an empty iterator: the text is not a folder."""
        return iter(())

    def joinpath(self, *_descendants: Any) -> Traversable:
        """Raise ``FileNotFoundError``: the text is not a folder."""
        raise FileNotFoundError(self.name)

    def __str__(self) -> str:
        """Return the name of the file."""
        return self.name


def _scenarios(form: Any) -> dict[str, Any]:
    """Return the scenarios of a sheet as files in memory, by name."""
    scenarios = {}
    for scenario in form.scenario:
        fields = attrs.asdict(scenario, recurse=False)
        name = fields.pop("name")
        text = write_toml(PlainScenario(game=form.key, **fields))
        scenarios[name] = FileInMemory(f"{name}.toml", text)
    return scenarios
