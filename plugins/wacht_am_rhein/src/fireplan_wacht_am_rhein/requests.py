"""Requests: declaring a barrage (target hex, observer, artillery units and their factors) and what it uses up.

The judgement of who may take part is in ``barrage`` and ``limits``; this module looks up distances, keeps what has
been fired in the segment and which units are depleted, and asks the firing side.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import attrs

from fireplan.chance import Chance
from fireplan.mission import (
    Form,
    Intent,
    Order,
    Place,
    Question,
    Reason,
    Refusal,
    Requests,
    Slot,
    Stage,
    Staging,
    Then,
    View,
    ask,
    push,
    put,
    record,
    step,
    tell,
)
from fireplan_wacht_am_rhein import engagement as reading
from fireplan_wacht_am_rhein.barrage import (
    SEGMENT_MINUTES,
    Aircraft,
    Allotment,
    ArtilleryUnit,
    Gun,
    House,
    Judge,
    ObservingUnit,
)
from fireplan_wacht_am_rhein.charts import DATA, read_types
from fireplan_wacht_am_rhein.command import Command, Headquarters
from fireplan_wacht_am_rhein.ground import hexes_between
from fireplan_wacht_am_rhein.limits import Allowance, Works, read_limits
from fireplan_wacht_am_rhein.volleys import strength

AIR = "air"
"""The observer of a barrage that is observed from the air."""
NOBODY = ""
"""The observer of a barrage that is not observed."""

WORKS: dict[str, Works] = {
    "none": "none",
    "improved": "improved_position",
    "entrenched": "entrenchment_or_fortification",
}


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


class WarRequests(Requests):
    """Barrages: voluntary, one at a time, one a hex and segment (12.1.0, 12.1.1)."""

    cites = {"requested": "12.1.0"}  # noqa: RUF012 - a ClassVar of the base

    def __init__(self, game: str, options: Any, charts: Any) -> None:
        super().__init__(game, options, charts)
        self.limits = read_limits(DATA / "barrage_limits.toml")
        self.house = House(
            adjacent_exempt=options["adjacent_command"] == "exempt",
            other_same_corps=options["other_formation"] == "same_corps",
            adjacent_serves=options["formation_minimum"] == "adjacent_serves",
            breakdown_counts_adjacent=options["breakdown_cap"] == "counts_adjacent",
        )

    # --- staging ---------------------------------------------------------------------------------
    def stage(self, staging: Staging) -> None:
        """Artillery battalions of one type in the observer's division, and the observer in his mode and works."""
        staging.share(self.word, Segment())
        nation = reading.side(staging.engagement)
        asset = staging.engagement.asset
        if nation is None:
            staging.cannot(
                f"only US and German artillery is in the game, not {staging.engagement.firer.nationality} (12.6.1)"
            )
            return
        kind = reading.nearest_type(read_types(DATA / "artillery_types.csv"), nation, asset)
        if kind is None:
            staging.cannot(
                f"no {nation} artillery unit stands for {asset.calibre_mm} mm {asset.weapon}s: none is listed within "
                f"{reading.NEAR} per cent of the calibre"
            )
            return
        place = reading.guns_place(staging)
        distance = hexes_between(staging.frame, place, staging.centre)
        if distance > kind.range_hexes:
            staging.cannot(f"out of range: {kind.name} reaches {kind.range_hexes} hexes, the target is {distance} (12.1.3)")
        number = reading.battalions(asset)
        staging.note(
            f"{asset.guns} {asset.calibre_mm} mm {asset.weapon}s stand as {number} x {kind.name}, factor {kind.factors}, "
            f"range {kind.range_hexes} (reconstructed values), of the observer's own division"
        )
        if asset.ammunition == "scarce":
            staging.note("scarce ammunition is taken as low supply: every unit that fires is depleted (12.6.4)")
        for mission in staging.assets:
            units = tuple(
                ArtilleryUnit(
                    f"{mission}{n + 1}", kind.factors, kind.range_hexes, place, "division", asset.ammunition == "scarce"
                )
                for n in range(number)
            )
            staging.mission(mission, self.word, Fired(), self._brought(staging, nation, units))

    def _brought(self, staging: Staging, nation: str, units: tuple[ArtilleryUnit, ...]) -> Artillery:
        observer = staging.engagement.observer
        how = reading.observation(staging)
        if how is None and observer.kind != "none":
            what = {"clear": f"{observer.kind} observer", "burst_only": "burst above the hex", "none": "observer"}
            staging.note(f"{what[observer.sight]} gives no line of sight to the target here: unobserved (12.1.6g)")
        observing = ObservingUnit(
            "observer",
            "division",
            "prepared_assault" if observer.footing == "attack" else "other",
            WORKS[observer.works],
        )
        return Artillery(
            nation,
            units,
            (observing,) if how == "ground" else (),
            Command((Headquarters("division", "formation"),)),
            (Aircraft("division", staging.target_places()),) if how == "air" else (),
        )

    # --- looking up ------------------------------------------------------------------------------
    def _enemy(self, view: View, mission: str) -> tuple[Place, ...]:
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
        enemy = self._enemy(view, mission)
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
                vantage_third=self.options["vantage_gain"],
            )
            return self._made(brought, allowance, unit.formation)
        return Refusal("12.1.6", f"no unit {observer!r} can observe")

    def _made(self, brought: Artillery, allowance: Allowance, formation: str | None) -> Judge:
        return Judge(allowance, formation, brought.command, self.house)

    def _choices(self, view: View, mission: str) -> Iterator[tuple[Place, str, Allotment]]:
        """The strongest legal barrage for each target hex and observer, in order of preference of the hex."""
        barraged = self._barraged(view, mission)
        for at in self._enemy(view, mission):
            if at in barraged:
                continue
            guns = self._guns(view, mission, at)
            for observer in self._watchers(view, mission, at):
                judge = self._judge(view, mission, at, observer)
                if isinstance(judge, Judge) and (fire := judge.best(guns)):
                    yield at, observer, fire

    def _best(self, view: View, mission: str) -> tuple[Place, str, Allotment] | None:
        """The wanted hex if it can be had, else the nearest; there the observer with most factors."""
        choices = list(self._choices(view, mission))
        if not choices:
            return None
        first = [choice for choice in choices if choice[0] == choices[0][0]]
        return max(first, key=lambda choice: sum(factors for _, factors in choice[2]))

    # --- questions -------------------------------------------------------------------------------
    def questions(self) -> dict[str, Question]:
        """Whether to barrage, which barrage, and which of the firing units are depleted."""
        return {
            "declare": Question(self._declare_forms, self._refuse_declare, self._declare_standard),
            "barrage": Question(self._barrage_forms, self._refuse_barrage, self._barrage_standard),
            "deplete": Question(self._deplete_forms, self._refuse_deplete, self._deplete_standard),
        }

    def _declare_forms(self, _view: View, _mission: str) -> tuple[Form, ...]:
        return (Form("barrage", "12.1.0", "conduct a barrage"), Form("pass", "12.1.0", "conduct none now"))

    def _refuse_declare(self, _view: View, _order: Order, _mission: str) -> Refusal | None:
        return None

    def _declare_standard(self, view: View, mission: str) -> Order:
        return Order.of("pass" if self._best(view, mission) is None else "barrage")

    def _barrage_forms(self, view: View, mission: str) -> tuple[Form, ...]:
        brought = view.facts(mission, Artillery)
        choices = list(self._choices(view, mission))
        fires = [fire for _, _, fire in choices]
        fires += [((unit.name, unit.factors),) for unit in brought.artillery]
        watching = (*(unit.name for unit in brought.observers), *((AIR,) if brought.aircraft else ()), NOBODY)
        return (
            Form(
                "barrage",
                "12.1.1, 12.1.2",
                "barrage a hex with these artillery units",
                (
                    Slot("at", "the target hex", self._enemy(view, mission)),
                    Slot("observer", "who observes: a unit, air, or nobody (empty)", watching),
                    Slot("fire", "artillery units, each with its factors", tuple(dict.fromkeys(fires))),
                ),
            ),
            Form("hold", "12.1.0", "fire no barrage after all"),
        )

    def _refuse_barrage(self, view: View, order: Order, mission: str) -> Refusal | None:
        """The one judge of barrages."""
        if order.verb == "hold":
            return None
        at, observer, fire = order["at"], order["observer"], order["fire"]
        if at not in self._enemy(view, mission):
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

    def _barrage_standard(self, view: View, mission: str) -> Order:
        best = self._best(view, mission)
        if best is None:
            return Order.of("hold")
        at, observer, fire = best
        return Order.of("barrage", at=at, observer=observer, fire=fire)

    def _candidates(self, view: View, mission: str) -> tuple[str, ...]:
        """The firing units a depletion roll may fall on, weakest and shortest first; low supply is not among them."""
        firing = view.own(mission, Fired).firing
        units = [unit for unit in view.facts(mission, Artillery).artillery if unit.name in firing]
        order = sorted(units, key=lambda unit: (unit.factors, unit.range_hexes, unit.name))
        return tuple(unit.name for unit in order if not unit.low_supply)

    def _deplete_forms(self, view: View, mission: str, number: int) -> tuple[Form, ...]:
        names = self._candidates(view, mission)
        sets = tuple(names[i : i + number] for i in range(len(names) - number + 1))
        return (
            Form("deplete", "12.6.1", f"{number} of the firing units", (Slot("units", "which", sets),)),
        )

    def _refuse_deplete(self, view: View, order: Order, mission: str, number: int) -> Refusal | None:
        names = self._candidates(view, mission)
        units = order["units"]
        if not isinstance(units, tuple) or len(set(units)) != number or len(units) != number:
            return Refusal("12.6.1", f"{number} different units are to be named, not {units}")
        strange = [str(name) for name in units if name not in names]
        if strange:
            return Refusal("12.6.1", f"{', '.join(strange)} not among the firing units {', '.join(names)}")
        return None

    def _deplete_standard(self, view: View, mission: str, number: int) -> Order:
        return Order.of("deplete", units=self._candidates(view, mission)[:number])

    # --- steps -----------------------------------------------------------------------------------
    @step(cite="12.1.0, 12.1.4")
    def opportunity(self, _chance: Chance, view: View, mission: str) -> Then:
        """An asset may barrage; when a new segment has begun, all factors are there again and all hexes free."""
        segment = view.shared(Segment)
        if mission not in segment.asked:
            return Then(put(segment, asked=(*segment.asked, mission)), push("offer", mission))
        minutes = segment.minutes - view.scenario.clock.minutes
        if minutes > 0:
            return Then(put(segment, asked=(mission,), minutes=minutes), push("offer", mission))
        return Then(
            put(segment, asked=(mission,), minutes=Fraction(0), hexes=()),
            *(put(view.own(each, Fired), used=(), firing=()) for each in view.missions),
            push("offer", mission),
        )

    @step(cite="12.1.0")
    def offer(self, _chance: Chance, view: View, mission: str) -> Then:
        """A further barrage may be declared while any unit has factors to give."""
        fired = view.own(mission, Fired)
        used = {name: factors for name, factors, _ in fired.used}
        for unit in view.facts(mission, Artillery).artillery:
            if unit.name not in fired.depleted and used.get(unit.name, 0) < unit.factors:
                return Then(ask(view.side(mission), "declare", mission, then="declared"))
        return Then()

    @step(cite="12.1.0")
    def declared(self, _chance: Chance, _view: View, mission: str, order: Order) -> Then:
        """A barrage is wanted, or not."""
        return Then(push("core.request", mission)) if order.verb == "barrage" else Then()

    @step(cite="12.1.1, 12.1.2")
    def ready(self, _chance: Chance, view: View, mission: str) -> Then:
        """Target hex, observer and artillery units are picked."""
        if view.mission(mission).stage in (Stage.FALLING, Stage.LINGERING):
            return Then()
        return Then(ask(view.side(mission), "barrage", mission, then="obey"))

    @step(cite="12.1.1, 12.1.4")
    def obey(self, _chance: Chance, view: View, mission: str, order: Order) -> Then:
        """The barrage is fired: its factors are used, its hex has had its barrage for this segment."""
        if order.verb == "hold":
            return Then(push("core.close", mission, Reason.CANCELLED, "12.1.0"))
        at, fire = order["at"], order["fire"]
        fired, segment = view.own(mission, Fired), view.shared(Segment)
        used = {name: (factors, barrages) for name, factors, barrages in fired.used}
        for name, factors in fire:
            before, barrages = used.get(name, (0, 0))
            used[name] = (before + factors, barrages + 1)
        total = sum(factors for _, factors in fire)
        return Then(
            put(
                fired,
                used=tuple((name, *spent) for name, spent in sorted(used.items())),
                firing=tuple(name for name, _ in fire),
            ),
            put(
                segment,
                hexes=(*segment.hexes, (view.side(mission), at)),
                minutes=segment.minutes or SEGMENT_MINUTES,
            ),
            put(
                view.mission(mission), aim=view.scenario.parts.areas.aim_at(at)[0], strength=strength(total)
            ),
            tell("barrage", "12.1.0", mission=mission, at=at, observer=order["observer"], factors=total, units=fire),
            push("core.release", mission, Intent.EFFECT),
        )

    @step(cite="12.6.1, 12.6.4")
    def deplete(self, _chance: Chance, view: View, mission: str, number: int) -> Then:
        """So many of the firing units are depleted besides those in low supply; their owner picks them."""
        firing = view.own(mission, Fired).firing
        low = tuple(
            unit.name
            for unit in view.facts(mission, Artillery).artillery
            if unit.low_supply and unit.name in firing
        )
        names = self._candidates(view, mission)
        if self.options["low_supply"] == "count_toward_roll":
            number = max(0, number - len(low))
        given = Then(*(tell("depleted", "12.6.4", mission=mission, unit=name) for name in low), push("mark", mission, low))
        if number == 0 or not names:
            return given
        if number >= len(names):
            return Then(given, push("depleted", mission, number, Order.of("deplete", units=names)))
        return Then(given, ask(view.side(mission), "deplete", mission, number, then="depleted"))

    @step(cite="12.6.1")
    def depleted(self, _chance: Chance, _view: View, mission: str, _number: int, order: Order) -> Then:
        """The units that the roll fell on; an excess over the firing units is lost."""
        units: Sequence[str] = order["units"]
        return Then(
            *(tell("depleted", "12.6.1", mission=mission, unit=name) for name in units),
            push("mark", mission, tuple(units)),
        )

    @step(cite="12.6.2")
    def mark(self, _chance: Chance, view: View, mission: str, names: tuple[str, ...]) -> Then:
        """Depleted units fire no more until they are replenished; with the last of them the asset is exhausted."""
        fired = view.own(mission, Fired)
        depleted = tuple(sorted({*fired.depleted, *names}))
        if depleted == fired.depleted:
            return Then()
        if all(unit.name in depleted for unit in view.facts(mission, Artillery).artillery):
            return Then(put(fired, depleted=depleted), push("core.close", mission, Reason.EXHAUSTED, "12.6.2"))
        return Then(put(fired, depleted=depleted))

    @step(cite="12.1.0")
    def closed(self, _chance: Chance, view: View, mission: str) -> Then:
        """After a barrage the next may follow."""
        done = view.mission(mission).reason is Reason.DELIVERED
        return Then(put(view.own(mission, Fired), firing=()), push("offer", mission)) if done else Then()


def _is_allotment(fire: object) -> bool:
    """Whether an order's value names at least one unit, each once, each with a number."""
    if not isinstance(fire, tuple) or not fire:
        return False
    if not all(isinstance(one, tuple) and len(one) == 2 for one in fire):
        return False
    whole = all(isinstance(number, int) and not isinstance(number, bool) for _, number in fire)
    names = [name for name, _ in fire]
    return whole and all(isinstance(name, str) for name in names) and len(set(names)) == len(names)
