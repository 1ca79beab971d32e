"""Melee: who fights whom, the checks, hallowed ground, and who is spent (6.67).

A melee comes of a movement point, before reaction fire at whoever has paid it (6.72, 6.9). Who may
pay, and what for, is ``resolution``'s matter.
"""

from collections.abc import Iterator

import attrs

from fireplan_core import Form, Modifier, Slot, View, orders
from fireplan_core.chance import Chance, d6
from fireplan_core.space import Hex
from fireplan_core.steps.effects import Effects, Step, ask, emit, push, step, update
from fireplan_red_poppies.combat import Shooting, Units
from fireplan_red_poppies.fire_for_effect import hallowed_by
from fireplan_red_poppies.troops import Company, Field, Troops


@attrs.frozen
class Brawl:
    """A melee: whose it is, who has paid for it, where, and who attacks whom so far ("" where nobody)."""

    side: str
    movers: Units
    at: Hex
    attacks: tuple[tuple[str, str], ...] = ()


Sums = tuple[tuple[str, int], ...]
"""Units under attack, each with the sum of its attackers' melee values."""


class Fighting(Shooting):
    """Steps of melee."""

    def modifiers(self) -> tuple[Modifier, ...]:
        """Return the melee values of all attackers, and hallowed ground.

        Nothing else counts (6.675, 8.02).
        """
        return (
            *super().modifiers(),
            Modifier(
                "clash",
                "6.675, 6.676, 6.677",
                "melee values of its attackers",
                lambda *args: args[2][0][1],
            ),
            Modifier(
                "clash",
                "6.679",
                "hallowed ground",
                lambda view, _, left, __: self.hallowed(view, left[0][0]),
            ),
        )

    @step(cite="6.671, 6.672, 6.673, 6.674")
    def melee(self, chance: Chance, view: View, brawl: Brawl) -> Effects:
        """Let each unit that fights name its one target: of the actor who has paid, then all that the reactor has."""
        named = [unit for unit, _ in brawl.attacks]
        for unit in _fighters(view, brawl):
            if unit not in named:
                return Effects(ask(view.unit_side(unit), self.target, brawl, unit))
        sums: dict[str, int] = {}
        for unit, at in brawl.attacks:
            if at:
                sums[at] = sums.get(at, 0) + self._worth(view, unit, at)
        return Effects(push(self.clash, brawl, tuple(sorted(sums.items())), ()))

    def _worth(self, view: View, unit: str, target: str) -> int:
        """Return the melee value of a unit against another: marked against AFV, then doubled by a storm (6.677)."""
        facts = view.unit_facts(unit, Company)
        face = facts.face(formed=view.unit(unit, Troops).formed)
        if face is None:
            return 0
        value = face.melee + (face.against_afv if view.unit_facts(target, Company).armoured else 0)
        return value * self.number("storm_factor") if facts.storms and view.moment() == 0 else value

    @orders(cite="6.674")
    def target(self, view: View, brawl: Brawl, unit: str) -> Iterator[Form]:
        """Ask whom a unit attacks."""

        def attack(unit: str, by: str = unit) -> Step | Effects:
            return push(self.melee, attrs.evolve(brawl, attacks=(*brawl.attacks, (by, unit))))

        side = view.unit_side(unit)
        enemies = tuple(u for u in view.units_at(brawl.at) if view.unit_side(u) != side)
        at = Slot("unit", "one enemy unit in the hex", enemies)
        yield Form("attack", "6.674, 6.676", (at,), attack)
        yield Form("spare", "6.674", does=attack(""))

    @step(cite="3.72, 3.73, 6.675")
    def clash(
        self, chance: Chance, view: View, brawl: Brawl, left: Sums, doubled: Units
    ) -> Effects:
        """Check each unit under attack.

        Sums were made before the first check, so all count whatever it brings.
        """
        if not left:
            return self._over(view, brawl, doubled)
        unit = left[0][0]
        roll = chance.dice("clash", first=d6, second=d6)
        score = view.unit_facts(unit, Company).score(formed=view.unit(unit, Troops).formed)
        effect = self.suffer(view, unit, roll.total + chance.drm(roll), score)
        if roll.doubles:
            doubled = (*doubled, view.unit_side(unit))
        return Effects(effect, push(self.clash, brawl, left[1:], doubled))

    def _over(self, view: View, brawl: Brawl, doubled: Units) -> Effects:
        """Spend all who fought, hallow the ground for a side that rolled doubles, and let reaction fire follow."""
        effects = [Effects(emit("melee", "6.678", at=brawl.at, side=brawl.side))]
        for unit, _ in brawl.attacks:
            effects.append(Effects(update(view.unit(unit, Troops), spent=True, moving=False)))
        if doubled and hallowed_by(view, brawl.movers[0]) is None:
            side = brawl.side if brawl.side in doubled else doubled[0]
            marked = update(view.shared(Field), hallowed=(side, brawl.at))
            effects.append(Effects(marked, emit("hallowed", "6.679", at=brawl.at, by=side)))
        return Effects(*effects, push(self.react, brawl.side, brawl.movers, ()))


def _fighters(view: View, brawl: Brawl) -> Units:
    """Return who fights, in the order of 6.674: the actor's units that have paid, then all of the reactor's there."""
    theirs = (unit for unit in view.units_at(brawl.at) if view.unit_side(unit) != brawl.side)
    return (*brawl.movers, *theirs)
