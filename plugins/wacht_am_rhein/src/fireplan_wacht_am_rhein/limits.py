"""Barrage limits: how many artillery units may take part, by the observing unit's side and situation (12.1.6a-g).

The numbers are data (``barrage_limits.toml``); which units count against them is judged in ``barrage``.
"""

from collections.abc import Mapping
from typing import Final, Literal

import attrs

Mode = Literal["prepared_assault", "other", "strategic"]
Works = Literal["none", "improved_position", "entrenchment_or_fortification"]

SIDES: Final = ("US", "GE")
VANTAGE: Final = "12.1.6d"
SITUATIONS: Final = ("prepared_assault", "other", "improved_position", "entrenchment_or_fortification")


@attrs.frozen
class Allowance:
    """Say how many artillery units may take part; None means no cap.

    ``cite`` is the rule that gives it. ``other_formations`` counts formations, not units.
    """

    cite: str
    same_formation: int | None = None
    corps_army: int | None = 0
    other_formations: int = 0
    total: int | None = None
    min_same_formation: int = 0


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
        self, side: str, mode: Mode, works: Works, *,
        vantage: bool = False, breakdown: bool = False, vantage_third: str = "formation",
    ) -> Allowance:  # fmt: skip
        """Return the allowance of a unit that observes (12.1.6a-e); the better one where mode and works both give one.

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
        cite = f"{found.cite}, {VANTAGE}"
        if found.total is not None:
            gained = bonus if vantage_third == "corps_army" and found.corps_army is not None else 0
            corps = None if found.corps_army is None else found.corps_army + gained
            return attrs.evolve(found, cite=cite, total=found.total + bonus, corps_army=corps)
        if found.corps_army is not None:
            return attrs.evolve(found, cite=cite, corps_army=found.corps_army + bonus)
        return found

    def from_the_air(self) -> Allowance:
        """Return the allowance against units that are only air observed (12.1.6b, 12.1.6f): US barrages only."""
        return attrs.evolve(self.rows["US", "other"], cite="12.1.6b, 12.1.6f")

    def unobserved_allowance(self) -> Allowance:
        """Return the allowance of a barrage that nobody observes (12.1.6g): one unit of any command."""
        return Allowance("12.1.6g", corps_army=None, total=self.unobserved)
