"""Requests: placing chits in the Request box, and the markers of chits that have arrived.

``delays`` moves chits along their line; ``areas`` finds the ground that a marker covers.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import ClassVar

from fireplan_core import Form, Order, Place, Refusal, Requests, Slot, View, cycle, orders, parts_of
from fireplan_core.chance import Chance
from fireplan_core.mission import FireKind, Intent, Reason, Stage
from fireplan_core.space import PlaneFrame, is_place
from fireplan_core.steps.effects import Effects, ask, push, step, update
from fireplan_miniatures_1943.chits import SLOTS, Chit, ChitSetup, flies, strike_points, unused
from fireplan_miniatures_1943.setup import Staged

STOCK = {Chit.BARRAGE: "S.d", Chit.AIR_STRIKE: "S.c", Chit.DUMMY: "6.1.g"}
"""Maps each kind of chit to the rule on its number."""


class M1943Requests(Staged, Requests):
    """The requests part: requests by number and kind of chit, and the placing of markers."""

    cites: ClassVar[Mapping[str, str]] = {"requested": "6.1.c"}

    # --- the chits -------------------------------------------------------------------------------
    @staticmethod
    def _chits(view: View, mission: str, *, of_player: bool = False) -> dict[str, Chit]:
        """Map each chit of the mission's line, or of its side with ``of_player``, to its kind."""
        side, line = view.side(mission), view.facts(mission, ChitSetup).line
        own = {m: view.facts(m, ChitSetup) for m in view.missions if view.side(m) == side}
        return {m: chit.kind for m, chit in own.items() if of_player or chit.line == line}

    def _unused(self, view: View, mission: str) -> dict[Chit, list[str]]:
        """Map each kind of chit to the line's chits of that kind that are in hand."""
        chits = self._chits(view, mission)
        return {
            kind: [m for m, chit in chits.items() if chit is kind and unused(view, m)]
            for kind in Chit
        }

    def _room(self, view: View, mission: str) -> int:
        """Return the number of real barrage chits that may still be placed in this phase."""
        counted = {Stage.REQUESTED}
        if self.options["limit"] == "in line":
            counted.add(Stage.DELAYED)
        chits = self._chits(view, mission, of_player=self.options["limit_per"] == "player")
        barrages = (view.mission(m) for m, chit in chits.items() if chit is Chit.BARRAGE)
        # Once its intent is set, a chit's marker is on the table and waits for the fire phase.
        placed = sum(now.stage in counted and now.intent is None for now in barrages)
        return max(0, self.number("barrages_per_turn") - placed)

    @step(cite="6.1.b")
    def opportunity(self, chance: Chance, view: View, mission: str) -> Effects:
        """Ask for a line's requests once in the phase, at its first chit in hand."""
        first = next((m for m in self._chits(view, mission) if unused(view, m)), None)
        return self.phase(chance, view, mission) if mission == first else Effects()

    @step(cite="6.1.b, 6.1.h")
    def phase(self, chance: Chance, view: View, mission: str) -> Effects:
        """Ask the mission's side which chits to place on its line, even if it has none in hand."""
        return Effects(ask(view.side(mission), self.request, mission))

    def _placeable(self, view: View, mission: str) -> dict[Chit, int]:
        """Map each kind of chit to the greatest number of its chits that may be placed now."""
        most = {chit: len(chits) for chit, chits in self._unused(view, mission).items()}
        return {**most, Chit.BARRAGE: min(most[Chit.BARRAGE], self._room(view, mission))}

    def _every_real_chit(self, view: View, mission: str) -> Order:
        """Return the order that places every real chit allowed, and no dummies."""
        most = {**self._placeable(view, mission), Chit.DUMMY: 0}
        if not any(most.values()):
            return Order.of("pass")
        return Order.of("place", **{slot: most[chit] for slot, chit in SLOTS.items()})

    @orders(cite="6.1.c, 6.1.d", standard=_every_real_chit, secret=True)
    def request(self, view: View, mission: str) -> Iterator[Form]:
        """Yield the orders for a request: place chits in the Request box, or pass (6.1.c, 6.1.h).

        Each slot is the number of chits of one kind.
        """
        most = self._placeable(view, mission)
        slots = tuple(
            Slot(
                slot,
                f"how many {chit.value} chits",
                tuple(range(most[chit] + 1)),
                secret=True,
                free=True,
            )
            for slot, chit in SLOTS.items()
        )
        yield Form("place", "6.1.c", slots, partial(self._place, view, mission))
        yield Form("pass", "6.1.h")

    def _place(self, view: View, mission: str, **counts: int) -> Effects | Refusal:
        hand = self._unused(view, mission)
        requested = {SLOTS[slot]: count for slot, count in counts.items()}
        if any(type(count) is not int or count < 0 for count in counts.values()):
            return Refusal.of("6.1.c", "whole_numbers")
        if not any(counts.values()):
            return Refusal.of("6.1.c", "no_chit_named")
        if requested[Chit.BARRAGE] > self._room(view, mission):
            return Refusal.of(
                "6.1.e",
                "most_barrages",
                most=self.number("barrages_per_turn"),
                placed=self.options["limit"] == "placed",
                held=len(hand[Chit.BARRAGE]),
            )
        for chit, held in hand.items():
            if requested[chit] > len(held):
                return Refusal.of(
                    STOCK[chit],
                    "too_few_chits",
                    requested=requested[chit],
                    kind=chit.value,
                    held=len(held),
                )
        return Effects(
            *(
                push(cycle.request, m)
                for chit in SLOTS.values()
                for m in hand[chit][: requested[chit]]
            )
        )

    # --- the markers -----------------------------------------------------------------------------
    @step(cite="6.2.a, 6.2.i")
    def ready(self, chance: Chance, view: View, mission: str) -> Effects:
        """Ask where to place the marker of a chit that has arrived."""
        now = view.mission(mission)
        if now.stage not in (Stage.REQUESTED, Stage.DELAYED) or now.intent is not None:
            return Effects()
        return Effects(ask(view.side(mission), self.marker, mission))

    @orders(cite="6.2.a, 6.2.i", secret=True)
    def marker(self, view: View, mission: str) -> Iterator[Form]:
        """Yield the orders for an arrived chit: place its marker, or withhold it (6.2.a, 6.2.i).

        The marker is a barrage, a smoke screen or an air strike. A barrage that is not placed when
        it arrives is lost, and so is an air strike in the next fire phase, unless an option lets
        its owner hold it.
        """
        if flies(view, mission):
            cite, meaning = "6.2.i", "the middle of the ground that the strike covers"
            if self.options["strike_point"] == "front edge":
                meaning = "the middle of its front edge"
        else:
            cite, meaning = "6.2.a", "the centre of the barrage"

        def place_marker(kind: FireKind, at: Place) -> Effects | Refusal:
            if not is_place(view.frame, at):
                return Refusal.of(cite, "no_place", to=repr(at))
            return Effects(
                update(view.mission(mission), aim=at, kind=kind),
                push(cycle.release, mission, Intent.EFFECT),
            )

        kept = self.options["strike_kept"] == "any fire phase"
        may_hold = kept if flies(view, mission) else self.options["may_hold"]
        reason = Reason.CANCELLED if self.options["supply"] == "renewed" else Reason.EXHAUSTED
        lost = Effects() if may_hold else push(cycle.close, mission, reason, cite)
        slots = (Slot("at", meaning, self._points(view, mission), free=True),)
        yield Form("mark", cite, slots, partial(place_marker, FireKind.HE))
        fate = {"strike": flies(view, mission), "held": may_hold}
        yield Form("withhold", cite, does=lost, fields=fate)
        if not flies(view, mission) and FireKind.SMOKE in parts_of(view).areas.kinds:
            yield Form("smoke", "6.4.c", slots, partial(place_marker, FireKind.SMOKE))

    def _points(self, view: View, mission: str) -> tuple[Place, ...]:
        """Return the points offered for a marker that covers the target, best first."""
        aims = view.aim_at(view.mission(mission).target)
        # In the areas of another game a strike has no front edge.
        return (
            strike_points(self, aims[0])
            if flies(view, mission) and isinstance(view.frame, PlaneFrame)
            else aims
        )
