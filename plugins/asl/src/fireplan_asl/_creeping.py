"""The Creeping Barrage (E12.7 - E12.771): placed once, then Corrected by itself along its grain until it Lifts.

A Game Turn of it is a PFPh and a DFPh; pre-Game Turns are such pairs before the first moment. The special draw is
made by ``delays``, which owns the pile.
"""

from __future__ import annotations

import attrs

from fireplan.chance import Chance, d6
from fireplan.mission import (
    Areas,
    Form,
    Intent,
    Order,
    Place,
    Question,
    Reason,
    Record,
    Refusal,
    Scenario,
    Slot,
    Stage,
    Then,
    View,
    ask,
    push,
    put,
    record,
    step,
    tell,
)
from fireplan.space import Hex, distance
from fireplan.space import step as hex_step
from fireplan_asl._grains import Grain
from fireplan_asl._places import on_map

CREEP = 2
"""Hexes of a Correction."""
FARTHEST = 200


@record
class Creep:
    """How far it is: Game Turns done, and how far the first error has shifted its grain."""

    turns: int = 0
    shift: Hex = (0, 0)


@attrs.frozen
class Path:
    """What was recorded: first hex, Aiming Hex, how the steps of the grain run, both phases or one, turns, radio."""

    start: Hex
    aim: Hex
    steps: Grain
    both_phases: bool
    turns: int
    accurate: int
    convertible: bool = False
    follow_shift: bool = False


_FARTHEST = 200  # hexes: no table is longer, and a place far off it must not be walked to


def path_steps(start: Hex, aim: Hex) -> Grain:
    """The directions whose alternation leads from one hex to the other.

    Raises ValueError when no Hex Grain and no Alternate Hex Grain does (E12.71).
    """
    for a in range(1, 7) if distance(start, aim) <= _FARTHEST else ():
        for b in (a, a % 6 + 1, (a - 2) % 6 + 1):
            here = start
            for i in range(distance(start, aim)):
                here = hex_step(here, (a, b)[i % 2])
            if here == aim:
                return a, b
    raise ValueError("no straight or alternate grain leads from the Pre-Registered hex to the Aiming Hex")


def path_hexes(view: View, path: Path, shift: Hex) -> tuple[Hex, ...]:
    """The creeping grain after a shift, to its Aiming Hex, which is the last one."""
    here = (path.start[0] + shift[0], path.start[1] + shift[1])
    found = [here]
    length = distance(path.start, path.aim)
    for i in range(FARTHEST):
        following = hex_step(here, path.steps[i % 2])
        if i >= length if path.follow_shift or shift == (0, 0) else not on_map(view.frame, following):
            break
        here = following
        found.append(here)
    return tuple(found)


def next_hexes(path: tuple[Hex, ...], impact: Hex) -> tuple[Hex, ...]:
    """Where a Correction may aim: on the grain, two hexes on and nearer to the Aiming Hex; the nearest first."""
    aim = path[-1]
    now = distance(impact, aim)
    fitting = [h for h in path if distance(h, impact) == CREEP and distance(h, aim) < now]
    return tuple(sorted(fitting, key=lambda h: (distance(h, aim), h)))


class Creeping(Areas):
    """The steps of a Creeping Barrage, for the areas part to inherit."""

    def _path(self, view: View, mission: str) -> Path | None:
        """What was recorded for this battery, if it creeps."""
        raise NotImplementedError

    def records(self, scenario: Scenario) -> tuple[Record, ...]:
        """What is written down of Barrages before play: the grain (E12.2); of a Creeping one all that E12.71 names."""
        label = scenario.frame.label
        found = []
        for mission, setup in scenario.missions.items():
            facts = setup.facts.get(self.word)
            creep, grain = getattr(facts, "creep", None), getattr(facts, "grain", None)
            if creep is not None:
                phases = "PFPh and DFPh" if creep.both_phases else "PFPh"
                says = f"first hex {label(creep.start)}, Aiming Hex {label(creep.aim)}, {phases}, {creep.turns} turns"
                found.append(Record(setup.side, f"Creeping Barrage of {mission}", says))
            elif grain is not None:
                says = f"hexsides {grain[0]} {grain[1]}"
                found.append(Record(setup.side, f"grain of the Barrages of {mission}", says))
        return tuple(found)

    def questions(self) -> dict[str, Question]:
        """Where a Correction aims, if two hexes of the grain fit."""
        return {
            "creep_ar": Question(
                lambda view, mission: (
                    Form("place", "E12.74", "place the AR of the Correction", (
                        Slot("at", "hex of the grain, nearer to the Aiming Hex", self._creep_aims(view, mission)),
                    )),
                ),
                self._refuse_creep,
                lambda view, mission: Order.of("place", at=self._creep_aims(view, mission)[0]),
            )
        }  # fmt: skip

    def _creep_aims(self, view: View, mission: str) -> tuple[Hex, ...]:
        path = self._path(view, mission)
        if path is None:
            return ()
        return next_hexes(path_hexes(view, path, view.own(mission, Creep).shift), view.mission(mission).impact)

    def _refuse_creep(self, view: View, order: Order, mission: str) -> Refusal | None:
        if order["at"] in self._creep_aims(view, mission):
            return None
        return Refusal("E12.74", "the AR lies two hexes on, on the grain and nearer to the Aiming Hex")

    @step(cite="E12.74")
    def creep_aimed(self, chance: Chance, view: View, mission: str, order: Order) -> Then:  # noqa: ARG002 - no dice here
        """The AR of the Correction is on the map."""
        return Then(put(view.mission(mission), aim=order["at"]), push("creep_lands", mission, 0))

    def _toward(self, view: View, mission: str, die: int) -> int:
        """The hexside of a direction die, as the AR counter lies."""
        raise NotImplementedError

    @step(cite="E12.72")
    def creep_opens(self, chance: Chance, view: View, mission: str, turns: int) -> Then:  # noqa: ARG002 - no dice here
        """The pre-Game Turns: a PFPh and a DFPh each."""
        return Then(*(push("creep", mission) for _ in range(2 * turns)))

    @step(cite="E12.7, E12.73, E12.731, E12.77")
    def creep(self, chance: Chance, view: View, mission: str) -> Then:  # noqa: ARG002 - no dice here
        """One fire phase: place it or Correct it, unless it Lifts; then it is resolved.

        A FFE:2 on the map says that it is a DFPh, a FFE:C or none that it is a PFPh.
        """
        path = self._path(view, mission)
        now = view.mission(mission)
        stage = now.stage
        if path is None or stage not in (Stage.IDLE, Stage.FALLING, Stage.LINGERING):
            return Then()
        if stage is Stage.IDLE:
            told = tell("creeps", "E12.7, E12.73, E12.77", mission=mission)
            return Then(told, put(now, aim=path.start), push("creep_lands", mission, 1))
        creep = view.own(mission, Creep)
        turns = creep.turns
        late = stage is Stage.FALLING
        if not late and turns >= path.turns:
            return self._lift(mission, path)
        count = put(creep, turns=turns + 1) if late else []
        if late and not path.both_phases:
            told = tell("creeps", "E12.7, E12.731", mission=mission)
            return Then(count, told, push("creep_down", mission, now.impact, 0))
        aims = self._creep_aims(view, mission)
        if not aims:
            return self._lift(mission, path)
        corrected = tell("creeps", "E12.731, E12.74" if late else "E12.73, E12.74", mission=mission)
        if len(aims) > 1:
            return Then(count, corrected, ask(view.side(mission), "creep_ar", mission, then="creep_aimed"))
        return Then(count, corrected, put(now, aim=aims[0]), push("creep_lands", mission, 0))

    @staticmethod
    def _lift(mission: str, path: Path) -> Then:
        """It ends; a radio may go on with the battery later."""
        reason = Reason.DELIVERED if path.convertible else Reason.EXHAUSTED
        return Then(tell("lifts", "E12.76", mission=mission), push("core.close", mission, reason, "E12.76, E12.771"))

    @step(cite="E12.71, E12.74")
    def creep_lands(self, chance: Chance, view: View, mission: str, first: int) -> Then:
        """The Accuracy dr: 4 in the Pre-Registered hex, else the battery's own."""
        path = self._path(view, mission)
        accurate = self.number("creeping_accurate_at_first") if first or path is None else path.accurate
        if chance.dice("accuracy", white=d6).total <= accurate:
            return Then(push("creep_down", mission, view.mission(mission).aim, first))
        return Then(push("creep_errs", mission, first))

    @step(cite="E12.74")
    def creep_errs(self, chance: Chance, view: View, mission: str, first: int) -> Then:
        """The direction; the extent is one hex, but thrown for at first."""
        toward = self._toward(view, mission, chance.dice("direction", coloured=d6).coloured.exact())
        if first:
            return Then(push("creep_strays", mission, toward))
        return Then(push("creep_down", mission, hex_step(view.mission(mission).aim, toward), 0))

    @step(cite="E12.73, C1.732")
    def creep_strays(self, chance: Chance, view: View, mission: str, toward: int) -> Then:
        """The extent of the first error, halved."""
        far = chance.dice("extent", white=d6).white.halved_up().exact()
        return Then(push("creep_down", mission, hex_step(view.mission(mission).aim, toward, far), 1))

    @step(cite="E12.732, E12.76")
    def creep_down(self, chance: Chance, view: View, mission: str, place: Place, first: int) -> Then:  # noqa: ARG002 - no dice here
        """It lies: a first error moves the grain; a Blast Area wholly off the map is not resolved."""
        path = self._path(view, mission)
        now = view.mission(mission)
        moved = Then()
        if first and path is not None and place != path.start:
            shift = (place[0] - path.start[0], place[1] - path.start[1])
            aim = path_hexes(view, path, shift)[-1]
            moved = Then(
                put(view.own(mission, Creep), shift=shift),
                tell("adjusted", "E12.732", mission=mission, start=place, aim=aim),
            )
        if not any(on_map(view.frame, cell) for cell in self.blast_area(view, mission, place)):
            return Then(
                moved,
                put(now, stage=Stage.FALLING, previous=now.impact, impact=place, aim=None),
                tell("unresolved", "E12.76", mission=mission, at=place),
                push("fallen", mission),
            )
        return Then(moved, put(now, intent=Intent.EFFECT), push("core.landed", mission, place))

    def blast_area(self, view: View, mission: str, place: Place) -> tuple[Place, ...]:
        """The hexes of a Barrage centred on a place, on the map or beyond it."""
        raise NotImplementedError
