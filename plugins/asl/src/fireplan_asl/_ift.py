"""The Infantry Fire Table: which column a firepower uses, and what an entry says. The cells are in data/ift.csv."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from typing import Literal

import attrs

from fireplan_core.chance import Chart

Kind = Literal["KIA", "K", "MC", "PTC", "-"]
_ENTRY = re.compile(r"(?P<kia>\d+)KIA|K/(?P<k>\d+)|(?P<mc>\d+|N)MC|(?P<other>PTC|-)")


@attrs.frozen
class Result:
    """An entry: ``number`` is the units killed (KIA), or the DRM to the Morale Check that follows (K, MC)."""

    kind: Kind
    number: int = 0


def parse(entry: str) -> Result:
    """Read an entry such as 2KIA, K/3, 1MC, NMC, PTC or -.

    Raises ValueError for anything else.
    """
    found = _ENTRY.fullmatch(entry)
    if found is None:
        raise ValueError(f"{entry!r} is no entry of the IFT")
    if found["kia"]:
        return Result("KIA", int(found["kia"]))
    if found["k"]:
        return Result("K", int(found["k"]))
    if found["mc"]:
        return Result("MC", 0 if found["mc"] == "N" else int(found["mc"]))
    return Result("PTC") if found["other"] == "PTC" else Result("-")


def column_for(chart: Chart, power: Fraction) -> str | None:
    """The highest column not above a firepower; None below the first one."""
    fitting = [(number, name) for number, name in _firepowers(tuple(chart.columns)) if number <= int(power)]
    return max(fitting)[1] if fitting else None


@lru_cache(maxsize=16)
def _firepowers(columns: tuple[str, ...]) -> tuple[tuple[int, str], ...]:
    return tuple((int(name.removeprefix("fp")), name) for name in columns)
