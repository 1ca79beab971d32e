"""Writing a position: what differs from the opening, by the names of fields, then what waits and dice given so far."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from fireplan.positions import notation
from fireplan.positions.atoms import at, atoms_of, quoted, written
from fireplan.positions.fields import GROUND, TABLE, StateField, arguments, fields_of
from fireplan.positions.sources import Source
from fireplan_core import cycle
from fireplan_core.chance import Face
from fireplan_core.play.scenario import OPENING, Scenario, State
from fireplan_core.record import ProcedureError
from fireplan_core.steps.effects import Ask, Pending, Step, name_of

SCOPE = "place "
"""Begins the scope of a step that is confined to a place (``View.scope``)."""
_NAMED = 2_000  # moments that are looked through for a name


def line_of(
    source: Source, scenario: Scenario, state: State, faces: tuple[Face, ...], side: str = ""
) -> str:
    """Return the line of a position, or of what a side knows of it.

    Raises ``ProcedureError`` for what no record declares, a fault of a game.
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
        self._said: defaultdict[str, defaultdict[str, dict[str, str]]] = defaultdict(
            lambda: defaultdict(dict)
        )

    def line(self) -> str:
        """Return it."""
        initial, spelled = self._scenario.initial, set(self._spelled())
        for key, value in self._values.items():
            if (
                (key not in initial or initial[key] != value)
                and key != "clock/moment"
                and key not in spelled
            ):
                spot = self._fields.spot(key)
                self._note(spot.group, spot.place, spot.field, value)
        side = f"?{written(self._side)}" if self._side else ""
        words = [notation.head(self._source) + side, *self._time()]
        groups = [*self._scenario.missions, TABLE, *self._scenario.units]
        words += [text for group in groups if (text := self._written(group))]
        words += [
            notation.group(at(place), said.values())
            for place, said in self._said[GROUND].items()
            if said
        ]
        agenda, ends = self._state.agenda, ends_of(self._scenario)
        if self._side and agenda != (OPENING,):
            words += [">", *map(self._pending, agenda), "?"]
        elif agenda != (OPENING,):
            usual = agenda[-len(ends) :] == ends
            words += [
                ">" if usual else ">>",
                *map(self._pending, agenda[: -len(ends)] if usual else agenda),
            ]
        if self._faces:
            words += ["|", *map(self._atoms.write, self._faces)]
        return " ".join(words)

    def _note(self, group: str, place: str, field: StateField, value: Any) -> None:
        text = notation.entry(field.name, value, self._atoms.write(value, field.hint))
        self._said[group][place][field.name] = text

    def _spelled(self) -> Iterator[str]:
        """Note what is said place by place, where that reads back the same.

        Yields the keys of it.
        """
        order: dict[Any, int] = {}
        for field in self._fields.ground.values():
            key = field.key("shared")
            value = self._values.get(key, field.default)
            if field.places is None or value == self._scenario.initial.get(key, field.default):
                continue
            pairs = tuple(field.places.spread(value))
            trial = dict(order)
            found = [trial.setdefault(place, len(trial)) for place, _ in pairs]
            told = found == sorted(set(found)) and all(one for _, one in pairs)
            if pairs and told and field.places.gather(pairs) == value:
                order = trial
                for place, one in pairs:
                    self._note(GROUND, self._scenario.frame.label(place), field, one)
                yield key

    def _written(self, group: str) -> str:
        said = self._said.get(group)
        if not said:
            return ""
        names = self._fields.table if group == TABLE else self._fields.of(group)
        entries = [said[""][name] for name in names if name in said[""]]
        entries += [
            notation.group(at(place), said[place].values()) for place in sorted(said) if place
        ]
        if not entries:
            return ""
        return notation.group(written(group), entries)

    def _time(self) -> Iterator[str]:
        moment = self._state.moment
        if moment != self._scenario.initial["clock/moment"]:
            name = self._scenario.clock.name(moment)
            yield (
                quoted(name)
                if next(called(self._scenario.clock.name, name), None) == moment
                else str(moment)
            )

    def _pending(self, pending: Pending) -> str:
        asked = isinstance(pending, Ask)
        name = pending.question if isinstance(pending, Ask) else pending.name
        wanted = arguments(self._scenario.steps[name].run)
        hints = (
            [(name, hint) for name, hint in wanted[asked:]]
            if wanted is not None
            else [("", Any)] * len(pending.args)
        )
        args = [
            self._atoms.write(arg, hint) for arg, (_, hint) in zip(pending.args, hints, strict=True)
        ]
        if pending.scope and not pending.scope.startswith(SCOPE):
            raise ProcedureError(f"the scope {pending.scope!r} is no place (view.scope)")
        place = pending.scope.removeprefix(SCOPE) if pending.scope else None
        return notation.waiting(name, args, place, pending.who if isinstance(pending, Ask) else "")


def ends_of(scenario: Scenario) -> tuple[Step, ...]:
    """Return what ends every moment: the end of it for each asset."""
    return tuple(Step(name_of(cycle.end), (mission,)) for mission in scenario.missions)


def called(name: Callable[[int], str], said: str) -> Iterator[int]:
    """Yield the first moment that is called so, then the first whose name begins with it, up to the next digit."""
    yield from islice((number for number in range(_NAMED) if name(number) == said), 1)
    begun = (
        (number, name(number).removeprefix(said))
        for number in range(_NAMED)
        if name(number).startswith(said)
    )
    yield from (number for number, rest in begun if not rest[:1].isdigit())
