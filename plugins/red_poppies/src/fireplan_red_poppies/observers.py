"""Observers of Red Poppies: infantry on the map, or an aircraft that sees every vertex (4.7, 6.1, 7.21).

Which mode carries the word to the guns is the delays' business; whether a cross hair may be placed without
sight is the requests'. Lines of sight over a map's terrain are not traced here: the engagement declares them.
"""

from __future__ import annotations

import attrs

from fireplan.mission import Observers, Place, Sight, Staging, View
from fireplan_red_poppies._modes import flown

NIGHT_HEXES = 2
"""How far a line of sight reaches at night (4.82)."""

HEX_M = 182.88
"""200 yards (2.2)."""


@attrs.frozen
class Watch:
    """What the engagement declares of the observer's sight of the target and the ground about it."""

    ground: bool
    burst: bool
    known_enemy: bool


class RedPoppiesObservers(Observers):
    """Any friendly infantry; for a trench set the designated company; or an aircraft."""

    def stage(self, staging: Staging) -> None:
        """Declare the sight; an observer who is nobody's infantry on the map cannot be represented."""
        engagement = staging.engagement
        watch = engagement.observer
        clear = watch.sight == "clear"
        if flown(engagement):
            clear = True
        elif watch.kind in ("none", "offboard"):
            staging.cannot(
                f"observer kind {watch.kind}: off-map artillery needs friendly infantry on the map to "
                "observe, or an aircraft (6.1, 7.21)"
            )
        elif engagement.situation.night and round(watch.distance_m / HEX_M) > NIGHT_HEXES:
            staging.cannot("at night a line of sight reaches two hexes, about 370 m (4.82)")
        facts = Watch(
            ground=clear,
            burst=clear or watch.sight == "burst_only",
            known_enemy=clear and engagement.target.identified,
        )
        for mission in staging.assets:
            staging.mission(mission, self.word, facts=facts)

    def sees(self, view: View, mission: str, place: Place) -> Sight:  # noqa: ARG002 - declared once for the area
        """The declared sight, alike for every place about the target."""
        facts = view.facts(mission, Watch)
        return Sight(facts.ground, facts.burst, known_enemy=facts.known_enemy)
