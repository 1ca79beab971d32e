"""Writing a position: its differences from the opening, then the agenda and the dice thrown."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from fireplan.positions import notation
from fireplan.positions.atoms import at, atom_text, atoms_of, in_double_quotes
from fireplan.positions.fields import GROUND, MEMORY, TABLE, StateField, fields_of, step_arguments
from fireplan.positions.sources import Source
from fireplan_core import cycle
from fireplan_core.chance import Face
from fireplan_core.play.scenario import OPENING, Scenario, State
from fireplan_core.record import ProcedureError
from fireplan_core.steps.effects import Ask, Pending, Step, step_name

SCOPE = "place "
"""Prefix of the scope of a step that is confined to a place (``View.scope``)."""
_NAMED = 2_000  # number of moments whose names are searched


def line_of(
    source: Source, scenario: Scenario, state: State, faces: tuple[Face, ...], side: str = ""
) -> str:
    """Return a state as one line of notation; with ``side``, the state as that side knows it.

    Raises ``ProcedureError`` for a value that no record declares, which would be a bug in the game.

    >>> from fireplan.analysis import shipped_engagements
    >>> from fireplan_core.play import Catalogue
    >>> sources = Sources(Catalogue.installed(), shipped_engagements())
    >>> village = position_of("fp1 asl/village", sources)
    >>> line_of(village.source, village.scenario, village.state, village.faces)
    'fp1 asl/village'
    """
    return _Writer(source, scenario, state, faces, side).line()


class _Writer:
    def __init__(
        self, source: Source, scenario: Scenario, state: State, faces: tuple[Face, ...], side: str
    ) -> None:
        self._source, self._scenario, self._state, self._faces = source, scenario, state, faces
        self._side = side
        self._fields = fields_of(scenario)
        self._atoms = atoms_of(scenario)
        self._values = state.values
        self._entries: defaultdict[str, defaultdict[str, dict[str, str]]] = defaultdict(
            lambda: defaultdict(dict)
        )

    def line(self) -> str:
        initial, keys_by_place = self._scenario.initial, set(self._by_place())
        for key, value in self._values.items():
            if (
                (key not in initial or initial[key] != value)
                and key != "clock/moment"
                and not key.startswith(MEMORY)
                and key not in keys_by_place
            ):
                spot = self._fields.spot(key)
                self._note(spot.group, spot.place, spot.field, value)
        side = f"?{atom_text(self._side)}" if self._side else ""
        words = [notation.head(self._source) + side, *self._time()]
        groups = [*self._scenario.missions, TABLE, *self._scenario.units]
        words += [text for group in groups if (text := self._written(group))]
        words += [
            notation.group(at(place), entries.values())
            for place, entries in self._entries[GROUND].items()
            if entries
        ]
        agenda, ends = self._state.agenda, ends_of(self._scenario)
        if self._side and agenda != (OPENING,):
            words += [">", *map(self._pending, agenda), "?"]
        elif agenda != (OPENING,):
            ends_as_usual = agenda[-len(ends) :] == ends
            words += [
                ">" if ends_as_usual else ">>",
                *map(self._pending, agenda[: -len(ends)] if ends_as_usual else agenda),
            ]
        if self._faces:
            words += ["|", *map(self._atoms.write, self._faces)]
        return " ".join(words)

    def _note(self, group: str, place: str, field: StateField, value: Any) -> None:
        text = notation.field_text(field.name, value, self._atoms.write(value, field.hint))
        self._entries[group][place][field.name] = text

    def _by_place(self) -> Iterator[str]:
        """Record the table's fields that have a value for each place, and yield their keys.

        A field whose value would not read back unchanged is skipped.
        """
        order: dict[Any, int] = {}
        for field in self._fields.ground.values():
            key = field.key("shared")
            value = self._values.get(key, field.default)
            if field.places is None or value == self._scenario.initial.get(key, field.default):
                continue
            pairs = tuple(field.places.spread(value))
            trial = dict(order)
            positions = [trial.setdefault(place, len(trial)) for place, _ in pairs]
            readable = positions == sorted(set(positions)) and all(item for _, item in pairs)
            if pairs and readable and field.places.gather(pairs) == value:
                order = trial
                for place, item in pairs:
                    self._note(GROUND, self._scenario.frame.label(place), field, item)
                yield key

    def _written(self, group: str) -> str:
        entries_by_place = self._entries.get(group)
        if not entries_by_place:
            return ""
        names = self._fields.table if group == TABLE else self._fields.of(group)
        texts = [entries_by_place[""][name] for name in names if name in entries_by_place[""]]
        texts += [
            notation.group(at(place), entries_by_place[place].values())
            for place in sorted(entries_by_place)
            if place
        ]
        if not texts:
            return ""
        return notation.group(atom_text(group), texts)

    def _time(self) -> Iterator[str]:
        moment = self._state.moment
        if moment != self._scenario.initial["clock/moment"]:
            name = self._scenario.clock.name(moment)
            yield (
                in_double_quotes(name)
                if next(called(self._scenario.clock.name, name), None) == moment
                else str(moment)
            )

    def _pending(self, pending: Pending) -> str:
        name = pending.name
        parameters = step_arguments(self._scenario.steps[name].run)
        if parameters is None:
            hints = [Any] * len(pending.args)
        else:  # skip the order, the first argument of the step: a question has none yet
            first = 1 if isinstance(pending, Ask) else 0
            hints = [hint for _, hint in parameters[first:]]
        args = [self._atoms.write(arg, hint) for arg, hint in zip(pending.args, hints, strict=True)]
        if pending.scope and not pending.scope.startswith(SCOPE):
            raise ProcedureError(f"the scope {pending.scope!r} is not a place (view.scope)")
        place = pending.scope.removeprefix(SCOPE) if pending.scope else None
        return notation.waiting(name, args, place, pending.who if isinstance(pending, Ask) else "")


def ends_of(scenario: Scenario) -> tuple[Step, ...]:
    """Return the steps that end every moment, one for each asset."""
    return tuple(Step(step_name(cycle.end), (mission,)) for mission in scenario.missions)


def called(name: Callable[[int], str], text: str) -> Iterator[int]:
    """Yield the first moment with this name, then every moment whose name begins with it.

    The beginning must not be followed by a digit: "turn 1" does not match "turn 12".
    """
    yield from islice((number for number in range(_NAMED) if name(number) == text), 1)
    rests = (
        (number, name(number).removeprefix(text))
        for number in range(_NAMED)
        if name(number).startswith(text)
    )
    yield from (number for number, rest in rests if not rest[:1].isdigit())
