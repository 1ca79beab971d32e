"""Say what the other side may see (6.1.h): stacks on the request chart without their contents, and public events.

What an opponent is told of an event is made here, from a list of what is public; the rest stays hidden. Logs and
orders are kept to it by the framework.
"""

from fractions import Fraction
from itertools import starmap

import attrs

from fireplan_core import Counter, Display, Event, Part, Reason, Setup, View
from fireplan_core.chance import read_csv
from fireplan_core.space import Yards
from fireplan_miniatures_1943.charts import DATA
from fireplan_miniatures_1943.chits import Chit, ChitSetup, barrages, moves_left, unused

PUBLIC = {row["event"]: tuple(row["fields"].split()) for row in read_csv(DATA / "public_events.csv")}
"""The kinds of events that both sides see, with the fields they see. Events of chits in line are not among them."""

ON_CHART = {"laid": "S.e", "requested": "6.1.c", "advanced": "6.1.f"}
"""Events of chits in line: an opponent sees that a stack is laid or moves, once for each stack."""

LIFTED = ("6.2.d", "6.2.k", "6.4.d")
"""The rules by which a marker that lay on the table goes; a chit that ends by any other leaves the chart unseen."""


def request_chart(view: View, side: str) -> tuple[Display, ...]:
    """Return the request chart line by line as a side sees it: its own chits by kind, the other's as stacks.

    All chits of another side's line in one box are one stack (the view is that of the delays). A chit in the Arrival
    box lies on no line any more: its marker is on the table, or it has gone back, or it is kept in hand.
    """
    own, lines = view.owned(side), dict[str, dict[str, list[str]]]()
    for mission in view.missions:
        facts, to_go = view.facts(mission, ChitSetup), moves_left(view, mission)
        names = ("Request box", *(f"box {n + 1}" for n in range(facts.boxes)), "Arrival box")
        boxes = lines.setdefault(facts.line, {name: [] for name in names})
        chit, there = facts.kind.value if mission in own else "stack", boxes[names[-1 - to_go]]
        if to_go and (mission in own or chit not in there):
            there.append(chit)
    charts = {line: tuple((box, tuple(map(Counter, sorted(on)))) for box, on in lines[line].items()) for line in lines}
    return tuple(Display("track", f"request chart, {line}", boxes) for line, boxes in sorted(charts.items()))


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
    return attrs.evolve(event, fields=tuple((name, value) for name, value in event.fields if name in known))


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
    kept = ((line, tuple(starmap(Counter, kinds.items()))) for line, kinds in hand(view, side).items())
    hands = (Display("pile", f"in hand, {line}", (("", chits),)) for line, chits in kept)
    lines: list[str | Display] = [*hands, *request_chart(view, side)]
    for what, smoke in (("barrage", False), ("smoke", True)):
        for _, centre, yards in barrages(part, view, smoke=smoke):
            x, y, reach = (inches(measure, part.options["yards_per_inch"]) for measure in (*centre, yards))
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
