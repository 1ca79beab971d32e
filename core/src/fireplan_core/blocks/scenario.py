"""A plain scenario file for games of ready parts: where fire is wanted, and the units by their printed places."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import attrs

from fireplan_core.blocks._ready import Ready
from fireplan_core.blocks.resolution import Troops, _Units
from fireplan_core.game import ScenarioFile
from fireplan_core.record import Place
from fireplan_core.scenario.engagement import Cover, Posture, Quality
from fireplan_core.scenario.staging import Staging


@attrs.frozen(kw_only=True)
class PlainUnit:
    """A body of men at one place."""

    id: str = attrs.field(metadata={"help": "a name of its own", "example": "t1"})
    place: str = attrs.field(metadata={"help": "where it stands, as the game's map labels it", "example": "F8"})
    side: Literal["target", "firer"] = attrs.field(default="target", metadata={"help": "whose it is"})
    men: int = attrs.field(default=10, metadata={"help": "how many men", "range": (1, 2000)})
    cover: Cover = attrs.field(default="open", metadata={"help": "what the men are in"})
    posture: Posture = attrs.field(default="prone", metadata={"help": "how they hold themselves"})
    quality: Quality = attrs.field(default="average", metadata={"help": "how good they are"})


@attrs.frozen(kw_only=True)
class PlainScenario(ScenarioFile):
    """Fire at a place, and who is about."""

    target: str = attrs.field(metadata={"help": "where fire is wanted, as the game's map labels it", "example": "F8"})
    unit: tuple[PlainUnit, ...] = attrs.field(metadata={"help": "who is about"})

    def check(self) -> Iterator[tuple[str, str, str]]:
        """Units have names of their own."""
        names = [unit.id for unit in self.unit]
        for i, name in enumerate(names):
            if name in names[:i]:
                yield f"unit[{i}].id", f'"{name}" stands twice', "give each unit a name of its own"


def lay_plain(form: PlainScenario, staging: Staging) -> None:
    """Lay a plain scenario out with ready parts; what the map does not have cannot be laid."""
    target = _place(staging, "target", form.target)
    staging.place = target
    for part in staging.parts:
        if isinstance(part, Ready):
            for mission in staging.assets:
                part.lay(staging, mission)
    resolution = staging.parts.resolution
    for unit in form.unit:
        place = _place(staging, f"unit {unit.id}", unit.place)
        side = staging.firer if unit.side == "firer" else staging.target_side
        if isinstance(resolution, _Units) and place is not None:
            resolution.lay_unit(staging, unit.id, side, place, unit.men, Troops(unit.cover, unit.posture, unit.quality))


def _place(staging: Staging, what: str, text: str) -> Place | None:
    try:
        return staging.frame.parse(text)
    except ValueError as error:
        staging.cannot(f"{what}: {error}")
        return None
