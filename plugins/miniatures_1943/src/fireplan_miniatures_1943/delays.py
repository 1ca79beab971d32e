"""Delays: the game turn, and the Artillery Request Chart along whose lines chits come to their arrival.

Which chits are placed is asked in ``requests``; the figures of the chart are data, read in ``charts``.
"""

from collections.abc import Iterator
from fractions import Fraction

from fireplan_core import Clock, Delays, Keeps, Modifier, Reason, SecretNote, Setup, Stage, View, cycle, parts_of
from fireplan_core.chance import Chance, d6
from fireplan_core.displays import Display
from fireplan_core.mission import Outcome
from fireplan_core.steps.effects import Effects, Event, emit, push, step, update
from fireplan_miniatures_1943.chits import ChartPosition, Chit, ChitSetup, flies, moves_left
from fireplan_miniatures_1943.setup import Phases, Staged
from fireplan_miniatures_1943.views import board, shown


class M1943Delays(Staged, Delays):
    """One Artillery Barrages phase a game turn: advance, place what arrives, place new requests."""

    keeps = Keeps(assets=(ChartPosition,), table=(Phases,))

    def implied(self, view: View, name: str, said: frozenset[str]) -> Effects:
        """Return that a chit is on the request chart where its moves still to make are said."""
        told = name in view.missions and "to_go" in said and "stage" not in said
        return Effects(update(view.mission(name), stage=Stage.DELAYED)) if told else Effects()

    def contradictions(self, view: View) -> Iterator[str]:
        """Yield chits with moves still to make that are not on the request chart."""
        for mission in view.missions:
            if view.own(mission, ChartPosition).to_go and view.mission(mission).stage is not Stage.DELAYED:
                yield f"{mission}: only a chit on the request chart (stage=delayed) has moves to_go (6.1.f)"

    def clock(self) -> Clock:
        """Return the game turns; how long one is, is an option."""
        minutes = Fraction(self.options["turn_minutes"])
        return Clock.even(minutes, "game turn", "a few minutes, by the rules", called="turn")

    def modifiers(self) -> tuple[Modifier, ...]:
        """Return the Axis modifier of the theatre and year."""

        def axis(view: View, *_: object) -> int:
            return view.shared(Phases).modifier

        return (Modifier("air_superiority", "S.b", "the Axis in this theatre and year", axis),)

    # --- the turn --------------------------------------------------------------------------------
    @step(cite="6.1.b, 6.1.f")
    def moment(self, chance: Chance, view: View) -> Effects:
        """Play the Artillery Barrages phase in its order; then the fire phase, in which air strikes are placed."""
        missions = view.missions
        phases = view.shared(Phases)
        order = phases.order
        if order:
            # Once for each line whatever lies there, so that being asked tells the other side nothing (6.1.h).
            lines = {view.facts(m, ChitSetup).line: m for m in reversed(missions)}
            asked = [push(parts_of(view).requests.phase, m) for m in missions if m in lines.values()]
        else:
            asked = [push(cycle.opportunity, m) for m in missions]
        return Effects(
            *(() if phases.filled else (push(self.superiority), push(self.fill))),
            *(push(self.advance, m) for m in missions),
            *(push(self.arrival, m) for m in missions),
            *asked,
            *(push(self.fire_phase, m) for m in missions if not order and flies(view, m)),
            *(push(self.player_turn, side) for side in order),
        )

    @step(cite="6.2.d, 6.2.f, 6.4.j")
    def player_turn(self, chance: Chance, view: View, side: str) -> Effects:
        """Let a side move; then its fire phase: air strikes placed, markers resolved, terrain changed, direct fire."""
        own = [m for m in view.missions if view.side(m) == side]
        return Effects(
            push(parts_of(view).resolution.manoeuvre, side),
            *(push(self.fire_phase, m) for m in own if flies(view, m)),
            *(push(parts_of(view).areas.fire_phase, m) for m in own),
            push(parts_of(view).resolution.fire_phase, side),
        )

    # --- before play -----------------------------------------------------------------------------
    @step(cite="S.a, S.b")
    def superiority(self, chance: Chance, view: View) -> Effects:
        """Roll a die for each side, the Axis with its modifier; only the higher has air strikes in this game."""
        phases = view.shared(Phases)
        axis = phases.axis
        if not axis:
            return Effects()
        (allies,) = (side for side in phases.order if side != axis)
        roll = chance.dice("air_superiority", axis=d6, allies=d6)
        total = roll.axis + chance.drm(roll)
        winner = axis if total > roll.allies else allies if total < roll.allies else None
        strikes = [m for m in view.missions if flies(view, m) and view.side(m) != winner]
        return Effects(
            emit("air_superiority", "S.a", side=winner), *(push(cycle.close, m, Reason.LOST, "S.a") for m in strikes)
        )

    @step(cite="S.e")
    def fill(self, chance: Chance, view: View) -> Effects:
        """Lay the chits of the scenario in their boxes before play, unless air superiority took them away."""
        starts = {m: view.facts(m, ChitSetup).start for m in view.missions if view.mission(m).stage is Stage.IDLE}
        laid = [
            Effects(
                update(view.own(m, ChartPosition), to_go=start),
                update(view.mission(m), stage=Stage.DELAYED),
                emit("laid", "S.e", mission=m, to_go=start),
            )
            for m, start in starts.items()
            if start is not None
        ]
        return Effects(update(view.shared(Phases), filled=True), *laid)

    # --- the request chart -----------------------------------------------------------------------
    @step(cite="6.1.f, 6.1.i")
    def advance(self, chance: Chance, view: View, mission: str) -> Effects:
        """Move a chit one box to the right."""
        to_go = moves_left(view, mission)
        if not to_go:
            return Effects()
        return Effects(
            update(view.own(mission, ChartPosition), to_go=to_go - 1),
            update(view.mission(mission), stage=Stage.DELAYED),
            emit("advanced", "6.1.f", mission=mission, to_go=to_go - 1),
        )

    @step(cite="6.1.g, 6.2.a")
    def arrival(self, chance: Chance, view: View, mission: str) -> Effects:
        """Let a barrage in the Arrival box give its marker and send a dummy back; an air strike is kept."""
        if not _arrived(view, mission) or flies(view, mission):
            return Effects()
        if view.facts(mission, ChitSetup).kind is Chit.DUMMY:
            return Effects(push(cycle.close, mission, Reason.CANCELLED, "6.1.g"))
        return Effects(push(cycle.ready, mission, Outcome.GOOD, "arrived"))

    @step(cite="6.2.i")
    def fire_phase(self, chance: Chance, view: View, mission: str) -> Effects:
        """Let an air strike that has arrived be placed."""
        return Effects(push(cycle.ready, mission, Outcome.GOOD, "arrived")) if _arrived(view, mission) else Effects()

    # --- who may know what (6.1.h) ----------------------------------------------------------------
    def hides(self, scenario: Setup, name: str, side: str) -> bool:
        """Return whether this is a chit: they are hidden from the other side until a marker is put."""
        return name in scenario.missions

    def shows(self, scenario: Setup, event: Event, side: str) -> Event | None:
        """Return public events, and stacks without their contents."""
        return shown(scenario, event)

    def board(self, view: View, side: str) -> tuple[str | Display, ...]:
        """Return the side's own hand, the request chart, and the barrages on the table."""
        return board(self, view, side)

    def secret_notes(self, scenario: Setup) -> tuple[SecretNote, ...]:
        """Return which chits each side has, and which of them lie in which box before play (6.1.g, S.e)."""
        held: dict[tuple[str, str], list[str]] = {}
        for mission, setup in scenario.missions.items():
            chit = setup.facts[self.word]
            where = "in hand" if chit.start is None else f"box {chit.boxes + 1 - chit.start}"
            held.setdefault((setup.side, chit.line), []).append(f"{mission} {where}")
        laid = held.items()
        return tuple(SecretNote(side, f"chits of the line {line}", "; ".join(chits)) for (side, line), chits in laid)


def _arrived(view: View, mission: str) -> bool:
    """Return whether a chit lies in the Arrival box, or its marker on the table."""
    return view.mission(mission).stage not in (Stage.IDLE, Stage.ENDED) and not moves_left(view, mission)
