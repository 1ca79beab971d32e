"""Units under fire: cohesion checks, gas, massed fire and fire for effect (3.7, 7.12, 7.24, 7.5).

Each unit checks separately: 2d6 plus firepower and circumstances against its cohesion. In gas, all
checks are made first. Then each double moves the whole cloud one hex, and the units that the cloud
newly reaches check in turn. To keep that loop solvable, it emits only events that make a unit
worse.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from math import ceil

from fireplan_core import (
    FireKind,
    Form,
    Modifier,
    Place,
    Refusal,
    Resolution,
    Shot,
    Slot,
    View,
    orders,
)
from fireplan_core.chance import Chance, Reading, d6
from fireplan_core.space import Hex, distance
from fireplan_core.steps.effects import Effects, ask, emit, push, step, update
from fireplan_red_poppies.ground import COMPASS, Ground, Side, toward
from fireplan_red_poppies.massed import PULVERIZING, Massed, massed_fire
from fireplan_red_poppies.setup import Group
from fireplan_red_poppies.troops import Company, Field, Soil, Troops, destroy, disperse, plot_of

TERRAIN = {
    "blockhouse": "8.31",
    "trench": "8.321",
    "cover": "8.02, 8.1, 8.2, 8.9",
    "hill": "8.43",
    "afv": "6.53, 7.241",
}
"""Maps each kind of terrain that protects against fire for effect to its rules."""

Drifts = tuple[tuple[str, tuple[Hex, ...]], ...]
"""The drifts to come: the side that rolled a double, and the hexes with gas at the roll (7.513)."""


def hallowed_by(view: View, unit: str) -> tuple[str, Hex] | None:
    """Return the side and hex of the hallowed ground on a unit's map, or None (6.679)."""
    ground = view.unit_facts(unit, Company).ground
    if ground is None or ground.hallowed is not None:
        return None if ground is None else ground.hallowed
    return view.shared(Field).hallowed if view.scenario.mobile else None


class FireForEffect(Resolution):
    """The steps for checks, gas, massed fire and fire for effect, inherited by resolution."""

    # --- shared by all checks of units ------------------------------------------------------------
    def circumstance(self, name: str, high_angle: int = 0) -> int:
        """Return a circumstance's modifier; ``high_angle`` is 1 for howitzers and mortars."""
        return int(self.charts["modifiers"].cell(high_angle, name))

    def hallowed(self, view: View, unit: str) -> int:
        """Return the modifier of a unit in or next to ground hallowed for its side (6.679)."""
        ground = hallowed_by(view, unit)
        if ground is None:
            return 0
        side, at = ground
        near = side == view.unit_side(unit) and distance(at, view.place_of(unit)) <= 1
        return self.number("hallowed_drm") if near else 0

    def room(self, ground: Ground | None, place: Place) -> int:
        """Return the stacking limit of a hex, for a side's AFVs and for others (3.4, 14.0)."""
        quarry = ground is not None and ground.plot(place).quarry
        return int(self.number("quarry_units" if quarry else "companies_in_a_hex"))

    def formed(self, view: View, unit: str, high_angle: int = 0) -> int:
        """Return the modifier of a formed target, or 0 if the unit is dispersed."""
        return self.circumstance("formed", high_angle) if view.unit(unit, Troops).formed else 0

    def moving(self, view: View, unit: str, high_angle: int = 0) -> int:
        """Return the modifier of a moving target, or 0 if the unit is not moving."""
        return self.circumstance("moving", high_angle) if view.unit(unit, Troops).moving else 0

    def claimed(self, name: str, claims: Iterable[str], high_angle: int = 0) -> int:
        """Return the modifier of a terrain if it is the target's best claim, otherwise 0 (6.53)."""
        value, best = min(
            ((self.circumstance(claim, high_angle), claim) for claim in claims), default=(0, "")
        )
        return value if best == name else 0

    @staticmethod
    def shelter(view: View, unit: str) -> list[str]:
        """Return the terrain that a unit may claim against any fire: works it is IN, and cover."""
        inside, plot = view.unit(unit, Troops).inside, plot_of(view, unit)
        if plot is None:
            covered = view.unit_facts(unit, Company).cover
        else:
            covered = plot.covers or view.ground(view.place_of(unit), Soil).scrape
        return [*([inside] if inside else []), *(["cover"] if covered else [])]

    @staticmethod
    def beside_vehicle(view: View, unit: str) -> bool:
        """Return whether a friendly AFV in its hex shelters a unit that is not an AFV."""
        if view.unit_facts(unit, Company).armoured:
            return False
        return any(
            view.unit_facts(other, Company).armoured
            and view.unit_side(other) == view.unit_side(unit)
            and not view.unit(other, Troops).destroyed
            for other in view.units_at(view.place_of(unit))
        )

    def suffer(
        self, view: View, unit: str, final: Reading, score: int, *, kills: bool = True
    ) -> Effects:
        """Destroy a unit on a deadly total; disperse and spend it on one above its cohesion (3.7).

        ``kills`` says whether this check can destroy the unit.
        """
        if kills and final >= self.number("deadly"):
            return destroy(view, unit, "3.73")
        if final > score:
            return disperse(view, unit, "3.72", spend=True)
        return Effects()

    # --- gas -------------------------------------------------------------------------------------
    def release_gas(self, view: View, mission: str) -> Effects:
        """Place gas in the hexes of fire for effect, and check every unit in them."""
        hexes, field = struck_hexes(view, mission), view.shared(Field)
        # Gas only accumulates: reading the clock keeps the number of clouds finite.
        view.moment()
        struck = tuple(unit for unit in view.units if view.place_of(unit) in hexes)
        return Effects(
            update(field, gas=tuple(sorted({*field.gas, *hexes}))),
            emit("gas", "7.51", mission=mission, hexes=hexes),
            push(self.gassed, struck, ()),
        )

    @step(cite="7.511, 7.512")
    def gassed(self, chance: Chance, view: View, units: tuple[str, ...], drifts: Drifts) -> Effects:
        """Check the next unit in gas; after the last one, let the gas drift."""
        if not units:
            if drifts:
                return Effects(ask(drifts[0][0], self.drift, drifts))
            return Effects(emit("cloud", "7.512", hexes=view.shared(Field).gas))
        unit, *others = units
        troops = view.unit(unit, Troops)
        if troops.destroyed:
            return Effects(push(self.gassed, tuple(others), drifts))
        roll = chance.dice("gas", first=d6, second=d6)
        score = view.unit_facts(unit, Company).score(formed=troops.formed)
        effect = self.suffer(
            view, unit, roll.total + chance.drm(roll), score, kills=self.options["gas_kills"]
        )
        if roll.doubles:
            drifts = (*drifts, (view.unit_side(unit), view.shared(Field).gas))
        return Effects(effect, push(self.gassed, tuple(others), drifts))

    @orders(cite="7.513")
    def drift(self, view: View, drifts: Drifts) -> Iterator[Form]:
        """Ask for the direction in which gas drifts, offering the wind's direction first."""
        ways = sorted(COMPASS, key=lambda way: way != self.options["wind"])
        why = Refusal.of("7.513", "gas_sides", sides=tuple(COMPASS))
        to = Slot("to", "the hex side that every marker crosses", tuple(ways), why)
        yield Form("drift", "7.513", (to,), partial(self._drifted, view, drifts))

    def _drifted(self, view: View, drifts: Drifts, to: str) -> Effects:
        """Move every gas marker one hex, and check the units in newly reached hexes (7.513).

        Markers that leave the map are removed.
        """
        field = view.shared(Field)
        (_, before), *later = drifts
        after = tuple(sorted(h for h in (toward(g, to) for g in field.gas) if _in_play(view, h)))
        fresh = tuple(h for h in after if h not in before)
        reached = tuple(unit for unit in view.units if view.place_of(unit) in fresh)
        return Effects(update(field, gas=after), push(self.gassed, reached, tuple(later)))

    # --- massed fire -----------------------------------------------------------------------------
    @step(cite="7.12, 7.43")
    def bombard(self, chance: Chance, view: View, mission: str, unit: str) -> Effects:
        """Eliminate a unit in the open; roll for a unit in works or a village.

        A unit that rolls is dispersed. On a high roll it is also eliminated or spent, depending on
        the kind of bombardment.
        """
        troops, plot = view.unit(unit, Troops), plot_of(view, unit)
        if troops.destroyed:
            return Effects()
        sheltered = bool(troops.inside) or (plot is not None and plot.village)
        spared = (
            view.unit_facts(unit, Company).armoured
            and self.options["bombarded_vehicles"] == "disperse"
        )
        if not sheltered and not spared:
            return destroy(view, unit, "7.12")
        roll = chance.dice("bombardment", white=d6)
        if view.facts(mission, Massed).kind != PULVERIZING:
            spent = roll.white >= self.number("paralyzed_spent")
            return disperse(view, unit, "7.12", spend=spent, stopped=False)
        if roll.white >= self.number("pulverized_eliminated"):
            return destroy(view, unit, "7.12")
        return disperse(view, unit, "7.12", spend=False, stopped=False)

    def after_massed(self, view: View, mission: str, massed: Massed) -> Effects:
        """Let the players breach the wire along the line, then place scrapes (7.12, 7.13)."""
        line, field, firer = (
            massed.line_at(view.mission(mission).impact),
            view.shared(Field),
            view.side(mission),
        )
        key, effects = (mission, line.at), Effects()
        first = massed.before or key not in field.cut
        if massed.ground.bordering(frozenset(line.hexes)) and (
            first or self.options["barrage_breaches"] == "per_detonation"
        ):
            by_firer = (firer,) * self.number("paralyzing_breaches")
            players = (massed.enemy, firer) if massed.kind == PULVERIZING else by_firer
            effects = Effects(
                *(push(self.breach_wire, mission, line.at, player) for player in players)
            )
            if first and not massed.before:
                effects = Effects(effects, update(field, cut=tuple(sorted((*field.cut, key)))))
        if massed.before and massed.scrapes:
            effects = Effects(effects, push(self.lay_scrapes, mission, self.number("scrapes")))
        return effects

    # --- wire ------------------------------------------------------------------------------------
    @step(cite="7.12, 7.43")
    def breach_wire(
        self, chance: Chance, view: View, mission: str, at: Hex, player: str
    ) -> Effects:
        """Let a player breach a hex side with wire, if any is left."""
        if not _wire(view, mission, at):
            return Effects()
        return Effects(ask(player, self.breach, mission, at, player))

    @orders(cite="8.342")
    def breach(self, view: View, mission: str, at: Hex, player: str) -> Iterator[Form]:
        """Ask which hex side to breach, and remove its wire."""
        field = view.shared(Field)

        def breached(side: Side) -> Effects:
            gone = update(field, breached=tuple(sorted((*field.breached, side))))
            return Effects(gone, emit("breach", "8.342", side=side, by=player))

        why = Refusal.of("7.12, 7.43", "breach_on_wire")
        side = Slot("side", "the hex side, as its two hexes", _wire(view, mission, at), why)
        yield Form("breach", "7.12, 8.342", (side,), breached)

    # --- scrapes ---------------------------------------------------------------------------------
    @step(cite="7.13")
    def lay_scrapes(self, chance: Chance, view: View, mission: str, left: int) -> Effects:
        """Let the firer place the remaining scrapes, one at a time."""
        if not left:
            return Effects()
        return Effects(ask(view.side(mission), self.scrape, mission, left))

    @orders(cite="7.13, 8.2")
    def scrape(self, view: View, mission: str, left: int) -> Iterator[Form]:
        """Ask for the hex of the next scrape."""
        why = Refusal.of("7.13, 8.5", "scrape_ground")
        hexes = view.facts(mission, Massed).scrapes
        # The standard orders place scrapes in consecutive hexes.
        first = (self.number("scrapes") - left) % len(hexes)
        at = Slot("at", "the hex", (*hexes[first:], *hexes[:first]), why)
        yield Form("scrape", "7.13", (at,), partial(self._scraped, view, mission, left))

    def _scraped(self, view: View, mission: str, left: int, at: Hex) -> Effects:
        if any(massed_fire(view, m) is None for m in view.missions):
            # Groups will fire at the changed ground, so reading it here keeps the solver from
            # treating the hexes as independent.
            _ = view.ground(at, Soil).scrape
        return Effects(
            update(view.ground(at, Soil), scrape=True),
            emit("scrape", "7.13", at=at),
            push(self.lay_scrapes, mission, left - 1),
        )

    # --- fire for effect -------------------------------------------------------------------------
    def modifiers(self) -> tuple[Modifier, ...]:
        """Return the modifiers of fire for effect and of gas (6.53, 7.241, 7.511).

        Fire has firepower and one circumstance each for deployment, movement and terrain; gas has
        deployment and movement only.
        """
        of_fire: tuple[tuple[str, str, Callable[[View, str, str, int], int]], ...] = (
            (
                "6.53, 7.0, 7.241",
                "firepower of the group",
                lambda _view, _mission, _unit, power: power,
            ),
            (
                "7.241",
                "target formed",
                lambda view, mission, unit, _: self.formed(view, unit, _high(view, mission)),
            ),
            (
                "7.241",
                "target moving",
                lambda view, mission, unit, _: self.moving(view, unit, _high(view, mission)),
            ),
            ("6.679", "hallowed ground", lambda view, _mission, unit, _: self.hallowed(view, unit)),
            *((cite, f"terrain: {name}", self._terrain(name)) for name, cite in TERRAIN.items()),
        )
        return (
            *super().modifiers(),
            *(Modifier("cohesion", *entry) for entry in of_fire),
            Modifier(
                "gas", "7.511", "target formed", lambda view, units, _: self.formed(view, units[0])
            ),
            Modifier(
                "gas", "7.511", "target moving", lambda view, units, _: self.moving(view, units[0])
            ),
            Modifier(
                "gas",
                "6.679",
                "hallowed ground",
                lambda view, units, _: self.hallowed(view, units[0]),
            ),
        )

    def _terrain(self, name: str) -> Callable[[View, str, str, int], int]:
        return lambda view, mission, unit, _: self.claimed(
            name, self._claims(view, unit), _high(view, mission)
        )

    def _claims(self, view: View, unit: str) -> list[str]:
        """Return the terrain that a unit may claim: shelter, an AFV, and by option a hill."""
        claims, plot = self.shelter(view, unit), plot_of(view, unit)
        if plot is not None and plot.level and self.options["hill_cover"]:
            claims.append("hill")
        if plot is not None and self.options["vehicle_cover"] and self.beside_vehicle(view, unit):
            claims.append("afv")
        return claims

    @step(cite="7.245, 7.246")
    def strike(self, chance: Chance, view: View, mission: str, place: Place, shot: Shot) -> Effects:
        """Attack every unit in the hex, friend or foe."""
        return Effects(
            *(self.under_fire(view, mission, unit, shot) for unit in view.units_at(place))
        )

    def under_fire(self, view: View, mission: str, unit: str, shot: Shot) -> Effects:
        """Return the attack on a unit in or entering a mission's fire; gas and smoke come later.

        Firepower is multiplied by the strength of the shot, and rounded up.
        """
        if massed_fire(view, mission) is not None:
            return Effects(push(self.bombard, mission, unit))
        if shot.kind is not FireKind.HE:
            return Effects()
        return Effects(
            push(
                self.check,
                mission,
                unit,
                ceil(view.facts(mission, Group).entry.firepower * shot.strength),
            )
        )

    @step(cite="7.12, 7.51, 7.52")
    def spent(self, chance: Chance, view: View, mission: str) -> Effects:
        """Apply the after-effects of the strikes: breaches and scrapes, gas, or smoke."""
        massed, kind = massed_fire(view, mission), view.mission(mission).kind
        if massed is not None:
            return self.after_massed(view, mission, massed)
        if kind is FireKind.GAS:
            return self.release_gas(view, mission)
        if kind is FireKind.SMOKE:
            return Effects(
                emit("smoke", "7.52", mission=mission, hexes=struck_hexes(view, mission))
            )
        return Effects()

    @step(cite="3.72, 3.73")
    def check(self, chance: Chance, view: View, mission: str, unit: str, power: int) -> Effects:
        """Check the cohesion of one unit under fire."""
        troops, facts = view.unit(unit, Troops), view.unit_facts(unit, Company)
        if troops.destroyed:
            return Effects()
        roll = chance.dice("cohesion", first=d6, second=d6)
        final = roll.total + chance.drm(roll)
        if facts.ground is None and final < self.number("deadly"):
            # Being spent ends with the turn and affects no check, so engagements do not track it.
            failed = final > facts.cohesion
            return disperse(view, unit, "3.72", spend=False, always=True) if failed else Effects()
        return self.suffer(view, unit, final, facts.score(formed=troops.formed))


def _high(view: View, mission: str) -> int:
    return int(view.facts(mission, Group).entry.howitzers)


def struck_hexes(view: View, mission: str) -> tuple[Hex, ...]:
    """Return the hexes in play at the vertex that a group's fire has hit (7.245)."""
    ground = view.facts(mission, Group).forces.ground
    return tuple(h for h in view.mission(mission).impact if ground is None or ground.in_play(h))


def _in_play(view: View, hex_: Hex) -> bool:
    guns = (setup.facts.get(view.word) for setup in view.scenario.missions.values())
    grounds = (facts.forces.ground for facts in guns if isinstance(facts, Group))
    return all(ground is None or ground.in_play(hex_) for ground in grounds)


def _wire(view: View, mission: str, at: Hex) -> tuple[Side, ...]:
    """Return the hex sides with unbreached wire along the line under fire."""
    massed, gone = view.facts(mission, Massed), view.shared(Field).breached
    return tuple(
        s for s in massed.ground.bordering(frozenset(massed.line_at(at).hexes)) if s not in gone
    )
