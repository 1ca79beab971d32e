"""Areas: targeting, drift, the seven hexes of an impact, and smoke (10-15)."""

from __future__ import annotations

from typing import ClassVar

from fireplan_combat_commander.call import MAP, Card
from fireplan_combat_commander.fate import Fate
from fireplan_core import (
    AT_PLACES,
    Effects,
    FireKind,
    Keeps,
    Place,
    Reason,
    View,
    cycle,
    emit,
    kept,
    push,
    record,
    step,
    update,
)  # fmt: skip
from fireplan_core.blocks import Disc
from fireplan_core.chance import Chance
from fireplan_core.space import DIRECTIONS, Hex, distance
from fireplan_core.space import step as hex_step


@record
class Ground:
    """What lies on the map, and what a sniper did while the round drifted."""

    smoke: tuple[Place, ...] = kept((), "the hexes with smoke, the oldest first", "15", places=AT_PLACES)
    sniped: str = kept("", "the unit that a sniper has just hit", "20")


@record
class Aftermath:
    """What the resolution has settled of an impact."""

    settled: str = kept("", "the unit whom a sniper hit while the round drifted, once it is broken", "20")
    smoke: int = kept(0, "how much smoke is still to go by Time triggers of the impact", "19", between=(0, 72))


class CCAreas(Fate, Disc):
    """A round hits or misses, drifts by the dice of one more card, and falls on its hex and those beside it."""

    cites: ClassVar = {"land": "10", "spotting": "12", "fall": "15", "lingering": "15"}
    publishes = (Ground,)
    keeps = Keeps(assets=Disc.keeps.assets, table=(Ground,))
    kinds: ClassVar = (FireKind.HE, FireKind.SMOKE)
    places = MAP

    @property
    def radius(self) -> int:  # type: ignore[override] # a named number
        """15: the hex of the round and its neighbours."""
        return self.number("area_radius")

    def middle(self) -> Place:
        """Return the middle of the map, where engagements take place."""
        return MAP.parse("H5")

    def on_map(self, view: View, cell: Hex) -> bool:
        """14, 15: only hexes of the map are hit; an engagement has as much map as it needs."""
        return MAP.on_map(cell) or not self.call(view).edge

    def in_order(self, view: View, mission: str, places: tuple[Place, ...]) -> tuple[Place, ...]:
        """16, D14: the hex of the round first, then clockwise."""
        order = self.covered(view, mission)
        return tuple(sorted(places, key=lambda place: order.index(place) if place in order else len(order)))

    # --- targeting and drift ---------------------------------------------------------------------
    @step(cite="3, 10, 11")
    def land(self, chance: Chance, view: View, mission: str) -> Effects:
        """10: a card whose dice multiply to more than distance and hindrance hits."""
        side = view.side(mission)
        if self.run_out(view, side, "targeting"):
            return Effects(self.time_passes(side), push(self.land, mission))
        aim = view.mission(mission).aim
        far = distance(self.call(view, mission).stands, aim)
        if self.options["hindrance"] == "added":
            far += view.sees(mission, aim).hindrance
        hit, card = self.turn(chance, view, side, "targeting", lambda card: card.white * card.coloured > far)
        told = emit("targeting", "10", mission=mission, hit=hit)
        return Effects(update(view.shared(Ground), sniped=""), card, told, push(self.drift, mission, hit))

    @step(cite="12, 13, 14")
    def drift(self, chance: Chance, view: View, mission: str, hit: bool) -> Effects:  # noqa: FBT001 - an argument kept
        """12, 13: one more card says where the round comes down; 14: off the map it has no effect."""
        side = view.side(mission)
        if self.run_out(view, side, "drift"):
            return Effects(self.time_passes(side), push(self.drift, mission, hit))
        aim = view.mission(mission).aim
        lands, card = self.turn(chance, view, side, "drift", lambda card: self.path(view, aim, card, hit=hit))
        return Effects(card, push(self.come_down, mission, lands))

    def path(self, view: View, aim: Hex, card: Card, *, hit: bool) -> Hex | None:
        """Return where the round ends; None if it leaves the map at any step."""
        turns = (card.white, card.coloured) if hit else (card.white,) * card.coloured
        at = aim
        for direction in turns:
            clockwise = self.options["directions"] == "clockwise"
            at = hex_step(at, direction if clockwise else -(direction - 1) % len(DIRECTIONS) + 1)
            if not self.on_map(view, at):
                return None
        return at

    @step(cite="12, 13, 14")
    def come_down(self, _chance: Chance, view: View, mission: str, at: Place) -> Effects:
        """14: a round off the map ends the order; else fire falls where it lies."""
        if at is None:
            off = emit("off_map", "14", mission=mission)
            return Effects(off, push(cycle.close, mission, Reason.CANCELLED, "14"))
        fresh = self.options["cards"] == "a round"
        return Effects(push(self.shuffled, view.side(mission)) if fresh else Effects(), push(cycle.landed, mission, at))

    # --- smoke and snipers -----------------------------------------------------------------------
    @step(cite="15, 19")
    def fallen(self, chance: Chance, view: View, mission: str) -> Effects:
        """15: smoke goes in all seven hexes, and nothing else; 19: what Time took of it goes now."""
        ground = view.shared(Ground)
        gone = view.peek_shared(Aftermath).smoke
        if view.mission(mission).kind is FireKind.SMOKE:
            cells, _ = self.footprint(view, mission)
            smoke = tuple(dict.fromkeys((*ground.smoke, *cells)))
        else:
            smoke = ground.smoke
        after = update(ground, smoke=smoke[gone:])
        return Effects(after, super().fallen(chance, view, mission))

    def smoke_goes(self, view: View) -> Effects:
        """19: the smoke that has lain longest goes."""
        ground = view.shared(Ground)
        return Effects(update(ground, smoke=ground.smoke[1:]))

    def sniped(self, view: View, unit: str) -> Effects:
        """20: leave the unit to the resolution, which breaks it before anything else of the impact."""
        return Effects(update(view.shared(Ground), sniped=unit))
