"""Requests: declaring a barrage, with its target hex, observer, artillery units and factors.

This module asks the firing side, records the factors fired in the segment, and lets units advance
into a hex that a barrage has emptied (12.5.0). ``declaring`` decides which barrages are legal;
depletion is in ``ammunition``.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import partial
from typing import ClassVar

import attrs

from fireplan_core import Display, Intent, Keeps, Place, Reason, Stage, Staging, View, cycle
from fireplan_core.chance import Chance
from fireplan_core.steps.effects import Effects, ask, emit, push, step, update
from fireplan_core.steps.questions import Form, Order, Refusal, Slot, orders
from fireplan_wacht_am_rhein.ammunition import Ammunition
from fireplan_wacht_am_rhein.barrage import Allotment
from fireplan_wacht_am_rhein.declaring import NOBODY, Declaring
from fireplan_wacht_am_rhein.ground import hexes_between
from fireplan_wacht_am_rhein.setup import (
    ArtilleryState,
    ObservingUnit,
    Segment,
    Sighting,
    stage_artillery,
)


class WarRequests(Ammunition):
    """The requests part: optional barrages, one per hex and segment (12.1.0, 12.1.1)."""

    keeps = Keeps(assets=(ArtilleryState, Sighting), table=(Segment,))
    cites: ClassVar[Mapping[str, str]] = {"requested": "12.1.0"}
    publishes = (Sighting,)

    def stage(self, staging: Staging) -> None:
        """Stage the observer, and battalions of one artillery type in the observer's division."""
        stage_artillery(staging, self.charts)

    def board(self, view: View, side: str) -> tuple[str | Display, ...]:
        """Return displays of the command of a side's artillery, and the units with markers.

        Each artillery unit is shown with its remaining factors in this segment. Prepared Assault
        and Ammo Depleted markers lie on the map, where both sides see them.
        """
        nets = (
            Display(
                "net",
                f"command of the artillery ({view.side(mission)})",
                tuple(self.declaring(view, mission).net()),
            )
            for mission in view.owned(side)
        )
        prepared, depleted = dict[str, None](), dict[str, None]()
        for mission in view.missions:
            declaring = self.declaring(view, mission)
            prepared |= {
                unit.name: None
                for unit in declaring.brought.observers
                if declaring.mode(unit) == "prepared_assault"
            }
            depleted |= dict.fromkeys(declaring.fired.depleted)
        marked = (("in Prepared Assault mode", prepared), ("Ammo Depleted", depleted))
        return (*nets, *(f"{what}: {', '.join(units)}" for what, units in marked if units))

    def declaring(self, view: View, mission: str) -> Declaring:
        """Return the barrages that the side of a mission can declare now."""
        return Declaring(self.options, self.charts, view, mission)

    # --- questions -------------------------------------------------------------------------------
    def _standard(self, view: View, mission: str) -> Order:
        return Order.of("pass" if self.declaring(view, mission).best() is None else "barrage")

    @orders(cite="12.1.0", standard=_standard)
    def declare(self, _view: View, mission: str) -> Iterator[Form]:
        """Yield the orders for a side's artillery: declare a barrage, or pass (12.1.0)."""
        yield Form("barrage", "12.1.0", does=push(cycle.request, mission))
        yield Form("pass", "12.1.0")

    def _strongest(self, view: View, mission: str) -> Order:
        best = self.declaring(view, mission).best()
        if best is None:
            return Order.of("hold")
        at, observer, fire = best
        extra = {"decline": False} if self.options["remainder_volley"] == "may_decline" else {}
        return Order.of("barrage", at=at, observer=observer, fire=fire, **extra)

    @orders(cite="12.1.1, 12.1.4", standard=_strongest)
    def barrage(self, view: View, mission: str) -> Iterator[Form]:
        """Yield the orders for a barrage: its target hex, observer and artillery, or none (12.1.1).

        An option adds the choice to leave out the remainder volley.
        """
        close = push(cycle.close, mission, Reason.CANCELLED, "12.1.0")
        yield Form("hold", "12.1.0", does=close)
        declaring = self.declaring(view, mission)
        choices = list(declaring.choices())
        fires = [fire for _, _, fire in choices]
        fires += [((unit.name, unit.factors),) for unit in declaring.brought.artillery]
        enemy = tuple(dict.fromkeys(at for at, _, _ in choices)) or declaring.enemy
        observers = tuple(dict.fromkeys(observer for _, observer, _ in choices)) or (NOBODY,)
        decline = Slot("decline", "whether to leave out the remainder volley", (False, True))
        slots = (
            Slot("at", "the target hex", enemy, free=True),
            Slot("observer", "the observer: a unit, air, or empty for none", observers, free=True),
            Slot(
                "fire",
                "artillery units, each with its factors",
                tuple(dict.fromkeys(fires)),
                free=True,
            ),
            *((decline,) if self.options["remainder_volley"] == "may_decline" else ()),
        )
        fire = partial(self._fire, view, mission)
        yield Form("barrage", "12.1.1, 12.1.2", slots, fire)

    def _fire(
        self,
        view: View,
        mission: str,
        at: Place,
        observer: str,
        fire: Allotment,
        *,
        decline: bool = False,
    ) -> Effects | Refusal:
        if wrong := self.declaring(view, mission).refuse(at, observer, fire):
            return wrong
        total, full = sum(factors for _, factors in fire), self.number("full_volley")
        if decline and total < full:
            return Refusal.of("12.2.0", "nothing_left", total=total, full=full)
        return Effects(
            push(
                self.declared,
                mission,
                at,
                observer,
                fire,
                total - total % full if decline else total,
            )
        )

    # --- the barrage -----------------------------------------------------------------------------
    @step(cite="12.1.0, 12.1.4")
    def opportunity(self, _chance: Chance, view: View, mission: str) -> Effects:
        """Offer a barrage, beginning a new segment when the minutes of the last one have run out.

        In a new segment all artillery has its full factors, and every hex may be barraged again.
        """
        segment = view.shared(Segment)
        if mission not in segment.asked:
            return Effects(
                update(segment, asked=(*segment.asked, mission)), push(self.offer, mission)
            )
        minutes = segment.minutes - view.scenario.clock.minutes
        if minutes > 0:
            return Effects(
                update(segment, asked=(mission,), minutes=minutes), push(self.offer, mission)
            )
        return Effects(
            update(segment, asked=(mission,), minutes=Fraction(0), hexes=()),
            *(
                update(view.own(each, ArtilleryState), used=(), firing=(), advanced=())
                for each in view.missions
            ),
            push(self.offer, mission),
        )

    @step(cite="12.1.0")
    def offer(self, _chance: Chance, view: View, mission: str) -> Effects:
        """Ask the side for another barrage, if an artillery unit on the map can still fire."""
        declaring = self.declaring(view, mission)
        used = declaring.used()
        for unit in declaring.brought.artillery:
            can_fire = (
                unit.name not in declaring.fired.depleted
                and used.get(unit.name, (0, 0))[0] < unit.factors
            )
            if can_fire and declaring.place(unit) is not None:
                return Effects(ask(view.side(mission), self.declare, mission))
        return Effects()

    @step(cite="12.1.1, 12.1.2")
    def ready(self, _chance: Chance, view: View, mission: str) -> Effects:
        """Ask for the details of a barrage, unless one is already being resolved."""
        if view.mission(mission).stage in (Stage.FALLING, Stage.LINGERING):
            return Effects()
        return Effects(ask(view.side(mission), self.barrage, mission))

    @step(cite="12.1.1, 12.1.4")
    def declared(
        self,
        _chance: Chance,
        view: View,
        mission: str,
        at: Place,
        observer: str,
        fire: Allotment,
        counted: int,
    ) -> Effects:
        """Fire the barrage, and record its factors and its target hex for this segment.

        ``counted`` is the number of factors that form volleys.
        """
        declaring = self.declaring(view, mission)
        fired, segment = declaring.fired, view.shared(Segment)
        used = declaring.used()
        for name, factors in fire:
            before, barrages = used.get(name, (0, 0))
            used[name] = (before + factors, barrages + 1)
        judge = declaring.judge(at, observer)
        total, full = sum(factors for _, factors in fire), self.number("full_volley")
        seen = declaring.sighting(at, observer, [name for name, _ in fire])
        immediate = self.options["depletion_timing"] == "before_second_volley"
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
                minutes=segment.minutes or Fraction(self.number("segment_minutes")),
            ),
            update(view.mission(mission), aim=view.aim_at(at)[0], strength=Fraction(counted, full)),
            emit(
                "barrage",
                "12.1.0",
                mission=mission,
                at=at,
                observer=observer,
                factors=total,
                units=fire,
            ),
            update(view.own(mission, Sighting), **attrs.asdict(seen))
            if declaring.on_map
            else Effects(),
            push(self.ammunition, mission),
            push(self.thin, mission, fire, counted) if immediate else Effects(),
            push(cycle.release, mission, Intent.EFFECT),
        )

    @step(cite="12.1.0, 12.5.0")
    def closed(self, _chance: Chance, view: View, mission: str) -> Effects:
        """Let units advance into a hex that the barrage emptied, and offer the next barrage.

        Nothing follows a cancelled barrage, or a barrage after which all artillery is depleted.
        """
        reason = view.mission(mission).reason
        if reason not in (Reason.DELIVERED, Reason.EXHAUSTED):
            return Effects()
        cleared = update(view.own(mission, ArtilleryState), firing=(), formation=None)
        if reason is Reason.EXHAUSTED:
            return Effects(cleared)
        emptied = self.declaring(view, mission).barraged()[-1:] if view.scenario.mobile else ()
        return Effects(
            cleared,
            *(push(self.follow, mission, place) for place in emptied),
            push(self.offer, mission),
        )

    # --- advance after barrage -------------------------------------------------------------------
    def _able(self, view: View, mission: str, at: Place) -> tuple[str, ...]:
        """Return the names of the units that may advance into a hex after the barrage."""
        declaring = self.declaring(view, mission)
        units = declaring.brought.observers
        return tuple(unit.name for unit in units if _refuse_unit(declaring, unit, at) is None)

    @orders(cite="12.5.0")
    def advance(self, view: View, mission: str, at: Place) -> Iterator[Form]:
        """Yield the orders for a barraged hex: one unit advances into it, or all stay (12.5.0).

        The unit that advances may not observe afterwards, and must attack. In covering terrain it
        may remove its Prepared Assault marker instead of attacking. The standard order is to
        advance once no artillery is left to observe for.
        """
        declaring = self.declaring(view, mission)
        covering = declaring.brought.ground.at(at).covering
        fires = any(gun.left and not (gun.depleted or gun.lost) for gun in declaring.guns(at))
        slots = (
            Slot("unit", "the unit that advances", self._able(view, mission, at), free=True),
            Slot(
                "keep",
                "whether it stays in prepared assault mode and so must attack",
                (True, False) if covering else (True,),
                free=True,
            ),
        )
        advance = Form("advance", "12.5.0", slots, partial(self._advance, view, mission, at))
        stay = Form("stay", "12.5.0")
        yield from (stay, advance) if fires else (advance, stay)

    def _advance(
        self, view: View, mission: str, at: Place, unit: str, *, keep: bool
    ) -> Effects | Refusal:
        declaring = self.declaring(view, mission)
        units = {unit.name: unit for unit in declaring.brought.observers}
        if unit not in units:
            return Refusal.of("12.5.0", "no_unit", unit=repr(unit), units=tuple(units))
        if wrong := _refuse_unit(declaring, units[unit], at):
            return wrong
        if not keep and not declaring.brought.ground.at(at).covering:
            return Refusal.of("12.5.0", "covering_alone")
        fired = view.own(mission, ArtilleryState)
        return Effects(
            update(view.unit_neutral(unit), place=at),
            update(fired, advanced=(*fired.advanced, unit)),
            Effects() if keep else update(fired, dismissed=tuple(sorted({*fired.dismissed, unit}))),
            emit("advanced", "12.5.0", unit=unit, at=at, prepared_assault=keep, must_attack=keep),
            push(self.follow, mission, at),
        )

    @step(cite="12.5.0")
    def follow(self, _chance: Chance, view: View, mission: str, at: Place) -> Effects:
        """Ask the side which unit advances into a hex that no enemy holds, if any unit can."""
        side = view.side(mission)
        occupied = any(
            view.place_of(unit) == at and view.unit_side(unit) != side for unit in view.units
        )
        if occupied or not self._able(view, mission, at):
            return Effects()
        return Effects(ask(side, self.advance, mission, at))


def _refuse_unit(declaring: Declaring, unit: ObservingUnit, at: Place) -> Refusal | None:
    """Return the reason why a unit may not advance into a hex, or None if it may."""
    place = declaring.place(unit)
    if place is None:
        return Refusal.of("12.5.0", "eliminated", name=unit.name)
    distance = hexes_between(declaring.view.frame, place, at)
    if distance != 1:
        return Refusal.of("12.5.0", "not_adjacent", name=unit.name, distance=distance)
    mode = declaring.mode(unit)
    if mode != "prepared_assault":
        return Refusal.of("12.5.0", "not_prepared", name=unit.name, mode=mode)
    if unit.name in declaring.fired.advanced:
        return Refusal.of("12.5.0", "advanced_already", name=unit.name)
    if declaring.brought.ground.at(at).impassable:
        return Refusal.of("12.5.0", "impassable")
    return None
