"""Sampling in bulk: the explored chain as arrays, walked by numpy many trajectories at a time.

Each step of a trajectory is one moment of the lumped chain with the measure beside it; it is drawn
from an alias table with one random word of 32 bits (a chance is off by less than 2**-23).
Trajectories come in blocks of a fixed size, each with a generator seeded by the seed, the measure's
number and the block's number.
"""

from collections.abc import Hashable
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from fireplan.solver.lump import Layer, Layers
from fireplan.solver.passes import Reader, Word
from fireplan.solver.states import TooLargeError
from fireplan_core.chance import random_words

BLOCK = 1 << 14
"""Trajectories of a block: their arrays stay in the nearest cache."""
THRESHOLD_BITS = 23
WIDEST = 9
"""Bits of a random word that choose a column; the others are compared with its threshold."""
MOST_CELLS = 1 << 22
MOST_NODES = 200_000

NodeState = tuple[int, int]
"""A class of the chain and a state of the measure, both numbered.

Class -1 where the measure is settled.
"""
Chances = dict[NodeState, float]


@attrs.frozen(eq=False)
class _Table:
    """One moment: for each cell, the threshold below which its own target is taken, and ``(alias, own)`` targets.

    A row has ``1 << bits`` cells; targets are the first cells of rows of the next table.
    """

    bits: int
    thresholds: NDArray[np.uint32]
    targets: NDArray[np.uint32]


class BulkSampler:
    """Walks one measure over one chain."""

    def __init__(self, layers: Layers, reader: Reader, number: int) -> None:
        self._number = number
        rows = [{(layers.start, 0): 0}]
        words: list[Word] = [word or () for word in layers.emission]
        moments: list[list[Chances]] = []
        for moment, layer in enumerate(reversed(layers.layers)):
            walk = _Moment(layer, words, reader, moment)
            moments.append([walk.after(place) for place in rows[-1]])
            following: dict[NodeState, int] = {}
            for chances in moments[-1]:
                for place in chances:
                    following.setdefault(place, len(following))
            rows.append(following)
            if sum(map(len, rows)) > MOST_NODES:
                raise TooLargeError(
                    f"more than {MOST_NODES:,} states of chain and measure together"
                )
        bits = [max(1, (max(map(len, chances)) - 1).bit_length()) for chances in moments]
        if max(bits) > WIDEST:
            raise TooLargeError(f"more than {1 << WIDEST} ways on from one state")
        self._tables = [
            _table(chances, after, here, later)
            for chances, after, here, later in zip(
                moments, rows[1:], bits, [*bits[1:], 0], strict=True
            )
        ]
        self.ends: list[Hashable] = [reader.final(reader.states[state]) for _, state in rows[-1]]

    def counts(self, first: int, trajectories: int, seed: int) -> dict[Any, int]:
        """Return how many of ``first`` to ``first + trajectories - 1`` ended in each state of the measure."""
        totals = np.zeros(len(self.ends), np.int64)
        last = first + trajectories
        for block in range(first // BLOCK, -(-last // BLOCK)):
            ends = self._block(block, seed)
            here = slice(max(first - block * BLOCK, 0), min(last - block * BLOCK, BLOCK))
            totals += np.bincount(ends[here], minlength=len(self.ends))
        found: dict[Any, int] = {}
        for state, count in zip(self.ends, totals.tolist(), strict=True):
            if count:
                found[state] = found.get(state, 0) + count
        return found

    def _block(self, block: int, seed: int) -> NDArray[np.uint32]:
        words = random_words(seed, self._number, block)
        cell = np.empty(BLOCK, np.int64)
        spot, threshold, row = (
            np.empty(BLOCK, np.uint32),
            np.empty(BLOCK, np.uint32),
            np.zeros(BLOCK, np.uint32),
        )
        taken = np.empty(BLOCK, np.bool_)
        for table in self._tables:
            word = words(BLOCK // 2).view(np.uint32)
            np.bitwise_and(word, (1 << table.bits) - 1, out=spot)
            np.add(row, spot, out=cell)
            np.take(table.thresholds, cell, out=threshold, mode="wrap")
            np.right_shift(word, 32 - THRESHOLD_BITS, out=spot)
            np.less(spot, threshold, out=taken)
            np.add(cell, cell, out=cell)
            np.add(cell, taken, out=cell)
            np.take(table.targets, cell, out=row, mode="wrap")
        return row


class _Moment:
    """Say what one moment of a chain does to class and state, by chance."""

    def __init__(self, layer: Layer, words: list[Word], reader: Reader, moment: int) -> None:
        self._layer = layer
        self._words = words
        self._reader = reader
        self._moment = moment
        self._known: dict[NodeState, Chances] = {}
        self._read: dict[tuple[int, int], tuple[tuple[int, float, bool], ...]] = {}

    def after(self, place: NodeState) -> Chances:
        """Return where the moment's end finds what is at a place now."""
        found = self._known.get(place)
        if found is not None:
            return found
        node, state = place
        if node < 0:
            return {place: 1.0}
        links = self._layer.links[node]
        total = sum(weight for _, weight, _, _ in links)
        found = {}
        for target, weight, word, ends in links:
            for after, share, settled in self._spread(state, word):
                chance = share * weight / total
                there = {(-1 if settled else target, after): 1.0}
                if not ends and not settled:
                    there = self.after((target, after))
                for end, more in there.items():
                    found[end] = found.get(end, 0.0) + chance * more
        self._known[place] = found
        return found

    def _spread(self, state: int, word: int) -> tuple[tuple[int, float, bool], ...]:
        if not word:
            return ((state, 1.0, False),)
        found = self._read.get((state, word))
        if found is None:
            found = self._read[state, word] = self._reader.read_shares(
                state, self._words[word], self._moment
            )
        return found


def _table(chances: list[Chances], numbers: dict[NodeState, int], bits: int, later: int) -> _Table:
    """Alias tables of all rows at once: the smallest cell left is filled up from the largest (Walker)."""
    width, height = 1 << bits, len(chances)
    if width * height > MOST_CELLS:
        raise TooLargeError(f"more than {MOST_CELLS:,} cells for one moment")
    share = np.zeros((height, width))
    own = np.zeros((height, width), np.uint32)
    for row, transitions in enumerate(chances):
        share[row, : len(transitions)] = [*transitions.values()]
        own[row, : len(transitions)] = [numbers[place] << later for place in transitions]
    share *= width / share.sum(axis=1, keepdims=True)
    alias = own.copy()
    filled = share.copy()
    rows = np.arange(height)
    left = np.ones((height, width), np.bool_)
    for _ in range(width - 1):
        small = np.where(left, filled, np.inf).argmin(axis=1)
        large = np.where(left, filled, -np.inf).argmax(axis=1)
        left[rows, small] = False
        alias[rows, small] = own[rows, large]
        share[rows, small] = filled[rows, small]
        filled[rows, large] -= 1 - filled[rows, small]
    share[left] = 1.0
    thresholds = (
        np.rint(share * (1 << THRESHOLD_BITS)).clip(0, 1 << THRESHOLD_BITS).astype(np.uint32)
    )
    targets = np.stack((alias, own), axis=2).astype(np.uint32)
    return _Table(bits, thresholds.ravel(), targets.ravel())
