"""Observers: the units that may direct fire (C1.6, C1.63) and the hexes in their LOS.

An engagement states the LOS: either the Observer sees both the ground and bursts everywhere, or the
target's hexes are dead ground, over which he sees only bursts. A scenario file may declare LOS hex
by hex, and the declaration overrides the levels. LOS to all other hexes is computed once before
play (``sight``) if any hex of the file has a level, an obstacle, a Hindrance or an upper Location,
or an Observer has a level. Otherwise every hex not declared is seen. Nothing is seen off the map.
"""

from collections.abc import Callable, Collection, Mapping
from fractions import Fraction
from itertools import chain

import attrs

from fireplan_asl.ground import MapState, weather_now
from fireplan_asl.missions import FFE, two_sided
from fireplan_asl.places import GROUND, hexes_between, pieces_between
from fireplan_asl.scenario import AslScenario
from fireplan_asl.scenario_battery import DECLARED, BatteryEntry
from fireplan_asl.scenario_units import LABELS
from fireplan_asl.setup import Staged
from fireplan_asl.sight import HIGHEST, PLAIN, Haze, LineOfSight, lines_from
from fireplan_asl.standing import WEAPONS, is_gone
from fireplan_asl.units import PersonnelState
from fireplan_core import Event, FireKind, Observers, Place, Setup, Sight, Staging, View, query


@attrs.frozen
class ObserverSight:
    """The LOS of one Observer: the dead ground, and whether the enemy is identified.

    A scenario may add the Observer's ``place``, hexes whose Blast Height is not in LOS (``blind``)
    or not even that of WP (``blind_above``), Hindrances by hex, units that are not Known, units set
    up ``hidden``, and the Hindrance of each battery's FFE (``bursts``). Units that are ``apart``
    are not ground units: aircraft and, unless an option counts them, unmanned weapons (C1.21,
    C1.333).

    Where LOS is computed, four more fields come from it. ``height`` is the Observer's level,
    ``lines`` is the LOS to every hex of the map, ``upstairs`` are hexes with only an upper Location
    in LOS, and ``heights`` are the levels of units above the ground of their hex.
    """

    dead_ground: frozenset[Place]
    identified: bool
    place: Place = None
    blind: frozenset[Place] = frozenset()
    hindrances: tuple[tuple[Place, int], ...] = ()
    unknown: frozenset[str] = frozenset()
    hidden: frozenset[str] = frozenset()
    apart: frozenset[str] = frozenset()
    bursts: tuple[tuple[str, int], ...] = ()
    blind_above: frozenset[Place] = frozenset()
    lines: Mapping[Place, LineOfSight] = attrs.field(factory=dict, hash=False)
    upstairs: frozenset[Place] = frozenset()
    heights: Mapping[str, int] = attrs.field(factory=dict, hash=False)
    height: int | None = None

    def blocked(self, place: Place) -> bool:
        """Return whether the ground of a hex is out of LOS."""
        return place in self.dead_ground or place in self.blind


def observer_sight(
    form: AslScenario,
    battery: BatteryEntry,
    number: Callable[[str], int],
    *,
    both: bool,
    apart: Collection[str],
) -> ObserverSight:
    """Return the LOS of a battery's Observer, computed if the scenario has levels.

    ``both`` means that terrain along a hexside counts only if it is in both hexes. Units of the
    kinds ``apart`` are not ground units.
    """
    # Some units stay concealed even in LOS; at night all concealed units do.
    lasting = (
        unit.id
        for unit in form.unit
        if unit.concealed and (form.night or unit.concealment_terrain or unit.winter_camouflage)
    )
    declared = ObserverSight(
        dead_ground=frozenset(battery.no_ground),
        identified=True,
        place=battery.observer,
        blind=frozenset(battery.no_burst),
        hindrances=battery.hindrances,
        unknown=form.hidden | frozenset(lasting),
        hidden=form.hidden,
        apart=frozenset(unit.id for unit in form.unit if unit.kind in apart),
        bursts=() if battery.overlooks else _bursts(form, number),
        blind_above=frozenset(battery.no_tall_burst),
    )
    return (
        _computed(form, battery, declared, number, both=both) if form.computes_sight else declared
    )


def _bursts(form: AslScenario, number: Callable[[str], int]) -> tuple[tuple[str, int], ...]:
    """Return (battery, FFE Hindrance) for each battery heavy enough to Hinder LOS (C1.57, E12.75).

    A Creeping Barrage has its dry-weather Hindrance unless the weather stays wet throughout.
    """
    wet = form.weather == "deep_snow" or (form.weather == "rain" and not form.weather_change)
    usual, creeping = number("ffe_hindrance"), number("creeping_hindrance")
    return tuple(
        (battery.id, creeping if battery.creeping and not wet else usual)
        for battery in form.battery
        if battery.calibre >= number("hindering_mm")
    )


def _computed(
    form: AslScenario,
    battery: BatteryEntry,
    eyes: ObserverSight,
    number: Callable[[str], int],
    *,
    both: bool,
) -> ObserverSight:
    """Return ``eyes`` with the LOS computed to every hex for which none is declared.

    ``both`` means that terrain along a hexside counts only if it is in both hexes.
    """
    plots = {hex_.hex: hex_.plot for hex_ in form.hex}
    # The drm of declared Hindrances is added when the Hindrances are summed.
    plots |= {
        cell: attrs.evolve(plots.get(cell, PLAIN), hindrance=0) for cell, _ in eyes.hindrances
    }
    height = battery.observer_level
    if height is None:
        # The leader's level is above the ground of the hex (C1.63).
        above = (unit.level for unit in form.unit if unit.id == battery.leader)
        height = plots.get(eyes.place, PLAIN).level + next(above, 0)
    burst, tall = number("burst_levels"), number("wp_burst_levels")
    levels = number("ffe_hindrance_levels"), number("wp_hindrance_levels")
    seen = lines_from(
        eyes.place,
        height,
        form.layout.hexes(),
        plots,
        levels=levels,
        both=both,
        bursts=(burst, tall),
    )
    lines = {
        cell: attrs.evolve(line, lowest=_lowest(battery, cell, line.lowest, burst, tall))
        for cell, line in seen.items()
    }
    unseen = {cell: line.lowest for cell, line in lines.items() if line.lowest > 0}
    return attrs.evolve(
        eyes,
        dead_ground=frozenset(unseen),
        blind=frozenset(cell for cell, lowest in unseen.items() if lowest > burst),
        blind_above=frozenset(cell for cell, lowest in unseen.items() if lowest > tall),
        lines=lines,
        upstairs=frozenset(
            cell for cell, lowest in unseen.items() if lowest <= plots.get(cell, PLAIN).upstairs
        ),
        heights={unit.id: unit.level for unit in form.unit if unit.level},
        height=height,
    )


def _lowest(battery: BatteryEntry, cell: Place, computed: int, burst: int, tall: int) -> int:
    """Return the lowest visible level of a hex above its ground, with declarations applied.

    ``computed`` is that level without declarations. ``burst`` and ``tall`` are the Blast Heights,
    in levels, of an SR or FFE and of a WP FFE.
    """
    unseen = (
        (1, battery.no_ground),
        (burst + 1, battery.no_burst),
        (tall + 1, battery.no_tall_burst),
    )
    least = max(computed, *(level for level, cells in unseen if cell in cells), 0)
    if cell in battery.ground_seen:
        return 0
    return min(least, burst) if cell in battery.burst_seen else least


def note_sight(form: AslScenario, battery: BatteryEntry, staging: Staging) -> None:
    """Add notes to the staging: how LOS is computed, if it is, and the effect of night."""
    if form.night:
        staging.note(
            "night: no concealed unit is Known (C1.6); how far Observers see (E1) must be declared"
        )
    if not form.computes_sight:
        return
    staging.note(
        "LOS: computed by straight lines over levels, obstacles and Hindrances (derived, not chapter A6)"
    )
    declared = [
        *(place for key in DECLARED for place in getattr(battery, key)),
        *dict(battery.hindrances),
    ]
    if declared:
        labels = dict.fromkeys(map(LABELS.label, declared))
        staging.note(f"LOS of {battery.id}: declared for {', '.join(labels)}, computed elsewhere")


Pieces = tuple[tuple[Place, ...], ...]
SHOWING = ("revealed", "suffered")
"""Kinds of event that reveal a hidden unit to both sides."""


class AslObservers(Staged, Observers):
    """The observers part: a leader with a radio or field phone, or an Offboard Observer."""

    def stage(self, staging: Staging) -> None:
        """Stage the LOS of each Observer.

        Engagements at night, without an Observer or any LOS, or with an aerial one are refused.
        """
        observer = staging.engagement.observer
        if observer.kind == "none":
            staging.cannot("C1.6: OBA needs an Observer")
        if observer.kind == "aircraft":
            staging.cannot(
                "C1.63: an aerial observer needs the Sighting rules of chapter E7, which are not included"
            )
        if observer.sight == "none":
            staging.cannot("C1.3: the Observer has no LOS near the target, so he can place no AR")
        if staging.engagement.situation.night:
            staging.cannot(
                "C1.62: only a scenario file can declare how far Observers see at night (chapter E1)"
            )
        unseen = observer.sight != "clear"
        if unseen:
            staging.note("LOS: the target's hexes are dead ground; all others are in LOS")
        dead = frozenset(staging.target_places()) if unseen else frozenset[Place]()
        for mission in staging.assets:
            staging.mission(
                mission, self.word, facts=ObserverSight(dead, staging.engagement.target.identified)
            )

    def set_up_battery(self, form: AslScenario, battery: BatteryEntry, staging: Staging) -> None:
        """Stage the LOS of a battery's Observer."""
        note_sight(form, battery, staging)
        apart = ("aircraft", *(WEAPONS if self.options["unmanned_weapons"] == "no units" else ()))
        both = self.options["along_a_hexside"] == "both"
        eyes = observer_sight(form, battery, self.number, both=both, apart=apart)
        staging.mission(battery.id, self.word, facts=eyes)

    # --- hidden and Known units ------------------------------------------------------------------
    def hides(self, scenario: Setup, name: str, side: str) -> bool:
        """Return whether a unit was set up hidden and is therefore unknown to the other side."""
        facts = (setup.facts.get(self.word) for setup in scenario.missions.values())
        return any(isinstance(eyes, ObserverSight) and name in eyes.hidden for eyes in facts)

    def shows(self, scenario: Setup, event: Event, side: str) -> Event | None:
        """Return an event as a side sees it, or None if the event is hidden.

        A loss or reveal shows hidden units (C1.82, C1.5).
        """
        return event if event.kind in SHOWING else super().shows(scenario, event, side)

    def enemies(self, view: View, mission: str, *, known: bool = False) -> tuple[str, ...]:
        """Return the names of the enemy units in play that are not hidden.

        With ``known``, return the names of the Known ones.
        """
        eyes = view.facts(mission, ObserverSight)
        if not known:
            return tuple(
                unit for unit in view.units if self._in_play(view, mission, unit, eyes.hidden)
            )
        return tuple(
            unit
            for unit in view.units
            if eyes.identified and self._known(view, mission, unit, smoke=True)
        )

    def _in_play(self, view: View, mission: str, unit: str, unseen: frozenset[str]) -> bool:
        """Return whether a unit is an enemy ground unit that is still in play and not ``unseen``.

        Under the option ``known_enemies`` "as they stand", eliminated units are no longer in play,
        and revealed units count even if they are ``unseen``. Under "as declared", neither changes
        anything, so that a mission can be solved separately from its targets.
        """
        if (
            view.unit_side(unit) in (view.side(mission), GROUND)
            or unit in view.facts(mission, ObserverSight).apart
        ):
            return False
        declared = self.options["known_enemies"] == "as declared"
        if unit in unseen and (declared or not view.peek_unit(unit, PersonnelState).revealed):
            return False
        return declared or not is_gone(view, unit)

    def _known(self, view: View, mission: str, unit: str, *, smoke: bool) -> bool:
        """Return whether an enemy unit is Known: in this Observer's LOS and not concealed.

        SMOKE is ignored if ``smoke`` is false.
        """
        eyes = view.facts(mission, ObserverSight)
        if not self._in_play(view, mission, unit, eyes.unknown):
            return False
        place = view.place_of(unit)
        line = eyes.lines.get(place)
        upstairs = line is not None and eyes.heights.get(unit, 0) >= line.lowest
        in_sight = upstairs or not eyes.blocked(place)
        return in_sight and self._clear(view, eyes, place, smoke=smoke)

    # --- LOS -------------------------------------------------------------------------------------
    def sees(self, view: View, mission: str, place: Place) -> Sight:
        """Return the Observer's LOS to a hex, and whether a Known enemy is in or near it (C1.6)."""
        return self._sees(view, mission, place, smoke=True)

    @query(cite="C1.62, C1.63")
    def observer_level(self, view: View, mission: str) -> int | None:
        """Return the level from which the Observer sees, or None where LOS is declared."""
        return view.facts(mission, ObserverSight).height

    @query(cite="C1.32, C1.62")
    def lowest_seen(self, view: View, mission: str, place: Place) -> int | None:
        """Return the lowest level in LOS above the ground of a hex, 0 for the ground itself.

        Return None if no level of the hex is in LOS.
        """
        eyes = view.facts(mission, ObserverSight)
        line = eyes.lines.get(place)
        if line is not None:
            return line.lowest if line.lowest <= HIGHEST else None
        # The scenario declares in which hexes the ground, a burst or the top of WP is out of LOS.
        burst, tall = self.number("burst_levels"), self.number("wp_burst_levels")
        if place in eyes.blind_above:
            return None
        return tall if place in eyes.blind else burst if place in eyes.dead_ground else 0

    def sees_past_smoke(self, view: View, mission: str, place: Place) -> Sight:
        """Return the Observer's LOS to a hex as if there were no SMOKE (C1.334, C1.335)."""
        return self._sees(view, mission, place, smoke=False)

    def hindrance(self, view: View, mission: str, place: Place, *, between: bool = False) -> int:
        """Return the total Hindrance of the LOS to a hex (C1.62).

        If ``between`` is true, only SMOKE and FFEs between the hex and the Observer count, and
        SMOKE in his own hex.
        """
        eyes = view.facts(mission, ObserverSight)
        return self._hindrance(view, eyes, place, smoke=True, between=between)

    def partly(self, view: View, mission: str, place: Place) -> bool:
        """Return whether the ground of a hex or a Location above it is in LOS (C1.3, C1.6)."""
        eyes = view.facts(mission, ObserverSight)
        reached = not eyes.blocked(place) or place in eyes.upstairs
        return reached and view.frame.on_map(place) and self._clear(view, eyes, place, smoke=True)

    def burst(self, view: View, mission: str, place: Place, *, smoke: bool) -> bool:
        """Return whether the Blast Height of a hex is in LOS (C1.32).

        SMOKE is ignored if ``smoke`` is false.
        """
        if not view.frame.on_map(place):
            return False
        eyes = view.facts(mission, ObserverSight)
        clear = self._clear(view, eyes, place, smoke=smoke)
        return self._shows(view, mission, eyes, place, clear=clear, smoke=smoke)

    def _clear(self, view: View, eyes: ObserverSight, place: Place, *, smoke: bool) -> bool:
        """Return whether the Hindrance of the LOS to a hex is too low to block it (C1.62).

        SMOKE is ignored if ``smoke`` is false.
        """
        hindrance = self._hindrance(view, eyes, place, smoke=smoke)
        return hindrance < self.number("blocking_hindrance")

    def _sees(self, view: View, mission: str, place: Place, *, smoke: bool) -> Sight:
        eyes = view.facts(mission, ObserverSight)
        on_map = view.frame.on_map(place)
        hindrance = self._hindrance(view, eyes, place, smoke=smoke)
        known_enemy = eyes.identified and any(
            hexes_between(view.frame, place, view.place_of(unit)) <= 1
            and self._known(view, mission, unit, smoke=smoke)
            for unit in view.units
        )
        clear = on_map and hindrance < self.number("blocking_hindrance")
        obstructions = (
            (not on_map, "C1.3", "it is off the map"),
            (not clear, "C1.62", f"the Hindrances add up to {hindrance}"),
            (eyes.blocked(place), "C1.6", "there is no LOS to its ground"),
        )
        rule, why = next(((rule, why) for holds, rule, why in obstructions if holds), ("", ""))
        return Sight(
            ground=not rule,
            burst=on_map and self._shows(view, mission, eyes, place, clear=clear, smoke=smoke),
            hindrance=hindrance,
            known_enemy=known_enemy,
            upper=clear and place in eyes.upstairs,
            rule=rule,
            why=why,
        )

    def _shows(
        self,
        view: View,
        mission: str,
        eyes: ObserverSight,
        place: Place,
        *,
        clear: bool,
        smoke: bool,
    ) -> bool:
        """Return whether the Blast Height of a hex is in LOS.

        The Blast Height of a WP FFE may be in LOS where other bursts are not (C1.32). If Hindrances
        hide the hex itself (not ``clear``), those lower than the burst may leave it visible
        (C1.331).
        """

        def tall() -> bool:
            now = view.mission(mission)
            wp = place not in eyes.blind_above and now.stage in FFE and now.kind is FireKind.WP
            return wp and bool(view.covers(mission, place))

        def over(above: int) -> bool:
            own = mission if self.options["own_dust"] == "hides only others" else ""
            hindrance = self._hindrance(view, eyes, place, smoke=smoke, above=above, but=own)
            return hindrance < self.number("blocking_hindrance")

        if place in eyes.blind and not tall():
            return False
        if clear or (reading := self.options["burst_hindrance"]) == "never hidden":
            return True
        if reading == "as its hex":
            return over(0)
        return over(self.number("burst_levels")) or (
            over(self.number("wp_burst_levels")) and tall()
        )

    # --- Hindrances ------------------------------------------------------------------------------
    def _hindrance(
        self,
        view: View,
        eyes: ObserverSight,
        place: Place,
        *,
        smoke: bool,
        above: int = 0,
        but: str = "",
        between: bool = False,
    ) -> int:
        """Return the total Hindrance of the LOS to a hex (C1.62), including SMOKE and FFE (C1.57).

        The FFE of the battery ``but`` is left out. If ``above`` is positive, the LOS is to a burst
        that many levels above the hex, and only Hindrances that reach that height count; declared
        ones do not. If ``between`` is true, FFEs at both ends and SMOKE in the hex itself do not
        count.
        """
        if eyes.place is None:
            return 0
        pieces = pieces_between(view.frame, eyes.place, place)
        line = eyes.lines.get(place)
        haze = line.bursts[above] if line and above else line
        declared = 0 if above else _declared(eyes, place, pieces)
        computed = 0 if haze is None else haze.hindrance
        # The first piece is the Observer's hex, the last one the hex itself.
        hazy, dusty = (pieces[:-1] or pieces, pieces[1:-1]) if between else (pieces, pieces)
        clouds = self._smoke(view, eyes, hazy, haze, above) if smoke else 0
        return declared + computed + clouds + self._bursts(view, eyes, dusty, haze, above, but)

    def _reaches(self, haze: Haze | None, cell: Place, above: int, *, wp: bool) -> bool:
        """Return whether the LOS passes a hex low enough for an FFE or WP in it to Hinder it.

        Without computed LOS (``haze`` is None), the LOS is ``above`` levels high everywhere.
        """
        if haze is None:
            return self.number("wp_hindrance_levels" if wp else "ffe_hindrance_levels") >= above
        return cell in (haze.middling if wp else haze.low)

    def _smoke(
        self, view: View, eyes: ObserverSight, pieces: Pieces, haze: Haze | None, above: int
    ) -> int:
        """Return the total Hindrance of SMOKE along an LOS (A24).

        It is one more for an Observer in SMOKE. Smoke is as high as an FFE; WP is higher.
        """
        ground = view.peek_shared(MapState)
        clouds: dict[Place, int] = {}
        for cell, strength, _, kind in (*ground.cells, *(ground.theirs if two_sided(view) else ())):
            if self._reaches(haze, cell, above, wp=kind is FireKind.WP):
                clouds[cell] = clouds.get(cell, 0) + strength
        if not clouds:
            return 0
        most = self.number("most_smoke_hindrance")
        passed = sum(min(max(clouds.get(cell, 0) for cell in piece), most) for piece in pieces)
        # An LOS traced out of SMOKE is Hindered by one more.
        return passed + int(eyes.place in clouds)

    def _bursts(
        self,
        view: View,
        eyes: ObserverSight,
        pieces: Pieces,
        haze: Haze | None,
        above: int,
        but: str,
    ) -> int:
        """Return the total Hindrance of HE FFEs, FFE:C included, along the LOS (C1.57).

        The FFE of the mission ``but`` is left out. If ``above`` is positive, the LOS is to a burst
        that many levels above the hex. ``haze`` is the computed LOS, or None if LOS is declared.
        """
        total = 0
        for mission, drm in eyes.bursts:
            now = view.mission(mission)
            if mission == but or now.stage not in FFE or now.kind is not FireKind.HE:
                continue
            # Only the FFE of a Concentration is a Hindrance, so Harassing Fire is not (C1.57).
            weak = Fraction(1, self.number("harassing_divisor"))
            strength = Fraction(0)
            for cell in chain.from_iterable(pieces):
                if self._reaches(haze, cell, above, wp=False):
                    strength = max(strength, view.covers(mission, cell))
                    if strength == 1:
                        break
            if strength > weak:
                # At full strength the fire is a Concentration, which a battery may fire after its
                # Creeping Barrage; the higher Hindrance then does not apply (E12.75).
                single = strength == 1 or (
                    drm > 1 and weather_now(view, view.peek_shared(MapState)) == "rain"
                )
                total += 1 if single else drm
        return total


def _declared(eyes: ObserverSight, place: Place, pieces: Pieces) -> int:
    """Return the sum of the declared Hindrances between the ends of an LOS."""
    crossed = {cell for piece in pieces for cell in piece} - {eyes.place, place}
    hindering = {cell: drm for cell, drm in eyes.hindrances if cell in crossed}
    # If the LOS runs along a hexside, only the greater Hindrance of its two hexes counts.
    return sum(max(hindering.get(cell, 0) for cell in piece) for piece in pieces if hindering)
