"""Blast Areas (C1.32, C1.72, C1.9) and Barrages (E12.1): the hexes that an FFE covers."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from fractions import Fraction

import attrs

from fireplan_asl.ground import FFEState
from fireplan_asl.missions import (
    BARRAGES,
    CONCENTRATION,
    CREEPING,
    HARASSING,
    ON_MAP,
    ROCKET,
    SHELLS,
)
from fireplan_asl.options import Announced
from fireplan_asl.path import Creep, Grain, Path, along
from fireplan_asl.places import hexes_between
from fireplan_core import FireKind, Place, Stage, View
from fireplan_core.space import Hex, disc

Number = Callable[[str], int]
"""A function that returns a number of the game, given its name, such as ``Part.number``."""
FULL, NONE = Fraction(1), Fraction(0)


NEW, UNSEEN = 0, 1
"""The situations of a new AR and of an SR off the map, in ``Settling.shots``."""


@attrs.frozen
class Shot:
    """A shot in a setup with few hexes: aim, greatest error in hexes and highest accurate dr."""

    aim: Place
    cap: int
    accurate: int


@attrs.frozen
class Settling:
    """The few impact hexes of a setup that is never played and only bounds results (``relaxed``).

    In play a round may land in any hex. Here it settles in one of a few hexes, where it covers at
    least as much of the target. ``places`` maps the hex in which an FFE lands to the one in which
    it settles; ``spots`` does so for an SR. ``off`` maps each of these hexes on the map to its
    distance from those that cover most. ``shots[situation][hex]`` is the shot of an order that
    names the hex. The situation is ``NEW``, ``UNSEEN``, the distance ``off`` of an SR, or minus
    that distance for an FFE.
    """

    places: Mapping[Place, Place] = attrs.field(hash=False)
    spots: Mapping[Place, Place] = attrs.field(hash=False)
    off: Mapping[Place, int] = attrs.field(hash=False)
    shots: Mapping[int, Mapping[Place, Shot]] = attrs.field(hash=False)

    def situation(self, stage: Stage, impact: Place) -> int:
        """Return the situation in which a Correction moves the AR from a round's hex."""
        if stage not in ON_MAP or impact is None:
            return NEW
        off = self.off.get(impact, UNSEEN)
        return -off if stage is Stage.FALLING else off


@attrs.frozen
class Gunnery:
    """The fixed facts of a battery's fire.

    ``accurate`` is the highest accurate dr, ``registered`` are the Pre-Registered hexes, and
    ``kinds`` are the Fire Missions that the battery may fire. Its Barrages run along ``grain``; if
    its Pre-Registered hexes have different grains, ``grains`` lists each hex with its grain
    (E12.2). ``barrage`` is the firepower of a Barrage as a share of that of a Concentration.
    ``creep`` is the record of a Creeping Barrage. The 1 of the AR counter points to hexside
    ``facing``; hexside 1 faces the lower hex numbers. ``settling`` is None in every setup that is
    played.
    """

    accurate: int
    registered: frozenset[Place]
    kinds: tuple[str, ...] = (CONCENTRATION,)
    grain: Grain | None = None
    barrage: Fraction = FULL
    creep: Path | None = None
    facing: int = 1
    grains: tuple[tuple[Place, Grain], ...] = ()
    settling: Settling | None = None


def hexside(view: View, mission: str, die: int) -> int:
    """Return the hexside (1 to 6) of a direction dr, clockwise from the AR counter's 1."""
    return (die + view.facts(mission, Gunnery).facing - 2) % 6 + 1


def mission_type(view: View, mission: str) -> str:
    """Return the type of the current Fire Mission, e.g. ``concentration``."""
    # The announced type is read from the state only if there is a choice.
    gunnery = view.facts(mission, Gunnery)
    if gunnery.creep is not None and not view.own(mission, Creep).over:
        return CREEPING
    return gunnery.kinds[0] if len(gunnery.kinds) == 1 else view.peek(mission, Announced).kind


def barrage_line(
    view: View, mission: str, centre: Place, number: Number
) -> tuple[Place, ...] | None:
    """Return the hexes of a Barrage centred on a hex, end to end.

    Returns None for other Fire Missions, whose Blast Area is a disc.
    """
    return _line(view, mission, centre, mission_type(view, mission), number)


def _line(
    view: View, mission: str, centre: Place, kind: str, number: Number
) -> tuple[Place, ...] | None:
    """Return the hexes of a Barrage from end to end, or None for other Fire Missions."""
    gunnery = view.facts(mission, Gunnery)
    if gunnery.grain is None or kind not in BARRAGES:
        return None
    grain = (view.own(mission, FFEState).grain if gunnery.grains else None) or gunnery.grain
    return along(centre, grain, number("barrage_arm"))


def covers(view: View, mission: str, place: Place, extent: Fraction, number: Number) -> Fraction:
    """Return the firepower at a place as a share of the battery's Concentration firepower.

    A place wider than a hex gets the fraction of its hexes that the Blast Area covers. The share is
    0 if no round is on the map.
    """
    impact = view.mission(mission).impact
    if impact is None:
        return NONE
    frame, kind = view.frame, mission_type(view, mission)
    cells = frame.cells(place, float(extent)) if extent else (place,)
    line = _line(view, mission, impact, kind, number)
    if line is None:
        radius = radius_of(kind, number)
        inside = [
            cell
            for cell in cells
            if hexes_between(frame, impact, cell) <= radius and frame.on_map(cell)
        ]
    else:
        inside = [cell for cell in cells if cell in line and frame.on_map(cell)]
    if not inside:
        return NONE
    strength = _strength(view.facts(mission, Gunnery), kind, number)
    return strength if len(inside) == len(cells) else Fraction(len(inside), len(cells)) * strength


def covered(view: View, mission: str, number: Number) -> tuple[Hex, ...]:
    """Return the hexes of the Blast Area that are on the map.

    They are in order: rings clockwise from the centre, or a Barrage from end to end.
    """
    impact, kind = view.mission(mission).impact, mission_type(view, mission)
    line = _line(view, mission, impact, kind, number)
    cells = disc(impact, radius_of(kind, number)) if line is None else line
    return tuple(cell for cell in cells if view.frame.on_map(cell))


def most_covered(gunnery: Gunnery, shares: Mapping[Place, Fraction], number: Number) -> Fraction:
    """Return the greatest total share that one FFE can cover, weighted by its firepower.

    ``shares`` maps hexes to their shares. The FFE may be of any type that the battery fires and
    fall anywhere. SMOKE other than WP does not count.
    """
    creeps = () if gunnery.creep is None else (CREEPING,)
    kinds = [kind for kind in (*gunnery.kinds, *creeps) if SHELLS.get(kind) is not FireKind.SMOKE]
    far = _farthest(gunnery, kinds, number)
    centres = dict.fromkeys(centre for place in shares for centre in disc(place, far))
    most = NONE
    for kind in kinds:
        strength = _strength(gunnery, kind, number)
        for shape in _shapes(gunnery, kind, number):
            covered_shares = [
                sum((shares.get(cell, NONE) for cell in shape(centre)), NONE) for centre in centres
            ]
            most = max(most, strength * max(covered_shares, default=NONE))
    return most


def targets_covered(
    gunnery: Gunnery, centre: Hex, places: Collection[Place], number: Number
) -> frozenset[tuple[str, Place]]:
    """Return (type of fire, place) for each of the ``places`` that an FFE of that type covers.

    The FFE is centred on ``centre``; a Barrage may have any of the battery's grains.
    """
    return frozenset(
        (kind, place)
        for kind in gunnery.kinds
        for shape in _shapes(gunnery, kind, number)
        for place in set(shape(centre)).intersection(places)
    )


def blast_areas(gunnery: Gunnery, centre: Hex, number: Number) -> set[Hex]:
    """Return the hexes that an FFE of some type covers from a centre."""
    shapes = [shape for kind in gunnery.kinds for shape in _shapes(gunnery, kind, number)]
    return {cell for shape in shapes for cell in shape(centre)}


def _shapes(
    gunnery: Gunnery, kind: str, number: Number
) -> Iterator[Callable[[Hex], tuple[Hex, ...]]]:
    """Yield functions from a centre to the hexes of its Blast Area.

    A Barrage has a function for each grain that it may have; other types have a single function.
    """
    if gunnery.grain is None or kind not in BARRAGES:
        radius = radius_of(kind, number)
        yield lambda centre: disc(centre, radius)
        return
    arm = number("barrage_arm")
    for grain in dict.fromkeys((gunnery.grain, *(grain for _, grain in gunnery.grains))):
        yield lambda centre, grain=grain: along(centre, grain, arm)  # type: ignore[misc]


def _farthest(gunnery: Gunnery, kinds: Iterable[str], number: Number) -> int:
    """Return the greatest distance, in hexes, from the centre of a Blast Area of these types."""
    arm = 0 if gunnery.grain is None else number("barrage_arm")
    return max([arm, *(radius_of(kind, number) for kind in kinds)])


def radius_of(kind: str, number: Number) -> int:
    """Return the Blast Area's radius, in hexes, for a type of Fire Mission other than a Barrage."""
    return number("wide_blast_radius" if kind in (HARASSING, ROCKET) else "blast_radius")


def _strength(gunnery: Gunnery, kind: str, number: Number) -> Fraction:
    match kind:
        case "barrage" | "creeping":
            return gunnery.barrage
        case "harassing":
            return Fraction(1, number("harassing_divisor"))
        case _:
            return FULL
