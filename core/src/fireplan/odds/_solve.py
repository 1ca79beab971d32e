"""Exact passes over a chain, in integers: moment by moment, with a measure carried along.

Every probability is an integer over a denominator that is the same for all states at the opening of a moment, so
nothing is ever rounded and fractions are made only at the end. Cycles within a moment are solved first, and what a
measure cannot tell apart is lumped before it is passed over. On request the same passes run in floats instead; what
comes of them says so.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import lcm
from typing import Any, Protocol

import attrs

from fireplan.mission import Event, ProcedureError, Step
from fireplan.odds._chain import Chain, Told
from fireplan.odds._cycles import without_cycles
from fireplan.odds._lump import Layer, Layers, Onlooker, layers_of, lumped
from fireplan.odds._reweigh import Opened

Letter = Event | Step
Word = tuple[Letter, ...]


class Measure(Protocol):
    """An automaton over events, hashable, with a small hashable state that each event may move along.

    ``kinds`` are the kinds of events it looks at, ``scope`` the one place whose strikes it looks at where they are
    set apart (or ``""``). Once ``settled``, nothing can change it any more, and the solver stops following that
    share.
    """

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of events that can move it."""

    @property
    def scope(self) -> str:
        """The place whose strikes can move it."""

    @property
    def initial(self) -> Hashable:
        """Its state before anything happened."""

    def see(self, state: Any, letter: Any, moment: int) -> Any:
        """Its state after an event of one of its kinds, or a strike on its place, in that moment."""

    def settled(self, state: Any) -> bool:
        """Whether no later event can change it."""


ROUNDING = Fraction(1, 10**9)
"""How far the shares of passes in floats may be from 1 together."""


@attrs.frozen
class Distribution:
    """The exact distribution of a measure's state at the end; the shares sum to exactly 1.

    Where it is not ``exact`` it was found in floats: each share is the fraction that its float stands for, and they
    sum to 1 but for rounding.
    """

    shares: Mapping[Any, Fraction]
    exact: bool = True

    def __attrs_post_init__(self) -> None:
        """Refuse a mass other than 1: it would be a fault of the solver."""
        total = sum(self.shares.values(), Fraction(0))
        if abs(total - 1) > (0 if self.exact else ROUNDING):
            raise ProcedureError(f"the shares sum to {total}, not 1")


class Plan:
    """A chain ready to be looked at by any number of measures.

    The first measure is solved on the chain as it is; for more of them, states that are alike to everybody are made
    one first. With ``opened`` it is the chain of another plan with other weights (``_reweigh``).
    """

    def __init__(self, chain: Chain, opened: Opened | None = None) -> None:
        self.chain = chain
        self._links, self._order = (chain.links, opened.order) if opened else without_cycles(chain)[::2]
        self._opened = opened
        self.solved: dict[tuple[Measure, int, bool], Distribution] = {}
        """What has been asked already: measure, moments, whether exactly."""
        self._asked: dict[int, Layers] = {}
        self._lumped: dict[int, Layers] = {}
        self._seen: dict[Hashable, list[Layers]] = {}

    def layers(self, moments: int, measures: int = 1) -> Layers:
        """The chain as layers for so many moments, where so many measures will look at them."""
        asked = self._asked.get(moments)
        if asked is None:
            asked = self._asked[moments] = layers_of(self.chain, self._links, self._order, moments)
            if measures == 1:
                return asked
        if moments not in self._lumped:
            (self._lumped[moments],) = lumped(asked, [_without_modifiers])
        return self._lumped[moments]

    def varied(self, chain: Chain) -> Plan:
        """The plan of this one's chain reweighed."""
        # Cycles within a moment were solved with their weights.
        if self._opened is None and self._links is self.chain.links:
            self._opened = Opened(self.chain, self._order)
        return Plan(chain, self._opened if self._opened is not None and self._opened.serves(chain) else None)

    def seen(self, onlookers: Sequence[Onlooker], moments: int) -> list[Layers]:
        """Layers in which each onlooker (equal ones look alike) sees the same with the same chances.

        They are the coarsest ones, or where weights were left open, those that are so for all weights.
        """
        if self.chain.reweighed and self._opened is not None:
            return self._opened.seen(self.chain, onlookers, moments)
        key = (tuple(onlookers), moments)
        if key not in self._seen:
            self._seen[key] = lumped(self.layers(moments, len(onlookers)), onlookers)
        return self._seen[key]


def plan(chain: Chain) -> Plan:
    """Ready a chain; cycles within a moment are solved exactly and replaced by their exits.

    Raises ``ProcedureError`` for a moment that never ends.
    """
    return Plan(chain)


def _without_modifiers(told: Told) -> Told | None:
    """What is told but for the modifiers: these explain a roll and no measure looks at them."""
    events = tuple(event for event in told[0] if event.kind != "modifier")
    return (events, told[1]) if events or told[1] else None


@attrs.frozen(eq=False)
class Focus:
    """A chain as one measure sees it; what is told on ways is a word of letters, or None."""

    measure: Measure
    layers: Layers

    @property
    def start(self) -> int:
        """The opening; two measures with the same one look at the same chain."""
        return self.layers.starts[-1]


def focus(ready: Plan, measures: Sequence[Measure], moments: int) -> tuple[Focus, ...]:
    """The chain as each measure sees it: lumped together, so that what looks alike to two of them is one."""
    seen = ready.seen([_Onlooker(measure.kinds, measure.scope) for measure in measures], moments)
    return tuple(Focus(measure, layers) for measure, layers in zip(measures, seen, strict=True))


@attrs.frozen
class _Onlooker:
    """Sees the events and strikes that can move a measure."""

    kinds: frozenset[str]
    scope: str

    def __call__(self, told: Told | None) -> Word | None:
        """The word of letters, or None."""
        if told is None:
            return None
        events: Word = tuple(event for event in told[0] if event.kind in self.kinds)
        # A measure knows its place, so it sees only "a strike": places that are struck alike then look alike.
        strikes: Word = tuple(placeless(step) for step in told[1] if step.scope == self.scope) if self.scope else ()
        return events + strikes or None


def placeless(strike: Step) -> Step:
    """A strike without its place: mission and strength."""
    mission, _, *rest = strike.args
    return Step(strike.name, (mission, *rest))


def solve(ready: Plan, measure: Measure, moments: int, *, exact: bool = True) -> Distribution:
    """The distribution of a measure after that many moments (at least one): exact, or from passes in floats."""
    key = measure, moments, exact
    if key not in ready.solved:
        (seen,) = focus(ready, [measure], moments)
        for after in passes(seen.layers, Reader(measure), exact=exact):
            answer = after
        ready.solved[key] = answer()
    return ready.solved[key]


def solve_each(ready: Plan, measure: Measure, moments: int) -> Iterator[Distribution]:
    """The exact distribution of a measure after each of that many moments."""
    (seen,) = focus(ready, [measure], moments)
    for after in passes(seen.layers, Reader(measure)):
        yield after()


class Reader:
    """A measure read with its states numbered, so that the passes handle small numbers only."""

    def __init__(self, measure: Measure) -> None:
        self._measure = measure
        self._ids: dict[Hashable, int] = {}
        self.states: list[Hashable] = []
        self.number(measure.initial)

    def number(self, state: Hashable) -> int:
        """The number of a state; the first one has 0."""
        found = self._ids.get(state)
        if found is None:
            found = self._ids[state] = len(self.states)
            self.states.append(state)
        return found

    def final(self, state: Hashable) -> Hashable:
        """What a state comes to at the end."""
        return state

    def total(self, word: Word) -> int:  # noqa: ARG002
        """What the weights sum to that a word spreads a state over."""
        return 1

    def read(self, state: int, word: Word, moment: int) -> tuple[tuple[int, int, bool], ...]:
        """The states after a word, each with its weight and whether it is settled."""
        after = self.states[state]
        for letter in word:
            after = self._measure.see(after, letter, moment)
        return ((self.number(after), 1, self._measure.settled(after)),)

    def read_shares(self, state: int, word: Word, moment: int) -> tuple[tuple[int, float, bool], ...]:
        """The same with shares, as floats, in the place of weights."""
        total = self.total(word)
        return tuple((after, weight / total, done) for after, weight, done in self.read(state, word, moment))


_Mass = Mapping[int, Mapping[int, Any]]
"""By node and state of the measure: whole numbers, or floats."""


@attrs.frozen(eq=False)
class After:
    """Where the mass stands after a moment; call it for the distribution."""

    reader: Reader
    scale: Mapping[int, int]
    mass: _Mass
    settled: Mapping[int, Any]
    denominator: int
    exact: bool = True

    def __call__(self) -> Distribution:
        """The shares as fractions."""
        if not self.exact:
            return self._rounded()
        counted = dict(self.settled)
        for node, here in self.mass.items():
            for state, weight in here.items():
                counted[state] = counted.get(state, 0) + weight // self.scale.get(node, 1)
        shares: dict[Hashable, int] = {}
        for state, share in counted.items():
            if share:
                final = self.reader.final(self.reader.states[state])
                shares[final] = shares.get(final, 0) + share
        return Distribution({state: Fraction(share, self.denominator) for state, share in shares.items()})

    def _rounded(self) -> Distribution:
        shares: dict[Hashable, float] = {}
        for here in (self.settled, *self.mass.values()):
            for state, share in here.items():
                final = self.reader.final(self.reader.states[state])
                shares[final] = shares.get(final, 0.0) + share
        return Distribution({state: Fraction(share) for state, share in shares.items()}, exact=False)


@attrs.frozen(eq=False)
class _Whole:
    """A layer with whole-number factors: ways are ``(target, factor, ends, word, factor if settled)``.

    ``common`` is the denominator of the moment; mass at a node is kept in parts of its ``scale``. In floats both are
    1, and the factors are shares.
    """

    order: Sequence[int]
    scale: Mapping[int, int]
    ways: Mapping[int, Sequence[tuple[int, Any, bool, int, Any]]]
    common: int


def _shares(layer: Layer) -> _Whole:
    """A layer with its shares as floats."""
    ways = {}
    for node in layer.order:
        links = layer.links[node]
        out = sum(weight for _, weight, _, _ in links)
        ways[node] = [(target, weight / out, ends, word, weight / out) for target, weight, word, ends in links]
    return _Whole(layer.order, dict.fromkeys(layer.order, 1), ways, 1)


def _whole(layer: Layer, spread: Sequence[int], later: Mapping[int, int]) -> _Whole:
    """Factors of a layer; ``spread`` is what each word's weights sum to, ``later`` the scale of the next layer."""
    scale = dict.fromkeys(layer.order, 1)
    common = 1
    # The denominator of each node relative to the opening of its moment: the least one that serves all ways to it.
    totals: dict[int, int] = {}
    for node in layer.order:
        links = layer.links[node]
        out = totals[node] = scale[node] * sum([weight for _, weight, _, _ in links])
        common = lcm(common, out)
        for target, _, word, ends in links:
            if spread[word] > 1:
                common = lcm(common, out * spread[word])
            if not ends:
                scale[target] = lcm(scale[target], out * spread[word])
    ways: dict[int, list[tuple[int, int, bool, int, int]]] = {}
    for node in layer.order:
        out = totals[node]
        share = common // out
        found = ways[node] = []
        for target, weight, word, ends in layer.links[node]:
            over = spread[word]
            settling = weight * (share if over == 1 else common // (out * over))
            factor = settling * later.get(target, 1) if ends else weight * (scale[target] // (out * over))
            found.append((target, factor, ends, word, settling))
    return _Whole(layer.order, scale, ways, common)


def passes(layers: Layers, reader: Reader, *, exact: bool = True) -> Iterator[After]:
    """Carry the mass through all moments, in whole numbers or in floats; yields after each."""
    words: list[Word] = [word or () for word in layers.told]
    spread = [reader.total(word) for word in words]
    whole: list[_Whole] = []
    scale: Mapping[int, int] = {}
    for left, layer in enumerate(layers.layers):
        if left > 1 and layer is layers.layers[left - 1] is layers.layers[left - 2]:
            whole.append(whole[-1])
            continue
        whole.append(_whole(layer, spread, scale) if exact else _shares(layer))
        scale = whole[-1].scale
    scales: list[Mapping[int, int]] = [{}, *(each.scale for each in whole)]
    start = layers.starts[-1]
    mass: dict[int, dict[int, Any]] = {start: {0: scales[-1][start] if exact else 1.0}}
    settled: dict[int, Any] = {}
    read = reader.read if exact else reader.read_shares
    denominator = 1
    for moment, here in enumerate(reversed(whole)):
        settled = {state: share * here.common for state, share in settled.items()}
        denominator *= here.common
        mass = _moment(here, mass, settled, words, read, moment)
        yield After(reader, scales[len(whole) - moment - 1], mass, settled, denominator, exact)


def _moment(
    layer: _Whole,
    mass: dict[int, dict[int, Any]],
    settled: dict[int, Any],
    words: Sequence[Word],
    reads: Callable[[int, Word, int], tuple[tuple[int, Any, bool], ...]],
    moment: int,
) -> dict[int, dict[int, Any]]:
    """Carry the mass through one moment; what settles is added to ``settled``."""
    following: dict[int, dict[int, Any]] = {}
    memo: dict[tuple[int, int], tuple[tuple[int, Any, bool], ...]] = {}
    for node in layer.order:
        here = mass.pop(node, None)
        if here is None:
            continue
        for target, factor, ends, word, settling in layer.ways[node]:
            into = following if ends else mass
            there = into.get(target)
            if there is None:
                there = into[target] = {}
            if not word:
                for state, weight in here.items():
                    there[state] = there.get(state, 0) + weight * factor
                continue
            for state, weight in here.items():
                read = memo.get((state, word))
                if read is None:
                    read = memo[state, word] = reads(state, words[word], moment)
                for after, share, done in read:
                    if done:
                        settled[after] = settled.get(after, 0) + weight * settling * share
                    else:
                        there[after] = there.get(after, 0) + weight * factor * share
    return {node: here for node, here in following.items() if here}
