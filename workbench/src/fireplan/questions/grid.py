"""Any question over a grid: the plan names the question and the arguments that vary."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any

import attrs

from fireplan.errors import (
    InputError,
    all_data,
    argument_name,
    gathered,
    refuse,
    unknown,
)
from fireplan.questions.question import (
    Progress,
    QuestionClass,
    ask_question,
    question_named,
    questions,
    read,
)
from fireplan.questions.refusing import refusing
from fireplan.questions.result import Block, Grid, Result, Rows, Text
from fireplan_core.files import entry, parse_toml
from fireplan_core.play import Catalogue

MOST_POINTS = 10_000
SHOWN = 60
Plain = str | int | bool


@attrs.frozen(kw_only=True)
class ArgumentAxis:
    """An argument of the question that varies, and its values."""

    argument: str = entry("an argument of the question", example="moments")
    values: tuple[str | int | bool, ...] = entry("the values it takes", example=(2, 4, 6))


@attrs.frozen(kw_only=True)
class GridPlan:
    """The content of a plan file: a question, its fixed arguments, and the arguments that vary."""

    title: str = entry("title, in one line")
    question: str = entry("the question to ask, such as odds", example="odds")
    ask: Mapping[str, Plain] = entry("arguments that stay the same", attrs.Factory(dict))
    vary: tuple[ArgumentAxis, ...] = entry("what is varied", ())

    @property
    def size(self) -> int:
        """The number of points."""
        return math.prod(len(axis.values) for axis in self.vary)

    def points(self) -> Iterator[dict[str, Any]]:
        """Yield each point of the grid as a dictionary of the varied arguments."""
        names = [axis.argument for axis in self.vary]
        for values in product(*(axis.values for axis in self.vary)):
            yield dict(zip(names, values, strict=True))


@attrs.frozen(eq=False, repr=False)
class GridResult(Result):
    """The answers to a question over a grid: the varied arguments and the rows of each point."""

    plan: GridPlan
    answers: tuple[tuple[Mapping[str, Any], tuple[Mapping[str, Any], ...]], ...]

    def blocks(self) -> Iterator[Block]:
        """Yield the title, a table of the first ``SHOWN`` rows, and the number of rows left out."""
        yield Text(self.plan.title, "bold")
        rows = self.rows()
        heads = tuple(dict.fromkeys(name for row in rows for name in row))
        cells = tuple(
            tuple("" if row.get(name) is None else str(row[name]) for name in heads)
            for row in rows[:SHOWN]
        )
        yield Grid(heads, cells)
        if len(rows) > SHOWN:
            yield Text(f"{len(rows) - SHOWN} more rows; {all_data()} has all of them.", "dim")

    def to_dict(self) -> dict[str, Any]:
        """Return the question, and each point with its rows."""
        return {
            "title": self.plan.title,
            "question": self.plan.question,
            "points": [{"varied": dict(varied), "rows": rows} for varied, rows in self.answers],
        }

    def rows(self) -> Rows:
        """Return every row of every answer, with its varied arguments."""
        return [{**varied, **row} for varied, rows in self.answers for row in rows]


def is_grid(plan: Path) -> bool:
    """Return whether a plan file names a question.

    Raise ``InputError`` if the file cannot be read.
    """
    with refusing():
        return "question" in parse_toml(plan, what="plan").content


def read_grid(plan: Path) -> GridPlan:
    """Return the grid of a plan file.

    Raise ``InputError`` listing every fault in the plan.
    """
    with refusing():
        read_plan = parse_toml(plan, what="plan").read(GridPlan)
    _kind(read_plan)
    if not 0 < read_plan.size <= MOST_POINTS:
        raise InputError(
            f"The grid has {read_plan.size:,} points; a grid may have 1 to {MOST_POINTS:,}."
        )
    return read_plan


def swept(plan: GridPlan, catalogue: Catalogue | None, progress: Progress) -> GridResult:
    """Return the answers over the grid of a plan."""
    kind, answers = question_named(plan.question), []
    for varied in plan.points():
        arguments = {**plan.ask, **varied, "catalogue": catalogue}
        result: Result = ask_question(kind, arguments)
        answers.append((varied, tuple(result.rows())))
        progress(plan.size, ", ".join(f"{name}={value}" for name, value in varied.items()))
    return GridResult(plan, tuple(answers))


def _kind(plan: GridPlan) -> QuestionClass:
    """Return the question class that a plan names.

    Raise ``InputError`` listing every wrong name and value.
    """
    names_known = [kind.key for kind in questions() if "sweep" not in kind.absent]
    if plan.question not in names_known:
        raise unknown("question", plan.question, names_known)
    kind = question_named(plan.question)
    names, faults = [axis.argument for axis in plan.vary], list[str]()
    for name in dict.fromkeys(names):
        if names.count(name) > 1:
            faults.append(f"{argument_name(name)}: is varied twice.")
        if name in plan.ask:
            faults.append(f"{argument_name(name)}: is both fixed and varied; choose one.")
    first = True
    for varied in plan.points():
        arguments = {**plan.ask, **varied}
        if not (of_values := read(kind, arguments)[1]):
            continue
        if first:  # the refusal of the first point also lists faults in combinations of arguments
            gathered(faults, ask_question, kind, arguments)
        faults += of_values
        first = False
    refuse(faults)
    return kind
