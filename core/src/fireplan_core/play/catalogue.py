"""The catalogue of installed games.

Entry points ``fireplan.games`` are loaded one by one, sorted by name; one that fails becomes a
``Problem`` and the others keep working. Whether a part keeps its contract is known from its class
before anything is played.
"""

import inspect
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, Self

import attrs
import pluggy

from fireplan_core.areas import Areas
from fireplan_core.delays import Delays
from fireplan_core.five_parts import PartTypes
from fireplan_core.game import CORE_API, Game, GameSpec, RuleSpec
from fireplan_core.observers import Observers
from fireplan_core.requests import Requests
from fireplan_core.resolution import Resolution
from fireplan_core.steps.part import WORDS, Part

CONTRACTS: Mapping[str, type[Part]] = {
    kind.word: kind for kind in (Observers, Requests, Delays, Areas, Resolution)
}
"""The base class of each of the five words."""


class AdmissionError(Exception):
    """A plugin that cannot be used as a game; the message says why."""


class HouseRuleError(AdmissionError):
    """House rules that cannot be laid over a game; the message says why."""


def contract_of(word: str) -> dict[str, Callable[..., Any]]:
    """Return the steps of a part's contract by name: those that the core or another part may push."""
    kind = CONTRACTS[word]
    named = {name: getattr(kind, name) for name in dir(kind)}
    return {
        name: found
        for name, found in named.items()
        if _marked(found, "optional") or _marked(found, "required")
    }


def faults_of(kind: Any, word: str) -> tuple[str, ...]:
    """Return every fault of a part's class against the contract of its word, with file and line."""
    if (kind, word) not in _KNOWN:
        _KNOWN[kind, word] = tuple(_faults(kind, word))
    return _KNOWN[kind, word]


_KNOWN: dict[tuple[Any, str], tuple[str, ...]] = {}


def _faults(kind: Any, word: str) -> Iterator[str]:
    base = CONTRACTS[word]
    if base not in getattr(kind, "__mro__", ()):
        yield f"{word}: {kind!r} is no subclass of {base.__name__}"
        return
    for name, agreed in contract_of(word).items():
        own = getattr(kind, name)
        if own is agreed:
            if _marked(agreed, "required"):
                yield f"{kind.__name__}: the step {word}.{name} is missing"
        elif not hasattr(own, "__fireplan_step__"):
            yield f"{_place(own)}: {kind.__name__}.{name} carries out a step of the contract: mark it @step(cite=...)"
        elif _arity(own) != _arity(agreed):
            given, wanted = inspect.signature(own), inspect.signature(agreed)
            yield f"{_place(own)}: {kind.__name__}.{name} takes {given}, not {wanted}"
    for name in dir(kind):
        own = getattr(kind, name)
        for what, mark in (("step", "step"), ("question", "orders")):
            marked = [
                parent
                for parent in kind.__mro__
                if hasattr(vars(parent).get(name), f"__fireplan_{what}__")
            ]
            if marked and not hasattr(own, f"__fireplan_{what}__"):
                yield f"{_place(own)}: {kind.__name__}.{name} takes the place of a {what}: mark it @{mark}(cite=...)"
    yield from _of_records(kind)


def _of_records(kind: Any) -> Iterator[str]:
    """Yield every fault of the records that a part publishes and keeps."""
    for record in kind.publishes:
        if not (isinstance(record, type) and attrs.has(record)):
            yield f"{kind.__name__}.publishes names {record!r}, which is no record"
    for record in kind.keeps.records:
        if not (isinstance(record, type) and attrs.has(record)):
            yield f"{kind.__name__}.keeps names {record!r}, which is no record"
            continue
        mute = [
            one.name
            for one in attrs.fields(record)
            if not (one.metadata.get("help") and one.metadata.get("rule"))
        ]
        if mute:
            lacks = "say what each means, with its rule: kept(default, meaning, rule)"
            yield f"{kind.__name__} keeps {record.__name__} with {', '.join(mute)}: {lacks}"


def questions_of(parts: PartTypes | None) -> list[str]:
    """Return the full names of the questions that the parts of a game ask."""
    kinds = [] if parts is None else [parts.of(word) for word in CONTRACTS]
    return [
        f"{kind.word}.{name}"
        for kind in kinds
        for name in dir(kind)
        if _marked(getattr(kind, name), "question")
    ]


def undeclared(part: Part, slots: Iterable[Any]) -> Iterator[str]:
    """Yield the records that a part stages and does not say that it keeps."""
    known = part.keeps.records
    odd = dict.fromkeys(
        type(slot).__name__ for slot in slots if slot is not None and not isinstance(slot, known)
    )
    yield from (
        f"{type(part).__name__} stages {name}, which it does not say that it keeps (keeps)"
        for name in odd
    )


def _marked(function: Any, mark: str) -> bool:
    return bool(getattr(function, f"__fireplan_{mark}__", False))


def _arity(function: Callable[..., Any]) -> int:
    return function.__code__.co_argcount


def _place(function: Callable[..., Any]) -> str:
    return f"{function.__code__.co_filename}:{function.__code__.co_firstlineno}"


GROUP = "fireplan.games"


@attrs.frozen
class Problem:
    """A plugin that failed to load: its entry point, distribution and what was wrong."""

    entry_point: str
    distribution: str
    reason: str


@attrs.frozen(eq=False, repr=False)
class Installed:
    """An admitted game: what it tells about itself, its plugin module, its hooks, and where it comes from."""

    game: Game
    plugin: Any
    hooks: Any
    distribution: str
    version: str


@attrs.frozen(eq=False, repr=False)
class Variation:
    """Say what differs from a game as printed: options, charts by file, numbers, parts of other games, house rules.

    ``numbers`` gives new values by the names that ``fireplan numbers`` lists; ``note`` is told the name of every
    number (``game.name``) and option (``game:name``) as it is read, while the table is staged and when a rule runs.
    """

    options: Mapping[str, Any] = attrs.field(factory=dict)
    charts: Mapping[str, Path] = attrs.field(factory=dict)
    numbers: Mapping[str, str] = attrs.field(factory=dict)
    parts: Mapping[str, str] = attrs.field(factory=dict)
    rules: tuple[Any, ...] = ()
    note: Callable[[str], None] | None = None


def rule_names(rules: Collection[Any]) -> tuple[str, ...]:
    """Return the names of house rules: of a module or a class, or of the class of any other object."""
    return tuple(str(getattr(rule, "__name__", type(rule).__name__)) for rule in rules)


class Catalogue:
    """All installed games by key, and the problems of those that failed."""

    def __init__(self) -> None:
        self.games: dict[str, Installed] = {}
        self.problems: list[Problem] = []

    @classmethod
    def installed(cls, only: Collection[str] | None = None) -> Self:
        """Load every entry point of the group (or only those of these names) one by one, in the order of the names."""
        catalogue = cls()
        for entry in sorted(entry_points(group=GROUP), key=lambda entry: (entry.name, entry.value)):
            if only is None or entry.name in only:
                catalogue.load(entry)
        return catalogue

    def load(self, entry: EntryPoint) -> None:
        """Load one entry point.

        A failure becomes a problem (fatal with FIREPLAN_STRICT_PLUGINS set).
        """
        dist = entry.dist
        name, version = (dist.name, dist.version) if dist is not None else ("", "")
        try:
            self.admit(entry.load(), expected=entry.name, distribution=name, version=version)
        except (
            Exception,
            SystemExit,
        ) as error:  # a module that leaves when it is imported takes no other with it
            if os.environ.get("FIREPLAN_STRICT_PLUGINS"):
                raise
            self.problems.append(Problem(entry.name, name, f"{type(error).__name__}: {error}"))

    def admit(
        self, plugin: Any, *, expected: str | None = None, distribution: str = "", version: str = ""
    ) -> Game:
        """Check a plugin and add its game.

        Raises ``AdmissionError`` for a misspelt hook, a hook argument with a default (it means
        different things in different pluggy versions), a missing hook, another core interface, or a
        key that is taken.
        """
        manager = pluggy.PluginManager("fireplan")
        manager.add_hookspecs(GameSpec)
        manager.add_hookspecs(RuleSpec)
        manager.register(plugin)
        manager.check_pending()
        hooks = _hooks_of(plugin, manager)
        game = manager.hook.fireplan_game()
        if not isinstance(game, Game):
            raise AdmissionError(f"fireplan_game answered {game!r}, not a Game")
        if flaw := next(_flaws(game, hooks, plugin), None):
            raise AdmissionError(flaw)
        if expected is not None and game.key != expected:
            raise AdmissionError(f"the entry point is called {expected!r}, the game {game.key!r}")
        if game.key in self.games:
            raise AdmissionError(f"a game {game.key!r} is already there")
        self.games[game.key] = Installed(game, plugin, manager.hook, distribution, version)
        return game

    def __getitem__(self, key: str) -> Installed:
        """An installed game; KeyError naming those there are."""
        if key not in self.games:
            raise KeyError(f"no game {key!r}; installed are {', '.join(self.games) or 'none'}")
        return self.games[key]


def _hooks_of(plugin: Any, manager: pluggy.PluginManager) -> frozenset[str]:
    """Return the hooks that a plugin answers.

    Raises ``AdmissionError`` for one with a default, or without a game.
    """
    callers = manager.get_hookcallers(plugin) or []
    for caller in callers:
        for implementation in caller.get_hookimpls():
            for parameter in inspect.signature(implementation.function).parameters.values():
                if parameter.default is not inspect.Parameter.empty:
                    raise AdmissionError(
                        f"{caller.name}: argument {parameter.name!r} has a default; leave it out"
                    )
    answered = frozenset(caller.name for caller in callers)
    if "fireplan_game" not in answered:
        raise AdmissionError("hooks not answered: fireplan_game")
    return answered


def _flaws(game: Game, hooks: Collection[str], plugin: Any) -> Iterator[str]:
    """Yield why a game cannot be played here: its parts, its sentences, the core interface it is written for."""
    if game.parts is None:
        if missing := {f"fireplan_{word}" for word in WORDS}.difference(hooks):
            yield f"{game.key} has no parts (Game.parts), nor hooks: {', '.join(sorted(missing))}"
    elif faults := [fault for word in WORDS for fault in faults_of(game.parts.of(word), word)]:
        yield "; ".join(faults)
    if game.sentences.tables and (
        faults := [*game.sentences.faults(_sources(plugin), questions_of(game.parts))]
    ):
        yield f"{game.key}: {'; '.join(faults)}"
    if game.core_api != CORE_API:
        yield f"{game.key} is written for core interface {game.core_api}, this is {CORE_API}"


def _sources(plugin: Any) -> Iterator[str]:
    """Yield the sources of a plugin that is a package: what its rules emit and throw is read there.

    None where modules are there as bytecode alone: what is left would tell a part.
    """
    for folder in getattr(plugin, "__path__", ()):
        if any(Path(folder).glob("*.pyc")):
            return
        yield from (path.read_text(encoding="utf-8") for path in sorted(Path(folder).glob("*.py")))
