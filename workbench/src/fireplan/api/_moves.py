"""Moves from a position."""

from __future__ import annotations

import attrs

from fireplan.api._questions import Questions
from fireplan_core import Ask


@attrs.frozen(eq=False, repr=False, slots=False)
class Moves(Questions):
    """What can be done from a position."""

    @property
    def moment(self) -> str:
        """Return the name of the present moment."""
        return self.at.scenario.clock.name(self.at.moment)

    @property
    def waits_for(self) -> str:
        """Return the question or throw that is waited for."""
        waits = self.at.table().waits_for
        if waits is None:
            return "nothing"
        return f"{waits.who}: {waits.question}" if isinstance(waits, Ask) else f"roll {waits.name}"
