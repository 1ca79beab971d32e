"""The five parts: a request chart, a point chosen within limits, a shift by the other side, hits before wounds."""

from collections.abc import Iterator
from fractions import Fraction
from typing import ClassVar

from fireplan_core import Form, Intent, Outcome, Place, Refusal, Severity, View, cycle, orders
from fireplan_core.blocks import AskAndFire, Circle, DeclaredSight, Deviation, RequestChart, ScoreCheck, Troops
from fireplan_core.blocks.resolution import Losses
from fireplan_core.chance import Chance, d6
from fireplan_core.space import PlaneFrame
from fireplan_core.steps.effects import Effects, ask, emit, push, step, update

ANSWERS = {
    **dict.fromkeys((2, 3), (Outcome.REFUSED, "engaged")),
    **dict.fromkeys((4, 5, 6), (Outcome.LATE, "wait")),
    **dict.fromkeys((7, 8, 9, 10), (Outcome.GOOD, "one_section")),
    **dict.fromkeys((11, 12), (Outcome.VERY_GOOD, "all_guns")),
}
SHIFTS = {"north": (0, -1), "east": (1, 0), "south": (0, 1), "west": (-1, 0)}


class Eyes(DeclaredSight):
    """1.1: the observer sees the ground, only bursts above it, or nothing."""


class Switchboard(RequestChart):
    """2.1-2.3: two dice each turn say how the call is answered."""

    cites: ClassVar = {"moment": "2.1", "delay": "2.2", "refused": "2.2", "lost": "2.3"}
    minutes = Fraction(5)
    dice: ClassVar = {"coloured": d6, "white": d6}
    chart: ClassVar = ANSWERS
    tries = 4


class Called(AskAndFire):
    """1.2-1.4: aim near the target; who gets all guns fires twice as strongly."""

    cites: ClassVar = {"requested": "1.2", "fire": "1.3", "cancel": "1.4", "sight": "1.1"}

    def shoot(self, view: View, mission: str, intent: Intent, at: Place) -> Effects | Refusal:
        """1.3: within reach of the target, as strongly as the call was answered."""
        now, frame = view.mission(mission), view.frame
        if frame.gap_metres(frame.gap(now.target, at)) > self.number("reach"):
            return Refusal("1.3", f"fire is aimed within {self.number('reach')} m of the target")
        found = super().shoot(view, mission, intent, at)
        strength = Fraction(2 if now.outcome is Outcome.VERY_GOOD else 1)
        return found if isinstance(found, Refusal) else Effects(update(now, strength=strength), found)


class Guns(Deviation, Circle):
    """3.1-3.3: off its aim on a 1 or 2, then perhaps shifted by the other side; a circle."""

    cites: ClassVar = {"land": "3.1", "spotting": "3.1", "fall": "3.3", "lingering": "3.3"}
    places = PlaneFrame(1.0)
    accurate = 4
    vectors = ((0, -20), (20, 0), (0, 20), (-20, 0))
    radius = 60

    @step(cite="3.1")
    def extent(self, chance: Chance, view: View, mission: str, direction: int) -> Effects:
        """3.1, 3.2: throw how far it strays, and ask the other side whether it shifts that."""
        far = chance.dice("extent", white=d6).total.exact()
        (x, y), (east, south) = view.mission(mission).aim, self.vectors[direction - 1]
        return Effects(ask(view.other(view.side(mission)), self.shift, mission, (x + far * east, y + far * south)))

    @orders(cite="3.2")
    def shift(self, _view: View, mission: str, place: Place) -> Iterator[Form]:
        """Ask whether the shot is shifted before it strikes."""
        far, (x, y) = self.number("shift"), place
        yield Form("leave", "3.2", "leave the shot where it falls", does=push(cycle.landed, mission, place))
        for name, (east, south) in SHIFTS.items():
            moved = push(cycle.landed, mission, (x + far * east, y + far * south))
            yield Form(name, "3.2", f"shift it {far} m {name}", does=Effects(emit("shifted", "3.2", by=name), moved))


class Splinters(ScoreCheck):
    """4.1, 4.2: hits, then wounds or pins."""

    cites: ClassVar = {"strike": "4.1"}
    men_a_unit = 10
    score = 0
    severities: ClassVar = {"pinned": Severity.SUPPRESSED, "wounded": Severity.REDUCED, "lost": Severity.DESTROYED}

    @step(cite="4.1")
    def attack(self, chance: Chance, view: View, _mission: str, unit: str, strength: Fraction) -> Effects:
        """4.1: hit or not, by one die or two."""
        needed = self.number("hit" if view.unit_facts(unit, Troops).cover == "open" else "hit_in_cover")
        dice = {"first": d6, "second": d6} if strength > 1 else {"first": d6}
        hits = chance.dice("hit", **dice).faces.look_up(lambda faces: max(faces) >= needed)
        return Effects(push(self.wound, unit)) if hits else Effects()

    @step(cite="4.2")
    def wound(self, chance: Chance, view: View, unit: str) -> Effects:
        """4.2: a hit wounds or pins."""
        worst = view.unit(unit, Losses).worst
        if chance.dice("wound", white=d6).total < self.number("wound"):
            return self.suffer(view, unit, Severity.SUPPRESSED)
        return self.suffer(view, unit, Severity.DESTROYED if worst >= Severity.REDUCED else Severity.REDUCED)
