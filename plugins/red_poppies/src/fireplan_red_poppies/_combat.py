"""Fire of units on the map: area fire, shots back, and reaction to movers (6.5, 6.7), with gas about the gun (7.514).

Artillery off the map meets it where units act under fire: what a command sets off comes in the order of 6.9. Anti-tank
fire and melee are not played. Who may be activated and how units move is ``_march``'s.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

import attrs

from fireplan_core import (
    Effects,
    Form,
    Modifier,
    Order,
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
from fireplan_core.space import Hex, distance
from fireplan_red_poppies._ground import Ground
from fireplan_red_poppies._massed import Massed
from fireplan_red_poppies._sight import Rules, blocked, hidden
from fireplan_red_poppies._troops import (
    SMOKE,
    Company,
    Field,
    Guns,
    Load,
    Troops,
    destroy,
    disperse,
    ground_of,
    hallowed,
    ready,
)

MORTAR, MACHINE_GUN = "mortar", "machine_gun"
BLOCKED_BY_FRIENDS = ("infantry", "cavalry")
"""Whose fire friends on the way stop (4.6, 6.51)."""


@attrs.frozen
class Shot:
    """Who fires, at which hex, and whether at a mover in reaction."""

    unit: str
    at: Hex
    reaction: bool = False


@attrs.frozen
class Declared:
    """What was so when a shot was declared: from where, its firepower, the target's face, if it holds on to movers."""

    origin: Hex
    power: int
    formed: bool
    moving: bool
    sustained: bool


class Shooting(Resolution):
    """Steps of fire on the map."""

    def shelter(self, view: View, unit: str, high_angle: int) -> list[tuple[int, str]]:
        """What terrain the unit may claim where it is: values and names."""
        raise NotImplementedError

    # --- who may fire at what --------------------------------------------------------------------
    def refuse_shot(self, view: View, unit: str, at: Hex) -> Refusal | None:
        """Why a unit cannot fire at a hex; None when it can (6.51, 6.52, 4.6)."""
        facts, here, side = view.unit_facts(unit, Company), view.place_of(unit), view.unit_side(unit)
        ground = ground_of(facts)
        face = facts.face(formed=view.unit(unit, Troops).formed)
        if not ground.in_play(at):
            return Refusal("2.2, 6.51", "that hex is not in play")
        if at == here:
            return Refusal("6.51", "a mortar cannot fire into its own hex") if facts.type == MORTAR else None
        if any(view.unit_side(other) != side for other in view.units_at(here)):
            return Refusal("6.51", "a unit with enemies in its hex does not fire out of it")
        reach = 0 if face is None else face.range
        if distance(here, at) > reach:
            return Refusal("6.52", f"that hex is {distance(here, at)} hexes away, and the unit's range is {reach}")
        friends: frozenset[Hex] = frozenset()
        if facts.type in BLOCKED_BY_FRIENDS:
            friends = frozenset(
                view.place_of(u)
                for u in view.units
                if view.unit_side(u) == side and view.place_of(u) is not None and not view.unit(u, Troops).inside
            )
        found = blocked(ground, here, at, self._conceals(view, ground), self._rules(ground, friends))
        return None if found is None else Refusal(found.cite, f"{found.what} in {view.frame.label(found.at)}")

    def _rules(self, ground: Ground, friends: frozenset[Hex] = frozenset()) -> Rules:
        return Rules(ground.wheat, open_below=self.options["lower_obstacle"] == "open", friends=friends)

    @staticmethod
    def _conceals(view: View, ground: Ground) -> Callable[[Hex], bool]:
        """Whether night, rain, a barrage or smoke fills a hex (4.8)."""
        lying = [m for m in view.missions if view.mission(m).stage is Stage.FALLING and _thick(view, m)]
        areas, seen = view.scenario.parts.areas, view.seen_by("areas")
        return lambda hex_: ground.dark or any(areas.covers(seen, m, hex_, Fraction(0)) for m in lying)

    # --- fire by command, and shots back ---------------------------------------------------------
    @step(cite="6.04, 6.51, 6.55, 6.74")
    def fire(self, _chance: Chance, view: View, unit: str, at: Hex, back: tuple[str, ...]) -> Effects:
        """The reactor names those in the target hex who shoot back, one by one; then all shots fall together."""
        here = view.place_of(unit)
        left = self._returners(view, unit, at, back)
        if left:
            return Effects(ask(view.unit_side(left[0]), "shoot_back", unit, at, back, then="answered"))
        return Effects(push("volley", (Shot(unit, at), *(Shot(u, here) for u in back))))

    def _returners(self, view: View, unit: str, at: Hex, back: tuple[str, ...]) -> list[str]:
        side, here = view.unit_side(unit), view.place_of(unit)
        return [
            u for u in view.units_at(at) if view.unit_side(u) != side and u not in back and self._reacts(view, u, here)
        ]

    def _reacts(self, view: View, unit: str, at: Hex) -> bool:
        """Whether a unit could fire in reaction at a hex: ready, no mortar, in range and sight (6.71)."""
        if not ready(view, unit) or view.unit_facts(unit, Company).type == MORTAR:
            return False
        return self.refuse_shot(view, unit, at) is None

    @step(cite="6.74")
    def answered(self, _chance: Chance, view: View, unit: str, at: Hex, back: tuple[str, ...], order: Order) -> Effects:
        """One more shoots back, or nobody else does."""
        if order.verb == "shoot":
            return Effects(push("fire", unit, at, (*back, order["unit"])))
        here = view.place_of(unit)
        return Effects(push("volley", (Shot(unit, at), *(Shot(u, here) for u in back))))

    # --- reaction to movers ----------------------------------------------------------------------
    @step(cite="6.04, 6.71, 6.72, 6.73, 6.9")
    def react(self, _chance: Chance, view: View, side: str, movers: tuple[str, ...], used: tuple[str, ...]) -> Effects:
        """After a point is paid and all that comes of it, each of the reactor's units may fire once at the movers."""
        left = self._reactors(view, side, movers, used)
        if not left:
            return Effects()
        return Effects(ask(view.unit_side(left[0]), "reaction", side, movers, used, then="reacted"))

    def _reactors(self, view: View, side: str, movers: tuple[str, ...], used: tuple[str, ...]) -> list[str]:
        at = next((view.place_of(m) for m in movers if not view.unit(m, Troops).destroyed), None)
        if at is None:
            return []
        return [
            u
            for u in view.units
            if view.unit_side(u) != side
            and u not in used
            and view.place_of(u) is not None
            and self._reacts(view, u, at)
        ]

    @step(cite="6.71, 6.73")
    def reacted(
        self, _chance: Chance, view: View, side: str, movers: tuple[str, ...], used: tuple[str, ...], order: Order
    ) -> Effects:
        """The shot falls, and others may follow."""
        if order.verb != "shoot":
            return Effects()
        unit = order["unit"]
        at = next(view.place_of(m) for m in movers if not view.unit(m, Troops).destroyed)
        return Effects(push("volley", (Shot(unit, at, reaction=True),)), push("react", side, movers, (*used, unit)))

    # --- the shots -------------------------------------------------------------------------------
    @step(cite="6.05, 6.53, 6.56, 6.74, 6.75")
    def volley(self, _chance: Chance, view: View, shots: tuple[Shot, ...]) -> Effects:
        """All shots of one exchange: who fires is spent, and everybody else in each target hex but AFV checks.

        What a target shows when the shots are declared holds for all of them, as they fall at once.
        """
        spent, fired, checks = [], [], []
        for shot in shots:
            facts, troops = view.unit_facts(shot.unit, Company), view.unit(shot.unit, Troops)
            face = facts.face(formed=troops.formed)
            power = 0 if face is None else face.firepower
            targets = [u for u in view.units_at(shot.at) if u != shot.unit and not view.unit_facts(u, Company).armoured]
            moving = any(view.unit(u, Troops).moving for u in targets)
            sustained = shot.reaction and facts.type == MACHINE_GUN and moving
            cite = ("6.71, 6.75" if sustained else "6.05, 6.71") if shot.reaction else "6.05, 6.51, 6.56"
            fired.append(emit("fires", cite, unit=shot.unit, at=shot.at))
            if not sustained:
                spent.append(update(troops, spent=True))
            for u in targets:
                seen = view.unit(u, Troops)
                declared = Declared(view.place_of(shot.unit), power, seen.formed, seen.moving, sustained)
                checks.append(push("shot", shot.unit, u, declared))
        return Effects(*spent, *fired, *checks)

    @step(cite="3.72, 3.73, 6.53, 6.75")
    def shot(self, chance: Chance, view: View, shooter: str, unit: str, declared: Declared) -> Effects:
        """The check of one target; a machine gun that holds its fire on movers is spent by a mover's doubles."""
        if view.unit(unit, Troops).destroyed:
            return Effects()
        roll = chance.dice("shot", first=d6, second=d6)
        final = roll.total + chance.drm(roll)
        if final >= self.number("deadly"):
            effect = destroy(view, unit, "3.73")
        elif final > view.unit_facts(unit, Company).score(formed=declared.formed):
            effect = disperse(view, unit, "3.72", spend=True)
        else:
            effect = Effects()
        if declared.sustained and declared.moving and roll.doubles:
            spent = update(view.unit(shooter, Troops), spent=True)
            return Effects(effect, spent, emit("silenced", "6.75", unit=shooter))
        return effect

    # --- modifiers -------------------------------------------------------------------------------
    def shot_modifiers(self) -> tuple[Modifier, ...]:
        """Firepower and one circumstance each of deployment, movement, range, terrain and visibility (6.53)."""
        named = (
            ("6.53", "firepower of the unit", lambda _view, _shooter, _unit, declared: declared.power),
            ("6.53", "target formed", lambda _v, _s, _u, declared: declared.formed * self.circumstance("formed")),
            ("6.53", "target moving", lambda _v, _s, _u, declared: declared.moving * self.circumstance("moving")),
            ("6.52, 6.53", "range", self._range),
            ("6.53", "night", self._night),
            ("7.514", "shooter in gas", self._gassed_gun),
            ("6.679", "hallowed ground", lambda view, _shooter, unit, _declared: hallowed(view, unit)),
            *(
                (cite, f"terrain: {name}", self._claim(name))
                for name, cite in (
                    ("blockhouse", "8.31"), ("trench", "8.321"), ("cover", "8.02, 8.1, 8.2, 8.9"), ("hill", "8.43"),
                    ("afv", "6.53"), ("concealment", "4.81, 8.03"),
                )
            ),
        )  # fmt: skip
        return tuple(Modifier("resolution.shot", cite, summary, value) for cite, summary, value in named)

    def circumstance(self, name: str, high_angle: int = 0) -> int:
        """The value of a circumstance on the reference card."""
        return int(self.charts["modifiers"].cell(high_angle, name))

    def _range(self, view: View, _shooter: str, unit: str, declared: Declared) -> int:
        far = distance(declared.origin, view.place_of(unit))
        return self.circumstance("range") * (far // 2) if far else self.circumstance("same_hex")

    def _night(self, view: View, shooter: str, unit: str, declared: Declared) -> int:
        # One modifier of visibility: gas about the shooter stands in its place.
        if self._gassed_gun(view, shooter, unit, declared) or not ground_of(view.unit_facts(shooter, Company)).night:
            return 0
        return self.circumstance("night")

    def _gassed_gun(self, view: View, _shooter: str, _unit: str, declared: Declared) -> int:
        return self.circumstance("gas") if declared.origin in view.shared(Field).gas else 0

    def _claim(self, name: str) -> Callable[[View, str, str, Declared], int]:
        def value(view: View, shooter: str, unit: str, declared: Declared) -> int:
            claims = self._claims(view, shooter, unit, declared.origin)
            best = min(claims, default=(0, ""))
            return best[0] if best[1] == name else 0

        return value

    def _claims(self, view: View, shooter: str, unit: str, here: Hex) -> list[tuple[int, str]]:
        """Everything of the terrain category that the target may choose from (6.53)."""
        facts, there = view.unit_facts(shooter, Company), view.place_of(unit)
        ground, high = ground_of(facts), int(facts.type == MORTAR)
        found = self.shelter(view, unit, high)
        if ground.plot(there).level > ground.plot(here).level:
            found.append((self.circumstance("hill", high), "hill"))
        if friendly_vehicle(view, unit):
            found.append((self.circumstance("afv"), "afv"))
        if hidden(ground, here, there, self._conceals(view, ground), self._rules(ground)):
            found.append((self.circumstance("concealment"), "concealment"))
        return found

    # --- questions -------------------------------------------------------------------------------
    def combat_questions(self) -> Mapping[str, Question]:
        """Who shoots back, who reacts."""
        return {
            "shoot_back": Question(self._back_forms, self._refuse_back, self._back_standard),
            "reaction": Question(self._reaction_forms, self._refuse_reaction, self._reaction_standard),
        }

    @staticmethod
    def _offer(units: list[str], cite: str) -> tuple[Form, ...]:
        slot = Slot("unit", "which unit", tuple(units))
        return Form("shoot", cite, "fire with a unit", (slot,)), Form("hold", cite, "fire no more")

    def _back_forms(self, view: View, unit: str, at: Hex, back: tuple[str, ...]) -> tuple[Form, ...]:
        return self._offer(self._returners(view, unit, at, back), "6.74")

    def _refuse_back(self, view: View, order: Order, unit: str, at: Hex, back: tuple[str, ...]) -> Refusal | None:
        if order.verb == "hold" or order["unit"] in self._returners(view, unit, at, back):
            return None
        return Refusal("6.74", "only ready units in the hex under fire, other than mortars, shoot back")

    def _back_standard(self, view: View, unit: str, at: Hex, back: tuple[str, ...]) -> Order:
        return Order.of("shoot", unit=self._returners(view, unit, at, back)[0])

    def _reaction_forms(
        self, view: View, side: str, movers: tuple[str, ...], used: tuple[str, ...]
    ) -> tuple[Form, ...]:
        return self._offer(self._reactors(view, side, movers, used), "6.71")

    def _refuse_reaction(
        self, view: View, order: Order, side: str, movers: tuple[str, ...], used: tuple[str, ...]
    ) -> Refusal | None:
        if order.verb == "hold" or order["unit"] in self._reactors(view, side, movers, used):
            return None
        if order["unit"] in used:
            return Refusal("6.73", "a unit fires once at each point that is paid")
        return Refusal("6.71", "only ready units of the reactor, other than mortars, in range and sight, react")

    def _reaction_standard(self, view: View, side: str, movers: tuple[str, ...], used: tuple[str, ...]) -> Order:
        return Order.of("shoot", unit=self._reactors(view, side, movers, used)[0])


def friendly_vehicle(view: View, unit: str) -> bool:
    """Whether an AFV of its own side shares the unit's hex; AFV do not shelter behind each other."""
    if view.unit_facts(unit, Company).armoured:
        return False
    return any(
        view.unit_facts(other, Company).armoured
        and view.unit_side(other) == view.unit_side(unit)
        and not view.unit(other, Troops).destroyed
        for other in view.units_at(view.place_of(unit))
    )


def _thick(view: View, mission: str) -> bool:
    """Whether what a mission lays is concealment: a creeping barrage or smoke."""
    facts = view.scenario.missions[mission].facts.get("resolution")
    if isinstance(facts, Massed):
        return not facts.before
    return isinstance(facts, Guns) and bool(facts.shells) and view.own(mission, Load).shell == SMOKE
