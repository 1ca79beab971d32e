"""Areas: a number to hit, an error as large as the roll fell short, rings of falling damage."""

from fractions import Fraction
from functools import partial
from typing import ClassVar

import attrs

from fireplan_battletech.fire import ANYBODY, Known, Plotted, Ranging, gun_of
from fireplan_battletech.forms import MAP, MIDDLE, Gun, Spotter
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
from fireplan_core.space import Hex, disc, distance
from fireplan_core.space import step as hex_step


class Rings(HexAreas):
    """9-17: two dice against a number; who falls short by n lands n hexes off.

    Damage falls ring by ring.
    """

    cites: ClassVar = {"spotting": "9", "fall": "16", "lingering": "16"}
    places = MAP
    publishes: ClassVar[tuple[type, ...]] = (Ranging,)
    keeps = Keeps(assets=(Ranging,))

    def stage(self, staging: Staging) -> None:
        """Nothing is known of any hex."""
        for mission in staging.assets:
            staging.mission(mission, self.word, Ranging(), gun_of(staging, self))

    def middle(self) -> Hex:
        """Return the middle of the map."""
        return MIDDLE

    @step(cite="9, D12")
    def land(self, chance: Chance, view: View, mission: str) -> Effects:
        """Throw against the number to hit, unless the hex is hit for certain (7, 12)."""
        gun, aim = view.facts(mission, Gun), view.mission(mission).aim
        if cite := self.certain(view, mission, aim):
            return Effects(
                emit("certain", cite, mission=mission, at=aim), push(cycle.landed, mission, aim)
            )
        roll = chance.dice("to_hit", first=d6, second=d6)
        number = max(self.number("least"), gun.gunnery + self.basis(gun, aim) + chance.drm(roll))
        short = roll.total.look_up(lambda total: max(0, number - total))
        off = max(0, short - (self.number("oblique_scatter") if gun.oblique else 0))
        if off:
            return Effects(push(self.astray, mission, off))
        hit = not short or self.options["shortened"] == "hit"
        return Effects(self.learn(view, mission, aim, hit=hit), push(cycle.landed, mission, aim))

    @step(cite="13, D7, D13")
    def astray(self, chance: Chance, view: View, mission: str, off: int) -> Effects:
        """Land as many hexes off, in one of six directions (13), on the map or not (15)."""
        place = hex_step(
            view.mission(mission).aim, chance.dice("direction", white=d6).total.exact(), off
        )
        beyond = Effects() if MAP.on_map(place) else emit("beyond", "15", mission=mission)
        return Effects(
            self.learn(view, mission, place, hit=False), beyond, push(cycle.landed, mission, place)
        )

    def basis(self, gun: Gun, at: Hex) -> int:
        """Return what the range adds to the gunner's skill (9)."""
        return self.number("near" if gun.hexes_to(at) <= self.number("near_hexes") else "far")

    def certain(self, view: View, mission: str, at: Place) -> str:
        """Return the rule by which a hex is hit for certain: named before play, or hit before from here; else none."""
        if self.options["predesignated"] and at in view.facts(mission, Gun).designated:
            return "7"
        hit = self.known(view, mission, at).hit
        return "12" if hit >= 0 and hit == self.moves(view, mission) else ""

    def moves(self, view: View, mission: str) -> int:
        """Return how often a piece has moved; one that cannot has not."""
        return view.peek(mission, Plotted).moves if view.facts(mission, Gun).move else 0

    def known(self, view: View, mission: str, at: Place) -> Known:
        """Return what a piece has learnt of a hex."""
        return next((one for one in view.own(mission, Ranging).known if one.at == at), Known(at))

    def learn(self, view: View, mission: str, place: Place, *, hit: bool) -> Effects:
        """10, 12: note a hit of the hex, or a miss that somebody saw."""
        own, aim, gun = (
            view.own(mission, Ranging),
            view.mission(mission).aim,
            view.facts(mission, Gun),
        )
        before = self.known(view, mission, aim)
        if hit:
            found = attrs.evolve(
                before, hit=self.moves(view, mission), misses=before.misses if gun.move else 0
            )
        elif (
            self.spotters(
                view, mission, aim if self.options["miss_observed"] == "target" else place
            )
            != ()
        ):
            most = gun.gunnery + self.basis(gun, aim) - self.number("least")
            found = attrs.evolve(before, misses=min(before.misses + 1, most))
        else:
            return Effects()
        told = (
            emit("hit", "12", mission=mission, at=aim)
            if hit
            else emit("observed", "10", mission=mission, at=aim)
        )
        return Effects(
            update(own, known=(*(one for one in own.known if one.at != aim), found)), told
        )

    def spotters(self, view: View, mission: str, at: Place) -> tuple[Spotter, ...] | None:
        """Return those that were noted at launch and see a hex now (3).

        None: somebody of another game does.
        """
        shell = view.peek(mission, Plotted).landing
        names = (ANYBODY,) if shell is None else shell.by
        seen = view.sees(mission, at)
        if isinstance(seen, Spotted):
            return tuple(one for one in seen.by if one.id in names or ANYBODY in names)
        return None if seen.ground and names else ()

    def modifiers(self) -> tuple[Modifier, ...]:
        """Return what is added to the number to hit."""
        added = (
            ("moved", "9", "the piece has moved"),
            ("misses", "10, D4", "observed misses"),
            ("skill", "11, D3", "the spotter's gunnery"),
            ("forward", "11, D2", "a forward observer"),
            ("implant", "11", "a comm implant"),
            ("launch", "11, D16", "the spotter at launch"),
            ("oblique", "14", "an oblique artilleryman"),
        )
        return tuple(
            Modifier("to_hit", cite, says, partial(self.added, what)) for what, cite, says in added
        )

    def added(self, what: str, view: View, mission: str) -> int:
        """Return what one circumstance adds: the spotter's virtues to adjusted shots alone, or to all (D1)."""
        gun, aim, shell = (
            view.facts(mission, Gun),
            view.mission(mission).aim,
            view.peek(mission, Plotted).landing,
        )
        if what == "oblique":
            return -self.number("oblique") if gun.oblique else 0
        if what == "moved":
            near = gun.move and gun.hexes_to(aim) <= self.number("near_hexes")
            return gun.move if near and view.peek(mission, Plotted).moved else 0
        then = shell is not None and self.options["misses_known"] == "launch"
        misses = (
            shell.misses if shell is not None and then else self.known(view, mission, aim).misses
        )
        if what == "misses":
            return -misses * self.number("observed_miss")
        if not misses and self.options["spotter_helps"] == "adjusted":
            return 0
        if self.options["spotter_of"] == "launch":
            return shell.bonus if shell is not None and what == "launch" else 0
        return bonuses(best(self.spotters(view, mission, aim) or ()), self).get(what, 0)

    def rings(self, view: View, mission: str) -> tuple[int, ...]:
        """Return the damage of each ring about the impact, inmost first.

        None where that lies off the map (15).
        """
        rings: tuple[int, ...] = self.charts["weapons"][view.facts(mission, Gun).weapon].rings
        return rings if MAP.on_map(view.mission(mission).impact) else ()

    def covered(self, view: View, mission: str) -> tuple[Hex, ...]:
        """Return the hexes in which anything is left of the damage (16)."""
        rings = self.rings(view, mission)
        return disc(view.mission(mission).impact, len(rings) - 1) if rings else ()

    def on_map(self, view: View, cell: Hex) -> bool:
        """Return whether a hex lies on the map (15)."""
        return MAP.on_map(cell)

    def covers(self, view: View, mission: str, place: Place, extent: Fraction) -> Fraction:
        """Return what share of the inmost damage a place takes (16).

        What is wider than a hex the mean of its hexes.
        """
        impact = view.mission(mission).impact
        if (
            impact is None
            or place is None
            or not (rings := dict(enumerate(self.rings(view, mission))))
        ):
            return Fraction(0)
        hexes = view.frame.cells(place, float(extent))
        damage = sum(rings.get(distance(impact, one), 0) for one in hexes if MAP.on_map(one))
        return Fraction(damage, rings[0] * len(hexes))

    @step(cite="8")
    def moment(self, chance: Chance, view: View, mission: str) -> Effects:
        """A burst is over at once; the next shell in the air has a mission of its own."""
        falls = view.mission(mission).stage is Stage.FALLING
        return Effects(push(cycle.close, mission, Reason.DELIVERED, "8")) if falls else Effects()
