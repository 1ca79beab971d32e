"""A game: its five parts, ledger, options and charts; and the hooks by which it is handed over."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import attrs
import pluggy

from fireplan.chance import Chart
from fireplan.ledger import Ledger
from fireplan.mission._part import Modifier, StepDef
from fireplan.mission.areas import Areas
from fireplan.mission.delays import Delays
from fireplan.mission.observers import Observers
from fireplan.mission.requests import Requests
from fireplan.mission.resolution import Resolution

hookspec = pluggy.HookspecMarker("fireplan")
hookimpl = pluggy.HookimplMarker("fireplan")

CORE_API = 1

Options = Mapping[str, Any]
Charts = Mapping[str, Chart]


@attrs.frozen
class Option:
    """A documented choice where a text leaves one: its values, default first, and its rule."""

    name: str
    values: tuple[Any, ...]
    cite: str
    gist: str

    @property
    def default(self) -> Any:
        """The first value."""
        return self.values[0]


@attrs.frozen(eq=False)
class Game:
    """What a game tells about itself."""

    key: str
    title: str
    edition: str
    ledger: Ledger
    options: tuple[Option, ...] = ()
    charts: Charts = attrs.field(factory=dict)
    capabilities: tuple[str, ...] = ()
    core_api: int = CORE_API

    def settled(self, chosen: Mapping[str, Any]) -> dict[str, Any]:
        """All options with the chosen values laid over the defaults.

        Raises ValueError naming every unknown option or value.
        """
        known = {option.name: option for option in self.options}
        faults = [
            f"{self.key} has no option {name!r}; it has {', '.join(known) or 'none'}"
            for name in chosen
            if name not in known
        ]
        faults += [
            f"{self.key} option {name}: {value!r} is not one of {', '.join(map(str, known[name].values))}"
            for name, value in chosen.items()
            if name in known and value not in known[name].values
        ]
        if faults:
            raise ValueError("; ".join(faults))
        return {name: chosen.get(name, option.default) for name, option in known.items()}


class GameSpec:
    """The hooks of a game. Each is called once, when a table is made; None means "not mine"."""

    @hookspec(firstresult=True)
    def fireplan_game(self) -> Game | None:
        """Who are you? Asked by the catalogue when it loads an entry point."""

    @hookspec(firstresult=True)
    def fireplan_observers(self, options: Options, charts: Charts) -> Observers | None:
        """Who may observe, and what does he see?"""

    @hookspec(firstresult=True)
    def fireplan_requests(self, options: Options, charts: Charts) -> Requests | None:
        """How is fire asked for, and what may be ordered?"""

    @hookspec(firstresult=True)
    def fireplan_delays(self, options: Options, charts: Charts) -> Delays | None:
        """What is the clock, and what stands between request and readiness?"""

    @hookspec(firstresult=True)
    def fireplan_areas(self, options: Options, charts: Charts) -> Areas | None:
        """Where does fire land, and what does it cover?"""

    @hookspec(firstresult=True)
    def fireplan_resolution(self, options: Options, charts: Charts) -> Resolution | None:
        """What does fire do to what it covers?"""


class RuleSpec:
    """The hooks of house rules and listeners: laid over a game without changing it."""

    @hookspec
    def fireplan_modifiers(self) -> tuple[Modifier, ...] | None:
        """Which modifiers do you add to which named rolls?"""

    @hookspec
    def fireplan_variants(self) -> Mapping[str, Callable[[StepDef], StepDef]] | None:
        """Which named steps do you wrap, and how?"""
