"""Observers: who may direct the fire (C1.6, C1.63) and what of the map is in his LOS.

LOS is a fact of the engagement: ground and bursts in sight; or bursts alone over the target, whose
hexes then lie in dead ground while the ground around them is seen. A scenario file declares it,
which is the referee's word and stands whatever the levels say; every other hex is computed before
play and once (``_sight``), as soon as one hex of the file has a level, an obstacle, a Hindrance or
Locations upstairs, or an Observer has a level. Where none has, all that is not declared is seen.
Nothing is seen off the map.
"""

from collections.abc import Callable, Collection, Mapping
from fractions import Fraction

import attrs

from fireplan_asl.ground import Ground, weather_now
from fireplan_asl.missions import FFE, two_sided
from fireplan_asl.places import GROUND, hexes_between, pieces_between
from fireplan_asl.scenario import AslScenario
from fireplan_asl.scenario_battery import DECLARED, Battery
from fireplan_asl.scenario_units import LABELS
from fireplan_asl.setup import Staged
from fireplan_asl.sight import PLAIN, Haze, LineOfSight, lines_from
from fireplan_asl.standing import WEAPONS, condition
from fireplan_asl.units import Body
from fireplan_core import Event, FireKind, Observers, Place, Setup, Sight, Staging, View


@attrs.frozen
class Eyes:
    """Say what decides the LOS of one Observer: hexes whose ground he cannot see, and whether he knows the enemy.

    A scenario may say more: the ``place`` he looks from, hexes of which he does not even see the
    Blast Height (``blind``), Hindrances by hex, units that are not Known to him, and the Hindrance
    of each battery's FFE. Not even the four levels of WP are seen in ``blind_above``; ``hidden``
    are the units that nobody knows of, and those that are ``apart``, in the air or (where an option
    says so) weapons alone, are no ground units (C1.21, C1.333).

    Where LOS is computed, the hexes above are those that it makes, ``lines`` is the LOS to every
    hex of the map, ``upstairs`` are hexes of which a Location above the ground is seen though the
    ground is not, and ``heights`` are the levels of units above theirs.
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

    def blocked(self, place: Place) -> bool:
        """Return whether the ground of a hex is out of sight."""
        return place in self.dead_ground or place in self.blind


def observer_sight(
    form: AslScenario,
    battery: Battery,
    number: Callable[[str], int],
    *,
    both: bool,
    apart: Collection[str],
) -> Eyes:
    """Return the sight of a battery's Observer.

    ``both`` as for ``lines_from``, kinds ``apart`` are no ground units.
    """
    # Concealment that lasts though he sees the hex: all of it at night.
    lasting = (
        unit.id
        for unit in form.unit
        if unit.concealed and (form.night or unit.concealment_terrain or unit.winter_camouflage)
    )
    declared = Eyes(
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
    """Return the Hindrance of each battery's FFE.

    Of a Creeping Barrage as in dry weather, unless that cannot come.
    """
    wet = form.weather == "deep_snow" or (form.weather == "rain" and not form.weather_change)
    usual, creeping = number("ffe_hindrance"), number("creeping_hindrance")
    return tuple(
        (battery.id, creeping if battery.creeping and not wet else usual)
        for battery in form.battery
        if battery.calibre >= number("hindering_mm")
    )


def _computed(
    form: AslScenario, battery: Battery, eyes: Eyes, number: Callable[[str], int], *, both: bool
) -> Eyes:
    """Return the sight computed by straight lines, where nothing is declared."""
    plots = {hex_.hex: hex_.plot for hex_ in form.hex}
    # The drm of these is declared, and added by the Observer himself.
    plots |= {
        cell: attrs.evolve(plots.get(cell, PLAIN), hindrance=0) for cell, _ in eyes.hindrances
    }
    height = battery.observer_level
    if height is None:
        # His unit's level above the ground of his hex (C1.63).
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
    )


def _lowest(battery: Battery, cell: Place, computed: int, burst: int, tall: int) -> int:
    """Return the lowest level of a hex that is seen, after what is declared of it.

    The rest are Blast Heights.
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


def note_sight(form: AslScenario, battery: Battery, staging: Staging) -> None:
    """Say where LOS comes from, once any of it is computed, and that night is in what is declared."""
    if form.night:
        staging.note(
            "night: concealed units are Known to nobody (C1.6); how far is seen (E1) is as declared"
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
        staging.note(
            f"LOS of {battery.id}: as declared for {', '.join(labels)}, computed elsewhere"
        )


Pieces = tuple[tuple[Place, ...], ...]
SHOWING = ("revealed", "suffered")
"""Events that show a hidden unit to everybody."""


class AslObservers(Staged, Observers):
    """A leader with a radio or field phone, or an Offboard Observer."""

    def stage(self, staging: Staging) -> None:
        """Stage what each Observer sees.

        Without LOS to any hex no AR can be placed; aircraft and night are not staged.
        """
        observer = staging.engagement.observer
        if observer.kind == "none":
            staging.cannot("C1.6: off-board artillery needs an Observer")
        if observer.kind == "aircraft":
            staging.cannot(
                "C1.63: an aerial observer needs the Sighting rules of chapter E7, which are not staged"
            )
        if observer.sight == "none":
            staging.cannot("C1.3: the Observer sees no hex near the target, so no AR can be placed")
        if staging.engagement.situation.night:
            staging.cannot(
                "C1.62: how far is seen at night (chapter E1) is declared in a scenario file alone"
            )
        unseen = observer.sight != "clear"
        if unseen:
            staging.note("LOS: the hexes of the target lie in dead ground, all others are seen")
        dead = frozenset(staging.target_places()) if unseen else frozenset[Place]()
        for mission in staging.assets:
            staging.mission(
                mission, self.word, facts=Eyes(dead, staging.engagement.target.identified)
            )

    def set_up_battery(self, form: AslScenario, battery: Battery, staging: Staging) -> None:
        """Stage what the Observer of a battery sees."""
        note_sight(form, battery, staging)
        apart = ("aircraft", *(WEAPONS if self.options["unmanned_weapons"] == "no units" else ()))
        both = self.options["along_a_hexside"] == "both"
        eyes = observer_sight(form, battery, self.number, both=both, apart=apart)
        staging.mission(battery.id, self.word, facts=eyes)

    # --- who is hidden ---------------------------------------------------------------------------
    def hides(self, scenario: Setup, name: str, side: str) -> bool:
        """Return whether a unit was set up hidden: the other side is not told of it until something shows it."""
        every = (setup.facts.get(self.word) for setup in scenario.missions.values())
        return any(isinstance(eyes, Eyes) and name in eyes.hidden for eyes in every)

    def shows(self, scenario: Setup, event: Event, side: str) -> Event | None:
        """Return what a side learns: a hidden unit is shown by its reveal, and by fire that harms it (C1.82, C1.5)."""
        return event if event.kind in SHOWING else super().shows(scenario, event, side)

    def enemies(self, view: View, mission: str, *, known: bool = False) -> tuple[str, ...]:
        """Return the enemies that are there and not hidden, or those Known to this Observer."""
        eyes = view.facts(mission, Eyes)
        if not known:
            return tuple(
                unit for unit in view.units if self._there(view, mission, unit, eyes.hidden)
            )
        return tuple(
            unit
            for unit in view.units
            if eyes.identified and self._known(view, mission, unit, smoke=True)
        )

    def _there(self, view: View, mission: str, unit: str, unseen: frozenset[str]) -> bool:
        """Return whether a unit is an enemy, still there, and none of those unseen, or revealed since.

        Losses and reveals count where the option says so; else a mission is solved apart from its
        targets.
        """
        if (
            view.unit_side(unit) in (view.side(mission), GROUND)
            or unit in view.facts(mission, Eyes).apart
        ):
            return False
        declared = self.options["known_enemies"] == "as declared"
        if unit in unseen and (declared or not view.peek_unit(unit, Body).revealed):
            return False
        return declared or condition(view, unit) != "eliminated"

    def _known(self, view: View, mission: str, unit: str, *, smoke: bool) -> bool:
        """Return whether an enemy is not concealed from this Observer and stands in his LOS."""
        eyes = view.facts(mission, Eyes)
        if not self._there(view, mission, unit, eyes.unknown):
            return False
        place = view.place_of(unit)
        line = eyes.lines.get(place)
        upstairs = line is not None and eyes.heights.get(unit, 0) >= line.lowest
        in_sight = upstairs or not eyes.blocked(place)
        return in_sight and self._hindrance(view, eyes, place, smoke=smoke) < self.number(
            "blocking_hindrance"
        )

    # --- LOS -------------------------------------------------------------------------------------
    def sees(self, view: View, mission: str, place: Place) -> Sight:
        """Return the LOS to a hex; an enemy is Known where his own hex is seen (C1.6)."""
        return self._sees(view, mission, place, smoke=True)

    def sees_past_smoke(self, view: View, mission: str, place: Place) -> Sight:
        """Return the same, SMOKE disregarded, as a FFE on the map is seen (C1.334, C1.335)."""
        return self._sees(view, mission, place, smoke=False)

    def _sees(self, view: View, mission: str, place: Place, *, smoke: bool) -> Sight:
        eyes = view.facts(mission, Eyes)
        here = view.frame.on_map(place)
        hindrance = self._hindrance(view, eyes, place, smoke=smoke)
        known = eyes.identified and any(
            hexes_between(view.frame, place, view.place_of(unit)) <= 1
            and self._known(view, mission, unit, smoke=smoke)
            for unit in view.units
        )
        clear = here and hindrance < self.number("blocking_hindrance")
        stops = (
            (not here, "C1.3", "it is off the map"),
            (not clear, "C1.62", f"the Hindrances come to {hindrance}"),
            (eyes.blocked(place), "C1.6", "there is no LOS to its ground"),
        )
        rule, why = next(((rule, why) for holds, rule, why in stops if holds), ("", ""))
        return Sight(
            ground=not rule,
            burst=here and self._shows(view, mission, eyes, place, clear=clear, smoke=smoke),
            hindrance=hindrance,
            known_enemy=known,
            upper=clear and place in eyes.upstairs,
            rule=rule,
            why=why,
        )

    def _shows(
        self, view: View, mission: str, eyes: Eyes, place: Place, *, clear: bool, smoke: bool
    ) -> bool:
        """Return whether the Blast Height of a hex is in LOS.

        ``clear``: no Hindrances hide the hex itself.

        A WP FFE rises into sight where other bursts do not (C1.32). Over Hindrances that hide its
        hex a burst is seen where what is lower does not reach it (C1.331).
        """

        def tall() -> bool:
            now = view.mission(mission)
            wp = place not in eyes.blind_above and now.stage in FFE and now.kind is FireKind.WP
            return wp and bool(view.covers(mission, place))

        def over(above: int) -> bool:
            own = mission if self.options["own_dust"] == "hides others alone" else ""
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
        self, view: View, eyes: Eyes, place: Place, *, smoke: bool, above: int = 0, but: str = ""
    ) -> int:
        """Return all Hindrances along the LOS (C1.62): declared or computed, SMOKE, and every FFE ``but`` one (C1.57).

        Of a LOS to a burst so many levels ``above`` the hex those that reach it; what is declared
        is low.
        """
        if eyes.place is None:
            return 0
        pieces = pieces_between(view.frame, eyes.place, place)
        line = eyes.lines.get(place)
        haze = line.bursts[above] if line and above else line
        hindering = {
            cell: drm
            for cell, drm in eyes.hindrances
            if cell not in (eyes.place, place) and not above
        }
        # Along a hexside one of its two hexes counts, and not both.
        declared = (
            sum(max(hindering.get(cell, 0) for cell in piece) for piece in pieces)
            if hindering
            else 0
        )
        computed = 0 if haze is None else haze.hindrance
        clouds = self._smoke(view, eyes, pieces, haze, above) if smoke else 0
        return declared + computed + clouds + self._bursts(view, eyes, pieces, haze, above, but)

    def _reaches(self, haze: Haze | None, cell: Place, above: int, *, wp: bool) -> bool:
        """Return whether a FFE or WP in a hex Hinders the LOS, which is above their two and four levels elsewhere."""
        if haze is None:
            return self.number("wp_hindrance_levels" if wp else "ffe_hindrance_levels") >= above
        return cell in (haze.middling if wp else haze.low)

    def _smoke(self, view: View, eyes: Eyes, pieces: Pieces, haze: Haze | None, above: int) -> int:
        """Return the Hindrance of SMOKE, which rises two levels as a FFE does, and WP four (A24)."""
        ground = view.peek_shared(Ground)
        clouds: dict[Place, int] = {}
        for cell, strength, _, kind in (*ground.cells, *(ground.theirs if two_sided(view) else ())):
            if self._reaches(haze, cell, above, wp=kind is FireKind.WP):
                clouds[cell] = clouds.get(cell, 0) + strength
        if not clouds:
            return 0
        most = self.number("most_smoke_hindrance")
        passed = sum(min(max(clouds.get(cell, 0) for cell in piece), most) for piece in pieces)
        # Out of SMOKE one more.
        return passed + int(eyes.place in clouds)

    def _bursts(
        self, view: View, eyes: Eyes, pieces: Pieces, haze: Haze | None, above: int, but: str
    ) -> int:
        """Return the Hindrance of every HE FFE, FFE:C as well, that the LOS passes below its two levels (C1.57)."""
        total = 0
        # Harassing Fire is none.
        weak = Fraction(1, self.number("harassing_divisor"))
        for mission, drm in eyes.bursts:
            now = view.mission(mission)
            if mission == but or now.stage not in FFE or now.kind is not FireKind.HE:
                continue
            passed = (
                cell
                for piece in pieces
                for cell in piece
                if self._reaches(haze, cell, above, wp=False)
            )
            strength = max((view.covers(mission, cell) for cell in passed), default=Fraction(0))
            if strength > weak:
                # At full strength it is no Barrage, though the battery may have fired a Creeping
                # one (E12.75).
                single = strength == 1 or (
                    drm > 1 and weather_now(view, view.peek_shared(Ground)) == "rain"
                )
                total += 1 if single else drm
        return total
