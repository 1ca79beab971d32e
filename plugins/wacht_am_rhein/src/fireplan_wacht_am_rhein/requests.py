"""Requests: declaring a barrage (target hex, observer, artillery units and their factors) and what it uses up.

What can be declared, and why not, is in ``declaring``; this module stages, asks the firing side, and keeps what has
been fired in the segment and which units are depleted.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from fireplan.chance import Chance
from fireplan.mission import (
    Form,
    Intent,
    Order,
    Question,
    Reason,
    Refusal,
    Requests,
    Slot,
    Stage,
    Staging,
    Then,
    View,
    ask,
    push,
    put,
    step,
    tell,
)
from fireplan_wacht_am_rhein import engagement as reading
from fireplan_wacht_am_rhein.barrage import SEGMENT_MINUTES, Aircraft, ArtilleryUnit, ObservingUnit
from fireplan_wacht_am_rhein.charts import DATA, read_types
from fireplan_wacht_am_rhein.command import Command, Headquarters
from fireplan_wacht_am_rhein.declaring import AIR, NOBODY, Artillery, Declaring, Fired, Segment
from fireplan_wacht_am_rhein.ground import hexes_between
from fireplan_wacht_am_rhein.limits import Works
from fireplan_wacht_am_rhein.volleys import strength

WORKS: dict[str, Works] = {
    "none": "none",
    "improved": "improved_position",
    "entrenched": "entrenchment_or_fortification",
}


class WarRequests(Requests):
    """Barrages: voluntary, one at a time, one a hex and segment (12.1.0, 12.1.1)."""

    cites = {"requested": "12.1.0"}  # noqa: RUF012 - a ClassVar of the base

    def __init__(self, game: str, options: Any, charts: Any) -> None:
        super().__init__(game, options, charts)
        self.declaring = Declaring(options)

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
        kind = reading.nearest_type(read_types(DATA / "artillery_types.csv"), nation, asset)
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
        number = reading.battalions(asset)
        staging.note(
            f"{asset.guns} {asset.calibre_mm} mm {asset.weapon}s stand as {number} x {kind.name}, "
            f"factor {kind.factors}, range {kind.range_hexes} (reconstructed values), of the observer's own division"
        )
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
        how = reading.observation(staging)
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
        """Whether to barrage, which barrage, and which of the firing units are depleted."""
        return {
            "declare": Question(self._declare_forms, self._refuse_declare, self._declare_standard),
            "barrage": Question(self._barrage_forms, self._refuse_barrage, self._barrage_standard),
            "deplete": Question(self._deplete_forms, self._refuse_deplete, self._deplete_standard),
        }

    def _declare_forms(self, _view: View, _mission: str) -> tuple[Form, ...]:
        return (Form("barrage", "12.1.0", "conduct a barrage"), Form("pass", "12.1.0", "conduct none now"))

    def _refuse_declare(self, _view: View, _order: Order, _mission: str) -> Refusal | None:
        return None

    def _declare_standard(self, view: View, mission: str) -> Order:
        return Order.of("pass" if self.declaring.best(view, mission) is None else "barrage")

    def _barrage_forms(self, view: View, mission: str) -> tuple[Form, ...]:
        brought = view.facts(mission, Artillery)
        choices = list(self.declaring.choices(view, mission))
        fires = [fire for _, _, fire in choices]
        fires += [((unit.name, unit.factors),) for unit in brought.artillery]
        watching = (*(unit.name for unit in brought.observers), *((AIR,) if brought.aircraft else ()), NOBODY)
        return (
            Form(
                "barrage",
                "12.1.1, 12.1.2",
                "barrage a hex with these artillery units",
                (
                    Slot("at", "the target hex", self.declaring.enemy(view, mission)),
                    Slot("observer", "who observes: a unit, air, or nobody (empty)", watching),
                    Slot("fire", "artillery units, each with its factors", tuple(dict.fromkeys(fires))),
                ),
            ),
            Form("hold", "12.1.0", "fire no barrage after all"),
        )

    def _refuse_barrage(self, view: View, order: Order, mission: str) -> Refusal | None:
        return None if order.verb == "hold" else self.declaring.refuse(view, order, mission)

    def _barrage_standard(self, view: View, mission: str) -> Order:
        best = self.declaring.best(view, mission)
        if best is None:
            return Order.of("hold")
        at, observer, fire = best
        return Order.of("barrage", at=at, observer=observer, fire=fire)

    def _candidates(self, view: View, mission: str) -> tuple[str, ...]:
        """The firing units a depletion roll may fall on, weakest and shortest first; low supply is not among them."""
        firing = view.own(mission, Fired).firing
        units = [unit for unit in view.facts(mission, Artillery).artillery if unit.name in firing]
        order = sorted(units, key=lambda unit: (unit.factors, unit.range_hexes, unit.name))
        return tuple(unit.name for unit in order if not unit.low_supply)

    def _deplete_forms(self, view: View, mission: str, number: int) -> tuple[Form, ...]:
        names = self._candidates(view, mission)
        sets = tuple(names[i : i + number] for i in range(len(names) - number + 1))
        return (
            Form("deplete", "12.6.1", f"{number} of the firing units", (Slot("units", "which", sets),)),
        )

    def _refuse_deplete(self, view: View, order: Order, mission: str, number: int) -> Refusal | None:
        names = self._candidates(view, mission)
        units = order["units"]
        if not isinstance(units, tuple) or len(set(units)) != number or len(units) != number:
            return Refusal("12.6.1", f"{number} different units are to be named, not {units}")
        strange = [str(name) for name in units if name not in names]
        if strange:
            return Refusal("12.6.1", f"{', '.join(strange)} not among the firing units {', '.join(names)}")
        return None

    def _deplete_standard(self, view: View, mission: str, number: int) -> Order:
        return Order.of("deplete", units=self._candidates(view, mission)[:number])

    # --- steps -----------------------------------------------------------------------------------
    @step(cite="12.1.0, 12.1.4")
    def opportunity(self, _chance: Chance, view: View, mission: str) -> Then:
        """An asset may barrage; when a new segment has begun, all factors are there again and all hexes free."""
        segment = view.shared(Segment)
        if mission not in segment.asked:
            return Then(put(segment, asked=(*segment.asked, mission)), push("offer", mission))
        minutes = segment.minutes - view.scenario.clock.minutes
        if minutes > 0:
            return Then(put(segment, asked=(mission,), minutes=minutes), push("offer", mission))
        return Then(
            put(segment, asked=(mission,), minutes=Fraction(0), hexes=()),
            *(put(view.own(each, Fired), used=(), firing=()) for each in view.missions),
            push("offer", mission),
        )

    @step(cite="12.1.0")
    def offer(self, _chance: Chance, view: View, mission: str) -> Then:
        """A further barrage may be declared while any unit has factors to give."""
        fired = view.own(mission, Fired)
        used = {name: factors for name, factors, _ in fired.used}
        for unit in view.facts(mission, Artillery).artillery:
            if unit.name not in fired.depleted and used.get(unit.name, 0) < unit.factors:
                return Then(ask(view.side(mission), "declare", mission, then="declared"))
        return Then()

    @step(cite="12.1.0")
    def declared(self, _chance: Chance, _view: View, mission: str, order: Order) -> Then:
        """A barrage is wanted, or not."""
        return Then(push("core.request", mission)) if order.verb == "barrage" else Then()

    @step(cite="12.1.1, 12.1.2")
    def ready(self, _chance: Chance, view: View, mission: str) -> Then:
        """Target hex, observer and artillery units are picked."""
        if view.mission(mission).stage in (Stage.FALLING, Stage.LINGERING):
            return Then()
        return Then(ask(view.side(mission), "barrage", mission, then="obey"))

    @step(cite="12.1.1, 12.1.4")
    def obey(self, _chance: Chance, view: View, mission: str, order: Order) -> Then:
        """The barrage is fired: its factors are used, its hex has had its barrage for this segment."""
        if order.verb == "hold":
            return Then(push("core.close", mission, Reason.CANCELLED, "12.1.0"))
        at, fire = order["at"], order["fire"]
        fired, segment = view.own(mission, Fired), view.shared(Segment)
        used = {name: (factors, barrages) for name, factors, barrages in fired.used}
        for name, factors in fire:
            before, barrages = used.get(name, (0, 0))
            used[name] = (before + factors, barrages + 1)
        total = sum(factors for _, factors in fire)
        return Then(
            put(
                fired,
                used=tuple((name, *spent) for name, spent in sorted(used.items())),
                firing=tuple(name for name, _ in fire),
            ),
            put(
                segment,
                hexes=(*segment.hexes, (view.side(mission), at)),
                minutes=segment.minutes or SEGMENT_MINUTES,
            ),
            put(
                view.mission(mission), aim=view.scenario.parts.areas.aim_at(at)[0], strength=strength(total)
            ),
            tell("barrage", "12.1.0", mission=mission, at=at, observer=order["observer"], factors=total, units=fire),
            push("core.release", mission, Intent.EFFECT),
        )

    @step(cite="12.6.1, 12.6.4")
    def deplete(self, _chance: Chance, view: View, mission: str, number: int) -> Then:
        """So many of the firing units are depleted besides those in low supply; their owner picks them."""
        firing = view.own(mission, Fired).firing
        low = tuple(
            unit.name
            for unit in view.facts(mission, Artillery).artillery
            if unit.low_supply and unit.name in firing
        )
        names = self._candidates(view, mission)
        if self.options["low_supply"] == "count_toward_roll":
            number = max(0, number - len(low))
        told = [tell("depleted", "12.6.4", mission=mission, unit=name) for name in low]
        given = Then(*told, push("mark", mission, low))
        if number == 0 or not names:
            return given
        if number >= len(names):
            return Then(given, push("depleted", mission, number, Order.of("deplete", units=names)))
        return Then(given, ask(view.side(mission), "deplete", mission, number, then="depleted"))

    @step(cite="12.6.1")
    def depleted(self, _chance: Chance, _view: View, mission: str, _number: int, order: Order) -> Then:
        """The units that the roll fell on; an excess over the firing units is lost."""
        units: Sequence[str] = order["units"]
        return Then(
            *(tell("depleted", "12.6.1", mission=mission, unit=name) for name in units),
            push("mark", mission, tuple(units)),
        )

    @step(cite="12.6.2")
    def mark(self, _chance: Chance, view: View, mission: str, names: tuple[str, ...]) -> Then:
        """Depleted units fire no more until they are replenished."""
        fired = view.own(mission, Fired)
        return Then(put(fired, depleted=tuple(sorted({*fired.depleted, *names}))))

    @step(cite="12.1.0, 12.6.2")
    def closed(self, _chance: Chance, view: View, mission: str) -> Then:
        """After a barrage the next may follow; with every unit depleted the asset is exhausted."""
        if view.mission(mission).reason is not Reason.DELIVERED:
            return Then()
        fired = view.own(mission, Fired)
        over = put(fired, firing=())
        if all(unit.name in fired.depleted for unit in view.facts(mission, Artillery).artillery):
            return Then(over, push("core.close", mission, Reason.EXHAUSTED, "12.6.2"))
        return Then(over, push("offer", mission))
