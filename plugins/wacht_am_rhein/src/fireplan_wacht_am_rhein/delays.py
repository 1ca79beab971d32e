"""Delays: none, because a barrage falls in the Barrage Segment in which it is declared (12.1.0).

This module contains the sequence of play: a moment is a Barrage Segment. In a scenario the end of
the Ground Assault Segment and the Administrative Phase follow it.
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
from fireplan_wacht_am_rhein.requests import WarRequests
from fireplan_wacht_am_rhein.setup import Sequence


class WarDelays(Delays):
    """The delays part: a side's artillery is ready as soon as it is requested."""

    keeps = Keeps(table=(Sequence,))

    def implied(self, view: View, name: str, fields: frozenset[str]) -> Effects:
        """Return effects that set the side to play, if the position gives the moment."""
        sequence = view.shared(Sequence)
        if name == "table" and "moment" in fields and sequence.active:
            return Effects(update(sequence, turn=view.moment() % len(sequence.active)))
        return Effects()

    def contradictions(self, view: View) -> Iterator[str]:
        """Yield a fault for sides other than the scenario's, or for a next segment out of range."""
        sequence = view.shared(Sequence)
        staged = view.scenario.shared[self.word].active
        if sequence.active != staged:
            yield f"table: here the Barrage Segments are those of {', '.join(staged) or 'nobody'}: leave out active (12.0)"
            return
        if sequence.active and sequence.turn > (last := len(sequence.active) - 1):
            yield f"table: the Barrage Segments are 0 to {last}, so none has turn={sequence.turn} (12.0)"

    def unfinished(self, view: View) -> Iterator[str]:
        """Yield a fault if the moment belongs to another side's segment."""
        sequence = view.shared(Sequence)
        if sequence.active and sequence.turn != (due := view.moment() % len(sequence.active)):
            yield f"table: the next segment is that of {sequence.active[due]} (turn={due})"

    def clock(self) -> Clock:
        """Return a clock with one moment per Barrage Segment: half the daylight of a day."""
        return Clock.even(Fraction(self.number("segment_minutes")), "barrage segment", "12.0")

    def stage(self, staging: Staging) -> None:
        """Stage an engagement in which sides do not take turns and the radio link has no effect."""
        staging.share(self.word, Sequence())

    @step(cite="12.0")
    def moment(self, _chance: Chance, view: View) -> Effects:
        """Begin a Barrage Segment: missions continue, and idle artillery may be requested.

        If the sides take turns, only the side whose segment it is may barrage.
        """
        sequence = view.shared(Sequence)
        active = sequence.active
        if not active:
            return Effects(*_fire(view.missions))
        side, parts = active[sequence.turn], parts_of(view)
        requests = parts.find(WarRequests)
        return Effects(
            update(sequence, turn=(sequence.turn + 1) % len(active)),
            emit("segment", "12.0", side=side),
            *(push(requests.supply, mission) for mission in view.missions if requests),
            *_fire(tuple(mission for mission in view.missions if view.side(mission) == side)),
            push(parts.resolution.turn_over),
            push(parts.requests.turn_over, side),
        )

    @step(cite="12.1.0")
    def request(self, _chance: Chance, _view: View, mission: str) -> Effects:
        """Make the requested artillery ready at once."""
        return Effects(push(cycle.ready, mission, Outcome.GOOD, "barrage"))


def _fire(missions: tuple[str, ...]) -> tuple[Effects, ...]:
    return tuple(
        Effects(
            push(cycle.ready, mission, Outcome.GOOD, "barrage"), push(cycle.opportunity, mission)
        )
        for mission in missions
    )
