"""Comparing games: one engagement staged by each, answered by every yardstick, written as data."""

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from fractions import Fraction
from functools import partial
from typing import Any, Protocol

import attrs

from fireplan.analysis.answers import (
    SAMPLED,
    Comparison,
    GameAnswer,
    Measured,
    NotModelled,
    SampledAnswer,
)
from fireplan.analysis.sensitivities import MovableNumbers
from fireplan.analysis.settings import Setting
from fireplan.analysis.yardsticks import answer
from fireplan.draw.palette import looks_of
from fireplan.errors import argument_name, refuse
from fireplan.sheets import SHEET
from fireplan.solver import Analysis, Compiler, ConditionedAnalysis, TooLargeError, announce
from fireplan.strategies import STANDARD_ORDERS, Strategy, StrategyError, scenario_under, unfit
from fireplan_core import CannotStageError, Clock, Engagement, Scenario
from fireplan_core.play import Catalogue, Variation, stage_engagement

Progress = Callable[[str, str], None]


class Given(Protocol):
    """Conditions that are known to hold in one table; its figures are conditional on them."""

    @property
    def text(self) -> str:
        """The conditions in words."""

    def compiler(self) -> Compiler:
        """Return a compiler that watches for the conditions."""

    def imposed(self, analysis: Analysis) -> tuple[ConditionedAnalysis | None, Fraction]:
        """Return the analysis under the conditions, and their chance.

        Without any conditions, return None and 1.
        """


@attrs.frozen(eq=False, repr=False)
class Contender:
    """A column of a comparison: a game as printed, or with a variation, and the orders given.

    ``given`` returns the conditions that are known to hold in the game's table. Unless ``harm`` is
    set, the effect on the target, which takes longest to solve, is left out.
    """

    name: str
    game: str
    title: str
    variation: Variation | None = None
    orders: Strategy = STANDARD_ORDERS
    harm: bool = True
    given: Callable[[Scenario], Given] | None = None


def default_games(catalogue: Catalogue) -> tuple[str, ...]:
    """Return the keys of the games compared by default: those with a rulebook, but no sheets.

    Return the keys of all games if there are none with a rulebook.
    """
    return tuple(
        key
        for key, installed in catalogue.games.items()
        if not installed.game.sources and installed.distribution != SHEET
    ) or tuple(catalogue.games)


Instead = Callable[[Contender, Scenario, int, str], SampledAnswer]


def contenders(catalogue: Catalogue, games: Iterable[str] | None = None) -> tuple[Contender, ...]:
    """Return a contender for each of these games as printed; by default, for all installed games.

    Raise ``KeyError`` for an unknown game.
    """
    keys = tuple(catalogue.games) if games is None else tuple(games)
    return tuple(Contender(key, key, catalogue[key].game.title) for key in keys)


def compare(
    engagement: Engagement,
    catalogue: Catalogue,
    entrants: Iterable[Contender] | None = None,
    progress: Progress = lambda _name, _yardstick: None,
    begin: Callable[[float], None] = lambda _seconds: None,
    instead: Instead | None = None,
    *,
    solved: bool = True,
) -> Comparison:
    """Return the answers of the contenders (by default all installed games as printed).

    ``progress(name, yardstick)`` is called with each answer. ``begin`` is called for each contender
    with the estimated seconds; if it raises an exception, the contender fails. ``instead(entrant,
    scenario, moments, reason)`` returns the sampled answer of a contender that is too large to
    solve, or of every contender unless ``solved`` is set. Without ``instead``, a contender that is
    too large fails. An error in a game is recorded in ``failed``, and the others continue.

    Raises the errors of staging a variation, such as ``ValueError`` for unknown options and charts
    and ``FileError`` for an unusable chart file. Raises ``InputError`` for orders given in advance
    that do not fit or are never on offer, and ``StrategyError`` for an order that is refused.
    """
    columns = tuple(contenders(catalogue) if entrants is None else entrants)
    solving = _Solving(catalogue, engagement, columns)
    answering = _Answering(catalogue, engagement, solving, progress, begin, instead, solved=solved)
    for entrant in columns:
        answering.add(entrant)
    refuse(answering.never_offered)
    titles = {entrant.name: entrant.title for entrant in columns}
    looked = looks_of((*sorted(catalogue.games), *titles))
    return Comparison(
        engagement,
        answering.answers,
        answering.cannot,
        titles,
        looked,
        answering.sampled,
        answering.failed,
        answering.given,
    )


def _watching(clock: Clock, moments: int) -> str:
    """Return the argument ``minutes`` that gives a watch of this length, e.g. ``minutes=24``."""
    return f"{argument_name('minutes')}={int(moments * clock.minutes)}"


class _Solving:
    """The solved games of a comparison, reused for columns that change only numbers."""

    def __init__(
        self, catalogue: Catalogue, engagement: Engagement, entrants: Iterable[Contender]
    ) -> None:
        self._catalogue = catalogue
        self._engagement = engagement
        self._changed = {
            (entrant.game, entrant.orders)
            for entrant in entrants
            if _changes_only_numbers(entrant.variation)
        }
        self._printed: dict[tuple[str, Strategy], MovableNumbers] = {}

    def analysis(
        self, entrant: Contender, scenario: Scenario, moments: int, known: Given | None
    ) -> Analysis:
        """Return a contender's analysis, reusing the printed game if only numbers have changed.

        Nothing is reused if conditions are ``known`` to hold.
        """
        if known is not None:
            return Analysis(scenario, moments, compiler=known.compiler())
        key = entrant.game, entrant.orders
        if entrant.variation is None and key in self._changed:
            table = Setting(
                self._catalogue,
                entrant.game,
                entrant.name,
                entrant.title,
                self._engagement,
                orders=entrant.orders,
            )
            self._printed[key] = MovableNumbers.of(table, Variation())
            return self._printed[key].analysis
        if (
            entrant.variation is None
            or key not in self._printed
            or not _changes_only_numbers(entrant.variation)
        ):
            return Analysis(scenario, moments)
        names = {f"{entrant.game}.{name}" for name in entrant.variation.numbers}
        return self._printed[key].changed(scenario, names)


@attrs.define(eq=False)
class _Answering:
    """The answers of a comparison so far; the first arguments are those of ``compare``."""

    catalogue: Catalogue
    engagement: Engagement
    solving: _Solving
    progress: Progress
    begin: Callable[[float], None]
    instead: Instead | None
    solved: bool = attrs.field(kw_only=True)
    answers: dict[str, GameAnswer] = attrs.field(factory=dict)
    sampled: dict[str, SampledAnswer] = attrs.field(factory=dict)
    cannot: dict[str, tuple[str, ...]] = attrs.field(factory=dict)
    failed: dict[str, str] = attrs.field(factory=dict)
    given: dict[str, tuple[str, Fraction]] = attrs.field(factory=dict)
    never_offered: list[str] = attrs.field(factory=list)

    def add(self, entrant: Contender) -> None:
        """Stage a contender and answer it, or record the reason why there is no answer."""
        scenario = self._staged(entrant)
        if scenario is None:
            return
        try:
            self._answer(entrant, scenario, scenario.clock.moments(self.engagement.minutes))
        except StrategyError:
            raise
        except Exception as error:  # noqa: BLE001 - a game may raise anything; the others continue
            self.failed[entrant.name] = broken(error)

    def _staged(self, entrant: Contender) -> Scenario | None:
        """Return the scenario of a contender; if there is none, record the reason."""
        try:
            staged = stage_engagement(
                self.catalogue, entrant.game, self.engagement, entrant.variation
            )
            return scenario_under(staged, entrant.orders)
        except CannotStageError as error:
            self.cannot[entrant.name] = tuple(error.reasons)
        except Exception as error:
            if entrant.variation is not None or entrant.orders.rules:
                raise  # the variation or the orders requested do not fit the game
            self.failed[entrant.name] = broken(error)
        return None

    def _answer(self, entrant: Contender, scenario: Scenario, moments: int) -> None:
        """Record the answer of a contender: solved, or sampled if asked for or too large."""
        if self.instead is not None and not self.solved:
            self.sampled[entrant.name] = self.instead(entrant, scenario, moments, "")
            return
        try:
            self.answers[entrant.name] = self._solve(entrant, scenario, moments)
        except TooLargeError as error:
            if self.instead is None:
                raise
            self.sampled[entrant.name] = self.instead(entrant, scenario, moments, str(error))

    def _solve(self, entrant: Contender, scenario: Scenario, moments: int) -> GameAnswer:
        """Return the exact answer of a contender, under its conditions if it has any.

        The conditions and their chance are recorded in ``given``, and orders that the rules never
        offered in ``never_offered``.
        """
        known = entrant.given(scenario) if entrant.given else None
        analysis = self.solving.analysis(entrant, scenario, moments, known)
        announce(analysis, self.begin, partial(_watching, scenario.clock))
        conditioned = None
        if known is not None:
            conditioned, chance = known.imposed(analysis)
            self.given[entrant.name] = known.text, chance
        solved = answer(
            self.catalogue[entrant.game].game,
            analysis,
            partial(self.progress, entrant.name),
            given=conditioned,
            drawn=True,
            harm=entrant.harm,
        )
        self.never_offered += unfit(analysis.scenario)
        return attrs.evolve(solved, key=entrant.name, title=entrant.title)


def _changes_only_numbers(variation: Variation | None) -> bool:
    others = (
        ()
        if variation is None
        else (variation.options, variation.charts, variation.parts, variation.rules)
    )
    return variation is not None and not any(others)


def broken(error: Exception) -> str:
    """Return an error as a sentence, with its notes, which name the step and the rule."""
    kind = "" if isinstance(error, ValueError) else f"{type(error).__name__}: "
    return "; ".join([f"{kind}{error}", *getattr(error, "__notes__", ())])


def _plain(value: Any) -> Any:
    """Return a value as JSON can hold it: a fraction as a number, an enum member as its value.

    Any other value is returned unchanged.
    """
    if isinstance(value, Fraction):
        return int(value) if value.denominator == 1 else float(value)
    return value.value if isinstance(value, Enum) else value


def _measure(measured: Measured | NotModelled) -> dict[str, Any]:
    if isinstance(measured, NotModelled):
        return {"not_modelled": measured.reason}
    share: Callable[[Any], str | float] = str if measured.exact else float
    data: dict[str, Any] = {"exact": measured.exact, "unit": measured.unit}
    if measured.number is not None:
        data["value"] = share(measured.number)
    if measured.distribution is None:
        return data
    pairs = [
        {"value": _plain(value), "probability": share(chance)}
        for value, chance in measured.distribution
    ]
    return data | {"distribution": pairs, "unresolved": share(measured.unresolved)}


def answer_data(game: GameAnswer) -> dict[str, Any]:
    """Return the answers of a game as nested dictionaries, fit for JSON."""
    return {
        "title": game.title,
        "edition": game.edition,
        "moment": game.moment,
        "minutes_per_moment": _plain(game.minutes_per_moment),
        "grain_minutes": _plain(game.grain),
        "moments": game.moments,
        "states": game.states,
        "exact": game.exact,
        "measures": {name: _measure(measured) for name, measured in game.measures.items()},
        "rests_on": list(game.notes),
    }


def sampled_measures(shares: Mapping[str, tuple[float, float]]) -> dict[str, dict[str, Any]]:
    """Map each yardstick to a dictionary with its sampled share and the share's standard error.

    ``shares`` maps labels to (share, standard error). A label without a yardstick is its own key.
    """
    pairs = ((SAMPLED.get(label, label), pair) for label, pair in shares.items())
    kind = {"exact": False, "unit": "probability"}
    return {
        name: {**kind, "value": share, "standard_error": error} for name, (share, error) in pairs
    }


def as_data(comparison: Comparison) -> dict[str, Any]:
    """Return the comparison as nested dictionaries; exact probabilities are strings (``"1/6"``)."""
    engagement = attrs.asdict(comparison.engagement) | {
        "date": comparison.engagement.date.isoformat()
    }
    answers: dict[str, Any] = {key: answer_data(game) for key, game in comparison.games.items()}
    for key, game in comparison.sampled.items():
        head = {name: getattr(game, name) for name in ("title", "why", "trajectories", "seed")}
        answers[key] = {
            **head,
            "exact": False,
            "measures": sampled_measures(game.shares),
            "rests_on": [*game.notes],
        }
    for key, (condition, chance) in comparison.given.items():
        if key in answers:
            answers[key] |= {"given": condition, "chance_of_that": str(chance)}
    answers |= {key: {"cannot_stage": list(reasons)} for key, reasons in comparison.cannot.items()}
    answers |= {key: {"failed": reason} for key, reason in comparison.failed.items()}
    return {"engagement": engagement, "games": answers}


def as_json(comparison: Comparison) -> str:
    """Return the comparison as JSON text."""
    return json.dumps(as_data(comparison), indent=2, ensure_ascii=False) + "\n"


def as_rows(comparison: Comparison) -> list[dict[str, Any]]:
    """Return the comparison as rows: game, measure, unit, value, exact probability, decimal.

    A game without answers has a row for each reason.
    """
    rows = [
        {"game": key, **row} for key, game in comparison.games.items() for row in answer_rows(game)
    ]
    rows += [
        {"game": key, **_row(name, ["sampled", "", "", f"{measure['value']:.6f}"])}
        for key, game in comparison.sampled.items()
        for name, measure in sampled_measures(game.shares).items()
    ]
    refused = [
        (key, "cannot be staged", why)
        for key, reasons in comparison.cannot.items()
        for why in reasons
    ]
    refused += [(key, "failed", why) for key, why in comparison.failed.items()]
    return rows + [
        {"game": key, **_row("", ["", outcome, "", why])} for key, outcome, why in refused
    ]


def answer_rows(game: GameAnswer) -> list[dict[str, Any]]:
    """Return the answers of a game as rows: measure, unit, value, exact probability, decimal."""
    return [
        _row(name, cells) for name, measured in game.measures.items() for cells in _cells(measured)
    ]


def _row(measure: str, cells: list[Any]) -> dict[str, Any]:
    return dict(
        zip(("measure", "unit", "value", "probability", "decimal"), [measure, *cells], strict=True)
    )


def as_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows as CSV text with a header; nested values are written as JSON."""
    out = io.StringIO()
    writer = csv.DictWriter(
        out, list(dict.fromkeys(name for row in rows for name in row)), lineterminator="\n"
    )
    writer.writeheader()
    plain = partial(json.dumps, ensure_ascii=False, default=str)
    for row in rows:
        nested = {
            name: plain(value)
            for name, value in row.items()
            if isinstance(value, Mapping | list | tuple)
        }
        writer.writerow({**row, **nested})
    return out.getvalue()


def _cells(measured: Measured | NotModelled) -> list[list[Any]]:
    """Return a row of unit, value, probability and decimal for each value of an answer."""
    if isinstance(measured, NotModelled):
        return [["", "not modelled", "", measured.reason]]
    if measured.distribution is not None:
        rows = [*measured.distribution, ("unresolved", measured.unresolved)]
        return [
            [measured.unit, _plain(value), str(share), _decimal(share)] for value, share in rows
        ]
    value = "" if measured.number is None else measured.number
    cells = ["", value] if measured.unit in {"probability", "share"} else [_plain(value), ""]
    return [[measured.unit, *cells, _decimal(value)]]


def _decimal(value: Any) -> str:
    return f"{float(value):.6f}" if value != "" else ""
