"""The studio itself: what all pages share."""

from fireplan.comparison import usual
from fireplan.studio._jobs import Jobs
from fireplan.studio._pages import Pages, static_files
from fireplan.studio._safety import Settings
from fireplan.studio._sessions import Sessions
from fireplan.studio._work import catalogue


class Studio:
    """The games, the workers, the templates, the tables."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.pages = Pages()
        self.static = static_files()
        self.jobs = Jobs(alone=settings.alone)
        self.catalogue = catalogue()
        self.sessions = Sessions(settings.tables, self.catalogue, alone=settings.alone)
        self.usual = usual(self.catalogue)
        self.titles = {key: entry.game.title for key, entry in self.catalogue.games.items()}
