"""The five parts of Night Rockets: ready parts with this game's figures, and the drift."""

from fractions import Fraction
from typing import ClassVar

from fireplan_core import Effects, Modifier, Severity, Stage, View, cycle, emit, push, step, update
from fireplan_core.ready_parts import (
    AskAndFire,
    Circle,
    DeclaredSight,
    Deviation,
    TableLookUp,
    Track,
    Troops,
)
from fireplan_core.ready_parts.areas import Fire
from fireplan_core.chance import Chance, d6
from fireplan_core.space import PlaneFrame


class Eyes(DeclaredSight):
    """The observers part: a rocket lights up the ground, or only bursts are seen (rule 1.1)."""


class Rockets(AskAndFire):
    """The requests part: a rocket calls for fire (rules 1.2-1.4).

    Once the last lamp is lit, the fire may be ordered or cancelled.
    """

    cites: ClassVar = {"requested": "1.2", "fire": "1.3", "cancel": "1.4", "sight": "1.1"}


class Lamps(Track):
    """The delays part: the guns answer with three lamps (rules 2.1, 2.2).

    Each turn a d6 lights no lamp, one or two.
    """

    cites: ClassVar = {"moment": "2.1", "delay": "2.2"}
    minutes = Fraction(4)
    boxes = 3
    moves: ClassVar = {1: 0, 2: 0, 3: 1, 4: 1, 5: 1, 6: 2}


class DriftingFire(Deviation, Circle):
    """The areas part: error, a circle of fire and its drift (rules 4.1-4.3).

    A centimetre is 10 m. The circle has a radius of 6 cm, falls in three turns and drifts between
    them.
    """

    cites: ClassVar = {"land": "4.1", "spotting": "4.1", "fall": "4.2", "lingering": "4.2"}
    places = PlaneFrame(10.0)
    accurate = 2
    vectors = ((0, -2), (2, 0), (0, 2), (-2, 0))
    radius = 6
    duration = 3

    @step(cite="4.2")
    def moment(self, chance: Chance, view: View, mission: str) -> Effects:
        """Drift lingering fire before it falls again."""
        falling = view.mission(mission).stage is Stage.FALLING
        if self.options["wind"] == "east" and falling and not view.own(mission, Fire).fresh:
            return Effects(push(self.drift, mission))
        return super().moment(chance, view, mission)

    @step(cite="4.3")
    def drift(self, chance: Chance, view: View, mission: str) -> Effects:
        """Drift east by half a d6 in centimetres, rounded up; then fall there."""
        far = chance.dice("drift", white=d6).total.halved_up().exact()
        now = view.mission(mission)
        x, y = now.impact
        return Effects(
            update(now, impact=(x + far, y)),
            emit("drift", "4.3", mission=mission, centimetres=far),
            push(cycle.fall, mission),
            push(self.moment, mission),
        )


class Splinters(TableLookUp):
    """The resolution part: two dice on the effects table for each stand (rules 5.1, 5.2).

    A stand is fifteen men; walls and trenches subtract 2.
    """

    cites: ClassVar = {"strike": "5.1"}
    severities: ClassVar = {
        "-": Severity.NONE,
        "pinned": Severity.SUPPRESSED,
        "lost": Severity.DESTROYED,
    }
    men_a_unit = 15
    chart = "effects"

    def modifiers(self) -> tuple[Modifier, ...]:
        """Return the modifier of walls and trenches."""
        return (Modifier("attack", "5.2", "behind walls", behind_walls),)


def behind_walls(view: View, _mission: str, unit: str, *_intensity: object) -> int:
    """Return -2 in buildings or trenches (5.2)."""
    return -2 if view.unit_facts(unit, Troops).cover in ("buildings", "trench") else 0
