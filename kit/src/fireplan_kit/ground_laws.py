"""The checks on the ground: footprints and scatter, wherever fire is aimed."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import chain, product
from math import atan2, degrees, hypot
from typing import Any

from fireplan.draw.shapes import Point, box, twice_area
from fireplan_core import Ask, Intent, Place, Scenario, Step, View
from fireplan_core.space import PlaneFrame
from fireplan_kit.bench import Bench
from fireplan_kit.check import Flaws

MIDDLE = ((0, 0), (45, 0), (-45, 0), (0, 45), (35, -45))
"""Points near the target, in metres east and south of it, in odd and even columns of hexes."""
BEYOND = ((700, 0), (0, 250), (20_000, 0), (0, -20_000))
"""Points at the edge of a map and off the map, in metres east and south of the target."""

POINTS, MOST_LABELS = 40, 6
"""Number of points on each side of the grid that tests coverage, and of labels in a message."""
LITTLE, LEAST, MOST = 0.02, 0.4, 1.6
"""The relative difference allowed between two areas, and the lowest and highest ratio allowed
between the points covered and the points expected."""


def footprints_are_whole(bench: Bench) -> Flaws:
    """Check that a footprint lists no cell twice, has one size, and never grows at the edge.

    The footprints of all possible aims at a place must stay the same when turned by 180 degrees or
    mirrored, because nothing may depend on the labels of cells. Its hectares are those of its
    outlines, and every place covered is in it.
    """
    scenario = bench.scenario
    areas, mission, around = scenario.parts.areas, scenario.mission_ids[0], _around_target(scenario)
    faults: Flaws = []
    sizes = []
    for east, south in (*MIDDLE, *BEYOND):
        place = areas.aim_at(around(east, south))[0]
        cells, hectares = areas.footprint(view_of_fire(scenario, place), mission)
        if len(cells) != len(set(cells)):
            faults.append(
                f"the footprint of fire that lands on {scenario.frame.label(place)} lists a cell twice"
            )
        sizes.append((len(cells), round(hectares, 3)))
    whole = set(sizes[: len(MIDDLE)])
    if len(whole) != 1:
        faults.append(
            f"the footprint changes with its place on the map; cells and hectares: {sorted(whole)}"
        )
    if any(size > sizes[0] for size in sizes):
        faults.append(
            f"the footprint grows at the edge or off the map; cells and hectares: {sizes}"
        )
    target = around(0, 0)
    shapes = {_shape(bench, mission, target, aim) for aim in areas.aim_at(target)}
    for east, south, change in ((-1, -1, "turned by 180 degrees"), (-1, 1, "mirrored")):
        if shapes != {
            frozenset((east * x + 0, south * y + 0) for x, y in shape) for shape in shapes
        }:
            faults.append(f"the footprints change when {change}")
    return [*faults, *_unlike_covered(bench, mission, areas.aim_at(target)[0])]


def _around_target(scenario: Scenario) -> Callable[[float, float], Place]:
    """Return a function from metres east and south of the first target to the place there."""
    x, y = scenario.frame.metres(scenario.missions[scenario.mission_ids[0]].target)
    return lambda east, south: scenario.frame.nearest(x + east, y + south)


def _unlike_covered(bench: Bench, mission: str, impact: Place) -> Iterator[str]:
    """Yield a flaw if the footprint, its hectares, its outlines and the covered places disagree."""
    scenario, areas = bench.scenario, bench.scenario.parts.areas
    view = view_of_fire(scenario, impact)
    cells, hectares = areas.footprint(view, mission)
    outlines = areas.shape(view, mission)
    drawn = sum(map(_hectares, outlines))
    if abs(drawn - hectares) > hectares * LITTLE:
        yield f"the footprint has {hectares:.3f} hectares, but its outlines have {drawn:.3f}"
    points = list(_around(outlines))
    places = Counter(scenario.frame.nearest(*point) for point in points)
    covered = {place: areas.covers(view, mission, place, Fraction(0)) for place in places}
    if wrong := {share for share in covered.values() if not 0 <= share <= 1}:
        yield f"a place is covered by {max(wrong)}, expected a share from 0 to 1"
    under = {place for place, share in covered.items() if share}
    if not isinstance(scenario.frame, PlaneFrame):
        labels = sorted(map(scenario.frame.label, under ^ {*cells}))
        if labels:
            yield f"covers and footprint disagree about {', '.join(labels[:MOST_LABELS])}"
        return
    expected = len(points) * drawn / _hectares(_box(outlines))
    count = sum(places[place] for place in under)
    if not LEAST * expected <= count <= MOST * expected:
        yield (
            f"covers includes {count} of {len(points)} points around the impact,"
            f" but the outlines include about {expected:.0f}"
        )


def _hectares(outline: Sequence[Point]) -> float:
    """Return the area inside an outline in metres, in hectares."""
    return abs(twice_area(outline)) / 2 / 10_000


def _box(outlines: Sequence[Sequence[Point]]) -> tuple[Point, ...]:
    """Return the corners of a rectangle around all outlines, with a margin of half its size."""
    west, north, east, south = box([*chain(*outlines)])
    wide, high = (east - west) / 2, (south - north) / 2
    west, east, north, south = west - wide, east + wide, north - high, south + high
    return (west, north), (east, north), (east, south), (west, south)


def _around(outlines: Sequence[Sequence[Point]]) -> Iterator[Point]:
    """Yield points evenly spread over the rectangle around all outlines."""
    (west, north), _, (east, south), _ = _box(outlines)
    for row, column in product(range(POINTS), repeat=2):
        yield (
            west + (east - west) * (column + 0.5) / POINTS,
            north + (south - north) * (row + 0.5) / POINTS,
        )


def view_of_fire(scenario: Scenario, impact: Place) -> View:
    """Return the areas part's view at the opening, with the first mission's impact at a place."""
    values: dict[str, Any] = {
        **scenario.initial,
        f"missions/{scenario.mission_ids[0]}/impact": impact,
    }
    return View(values.get, scenario, "areas")


def _shape(bench: Bench, mission: str, target: Place, aim: Place) -> frozenset[tuple[int, int]]:
    """Return the cells covered by fire at an aim, as metres east and south of the target."""
    scenario = bench.scenario
    x, y = scenario.frame.metres(target)
    cells, _ = scenario.parts.areas.footprint(view_of_fire(scenario, aim), mission)
    offsets = ((a - x, b - y) for a, b in map(scenario.frame.metres, cells))
    return frozenset((round(a), round(b)) for a, b in offsets)


def errors_stay_on_their_lines(bench: Bench) -> Flaws:
    """Check that shots land on at most ``Areas.error_lines`` lines through their aim."""
    scenario = bench.scenario
    areas, mission, around = scenario.parts.areas, scenario.mission_ids[0], _around_target(scenario)
    landings: dict[int, set[tuple[int, int]]] = {}
    for east, south in MIDDLE:
        aim = areas.aim_at(around(east, south))[0]
        from_x, from_y = scenario.frame.metres(aim)
        for impact in _impacts(bench, mission, aim):
            to_x, to_y = scenario.frame.metres(impact)
            turn = round(degrees(atan2(to_y - from_y, to_x - from_x)))
            length = round(hypot(to_x - from_x, to_y - from_y))
            if length:
                landings.setdefault(turn % 360, set()).add((round(from_x), length))
    declared = areas.error_lines()
    if len(landings) > declared:
        lines = f"shots land along {len(landings)} lines, but error_lines says {declared}"
        return [f"{lines}; in degrees: {sorted(landings)}"]
    return []


def _impacts(bench: Bench, mission: str, aim: Place) -> set[Place]:
    """Return every place where fire for effect at an aim can land, following the areas' steps."""
    key = f"missions/{mission}"
    values = {**bench.scenario.initial, f"{key}/aim": aim, f"{key}/intent": Intent.EFFECT}
    rulebook = bench.compiler.rulebook
    landed: set[Place] = set()
    todo: list[Step] = [Step("areas.land", (mission,))]
    while todo:
        step = todo.pop()
        for _, _, outcome, _ in rulebook.branches(step, values.get):
            for pending in outcome.pushes:
                if isinstance(pending, Ask):
                    todo.append(rulebook.after(pending, rulebook.answer(pending, {}, values.get)))
                elif pending.name == "core.landed":
                    landed.add(pending.args[1])
                elif pending.name.startswith("areas."):
                    todo.append(pending)
    return landed
