"""Ready observers: what is seen is what the engagement or the scenario file declares."""

from __future__ import annotations

from fireplan_core.blocks._ready import Ready
from fireplan_core.mission import Sight
from fireplan_core.observers import Observers
from fireplan_core.record import Place
from fireplan_core.scenario.staging import Staging
from fireplan_core.steps.view import View


class DeclaredSight(Ready, Observers):
    """The observer sees every place alike: the ground, only bursts above it, or nothing, as declared."""

    def stage(self, staging: Staging) -> None:
        """Take the sight from the engagement."""
        seen = staging.engagement.observer.sight
        for mission in staging.assets:
            self.declare(staging, mission, Sight(ground=seen == "clear", burst=seen != "none"))

    def stage_mission(self, staging: Staging, mission: str) -> None:
        """Let everything be seen where a scenario file says nothing of it."""
        self.declare(staging, mission, Sight(ground=True, burst=True))

    def declare(self, staging: Staging, mission: str, sight: Sight) -> None:
        """Stage what the observer of one asset sees."""
        staging.mission(mission, self.word, facts=sight)

    def sees(self, view: View, mission: str, place: Place) -> Sight:
        """Return what was declared."""
        return view.facts(mission, Sight)
