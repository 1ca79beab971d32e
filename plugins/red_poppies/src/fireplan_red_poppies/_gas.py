"""Gas: its checks, its drift by doubles, and its stay until the scenario ends (7.51 to 7.513).

Checks of one cause are finished first; then every doubles moves the whole cloud one hex, and what it newly
reaches is checked in turn. Nothing is told inside that loop but what worsens a unit, so that it can be solved.
"""

from __future__ import annotations

from collections.abc import Mapping

from fireplan_core import Effects, Form, Order, Question, Refusal, Resolution, Slot, View, ask, emit, push, step, update
from fireplan_core.chance import Chance, d6
from fireplan_core.space import Hex
from fireplan_red_poppies._ground import COMPASS, toward
from fireplan_red_poppies._troops import Company, Field, Guns, Troops, destroy, disperse

Drifts = tuple[tuple[str, tuple[Hex, ...]], ...]
"""Drifts to come, in order: the side that rolled the doubles, and where gas lay when they were rolled (7.513)."""


class Gassing(Resolution):
    """Steps of gas."""

    @staticmethod
    def struck_hexes(view: View, mission: str) -> tuple[Hex, ...]:
        """The hexes in play at the vertex that a group's fire has hit (7.245)."""
        ground = view.facts(mission, Guns).ground
        return tuple(h for h in view.mission(mission).impact if ground is None or ground.in_play(h))

    def release_gas(self, view: View, mission: str) -> Effects:
        """Fire for effect with gas: markers on its hexes, and checks for everybody there."""
        hexes = self.struck_hexes(view, mission)
        field = view.shared(Field)
        view.moment()  # gas only gathers: without an end of the scenario its clouds would be beyond counting
        struck = tuple(unit for unit in view.units if view.place_of(unit) in hexes)
        return Effects(
            update(field, gas=tuple(sorted({*field.gas, *hexes}))),
            emit("gas", "7.51", mission=mission, hexes=hexes),
            push("gassed", struck, ()),
        )

    @step(cite="7.511, 7.512")
    def gassed(self, chance: Chance, view: View, units: tuple[str, ...], drifts: Drifts) -> Effects:
        """The next unit's check; when all are done, the next drift."""
        if not units:
            if drifts:
                return Effects(ask(drifts[0][0], "drift", drifts, then="drift"))
            return Effects(emit("cloud", "7.512", hexes=view.shared(Field).gas))
        unit, *others = units
        troops = view.unit(unit, Troops)
        if troops.destroyed:
            return Effects(push("gassed", tuple(others), drifts))
        roll = chance.dice("gas", first=d6, second=d6)
        final = roll.total + chance.drm(roll)
        if final >= self.number("deadly") and self.options["gas_kills"]:
            effect = destroy(view, unit, "3.73")
        elif final > view.unit_facts(unit, Company).score(formed=troops.formed):
            effect = disperse(view, unit, "3.72", spend=True)
        else:
            effect = Effects()
        if roll.doubles:
            drifts = (*drifts, (view.unit_side(unit), view.shared(Field).gas))
        return Effects(effect, push("gassed", tuple(others), drifts))

    @step(cite="7.513")
    def drift(self, _chance: Chance, view: View, drifts: Drifts, order: Order) -> Effects:
        """Every marker moves one hex; units where none lay at the doubles check; beyond the map markers are gone."""
        field = view.shared(Field)
        (_, rolled_in), *later = drifts
        after = tuple(sorted(h for h in (toward(g, order["to"]) for g in field.gas) if self._in_play(view, h)))
        fresh = tuple(h for h in after if h not in rolled_in)
        reached = tuple(unit for unit in view.units if view.place_of(unit) in fresh)
        return Effects(update(field, gas=after), push("gassed", reached, tuple(later)))

    @staticmethod
    def _in_play(view: View, hex_: Hex) -> bool:
        for setup in view.scenario.missions.values():
            facts = setup.facts.get("resolution")
            if isinstance(facts, Guns) and facts.ground is not None:
                return facts.ground.in_play(hex_)
        return True

    def gas_questions(self) -> Mapping[str, Question]:
        """Which way the gas drifts."""
        return {"drift": Question(self._drift_forms, self._refuse_drift, self._drift_standard)}

    def _drift_forms(self, _view: View, _drifts: Drifts) -> tuple[Form, ...]:
        slot = Slot("to", "the hex side that every marker crosses", tuple(COMPASS))
        return (Form("drift", "7.513", "move every gas marker one hex", (slot,)),)

    def _refuse_drift(self, _view: View, order: Order, _drifts: Drifts) -> Refusal | None:
        if order["to"] in COMPASS:
            return None
        return Refusal("7.513", f"gas crosses one of the six sides: {', '.join(COMPASS)}")

    def _drift_standard(self, _view: View, _drifts: Drifts) -> Order:
        return Order.of("drift", to=self.options["wind"])
