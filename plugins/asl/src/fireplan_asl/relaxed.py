"""The setup with few hexes and perfect LOS, in which a battery can do at least as much as in play.

Hexes that are equally far off, and in which an FFE of every type covers the same targets, are
represented by one of them: a round that lands in any of them is moved there. This leaves few places
to follow, while accuracy and error follow the rules (C1.31, C1.4, C1.732).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache
from itertools import cycle, islice, pairwise
from math import ceil

import attrs

from fireplan_asl.blast import NEW, UNSEEN, Gunnery, Settling, Shot, blast_areas, targets_covered
from fireplan_asl.ground import MapState
from fireplan_asl.missions import HARASSING, HE_LIKE, ROCKET
from fireplan_asl.observers import ObserverSight
from fireplan_asl.places import GROUND
from fireplan_asl.translation import AR_HEX, HexTranslation
from fireplan_core import Place, RelaxedSetup, Setup
from fireplan_core.chance import d6
from fireplan_core.setups.setup import MissionSetup
from fireplan_core.space import HexFrame, disc, distance
from fireplan_core.space import step as hex_step

NEAREST, FARTHEST = 3, 5
"""Limits to which an SR's distance from the best hexes is clamped, in hexes."""
CAPS = range(1, d6.sides + 1)
"""The greatest errors that a Correction may have, in hexes; the last is that of a new AR
or a forced Correction."""

Number = Callable[[str], int]
Targets = frozenset[tuple[str, Place]]
"""The targets covered by each type of fire."""
Rating = tuple[Targets, int, bool]
"""What a round can do where it lands: the targets covered by type of fire, its distance to the
best hexes, and whether it is on the map."""
Spread = Mapping[Rating, int]
"""The chances of a round's ratings, as whole numbers with a fixed sum."""


def relaxed(
    scenario: Setup, places: Collection[Place], number: Number, *, halves_first: bool
) -> RelaxedSetup | None:
    """Return a setup in which the batteries can do at least as much at these places, or None.

    Rounds settle in few hexes (``Settling``), Corrections of SRs and the hexes of Barrages have no
    limit (C1.4, E12.4), every hex of the map is in LOS and barred to SMOKE, and all enemies are
    Known. HE replaces SMOKE, and a predesignated SR on the map is Converted only if the side
    wishes. An SR off the map is in no LOS in either setup: it can be Corrected without a limit of
    its error, or removed (C1.331, C1.336).

    A hex named in an order of this setup stands for one of few shots. For each shot that an order
    in play may fire, at any hex and with any error, one of them does at least as well.
    ``halves_first`` means that the error at a Pre-Registered hex is halved before it is limited.

    The result is None for rockets, for recorded grains that differ, for Pre-Registered hexes that
    only one of several Observers may use (C1.733), and if both sides have batteries. It is also
    None if units move or are wider than a hex, if units that are not enemies might be struck, or if
    the map has too few hexes to name all shots.
    """
    missions, frame = scenario.missions, scenario.frame
    if (
        not isinstance(frame, HexFrame)
        or scenario.mobile
        or len({setup.side for setup in missions.values()}) > 1
        or any(unit.extent for unit in scenario.units.values())
        or not all(map(_is_plain, missions.values()))
        or not places
    ):
        return None
    spreads = {
        mission: _Spreads(setup, frame, frozenset(places), number, halves_first=halves_first)
        for mission, setup in missions.items()
    }
    shots = {mission: _shots(scenario, each) for mission, each in spreads.items()}
    hexes = frame.layout.hexes()
    names = _names(scenario, hexes, shots.values())
    if names is None:
        return None
    setups: dict[str, MissionSetup] = {}
    settlings: dict[str, Settling] = {}
    for mission, setup in missions.items():
        settling = _settling(scenario, setup, spreads[mission], shots[mission], names, number)
        if settling is None:
            return None
        setups[mission], settlings[mission] = _with_facts(setup, settling), settling
    ground = scenario.shared.get("areas", MapState())
    barred = attrs.evolve(ground, no_smoke=frozenset(hexes))
    return RelaxedSetup(
        attrs.evolve(scenario, missions=setups, shared={**scenario.shared, "areas": barred}),
        {AR_HEX: names},
        HexTranslation(settlings),
    )


def _is_plain(setup: MissionSetup) -> bool:
    """Return whether a battery has no rockets, one grain, and one Observer if Pre-Registered."""
    gunnery: Gunnery = setup.facts["areas"]
    several = bool(gunnery.registered) and len(setup.facts["delays"].crew) > 1
    return not (ROCKET in gunnery.kinds or gunnery.grains or several)


def _without_smoke(kinds: tuple[str, ...]) -> tuple[str, ...]:
    """Return types of fire without SMOKE, where the battery fires HE at the same hexes.

    HE counts at least as much.
    """
    return tuple(kind for kind in kinds if HE_LIKE.get(kind) not in kinds)


def _with_facts(setup: MissionSetup, settling: Settling) -> MissionSetup:
    """Return a mission's setup in which rounds settle and its Observer has LOS to every hex."""
    gunnery, eyes, requests = (setup.facts[word] for word in ("areas", "observers", "requests"))
    sight = ObserverSight(frozenset(), identified=True, hidden=eyes.hidden, apart=eyes.apart)
    facts = {
        "areas": attrs.evolve(gunnery, kinds=_without_smoke(gunnery.kinds), settling=settling),
        "observers": sight,
        "requests": attrs.evolve(requests, kinds=_without_smoke(requests.kinds), unlimited=True),
    }
    return attrs.evolve(setup, facts={**setup.facts, **facts})


class _Spreads:
    """The chances of what a battery's rounds can do where they land."""

    def __init__(
        self,
        setup: MissionSetup,
        frame: HexFrame,
        places: frozenset[Place],
        number: Number,
        *,
        halves_first: bool,
    ) -> None:
        self.target = setup.target
        gunnery: Gunnery = setup.facts["areas"]
        self.gunnery = attrs.evolve(gunnery, kinds=_without_smoke(gunnery.kinds))
        self.registered = self.gunnery.registered
        self.per_error_hex = number("hexes_per_error_hex")
        self.ffe_reach = number("ffe_correction")
        """The greatest distance of an FFE's Correction, in hexes."""
        self.ffe_cap = ceil(self.ffe_reach / self.per_error_hex)
        """The greatest limit of the error of an FFE's Correction; a forced one has no limit."""
        self._halves_first, self._frame = halves_first, frame
        self._accurate = number("accurate_if_registered")
        self._covered = cache(lambda at: targets_covered(self.gunnery, at, places, number))
        reach = max(map(number, ("barrage_arm", "blast_radius", "wide_blast_radius")))
        centres = self.nearest_first({at for place in places for at in disc(place, reach)})
        covered: dict[Targets, Place] = {}
        for at in centres:
            covered.setdefault(self._covered(at), at)
        self._best = [at for each, at in covered.items() if not any(map(each.__lt__, covered))]
        """For each largest set of targets that a hex can cover, the hex nearest to the target."""
        self._wide = {_wide(each) for each in covered}
        self.rating = cache(self._rating)
        """Return the rating of a round that lands in a hex."""

    def nearest_first(self, hexes: Iterable[Place]) -> list[Place]:
        """Return hexes sorted by their distance to the target."""
        return sorted(hexes, key=lambda at: (distance(at, self.target), at))

    def off(self, place: Place) -> int:
        """Return the distance from a hex to the nearest of the best hexes, in hexes."""
        return min(distance(place, at) for at in self._best)

    def _rating(self, place: Place) -> Rating:
        covered = self._covered(place)
        wide = _wide(covered)
        # For weak Harassing Fire, a set of targets is widened to the largest set that contains it.
        most = max((each for each in self._wide if each >= wide), key=_size) if wide else wide
        off = min(max(self.off(place), NEAREST), FARTHEST)
        return covered | most, off, self._frame.on_map(place)

    def is_typical(self, place: Place) -> bool:
        """Return whether a round in a hex covers all targets of its rating."""
        return self._covered(place) == self.rating(place)[0]

    def accuracy(self, aim: Place) -> int:
        """Return the highest accurate dr for an AR without DRM."""
        return self._accurate if aim in self.registered else self.gunnery.accurate

    def error(self, aim: Place, dr: int, cap: int) -> int:
        """Return the Extent of Error of a dr, in hexes, limited to ``cap`` (C1.31, C1.732)."""
        if aim not in self.registered:
            return min(dr, cap)
        return min(ceil(dr / 2), cap) if self._halves_first else ceil(min(dr, cap) / 2)

    def landings(self, shot: Shot) -> list[tuple[Place, int]]:
        """Return the hexes in which a shot may land, with weights."""
        missed = [
            (
                hex_step(shot.aim, toward, self.error(shot.aim, dr, shot.cap)),
                d6.sides - shot.accurate,
            )
            for toward in range(1, 7)
            for dr in CAPS
        ]
        return [(shot.aim, shot.accurate * len(missed)), *missed]

    def spread(self, shot: Shot) -> Spread:
        """Return the chances of a shot's ratings."""
        weights: dict[Rating, int] = {}
        for place, weight in self.landings(shot):
            if weight:
                rating = self.rating(place)
                weights[rating] = weights.get(rating, 0) + weight
        return weights


def _wide(covered: Targets) -> Targets:
    """Return the targets that Harassing Fire covers."""
    return frozenset(each for each in covered if each[0] == HARASSING)


def _size(covered: Targets) -> tuple[int, list[tuple[str, Place]]]:
    return len(covered), sorted(covered)


def _shots(scenario: Setup, spreads: _Spreads) -> dict[int, list[Shot]]:
    """Map each situation to the shots that matter in it.

    For any order to place an AR or to Correct, one of them does at least as well. The situations
    are those of ``Settling.shots``. A DRM or a forced Correction lowers the accuracy, which then
    lies between 0 and that of these shots.
    """
    aims = spreads.nearest_first(filter(scenario.frame.on_map, scenario.frame.places()))
    accurate = {aim: (spreads.accuracy(aim), 0) for aim in aims}
    shots = [Shot(aim, cap, dr) for aim in aims for cap in CAPS for dr in accurate[aim]]
    new = [shot for shot in shots if shot.cap == CAPS[-1]]
    forced = [shot for shot in new if not shot.accurate or shot.aim in spreads.registered]
    by_situation = {NEW: new, UNSEEN: forced}
    for off in range(NEAREST, FARTHEST + 1):
        by_situation |= {
            off: [shot for shot in shots if shot.cap >= _least_error(spreads, shot.aim, off)],
            -off: [shot for shot in shots if _may_correct_ffe(spreads, shot, off)],
        }
    return {situation: _undominated(spreads, each) for situation, each in by_situation.items()}


def _may_correct_ffe(spreads: _Spreads, shot: Shot, off: int) -> bool:
    """Return whether an FFE this far ``off`` may be Corrected with a shot.

    The AR may be only a few hexes away (C1.4), so a Correction lowers ``off`` by no more than that.
    A forced Correction errs without limit. It can be Accurate only on a Pre-Registered hex, by one
    reading of C1.335 and C1.732.
    """
    if _least_length(spreads, shot.aim, off) > spreads.ffe_reach:
        return False
    if shot.cap <= spreads.ffe_cap:
        return True
    is_forced = not shot.accurate or shot.aim in spreads.registered
    return is_forced and shot.cap == CAPS[-1]


def _least_error(spreads: _Spreads, aim: Place, off: int) -> int:
    """Return the lowest limit on the error of a Correction from a hex this far ``off`` (C1.4)."""
    return ceil(_least_length(spreads, aim, off) / spreads.per_error_hex)


def _least_length(spreads: _Spreads, aim: Place, off: int) -> int:
    """Return the least length, in hexes, of a Correction from a hex this far ``off``.

    A distance of ``NEAREST`` also stands for smaller distances. Each hex of a Correction changes
    the distance to the best hexes by at most one.
    """
    return 1 if off == NEAREST else max(1, off - spreads.off(aim))


def _undominated(spreads: _Spreads, shots: Iterable[Shot]) -> list[Shot]:
    """Return the shots, except those that are no better than another shot that is kept."""
    kept: list[tuple[Shot, Spread]] = []
    met: set[frozenset[tuple[Rating, int]]] = set()
    for shot in shots:
        spread = spreads.spread(shot)
        form = frozenset(spread.items())
        if form in met:
            continue
        met.add(form)
        if not any(_does_as_well(better, spread) for _, better in kept):
            kept = [each for each in kept if not _does_as_well(spread, each[1])]
            kept.append((shot, spread))
    return [shot for shot, _ in kept]


def _names(
    scenario: Setup, hexes: Iterable[Place], shots: Iterable[Mapping[int, Sequence[Shot]]]
) -> tuple[Place, ...] | None:
    """Return the hexes that orders may name, enough for each shot to have its own.

    All targets come first, then the Pre-Registered hexes, because an FFE:1 may be placed only
    there. Return None if the map has too few hexes.
    """
    missions = scenario.missions.values()
    special = {setup.target: None for setup in missions}
    special |= {at: None for setup in missions for at in sorted(setup.facts["areas"].registered)}
    most = max(len(each) for by_situation in shots for each in by_situation.values())
    others = [*islice((at for at in hexes if at not in special), most)]
    return (*special, *others) if len(others) == most else None


def _named_shots(
    spreads: _Spreads, shots: Mapping[int, Sequence[Shot]], names: Sequence[Place]
) -> dict[int, dict[Place, Shot]]:
    """Return by situation the shot that an order for each hex stands for.

    A new AR in a Pre-Registered hex is a shot at that hex itself.
    """
    named = {situation: dict(zip(names, cycle(each))) for situation, each in shots.items()}
    others = iter(cycle(shots[NEW]))
    named[NEW] = {
        at: Shot(at, CAPS[-1], spreads.accuracy(at)) if at in spreads.registered else next(others)
        for at in names
    }
    return named


def _settling(
    scenario: Setup,
    setup: MissionSetup,
    spreads: _Spreads,
    shots: Mapping[int, Sequence[Shot]],
    names: Sequence[Place],
    number: Number,
) -> Settling | None:
    """Return where a battery's rounds settle, or None if they would strike other units.

    A round settles in a hex on the map that is at least as good; an SR that lands off the map
    settles in one hex off the map. Among hexes with the same rating, the one nearest to the target
    is used.
    """
    named = _named_shots(spreads, shots, names)
    used = {shot for each in named.values() for shot in each.values()}
    enemies = {unit.side for unit in scenario.units.values()} - {setup.side, GROUND}
    spared = {unit.place for unit in scenario.units.values() if unit.side not in enemies}
    on_map = scenario.frame.on_map
    landings = spreads.nearest_first({at for shot in used for at, _ in spreads.landings(shot)})
    hexes: dict[Rating, Place] = {}
    for at in landings:
        struck = blast_areas(spreads.gunnery, at, number)
        if on_map(at) and spared.isdisjoint(struck) and spreads.is_typical(at):
            hexes.setdefault(spreads.rating(at), at)
    places: dict[Place, Place] = {}
    for at in landings:
        rating = spreads.rating(at)
        as_good = [each for each in hexes if _is_as_good(each, rating)]
        if not as_good:
            return None
        places[at] = hexes[min(as_good, key=lambda each: (len(each[0]), -each[1]))]
    off_map = [at for at in landings if not on_map(at)]
    spots = places | dict.fromkeys(off_map, *off_map[:1])
    return Settling(places, spots, {at: off for (_, off, _), at in hexes.items()}, named)


# --- comparing the chances of ratings -------------------------------------------------------------
def _is_as_good(better: Rating, worse: Rating) -> bool:
    """Return whether a rating covers all targets that another covers, and is no farther off.

    It must also be on the map if the other one is.
    """
    return better[0] >= worse[0] and better[1] <= worse[1] and better[2] >= worse[2]


def _does_as_well(better: Spread, worse: Spread) -> bool:
    """Return whether all of ``worse`` can be matched with ratings of ``better`` that are as good.

    Both have the same total.
    """
    if better == worse:
        return True
    matching = _Matching(better)
    return all(matching.add(rating, weight) for rating, weight in worse.items())


class _Matching:
    """A matching of worse ratings with better ones, by weight, built with augmenting paths."""

    def __init__(self, better: Spread) -> None:
        self._left = dict(better)
        self._matched: dict[tuple[Rating, Rating], int] = {}
        """The weight matched from a worse to a better rating, by (worse, better)."""

    def add(self, rating: Rating, weight: int) -> bool:
        """Match a worse rating with this weight; return whether all of it can be matched."""
        while weight:
            path = self._path(rating)
            if not path:
                return False
            moved = min(
                weight,
                self._left[path[0][1]],
                *(self._matched[worse, after] for (worse, _), (_, after) in pairwise(path)),
            )
            self._left[path[0][1]] -= moved
            for worse, better in path:
                self._matched[worse, better] = self._matched.get((worse, better), 0) + moved
            for (worse, _), (_, before) in pairwise(path):
                self._matched[worse, before] -= moved
            weight -= moved
        return True

    def _path(self, rating: Rating) -> list[tuple[Rating, Rating]]:
        """Return pairs (worse, better) of ratings to match, or an empty list if there are none.

        The better rating of the first pair has weight left. The better rating of each later pair is
        one with which the worse rating of the pair before is matched now. The worse rating of the
        last pair is ``rating``.
        """
        takes: dict[Rating, Rating] = {}
        loses: dict[Rating, Rating] = {}
        queue = [rating]
        for worse in queue:
            for better, left in self._left.items():
                if better in takes or not _is_as_good(better, worse):
                    continue
                takes[better] = worse
                if left:
                    path = [(worse, better)]
                    while path[-1][0] != rating:
                        before = loses[path[-1][0]]
                        path.append((takes[before], before))
                    return path
                for (other, at), share in self._matched.items():
                    if at == better and share and other != rating and other not in loses:
                        loses[other] = better
                        queue.append(other)
        return []
