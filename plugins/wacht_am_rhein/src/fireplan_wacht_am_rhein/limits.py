"""Barrage limits: how many artillery units may take part, by the observing unit's side and situation (12.1.6a-g).

The numbers are data (``barrage_limits.toml``); which units count against them is judged in ``barrage``.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final, Literal

import attrs
import tomli

from fireplan_core.chance import ChartError

Mode = Literal["prepared_assault", "other", "strategic"]
Works = Literal["none", "improved_position", "entrenchment_or_fortification"]

SIDES: Final = ("US", "GE")
SITUATIONS: Final = ("prepared_assault", "other", "improved_position", "entrenchment_or_fortification")
_NUMBERS: Final = ("same_formation", "corps_army", "other_formations", "total", "min_same_formation")


@attrs.frozen
class Allowance:
    """How many artillery units may take part; None means no cap.

    ``cite`` is the rule that gives it. ``other_formations`` counts formations, not units. ``any_command`` sets aside
    12.1.5: an unobserved barrage has no observer whose formation could count.
    """

    cite: str
    same_formation: int | None = None
    corps_army: int | None = 0
    other_formations: int = 0
    total: int | None = None
    min_same_formation: int = 0
    any_command: bool = False


@attrs.frozen(eq=False)
class Limits:
    """All limits and the depletion values."""

    rows: Mapping[tuple[str, str], Allowance]
    vantage_point_bonus: int
    breakdown_outside_works: int
    unobserved: int
    air_radius_hexes: int
    depletion: Mapping[str, int]
    thaw: int
    replenish: int
    provenance: str = "printed"
    source: str = ""

    def observed(
        self,
        side: str,
        mode: Mode,
        works: Works,
        *,
        vantage: bool = False,
        breakdown: bool = False,
        vantage_third: str = "formation",
    ) -> Allowance:
        """The allowance of a unit that observes (12.1.6a-e); the better one where mode and works both give one.

        ``vantage_third`` says what the unit gained on a vantage point under 12.1.6b may be: ``formation`` or
        ``corps_army``.

        Raises ValueError for a unit in strategic mode, which cannot observe (12.1.6b).
        """
        if mode == "strategic":
            raise ValueError("a unit in strategic mode cannot observe")
        if works == "none" and breakdown:
            # 12.1.6e says never more, so a vantage point adds nothing.
            found = self.rows[side, mode]
            return attrs.evolve(found, cite="12.1.6e", total=self.breakdown_outside_works)
        # In works and in prepared assault the limits of 12.1.6a apply: they are never worse than those of works.
        found = self.rows[side, mode if mode == "prepared_assault" or works == "none" else works]
        if not vantage:
            return found
        bonus = self.vantage_point_bonus
        cite = f"{found.cite}, 12.1.6d"
        if found.total is not None:
            gained = bonus if vantage_third == "corps_army" and found.corps_army is not None else 0
            corps = None if found.corps_army is None else found.corps_army + gained
            return attrs.evolve(found, cite=cite, total=found.total + bonus, corps_army=corps)
        if found.corps_army is not None:
            return attrs.evolve(found, cite=cite, corps_army=found.corps_army + bonus)
        return found

    def from_the_air(self) -> Allowance:
        """The allowance against units that are only air observed (12.1.6b, 12.1.6f): US barrages only."""
        return attrs.evolve(self.rows["US", "other"], cite="12.1.6b, 12.1.6f")

    def unobserved_allowance(self) -> Allowance:
        """The allowance of a barrage that nobody observes (12.1.6g): one unit of any command."""
        return Allowance("12.1.6g", None, None, 0, self.unobserved, 0, any_command=True)


def read_limits(file: Path | Traversable) -> Limits:
    """Read the limits.

    Raises ``ChartError`` with every fault: a side or situation missing, an unknown entry, a value that is neither a
    number nor ``any`` where that is allowed, a reference to a situation that is not there.
    """
    content: dict[str, Any] = tomli.loads(file.read_text(encoding="utf-8"))
    faults: list[str] = []
    rows: dict[tuple[str, str], Allowance] = {}
    for side in SIDES:
        entries: dict[str, Any] = content.get(side, {})
        faults.extend(f"{side}.{name} is not known" for name in entries if name not in SITUATIONS)
        for situation in SITUATIONS:
            entry = entries.get(situation)
            where = f"{side}.{situation}"
            if not isinstance(entry, dict):
                faults.append(f"{where} is missing")
                continue
            cite = str(entry.get("cite", ""))
            if not cite:
                faults.append(f"{where}.cite is missing")
            if "like" in entry:
                source = entries.get(entry["like"])
                if not isinstance(source, dict) or "like" in source:
                    faults.append(f"{where}.like: no limits under {entry['like']!r}")
                    continue
                entry = source
            rows[side, situation] = _allowance(entry, cite, where, faults)
    both, depletion = content.get("both", {}), content.get("depletion", {})

    def number(table: Mapping[str, Any], name: str, where: str) -> int:
        value = table.get(name)
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            faults.append(f"{where}.{name}: {value!r} is not a whole number from 0")
            return 0
        return value

    limits = Limits(
        rows,
        number(both, "vantage_point_bonus", "both"),
        number(both, "breakdown_unit_outside_works", "both"),
        number(both, "unobserved", "both"),
        number(both, "air_observation_radius_hexes", "both"),
        {side: number(depletion, side, "depletion") for side in SIDES},
        number(depletion, "thaw_die_modifier", "depletion"),
        number(depletion, "replenish_inactive_side_modifier", "depletion"),
        str(content.get("provenance", "user")),
        str(content.get("source", "")),
    )
    if faults:
        raise ChartError(faults)
    return limits


def _allowance(entry: Mapping[str, Any], cite: str, where: str, faults: list[str]) -> Allowance:
    values: dict[str, int | None] = {}
    for name, value in entry.items():
        if name == "cite":
            continue
        if name not in _NUMBERS:
            faults.append(f"{where}.{name} is not known")
        elif value == "any" and name in ("same_formation", "corps_army"):
            values[name] = None
        elif isinstance(value, bool) or not isinstance(value, int) or value < 0:
            faults.append(f"{where}.{name}: {value!r} is not a whole number from 0")
        else:
            values[name] = value
    faults.extend(f"{where}.{name} is missing" for name in ("same_formation", "corps_army") if name not in entry)
    return Allowance(
        cite,
        values.get("same_formation"),
        values.get("corps_army", 0),
        values.get("other_formations") or 0,
        values.get("total"),
        values.get("min_same_formation") or 0,
    )
