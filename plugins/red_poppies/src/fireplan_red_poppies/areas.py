"""Areas of Red Poppies: accuracy, strays along a spine, and the three hexes about a vertex (7.242 to 7.248).

Troops stand on hexes; aims and impacts are vertices. The marker lies until administration. Massed
fire strikes lines of hexes instead, which a creeping barrage walks over (7.4). What fire does to
the units under it is the resolution's business.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import ClassVar

from fireplan_core import (
    Form,
    Keeps,
    Modifier,
    Place,
    Refusal,
    Setup,
    Slot,
    Staging,
    View,
    cycle,
    orders,
)
from fireplan_core.chance import Chance, d6
from fireplan_core.mission import FireLimit, Reason, Stage
from fireplan_core.ready_parts import HexAreas
from fireplan_core.record import COUNT, kept, record
from fireplan_core.space import Hex, Vertex, VertexFrame, spines, stray, vertices_of
from fireplan_core.steps.effects import Effects, ask, emit, push, step, update
from fireplan_red_poppies.ground import HEX_M, ONE_MAP, is_hex
from fireplan_red_poppies.massed import Massed, massed_fire
from fireplan_red_poppies.setup import Group, Staged
from fireplan_red_poppies.troops import Field

MIDDLE = "N18"


@record
class Marker:
    """A group's marker: minutes that its fire for effect still lies."""

    minutes: Fraction = kept(Fraction(0), "minutes that the fire for effect still lies", "7.247")


@record
class Registration:
    """Of a group at a vertex: whether it has hit it before (7.242)."""

    hit: bool = kept(False, "whether the group has hit this vertex before", "7.242")


@record
class BarrageProgress:
    """A creeping barrage: which of its lines is under fire, and how often it has struck this turn."""

    line: int = kept(
        0, "the line of the barrage that is under fire, counted from 0", "7.42", between=COUNT
    )
    struck: int = kept(0, "how often it has struck this turn", "7.42", between=COUNT)


class RedPoppiesAreas(Staged, HexAreas):
    """A vertex, three hexes, until the end of the turn."""

    keeps = Keeps(assets=((Marker, BarrageProgress),), assets_at=(Registration,))
    of_group, of_massed = Marker(), BarrageProgress()
    cites: ClassVar[Mapping[str, str]] = {
        "spotting": "7.242",
        "fall": "7.245",
        "lingering": "7.247",
    }

    places = VertexFrame(HEX_M, ONE_MAP)

    def middle(self) -> Place:
        """Return a hex well inside the map."""
        return self.frame().parse(MIDDLE)

    def aim_at(self, place: Place) -> tuple[Place, ...]:
        """Return the corners of a hex, southern first.

        Or a vertex itself and the far ends of its spines (7.221).
        """
        if not is_hex(place):
            return (place, *(far for _, far in spines(place)))
        return tuple(sorted(vertices_of(place), key=self._from_south))

    def _from_south(self, vertex: Vertex) -> tuple[int, Vertex]:
        return -round(self.places.metres(vertex)[1]), vertex

    # --- setting up ------------------------------------------------------------------------------
    def stage(self, staging: Staging) -> None:
        """Aim at the corner that covers most of the target, of equal ones the nearest and farthest south."""
        places = staging.target_places()
        corners = dict.fromkeys(corner for place in places for corner in self.aim_at(place))
        staging.aim_point = min(
            corners,
            key=lambda v: (
                -len(set(v) & set(places)),
                self.places.gap(v, staging.centre),
                self._from_south(v),
            ),
        )
        super().stage(staging)

    # --- accuracy --------------------------------------------------------------------------------
    def modifiers(self) -> tuple[Modifier, ...]:
        """Return the two modifiers of the accuracy die.

        The option ``accuracy_modifiers`` says whether they add.
        """
        return (
            Modifier(
                "accuracy", "7.242, 7.3", "preregistered or hit before by this group", self._known
            ),
            Modifier(
                "accuracy", "7.242, 8.43", "side controls a hex of the top level", self._height
            ),
        )

    def _known(self, view: View, mission: str) -> int:
        aim = _aim(view, mission)
        known = (
            aim == view.facts(mission, Group).preregistered
            or view.own_at(mission, aim, Registration).hit
        )
        return self.number("known_point_drm") if known else 0

    def _height(self, view: View, mission: str) -> int:
        declared = (
            self.options["high_ground"]
            or view.side(mission) in view.facts(mission, Group).forces.high_ground
        )
        if not declared and view.side(mission) not in {
            side for _, side in view.peek_shared(Field).heights
        }:
            return 0
        alone = self.options["accuracy_modifiers"] == "max_one"
        return 0 if alone and self._known(view, mission) else self.number("high_ground_drm")

    @step(cite="7.242")
    def land(self, chance: Chance, view: View, mission: str) -> Effects:
        """Roll the accuracy die: on the aim, or astray.

        Massed fire has none: it strikes its line.
        """
        if massed_fire(view, mission) is not None:
            return Effects(push(self.line, mission))
        roll = chance.dice("accuracy", white=d6)
        if roll.total + chance.drm(roll) <= self.number("on_target"):
            return Effects(push(cycle.landed, mission, _aim(view, mission)))
        return Effects(
            emit("stray", "7.242", mission=mission), ask(view.side(mission), self.spine, mission)
        )

    @step(cite="7.41, 7.42")
    def line(self, chance: Chance, view: View, mission: str) -> Effects:
        """Strike a line: at the first couplet of a turn the present one, at the second the next."""
        massed, progress = view.facts(mission, Massed), view.own(mission, BarrageProgress)
        number = progress.line + int(progress.struck > 0)
        if number >= len(massed.lines):
            return Effects(push(cycle.close, mission, Reason.DELIVERED, "7.42"))
        return Effects(
            update(progress, line=number, struck=progress.struck + 1),
            push(cycle.landed, mission, massed.lines[number].at),
        )

    @orders(cite="7.243")
    def spine(self, view: View, mission: str) -> Iterator[Form]:
        """Ask which spine the firer names first, before the error die."""
        meaning = "the spine for 1 and 2; the others follow clockwise"
        names = tuple(name for name, _ in spines(_aim(view, mission)))
        why = Refusal.of("7.243", "spines", names=names)
        first = Slot("first", meaning, names, why)
        yield Form("name", "7.243", (first,), lambda first: push(self.stray, mission, first))

    @step(cite="7.243, 7.244")
    def stray(self, chance: Chance, view: View, mission: str, first: str) -> Effects:
        """Roll the error die: one vertex along the spine named first, the next clockwise, or the last."""
        aim = _aim(view, mission)
        roll = chance.dice("error", white=d6)
        return Effects(
            push(cycle.landed, mission, roll.total.look_up(lambda die: stray(aim, first, die)))
        )

    # --- the marker ------------------------------------------------------------------------------
    @step(cite="7.242, 7.247")
    def fallen(self, chance: Chance, view: View, mission: str) -> Effects:
        """Place the marker until the turn is over; its vertex counts as hit from now on."""
        massed = massed_fire(view, mission)
        if massed is not None:
            return (
                Effects(push(cycle.close, mission, Reason.DELIVERED, "7.11"))
                if massed.before
                else Effects()
            )
        now = view.mission(mission)
        by_aim = self.options["hit_before"] == "aim_point" and now.aim is not None
        point = _aim(view, mission) if by_aim else now.impact
        hit = update(view.own_at(mission, point, Registration), hit=True)
        return Effects(
            update(view.own(mission, Marker), minutes=Fraction(self.number("turn_minutes"))), hit
        )

    def fire_limit(self, scenario: Setup, mission: str, moments: int) -> FireLimit:
        """Return once in a turn (7.247).

        A bombardment once in all (7.11), a barrage with some couplets (7.42).

        A barrage that strikes with one couplet a turn stays on its line, however many there are.
        """
        massed = scenario.missions[mission].facts.get(self.word)
        if not isinstance(massed, Massed):
            return FireLimit(moments)
        couplets = self.number("barrage_couplets")
        turns = min(moments, len(massed.lines)) if couplets > 1 else moments
        return FireLimit(1 if massed.before else couplets * turns)

    def lasts(self, view: View, mission: str) -> bool:
        """Return whether a marker lies on the map, or a barrage is on."""
        stage, massed = view.mission(mission).stage, massed_fire(view, mission)
        if massed is None:
            return stage in (Stage.FALLING, Stage.LINGERING)
        return not massed.before and stage not in (Stage.IDLE, Stage.ENDED)

    @step(cite="5.3, 7.247, 7.44, 7.45")
    def moment(self, chance: Chance, view: View, mission: str) -> Effects:
        """Remove the marker at administration.

        In moments shorter than a turn it lies for ten minutes.
        """
        if massed_fire(view, mission) is not None:
            return self._barrage_advances(view, mission)
        marker = view.own(mission, Marker)
        left = marker.minutes - view.scenario.clock.minutes
        if left <= 0:
            return Effects(push(cycle.close, mission, Reason.DELIVERED, "5.3"))
        lying = Effects(update(marker, minutes=left))
        if view.mission(mission).stage is Stage.LINGERING:
            return lying
        return Effects(lying, push(cycle.linger, mission))

    def _barrage_advances(self, view: View, mission: str) -> Effects:
        """Move a barrage that struck less than twice this turn forward without effect, or end it (7.44, 7.45)."""
        now, progress = view.mission(mission), view.own(mission, BarrageProgress)
        massed = view.facts(mission, Massed)
        number = progress.line + int(progress.struck < self.number("barrage_couplets"))
        done = massed.advances is not None and number >= massed.advances
        if done or number >= len(massed.lines):
            return Effects(push(cycle.close, mission, Reason.DELIVERED, "7.44"))
        again = Effects(update(progress, line=number, struck=0))
        if number == progress.line:
            return again
        at = massed.lines[number].at
        return Effects(
            again, update(now, impact=at), emit("advance", "7.44", mission=mission, impact=at)
        )

    @step(cite="5.3")
    def closed(self, chance: Chance, view: View, mission: str) -> Effects:
        """Remove the marker, and with it where it lay: the next call begins anew (7.248)."""
        if massed_fire(view, mission) is not None:
            return Effects()
        return Effects(
            self.ceased(chance, view, mission, Stage.ENDED),
            update(view.mission(mission), impact=None),
        )

    @step(cite="5.3")
    def ceased(self, chance: Chance, view: View, mission: str, _stage: Stage) -> Effects:
        """Remove the marker."""
        return Effects(update(view.own(mission, Marker), minutes=Fraction(0)))

    # --- what it covers --------------------------------------------------------------------------
    def covered(self, view: View, mission: str) -> tuple[Hex, ...]:
        """Return the hexes of the line, or the three about the impact."""
        impact, massed = view.mission(mission).impact, massed_fire(view, mission)
        return impact if massed is None else massed.line_at(impact).hexes

    def ahead(self, view: View, mission: str) -> tuple[tuple[tuple[float, float], ...], ...]:
        """Return the line of a barrage that comes after the present one (7.42, 7.44).

        Nothing of other fire.
        """
        massed, after = massed_fire(view, mission), view.own(mission, BarrageProgress).line + 1
        if (
            massed is None
            or after >= len(massed.lines)
            or view.mission(mission).stage in (Stage.IDLE, Stage.ENDED)
        ):
            return ()
        return tuple(self.outline(cell) for cell in massed.lines[after].hexes)

    def on_map(self, view: View, cell: Hex) -> bool:
        """Return whether fire can hit a hex: beyond the map's edge nothing is hit (7.245)."""
        return view.frame.on_map(cell)


def _aim(view: View, mission: str) -> Place:
    """Return the vertex under the cross hair; where only a hex was named, its natural corner."""
    aim = view.mission(mission).aim
    return view.aim_at(aim)[0] if is_hex(aim) else aim
