"""Ammunition in play: the Transport Table, the depletion roll, who is depleted, and replenishment (12.6).

A base of ``WarRequests``: its steps and question live beside the declaring of barrages, whose records they share.
Values and effects are worked out in ``supply``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fireplan_core import (
    Effects,
    Form,
    Modifier,
    Order,
    Question,
    Reason,
    Refusal,
    Requests,
    Slot,
    View,
    ask,
    emit,
    push,
    step,
    update,
)
from fireplan_core.chance import Chance, Die
from fireplan_wacht_am_rhein.barrage import ArtilleryUnit
from fireplan_wacht_am_rhein.declaring import Artillery, Fired
from fireplan_wacht_am_rhein.supply import barrage_value, standing, value_of
from fireplan_wacht_am_rhein.volleys import strength


class Ammunition(Requests):
    """What firing costs, and how it is made good."""

    def __init__(self, game: str, options: Any, charts: Any) -> None:
        super().__init__(game, options, charts)
        self.numbers = charts["barrage_limits"]
        self.transports = charts["german_transport"]
        self.die = Die(10, lowest=0 if options["d10_zero"] == "zero" else 1)

    # --- values ----------------------------------------------------------------------------------
    def side_value(self, view: View, mission: str) -> int:
        """The depletion value of a side now: printed or the scenario's, with the Transport Table's change."""
        brought = view.facts(mission, Artillery)
        base = self.numbers.depletion[brought.nation] if brought.depletion is None else brought.depletion
        if brought.trucks is None:
            return base
        changed = base + int(view.own(mission, Fired).transport)
        return max(self.number("lowest_depletion_value"), min(self.number("highest_depletion_value"), changed))

    def fired_value(self, view: View, mission: str, firing: Sequence[ArtilleryUnit]) -> int:
        """The value that the depletion roll of a barrage of these units is compared with."""
        side = self.side_value(view, mission)
        if all(unit.pocket is None for unit in firing):
            return side
        formation = view.own(mission, Fired).formation
        return barrage_value(firing, formation, side, lowest=self.options["mixed_values"] == "lowest")

    def modifiers(self) -> tuple[Modifier, ...]:
        """What is added to the dice for ammunition."""
        return (
            Modifier(
                "requests.depletion", "12.6.1a", "thaw",
                lambda _view, _m: self.numbers.thaw if self.options["thaw"] else 0,
            ),
            Modifier(
                "requests.replenish", "12.6.3", "the side that is not active",
                lambda view, m, _unit, active: 0 if view.side(m) == active else self.numbers.replenish,
            ),
        )  # fmt: skip

    # --- the Transport Table ---------------------------------------------------------------------
    @step(cite="12.6.1")
    def supply(self, chance: Chance, view: View, mission: str) -> Effects:
        """Before the barrages of a segment: what the truck points on ammunition change in the depletion value."""
        trucks = view.facts(mission, Artillery).trucks
        if trucks is None:
            return Effects()
        roll = chance.dice("transport", d10=self.die)
        change = roll.total.look_up(lambda face: int(self.transports.cell(trucks, f"d{face % 10}")))
        return Effects(
            update(view.own(mission, Fired), transport=change),
            emit("transport", "12.6.1", mission=mission, trucks=trucks, change=change),
        )

    # --- depletion -------------------------------------------------------------------------------
    def firing(self, view: View, mission: str) -> tuple[ArtilleryUnit, ...]:
        """The units that take part in the barrage under way."""
        names = view.own(mission, Fired).firing
        return tuple(unit for unit in view.facts(mission, Artillery).artillery if unit.name in names)

    def candidates(self, view: View, mission: str) -> tuple[str, ...]:
        """The firing units a depletion roll may fall on, weakest and shortest first; low supply is not among them."""
        order = sorted(self.firing(view, mission), key=lambda unit: (unit.factors, unit.range_hexes, unit.name))
        return tuple(unit.name for unit in order if not short_of_supply(unit))

    def questions(self) -> dict[str, Question]:
        """Which of the firing units are depleted."""
        return {"deplete": Question(self._deplete_forms, self._refuse_deplete, self._deplete_standard)}

    def _deplete_forms(self, view: View, mission: str, number: int) -> tuple[Form, ...]:
        names = self.candidates(view, mission)
        sets = tuple(names[i : i + number] for i in range(len(names) - number + 1))
        return (Form("deplete", "12.6.1", f"{number} of the firing units", (Slot("units", "which", sets),)),)

    def _refuse_deplete(self, view: View, order: Order, mission: str, number: int) -> Refusal | None:
        names = self.candidates(view, mission)
        units = order["units"]
        if not isinstance(units, tuple) or len(set(units)) != number or len(units) != number:
            return Refusal("12.6.1", f"{number} different units are to be named, not {units}")
        strange = [str(name) for name in units if name not in names]
        if strange:
            return Refusal("12.6.1", f"{', '.join(strange)} not among the firing units {', '.join(names)}")
        return None

    def _deplete_standard(self, view: View, mission: str, number: int) -> Order:
        return Order.of("deplete", units=self.candidates(view, mission)[:number])

    @step(cite="12.6.0, 12.6.1")
    def ammunition(self, chance: Chance, view: View, mission: str) -> Effects:
        """An extra die for the barrage: its excess over the depletion value is how many firing units run out."""
        value = self.fired_value(view, mission, self.firing(view, mission))
        roll = chance.dice("depletion", d10=self.die)
        excess = (roll.total + (chance.drm(roll) - value)).clamped(low=0).exact()
        return Effects(push("deplete", mission, excess))

    @step(cite="12.6.0, 12.6.1")
    def paid(self, _chance: Chance, _view: View, mission: str) -> Effects:
        """A barrage has fallen: it costs ammunition, unless that was settled before it fell."""
        before = self.options["depletion_timing"] == "before_second_volley"
        return Effects(Effects() if before else push("ammunition", mission), push("run_dry", mission))

    @step(cite="12.6.1")
    def thin(self, _chance: Chance, view: View, mission: str, fire: tuple[tuple[str, int], ...], factors: int) -> Effects:
        """Where depletion counts at once, what depleted units gave is lost to all volleys but the first."""
        depleted = view.own(mission, Fired).depleted
        short = {unit.name for unit in self.firing(view, mission) if short_of_supply(unit)}
        lost = sum(given for name, given in fire if name in depleted and name not in short)
        full = self.number("full_volley")
        left = max(min(full, factors), factors - lost)
        return Effects(update(view.mission(mission), strength=strength(left, full)))

    @step(cite="12.6.1, 12.6.4")
    def deplete(self, _chance: Chance, view: View, mission: str, number: int) -> Effects:
        """So many of the firing units are depleted besides those in low supply; their owner picks them."""
        low = tuple(unit.name for unit in self.firing(view, mission) if short_of_supply(unit))
        names = self.candidates(view, mission)
        if self.options["low_supply"] == "count_toward_roll":
            number = max(0, number - len(low))
        told = [emit("depleted", "12.6.4", mission=mission, unit=name) for name in low]
        given = Effects(*told, push("mark", mission, low) if low else Effects())
        if number == 0 or not names:
            return given
        if number >= len(names):
            return Effects(given, push("depleted", mission, number, Order.of("deplete", units=names)))
        return Effects(given, ask(view.side(mission), "deplete", mission, number, then="depleted"))

    @step(cite="12.6.1")
    def depleted(self, _chance: Chance, _view: View, mission: str, _number: int, order: Order) -> Effects:
        """The units that the roll fell on; an excess over the firing units is lost."""
        units: Sequence[str] = order["units"]
        return Effects(
            *(emit("depleted", "12.6.1", mission=mission, unit=name) for name in units),
            push("mark", mission, tuple(units)),
        )

    @step(cite="12.6.2")
    def mark(self, _chance: Chance, view: View, mission: str, names: tuple[str, ...]) -> Effects:
        """Depleted units fire no more until they are replenished, and are worth less meanwhile."""
        fired = view.own(mission, Fired)
        worth = [
            (unit.name, standing(unit, depleted=True))
            for unit in view.facts(mission, Artillery).artillery
            if unit.name in names
        ]
        return Effects(
            update(fired, depleted=tuple(sorted({*fired.depleted, *names}))),
            *(
                emit("weakened", "12.6.2", unit=name, defence=now.defence, at=now.at, red_hexagon=now.red_hexagon)
                for name, now in worth
            ),
        )

    @step(cite="12.6.2")
    def run_dry(self, _chance: Chance, view: View, mission: str) -> Effects:
        """With every unit depleted and no administrative phase to come the asset is exhausted."""
        brought = view.facts(mission, Artillery)
        depleted = view.own(mission, Fired).depleted
        if brought.ground is None and all(unit.name in depleted for unit in brought.artillery):
            return Effects(push("core.close", mission, Reason.EXHAUSTED, "12.6.2"))
        return Effects()

    # --- replenishment ---------------------------------------------------------------------------
    @step(cite="12.6.0")
    def administration(self, _chance: Chance, view: View, active: str) -> Effects:
        """The mutual replenishment of an administrative phase: both sides try for every depleted unit."""
        tries = [
            (mission, unit)
            for mission in view.missions
            for unit in view.facts(mission, Artillery).artillery
            if unit.name in view.own(mission, Fired).depleted and not self._gone(view, unit)
        ]
        told = [emit("administration", "12.6.0", active=active)] if tries else []
        return Effects(
            *told,
            *(
                emit("unsupplied", "12.6.3", mission=mission, unit=unit.name)
                if unit.out_of_supply
                else push("replenish", mission, unit.name, active)
                for mission, unit in tries
            ),
        )

    def _gone(self, view: View, unit: ArtilleryUnit) -> bool:
        return unit.name in view.units and view.place_of(unit.name) is None

    @step(cite="12.6.3")
    def replenish(self, chance: Chance, view: View, mission: str, name: str, _active: str) -> Effects:
        """One unit tries to be replenished: the die must not exceed its current depletion value."""
        (unit,) = (one for one in view.facts(mission, Artillery).artillery if one.name == name)
        value = value_of(unit, self.side_value(view, mission))
        roll = chance.dice("replenish", d10=self.die)
        if roll.total + chance.drm(roll) > value:
            return Effects(emit("still_depleted", "12.6.3", mission=mission, unit=name, value=value))
        fired = view.own(mission, Fired)
        return Effects(
            update(fired, depleted=tuple(one for one in fired.depleted if one != name)),
            emit("replenished", "12.6.3", mission=mission, unit=name, value=value),
        )


def short_of_supply(unit: ArtilleryUnit) -> bool:
    """Whether firing depletes a unit at once: in low supply, and out of supply, which is no better (12.6.4)."""
    return unit.low_supply or unit.out_of_supply
