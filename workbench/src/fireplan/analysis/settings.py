"""Say what is to be solved: an engagement staged by a game, or a scenario file, staged as often as it is varied."""

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

import attrs

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
"""The shipped engagement that is taken when none is named."""


def shipped_engagements() -> dict[str, Traversable]:
    """Return the files of the engagements that come with the package, by name, in the order of the names."""
    return shipped(files(__package__) / "engagements")


def find_engagement(name_or_path: str) -> Engagement:
    """Return the shipped engagement of that name, else the one in the file at that path.

    Raises ``FileError``, with near names if there is neither.
    """
    return load_engagement(shipped_engagements().get(name_or_path, Path(name_or_path)))


def load_engagement(path: Path | Traversable) -> Engagement:
    """Read an engagement file.

    Raises ``FileError`` with all faults at once; only a file that is no TOML stops at its first.
    """
    return read_file(path, Engagement, what="engagement", shipped=shipped_engagements())


@attrs.frozen(eq=False)
class Setting:
    """A table that can be staged with any variation: its game, its name, and its engagement unless from a file.

    ``refused`` is what stands against the file as it is, where a variation alone makes it legal.
    """

    catalogue: Catalogue
    game: str
    name: str
    title: str
    engagement: Engagement | None = None
    minutes: int | None = None
    own_moments: int = 0
    refused: FileError | None = None

    def lay(self, variation: Variation) -> Scenario:
        """Return the table with what the variation changes.

        Raises as ``stage_engagement`` and ``find_scenario`` do.
        """
        if self.engagement is not None:
            return stage_engagement(self.catalogue, self.game, self.engagement, variation)
        return find_scenario(self.catalogue, self.name, variation)[0]

    def moments(self, scenario: Scenario) -> int:
        """Return how many moments of that table are watched."""
        if self.minutes is not None:
            return scenario.clock.moments(self.minutes)
        return (
            self.own_moments
            if self.engagement is None
            else scenario.clock.moments(self.engagement.minutes)
        )


def is_scenario(catalogue: Catalogue, name: str) -> bool:
    """Tell whether a name is a scenario's (shipped, or a file that names its game), not an engagement's."""
    if name in shipped_scenarios(catalogue):
        return True
    path = Path(name)
    try:
        return path.is_file() and "game" in parse_toml(path, what="scenario").content
    except (FileError, OSError):
        return False
