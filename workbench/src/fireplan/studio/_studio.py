"""The studio itself: its settings, and what all pages share."""

from __future__ import annotations

from pathlib import Path

import attrs

from fireplan.studio._jobs import Jobs
from fireplan.studio._pages import Pages, static_files
from fireplan.studio._safety import LOOPBACK
from fireplan.studio._sessions import Sessions
from fireplan.studio._work import catalogue


@attrs.frozen(kw_only=True)
class Settings:
    """Say how the studio is served: the port, the names it is reached by, its token, and the folder of its journals."""

    port: int = 8043
    names: tuple[str, ...] = LOOPBACK
    token: str | None = None
    tables: Path = attrs.field(factory=lambda: Path("tables"))


class Studio:
    """The games, the workers, the templates, the tables."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.pages = Pages()
        self.static = static_files()
        self.jobs = Jobs()
        self.catalogue = catalogue()
        self.sessions = Sessions(settings.tables, self.catalogue)
        self.titles = {key: entry.game.title for key, entry in self.catalogue.games.items()}
