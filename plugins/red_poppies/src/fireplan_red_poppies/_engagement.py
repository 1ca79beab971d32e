"""From an engagement to this game's own setup: one group for each asset, companies for the men on both sides."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil

import attrs

from fireplan.mission import Charts, Engagement, Options, Part, Place, Staging, Target
from fireplan_red_poppies._ground import HEX_M
from fireplan_red_poppies._modes import AIRCRAFT, FLARE, RUNNER, TELEPHONE, TRENCH_SET, mode
from fireplan_red_poppies._setup import GroupSetup, Setup, TroopsSetup, Watch
from fireplan_red_poppies._track import Track
from fireplan_red_poppies._troops import Company, Troops

MODES = {"radio": TRENCH_SET, "telephone": TELEPHONE, "runner": RUNNER, "flare": FLARE, "aircraft": AIRCRAFT}
"""What the links of an engagement are in this game."""

CENTRAL_POWERS = ("austrian", "austro-hungarian", "bulgarian", "german", "ottoman", "turkish")
"""Nationalities that take the initiative on a tie (5.11)."""

HIGH_ANGLE = ("howitzer", "mortar")
"""Weapons against which a trench helps less (8.321)."""

QUALITIES = ("green", "average", "veteran")
"""The rows of the chart of companies."""


class Staged(Part):
    """A part of Red Poppies: what it keeps is set up alike for an engagement and for a scenario file."""

    def stage(self, staging: Staging) -> None:
        """Set up the engagement, and say what of it concerns this part."""
        setup = engaged(staging, self.options, self.charts)
        for word, reason in setup.unfit:
            if word == self.word:
                staging.cannot(reason)
        self.set_up(staging, setup)
        for word, note in setup.assumed:
            if word == self.word:
                staging.note(note)

    def set_up(self, staging: Staging, setup: Setup) -> None:
        """Set up this part's slots and facts."""
        raise NotImplementedError


def engaged(staging: Staging, options: Options, charts: Charts) -> Setup:
    """Return the setup that stands for the engagement."""
    engagement = staging.engagement
    watch, situation, asset = engagement.observer, engagement.situation, engagement.asset
    flown = AIRCRAFT in (watch.kind, watch.link)
    central = engagement.firer.nationality.lower() in CENTRAL_POWERS
    sides = (staging.firer, staging.target_side)
    aim = staging.parts.areas.aim_at(staging.centre if staging.aim_point is None else staging.aim_point)[0]
    clear = watch.sight == "clear"
    seen = clear or (flown and not situation.night)
    group = GroupSetup(
        name="",
        side=staging.firer,
        mode=AIRCRAFT if flown else MODES[watch.link],
        firepower=firepower(
            asset.calibre_mm, charts, rounding=options["rounding"], before_1897=options["old_guns"]
        ),
        howitzers=asset.weapon in HIGH_ANGLE,
        preregistered=aim if asset.preregistered else None,
    )  # fmt: skip
    setup = Setup(
        track=Track(
            night=situation.night,
            commands=(situation.commands,),
            sides=(staging.firer,),
            central=sides[not central],
            other=sides[central],
            bombarded=situation.bombardment,
        ),
        groups=tuple(attrs.evolve(group, name=name) for name in staging.assets),
        troops=tuple(_troops(staging, charts)),
        trench=engagement.target.cover == "trench" or watch.works == "entrenched",
        watch=Watch(
            ground=seen,
            burst=seen or watch.sight == "burst_only",
            known_enemy=seen and engagement.target.identified,
            on_foot=clear and watch.kind not in ("aircraft", "none", "offboard"),
        ),
        unfit=tuple(_unfit(engagement, charts)),
    )
    return attrs.evolve(setup, assumed=tuple(_assumed(engagement, setup.mode_of(group), setup, charts)))


def firepower(calibre_mm: int, charts: Charts, *, rounding: str = "up", before_1897: bool = False) -> int:
    """Return the firepower of guns by calibre (note to 7.0): so many mm a point, and more beyond the light ones.

    ``rounding`` is ``up`` or ``nearest`` (a half goes up). Guns made before 1897 have one less.
    """
    light, step, heavy_step = (charts["numbers"][name] for name in ("light_mm", "light_step_mm", "heavy_step_mm"))
    points = Fraction(min(calibre_mm, light), step) + Fraction(max(calibre_mm - light, 0), heavy_step)
    whole = ceil(points) if rounding == "up" else int(points + Fraction(1, 2))
    return whole - int(before_1897)


def _troops(staging: Staging, charts: Charts) -> Iterator[TroopsSetup]:
    """Spread the target's men over its places, and put the firer's own in theirs."""
    target, own = staging.engagement.target, staging.engagement.own_troops
    places = staging.target_places()
    extent = Fraction(0)
    if len(places) == 1:
        # On ground without hexes a company is no wider than one.
        extent = Fraction(min(target.frontage_m, target.depth_m, 2 * int(HEX_M / 2)), 2)
    for number, (place, men) in enumerate(zip(places, _shared_out(target.men, len(places)), strict=True), start=1):
        yield from _companies(f"t{number}", staging.target_side, place, men, target, extent, charts)
    if staging.own_place is not None and own is not None:
        body = Target(nationality=staging.engagement.firer.nationality)
        yield from _companies("o", staging.firer, staging.own_place, own.men, body, Fraction(0), charts)


def _companies(
    name: str, side: str, place: Place, men: int, body: Target, extent: Fraction, charts: Charts
) -> Iterator[TroopsSetup]:
    count = -(-men // charts["numbers"]["company_men"])
    company = Company(
        int(charts["companies"].cell(QUALITIES.index(body.quality), "cohesion")),
        cover=body.cover in ("woods", "buildings") or (body.cover == "open" and body.posture == "dug_in"),
    )
    moving = body.posture == "moving"
    inside = "trench" if body.cover == "trench" else ""
    troops = Troops(formed=moving or body.posture == "standing", moving=moving, inside=inside)
    for number, strength in enumerate(_shared_out(men, count), start=1):
        yield TroopsSetup(
            name=f"{name}.{number}", side=side, place=place, strength=strength, troops=troops, company=company,
            extent=extent,
        )  # fmt: skip


def _shared_out(men: int, count: int) -> list[int]:
    return [men // count + (number < men % count) for number in range(count)]


def _unfit(engagement: Engagement, charts: Charts) -> Iterator[tuple[str, str]]:
    watch, night = engagement.observer, engagement.situation.night
    if night or AIRCRAFT not in (watch.kind, watch.link):
        if watch.kind in ("none", "offboard"):
            needed = "off-map artillery needs friendly infantry on the map to observe, or an aircraft (6.1, 7.21)"
            yield "observers", f"observer kind {watch.kind}: {needed}"
        elif night and round(watch.distance_m / HEX_M) > charts["numbers"]["night_hexes"]:
            yield "observers", "at night a line of sight reaches two hexes, about 370 m (4.82)"
        if watch.sight != "clear":
            needed = "a cross hair needs the observer's line of sight to its point on the ground (6.1)"
            yield "requests", f"sight {watch.sight}: {needed}"
    if engagement.asset.weapon == "rocket":
        yield "resolution", "there are no rockets among the off-map artillery of 1914-18 (7.0)"


def _assumed(engagement: Engagement, own: str, setup: Setup, charts: Charts) -> Iterator[tuple[str, str]]:
    watch, situation = engagement.observer, engagement.situation
    if situation.commands == 0:
        yield "delays", "no other commands are given, and without them no group rolls for its signal (6.02)"
    if situation.bombardment:
        yield "delays", "of the bombardment only its effect on signals and runners is counted (7.14)"
    if own == TELEPHONE and situation.bombardment:
        never = "after a bombardment a telephone group never fires by a regular signal roll (7.21)"
        yield "delays", f"{never}: call it by runner, or cancel it and hope for the accident"
    elif own == TELEPHONE and not setup.trench:
        number = mode(own, charts, bombarded=False, trench=False).number
        yield "delays", f"no trench on the map, so the telephone's signal number is {number} (7.21)"
    if own == TELEPHONE and AIRCRAFT in (watch.kind, watch.link):
        yield "delays", "at night the aircraft's mode counts as telephone (11.522)"
    yield "resolution", "one group, whatever the number of guns, its firepower by the calibre note of 7.0"
    men = "infantry companies of up to 150 men with reconstructed cohesion (7 green, 8 average, 9 veteran)"
    faces = "staged as troops of 1914-18 by posture and cover: standing or moving formed, else dispersed"
    yield "resolution", f"{men}, {faces}"
