"""The five parts of Marsh Road, played on a table where a centimetre is 25 m."""

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

METRES = 25  # per centimetre (rule 1)


def size(part, view, mission):
    """Return the size of an asset by its guns: troop, battery or regiment (rule 2)."""
    guns = view.facts(mission, Battery).guns
    return (
        "troop"
        if guns <= part.number("troop_guns")
        else "battery"
        if guns <= part.number("battery_guns")
        else "regiment"
    )


class Eyes(DeclaredSight):
    """The observers part: sight within a range by day and by night (rule 3)."""

    cites = {"sight": "3"}
    sees_m, sees_m_at_night = figure("sight", METRES), figure("sight_at_night", METRES)


class Calls(AskAndFire):
    """The requests part: call for fire, then fire near the target or cancel (rules 4, 5, 9)."""

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
        """Return the range of the guns in metres, by their size (rule 4)."""
        return METRES * self.number(f"reach_{size(self, view, mission)}")


class Net(RequestChart):
    """The delays part: a d10 on the request chart each turn, from the next one on (rules 6-8)."""

    cites = {"moment": "1", "delay": "6", "refused": "6", "lost": "8"}
    minutes, dice, chart, tries = Fraction(5), {"white": Die(10)}, "request", figure("waits")

    def modifiers(self):
        """Return the modifiers of the request roll (rules 7, 8)."""
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
        """Return the bonus for waiting: 1 for each wait, up to a maximum (rule 8)."""
        return min(view.own(mission, LinkState).failed, self.number("waits_counted"))


class Barrage(ShiftedByOther, Deviation, Circle):
    """The areas part: error, the opponent's shift and a circle of fire for two turns (10-13).

    Places are in millimetres on the table.
    """

    cites = {"land": "10", "shift": "11", "spotting": "10", "fall": "13", "lingering": "13"}
    places, radius, duration = PlaneFrame(METRES / 10), figure("radius", 10), figure("turns")
    accuracy_dice, accurate = {"coloured": d6, "white": d6}, figure("accurate")
    vectors = ((0, -30), (21, -21), (30, 0), (21, 21), (0, 30), (-21, 21), (-30, 0), (-21, -21))
    shifts, lines = {3: 0, 4: 1, 5: 1, 6: 2}, ((0, -20), (20, 0), (0, 20), (-20, 0))

    def error_lines(self):
        """Return the number of points where a round may land, shifted or not (rules 10, 11)."""
        return 56

    @step(cite="10")
    def extent(self, chance, view, mission, direction):
        """Land the round off target, always at the same distance (rule 10)."""
        (x, y), (east, south) = view.mission(mission).aim, self.vectors[direction - 1]
        return self.comes_down(view, mission, (x + east, y + south))

    @orders(cite="11")
    def shift(self, view, mission, place, far):
        """Offer the opponent a shift by the full distance, or none (rule 11)."""
        for form in super().shift(view, mission, place, far):
            (to,) = form.slots
            whole = tuple(
                p
                for p in to.candidates
                if abs(p[0] - place[0]) + abs(p[1] - place[1]) in (0, 20 * far)
            )
            yield evolve(form, slots=(evolve(to, candidates=whole),))

    def modifiers(self):
        """Return the modifier of the accuracy roll (rule 12)."""
        return (Modifier("accuracy", "12", "at once", self.hurried),)

    def hurried(self, view, mission):
        """Return 1 for fire that came at once, else 0 (rule 12)."""
        return int(view.mission(mission).outcome is Outcome.VERY_GOOD)


class Wounded(Depletion, HitsAndWounds):
    """The resolution part: a die per gun, saves, wounds and ammunition (rules 14-20)."""

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
        """Return the number of dice: one for each gun, up to a maximum (rule 14)."""
        return min(view.facts(mission, Battery).guns, self.number("dice_most"))

    def save_of(self, view, unit):
        """Return the save of a stand by its cover (rule 15)."""
        return self.number(f"save_{view.unit_facts(unit, Troops).cover}")

    def modifiers(self):
        """Return the modifiers of the saves by quality (rule 16)."""
        return (
            for_troops("saves", "16", "veterans", 1, quality="veteran"),
            for_troops("saves", "16", "green troops", -1, quality="green"),
        )
