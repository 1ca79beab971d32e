"""Areas of Red Poppies: accuracy, strays along a spine, and the three hexes about a vertex (7.242 to 7.248).

Troops stand on hexes; aims and impacts are vertices. The marker lies until administration. What fire does to
the units under it is the resolution's business.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import sqrt
from typing import ClassVar

import attrs

from fireplan.chance import Chance, d6
from fireplan.mission import (
    Areas,
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
    Then,
    View,
    ask,
    push,
    put,
    record,
    step,
    tell,
)
from fireplan.space import (
    Layout,
    VertexFrame,
    lettered_columns,
    spines,
    stray,
    vertex_centre,
    vertices_of,
)

HEX_M = 182.88
"""Metres between hex centres: 200 yards (2.2)."""

TURN_MINUTES = Fraction(10)
"""How long a turn is, and so a marker placed in it lies at most (5.0, 7.247)."""

ON_TARGET = 2
"""A final accuracy die of this or less lands on the aim (7.242)."""

MAP = Layout(lettered_columns(52), (1, 34), (1, 34), digits=2)
"""A stand-in for a volume's maps: their labels, but bounds of our own. B, D, .. stand half a hex lower."""

MIDDLE = "N18"


@record
class Marker:
    """A group's marker: minutes that its fire for effect still lies, and the vertices its fire has hit."""

    minutes: Fraction = Fraction(0)
    hit: tuple[Place, ...] = ()


@attrs.frozen
class Laying:
    """What bears on a group's accuracy beforehand: its preregistered vertex, if it has one (7.3)."""

    preregistered: Place


class RedPoppiesAreas(Areas):
    """A vertex, three hexes, until the end of the turn."""

    cites: ClassVar[Mapping[str, str]] = {"spotting": "7.242", "fall": "7.245", "lingering": "7.247"}

    def frame(self) -> VertexFrame:
        """Hexes of 200 yards, with their corners."""
        return VertexFrame(HEX_M, MAP)

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

    @staticmethod
    def _known(view: View, mission: str) -> int:
        aim = _aim(view, mission)
        return -int(aim == view.facts(mission, Laying).preregistered or aim in view.own(mission, Marker).hit)

    def _height(self, view: View, mission: str) -> int:
        if not self.options["high_ground"]:
            return 0
        return 0 if self.options["accuracy_modifiers"] == "max_one" and self._known(view, mission) else -1

    @step(cite="7.242")
    def land(self, chance: Chance, view: View, mission: str) -> Then:
        """The accuracy die: on the aim, or astray."""
        roll = chance.dice("accuracy", white=d6)
        if roll.total + chance.drm(roll) <= ON_TARGET:
            return Then(push("core.landed", mission, _aim(view, mission)))
        return Then(
            tell("stray", "7.242", mission=mission),
            ask(view.side(mission), "spine", mission, then="stray"),
        )

    @step(cite="7.243, 7.244")
    def stray(self, chance: Chance, view: View, mission: str, order: Order) -> Then:
        """The error die: one vertex along the spine named first, the next clockwise, or the last."""
        aim = _aim(view, mission)
        roll = chance.dice("error", white=d6)
        far = roll.total.look_up(lambda die: stray(aim, order["first"], die))
        return Then(push("core.landed", mission, far))

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
    def fallen(self, _chance: Chance, view: View, mission: str) -> Then:
        """The marker lies until the turn is over; its vertex counts as hit from now on."""
        now, marker = view.mission(mission), view.own(mission, Marker)
        by_aim = self.options["hit_before"] == "aim_point" and now.aim is not None
        point = _aim(view, mission) if by_aim else now.impact
        hit = marker.hit if point in marker.hit else tuple(sorted((*marker.hit, point)))
        return Then(put(marker, minutes=TURN_MINUTES, hit=hit))

    @step(cite="5.3, 7.247")
    def moment(self, _chance: Chance, view: View, mission: str) -> Then:
        """Administration removes the marker; in moments shorter than a turn it lies for ten minutes."""
        stage = view.mission(mission).stage
        if stage not in (Stage.FALLING, Stage.LINGERING):
            return Then()
        marker = view.own(mission, Marker)
        left = marker.minutes - view.scenario.clock.minutes
        if left <= 0:
            return Then(push("core.close", mission, Reason.DELIVERED, "5.3"))
        lying = put(marker, minutes=left)
        return Then(lying, push("core.linger", mission)) if stage is Stage.FALLING else Then(lying)

    @step(cite="5.3")
    def closed(self, _chance: Chance, view: View, mission: str) -> Then:
        """The marker is gone."""
        return Then(put(view.own(mission, Marker), minutes=Fraction(0)))

    @step(cite="5.3")
    def ceased(self, _chance: Chance, view: View, mission: str, _stage: Stage) -> Then:
        """The marker is gone."""
        return Then(put(view.own(mission, Marker), minutes=Fraction(0)))

    # --- what it covers --------------------------------------------------------------------------
    def covers(self, view: View, mission: str, place: Place, extent: Fraction) -> Fraction:
        """The share of the place's hexes that meet at the impact; beyond the map's edge nothing is hit (7.245)."""
        impact = view.mission(mission).impact
        if impact is None:
            return Fraction(0)
        cells = self.frame().cells(place, float(extent))
        return Fraction(sum(cell in impact and MAP.on_map(cell) for cell in cells), len(cells))

    def footprint(self, view: View, mission: str) -> tuple[tuple[Place, ...], float]:
        """The three hexes about the impact, 2.9 hectares each, though an edge of the map may cut them."""
        cells: tuple[Place, ...] = view.mission(mission).impact
        return cells, len(cells) * sqrt(3) / 2 * HEX_M**2 / 10_000

    def outline(self, place: Place) -> tuple[tuple[float, float], ...]:
        """The six corners of a hex; of a vertex the triangle between the middles of its three hexes, in metres."""
        corners = vertices_of(place) if len(place) == 2 else place
        return tuple(self.frame().metres(corner) for corner in corners)


def _aim(view: View, mission: str) -> Place:
    """The vertex under the cross hair; where only a hex was named, its natural corner."""
    aim = view.mission(mission).aim
    return aim if len(aim) == 3 else view.scenario.parts.areas.aim_at(aim)[0]
