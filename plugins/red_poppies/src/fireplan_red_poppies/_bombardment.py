"""Massed fire on a hex and the wire about it: preliminary bombardments and barrages (7.12, 7.13, 7.43)."""

from collections.abc import Iterator
from functools import partial

from fireplan_core import Effects, Form, Refusal, Slot, View, ask, emit, orders, push, step, update
from fireplan_core.chance import Chance, d6
from fireplan_core.space import Hex
from fireplan_red_poppies._checks import Checking
from fireplan_red_poppies._ground import Side
from fireplan_red_poppies._massed import PULVERIZING, Massed, massed_fire
from fireplan_red_poppies._troops import Company, Field, Soil, Troops, destroy, disperse, plot_of


class Bombarding(Checking):
    """Steps of massed fire."""

    @step(cite="7.12, 7.43")
    def bombard(self, chance: Chance, view: View, mission: str, unit: str) -> Effects:
        """Eliminate a unit in the open; disperse it elsewhere and, by a die, eliminate or spend it."""
        troops, plot = view.unit(unit, Troops), plot_of(view, unit)
        if troops.destroyed:
            return Effects()
        sheltered = bool(troops.inside) or (plot is not None and plot.village)
        spared = view.unit_facts(unit, Company).armoured and self.options["bombarded_vehicles"] == "disperse"
        if not sheltered and not spared:
            return destroy(view, unit, "7.12")
        roll = chance.dice("bombardment", white=d6)
        if view.facts(mission, Massed).kind != PULVERIZING:
            spent = roll.white >= self.number("paralyzed_spent")
            return disperse(view, unit, "7.12", spend=spent, stopped=False)
        if roll.white >= self.number("pulverized_eliminated"):
            return destroy(view, unit, "7.12")
        return disperse(view, unit, "7.12", spend=False, stopped=False)

    def after_massed(self, view: View, mission: str, massed: Massed) -> Effects:
        """Breach the wire about the line, by each player as the kind of fire says; then lay scrapes."""
        line, field, firer = massed.line_at(view.mission(mission).impact), view.shared(Field), view.side(mission)
        key, effects = (mission, line.at), Effects()
        first = massed.before or key not in field.cut
        if massed.ground.bordering(frozenset(line.hexes)) and (
            first or self.options["barrage_breaches"] == "per_detonation"
        ):
            by_firer = (firer,) * self.number("paralyzing_breaches")
            players = (massed.enemy, firer) if massed.kind == PULVERIZING else by_firer
            effects = Effects(*(push(self.breach_wire, mission, line.at, player) for player in players))
            if first and not massed.before:
                effects = Effects(effects, update(field, cut=tuple(sorted((*field.cut, key)))))
        if massed.before and massed.scrapes:
            effects = Effects(effects, push(self.lay_scrapes, mission, self.number("scrapes")))
        return effects

    # --- wire ------------------------------------------------------------------------------------
    @step(cite="7.12, 7.43")
    def breach_wire(self, chance: Chance, view: View, mission: str, at: Hex, player: str) -> Effects:
        """Make a player breach a hex side with wire, while there is one."""
        if not _wire(view, mission, at):
            return Effects()
        return Effects(ask(player, self.breach, mission, at, player))

    @orders(cite="8.342")
    def breach(self, view: View, mission: str, at: Hex, player: str) -> Iterator[Form]:
        """Ask which wire is breached: that side has none from now on."""
        field = view.shared(Field)

        def breached(side: Side) -> Effects:
            gone = update(field, breached=tuple(sorted((*field.breached, side))))
            return Effects(gone, emit("breach", "8.342", side=side, by=player))

        why = Refusal.of("7.12, 7.43", "breach_on_wire")
        side = Slot("side", "the hex side, as its two hexes", _wire(view, mission, at), why)
        yield Form("breach", "7.12, 8.342", (side,), breached)

    # --- scrapes ---------------------------------------------------------------------------------
    @step(cite="7.13")
    def lay_scrapes(self, chance: Chance, view: View, mission: str, left: int) -> Effects:
        """Make the firer lay the scrapes that are left."""
        if not left:
            return Effects()
        return Effects(ask(view.side(mission), self.scrape, mission, left))

    @orders(cite="7.13, 8.2")
    def scrape(self, view: View, mission: str, left: int) -> Iterator[Form]:
        """Ask where a scrape is laid."""
        why = Refusal.of("7.13, 8.5", "scrape_ground")
        hexes = view.facts(mission, Massed).scrapes
        first = (self.number("scrapes") - left) % len(hexes)  # the standard orders lay them side by side
        at = Slot("at", "the hex", (*hexes[first:], *hexes[:first]), why)
        yield Form("scrape", "7.13", (at,), partial(self._scraped, view, mission, left))

    def _scraped(self, view: View, mission: str, left: int, at: Hex) -> Effects:
        if any(massed_fire(view, m) is None for m in view.missions):
            # Groups will fire at ground that has changed: reading it here keeps places from being solved apart.
            _ = view.ground(at, Soil).scrape
        return Effects(
            update(view.ground(at, Soil), scrape=True),
            emit("scrape", "7.13", at=at),
            push(self.lay_scrapes, mission, left - 1),
        )


def _wire(view: View, mission: str, at: Hex) -> tuple[Side, ...]:
    """Return the wire along the line under fire that nobody has breached yet."""
    massed, gone = view.facts(mission, Massed), view.shared(Field).breached
    return tuple(s for s in massed.ground.bordering(frozenset(massed.line_at(at).hexes)) if s not in gone)
