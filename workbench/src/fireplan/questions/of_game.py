"""Questions about one installed game."""

from __future__ import annotations

import attrs

from fireplan.errors import unknown
from fireplan.questions import opening
from fireplan.questions.question import Question, R_co, asks
from fireplan_core.play import Catalogue


class OfGame(Question[R_co]):
    """A question about one installed game."""

    game: str = asks(
        "A game's key ('fireplan games' lists the keys).", attrs.NOTHING, placed=True, named="game"
    )

    def installed(self) -> Catalogue:
        """Return the installed games; raise ``InputError`` if ``game`` is not among them."""
        installed = self.catalogue or opening.catalogue_for(None, self.game)
        if self.game not in installed.games:
            raise unknown("game", self.game, installed.games, files=True)
        return installed
