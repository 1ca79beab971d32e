"""From one scenario of a campaign day to the next: what stays on the map, and whose calls carry over (11.2, 11.3)."""

from collections.abc import Callable
from typing import Any, Literal

import attrs

from fireplan_core import FireKind, Scenario
from fireplan_red_poppies._build import ground_of
from fireplan_red_poppies._ground import Side
from fireplan_red_poppies._scenario import (
    ControlEntry,
    GroupEntry,
    HallowedEntry,
    HexEntry,
    HexSide,
    RedPoppiesScenario,
    SideOfHexEntry,
    UnitEntry,
)
from fireplan_red_poppies._troops import SHELLS, UNIT_KINDS

ReadValue = Callable[[str, Any], Any]


def following(
    form: RedPoppiesScenario, scenario: Scenario, read: ReadValue, keeps: str | None = None, moments: int | None = None
) -> RedPoppiesScenario:
    """Return the scenario that follows one played to its end, ``read(key, default)`` giving its last state.

    Units stay where and as they lie; wire stays breached and scrapes stay. ``keeps`` is the side whose cross hairs and
    hour glasses carry over: the defender after an attack scenario (11.2, 11.32), nobody after a counter-attack
    (11.33). Massed fire is over; gas is gone with the last turn (5.3).
    """
    label, parts = scenario.frame.label, scenario.parts
    living = (name for name in scenario.units if not read(f"units/{name}/resolution/destroyed", None))
    units = tuple(_unit(form, scenario, read, name) for name in living)
    groups = tuple(_group(entry, units, read, label, carried=entry.side == keeps) for entry in form.group)
    heights, names = read("shared/resolution/heights", ()), map(label, ground_of(form).hexes())
    scrapes = tuple(name for name in names if read(f"ground/resolution/{name}/scrape", False))  # noqa: FBT003
    hexes = (*form.hex, HexEntry(at=scrapes, holds=("craters",))) if scrapes else form.hex
    hallowed = read("shared/resolution/hallowed", None)
    later = bool(parts.delays.options["bombarded_later"]) and read("shared/delays/bombarded", False)  # noqa: FBT003
    return attrs.evolve(
        form,
        title=f"after: {form.title}",
        moments=moments or parts.delays.number("counter_attack_turns"),
        unit=units,
        group=groups,
        bombardment=(),
        barrage=(),
        hex=hexes,
        hexside=_sides(form, scenario, read),
        hallowed=form.hallowed if hallowed is None else HallowedEntry(side=hallowed[0], at=label(hallowed[1])),
        control=tuple(ControlEntry(side=side, at=(label(h),)) for h, side in heights if side),
        bombarded=later,
    )


def _unit(form: RedPoppiesScenario, scenario: Scenario, read: ReadValue, name: str) -> UnitEntry:
    of = name.rpartition(".")[0]
    entry = next(entry for entry in form.unit if entry.name == of)
    return attrs.evolve(
        entry,
        name=name.replace(".", "_"),
        at=(scenario.frame.label(read(f"units/{name}/place", None)),),
        formed=read(f"units/{name}/resolution/formed", None),
        inside=read(f"units/{name}/resolution/inside", "") or "outside",
    )


def _group(
    entry: GroupEntry, units: tuple[UnitEntry, ...], read: ReadValue, label: Callable[[Any], str], *, carried: bool
) -> GroupEntry:
    own = f"missions/{entry.name}"
    glass, aim = read(f"{own}/delays/hourglass", None), read(f"{own}/aim", None)
    if entry.observer is not None:
        own_units = (unit for unit in units if unit.side == entry.side)
        watching = tuple(unit.name for unit in own_units if UNIT_KINDS[unit.kind].type == "infantry")
        before = entry.observer.replace(".", "_")
        # The new scenario designates anew where the company with the trench set is lost (7.21).
        now = before if before in watching else next(iter(watching), None)
        entry = attrs.evolve(entry, observer=None if now is None else f"{now}.1")
        if now is None and entry.mode == "trench_set":
            entry = attrs.evolve(entry, mode="runner")
    if not carried or glass is None or aim is None:
        return attrs.evolve(entry, cross_hair=None, hour_glass=0, by_runner=False, loaded="high_explosive")
    return attrs.evolve(
        entry,
        cross_hair=label(aim),
        hour_glass=glass,
        by_runner=read(f"{own}/delays/runner", False),  # noqa: FBT003
        loaded=next(shell for shell, kind in SHELLS.items() if kind is read(f"{own}/kind", FireKind.HE)),
    )


def _sides(form: RedPoppiesScenario, scenario: Scenario, read: ReadValue) -> tuple[SideOfHexEntry, ...]:
    """Return the features along hex sides: wire less what has been breached, bomb stops as they are now."""
    ground = ground_of(form)
    now: dict[Literal["wire", "bomb_stop"], frozenset[Side]] = {
        "wire": ground.wire - set(read("shared/resolution/breached", ())),
        "bomb_stop": frozenset(read("shared/resolution/stops", ())),
    }
    before = {"wire": ground.wire, "bomb_stop": ground.stops}
    changed = [kind for kind in now if now[kind] != before[kind]]
    others = tuple(entry for entry in form.hexside if entry.kind not in changed)
    kept = []
    for kind in changed:
        for a, b in sorted(now[kind]):
            # The lesser hex of a side has the other to its south, south-east or north-east.
            name: HexSide = "S" if a[0] == b[0] else ("SE" if b[1] == a[1] else "NE")
            kept.append(SideOfHexEntry(kind=kind, at=(scenario.frame.label(a),), sides=(name,)))
    return (*others, *kept)
