"""Units that move and dig: the consequences of a movement point, transport, shovels (6.4 to 6.8).

A movement point can lead to rallying, wire and streams, lost checks, bogging, and fire or gas in
the hex entered, in the order of 6.9. Fire for effect, barrages and gas attack a unit on entry,
before reaction fire (7.247), which ``combat`` resolves last.
"""

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from fireplan_core import FireKind, Form, Modifier, Part, Refusal, Shot, Slot, Stage, View, orders
from fireplan_core.chance import Chance, d6
from fireplan_core.space import Hex, neighbours
from fireplan_core.steps.effects import Effects, ask, emit, push, step, update
from fireplan_red_poppies.checks import hallowed
from fireplan_red_poppies.fire_for_effect import attack
from fireplan_red_poppies.ground import Side, side_of
from fireplan_red_poppies.massed import massed_fire
from fireplan_red_poppies.troops import (
    Company,
    MapChanges,
    Soil,
    TroopState,
    Units,
    cohesion_of,
    cratered,
    disperse,
    enemies_in,
    face_of,
    ground_of,
    ready,
    take_height,
)

if TYPE_CHECKING:
    from fireplan_red_poppies.resolution import RedPoppiesResolution


def modifiers(part: Part) -> Iterator[Modifier]:
    """Yield the modifiers of checks during movement: hallowed ground only (6.679)."""
    for roll in ("rally", "lost", "bog"):
        yield Modifier(roll, "6.679", "hallowed ground", partial(hallowed, part))


@step(cite="6.62, 8.04, 8.321, 8.322, 8.33, 8.341")
def enter(part: "RedPoppiesResolution", chance: Chance, view: View, unit: str, to: Hex) -> Effects:
    """Spend a point to cross a hex side, with the effects of its road, wire or stream.

    ``arrived`` resolves everything else.
    """
    facts, troops, here = (
        view.unit_facts(unit, Company),
        view.unit(unit, TroopState),
        view.place_of(unit),
    )
    ground, field, crossed = ground_of(view, unit), view.shared(MapChanges), side_of(here, to)
    in_trench = troops.inside == "trench" and ground.linked(here, to, field.stops)
    paid = update(
        troops, points=troops.points - 1, moving=True, inside="trench" if in_trench else ""
    )
    effects = [
        Effects(
            update(view.unit_neutral(unit), place=to),
            paid,
            emit("enters", "6.62", unit=unit, to=to),
        )
    ]
    if crossed in ground.roads:
        effects.append(Effects(emit("road", "6.64, 8.6", unit=unit, bonus=troops.points == 0)))
    else:
        effects.append(Effects(update(troops, by_road=False)))
    if in_trench:
        effects.append(Effects(emit("along", "8.321", unit=unit, to=to)))
    if crossed in field.stops:
        effects.append(Effects(emit("stopped", "8.33", unit=unit, side=crossed)))
    if crossed in ground.wire and crossed not in field.breached:
        if facts.armoured:
            cut = update(field, breached=tuple(sorted((*field.breached, crossed))))
            effects.append(
                Effects(cut, emit("breach", "8.342", side=crossed, by=view.unit_side(unit)))
            )
        else:
            tangled = update(troops, formed=False, spent=True)
            effects.append(Effects(tangled, emit("wire", "8.04, 8.341", unit=unit)))
    if crossed in ground.streams and crossed not in ground.bridges:
        effects.append(Effects(update(troops, spent=True), emit("stream", "8.04, 8.7", unit=unit)))
    return Effects(*effects)


@step(cite="6.61, 6.9")
def arrived(
    part: "RedPoppiesResolution", chance: Chance, view: View, units: Units, here: Hex, formed: Units
) -> Effects:
    """Resolve the point that units spent to enter a hex: rallies, checks, then fire and gas.

    ``here`` is the hex that they left. ``formed`` are the units that were formed on entry; others
    may rally to them.
    """
    to, ground = view.place_of(units[0]), ground_of(view, units[0])
    after = []
    for unit in units:
        facts, troops = view.unit_facts(unit, Company), view.unit(unit, TroopState)
        if unit in formed:
            # Units that entered together with the formed unit cannot rally to it.
            after.append(push(part.rallies, unit, units))
        if not troops.strayed and _may_get_lost(
            view, unit, here, to, in_trench=troops.inside == "trench"
        ):
            after.append(push(part.lost, unit))
        # For movement, a road overrides the other terrain of the hex (8.6).
        off_road = side_of(here, to) not in ground.roads
        trench = ground.plot(to).trench and (facts.armoured or facts.type == "cavalry")
        if off_road and (trench or (facts.clumsy and cratered(view, ground, to))):
            after.append(push(part.bog, unit))
    after.append(push(part.entered, units))
    if to in ground.heights:
        after.append(push(part.occupied, to))
    return Effects(*after)


@step(cite="3.9")
def occupied(part: "RedPoppiesResolution", chance: Chance, view: View, at: Hex) -> Effects:
    """Give a newly entered top-level hex to the side that is alone in it."""
    return take_height(view, at, {view.unit_side(unit) for unit in view.units_at(at)})


# --- rally, lost, bog -----------------------------------------------------------------------------
@step(cite="3.8, 6.9")
def rallies(
    part: "RedPoppiesResolution", chance: Chance, view: View, unit: str, tried: Units
) -> Effects:
    """Let ready, dispersed friends in the hex of a formed arrival try to form, once each."""
    if not _stragglers(view, unit, tried):
        return Effects()
    return Effects(ask(view.unit_side(unit), part.rally, unit, tried))


@orders(cite="3.8")
def rally(part: "RedPoppiesResolution", view: View, unit: str, tried: Units) -> Iterator[Form]:
    """Yield the orders for a rally to ``unit``: one unit in its hex tries to form, or none (3.8).

    Units in ``tried`` have already tried.
    """

    def form(unit: str, by: str = unit) -> Effects:
        return Effects(push(part.form, unit), push(part.rallies, by, (*tried, unit)))

    yield Form("no", "3.8")
    why = Refusal.of("3.8", "rallies_once")
    straggler = Slot("unit", "the unit that tries to form", _stragglers(view, unit, tried), why)
    yield Form("rally", "3.8", (straggler,), form)


@step(cite="3.8")
def form(part: "RedPoppiesResolution", chance: Chance, view: View, unit: str) -> Effects:
    """Roll for the rally: success forms the unit and spends it; failure has no effect."""
    roll = chance.dice("rally", first=d6, second=d6)
    if roll.total + chance.drm(roll) > view.unit_facts(unit, Company).score(formed=False):
        return Effects()
    return Effects(
        update(view.unit(unit, TroopState), formed=True, spent=True),
        emit("rallied", "3.8", unit=unit),
    )


@step(cite="6.661, 6.663, 6.9")
def lost(part: "RedPoppiesResolution", chance: Chance, view: View, unit: str) -> Effects:
    """Make a unit's lost check, once a turn; it never destroys the unit (3.73)."""
    troops = view.unit(unit, TroopState)
    roll = chance.dice("lost", first=d6, second=d6)
    once = update(troops, strayed=True)
    if roll.total + chance.drm(roll) > cohesion_of(view, unit):
        dispersed = disperse(view, unit, "3.72", spend=True)
        return Effects(once, emit("lost", "3.71, 6.661, 6.662, 6.663", unit=unit), dispersed)
    return Effects(once)


@step(cite="8.323, 14.0")
def bog(part: "RedPoppiesResolution", chance: Chance, view: View, unit: str) -> Effects:
    """Make the bog check of cavalry or AFVs in a trench hex, or a Saint-Chamond in craters.

    A unit that fails is dispersed and spent, and stops moving.
    """
    troops = view.unit(unit, TroopState)
    roll = chance.dice("bog", first=d6, second=d6)
    if roll.total + chance.drm(roll) > cohesion_of(view, unit):
        stuck = update(troops, formed=False, spent=True, moving=False)
        return Effects(stuck, emit("bogged", "3.71, 8.323", unit=unit))
    return Effects()


# --- fire and gas in the hex entered --------------------------------------------------------------
@step(cite="6.72, 7.247, 7.43, 7.511, 7.512")
def entered(part: "RedPoppiesResolution", chance: Chance, view: View, units: Units) -> Effects:
    """Attack units that enter fire for effect, a barrage or gas; smoke does not attack."""
    place, field = view.place_of(units[0]), view.shared(MapChanges)
    kinds = _falling(view, place)
    cites = {m: "6.72, 7.247" if massed_fire(view, m) is None else "6.72, 7.43" for m in kinds}
    met = [(m, unit) for unit in units for m, kind in kinds.items() if kind is not FireKind.SMOKE]
    once = Effects()
    if part.options["fire_on_entry"] == "once_per_marker":
        met = [pair for pair in met if pair not in field.met]
        once = Effects(update(field, met=tuple(sorted({*field.met, *met}))))
    gas = place in field.gas or FireKind.GAS in kinds.values()
    return Effects(
        once,
        *_paid_to_be_in(part, view, met),
        *(emit("attacked", cites[mission], unit=unit, mission=mission) for mission, unit in met),
        *(emit("breathes", "7.511, 7.512", unit=unit) for unit in units if gas),
        *(attack(part, view, mission, unit, Shot(kinds[mission])) for mission, unit in met),
        push(part.gassed, units, ()) if gas else Effects(),
    )


def _paid_to_be_in(part: Part, view: View, met: list[tuple[str, str]]) -> Iterator[Effects]:
    """Yield the effects on units that spend a point to be IN a trench as they enter massed fire.

    ``met`` has pairs of a mission and a unit that enters its fire. Units spend a point only under
    the option ``pays_to_be_in``.
    """
    for unit in dict.fromkeys(
        unit for mission, unit in met if massed_fire(view, mission) is not None
    ):
        troops, plot = view.unit(unit, TroopState), ground_of(view, unit).plot(view.place_of(unit))
        may = (
            part.options["pays_to_be_in"] and plot.trench and view.unit_facts(unit, Company).on_foot
        )
        if may and not troops.inside and troops.points > 0:
            yield Effects(update(troops, inside="trench", points=troops.points - 1))


# --- transport (6.8) ------------------------------------------------------------------------------
def allowance(part: Part, view: View, unit: str) -> int:
    """Return the movement points of a unit's face, or of its transport (6.84)."""
    troops = view.unit(unit, TroopState)
    if troops.carried:
        return int(part.number(f"{troops.carried}_movement"))
    face = face_of(view, unit)
    return 0 if face is None else face.movement


def refuse_transport(view: View, unit: str, kind: str) -> Refusal | None:
    """Return the refusal if a unit cannot use a kind of transport, otherwise None (6.82)."""
    troops, side, here = view.unit(unit, TroopState), view.unit_side(unit), view.place_of(unit)
    ground = ground_of(view, unit)
    groups = sum(group == (side, kind) for group in view.shared(MapChanges).transport)
    used = sum(
        view.unit_side(u) == side and view.unit(u, TroopState).carried == kind for u in view.units
    )
    if used >= groups:
        return Refusal.of("6.81, 6.83", "transport_used", kind=kind)
    if troops.moving or troops.carried:
        return Refusal.of("6.83", "one_transport")
    if not troops.formed:
        return Refusal.of("6.82", "formed_only")
    if kind == "wagons" and cratered(view, ground, here):
        return Refusal.of("6.82, 6.84", "wagons_in_craters")
    if kind == "trucks" and not any(side_of(here, to) in ground.roads for to in neighbours(here)):
        return Refusal.of("6.82, 6.84", "trucks_without_road")
    return None


def refuse_carriage(view: View, unit: str, to: Hex) -> Refusal | None:
    """Return the refusal if a unit's transport cannot enter a hex, or None (6.82, 6.84)."""
    carried, ground = view.unit(unit, TroopState).carried, ground_of(view, unit)
    if not carried:
        return None
    if to in view.shared(MapChanges).gas or enemies_in(view, unit, to):
        return Refusal.of("6.82", "transport_kept_out")
    if carried == "wagons" and cratered(view, ground, to):
        return Refusal.of("6.84", "wagons_in_craters")
    if carried == "trucks" and side_of(view.place_of(unit), to) not in ground.roads:
        return Refusal.of("6.84", "trucks_off_road")
    return None


# --- shovels --------------------------------------------------------------------------------------
@step(cite="5.3, 6.41")
def shovels(part: "RedPoppiesResolution", chance: Chance, view: View, units: Units) -> Effects:
    """Ask how each surviving unit that dug this turn uses its shovel."""
    dug = [unit for unit in units if view.unit(unit, TroopState).dug]
    if not dug:
        return Effects()
    unit, *others = dug
    down = update(view.unit(unit, TroopState), dug=False)
    if view.unit(unit, TroopState).destroyed:
        return Effects(down, push(part.shovels, tuple(others)))
    return Effects(down, ask(view.unit_side(unit), part.shovel, unit, tuple(others)))


@orders(cite="6.41, 6.42, 8.2, 8.33")
def shovel(part: "RedPoppiesResolution", view: View, unit: str, others: Units) -> Iterator[Form]:
    """Yield the orders for a shovel: dig a scrape, or build or remove a bomb stop (6.41, 8.33).

    ``others`` are the units whose shovels are used afterwards.
    """
    field, at = view.shared(MapChanges), view.place_of(unit)
    meaning = "the hex side, as its two hexes"
    again = push(part.shovels, others)

    def work(side: Side, *, laid: bool) -> Effects:
        stops = {*field.stops, side} if laid else {*field.stops} - {side}
        event = emit("bomb_stop", "6.41, 8.33", unit=unit, side=side, laid=laid)
        return Effects(update(field, stops=tuple(sorted(stops))), event, again)

    dug = Effects(update(view.ground(at, Soil), scrape=True), emit("scrape", "6.41", at=at), again)
    yield Form("scrape", "6.41, 8.2", does=dug)
    link = Slot("side", meaning, _links(view, unit), Refusal.of("8.33", "bomb_stop_link"))
    yield Form("stop", "6.41, 8.33", (link,), partial(work, laid=True))
    stop = Slot("side", meaning, _stops(view, unit), Refusal.of("6.41, 6.42", "no_bomb_stop"))
    yield Form("clear", "6.41, 6.42", (stop,), partial(work, laid=False))


def _falling(view: View, place: Hex) -> dict[str, FireKind]:
    """Map each mission whose fire is on a place to its kind of fire."""
    missions = [
        m for m in view.missions if view.mission(m).stage is Stage.FALLING and view.covers(m, place)
    ]
    return {mission: view.mission(mission).kind for mission in missions}


def _stragglers(view: View, unit: str, tried: Units) -> Units:
    """Return the names of the units that may rally to a unit that has entered their hex (3.8)."""
    if view.unit(unit, TroopState).destroyed:
        return ()
    return tuple(
        other
        for other in view.units_at(view.place_of(unit))
        if other != unit
        and other not in tried
        and view.unit_side(other) == view.unit_side(unit)
        and ready(view, other)
        and not view.unit(other, TroopState).formed
    )


def _may_get_lost(view: View, unit: str, here: Hex, to: Hex, *, in_trench: bool) -> bool:
    """Return whether a move needs a lost check: interior woods, enemy trenches, night (6.661).

    The move is from ``here`` to ``to``; ``in_trench`` means along a trench.
    """
    ground, side, crossed = ground_of(view, unit), view.unit_side(unit), side_of(here, to)
    if crossed in ground.roads:
        return False
    # Along a trench, only a move from one enemy trench hex to another needs a lost check; a trench
    # is the enemy's if the enemy could have set up there (6.662).
    enemy = in_trench and all(
        any(h in hexes for owner, hexes in ground.setups if owner != side) for h in (here, to)
    )
    return crossed in ground.greens or enemy or (ground.night and not (in_trench and not enemy))


def _links(view: View, unit: str) -> tuple[Side, ...]:
    """Return the hex sides where a unit IN a trench may build a bomb stop (8.33)."""
    here, ground, stops = view.place_of(unit), ground_of(view, unit), view.shared(MapChanges).stops
    if view.unit(unit, TroopState).inside != "trench":
        return ()
    return tuple(
        side_of(here, h) for h in sorted(neighbours(here)) if ground.linked(here, h, stops)
    )


def _stops(view: View, unit: str) -> tuple[Side, ...]:
    """Return the bomb stops that a unit can remove: no enemies may be across the side (6.42)."""
    here, own, stops = view.place_of(unit), view.unit_side(unit), view.shared(MapChanges).stops
    clear = (
        h
        for h in sorted(neighbours(here))
        if all(view.unit_side(u) == own for u in view.units_at(h))
    )
    return tuple(side for side in (side_of(here, h) for h in clear) if side in stops)
