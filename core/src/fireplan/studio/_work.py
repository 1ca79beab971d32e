"""What the workers do: functions of plain hashable arguments whose answers can be handed from process to process."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import attrs

from fireplan.compare import Comparison, Contender, compare
from fireplan.mission import Engagement
from fireplan.odds import explore_orders, lifecycle_svg, passages
from fireplan.table import Catalogue, Variation, make_scenario


@attrs.frozen
class Entrant:
    """A column that is asked for: a game as printed, or with options, numbers and parts of other games changed."""

    name: str
    game: str
    title: str
    options: tuple[tuple[str, Any], ...] = ()
    parts: tuple[tuple[str, str], ...] = ()
    numbers: tuple[tuple[str, str], ...] = ()

    def contender(self) -> Contender:
        """The same for a comparison."""
        if not (self.options or self.parts or self.numbers):
            return Contender(self.name, self.game, self.title)
        changed = Variation(options=dict(self.options), parts=dict(self.parts), numbers=dict(self.numbers))
        return Contender(self.name, self.game, self.title, changed)


@cache
def catalogue() -> Catalogue:
    """The installed games, loaded once in a process."""
    return Catalogue.installed()


def compared(engagement: Engagement, entrants: tuple[Entrant, ...]) -> Comparison:
    """A comparison of these columns."""
    return compare(engagement, catalogue(), [entrant.contender() for entrant in entrants])


def life_cycle(game: str, engagement: Engagement) -> str:
    """The life of a game's missions as a diagram in SVG, found by following the real rules."""
    scenario = make_scenario(catalogue(), game, engagement)
    found = passages(explore_orders(scenario), scenario, scenario.mission_ids[0])
    return lifecycle_svg(found, catalogue()[game].game.title)


WORK: Mapping[str, Callable[..., Any]] = {"compared": compared, "life_cycle": life_cycle}
"""The functions by the name they are asked for with."""
