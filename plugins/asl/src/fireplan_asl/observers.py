"""Observers: who may direct the fire (C1.6, C1.63) and what of the map is in his LOS.

LOS is a fact of the engagement: ground and bursts in sight; or bursts alone over the target, whose hexes then
lie in dead ground while the ground around them is seen. Nothing is seen off the map.
"""

from __future__ import annotations

from fractions import Fraction

import attrs

from fireplan.chance import Chance
from fireplan.mission import Observers, Place, Sight, Stage, Staging, Then, View, put, record, step, tell
from fireplan_asl._places import GROUND, WP, between, hexes_between, on_map

FULL_SMOKE, WP_SMOKE = 3, 2
MOST_SMOKE = 3
BLOCKED = 6
HARASSED = Fraction(1, 3)
"""Fire no stronger than this (Harassing Fire, SMOKE) is no Hindrance (C1.57)."""


@attrs.frozen
class Eyes:
    """What decides the LOS of one Observer: hexes whose ground he cannot see, and whether he knows the enemy.

    A scenario may say more: the ``place`` he looks from, hexes of which he does not even see the Blast Height
    (``blind``), Hindrances by hex, units that are not Known to him, and the Hindrance of each battery's FFE.
    SMOKE is not placed in ``no_smoke``; not even the four levels of WP are seen in ``blind_above``.
    """

    dead_ground: frozenset[Place]
    identified: bool
    place: Place = None
    blind: frozenset[Place] = frozenset()
    hindrances: tuple[tuple[Place, int], ...] = ()
    unknown: frozenset[str] = frozenset()
    bursts: tuple[tuple[str, int], ...] = ()
    no_smoke: frozenset[Place] = frozenset()
    blind_above: frozenset[Place] = frozenset()


@record
class Clouds:
    """SMOKE on the map: each hex with its Hindrance, and whether the counter is Dispersed."""

    cells: tuple[tuple[Place, int, bool], ...] = ()


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
        hidden = eyes.dead_ground | eyes.blind
        known = eyes.identified and any(
            view.unit_side(unit) not in (side, GROUND)
            and unit not in eyes.unknown
            and view.place_of(unit) not in hidden
            and hexes_between(frame, place, view.place_of(unit)) <= 1
            for unit in view.units
        )
        hindrance = 0 if eyes.place is None else self._hindrance(view, eyes, place)
        # A total of six blocks the LOS (B.10).
        clear = here and hindrance < BLOCKED
        return Sight(
            ground=clear and place not in hidden,
            burst=here and (place not in eyes.blind or self._tall(view, mission, eyes, place)),
            hindrance=hindrance,
            known_enemy=known,
        )

    @staticmethod
    def _tall(view: View, mission: str, eyes: Eyes, place: Place) -> bool:
        """Whether a WP FFE rises into sight where other bursts do not (C1.32)."""
        if place in eyes.blind_above or view.mission(mission).stage not in (Stage.FALLING, Stage.LINGERING):
            return False
        areas = view.scenario.parts.areas
        return areas.covers(view.seen_by("areas"), mission, place, Fraction(0)) == WP

    @staticmethod
    def _hindrance(view: View, eyes: Eyes, place: Place) -> int:
        """All Hindrances along the LOS (C1.62): declared ones, SMOKE, and FFE that it touches (C1.57)."""
        passed = between(view.frame, eyes.place, place)
        declared = dict(eyes.hindrances)
        total = sum(declared.get(cell, 0) for cell in passed if cell != eyes.place)
        clouds = {cell: strength for cell, strength, _ in view.shared(Clouds).cells}
        if clouds:
            total += sum(min(clouds.get(cell, 0), MOST_SMOKE) for cell in passed)
            # Out of SMOKE one more.
            total += int(eyes.place in clouds)
        areas, seen_by = view.scenario.parts.areas, view.seen_by("areas")
        for mission, drm in eyes.bursts:
            if view.mission(mission).stage is Stage.FALLING and any(
                areas.covers(seen_by, mission, cell, Fraction(0)) > HARASSED for cell in passed
            ):
                total += drm
        return total

    # --- SMOKE -----------------------------------------------------------------------------------
    @step(cite="C1.71, C1.32")
    def smoke(self, chance: Chance, view: View, mission: str, cells: tuple[Place, ...], phosphorus: bool) -> Then:  # noqa: ARG002, FBT001
        """A counter in each hex: full in the PFPh, Dispersed in the DFPh; none where it may not be placed."""
        barred = view.facts(mission, Eyes).no_smoke
        late = bool(view.moment() % 2)
        strength = (WP_SMOKE if phosphorus else FULL_SMOKE) - late
        clouds = {cell: (there, dispersed) for cell, there, dispersed in view.shared(Clouds).cells}
        placed = tuple(cell for cell in cells if cell not in barred)
        for cell in placed:
            if strength >= clouds.get(cell, (0, True))[0]:
                clouds[cell] = strength, late
        return Then(
            put(view.shared(Clouds), cells=tuple(sorted((cell, *kept) for cell, kept in clouds.items()))),
            tell("smoke", "C1.71", mission=mission, at=placed, strength=strength),
        )

    @step(cite="C1.71")
    def clears(self, chance: Chance, view: View, mission: str) -> Then:  # noqa: ARG002 - no dice here
        """Before the owner's next PFPh full counters become Dispersed and Dispersed ones leave."""
        cells = view.shared(Clouds).cells
        if not cells or not view.moment() % 2:
            return Then()
        kept = tuple((cell, strength - 1, True) for cell, strength, dispersed in cells if not dispersed)
        return Then(put(view.shared(Clouds), cells=kept))
