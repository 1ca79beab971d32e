"""The description of a game (parts, rules, options, charts) and the plugin hooks to provide it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, cached_property
from importlib.metadata import entry_points
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import attrs
import pluggy

from fireplan_core.areas import Areas
from fireplan_core.chance import Numbers, numbers_from_csv, read_csv
from fireplan_core.delays import Delays
from fireplan_core.files import Complaint, entry, shipped
from fireplan_core.five_parts import Parts, PartTypes
from fireplan_core.ledger import Ledger, read_ledger
from fireplan_core.numbers import with_numbers
from fireplan_core.observers import Observers
from fireplan_core.record import Read
from fireplan_core.requests import Requests
from fireplan_core.resolution import Resolution
from fireplan_core.sentences import Sentences, common, read_sentences
from fireplan_core.setups.staging import Staging
from fireplan_core.steps.part import Modifier, StepDef

hookspec = pluggy.HookspecMarker("fireplan")
hookimpl = pluggy.HookimplMarker("fireplan")

GROUP = "fireplan.games"
"""The group of entry points from which games are loaded."""
CORE_API = 1
"""The version of the core's interface for which games are written."""

Options = Mapping[str, Any]
"""Maps the name of each option to the chosen value."""
Charts = Mapping[str, Any]
"""Maps the name of each chart to a ``Chart`` or an object of the game's own class."""


@attrs.frozen
class Option:
    """An option of the rules: its name, values (the default first), rule and summary.

    >>> Option("late", ("no", "yes"), "2.1", "whether a late call counts").default
    'no'
    """

    name: str
    values: tuple[Any, ...]
    cite: str
    summary: str

    @property
    def default(self) -> Any:
        """The default value, which is the first in ``values``."""
        return self.values[0]


def options_from_csv(file: Path | Traversable) -> tuple[Option, ...]:
    r"""Return the options listed in a CSV file.

    The file has the columns ``name``, ``values``, ``rule`` and ``summary``. Values are separated by
    `` | ``, and the first is the default.

    >>> from pathlib import Path
    >>> file = Path("options.csv")
    >>> text = "name,values,rule,summary\nlate,no | yes,2,whether a late call counts\n"
    >>> size = file.write_text(text)
    >>> options_from_csv(file)[0].values
    ('no', 'yes')
    """
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
    """The fields common to all scenario files.

    Each game adds its own tables in a subclass, e.g. ``[[battery]]``. ``options`` sets options of
    the game, ``numbers`` its numbers by name. ``charts`` replaces charts with the user's files,
    whose paths are relative to the scenario file.

    >>> import attrs
    >>> @attrs.frozen(kw_only=True)
    ... class RaidFile(ScenarioFile):
    ...     guns: int = 4
    >>> RaidFile(game="my_game", title="A raid at dawn", moments=6).guns
    4
    """

    game: str = entry("the game's key, as listed by 'fireplan games'")
    title: str = entry("title, in one line")
    moments: int = entry("number of moments to play", range=(1, 1000))
    summary: str = entry("a sentence or two", "", multiline=True)
    wants: Mapping[str, str] = entry(
        "who each side is and what it wants, by side, for its player",
        attrs.Factory(dict),
        multiline=True,
    )
    options: Mapping[str, str | int | bool] = entry(
        "values for options of the game", attrs.Factory(dict)
    )
    numbers: Mapping[str, int | str] = entry(
        "changed numbers of the game, by name", attrs.Factory(dict)
    )
    charts: Mapping[str, str] = entry("files that replace charts", attrs.Factory(dict))


def _integers(label: str) -> tuple[int, ...]:
    """Return the integers in a label such as ``120,-40``."""
    return tuple(map(int, label.split(",")))


@attrs.frozen(eq=False, repr=False)
class ScenarioForm:
    """The form of a game's scenario files: the class of their content and the staging function.

    ``faults(form, parts)`` yields the faults of a file that depend on the table's numbers, e.g. a
    hex that is not on its map; other faults are found by the class itself. ``shipped`` maps names
    to the files shipped with the game. In a game with campaigns, ``follow(form, scenario, read,
    keeps, moments)`` returns the scenario that follows ``scenario`` once it has been played to its
    end. ``read(key, default)`` reads the final state, and ``keeps`` is the side whose calls for
    fire carry over, or None. ``units`` is the table of the file that lists its units, and ``place``
    the keys that give a unit's position; if there are several, ``coordinates`` returns their values
    for the label of a place, and raises ValueError for any other text.

    >>> def stage_raid(form, staging, parts):
    ...     staging.place = staging.frame.parse(form.target)
    >>> ScenarioForm(ScenarioFile, stage_raid).units
    'unit'
    """

    kind: type[ScenarioFile]
    stage: Callable[[Any, Staging, Parts], None]
    shipped: Mapping[str, Path | Traversable] = attrs.field(factory=dict)
    faults: Callable[[Any, Parts], Iterable[Complaint]] | None = None
    follow: Callable[[Any, Any, Read, str | None, int | None], ScenarioFile] | None = None
    units: str = "unit"
    place: tuple[str, ...] = ("place",)
    coordinates: Callable[[str], Sequence[int]] = _integers


@attrs.frozen(eq=False, repr=False)
class Game:
    """The description of a game: its parts, rules, options, charts, scenarios and texts.

    ``parts`` contains the classes of its five parts, ``charts["numbers"]`` contains its named
    numbers, and ``sentences`` contains the texts used at its table (see ``read_sentences``). Each
    function in ``chart_readers`` reads a user's file that replaces a chart, and raises
    ``FileError`` listing every fault. ``goal`` is the default measure for ranking orders.
    ``sources`` names the source of the rules if no rulebook was available ("from second-hand
    sources"); results then say so, and the game is compared with others only on request. Copying a
    game returns the same object. A pickle names an installed game by its key; any other game is
    built again by ``recipe``, a function with its arguments.

    >>> from fireplan_core.ledger import Ledger
    >>> late = Option("late", ("no", "yes"), "2.1", "whether a late call counts")
    >>> ledger = Ledger("My game", "first edition", {})
    >>> Game("my_game", ledger.title, ledger.edition, ledger, options=(late,)).settled({})
    {'late': 'no'}
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
    recipe: tuple[Callable[..., Game], tuple[Any, ...]] | None = None

    def __reduce__(self) -> tuple[Callable[..., Game], tuple[Any, ...]]:
        return self.recipe or (installed_game, (self.key,))

    def __deepcopy__(self, _memo: dict[int, Any]) -> Game:
        return self

    __copy__ = __deepcopy__

    @cached_property
    def words(self) -> Sentences:
        """The game's sentences, supplemented by the sentences common to all games."""
        return self.sentences.over(common())

    @classmethod
    def read(cls, key: str, data: Traversable, parts: PartTypes, **more: Any) -> Game:
        """Return the game described by the data files in a folder; ``more`` adds further fields.

        ``rules.toml`` provides the ledger, title and edition. ``options.csv``, ``sentences.toml``
        and the named numbers in ``numbers.csv`` are read if they exist. The files in ``scenarios``
        are read if ``more`` has a form for scenarios that does not list them itself.
        """
        ledger = read_ledger(data / "rules.toml")
        fields: dict[str, Any] = {"title": ledger.title, "edition": ledger.edition, **more}
        charts, form = more.get("charts", {}), more.get("scenarios")
        if (path := data / "options.csv").is_file():
            fields["options"] = options_from_csv(path)
        if (path := data / "sentences.toml").is_file():
            fields["sentences"] = read_sentences(path)
        if (path := data / "numbers.csv").is_file():
            fields["charts"] = {"numbers": numbers_from_csv("numbers", path), **charts}
        if form is not None and not form.shipped:
            fields["scenarios"] = attrs.evolve(form, shipped=shipped(data / "scenarios"))
        return cls(key, ledger=ledger, parts=parts, **fields)

    def charts_with(
        self, files: Mapping[str, Path], numbers: Mapping[str, str] | None = None
    ) -> Charts:
        """Return the game's charts, with the given charts and numbers replaced by the user's.

        ``files`` maps the names of charts to files; ``numbers`` maps the names of numbers, with or
        without the game's key before them, to new values. Raises ValueError naming every chart that
        cannot be replaced, every unknown number and every invalid value, or if a number is changed
        twice, and ``FileError`` for an invalid file.
        """
        unknown = [name for name in files if name not in self.chart_readers]
        if unknown:
            replaceable = ", ".join(self.chart_readers) or "none"
            raise ValueError(
                f"{self.key}: chart {', '.join(unknown)} cannot be replaced; replaceable: {replaceable}"
            )
        charts = {
            **self.charts,
            **{name: self.chart_readers[name](file) for name, file in files.items()},
        }
        named = {name.removeprefix(f"{self.key}."): to for name, to in (numbers or {}).items()}
        if len(named) < len(numbers or {}):
            raise ValueError(f"a number is changed twice: {', '.join(numbers or {})}")
        changed = with_numbers(charts, named)
        return {
            name: attrs.evolve(chart, at_table=True) if isinstance(chart, Numbers) else chart
            for name, chart in changed.items()
        }

    def settled(self, chosen: Mapping[str, Any]) -> dict[str, Any]:
        """Return the value of every option by name: the chosen value, or else the default.

        Raises ValueError naming every unknown option or value.
        """
        options = {option.name: option for option in self.options}
        faults = [
            f"{self.key} has no option {name!r}; it has {', '.join(options) or 'none'}"
            for name in chosen
            if name not in options
        ]
        faults += [
            f"{self.key} option {name}: {value!r} is not one of {', '.join(map(str, options[name].values))}"
            for name, value in chosen.items()
            if name in options and value not in options[name].values
        ]
        if faults:
            raise ValueError("; ".join(faults))
        return {name: chosen.get(name, option.default) for name, option in options.items()}


@cache
def installed_game(key: str) -> Game:
    """Return the installed game with this key; raises ValueError if there is none."""
    (entry,) = entry_points(group=GROUP, name=key)
    game: Game = entry.load().fireplan_game()
    return game


class GameSpec:
    """The plugin hooks of a game; only ``fireplan_game`` is required.

    The other five are called when a table is set up. A game needs them only if its parts cannot be
    built simply from the classes in ``Game.parts``.
    """

    @hookspec(firstresult=True)
    def fireplan_game(self) -> Game | None:
        """Return the description of the game; every plugin of a game must implement this hook."""

    @hookspec(firstresult=True)
    def fireplan_observers(self, options: Options, charts: Charts) -> Observers | None:
        """Return the game's observers part for these options and charts.

        If the result is None, the part is made from its class in ``Game.parts``.
        """

    @hookspec(firstresult=True)
    def fireplan_requests(self, options: Options, charts: Charts) -> Requests | None:
        """Return the game's requests part for these options and charts.

        If the result is None, the part is made from its class in ``Game.parts``.
        """

    @hookspec(firstresult=True)
    def fireplan_delays(self, options: Options, charts: Charts) -> Delays | None:
        """Return the game's delays part for these options and charts.

        If the result is None, the part is made from its class in ``Game.parts``.
        """

    @hookspec(firstresult=True)
    def fireplan_areas(self, options: Options, charts: Charts) -> Areas | None:
        """Return the game's areas part for these options and charts.

        If the result is None, the part is made from its class in ``Game.parts``.
        """

    @hookspec(firstresult=True)
    def fireplan_resolution(self, options: Options, charts: Charts) -> Resolution | None:
        """Return the game's resolution part for these options and charts.

        If the result is None, the part is made from its class in ``Game.parts``.
        """


class RuleSpec:
    """The plugin hooks of house rules, which change a game without editing its code."""

    @hookspec
    def fireplan_modifiers(self) -> tuple[Modifier, ...] | None:
        """Return modifiers to add to named rolls, e.g. ``delays.maintenance``, or None."""

    @hookspec
    def fireplan_variants(self) -> Mapping[str, Callable[[StepDef], StepDef]] | None:
        """Return a function for each step to replace, by the step's full name.

        The function receives the old step and returns the new one. None replaces no step.
        """
