"""Resolution: volleys on the Barrage Results Table and the Final Barrage Result (12.3).

What it does to a hex is in ``satisfying``; what firing costs is for ``requests``, where the firing units are known.
Severities: a unit that loses its last step is DESTROYED, one that loses one of several REDUCED; an artillery shift, a
retreat or fatigue is SUPPRESSED.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import attrs

from fireplan_core import Effects, Modifier, Place, Severity, Staging, View, emit, push, step, update
from fireplan_core.chance import Chance, Die
from fireplan_core.space import HexFrame
from fireplan_wacht_am_rhein import engagement as reading
from fireplan_wacht_am_rhein.ground import HEX_METRES
from fireplan_wacht_am_rhein.modifiers import Hex, density, net, shelter
from fireplan_wacht_am_rhein.satisfying import Body, Firing, Satisfying, Sighting, Troops
from fireplan_wacht_am_rhein.volleys import factors_of, groups, volleys

ROLL = "resolution.volleys"
RECOUNT = "resolution.volley"
"""The same roll, one volley at a time."""
NONE = (0, 0, False)
"""Before the first volley: how many there were, their hits and shift."""


class WarResolution(Satisfying):
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
        self.drm = charts["barrage_drm"]
        self.die = Die(10, lowest=0 if options["d10_zero"] == "zero" else 1)

    # --- staging ---------------------------------------------------------------------------------
    def stage(self, staging: Staging) -> None:
        """Battalions of up to three steps in the target's hex, and own troops in theirs."""
        engagement = staging.engagement
        self.say_sources(staging)
        staging.note("a retreat is marked on its unit, which later barrages follow: no map lies behind the target")
        for mission in staging.assets:
            facts = Firing(engagement.asset.weapon == "rocket", engagement.situation.night)
            staging.mission(mission, self.word, facts=facts)
        self._target(staging)
        place = reading.own_place(staging)
        if engagement.own_troops is not None and place is not None:
            if place != staging.own_place:
                staging.note("own troops nearer than a hex stand in the next hex: friend and foe never share one")
            men = engagement.own_troops.men
            own = reading.steps(men, self.number("men_per_step"))
            staging.unit(
                "own", staging.firer, place, strength=men, slot=Body(steps=own), facts=Troops()
            )

    def say_sources(self, staging: Staging) -> None:
        """Note what the charts in use rest on."""
        if self.results.provenance != "printed":
            staging.note(f"the Barrage Results Table is {self.results.provenance} ({self.results.source})")
        staging.note(f"the barrage die-roll modifiers are {self.drm.provenance} from the successor edition of 2020")

    def _target(self, staging: Staging) -> None:
        target = staging.engagement.target
        a_step = self.number("men_per_step")
        total = reading.steps(target.men, a_step)
        staging.note(f"{target.men} men count {total} steps: a company for every {a_step} men or fewer")
        works = {"trench": "entrenchment"}.get(
            target.cover, "improved_position" if target.posture == "dug_in" else "none"
        )
        troops = Troops((reading.TERRAIN[target.cover],), works)
        half = Fraction(max(target.frontage_m, target.depth_m), 2)
        # Fire of another game may cover less than this body of troops; in a mile hex it never does.
        coarse = isinstance(staging.frame, HexFrame) and staging.frame.spacing_m >= HEX_METRES
        places = staging.target_places() if coarse else (staging.centre,)
        number = max(len(places), -(-total // self.number("steps_per_unit")))
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
    def _hex(self, view: View, mission: str, place: Place) -> Hex:
        present = self.present(view, place)
        troops = [view.unit_facts(unit, Troops) for unit in present]
        armoured = [one.armour for one in troops]
        ground = self._ground(view, mission)
        terrain = {name for one in troops for name in one.terrain}
        works = min((one.works for one in troops), key=lambda name: self.drm.works[name], default="none")
        vantage = any(one.vantage for one in troops)
        if ground is not None:
            cell = ground.at(place)
            terrain, works, vantage = set(cell.terrain), cell.works, cell.vantage
        return Hex(
            terrain=tuple(sorted(terrain)),
            works=works,
            armour="none" if not any(armoured) else "pure" if all(armoured) else "mixed",
            steps=sum(view.unit(unit, Body).steps for unit in present),
            strategic=bool(troops) and all(one.strategic for one in troops),
            vantage=vantage,
        )

    def modifiers(self) -> tuple[Modifier, ...]:
        """The die-roll modifiers of the volleys, and of a proficiency check."""

        def sheltered(group: str) -> Callable[..., int]:
            return lambda view, m, place, *_: shelter(self.drm, self._hex(view, m, place))[group]

        def other(name: str, applies: Callable[[View, str, Place], bool]) -> Callable[..., int]:
            return lambda view, m, place, *_: self.drm.other[name] if applies(view, m, place) else 0

        def high(view: View, mission: str, place: Place) -> bool:
            if self._ground(view, mission) is None:
                up = view.facts(mission, Firing).vantage
            else:
                up = view.own(mission, Sighting).vantage
            return up and not self._hex(view, mission, place).vantage

        def steps(view: View, mission: str, place: Place, _factors: int, so_far: tuple[int, int, bool] = NONE) -> int:
            found = self._hex(view, mission, place)
            return density(self.drm, attrs.evolve(found, steps=max(1, found.steps - so_far[1])))

        listed: tuple[tuple[str, str, Callable[..., int]], ...] = (
            ("12.3.1", "terrain of the target hex", sheltered("terrain")),
            ("12.3.1", "works of the target", sheltered("works")),
            ("12.3.1", "armour in the target hex", sheltered("armour")),
            ("12.3.1", "steps in the target hex", steps),
            (
                "12.1.6g, 12.3.1", "unobserved",
                other("unobserved", lambda view, m, place: not self.observed(view, m, place)),
            ),
            ("12.3.1", "night", other("night", lambda view, m, _p: view.facts(m, Firing).night)),
            ("12.3.1", "observer on a vantage point", other("observer_on_vantage_point", high)),
            (
                "12.3.1", "target in strategic mode",
                other("target_in_strat_mode", lambda view, m, place: self._hex(view, m, place).strategic),
            ),
        )  # fmt: skip
        rolls = tuple(Modifier(roll, *one) for roll in (ROLL, RECOUNT) for one in listed)
        return (*rolls, *Satisfying.modifiers(self))

    # --- the barrage -----------------------------------------------------------------------------
    @step(cite="12.2.0")
    def strike(self, _chance: Chance, view: View, mission: str, place: Place, intensity: Fraction) -> Effects:
        """The factors that fall on the hex make volleys, if anybody is there to be hit."""
        full = self.number("full_volley")
        factors = factors_of(intensity, full)
        if not factors or not self.affected(view, mission, place):
            return Effects()
        told = emit("volleys", "12.2.0, 12.3.0", mission=mission, place=place, values=volleys(factors, full))
        if self.options["density"] == "per_volley":
            return Effects(told, push("volley", mission, place, factors, NONE))
        return Effects(told, push("volleys", mission, place, factors))

    def first_volley(self, view: View, mission: str, place: Place) -> int:
        """What is added to the first volley alone."""
        open_ground = not any(shelter(self.drm, self._hex(view, mission, place)).values())
        on_map = self._ground(view, mission) is not None
        rockets = view.own(mission, Sighting).rockets if on_map else view.facts(mission, Firing).rockets
        return self.drm.other["rockets_first_volley"] if rockets and open_ground else 0

    def held(self, drm: int) -> int:
        """A net modifier within its bounds."""
        return net(self.drm, [drm])

    @step(cite="12.3.0, 12.3.1, 12.3.2, 12.3.3")
    def volleys(self, chance: Chance, view: View, mission: str, place: Place, factors: int) -> Effects:
        """A die for each volley, read with the modifiers; hits add up, one artillery shift counts."""
        drm = self.held(chance.drm("volleys"))
        first = self.first_volley(view, mission, place)
        values = volleys(factors, self.number("full_volley"))
        roll = chance.fold("volleys", self.die, groups(self.results, values, drm, self.die, first))
        hits = roll.add.exact()
        shift = bool(roll.any)
        return Effects(
            emit("final_result", "12.3.2, 12.3.3", mission=mission, place=place, hits=hits, shift=shift),
            push("final", mission, place, hits, shift) if hits or shift else Effects(),
        )

    @step(cite="12.3.1, 12.3.2, 12.3.3")
    def volley(
        self, chance: Chance, view: View, mission: str, place: Place, factors: int, so_far: tuple[int, int, bool]
    ) -> Effects:
        """One volley of those left, where the steps in the hex are counted anew for each (less the hits so far)."""
        number, hits, shift = so_far
        value = min(factors, self.number("full_volley"))
        drm = self.held(chance.drm("volley"))
        first = 0 if number else self.first_volley(view, mission, place)
        roll = chance.fold("volley", self.die, groups(self.results, (value,), drm, self.die, first))
        hits += roll.add.exact()
        shift = shift or bool(roll.any)
        if factors > value:
            return Effects(push("volley", mission, place, factors - value, (number + 1, hits, shift)))
        return Effects(
            emit("final_result", "12.3.2, 12.3.3", mission=mission, place=place, hits=hits, shift=shift),
            push("final", mission, place, hits, shift) if hits or shift else Effects(),
        )

    # --- the asset -------------------------------------------------------------------------------
    @step(cite="12.6.1")
    def spent(self, _chance: Chance, view: View, mission: str) -> Effects:
        """The barrage costs ammunition.

        Where the table takes its requests from another game the asset runs out by that game's rules.
        """
        return Effects(push("requests.paid", mission)) if "requests.paid" in view.scenario.steps else Effects()

    @step(cite="12.1.6")
    def sighted(self, _chance: Chance, view: View, mission: str, how: tuple[bool, bool, bool, bool]) -> Effects:
        """On a map: whether the barrage about to fall is observed, from the air, from a height, by rockets alone."""
        observed, air, vantage, rockets = how
        return Effects(update(view.own(mission, Sighting), observed=observed, air=air, vantage=vantage, rockets=rockets))
