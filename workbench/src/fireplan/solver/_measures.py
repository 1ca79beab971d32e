"""Measures over the neutral events: first effect, delivery, own troops, exhaustion, severity."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import attrs

from fireplan_core import FINAL, Event, Severity


class Awaited:
    """The first event of its kinds, whichever it is: None until then."""

    initial: Hashable = None

    def awaits(self, letter: Event) -> bool:  # noqa: ARG002
        """Return true: any of them will do."""
        return True

    def settled(self, state: Any) -> bool:
        """Return whether it has happened."""
        return state is not None


@attrs.frozen
class FirstFall(Awaited):
    """The first fall of fire for effect: None until then, afterwards ``(moment, gap, on_target, impact)``."""

    kinds: frozenset[str] = frozenset({"fall"})

    def see(self, state: Any, letter: Event, moment: int) -> Any:
        """Note the first fall."""
        return state or (moment, letter["gap"], letter["on_target"], letter["impact"])


@attrs.frozen
class Ever:
    """Say whether an event of a kind, with a field of a value, ever happens (to one of ``missions``, if given)."""

    kind: str
    field: str
    values: tuple[Any, ...]
    missions: frozenset[str] | None = None
    initial: Hashable = False

    @property
    def kinds(self) -> frozenset[str]:
        """Return its one kind."""
        return frozenset({self.kind})

    def see(self, state: Any, letter: Event, moment: int) -> Any:  # noqa: ARG002
        """Return true from the first such event on."""
        return state or self.awaits(letter)

    def awaits(self, letter: Event) -> bool:
        """Return whether it is such an event."""
        return letter[self.field] in self.values and (self.missions is None or letter["mission"] in self.missions)

    def settled(self, state: Any) -> bool:
        """Return whether it has happened."""
        return bool(state)


@attrs.frozen
class Count:
    """Count the events of a kind, up to ``most``."""

    kind: str
    most: int = 3
    initial: Hashable = 0

    @property
    def kinds(self) -> frozenset[str]:
        """Return its one kind."""
        return frozenset({self.kind})

    def see(self, state: Any, letter: Event, moment: int) -> Any:  # noqa: ARG002
        """Count one more."""
        return min(state + 1, self.most)

    def settled(self, state: Any) -> bool:
        """Return whether there are so many that no more are counted."""
        return bool(state == self.most)


def own_troops_under_fire() -> Ever:
    """Return whether fire for effect covers the firer's own troops at least once."""
    return Ever("fall", "own_under_fire", (True,))


def exhausted(missions: frozenset[str] | None = None) -> Ever:
    """Return whether an asset (one of these) is exhausted or lost."""
    return Ever("ended", "reason", FINAL, missions)


SUFFERED = "suffered"
"""The kind of event that says how severely a unit suffers."""


@attrs.frozen
class WorstSeverity:
    """The worst severity that one unit suffers."""

    unit: str
    kinds: frozenset[str] = frozenset({SUFFERED})
    initial: Hashable = Severity.NONE

    def see(self, state: Any, letter: Event, moment: int) -> Any:  # noqa: ARG002
        """Return the worse of before and now, if it is this unit."""
        return max(state, letter["severity"]) if self.concerns(letter) else state

    def concerns(self, letter: Event) -> bool:
        """Return whether this unit suffers."""
        return bool(letter["unit"] == self.unit)

    def settled(self, state: Any) -> bool:
        """Return whether it is destroyed."""
        return state is Severity.DESTROYED
