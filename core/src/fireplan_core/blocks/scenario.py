"""A plain scenario file for games of ready parts: where fire is wanted, and the units by their printed places."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import attrs

from fireplan_core.blocks._ready import Ready
from fireplan_core.blocks.resolution import Troops, _Units
from fireplan_core.files import Complaint, entry, repeated
from fireplan_core.game import ScenarioFile
from fireplan_core.parts import Parts
from fireplan_core.record import Place
from fireplan_core.scenario.engagement import Cover, Posture, Quality
from fireplan_core.scenario.staging import Staging


@attrs.frozen(kw_only=True)
class PlainUnit:
    """A body of men at one place."""

    id: str = entry("a name of its own", example="t1")
    place: str = entry("where it stands, as the game's map labels it", example="F8")
    side: Literal["target", "firer"] = entry("whose it is", "target")
    men: int = entry("how many men", 10, range=(1, 2000))
    cover: Cover = entry("what the men are in", "open")
    posture: Posture = entry("how they hold themselves", "prone")
    quality: Quality = entry("how good they are", "average")


@attrs.frozen(kw_only=True)
class PlainScenario(ScenarioFile):
    """Fire at a place, and who is about."""

    target: str = entry("where fire is wanted, as the game's map labels it", example="F8")
    unit: tuple[PlainUnit, ...] = entry("who is about")

    def check(self) -> Iterator[Complaint]:
        """Yield a fault for each name that an earlier unit has."""
        yield from repeated(self, "unit", by="id")


def stage_plain(form: PlainScenario, staging: Staging, parts: Parts) -> None:
    """Stage a plain scenario with ready parts; what the map does not have cannot be staged."""
    target = _place(staging, "target", form.target)
    staging.place = target
    for part in parts:
        if isinstance(part, Ready):
            for mission in staging.assets:
                part.stage_mission(staging, mission)
    resolution = parts.resolution
    for unit in form.unit:
        place = _place(staging, f"unit {unit.id}", unit.place)
        side = staging.firer if unit.side == "firer" else staging.target_side
        if isinstance(resolution, _Units) and place is not None:
            resolution.stage_unit(
                staging, unit.id, side, place, unit.men, Troops(unit.cover, unit.posture, unit.quality)
            )


def _place(staging: Staging, what: str, text: str) -> Place | None:
    try:
        return staging.frame.parse(text)
    except ValueError as error:
        staging.cannot(f"{what}: {error}")
        return None
