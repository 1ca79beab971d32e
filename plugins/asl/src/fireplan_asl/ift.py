"""The Infantry Fire Table: what a calibre fires, which column a firepower uses, and what an entry says.

The cells are in data/oba_fp.csv and data/ift.csv.
"""

import re
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal

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
    """Return the highest column not above a firepower; None below the first one."""
    fitting = [
        (number, name) for number, name in _firepowers(tuple(chart.columns)) if number <= int(power)
    ]
    return max(fitting)[1] if fitting else None


@lru_cache(maxsize=16)
def _firepowers(columns: tuple[str, ...]) -> tuple[tuple[int, str], ...]:
    return tuple((int(name.removeprefix("fp")), name) for name in columns)


@attrs.frozen
class Shell:
    """Say what a battery fires: HE firepower and DRM, and the firepower and DRM of its Critical Hits."""

    power: int
    drm: int
    critical_power: int
    critical_drm: int
    calibre: int = attrs.field(default=0, eq=False)


def shell_for(charts: Mapping[str, Any], calibre: int, *, us_mortar: bool) -> Shell | None:
    """Return what a battery of a calibre fires; None when there is no such battery."""
    chart: Chart = charts["oba_fp"]
    if calibre < charts["numbers"]["us_mortar_mm" if us_mortar else "least_mm"]:
        return None
    mm = max(row for row in chart.rows if row <= calibre)
    power, drm, critical_power, critical_drm = (
        int(chart.cells[mm, name]) for name in chart.columns
    )
    return Shell(power, drm, critical_power, critical_drm, calibre)


def barrage_share(charts: Mapping[str, Any], shell: Shell) -> Fraction:
    """Return the firepower of a Barrage, one column to the left of a Concentration, as a share of it (E12.5)."""
    columns = (number for number, _ in _firepowers(tuple(charts["ift"].columns)))
    return Fraction(max(number for number in columns if number < shell.power), shell.power)
