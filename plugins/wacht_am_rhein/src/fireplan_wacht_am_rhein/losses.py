"""Losses: satisfying the hits of a Final Barrage Result with steps, a retreat, fatigue (12.4.1 to 12.4.3).

Pure: steps before, steps and markers after. Asking the defender and keeping the state is in ``satisfying``.
"""

from collections.abc import Sequence
from typing import Final

import attrs

LOSSES_THEN_RETREAT: Final = "losses_then_retreat"
RETREAT_FIRST: Final = "retreat_first"
STAND: Final = "stand"
"""One unit loses a second step in place of the retreat (12.4.2, optional); it must have passed its check."""


@attrs.frozen
class Satisfied:
    """Say how a Final Barrage Result was satisfied: steps left unit by unit, and what all survivors get.

    ``losses`` + ``retreat`` + ``overkill`` is the number of hits.
    """

    steps: tuple[int, ...]
    losses: int
    retreat: bool
    overkill: int
    shift: bool

    @property
    def moves(self) -> bool:
        """Tell whether there are survivors to retreat."""
        return self.retreat and any(self.steps)

    @property
    def fatigue(self) -> bool:
        """Tell whether survivors get a Fatigue marker (12.4.2a)."""
        return self.overkill > 0 and any(self.steps)


def satisfy(
    steps: Sequence[int],
    hits: int,
    *,
    shift: bool,
    policy: str = LOSSES_THEN_RETREAT,
    can_retreat: bool = True,
    stands: int | None = None,
) -> Satisfied:
    """Satisfy ``hits`` among affected units of so many ``steps`` each, in the owner's order of choice.

    Losses are spread: nobody loses a second step before everybody lost one (12.4.1a), and nobody loses a second one
    at all (12.4.2) unless no retreat is possible from the outset. One hit at most is satisfied by a retreat of all
    (12.4.1b). What is left is overkill. A retreat brings the artillery shift with it (12.4.3). ``stands`` numbers the
    unit that loses a second step rather than have all retreat (12.4.2).

    Of units that may lose the next step the first named loses it.
    """
    left = list(steps)
    lost = [0] * len(left)
    retreat = can_retreat and hits > 0 and policy == RETREAT_FIRST
    open_hits = hits - int(retreat)
    losses = 0
    while open_hits:
        able = [i for i, n in enumerate(left) if n > 0 and (lost[i] == 0 or not can_retreat)]
        if not able:
            break
        chosen = min(able, key=lambda i: (lost[i], i))
        left[chosen] -= 1
        lost[chosen] += 1
        losses += 1
        open_hits -= 1
    if open_hits and can_retreat and not retreat and any(left):
        if stands is not None and left[stands]:
            left[stands] -= 1
            losses += 1
        else:
            retreat = True
        open_hits -= 1
    return Satisfied(tuple(left), losses, retreat, open_hits, shift or retreat)


def open_ground_losses(steps: Sequence[int], *, each: bool) -> tuple[int, ...]:
    """Return the steps left after a retreat into open ground next to enemies, which magnitude does not limit (12.4.2).

    The retreat rules (11.7.6) are not part of the chapter: one step of every unit that retreats, or, unless
    ``each``, one of the strongest.
    """
    if each:
        return tuple(max(0, left - 1) for left in steps)
    strongest = max(range(len(steps)), key=lambda i: steps[i], default=0)
    return tuple(left - (i == strongest and left > 0) for i, left in enumerate(steps))
