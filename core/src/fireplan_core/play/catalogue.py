"""The catalogue of installed games, and the making of a scenario from the parts of one game or of several.

Entry points ``fireplan.games`` are loaded one by one, sorted by name; one that fails becomes a ``Problem`` and
the others keep working. A table's parts come from the hooks of their games; house rules are laid over their steps.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Collection, Mapping
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

import attrs
import pluggy

from fireplan_core.areas import Areas
from fireplan_core.cycle import Cycle
from fireplan_core.delays import Delays
from fireplan_core.game import CORE_API, Game, GameSpec, RuleSpec, ScenarioFile
from fireplan_core.numbers import watched_charts
from fireplan_core.observers import Observers
from fireplan_core.play.scenario import Parts, Scenario
from fireplan_core.record import ProcedureError
from fireplan_core.requests import Requests
from fireplan_core.resolution import Resolution
from fireplan_core.scenario.engagement import Engagement
from fireplan_core.scenario.staging import Staging
from fireplan_core.steps.part import WORDS, Modifier, Part, Question, StepDef

GROUP = "fireplan.games"
KINDS: Mapping[str, type[Part]] = {
    "observers": Observers,
    "requests": Requests,
    "delays": Delays,
    "areas": Areas,
    "resolution": Resolution,
}
NEEDED_STEPS = ("requests.opportunity", "requests.ready", "delays.moment", "areas.land", "resolution.strike")


class AdmissionError(Exception):
    """A plugin that cannot be used as a game; the message says why."""


class HouseRuleError(AdmissionError):
    """House rules that cannot be laid over a game; the message says why."""


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
    """What differs from a game as printed: options, charts by file, numbers, parts of other games, house rules.

    ``numbers`` gives new values by the names that ``fireplan numbers`` lists; ``note`` is told the name of every
    number as it is read (``game.name``), while the table is laid and when a rule runs.
    """

    options: Mapping[str, Any] = attrs.field(factory=dict)
    charts: Mapping[str, Path] = attrs.field(factory=dict)
    numbers: Mapping[str, str] = attrs.field(factory=dict)
    parts: Mapping[str, str] = attrs.field(factory=dict)
    rules: tuple[Any, ...] = ()
    note: Callable[[str], None] | None = None


class Catalogue:
    """All installed games by key, and the problems of those that failed."""

    def __init__(self) -> None:
        self.games: dict[str, Installed] = {}
        self.problems: list[Problem] = []

    @classmethod
    def installed(cls, only: Collection[str] | None = None) -> Catalogue:
        """Load every entry point of the group (or only those of these names) one by one, in the order of the names."""
        catalogue = cls()
        for entry in sorted(entry_points(group=GROUP), key=lambda entry: (entry.name, entry.value)):
            if only is None or entry.name in only:
                catalogue.load(entry)
        return catalogue

    def load(self, entry: EntryPoint) -> None:
        """Load one entry point; a failure becomes a problem (fatal with FIREPLAN_STRICT_PLUGINS set)."""
        dist = entry.dist
        name, version = (dist.name, dist.version) if dist is not None else ("", "")
        try:
            self.admit(entry.load(), expected=entry.name, distribution=name, version=version)
        except (Exception, SystemExit) as error:  # a module that leaves when it is imported takes no other with it
            if os.environ.get("FIREPLAN_STRICT_PLUGINS"):
                raise
            self.problems.append(Problem(entry.name, name, f"{type(error).__name__}: {error}"))

    def admit(self, plugin: Any, *, expected: str | None = None, distribution: str = "", version: str = "") -> Game:
        """Check a plugin and add its game.

        Raises ``AdmissionError`` for a misspelt hook, a hook argument with a default (it means different
        things in different pluggy versions), a missing hook, another core interface, or a key that is taken.
        """
        manager = pluggy.PluginManager("fireplan")
        manager.add_hookspecs(GameSpec)
        manager.add_hookspecs(RuleSpec)
        manager.register(plugin)
        manager.check_pending()
        for caller in manager.get_hookcallers(plugin) or ():
            for implementation in caller.get_hookimpls():
                for parameter in inspect.signature(implementation.function).parameters.values():
                    if parameter.default is not inspect.Parameter.empty:
                        msg = f"{caller.name}: argument {parameter.name!r} has a default; leave it out"
                        raise AdmissionError(msg)
        implemented = {caller.name for caller in manager.get_hookcallers(plugin) or ()}
        missing = {"fireplan_game", *(f"fireplan_{word}" for word in WORDS)} - implemented
        if missing:
            msg = f"hooks not answered: {', '.join(sorted(missing))}"
            raise AdmissionError(msg)
        game = manager.hook.fireplan_game()
        if not isinstance(game, Game):
            msg = f"fireplan_game answered {game!r}, not a Game"
            raise AdmissionError(msg)
        if game.core_api != CORE_API:
            msg = f"{game.key} is written for core interface {game.core_api}, this is {CORE_API}"
            raise AdmissionError(msg)
        if expected is not None and game.key != expected:
            msg = f"the entry point is called {expected!r}, the game {game.key!r}"
            raise AdmissionError(msg)
        if game.key in self.games:
            msg = f"a game {game.key!r} is already there"
            raise AdmissionError(msg)
        self.games[game.key] = Installed(game, plugin, manager.hook, distribution, version)
        return game

    def __getitem__(self, key: str) -> Installed:
        """An installed game; KeyError naming those there are."""
        if key not in self.games:
            msg = f"no game {key!r}; installed are {', '.join(self.games) or 'none'}"
            raise KeyError(msg)
        return self.games[key]


def _part(catalogue: Catalogue, word: str, key: str, variation: Variation) -> Part:
    """The one place that calls the part hooks; checks what comes back."""
    installed = catalogue[key]
    game = installed.game
    charts = game.charts_with(variation.charts, variation.numbers)
    if note := variation.note:
        charts = watched_charts(charts, lambda name: note(f"{key}.{name}"))
    try:
        part = getattr(installed.hooks, f"fireplan_{word}")(options=game.settled(variation.options), charts=charts)
    except Exception as error:
        error.add_note(f"in fireplan_{word} of {key}")
        raise
    kind = KINDS[word]
    if not isinstance(part, kind):
        raise AdmissionError(f"fireplan_{word} of {key} answered {part!r}, not {kind.__name__}")
    return part


def make_scenario(
    catalogue: Catalogue, key: str, engagement: Engagement, variation: Variation | None = None
) -> Scenario:
    """Stage an engagement with a game, or with some of its parts taken from others.

    Raises ``CannotStageError`` with every reason why the engagement cannot be represented, KeyError for an
    unknown game, ValueError for unknown options or charts, ``ChartError`` for a chart file that cannot be used.
    """
    staging, close = _table(catalogue, key, engagement.title, variation or Variation(), engagement)
    staging.stage()
    if not staging.missions and not staging.reasons:
        staging.cannot("no part lays a mission down, so nothing could fire")
    return close()


def lay_scenario(
    catalogue: Catalogue, form: ScenarioFile, folder: Path, variation: Variation | None = None
) -> Scenario:
    """Lay out a scenario that was read from a game's own file; chart files are looked for in ``folder``.

    What a variation changes comes over what the file itself chooses.

    Raises as ``make_scenario`` does.
    """
    scenarios = catalogue[form.game].game.scenarios
    if scenarios is None or not isinstance(form, scenarios.kind):
        raise ValueError(f"{form.game} has no scenario files of this form")
    charts = {name: folder / file for name, file in form.charts.items()}
    more = variation or Variation()
    changed = attrs.evolve(more, options={**form.options, **more.options}, charts={**charts, **more.charts})
    staging, close = _table(catalogue, form.game, form.title, changed)
    try:
        scenarios.lay(form, staging)
    except ValueError as error:
        # What is wrong with a file is told through the staging; this is a fault of the game.
        raise ProcedureError(f"{form.game} stumbled over laying {form.title!r} out: {error}") from error
    return close()


def _table(
    catalogue: Catalogue, key: str, title: str, variation: Variation, engagement: Engagement | None = None
) -> tuple[Staging, Callable[[], Scenario]]:
    """A staging with the parts of a table, and the call that closes it into a scenario."""
    chosen = {word: variation.parts.get(word, key) for word in WORDS}
    parts: dict[str, Any] = {
        word: _part(catalogue, word, source, variation if source == key else Variation(note=variation.note))
        for word, source in chosen.items()
    }
    steps: dict[str, StepDef] = {}
    questions: dict[str, Question] = {}
    modifiers: list[Modifier] = []
    for part in parts.values():
        steps.update(part.steps())
        questions.update({f"{part.word}.{name}": question for name, question in part.questions().items()})
        modifiers.extend(part.modifiers())
    missing = [name for name in NEEDED_STEPS if name not in steps]
    if missing:
        raise AdmissionError(f"{key}: steps missing: {', '.join(missing)}")
    modifiers.extend(_house_rules(key, variation.rules, steps))
    steps.update(Cycle(frozenset(steps)).steps())
    staging = Staging(title, Parts(**parts), engagement)
    return staging, lambda: staging.scenario(steps, questions, tuple(modifiers))


def rule_names(rules: Collection[Any]) -> tuple[str, ...]:
    """Return the names of house rules: of a module or a class, or of the class of any other object."""
    return tuple(str(getattr(rule, "__name__", type(rule).__name__)) for rule in rules)


def _house_rules(key: str, rules: Collection[Any], steps: dict[str, StepDef]) -> list[Modifier]:
    """Lay house rules over the steps, and return the modifiers they add; an unknown step raises ``HouseRuleError``."""
    if not rules:
        return []
    manager = pluggy.PluginManager("fireplan")
    manager.add_hookspecs(RuleSpec)
    for rule in rules:
        manager.register(rule)
    manager.check_pending()
    for variants in reversed(manager.hook.fireplan_variants()):
        for name, wrap in variants.items():
            if name not in steps:
                raise HouseRuleError(f"{key}: a house rule wraps {name!r}, which no part has")
            wrapped = wrap(steps[name])
            if not isinstance(wrapped, StepDef):
                raise HouseRuleError(f"{key}: a house rule makes of {name!r} {wrapped!r}, not a StepDef")
            steps[name] = wrapped
    return [modifier for added in manager.hook.fireplan_modifiers() for modifier in added]
