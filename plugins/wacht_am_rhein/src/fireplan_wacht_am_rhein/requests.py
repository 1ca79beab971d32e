"""Requests: declaring a barrage (target hex, observer, artillery units and their factors) and what it uses up.

What can be declared, and why not, is in ``declaring``; this module stages, asks the firing side, and keeps what has
been fired in the segment. What it costs in ammunition is in ``ammunition``, who follows up in ``advancing``.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from fireplan_core import (
    Effects,
    Form,
    Intent,
    Order,
    Question,
    Reason,
    Refusal,
    Slot,
    Stage,
    Staging,
    View,
    ask,
    emit,
    no_objection,
    push,
    step,
    update,
)
from fireplan_core.chance import Chance
from fireplan_wacht_am_rhein import engagement as reading
from fireplan_wacht_am_rhein.advancing import Advancing
from fireplan_wacht_am_rhein.ammunition import Ammunition
from fireplan_wacht_am_rhein.barrage import SEGMENT_MINUTES, Aircraft, ArtilleryUnit, ObservingUnit
from fireplan_wacht_am_rhein.command import Command, Headquarters
from fireplan_wacht_am_rhein.declaring import NOBODY, Artillery, Declaring, Fired, Segment, from_air
from fireplan_wacht_am_rhein.ground import hexes_between
from fireplan_wacht_am_rhein.limits import Works
from fireplan_wacht_am_rhein.volleys import strength

WORKS: dict[str, Works] = {
    "none": "none",
    "improved": "improved_position",
    "entrenched": "entrenchment_or_fortification",
}


class WarRequests(Ammunition, Advancing):
    """Barrages: voluntary, one at a time, one a hex and segment (12.1.0, 12.1.1)."""

    cites = {"requested": "12.1.0"}  # noqa: RUF012 - a ClassVar of the base

    def __init__(self, game: str, options: Any, charts: Any) -> None:
        super().__init__(game, options, charts)
        self.declaring = Declaring(options, charts["barrage_limits"], charts["numbers"])

    # --- staging ---------------------------------------------------------------------------------
    def stage(self, staging: Staging) -> None:
        """Artillery battalions of one type in the observer's division, and the observer in his mode and works."""
        staging.share(self.word, Segment())
        nation = reading.side(staging.engagement)
        asset = staging.engagement.asset
        if nation is None:
            staging.cannot(
                f"only US and German artillery is in the game, not {staging.engagement.firer.nationality} (12.6.1)"
            )
            return
        kind = reading.nearest_type(tuple(self.charts["artillery_types"].types.values()), nation, asset)
        if kind is None:
            staging.cannot(
                f"no {nation} artillery unit stands for {asset.calibre_mm} mm {asset.weapon}s: none is listed within "
                f"{reading.NEAR} per cent of the calibre"
            )
            return
        place = reading.guns_place(staging)
        distance = hexes_between(staging.frame, place, staging.centre)
        if distance > kind.range_hexes:
            staging.cannot(f"out of range: {distance} hexes of {kind.range_hexes} for {kind.name} (12.1.3)")
        number = reading.battalions(asset, self.number("guns_per_battalion"))
        staging.note(
            f"{asset.guns} {asset.calibre_mm} mm {asset.weapon}s stand as {number} x {kind.name}, "
            f"factor {kind.factors}, range {kind.range_hexes} (reconstructed values), of the observer's own division"
        )
        staging.note("no administrative phase falls into an engagement: a depleted unit stays depleted (12.6.3)")
        if asset.ammunition == "scarce":
            staging.note("scarce ammunition is taken as low supply: every unit that fires is depleted (12.6.4)")
        for mission in staging.assets:
            units = tuple(
                ArtilleryUnit(
                    f"{mission}{n + 1}", kind.factors, kind.range_hexes, place, "division", asset.ammunition == "scarce"
                )
                for n in range(number)
            )
            staging.mission(mission, self.word, Fired(), self._brought(staging, nation, units))

    def _brought(self, staging: Staging, nation: str, units: tuple[ArtilleryUnit, ...]) -> Artillery:
        observer = staging.engagement.observer
        how = reading.observation(staging, self.numbers.air_radius_hexes)
        if how is None and observer.kind != "none":
            what = {"clear": f"{observer.kind} observer", "burst_only": "burst above the hex", "none": "observer"}
            staging.note(f"{what[observer.sight]} gives no line of sight to the target here: unobserved (12.1.6g)")
        observing = ObservingUnit(
            "observer",
            "division",
            "prepared_assault" if observer.footing == "attack" else "other",
            WORKS[observer.works],
        )
        return Artillery(
            nation,
            units,
            (observing,) if how == "ground" else (),
            Command((Headquarters("division", "formation"),)),
            (Aircraft("division", staging.target_places()),) if how == "air" else (),
        )

    # --- questions -------------------------------------------------------------------------------
    def questions(self) -> dict[str, Question]:
        """Whether to barrage, which barrage, who advances, and which of the firing units are depleted."""
        return {
            "declare": Question(self._declare_forms, no_objection, self._declare_standard),
            "barrage": Question(self._barrage_forms, self._refuse_barrage, self._barrage_standard),
            **Ammunition.questions(self),
            **Advancing.questions(self),
        }

    def _declare_forms(self, _view: View, _mission: str) -> tuple[Form, ...]:
        return (Form("barrage", "12.1.0", "conduct a barrage"), Form("pass", "12.1.0", "conduct none now"))

    def _declare_standard(self, view: View, mission: str) -> Order:
        return Order.of("pass" if self.declaring.best(view, mission) is None else "barrage")

    def _barrage_forms(self, view: View, mission: str) -> tuple[Form, ...]:
        brought = view.facts(mission, Artillery)
        choices = list(self.declaring.choices(view, mission))
        fires = [fire for _, _, fire in choices]
        fires += [((unit.name, unit.factors),) for unit in brought.artillery]
        enemy = tuple(dict.fromkeys(at for at, _, _ in choices)) or self.declaring.enemy(view, mission)
        watching = tuple(dict.fromkeys(observer for _, observer, _ in choices)) or (NOBODY,)
        decline = (Slot("decline", "whether the remainder volley is left out", (False, True)),)
        return (
            Form(
                "barrage",
                "12.1.1, 12.1.2",
                "barrage a hex with these artillery units",
                (
                    Slot("at", "the target hex", enemy),
                    Slot("observer", "who observes: a unit, air, or nobody (empty)", watching),
                    Slot("fire", "artillery units, each with its factors", tuple(dict.fromkeys(fires))),
                    *(decline if self.options["remainder_volley"] == "may_decline" else ()),
                ),
            ),
            Form("hold", "12.1.0", "fire no barrage after all"),
        )

    def _refuse_barrage(self, view: View, order: Order, mission: str) -> Refusal | None:
        if order.verb == "hold":
            return None
        refusal = self.declaring.refuse(view, order, mission)
        if refusal is None and order.get("decline"):
            total = sum(factors for _, factors in order["fire"])
            full = self.number("full_volley")
            if total < full:
                return Refusal("12.2.0", f"{total} factors of the {full} of a full volley: nothing is left")
        return refusal

    def _barrage_standard(self, view: View, mission: str) -> Order:
        best = self.declaring.best(view, mission)
        if best is None:
            return Order.of("hold")
        at, observer, fire = best
        extra = {"decline": False} if self.options["remainder_volley"] == "may_decline" else {}
        return Order.of("barrage", at=at, observer=observer, fire=fire, **extra)

    # --- steps -----------------------------------------------------------------------------------
    @step(cite="12.1.0, 12.1.4")
    def opportunity(self, _chance: Chance, view: View, mission: str) -> Effects:
        """An asset may barrage; when a new segment has begun, all factors are there again and all hexes free."""
        segment = view.shared(Segment)
        if mission not in segment.asked:
            return Effects(update(segment, asked=(*segment.asked, mission)), push("offer", mission))
        minutes = segment.minutes - view.scenario.clock.minutes
        if minutes > 0:
            return Effects(update(segment, asked=(mission,), minutes=minutes), push("offer", mission))
        return Effects(
            update(segment, asked=(mission,), minutes=Fraction(0), hexes=()),
            *(update(view.own(each, Fired), used=(), firing=(), advanced=()) for each in view.missions),
            push("offer", mission),
        )

    @step(cite="12.1.0")
    def offer(self, _chance: Chance, view: View, mission: str) -> Effects:
        """A further barrage may be declared while any unit has factors to give."""
        fired = view.own(mission, Fired)
        used = {name: factors for name, factors, _ in fired.used}
        for unit in view.facts(mission, Artillery).artillery:
            if (
                unit.name not in fired.depleted
                and used.get(unit.name, 0) < unit.factors
                and self.declaring.place(view, unit) is not None
            ):
                return Effects(ask(view.side(mission), "declare", mission, then="declared"))
        return Effects()

    @step(cite="12.1.0")
    def declared(self, _chance: Chance, _view: View, mission: str, order: Order) -> Effects:
        """A barrage is wanted, or not."""
        return Effects(push("core.request", mission)) if order.verb == "barrage" else Effects()

    @step(cite="12.1.1, 12.1.2")
    def ready(self, _chance: Chance, view: View, mission: str) -> Effects:
        """Target hex, observer and artillery units are picked."""
        if view.mission(mission).stage in (Stage.FALLING, Stage.LINGERING):
            return Effects()
        return Effects(ask(view.side(mission), "barrage", mission, then="obey"))

    @step(cite="12.1.1, 12.1.4")
    def obey(self, _chance: Chance, view: View, mission: str, order: Order) -> Effects:
        """The barrage is fired: its factors are used, its hex has had its barrage for this segment."""
        if order.verb == "hold":
            return Effects(push("core.close", mission, Reason.CANCELLED, "12.1.0"))
        at, fire = order["at"], order["fire"]
        fired, segment = view.own(mission, Fired), view.shared(Segment)
        used = {name: (factors, barrages) for name, factors, barrages in fired.used}
        for name, factors in fire:
            before, barrages = used.get(name, (0, 0))
            used[name] = (before + factors, barrages + 1)
        total = sum(factors for _, factors in fire)
        full = self.number("full_volley")
        counted = total - total % full if order.get("decline") else total
        judge = self.declaring.judge(view, mission, at, order["observer"])
        brought = view.facts(mission, Artillery)
        observed, high = self.declaring.sighting(view, mission, at, order["observer"])
        by_air = from_air(order["observer"])
        named = {name for name, _ in fire}
        rockets = all(unit.rocket for unit in brought.artillery if unit.name in named)
        on_map = brought.ground is not None and "resolution.sighted" in view.scenario.steps
        return Effects(
            update(
                fired,
                formation=None if isinstance(judge, Refusal) else judge.formation,
                used=tuple((name, *spent) for name, spent in sorted(used.items())),
                firing=tuple(name for name, _ in fire),
            ),
            update(
                segment,
                hexes=(*segment.hexes, (view.side(mission), at)),
                minutes=segment.minutes or SEGMENT_MINUTES,
            ),
            update(
                view.mission(mission), aim=view.scenario.parts.areas.aim_at(at)[0], strength=strength(counted, full)
            ),
            emit("barrage", "12.1.0", mission=mission, at=at, observer=order["observer"], factors=total, units=fire),
            push("resolution.sighted", mission, (observed, by_air, high, rockets)) if on_map else Effects(),
            (
                Effects(push("ammunition", mission), push("thin", mission, fire, counted))
                if self.options["depletion_timing"] == "before_second_volley"
                else Effects()
            ),
            push("core.release", mission, Intent.EFFECT),
        )

    @step(cite="12.1.0, 12.5.0")
    def closed(self, _chance: Chance, view: View, mission: str) -> Effects:
        """After a barrage an emptied hex may be entered, and the next barrage may follow."""
        reason = view.mission(mission).reason
        if reason not in (Reason.DELIVERED, Reason.EXHAUSTED):
            return Effects()
        over = update(view.own(mission, Fired), firing=(), formation=None)
        if reason is Reason.EXHAUSTED:
            return Effects(over)
        if view.facts(mission, Artillery).ground is None:
            return Effects(over, push("offer", mission))
        barraged = [place for side, place in view.shared(Segment).hexes if side == view.side(mission)]
        return Effects(over, *(push("follow", mission, place) for place in barraged[-1:]), push("offer", mission))
