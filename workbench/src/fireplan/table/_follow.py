"""The scenario that follows one played to its end, in a game with campaigns."""

from __future__ import annotations

from pathlib import Path

from fireplan.table._head import ENGAGEMENT
from fireplan.table._sides import sides_of
from fireplan.table._store import reopen
from fireplan_core import ScenarioFile
from fireplan_core.files import Document
from fireplan_core.play import Catalogue


def follow(
    journal: Path, catalogue: Catalogue, *, keeps: str | None = None, moments: int | None = None
) -> ScenarioFile:
    """Return the scenario after the one in a journal, which is not changed.

    ``keeps`` is the side whose calls for fire carry over (nobody's by default), ``moments`` how long the new one is if
    not as the game says. Raises ``JournalError`` and ``HeadError`` as ``reopen`` does, and ValueError for a game that
    is not played out or has no campaigns, and for a side that there is not.
    """
    session, head = reopen(journal, catalogue, read_only=True)
    forms = catalogue[head.game].game.scenarios
    if head.kind == ENGAGEMENT or forms is None or forms.follow is None:
        raise ValueError(f"{journal}: nothing follows, as {head.game} has no campaign of such tables")
    if session.table.waits_for is not None:
        raise ValueError(f"{journal}: the game is not played out; what follows is known at its end")
    sides = sides_of(session.scenario)
    if keeps is not None and keeps not in sides:
        raise ValueError(f"--keeps: there is no side {keeps}; expected one of {', '.join(sides)}")
    form = Document.of(head.name, head.text).over("options", head.options).read(forms.kind)
    return forms.follow(form, session.scenario, session.table.read, keeps, moments)
