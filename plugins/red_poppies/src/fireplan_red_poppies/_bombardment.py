"""What massed fire does to a hex and the wire about it: preliminary bombardments and barrages (7.12, 7.13, 7.43)."""

from __future__ import annotations

from collections.abc import Mapping

from fireplan_core import Effects, Form, Order, Question, Refusal, Resolution, Slot, View, ask, emit, push, step, update
from fireplan_core.chance import Chance, d6
from fireplan_core.space import Hex
from fireplan_red_poppies._ground import Side
from fireplan_red_poppies._massed import PULVERIZING, Massed
from fireplan_red_poppies._troops import Company, Field, Soil, Troops, destroy, disperse, plot_of


def massed_fire(view: View, mission: str) -> Massed | None:
    """The massed fire that a mission stands for; None for a group."""
    found = view.scenario.missions[mission].facts.get("resolution")
    return found if isinstance(found, Massed) else None


class Bombarding(Resolution):
    """Steps of massed fire."""

    @step(cite="7.12, 7.43")
    def bombard(self, chance: Chance, view: View, mission: str, unit: str) -> Effects:
        """One unit: eliminated in the open, else dispersed and, by a die, eliminated or spent."""
        troops = view.unit(unit, Troops)
        if troops.destroyed:
            return Effects()
        facts = view.unit_facts(unit, Company)
        plot = plot_of(view, unit)
        sheltered = bool(troops.inside) or (plot is not None and plot.village)
        if not sheltered and not (facts.armoured and self.options["bombarded_vehicles"] == "disperse"):
            return destroy(view, unit, "7.12")
        pulverizing = view.facts(mission, Massed).kind == PULVERIZING
        roll = chance.dice("bombardment", white=d6)
        if pulverizing:
            if roll.white == 6:
                return destroy(view, unit, "7.12")
            return disperse(view, unit, "7.12", spend=False, stopped=False)
        return disperse(view, unit, "7.12", spend=roll.white >= 2, stopped=False)

    def after_massed(self, view: View, mission: str, massed: Massed) -> Effects:
        """Wire is breached about the line, by each player as the kind of fire says; then scrapes are laid."""
        line = massed.line_at(view.mission(mission).impact)
        effects = []
        wire = massed.ground.bordering(frozenset(line.hexes))
        if wire:
            cut, key = view.shared(Field).cut, (mission, line.at)
            if massed.before or key not in cut or self.options["barrage_breaches"] == "per_detonation":
                firer = view.side(mission)
                players = (massed.enemy, firer) if massed.kind == PULVERIZING else (firer,) * 3
                effects += [push("breach", mission, line.at, player) for player in players]
                if key not in cut and not massed.before:
                    effects.append(push("cutting", mission, line.at))
        if massed.before and massed.scrapes:
            effects.append(push("scrape", mission, self.number("scrapes")))
        return Effects(*effects)

    # --- wire ------------------------------------------------------------------------------------
    @step(cite="7.43")
    def cutting(self, _chance: Chance, view: View, mission: str, at: Hex) -> Effects:
        """No more wire is cut on this line by this barrage."""
        field = view.shared(Field)
        return Effects(update(field, cut=tuple(sorted((*field.cut, (mission, at))))))

    @step(cite="7.12, 7.43")
    def breach(self, _chance: Chance, view: View, mission: str, at: Hex, player: str) -> Effects:
        """A player must breach a hex side with wire, while there is one."""
        if not self._wire(view, mission, at):
            return Effects()
        return Effects(ask(player, "breach", mission, at, player, then="breached"))

    @step(cite="8.342")
    def breached(self, _chance: Chance, view: View, _mission: str, _at: Hex, player: str, order: Order) -> Effects:
        """The marker is laid: that side has no wire from now on."""
        field = view.shared(Field)
        side = order["side"]
        return Effects(
            update(field, breached=tuple(sorted((*field.breached, side)))), emit("breach", "8.342", side=side, by=player)
        )

    @staticmethod
    def _wire(view: View, mission: str, at: Hex) -> tuple[Side, ...]:
        massed = view.facts(mission, Massed)
        gone = view.shared(Field).breached
        return tuple(s for s in massed.ground.bordering(frozenset(massed.line_at(at).hexes)) if s not in gone)

    # --- scrapes ---------------------------------------------------------------------------------
    @step(cite="7.13")
    def scrape(self, _chance: Chance, view: View, mission: str, left: int) -> Effects:
        """The firer must lay the scrapes that are left, while there are hexes without one."""
        if not left or not self._bare(view, mission):
            return Effects()
        return Effects(ask(view.side(mission), "scrape", mission, left, then="scraped"))

    @step(cite="7.13, 8.2")
    def scraped(self, _chance: Chance, view: View, mission: str, left: int, order: Order) -> Effects:
        """The scrape lies."""
        at, field = order["at"], view.shared(Field)
        if any(massed_fire(view, m) is None for m in view.missions):
            # Groups will fire at ground that has changed: reading it here keeps places from being solved apart.
            _ = view.ground(at, Soil).scrape
        return Effects(
            update(field, scrapes=tuple(sorted((*field.scrapes, at)))),
            update(view.ground(at, Soil), scrape=True),
            emit("scrape", "7.13", at=at),
            push("scrape", mission, left - 1),
        )

    @staticmethod
    def _bare(view: View, mission: str) -> tuple[Hex, ...]:
        laid = view.shared(Field).scrapes
        return tuple(h for h in view.facts(mission, Massed).scrapes if h not in laid)

    def bombardment_questions(self) -> Mapping[str, Question]:
        """Which wire is breached, where scrapes are laid."""
        return {
            "breach": Question(self._breach_forms, self._refuse_breach, self._breach_standard),
            "scrape": Question(self._scrape_forms, self._refuse_scrape, self._scrape_standard),
        }

    def _breach_forms(self, view: View, mission: str, at: Hex, _player: str) -> tuple[Form, ...]:
        slot = Slot("side", "the hex side, as its two hexes", self._wire(view, mission, at))
        return (Form("breach", "7.12, 8.342", "breach the wire of a hex side", (slot,)),)

    def _refuse_breach(self, view: View, order: Order, mission: str, at: Hex, _player: str) -> Refusal | None:
        if order["side"] in self._wire(view, mission, at):
            return None
        return Refusal("7.12, 7.43", "a breach goes to a hex side with wire along the hexes under fire")

    def _breach_standard(self, view: View, mission: str, at: Hex, _player: str) -> Order:
        return Order.of("breach", side=self._wire(view, mission, at)[0])

    def _scrape_forms(self, view: View, mission: str, _left: int) -> tuple[Form, ...]:
        slot = Slot("at", "the hex", self._bare(view, mission))
        return (Form("scrape", "7.13", "lay a scrape", (slot,)),)

    def _refuse_scrape(self, view: View, order: Order, mission: str, _left: int) -> Refusal | None:
        if order["at"] in self._bare(view, mission):
            return None
        return Refusal("7.13, 8.5", "scrapes go to no man's land or the enemy's set-up area, one in a hex")

    def _scrape_standard(self, view: View, mission: str, _left: int) -> Order:
        return Order.of("scrape", at=self._bare(view, mission)[0])
