"""What can be declared: target hexes, who may observe, who may fire, and the strongest legal barrage (12.1).

Looks up the state and the facts for the judge in ``barrage``; asking and carrying out is in ``requests``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from fractions import Fraction
from typing import Any

import attrs

from fireplan_core import Order, Place, Refusal, View, record
from fireplan_wacht_am_rhein.barrage import Aircraft, Allotment, ArtilleryUnit, Gun, House, Judge, ObservingUnit
from fireplan_wacht_am_rhein.command import Command
from fireplan_wacht_am_rhein.ground import GroundMap, hexes_between
from fireplan_wacht_am_rhein.limits import Allowance, Limits, Mode, Works

AIR = "air"
"""The observer of a barrage that is observed from the air; on a map with the formation, ``air:2nd``."""
NOBODY = ""
"""The observer of a barrage that is not observed."""
WORKS: Mapping[str, Works] = {"none": "none", "improved_position": "improved_position"}
"""Works on the ground as the limits know them; everything else is an entrenchment or fortification."""


@attrs.frozen
class Artillery:
    """What a side brings to its barrages: artillery, who may observe, and the command structure between them.

    ``depletion`` is the side's value where it is not the printed one, ``trucks`` its truck points on ammunition
    (None: the Transport Table is not used). With ``ground`` there is a map: units move on it, ``air`` tells whether
    weather and light let aircraft observe, and ``on_road`` which enemy units started on road movement.
    """

    nation: str
    artillery: tuple[ArtilleryUnit, ...]
    observers: tuple[ObservingUnit, ...]
    command: Command
    aircraft: tuple[Aircraft, ...] = ()
    depletion: int | None = None
    trucks: int | None = None
    ground: GroundMap | None = None
    air: bool = False
    on_road: tuple[str, ...] = ()


@record
class Fired:
    """What an asset has done in this segment, and which of its units are depleted.

    ``used`` holds name, factors and number of barrages of each unit that fired; ``firing`` who takes part in the
    barrage under way and ``formation`` its observer's. ``transport`` is the change of the depletion value in force.
    ``advanced`` are the units that advanced after a barrage in this segment, ``dismissed`` those that took off their
    Prepared Assault marker doing so.
    """

    used: tuple[tuple[str, int, int], ...] = ()
    firing: tuple[str, ...] = ()
    depleted: tuple[str, ...] = ()
    formation: str | None = None
    transport: int = 0
    advanced: tuple[str, ...] = ()
    dismissed: tuple[str, ...] = ()


@record
class Segment:
    """The barrage segment that is being played: its target hexes by side, and how many minutes of it are left.

    ``asked`` are the assets that had their opportunity in this moment, so that the first to come again opens the
    next one whatever the clock of the table is.
    """

    hexes: tuple[tuple[str, Place], ...] = ()
    minutes: Fraction = Fraction(0)
    asked: tuple[str, ...] = ()


class Declaring:
    """What a side can declare in a state, under the players' readings of the open points."""

    def __init__(self, options: Mapping[str, Any], limits: Limits, numbers: Mapping[str, int]) -> None:
        self.limits = limits
        self.numbers = numbers
        self.vantage_gain: str = options["vantage_gain"]
        self.strategic_observer: str = options["strategic_observer"]
        self.house = House(
            adjacent_exempt=options["adjacent_command"] == "exempt",
            other_same_corps=options["other_formation"] == "same_corps",
            adjacent_serves=options["formation_minimum"] == "adjacent_serves",
            breakdown_counts_adjacent=options["breakdown_cap"] == "counts_adjacent",
        )

    def enemy(self, view: View, mission: str) -> tuple[Place, ...]:
        """The places that hold enemy units, the wanted target first."""
        side = view.side(mission)
        places = {view.place_of(unit) for unit in view.units if view.unit_side(unit) != side} - {None}
        target = view.mission(mission).target
        return tuple(sorted(places, key=lambda place: (place != target, view.frame.gap(place, target), place)))

    def place(self, view: View, unit: ArtilleryUnit | ObservingUnit) -> Place | None:
        """Where a unit of the side stands now; None for one that is eliminated, or whose place does not matter."""
        return view.place_of(unit.name) if unit.name in view.units else unit.place

    def mode(self, view: View, mission: str, unit: ObservingUnit) -> Mode:
        """The mode of a unit now: it may have taken off its Prepared Assault marker (12.5.0)."""
        if unit.mode == "prepared_assault" and unit.name in view.own(mission, Fired).dismissed:
            return "other"
        return unit.mode

    def _barraged(self, view: View, mission: str) -> tuple[Place, ...]:
        side = view.side(mission)
        return tuple(place for who, place in view.shared(Segment).hexes if who == side)

    def guns(self, view: View, mission: str, at: Place, names: Collection[str] | None = None) -> tuple[Gun, ...]:
        """Every artillery unit of the asset, or those of these names, as it stands towards a target hex."""
        fired = view.own(mission, Fired)
        used = {name: (factors, barrages) for name, factors, barrages in fired.used}
        enemy = self.enemy(view, mission)
        found = []
        for unit in view.facts(mission, Artillery).artillery:
            if names is not None and unit.name not in names:
                continue
            factors, barrages = used.get(unit.name, (0, 0))
            own = self.place(view, unit)
            near = own is not None and any(hexes_between(view.frame, own, place) <= 1 for place in enemy)
            found.append(
                Gun(
                    unit,
                    hexes_between(view.frame, unit.place if own is None else own, at),
                    near,
                    unit.factors - factors,
                    barrages,
                    unit.name in fired.depleted,
                    lost=own is None,
                )
            )
        return tuple(found)

    def _looks_at(self, view: View, mission: str, unit: ObservingUnit, at: Place) -> bool:
        """Whether a unit has a line of sight to a hex, whatever its mode; on a map a neighbouring hex is always seen.

        Lines declared for where a unit started tell nothing once it has moved.
        """
        brought = view.facts(mission, Artillery)
        if brought.ground is None:
            return view.sees(mission, at).ground if unit.sees is None else at in unit.sees
        now = self.place(view, unit)
        if now is None:
            return False
        return hexes_between(view.frame, now, at) <= 1 or (now == unit.place and at in (unit.sees or ()))

    def _sees(self, view: View, mission: str, unit: ObservingUnit, at: Place) -> bool:
        if unit.mode == "strategic" or unit.name in view.own(mission, Fired).advanced:
            return False
        return self._looks_at(view, mission, unit, at)

    def _only_strategic(self, view: View, mission: str, at: Place) -> tuple[str, ...]:
        """The units in strategic mode that would see a hex."""
        units = view.facts(mission, Artillery).observers
        return tuple(u.name for u in units if u.mode == "strategic" and self._looks_at(view, mission, u, at))

    def sighting(self, view: View, mission: str, at: Place, observer: str) -> tuple[bool, bool]:
        """Whether a barrage counts as observed for the die, and whether its observer is on a vantage point."""
        if observer == NOBODY:
            free = self.strategic_observer == "without_modifier"
            return free and bool(self._only_strategic(view, mission, at)), False
        brought = view.facts(mission, Artillery)
        for unit in brought.observers:
            if unit.name == observer:
                return True, self._stands(view, brought, unit)[1]
        return True, False

    def _stands(self, view: View, brought: Artillery, unit: ObservingUnit) -> tuple[Works, bool]:
        """The works a unit is in and whether it is on a vantage point."""
        now = self.place(view, unit)
        if brought.ground is None or now is None:
            return unit.works, unit.vantage
        cell = brought.ground.at(now)
        return WORKS.get(cell.works, "entrenchment_or_fortification"), cell.vantage

    def _air(self, view: View, mission: str, at: Place, observer: str = AIR) -> Aircraft | Refusal:
        """The aircraft that spot a hex, or why none does (12.1.6f)."""
        brought = view.facts(mission, Artillery)
        if brought.nation != "US":
            return Refusal("12.1.6f", "only US barrages are observed from the air")
        if brought.ground is not None:
            return self._air_on_map(view, brought, at, observer)
        spotting = [one for one in brought.aircraft if at in one.places]
        if not spotting:
            return Refusal("12.1.6f", "no aircraft can spot that hex: its cover or the weather hides it")
        side = view.side(mission)
        own = [view.place_of(unit) for unit in view.units if view.unit_side(unit) == side]
        own += [unit.place for unit in brought.artillery]
        nearest = min(hexes_between(view.frame, place, at) for place in own)
        radius = self.limits.air_radius_hexes
        if nearest > radius:
            return Refusal("12.1.6f", f"the nearest US unit is {nearest} hexes off, {radius} at most")
        return spotting[0]

    def _air_on_map(self, view: View, brought: Artillery, at: Place, observer: str) -> Aircraft | Refusal:
        if not brought.air:
            return Refusal("12.1.6f", "the weather or the night keeps observation aircraft away")
        ground = brought.ground or GroundMap()
        if ground.at(at).covering and not any(view.place_of(unit) == at for unit in brought.on_road):
            return Refusal("12.1.6f", "no aircraft can spot that hex: its cover hides it")
        radius = self.limits.air_radius_hexes
        nearest = self._divisions(view, brought, at)
        formation = observer.removeprefix(f"{AIR}:")
        distance = nearest.get(formation)
        if distance is None:
            return Refusal("12.1.6f", f"no division {formation!r} has aircraft; there are {', '.join(nearest)}")
        if distance > radius:
            return Refusal("12.1.6f", f"the nearest unit of {formation} is {distance} hexes off, {radius} at most")
        return Aircraft(formation, (at,))

    def _divisions(self, view: View, brought: Artillery, at: Place) -> dict[str, int]:
        """How far the nearest unit of each formation is from a hex."""
        found: dict[str, int] = {}
        own: list[tuple[str, ObservingUnit | ArtilleryUnit]] = [(unit.formation, unit) for unit in brought.observers]
        own += [(unit.under, unit) for unit in brought.artillery]
        for formation, unit in own:
            now = self.place(view, unit)
            if now is None or brought.command.level(formation) in ("corps", "army"):
                continue
            distance = hexes_between(view.frame, now, at)
            found[formation] = min(distance, found.get(formation, distance))
        return found

    def airs(self, view: View, mission: str, at: Place) -> tuple[str, ...]:
        """The names under which a barrage on a hex can be observed from the air."""
        brought = view.facts(mission, Artillery)
        names: tuple[str, ...] = (AIR,)
        if brought.ground is not None:
            names = tuple(f"{AIR}:{formation}" for formation in self._divisions(view, brought, at))
        return tuple(name for name in names if not isinstance(self._air(view, mission, at, name), Refusal))

    def watchers(self, view: View, mission: str, at: Place) -> tuple[str, ...]:
        """Who can observe for a barrage on a hex; nobody only where no unit and no aircraft sees it (12.1.6g)."""
        brought = view.facts(mission, Artillery)
        units = tuple(unit.name for unit in brought.observers if self._sees(view, mission, unit, at))
        return (*units, *self.airs(view, mission, at)) or (NOBODY,)

    def judge(self, view: View, mission: str, at: Place, observer: str) -> Judge | Refusal:
        """The judge of a barrage that somebody observes, or why he may not observe it."""
        brought = view.facts(mission, Artillery)
        if observer == NOBODY:
            watchers = self.watchers(view, mission, at)
            if watchers != (NOBODY,):
                return Refusal("12.1.6g", f"the hex is observed by {', '.join(watchers)}; one of them must be picked")
            marching = self._only_strategic(view, mission, at)
            if marching and self.strategic_observer == "no_barrage":
                return Refusal("12.1.6b", f"only {', '.join(marching)} in strategic mode would see the hex")
            return self._made(brought, self.limits.unobserved_allowance(), None)
        if from_air(observer):
            aircraft = self._air(view, mission, at, observer)
            if isinstance(aircraft, Refusal):
                return aircraft
            return self._made(brought, self.limits.from_the_air(), aircraft.formation)
        unit = next((one for one in brought.observers if one.name == observer), None)
        if unit is None:
            return Refusal("12.1.6", f"no unit {observer!r} can observe")
        return self._judge_unit(view, mission, at, unit)

    def _judge_unit(self, view: View, mission: str, at: Place, unit: ObservingUnit) -> Judge | Refusal:
        """The judge of a barrage that a unit observes."""
        brought = view.facts(mission, Artillery)
        if unit.mode == "strategic":
            return Refusal("12.1.6b", f"{unit.name} is in strategic mode and cannot observe")
        if unit.name in view.own(mission, Fired).advanced:
            return Refusal("12.5.0", f"{unit.name} advanced after a barrage of this segment and observes no more")
        if not self._sees(view, mission, unit, at):
            return Refusal("12.1.6", f"{unit.name} has no line of sight to the hex")
        works, vantage = self._stands(view, brought, unit)
        allowance = self.limits.observed(
            brought.nation,
            self.mode(view, mission, unit),
            works,
            vantage=vantage,
            breakdown=unit.breakdown,
            vantage_third=self.vantage_gain,
        )
        return self._made(brought, allowance, unit.formation)

    def _made(self, brought: Artillery, allowance: Allowance, formation: str | None) -> Judge:
        return Judge(allowance, formation, brought.command, self.house, self.numbers["barrages_per_unit"])

    def choices(self, view: View, mission: str) -> Iterator[tuple[Place, str, Allotment]]:
        """The strongest legal barrage for each target hex and observer, in order of preference of the hex."""
        barraged = self._barraged(view, mission)
        for at in self.enemy(view, mission):
            if at in barraged:
                continue
            guns = self.guns(view, mission, at)
            for observer in self.watchers(view, mission, at):
                judge = self.judge(view, mission, at, observer)
                if isinstance(judge, Judge) and (fire := judge.best(guns)):
                    yield at, observer, fire

    def best(self, view: View, mission: str) -> tuple[Place, str, Allotment] | None:
        """The wanted hex if it can be had, else the nearest; there the observer with most factors."""
        choices = list(self.choices(view, mission))
        if not choices:
            return None
        first = [choice for choice in choices if choice[0] == choices[0][0]]
        return max(first, key=lambda choice: sum(factors for _, factors in choice[2]))

    def refuse(self, view: View, order: Order, mission: str) -> Refusal | None:
        """The one judge of barrages."""
        at, observer, fire = order["at"], order["observer"], order["fire"]
        if at not in self.enemy(view, mission):
            return Refusal("12.1.1", "the target hex holds no enemy units")
        if at in self._barraged(view, mission):
            return Refusal("12.1.1", "the hex has been the target of a barrage in this segment")
        if not _is_allotment(fire):
            return Refusal("12.1.4", "artillery units are named once each, with a whole number of factors")
        judge = self.judge(view, mission, at, observer)
        if isinstance(judge, Refusal):
            return judge
        names = {name for name, _ in fire}
        known = {gun.unit.name: gun for gun in self.guns(view, mission, at, names)}
        for name, factors in fire:
            if name not in known:
                brought = ", ".join(unit.name for unit in view.facts(mission, Artillery).artillery)
                return Refusal("12.1.2", f"no artillery unit {name!r}; there are {brought}")
            if refusal := judge.refuse_unit(known[name], factors):
                return refusal
        return judge.refuse_together([known[name] for name, _ in fire])


def from_air(observer: str) -> bool:
    """Whether an order's observer is aircraft."""
    return observer == AIR or observer.startswith(f"{AIR}:")


def _is_allotment(fire: object) -> bool:
    """Whether an order's value names at least one unit, each once, each with a number."""
    if not isinstance(fire, tuple) or not fire:
        return False
    if not all(isinstance(one, tuple) and len(one) == 2 for one in fire):
        return False
    whole = all(isinstance(number, int) and not isinstance(number, bool) for _, number in fire)
    names = [name for name, _ in fire]
    return whole and all(isinstance(name, str) for name in names) and len(set(names)) == len(names)
