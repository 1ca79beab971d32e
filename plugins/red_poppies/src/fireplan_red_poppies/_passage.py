"""What a movement point brings on: rallying, wire and streams, getting lost, bogging, fire and gas that lie there.

In the order of 6.9: rally, lost, (melee, which is not played,) and reaction fire last, which ``_combat`` asks for
when all of this is over. Fire for effect, barrages and gas attack whoever enters before reaction fire does (7.247).
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from fireplan_core import (
    Effects,
    Form,
    Modifier,
    Order,
    Place,
    Question,
    Refusal,
    Resolution,
    Slot,
    Stage,
    View,
    ask,
    emit,
    push,
    step,
    update,
)
from fireplan_core.chance import Chance, d6
from fireplan_core.space import Hex
from fireplan_red_poppies._ground import Ground, side_of
from fireplan_red_poppies._massed import Massed
from fireplan_red_poppies._troops import (
    FOOT,
    GAS,
    SMOKE,
    Company,
    Field,
    Guns,
    Load,
    Troops,
    disperse,
    ground_of,
    hallowed,
    ready,
)


class Passing(Resolution):
    """Steps of a unit that enters a hex."""

    def under_fire(self, view: View, mission: str, unit: str, intensity: Fraction) -> Effects:
        """What a mission's fire does to a unit."""
        raise NotImplementedError

    @step(cite="6.62, 8.04, 8.33, 8.341")
    def enter(self, _chance: Chance, view: View, unit: str, to: Hex) -> Effects:
        """One point: a unit crosses a hex side and suffers what runs there; what else comes of it is ``arrived``'s."""
        facts, troops, here = view.unit_facts(unit, Company), view.unit(unit, Troops), view.place_of(unit)
        ground = ground_of(facts)
        field, crossed = view.shared(Field), side_of(here, to)
        in_trench = troops.inside == "trench" and ground.linked(here, to, field.stops)
        effects = [
            update(view.unit_neutral(unit), place=to),
            update(troops, points=troops.points - 1, moving=True, inside="trench" if in_trench else ""),
        ]
        by_road = crossed in ground.roads
        if not by_road:
            effects.append(update(troops, by_road=False))
        told = [emit("enters", "6.62", unit=unit, to=to)]
        if by_road:
            told.append(emit("road", "6.64, 8.6", unit=unit, bonus=troops.points == 0))
        if in_trench:
            told.append(emit("along", "8.321", unit=unit, to=to))
        if crossed in field.stops:
            told.append(emit("stopped", "8.33", unit=unit, side=crossed))
        if crossed in ground.wire and crossed not in field.breached:
            if facts.armoured:
                effects.append(update(field, breached=tuple(sorted((*field.breached, crossed)))))
                told.append(emit("breach", "8.342", side=crossed, by=view.unit_side(unit)))
            else:
                effects.append(update(troops, formed=False, spent=True))
                told.append(emit("wire", "8.04, 8.341", unit=unit))
        if crossed in ground.streams and crossed not in ground.bridges:
            effects.append(update(troops, spent=True))
            told.append(emit("stream", "8.04, 8.7", unit=unit))
        return Effects(*effects, *told)

    @step(cite="6.61, 6.9")
    def arrived(self, _chance: Chance, view: View, units: tuple[str, ...], here: Hex, formed: tuple[str, ...]) -> Effects:
        """All who paid this point are over: who came ``formed`` rallies others, some check, then what lies there."""
        to = view.place_of(units[0])
        after = []
        for unit in units:
            facts, troops = view.unit_facts(unit, Company), view.unit(unit, Troops)
            ground, crossed = ground_of(facts), side_of(here, to)
            if unit in formed:
                # Those it comes with were not in the hex that it enters.
                after.append(push("rally", unit, units))
            in_trench = troops.inside == "trench"
            if not troops.strayed and _may_get_lost(view, unit, here, to, in_trench=in_trench):
                after.append(push("lost", unit))
            # Entering by road, the road stands in place of what else is in the hex (8.6).
            if crossed not in ground.roads and ground.plot(to).trench and (facts.armoured or facts.type == "cavalry"):
                after.append(push("bog", unit))
        after.append(push("entered", units))
        if to in ground.heights:
            after.append(push("areas.occupied", to))
        return Effects(*after)

    # --- rally, lost, bog ------------------------------------------------------------------------
    @step(cite="3.8, 6.9")
    def rally(self, _chance: Chance, view: View, unit: str, tried: tuple[str, ...]) -> Effects:
        """A formed unit has come: ready, dispersed friends there may try to form, each once."""
        if not _stragglers(view, unit, tried):
            return Effects()
        return Effects(ask(view.unit_side(unit), "rally", unit, tried, then="rallying"))

    @step(cite="3.8")
    def rallying(self, _chance: Chance, _view: View, unit: str, tried: tuple[str, ...], order: Order) -> Effects:
        """One tries, or nobody does."""
        if order.verb != "rally":
            return Effects()
        return Effects(push("form", order["unit"]), push("rally", unit, (*tried, order["unit"])))

    @step(cite="3.8")
    def form(self, chance: Chance, view: View, unit: str) -> Effects:
        """The check: passing forms and spends, failing costs nothing."""
        roll = chance.dice("rally", first=d6, second=d6)
        if roll.total + chance.drm(roll) > view.unit_facts(unit, Company).score(formed=False):
            return Effects()
        return Effects(update(view.unit(unit, Troops), formed=True, spent=True), emit("rallied", "3.8", unit=unit))

    @step(cite="6.661, 6.663, 6.9")
    def lost(self, chance: Chance, view: View, unit: str) -> Effects:
        """The check of one who may lose the way, once a turn; a move never destroys (3.73)."""
        troops = view.unit(unit, Troops)
        roll = chance.dice("lost", first=d6, second=d6)
        once = update(troops, strayed=True)
        if roll.total + chance.drm(roll) > view.unit_facts(unit, Company).score(formed=troops.formed):
            gone = disperse(view, unit, "3.72", spend=True)
            return Effects(once, emit("lost", "3.71, 6.661, 6.662, 6.663", unit=unit), gone)
        return Effects(once)

    @step(cite="8.323")
    def bog(self, chance: Chance, view: View, unit: str) -> Effects:
        """Cavalry and AFV check on entering a trench hex; a move never destroys (3.73)."""
        troops = view.unit(unit, Troops)
        roll = chance.dice("bog", first=d6, second=d6)
        if roll.total + chance.drm(roll) > view.unit_facts(unit, Company).score(formed=troops.formed):
            return Effects(update(troops, formed=False, spent=True, moving=False), emit("bogged", "3.71, 8.323", unit=unit))
        return Effects()

    # --- fire and gas that lie there -------------------------------------------------------------
    @step(cite="6.72, 7.247, 7.43, 7.511, 7.512")
    def entered(self, _chance: Chance, view: View, units: tuple[str, ...]) -> Effects:
        """Fire for effect, a barrage and gas attack whoever enters, at once and at no command; smoke does not."""
        place, field = view.place_of(units[0]), view.shared(Field)
        lying = [m for m in view.missions if view.mission(m).stage is Stage.FALLING and _covers(view, m, place)]
        gas = place in field.gas or any(_fires(view, m, GAS) for m in lying)
        lying = [m for m in lying if not _fires(view, m, SMOKE)]
        once = self.options["fire_on_entry"] == "once_per_marker"
        met = [(m, unit) for unit in units for m in lying if not (once and (m, unit) in field.met)]
        effects = [update(field, met=tuple(sorted({*field.met, *met})))] if once else []
        for unit in units:
            facts, troops = view.unit_facts(unit, Company), view.unit(unit, Troops)
            trench = ground_of(facts).plot(place).trench and not troops.inside and facts.type in FOOT
            pays = self.options["pays_to_be_in"] and trench and troops.points > 0
            if pays and any(_barrage(view, m) for m, u in met if u == unit):
                effects.append(update(troops, inside="trench", points=troops.points - 1))
        told = [emit("attacked", _cite(view, m), unit=unit, mission=m) for m, unit in met]
        attacks = [self.under_fire(view, m, unit, Fraction(1)) for m, unit in met]
        told += [emit("breathes", "7.511, 7.512", unit=unit) for unit in units if gas]
        return Effects(*effects, *told, *attacks, *((push("gassed", units, ()),) if gas else ()))

    # --- modifiers and questions -----------------------------------------------------------------
    @staticmethod
    def passage_modifiers() -> tuple[Modifier, ...]:
        """Hallowed ground alone bears on checks that a move brings on (6.679)."""
        return tuple(
            Modifier(f"resolution.{roll}", "6.679", "hallowed ground", hallowed) for roll in ("rally", "lost", "bog")
        )

    def passage_questions(self) -> Mapping[str, Question]:
        """Who tries to rally."""
        return {"rally": Question(self._rally_forms, self._refuse_rally, lambda _view, _unit, _tried: Order.of("no"))}

    @staticmethod
    def _rally_forms(view: View, unit: str, tried: tuple[str, ...]) -> tuple[Form, ...]:
        slot = Slot("unit", "who tries to form", _stragglers(view, unit, tried))
        return Form("rally", "3.8", "try to form a dispersed unit", (slot,)), Form("no", "3.8", "let it be")

    @staticmethod
    def _refuse_rally(view: View, order: Order, unit: str, tried: tuple[str, ...]) -> Refusal | None:
        if order.verb == "no" or order["unit"] in _stragglers(view, unit, tried):
            return None
        return Refusal("3.8", "only ready, dispersed friends in the hex that was entered may rally, each once")


def _stragglers(view: View, unit: str, tried: tuple[str, ...]) -> tuple[str, ...]:
    """Who may rally to a unit that has come."""
    if view.unit(unit, Troops).destroyed:
        return ()
    return tuple(
        other
        for other in view.units_at(view.place_of(unit))
        if other != unit
        and other not in tried
        and view.unit_side(other) == view.unit_side(unit)
        and ready(view, other)
        and not view.unit(other, Troops).formed
    )


def _may_get_lost(view: View, unit: str, here: Hex, to: Hex, *, in_trench: bool) -> bool:
    """Whether a move from hex to hex calls for the check: interior woods, enemy trenches, night (6.661)."""
    ground, side, crossed = ground_of(view.unit_facts(unit, Company)), view.unit_side(unit), side_of(here, to)
    if crossed in ground.roads:
        return False
    enemy = in_trench and all(_enemy_trench(ground, side, h) for h in (here, to))
    return crossed in ground.greens or enemy or (ground.night and not (in_trench and not enemy))


def _enemy_trench(ground: Ground, side: str, hex_: Hex) -> bool:
    """Whether the enemy could have set up there (6.662)."""
    return any(hex_ in hexes for owner, hexes in ground.setups if owner != side)


def _barrage(view: View, mission: str) -> bool:
    return isinstance(view.scenario.missions[mission].facts.get("resolution"), Massed)


def _cite(view: View, mission: str) -> str:
    return "6.72, 7.43" if _barrage(view, mission) else "6.72, 7.247"


def _covers(view: View, mission: str, place: Place) -> bool:
    return bool(view.scenario.parts.areas.covers(view.seen_by("areas"), mission, place, Fraction(0)))


def _fires(view: View, mission: str, shell: str) -> bool:
    facts = view.scenario.missions[mission].facts.get("resolution")
    return isinstance(facts, Guns) and bool(facts.shells) and view.own(mission, Load).shell == shell
