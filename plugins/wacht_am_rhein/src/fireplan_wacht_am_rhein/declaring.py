"""What can be declared: target hexes, who may observe, who may fire, and the strongest legal barrage (12.1).

Looks up the state and the facts for the judge in ``barrage``; asking and carrying out is in ``requests``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import attrs

from fireplan.mission import Order, Place, Refusal, View, record
from fireplan_wacht_am_rhein.barrage import Aircraft, Allotment, ArtilleryUnit, Gun, House, Judge, ObservingUnit
from fireplan_wacht_am_rhein.charts import DATA
from fireplan_wacht_am_rhein.command import Command
from fireplan_wacht_am_rhein.ground import hexes_between
from fireplan_wacht_am_rhein.limits import Allowance, read_limits

AIR = "air"
"""The observer of a barrage that is observed from the air."""
NOBODY = ""
"""The observer of a barrage that is not observed."""

@attrs.frozen
class Artillery:
    """What a side brings to its barrages: artillery, who may observe, and the command structure between them."""

    nation: str
    artillery: tuple[ArtilleryUnit, ...]
    observers: tuple[ObservingUnit, ...]
    command: Command
    aircraft: tuple[Aircraft, ...] = ()


@record
class Fired:
    """What an asset has done in this segment, and which of its units are depleted.

    ``used`` holds name, factors and number of barrages of each unit that fired; ``firing`` who takes part in the
    barrage under way.
    """

    used: tuple[tuple[str, int, int], ...] = ()
    firing: tuple[str, ...] = ()
    depleted: tuple[str, ...] = ()


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

    def __init__(self, options: Mapping[str, Any]) -> None:
        self.limits = read_limits(DATA / "barrage_limits.toml")
        self.vantage_gain: str = options["vantage_gain"]
        self.house = House(
            adjacent_exempt=options["adjacent_command"] == "exempt",
            other_same_corps=options["other_formation"] == "same_corps",
            adjacent_serves=options["formation_minimum"] == "adjacent_serves",
            breakdown_counts_adjacent=options["breakdown_cap"] == "counts_adjacent",
        )

    def enemy(self, view: View, mission: str) -> tuple[Place, ...]:
        """The places that hold enemy units, the wanted target first."""
        side = view.side(mission)
        places = {view.place_of(unit) for unit in view.units if view.unit_side(unit) != side}
        target = view.mission(mission).target
        return tuple(sorted(places, key=lambda place: (place != target, view.frame.gap(place, target), place)))

    def _barraged(self, view: View, mission: str) -> tuple[Place, ...]:
        side = view.side(mission)
        return tuple(place for who, place in view.shared(Segment).hexes if who == side)

    def _guns(self, view: View, mission: str, at: Place) -> tuple[Gun, ...]:
        """Every artillery unit of the asset as it stands towards a target hex."""
        fired = view.own(mission, Fired)
        used = {name: (factors, barrages) for name, factors, barrages in fired.used}
        enemy = self.enemy(view, mission)
        found = []
        for unit in view.facts(mission, Artillery).artillery:
            factors, barrages = used.get(unit.name, (0, 0))
            near = any(hexes_between(view.frame, unit.place, place) <= 1 for place in enemy)
            found.append(
                Gun(
                    unit,
                    hexes_between(view.frame, unit.place, at),
                    near,
                    unit.factors - factors,
                    barrages,
                    unit.name in fired.depleted,
                )
            )
        return tuple(found)

    def _sees(self, view: View, mission: str, unit: ObservingUnit, at: Place) -> bool:
        if unit.mode == "strategic":
            return False
        return view.sees(mission, at).ground if unit.sees is None else at in unit.sees

    def _air(self, view: View, mission: str, at: Place) -> Aircraft | Refusal:
        """The aircraft that spot a hex, or why none does (12.1.6f)."""
        brought = view.facts(mission, Artillery)
        if brought.nation != "US":
            return Refusal("12.1.6f", "only US barrages are observed from the air")
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

    def _watchers(self, view: View, mission: str, at: Place) -> tuple[str, ...]:
        """Who can observe for a barrage on a hex; nobody only where no unit and no aircraft sees it (12.1.6g)."""
        brought = view.facts(mission, Artillery)
        units = tuple(unit.name for unit in brought.observers if self._sees(view, mission, unit, at))
        air = () if isinstance(self._air(view, mission, at), Refusal) else (AIR,)
        return (*units, *air) or (NOBODY,)

    def _judge(self, view: View, mission: str, at: Place, observer: str) -> Judge | Refusal:
        """The judge of a barrage that somebody observes, or why he may not observe it."""
        brought = view.facts(mission, Artillery)
        if observer == NOBODY:
            watchers = self._watchers(view, mission, at)
            if watchers != (NOBODY,):
                return Refusal("12.1.6g", f"the hex is observed by {', '.join(watchers)}; one of them must be picked")
            return self._made(brought, self.limits.unobserved_allowance(), None)
        if observer == AIR:
            aircraft = self._air(view, mission, at)
            if isinstance(aircraft, Refusal):
                return aircraft
            return self._made(brought, self.limits.from_the_air(), aircraft.formation)
        for unit in brought.observers:
            if unit.name != observer:
                continue
            if unit.mode == "strategic":
                return Refusal("12.1.6b", f"{observer} is in strategic mode and cannot observe")
            if not self._sees(view, mission, unit, at):
                return Refusal("12.1.6", f"{observer} has no line of sight to the hex")
            allowance = self.limits.observed(
                brought.nation,
                unit.mode,
                unit.works,
                vantage=unit.vantage,
                breakdown=unit.breakdown,
                vantage_third=self.vantage_gain,
            )
            return self._made(brought, allowance, unit.formation)
        return Refusal("12.1.6", f"no unit {observer!r} can observe")

    def _made(self, brought: Artillery, allowance: Allowance, formation: str | None) -> Judge:
        return Judge(allowance, formation, brought.command, self.house)

    def choices(self, view: View, mission: str) -> Iterator[tuple[Place, str, Allotment]]:
        """The strongest legal barrage for each target hex and observer, in order of preference of the hex."""
        barraged = self._barraged(view, mission)
        for at in self.enemy(view, mission):
            if at in barraged:
                continue
            guns = self._guns(view, mission, at)
            for observer in self._watchers(view, mission, at):
                judge = self._judge(view, mission, at, observer)
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
        judge = self._judge(view, mission, at, observer)
        if isinstance(judge, Refusal):
            return judge
        known = {gun.unit.name: gun for gun in self._guns(view, mission, at)}
        for name, factors in fire:
            if name not in known:
                return Refusal("12.1.2", f"no artillery unit {name!r}; there are {', '.join(known)}")
            if refusal := judge.refuse_unit(known[name], factors):
                return refusal
        return judge.refuse_together([known[name] for name, _ in fire])


def _is_allotment(fire: object) -> bool:
    """Whether an order's value names at least one unit, each once, each with a number."""
    if not isinstance(fire, tuple) or not fire:
        return False
    if not all(isinstance(one, tuple) and len(one) == 2 for one in fire):
        return False
    whole = all(isinstance(number, int) and not isinstance(number, bool) for _, number in fire)
    names = [name for name, _ in fire]
    return whole and all(isinstance(name, str) for name in names) and len(set(names)) == len(names)
