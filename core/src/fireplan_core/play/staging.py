"""Staging a table: the parts of one or several games, an engagement or a scenario file, and house rules laid over."""

from __future__ import annotations

from collections.abc import Collection
from functools import reduce
from pathlib import Path
from typing import Any, cast

import attrs
import pluggy

from fireplan_core import cycle
from fireplan_core.chance import watched
from fireplan_core.files import below
from fireplan_core.game import RuleSpec, ScenarioFile
from fireplan_core.numbers import reconstructed, watched_charts
from fireplan_core.parts import Parts
from fireplan_core.play.admission import AdmissionError, HouseRuleError, faults_of, undeclared
from fireplan_core.play.catalogue import Catalogue, Variation
from fireplan_core.play.scenario import Scenario
from fireplan_core.record import ProcedureError
from fireplan_core.scenario.engagement import Engagement
from fireplan_core.scenario.staging import Staging
from fireplan_core.sentences import Sentences, common
from fireplan_core.steps.part import WORDS, Modifier, Part, StepDef
from fireplan_core.steps.questions import Question


def part_of(catalogue: Catalogue, word: str, key: str, variation: Variation) -> Part:
    """Make one part of a table from its class, or by its hook where the game has one; check what comes back."""
    installed = catalogue[key]
    game = installed.game
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
        raise AdmissionError(f"{key}: {'; '.join(faults)}")
    return cast("Part", part)


def stage_engagement(
    catalogue: Catalogue, key: str, engagement: Engagement, variation: Variation | None = None
) -> Scenario:
    """Stage an engagement with a game, or with some of its parts taken from others.

    Raises ``CannotStageError`` with every reason why the engagement cannot be represented, KeyError for an
    unknown game, ValueError for unknown options or charts, ``ChartError`` for a chart file that cannot be used.
    """
    table = _Table(catalogue, key, engagement.title, variation or Variation(), engagement)
    parts, staging = table.parts, table.staging
    for part in (parts.areas, parts.delays, parts.observers, parts.resolution, parts.requests):
        part.stage(staging)
    if not staging.missions and not staging.reasons:
        staging.cannot("no part stages a mission, so nothing could fire")
    return table.close()


def stage_scenario(
    catalogue: Catalogue, form: ScenarioFile, folder: Path, variation: Variation | None = None
) -> Scenario:
    """Stage a scenario that was read from a game's own file; chart files are looked for in ``folder``.

    What a variation changes comes over what the file itself chooses.

    Raises as ``stage_engagement`` does.
    """
    scenarios = catalogue[form.game].game.scenarios
    if scenarios is None or not isinstance(form, scenarios.kind):
        raise ValueError(f"{form.game} has no scenario files of this form")
    charts = {name: below(folder, file) for name, file in form.charts.items()}
    more = variation or Variation()
    changed = attrs.evolve(more, options={**form.options, **more.options}, charts={**charts, **more.charts})
    table = _Table(catalogue, form.game, form.title, changed)
    try:
        scenarios.stage(form, table.staging, table.parts)
    except ValueError as error:
        # What is wrong with a file is told through the staging; this is a fault of the game.
        raise ProcedureError(f"{form.game} stumbled over staging {form.title!r}: {error}") from error
    return table.close()


def _beyond(engagement: Engagement | None) -> dict[str, str]:
    """Return what of an engagement few games have rules for, as a capability, with the part that it concerns."""
    if engagement is None:
        return {}
    drone, warfare = engagement.observer.kind == "drone", engagement.situation.electronic_warfare
    return {**({"drone": "observers"} if drone else {}), **({"electronic warfare": "delays"} if warfare else {})}


class _Table:
    """The parts of a table with a staging to fill, to be closed into a scenario."""

    def __init__(
        self, catalogue: Catalogue, key: str, title: str, variation: Variation, engagement: Engagement | None = None
    ) -> None:
        chosen = {word: variation.parts.get(word, key) for word in WORDS}
        made: dict[str, Any] = {
            word: part_of(catalogue, word, source, variation if source == key else Variation(note=variation.note))
            for word, source in chosen.items()
        }
        self.parts = Parts(**made)
        self.staging = Staging(title, self.parts.areas, engagement)
        for part in self.parts:
            for name, chart in part.decks.items():
                self.staging.deck(name, part.charts[chart])
        self._key, self._rules = key, variation.rules
        games = [catalogue[source].game for source in dict.fromkeys((key, *chosen.values()))]
        for game in games:
            if game.sources:
                self.staging.note(f"the rules of {game.title} are {game.sources}")
        for words, word in _beyond(engagement).items():
            game = catalogue[chosen[word]].game
            if words not in game.capabilities:
                self.staging.cannot(f"{words}: the rules of {game.title} know nothing of it")
        self._sentences = reduce(Sentences.over, (*(game.sentences for game in games), common()))

    def close(self) -> Scenario:
        """Close the staging; raises ``CannotStageError`` with all reasons that were given."""
        steps: dict[str, StepDef] = {}
        questions: dict[str, Question[Any]] = {}
        modifiers: list[Modifier] = []
        for part in self.parts:
            vars(part)["in_play"] = True
            for note in reconstructed(part.charts, self.staging.notes):
                self.staging.note(note)
            steps.update(part.steps())
            questions.update(part.questions())
            modifiers += [
                attrs.evolve(m, roll=m.roll if "." in m.roll else f"{part.word}.{m.roll}") for m in part.modifiers()
            ]
        modifiers += _house_rules(self._key, self._rules, steps)
        steps.update(cycle.steps())
        setup = self.staging.setup(self.parts.delays.clock())
        for part in self.parts:
            slots = [asset.slots.get(part.word) for asset in setup.missions.values()]
            slots += [unit.slots.get(part.word) for unit in setup.units.values()]
            if faults := list(undeclared(part, (setup.shared.get(part.word), *slots))):
                raise AdmissionError(f"{part.game}: {'; '.join(faults)}")
        return Scenario.of(setup, self.parts, steps, questions, tuple(modifiers), self._sentences)


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
