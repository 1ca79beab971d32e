"""Say what a battery fires and covers: Blast Areas (C1.32, C1.72, C1.9) and Barrages (E12.11, E12.31)."""

from fractions import Fraction

import attrs

from fireplan_asl._ground import Fire
from fireplan_asl._options import Announced
from fireplan_asl._path import Creep, Grain, Path, along
from fireplan_asl._places import BARRAGES, CONCENTRATION, CREEPING, HARASSING, ROCKET, hexes_between
from fireplan_core import Place, View
from fireplan_core.blocks import HexAreas
from fireplan_core.space import Hex, disc

FULL, NONE = Fraction(1), Fraction(0)


@attrs.frozen
class Gunnery:
    """Say what never changes: the highest accurate dr and the Pre-Registered hexes of the battery.

    ``kinds`` are the Fire Missions it may fire, ``grain`` that of its Barrages, ``barrage`` the firepower of one as
    a share of its Concentration; ``creep`` the record of a Creeping Barrage. ``facing`` is the hexside to which the 1
    of its AR counter points, 1 being that of the lower numbers. ``grains`` are the grains by Pre-Registered hex, where
    one option lets them differ (E12.2).
    """

    accurate: int
    registered: frozenset[Place]
    kinds: tuple[str, ...] = (CONCENTRATION,)
    grain: Grain | None = None
    barrage: Fraction = FULL
    creep: Path | None = None
    facing: int = 1
    grains: tuple[tuple[Place, Grain], ...] = ()


class BlastAreas(HexAreas):
    """Say what fire covers, for the areas part to inherit."""

    @staticmethod
    def path(view: View, mission: str) -> Path | None:
        """Return what was recorded for this battery, if it creeps."""
        return view.facts(mission, Gunnery).creep

    @staticmethod
    def hexside(view: View, mission: str, die: int) -> int:
        """Return the hexside of a direction die: 1 is where the AR counter points, then clockwise."""
        return (die + view.facts(mission, Gunnery).facing - 2) % 6 + 1

    def kind(self, view: View, mission: str) -> str:
        """Return the type of the present Fire Mission; read from the state only where there is a choice."""
        gunnery = view.facts(mission, Gunnery)
        if gunnery.creep is not None and not view.own(mission, Creep).over:
            return CREEPING
        return gunnery.kinds[0] if len(gunnery.kinds) == 1 else view.peek(mission, Announced).kind

    @staticmethod
    def grain(view: View, mission: str) -> Grain | None:
        """Return the grain of the battery's Barrages, or of the present one."""
        gunnery = view.facts(mission, Gunnery)
        return (view.own(mission, Fire).grain or gunnery.grain) if gunnery.grains else gunnery.grain

    def line(self, view: View, mission: str, centre: Place) -> tuple[Place, ...] | None:
        """Return the hexes of a Barrage on a place, end to end; None for a Fire Mission that covers a disc."""
        return self._line(view, mission, centre, self.kind(view, mission))

    def _line(self, view: View, mission: str, centre: Place, kind: str) -> tuple[Place, ...] | None:
        grain = self.grain(view, mission) if kind in BARRAGES else None
        if grain is None:
            return None
        return along(centre, grain, self.number("barrage_arm"))

    def _radius(self, kind: str) -> int:
        return self.number("wide_blast_radius" if kind in (HARASSING, ROCKET) else "blast_radius")

    def _strength(self, view: View, mission: str, kind: str) -> Fraction:
        match kind:
            case "barrage" | "creeping":
                return view.facts(mission, Gunnery).barrage
            case "harassing":
                return Fraction(1, self.number("harassing_divisor"))
            case _:
                return FULL

    def covers(self, view: View, mission: str, place: Place, extent: Fraction) -> Fraction:
        """Return the strength in a hex of the Blast Area on the map; of something wider, by the share of its hexes."""
        impact = view.mission(mission).impact
        if impact is None:
            return NONE
        frame, kind = view.frame, self.kind(view, mission)
        cells = frame.cells(place, float(extent)) if extent else (place,)
        line = self._line(view, mission, impact, kind)
        if line is None:
            radius = self._radius(kind)
            inside = [cell for cell in cells if hexes_between(frame, impact, cell) <= radius and frame.on_map(cell)]
        else:
            inside = [cell for cell in cells if cell in line and frame.on_map(cell)]
        if not inside:
            return NONE
        strength = self._strength(view, mission, kind)
        return strength if len(inside) == len(cells) else Fraction(len(inside), len(cells)) * strength

    def covered(self, view: View, mission: str) -> tuple[Hex, ...]:
        """Return the hexes of the Blast Area on the map."""
        impact = view.mission(mission).impact
        kind = self.kind(view, mission)
        line = self._line(view, mission, impact, kind) or disc(impact, self._radius(kind))
        return tuple(cell for cell in line if view.frame.on_map(cell))

    def in_order(self, view: View, mission: str, places: tuple[Place, ...]) -> tuple[Place, ...]:
        """Return the hexes of a Blast Area from its centre outward, rings clockwise; of a Barrage end to end."""
        rank = {cell: number for number, cell in enumerate(self.covered(view, mission))}
        return tuple(sorted(places, key=lambda place: rank.get(place, len(rank))))
