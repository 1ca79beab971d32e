"""The plan of a sweep: what a file may say, and the points of the grid that it means."""

import hashlib
import json
import math
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import version
from importlib.resources.abc import Traversable
from itertools import chain, islice, product
from pathlib import Path
from typing import Any

import attrs

from fireplan.analysis import load_engagement, shipped_engagements
from fireplan.positions import with_facts
from fireplan_core import Game, find_numbers
from fireplan_core.chance import CellError
from fireplan_core.files import MAX_BYTES, Document, FileError, below, parse_toml, read_ordinary
from fireplan_core.play import Catalogue, shipped_scenarios

LONGEST_WATCH = 24 * 60
MOST_POINTS = 1_000_000
_TOLD = 101  # faults that are looked for: one more than are named


@attrs.frozen(kw_only=True)
class Axis:
    """One thing that is varied: an option or a number of a game, or a fact of the engagements.

    And its values.
    """

    option: str = attrs.field(
        default="", metadata={"help": "GAME.NAME of an option", "example": "GAME.NAME"}
    )
    number: str = attrs.field(
        default="", metadata={"help": "GAME.NUMBER of a number", "example": "GAME.NUMBER"}
    )
    fact: str = attrs.field(
        default="", metadata={"help": "a fact of the engagements", "example": "guns"}
    )
    values: tuple[str | int | bool, ...] = attrs.field(
        metadata={"help": "the values it takes", "example": (7, 8)}
    )

    @property
    def game(self) -> str:
        """Return the game that it is about; none for a fact."""
        return (self.option or self.number).partition(".")[0]

    @property
    def name(self) -> str:
        """Return the name of the option or number, without the game, or of the fact."""
        return self.fact or (self.option or self.number).partition(".")[2]

    @property
    def whole(self) -> str:
        """Return the name with the game."""
        return self.option or self.number or self.fact


@attrs.frozen(kw_only=True)
class Plan:
    """Say what a plan file holds. Engagements are staged by each of the games.

    A scenario brings its own game.
    """

    title: str = attrs.field(metadata={"help": "one line"})
    minutes: int | None = attrs.field(
        default=None, metadata={"help": "watch so long", "range": (1, LONGEST_WATCH)}
    )
    engagements: tuple[str, ...] = attrs.field(
        default=(), metadata={"help": "shipped ones, or files beside the plan"}
    )
    scenarios: tuple[str, ...] = attrs.field(
        default=(), metadata={"help": "shipped ones, or files beside the plan"}
    )
    games: tuple[str, ...] = attrs.field(
        default=(), metadata={"help": "who stages the engagements; all by default"}
    )
    vary: tuple[Axis, ...] = attrs.field(default=(), metadata={"help": "what is varied"})

    def check(self) -> Iterator[tuple[str, str, str]]:
        """Yield what only shows when all is read."""
        if not self.engagements and not self.scenarios:
            yield (
                "",
                "nothing is to be solved",
                'add engagements = ["woods"] or scenarios = ["GAME/NAME"]',
            )
        for n, axis in enumerate(self.vary):
            key = f"vary[{n}]"
            if sum(map(bool, (axis.option, axis.number, axis.fact))) != 1:
                hint = 'write option = "GAME.NAME", number = "GAME.NAME" or fact = "guns"'
                yield key, "names an option, a number or a fact, one of them", hint
            elif not axis.fact and (not axis.game or not axis.name):
                kind = "option" if axis.option else "number"
                yield (
                    f"{key}.{kind}",
                    f"{axis.option or axis.number!r} names no game",
                    f'write {kind} = "GAME.NAME"',
                )
            if not axis.values:
                yield f"{key}.values", "no values", "name at least one"
            if len(set(map(str, axis.values))) < len(axis.values):
                yield f"{key}.values", "a value stands twice", "leave one out"
            if axis.fact and not self.engagements:
                yield f"{key}.fact", "only engagements have facts", 'add engagements = ["woods"]'
        named = [axis.whole for axis in self.vary]
        for n, name in enumerate(named):
            if name in named[:n]:
                yield f"vary[{n}]", f"{name} is varied already", "put all values into one [[vary]]"


@attrs.frozen
class Point:
    """One point of the grid: what is solved by which game, with which options and numbers, watched how long."""

    number: int
    case: str
    path: str
    is_scenario: bool
    game: str
    options: tuple[tuple[str, str | int | bool], ...]
    numbers: tuple[tuple[str, str], ...]
    minutes: int | None
    facts: tuple[tuple[str, str | int | bool], ...] = ()


@attrs.frozen(eq=False)
class Sweep:
    """A plan ready to run: its points in order, and the hash of all that its results rest on."""

    plan: Plan
    points: tuple[Point, ...]
    key: str
    version: str


def read_plan(path: Path, catalogue: Catalogue) -> Sweep:
    """Read a plan and lay out its grid.

    Raises ``FileError`` with all faults at once: those of the file, then every unknown engagement,
    scenario, game, option, number or value together.
    """
    document = parse_toml(path, what="plan")
    plan = document.read(Plan)
    found = _Names(catalogue, path.parent)
    complaints = list(islice(chain(found.cases(plan), found.axes(plan)), _TOLD))
    if complaints:
        raise document.error(complaints)
    cases = _cases(plan, found)
    played = {game for *_, game in cases}
    idle = [
        (n, axis.game)
        for n, axis in enumerate(plan.vary)
        if not axis.fact and axis.game not in played
    ]
    if idle:
        hint = f"leave it out, or let the game play; {', '.join(sorted(played))} do"
        raise document.error(
            (f"vary[{n}]", f"{game} plays nothing of this plan", hint) for n, game in idle
        )
    count = sum(math.prod(len(axis.values) for axis in _axes_of(plan, case)) for case in cases)
    if not 0 < count <= MOST_POINTS:
        raise document.error(
            [("", f"the grid has {count:,} points", f"1 to {MOST_POINTS:,} can be solved")]
        )
    points = tuple(_points(plan, cases, found))
    fireplan = version("fireplan")
    return Sweep(plan, points, _key(document, points, catalogue, fireplan), fireplan)


class _Names:
    def __init__(self, catalogue: Catalogue, folder: Path) -> None:
        self.catalogue = catalogue
        self.folder = folder
        self.known = {False: dict(shipped_engagements()), True: dict(shipped_scenarios(catalogue))}

    def file(self, name: str, *, scenario: bool) -> Path | Traversable:
        known: Mapping[str, Path | Traversable] = self.known[scenario]
        return known[name] if name in known else below(self.folder, name)

    def cases(self, plan: Plan) -> Iterator[tuple[str, str, str]]:
        for scenario, key, names in (
            (False, "engagements", plan.engagements),
            (True, "scenarios", plan.scenarios),
        ):
            for n, name in enumerate(names):
                try:
                    there = self.file(name, scenario=scenario).is_file()
                except ValueError as error:
                    yield f"{key}[{n}]", str(error), ""
                    continue
                if not there:
                    known = ", ".join(self.known[scenario]) or "none"
                    hint = f"a file beside the plan, or one of {known}"
                    yield f"{key}[{n}]", f"there is no {key[:-1]} {name!r}", hint
                elif scenario and self.game_of(name) not in self.catalogue.games:
                    yield f"{key}[{n}]", f"{name} names no installed game", "its first key is game"
        for n, game in enumerate(plan.games):
            if game not in self.catalogue.games:
                yield (
                    f"games[{n}]",
                    f"no game {game!r} is installed",
                    f"one of {', '.join(self.catalogue.games)}",
                )

    def game_of(self, name: str) -> str:
        return str(
            parse_toml(self.file(name, scenario=True), what="scenario").content.get("game", "")
        )

    def axes(self, plan: Plan) -> Iterator[tuple[str, str, str]]:
        for n, axis in enumerate(plan.vary):
            if axis.fact:
                yield from ((f"vary[{n}].fact", *wrong) for wrong in self.facts(plan, axis))
                continue
            key = f"vary[{n}].{'option' if axis.option else 'number'}"
            if axis.game not in self.catalogue.games:
                yield (
                    key,
                    f"no game {axis.game!r} is installed",
                    f"one of {', '.join(self.catalogue.games)}",
                )
                continue
            game = self.catalogue[axis.game].game
            for value in axis.values:
                wrong = _wrong(game, axis, value)
                if wrong:
                    yield key, *wrong
                    break

    def facts(self, plan: Plan, axis: Axis) -> Iterator[tuple[str, str]]:
        """Yield what is wrong with the values of a fact, tried on the first engagement."""
        try:
            engagement = load_engagement(self.file(plan.engagements[0], scenario=False))
        except (FileError, IndexError):
            return  # said of the engagement itself
        for value in axis.values:
            try:
                with_facts(engagement, {axis.fact: value})
            except FileError as error:
                yield from (
                    (f"{fault.key}: {fault.message}", fault.suggestion) for fault in error.faults
                )


def _wrong(game: Game, axis: Axis, value: str | int | bool) -> tuple[str, str] | None:  # noqa: FBT001 - a value of a file
    try:
        if axis.option:
            game.settled({axis.name: value})
        else:
            find_numbers(game.charts, axis.name)
            game.charts_with({}, {axis.name: str(value)})
    except CellError as error:
        return str(error), f"'fireplan numbers {game.key}' lists them all"
    except ValueError as error:
        return str(error), f"'fireplan games --json' lists the options of {game.key}"
    return None


_Case = tuple[str, bool, str]
"""The name of an engagement or scenario, whether it is a scenario, and its game."""


def _cases(plan: Plan, names: _Names) -> list[_Case]:
    games = plan.games or tuple(names.catalogue.games)
    cases = [(name, False, game) for name in plan.engagements for game in games]
    return cases + [(name, True, names.game_of(name)) for name in plan.scenarios]


def _points(plan: Plan, cases: list[_Case], names: _Names) -> Iterator[Point]:
    number = 0
    for name, scenario, game in cases:
        axes = _axes_of(plan, (name, scenario, game))
        for values in product(*(axis.values for axis in axes)):
            chosen = list(zip(axes, values, strict=True))
            yield Point(
                number,
                name,
                str(names.file(name, scenario=scenario)),
                scenario,
                game,
                tuple((axis.name, value) for axis, value in chosen if axis.option),
                tuple((axis.name, str(value)) for axis, value in chosen if axis.number),
                plan.minutes,
                tuple((axis.name, value) for axis, value in chosen if axis.fact),
            )
            number += 1


def _axes_of(plan: Plan, case: _Case) -> list[Axis]:
    """Return what is varied of a case: facts of engagements, and what belongs to its game."""
    _, scenario, game = case
    return [axis for axis in plan.vary if (not scenario if axis.fact else axis.game == game)]


def _key(document: Document, points: tuple[Point, ...], catalogue: Catalogue, fireplan: str) -> str:
    """A hash of everything that the results rest on: the plan, the files it names, their charts, and the versions."""
    files = [*_hashes({(point.case, point.is_scenario): point for point in points}.values())]
    games = {point.game: catalogue[point.game].version for point in points}
    content: dict[str, Any] = {
        "plan": document.content,
        "files": files,
        "games": games,
        "fireplan": fireplan,
    }
    return hashlib.sha256(json.dumps(content, sort_keys=True, default=str).encode()).hexdigest()


def _hashes(cases: Iterable[Point]) -> Iterator[tuple[str, str, str]]:
    """Every file of some cases and every chart file that a scenario of them names: case, name, hash."""
    for case in cases:
        path = Path(case.path)
        charts = parse_toml(path).content.get("charts") if case.is_scenario else None
        named = charts.values() if isinstance(charts, dict) else ()
        for file in (path, *(path.parent / str(name) for name in named)):
            if file.is_file():  # what a chart lacks is said where the scenario is read
                yield (
                    case.case,
                    file.name,
                    hashlib.sha256(read_ordinary(file, MAX_BYTES)).hexdigest(),
                )
