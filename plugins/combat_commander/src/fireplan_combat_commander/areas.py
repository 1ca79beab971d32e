"""Areas: targeting, drift, the seven hexes of an impact, and smoke (10 to 15)."""

from typing import ClassVar

from fireplan_combat_commander.call import MAP, Card
from fireplan_combat_commander.fate import Fate
from fireplan_core import AT_PLACES, FireKind, Keeps, Place, Reason, View, cycle, kept, record
from fireplan_core.chance import Chance
from fireplan_core.ready_parts import Disc
from fireplan_core.space import DIRECTIONS, Hex, distance
from fireplan_core.space import step as hex_step
from fireplan_core.steps.effects import Effects, emit, push, step, update


@record
class MapState:
    """The smoke on the map, and the unit that a sniper hit while the round drifted."""

    smoke: tuple[Place, ...] = kept(
        (), "the hexes with smoke, the oldest first", "15", places=AT_PLACES
    )
    sniped: str = kept("", "the unit that a sniper has just hit", "20")


@record
class Aftermath:
    """The side effects of an impact: a sniper's hit that has been applied, and smoke to remove."""

    settled: str = kept(
        "", "the unit hit by a sniper during drift, once it has been broken for that", "20"
    )
    smoke: int = kept(
        0,
        "smoke markers still to be removed for Time triggers of the impact",
        "19",
        between=(0, 72),
    )


class CCAreas(Fate, Disc):
    """The areas part: targeting, drift by a second card, and an impact hex with its neighbours."""

    cites: ClassVar = {"land": "10", "spotting": "12", "fall": "15", "lingering": "15"}
    publishes = (MapState,)
    keeps = Keeps(assets=Disc.keeps.assets, table=(MapState,))
    kinds: ClassVar = (FireKind.HE, FireKind.SMOKE)
    places = MAP
    radius = 1

    def error_lines(self) -> int:
        """Return 12, the number of directions of drift (rule 12).

        Six run along hex rows, and six midway between two rows.
        """
        return len(DIRECTIONS) + len(DIRECTIONS)

    def on_map(self, view: View, cell: Hex) -> bool:
        """Return whether a hex is on the map, which has no edge in an engagement (14)."""
        return MAP.on_map(cell) or not self.call(view).edge

    def in_order(self, view: View, mission: str, places: tuple[Place, ...]) -> tuple[Place, ...]:
        """Return hexes in order: the impact hex first, then its neighbours clockwise (16, D14)."""
        order = self.covered(view, mission)
        return tuple(
            sorted(places, key=lambda place: order.index(place) if place in order else len(order))
        )

    @step(cite="2, 3, 10, 11, D16")
    def land(self, chance: Chance, view: View, mission: str) -> Effects:
        """Roll for targeting: the product of the dice must exceed distance plus hindrance (10).

        An option ignores the hindrance (D1).
        """
        side = view.side(mission)
        aim = view.mission(mission).aim
        far = distance(self.call(view, mission).stands, aim)
        if self.options["hindrance"] == "added":
            far += view.sees(mission, aim).hindrance
        hit, card = self.turn(
            chance, view, side, "targeting", lambda card: card.white * card.coloured > far
        )
        return Effects(
            update(view.shared(MapState), sniped=""),
            card,
            emit("targeting", "10", mission=mission, hit=hit),
            push(self.drift, mission, hit),
        )

    @step(cite="S1, 2, 12, 13, 14, D22")
    def drift(self, chance: Chance, view: View, mission: str, hit: bool) -> Effects:  # noqa: FBT001 - an argument of a step
        """Drift the round with one more card; off the map it has no effect (12, 13, 14).

        ``hit`` is the result of the targeting roll.
        """
        side = view.side(mission)
        aim = view.mission(mission).aim
        lands, card = self.turn(
            chance, view, side, "drift", lambda card: self.path(view, aim, card, hit=hit)
        )
        if lands is None:
            off = emit("off_map", "14", mission=mission)
            return Effects(card, off, push(cycle.close, mission, Reason.CANCELLED, "14"))
        fresh = push(self.shuffled, side) if self.options["cards"] == "a round" else Effects()
        return Effects(card, fresh, push(cycle.landed, mission, lands))

    def path(self, view: View, aim: Hex, card: Card, *, hit: bool) -> Hex | None:
        """Return the hex where the round lands, or None if it leaves the map on the way.

        After a ``hit`` the round drifts one hex in the direction of each die; otherwise it drifts
        in the direction of the white die, by the number of hexes on the coloured one.
        """
        turns = (card.white, card.coloured) if hit else (card.white,) * card.coloured
        at = aim
        for direction in turns:
            clockwise = self.options["directions"] == "clockwise"
            at = hex_step(at, direction if clockwise else -(direction - 1) % len(DIRECTIONS) + 1)
            if not self.on_map(view, at):
                return None
        return at

    @step(cite="15, 19")
    def fallen(self, chance: Chance, view: View, mission: str) -> Effects:
        """Place the smoke of a smoke round, then remove smoke for Time triggers (15, 19)."""
        ground = view.shared(MapState)
        new = (
            self.footprint(view, mission)[0] if view.mission(mission).kind is FireKind.SMOKE else ()
        )
        smoke = tuple(dict.fromkeys((*ground.smoke, *new)))[view.peek_shared(Aftermath).smoke :]
        return Effects(update(ground, smoke=smoke), super().fallen(chance, view, mission))

    def smoke_goes(self, view: View) -> Effects:
        """Return the effects of removing the oldest smoke marker (19)."""
        return Effects(update(view.shared(MapState), smoke=view.shared(MapState).smoke[1:]))

    def sniped(self, view: View, unit: str) -> Effects:
        """Return the effects of recording a sniped unit.

        The resolution part breaks the unit before the rest of the impact (20).
        """
        return Effects(update(view.shared(MapState), sniped=unit))
