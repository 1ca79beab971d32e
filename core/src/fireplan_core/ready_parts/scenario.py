"""Plain scenario files for games made of ready parts: the target, the units and the batteries."""

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
from fireplan_core.setups.setup import Cover, Posture, Quality
from fireplan_core.setups.staging import Staging
from fireplan_core.space import Place


@attrs.frozen(kw_only=True)
class PlainUnit:
    """A unit in a plain scenario file: its id, side and place, and its men and their condition.

    >>> PlainUnit(id="t1", place="F8", cover="woods").men
    10
    """

    id: str = entry("a unique name", example="t1")
    place: str = entry("its place, as labelled on the game's map", example="F8")
    side: Literal["target", "firer"] = entry("the side that owns it", "target")
    men: int = entry("number of men", 10, range=(1, 2000))
    cover: Cover = entry("cover of the men", "open")
    posture: Posture = entry("posture of the men", "prone")
    quality: Quality = entry("quality of the men", "average")


@attrs.frozen(kw_only=True)
class PlainScenario(ScenarioFile):
    """A plain scenario file: the target, the units and the batteries.

    >>> unit = PlainUnit(id="t1", place="F8", men=12)
    >>> raid = PlainScenario(game="my_game", title="A raid", moments=6, target="F8", unit=(unit,))
    >>> raid.battery[0].guns
    12
    """

    target: str = entry("the target, as labelled on the game's map", example="F8")
    unit: tuple[PlainUnit, ...] = entry("the units")
    battery: tuple[Battery, ...] = entry("the batteries", (Battery(),))

    def check(self) -> Iterator[Complaint]:
        """Yield a fault for each unit or battery that repeats the name of an earlier entry."""
        yield from repeated(self, "unit", "battery", by="id")


def stage_plain(form: PlainScenario, staging: Staging, parts: Parts) -> None:
    """Stage a plain scenario with ready parts.

    Places that are not on the map are refused.

    >>> from fireplan_core import ScenarioForm
    >>> ScenarioForm(PlainScenario, stage_plain).place
    ('place',)
    """
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
    """Return the game in a package ``fireplan_KEY`` that uses plain scenario files.

    ``parts`` lists its five part classes in order. All other information comes from the package's
    folder ``data`` (see ``Game.read``). The file ``game.toml`` in that folder gives the
    ``capabilities`` and, in a table ``charts``, the provenance and source of each ``NAME.csv``.
    ``more`` contains further fields of ``Game``. Raises ``FileError`` for invalid files.
    """
    data = files(package) / "data"
    fields = tomli.loads((data / "game.toml").read_text(encoding="utf-8"))
    fields["charts"] = {
        name: chart_from_csv(name, data / f"{name}.csv", **origin)
        for name, origin in fields.get("charts", {}).items()
    }
    fields |= {
        "capabilities": tuple(fields.get("capabilities", ())),
        "scenarios": ScenarioForm(PlainScenario, stage_plain),
    }
    return Game.read(
        package.removeprefix("fireplan_"), data, PartTypes(*parts), **{**fields, **more}
    )


def _place(staging: Staging, owner: str, text: str) -> Place | None:
    try:
        return staging.frame.parse(text)
    except ValueError as error:
        staging.cannot(f"{owner}: {error}")
        return None
