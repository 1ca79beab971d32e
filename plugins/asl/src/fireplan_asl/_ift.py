"""The Infantry Fire Table: which column a firepower uses, and what an entry says. The cells are in data/ift.csv."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Literal

import attrs

from fireplan.chance import Chart

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
    fitting = [name for name in chart.columns if int(name.removeprefix("fp")) <= power]
    return max(fitting, key=lambda name: int(name.removeprefix("fp")), default=None)
