"""Areas: the ground that a barrage or air strike covers, and how long its marker stays.

Fire never scatters in this game.
"""

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import partial
from typing import ClassVar

from fireplan_core import (
    Areas,
    FireLimit,
    Form,
    Keeps,
    Place,
    Refusal,
    Setup,
    Slot,
    View,
    cycle,
    defaults,
    orders,
)
from fireplan_core.chance import Chance
from fireplan_core.mission import FireKind, Intent, Reason, Stage
from fireplan_core.space import SQUARE_METRES, Outline, PlaneFrame, PlaneRectangle, squared_distance
from fireplan_core.steps.effects import Effects, ask, emit, push, step, update
from fireplan_core.steps.view import Footprint
from fireplan_miniatures_1943.bases import METRES_PER_YARD, BaseProfile, footprint
from fireplan_miniatures_1943.chits import (
    HEADINGS,
    Chit,
    ChitMarker,
    beyond,
    flies,
    reach,
    strip,
)
from fireplan_miniatures_1943.geometry import corners, rectangles_touch, within_circle
from fireplan_miniatures_1943.setup import Staged

YARD = float(METRES_PER_YARD)
"""Length of a yard, in metres."""

SQUARE_YARDS_PER_HECTARE = SQUARE_METRES / YARD**2
"""Number of square yards in a hectare."""


class M1943Areas(Staged, Areas):
    """The areas part: circles and strips, measured exactly against the rectangles of bases.

    A place is the centre of a base. A place without one of this game's bases is measured as a base
    with the footprint of the option ``base``, facing the firer. A unit with an extent (in metres)
    counts as a circle of that radius, rounded to the nearest yard.
    """

    publishes = (ChitMarker,)
    keeps = Keeps(assets=(ChitMarker,))
    weighs_aim = False
    kinds = (FireKind.HE, FireKind.SMOKE)
    cites: ClassVar[Mapping[str, str]] = {
        "spotting": "6.2.a",
        "fall": "6.2.e",
        "lingering": "6.2.f",
    }
    miss_not_modelled = (
        "a marker never scatters: it lands exactly where its player places it (6.2.a)"
    )

    def frame(self) -> PlaneFrame:
        """Return the coordinate frame of the table, in yards."""
        return PlaneFrame(YARD)

    @orders(cite="6.2.j")
    def heading(self, view: View, mission: str) -> Iterator[Form]:
        """Yield the order that sets the heading of an air strike (6.2.j).

        By default the strike flies along the target's front.
        """
        meaning = "its heading, as yards east and yards south"
        along = Slot("along", meaning, HEADINGS, free=True)
        yield Form("head", "6.2.j", (along,), partial(self._set_heading, view, mission))

    # --- placing ---------------------------------------------------------------------------------
    @step(cite="6.2.a, 6.2.i, 6.4.c, 6.4.d")
    def land(self, chance: Chance, view: View, mission: str) -> Effects:
        """Place the marker, which never scatters.

        The owner of an air strike sets its heading first. A smoke screen forms at once and is as
        large as the barrage would be.
        """
        if flies(view, mission):
            return Effects(ask(view.side(mission), self.heading, mission))
        now, marker = view.mission(mission), view.own(mission, ChitMarker)
        aim = now.aim
        spotted = view.sees(mission, aim).ground
        yards = reach(self, spotted=spotted)
        if now.kind is FireKind.SMOKE and now.intent is Intent.EFFECT:
            return Effects(
                update(now, stage=Stage.LINGERING, intent=None, impact=aim),
                update(marker, spotted=spotted, left=self._minutes(self.number("smoke_turns"))),
                emit("smoke", "6.4.c", mission=mission, at=aim, yards=yards),
            )
        return Effects(
            update(marker, spotted=spotted),
            emit("placed", "6.2.b" if spotted else "6.2.c", mission=mission, at=aim, yards=yards),
            self._waits(view, mission),
        )

    def _set_heading(self, view: View, mission: str, along: tuple[int, int]) -> Effects | Refusal:
        if [type(part) for part in along] != [int, int] or not any(along):
            return Refusal.of("6.2.j", "no_direction", along=repr(along))
        return Effects(
            update(view.own(mission, ChitMarker), heading=along),
            emit("placed", "6.2.j", mission=mission, at=view.mission(mission).aim, heading=along),
            self._waits(view, mission),
        )

    @staticmethod
    def _waits(view: View, mission: str) -> Effects:
        """Return the effects of placing a marker, which waits for its owner's fire phase (6.2.d).

        A spotting round does not wait: it lands at once.
        """
        now = view.mission(mission)
        if now.intent is Intent.EFFECT:
            return Effects(update(view.own(mission, ChitMarker), placed=True))
        return Effects(push(cycle.landed, mission, now.aim))

    def _minutes(self, turns: int) -> Fraction:
        return Fraction(turns * self.options["turn_minutes"])

    def fire_limit(self, scenario: Setup, mission: str, moments: int) -> FireLimit:
        """Return the maximum number of barrages of a chit (6.2.d), and the first possible turn.

        A chit has one barrage, or one each turn if chits are renewed. A dummy has none. A chit in
        hand is placed in the first turn at the earliest, and moves one box in each later turn; a
        chit placed before play moves in the first turn too (6.1.f, S.e).
        """
        setup = scenario.missions[mission]
        chit, start = setup.facts["delays"], setup.slots["delays"].start
        if chit.kind is Chit.DUMMY:
            return FireLimit(0)
        earliest = chit.boxes + 1 if start is None else max(0, start - 1)
        renewed = self.options["supply"] == "renewed"
        return FireLimit(moments if renewed else 1, earliest=earliest)

    def fire_chance(self, scenario: Setup, mission: str) -> Fraction | None:
        """Return the chance that an air strike's side wins the air superiority roll (S.a, S.b).

        The roll comes before play. Other chits, and strikes without such a roll, can always fire.
        """
        setup = scenario.missions[mission]
        phases = scenario.shared["delays"]
        if setup.facts["delays"].kind is not Chit.AIR_STRIKE or not phases.axis:
            return None
        faces = range(1, 7)
        leads = [axis + phases.modifier - allies for axis in faces for allies in faces]
        wins = sum(lead > 0 if setup.side == phases.axis else lead < 0 for lead in leads)
        return Fraction(wins, len(leads))

    def cover_limit(self, scenario: Setup, mission: str, cell: Place) -> int | None:
        """Return 0 for a place that a barrage on its own target cannot reach, otherwise None.

        A marker is offered only on its target (6.2.a). Every base of the scenario is measured at
        the place, because any of them may move there.
        """
        return 0 if beyond(self, scenario, mission, cell, scenario.units) else None

    def contradictions(self, view: View) -> Iterator[str]:
        """Yield a fault for each marker that is still to be resolved and has no place."""
        for mission in view.missions:
            if view.own(mission, ChitMarker).placed and view.mission(mission).aim is None:
                yield f"{mission}: its marker is still to be resolved (placed), but lies nowhere: set aim (6.2.d)"

    # --- the fire phase and after ----------------------------------------------------------------
    @step(cite="6.2.d, 6.2.i")
    def moment(self, chance: Chance, view: View, mission: str) -> Effects:
        """Resolve a marker in the fire phase, then end the turn.

        A side with its own turn has already resolved its markers.
        """
        return Effects(push(self.fire_phase, mission), push(self.lift, mission))

    @step(cite="6.2.d, 6.2.i")
    def fire_phase(self, chance: Chance, view: View, mission: str) -> Effects:
        """Resolve a mission's marker in the fire phase, if one has been placed."""
        marker = view.own(mission, ChitMarker)
        if not marker.placed:
            return Effects()
        aim = view.mission(mission).aim
        landed = push(cycle.landed, mission, aim)
        if self.options["spotting"] == "fire phase" and marker.spotted is not None:
            return Effects(
                update(marker, placed=False, spotted=view.sees(mission, aim).ground), landed
            )
        return Effects(update(marker, placed=False), landed)

    @step(cite="6.2.d, 6.2.k")
    def fallen(self, chance: Chance, view: View, mission: str) -> Effects:
        """Set how long the marker stays: as many turns as an option says.

        The marker of an air strike stays for this phase only.
        """
        turns = 0 if flies(view, mission) else self.options["duration_turns"]
        return Effects(update(view.own(mission, ChitMarker), left=self._minutes(turns)))

    @step(cite="6.2.g, 6.2.k")
    def lift(self, chance: Chance, view: View, mission: str) -> Effects:
        """End the turn for a marker on the table: it lingers, or is removed once it has expired."""
        now = view.mission(mission)
        stage = now.stage
        if stage not in (Stage.FALLING, Stage.LINGERING):
            return Effects()
        marker = view.own(mission, ChitMarker)
        remaining = marker.left - view.scenario.clock.minutes
        if remaining > 0:
            lingers = (push(cycle.linger, mission),) if stage is Stage.FALLING else ()
            return Effects(update(marker, left=remaining), *lingers)
        if flies(view, mission):
            cite = "6.2.k"
        elif now.kind is FireKind.SMOKE:
            cite = "6.4.d"
        else:
            cite = "6.2.d"
        reason = Reason.DELIVERED if self.options["supply"] == "renewed" else Reason.EXHAUSTED
        return Effects(push(cycle.close, mission, reason, cite))

    @step(cite="6.2.a")
    def ceased(self, chance: Chance, view: View, mission: str, stage: Stage) -> Effects:
        """Remove the marker of a mission whose fire has ceased."""
        return self.closed(chance, view, mission)

    @step(cite="6.2.a")
    def closed(self, chance: Chance, view: View, mission: str) -> Effects:
        """Remove the marker of a closed mission."""
        return Effects(update(view.own(mission, ChitMarker), **defaults(ChitMarker)))

    # --- coverage --------------------------------------------------------------------------------
    def _reach(self, view: View, mission: str) -> int:
        """Return the radius of a barrage, in yards.

        Until its marker is placed, the radius depends on the line of sight to its impact.
        """
        spotted = view.own(mission, ChitMarker).spotted
        if spotted is None:
            spotted = view.sees(mission, view.mission(mission).impact).ground
        return reach(self, spotted=bool(spotted))

    def _strip(self, view: View, mission: str) -> PlaneRectangle:
        return strip(self, view.mission(mission).impact, view.own(mission, ChitMarker).heading)

    def _ground_at(self, view: View, place: Place) -> tuple[PlaneRectangle, ...]:
        """Return the rectangles of the bases centred on a place, or of one standard base."""
        facts = (view.scenario.units[unit].facts.get("resolution") for unit in view.units_at(place))
        frontage, depth = footprint(self.options["base"])
        standard = BaseProfile(personnel=True, length=depth, width=frontage)
        return tuple(
            profile.at(place) for profile in facts if isinstance(profile, BaseProfile)
        ) or (standard.at(place),)

    def covers(self, view: View, mission: str, place: Place, extent: Fraction) -> Fraction:
        """Return 1 for a base wholly or partly inside the area (6.2.e), otherwise 0."""
        centre = view.mission(mission).impact
        if centre is None or place is None:
            return Fraction(0)
        radius = round(extent / METRES_PER_YARD)
        bases = () if extent else self._ground_at(view, place)
        if flies(view, mission):
            ground = self._strip(view, mission)
            hit = (
                within_circle(ground, place, radius)
                if extent
                else any(rectangles_touch(ground, base) for base in bases)
            )
        else:
            yards = self._reach(view, mission)
            near = squared_distance(centre, place) <= (yards + radius) ** 2
            hit = near if extent else any(within_circle(base, centre, yards) for base in bases)
        return Fraction(int(hit))

    def footprint(self, view: View, mission: str) -> Footprint:
        """Return the impact (a table has no cells) and the hectares covered (6.2.b, 6.2.j)."""
        if flies(view, mission):
            ground = self._strip(view, mission)
            area = float(ground.length * ground.width)
        else:
            area = math.pi * self._reach(view, mission) ** 2
        return (view.mission(mission).impact,), area / SQUARE_YARDS_PER_HECTARE

    def shape(self, view: View, mission: str) -> tuple[Outline, ...]:
        """Return the outline of the circle or the strip, in metres."""
        if flies(view, mission):
            ground = corners(self._strip(view, mission))
            return (tuple((float(x) * YARD, float(y) * YARD) for x, y in ground),)
        return (self.frame().circle(view.mission(mission).impact, self._reach(view, mission)),)
