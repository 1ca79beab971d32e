"""The effects of massed fire on units and wire, and scrapes (7.12, 7.13, 7.43)."""

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

from fireplan_core import Form, Refusal, Setup, Severity, Slot, View, orders
from fireplan_core.chance import Chance, d6
from fireplan_core.space import Hex
from fireplan_core.steps.effects import Effects, ask, emit, push, step, update
from fireplan_red_poppies.ground import Side
from fireplan_red_poppies.massed import PULVERIZING, Massed, massed_fire
from fireplan_red_poppies.troops import (
    MapChanges,
    Soil,
    TroopState,
    armoured,
    destroy,
    disperse,
    plot_of,
)

if TYPE_CHECKING:
    from fireplan_red_poppies.resolution import RedPoppiesResolution


@step(cite="7.12, 7.43")
def bombard(
    part: "RedPoppiesResolution", chance: Chance, view: View, mission: str, unit: str
) -> Effects:
    """Eliminate a unit in the open; roll for a unit in works or a village.

    A unit that rolls is dispersed. On a high roll it is eliminated instead, or also spent,
    depending on the kind of bombardment. By an option AFVs are only dispersed, without a roll.
    """
    troops, plot = view.unit(unit, TroopState), plot_of(view, unit)
    if troops.destroyed:
        return Effects()
    sheltered = bool(troops.inside) or (plot is not None and plot.village)
    if armoured(view, unit) and part.options["bombarded_vehicles"] == "disperse":
        return disperse(view, unit, "7.12", spend=False, stopped=False)
    if not sheltered:
        return destroy(view, unit, "7.12")
    roll = chance.dice("bombardment", white=d6)
    if view.facts(mission, Massed).kind != PULVERIZING:
        spent = roll.white >= part.number("paralyzed_spent")
        return disperse(view, unit, "7.12", spend=spent, stopped=False)
    if roll.white >= part.number("pulverized_eliminated"):
        return destroy(view, unit, "7.12")
    return disperse(view, unit, "7.12", spend=False, stopped=False)


def harm_chance(
    part: "RedPoppiesResolution", scenario: Setup, unit: str, severity: Severity, massed: Massed
) -> Fraction:
    """Return the chance that ``bombard`` harms a unit, as it was set up, at least this severely."""
    setup = scenario.units[unit]
    troops, facts = setup.slots[part.word], setup.facts[part.word]
    ground = facts.ground
    village = ground is not None and ground.plot(setup.place).village
    faces = d6.sides
    if facts.armoured and part.options["bombarded_vehicles"] == "disperse":
        return Fraction(troops.formed and severity <= Severity.SUPPRESSED)
    if not (troops.inside or village):
        return Fraction(1)
    if severity <= Severity.SUPPRESSED and troops.formed:
        return Fraction(1)
    if massed.kind == PULVERIZING:
        lowest = part.number("pulverized_eliminated")
    elif severity <= Severity.SUPPRESSED:
        lowest = part.number("paralyzed_spent")
    else:
        return Fraction(0)
    return Fraction(max(0, faces + 1 - lowest), faces)


def after_massed(part: "RedPoppiesResolution", view: View, mission: str, massed: Massed) -> Effects:
    """Return the effects of letting the players breach wire and place scrapes (7.12, 7.13)."""
    line, field, firer = (
        massed.line_at(view.mission(mission).impact),
        view.shared(MapChanges),
        view.side(mission),
    )
    key, effects = (mission, line.at), Effects()
    first = massed.before or key not in field.cut
    if massed.ground.bordering(frozenset(line.hexes)) and (
        first or part.options["barrage_breaches"] == "per_detonation"
    ):
        by_firer = (firer,) * part.number("paralyzing_breaches")
        players = (massed.enemy, firer) if massed.kind == PULVERIZING else by_firer
        effects = Effects(*(push(part.breach_wire, mission, line.at, player) for player in players))
        if first and not massed.before:
            effects = Effects(effects, update(field, cut=tuple(sorted((*field.cut, key)))))
    if massed.before and massed.scrapes:
        effects = Effects(effects, push(part.lay_scrapes, mission, part.number("scrapes")))
    return effects


@step(cite="7.12, 7.43")
def breach_wire(
    part: "RedPoppiesResolution", chance: Chance, view: View, mission: str, at: Hex, player: str
) -> Effects:
    """Let a player breach a hex side with wire along the line under fire, if any is left.

    ``at`` is the hex that identifies the line.
    """
    if not _wire(view, mission, at):
        return Effects()
    return Effects(ask(player, part.breach, mission, at, player))


@orders(cite="8.342")
def breach(
    part: "RedPoppiesResolution", view: View, mission: str, at: Hex, player: str
) -> Iterator[Form]:
    """Yield the order to breach one of the hexsides with wire along the line under fire (8.342).

    ``player`` is the side that breaches, and ``at`` is the hex that identifies the line.
    """
    field = view.shared(MapChanges)

    def breached(side: Side) -> Effects:
        gone = update(field, breached=tuple(sorted((*field.breached, side))))
        return Effects(gone, emit("breach", "8.342", side=side, by=player))

    why = Refusal.of("7.12, 7.43", "breach_on_wire")
    side = Slot("side", "the hex side, as its two hexes", _wire(view, mission, at), why)
    yield Form("breach", "7.12, 8.342", (side,), breached)


def _wire(view: View, mission: str, at: Hex) -> tuple[Side, ...]:
    """Return the hex sides with unbreached wire along the line under fire."""
    massed, gone = view.facts(mission, Massed), view.shared(MapChanges).breached
    return tuple(
        s for s in massed.ground.bordering(frozenset(massed.line_at(at).hexes)) if s not in gone
    )


@step(cite="7.13")
def lay_scrapes(
    part: "RedPoppiesResolution", chance: Chance, view: View, mission: str, left: int
) -> Effects:
    """Let the firer place the ``left`` scrapes that remain, one at a time."""
    if not left:
        return Effects()
    return Effects(ask(view.side(mission), part.scrape, mission, left))


@orders(cite="7.13, 8.2")
def scrape(part: "RedPoppiesResolution", view: View, mission: str, left: int) -> Iterator[Form]:
    """Yield the order that places the next scrape of the ``left`` that remain (7.13, 8.2)."""
    why = Refusal.of("7.13, 8.5", "scrape_ground")
    hexes = view.facts(mission, Massed).scrapes
    # The first hex offered is the standard order: standard orders use consecutive hexes.
    first = (part.number("scrapes") - left) % len(hexes)
    at = Slot("at", "the hex", (*hexes[first:], *hexes[:first]), why)
    yield Form("scrape", "7.13", (at,), partial(_scraped, part, view, mission, left))


def _scraped(part: "RedPoppiesResolution", view: View, mission: str, left: int, at: Hex) -> Effects:
    if any(massed_fire(view, m) is None for m in view.missions):
        # Groups will fire at the changed ground. Reading the ground here tells the solver not to
        # treat the hexes as independent.
        _ = view.ground(at, Soil).scrape
    return Effects(
        update(view.ground(at, Soil), scrape=True),
        emit("scrape", "7.13", at=at),
        push(part.lay_scrapes, mission, left - 1),
    )
