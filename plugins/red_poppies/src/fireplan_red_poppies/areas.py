"""Areas of Red Poppies: accuracy, strays along a spine, and the three hexes about a vertex (7.242 to 7.248).

Troops stand on hexes; aims and impacts are vertices. The marker lies until administration. Massed fire strikes
lines of hexes instead, which a creeping barrage walks over (7.4). What fire does to the units under it is the
resolution's business.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import sqrt
from typing import ClassVar

import attrs

from fireplan_core import (
    Areas,
    Effects,
    Form,
    Modifier,
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
    record,
    step,
    update,
)
from fireplan_core.chance import Chance, d6
from fireplan_core.space import VertexFrame, spines, stray, vertex_centre, vertices_of
from fireplan_red_poppies._ground import ONE_MAP
from fireplan_red_poppies._massed import Massed

HEX_M = 182.88
"""Metres between hex centres: 200 yards (2.2)."""

TURN_MINUTES = Fraction(10)
"""How long a turn is, and so a marker placed in it lies at most (5.0, 7.247)."""

MIDDLE = "N18"


@record
class Marker:
    """A group's marker: minutes that its fire for effect still lies."""

    minutes: Fraction = Fraction(0)


@record
class Registered:
    """Of a group at a vertex: whether it has hit it before (7.242)."""

    hit: bool = False


@record
class Control:
    """Who controls each hex of the map's top level: by set-up, then by whoever was last there alone (3.9)."""

    heights: tuple[tuple[Place, str], ...] = ()


@record
class Curtain:
    """A creeping barrage: which of its lines is under fire, and how often it has struck this turn."""

    line: int = 0
    struck: int = 0


@attrs.frozen
class Laying:
    """What bears on a group's accuracy beforehand: its preregistered vertex, if any (7.3), and high ground (7.242)."""

    preregistered: Place
    high_ground: bool = False


class RedPoppiesAreas(Areas):
    """A vertex, three hexes, until the end of the turn."""

    cites: ClassVar[Mapping[str, str]] = {"spotting": "7.242", "fall": "7.245", "lingering": "7.247"}

    def frame(self) -> VertexFrame:
        """Hexes of 200 yards, with their corners."""
        return VertexFrame(HEX_M, ONE_MAP)

    def middle(self) -> Place:
        """A hex well inside the map."""
        return self.frame().parse(MIDDLE)

    def aim_at(self, place: Place) -> tuple[Place, ...]:
        """The corners of a hex, southern first; or a vertex itself and the far ends of its spines (7.221)."""
        if len(place) == 3:
            return (place, *(far for _, far in spines(place)))
        return tuple(sorted(vertices_of(place), key=lambda v: (-round(vertex_centre(v, 2.0)[1], 6), v)))

    def stage(self, staging: Staging) -> None:
        """Aim at the corner that covers most of the target, of equal ones the nearest and farthest south."""
        places = staging.target_places()
        frame = self.frame()
        corners = dict.fromkeys(corner for place in places for corner in self.aim_at(place))
        aim = min(
            corners,
            key=lambda v: (
                -len(set(v) & set(places)), frame.gap(v, staging.centre), -round(frame.metres(v)[1], 3), v
            ),
        )  # fmt: skip
        staging.aim_point = aim
        registered = aim if staging.engagement.asset.preregistered else None
        for mission in staging.assets:
            staging.mission(mission, self.word, Marker(), Laying(registered))

    # --- accuracy --------------------------------------------------------------------------------
    def modifiers(self) -> tuple[Modifier, ...]:
        """The two modifiers of the accuracy die; the option ``accuracy_modifiers`` says whether they add."""
        return (
            Modifier("areas.accuracy", "7.242, 7.3", "preregistered or hit before by this group", self._known),
            Modifier("areas.accuracy", "7.242, 8.43", "side controls a hex of the top level", self._height),
        )

    def _known(self, view: View, mission: str) -> int:
        aim = _aim(view, mission)
        known = aim == view.facts(mission, Laying).preregistered or view.own_at(mission, aim, Registered).hit
        return self.number("known_point_drm") if known else 0

    def _height(self, view: View, mission: str) -> int:
        declared = self.options["high_ground"] or view.facts(mission, Laying).high_ground
        if not declared and view.side(mission) not in {side for _, side in view.shared(Control).heights}:
            return 0
        alone = self.options["accuracy_modifiers"] == "max_one"
        return 0 if alone and self._known(view, mission) else self.number("high_ground_drm")

    @step(cite="7.242")
    def land(self, chance: Chance, view: View, mission: str) -> Effects:
        """The accuracy die: on the aim, or astray. Massed fire has none: it strikes its line."""
        massed = _massed(view, mission)
        if massed is not None:
            return Effects(push("line", mission))
        roll = chance.dice("accuracy", white=d6)
        if roll.total + chance.drm(roll) <= self.number("on_target"):
            return Effects(push("core.landed", mission, _aim(view, mission)))
        return Effects(
            emit("stray", "7.242", mission=mission),
            ask(view.side(mission), "spine", mission, then="stray"),
        )

    @step(cite="7.41, 7.42")
    def line(self, _chance: Chance, view: View, mission: str) -> Effects:
        """The line under fire: at the first couplet of a turn the present one, at the second the next."""
        massed, curtain = view.facts(mission, Massed), view.own(mission, Curtain)
        number = curtain.line + int(curtain.struck == 1)
        if number >= len(massed.lines):
            return Effects(push("core.close", mission, Reason.DELIVERED, "7.42"))
        return Effects(
            update(curtain, line=number, struck=curtain.struck + 1),
            push("core.landed", mission, massed.lines[number].at),
        )

    @step(cite="3.9")
    def occupied(self, _chance: Chance, view: View, place: Place) -> Effects:
        """A hex of the top level has been entered: who is alone there controls it from now on."""
        sides = {view.unit_side(unit) for unit in view.units_at(place)}
        return Effects(*(push("left_to", place, side) for side in sides if len(sides) == 1))

    @step(cite="3.9")
    def left_to(self, _chance: Chance, view: View, place: Place, side: str) -> Effects:
        """A side is alone in a hex of the top level, as it came or as the last enemy there was destroyed."""
        control = view.shared(Control)
        if all(place != at for at, _ in control.heights):
            return Effects()
        held = tuple((at, side if at == place else before) for at, before in control.heights)
        return Effects(update(control, heights=held), emit("control", "3.9", at=place, by=side))

    @step(cite="7.243, 7.244")
    def stray(self, chance: Chance, view: View, mission: str, order: Order) -> Effects:
        """The error die: one vertex along the spine named first, the next clockwise, or the last."""
        aim = _aim(view, mission)
        roll = chance.dice("error", white=d6)
        far = roll.total.look_up(lambda die: stray(aim, order["first"], die))
        return Effects(push("core.landed", mission, far))

    def questions(self) -> Mapping[str, Question]:
        """Which spine the firer names first before the error die."""
        return {"spine": Question(self._spines, self._refuse, self._first)}

    def _spines(self, view: View, mission: str) -> tuple[Form, ...]:
        names = tuple(name for name, _ in spines(_aim(view, mission)))
        slot = Slot("first", "the spine for 1 and 2; the others follow clockwise", names)
        return (Form("name", "7.243", "name the first spine", (slot,)),)

    def _refuse(self, view: View, order: Order, mission: str) -> Refusal | None:
        names = [name for name, _ in spines(_aim(view, mission))]
        if order["first"] in names:
            return None
        return Refusal("7.243", f"the spines of this vertex lead {', '.join(names)}")

    def _first(self, view: View, mission: str) -> Order:
        return Order.of("name", first=spines(_aim(view, mission))[0][0])

    # --- the marker ------------------------------------------------------------------------------
    @step(cite="7.242, 7.247")
    def fallen(self, _chance: Chance, view: View, mission: str) -> Effects:
        """The marker lies until the turn is over; its vertex counts as hit from now on."""
        massed = _massed(view, mission)
        if massed is not None:
            return Effects(push("core.close", mission, Reason.DELIVERED, "7.11")) if massed.before else Effects()
        now = view.mission(mission)
        by_aim = self.options["hit_before"] == "aim_point" and now.aim is not None
        point = _aim(view, mission) if by_aim else now.impact
        hit = update(view.own_at(mission, point, Registered), hit=True)
        return Effects(update(view.own(mission, Marker), minutes=TURN_MINUTES), hit)

    @step(cite="5.3, 7.247")
    def moment(self, _chance: Chance, view: View, mission: str) -> Effects:
        """Administration removes the marker; in moments shorter than a turn it lies for ten minutes."""
        if _massed(view, mission) is not None:
            return Effects(push("rolled", mission))
        stage = view.mission(mission).stage
        if stage not in (Stage.FALLING, Stage.LINGERING):
            return Effects()
        marker = view.own(mission, Marker)
        left = marker.minutes - view.scenario.clock.minutes
        if left <= 0:
            return Effects(push("core.close", mission, Reason.DELIVERED, "5.3"))
        lying = update(marker, minutes=left)
        return Effects(lying, push("core.linger", mission)) if stage is Stage.FALLING else Effects(lying)

    @step(cite="7.44, 7.45")
    def rolled(self, _chance: Chance, view: View, mission: str) -> Effects:
        """The turn is over: a barrage that struck less than twice goes forward without effect, or it ceases."""
        now, curtain = view.mission(mission), view.own(mission, Curtain)
        massed = view.facts(mission, Massed)
        if now.stage in (Stage.IDLE, Stage.ENDED) or massed.before:
            return Effects()
        number = curtain.line + int(curtain.struck < 2)
        done = massed.advances is not None and number >= massed.advances
        if done or number >= len(massed.lines):
            return Effects(push("core.close", mission, Reason.DELIVERED, "7.44"))
        again = update(curtain, line=number, struck=0)
        if number == curtain.line:
            return Effects(again)
        at = massed.lines[number].at
        return Effects(again, update(now, impact=at), emit("advance", "7.44", mission=mission, impact=at))

    @step(cite="5.3")
    def closed(self, _chance: Chance, view: View, mission: str) -> Effects:
        """The marker is gone, and with it where it lay: the next call begins anew (7.248)."""
        if _massed(view, mission) is not None:
            return Effects()
        return Effects(update(view.own(mission, Marker), minutes=Fraction(0)), update(view.mission(mission), impact=None))

    @step(cite="5.3")
    def ceased(self, _chance: Chance, view: View, mission: str, _stage: Stage) -> Effects:
        """The marker is gone."""
        return Effects(update(view.own(mission, Marker), minutes=Fraction(0)))

    # --- what it covers --------------------------------------------------------------------------
    def covers(self, view: View, mission: str, place: Place, extent: Fraction) -> Fraction:
        """The share of the place's hexes that meet at the impact; beyond the map's edge nothing is hit (7.245)."""
        impact = view.mission(mission).impact
        if impact is None or place is None:
            return Fraction(0)
        massed = _massed(view, mission)
        if massed is not None:
            return Fraction(place in massed.line_at(impact).hexes)
        cells = self.frame().cells(place, float(extent))
        layout = view.frame.layout if isinstance(view.frame, VertexFrame) else ONE_MAP
        return Fraction(sum(cell in impact and layout.on_map(cell) for cell in cells), len(cells))

    def footprint(self, view: View, mission: str) -> tuple[tuple[Place, ...], float]:
        """The hexes of the line, or the three about the impact, 2.9 hectares each, though an edge may cut them."""
        impact, massed = view.mission(mission).impact, _massed(view, mission)
        cells: tuple[Place, ...] = impact if massed is None else massed.line_at(impact).hexes
        return cells, len(cells) * sqrt(3) / 2 * HEX_M**2 / 10_000

    def outline(self, place: Place) -> tuple[tuple[float, float], ...]:
        """The six corners of a hex; of a vertex the triangle between the middles of its three hexes, in metres."""
        corners = vertices_of(place) if len(place) == 2 else place
        return tuple(self.frame().metres(corner) for corner in corners)


def _massed(view: View, mission: str) -> Massed | None:
    """The massed fire that a mission stands for; None for a group."""
    found = view.scenario.missions[mission].facts.get("areas")
    return found if isinstance(found, Massed) else None


def _aim(view: View, mission: str) -> Place:
    """The vertex under the cross hair; where only a hex was named, its natural corner."""
    aim = view.mission(mission).aim
    return aim if len(aim) == 3 else view.scenario.parts.areas.aim_at(aim)[0]
