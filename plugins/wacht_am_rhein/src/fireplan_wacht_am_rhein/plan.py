"""A plan of fire: what an observer can bring on a target, worked out exactly and best first.

For a player who is about to declare a barrage: who may fire, who may not and by which rule and number, which
combinations the limits allow, what each does to the hex and what it costs. It changes nothing and throws no dice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from itertools import combinations
from typing import Any, Final

import attrs

from fireplan_core import Effects, Pending, Place, Refusal, Scenario, Shot, Step, View, push
from fireplan_core.chance import explore
from fireplan_core.play import Rulebook
from fireplan_wacht_am_rhein.ammunition import barrage_value, depletion_shares, short_of_supply
from fireplan_wacht_am_rhein.barrage import Allotment, Gun, Judge
from fireplan_wacht_am_rhein.declaring import Declaring
from fireplan_wacht_am_rhein.requests import WarRequests
from fireplan_wacht_am_rhein.resolution import WarResolution
from fireplan_wacht_am_rhein.satisfying import Result
from fireplan_wacht_am_rhein.setup import Artillery, Sighting
from fireplan_wacht_am_rhein.volleys import volleys

MOST_COUNTED: Final = 12
"""Of more artillery units that count against a limit only the strongest are combined."""

Read = Callable[[str, Any], Any]
Shares = tuple[tuple[Any, Fraction], ...]


@attrs.frozen
class MayFire:
    """An artillery unit that may take part: its factors left, range and distance, and whether it counts (12.1.6)."""

    unit: str
    factors: int
    distance: int
    reach: int
    counts: bool


@attrs.frozen
class MayNot:
    """An artillery unit that may not take part, with the rule and the number that fails."""

    unit: str
    refusal: Refusal


@attrs.frozen
class Choice:
    """Units that may fire together with all they have: exact chances of hits and shift, and of depletion.

    ``results`` are pairs of (hits, shift) and probability, ``depleted`` pairs of a number of units and probability;
    each sums to 1.
    """

    fire: Allotment
    volleys: tuple[int, ...]
    results: Shares
    depleted: Shares

    @property
    def hits(self) -> Fraction:
        """Mean number of hits."""
        return sum((share * hits for (hits, _), share in self.results), Fraction(0))

    @property
    def shift(self) -> Fraction:
        """Probability of an artillery shift."""
        return sum((share for (_, shift), share in self.results if shift), Fraction(0))

    @property
    def cost(self) -> Fraction:
        """Mean number of units depleted."""
        return sum((share * number for number, share in self.depleted), Fraction(0))


@attrs.frozen
class FirePlan:
    """Say what an observer can bring on a target. ``refusal`` says why he cannot observe for it at all, else None.

    ``choices`` are the best legal combinations, best first, of ``legal`` in all; ``cite`` is the rule of the limit
    and ``value`` the side's depletion value.
    """

    observer: str
    target: str
    refusal: Refusal | None
    cite: str = ""
    value: int = 0
    may: tuple[MayFire, ...] = ()
    may_not: tuple[MayNot, ...] = ()
    choices: tuple[Choice, ...] = ()
    legal: int = 0

    def render(self) -> str:
        """Return the plan as text, 100 columns wide at most for names of usual length."""
        lines = [f"{self.observer or 'nobody'} observing {self.target}"]
        if self.refusal is not None:
            return "\n".join([*lines, f"  no barrage: {self.refusal}"])
        lines[0] += f", limit by {self.cite}, depletion value {self.value}"
        for one in self.may:
            aside = "" if one.counts else ", outside the limit"
            lines.append(f"  may      {one.unit}: {one.factors} factors, range {one.distance} of {one.reach}{aside}")
        lines += [f"  may not  {one.refusal}" for one in self.may_not]
        lines.append(f"  {len(self.choices)} of {self.legal} legal combinations, best first:")
        lines.append("  mean hits  shift  depleted  volleys: units")
        for choice in self.choices:
            values = "+".join(map(str, choice.volleys))
            names = ", ".join(f"{name} {factors}" for name, factors in choice.fire)
            row = f"  {float(choice.hits):9.2f}  {float(choice.shift):5.0%}  {float(choice.cost):8.2f}"
            lines.append(f"{row}  {values}: {names}")
        return "\n".join(lines)


def plan(
    scenario: Scenario, observer: str, target: Place | str, *, read: Read | None = None, most: int = 10
) -> FirePlan:
    """Plan the fire that an observer can call on a target hex, given as a place or by its label.

    ``read`` gives the state (``Table.read``); without it the opening of the scenario is taken. Raises TypeError for
    a table whose requests or resolution are another game's, ``CoordinateError`` for a label that is none.
    """
    requests, resolution = scenario.parts.requests, scenario.parts.resolution
    if not isinstance(requests, WarRequests) or not isinstance(resolution, WarResolution):
        raise TypeError("a plan needs the requests and the resolution of this game")
    place: Place = scenario.frame.parse(target) if isinstance(target, str) else target
    now: Read = scenario.initial.get if read is None else read
    mission = _mission(scenario, observer)
    view = View(now, scenario, "requests")
    label = scenario.frame.label(place)
    declaring = requests.declaring(view, mission)
    judge = declaring.judge(place, observer)
    if place not in declaring.enemy():
        judge = Refusal.of("12.1.1", "no_target")
    if isinstance(judge, Refusal):
        return FirePlan(observer, label, judge.said(requests.words))
    guns = declaring.guns(place)
    refused = {gun.unit.name: judge.refuse_unit(gun, gun.left) for gun in guns}
    able = [gun for gun in guns if refused[gun.unit.name] is None]
    sets = legal_sets(judge, able)
    # A unit that fits alone but into no legal combination is kept out by the limit.
    fitting = {gun.unit.name for chosen in sets for gun in chosen}
    for gun in able:
        if gun.unit.name not in fitting:
            refused[gun.unit.name] = judge.refuse_together([gun])
    able = [gun for gun in able if refused[gun.unit.name] is None]
    bench = _Bench(Rulebook(scenario), requests, resolution, declaring, judge, now, place, observer)
    choices = sorted(
        (bench.choice(chosen) for chosen in sets), key=lambda one: (-one.hits, -one.shift, one.cost, one.fire)
    )
    return FirePlan(
        observer,
        label,
        None,
        judge.allowance.cite,
        requests.side_value(view, mission),
        tuple(MayFire(g.unit.name, g.left, g.distance, g.reach, judge.counted(g)) for g in able),
        tuple(MayNot(name, why.said(requests.words)) for name, why in refused.items() if why is not None),
        tuple(choices[:most]),
        len(sets),
    )


def legal_sets(judge: Judge, able: Sequence[Gun]) -> list[list[Gun]]:
    """Return every set of units that the limits allow together, all units outside the limits in each that may be."""
    free = [gun for gun in able if not judge.counted(gun)]
    counted = sorted((gun for gun in able if judge.counted(gun)), key=lambda gun: (-gun.left, gun.unit.name))
    found = []
    for size in range(len(counted[:MOST_COUNTED]) + 1):
        for some in combinations(counted[:MOST_COUNTED], size):
            for company in judge.beside(free, some):
                chosen = [*company, *some]
                if chosen and judge.refuse_together(chosen) is None:
                    found.append(chosen)
    return found


def _mission(scenario: Scenario, observer: str) -> str:
    """The mission of the side that the observer belongs to; that of the firer where nobody is named."""
    for mission, setup in scenario.missions.items():
        brought = setup.facts.get("requests")
        if isinstance(brought, Artillery) and any(unit.name == observer for unit in brought.observers):
            return mission
    return next(mission for mission, setup in scenario.missions.items() if setup.side == scenario.firer)


@attrs.frozen(eq=False)
class _Bench:
    """One target hex with what bears on its dice: the steps of the game itself are followed along every branch."""

    rulebook: Rulebook
    requests: WarRequests
    resolution: WarResolution
    declaring: Declaring
    judge: Judge
    read: Read
    place: Place
    observer: str
    known: dict[tuple[int, Sighting], Shares] = attrs.field(factory=dict)

    def choice(self, guns: Sequence[Gun]) -> Choice:
        """Return what these units do and cost."""
        factors = sum(gun.left for gun in guns)
        sighting = self.declaring.sighting(self.place, self.observer, [gun.unit.name for gun in guns])
        if (factors, sighting) not in self.known:
            self.known[factors, sighting] = self._results(factors, sighting)
        fire = tuple((gun.unit.name, gun.left) for gun in sorted(guns, key=lambda gun: gun.unit.name))
        values = volleys(factors, self.requests.number("full_volley"))
        return Choice(fire, values, self.known[factors, sighting], self._depleted(guns))

    def _depleted(self, guns: Sequence[Gun]) -> Shares:
        units = [gun.unit for gun in guns]
        view, mission, options = self.declaring.view, self.declaring.mission, self.requests.options
        side = self.requests.side_value(view, mission)
        value = barrage_value(units, self.judge.formation, side, lowest=options["mixed_values"] == "lowest")
        drm = self.requests.thaw()
        low = sum(short_of_supply(unit) for unit in units)
        # Out of the number rolled, units in low supply come first; else they come on top of it.
        within = low if options["low_supply"] == "count_toward_roll" else 0
        rolled = depletion_shares(self.requests.die, value, drm - within, len(units) - low)
        return tuple(sorted((number + low, share) for number, share in rolled.items()))

    def _results(self, factors: int, sighting: Sighting) -> Shares:
        mission = self.declaring.mission
        known = {f"missions/{mission}/requests/{name}": value for name, value in attrs.asdict(sighting).items()}

        def read(key: str, default: Any) -> Any:
            return known[key] if key in known else self.read(key, default)

        shot = Shot(strength=Fraction(factors, self.requests.number("full_volley")))
        shares: dict[Result, Fraction] = {}
        todo: list[tuple[Fraction, Pending | Effects]] = [
            (Fraction(1), push(self.resolution.strike, mission, self.place, shot))
        ]
        while todo:
            share, top = todo.pop()
            assert isinstance(top, Step)  # noqa: S101 - a strike and its volleys are steps, and ask nobody
            run = partial(self.rulebook.perform, top, read=read)
            for weight, total, outcome, _ in explore(run, self.rulebook.modifiers_for(top, read)):
                part = share * Fraction(weight, total)
                result = next(((e["hits"], e["shift"]) for e in outcome.events if e.kind == "final_result"), None)
                if result is None and outcome.pushes:
                    todo += [(part, step) for step in outcome.pushes]
                    continue
                ended = result or (0, False)
                shares[ended] = shares.get(ended, Fraction(0)) + part
        return tuple(sorted(shares.items()))
