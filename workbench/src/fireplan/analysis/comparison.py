"""Comparing games: staging one engagement with each, asking the yardsticks, and writing the answers as data."""

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from fractions import Fraction
from functools import partial
from typing import Any

import attrs

from fireplan.analysis.answers import (
    SAMPLED,
    Comparison,
    GameAnswer,
    Measured,
    NotModelled,
    SampledAnswer,
)
from fireplan.analysis.sensitivities import Moves
from fireplan.analysis.settings import Setting
from fireplan.analysis.yardsticks import answer
from fireplan.draw.palette import looks_of
from fireplan.solver import Analysis, TooLargeError
from fireplan_core import CannotStageError, Engagement, Scenario
from fireplan_core.play import Catalogue, Variation, stage_engagement

Progress = Callable[[str, str], None]


@attrs.frozen(eq=False, repr=False)
class Contender:
    """A column of a comparison: a game as printed, or varied by options, charts, other games' parts, house rules."""

    name: str
    game: str
    title: str
    variation: Variation | None = None


def usual(catalogue: Catalogue) -> tuple[str, ...]:
    """Return the games that are compared when none is named: those from their rulebook, or all if there are none."""
    return tuple(key for key, one in catalogue.games.items() if not one.game.sources) or tuple(
        catalogue.games
    )


Instead = Callable[[Contender, Scenario, int, str], SampledAnswer]


def contenders(catalogue: Catalogue, games: Iterable[str] | None = None) -> tuple[Contender, ...]:
    """Return the games as printed (all installed ones by default); KeyError for an unknown one."""
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
    """Answer an engagement with each of the contenders (all installed games as printed by default).

    ``progress(name, yardstick)`` is called as each answer is found, ``begin`` for each contender with roughly how many
    seconds it will take; where it raises, that one is left out. One that is too large is sampled ``instead`` (all are,
    where none is to be ``solved``); whatever a game raises is told in ``failed``, and the others go on.

    Raises ValueError for unknown options and charts, ``ChartError`` for a chart file that cannot be
    used.
    """
    asked = tuple(contenders(catalogue) if entrants is None else entrants)
    solving = _Solving(catalogue, engagement, asked)
    answers: dict[str, GameAnswer] = {}
    sampled: dict[str, SampledAnswer] = {}
    cannot: dict[str, tuple[str, ...]] = {}
    failed: dict[str, str] = {}
    for entrant in asked:
        name = entrant.name
        try:
            scenario = stage_engagement(catalogue, entrant.game, engagement, entrant.variation)
        except CannotStageError as error:
            cannot[name] = tuple(error.reasons)
            continue
        except Exception as error:
            if entrant.variation is not None:  # what was asked for cannot be laid over the game
                raise
            failed[name] = broken(error)
            continue
        moments = scenario.clock.moments(engagement.minutes)
        try:
            try:
                if instead is not None and not solved:
                    sampled[name] = instead(entrant, scenario, moments, "")
                    continue
                analysis = solving.analysis(entrant, scenario, moments)
                begin(analysis.seconds)
                found = answer(
                    catalogue[entrant.game].game, analysis, partial(progress, name), drawn=True
                )
                answers[name] = attrs.evolve(found, key=name, title=entrant.title)
            except TooLargeError as error:
                if instead is None:
                    raise
                sampled[name] = instead(entrant, scenario, moments, str(error))
        except Exception as error:  # noqa: BLE001 - whatever a broken game raises is told, and takes no other with it
            failed[name] = broken(error)
    titles = {entrant.name: entrant.title for entrant in asked}
    looked = looks_of((*sorted(catalogue.games), *titles))
    return Comparison(engagement, answers, cannot, titles, looked, sampled, failed)


class _Solving:
    """The columns of a comparison as they are solved: one whose numbers alone are changed rests on the printed one."""

    def __init__(
        self, catalogue: Catalogue, engagement: Engagement, entrants: Iterable[Contender]
    ) -> None:
        self._catalogue = catalogue
        self._engagement = engagement
        self._changed = {one.game for one in entrants if _numbers_alone(one.variation)}
        self._printed: dict[str, Moves] = {}

    def analysis(self, entrant: Contender, scenario: Scenario, moments: int) -> Analysis:
        """Return the analysis of a column.

        Where it is not known which numbers were read, all is solved anew.
        """
        if entrant.variation is None and entrant.game in self._changed:
            table = Setting(
                self._catalogue, entrant.game, entrant.name, entrant.title, self._engagement
            )
            self._printed[entrant.game] = Moves.of(table, Variation())
            return self._printed[entrant.game].analysis
        if (
            entrant.variation is None
            or entrant.game not in self._printed
            or not _numbers_alone(entrant.variation)
        ):
            return Analysis(scenario, moments)
        names = {f"{entrant.game}.{name}" for name in entrant.variation.numbers}
        return self._printed[entrant.game].changed(scenario, names)


def _numbers_alone(variation: Variation | None) -> bool:
    others = (
        ()
        if variation is None
        else (variation.options, variation.charts, variation.parts, variation.rules)
    )
    return variation is not None and not any(others)


def broken(error: Exception) -> str:
    """Return what a game raised, in words: its notes name the step and the rule."""
    kind = "" if isinstance(error, ValueError) else f"{type(error).__name__}: "
    return "; ".join([f"{kind}{error}", *getattr(error, "__notes__", ())])


def _plain(value: Any) -> Any:
    """Return a value as JSON has it; a fraction becomes a number."""
    if isinstance(value, Fraction):
        return int(value) if value.denominator == 1 else float(value)
    return value.value if isinstance(value, Enum) else value


def _measure(measured: Measured | NotModelled) -> dict[str, Any]:
    if isinstance(measured, NotModelled):
        return {"not_modelled": measured.reason}
    share: Callable[[Any], str | float] = str if measured.exact else float
    data: dict[str, Any] = {"exact": measured.exact, "unit": measured.unit}
    if measured.distribution is None:
        return data | {
            "value": share(measured.value)
            if measured.unit == "probability"
            else _plain(measured.value)
        }
    pairs = [
        {"value": _plain(value), "probability": share(chance)}
        for value, chance in measured.distribution
    ]
    return data | {"distribution": pairs, "unresolved": share(measured.unresolved)}


def answer_data(game: GameAnswer) -> dict[str, Any]:
    """Return the answers of one game as plain data."""
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
    """Return the shares of a sample as ``answer_data`` has measures, each with its standard error."""
    pairs = ((SAMPLED.get(label, label), pair) for label, pair in shares.items())
    kind = {"exact": False, "unit": "probability"}
    return {
        name: {**kind, "value": share, "standard_error": error} for name, (share, error) in pairs
    }


def as_data(comparison: Comparison) -> dict[str, Any]:
    """Return the comparison as plain data: probabilities are strings of exact rationals such as ``"26195/32076"``."""
    engagement = attrs.asdict(comparison.engagement) | {
        "date": comparison.engagement.date.isoformat()
    }
    answers: dict[str, Any] = {key: answer_data(game) for key, game in comparison.games.items()}
    for key, game in comparison.sampled.items():
        told = {name: getattr(game, name) for name in ("title", "why", "trajectories", "seed")}
        answers[key] = {
            **told,
            "exact": False,
            "measures": sampled_measures(game.shares),
            "rests_on": [*game.notes],
        }
    answers |= {key: {"cannot_stage": list(reasons)} for key, reasons in comparison.cannot.items()}
    answers |= {key: {"failed": reason} for key, reason in comparison.failed.items()}
    return {"engagement": engagement, "games": answers}


def as_json(comparison: Comparison) -> str:
    """Return the comparison as JSON text."""
    return json.dumps(as_data(comparison), indent=2, ensure_ascii=False) + "\n"


def as_rows(comparison: Comparison) -> list[dict[str, Any]]:
    """Return the comparison as rows: game, measure, unit, value, probability (exact, as text), decimal."""
    found = [
        {"game": key, **row} for key, game in comparison.games.items() for row in answer_rows(game)
    ]
    found += [
        {"game": key, **_row(name, ["sampled", "", "", f"{one['value']:.6f}"])}
        for key, game in comparison.sampled.items()
        for name, one in sampled_measures(game.shares).items()
    ]
    refused = [
        (key, "cannot be staged", why)
        for key, reasons in comparison.cannot.items()
        for why in reasons
    ]
    refused += [(key, "failed", why) for key, why in comparison.failed.items()]
    return found + [{"game": key, **_row("", ["", what, "", why])} for key, what, why in refused]


def answer_rows(game: GameAnswer) -> list[dict[str, Any]]:
    """Return the answers of one game as rows: measure, unit, value, probability (exact, as text), decimal."""
    return [
        _row(name, cells) for name, measured in game.measures.items() for cells in _cells(measured)
    ]


def _row(measure: str, cells: list[Any]) -> dict[str, Any]:
    return dict(
        zip(("measure", "unit", "value", "probability", "decimal"), [measure, *cells], strict=True)
    )


def as_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows as comma-separated lines, below the names of all columns.

    What is no single value is JSON.
    """
    out = io.StringIO()
    writer = csv.DictWriter(
        out, list(dict.fromkeys(name for row in rows for name in row)), lineterminator="\n"
    )
    writer.writeheader()
    plain = partial(json.dumps, ensure_ascii=False, default=str)
    for row in rows:
        nested = {
            name: plain(one) for name, one in row.items() if isinstance(one, Mapping | list | tuple)
        }
        writer.writerow({**row, **nested})
    return out.getvalue()


def _cells(measured: Measured | NotModelled) -> list[list[Any]]:
    """Return unit, value, probability and decimal, a row for each value."""
    if isinstance(measured, NotModelled):
        return [["", "not modelled", "", measured.reason]]
    if measured.distribution is not None:
        rows = [*measured.distribution, ("unresolved", measured.unresolved)]
        return [
            [measured.unit, _plain(value), str(share), _decimal(share)] for value, share in rows
        ]
    value = "" if measured.value is None else measured.value
    cells = ["", value] if measured.unit == "probability" else [value, ""]
    return [[measured.unit, *cells, _decimal(value)]]


def _decimal(value: Any) -> str:
    return f"{float(value):.6f}" if value != "" else ""
