"""Resolution: volleys on the Barrage Results Table, the Final Barrage Result, and what it does to a hex (12.3, 12.4).

Also the roll for ammunition (12.6.1), which needs no more than the firing side's depletion value; which units run
out is for ``requests``, where the firing units are known. Severities: a unit that loses its last step is DESTROYED,
one that loses one of several REDUCED; an artillery shift, a retreat or fatigue is SUPPRESSED.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import permutations
from typing import Any

import attrs

from fireplan.chance import Applied, Chance, Die
from fireplan.mission import (
    Event,
    Form,
    Modifier,
    Order,
    Place,
    Question,
    Refusal,
    Resolution,
    Severity,
    Slot,
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
from fireplan.space import HexFrame
from fireplan_wacht_am_rhein import engagement as reading
from fireplan_wacht_am_rhein.charts import DATA, read_drm
from fireplan_wacht_am_rhein.ground import HEX_METRES
from fireplan_wacht_am_rhein.limits import read_limits
from fireplan_wacht_am_rhein.losses import LOSSES_THEN_RETREAT, RETREAT_FIRST, satisfy
from fireplan_wacht_am_rhein.modifiers import Hex, density, net, shelter
from fireplan_wacht_am_rhein.volleys import factors_of, groups

ROLL = "resolution.volleys"
NAMED_ORDERS = 4
"""With more units than this only the usual order of losses is offered; any other may still be given."""


@attrs.frozen
class Firing:
    """What the firing side brings to the die: depletion value, rockets, night, an observer on a vantage point."""

    depletion: int
    rockets: bool = False
    night: bool = False
    vantage: bool = False


@attrs.frozen
class Troops:
    """What shelters a unit, and whether it can be seen or retreat."""

    terrain: tuple[str, ...] = ("clear",)
    works: str = "none"
    armour: bool = False
    strategic: bool = False
    vantage: bool = False
    observed: bool = True
    can_retreat: bool = True


@record
class Body:
    """A unit's steps and markers."""

    steps: int = 1
    shift: bool = False
    fatigue: bool = False
    retreated: bool = False


class WarResolution(Resolution):
    """Hits for a whole hex, satisfied by its owner."""

    severities = {  # noqa: RUF012 - a ClassVar of the base
        "artillery shift": Severity.SUPPRESSED,
        "retreat": Severity.SUPPRESSED,
        "fatigue": Severity.SUPPRESSED,
        "step lost of several": Severity.REDUCED,
        "last step lost": Severity.DESTROYED,
    }

    def __init__(self, game: str, options: Any, charts: Any) -> None:
        super().__init__(game, options, charts)
        self.results = charts["barrage_results"]
        self.drm = read_drm(DATA / "barrage_drm.toml")
        self.limits = read_limits(DATA / "barrage_limits.toml")
        self.die = Die(10, lowest=0 if options["d10_zero"] == "zero" else 1)

    # --- staging ---------------------------------------------------------------------------------
    def stage(self, staging: Staging) -> None:
        """Battalions of up to three steps in the target's hex, and own troops in theirs."""
        engagement = staging.engagement
        if self.results.provenance != "printed":
            staging.note(f"the Barrage Results Table is {self.results.provenance} ({self.results.source})")
        staging.note(f"the barrage die-roll modifiers are {self.drm.provenance} from the successor edition of 2020")
        staging.note("a retreat is marked on its unit, which later barrages follow: no map lies behind the target")
        nation = reading.side(engagement)
        for mission in staging.assets:
            facts = Firing(
                self.limits.depletion[nation or "GE"],
                engagement.asset.weapon == "rocket",
                engagement.situation.night,
            )
            staging.mission(mission, self.word, facts=facts)
        if nation is None:
            staging.cannot(f"no depletion value for {engagement.firer.nationality}: only US and German (12.6.1)")
        self._target(staging)
        place = reading.own_place(staging)
        if engagement.own_troops is not None and place is not None:
            if place != staging.own_place:
                staging.note("own troops nearer than a hex stand in the next hex: friend and foe never share one")
            men = engagement.own_troops.men
            staging.unit(
                "own", staging.firer, place, strength=men, slot=Body(steps=reading.steps(men)), facts=Troops()
            )

    def _target(self, staging: Staging) -> None:
        target = staging.engagement.target
        total = reading.steps(target.men)
        staging.note(f"{target.men} men count {total} steps: a company for every {reading.MEN_A_STEP} men or fewer")
        works = {"trench": "entrenchment"}.get(
            target.cover, "improved_position" if target.posture == "dug_in" else "none"
        )
        troops = Troops((reading.TERRAIN[target.cover],), works)
        half = Fraction(max(target.frontage_m, target.depth_m), 2)
        # Fire of another game may cover less than this body of troops; in a mile hex it never does.
        coarse = isinstance(staging.frame, HexFrame) and staging.frame.spacing_m >= HEX_METRES
        places = staging.target_places() if coarse else (staging.centre,)
        number = max(len(places), -(-total // reading.STEPS_A_UNIT))
        for n in range(number):
            strength = target.men * (n + 1) // number - target.men * n // number
            steps = total * (n + 1) // number - total * n // number
            staging.unit(
                f"t{n + 1}",
                staging.target_side,
                places[n % len(places)],
                strength=strength,
                slot=Body(steps=max(1, steps)),
                facts=troops,
                extent=Fraction(0) if coarse else half,
            )

    # --- looking up ------------------------------------------------------------------------------
    def _present(self, view: View, place: Place) -> tuple[str, ...]:
        """The units at a place that still have steps."""
        return tuple(unit for unit in view.units_at(place) if view.unit(unit, Body).steps > 0)

    def _affected(self, view: View, mission: str, place: Place) -> tuple[str, ...]:
        """The units that the final result falls on: those observed, or all if the barrage is unobserved (12.4.0)."""
        present = self._present(view, place)
        if self.options["affected"] == "all" or not view.sees(mission, place).ground:
            return present
        return tuple(unit for unit in present if view.unit_facts(unit, Troops).observed)

    def _hex(self, view: View, place: Place) -> Hex:
        present = self._present(view, place)
        troops = [view.unit_facts(unit, Troops) for unit in present]
        armoured = [one.armour for one in troops]
        return Hex(
            terrain=tuple({name for one in troops for name in one.terrain}),
            works=min((one.works for one in troops), key=lambda name: self.drm.works[name], default="none"),
            armour="none" if not any(armoured) else "pure" if all(armoured) else "mixed",
            steps=sum(view.unit(unit, Body).steps for unit in present),
            strategic=bool(troops) and all(one.strategic for one in troops),
            vantage=any(one.vantage for one in troops),
        )

    def modifiers(self) -> tuple[Modifier, ...]:
        """The die-roll modifiers of the volleys, and of the roll for ammunition."""

        def sheltered(group: str) -> Callable[..., int]:
            return lambda view, _m, place, _f: shelter(self.drm, self._hex(view, place))[group]

        def other(name: str, applies: Callable[[View, str, Place], bool]) -> Callable[..., int]:
            return lambda view, m, place, _f: self.drm.other[name] if applies(view, m, place) else 0

        def high(view: View, mission: str, place: Place) -> bool:
            return view.facts(mission, Firing).vantage and not self._hex(view, place).vantage

        return (
            Modifier(ROLL, "12.3.1", "terrain of the target hex", sheltered("terrain")),
            Modifier(ROLL, "12.3.1", "works of the target", sheltered("works")),
            Modifier(ROLL, "12.3.1", "armour in the target hex", sheltered("armour")),
            Modifier(
                ROLL, "12.3.1", "steps in the target hex",
                lambda view, _m, place, _f: density(self.drm, self._hex(view, place)),
            ),
            Modifier(
                ROLL, "12.1.6g, 12.3.1", "unobserved",
                other("unobserved", lambda view, m, place: not view.sees(m, place).ground),
            ),
            Modifier(ROLL, "12.3.1", "night", other("night", lambda view, m, _p: view.facts(m, Firing).night)),
            Modifier(ROLL, "12.3.1", "observer on a vantage point", other("observer_on_vantage_point", high)),
            Modifier(
                ROLL, "12.3.1", "target in strategic mode",
                other("target_in_strat_mode", lambda view, _m, place: self._hex(view, place).strategic),
            ),
            Modifier(
                "resolution.depletion", "12.6.1a", "thaw",
                lambda _view, _m: self.limits.thaw if self.options["thaw"] else 0,
            ),
        )  # fmt: skip

    # --- the barrage -----------------------------------------------------------------------------
    @step(cite="12.2.0")
    def strike(self, _chance: Chance, view: View, mission: str, place: Place, intensity: Fraction) -> Then:
        """The factors that fall on the hex make volleys, if anybody is there to be hit."""
        factors = factors_of(intensity)
        if not factors or not self._affected(view, mission, place):
            return Then()
        return Then(push("volleys", mission, place, factors))

    @step(cite="12.3.0, 12.3.1, 12.3.2, 12.3.3")
    def volleys(self, chance: Chance, view: View, mission: str, place: Place, factors: int) -> Then:
        """A die for each volley, read with the modifiers; hits add up, one artillery shift counts."""
        # A fold reads each die for itself, so its modifiers are needed before the dice fall.
        applied = [
            Applied(ROLL, modifier.value(view, mission, place, factors), modifier.cite, modifier.gist)
            for modifier in view.scenario.modifiers
            if modifier.roll == ROLL
        ]
        chance.applied.extend(entry for entry in applied if entry.value)
        drm = net(self.drm, [entry.value for entry in applied])
        open_ground = not any(shelter(self.drm, self._hex(view, place)).values())
        rockets = view.facts(mission, Firing).rockets and open_ground
        first = self.drm.other["rockets_first_volley"] if rockets else 0
        roll = chance.fold("volleys", self.die, groups(self.results, factors, drm, self.die, first))
        hits = roll.add.exact()
        shift = bool(roll.any)
        return Then(
            tell("final_result", "12.3.3", mission=mission, place=place, hits=hits, shift=shift),
            push("final", mission, place, hits, shift) if hits or shift else Then(),
        )

    @step(cite="12.4.1")
    def final(self, _chance: Chance, view: View, mission: str, place: Place, hits: int, shift: bool) -> Then:  # noqa: FBT001
        """The owner says how the hits are satisfied."""
        affected = self._affected(view, mission, place)
        if hits == 0:
            return Then(push("satisfied", mission, place, 0, shift, self._losses(view, affected)))
        return Then(ask(view.unit_side(affected[0]), "satisfy", mission, place, hits, shift, then="satisfied"))

    def questions(self) -> dict[str, Question]:
        """How the hits on a hex are satisfied."""
        return {"satisfy": Question(self._offers, self._refuse, self._standard)}

    def _losses(self, view: View, affected: tuple[str, ...]) -> Order:
        """Step losses first; the strongest unit loses first."""
        order = tuple(sorted(affected, key=lambda unit: (-view.unit(unit, Body).steps, unit)))
        return Order.of(LOSSES_THEN_RETREAT, units=order)

    def _offers(self, view: View, mission: str, place: Place, _hits: int, _shift: bool) -> tuple[Form, ...]:  # noqa: FBT001
        affected = self._affected(view, mission, place)
        orders = (
            tuple(permutations(affected))
            if len(affected) <= NAMED_ORDERS
            else (self._losses(view, affected)["units"],)
        )
        slots = (Slot("units", "in which order the units lose steps", orders),)
        return (
            Form(LOSSES_THEN_RETREAT, "12.4.1a", "lose steps, then retreat if a hit is left", slots),
            Form(RETREAT_FIRST, "12.4.1b", "retreat one hex for one hit, lose steps for the others", slots),
        )

    def _refuse(self, view: View, order: Order, mission: str, place: Place, _hits: int, _shift: bool) -> Refusal | None:  # noqa: FBT001
        affected = self._affected(view, mission, place)
        units = order["units"]
        if not isinstance(units, tuple) or len(units) != len(affected) or set(units) != set(affected):
            return Refusal("12.4.1a", f"name each affected unit once: {', '.join(affected)}")
        if order.verb == RETREAT_FIRST and not self._can_retreat(view, affected):
            return Refusal("12.4.1b", "all affected units must be able to retreat")
        return None

    def _standard(self, view: View, mission: str, place: Place, _hits: int, _shift: bool) -> Order:  # noqa: FBT001
        affected = self._affected(view, mission, place)
        usual = self._losses(view, affected)
        if self.options["hits"] == RETREAT_FIRST and self._can_retreat(view, affected):
            return Order(RETREAT_FIRST, usual.values)
        return usual

    def _can_retreat(self, view: View, affected: tuple[str, ...]) -> bool:
        return all(view.unit_facts(unit, Troops).can_retreat for unit in affected)

    @step(cite="12.4.1, 12.4.2, 12.4.2a, 12.4.3")
    def satisfied(
        self,
        _chance: Chance,
        view: View,
        _mission: str,
        place: Place,
        hits: int,
        shift: bool,  # noqa: FBT001
        order: Order,
    ) -> Then:
        """Steps are lost, units retreat, what is left is overkill; markers go on the survivors."""
        units: tuple[str, ...] = order["units"]
        bodies = [view.unit(unit, Body) for unit in units]
        before = [body.steps for body in bodies]
        done = satisfy(
            before, hits, shift=shift, policy=order.verb, can_retreat=self._can_retreat(view, units)
        )
        happened: list[Event] = []
        puts = []
        for unit, body, had, has in zip(units, bodies, before, done.steps, strict=True):
            shifted = done.shift and not body.shift
            fatigued = done.fatigue and not body.fatigue
            marks = shifted or fatigued or done.retreat
            severity = _severity(had, has, marks=marks)
            if severity is Severity.NONE:
                continue
            puts.append(
                put(body, steps=has)
                if has == 0
                else put(
                    body,
                    steps=has,
                    shift=body.shift or done.shift,
                    fatigue=body.fatigue or done.fatigue,
                    retreated=body.retreated or done.retreat,
                )
            )
            happened.append(
                tell("suffered", "12.4.1a" if has < had else "12.4.3", unit=unit, severity=severity)
            )
        satisfied = tell(
            "satisfied",
            "12.4.1",
            place=place,
            losses=done.losses,
            retreat=done.retreat and any(done.steps),
            overkill=done.overkill,
        )
        empty = () if any(done.steps) and not done.retreat else (tell("emptied", "12.5.0", place=place),)
        return Then(*puts, satisfied if hits else Then(), *happened, *(empty if hits else ()))

    # --- the asset -------------------------------------------------------------------------------
    @step(cite="12.6.1")
    def spent(self, chance: Chance, view: View, mission: str) -> Then:
        """An extra die for the barrage: its excess over the depletion value is how many firing units run out.

        Rolled with the first volley, it counts after the last. Where the table takes its requests from another game
        the asset runs out by that game's rules, and this roll is not made.
        """
        if "requests.deplete" not in view.scenario.steps:
            return Then()
        value = view.facts(mission, Firing).depletion
        roll = chance.dice("depletion", d10=self.die)
        excess = (roll.total + (chance.drm(roll) - value)).clamped(low=0).exact()
        return Then(push("requests.deplete", mission, excess))


def _severity(had: int, has: int, *, marks: bool) -> Severity:
    if has == 0:
        return Severity.DESTROYED
    if has < had:
        return Severity.REDUCED
    return Severity.SUPPRESSED if marks else Severity.NONE
