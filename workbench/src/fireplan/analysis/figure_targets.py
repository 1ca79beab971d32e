"""Targets for figures: a figure, a comparison sign and an exact bound."""

from __future__ import annotations

import operator
import re
from fractions import Fraction

import attrs

from fireplan.analysis.figures import FIGURES, Figure
from fireplan.errors import unknown

_SIGNS = {">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt}
_WANT = re.compile(
    r"\s*(\w+)\s*(>=|<=|>|<)\s*(\d{1,15}(?:\.\d{1,15})?|\d{1,15}/[1-9]\d{0,14})\s*(%|min)?\s*"
)


@attrs.frozen
class FigureTarget:
    """A target: a figure, a comparison sign, and an exact bound."""

    figure: Figure
    sign: str
    bound: Fraction

    @classmethod
    def read(cls, text: str) -> FigureTarget:
        """Return the target in a text such as ``delivered >= 80 %``.

        Raises ``ValueError``, with the form that was expected, for any other text, an unknown
        figure or a bound that does not fit the figure.
        """
        match = _WANT.fullmatch(text)
        if match is None:
            raise ValueError(
                f"{text!r}: write MEASURE >= VALUE (or <=, <, >), e.g. 'delivered >= 80 %'"
            )
        name, sign, value, unit = match.groups()
        if name not in FIGURES:
            raise ValueError(f"{text!r}: {unknown('measure', name, FIGURES)}".removesuffix("."))
        bound, minutes = Fraction(value) / (100 if unit == "%" else 1), FIGURES[name].unit == "min"
        if unit == ("%" if minutes else "min") or (bound > 1 and not minutes):
            expected = "minutes, e.g. 12 min" if minutes else "a share, e.g. 80 %, 0.8 or 4/5"
            raise ValueError(
                f"{text!r}: expected {expected}, got {value}{f' {unit}' if unit else ''}"
            )
        return cls(FIGURES[name], sign, bound)

    def holds(self, value: Fraction) -> bool:
        """Return whether a value of the figure meets the target."""
        return bool(_SIGNS[self.sign](value, self.bound))

    def shown(self, value: Fraction) -> str:
        """Return a value of the figure with its unit, e.g. ``12 min`` or ``80.0 %``."""
        return self.figure.shown(value)

    def __str__(self) -> str:
        return f"{self.figure.name} {self.sign} {self.shown(self.bound)}"
