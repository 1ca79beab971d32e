"""The five parts of Lantern Ridge; their figures are in ``data/numbers.csv``."""

from fractions import Fraction

from fireplan_core import Cards, Effects, Form, Reason, Severity, ask, cycle, orders, push, step
from fireplan_core.ready_parts import (
    AskAndFire,
    DeclaredSight,
    Depletion,
    Disc,
    FixedDelay,
    Hand,
    OneForAll,
    Scatter,
)
from fireplan_core.ready_parts import figure, for_troops
from fireplan_core.space import HexFrame, Layout, lettered_columns

DECK = {"lantern": "deck"}


class Lanterns(Hand):
    """The hands of cards, shared by two parts (rules 2-4)."""

    decks, deck, hand = DECK, "lantern", figure("hand")

    def kind_of(self, rank):
        """Return the kind of a card: odd ranks are dark, even ones bright (rule 2)."""
        return "dark" if rank % 2 else "bright"


class Eyes(DeclaredSight):
    """The observers part: sight within a range by day and by night (rule 9)."""

    cites = {"sight": "9"}
    sees_m, sees_m_at_night = figure("sees_m"), figure("sees_m_at_night")


class Calls(Lanterns, AskAndFire):
    """The requests part: a bright card calls for fire, a dark one may be changed (4, 5, 8, 10)."""

    cites = {
        "hand": "2, 4",
        "requested": "5",
        "fire": "8",
        "cancel": "8",
        "sight": "9",
        "aim": "10",
    }
    from_target_m = figure("from_target_m")

    @step(cite="3, 4")
    def opportunity(self, chance, view, mission):
        """Fill the caller's hand and ask for an order (rules 3, 4).

        With ``cards = fresh`` the discards are shuffled into the deck first.
        """
        side = view.side(mission)
        fresh = Cards(view, "lantern").shuffle() if self.options["cards"] == "fresh" else Effects()
        return Effects(fresh, self.filled(view, side), ask(side, self.ask, mission))

    @orders(cite="5", secret=True)
    def ask(self, view, mission):
        """Offer to light the lantern, change a dark card, or wait (rule 5)."""
        side = view.side(mission)
        yield Form(
            "light", "5", does=self.play(view, side, "bright", push(cycle.request, mission), "5")
        )
        yield Form("change", "5", does=self.play(view, side, "dark", push(self.deal, side), "5"))
        yield Form("wait", "5")

    @orders(cite="8")
    def fire(self, view, mission):
        """Offer to fire, send the battery away, or wait for a turn (rule 8)."""
        yield from super().fire(view, mission)
        yield Form("wait", "8")


class Laying(Lanterns, FixedDelay):
    """The delays part: the lantern may be put out, else the guns are laid (rules 6, 7)."""

    cites = {"hand": "2, 4", "moment": "1", "delay": "7"}
    minutes, delay = Fraction(4), figure("laying")

    @step(cite="6")
    def request(self, chance, view, mission):
        """Fill the other side's hand and ask for its answer (rules 4, 6)."""
        other = view.other(view.side(mission))
        return Effects(
            super().request(chance, view, mission),
            self.filled(view, other),
            ask(other, self.answer, mission),
        )

    @orders(cite="6", secret=True)
    def answer(self, view, mission):
        """Offer to put the lantern out, or to let it burn (rule 6)."""
        other = view.other(view.side(mission))
        out = push(cycle.close, mission, Reason.DENIED, "6")
        yield Form("douse", "6", does=self.play(view, other, "dark", out, "6"))
        yield Form("let_burn", "6")


class Barrage(Scatter, Disc):
    """The areas part: a card decides the error; a disc of fire in two turns (rules 1, 11-13)."""

    cites = {"land": "11", "astray": "12", "spotting": "11", "fall": "13", "lingering": "13"}
    decks, draws = DECK, {"accuracy": "lantern"}
    places = HexFrame(150, Layout(lettered_columns(18), (1, 14), (1, 14)))
    accurate, extents, extent_dice = figure("accurate"), {1: 2}, {}
    radius, duration = figure("radius"), figure("turns_of_fire")


class Shelling(Depletion, OneForAll):
    """The resolution part: one card for all units, and limited ammunition (rules 14-18)."""

    cites = {"strike": "14", "suffer": "14, 17", "depletion": "18"}
    decks, draws = DECK, {"strikes": "lantern"}
    severities = {
        "nothing": Severity.NONE,
        "pinned": Severity.SUPPRESSED,
        "wounded": Severity.REDUCED,
        "killed": Severity.DESTROYED,
    }
    chart, men_a_unit, fires = "effects", figure("men"), figure("falls")

    def modifiers(self):
        """Return the modifiers of cover, posture and movement (rules 15, 16)."""
        return (
            for_troops(
                "attack", "15", "behind walls or in a trench", -1, cover=("buildings", "trench")
            ),
            for_troops("attack", "15", "dug in", -1, posture="dug_in"),
            for_troops("attack", "16", "moving", 1, posture="moving"),
        )
