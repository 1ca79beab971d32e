"""Say what stands on a table of this game before play: its groups, massed fire and troops, and what holds for all.

An engagement (here) and a scenario file (``_build``) both become a ``Forces``, of which every part
of the game sets up its own share: one group for each asset of an engagement, companies for the men
on both sides.
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
from fireplan_core.space import Hex
from fireplan_red_poppies.ground import HEX_M, Ground
from fireplan_red_poppies.massed import Massed
from fireplan_red_poppies.scenario import GroupEntry, ModeName
from fireplan_red_poppies.track import AIRCRAFT, TELEPHONE, TRENCH_SET, Track, mode
from fireplan_red_poppies.troops import Company, Troops

MODES: Mapping[str, ModeName] = {
    "radio": "trench_set",
    "telephone": "telephone",
    "runner": "runner",
    "flare": "flare",
}
"""Say what the links of an engagement are in this game."""

CENTRAL_POWERS = ("austrian", "austro-hungarian", "bulgarian", "german", "ottoman", "turkish")
"""Nationalities that take the initiative on a tie (5.11)."""

HIGH_ANGLE = ("howitzer", "mortar")
"""Weapons against which a trench helps less (8.321)."""

QUALITIES = ("green", "average", "veteran")
"""The rows of the chart of companies."""

CUT = (
    "after a bombardment a telephone group never fires by a regular signal roll (7.21): "
    "call it by runner, or cancel it and hope for the accident"
)
"""Say what becomes of telephones whose wires are cut."""

UNSEEN_ON_FOOT = Sight(
    ground=False, burst=False, rule="6.1, 7.21", why="no infantry sees it to send a runner"
)


@attrs.frozen(kw_only=True)
class Forces:
    """All of it.

    ``heights`` says who holds the map's top level (3.9), ``high_ground`` who does without saying
    where.

    An engagement has ``sights`` and no ``ground``, a scenario the reverse: what is seen of the
    target, and what by infantry that must send a runner (7.21).
    """

    track: Track
    groups: tuple[GroupEntry, ...]
    units: Mapping[str, UnitSetup]
    massed: tuple[Massed, ...] = ()
    trench: bool = False
    heights: tuple[tuple[Hex, str], ...] = ()
    high_ground: tuple[str, ...] = ()
    ground: Ground | None = None
    sights: tuple[Sight, Sight] | None = None
    transport: tuple[tuple[str, str], ...] = ()

    def infantry_of(self, side: str) -> tuple[str, ...]:
        """Return the infantry of a side."""
        own = (
            (name, one.facts["resolution"]) for name, one in self.units.items() if one.side == side
        )
        return tuple(name for name, company in own if company.type == "infantry")

    def mode_of(self, group: GroupEntry) -> str:
        """Return the group's own mode of transmission: at night an aircraft's counts as telephone (11.522)."""
        return TELEPHONE if group.mode == AIRCRAFT and self.track.night else group.mode


@attrs.frozen(eq=False)
class Group:
    """A group as every part knows it: what stands in its file, and among what it stands at this table."""

    entry: GroupEntry
    forces: Forces
    preregistered: Place
    cross_hair: Place

    @classmethod
    def of(cls, entry: GroupEntry, forces: Forces, staging: Staging) -> Self:
        """Return the group of an entry, its vertices on this table."""
        return cls(
            entry, forces, point(staging, entry.preregistered), point(staging, entry.cross_hair)
        )

    @cached_property
    def mode(self) -> str:
        """Return its own mode of transmission."""
        return self.forces.mode_of(self.entry)

    @cached_property
    def infantry(self) -> tuple[str, ...]:
        """Return who observes when a call goes by runner, whatever the own mode: all infantry of its side (7.21)."""
        return self.forces.infantry_of(self.entry.side)

    @property
    def units(self) -> tuple[str, ...]:
        """Return who observes for it by its own mode: with a trench set the designated company (7.21)."""
        designated = self.mode == TRENCH_SET and self.entry.observer is not None
        return (self.entry.observer or "",) if designated else self.infantry


def point(staging: Staging, label: str | None) -> Place:
    """Return the place on the table of a label; None without one."""
    return None if label is None else staging.frame.parse(label)


class Staged(Part):
    """A part of Red Poppies: what it keeps is set up alike for an engagement and for a scenario file.

    ``of_massed`` and ``of_group`` are how its records of them start.
    """

    of_massed: ClassVar[Any] = None
    of_group: ClassVar[Any] = None

    def stage(self, staging: Staging) -> None:
        """Set up the engagement, and say what of it concerns this part."""
        forces = engaged(staging, self.options, self.charts)
        for word, reason in _unfit(staging.engagement, self.charts):
            if word == self.word:
                staging.cannot(reason)
        self.set_up(staging, forces)
        for word, note in _assumed(staging.engagement, forces, self.charts):
            if word == self.word:
                staging.note(note)

    def set_up(self, staging: Staging, forces: Forces) -> None:
        """Set up what this part keeps and knows of massed fire and of groups."""
        for massed in forces.massed:
            staging.mission(massed.name, self.word, self.of_massed, massed)
        for entry in forces.groups:
            staging.mission(entry.name, self.word, self.of_group, Group.of(entry, forces, staging))


def engaged(staging: Staging, options: Options, charts: Charts) -> Forces:
    """Return the forces that stand for the engagement."""
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
        track=Track(
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
    """Return the firepower of guns by calibre (note to 7.0): so many mm a point, and more beyond the light ones.

    ``rounding`` is ``up`` or ``nearest`` (a half goes up). Guns made before 1897 have one less.
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
    side: str, place: Place, strength: int, troops: Troops, company: Company, extent: float = 0
) -> UnitSetup:
    """Return a unit as it starts.

    ``extent`` is its half-width in metres where it stands on more than one place.
    """
    return UnitSetup(
        side, place, strength, Fraction(extent), {"resolution": troops}, {"resolution": company}
    )


def _companies(staging: Staging, charts: Charts) -> Iterator[tuple[str, UnitSetup]]:
    """Spread the target's men over its places, and put the firer's own in theirs."""
    target, own = staging.engagement.target, staging.engagement.own_troops
    places = staging.target_places()
    shares = _shared_out(target.men, len(places))
    # On ground without hexes a company is no wider than one.
    extent = (
        min(target.frontage_m, target.depth_m, 2 * int(HEX_M / 2)) / 2 if len(places) == 1 else 0
    )
    where = enumerate(zip(places, shares, strict=True), start=1)
    stands = [(f"t{n}", staging.target_side, place, men, target) for n, (place, men) in where]
    if staging.own_place is not None and own is not None:
        firer = Target(nationality=staging.engagement.firer.nationality)
        stands.append(("o", staging.firer, staging.own_place, own.men, firer))
    for name, side, place, men, body in stands:
        moving = body.posture == "moving"
        troops = Troops(
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
    """Yield why an engagement cannot be represented, with the part that it concerns."""
    watch, night = engagement.observer, engagement.situation.night
    if night or AIRCRAFT not in (watch.kind, watch.link):
        if watch.kind in ("none", "offboard"):
            needed = "off-map artillery needs friendly infantry on the map to observe, or an aircraft (6.1, 7.21)"
            yield "observers", f"observer kind {watch.kind}: {needed}"
        elif night and round(watch.distance_m / HEX_M) > charts["numbers"]["night_hexes"]:
            yield "observers", "at night a line of sight reaches two hexes, about 370 m (4.82)"
        if watch.sight != "clear":
            needed = (
                "a cross hair needs the observer's line of sight to its point on the ground (6.1)"
            )
            yield "requests", f"sight {watch.sight}: {needed}"
    if engagement.asset.weapon == "rocket":
        yield "resolution", "there are no rockets among the off-map artillery of 1914-18 (7.0)"


def _assumed(engagement: Engagement, forces: Forces, charts: Charts) -> Iterator[tuple[str, str]]:
    """Yield what the figures of an engagement rest on, with the part that it concerns."""
    watch, situation, own = (
        engagement.observer,
        engagement.situation,
        forces.mode_of(forces.groups[0]),
    )
    if situation.commands == 0:
        yield (
            "delays",
            "no other commands are given, and without them no group rolls for its signal (6.02)",
        )
    if situation.bombardment:
        yield (
            "delays",
            "of the bombardment only its effect on signals and runners is counted (7.14)",
        )
    if own == TELEPHONE and situation.bombardment:
        yield "delays", CUT
    elif own == TELEPHONE and not forces.trench:
        number = mode(own, charts, bombarded=False, trench=False).number
        yield "delays", f"no trench on the map, so the telephone's signal number is {number} (7.21)"
    if own == TELEPHONE and AIRCRAFT in (watch.kind, watch.link):
        yield "delays", "at night the aircraft's mode counts as telephone (11.522)"
    yield (
        "resolution",
        "one group, whatever the number of guns, its firepower by the calibre note of 7.0",
    )
    men = "infantry companies of up to 150 men with reconstructed cohesion (7 green, 8 average, 9 veteran)"
    faces = "staged as troops of 1914-18 by posture and cover: standing or moving formed, else dispersed"
    yield "resolution", f"{men}, {faces}"
