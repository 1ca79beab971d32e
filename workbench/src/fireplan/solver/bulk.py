"""Sampling in bulk: the explored chain as arrays; numpy walks many trajectories at a time.

Each step of a trajectory is one moment of the lumped chain together with the measure, drawn from an
alias table with one random word of 32 bits. Each chance is off by less than 2**-23. Trajectories
come in blocks of a fixed size. The generator of each block is seeded by the seed and the indices of
measure and block.
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
"""Number of trajectories in a block, small enough for their arrays to stay in the cache."""
THRESHOLD_BITS = 23
WIDEST = 9
"""Maximum number of bits of a random word that choose a column.

The top bits are compared with the column's threshold.
"""
MOST_CELLS = 1 << 22
MOST_NODES = 200_000

NodeState = tuple[int, int]
"""Indices of a class of the chain (-1 if the measure is settled) and a state of the measure."""
Chances = dict[NodeState, float]


@attrs.frozen(eq=False)
class _Table:
    """The alias tables of one moment: for each cell a threshold and two targets, ``(alias, own)``.

    A random word below the threshold takes the cell's own target. A row has ``1 << bits`` cells.
    Each target is the first cell of a row in the next table.
    """

    bits: int
    thresholds: NDArray[np.uint32]
    targets: NDArray[np.uint32]


class BulkSampler:
    """A sampler of one measure on one chain."""

    def __init__(self, layers: Layers, reader: Reader, number: int) -> None:
        self._number = number
        rows = [{(layers.start, 0): 0}]
        words: list[Word] = [word or () for word in layers.emission]
        moments: list[list[Chances]] = []
        for moment, layer in enumerate(reversed(layers.layers)):
            transition = _Moment(layer, words, reader, moment)
            moments.append([transition.after(node_state) for node_state in rows[-1]])
            next_rows: dict[NodeState, int] = {}
            for chances in moments[-1]:
                for node_state in chances:
                    next_rows.setdefault(node_state, len(next_rows))
            rows.append(next_rows)
            if sum(map(len, rows)) > MOST_NODES:
                raise TooLargeError(f"more than {MOST_NODES:,} joint states of chain and measure")
        table_bits = [max(1, (max(map(len, chances)) - 1).bit_length()) for chances in moments]
        if max(table_bits) > WIDEST:
            raise TooLargeError(f"more than {1 << WIDEST} transitions from one state")
        self._tables = [
            _table(chances, numbers, bits, next_bits)
            for chances, numbers, bits, next_bits in zip(
                moments, rows[1:], table_bits, [*table_bits[1:], 0], strict=True
            )
        ]
        self.ends: list[Hashable] = [reader.final(reader.states[state]) for _, state in rows[-1]]

    def counts(self, first: int, trajectories: int, seed: int) -> dict[Any, int]:
        """Return the number of trajectories that end in each state, from index ``first`` on."""
        totals = np.zeros(len(self.ends), np.int64)
        last = first + trajectories
        for block in range(first // BLOCK, -(-last // BLOCK)):
            ends = self._block(block, seed)
            wanted_part = slice(max(first - block * BLOCK, 0), min(last - block * BLOCK, BLOCK))
            totals += np.bincount(ends[wanted_part], minlength=len(self.ends))
        counts: dict[Any, int] = {}
        for state, count in zip(self.ends, totals.tolist(), strict=True):
            if count:
                counts[state] = counts.get(state, 0) + count
        return counts

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
    """The transition probabilities of one moment for a class and a state of the measure."""

    def __init__(self, layer: Layer, words: list[Word], reader: Reader, moment: int) -> None:
        self._layer = layer
        self._words = words
        self._reader = reader
        self._moment = moment
        self._memo: dict[NodeState, Chances] = {}
        self._read: dict[tuple[int, int], tuple[tuple[int, float, bool], ...]] = {}

    def after(self, node_state: NodeState) -> Chances:
        """Return the distribution at the end of the moment from a class and state within it."""
        chances = self._memo.get(node_state)
        if chances is not None:
            return chances
        node, state = node_state
        if node < 0:
            return {node_state: 1.0}
        links = self._layer.links[node]
        total = sum(weight for _, weight, _, _ in links)
        chances = {}
        for target, weight, word, ends in links:
            for after, share, settled in self._spread(state, word):
                chance = share * weight / total
                outcomes = {(-1 if settled else target, after): 1.0}
                if not ends and not settled:
                    outcomes = self.after((target, after))
                for end, share_of_end in outcomes.items():
                    chances[end] = chances.get(end, 0.0) + chance * share_of_end
        self._memo[node_state] = chances
        return chances

    def _spread(self, state: int, word: int) -> tuple[tuple[int, float, bool], ...]:
        if not word:
            return ((state, 1.0, False),)
        shares = self._read.get((state, word))
        if shares is None:
            shares = self._read[state, word] = self._reader.read_shares(
                state, self._words[word], self._moment
            )
        return shares


def _table(
    chances: list[Chances], numbers: dict[NodeState, int], bits: int, next_bits: int
) -> _Table:
    """Return the alias tables of all rows at once, by Walker's method.

    The smallest open cell is filled up from the largest.
    """
    width, height = 1 << bits, len(chances)
    if width * height > MOST_CELLS:
        raise TooLargeError(f"more than {MOST_CELLS:,} table cells for one moment")
    share = np.zeros((height, width))
    own = np.zeros((height, width), np.uint32)
    for row, transitions in enumerate(chances):
        share[row, : len(transitions)] = [*transitions.values()]
        own[row, : len(transitions)] = [
            numbers[node_state] << next_bits for node_state in transitions
        ]
    share *= width / share.sum(axis=1, keepdims=True)
    alias = own.copy()
    filled = share.copy()
    rows = np.arange(height)
    is_open = np.ones((height, width), np.bool_)
    for _ in range(width - 1):
        small = np.where(is_open, filled, np.inf).argmin(axis=1)
        large = np.where(is_open, filled, -np.inf).argmax(axis=1)
        is_open[rows, small] = False
        alias[rows, small] = own[rows, large]
        share[rows, small] = filled[rows, small]
        filled[rows, large] -= 1 - filled[rows, small]
    share[is_open] = 1.0
    thresholds = (
        np.rint(share * (1 << THRESHOLD_BITS)).clip(0, 1 << THRESHOLD_BITS).astype(np.uint32)
    )
    targets = np.stack((alias, own), axis=2).astype(np.uint32)
    return _Table(bits, thresholds.ravel(), targets.ravel())
