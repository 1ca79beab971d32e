"""Areas of Red Poppies: accuracy, strays along a spine, and the three hexes at a vertex (7.24).

Troops are in hexes; aims and impacts are vertices. The fire for effect marker stays until
administration. Massed fire strikes lines of hexes, along which a creeping barrage advances (7.4).
"""

from collections.abc import Collection, Iterator, Mapping
from fractions import Fraction
from typing import ClassVar

import attrs

from fireplan_core import (
    Form,
    Keeps,
    Modifier,
    Place,
    Refusal,
    RelaxedSetup,
    Setup,
    Slot,
    Staging,
    View,
    cycle,
    orders,
)
from fireplan_core.chance import Chance, d6
from fireplan_core.mission import FireLimit, Reason, Stage
from fireplan_core.ready_parts import HexAreas
from fireplan_core.record import COUNT, kept, record
from fireplan_core.space import Hex, Outline, Vertex, VertexFrame, spines, stray, vertices_of
from fireplan_core.steps.effects import Effects, ask, emit, push, step, update
from fireplan_red_poppies.ground import HEX_M, ONE_MAP, is_hex
from fireplan_red_poppies.massed import Massed, massed_fire
from fireplan_red_poppies.requests import RedPoppiesRequests
from fireplan_red_poppies.setup import Group, Settling, Staged, endless
from fireplan_red_poppies.track import FLARE, RecordTrack
from fireplan_red_poppies.troops import MapChanges

MIDDLE = "N18"
"""The label of a hex well inside the map."""


@record
class FireForEffectMarker:
    """The fire for effect marker of a group, with the minutes until its removal."""

    minutes: Fraction = kept(Fraction(0), "minutes until the marker is removed", "7.247")


@record
class Registration:
    """A group's registration on one vertex."""

    hit: bool = kept(False, "whether the group has hit this vertex before", "7.242")


@record
class BarrageProgress:
    """A creeping barrage's progress: its current line, and its strikes this turn."""

    line: int = kept(0, "the line of the barrage under fire, counted from 0", "7.42", between=COUNT)
    struck: int = kept(0, "times the barrage has struck this turn", "7.42", between=COUNT)


_FACES = range(1, d6.sides + 1)
CROSS_HAIR = f"{RedPoppiesRequests.word}.{RedPoppiesRequests.cross_hair.__name__}", "at"
"""The question and the slot in which a group's vertex is named."""
COUPLETS = 2
"""The printed number of couplets of a turn in which a barrage strikes (7.41, 7.42)."""


class RedPoppiesAreas(Staged, HexAreas):
    """The areas part: three hexes at a vertex until the turn ends, or the line of a barrage."""

    keeps = Keeps(assets=((FireForEffectMarker, BarrageProgress),), assets_at=(Registration,))
    of_group, of_massed = FireForEffectMarker(), BarrageProgress()
    cites: ClassVar[Mapping[str, str]] = {
        "spotting": "7.242",
        "fall": "7.245",
        "lingering": "7.247",
    }

    places = VertexFrame(HEX_M, ONE_MAP)

    def middle(self) -> Place:
        """Return a hex well inside the map."""
        return self.frame().parse(MIDDLE)

    def aim_at(self, place: Place) -> tuple[Place, ...]:
        """Return the vertices at which to aim at a hex: its corners, starting from the south.

        For a vertex, returns the vertex itself and the far ends of its spines (7.221).
        """
        if not is_hex(place):
            return (place, *(far for _, far in spines(place)))
        return tuple(sorted(vertices_of(place), key=self._from_south))

    def _from_south(self, vertex: Vertex) -> tuple[int, Vertex]:
        return -round(self.places.metres(vertex)[1]), vertex

    # --- setting up ------------------------------------------------------------------------------
    def stage(self, staging: Staging) -> None:
        """Aim at the corner that covers most of the target; the nearest corner wins a tie."""
        places = staging.target_places()
        corners = dict.fromkeys(corner for place in places for corner in self.aim_at(place))
        staging.aim_point = min(
            corners,
            key=lambda v: (
                -len(set(v) & set(places)),
                self.places.gap(v, staging.centre),
                self._from_south(v),
            ),
        )
        super().stage(staging)

    # --- accuracy --------------------------------------------------------------------------------
    def modifiers(self) -> tuple[Modifier, ...]:
        """Return the accuracy modifiers: for a known place, and for control of high ground.

        The option ``accuracy_modifiers`` decides whether both count.
        """
        return (
            Modifier(
                "accuracy", "7.242, 7.3", "preregistered or hit before by this group", self._known
            ),
            Modifier(
                "accuracy", "7.242, 8.43", "side controls a hex of the top level", self._height
            ),
        )

    def _known(self, view: View, mission: str) -> int:
        aim = _aim(view, mission)
        registered = (
            aim == view.facts(mission, Group).preregistered
            or view.own_at(mission, aim, Registration).hit
        )
        return self.number("known_point_drm") if registered else 0

    def _height(self, view: View, mission: str) -> int:
        declared = (
            self.options["high_ground"]
            or view.side(mission) in view.facts(mission, Group).forces.high_ground
        )
        if not declared and view.side(mission) not in {
            side for _, side in view.peek_shared(MapChanges).heights
        }:
            return 0
        only_one = self.options["accuracy_modifiers"] == "max_one"
        return 0 if only_one and self._known(view, mission) else self.number("high_ground_drm")

    @step(cite="7.242")
    def land(self, chance: Chance, view: View, mission: str) -> Effects:
        """Roll the accuracy die: on target or a stray. Massed fire always strikes its line."""
        if massed_fire(view, mission) is not None:
            return Effects(push(self.line, mission))
        settling = view.facts(mission, Group).settling
        if settling is not None:
            return Effects(push(cycle.landed, mission, self._settles(chance, settling)))
        roll = chance.dice("accuracy", white=d6)
        if roll.total + chance.drm(roll) <= self.number("on_target"):
            return Effects(push(cycle.landed, mission, _aim(view, mission)))
        return Effects(
            emit("stray", "7.242", mission=mission), ask(view.side(mission), self.spine, mission)
        )

    def _settles(self, chance: Chance, settling: Settling) -> Vertex:
        """Return where a shot of a relaxed setup lands: it is rolled for with both dice at once."""
        roll, aim = chance.dice("accuracy", white=d6, error=d6), settling.on
        if roll.white + chance.drm(roll) <= self.number("on_target"):
            return aim
        first = spines(aim)[0][0]
        return roll.error.look_up(
            lambda die: aim if settling.cell in stray(aim, first, die) else settling.off
        )

    @step(cite="7.41, 7.42")
    def line(self, chance: Chance, view: View, mission: str) -> Effects:
        """Strike the current line in the first couplet of a turn, and the next in the second.

        A barrage that has passed its last line ends.
        """
        massed, progress = view.facts(mission, Massed), view.own(mission, BarrageProgress)
        number = progress.line + int(progress.struck > 0)
        if number >= len(massed.lines):
            return Effects(push(cycle.close, mission, Reason.DELIVERED, "7.42"))
        return Effects(
            update(progress, line=number, struck=progress.struck + 1),
            push(cycle.landed, mission, massed.lines[number].at),
        )

    @orders(cite="7.243")
    def spine(self, view: View, mission: str) -> Iterator[Form]:
        """Yield the order in which the firer names the first spine before the error die (7.243)."""
        meaning = "the spine for 1 and 2; the others follow clockwise"
        names = tuple(name for name, _ in spines(_aim(view, mission)))
        why = Refusal.of("7.243", "spines", names=names)
        first = Slot("first", meaning, names, why)
        yield Form("name", "7.243", (first,), lambda first: push(self.stray, mission, first))

    @step(cite="7.243, 7.244")
    def stray(self, chance: Chance, view: View, mission: str, first: str) -> Effects:
        """Roll the error die: the fire moves one vertex along one of the three spines.

        ``first`` is the name of the spine for 1 and 2.
        """
        aim = _aim(view, mission)
        roll = chance.dice("error", white=d6)
        return Effects(
            push(cycle.landed, mission, roll.total.look_up(lambda die: stray(aim, first, die)))
        )

    # --- the marker ------------------------------------------------------------------------------
    @step(cite="7.242, 7.247")
    def fallen(self, chance: Chance, view: View, mission: str) -> Effects:
        """Place a group's marker for the rest of the turn; its vertex now counts as hit before.

        By option the vertex aimed at counts instead. A bombardment ends, and a barrage has no
        marker.
        """
        massed = massed_fire(view, mission)
        if massed is not None:
            return (
                Effects(push(cycle.close, mission, Reason.DELIVERED, "7.11"))
                if massed.before
                else Effects()
            )
        now, settling = view.mission(mission), view.facts(mission, Group).settling
        marker = update(
            view.own(mission, FireForEffectMarker), minutes=Fraction(self.number("turn_minutes"))
        )
        by_aim = self.options["hit_before"] == "aim_point" and now.aim is not None
        point = _aim(view, mission) if by_aim else now.impact
        hit = update(view.own_at(mission, point, Registration), hit=True)
        if settling is None:
            return Effects(marker, hit)
        known = hit if point == settling.on else Effects()
        return Effects(marker, known, update(now, impact=settling.on))

    def fire_limit(self, scenario: Setup, mission: str, moments: int) -> FireLimit:
        """Return the limit on how often a mission can fire in a number of moments.

        A group fires once a turn (7.247) and a bombardment only once (7.11). A barrage fires in the
        first couplets of a turn until it has passed its last line (7.42). With one couplet a turn
        it never leaves its line. With more it strikes its first line once, and any other at most
        twice: in the second couplet of a turn and the first of the next.
        """
        massed = scenario.missions[mission].facts.get(self.word)
        if not isinstance(massed, Massed):
            return FireLimit(moments)
        couplets = self.number("barrage_couplets")
        turns = min(moments, len(massed.lines)) if couplets > 1 else moments
        if massed.before:
            return FireLimit(1)
        if couplets <= 1:
            return FireLimit(couplets * turns)
        return FireLimit(
            couplets * turns, on_one_place=max(_strikes_by_hex(massed).values(), default=0)
        )

    def cover_limit(self, scenario: Setup, mission: str, cell: Hex) -> int | None:
        """Return the greatest number of times that massed fire can cover a hex, or None.

        None means no limit, as for a group, or for a barrage that never leaves its line (7.42). A
        bombardment strikes once. Any other barrage strikes its first line once, and each later line
        at most twice.
        """
        massed = scenario.missions[mission].facts.get(self.word)
        if not isinstance(massed, Massed):
            return None
        if massed.before:
            return int(any(cell in line.hexes for line in massed.lines))
        if self.number("barrage_couplets") <= 1:
            return None
        return _strikes_by_hex(massed).get(cell, 0)

    def cover_mean(self, scenario: Setup, mission: str, cell: Hex) -> Fraction | None:
        """Return the greatest mean number of times that a barrage covers a hex, or None.

        A barrage strikes a line in the second couplet of a turn, if the initiative dice give two,
        and in the first of the next (5.11, 7.42). Return None for other fire, and if the number of
        couplets in which a barrage strikes is changed.
        """
        massed = scenario.missions[mission].facts.get(self.word)
        if not isinstance(massed, Massed) or massed.before:
            return None
        if self.number("barrage_couplets") != COUPLETS:
            return None
        first, second = (self._chance_of_couplets(scenario, least) for least in (1, COUPLETS))
        struck = [cell in massed.line_at(line.at).hexes for line in massed.lines]
        return sum(
            (first + (second if number else 0) for number, hit in enumerate(struck) if hit),
            Fraction(0),
        )

    def _chance_of_couplets(self, scenario: Setup, least: int) -> Fraction:
        """Return an upper bound of the chance that a turn has at least ``least`` couplets.

        The loss of couplets at night is ignored. Infiltration adds one to every turn if the option
        or any track allows it (5.11, 5.13).
        """
        infiltrates = self.options["infiltration"] or any(
            each.infiltration for each in scenario.shared.values() if isinstance(each, RecordTrack)
        )
        turns = [abs(ours - theirs) for ours in _FACES for theirs in _FACES]
        couplets = [difference or self.number("tie_couplets") for difference in turns]
        enough = sum(number + infiltrates >= least for number in couplets)
        return Fraction(enough, len(couplets))

    def cover_moments(self, scenario: Setup, mission: str, cell: Hex) -> frozenset[int] | None:
        """Return the turns in which massed fire can cover a hex, or None for any turn.

        Return None for a group, and if the number of couplets in which a barrage strikes is
        changed. A bombardment falls before turn 1 (7.11). A barrage with two couplets a turn moves
        on by a line each turn, whether it strikes or not. Each line is struck in the second couplet
        of a turn or the first of the next (7.42, 7.44).
        """
        massed = scenario.missions[mission].facts.get(self.word)
        if not isinstance(massed, Massed):
            return None
        if massed.before:
            return frozenset({0})
        if self.number("barrage_couplets") != COUPLETS:
            return None
        first = max(massed.first_turn, 1) - 1
        turns = set()
        for number, line in enumerate(massed.lines):
            if cell in massed.line_at(line.at).hexes:
                turns |= {first + number, first + max(number - 1, 0)}
        return frozenset(turns)

    def hit_chance(self, scenario: Setup, mission: str) -> Fraction | None:
        """Return the greatest chance that a group's first fall is on target, None for massed fire.

        A group has not yet hit any vertex then, but its side may control a hex of the top level at
        any time if there is one (3.9, 7.242). A stray may still cover the target (7.244).
        """
        setup = scenario.missions[mission]
        group = next((each for each in setup.facts.values() if isinstance(each, Group)), None)
        if group is None:
            return None
        cell = scenario.target_cell(setup.target, setup.side)
        aims = self._aims(scenario, mission)
        drms = [0 if group.preregistered is None else self.number("known_point_drm")]
        if self.options["high_ground"] or group.forces.high_ground or group.forces.heights:
            drms.append(self.number("high_ground_drm"))
        totals = {0, *drms, sum(drms)}
        return max(self._on_target(aim, cell, total) for aim in aims for total in totals)

    def _on_target(self, aim: Vertex, cell: Hex, modifier: int) -> Fraction:
        """Return the chance that a shot at a vertex covers a hex.

        ``modifier`` is added to the accuracy die.
        """
        accurate = [face + modifier <= self.number("on_target") for face in _FACES]
        first = spines(aim)[0][0]
        strays = [cell in stray(aim, first, face) for face in _FACES]
        exactly = Fraction(sum(accurate), len(accurate))
        return exactly * int(cell in aim) + (1 - exactly) * Fraction(sum(strays), len(strays))

    def relaxed(self, scenario: Setup, places: Collection[Place]) -> RelaxedSetup | None:
        """Return the scenario with one vertex in sight to aim at for each group, or None.

        The vertex covers every one of the ``places`` that any fire can cover. A shot at any vertex
        of a hex covers it with the same chance, which grows once a vertex of the hex has been hit,
        and which no shot at another vertex exceeds. So for each hex by itself, a group there covers
        it with every fall that covers it here, and is never less accurate.

        It is None for massed fire, carried calls, flares, shells to choose from, troops that act,
        sight that is checked again, and own troops at the vertices where fire lands.
        """
        groups = {
            name: group
            for name, setup in scenario.missions.items()
            if isinstance(group := setup.facts.get(self.word), Group) and _is_plain(group)
        }
        sides = {setup.side for setup in scenario.missions.values()}
        if (
            len(sides) != 1
            or any(
                isinstance(each, RecordTrack) and each.troops for each in scenario.shared.values()
            )
            or self.options["recheck_sight"]
            or len(groups) != len(scenario.missions)
        ):
            return None
        troops = {unit.place: unit.side for unit in scenario.units.values()}
        reaches = {
            frozenset(places) & set().union(*map(_reach, self._aims(scenario, name)))
            for name in groups
        }
        if len(reaches) != 1 or self._is_known_worse:
            return None
        (cells,) = reaches
        missions, aims = {}, dict[Vertex, None]()
        for name, group in groups.items():
            setup = scenario.missions[name]
            settling = _settling(cells, group.preregistered, setup.target)
            if settling is None or any(troops.get(cell) in sides for cell in settling.on):
                return None
            settling = attrs.evolve(settling, off=_empty_vertex(settling.on, troops))
            missions[name], aims[settling.on] = endless(setup, settling), None
        named = {CROSS_HAIR: tuple(aims)}
        return RelaxedSetup(attrs.evolve(scenario, missions=missions), named, by_place=True)

    @property
    def _is_known_worse(self) -> bool:
        """Whether a shot at a vertex that was hit before may be less accurate than another."""
        known, height = self.number("known_point_drm"), self.number("high_ground_drm")
        return known > (min(0, height) if self.options["accuracy_modifiers"] == "max_one" else 0)

    def _aims(self, scenario: Setup, mission: str) -> list[Vertex]:
        """Return the vertices at which the questions for a group offer to aim."""
        setup = scenario.missions[mission]
        group = next(each for each in setup.facts.values() if isinstance(each, Group))
        aims = [*self.aim_at(setup.target), *self.aim_at(scenario.centre)]
        given = (group.preregistered, group.cross_hair)
        return aims + [aim for point in given if point is not None for aim in self.aim_at(point)]

    def lasts(self, view: View, mission: str) -> bool:
        """Return whether a group's marker is on the map or a barrage is under way."""
        stage, massed = view.mission(mission).stage, massed_fire(view, mission)
        if massed is None:
            return stage in (Stage.FALLING, Stage.LINGERING)
        return not massed.before and stage not in (Stage.IDLE, Stage.ENDED)

    @step(cite="5.3, 7.247, 7.44, 7.45")
    def moment(self, chance: Chance, view: View, mission: str) -> Effects:
        """Remove the fire-for-effect marker at administration, or once its ten minutes are over.

        A barrage advances to its next line instead (7.44).
        """
        if massed_fire(view, mission) is not None:
            return self._barrage_advances(view, mission)
        marker = view.own(mission, FireForEffectMarker)
        minutes = marker.minutes - view.scenario.clock.minutes
        if minutes <= 0:
            return Effects(push(cycle.close, mission, Reason.DELIVERED, "5.3"))
        stays = Effects(update(marker, minutes=minutes))
        if view.mission(mission).stage is Stage.LINGERING:
            return stays
        return Effects(stays, push(cycle.linger, mission))

    def _barrage_advances(self, view: View, mission: str) -> Effects:
        """Return the effects of a barrage's advance or end (7.44, 7.45).

        A barrage advances if it struck less than twice this turn.
        """
        now, progress = view.mission(mission), view.own(mission, BarrageProgress)
        massed = view.facts(mission, Massed)
        number = progress.line + int(progress.struck < self.number("barrage_couplets"))
        done = massed.advances is not None and number >= massed.advances
        if done or number >= len(massed.lines):
            return Effects(push(cycle.close, mission, Reason.DELIVERED, "7.44"))
        reset = Effects(update(progress, line=number, struck=0))
        if number == progress.line:
            return reset
        at = massed.lines[number].at
        return Effects(
            reset, update(now, impact=at), emit("advance", "7.44", mission=mission, impact=at)
        )

    @step(cite="5.3")
    def closed(self, chance: Chance, view: View, mission: str) -> Effects:
        """Remove a group's marker and impact, because its next fire needs a new call (7.248)."""
        if massed_fire(view, mission) is not None:
            return Effects()
        return Effects(
            self.ceased(chance, view, mission, Stage.ENDED),
            update(view.mission(mission), impact=None),
        )

    @step(cite="5.3")
    def ceased(self, chance: Chance, view: View, mission: str, _stage: Stage) -> Effects:
        """Remove the fire for effect marker."""
        return Effects(update(view.own(mission, FireForEffectMarker), minutes=Fraction(0)))

    # --- coverage --------------------------------------------------------------------------------
    def covered(self, view: View, mission: str) -> tuple[Hex, ...]:
        """Return the hexes under fire: the line of massed fire, or the three at the impact."""
        impact, massed = view.mission(mission).impact, massed_fire(view, mission)
        return impact if massed is None else massed.line_at(impact).hexes

    def ahead(self, view: View, mission: str) -> tuple[Outline, ...]:
        """Return the outlines of a barrage's next line; empty for other fire (7.42, 7.44)."""
        massed, after = massed_fire(view, mission), view.own(mission, BarrageProgress).line + 1
        if (
            massed is None
            or after >= len(massed.lines)
            or view.mission(mission).stage in (Stage.IDLE, Stage.ENDED)
        ):
            return ()
        return tuple(map(self.frame().outline, massed.lines[after].hexes))

    def on_map(self, view: View, cell: Hex) -> bool:
        """Return whether a hex is on the map; fire hits nothing beyond the edge (7.245)."""
        return view.frame.on_map(cell)


def _strikes_by_hex(massed: Massed) -> dict[Hex, int]:
    """Return how often a barrage that advances can strike each hex of its lines."""
    strikes: dict[Hex, int] = {}
    for number, line in enumerate(massed.lines):
        for cell in massed.line_at(line.at).hexes:
            strikes[cell] = strikes.get(cell, 0) + (2 if number else 1)
    return strikes


def _is_plain(group: Group) -> bool:
    """Return whether a group may aim anywhere, has one kind of shells and no call yet."""
    return group.mode != FLARE and group.cross_hair is None and not group.entry.choices


def _reach(aim: Vertex) -> set[Hex]:
    """Return the hexes that a shot at a vertex can cover, on target or as a stray."""
    return {cell for vertex in (aim, *(far for _, far in spines(aim))) for cell in vertex}


def _settling(cells: Collection[Hex], registered: Place, target: Place) -> Settling | None:
    """Return where fire lands in a relaxed setup: at a vertex of all these hexes, or None.

    It is the vertex registered, the target or another vertex, in this order of preference. It is
    None if only some of the hexes are at the vertex registered.
    """
    corners = [each for cell in cells for each in vertices_of(cell) if set(cells) <= set(each)]
    on = next((each for each in (registered, target, *corners) if each in corners), None)
    if on is None or (on != registered and set(cells) & set(registered or ())):
        return None
    return Settling(min(cells), on, on)


def _empty_vertex(start: Vertex, troops: Collection[Hex]) -> Vertex:
    """Return the vertex nearest to another one that covers no troops."""
    found = [start]
    for vertex in found:
        if not any(cell in troops for cell in vertex):
            return vertex
        found += [far for _, far in spines(vertex) if far not in found]
    raise AssertionError("the map has no end")


def _aim(view: View, mission: str) -> Place:
    """Return the vertex under the cross hair; if a hex is aimed at, return its first corner."""
    aim = view.mission(mission).aim
    return view.aim_at(aim)[0] if is_hex(aim) else aim
