"""The base class of the areas part: where a shot lands, its footprint and its lingering fire."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from fractions import Fraction
from typing import Any, ClassVar, Protocol

import attrs

from fireplan_core.chance import Chance
from fireplan_core.mission import FireKind, FireLimit, Stage
from fireplan_core.record import Read
from fireplan_core.setups.setup import Setup
from fireplan_core.space import Frame, Place
from fireplan_core.space.frames import Outline
from fireplan_core.steps.effects import Ask, Effects, optional, required, update
from fireplan_core.steps.part import Notified
from fireplan_core.steps.queries import query
from fireplan_core.steps.questions import Order
from fireplan_core.steps.view import View


class Translation(Protocol):
    """A translation of situations and orders between a setup and its relaxed setup.

    The solver tries in the setup the orders that are best in the relaxed setup. A translation needs
    no proof, because these orders are valued by what they earn in the setup. ``read`` reads the
    state of the setup.
    """

    def value(self, key: str, value: Any, read: Read) -> Any:
        """Return the value in the relaxed setup that stands for a key's value in the setup."""

    def ask(self, ask: Ask, read: Read) -> Ask:
        """Return the question in the relaxed setup that stands for a question in the setup."""

    def order(self, ask: Ask, order: Order, read: Read) -> Order:
        """Return the order in the setup that stands for an order in the relaxed setup.

        ``ask`` is the question in the setup.
        """


@attrs.frozen
class RelaxedSetup:
    """A relaxed setup, in which a side can do at least as much as in another, with fewer orders.

    ``named`` maps a question and a slot of its orders to the only values that the slot needs.
    ``translation`` translates between the two setups; it is None if the game provides none. With
    ``by_place``, the side can do as much at each place by itself, though perhaps not with the same
    dice at every place; fire in this setup covers either all of the places that fire in the other
    can cover, or none of them.

    >>> from fireplan_core.play import Catalogue, find_scenario
    >>> scenario, _ = find_scenario(Catalogue.installed(only=("asl",)), "asl/village")
    >>> target = scenario.missions["a"].target
    >>> relaxed = scenario.parts.relaxed(scenario, {target})
    >>> [len(places) for places in relaxed.named.values()]
    [3]
    """

    setup: Setup
    named: Mapping[tuple[str, str], tuple[Place, ...]] = attrs.field(factory=dict, hash=False)
    translation: Translation | None = attrs.field(default=None, hash=False)
    by_place: bool = False


class Areas(Notified):
    """The areas part, which handles accuracy, error, footprint and lingering fire.

    ``cites`` must name the rules for ``spotting``, ``fall`` and ``lingering``.

    >>> from fireplan_core.space import PlaneFrame
    >>> class Guns(Areas):
    ...     def frame(self):
    ...         return PlaneFrame()
    >>> Guns("my_game", {}, {}).middle()
    (0, 0)
    """

    word: ClassVar[str] = "areas"
    miss_not_modelled: ClassVar[str] = ""
    """The reason why the game has no miss distance, if fire always lands on its aim point."""
    weighs_aim: ClassVar[bool] = True
    """True if orders are ranked first by fire on target, False if by harm."""
    kinds: ClassVar[tuple[FireKind, ...]] = (FireKind.HE,)
    """The kinds of ammunition that may be fired; the requests part must offer no others."""

    def frame(self) -> Frame:
        """Return the frame of the game's map or table, with its places, labels and distances."""
        raise NotImplementedError

    def middle(self) -> Place:
        """Return the place for the centre of an engagement's target.

        By default it is the place nearest to the origin; a game may choose another place on its
        map.
        """
        return self.frame().nearest(0.0, 0.0)

    def aim_at(self, place: Place) -> tuple[Place, ...]:
        """Return the aim points from which fire hits a place, with the usual aim point first.

        By default the only aim point is the place itself.
        """
        return (place,)

    def error_lines(self) -> int:
        """Return the number of directions from the aim point in which a shot may stray.

        The default of 6 fits a hex, and also a vertex, where three directions start from the vertex
        and three from its mirror image. The checks of the kit verify that a game keeps to this
        number.
        """
        return 6

    def in_order(self, view: View, mission: str, places: tuple[Place, ...]) -> tuple[Place, ...]:
        """Return the places struck by fire for effect, in the order of their resolution.

        By default this is the order of the scenario.
        """
        return places

    @query(cite="fall", extent=Fraction(0))
    def covers(self, view: View, mission: str, place: Place, extent: Fraction) -> Fraction:
        """Return how strongly the mission's fire at its impact covers a place, from 0 to 1.

        ``extent`` is half the target's width in metres; 0 means that it fits in one place.
        """
        raise NotImplementedError

    def footprint(self, view: View, mission: str) -> tuple[tuple[Place, ...], float]:
        """Return the cells covered by fire for effect at the impact, and their area in hectares.

        In the plane the only cell is the impact itself.
        """
        raise NotImplementedError

    def shape(self, view: View, mission: str) -> tuple[Outline, ...]:
        """Return the outlines of the area that the mission's fire covers, for drawing.

        An outline is a tuple of points in metres. By default there is one for each cell of the
        footprint.
        """
        return tuple(map(self.frame().outline, self.footprint(view, mission)[0]))

    def ahead(self, view: View, mission: str) -> tuple[Outline, ...]:
        """Return the outlines of the cells that a moving fire will cover next, for drawing.

        An outline is a tuple of points in metres. Exclude cells that the firing side cannot know.
        """
        return ()

    def implied(self, view: View, name: str, fields: frozenset[str]) -> Effects:
        """Return updates that mark fire as falling if a position gives a round but no stage.

        ``fields`` contains the names of the fields given for the asset ``name``, or for the
        ``table``.
        """
        if (
            name not in view.missions
            or "round" not in fields
            or "stage" in fields
            or view.mission(name).impact is None
        ):
            return Effects()
        return Effects(update(view.mission(name), stage=Stage.FALLING, fell=True))

    def lasts(self, view: View, mission: str) -> bool:
        """Return whether the mission has anything to do at the end of a moment.

        If not, the cycle skips the step ``moment``.
        """
        return True

    def fire_limit(self, scenario: Setup, mission: str, moments: int) -> FireLimit | None:
        """Return how often fire for effect can fall in ``moments`` moments, None if unlimited.

        The limit applies to any ``moments`` consecutive moments. The game loop raises an error if
        fire exceeds it. The solver uses it to bound the value of the best orders.
        """
        return None

    def fire_chance(self, scenario: Setup, mission: str) -> Fraction | None:
        """Return the greatest chance that a mission may fire at all, or None if it always may.

        A game overrides this only if a roll before play decides it, whatever the orders. The chance
        is that of a play that begins as the scenario is set up. The solver uses it in its bounds.
        """
        return None

    def cover_limit(self, scenario: Setup, mission: str, cell: Place) -> int | None:
        """Return the greatest number of falls that can cover a cell in all of play, or None.

        Play opens as the scenario is set up, and orders name only places that their questions
        offer. None means that there is no limit. The solver uses it in addition to ``fire_limit``.
        """
        return None

    def cover_mean(self, scenario: Setup, mission: str, cell: Place) -> Fraction | None:
        """Return the greatest mean number of falls that can cover a cell in all of play, or None.

        Play opens as for ``cover_limit``, and None means that only that limit is known. The solver
        uses it to bound strikes.
        """
        return None

    def cover_moments(self, scenario: Setup, mission: str, cell: Place) -> frozenset[int] | None:
        """Return the moments in which the mission's fire can cover a cell, or None for any moment.

        0 is the first moment, if play opens as the scenario is set up. The solver uses it to bound
        the moments under fire.
        """
        return None

    def hit_chance(self, scenario: Setup, mission: str) -> Fraction | None:
        """Return the greatest chance that a mission's first fall is on target, None if unknown.

        The bound must hold whenever the shot is fired. Play opens as the scenario is set up, and
        orders name only places that their questions offer. The solver uses it to bound the chance
        that a side's first fall is on target.
        """
        return None

    def cover_together(
        self, scenario: Setup, mission: str, shares: Mapping[Place, Fraction]
    ) -> Fraction | None:
        """Return the greatest total share that one fall can cover, or None if it may cover all.

        The argument maps places to their shares. Each place covered counts as its share times the
        strength of the fire there; smoke counts as 0. The solver uses it to bound strikes.
        """
        return None

    def relaxed(self, scenario: Setup, places: Collection[Place]) -> RelaxedSetup | None:
        """Return a setup in which the side can do at least as much as in this one, or None.

        Whatever orders the side gives in this setup, and whatever happens, some orders in the
        relaxed setup must cover each of the ``places`` at the same times, at least as often and
        just as strongly. Play opens as for ``cover_limit``. The solver uses it to bound falls,
        strikes and harm at these places.
        """
        return None

    # --- the contract: steps that the core calls --------------------------------------------------
    @required
    def land(self, chance: Chance, view: View, mission: str) -> Effects:
        """Roll for the accuracy and the error of a shot, then push ``cycle.landed``.

        The shot is fired at ``mission.aim`` with ``mission.intent``; ``cycle.landed`` receives the
        place where it lands.
        """
        raise NotImplementedError

    @optional
    def fallen(self, chance: Chance, view: View, mission: str) -> Effects:
        """Change the part's state after fire for effect has fallen; by default nothing changes."""
        return Effects()

    @optional
    def fire_phase(self, chance: Chance, view: View, mission: str) -> Effects:
        """Resolve the asset's fire in the fire phase of its side.

        The delays part pushes this step in games where the sides fire one after the other in a
        moment.
        """
        return Effects()

    @optional
    def moment(self, chance: Chance, view: View, mission: str) -> Effects:
        """End a moment for a mission whose fire continues, lingers or ends.

        Push ``cycle.fall``, ``cycle.linger`` or ``cycle.close``.
        """
        return Effects()
