"""Say what all ready parts share: rule numbers by the name of what is done, laid over the steps and checked at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import attrs

from fireplan_core.scenario.staging import Staging
from fireplan_core.steps.part import Part, StepDef


class Ready(Part):
    """A part to configure.

    ``cites`` gives the game's rule for each name in ``needs`` (of the class and its bases). A step that a game
    writes itself cites its rule directly. ``least`` says how small the figures may be that a game writes into its
    class. Raises ValueError with every rule that is not named and every figure that is missing or too small.
    """

    needs: ClassVar[tuple[str, ...]] = ()
    least: ClassVar[Mapping[str, int]] = {}

    def __init__(self, game: str, options: Mapping[str, Any], charts: Mapping[str, Any]) -> None:
        super().__init__(game, options, charts)
        own = type(self)
        needed = {name for kind in own.__mro__ for name in vars(kind).get("needs", ())}
        missing = sorted(needed - set(self.cites))
        faults = [f"{own.__name__}.cites must name a rule for {', '.join(missing)}"] if missing else []
        bounds = {name: least for kind in reversed(own.__mro__) for name, least in vars(kind).get("least", {}).items()}
        for name, least in sorted(bounds.items()):
            figure = getattr(own, name, None)
            if figure is None or (isinstance(figure, int) and figure < least):
                got = "it is missing" if figure is None else f"got {figure}"
                faults.append(f"{own.__name__}.{name}: expected {least} or more, {got}")
        if faults:
            raise ValueError("; ".join(faults))

    def steps(self) -> Mapping[str, StepDef]:
        """Return the steps, each with the game's own rule in place of the name that the ready part knows it by."""
        return {
            name: attrs.evolve(found, cite=self.cites.get(found.cite, found.cite))
            for name, found in super().steps().items()
        }

    def stage(self, staging: Staging) -> None:
        """Stage what this part keeps of every asset."""
        for mission in staging.assets:
            self.stage_mission(staging, mission)

    def stage_mission(self, staging: Staging, mission: str) -> None:
        """Stage what this part keeps of one asset; nothing by default."""
