"""The maximum harm to units at several places that one mission strikes, solved jointly.

The chain of the mission, without its targets, is solved backwards with one value for each joint
state of the places. No policy does more harm than one that sees the effect of every strike, so the
value at the opening is a bound. Values are counted in whole units and rounded upwards.

Forwards, only the best order of each situation is followed. The nodes reached are joined with the
states of the places, and solved exactly.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import ceil, lcm, prod

import attrs

from fireplan.solver.best.coarse.harm import Harmed, HarmedUnits
from fireplan.solver.best.goals import NOTHING, Earned, Harm
from fireplan.solver.best.induction import Solution, best
from fireplan.solver.best.joining import DONE, FoundTransition, Join, Joining, scaled
from fireplan.solver.best.process import Explored, Process
from fireplan.solver.chain import PUT, Emission, Link, strikes_of
from fireplan.solver.places import Automaton
from fireplan.solver.states import Late, TooLargeError, uncollected
from fireplan_core import Event, Step

MOST_JOINT, MOST_VALUES, MOST_WAIVED = 150, 5_000_000, 8_000_000
"""Maximum number of joint states of the places: the first, or more where the second allows it.

The second is the maximum number of values: each node of the chain has one for each joint state. The
third replaces it if the side may waive strikes, because only the values of one moment are kept.
"""
GRAIN = 2**40
"""Values are counted in units of 1 / GRAIN, rounded upwards."""
TIE = 2**20
"""Difference in value, in units of 1 / GRAIN, up to which orders count as equally good."""
MOST_REACHED = 250_000
"""Maximum number of nodes, with their joint states, that the best orders may reach."""
LOOKS = 256
"""Number of nodes between two checks of the time limit."""

Vector = tuple[int, ...]
"""A value for each joint state of the places."""


Row = tuple[int, tuple[tuple[int, int], ...], tuple[Fraction, ...]]
"""A result of a strike: what it earns on average, times its total; the joint states after it with
integer weights; and the harm done in each."""


@attrs.frozen(eq=False)
class Strike:
    """A strike at a place: its results by joint state, with weights that sum to ``total``.

    A joint state has several results if the mission may change the place before the strike; the
    best one counts.
    """

    total: int
    rows: tuple[tuple[Row, ...], ...]

    def before(self, after: Vector) -> Vector:
        """Return the value of each joint state before the strike, given the values after it.

        Values are rounded upwards.
        """
        total = self.total
        return tuple(
            [
                max(
                    [
                        -(-(gain + sum([weight * after[end] for end, weight in ends])) // total)
                        for gain, ends, _ in rows
                    ]
                )
                for rows in self.rows
            ]
        )


def joint_harm(
    process: Process, goal: Harm, late: Late, *, waives: bool = False
) -> JointHarm | None:
    """Return a solved ``JointHarm``, whose bound on harm no policy exceeds.

    With ``waives``, the side may waive the effects of any strike. Return None if the mission reads
    the effects of strikes, or if harm is to be avoided. Raises ``TooLargeError`` if the places have
    too many joint states, if steps other than strikes harm them, or once ``late()`` is true.
    """
    struck = process.struck(goal)
    if struck is None:
        return None
    mission, places = struck
    measure = HarmedUnits(goal.kind, goal)
    joint = joint_places(
        goal,
        {scope: place.automata([measure])[0] for scope, place in places.items()},
        max(MOST_JOINT, (MOST_WAIVED if waives else MOST_VALUES) // len(mission.chain.tops)),
        waives=waives,
    )
    words = [_word(goal, joint.strikes, emission) for emission in mission.emissions]
    harm = JointHarm(mission, goal, process.moments, joint, words)
    harm.solve(late, keeps=not waives)
    return harm


def _word(goal: Harm, strikes: Mapping[Step, Strike], emission: Emission) -> tuple[Strike, ...]:
    """Return the strikes of an emission that may harm a unit, in order.

    Raises ``TooLargeError`` if the emission harms a unit without a strike.
    """
    for letter in emission:
        if isinstance(letter, Event) and letter.kind == goal.kind and letter["unit"] in goal.shares:
            raise TooLargeError(
                "steps other than strikes harm units, so strikes alone do not determine the harm"
            )
    return tuple(strikes[letter] for letter in strikes_of(emission) if letter in strikes)


@attrs.frozen(eq=False)
class JointPlaces:
    """The joint states of all places, 0 at the opening, and the effect of each strike on them."""

    strikes: Mapping[Step, Strike]
    labels: tuple[frozenset[str], ...]
    """The facts about the places in each joint state: the units harmed, and other changes."""


def joint_places(
    goal: Harm, places: Mapping[str, Automaton], most: int = MOST_JOINT, *, waives: bool = False
) -> JointPlaces:
    """Return the joint states of places, given by scope, under the strikes on them.

    With ``waives``, the side may waive the effects of any strike. Raises ``TooLargeError`` if there
    are more than ``most`` joint states, or if a write of the mission harms units.
    """
    tables = {scope: _place_rows(goal, place, waives=waives) for scope, place in places.items()}
    sizes = [len(states) for _, states in tables.values()]
    size = prod(sizes)
    if size > most:
        raise TooLargeError(f"{size:,} joint states of {len(sizes)} places, more than {most:,}")
    strikes: dict[Step, Strike] = {}
    labels: list[set[str]] = [set() for _ in range(size)]
    for position, (scope, (table, states)) in enumerate(tables.items()):
        stride = prod(sizes[:position])
        for joint in range(size):
            state, harmed = states[joint // stride % len(states)]
            labels[joint].update(harmed, [f"{scope}, {state}"] if state else [])
        for letter, by_state in table.items():
            total = lcm(
                *(share.denominator for rows in by_state for row in rows for share, _, _ in row)
            )
            strikes[letter] = Strike(
                total,
                tuple(
                    tuple(
                        _joint_row(row, total, joint, joint // stride % len(states), stride)
                        for row in by_state[joint // stride % len(states)]
                    )
                    for joint in range(size)
                ),
            )
    return JointPlaces(strikes, tuple(map(frozenset, labels)))


def _joint_row(row: PlaceRow, total: int, joint: int, here: int, stride: int) -> Row:
    """Return the row of a joint state, from the row of one place in that state.

    ``here`` is the state of this place. ``stride`` is the difference between joint states that
    differ by 1 in the state of this place; ``total`` is the common denominator of the weights.
    """
    harm = sum([share * harm for share, _, harm in row], Fraction(0))
    return (
        ceil(harm * total * GRAIN),
        tuple([(joint + (end - here) * stride, int(share * total)) for share, end, _ in row]),
        tuple([harm for _, _, harm in row]),
    )


PlaceState = tuple[int, Harmed]
"""A state of a place, and the units that have come to harm there."""

PlaceRow = tuple[tuple[Fraction, int, Fraction], ...]
"""The ends of a strike: chance, the state after it, and the share of the target harmed."""


def _place_rows(
    goal: Harm, place: Automaton, *, waives: bool = False
) -> tuple[dict[Step, list[list[PlaceRow]]], list[PlaceState]]:
    """Return the results of each strike, by the state of a place, and the list of these states.

    ``rows[strike][n]`` lists the possible results of a strike on ``states[n]``: a ``PlaceRow`` for
    the state itself and for each state into which the mission can turn it beforehand. With
    ``waives``, another row changes nothing. Other steps at the place, such as a bombardment before
    play, count as strikes. Raise ``TooLargeError`` if anything but a strike harms units.
    """
    states = _PlaceStates(goal, place)
    rows: dict[Step, list[PlaceRow]] = {
        letter: [] for letter in place.letters if letter.name != PUT
    }
    written: list[set[int]] = []
    for state in states.todo:
        written.append(set())
        for number, letter in enumerate(place.letters):
            row = states.row(state, number)
            if letter in rows:
                rows[letter].append(row)
            elif any(harm for _, _, harm in row):
                raise TooLargeError(
                    "steps other than strikes harm units, so strikes alone do not determine the harm"
                )
            else:
                written[-1].update([end for _, end, _ in row])
    before = [_reached(written, state) for state in range(len(written))]
    table = {
        letter: [
            list(dict.fromkeys([by_state[end] for end in ends] + _unchanged(state) * waives))
            for state, ends in enumerate(before)
        ]
        for letter, by_state in rows.items()
    }
    return table, states.todo


def _unchanged(state: int) -> list[PlaceRow]:
    """Return a list with a row that leaves a place in this state."""
    return [((Fraction(1), state, Fraction(0)),)]


class _PlaceStates:
    """The states of a place with the units harmed there; ``todo`` grows as rows reach new ones.

    All states in which every unit has been harmed count as one state.
    """

    def __init__(self, goal: Harm, place: Automaton) -> None:
        self._goal, self._place = goal, place
        self._see = HarmedUnits(goal.kind, goal).see
        self._units = {
            event["unit"]
            for moves in place.moves
            for ends in moves.values()
            for _, events, _ in ends
            for event in events
            if event["unit"] in goal.shares and event["severity"] >= goal.severity
        }
        self.todo: list[PlaceState] = [(0, frozenset())]
        self._numbers: dict[PlaceState, int] = {self.todo[0]: 0}

    def row(self, state: PlaceState, number: int) -> PlaceRow:
        """Return the row of a letter in a state: (chance, state after it, share harmed) per result.

        ``number`` is the letter's index.
        """
        before, harmed = state
        moves = {} if self._units <= harmed else self._place.moves[before]
        row: dict[tuple[int, Fraction], Fraction] = {}
        for after, events, share in moves.get(number, ((before, (), Fraction(1)),)):
            now = harmed
            for event in events:
                now = self._see(now, event, 0)
            harm = sum((self._goal.shares[unit] for unit in now - harmed), Fraction(0))
            end = self._number((0 if self._units <= now else after, now)), harm
            row[end] = row.get(end, Fraction(0)) + share
        return tuple((share, end, harm) for (end, harm), share in row.items())

    def _number(self, state: PlaceState) -> int:
        if state not in self._numbers:
            self._numbers[state] = len(self.todo)
            self.todo.append(state)
        return self._numbers[state]


def _reached(written: Sequence[set[int]], state: int) -> list[int]:
    """Return a state and all states that can follow from it by writes of the mission."""
    reached = [state]
    for each in reached:
        reached += sorted(written[each].difference(reached))
    return reached


class JointHarm:
    """A bound on the harm that a mission can do to the places it strikes, and the best orders.

    Call ``solve`` before anything else.
    """

    def __init__(
        self,
        mission: Explored,
        goal: Harm,
        moments: int,
        joint: JointPlaces,
        words: Sequence[tuple[Strike, ...]],
    ) -> None:
        self._mission, self._goal, self._moments = mission, goal, moments
        self._joint, self._words = joint, words
        self.values: list[Mapping[int, Vector]] = []
        """For each moment, the values of the nodes that can come up by then."""

    @property
    def bound(self) -> Fraction:
        """Return an upper bound on the value of every policy."""
        return Fraction(self.values[0][0][0], GRAIN)

    @uncollected()
    def solve(self, late: Late, *, keeps: bool = True) -> None:
        """Compute the values of all moments, from the last one back.

        Unless ``keeps`` is set, only the values of the first moment are kept. Raises
        ``TooLargeError`` once ``late()`` is true.
        """
        nothing: Vector = (0,) * len(self._joint.labels)
        depths = self._mission.chain.depths
        backwards = list(reversed(self._mission.topological_order))
        future: Mapping[int, Vector] = dict.fromkeys(backwards, nothing)
        for moment in reversed(range(self._moments)):
            nodes = [node for node in backwards if depths[node] <= moment]
            future = self._step_back(nodes, future, late)
            self.values = [future, *self.values] if keeps else [future]

    def _step_back(
        self, nodes: Sequence[int], future: Mapping[int, Vector], late: Late
    ) -> dict[int, Vector]:
        """Map the nodes of a moment to their values, given those of the next moment (``future``).

        Equal vectors are the same object. Raises ``TooLargeError`` once ``late()`` is true.
        """
        links, totals, decides = self._mission.links, self._mission.totals, self._mission.decides
        current: dict[int, Vector] = {}
        pool: dict[Vector, Vector] = {}
        struck: dict[tuple[int, int], Vector] = {}
        solved: dict[tuple[int, frozenset[tuple[int, int]]], Vector] = {}
        for count, node in enumerate(nodes):
            if not count % LOOKS and late():
                raise TooLargeError("the joint solution takes more than the time allowed")
            is_open = node in decides
            weights: dict[int, int] = {}
            vectors: dict[int, Vector] = {}
            for target, weight, emission, ends in links[node]:
                vector = future[target] if ends else current[target]
                if self._words[emission]:
                    key = id(vector), emission
                    if key not in struck:
                        before = vector
                        for strike in reversed(self._words[emission]):
                            before = strike.before(before)
                        struck[key] = pool.setdefault(before, before)
                    vector = struck[key]
                vectors[id(vector)] = vector
                weights[id(vector)] = 0 if is_open else weights.get(id(vector), 0) + weight
            if len(vectors) == 1:
                (current[node],) = vectors.values()
                continue
            form = 0 if is_open else totals[node], frozenset(weights.items())
            value = solved.get(form)
            if value is None:
                value = _best(vectors.values()) if is_open else _mean(vectors, weights, form[0])
                value = solved[form] = pool.setdefault(value, value)
            current[node] = value
        return current

    def solution(self, late: Late) -> Solution | None:
        """Return the exact solution of the nodes that the best orders reach.

        Returns None if the mission may change a place between strikes. Raises ``TooLargeError``
        once ``late()`` is true, or if the best orders reach too many nodes.
        """
        if any(len(rows) > 1 for strike in self._joint.strikes.values() for rows in strike.rows):
            return None
        walk = _Walk(self._mission, self._joint, self._words, self.values)
        openings = [0]
        for moment in range(self._moments):
            openings = walk.follow(moment, openings, late)
        return best(walk.joined(self._goal, self._moments))


class _Walk:
    """The nodes that the best orders reach, each with a joint state of the places.

    At a decision, only the best order of each moment is followed.
    """

    def __init__(
        self,
        mission: Explored,
        joint: JointPlaces,
        words: Sequence[tuple[Strike, ...]],
        values: Sequence[Mapping[int, Vector]],
    ) -> None:
        self._mission, self._joint, self._words, self._values = mission, joint, words, values
        self._nodes = [(0, 0)]
        """The chain node and the joint state of each joined node."""
        self._ids = {(0, 0): 0}
        self._depth = [0]
        self._opens = {0}
        self._transitions: dict[int, list[FoundTransition]] = {}
        self._orders: dict[int, dict[int, FoundTransition]] = {}
        self._totals: dict[int, int] = {}
        self._earned: dict[int, dict[int, int]] = {}
        self._gains: dict[tuple[Earned, ...], int] = {(NOTHING,): 0}

    def follow(self, moment: int, openings: list[int], late: Late) -> list[int]:
        """Add the nodes that come up in a moment, and return the nodes that open the next one.

        ``openings`` is extended by the nodes that come up later in the moment. Raises
        ``TooLargeError`` once ``late()`` is true, or if too many nodes are reached.
        """
        met = {*openings}
        next_openings: dict[int, None] = {}
        for count, joined in enumerate(openings):
            if not count % LOOKS and late():
                raise TooLargeError("the joint solution takes more than the time allowed")
            if len(self._nodes) > MOST_REACHED:
                raise TooLargeError(f"the best orders reach more than {MOST_REACHED:,} nodes")
            if self._nodes[joined][0] in self._mission.decides and joined not in self._totals:
                transitions = [self._best_order(joined, moment)]
            else:
                transitions = self._chances(joined, moment)
            for target, _, ends in transitions:
                if target == DONE:
                    continue
                if ends:
                    next_openings[target] = None
                elif target not in met:
                    met.add(target)
                    openings.append(target)
        self._opens |= next_openings.keys()
        return list(next_openings)

    def joined(self, goal: Harm, moments: int) -> Join:
        """Return the join of the nodes reached.

        Orders that are never best earn nothing in the join.
        """
        for joined, orders in self._orders.items():
            links = self._mission.links[self._nodes[joined][0]]
            self._transitions[joined] = [
                orders.get(order, (DONE, 1, False)) for order in range(len(links))
            ]
        labels = self._joint.labels
        joining = Joining(
            [(node, (labels[joint],)) for node, joint in self._nodes],
            self._depth,
            self._opens,
            {},
            self._transitions,
            self._earned,
            self._totals,
        )
        return scaled(self._mission, (goal,), moments, joining, tuple(self._gains))

    def _best_order(self, joined: int, moment: int) -> FoundTransition:
        node, joint = self._nodes[joined]
        links = self._mission.links[node]
        earned = [self._earned_by(link, joint, moment) for link in links]
        orders = self._orders.setdefault(joined, {})
        good = [order for order, value in enumerate(earned) if value >= max(earned) - TIE]
        order = next((order for order in good if order in orders), good[0])
        if order not in orders:
            target, weight, emission, ends = links[order]
            if self._words[emission]:
                # An order that strikes at once leads to a separate chance node.
                after = len(self._nodes)
                self._nodes.append((node, joint))
                self._depth.append(moment)
                self._strike(after, [(target, 1, emission, ends)], 1, moment)
                orders[order] = after, weight, False
            else:
                end = self._target(target, joint, moment, ends=ends)
                orders[order] = end, weight, ends
        return orders[order]

    def _earned_by(self, link: Link, joint: int, moment: int) -> int:
        """Return the value of an order followed by best orders, in units of 1 / GRAIN.

        The value is rounded upwards.
        """
        target, _, emission, ends = link
        word = self._words[emission]
        if not word:
            return self._value(target, joint, moment + ends)
        earned = sum(
            [
                share * (harm * GRAIN + self._value(target, after, moment + ends))
                for (after, harm), share in _results(word, joint).items()
            ],
            Fraction(0),
        )
        return ceil(earned / _total(word))

    def _chances(self, joined: int, moment: int) -> list[FoundTransition]:
        """Return the transitions of a chance node, one for each result of the strikes."""
        node, _ = self._nodes[joined]
        if joined not in self._transitions:
            self._strike(joined, self._mission.links[node], self._mission.totals[node], moment)
        return self._transitions[joined]

    def _strike(self, joined: int, links: Sequence[Link], weights: int, moment: int) -> None:
        """Set the transitions of a joined node: one for each result of each link's strikes.

        ``weights`` is the sum of the links' weights.
        """
        _, joint = self._nodes[joined]
        total = lcm(*(_total(self._words[emission]) for _, _, emission, _ in links))
        self._totals[joined] = weights * total
        transitions = self._transitions[joined] = []
        earned: dict[int, int] = {}
        for target, weight, emission, ends in links:
            word = self._words[emission]
            each = weight * (total // _total(word))
            for (after, harm), share in _results(word, joint).items():
                if harm:
                    gain = ((harm, Fraction(0)),)
                    earned[len(transitions)] = self._gains.setdefault(gain, len(self._gains))
                end = self._target(target, after, moment, ends=ends)
                transitions.append((end, each * share, ends))
        if earned:
            self._earned[joined] = earned

    def _value(self, node: int, joint: int, moment: int) -> int:
        return self._values[moment][node][joint] if moment < len(self._values) else 0

    def _target(self, node: int, joint: int, moment: int, *, ends: bool) -> int:
        """Return the joined node of a chain node and a joint state, ``DONE`` if it earns nothing.

        ``ends`` is true if the node opens the next moment. A node that earns nothing now earns
        nothing later either.
        """
        if not self._value(node, joint, moment + ends):
            return DONE
        joined = self._ids.get((node, joint))
        if joined is None:
            joined = self._ids[node, joint] = len(self._nodes)
            self._nodes.append((node, joint))
            self._depth.append(moment + ends)
        return joined


def _total(word: tuple[Strike, ...]) -> int:
    return prod(strike.total for strike in word)


def _results(word: tuple[Strike, ...], joint: int) -> dict[tuple[int, Fraction], int]:
    """Map each (joint state, harm done) after these strikes to its integer weight."""
    results = {(joint, Fraction(0)): 1}
    for strike in word:
        following: dict[tuple[int, Fraction], int] = {}
        for (before, done), weight in results.items():
            ((_, ends, harms),) = strike.rows[before]
            for (after, share), harm in zip(ends, harms, strict=True):
                result = after, done + harm
                following[result] = following.get(result, 0) + weight * share
        results = following
    return results


def _best(vectors: Iterable[Vector]) -> Vector:
    return tuple(map(max, *vectors))


def _mean(vectors: Mapping[int, Vector], weights: Mapping[int, int], total: int) -> Vector:
    """Return the mean of weighted vectors, rounded upwards."""
    sums = [0] * len(next(iter(vectors.values())))
    for number, vector in vectors.items():
        weight = weights[number]
        sums = [earned + weight * value for earned, value in zip(sums, vector, strict=True)]
    return tuple([-(-earned // total) for earned in sums])
