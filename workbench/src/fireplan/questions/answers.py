"""Answers about a position: distributions of values, and chances, exact or sampled."""

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from math import sqrt
from typing import Any

import attrs

from fireplan import analysis
from fireplan.errors import InputError
from fireplan.questions.result import Block, Grid, Result, Rows, Text
from fireplan.questions.sampling import Sample
from fireplan.table import Words


@attrs.frozen(eq=False, repr=False)
class DistributionResult(Result):
    """The share of each value, as exact fractions or estimated from a ``sample``.

    ``condition`` is the condition in words, ``condition_chance`` is its probability, and ``kept``
    is the number of trajectories that met it. ``orders`` are the orders given in advance, empty for
    the standard ones. ``words`` puts a value into words. ``values`` has the keys of ``shares`` in
    the same order, as a position's fields give them: comparing one with a word that it can never
    equal raises ``InputError``.
    """

    line: str
    until: str
    asked: str
    shares: Mapping[Any, Fraction]
    condition: str = ""
    condition_chance: Fraction = Fraction(1)
    sample: Sample | None = None
    kept: int = 0
    words: Callable[[Any], str] = str
    orders: str = ""
    values: tuple[Any, ...] = ()
    rules: tuple[str, ...] = ()
    """The rules of the steps that play may take while the event or value is still undecided."""

    @property
    def exact(self) -> bool:
        """Return whether the shares are exact rather than sampled."""
        return self.sample is None

    def __getitem__(self, value: Any) -> Fraction:
        """Return the share of a value, or 0 if it never occurs.

        Raises ``InputError`` for a word that the field can never have.
        """
        pairs = zip(self.values or self.shares, self.shares.values(), strict=True)
        return next((share for each, share in pairs if each == value), Fraction(0))

    def expect(self) -> Fraction:
        """Return the expected value; raise ``InputError`` if the values are not numbers."""
        try:
            return sum(
                (share * Fraction(value) for value, share in self.shares.items()), Fraction(0)
            )
        except (TypeError, ValueError) as error:
            raise InputError(
                "Only numbers have an expected value; ask for the distribution of these values."
            ) from error

    def error(self, value: Any) -> float:
        """Return the standard error of a value's share, or 0 if the shares are exact."""
        share = self[value]
        return sqrt(float(share * (1 - share)) / self.kept) if self.sample else 0.0

    def blocks(self) -> Iterator[Block]:
        """Yield a heading with any conditions, and a table of the shares, most probable first."""
        yield Text(f"{self.asked}, from {self.line} to the end of {self.until}", "bold")
        drawn = (
            self.sample
            and f"sampled: {self.sample.trajectories:,} trajectories, seed {self.sample.seed}"
        )
        yield Text(f"{drawn or 'every probability is exact'}.", "dim")
        if self.orders:
            yield Text(f"Orders: {self.orders}; otherwise the standard ones.")
        if self.condition:
            yield given(self.condition, self.condition_chance)
        columns = ("", "chance", "standard error" if self.sample else "exactly")
        rows = (
            (
                str(row["value"]),
                analysis.percent(share),
                f"{row['standard_error']:.1%}" if self.sample else row["share"],
            )
            for row, share in zip(self.rows(), self._sorted().values(), strict=True)
        )
        yield Grid(columns, tuple(rows))

    def _sorted(self) -> dict[Any, Fraction]:
        return dict(sorted(self.shares.items(), key=lambda pair: (-pair[1], str(pair[0]))))

    def to_dict(self) -> dict[str, Any]:
        """Return the question, its conditions and the shares as plain data.

        Exact chances are strings such as ``"1/6"``.
        """
        condition = {"given": self.condition, "chance_of_that": _plain(self, self.condition_chance)}
        return {
            "position": self.line,
            "until": self.until,
            "asked": self.asked,
            "exact": self.exact,
            **({"orders": self.orders} if self.orders else {}),
            **(condition if self.condition else {}),
            **(
                {"trajectories": self.sample.trajectories, "kept": self.kept} if self.sample else {}
            ),
            "shares": [*self.rows()],
            **({"rules": list(self.rules)} if self.rules else {}),
        }

    def rows(self) -> Rows:
        """Return one row for each value, most probable first."""
        return [
            {"value": _worded(self.words, value), "share": _plain(self, share)}
            | ({"standard_error": self.error(value)} if self.sample else {})
            for value, share in self._sorted().items()
        ]

    def svg(self) -> str:
        """Return a bar chart of the shares as SVG."""
        from fireplan.draw import plot

        values = [(str(self.words(value)), share) for value, share in self._sorted().items()]
        return plot.listed_shares(self.asked, values)


def given(condition: str, chance: Fraction) -> Text:
    """Return the line with the condition under which an answer holds, and its chance."""
    return Text(f"Given {condition} (chance: {analysis.percent(chance)}).")


def _worded(words: Callable[[Any], str], value: Any) -> Any:
    """Return a whole number or a float unchanged, and any other value as text."""
    return value if type(value) in {int, float} else words(value)


def _plain(answer: DistributionResult, share: Fraction) -> str | float:
    return str(share) if answer.exact else float(share)


@attrs.frozen(eq=False, repr=False)
class ChanceResult(DistributionResult):
    """The chance that something happens, stored as the share of True.

    If the values asked for never occur, ``never`` is a sentence with the values that do.
    """

    never: str = ""

    def blocks(self) -> Iterator[Block]:
        """Yield the table of the shares, and the reason if the event can never happen."""
        yield from super().blocks()
        if self.never:
            yield Text(self.never)

    def to_dict(self) -> dict[str, Any]:
        """Return the shares as plain data, and the reason if the event can never happen."""
        return {**super().to_dict(), **({"never": self.never} if self.never else {})}

    @property
    def chance(self) -> Fraction:
        """Return the chance that the event happens."""
        return self[True]

    def __float__(self) -> float:
        return float(self.chance)

    def __eq__(self, other: object) -> bool:
        return self.chance == (other.chance if isinstance(other, ChanceResult) else other)

    def __hash__(self) -> int:
        return hash(self.chance)


def in_words(words: Words, value: Any) -> str:
    """Return a value of a field in words; the values of a tuple are separated by semicolons."""
    if isinstance(value, tuple) and value:
        return "; ".join(in_words(words, item) for item in value)
    return words.typed.value(value)
