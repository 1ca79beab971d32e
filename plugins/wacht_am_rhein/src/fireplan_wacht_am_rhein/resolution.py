"""Resolution: factors made into volleys (12.2.0), and the Final Barrage Result of their dice (12.3).

What it does to a hex is in ``satisfying``; what firing costs is for ``requests``, where the firing
units are known. ``full`` is the number of Barrage Factors of a full volley, which also counts as
this game's normal concentration. Severities: a unit that loses its last step is DESTROYED, one that
loses one of several REDUCED; an artillery shift, a retreat or fatigue is SUPPRESSED.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar

import attrs

from fireplan_core import (
    Effects,
    Keeps,
    Modifier,
    Place,
    Severity,
    Shot,
    Staging,
    View,
    emit,
    parts_of,
    push,
    step,
)
from fireplan_core.chance import Chance, Chart, Die
from fireplan_core.displays import Counter, Display
from fireplan_wacht_am_rhein.charts import VALUES, DrmTable, die, read_result
from fireplan_wacht_am_rhein.satisfying import Result, Satisfying
from fireplan_wacht_am_rhein.setup import Body, Firing, Sighting, UnitEntry, stage_troops

Group = tuple[int, Mapping[int, tuple[int, bool]]]


# --- volleys -------------------------------------------------------------------------------------
def volleys(factors: int, full: int) -> tuple[int, ...]:
    """Return the Barrage Values of the volleys: as many full ones as there are, then the remainder (12.2.0)."""
    number, rest = divmod(factors, full)
    return (full,) * number + ((rest,) if rest else ())


def factors_of(intensity: Fraction, full: int) -> int:
    """Return the Barrage Factors of an intensity, fractions rounded up as everywhere in this game."""
    return -(-intensity * full // 1)


def reading(results: Chart, value: int, drm: int, die: Die) -> dict[int, tuple[int, bool]]:
    """Return for each face of the die the hits and the artillery shift of one volley (12.3.1, 12.3.2)."""
    return {face: read_result(results.cell(face + drm, f"bv{value}")) for face in die.faces}


def groups(
    results: Chart, values: Sequence[int], drm: int, die: Die, first_only: int = 0
) -> tuple[Group, ...]:
    """Return volleys of these values as groups of like dice for a fold.

    ``first_only`` is for the first alone.
    """
    counts: dict[tuple[int, int], int] = {}
    for number, value in enumerate(values):
        key = (value, drm + (first_only if number == 0 else 0))
        counts[key] = counts.get(key, 0) + 1
    return tuple(
        (count, reading(results, value, net, die)) for (value, net), count in counts.items()
    )


# --- modifiers -----------------------------------------------------------------------------------
@attrs.frozen
class Hex:
    """Say what a target hex offers: its terrains, the best works in it, armour (none, mixed, pure), steps.

    ``strategic``: the units there are in strategic mode. ``vantage``: it is a vantage point itself.
    """

    terrain: Sequence[str] = ("clear",)
    works: str = "none"
    armour: str = "none"
    steps: int = 0
    strategic: bool = False
    vantage: bool = False


def shelter(table: DrmTable, target: Hex) -> dict[str, int]:
    """Return the modifiers of the groups terrain, works and armour that count.

    0 for those that do not.

    Of several terrains the defender's best counts. A fort leaves terrain out; units in strategic
    mode have none of the three; with armour among other units the best two of the three count, with
    armour alone armour and the better of the other two.
    """
    found = {
        "terrain": min((table.terrain[one] for one in target.terrain), default=0),
        "works": table.works[target.works],
        "armour": table.armour[target.armour],
    }
    if target.strategic:
        return dict.fromkeys(found, 0)
    if target.works == "fortification":
        found["terrain"] = 0
    if target.armour == "none":
        return found
    forced = ["armour"] if target.armour == "pure" else []
    open_ = [name for name in sorted(found, key=lambda name: found[name]) if name not in forced]
    kept = {*forced, *open_[: table.pure_best if forced else table.mixed_best]}
    return {name: value if name in kept else 0 for name, value in found.items()}


ROLLS = ("volleys", "volley")
"""The roll of a barrage: all volleys together, or one at a time."""
NONE = (0, 0, False)
"""Before the first volley: how many there were, their hits and shift."""


class WarResolution(Satisfying):
    """Hits for a whole hex, satisfied by its owner."""

    keeps = Keeps(units=(Body,))
    severities: ClassVar[Mapping[str, Severity]] = {
        "artillery shift": Severity.SUPPRESSED,
        "retreat": Severity.SUPPRESSED,
        "fatigue": Severity.SUPPRESSED,
        "step lost of several": Severity.REDUCED,
        "last step lost": Severity.DESTROYED,
    }

    def __init__(self, game: str, options: Mapping[str, Any], charts: Mapping[str, Any]) -> None:
        super().__init__(game, options, charts)
        self.results = charts["barrage_results"]
        self.drm = charts["barrage_drm"]
        self.die = die(options)

    def stage(self, staging: Staging) -> None:
        """Stage battalions of up to three steps in the target's hex, and own troops in theirs."""
        stage_troops(staging, self.charts)

    def contradictions(self, view: View) -> Iterator[str]:
        """Yield units with more steps than they began with: none come back."""
        for unit in view.units:
            now = view.unit(unit, Body).steps
            most = view.scenario.initial.get(f"units/{unit}/{self.word}/steps", now)
            if now > most:
                yield f"{unit}: it began with {most} step{'s' * (most != 1)} (12.4.1a)"

    def board(self, view: View, side: str) -> tuple[Display, ...]:
        """Return the Barrage Results Table for each barrage of a side that falls, with the columns it is read in."""
        return tuple(
            self._table(view, m) for m in view.owned(side) if view.mission(m).impact is not None
        )

    def _table(self, view: View, mission: str) -> Display:
        """Return what each face of the die gives to each Barrage Value, modifiers and all (12.3.1, 12.3.2)."""
        place, full, faces = (
            view.mission(mission).impact,
            self.number("full_volley"),
            self.die.faces,
        )
        rolled = volleys(factors := factors_of(view.mission(mission).strength, full), full)
        given = (
            one.value(view, mission, place, factors)
            for one in self.modifiers()
            if one.roll == ROLLS[0]
        )
        told = (
            (drm := self.drm.net(sum(given)), ""),
            (self._first_volley(view, mission, place), "more to the first "),
        )
        columns: list[tuple[str, tuple[Counter, ...]]] = [
            ("die", tuple(Counter(str(face)) for face in faces))
        ]
        for value, column in enumerate(VALUES, start=1):
            count = rolled.count(value)
            cells = (
                Counter(self.results.cell(face + drm, column), cut=not count) for face in faces
            )
            columns.append((f"BV {value}" + f" x {count}" * (count > 1), tuple(cells)))
        more = "".join(f", {added:+d} {what}to the die" for added, what in told if added)
        return Display("table", f"Barrage Results Table{more}", tuple(columns))

    # --- looking up ------------------------------------------------------------------------------
    def _hex(self, view: View, mission: str, place: Place) -> Hex:
        present = self.present(view, place)
        troops = [view.unit_facts(unit, UnitEntry) for unit in present]
        armoured = [one.armour for one in troops]
        cell = self.ground(view, mission).at(place)
        return Hex(
            terrain=cell.terrain,
            works=cell.works,
            armour="none" if not any(armoured) else "pure" if all(armoured) else "mixed",
            steps=sum(view.unit(unit, Body).steps for unit in present),
            strategic=bool(troops) and all(one.mode == "strategic" for one in troops),
            vantage=cell.vantage,
        )

    def modifiers(self) -> tuple[Modifier, ...]:
        """Return the die-roll modifiers of the volleys, and of a proficiency check."""

        def sheltered(group: str) -> Callable[..., int]:
            return lambda view, m, place, *_: shelter(self.drm, self._hex(view, m, place))[group]

        def other(name: str, applies: Callable[[View, str, Place], bool]) -> Callable[..., int]:
            return lambda view, m, place, *_: self.drm.other[name] if applies(view, m, place) else 0

        def high(view: View, mission: str, place: Place) -> bool:
            up = view.scenario.mobile and view.peek(mission, Sighting).vantage
            return up and not self._hex(view, mission, place).vantage

        def density(
            view: View,
            mission: str,
            place: Place,
            _factors: int,
            so_far: tuple[int, int, bool] = NONE,
        ) -> int:
            return int(self.drm.of_density(self._hex(view, mission, place).steps - so_far[1]))

        listed: tuple[tuple[str, str, Callable[..., int]], ...] = (
            ("12.3.1", "terrain of the target hex", sheltered("terrain")),
            ("12.3.1", "works of the target", sheltered("works")),
            ("12.3.1", "armour in the target hex", sheltered("armour")),
            ("12.3.1", "steps in the target hex", density),
            (
                "12.1.6g, 12.3.1",
                "unobserved",
                other("unobserved", lambda view, m, place: not self.observed(view, m, place)),
            ),
            ("12.3.1", "night", other("night", lambda view, m, _p: view.facts(m, Firing).night)),
            ("12.3.1", "observer on a vantage point", other("observer_on_vantage_point", high)),
            (
                "12.3.1",
                "target in strategic mode",
                other(
                    "target_in_strat_mode",
                    lambda view, m, place: self._hex(view, m, place).strategic,
                ),
            ),
        )
        rolls = tuple(Modifier(roll, *one) for roll in ROLLS for one in listed)
        return (*rolls, *super().modifiers())

    # --- the barrage -----------------------------------------------------------------------------
    @step(cite="12.2.0")
    def strike(
        self, _chance: Chance, view: View, mission: str, place: Place, shot: Shot
    ) -> Effects:
        """Make volleys of the factors that fall on the hex, if anybody is there to be hit."""
        full = self.number("full_volley")
        factors = factors_of(shot.strength, full)
        if not factors or not self.affected(view, mission, place):
            return Effects()
        told = emit(
            "volleys", "12.2.0, 12.3.0", mission=mission, place=place, values=volleys(factors, full)
        )
        if self.options["density"] == "per_volley":
            return Effects(told, push(self.volley, mission, place, factors, NONE))
        return Effects(told, push(self.volleys, mission, place, factors))

    def _first_volley(self, view: View, mission: str, place: Place) -> int:
        """Return what is added to the first volley alone."""
        open_ground = not any(shelter(self.drm, self._hex(view, mission, place)).values())
        rockets = (
            view.peek(mission, Sighting).rockets
            if view.scenario.mobile
            else view.facts(mission, Firing).rockets
        )
        return self.drm.other["rockets_first_volley"] if rockets and open_ground else 0

    @step(cite="12.3.0, 12.3.1, 12.3.2, 12.3.3")
    def volleys(
        self, chance: Chance, view: View, mission: str, place: Place, factors: int
    ) -> Effects:
        """Roll a die for each volley, read with the modifiers.

        Hits add up, one artillery shift counts.
        """
        drm, held = self._held(chance.drm("volleys"))
        first = self._first_volley(view, mission, place)
        values = volleys(factors, self.number("full_volley"))
        roll = chance.fold("volleys", self.die, groups(self.results, values, drm, self.die, first))
        return Effects(held, self._final(mission, place, (roll.add.exact(), bool(roll.any))))

    @step(cite="12.3.1, 12.3.2, 12.3.3")
    def volley(
        self,
        chance: Chance,
        view: View,
        mission: str,
        place: Place,
        factors: int,
        so_far: tuple[int, int, bool],
    ) -> Effects:
        """Roll for one volley of those left, with the steps in the hex counted anew (less the hits so far)."""
        number, hits, shift = so_far
        value = min(factors, self.number("full_volley"))
        drm, held = self._held(chance.drm("volley"))
        first = 0 if number else self._first_volley(view, mission, place)
        roll = chance.fold("volley", self.die, groups(self.results, (value,), drm, self.die, first))
        hits += roll.add.exact()
        shift = shift or bool(roll.any)
        if factors > value:
            return Effects(
                held, push(self.volley, mission, place, factors - value, (number + 1, hits, shift))
            )
        return Effects(held, self._final(mission, place, (hits, shift)))

    def _held(self, total: int) -> tuple[int, Effects]:
        """Return a sum of modifiers held to the least or greatest there is, telling where that changes it."""
        net = self.drm.net(total)
        return net, Effects() if net == total else Effects(
            emit("held", "12.3.1", modifiers=total, counted=net)
        )

    def _final(self, mission: str, place: Place, result: Result) -> Effects:
        hits, shift = result
        return Effects(
            emit(
                "final_result",
                "12.3.2, 12.3.3",
                mission=mission,
                place=place,
                hits=hits,
                shift=shift,
            ),
            push(self.final, mission, place, result) if any(result) else Effects(),
        )

    # --- the asset -------------------------------------------------------------------------------
    @step(cite="12.6.2")
    def spent(self, _chance: Chance, view: View, mission: str) -> Effects:
        """Tell the requests that the barrage has fallen.

        Where the table takes its requests from another game the asset runs out by that game's
        rules.
        """
        return Effects(push(parts_of(view).requests.paid, mission))
