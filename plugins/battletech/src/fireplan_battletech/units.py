"""Observers and resolution: who sees a hex and spots, and what befalls whoever stands in it, without a die."""

from collections.abc import Iterable, Mapping
from math import ceil
from typing import ClassVar

import attrs

from fireplan_battletech.forms import Body, Spotter
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
class Harm:
    """What has befallen a unit."""

    taken: int = kept(0, "points of damage taken, of infantry men lost", "17")
    worst: Severity = kept(Severity.NONE, "the worst that has befallen the unit", "19")


@attrs.frozen
class Spotted(Sight):
    """Say also who sees the place."""

    by: tuple[Spotter, ...] = ()


def best(found: Iterable[Spotter]) -> Spotter | None:
    """Return the one spotter that counts (4): a forward observer before all others, then the lowest gunnery."""
    return min(found, key=lambda one: (not one.forward_observer, one.gunnery, one.id), default=None)


def bonuses(spotter: Spotter | None, part: Part) -> dict[str, int]:
    """Return what each virtue of a spotter adds to the number to hit: gunnery, forward observer, implant (11)."""
    if spotter is None:
        return {}
    better = part.number("regular_gunnery") - spotter.gunnery
    steps, half = divmod(abs(better), part.number("gunnery_step"))
    steps += half if part.options["half_steps"] == "away" else 0
    implant = spotter.implant and not spotter.infantry
    return {
        "skill": -steps if better > 0 else steps,
        "forward": -part.options["forward_observer"] if spotter.forward_observer else 0,
        "implant": -part.number("implant") if implant else 0,
    }


class LineOfSight(Observers):
    """1-4: no declaration and no action; aircraft in the air do not spot."""

    def stage(self, staging: Staging) -> None:
        """Let the engagement's observer spot if he sees the ground."""
        seen = staging.engagement.observer
        if staging.engagement.situation.night:
            staging.cannot("what night does to sight is not in the sources (2)")
        if seen.kind == "aircraft" or seen.sight == "burst_only":
            staging.note("who flies, or sees bursts above the ground alone, does not spot (2, 4)")
        spots = seen.sight == "clear" and seen.kind not in ("aircraft", "none")
        for mission in staging.assets:
            staging.mission(mission, self.word, facts=(Spotter(id="observer"),) if spots else ())

    def sees(self, view: View, mission: str, place: Place) -> Sight:
        """Return who sees a hex now."""
        found = tuple(one for one in view.facts(mission, tuple) if self._spots(view, one, place))
        return Spotted(
            bool(found),
            bool(found),
            rule="2, 4",
            why="" if found else "no friend sees that hex",
            by=found,
        )

    def _spots(self, view: View, one: Spotter, place: Place) -> bool:
        if one.flying or (one.sees is not None and view.frame.label(place) not in one.sees):
            return False
        if one.until and view.moment() >= one.until:
            return False
        return not one.unit or view.peek_unit(one.unit, Harm).worst is not Severity.DESTROYED


class Damage(Resolution):
    """17-21: damage by the ring, without dice."""

    publishes: ClassVar[tuple[type, ...]] = (Harm,)
    keeps = Keeps(units=(Harm,))
    severities: ClassVar[Mapping[str, Severity]] = {
        "men lost": Severity.REDUCED,
        "destroyed": Severity.DESTROYED,
    }

    def stage(self, staging: Staging) -> None:
        """Spread the target over its rectangle as platoons; own troops stand at one place."""
        target, platoon = staging.engagement.target, self.number("platoon")
        if target.cover == "buildings":
            staging.cannot("what a building takes for those inside is not in the sources (22)")
        if target.cover == "trench" or target.posture == "dug_in":
            staging.cannot("what digging in does for infantry is not in the sources (18)")
        count = ceil(target.men / platoon)
        staging.note(
            f"{count} platoons of at most {platoon} men; posture and quality make no difference (9, 19)"
        )
        for number, (place, men) in enumerate(staging.bodies(count), start=1):
            body = Body(
                id=f"platoon {number}",
                men=men,
                ground="woods" if target.cover == "woods" else "clear",
            )
            self.put(staging, body, place)
        own = staging.engagement.own_troops
        if own is not None and staging.own_place is not None:
            self.put(staging, Body(id="own platoon", men=own.men, side="firer"), staging.own_place)

    def put(self, staging: Staging, body: Body, place: Place) -> None:
        """Stage one unit, unharmed."""
        side = staging.firer if body.side == "firer" else staging.target_side
        staging.unit(body.id, side, place, strength=body.men, slot=Harm(), facts=body)

    @step(cite="17")
    def strike(self, chance: Chance, view: View, mission: str, place: Place, shot: Shot) -> Effects:
        """Let every unit there take the damage, friend or enemy."""
        points = int(shot.strength * self.number("usual_damage"))
        return Effects(*(push(self.take, unit, points) for unit in view.units_at(place)))

    @step(cite="17")
    def take(self, chance: Chance, view: View, unit: str, points: int) -> Effects:
        """Take damage: infantry by men (18, 19), others in groups (20), flyers none (21)."""
        body, harm = view.unit_facts(unit, Body), view.unit(unit, Harm)
        if body.kind == "flying":
            return Effects(emit("untouched", "21", unit=unit))
        if body.kind == "vehicle":
            told = emit(
                "damaged",
                "20",
                unit=unit,
                points=points,
                groups=ceil(points / self.number("group")),
            )
            return Effects(update(harm, taken=harm.taken + points), told)
        left = body.men - harm.taken
        doubled = body.ground == "clear" and self.options["clear_doubling"]
        lost = min(
            left, points * self.number("infantry") * (self.number("clear") if doubled else 1)
        )
        if not lost:
            return Effects()
        worst = Severity.DESTROYED if lost == left else Severity.REDUCED
        return Effects(
            update(harm, taken=harm.taken + lost, worst=worst),
            emit("men_lost", "18, D10", unit=unit, men=lost, left=left - lost),
            emit("suffered", "19", unit=unit, severity=worst) if worst > harm.worst else Effects(),
        )
