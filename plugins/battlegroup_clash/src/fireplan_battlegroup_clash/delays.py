"""Delays: the turn with its command phase and alternating activations, and electronic warfare."""

from collections.abc import Iterator
from fractions import Fraction
from typing import ClassVar

from fireplan_battlegroup_clash import facts
from fireplan_battlegroup_clash.facts import (
    CHITS,
    ETX,
    OTHER_CHITS,
    FireMissionState,
    Interference,
    Signals,
    Weapon,
)
from fireplan_battlegroup_clash.requests import FPV_CHIT, PLAN_CHIT, TRIANGULATION, usable
from fireplan_battlegroup_clash.setup import Staged
from fireplan_core import Cards, Clock, Delays, Outcome, Reason, Stage, View, cycle
from fireplan_core.chance import Chance, d6
from fireplan_core.displays import Counter, Display
from fireplan_core.five_parts import parts_of
from fireplan_core.record import defaults
from fireplan_core.steps.effects import Effects, ask, emit, push, step, update
from fireplan_core.steps.part import Keeps
from fireplan_core.steps.questions import Form, Slot, orders

JAMMING = 5
"""The number given to the jamming chit, because the sources state none (25)."""
SECOND = -1
"""The value of ``before`` when the second of two chits is drawn, one of which goes back."""
WAITING = (Stage.REQUESTED, Stage.DELAYED, Stage.SPOTTING)
"""Stages of an asset that has been called but has not fired."""


class BGCDelays(Staged, Delays):
    """The delays part: turns of new orders, electronic warfare and alternating activations.

    There is no delay, because fire lands when it is called.
    """

    decks: ClassVar = {ETX: "etx", CHITS: "chits", OTHER_CHITS: "chits"}
    publishes = (Interference, Signals)
    keeps = Keeps(assets=(Interference,), table=(Signals,))

    def contradictions(self, view: View) -> Iterator[str]:
        """Yield a fault for each list that lacks a side's value, and each unknown jamming entry."""
        turn = view.shared(Signals)
        count = len(view.scenario.initial.get(f"shared/{self.word}/sides", ()))
        for name, values in (
            ("sides", turn.sides),
            ("modifiers", turn.modifiers),
            ("ratings", turn.ratings),
        ):
            if len(values) != count and (count or name == "sides"):
                yield f"table.{name}: expected {count} values, one for each side, got {len(values)} (4, 5)"
        for side, what, _turn in view.shared(Signals).jammed:
            if side not in facts.sides(view) or what not in facts.JAMMABLE:
                yield f"jammed: {side} {what}: expected one of {', '.join(facts.sides(view))}, with comms or drone (26)"

    def board(self, view: View, side: str) -> tuple[Display, ...]:
        """Return a display for each side that holds any chits, markers or tokens (22-24)."""
        held = {holder: self._held(view, holder) for holder in facts.sides(view)}
        return tuple(
            Display("track", f"{holder} holds", boxes)
            for holder, boxes in held.items()
            if any(counters for _, counters in boxes)
        )

    def _held(self, view: View, side: str) -> tuple[tuple[str, tuple[Counter, ...]], ...]:
        """Return (heading, counters) for a side's chits, Target markers and face-down tokens."""
        deck, tokens = facts.chit_deck(view, side, self.options["chit_sets"]), Cards(view, ETX)
        chits = (
            (str(kinds[0]) if len(kinds) == 1 else "of no use", count)
            for kinds, count in Cards(view, deck).pile(side)
        )
        face_down = sum(count for _, count in tokens.pile(facts.drawn(side)))
        return (
            ("chits", tuple(Counter(chit) for chit, count in chits for _ in range(count))),
            ("Target markers", tuple(Counter(str(n)) for n in facts.hand(view, ETX, side))),
            ("ETX face down", (Counter(str(face_down)),) if face_down else ()),
        )

    def clock(self) -> Clock:
        """Return a clock of turns, which last 15 to 30 minutes (D10)."""
        return Clock.even(
            Fraction(self.options["turn_minutes"]), "turn", "15 to 30 minutes, by the rules"
        )

    @step(cite="5")
    def moment(self, chance: Chance, view: View) -> Effects:
        """Play a turn: command phase, execution, clean-up."""
        alternate, parts = view.shared(Signals).sides, parts_of(view)
        calls = [push(call, m) for call in (self.at_hand, cycle.opportunity) for m in view.missions]
        return Effects(
            *(push(parts.requests.turn_over, side) for side in alternate),
            *(
                push(self.turn_up, side)
                for side in facts.sides(view)
                if not view.shared(Signals).first
            ),
            push(self.compared),
            *((push(self.initiative),) if alternate else calls),
            push(self.clean_up),
            push(parts.resolution.turn_over),
        )

    @step(cite="7")
    def at_hand(self, chance: Chance, view: View, mission: str) -> Effects:
        """Make an asset ready again if it was called but has not fired."""
        waiting = view.mission(mission).stage in WAITING
        return (
            Effects(push(cycle.ready, mission, Outcome.GOOD, "at once")) if waiting else Effects()
        )

    # --- electronic warfare: the command phase ----------------------------------------------------
    @step(cite="23")
    def turn_up(self, chance: Chance, view: View, side: str) -> Effects:
        """Turn a side's face-down tokens face up, one at a time.

        Tokens of value 1 or 2 become Target markers (24).
        """
        deck = Cards(view, ETX)
        if not deck.pile(facts.drawn(side)):
            return Effects()
        value, turned = deck.draw(
            chance, "token", lambda face: face, into=side, source=(facts.drawn(side), ())
        )
        return Effects(
            turned, emit("token", "23", side=side, value=value), push(self.turn_up, side)
        )

    @step(cite="23")
    def compared(self, chance: Chance, view: View) -> Effects:
        """Have each side draw a chit; the side whose Target markers total more draws a second.

        The markers of a side without assets count, and are then returned. No chits are drawn
        without electronic warfare, or if the option ``ew`` is not "chits".
        """
        sums = {side: sum(facts.hand(view, ETX, side)) for side in facts.sides(view)}
        ahead = [side for side, total in sums.items() if total == max(sums.values())]
        second = ahead if len(ahead) < len(sums) else []
        idle = set(sums) - set(map(view.side, view.missions))
        out = tuple(entry for entry in view.decks().out if entry[0] != ETX or entry[1] not in idle)
        rounds = (
            (sums, second) if self.options["ew"] == "chits" and view.shared(Signals).warfare else ()
        )
        chits = [push(self.draw, side, turn) for turn, group in enumerate(rounds) for side in group]
        return Effects(update(view.decks(), out=out), *chits)

    @step(cite="23")
    def draw(self, chance: Chance, view: View, side: str, before: int) -> Effects:
        """Draw a chit for a side, if one is left.

        In advanced mode Russia draws two chits and keeps one (D23: for the first chit of a turn, or
        for every chit). ``before`` is 0 for the first chit of a turn, 1 for the next one, or
        ``SECOND`` for the second chit of such a pair.
        """
        name = facts.chit_deck(view, side, self.options["chit_sets"])
        deck = Cards(view, name)
        out = sum(count for holder in facts.sides(view) for _, count in deck.pile(holder))
        if out == sum(count for _, count in deck.deck):
            return Effects(emit("no_chits", "23", side=side))
        army = {view.side(m): view.facts(m, Weapon).army for m in view.missions}.get(side)
        chooses = army == "Russia" and self.options["mode"] == "advanced"
        useful = self._useful(view, side)
        chit, taken = deck.draw(
            chance, "chit", lambda face: face if face in useful else 0, into=side
        )
        again = chooses and (before == 0 or (before == 1 and self.options["second_look"] == "all"))
        drew = Effects(taken, emit("drew", "23", side=side, chit=chit, more=before == 1))
        if before == SECOND:
            return Effects(drew, ask(side, self.keep, side))
        return Effects(drew, push(self.draw, side, SECOND) if again else Effects())

    def _useful(self, view: View, side: str) -> set[int]:
        """Return the numbers of the chits that can have an effect at this table."""
        weapons = [view.facts(m, Weapon) for m in view.missions]
        kinds = {weapon.kind for weapon in weapons}
        outside = any(not weapon.inside for weapon in weapons)
        enemy = any(view.side(m) != side for m in view.missions)
        useful = {
            TRIANGULATION: "artillery" in kinds,
            FPV_CHIT: "fpv" in kinds,
            PLAN_CHIT: outside,
            JAMMING: enemy,
        }
        return {chit for chit, has_use in useful.items() if has_use}

    @orders(cite="23")
    def keep(self, view: View, side: str) -> Iterator[Form]:
        """Yield the order in which a side that drew two chits returns one to the deck (23).

        A chit without use is offered first, then the other chits by descending number. Chits lie
        open, so that the other side sees which one goes back (D24).
        """
        name = facts.chit_deck(view, side, self.options["chit_sets"])
        deck = Cards(view, name)
        pile = sorted(deck.pile(side), key=lambda entry: (len(entry[0]), entry), reverse=True)
        held = {kinds[0] if len(kinds) == 1 else 0: kinds for kinds, _ in pile}
        slot = Slot("chit", "the chit to return (0: one without use)", tuple(held))
        yield Form("return", "23", (slot,), lambda chit: deck.move(side, held[chit], into=None))

    # --- execution --------------------------------------------------------------------------------
    @step(cite="4, D22")
    def initiative(self, chance: Chance, view: View) -> Effects:
        """Roll to decide which side activates first.

        In the first turn the scenario decides. Ratings break a tie; if the ratings are equal too,
        both sides roll again.
        """
        turn = view.shared(Signals)
        if turn.first:
            return Effects(update(turn, first=""), push(self.activation, turn.first))
        roll = chance.dice("initiative", first=d6, second=d6)
        ahead, rated = (one - other for one, other in (turn.modifiers, turn.ratings))
        first = roll.first + ahead
        if first > roll.second:
            better = 1
        elif first < roll.second:
            better = -1
        else:
            better = rated
        if not better:
            # No event is emitted, because the solver can handle a loop of rolls only without
            # events.
            return Effects(push(self.initiative))
        winner = turn.sides[0 if better > 0 else 1]
        event = emit(
            "initiative",
            "4",
            side=winner,
            bonus=abs(ahead),
            favoured=turn.sides[ahead < 0] if ahead else "",
            ties=turn.sides[rated < 0] if rated else "",
        )
        return Effects(event, ask(winner, self.lead, winner))

    @orders(cite="4")
    def lead(self, view: View, side: str) -> Iterator[Form]:
        """Yield the orders for the side with the initiative: activate first, or second (4)."""
        yield Form("first", "4", does=push(self.activation, side))
        yield Form("second", "4", does=push(self.activation, view.other(side)))

    @step(cite="5")
    def activation(self, chance: Chance, view: View, side: str) -> Effects:
        """Ask the sides for activations in turn, skipping a side with nothing left to activate."""
        able = [name for name in (side, view.other(side)) if self._able(view, name)]
        if not able:
            return Effects()
        first = next(m for m in view.missions if view.side(m) == able[0])
        return Effects(
            push(parts_of(view).requests.phase, first), push(self.activation, view.other(able[0]))
        )

    def _able(self, view: View, side: str) -> bool:
        """Return whether a side can still activate anything this turn."""
        now = view.peek_shared(facts.Activity)
        if side in now.acted:
            return False
        drone = side in now.flyers and f"drone {side}" not in now.acted
        return drone or bool(usable(view, side, now.acted)) or facts.may_act(view, side)

    @step(cite="5, 24")
    def clean_up(self, chance: Chance, view: View) -> Effects:
        """Return Target markers and chits to their decks, whether they were played or not.

        By an option, each side keeps the chits in its hand. Tokens drawn face down stay.
        """
        returned = (ETX,) if self.options["chits_left"] == "kept" else (ETX, CHITS, OTHER_CHITS)
        waiting = {(ETX, facts.drawn(side)) for side in facts.sides(view)}
        decks = view.decks()
        out = tuple(
            entry for entry in decks.out if entry[0] not in returned or entry[:2] in waiting
        )
        back = [entry for entry in decks.out if entry not in out]
        chits = sum(entry[-1] for entry in back if entry[0] != ETX)
        markers = sum(entry[-1] for entry in back if entry[0] == ETX and any(entry[2]))
        event = emit("put_back", "5, 24", chits=chits, markers=markers)
        return Effects(update(decks, out=out), event if chits or markers else Effects())

    # --- a fire mission ---------------------------------------------------------------------------
    @step(cite="7")
    def request(self, chance: Chance, view: View, mission: str) -> Effects:
        """Make the requested asset ready at once."""
        return Effects(push(cycle.ready, mission, Outcome.GOOD, "at once"))

    def has_last_word(self, view: View, mission: str) -> bool:
        """Return whether an enemy chit or jamming may stop a fire mission."""
        return self._jammed(view, mission) or bool(self._counters(view, mission))

    def _jammed(self, view: View, mission: str) -> bool:
        """Return whether jammed signals may stop a fire mission (26).

        Only a mission that costs tokens can be stopped, and only before its first shot.
        """
        call = view.peek(mission, FireMissionState)
        return bool(call.cost) and not call.taps and facts.jammed(view, view.side(mission), "comms")

    @step(cite="25, 26, D21")
    def clearance(self, chance: Chance, view: View, mission: str) -> Effects:
        """Roll for jammed signals, or ask the other side for chits against the fire mission."""
        if self._jammed(view, mission):
            if chance.dice("comms", white=d6).total > self.number("comms_fail"):
                return Effects()
            foiled = emit("foiled", "26", side=view.side(mission))
            return Effects(foiled, push(cycle.close, mission, Reason.DENIED, "26"))
        if self._counters(view, mission):
            return Effects(ask(view.other(view.side(mission)), self.counter, mission))
        return Effects()

    def _counters(self, view: View, mission: str) -> tuple[int, ...]:
        """Return the chits that the other side may play against a fire mission (25)."""
        side = view.side(mission)
        other, kind = view.other(side), view.facts(mission, Weapon).kind
        cost = view.peek(mission, FireMissionState).cost
        outside = cost == self.number("etx_outside") and self.options["mode"] != "basic"
        fits = {
            PLAN_CHIT: outside,
            TRIANGULATION: kind == "artillery",
            FPV_CHIT: kind == "fpv",
            JAMMING: True,
        }
        held = (
            facts.hand(view, facts.chit_deck(view, other, self.options["chit_sets"]), other)
            if other != side
            else ()
        )
        return tuple(chit for chit, fit in fits.items() if fit and chit in held)

    @orders(cite="25")
    def counter(self, view: View, mission: str) -> Iterator[Form]:
        """Yield the other side's orders for a fire mission: play a chit against it, or none (25).

        Only chits in hand that can affect the fire mission are offered.
        """
        other, ours = view.other(view.side(mission)), view.own(mission, Interference)
        deck = Cards(view, facts.chit_deck(view, other, self.options["chit_sets"]))
        again = push(self.clearance, mission)
        less = update(ours, hindered=ours.hindered + self.number("chit_3b"))
        die = Effects(update(ours, jammed=ours.jammed + 1), again)
        does = {
            PLAN_CHIT: ("stop", push(cycle.close, mission, Reason.DENIED, "25")),
            TRIANGULATION: ("hinder", Effects(less, again)),
            FPV_CHIT: ("disturb", die),
            JAMMING: ("jam", die),
        }
        for chit in self._counters(view, mission):
            verb, effect = does[chit]
            played = Effects(
                deck.move(other, (chit,)), emit("chit", "25", side=other, chit=chit, against=True)
            )
            value = {"value": self.number("chit_3b")} if verb == "hinder" else {}
            yield Form(verb, "25", does=Effects(played, effect), fields=value)
        yield Form("let", "25")

    @step(cite="25")
    def closed(self, chance: Chance, view: View, mission: str) -> Effects:
        """Clear the effects of chits on the fire mission."""
        return Effects(update(view.own(mission, Interference), **defaults(Interference)))
