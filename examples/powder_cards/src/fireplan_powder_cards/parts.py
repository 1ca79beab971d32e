"""The five parts. All draw from one deck; of a card nobody ever asks more than whether it is high."""

from fractions import Fraction

from fireplan_core import Effects, Form, Keeps, Modifier, Outcome, Reason, Severity, blocks, cycle, kept, orders, record
from fireplan_core.blocks import figure, for_troops
from fireplan_core.space import HexFrame, Layout, lettered_columns
from fireplan_core.steps.effects import ask, emit, push, step, update


class Holding(blocks.Hand):
    """1.2: each side holds a card, which is high or low."""

    decks, deck, hand, low = {"cards": "deck"}, "cards", figure("hand"), figure("low")

    def kind_of(self, rank):
        """1.2: high or low."""
        return "high" if rank > self.low else "low"


class Eyes(blocks.DeclaredSight):
    """1.1: the observer sees the ground, only bursts above it, or nothing."""

    cites = {"sight": "1.1"}


class Calls(Holding, blocks.AskAndFire):
    """1.3-1.5: a high card calls for fire, a low one may be exchanged; what has been called fires, or waits."""

    cites = {"hand": "1.2", "requested": "1.3", "fire": "1.5", "cancel": "1.5", "sight": "1.1"}

    @step(cite="1.2")
    def opportunity(self, chance, view, mission):
        """1.2: fill the hand, then ask."""
        side = view.side(mission)
        return Effects(self.filled(view, side), ask(side, self.ask, mission))

    @orders(cite="1.3", secret=True)
    def ask(self, view, mission):
        """1.3, 1.4: which card is played."""
        side = view.side(mission)
        called = self.play(view, side, "high", push(cycle.request, mission), "1.3")
        another = Effects(emit("exchanged", "1.4", mission=mission), push(self.deal, side))
        exchanged = self.play(view, side, "low", another, "1.4")
        yield Form("call", "1.3", does=called)
        yield Form("exchange", "1.4", does=exchanged)
        yield Form("wait", "1.3")

    @orders(cite="1.5")
    def fire(self, view, mission):
        """1.5: fire or hold; a battery that has its call cannot be sent away."""
        yield from (form for form in super().fire(view, mission) if form.verb == "fire")
        yield Form("hold", "1.5")


@record
class Radio:
    """How the radio of a battery is."""

    broken: bool = kept(False, "whether the radio is broken", "2.3")
    breaks: int = kept(0, "how often it has broken", "2.5", between=(0, 9))


class Wireless(Holding, blocks.Relay):
    """2.1-2.5: the other side may jam a call; a card sends it or breaks the radio, another mends that."""

    cites = {"hand": "1.2", "moment": "2.1", "delay": "2.3", "lost": "2.5"}
    keeps, draws = Keeps(assets=(Radio,)), {"send": "cards", "mend": "cards"}
    minutes, needed = Fraction(5), 0

    @step(cite="2.2")
    def request(self, chance, view, mission):
        """2.2: let the other side fill its hand and jam."""
        side = view.other(view.side(mission))
        asked = Effects(self.filled(view, side), ask(side, self.jam, mission))
        return Effects() if side == view.side(mission) else asked

    @orders(cite="2.2", secret=True)
    def jam(self, view, mission):
        """2.2: a high card jams."""
        jammed = self.play(view, view.other(view.side(mission)), "high", push(self.snap, mission), "2.2")
        yield Form("jam", "2.2", does=jammed)
        yield Form("listen", "2.2")

    @step(cite="2.3, 2.4")
    def wait(self, chance, view, mission):
        """2.3, 2.4: a card a turn mends the radio, or sends the call."""
        radio = view.own(mission, Radio)
        kind, card = self.thrown(chance, view, "mend" if radio.broken else "send", {}, self.kind_of)
        if radio.broken:
            told = emit("mended" if kind == "low" else "not_mended", "2.4", mission=mission)
            return Effects(card, update(radio, broken=kind == "high"), told)
        sent = Effects(emit("sent", "2.3", mission=mission), push(cycle.ready, mission, Outcome.GOOD, "sent"))
        return Effects(card, sent if kind == "low" else push(self.snap, mission))

    @step(cite="2.3, 2.5")
    def snap(self, chance, view, mission):
        """2.3, 2.5: the radio breaks; too often, and the battery is lost."""
        radio = view.own(mission, Radio)
        lost = radio.breaks + 1 >= self.number("breaks")
        broken = Effects(update(radio, broken=True, breaks=radio.breaks + 1), emit("broken", "2.3", mission=mission))
        return Effects(broken, push(cycle.close, mission, Reason.LOST, "2.5") if lost else Effects())


class Barrage(blocks.Scatter, blocks.Disc):
    """4.1-4.3: a low card is on target, else a die says which hex beside it; radius 1, on a map in the middle."""

    cites = {"land": "4.1", "astray": "4.2", "spotting": "4.1", "fall": "4.3", "lingering": "4.3"}
    decks, draws = {"cards": "deck"}, {"accuracy": "cards"}
    places = HexFrame(100, Layout(lettered_columns(20), (1, 16), (1, 16)))
    accurate, extents, extent_dice, radius = figure("low"), {1: 1}, {}, 1


class Shelling(blocks.Depletion, blocks.OneForAll):
    """5.1-5.5: one card for all hexes under fire; cover and posture make it better or worse; the battery is spent."""

    cites = {"strike": "5.1", "depletion": "5.5"}
    decks, draws = {"cards": "deck"}, {"strikes": "cards"}
    severities = {"-": Severity.NONE, "S": Severity.SUPPRESSED, "R": Severity.REDUCED, "D": Severity.DESTROYED}
    men_a_unit, chart, fires = 20, "bands", figure("fires")

    def modifiers(self):
        """5.2-5.4."""
        return (
            for_troops("attack", "5.2", "dug in", -1, posture="dug_in"),
            for_troops("attack", "5.3", "tree bursts", 1, cover="woods"),
            Modifier("attack", "5.4", "edge of the fire", lambda view, mission, unit, strength: -int(strength < 1)),
        )
