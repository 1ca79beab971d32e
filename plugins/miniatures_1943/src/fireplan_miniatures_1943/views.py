"""What the other side may see (6.1.h): stacks on the request chart without their contents, and public events.

Everything that is shown to an opponent is made here, from a list of what is public; the rest stays hidden.
What an opponent may believe of the stacks is in ``belief``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import attrs

from fireplan.mission import Ask, Form, Order, Reason, Refusal, Severity, Stage, View
from fireplan.table import Answered, Entry, Table
from fireplan_miniatures_1943.chits import Chit
from fireplan_miniatures_1943.delays import Line, LineFacts

PUBLIC: Mapping[str, tuple[str, ...]] = {
    "air_superiority": ("side",),
    "placed": ("at", "yards", "heading"),
    "smoke": ("at", "yards"),
    "fall": ("impact",),
    "lingering": (),
    "suffered": ("unit", "severity"),
    "modifier": ("roll", "value", "gist"),
    "moved": ("unit", "at"),
    "posture": ("unit", "prone"),
    "shot": ("unit", "at", "solid_cover", "modifier"),
    "terrain_lost": ("segment", "terrain"),
    "crater": ("at",),
}
"""The kinds of events that both sides see, with the fields they see. Events of chits in line are not among them."""

ON_CHART = {"laid": "S.e", "requested": "6.1.c", "advanced": "6.1.f"}
"""Events of chits in line: an opponent sees that a stack is laid or moves, once for each stack."""

MARKED = ("placed", "smoke")
"""The events by which a marker comes on the table."""

SHOWING = ("advanced", *MARKED)
"""The events that tell whether a stack that arrives brings a barrage."""

LIFTED = ("6.2.d", "6.2.k", "6.4.d")
"""The rules by which a marker that lay on the table goes; a chit that ends by any other leaves the chart unseen."""


@attrs.frozen
class Stack:
    """A stack as an opponent sees it: on which line, in which box (0 the Request box); nothing of what it holds."""

    line: str
    box: int


@attrs.frozen
class Chart:
    """The request chart as an opponent sees it: the progress boxes of each line, and the stacks."""

    boxes: tuple[tuple[str, int], ...]
    stacks: tuple[Stack, ...]


@attrs.frozen
class Waiting:
    """What the table waits for, as one side sees it: its own question, the other side, open dice, or nothing."""

    who: str
    question: str = ""
    forms: tuple[Form, ...] = ()


def request_chart(table: Table, side: str) -> Chart:
    """The request chart of the sides other than ``side``, as ``side`` sees it.

    All chits of a line in one box are one stack. A chit in the Arrival box is no stack any more: its marker is
    on the table, or it has gone back, or it is kept in hand.
    """
    view = View(table.read, table.scenario, "delays")
    boxes: dict[str, int] = {}
    stacks: set[tuple[str, int]] = set()
    for mission in view.missions:
        if view.side(mission) == side:
            continue
        facts = view.facts(mission, LineFacts)
        boxes[facts.line] = facts.boxes
        to_go = view.own(mission, Line).to_go
        if to_go and view.mission(mission).stage not in (Stage.IDLE, Stage.ENDED):
            stacks.add((facts.line, facts.boxes + 1 - to_go))
    return Chart(tuple(sorted(boxes.items())), tuple(Stack(*found) for found in sorted(stacks)))


def opponent_log(table: Table, side: str) -> tuple[str, ...]:
    """The log as ``side`` may read it: lines of public events, each with its turn and rule.

    The side's own events are told in full; those of others without the ids of chits, and chits in line only as
    stacks. Markers are numbered in the order in which they are put.
    """
    scenario = table.scenario
    names: dict[str, str] = {}
    markers = 0
    stacks = _stack_lines(table, side)
    lines: list[str] = []
    for entry in table.log:
        event = entry.event
        mission = dict(event.fields).get("mission")
        turn = scenario.clock.name(entry.moment)
        if event.kind in MARKED:
            markers += 1
            names[str(mission)] = str(markers)
        if mission is not None and scenario.missions[str(mission)].side == side:
            lines.append(_line(turn, event.kind, event.cite, event.fields))
        elif event.kind in ON_CHART:
            # All at once and in their own order: that of the events is the order of the chits.
            lines += stacks.pop((entry.moment, event.kind), ())
        elif _is_public(entry):
            kept = [(name, value) for name, value in event.fields if name in PUBLIC.get(event.kind, ())]
            if mission is not None:
                kept.insert(0, ("marker", names.get(str(mission), "")))
            kind = "lifted" if event.kind == "ended" else event.kind
            lines.append(_line(turn, kind, event.cite, kept))
    return tuple(lines)


def _stack_lines(table: Table, side: str) -> dict[tuple[int, str], list[str]]:
    """What is said of the stacks of others, once for each stack, by turn and kind of event."""
    found: dict[tuple[int, str], set[tuple[str, int]]] = {}
    for entry in table.log:
        event = entry.event
        if event.kind not in ON_CHART or table.scenario.missions[event["mission"]].side == side:
            continue
        facts = table.scenario.missions[event["mission"]].facts["delays"]
        to_go = dict(event.fields).get("to_go", facts.boxes + 1)
        found.setdefault((entry.moment, event.kind), set()).add((facts.line, facts.boxes + 1 - to_go))
    return {
        (moment, kind): [
            _line(table.scenario.clock.name(moment), f"stack {kind}", ON_CHART[kind], (("line", line), ("box", box)))
            for line, box in sorted(stacks)
        ]
        for (moment, kind), stacks in found.items()
    }


def _is_public(entry: Entry) -> bool:
    if entry.event.kind == "ended":
        return entry.event.cite in LIFTED and entry.event["reason"] is not Reason.CANCELLED
    return entry.event.kind in PUBLIC


def _line(turn: str, kind: str, cite: str, fields: Iterable[tuple[str, object]]) -> str:
    said = ", ".join(f"{name} {_said(value)}" for name, value in fields)
    return f"{turn}: {kind.replace('_', ' ')}{': ' + said if said else ''} [{cite}]"


def _said(value: object) -> str:
    if isinstance(value, Severity | Reason):
        return str(value.name).lower()
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def arrivals(table: Table, side: str, line: str) -> tuple[int, int, int]:
    """What ``side`` has seen of a line of the other's: stacks that brought a barrage, that brought none, in line.

    A stack brings a barrage when a marker or a smoke screen of its line is put in the phase in which it arrives;
    air strikes, and barrages that are kept back, are not seen then. For ``belief.chance_of_barrage``.
    """
    came: set[int] = set()
    brought: set[int] = set()
    for entry in table.log:
        event = entry.event
        facts = table.scenario.missions[event["mission"]].facts["delays"] if event.kind in SHOWING else None
        if facts is None or facts.line != line:
            continue
        if event.kind == "advanced" and event["to_go"] == 0:
            came.add(entry.moment)
        elif event.kind != "advanced" and facts.chit is Chit.BARRAGE:
            brought.add(entry.moment)
    stacks = request_chart(table, side).stacks
    return len(came & brought), len(came - brought), sum(stack.line == line for stack in stacks)


def waiting(table: Table, side: str) -> Waiting:
    """What the table waits for as ``side`` sees it; of another side's question only that there is one."""
    waits = table.waits_for
    if waits is None:
        return Waiting("nobody")
    if not isinstance(waits, Ask):
        return Waiting("dice", waits.name)
    if waits.who != side:
        return Waiting("the other side")
    forms = table.rulebook.question(waits).offers(table.rulebook.view(waits, table.read), *waits.args)
    return Waiting(side, waits.question, forms)


def submit(table: Table, side: str, order: Order) -> Refusal | None:
    """Give an order for a side; what the other side may hear of it is None or a refusal that names no chit of its.

    An order out of turn is refused without saying what is being asked of whom.
    """
    waits = table.waits_for
    if not isinstance(waits, Ask) or waits.who != side:
        return Refusal("6.1.h", "this side is not asked for an order now")
    answer = table.submit(Answered(waits.question, order))
    return answer if isinstance(answer, Refusal) else None


def hand(table: Table, side: str) -> dict[str, dict[str, int]]:
    """A side's own chits by line: how many of each kind are neither in line nor on the table nor used up."""
    view = View(table.read, table.scenario, "delays")
    found: dict[str, dict[str, int]] = {}
    for mission in view.missions:
        if view.side(mission) != side:
            continue
        facts = view.facts(mission, LineFacts)
        kinds = found.setdefault(facts.line, {chit.value: 0 for chit in Chit})
        now = view.mission(mission)
        if now.stage is Stage.IDLE or now.reason in (Reason.DELIVERED, Reason.CANCELLED):
            kinds[facts.chit.value] += 1
    return found
