"""A mission as a Markov chain in the PRISM language, for model checkers: one module, labels and rewards.

The text says the same as the chain that fireplan solves: a state ``s``, the number of the moment ``m``, and a flag
for each thing that can have happened. States that the flags can never tell apart are written as one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

import attrs

from fireplan.solver._analysis import Analysis
from fireplan.solver._build import build_chain
from fireplan_core import FINAL, Event

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


@attrs.frozen(order=True)
class _Transition:
    """Say where a step leads and what is seen on it: falls, whether the first is on target, own troops hit, the end."""

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
    rows: list[_Ways] = []
    for total, edges in zip(chain.totals, chain.edges, strict=True):
        transitions: _Ways = {}
        for edge in edges:
            transition = _way(edge.target, edge.events, ends=edge.ends)
            transitions[transition] = transitions.get(transition, Fraction(0)) + Fraction(edge.weight, total)
        rows.append(transitions)
    return _text(analysis, _alike(rows))


def _way(target: int, events: Iterable[Event], *, ends: bool) -> _Transition:
    falls = [event for event in events if event.kind == "fall"]
    return _Transition(
        target,
        ends,
        len(falls),
        bool(falls) and falls[0]["on_target"] is True,
        any(event["own_under_fire"] is True for event in falls),
        any(event.kind == "ended" and event["reason"] in FINAL for event in events),
    )


def _alike(rows: Sequence[_Ways]) -> list[_Ways]:
    """The coarsest chain in which the flags see the same with the same chances; state 0 stays the opening."""
    classes = [0] * len(rows)
    count = 1
    while True:
        signatures: dict[frozenset[tuple[_Transition, Fraction]], int] = {}
        merged = [_merged(transitions, classes) for transitions in rows]
        new = [signatures.setdefault(frozenset(transitions.items()), len(signatures)) for transitions in merged]
        if len(signatures) == count:
            return [dict(sorted(signature)) for signature in signatures]
        classes, count = new, len(signatures)


def _merged(transitions: _Ways, classes: Sequence[int]) -> _Ways:
    found: _Ways = {}
    for transition, share in transitions.items():
        there = attrs.evolve(transition, target=classes[transition.target])
        found[there] = found.get(there, Fraction(0)) + share
    return found


def _text(analysis: Analysis, rows: Sequence[_Ways]) -> str:
    scenario = analysis.scenario
    clock = scenario.clock
    lines = [
        f"// {_plain(scenario.title)}",
        f"// A moment is 1 {_plain(clock.moment)} of {clock.minutes} minutes.",
        *(f"// {name}: {asked}" for name, asked in PROPERTIES.items()),
        "",
        "dtmc",
        "",
        f"const int MOMENTS = {analysis.moments};",
        "",
        "module mission",
        f"  s : [0..{max(1, len(rows) - 1)}] init 0;",
        "  m : [0..MOMENTS] init 0;",
        *(f"  {flag} : bool init false;" for flag in FLAGS),
        "",
        *(f"  [] s={state} & m<MOMENTS -> {_update(transitions)};" for state, transitions in enumerate(rows)),
        "  [] m=MOMENTS -> 1:true;",
        "endmodule",
        "",
        'label "over" = m=MOMENTS;',
        *(f'label "{flag}" = {flag};' for flag in FLAGS),
        "",
        *_rewards("falls", rows, "", lambda transition: transition.falls),
        *_rewards(
            "moments_waited", rows, " & !delivered", lambda transition: int(transition.ends and not transition.falls)
        ),
    ]
    return "\n".join(lines) + "\n"


def _rewards(name: str, rows: Sequence[_Ways], when: str, earned: Callable[[_Transition], int]) -> list[str]:
    lines = [f'rewards "{name}"']
    for state, transitions in enumerate(rows):
        mean = sum((share * earned(transition) for transition, share in transitions.items()), Fraction(0))
        if mean:
            lines.append(f"  s={state} & m<MOMENTS{when} : {_share(mean)};")
    return [*lines, "endrewards", ""]


def _update(transitions: _Ways) -> str:
    return " + ".join(f"{_share(share)}:{_then(transition)}" for transition, share in transitions.items())


def _then(transition: _Transition) -> str:
    parts = {
        f"(s'={transition.target})": True,
        "(m'=m+1)": transition.ends,
        "(delivered'=true)": transition.falls,
        "(on_target'=on_target | !delivered)": transition.on_target,
        "(own_troops_under_fire'=true)": transition.own,
        "(exhausted'=true)": transition.exhausted,
    }
    return "&".join(part for part, holds in parts.items() if holds)


def _share(share: Fraction) -> str:
    if share.denominator == 1:
        return str(share.numerator)
    if max(abs(share.numerator), share.denominator) <= LARGEST:
        return f"{share.numerator}/{share.denominator}"
    return f"{share.numerator}.0/{share.denominator}.0"


def _plain(text: str) -> str:
    return " ".join(text.split())
