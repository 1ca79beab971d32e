"""Areas: the boards, the fire phases of an FFE, and how long it lasts (C1.3-C1.5).

The map consists of geomorphic boards. The module ``accuracy`` has the error of a round, ``blast``
Blast Areas, ``creeping`` Creeping Barrages and ``smoke_counters`` SMOKE. The choice of the AR's hex
belongs to ``requests``, and the effect of fire on a hex belongs to ``resolution``.
"""

from collections.abc import Collection, Iterator, Mapping
from fractions import Fraction
from math import ceil

from fireplan_asl import accuracy, blast, creeping, smoke_counters
from fireplan_asl.blast import Gunnery
from fireplan_asl.creeping import recorded
from fireplan_asl.ground import FFEState, MapState
from fireplan_asl.ift import barrage_share, shell_for
from fireplan_asl.missions import FFE, FFE_FIELDS, two_sided
from fireplan_asl.path import Creep, path_ways
from fireplan_asl.places import HEX_M, ROWS, board_layout
from fireplan_asl.relaxed import relaxed
from fireplan_asl.scenario import AslScenario
from fireplan_asl.scenario_battery import BatteryEntry, spreads
from fireplan_asl.setup import Staged
from fireplan_core import (
    FireKind,
    Keeps,
    Place,
    Reason,
    RelaxedSetup,
    SecretNote,
    Setup,
    Stage,
    Staging,
    View,
    cycle,
)
from fireplan_core.chance import Chance, d6
from fireplan_core.mission import FireLimit
from fireplan_core.ready_parts import HexAreas
from fireplan_core.space import Hex, HexFrame
from fireplan_core.space import step as hex_step
from fireplan_core.steps.effects import Effects, Event, emit, push, step, update

TARGET_ROW = 5
PHASE = Fraction(1)
"""Minutes from one friendly fire phase to the next; a two-minute Game Turn has two of them."""
EARLY_PHASES = d6.sides
"""Maximum fire phases of a Creeping Barrage before play.

A Timing dr, halved, gives the number of pre-Game Turns, each with two fire phases (E12.72).
"""


NO_FFE_2 = (Stage.SPOTTING, Stage.LINGERING)
"""Stages of a battery whose counter on the map is an SR or an FFE:C."""


class AslAreas(Staged, HexAreas):
    """The areas part: accuracy and error of SRs and FFEs, Blast Areas, Barrages and SMOKE."""

    cites = {"spotting": "C1.31", "fall": "C1.5", "lingering": "C1.34"}  # noqa: RUF012 - declared by the base
    publishes = (FFEState, MapState)
    keeps = Keeps(assets=(FFEState, Creep), table=(MapState,))

    def implied(self, view: View, name: str, fields: frozenset[str]) -> Effects:
        """Return effects that make a round on the map an SR unless the position gives an FFE."""
        effects = super().implied(view, name, fields)
        if effects.updates and not fields & FFE_FIELDS:
            return Effects(update(view.mission(name), stage=Stage.SPOTTING))
        return effects

    def contradictions(self, view: View) -> Iterator[str]:
        """Yield a message for each impossible FFE:2, Creeping Barrage or SMOKE Hindrance.

        An SR or FFE:C is no FFE:2. A record of a Creeping Barrage is impossible at a
        battery that fires none.
        """
        for mission in view.missions:
            if view.mission(mission).stage in NO_FFE_2 and view.own(mission, FFEState).resolved:
                yield f"{mission}: its counter is an SR or an FFE:C by its stage, so it is no FFE:2 (resolved) (C1.34)"
            creep = view.own(mission, Creep)
            crept = creep.turns or creep.over or creep.shift != Creep().shift
            if recorded(view, mission) is None and crept:
                yield f"{mission}: turns, shift or over is set, but it fires no Creeping Barrage (E12.7)"
        most, ground = (
            max(map(self.number, ("smoke_hindrance", "wp_hindrance"))),
            view.shared(MapState),
        )
        for cell, strength, *_ in (*ground.cells, *ground.theirs):
            if not 0 < strength <= most:
                label = view.frame.label(cell)
                yield f"{label}: the Hindrance of a SMOKE counter is 1 to {most} (C1.71)"

    def frame(self) -> HexFrame:
        """Return the hex frame of the boards, joined along their long edges."""
        return HexFrame(HEX_M, board_layout(int(self.options["boards"])))

    def middle(self) -> Hex:
        """Return hex K5 of the middle board."""
        return self.frame().parse(f"K{TARGET_ROW + ROWS * (int(self.options['boards']) // 2)}")

    def stage(self, staging: Staging) -> None:
        """Stage the engagement; refuse one that puts the firer's own troops off the map."""
        if staging.own_place is not None and not staging.frame.on_map(staging.own_place):
            staging.cannot("C1.32: the firer's own troops would be off the map")
        super().stage(staging)

    def set_up(self, form: AslScenario, staging: Staging) -> None:
        """Stage every battery, the scheduled weather changes and the hexes barred to SMOKE."""
        super().set_up(form, staging)
        if form.weather_changes or form.smokeless:
            staging.share(
                self.word, MapState(weather=form.weather_changes, no_smoke=form.smokeless)
            )

    def set_up_battery(self, form: AslScenario, battery: BatteryEntry, staging: Staging) -> None:
        """Stage a battery's accuracy, Fire Missions, Barrage grains and Creeping Barrage.

        A Creeping Barrage is refused if the calibre fires no Barrages.
        """
        accuracy, creep = self.nation(form, battery).accuracy, battery.creeping
        if creep and not spreads(battery.calibre, self.number):
            staging.cannot(f"{battery.id}: this calibre fires no Barrage [E12.5, E12.7]")
        follow = self.options["creeping_adjustment"] == "same step"
        kinds, _ = battery.fire_missions(form.weather, self.number)
        grains = battery.grains(form.layout)
        shell = (
            shell_for(self.charts, battery.calibre, us_mortar=battery.us_mortar) if grains else None
        )
        gunnery = Gunnery(
            accurate=self.number("accurate_offboard") if battery.link == "offboard" else accuracy,
            registered=battery.registered,
            kinds=kinds,
            grain=grains[0][1] if grains else None,
            barrage=barrage_share(self.charts, shell) if shell else Fraction(1),
            creep=battery.creeping_path(form.layout, accuracy, follow=follow),
            facing=battery.ar_points_to,
            grains=grains if len({grain for _, grain in grains}) > 1 else (),
        )
        if (
            creep
            and (path := gunnery.creep)
            and creep.by is None
            and len(path_ways(path.start, path.aim)) > 1
        ):
            second = form.layout.label(hex_step(path.start, path.steps[0]))
            staging.note(
                f"Creeping Barrage: two grains lead to its Aiming Hex; it takes the one through {second}"
            )
        staging.mission(battery.id, self.word, FFEState(), gunnery)

    # --- steps and questions of a Creeping Barrage -----------------------------------------------
    phase_begins = creeping.phase_begins
    creep = creeping.creep
    creep_ar = creeping.creep_ar
    creep_lands = creeping.creep_lands
    creep_errs = creeping.creep_errs
    creep_strays = creeping.creep_strays
    creep_down = creeping.creep_down
    ahead = creeping.ahead

    # --- Blast Areas -----------------------------------------------------------------------------
    def covers(self, view: View, mission: str, place: Place, extent: Fraction) -> Fraction:
        """Return the firepower at a place as a share of the battery's Concentration firepower."""
        return blast.covers(view, mission, place, extent, self.number)

    def covered(self, view: View, mission: str) -> tuple[Hex, ...]:
        """Return the hexes of the Blast Area that are on the map."""
        return blast.covered(view, mission, self.number)

    def in_order(self, view: View, mission: str, places: tuple[Place, ...]) -> tuple[Place, ...]:
        """Return hexes sorted in Blast Area order: rings clockwise, a Barrage end to end."""
        rank = {cell: number for number, cell in enumerate(self.covered(view, mission))}
        return tuple(sorted(places, key=lambda place: rank.get(place, len(rank))))

    # --- secrets ---------------------------------------------------------------------------------
    def secret_notes(self, scenario: Setup) -> tuple[SecretNote, ...]:
        """Return the sides' secret records of Barrages (E12.2) and Creeping Barrages (E12.71)."""
        label = scenario.frame.label
        notes = []
        for mission, setup in scenario.missions.items():
            facts = setup.facts.get(self.word)
            if not isinstance(facts, Gunnery):
                continue
            if creep := facts.creep:
                phases = "PFPh and DFPh" if creep.both_phases else "PFPh"
                hexes = f"first hex {label(creep.start)}, Aiming Hex {label(creep.aim)}"
                text = f"{hexes}, {phases}, {creep.turns} turns"
                if len(path_ways(creep.start, creep.aim)) > 1:
                    text += f", by {label(hex_step(creep.start, creep.steps[0]))}"
                notes.append(SecretNote(setup.side, f"Creeping Barrage of {mission}", text))
            elif facts.grain:
                text = ", ".join(
                    f"{label(place)} hexsides {a} {b}" for place, (a, b) in facts.grains
                )
                text = text or "hexsides {} {}".format(*facts.grain)
                notes.append(SecretNote(setup.side, f"grain of the Barrages of {mission}", text))
        return tuple(notes)

    def shows(self, scenario: Setup, event: Event, side: str) -> Event | None:
        """Return the event as the other side sees it.

        The adjustment of an Aiming Hex is secret, so the result is None for it (E12.732).
        """
        return None if event.kind == "adjusted" else super().shows(scenario, event, side)

    # --- accuracy and error ----------------------------------------------------------------------
    modifiers = accuracy.modifiers
    land = accuracy.land
    direction = accuracy.direction
    extent = accuracy.extent
    predesignated = accuracy.predesignated
    allows = accuracy.allows
    acted = accuracy.acted

    # --- the FFE ---------------------------------------------------------------------------------
    @step(cite="C1.5")
    def fallen(self, _chance: Chance, view: View, mission: str) -> Effects:
        """Replace a resolved FFE:1 with an FFE:2 for the next phase, or an FFE:2 with an FFE:C.

        An FFE of SMOKE or WP also places its counters.
        """
        fire, shell = view.own(mission, FFEState), view.mission(mission).kind
        second = fire.resolved
        return Effects(
            self._ends(view, mission),
            Effects()
            if shell is FireKind.HE
            else push(self.smoke, mission, self.covered(view, mission), shell),
            update(fire, resolved=not second, wait=PHASE),
            push(cycle.linger, mission) if second else Effects(),
        )

    def lasts(self, view: View, mission: str) -> bool:
        """Return whether a fire phase has anything to do for a battery.

        It has if there is an FFE, if a Creeping Barrage is still to come, if the battery disperses
        SMOKE, or if ``fire_phase`` has already resolved an FFE.
        """
        now = view.mission(mission)
        ground = view.shared(MapState)
        return (
            now.stage in FFE
            or (now.stage is Stage.IDLE and recorded(view, mission) is not None)
            or (
                smoke_counters.disperses_smoke(view, mission)
                and bool(ground.cells or ground.theirs)
            )
            or (two_sided(view) and view.own(mission, FFEState).early)
        )

    def fire_limit(self, scenario: Setup, mission: str, moments: int) -> FireLimit:
        """Return the limit on how often a battery fires: once each fire phase (C1.5).

        A Creeping Barrage may also fire in pre-Game Turns, before the first fire phase (E12.72).
        """
        creeps = scenario.missions[mission].facts[self.word].creep is not None
        early = creeps * EARLY_PHASES
        phases = moments * max(1, ceil(scenario.clock.minutes / PHASE))
        return FireLimit(phases + early, in_opening=early)

    def cover_together(
        self, scenario: Setup, mission: str, shares: Mapping[Place, Fraction]
    ) -> Fraction | None:
        """Return the greatest total share that one FFE can cover, weighted by its firepower.

        ``shares`` maps places to their shares. Return None if any unit is wider than a place.
        """
        if any(unit.extent for unit in scenario.units.values()):
            return None
        gunnery = scenario.missions[mission].facts[self.word]
        return blast.most_covered(gunnery, shares, self.number)

    def relaxed(self, scenario: Setup, places: Collection[Place]) -> RelaxedSetup | None:
        """Return the scenario with few hexes and perfect LOS, or None if no such setup can be made.

        In it the batteries can do at least as much at each of the ``places``.
        """
        halves_first = self.options["registered_correction"] == "halve, then cap"
        return relaxed(scenario, places, self.number, halves_first=halves_first)

    @step(cite="C1.5")
    def moment(self, chance: Chance, view: View, mission: str) -> Effects:
        """Play the battery's fire phase, unless ``fire_phase`` has already played it.

        After the phase of the last battery that can fire SMOKE, SMOKE counters disperse.
        """
        fire = view.own(mission, FFEState)
        early = two_sided(view) and fire.early
        if early:
            passing = Effects(update(fire, early=False))
        else:
            passing = self._phase(chance, view, mission)
        if smoke_counters.disperses_smoke(view, mission):
            return Effects(passing, push(self.clears, mission))
        return passing

    @step(cite="C1.5")
    def fire_phase(self, chance: Chance, view: View, mission: str) -> Effects:
        """Resolve a battery's FFE at the end of its side's PFPh, before the other side's DFPh.

        If only one side has batteries, do nothing: ``moment`` plays the phase.
        """
        if not two_sided(view):
            return Effects()
        return Effects(
            update(view.own(mission, FFEState), early=True), self._phase(chance, view, mission)
        )

    def _phase(self, chance: Chance, view: View, mission: str) -> Effects:
        """Return the effects of this fire phase on the battery's FFE or Creeping Barrage."""
        if recorded(view, mission) is not None and not view.own(mission, Creep).over:
            return creeping.creeps(self, view, mission)
        return self.passing(chance, view, mission, view.scenario.clock.minutes)

    @step(cite="C1.5")
    def passing(self, _chance: Chance, view: View, mission: str, minutes: Fraction) -> Effects:
        """Let the remaining minutes of a moment pass; an FFE due in that time falls or lapses."""
        stage = view.mission(mission).stage
        if stage not in FFE:
            return Effects()
        fire = view.own(mission, FFEState)
        wait = fire.wait
        if wait >= minutes:
            return Effects(update(fire, wait=wait - minutes))
        if stage is Stage.LINGERING:
            over = push(cycle.close, mission, Reason.DELIVERED, "C1.34")
            return Effects(update(fire, wait=Fraction(0)), over)
        return Effects(push(cycle.fall, mission), push(self.passing, mission, minutes - wait))

    @step(cite="C1.35")
    def ceased(self, _chance: Chance, view: View, mission: str, _stage: Stage) -> Effects:
        """Reset the record of the FFE when its counter leaves the map."""
        return Effects(update(view.own(mission, FFEState), resolved=False, wait=Fraction(0)))

    @step(cite="C1.35")
    def closed(self, chance: Chance, view: View, mission: str) -> Effects:
        """Reset the record of the FFE, and end a Creeping Barrage for good (E12.771)."""
        off = self.ceased(chance, view, mission, Stage.ENDED)
        if recorded(view, mission) is None:
            return off
        return Effects(off, update(view.own(mission, Creep), turns=0, shift=(0, 0), over=True))

    def _ends(self, view: View, mission: str) -> Effects:
        """Return the event that shows the two end hexes of a Barrage; empty for other missions."""
        line = blast.barrage_line(view, mission, view.mission(mission).impact, self.number)
        if line is None:
            return Effects()
        return Effects(emit("barrage", "E12.11, E12.31", mission=mission, ends=(line[0], line[-1])))

    # --- SMOKE -----------------------------------------------------------------------------------
    smoke = smoke_counters.smoke
    clears = smoke_counters.clears
