"""Ammunition: the Transport Table, the depletion roll, what a depleted unit is worth, and replenishment (12.6).

A base of ``WarRequests``: its steps and question live beside the declaring of barrages, whose
records they share.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from fireplan_core import (
    Effect,
    Form,
    Modifier,
    Reason,
    Refusal,
    Requests,
    Slot,
    View,
    cycle,
    orders,
)
from fireplan_core.chance import Chance
from fireplan_core.steps.effects import Effects, ask, emit, push, step, update
from fireplan_wacht_am_rhein.barrage import Allotment
from fireplan_wacht_am_rhein.charts import die
from fireplan_wacht_am_rhein.setup import Artillery, Fired, UnitEntry


# --- values --------------------------------------------------------------------------------------
def value_of(unit: UnitEntry, side_value: int) -> int:
    """Return a unit's depletion value: that of its Pocket Supply Source, else its side's (12.6.1)."""
    return side_value if unit.pocket is None else unit.pocket


def barrage_value(
    firing: Sequence[UnitEntry], formation: str | None, side_value: int, *, lowest: bool = False
) -> int:
    """Return the value that a barrage's depletion roll is compared with (12.6.1).

    Where the firing units' values differ, the one of the observing unit's formation counts (its
    lowest, should that differ too), or the side's value if no unit of it fires; with ``lowest`` the
    lowest of all.
    """
    values = {value_of(unit, side_value) for unit in firing}
    if lowest or len(values) == 1:
        return min(values, default=side_value)
    return min(
        (value_of(unit, side_value) for unit in firing if unit.under == formation),
        default=side_value,
    )


class Ammunition(Requests):
    """Say what firing costs, and how it is made good."""

    def __init__(self, game: str, options: Mapping[str, Any], charts: Mapping[str, Any]) -> None:
        super().__init__(game, options, charts)
        self.limits = charts["barrage_limits"]
        self.die = die(options)

    def side_value(self, view: View, mission: str) -> int:
        """Return the depletion value of a side now: its own or the printed one, with the Transport Table's change."""
        brought = view.facts(mission, Artillery)
        base = (
            self.limits.depletion[brought.nation]
            if brought.depletion is None
            else brought.depletion
        )
        if brought.trucks is None:
            return int(base)
        changed = base + int(view.own(mission, Fired).transport)
        return max(
            self.number("lowest_depletion_value"),
            min(self.number("highest_depletion_value"), changed),
        )

    def thaw(self) -> int:
        """Return the modifier of thaw weather to depletion rolls."""
        return int(self.limits.thaw) if self.options["thaw"] else 0

    def modifiers(self) -> tuple[Modifier, ...]:
        """Return what is added to the dice for ammunition."""
        return (
            Modifier("depletion", "12.6.1a", "thaw", lambda *_: self.thaw()),
            Modifier(
                "replenish",
                "12.6.3",
                "the side that is not active",
                lambda view, m, _unit, active: (
                    0 if view.side(m) == active else self.limits.replenish
                ),
            ),
        )

    @step(cite="12.6.1")
    def supply(self, chance: Chance, view: View, mission: str) -> Effects:
        """Roll before the barrages of a segment for what truck points on ammunition change in the depletion value."""
        trucks = view.facts(mission, Artillery).trucks
        if trucks is None:
            return Effects()
        roll = chance.dice("transport", d10=self.die)
        table, sides = self.charts["german_transport"], self.die.sides
        change = roll.total.look_up(lambda face: int(table.cell(trucks, f"d{face % sides}")))
        return Effects(
            update(view.own(mission, Fired), transport=change),
            emit("transport", "12.6.1", mission=mission, trucks=trucks, change=change),
        )

    # --- depletion -------------------------------------------------------------------------------
    def firing(self, view: View, mission: str) -> tuple[UnitEntry, ...]:
        """Return the units that take part in the barrage under way."""
        names = view.own(mission, Fired).firing
        return tuple(
            unit for unit in view.facts(mission, Artillery).artillery if unit.name in names
        )

    def candidates(self, view: View, mission: str) -> tuple[str, ...]:
        """Return the firing units a depletion roll may fall on, weakest and shortest first: not those in low supply."""
        order = sorted(
            self.firing(view, mission), key=lambda unit: (unit.factors, unit.range, unit.name)
        )
        return tuple(unit.name for unit in order if unit.supply == "full")

    @orders(cite="12.6.1")
    def deplete(self, view: View, mission: str, number: int) -> Iterator[Form]:
        """Ask which of the firing units are depleted."""
        names = self.candidates(view, mission)

        def deplete(units: Sequence[str]) -> Effect | Refusal:
            if len(set(units)) != number or len(units) != number:
                return Refusal.of("12.6.1", "wrong_number", number=number, units=repr(units))
            strange = [str(name) for name in units if name not in names]
            if strange:
                return Refusal.of("12.6.1", "not_firing", strange=strange, names=names)
            return push(self.depleted, mission, tuple(units))

        sets = tuple(names[i : i + number] for i in range(len(names) - number + 1))
        units = Slot("units", "which", sets, free=True)
        yield Form("deplete", "12.6.1", (units,), deplete, told={"number": number})

    @step(cite="12.6.0, 12.6.1")
    def ammunition(self, chance: Chance, view: View, mission: str) -> Effects:
        """Roll an extra die with the first volley: its excess over the depletion value is how many units run out."""
        formation = view.own(mission, Fired).formation
        lowest = self.options["mixed_values"] == "lowest"
        value = barrage_value(
            self.firing(view, mission), formation, self.side_value(view, mission), lowest=lowest
        )
        roll = chance.dice("depletion", d10=self.die)
        excess = (roll.total + (chance.drm(roll) - value)).clamped(low=0).exact()
        return Effects(push(self.run_out, mission, excess))

    @step(cite="12.6.1")
    def thin(
        self, _chance: Chance, view: View, mission: str, fire: Allotment, factors: int
    ) -> Effects:
        """Take what depleted units gave from all volleys but the first, where depletion counts at once."""
        depleted = view.own(mission, Fired).depleted
        short = {unit.name for unit in self.firing(view, mission) if unit.supply != "full"}
        lost = sum(given for name, given in fire if name in depleted and name not in short)
        full = self.number("full_volley")
        left = max(min(full, factors), factors - lost)
        return Effects(update(view.mission(mission), strength=Fraction(left, full)))

    @step(cite="12.6.1, 12.6.4")
    def run_out(self, _chance: Chance, view: View, mission: str, number: int) -> Effects:
        """Deplete so many of the firing units besides those in low supply.

        Their owner picks them.
        """
        low = tuple(unit.name for unit in self.firing(view, mission) if unit.supply != "full")
        names = self.candidates(view, mission)
        if self.options["low_supply"] == "count_toward_roll":
            number = max(0, number - len(low))
        told = (emit("depleted", "12.6.4", mission=mission, unit=name) for name in low)
        given = Effects(*told, push(self.mark, mission, low) if low else Effects())
        if number == 0 or not names:
            return given
        if number >= len(names):
            return Effects(given, push(self.depleted, mission, names))
        return Effects(given, ask(view.side(mission), self.deplete, mission, number))

    @step(cite="12.6.1")
    def depleted(
        self, _chance: Chance, _view: View, mission: str, units: tuple[str, ...]
    ) -> Effects:
        """Deplete the units that the roll fell on; an excess over the firing units is lost."""
        return Effects(
            *(emit("depleted", "12.6.1", mission=mission, unit=name) for name in units),
            push(self.mark, mission, units),
        )

    @step(cite="12.6.2")
    def mark(self, _chance: Chance, view: View, mission: str, names: tuple[str, ...]) -> Effects:
        """Mark depleted units: until replenished they fire no more, defend with 1, have AT 1 and no red hexagon."""
        fired = view.own(mission, Fired)
        units = (
            unit.name for unit in view.facts(mission, Artillery).artillery if unit.name in names
        )
        return Effects(
            update(fired, depleted=tuple(sorted({*fired.depleted, *names}))),
            *(
                emit("weakened", "12.6.2", unit=name, defence=1, at=1, red_hexagon=False)
                for name in units
            ),
        )

    @step(cite="12.6.2")
    def paid(self, _chance: Chance, view: View, mission: str) -> Effects:
        """Close the mission for good when every unit is depleted and no administrative phase is to come."""
        depleted = view.own(mission, Fired).depleted
        if view.scenario.mobile or any(
            unit.name not in depleted for unit in view.facts(mission, Artillery).artillery
        ):
            return Effects()
        return Effects(push(cycle.close, mission, Reason.EXHAUSTED, "12.6.2"))

    # --- replenishment ---------------------------------------------------------------------------
    @step(cite="12.6.0")
    def turn_over(self, _chance: Chance, view: View, side: str) -> Effects:
        """Let both sides try to replenish every depleted unit in an administrative phase."""
        tries = [
            (mission, unit)
            for mission in view.missions
            for unit in view.facts(mission, Artillery).artillery
            if unit.name in view.own(mission, Fired).depleted and not _gone(view, unit)
        ]
        return Effects(
            emit("administration", "12.6.0", active=side) if tries else Effects(),
            *(
                emit("unsupplied", "12.6.3", mission=mission, unit=unit.name)
                if unit.supply == "out"
                else push(self.replenish, mission, unit.name, side)
                for mission, unit in tries
            ),
        )

    @step(cite="12.6.3")
    def replenish(
        self, chance: Chance, view: View, mission: str, name: str, _active: str
    ) -> Effects:
        """Try to replenish a unit: the die must not exceed its current depletion value."""
        (unit,) = (one for one in view.facts(mission, Artillery).artillery if one.name == name)
        value = value_of(unit, self.side_value(view, mission))
        roll = chance.dice("replenish", d10=self.die)
        if roll.total + chance.drm(roll) > value:
            return Effects(
                emit("still_depleted", "12.6.3", mission=mission, unit=name, value=value)
            )
        fired = view.own(mission, Fired)
        return Effects(
            update(fired, depleted=tuple(one for one in fired.depleted if one != name)),
            emit("replenished", "12.6.3", mission=mission, unit=name, value=value),
        )


def _gone(view: View, unit: UnitEntry) -> bool:
    return unit.name in view.units and view.place_of(unit.name) is None
