"""Ammunition: the Transport Table, depletion rolls, depleted units and replenishment (12.6).

``Ammunition`` is a base class of ``WarRequests`` and uses the records of that subclass.
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
from fireplan_wacht_am_rhein.setup import Artillery, ArtilleryState, UnitEntry


# --- values --------------------------------------------------------------------------------------
def value_of(unit: UnitEntry, side_value: int) -> int:
    """Return a unit's depletion value (12.6.1).

    A unit with a Pocket Supply Source uses the value of that source, any other unit its side's
    value.
    """
    return side_value if unit.pocket is None else unit.pocket


def barrage_value(
    firing: Sequence[UnitEntry], formation: str | None, side_value: int, *, lowest: bool = False
) -> int:
    """Return the depletion value for a barrage, which its depletion roll must not exceed (12.6.1).

    If the firing units have different values, the lowest value in the observing unit's
    ``formation`` applies, or the side's value if no unit of that formation fires. With ``lowest``,
    the lowest value of any firing unit applies.
    """
    values = {value_of(unit, side_value) for unit in firing}
    if lowest or len(values) == 1:
        return min(values, default=side_value)
    return min(
        (value_of(unit, side_value) for unit in firing if unit.under == formation),
        default=side_value,
    )


class Ammunition(Requests):
    """A side's ammunition: units run out of it when they fire, and are replenished later."""

    def __init__(self, game: str, options: Mapping[str, Any], charts: Mapping[str, Any]) -> None:
        super().__init__(game, options, charts)
        self.limits = charts["barrage_limits"]
        self.die = die(options)

    def side_value(self, view: View, mission: str) -> int:
        """Return a side's current depletion value: the scenario's, or by default the printed one.

        If truck points are given, the Transport Table changes the value, within limits.
        """
        brought = view.facts(mission, Artillery)
        base = (
            self.limits.depletion[brought.nation]
            if brought.depletion is None
            else brought.depletion
        )
        if brought.trucks is None:
            return int(base)
        changed = base + int(view.own(mission, ArtilleryState).transport)
        return max(
            self.number("lowest_depletion_value"),
            min(self.number("highest_depletion_value"), changed),
        )

    def thaw(self) -> int:
        """Return the modifier to depletion rolls in thaw weather; 0 if the option is off."""
        return int(self.limits.thaw) if self.options["thaw"] else 0

    def modifiers(self) -> tuple[Modifier, ...]:
        """Return the die-roll modifiers for depletion and replenishment."""
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
        """Roll on the Transport Table before the barrages of a segment.

        The result changes the German depletion value for the segment. If no truck points are given,
        there is no roll.
        """
        trucks = view.facts(mission, Artillery).trucks
        if trucks is None:
            return Effects()
        roll = chance.dice("transport", d10=self.die)
        table, sides = self.charts["german_transport"], self.die.sides
        change = roll.total.look_up(lambda face: int(table.cell(trucks, f"d{face % sides}")))
        return Effects(
            update(view.own(mission, ArtilleryState), transport=change),
            emit("transport", "12.6.1", mission=mission, trucks=trucks, change=change),
        )

    # --- depletion -------------------------------------------------------------------------------
    def firing(self, view: View, mission: str) -> tuple[UnitEntry, ...]:
        """Return the entries of the artillery units taking part in the current barrage."""
        names = view.own(mission, ArtilleryState).firing
        return tuple(
            unit for unit in view.facts(mission, Artillery).artillery if unit.name in names
        )

    def candidates(self, view: View, mission: str) -> tuple[str, ...]:
        """Return the names of firing units that a depletion roll can deplete, fewest factors first.

        Units short of supply are excluded, because firing depletes them in any case (12.6.4).
        """
        order = sorted(
            self.firing(view, mission), key=lambda unit: (unit.factors, unit.range, unit.name)
        )
        return tuple(unit.name for unit in order if unit.supply == "full")

    @orders(cite="12.6.1")
    def deplete(self, view: View, mission: str, number: int) -> Iterator[Form]:
        """Yield the order in which the owner chooses ``number`` firing units to be depleted."""
        names = self.candidates(view, mission)

        def deplete(units: Sequence[str]) -> Effect | Refusal:
            if len(set(units)) != number or len(units) != number:
                return Refusal.of("12.6.1", "wrong_number", number=number, units=tuple(units))
            others = [str(name) for name in units if name not in names]
            if others:
                return Refusal.of("12.6.1", "not_firing", strange=others, names=names)
            return push(self.depleted, mission, tuple(units))

        sets = tuple(names[i : i + number] for i in range(len(names) - number + 1))
        units = Slot("units", "the units that are depleted", sets, free=True)
        yield Form("deplete", "12.6.1", (units,), deplete, fields={"number": number})

    @step(cite="12.6.0, 12.6.1")
    def ammunition(self, chance: Chance, view: View, mission: str) -> Effects:
        """Roll the extra die of the first volley.

        The excess over the depletion value, at most the number of firing units, is the number of
        units that run out of ammunition.
        """
        formation = view.own(mission, ArtilleryState).formation
        lowest = self.options["mixed_values"] == "lowest"
        value = barrage_value(
            self.firing(view, mission), formation, self.side_value(view, mission), lowest=lowest
        )
        roll = chance.dice("depletion", d10=self.die)
        most = len(self.firing(view, mission))
        excess = (roll.total + (chance.drm(roll) - value)).clamped(low=0, high=most).exact()
        return Effects(push(self.run_out, mission, excess))

    @step(cite="12.6.1")
    def thin(
        self, _chance: Chance, view: View, mission: str, fire: Allotment, factors: int
    ) -> Effects:
        """Remove the factors of newly depleted units from every volley after the first.

        ``fire`` lists the firing units with their factors, and ``factors`` is the number that form
        volleys. This step is played only if depletion takes effect before the second volley (an
        option).
        """
        depleted = view.own(mission, ArtilleryState).depleted
        short = {unit.name for unit in self.firing(view, mission) if unit.supply != "full"}
        lost = sum(count for name, count in fire if name in depleted and name not in short)
        full = self.number("full_volley")
        remaining = max(min(full, factors), factors - lost)
        return Effects(update(view.mission(mission), strength=Fraction(remaining, full)))

    @step(cite="12.6.1, 12.6.4")
    def run_out(self, _chance: Chance, view: View, mission: str, number: int) -> Effects:
        """Deplete the firing units in low supply, and ``number`` others chosen by their owner.

        By option the units in low supply count towards ``number`` (12.6.4).
        """
        low = tuple(unit.name for unit in self.firing(view, mission) if unit.supply != "full")
        names = self.candidates(view, mission)
        if self.options["low_supply"] == "count_toward_roll":
            number = max(0, number - len(low))
        events = (emit("depleted", "12.6.4", mission=mission, unit=name) for name in low)
        in_low_supply = Effects(*events, push(self.mark, mission, low) if low else Effects())
        if number == 0 or not names:
            return in_low_supply
        if number >= len(names):
            return Effects(in_low_supply, push(self.depleted, mission, names))
        return Effects(in_low_supply, ask(view.side(mission), self.deplete, mission, number))

    @step(cite="12.6.1")
    def depleted(
        self, _chance: Chance, _view: View, mission: str, units: tuple[str, ...]
    ) -> Effects:
        """Deplete these units and announce each of them."""
        return Effects(
            *(emit("depleted", "12.6.1", mission=mission, unit=name) for name in units),
            push(self.mark, mission, units),
        )

    @step(cite="12.6.2")
    def mark(self, _chance: Chance, view: View, mission: str, names: tuple[str, ...]) -> Effects:
        """Mark units as Ammo Depleted.

        Until replenished they cannot fire, have a defence strength and an AT value of 1, and lose
        the red hexagon.
        """
        fired = view.own(mission, ArtilleryState)
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
        """End the mission for good once every unit is depleted.

        In a scenario the mission continues, because an Administrative Phase may replenish the
        units.
        """
        depleted = view.own(mission, ArtilleryState).depleted
        if view.scenario.mobile or any(
            unit.name not in depleted for unit in view.facts(mission, Artillery).artillery
        ):
            return Effects()
        return Effects(push(cycle.close, mission, Reason.EXHAUSTED, "12.6.2"))

    # --- replenishment ---------------------------------------------------------------------------
    @step(cite="12.6.0")
    def turn_over(self, _chance: Chance, view: View, side: str) -> Effects:
        """Let both sides try to replenish their depleted units in an Administrative Phase.

        ``side`` is the active side. Units out of supply cannot try (12.6.3), and eliminated units
        are left out.
        """
        tries = [
            (mission, unit)
            for mission in view.missions
            for unit in view.facts(mission, Artillery).artillery
            if unit.name in view.own(mission, ArtilleryState).depleted and not _gone(view, unit)
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
        """Roll to replenish a unit; the modified die must not exceed the unit's depletion value.

        ``_active`` is the active side, on which the modifier depends.
        """
        artillery = view.facts(mission, Artillery).artillery
        (unit,) = (unit for unit in artillery if unit.name == name)
        value = value_of(unit, self.side_value(view, mission))
        roll = chance.dice("replenish", d10=self.die)
        if roll.total + chance.drm(roll) > value:
            return Effects(
                emit("still_depleted", "12.6.3", mission=mission, unit=name, value=value)
            )
        fired = view.own(mission, ArtilleryState)
        return Effects(
            update(fired, depleted=tuple(other for other in fired.depleted if other != name)),
            emit("replenished", "12.6.3", mission=mission, unit=name, value=value),
        )


def _gone(view: View, unit: UnitEntry) -> bool:
    return unit.name in view.units and view.place_of(unit.name) is None
