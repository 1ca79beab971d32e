"""Delays: the game turn, and the Artillery Request Chart along whose lines chits come to their arrival.

Which chits are placed is asked in ``requests``; the figures of the chart are data, read in
``charts``. What the other side may see (6.1.h) is made here, from a list of what is public: stacks
on the request chart without their contents, and public events; the rest stays hidden. Logs and
orders are kept to it by the framework.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import starmap

import attrs

from fireplan_core import (
    Counter,
    Delays,
    Display,
    Event,
    Keeps,
    Modifier,
    Part,
    SecretNote,
    View,
    cycle,
    parts_of,
)
from fireplan_core.chance import Chance, d6, read_csv
from fireplan_core.mission import Outcome, Reason, Stage
from fireplan_core.setups.setup import Clock, Setup
from fireplan_core.space import Yards
from fireplan_core.steps.effects import Effects, emit, push, step, update
from fireplan_miniatures_1943.charts import DATA
from fireplan_miniatures_1943.chits import (
    ChartPosition,
    Chit,
    ChitSetup,
    barrages,
    flies,
    moves_left,
    unused,
)
from fireplan_miniatures_1943.setup import Phases, Staged


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
            if (
                view.own(mission, ChartPosition).to_go
                and view.mission(mission).stage is not Stage.DELAYED
            ):
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
        """Play the Artillery Barrages phase in its order.

        Then the fire phase, in which air strikes are placed.
        """
        missions = view.missions
        phases = view.shared(Phases)
        order = phases.order
        if order:
            # Once for each line whatever lies there, so that being asked tells the other side
            # nothing (6.1.h).
            lines = {view.facts(m, ChitSetup).line: m for m in reversed(missions)}
            asked = [
                push(parts_of(view).requests.phase, m) for m in missions if m in lines.values()
            ]
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
        """Let a side move.

        Then its fire phase: air strikes placed, markers resolved, terrain changed, direct fire.
        """
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
        """Roll a die for each side, the Axis with its modifier.

        Only the higher has air strikes in this game.
        """
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
            emit("air_superiority", "S.a", side=winner),
            *(push(cycle.close, m, Reason.LOST, "S.a") for m in strikes),
        )

    @step(cite="S.e")
    def fill(self, chance: Chance, view: View) -> Effects:
        """Lay the chits of the scenario in their boxes before play, unless air superiority took them away."""
        starts = {
            m: view.facts(m, ChitSetup).start
            for m in view.missions
            if view.mission(m).stage is Stage.IDLE
        }
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
        """Let a barrage in the Arrival box give its marker and send a dummy back.

        An air strike is kept.
        """
        if not _arrived(view, mission) or flies(view, mission):
            return Effects()
        if view.facts(mission, ChitSetup).kind is Chit.DUMMY:
            return Effects(push(cycle.close, mission, Reason.CANCELLED, "6.1.g"))
        return Effects(push(cycle.ready, mission, Outcome.GOOD, "arrived"))

    @step(cite="6.2.i")
    def fire_phase(self, chance: Chance, view: View, mission: str) -> Effects:
        """Let an air strike that has arrived be placed."""
        return (
            Effects(push(cycle.ready, mission, Outcome.GOOD, "arrived"))
            if _arrived(view, mission)
            else Effects()
        )

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
        return tuple(
            SecretNote(side, f"chits of the line {line}", "; ".join(chits))
            for (side, line), chits in laid
        )


def _arrived(view: View, mission: str) -> bool:
    """Return whether a chit lies in the Arrival box, or its marker on the table."""
    return view.mission(mission).stage not in (Stage.IDLE, Stage.ENDED) and not moves_left(
        view, mission
    )


PUBLIC = {
    row["event"]: tuple(row["fields"].split()) for row in read_csv(DATA / "public_events.csv")
}
"""The kinds of events that both sides see, with the fields they see.

Events of chits in line are not among them.
"""

ON_CHART = {"laid": "S.e", "requested": "6.1.c", "advanced": "6.1.f"}
"""Events of chits in line: an opponent sees that a stack is laid or moves, once for each stack."""

LIFTED = ("6.2.d", "6.2.k", "6.4.d")
"""The rules by which a marker that lay on the table goes.

A chit that ends by any other leaves the chart unseen.
"""


def request_chart(view: View, side: str) -> tuple[Display, ...]:
    """Return the request chart line by line as a side sees it: its own chits by kind, the other's as stacks.

    All chits of another side's line in one box are one stack (the view is that of the delays). A
    chit in the Arrival box lies on no line any more: its marker is on the table, or it has gone
    back, or it is kept in hand.
    """
    own, lines = view.owned(side), dict[str, dict[str, list[str]]]()
    for mission in view.missions:
        facts, to_go = view.facts(mission, ChitSetup), moves_left(view, mission)
        names = ("Request box", *(f"box {n + 1}" for n in range(facts.boxes)), "Arrival box")
        boxes = lines.setdefault(facts.line, {name: [] for name in names})
        chit, there = facts.kind.value if mission in own else "stack", boxes[names[-1 - to_go]]
        if to_go and (mission in own or chit not in there):
            there.append(chit)
    charts = {
        line: tuple((box, tuple(map(Counter, sorted(on)))) for box, on in lines[line].items())
        for line in lines
    }
    return tuple(
        Display("track", f"request chart, {line}", boxes) for line, boxes in sorted(charts.items())
    )


def shown(scenario: Setup, event: Event) -> Event | None:
    """Return what the other side is told of an event: of chits in line only that there is a stack, once for a box."""
    if event.kind in ON_CHART:
        facts = scenario.missions[event["mission"]].facts["delays"]
        to_go = dict(event.fields).get("to_go", facts.boxes + 1)
        where = (("line", facts.line), ("box", facts.boxes + 1 - to_go))
        return Event(f"stack {event.kind}", ON_CHART[event.kind], where)
    if event.kind == "ended":
        public = event.cite in LIFTED and event["reason"] is not Reason.CANCELLED
        return attrs.evolve(event, fields=event.fields[:1]) if public else None
    if event.kind not in PUBLIC:
        return None
    known = ("mission", *PUBLIC[event.kind])
    return attrs.evolve(
        event, fields=tuple((name, value) for name, value in event.fields if name in known)
    )


def hand(view: View, side: str) -> dict[str, dict[str, int]]:
    """Return a side's own chits by line: how many of each kind are neither in line nor on the table nor used up."""
    found: dict[str, dict[str, int]] = {}
    for mission in view.owned(side):
        facts = view.facts(mission, ChitSetup)
        kinds = found.setdefault(facts.line, {chit.value: 0 for chit in Chit})
        kinds[facts.kind.value] += unused(view, mission)
    return found


def board(part: Part, view: View, side: str) -> tuple[str | Display, ...]:
    """Return a side's own chits in hand, the request chart, and what lies where."""
    kept = (
        (line, tuple(starmap(Counter, kinds.items()))) for line, kinds in hand(view, side).items()
    )
    hands = (Display("pile", f"in hand, {line}", (("", chits),)) for line, chits in kept)
    lines: list[str | Display] = [*hands, *request_chart(view, side)]
    for what, smoke in (("barrage", False), ("smoke", True)):
        for _, centre, yards in barrages(part, view, smoke=smoke):
            x, y, reach = (
                inches(measure, part.options["yards_per_inch"]) for measure in (*centre, yards)
            )
            where = f"{view.frame.label(centre)} ({x} east, {y} south)"
            lines.append(f"{what} at {where}, reaching {yards} yards ({reach})")
    return tuple(lines)


def inches(yards: Yards, scale: int) -> str:
    """Return a distance on the table: whole inches, with a fraction in lowest terms, e.g. ``3 1/2 in``.

    ``scale`` is how many yards an inch stands for.
    """
    sign = "-" if yards < 0 else ""
    whole, rest = divmod(abs(Fraction(yards) / scale), 1)
    parts = [str(whole)] if whole or not rest else []
    return f"{sign}{' '.join([*parts, *([str(rest)] if rest else [])])} in"
