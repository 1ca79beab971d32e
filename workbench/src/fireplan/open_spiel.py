"""Duels as games of OpenSpiel and environments of PettingZoo, expanded only as they are played.

Needs the extra 'open_spiel' (pip install 'fireplan[open_spiel]'). Importing this module registers
the game "fireplan" with OpenSpiel. An action is the index of an order in the list of legal orders.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, unquote
from zlib import crc32

from fireplan.duels import Branching, DuelTree
from fireplan.extras import needs
from fireplan.questions.duel import duel_of

try:
    import numpy as np
    import pyspiel  # type: ignore[import-not-found]
except ImportError as error:
    reason = needs("open-spiel", error.name, "fireplan.open_spiel")
    raise ImportError(reason, name=error.name) from error

MOST_ORDERS, MOST_FALLS, LONGEST, MOST_EARNED = 20_000, 10_000, 100_000, 10.0**6
"""Limits that OpenSpiel requires: orders, outcomes of a throw, inputs of a game, and gain."""
BINS = 1_024
"""Length of the observation tensor."""
KIND = pyspiel.GameType(
    short_name="fireplan",
    long_name="A duel of fireplan",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=2,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=True,
    provides_observation_string=False,
    provides_observation_tensor=False,
    parameter_specification={"asked": ""},
    default_loadable=False,
)
SIZES = pyspiel.GameInfo(MOST_ORDERS, MOST_FALLS, 2, -MOST_EARNED, MOST_EARNED, 0.0, LONGEST)


class DuelGame(pyspiel.Game):  # type: ignore[misc]
    """A duel as an OpenSpiel game; ``parameters`` creates its single parameter, ``asked``.

    ``tree`` is the tree of the duel; by default, it is made from this parameter.
    """

    def __init__(self, params: Mapping[str, Any], tree: DuelTree | None = None) -> None:
        super().__init__(KIND, SIZES, params)
        self.tree = tree or DuelTree(
            duel_of(**json.loads(unquote(params["asked"])))[0], played=True
        )
        self.nodes: dict[tuple[int, ...], Branching] = {(): self.tree.opened()}

    def node(self, taken: tuple[int, ...]) -> Branching:
        """Return the branching reached by a sequence of branch indices."""
        if taken not in self.nodes:
            self.nodes[taken] = self.node(taken[:-1]).after(taken[-1])
        return self.nodes[taken]

    def new_initial_state(self) -> DuelState:
        """Return the initial state of play."""
        return DuelState(self)

    def make_py_observer(self, *_: Any) -> DuelObserver:
        """Return an observer that provides the observations of one side."""
        return DuelObserver()


class DuelObserver:
    """The observations of the side to move: text, and a tensor that counts its lines by hash."""

    def __init__(self) -> None:
        self.tensor = np.zeros(BINS, np.float32)
        self.dict = {"lines": self.tensor}

    def set_from(self, state: DuelState, player: int) -> None:
        """Fill the tensor with counts of the lines that a player has seen.

        A line is counted in the element whose index is its hash modulo the length of the tensor.
        """
        self.tensor.fill(0)
        for line in self.lines(state, player):
            self.tensor[crc32(line.encode()) % BINS] += 1

    def string_from(self, state: DuelState, player: int) -> str:
        """Return the lines that a player has seen, as ASCII text."""
        return "\n".join(self.lines(state, player)).encode("ascii", "replace").decode()

    @staticmethod
    def lines(state: DuelState, player: int) -> tuple[str, ...]:
        """Return the lines that a player has seen; empty unless that player is to move."""
        return state.at.story if state.at.player == player else ()


class DuelState(pyspiel.State):  # type: ignore[misc]
    """A state of a duel, derived from its history of actions.

    An action is the index of a branch: an order of the side to move, or an outcome of chance.
    """

    @property
    def at(self) -> Branching:
        """The point in the game that the moves so far lead to: a decision, a throw, or the end."""
        game: DuelGame = self.get_game()
        return game.node(tuple(self.history()))

    def current_player(self) -> int:
        """Return the index of the side to move, or OpenSpiel's code for chance or for the end."""
        nobody = pyspiel.PlayerId.CHANCE if self.at.branches else pyspiel.PlayerId.TERMINAL
        return int(nobody) if self.at.player is None else self.at.player

    def _legal_actions(self, _: int) -> list[int]:
        return [*range(len(self.at.branches))]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the index and probability of each outcome of chance."""
        return [*enumerate(map(float, self.at.shares))]

    def _apply_action(self, action: int) -> None:
        """Do nothing, because the position is derived from the history."""

    def _action_to_string(self, _: int, action: int) -> str:
        return str(self.at.branches[action])

    def is_terminal(self) -> bool:
        """Return whether play is over."""
        return not self.at.branches

    def returns(self) -> list[float]:
        """Return the final gain of each side, or 0 before the end."""
        return [float(self.at.earned), -float(self.at.earned)]

    def __str__(self) -> str:
        return str(self.history())


def parameters(scenario: str, goal: str | None = None, **asked: Any) -> dict[str, str]:
    """Return the parameters of a duel for ``pyspiel.load_game``.

    The arguments are those of ``fireplan.duel``.
    """
    question = {
        name: asked.pop(name) for name in ("moments", "side", "only", "also") if name in asked
    }
    start = [asked.pop("world", ()), asked.pop("chosen_by", None), asked.pop("toll", ())]
    text = json.dumps(
        {"scenario": scenario, "sought": {"goal": goal, **question}, "begins": start, **asked}
    )
    return {"asked": quote(text)}


def game(scenario: str, goal: str | None = None, **asked: Any) -> Any:
    """Return a duel as a ``pyspiel.Game``; it may be of any size, as it is not expanded in advance.

    The arguments are those of ``fireplan.duel``. Raise ``InputError`` listing every fault.
    """
    return pyspiel.load_game("fireplan", parameters(scenario, goal, **asked))


def environment(scenario: str, goal: str | None = None, **asked: Any) -> Any:
    """Return a duel as a PettingZoo environment in which the sides take turns.

    The arguments are those of ``fireplan.duel``. The first agent is the side pursuing the goal; its
    gain is the other side's loss. Raises the same errors as ``game``.
    """
    from shimmy import OpenSpielCompatibilityV0  # type: ignore[import-untyped, unused-ignore]

    return OpenSpielCompatibilityV0(
        game_name="fireplan", config=parameters(scenario, goal, **asked)
    )


pyspiel.register_game(KIND, DuelGame)
