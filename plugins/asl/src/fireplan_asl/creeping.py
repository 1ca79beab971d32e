"""Blast Areas (C1.32, C1.72, C1.9), Barrages (E12.1) and Creeping Barrages (E12.7).

A Creeping Barrage is placed once, then Corrects automatically along its grain until it Lifts. Each
of its Game Turns is a PFPh and a DFPh; pre-Game Turns are such pairs before the first moment. The
special draw is made by ``delays``, which owns the Draw Pile.
"""

from collections.abc import Iterator
from fractions import Fraction

import attrs

from fireplan_asl.ground import Fire
from fireplan_asl.missions import (
    BARRAGES,
    CONCENTRATION,
    CREEPING,
    FFE,
    HARASSING,
    ROCKET,
    in_prep_fire,
    two_sided,
)
from fireplan_asl.options import Announced
from fireplan_asl.path import Creep, Grain, Path, along, next_hexes, path_hexes, path_ways
from fireplan_asl.places import hexes_between
from fireplan_core import (
    Form,
    Intent,
    Place,
    Reason,
    Refusal,
    SecretNote,
    Setup,
    Slot,
    Stage,
    View,
    cycle,
    orders,
)
from fireplan_core.chance import Chance, d6
from fireplan_core.ready_parts import HexAreas
from fireplan_core.space import Hex, disc
from fireplan_core.space import step as hex_step
from fireplan_core.steps.effects import Effects, Event, ask, emit, push, step, update

FULL, NONE = Fraction(1), Fraction(0)


@attrs.frozen
class Gunnery:
    """The fixed facts of a battery's fire.

    ``accurate`` is the highest accurate dr, and ``kinds`` are the Fire Missions that the battery
    may fire. Its Barrages run along ``grain``; if an option gives each Pre-Registered hex a grain
    of its own, ``grains`` lists them (E12.2). ``barrage`` is the firepower of a Barrage as a share
    of a Concentration's. ``creep`` is the record of a Creeping Barrage. The 1 of the AR counter
    points to hexside ``facing``; hexside 1 faces the lower hex numbers.
    """

    accurate: int
    registered: frozenset[Place]
    kinds: tuple[str, ...] = (CONCENTRATION,)
    grain: Grain | None = None
    barrage: Fraction = FULL
    creep: Path | None = None
    facing: int = 1
    grains: tuple[tuple[Place, Grain], ...] = ()


class Creeping(HexAreas):
    """Blast Areas and the steps of a Creeping Barrage, which the areas part inherits."""

    @staticmethod
    def path(view: View, mission: str) -> Path | None:
        """Return the secret record of this battery's Creeping Barrage, or None if it has none."""
        return view.facts(mission, Gunnery).creep

    @staticmethod
    def hexside(view: View, mission: str, die: int) -> int:
        """Return the hexside (1 to 6) of a direction dr, clockwise from the AR counter's 1."""
        return (die + view.facts(mission, Gunnery).facing - 2) % 6 + 1

    def kind(self, view: View, mission: str) -> str:
        """Return the type of the current Fire Mission, e.g. ``concentration``."""
        # Read from the state only if there is a choice.
        gunnery = view.facts(mission, Gunnery)
        if gunnery.creep is not None and not view.own(mission, Creep).over:
            return CREEPING
        return gunnery.kinds[0] if len(gunnery.kinds) == 1 else view.peek(mission, Announced).kind

    @staticmethod
    def grain(view: View, mission: str) -> Grain | None:
        """Return the grain of the current Barrage, or None if the battery fires none."""
        gunnery = view.facts(mission, Gunnery)
        return (view.own(mission, Fire).grain or gunnery.grain) if gunnery.grains else gunnery.grain

    def line(self, view: View, mission: str, centre: Place) -> tuple[Place, ...] | None:
        """Return the hexes of a Barrage centred on a hex, end to end.

        Returns None for other Fire Missions, whose Blast Area is a disc.
        """
        return self._line(view, mission, centre, self.kind(view, mission))

    def _line(self, view: View, mission: str, centre: Place, kind: str) -> tuple[Place, ...] | None:
        grain = self.grain(view, mission) if kind in BARRAGES else None
        if grain is None:
            return None
        return along(centre, grain, self.number("barrage_arm"))

    def _radius(self, kind: str) -> int:
        return self.number("wide_blast_radius" if kind in (HARASSING, ROCKET) else "blast_radius")

    def _strength(self, view: View, mission: str, kind: str) -> Fraction:
        match kind:
            case "barrage" | "creeping":
                return view.facts(mission, Gunnery).barrage
            case "harassing":
                return Fraction(1, self.number("harassing_divisor"))
            case _:
                return FULL

    def covers(self, view: View, mission: str, place: Place, extent: Fraction) -> Fraction:
        """Return the battery's firepower at a place as a share of its Concentration's.

        A place wider than a hex gets the fraction of its hexes that the Blast Area covers.
        """
        impact = view.mission(mission).impact
        if impact is None:
            return NONE
        frame, kind = view.frame, self.kind(view, mission)
        cells = frame.cells(place, float(extent)) if extent else (place,)
        line = self._line(view, mission, impact, kind)
        if line is None:
            radius = self._radius(kind)
            inside = [
                cell
                for cell in cells
                if hexes_between(frame, impact, cell) <= radius and frame.on_map(cell)
            ]
        else:
            inside = [cell for cell in cells if cell in line and frame.on_map(cell)]
        if not inside:
            return NONE
        strength = self._strength(view, mission, kind)
        return (
            strength if len(inside) == len(cells) else Fraction(len(inside), len(cells)) * strength
        )

    def covered(self, view: View, mission: str) -> tuple[Hex, ...]:
        """Return the hexes of the Blast Area that are on the map."""
        impact = view.mission(mission).impact
        kind = self.kind(view, mission)
        line = self._line(view, mission, impact, kind) or disc(impact, self._radius(kind))
        return tuple(cell for cell in line if view.frame.on_map(cell))

    def in_order(self, view: View, mission: str, places: tuple[Place, ...]) -> tuple[Place, ...]:
        """Return hexes sorted in Blast Area order: rings clockwise, a Barrage end to end."""
        rank = {cell: number for number, cell in enumerate(self.covered(view, mission))}
        return tuple(sorted(places, key=lambda place: rank.get(place, len(rank))))

    # --- a Creeping Barrage ----------------------------------------------------------------------
    def secret_notes(self, scenario: Setup) -> tuple[SecretNote, ...]:
        """Return the sides' secret records of Barrages (E12.2) and Creeping Barrages (E12.71)."""
        label = scenario.frame.label
        notes = []
        for mission, setup in scenario.missions.items():
            facts = setup.facts.get(self.word)
            if not isinstance(facts, Gunnery):
                continue
            if creep := facts.creep:
                phases = "PFPh and DFPh" if creep.both_phases else "PFPh"
                hexes = f"first hex {label(creep.start)}, Aiming Hex {label(creep.aim)}"
                text = f"{hexes}, {phases}, {creep.turns} turns"
                if len(path_ways(creep.start, creep.aim)) > 1:
                    text += f", by {label(hex_step(creep.start, creep.steps[0]))}"
                notes.append(SecretNote(setup.side, f"Creeping Barrage of {mission}", text))
            elif facts.grain:
                text = ", ".join(
                    f"{label(place)} hexsides {a} {b}" for place, (a, b) in facts.grains
                )
                text = text or "hexsides {} {}".format(*facts.grain)
                notes.append(SecretNote(setup.side, f"grain of the Barrages of {mission}", text))
        return tuple(notes)

    def shows(self, scenario: Setup, event: Event, side: str) -> Event | None:
        """Hide the new Aiming Hex, which only the owner's side record shows (E12.732)."""
        return None if event.kind == "adjusted" else super().shows(scenario, event, side)

    @orders(cite="E12.74")
    def creep_ar(self, view: View, mission: str) -> Iterator[Form]:
        """Offer the hexes for a Correction's AR when two hexes of the grain qualify."""
        why = Refusal.of("E12.74", "correction_along_grain")
        aims = Slot(
            "at", "hex of the grain, nearer to the Aiming Hex", self._creep_aims(view, mission), why
        )

        def place(at: Place) -> Effects:
            return Effects(
                update(view.mission(mission), aim=at), push(self.creep_lands, mission, 0)
            )

        yield Form("place", "E12.74", (aims,), place)

    def _creep_aims(self, view: View, mission: str) -> tuple[Hex, ...]:
        path = self.path(view, mission)
        if path is None:
            return ()
        hexes = path_hexes(path, view.own(mission, Creep).shift)
        return next_hexes(hexes, view.mission(mission).impact, self.number("creeping_correction"))

    def ahead(self, view: View, mission: str) -> tuple[tuple[tuple[float, float], ...], ...]:
        """Return the outlines of the hexes that the next Correction covers if Accurate (E12.74).

        The result is empty if no Creeping Barrage is under way.
        """
        path, now = self.path(view, mission), view.mission(mission)
        if (
            path is None
            or now.stage not in FFE
            or now.impact is None
            or self._used_up(view, mission, path)
        ):
            return ()
        lines = (self.line(view, mission, at) or (at,) for at in self._creep_aims(view, mission))
        return tuple(self.outline(cell) for line in lines for cell in line)

    # --- the phases ------------------------------------------------------------------------------
    @step(cite="E12.76, E12.72")
    def phase_begins(self, _chance: Chance, view: View, mission: str, early_turns: int) -> Effects:
        """Lift the barrage if due, before any battery acts in a friendly fire phase.

        A barrage that has not begun plays its pre-Game Turns, each a PFPh and a DFPh. The side that
        moves second makes no Corrections in a DFPh without an FFE:2 (E12.731).
        """
        path, stage = self.path(view, mission), view.mission(mission).stage
        if path is None:
            return Effects()
        if stage is Stage.IDLE:
            return Effects(
                *(
                    push(self.creep, mission, last)
                    for _ in range(early_turns)
                    for last in (False, True)
                )
            )
        if stage not in FFE:
            return Effects()
        rests = two_sided(view) and stage is Stage.LINGERING and not in_prep_fire(view, mission)
        lifts = self._used_up(view, mission, path) if rests else self._over(view, mission, path)
        return self._lift(mission, path) if lifts else Effects()

    def creeps(self, view: View, mission: str) -> Effects:
        """Return the effects of a fire phase on the Creeping Barrage.

        The side that moves second has its DFPh first, and does nothing in it without an FFE:2
        (E12.731).
        """
        late = view.mission(mission).stage is Stage.FALLING
        if not two_sided(view):
            return Effects(push(self.creep, mission, late))
        if not in_prep_fire(view, mission) and not late:
            return Effects()
        return Effects(
            push(self.creep, mission, late is (view.side(mission) == view.scenario.firer))
        )

    @step(cite="E12.7, E12.73, E12.731, E12.77")
    def creep(self, _chance: Chance, view: View, mission: str, last: bool) -> Effects:  # noqa: FBT001
        """Place or Correct the barrage for one fire phase, unless it Lifts.

        The phase is a DFPh if an FFE:2 is on the map, and a PFPh otherwise. ``last`` means that the
        side has no other fire phase in this Game Turn (or pre-Game Turn).
        """
        path, now, creep = self.path(view, mission), view.mission(mission), view.own(mission, Creep)
        stage = now.stage
        if path is None or stage not in (Stage.IDLE, *FFE):
            return Effects()
        count = Effects(update(creep, turns=creep.turns + 1)) if last else Effects()
        if stage is Stage.IDLE:
            event = emit("creeps", "E12.7, E12.73, E12.77", mission=mission)
            return Effects(
                count, event, update(now, aim=path.start), push(self.creep_lands, mission, 1)
            )
        late = stage is Stage.FALLING
        if self._over(view, mission, path):
            return self._lift(mission, path)
        if late and not path.both_phases:
            event = emit("creeps", "E12.7, E12.731", mission=mission)
            return Effects(count, event, push(self.creep_down, mission, now.impact, 0))
        aims = self._creep_aims(view, mission)
        corrected = emit("creeps", "E12.731, E12.74" if late else "E12.73, E12.74", mission=mission)
        if len(aims) > 1:
            return Effects(count, corrected, ask(view.side(mission), self.creep_ar, mission))
        return Effects(
            count, corrected, update(now, aim=aims[0]), push(self.creep_lands, mission, 0)
        )

    @staticmethod
    def _used_up(view: View, mission: str, path: Path) -> bool:
        return view.own(mission, Creep).turns >= path.turns

    def _over(self, view: View, mission: str, path: Path) -> bool:
        """Return whether the barrage Lifts: its turns are over or no due Correction is possible."""
        late = view.mission(mission).stage is Stage.FALLING
        stuck = (not late or path.both_phases) and not self._creep_aims(view, mission)
        return self._used_up(view, mission, path) or stuck

    @staticmethod
    def _lift(mission: str, path: Path) -> Effects:
        """End the barrage; if it is convertible, a radio may use the battery later."""
        reason = Reason.DELIVERED if path.convertible else Reason.EXHAUSTED
        lifts = emit("lifts", "E12.76", mission=mission)
        return Effects(lifts, push(cycle.close, mission, reason, "E12.76, E12.771"))

    # --- accuracy and error ----------------------------------------------------------------------
    @step(cite="E12.71, E12.74")
    def creep_lands(self, chance: Chance, view: View, mission: str, first: int) -> Effects:
        """Make the Accuracy dr: 4 or less on placement, later the battery's own number."""
        path = self.path(view, mission)
        accurate = (
            self.number("creeping_accurate_at_first") if first or path is None else path.accurate
        )
        if chance.dice("accuracy", white=d6).total <= accurate:
            return Effects(push(self.creep_down, mission, view.mission(mission).aim, first))
        return Effects(push(self.creep_errs, mission, first))

    @step(cite="E12.74")
    def creep_errs(self, chance: Chance, view: View, mission: str, first: int) -> Effects:
        """Roll for the direction of error.

        Only the first error has its extent rolled; later ones are one hex.
        """
        toward = self.hexside(view, mission, chance.dice("direction", coloured=d6).coloured.exact())
        if first:
            return Effects(push(self.creep_strays, mission, toward))
        return Effects(
            push(self.creep_down, mission, hex_step(view.mission(mission).aim, toward), 0)
        )

    @step(cite="E12.73, C1.732")
    def creep_strays(self, chance: Chance, view: View, mission: str, toward: int) -> Effects:
        """Roll for the extent of the first error, in hexes, and halve it."""
        far = chance.dice("extent", white=d6).white.halved_up().exact()
        return Effects(
            push(self.creep_down, mission, hex_step(view.mission(mission).aim, toward, far), 1)
        )

    @step(cite="E12.732, E12.76")
    def creep_down(
        self, _chance: Chance, view: View, mission: str, place: Place, first: int
    ) -> Effects:
        """Place the FFE; a first error shifts the grain.

        A Blast Area entirely off the map is not resolved.
        """
        path, now = self.path(view, mission), view.mission(mission)
        moved = Effects()
        if first and path is not None and place != path.start:
            shift = (place[0] - path.start[0], place[1] - path.start[1])
            aim = path_hexes(path, shift)[-1]
            moved = Effects(
                update(view.own(mission, Creep), shift=shift),
                emit("adjusted", "E12.732", mission=mission, start=place, aim=aim),
            )
        if any(view.frame.on_map(cell) for cell in self.line(view, mission, place) or (place,)):
            return Effects(
                moved,
                update(now, aim=None, intent=Intent.EFFECT),
                push(cycle.landed, mission, place),
            )
        return Effects(
            moved,
            update(now, stage=Stage.FALLING, previous=now.impact, impact=place, aim=None),
            emit("unresolved", "E12.76", mission=mission, at=place),
            push(self.fallen, mission),
        )
