"""A mission as a Markov chain in the PRISM language, for model checkers: one module, labels and rewards.

The text says the same as the chain that fireplan solves: a state ``s``, the number of the moment ``m``, and a flag
for each thing that can have happened. States that the flags can never tell apart are written as one.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction

import attrs

from fireplan.solver._analysis import Analysis
from fireplan.solver._build import build_chain
from fireplan.solver._chain import Emission, events_of
from fireplan.solver._solve import Plan
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
                _Transition(numbers[target], ends, *(seen.emission[what] or NOTHING)): Fraction(weight, total)
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
            "moments_waited",
            rows,
            " & !delivered",
            lambda transition: int(transition.ends and not transition.falls),
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
