"""One barrage: which units may take part (12.1.2 to 12.1.6), and the strongest legal choice.

This module never reads the state; ``declaring`` supplies distances and the factors already fired.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import attrs

from fireplan_core import Refusal
from fireplan_wacht_am_rhein.command import Allowance, Command
from fireplan_wacht_am_rhein.setup import UnitEntry

Tie = Literal["same", "command", "other", "none"]
Allotment = tuple[tuple[str, int], ...]
"""The artillery units of a barrage: pairs of a unit's name and the Barrage Factors it fires."""


@attrs.frozen
class FiringUnit:
    """An artillery unit in relation to one target hex.

    ``distance`` is in hexes, ``left`` is the number of Barrage Factors not yet fired in this
    segment, ``barrages`` is the number of barrages joined in this segment, and ``lost`` means
    eliminated.
    """

    unit: UnitEntry
    distance: int
    next_to_enemy: bool
    left: int
    barrages: int = 0
    depleted: bool = False
    lost: bool = False

    @property
    def adjacent(self) -> bool:
        """Return whether the target hex is adjacent, which lifts the Barrage Limits (12.1.6)."""
        return self.distance <= 1

    @property
    def reach(self) -> int:
        """Return the unit's current range in hexes; 1 next to an enemy-occupied hex (12.1.3)."""
        return min(1, self.unit.range) if self.next_to_enemy else self.unit.range


@attrs.frozen
class Judge:
    """The rules that decide which artillery units may take part in one barrage.

    ``formation`` is the observing unit's formation, or None if the barrage is unobserved.
    ``most_barrages`` is the maximum number of barrages among which a unit may split its factors
    (12.1.4). ``options`` are the game's options and settle points that the rules leave open.
    """

    allowance: Allowance
    formation: str | None
    command: Command
    most_barrages: int
    options: Mapping[str, Any]

    @property
    def exempt(self) -> bool:
        """Return whether fire at an adjacent hex also ignores the command structure.

        The rules do not say (12.1.5, 12.1.6), so an option decides.
        """
        return bool(self.options["adjacent_command"] == "exempt")

    def tie(self, unit: UnitEntry) -> Tie:
        """Return the relation of a unit's command to the observer's formation (12.1.5).

        In an unobserved barrage every unit counts as ``same`` (12.1.6g).
        """
        if self.formation is None:
            return "same"
        return self.command.tie(self.formation, unit.under)

    def refuse_unit(self, gun: FiringUnit, factors: int) -> Refusal | None:
        """Return the reason why one unit may not fire ``factors``, or None if it may."""
        name = gun.unit.name
        if gun.lost:
            return Refusal.of("12.1.2", "eliminated", name=name)
        if gun.depleted:
            return Refusal.of("12.1.2, 12.6.2", "depleted", name=name)
        if gun.distance > gun.reach:
            enemy = gun.next_to_enemy
            return Refusal.of(
                "12.1.3",
                "out_of_range",
                name=name,
                distance=gun.distance,
                reach=gun.reach,
                enemy=enemy,
            )
        if gun.barrages >= self.most_barrages:
            return Refusal.of(
                "12.1.4", "barrages_used", name=name, barrages=gun.barrages, most=self.most_barrages
            )
        if not 1 <= factors <= gun.left:
            return Refusal.of("12.1.4", "factors_left", name=name, factors=factors, left=gun.left)
        return self._refuse_tie(gun)

    def _refuse_tie(self, gun: FiringUnit) -> Refusal | None:
        name, under = gun.unit.name, gun.unit.under
        tie = self.tie(gun.unit)
        if tie in ("same", "command") or (gun.adjacent and self.exempt):
            return None
        if tie == "none":
            return Refusal.of(
                "12.1.5", "not_commanded", name=name, under=under, formation=self.formation
            )
        if self.allowance.other_formations == 0:
            return Refusal.of(
                "12.1.5", "other_formation", name=name, under=under, formation=self.formation
            )
        if self.options["other_formation"] == "same_corps" and not self.command.same_corps(
            str(self.formation), under
        ):
            return Refusal.of(
                "12.1.5", "other_corps", name=name, under=under, formation=self.formation
            )
        return None

    def counted(self, gun: FiringUnit) -> bool:
        """Return whether a unit counts against the Barrage Limit.

        A unit adjacent to the target hex does not count, except by option under 12.1.6e.
        """
        if self.options["breakdown_cap"] == "counts_adjacent" and self.allowance.capped_by:
            return True
        return not gun.adjacent

    def refuse_together(self, guns: Sequence[FiringUnit]) -> Refusal | None:
        """Return the reason why these units may not fire together, or None if they may.

        Each unit must already have passed ``refuse_unit``.
        """
        allowed = self.allowance
        counting = [gun for gun in guns if self.counted(gun)]
        ties = [self.tie(gun.unit) for gun in counting]
        if allowed.total is not None and len(counting) > allowed.total:
            return Refusal.of(
                allowed.capped_by or allowed.cite,
                "limit_reached",
                limit=allowed.total,
                count=len(counting),
            )
        for what, cap, count in (
            ("units of the formation", allowed.same_formation, ties.count("same")),
            ("corps and army units", allowed.corps_army, ties.count("command")),
        ):
            if cap is not None and count > cap:
                return Refusal.of(allowed.cite, "limit_of", limit=cap, what=what, count=count)
        # Fire at an adjacent hex is exempt from the limits, but not from 12.1.5: other formations
        # take part only under 12.1.6a, which allows one.
        bound = counting if self.exempt else guns
        others = {gun.unit.under for gun in bound if self.tie(gun.unit) == "other"}
        if len(others) > allowed.other_formations:
            return Refusal.of(
                allowed.cite,
                "other_formations",
                limit=allowed.other_formations,
                names=sorted(others),
            )
        same = ties.count("same")
        if self.options["formation_minimum"] == "adjacent_serves":
            same += sum(self.tie(gun.unit) == "same" for gun in guns if not self.counted(gun))
        if counting and same < allowed.min_same_formation:
            least = allowed.min_same_formation
            return Refusal.of(
                allowed.cite, "formation_minimum", same=same, formation=self.formation, least=least
            )
        return None

    def beside(
        self, free: Sequence[FiringUnit], counting: Sequence[FiringUnit]
    ) -> list[list[FiringUnit]]:
        """Return each set of units from ``free`` that can join ``counting``.

        ``free`` contains the units exempt from the limits. Only one other formation may take part,
        so there is one set for each such formation.
        """
        other = [gun for gun in free if self.tie(gun.unit) == "other"]
        if self.exempt or not other:
            return [list(free)]
        names = {gun.unit.under for gun in (*other, *counting) if self.tie(gun.unit) == "other"}
        return [
            [gun for gun in free if gun not in other or gun.unit.under == name]
            for name in sorted(names)
        ]

    def best(self, guns: Sequence[FiringUnit]) -> Allotment:
        """Return the legal barrage with the most factors, as pairs (name of a unit, its factors).

        Units fire all their remaining factors. Returns an empty tuple if no unit may fire.
        """
        able = [gun for gun in guns if gun.left > 0 and self.refuse_unit(gun, gun.left) is None]
        strongest = sorted(self._choices(able), key=lambda choice: -sum(gun.left for gun in choice))
        chosen = next((choice for choice in strongest if self.refuse_together(choice) is None), [])
        names = {gun.unit.name for gun in chosen}
        return tuple((gun.unit.name, gun.left) for gun in guns if gun.unit.name in names)

    def _choices(self, able: Sequence[FiringUnit]) -> Iterator[list[FiringUnit]]:
        """Yield sets of units that include the strongest legal set.

        Each set has the strongest units of the formation, of corps and army, and of one other
        formation; the sets differ in how many units come from each group.
        """
        free = [gun for gun in able if not self.counted(gun)]
        counting = sorted(
            (gun for gun in able if self.counted(gun)), key=lambda gun: (-gun.left, gun.unit.name)
        )
        ties = ("same", "command", "other")
        same, command, other = (
            [gun for gun in counting if self.tie(gun.unit) == tie] for tie in ties
        )
        most_same = (
            len(same) if self.allowance.same_formation is None else self.allowance.same_formation
        )
        formations = sorted({gun.unit.under for gun in other})
        ranked = ([gun for gun in other if gun.unit.under == name] for name in formations)
        for others in [[], *(units[:n] for units in ranked for n in range(1, len(units) + 1))]:
            for corps in range(len(command) + 1):
                total = self.allowance.total
                room = most_same if total is None else min(most_same, total - corps - len(others))
                if room >= 0:
                    chosen = [*same[:room], *command[:corps], *others]
                    for joining in self.beside(free, chosen):
                        yield [*joining, *chosen]
