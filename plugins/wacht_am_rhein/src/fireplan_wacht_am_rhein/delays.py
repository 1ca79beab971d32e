"""Delays: there are none. What is asked for in a Barrage Segment falls in the same segment (12.1.0).

Only the sequence of this game is here: one moment a segment, with the end of the Ground Assault Segment and the
Administrative Phase after it where a scenario plays them. Limits on what may be asked are in ``requests``.
"""

from __future__ import annotations

from fireplan_core import Clock, Delays, Effects, Staging, View, emit, push, record, step, update
from fireplan_core.chance import Chance
from fireplan_wacht_am_rhein.barrage import SEGMENT_MINUTES


@record
class Sequence:
    """Whose Barrage Segments follow one another, again and again, and the number of the present one among them.

    Without sides every asset may barrage in every segment, and nothing else of a turn is played.
    """

    active: tuple[str, ...] = ()
    turn: int = 0


class WarDelays(Delays):
    """No delay: an asset is at hand as soon as it is asked for."""

    def clock(self) -> Clock:
        """One moment a Barrage Segment of half a day's light, true to within that half day."""
        return Clock(
            SEGMENT_MINUTES, SEGMENT_MINUTES, lambda k: f"barrage segment {k + 1}", "barrage segment", "12.0"
        )

    def stage(self, staging: Staging) -> None:
        """A link of any kind is as good as another; no turn is played around the segments."""
        staging.share(self.word, Sequence())

    @step(cite="12.0")
    def moment(self, _chance: Chance, view: View) -> Effects:
        """A barrage segment: whoever is still at work goes on, whoever is idle may ask."""
        sequence = view.shared(Sequence)
        active = sequence.active
        if not active:
            return Effects(*_fire(view.missions))
        side = active[sequence.turn]
        known = view.scenario.steps
        return Effects(
            update(sequence, turn=(sequence.turn + 1) % len(active)) if len(active) > 1 else [],
            emit("segment", "12.0", side=side),
            *(push("requests.supply", mission) for mission in view.missions if "requests.supply" in known),
            *_fire(tuple(mission for mission in view.missions if view.side(mission) == side)),
            push("assaults"),
            push("requests.administration", side) if "requests.administration" in known else Effects(),
        )

    @step(cite="12.4.3")
    def assaults(self, _chance: Chance, view: View) -> Effects:
        """The Ground Assault Segment ends, which is all that is played of it."""
        if "resolution.assault_over" not in view.scenario.steps:
            return Effects()
        places = sorted({view.place_of(unit) for unit in view.units} - {None})
        return Effects(
            *(
                push("resolution.assault_over", view.missions[0], place, scope=f"place {view.frame.label(place)}")
                for place in places
            )
        )

    @step(cite="12.1.0")
    def request(self, _chance: Chance, _view: View, mission: str) -> Effects:
        """Ready at once."""
        return Effects(push("core.ready", mission))


def _fire(missions: tuple[str, ...]) -> tuple[Effects, ...]:
    return tuple(Effects(push("core.ready", mission), push("core.opportunity", mission)) for mission in missions)
