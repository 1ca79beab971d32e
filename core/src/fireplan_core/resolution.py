"""The base class of the resolution part, which applies fire to its targets.

A step emits ``suffered`` (fields ``unit`` and ``severity``) whenever a unit's state gets worse.
Each game maps its own results to ``Severity`` in ``severities``.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from fireplan_core.chance import Chance
from fireplan_core.mission import Severity, Shot
from fireplan_core.space import Place
from fireplan_core.steps.effects import Effects, Event, optional, required
from fireplan_core.steps.part import Part
from fireplan_core.steps.view import View

if TYPE_CHECKING:
    from fireplan_core.setups.setup import Setup


class Resolution(Part):
    """The resolution part, which attacks targets and determines the harm done.

    >>> class Shells(Resolution):
    ...     severities = {"pinned": Severity.SUPPRESSED, "broken": Severity.REDUCED}
    ...
    ...     @step(cite="5")
    ...     def strike(self, chance, view, mission, place, shot):
    ...         return Effects(*(emit("struck", "5", unit=unit) for unit in view.units_at(place)))
    >>> list(Shells("my_game", {}, {}).steps())
    ['resolution.strike']
    """

    word: ClassVar[str] = "resolution"
    severities: ClassVar[Mapping[str, Severity]] = {}
    least_weighed: ClassVar[Severity] = Severity.SUPPRESSED
    """The least harm that counts when a side's orders are compared at a table."""

    removes_destroyed: ClassVar[bool] = False
    """True if destroyed units leave the table wherever units can move."""

    def opens(self, view: View) -> bool:
        """Return whether the part has anything to resolve at the start of this moment.

        By default, it has. If not, the cycle skips the step ``opening``.
        """
        return True

    def harm_chance(
        self, scenario: Setup, unit: str, severity: Severity, mission: str, *, usual: bool
    ) -> Fraction | None:
        """Return the greatest chance that one fall of a mission does a unit at least this harm.

        The bound must hold in every state in which the unit has not yet suffered as much. With
        ``usual``, play opens as the scenario is set up, the unit's side gives its standard orders
        only, and the orders of other sides name only places that their questions offer. Return None
        if no bound is known. The solver uses it to bound the harm that the best orders do.
        """
        return None

    def removal_chance(self, scenario: Setup, unit: str, mission: str) -> Fraction:
        """Return the least chance that one fall of a mission on a unit removes it from the table.

        The bound must hold in every state that the unit can reach if its side gives its standard
        orders only and play opens as the scenario is set up. The solver uses it to bound strikes.
        """
        return Fraction(0)

    def recovers(self, event: Event) -> bool:
        """Return whether the unit of this event is no longer suppressed after it."""
        return False

    def on_counter(self, view: View, unit: str) -> tuple[str, ...]:
        """Return the public texts on a unit's counter, e.g. its type and values."""
        return ()

    # --- the contract: steps that the core calls --------------------------------------------------
    @optional
    def opening(self, chance: Chance, view: View) -> Effects:
        """Resolve fire from before play, lingering hazards and the like as a moment opens."""
        return Effects()

    @required
    def strike(self, chance: Chance, view: View, mission: str, place: Place, shot: Shot) -> Effects:
        """Attack everything at a place that fire for effect covers.

        The step is confined to the place, unless the part sets ``places_apart = False``: it may
        change only the units and the ground there, and may not read the units or the ground of
        other places.
        """
        raise NotImplementedError

    @optional
    def manoeuvre(self, chance: Chance, view: View, side: str) -> Effects:
        """Let a side move its units.

        The delays part pushes this step in games where each side has its own turn within a moment.
        """
        return Effects()

    @optional
    def closed(self, chance: Chance, view: View, mission: str) -> Effects:
        """Change the part's state when a mission ends; by default nothing changes."""
        return Effects()

    @optional
    def spent(self, chance: Chance, view: View, mission: str) -> Effects:
        """Charge the asset for firing (depletion), after all strikes of one fall."""
        return Effects()

    @optional
    def turn_over(self, chance: Chance, view: View) -> Effects:
        """Remove effects that last until the end of a turn.

        The delays part pushes this step at the end of each turn, in games that have turns.
        """
        return Effects()
