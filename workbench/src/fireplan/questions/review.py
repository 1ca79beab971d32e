"""The result of a game for a side: its events, its luck, and the orders that cost most."""

from collections.abc import Iterator
from fractions import Fraction
from math import sqrt
from typing import Any

import attrs

from fireplan import solver, table
from fireplan.analysis import GOALS, SideOdds, own_assets, percent
from fireplan.errors import counted
from fireplan.questions.luck import luck_in_words, luck_of
from fireplan.questions.question import Progress, silent
from fireplan_core import Event, Severity
from fireplan_core.play import Answered, LogEntry
from fireplan_core.sentences import capitalized

TOLERANCE = Fraction(35, 1000)
"""An order whose chance is lower than the best by at most this counts as right."""
LEAST = Fraction(5, 100)
"""The smallest harm that is printed in tenths of a unit."""
LINES, COSTLY, WEIGHED = 5, 5, 40
"""Limits on lines of events, on costly orders listed, and on orders compared at a prompt."""
TELLING = ("fall", "suffered", "ended")
"""The kinds of events that show the result of a game."""
NOT_YET = "The result of a game is shown when it is over."
NO_WINNER = (
    "No winner is declared, as only the artillery is played here: compare this with what each side"
    " wants, by its briefing."
)
HIDDEN = "Reveal everything to see the result: something is still hidden from this side."


@attrs.frozen
class CostlyOrder:
    """An order that was given, and the best order at that point.

    ``number`` is the number of inputs before it; ``chance`` and ``best_chance`` are the chances of
    fire on target after each of the two orders.
    """

    number: int
    when: str
    given: str
    best: str
    chance: Fraction
    best_chance: Fraction

    @property
    def cost(self) -> Fraction:
        """The best order's chance minus this order's chance."""
        return self.best_chance - self.chance


@attrs.frozen
class Review:
    """A game that is over, from the point of view of a side; rolls and orders are in words.

    ``happened`` lists the important events, and ``reached`` the first fire on target and the
    losses. ``luck`` pairs each side with its luck. ``weighed`` is the number of orders compared,
    and ``costly`` contains the worst of these. Luck and orders are empty until they have been
    worked out.
    """

    happened: tuple[str, ...]
    reached: tuple[str, ...]
    luck: tuple[tuple[str, str], ...] = ()
    luckiest: str = ""
    unluckiest: str = ""
    weighed: int = 0
    costly: tuple[CostlyOrder, ...] = ()


def withheld(session: table.Session, side: str) -> str:
    """Return the reason why a side may not see the result of a game yet, or ""."""
    if session.table.waits_for is not None:
        return NOT_YET
    veiled = table.Viewer(session, side).eyes.veiled
    return HIDDEN if veiled and not session.revealed else ""


def outcome_of(session: table.Session, side: str) -> Review:
    """Return the part of a review that needs no odds: events, first fire on target, and losses.

    Raises ValueError if ``withheld`` gives a reason.
    """
    if reason := withheld(session, side):
        raise ValueError(reason)
    return Review(tuple(_happened(session, side)), tuple(reached(session)))


def review_of(session: table.Session, side: str, progress: Progress = silent) -> Review:
    """Return the review of a game for a side; for a side without assets, no orders are compared.

    ``progress`` is called after each roll that is compared with its odds. Orders are compared by
    the chance of fire on target, given what the side knew and with standard orders afterwards.
    Raises ValueError if ``withheld`` gives a reason.
    """
    outcome = outcome_of(session, side)
    inputs = session.table.journal
    lucks = luck_of(session.scenario, session.moments, inputs, progress=progress)
    rolls = [roll for luck in lucks.sides if luck.side == side for roll in luck.rolls]
    rated = sorted((roll for roll in rolls if roll.variance), key=_gain)
    words, name = table.Words(session.scenario), session.scenario.clock.name
    lucky = [roll for roll in rated if _gain(roll) > 0][-1:]
    unlucky = [roll for roll in rated if _gain(roll) < 0][:1]
    orders = list(_orders(session, side))
    wrong = sorted((each for each in orders if each.cost > TOLERANCE), key=lambda each: -each.cost)
    return attrs.evolve(
        outcome,
        luck=tuple(
            (capitalized(words.said("", luck.side)), luck_in_words(luck)) for luck in lucks.sides
        ),
        luckiest="".join(_roll(roll, words, name(roll.moment)) for roll in lucky),
        unluckiest="".join(_roll(roll, words, name(roll.moment)) for roll in unlucky),
        weighed=len(orders),
        costly=tuple(wrong[:COSTLY]),
    )


def _gain(roll: solver.RollLuck) -> float:
    return float(roll.after - roll.before) / sqrt(roll.variance)


def _roll(roll: solver.RollLuck, words: table.Words, when: str) -> str:
    """Return a roll in words, with its effect on the chance on target or on the expected harm."""
    rolled = (
        f"{when}: {words.roll(roll.name)}, {words.cards.rolled(roll.name, roll.deck, roll.faces)}"
    )
    if roll.measure == solver.REACH:
        changed = f"{percent(roll.before)} before the roll, {percent(roll.after)} after it"
        return words.of_fire(f"{rolled}; chance of fire for effect on target: {changed}")
    harm = roll.after - roll.before
    amount = "under 0.1" if abs(harm) < LEAST else f"{abs(float(harm)):.1f}"
    return f"{rolled}; {amount} units {'more' if harm > 0 else 'less'} harm than expected"


def _happened(session: table.Session, side: str) -> Iterator[str]:
    """Yield the most important events of a game in order, as a side saw them.

    If there are only a few, the last of the other events are added.
    """
    viewer = table.Viewer(session, side)
    seen = [
        (entry, event)
        for entry in session.table.log
        if (event := viewer.eyes.learns(entry.event)) is not None and viewer.words.ruling(event)
    ]
    telling = [n for n, (_, event) in enumerate(seen) if event.kind in TELLING]
    telling.sort(key=lambda n: (-_weight(seen[n][1]), n))
    others = [n for n, (_, event) in enumerate(seen) if event.kind not in (*TELLING, "modifier")]
    for number in sorted([*telling, *reversed(others)][:LINES]):
        entry, event = seen[number]
        yield f"{capitalized(_when(session, entry))}: {viewer.words.ruling(event)}"


def _weight(event: Event) -> int:
    """Return the importance of an event: 10 plus its severity if a unit suffers harm.

    It is 11 for fire on target, 1 for other fire, and 0 for any other event.
    """
    fields: dict[str, Any] = dict(event.fields)
    if event.kind == "suffered":
        return 10 + int(fields.get("severity", 0))
    return 11 if event.kind == "fall" and fields.get("on_target") else int(event.kind == "fall")


def _when(session: table.Session, entry: LogEntry) -> str:
    return session.scenario.clock.name(entry.moment)


def reached(session: table.Session) -> Iterator[str]:
    """Yield sentences: when each side's fire first landed on target, and each side's losses.

    In a game whose fire never misses, any fire counts. The last sentence says that fireplan names
    no winner. The sentences reveal what a side may not know: see ``withheld``.
    """
    scenario, log = session.scenario, session.table.log
    words, aims = table.Words(scenario), scenario.parts.areas.weighs_aim
    for side in dict.fromkeys(setup.side for setup in scenario.missions.values()):
        own = own_assets(session, side)
        falls = [e for e in log if e.event.kind == "fall" and e.event["mission"] in own]
        hits = [entry for entry in falls if entry.event["on_target"] or not aims]
        name = capitalized(words.said("", side))
        if hits:
            result = (
                f"fire for effect first landed{' on target' * aims} in {_when(session, hits[0])}"
            )
        elif falls:
            result = "fire for effect landed, but never on target"
        else:
            result = "brought down no fire for effect"
        yield f"{name}: {words.of_fire(result)}"
    yield from _losses(session)
    yield NO_WINNER


def _losses(session: table.Session) -> Iterator[str]:
    """Yield a sentence for each side that has units, with its units lost and those harmed.

    Units are counted, and named if there are only a few.
    """
    scenario, words = session.scenario, table.Words(session.scenario)
    worst: dict[str, tuple[Severity, str]] = {}
    for entry in session.table.log:
        if entry.event.kind == "suffered":
            fields: dict[str, Any] = dict(entry.event.fields)
            suffered = Severity(fields["severity"]), str(fields.get("how", ""))
            unit = fields["unit"]
            worst[unit] = max(worst.get(unit, suffered), suffered, key=lambda harm: harm[0])
    for side in table.sides_of(scenario):
        own_units = [unit for unit, setup in scenario.units.items() if setup.side == side]
        if not own_units:
            continue
        hurt = {unit: worst[unit] for unit in own_units if unit in worst and any(worst[unit])}
        lost = [words.unit(u) for u, (harm, _) in hurt.items() if harm is Severity.DESTROYED]
        harmed = [
            f"{words.unit(unit)} {words.severity(harm, how)}"
            for unit, (harm, how) in hurt.items()
            if harm is not Severity.DESTROYED
        ]
        losses = _losses_in_words(lost, harmed, len(own_units))
        yield f"{capitalized(words.said('', side))}: {losses}"


def _losses_in_words(lost: list[str], harmed: list[str], units: int) -> str:
    """Return how many of a side's units were lost and harmed, with their names."""
    if not lost:
        how = f"{len(harmed)} of {counted(units, 'unit')} harmed{_names(harmed)}"
        return f"no unit lost, {how}" if harmed else "no unit lost or harmed"
    others = f", {len(harmed) or 'no'} {'more' if harmed else 'other'} harmed{_names(harmed)}"
    rest = others if len(lost) < units else ""
    return f"{len(lost)} of {counted(units, 'unit')} lost{_names(lost)}{rest}"


def _names(units: list[str]) -> str:
    """Return the names of units in brackets, or "" if there are none or too many."""
    return f" ({', '.join(units)})" if 0 < len(units) <= LINES else ""


def _orders(session: table.Session, side: str) -> Iterator[CostlyOrder]:
    """Yield each order that a side gave, with the best order at that point.

    An order is left out if it could not be compared with another.
    """
    odds = SideOdds(side)
    goal = next(iter(GOALS))
    for number, (then, move) in enumerate(session.again()):
        if move is None or not isinstance(move.given, Answered) or move.who != side:
            continue
        viewer = table.Viewer(then, side)
        form = viewer.form()
        in_words = {order.text: order.words for order in form.choices[:WEIGHED]}
        given = viewer.words.typed.order(move.given.order, viewer.forms())
        in_words.setdefault(given, given)
        weighed = odds.orders(then, [given, *in_words], sample=False).after
        if given in weighed and len(weighed) > 1:
            best = max(weighed, key=lambda text: weighed[text][goal].share)
            yield CostlyOrder(
                number,
                capitalized(viewer.situation().when),
                in_words[given],
                in_words[best],
                weighed[given][goal].share,
                weighed[best][goal].share,
            )
