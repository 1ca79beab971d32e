"""Areas: what a barrage or air strike covers, and how long its marker lies. No shot goes astray in this game.

Geometry is in ``fireplan_core.space``; what fire does to a base is in ``resolution``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import ClassVar

from fireplan_core import (
    Effects,
    Form,
    Intent,
    Order,
    Place,
    Question,
    Reason,
    Refusal,
    Slot,
    Stage,
    Staging,
    View,
    ask,
    emit,
    push,
    step,
    update,
)
from fireplan_core.chance import Chance
from fireplan_core.space import PlaneFrame, Point, rectangles_touch, squared_distance, within_circle
from fireplan_miniatures_1943.bases import METRES_PER_YARD
from fireplan_miniatures_1943.chits import Chit, chit_of
from fireplan_miniatures_1943.manoeuvre import Manoeuvre
from fireplan_miniatures_1943.markers import HEADINGS, Marker, in_barrage, strip

__all__ = ["M1943Areas", "in_barrage", "strip"]

CORNERS = 72
"""How many corners a drawn circle has."""

SQUARE_YARDS_PER_HECTARE = 10_000 / float(METRES_PER_YARD) ** 2


class M1943Areas(Manoeuvre):
    """Circles and strips in the plane, measured against base rectangles without rounding.

    A place is the centre of a base. Bases of an engagement have the footprint of the option ``base`` and face
    the firer; those of a scenario file have each its own ``Stand``. A unit that brings an extent of its own
    (metres) counts as a circle of that radius, in whole yards.
    """

    cites: ClassVar[Mapping[str, str]] = {"spotting": "6.2.a", "fall": "6.2.e", "lingering": "6.2.f"}
    miss_not_modelled = "a marker lies exactly where its player puts it (6.2.a); no die moves it"

    def frame(self) -> PlaneFrame:
        """Yards."""
        return PlaneFrame(float(METRES_PER_YARD))

    def stage(self, staging: Staging) -> None:
        """No marker lies on the table."""
        for asset in staging.assets:
            staging.mission(asset, self.word, Marker(), chit_of(asset, self.options["chit"]))
        staging.note(f"bases are taken as {self.options['base']} yards; base sizes are free by the rules")
        if any(chit_of(asset, self.options["chit"]) is Chit.AIR_STRIKE for asset in staging.assets):
            staging.note(f"air strikes are taken as {self.options['strip_width']} yards wide")

    def questions(self) -> dict[str, Question]:
        """``heading``: the way an air strike flies; ``movement`` and ``firing`` of a side's turn."""
        return {
            "heading": Question(self._heading_forms, self._refuse_heading, self._standard_heading),
            **self.manoeuvres(),
        }

    # --- placing ---------------------------------------------------------------------------------
    @step(cite="6.2.a, 6.2.i")
    def land(self, _chance: Chance, view: View, mission: str) -> Effects:
        """The marker lies where it is put: no die decides over it."""
        if view.facts(mission, Chit) is Chit.AIR_STRIKE:
            return Effects(ask(view.side(mission), "heading", mission, then="head"))
        aim = view.mission(mission).aim
        spotted = view.sees(mission, aim).ground
        cite = "6.2.b" if spotted else "6.2.c"
        return Effects(
            update(view.own(mission, Marker), spotted=spotted),
            emit("placed", cite, mission=mission, at=aim, yards=self.reach(spotted=spotted)),
            push("lay", mission),
        )

    @step(cite="6.2.j")
    def head(self, _chance: Chance, view: View, mission: str, order: Order) -> Effects:
        """The air strike marker is turned the way it flies."""
        heading = order["along"]
        return Effects(
            update(view.own(mission, Marker), heading=heading),
            emit("placed", "6.2.j", mission=mission, at=view.mission(mission).aim, heading=heading),
            push("lay", mission),
        )

    @step(cite="6.2.d, 6.2.i")
    def lay(self, _chance: Chance, view: View, mission: str) -> Effects:
        """A marker waits for its owner's fire phase; one that only marks a point is seen at once."""
        now = view.mission(mission)
        if now.intent is Intent.EFFECT:
            return Effects(update(view.own(mission, Marker), placed=True))
        return Effects(push("core.landed", mission, now.aim))

    @step(cite="6.4.c, 6.4.d")
    def put_smoke(self, _chance: Chance, view: View, mission: str) -> Effects:
        """A smoke screen stands where it is put, as large as the barrage would be, for two turns."""
        now = view.mission(mission)
        aim = now.aim
        spotted = view.sees(mission, aim).ground
        minutes = Fraction(self.number("smoke_turns") * self.options["turn_minutes"])
        return Effects(
            update(now, stage=Stage.LINGERING, intent=None, impact=aim),
            update(view.own(mission, Marker), spotted=spotted, smoke=True, left=minutes),
            emit("smoke", "6.4.c", mission=mission, at=aim, yards=self.reach(spotted=spotted)),
        )

    def _heading_forms(self, _view: View, _mission: str) -> tuple[Form, ...]:
        meaning = "the way it flies, as yards east and yards south"
        return (Form("head", "6.2.j", "turn the marker", (Slot("along", meaning, HEADINGS),)),)

    def _refuse_heading(self, _view: View, order: Order, _mission: str) -> Refusal | None:
        along = order["along"]
        whole = isinstance(along, tuple) and all(type(part) is int for part in along)
        if whole and len(along) == 2 and any(along):
            return None
        return Refusal("6.2.j", f"{along!r} is no direction: two whole numbers, not both 0, are wanted")

    def _standard_heading(self, _view: View, _mission: str) -> Order:
        """Along the target's front, so that the firer's own men lie beside the strip."""
        return Order.of("head", along=HEADINGS[0])

    # --- the fire phase and after ----------------------------------------------------------------
    @step(cite="6.2.d, 6.2.i")
    def moment(self, _chance: Chance, _view: View, mission: str) -> Effects:
        """The fire phase resolves a marker, unless its owner had one of his own; then the turn passes."""
        return Effects(push("resolve", mission), push("lift", mission))

    @step(cite="6.2.d, 6.2.i")
    def resolve(self, _chance: Chance, view: View, mission: str) -> Effects:
        """A marker that was placed is resolved."""
        marker = view.own(mission, Marker)
        if not marker.placed:
            return Effects()
        aim = view.mission(mission).aim
        landed = push("core.landed", mission, aim)
        if self.options["spotting"] == "fire phase" and marker.spotted is not None:
            return Effects(update(marker, placed=False, spotted=view.sees(mission, aim).ground), landed)
        return Effects(update(marker, placed=False), landed)

    @step(cite="6.2.d, 6.2.k")
    def fallen(self, _chance: Chance, view: View, mission: str) -> Effects:
        """A barrage marker stays to its owner's next Artillery Barrages phase; an air strike goes at once."""
        turns = 0 if view.facts(mission, Chit) is Chit.AIR_STRIKE else self.options["duration_turns"]
        return Effects(update(view.own(mission, Marker), left=Fraction(turns * self.options["turn_minutes"])))

    @step(cite="6.2.g, 6.2.k")
    def lift(self, _chance: Chance, view: View, mission: str) -> Effects:
        """The turn ends: markers whose time is over are lifted; no base rolls twice for those that stay."""
        stage = view.mission(mission).stage
        if stage not in (Stage.FALLING, Stage.LINGERING):
            return Effects()
        marker = view.own(mission, Marker)
        left = marker.left - view.scenario.clock.minutes
        if left > 0:
            stays = (push("core.linger", mission),) if stage is Stage.FALLING else ()
            return Effects(update(marker, left=left), *stays)
        cite = "6.2.k" if view.facts(mission, Chit) is Chit.AIR_STRIKE else "6.4.d" if marker.smoke else "6.2.d"
        reason = Reason.DELIVERED if self.options["supply"] == "renewed" else Reason.EXHAUSTED
        return Effects(push("core.close", mission, reason, cite))

    @step(cite="6.2.a")
    def ceased(self, _chance: Chance, _view: View, mission: str, _stage: Stage) -> Effects:
        """The marker goes."""
        return Effects(push("closed", mission))

    @step(cite="6.2.a")
    def closed(self, _chance: Chance, view: View, mission: str) -> Effects:
        """The marker is off the table."""
        blank = Marker()
        off = update(
            view.own(mission, Marker),
            placed=blank.placed,
            spotted=blank.spotted,
            smoke=blank.smoke,
            heading=blank.heading,
            left=blank.left,
        )
        return Effects(off, push("resolution.forget", mission)) if view.scenario.mobile else Effects(off)

    # --- what is covered -------------------------------------------------------------------------
    def _spotted(self, view: View, mission: str) -> bool:
        """What was found when the marker was put; before that, what its point would be."""
        spotted = view.own(mission, Marker).spotted
        if spotted is None:
            return view.sees(mission, view.mission(mission).impact).ground
        return bool(spotted)

    def covers(self, view: View, mission: str, place: Place, extent: Fraction) -> Fraction:
        """1 for a base wholly or partly in the area (6.2.e), else 0."""
        centre = view.mission(mission).impact
        if centre is None or place is None:
            return Fraction(0)
        strike = view.facts(mission, Chit) is Chit.AIR_STRIKE
        width, depth = self.options["strip_width"], self.number("strike_depth_yards")
        if extent:
            radius = round(extent / METRES_PER_YARD)
            if strike:
                hit = within_circle(strip(centre, view.own(mission, Marker).heading, depth, width), place, radius)
            else:
                far = self.reach(spotted=self._spotted(view, mission)) + radius
                hit = squared_distance(centre, place) <= far**2
            return Fraction(int(hit))
        bases = self.bases_at(view, place)
        if strike:
            ground = strip(centre, view.own(mission, Marker).heading, depth, width)
            return Fraction(int(any(rectangles_touch(ground, base) for base in bases)))
        yards = self.reach(spotted=self._spotted(view, mission))
        return Fraction(int(any(in_barrage(base, centre, yards) for base in bases)))

    def footprint(self, view: View, mission: str) -> tuple[tuple[Place, ...], float]:
        """The impact alone, for the plane has no cells, and the area of circle or strip (6.2.b, 6.2.c, 6.2.j)."""
        if view.facts(mission, Chit) is Chit.AIR_STRIKE:
            area = float(self.number("strike_depth_yards") * self.options["strip_width"])
        else:
            area = math.pi * self.reach(spotted=self._spotted(view, mission)) ** 2
        return (view.mission(mission).impact,), area / SQUARE_YARDS_PER_HECTARE

    def shape(self, view: View, mission: str) -> tuple[tuple[tuple[float, float], ...], ...]:
        """The circle, or the corners of the strip."""
        middle = view.mission(mission).impact
        if view.facts(mission, Chit) is not Chit.AIR_STRIKE:
            return (_circle(middle, self.reach(spotted=self._spotted(view, mission))),)
        east, south = view.own(mission, Marker).heading
        scale = 2 * math.hypot(east, south)
        long, wide = self.number("strike_depth_yards") / scale, self.options["strip_width"] / scale
        corners = ((1, 1), (1, -1), (-1, -1), (-1, 1))
        return (
            tuple(
                _metres(middle, a * long * east - b * wide * south, a * long * south + b * wide * east)
                for a, b in corners
            ),
        )

    def outline(self, place: Place) -> tuple[tuple[float, float], ...]:
        """A marker's own size: ten yards about its centre."""
        return _circle(place, 10)


def _metres(middle: Point, east: float, south: float) -> tuple[float, float]:
    yard = float(METRES_PER_YARD)
    return (middle[0] + east) * yard, (middle[1] + south) * yard


def _circle(middle: Point, radius: int) -> tuple[tuple[float, float], ...]:
    """A circle for pictures, as a polygon in metres; rules decide on the exact one."""
    turns = (2 * math.pi * k / CORNERS for k in range(CORNERS))
    return tuple(_metres(middle, radius * math.cos(turn), radius * math.sin(turn)) for turn in turns)
