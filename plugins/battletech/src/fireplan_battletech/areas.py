"""Areas: a to-hit roll, scatter by its margin of failure, and rings of decreasing damage."""

from fractions import Fraction
from functools import cache, partial
from typing import ClassVar

import attrs

from fireplan_battletech.fire import ANYBODY, HexRanging, Known, Plotted, gun_of
from fireplan_battletech.forms import Gun, Spotter, Weapons, map_of, skill
from fireplan_battletech.units import Spotted, best, bonuses
from fireplan_core import (
    Effects,
    Keeps,
    Modifier,
    Place,
    Reason,
    Stage,
    Staging,
    View,
    cycle,
    emit,
    push,
    step,
    update,
)
from fireplan_core.chance import Chance, d6
from fireplan_core.ready_parts import HexAreas
from fireplan_core.space import Hex, HexFrame, disc, distance
from fireplan_core.space import step as hex_step


@cache
def _middle_of(frame: HexFrame) -> Hex:
    """Return the hex nearest to the mean of the centres of all hexes of a map."""
    centres = zip(*map(frame.metres, frame.layout.hexes()), strict=True)
    return frame.nearest(*(sum(pair) / len(pair) for pair in centres))


class BattleTechAreas(HexAreas):
    """The areas part: two dice against a to-hit number; a miss by n scatters n hexes (9 to 17).

    Damage decreases from ring to ring.
    """

    cites: ClassVar = {"spotting": "9", "fall": "16", "lingering": "16"}
    publishes = (HexRanging,)
    keeps = Keeps(assets=(HexRanging,))

    def frame(self) -> HexFrame:
        """Return the frame of the map (7)."""
        return map_of(self)

    def stage(self, staging: Staging) -> None:
        """Stage an empty record of hits and observed misses for each piece."""
        for mission in staging.assets:
            staging.mission(mission, self.word, HexRanging(), gun_of(staging, self))

    def middle(self) -> Hex:
        """Return the hex in the middle of the map."""
        return _middle_of(self.frame())

    @step(cite="9, D12")
    def land(self, chance: Chance, view: View, mission: str) -> Effects:
        """Roll against the to-hit number, unless the hex is hit automatically (7, 12).

        A miss scatters the shell by the margin of failure.
        """
        gun, aim = view.facts(mission, Gun), view.mission(mission).aim
        if cite := self.certain(view, mission, aim):
            return Effects(
                emit("certain", cite, mission=mission, at=aim), push(cycle.landed, mission, aim)
            )
        roll = chance.dice("to_hit", first=d6, second=d6)
        number = max(self.number("least"), chance.drm(roll))
        margin = roll.total.look_up(lambda total: max(0, number - total))
        off = max(0, margin - (self.number("oblique_scatter") if gun.oblique else 0))
        if off:
            return Effects(push(self.astray, mission, off))
        hit = not margin or self.options["shortened"] == "hit"
        return Effects(self.learn(view, mission, aim, hit=hit), push(cycle.landed, mission, aim))

    @step(cite="13, D7, D13")
    def astray(self, chance: Chance, view: View, mission: str, off: int) -> Effects:
        """Scatter the shell ``off`` hexes in one of six directions, even off the map (13, 15)."""
        place = hex_step(
            view.mission(mission).aim, chance.dice("direction", white=d6).total.exact(), off
        )
        beyond = Effects() if view.frame.on_map(place) else emit("beyond", "15", mission=mission)
        return Effects(
            self.learn(view, mission, place, hit=False), beyond, push(cycle.landed, mission, place)
        )

    def range_modifier(self, gun: Gun, at: Hex) -> int:
        """Return the modifier to the to-hit number for the range to a hex (9)."""
        return self.number("near" if gun.hexes_to(at) <= self.number("near_hexes") else "far")

    def certain(self, view: View, mission: str, at: Place) -> str:
        """Return the rule that makes a hit on a hex automatic, or "" if none does.

        A hit is automatic on a predesignated hex (7), or on a hex hit before from the same position
        (12).
        """
        if self.options["predesignated"] and at in view.facts(mission, Gun).designated:
            return "7"
        hit = self.known(view, mission, at).hit
        return "12" if hit >= 0 and hit == self.moves(view, mission) else ""

    def moves(self, view: View, mission: str) -> int:
        """Return the number of times a piece has moved, 0 if it cannot move."""
        return view.peek(mission, Plotted).moves if view.facts(mission, Gun).move else 0

    def known(self, view: View, mission: str, at: Place) -> Known:
        """Return a piece's record of observed misses and hits for a hex."""
        return next(
            (hex_ for hex_ in view.own(mission, HexRanging).known if hex_.at == at), Known(at)
        )

    def learn(self, view: View, mission: str, place: Place, *, hit: bool) -> Effects:
        """Return the effects that record a hit on the target hex, or a miss that was seen (10, 12).

        The record helps later shots at the hex. A miss that nobody saw has no effects.
        """
        own, aim, gun = (
            view.own(mission, HexRanging),
            view.mission(mission).aim,
            view.facts(mission, Gun),
        )
        before = self.known(view, mission, aim)
        if hit:
            after = attrs.evolve(
                before, hit=self.moves(view, mission), misses=before.misses if gun.move else 0
            )
        elif (
            self.spotters(
                view, mission, aim if self.options["miss_observed"] == "target" else place
            )
            != ()
        ):
            most = skill(gun, self) + self.range_modifier(gun, aim) - self.number("least")
            after = attrs.evolve(before, misses=min(before.misses + 1, most))
        else:
            return Effects()
        event = (
            emit("hit", "12", mission=mission, at=aim)
            if hit
            else emit("observed", "10", mission=mission, at=aim)
        )
        others = (hex_ for hex_ in own.known if hex_.at != aim)
        return Effects(update(own, known=(*others, after)), event)

    def spotters(self, view: View, mission: str, at: Place) -> tuple[Spotter, ...] | None:
        """Return the spotters recorded at launch that can see a hex now (3).

        Returns None for an observer of another game.
        """
        shell = view.peek(mission, Plotted).landing
        names = (ANYBODY,) if shell is None else shell.by
        sight = view.sees(mission, at)
        if isinstance(sight, Spotted):
            return tuple(spotter for spotter in sight.by if spotter.id in names or ANYBODY in names)
        return None if sight.ground and names else ()

    def modifiers(self) -> tuple[Modifier, ...]:
        """Return the modifiers that make up the to-hit number (9 to 11, 14)."""
        added = (
            ("gunnery", "9", "gunnery"),
            ("range", "9", "for the range"),
            ("moved", "9", "the piece has moved"),
            ("misses", "10, D4", "observed misses"),
            ("skill", "11, D3", "the spotter's gunnery"),
            ("forward", "11, D2", "a forward observer"),
            ("implant", "11", "a comm implant"),
            ("launch", "11, D16", "the spotter at launch"),
            ("oblique", "14", "an oblique artilleryman"),
        )
        listed = tuple(
            Modifier("to_hit", cite, words, partial(self.added, name))
            for name, cite, words in added
        )
        least = self.number("least")

        def raised(view: View, mission: str) -> int:
            return max(0, least - sum(each.value(view, mission) for each in listed))

        return (*listed, Modifier("to_hit", "9", f"at least {least}", raised))

    def added(self, name: str, view: View, mission: str) -> int:
        """Return the value of the to-hit modifier called ``name``, 0 if it does not apply.

        By an option (D1), spotters help only shots with observed misses.
        """
        gun, aim, shell = (
            view.facts(mission, Gun),
            view.mission(mission).aim,
            view.peek(mission, Plotted).landing,
        )
        if name == "gunnery":
            return skill(gun, self)
        if name == "range":
            return self.range_modifier(gun, aim)
        if name == "oblique":
            return -self.number("oblique") if gun.oblique else 0
        if name == "moved":
            near = gun.move and gun.hexes_to(aim) <= self.number("near_hexes")
            return gun.move if near and view.peek(mission, Plotted).moved else 0
        at_launch = shell is not None and self.options["misses_known"] == "launch"
        misses = (
            shell.misses
            if shell is not None and at_launch
            else self.known(view, mission, aim).misses
        )
        if name == "misses":
            return -misses * self.number("observed_miss")
        if not misses and self.options["spotter_helps"] == "adjusted":
            return 0
        if self.options["spotter_of"] == "launch":
            return shell.bonus if shell is not None and name == "launch" else 0
        return bonuses(best(self.spotters(view, mission, aim) or (), self), self).get(name, 0)

    def rings(self, view: View, mission: str) -> tuple[int, ...]:
        """Return the damage of each ring from the impact outward; () for an impact off the map."""
        weapons: Weapons = self.charts["weapons"]
        rings = weapons.rings[view.facts(mission, Gun).weapon]
        return tuple(rings.values()) if view.frame.on_map(view.mission(mission).impact) else ()

    def covered(self, view: View, mission: str) -> tuple[Hex, ...]:
        """Return the hexes that take damage (16)."""
        rings = self.rings(view, mission)
        return disc(view.mission(mission).impact, len(rings) - 1) if rings else ()

    def on_map(self, view: View, cell: Hex) -> bool:
        """Return whether a hex is on the map (15)."""
        return view.frame.on_map(cell)

    def covers(self, view: View, mission: str, place: Place, extent: Fraction) -> Fraction:
        """Return the share of the full damage that a place takes, from 0 to 1 (16).

        A place wider than a hex takes the mean of its hexes.
        """
        impact = view.mission(mission).impact
        if (
            impact is None
            or place is None
            or not (rings := dict(enumerate(self.rings(view, mission))))
        ):
            return Fraction(0)
        hexes = view.frame.cells(place, float(extent))
        damage = sum(
            rings.get(distance(impact, hex_), 0) for hex_ in hexes if view.frame.on_map(hex_)
        )
        return Fraction(damage, rings[0] * len(hexes))

    @step(cite="8")
    def moment(self, chance: Chance, view: View, mission: str) -> Effects:
        """End the mission after its burst, so that the next shell can land (8)."""
        falls = view.mission(mission).stage is Stage.FALLING
        return Effects(push(cycle.close, mission, Reason.DELIVERED, "8")) if falls else Effects()
