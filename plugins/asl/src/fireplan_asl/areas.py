"""Areas: accuracy and error of SRs and FFEs, how long an FFE lasts, and SMOKE (C1.3-C1.5, C1.71).

The map consists of geomorphic boards. Blast Areas are in ``blast``, Creeping Barrages in
``creeping``. The choice of the AR's hex belongs to ``requests``, and the effect of fire on a hex
belongs to ``resolution``.
"""

from collections.abc import Iterator
from fractions import Fraction
from math import ceil

from fireplan_asl import blast, creeping
from fireplan_asl.blast import Gunnery, hexside
from fireplan_asl.creeping import recorded
from fireplan_asl.ground import NO_SMOKE, Counter, FFEState, MapState, placed, thinned, weather_now
from fireplan_asl.ift import barrage_share, shell_for
from fireplan_asl.missions import FFE, ON_MAP, ROCKET, SMOKES, in_prep_fire, two_sided
from fireplan_asl.observer import Radio, operator
from fireplan_asl.path import Creep, path_ways
from fireplan_asl.places import HEX_M, ROWS, board_layout, even, hexes_between
from fireplan_asl.scenario import AslScenario
from fireplan_asl.scenario_battery import BatteryEntry, spreads
from fireplan_asl.setup import Staged
from fireplan_asl.spotting import seen
from fireplan_core import (
    FireKind,
    Intent,
    Keeps,
    Modifier,
    Place,
    Reason,
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
from fireplan_core.space import Hex, HexFrame, distance
from fireplan_core.space import step as hex_step
from fireplan_core.steps.effects import Effects, Event, emit, push, step, update

TARGET_ROW = 5
PHASE = Fraction(1)
"""Minutes from one friendly fire phase to the next; a two-minute Game Turn has two of them."""
EARLY_PHASES = d6.sides
"""Maximum fire phases of a Creeping Barrage before play: half a die roll of Game Turns (E12.72)."""


class AslAreas(Staged, HexAreas):
    """The areas part: accuracy and error of SRs and FFEs, Blast Areas, Barrages and SMOKE."""

    cites = {"spotting": "C1.31", "fall": "C1.5", "lingering": "C1.34"}  # noqa: RUF012 - declared by the base
    publishes = (FFEState, MapState)
    keeps = Keeps(assets=(FFEState, Creep), table=(MapState,))

    def implied(self, view: View, name: str, fields: frozenset[str]) -> Effects:
        """Return effects that make a round on the map an SR unless the position gives an FFE."""
        effects = super().implied(view, name, fields)
        if effects.updates and not fields & {"fell", "resolved", "wait"}:
            return Effects(update(view.mission(name), stage=Stage.SPOTTING))
        return effects

    def contradictions(self, view: View) -> Iterator[str]:
        """Yield impossible Hindrances of SMOKE, and Creeping Barrages of other batteries."""
        for mission in view.missions:
            creep = view.own(mission, Creep)
            crept = creep.turns or creep.over or creep.shift != Creep().shift
            if recorded(view, mission) is None and crept:
                yield f"{mission}: it fires no Creeping Barrage (turns, shift, over) (E12.7)"
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
        """Stage a battery's accuracy, Fire Missions and Barrage grains."""
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
        """Return the event as the other side sees it; None hides a new Aiming Hex (E12.732)."""
        return None if event.kind == "adjusted" else super().shows(scenario, event, side)

    # --- accuracy and error ----------------------------------------------------------------------
    def modifiers(self) -> tuple[Modifier, ...]:
        """Return the Accuracy drm: LOS Hindrances, long Corrections predesignated to Convert."""
        return (
            Modifier(
                "accuracy",
                "C1.62, C1.57, E12.52, E12.75",
                "Hindrances on the LOS to the AR",
                lambda view, mission: view.sees(mission, view.mission(mission).aim).hindrance,
            ),
            Modifier(
                "accuracy",
                "C1.3",
                "a long Correction predesignated for Conversion",
                self._long_correction,
            ),
        )

    def _long_correction(self, view: View, mission: str) -> int:
        """Return the drm for a long predesignated Correction, 0 for any other round (C1.3)."""
        now = view.mission(mission)
        if not _predesignated(view, mission):
            return 0
        hexes = hexes_between(view.frame, now.impact, now.aim)
        far = next(
            (far for far in ("very_far_correction", "far_correction") if hexes >= self.number(far)),
            None,
        )
        return self.number(f"{far}_drm") if far else 0

    @step(cite="C1.3, C1.73, C1.732, C1.733, E12.2")
    def land(self, chance: Chance, view: View, mission: str) -> Effects:
        """Make the Accuracy dr for the AR; a forced Correction is never Accurate."""
        now, gunnery = view.mission(mission), view.facts(mission, Gunnery)
        aim, forced = now.aim, now.forced
        cap = None
        if now.stage in ON_MAP and now.impact is not None and not forced:
            cap = -(-distance(now.impact, aim) // self.number("hexes_per_error_hex"))
        convert = _predesignated(view, mission)
        registered = self._is_registered(view, mission, aim)
        flight = Effects(
            # The old position is no longer needed, and a round in flight has no impact yet.
            update(
                now, forced=False, impact=None, intent=Intent.SPOTTING if convert else now.intent
            ),
            self._aligned(view, mission, aim) if gunnery.grains else Effects(),
            emit("registered", "C1.73, C1.732, C1.733", mission=mission, at=aim)
            if registered
            else Effects(),
        )
        error = push(self.direction, mission, cap, convert)
        if forced:
            # One reading lets a forced Correction be Accurate on a Pre-Registered hex.
            forced = not (registered and self.options["registered_must_correct"] == "accurate on 4")
        if forced or ROCKET in gunnery.kinds:
            return Effects(flight, error)
        roll = chance.dice("accuracy", white=d6)
        if registered:
            accurate = roll.total <= self.number("accurate_if_registered")
        else:
            accurate = roll.total + chance.drm(roll) <= gunnery.accurate
        return Effects(
            flight,
            self._down(view, mission, aim, convert=convert, accurate=True) if accurate else error,
        )

    @step(cite="C1.31")
    def direction(
        self,
        chance: Chance,
        view: View,
        mission: str,
        cap: int | None,
        convert: bool,  # noqa: FBT001
    ) -> Effects:
        """Roll the coloured die for the direction, clockwise from the 1 of the AR counter."""
        toward = hexside(view, mission, chance.dice("direction", coloured=d6).coloured.exact())
        return Effects(push(self.extent, mission, toward, cap, convert))

    @step(cite="C1.31, C1.4, C1.732")
    def extent(
        self,
        chance: Chance,
        view: View,
        mission: str,
        toward: int,
        cap: int | None,
        convert: bool,  # noqa: FBT001
    ) -> Effects:
        """Roll the white die for the extent of error, in hexes.

        The extent is halved for a Pre-Registered hex and limited for a Correction.
        """
        aim = view.mission(mission).aim
        registered = self._is_registered(view, mission, aim)
        far = chance.dice("extent", white=d6).white
        if registered and self.options["registered_correction"] == "halve, then cap":
            far = far.halved_up().clamped(high=cap)
        elif registered:
            far = far.clamped(high=cap).halved_up()
        else:
            far = far.clamped(high=cap)
        return self._down(
            view, mission, hex_step(aim, toward, far.exact()), convert=convert, accurate=False
        )

    @staticmethod
    def _aligned(view: View, mission: str, aim: Place) -> Effects:
        """Switch to the grain of the Pre-Registered hex at most one hex from the AR (E12.31)."""
        fire = view.own(mission, FFEState)
        grains = view.facts(mission, Gunnery).grains
        near, _, grain = min(
            (distance(place, aim), grain != fire.grain, grain) for place, grain in grains
        )
        return Effects(update(fire, grain=grain)) if near <= 1 else Effects()

    @staticmethod
    def _is_registered(view: View, mission: str, place: Place) -> bool:
        """Return whether a hex is Pre-Registered and the first Observer has the radio (C1.733)."""
        return (
            place in view.facts(mission, Gunnery).registered and view.peek(mission, Radio).hand == 0
        )

    def _down(
        self, view: View, mission: str, place: Place, *, convert: bool, accurate: bool
    ) -> Effects:
        """Land the round and remove the AR; a predesignated SR is Converted next.

        Records the Observer if they have Accurately placed the fire over themselves (C1.54).
        """
        now = view.mission(mission)
        self_placed = Effects()
        if observer := operator(view, mission):
            # No Blast Area reaches farther than the arm of a Barrage.
            reach = self.number("barrage_arm")
            near = accurate and hexes_between(view.frame, place, view.place_of(observer)) <= reach
            self_placed = Effects(
                update(view.own(mission, FFEState), drawn_by=observer if near else "")
            )
        off = emit("off_map", "C1.321, C1.32", mission=mission, at=place)
        after = push(self.predesignated, mission) if convert else push(self.acted, mission)
        return Effects(
            Effects() if view.frame.on_map(place) else off,
            self_placed,
            update(now, aim=None),
            push(cycle.landed, mission, place),
            after if convert or now.intent is Intent.SPOTTING else Effects(),
        )

    @step(cite="C1.332")
    def predesignated(self, chance: Chance, view: View, mission: str) -> Effects:
        """Convert the Corrected SR if its new hex allows it (C1.333); otherwise it stays an SR."""
        if not seen(view, mission).may_fire_there:
            return self.acted(chance, view, mission)
        return Effects(push(cycle.convert, mission))

    @step(cite="C1.322")
    def acted(self, _chance: Chance, _view: View, mission: str) -> Effects:
        """End the battery's OBA actions for this phase, leaving an unconverted SR on the map."""
        return Effects(emit("actions_end", "C1.322", mission=mission))

    # --- the FFE ---------------------------------------------------------------------------------
    @step(cite="C1.5")
    def fallen(self, _chance: Chance, view: View, mission: str) -> Effects:
        """Replace a resolved FFE:1 with an FFE:2 for the next phase, or an FFE:2 with an FFE:C."""
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
        """Return whether a fire phase has anything to do: an FFE, a Creeping Barrage or SMOKE."""
        now = view.mission(mission)
        ground = view.shared(MapState)
        return (
            now.stage in FFE
            or (now.stage is Stage.IDLE and recorded(view, mission) is not None)
            or (self._disperses_smoke(view, mission) and bool(ground.cells or ground.theirs))
            or (two_sided(view) and view.own(mission, FFEState).early)
        )

    def fire_limit(self, scenario: Setup, mission: str, moments: int) -> FireLimit:
        """Return the limit on how often a battery fires: once each fire phase (C1.5).

        A Creeping Barrage may also fire in pre-Game Turns (E12.72).
        """
        creeps = scenario.missions[mission].facts[self.word].creep is not None
        return FireLimit(
            moments * max(1, ceil(scenario.clock.minutes / PHASE)) + creeps * EARLY_PHASES
        )

    @step(cite="C1.5")
    def moment(self, chance: Chance, view: View, mission: str) -> Effects:
        """Resolve or remove the FFE on the map, then disperse the SMOKE."""
        fire = view.own(mission, FFEState)
        early = two_sided(view) and fire.early
        if early:
            passing = Effects(update(fire, early=False))
        else:
            passing = self._phase(chance, view, mission)
        if self._disperses_smoke(view, mission):
            return Effects(passing, push(self.clears, mission))
        return passing

    @step(cite="C1.5")
    def fire_phase(self, chance: Chance, view: View, mission: str) -> Effects:
        """End one side's PFPh, before the other side's DFPh."""
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
        """Return an event with the hexes of the two Barrage counters; empty for other missions."""
        line = blast.barrage_line(view, mission, view.mission(mission).impact, self.number)
        if line is None:
            return Effects()
        return Effects(emit("barrage", "E12.11, E12.31", mission=mission, ends=(line[0], line[-1])))

    # --- SMOKE -----------------------------------------------------------------------------------
    @step(cite="C1.71, C1.32")
    def smoke(
        self, _chance: Chance, view: View, mission: str, cells: tuple[Place, ...], shell: FireKind
    ) -> Effects:
        """Place SMOKE in each hex that allows it: full in the PFPh, Dispersed in the DFPh."""
        ground = view.shared(MapState)
        if weather_now(view, ground) in NO_SMOKE:
            return Effects(emit("smoke", "C1.71", mission=mission, at=(), strength=0))
        late = not in_prep_fire(view, mission)
        strength = self.number("wp_hindrance" if shell is FireKind.WP else "smoke_hindrance") - late
        barred = ground.no_smoke
        fresh: list[Counter] = [
            (cell, strength, late, shell) for cell in cells if cell not in barred
        ]
        event = emit(
            "smoke",
            "C1.71",
            mission=mission,
            at=tuple(cell for cell, *_ in fresh),
            strength=strength,
        )
        if view.side(mission) == view.scenario.firer:
            return Effects(update(ground, cells=placed(ground.cells, fresh)), event)
        return Effects(update(ground, theirs=placed(ground.theirs, fresh)), event)

    @staticmethod
    def _disperses_smoke(view: View, mission: str) -> bool:
        """Return whether this is the last SMOKE-capable battery, which disperses all SMOKE."""
        smoking = [m for m in view.missions if not SMOKES.isdisjoint(view.facts(m, Gunnery).kinds)]
        return smoking[-1:] == [mission]

    @step(cite="C1.71")
    def clears(self, _chance: Chance, view: View, mission: str) -> Effects:
        """Disperse full counters before their owner's next PFPh and remove Dispersed ones."""
        ground = view.shared(MapState)
        if not (ground.cells or ground.theirs):
            return Effects()
        now = view.moment()
        coming = dict(ground.weather).get(now + 1, "")
        cells, theirs = ground.cells, ground.theirs
        if coming in NO_SMOKE:
            cells = theirs = ()
        # Gusts disperse SMOKE one more time (C1.71).
        gusts = int(coming == "gusts")
        cells, theirs = thinned(cells, gusts + (not even(now))), thinned(theirs, gusts + even(now))
        event = emit("smoke_clears", "C1.71", mission=mission, by=coming)
        return Effects(
            update(ground, cells=cells),
            update(ground, theirs=theirs) if two_sided(view) else Effects(),
            Effects() if coming in ("", "clear") else event,
        )


def _predesignated(view: View, mission: str) -> bool:
    """Return whether the round is a Corrected SR predesignated for Conversion (C1.332)."""
    now = view.mission(mission)
    return now.stage is Stage.SPOTTING and now.intent is Intent.EFFECT
