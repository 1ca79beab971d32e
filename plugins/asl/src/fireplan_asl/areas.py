"""Areas: accuracy and error of a SR or FFE (C1.3, C1.31, C1.4), Blast Area (C1.32), and the life of a FFE (C1.5).

The map is laid out like the geomorphic boards. What may be aimed at belongs to ``requests``; what the fire
does to a hex belongs to ``resolution``.
"""

from __future__ import annotations

import math
from fractions import Fraction

import attrs

from fireplan_asl._creeping import Creep, Creeping, Path
from fireplan_asl._grains import Grain, along
from fireplan_asl._nations import UnknownNationError, nation_for
from fireplan_asl._observer import first_observer
from fireplan_asl._places import (
    BARRAGES,
    COLUMNS,
    CONCENTRATION,
    CREEPING,
    HARASSING,
    HEX_M,
    NONE,
    ROCKET,
    SMOKE,
    SMOKES,
    WHITE_PHOSPHORUS,
    WP,
    hexes_between,
    on_map,
    seen,
    two_sided,
)
from fireplan_core import (
    Effects,
    Intent,
    Modifier,
    Place,
    Reason,
    Stage,
    Staging,
    Step,
    View,
    emit,
    push,
    record,
    step,
    update,
)
from fireplan_core.chance import Chance, d6
from fireplan_core.space import Hex, HexFrame, Layout, disc, distance, lettered_columns, vertex_centre, vertices_of
from fireplan_core.space import step as hex_step

ROWS = 10
TARGET_COLUMN = 10
TARGET_ROW = 5
HEX_HECTARES = math.sqrt(3) / 2 * HEX_M**2 / 10_000
PHASE = Fraction(1)
"""Minutes from one friendly fire phase to the next: two in a Game Turn of two minutes."""
REACH = 4
"""Hexes from a FFE to the end of its widest Blast Area."""
HARASSING_SHARE = Fraction(1, 3)
FULL = Fraction(1)
ON_MAP = (Stage.SPOTTING, Stage.FALLING, Stage.LINGERING)


@record
class Fire:
    """The FFE on the map: whether FFE:1 has been resolved, and the minutes until it falls again or lapses.

    ``grain`` is that of a Barrage where those of its battery differ. ``early``: it has been seen to in this moment,
    before the fire phase of the other side.
    """

    resolved: bool = False
    wait: Fraction = Fraction(0)
    kind: str = CONCENTRATION
    grain: Grain | None = None
    early: bool = False


@attrs.frozen
class Gunnery:
    """What never changes: the highest accurate dr and the Pre-Registered hexes of the battery.

    ``kinds`` are the Fire Missions it may fire, ``grain`` that of its Barrages, ``barrage`` the firepower of one as
    a share of its Concentration; ``creep`` the record of a Creeping Barrage. ``facing`` is the hexside to which the 1
    of its AR counter points, 1 being that of the lower numbers; ``watched_from`` the hex of an Observer who is a unit.
    ``grains`` are the grains by Pre-Registered hex, where one option lets them differ (E12.2).
    """

    accurate: int
    registered: frozenset[Place]
    kinds: tuple[str, ...] = (CONCENTRATION,)
    grain: Grain | None = None
    barrage: Fraction = Fraction(1)
    creep: Path | None = None
    facing: int = 1
    watched_from: Place = None
    grains: tuple[tuple[Place, Grain], ...] = ()


def _acted(view: View, mission: str) -> Effects:
    """Nothing more is done in this phase, if what has landed is a SR (C1.322)."""
    return Effects(push("requests.acted", mission)) if "requests.acted" in view.scenario.steps else Effects()


def _predesignated(view: View, mission: str) -> bool:
    """Whether the round in the air is a SR to be Converted where it lands: an effect is wanted of a SR (C1.332)."""
    now = view.mission(mission)
    return now.stage is Stage.SPOTTING and now.intent is Intent.EFFECT


class AslAreas(Creeping):
    """Hexes of 40 m; a HE Concentration covers seven of them."""

    cites = {"spotting": "C1.31", "fall": "C1.5", "lingering": "C1.34"}  # noqa: RUF012 - declared by the base

    def frame(self) -> HexFrame:
        """The boards, joined along their long edges."""
        last = ROWS * int(self.options["boards"])
        return HexFrame(HEX_M, Layout(lettered_columns(COLUMNS, doubled=True), (1, last), (0, last)))

    def middle(self) -> Hex:
        """Hex K5 of the middle board."""
        row = TARGET_ROW + ROWS * (int(self.options["boards"]) // 2)
        return TARGET_COLUMN, row - TARGET_COLUMN // 2

    def stage(self, staging: Staging) -> None:
        """Lay down the accuracy of every battery."""
        engagement = staging.engagement
        asset = engagement.asset
        try:
            squads = self.options["chinese_squads"]
            nation = nation_for(engagement.firer.nationality, engagement.date, self.charts, squads)
        except UnknownNationError as error:
            staging.cannot(f"C1.3: {error}")
            return
        if staging.own_place is not None and not on_map(staging.frame, staging.own_place):
            staging.cannot("C1.32: the firer's own troops would stand off the map")
        if asset.weapon == "rocket":
            kinds: tuple[str, ...] = (ROCKET,)
        else:
            kinds = (CONCENTRATION,)
        offboard = engagement.observer.kind == "offboard"
        accurate = self.number("accurate_offboard") if offboard else nation.accuracy
        registered = frozenset({staging.centre}) if asset.preregistered else frozenset[Place]()
        for mission in staging.assets:
            staging.mission(mission, self.word, Fire(), Gunnery(accurate, registered, kinds))

    def modifiers(self) -> tuple[Modifier, ...]:
        """Hindrances between the Observer and the AR, and long Corrections that end in fire for effect."""
        return (
            Modifier(
                "areas.accuracy", "C1.62, C1.57, E12.52, E12.75", "Hindrances on the LOS to the AR",
                lambda view, mission: view.sees(mission, view.mission(mission).aim).hindrance,
            ),
            Modifier("areas.accuracy", "C1.3", "Corrected far and predesignated for Conversion", self._long_correction),
        )  # fmt: skip

    def _long_correction(self, view: View, mission: str) -> int:
        """The drm to the Accuracy dr of a predesignated Correction (C1.3)."""
        now = view.mission(mission)
        if not _predesignated(view, mission):
            return 0
        hexes = hexes_between(view.frame, now.impact, now.aim)
        for far in ("very_far_correction", "far_correction"):
            if hexes >= self.number(far):
                return self.number(f"{far}_drm")
        return 0

    # --- accuracy and error ----------------------------------------------------------------------
    @step(cite="C1.3, C1.73, C1.732, C1.733")
    def land(self, chance: Chance, view: View, mission: str) -> Effects:
        """The Accuracy dr for the AR; a forced Correction is never accurate."""
        now = view.mission(mission)
        aim, forced = now.aim, now.forced
        gunnery = view.facts(mission, Gunnery)
        cap = None
        if now.stage in ON_MAP and now.impact is not None and not forced:
            cap = -(-distance(now.impact, aim) // self.number("hexes_per_error_hex"))
        convert = _predesignated(view, mission)
        # The old position has done its work; a round in the air lies nowhere.
        flight = Effects(update(now, forced=False, impact=None, intent=Intent.SPOTTING if convert else now.intent))
        error = push("direction", mission, cap, convert)
        registered = self._is_registered(view, mission, aim)
        if gunnery.grains:
            flight = Effects(flight, self._aligned(view, mission, aim))
        if registered:
            flight = Effects(flight, emit("registered", "C1.73, C1.732, C1.733", mission=mission, at=aim))
        rocket = ROCKET in gunnery.kinds
        if rocket or (forced and not (registered and self.options["registered_must_correct"] == "accurate on 4")):
            return Effects(flight, error)
        roll = chance.dice("accuracy", white=d6)
        if registered:
            accurate = roll.total <= self.number("accurate_if_registered")
        else:
            accurate = roll.total + chance.drm(roll) <= gunnery.accurate
        return Effects(flight, self._down(view, mission, aim, convert=convert, accurate=True) if accurate else error)

    @step(cite="C1.31")
    def direction(self, chance: Chance, view: View, mission: str, cap: int | None, convert: bool) -> Effects:  # noqa: FBT001
        """The coloured die: 1 is where the AR counter points, then clockwise."""
        toward = self._toward(view, mission, chance.dice("direction", coloured=d6).coloured.exact())
        return Effects(push("extent", mission, toward, cap, convert))

    @step(cite="C1.31, C1.4, C1.732")
    def extent(self, chance: Chance, view: View, mission: str, toward: int, cap: int | None, convert: bool) -> Effects:  # noqa: FBT001
        """The white die: hexes from the AR, halved for a Pre-Registered hex and capped for a Correction."""
        aim = view.mission(mission).aim
        registered = self._is_registered(view, mission, aim)
        far = chance.dice("extent", white=d6).white
        if registered and self.options["registered_correction"] == "halve, then cap":
            far = far.halved_up().clamped(high=cap)
        elif registered:
            far = far.clamped(high=cap).halved_up()
        else:
            far = far.clamped(high=cap)
        return self._down(view, mission, hex_step(aim, toward, far.exact()), convert=convert, accurate=False)

    @staticmethod
    def _aligned(view: View, mission: str, aim: Place) -> Effects:
        """A Barrage takes the grain of the Pre-Registered hex that its AR lies in or next to (E12.31)."""
        fire = view.own(mission, Fire)
        grains = view.facts(mission, Gunnery).grains
        near, _, grain = min((distance(place, aim), grain != fire.grain, grain) for place, grain in grains)
        return Effects(update(fire, grain=grain)) if near <= 1 else Effects()

    @staticmethod
    def _is_registered(view: View, mission: str, place: Place) -> bool:
        """Whether a hex is Pre-Registered for the Observer who has the radio (C1.733)."""
        return place in view.facts(mission, Gunnery).registered and first_observer(view, mission)

    @staticmethod
    def _down(view: View, mission: str, place: Place, *, convert: bool, accurate: bool) -> Effects:
        """The round is on the ground; a predesignated one is to be Converted there.

        An Observer who is a unit has put it over himself Accurately, or not (C1.54).
        """
        here = view.facts(mission, Gunnery).watched_from
        drew: tuple[Step, ...] = ()
        if here is not None and "delays.drew" in view.scenario.steps:
            drew = (push("delays.drew", mission, accurate and hexes_between(view.frame, place, here) <= REACH),)
        off = emit("off_map", "C1.321, C1.32", mission=mission, at=place)
        return Effects(
            off if not on_map(view.frame, place) else Effects(),
            *drew,
            push("core.landed", mission, place),
            push("predesignated", mission) if convert else _acted(view, mission),
        )

    @step(cite="C1.332")
    def predesignated(self, chance: Chance, view: View, mission: str) -> Effects:  # noqa: ARG002 - no dice here
        """The Corrected SR is Converted, if its hex meets C1.333; else it stays a SR."""
        if not seen(view, mission).may_fire_there:
            return _acted(view, mission)
        return Effects(update(view.mission(mission), aim=None), push("core.convert", mission))

    # --- the FFE ---------------------------------------------------------------------------------
    @step(cite="C1.5")
    def fallen(self, chance: Chance, view: View, mission: str) -> Effects:  # noqa: ARG002 - no dice here
        """FFE:1 becomes FFE:2, to be resolved in the next fire phase; FFE:2 becomes FFE:C."""
        fire = view.own(mission, Fire)
        # The AR has been exchanged for the FFE.
        off = Effects(update(view.mission(mission), aim=None), self._ends(view, mission), self._smoke(view, mission))
        if fire.resolved:
            return Effects(off, update(fire, resolved=False, wait=PHASE), push("core.linger", mission))
        return Effects(off, update(fire, resolved=True, wait=PHASE))

    @step(cite="C1.5")
    def moment(self, chance: Chance, view: View, mission: str) -> Effects:  # noqa: ARG002 - no dice here
        """Time passes for the FFE on the map, and for the SMOKE that it has left."""
        if two_sided(view) and view.own(mission, Fire).early:
            passing = Effects(update(view.own(mission, Fire), early=False))
        else:
            passing = self._phase_ends(view, mission)
        # SMOKE lies on the map for all, so one battery sees to it: the last one, when that of all has been placed.
        smoking = [m for m in view.missions if not SMOKES.isdisjoint(view.facts(m, Gunnery).kinds)]
        if smoking[-1:] != [mission] or "observers.clears" not in view.scenario.steps:
            return passing
        return Effects(passing, push("observers.clears", mission))

    def _phase_ends(self, view: View, mission: str) -> Effects:
        """What the FFE on the map does in this fire phase."""
        if self._path(view, mission) is not None and self._kind(view, mission) == CREEPING:
            return self.creeps(view, mission)
        return self._passing(view, mission, view.scenario.clock.minutes)

    @step(cite="C1.5")
    def early(self, chance: Chance, view: View, mission: str) -> Effects:  # noqa: ARG002 - no dice here
        """The end of the PFPh of one side, before the DFPh of the other."""
        return Effects(update(view.own(mission, Fire), early=True), self._phase_ends(view, mission))

    @step(cite="C1.5")
    def passing(self, chance: Chance, view: View, mission: str, minutes: Fraction) -> Effects:  # noqa: ARG002 - no dice here
        """What is left of a moment, after the FFE fell in it."""
        return self._passing(view, mission, minutes)

    @staticmethod
    def _passing(view: View, mission: str, minutes: Fraction) -> Effects:
        """An event that is due within these minutes happens; one due at their end belongs to the next moment."""
        stage = view.mission(mission).stage
        if stage not in (Stage.FALLING, Stage.LINGERING):
            return Effects()
        fire = view.own(mission, Fire)
        wait = fire.wait
        if wait >= minutes:
            return Effects(update(fire, wait=wait - minutes))
        if stage is Stage.LINGERING:
            return Effects(update(fire, wait=Fraction(0)), push("core.close", mission, Reason.DELIVERED, "C1.34"))
        return Effects(push("core.fall", mission), push("passing", mission, minutes - wait))

    @step(cite="C1.35")
    def ceased(self, chance: Chance, view: View, mission: str, stage: Stage) -> Effects:  # noqa: ARG002 - no dice here
        """The counter comes off the map."""
        return self._removed(view, mission)

    @step(cite="C1.35")
    def closed(self, chance: Chance, view: View, mission: str) -> Effects:  # noqa: ARG002 - no dice here
        """The counter comes off the map; of a Creeping Barrage nothing is kept."""
        if self._path(view, mission) is None:
            return self._removed(view, mission)
        # What a radio may have it fire afterwards (E12.771).
        usual = next(kind for kind in view.facts(mission, Gunnery).kinds if kind != CREEPING)
        return Effects(
            self._removed(view, mission),
            update(view.own(mission, Fire), kind=usual),
            update(view.own(mission, Creep), turns=0, shift=(0, 0)),
        )

    @staticmethod
    def _removed(view: View, mission: str) -> Effects:
        return Effects(update(view.own(mission, Fire), resolved=False, wait=Fraction(0)))

    def _path(self, view: View, mission: str) -> Path | None:
        return view.facts(mission, Gunnery).creep

    def _toward(self, view: View, mission: str, die: int) -> int:
        return (die + view.facts(mission, Gunnery).facing - 2) % 6 + 1

    def blast_area(self, view: View, mission: str, place: Place) -> tuple[Place, ...]:
        """The hexes of a Barrage centred on a place, on the map or beyond it."""
        grain = self._grain(view, mission)
        return (place,) if grain is None else along(place, grain)

    @staticmethod
    def _grain(view: View, mission: str) -> Grain | None:
        """The grain of the battery's Barrages, or of the present one."""
        gunnery = view.facts(mission, Gunnery)
        return (view.own(mission, Fire).grain or gunnery.grain) if gunnery.grains else gunnery.grain

    # --- the type of Fire Mission ----------------------------------------------------------------
    @step(cite="C1.7, E12.11, E12.31")
    def declare(self, chance: Chance, view: View, mission: str, kind: str) -> Effects:  # noqa: ARG002 - no dice here
        """The type is announced when FFE:1 appears or a SR is predesignated."""
        return Effects(update(view.own(mission, Fire), kind=kind))

    @staticmethod
    def _kind(view: View, mission: str) -> str:
        """The type of the present Fire Mission; read from the state only where there is a choice."""
        kinds = view.facts(mission, Gunnery).kinds
        return kinds[0] if len(kinds) == 1 else view.own(mission, Fire).kind

    def _ends(self, view: View, mission: str) -> Effects:
        """Where the Barrage counters lie."""
        now = view.mission(mission)
        if view.facts(mission, Gunnery).grain is None or self._kind(view, mission) not in BARRAGES:
            return Effects()
        line = self.blast_area(view, mission, now.impact)
        return Effects(emit("barrage", "E12.11, E12.31", mission=mission, ends=(line[0], line[-1])))

    def _smoke(self, view: View, mission: str) -> Effects:
        """SMOKE counters, in every hex of the Blast Area on the map."""
        kind = self._kind(view, mission)
        if kind not in SMOKES or "observers.smoke" not in view.scenario.steps:
            return Effects()
        cells, _ = self.footprint(view, mission)
        return Effects(push("observers.smoke", mission, cells, kind in WHITE_PHOSPHORUS))

    # --- Blast Area ------------------------------------------------------------------------------
    def _cells(self, view: View, mission: str, impact: Place) -> tuple[Place, ...] | None:
        """The hexes of a Barrage, None for a Fire Mission that covers a disc."""
        grain = self._grain(view, mission)
        if grain is None or self._kind(view, mission) not in BARRAGES:
            return None
        return along(impact, grain)

    def _radius(self, view: View, mission: str) -> int:
        wide = self._kind(view, mission) in (HARASSING, ROCKET)
        return self.number("wide_blast_radius" if wide else "blast_radius")

    def _intensity(self, view: View, mission: str) -> Fraction:
        kind = self._kind(view, mission)
        if kind in WHITE_PHOSPHORUS:
            return WP
        if kind in SMOKES:
            return SMOKE
        if kind in BARRAGES:
            return view.facts(mission, Gunnery).barrage
        return HARASSING_SHARE if kind == HARASSING else FULL

    def covers(self, view: View, mission: str, place: Place, extent: Fraction) -> Fraction:
        """The intensity in a hex of the Blast Area on the map; of something wider, by the share of its hexes."""
        impact = view.mission(mission).impact
        if impact is None:
            return NONE
        cells = view.frame.cells(place, float(extent)) if extent else (place,)
        line = self._cells(view, mission, impact)
        if line is None:
            radius = self._radius(view, mission)
            inside = [h for h in cells if hexes_between(view.frame, impact, h) <= radius and on_map(view.frame, h)]
        else:
            inside = [h for h in cells if h in line and on_map(view.frame, h)]
        if not inside:
            return NONE
        intensity = self._intensity(view, mission)
        return intensity if len(inside) == len(cells) else Fraction(len(inside), len(cells)) * intensity

    def footprint(self, view: View, mission: str) -> tuple[tuple[Place, ...], float]:
        """The hexes of the Blast Area on the map."""
        impact = view.mission(mission).impact
        line = self._cells(view, mission, impact) or disc(impact, self._radius(view, mission))
        cells = tuple(h for h in line if on_map(view.frame, h))
        return cells, len(cells) * HEX_HECTARES

    def in_order(self, view: View, mission: str, places: tuple[Place, ...]) -> tuple[Place, ...]:
        """The hexes of a Blast Area from its centre outward, each ring clockwise; those of a Barrage end to end."""
        cells, _ = self.footprint(view, mission)
        rank = {cell: number for number, cell in enumerate(cells)}
        return tuple(sorted(places, key=lambda place: rank.get(place, len(rank))))

    def outline(self, place: Place) -> tuple[tuple[float, float], ...]:
        """The six corners of a hex."""
        return tuple(vertex_centre(corner, HEX_M) for corner in vertices_of(place))


