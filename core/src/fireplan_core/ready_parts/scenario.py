"""A plain scenario file for games of ready parts: where fire is wanted, and the units by their printed places."""

from collections.abc import Iterator
from importlib.resources import files
from typing import Any, Literal

import attrs
import tomli

from fireplan_core.chance import chart_from_csv
from fireplan_core.files import Complaint, entry, repeated
from fireplan_core.five_parts import Parts, PartTypes
from fireplan_core.game import Game, ScenarioFile, ScenarioForm
from fireplan_core.ready_parts.base import Battery, Ready
from fireplan_core.ready_parts.resolution import Troops, _Units
from fireplan_core.record import Place
from fireplan_core.setups.setup import Cover, Posture, Quality
from fireplan_core.setups.staging import Staging


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
    battery: tuple[Battery, ...] = entry("what can fire", (Battery(),))

    def check(self) -> Iterator[Complaint]:
        """Yield a fault for each name that an earlier unit or battery has."""
        yield from repeated(self, "unit", "battery", by="id")


def stage_plain(form: PlainScenario, staging: Staging, parts: Parts) -> None:
    """Stage a plain scenario with ready parts; what the map does not have cannot be staged."""
    target = _place(staging, "target", form.target)
    staging.place = target
    staging.assets = tuple(battery.id for battery in form.battery)
    for battery in form.battery:
        aim = _place(staging, f"battery {battery.id}", battery.target) if battery.target else None
        side = staging.target_side if battery.side == "target" else staging.firer
        for part in parts:
            staging.mission(battery.id, part.word, facts=battery, side=side, target=aim)
            if isinstance(part, Ready):
                part.stage_mission(staging, battery.id)
    resolution = parts.resolution
    for unit in form.unit:
        place = _place(staging, f"unit {unit.id}", unit.place)
        side = staging.firer if unit.side == "firer" else staging.target_side
        if isinstance(resolution, _Units) and place is not None:
            resolution.stage_unit(
                staging,
                unit.id,
                side,
                place,
                unit.men,
                Troops(unit.cover, unit.posture, unit.quality),
            )


def plain_game(package: str, *parts: type[Any], **more: Any) -> Game:
    """Return the game of a package ``fireplan_KEY``: its five parts in their order, all else from its folder ``data``.

    As ``Game.read``, with plain scenarios; and ``game.toml`` says its ``capabilities`` and, in a
    table ``charts``, provenance and source of each ``NAME.csv``. Raises ``ChartError`` or
    ``LedgerError`` for files that cannot be used.
    """
    data = files(package) / "data"
    said = tomli.loads((data / "game.toml").read_text(encoding="utf-8"))
    said["charts"] = {
        n: chart_from_csv(n, data / f"{n}.csv", **of) for n, of in said.get("charts", {}).items()
    }
    said |= {
        "capabilities": tuple(said.get("capabilities", ())),
        "scenarios": ScenarioForm(PlainScenario, stage_plain),
    }
    return Game.read(package.removeprefix("fireplan_"), data, PartTypes(*parts), **{**said, **more})


def _place(staging: Staging, what: str, text: str) -> Place | None:
    try:
        return staging.frame.parse(text)
    except ValueError as error:
        staging.cannot(f"{what}: {error}")
        return None
