"""The engagements shipped here, and engagement files of the user's own.

How a file is read, and what is said of a bad one, is the matter of ``fireplan_core.files``.
"""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from fireplan_core import Engagement
from fireplan_core.files import FileError, read_file, shipped

DEFAULT = "woods"
"""The shipped engagement that is taken when none is named."""

EngagementError = FileError
"""An engagement that cannot be read."""


def shipped_engagements() -> dict[str, Traversable]:
    """Return the files of the engagements that come with the package, by name, in the order of the names."""
    return shipped(files(__package__) / "engagements")


def find_engagement(name_or_path: str) -> Engagement:
    """Return the shipped engagement of that name, else the one in the file at that path.

    Raises ``EngagementError``, with near names if there is neither.
    """
    return load_engagement(shipped_engagements().get(name_or_path, Path(name_or_path)))


def load_engagement(path: Path | Traversable) -> Engagement:
    """Read an engagement file.

    Raises ``EngagementError`` with all faults at once; only a file that is no TOML stops at its first.
    """
    return read_file(path, Engagement, what="engagement", shipped=shipped_engagements())
