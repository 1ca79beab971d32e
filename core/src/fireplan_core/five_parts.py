"""The five parts of one table, and their classes."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeVar, cast

import attrs

from fireplan_core.areas import Areas, RelaxedSetup
from fireplan_core.delays import Delays
from fireplan_core.mission import FireLimit, Severity
from fireplan_core.observers import Observers
from fireplan_core.record import ProcedureError
from fireplan_core.requests import Requests
from fireplan_core.resolution import Resolution
from fireplan_core.setups.setup import Setup
from fireplan_core.space import Place
from fireplan_core.steps.part import WORDS, Part
from fireplan_core.steps.view import View

P = TypeVar("P", bound=Part)


@attrs.frozen(eq=False, repr=False, slots=False)
class Parts:
    """The five parts of one table, one object each."""

    observers: Observers
    requests: Requests
    delays: Delays
    areas: Areas
    resolution: Resolution
    steps_replaced: bool = False
    """True if house rules replace steps, in which case the stated limits may not apply."""

    modifiers_added: bool = False
    """True if house rules add modifiers, in which case the stated chances may not apply."""

    def __iter__(self) -> Iterator[Part]:
        """Yield the parts in order: observers, requests, delays, areas, resolution."""
        return iter((self.observers, self.requests, self.delays, self.areas, self.resolution))

    def find(self, kind: type[P]) -> P | None:
        """Return the part of this class, or None if another game supplies that part.

        A part reaches the steps and queries of its own game's other parts in this way.
        """
        return next((part for part in self if isinstance(part, kind)), None)

    @cached_property
    def _publishers(self) -> dict[type, str]:
        return {kind: part.word for part in self for kind in part.publishes}

    def fire_limit(self, scenario: Setup, mission: str, moments: int) -> FireLimit | None:
        """Return the limit on fire for effect in a number of moments, or None if fire is unlimited.

        The limit applies to any ``moments`` consecutive moments. The result is also None if the
        parts come from several games or house rules replace steps.
        """
        return self.areas.fire_limit(scenario, mission, moments) if self._is_printed else None

    def fire_chance(self, scenario: Setup, mission: str) -> Fraction:
        """Return the greatest chance that a mission may fire at all; 1 if no roll decides this.

        The result is also 1 if the parts come from several games, or if house rules replace steps
        or add modifiers.
        """
        is_known = self._is_printed and not self.modifiers_added
        chance = self.areas.fire_chance(scenario, mission) if is_known else None
        return Fraction(1) if chance is None else chance

    def cover_limit(self, scenario: Setup, mission: str, cell: Place) -> int | None:
        """Return the greatest number of falls that can cover a cell in all of play, or None.

        The result is None if there is no limit, if the parts come from several games, or if house
        rules replace steps.
        """
        return self.areas.cover_limit(scenario, mission, cell) if self._is_printed else None

    def cover_mean(self, scenario: Setup, mission: str, cell: Place) -> Fraction | None:
        """Return the greatest mean number of falls that can cover a cell in all of play, or None.

        The result is None if only ``cover_limit`` is known, if the parts come from several games,
        or if house rules replace steps or add modifiers.
        """
        if not self._is_printed or self.modifiers_added:
            return None
        return self.areas.cover_mean(scenario, mission, cell)

    def cover_moments(self, scenario: Setup, mission: str, cell: Place) -> frozenset[int] | None:
        """Return the moments in which a mission's fire can cover a cell, or None for any moment.

        The result is also None if the parts come from several games or house rules replace steps.
        """
        return self.areas.cover_moments(scenario, mission, cell) if self._is_printed else None

    def hit_chance(self, scenario: Setup, mission: str) -> Fraction | None:
        """Return the greatest chance that a mission's first fall is on target, None if unknown.

        The result is also None if the parts come from several games or house rules replace steps or
        add modifiers.
        """
        if not self._is_printed or self.modifiers_added:
            return None
        return self.areas.hit_chance(scenario, mission)

    def cover_together(
        self, scenario: Setup, mission: str, shares: Mapping[Place, Fraction]
    ) -> Fraction | None:
        """Return the greatest total share that one fall can cover, or None if it may cover all.

        ``shares`` maps places to their shares (see ``Areas.cover_together``). The result is also
        None if the parts come from several games or house rules replace steps.
        """
        return self.areas.cover_together(scenario, mission, shares) if self._is_printed else None

    def relaxed(self, scenario: Setup, places: Collection[Place]) -> RelaxedSetup | None:
        """Return a setup in which the side can do at least as much at these places, or None.

        It is None if the areas part has no such setup, if the parts come from several games, or if
        house rules replace steps or add modifiers.
        """
        if not self._is_printed or self.modifiers_added:
            return None
        return self.areas.relaxed(scenario, places)

    def alone(self, scenario: Setup, mission: str) -> Setup | None:
        """Return a setup with this mission only, or None.

        In the returned setup, the mission can do at least as much as in ``scenario``. The result is
        None if the delays part has no such setup, if the parts come from several games, or if house
        rules replace steps.
        """
        return self.delays.alone(scenario, mission) if self._is_printed else None

    @property
    def _is_printed(self) -> bool:
        return len({part.game for part in self}) == 1 and not self.steps_replaced

    def harm_chance(
        self, scenario: Setup, unit: str, severity: Severity, mission: str, *, usual: bool
    ) -> Fraction | None:
        """Return the greatest chance that one fall of a mission does a unit at least this harm.

        The result is None if no bound is known, if the parts come from several games, or if house
        rules replace steps or add modifiers. ``usual`` means that the unit's side gives its
        standard orders only.
        """
        if not self._is_printed or self.modifiers_added:
            return None
        return self.resolution.harm_chance(scenario, unit, severity, mission, usual=usual)

    def removal_chance(self, scenario: Setup, unit: str, mission: str) -> Fraction:
        """Return the least chance that one fall of a mission on a unit removes it from the table.

        The result is 0 if the parts come from several games, or if house rules replace steps or add
        modifiers.
        """
        if not self._is_printed or self.modifiers_added:
            return Fraction(0)
        return self.resolution.removal_chance(scenario, unit, mission)

    def hold_to_limit(
        self, scenario: Setup, mission: str, falls: Sequence[int], opening: int = 0
    ) -> None:
        """Raise ``ProcedureError`` if a mission's fire fell more often than its fire limit allows.

        ``falls`` lists the moments in which the fire fell, in order; ``opening`` is the first
        moment that was played.
        """
        for number, first in enumerate(falls):
            moments, times = falls[-1] - first + 1, len(falls) - number
            limit = self.fire_limit(scenario, mission, moments)
            if limit is None:
                continue
            most = limit.afterwards if first > opening else limit.falls
            if times > most:
                raise ProcedureError(
                    f"fire for effect of {mission} has fallen {times} times in {moments} moment{'s' * (moments > 1)}, "
                    f"but fire_limit of the areas allows {most}: correct one of them"
                )

    def publisher(self, kind: type) -> str | None:
        """Return the word for the part that publishes this record class, or None if none does."""
        return self._publishers.get(kind)


@attrs.frozen
class PartTypes:
    """The classes of a game's five parts.

    Each class is called with the game's key, options and charts.

    >>> PartTypes(Observers, Requests, Delays, Areas, Resolution).of("delays").__name__
    'Delays'
    """

    observers: type[Observers]
    requests: type[Requests]
    delays: type[Delays]
    areas: type[Areas]
    resolution: type[Resolution]

    def of(self, word: str) -> type[Part]:
        """Return the class of the part with this word, e.g. ``"delays"``."""
        kinds = dict(zip(WORDS, attrs.astuple(self, recurse=False), strict=True))
        return cast("type[Part]", kinds[word])


def parts_of(view: View) -> Parts:
    """Return the five parts of a view's table, e.g. to push the steps of their contracts.

    >>> from fireplan_core.play import Catalogue, find_scenario, opening
    >>> scenario, file = find_scenario(Catalogue.installed(only=("asl",)), "asl/village")
    >>> view = View(opening(scenario).values.get, scenario, "delays")
    >>> [part.word for part in parts_of(view)]
    ['observers', 'requests', 'delays', 'areas', 'resolution']
    """
    played: Any = view.scenario
    parts: Parts = played.parts
    return parts
