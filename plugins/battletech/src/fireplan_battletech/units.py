"""Observers and resolution: the spotters that see a hex, and damage without dice."""

from collections.abc import Iterable, Mapping
from math import ceil
from typing import ClassVar

import attrs

from fireplan_battletech.forms import Spotter, UnitEntry, UnitInPlay, skill
from fireplan_core import (
    Keeps,
    Observers,
    Part,
    Place,
    Resolution,
    Severity,
    Shot,
    Sight,
    Staging,
    View,
    kept,
    record,
)
from fireplan_core.chance import Chance
from fireplan_core.steps.effects import Effects, emit, push, step, update


@record
class UnitDamage:
    """A unit's losses: points of damage or men lost, and its worst result."""

    taken: int = kept(0, "points of damage taken; for infantry, men lost", "17")
    worst: Severity = kept(Severity.NONE, "the worst result that the unit has suffered", "19")


@attrs.frozen
class Spotted(Sight):
    """The LOS to a hex, with the spotters that have it."""

    by: tuple[Spotter, ...] = ()


def best(spotters: Iterable[Spotter], part: Part) -> Spotter | None:
    """Return the spotter that counts, or None without spotters (4).

    A forward observer comes first, then the lowest gunnery.
    """
    return min(
        spotters,
        key=lambda spotter: (not spotter.forward_observer, skill(spotter, part), spotter.id),
        default=None,
    )


def bonuses(spotter: Spotter | None, part: Part) -> dict[str, int]:
    """Map the names of a spotter's to-hit modifiers to their values; {} without a spotter (11)."""
    if spotter is None:
        return {}
    better = part.number("regular_gunnery") - skill(spotter, part)
    steps, half = divmod(abs(better), part.number("gunnery_step"))
    steps += half if part.options["half_steps"] == "away" else 0
    implant = spotter.implant and not spotter.infantry
    return {
        "skill": -steps if better > 0 else steps,
        "forward": -part.options["forward_observer"] if spotter.forward_observer else 0,
        "implant": -part.number("implant") if implant else 0,
    }


class BattleTechObservers(Observers):
    """The observers part: any friendly unit that sees the hex and is not in the air (1 to 4)."""

    def stage(self, staging: Staging) -> None:
        """Stage the engagement's observer as a spotter, if he can see the ground.

        Engagements at night are refused.
        """
        observer = staging.engagement.observer
        if staging.engagement.situation.night:
            staging.cannot("the sources do not cover sight at night (2)")
        if observer.kind == "aircraft" or observer.sight == "burst_only":
            staging.note(
                "an observer in the air, or one who sees only bursts above the ground, cannot spot (2, 4)"
            )
        spots = observer.sight == "clear" and observer.kind not in ("aircraft", "none")
        for mission in staging.assets:
            staging.mission(mission, self.word, facts=(Spotter(id="observer"),) if spots else ())

    def sees(self, view: View, mission: str, place: Place) -> Sight:
        """Return the LOS to a hex, with the spotters that can see it now (2, 4)."""
        spotters = tuple(
            spotter for spotter in view.facts(mission, tuple) if self._spots(view, spotter, place)
        )
        return Spotted(
            bool(spotters),
            bool(spotters),
            rule="2, 4",
            why="" if spotters else "no friendly unit sees that hex",
            by=spotters,
        )

    def _spots(self, view: View, spotter: Spotter, place: Place) -> bool:
        if spotter.flying:
            return False
        if spotter.sees is not None and view.frame.label(place) not in spotter.sees:
            return False
        if spotter.until and view.moment() >= spotter.until:
            return False
        return (
            not spotter.unit
            or view.peek_unit(spotter.unit, UnitDamage).worst is not Severity.DESTROYED
        )


class BattleTechResolution(Resolution):
    """The resolution part: damage by ring, without dice (17 to 21)."""

    publishes = (UnitDamage,)
    keeps = Keeps(units=(UnitDamage,))
    severities: ClassVar[Mapping[str, Severity]] = {
        "men lost": Severity.REDUCED,
        "destroyed": Severity.DESTROYED,
    }

    def stage(self, staging: Staging) -> None:
        """Stage the target as platoons over its area, and the firer's own troops as one unit.

        A target in buildings, in a trench or dug in is refused.
        """
        target, platoon = staging.engagement.target, self.number("platoon")
        if target.cover == "buildings":
            staging.cannot("the sources do not cover damage to infantry in buildings (22)")
        if target.cover == "trench" or target.posture == "dug_in":
            staging.cannot("the sources do not cover infantry that is dug in (18)")
        count = ceil(target.men / platoon)
        staging.note(
            f"{count} platoons of at most {platoon} men; posture and quality have no effect (9, 19)"
        )
        for number, (place, men) in enumerate(staging.bodies(count), start=1):
            body = UnitEntry(
                id=f"platoon {number}",
                men=men,
                ground="woods" if target.cover == "woods" else "clear",
            )
            self.stage_unit(staging, body, place)
        own = staging.engagement.own_troops
        if own is not None and staging.own_place is not None:
            self.stage_unit(
                staging, UnitEntry(id="own platoon", men=own.men, side="firer"), staging.own_place
            )

    def stage_unit(self, staging: Staging, body: UnitEntry, place: Place) -> None:
        """Set up one unit, which has no losses yet."""
        side = staging.firer if body.side == "firer" else staging.target_side
        men = self.number("platoon") if body.men is None else body.men
        staging.unit(
            body.id,
            side,
            place,
            strength=men,
            slot=UnitDamage(),
            facts=UnitInPlay(**{**attrs.asdict(body), "men": men}),
        )

    def on_counter(self, view: View, unit: str) -> tuple[str, ...]:
        """Return the texts on a unit's counter: the men left, if infantry, and "in woods" (18)."""
        body, harm = view.unit_facts(unit, UnitInPlay), view.peek_unit(unit, UnitDamage)
        men = (f"{body.men - harm.taken} men",) if body.kind == "infantry" else ()
        return (*men, *(("in woods",) if body.ground == "woods" else ()))

    @step(cite="17")
    def strike(self, chance: Chance, view: View, mission: str, place: Place, shot: Shot) -> Effects:
        """Damage every unit in the hex, friend or enemy."""
        points = int(shot.strength * self.number("usual_damage"))
        return Effects(*(push(self.take, unit, points) for unit in view.units_at(place)))

    @step(cite="17")
    def take(self, chance: Chance, view: View, unit: str, points: int) -> Effects:
        """Damage a unit: infantry loses men (18), and vehicles take the points in groups (20).

        Units in the air take no damage (21).
        """
        body, harm = view.unit_facts(unit, UnitInPlay), view.unit(unit, UnitDamage)
        if body.kind == "flying":
            return Effects(emit("untouched", "21", unit=unit))
        if body.kind == "vehicle":
            event = emit(
                "damaged",
                "20",
                unit=unit,
                points=points,
                groups=ceil(points / self.number("group")),
            )
            return Effects(update(harm, taken=harm.taken + points), event)
        men = body.men - harm.taken
        doubled = body.ground == "clear" and self.options["clear_doubling"]
        lost = min(men, points * self.number("infantry") * (self.number("clear") if doubled else 1))
        if not men:
            return Effects(emit("nothing_left", "19", unit=unit))
        if not lost:
            return Effects()
        worst = Severity.DESTROYED if lost == men else Severity.REDUCED
        return Effects(
            update(harm, taken=harm.taken + lost, worst=worst),
            emit("men_lost", "18, D10", unit=unit, men=lost, left=men - lost),
            emit("suffered", "19", unit=unit, severity=worst) if worst > harm.worst else Effects(),
        )
