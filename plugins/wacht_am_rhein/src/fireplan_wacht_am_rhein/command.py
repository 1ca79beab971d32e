"""The command structure and the Barrage Limits (12.1.5, 12.1.6a-g).

The scenario subordinates formations to corps, and corps to armies. The number of artillery units
that may take part depends on the side and the situation of the observing unit; the figures are in
``barrage_limits.toml``. ``barrage`` decides which units count against the limits.
"""

from collections.abc import Mapping
from functools import cached_property
from typing import Final, Literal, get_args

import attrs

from fireplan_core import CannotStageError
from fireplan_core.files import entry

Side = Literal["US", "GE"]
Mode = Literal["prepared_assault", "other", "strategic"]
Works = Literal["none", "improved_position", "entrenchment_or_fortification"]

SIDES: tuple[Side, ...] = get_args(Side)
VANTAGE: Final = "12.1.6d"
"""Number of the rule on vantage points."""
BREAKDOWN: Final = "12.1.6e"
"""Number of the rule on breakdown units."""
SITUATIONS: Final = (
    "prepared_assault",
    "other",
    "improved_position",
    "entrenchment_or_fortification",
)


@attrs.frozen
class Allowance:
    """The number of artillery units that may take part in a barrage; None means no limit.

    ``cite`` is the rule that sets the allowance. ``other_formations`` counts formations, not units.
    ``capped_by`` is the rule that lowers ``total``, if another does.
    """

    cite: str
    same_formation: int | None = None
    corps_army: int | None = 0
    other_formations: int = 0
    total: int | None = None
    min_same_formation: int = 0
    capped_by: str = ""


@attrs.frozen(eq=False)
class BarrageLimits:
    """The limits on artillery units in a barrage, the depletion values and their modifiers.

    Each number outside ``rows`` cites its rule in the metadata of its field.
    """

    rows: Mapping[tuple[Side, str], Allowance]
    vantage_point_bonus: int = attrs.field(metadata={"cite": VANTAGE})
    breakdown_outside_works: int = attrs.field(metadata={"cite": BREAKDOWN})
    unobserved: int = attrs.field(metadata={"cite": "12.1.6g"})
    air_radius_hexes: int = attrs.field(metadata={"cite": "12.1.6f"})
    depletion: Mapping[str, int] = attrs.field(metadata={"cite": "12.6.1"})
    thaw: int = attrs.field(metadata={"cite": "12.6.1a"})
    replenish: int = attrs.field(metadata={"cite": "12.6.3"})
    provenance: str = "printed"
    source: str = ""

    def observed(
        self,
        side: Side,
        mode: Mode,
        works: Works,
        *,
        vantage: bool = False,
        breakdown: bool = False,
        vantage_third: str = "formation",
    ) -> Allowance:
        """Return the allowance of an observing unit (12.1.6a-e).

        If both its mode and its works give an allowance, the better applies. A ``breakdown`` unit
        outside works has the allowance of 12.1.6e. ``vantage_third`` tells whether the additional
        unit allowed on a vantage point under 12.1.6b must belong to the ``formation`` or may belong
        to ``corps_army``. Raises ValueError for a unit in strategic mode, which cannot observe
        (12.1.6b).
        """
        if mode == "strategic":
            raise ValueError("a unit in strategic mode cannot observe")
        if works == "none" and breakdown:
            # 12.1.6e never allows more than one unit, so a vantage point adds nothing.
            allowance = self.rows[side, mode]
            return attrs.evolve(allowance, total=self.breakdown_outside_works, capped_by=BREAKDOWN)
        # A unit in prepared assault has the limits of 12.1.6a even in works, because the limits of
        # works are never better.
        allowance = self.rows[
            side, mode if mode == "prepared_assault" or works == "none" else works
        ]
        if not vantage:
            return allowance
        bonus = self.vantage_point_bonus
        cite = f"{allowance.cite}, {VANTAGE}"
        corps = allowance.corps_army
        if allowance.total is not None:
            if corps is not None and vantage_third == "corps_army":
                corps += bonus
            total = allowance.total + bonus
            return attrs.evolve(allowance, cite=cite, total=total, corps_army=corps)
        if corps is not None:
            return attrs.evolve(allowance, cite=cite, corps_army=corps + bonus)
        return allowance

    def from_the_air(self) -> Allowance:
        """Return the allowance of a barrage observed only from the air (12.1.6b, 12.1.6f)."""
        return attrs.evolve(self.rows["US", "other"], cite="12.1.6b, 12.1.6f")

    def unobserved_allowance(self) -> Allowance:
        """Return the allowance of an unobserved barrage: one unit, of any command (12.1.6g)."""
        return Allowance("12.1.6g", corps_army=None, total=self.unobserved)


Level = Literal["division", "brigade", "corps", "army"]
_RANKS: Final = (("division", "brigade"), ("corps",), ("army",))
_RANK: Final = {level: rank for rank, levels in enumerate(_RANKS) for level in levels}


@attrs.frozen
class Headquarters:
    """A division, independent brigade, corps or army, with its superior headquarters.

    ``affiliated`` names other corps and armies whose artillery may fire for a formation.
    """

    name: str = entry("the headquarters", example="2nd-Division")
    level: Level = entry("its level", example="division")
    under: str | None = entry("the corps or army it is subordinated to", None)
    affiliated: tuple[str, ...] = entry("other corps and armies whose artillery may support it", ())


@attrs.frozen
class Command:
    """The command structure of a side.

    Raises ``CannotStageError`` listing every fault: a name used twice, a superior that does not
    exist or is not of a higher level, and an affiliation that is not a corps or army.
    """

    headquarters: tuple[Headquarters, ...]

    def __attrs_post_init__(self) -> None:
        named: dict[str, Headquarters] = {}
        faults: list[str] = []
        for unit in self.headquarters:
            if unit.name in named:
                faults.append(f"{unit.name} is listed twice")
            named[unit.name] = unit
        for unit in self.headquarters:
            faults.extend(
                f"{unit.name} is affiliated with {name}, but no corps or army has that name"
                for name in unit.affiliated
                if name not in named or not _RANK[named[name].level]
            )
            if unit.under is None:
                continue
            above = named.get(unit.under)
            if above is None:
                faults.append(
                    f"{unit.name} is under {unit.under}, but no headquarters has that name"
                )
            elif _RANK[above.level] <= _RANK[unit.level]:
                faults.append(
                    f"{unit.name} ({unit.level}) cannot be under {above.name} ({above.level})"
                )
        if faults:
            raise CannotStageError(faults)

    @cached_property
    def _by_name(self) -> dict[str, Headquarters]:
        return {unit.name: unit for unit in self.headquarters}

    def level(self, name: str) -> Level:
        """Return a headquarters' level; raise KeyError for an unknown name."""
        return self._by_name[name].level

    def superiors(self, name: str) -> tuple[str, ...]:
        """Return the names of the corps and armies above a headquarters, nearest first.

        Raises KeyError for an unknown name.
        """
        names: list[str] = []
        above = self._by_name[name].under
        while above is not None:
            names.append(above)
            above = self._by_name[above].under
        return tuple(names)

    def tie(self, observers: str, artillerys: str) -> Literal["same", "command", "other", "none"]:
        """Return how a headquarters with artillery is related to the observer's formation (12.1.5).

        ``same``: it is that formation. ``command``: it is a corps or army that commands the
        formation. ``other``: it is another formation. ``none``: it is a corps or army of another
        command.
        """
        if artillerys == observers:
            return "same"
        if not _RANK[self.level(artillerys)]:
            return "other"
        return "command" if artillerys in self.commands(observers) else "none"

    def commands(self, formation: str) -> frozenset[str]:
        """Return the names of the corps and armies whose artillery may fire for a formation.

        They are the formation's superiors, and its affiliated headquarters with their superiors.
        """
        return self._commanders[formation]

    @cached_property
    def _commanders(self) -> dict[str, frozenset[str]]:
        return {
            unit.name: frozenset(
                {
                    *self.superiors(unit.name),
                    *unit.affiliated,
                    *(above for name in unit.affiliated for above in self.superiors(name)),
                }
            )
            for unit in self.headquarters
        }

    def same_corps(self, first: str, second: str) -> bool:
        """Return whether two headquarters are in the same corps; a corps belongs to itself."""

        def corps(name: str) -> set[str]:
            return {
                above for above in (name, *self.superiors(name)) if self.level(above) == "corps"
            }

        return bool(corps(first) & corps(second))
