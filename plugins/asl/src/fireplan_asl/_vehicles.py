"""Fire on what is not Personnel (C1.55, C1.5): vehicles, Guns, buildings and obstacles, by the DR of their hex.

No dice are thrown for the hex here; ``resolution`` throws them and hands the Original DR over.
"""

from __future__ import annotations

from fractions import Fraction

import attrs

from fireplan_asl._ift import column_for, parse
from fireplan_asl._units import (
    BURNING,
    DAMAGED,
    DESTROYED,
    Stand,
    Works,
    alive,
    eliminated,
    felt,
    stand_of,
    wrecked,
)
from fireplan_core import Effects, Event, Resolution, Step, View, emit, push, step, update
from fireplan_core.chance import Chance, Chart, d6

THIN_DRM, OPEN_DRM, THICK_DRM = -1, -1, 1


def armour_drm(stand: Stand) -> int:
    """The DRM for thin armour, an open top and thick armour; they add up."""
    thin = THIN_DRM if stand.armour == "thin" else THICK_DRM if stand.armour == "thick" else 0
    return thin + (OPEN_DRM if stand.open_topped else 0)


def casualty_dr(chart: Chart, column: str) -> int | None:
    """The Final DR that is a K/# in a column.

    A changed chart may have a column without one: the highest KIA is taken for it; None where there is none either.
    """
    kinds = {row: parse(chart.cell(row, column)).kind for row in chart.rows}
    casualties = [row for row, kind in kinds.items() if kind == "K"]
    deadly = [row for row, kind in kinds.items() if kind == "KIA"]
    return casualties[0] if casualties else max(deadly, default=None)


def most_vehicles(chart: Chart, column: str) -> int:
    """How many vehicles a column may affect: its highest KIA number."""
    return parse(chart.cell(chart.rows[0], column)).number


def against_afv(chart: Chart, column: str, final: int, *, turret: bool) -> str:
    """What a Final DR does to an AFV: burning, destroyed, shocked, immobilised, or nothing (empty)."""
    casualty = casualty_dr(chart, column)
    if casualty is None:
        return ""
    if final * 2 <= casualty:
        return "burning"
    if parse(chart.cell(final, column)).kind == "KIA":
        return "destroyed"
    if final in (casualty, casualty + 1):
        return "shocked" if turret else "immobilised"
    return ""


def against_unarmoured(number: int, final: int) -> str:
    """What a Final DR does to an unarmoured vehicle by the Vehicle line of its column."""
    if final * 2 <= number:
        return "burning"
    if final < number:
        return "destroyed"
    return "immobilised" if final == number else ""


_LOSS = {"burning": BURNING, "destroyed": DESTROYED, "immobilised": DAMAGED}


@attrs.frozen
class Blow:
    """The attack on a hex: firepower, DRM, Original DR, whether it hits turrets, whether it is a Critical Hit."""

    power: Fraction
    drm: int
    dr: int
    turret: bool = False
    critical: bool = False


class AgainstThings(Resolution):
    """The steps against vehicles, weapons and terrain, for the resolution part to inherit."""

    @step(cite="C1.55")
    def things(self, chance: Chance, view: View, blow: Blow, units: tuple[str, ...]) -> Effects:
        """Every vehicle and Gun of the hex, no more vehicles than the column can affect."""
        chart = self.charts["ift"]
        column = column_for(chart, felt(stand_of(view, units[0]), blow.power))
        if column is None:
            return Effects()
        vehicles = tuple(unit for unit in units if stand_of(view, unit).kind in ("afv", "unarmoured"))
        most = most_vehicles(chart, column)
        if len(vehicles) > most:
            chosen = chance.highest("vehicles", of=vehicles, count=most).exact()
            units = tuple(unit for unit in units if unit in chosen[:most] or unit not in vehicles)
        return Effects(*(push("thing", blow, unit) for unit in units))

    @step(cite="C1.55")
    def thing(self, chance: Chance, view: View, blow: Blow, unit: str) -> Effects:  # noqa: ARG002 - no dice here
        """One vehicle or Gun; a Critical Hit on an AFV leaves TEM out."""
        if not alive(view, unit):
            return Effects()
        power, drm, dr, critical = blow.power, blow.drm, blow.dr, blow.critical
        stand = stand_of(view, unit)
        chart = self.charts["ift"]
        column = column_for(chart, felt(stand, power)) or chart.columns[0]
        tem = (-abs(stand.tem) if critical else stand.tem) + stand.above
        final = dr + drm + tem + stand.air_bursts
        if stand.kind == "afv" and stand.open_topped and stand.air_bursts < 0 and not critical:
            # Air Bursts over an open top: the Vehicle line, without their TEM (D5.311).
            fate = self._unarmoured(column, final - stand.air_bursts)
        elif stand.kind == "afv":
            if critical:
                final = dr + drm
            fate = against_afv(chart, column, final + armour_drm(stand), turret=blow.turret)
        elif stand.kind == "unarmoured":
            fate = self._unarmoured(column, final)
        else:
            kind = parse(chart.cell(final, column)).kind
            fate = "destroyed" if critical or kind == "KIA" else "immobilised" if kind == "K" else ""
        if fate == "shocked":
            return Effects(emit("shocked", "C1.55", unit=unit))
        if not fate:
            return Effects()
        loss = _LOSS[fate]
        if loss <= view.unit(unit, Works).loss:
            return Effects()
        aboard = () if loss == DAMAGED else tuple(u for u in view.units if stand_of(view, u).aboard == unit)
        lost = (eliminated(view, u, "C1.55") if loss == BURNING else Effects(push("survives", u)) for u in aboard)
        cite = "C1.55" if stand.kind in ("afv", "unarmoured") else "C1.5"
        return Effects(wrecked(view, unit, loss, cite), *lost)

    def _unarmoured(self, column: str, final: int) -> str:
        number = int(self.charts["ift_vehicle"].cells[int(column.removeprefix("fp")), "kill_number"])
        return against_unarmoured(number, final)

    def _swept(self, view: View, unit: str, calibre: int) -> tuple[Step | Event, ...]:
        """What follows when an Original KIA ends what is no building; nothing if it does not."""
        kind = stand_of(view, unit).kind
        if kind == "line" and "delays.severed" in view.scenario.steps:
            return (push("delays.severed", unit),)
        if kind == "bare" and calibre >= self.number("shellhole_mm"):
            return (emit("shellhole", "C1.5", at=view.place_of(unit)),)
        return (emit("cleared", "C1.5", unit=unit),) if kind == "obstacle" else ()

    @step(cite="C1.5")
    def terrain(self, chance: Chance, view: View, unit: str, killed: int, calibre: int) -> Effects:
        """What an Original KIA does to the hex itself; of 0 killed, an Original K, which only weakens mines."""
        stand, works = stand_of(view, unit), view.unit(unit, Works)
        if stand.kind == "mines":
            gone = works.loss + 1 >= stand.end or bool(killed)
            kind = "cleared" if gone else "weakened"
            return Effects(update(works, loss=stand.end if gone else works.loss + 1), emit(kind, "C1.5", unit=unit))
        if not killed:
            return Effects()
        if stand.kind not in ("building", "bridge"):
            follows = self._swept(view, unit, calibre)
            return Effects(update(works, loss=stand.end), *follows) if follows else Effects()
        loss = works.loss
        if calibre < self.number("rubble_mm") or loss >= stand.end:
            return Effects()
        roll = chance.dice("rubble", white=d6)
        if roll.total + (1 if stand.stone else 0) <= killed:
            return Effects(update(works, loss=loss + 1), emit("rubble", "C1.5", unit=unit, levels=loss + 1))
        return Effects()
