"""The five parts. The deck belongs to none of them: requests, areas and resolution draw from it."""

from collections.abc import Iterator
from fractions import Fraction
from typing import ClassVar

from fireplan_core import Cards, Form, Keeps, Place, Severity, Shot, View, cycle, kept, orders, record
from fireplan_core.blocks import AskAndFire, DeclaredSight, Disc, FixedDelay, ScoreCheck, Troops
from fireplan_core.chance import Chance
from fireplan_core.space import HexFrame, Layout, lettered_columns
from fireplan_core.space import step as hex_step
from fireplan_core.steps.effects import Effects, ask, emit, push, step, update

DECK = "signals"


class Eyes(DeclaredSight):
    """1.1: the observer sees the ground, only bursts above it, or nothing."""


class Runners(AskAndFire):
    """1.2, 1.3: a runner in the hand may be played to ask for fire."""

    cites: ClassVar = {"requested": "1.2", "fire": "1.3", "cancel": "1.3", "sight": "1.1"}
    decks: ClassVar = {DECK: "deck"}

    @step(cite="1.2")
    def opportunity(self, chance: Chance, view: View, mission: str) -> Effects:
        """Fill the hand card by card, of each only whether it is a runner; then ask which is played."""
        deck, side = Cards(view, DECK), view.side(mission)
        if sum(count for _, count in deck.pile(side)) == self.number("hand"):
            return Effects(ask(side, self.ask, mission))
        _, dealt = deck.draw(chance, "deal", lambda face: face >= self.number("runner"), into=side)
        return Effects(dealt, push(self.opportunity, mission))

    @orders(cite="1.2")
    def ask(self, view: View, mission: str) -> Iterator[Form]:
        """Ask whether a runner is played."""
        deck, side = Cards(view, DECK), view.side(mission)
        for kinds, _ in reversed(deck.pile(side)):
            if self.number("runner") in kinds:
                played = Effects(deck.move(side, kinds), push(cycle.request, mission))
                yield Form("play", "1.2", "play a runner", does=played)
            else:
                yield Form("return", "1.2", "return another card", does=deck.move(side, kinds, into=None))


class Guns(FixedDelay):
    """2.1, 2.2: at hand one turn after the request."""

    cites: ClassVar = {"moment": "2.1", "delay": "2.2"}
    minutes = Fraction(5)
    delay = 1


class Shots(Disc):
    """3.1, 3.2: a card says where the shot lands, on a map of which engagements take the middle; radius 1."""

    cites: ClassVar = {"land": "3.1", "spotting": "3.1", "fall": "3.2", "lingering": "3.2"}
    decks: ClassVar = {DECK: "deck"}
    places = HexFrame(100, Layout(lettered_columns(20), (1, 16), (1, 16)))
    radius = 1

    def middle(self) -> Place:
        """Return the middle of the map."""
        return self.places.parse("J8")

    @step(cite="3.1")
    def land(self, chance: Chance, view: View, mission: str) -> Effects:
        """Turn a card: on the aim, or one hex off in the direction that it counts."""
        aim, on_aim = view.mission(mission).aim, self.number("on_aim")
        toward, card = Cards(view, DECK).draw(chance, "drift", lambda face: face % 3 + 1 if face < on_aim else 0)
        return Effects(card, push(cycle.landed, mission, hex_step(aim, 2 * toward, 1) if toward else aim))


@record
class Attack:
    """What the one card turned for all hexes does in the open and in cover."""

    turned: tuple[Severity, ...] = kept((), "what the attack card does in the open and in cover", "4.1")


class Shells(ScoreCheck):
    """4.1-4.3: one attack card for all hexes, against the defence of each unit."""

    cites: ClassVar = {"strike": "4.3"}
    decks: ClassVar = {DECK: "deck"}
    keeps = Keeps(units=ScoreCheck.keeps.units, table=(Attack,))
    places_apart = False
    men_a_unit = 20
    score = 0
    severities: ClassVar = {"S": Severity.SUPPRESSED, "R": Severity.REDUCED, "D": Severity.DESTROYED}

    @step(cite="4.1, 4.2")
    def strike(self, chance: Chance, view: View, mission: str, place: Place, shot: Shot) -> Effects:
        """Turn the attack card for the first hex; then see what it does to every unit."""
        attack = view.shared(Attack)
        if turned := attack.turned:
            troops = {unit: view.unit_facts(unit, Troops) for unit in view.units_at(place)}
            return Effects(*(self.suffer(view, unit, turned[one.cover != "open"]) for unit, one in troops.items()))
        turned, card = Cards(view, DECK).draw(chance, "attack", self.against)
        told = emit("attack", "4.1", mission=mission, open=turned[0], cover=turned[1])
        return Effects(card, update(attack, turned=turned), told, push(self.strike, mission, place, shot))

    def against(self, face: int) -> tuple[Severity, ...]:
        """4.2, 4.3: what an attack does in the open and in cover."""
        steps = (0, self.number("reduced"), self.number("destroyed"))
        return tuple(Severity(sum(face - self.number(d) >= one for one in steps)) for d in ("open", "cover"))

    @step(cite="4.1, 1.4")
    def spent(self, _chance: Chance, view: View, _mission: str) -> Effects:
        """Take the attack card away, and shuffle the deck with its discards."""
        return Effects(update(view.shared(Attack), turned=()), Cards(view, DECK).shuffle())
