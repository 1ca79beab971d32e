"""A battery's Draw Pile: Battery Access (C1.21, C1.211), extra chits, and the special draw.

The special draw (E12.72) determines when a Creeping Barrage begins.
"""

from fireplan_asl.observer import Radio, RadioFacts
from fireplan_asl.options import Announced
from fireplan_asl.places import hexes_between
from fireplan_core import (
    Delays,
    Effects,
    Outcome,
    Reason,
    Stage,
    View,
    cycle,
    emit,
    parts_of,
    push,
    step,
    update,
)
from fireplan_core.chance import Chance, d6
from fireplan_core.displays import Counter, Display


class DrawPile(Delays):
    """The steps that draw chits from the pile, which the delays part inherits."""

    @step(cite="C1.21")
    def access(self, chance: Chance, view: View, mission: str) -> Effects:
        """Draw a chit for Battery Access; the second red one ends Access for good."""
        radio = view.own(mission, Radio)
        black, red = radio.black, radio.red
        if chance.draw("access", black=black, red=red) == "black":
            return Effects(
                update(radio, access=True, black=black - 1),
                emit("access", "C1.21", mission=mission),
                push(cycle.ready, mission, Outcome.GOOD, "Battery Access"),
            )
        denied = Effects(
            update(radio, access=False, red=red - 1), emit("no_access", "C1.21", mission=mission)
        )
        if view.facts(mission, RadioFacts).red - (red - 1) >= self.number(
            "red_chits_to_lose_access"
        ):
            return Effects(denied, push(cycle.close, mission, Reason.EXHAUSTED, "C1.21"))
        if view.mission(mission).stage is Stage.LINGERING:
            return Effects(denied, push(cycle.close, mission, Reason.DELIVERED, "C1.34"))
        return denied

    def has_last_word(self, view: View, mission: str) -> bool:
        """Return whether an extra draw is due: enemies are near, but none is Known (C1.21)."""
        now = view.mission(mission)
        place = now.impact if now.aim is None else now.aim
        enemies = parts_of(view).observers.enemies(view.seen_by("observers"), mission)
        near = any(hexes_between(view.frame, place, view.place_of(unit)) <= 1 for unit in enemies)
        return near and not view.sees(mission, place).known_enemy

    @step(cite="C1.21")
    def clearance(self, chance: Chance, view: View, mission: str) -> Effects:
        """Draw an extra chit, which is returned to the pile.

        A red one removes the battery's counters from the map, but does not count as a red chit
        drawn.
        """
        radio = view.own(mission, Radio)
        if chance.draw("extra", black=radio.black, red=radio.red) == "black":
            return Effects(emit("extra_chit_black", "C1.21, C1.211", mission=mission))
        return Effects(
            update(radio, access=self.options["red_extra_chit"] == "access is kept"),
            emit("extra_chit_red", "C1.21, C1.211", mission=mission),
            push(cycle.cease, mission, Reason.DENIED, "C1.21"),
        )

    @step(cite="C1.35, C1.3")
    def ceased(self, _chance: Chance, view: View, mission: str, stage: Stage) -> Effects:
        """End Access if an FFE:1 or FFE:2 was Cancelled, or if the opponent Cancelled an SR."""
        radio = view.own(mission, Radio)
        if stage is Stage.FALLING:
            return Effects(
                update(radio, access=False), emit("access_ends", "C1.35", mission=mission)
            )
        return Effects(
            update(radio, access=False) if view.peek(mission, Announced).blind else Effects()
        )

    def board(self, view: View, side: str) -> tuple[Display, ...]:
        """Return displays of the Draw Piles of a side's batteries, with the chits left (C1.211)."""
        piles = {
            m: tuple(Counter(c, getattr(view.own(m, Radio), c)) for c in ("black", "red"))
            for m in view.owned(side)
        }
        return tuple(
            Display("pile", f"Draw Pile of {m}", (("", chits),)) for m, chits in piles.items()
        )

    # --- a Creeping Barrage ----------------------------------------------------------------------
    @step(cite="E12.72")
    def special(self, chance: Chance, view: View, mission: str) -> Effects:
        """Make the special draw: the barrage begins with the attack on black, before it on red."""
        radio = view.own(mission, Radio)
        black, red = radio.black, radio.red
        if chance.draw("access", black=black, red=red) == "black":
            begins = emit("creeping_begins", "E12.72", mission=mission, turns=0)
            return Effects(update(radio, black=black - 1), begins)
        return Effects(push(self.timing, mission))

    @step(cite="E12.72")
    def timing(self, chance: Chance, view: View, mission: str) -> Effects:
        """Make the halved Timing dr, and remove a black chit from the pile, not the red one."""
        turns = chance.dice("timing", white=d6).white.halved_up().exact()
        radio = view.own(mission, Radio)
        return Effects(
            update(radio, black=radio.black - 1),
            emit("creeping_begins", "E12.72", mission=mission, turns=turns),
            push(parts_of(view).areas.phase_begins, mission, turns),
        )
