"""Requests: which chits go on the Request box, and where the marker of an arrived chit is put.

How chits move along their line is in ``delays``; what a marker covers is in ``areas``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from fireplan_core import Form, Order, Place, Question, Refusal, Requests, Slot, View, cycle, parts_of, question
from fireplan_core.chance import Chance
from fireplan_core.mission import FireKind, Intent, Reason, Stage
from fireplan_core.steps.effects import Effects, ask, push, step, update
from fireplan_miniatures_1943.bases import is_place
from fireplan_miniatures_1943.chits import SLOTS, Chit, ChitSetup, flies, strike_points, unused
from fireplan_miniatures_1943.setup import Staged

STOCK = {Chit.BARRAGE: "S.d", Chit.AIR_STRIKE: "S.c", Chit.DUMMY: "6.1.g"}
"""The rule that says how many chits of a kind there are."""


class M1943Requests(Staged, Requests):
    """Place chits by number and kind; put each marker where it is wanted."""

    cites: ClassVar[Mapping[str, str]] = {"requested": "6.1.c"}

    @question
    def request(self) -> Question[str]:
        """Ask which chits to place."""
        return Question(self._request_forms, self._refuse_request, self._standard_request, secret=True)

    @question
    def marker(self) -> Question[str]:
        """Ask where the marker of an arrived chit lies."""
        return Question(self._marker_forms, self._refuse_marker, self._standard_marker, secret=True)

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
        return {kind: [m for m, chit in chits.items() if chit is kind and unused(view, m)] for kind in Chit}

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
        return Effects(ask(view.side(mission), self.request, self.placed, mission))

    @step(cite="6.1.c, 6.1.d")
    def placed(self, chance: Chance, view: View, order: Order, mission: str) -> Effects:
        """Put the chosen chits on the Request box."""
        if order.verb == "pass":
            return Effects()
        hand = self._unused(view, mission)
        return Effects(*(push(cycle.request, m) for slot, chit in SLOTS.items() for m in hand[chit][: order[slot]]))

    def _most(self, view: View, mission: str) -> dict[Chit, int]:
        """Return how many chits of each kind may be placed now."""
        most = {chit: len(found) for chit, found in self._unused(view, mission).items()}
        return {**most, Chit.BARRAGE: min(most[Chit.BARRAGE], self._room(view, mission))}

    def _request_forms(self, view: View, mission: str) -> tuple[Form, ...]:
        most = self._most(view, mission)
        slots = tuple(
            Slot(slot, f"how many {chit.value} chits", tuple(range(most[chit] + 1)), secret=True)
            for slot, chit in SLOTS.items()
        )
        return (
            Form("place", "6.1.c", "place chits on the Request box", slots),
            Form("pass", "6.1.h", "place none in this phase"),
        )

    def _refuse_request(self, view: View, order: Order, mission: str) -> Refusal | None:
        if order.verb == "pass":
            return None
        counts = {chit: order[slot] for slot, chit in SLOTS.items()}
        if any(type(count) is not int or count < 0 for count in counts.values()):
            return Refusal("6.1.c", "chits are placed in whole numbers from 0 up")
        if not any(counts.values()):
            return Refusal("6.1.c", "no chit is named; to place none, pass")
        if counts[Chit.BARRAGE] > self._room(view, mission):
            most = self.number("barrages_per_turn")
            how = "placed a turn" if self.options["limit"] == "placed" else "in line"
            return Refusal("6.1.e", f"no more than {most} real barrage chits may be {how}")
        for chit, found in self._unused(view, mission).items():
            count, at_hand = counts[chit], len(found)
            if count > at_hand:
                return Refusal(STOCK[chit], f"{count} {chit.value} chits are wanted, {at_hand} are at hand")
        return None

    def _standard_request(self, view: View, mission: str) -> Order:
        """Return the order to place every real chit as soon as may be, and no dummies."""
        most = {**self._most(view, mission), Chit.DUMMY: 0}
        if not any(most.values()):
            return Order.of("pass")
        return Order.of("place", **{slot: most[chit] for slot, chit in SLOTS.items()})

    # --- the markers -----------------------------------------------------------------------------
    @step(cite="6.2.a, 6.2.i")
    def ready(self, chance: Chance, view: View, mission: str) -> Effects:
        """Ask where the marker of a chit that has arrived shall lie."""
        now = view.mission(mission)
        if now.stage not in (Stage.REQUESTED, Stage.DELAYED) or now.intent is not None:
            return Effects()
        return Effects(ask(view.side(mission), self.marker, self.put_marker, mission))

    @step(cite="6.2.a, 6.2.i")
    def put_marker(self, chance: Chance, view: View, order: Order, mission: str) -> Effects:
        """Put the marker on the table, fire for effect from the first.

        A barrage that is not placed when it arrives is lost, unless the option lets it be held; strikes are kept.
        """
        if order.verb == "withhold":
            if self.options["may_hold"] or flies(view, mission):
                return Effects()
            reason = Reason.CANCELLED if self.options["supply"] == "renewed" else Reason.EXHAUSTED
            return Effects(push(cycle.close, mission, reason, "6.2.a"))
        kind = FireKind.SMOKE if order.verb == "smoke" else FireKind.HE
        aimed = update(view.mission(mission), aim=order["at"], kind=kind)
        return Effects(aimed, push(cycle.release, mission, Intent.EFFECT))

    def _marker_forms(self, view: View, mission: str) -> tuple[Form, ...]:
        if flies(view, mission):
            edge = self.options["strike_point"] == "front edge"
            cite, at = "6.2.i", f"the middle of {'its front edge' if edge else 'the ground that the strike covers'}"
            withhold = "keep the strike for a later fire phase"
        else:
            cite, at = "6.2.a", "the centre of the barrage"
            withhold = "put no marker; the barrage is lost unless barrages may be held"
        where = (Slot("at", at, self._points(view, mission)),)
        forms = Form("mark", cite, "put the marker", where), Form("withhold", cite, withhold)
        if flies(view, mission) or FireKind.SMOKE not in parts_of(view).areas.kinds:
            return forms
        return (*forms, Form("smoke", "6.4.c", "spend the barrage as a smoke screen", where))

    def _refuse_marker(self, view: View, order: Order, mission: str) -> Refusal | None:
        if order.verb == "withhold" or is_place(view, order["at"]):
            return None
        return Refusal("6.2.i" if flies(view, mission) else "6.2.a", f"{order['at']!r} is no place of this table")

    def _standard_marker(self, view: View, mission: str) -> Order:
        """Return the order to put it on the target."""
        return Order.of("mark", at=self._points(view, mission)[0])

    def _points(self, view: View, mission: str) -> tuple[Place, ...]:
        """Return where a marker may be put to cover the target, the most natural first."""
        aims = view.aim_at(view.mission(mission).target)
        return strike_points(self, aims[0]) if flies(view, mission) else aims
