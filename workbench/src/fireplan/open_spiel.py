"""Any duel as a game of OpenSpiel and an environment of PettingZoo, laid out no further than it is played.

Needs the extra 'open_spiel' (pip install 'fireplan[open_spiel]'). Importing it registers the game
"fireplan" with OpenSpiel: an action is the number of an order in the list of those that may be
given.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, unquote
from zlib import crc32

from fireplan.duels import Branching, DuelTree
from fireplan.questions.duel import duel_of

try:
    import numpy as np
    import pyspiel  # type: ignore[import-not-found]
except ImportError as error:
    said = f"fireplan.open_spiel needs the extra 'open_spiel' ({error.name} is missing): "
    raise ImportError(f"{said}pip install 'fireplan[open_spiel]'.", name=error.name) from error

MOST_ORDERS, MOST_FALLS, LONGEST, MOST_EARNED = 20_000, 10_000, 100_000, 10.0**6
"""What OpenSpiel must be told: at most so many orders, ways of a throw, inputs of a play, and so much is gained."""
BINS = 1_024
"""Entries of the tensor that tells what was seen."""
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
    """A duel that is played; its one parameter, ``asked``, is what ``parameters`` returns."""

    def __init__(self, params: Mapping[str, Any], tree: DuelTree | None = None) -> None:
        super().__init__(KIND, SIZES, params)
        self.tree = tree or DuelTree(
            duel_of(**json.loads(unquote(params["asked"])))[0], played=True
        )
        self.nodes: dict[tuple[int, ...], Branching] = {(): self.tree.opened()}

    def node(self, taken: tuple[int, ...]) -> Branching:
        """Return where play branches after these branches were taken."""
        if taken not in self.nodes:
            self.nodes[taken] = self.node(taken[:-1]).after(taken[-1])
        return self.nodes[taken]

    def new_initial_state(self) -> DuelState:
        """Return the state in which play begins."""
        return DuelState(self)

    def make_py_observer(self, *_: Any) -> DuelObserver:
        """Return what tells a side what it has seen."""
        return DuelObserver()


class DuelObserver:
    """Tells the side that is asked all that it has seen: as text, and as counts of its lines by bins."""

    def __init__(self) -> None:
        self.tensor = np.zeros(BINS, np.float32)
        self.dict = {"lines": self.tensor}

    def set_from(self, state: DuelState, player: int) -> None:
        """Count the lines."""
        self.tensor.fill(0)
        for line in self.lines(state, player):
            self.tensor[crc32(line.encode()) % BINS] += 1

    def string_from(self, state: DuelState, player: int) -> str:
        """Return the lines, as ASCII."""
        return "\n".join(self.lines(state, player)).encode("ascii", "replace").decode()

    @staticmethod
    def lines(state: DuelState, player: int) -> tuple[str, ...]:
        """Return what the side that is asked has seen, nothing for the other."""
        return state.at.told if state.at.player == player else ()


class DuelState(pyspiel.State):  # type: ignore[misc]
    """A duel in play; an action is the number of a branch."""

    @property
    def at(self) -> Branching:
        """Return where play branches now."""
        game: DuelGame = self.get_game()
        return game.node(tuple(self.history()))

    def current_player(self) -> int:
        """Return who is asked, or that chance decides, or that play is over."""
        nobody = pyspiel.PlayerId.CHANCE if self.at.branches else pyspiel.PlayerId.TERMINAL
        return int(nobody) if self.at.player is None else self.at.player

    def _legal_actions(self, _: int) -> list[int]:
        return [*range(len(self.at.branches))]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the numbers of what may fall, with their chances."""
        return [*enumerate(map(float, self.at.shares))]

    def _apply_action(self, action: int) -> None:
        """Do nothing: the history says where play is."""

    def _action_to_string(self, _: int, action: int) -> str:
        return str(self.at.branches[action])

    def is_terminal(self) -> bool:
        """Return whether play is over."""
        return not self.at.branches

    def returns(self) -> list[float]:
        """Return what each side has gained when play is over."""
        return [float(self.at.earned), -float(self.at.earned)]

    def __str__(self) -> str:
        return str(self.history())


def parameters(scenario: str, goal: str | None = None, **asked: Any) -> dict[str, str]:
    """Return the parameters of a duel's game for ``pyspiel.load_game``.

    It is asked for as of ``fireplan.duel``.
    """
    sought = {
        name: asked.pop(name) for name in ("moments", "side", "only", "also") if name in asked
    }
    begins = [asked.pop("world", ()), asked.pop("chosen_by", None), asked.pop("toll", ())]
    text = json.dumps(
        {"scenario": scenario, "sought": {"goal": goal, **sought}, "begins": begins, **asked}
    )
    return {"asked": quote(text)}


def game(scenario: str, goal: str | None = None, **asked: Any) -> Any:
    """Return a duel, asked for as of ``fireplan.duel``, as a ``pyspiel.Game``, however large: it is not laid out.

    Raises ``InputError`` with everything that is wrong.
    """
    return pyspiel.load_game("fireplan", parameters(scenario, goal, **asked))


def environment(scenario: str, goal: str | None = None, **asked: Any) -> Any:
    """Return a duel, asked for as of ``fireplan.duel``, as an environment of PettingZoo in which sides take turns.

    The first agent is the side that wants the goal; its gain is the other's loss. Raises as
    ``game`` does.
    """
    from shimmy import OpenSpielCompatibilityV0  # type: ignore[import-untyped, unused-ignore]

    return OpenSpielCompatibilityV0(
        game_name="fireplan", config=parameters(scenario, goal, **asked)
    )


pyspiel.register_game(KIND, DuelGame)
