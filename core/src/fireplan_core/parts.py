"""The five parts of one table."""

from collections.abc import Iterator
from functools import cached_property
from typing import Any, cast

import attrs

from fireplan_core.areas import Areas
from fireplan_core.delays import Delays
from fireplan_core.observers import Observers
from fireplan_core.requests import Requests
from fireplan_core.resolution import Resolution
from fireplan_core.steps.part import WORDS, Part
from fireplan_core.steps.view import View


@attrs.frozen(eq=False, repr=False, slots=False)
class Parts:
    """The five parts of one table."""

    observers: Observers
    requests: Requests
    delays: Delays
    areas: Areas
    resolution: Resolution

    def __iter__(self) -> Iterator[Part]:
        """In the order of the five words."""
        return iter((self.observers, self.requests, self.delays, self.areas, self.resolution))

    @cached_property
    def _publishers(self) -> dict[type, str]:
        return {kind: part.word for part in self for kind in part.publishes}

    def publisher(self, kind: type) -> str | None:
        """Return the word of the part that publishes records of this kind at this table; None if no part does."""
        return self._publishers.get(kind)


@attrs.frozen
class PartTypes:
    """The classes of a game's five parts: each is made with the game's key, its options and its charts."""

    observers: type[Observers]
    requests: type[Requests]
    delays: type[Delays]
    areas: type[Areas]
    resolution: type[Resolution]

    def of(self, word: str) -> type[Part]:
        """Return the class for one of the five words."""
        kinds = dict(zip(WORDS, attrs.astuple(self, recurse=False), strict=True))
        return cast("type[Part]", kinds[word])


def parts_of(view: View) -> Parts:
    """Return the five parts of the table that a view looks at, to push what their contract offers."""
    played: Any = view.scenario
    parts: Parts = played.parts
    return parts
