"""Requests: which chits go on the Request box, and where the marker of an arrived chit is put.

How chits move along their line is in ``delays``; what a marker covers is in ``areas``.
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
"""The rule that says how many chits of a kind there are."""


class M1943Requests(Staged, Requests):
    """Place chits by number and kind; put each marker where it is wanted."""

    cites: ClassVar[Mapping[str, str]] = {"requested": "6.1.c"}

    # --- the chits -------------------------------------------------------------------------------
    @staticmethod
    def _chits(view: View, mission: str, *, of_player: bool = False) -> dict[str, Chit]:
        """Return all chits of the side that go on the same line, or on any."""
        side, line = view.side(mission), view.facts(mission, ChitSetup).line
        own = {m: view.facts(m, ChitSetup) for m in view.missions if view.side(m) == side}
        return {m: chit.kind for m, chit in own.items() if of_player or chit.line == line}

    def _unused(self, view: View, mission: str) -> dict[Chit, list[str]]:
        """Return the chits of the line that may be placed, by kind."""
        chits = self._chits(view, mission)
        return {
            kind: [m for m, chit in chits.items() if chit is kind and unused(view, m)]
            for kind in Chit
        }

    def _room(self, view: View, mission: str) -> int:
        """Return how many more real barrage chits may be placed in this phase."""
        counted = {Stage.REQUESTED}
        if self.options["limit"] == "in line":
            counted.add(Stage.DELAYED)
        chits = self._chits(view, mission, of_player=self.options["limit_per"] == "player")
        barrages = (view.mission(m) for m, chit in chits.items() if chit is Chit.BARRAGE)
        # One with an intent is on the table already and waits for the fire phase.
        placed = sum(now.stage in counted and now.intent is None for now in barrages)
        return max(0, self.number("barrages_per_turn") - placed)

    @step(cite="6.1.b")
    def opportunity(self, chance: Chance, view: View, mission: str) -> Effects:
        """Ask the side in the Artillery Barrages phase once for all its unused chits."""
        first = next((m for m in self._chits(view, mission) if unused(view, m)), None)
        return self.phase(chance, view, mission) if mission == first else Effects()

    @step(cite="6.1.b, 6.1.h")
    def phase(self, chance: Chance, view: View, mission: str) -> Effects:
        """Ask the side for the chits of a line, also when it has none to place."""
        return Effects(ask(view.side(mission), self.request, mission))

    def _most(self, view: View, mission: str) -> dict[Chit, int]:
        """Return how many chits of each kind may be placed now."""
        most = {chit: len(found) for chit, found in self._unused(view, mission).items()}
        return {**most, Chit.BARRAGE: min(most[Chit.BARRAGE], self._room(view, mission))}

    def _all_real(self, view: View, mission: str) -> Order:
        """Return the order to place every real chit as soon as may be, and no dummies."""
        most = {**self._most(view, mission), Chit.DUMMY: 0}
        if not any(most.values()):
            return Order.of("pass")
        return Order.of("place", **{slot: most[chit] for slot, chit in SLOTS.items()})

    @orders(cite="6.1.c, 6.1.d", standard=_all_real, secret=True)
    def request(self, view: View, mission: str) -> Iterator[Form]:
        """Ask which chits are put on the Request box."""
        most = self._most(view, mission)
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
        hand, wanted = (
            self._unused(view, mission),
            {SLOTS[slot]: count for slot, count in counts.items()},
        )
        if any(type(count) is not int or count < 0 for count in counts.values()):
            return Refusal.of("6.1.c", "whole_numbers")
        if not any(counts.values()):
            return Refusal.of("6.1.c", "no_chit_named")
        if wanted[Chit.BARRAGE] > self._room(view, mission):
            most = self.number("barrages_per_turn")
            return Refusal.of(
                "6.1.e", "most_barrages", most=most, placed=self.options["limit"] == "placed"
            )
        for chit, found in hand.items():
            if wanted[chit] > len(found):
                return Refusal.of(
                    STOCK[chit],
                    "too_few_chits",
                    wanted=wanted[chit],
                    kind=chit.value,
                    held=len(found),
                )
        return Effects(
            *(push(cycle.request, m) for chit in SLOTS.values() for m in hand[chit][: wanted[chit]])
        )

    # --- the markers -----------------------------------------------------------------------------
    @step(cite="6.2.a, 6.2.i")
    def ready(self, chance: Chance, view: View, mission: str) -> Effects:
        """Ask where the marker of a chit that has arrived shall lie."""
        now = view.mission(mission)
        if now.stage not in (Stage.REQUESTED, Stage.DELAYED) or now.intent is not None:
            return Effects()
        return Effects(ask(view.side(mission), self.marker, mission))

    @orders(cite="6.2.a, 6.2.i", secret=True)
    def marker(self, view: View, mission: str) -> Iterator[Form]:
        """Ask where the marker of an arrived chit lies.

        A smoke screen takes the place of a barrage.

        A barrage that is not placed when it arrives is lost, unless the option lets it be held;
        strikes are kept.
        """
        if flies(view, mission):
            edge = self.options["strike_point"] == "front edge"
            cite, at = (
                "6.2.i",
                f"the middle of {'its front edge' if edge else 'the ground that the strike covers'}",
            )
        else:
            cite, at = "6.2.a", "the centre of the barrage"

        def put(kind: FireKind, at: Place) -> Effects | Refusal:
            if not is_place(view.frame, at):
                return Refusal.of(cite, "no_place", to=repr(at))
            return Effects(
                update(view.mission(mission), aim=at, kind=kind),
                push(cycle.release, mission, Intent.EFFECT),
            )

        kept = self.options["may_hold"] or flies(view, mission)
        reason = Reason.CANCELLED if self.options["supply"] == "renewed" else Reason.EXHAUSTED
        lost = Effects() if kept else push(cycle.close, mission, reason, "6.2.a")
        where = (Slot("at", at, self._points(view, mission), free=True),)
        yield Form("mark", cite, where, partial(put, FireKind.HE))
        yield Form("withhold", cite, does=lost, told={"strike": flies(view, mission)})
        if not flies(view, mission) and FireKind.SMOKE in parts_of(view).areas.kinds:
            yield Form("smoke", "6.4.c", where, partial(put, FireKind.SMOKE))

    def _points(self, view: View, mission: str) -> tuple[Place, ...]:
        """Return where a marker may be put to cover the target, the most natural first."""
        aims = view.aim_at(view.mission(mission).target)
        # The areas of another game know no front edge.
        return (
            strike_points(self, aims[0])
            if flies(view, mission) and isinstance(view.frame, PlaneFrame)
            else aims
        )
