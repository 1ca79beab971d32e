"""From one scenario of a campaign day to the next: what stays on the map, and whose calls carry over (11.2, 11.3)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs

from fireplan.mission import Scenario
from fireplan_red_poppies._scenario import (
    ControlEntry,
    GroupEntry,
    HexEntry,
    HexSide,
    RedPoppiesScenario,
    SideOfHexEntry,
    UnitEntry,
)

COUNTER_ATTACK_TURNS = 6
"""The length of a counter-attack scenario (11.31); an attack scenario has 12 turns (11.2)."""

Read = Callable[[str, Any], Any]


def following(
    form: RedPoppiesScenario, scenario: Scenario, read: Read, *, keeps: str | None, moments: int = COUNTER_ATTACK_TURNS
) -> RedPoppiesScenario:
    """The scenario that follows one played to its end, ``read(address, default)`` giving its last state.

    Units stay where and as they lie; wire stays breached and scrapes stay. ``keeps`` is the side whose cross hairs and
    hour glasses carry over: the defender after an attack scenario (11.2, 11.32), nobody after a counter-attack
    (11.33). Massed fire is over; gas is gone with the last turn (5.3).
    """
    label = scenario.frame.label
    units = tuple(_unit(form, scenario, read, name) for name in scenario.units if not _lost(read, name))
    groups = tuple(_group(entry, read, label, carried=entry.side == keeps) for entry in form.group)
    scrapes = read("shared/resolution/scrapes", ())
    hexes = (*form.hex, HexEntry(at=tuple(label(h) for h in scrapes), holds=("craters",))) if scrapes else form.hex
    later = bool(scenario.parts.delays.options["bombarded_later"]) and read("shared/delays/bombarded", False)  # noqa: FBT003
    return attrs.evolve(
        form,
        title=f"after: {form.title}",
        moments=moments,
        unit=units,
        group=groups,
        bombardment=(),
        barrage=(),
        hex=hexes,
        hexside=_wire(form, scenario, read),
        control=tuple(ControlEntry(side=side, at=(label(h),)) for h, side in read("shared/areas/heights", ()) if side),
        bombarded=later,
    )


def _lost(read: Read, unit: str) -> bool:
    return bool(read(f"units/{unit}/resolution/destroyed", None))


def _unit(form: RedPoppiesScenario, scenario: Scenario, read: Read, name: str) -> UnitEntry:
    of = name.rpartition(".")[0]
    entry = next(entry for entry in form.unit if entry.name == of)
    return attrs.evolve(
        entry,
        name=name.replace(".", "_"),
        at=(scenario.frame.label(read(f"units/{name}/place", None)),),
        formed=read(f"units/{name}/resolution/formed", None),
        inside=read(f"units/{name}/resolution/inside", ""),
    )


def _group(entry: GroupEntry, read: Read, label: Callable[[Any], str], *, carried: bool) -> GroupEntry:
    glass = read(f"missions/{entry.name}/delays/hourglass", None)
    aim = read(f"missions/{entry.name}/aim", None)
    observer = None if entry.observer is None else f"{entry.observer.replace('.', '_')}.1"
    entry = attrs.evolve(entry, observer=observer)
    if not carried or glass is None or aim is None:
        return attrs.evolve(entry, cross_hair=None, hour_glass=0)
    return attrs.evolve(entry, cross_hair=label(aim), hour_glass=glass)


def _wire(form: RedPoppiesScenario, scenario: Scenario, read: Read) -> tuple[SideOfHexEntry, ...]:
    """The features along hex sides, wire less what has been breached."""
    from fireplan_red_poppies._laying import ground_of

    gone = read("shared/resolution/breached", ())
    if not gone:
        return form.hexside
    others = tuple(entry for entry in form.hexside if entry.kind != "wire")
    kept = []
    for a, b in sorted(ground_of(form).wire - set(gone)):
        # The lesser hex of a side has the other to its south, south-east or north-east.
        name: HexSide = "S" if a[0] == b[0] else ("SE" if b[1] == a[1] else "NE")
        kept.append(SideOfHexEntry(kind="wire", at=(scenario.frame.label(a),), sides=(name,)))
    return (*others, *kept)


__all__ = ["COUNTER_ATTACK_TURNS", "following"]
