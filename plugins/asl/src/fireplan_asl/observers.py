"""Observers: who may direct the fire (C1.6, C1.63) and what of the map is in his LOS.

LOS is a fact of the engagement: ground and bursts in sight; or bursts alone over the target, whose hexes then
lie in dead ground while the ground around them is seen. A scenario file declares it hex by hex or has it computed
(``_sight``), before play and once. Nothing is seen off the map.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import attrs

from fireplan.chance import Chance
from fireplan.mission import Observers, Place, Sight, Stage, Staging, Then, View, put, record, step, tell
from fireplan_asl._places import GROUND, NO_SMOKE, NONE, WP, between, hexes_between, on_map, weather_at
from fireplan_asl._sight import Line

MOST_SMOKE = 3
HARASSED = Fraction(1, 3)
"""Fire no stronger than this (Harassing Fire, SMOKE) is no Hindrance (C1.57)."""


@attrs.frozen
class Eyes:
    """What decides the LOS of one Observer: hexes whose ground he cannot see, and whether he knows the enemy.

    A scenario may say more: the ``place`` he looks from, hexes of which he does not even see the Blast Height
    (``blind``), Hindrances by hex, units that are not Known to him, and the Hindrance of each battery's FFE.
    SMOKE is not placed in ``no_smoke``; not even the four levels of WP are seen in ``blind_above``. ``weather`` is
    what comes up when.

    Where LOS is computed, the hexes above are those that it makes, ``lines`` is the LOS to every hex of the map,
    ``upstairs`` are hexes of which a Location above the ground is seen though the ground is not, and ``heights`` are
    the levels of units above theirs.
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
    weather: tuple[tuple[int, str], ...] = ()
    lines: Mapping[Place, Line] = attrs.field(factory=dict, hash=False)
    upstairs: frozenset[Place] = frozenset()
    heights: Mapping[str, int] = attrs.field(factory=dict, hash=False)


@record
class Clouds:
    """SMOKE on the map: each hex with its Hindrance, and whether the counter is Dispersed."""

    cells: tuple[tuple[Place, int, bool], ...] = ()


@record
class Report:
    """What has become of a unit in the Observer's eyes: gone, or shown to all (option ``known_enemies``)."""

    gone: bool = False
    shown: bool = False


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
        return self._sees(view, mission, place, smoke=True)

    def sees_past_smoke(self, view: View, mission: str, place: Place) -> Sight:
        """The same, SMOKE disregarded, as a FFE on the map is seen (C1.334, C1.335)."""
        return self._sees(view, mission, place, smoke=False)

    def _sees(self, view: View, mission: str, place: Place, *, smoke: bool) -> Sight:
        eyes = view.facts(mission, Eyes)
        frame = view.frame
        here = on_map(frame, place)
        side = view.side(mission)
        hidden = eyes.dead_ground | eyes.blind
        known = eyes.identified and any(
            view.unit_side(unit) not in (side, GROUND)
            and (unit not in eyes.unknown or self.shown(view, unit))
            and self.present(view, unit)
            and (view.place_of(unit) not in hidden or self._upstairs(eyes, unit, view.place_of(unit)))
            and hexes_between(frame, place, view.place_of(unit)) <= 1
            for unit in view.units
        )
        hindrance = 0 if eyes.place is None else self._hindrance(view, eyes, place, smoke=smoke)
        # A total of six blocks the LOS (B.10).
        clear = here and hindrance < self.number("blocking_hindrance")
        return Sight(
            ground=clear and place not in hidden,
            burst=here and (place not in eyes.blind or self._tall(view, mission, eyes, place)),
            hindrance=hindrance,
            known_enemy=known,
        )

    def sees_location(self, view: View, mission: str, place: Place) -> bool:
        """LOS to any Location of a hex that is not Aerial, its Base Level or one upstairs (C1.3)."""
        sight, eyes = self.sees(view, mission, place), view.facts(mission, Eyes)
        return sight.ground or (place in eyes.upstairs and sight.hindrance < self.number("blocking_hindrance"))

    @staticmethod
    def _upstairs(eyes: Eyes, unit: str, place: Place) -> bool:
        """Whether a unit is high enough above ground that is not seen."""
        line = eyes.lines.get(place)
        return line is not None and eyes.heights.get(unit, 0) >= line.lowest

    def present(self, view: View, unit: str) -> bool:
        """Whether a unit is still there, as far as the game keeps account of it."""
        return self.options["known_enemies"] == "as declared" or not view.unit(unit, Report).gone

    def shown(self, view: View, unit: str) -> bool:
        """Whether a hidden or concealed unit has been revealed."""
        return self.options["known_enemies"] == "as they stand" and bool(view.unit(unit, Report).shown)

    @step(cite="C1.21, C1.82")
    def changed(self, chance: Chance, view: View, unit: str, gone: bool) -> Then:  # noqa: ARG002, FBT001
        """A unit is gone, or has been revealed."""
        return Then(put(view.unit(unit, Report), gone=True) if gone else put(view.unit(unit, Report), shown=True))

    @staticmethod
    def _tall(view: View, mission: str, eyes: Eyes, place: Place) -> bool:
        """Whether a WP FFE rises into sight where other bursts do not (C1.32)."""
        if place in eyes.blind_above or view.mission(mission).stage not in (Stage.FALLING, Stage.LINGERING):
            return False
        areas = view.scenario.parts.areas
        return areas.covers(view.seen_by("areas"), mission, place, Fraction(0)) == WP

    @staticmethod
    def _hindrance(view: View, eyes: Eyes, place: Place, *, smoke: bool) -> int:
        """All Hindrances along the LOS (C1.62): declared ones between, SMOKE, and FFE that it touches (C1.57)."""
        passed = between(view.frame, eyes.place, place)
        declared = dict(eyes.hindrances)
        total = sum(declared.get(cell, 0) for cell in passed if cell not in (eyes.place, place))
        clouds = {cell: strength for cell, strength, _ in view.shared(Clouds).cells} if smoke else {}
        if clouds:
            total += sum(min(clouds.get(cell, 0), MOST_SMOKE) for cell in passed)
            # Out of SMOKE one more.
            total += int(eyes.place in clouds)
        if line := eyes.lines.get(place):
            total += line.hindrance
            # A FFE Hinders two levels up (C1.57).
            passed = tuple(cell for cell in passed if cell in line.low)
        areas, seen_by = view.scenario.parts.areas, view.seen_by("areas")
        for mission, drm in eyes.bursts:
            # FFE:C is a FFE as well.
            if view.mission(mission).stage not in (Stage.FALLING, Stage.LINGERING):
                continue
            covered = (areas.covers(seen_by, mission, cell, NONE) for cell in passed)
            strength = max(filter(None, covered), default=NONE)
            if strength > HARASSED:
                # At full strength it is no Barrage, though the battery may have fired a Creeping one (E12.75).
                total += 1 if strength == 1 else drm
        return total

    # --- SMOKE -----------------------------------------------------------------------------------
    @step(cite="C1.71, C1.32")
    def smoke(self, chance: Chance, view: View, mission: str, cells: tuple[Place, ...], phosphorus: bool) -> Then:  # noqa: ARG002, FBT001
        """A counter in each hex: full in the PFPh, Dispersed in the DFPh; none where it may not be placed."""
        eyes = view.facts(mission, Eyes)
        barred = eyes.no_smoke
        if eyes.weather and weather_at(eyes.weather, view.moment()) in NO_SMOKE:
            return Then(tell("smoke", "C1.71", mission=mission, at=(), strength=0))
        late = bool(view.moment() % 2)
        strength = self.number("wp_hindrance" if phosphorus else "smoke_hindrance") - late
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
        changes = view.facts(mission, Eyes).weather
        if not cells or not (changes or view.moment() % 2):
            return Then()
        late, coming = bool(view.moment() % 2), dict(changes).get(view.moment() + 1, "")
        if coming in NO_SMOKE:
            return self._blown(view, mission, (), coming)
        kept = _dispersed(cells) if late else cells
        if coming == "gusts":
            # Gusts do the same once more (C1.71).
            return self._blown(view, mission, _dispersed(kept), coming)
        return Then(put(view.shared(Clouds), cells=kept)) if late else Then()

    @staticmethod
    def _blown(view: View, mission: str, kept: tuple[tuple[Place, int, bool], ...], by: str) -> Then:
        return Then(put(view.shared(Clouds), cells=kept), tell("smoke_clears", "C1.71", mission=mission, by=by))


def _dispersed(cells: tuple[tuple[Place, int, bool], ...]) -> tuple[tuple[Place, int, bool], ...]:
    """Full counters flipped, Dispersed ones gone."""
    return tuple((cell, strength - 1, True) for cell, strength, dispersed in cells if not dispersed)
