"""Values and steps with their places forgotten, and readers that try every value they represent."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

import attrs

from fireplan.solver.states import CLOCK
from fireplan_core import Order, Pending, Scenario
from fireplan_core.space import label_of


class ForgottenPlace(Enum):
    """The placeholder for a forgotten place."""

    PLACE = "a place"


class SeveralValues(BaseException):
    """A signal that a step reads a key that may have any of several ``values``.

    The step is run again for each of them. It is a ``BaseException``, so that a rule reading a
    state does not catch it as an ``Exception``.
    """

    def __init__(self, key: str, values: Mapping[Any, None]) -> None:
        self.key = key
        self.values = values


class Coarsened:
    """Values and steps with their places forgotten, and the values that each represents.

    With ``keeps_places``, nothing is forgotten, and every value and step represents itself.
    """

    def __init__(self, scenario: Scenario, *, keeps_places: bool = False) -> None:
        self._frame = scenario.frame
        self._keeps_places = keeps_places
        self._forms: dict[tuple[type, Any], Any] = {}
        self._steps: dict[Pending, Pending] = {}
        self.values: dict[tuple[str, Any], dict[Any, None]] = {}
        """Maps a key and a coarse value with forgotten places to every value it may represent."""
        self.steps: dict[Pending, dict[Pending, None]] = {}
        """Maps a coarse step to every step that it represents."""
        self.domains: dict[str, dict[Any, None]] = {}
        """Maps a key to every value that it may have had."""
        self.guessed: set[str] = set()
        """The keys for which all values of ``domains`` are tried."""
        self.size = 0
        """A count that grows whenever a coarse value or step recorded earlier represents more."""

    def value(self, key: str, value: Any) -> Any:
        """Return the coarse form of a key's value, and record the value."""
        form = self._form(value)
        if form != value:
            self._add(self.values.setdefault((key, form), {}), value)
        domain = self.domains.setdefault(key, {})
        self.size += key in self.guessed and value not in domain
        domain[value] = None
        return form

    def any_value(self, key: str, initial: Any) -> SeveralValues:
        """Return a signal to try every value that a key may have had, the initial one included."""
        self.guessed.add(key)
        self.value(key, initial)
        return SeveralValues(key, self.domains[key])

    def step(self, pending: Pending) -> Pending:
        """Return the coarse form of a step or question, and record the step."""
        form = self._steps.get(pending)
        if form is None:
            args = tuple(map(self._form, pending.args))
            form = self._steps[pending] = attrs.evolve(pending, args=args)
            self._add(self.steps.setdefault(form, {}), pending)
        return form

    def exact_step(self, pending: Pending) -> Pending:
        """Return a step whose places are kept, and record it."""
        self.steps.setdefault(pending, {pending: None})
        return pending

    def _add(self, values: dict[Any, None], value: Any) -> None:
        if value not in values:
            self.size += bool(values)
            values[value] = None

    def _form(self, value: Any) -> Any:
        if self._keeps_places or value is None or isinstance(value, bool | int | str):
            return value
        key = type(value), value
        if key not in self._forms:
            self._forms[key] = self._new_form(value)
        return self._forms[key]

    def _new_form(self, value: Any) -> Any:
        if label_of(self._frame, value) is not None:
            return ForgottenPlace.PLACE
        if isinstance(value, tuple):
            return tuple(map(self._form, value))
        if isinstance(value, frozenset):
            forms = frozenset, *sorted(map(self._form, value), key=repr)
            return value if {*forms[1:]} == value else forms
        if isinstance(value, Order):
            slots = tuple((name, self._form(slot)) for name, slot in value.values)
            return attrs.evolve(value, values=slots)
        return value


class CoarseReader:
    """A reader of a coarse state for one step: ``reader(key, default)`` returns a value.

    It records the ``keys`` read from the state. ``guess`` maps keys to the values chosen for them:
    keys with forgotten places, and ``loose`` keys, which may have any value that they ever had.
    """

    def __init__(
        self,
        coarse: Coarsened,
        known: Mapping[str, Any],
        initial: Mapping[str, Any],
        loose: Mapping[str, None],
    ) -> None:
        self._coarse, self._known, self._initial, self._loose = coarse, known, initial, loose
        self.keys: set[str] = set()
        self.guess: dict[str, Any] = {}

    def __call__(self, key: str, default: Any) -> Any:
        """Return the value of a key; raise ``SeveralValues`` where it has to be guessed."""
        if key in self.guess:
            return self.guess[key]
        if key in self._loose:
            raise self._coarse.any_value(key, self._initial.get(key, default))
        self.keys.add(key)
        if key in self._known:
            form = self._known[key]
        else:
            form = self._coarse.value(key, self._initial.get(key, default))
        values = self._coarse.values.get((key, form))
        if values is None:
            return form
        raise SeveralValues(key, values)


class AnyReader:
    """A reader for every state that may come up: a key may have any value that it ever had."""

    def __init__(
        self, coarse: Coarsened, initial: Mapping[str, Any], clock: Mapping[Any, None]
    ) -> None:
        self._coarse, self._initial, self._clock = coarse, initial, clock
        self.keys: set[str] = {CLOCK}
        """The keys that count as read from a state: only the clock, as other values are guessed."""
        self.guess: dict[str, Any] = {}

    def __call__(self, key: str, default: Any) -> Any:
        """Return the value guessed for a key.

        Raises ``SeveralValues`` if none is guessed yet: the possible times for the clock, and for
        any other key every value that it has had.
        """
        if key in self.guess:
            return self.guess[key]
        if key == CLOCK:
            raise SeveralValues(key, self._clock)
        raise self._coarse.any_value(key, self._initial.get(key, default))


@attrs.define(eq=False)
class KeyReading:
    """A key read by a step after a guess, and the number of its values tried so far."""

    pending: Pending
    guess: Mapping[str, Any]
    key: str
    values: Mapping[Any, None]
    tried: int = 0

    def untried(self) -> list[tuple[Pending, dict[str, Any]]]:
        """Return one (step, guess) pair for each value of the key that has not been tried.

        From now on these values count as tried.
        """
        if self.tried == len(self.values):
            return []
        values = list(self.values)[self.tried :]
        self.tried += len(values)
        return [(self.pending, {**self.guess, self.key: value}) for value in values]
