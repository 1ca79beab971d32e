"""What a change changes: the answers before and after, yardstick by yardstick, with their difference."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import attrs

from fireplan.compare._answers import Answer, GameAnswer, Measured
from fireplan.compare._reading import number, percent
from fireplan.compare._yardsticks import YARDSTICKS


@attrs.frozen
class Change:
    """One line: what is measured, before and after in words, the difference in words, whether there is any."""

    what: str
    before: str
    after: str
    difference: str
    changed: bool


def changes(before: GameAnswer, after: GameAnswer) -> Iterator[Change]:
    """Yield every yardstick with its difference; severities one by one."""
    for yardstick in YARDSTICKS:
        one, other = before.measures[yardstick.name], after.measures[yardstick.name]
        if yardstick.name == "target_severity":
            yield from _severities(one, other)
            continue
        yield _change(yardstick.title, one, other)


def _change(title: str, one: Answer, other: Answer) -> Change:
    if not isinstance(one, Measured) or not isinstance(other, Measured):
        words = ["modelled" if isinstance(a, Measured) else "not modelled" for a in (one, other)]
        return Change(title, words[0], words[1], "", changed=words[0] != words[1])
    changed = (one.distribution, one.unresolved, one.value) != (other.distribution, other.unresolved, other.value)
    if one.unit == "probability":
        shares = [_share(answer) for answer in (one, other)]
        return Change(title, percent(shares[0]), percent(shares[1]), _points(shares[1] - shares[0]), changed)
    means = [answer.mean() for answer in (one, other)]
    texts = ["nothing falls" if mean is None else f"{number(mean)} {one.unit}" for mean in means]
    if means[0] is None or means[1] is None:
        return Change(title, texts[0], texts[1], "", changed)
    apart = means[1] - means[0]
    return Change(title, texts[0], texts[1], f"{apart:+.2f} {one.unit}" if changed else "", changed)


def _severities(one: Answer, other: Answer) -> Iterator[Change]:
    if not isinstance(one, Measured) or not isinstance(other, Measured):
        return
    after = dict(other.distribution or ())
    for name, share in one.distribution or ():
        yield Change(
            f"target {name}", percent(share), percent(after[name]), _points(after[name] - share), share != after[name]
        )


def _share(answer: Measured) -> Fraction:
    if answer.distribution is not None:
        return sum((share for value, share in answer.distribution if value is True), Fraction(0))
    return Fraction(answer.value or 0)


def _points(apart: Fraction) -> str:
    """A difference of shares in percentage points."""
    return "" if not apart else f"{float(apart) * 100:+.2f} points"
