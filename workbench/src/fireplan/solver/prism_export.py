"""A mission as a Markov chain in the PRISM language, for model checkers: one module, labels and rewards.

The text says the same as the chain that fireplan solves: a state ``s``, the number of the moment
``m``, and a flag for each thing that can have happened. States that the flags can never tell apart
are written as one.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction

import attrs

from fireplan.draw.svg import written
from fireplan.solver.analysis import Analysis
from fireplan.solver.build import build_chain
from fireplan.solver.chain import Emission, events_of
from fireplan.solver.solving import Plan
from fireplan_core import FINAL

LARGEST = 2**31 - 1
"""Whole numbers beyond this are written as decimals: PRISM's own are of 32 bits."""

PROPERTIES = {
    "delivered": "P=? [ F delivered ]",
    "on_target": "P=? [ F on_target ]",
    "own_troops_under_fire": "P=? [ F own_troops_under_fire ]",
    "exhausted": "P=? [ F exhausted ]",
    "falls": 'R{"falls"}=? [ F "over" ]',
    "moments_waited": 'R{"moments_waited"}=? [ F "over" ]',
}
"""Say what can be asked of the text: chances at the end of the watch, mean numbers of falls and moments."""

FLAGS = ("delivered", "on_target", "own_troops_under_fire", "exhausted")


Seen = tuple[int, bool, bool, bool]
"""What the flags see on a way: falls, whether the first is on target, own troops hit, the end."""
NOTHING: Seen = (0, False, False, False)


@attrs.frozen
class _Transition:
    """Say where a way leads, whether the moment ends, and what is seen on it."""

    target: int
    ends: bool
    falls: int
    on_target: bool
    own: bool
    exhausted: bool


_Ways = dict[_Transition, Fraction]


def prism(analysis: Analysis) -> str:
    """Return the mission of an analysis in the PRISM language, watched for its moments.

    Raises ``TooLargeError`` when there are more states than the exact solver takes on.
    """
    chain = build_chain(
        analysis.compiler,
        apart=analysis.separable,
        spliced=True,
        horizon=analysis.moments,
        moments=analysis.moments,
    )
    (seen,) = Plan(chain).seen([_told], analysis.moments)
    numbers, todo, rows = {seen.start: 0}, [seen.start], list[_Ways]()
    for node in todo:
        links = seen.layers[0].links[node]
        total = sum(weight for _, weight, _, _ in links)
        todo += dict.fromkeys(target for target, _, _, _ in links if target not in numbers)
        numbers |= {target: number for number, target in enumerate(todo)}
        rows.append(
            {
                _Transition(numbers[target], ends, *(seen.emission[what] or NOTHING)): Fraction(
                    weight, total
                )
                for target, weight, what, ends in links
            }
        )
    return _text(analysis, rows)


def _told(emission: Emission | None) -> Seen | None:
    """Return what the flags see of what is told on a way; None where that is nothing."""
    events = events_of(emission or ())
    falls = [event for event in events if event.kind == "fall"]
    found = (
        len(falls),
        bool(falls) and falls[0]["on_target"] is True,
        any(event["own_under_fire"] is True for event in falls),
        any(event.kind == "ended" and event["reason"] in FINAL for event in events),
    )
    return None if found == NOTHING else found


def _text(analysis: Analysis, rows: Sequence[_Ways]) -> str:
    clock, falls = analysis.scenario.clock, [_mean(row, lambda way: way.falls) for row in rows]
    waited = [_mean(row, lambda way: int(way.ends and not way.falls)) for row in rows]
    return written(
        __package__,
        "mission.prism.j2",
        title=_plain(analysis.scenario.title),
        moment=_plain(clock.moment),
        minutes=clock.minutes,
        moments=analysis.moments,
        properties=PROPERTIES,
        flags=FLAGS,
        rows=rows,
        rewards=(("falls", "", falls), ("moments_waited", " & !delivered", waited)),
        ratio=_ratio,
    )


def _mean(row: _Ways, earned: Callable[[_Transition], int]) -> Fraction:
    return sum((share * earned(way) for way, share in row.items()), Fraction(0))


def _ratio(share: Fraction) -> str:
    if share.denominator == 1:
        return str(share.numerator)
    if max(abs(share.numerator), share.denominator) <= LARGEST:
        return f"{share.numerator}/{share.denominator}"
    return f"{share.numerator}.0/{share.denominator}.0"


def _plain(text: str) -> str:
    return " ".join(text.split())
