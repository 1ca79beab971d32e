"""How a neutral engagement is staged for resolution: shells, squads and their cover, a Bombardment beforehand.

A squad is ten men; the squads of one hex share its terrain. What fire does to them is in ``resolution``; scenario
files are laid out by ``_scenario``.
"""

from __future__ import annotations

import math

import attrs

from fireplan_asl._bombardment import area_of
from fireplan_asl._cover import charted, cover_key
from fireplan_asl._nations import DATA
from fireplan_asl._places import COLUMNS, HEX_M
from fireplan_asl._units import HALF_SQUAD, SQUAD, Body, Stand
from fireplan_core import Place, Resolution, Staging
from fireplan_core.chance import read_csv
from fireplan_core.space import centre, disc

SQUAD_MEN = 10
STACKING = 3
US_MORTAR_MM = 60
SMALLEST_MM = 70


@attrs.frozen
class Shell:
    """What a battery fires: HE firepower and DRM, and the firepower and DRM of its Critical Hits."""

    power: int
    drm: int
    critical_power: int
    critical_drm: int
    calibre: int = attrs.field(default=0, eq=False)


class Staged(Resolution):
    """The staging of an engagement, for the resolution part to inherit."""

    def stage(self, staging: Staging) -> None:
        """Lay down shells and squads."""
        engagement = staging.engagement
        asset, target = engagement.asset, engagement.target
        if engagement.situation.bombardment:
            self._stage_bombardment(staging)
        shell = self._shell(staging)
        if shell is None:
            return
        for mission in staging.assets:
            staging.mission(mission, self.word, facts=shell)
        staging.note(f"one battery (OBA module) stands for the {asset.guns} tubes")
        morale = self.number(f"morale_{target.quality}")
        staging.note(f"Morale Level {morale} for {target.quality} troops, broken or not; no leaders")
        staging.note("targets neither move, rout nor rally between two falls")
        if target.posture == "moving":
            staging.note("moving troops: FFMO applies in the MPh alone, and fire falls in fire phases")
        dug_in = "yes" if target.posture == "dug_in" else "no"
        row = next(
            row for row in read_csv(DATA / "cover.csv") if row["cover"] == target.cover and row["dug_in"] == dug_in
        )
        row = charted(row, self.charts, "cover", cover_key(target.cover, dug_in))
        tem, air_bursts = int(row["tem"]), int(row["air_bursts"])
        if target.cover == "buildings":
            staging.note(f"cover: {row['summary']}")
        spots = self._spots(staging, -(-target.men // SQUAD_MEN))
        men = _squads(target.men)
        terrain: dict[Place, Stand] = {}
        for number, strength in enumerate(men):
            spot = number % len(spots)
            stand = Stand(
                morale,
                tem,
                air_bursts,
                spot,
                craters=row["craters"] == "yes",
                burns=row["burns"] == "yes",
            )
            terrain[spots[spot]] = stand
            body = Body(size=SQUAD if strength > SQUAD_MEN // 2 else HALF_SQUAD)
            staging.unit(
                f"s{number + 1:02}", staging.target_side, spots[spot], strength=strength, slot=body, facts=stand
            )
        self._stage_own(staging, terrain, len(spots))

    @staticmethod
    def _stage_bombardment(staging: Staging) -> None:
        """The whole board of the target, before the first fire phase."""
        prelude = area_of(staging.frame, staging.centre, COLUMNS, staging.assets[0])
        staging.share("resolution", prelude)
        if not prelude.areas:
            staging.note("Bombardment: this ground has no numbered hexes, so none are spared")
        else:
            staging.note("Bombardment: on the whole board of the target, before the first fire phase")

    def _shell(self, staging: Staging) -> Shell | None:
        asset = staging.engagement.asset
        mortar = staging.engagement.firer.nationality == "american" and asset.weapon == "mortar"
        return self.shell(staging, asset.calibre_mm, us_mortar=mortar)

    def shell(self, staging: Staging, calibre: int, *, us_mortar: bool) -> Shell | None:
        """What a battery of a calibre fires; the staging is told when there is no such battery."""
        if calibre < (US_MORTAR_MM if us_mortar else SMALLEST_MM):
            staging.cannot(f"C1.5: no firepower for off-board artillery of {calibre} mm")
            return None
        chart = self.charts["oba_fp"]
        mm = max(row for row in chart.rows if row <= calibre)
        numbers = (int(chart.cells[mm, name]) for name in ("he_fp", "he_drm", "ch_fp", "ch_drm"))
        power, drm, critical_power, critical_drm = numbers
        return Shell(power, drm, critical_power, critical_drm, calibre)

    @staticmethod
    def _spots(staging: Staging, squads: int) -> tuple[Place, ...]:
        """The hexes that the squads stand in: those of the target's rectangle, and more near it if it is crowded."""
        target = staging.engagement.target
        least = -(-squads // STACKING)

        def inside(x: float, y: float) -> bool:
            return abs(x) <= target.frontage_m / 2 and abs(y) <= target.depth_m / 2

        reach = max(target.frontage_m, target.depth_m) / 2
        around = disc((0, 0), 1 + max(math.ceil(reach * 1.2 / HEX_M), math.isqrt(least)))
        points = [centre(cell, HEX_M) for cell in around]
        within = [point for point in points if inside(*point)]
        others = [point for point in points if not inside(*point)]
        chosen = within[:squads] + others[: max(0, least - len(within))]
        return tuple(staging.at(x, y) for x, y in chosen)

    def _stage_own(self, staging: Staging, terrain: dict[Place, Stand], hexes: int) -> None:
        own = staging.engagement.own_troops
        place = staging.own_place
        if own is None or place is None:
            return
        there = terrain.get(place)
        stand = attrs.evolve(there, morale=self.number("morale_average")) if there else None
        for number, strength in enumerate(_squads(own.men)):
            body = Body(size=SQUAD if strength > SQUAD_MEN // 2 else HALF_SQUAD)
            facts = stand or Stand(self.number("morale_average"), hex=hexes + number // STACKING, craters=True)
            staging.unit(f"o{number + 1:02}", staging.firer, place, strength=strength, slot=body, facts=facts)
        if stand is None:
            staging.note("own troops: in open ground, of average quality, in one hex")


def _squads(men: int) -> tuple[int, ...]:
    """The men of each squad, and those of a last smaller one."""
    full, rest = divmod(men, SQUAD_MEN)
    return (SQUAD_MEN,) * full + ((rest,) if rest else ())
