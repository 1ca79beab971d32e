"""Solve J2 with icepool as an expert would, with the die of a whole phase written out and repeated."""

from fractions import Fraction
from functools import cache

import icepool

NONE, SR, FFE2, FFEC = range(4)
AROUND = ((0, -1), (1, -1), (1, 0), (0, 1), (-1, 1), (-1, 0))


def hits(phases, contact_on=8, kept_on=9, accurate_on=2, black=8, red=3):
    """Return the exact distribution of the number of phases that hit the target."""
    two = icepool.d6 + icepool.d6

    @cache
    def landed(cap):
        """Return the places where a round may land, with their weights."""
        spread = icepool.Die(
            [(dq * min(n, cap), dr * min(n, cap)) for dq, dr in AROUND for n in range(1, 7)]
        )
        return icepool.Die([(0, 0), spread], [accurate_on, 6 - accurate_on])

    @cache
    def phase(state):
        contact, access, b, r, counter, q, s = state
        far = max(abs(q), abs(s), abs(q + s))
        if b < 0:
            return icepool.Die([(state, 0)])
        made = two <= (kept_on if contact else contact_on)
        near = int(far <= 1)
        if counter == FFE2:
            lost = ((False, access, b, r, FFEC, q, s), near)
        elif counter == FFEC:
            lost = ((False, False, b, r, NONE, 0, 0), 0)
        else:
            lost = ((False, access, b, r, counter, q, s), 0)
        chance = made.quantity(True)  # noqa: FBT003 - an outcome
        return icepool.Die(
            [reached(b, r, counter, access, q, s, far), lost], [chance, made.denominator() - chance]
        )

    @cache
    def reached(b, r, counter, access, q, s, far):
        if access and counter != FFEC:
            return acted(b, r, counter, q, s, far)
        ways = []
        weights = []
        if b:
            ways.append(acted(b - 1, r, counter, q, s, far))
            weights.append(b)
        if r:
            gone = (
                (False, False, -1, 0, NONE, 0, 0)
                if r == red - 1
                else (True, False, b, r - 1, NONE, 0, 0)
            )
            ways.append((gone, 0))
            weights.append(r)
        return (
            icepool.Die(ways, weights)
            if ways
            else icepool.Die([((True, False, b, r, NONE, 0, 0), 0)])
        )

    @cache
    def acted(b, r, counter, q, s, far):
        if (counter == SR and far == 0) or (counter == FFEC and far <= 1):
            return icepool.Die([((True, True, b, r, FFE2, q, s), 1)])
        if counter == FFE2 and far <= 1:
            return icepool.Die([((True, True, b, r, FFEC, q, s), 1)])
        after = SR if counter in (NONE, FFEC) else FFE2 if counter == SR else FFEC
        places = landed(6 if counter == NONE else -(-far // 3))
        return places.map(
            lambda x, y: (
                (True, True, b, r, after, x, y),
                int(after != SR and max(abs(x), abs(y), abs(x + y)) <= 1),
            )
        )

    def step(state, count):
        return phase(state).map(lambda after, hit: (after, count + hit))

    start = ((False, False, black, red, NONE, 0, 0), 0)
    end = icepool.map(step, icepool.Die([start]), repeat=phases)
    found = end.map(lambda _state, count: count)
    return {
        outcome: Fraction(found.quantity(outcome), found.denominator())
        for outcome in found.outcomes()
    }
