"""The command structure: formations under corps, corps under armies, and whose artillery an observer may call (12.1.5).

Facts of a scenario, checked when they are put together. How many units may fire is in ``limits``.
"""

from functools import cached_property
from typing import Final, Literal

import attrs

Level = Literal["formation", "division", "brigade", "corps", "army"]
"""``formation`` stands for a division or an independent brigade where it does not matter which."""
_RANKS: Final = (("formation", "division", "brigade"), ("corps",), ("army",))
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

    name: str
    level: Level
    under: str | None = None
    affiliated: tuple[str, ...] = ()


@attrs.frozen
class Command:
    """The command structure of a side.

    Raises ``CommandError`` with every fault: a name twice, a superior that is not there or of no higher level.
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
                faults.append(f"{one.name} ({one.level}) cannot be under {above.name} ({above.level})")
        if faults:
            raise CommandError(faults)

    @cached_property
    def _known(self) -> dict[str, Headquarters]:
        return {one.name: one for one in self.headquarters}

    def level(self, name: str) -> Level:
        """Return the level of a headquarters; KeyError if there is none of that name."""
        return self._known[name].level

    def superiors(self, name: str) -> tuple[str, ...]:
        """Return everything a headquarters is subordinated to, nearest first; KeyError for an unknown one."""
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
            return {above for above in (name, *self.superiors(name)) if self.level(above) == "corps"}

        return bool(corps(one) & corps(other))
