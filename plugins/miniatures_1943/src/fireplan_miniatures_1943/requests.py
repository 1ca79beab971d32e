"""Requests: which chits go on the Request box, and where the marker of an arrived chit is put.

How chits move along their line is in ``delays``; what a marker covers is in ``areas``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from fireplan_core import (
    FINAL,
    Effects,
    Form,
    Intent,
    Modifier,
    Order,
    Place,
    Question,
    Reason,
    Refusal,
    Requests,
    Slot,
    Stage,
    Staging,
    View,
    ask,
    emit,
    push,
    record,
    step,
    update,
)
from fireplan_core.chance import Chance, d6
from fireplan_miniatures_1943.chits import Chit, Stock, chit_of

SMOKE = "areas.put_smoke"
"""The step of this game's areas that puts a smoke marker; without it there is no smoke."""

SLOTS = {"barrages": Chit.BARRAGE, "air_strikes": Chit.AIR_STRIKE, "dummies": Chit.DUMMY}
STOCK = {Chit.BARRAGE: "S.d", Chit.AIR_STRIKE: "S.c", Chit.DUMMY: "6.1.g"}
"""The rule that says how many chits of a kind there are."""


@record
class AirWar:
    """Who rolls for air superiority before play: the Axis side with its modifier, the other side (S.a, S.b).

    ``done`` once it is rolled, or when nobody rolls.
    """

    axis: str = ""
    allies: str = ""
    modifier: int = 0
    done: bool = True


class M1943Requests(Requests):
    """Place chits by number and kind; put each marker where it is wanted."""

    cites: ClassVar[Mapping[str, str]] = {"requested": "6.1.c"}

    def stage(self, staging: Staging) -> None:
        """Each asset is one chit."""
        for asset in staging.assets:
            staging.mission(asset, self.word, facts=Stock(chit_of(asset, self.options["chit"])))
        if self.options["supply"] == "renewed":
            staging.note("chits are not used up: one whose marker is gone may be placed again")

    def questions(self) -> dict[str, Question]:
        """``request``: which chits to place; ``marker``: where an arrived one lies."""
        return {
            "request": Question(self._request_forms, self._refuse_request, self._standard_request, secret=True),
            "marker": Question(self._marker_forms, self._refuse_marker, self._standard_marker, secret=True),
        }

    def modifiers(self) -> tuple[Modifier, ...]:
        """The Axis modifier of the theatre and year."""

        def axis(view: View, *_: object) -> int:
            return int(view.shared(AirWar).modifier)

        return (Modifier("requests.air_superiority", "S.b", "the Axis in this theatre and year", axis),)

    # --- before play -----------------------------------------------------------------------------
    @step(cite="S.a, S.b")
    def superiority(self, chance: Chance, view: View) -> Effects:
        """Each side rolls a die, the Axis with its modifier; only the higher has air strikes in this game."""
        war = view.shared(AirWar)
        if war.done:
            return Effects()
        axis, allies = war.axis, war.allies
        roll = chance.dice("air_superiority", axis=d6, allies=d6)
        total = roll.axis + chance.drm(roll)
        winner = axis if total > roll.allies else allies if total < roll.allies else None
        strikes = (m for m in view.missions if view.facts(m, Stock).chit is Chit.AIR_STRIKE)
        return Effects(
            update(war, done=True),
            emit("air_superiority", "S.a", side=winner),
            *(push("core.close", m, Reason.LOST, "S.a") for m in strikes if view.side(m) != winner),
        )

    # --- the chits -------------------------------------------------------------------------------
    def _chits(self, view: View, mission: str) -> dict[str, Chit]:
        """All chits of the side that go on the same line."""
        side, line = view.side(mission), view.facts(mission, Stock).line
        stocks = {m: view.facts(m, Stock) for m in view.missions if view.side(m) == side}
        return {m: stock.chit for m, stock in stocks.items() if stock.line == line}

    def _unused(self, view: View, mission: str) -> dict[Chit, list[str]]:
        """The chits of the side that are not in line nor on the table, by kind."""
        found: dict[Chit, list[str]] = {chit: [] for chit in Chit}
        for m, chit in self._chits(view, mission).items():
            now = view.mission(m)
            if now.stage is Stage.IDLE or (now.stage is Stage.ENDED and now.reason not in FINAL):
                found[chit].append(m)
        return found

    def _room(self, view: View, mission: str) -> int:
        """How many more real barrage chits may be placed in this phase."""
        counted = {Stage.REQUESTED}
        if self.options["limit"] == "in line":
            counted.add(Stage.DELAYED)
        counting = self._chits(view, mission)
        if self.options["limit_per"] == "player":
            side = view.side(mission)
            counting = {m: view.facts(m, Stock).chit for m in view.missions if view.side(m) == side}
        barrages = (view.mission(m) for m, chit in counting.items() if chit is Chit.BARRAGE)
        # One with an intent is on the table already and waits for the fire phase.
        return self.number("barrages_per_turn") - sum(now.stage in counted and now.intent is None for now in barrages)

    @step(cite="6.1.b")
    def opportunity(self, _chance: Chance, view: View, mission: str) -> Effects:
        """The Artillery Barrages phase: ask the side once for all its unused chits."""
        unused = {m for found in self._unused(view, mission).values() for m in found}
        if mission not in unused or mission != next(m for m in view.missions if m in unused):
            return Effects()
        return Effects(ask(view.side(mission), "request", mission, then="placed"))

    @step(cite="6.1.b, 6.1.h")
    def phase(self, _chance: Chance, view: View, mission: str) -> Effects:
        """The same in a scenario file: the side is asked once for each line, also when it has no chit to place."""
        return Effects(ask(view.side(mission), "request", mission, then="placed"))

    @step(cite="6.1.c, 6.1.d")
    def placed(self, _chance: Chance, view: View, mission: str, order: Order) -> Effects:
        """The chosen chits go on the Request box."""
        if order.verb == "pass":
            return Effects()
        unused = self._unused(view, mission)
        return Effects(*(push("core.request", m) for slot, chit in SLOTS.items() for m in unused[chit][: order[slot]]))

    def _request_forms(self, view: View, mission: str) -> tuple[Form, ...]:
        unused = self._unused(view, mission)
        most = {chit: len(found) for chit, found in unused.items()}
        most[Chit.BARRAGE] = max(0, min(most[Chit.BARRAGE], self._room(view, mission)))
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
        unused = self._unused(view, mission)
        for chit, count in counts.items():
            if count > len(unused[chit]):
                at_hand = len(unused[chit])
                return Refusal(STOCK[chit], f"{count} {chit.value} chits are wanted, {at_hand} are at hand")
        return None

    def _standard_request(self, view: View, mission: str) -> Order:
        """Every real chit as soon as may be, and no dummies."""
        unused = self._unused(view, mission)
        barrages = max(0, min(len(unused[Chit.BARRAGE]), self._room(view, mission)))
        strikes = len(unused[Chit.AIR_STRIKE])
        if not barrages and not strikes:
            return Order.of("pass")
        return Order.of("place", barrages=barrages, air_strikes=strikes, dummies=0)

    # --- the markers -----------------------------------------------------------------------------
    @step(cite="6.2.a, 6.2.i")
    def ready(self, _chance: Chance, view: View, mission: str) -> Effects:
        """A chit has arrived: ask where its marker shall lie."""
        now = view.mission(mission)
        if now.stage not in (Stage.REQUESTED, Stage.DELAYED) or now.intent is not None:
            return Effects()
        return Effects(ask(view.side(mission), "marker", mission, then="put_marker"))

    @step(cite="6.2.a, 6.2.i")
    def put_marker(self, _chance: Chance, view: View, mission: str, order: Order) -> Effects:
        """The marker is put on the table, fire for effect from the first."""
        if order.verb == "withhold":
            return Effects()
        aimed = update(view.mission(mission), aim=order["at"])
        if order.verb == "smoke":
            return Effects(aimed, push(SMOKE, mission))
        return Effects(aimed, push("core.release", mission, Intent.EFFECT))

    def _points(self, view: View, mission: str) -> tuple[Place, ...]:
        return view.scenario.parts.areas.aim_at(view.mission(mission).target)

    def _marker_forms(self, view: View, mission: str) -> tuple[Form, ...]:
        if view.facts(mission, Stock).chit is Chit.AIR_STRIKE:
            cite, at = "6.2.i", "the middle of the ground that the strike covers"
            withhold = "keep the strike for a later fire phase"
        else:
            cite, at = "6.2.a", "the centre of the barrage"
            withhold = "put no marker; the barrage is lost unless barrages may be held"
        where = (Slot("at", at, self._points(view, mission)),)
        smoke = Form("smoke", "6.4.c", "spend the barrage as a smoke screen", where)
        offered = cite == "6.2.a" and SMOKE in view.scenario.steps
        return (
            Form("mark", cite, "put the marker", where),
            Form("withhold", cite, withhold),
            *((smoke,) if offered else ()),
        )

    def _refuse_marker(self, view: View, order: Order, mission: str) -> Refusal | None:
        if order.verb == "withhold":
            return None
        cite = "6.2.i" if view.facts(mission, Stock).chit is Chit.AIR_STRIKE else "6.2.a"
        at = order["at"]
        try:
            known = view.frame.parse(view.frame.label(at)) == at
        except (TypeError, ValueError):
            known = False
        return None if known else Refusal(cite, f"{at!r} is no place of this table")

    def _standard_marker(self, view: View, mission: str) -> Order:
        """On the target."""
        return Order.of("mark", at=self._points(view, mission)[0])
