"""Observers: who may direct the fire (C1.6, C1.63) and what of the map is in his LOS.

LOS is a fact of the engagement: ground and bursts in sight; or bursts alone over the target, whose hexes then
lie in dead ground while the ground around them is seen. A scenario file declares it hex by hex or has it computed
(``_sight``), before play and once. Nothing is seen off the map.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import attrs

from fireplan_asl._places import (
    GROUND,
    NO_SMOKE,
    NONE,
    WP,
    hexes_between,
    in_prep_fire,
    on_map,
    pieces_between,
    two_sided,
    weather_at,
)
from fireplan_asl._sight import Line
from fireplan_core import Effects, Observers, Place, Sight, Stage, Staging, View, emit, record, step, update
from fireplan_core.chance import Chance

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
    """SMOKE on the map: each counter by its hex and Hindrance, and whether it is Dispersed.

    ``cells`` is that of the first battery's side, ``theirs`` that of the others: each side's changes in its own time.
    """

    cells: tuple[tuple[Place, int, bool], ...] = ()
    theirs: tuple[tuple[Place, int, bool], ...] = ()


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
        hidden = eyes.dead_ground | eyes.blind
        known = eyes.identified and any(
            hexes_between(frame, place, view.place_of(unit)) <= 1 and self._known(view, mission, unit, smoke=smoke)
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

    def sees_location(self, view: View, mission: str, place: Place, *, smoke: bool = True) -> bool:
        """LOS to any Location of a hex that is not Aerial, its Base Level or one upstairs (C1.3)."""
        sight, eyes = self._sees(view, mission, place, smoke=smoke), view.facts(mission, Eyes)
        return sight.ground or (place in eyes.upstairs and sight.hindrance < self.number("blocking_hindrance"))

    def known_places(self, view: View, mission: str) -> tuple[Place, ...]:
        """Where Known enemies are now."""
        if not view.facts(mission, Eyes).identified:
            return ()
        known = (unit for unit in view.units if self._known(view, mission, unit, smoke=True))
        return tuple(dict.fromkeys(view.place_of(unit) for unit in known))

    def _known(self, view: View, mission: str, unit: str, *, smoke: bool) -> bool:
        """Whether a unit is an enemy that is not concealed from this Observer and stands in his LOS."""
        eyes = view.facts(mission, Eyes)
        place = view.place_of(unit)
        return (
            view.unit_side(unit) not in (view.side(mission), GROUND)
            and (unit not in eyes.unknown or self.shown(view, unit))
            and self.present(view, unit)
            and ((place not in eyes.dead_ground and place not in eyes.blind) or self._upstairs(eyes, unit, place))
            and (
                eyes.place is None
                or self._hindrance(view, eyes, place, smoke=smoke) < self.number("blocking_hindrance")
            )
        )

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
    def changed(self, chance: Chance, view: View, unit: str, gone: bool) -> Effects:  # noqa: ARG002, FBT001
        """A unit is gone, or has been revealed."""
        return Effects(update(view.unit(unit, Report), gone=True) if gone else update(view.unit(unit, Report), shown=True))

    @staticmethod
    def _tall(view: View, mission: str, eyes: Eyes, place: Place) -> bool:
        """Whether a WP FFE rises into sight where other bursts do not (C1.32)."""
        if place in eyes.blind_above or view.mission(mission).stage not in (Stage.FALLING, Stage.LINGERING):
            return False
        areas = view.scenario.parts.areas
        return areas.covers(view.seen_by("areas"), mission, place, Fraction(0)) == WP

    def _hindrance(self, view: View, eyes: Eyes, place: Place, *, smoke: bool) -> int:
        """All Hindrances along the LOS (C1.62): declared ones between, SMOKE, and FFE that it touches (C1.57)."""
        pieces = pieces_between(view.frame, eyes.place, place)
        passed = tuple(cell for piece in pieces for cell in piece)
        line = eyes.lines.get(place)
        hindering = {cell: drm for cell, drm in eyes.hindrances if cell not in (eyes.place, place)}
        # Along a hexside one of its two hexes counts, and not both.
        total = sum(max(hindering.get(cell, 0) for cell in piece) for piece in pieces) if hindering else 0
        clouds = self._clouds(view, line) if smoke else {}
        if clouds:
            total += sum(min(max(clouds.get(cell, 0) for cell in piece), MOST_SMOKE) for piece in pieces)
            # Out of SMOKE one more.
            total += int(eyes.place in clouds)
        if line is not None:
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
                total += 1 if strength == 1 or (drm > 1 and _rains(view, eyes)) else drm
        return total

    # --- SMOKE -----------------------------------------------------------------------------------
    def _clouds(self, view: View, line: Line | None) -> dict[Place, int]:
        """The Hindrance of SMOKE by hex; smoke rises two levels as a FFE does, and WP four (A24)."""
        clouds, most = view.shared(Clouds), self.number("smoke_hindrance")
        found: dict[Place, int] = {}
        for cell, strength, dispersed in (*clouds.cells, *(clouds.theirs if two_sided(view) else ())):
            if line is None or cell in (line.low if strength + dispersed >= most else line.middling):
                found[cell] = found.get(cell, 0) + strength
        return found

    @step(cite="C1.71, C1.32")
    def smoke(self, chance: Chance, view: View, mission: str, cells: tuple[Place, ...], phosphorus: bool) -> Effects:  # noqa: ARG002, FBT001
        """A counter in each hex: full in the PFPh, Dispersed in the DFPh; none where it may not be placed."""
        eyes = view.facts(mission, Eyes)
        barred = eyes.no_smoke
        if eyes.weather and weather_at(eyes.weather, view.moment()) in NO_SMOKE:
            return Effects(emit("smoke", "C1.71", mission=mission, at=(), strength=0))
        late = not in_prep_fire(view, mission)
        strength = self.number("wp_hindrance" if phosphorus else "smoke_hindrance") - late
        shared = view.shared(Clouds)
        mine = "cells" if view.side(mission) == view.scenario.firer else "theirs"
        placed = tuple(cell for cell in cells if cell not in barred)
        lying = (*getattr(shared, mine), *((cell, strength, late) for cell in placed))
        return Effects(
            update(shared, **{mine: tuple(sorted(lying))}),
            emit("smoke", "C1.71", mission=mission, at=placed, strength=strength),
        )

    @step(cite="C1.71")
    def clears(self, chance: Chance, view: View, mission: str) -> Effects:  # noqa: ARG002 - no dice here
        """Before the owner's next PFPh full counters become Dispersed and Dispersed ones leave."""
        clouds = view.shared(Clouds)
        lying = {"cells": clouds.cells} | ({"theirs": clouds.theirs} if two_sided(view) else {})
        changes = view.facts(mission, Eyes).weather
        odd = view.moment() % 2 == 1 if any(lying.values()) else False
        turning = [name for name, cells in lying.items() if cells and odd is (name == "cells")]
        if not any(lying.values()) or not (changes or turning):
            return Effects()
        coming = dict(changes).get(view.moment() + 1, "")
        kept = {name: _dispersed(cells) if name in turning else cells for name, cells in lying.items()}
        if coming in NO_SMOKE:
            kept = dict.fromkeys(kept, ())
        elif coming == "gusts":
            # Gusts do the same once more (C1.71).
            kept = {name: _dispersed(cells) for name, cells in kept.items()}
        told = [emit("smoke_clears", "C1.71", mission=mission, by=coming)] if coming and coming != "clear" else []
        return Effects(update(clouds, **kept), *told) if turning or told else Effects()


def _dispersed(cells: tuple[tuple[Place, int, bool], ...]) -> tuple[tuple[Place, int, bool], ...]:
    """Full counters flipped, Dispersed ones gone."""
    return tuple((cell, strength - 1, True) for cell, strength, dispersed in cells if not dispersed)


def _rains(view: View, eyes: Eyes) -> bool:
    """Whether rain has come up in play (E12.75)."""
    return bool(eyes.weather) and weather_at(eyes.weather, view.moment()) == "rain"
