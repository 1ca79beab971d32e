"""Sensitivity and tuning: the numbers that change a figure most, and changes that meet targets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import partial
from typing import Any

import attrs

from fireplan import analysis
from fireplan.analysis import (
    FIGURES,
    TRAJECTORIES,
    Figure,
    FigureTarget,
    Moved,
    ReferenceFigure,
    Sensitivity,
    Setting,
    Tuner,
    number,
    time_left,
)
from fireplan.errors import (
    InputError,
    argument_name,
    gathered,
    refuse,
)
from fireplan.questions import opening
from fireplan.questions.changes import Changed, Changes, Named
from fireplan.questions.lists import ListResult
from fireplan.questions.question import Begin, Progress, UnderOrders, WithFacts, asks
from fireplan.questions.refusing import refusing
from fireplan.questions.result import Block, Grid, Result, Rows, Text
from fireplan.questions.sampling import Sample, asks_sample
from fireplan.questions.shared_arguments import asks_minutes, asks_reference, asks_stager
from fireplan.solver import Estimate, TooLargeError
from fireplan_core import find_numbers
from fireplan_core.play import Variation

FEWEST = 2  # fewest trajectories from which a standard error can be estimated
TOP, MOST_RANKED = 25, 10_000
"""Number of ranked numbers printed by default, and its maximum."""
Ranking = Sensitivity[Fraction] | Sensitivity[Estimate]


@attrs.frozen(eq=False, repr=False)
class SensitivityResult(Result):
    """Every number that a table reads, ranked by the effect of one step on a figure.

    ``size`` is the sample drawn for sampled figures, and ``why`` the reason if the table was too
    large to solve. The text lists the first ``top`` numbers.
    """

    table: Setting
    found: Ranking
    size: Sample = attrs.field(factory=Sample)
    top: int = TOP
    why: str = ""

    def blocks(self) -> Iterator[Block]:
        """Yield the ranking, with standard errors for sampled figures."""
        ranking = self.found
        value, figure = ranking.value, ranking.figure
        sampled = isinstance(value, Estimate)
        if isinstance(value, Estimate):
            drawn = f"{self.size.trajectories:,} trajectories, seed {self.size.seed}"
            yield Text(f"{self.table.title}: sampled, not exact", "bold")
            error = number(value.error * (1 if figure.unit == "min" else 100))
            yield Text(f"{figure.summary}: {figure.shown(value.mean)} ± {error} ({drawn})")
            yield Text(
                "One step of each number that these trajectories read, walked again on the same seeds.",
                "dim",
            )
        else:
            yield Text(self.table.title, "bold")
            yield Text(f"{figure.summary}: {figure.shown(value)}")
            yield Text(
                "One step of each number that this table reads; every line is solved exactly.",
                "dim",
            )
        shown = (
            (effect.name, effect.number.cell, step)
            for effect in ranking.effects[: self.top]
            for step in effect.moved
        )
        rows = (
            (name, str(n.value), str(step.to), *_cells(value, step, figure), n.provenance)
            for name, n, step in shown
        )
        yield Grid(
            ("number", "is", "becomes", "then", "moves it by", "provenance"),
            tuple(rows),
            fold=frozenset({0}),
        )
        if still := [not effect.by for effect in ranking.effects[self.top :]]:
            where = "seen" if sampled else "here"
            more = f"{len(still)} more, {sum(still)} of them without any effect {where}"
            yield Text(f"{more}; {argument_name('top')} shows them.", "dim")
        if sampled:
            yield Text(
                f"± standard errors of the mean difference; {argument_name('sample')} walks more.",
                "dim",
            )

    def to_dict(self) -> dict[str, Any]:
        """Return the ranking as plain data: exact rationals, or figures with standard errors."""
        ranking, value = self.found, self.found.value
        data: dict[str, Any] = {
            "table": {"name": self.table.name, "game": self.table.game},
            "measure": ranking.figure.name,
        }
        if isinstance(value, Estimate):
            data |= {"value": value.mean, "standard_error": value.error, "exact": False}
            data |= {"trajectories": self.size.trajectories, "seed": self.size.seed}
        else:
            data |= {"value": str(value), "exact": True}
        data["numbers"] = [
            {
                "name": effect.name,
                "value": effect.number.cell.value,
                "part": effect.part,
                "summary": effect.number.cell.summary,
                "provenance": effect.number.cell.provenance,
                "rule": effect.number.cell.cite,
                "by": float(effect.by) if isinstance(value, Estimate) else str(effect.by),
                "steps": [_step(value, step) for step in effect.moved],
            }
            for effect in ranking.effects
        ]
        return data

    def rows(self) -> Rows:
        """Return one row for each step of each number, with the resulting value of the measure."""
        pairs = ((effect, step) for effect in self.found.effects for step in effect.moved)
        described = (
            ({"name": effect.name, "is": effect.number.cell.value}, step) for effect, step in pairs
        )
        figure, value = self.found.figure.name, self.found.value
        return [
            {**about, **{figure if key == "value" else key: cell for key, cell in row.items()}}
            for about, row in ((about, _step(value, step)) for about, step in described)
        ]


def _cells(value: Fraction | Estimate, step: Moved[Any], figure: Figure) -> tuple[str, ...]:
    """Return the resulting figure of a step and its change, or why the step is impossible."""
    if step.by is None:
        return step.why_not, ""
    scale, points = (1, "min") if figure.unit == "min" else (100, "points")
    if isinstance(value, Estimate):
        by = f"{step.by.mean * scale:+.1f} ± {number(step.by.error * scale)} {points}"
        return figure.shown(value.mean + step.by.mean), by
    by = f"{float(step.by * scale):+.1f} {points}".replace("+0.0", "+<0.1").replace("-0.0", "-<0.1")
    return figure.shown(value + step.by), by if step.by else "not at all"


def _step(value: Fraction | Estimate, step: Moved[Any]) -> dict[str, Any]:
    if isinstance(value, Estimate):
        by = {"by": step.by and step.by.mean, "standard_error": step.by and step.by.error}
    else:
        by = {"value": None if step.by is None else str(value + step.by)}
    return {"to": step.to, **by, "why_not": step.why_not}


class SensitivityQuestion(Changed[SensitivityResult]):
    """Rank every number that a table reads by how much one step changes a measure.

    Each step is solved exactly. A table that is too large is sampled, with standard errors, and the
    answer says why.
    """

    key = "sensitivity"
    example = """
        >>> ranked = fp.sensitivity(game='miniatures_1943', measure='destroyed', minutes=5)
        >>> ranked.found.effects[0].name
        'miniatures_1943.area_weapons[modifiers][personnel]'
    """
    estimated = True
    sooner = "watch fewer minutes"

    scenario: str | None = asks(
        "A shipped scenario (game/name) or a scenario file; else an engagement, with its game.",
        placed=True,
        named="position",
    )
    game: str | None = asks_stager()
    measure: str = asks(
        "The measure to rank by.", "delivered", option="--for", choices=tuple(FIGURES)
    )
    sample: int = asks_sample("Sample this many trajectories instead of solving exactly.")
    top: int = asks("How many numbers of the ranking to show.", TOP, range=(1, MOST_RANKED))

    def answer(self) -> SensitivityResult:
        """Return the numbers ranked by the change in the figure when each moves by one step."""
        installed, drawn = self.catalogue or opening.catalogue(), Sample(self.sample, self.seed)
        faults = drawn.faults(FEWEST)
        changed = gathered(faults, self.changes().read, installed) or {}
        table = opening.one_table(
            installed,
            self.scenario,
            self.game,
            self.minutes,
            self.facts,
            changed.values(),
            faults,
        )
        table = table.under(self.orders)
        size = Sample(self.sample or TRAJECTORIES, self.seed)
        base = changed.get(table.game, Variation())
        with refusing("solved or sampled", f"{table.game} cannot stage this"):
            ranking, why = _ranked(
                table, base, self.measure, size, self.progress, self.begin, exact=not self.sample
            )
        refuse(table.unfit())
        return SensitivityResult(table, ranking, size, self.top, why)


def _ranked(
    table: Setting,
    base: Variation,
    measure: str,
    size: Sample,
    progress: Progress,
    begin: Begin,
    *,
    exact: bool,
) -> tuple[Ranking, str]:
    """Return the ranking, and the reason why it could not be solved.

    The reason is empty if the ranking is solved, or sampled on request (not ``exact``).
    """
    figure, why = FIGURES[measure], ""
    if exact:
        try:
            return analysis.sensitivity(table, base, figure, progress, begin), ""
        except TooLargeError as error:
            why = str(error)
    walked = {"trajectories": size.trajectories, "seed": size.seed}
    return analysis.sampled_sensitivity(table, base, figure, progress, **walked), why


# --- tuning: the fewest changes to a game's numbers that reach the targets
@attrs.frozen(eq=False, repr=False, kw_only=True)
class TuningResult(ListResult):
    """The changes that meet the targets or come closest, each solved exactly.

    ``sentence`` describes the changes and their effect on the figures.
    """

    found: Tuner
    sentence: str

    @classmethod
    def of(cls, table: Setting, tuner: Tuner, most: int) -> TuningResult:
        """Return the result of a search that could change up to ``most`` numbers."""
        trials = {
            "as it is": tuner.printed,
            **{f"{n}": trial for n, trial in enumerate(tuner.proposals, 1)},
        }
        rows = [
            {
                "what": name,
                "set": {f"{table.game}.{shift.number.name}": shift.value for shift in trial.shifts},
                "holds": not trial.lacks,
                **{
                    str(want): str(value)
                    for want, value in zip(tuner.wants, trial.values, strict=True)
                },
            }
            for name, trial in (
                trials if tuner.proposals else {**trials, "nearest": tuner.nearest}
            ).items()
        ]
        shown: dict[str, Any] = {str(want): partial(_shown, want) for want in tuner.wants}
        heads = {"what": "", "name": "change", **{name: name for name in shown}}
        shown["name"] = _changed
        around = {
            "game": table.game,
            "name": table.name,
            "numbers": len(tuner.numbers),
            "tried": len(tuner.tried),
        }
        return cls(
            heads,
            rows,
            "trials",
            {**around, "stopped_by_time": tuner.over},
            "Every line is solved exactly; * does not hold.",
            shown,
            found=tuner,
            sentence=tuner.in_words(most),
        )

    def blocks(self) -> Iterator[Block]:
        """Yield the result in a sentence, then the table of trials."""
        yield Text(self.sentence, "bold")
        yield from super().blocks()


def _changed(row: Mapping[str, Any]) -> str:
    return "\n".join(f"{number}={value}" for number, value in row["set"].items())


def _shown(want: FigureTarget, row: Mapping[str, Any]) -> str:
    value = Fraction(row[str(want)])
    return want.shown(value) + " *" * (not want.holds(value))


class Tune(UnderOrders[TuningResult], WithFacts[TuningResult]):
    """Find the fewest changes to a game's numbers that reach your targets.

    Each proposal is solved exactly.
    """

    key = "tune"
    example = """
        >>> reached = fp.tune('miniatures_1943', want='destroyed >= 30 %')
        >>> reached.rows()[1]['set']
        {'miniatures_1943.area_weapons[modifiers][personnel]': '2'}
    """
    estimated = True
    sooner = "watch fewer minutes"

    game: str = asks(
        "A game's key ('fireplan games' lists the keys), or a shipped scenario (game/name) or a scenario"
        " file.",
        attrs.NOTHING,
        placed=True,
    )
    engagement: str | None = asks(
        "A shipped engagement or the path of your own file; woods by default.",
        placed=True,
        named="engagement",
    )
    want: tuple[str, ...] = asks(
        "A target: 'delivered >= 80 %', 'own_troops_under_fire < 2 %', 'minutes_to_first_effect <= 10 min'. Figures:"
        " delivered, on_target, minutes_to_first_effect, suppressed, reduced, destroyed, own_troops_under_fire,"
        " exhausted.",
        (),
    )
    reference: tuple[str | ReferenceFigure, ...] = asks_reference(
        "Figures of your own to reach or pass, as targets"
    )
    only: tuple[str, ...] = asks(
        "Change only these numbers ('fireplan numbers GAME' lists them); a name without its keys"
        " means everything under it.",
        (),
    )
    most: int = asks("Change at most this many numbers together.", 3, range=(1, 5))
    seconds: int = asks("How long to search.", 5, range=(1, 600), unit="s")
    set: Named = asks("GAME.NUMBER=VALUE: changed before the search, and kept.", ())
    minutes: int | None = asks_minutes()

    def answer(self) -> TuningResult:
        """Return the proposals, or the closest attempts if none meets the targets.

        Raise ``InputError`` for a table too large to be solved.
        """
        installed, game = self.catalogue or opening.catalogue(), self.game
        faults: list[str] = []
        wants = [
            read
            for text in self.want
            if (read := _read_argument(faults, "want", FigureTarget.read, text))
        ]
        reference = gathered(faults, opening.references, self.reference) or ()
        if not self.want and not self.reference:
            faults.append(
                f"{argument_name('want')}: name at least one target, such as 'delivered >= 80 %'."
            )
        changed = gathered(faults, Changes(None, None, self.set).read, installed) or {}
        whole = self.engagement is None and opening.is_scenario(installed, game)
        table = opening.one_table(
            installed,
            game if whole else self.engagement,
            None if whole else game,
            self.minutes,
            self.facts,
            changed.values(),
            faults,
        )
        charts, base = installed[table.game].game.charts, changed.get(table.game, Variation())
        names = (text.removeprefix(f"{table.game}.") for text in self.only)
        numbers = [
            _read_argument(faults, "only", partial(find_numbers, charts), name) or ()
            for name in names
        ]
        refuse(faults)
        table = table.under(self.orders)
        among = {number.name for some in numbers for number in some}
        try:
            with refusing("solved exactly", f"{table.game} cannot stage this"):
                search = Tuner(
                    table,
                    base,
                    wants,
                    time_left(self.seconds),
                    among,
                    self.begin,
                    [(each.figure, each.exact) for each in reference],
                )
                result = search.search(self.most, self.progress)
        except TooLargeError as error:
            raise InputError(
                f"This is too large to be solved exactly: {error}. Watch fewer minutes."
            ) from error
        refuse(table.unfit())
        return TuningResult.of(table, result, self.most)


def _read_argument(faults: list[str], name: str, read: Any, text: str) -> Any:
    """Return the value that ``read`` finds in a text, or None if it raises ValueError.

    The error becomes a fault of the argument ``name``.
    """
    try:
        return read(text)
    except ValueError as error:
        faults.append(f"{argument_name(name)}: {error}.")
        return None
