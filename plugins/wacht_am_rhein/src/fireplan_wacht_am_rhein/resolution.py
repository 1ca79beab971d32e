"""Resolution: volleys (12.2.0) and the Final Barrage Result of their dice (12.3).

``satisfying`` applies the result to the hex; ``ammunition`` depletes the firing units. ``full`` is
the number of Barrage Factors of a full volley, which is this game's normal concentration.
Severities: a unit that loses its last step is DESTROYED, a unit that loses one of several steps is
REDUCED, and a unit that suffers an artillery shift, a retreat or fatigue is SUPPRESSED.
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
    query,
    step,
)
from fireplan_core.chance import Chance, Chart, Die
from fireplan_core.displays import Counter, Display
from fireplan_wacht_am_rhein.charts import VALUES, DrmTable, die, read_result
from fireplan_wacht_am_rhein.satisfying import Result, Satisfying
from fireplan_wacht_am_rhein.setup import Firing, Sighting, UnitEntry, UnitState, stage_troops

Group = tuple[int, Mapping[int, tuple[int, bool]]]
"""A number of identical volleys, and a map from each die face to (hits, artillery shift)."""


# --- volleys -------------------------------------------------------------------------------------
def volleys(factors: int, full: int) -> tuple[int, ...]:
    """Return the Barrage Value of each volley: full volleys first, then the remainder (12.2.0)."""
    number, rest = divmod(factors, full)
    return (full,) * number + ((rest,) if rest else ())


def factors_of(intensity: Fraction, full: int) -> int:
    """Return a share of ``full`` Barrage Factors, rounded up like all fractions in this game."""
    return -(-intensity * full // 1)


def reading(results: Chart, value: int, drm: int, die: Die) -> dict[int, tuple[int, bool]]:
    """Return, for each face of the die, a volley's (hits, artillery shift) (12.3.2).

    ``value`` is the volley's Barrage Value, and ``drm`` is the net modifier.
    """
    return {face: read_result(results.entry(face + drm, f"bv{value}")) for face in die.faces}


def groups(
    results: Chart, values: Sequence[int], drm: int, die: Die, first_only: int = 0
) -> tuple[tuple[Group, ...], tuple[int, ...]]:
    """Return the volleys in groups of identical ones, and the modifier of each group.

    ``values`` are the Barrage Values of the volleys. ``drm`` is the modifier of every volley, and
    ``first_only`` is added to that of the first. The groups are in the form that ``Chance.fold``
    takes.
    """
    counts: dict[tuple[int, int], int] = {}
    for number, value in enumerate(values):
        key = (value, drm + (first_only if number == 0 else 0))
        counts[key] = counts.get(key, 0) + 1
    dice = tuple(
        (count, reading(results, value, net, die)) for (value, net), count in counts.items()
    )
    return dice, tuple(net for _, net in counts)


# --- modifiers -----------------------------------------------------------------------------------
@attrs.frozen
class Hex:
    """A target hex: its terrains, best works, armour (``none``, ``mixed`` or ``pure``) and steps.

    ``strategic`` is true if all its units are in strategic mode, ``vantage`` if the hex is a
    vantage point.
    """

    terrain: Sequence[str] = ("clear",)
    works: str = "none"
    armour: str = "none"
    steps: int = 0
    strategic: bool = False
    vantage: bool = False


def shelter(table: DrmTable, target: Hex) -> dict[str, int]:
    """Return the modifiers for terrain, works and armour, each 0 if it does not count.

    If the hex has several terrains, the best for the defender counts. A fortification excludes
    terrain; strategic mode excludes all three. If some units are armoured, the best two of the
    three count; if all are, armour counts with the better of the other two.
    """
    modifiers = {
        "terrain": min((table.terrain[terrain] for terrain in target.terrain), default=0),
        "works": table.works[target.works],
        "armour": table.armour[target.armour],
    }
    if target.strategic:
        return dict.fromkeys(modifiers, 0)
    if target.works == "fortification":
        modifiers["terrain"] = 0
    if target.armour == "none":
        return modifiers
    forced = ["armour"] if target.armour == "pure" else []
    ranked = sorted(modifiers, key=lambda name: modifiers[name])
    others = [name for name in ranked if name not in forced]
    counting = {*forced, *others[: table.pure_best if forced else table.mixed_best]}
    return {name: value if name in counting else 0 for name, value in modifiers.items()}


ROLLS = ("volleys", "volley")
"""Names of the rolls of a barrage: all volleys together, or one at a time."""
NONE = (0, 0, False)
"""Number of volleys rolled, hits and artillery shift before the first volley."""


class WarResolution(Satisfying):
    """The resolution part: volleys that strike a hex, and hits that its units' owner satisfies."""

    keeps = Keeps(units=(UnitState,))
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
        """Stage the target's battalions of up to three steps, and the firer's own troops."""
        stage_troops(staging, self.charts)

    def contradictions(self, view: View) -> Iterator[str]:
        """Yield a fault for each unit that has more steps than at the start."""
        for unit in view.units:
            now = view.unit(unit, UnitState).steps
            most = view.scenario.initial.get(f"units/{unit}/{self.word}/steps", now)
            if now > most:
                steps = "1 step" if most == 1 else f"{most} steps"
                yield f"{unit}: it has {now} steps, but it began with {steps} (12.4.1a)"

    def board(self, view: View, side: str) -> tuple[Display, ...]:
        """Return the Barrage Results Table for each of a side's barrages in resolution."""
        return tuple(
            self._table(view, mission)
            for mission in view.owned(side)
            if view.mission(mission).impact is not None
        )

    def _table(self, view: View, mission: str) -> Display:
        """Return a display of the result for each die face and Barrage Value (12.3.2)."""
        place, faces = view.mission(mission).impact, self.die.faces
        rolled, drm = self._volleys_on(view, mission, place)
        added = ((drm, ""), (self._first_volley(view, mission, place), "more to the first "))
        columns: list[tuple[str, tuple[Counter, ...]]] = [
            ("die", tuple(Counter(str(face)) for face in faces))
        ]
        for value, column in enumerate(VALUES, start=1):
            count = rolled.count(value)
            cells = (
                Counter(self.results.entry(face + drm, column), cut=not count) for face in faces
            )
            heading = f"BV {value} x {count}" if count > 1 else f"BV {value}"
            columns.append((heading, tuple(cells)))
        modifiers = "".join(f", {value:+d} {which}to the die" for value, which in added if value)
        return Display("table", f"Barrage Results Table{modifiers}", tuple(columns))

    def _volleys_on(self, view: View, mission: str, place: Place) -> tuple[tuple[int, ...], int]:
        """Return the Barrage Value of each volley of a barrage on a hex, and the net modifier."""
        full = self.number("full_volley")
        factors = factors_of(view.mission(mission).strength, full)
        total = sum(
            modifier.value(view, mission, place, factors)
            for modifier in self.modifiers()
            if modifier.roll == ROLLS[0]
        )
        return volleys(factors, full), self.drm.net(total)

    @query(cite="12.3.2")
    def volley_results(
        self, view: View, mission: str, place: Place
    ) -> tuple[tuple[int, int, int, bool], ...]:
        """Return (Barrage Value, face, hits, artillery shift) for each face of each volley.

        The volleys are the current barrage's if it falls on this hex, in the order of their rolls.
        """
        values, drm = self._volleys_on(view, mission, place)
        first = self._first_volley(view, mission, place)
        return tuple(
            (value, face, *result)
            for number, value in enumerate(values)
            for face, result in reading(
                self.results, value, drm if number else drm + first, self.die
            ).items()
        )

    # --- looking up ------------------------------------------------------------------------------
    def _hex(self, view: View, mission: str, place: Place) -> Hex:
        present = self.present(view, place)
        troops = [view.unit_facts(unit, UnitEntry) for unit in present]
        armoured = [unit.armour for unit in troops]
        cell = self.ground(view, mission).at(place)
        return Hex(
            terrain=cell.terrain,
            works=cell.works,
            armour="none" if not any(armoured) else "pure" if all(armoured) else "mixed",
            steps=sum(view.unit(unit, UnitState).steps for unit in present),
            strategic=bool(troops) and all(unit.mode == "strategic" for unit in troops),
            vantage=cell.vantage,
        )

    def modifiers(self) -> tuple[Modifier, ...]:
        """Return the die-roll modifiers for volleys and for the proficiency check."""

        def sheltered(group: str) -> Callable[..., int]:
            return lambda view, m, place, *_: shelter(self.drm, self._hex(view, m, place))[group]

        def other(name: str, applies: Callable[[View, str, Place], bool]) -> Callable[..., int]:
            return lambda view, m, place, *_: self.drm.other[name] if applies(view, m, place) else 0

        def vantage(view: View, mission: str, place: Place) -> bool:
            on_vantage = view.scenario.mobile and view.peek(mission, Sighting).vantage
            return on_vantage and not self._hex(view, mission, place).vantage

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
            ("12.3.1", "number of steps in the target hex", density),
            (
                "12.1.6g, 12.3.1",
                "unobserved",
                other("unobserved", lambda view, m, place: not self.observed(view, m, place)),
            ),
            ("12.3.1", "night", other("night", lambda view, m, _p: view.facts(m, Firing).night)),
            ("12.3.1", "observer on a vantage point", other("observer_on_vantage_point", vantage)),
            (
                "12.3.1",
                "target in strategic mode",
                other(
                    "target_in_strat_mode",
                    lambda view, m, place: self._hex(view, m, place).strategic,
                ),
            ),
        )
        rolls = tuple(Modifier(roll, *entry) for roll in ROLLS for entry in listed)
        return (*rolls, *super().modifiers())

    # --- the barrage -----------------------------------------------------------------------------
    @step(cite="12.2.0")
    def strike(
        self, _chance: Chance, view: View, mission: str, place: Place, shot: Shot
    ) -> Effects:
        """Divide the factors that fall on the hex into volleys, if any unit there is affected."""
        full = self.number("full_volley")
        factors = factors_of(shot.strength, full)
        if not factors or not self.affected(view, mission, place):
            return Effects()
        event = emit(
            "volleys", "12.2.0, 12.3.0", mission=mission, place=place, values=volleys(factors, full)
        )
        if self.options["density"] == "per_volley":
            return Effects(event, push(self.volley, mission, place, factors, NONE))
        return Effects(event, push(self.volleys, mission, place, factors))

    def _first_volley(self, view: View, mission: str, place: Place) -> int:
        """Return the modifier for the first volley only: rockets on a target without cover."""
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
        """Roll a die for each volley and apply the modifiers.

        The hits of all volleys are added together, but only one artillery shift counts.
        """
        drm, held = self._held(chance.drm("volleys"))
        first = self._first_volley(view, mission, place)
        values = volleys(factors, self.number("full_volley"))
        roll = chance.fold("volleys", self.die, *groups(self.results, values, drm, self.die, first))
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
        """Roll for the next volley; ``factors`` counts the factors not yet rolled for.

        ``so_far`` has the number of volleys rolled, the sum of their hits, and whether any was an
        artillery shift. The steps in the hex are counted again, less these hits.
        """
        number, hits, shift = so_far
        value = min(factors, self.number("full_volley"))
        drm, held = self._held(chance.drm("volley"))
        first = 0 if number else self._first_volley(view, mission, place)
        roll = chance.fold(
            "volley", self.die, *groups(self.results, (value,), drm, self.die, first)
        )
        hits += roll.add.exact()
        shift = shift or bool(roll.any)
        if factors > value:
            return Effects(
                held, push(self.volley, mission, place, factors - value, (number + 1, hits, shift))
            )
        return Effects(held, self._final(mission, place, (hits, shift)))

    def _held(self, total: int) -> tuple[int, Effects]:
        """Return a sum of modifiers limited to its range, with an event if the limit changes it."""
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
        """Let the requests part end the mission if all its artillery is depleted.

        If another game supplies that part, artillery runs out by that game's rules.
        """
        return Effects(push(parts_of(view).requests.paid, mission))
