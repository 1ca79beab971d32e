"""Questions about a point in play: an opening, a position line, a journal or a playthrough."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fireplan import analysis, positions, table
from fireplan.errors import (
    InputError,
    argument_name,
    gathered,
    refuse,
)
from fireplan.questions import opening
from fireplan.questions.lines import is_line
from fireplan.questions.question import R_co, UnderOrders, WithFacts, asks
from fireplan.questions.shared_arguments import asks_stager
from fireplan_core.play import shipped_scenarios

if TYPE_CHECKING:
    from fireplan.questions.position import PositionResult


class FromPosition(UnderOrders[R_co], WithFacts[R_co]):
    """A question about a table from some point in play onward."""

    scenario: str | None = asks(
        "A shipped scenario (game/name) or a scenario file; with a game, an engagement (woods by"
        " default). Also the line of a position, a journal, or a playthrough.",
        placed=True,
        named="position",
    )
    game: str | None = asks_stager()
    line: str | None = asks(
        "The line of a position, 'fp1 ...' (docs/reference/positions.md), instead of a scenario's opening.",
        option="--from",
        named="position",
    )
    at: int | None = asks(
        "The point in a journal or playthrough: after this many inputs; by default its end.",
        range=(0, None),
        unit="inputs",
    )

    @property
    def from_position(self) -> bool:
        """True if the source is a position line, a journal or a playthrough."""
        name = self.scenario or ""
        if self.line is not None or self.at is not None:
            return True
        if name.endswith(table.RECORDED) or is_line(name):
            return True
        if "/" not in name:
            return False
        installed = self.catalogue or opening.catalogue_for(name, self.game)
        return name not in shipped_scenarios(installed) and name in table.shipped_playthroughs(
            installed
        )

    def position(self, faults: list[str]) -> PositionResult:
        """Return the position from which the question is asked, adding every fault to ``faults``.

        Raise ``InputError`` with these faults if the position cannot be read.
        """
        if self.line is not None and (self.at is not None or self.scenario or self.game):
            faults.append(
                f"{argument_name('line')} is a whole position: leave scenario, {argument_name('game')} and"
                f" {argument_name('at')} out."
            )
        from fireplan.questions.position import position
        from fireplan.questions.recorded import load

        name = self.line or self.scenario or ""
        position_found: Any
        if self.from_position and self.line is None and not is_line(name):
            if unfit := [argument_name(key) for key in self._said_of_an_opening()]:
                faults.append(
                    "A journal or playthrough already determines what is played:"
                    f" leave {', '.join(unfit)} out."
                )
            if not name:
                raise InputError(
                    *faults,
                    f"{argument_name('at')} applies only to a journal or playthrough: name one.",
                )
            position_found = gathered(faults, lambda: load(name).at(self.at))
        else:
            game = None if self.line is not None else self.game
            position_found = gathered(
                faults, position, name or analysis.DEFAULT, game=game, **self.facts
            )
        if position_found is not None and self.orders.rules:
            position_found = gathered(faults, position_found.under, self.orders)
        if position_found is None:
            refuse(faults)
        return position_found  # type: ignore[no-any-return]

    def _said_of_an_opening(self) -> list[str]:
        game = [] if self.game is None else ["game"]
        return game + [name for name in positions.facts() if name in self.facts]
