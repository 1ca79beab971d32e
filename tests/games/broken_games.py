"""Null games with one failure each, none of which may make fireplan itself fail."""

from __future__ import annotations

import attrs
import null_game

from fireplan_core import Effects, Game, PartTypes, hookimpl, step, update
from fireplan_core.chance import Chance
from fireplan_core.play import Catalogue


class RaisingDelays(null_game.NullDelays):
    """Delays that raise an error when the battery is to be reached."""

    @step(cite="N2")
    def reach(self, chance: Chance, view: null_game.View, m: str) -> Effects:
        raise KeyError("radio")


class GrowingDelays(null_game.NullDelays):
    """Delays that count without limit a value that a rule reads."""

    @step(cite="N2")
    def reach(self, chance: Chance, view: null_game.View, m: str) -> Effects:
        now = view.mission(m)
        roll = chance.dice("reach", **dict.fromkeys("abcd", null_game.d6))
        grown = update(now, previous=(*(now.previous or ()), *roll.faces.exact()))
        return Effects(
            grown, null_game.push(null_game.cycle.ready, m, null_game.Outcome.GOOD, "reached")
        )


class UnstagedObservers(null_game.NullObservers):
    """Observers that raise an error when an engagement is staged."""

    def stage(self, staging: null_game.Staging) -> None:
        raise ZeroDivisionError("no observers")


NULL = null_game.fireplan_game()


class _Plugin:
    def __init__(self, key: str, **parts: type) -> None:
        kinds = {
            word: parts.get(word, kind)
            for word, kind in attrs.asdict(NULL.parts, recurse=False).items()
        }
        self.game = attrs.evolve(NULL, key=key, title=f"The {key} game", parts=PartTypes(**kinds))

    @hookimpl
    def fireplan_game(self) -> Game:
        """Return the game."""
        return self.game


def catalogue() -> Catalogue:
    """Return the null game with three broken ones: one raises, one grows, one cannot be staged."""
    found = Catalogue()
    found.admit(null_game)
    found.admit(_Plugin("raising", delays=RaisingDelays))
    found.admit(_Plugin("growing", delays=GrowingDelays))
    found.admit(_Plugin("unstaged", observers=UnstagedObservers))
    return found
