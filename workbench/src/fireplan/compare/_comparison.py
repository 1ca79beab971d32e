"""Comparing games: staging one engagement with each, asking the yardsticks, and writing the answers as data."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable
from enum import Enum
from fractions import Fraction
from functools import partial
from typing import Any

import attrs

from fireplan.compare._answers import Comparison, GameAnswer, Measured, NotModelled
from fireplan.compare._yardsticks import answer
from fireplan.draw.palette import looks_of
from fireplan_core import CannotStageError, Engagement
from fireplan_core.play import Catalogue, Variation, stage_engagement

Progress = Callable[[str, str], None]


@attrs.frozen(eq=False, repr=False)
class Contender:
    """A column of a comparison: a game as printed, or varied by options, charts, other games' parts, house rules."""

    name: str
    game: str
    title: str
    variation: Variation | None = None


def contenders(catalogue: Catalogue, games: Iterable[str] | None = None) -> tuple[Contender, ...]:
    """Return the games as printed (all installed ones by default); KeyError for an unknown one."""
    keys = tuple(catalogue.games) if games is None else tuple(games)
    return tuple(Contender(key, key, catalogue[key].game.title) for key in keys)


def compare(
    engagement: Engagement,
    catalogue: Catalogue,
    entrants: Iterable[Contender] | None = None,
    progress: Progress = lambda _name, _yardstick: None,
) -> Comparison:
    """Answer an engagement with each of the contenders (all installed games as printed by default).

    ``progress(name, yardstick)`` is called as each answer is found. Raises ValueError for unknown options and
    charts, ``ChartError`` for a chart file that cannot be used.
    """
    answers: dict[str, GameAnswer] = {}
    cannot: dict[str, tuple[str, ...]] = {}
    asked = tuple(contenders(catalogue) if entrants is None else entrants)
    for entrant in asked:
        name = entrant.name
        try:
            scenario = stage_engagement(catalogue, entrant.game, engagement, entrant.variation)
        except CannotStageError as error:
            cannot[name] = tuple(error.reasons)
            continue
        moments = scenario.clock.moments(engagement.minutes)
        edition = catalogue[entrant.game].game.edition
        answers[name] = answer(name, entrant.title, edition, scenario, moments, partial(progress, name), drawn=True)
    titles = {entrant.name: entrant.title for entrant in asked}
    return Comparison(engagement, answers, cannot, titles, looks_of((*sorted(catalogue.games), *titles)))


def _plain(value: Any) -> Any:
    """A value as JSON has it; fractions become strings."""
    if isinstance(value, Fraction):
        return int(value) if value.denominator == 1 else float(value)
    return value.value if isinstance(value, Enum) else value


def _measure(measured: Measured | NotModelled) -> dict[str, Any]:
    if isinstance(measured, NotModelled):
        return {"not_modelled": measured.reason}
    answer: dict[str, Any] = {"exact": measured.exact, "unit": measured.unit}
    if measured.distribution is None:
        value = measured.value
        answer["value"] = _share(measured, value) if measured.unit == "probability" else _plain(value)
    else:
        answer["distribution"] = [
            {"value": _plain(value), "probability": _share(measured, share)} for value, share in measured.distribution
        ]
        answer["unresolved"] = _share(measured, measured.unresolved)
    return answer


def _share(measured: Measured, share: Any) -> str | float:
    """A probability: an exact rational in words, or a number that was rounded."""
    return str(share) if measured.exact else float(share)


def as_data(comparison: Comparison) -> dict[str, Any]:
    """Return the comparison as plain data: probabilities are strings of exact rationals such as ``"26195/32076"``."""
    engagement = attrs.asdict(comparison.engagement)
    engagement["date"] = comparison.engagement.date.isoformat()
    games: dict[str, Any] = {}
    for key, game in comparison.games.items():
        games[key] = _answer(game)
    for key, reasons in comparison.cannot.items():
        games[key] = {"cannot_stage": list(reasons)}
    return {"engagement": engagement, "games": games}


def _answer(game: GameAnswer) -> dict[str, Any]:
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


def answer_data(game: GameAnswer) -> dict[str, Any]:
    """Return the answers of one game as plain data."""
    return _answer(game)


def answer_json(game: GameAnswer) -> str:
    """Return the answers of one game as JSON text."""
    return json.dumps(_answer(game), indent=2, ensure_ascii=False) + "\n"


def as_json(comparison: Comparison) -> str:
    """Return the comparison as JSON text."""
    return json.dumps(as_data(comparison), indent=2, ensure_ascii=False) + "\n"


def as_csv(comparison: Comparison) -> str:
    """Return the comparison as comma-separated lines: game, measure, unit, value, probability (exact), as decimal."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["game", "measure", "unit", "value", "probability", "decimal"])
    for key, game in comparison.games.items():
        for name, measured in game.measures.items():
            if isinstance(measured, NotModelled):
                writer.writerow([key, name, "", "not modelled", "", measured.reason])
            elif measured.distribution is None:
                value = measured.value if measured.value is not None else ""
                probability = measured.unit == "probability"
                writer.writerow(
                    [
                        key,
                        name,
                        measured.unit,
                        "" if probability else value,
                        value if probability else "",
                        _decimal(value),
                    ]
                )
            else:
                rows = [*measured.distribution, ("unresolved", measured.unresolved)]
                for value, share in rows:
                    writer.writerow([key, name, measured.unit, _plain(value), str(share), _decimal(share)])
    for key, reasons in comparison.cannot.items():
        for reason in reasons:
            writer.writerow([key, "", "", "cannot be staged", "", reason])
    return out.getvalue()


def _decimal(value: Any) -> str:
    return f"{float(value):.6f}" if value != "" else ""
