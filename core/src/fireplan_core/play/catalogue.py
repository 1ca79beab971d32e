"""The catalogue of installed games.

Entry points in the group ``fireplan.games`` are loaded in alphabetical order. An entry point that
fails is recorded as a ``Problem``, and the other games still work. The class of each part is
checked against its contract before any play.
"""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cache, lru_cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, Self

import attrs
import pluggy

from fireplan_core.areas import Areas
from fireplan_core.delays import Delays
from fireplan_core.five_parts import PartTypes
from fireplan_core.game import CORE_API, GROUP, Game, GameSpec, RuleSpec
from fireplan_core.ledger import citations_in
from fireplan_core.observers import Observers
from fireplan_core.record import ProcedureError
from fireplan_core.requests import Requests
from fireplan_core.resolution import Resolution
from fireplan_core.steps.part import WORDS, Part

CONTRACTS: Mapping[str, type[Part]] = {
    kind.word: kind for kind in (Observers, Requests, Delays, Areas, Resolution)
}
"""Maps the word for each part to its base class, e.g. ``"delays"`` to ``Delays``."""


def contract_of(word: str) -> dict[str, Callable[..., Any]]:
    """Return the steps in a part's contract by name.

    The core and other parts may push these steps.

    >>> list(contract_of("delays"))
    ['before_manoeuvre', 'ceased', 'clearance', 'closed', 'moment', 'released', 'request']
    """
    kind = CONTRACTS[word]
    named = {name: getattr(kind, name) for name in dir(kind)}
    return {
        name: method
        for name, method in named.items()
        if _marked(method, "optional") or _marked(method, "required")
    }


def faults_of(kind: Any, word: str) -> tuple[str, ...]:
    """Return every violation of a part's contract in a class, most with file and line."""
    if (kind, word) not in _FAULTS_BY_CLASS:
        _FAULTS_BY_CLASS[kind, word] = tuple(_faults(kind, word))
    return _FAULTS_BY_CLASS[kind, word]


_FAULTS_BY_CLASS: dict[tuple[Any, str], tuple[str, ...]] = {}


def _faults(kind: Any, word: str) -> Iterator[str]:
    base = CONTRACTS[word]
    if base not in getattr(kind, "__mro__", ()):
        yield f"{word}: {kind!r} is not a subclass of {base.__name__}"
        return
    for name, agreed in contract_of(word).items():
        method = getattr(kind, name)
        if method is agreed:
            if _marked(agreed, "required"):
                yield f"{kind.__name__}: the step {word}.{name} is missing"
        elif not hasattr(method, "__fireplan_step__"):
            yield f"{_place(method)}: {kind.__name__}.{name} implements a step of the contract: mark it @step(cite=...)"
        elif _arity(method) != _arity(agreed):
            signature, expected = inspect.signature(method), inspect.signature(agreed)
            yield f"{_place(method)}: {kind.__name__}.{name} takes {signature}, not {expected}"
    if kind.word != word:
        yield f"{kind.__name__}.word: word is the name of the part, here {word!r}; give yours another name"
    for name in dir(kind):
        method = getattr(kind, name)
        for what, mark in (("step", "step"), ("question", "orders")):
            if name in vars(Part) and hasattr(method, f"__fireplan_{what}__"):
                yield f"{_place(method)}: {kind.__name__}.{name}: {name} belongs to every part; give the {what} another name"
            marked = [
                parent
                for parent in kind.__mro__
                if hasattr(vars(parent).get(name), f"__fireplan_{what}__")
            ]
            if marked and not hasattr(method, f"__fireplan_{what}__"):
                yield f"{_place(method)}: {kind.__name__}.{name} overrides a {what}: mark it @{mark}(cite=...)"
    yield from _of_records(kind)


def _of_records(kind: Any) -> Iterator[str]:
    """Yield every fault in the record classes that a part publishes and keeps."""
    for record in kind.publishes:
        if not (isinstance(record, type) and attrs.has(record)):
            yield f"{kind.__name__}.publishes names {record!r}, which is not a record"
    for record in kind.keeps.records:
        if not (isinstance(record, type) and attrs.has(record)):
            yield f"{kind.__name__}.keeps names {record!r}, which is not a record"
            continue
        undocumented = [
            field.name
            for field in attrs.fields(record)
            if not (field.metadata.get("help") and field.metadata.get("rule"))
        ]
        if undocumented:
            advice = "declare each field with its meaning and rule: kept(default, meaning, rule)"
            yield f"{kind.__name__} keeps {record.__name__} with {', '.join(undocumented)}: {advice}"


def questions_of(parts: PartTypes | None) -> list[str]:
    """Return the full names of all questions in a game's parts."""
    kinds = [] if parts is None else [parts.of(word) for word in CONTRACTS]
    return [
        f"{kind.word}.{name}"
        for kind in kinds
        for name in dir(kind)
        if _marked(getattr(kind, name), "question")
    ]


def undeclared(part: Part, slots: Iterable[Any]) -> Iterator[str]:
    """Yield a fault for each record class that a part stages but does not declare in ``keeps``."""
    kept_classes = part.keeps.records
    undeclared_names = dict.fromkeys(
        type(slot).__name__
        for slot in slots
        if slot is not None and not isinstance(slot, kept_classes)
    )
    yield from (
        f"{type(part).__name__} stages {name}, which its attribute 'keeps' does not name"
        for name in undeclared_names
    )


def _marked(function: Any, mark: str) -> bool:
    return bool(getattr(function, f"__fireplan_{mark}__", False))


def _arity(function: Callable[..., Any]) -> int:
    return function.__code__.co_argcount


def _place(function: Callable[..., Any]) -> str:
    return f"{function.__code__.co_filename}:{function.__code__.co_firstlineno}"


@attrs.frozen
class Problem:
    """A plugin that failed to load: its entry point, its distribution, and the reason."""

    entry_point: str
    distribution: str
    reason: str


@attrs.frozen(eq=False, repr=False)
class Installed:
    """An installed game: its description, plugin, hooks, distribution and version.

    ``is_entry_point`` is true for a game that a distribution declares, false for one admitted by a
    program, such as a sheet: another process then cannot look it up by its key.
    """

    game: Game
    plugin: Any
    hooks: Any
    distribution: str
    version: str
    is_entry_point: bool = False

    def files(self, pattern: str) -> tuple[Path, ...]:
        """Return the files of the game's package that match a pattern.

        For a game that is not a package, return those among its plugin's ``files``, such as the
        modules beside a sheet.
        """
        if self.folder is None:
            listed: tuple[Path, ...] = getattr(self.plugin, "files", ())
            return tuple(path for path in listed if path.match(pattern))
        return tuple(sorted(self.folder.rglob(pattern)))

    @property
    def folder(self) -> Path | None:
        """The folder of the game's package, or None for a game that is not a package."""
        file = getattr(self.plugin, "__file__", None)
        return Path(file).parent if file else None

    def citations(self) -> Mapping[str, tuple[str, ...]]:
        """Return the places that cite each rule, in the package or as the plugin lists them."""
        if self.folder is None:
            return getattr(self.plugin, "citations", {})
        return citations_in(self.folder, self.game.ledger.rules.keys())


@attrs.frozen(eq=False, repr=False)
class Variation:
    """The changes to make to a game as printed, e.g. to its options, numbers and units.

    ``charts`` maps charts to the files that replace them, and ``parts`` maps the words for parts to
    the games that supply them; ``rules`` are house rules. ``numbers`` maps names listed by
    ``fireplan numbers`` to new values. ``units`` contains the changes to units of a scenario file
    (``unit_changes``). ``note`` receives the name of every number (``game.name``) and option
    (``game:name``) that staging or a rule reads.

    >>> easier = Variation(numbers={"radio_contact[german]": "9"})
    >>> catalogue = Catalogue.installed(only=("asl",))
    >>> scenario, file = find_scenario(catalogue, "asl/village", easier)
    >>> scenario.parts.delays.charts["radio_contact"]["german"]
    9
    """

    options: Mapping[str, Any] = attrs.field(factory=dict)
    charts: Mapping[str, Path] = attrs.field(factory=dict)
    numbers: Mapping[str, str] = attrs.field(factory=dict)
    parts: Mapping[str, str] = attrs.field(factory=dict)
    rules: tuple[Any, ...] = ()
    note: Callable[[str], None] | None = None
    units: Mapping[str, Mapping[str, Any] | None] = attrs.field(factory=dict)


def rule_names(rules: Collection[Any]) -> tuple[str, ...]:
    """Return the names of house rules: the module or class, or the class of an object.

    >>> class NoSmoke: ...
    >>> rule_names([NoSmoke])
    ('NoSmoke',)
    """
    return tuple(str(getattr(rule, "__name__", type(rule).__name__)) for rule in rules)


@attrs.frozen
class ModuleReference:
    """A module by its name, with its file for a module that is not importable by name."""

    name: str
    file: str | None

    @classmethod
    def of(cls, plugin: Any) -> Any:
        """Return a reference to a module, or any other object unchanged."""
        if isinstance(plugin, ModuleType):
            return cls(plugin.__name__, plugin.__file__)
        return plugin

    def load(self) -> ModuleType:
        """Return the module; raises ImportError if it is not on this machine."""
        try:
            return import_module(self.name)
        except ModuleNotFoundError:
            spec = spec_from_file_location(self.name, self.file) if self.file else None
            if spec is None or spec.loader is None or not Path(str(self.file)).is_file():
                raise
        module = sys.modules[self.name] = module_from_spec(spec)
        spec.loader.exec_module(module)
        return module


def loaded(reference: Any) -> Any:
    """Return the module of a reference, or any other object unchanged."""
    return reference.load() if isinstance(reference, ModuleReference) else reference


class Catalogue:
    """The installed games by key, and the problems of games that failed to load.

    >>> catalogue = Catalogue.installed(only=("red_poppies",))
    >>> list(catalogue.games)
    ['red_poppies']
    """

    def __init__(self) -> None:
        self.games: dict[str, Installed] = {}
        self.problems: list[Problem] = []

    def __reduce__(self) -> tuple[Callable[..., Catalogue], tuple[Any, ...]]:
        """Return the call that rebuilds the catalogue from a pickle.

        Games with an entry point are looked up by their keys; the plugins of other games are
        pickled.
        """
        installed = [key for key, entry in self.games.items() if entry.is_entry_point]
        others = [
            (ModuleReference.of(entry.plugin), entry.distribution, entry.version)
            for entry in self.games.values()
            if not entry.is_entry_point
        ]
        return _catalogue_again, (installed, others)

    def __deepcopy__(self, _memo: dict[int, Any]) -> Catalogue:
        copied = Catalogue()
        copied.games, copied.problems = dict(self.games), [*self.problems]
        return copied

    @classmethod
    def installed(cls, only: Collection[str] | None = None) -> Self:
        """Return a catalogue of all installed games, or only of those named in ``only``."""
        catalogue = cls()
        for entry in _entry_points(tuple((folder, _changed_at(folder)) for folder in sys.path)):
            if only is None or entry.name in only:
                catalogue.load(entry)
        return catalogue

    def load(self, entry: EntryPoint) -> None:
        """Load a game from its entry point into the catalogue.

        An error is recorded as a ``Problem``, or is raised if the environment variable
        FIREPLAN_STRICT_PLUGINS is set.
        """
        distribution = entry.dist
        name, version = (
            (distribution.name, distribution.version) if distribution is not None else ("", "")
        )
        try:
            plugin = entry.load()
            self.admit(plugin, expected=entry.name, distribution=name, version=version)
            self.games[entry.name] = attrs.evolve(self.games[entry.name], is_entry_point=True)
        except (Exception, SystemExit) as error:  # a module may call sys.exit() when it is imported
            if os.environ.get("FIREPLAN_STRICT_PLUGINS"):
                raise
            self.problems.append(Problem(entry.name, name, f"{type(error).__name__}: {error}"))

    def admit(
        self, plugin: Any, *, expected: str | None = None, distribution: str = "", version: str = ""
    ) -> Game:
        """Check a plugin, add its game to the catalogue, and return the game.

        ``expected`` is the name of the entry point, which must be the game's key;
        ``distribution`` and ``version`` are those of the package that provides the plugin.

        Raises ``ProcedureError`` for any fault, such as a missing or misspelt hook, a hook argument
        with a default (its meaning differs between versions of pluggy), a different core interface,
        or a duplicate key.
        """
        manager = pluggy.PluginManager("fireplan")
        manager.add_hookspecs(GameSpec)
        manager.add_hookspecs(RuleSpec)
        manager.register(plugin)
        manager.check_pending()
        hooks = _hooks_of(plugin, manager)
        game = manager.hook.fireplan_game()
        if not isinstance(game, Game):
            raise ProcedureError(f"fireplan_game returned {game!r}, not a Game")
        faultless = _FAULTLESS.get(game.key)
        if faultless is None or faultless[0] is not plugin or faultless[1] is not game:
            if flaw := next(_flaws(game, hooks), None):
                raise ProcedureError(flaw)
            _FAULTLESS[game.key] = plugin, game
        if expected is not None and game.key != expected:
            raise ProcedureError(
                f"the entry point is named {expected!r}, but the key of its game is {game.key!r}"
            )
        if game.key in self.games:
            raise ProcedureError(f"a game {game.key!r} is already installed")
        self.games[game.key] = Installed(game, plugin, manager.hook, distribution, version)
        return game

    def __getitem__(self, key: str) -> Installed:
        """Return the installed game with this key; raises KeyError naming the installed games."""
        if key not in self.games:
            raise KeyError(f"no game {key!r}; installed games: {', '.join(self.games) or 'none'}")
        return self.games[key]


@lru_cache(maxsize=4)
def _entry_points(_folders: tuple[tuple[str, int], ...]) -> tuple[EntryPoint, ...]:
    """Return the entry points of all installed games, sorted by name.

    The argument, the folders of ``sys.path`` with the times of their last changes, only serves as
    the key of the cache, so that a later installation is noticed.
    """
    entries = entry_points(group=GROUP)
    return tuple(sorted(entries, key=lambda entry: (entry.name, entry.value)))


def _changed_at(folder: str) -> int:
    """Return the time of a folder's last change in nanoseconds, or 0 if it is not readable."""
    try:
        return Path(folder).stat().st_mtime_ns
    except OSError:
        return 0


_FAULTLESS: dict[str, tuple[Any, Game]] = {}
"""Caches, by key, the plugin and game that last passed the checks, to check each only once."""


@cache
def _installed(key: str) -> Installed:
    return Catalogue.installed(only=(key,))[key]


def _catalogue_again(installed: Iterable[str], others: Iterable[tuple[Any, str, str]]) -> Catalogue:
    catalogue = Catalogue()
    catalogue.games.update((key, _installed(key)) for key in installed)
    for plugin, distribution, version in others:
        catalogue.admit(loaded(plugin), distribution=distribution, version=version)
    return catalogue


def _hooks_of(plugin: Any, manager: pluggy.PluginManager) -> frozenset[str]:
    """Return the names of the hooks that a plugin implements.

    Raises ``ProcedureError`` if an argument has a default or ``fireplan_game`` is missing.
    """
    callers = manager.get_hookcallers(plugin) or []
    for caller in callers:
        for implementation in caller.get_hookimpls():
            for parameter in inspect.signature(implementation.function).parameters.values():
                if parameter.default is not inspect.Parameter.empty:
                    raise ProcedureError(
                        f"{caller.name}: argument {parameter.name!r} has a default; remove the default"
                    )
    implemented = frozenset(caller.name for caller in callers)
    if "fireplan_game" not in implemented:
        raise ProcedureError("the hook fireplan_game is missing")
    return implemented


def _flaws(game: Game, hooks: Collection[str]) -> Iterator[str]:
    """Yield each fault in a game's parts, the sentences of its questions, or its core interface."""
    if game.parts is None:
        if missing := {f"fireplan_{word}" for word in WORDS}.difference(hooks):
            yield f"{game.key} has neither Game.parts nor the hooks {', '.join(sorted(missing))}"
    elif faults := [fault for word in WORDS for fault in faults_of(game.parts.of(word), word)]:
        yield "; ".join(faults)
    if game.sentences.tables and (faults := [*game.sentences.faults((), questions_of(game.parts))]):
        yield f"{game.key}: {'; '.join(faults)}"
    if game.core_api != CORE_API:
        yield f"{game.key} is written for core interface {game.core_api}, but this is {CORE_API}"


def sentence_faults(game: Game, plugin: Any) -> list[str]:
    """Return the faults of a game's sentences, compared with the sources of its plugin's rules.

    The list is empty for a game without sentences. These faults are in the text of the sources, so
    only ``fireplan check`` looks for them.
    """
    if not game.sentences.tables:
        return []
    sources = list(_sources(plugin))
    # Without the game's own sources, the sources of its parts do not show which sentences are used.
    inherited = ready_sources(game.parts) if sources else ()
    return [*game.sentences.faults(sources, questions_of(game.parts), inherited)]


def ready_sources(parts: PartTypes | None) -> list[str]:
    """Return the source texts of the ready parts from which a game's parts inherit."""
    kinds = [] if parts is None else [kind for word in WORDS for kind in parts.of(word).__mro__]
    modules = {kind.__module__ for kind in kinds if kind.__module__.startswith(_READY)}
    return [module_source(sys.modules[name]) for name in sorted(modules)]


def module_source(module: ModuleType) -> str:
    """Return the source text of a module.

    If there is only its bytecode, return the texts that it contains, each as a literal on a line.
    """
    try:
        return inspect.getsource(module)
    except OSError:
        loader: Any = module.__spec__.loader if module.__spec__ else None
        texts = _texts_in(loader.get_code(module.__name__))
        return "\n".join(map(repr, texts))


def _texts_in(constant: Any) -> Iterator[str]:
    """Yield the texts in a constant; a tuple, set or code object is searched for its constants."""
    if isinstance(constant, str):
        yield constant
    elif isinstance(constant, tuple | frozenset):
        for each in constant:
            yield from _texts_in(each)
    elif isinstance(constant, CodeType):
        yield from _texts_in(constant.co_consts)


_READY = "fireplan_core.ready_parts."


def _sources(plugin: Any) -> Iterator[str]:
    """Yield the source texts of a plugin package, for finding the events and rolls in its rules.

    Yield nothing if the package has compiled modules, because its sources would be incomplete.
    """
    for folder in getattr(plugin, "__path__", ()):
        if any(Path(folder).glob("*.pyc")):
            return
        yield from (path.read_text(encoding="utf-8") for path in sorted(Path(folder).glob("*.py")))
