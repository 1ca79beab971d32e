"""The command structure: whose artillery an observer may call (12.1.5), and how much of it (12.1.6a-g).

Formations are under corps, corps under armies: facts of a scenario, checked when they are put
together. How many units may take part goes by the observing unit's side and situation; the numbers
are data (``barrage_limits.toml``), and which units count against them is judged in ``barrage``.
"""

from collections.abc import Mapping
from functools import cached_property
from typing import Final, Literal, get_args

import attrs

from fireplan_core.files import entry

Side = Literal["US", "GE"]
Mode = Literal["prepared_assault", "other", "strategic"]
Works = Literal["none", "improved_position", "entrenchment_or_fortification"]

SIDES: tuple[Side, ...] = get_args(Side)
VANTAGE: Final = "12.1.6d"
SITUATIONS: Final = (
    "prepared_assault",
    "other",
    "improved_position",
    "entrenchment_or_fortification",
)


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
    """The limits on artillery units in a barrage, the depletion values and their modifiers.

    Each number that is not in ``rows`` names its rule in the metadata of its field.
    """

    rows: Mapping[tuple[Side, str], Allowance]
    vantage_point_bonus: int = attrs.field(metadata={"cite": VANTAGE})
    breakdown_outside_works: int = attrs.field(metadata={"cite": "12.1.6e"})
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
        """Return the allowance of a unit that observes (12.1.6a-e).

        The better one where mode and works both give one.

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
        # In works and in prepared assault the limits of 12.1.6a apply: they are never worse than
        # those of works.
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


Level = Literal["division", "brigade", "corps", "army"]
_RANKS: Final = (("division", "brigade"), ("corps",), ("army",))
_RANK: Final = {level: rank for rank, levels in enumerate(_RANKS) for level in levels}


class CommandError(ValueError):
    """A command structure that does not hold together; ``faults`` holds every fault."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__(faults)
        self.faults = faults

    def __str__(self) -> str:
        return "; ".join(self.faults)


@attrs.frozen
class Headquarters:
    """A formation (division or independent brigade), a corps or an army, and what it is subordinated to.

    ``affiliated`` are further corps and armies that a formation is affiliated with for its barrages.
    """

    name: str = entry("the headquarters", example="2nd-Division")
    level: Level = entry("its level", example="division")
    under: str | None = entry("the corps or army it is subordinated to", None)
    affiliated: tuple[str, ...] = entry("other corps and armies whose artillery may support it", ())


@attrs.frozen
class Command:
    """The command structure of a side.

    Raises ``CommandError`` with every fault: a name twice, a superior that is not there or of no
    higher level.
    """

    headquarters: tuple[Headquarters, ...]

    def __attrs_post_init__(self) -> None:
        known: dict[str, Headquarters] = {}
        faults: list[str] = []
        for one in self.headquarters:
            if one.name in known:
                faults.append(f"{one.name} stands twice")
            known[one.name] = one
        for one in self.headquarters:
            faults.extend(
                f"{one.name} is affiliated with {name}, which is no corps or army that is there"
                for name in one.affiliated
                if name not in known or not _RANK[known[name].level]
            )
            if one.under is None:
                continue
            above = known.get(one.under)
            if above is None:
                faults.append(f"{one.name} is under {one.under}, which is not there")
            elif _RANK[above.level] <= _RANK[one.level]:
                faults.append(
                    f"{one.name} ({one.level}) cannot be under {above.name} ({above.level})"
                )
        if faults:
            raise CommandError(faults)

    @cached_property
    def _known(self) -> dict[str, Headquarters]:
        return {one.name: one for one in self.headquarters}

    def level(self, name: str) -> Level:
        """Return the level of a headquarters; KeyError if there is none of that name."""
        return self._known[name].level

    def superiors(self, name: str) -> tuple[str, ...]:
        """Return everything a headquarters is subordinated to, nearest first.

        KeyError for an unknown one.
        """
        found: list[str] = []
        above = self._known[name].under
        while above is not None:
            found.append(above)
            above = self._known[above].under
        return tuple(found)

    def tie(self, observers: str, artillerys: str) -> Literal["same", "command", "other", "none"]:
        """Return what artillery of one headquarters is to an observer of a formation (12.1.5).

        ``same``: of his formation; ``command``: corps or army artillery over it; ``other``: of another formation;
        ``none``: corps or army artillery of another command.
        """
        if artillerys == observers:
            return "same"
        if not _RANK[self.level(artillerys)]:
            return "other"
        return "command" if artillerys in self.commands(observers) else "none"

    def commands(self, formation: str) -> frozenset[str]:
        """Return the corps and armies whose artillery a formation may call: above it, or affiliated with it."""
        found = set(self.superiors(formation))
        for name in self._known[formation].affiliated:
            found |= {name, *self.superiors(name)}
        return frozenset(found)

    def same_corps(self, one: str, other: str) -> bool:
        """Tell whether two headquarters stand under the same corps (a corps is of itself)."""

        def corps(name: str) -> set[str]:
            return {
                above for above in (name, *self.superiors(name)) if self.level(above) == "corps"
            }

        return bool(corps(one) & corps(other))
