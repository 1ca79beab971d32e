"""The plan of a sweep: the contents of a plan file, and the points of its grid."""

from __future__ import annotations

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

from fireplan import sheets
from fireplan.analysis import load_engagement, shipped_engagements
from fireplan.errors import REMOTE
from fireplan.positions import with_facts
from fireplan_core import Game, find_numbers
from fireplan_core.extras import game_to_install
from fireplan_core.files import (
    MAX_BYTES,
    Complaint,
    Document,
    FileError,
    below,
    entry,
    nearest,
    parse_toml,
    read_ordinary,
)
from fireplan_core.play import Catalogue, shipped_scenarios
from fireplan_core.setups.setup import LONGEST_WATCH

MOST_POINTS = 1_000_000
_MOST_FAULTS = 101  # one more than the number that a message lists


@attrs.frozen(kw_only=True)
class Axis:
    """One axis of the grid: an option or number of a game, or a fact of the engagements.

    ``values`` lists its values.
    """

    option: str = entry("an option, as GAME.NAME", "", example="GAME.NAME")
    number: str = entry("a number, as GAME.NUMBER", "", example="GAME.NUMBER")
    fact: str = entry("a fact of the engagements", "", example="guns")
    values: tuple[str | int | bool, ...] = entry("the values it takes", example=(7, 8))

    @property
    def game(self) -> str:
        """The game that the option or number belongs to; empty for a fact."""
        return (self.option or self.number).partition(".")[0]

    @property
    def name(self) -> str:
        """The name of the option or number without its game, or of the fact."""
        return self.fact or (self.option or self.number).partition(".")[2]

    @property
    def whole(self) -> str:
        """The option or number as ``GAME.NAME``, or the name of the fact."""
        return self.option or self.number or self.fact


@attrs.frozen(kw_only=True)
class PlanFile:
    """The content of a plan file.

    Each of the games stages each of the engagements; a scenario has its own game.
    """

    title: str = entry("title, in one line")
    minutes: int | None = entry("minutes to watch", None, range=(1, LONGEST_WATCH))
    engagements: tuple[str, ...] = entry("shipped ones, or files beside the plan", ())
    scenarios: tuple[str, ...] = entry("shipped ones, or files beside the plan", ())
    games: tuple[str, ...] = entry("the games that stage the engagements; all by default", ())
    vary: tuple[Axis, ...] = entry("the axes of the grid", ())

    def check(self) -> Iterator[Complaint]:
        """Yield (key, message, suggestion) for each fault of the plan as a whole."""
        if not self.engagements and not self.scenarios:
            yield (
                "",
                "the plan names nothing to solve",
                'add engagements = ["woods"] or scenarios = ["GAME/NAME"]',
            )
        for n, axis in enumerate(self.vary):
            key = f"vary[{n}]"
            if sum(map(bool, (axis.option, axis.number, axis.fact))) != 1:
                hint = 'write option = "GAME.NAME", number = "GAME.NAME" or fact = "guns"'
                yield key, "expected exactly one of option, number and fact", hint
            elif not axis.fact and (not axis.game or not axis.name):
                kind = "option" if axis.option else "number"
                yield (
                    f"{key}.{kind}",
                    f"{axis.option or axis.number!r} does not name a game",
                    f'write {kind} = "GAME.NAME"',
                )
            if not axis.values:
                yield f"{key}.values", "no values", "name at least one"
            if len(set(map(str, axis.values))) < len(axis.values):
                yield f"{key}.values", "a value appears twice", "remove one of them"
            if axis.fact and not self.engagements:
                yield f"{key}.fact", "only engagements have facts", 'add engagements = ["woods"]'
        named = [axis.whole for axis in self.vary]
        for n, name in enumerate(named):
            if name in named[:n]:
                yield f"vary[{n}]", f"{name} is already varied", "put all values into one [[vary]]"


@attrs.frozen
class Point:
    """One point of the grid: case, game, options, numbers and facts, and the minutes watched."""

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
    """A plan ready to run: its points in order, and a hash of everything its results depend on."""

    plan: PlanFile
    points: tuple[Point, ...]
    key: str
    version: str


def read_plan(path: Path, catalogue: Catalogue) -> Sweep:
    """Return the sweep that a plan file describes.

    Raise ``FileError`` listing the faults of the file, or else every unknown engagement, scenario,
    game, option, number and value, or else games with nothing to stage or a grid of too many
    points.
    """
    document = parse_toml(path, what="plan")
    met: dict[str, sheets.SheetGame] = {}
    plan = _with_sheets(document.read(PlanFile), path.parent, met)
    for sheet in met.values():
        sheets.admit(catalogue, sheet)
    names = _PlanNames(catalogue, path.parent)
    complaints = list(islice(chain(names.cases(plan), names.axes(plan)), _MOST_FAULTS))
    if complaints:
        raise document.error(complaints)
    cases = _cases(plan, names)
    played = {game for *_, game in cases}
    idle = [
        (n, axis.game)
        for n, axis in enumerate(plan.vary)
        if not axis.fact and axis.game not in played
    ]
    if idle:
        hint = f"remove it, or add the game; the plan uses {', '.join(sorted(played))}"
        raise document.error(
            (f"vary[{n}]", f"{game} has nothing to stage in this plan", hint) for n, game in idle
        )
    count = sum(math.prod(len(axis.values) for axis in _axes_of(plan, case)) for case in cases)
    if not 0 < count <= MOST_POINTS:
        raise document.error(
            [("", f"the grid has {count:,} points", f"a sweep solves 1 to {MOST_POINTS:,}")]
        )
    points = tuple(_points(plan, cases, names))
    fireplan = version("fireplan")
    return Sweep(plan, points, _key(document, points, catalogue, fireplan), fireplan)


def _with_sheets(plan: PlanFile, folder: Path, met: dict[str, sheets.SheetGame]) -> PlanFile:
    """Return a plan in which keys of games replace the names of sheets in the plan's folder.

    A plan from another machine is returned unchanged, because it may not read files of this one.
    """
    if REMOTE.get():
        return plan

    def keys(names: Iterable[str]) -> tuple[str, ...]:
        return tuple(sheets.named(name, met, folder) for name in names)

    vary = tuple(
        attrs.evolve(
            axis,
            option=sheets.named(axis.option, met, folder),
            number=sheets.named(axis.number, met, folder),
        )
        for axis in plan.vary
    )
    return attrs.evolve(plan, games=keys(plan.games), scenarios=keys(plan.scenarios), vary=vary)


class _PlanNames:
    def __init__(self, catalogue: Catalogue, folder: Path) -> None:
        self.catalogue = catalogue
        self.folder = folder
        self.shipped = {
            False: dict(shipped_engagements()),
            True: dict(shipped_scenarios(catalogue)),
        }

    def file(self, name: str, *, scenario: bool) -> Path | Traversable:
        shipped: Mapping[str, Path | Traversable] = self.shipped[scenario]
        return shipped[name] if name in shipped else below(self.folder, name)

    def cases(self, plan: PlanFile) -> Iterator[Complaint]:
        for scenario, key, names in (
            (False, "engagements", plan.engagements),
            (True, "scenarios", plan.scenarios),
        ):
            for n, name in enumerate(names):
                try:
                    exists = self.file(name, scenario=scenario).is_file()
                except ValueError as error:
                    yield f"{key}[{n}]", str(error), ""
                    continue
                if not exists and game_to_install(name):
                    yield f"{key}[{n}]", *self.no_game(name.partition("/")[0])
                elif not exists:
                    shipped = ", ".join(nearest(name, self.shipped[scenario])) or "none"
                    hint = f"a file beside the plan, or one of {shipped}"
                    yield f"{key}[{n}]", f"there is no {key[:-1]} {name!r}", hint
                elif scenario and self.game_of(name) not in self.catalogue.games:
                    yield (
                        f"{key}[{n}]",
                        f"{name} does not name an installed game",
                        'start the file with game = "KEY"',
                    )
        for n, game in enumerate(plan.games):
            if game not in self.catalogue.games:
                yield f"games[{n}]", *self.no_game(game)

    def no_game(self, game: str) -> tuple[str, str]:
        """Return the fault of a game that is not installed, and a suggestion."""
        if distribution := game_to_install(game):
            return f"the game {game!r} is not installed", f"pip install {distribution}"
        return f"no game {game!r} is installed", f"one of {', '.join(self.catalogue.games)}"

    def game_of(self, name: str) -> str:
        return str(
            parse_toml(self.file(name, scenario=True), what="scenario").content.get("game", "")
        )

    def axes(self, plan: PlanFile) -> Iterator[Complaint]:
        for n, axis in enumerate(plan.vary):
            if axis.fact:
                yield from ((f"vary[{n}].fact", *fault) for fault in self.facts(plan, axis))
                continue
            key = f"vary[{n}].{'option' if axis.option else 'number'}"
            if axis.game not in self.catalogue.games:
                yield key, *self.no_game(axis.game)
                continue
            game = self.catalogue[axis.game].game
            for value in axis.values:
                fault = _fault(game, axis, value)
                if fault:
                    yield key, *fault
                    break

    def facts(self, plan: PlanFile, axis: Axis) -> Iterator[tuple[str, str]]:
        """Yield (problem, suggestion) for each fault in a fact's values.

        The values are tried on the first engagement.
        """
        try:
            engagement = load_engagement(self.file(plan.engagements[0], scenario=False))
        except (FileError, IndexError):
            return  # reported as a fault of the engagement itself
        for value in axis.values:
            try:
                with_facts(engagement, {axis.fact: value})
            except FileError as error:
                yield from (
                    (f"{fault.key}: {fault.message}", fault.suggestion) for fault in error.faults
                )


def _fault(game: Game, axis: Axis, value: str | int | bool) -> tuple[str, str] | None:  # noqa: FBT001 - a value from a file
    try:
        if axis.option:
            game.settled({axis.name: value})
        else:
            find_numbers(game.charts, axis.name)
            game.charts_with({}, {axis.name: str(value)})
    except ValueError as error:
        if axis.option:
            return str(error), f"'fireplan games --json' lists the options of {game.key}"
        return str(error), f"'fireplan numbers {game.key}' lists them all"
    return None


_Case = tuple[str, bool, str]
"""The name of an engagement or scenario, whether it is a scenario, and its game."""


def _cases(plan: PlanFile, names: _PlanNames) -> list[_Case]:
    games = plan.games or tuple(names.catalogue.games)
    cases = [(name, False, game) for name in plan.engagements for game in games]
    return cases + [(name, True, names.game_of(name)) for name in plan.scenarios]


def _points(plan: PlanFile, cases: list[_Case], names: _PlanNames) -> Iterator[Point]:
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


def _axes_of(plan: PlanFile, case: _Case) -> list[Axis]:
    """Return a case's axes: those of its game, and the facts if it is an engagement."""
    _, scenario, game = case
    return [axis for axis in plan.vary if (not scenario if axis.fact else axis.game == game)]


def _key(document: Document, points: tuple[Point, ...], catalogue: Catalogue, fireplan: str) -> str:
    """Return a hash of everything the results depend on: plan, files, charts and versions."""
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
    """Yield ``(case, file name, hash)`` for every case's file and the chart files that it names."""
    for case in cases:
        path = Path(case.path)
        charts = parse_toml(path).content.get("charts") if case.is_scenario else None
        named = charts.values() if isinstance(charts, dict) else ()
        for file in (path, *(path.parent / str(name) for name in named)):
            if file.is_file():  # reading the scenario reports a missing chart
                yield (
                    case.case,
                    file.name,
                    hashlib.sha256(read_ordinary(file, MAX_BYTES)).hexdigest(),
                )
