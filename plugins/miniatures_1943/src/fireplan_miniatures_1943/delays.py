"""Delays: the game turn, and the Artillery Request Chart along whose lines chits come to their arrival.

Which chits are placed is asked in ``requests``; the figures of the chart are data, read in ``charts``.
"""

from __future__ import annotations

from fractions import Fraction
from importlib.resources import files

from fireplan_core import (
    Clock,
    Delays,
    Effects,
    Event,
    Reason,
    Record,
    Scenario,
    Stage,
    Staging,
    View,
    emit,
    push,
    record,
    step,
    update,
)
from fireplan_core.chance import Chance, read_csv
from fireplan_miniatures_1943.charts import OTHER, ROW
from fireplan_miniatures_1943.chits import Chit, chit_of
from fireplan_miniatures_1943.lines import Line, LineFacts
from fireplan_miniatures_1943.situation import chart_lines
from fireplan_miniatures_1943.views import told


@record
class Phases:
    """The turn of a scenario file: which sides have a turn of their own, in order, and whether the chart is filled.

    Without sides there are no movement phases and one fire phase for all.
    """

    order: tuple[str, ...] = ()
    filled: bool = True


class M1943Delays(Delays):
    """One Artillery Barrages phase a game turn: advance, place what arrives, place new requests."""

    def clock(self) -> Clock:
        """A moment is a game turn; how long one is, is an option."""
        minutes = Fraction(self.options["turn_minutes"])
        return Clock(minutes, minutes, lambda k: f"turn {k + 1}", "game turn", "a few minutes, by the rules")

    def line_of(self, nationality: str) -> str:
        """The line of the request chart that a nationality uses: its own, one it is under, or ``other``."""
        name = nationality.strip().lower()
        called = {
            row["called"]: row["line"]
            for row in read_csv(files("fireplan_miniatures_1943") / "data" / "nationalities.csv")
        }
        lines = self.charts["request_chart"].columns
        line = next((line for line in lines if line.lower() == name), called.get(name, OTHER))
        return line if line in lines else OTHER

    def boxes(self, line: str) -> int:
        """The progress boxes of a line; an option lengthens unattested lines of one box to two."""
        boxes = int(self.charts["request_chart"].cell(ROW, line))
        return 2 if boxes == 1 and self.options["request_lines"] == "attested" else boxes

    def stage(self, staging: Staging) -> None:
        """All lines are empty at the start; chits move along the line of the firer's nationality."""
        nationality = staging.engagement.firer.nationality
        line = self.line_of(nationality)
        boxes = self.boxes(line)
        staging.note(f"a game turn is taken as {self.options['turn_minutes']} minutes (the rules say a few)")
        if line == OTHER:
            staging.note(f"the request chart has no line for {nationality!r}: the line {OTHER!r} is used")
        self.note_chart(staging, line, boxes)
        for asset in staging.assets:
            chit = chit_of(asset, self.options["chit"])
            staging.mission(asset, self.word, Line(), LineFacts(chit, boxes, line))

    def note_chart(self, staging: Staging, line: str, boxes: int) -> None:
        """Say so when the boxes of a line rest on another chart than the printed one."""
        words = {"reconstructed": "reconstructed", "user": "the user's"}
        if kind := words.get(self.charts["request_chart"].provenance):
            staging.note(f"the request chart is {kind}: {line}, progress boxes: {boxes}")

    @step(cite="6.1.b, 6.1.f")
    def moment(self, _chance: Chance, view: View) -> Effects:
        """The Artillery Barrages phase in its order; then the fire phase, in which air strikes are placed."""
        missions = view.missions
        phases = view.shared(Phases)
        order = phases.order
        strikes = (m for m in missions if not order and view.facts(m, LineFacts).chit is Chit.AIR_STRIKE)
        if order:
            # Once for each line whatever lies there, so that being asked tells the other side nothing (6.1.h).
            lines = {view.facts(m, LineFacts).line: m for m in reversed(missions)}
            asked = [push("requests.phase", m) for m in missions if m in lines.values()]
        else:
            asked = [push("core.opportunity", m) for m in missions]
        return Effects(
            *(() if phases.filled else (push("requests.superiority"), push("fill"))),
            *(push("advance", m) for m in missions),
            *(push("arrival", m) for m in missions),
            *asked,
            *(push("fire_phase", m) for m in strikes),
            *(push("player_turn", side) for side in order),
        )

    @step(cite="S.e")
    def fill(self, _chance: Chance, view: View) -> Effects:
        """Before play the chits of the scenario lie on the Request box and the progress boxes."""
        starts = {m: view.facts(m, LineFacts).start for m in view.missions}
        return Effects(
            update(view.shared(Phases), filled=True),
            *(push("lay", m, start) for m, start in starts.items() if start is not None),
        )

    @step(cite="S.e")
    def lay(self, _chance: Chance, view: View, mission: str, start: int) -> Effects:
        """A chit lies in its box, unless air superiority took it away."""
        now = view.mission(mission)
        if now.stage is not Stage.IDLE:
            return Effects()
        return Effects(
            update(view.own(mission, Line), to_go=start),
            update(now, stage=Stage.DELAYED),
            emit("laid", "S.e", mission=mission, to_go=start),
        )

    @step(cite="6.2.d, 6.2.f, 6.4.j")
    def player_turn(self, _chance: Chance, view: View, side: str) -> Effects:
        """A side moves; then its fire phase: air strikes placed, markers resolved, terrain changed, direct fire."""
        own = [m for m in view.missions if view.side(m) == side]
        return Effects(
            push("areas.movement", side),
            *(push("fire_phase", m) for m in own if view.facts(m, LineFacts).chit is Chit.AIR_STRIKE),
            *(push("areas.resolve", m) for m in own),
            push("resolution.damage"),
            push("areas.firing", side),
        )

    @step(cite="6.1.i")
    def request(self, _chance: Chance, view: View, mission: str) -> Effects:
        """The chit lies on the Request box: all progress boxes and the Arrival box are before it."""
        return Effects(update(view.own(mission, Line), to_go=view.facts(mission, LineFacts).boxes + 1))

    @step(cite="6.1.f")
    def advance(self, _chance: Chance, view: View, mission: str) -> Effects:
        """One box to the right."""
        line = view.own(mission, Line)
        to_go = line.to_go
        if not to_go:
            return Effects()
        return Effects(
            update(line, to_go=to_go - 1),
            update(view.mission(mission), stage=Stage.DELAYED),
            emit("advanced", "6.1.f", mission=mission, to_go=to_go - 1),
        )

    @step(cite="6.1.g, 6.2.a")
    def arrival(self, _chance: Chance, view: View, mission: str) -> Effects:
        """In the Arrival box a barrage gives its marker, a dummy goes back, an air strike is kept."""
        chit = view.facts(mission, LineFacts).chit
        if not self._arrived(view, mission) or chit is Chit.AIR_STRIKE:
            return Effects()
        if chit is Chit.DUMMY:
            return Effects(push("core.close", mission, Reason.CANCELLED, "6.1.g"))
        return Effects(push("core.ready", mission), push("forfeit", mission))

    @step(cite="6.2.a")
    def forfeit(self, _chance: Chance, view: View, mission: str) -> Effects:
        """A barrage that arrived and was not placed is lost, unless the option lets it be held."""
        now = view.mission(mission)
        if self.options["may_hold"] or now.stage is not Stage.DELAYED or now.intent is not None:
            return Effects()
        reason = Reason.CANCELLED if self.options["supply"] == "renewed" else Reason.EXHAUSTED
        return Effects(push("core.close", mission, reason, "6.2.a"))

    @step(cite="6.2.i")
    def fire_phase(self, _chance: Chance, view: View, mission: str) -> Effects:
        """An air strike that has arrived may be placed."""
        return Effects(push("core.ready", mission)) if self._arrived(view, mission) else Effects()

    @step(cite="6.1.g")
    def closed(self, _chance: Chance, view: View, mission: str) -> Effects:
        """The chit leaves the line."""
        return Effects(update(view.own(mission, Line), to_go=0))

    @staticmethod
    def _arrived(view: View, mission: str) -> bool:
        if view.mission(mission).stage in (Stage.IDLE, Stage.ENDED):
            return False
        return view.own(mission, Line).to_go == 0

    # --- who may know what (6.1.h) ----------------------------------------------------------------
    def hides(self, scenario: Scenario, name: str, side: str) -> bool:  # noqa: ARG002
        """Chits are hidden from the other side until a marker is put."""
        return name in scenario.missions

    def shows(self, scenario: Scenario, event: Event, side: str) -> Event | None:  # noqa: ARG002
        """Public events, and stacks without their contents."""
        return told(scenario, event)

    def board(self, view: View, side: str) -> tuple[str, ...]:
        """The side's own hand, and the request chart of the other."""
        return chart_lines(view, side)

    def records(self, scenario: Scenario) -> tuple[Record, ...]:
        """Which chits each side has, and which of them lie in which box before play (6.1.g, S.e)."""
        held: dict[tuple[str, str], list[str]] = {}
        for mission, setup in scenario.missions.items():
            facts = setup.facts[self.word]
            where = "in hand" if facts.start is None else f"box {facts.boxes + 1 - facts.start}"
            held.setdefault((setup.side, facts.line), []).append(f"{mission} {where}")
        laid = held.items()
        return tuple(Record(side, f"chits of the line {line}", "; ".join(chits)) for (side, line), chits in laid)
