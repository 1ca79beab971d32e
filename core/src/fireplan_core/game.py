"""A game: its five parts, ledger, options and charts; and the hooks by which it is handed over."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import attrs
import pluggy

from fireplan_core.areas import Areas
from fireplan_core.chance import numbers_from_csv, read_csv
from fireplan_core.delays import Delays
from fireplan_core.files import entry, shipped
from fireplan_core.five_parts import Parts, PartTypes
from fireplan_core.ledger import Ledger, read_ledger
from fireplan_core.numbers import with_numbers
from fireplan_core.observers import Observers
from fireplan_core.requests import Requests
from fireplan_core.resolution import Resolution
from fireplan_core.sentences import Sentences, common, read_sentences
from fireplan_core.setups.staging import Staging
from fireplan_core.steps.part import Modifier, StepDef

hookspec = pluggy.HookspecMarker("fireplan")
hookimpl = pluggy.HookimplMarker("fireplan")

CORE_API = 1

Options = Mapping[str, Any]
Charts = Mapping[str, Any]
"""Charts by name: ``Chart`` values, or whatever class a game reads one into."""


@attrs.frozen
class Option:
    """A documented choice where a text leaves one: its values, default first, and its rule."""

    name: str
    values: tuple[Any, ...]
    cite: str
    summary: str

    @property
    def default(self) -> Any:
        """Return the first value."""
        return self.values[0]


def options_from_csv(file: Path | Traversable) -> tuple[Option, ...]:
    """Return the options in a file: name, values (the default first, parted by ``|``), rule and summary in each row."""
    return tuple(
        Option(
            row["name"], tuple(map(_value, row["values"].split(" | "))), row["rule"], row["summary"]
        )
        for row in read_csv(file)
    )


def _value(text: str) -> str | int | bool:
    if text in ("false", "true"):
        return text == "true"
    return int(text) if text.removeprefix("-").isdigit() else text


@attrs.frozen(kw_only=True)
class ScenarioFile:
    """Say what every scenario file holds.

    A game's own form adds its tables (``[[battery]]``, ``[[unit]]`` ...).

    ``options`` chooses among the game's documented options, ``charts`` replaces charts by files of the user's
    (paths beside the scenario file).
    """

    game: str = entry("the game's key, e.g. as 'fireplan games' lists them")
    title: str = entry("one line")
    moments: int = entry("how many moments are played", range=(1, 1000))
    summary: str = entry("a sentence or two", "", multiline=True)
    options: Mapping[str, str | int | bool] = entry("options of the game", attrs.Factory(dict))
    charts: Mapping[str, str] = entry("charts replaced by files", attrs.Factory(dict))


@attrs.frozen(eq=False, repr=False)
class ScenarioForm:
    """A game's own scenario files: the class that one is read into, and how it is staged on a table of these parts.

    In a game with campaigns ``follow(form, scenario, read, keeps, moments)`` makes the scenario
    after one played to its end: ``read(key, default)`` gives its last state, ``keeps`` is the side
    whose calls carry over (None: nobody's).
    """

    kind: type[ScenarioFile]
    stage: Callable[[Any, Staging, Parts], None]
    shipped: Mapping[str, Path | Traversable] = attrs.field(factory=dict)
    follow: (
        Callable[[Any, Any, Callable[[str, Any], Any], str | None, int | None], ScenarioFile] | None
    ) = None


@attrs.frozen(eq=False, repr=False)
class Game:
    """Say what a game tells about itself.

    ``parts`` are the classes of its five parts. ``charts["numbers"]`` holds its named numbers; ``sentences`` are what
    is said at its table (``read_sentences``).
    ``chart_readers`` read a user's file in place of a chart, refusing it with every fault (``ChartError``). ``goal`` is
    the measure that best orders are usually sought for. ``sources`` says what the rules come from where no rulebook was
    at hand ("from second-hand sources"): all that rests on the game says so, and it is compared only when asked for.
    """

    key: str
    title: str
    edition: str
    ledger: Ledger
    parts: PartTypes | None = None
    options: tuple[Option, ...] = ()
    charts: Charts = attrs.field(factory=dict)
    capabilities: tuple[str, ...] = ()
    chart_readers: Mapping[str, Callable[[Path], Any]] = attrs.field(factory=dict)
    scenarios: ScenarioForm | None = None
    sentences: Sentences = attrs.field(factory=Sentences)
    goal: str = "on_target"
    sources: str = ""
    core_api: int = CORE_API

    @cached_property
    def words(self) -> Sentences:
        """Return its sentences, and those that serve every game."""
        return self.sentences.over(common())

    @classmethod
    def read(cls, key: str, data: Traversable, parts: PartTypes, **more: Any) -> Game:
        """Return the game whose data lie in a folder.

        ``more`` is what no file says, by the names of the fields.

        The ledger is ``rules.toml``, with title and edition; besides it are read, where there are
        such files, ``options.csv``, ``sentences.toml``, the chart of numbers ``numbers.csv``, and
        all scenarios in ``scenarios``.
        """
        ledger = read_ledger(data / "rules.toml")
        found: dict[str, Any] = {"title": ledger.title, "edition": ledger.edition, **more}
        charts, form = more.get("charts", {}), more.get("scenarios")
        if (file := data / "options.csv").is_file():
            found["options"] = options_from_csv(file)
        if (file := data / "sentences.toml").is_file():
            found["sentences"] = read_sentences(file)
        if (file := data / "numbers.csv").is_file():
            found["charts"] = {"numbers": numbers_from_csv("numbers", file), **charts}
        if form is not None and not form.shipped:
            found["scenarios"] = attrs.evolve(form, shipped=shipped(data / "scenarios"))
        return cls(key, ledger=ledger, parts=parts, **found)

    def charts_with(
        self, files: Mapping[str, Path], numbers: Mapping[str, str] | None = None
    ) -> Charts:
        """Return the charts, some read from the user's files instead, then some of their numbers changed by name.

        Raises ValueError naming every chart that cannot be replaced, ``ChartError`` for a file that
        cannot be used, ``CellError`` naming every number that there is not and every value that
        cannot stand.
        """
        unknown = [name for name in files if name not in self.chart_readers]
        if unknown:
            known = ", ".join(self.chart_readers) or "none"
            raise ValueError(
                f"{self.key}: no chart {', '.join(unknown)} can be replaced; these can: {known}"
            )
        charts = {
            **self.charts,
            **{name: self.chart_readers[name](file) for name, file in files.items()},
        }
        return with_numbers(charts, numbers) if numbers else charts

    def settled(self, chosen: Mapping[str, Any]) -> dict[str, Any]:
        """Return all options with the chosen values laid over the defaults.

        Raises ValueError naming every unknown option or value.
        """
        known = {option.name: option for option in self.options}
        faults = [
            f"{self.key} has no option {name!r}; it has {', '.join(known) or 'none'}"
            for name in chosen
            if name not in known
        ]
        faults += [
            f"{self.key} option {name}: {value!r} is not one of {', '.join(map(str, known[name].values))}"
            for name, value in chosen.items()
            if name in known and value not in known[name].values
        ]
        if faults:
            raise ValueError("; ".join(faults))
        return {name: chosen.get(name, option.default) for name, option in known.items()}


class GameSpec:
    """The hooks of a game: ``fireplan_game`` is asked by the catalogue.

    A game whose parts are more than classes (``Game.parts``) answers the other five, each when a
    table is made.
    """

    @hookspec(firstresult=True)
    def fireplan_game(self) -> Game | None:
        """Return what the game tells about itself."""

    @hookspec(firstresult=True)
    def fireplan_observers(self, options: Options, charts: Charts) -> Observers | None:
        """Return the part that says who may observe and what he sees."""

    @hookspec(firstresult=True)
    def fireplan_requests(self, options: Options, charts: Charts) -> Requests | None:
        """Return the part that asks for fire."""

    @hookspec(firstresult=True)
    def fireplan_delays(self, options: Options, charts: Charts) -> Delays | None:
        """Return the part that brings the clock, and the delay from request to readiness."""

    @hookspec(firstresult=True)
    def fireplan_areas(self, options: Options, charts: Charts) -> Areas | None:
        """Return the part that says where fire lands and what it covers."""

    @hookspec(firstresult=True)
    def fireplan_resolution(self, options: Options, charts: Charts) -> Resolution | None:
        """Return the part that says what fire does to what it covers."""


class RuleSpec:
    """The hooks of house rules: laid over a game without changing it."""

    @hookspec
    def fireplan_modifiers(self) -> tuple[Modifier, ...] | None:
        """Return the modifiers added to named rolls (``delays.maintenance``)."""

    @hookspec
    def fireplan_variants(self) -> Mapping[str, Callable[[StepDef], StepDef]] | None:
        """Return what is made of named steps: by full name, a function from step to step."""
