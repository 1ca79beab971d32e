"""The Infantry Fire Table: a calibre's firepower, the column for a firepower, and the entries.

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
class IFTResult:
    """An entry of the IFT.

    ``number`` is the number of units eliminated (KIA), or the DRM to the Morale Check that follows
    (K, MC).
    """

    kind: Kind
    number: int = 0


def parse(entry: str) -> IFTResult:
    """Return an IFT entry as an ``IFTResult``: 2KIA, K/3, 1MC, NMC, PTC or ``-``.

    Raises ``ValueError`` for any other text.
    """
    match = _ENTRY.fullmatch(entry)
    if match is None:
        raise ValueError(
            f"expected an entry of the IFT, such as 2KIA, K/3, NMC or -, got {entry!r}"
        )
    if match["kia"]:
        return IFTResult("KIA", int(match["kia"]))
    if match["k"]:
        return IFTResult("K", int(match["k"]))
    if match["mc"]:
        return IFTResult("MC", 0 if match["mc"] == "N" else int(match["mc"]))
    return IFTResult("PTC") if match["other"] == "PTC" else IFTResult("-")


def column_for(chart: Chart, power: Fraction) -> str | None:
    """Return the name of the highest column not above a firepower, or None below the first."""
    fitting = [
        (number, name) for number, name in _firepowers(tuple(chart.columns)) if number <= int(power)
    ]
    return max(fitting)[1] if fitting else None


@lru_cache(maxsize=16)
def _firepowers(columns: tuple[str, ...]) -> tuple[tuple[int, str], ...]:
    return tuple((int(name.removeprefix("fp")), name) for name in columns)


@attrs.frozen
class ShellEffects:
    """The firepower and DRM of a battery's shells, for ordinary fire and for a Critical Hit."""

    power: int
    drm: int
    critical_power: int
    critical_drm: int
    calibre: int = attrs.field(default=0, eq=False)


def shell_for(charts: Mapping[str, Any], calibre: int, *, us_mortar: bool) -> ShellEffects | None:
    """Return the shell data for a calibre in mm, or None if the calibre is too small for OBA.

    The least calibre is different for American mortars (``us_mortar``).
    """
    chart: Chart = charts["oba_fp"]
    if calibre < charts["numbers"]["us_mortar_mm" if us_mortar else "least_mm"]:
        return None
    mm = max(row for row in chart.rows if row <= calibre)
    power, drm, critical_power, critical_drm = (
        int(chart.cells[mm, name]) for name in chart.columns
    )
    return ShellEffects(power, drm, critical_power, critical_drm, calibre)


def barrage_share(charts: Mapping[str, Any], shell: ShellEffects) -> Fraction:
    """Return the firepower of a Barrage, one column lower, divided by the normal one (E12.5)."""
    columns = (number for number, _ in _firepowers(tuple(charts["ift"].columns)))
    return Fraction(max(number for number in columns if number < shell.power), shell.power)
