"""The Creeping Barrage (E12.7 - E12.771): placed once, then Corrected by itself along its grain until it Lifts.

A Game Turn of it is a PFPh and a DFPh; pre-Game Turns are such pairs before the first moment. The special draw is
made by ``delays``, which owns the pile.
"""

from __future__ import annotations

from typing import Literal

import attrs

from fireplan_asl._grains import Grain
from fireplan_asl._places import in_prep_fire, on_map, two_sided
from fireplan_core import (
    Areas,
    Effects,
    Event,
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
    View,
    ask,
    emit,
    push,
    record,
    step,
    update,
)
from fireplan_core.chance import Chance, d6
from fireplan_core.space import Hex, Layout, distance
from fireplan_core.space import step as hex_step

CREEP = 2
"""Hexes of a Correction."""
FARTHEST = 200
"""Hexes to an Aiming Hex: no table is longer, and a place far off it must not be walked to."""
Edge = Literal["first hexrow", "last hexrow", "low numbers", "high numbers"]


@record
class Creep:
    """How far it is: Game Turns done, and how far the first error has shifted its grain."""

    turns: int = 0
    shift: Hex = (0, 0)


@attrs.frozen
class Path:
    """What was recorded: first hex, Aiming Hex, how the steps of the grain run, both phases or one, turns, radio.

    ``edge`` is the Friendly Board Edge, and ``layout`` the map: a moved grain runs to the edge across from it.
    """

    start: Hex
    aim: Hex
    steps: Grain
    both_phases: bool
    turns: int
    accurate: int
    edge: Edge
    layout: Layout
    convertible: bool = False
    follow_shift: bool = False


def path_ways(start: Hex, aim: Hex) -> tuple[Grain, ...]:
    """The directions whose alternation leads from one hex to the other: none, one pair, or two.

    Two where the Aiming Hex lies on the hexspine itself: then an Alternate Hex Grain on either side leads to it.
    """
    found: dict[Hex, Grain] = {}
    for a in range(1, 7) if distance(start, aim) <= FARTHEST else ():
        for b in (a, a % 6 + 1, (a - 2) % 6 + 1):
            here = start
            for i in range(distance(start, aim)):
                here = hex_step(here, (a, b)[i % 2])
            if here == aim:
                found.setdefault(hex_step(start, a), (a, b))
    return tuple(found.values())


def path_steps(start: Hex, aim: Hex, by: Hex | None = None) -> Grain:
    """The directions whose alternation leads from one hex to the other, by a hex next to the first if one is named.

    Raises ValueError when no Hex Grain and no Alternate Hex Grain does (E12.71).
    """
    ways = path_ways(start, aim)
    if not ways:
        raise ValueError("no straight or alternate grain leads from the Pre-Registered hex to the Aiming Hex")
    if by is None:
        return ways[0]
    for way in ways:
        if hex_step(start, way[0]) == by:
            return way
    raise ValueError("no grain to the Aiming Hex leads by that hex next to the Pre-Registered one")


def past_far_edge(layout: Layout, edge: Edge, place: Hex) -> bool:
    """Whether a place lies beyond the board edge across from the Friendly one, drawn on at either end."""
    q, number = place[0], place[1] + place[0] // 2
    low, high = layout.rows(q)
    return {
        "first hexrow": q >= layout.first_q + len(layout.columns),
        "last hexrow": q < layout.first_q,
        "low numbers": number > high,
        "high numbers": number < low,
    }[edge]


def path_hexes(path: Path, shift: Hex) -> tuple[Hex, ...]:
    """The creeping grain after a shift, to its Aiming Hex, which is the last one.

    An error may have carried it over a side edge: it goes on out there, for part of its Blast Area may be on the map.
    """
    here = (path.start[0] + shift[0], path.start[1] + shift[1])
    found = [here]
    length = distance(path.start, path.aim)
    moved = shift != (0, 0) and not path.follow_shift
    # A step may bring it only half a hex nearer to the edge, and two hexes of a grain may lie along that.
    for i in range(length + 2 * distance((0, 0), shift) + 3 if moved else length):
        here = hex_step(here, path.steps[i % 2])
        if moved and past_far_edge(path.layout, path.edge, here):
            return tuple(found)
        found.append(here)
    # One that runs along the far edge never passes it, and keeps its length.
    return tuple(found[: length + 1])


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
                if len(path_ways(creep.start, creep.aim)) > 1:
                    says += f", by {label(hex_step(creep.start, creep.steps[0]))}"
                found.append(Record(setup.side, f"Creeping Barrage of {mission}", says))
            elif grain is not None:
                ways = getattr(facts, "grains", ())
                says = ", ".join(f"{label(place)} hexsides {a} {b}" for place, (a, b) in ways)
                says = says or f"hexsides {grain[0]} {grain[1]}"
                found.append(Record(setup.side, f"grain of the Barrages of {mission}", says))
        return tuple(found)

    def shows(self, scenario: Scenario, event: Event, side: str) -> Event | None:
        """The new Aiming Hex is put down on the owner's side record, for nobody else to read (E12.732)."""
        return None if event.kind == "adjusted" else super().shows(scenario, event, side)

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
        return next_hexes(path_hexes(path, view.own(mission, Creep).shift), view.mission(mission).impact)

    def _refuse_creep(self, view: View, order: Order, mission: str) -> Refusal | None:
        if order["at"] in self._creep_aims(view, mission):
            return None
        return Refusal("E12.74", "the AR lies two hexes on, on the grain and nearer to the Aiming Hex")

    @step(cite="E12.74")
    def creep_aimed(self, chance: Chance, view: View, mission: str, order: Order) -> Effects:  # noqa: ARG002 - no dice here
        """The AR of the Correction is on the map."""
        return Effects(update(view.mission(mission), aim=order["at"]), push("creep_lands", mission, 0))

    def _toward(self, view: View, mission: str, die: int) -> int:
        """The hexside of a direction die, as the AR counter lies."""
        raise NotImplementedError

    @step(cite="E12.72")
    def creep_opens(self, chance: Chance, view: View, mission: str, turns: int) -> Effects:  # noqa: ARG002 - no dice here
        """The pre-Game Turns: a PFPh and a DFPh each."""
        return Effects(*(push("creep", mission, last) for _ in range(turns) for last in (False, True)))

    def creeps(self, view: View, mission: str) -> Effects:
        """What it does in a fire phase of the game.

        The side that moves second has its DFPh first: until it has a FFE:2 it does nothing in one but Lift (E12.731).
        """
        late = view.mission(mission).stage is Stage.FALLING
        if not two_sided(view):
            return Effects(push("creep", mission, late))
        prep = in_prep_fire(view, mission)
        if not prep and not late:
            return Effects()
        return Effects(push("creep", mission, late is (view.side(mission) == view.scenario.firer)))

    @step(cite="E12.7, E12.73, E12.731, E12.77")
    def creep(self, chance: Chance, view: View, mission: str, last: bool) -> Effects:  # noqa: ARG002, FBT001
        """One fire phase: place it or Correct it, unless it Lifts; then it is resolved.

        A FFE:2 on the map says that it is a DFPh, a FFE:C or none that it is a PFPh; ``last`` that the Game Turn (or
        pre-Game Turn) holds no other fire phase of its side after this one.
        """
        path = self._path(view, mission)
        now = view.mission(mission)
        stage = now.stage
        if path is None or stage not in (Stage.IDLE, Stage.FALLING, Stage.LINGERING):
            return Effects()
        creep = view.own(mission, Creep)
        turns = creep.turns
        count = update(creep, turns=turns + 1) if last else []
        if stage is Stage.IDLE:
            told = emit("creeps", "E12.7, E12.73, E12.77", mission=mission)
            return Effects(count, told, update(now, aim=path.start), push("creep_lands", mission, 1))
        late = stage is Stage.FALLING
        if self._over(view, mission, path):
            return self._lift(mission, path)
        if late and not path.both_phases:
            told = emit("creeps", "E12.7, E12.731", mission=mission)
            return Effects(count, told, push("creep_down", mission, now.impact, 0))
        aims = self._creep_aims(view, mission)
        corrected = emit("creeps", "E12.731, E12.74" if late else "E12.73, E12.74", mission=mission)
        if len(aims) > 1:
            return Effects(count, corrected, ask(view.side(mission), "creep_ar", mission, then="creep_aimed"))
        return Effects(count, corrected, update(now, aim=aims[0]), push("creep_lands", mission, 0))

    def _over(self, view: View, mission: str, path: Path) -> bool:
        """Whether it Lifts: its Game Turns are used up, or it cannot be Corrected although it must be."""
        if view.own(mission, Creep).turns >= path.turns:
            return True
        late = view.mission(mission).stage is Stage.FALLING
        return (not late or path.both_phases) and not self._creep_aims(view, mission)

    @step(cite="E12.76")
    def lifting(self, chance: Chance, view: View, mission: str) -> Effects:  # noqa: ARG002 - no dice here
        """The beginning of a friendly fire phase: whether it Lifts, before any battery does anything in it.

        The side that moves second Corrects nothing in a DFPh without a FFE:2 (E12.731).
        """
        path, stage = self._path(view, mission), view.mission(mission).stage
        if path is None or stage not in (Stage.FALLING, Stage.LINGERING):
            return Effects()
        rests = two_sided(view) and stage is Stage.LINGERING and not in_prep_fire(view, mission)
        used = view.own(mission, Creep).turns >= path.turns
        return self._lift(mission, path) if used or (not rests and self._over(view, mission, path)) else Effects()

    @staticmethod
    def _lift(mission: str, path: Path) -> Effects:
        """It ends; a radio may go on with the battery later."""
        reason = Reason.DELIVERED if path.convertible else Reason.EXHAUSTED
        return Effects(emit("lifts", "E12.76", mission=mission), push("core.close", mission, reason, "E12.76, E12.771"))

    @step(cite="E12.71, E12.74")
    def creep_lands(self, chance: Chance, view: View, mission: str, first: int) -> Effects:
        """The Accuracy dr: 4 in the Pre-Registered hex, else the battery's own."""
        path = self._path(view, mission)
        accurate = self.number("creeping_accurate_at_first") if first or path is None else path.accurate
        if chance.dice("accuracy", white=d6).total <= accurate:
            return Effects(push("creep_down", mission, view.mission(mission).aim, first))
        return Effects(push("creep_errs", mission, first))

    @step(cite="E12.74")
    def creep_errs(self, chance: Chance, view: View, mission: str, first: int) -> Effects:
        """The direction; the extent is one hex, but thrown for at first."""
        toward = self._toward(view, mission, chance.dice("direction", coloured=d6).coloured.exact())
        if first:
            return Effects(push("creep_strays", mission, toward))
        return Effects(push("creep_down", mission, hex_step(view.mission(mission).aim, toward), 0))

    @step(cite="E12.73, C1.732")
    def creep_strays(self, chance: Chance, view: View, mission: str, toward: int) -> Effects:
        """The extent of the first error, halved."""
        far = chance.dice("extent", white=d6).white.halved_up().exact()
        return Effects(push("creep_down", mission, hex_step(view.mission(mission).aim, toward, far), 1))

    @step(cite="E12.732, E12.76")
    def creep_down(self, chance: Chance, view: View, mission: str, place: Place, first: int) -> Effects:  # noqa: ARG002 - no dice here
        """It lies: a first error moves the grain; a Blast Area wholly off the map is not resolved."""
        path = self._path(view, mission)
        now = view.mission(mission)
        moved = Effects()
        if first and path is not None and place != path.start:
            shift = (place[0] - path.start[0], place[1] - path.start[1])
            aim = path_hexes(path, shift)[-1]
            moved = Effects(
                update(view.own(mission, Creep), shift=shift),
                emit("adjusted", "E12.732", mission=mission, start=place, aim=aim),
            )
        if not any(on_map(view.frame, cell) for cell in self.blast_area(view, mission, place)):
            return Effects(
                moved,
                update(now, stage=Stage.FALLING, previous=now.impact, impact=place, aim=None),
                emit("unresolved", "E12.76", mission=mission, at=place),
                push("fallen", mission),
            )
        return Effects(moved, update(now, intent=Intent.EFFECT), push("core.landed", mission, place))

    def blast_area(self, view: View, mission: str, place: Place) -> tuple[Place, ...]:
        """The hexes of a Barrage centred on a place, on the map or beyond it."""
        raise NotImplementedError
