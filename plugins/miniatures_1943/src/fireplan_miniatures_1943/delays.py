"""Delays: the game turn, and the Artillery Request Chart on which chits move to their arrival.

This part also decides what the other side sees (6.1.h): stacks on the request chart without their
contents, and the events listed as public. Everything else stays hidden.
"""

from collections import Counter as Tally
from collections.abc import Iterator
from fractions import Fraction

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
    SLOTS,
    ChartPosition,
    Chit,
    ChitSetup,
    barrages,
    flies,
    moves_left,
    unused,
)
from fireplan_miniatures_1943.resolution import M1943Resolution
from fireplan_miniatures_1943.setup import Phases, Staged

_PLURALS = {chit.value: kinds.replace("_", " ") for kinds, chit in SLOTS.items()}
"""The plural of each kind of chit."""


class M1943Delays(Staged, Delays):
    """The delays part: in each turn chits advance, arrivals are placed, and fire is requested."""

    keeps = Keeps(assets=(ChartPosition,), table=(Phases,))

    def implied(self, view: View, name: str, fields: frozenset[str]) -> Effects:
        """Return effects that put a chit on the chart if the position gives its remaining moves.

        If the position says that the chart has been filled, no chit is left to place before play.
        """
        if name in view.missions and "to_go" in fields and "stage" not in fields:
            return Effects(update(view.mission(name), stage=Stage.DELAYED))
        if "filled" in fields and view.shared(Phases).filled:
            chits = (view.own(m, ChartPosition) for m in view.missions)
            return Effects(*(update(chit, start=None) for chit in chits))
        return Effects()

    def contradictions(self, view: View) -> Iterator[str]:
        """Yield a fault for each chit whose moves are impossible.

        A chit has moves left only on the request chart, and at most as many as its line has boxes,
        including the Arrival box. Only chits still to be placed before play have moves at the
        start.
        """
        for mission in view.missions:
            position = view.own(mission, ChartPosition)
            if position.to_go and view.mission(mission).stage is not Stage.DELAYED:
                yield f"{mission}: only a chit on the request chart (stage=delayed) has moves to_go (6.1.f)"
            last = view.facts(mission, ChitSetup).boxes + 1
            if view.shared(Phases).order and position.to_go > last:
                yield f"{mission}: a chit of this line has at most {last} moves to_go (6.1.f)"
            start, staged = position.start, view.scenario.missions[mission].slots[self.word].start
            if start in (None, staged):
                continue
            if view.shared(Phases).filled:
                yield f"{mission}: the chits have already been placed, so none has moves at the start (S.e)"
            elif not 0 < start <= last:
                yield f"{mission}: a chit of this line has 1 to {last} moves at the start (S.e)"

    def clock(self) -> Clock:
        """Return a clock of game turns; an option sets their length in minutes."""
        minutes = Fraction(self.options["turn_minutes"])
        return Clock.even(minutes, "game turn", "a few minutes, by the rules", called="turn")

    def modifiers(self) -> tuple[Modifier, ...]:
        """Return the Axis modifier to air superiority for the theatre and year."""

        def axis(view: View, *_: object) -> int:
            return view.shared(Phases).modifier

        return (Modifier("air_superiority", "S.b", "the Axis in this theatre and year", axis),)

    # --- the turn --------------------------------------------------------------------------------
    @step(cite="6.1.b, 6.1.f")
    def moment(self, chance: Chance, view: View) -> Effects:
        """Play the Artillery Barrages phase, then each side's turn.

        Before the first turn of a scenario file, air superiority is rolled for and the request
        chart filled. If sides do not take turns, the fire phase follows, in which air strikes are
        placed.
        """
        missions = view.missions
        phases = view.shared(Phases)
        order = phases.order
        if order:
            # Each line is asked for once, whatever its chits, so that the question reveals nothing
            # to the other side (6.1.h).
            lines = {view.facts(m, ChitSetup).line: m for m in reversed(missions)}
            requests = [
                push(parts_of(view).requests.phase, m) for m in missions if m in lines.values()
            ]
        else:
            requests = [push(cycle.opportunity, m) for m in missions]
        return Effects(
            *(() if phases.filled else (push(self.superiority), push(self.fill))),
            *(push(self.advance, m) for m in missions),
            *(push(self.arrival, m) for m in missions),
            *requests,
            *(push(self.fire_phase, m) for m in missions if not order and flies(view, m)),
            *(push(self.player_turn, side) for side in order),
        )

    @step(cite="6.2.d, 6.2.f, 6.4.j")
    def player_turn(self, chance: Chance, view: View, side: str) -> Effects:
        """Let a side move, then play its fire phase.

        In that phase air strikes are placed, markers are resolved, terrain is changed and direct
        fire is conducted.
        """
        own = [m for m in view.missions if view.side(m) == side]
        resolution = parts_of(view).find(M1943Resolution)
        return Effects(
            push(parts_of(view).resolution.manoeuvre, side),
            *(push(self.fire_phase, m) for m in own if flies(view, m)),
            *(push(parts_of(view).areas.fire_phase, m) for m in own),
            push(resolution.fire_phase, side) if resolution else Effects(),
        )

    # --- before play -----------------------------------------------------------------------------
    @step(cite="S.a, S.b")
    def superiority(self, chance: Chance, view: View) -> Effects:
        """Roll a die for each side, adding the modifier for the Axis.

        Only the side with the higher total has air strikes in this game; on a tie neither has.
        Without an Axis side there is no roll.
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
        """Place the scenario's chits in their boxes before play, except for lost air strikes."""
        starts = {m: view.own(m, ChartPosition).start for m in view.missions}
        placed = [
            Effects(
                update(view.own(m, ChartPosition), to_go=start, start=None),
                update(view.mission(m), stage=Stage.DELAYED),
                emit("laid", "S.e", mission=m, to_go=start),
            )
            if view.mission(m).stage is Stage.IDLE
            else Effects(update(view.own(m, ChartPosition), start=None))
            for m, start in starts.items()
            if start is not None
        ]
        return Effects(update(view.shared(Phases), filled=True), *placed)

    # --- the request chart -----------------------------------------------------------------------
    @step(cite="6.1.f, 6.1.i")
    def advance(self, chance: Chance, view: View, mission: str) -> Effects:
        """Move a chit one box to the right, if it is on the request chart and has not arrived."""
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
        """Resolve a chit in the Arrival box: a barrage gets its marker, and a dummy returns.

        An air strike waits for the fire phase.
        """
        if not _arrived(view, mission) or flies(view, mission):
            return Effects()
        if view.facts(mission, ChitSetup).kind is Chit.DUMMY:
            return Effects(push(cycle.close, mission, Reason.CANCELLED, "6.1.g"))
        return Effects(push(cycle.ready, mission, Outcome.GOOD, "arrived"))

    @step(cite="6.2.i")
    def fire_phase(self, chance: Chance, view: View, mission: str) -> Effects:
        """Let the owner place an air strike that has arrived."""
        return (
            Effects(push(cycle.ready, mission, Outcome.GOOD, "arrived"))
            if _arrived(view, mission)
            else Effects()
        )

    # --- hidden information (6.1.h) ---------------------------------------------------------------
    def hides(self, scenario: Setup, name: str, side: str) -> bool:
        """Return whether a name is a chit's; chits are hidden until their markers are placed."""
        return name in scenario.missions

    def shows(self, scenario: Setup, event: Event, side: str) -> Event | None:
        """Return the event as the other side sees it, or None if the event is hidden.

        The other side sees chits on the request chart only as a stack.
        """
        if event.kind in ON_CHART:
            facts = scenario.missions[event["mission"]].facts["delays"]
            to_go = dict(event.fields).get("to_go", facts.boxes + 1)
            box = ("box", facts.boxes + 1 - to_go)
            position = (("nation", facts.line), box, ("arrives", not to_go))
            return Event(f"stack {event.kind}", ON_CHART[event.kind], position)
        if event.kind == "ended":
            public = event.cite in LIFTED and event["reason"] is not Reason.CANCELLED
            return attrs.evolve(event, fields=event.fields[:1]) if public else None
        if event.kind not in PUBLIC:
            return None
        public_fields = ("mission", *PUBLIC[event.kind])
        return attrs.evolve(
            event,
            fields=tuple((name, value) for name, value in event.fields if name in public_fields),
        )

    def board(self, view: View, side: str) -> tuple[str | Display, ...]:
        """Return displays of the side's hand, the request chart, and the barrages on the table."""
        return board(self, view, side)

    def secret_notes(self, scenario: Setup) -> tuple[SecretNote, ...]:
        """Return a secret note per line: its chits and their boxes before play (6.1.g, S.e)."""
        held: dict[tuple[str, str], list[str]] = {}
        for mission, setup in scenario.missions.items():
            chit, start = setup.facts[self.word], setup.slots[self.word].start
            position = "in hand" if start is None else f"box {chit.boxes + 1 - start}"
            held.setdefault((setup.side, chit.line), []).append(f"{mission} {position}")
        return tuple(
            SecretNote(side, f"chits of the {named(line)} line", "; ".join(chits))
            for (side, line), chits in held.items()
        )


def _arrived(view: View, mission: str) -> bool:
    """Return whether a chit is in the Arrival box or has its marker on the table."""
    return view.mission(mission).stage not in (Stage.IDLE, Stage.ENDED) and not moves_left(
        view, mission
    )


PUBLIC = {
    row["event"]: tuple(row["fields"].split()) for row in read_csv(DATA / "public_events.csv")
}
"""Maps each event that both sides see to its public fields; chits on the chart have none."""

ON_CHART = {"laid": "S.e", "requested": "6.1.c", "advanced": "6.1.f"}
"""Maps events on the request chart to rules; an opponent sees only a stack placed or moved."""

LIFTED = ("6.2.d", "6.2.k", "6.4.d")
"""Rules by which a marker leaves the table; under any other rule a chit leaves unseen."""


def named(line: str) -> str:
    """Return the name of a line as players write it: ``Blue German``, ``US``."""
    return " ".join(word[:1].upper() + word[1:] for word in line.split())


def request_chart(view: View, side: str) -> tuple[Display, ...]:
    """Return the request chart as a side sees it: own chits by kind, enemy chits as stacks.

    All enemy chits in a box form one stack. A side's own chit that has arrived stays in the
    Arrival box until its marker is placed; an enemy one is no longer shown. ``view`` is this part's
    view.
    """
    own, lines = view.owned(side), dict[str, dict[str, list[str]]]()
    for mission in view.missions:
        facts, to_go = view.facts(mission, ChitSetup), moves_left(view, mission)
        names = ("Request box", *(f"box {n + 1}" for n in range(facts.boxes)), "Arrival box")
        boxes = lines.setdefault(facts.line, {name: [] for name in names})
        chit, box = facts.kind.value if mission in own else "stack", boxes[names[-1 - to_go]]
        now = view.mission(mission)
        arriving = mission in own and now.stage is Stage.DELAYED and now.aim is None
        if (to_go or arriving) and (mission in own or chit not in box):
            box.append(chit)
    charts = {
        line: tuple((name, tuple(map(Counter, sorted(chits)))) for name, chits in boxes.items())
        for line, boxes in lines.items()
    }
    return tuple(
        Display("track", f"request chart, {named(line)}", track)
        for line, track in sorted(charts.items())
    )


def hand(view: View, side: str) -> dict[str, dict[str, int]]:
    """Map each line to the number of chits of each kind in a side's hand."""
    lines: dict[str, dict[str, int]] = {}
    for mission in view.owned(side):
        facts = view.facts(mission, ChitSetup)
        kinds = lines.setdefault(facts.line, {chit.value: 0 for chit in Chit})
        kinds[facts.kind.value] += unused(view, mission)
    return lines


def board(part: Part, view: View, side: str) -> tuple[str | Display, ...]:
    """Return displays of the side's hand and of the request chart, and lines of text.

    There is a line for the barrages or smoke screens at each point of the table.
    """
    piles = (
        (line, tuple(Counter(_PLURALS[kind], count) for kind, count in kinds.items()))
        for line, kinds in hand(view, side).items()
    )
    hands = (Display("pile", f"in hand, {named(line)}", (("", chits),)) for line, chits in piles)
    lines: list[str | Display] = [*hands, *request_chart(view, side)]
    for what, plural, smoke in (("barrage", "barrages", False), ("smoke", "smoke screens", True)):
        there = Tally[str]()
        for _, centre, yards in barrages(part, view, smoke=smoke):
            east, south = centre
            x, y, reach = (
                inches(measure, part.options["yards_per_inch"])
                for measure in (abs(east), abs(south), yards)
            )
            across, down = "west" if east < 0 else "east", "north" if south < 0 else "south"
            from_origin = (
                f" (from 0,0: {x} to the {across}, {y} to the {down})" if any(centre) else ""
            )
            place = f"{view.frame.label(centre)}{from_origin}"
            there[f"at {place}, reaching {yards} yards ({reach})"] += 1
        lines += (
            f"{what} {where}" if count == 1 else f"{count} {plural} {where}"
            for where, count in there.items()
        )
    return tuple(lines)


def inches(yards: Yards, scale: int) -> str:
    """Return a distance on the table in inches, with a fraction in lowest terms: ``3 1/2 in``.

    ``scale`` is the number of yards to the inch.
    """
    sign = "-" if yards < 0 else ""
    whole, rest = divmod(abs(Fraction(yards) / scale), 1)
    parts = [str(whole)] if whole or not rest else []
    return f"{sign}{' '.join([*parts, *([str(rest)] if rest else [])])} in"
