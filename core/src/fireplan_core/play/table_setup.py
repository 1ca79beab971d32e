"""Setting up a table with parts, house rules, and an engagement or a scenario file."""

import pickle
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache, reduce
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Self, cast

import attrs
import pluggy

from fireplan_core import cycle
from fireplan_core.chance import watched
from fireplan_core.extras import game_to_install
from fireplan_core.files import Complaint, Document, FileError, below, describe, near, parse_toml
from fireplan_core.five_parts import Parts
from fireplan_core.game import Charts, Game, RuleSpec, ScenarioFile, ScenarioForm
from fireplan_core.numbers import reconstructed, watched_charts
from fireplan_core.play.catalogue import (
    Catalogue,
    Variation,
    faults_of,
    undeclared,
)
from fireplan_core.play.lasting import record_values
from fireplan_core.play.recipes import Recipe
from fireplan_core.play.scenario import Scenario
from fireplan_core.play.unit_changes import with_units
from fireplan_core.record import ProcedureError
from fireplan_core.sentences import Sentences, common
from fireplan_core.setups.setup import Engagement
from fireplan_core.setups.staging import CannotStageError, Staging
from fireplan_core.steps.part import WORDS, Modifier, Part, StepDef
from fireplan_core.steps.questions import OrderQuestion

_STAGED = 64  # maximum number of scenarios in the cache of ``stage_again``


def shipped_scenarios(catalogue: Catalogue) -> dict[str, Path | Traversable]:
    """Return the scenario files shipped with the games by ``game/name``, in sorted order.

    >>> list(shipped_scenarios(Catalogue.installed(only=("asl",))))[:2]
    ['asl/creeping', 'asl/ridge']
    """
    return {
        f"{key}/{name}": form.shipped[name]
        for key, form in sorted(_forms(catalogue).items())
        for name in sorted(form.shipped)
    }


def find_scenario(
    catalogue: Catalogue, name_or_path: str, variation: Variation | None = None
) -> tuple[Scenario, ScenarioFile]:
    """Return a scenario and its file's content, given a path or the shipped name ``game/name``.

    Raises ``FileError`` suggesting similar names if neither exists.

    >>> scenario, file = find_scenario(Catalogue.installed(only=("asl",)), "asl/village")
    >>> file.moments
    12
    """
    path = shipped_scenarios(catalogue).get(name_or_path, Path(name_or_path))
    return load_scenario(catalogue, path, variation=variation)


def load_scenario(
    catalogue: Catalogue,
    path: Path | Traversable,
    *,
    variation: Variation | None = None,
    stored: Mapping[str, str] | None = None,
) -> tuple[Scenario, ScenarioFile]:
    """Read a scenario file and stage it with the game that it names.

    Return the scenario and the file's content. The user's chart files must be in the file's folder
    or below. A ``variation`` overrides the file's options and units before the file is checked;
    its other changes apply in staging. ``stored`` gives alternative names for chart files in the
    folder. Raises ``FileError`` listing all faults in the file, including the options and charts
    that the game does not have or cannot use, or else all reasons why the game cannot stage it.

    >>> catalogue = Catalogue.installed(only=("asl",))
    >>> path = shipped_scenarios(catalogue)["asl/village"]
    >>> scenario, file = load_scenario(catalogue, path)
    >>> scenario.title == file.title
    True
    """
    document = parse_toml(path, what="scenario", shipped=shipped_scenarios(catalogue))
    kind = _kind_of(catalogue, document)
    folder = Path(str(path)).parent

    def located(form: ScenarioFile) -> ScenarioFile:
        charts = {name: (stored or {}).get(file, file) for name, file in form.charts.items()}
        return attrs.evolve(form, charts=charts)

    def faults(form: ScenarioFile) -> Iterator[Complaint]:
        here = located(form)
        choices = list(_wrong_choices(catalogue[form.game].game, here, folder))
        # With wrong choices no table can be set up, so further faults cannot be found.
        yield from choices or _faults_at_table(catalogue, here, folder, variation)

    changes = variation or Variation()
    if changes.units:
        form_of_files = _forms(catalogue)[document.content["game"]]
        document = with_units(document, form_of_files, changes.units)
    over = document.over("options", changes.options)
    form = located(over.read(kind, faults))
    try:
        return stage_scenario(catalogue, form, folder, variation), form
    except CannotStageError as error:
        raise document.error(error.complaints) from error
    except ValueError as error:
        raise document.error([("", str(error), "")]) from error


def _forms(catalogue: Catalogue) -> dict[str, ScenarioForm]:
    games = {key: installed.game.scenarios for key, installed in catalogue.games.items()}
    return {key: form for key, form in games.items() if form is not None}


def _kind_of(catalogue: Catalogue, document: Document) -> type[ScenarioFile]:
    """Return the class of scenario files for the game that the file names.

    Raises ``FileError`` if that is not an installed game with scenario files.
    """
    forms = _forms(catalogue)
    games = ", ".join(forms) or "none"
    match document.content.get("game"):
        case None:
            problem, hint = "this key is missing", f'add game = "...", one of {games}'
        case str(game) if game in forms:
            return forms[game].kind
        case str(game) if game in catalogue.games:
            problem, hint = f"{game} has no scenario files", f"games with scenario files: {games}"
        case str(game) if distribution := game_to_install(game):
            problem, hint = f"the game {game!r} is not installed", f"pip install {distribution}"
        case str(game):
            meant = near(game, forms)
            hint = (
                f'did you mean "{meant}"?' if meant else f"installed with scenario files: {games}"
            )
            problem = "no game of this name is installed"
        case _:
            problem, hint = "expected the name of a game in quotes", f"one of {games}"
    raise document.error([("game", problem, hint)])


def _wrong_choices(game: Game, form: ScenarioFile, folder: Path) -> Iterator[tuple[str, str, str]]:
    """Yield the faults in a file's options, numbers and charts, checking each separately."""
    for name, value in form.options.items():
        try:
            game.settled({name: value})
        except ValueError as error:
            options = {option.name: option for option in game.options}
            meant = name if name in options else near(name, options)
            hint = f"{meant}: {options[meant].summary} ({options[meant].cite})" if meant else ""
            yield f'options."{name}"', str(error), hint
    for name, value in form.numbers.items():
        try:
            game.charts_with({}, {name: str(value)})
        except ValueError as error:
            yield f'numbers."{name}"', str(error), f"'fireplan numbers {game.key}' lists them"
    for name, file in form.charts.items():
        try:
            game.charts_with({name: below(folder, file)})
        except FileError as error:
            for fault in error.faults:
                yield f'charts."{name}"', describe([fault]), f"correct {file}"
        except OSError as error:
            yield (
                f'charts."{name}"',
                f"{file} cannot be opened: {error.strerror}",
                "paths are relative to the scenario file",
            )
        except ValueError as error:
            yield f'charts."{name}"', str(error), ""


def part_of(
    catalogue: Catalogue, word: str, key: str, variation: Variation, charts: Charts | None = None
) -> Part:
    """Return one part of a game, from the game's hook if it has one, or else from its class.

    ``charts`` are the game's charts with the variation's changes, if they are already known. Raises
    ``ProcedureError`` if the part breaks its contract.

    >>> part_of(Catalogue.installed(only=("asl",)), "delays", "asl", Variation()).clock().moment
    'fire phase'
    """
    installed = catalogue[key]
    game = installed.game
    if charts is None:
        charts = game.charts_with(variation.charts, variation.numbers)
    options = game.settled(variation.options)
    if note := variation.note:
        charts = watched_charts(charts, lambda name: note(f"{key}.{name}"))
        options = watched(options, lambda path: note(f"{key}:{path[0]}"))
    try:
        part = getattr(installed.hooks, f"fireplan_{word}")(options=options, charts=charts)
        if part is None and game.parts is not None:
            part = game.parts.of(word)(key, options, charts)
    except Exception as error:
        error.add_note(f"in the {word} of {key}")
        raise
    if faults := faults_of(type(part), word):
        raise ProcedureError(f"{key}: {'; '.join(faults)}")
    part.words = game.words
    return cast("Part", part)


def stage_engagement(
    catalogue: Catalogue, key: str, engagement: Engagement, variation: Variation | None = None
) -> Scenario:
    """Return the scenario that stages an engagement with a game.

    Some parts may come from other games. Raises ``CannotStageError`` listing every reason why the
    engagement cannot be represented, KeyError for an unknown game, ValueError for unknown options
    or charts, and ``FileError`` for an invalid chart file.

    >>> from datetime import date
    >>> from fireplan_core import Engagement, Firer, Target
    >>> firer, target = Firer(nationality="american"), Target(nationality="german", men=60)
    >>> woods = Engagement(title="The woods", date=date(1944, 12, 18), firer=firer, target=target)
    >>> catalogue = Catalogue.installed(only=("red_poppies",))
    >>> stage_engagement(catalogue, "red_poppies", woods).clock.moment
    'turn'
    """
    table = _Table(catalogue, key, engagement, variation or Variation())
    parts, staging = table.parts, table.staging
    for part in (parts.areas, parts.delays, parts.observers, parts.resolution, parts.requests):
        part.stage(staging)
    if not staging.missions and not staging.reasons:
        staging.cannot("no part stages a mission, so there is nothing to fire")
    return table.close()


def stage_scenario(
    catalogue: Catalogue, form: ScenarioFile, folder: Path, variation: Variation | None = None
) -> Scenario:
    """Return the scenario staged from the content of a scenario file.

    Chart files are looked up in ``folder``. Changes in a variation take precedence over changes in
    the file. Raises the same errors as ``stage_engagement``.

    >>> from pathlib import Path
    >>> catalogue = Catalogue.installed(only=("asl",))
    >>> scenario, file = find_scenario(catalogue, "asl/village")
    >>> stage_scenario(catalogue, file, Path()).firer
    'german'
    """
    scenarios = catalogue[form.game].game.scenarios
    if scenarios is None or not isinstance(form, scenarios.kind):
        raise ValueError(f"{form.game} stages no scenario files of the form {type(form).__name__}")
    table = _Table.of_file(catalogue, form, folder, variation)
    if scenarios.faults and (faults := [*scenarios.faults(form, table.parts)]):
        raise CannotStageError([], faults)
    try:
        scenarios.stage(form, table.staging, table.parts)
    except ValueError as error:
        # Faults in the file are reported through the staging, so this is an error in the game.
        raise ProcedureError(f"{form.game} failed to stage {form.title!r}: {error}") from error
    return table.close()


def _faults_at_table(
    catalogue: Catalogue, form: ScenarioFile, folder: Path, variation: Variation | None
) -> Iterator[Complaint]:
    """Yield the faults in a file that depend on the table's numbers."""
    scenarios = catalogue[form.game].game.scenarios
    if scenarios is None or scenarios.faults is None:
        return
    try:
        yield from scenarios.faults(form, _Table.of_file(catalogue, form, folder, variation).parts)
    except ValueError as error:
        yield "", str(error), ""


def _capabilities_needed(engagement: Engagement | None) -> dict[str, str]:
    """Return the special capabilities that an engagement needs, each with the part concerned."""
    if engagement is None:
        return {}
    drone, warfare = engagement.observer.kind == "drone", engagement.situation.electronic_warfare
    return {
        **({"drone": "observers"} if drone else {}),
        **({"electronic warfare": "delays"} if warfare else {}),
    }


class _Table:
    """A table being set up: its parts and its staging, which ``close`` turns into a scenario."""

    def __init__(
        self,
        catalogue: Catalogue,
        key: str,
        content: Engagement | ScenarioFile,
        variation: Variation,
    ) -> None:
        engagement = content if isinstance(content, Engagement) else None
        chosen = {word: variation.parts.get(word, key) for word in WORDS}
        varied = {
            source: variation if source == key else Variation(note=variation.note)
            for source in chosen.values()
        }
        charts = {
            source: catalogue[source].game.charts_with(changes.charts, changes.numbers)
            for source, changes in varied.items()
        }
        made: dict[str, Any] = {
            word: part_of(catalogue, word, source, varied[source], {**charts[source]})
            for word, source in chosen.items()
        }
        self.parts = Parts(**made)
        self.staging = Staging(content.title, self.parts.areas, engagement)
        for part in self.parts:
            for name, chart in part.decks.items():
                self.staging.deck(name, part.charts[chart])
            for name, faces in part.printed.items():
                self.staging.printed(name, faces)
        self._key, self._rules = key, variation.rules
        self._recipe = Recipe.of(catalogue, key, content, variation)
        games = [catalogue[source].game for source in dict.fromkeys((key, *chosen.values()))]
        for game in games:
            if game.sources:
                self.staging.note(f"the rules of {game.title} are {game.sources}")
        for capability, word in _capabilities_needed(engagement).items():
            game = catalogue[chosen[word]].game
            if capability not in game.capabilities:
                self.staging.cannot(f"{capability}: the rules of {game.title} do not cover it")
        # If a game has no sentence for an event of the core, the common sentence is used, even if
        # the game that supplies another part has a sentence for it.
        own, *others = (game.sentences for game in games)
        self._sentences = reduce(Sentences.over, (own, common(), *others))

    @classmethod
    def of_file(
        cls, catalogue: Catalogue, form: ScenarioFile, folder: Path, variation: Variation | None
    ) -> Self:
        """Return the table of a scenario file; the variation overrides the changes in the file."""
        charts = {name: below(folder, file) for name, file in form.charts.items()}
        numbers = {name: str(value) for name, value in form.numbers.items()}
        changes = variation or Variation()
        changed = attrs.evolve(
            changes,
            options={**form.options, **changes.options},
            charts={**charts, **changes.charts},
            numbers={**numbers, **changes.numbers},
        )
        return cls(catalogue, form.game, form, changed)

    def close(self) -> Scenario:
        """Return the finished scenario.

        Raises ``CannotStageError`` with all reasons added to the staging, and ``ProcedureError`` if
        a part stages a record that it does not declare.
        """
        steps: dict[str, StepDef] = {}
        questions: dict[str, OrderQuestion[Any]] = {}
        modifiers: list[Modifier] = []
        for part in self.parts:
            vars(part)["in_play"] = True
            for note in reconstructed(part.charts, self.staging.notes):
                self.staging.note(note)
            steps.update(part.steps())
            questions.update(part.questions())
            modifiers += [
                attrs.evolve(m, roll=m.roll if "." in m.roll else f"{part.word}.{m.roll}")
                for m in part.modifiers()
            ]
        printed = dict(steps)
        added = _house_rules(self._key, self._rules, steps)
        modifiers += added
        parts = attrs.evolve(
            self.parts, steps_replaced=steps != printed, modifiers_added=bool(added)
        )
        steps.update(cycle.steps())
        setup = self.staging.setup(self.parts.delays.clock())
        for part in self.parts:
            slots = [asset.slots.get(part.word) for asset in setup.missions.values()]
            slots += [unit.slots.get(part.word) for unit in setup.units.values()]
            if faults := list(undeclared(part, (setup.shared.get(part.word), *slots))):
                raise ProcedureError(f"{part.game}: {'; '.join(faults)}")
        scenario = Scenario.of(
            setup,
            parts,
            steps,
            questions,
            tuple(modifiers),
            self._sentences,
            (stage_again, self._recipe),
        )
        record_values(scenario)
        return scenario


def _house_rules(key: str, rules: Collection[Any], steps: dict[str, StepDef]) -> list[Modifier]:
    """Apply house rules to ``steps`` in place, and return the modifiers that they add.

    Raises ``ProcedureError`` if a rule replaces an unknown step, or a step with anything but a
    ``StepDef``.
    """
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
                raise ProcedureError(
                    f"{key}: a house rule replaces {name!r}, a step that no part has"
                )
            wrapped = wrap(steps[name])
            if not isinstance(wrapped, StepDef):
                raise ProcedureError(
                    f"{key}: a house rule replaces {name!r} by {wrapped!r}, not a StepDef"
                )
            steps[name] = wrapped
    return [modifier for added in manager.hook.fireplan_modifiers() for modifier in added]


@lru_cache(maxsize=_STAGED)
def stage_again(recipe: bytes) -> Scenario:
    """Return the scenario of a pickled recipe, staged once in a process."""
    read: Recipe = pickle.loads(recipe)  # noqa: S301 - part of a pickle that is being loaded
    with read.variation() as variation:
        if isinstance(read.content, Engagement):
            return stage_engagement(read.catalogue, read.key, read.content, variation)
        # The variation already contains the charts that the file names.
        form = attrs.evolve(read.content, charts={})
        return stage_scenario(read.catalogue, form, Path(), variation)
