"""Declaring a barrage: target hexes, observers, artillery and the strongest legal barrage (12.1).

``Declaring`` reads the state and the facts that the rules in ``barrage`` need. The questions and
steps are in ``requests``.
"""

from collections.abc import Collection, Iterator, Mapping
from functools import cached_property
from typing import Any, Final

from fireplan_core import Counter, Place, Refusal, View
from fireplan_wacht_am_rhein.barrage import Allotment, FiringUnit, Judge
from fireplan_wacht_am_rhein.command import Allowance, BarrageLimits, Mode, Works
from fireplan_wacht_am_rhein.ground import hexes_between
from fireplan_wacht_am_rhein.observers import looks
from fireplan_wacht_am_rhein.setup import (
    Aircraft,
    Artillery,
    ArtilleryState,
    ObservingUnit,
    Segment,
    Sighting,
    UnitEntry,
)

AIR: Final = "air"
"""The name for an air observer; on a map its formation is added, as in ``air:2nd``."""
NOBODY: Final = ""
"""The observer's name in an unobserved barrage."""
WORKS: Final[Mapping[str, Works]] = {"none": "none", "improved_position": "improved_position"}
"""Maps works on the map to the categories of the Barrage Limits.

All other works count as entrenchment or fortification.
"""


class Declaring:
    """The barrages that a side can declare in a state.

    ``options`` settle points that the rules leave open. Values read from the state are cached, so
    an object serves one state only.
    """

    def __init__(
        self, options: Mapping[str, Any], charts: Mapping[str, Any], view: View, mission: str
    ) -> None:
        self.options = options
        self.limits: BarrageLimits = charts["barrage_limits"]
        self.numbers = charts["numbers"]
        self.view = view
        self.mission = mission
        self.side = view.side(mission)
        self.brought = view.facts(mission, Artillery)
        self.fired = view.own(mission, ArtilleryState)
        self.on_map = view.scenario.mobile
        self._places: dict[str, Place | None] = {}
        self._distances: dict[Place, dict[str, int]] = {}

    # --- positions -------------------------------------------------------------------------------
    @cached_property
    def enemy(self) -> tuple[Place, ...]:
        """The places occupied by enemy units, with the mission's target first."""
        view = self.view
        places = {
            view.place_of(unit) for unit in view.units if view.unit_side(unit) != self.side
        } - {None}
        target = view.mission(self.mission).target
        return tuple(
            sorted(
                places, key=lambda place: (place != target, view.frame.gap(place, target), place)
            )
        )

    def place(self, unit: UnitEntry | ObservingUnit) -> Place | None:
        """Return the hex of a unit, or None if the unit is eliminated or has no hex."""
        name = unit.name
        if name not in self._places:
            self._places[name] = self.view.place_of(name) if name in self.view.units else unit.hex
        return self._places[name]

    @cached_property
    def _near_enemy(self) -> frozenset[str]:
        """The names of the artillery units that are next to an enemy or in the same hex."""
        frame = self.view.frame
        places = {unit.name: self.place(unit) for unit in self.brought.artillery}
        return frozenset(
            name
            for name, own in places.items()
            if own is not None and any(hexes_between(frame, own, at) <= 1 for at in self.enemy)
        )

    def mode(self, unit: ObservingUnit) -> Mode:
        """Return a unit's current mode.

        A unit may have removed its Prepared Assault marker when it advanced (12.5.0).
        """
        return (
            "other"
            if unit.mode == "prepared_assault" and unit.name in self.fired.dismissed
            else unit.mode
        )

    def barraged(self) -> tuple[Place, ...]:
        """Return the hexes that this side has barraged in this segment, in order."""
        return tuple(place for side, place in self.view.shared(Segment).hexes if side == self.side)

    def used(self) -> dict[str, tuple[int, int]]:
        """Map each unit to the factors it has fired in this segment, and in how many barrages."""
        return {name: (factors, barrages) for name, factors, barrages in self.fired.used}

    def guns(self, at: Place, names: Collection[str] | None = None) -> tuple[FiringUnit, ...]:
        """Return the artillery units, or only those in ``names``, in relation to a target hex."""
        used, depleted, frame = self.used(), self.fired.depleted, self.view.frame
        guns = []
        for unit in self.brought.artillery:
            if names is not None and unit.name not in names:
                continue
            factors, barrages = used.get(unit.name, (0, 0))
            own = self.place(unit)
            near = unit.name in self._near_enemy
            distance = hexes_between(frame, unit.hex if own is None else own, at)
            left = unit.factors - factors
            guns.append(
                FiringUnit(
                    unit, distance, near, left, barrages, unit.name in depleted, lost=own is None
                )
            )
        return tuple(guns)

    def net(self) -> Iterator[tuple[str, tuple[Counter, ...]]]:
        """Yield (headquarters, counters of its subordinates), from the top down (12.1.5).

        Subordinates are other headquarters, and artillery units with their remaining factors.
        """
        command, used = self.brought.command, self.used()
        below: dict[str, list[Counter]] = {"": []}
        for hq in sorted(command.headquarters, key=lambda hq: len(command.superiors(hq.name))):
            below[hq.under or ""].append(Counter(hq.name, None, hq.level))
            below[hq.name] = []
        for unit in self.brought.artillery:
            left = unit.factors - used.get(unit.name, (0, 0))[0]
            status = f"{left} of {unit.factors} factors left"
            lost, depleted = self.place(unit) is None, unit.name in self.fired.depleted
            if lost:
                status = "eliminated"
            elif depleted:
                status = "depleted"
            below[unit.under].append(Counter(unit.name, None, status, lost or depleted))
        yield from ((name, tuple(counters)) for name, counters in below.items())

    # --- observation -----------------------------------------------------------------------------
    def _has_line(self, unit: ObservingUnit, at: Place) -> bool:
        """Return whether a unit has a line of sight to a hex, whatever its mode."""
        if self.on_map:
            return looks(self.view.frame, unit, self.place(unit), at)
        return self.view.sees(self.mission, at).ground if unit.sees is None else at in unit.sees

    def _sees(self, unit: ObservingUnit, at: Place) -> bool:
        return (
            unit.mode != "strategic"
            and unit.name not in self.fired.advanced
            and self._has_line(unit, at)
        )

    def _only_strategic(self, at: Place) -> tuple[str, ...]:
        return tuple(
            unit.name
            for unit in self.brought.observers
            if unit.mode == "strategic" and self._has_line(unit, at)
        )

    def sighting(self, at: Place, observer: str, firing: Collection[str]) -> Sighting:
        """Return how a barrage is observed, and whether only rocket units fire in it.

        ``firing`` are the names of the firing units.
        """
        rockets = all(unit.rocket for unit in self.brought.artillery if unit.name in firing)
        if observer == NOBODY:
            exempt = self.options["strategic_observer"] == "without_modifier"
            return Sighting(observed=exempt and bool(self._only_strategic(at)), rockets=rockets)
        vantage = any(
            self._position(unit)[1] for unit in self.brought.observers if unit.name == observer
        )
        return Sighting(observed=True, air=_from_air(observer), vantage=vantage, rockets=rockets)

    def _position(self, unit: ObservingUnit) -> tuple[Works, bool]:
        """Return the works that a unit occupies, and whether it is on a vantage point."""
        place = self.place(unit)
        if not self.on_map or place is None:
            return unit.works, unit.vantage
        cell = self.brought.ground.at(place)
        return WORKS.get(cell.works, "entrenchment_or_fortification"), cell.vantage

    def _air(self, at: Place, observer: str) -> Aircraft | Refusal:
        """Return the aircraft that observe a hex, or the reason why none can (12.1.6f)."""
        if self.brought.nation != "US":
            return Refusal.of("12.1.6f", "us_aircraft_alone")
        if self.on_map:
            return self._air_on_map(at, observer.removeprefix(f"{AIR}:"))
        spotting = [aircraft for aircraft in self.brought.aircraft if at in aircraft.places]
        if not spotting:
            return Refusal.of("12.1.6f", "hidden_from_air")
        view = self.view
        own = [view.place_of(unit) for unit in view.units if view.unit_side(unit) == self.side]
        own += [unit.hex for unit in self.brought.artillery]
        nearest = min(hexes_between(view.frame, place, at) for place in own)
        return self._within("US unit", nearest) or spotting[0]

    def _air_on_map(self, at: Place, formation: str) -> Aircraft | Refusal:
        brought = self.brought
        if not brought.air:
            return Refusal.of("12.1.6f", "no_flying_weather")
        if brought.ground.at(at).covering and not any(
            self.view.place_of(unit) == at for unit in brought.on_road
        ):
            return Refusal.of("12.1.6f", "cover_hides")
        nearest = self._divisions(at)
        if formation not in nearest:
            return Refusal.of(
                "12.1.6f", "no_aircraft", formation=repr(formation), others=tuple(nearest)
            )
        return self._within(f"unit of {formation}", nearest[formation]) or Aircraft(
            formation, (at,)
        )

    def _within(self, whose: str, nearest: int) -> Refusal | None:
        """Return a refusal if the nearest own units are too far for aircraft to observe, or None.

        ``nearest`` is their distance in hexes, and ``whose`` describes them in the refusal.
        """
        radius = self.limits.air_radius_hexes
        if nearest <= radius:
            return None
        return Refusal.of("12.1.6f", "aircraft_far", whose=whose, nearest=nearest, radius=radius)

    def _divisions(self, at: Place) -> dict[str, int]:
        """Map each division and brigade to the distance in hexes from its nearest unit to a hex.

        Only observing units and artillery on the map count; a formation without any is left out.
        """
        if at not in self._distances:
            self._distances[at] = self._measured(at)
        return self._distances[at]

    def _measured(self, at: Place) -> dict[str, int]:
        distances: dict[str, int] = {}
        own: list[tuple[str, ObservingUnit | UnitEntry]] = [
            (unit.under, unit) for unit in self.brought.observers
        ]
        own += [(unit.under, unit) for unit in self.brought.artillery]
        for formation, unit in own:
            place = self.place(unit)
            if place is None or self.brought.command.level(formation) in ("corps", "army"):
                continue
            distance = hexes_between(self.view.frame, place, at)
            distances[formation] = min(distance, distances.get(formation, distance))
        return distances

    def airs(self, at: Place) -> tuple[str, ...]:
        """Return the names of the air observers that can observe a hex.

        A name is ``air``, or on a map ``air:`` followed by the name of a formation.
        """
        names = (
            tuple(f"{AIR}:{formation}" for formation in self._divisions(at))
            if self.on_map
            else (AIR,)
        )
        return tuple(name for name in names if not isinstance(self._air(at, name), Refusal))

    def watchers(self, at: Place) -> tuple[str, ...]:
        """Return the names of the units and aircraft that can observe a barrage on a hex.

        If none can, the only name is ``NOBODY`` (12.1.6g).
        """
        units = tuple(unit.name for unit in self.brought.observers if self._sees(unit, at))
        return (*units, *self.airs(at)) or (NOBODY,)

    # --- artillery -------------------------------------------------------------------------------
    def judge(self, at: Place, observer: str) -> Judge | Refusal:
        """Return the rules for a barrage with this observer, or a refusal if it may not observe."""
        if observer == NOBODY:
            watchers = self.watchers(at)
            if watchers != (NOBODY,):
                return Refusal.of("12.1.6g", "observed_by", watchers=watchers)
            marching = self._only_strategic(at)
            if marching and self.options["strategic_observer"] == "no_barrage":
                return Refusal.of("12.1.6b", "strategic_alone", watchers=marching)
            return self._rules(self.limits.unobserved_allowance(), None)
        if _from_air(observer):
            aircraft = self._air(at, observer)
            if isinstance(aircraft, Refusal):
                return aircraft
            return self._rules(self.limits.from_the_air(), aircraft.formation)
        unit = next((unit for unit in self.brought.observers if unit.name == observer), None)
        if unit is None:
            return Refusal.of("12.1.6", "cannot_observe", observer=repr(observer))
        return self._judge_unit(at, unit)

    def _judge_unit(self, at: Place, unit: ObservingUnit) -> Judge | Refusal:
        """Return the rules for a barrage observed by a unit, or the reason why it may not."""
        if unit.mode == "strategic":
            return Refusal.of("12.1.6b", "strategic_mode", name=unit.name)
        if unit.name in self.fired.advanced:
            return Refusal.of("12.5.0", "observer_advanced", name=unit.name)
        if not self._has_line(unit, at):
            return Refusal.of("12.1.6", "no_line_of_sight", name=unit.name)
        works, vantage = self._position(unit)
        third = self.options["vantage_gain"]
        allowance = self.limits.observed(
            self.brought.nation,
            self.mode(unit),
            works,
            vantage=vantage,
            breakdown=unit.breakdown,
            vantage_third=third,
        )
        return self._rules(allowance, unit.under)

    def _rules(self, allowance: Allowance, formation: str | None) -> Judge:
        return Judge(
            allowance,
            formation,
            self.brought.command,
            self.numbers["barrages_per_unit"],
            self.options,
        )

    # --- barrages --------------------------------------------------------------------------------
    def choices(self) -> Iterator[tuple[Place, str, Allotment]]:
        """Yield (hex, observer, fire) for the strongest legal barrage by each observer on each hex.

        The mission's own target comes first, followed by the hexes nearest to it.
        """
        barraged = self.barraged()
        for at in self.enemy:
            if at in barraged:
                continue
            guns = self.guns(at)
            for observer in self.watchers(at):
                judge = self.judge(at, observer)
                if isinstance(judge, Judge) and (fire := judge.best(guns)):
                    yield at, observer, fire

    def best(self) -> tuple[Place, str, Allotment] | None:
        """Return (hex, observer, fire) for the strongest barrage on the mission's target.

        If the target cannot be barraged, the nearest possible hex is chosen instead. Returns None
        if no barrage is legal.
        """
        choices = list(self.choices())
        first = [choice for choice in choices if choice[0] == choices[0][0]]
        return max(first, key=lambda choice: sum(factors for _, factors in choice[2]), default=None)

    def refuse(self, at: Place, observer: str, fire: Allotment) -> Refusal | None:
        """Return the reason why a barrage cannot be fired, or None if it can."""
        if at not in self.enemy:
            return Refusal.of("12.1.1", "no_target")
        if at in self.barraged():
            return Refusal.of("12.1.1", "barraged_already")
        if not _is_allotment(fire):
            return Refusal.of("12.1.4", "named_once")
        judge = self.judge(at, observer)
        if isinstance(judge, Refusal):
            return judge
        guns = {gun.unit.name: gun for gun in self.guns(at, {name for name, _ in fire})}
        for name, factors in fire:
            if name not in guns:
                names = ", ".join(unit.name for unit in self.brought.artillery)
                return Refusal.of("12.1.2", "no_artillery", name=repr(name), there=names)
            if refusal := judge.refuse_unit(guns[name], factors):
                return refusal
        return judge.refuse_together([guns[name] for name, _ in fire])


def _from_air(observer: str) -> bool:
    return observer == AIR or observer.startswith(f"{AIR}:")


def _is_allotment(fire: object) -> bool:
    """Return whether a value is an allotment: at least one unit, each once, with its factors."""
    if not isinstance(fire, tuple) or not fire:
        return False
    for pair in fire:
        match pair:
            case (str(), int(number)) if not isinstance(number, bool):
                continue
            case _:
                return False
    return len({name for name, _ in fire}) == len(fire)
