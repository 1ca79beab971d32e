"""Gas: its checks, its drift by doubles, and its stay until the scenario ends (7.51 to 7.513).

Checks of one cause are finished first; then every doubles moves the whole cloud one hex, and what it newly
reaches is checked in turn. Nothing is told inside that loop but what worsens a unit, so that it can be solved.
"""

from collections.abc import Iterator
from functools import partial

from fireplan_core import Effects, Form, Modifier, Refusal, Slot, View, ask, emit, orders, push, step, update
from fireplan_core.chance import Chance, d6
from fireplan_core.space import Hex
from fireplan_red_poppies._checks import Checking
from fireplan_red_poppies._ground import COMPASS, toward
from fireplan_red_poppies._troops import Company, Field, Guns, Troops

Drifts = tuple[tuple[str, tuple[Hex, ...]], ...]
"""Drifts to come, in order: the side that rolled the doubles, and where gas lay when they were rolled (7.513)."""


class Gassing(Checking):
    """Steps of gas."""

    def modifiers(self) -> tuple[Modifier, ...]:
        """Return the circumstances of gas: deployment and movement, neither range nor cover (7.511)."""
        return (
            *super().modifiers(),
            Modifier("gas", "7.511", "target formed", lambda view, units, _: self.formed(view, units[0])),
            Modifier("gas", "7.511", "target moving", lambda view, units, _: self.moving(view, units[0])),
            Modifier("gas", "6.679", "hallowed ground", lambda view, units, _: self.hallowed(view, units[0])),
        )

    def release_gas(self, view: View, mission: str) -> Effects:
        """Lay gas on the hexes of fire for effect, and check everybody there."""
        hexes, field = struck_hexes(view, mission), view.shared(Field)
        view.moment()  # gas only gathers: without an end of the scenario its clouds would be beyond counting
        struck = tuple(unit for unit in view.units if view.place_of(unit) in hexes)
        return Effects(
            update(field, gas=tuple(sorted({*field.gas, *hexes}))),
            emit("gas", "7.51", mission=mission, hexes=hexes),
            push(self.gassed, struck, ()),
        )

    @step(cite="7.511, 7.512")
    def gassed(self, chance: Chance, view: View, units: tuple[str, ...], drifts: Drifts) -> Effects:
        """Check the next unit; when all are done, let the gas drift."""
        if not units:
            if drifts:
                return Effects(ask(drifts[0][0], self.drift, drifts))
            return Effects(emit("cloud", "7.512", hexes=view.shared(Field).gas))
        unit, *others = units
        troops = view.unit(unit, Troops)
        if troops.destroyed:
            return Effects(push(self.gassed, tuple(others), drifts))
        roll = chance.dice("gas", first=d6, second=d6)
        score = view.unit_facts(unit, Company).score(formed=troops.formed)
        effect = self.suffer(view, unit, roll.total + chance.drm(roll), score, kills=self.options["gas_kills"])
        if roll.doubles:
            drifts = (*drifts, (view.unit_side(unit), view.shared(Field).gas))
        return Effects(effect, push(self.gassed, tuple(others), drifts))

    @orders(cite="7.513")
    def drift(self, view: View, drifts: Drifts) -> Iterator[Form]:
        """Ask which way the gas drifts; the wind's is the standard."""
        ways = sorted(COMPASS, key=lambda way: way != self.options["wind"])
        why = Refusal.of("7.513", "gas_sides", sides=tuple(COMPASS))
        to = Slot("to", "the hex side that every marker crosses", tuple(ways), why)
        yield Form("drift", "7.513", (to,), partial(self._drifted, view, drifts))

    def _drifted(self, view: View, drifts: Drifts, to: str) -> Effects:
        """Move every marker one hex; units where none lay at the doubles check; beyond the map markers are gone."""
        field = view.shared(Field)
        (_, rolled_in), *later = drifts
        after = tuple(sorted(h for h in (toward(g, to) for g in field.gas) if _in_play(view, h)))
        fresh = tuple(h for h in after if h not in rolled_in)
        reached = tuple(unit for unit in view.units if view.place_of(unit) in fresh)
        return Effects(update(field, gas=after), push(self.gassed, reached, tuple(later)))


def struck_hexes(view: View, mission: str) -> tuple[Hex, ...]:
    """Return the hexes in play at the vertex that a group's fire has hit (7.245)."""
    ground = view.facts(mission, Guns).ground
    return tuple(h for h in view.mission(mission).impact if ground is None or ground.in_play(h))


def _in_play(view: View, hex_: Hex) -> bool:
    guns = (setup.facts.get(view.word) for setup in view.scenario.missions.values())
    grounds = (facts.ground for facts in guns if isinstance(facts, Guns))
    return all(ground is None or ground.in_play(hex_) for ground in grounds)
