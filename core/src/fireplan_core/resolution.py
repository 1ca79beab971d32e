"""Resolution: what fire does to what it covers.

A step emits ``suffered`` (fields ``unit`` and ``severity``) whenever a unit's state gets worse;
every game maps its own results to ``Severity`` in ``severities``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from fireplan_core.chance import Chance
from fireplan_core.mission import Severity, Shot
from fireplan_core.record import Place
from fireplan_core.steps.effects import Effects, optional, required
from fireplan_core.steps.part import Part
from fireplan_core.steps.view import View


class Resolution(Part):
    """Attacks on targets, their results, and their severity on the neutral scale."""

    word: ClassVar[str] = "resolution"
    severities: ClassVar[Mapping[str, Severity]] = {}

    def opens(self, view: View) -> bool:
        """Return whether anything comes before all else of this moment: the cycle leaves ``opening`` out if not."""
        return True

    # --- the contract: steps that the core calls --------------------------------------------------
    @optional
    def opening(self, chance: Chance, view: View) -> Effects:
        """Resolve what comes before all else of a moment: fire that fell before play, what burns or lies there."""
        return Effects()

    @optional
    def restore_order(self, chance: Chance, view: View, unit: str) -> Effects:
        """Bring a unit back into good order; delays push it for one that has the link in hand."""
        return Effects()

    @required
    def strike(self, chance: Chance, view: View, mission: str, place: Place, shot: Shot) -> Effects:
        """Attack everything at a place that fire for effect covers.

        It runs in the scope of the place: of units and ground it reads only those there, and it
        writes nothing else. Anything beyond is refused, unless the part says ``places_apart =
        False``.
        """
        raise NotImplementedError

    @optional
    def manoeuvre(self, chance: Chance, view: View, side: str) -> Effects:
        """Let a side move its units.

        Delays push it where the sides have turns of their own in a moment.
        """
        return Effects()

    @optional
    def fire_phase(self, chance: Chance, view: View, side: str) -> Effects:
        """Settle what all fire of a side's fire phase did together, and what else it fires.

        Delays push it where the sides have turns of their own in a moment, after
        ``Areas.fire_phase`` for each asset.
        """
        return Effects()

    @optional
    def closed(self, chance: Chance, view: View, mission: str) -> Effects:
        """Note that the mission has ended."""
        return Effects()

    @optional
    def spent(self, chance: Chance, view: View, mission: str) -> Effects:
        """Settle what the firing costs the asset (depletion), after all strikes of one fall."""
        return Effects()

    @optional
    def turn_over(self, chance: Chance, view: View) -> Effects:
        """Take off what lasts to the end of a turn.

        The delays push it when one ends, in games that play turns.
        """
        return Effects()
