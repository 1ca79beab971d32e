"""The forces at the start of play: groups, massed fire, troops and the record track.

An engagement (in this module) or a scenario file (in ``staging``) becomes a ``Forces``, and every
part of the game sets up its share of it. An engagement has one group for each asset, and companies
for the men on both sides.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cached_property
from math import ceil
from typing import Any, ClassVar, Self

import attrs

from fireplan_core import (
    Charts,
    Engagement,
    Options,
    Part,
    Place,
    Sight,
    Staging,
    Target,
    UnitSetup,
)
from fireplan_core.setups.setup import MissionSetup
from fireplan_core.space import Hex, Vertex
from fireplan_red_poppies.ground import HEX_M, ScenarioMap
from fireplan_red_poppies.massed import Massed
from fireplan_red_poppies.scenario import GroupEntry, ModeName
from fireplan_red_poppies.track import AIRCRAFT, TELEPHONE, TRENCH_SET, RecordTrack, mode
from fireplan_red_poppies.troops import Company, TroopState

MODES: Mapping[str, ModeName] = {
    "radio": "trench_set",
    "telephone": "telephone",
    "runner": "runner",
    "flare": "flare",
}
"""Maps each link of an engagement to a mode of transmission."""

CENTRAL_POWERS = ("austrian", "austro-hungarian", "bulgarian", "german", "ottoman", "turkish")
"""The nationalities that win the initiative on a tie (5.11)."""

HIGH_ANGLE = ("howitzer", "mortar")
"""Weapons against which a trench gives less protection (8.321)."""

QUALITIES = ("green", "average", "veteran")
"""The rows of the chart of companies, in order."""

CUT = (
    "after a bombardment a telephone group never gets its signal through (7.21): "
    "call it by runner, or try to cancel it and hope for accidental fire"
)
"""The note on telephone groups whose wires have been cut."""

UNSEEN_ON_FOOT = Sight(
    ground=False,
    burst=False,
    rule="6.1, 7.21",
    why="no infantry sees it, so none can send a runner",
)


@attrs.frozen(kw_only=True)
class Forces:
    """The forces at the start of play.

    ``heights`` names the side that controls each hex of the top level (3.9); ``high_ground`` lists
    the sides that are declared to control that level.

    An engagement has ``sights`` and no ``ground``; a scenario has the reverse. ``sights`` are the
    lines of sight to the target by the group's own mode, and by infantry that must send a runner
    (7.21).

    ``last_turn`` is the number of the last turn of a scenario, counted from 0; it is None if play
    has no end that a player knows.
    """

    track: RecordTrack
    groups: tuple[GroupEntry, ...]
    units: Mapping[str, UnitSetup]
    massed: tuple[Massed, ...] = ()
    trench: bool = False
    heights: tuple[tuple[Hex, str], ...] = ()
    high_ground: tuple[str, ...] = ()
    ground: ScenarioMap | None = None
    sights: tuple[Sight, Sight] | None = None
    transport: tuple[tuple[str, str], ...] = ()
    last_turn: int | None = None

    def infantry_of(self, side: str) -> tuple[str, ...]:
        """Return the names of a side's infantry units."""
        own = (
            (name, setup.facts["resolution"])
            for name, setup in self.units.items()
            if setup.side == side
        )
        return tuple(name for name, company in own if company.type == "infantry")

    def mode_of(self, group: GroupEntry) -> str:
        """Return a group's own mode: at night an aircraft counts as telephone (7.21, 11.522)."""
        return TELEPHONE if group.mode == AIRCRAFT and self.track.night else group.mode


@attrs.frozen
class Settling:
    """The two vertices at which the fire of a relaxed setup lands.

    Fire that covers ``cell`` lands ``on`` one vertex, and any other fire ``off`` it.
    """

    cell: Hex
    on: Vertex
    off: Vertex


@attrs.frozen(eq=False)
class Group:
    """The constant facts of a group: its entry, the forces that it belongs to, and its vertices.

    ``settling`` is None in every setup that is played (``RedPoppiesAreas.relaxed``).
    """

    entry: GroupEntry
    forces: Forces
    preregistered: Place
    cross_hair: Place
    settling: Settling | None = None

    @classmethod
    def of(cls, entry: GroupEntry, forces: Forces, staging: Staging) -> Self:
        """Return the group for an entry, with its vertices as places in the staged frame."""
        return cls(
            entry, forces, point(staging, entry.preregistered), point(staging, entry.cross_hair)
        )

    @cached_property
    def mode(self) -> str:
        """Return the group's own mode of transmission (7.21)."""
        return self.forces.mode_of(self.entry)

    @cached_property
    def infantry(self) -> tuple[str, ...]:
        """Return the names of the side's infantry, the observers for a call by runner (7.21)."""
        return self.forces.infantry_of(self.entry.side)

    @property
    def units(self) -> tuple[str, ...]:
        """Return the names of the observers for the group's own mode (7.21).

        With a trench set this is the designated company alone, if there is one. Otherwise it is all
        the side's infantry.
        """
        designated = self.mode == TRENCH_SET and self.entry.observer is not None
        return (self.entry.observer or "",) if designated else self.infantry


def endless(setup: MissionSetup, settling: Settling | None = None) -> MissionSetup:
    """Return a group's setup without the last turn, so that no order depends on the turn.

    ``settling`` is where its fire lands in a relaxed setup.
    """
    facts = dict(setup.facts)
    for word, each in setup.facts.items():
        if isinstance(each, Group):
            forces = attrs.evolve(each.forces, last_turn=None)
            facts[word] = attrs.evolve(each, forces=forces, settling=settling)
    return attrs.evolve(setup, facts=facts)


def point(staging: Staging, label: str | None) -> Place:
    """Return the place that a label names, or None if the label is None."""
    return None if label is None else staging.frame.parse(label)


class Staged(Part):
    """A part of Red Poppies, set up the same way for an engagement and for a scenario file.

    ``of_massed`` and ``of_group`` are its initial records of a massed fire and of a group.
    """

    of_massed: ClassVar[Any] = None
    of_group: ClassVar[Any] = None

    def stage(self, staging: Staging) -> None:
        """Set up the engagement; report the faults and notes that concern this part."""
        forces = engaged(staging, self.options, self.charts)
        for word, reason in _unfit(staging.engagement, self.charts):
            if word == self.word:
                staging.cannot(reason)
        self.set_up(staging, forces)
        for word, note in _assumed(staging.engagement, forces, self.charts):
            if word == self.word:
                staging.note(note)

    def set_up(self, staging: Staging, forces: Forces) -> None:
        """Set up this part's records and facts of massed fire and groups."""
        for massed in forces.massed:
            staging.mission(massed.name, self.word, self.of_massed, massed)
        for entry in forces.groups:
            staging.mission(entry.name, self.word, self.of_group, Group.of(entry, forces, staging))


def engaged(staging: Staging, options: Options, charts: Charts) -> Forces:
    """Return an engagement's forces: a group for each asset, and companies on both sides."""
    engagement = staging.engagement
    watch, situation, asset = engagement.observer, engagement.situation, engagement.asset
    flown = AIRCRAFT in (watch.kind, watch.link)
    central = engagement.firer.nationality.lower() in CENTRAL_POWERS
    sides = (staging.firer, staging.target_side)
    target = staging.centre if staging.aim_point is None else staging.aim_point
    label = staging.frame.label
    clear = watch.sight == "clear"
    seen = clear or (flown and not situation.night)
    burst = seen or watch.sight == "burst_only"
    sight = Sight(seen, burst, known_enemy=seen and engagement.target.identified)
    group = GroupEntry(
        name="",
        side=staging.firer,
        mode="aircraft" if flown else MODES[watch.link],
        firepower=firepower(
            asset.calibre_mm, charts, rounding=options["rounding"], before_1897=options["old_guns"]
        ),
        howitzers=asset.weapon in HIGH_ANGLE,
        target=label(target),
        preregistered=label(staging.areas.aim_at(target)[0]) if asset.preregistered else None,
    )
    return Forces(
        track=RecordTrack(
            night=situation.night,
            commands=(situation.commands,),
            sides=(staging.firer,),
            central=sides[not central],
            other=sides[central],
            bombarded=situation.bombardment,
        ),
        groups=tuple(attrs.evolve(group, name=name) for name in staging.assets),
        units=dict(_companies(staging, charts)),
        trench=engagement.target.cover == "trench" or watch.works == "entrenched",
        sights=(sight, sight if clear and watch.kind == "forward" else UNSEEN_ON_FOOT),
    )


def firepower(
    calibre_mm: int, charts: Charts, *, rounding: str = "up", before_1897: bool = False
) -> int:
    """Return the firepower of guns of a calibre in mm (note to 7.0).

    ``rounding`` is ``up`` or ``nearest`` (halves are rounded up). Guns made before 1897 have one
    point less.
    """
    light, step, heavy_step = (
        charts["numbers"][name] for name in ("light_mm", "light_step_mm", "heavy_step_mm")
    )
    points = Fraction(min(calibre_mm, light), step) + Fraction(
        max(calibre_mm - light, 0), heavy_step
    )
    whole = ceil(points) if rounding == "up" else int(points + Fraction(1, 2))
    return whole - int(before_1897)


def unit_setup(
    side: str, place: Place, strength: int, troops: TroopState, company: Company, extent: float = 0
) -> UnitSetup:
    """Return the setup of a unit at the start of play; ``extent`` is half its width in metres."""
    return UnitSetup(
        side, place, strength, Fraction(extent), {"resolution": troops}, {"resolution": company}
    )


def _companies(staging: Staging, charts: Charts) -> Iterator[tuple[str, UnitSetup]]:
    """Yield the companies: the target's men spread over its places, and the firer's men."""
    target, own = staging.engagement.target, staging.engagement.own_troops
    places = staging.target_places()
    shares = _shared_out(target.men, len(places))
    # On ground without hexes, a company is at most one hex wide.
    extent = (
        min(target.frontage_m, target.depth_m, 2 * int(HEX_M / 2)) / 2 if len(places) == 1 else 0
    )
    numbered = enumerate(zip(places, shares, strict=True), start=1)
    bodies = [(f"t{n}", staging.target_side, place, men, target) for n, (place, men) in numbered]
    if staging.own_place is not None and own is not None:
        firer = Target(nationality=staging.engagement.firer.nationality)
        bodies.append(("o", staging.firer, staging.own_place, own.men, firer))
    for name, side, place, men, body in bodies:
        moving = body.posture == "moving"
        troops = TroopState(
            formed=moving or body.posture == "standing",
            moving=moving,
            inside="trench" if body.cover == "trench" else "",
        )
        company = Company(
            int(charts["companies"].cell(QUALITIES.index(body.quality), "cohesion")),
            cover=body.cover in ("woods", "buildings")
            or (body.cover == "open" and body.posture == "dug_in"),
        )
        width = extent if body is target else 0
        for n, strength in enumerate(
            _shared_out(men, -(-men // charts["numbers"]["company_men"])), 1
        ):
            yield f"{name}.{n}", unit_setup(side, place, strength, troops, company, width)


def _shared_out(men: int, count: int) -> list[int]:
    return [men // count + (number < men % count) for number in range(count)]


def _unfit(engagement: Engagement, charts: Charts) -> Iterator[tuple[str, str]]:
    """Yield (part, reason) for each aspect of an engagement that the game cannot play."""
    watch, night = engagement.observer, engagement.situation.night
    if night or AIRCRAFT not in (watch.kind, watch.link):
        if watch.kind in ("none", "offboard"):
            needed = "off-map artillery needs friendly infantry on the map to observe, or an aircraft (6.1, 7.21)"
            yield "observers", f"observer kind {watch.kind}: {needed}"
        elif night and round(watch.distance_m / HEX_M) > charts["numbers"]["night_hexes"]:
            yield (
                "observers",
                "at night observers see no farther than two hexes, about 370 m (4.82)",
            )
        if watch.sight != "clear":
            needed = (
                "a cross hair needs the observer's line of sight to its point on the ground (6.1)"
            )
            yield "requests", f"sight {watch.sight}: {needed}"
    if engagement.asset.weapon == "rocket":
        yield "resolution", "the off-map artillery of 1914-18 has no rockets (7.0)"


def _assumed(engagement: Engagement, forces: Forces, charts: Charts) -> Iterator[tuple[str, str]]:
    """Yield (part, note) for each assumption made about an engagement."""
    watch, situation, own = (
        engagement.observer,
        engagement.situation,
        forces.mode_of(forces.groups[0]),
    )
    if situation.commands == 0:
        yield (
            "delays",
            "the side gives no other commands, so no group ever rolls for its signal (6.02)",
        )
    if situation.bombardment:
        yield (
            "delays",
            "the bombardment counts only by its effect on signals and runners (7.14)",
        )
    if own == TELEPHONE and situation.bombardment:
        yield "delays", CUT
    elif own == TELEPHONE and not forces.trench:
        number = mode(own, charts, bombarded=False, trench=False).number
        yield (
            "delays",
            f"without a trench on the map the telephone's signal number is {number} (7.21)",
        )
    if own == TELEPHONE and AIRCRAFT in (watch.kind, watch.link):
        yield "delays", "at night an aircraft counts as telephone (11.522)"
    yield (
        "resolution",
        "one group, whatever the number of guns; its firepower follows from the calibre (note to 7.0)",
    )
    men = "infantry companies of up to 150 men with reconstructed cohesion (7 green, 8 average, 9 veteran)"
    faces = "staged as troops of 1914-18 by posture and cover: standing or moving formed, else dispersed"
    yield "resolution", f"{men}, {faces}"
