"""Observers: who may direct the fire (C1.6, C1.63) and what of the map is in his LOS.

LOS is a fact of the engagement: ground and bursts in sight; or bursts alone over the target, whose hexes then
lie in dead ground while the ground around them is seen. Nothing is seen off the map.
"""

from __future__ import annotations

import attrs

from fireplan.mission import Observers, Place, Sight, Staging, View
from fireplan_asl._places import hexes_between, on_map


@attrs.frozen
class Eyes:
    """What decides the LOS of one Observer: hexes whose ground he cannot see, and whether he knows the enemy."""

    dead_ground: frozenset[Place]
    identified: bool


class AslObservers(Observers):
    """A leader with a radio or field phone, or an Offboard Observer."""

    def stage(self, staging: Staging) -> None:
        """Lay down what each Observer sees.

        Without LOS to any hex no AR can be placed; aircraft and night are not staged.
        """
        observer = staging.engagement.observer
        if observer.kind == "none":
            staging.cannot("C1.6: off-board artillery needs an Observer")
        if observer.kind == "aircraft":
            staging.cannot("C1.63: an aerial observer needs the Sighting rules of chapter E7, which are not staged")
        if observer.sight == "none":
            staging.cannot("C1.3: the Observer sees no hex near the target, so no AR can be placed")
        if staging.engagement.situation.night:
            staging.cannot("C1.62: night (chapter E1) limits the LOS of an Observer and is not staged")
        unseen = observer.sight != "clear"
        if unseen:
            staging.note("LOS: the hexes of the target lie in dead ground, all others are seen")
        dead = frozenset(staging.target_places()) if unseen else frozenset[Place]()
        for mission in staging.assets:
            staging.mission(mission, self.word, facts=Eyes(dead, staging.engagement.target.identified))

    def sees(self, view: View, mission: str, place: Place) -> Sight:
        """LOS to the Base Level and Blast Height of a hex; an enemy is Known where his own hex is seen (C1.6)."""
        eyes = view.facts(mission, Eyes)
        frame = view.frame
        here = on_map(frame, place)
        side = view.side(mission)
        known = eyes.identified and any(
            view.unit_side(unit) != side
            and view.place_of(unit) not in eyes.dead_ground
            and hexes_between(frame, place, view.place_of(unit)) <= 1
            for unit in view.units
        )
        return Sight(ground=here and place not in eyes.dead_ground, burst=here, known_enemy=known)
