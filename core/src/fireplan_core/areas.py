"""Areas: where a shot really lands, what it covers, and what stays on the ground."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

from fireplan_core.chance import Chance
from fireplan_core.mission import FireKind, FireLimit, Stage
from fireplan_core.record import Place
from fireplan_core.setups.setup import Setup
from fireplan_core.space import Frame
from fireplan_core.steps.effects import Effects, optional, required, update
from fireplan_core.steps.part import Notified
from fireplan_core.steps.view import View


class Areas(Notified):
    """Accuracy, error, footprint and what lingers.

    ``cites`` needs ``spotting``, ``fall`` and ``lingering``.
    """

    word: ClassVar[str] = "areas"
    miss_not_modelled: ClassVar[str] = ""
    """Why there is no miss distance, in a game whose fire lands where it is aimed by rule."""
    kinds: ClassVar[tuple[FireKind, ...]] = (FireKind.HE,)
    """The kinds of fire that may land; requests offer no others."""

    def frame(self) -> Frame:
        """Return the places of this game: what distances and labels mean."""
        raise NotImplementedError

    def middle(self) -> Place:
        """Return the place that stands for the centre of an engagement's target.

        Games may choose one on their map.
        """
        return self.frame().nearest(0.0, 0.0)

    def aim_at(self, place: Place) -> tuple[Place, ...]:
        """Return the points that may be aimed at to hit a place, the most natural first (by default itself)."""
        return (place,)

    def error_lines(self) -> int:
        """Return along how many directions from its aim a shot may land astray.

        The kit holds a game to it.

        Six from a hex; a vertex and its mirror image have three each.
        """
        return 6

    def in_order(self, view: View, mission: str, places: tuple[Place, ...]) -> tuple[Place, ...]:
        """Return places that fire for effect strikes, in the order of resolution.

        By default as the scenario lists them.
        """
        return places

    def covers(self, view: View, mission: str, place: Place, extent: Fraction) -> Fraction:
        """Return how strongly the mission's fire, at its impact, covers a place: 0 not at all, 1 as usual.

        ``extent`` is the half-width in metres of what stands there; 0 means one of this game's own places.
        """
        raise NotImplementedError

    def footprint(self, view: View, mission: str) -> tuple[tuple[Place, ...], float]:
        """Return the cells that fire for effect at the impact covers, and their area in hectares.

        In the plane the cells are the impact alone.
        """
        raise NotImplementedError

    def outline(self, place: Place) -> tuple[tuple[float, float], ...]:
        """Return the border of the cell of a place where fire may land, as corners in metres, for pictures."""
        raise NotImplementedError

    def shape(self, view: View, mission: str) -> tuple[tuple[tuple[float, float], ...], ...]:
        """Return the borders of all that fire for effect at the impact covers: of its cells, if it has any."""
        return tuple(self.outline(cell) for cell in self.footprint(view, mission)[0])

    def ahead(self, view: View, mission: str) -> tuple[tuple[tuple[float, float], ...], ...]:
        """Return the borders of what a fire that moves by itself will cover next, as far as its side can know."""
        return ()

    def implied(self, view: View, name: str, said: frozenset[str]) -> Effects:
        """Return that fire falls where a round is said to lie, unless the stage is said too."""
        if (
            name not in view.missions
            or "round" not in said
            or "stage" in said
            or view.mission(name).impact is None
        ):
            return Effects()
        return Effects(update(view.mission(name), stage=Stage.FALLING, fell=True))

    def lasts(self, view: View, mission: str) -> bool:
        """Return whether a moment's end brings anything for the mission: the cycle leaves ``moment`` out if not."""
        return True

    def fire_limit(self, scenario: Setup, mission: str, moments: int) -> FireLimit | None:
        """Return how much fire for effect of a mission can fall in any so many moments on end, by the game's own rules.

        None where nothing limits it. The loop holds the game to it, and no bound on best orders
        exceeds it.
        """
        return None

    # --- the contract: steps that the core calls --------------------------------------------------
    @required
    def land(self, chance: Chance, view: View, mission: str) -> Effects:
        """Throw accuracy and error of the shot that leaves for ``mission.aim`` with ``mission.intent``.

        Push ``cycle.landed`` with the place where it comes down.
        """
        raise NotImplementedError

    @optional
    def fallen(self, chance: Chance, view: View, mission: str) -> Effects:
        """Note that fire for effect has just fallen."""
        return Effects()

    @optional
    def fire_phase(self, chance: Chance, view: View, mission: str) -> Effects:
        """Let fall what has been aimed and waits for its owner's fire phase.

        Delays push it where the sides fire one after the other in a moment.
        """
        return Effects()

    @optional
    def moment(self, chance: Chance, view: View, mission: str) -> Effects:
        """End a moment: push ``cycle.fall`` when the fire goes on, ``cycle.linger`` or ``cycle.close`` when not."""
        return Effects()

    @optional
    def phase_begins(self, chance: Chance, view: View, mission: str, early_turns: int) -> Effects:
        """Open the phase of the asset's side within a moment, before it is asked anything.

        Delays push it.

        ``early_turns`` are the turns that a fire plan has run before play began (0 but when it begins).
        """
        return Effects()

    @optional
    def phase_ends(self, chance: Chance, view: View, mission: str) -> Effects:
        """Close the phase of the asset's side where another side's follows in the same moment.

        Delays push it.
        """
        return Effects()
