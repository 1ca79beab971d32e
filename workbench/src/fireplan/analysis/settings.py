"""Settings: an engagement in a game, or a scenario file, that can be staged with any variation."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

import attrs

from fireplan.strategies import STANDARD_ORDERS, Strategy, scenario_under, unfit
from fireplan_core import Engagement, Scenario
from fireplan_core.files import FileError, parse_toml, read_file, shipped
from fireplan_core.play import (
    Catalogue,
    Variation,
    find_scenario,
    shipped_scenarios,
    stage_engagement,
)

DEFAULT = "woods"
"""Name of the shipped engagement used if none is given."""


def shipped_engagements() -> dict[str, Traversable]:
    """Return the engagement files that ship with the package, by name, sorted."""
    return shipped(files(__package__) / "engagements")


def find_engagement(name_or_path: str) -> Engagement:
    """Return the shipped engagement of this name, or the engagement in the file at this path.

    Raises ``FileError``, suggesting similar names, if there is neither.
    """
    return load_engagement(shipped_engagements().get(name_or_path, Path(name_or_path)))


def load_engagement(path: Path | Traversable) -> Engagement:
    """Return the engagement in a file.

    Raises ``FileError`` listing every fault, or only the first if the file is not valid TOML.
    """
    return read_file(path, Engagement, what="engagement", shipped=shipped_engagements())


@attrs.frozen(eq=False)
class Setting:
    """A table that can be staged with any variation; ``engagement`` is None for a scenario file.

    The length of the watch is ``minutes`` if given, else that of the engagement, or ``own_moments``
    for a scenario file. ``refused`` has the faults of a file that is legal only with a variation.
    ``orders`` replace the standard orders.
    """

    catalogue: Catalogue
    game: str
    name: str
    title: str
    engagement: Engagement | None = None
    minutes: int | None = None
    own_moments: int = 0
    refused: FileError | None = None
    orders: Strategy = STANDARD_ORDERS
    staged: list[Scenario] = attrs.field(factory=list, repr=False)
    """The scenarios staged so far."""

    def under(self, orders: Strategy) -> Setting:
        """Return the setting with these orders given in advance and named in its title.

        Without orders, return the setting itself.
        """
        if not orders.rules:
            return self
        title = f"{self.title} (orders: {orders})"
        return attrs.evolve(self, orders=orders, title=title, staged=[])

    def unfit(self) -> Iterator[str]:
        """Yield a fault for each order that was never on offer when the table was first solved."""
        for scenario in self.staged[:1]:
            yield from unfit(scenario)

    def stage(self, variation: Variation) -> Scenario:
        """Return the scenario, staged with a variation.

        Raises the same errors as ``stage_engagement`` and ``find_scenario``, and ``InputError`` for
        orders that do not fit the table.
        """
        if self.engagement is not None:
            scenario = stage_engagement(self.catalogue, self.game, self.engagement, variation)
        else:
            scenario = find_scenario(self.catalogue, self.name, variation)[0]
        self.staged.append(scenario_under(scenario, self.orders))
        return self.staged[-1]

    def moments(self, scenario: Scenario) -> int:
        """Return the number of moments for which the scenario is watched."""
        if self.minutes is not None:
            return scenario.clock.moments(self.minutes)
        return (
            self.own_moments
            if self.engagement is None
            else scenario.clock.moments(self.engagement.minutes)
        )


def is_scenario(catalogue: Catalogue, name: str) -> bool:
    """Return whether this is the name of a shipped scenario or the path of a scenario file."""
    if name in shipped_scenarios(catalogue):
        return True
    path = Path(name)
    try:
        return path.is_file() and "game" in parse_toml(path, what="scenario").content
    except (FileError, OSError):
        return False
