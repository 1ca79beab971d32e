"""Delays: there are none.

What is asked for in a Barrage Segment falls in the same segment (12.1.0).

Only the sequence of this game is here: one moment a segment, with the end of the Ground Assault
Segment and the Administrative Phase after it where a scenario plays them. Limits on what may be
asked are in ``requests``.
"""

from collections.abc import Iterator
from fractions import Fraction

from fireplan_core import (
    Clock,
    Delays,
    Effects,
    Keeps,
    Staging,
    View,
    cycle,
    emit,
    parts_of,
    push,
    step,
    update,
)
from fireplan_core.chance import Chance
from fireplan_core.mission import Outcome
from fireplan_wacht_am_rhein.setup import Sequence


class WarDelays(Delays):
    """No delay: an asset is at hand as soon as it is asked for."""

    keeps = Keeps(table=(Sequence,))

    def implied(self, view: View, name: str, said: frozenset[str]) -> Effects:
        """Return whose segment it is in the moment that is said."""
        sequence = view.shared(Sequence)
        told = name == "table" and "moment" in said and sequence.active
        return (
            Effects(update(sequence, turn=view.moment() % len(sequence.active)))
            if told
            else Effects()
        )

    def contradictions(self, view: View) -> Iterator[str]:
        """Yield that it is another side's segment."""
        sequence = view.shared(Sequence)
        if sequence.active and sequence.turn != (due := view.moment() % len(sequence.active)):
            yield f"table: the next segment is that of {sequence.active[due]} (turn={due})"

    def clock(self) -> Clock:
        """Return a clock of one moment a Barrage Segment of half a day's light, true to within that half day."""
        return Clock.even(Fraction(self.number("segment_minutes")), "barrage segment", "12.0")

    def stage(self, staging: Staging) -> None:
        """Stage no turn around the segments; a link of any kind is as good as another."""
        staging.share(self.word, Sequence())

    @step(cite="12.0")
    def moment(self, _chance: Chance, view: View) -> Effects:
        """Open a barrage segment: whoever is still at work goes on, whoever is idle may ask."""
        sequence = view.shared(Sequence)
        active = sequence.active
        if not active:
            return Effects(*_fire(view.missions))
        side, parts = active[sequence.turn], parts_of(view)
        return Effects(
            update(sequence, turn=(sequence.turn + 1) % len(active)),
            emit("segment", "12.0", side=side),
            *(push(parts.requests.supply, mission) for mission in view.missions),
            *_fire(tuple(mission for mission in view.missions if view.side(mission) == side)),
            push(parts.resolution.turn_over),
            push(parts.requests.turn_over, side),
        )

    @step(cite="12.1.0")
    def request(self, _chance: Chance, _view: View, mission: str) -> Effects:
        """Make the asset ready at once."""
        return Effects(push(cycle.ready, mission, Outcome.GOOD, "barrage"))


def _fire(missions: tuple[str, ...]) -> tuple[Effects, ...]:
    return tuple(
        Effects(push(cycle.ready, m, Outcome.GOOD, "barrage"), push(cycle.opportunity, m))
        for m in missions
    )
