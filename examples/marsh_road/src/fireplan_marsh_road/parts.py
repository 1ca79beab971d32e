"""The five parts of Marsh Road: a table in centimetres, each 25 m on the ground."""

from fractions import Fraction

from attrs import evolve
from fireplan_core import Modifier, Outcome, Severity, orders, step
from fireplan_core.ready_parts import (
    AskAndFire,
    Battery,
    Circle,
    DeclaredSight,
    Depletion,
    Deviation,
    HitsAndWounds,
)
from fireplan_core.ready_parts import (
    LinkState,
    RequestChart,
    ShiftedByOther,
    Troops,
    figure,
    for_troops,
)
from fireplan_core.chance import Die, d6
from fireplan_core.space import PlaneFrame

METRES = 25  # 1: on the ground, for a centimetre


def size(part, view, mission):
    """2: what so many guns are called."""
    guns = view.facts(mission, Battery).guns
    return (
        "troop"
        if guns <= part.number("troop_guns")
        else "battery"
        if guns <= part.number("battery_guns")
        else "regiment"
    )


class Eyes(DeclaredSight):
    """3: so far by day and by night."""

    cites = {"sight": "3"}
    sees_m, sees_m_at_night = figure("sight", METRES), figure("sight_at_night", METRES)


class Calls(AskAndFire):
    """4, 5, 9: ask; at hand, fire near the target or be sent away."""

    cites = {
        "requested": "5",
        "fire": "9",
        "cancel": "9",
        "aim": "9",
        "reach": "4",
        "sight": "3",
        "size": "2",
    }
    from_target_m = figure("from_target", METRES)

    def reach_of(self, view, mission):
        """4: by its size."""
        return METRES * self.number(f"reach_{size(self, view, mission)}")


class Net(RequestChart):
    """6-8: a d10 each turn from the next on."""

    cites = {"moment": "1", "delay": "6", "refused": "6", "lost": "8"}
    minutes, dice, chart, tries = Fraction(5), {"white": Die(10)}, "request", figure("waits")

    def modifiers(self):
        """7, 8."""
        return (
            Modifier(
                "relay",
                "7",
                "a regiment",
                lambda view, mission: -(size(self, view, mission) == "regiment"),
            ),
            Modifier(
                "relay", "7", "at night", lambda view, mission: -view.facts(mission, Battery).night
            ),
            Modifier("relay", "8", "waited", self.waited),
        )

    def waited(self, view, mission):
        """8: 1 for each wait, up to a most."""
        return min(view.own(mission, LinkState).failed, self.number("waits_counted"))


class Fire(ShiftedByOther, Deviation, Circle):
    """10-13: astray by two dice, shifted by the opponent, a circle for two turns.

    Places in mm of the table.
    """

    cites = {"land": "10", "shift": "11", "spotting": "10", "fall": "13", "lingering": "13"}
    places, radius, duration = PlaneFrame(METRES / 10), figure("radius", 10), figure("turns")
    accuracy_dice, accurate = {"coloured": d6, "white": d6}, figure("accurate")
    vectors = ((0, -30), (21, -21), (30, 0), (21, 21), (0, 30), (-21, 21), (-30, 0), (-21, -21))
    shifts, lines = {3: 0, 4: 1, 5: 1, 6: 2}, ((0, -20), (20, 0), (0, 20), (-20, 0))

    def error_lines(self):
        """10, 11: those of the error, moved or not."""
        return 56

    @step(cite="10")
    def extent(self, chance, view, mission, direction):
        """10: always the same distance."""
        (x, y), (east, south) = view.mission(mission).aim, self.vectors[direction - 1]
        return self.comes_down(view, mission, (x + east, y + south))

    @orders(cite="11")
    def shift(self, view, mission, place, far):
        """11: all the way, or not at all."""
        for form in super().shift(view, mission, place, far):
            (to,) = form.slots
            whole = tuple(
                p
                for p in to.candidates
                if abs(p[0] - place[0]) + abs(p[1] - place[1]) in (0, 20 * far)
            )
            yield evolve(form, slots=(evolve(to, candidates=whole),))

    def modifiers(self):
        """12."""
        return (Modifier("accuracy", "12", "at once", self.hurried),)

    def hurried(self, view, mission):
        """12: fire that came at once."""
        return int(view.mission(mission).outcome is Outcome.VERY_GOOD)


class Wounded(Depletion, HitsAndWounds):
    """14-20: as many dice as guns, saves by cover and quality, three wounds.

    Shells that run out.
    """

    cites = {
        "strike": "14",
        "save": "15",
        "suffer": "17",
        "once": "18",
        "depletion": "20",
        "men": "19",
    }
    severities = {
        "pinned": Severity.SUPPRESSED,
        "hurt": Severity.REDUCED,
        "gone": Severity.DESTROYED,
    }
    hit, wounds, men_a_unit, depleted, once = (
        figure("hit"),
        figure("wounds"),
        figure("men"),
        figure("depleted"),
        True,
    )

    def dice_of(self, view, mission, unit, strength):
        """14: one for each gun, up to a most."""
        return min(view.facts(mission, Battery).guns, self.number("dice_most"))

    def save_of(self, view, unit):
        """15: by what the stand is in."""
        return self.number(f"save_{view.unit_facts(unit, Troops).cover}")

    def modifiers(self):
        """16."""
        return (
            for_troops("saves", "16", "veterans", 1, quality="veteran"),
            for_troops("saves", "16", "green troops", -1, quality="green"),
        )
