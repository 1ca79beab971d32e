"""The five parts: sight, reach, a request chart, a shift by the opponent, hits, saves and wounds. An inch is 20 m."""

from fractions import Fraction

from fireplan_core import Modifier, Outcome, Severity, blocks
from fireplan_core.blocks import Battery, LinkState, Troops, figure, for_troops
from fireplan_core.chance import d6
from fireplan_core.space import PlaneFrame

INCH = 20


def size(part, view, mission):
    """2.4: up to 4 guns are a light battery, up to 12 a medium one, more a heavy one."""
    guns = view.facts(mission, Battery).guns
    return next((name for name in ("light", "medium") if guns <= part.number(f"guns_{name}")), "heavy")


class Eyes(blocks.DeclaredSight):
    """1.1: the observer sees 48 inches by day, 24 at night."""

    cites = {"sight": "1.1"}
    sees_m, sees_m_at_night = figure("sight_day", INCH), figure("sight_night", INCH)


class Calls(blocks.AskAndFire):
    """1.2-1.4: ask; fire at hand is fire for effect within the reach of the guns, or cancelled."""

    cites = {"requested": "1.2", "fire": "1.3", "cancel": "1.3", "sight": "1.1", "reach": "1.4"}

    def reach_of(self, view, mission):
        """1.4: by the size of the battery."""
        return self.number(f"reach_{size(self, view, mission)}") * INCH


class Net(blocks.RequestChart):
    """2.1-2.6: two dice on the request chart at once, and again each turn; the chart says when the fire is at hand."""

    cites = {"moment": "2.1", "delay": "2.2, 2.6", "lost": "2.2"}
    minutes, dice, chart = Fraction(3), {"coloured": d6, "white": d6}, "request"
    at_once, counted = True, figure("most_bonus")

    def modifiers(self):
        """2.3-2.5."""
        return (
            Modifier("relay", "2.3", "observer", lambda view, mission: self.number(self.options["observer"])),
            Modifier("relay", "2.4", "battery", lambda view, mission: self.number(size(self, view, mission))),
            Modifier("relay", "2.5", "asked again", lambda view, mission: view.own(mission, LinkState).failed),
        )


class Blast(blocks.ShiftedByOther, blocks.AsAimed, blocks.Circle):
    """4.1-4.4: a die says how many inches the opponent may shift the impact; a circle of 3 inches."""

    cites = {"land": "4.1", "shift": "4.2", "spotting": "4.1", "fall": "4.4", "lingering": "4.4"}
    places, radius = PlaneFrame(float(INCH)), figure("blast")
    shifts = {1: 0, 2: 0, 3: 1, 4: 1, 5: 2, 6: 2}

    def modifiers(self):
        """4.3: fire that was promised at once drifts less."""
        return (Modifier("drift", "4.3", "at once", at_once),)


def at_once(view, mission, _place):
    """4.3: subtract 1."""
    return -1 if view.mission(mission).outcome is Outcome.VERY_GOOD else 0


class Wounded(blocks.Depletion, blocks.HitsAndWounds):
    """5.1-5.6: hits, saves by cover, wounds; a stand is struck once a turn; a battery has three fires."""

    cites = {"strike": "5.1", "once": "5.2", "save": "5.3", "suffer": "5.5", "depletion": "5.6"}
    severities = {"pinned": Severity.SUPPRESSED, "hurt": Severity.REDUCED, "gone": Severity.DESTROYED}
    men_a_unit, once = 10, True
    hit, wounds, fires = figure("hit"), figure("wounds"), figure("shells")

    def dice_of(self, view, mission, unit, strength):
        """5.1: by the size of the battery."""
        return self.number(f"dice_{size(self, view, mission)}")

    def save_of(self, view, unit):
        """5.3: by cover."""
        return self.number(f"save_{view.unit_facts(unit, Troops).cover}")

    def modifiers(self):
        """5.4."""
        return (for_troops("saves", "5.4", "dug in", 1, posture="dug_in"),)
