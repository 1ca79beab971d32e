"""Print a mission as a Markov chain in the language of the model checkers PRISM and Storm.

Run: ``python benchmarks/prism.py SCENARIO [MOMENTS]`` prints the mission of a shipped scenario.

The text has one module, labels and rewards. It is the chain that fireplan solves: a state ``s``,
the index of the moment ``m``, and a flag for each result of interest. States that the flags can
never distinguish are merged.
"""

import sys
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path

import attrs
from jinja2 import Environment, FileSystemLoader

from fireplan.solver import Analysis, build_chain
from fireplan.solver.chain import Emission, events_of
from fireplan.solver.solving import PreparedChain
from fireplan_core import FINAL

LARGEST = 2**31 - 1
"""Largest integer of PRISM (32 bits); larger integers are written as decimals."""

PROPERTIES = {
    "delivered": "P=? [ F delivered ]",
    "on_target": "P=? [ F on_target ]",
    "own_troops_under_fire": "P=? [ F own_troops_under_fire ]",
    "exhausted": "P=? [ F exhausted ]",
    "falls": 'R{"falls"}=? [ F "over" ]',
    "moments_waited": 'R{"moments_waited"}=? [ F "over" ]',
}
"""PRISM properties by name: chances at the end, mean numbers of falls and moments."""

FLAGS = ("delivered", "on_target", "own_troops_under_fire", "exhausted")


Seen = tuple[int, bool, bool, bool]
"""The observation of an emission: falls, first on target, own troops hit, mission exhausted."""
NOTHING: Seen = (0, False, False, False)


@attrs.frozen
class _Transition:
    """The target of a transition, whether it ends the moment, and its observation."""

    target: int
    ends: bool
    falls: int
    on_target: bool
    own: bool
    exhausted: bool


_Row = dict[_Transition, Fraction]


def prism(analysis: Analysis) -> str:
    """Return the mission of an analysis as PRISM text, for the moments of the analysis.

    Raises ``TooLargeError`` if there are more states than the exact solver accepts.
    """
    chain = build_chain(
        analysis.compiler,
        apart=analysis.separable,
        spliced=True,
        horizon=analysis.moments,
        moments=analysis.moments,
    )
    (layers,) = PreparedChain(chain).seen([_observed], analysis.moments)
    numbers, todo, rows = {layers.start: 0}, [layers.start], list[_Row]()
    for node in todo:
        links = layers.layers[0].links[node]
        total = sum(weight for _, weight, _, _ in links)
        todo += dict.fromkeys(target for target, _, _, _ in links if target not in numbers)
        numbers |= {target: number for number, target in enumerate(todo)}
        rows.append(
            {
                _Transition(
                    numbers[target], ends, *(layers.emission[emission] or NOTHING)
                ): Fraction(weight, total)
                for target, weight, emission, ends in links
            }
        )
    return _text(analysis, rows)


def _observed(emission: Emission | None) -> Seen | None:
    """Return the observation of an emission, or None if nothing is observed."""
    events = events_of(emission or ())
    falls = [event for event in events if event.kind == "fall"]
    seen = (
        len(falls),
        bool(falls) and falls[0]["on_target"] is True,
        any(event["own_under_fire"] is True for event in falls),
        any(event.kind == "ended" and event["reason"] in FINAL for event in events),
    )
    return None if seen == NOTHING else seen


def _text(analysis: Analysis, rows: Sequence[_Row]) -> str:
    clock, falls = (
        analysis.scenario.clock,
        [_mean(row, lambda transition: transition.falls) for row in rows],
    )
    waited = [
        _mean(row, lambda transition: int(transition.ends and not transition.falls)) for row in rows
    ]
    templates = Environment(  # noqa: S701 - the text is not HTML
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return templates.get_template("mission.prism.j2").render(
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


def _mean(row: _Row, earned: Callable[[_Transition], int]) -> Fraction:
    return sum((share * earned(transition) for transition, share in row.items()), Fraction(0))


def _ratio(share: Fraction) -> str:
    if share.denominator == 1:
        return str(share.numerator)
    if max(abs(share.numerator), share.denominator) <= LARGEST:
        return f"{share.numerator}/{share.denominator}"
    return f"{share.numerator}.0/{share.denominator}.0"


def _plain(text: str) -> str:
    return " ".join(text.split())


if __name__ == "__main__":
    from timed import shipped

    name, moments = sys.argv[1], int((*sys.argv, "8")[2])
    sys.stdout.write(prism(Analysis(shipped(name), moments)))
